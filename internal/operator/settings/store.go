package settings

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
)

// Schema is the tables of this package: a row for each value that is kept, with its texts as JSON;
// a row for each thing that an owner marked, such as that the first steps need not be shown; and
// one that counts changes, by which other processes see that there are any. Times are microseconds.
var Schema = store.Schema{
	ID: "settings",
	Steps: []string{`
CREATE TABLE settings_value (
	name    {{text}} NOT NULL PRIMARY KEY,
	texts   TEXT NOT NULL,
	changed BIGINT NOT NULL,
	actor   TEXT NOT NULL
);
CREATE TABLE settings_mark (
	name  {{text}} NOT NULL PRIMARY KEY,
	made  BIGINT NOT NULL,
	actor TEXT NOT NULL
);
CREATE TABLE settings_version (
	one     BIGINT NOT NULL PRIMARY KEY,
	version BIGINT NOT NULL
);
INSERT INTO settings_version (one, version) VALUES (1, 0);
`},
}

// Store keeps the values of a database with [Schema]. Its methods may be called concurrently, and
// by several processes.
type Store struct {
	db      *store.DB
	now     func() time.Time
	changed func(ctx context.Context, tx *store.Tx, key string, set bool) error
}

// New returns the store of a database.
func New(db *store.DB, now func() time.Time) *Store { return &Store{db: db, now: now} }

// OnChange has a function be called for each key that is set, or has its default again, in the
// transaction that changes it.
func (s *Store) OnChange(fn func(ctx context.Context, tx *store.Tx, key string, set bool) error) {
	s.changed = fn
}

// Read gives what is kept.
func (s *Store) Read(ctx context.Context) (set Set, err error) {
	return store.Get(ctx, s.db, func(tx *store.Tx) (Set, error) { return read(ctx, tx) })
}

// Peek reads what is kept of a database as it is, which may be older than this program or not
// there.
func Peek(ctx context.Context, config store.Config) (rows []Row, err error) {
	err = store.Peek(ctx, config, "settings_value", func(tx *store.Tx) (err error) {
		rows, err = rowsOf(ctx, tx)
		return err
	})
	return rows, err
}

// Version grows with each change.
func (s *Store) Version(ctx context.Context) (version int64, err error) {
	return store.Get(ctx, s.db, func(tx *store.Tx) (int64, error) { return versionOf(ctx, tx) })
}

func read(ctx context.Context, tx *store.Tx) (set Set, err error) {
	if set.Version, err = versionOf(ctx, tx); err == nil {
		set.Rows, err = rowsOf(ctx, tx)
	}
	return set, err
}

func versionOf(ctx context.Context, tx *store.Tx) (version int64, err error) {
	err = tx.QueryRow(ctx, `SELECT version FROM settings_version WHERE one = 1`).Scan(&version)
	if err != nil {
		err = fmt.Errorf("read the settings: %w", err)
	}
	return version, err
}

func rowsOf(ctx context.Context, tx *store.Tx) ([]Row, error) {
	all, err := store.All(ctx, tx, `SELECT name, texts, changed, actor FROM settings_value ORDER BY name`, scan)
	if err != nil {
		return nil, fmt.Errorf("read the settings: %w", err)
	}
	return all, nil
}

func scan(row store.Scanner) (r Row, err error) {
	var texts string
	if err := row.Scan(&r.Key, &texts, &r.Changed, &r.By); err != nil {
		return r, err
	}
	return r, json.Unmarshal([]byte(texts), &r.Values)
}

// change keeps what changes say. rows are those that were checked with them: where others were kept
// meanwhile, nothing is changed.
func (s *Store) change(ctx context.Context, rows []Row, changes []Change) error {
	return s.db.Update(ctx, func(tx *store.Tx) error {
		there, err := rowsOf(ctx, tx)
		if err != nil {
			return err
		}
		changes := slices.DeleteFunc(slices.Clone(changes), func(c Change) bool { return c.within(there) })
		if len(changes) == 0 {
			return nil
		}
		for _, c := range changes {
			there = slices.DeleteFunc(there, func(r Row) bool { return r.Key == c.Key })
		}
		for _, r := range there {
			known := func(other Row) bool { return other.Key == r.Key && slices.Equal(other.Values, r.Values) }
			if !slices.ContainsFunc(rows, known) {
				return fail.New(fail.Invalid, "%s was changed meanwhile; look at what it says, and save again", r.Key)
			}
		}
		for _, c := range changes {
			if err := s.write(ctx, tx, c, rows); err != nil {
				return err
			}
		}
		_, err = tx.Exec(ctx, `UPDATE settings_version SET version = version + 1 WHERE one = 1`)
		return err
	})
}

// within says whether rows say what a change does.
func (c Change) within(rows []Row) bool {
	at := slices.IndexFunc(rows, func(r Row) bool { return r.Key == c.Key })
	return at < 0 && len(c.Values) == 0 || at >= 0 && len(c.Values) > 0 && slices.Equal(rows[at].Values, c.Values)
}

func (s *Store) write(ctx context.Context, tx *store.Tx, c Change, rows []Row) error {
	if _, ok := find(c.Key); !ok && len(c.Values) > 0 { // which Change.check said, too
		return fail.New(fail.Invalid, "%.100s cannot be kept", c.Key)
	}
	if _, err := tx.Exec(ctx, `DELETE FROM settings_value WHERE name = $1`, c.Key); err != nil {
		return err
	}
	if len(c.Values) > 0 {
		texts, err := json.Marshal(c.Values)
		if err != nil {
			return err
		}
		by := ""
		for _, r := range rows {
			if r.Key == c.Key {
				by = r.By
			}
		}
		_, err = tx.Exec(ctx, `INSERT INTO settings_value (name, texts, changed, actor) VALUES ($1, $2, $3, $4)`,
			c.Key, string(texts), store.Micros(s.now().UTC()), by)
		if err != nil {
			return err
		}
	}
	if s.changed == nil {
		return nil
	}
	return s.changed(ctx, tx, c.Key, len(c.Values) > 0)
}

// What an owner marks.
const (
	StepsHidden = "steps" // the first steps on Home need not be shown
	BackedUp    = "backup"
)

// Mark keeps that something was marked, now, or is not any more.
func (s *Store) Mark(ctx context.Context, name, by string, on bool) error {
	return s.db.Update(ctx, func(tx *store.Tx) error {
		if _, err := tx.Exec(ctx, `DELETE FROM settings_mark WHERE name = $1`, name); err != nil || !on {
			return err
		}
		_, err := tx.Exec(ctx, `INSERT INTO settings_mark (name, made, actor) VALUES ($1, $2, $3)`, name,
			store.Micros(s.now().UTC()), by)
		return err
	})
}

// Marked is when something was marked; zero where it is not.
func (s *Store) Marked(ctx context.Context, name string) (made time.Time, err error) {
	err = s.db.View(ctx, func(tx *store.Tx) error {
		return tx.Each(ctx, `SELECT made FROM settings_mark WHERE name = $1`, func(row store.Scanner) error {
			return row.Scan(&made)
		}, name)
	})
	return made, err
}
