package intent

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"frontdesk/internal/testkit/process"
	"frontdesk/internal/testkit/storetest"
)

// TestARestoredLedgerSignsNoSecondHistory takes a backup while platforms ask, lets more be signed,
// and puts the backup back: elsewhere, and in the place of what is there. The program goes on only
// when it is told how, and what anybody was given before stays true.
func TestARestoredLedgerSignsNoSecondHistory(t *testing.T) {
	t.Parallel()
	storetest.EachDSN(t, func(t *testing.T, fresh storetest.Fresh) {
		dir := t.TempDir()
		_, _ = written(t, dir)
		at := func(name string) served {
			return configured(t, dir, name, harbourTerms+fmt.Sprintf("store: %q\n", fresh(t)), `rate: ""`, `sessions: ""`)
		}
		house := at("house")
		house.furnish(t)
		house.start(t)
		keys := filepath.Join(dir, "jwks.json")
		house.save(t, "/.well-known/jwks.json", keys)
		early := []string{house.receipt(t, dir), house.receipt(t, dir)}
		backup := filepath.Join(dir, "house.backup")
		process.MustRun(t, "backup", backup, "--config", house.config)
		late := []string{house.receipt(t, dir), house.receipt(t, dir)}
		house.End(t)
		holdTrue(t, keys, append(early, late...)...)

		elsewhere := at("elsewhere")
		told := process.MustRun(t, "restore", backup, "--config", elsewhere.config)
		holdsAll(t, told, "frontdesk ledger resume", "`frontdesk ask` and `frontdesk mcp` answer at once")
		holdsAll(t, process.MustRun(t, "ask", "--config", elsewhere.config, "the harbour"), "of the harbour, story")
		elsewhere.refuses(t, "was put back from a backup", "frontdesk ledger resume")
		holdsAll(t, process.MustRun(t, "ledger", "resume", "--config", elsewhere.config), "goes on as local/ledger/")
		elsewhere.goesOn(t, dir, keys, early, late)

		// In the place of what is there, whose keys know how far they have signed.
		process.MustRun(t, "restore", "--replace", backup, "--config", house.config)
		house.refuses(t, "was put back from a backup", "frontdesk ledger resume")
		if _, stderr, err := process.Run(t, "ledger", "resume", "--complete", "--config", house.config); err == nil ||
			!strings.Contains(stderr, "were signed already") {
			t.Errorf("a ledger that is not complete is taken for it: %v %s", err, stderr)
		}
		holdsAll(t, process.MustRun(t, "ledger", "resume", "--name", "harbour.example/second", "--config",
			house.config), "goes on as harbour.example/second")
		house.goesOn(t, dir, keys, early, late)
		holdTrue(t, keys, append(early, late...)...)

		// Moved, with the server ended first.
		process.MustRun(t, "backup", "--replace", backup, "--config", house.config)
		moved := at("moved")
		process.MustRun(t, "restore", backup, "--config", moved.config)
		holdsAll(t, process.MustRun(t, "ledger", "resume", "--complete", "--config", moved.config),
			"goes on as harbour.example/second,")
		moved.goesOn(t, dir, keys, early, late)
	})
}

// TestADatabaseOlderThanItsKeysIsRefused exchanges the file of the database by an older one, as a
// snapshot of the disk does.
func TestADatabaseOlderThanItsKeysIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, _ = written(t, dir)
	house := configured(t, dir, "house", harbourTerms, `rate: ""`, `sessions: ""`)
	house.furnish(t)
	house.start(t)
	keys := filepath.Join(dir, "jwks.json")
	house.save(t, "/.well-known/jwks.json", keys)
	early := []string{house.receipt(t, dir)}
	house.End(t)
	database := filepath.Join(house.data, "frontdesk.db")
	snapshot, err := os.ReadFile(database)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(database + "-wal"); err == nil {
		t.Fatal("a server that has ended left its log behind")
	}
	house.start(t)
	late := []string{house.receipt(t, dir)}
	house.End(t)
	if err := os.WriteFile(database, snapshot, 0o600); err != nil {
		t.Fatal(err)
	}
	house.refuses(t, "were signed already", "frontdesk ledger resume")
	process.MustRun(t, "ledger", "resume", "--config", house.config)
	house.goesOn(t, dir, keys, early, late)

	if err := os.Remove(database); err != nil {
		t.Fatal(err)
	}
	house.furnish(t)
	house.refuses(t, "the database holds none", "frontdesk ledger resume")
}

// TestADamagedLogIsRefused kills a server after it has given receipts, and changes a byte of what
// it had committed, early in SQLite's log.
func TestADamagedLogIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, _ = written(t, dir)
	house := configured(t, dir, "house", harbourTerms, `rate: ""`, `sessions: ""`)
	house.furnish(t)
	house.start(t)
	keys := filepath.Join(dir, "jwks.json")
	house.save(t, "/.well-known/jwks.json", keys)
	log := filepath.Join(house.data, "frontdesk.db-wal")
	early := []string{house.receipt(t, dir)}
	before, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	late := []string{house.receipt(t, dir), house.receipt(t, dir), house.receipt(t, dir)}
	house.Kill()
	whole, err := os.ReadFile(log)
	if err != nil || len(whole) < len(before)+5000 {
		t.Fatalf("the log has grown from %d to %d bytes: %v", len(before), len(whole), err)
	}
	whole[len(before)+1000] ^= 1
	if err := os.WriteFile(log, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	house.refuses(t, "write-ahead log is damaged", "frontdesk restore --replace", "frontdesk ledger resume")
	holdsAll(t, process.MustRun(t, "ledger", "resume", "--config", house.config), "frontdesk.db-wal-damaged-",
		"goes on as local/ledger/")
	house.goesOn(t, dir, keys, early, late)
	holdTrue(t, keys, append(early, late...)...)
}

func (s *served) start(t *testing.T) {
	t.Helper()
	s.Server = process.Start(t, "serve", "--config", s.config)
}

// refuses holds that a server does not start, and says what is to be known; and that an audit tells
// the same.
func (s served) refuses(t *testing.T, says ...string) {
	t.Helper()
	stdout, stderr, err := process.Run(t, "serve", "--config", s.config)
	if err == nil {
		t.Error("the server starts")
	}
	holdsAll(t, stdout+stderr, says...)
	stdout, stderr, err = process.Run(t, "ledger", "audit", "--config", s.config)
	if err == nil {
		t.Error("the audit finds nothing")
	}
	holdsAll(t, stdout+stderr, says...)
}

// goesOn holds that a server gives passages and receipts again, the receipts of the entries that it
// has among them, that the ledger is sound, and that all is true by the keys of before. It ends the
// server.
func (s *served) goesOn(t *testing.T, dir, keys string, early, late []string) {
	t.Helper()
	s.start(t)
	files := []string{s.receipt(t, dir)}
	for _, known := range early {
		file := filepath.Join(dir, "again-"+random())
		if status := s.save(t, "/intent/receipts/"+idOf(t, known), file); status != http.StatusOK {
			t.Errorf("the receipt of an entry of before the backup: %d", status)
			continue
		}
		files = append(files, file)
	}
	for _, lost := range late {
		if status := s.save(t, "/intent/receipts/"+idOf(t, lost),
			filepath.Join(dir, "lost")); status != http.StatusNotFound {
			t.Errorf("the receipt of an entry that was lost: %d", status)
		}
	}
	s.End(t)
	holdTrue(t, keys, files...)
	holdsAll(t, process.MustRun(t, "ledger", "audit", "--config", s.config), "is sound")
	export := filepath.Join(dir, "export-"+random())
	process.MustRun(t, "ledger", "export", "--output", export, "--config", s.config)
	holdTrue(t, keys, export)
}

// receipt has passages given, and writes their receipt to a file.
func (s served) receipt(t *testing.T, dir string) (file string) {
	t.Helper()
	body := question(theHarbour(s.URL, nil))
	r := s.try(t, retrieval(s.URL, body))
	extensions, _ := r.body["extensions"].(object)
	address, _ := extensions["frontdesk.receipt"].(string)
	if r.status != http.StatusOK || address == "" {
		t.Fatalf("%d %s", r.status, clip(r.raw))
	}
	file = filepath.Join(dir, "receipt-"+random()+".json")
	at := "/intent/receipts/" + path.Base(address)
	for status := 0; status != http.StatusOK; { // on PostgreSQL it has its place a moment later
		if status = s.save(t, at, file); status != http.StatusOK && status != http.StatusServiceUnavailable {
			t.Fatalf("the receipt %s: %d", at, status)
		}
	}
	return file
}

// save writes to a file what a server gives to a signed GET.
func (s served) save(t *testing.T, path, file string) (status int) {
	t.Helper()
	r := s.try(t, message{base: s.URL, method: http.MethodGet, path: path, key: mine, version: "0.1", stamp: stamp(0),
		nonce: random()})
	if err := os.WriteFile(file, r.raw, 0o600); err != nil {
		t.Fatal(err)
	}
	return r.status
}

// try sends a message, which must come through.
func (s served) try(t *testing.T, m message) reply {
	t.Helper()
	p := &probe{}
	defer func() {
		if cause := recover(); cause != nil {
			t.Fatalf("%v %v", cause, p.faults)
		}
	}()
	return p.send(m)
}

// idOf is the id of the entry that a receipt in a file is of.
func idOf(t *testing.T, file string) string {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var r struct{ Entry struct{ ID string } }
	if err := json.Unmarshal(raw, &r); err != nil {
		t.Fatal(err)
	}
	return r.Entry.ID
}

// holdTrue holds that the program finds files true.
func holdTrue(t *testing.T, keys string, files ...string) {
	t.Helper()
	for _, file := range files {
		process.MustRun(t, "verify", file, "--key", keys)
	}
}

func holdsAll(t *testing.T, said string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(said, part) {
			t.Errorf("it says %q, and not %q", said, part)
		}
	}
}
