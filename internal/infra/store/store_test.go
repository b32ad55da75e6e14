package store_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"frontdesk/internal/infra/store"
	"frontdesk/internal/testkit/storetest"
)

// notes is a room of the tests' own.
var notes = store.Schema{ID: "notes", Steps: []string{
	`CREATE TABLE notes (id {{text}} NOT NULL PRIMARY KEY, n BIGINT NOT NULL, body {{bytes}}, share DOUBLE PRECISION)`,
}}

func add(t *testing.T, db *store.DB, id string, n int) {
	t.Helper()
	if err := db.Update(t.Context(), insert(t.Context(), id, n)); err != nil {
		t.Fatal(err)
	}
}

func insert(ctx context.Context, id string, n int) func(*store.Tx) error {
	return func(tx *store.Tx) error {
		_, err := tx.Exec(ctx, `INSERT INTO notes (id, n) VALUES ($1, $2)`, id, n)
		return err
	}
}

// ids reads what is in the table.
func ids(t *testing.T, db *store.DB) (found []string) {
	t.Helper()
	err := db.View(t.Context(), func(tx *store.Tx) error {
		rows, err := tx.Query(t.Context(), `SELECT id FROM notes ORDER BY id`)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var id string
			if err := rows.Scan(&id); err != nil {
				return err
			}
			found = append(found, id)
		}
		return rows.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func wantIDs(t *testing.T, db *store.DB, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, ids(t, db)); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}

func TestUpdateKeepsWhatSucceedsAndUndoesWhatFails(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(*testing.T, ...store.Schema) *store.DB) {
		db := open(t, notes)
		add(t, db, "a", 1)
		refused := errors.New("no")
		err := db.Update(t.Context(), func(tx *store.Tx) error {
			if err := insert(t.Context(), "b", 2)(tx); err != nil {
				t.Error(err)
			}
			return refused
		})
		if err != refused {
			t.Errorf("the error is %v, want the closure's own", err)
		}
		wantIDs(t, db, "a")
	})
}

func TestFailedStatementUndoesTheUpdateEvenIfPassedOver(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(*testing.T, ...store.Schema) *store.DB) {
		db := open(t, notes)
		add(t, db, "a", 1)
		err := db.Update(t.Context(), func(tx *store.Tx) error {
			_ = insert(t.Context(), "b", 2)(tx)
			_ = insert(t.Context(), "a", 3)(tx) // is there already
			_ = insert(t.Context(), "c", 4)(tx)
			var n int
			if err := tx.QueryRow(t.Context(), `SELECT n FROM notes`).Scan(&n); err == nil {
				t.Error("a query after a failed statement gives rows")
			}
			return nil
		})
		if err == nil {
			t.Error("an Update in which a statement failed has succeeded")
		}
		wantIDs(t, db, "a")
	})
}

func TestFailedQueryRowIsReportedInItsOwnWords(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(*testing.T, ...store.Schema) *store.DB) {
		db := open(t, notes)
		err := db.Update(t.Context(), func(tx *store.Tx) error {
			_, _ = tx.Exec(t.Context(), `INSERT INTO nowhere (id) VALUES ($1)`, "a")
			var n int
			return tx.QueryRow(t.Context(), `SELECT n FROM notes`).Scan(&n)
		})
		if err == nil || !strings.Contains(err.Error(), "nowhere") {
			t.Errorf("the error is %v, want the one of the statement that failed first", err)
		}
	})
}

func TestPanicUndoesTheUpdateAndReachesTheCaller(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(*testing.T, ...store.Schema) *store.DB) {
		db := open(t, notes)
		func() {
			defer func() {
				if got := recover(); got != "oh" {
					t.Errorf("recovered %v", got)
				}
			}()
			_ = db.Update(t.Context(), func(tx *store.Tx) error {
				_ = insert(t.Context(), "a", 1)(tx)
				panic("oh")
			})
		}()
		add(t, db, "b", 2)
		wantIDs(t, db, "b")
	})
}

func TestGoexitUndoesTheUpdate(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(*testing.T, ...store.Schema) *store.DB) {
		db := open(t, notes)
		var done sync.WaitGroup
		done.Go(func() {
			_ = db.Update(t.Context(), func(tx *store.Tx) error {
				_ = insert(t.Context(), "a", 1)(tx)
				runtime.Goexit() // as t.FailNow does
				return nil
			})
		})
		done.Wait()
		add(t, db, "b", 2)
		wantIDs(t, db, "b")
	})
}

func TestViewCannotWrite(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(*testing.T, ...store.Schema) *store.DB) {
		db := open(t, notes)
		if err := db.View(t.Context(), insert(t.Context(), "a", 1)); err == nil {
			t.Error("a View has written")
		}
		err := db.View(t.Context(), func(tx *store.Tx) error {
			_, err := tx.BulkInsert(t.Context(), "notes", []string{"id"}, func(func([]any) bool) {})
			return err
		})
		if err == nil {
			t.Error("a View has written in bulk")
		}
		wantIDs(t, db)
	})
}

func TestViewSeesOneState(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(*testing.T, ...store.Schema) *store.DB) {
		db := open(t, notes)
		add(t, db, "a", 1)
		count := func(tx *store.Tx) (n int) {
			if err := tx.QueryRow(t.Context(), `SELECT COUNT(*) FROM notes`).Scan(&n); err != nil {
				t.Error(err)
			}
			return n
		}
		err := db.View(t.Context(), func(tx *store.Tx) error {
			before := count(tx)
			add(t, db, "b", 2)
			if after := count(tx); after != before {
				t.Errorf("a View saw %d rows, then %d", before, after)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		wantIDs(t, db, "a", "b")
	})
}

func TestNoIncrementIsLost(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(*testing.T, ...store.Schema) *store.DB) {
		db := open(t, notes)
		add(t, db, "counter", 0)
		const callers, each = 8, 10
		var all sync.WaitGroup
		for range callers {
			all.Go(func() {
				for range each {
					if err := db.Update(t.Context(), increment(t.Context())); err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
		if got := counter(t, db); got != callers*each {
			t.Errorf("the counter stands at %d, want %d", got, callers*each)
		}
	})
}

// increment reads, then writes what it computed, which only serializable transactions keep right.
func increment(ctx context.Context) func(*store.Tx) error {
	return func(tx *store.Tx) error {
		var n int
		if err := tx.QueryRow(ctx, `SELECT n FROM notes WHERE id = $1`, "counter").Scan(&n); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `UPDATE notes SET n = $1 WHERE id = $2`, n+1, "counter")
		return err
	}
}

func counter(t *testing.T, db *store.DB) (n int) {
	t.Helper()
	err := db.View(t.Context(), func(tx *store.Tx) error {
		return tx.QueryRow(t.Context(), `SELECT n FROM notes WHERE id = $1`, "counter").Scan(&n)
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestSerializable lets two transactions each look at what the other writes (write skew): in no
// order of the two do both find nothing.
func TestSerializable(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(*testing.T, ...store.Schema) *store.DB) {
		db := open(t, notes)
		for round := range 20 {
			var all sync.WaitGroup
			for _, name := range []string{"x", "y"} {
				all.Go(func() {
					err := db.Update(t.Context(), func(tx *store.Tx) error {
						var n int
						if err := tx.QueryRow(t.Context(), `SELECT COUNT(*) FROM notes WHERE n = $1`, round).Scan(&n); err != nil || n > 0 {
							return err
						}
						return insert(t.Context(), fmt.Sprint(name, round), round)(tx)
					})
					if err != nil {
						t.Error(err)
					}
				})
			}
			all.Wait()
		}
		if got := len(ids(t, db)); got != 20 {
			t.Errorf("%d rows, want one for each of 20 rounds", got)
		}
	})
}

func TestBulkKeepsEveryKindOfValue(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(*testing.T, ...store.Schema) *store.DB) {
		db := open(t, notes)
		rows := [][]any{
			{"a", int64(math.MaxInt64), []byte{0, 255}, 0.5},
			{"ä'\"", -1, []byte{}, nil},
			{"c", 0, nil, float64(3)},
		}
		err := db.Update(t.Context(), func(tx *store.Tx) error {
			n, err := tx.BulkInsert(t.Context(), "notes", []string{"id", "n", "body", "share"}, values(rows))
			if n != 3 {
				t.Errorf("Bulk counts %d rows", n)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		type note struct {
			ID    string
			N     int64
			Body  []byte
			Share *float64
		}
		var got []note
		err = db.View(t.Context(), func(tx *store.Tx) error {
			rows, err := tx.Query(t.Context(), `SELECT id, n, body, share FROM notes ORDER BY id`)
			if err != nil {
				return err
			}
			defer rows.Close()
			for rows.Next() {
				var n note
				if err := rows.Scan(&n.ID, &n.N, &n.Body, &n.Share); err != nil {
					return err
				}
				got = append(got, n)
			}
			return rows.Err()
		})
		if err != nil {
			t.Fatal(err)
		}
		half, three := 0.5, 3.0
		want := []note{{"a", math.MaxInt64, []byte{0, 255}, &half}, {"c", 0, nil, &three}, {"ä'\"", -1, []byte{}, nil}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("rows (-want +got):\n%s", diff)
		}
	})
}

func values(rows [][]any) func(func([]any) bool) {
	return func(yield func([]any) bool) {
		for _, row := range rows {
			if !yield(row) {
				return
			}
		}
	}
}

func TestBulkThatFailsUndoesTheUpdate(t *testing.T) {
	t.Parallel()
	for name, rows := range map[string][][]any{
		"a key twice":    {{"x", 1}, {"y", 2}, {"x", 3}},
		"too few values": {{"x", 1}, {"y"}},
		"a wrong kind":   {{"x", 1}, {"y", struct{}{}}},
	} {
		t.Run(name, func(t *testing.T) {
			storetest.Each(t, func(t *testing.T, open func(*testing.T, ...store.Schema) *store.DB) {
				db := open(t, notes)
				err := db.Update(t.Context(), func(tx *store.Tx) error {
					_, _ = tx.BulkInsert(t.Context(), "notes", []string{"id", "n"}, values(rows))
					return nil
				})
				if err == nil {
					t.Error("the Update has succeeded")
				}
				wantIDs(t, db)
				add(t, db, "after", 1)
			})
		})
	}
}

func TestBulkSurvivesAPanickingIterator(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(*testing.T, ...store.Schema) *store.DB) {
		db := open(t, notes)
		func() {
			defer func() {
				if got := recover(); got != "oh" {
					t.Errorf("recovered %v", got)
				}
			}()
			_ = db.Update(t.Context(), func(tx *store.Tx) error {
				_, err := tx.BulkInsert(t.Context(), "notes", []string{"id", "n"}, func(yield func([]any) bool) {
					yield([]any{"a", 1})
					panic("oh")
				})
				return err
			})
		}()
		add(t, db, "b", 2)
		wantIDs(t, db, "b")
	})
}

func TestBulkEndsWithItsContext(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(*testing.T, ...store.Schema) *store.DB) {
		db := open(t, notes)
		ctx, cancel := context.WithCancel(t.Context())
		err := db.Update(ctx, func(tx *store.Tx) error {
			_, err := tx.BulkInsert(ctx, "notes", []string{"id", "n"}, func(yield func([]any) bool) {
				for i := 0; yield([]any{fmt.Sprint(i), i}); i++ {
					if i == 1000 {
						cancel()
					}
				}
			})
			return err
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("the error is %v", err)
		}
		wantIDs(t, db)
		add(t, db, "after", 1)
	})
}

func TestCancelledContextRunsNothing(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(*testing.T, ...store.Schema) *store.DB) {
		db := open(t, notes)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		for name, do := range map[string]func(context.Context, func(*store.Tx) error) error{"View": db.View,
			"Update": db.Update} {
			err := do(ctx, func(*store.Tx) error {
				t.Errorf("%s has run its closure", name)
				return nil
			})
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%s gives %v", name, err)
			}
		}
	})
}

func TestContextThatEndsInsideUndoesTheUpdate(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(*testing.T, ...store.Schema) *store.DB) {
		db := open(t, notes)
		ctx, cancel := context.WithCancel(t.Context())
		err := db.Update(ctx, func(tx *store.Tx) error {
			if err := insert(ctx, "a", 1)(tx); err != nil {
				return err
			}
			cancel()
			return insert(ctx, "b", 1)(tx)
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("the error is %v", err)
		}
		wantIDs(t, db)
	})
}

func TestTxEndsWithItsClosure(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(*testing.T, ...store.Schema) *store.DB) {
		db := open(t, notes)
		var kept *store.Tx
		if err := db.Update(t.Context(), func(tx *store.Tx) error { kept = tx; return nil }); err != nil {
			t.Fatal(err)
		}
		if err := insert(t.Context(), "a", 1)(kept); err == nil {
			t.Error("a Tx works on after its closure")
		}
		wantIDs(t, db)
	})
}

func TestRowsLeftOpenHarmNobody(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(*testing.T, ...store.Schema) *store.DB) {
		db := open(t, notes)
		add(t, db, "a", 1)
		add(t, db, "b", 1)
		for range 3 {
			err := db.Update(t.Context(), func(tx *store.Tx) error {
				rows, err := tx.Query(t.Context(), `SELECT id FROM notes`)
				if err == nil {
					rows.Next()
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		add(t, db, "c", 1)
		wantIDs(t, db, "a", "b", "c")
	})
}

func TestClosedDatabaseSaysSo(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(*testing.T, ...store.Schema) *store.DB) {
		db := open(t, notes)
		if err := db.Ping(t.Context()); err != nil {
			t.Error(err)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
		for name, err := range map[string]error{
			"View":   db.View(t.Context(), func(*store.Tx) error { return nil }),
			"Update": db.Update(t.Context(), func(*store.Tx) error { return nil }),
			"Ping":   db.Ping(t.Context()),
		} {
			if !errors.Is(err, store.ErrClosed) {
				t.Errorf("%s of a closed database gives %v", name, err)
			}
		}
	})
}

func TestTimesAreMicroseconds(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 20, 8, 30, 1, 2_003_999, time.FixedZone("", 3600))
	if got, want := store.FromMicros(store.Micros(at)), time.Date(2026, 11, 20, 7, 30, 1, 2_003_000, time.UTC); got !=
		want {
		t.Errorf("%v comes back as %v", at, got)
	}
	if !store.FromMicros(store.Micros(time.Time{})).IsZero() {
		t.Error("the zero time does not come back as itself")
	}
}

func TestParams(t *testing.T) {
	t.Parallel()
	for want, got := range map[string]string{"": store.Params(1, 0), "$1": store.Params(1, 1),
		"$9, $10, $11": store.Params(9, 3)} {
		if got != want {
			t.Errorf("Params gives %q, want %q", got, want)
		}
	}
}
