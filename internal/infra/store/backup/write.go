package backup

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"frontdesk/internal/infra/sealed"
	"frontdesk/internal/infra/store"
)

// Source is what a backup is made of, and what a restore writes to.
type Source struct {
	Store  store.Config // for Restore with every schema
	Data   string       // the data folder
	Config string       // path of the configuration; empty for none
	// Apart are files that are no part of any backup, nor are replaced by one, with what SQLite
	// keeps beside them.
	Apart []string
}

// Options say how a backup is made.
type Options struct {
	Program string           // its name and version
	Replace bool             // a file of that name
	Now     func() time.Time // nil is time.Now
}

// Create writes a backup to a file, reads it back, and only then gives it its name. Others may
// write to the database meanwhile. The file is for its owner alone: it holds what the configuration
// and the keys hold.
func Create(ctx context.Context, path string, source Source, options Options) (Contents, error) {
	if options.Now == nil {
		options.Now = time.Now
	}
	if _, err := os.Lstat(path); err == nil && !options.Replace {
		return Contents{},
			fmt.Errorf("%s is there already and was left alone; name another file, or replace it with --replace", path)
	}
	partial := path + ".partial"
	file, err := os.OpenFile(partial, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return Contents{}, unwritable(err)
	}
	w := newWriter(file)
	err = w.all(ctx, source, options, path)
	err = errors.Join(err, w.close(), file.Sync(), file.Close())
	var contents Contents
	if err == nil {
		contents, err = Verify(ctx, partial)
	}
	if err == nil {
		err = os.Rename(partial, path)
	}
	if err == nil {
		err = syncFolder(filepath.Dir(path))
	}
	if err != nil {
		os.Remove(partial) // it is of no use
		return Contents{}, unwritable(err)
	}
	return contents, nil
}

// unwritable says what to do when a file cannot be written.
func unwritable(err error) error {
	advice := ""
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		advice = "the disk is full; free some space, or write the backup elsewhere"
	case errors.Is(err, fs.ErrPermission):
		advice = "this user may not write there; name another place"
	case errors.Is(err, fs.ErrNotExist):
		advice = "there is no such folder; make it, or name another place"
	default:
		return err
	}
	return fmt.Errorf("%w; %s", err, advice)
}

// syncFolder makes names in a folder durable.
func syncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

// writer writes the entries of a backup.
type writer struct {
	packed *gzip.Writer
	tar    *tar.Writer
	now    time.Time
	tail   Tail
}

func newWriter(to io.Writer) *writer {
	packed, _ := gzip.NewWriterLevel(to, gzip.BestSpeed) // a level that exists
	return &writer{packed: packed, tar: tar.NewWriter(packed), tail: Tail{Rows: map[string]int64{}}}
}

func (w *writer) close() error { return errors.Join(w.tar.Close(), w.packed.Close()) }

func (w *writer) all(ctx context.Context, source Source, options Options, path string) error {
	w.now = options.Now().UTC().Truncate(time.Second)
	head := Head{Format: format, ID: strings.ToLower(rand.Text()), Created: w.now, Program: options.Program}
	rows := &rowWriter{writer: w, table: -1}
	begin := func(layout store.Layout) error {
		head.Layout, rows.layout = layout, layout
		text, err := json.MarshalIndent(head, "", " ")
		if err == nil {
			err = w.entry(headName, append(text, '\n'), 0o600)
		}
		return errors.Join(err, w.config(source), w.files(ctx, source, path))
	}
	if err := store.Dump(ctx, source.Store, begin, rows.put); err != nil {
		return err
	}
	if err := rows.flush(); err != nil {
		return err
	}
	text, err := json.MarshalIndent(w.tail, "", " ")
	if err != nil {
		return err
	}
	return w.entry(tailName, append(text, '\n'), 0o600)
}

// entry writes one entry.
func (w *writer) entry(name string, text []byte, mode fs.FileMode) error {
	sum := sha256.Sum256(text)
	w.tail.Entries = append(w.tail.Entries, Entry{name, int64(len(text)), hex.EncodeToString(sum[:])})
	err := w.tar.WriteHeader(&tar.Header{Name: name, Mode: int64(mode.Perm()), Size: int64(len(text)), ModTime: w.now,
		Format: tar.FormatPAX})
	if err == nil {
		_, err = w.tar.Write(text)
	}
	return err
}

func (w *writer) config(source Source) error {
	if source.Config == "" {
		return nil
	}
	text, err := os.ReadFile(source.Config)
	if err != nil {
		return err
	}
	return w.entry(configName, text, 0o600)
}

// files writes the regular files of the data folder, beside those of the database and of this
// backup.
func (w *writer) files(ctx context.Context, source Source, path string) error {
	if source.Data == "" {
		return nil
	}
	left := leftOut(source, path)
	return filepath.WalkDir(source.Data, func(name string, found fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil // it went meanwhile, or there is no such folder at all
		case err != nil || ctx.Err() != nil:
			return errors.Join(err, ctx.Err())
		case found.IsDir() && strings.HasPrefix(found.Name(), staging):
			return fs.SkipDir
		case !found.Type().IsRegular() || left(name):
			return nil
		}
		relative, err := filepath.Rel(source.Data, name)
		if err != nil {
			return err
		}
		info, err := found.Info()
		if err == nil && info.Size() > maxFile {
			err = fmt.Errorf("%s has more than %d MiB and is nothing of frontdesk's; move it out of the data folder",
				name, maxFile>>20)
		}
		if err != nil {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if bytes.HasPrefix(text, sqliteHead) {
			return nil // one of another time, and half of it may be in its log
		}
		return w.entry(dataDir+filepath.ToSlash(relative), text, info.Mode())
	})
}

// sqliteHead begins every database of SQLite. One in the data folder that is not the one backed up
// was left there when the store was moved, and would be put in the place of the one that is
// restored.
var sqliteHead = []byte("SQLite format 3\x00")

// companions are what SQLite keeps beside a database.
var companions = []string{"-wal", "-shm", "-journal"}

// leftOut says which files of the data folder are no part of a backup.
func leftOut(source Source, path string) func(name string) bool {
	path, _ = filepath.Abs(path)
	return func(name string) bool {
		absolute, err := filepath.Abs(name)
		if err != nil || ofDatabase(source, absolute) {
			return true
		}
		for _, end := range companions {
			if _, err := os.Stat(strings.TrimSuffix(absolute, end)); strings.HasSuffix(absolute, end) && err == nil {
				return true
			}
		}
		return absolute == path || strings.HasSuffix(absolute, ".partial") ||
			strings.HasSuffix(absolute, sealed.Ending) ||
			strings.HasPrefix(filepath.Base(absolute), ".frontdesk-")
	}
}

// ofDatabase says whether an absolute path is that of the source's database, of one that is kept
// apart, or of one of their companions.
func ofDatabase(source Source, absolute string) bool {
	databases := source.Apart
	if database, ok := source.Store.File(); ok {
		databases = append([]string{database}, databases...)
	}
	for _, database := range databases {
		if at, err := filepath.Abs(database); err == nil {
			database = at
		}
		for _, end := range append([]string{""}, companions...) {
			if absolute == database+end {
				return true
			}
		}
	}
	return false
}

// rowWriter gathers rows into batches.
type rowWriter struct {
	*writer
	layout store.Layout
	table  int // that the batch is of; -1 before the first
	number int
	text   []byte
}

func (w *rowWriter) put(table int, values []any) error {
	if table != w.table {
		if err := w.flush(); err != nil {
			return err
		}
		w.table, w.number = table, 0
	}
	var err error
	if w.text, err = appendRow(w.text, values); err != nil {
		return err
	}
	w.tail.Rows[w.layout.Tables[table].Name]++
	if len(w.text) >= batch {
		return w.flush()
	}
	return nil
}

func (w *rowWriter) flush() error {
	if len(w.text) == 0 {
		return nil
	}
	err := w.entry(fmt.Sprintf("%s%s/%06d", tablesDir, w.layout.Tables[w.table].Name, w.number), w.text, 0o600)
	w.number++
	w.text = w.text[:0]
	return err
}
