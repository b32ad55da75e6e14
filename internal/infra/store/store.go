// Package store is the database under every room that keeps something: SQLite in one file, or PostgreSQL 15 and
// newer, with the same SQL text and the same behaviour on both. Work is done in closures: View gets a consistent
// snapshot, Update a serializable transaction whose success means that it is on the disk.
//
// It stands at the bottom of the house: it imports no other room. The SQL lives with its owner, and so do the
// tables; a room hands its migrations over as a Schema. Tables and their owners:
//
//	frontdesk_schema   store     the version of each room's tables
//	frontdesk_loaded   store     which backup was loaded last, if any
//	frontdesk_lane     store     nothing: on PostgreSQL it is locked, see DB.UpdateBatched
//	frontdesk_probe    store     when a database that failed was last tried, see DB.Failing
//	content_source     content   one row for each source of each site: what is published, who fills it, how it went
//	content_version    content   one small row for each version of an item: from which revision, until which
//	content_item       content   what a version holds: the fields, the passages and the object
//	content_page       content   what a run over the web remembers of a page for the next
//	content_revision   content   when readers first saw a revision
//	trust_key          trust     the API keys that the owner gave out, as hashes
//	login_session      trust     who is logged in to the console
//	platform_key       trust     the keys of platforms, sealed
//	platform_nonce     trust     what they have used up
//	requester_party    trust     who may ask the Exchange, with which keys
//	requester_former_key trust     which keys a requester's domain had before
//	requester_revoked  trust     the tokens of delegations that are taken no more
//	requester_version  trust     how often these were changed
//	delivery_key       trust     the keys that sign addresses at CDNs, sealed
//	answer_token       trust     the challenges of domains that are answered
//	ledger_entry       ledger    what happened, one row for each fact, in its place
//	ledger_pending     ledger    what has no place yet
//	ledger_tile        ledger    the hashes of the tree over all entries
//	ledger_head        ledger    the signed checkpoint of the tree
//	ledger_state       ledger    the state of what is recorded when it changes
//	excerpt_request    excerpt   one row for each request of a platform: what came of it, and which passages were given
//	excerpt_session    excerpt   how much of each item a platform's session, and all its sessions together, have seen
//	excerpt_event      excerpt   the events that platforms reported
//	submission_record  submission  one row for each submission of an agent: ids and times, and sealed what was submitted and offered
//	submission_bind    submission  one row for each offer that was bound, with what it was bound with sealed
//	submission_work    submission  who erases what is due
//	deal_offer         deal      one row for each offer of RAMP: for what, to whom and for how much, as it was signed
//	deal_request       deal      one row for each request of a buyer to buy
//	deal_transaction   deal      one row for each purchase
//	deal_delivery      deal      one row for each answer with content that was licensed
//	deal_refusal       deal      why addresses of purchases were refused
//	deal_event         deal      which entries of the ledger tell of each transaction
//	delegation_count   delegation what was counted under a block of a token
//	delegation_use     delegation what each purchase was counted as
//	dispute_case       dispute   what buyers dispute: one row for each, and where it stands
//	dispute_step       dispute   how it came there
//	dispute_request    dispute   the requests that filed or appealed
//	dispute_note       dispute   what people noted when they decided
//	evidence_line      evidence  what others logged of deliveries
//	measure_case       measure   each dispute that was counted
//	measure_month      measure   counts of a party's month
//	measure_taken      measure   the measures that were taken
//	measure_day        measure   how many purchases contradict their records, by day and site
//	measure_cursor     measure   how far was counted
//	measure_reconciled measure   until when purchases were held against their records
//	edge_key           trust     the keys with which edges tell what they delivered, sealed
//	traffic_day        traffic   how often edges saw each agent, by the day
//	traffic_path       traffic   where they saw it, by the day
//	traffic_batch      traffic   what was counted already
//	vault_key          submission  the keys of what is sealed; in a database of its own
//	limit_bucket       limit     how much of a limit is used up that nodes share or an intake declares
//	outbox_effect      outbox    what is still to be done outside
//	session_turn       session   what callers wanted to be remembered, encrypted
//	promise_job        session   one row for each promise: the question, and how far the work on it is
//	promise_answer     session   what came of it
//	spend_day          spend     what the language model took of a day
//	buyer_purchase     buyer     what an assistant bought for a person; in a database of its own
//	vector_text        vector    the vector of each text
//	vector_work        vector    who makes vectors
//	vector_source      vector    how the vectors of each source stand
//	account_balance    account   what stands on the account of each buyer in each currency
//	account_journal    account   every movement of it
//	account_revenue    account   what sites earned, by day and buyer
//	account_hold       account   one row for each purchase: what was authorised and charged
//	account_meter      account   for how long what is live was used
//	account_licence    account   licences and subscriptions
//	account_quota      account   the quotas of subscriptions
//	broker_request     broker    what is bought for agents, and what they were answered
//	broker_sale        broker    where each transaction was made
//	broker_budget      broker    what is spent and held of budgets
//	broker_exchange    broker    how Exchanges kept to their offers
//	deal_via           deal      through whom the offers of transactions were asked for
//	rulebook_rule      rulebook  the content rules of an operator's programs
//	rulebook_price     rulebook  what licensed items of a site cost where no rule says so
//	rulebook_version   rulebook  how often these were changed
//	supply_tenant      supply    for whom is sold beside the sites
//	supply_domain      supply    whose each domain is
//	supply_shelf       supply    how often something was pushed for each tenant
//	supply_entry       supply    what was pushed
//	supply_pattern     supply    which of these have a star in their address
//	supply_attested    supply    what providers attested of their own addresses
//	supply_challenge   supply    the challenges of domains
//	supply_verified    supply    which domains are verified
//	supply_version     supply    how often tenants were changed
//	stated_site        stated    when what a site states was read, and how that went
//	stated_part        stated    what it states
//	supply_rejection   supply    what was refused of that
//	caller_party       trust     who may push, with which keys
//	caller_version     trust     how often these were changed
//
// SQL is written once for both engines:
//   - parameters are $1, $2, ... and first appear in ascending order (the SQLite driver binds by order of first
//     appearance; a test scans every string for it);
//   - numbers are BIGINT, times integer microseconds (Micros, FromMicros), JSON text or bytes;
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

// Config says which database to open and what is to be in it.
type Config struct {
	// DSN is "sqlite:/path/file.db", a plain path, or "postgres://user:password@host:5432/database".
	DSN string
	// Schemas are the migrations of every room that owns tables, applied in this order.
	Schemas []Schema
	// Log hears of migrations; nil for none.
	Log *slog.Logger
	// Readers is the number of connections for Views (and, on PostgreSQL, for everything); 0 for a default.
	Readers int
	// Shred has SQLite overwrite what is deleted, and keep no log beside its file but while it commits: as soon as an Update
	// returns, nothing of what it deleted is in any file. It costs more writes to the disk. (PostgreSQL reclaims what is
	// deleted in its own time.)
	Shred bool
	// Exclusive refuses a database that has tables of other rooms than those of Schemas, and leaves it as it is.
	Exclusive bool
	// Files names the layer by which SQLite reads and writes its files, as it was registered with the driver; empty for the
	// operating system's. Tests put one there that loses what was not synced.
	Files string

	anyLog bool // a log may be damaged: all is replaced
}

// DB is an open database. Its methods may be called from several goroutines.
type DB struct {
	engine engine
	log    *slog.Logger
	closed atomic.Bool
	health health
}

// engine is what SQLite and PostgreSQL each do in their own way. All methods may be called concurrently. update
// returns nil only when the transaction is durable.
type engine interface {
	name() string
	view(ctx context.Context, fn func(*Tx) error) error
	update(ctx context.Context, fn func(*Tx) error) error
	updateSerial(ctx context.Context, turn string, fn func(*Tx) error) error
	updateBatched(ctx context.Context, fn func(*Tx) error) error
	// migrate runs fn in a transaction that no other process's migrate overlaps, and that sees what the one
	// before has written.
	migrate(ctx context.Context, fn func(*Tx) error) error
	analyze(ctx context.Context, tables []string) error
	// severity is what an error of the others says of the database; reading says that it is of a view.
	severity(err error, reading bool) severity
	ping(ctx context.Context) error
	close() error
}

// The names of the engines, as Engine gives them.
const (
	SQLite     = "sqlite"
	PostgreSQL = "postgres"
)

// ErrClosed is returned by everything that is asked of a DB after Close.
var ErrClosed = errors.New("the database is closed")

// Open opens the database, creating an SQLite file (and its directory) that does not exist, and migrates it
// forward. A database that a newer frontdesk has written is refused, and one whose log has lost what was committed (ErrDamagedLog). Errors
// say what to do, and hold no password.
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

// Close waits for the Update that is under way and closes the database. Updates that wait get ErrClosed.
func (db *DB) Close() error {
	if db.closed.Swap(true) {
		return nil
	}
	db.health.close()
	return db.engine.close()
}

// Engine is SQLite or PostgreSQL.
func (db *DB) Engine() string { return db.engine.name() }

// Commits is how often an SQLite database was written to the disk since it was opened, which several Updates share. It is
// 0 on PostgreSQL, where the server knows.
func (db *DB) Commits() int64 {
	if e, ok := db.engine.(*sqliteEngine); ok {
		return e.writer.commits.Load()
	}
	return 0
}

// Pages is how many pages of 4,096 bytes were written to an SQLite database's log since it was opened; 0 on PostgreSQL.
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

// View runs fn on a consistent snapshot. What fn writes is refused.
func (db *DB) View(ctx context.Context, fn func(*Tx) error) error {
	if db.closed.Load() {
		return ErrClosed
	}
	return db.noteOutage(ctx, true, db.engine.view(ctx, fn))
}

// Update runs fn in a serializable transaction and returns nil when it is committed and durable. An error from fn
// undoes everything that fn wrote; so does a statement that failed, even if fn went on regardless. A panic in fn
// undoes it too, and goes on in the caller.
//
// fn may run more than once: what it keeps outside the transaction it must set anew each time. It must not call
// Update, whose turn would never come. When ctx ends while Update waits for its turn, it returns at once and fn is
// not run; when it ends while fn runs, the next statement fails.
//
// On SQLite one writer runs the transactions one after another and commits several with one write to the disk, so
// many small Updates at once are cheap. On PostgreSQL they run side by side, and those that collide are repeated.
//
// Where the database cannot be used, the error of this and of all that follow is an [Outage], and [DB.Failing] tells.
func (db *DB) Update(ctx context.Context, fn func(*Tx) error) error {
	if db.closed.Load() {
		return ErrClosed
	}
	return db.noteOutage(ctx, false, db.engine.update(ctx, fn))
}

// UpdateSerial is Update for rows that every process changes all the time, such as a counter. Transactions of the same
// turn run one after another, whatever process they are of, and each sees what the one before has written, so that
// none is repeated; what fn reads must be written by transactions of that turn alone. fn must not call it again.
func (db *DB) UpdateSerial(ctx context.Context, turn string, fn func(*Tx) error) error {
	if db.closed.Load() {
		return ErrClosed
	}
	return db.noteOutage(ctx, false, db.engine.updateSerial(ctx, turn, fn))
}

// UpdateBatched is Update for transactions that change the same rows all the time, such as those that draw on accounts. They run one
// after another, in the order in which they came, whatever process they are of, and those of one process share a commit
// while others wait, on PostgreSQL as on SQLite; so none is repeated for another's sake. Beside other Updates they are as
// serializable as any. fn may run again because of others who share the commit; where it fails, what it read need never have been
// committed.
func (db *DB) UpdateBatched(ctx context.Context, fn func(*Tx) error) error {
	if db.closed.Load() {
		return ErrClosed
	}
	return db.noteOutage(ctx, false, db.engine.updateBatched(ctx, fn))
}

// Analyze tells the database that tables have changed a great deal, so that it plans the next queries for what is there
// now. It is for after bulk work, and changes no results.
func (db *DB) Analyze(ctx context.Context, tables ...string) error {
	if db.closed.Load() {
		return ErrClosed
	}
	return db.engine.analyze(ctx, tables)
}

// Micros is a time as the database keeps it: microseconds since 1970 in UTC, 0 for the zero time.
func Micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

// FromMicros is the time that Micros made the number of.
func FromMicros(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.UnixMicro(n).UTC()
}

// perform runs fn and says what became of it: fn's error, or that of a statement whose failure fn passed over.
// PostgreSQL cannot commit after a failed statement and SQLite could; so that both behave alike, neither does.
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
