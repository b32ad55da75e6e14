package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
)

// Layout lists the tables of a database and the versions of their schemas.
type Layout struct {
	Engine  string          `json:"engine"`
	Schemas []SchemaVersion `json:"rooms"`
	Tables  []Table         `json:"tables"`
}

// SchemaVersion is how many steps of a schema a database has taken.
type SchemaVersion struct {
	ID      string `json:"room"`
	Version int    `json:"version"`
}

// Table is one table and the names of its columns.
type Table struct {
	Name    string   `json:"name"`
	Columns []string `json:"columns"`
}

// ErrEmpty is Dump's error for a database without tables of ours.
var ErrEmpty = errors.New("there is nothing of frontdesk's in it")

// Dump reads all tables of ours at one moment, while others may write: begin is called first, then
// row for each row, table by table, with the table's index in the layout. The values are nil,
// int64, float64, string and []byte, and are row's only until it returns. The database is left as
// it is; it is not migrated, and one that is not there is not made.
func Dump(ctx context.Context, config Config, begin func(Layout) error, row func(table int, values []any) error) error {
	return peek(ctx, config, func(tx *Tx, layout Layout) error {
		err := begin(layout)
		for i := range layout.Tables {
			if err == nil {
				err = dumpTable(ctx, tx, layout.Tables[i], func(values []any) error { return row(i, values) })
			}
		}
		return err
	})
}

// Peek reads a database that may be older than this binary, or not there: it is left as it is. fn
// is called where it has a table.
func Peek(ctx context.Context, config Config, table string, fn func(*Tx) error) error {
	err := peek(ctx, config, func(tx *Tx, layout Layout) error {
		if !slices.ContainsFunc(layout.Tables, func(t Table) bool { return t.Name == table }) {
			return nil
		}
		return fn(tx)
	})
	if errors.Is(err, ErrEmpty) {
		return nil
	}
	return err
}

// peek reads a database as it is. It is neither migrated nor made; without tables of ours the error
// is ErrEmpty.
func peek(ctx context.Context, config Config, fn func(*Tx, Layout) error) error {
	if at, err := parseDSN(config.DSN); err == nil && at.engine == SQLite {
		if _, err := os.Stat(at.path); errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s: %w; name another database", at, ErrEmpty)
		}
	}
	db, address, err := connect(ctx, config)
	if err != nil {
		return err
	}
	defer db.Close()
	err = db.View(ctx, func(tx *Tx) error {
		layout, err := db.layout(ctx, tx)
		if err == nil && len(layout.Schemas) == 0 {
			err = ErrEmpty
		}
		if err == nil {
			err = fn(tx, layout)
		}
		return err
	})
	if err != nil && ctx.Err() == nil {
		return address.named(err)
	}
	return err
}

// layout looks at what there is.
func (db *DB) layout(ctx context.Context, tx *Tx) (Layout, error) {
	layout := Layout{Engine: db.Engine()}
	names, err := texts(ctx, tx, catalogue[db.Engine()])
	if err != nil || !slices.Contains(names, "frontdesk_schema") {
		return layout, err
	}
	rows, err := tx.Query(ctx, `SELECT room, version FROM frontdesk_schema ORDER BY room`)
	if err != nil {
		return layout, err
	}
	defer rows.Close()
	for rows.Next() {
		var room SchemaVersion
		if err := rows.Scan(&room.ID, &room.Version); err != nil {
			return layout, err
		}
		layout.Schemas = append(layout.Schemas, room)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return layout, err
	}
	for _, name := range names {
		if !slices.ContainsFunc(layout.Schemas, func(r SchemaVersion) bool {
			return strings.HasPrefix(name, r.ID+"_")
		}) {
			continue
		}
		table := Table{Name: name}
		if table.Columns, err = columns(ctx, tx, name); err != nil {
			return layout, err
		}
		layout.Tables = append(layout.Tables, table)
	}
	return layout, nil
}

// catalogue is where each engine lists its tables. Others' may be among them.
var catalogue = map[string]string{
	SQLite:     `SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name`,
	PostgreSQL: `SELECT tablename::text FROM pg_tables WHERE schemaname = current_schema() ORDER BY tablename`,
}

func texts(ctx context.Context, tx *Tx, query string) ([]string, error) {
	rows, err := tx.Query(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []string
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return nil, err
		}
		all = append(all, text)
	}
	return all, rows.Err()
}

func columns(ctx context.Context, tx *Tx, table string) ([]string, error) {
	rows, err := tx.Query(ctx, `SELECT * FROM `+quote(table)+` LIMIT 0`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	return rows.Columns()
}

func dumpTable(ctx context.Context, tx *Tx, table Table, row func([]any) error) error {
	rows, err := tx.Query(ctx, `SELECT `+quoteAll(table.Columns)+` FROM `+quote(table.Name))
	if err != nil {
		return err
	}
	defer rows.Close()
	values, targets := make([]any, len(table.Columns)), make([]any, len(table.Columns))
	for i := range values {
		targets[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(targets...); err != nil {
			return err
		}
		if err := row(values); err != nil {
			return err
		}
	}
	return rows.Err()
}

func quoteAll(names []string) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = quote(name)
	}
	return strings.Join(quoted, ", ")
}

// LoadOptions configure a Load.
type LoadOptions struct {
	// Replace lets it take the place of what is there. Otherwise a database that holds anything is
	// left alone.
	Replace bool
	// Mark is what Loaded says afterwards, so that others can tell whether this load was done.
	Mark string
}

// ErrNotEmpty is Load's error for a database that holds something, which LoadOptions do not
// replace.
var ErrNotEmpty = errors.New("it holds content already")

// Load makes the tables of a layout and fills them, in place of all that are there, in one
// transaction: when it is broken off, everything is as it was. Then it brings them to the version
// that this binary knows. read hands the rows over in batches; it may be called more than once,
// each time from the beginning.
func Load(
	ctx context.Context, config Config, layout Layout, options LoadOptions, read func(put func(table int,
		rows [][]any) error) error,
) error {
	if err := loadable(config.Schemas, layout); err != nil {
		return err
	}
	config.anyLog = options.Replace
	db, address, err := connect(ctx, config)
	if err != nil {
		return err
	}
	defer db.Close()
	err = db.engine.migrate(ctx, func(tx *Tx) error {
		if err := db.vacate(ctx, tx, options.Replace); err != nil {
			return err
		}
		if err := db.createTables(ctx, tx, config.Schemas, layout); err != nil {
			return err
		}
		err := read(func(table int, rows [][]any) error {
			_, err := tx.BulkInsert(ctx, layout.Tables[table].Name, layout.Tables[table].Columns, slices.Values(rows))
			return err
		})
		if err != nil {
			return err
		}
		return mark(ctx, tx, options.Mark)
	})
	if err == nil {
		err = db.migrate(ctx, config.Schemas, false)
	}
	if err != nil && ctx.Err() == nil {
		return address.named(err)
	}
	if err == nil {
		var names []string
		for _, table := range layout.Tables {
			names = append(names, table.Name)
		}
		err = db.Analyze(ctx, names...)
	}
	return err
}

var plainName = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// loadable says whether this binary knows what a layout speaks of.
func loadable(schemas []Schema, layout Layout) error {
	known := map[string]int{}
	for _, schema := range schemas {
		known[schema.ID] = len(schema.Steps)
	}
	rooms := map[string]bool{}
	for _, room := range layout.Schemas {
		if room.Version < 0 || room.Version > known[room.ID] {
			return fmt.Errorf("it was written by a newer frontdesk: its %s tables have version %d, and this one "+
				"knows up to %d; "+
				"use a frontdesk at least as new as the one that wrote it", room.ID, room.Version, known[room.ID])
		}
		rooms[room.ID] = true
	}
	for _, table := range layout.Tables {
		room, _, _ := strings.Cut(table.Name, "_")
		for _, name := range append([]string{table.Name}, table.Columns...) {
			if !plainName.MatchString(name) {
				return fmt.Errorf("%q is no name of a table or column of frontdesk's", name)
			}
		}
		if !rooms[room] {
			return fmt.Errorf("the table %s belongs to none of frontdesk's rooms", table.Name)
		}
	}
	return nil
}

// vacate takes what is there away, if it may.
func (db *DB) vacate(ctx context.Context, tx *Tx, replace bool) error {
	if err := ours(ctx, db.Engine(), tx); err != nil {
		return err
	}
	there, err := db.layout(ctx, tx)
	if err != nil {
		return err
	}
	for _, table := range there.Tables {
		var rows int
		if err := tx.QueryRow(ctx, `SELECT COUNT(*) FROM (SELECT 1 FROM `+quote(table.Name)+` LIMIT 1) AS any_row`).Scan(&rows); err != nil {
			return err
		}
		if rows > 0 && !replace {
			return ErrNotEmpty
		}
		if _, err := tx.Exec(ctx, `DROP TABLE `+quote(table.Name)); err != nil {
			return err
		}
	}
	if len(there.Schemas) > 0 {
		_, err = tx.Exec(ctx, `DELETE FROM frontdesk_schema`)
	}
	return err
}

// createTables makes the tables as they were when the layout was taken, empty.
func (db *DB) createTables(ctx context.Context, tx *Tx, schemas []Schema, layout Layout) error {
	if _, err := tx.Exec(ctx, makeSchemaTable); err != nil {
		return err
	}
	for _, schema := range schemas {
		for _, room := range layout.Schemas {
			for at := 0; room.ID == schema.ID && at < room.Version; at++ {
				if err := db.step(ctx, tx, schema, at); err != nil {
					return err
				}
			}
		}
	}
	for _, table := range layout.Tables { // of rows that steps put there: those of the layout come
		if _, err := tx.Exec(ctx, `DELETE FROM `+quote(table.Name)); err != nil {
			return err
		}
	}
	return nil
}

func mark(ctx context.Context, tx *Tx, text string) error {
	if _, err := tx.Exec(ctx, `CREATE TABLE IF NOT EXISTS frontdesk_loaded (mark TEXT NOT NULL)`); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, `DELETE FROM frontdesk_loaded`); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `INSERT INTO frontdesk_loaded (mark) VALUES ($1)`, text)
	return err
}

// LoadMark returns the mark of the Load that filled the database, or of the RepairLog that it
// continued from; empty for none.
func (db *DB) LoadMark(ctx context.Context) (mark string, err error) {
	err = db.View(ctx, func(tx *Tx) error {
		names, err := texts(ctx, tx, catalogue[db.Engine()])
		if err != nil || !slices.Contains(names, "frontdesk_loaded") {
			return err
		}
		return tx.QueryRow(ctx, `SELECT mark FROM frontdesk_loaded`).Scan(&mark)
	})
	return mark, err
}
