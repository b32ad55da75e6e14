package storetest

import (
	"os"
	"testing"

	"frontdesk/internal/store"
)

// EngineEnv names the environment variable that says on which engine Chosen opens its databases: "sqlite", the
// default, or "postgres". Suites above the store run once under each.
const EngineEnv = "FRONTDESK_TEST_ENGINE"

// Chosen opens a new, empty database on the engine that the environment chooses. It goes with the test.
func Chosen(t testing.TB, schemas ...store.Schema) *store.DB {
	t.Helper()
	dsn := ""
	switch engine := os.Getenv(EngineEnv); engine {
	case "", store.SQLite:
		dsn = NewSQLite(t)
	case store.PostgreSQL:
		NeedPostgres(t)
		dsn = NewPostgres(t)
	default:
		t.Fatalf("%s is %q; it may be %s or %s", EngineEnv, engine, store.SQLite, store.PostgreSQL)
	}
	return Open(t, dsn, schemas...)
}
