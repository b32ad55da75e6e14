package kill

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"os"
	"path/filepath"
	"testing"

	"frontdesk/internal/content"
	"frontdesk/internal/infra/store"
)

// state is what a catalog holds, so that two can be compared.
type state struct {
	items  int
	digest string // of every item, whole
}

// readState opens a database as the next process would and reads its catalog. The database must be
// sound.
func readState(t *testing.T, dsn string) state {
	t.Helper()
	ctx := context.Background()
	db, err := store.Open(ctx, store.Config{DSN: dsn, Schemas: []store.Schema{content.Schema}})
	if err != nil {
		t.Fatalf("the store does not open: %v", err)
	}
	defer db.Close()
	if db.Engine() == "sqlite" {
		checkIntegrity(t, db)
	}
	catalog := content.New(db, content.Options{})
	sources, err := catalog.Sources(ctx)
	if err != nil {
		t.Fatal(err)
	}
	all := sha256.New()
	read := state{}
	for _, source := range sources {
		err := catalog.EachItem(ctx, source.Site, func(item content.Item) error {
			read.items++
			addItem(all, item)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if source.Items != read.items {
			t.Errorf("the source says it has %d items, and has %d", source.Items, read.items)
		}
	}
	read.digest = hex.EncodeToString(all.Sum(nil)[:8])
	return read
}

func addItem(all hash.Hash, item content.Item) {
	fmt.Fprintf(all, "%q %q %q %q\n", item.URL, item.Name, item.Description, item.Object)
	for _, passage := range item.Passages {
		fmt.Fprintf(all, "%q %q\n", passage.ID, passage.Text)
	}
}

func checkIntegrity(t *testing.T, db *store.DB) {
	t.Helper()
	var verdict string
	err := db.View(context.Background(), func(tx *store.Tx) error {
		return tx.QueryRow(context.Background(), "PRAGMA integrity_check").Scan(&verdict)
	})
	if err != nil || verdict != "ok" {
		t.Fatalf("integrity_check says %q, %v", verdict, err)
	}
}

// copyDatabase copies the files of a SQLite database that no process has open, as they lie after a
// kill, so that a look at the copy repairs nothing for the process that comes next.
func copyDatabase(t *testing.T, from, to string) {
	t.Helper()
	for _, suffix := range []string{"", "-wal"} {
		raw, err := os.ReadFile(from + suffix)
		if os.IsNotExist(err) && suffix != "" {
			os.Remove(to + suffix)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to+suffix, raw, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	os.Remove(to + "-shm")
}

// size is how much space a directory's files take.
func size(t *testing.T, dir string) (total int64) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if info, err := os.Stat(name); err == nil {
			total += info.Size()
		}
	}
	return total
}
