package store_test

import (
	"context"
	"database/sql"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"frontdesk/internal/infra/store"
	"frontdesk/internal/testkit/storetest"
)

// kind is a text of a type of its own, as the rooms have them.
type kind string

var samples = store.Schema{ID: "samples", Steps: []string{`CREATE TABLE samples (n BIGINT, f DOUBLE PRECISION, t TEXT, b {{bytes}}, none BIGINT)`}}

// openSamples has one row with a value of each kind.
func openSamples(t *testing.T, open func(*testing.T, ...store.Schema) *store.DB) *store.DB {
	db := open(t, samples)
	if err := db.Update(t.Context(), func(tx *store.Tx) error {
		_, err := tx.Exec(t.Context(), `INSERT INTO samples (n, f, t, b, none) VALUES ($1, $2, $3, $4, $5)`, int32(42),
			float32(1.5), kind("2026-11-22T09:00:00Z"), []byte{0, 1}, (*int64)(nil))
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return db
}

// ask runs a query of one row.
func ask(t *testing.T, db *store.DB, query string, targets ...any) error {
	t.Helper()
	return db.View(t.Context(), func(tx *store.Tx) error { return tx.QueryRow(t.Context(), query).Scan(targets...) })
}

func TestScanReadsEveryKindOfValue(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(*testing.T, ...store.Schema) *store.DB) {
		db := openSamples(t, open)
		type read struct {
			N     int
			N64   int64
			U     uint8
			Known bool
			At    time.Time
			Never time.Time
			F     float64
			T     string
			K     kind
			B, BT []byte
			None  sql.NullInt64
			Nobly *int64
			Point *string
			Any   []any
		}
		got := read{Any: make([]any, 4), Nobly: new(int64)}
		if err := ask(t, db, `SELECT n, n, n, n - 41, n, n - 42, f, t, t, b, t, none, none, t, n, f, t, b FROM samples`,
			&got.N, &got.N64, &got.U, &got.Known, &got.At, &got.Never, &got.F, &got.T, &got.K, &got.B, &got.BT,
			&got.None, &got.Nobly, &got.Point, &got.Any[0], &got.Any[1], &got.Any[2],
			&got.Any[3]); err != nil {
			t.Fatal(err)
		}
		text := "2026-11-22T09:00:00Z"
		want := read{42, 42, 42, true, time.UnixMicro(42).UTC(), time.Time{}, 1.5, text, kind(text), []byte{0, 1},
			[]byte(text), sql.NullInt64{}, nil, &text, []any{int64(42), 1.5, text, []byte{0, 1}}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestScanRefusesWhatDoesNotFit(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(*testing.T, ...store.Schema) *store.DB) {
		db := openSamples(t, open)
		var n int
		var small int8
		var text string
		for _, c := range []struct {
			query   string
			targets []any
		}{
			{`SELECT none FROM samples`, []any{&n}},
			{`SELECT none FROM samples`, []any{&text}},
			{`SELECT t FROM samples`, []any{&n}},
			{`SELECT t FROM samples`, []any{new(time.Time)}},
			{`SELECT none FROM samples`, []any{new(time.Time)}},
			{`SELECT n + 1000 FROM samples`, []any{&small}},
			{`SELECT n, t FROM samples`, []any{&n}},
			{`SELECT n FROM samples`, []any{n}},
			{`SELECT n FROM samples`, []any{new(struct{})}},
		} {
			if err := ask(t, db, c.query, c.targets...); err == nil {
				t.Errorf("%s is read into %T", c.query, c.targets[0])
			}
		}
		if err := ask(t, db, `SELECT n FROM samples WHERE n = 0`, &n); !errors.Is(err, sql.ErrNoRows) {
			t.Errorf("no row is %v", err)
		}
	})
}

func TestRowsTellNothingOnceTheyAreClosed(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(*testing.T, ...store.Schema) *store.DB) {
		db := openSamples(t, open)
		if err := db.View(t.Context(), func(tx *store.Tx) error {
			rows, err := tx.Query(t.Context(), `SELECT n, t FROM samples`)
			if err != nil {
				return err
			}
			if names, err := rows.Columns(); err != nil || !cmp.Equal(names, []string{"n", "t"}) {
				t.Errorf("the columns are %v (%v)", names, err)
			}
			var n int
			var text string
			if err := rows.Scan(&n, &text); err == nil {
				t.Error("a row is read before the first")
			}
			if !rows.Next() || rows.Scan(&n, &text) != nil || n != 42 {
				t.Errorf("there is no row: %v", rows.Err())
			}
			if err := errors.Join(rows.Close(), rows.Close()); err != nil {
				t.Error(err)
			}
			if rows.Next() || rows.Scan(&n, &text) == nil {
				t.Error("closed rows go on")
			}
			if _, err := rows.Columns(); err == nil {
				t.Error("closed rows have columns")
			}
			return rows.Err()
		}); err != nil {
			t.Fatal(err)
		}
	})
}

// TestArgumentsMustFitTheirParameters gives too few, too many, and what no column can hold.
func TestArgumentsMustFitTheirParameters(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(*testing.T, ...store.Schema) *store.DB) {
		db := openSamples(t, open)
		for _, args := range [][]any{{1}, {1, 2, 3}, {1, struct{}{}}} {
			if err := db.Update(t.Context(), func(tx *store.Tx) error {
				_, err := tx.Exec(t.Context(), `UPDATE samples SET n = $1 WHERE n = $2`, args...)
				return err
			}); err == nil {
				t.Errorf("%v is taken", args)
			}
			if err := db.View(t.Context(), func(tx *store.Tx) error {
				rows, err := tx.Query(t.Context(), `SELECT n FROM samples WHERE n = $1 AND n < $2`, args...)
				if err == nil {
					rows.Close()
				}
				return err
			}); err == nil {
				t.Errorf("%v is taken by a query", args)
			}
		}
	})
}

// TestAViewWaitsForAConnectionAndNoLongerThanItsContext has all connections taken.
func TestAViewWaitsForAConnectionAndNoLongerThanItsContext(t *testing.T) {
	t.Parallel()
	db, err := store.Open(t.Context(),
		store.Config{DSN: t.TempDir() + "/test.db", Schemas: []store.Schema{samples}, Readers: 1})
	if err != nil {
		t.Fatal(err)
	}
	inside, leave, done := make(chan bool), make(chan bool), make(chan error)
	go func() {
		done <- db.View(t.Context(), func(*store.Tx) error { inside <- true; <-leave; return nil })
	}()
	<-inside
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if err := db.View(ctx, func(*store.Tx) error {
		t.Error("there were two")
		return nil
	}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the second ends with %v", err)
	}
	waits := make(chan error)
	go func() { waits <- db.View(t.Context(), func(*store.Tx) error { return nil }) }()
	close(leave)
	if err := errors.Join(<-done, <-waits); err != nil {
		t.Error(err)
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
}

// TestAQueryEndsWithItsContext breaks one off that would count for hours.
func TestAQueryEndsWithItsContext(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(*testing.T, ...store.Schema) *store.DB) {
		db := open(t, samples)
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		var n int64
		err := db.View(ctx, func(tx *store.Tx) error {
			return tx.QueryRow(ctx, `WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 100000000000) SELECT COUNT(*) FROM c`).Scan(&n)
		})
		if err == nil || ctx.Err() == nil {
			t.Errorf("it ends with %v", err)
		}
		if err := db.View(t.Context(), func(tx *store.Tx) error {
			return tx.QueryRow(t.Context(), `SELECT COUNT(*) FROM samples`).Scan(&n)
		}); err != nil {
			t.Errorf("the connection is of no more use: %v", err)
		}
	})
}
