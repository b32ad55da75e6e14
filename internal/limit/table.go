package limit

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"

	"frontdesk/internal/store"
)

// Schema is the table of this room: of each key the time at which its bucket is full again, in nanoseconds since 1970
// because a request may take up less than a microsecond. The key is a hash, so that the table shows no addresses.
var Schema = store.Schema{
	Room: "limit",
	Steps: []string{`
CREATE TABLE limit_bucket (
	id  {{text}} NOT NULL PRIMARY KEY,
	tat BIGINT NOT NULL
);
`},
}

// table counts in the database, together with other nodes. What waits at the same time goes in one transaction, so
// that a node has no more than one at a time, however many requests it has.
//
// A bucket only ever gets emptier by others, so a key that this node knows to be empty until some time is refused
// without asking: those who are over their limit cost the database nothing.
type table struct {
	db    *store.DB
	known *memory // what the table said of each key, at the least
	alone *memory // counts while the table cannot be reached
	log   *slog.Logger
	mu    sync.Mutex
	queue []*claim
	busy  bool
	away  int64 // until then the table is not asked, because it did not answer
	swept int64
}

// claim is a request that waits for the table's answer.
type claim struct {
	key  string
	id   string
	rate Rate
	cost int
	now  int64

	tat    int64
	status Status
	done   chan error
}

const (
	// tableTime is how long the table may take. A limiter must not hold up what it is to protect.
	tableTime = time.Second
	// batch is how many requests go in one transaction.
	batch = 256
	// awayTime is how long a table that did not answer is left alone, in nanoseconds.
	awayTime = int64(5 * time.Second)
	// turn is that of all transactions which write the table.
	turn = "limit"
	// sweepEvery is how often a node removes keys whose buckets are full, in nanoseconds.
	sweepEvery = int64(time.Minute)
)

func newTable(db *store.DB, known *memory, log *slog.Logger) *table {
	return &table{db: db, known: known, alone: newMemory(known.most * len(known.shards)), log: log}
}

func (t *table) take(ctx context.Context, key string, rate Rate, cost int, now int64) Status {
	if status := t.known.look(key, rate, cost, now); !status.OK {
		return status
	}
	if t.isAway(now) {
		return t.alone.take(ctx, key, rate, cost, now)
	}
	hash := sha256.Sum256([]byte(key))
	c := &claim{
		key: key, id: base64.RawURLEncoding.EncodeToString(hash[:16]), rate: rate, cost: cost, now: now, done: make(chan error, 1),
	}
	t.enter(c)
	ctx, cancel := context.WithTimeout(ctx, tableTime)
	defer cancel()
	select {
	case err := <-c.done:
		if err == nil {
			t.known.learn(key, c.tat, now)
			return c.status
		}
	case <-ctx.Done(): // too many are before it, or nobody waits for the answer
	}
	return t.alone.take(ctx, key, rate, cost, now)
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

// answer decides on claims in one transaction. Nodes take turns: all of them write the same few rows, those of the
// sites and of who asks most, and would otherwise undo each other's transactions when it matters most.
func (t *table) answer(claims []*claim) {
	ctx, cancel := context.WithTimeout(context.Background(), tableTime)
	defer cancel()
	now, err := claims[len(claims)-1].now, errAway
	if !t.isAway(now) {
		if err = t.db.UpdateInTurn(ctx, turn, func(tx *store.Tx) error { return decide(ctx, tx, claims) }); err != nil {
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

// decide takes each claim's cost from its bucket. It may run more than once.
func decide(ctx context.Context, tx *store.Tx, claims []*claim) error {
	tats, err := readTats(ctx, tx, claims)
	if err != nil {
		return err
	}
	changed := map[string]bool{}
	for _, c := range claims {
		before := tats[c.id]
		c.tat, c.status = c.rate.take(before, c.now, c.cost)
		if tats[c.id] = c.tat; c.tat != max(before, c.now) {
			changed[c.id] = true
		}
	}
	if len(changed) == 0 {
		return nil
	}
	var rows []string
	var values []any
	for id := range changed {
		rows = append(rows, "("+store.Params(len(values)+1, 2)+")")
		values = append(values, id, tats[id])
	}
	_, err = tx.Exec(ctx, `INSERT INTO limit_bucket (id, tat) VALUES `+strings.Join(rows, ", ")+` ON CONFLICT (id) DO UPDATE SET tat = excluded.tat`, values...)
	return err
}

func readTats(ctx context.Context, tx *store.Tx, claims []*claim) (map[string]int64, error) {
	tats := map[string]int64{}
	var ids []any
	for _, c := range claims {
		if _, twice := tats[c.id]; !twice {
			tats[c.id] = 0
			ids = append(ids, c.id)
		}
	}
	rows, err := tx.Query(ctx, `SELECT id, tat FROM limit_bucket WHERE id IN (`+store.Params(1, len(ids))+`)`, ids...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var id string
		var tat int64
		if err := rows.Scan(&id, &tat); err != nil {
			return nil, err
		}
		tats[id] = tat
	}
	return tats, rows.Err()
}

// sweep removes keys whose buckets have been full for a while.
func (t *table) sweep(now int64) {
	ctx, cancel := context.WithTimeout(context.Background(), tableTime)
	defer cancel()
	err := t.db.UpdateInTurn(ctx, turn, func(tx *store.Tx) error {
		_, err := tx.Exec(ctx, `DELETE FROM limit_bucket WHERE tat < $1`, now-sweepEvery)
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
	t.log.Warn("the nodes' common limits cannot be counted in the database; this node counts by itself until they can", "error", err)
}
