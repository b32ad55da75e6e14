package store

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/ncruces/go-sqlite3/vfs"
)

// countedLayer counts what is written to logs, and lets it fail.
type countedLayer struct {
	vfs.VFSFilename
	writes atomic.Int64
	fails  atomic.Bool
}

func (l *countedLayer) OpenFilename(name *vfs.Filename, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	file, out, err := l.VFSFilename.OpenFilename(name, flags)
	if err == nil && flags&vfs.OPEN_WAL != 0 {
		file = &countedFile{file, l}
	}
	return file, out, err
}

type countedFile struct {
	vfs.File
	layer *countedLayer
}

func (f *countedFile) WriteAt(p []byte, at int64) (int, error) {
	f.layer.writes.Add(1)
	if f.layer.fails.Load() {
		n, _ := f.File.WriteAt(p[:len(p)/2], at)
		return n, errors.New("the disk is gone")
	}
	return f.File.WriteAt(p, at)
}

// countLog opens a database over a layer that counts.
func countLog(t *testing.T) (*DB, *countedLayer) {
	layer := &countedLayer{VFSFilename: vfs.Find("os").(vfs.VFSFilename)}
	name := strings.ToLower(strings.ReplaceAll(t.Name(), "/", "-"))
	vfs.Register(name, layer)
	t.Cleanup(func() { vfs.Unregister(name) })
	db, err := Open(t.Context(), Config{DSN: t.TempDir() + "/test.db", Schemas: []Schema{notes}, Files: name})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db, layer
}

func TestATransactionIsWrittenToTheLogAtOnce(t *testing.T) {
	t.Parallel()
	db, layer := countLog(t)
	before := layer.writes.Load()
	if err := db.Update(t.Context(), func(tx *Tx) error {
		for i := range 200 {
			if err := put(t.Context(), fmt.Sprintf("%0200d", i))(tx); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if n := layer.writes.Load() - before; n != 1 {
		t.Errorf("some twenty pages were written in %d pieces", n)
	}
}

// TestATransactionThatTheLogRefusesIsUndone has the disk take half of a transaction and fail.
func TestATransactionThatTheLogRefusesIsUndone(t *testing.T) {
	t.Parallel()
	db, layer := countLog(t)
	if err := db.Update(t.Context(), put(t.Context(), "before")); err != nil {
		t.Fatal(err)
	}
	layer.fails.Store(true)
	if err := db.Update(t.Context(), put(t.Context(), "lost")); err == nil {
		t.Error("what the disk did not take is taken for done")
	}
	wantNotes(t, db, "before")
	layer.fails.Store(false)
	if err := db.Update(t.Context(), put(t.Context(), "after")); err != nil {
		t.Fatal(err)
	}
	wantNotes(t, db, "after", "before")
}
