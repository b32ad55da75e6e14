// Package ledger is an append-only Merkle log in the same database as everything else, so that
// nobody can change later what happened without being found out. A fact is appended in the
// transaction that makes it true: neither is there without the other.
//
// An entry is durable with its transaction, and has no index yet. The sequencer assigns it: it
// hashes the new leaves, writes the tiles of the tree and signs a checkpoint. SQLite has one
// writer, so that happens in the same commit. On PostgreSQL any node does it right afterwards, one
// at a time, within a second. The sequencer compares what it built on with what is stored when it
// writes. If two build on one checkpoint, one of them fails and starts again, so there is only ever
// one history.
//
// The package owns the tables below. It must not know what an entry means: kinds and bodies belong
// to the services. Formats, and how strangers verify them, are in wire/receipt. Enter by [New],
// [Ledger.Append] and [Ledger.Read].
//
//	ledger_entry    one row for each entry: its index, counted from 1, and its leaf
//	ledger_pending  entries that have no index yet (PostgreSQL only)
//	ledger_tile     the hashes of the tree, 16 in a row; the last row of each level grows
//	ledger_head     one row: the ledger's name and its latest checkpoint
//	ledger_state    what AppendChange recorded last, and Resume
package ledger

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/mod/sumdb/note"

	"frontdesk/internal/infra/store"
	"frontdesk/wire/receipt"
)

// Schema is the tables of this package. The place of an entry is its index in the tree plus 1,
// which SQLite gives by itself. tag is the first half of the entry's id: most of the time it finds
// one row. A tile of the tree is 16 rows of ledger_tile, of which only the last is written again
// when an entry comes.
var Schema = store.Schema{
	ID: "ledger",
	Steps: []string{`
CREATE TABLE ledger_entry (
	place {{key}},
	tag   BIGINT NOT NULL,
	leaf  {{bytes}} NOT NULL
);
CREATE INDEX ledger_entry_tag ON ledger_entry (tag);
CREATE TABLE ledger_pending (
	id    {{text}} NOT NULL PRIMARY KEY,
	tag   BIGINT NOT NULL,
	leaf  {{bytes}} NOT NULL
);
CREATE TABLE ledger_tile (
	level  BIGINT NOT NULL,
	n      BIGINT NOT NULL,
	hashes {{bytes}} NOT NULL,
	PRIMARY KEY (level, n)
);
CREATE TABLE ledger_head (
	origin     TEXT NOT NULL PRIMARY KEY,
	size       BIGINT NOT NULL,
	checkpoint TEXT NOT NULL,
	signed     BIGINT NOT NULL
);
`, `
CREATE TABLE ledger_state (
	slot  {{text}} NOT NULL PRIMARY KEY,
	value TEXT NOT NULL
);
`, `
ALTER TABLE ledger_tile RENAME TO ledger_tile_wide;
CREATE TABLE ledger_tile (
	level  BIGINT NOT NULL,
	n      BIGINT NOT NULL,
	hashes {{bytes}} NOT NULL,
	PRIMARY KEY (level, n)
) {{clustered}};
INSERT INTO ledger_tile (level, n, hashes) SELECT w.level, 16 * w.n + p.k, SUBSTR(w.hashes, 512 * p.k + 1, 512) FROM ledger_tile_wide w
	JOIN (SELECT 0 AS k UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6
		UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9 UNION ALL SELECT 10 UNION ALL SELECT 11 UNION ALL SELECT 12 UNION ALL SELECT 13
		UNION ALL SELECT 14 UNION ALL SELECT 15) p ON LENGTH(w.hashes) > 512 * p.k ORDER BY 1, 2;
DROP TABLE ledger_tile_wide;
`, verifiedTable},
}

// Options are the settings of a [Ledger].
type Options struct {
	// Origin names a new ledger, see receipt.CheckOrigin. One that is there keeps its name.
	Origin string
	// Signers gives what signs the checkpoints of a ledger of that name, now: during the change
	// from one key to the next both. Where there are none, or Signers is nil, entries are appended
	// and wait for a process that can sign.
	Signers func(origin string) []note.Signer
	// Keys gives the public keys that have ever signed.
	Keys func() receipt.Keys
	// SaveCheckpoint is given the latest checkpoint from time to time, and before it leaves the
	// process, to be kept outside the database; Recall gives the last one that was kept, or
	// nothing. By it a database is known that is older than what was signed from it. Either may be
	// nil.
	SaveCheckpoint func(checkpoint string) error
	LoadCheckpoint func() (checkpoint string, err error)
	// Now is the clock; nil is time.Now.
	Now func() time.Time
	// Log hears what the sequencer cannot do; nil for none.
	Log *slog.Logger
}

// Ledger is the ledger of one database. Several may be open on the same database, in one process or
// in many.
type Ledger struct {
	db      *store.DB
	options Options
	now     func() time.Time
	log     *slog.Logger
	wake    chan struct{} // to the sequencer: there is something

	mu     sync.Mutex
	edge   *receipt.Edge // of the tree of latest; nil when it has to be read
	latest head          // that this process has written last
	known  known
	ahead  ahead

	saving sync.Mutex           // of those who keep and vouch; before mu
	saved  atomic.Pointer[head] // the checkpoint that Options.Keep has by all we know

	verifying verifying

	checkedAt sync.Mutex
	news      chan struct{} // closed when there are new entries

	fault func(step string) error // in tests: what befalls a step, by its name; nil for nothing
}

// New returns the ledger of a database with [Schema]. It reads nothing yet: see Inspect.
func New(db *store.DB, options Options) *Ledger {
	l := &Ledger{db: db, options: options, now: options.Now, log: options.Log, wake: make(chan struct{}, 1),
		news: make(chan struct{})}
	if l.now == nil {
		l.now = time.Now
	}
	if l.log == nil {
		l.log = slog.New(slog.DiscardHandler)
	}
	return l
}

// Append writes an entry, in the caller's transaction, and gives its id. Of the entry it sets V and
// ID, and Time where there is none. The entry is there when the transaction is, and Receipt gives
// its receipt as soon as it is sequenced.
func (l *Ledger) Append(ctx context.Context, tx *store.Tx, e receipt.Entry) (id string, err error) {
	id, tag, leaf, err := l.prepare(e)
	if err != nil {
		return "", err
	}
	if err := l.injectFault("append"); err != nil {
		return "", err
	}
	if l.direct() {
		l.signAhead(leaf)
		err = tx.ExecOne(ctx, `INSERT INTO ledger_entry (tag, leaf) VALUES ($1, $2)`, tag, leaf)
	} else {
		err = tx.ExecOne(ctx, `INSERT INTO ledger_pending (id, tag, leaf) VALUES ($1, $2, $3)`, id, tag, leaf)
	}
	if err != nil {
		return "", err
	}
	l.follow(tx)
	return id, l.injectFault("append done")
}

// AppendChange appends an entry if the state of something is not the one that was recorded last,
// whoever recorded it. It says whether it did.
func (l *Ledger) AppendChange(ctx context.Context, tx *store.Tx, slot, state string, e receipt.Entry) (bool, error) {
	last, err := readState(ctx, tx, slot)
	if err != nil || last == state {
		return false, err
	}
	if err := setState(ctx, tx, slot, state); err != nil {
		return false, err
	}
	_, err = l.Append(ctx, tx, e)
	return true, err
}

// AppendAll is Append for many entries at once, which costs less.
func (l *Ledger) AppendAll(ctx context.Context, tx *store.Tx, entries []receipt.Entry) (ids []string, err error) {
	made, stop := l.prepareAll(entries)
	defer stop()
	table, columns, first := "ledger_pending", []string{"id", "tag", "leaf"}, 0
	if l.direct() {
		table, columns, first = "ledger_entry", columns[1:], 1
	}
	ids = make([]string, 0, len(entries))
	var refused error
	_, err = tx.BulkInsert(ctx, table, columns, func(yield func([]any) bool) {
		for _, some := range made {
			rows, err := some()
			if err != nil {
				refused = err
				yield(nil) // which no database takes, so that nothing of the transaction stays
				return
			}
			for _, row := range rows {
				ids = append(ids, row[0].(string))
				if !yield(row[first:]) {
					return
				}
			}
		}
	})
	if refused != nil {
		err = refused
	}
	if err != nil {
		return nil, err
	}
	l.follow(tx)
	return ids, nil
}

// prepareAll makes the rows of new entries, id, tag and leaf, some at a time. That is half of the
// work of appending many, and the one writer of SQLite waits for it; so other processors are ahead
// of who inserts what is made. stop ends them.
func (l *Ledger) prepareAll(entries []receipt.Entry) (parts []func() ([][]any, error), stop func()) {
	const share = 32
	for some := range slices.Chunk(entries, share) {
		parts = append(parts, sync.OnceValues(func() ([][]any, error) { return l.prepareSome(some) }))
	}
	var next atomic.Int64
	var helpers sync.WaitGroup
	for range min(len(parts), runtime.GOMAXPROCS(0)) - 1 {
		helpers.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(parts)); i = next.Add(1) - 1 {
				_, _ = parts[i]()
			}
		})
	}
	return parts, func() {
		next.Store(int64(len(parts)))
		helpers.Wait()
	}
}

func (l *Ledger) prepareSome(entries []receipt.Entry) ([][]any, error) {
	rows := make([][]any, len(entries))
	for i, e := range entries {
		id, tag, leaf, err := l.prepare(e)
		if err != nil {
			return nil, err
		}
		rows[i] = []any{id, tag, leaf}
	}
	return rows, nil
}

// direct says whether an entry has its place from the beginning. On SQLite one transaction writes
// at a time, so that the next free place is known (and half of the writing is saved); on PostgreSQL
// many write side by side, and nobody knows in which order they commit.
func (l *Ledger) direct() bool { return l.db.Engine() == store.SQLite }

// follow has the sequencer work after what a transaction appends.
func (l *Ledger) follow(tx *store.Tx) {
	switch {
	case !l.direct():
		tx.AfterCommit(l.rouse)
	default:
		tx.BeforeCommit("ledger", l.sequenceWithin)
		tx.AfterCommit(l.announce)
	}
}

// prepare makes the leaf of a new entry.
func (l *Ledger) prepare(e receipt.Entry) (id string, tag int64, leaf []byte, err error) {
	if e.ID != "" || e.V != 0 {
		return "", 0, nil, errors.New("a ledger entry gets its id and its version from the ledger")
	}
	now := l.now().UTC().Truncate(time.Microsecond)
	if e.Time.IsZero() {
		e.Time = now
	}
	e.Time = e.Time.Truncate(time.Microsecond)
	e.V, e.ID = receipt.Version, newID(now)
	if leaf, err = e.Leaf(); err != nil {
		return "", 0, nil, err
	}
	if err := checkMemberNames(leaf); err != nil {
		return "", 0, nil, err
	}
	tag, err = tagOf(e.ID)
	return e.ID, tag, leaf, err
}

// newID makes a UUID of version 7 (RFC 9562 §5.7): the millisecond, its fraction in 12 bits (§6.2,
// method 3), and 62 random bits.
func newID(now time.Time) string {
	var id [16]byte
	rand.Read(id[8:])
	micros := now.UnixMicro()
	fraction := uint64(micros%1000) * 4096 / 1000
	binary.BigEndian.PutUint64(id[:], uint64(micros/1000)<<16|7<<12|fraction)
	id[8] = id[8]&0x3f | 0x80
	text := make([]byte, 0, 36)
	for i, to := range []int{4, 6, 8, 10, 16} {
		if i > 0 {
			text = append(text, '-')
		}
		text = hex.AppendEncode(text, id[[]int{0, 4, 6, 8, 10}[i]:to])
	}
	return string(text)
}

// tagOf is the first half of an id, as a number.
func tagOf(id string) (int64, error) {
	if len(id) == 36 {
		if half, err := hex.DecodeString(id[0:8] + id[9:13] + id[14:18]); err == nil {
			return int64(binary.BigEndian.Uint64(half)), nil
		}
	}
	return 0, fmt.Errorf("%.40q is no id of a ledger entry", id)
}

// injectFault is what a test has happen at a step.
func (l *Ledger) injectFault(step string) error {
	if l.fault == nil {
		return nil
	}
	return l.fault(step)
}
