// Package storetest runs a test on every engine that the store has. It is for tests alone.
package storetest

import (
	"crypto/rand"
	"database/sql"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"frontdesk/internal/infra/store"
)

// PostgresEnv names the environment variable with the DSN of a scratch PostgreSQL, as a user who
// may create databases. test/postgres.sh starts one.
const PostgresEnv = "FRONTDESK_TEST_POSTGRES"

// Each runs suite as the subtests "sqlite" and "postgres", with a function that opens a new, empty
// database that goes with the test. Without a PostgreSQL the second is skipped, or fails if
// FRONTDESK_TEST_ALL=1 says that nothing may be left out.
func Each(t *testing.T, suite func(t *testing.T, open func(t *testing.T, schemas ...store.Schema) *store.DB)) {
	t.Helper()
	EachDSN(t, func(t *testing.T, fresh Fresh) {
		suite(t, func(t *testing.T, schemas ...store.Schema) *store.DB {
			t.Helper()
			return Open(t, fresh(t, schemas...), schemas...)
		})
	})
}

// Fresh gives the DSN of a new database that holds the tables of schemas and goes with the test.
// Without schemas it is empty.
type Fresh = func(t testing.TB, schemas ...store.Schema) string

// EachDSN is Each for tests that open the same database more than once.
func EachDSN(t *testing.T, suite func(t *testing.T, fresh Fresh)) {
	t.Helper()
	t.Run(store.SQLite, func(t *testing.T) { suite(t, NewSQLite) })
	t.Run(store.PostgreSQL, func(t *testing.T) {
		NeedPostgres(t)
		suite(t, NewPostgres)
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

// NewSQLite gives the path of an SQLite database that goes with the test. With schemas it is a copy
// of one that has their tables; without, it does not exist yet.
func NewSQLite(t testing.TB, schemas ...store.Schema) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "test.db")
	if len(schemas) > 0 {
		if err := os.WriteFile(path, migratedFile(t, schemas), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

// NewPostgres gives the DSN of a new database on the scratch server, which is dropped when the test
// ends. With schemas it is a copy of one that has their tables; without, it is a new schema in the
// server's own database, which is cheaper.
func NewPostgres(t testing.TB, schemas ...store.Schema) string {
	t.Helper()
	NeedPostgres(t)
	name := "test_" + strings.ToLower(rand.Text()[:16])
	if len(schemas) > 0 {
		administer(t, `CREATE DATABASE `+name+` TEMPLATE `+migratedDatabase(t, schemas))
		t.Cleanup(func() { administer(t, `DROP DATABASE `+name+` WITH (FORCE)`) })
		return scratch(t, name)
	}
	administer(t, `CREATE SCHEMA `+name)
	t.Cleanup(func() { administer(t, `DROP SCHEMA `+name+` CASCADE`) })
	address, err := url.Parse(scratch(t, ""))
	if err != nil {
		t.Fatal(err)
	}
	query := address.Query()
	query.Set("search_path", name)
	address.RawQuery = query.Encode()
	return address.String()
}

// scratch is the DSN of a database of the scratch server; of its own one where name is empty.
func scratch(t testing.TB, name string) string {
	t.Helper()
	address, err := url.Parse(os.Getenv(PostgresEnv))
	if err != nil {
		t.Fatalf("%s is not a DSN in the form of a URL", PostgresEnv)
	}
	if name != "" {
		address.Path = "/" + name
	}
	return address.String()
}

func administer(t testing.TB, statement string) {
	t.Helper()
	db, err := sql.Open("pgx", os.Getenv(PostgresEnv))
	if err == nil {
		_, err = db.Exec(statement)
		err = errors.Join(err, db.Close())
	}
	if err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// OpenSQLite opens a new, empty SQLite database that goes with the test.
func OpenSQLite(t testing.TB, schemas ...store.Schema) *store.DB {
	t.Helper()
	return Open(t, NewSQLite(t, schemas...), schemas...)
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
