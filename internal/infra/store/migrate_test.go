package store_test

import (
	"context"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"frontdesk/internal/infra/store"
	"frontdesk/internal/testkit/storetest"
)

var shelves = store.Schema{ID: "shelves", Steps: []string{
	`CREATE TABLE shelves (n {{key}}, label {{text}} NOT NULL, cover {{bytes}});
	 CREATE INDEX shelves_label ON shelves (label);`,
	`ALTER TABLE shelves ADD COLUMN width BIGINT NOT NULL DEFAULT 80;
	 INSERT INTO shelves (n, label) VALUES (1, 'first')`,
}}

// upTo is a schema as an older binary knows it.
func upTo(schema store.Schema, version int) store.Schema {
	schema.Steps = schema.Steps[:version]
	return schema
}

func tryOpen(t *testing.T, dsn string, schemas ...store.Schema) error {
	t.Helper()
	db, err := store.Open(t.Context(), store.Config{DSN: dsn, Schemas: schemas})
	if err == nil {
		err = db.Close()
	}
	return err
}

func TestMigrationsGoForwardStepByStep(t *testing.T) {
	t.Parallel()
	storetest.EachDSN(t, func(t *testing.T, fresh storetest.Fresh) {
		dsn := fresh(t)
		for _, known := range []store.Schema{upTo(shelves, 0), upTo(shelves, 1), shelves, shelves} {
			if err := tryOpen(t, dsn, notes, known); err != nil {
				t.Fatalf("opening with %d steps: %v", len(known.Steps), err)
			}
		}
		db := storetest.Open(t, dsn, shelves)
		var label string
		var width int
		err := db.View(t.Context(), func(tx *store.Tx) error {
			return tx.QueryRow(t.Context(), `SELECT label, width FROM shelves`).Scan(&label, &width)
		})
		if err != nil || label != "first" || width != 80 {
			t.Errorf("found %q, %d (%v)", label, width, err)
		}
	})
}

func TestNewerDatabaseIsRefused(t *testing.T) {
	t.Parallel()
	storetest.EachDSN(t, func(t *testing.T, fresh storetest.Fresh) {
		dsn := fresh(t)
		if err := tryOpen(t, dsn, shelves); err != nil {
			t.Fatal(err)
		}
		err := tryOpen(t, dsn, notes, upTo(shelves, 1))
		if err == nil {
			t.Fatal("an older binary has opened a newer database")
		}
		for _, word := range []string{"newer frontdesk", "shelves", "version 2", "up to 1"} {
			if !strings.Contains(err.Error(), word) {
				t.Errorf("the error does not say %q: %v", word, err)
			}
		}
		// It has not touched anything either: notes came before shelves, but has no table.
		db := storetest.Open(t, dsn, shelves)
		err = db.View(t.Context(), func(tx *store.Tx) error {
			var n int
			return tx.QueryRow(t.Context(), `SELECT COUNT(*) FROM notes`).Scan(&n)
		})
		if err == nil {
			t.Error("the refused binary has made its tables nevertheless")
		}
	})
}

func TestConcurrentOpenersMigrateOnce(t *testing.T) {
	t.Parallel()
	storetest.EachDSN(t, func(t *testing.T, fresh storetest.Fresh) {
		dsn := fresh(t)
		var all sync.WaitGroup
		for range 6 {
			all.Go(func() {
				if err := tryOpen(t, dsn, notes, shelves); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		db := storetest.Open(t, dsn, notes, shelves)
		var n int
		err := db.View(t.Context(), func(tx *store.Tx) error {
			return tx.QueryRow(t.Context(), `SELECT COUNT(*) FROM shelves`).Scan(&n)
		})
		if err != nil || n != 1 {
			t.Errorf("the second step has inserted %d rows (%v), want 1", n, err)
		}
	})
}

func TestFailedMigrationLeavesTheVersionBefore(t *testing.T) {
	t.Parallel()
	storetest.EachDSN(t, func(t *testing.T, fresh storetest.Fresh) {
		dsn := fresh(t)
		broken := store.Schema{ID: "shelves", Steps: []string{shelves.Steps[0],
			`CREATE TABLE extra (n BIGINT); INSERT INTO nowhere VALUES (1)`}}
		err := tryOpen(t, dsn, broken)
		if err == nil || !strings.Contains(err.Error(), "shelves to version 2") {
			t.Fatalf("the error is %v", err)
		}
		mended := store.Schema{ID: "shelves", Steps: []string{shelves.Steps[0], `CREATE TABLE extra (n BIGINT)`}}
		if err := tryOpen(t, dsn, mended); err != nil {
			t.Errorf("what the failed step had done is still there: %v", err)
		}
	})
}

// TestTextSortsByBytes holds the engines to one order, whatever the server's collation: {{text}}
// sees to it.
func TestTextSortsByBytes(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(*testing.T, ...store.Schema) *store.DB) {
		db := open(t, notes)
		for _, id := range []string{"a", "B", "é", "-a", "_"} {
			add(t, db, id, 1)
		}
		wantIDs(t, db, "-a", "B", "_", "a", "é")
	})
}

func TestFileOfAnotherProgramIsRefused(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "theirs.db")
	db := storetest.Open(t, path, notes)
	err := db.Update(context.Background(), func(tx *store.Tx) error {
		_, err := tx.Exec(context.Background(), `DROP TABLE frontdesk_schema`)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := tryOpen(t, path, notes); err == nil || !strings.Contains(err.Error(), "another program") {
		t.Errorf("the error is %v", err)
	}
}
