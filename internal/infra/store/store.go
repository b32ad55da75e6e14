// Package store opens the database, SQLite in one file or PostgreSQL 15 and newer, and runs
// transactions in it: View on a consistent snapshot, Update serializable and durable when it
// returns. The same SQL text works, and behaves the same, on both engines.
//
// It owns the files and connections, migrations, and the copy of a whole database (Dump, Load). It
// must not know what the tables mean: the package that owns some declares them as a Schema, beside
// the SQL that uses them. Enter at Open, then DB.View and DB.Update.
//
// The tables of an owner begin with the ID of its Schema:
//
//	frontdesk_            this package: versions of schemas, the backup that was loaded, and the
//	                      probe of DB.Failing
//	content_, vector_     content, content/vector
//	ledger_               ledger
//	trust_, login_, platform_, delivery_, answer_, edge_    identity
//	requester_, caller_   identity/requesters
//	excerpt_              excerpts/grants
//	submission_, vault_   intake/vault; vault_ in a database of its own
//	session_, promise_    ask/session
//	question_, tuning_    ask/questions, ask/tuning
//	deal_                 licensing/transactions
//	account_, delegation_ licensing/accounts and its counts
//	dispute_, evidence_, measure_    licensing/disputes, its accesslog and enforcement
//	supply_               licensing/catalog/push
//	traffic_              licensing/delivery/botstats
//	broker_, buyer_       licensing/broker, licensing/buyer; buyer_ in a database of its own
//	stated_, rulebook_    policy/imported, policy/overrides
//	limit_, outbox_, spend_    infra/ratelimit, infra/outbox, infra/llm
//
// SQL is written once for both engines:
//   - parameters are $1, $2, ... and first appear in ascending order (the SQLite driver binds by
//     order of first appearance; a test scans every string for it);
//   - numbers are BIGINT, times integer microseconds (Micros) that are read into a
//     time.Time, JSON text or bytes;
//   - where the engines' DDL differs, a migration uses a token, see Schema.
package store

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"
)

// Config says which database to open and which tables it holds.
type Config struct {
	// DSN is "sqlite:/path/file.db", a plain path, or
	// "postgres://user:password@host:5432/database".
	DSN string
	// Schemas are the tables of every package that has some, migrated in this order.
	Schemas []Schema
	// Log hears of migrations; nil for none.
	Log *slog.Logger
	// Readers is the number of connections for Views (and, on PostgreSQL, for everything); 0 for a
	// default.
	Readers int
	// Shred has SQLite overwrite what is deleted, and keep no log beside its file but while it
	// commits: as soon as an Update returns, nothing of what it deleted is in any file. It costs
	// more writes to the disk. (PostgreSQL reclaims what is deleted in its own time.)
	Shred bool
	// Exclusive refuses a database that has tables of other schemas than these, and leaves
	// it as it is.
	Exclusive bool
	// Files names the layer by which SQLite reads and writes its files, as it was registered with
	// the driver; empty for the operating system's. Tests put one there that loses what was not
	// synced.
	Files string

	anyLog bool // a log may be damaged: all is replaced
}

// DB is an open database. It may be used from many goroutines.
type DB struct {
	engine engine
	log    *slog.Logger
	closed atomic.Bool
	health health
}

// engine is what SQLite and PostgreSQL each do in their own way. All methods may be called
// concurrently. update returns nil only when the transaction is durable.
type engine interface {
	name() string
	view(ctx context.Context, fn func(*Tx) error) error
	update(ctx context.Context, fn func(*Tx) error) error
	updateSerial(ctx context.Context, turn string, fn func(*Tx) error) error
	updateBatched(ctx context.Context, locks []string, fn func(*Tx) error) error
	// migrate runs fn in a transaction that no other process's migrate overlaps, and that sees what
	// the one before has written.
	migrate(ctx context.Context, fn func(*Tx) error) error
	analyze(ctx context.Context, tables []string) error
	// severity is what an error of the others says of the database; reading says that it is of a
	// view.
	severity(err error, reading bool) severity
	ping(ctx context.Context) error
	close() error
}

// The names of the engines, as Engine gives them.
const (
	SQLite     = "sqlite"
	PostgreSQL = "postgres"
)

// ErrClosed is the error of every method after Close.
var ErrClosed = errors.New("the database is closed")

// Open opens the database, creating an SQLite file (and its directory) that does not exist, and
// migrates it forward. A database that a newer frontdesk has written is refused, and one whose log
// has lost what was committed (ErrDamagedLog). Errors say what to do, and hold no password.
func Open(ctx context.Context, config Config) (*DB, error) {
	db, address, err := connect(ctx, config)
	if err != nil {
		return nil, err
	}
	if err := db.migrate(ctx, config.Schemas, config.Exclusive); err != nil {
		return nil, errors.Join(address.named(err), db.engine.close())
	}
	return db, nil
}

// connect opens the database as it is.
func connect(ctx context.Context, config Config) (*DB, address, error) {
	log := config.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	address, err := parseDSN(config.DSN)
	if err != nil {
		return nil, address, err
	}
	var e engine
	if address.engine == SQLite {
		e, err = openSQLite(ctx, address.path, config)
	} else {
		e, err = openPostgres(ctx, address, config.Readers)
	}
	db := &DB{engine: e, log: log}
	db.health.ctx, db.health.stop = context.WithCancel(context.Background())
	return db, address, err
}

// named puts the database's name before an error that does not say it.
func (a address) named(err error) error {
	if strings.Contains(err.Error(), a.String()) {
		return err
	}
	return fmt.Errorf("%s: %w", a, err)
}

// Close waits for the Update under way and closes the database. Waiting Updates get ErrClosed.
func (db *DB) Close() error {
	if db.closed.Swap(true) {
		return nil
	}
	db.health.close()
	return db.engine.close()
}

// Engine is SQLite or PostgreSQL.
func (db *DB) Engine() string { return db.engine.name() }

// Commits is how often an SQLite database was written to the disk since it was opened, which
// several Updates share. It is 0 on PostgreSQL, where the server knows.
func (db *DB) Commits() int64 {
	if e, ok := db.engine.(*sqliteEngine); ok {
		return e.writer.commits.Load()
	}
	return 0
}

// Pages is how many pages of 4,096 bytes were written to an SQLite database's log since it was
// opened; 0 on PostgreSQL.
func (db *DB) Pages() int64 {
	if e, ok := db.engine.(*sqliteEngine); ok {
		return e.writer.pages.Load()
	}
	return 0
}

// Ping says whether the database answers.
func (db *DB) Ping(ctx context.Context) error {
	if db.closed.Load() {
		return ErrClosed
	}
	return db.noteOutage(ctx, true, db.engine.ping(ctx))
}

// View runs fn on a consistent snapshot. Writes in fn are errors.
func (db *DB) View(ctx context.Context, fn func(*Tx) error) error {
	if db.closed.Load() {
		return ErrClosed
	}
	return db.noteOutage(ctx, true, db.engine.view(ctx, fn))
}

// Update runs fn in a serializable transaction and returns nil when it is committed and durable. An
// error from fn undoes everything that fn wrote; so does a statement that failed, even if fn went
// on regardless. A panic in fn undoes it too, and goes on in the caller.
//
// fn may run more than once: what it keeps outside the transaction it must set anew each time. It
// must not call Update, whose turn would never come. When ctx ends while Update waits for its turn,
// it returns at once and fn is not run; when it ends while fn runs, the next statement fails.
//
// On SQLite one writer runs the transactions one after another and commits several with one write
// to the disk, so many small Updates at once are cheap. On PostgreSQL they run side by side, and
// those that collide are repeated.
//
// Where the database cannot be used, the error of this and of all that follow is an [Outage], and
// [DB.Failing] tells.
func (db *DB) Update(ctx context.Context, fn func(*Tx) error) error {
	if db.closed.Load() {
		return ErrClosed
	}
	return db.noteOutage(ctx, false, db.engine.update(ctx, fn))
}

// UpdateSerial is Update for rows that every process changes all the time, such as a counter.
// Transactions of the same turn run one after another, whatever process they are of, and each sees
// what the one before has written, so that none is repeated; what fn reads must be written by
// transactions of that turn alone. fn must not call it again.
func (db *DB) UpdateSerial(ctx context.Context, turn string, fn func(*Tx) error) error {
	if db.closed.Load() {
		return ErrClosed
	}
	return db.noteOutage(ctx, false, db.engine.updateSerial(ctx, turn, fn))
}

// UpdateBatched is Update for transactions that change the same rows all the time, such as those
// that draw on accounts. Locks are names of what it changes, such as that of an account.
// Transactions that have a lock in common run one after another, whatever process they are of, and
// each sees what the one before has written; those of one process that have the same locks share a
// commit while others wait. Those that have none in common do not wait for each other. fn may run
// again because of others who share the commit; where it fails, what it read need never have been
// committed.
//
// On PostgreSQL it is not serializable beside others, but repeatable read: two that write the same
// row collide, and are repeated, whether or not they have locks. Two that read what the other
// writes, and write something else, do not: they need a lock in common.
func (db *DB) UpdateBatched(ctx context.Context, locks []string, fn func(*Tx) error) error {
	if db.closed.Load() {
		return ErrClosed
	}
	return db.noteOutage(ctx, false, db.engine.updateBatched(ctx, locks, fn))
}

// Collisions is how often PostgreSQL broke a transaction off for the sake of another since the
// database was opened, so that it was run again: by "conflict" over a row, "deadlock", "locked" for
// who waited long, and "idle" for who did nothing meanwhile. SQLite has none.
func (db *DB) Collisions() map[string]int64 {
	e, ok := db.engine.(*postgresEngine)
	if !ok {
		return nil
	}
	c := &e.collisions
	return map[string]int64{"conflict": c.conflict.Load(), "deadlock": c.deadlock.Load(), "locked": c.locked.Load(),
		"idle": c.idle.Load()}
}

// Analyze updates the engine's statistics of tables that changed a great deal, so that it plans the
// next queries for what they hold now. It is for after bulk work, and changes no results.
func (db *DB) Analyze(ctx context.Context, tables ...string) error {
	if db.closed.Load() {
		return ErrClosed
	}
	return db.engine.analyze(ctx, tables)
}

// Micros converts a time to the database's form: microseconds since 1970 in UTC, 0 for the zero
// time.
func Micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

// Flag is how a truth value is stored: 1 or 0.
func Flag(is bool) int64 {
	if is {
		return 1
	}
	return 0
}

// FromMicros converts a time from the database's form.
func FromMicros(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.UnixMicro(n).UTC()
}

// micros is a time that a column is read into.
type micros time.Time

// Scan implements sql.Scanner.
func (m *micros) Scan(value any) error {
	var n int64
	if err := assign(&n, value); err != nil {
		return err
	}
	*m = micros(FromMicros(n))
	return nil
}

// perform runs fn and says what became of it: fn's error, or that of a statement whose failure fn
// passed over. PostgreSQL cannot commit after a failed statement and SQLite could; so that both
// behave alike, neither does.
func perform(tx *Tx, fn func(*Tx) error) error {
	defer tx.end()
	err := fn(tx)
	if err == nil {
		err = tx.failed
	}
	if err == nil {
		err = tx.flush(tx.leftBy)
	}
	return err
}
