package storetest

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"frontdesk/internal/infra/store"
)

// A template is a database that has all tables and no rows. Tests copy it, since migrating takes
// most of the time of a test that is about something else.

// migrated holds the SQLite template of each list of schemas as the bytes of its file.
var migrated sync.Map

func migratedFile(t testing.TB, schemas []store.Schema) []byte {
	t.Helper()
	once, _ := migrated.LoadOrStore(fingerprint(schemas), sync.OnceValues(func() ([]byte, error) {
		folder, err := os.MkdirTemp("", "frontdesk-template-")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(folder)
		path := filepath.Join(folder, "template.db")
		if err := migrate(path, schemas); err != nil {
			return nil, err
		}
		return os.ReadFile(path)
	}))
	file, err := once.(func() ([]byte, error))()
	if err != nil {
		t.Fatalf("making the template of a database: %v", err)
	}
	return file
}

// migratedDatabase names the PostgreSQL template of schemas, which all processes that use the
// scratch server share.
func migratedDatabase(t testing.TB, schemas []store.Schema) string {
	t.Helper()
	name := "template_" + fingerprint(schemas)[:24]
	once, _ := migrated.LoadOrStore(name, sync.OnceValue(func() error { return makeDatabase(t, name, schemas) }))
	if err := once.(func() error)(); err != nil {
		t.Fatalf("making the template of a database: %v", err)
	}
	return name
}

// makeDatabase makes a template unless it is there. It has another name until it is whole.
func makeDatabase(t testing.TB, name string, schemas []store.Schema) error {
	ctx := context.Background()
	db, err := sql.Open("pgx", scratch(t, ""))
	if err != nil {
		return err
	}
	defer db.Close()
	lock, err := db.Conn(ctx) // the lock goes with its connection
	if err != nil {
		return err
	}
	defer lock.Close()
	var there bool
	_, err = lock.ExecContext(ctx, `SELECT pg_advisory_lock(hashtext($1))`, name)
	if err == nil {
		err = lock.QueryRowContext(ctx, `SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)`, name).Scan(&there)
	}
	if err != nil || there {
		return err
	}
	unfinished := name + "_unfinished"
	for _, statement := range []string{`DROP DATABASE IF EXISTS ` + unfinished, `CREATE DATABASE ` + unfinished} {
		if _, err := lock.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	if err := migrate(scratch(t, unfinished), schemas); err != nil {
		return err
	}
	_, err = lock.ExecContext(ctx, `ALTER DATABASE `+unfinished+` RENAME TO `+name)
	return err
}

func migrate(dsn string, schemas []store.Schema) error {
	db, err := store.Open(context.Background(), store.Config{DSN: dsn, Schemas: schemas})
	if err != nil {
		return err
	}
	return db.Close()
}

// fingerprint tells lists of schemas apart, by every step.
func fingerprint(schemas []store.Schema) string {
	sum := sha256.New()
	for _, schema := range schemas {
		fmt.Fprintf(sum, "%q %q\n", schema.ID, schema.Steps)
	}
	return hex.EncodeToString(sum.Sum(nil))
}
