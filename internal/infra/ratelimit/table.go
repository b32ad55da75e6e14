package ratelimit

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"

	"frontdesk/internal/infra/store"
)

// Schema is the table of this room: of each key the time at which its whole limit is there again,
// in nanoseconds since 1970 because a request may take up less than a microsecond, and of windows
// what was let in (see windows.write). The key is a hash under a secret, so that the table shows no
// addresses.
var Schema = store.Schema{
	ID: "limit",
	Steps: []string{`
CREATE TABLE limit_bucket (
	id  {{text}} NOT NULL PRIMARY KEY,
	tat BIGINT NOT NULL
);
`, `ALTER TABLE limit_bucket ADD COLUMN log {{bytes}};`},
}

// table counts in the database, together with other nodes. What waits at the same time goes in one
// transaction, so that a node has no more than one at a time, however many requests it has.
//
// Of a key's limit others only ever take, so a key that this node knows to have none left until
// some time is refused without asking: those who are over their limit cost the database nothing.
type table struct {
	db     *store.DB
	secret []byte
	wait   time.Duration
	rows   int     // that the table keeps
	known  *memory // what the table said of each key, at the least
	log    *slog.Logger
	mu     sync.Mutex
	queue  []*claim
	busy   bool
	away   int64 // until then the table is not asked, because it did not answer
	swept  int64
}

// claim is a request that waits for the table's answer.
type claim struct {
	id   string
	by   rule
	cost int
	now  int64

	after  state
	status Status
	done   chan error
}

const (
	// batch is how many requests go in one transaction.
	batch = 256
	// awayTime is how long a table that did not answer is left alone, in nanoseconds.
	awayTime = int64(5 * time.Second)
	// turn is that of all transactions which write the table.
	turn = "limit"
	// sweepEvery is how often a node removes keys whose limits are there again, in nanoseconds.
	sweepEvery = int64(time.Minute)
)

func newTable(options Options) *table {
	return &table{
		db: options.DB, secret: options.Secret, wait: options.Wait, rows: 5 * options.Keys,
		known: newMemory(options.Keys), log: options.Log,
	}
}

// take gives an answer of the table, or of what is known of it, or says that there is none; what
// the table answers after that is counted there all the same.
func (t *table) take(ctx context.Context, key string, by rule, cost int, now int64) (state, Status, error) {
	if after, status := t.known.peek(key, by, cost, now); !status.OK {
		return after, status, nil
	}
	if t.isAway(now) {
		return state{}, Status{}, errAway
	}
	c := &claim{id: t.id(key), by: by, cost: cost, now: now, done: make(chan error, 1)}
	t.enter(c)
	ctx, cancel := context.WithTimeout(ctx, t.wait)
	defer cancel()
	select {
	case err := <-c.done:
		if err == nil {
			t.known.learn(key, c.after, now)
		}
		return c.after, c.status, err
	case <-ctx.Done(): // too many are before it, or nobody waits for the answer
		return state{}, Status{}, context.Cause(ctx)
	}
}

// id is what the table calls a key.
func (t *table) id(key string) string {
	hash := hmac.New(sha256.New, t.secret)
	hash.Write([]byte("limit " + key))
	return base64.RawURLEncoding.EncodeToString(hash.Sum(nil)[:16])
}

// enter queues a claim, and sees that somebody works on the queue.
func (t *table) enter(c *claim) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.queue = append(t.queue, c)
	if !t.busy {
		t.busy = true
		go t.work()
	}
}

// work answers what is queued, and ends when nothing is.
func (t *table) work() {
	for {
		t.mu.Lock()
		claims := t.queue[:min(len(t.queue), batch)]
		t.queue = t.queue[len(claims):]
		if len(claims) == 0 {
			t.queue, t.busy = nil, false
			t.mu.Unlock()
			return
		}
		t.mu.Unlock()
		t.answer(claims)
	}
}

// errAway is for those who waited while the table was found not to answer.
var errAway = errors.New("the table did not answer a moment ago")

// answer decides on claims in one transaction. Nodes take turns: all of them write the same few
// rows, those of the sites and of who asks most, and would otherwise undo each other's transactions
// when it matters most.
func (t *table) answer(claims []*claim) {
	ctx, cancel := context.WithTimeout(context.Background(), t.wait)
	defer cancel()
	now, err := claims[len(claims)-1].now, errAway
	if !t.isAway(now) {
		if err = t.db.UpdateSerial(ctx, turn, func(tx *store.Tx) error { return decide(ctx, tx, claims) }); err != nil {
			t.complain(err, now)
		}
	}
	for _, c := range claims {
		c.done <- err
	}
	if err == nil && (now-t.swept > sweepEvery || now < t.swept) {
		t.swept = now
		t.sweep(now)
	}
}

// decide takes each claim's cost from its key's limit. It may run more than once.
func decide(ctx context.Context, tx *store.Tx, claims []*claim) error {
	states, err := readStates(ctx, tx, claims)
	if err != nil {
		return err
	}
	changed := map[string]bool{}
	for _, c := range claims {
		before := states[c.id]
		c.after, c.status = c.by.take(before, c.now, c.cost)
		if c.cost > 0 && c.after != before {
			states[c.id], changed[c.id] = c.after, true
		}
	}
	if len(changed) == 0 {
		return nil
	}
	var rows []string
	var values []any
	for id := range changed {
		rows = append(rows, "("+store.Params(len(values)+1, 3)+")")
		values = append(values, id, states[id].tat, []byte(states[id].log))
	}
	_, err = tx.Exec(ctx, `INSERT INTO limit_bucket (id, tat, log) VALUES `+strings.Join(rows, ", ")+`
		ON CONFLICT (id) DO UPDATE SET tat = excluded.tat, log = excluded.log`, values...)
	return err
}

func readStates(ctx context.Context, tx *store.Tx, claims []*claim) (map[string]state, error) {
	states := map[string]state{}
	var ids []any
	for _, c := range claims {
		if _, twice := states[c.id]; !twice {
			states[c.id] = state{}
			ids = append(ids, c.id)
		}
	}
	err := tx.Each(ctx, `SELECT id, tat, log FROM limit_bucket WHERE id IN (`+store.Params(1, len(ids))+`)`,
		func(row store.Scanner) error {
			var id string
			var known state
			var log []byte
			if err := row.Scan(&id, &known.tat, &log); err != nil {
				return err
			}
			known.log = string(log)
			states[id] = known
			return nil
		}, ids...)
	return states, err
}

// sweep removes keys whose limits have been there again for a while and, where there are too many,
// those that are nearest to it.
func (t *table) sweep(now int64) {
	ctx, cancel := context.WithTimeout(context.Background(), t.wait)
	defer cancel()
	err := t.db.UpdateSerial(ctx, turn, func(tx *store.Tx) error {
		if _, err := tx.Exec(ctx, `DELETE FROM limit_bucket WHERE tat < $1`, now-sweepEvery); err != nil {
			return err
		}
		var rows int
		if err := tx.QueryRow(ctx, `SELECT COUNT(*) FROM limit_bucket`).Scan(&rows); err != nil || rows <= t.rows {
			return err
		}
		_, err := tx.Exec(ctx, `DELETE FROM limit_bucket WHERE id IN (SELECT id FROM limit_bucket ORDER BY tat LIMIT $1)`, rows-t.rows)
		return err
	})
	if err != nil {
		t.complain(err, now)
	}
}

func (t *table) isAway(now int64) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return now < t.away && t.away <= now+awayTime+apart
}

// complain leaves the table alone for a while, and says so.
func (t *table) complain(err error, now int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if now < t.away && t.away <= now+awayTime+apart {
		return // somebody has said it
	}
	t.away = now + awayTime
	t.log.Warn("limits cannot be counted in the database; until they can, this node counts by itself, and lets "+
		"nothing pass whose limit is exact", "error", err)
}
