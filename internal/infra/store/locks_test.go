package store_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/internal/infra/store"
	"frontdesk/internal/testkit/storetest"
)

// nodes are two processes with the same database.
func nodes(t *testing.T) [2]*store.DB {
	dsn := storetest.NewPostgres(t)
	return [2]*store.DB{storetest.Open(t, dsn, notes), storetest.Open(t, dsn, notes)}
}

// holdOpen has a transaction that has written a row stand still with some locks, as one does whose
// node is paused, until it is let go on.
func holdOpen(t *testing.T, db *store.DB, row string, locks ...string) (release func() error) {
	t.Helper()
	held, free, done := make(chan bool), make(chan bool), make(chan error, 1)
	once := sync.OnceFunc(func() {
		close(held)
		<-free
	})
	go func() {
		done <- db.UpdateBatched(t.Context(), locks, func(tx *store.Tx) error {
			err := insert(t.Context(), row, 1)(tx)
			once()
			return err
		})
	}()
	<-held
	return sync.OnceValue(func() error {
		close(free)
		return <-done
	})
}

func TestWhoHasOtherLocksDoesNotWaitForATransactionThatStandsStill(t *testing.T) {
	t.Parallel()
	db := nodes(t)
	release := holdOpen(t, db[0], "held", "a", "shared")
	for i, node := range db {
		row := fmt.Sprint("other ", i)
		if err := node.UpdateBatched(t.Context(), []string{"b"}, insertOf(t, row)); err != nil {
			t.Error(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		err := node.UpdateBatched(ctx, []string{"shared", "c"}, insertOf(t, "too early"))
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("node %d did not wait for a lock: %v", i, err)
		}
	}
	if err := release(); err != nil {
		t.Error(err)
	}
	for i, node := range db { // and the locks that were waited for in vain are nobody's
		all := []string{"shared", "c", "a"}
		if err := node.UpdateBatched(t.Context(), all, insertOf(t, fmt.Sprint("c", i))); err != nil {
			t.Error(err)
		}
	}
	wantIDs(t, db[0], "c0", "c1", "held", "other 0", "other 1")
	// a connection that was given up may take a moment
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for locks := -1; locks != 0; {
		if err := db[0].View(ctx, func(tx *store.Tx) error {
			return tx.QueryRow(ctx, `SELECT COUNT(*) FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`).Scan(&locks)
		}); err != nil {
			t.Fatalf("%d locks are left: %v", locks, err)
		}
	}
}

func insertOf(t *testing.T, row string) func(*store.Tx) error { return insert(t.Context(), row, 1) }

// TestOthersGoOnWhileANodeStandsStillWithManyLocks has a node stop with as many transactions as
// another has connections, all of which that asks for.
func TestOthersGoOnWhileANodeStandsStillWithManyLocks(t *testing.T) {
	t.Parallel()
	db := nodes(t)
	const many = 12 // what a node has of its connections for this
	var waiting sync.WaitGroup
	var through atomic.Int64
	ctx, cancel := context.WithCancel(t.Context())
	var releases []func() error
	for i := range many {
		lock := fmt.Sprint("lock ", i)
		releases = append(releases, holdOpen(t, db[0], lock, lock))
		waiting.Go(func() {
			if db[1].UpdateBatched(ctx, []string{lock}, insertOf(t, "after "+lock)) == nil {
				through.Add(1)
			}
		})
	}
	for i := range 10 {
		free := fmt.Sprint("free ", i)
		if err := db[1].UpdateBatched(t.Context(), []string{free}, insertOf(t, free)); err != nil {
			t.Error(err)
		}
		if err := db[1].View(t.Context(), func(tx *store.Tx) error { return nil }); err != nil {
			t.Error(err)
		}
	}
	if n := through.Load(); n != 0 {
		t.Errorf("%d did not wait", n)
	}
	for _, release := range releases {
		if err := release(); err != nil {
			t.Error(err)
		}
	}
	waiting.Wait()
	cancel()
	if n := through.Load(); n != many {
		t.Errorf("%d of %d went through afterwards", n, many)
	}
	if db[1].Collisions()["locked"] == 0 {
		t.Error("those who waited were not counted")
	}
}

// TestLocksInAnyOrderAreNoDeadlock has many transactions with two locks of four each, named in any
// order, count what belongs to both. None is repeated: each sees what those before have written.
func TestLocksInAnyOrderAreNoDeadlock(t *testing.T) {
	t.Parallel()
	db := nodes(t)
	names := []string{"a", "b", "c", "d"}
	for _, name := range names {
		add(t, db[0], name, 0)
	}
	var runs atomic.Int64
	var all sync.WaitGroup
	const callers, each = 12, 10
	for i := range callers {
		all.Go(func() {
			for n := range each {
				first, second := names[i%4], names[(i+1+n%3)%4]
				if err := db[i%2].UpdateBatched(t.Context(), []string{first, second}, func(tx *store.Tx) error {
					runs.Add(1)
					for _, name := range []string{first, second} {
						var n int64
						if err := tx.QueryRow(t.Context(), `SELECT n FROM notes WHERE id = $1`, name).Scan(&n); err != nil {
							return err
						}
						if err := tx.ExecOne(t.Context(), `UPDATE notes SET n = $1 WHERE id = $2`, n+1, name); err != nil {
							return err
						}
					}
					return nil
				}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	var sum int64
	if err := db[0].View(t.Context(), func(tx *store.Tx) error {
		return tx.QueryRow(t.Context(), `SELECT CAST(SUM(n) AS BIGINT) FROM notes`).Scan(&sum)
	}); err != nil || sum != 2*callers*each {
		t.Errorf("the sum is %d: %v", sum, err)
	}
	for i, node := range db {
		if c := node.Collisions(); runs.Load() != callers*each || c["conflict"] != 0 || c["deadlock"] != 0 {
			t.Errorf("node %d: %d runs, %v", i, runs.Load(), c)
		}
	}
}

// TestWhatTwoWriteWithoutALockInCommonIsRepeated lets two read a row and write it, at a time.
func TestWhatTwoWriteWithoutALockInCommonIsRepeated(t *testing.T) {
	t.Parallel()
	db := nodes(t)
	add(t, db[0], "counter", 0)
	var both sync.WaitGroup
	read := make(chan bool, 2)
	meet := sync.OnceFunc(func() { <-read; <-read })
	var runs atomic.Int64
	for i := range 2 {
		both.Go(func() {
			if err := db[i].UpdateBatched(t.Context(), []string{fmt.Sprint(i)}, func(tx *store.Tx) error {
				var n int64
				if err := tx.QueryRow(t.Context(), `SELECT n FROM notes WHERE id = 'counter'`).Scan(&n); err != nil {
					return err
				}
				if runs.Add(1) <= 2 {
					read <- true
					meet()
				}
				_, err := tx.Exec(t.Context(), `UPDATE notes SET n = $1 WHERE id = 'counter'`, n+1)
				return err
			}); err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
	if n := counter(t, db[0]); n != 2 || runs.Load() != 3 {
		t.Errorf("the counter stands at %d after %d runs", n, runs.Load())
	}
	if n := db[0].Collisions()["conflict"] + db[1].Collisions()["conflict"]; n != 1 {
		t.Errorf("%d conflicts are counted", n)
	}
}

// TestWhatWasAskedAheadIsThereUntilSomethingIsWritten holds that a query asked ahead gives what it
// gives anyway, and nothing old.
func TestWhatWasAskedAheadIsThereUntilSomethingIsWritten(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(*testing.T, ...store.Schema) *store.DB) {
		db, ctx := open(t, notes), t.Context()
		add(t, db, "a", 7)
		q := store.Question{Query: `SELECT id, n FROM notes WHERE n < $1 ORDER BY id`, Args: []any{100}}
		ids := func(tx *store.Tx) (all string) {
			rows, err := tx.Query(ctx, q.Query, q.Args...)
			if err != nil {
				t.Fatal(err)
			}
			defer rows.Close()
			if columns, err := rows.Columns(); err != nil || len(columns) != 2 {
				t.Errorf("%v: %v", columns, err)
			}
			for rows.Next() {
				var id string
				var n int64
				if err := rows.Scan(&id, &n); err != nil {
					t.Fatal(err)
				}
				all += fmt.Sprint(id, n, " ")
			}
			if err := rows.Err(); err != nil {
				t.Error(err)
			}
			return all
		}
		refused := errors.New("it was there")
		err := db.UpdateBatched(ctx, one, func(tx *store.Tx) error {
			if err := tx.ExecOne(ctx, `INSERT INTO notes (id, n) VALUES ($1, $2)`, "b", 8); err != nil {
				return err
			}
			tx.Ahead(q)
			counts, err := tx.CountRows(ctx, q, store.Question{Query: `SELECT 1 FROM notes WHERE id = $1`, Args: []any{"c"}})
			if err != nil || len(counts) != 2 || counts[0] != 2 || counts[1] != 0 {
				t.Errorf("%v: %v", counts, err)
			}
			if got := ids(tx); got != "a7 b8 " {
				t.Errorf("asked ahead: %s", got)
			}
			tx.Ahead(q)
			if _, err := tx.CountRows(ctx, q); err != nil {
				return err
			}
			if err := tx.ExecOne(ctx, `UPDATE notes SET n = $1 WHERE id = $2`, 9, "b"); err != nil {
				return err
			}
			if got := ids(tx); got != "a7 b9 " {
				t.Errorf("after a change: %s", got)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		err = db.UpdateBatched(ctx, one, func(tx *store.Tx) error {
			if err := tx.ExecOneOr(ctx, refused, `INSERT INTO notes (id, n) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING`, "b", 1); err != nil {
				return err
			}
			_, err := tx.CountRows(ctx, q)
			return err
		})
		if !errors.Is(err, refused) {
			t.Errorf("what was there: %v", err)
		}
	})
}
