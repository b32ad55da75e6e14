package catalog

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"

	"frontdesk/internal/content"
)

// What a snapshot begins with. It changes whenever what comes after it does, or what records are
// made of.
const (
	snapshotMark        = "frontdesk catalog 2\n"
	snapshotMarkSimilar = "frontdesk catalog 2 simhash-v1\n"
)

// mark is what the snapshots of this catalog begin with.
func (c *Catalog) mark() string {
	if c.config.Similar {
		return snapshotMarkSimilar
	}
	return snapshotMark
}

var errSnapshot = errors.New("it is damaged, or was written by another version")

// sumTable is the polynomial of a snapshot's checksum, which processors compute by themselves.
var sumTable = crc32.MakeTable(crc32.Castagnoli)

// start takes the catalog from its file, if there is one that can be read. What the file does not
// have yet comes with the change feed.
func (c *Catalog) start() {
	if c.config.Snapshot == "" {
		return
	}
	file, err := os.Open(c.config.Snapshot)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			c.config.Log.Warn("the catalog cannot be read from its file; reading it from the database", "error", err)
		}
		return
	}
	defer file.Close()
	t, cursor, pushed, err := readSnapshot(file, c.mark())
	if err != nil {
		c.config.Log.Warn("the catalog cannot be read from its file; reading it from the database", "file",
			c.config.Snapshot, "error", err)
		return
	}
	c.mu.Lock()
	c.t = t
	c.mu.Unlock()
	c.cursor, c.saved, c.doubted = cursor, cursor, true
	c.pushed, c.kept = pushed, pushed
}

// Save writes the file from which the next process starts, if there is a new state since the last
// time. The file is the old one or the new one, whole, whatever happens meanwhile.
func (c *Catalog) Save() error {
	c.refresh.Lock()
	defer c.refresh.Unlock()
	if c.config.Snapshot == "" || c.cursor == nil || maps.Equal(c.cursor, c.saved) && maps.Equal(c.pushed, c.kept) {
		return nil
	}
	folder := filepath.Dir(c.config.Snapshot)
	if err := os.MkdirAll(folder, 0o700); err != nil { // as with a database that is elsewhere
		return fmt.Errorf("write the catalog's file: %w", err)
	}
	file, err := os.CreateTemp(folder, ".catalog-*")
	if err != nil {
		return fmt.Errorf("write the catalog's file: %w", err)
	}
	defer os.Remove(file.Name())
	err = errors.Join(writeSnapshot(file, c.mark(), c.t, c.cursor, c.pushed), file.Sync(), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), c.config.Snapshot)
	}
	if err != nil {
		return fmt.Errorf("write the catalog's file: %w", err)
	}
	c.saved, c.kept = c.cursor, c.pushed
	return nil
}

// writeSnapshot writes a table, which nobody changes meanwhile: only a refresh does.
func writeSnapshot(to io.Writer, mark string, t *table, cursor map[content.SourceKey]int64,
	pushed map[string]int64) error {
	sum := crc32.New(sumTable)
	b := bufio.NewWriterSize(io.MultiWriter(to, sum), 1<<20)
	w := writer{b: []byte(mark)}
	w.number(uint64(len(cursor)))
	for key, revision := range cursor {
		w.text(key.Site)
		w.text(key.Source)
		w.number(uint64(revision))
	}
	w.number(uint64(len(pushed)))
	for tenant, revision := range pushed {
		w.text(tenant)
		w.number(uint64(revision))
	}
	w.number(uint64(len(t.words.texts)))
	for _, text := range t.words.texts {
		w.text(text)
	}
	w.number(uint64(t.alive))
	b.Write(w.b)
	for _, row := range t.rows {
		if row.at == 0 {
			continue
		}
		r := t.record(row.at)
		w.b = append(w.b[:0], row.id[:]...)
		w.number(uint64(len(r)))
		b.Write(w.b)
		b.Write(r)
	}
	if err := b.Flush(); err != nil { // with the error of any of the writes
		return err
	}
	_, err := to.Write(binary.LittleEndian.AppendUint32(nil, sum.Sum32()))
	return err
}

// maxText bounds the texts of a snapshot before its sum is known.
const maxText = 1 << pageBits

// snapshotReader reads a snapshot's parts; after an error it gives nothing more.
type snapshotReader struct {
	*bufio.Reader
	sum uint32
	err error
}

func (s *snapshotReader) full(into []byte) {
	if s.err == nil {
		_, s.err = io.ReadFull(s.Reader, into)
		s.sum = crc32.Update(s.sum, sumTable, into)
	}
}

func (s *snapshotReader) number() (n uint64) {
	var one [1]byte
	for shift := 0; s.err == nil; shift += 7 {
		if s.full(one[:]); shift > 63 {
			s.err = errSnapshot
		}
		n |= uint64(one[0]&0x7f) << shift
		if one[0] < 0x80 {
			break
		}
	}
	return n
}

func (s *snapshotReader) size() int {
	n := s.number()
	if n > maxText && s.err == nil {
		s.err = errSnapshot
	}
	if s.err != nil {
		return 0
	}
	return int(n)
}

func (s *snapshotReader) text() string {
	b := make([]byte, s.size())
	s.full(b)
	return string(b)
}

func readSnapshot(from io.Reader, mark string) (*table, map[content.SourceKey]int64, map[string]int64, error) {
	s := &snapshotReader{Reader: bufio.NewReaderSize(from, 1<<20)}
	begins := make([]byte, len(mark))
	if s.full(begins); string(begins) != mark {
		return nil, nil, nil, errSnapshot
	}
	cursor := map[content.SourceKey]int64{}
	for range s.size() {
		key := content.SourceKey{Site: s.text(), Source: s.text()}
		cursor[key] = int64(s.number())
	}
	pushed := map[string]int64{}
	for range s.size() {
		tenant := s.text()
		pushed[tenant] = int64(s.number())
	}
	t := newTable()
	for n := s.number(); n > 0 && s.err == nil; n-- {
		t.words.number(s.text())
	}
	left := s.number()
	if s.err == nil && left > 1<<31 {
		s.err = errSnapshot
	}
	var id content.PackedID
	var buffer []byte
	for ; left > 0 && s.err == nil; left-- {
		s.full(id[:])
		buffer = append(buffer[:0], make([]byte, s.size())...)
		if s.full(buffer); s.err == nil && !record(buffer).addressed() {
			s.err = errSnapshot
		}
		if s.err == nil {
			t.put(id, buffer)
		}
	}
	want, sum := [4]byte{}, s.sum
	if s.full(want[:]); s.err == nil && binary.LittleEndian.Uint32(want[:]) != sum {
		s.err = errSnapshot
	}
	return t, cursor, pushed, s.err
}

// addressed says whether a record begins with an address, so that it can be put into a table before
// the sum is known.
func (r record) addressed() bool {
	n, size := binary.Uvarint(r)
	return size > 0 && n <= uint64(len(r)-size) && bytes.IndexByte(r[size:size+int(n)], '/') >= 0
}
