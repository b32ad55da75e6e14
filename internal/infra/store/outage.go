package store

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/ncruces/go-sqlite3"
)

// Outage is the error of a database that cannot be used at the moment, through no fault of the
// caller: its disk is full or broken, or its server does not answer. The same may succeed later. It
// reads as its cause does.
type Outage struct{ cause error }

func (o *Outage) Error() string { return o.cause.Error() }

// Unwrap gives the cause.
func (o *Outage) Unwrap() error { return o.cause }

// Unavailable returns how long to wait before the next try.
func (o *Outage) Unavailable() time.Duration { return comeBack }

// comeBack is when callers are told to come again: people have to act first, so that at once would
// be too early.
const comeBack = 5 * time.Second

// severity is what an error says of the database.
type severity int

const (
	sound severity = iota // nothing: the error is the statement's or the closure's
	taken                 // others were in the way
	down                  // it cannot be used
)

// noteOutage wraps errors that come of an outage, and notes it. Of a context that has ended nothing
// can be said: its end may be all that went wrong.
func (db *DB) noteOutage(ctx context.Context, reading bool, err error) error {
	if err == nil || ctx.Err() != nil || db.closed.Load() {
		return err
	}
	if known := (*Outage)(nil); errors.As(err, &known) { // of a database that the closure asked
		return err
	}
	switch db.engine.severity(err, reading) {
	case sound:
		return err
	case down:
		db.health.lost(db, err)
	}
	return &Outage{err}
}

// Failing says why the database cannot be used: an outage was met, and nothing was written since.
// While it lasts, one small write a second tries whether it is over. It is nil while all is well,
// or nobody has met an outage.
func (db *DB) Failing() error {
	db.health.mu.Lock()
	defer db.health.mu.Unlock()
	return db.health.cause
}

// health is how a database is.
type health struct {
	mu     sync.Mutex
	cause  error // of the outage; nil while there is none
	closed bool
	ctx    context.Context // ends with close
	stop   context.CancelFunc
	probe  sync.WaitGroup
}

const (
	// probeEach is how often a database that fails is tried.
	probeEach = time.Second
	// probeTime is how long a trial may take.
	probeTime = 10 * time.Second
)

const makeProbe = `CREATE TABLE IF NOT EXISTS frontdesk_probe (at BIGINT NOT NULL)`

// lost notes an outage, and has the database tried until it is over.
func (h *health) lost(db *DB, cause error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	known := h.cause != nil
	if h.closed {
		return
	}
	h.cause = cause
	if known {
		return
	}
	db.log.Error("the database cannot be used; each second a small write tries whether it can", "error", cause)
	began := time.Now()
	h.probe.Go(func() {
		if h.await(db) {
			db.log.Info("the database takes writes again", "after", time.Since(began).Round(time.Millisecond).String())
		}
	})
}

// await tries the database each second until it takes a write, and says whether it did.
func (h *health) await(db *DB) bool {
	for {
		select {
		case <-h.ctx.Done():
			return false
		case <-time.After(probeEach):
		}
		if db.tryWrite(h.ctx) == nil {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.cause = nil
			return true
		}
	}
}

// tryWrite writes a row to the disk.
func (db *DB) tryWrite(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	return db.engine.update(ctx, func(tx *Tx) error {
		if _, err := tx.Exec(ctx, `DELETE FROM frontdesk_probe`); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `INSERT INTO frontdesk_probe (at) VALUES ($1)`, Micros(time.Now()))
		return err
	})
}

// close ends the trying.
func (h *health) close() {
	h.mu.Lock()
	h.closed = true
	h.mu.Unlock()
	h.stop()
	h.probe.Wait()
}

// severity reads SQLite's codes. A View cannot write, so that there READONLY is a mistake of ours.
// A damaged file is an outage too: nobody who asks can do anything about it, and once a copy is put
// back, all goes on.
func (e *sqliteEngine) severity(err error, reading bool) severity {
	var code sqlite3.ErrorCode
	if !errors.As(err, &code) {
		return sound
	}
	switch code {
	case sqlite3.READONLY:
		if reading {
			return sound
		}
		return down
	case sqlite3.FULL, sqlite3.IOERR, sqlite3.CANTOPEN, sqlite3.BUSY, sqlite3.PERM, sqlite3.CORRUPT, sqlite3.NOTADB:
		return down
	}
	return sound
}

// severity reads SQLSTATEs (PostgreSQL, appendix A), and what the driver says of connections.
func (e *postgresEngine) severity(err error, reading bool) severity {
	var refused *pgconn.PgError
	var unconnected *pgconn.ConnectError
	var broken *brokenLine
	switch {
	case errors.As(err, &unconnected): // also where it wraps the server's refusal
		return down
	case collided(err):
		return taken
	case errors.As(err, &refused):
		return severityOf(refused.Code, reading)
	case errors.As(err, &broken), errors.Is(err, driver.ErrBadConn), errors.Is(err, pgconn.ErrConnClosed):
		return down
	}
	return sound
}

// severityOf reads a SQLSTATE.
func severityOf(state string, reading bool) severity {
	// read_only_sql_transaction: the server has become a standby, or its owner has it so
	if state == "25006" && !reading {
		return down
	}
	if state == "55P03" { // lock_not_available
		return taken
	}
	// connection exception, insufficient resources, operator intervention, system error, data and
	// index corrupted
	for _, class := range []string{"08", "53", "57", "58", "XX001", "XX002"} {
		if strings.HasPrefix(state, class) {
			return down
		}
	}
	return sound
}

// brokenLine is of a connection that broke, where the error itself could as well come of what a
// closure reads.
type brokenLine struct{ error }

func (b *brokenLine) Unwrap() error { return b.error }

// overLine marks an error of talking to the server.
func overLine(err error) error {
	var network net.Error
	switch {
	case err == nil:
		return nil
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed),
		errors.As(err, &network):
		return &brokenLine{err}
	}
	return err
}
