package backup

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"frontdesk/internal/infra/store"
)

// visitor is what is done with the entries of a backup, in their order. Members that are nil are
// left out.
type visitor struct {
	head   func(Head) error
	config func(text []byte) error
	file   func(name string, text []byte, mode fs.FileMode) error
	rows   func(table int, rows [][]any) error
}

// Verify reads a whole backup and holds every entry against its checksum. The error says what to
// do.
func Verify(ctx context.Context, path string) (Contents, error) {
	return readFile(ctx, path, visitor{})
}

// readFile visits a backup. What it returns is right only without an error; visitors of earlier
// entries have been called by then.
func readFile(ctx context.Context, path string, v visitor) (Contents, error) {
	file, err := os.Open(path)
	if err != nil {
		return Contents{}, err
	}
	defer file.Close()
	contents, err := read(ctx, file, v)
	switch {
	case ctx.Err() != nil:
		return Contents{}, ctx.Err()
	case errors.Is(err, errBroken), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, gzip.ErrHeader),
		errors.Is(err, gzip.ErrChecksum), errors.Is(err, tar.ErrHeader):
		return Contents{}, fmt.Errorf("%s cannot be used: %w; take another one", path, err)
	case err != nil:
		return Contents{}, err
	}
	info, err := file.Stat()
	if err == nil {
		contents.Size = info.Size()
	}
	return contents, err
}

// read visits a backup and checks it on the way.
func read(ctx context.Context, from io.Reader, v visitor) (Contents, error) {
	packed, err := gzip.NewReader(bufio.NewReaderSize(from, 1<<16))
	if err != nil {
		return Contents{}, broken(err)
	}
	r := &reader{tar: tar.NewReader(packed), visitor: v, contents: Contents{Tail: Tail{Rows: map[string]int64{}}}}
	for {
		if ctx.Err() != nil {
			return Contents{}, ctx.Err()
		}
		last, err := r.next()
		if err != nil {
			return Contents{}, err
		}
		if last {
			break
		}
	}
	if _, err := r.tar.Next(); !errors.Is(err, io.EOF) {
		return Contents{}, fmt.Errorf("%w: it goes on after its end", errBroken)
	}
	if _, err := io.Copy(io.Discard, packed); err != nil { // the checksum of gzip comes last
		return Contents{}, broken(err)
	}
	return r.contents, nil
}

// broken marks an error of what lies below as one of a file that is no backup.
func broken(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: it breaks off", errBroken)
	}
	var onPath *fs.PathError
	if errors.As(err, &onPath) {
		return err
	}
	return fmt.Errorf("%w (%v)", errBroken, err)
}

type reader struct {
	tar      *tar.Reader
	visitor  visitor
	contents Contents
	headed   bool
	seen     []Entry
}

// next reads one entry; the last is the one with the checksums.
func (r *reader) next() (last bool, err error) {
	header, err := r.tar.Next()
	if err != nil {
		return false, broken(err)
	}
	if header.Typeflag != tar.TypeReg || header.Size > maxEntry {
		return false, fmt.Errorf("%w: %q is no entry of one", errBroken, header.Name)
	}
	if !r.headed && (header.Name != headName || header.Size > maxHead) {
		return false, fmt.Errorf("%w: it does not begin like one", errBroken)
	}
	text, err := io.ReadAll(r.tar)
	if err != nil {
		return false, broken(err)
	}
	if header.Name == tailName {
		return true, r.tail(text)
	}
	sum := sha256.Sum256(text)
	r.seen = append(r.seen, Entry{header.Name, int64(len(text)), hex.EncodeToString(sum[:])})
	switch name := header.Name; {
	case name == headName && !r.headed:
		return false, r.head(text)
	case name == configName:
		r.contents.Config = text
		return false, call(r.visitor.config, text)
	case strings.HasPrefix(name, dataDir):
		return false, r.file(strings.TrimPrefix(name, dataDir), text, fs.FileMode(header.Mode).Perm())
	case strings.HasPrefix(name, tablesDir):
		return false, r.rows(strings.TrimPrefix(name, tablesDir), text)
	}
	return false, fmt.Errorf("%w: %q is no entry of one", errBroken, header.Name)
}

func call[T any](fn func(T) error, value T) error {
	if fn == nil {
		return nil
	}
	return fn(value)
}

func (r *reader) head(text []byte) error {
	r.headed = true
	if err := json.Unmarshal(text, &r.contents.Head); err != nil {
		return fmt.Errorf("%w: %v", errBroken, err)
	}
	if r.contents.Format != format || r.contents.ID == "" || strings.ContainsAny(r.contents.ID, `/\.`) {
		return fmt.Errorf("%w that this frontdesk reads (form %d, and this one reads %d); use a newer frontdesk",
			errBroken, r.contents.Format, format)
	}
	return call(r.visitor.head, r.contents.Head)
}

// file hands a file of the data folder over. A name that leads out of it is refused.
func (r *reader) file(name string, text []byte, mode fs.FileMode) error {
	if local := filepath.FromSlash(name); !filepath.IsLocal(local) || filepath.Clean(local) != local ||
		strings.HasPrefix(name, staging) {
		return fmt.Errorf("%w: %q is no name of a file in the data folder", errBroken, name)
	}
	r.contents.Files++
	if r.visitor.file == nil {
		return nil
	}
	return r.visitor.file(name, text, mode)
}

func (r *reader) rows(name string, text []byte) error {
	name, _, _ = strings.Cut(name, "/")
	table := slices.IndexFunc(r.contents.Layout.Tables, func(t store.Table) bool { return t.Name == name })
	if table < 0 {
		return fmt.Errorf("%w: it has rows of a table %q that it does not name", errBroken, name)
	}
	rows, err := readRows(text, len(r.contents.Layout.Tables[table].Columns))
	if err != nil {
		return err
	}
	r.contents.Rows[name] += int64(len(rows))
	if r.visitor.rows == nil {
		return nil
	}
	return r.visitor.rows(table, rows)
}

// tail holds what was read against the checksums.
func (r *reader) tail(text []byte) error {
	var said Tail
	if err := json.Unmarshal(text, &said); err != nil {
		return fmt.Errorf("%w: %v", errBroken, err)
	}
	for i := range max(len(said.Entries), len(r.seen)) {
		if i >= len(r.seen) || i >= len(said.Entries) || r.seen[i] != said.Entries[i] {
			return fmt.Errorf("%w: entry %d is not the one that was written", errBroken, i+1)
		}
	}
	for name, n := range r.contents.Rows {
		if said.Rows[name] != n {
			return fmt.Errorf("%w: it has %d rows of %s, of %d", errBroken, n, name, said.Rows[name])
		}
	}
	if len(said.Rows) != len(r.contents.Rows) {
		return fmt.Errorf("%w: rows of a table are missing", errBroken)
	}
	r.contents.Entries = said.Entries
	return nil
}
