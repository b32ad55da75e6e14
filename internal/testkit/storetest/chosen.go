package storetest

import (
	"os"
	"testing"

	"frontdesk/internal/infra/store"
)

// EngineEnv names the environment variable that says on which engine Chosen opens its databases:
// "sqlite", the default, or "postgres". Suites above the store run once under each.
const EngineEnv = "FRONTDESK_TEST_ENGINE"

// Chosen opens a new, empty database on the engine that the environment chooses. It goes with the
// test.
func Chosen(t testing.TB, schemas ...store.Schema) *store.DB {
	t.Helper()
	return Open(t, ChosenDSN(t, schemas...), schemas...)
}

// ChosenDSN is Fresh on the engine that the environment chooses.
func ChosenDSN(t testing.TB, schemas ...store.Schema) string {
	t.Helper()
	switch engine := os.Getenv(EngineEnv); engine {
	case "", store.SQLite:
		return NewSQLite(t, schemas...)
	case store.PostgreSQL:
		return NewPostgres(t, schemas...)
	default:
		t.Fatalf("%s is %q; it may be %s or %s", EngineEnv, engine, store.SQLite, store.PostgreSQL)
		return ""
	}
}
