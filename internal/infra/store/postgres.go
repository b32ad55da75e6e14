package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

// postgresEngine is a pool of connections to a PostgreSQL server. Updates run side by side under
// serializable isolation; the server breaks off those whose outcome would depend on their order,
// and they are run again.
type postgresEngine struct {
	address  address
	pool     *sql.DB
	attempts int
	idle     time.Duration // see longestIdle
	gather   time.Duration // see gatherTime
	batches  *batchLines
	// collisions counts how often the server broke a transaction off for the sake of another.
	collisions collisions
}

const (
	oldestPostgres = 15

	// An Update that collides is run again, at most maxAttempts times and with longer and longer
	// pauses between. With these, hundreds of callers that all change the same row are through
	// before the last gives up.
	maxAttempts = 40
	firstPause  = time.Millisecond
	longPause   = 100 * time.Millisecond

	// migrationLock is the key of the advisory lock under which tables are made ("frontdsk" in
	// ASCII).
	migrationLock = 0x66726f6e7464736b
)

func openPostgres(ctx context.Context, at address, connections int) (engine, error) {
	config, err := pgx.ParseConfig(at.dsn)
	if err != nil {
		// The text of this error may hold the password.
		return nil,
			fmt.Errorf("the PostgreSQL address cannot be read: look at what follows the ? in that of %s, and at the "+
				"PG... variables of the environment", at)
	}
	if config.RuntimeParams["application_name"] == "" {
		config.RuntimeParams["application_name"] = "frontdesk"
	}
	if connections <= 0 {
		connections = 16
	}
	e := &postgresEngine{address: at, pool: stdlib.OpenDB(*config, stdlib.OptionAfterConnect(configureConnection)),
		attempts: maxAttempts, idle: longestIdle, gather: gatherTime, batches: newBatchLines(connections)}
	e.pool.SetMaxOpenConns(connections)
	e.pool.SetMaxIdleConns(connections)
	if err := e.greet(ctx); err != nil {
		return nil, errors.Join(err, e.pool.Close())
	}
	return e, nil
}

// patience is after how long the server breaks off a transaction in which its client has fallen
// silent: a node that is paused, or cut off, would else keep others from the rows that it has
// written until it comes back.
const patience = 30 * time.Second

// configureConnection prepares a new connection: by patience, unless the operator has set a bound,
// and by having the server compress long values by LZ4, if it was built with that. Its own method
// takes several times as long as all the rest of writing them.
func configureConnection(ctx context.Context, conn *pgx.Conn) error {
	_, err := conn.Exec(ctx, `SELECT set_config('idle_in_transaction_session_timeout', $1, false) WHERE current_setting('idle_in_transaction_session_timeout') = '0'`,
		strconv.FormatInt(patience.Milliseconds(), 10))
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, `SET default_toast_compression = 'lz4'`)
	var refused *pgconn.PgError
	if errors.As(err, &refused) {
		return nil
	}
	return err
}

// greet looks whether somebody answers, and whether it is a PostgreSQL that will do.
func (e *postgresEngine) greet(ctx context.Context) error {
	var text, encoding string
	err := e.pool.QueryRowContext(ctx, `SELECT current_setting('server_version_num'), current_setting('server_encoding')`).Scan(&text, &encoding)
	if err != nil {
		return e.explain(err)
	}
	number, err := strconv.Atoi(text)
	if err != nil {
		return fmt.Errorf("%s does not say its version: %w", e.address, err)
	}
	if number/10000 < oldestPostgres {
		return fmt.Errorf("%s is PostgreSQL %d: frontdesk needs %d or newer", e.address, number/10000, oldestPostgres)
	}
	if encoding != "UTF8" {
		return fmt.Errorf("%s keeps text as %s: make the database with the encoding UTF8 (createdb --encoding UTF8 "+
			"--template template0)", e.address, encoding)
	}
	return nil
}

// explain says what a person can do about an error of connecting. None of the texts holds the
// password.
func (e *postgresEngine) explain(err error) error {
	var refused *pgconn.PgError
	var network *net.OpError
	advice := ""
	switch {
	case errors.As(err, &refused):
		advice, err = refusals[refused.Code], refused // without the list of addresses that were tried
	case errors.As(err, &network):
		advice, err = "see that the server is running and that host and port are right", network
	}
	if advice == "" {
		advice = "see that the server is running and the address is right"
	}
	return fmt.Errorf("%s does not let frontdesk in: %s (%w)", e.address, advice, err)
}

// refusals is what to do when the server answers with an error (PostgreSQL, appendix A, by
// SQLSTATE).
var refusals = map[string]string{
	"28P01": "the user or password is wrong",
	"28000": "the server does not know this user, or does not allow it from here; look at its roles and its " +
		"pg_hba.conf",
	"3D000": "there is no such database; make it with createdb",
	"42501": "the user lacks the right to make tables; GRANT it CREATE on the schema",
	"3F000": "there is no such schema; make it with CREATE SCHEMA",
	"53300": "the server has no connection left; raise its max_connections or end other clients",
	"57P03": "the server is just starting or stopping; try again in a moment",
}

func (e *postgresEngine) name() string { return PostgreSQL }

func (e *postgresEngine) ping(ctx context.Context) error { return overLine(e.pool.PingContext(ctx)) }

func (e *postgresEngine) close() error { return e.pool.Close() }

func (e *postgresEngine) view(ctx context.Context, fn func(*Tx) error) error {
	own, err := e.pool.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true})
	if err != nil {
		return overLine(err)
	}
	defer own.Rollback()
	return perform(&Tx{tx: pooled{own}, bulk: refuseBulk}, fn)
}

// pooled is the conversation of a transaction of the pool.
type pooled struct {
	sqlTx interface {
		ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
		QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	}
}

func (p pooled) exec(ctx context.Context, query string, args []any) (int64, error) {
	result, err := p.sqlTx.ExecContext(ctx, query, args...)
	if err != nil {
		return 0, overLine(err)
	}
	return result.RowsAffected()
}

func (p pooled) query(ctx context.Context, query string, args []any) (Rows, error) {
	rows, err := p.sqlTx.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, overLine(err) // and not a Rows that holds none
	}
	return pooledRows{rows}, nil
}

// pooledRows mark what ended them before their time.
type pooledRows struct{ *sql.Rows }

// Scan implements Rows.
func (r pooledRows) Scan(targets ...any) error {
	for i, target := range targets {
		if at, ok := target.(*time.Time); ok {
			targets[i] = (*micros)(at)
		}
	}
	return r.Rows.Scan(targets...)
}

// Err implements Rows.
func (r pooledRows) Err() error { return overLine(r.Rows.Err()) }

func (e *postgresEngine) update(ctx context.Context, fn func(*Tx) error) error {
	pause := firstPause
	for attempt := 1; ; attempt++ {
		err := e.transact(ctx, sql.LevelSerializable, fn)
		if err == nil || !e.collided(err) || ctx.Err() != nil {
			return err
		}
		if attempt == e.attempts {
			return gaveUp(attempt, err)
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(rand.N(pause)):
		}
		pause = min(2*pause, longPause)
	}
}

func gaveUp(attempts int, err error) error {
	return fmt.Errorf("gave up after %d attempts, in each of which another transaction came between: %w", attempts, err)
}

// collided reports whether the server broke a transaction off for the sake of another: a
// serialization failure, a deadlock, that it waited too long for a row, or that it did nothing
// while others waited. Run again, it can succeed.
func collided(err error) bool {
	var refused *pgconn.PgError
	return errors.As(err, &refused) && collisionKind(refused.Code) != ""
}

// lockNotAvailable is the SQLSTATE of who has waited for a lock as long as it may.
const lockNotAvailable = "55P03"

// collisionKind names what a SQLSTATE says of another transaction; empty where it says nothing.
func collisionKind(code string) string {
	switch code {
	case "40001":
		return "conflict"
	case "40P01":
		return "deadlock"
	case lockNotAvailable:
		return "locked"
	case "25P03":
		return "idle"
	}
	return ""
}

// collisions counts transactions that were broken off and run again, by collisionKind.
type collisions struct{ conflict, deadlock, locked, idle atomic.Int64 }

// collided is the function of the same name, and counts.
func (e *postgresEngine) collided(err error) bool {
	var refused *pgconn.PgError
	if !errors.As(err, &refused) {
		return false
	}
	switch collisionKind(refused.Code) {
	case "conflict":
		e.collisions.conflict.Add(1)
	case "deadlock":
		e.collisions.deadlock.Add(1)
	case "locked":
		e.collisions.locked.Add(1)
	case "idle":
		e.collisions.idle.Add(1)
	default:
		return false
	}
	return true
}

// transact runs fn in a transaction, once. A failed statement may have been a collision that fn
// reports in words of its own: both errors count.
func (e *postgresEngine) transact(ctx context.Context, isolation sql.IsolationLevel, fn func(*Tx) error) error {
	conn, err := e.pool.Conn(ctx)
	if err != nil {
		return overLine(err)
	}
	defer conn.Close()
	sqlTx, err := conn.BeginTx(ctx, &sql.TxOptions{Isolation: isolation})
	if err != nil {
		return overLine(err)
	}
	defer sqlTx.Rollback()
	fresh := func() *Tx {
		return &Tx{tx: pooled{sqlTx}, bulk: copyRows(conn), batch: sendOn(conn), last: new(lastly)}
	}
	tx := fresh()
	if err := perform(tx, fn); err != nil {
		if collided(tx.failed) {
			return tx.failed
		}
		return err
	}
	do := func(query string) error { _, err := sqlTx.ExecContext(ctx, query); return overLine(err) }
	if err := tx.last.run(do, fresh); err != nil {
		return err
	}
	if err := sqlTx.Commit(); err != nil {
		return overLine(err)
	}
	tx.committed()
	return nil
}

// analyze counts tables anew now; the server would do so by itself in a minute or two.
func (e *postgresEngine) analyze(ctx context.Context, tables []string) error {
	for _, table := range tables {
		if _, err := e.pool.ExecContext(ctx, `ANALYZE `+quote(table)); err != nil {
			return err
		}
	}
	return nil
}

// updateSerial gives each turn an advisory lock of its own.
func (e *postgresEngine) updateSerial(ctx context.Context, turn string, fn func(*Tx) error) error {
	return e.locked(ctx, lockOf(turn), fn)
}

// locked runs fn while holding an advisory lock. Read committed, because a serializable transaction
// would see the database as it was before it got the lock.
func (e *postgresEngine) locked(ctx context.Context, lock int64, fn func(*Tx) error) error {
	return e.transact(ctx, sql.LevelReadCommitted, func(tx *Tx) error {
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, lock); err != nil {
			return err
		}
		return fn(tx)
	})
}

func (e *postgresEngine) migrate(ctx context.Context, fn func(*Tx) error) error {
	err := e.locked(ctx, migrationLock, fn)
	var refused *pgconn.PgError
	if errors.As(err, &refused) && refusals[refused.Code] != "" {
		return e.explain(err)
	}
	return err
}
