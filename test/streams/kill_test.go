package streams

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/accounts"
	"frontdesk/internal/testkit/process"
)

// TestAKilledServerNeverOverchargesAStream kills a server while what is live is followed, follows
// it on with the server that comes after it, and reports. What is metered is never more than the
// time for which there was a stream, and never less than the client was told of by then and the
// server had kept.
//
// Not parallel: it measures what the process takes.
func TestAKilledServerNeverOverchargesAStream(t *testing.T) {
	if testing.Short() {
		t.Skip("short: follows a stream for some seconds")
	}
	s := openShop(t, "Nothing has happened yet.")
	at := s.buy(t, "/live")
	began := time.Now()
	var open time.Duration // at the most
	f, err := s.follow(at)
	if err != nil {
		t.Fatal(err)
	}
	last, id := "", ""
	for range 4 { // for some eight seconds
		if last, err = f.next("time"); err != nil {
			t.Fatal(err)
		}
	}
	id = f.last
	s.Kill()
	open += time.Since(began)
	f.Close()
	kept := s.metered(t, at)
	if kept <= 0 || kept > open {
		t.Errorf("after %s %s are kept; the client was told %s", open, kept, last)
	}
	s.Server = process.Start(t, "serve", "--config", s.config, "--listen", at.address.Host)
	began = time.Now()
	if f, err = s.follow(at, "Last-Event-ID: "+id); err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	event, data, err := f.event()
	if err == nil {
		event, data, err = f.event()
	}
	if err != nil || event != "time" {
		t.Errorf("after its start the stream goes on with %s %s, %v: the client has the text already", event, data, err)
	}
	said := s.post(t, "ReportUsage", fmt.Sprintf(`{"ver":"1.0","id":"r","transaction_id":%q,"billing_id":%q,"timestamp":%q,"usage":{"function":["FUNCTION_AI_INPUT"],"consumed_quantity":1,"consumed_unit":"minutes"}}`,
		at.transaction, at.billing, time.Now().UTC().Format(time.RFC3339)))
	open += time.Since(began)
	if said["accepted"] != true {
		t.Fatal(said)
	}
	if data, err := f.next("end"); err != nil || !strings.Contains(data, `"reported"`) {
		t.Errorf("the end: %s, %v", data, err)
	}
	if used := s.metered(t, at); used < kept || used > open {
		t.Errorf("metered %s, of which %s were kept before the kill, in %s", used, kept, open)
	}
	out, err := exec.Command(process.Binary(t), "ramp", "report", "transactions", "--config", s.config, "--format",
		"jsonl").Output()
	var row struct{ Charged string }
	if err == nil {
		err = json.Unmarshal(out[:strings.Index(string(out), "\n")], &row)
	}
	if minutes := int64((open + time.Minute - 1) / time.Minute); err != nil || minutes == 1 && row.Charged != "0.1" {
		t.Errorf("charged %q for %s: %v", row.Charged, open, err)
	}
	s.checked(t)
}

// metered is for how long the purchase was used, as the store has it.
func (s *shop) metered(t *testing.T, at sale) (used time.Duration) {
	t.Helper()
	s.read(t, func(ctx context.Context, db *store.DB) error {
		return db.View(ctx, func(tx *store.Tx) (err error) {
			used, _, err = accounts.New(accounts.Options{}).MeteredTime(ctx, tx, at.transaction)
			return err
		})
	})
	return used
}

// checked holds the book against its own rules.
func (s *shop) checked(t *testing.T) {
	t.Helper()
	s.read(t, func(ctx context.Context, db *store.DB) error {
		found, err := accounts.Check(ctx, db)
		if len(found) > 0 {
			t.Errorf("the book: %v", found)
		}
		return err
	})
}

func (s *shop) read(t *testing.T, fn func(context.Context, *store.DB) error) {
	t.Helper()
	db, err := store.Open(t.Context(), store.Config{DSN: "sqlite:" + filepath.Join(s.folder, "data", "frontdesk.db")})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := fn(t.Context(), db); err != nil {
		t.Fatal(err)
	}
}
