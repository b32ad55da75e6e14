package store_test

import (
	"errors"
	"slices"
	"sync"
	"testing"

	"frontdesk/internal/infra/store"
	"frontdesk/internal/testkit/storetest"
)

var words = store.Schema{ID: "words", Steps: []string{`CREATE TABLE words (word {{text}} NOT NULL PRIMARY KEY)`}}

func put(t *testing.T, tx *store.Tx, word string) error {
	_, err := tx.Exec(t.Context(), `INSERT INTO words (word) VALUES ($1)`, word)
	return err
}

func allWords(t *testing.T, db *store.DB) (all []string) {
	t.Helper()
	err := db.View(t.Context(), func(tx *store.Tx) error {
		all = nil
		rows, err := tx.Query(t.Context(), `SELECT word FROM words ORDER BY word`)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var word string
			if err := rows.Scan(&word); err != nil {
				return err
			}
			all = append(all, word)
		}
		return rows.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestWhatIsLeftForTheEndIsDoneOnceAndSeesAll(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(*testing.T, ...store.Schema) *store.DB) {
		db := open(t, words)
		runs, seen, after := 0, 0, 0
		err := db.Update(t.Context(), func(tx *store.Tx) error {
			runs, seen, after = 0, 0, 0
			last := func(tx *store.Tx) error {
				runs++
				if err := tx.QueryRow(t.Context(), `SELECT COUNT(*) FROM words`).Scan(&seen); err != nil {
					return err
				}
				return put(t, tx, "last")
			}
			tx.BeforeCommit("count", last)
			tx.BeforeCommit("count", last)
			tx.AfterCommit(func() { after++ })
			return errors.Join(put(t, tx, "one"), put(t, tx, "two"))
		})
		if err != nil || runs != 1 || seen != 2 || after != 1 {
			t.Errorf("%v: run %d times, saw %d rows, told %d times", err, runs, seen, after)
		}
		if got := allWords(t, db); !slices.Equal(got, []string{"last", "one", "two"}) {
			t.Errorf("there are %v", got)
		}
	})
}

func TestWhatFailsAtTheEndTakesOnlyItselfBack(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(*testing.T, ...store.Schema) *store.DB) {
		for name, fail := range map[string]func(*store.Tx) error{
			"by itself":     func(*store.Tx) error { return errors.New("refused") },
			"by its writes": func(tx *store.Tx) error { _ = put(t, tx, "one"); return nil }, // it is there already
		} {
			t.Run(name, func(t *testing.T) {
				db := open(t, words)
				err := db.Update(t.Context(), func(tx *store.Tx) error {
					tx.BeforeCommit("first", func(tx *store.Tx) error {
						return errors.Join(put(t, tx, "lost"), fail(tx))
					})
					tx.BeforeCommit("second", func(tx *store.Tx) error { return put(t, tx, "second") })
					return put(t, tx, "one")
				})
				if err != nil {
					t.Fatal(err)
				}
				if got := allWords(t, db); !slices.Equal(got, []string{"one", "second"}) {
					t.Errorf("there are %v", got)
				}
			})
		}
	})
}

func TestNothingIsToldOfATransactionThatFailed(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(*testing.T, ...store.Schema) *store.DB) {
		db := open(t, words)
		told := false
		err := db.Update(t.Context(), func(tx *store.Tx) error {
			tx.AfterCommit(func() { told = true })
			return errors.New("refused")
		})
		if err == nil || told {
			t.Errorf("%v, told %t", err, told)
		}
	})
}

// TestThoseWhoShareACommitShareItsEnd lines several up, one of which fails after it has left
// something for the end.
func TestThoseWhoShareACommitShareItsEnd(t *testing.T) {
	t.Parallel()
	db := storetest.OpenSQLite(t, words)
	var all sync.WaitGroup
	var mu sync.Mutex
	runs := 0
	for _, word := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		all.Go(func() {
			err := db.Update(t.Context(), func(tx *store.Tx) error {
				if err := put(t, tx, word); err != nil {
					return err
				}
				tx.BeforeCommit("count", func(*store.Tx) error {
					mu.Lock()
					defer mu.Unlock()
					runs++
					return nil
				})
				if word == "d" {
					return errors.New("refused")
				}
				return nil
			})
			if (err != nil) != (word == "d") {
				t.Errorf("%s: %v", word, err)
			}
		})
	}
	all.Wait()
	if got := allWords(t, db); !slices.Equal(got, []string{"a", "b", "c", "e", "f", "g", "h"}) || runs < 1 || runs > 8 {
		t.Errorf("there are %v, and the end was reached %d times", got, runs)
	}
}
