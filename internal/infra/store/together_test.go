package store_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/internal/infra/store"
	"frontdesk/internal/testkit/storetest"
)

// one is the lock of those who wait for each other.
var one = []string{"one"}

// TestTogetherNoIncrementIsLostAndNoneIsRunTwice has two processes count, beside an Update that
// does the same.
func TestTogetherNoIncrementIsLostAndNoneIsRunTwice(t *testing.T) {
	t.Parallel()
	storetest.EachDSN(t, func(t *testing.T, fresh storetest.Fresh) {
		dsn := fresh(t)
		nodes := []*store.DB{storetest.Open(t, dsn, notes), storetest.Open(t, dsn, notes)}
		add(t, nodes[0], "counter", 0)
		const callers, each = 16, 10
		var runs atomic.Int64
		var all sync.WaitGroup
		for i := range callers {
			all.Go(func() {
				for range each {
					err := nodes[i%2].UpdateBatched(t.Context(), one, func(tx *store.Tx) error {
						runs.Add(1)
						return increment(t.Context())(tx)
					})
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
		if got := counter(t, nodes[0]); got != callers*each || runs.Load() != callers*each {
			t.Errorf("the counter stands at %d after %d runs, want %d", got, runs.Load(), callers*each)
		}
		if err := errors.Join(nodes[0].Update(t.Context(), increment(t.Context())),
			nodes[1].UpdateBatched(t.Context(), one, increment(t.Context()))); err != nil {
			t.Error(err)
		}
	})
}

// member is one of those who wait for an UpdateBatched to end.
type member struct {
	ctx  context.Context
	runs int
	fn   func(ctx context.Context, tx *store.Tx) error
	err  error
}

// behind has members wait for an UpdateBatched that is under way, lets it end, and sees what
// becomes of them.
func behind(t *testing.T, db *store.DB, members ...*member) {
	t.Helper()
	db.SetGather(time.Hour) // all share a transaction, however slow the machine is
	held, free, first := make(chan bool), make(chan bool), make(chan error)
	go func() {
		once := sync.OnceFunc(func() {
			close(held)
			<-free
		})
		first <- db.UpdateBatched(t.Context(), one, func(tx *store.Tx) error {
			once()
			return insert(t.Context(), "first", 0)(tx)
		})
	}()
	<-held
	var all sync.WaitGroup
	for i, m := range members {
		all.Go(func() {
			defer func() {
				if p := recover(); p != nil {
					m.err = fmt.Errorf("panic: %v", p)
				}
			}()
			ctx := m.ctx
			if ctx == nil {
				ctx = t.Context()
			}
			m.err = db.UpdateBatched(ctx, one, func(tx *store.Tx) error {
				m.runs++
				return m.fn(ctx, tx)
			})
		})
		for db.Waiting() < i+1 {
			runtime.Gosched()
		}
	}
	close(free)
	if err := <-first; err != nil {
		t.Errorf("the first: %v", err)
	}
	all.Wait()
}

func putting(id string) func(context.Context, *store.Tx) error {
	return func(ctx context.Context, tx *store.Tx) error {
		return tx.ExecOne(ctx, `INSERT INTO notes (id, n) VALUES ($1, $2)`, id, 1)
	}
}

func TestTogetherThoseWhoWaitShareATransactionInTheirOrder(t *testing.T) {
	t.Parallel()
	db := openServer(t)
	var order []string
	var transactions []int64
	share := func(id string) *member {
		return &member{fn: func(ctx context.Context, tx *store.Tx) error {
			var in int64
			if err := tx.QueryRow(ctx, `SELECT pg_current_xact_id()::text::bigint`).Scan(&in); err != nil {
				return err
			}
			order, transactions = append(order, id), append(transactions, in)
			return putting(id)(ctx, tx)
		}}
	}
	members := []*member{share("c"), share("a"), share("b")}
	behind(t, db, members...)
	for _, m := range members {
		if m.err != nil || m.runs != 1 {
			t.Errorf("after %d runs: %v", m.runs, m.err)
		}
	}
	if !slices.Equal(order, []string{"c", "a", "b"}) || len(slices.Compact(transactions)) != 1 {
		t.Errorf("they ran as %v in the transactions %v", order, transactions)
	}
	wantIDs(t, db, "a", "b", "c", "first")
}

func TestTogetherOneFailureHurtsNobodyElse(t *testing.T) {
	t.Parallel()
	refused := errors.New("no")
	ended, end := context.WithCancel(t.Context())
	for name, bad := range map[string]*member{
		"an error": {fn: func(context.Context, *store.Tx) error { return refused }},
		"an error after a read": {fn: func(ctx context.Context, tx *store.Tx) error {
			return errors.Join(refused, tx.QueryRow(ctx, `SELECT 1`).Scan(new(int)))
		}},
		"an error after a write": {fn: func(ctx context.Context, tx *store.Tx) error {
			return errors.Join(insert(ctx, "bad", 1)(tx), refused)
		}},
		"an error before a write": {fn: func(ctx context.Context, tx *store.Tx) error {
			return errors.Join(putting("bad")(ctx, tx), refused)
		}},
		"a failed statement": {fn: func(ctx context.Context, tx *store.Tx) error {
			_ = insert(ctx, "first", 1)(tx)
			return nil
		}},
		"a failed Put": {fn: putting("first")},
		"a Put of no row": {fn: func(ctx context.Context, tx *store.Tx) error {
			return tx.ExecOne(ctx, `UPDATE notes SET n = $1 WHERE id = $2`, 1, "none")
		}},
		"a panic": {fn: func(ctx context.Context, tx *store.Tx) error {
			_ = insert(ctx, "bad", 1)(tx)
			panic(refused)
		}},
		"a context that ends": {ctx: ended, fn: func(ctx context.Context, tx *store.Tx) error {
			_ = insert(ctx, "bad", 1)(tx)
			end()
			return insert(ctx, "worse", 1)(tx)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			db := openServer(t)
			a, c := &member{fn: putting("a")}, &member{fn: putting("c")}
			behind(t, db, a, bad, c)
			if a.err != nil || bad.err == nil || c.err != nil {
				t.Errorf("the errors are %v, %v and %v", a.err, bad.err, c.err)
			}
			if bad.runs != 1 || a.runs > 2 || c.runs > 2 {
				t.Errorf("they ran %d, %d and %d times", a.runs, bad.runs, c.runs)
			}
			wantIDs(t, db, "a", "c", "first")
		})
	}
}

func TestTogetherACollisionRunsAllAgain(t *testing.T) {
	t.Parallel()
	db := openServer(t)
	a, c := &member{fn: putting("a")}, &member{fn: putting("c")}
	b := &member{}
	b.fn = func(ctx context.Context, tx *store.Tx) error {
		if b.runs < 3 {
			return errors.Join(putting("bad")(ctx, tx), collide(ctx, tx))
		}
		return putting("b")(ctx, tx)
	}
	behind(t, db, a, b, c)
	if a.err != nil || b.err != nil || c.err != nil || a.runs != 3 || b.runs != 3 {
		t.Errorf("%v after %d runs, %v after %d, %v after %d", a.err, a.runs, b.err, b.runs, c.err, c.runs)
	}
	wantIDs(t, db, "a", "b", "c", "first")
	db.SetAttempts(3)
	runs := 0
	err := db.UpdateBatched(t.Context(), one, func(tx *store.Tx) error {
		runs++
		return collide(t.Context(), tx)
	})
	if err == nil || runs != 3 {
		t.Errorf("after %d runs: %v", runs, err)
	}
}

func TestTogetherWhoLeavesTheQueueIsNotRun(t *testing.T) {
	t.Parallel()
	db := openServer(t)
	ctx, cancel := context.WithCancel(t.Context())
	left := &member{ctx: ctx, fn: putting("left")}
	before := &member{fn: func(ctx context.Context, tx *store.Tx) error {
		cancel()
		return putting("before")(ctx, tx)
	}}
	behind(t, db, before, left, &member{fn: putting("behind")})
	if !errors.Is(left.err, context.Canceled) || left.runs != 0 {
		t.Errorf("after %d runs: %v", left.runs, left.err)
	}
	wantIDs(t, db, "before", "behind", "first")
}

// TestTogetherWhoComesToThoseWhoHaveLeftIsRun has the only one of a transaction leave when it has
// run, and another come to it before it is committed.
func TestTogetherWhoComesToThoseWhoHaveLeftIsRun(t *testing.T) {
	t.Parallel()
	db := openServer(t)
	ctx, cancel := context.WithCancel(t.Context())
	last := make(chan error, 1)
	left := db.UpdateBatched(ctx, one, func(tx *store.Tx) error {
		go func() {
			last <- db.UpdateBatched(t.Context(), one, func(tx *store.Tx) error {
				return insert(t.Context(), "last", 0)(tx)
			})
		}()
		for db.Waiting() == 0 {
			runtime.Gosched()
		}
		cancel()
		<-tx.Under().Done()
		return nil
	})
	if err := <-last; err != nil || !errors.Is(left, context.Canceled) {
		t.Errorf("who left: %v; who came then: %v", left, err)
	}
	wantIDs(t, db, "last")
}

// TestTogetherNobodyWaitsForAProcessThatHasStopped has the server break off a transaction that does
// nothing.
func TestTogetherNobodyWaitsForAProcessThatHasStopped(t *testing.T) {
	t.Parallel()
	db := openServer(t)
	db.SetIdle(50 * time.Millisecond)
	runs := 0
	err := db.UpdateBatched(t.Context(), one, func(tx *store.Tx) error {
		var backend int
		if err := tx.QueryRow(t.Context(), `SELECT pg_backend_pid()`).Scan(&backend); err != nil {
			return err
		}
		for runs++; runs == 1; { // until the server has ended it
			there := 0
			if err := db.View(t.Context(), func(tx *store.Tx) error {
				return tx.QueryRow(t.Context(), `SELECT COUNT(*) FROM pg_stat_activity WHERE pid = $1`, backend).Scan(&there)
			}); err != nil || there == 0 {
				break
			}
		}
		db.SetIdle(time.Hour) // the second run is not broken off, however slow the machine is
		return insert(t.Context(), fmt.Sprint(runs), 1)(tx)
	})
	if err != nil || runs != 2 {
		t.Errorf("after %d runs: %v", runs, err)
	}
	wantIDs(t, db, "2")
}

// TestPutIsThereBeforeWhateverComesNext looks from behind each kind of statement at what was put
// before it.
func TestPutIsThereBeforeWhateverComesNext(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(*testing.T, ...store.Schema) *store.DB) {
		db := open(t, notes)
		ctx := t.Context()
		const many = 250
		err := db.Update(ctx, func(tx *store.Tx) error {
			if err := errors.Join(putting("a")(ctx, tx), putting("b")(ctx, tx)); err != nil {
				return err
			}
			var n int64
			if err := tx.QueryRow(ctx, `SELECT COUNT(*) FROM notes`).Scan(&n); err != nil || n != 2 {
				return fmt.Errorf("a query sees %d: %w", n, err)
			}
			if err := putting("c")(ctx, tx); err != nil {
				return err
			}
			if n, err := tx.Exec(ctx, `UPDATE notes SET n = n + $1`, 1); err != nil || n != 3 {
				return fmt.Errorf("a statement changes %d: %w", n, err)
			}
			if err := tx.ExecOne(ctx, `UPDATE notes SET n = n * $1 WHERE id = $2`, 10, "a"); err != nil {
				return err
			}
			if _, err := tx.BulkInsert(ctx, "notes", []string{"id", "n"}, func(yield func([]any) bool) {
				yield([]any{"d", int64(7)})
			}); err != nil {
				return err
			}
			for i := range many {
				if err := putting(fmt.Sprint("z", i))(ctx, tx); err != nil {
					return err
				}
			}
			return tx.ExecOne(ctx, `UPDATE notes SET n = n + $1 WHERE id = $2`, 3, "a")
		})
		if err != nil {
			t.Fatal(err)
		}
		var n, all int64
		if err := db.View(ctx, func(tx *store.Tx) error {
			return tx.QueryRow(ctx, `SELECT (SELECT n FROM notes WHERE id = 'a'), (SELECT COUNT(*) FROM notes)`).Scan(&n, &all)
		}); err != nil || n != 23 || all != 4+many {
			t.Errorf("a is %d, and there are %d rows: %v", n, all, err)
		}
	})
}

func TestPutThatFailsUndoesTheUpdate(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(*testing.T, ...store.Schema) *store.DB) {
		db := open(t, notes)
		ctx := t.Context()
		add(t, db, "there", 1)
		add(t, db, "too", 1)
		for name, fn := range map[string]func(tx *store.Tx) error{
			"a key twice": func(tx *store.Tx) error { _ = putting("there")(ctx, tx); return nil },
			"no row": func(tx *store.Tx) error {
				_ = tx.ExecOne(ctx, `UPDATE notes SET n = $1 WHERE id = $2`, 2, "none")
				return nil
			},
			"two rows": func(tx *store.Tx) error { _ = tx.ExecOne(ctx, `UPDATE notes SET n = $1`, 2); return nil },
			"no row before another": func(tx *store.Tx) error {
				_ = tx.ExecOne(ctx, `DELETE FROM notes WHERE id = $1`, "none")
				return putting("x")(ctx, tx)
			},
			"no row before a query": func(tx *store.Tx) error {
				_ = tx.ExecOne(ctx, `DELETE FROM notes WHERE id = $1`, "none")
				_ = tx.QueryRow(ctx, `SELECT 1`).Scan(new(int))
				return nil
			},
			"no row before an update": func(tx *store.Tx) error {
				_ = tx.ExecOne(ctx, `DELETE FROM notes WHERE id = $1`, "none")
				_, _ = tx.Exec(ctx, `UPDATE notes SET n = $1`, 5)
				return nil
			},
			"no such column": func(tx *store.Tx) error { _ = tx.ExecOne(ctx, `UPDATE notes SET m = $1`, 1); return nil },
		} {
			t.Run(name, func(t *testing.T) {
				err := db.Update(ctx, func(tx *store.Tx) error {
					if err := putting("before")(ctx, tx); err != nil {
						return err
					}
					return fn(tx)
				})
				if err == nil {
					t.Error("it was not refused")
				}
				wantIDs(t, db, "there", "too")
			})
		}
		if err := db.View(ctx, func(tx *store.Tx) error { return tx.ExecOne(ctx, `DELETE FROM notes WHERE id = $1`, "there") }); err == nil {
			t.Error("a View has put")
		}
		wantIDs(t, db, "there", "too")
	})
}
