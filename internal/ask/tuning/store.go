package tuning

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
)

// Schema is the tables of this package: a row for each entry, as JSON; how often each was used on
// each day, counted from 1970; and one row that counts changes, by which other processes see that
// there are any. Times are microseconds.
var Schema = store.Schema{
	ID: "tuning",
	Steps: []string{`
CREATE TABLE tuning_entry (
	id      {{text}} NOT NULL PRIMARY KEY,
	entry   TEXT NOT NULL,
	created BIGINT NOT NULL,
	changed BIGINT NOT NULL
);
CREATE TABLE tuning_use (
	entry {{text}} NOT NULL,
	day   BIGINT NOT NULL,
	uses  BIGINT NOT NULL,
	PRIMARY KEY (entry, day)
);
CREATE TABLE tuning_version (
	one     BIGINT NOT NULL PRIMARY KEY,
	version BIGINT NOT NULL
);
INSERT INTO tuning_version (one, version) VALUES (1, 0);
`},
}

// UseDays is of how many days uses are told; those of earlier days are forgotten.
const UseDays = 30

const (
	pollEvery  = time.Second      // how often Follow looks for changes
	flushEvery = 10 * time.Second // how often it writes down what was used
	day        = 24 * time.Hour
)

// Store keeps the entries of a database with [Schema]. Its methods may be called concurrently, and
// by several processes.
type Store struct {
	db    *store.DB
	now   func() time.Time
	rules atomic.Pointer[Rules]

	turn sync.Mutex // held while rules are made
	mu   sync.Mutex
	uses map[string]*atomic.Int64 // since they were last written down; mu guards the map
}

// New returns the store of a database. It has no rules in force before Refresh.
func New(db *store.DB, now func() time.Time) *Store {
	return &Store{db: db, now: now, uses: map[string]*atomic.Int64{}}
}

// Rules are those in force; nil for none. They are as the last Refresh found them.
func (s *Store) Rules() *Rules {
	if s == nil {
		return nil
	}
	return s.rules.Load()
}

// List gives all entries, by kind, the one changed last first.
func (s *Store) List(ctx context.Context) (all []Entry, err error) {
	err = s.db.View(ctx, func(tx *store.Tx) (err error) {
		all, err = s.list(ctx, tx)
		return err
	})
	return all, err
}

func (s *Store) list(ctx context.Context, tx *store.Tx) ([]Entry, error) {
	all, err := read(ctx, tx)
	if err != nil {
		return nil, err
	}
	uses := map[string]int64{}
	err = tx.Each(ctx, `SELECT entry, SUM(uses) FROM tuning_use WHERE day > $1 GROUP BY entry`, func(row store.Scanner) error {
		var id string
		var n int64
		err := row.Scan(&id, &n)
		uses[id] = n
		return err
	}, s.today()-UseDays)
	if err != nil {
		return nil, fmt.Errorf("read how often answers were mended: %w", err)
	}
	for i := range all {
		all[i].Uses = uses[all[i].ID]
	}
	return all, nil
}

func read(ctx context.Context, tx *store.Tx) (all []Entry, err error) {
	all, err = store.All(ctx, tx, `SELECT id, entry, created, changed FROM tuning_entry ORDER BY changed DESC, id`, scan)
	if err != nil {
		return nil, fmt.Errorf("read the tuning: %w", err)
	}
	slices.SortStableFunc(all, func(a, b Entry) int {
		return slices.Index(Kinds, a.Kind) - slices.Index(Kinds,
			b.Kind)
	})
	return all, nil
}

func scan(row store.Scanner) (e Entry, err error) {
	var id, text string
	var created, changed int64
	if err := row.Scan(&id, &text, &created, &changed); err != nil {
		return e, err
	}
	err = json.Unmarshal([]byte(text), &e)
	e.ID, e.Created, e.Changed = id, store.FromMicros(created), store.FromMicros(changed)
	return e, err
}

// Get gives an entry. It is fail.NotFound where there is none of the id.
func (s *Store) Get(ctx context.Context, id string) (e Entry, err error) {
	all, err := s.List(ctx)
	if err != nil {
		return e, err
	}
	if at := slices.IndexFunc(all, func(e Entry) bool { return e.ID == id }); at >= 0 {
		return all[at], nil
	}
	return e, noEntry(id)
}

func noEntry(id string) error {
	return fail.New(fail.NotFound, "there is no entry %.80s; `frontdesk tuning list` lists those there are", id)
}

// Put adds entries, or puts each in the place of that with its id. Ids are made where there are
// none. Either all are put in, or none. The error is fail.Invalid for what is no entry, for one
// that says something for the words or the question of another, and for one beyond MaxEntries.
// Entries that say what they said before are left alone.
func (s *Store) Put(ctx context.Context, entries ...Entry) (put []Entry, fresh, changed int, err error) {
	for i := range entries {
		if err := entries[i].Check(); err != nil {
			return nil, 0, 0, named(err, entries, i)
		}
	}
	err = s.change(ctx, func(tx *store.Tx) (bool, error) {
		put, fresh, changed, err = nil, 0, 0, nil
		all, err := read(ctx, tx)
		if err != nil {
			return false, err
		}
		now := s.now().UTC().Truncate(time.Microsecond)
		for i, e := range entries {
			if e.ID == "" {
				e.ID = e.Kind + "-" + strings.ToLower(rand.Text()[:10])
			}
			at := slices.IndexFunc(all, func(other Entry) bool { return other.ID == e.ID })
			if at >= 0 && all[at].Same(&e) {
				put = append(put, all[at])
				continue
			}
			e.Created, e.Changed = now, now
			if at < 0 {
				fresh, at = fresh+1, len(all)
				all = append(all, e)
			} else {
				changed++
				e.Created = all[at].Created
				all[at] = e
			}
			for j := range all {
				if err := e.clashes(&all[j]); j != at && err != nil {
					return false, named(err, entries, i)
				}
			}
			put = append(put, e)
			if err := write(ctx, tx, &e); err != nil {
				return false, err
			}
		}
		if len(all) > MaxEntries {
			return false, fail.New(fail.Invalid,
				"there would be %d entries, and there may be %d; remove some first", len(all), MaxEntries)
		}
		return fresh+changed > 0, nil
	})
	return put, fresh, changed, err
}

// named says of which of several entries an error is.
func named(err error, entries []Entry, i int) error {
	coded := fail.From(err)
	if len(entries) == 1 || coded.Code != fail.Invalid {
		return err
	}
	return fail.New(fail.Invalid, "entry %d (%.60s): %s", i+1, entries[i].About(), coded.Detail)
}

// write writes an entry, without what stands in columns of its own.
func write(ctx context.Context, tx *store.Tx, e *Entry) error {
	said := *e
	said.ID, said.Created, said.Changed, said.Uses = "", time.Time{}, time.Time{}, 0
	text, err := json.Marshal(said)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `INSERT INTO tuning_entry (id, entry, created, changed) VALUES ($1, $2, $3, $4)
		ON CONFLICT (id) DO UPDATE SET entry = EXCLUDED.entry, changed = EXCLUDED.changed`,
		e.ID, string(text), store.Micros(e.Created), store.Micros(e.Changed))
	return err
}

// Remove removes an entry. It is fail.NotFound where there is none of the id.
func (s *Store) Remove(ctx context.Context, id string) error {
	return s.change(ctx, func(tx *store.Tx) (bool, error) {
		n, err := tx.Exec(ctx, `DELETE FROM tuning_entry WHERE id = $1`, id)
		if err == nil && n == 0 {
			err = noEntry(id)
		}
		if err == nil {
			_, err = tx.Exec(ctx, `DELETE FROM tuning_use WHERE entry = $1`, id)
		}
		return true, err
	})
}

// change makes a change, counts it, and puts it in force here.
func (s *Store) change(ctx context.Context, do func(tx *store.Tx) (changed bool, err error)) error {
	err := s.db.Update(ctx, func(tx *store.Tx) error {
		changed, err := do(tx)
		if err == nil && changed {
			_, err = tx.Exec(ctx, `UPDATE tuning_version SET version = version + 1 WHERE one = 1`)
		}
		return err
	})
	if err != nil {
		return err
	}
	return s.Refresh(ctx)
}

// Refresh puts in force what was changed since, by any process.
func (s *Store) Refresh(ctx context.Context) error {
	s.turn.Lock()
	defer s.turn.Unlock()
	before := s.rules.Load()
	return s.db.View(ctx, func(tx *store.Tx) error {
		var version int64
		if err := tx.QueryRow(ctx, `SELECT version FROM tuning_version WHERE one = 1`).Scan(&version); err != nil {
			return fmt.Errorf("read the tuning: %w", err)
		}
		if before != nil && before.Version == version || before == nil && version == 0 {
			return nil
		}
		all, err := read(ctx, tx)
		if err != nil {
			return err
		}
		rules := Compile(all)
		rules.Version, rules.uses = version, s.counters(all)
		s.rules.Store(rules)
		return nil
	})
}

// counters are those of some entries.
func (s *Store) counters(entries []Entry) map[string]*atomic.Int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make(map[string]*atomic.Int64, len(entries))
	for i := range entries {
		id := entries[i].ID
		if s.uses[id] == nil {
			s.uses[id] = new(atomic.Int64)
		}
		all[id] = s.uses[id]
	}
	return all
}

// today counts the days from 1970.
func (s *Store) today() int64 { return s.now().UTC().Unix() / int64(day/time.Second) }

// Flush writes down what was used. What cannot be written is counted again.
func (s *Store) Flush(ctx context.Context) error {
	s.mu.Lock()
	taken := map[string]int64{}
	for id, count := range s.uses {
		if n := count.Swap(0); n > 0 {
			taken[id] = n
		}
	}
	s.mu.Unlock()
	if len(taken) == 0 {
		return nil
	}
	err := s.db.Update(ctx, func(tx *store.Tx) error {
		for id, n := range taken {
			// One that was removed meanwhile is not counted.
			_, err := tx.Exec(ctx, `INSERT INTO tuning_use (entry, day, uses) SELECT id, $1, $2 FROM tuning_entry WHERE id = $3
				ON CONFLICT (entry, day) DO UPDATE SET uses = tuning_use.uses + EXCLUDED.uses`, s.today(), n, id)
			if err != nil {
				return err
			}
		}
		_, err := tx.Exec(ctx, `DELETE FROM tuning_use WHERE day <= $1`, s.today()-UseDays)
		return err
	})
	if err != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		for id, n := range taken {
			s.uses[id].Add(n)
		}
	}
	return err
}

// Follow puts in force what other processes change, and writes down what was used, until ctx ends.
func (s *Store) Follow(ctx context.Context, log *slog.Logger) {
	poll, flush := time.NewTicker(pollEvery), time.NewTicker(flushEvery)
	defer poll.Stop()
	defer flush.Stop()
	failed := ""
	for {
		var err error
		select {
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
			defer cancel()
			if err := s.Flush(last); err != nil {
				log.Warn("how often answers were mended could not be written down at the end", "error", err)
			}
			return
		case <-poll.C:
			err = s.Refresh(ctx)
		case <-flush.C:
			err = s.Flush(ctx)
		}
		switch now := fmt.Sprint(err); {
		case err == nil:
			failed = ""
		case !errors.Is(err, context.Canceled) && now != failed:
			failed = now
			log.Error("the tuning cannot be read or counted; what was in force stays", "error", err)
		}
	}
}
