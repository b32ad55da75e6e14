package store

import (
	"context"
	"time"
)

// SetAttempts changes how often an Update on PostgreSQL is tried.
func (db *DB) SetAttempts(n int) { db.engine.(*postgresEngine).attempts = n }

// SetIdle changes how long an UpdateBatched on PostgreSQL may do nothing.
func (db *DB) SetIdle(d time.Duration) { db.engine.(*postgresEngine).idle = d }

// SetGather sets after how long transactions that share one take no more in.
func (db *DB) SetGather(d time.Duration) { db.engine.(*postgresEngine).gather = d }

// Waiting is how many wait on PostgreSQL for an UpdateBatched to end.
func (db *DB) Waiting() (n int) {
	l := db.engine.(*postgresEngine).batches
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, line := range l.lines {
		n += len(line.waiting)
	}
	return n
}

// Under is the context of all who share an UpdateBatched on PostgreSQL.
func (tx *Tx) Under() context.Context { return tx.under }

// IsOutage says whether a SQLSTATE tells of an outage.
func IsOutage(state string, reading bool) bool { return severityOf(state, reading) != sound }
