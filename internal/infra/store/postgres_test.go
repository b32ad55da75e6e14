package store_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"frontdesk/internal/infra/store"
	"frontdesk/internal/testkit/storetest"
)

// openServer opens a new database on the scratch server.
func openServer(t *testing.T) *store.DB {
	t.Helper()
	storetest.NeedPostgres(t)
	return storetest.Open(t, storetest.NewPostgres(t), notes)
}

// collide makes the server break a transaction off as it does when two have come between each
// other.
func collide(ctx context.Context, tx *store.Tx) error {
	_, err := tx.Exec(ctx, `DO $$ BEGIN RAISE EXCEPTION 'another came between' USING ERRCODE = '40001'; END $$`)
	return err
}

// TestASilentTransactionIsBrokenOff has a process fall silent in the middle of an update: the
// server lets others have the rows after the time that the address names, which is half a minute
// where it names none.
func TestASilentTransactionIsBrokenOff(t *testing.T) {
	t.Parallel()
	storetest.NeedPostgres(t)
	address := storetest.NewPostgres(t)
	for ending, want := range map[string]string{"": "30s", "&idle_in_transaction_session_timeout=150": "150ms"} {
		db := storetest.Open(t, address+ending, notes)
		err := db.View(t.Context(), func(tx *store.Tx) error {
			var got string
			if err := tx.QueryRow(t.Context(), `SELECT current_setting('idle_in_transaction_session_timeout')`).Scan(&got); err != nil || got != want {
				t.Errorf("with %q it is %s, want %s: %v", ending, got, want, err)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if ending == "" {
			continue
		}
		add(t, db, "wanted", 0)
		set := func(n int) func(*store.Tx) error {
			return func(tx *store.Tx) error {
				_, err := tx.Exec(t.Context(), `UPDATE notes SET n = $1 WHERE id = 'wanted'`, n)
				return err
			}
		}
		other, times := storetest.Open(t, address, notes), 0
		err = db.Update(t.Context(), func(tx *store.Tx) error {
			if times++; times > 1 {
				return errors.New("that is enough")
			}
			if err := set(1)(tx); err != nil {
				return err
			}
			return other.Update(t.Context(), set(2)) // which has to wait for the row
		})
		if err == nil {
			t.Error("what fell silent is there all the same")
		}
		err = db.View(t.Context(), func(tx *store.Tx) error {
			var n int
			if err := tx.QueryRow(t.Context(), `SELECT n FROM notes WHERE id = 'wanted'`).Scan(&n); err != nil || n != 2 {
				t.Errorf("%d, %v", n, err)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestCollisionIsRunAgain(t *testing.T) {
	t.Parallel()
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
	t.Parallel()
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
	t.Parallel()
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
	t.Parallel()
	storetest.NeedPostgres(t)
	dsn := storetest.NewPostgres(t)
	const nodes, each = 6, 20
	var runs atomic.Int64
	var group sync.WaitGroup
	for range nodes {
		db := storetest.Open(t, dsn, notes)
		group.Go(func() {
			for range each {
				err := db.UpdateSerial(t.Context(), "tally", func(tx *store.Tx) error {
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
