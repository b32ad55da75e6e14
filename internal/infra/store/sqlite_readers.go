package store

import (
	"context"
	"database/sql"
	"errors"
	"sync"
)

// readers are the connections for Views. Each is made when it is first needed, and those that were
// used last come first, since they remember most of the file.
type readers struct {
	pool  *sql.DB
	slots chan struct{} // as many as there may be connections

	mu     sync.Mutex
	free   []*connection
	closed bool
}

func newReaders(pool *sql.DB, most int) *readers {
	return &readers{pool: pool, slots: make(chan struct{}, most)}
}

// acquire gives a connection, waiting for one if it must.
func (r *readers) acquire(ctx context.Context) (*connection, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	select {
	case r.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	c, err := r.last()
	if c == nil && err == nil {
		c, err = connectionOf(ctx, r.pool)
	}
	if err != nil {
		<-r.slots
		return nil, err
	}
	return c, nil
}

// last gives the connection that was used last; nil when none is free.
func (r *readers) last() (c *connection, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, ErrClosed
	}
	if n := len(r.free); n > 0 {
		c, r.free = r.free[n-1], r.free[:n-1]
	}
	return c, nil
}

// release takes a connection back. One that could not leave its transaction is not used again.
func (r *readers) release(c *connection) {
	defer func() { <-r.slots }()
	c.trim()
	r.mu.Lock()
	kept := !r.closed && c.raw.GetAutocommit()
	if kept {
		r.free = append(r.free, c)
	}
	r.mu.Unlock()
	if !kept {
		_ = c.close() // nobody is left to hear of it
	}
}

// close closes all connections: those that are in use as soon as they come back.
func (r *readers) close() error {
	r.mu.Lock()
	free := r.free
	r.free, r.closed = nil, true
	r.mu.Unlock()
	var errs []error
	for _, c := range free {
		errs = append(errs, c.close())
	}
	return errors.Join(append(errs, r.pool.Close())...)
}
