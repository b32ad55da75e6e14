package store

import (
	"context"
	"errors"
)

// turn is one Update on its way through those that share a transaction of the database. Its closure
// runs in the caller's own goroutine, when whoever leads the transaction hands it the turn: panics
// and runtime.Goexit stay where they belong.
type turn struct {
	ctx   context.Context
	start chan *Tx   // unbuffered: a caller that has left does not take it
	ran   chan error // what came of the closure
	tx    *Tx        // what the closure was last run with; the caller's
	end   chan error // what came of the whole, exactly once, at last
}

func newTurn(ctx context.Context) *turn {
	return &turn{ctx: ctx, start: make(chan *Tx), ran: make(chan error, 1), end: make(chan error, 1)}
}

// errLeft is what a turn reports when its closure did not return, but panicked or ended its
// goroutine.
var errLeft = errors.New("the closure did not return")

// wait is the caller's side of a turn that somebody will hand it.
func (t *turn) wait(fn func(*Tx) error) error {
	select {
	case tx := <-t.start:
		t.run(tx, fn)
	case err := <-t.end:
		return err
	case <-t.ctx.Done():
		return context.Cause(t.ctx)
	}
	// The closure has run: from here on only the leader knows whether it counts. It may ask for it
	// again.
	for {
		select {
		case tx := <-t.start:
			t.run(tx, fn)
		case err := <-t.end:
			if err == nil {
				t.tx.committed()
			}
			return err
		}
	}
}

// run runs the closure and signals the leader, even if the closure never returns.
func (t *turn) run(tx *Tx, fn func(*Tx) error) {
	err := errLeft
	t.tx = tx
	defer func() { t.ran <- err }()
	err = perform(tx, fn)
}

// hand is the leader's side: it gives the caller the turn, and waits for its closure.
func (t *turn) hand(tx *Tx) error {
	select {
	case t.start <- tx:
		return <-t.ran
	case <-t.ctx.Done():
		return context.Cause(t.ctx)
	}
}
