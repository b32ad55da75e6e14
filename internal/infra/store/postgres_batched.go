package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"database/sql/driver"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

// batchLines are where transactions of UpdateBatched wait: a line for each set of locks. Those of a
// line run one after another, and those who wait share the transaction of the one that is under
// way. Lines whose locks are others run side by side, in connections of their own.
//
// Each transaction takes its locks, which are advisory, before it reads anything: it then sees all
// that those before it have committed, whatever process they are of. What it changes without having
// a lock for it is safe all the same: under repeatable read the server breaks off who would write
// over what it has not read. Serializable it is not, because in tables that are not large yet, and
// in the indexes of such, serializable transactions read and write the same pages, and most of
// those that run side by side collide.
type batchLines struct {
	mu     sync.Mutex
	lines  map[string]*batchLine
	claims map[int64]*claim
	room   chan struct{} // one for each transaction that may be under way; the rest is for others
}

// batchLine is those who want the same locks. While it is in batchLines, somebody takes them from
// there.
type batchLine struct {
	locks   []int64 // in the order in which everybody takes them
	waiting []*turn // in the order in which they came
}

// claim is a lock within this process: one connection at a time asks the server for it.
type claim struct {
	taken chan struct{}
	users int // who have it or wait for it
}

func newBatchLines(connections int) *batchLines {
	return &batchLines{lines: map[string]*batchLine{}, claims: map[int64]*claim{},
		room: make(chan struct{}, max(1, connections*3/4))}
}

func (e *postgresEngine) updateBatched(ctx context.Context, locks []string, fn func(*Tx) error) error {
	t := newTurn(ctx)
	if line := e.batches.join(t, locks); line != nil {
		go e.lead(line)
	}
	return t.wait(fn)
}

// lockOf is the advisory lock of a name.
func lockOf(name string) int64 {
	sum := sha256.Sum256([]byte("frontdesk " + name))
	return int64(binary.BigEndian.Uint64(sum[:]))
}

// join puts a turn behind those who want the same. Where nobody leads them it gives their line, for
// the caller to see that somebody does from now on.
func (l *batchLines) join(t *turn, names []string) (lead *batchLine) {
	locks := make([]int64, len(names))
	for i, name := range names {
		locks[i] = lockOf(name)
	}
	slices.Sort(locks)
	locks = slices.Compact(locks)
	key := lineOf(locks)
	l.mu.Lock()
	defer l.mu.Unlock()
	line := l.lines[key]
	if line == nil {
		line = &batchLine{locks: locks}
		l.lines[key], lead = line, line
	}
	line.waiting = append(line.waiting, t)
	return lead
}

// lineOf is the key of the line of some locks.
func lineOf(locks []int64) string {
	var key []byte
	for _, lock := range locks {
		key = binary.BigEndian.AppendUint64(key, uint64(lock))
	}
	return string(key)
}

// next takes whoever came first. When nobody waits, it is nil; last then says that the leader goes.
func (l *batchLines) next(line *batchLine, last bool) *turn {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(line.waiting) == 0 {
		if last {
			delete(l.lines, lineOf(line.locks))
		}
		return nil
	}
	t := line.waiting[0]
	line.waiting[0] = nil
	line.waiting = line.waiting[1:]
	return t
}

// take waits until nobody else in this process has one of the locks, and gives what lets go of
// them.
func (l *batchLines) take(locks []int64) (leave func()) {
	for _, lock := range locks {
		l.mu.Lock()
		h := l.claims[lock]
		if h == nil {
			h = &claim{taken: make(chan struct{}, 1)}
			l.claims[lock] = h
		}
		h.users++
		l.mu.Unlock()
		h.taken <- struct{}{}
	}
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		for _, lock := range locks {
			h := l.claims[lock]
			<-h.taken
			if h.users--; h.users == 0 {
				delete(l.claims, lock)
			}
		}
	}
}

// lead runs the turns of a line as long as there are any.
func (e *postgresEngine) lead(line *batchLine) {
	for e.leadOnce(line) {
	}
}

func (e *postgresEngine) leadOnce(line *batchLine) (more bool) {
	defer e.batches.take(line.locks)()
	first := e.batches.next(line, true)
	if first == nil {
		return false
	}
	g := &gathering{engine: e, line: line, members: []*turn{first}}
	g.run()
	return true
}

// gathering is transactions that share one of the database.
type gathering struct {
	engine  *postgresEngine
	line    *batchLine
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
	// lockWait is how long a connection waits for a lock of its line. Who has waited so long lets
	// others have the connection for a while.
	lockWait = 50 * time.Millisecond
	// rowWait is how long a transaction waits for a row that one with other locks has written.
	rowWait = 2 * time.Second
	// longestWait is after how long who waits for a lock gives up.
	longestWait = 30 * time.Second
)

// errSpoilt is of a transaction that a member has spoilt that is a member no more.
var errSpoilt = errors.New("a transaction that shared the commit failed")

// run reports to all members whether they were committed.
func (g *gathering) run() {
	pause, attempt, began := firstPause, 1, time.Now()
	for len(g.members) > 0 {
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
		case errors.Is(err, errLocked):
			if time.Since(began) < longestWait {
				g.engine.pause(&pause)
				continue
			}
		case g.engine.collided(err) && attempt < g.engine.attempts:
			attempt++
			g.engine.pause(&pause)
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

// pause waits a random while, and longer the next time.
func (e *postgresEngine) pause(pause *time.Duration) {
	time.Sleep(rand.N(*pause))
	*pause = min(2**pause, longPause)
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
	g.engine.batches.room <- struct{}{}
	defer func() { <-g.engine.batches.room }()
	conn, err := g.engine.pool.Conn(ctx)
	if err != nil {
		return overLine(err)
	}
	defer conn.Close()
	if err := ask(ctx, conn, g.opening()); err != nil {
		breakOff(conn)
		var refused *pgconn.PgError
		if errors.As(err, &refused) && refused.Code == lockNotAvailable {
			g.engine.collisions.locked.Add(1)
			return fmt.Errorf("%w: %w", errLocked, err)
		}
		return overLine(err)
	}
	if err := g.inside(company, conn); err != nil {
		breakOff(conn)
		return err
	}
	return nil
}

// errLocked is of a lock that another process has not let go of for some time.
var errLocked = errors.New("another process has a lock that this needs")

// opening is what begins a transaction. Locks that a transaction takes come after it has begun to
// see the database as it was, so that they are taken before, for the session, and handed over. All
// of it is one message: who falls silent leaves a transaction, which the server ends.
func (g *gathering) opening() string {
	var take, keep []string
	for _, lock := range g.line.locks {
		take = append(take, fmt.Sprintf(`pg_advisory_lock(%d)`, lock))
		keep = append(keep, fmt.Sprintf(`pg_advisory_xact_lock(%d), pg_advisory_unlock(%[1]d)`, lock))
	}
	return fmt.Sprintf(`BEGIN; SET LOCAL lock_timeout = %d; SELECT %s; COMMIT; BEGIN ISOLATION LEVEL REPEATABLE READ;
		SET LOCAL lock_timeout = %d; SET LOCAL idle_in_transaction_session_timeout = %d; SELECT %s`,
		lockWait.Milliseconds(), strings.Join(take, ", "), rowWait.Milliseconds(), g.engine.idle.Milliseconds(),
		strings.Join(keep, ", "))
}

// ask sends statements as one message.
func ask(ctx context.Context, conn *sql.Conn, statements string) error {
	return conn.Raw(func(raw any) error {
		_, err := raw.(*stdlib.Conn).Conn().PgConn().Exec(ctx, statements).ReadAll()
		return err
	})
}

// breakOff ends the transaction of a connection, and lets go of what a broken opening has taken; a
// connection that does not do so goes.
func breakOff(conn *sql.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), probeTime)
	defer cancel()
	if ask(ctx, conn, `ROLLBACK; SELECT pg_advisory_unlock_all()`) != nil {
		_ = conn.Raw(func(any) error { return driver.ErrBadConn })
	}
}

// inside runs the members in the transaction that is open on conn, and commits it.
func (g *gathering) inside(company *company, conn *sql.Conn) error {
	ctx := company.ctx
	var last lastly
	copyIn, send := copyRows(conn), sendOn(conn)
	g.do = func(query string) error { _, err := conn.ExecContext(ctx, query); return overLine(err) }
	g.fresh = func() *Tx {
		return &Tx{tx: pooled{conn}, under: ctx, batch: send, last: &last,
			bulk: func(_ context.Context, table string, columns []string, rows iter.Seq[[]any]) (int64, error) {
				return copyIn(ctx, table, columns, rows)
			}}
	}
	if err := g.all(company); err != nil {
		return err
	}
	if err := last.run(g.do, g.fresh); err != nil {
		return err
	}
	return overLine(commit(ctx, conn))
}

// commit commits the transaction of a connection. Of one that has failed the server says that it
// was undone, and that is no error of its own.
func commit(ctx context.Context, conn *sql.Conn) error {
	return conn.Raw(func(raw any) error {
		results, err := raw.(*stdlib.Conn).Conn().PgConn().Exec(ctx, `COMMIT`).ReadAll()
		if err == nil && (len(results) != 1 || results[0].CommandTag.String() != `COMMIT`) {
			err = pgx.ErrTxCommitRollback
		}
		return err
	})
}

// all runs the members, and takes more from those who wait until it is time to commit.
func (g *gathering) all(company *company) error {
	deadline := time.Now().Add(g.engine.gather)
	for i := 0; ; {
		if i == len(g.members) {
			if i >= groupSize || time.Now().After(deadline) {
				return nil
			}
			next := g.engine.batches.next(g.line, false)
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
