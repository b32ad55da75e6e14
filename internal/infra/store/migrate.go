package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Schema holds the tables of one package, as the steps that led to them.
type Schema struct {
	// ID is the name of the owner, and the prefix of its tables.
	ID string
	// Steps[i] is the SQL that makes version i+1 of version i, of one or several statements, run in
	// a transaction of its own. A step that was released is never changed. Where the engines differ
	// it says
	//
	//	{{bytes}}     BLOB, BYTEA
	//	{{text}}      text that sorts by its bytes: TEXT, TEXT COLLATE "C"
	//	{{key}}       a BIGINT primary key; on SQLite the row's place: INTEGER PRIMARY KEY
	//	{{clustered}} behind a table of short rows in order of their key: WITHOUT ROWID
	Steps []string
}

var tokens = map[string]*strings.Replacer{
	SQLite: strings.NewReplacer("{{bytes}}", "BLOB", "{{text}}", "TEXT", "{{key}}", "INTEGER PRIMARY KEY",
		"{{clustered}}", "WITHOUT ROWID"),
	PostgreSQL: strings.NewReplacer("{{bytes}}", "BYTEA", "{{text}}", `TEXT COLLATE "C"`,
		"{{key}}", "BIGINT PRIMARY KEY", "{{clustered}}", ""),
}

const makeSchemaTable = `CREATE TABLE IF NOT EXISTS frontdesk_schema (room TEXT NOT NULL PRIMARY KEY, version BIGINT NOT NULL)`

// makeTables makes the tables that the store has for itself.
var makeTables = map[string]string{SQLite: makeSchemaTable + "; " + makeProbe,
	PostgreSQL: makeSchemaTable + "; " + makeProbe}

// migrate brings the tables of every schema to the version that this binary knows. It looks at all
// of them before it changes any, so that a database that is too new is left as it was.
func (db *DB) migrate(ctx context.Context, schemas []Schema, alone bool) error {
	var behind []Schema
	err := db.engine.migrate(ctx, func(tx *Tx) error {
		behind = nil
		if err := ours(ctx, db.Engine(), tx); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, makeTables[db.Engine()]); err != nil {
			return err
		}
		if alone {
			if err := noOthers(ctx, tx, schemas); err != nil {
				return err
			}
		}
		for _, schema := range schemas {
			at, err := version(ctx, tx, schema)
			if err != nil {
				return err
			}
			if at < len(schema.Steps) {
				behind = append(behind, schema)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, schema := range behind {
		if err := db.advance(ctx, schema); err != nil {
			return err
		}
	}
	return nil
}

// ours refuses an SQLite file that holds another program's tables. (In a PostgreSQL database others
// may live.)
func ours(ctx context.Context, engine string, tx *Tx) error {
	if engine != SQLite {
		return nil
	}
	var mine, others int
	err := tx.QueryRow(ctx, `SELECT COALESCE(SUM(name = 'frontdesk_schema'), 0), COUNT(*) FROM sqlite_master
		WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!'`).Scan(&mine, &others)
	if err == nil && mine == 0 && others > 0 {
		return fmt.Errorf("this SQLite database belongs to another program (it has %d tables, and none of "+
			"frontdesk's): name another file", others)
	}
	return err
}

// ErrNotAlone is the error of a database that is to hold some schemas alone (Config.Exclusive), or
// to be shredded (Config.Shred), and is in other use.
var ErrNotAlone = errors.New("it is in other use already")

// noOthers refuses a database that has tables of ours that are not of schemas.
func noOthers(ctx context.Context, tx *Tx, schemas []Schema) error {
	rooms, err := texts(ctx, tx, `SELECT room FROM frontdesk_schema`)
	if err != nil {
		return err
	}
	for _, room := range rooms {
		if !slices.ContainsFunc(schemas, func(s Schema) bool { return s.ID == room }) {
			return ErrNotAlone
		}
	}
	return nil
}

// version reads how many steps of a schema were taken, and refuses a future that this binary does
// not know.
func version(ctx context.Context, tx *Tx, schema Schema) (int, error) {
	var at int
	err := tx.QueryRow(ctx, `SELECT COALESCE(MAX(version), 0) FROM frontdesk_schema WHERE room = $1`, schema.ID).Scan(&at)
	if err != nil {
		return 0, err
	}
	if known := len(schema.Steps); at > known {
		return 0, fmt.Errorf("the database was written by a newer frontdesk: its %s tables have version %d, and "+
			"this one knows up to %d; "+
			"use a frontdesk at least as new as the one that wrote it", schema.ID, at, known)
	}
	return at, nil
}

// advance takes one schema step by step to its last version; each step looks anew, since another
// process may have been faster.
func (db *DB) advance(ctx context.Context, schema Schema) error {
	for done := false; !done; {
		err := db.engine.migrate(ctx, func(tx *Tx) error {
			at, err := version(ctx, tx, schema)
			if err != nil {
				return err
			}
			if done = at == len(schema.Steps); done {
				return nil
			}
			return db.step(ctx, tx, schema, at)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (db *DB) step(ctx context.Context, tx *Tx, schema Schema, at int) error {
	if _, err := tx.Exec(ctx, tokens[db.Engine()].Replace(schema.Steps[at])); err != nil {
		return fmt.Errorf("migration of %s to version %d: %w", schema.ID, at+1, err)
	}
	_, err := tx.Exec(ctx, `INSERT INTO frontdesk_schema (room, version) VALUES ($1, $2) ON CONFLICT (room) DO UPDATE SET version = $2`,
		schema.ID, at+1)
	if err == nil {
		db.log.DebugContext(ctx, "database migrated", "room", schema.ID, "version", at+1)
	}
	return err
}
