package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// batchLine is where transactions of UpdateBatched run one after another. It has a table, which is
// empty for good, and which each of these transactions locks before it reads anything: it then sees
// all that those before it have committed, and the server lets in those of several processes in the
// order in which they came. (An advisory lock would not do: to ask for it is to read, so that a
// serializable transaction sees the database as it was before it had the lock.) Within a process,
// those who wait share the transaction of the one that is under way.
//
// There is one lane for all. Two, for other accounts each, would not do more: in tables that are
// not large yet, and in the indexes of such, serializable transactions read and write the same
// pages, and most of those that run side by side collide.
type batchLine struct {
	mu      sync.Mutex
	waiting []*turn // in the order in which they came
	led     bool    // somebody takes them from there
}

const makeLane = `CREATE TABLE IF NOT EXISTS frontdesk_lane ()`

func (e *postgresEngine) updateBatched(ctx context.Context, fn func(*Tx) error) error {
	t := newTurn(ctx)
	if e.batches.join(t) {
		go e.lead()
	}
	return t.wait(fn)
}

// join puts a turn behind those who wait, and says whether somebody must lead from now on.
func (l *batchLine) join(t *turn) (lead bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting = append(l.waiting, t)
	lead, l.led = !l.led, true
	return lead
}

// next takes whoever came first. When nobody waits, it is nil; last then says that the leader goes.
func (l *batchLine) next(last bool) *turn {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.waiting) == 0 {
		l.led = !last
		return nil
	}
	t := l.waiting[0]
	l.waiting[0] = nil
	l.waiting = l.waiting[1:]
	return t
}

// lead runs turns as long as there are any.
func (e *postgresEngine) lead() {
	for first := e.batches.next(true); first != nil; first = e.batches.next(true) {
		g := &gathering{engine: e, members: []*turn{first}}
		g.run()
	}
}

// gathering is transactions that share one of the database.
type gathering struct {
	engine  *postgresEngine
	members []*turn
	// careful puts each member in a savepoint of its own. Without, one that fails after it has
	// written spoils the transaction for the others, which run again, carefully.
	careful bool

	do    func(query string) error
	fresh func() *Tx
}

const (
	// gatherTime is after how long a gathering takes no new member.
	gatherTime = 20 * time.Millisecond
	// longestIdle is after how long the server breaks off the transaction of a process that has
	// stopped, for which others wait.
	longestIdle = 10 * time.Second
)

// errSpoilt is of a transaction that a member has spoilt that is a member no more.
var errSpoilt = errors.New("a transaction that shared the commit failed")

// run reports to all members whether they were committed.
func (g *gathering) run() {
	pause := firstPause
	for attempt := 1; len(g.members) > 0; {
		deserted, err := g.once()
		switch {
		case deserted:
			g.members = slices.DeleteFunc(g.members, func(t *turn) bool {
				gone := context.Cause(t.ctx)
				if gone != nil {
					t.end <- gone
				}
				return gone != nil
			})
			continue
		case errors.Is(err, errSpoilt):
			continue
		case collided(err) && attempt < g.engine.attempts:
			attempt++
			time.Sleep(rand.N(pause))
			pause = min(2*pause, longPause)
			continue
		case collided(err):
			err = gaveUp(attempt, err)
		}
		for _, t := range g.members {
			t.end <- err
		}
		return
	}
}

// once runs all members, and those who come meanwhile, in one transaction. An error is of them all;
// deserted says that it came of nobody waiting any more.
func (g *gathering) once() (deserted bool, err error) {
	company := newCompany(g.members)
	defer company.part()
	err = g.transact(company)
	return err != nil && company.ctx.Err() != nil, err
}

func (g *gathering) transact(company *company) error {
	ctx := company.ctx
	conn, err := g.engine.pool.Conn(ctx)
	if err != nil {
		return overLine(err)
	}
	defer conn.Close()
	sqlTx, err := conn.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelSerializable})
	if err != nil {
		return overLine(err)
	}
	defer sqlTx.Rollback()
	var last lastly
	copyIn, send := copyRows(conn), sendOn(conn)
	g.do = func(query string) error { _, err := sqlTx.ExecContext(ctx, query); return overLine(err) }
	g.fresh = func() *Tx {
		return &Tx{tx: pooled{sqlTx}, under: ctx, batch: send, last: &last,
			bulk: func(_ context.Context, table string, columns []string, rows iter.Seq[[]any]) (int64, error) {
				return copyIn(ctx, table, columns, rows)
			}}
	}
	if err := g.do(fmt.Sprintf(`SET LOCAL idle_in_transaction_session_timeout = %d; LOCK TABLE frontdesk_lane IN EXCLUSIVE MODE`, g.engine.idle.Milliseconds())); err != nil {
		return err
	}
	if err := g.all(company); err != nil {
		return err
	}
	if err := last.run(g.do, g.fresh); err != nil {
		return err
	}
	return overLine(sqlTx.Commit())
}

// all runs the members, and takes more from those who wait until it is time to commit.
func (g *gathering) all(company *company) error {
	deadline := time.Now().Add(g.engine.gather)
	for i := 0; ; {
		if i == len(g.members) {
			if i >= groupSize || time.Now().After(deadline) {
				return nil
			}
			next := g.engine.batches.next(false)
			if next == nil {
				return nil
			}
			company.join(next)
			g.members = append(g.members, next)
		}
		stays, err := g.member(i, company)
		switch {
		case err != nil:
			return err
		case stays:
			i++
		}
	}
}

// member runs one, and says whether it still is one. An error says that the transaction is lost.
func (g *gathering) member(i int, company *company) (stays bool, err error) {
	t, tx := g.members[i], g.fresh()
	if g.careful {
		if err := g.do(`SAVEPOINT member`); err != nil {
			return false, err
		}
	}
	err = t.hand(tx)
	switch {
	case err == nil && g.careful:
		return true, g.do(`RELEASE member`)
	case err == nil:
		return true, nil
	case collided(tx.failed):
		return false, tx.failed
	case collided(err):
		return false, err
	case company.ctx.Err() != nil: // all had gone before this one came: it runs again, in a transaction of its own
		return false, err
	}
	g.members = slices.Delete(g.members, i, i+1)
	t.end <- err
	switch {
	case g.careful:
		return false, g.do(`ROLLBACK TO member; RELEASE member`)
	case tx.wrote || tx.failed != nil:
		g.careful = true
		return false, errSpoilt
	}
	return false, nil
}

// company has a context that ends as soon as those of all who are in it have.
type company struct {
	ctx    context.Context
	cancel context.CancelFunc
	left   atomic.Int64
	stops  []func() bool
}

func newCompany(all []*turn) *company {
	c := &company{}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	c.left.Store(1) // until all are in it
	for _, t := range all {
		c.join(t)
	}
	c.leave()
	return c
}

func (c *company) join(t *turn) {
	c.left.Add(1)
	c.stops = append(c.stops, context.AfterFunc(t.ctx, c.leave))
}

func (c *company) leave() {
	if c.left.Add(-1) == 0 {
		c.cancel()
	}
}

func (c *company) part() {
	for _, stop := range c.stops {
		stop()
	}
	c.cancel()
}
