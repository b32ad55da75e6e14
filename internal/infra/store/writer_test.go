package store

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
)

var notes = Schema{ID: "notes", Steps: []string{`CREATE TABLE notes (id {{text}} NOT NULL PRIMARY KEY, n BIGINT NOT NULL)`}}

func openFile(t testing.TB, path string) *DB {
	t.Helper()
	db, err := Open(t.Context(), Config{DSN: path, Schemas: []Schema{notes}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Errorf("closing: %v", err)
		}
	})
	return db
}

func writerOf(db *DB) *writer { return db.engine.(*sqliteEngine).writer }

// hold occupies the writer until the function it returns is called, so that a test can line others
// up behind it.
func hold(t *testing.T, db *DB) (release func()) {
	t.Helper()
	held, free, done := make(chan bool, 2), make(chan bool), make(chan error)
	go func() {
		done <- db.Update(t.Context(), func(*Tx) error {
			held <- true
			<-free
			return nil
		})
	}()
	<-held
	return func() {
		close(free)
		if err := <-done; err != nil {
			t.Errorf("the one that held the writer: %v", err)
		}
	}
}

// lineUp starts an Update for each of fns behind one that holds the writer, waits until all stand
// in the queue, and gives their errors. It is for the inside of a synctest bubble, which knows when
// they do.
func lineUp(t *testing.T, db *DB, fns ...func(*Tx) error) []error {
	t.Helper()
	release := hold(t, db)
	errs := make([]error, len(fns))
	var all sync.WaitGroup
	for i, fn := range fns {
		all.Go(func() {
			defer func() {
				if p := recover(); p != nil {
					errs[i] = fmt.Errorf("panic: %v", p)
				}
			}()
			errs[i] = db.Update(t.Context(), fn)
		})
	}
	synctest.Wait()
	release()
	all.Wait()
	return errs
}

// bubble runs a test with an SQLite database in a synctest bubble.
func bubble(t *testing.T, test func(t *testing.T, db *DB)) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "test.db")
	synctest.Test(t, func(t *testing.T) { test(t, openFile(t, path)) })
}

func put(ctx context.Context, id string) func(*Tx) error {
	return func(tx *Tx) error {
		_, err := tx.Exec(ctx, `INSERT INTO notes (id, n) VALUES ($1, 0)`, id)
		return err
	}
}

func wantNotes(t *testing.T, db *DB, want ...string) {
	t.Helper()
	var got []string
	err := db.View(context.Background(), func(tx *Tx) error {
		rows, err := tx.Query(context.Background(), `SELECT id FROM notes ORDER BY id`)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var id string
			if err := rows.Scan(&id); err != nil {
				return err
			}
			got = append(got, id)
		}
		return rows.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}

func TestWaitingUpdatesShareOneCommit(t *testing.T) {
	bubble(t, func(t *testing.T, db *DB) {
		before := writerOf(db).commits.Load()
		for _, err := range lineUp(t, db, put(t.Context(), "a"), put(t.Context(), "b"), put(t.Context(), "c")) {
			if err != nil {
				t.Error(err)
			}
		}
		if got := writerOf(db).commits.Load() - before; got != 1 {
			t.Errorf("%d commits for four Updates at once, want 1", got)
		}
		wantNotes(t, db, "a", "b", "c")
	})
}

func TestOneFailureInAGroupHurtsNobodyElse(t *testing.T) {
	refused := errors.New("no")
	for name, bad := range map[string]func(ctx context.Context, tx *Tx) error{
		"an error":           func(ctx context.Context, tx *Tx) error { return refused },
		"a failed statement": func(ctx context.Context, tx *Tx) error { return put(ctx, "bad")(tx) },
		"a panic":            func(ctx context.Context, tx *Tx) error { panic(refused) },
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, db *DB) {
				errs := lineUp(t, db,
					put(t.Context(), "a"),
					func(tx *Tx) error {
						if err := put(t.Context(), "bad")(tx); err != nil {
							t.Error(err)
						}
						return bad(t.Context(), tx)
					},
					put(t.Context(), "c"))
				if errs[0] != nil || errs[1] == nil || errs[2] != nil {
					t.Errorf("the errors are %v", errs)
				}
				wantNotes(t, db, "a", "c")
			})
		})
	}
}

// TestGroupThatIsLostRunsAgainOneByOne takes the whole transaction back from inside one member, as
// SQLite does by itself when, say, the disk is full.
func TestGroupThatIsLostRunsAgainOneByOne(t *testing.T) {
	bubble(t, func(t *testing.T, db *DB) {
		runs := map[string]int{}
		count := func(id string, fn func(*Tx) error) func(*Tx) error {
			return func(tx *Tx) error {
				runs[id]++
				return fn(tx)
			}
		}
		errs := lineUp(t, db,
			count("a", put(t.Context(), "a")),
			count("b", put(t.Context(), "b")),
			count("bad", func(tx *Tx) error {
				_ = put(t.Context(), "bad")(tx)
				_, err := tx.Exec(t.Context(), `ROLLBACK`)
				return err
			}),
			count("c", put(t.Context(), "c")))
		for i, failed := range []bool{false, false, true, false} {
			if (errs[i] != nil) != failed {
				t.Errorf("the error of %d is %v", i, errs[i])
			}
		}
		if runs["bad"] != 1 {
			t.Errorf("the one that lost the transaction ran %d times", runs["bad"])
		}
		wantNotes(t, db, "a", "b", "c")
	})
}

func TestUpdateThatLeavesTheQueueIsNotRun(t *testing.T) {
	bubble(t, func(t *testing.T, db *DB) {
		release := hold(t, db)
		ctx, cancel := context.WithCancel(t.Context())
		left := make(chan error)
		go func() {
			left <- db.Update(ctx, func(*Tx) error {
				t.Error("the closure of a caller that has left was run")
				return nil
			})
		}()
		synctest.Wait()
		cancel()
		if err := <-left; !errors.Is(err, context.Canceled) { // while the writer is still held
			t.Errorf("the error is %v", err)
		}
		release()
		wantNotes(t, db)
	})
}

func TestContextThatEndsInOneMemberLeavesTheGroupAlone(t *testing.T) {
	bubble(t, func(t *testing.T, db *DB) {
		ctx, cancel := context.WithCancel(t.Context())
		errs := lineUp(t, db,
			put(t.Context(), "a"),
			func(tx *Tx) error {
				if err := put(ctx, "bad")(tx); err != nil {
					return err
				}
				cancel()
				return put(ctx, "worse")(tx)
			},
			put(t.Context(), "c"))
		if errs[0] != nil || !errors.Is(errs[1], context.Canceled) || errs[2] != nil {
			t.Errorf("the errors are %v", errs)
		}
		wantNotes(t, db, "a", "c")
	})
}

func TestCloseLetsTheOneThatRunsFinish(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.db")
	synctest.Test(t, func(t *testing.T) {
		db := openFile(t, path)
		started, free, first, second := make(chan bool), make(chan bool), make(chan error), make(chan error)
		go func() {
			first <- db.Update(t.Context(), func(tx *Tx) error {
				close(started)
				<-free
				return put(t.Context(), "a")(tx)
			})
		}()
		<-started
		go func() { second <- db.Update(t.Context(), put(t.Context(), "b")) }()
		synctest.Wait()
		closed := make(chan error)
		go func() { closed <- db.Close() }()
		if err := <-second; !errors.Is(err, ErrClosed) {
			t.Errorf("the one that waited got %v", err)
		}
		close(free)
		if err := errors.Join(<-first, <-closed); err != nil {
			t.Error(err)
		}
		wantNotes(t, openFile(t, path), "a")
	})
}

func TestTwoProcessesWriteTheSameFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.db")
	dbs := []*DB{openFile(t, path), openFile(t, path)}
	var all sync.WaitGroup
	const each = 40
	for i, db := range dbs {
		for k := range 4 {
			all.Go(func() {
				for n := range each / 4 {
					if err := db.Update(t.Context(), put(t.Context(), fmt.Sprint(i, k, n))); err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
	all.Wait()
	for _, db := range dbs {
		var n int
		err := db.View(t.Context(), func(tx *Tx) error {
			return tx.QueryRow(t.Context(), `SELECT COUNT(*) FROM notes`).Scan(&n)
		})
		if err != nil || n != 2*each {
			t.Errorf("%d rows (%v), want %d", n, err, 2*each)
		}
	}
}

// BenchmarkUpdateGroup shows how group commit pays: what one Update costs with so many callers, and
// how many commits.
func BenchmarkUpdateGroup(b *testing.B) {
	for _, callers := range []int{1, 32} {
		b.Run(fmt.Sprintf("callers=%d", callers), func(b *testing.B) {
			db := openFile(b, filepath.Join(b.TempDir(), "test.db"))
			before := writerOf(db).commits.Load()
			var next atomic.Int64
			var all sync.WaitGroup
			b.ResetTimer()
			for range callers {
				all.Go(func() {
					for n := next.Add(1); n <= int64(b.N); n = next.Add(1) {
						if err := db.Update(context.Background(), put(context.Background(), fmt.Sprint(n))); err !=
							nil {
							b.Error(err)
						}
					}
				})
			}
			all.Wait()
			b.ReportMetric(float64(writerOf(db).commits.Load()-before)/float64(b.N), "commits/op")
		})
	}
}

// TestCloseWhileATransactionBegins closes a database in the moment in which a transaction begins.
// The pool gives up the connection then, which is no fault of the database's.
func TestCloseWhileATransactionBegins(t *testing.T) {
	t.Parallel()
	db := openFile(t, filepath.Join(t.TempDir(), "test.db")) // which holds that closing it is no error
	w := db.engine.(*sqliteEngine).writer
	w.stop()
	<-w.stopped
	for range 100 {
		if _, err := w.begin(); !errors.Is(err, ErrClosed) {
			t.Fatalf("it began: %v", err)
		}
	}
}
