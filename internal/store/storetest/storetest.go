// Package storetest runs a test on every engine that the store has. It is for tests alone.
package storetest

import (
	"os"
	"path/filepath"
	"testing"

	"frontdesk/internal/store"
)

// PostgresEnv names the environment variable with the DSN of a scratch PostgreSQL, as a user who may create databases.
// test/postgres.sh starts one.
const PostgresEnv = "FRONTDESK_TEST_POSTGRES"

// Opener opens a new, empty database that goes with the test.
type Opener func(t *testing.T, schemas ...store.Schema) *store.DB

// Each runs suite as the subtests "sqlite" and "postgres". Without a PostgreSQL the second is skipped, or fails if
// FRONTDESK_TEST_ALL=1 says that nothing may be left out.
func Each(t *testing.T, suite func(t *testing.T, open func(t *testing.T, schemas ...store.Schema) *store.DB)) {
	t.Helper()
	t.Run(store.SQLite, func(t *testing.T) { suite(t, OpenSQLite) })
	t.Run(store.PostgreSQL, func(t *testing.T) {
		NeedPostgres(t)
		t.Fatal("PostgreSQL comes with the next change")
	})
}

// NeedPostgres ends a test that has no PostgreSQL to run on.
func NeedPostgres(t testing.TB) {
	t.Helper()
	switch {
	case os.Getenv(PostgresEnv) != "":
	case os.Getenv("FRONTDESK_TEST_ALL") == "1":
		t.Fatalf("%s is not set: start a PostgreSQL with test/postgres.sh and give its DSN", PostgresEnv)
	default:
		t.Skipf("no PostgreSQL to test on: set %s (test/postgres.sh start DIR prints a DSN)", PostgresEnv)
	}
}

// OpenSQLite opens a new SQLite database that goes with the test.
func OpenSQLite(t *testing.T, schemas ...store.Schema) *store.DB {
	t.Helper()
	return Open(t, filepath.Join(t.TempDir(), "test.db"), schemas...)
}

// Open opens the database at dsn and closes it when the test ends.
func Open(t testing.TB, dsn string, schemas ...store.Schema) *store.DB {
	t.Helper()
	db, err := store.Open(t.Context(), store.Config{DSN: dsn, Schemas: schemas})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Errorf("closing the database: %v", err)
		}
	})
	return db
}
