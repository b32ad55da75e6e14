package session

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"frontdesk/internal/infra/store"
)

// Schema is the table of the turns that callers want to be remembered. party is who asked, person
// whom the party said it asks for, conversation the conversation's id: each under a hash that only
// the front desk's secret can make, so that the table names nobody. n counts the turns of a party
// and person. body is the turn, encrypted under the secret. known is 1 where the party showed a
// credential. at is in microseconds.
var Schema = store.Schema{
	ID: "session",
	Steps: []string{`
CREATE TABLE session_turn (
	party        {{bytes}} NOT NULL,
	person       {{bytes}} NOT NULL,
	n            BIGINT NOT NULL,
	conversation {{bytes}} NOT NULL,
	known        BIGINT NOT NULL,
	at           BIGINT NOT NULL,
	body         {{bytes}} NOT NULL,
	PRIMARY KEY (party, person, n)
);
CREATE INDEX session_turn_at ON session_turn (known, at);
CREATE INDEX session_turn_conversation ON session_turn (party, conversation);
`},
}

// MemoryOptions bound what is remembered; every member but Now and Log must be set.
type MemoryOptions struct {
	Secret []byte           // of the front desk
	For    time.Duration    // how long a turn is kept
	Turns  int              // of each party, and of each person that it asks for; the oldest are forgotten first
	All    int              // of all together; those of strangers are forgotten first, the oldest first
	Now    func() time.Time // nil is time.Now
	Log    *slog.Logger     // nil for nobody
}

// Memory keeps turns for those who ask to be remembered. Several processes may share a database.
// Its methods may be called from many goroutines.
type Memory struct {
	db      *store.DB
	options MemoryOptions
	naming  []byte // key under which names are hashed
	sealing seal

	mu   sync.Mutex
	kept int // turns since the last sweep
}

// NewMemory returns the memory in a database that has Schema.
func NewMemory(db *store.DB, options MemoryOptions) (*Memory, error) {
	if options.Now == nil {
		options.Now = time.Now
	}
	if options.Log == nil {
		options.Log = slog.New(slog.DiscardHandler)
	}
	sealing, err := newSeal(options.Secret, "memory")
	if err != nil {
		return nil, err
	}
	return &Memory{db: db, options: options, naming: derive(options.Secret, "names"), sealing: sealing}, nil
}

// Whose says whose memory is meant. Nothing of it is stored as it is.
type Whose struct {
	Party        string // verified id of who asks; empty for a stranger
	Secret       string // of a stranger's conversation, from its state
	Person       string // for whom the party says it asks; empty for itself
	Conversation string // id
}

// Remembers says whether anything can be kept for somebody: a stranger without a secret is nobody.
func (w Whose) Remembers() bool { return w.Party != "" || w.Secret != "" }

func (m *Memory) party(w Whose) []byte {
	if w.Party != "" {
		return m.hash("party", w.Party)
	}
	return m.hash("stranger", w.Secret)
}

func (m *Memory) hash(kind, name string) []byte {
	mac := hmac.New(sha256.New, m.naming)
	fmt.Fprintf(mac, "%s %d %s", kind, len(name), name)
	return mac.Sum(nil)
}

// Keep remembers a turn. It is durable when Keep returns.
func (m *Memory) Keep(ctx context.Context, w Whose, t Turn) error {
	if !w.Remembers() {
		return errors.New("session: keep a turn of nobody")
	}
	plain, err := json.Marshal(t, json.Deterministic(true))
	if err != nil {
		return fmt.Errorf("keep a turn: %w", err)
	}
	party, person, talk := m.party(w), m.hash("person", w.Person), m.hash("conversation", w.Conversation)
	body := m.sealing.close(plain, slices.Concat(party, person, talk))
	now := m.options.Now()
	known := 0
	if w.Party != "" {
		known = 1
	}
	err = m.db.Update(ctx, func(tx *store.Tx) error {
		var last int64
		if err := tx.QueryRow(ctx, `SELECT COALESCE(MAX(n), 0) FROM session_turn WHERE party = $1 AND person = $2`, party, person).Scan(&last); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `INSERT INTO session_turn (party, person, n, conversation, known, at, body) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
			party, person, last+1, talk, known, store.Micros(now), body); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `DELETE FROM session_turn WHERE party = $1 AND person = $2 AND n <= $3`, party, person, last+1-int64(m.options.Turns))
		return err
	})
	if err != nil {
		return fmt.Errorf("keep a turn: %w", err)
	}
	m.mu.Lock()
	m.kept++
	full := m.kept > max(1, m.options.All/10)
	m.mu.Unlock()
	if full {
		m.Sweep(ctx)
	}
	return nil
}

// Recall gives what is remembered for somebody, oldest first: the turns of the conversation, and
// what was told of the person in any.
func (m *Memory) Recall(ctx context.Context, w Whose) (turns []Turn, about []string, err error) {
	if !w.Remembers() {
		return nil, nil, nil
	}
	party, person, talk := m.party(w), m.hash("person", w.Person), m.hash("conversation", w.Conversation)
	oldest := store.Micros(m.options.Now().Add(-m.options.For))
	err = m.db.View(ctx, func(tx *store.Tx) error {
		turns, about = nil, nil
		return tx.Each(ctx, `SELECT conversation, body FROM session_turn WHERE party = $1 AND person = $2 AND at > $3 ORDER BY n`,
			func(row store.Scanner) error {
				var of, body []byte
				if err := row.Scan(&of, &body); err != nil {
					return err
				}
				t, ok := m.open(body, slices.Concat(party, person, of))
				if !ok {
					return nil // of a secret that is no more
				}
				for _, said := range t.About {
					about = slices.DeleteFunc(about, func(before string) bool { return before == said })
					about = append(about, said)
				}
				if hmac.Equal(of, talk) {
					turns = append(turns, t)
				}
				return nil
			}, party, person, oldest)
	})
	if err != nil {
		return nil, nil, fmt.Errorf("recall a conversation: %w", err)
	}
	return turns[max(0, len(turns)-MaxTurns):], about[max(0, len(about)-maxAbout):], nil
}

// maxAbout is how much that was told of a person is recalled, and MaxAbout how much of it one turn
// keeps.
const (
	maxAbout = 20
	MaxAbout = 5
)

func (m *Memory) open(body, where []byte) (t Turn, ok bool) {
	plain, ok := m.sealing.open(body, where)
	return t, ok && json.Unmarshal(plain, &t) == nil
}

// Forget forgets a conversation of a party, whomever it was for, or of a stranger who knows its
// secret.
func (m *Memory) Forget(ctx context.Context, w Whose) error {
	if !w.Remembers() {
		return nil
	}
	err := m.db.Update(ctx, func(tx *store.Tx) error {
		_, err := tx.Exec(ctx, `DELETE FROM session_turn WHERE party = $1 AND conversation = $2`, m.party(w), m.hash("conversation", w.Conversation))
		return err
	})
	if err != nil {
		return fmt.Errorf("forget a conversation: %w", err)
	}
	return nil
}

// sweepEvery is how often Follow sweeps.
const sweepEvery = 10 * time.Minute

// Follow sweeps now and then, until ctx ends.
func (m *Memory) Follow(ctx context.Context) {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		m.Sweep(ctx)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Sweep removes what is too old, and what is too much. That it could not is logged: what is too old
// is not recalled.
func (m *Memory) Sweep(ctx context.Context) {
	m.mu.Lock()
	m.kept = 0
	m.mu.Unlock()
	oldest := store.Micros(m.options.Now().Add(-m.options.For))
	err := m.db.UpdateSerial(ctx, "session", func(tx *store.Tx) error {
		if _, err := tx.Exec(ctx, `DELETE FROM session_turn WHERE at <= $1`, oldest); err != nil {
			return err
		}
		var all int64
		if err := tx.QueryRow(ctx, `SELECT COUNT(*) FROM session_turn`).Scan(&all); err != nil {
			return err
		}
		for _, known := range []int{0, 1} {
			over := all - int64(m.options.All)
			if over <= 0 {
				return nil
			}
			n, err := tx.Exec(ctx, `DELETE FROM session_turn WHERE known = $1 AND at <= (SELECT MAX(at) FROM (SELECT at FROM session_turn WHERE known = $1 ORDER BY at LIMIT $2) AS oldest)`, known, over)
			if err != nil {
				return err
			}
			all -= n
		}
		return nil
	})
	if err != nil && ctx.Err() == nil {
		m.options.Log.Warn("what is too old to be remembered could not be removed; "+
			"it is not recalled, and removed later", "error", err)
	}
}
