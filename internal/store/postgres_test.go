package store_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"frontdesk/internal/store"
	"frontdesk/internal/store/storetest"
)

// openServer opens a new database on the scratch server.
func openServer(t *testing.T) *store.DB {
	t.Helper()
	storetest.NeedPostgres(t)
	return storetest.Open(t, storetest.NewPostgres(t), notes)
}

// collide makes the server break a transaction off as it does when two have come between each other.
func collide(ctx context.Context, tx *store.Tx) error {
	_, err := tx.Exec(ctx, `DO $$ BEGIN RAISE EXCEPTION 'another came between' USING ERRCODE = '40001'; END $$`)
	return err
}

func TestCollisionIsRunAgain(t *testing.T) {
	db := openServer(t)
	for name, report := range map[string]func(error) error{
		"told as it was":         func(err error) error { return err },
		"told in other words":    func(error) error { return errors.New("it went wrong") },
		"not told at all":        func(error) error { return nil },
		"told by another's code": func(error) error { return &pgconn.PgError{Code: "23505"} },
	} {
		t.Run(name, func(t *testing.T) {
			runs := 0
			err := db.Update(t.Context(), func(tx *store.Tx) error {
				if err := insert(t.Context(), name, 1)(tx); err != nil {
					return err
				}
				if runs++; runs < 4 {
					return report(collide(t.Context(), tx))
				}
				return nil
			})
			if err != nil || runs != 4 {
				t.Errorf("after %d runs: %v", runs, err)
			}
		})
	}
	wantIDs(t, db, "not told at all", "told as it was", "told by another's code", "told in other words")
}

func TestOtherErrorIsNotRunAgain(t *testing.T) {
	db := openServer(t)
	runs := 0
	err := db.Update(t.Context(), func(tx *store.Tx) error {
		runs++
		return &pgconn.PgError{Code: "23505"}
	})
	if err == nil || runs != 1 {
		t.Errorf("after %d runs: %v", runs, err)
	}
}

func TestEndlessCollisionIsGivenUp(t *testing.T) {
	db := openServer(t)
	db.SetAttempts(5)
	runs := 0
	err := db.Update(t.Context(), func(tx *store.Tx) error {
		runs++
		return collide(t.Context(), tx)
	})
	if runs != 5 || err == nil || !strings.Contains(err.Error(), "gave up after 5 attempts") {
		t.Errorf("after %d runs: %v", runs, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	runs = 0
	err = db.Update(ctx, func(tx *store.Tx) error {
		runs++
		err := collide(ctx, tx)
		cancel()
		return err
	})
	if runs != 1 || err == nil {
		t.Errorf("after its context has ended it ran %d times: %v", runs, err)
	}
}

func TestTransactionsOfOneTurnDoNotCollide(t *testing.T) {
	storetest.NeedPostgres(t)
	dsn := storetest.NewPostgres(t)
	const nodes, each = 6, 20
	var runs atomic.Int64
	var group sync.WaitGroup
	for range nodes {
		db := storetest.Open(t, dsn, notes)
		group.Go(func() {
			for range each {
				err := db.UpdateInTurn(t.Context(), "tally", func(tx *store.Tx) error {
					runs.Add(1)
					return addOne(t.Context(), tx)
				})
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	group.Wait()
	var n int64
	err := storetest.Open(t, dsn, notes).View(t.Context(), func(tx *store.Tx) error {
		return tx.QueryRow(t.Context(), `SELECT n FROM notes`).Scan(&n)
	})
	if err != nil || n != nodes*each || runs.Load() != nodes*each {
		t.Errorf("counted %d of %d, in %d runs: %v", n, nodes*each, runs.Load(), err)
	}
}

// addOne reads a number and writes the next.
func addOne(ctx context.Context, tx *store.Tx) error {
	var n int64
	if err := tx.QueryRow(ctx, `SELECT COALESCE(MAX(n), 0) FROM notes`).Scan(&n); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `INSERT INTO notes (id, n) VALUES ('tally', $1) ON CONFLICT (id) DO UPDATE SET n = excluded.n`, n+1)
	return err
}
