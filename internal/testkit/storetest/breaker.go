package storetest

import (
	"context"
	"crypto/rand"
	"strings"
	"sync/atomic"
	"testing"

	"frontdesk/internal/infra/store"
)

// Breaker breaks off the connections of one application to PostgreSQL, as a server that fails or a
// network does.
type Breaker struct {
	t      testing.TB
	db     *store.DB
	name   string
	broken atomic.Int64
}

// NewBreaker makes a breaker for the databases that its DSN method gives. Without a PostgreSQL it
// ends the test.
func NewBreaker(t testing.TB) *Breaker {
	t.Helper()
	return &Breaker{t: t, db: Open(t, NewPostgres(t)), name: "broken-" + strings.ToLower(rand.Text()[:16])}
}

// DSN is NewPostgres for a database whose connections the breaker breaks off.
func (b *Breaker) DSN() string {
	b.t.Helper()
	return NewPostgres(b.t) + "&application_name=" + b.name
}

// BreakAll breaks all connections that exist now. It may be called from many goroutines.
func (b *Breaker) BreakAll() {
	ctx := context.WithoutCancel(b.t.Context())
	err := b.db.View(ctx, func(tx *store.Tx) error {
		const terminate = `SELECT COUNT(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = $1`
		var n int64
		err := tx.QueryRow(ctx, terminate, b.name).Scan(&n)
		b.broken.Add(n)
		return err
	})
	if err != nil {
		b.t.Error(err)
	}
}

// Broken counts the connections that were broken off.
func (b *Breaker) Broken() int64 { return b.broken.Load() }
