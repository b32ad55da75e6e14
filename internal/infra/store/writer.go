package store

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/ncruces/go-sqlite3"
)

// writer is the one goroutine that writes to an SQLite file. It commits in groups: callers whose
// transactions come at the same time share one transaction of the database, and so one write to the
// disk. Each but the first stands in a savepoint of its own, so that one that fails takes only its
// own changes back. Each is a turn, and learns of success after the COMMIT.
type writer struct {
	conn    *connection
	queue   chan *turn
	ctx     context.Context // ends with close, so that waiting for another process's lock ends too
	stop    context.CancelFunc
	stopped chan struct{}
	commits atomic.Int64
	pages   atomic.Int64
}

// A group takes up to groupSize transactions, and no new one after groupTime.
const (
	groupSize = 256
	groupTime = 5 * time.Millisecond
)

func startWriter(conn *connection) *writer {
	ctx, stop := context.WithCancel(context.Background())
	w := &writer{conn: conn, queue: make(chan *turn), ctx: ctx, stop: stop, stopped: make(chan struct{})}
	go w.loop()
	return w
}

func (w *writer) close() error {
	w.stop()
	<-w.stopped
	return w.conn.close()
}

// update is the caller's side.
func (w *writer) update(ctx context.Context, fn func(*Tx) error) error {
	t := newTurn(ctx)
	select {
	case w.queue <- t:
		return t.wait(fn)
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-w.ctx.Done():
		return ErrClosed
	}
}

func (w *writer) loop() {
	defer close(w.stopped)
	for {
		select {
		case first := <-w.queue:
			w.group(first)
			w.conn.trim()
		case <-w.ctx.Done():
			return
		}
	}
}

// group runs one transaction of the database with first and all that come while it is open.
func (w *writer) group(first *turn) {
	tx, err := w.begin()
	if err != nil {
		first.end <- err
		return
	}
	if err := first.hand(w.fresh(tx)); err != nil {
		tx.rollback()
		first.end <- err
		return
	}
	members := []*turn{first}
	deadline := time.Now().Add(groupTime)
	for len(members) < groupSize && time.Now().Before(deadline) {
		next := w.next()
		if next == nil {
			break
		}
		joined, lost := w.join(next, tx)
		if lost {
			tx.rollback()
			w.apart(members)
			return
		}
		if joined {
			members = append(members, next)
		}
	}
	if tx.lastlyAtOnce(w) != nil {
		tx.rollback()
		w.apart(members)
		return
	}
	err = w.commit(tx)
	for _, t := range members {
		t.end <- err
	}
}

// next is whoever waits. Callers that the last COMMIT has set free need a moment to come back, in
// which the writer lets them run.
func (w *writer) next() *turn {
	for range 2 {
		select {
		case t := <-w.queue:
			return t
		default:
			runtime.Gosched()
		}
	}
	return nil
}

// join runs a further member in a savepoint. When the savepoint cannot be taken back, the whole
// transaction is lost: after some errors (a full disk, say) SQLite has rolled it back by itself.
func (w *writer) join(t *turn, tx *groupTx) (joined, lost bool) {
	if err := tx.do(`SAVEPOINT member`); err != nil {
		t.end <- err
		return false, true
	}
	err := t.hand(w.fresh(tx))
	if err == nil {
		err = tx.do(`RELEASE member`)
		joined = err == nil
	}
	if err != nil {
		lost = tx.do(`ROLLBACK TO member`) != nil || tx.do(`RELEASE member`) != nil
		t.end <- err
	}
	return joined, lost
}

// fresh is a Tx for a turn in a group's transaction.
func (w *writer) fresh(tx *groupTx) *Tx {
	return &Tx{tx: w.conn, bulk: w.bulk, under: context.Background(), last: &tx.last}
}

// lastly does what the members left for the end.
func (tx *groupTx) lastly(w *writer) error {
	return tx.last.run(tx.do, func() *Tx { return w.fresh(tx) })
}

// lastlyAtOnce is lastly without savepoints, which cost as much as the statements between them and
// hardly ever are needed. An error means that something failed that had written, and that the whole
// transaction is lost.
func (tx *groupTx) lastlyAtOnce(w *writer) error {
	for _, fn := range tx.last.fns {
		before := w.conn.raw.TotalChanges()
		err := perform(w.fresh(tx), fn)
		if err != nil && (w.conn.raw.TotalChanges() != before || w.conn.raw.GetAutocommit()) {
			return err
		}
	}
	return nil
}

// apart runs again, each by itself, those whose common transaction was lost through no fault of
// theirs: what fails at the end takes only itself back now.
func (w *writer) apart(members []*turn) {
	for _, t := range members {
		tx, err := w.begin()
		if err == nil {
			if err = t.hand(w.fresh(tx)); err == nil {
				err = tx.lastly(w)
			}
			if err == nil {
				err = w.commit(tx)
			} else {
				tx.rollback()
			}
		}
		t.end <- err
	}
}

// groupTx is a transaction of the database.
type groupTx struct {
	w    *writer
	last lastly
}

// begin waits for other processes to finish theirs. Close ends the waiting, but not a transaction
// that has begun.
func (w *writer) begin() (*groupTx, error) {
	err := w.conn.run(w.ctx, `BEGIN IMMEDIATE`)
	if err == nil {
		return &groupTx{w: w}, nil
	}
	if w.ctx.Err() != nil {
		return nil, ErrClosed
	}
	return nil, explainBegin(err)
}

func explainBegin(err error) error {
	if errors.Is(err, sqlite3.BUSY) {
		return fmt.Errorf("another process has kept the database locked for %s; end it, or wait until it is done: %w",
			busyTimeout, err)
	}
	return err
}

func (w *writer) commit(tx *groupTx) error {
	w.commits.Add(1)
	err := tx.do(`COMMIT`)
	if err != nil {
		tx.rollback()
	}
	if pages, _, failed := w.conn.raw.Status(sqlite3.DBSTATUS_CACHE_WRITE, false); failed == nil {
		w.pages.Store(pages)
	}
	return err
}

// rollback takes everything back. It fails only where there is nothing left to take back.
func (tx *groupTx) rollback() { _ = tx.do(`ROLLBACK`) }

func (tx *groupTx) do(query string) error { return tx.w.conn.run(context.Background(), query) }
