package store_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/infra/store"
	"frontdesk/internal/testkit/storetest"
)

// book is a log that may be read while it is written.
type book struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *book) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *book) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// TestAnOutageIsToldAndEndsByItself has a disk fill up, and a server be lost: what is written then
// fails with an outage, whatever way it goes and whatever the closure says of it; and as soon as
// there is room, or a server, all goes on with nobody writing meanwhile.
func TestAnOutageIsToldAndEndsByItself(t *testing.T) {
	t.Parallel()
	t.Run(store.SQLite, func(t *testing.T) {
		t.Parallel()
		disk := storetest.NewDisk(t)
		config := store.Config{DSN: storetest.NewSQLite(t), Files: disk.Name}
		outage(t, config, disk.Fill, disk.Free, false)
	})
	t.Run(store.PostgreSQL, func(t *testing.T) {
		t.Parallel()
		storetest.NeedPostgres(t)
		line := storetest.NewLine(t)
		outage(t, store.Config{DSN: line.DSN}, line.Cut, line.Mend, true)
	})
}

func outage(t *testing.T, config store.Config, begin, end func(), reads bool) {
	log := &book{}
	config.Schemas, config.Log = []store.Schema{notes}, slog.New(slog.NewTextHandler(log, nil))
	db, err := store.Open(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	write := func(tx *store.Tx) error {
		_, err := tx.Exec(t.Context(), `INSERT INTO notes (id, n) VALUES ($1, 1)`, time.Now().String())
		if err != nil {
			return errors.Join(errors.New("the note"), err)
		}
		return nil
	}
	read := func(tx *store.Tx) error {
		rows, err := tx.Query(t.Context(), `SELECT id FROM notes`)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
		}
		return rows.Err()
	}
	ways := map[string]func() error{
		"Update":        func() error { return db.Update(t.Context(), write) },
		"UpdateSerial":  func() error { return db.UpdateSerial(t.Context(), "turn", write) },
		"UpdateBatched": func() error { return db.UpdateBatched(t.Context(), one, write) },
	}
	if reads {
		ways["View"] = func() error { return db.View(t.Context(), read) }
		ways["Ping"] = func() error { return db.Ping(t.Context()) }
	}
	all := func(check func(way string, err error)) {
		for way, do := range ways {
			check(way, do())
		}
	}
	for range 2 {
		all(func(way string, err error) {
			if err != nil {
				t.Fatalf("%s while all is well: %v", way, err)
			}
		})
		if err := db.Failing(); err != nil {
			t.Fatal(err)
		}
		begin()
		all(func(way string, err error) {
			var told *store.Outage
			if !errors.As(err, &told) || db.Failing() == nil {
				t.Errorf("%s: %v; failing: %v", way, err, db.Failing())
			}
			if told != nil && told.Unavailable() <= 0 {
				t.Errorf("%s does not say when to come back", way)
			}
		})
		if !reads {
			if err := db.View(t.Context(), read); err != nil {
				t.Errorf("reading from a full disk: %v", err)
			}
		}
		end()
		for db.Failing() != nil {
			if t.Context().Err() != nil {
				t.Fatal(db.Failing())
			}
			<-time.After(10 * time.Millisecond)
		}
	}
	n, m := strings.Count(log.String(), "cannot be used"), strings.Count(log.String(), "takes writes again")
	if n != 2 || m != 2 {
		t.Errorf("two outages are told %d times, and their ends %d times:\n%s", n, m, log)
	}
	begin()
	_ = ways["Update"]()
	if err := db.Close(); err != nil && reads {
		t.Errorf("closing while it fails: %v", err)
	}
}

// TestWhatIsNoOutage holds that mistakes, ended contexts and closed databases are told as before,
// and start no trying.
func TestWhatIsNoOutage(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(*testing.T, ...store.Schema) *store.DB) {
		db := open(t, notes)
		over, cancel := context.WithCancel(t.Context())
		cancel()
		own := errors.New("ours")
		do := func(ctx context.Context, query string) func(*store.Tx) error {
			return func(tx *store.Tx) error { _, err := tx.Exec(ctx, query); return err }
		}
		for what, err := range map[string]error{
			"no such table":      db.Update(t.Context(), do(t.Context(), `DELETE FROM notes_nothing`)),
			"ended":              db.Update(over, do(over, `DELETE FROM notes`)),
			"ours":               db.Update(t.Context(), func(*store.Tx) error { return own }),
			"a View that writes": db.View(t.Context(), do(t.Context(), `DELETE FROM notes`)),
		} {
			var told *store.Outage
			if err == nil || errors.As(err, &told) || db.Failing() != nil {
				t.Errorf("%s: %v; failing: %v", what, err, db.Failing())
			}
		}
	})
}

func TestWhichStatesAreOutages(t *testing.T) {
	t.Parallel()
	for state, want := range map[string]bool{
		"08006": true, "53100": true, "53300": true, "57P01": true, "57P03": true, "57014": true, "58030": true,
		"25006": true, "55P03": true, "XX001": true,
		"23505": false, "42P01": false, "22003": false, "40001": false, "XX000": false, "25P02": false,
	} {
		if got := store.IsOutage(state, false); got != want {
			t.Errorf("%s: %t", state, got)
		}
	}
	if store.IsOutage("25006", true) {
		t.Error("a View that writes is a mistake of ours")
	}
}
