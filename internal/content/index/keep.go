package index

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"frontdesk/internal/content"
	"frontdesk/internal/content/facets"
	"frontdesk/internal/content/search"
	"frontdesk/internal/content/vector/words"
	"frontdesk/internal/infra/sealed"
	"frontdesk/internal/infra/sealed/layout"
)

// An index is kept in a folder: a file for each segment, which is written once, and one that names
// them, with what is common to their items. That one is replaced each time, last, so that there is
// always a whole state or none. All of them carry the identity of what they were made from: the
// program, its tables, and the admission with the terms in it. Nothing is read of files with
// another one.
const keptName = "index" + sealed.Ending

var errKept = errors.New("its parts do not fit together")

// manifest is what the file that names the others says in JSON. Its other sections are the texts of
// the dictionary.
type manifest struct {
	Cursor   []cursorAt
	Types    []string
	Speaks   map[string]string // by site: see Index.speaks
	Slots    []facets.Slot
	Texts    []int // by slot: how many values it has; -1 for none in words
	Units    []string
	Segments []keptSegment
	// Of a large catalog, what the lexicon was taught, and how many changes came since.
	Taught *facets.Taught
	News   int
}

// cursorAt is up to where a source was followed, and what tells that revision from another one of
// the same number.
type cursorAt struct {
	content.SourceKey
	Revision int64
	Mark     string
}

type keptSegment struct {
	Name string
	Sum  []byte
	Gone []uint32 // items, by number
}

// keeper is where an index is kept.
type keeper struct {
	folder string
	told   func(error)    // of a state that cannot be read
	opened bool           // it was looked into,
	began  bool           // and the index began with what is there
	taken  *sealed.Folder // nil until it is written for the first time

	names  map[any]keptSegment         // the files of segments, by search.Kept.Same
	cursor map[content.SourceKey]int64 // as it was written last
	rules  string
}

// Keep makes the index start from what was saved in a folder, if there is something; it is called
// before Refresh. What is there and cannot be used is told: the index is made anew then.
func (l *Index) Keep(folder string, told func(error)) {
	l.keeper.folder, l.keeper.told = folder, told
	if l.hasFiles() {
		go func() { _, _ = sealed.Program() }() // which takes a moment, and is asked for in Refresh
	}
}

// path is the file that names the others.
func (l *Index) path() string { return filepath.Join(l.keeper.folder, keptName) }

// hasFiles says whether something was saved in the folder.
func (l *Index) hasFiles() bool {
	_, err := os.Stat(l.path())
	return !errors.Is(err, fs.ErrNotExist)
}

// FromFiles says whether the index began with what was kept.
func (l *Index) FromFiles() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.keeper.began
}

// identity is that of the files of this index under an admission.
func (l *Index) identity(admission string) (sealed.Identity, error) {
	program, err := sealed.Program()
	return sealed.IdentityOf("index 1", program, l.table.Identity, strconv.Itoa(l.table.Dimensions()), admission), err
}

// Save writes what a process needs that starts with the present state, if that is another one than
// was written last. One process at a time writes into a folder; the others get an error.
func (l *Index) Save(ctx context.Context) error {
	l.saving.Lock()
	defer l.saving.Unlock()
	l.mu.Lock()
	k, view, cursor, rules, dictionary := &l.keeper, l.View(), l.cursor, l.rules, l.words
	m := manifest{Types: view.types, Speaks: l.speaks}
	if taught := l.teaching; view.Len() > smallCatalog {
		m.Taught, m.News = &taught, l.news
	}
	l.mu.Unlock()
	if k.folder == "" || cursor == nil || rules == k.rules && equal(cursor, k.cursor) {
		return nil
	}
	of, err := l.identity(rules)
	if err != nil {
		return err
	}
	if k.taken == nil {
		if k.taken, err = sealed.Take(k.folder); err != nil {
			return fmt.Errorf("keep the index in %s: %w", k.folder, err)
		}
	}
	if m.Cursor, err = l.marked(ctx, cursor); err != nil {
		return fmt.Errorf("keep the index: %w", err)
	}
	written, names := map[any]keptSegment{}, map[string]bool{keptName: true}
	for _, part := range view.snapshot.Kept() {
		s, known := k.names[part.Same()]
		if !known || rules != k.rules {
			if s, err = k.write(part, of); err != nil {
				return fmt.Errorf("keep the index: %w", err)
			}
		}
		s.Gone = part.Gone()
		written[part.Same()], names[s.Name] = s, true
		m.Segments = append(m.Segments, s)
	}
	sections, err := m.sections(dictionary)
	if err == nil {
		_, err = sealed.Write(l.path(), of, sections)
	}
	if err != nil {
		return fmt.Errorf("keep the index: %w", err)
	}
	k.names, k.cursor, k.rules = written, cursor, rules
	if err := k.taken.Keep(names); err != nil {
		return fmt.Errorf("remove files of earlier states of the index: %w", err)
	}
	return nil
}

// marked is a cursor with the marks of its revisions.
func (l *Index) marked(ctx context.Context, cursor map[content.SourceKey]int64) ([]cursorAt, error) {
	marks, err := l.catalog.Marks(ctx, cursor)
	var all []cursorAt
	for _, key := range slices.SortedFunc(maps.Keys(cursor), bySource) {
		all = append(all, cursorAt{key, cursor[key], marks[key]})
	}
	return all, err
}

func bySource(a, b content.SourceKey) int {
	if a.Site != b.Site {
		return strings.Compare(a.Site, b.Site)
	}
	return strings.Compare(a.Source, b.Source)
}

func (k *keeper) write(part search.Kept, of sealed.Identity) (s keptSegment, err error) {
	var random [16]byte
	rand.Read(random[:])
	s.Name = hex.EncodeToString(random[:]) + sealed.Ending
	items, err := itemSections(part.Part().Refs())
	if err != nil {
		return s, err
	}
	sum, err := sealed.Write(filepath.Join(k.folder, s.Name), of, append(items, part.Sections()...))
	s.Sum = sum[:]
	return s, err
}

// sections are those of the manifest's file. Values that came since the view was made are among the
// texts; they have numbers that no item has.
func (m *manifest) sections(d *dictionary) ([][]byte, error) {
	d.mu.RLock()
	m.Slots, m.Units = slices.Clone(d.names), slices.Clone(d.units)
	var texts []string
	for _, slot := range m.Slots {
		n := -1
		if v := d.slots[slot]; v != nil {
			n = len(v.texts)
			texts = append(texts, v.texts...)
		}
		m.Texts = append(m.Texts, n)
	}
	d.mu.RUnlock()
	told, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	text, ends := layout.Texts(texts)
	heads, headEnds := layout.Texts(d.heads.all())
	return [][]byte{told, text, layout.Bytes(ends), heads, layout.Bytes(headEnds)}, nil
}

// restore takes the state from the folder, if there is one that was made under this admission, and
// of the catalog. What it does not have yet comes with the change feed.
func (l *Index) restore(ctx context.Context, admission string) error {
	if !l.hasFiles() {
		return nil
	}
	path := l.path()
	of, err := l.identity(admission)
	if err != nil {
		return err
	}
	file, err := sealed.Open(path, of)
	if err != nil {
		return err
	}
	m, texts, err := readManifest(file.Sections)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	cursor := map[content.SourceKey]int64{}
	for _, at := range m.Cursor {
		cursor[at.SourceKey] = at.Revision
	}
	if now, err := l.marked(ctx, cursor); err != nil || !slices.Equal(now, m.Cursor) {
		return errors.Join(err, fmt.Errorf("%s: it is of another database, or of a later state of this one", path))
	}
	fresh := search.New(search.Options{Table: l.table})
	l.prepared = map[search.Part]*columns{}
	parts, names, err := l.openAll(fresh, m, of, texts)
	if err == nil {
		err = fresh.Start(parts)
	}
	if err != nil {
		return err
	}
	l.index, l.words, l.taught, l.cursor, l.rules, l.shown = fresh, texts, nil, cursor, admission, false
	if m.Taught != nil {
		l.taught, l.teaching, l.news = facets.NewLexicon(*m.Taught), *m.Taught, m.News
	}
	l.speaks = m.Speaks
	l.types = map[string]bool{}
	for _, t := range m.Types {
		l.types[t] = true
	}
	l.keeper.names, l.keeper.cursor, l.keeper.rules, l.keeper.began = names, cursor, admission, true
	return nil
}

// openAll opens the segments' files.
func (l *Index) openAll(x *search.Index, m *manifest, of sealed.Identity,
	d *dictionary) ([]search.Kept, map[any]keptSegment, error) {
	parts, signs, faults := make([]search.Kept, len(m.Segments)), make([]words.Signs, len(m.Segments)),
		make([]error, len(m.Segments))
	var opening sync.WaitGroup
	for i, s := range m.Segments {
		opening.Go(func() {
			parts[i], signs[i], faults[i] = l.open(x, s, of, d)
		})
	}
	opening.Wait()
	names := map[any]keptSegment{}
	for i, part := range parts {
		if faults[i] == nil {
			names[part.Same()] = m.Segments[i]
			c := newColumns(part.Part())
			c.meant = &signs[i]
			l.prepared[part.Part()] = c
		}
	}
	return parts, names, errors.Join(faults...)
}

func (l *Index) open(x *search.Index, s keptSegment, of sealed.Identity,
	d *dictionary) (part search.Kept, signs words.Signs, err error) {
	file, err := sealed.Open(filepath.Join(l.keeper.folder, filepath.Base(s.Name)), of)
	if err != nil {
		return part, signs, err
	}
	if string(file.Sum[:]) != string(s.Sum) || len(file.Sections) < itemParts {
		return part, signs, fmt.Errorf("%s: %w", s.Name, errKept)
	}
	refs, signs, ok := readItems(file.Sections[:itemParts], l.table.Dimensions(), d)
	if !ok {
		return part, signs, fmt.Errorf("%s: %w", s.Name, errKept)
	}
	part, err = x.Open(file.Sections[itemParts:], refs, s.Gone)
	if err != nil {
		return part, signs, fmt.Errorf("%s: %w", s.Name, err)
	}
	return part, signs, nil
}

func readManifest(sections [][]byte) (*manifest, *dictionary, error) {
	if len(sections) != 5 {
		return nil, nil, errKept
	}
	m := &manifest{}
	if err := json.Unmarshal(sections[0], m); err != nil {
		return nil, nil, err
	}
	texts, ok := layout.ReadTexts(sections[1], sections[2])
	heads, fit := layout.ReadTexts(sections[3], sections[4])
	if !ok || !fit || len(m.Slots) != len(m.Texts) || len(m.Slots) > maxSlots || len(m.Units) == 0 {
		return nil, nil, errKept
	}
	d := &dictionary{slots: map[facets.Slot]*vocabulary{}, by: map[facets.Slot]uint16{}, units: m.Units, names: m.Slots}
	for i, slot := range m.Slots {
		d.by[slot] = uint16(i)
		n := m.Texts[i]
		if n < 0 {
			continue
		}
		if n > len(texts) {
			return nil, nil, errKept
		}
		d.slots[slot] = &vocabulary{texts: texts[:n:n]}
		texts = texts[n:]
	}
	d.heads.words = heads
	if len(texts) > 0 || len(d.by) != len(m.Slots) {
		return nil, nil, errKept
	}
	return m, d, nil
}
