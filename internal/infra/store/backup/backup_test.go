package backup_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"frontdesk/internal/infra/store"
	"frontdesk/internal/infra/store/backup"
	"frontdesk/internal/testkit/storetest"
)

// notes is a room with one table.
var notes = store.Schema{ID: "notes", Steps: []string{`CREATE TABLE notes_note (id {{text}} PRIMARY KEY, body {{bytes}})`}}

// house is a database, a data folder and a configuration.
type house struct {
	backup.Source
	t testing.TB
}

func newHouse(t testing.TB) *house {
	t.Helper()
	data := t.TempDir()
	return &house{backup.Source{Store: store.Config{DSN: "sqlite:" + filepath.Join(data, "frontdesk.db"),
		Schemas: []store.Schema{notes}}, Data: data}, t}
}

// filled is a house with notes, files and a configuration, all of which bear a word.
func filled(t testing.TB, word string) *house {
	t.Helper()
	h := newHouse(t)
	h.write("keys/site.key", word)
	h.write("acme/deep/account.json", "{}")
	h.Config = filepath.Join(t.TempDir(), "frontdesk.yaml")
	if err := os.WriteFile(h.Config, []byte("# "+word+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	db := storetest.Open(t, h.Store.DSN, notes)
	err := db.Update(t.Context(), func(tx *store.Tx) error {
		for _, id := range []string{word, "many", "long" + noise(20_000)} {
			if _, err := tx.Exec(t.Context(), `INSERT INTO notes_note (id, body) VALUES ($1, $2)`, id, []byte(word)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	db.Close()
	return h
}

// noise is n letters of which no two places are alike.
func noise(n int) string {
	random := rand.New(rand.NewPCG(1, 2))
	letters := make([]byte, n)
	for i := range letters {
		letters[i] = 'a' + byte(random.IntN(26))
	}
	return string(letters)
}

func (h *house) write(name, text string) {
	h.t.Helper()
	path := filepath.Join(h.Data, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		h.t.Fatal(err)
	}
}

// add writes further notes of some size.
func (h *house) add(n, size int) {
	h.t.Helper()
	db := storetest.Open(h.t, h.Store.DSN, notes)
	defer db.Close()
	for i := range n {
		err := db.Update(h.t.Context(), func(tx *store.Tx) error {
			_, err := tx.Exec(h.t.Context(), `INSERT INTO notes_note (id, body) VALUES ($1, $2)`, fmt.Sprintf("%04d", i), bytes.Repeat([]byte{byte(i)}, size))
			return err
		})
		if err != nil {
			h.t.Fatal(err)
		}
	}
}

// state is the notes and files of a house, by name.
func (h *house) state() map[string]string {
	h.t.Helper()
	all := map[string]string{}
	err := store.Dump(h.t.Context(), h.Store, func(store.Layout) error { return nil }, func(_ int, values []any) error {
		all["note "+values[0].(string)[:4]] = string(values[1].([]byte))
		return nil
	})
	if err != nil && !strings.Contains(err.Error(), store.ErrEmpty.Error()) {
		h.t.Fatal(err)
	}
	err = filepath.WalkDir(h.Data, func(path string, found fs.DirEntry, err error) error {
		name, _ := filepath.Rel(h.Data, path)
		if err != nil || !found.Type().IsRegular() || strings.HasPrefix(name, "frontdesk.db") {
			return err
		}
		text, err := os.ReadFile(path)
		all["file "+name] = string(text)
		return err
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return all
}

func (h *house) backUp() (path string, contents backup.Contents) {
	h.t.Helper()
	path = filepath.Join(h.t.TempDir(), "site.backup")
	now := func() time.Time { return time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC) }
	contents, err := backup.Create(h.t.Context(), path, h.Source, backup.Options{Program: "frontdesk test", Now: now})
	if err != nil {
		h.t.Fatal(err)
	}
	return path, contents
}

func TestARestoreBringsBackAllThatWasKept(t *testing.T) {
	t.Parallel()
	old := filled(t, "first")
	old.write("half.partial", "no part of it")
	old.add(5, 2<<20) // which takes several batches
	path, contents := old.backUp()
	if contents.AllRows() != 8 || contents.Files != 2 || string(contents.Config) != "# first\n" ||
		contents.Program != "frontdesk test" {
		t.Errorf("it holds %d rows, %d files, configuration %q", contents.AllRows(), contents.Files, contents.Config)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("others may read the backup: %v, %v", info.Mode(), err)
	}
	fresh := newHouse(t)
	if _, err := backup.Restore(t.Context(), path, fresh.Source, false); err != nil {
		t.Fatal(err)
	}
	want := old.state()
	delete(want, "file half.partial")
	if diff := cmp.Diff(want, fresh.state()); diff != "" {
		t.Error(diff)
	}
	if info, err := os.Stat(filepath.Join(fresh.Data, "keys", "site.key")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("others may read the key: %v, %v", info, err)
	}
}

func TestADatabaseOfBeforeDoesNotComeBack(t *testing.T) {
	t.Parallel()
	h := filled(t, "past")
	// The store moves, as to another engine; the file it was in stays behind, and so may its log.
	behind := h.Store.DSN
	h.Store.DSN = "sqlite:" + filepath.Join(t.TempDir(), "elsewhere.db")
	h.write("frontdesk.db-wal", "a log")
	db := storetest.Open(t, h.Store.DSN, notes)
	if err := db.Update(t.Context(), func(tx *store.Tx) error {
		_, err := tx.Exec(t.Context(), `INSERT INTO notes_note (id, body) VALUES ($1, $2)`, "newest", []byte("new"))
		return err
	}); err != nil {
		t.Fatal(err)
	}
	db.Close()
	path, contents := h.backUp()
	if contents.Files != 2 {
		t.Errorf("%d files", contents.Files)
	}
	into := newHouse(t)
	if _, err := backup.Restore(t.Context(), path, into.Source, false); err != nil {
		t.Fatal(err)
	}
	if got := into.state(); got["note newe"] != "new" || got["note past"] != "" || got["file keys/site.key"] != "past" {
		t.Errorf("%q, after a restore beside %s", got, behind)
	}
}

func TestAFileOfABackupDoesNotTakeTheDatabasesPlace(t *testing.T) {
	t.Parallel()
	h := filled(t, "word")
	h.write("site.db", "not a database of SQLite, though it may be called so")
	path, _ := h.backUp()
	into := newHouse(t)
	into.Store.DSN = "sqlite:" + filepath.Join(into.Data, "site.db")
	if _, err := backup.Restore(t.Context(), path, into.Source, false); err != nil {
		t.Fatal(err)
	}
	if got := into.state(); got["note word"] != "word" {
		t.Errorf("%q", got)
	}
}

// TestWhatIsKeptApartIsInNoBackup has a vault in the data folder, in whatever state: none of it is
// in the backup, and what a backup brings in its name takes nothing's place.
func TestWhatIsKeptApartIsInNoBackup(t *testing.T) {
	t.Parallel()
	h := filled(t, "word")
	h.Apart = []string{filepath.Join(h.Data, "vault.db")}
	names := []string{"vault.db", "vault.db-journal", "vault.db-wal", "vault.db-shm"}
	for _, name := range names {
		h.write(name, "the key of "+name)
	}
	path, contents := h.backUp()
	if contents.Files != 2 {
		t.Errorf("%d files", contents.Files)
	}
	into := newHouse(t)
	if _, err := backup.Restore(t.Context(), path, into.Source, false); err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if text := into.state()["file "+name]; text != "" {
			t.Errorf("%s came back: %q", name, text)
		}
	}
	h.Apart = nil
	h.write("vault.db", "another key")
	path, _ = h.backUp()
	into.Apart = []string{filepath.Join(into.Data, "vault.db")}
	into.write("vault.db", "its own key")
	if _, err := backup.Restore(t.Context(), path, into.Source, true); err != nil {
		t.Fatal(err)
	}
	if got := into.state()["file vault.db"]; got != "its own key" {
		t.Errorf("the vault is %q", got)
	}
}

// TestWhatIsMadeAnewIsInNoBackup has the files of an index in the data folder, which are larger
// than a backup takes.
func TestWhatIsMadeAnewIsInNoBackup(t *testing.T) {
	t.Parallel()
	h := filled(t, "word")
	_, before := h.backUp()
	h.write("index/0123.sealed", strings.Repeat("0123456789abcdef", 5<<20))
	h.write("index/index.sealed", "what is in them")
	h.write("index/.frontdesk-lock", "")
	if _, contents := h.backUp(); contents.Files != before.Files {
		t.Errorf("%d files, want %d", contents.Files, before.Files)
	}
}

func TestWhatIsThereIsLeftAloneUnlessToldOtherwise(t *testing.T) {
	t.Parallel()
	path, _ := filled(t, "first").backUp()
	if _, err := backup.Create(t.Context(), path, filled(t, "x").Source, backup.Options{}); err == nil {
		t.Error("a backup was overwritten")
	}
	there := filled(t, "second")
	before := there.state()
	if _, err := backup.Restore(t.Context(), path, there.Source, false); err == nil ||
		!strings.Contains(err.Error(), "--replace") {
		t.Errorf("with content: %v", err)
	}
	keyed := newHouse(t)
	keyed.write("keys/site.key", "another")
	if _, err := backup.Restore(t.Context(), path, keyed.Source, false); err == nil ||
		!strings.Contains(err.Error(), "--replace") {
		t.Errorf("with another key: %v", err)
	}
	if diff := cmp.Diff(before, there.state()); diff != "" {
		t.Errorf("refused, and changed: %s", diff)
	}
	if got := keyed.state(); len(got) != 1 || got["file keys/site.key"] != "another" {
		t.Errorf("refused, and changed: %v", got)
	}
	there.write("keys/own.key", "stays")
	if _, err := backup.Restore(t.Context(), path, there.Source, true); err != nil {
		t.Fatal(err)
	}
	if got := there.state(); got["note firs"] != "first" || got["file keys/site.key"] != "first" ||
		got["file keys/own.key"] != "stays" || got["note seco"] != "" {
		t.Errorf("replaced: %v", got)
	}
}

// TestNoDamageGoesUnnoticed changes and cuts a backup everywhere.
func TestNoDamageGoesUnnoticed(t *testing.T) {
	t.Parallel()
	path, _ := filled(t, "first").backUp()
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	there := filled(t, "second")
	before := there.state()
	damaged := filepath.Join(t.TempDir(), "damaged")
	try := func(what string, at int, text []byte) {
		t.Helper()
		if err := os.WriteFile(damaged, text, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := backup.Verify(t.Context(), damaged); err == nil {
			t.Errorf("%s at %d of %d went unnoticed", what, at, len(whole))
		}
	}
	step := max(1, len(whole)/150)
	for at := 10; at < len(whole); at += step { // the first bytes of gzip say nothing that matters
		try("cut", at, whole[:at])
		changed := bytes.Clone(whole)
		changed[at] ^= 0x41
		try("changed", at, changed)
	}
	try("nothing", 0, nil)
	try("something else", 0, []byte("PGDMP\x01\x0e"))
	if _, err := backup.Restore(t.Context(), damaged, there.Source, true); err == nil {
		t.Error("something else was restored")
	}
	if diff := cmp.Diff(before, there.state()); diff != "" {
		t.Error(diff)
	}
}

// repacked is a backup whose entries were changed by somebody who knows the form, but for the
// checksums.
func repacked(t *testing.T, path string, edit func(name, text string) (string, string)) string {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unpacked, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	packed := gzip.NewWriter(&out)
	writer, reader := tar.NewWriter(packed), tar.NewReader(unpacked)
	for {
		header, err := reader.Next()
		if err != nil {
			break
		}
		var text bytes.Buffer
		text.ReadFrom(reader)
		name, changed := edit(header.Name, text.String())
		if name == "" {
			continue
		}
		writer.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: int64(len(changed))})
		writer.Write([]byte(changed))
	}
	writer.Close()
	packed.Close()
	result := filepath.Join(t.TempDir(), "repacked")
	if err := os.WriteFile(result, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return result
}

func TestABackupThatWasTamperedWithIsRefused(t *testing.T) {
	t.Parallel()
	path, _ := filled(t, "first").backUp()
	same := repacked(t, path, func(name, text string) (string, string) { return name, text })
	if _, err := backup.Verify(t.Context(), same); err != nil {
		t.Fatalf("repacked without a change: %v", err)
	}
	for what, edit := range map[string]func(name, text string) (string, string){
		"a row": func(name, text string) (string, string) {
			if strings.HasPrefix(name, "tables/") {
				text = strings.Replace(text, "first", "worst", 1)
			}
			return name, text
		},
		"a key": func(name, text string) (string, string) { return name, strings.Replace(text, "first", "worst", 1) },
		"a name": func(name, text string) (string, string) {
			return strings.Replace(name, "keys/site.key", "keys/site.kez", 1), text
		},
		"a way out": func(name, text string) (string, string) {
			return strings.Replace(name, "keys/site.key", "../site.key", 1), text
		},
		"a missing file": func(name, text string) (string, string) {
			return strings.TrimPrefix(name, "data/keys/site.key"), text
		},
		"a missing end": func(name, text string) (string, string) {
			return strings.TrimPrefix(name, "frontdesk-checksums.json"), text
		},
		"another form": func(name, text string) (string, string) {
			return name, strings.Replace(text, `"format": 1`, `"format": 2`, 1)
		},
		"no beginning": func(name, text string) (string, string) {
			return strings.TrimPrefix(name, "frontdesk-backup.json"), text
		},
	} {
		if _, err := backup.Verify(t.Context(), repacked(t, path, edit)); err == nil ||
			strings.Contains(err.Error(), "panic") {
			t.Errorf("%s went unnoticed: %v", what, err)
		}
	}
}

// TestARestoreBrokenOffBeforeItsFilesIsFinishedAtTheNextStart leaves the moment between database
// and files behind.
func TestARestoreBrokenOffBeforeItsFilesIsFinishedAtTheNextStart(t *testing.T) {
	t.Parallel()
	path, contents := filled(t, "first").backUp()
	fresh := newHouse(t)
	if _, err := backup.Restore(t.Context(), path, fresh.Source, false); err != nil {
		t.Fatal(err)
	}
	want := fresh.state()
	// As it was before the files were moved.
	fresh.write("keys/site.key", "older")
	fresh.write(".restore-"+contents.ID+"/keys/site.key", "first")
	fresh.write(".restore-another/keys/site.key", "never loaded")
	db := storetest.Open(t, fresh.Store.DSN, notes)
	for range 2 {
		if err := backup.Finish(t.Context(), db, fresh.Data); err != nil {
			t.Fatal(err)
		}
	}
	got := fresh.state()
	if got["file .restore-another/keys/site.key"] == "" {
		t.Error("what may be a restore under way was removed")
	}
	delete(got, "file .restore-another/keys/site.key")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestABackupThatFailsLeavesNoFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "site.backup")
	if _, err := backup.Create(t.Context(), path, newHouse(t).Source, backup.Options{}); err == nil ||
		!strings.Contains(err.Error(), "nothing of frontdesk's") {
		t.Errorf("of nothing: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := backup.Create(ctx, path, filled(t, "first").Source, backup.Options{}); err == nil {
		t.Error("told to stop, and did not")
	}
	if _, err := backup.Create(t.Context(), filepath.Join(dir, "no", "site.backup"), filled(t, "first").Source,
		backup.Options{}); err == nil || !strings.Contains(err.Error(), "make it") {
		t.Errorf("in a folder that is not there: %v", err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("left %v, %v", left, err)
	}
}

// FuzzVerify reads whatever may be taken for a backup.
func FuzzVerify(f *testing.F) {
	pack := func(entries ...string) []byte {
		var out bytes.Buffer
		packed := gzip.NewWriter(&out)
		writer := tar.NewWriter(packed)
		for i := 0; i < len(entries); i += 2 {
			writer.WriteHeader(&tar.Header{Name: entries[i], Mode: 0o600, Size: int64(len(entries[i+1]))})
			writer.Write([]byte(entries[i+1]))
		}
		writer.Close()
		packed.Close()
		return out.Bytes()
	}
	head := `{"format":1,"id":"x","layout":{"rooms":[{"room":"notes","version":1}],"tables":[{"name":"notes_note","columns":["id","body"]}]}}`
	f.Add("tables/notes_note/0", "s\x01an", `{"entries":[]}`)
	f.Add("data/a", "", `{}`)
	f.Fuzz(func(t *testing.T, name, text, tail string) {
		path := filepath.Join(t.TempDir(), "fuzz")
		if err := os.WriteFile(path, pack("frontdesk-backup.json", head, name, text, "frontdesk-checksums.json", tail),
			0o600); err != nil {
			t.Fatal(err)
		}
		contents, err := backup.Verify(context.Background(), path)
		if err == nil && len(contents.Entries) == 0 {
			t.Error("a backup without entries is whole")
		}
	})
}
