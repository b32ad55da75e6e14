// Package index answers questions with ranked items, from a search index that follows the catalog.
// Its Index keeps the index; its View is one state of it, on which a question is asked as often
// as needed.
//
// It must not know the owner's terms: what may be found comes in as a selection from package
// released. Below it are search and content, which know nothing of questions and answers.
package index

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"frontdesk/internal/content"
	"frontdesk/internal/content/facets"
	"frontdesk/internal/content/search"
	"frontdesk/internal/content/taxonomy"
	"frontdesk/internal/content/vector/words"
	"frontdesk/internal/policy"
)

// How many items are handed to the index at a time: while it follows many changes, each batch being
// weighed against all that is there, and while it is filled.
const (
	batch      = 16384
	buildBatch = 256
)

// Doc is what the index keeps of an item in memory: enough to decide about it and to load the rest.
// It never changes; a new version of the item has a new Doc.
type Doc struct {
	content.Ref
	URL      string
	Types    []string
	Language string
	Own      *policy.Own // the terms that it states of itself; nil for none
	// when it was published or changed last, by what it says of itself; Unix seconds, 0 when it
	// says nothing
	Dated int64

	// direction is what the item is about; nil where nothing tells.
	direction words.Vector
	named     words.Vector   // what its name means
	said      []words.Vector // what its sentences mean; none among many items
	facts     facts
	naming    naming
	speaks    string // the language that it is in, as far as that is known,
	told      bool   // and whether itself tells it
	open      bool   // it is not shown as a notice, so that what it says of itself may teach
	whole     bool   // it is shown as it is found: nothing of its text and keys is held back
}

// Index is the search index over a catalog. Refresh brings it up to date; View reads it. Views are
// cheap and safe for concurrent use; refreshes wait for each other.
type Index struct {
	catalog *content.Catalog
	index   *search.Index
	table   *words.Table // gives directions

	saving sync.Mutex // held while the keeper is used
	keeper keeper

	mu       sync.Mutex // guards what follows, and the writing of the index
	rules    string     // the version of the admission under which the index was built
	cursor   map[content.SourceKey]int64
	types    map[string]bool   // that items had since the index was begun
	speaks   map[string]string // by site: the language of items that tell none; it is never changed in place
	intern   map[string]string
	words    *dictionary // since the index was begun
	taught   *facets.Lexicon
	news     int                      // changes since it was taught
	teaching facets.Taught            // what it was taught
	prepared map[search.Part]*columns // of what files hold, until it is shown
	shown    bool                     // the index is what the view shows, or more

	view atomic.Pointer[View]
}

// New returns an empty library over a catalog, which takes directions from a table; Refresh fills
// it.
func New(catalog *content.Catalog, table *words.Table) *Index {
	l := &Index{
		catalog: catalog,
		index:   search.New(search.Options{Table: table}),
		cursor:  map[content.SourceKey]int64{},
		types:   map[string]bool{},
		intern:  map[string]string{},
		words:   newDictionary(),
		table:   table,
	}
	l.view.Store(l.newest())
	l.shown = true
	return l
}

// Admission says which items are indexed at all. What it turns away has no part in how words are
// weighed, so that nothing of it can be felt in the scores of others.
type Admission struct {
	Version string // changes whenever Admit or Released would answer otherwise; never empty
	Admit   func(*Doc) bool
	// Released gives what of an item's schema.org object may be said of it, and whether that is all
	// of it; open is false for an item of which only a notice is shown, whose facts are those of
	// the notice. Nil releases everything.
	Released func(l *Doc, object []byte) (released []byte, whole, open bool)
	// Meant gives the released title of an item and the first MeantBytes of its released text. The
	// item's directions are made of them. Nil releases everything.
	Meant func(*Doc, *content.Entry) (title, text string)
}

// View returns the state after the last whole refresh.
func (l *Index) View() *View { return l.view.Load() }

// Refresh brings the library to the catalog's published state under an admission, and says whether
// that changed anything. Under an admission of another version than before the index is built anew.
// Readers see the old view until the new one is whole. On error the old view stays.
func (l *Index) Refresh(ctx context.Context, admission Admission) (changed bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now, err := l.catalog.Revisions(ctx)
	if err != nil {
		return false, fmt.Errorf("read the catalog's revisions: %w", err)
	}
	if l.keeper.folder != "" && !l.keeper.opened {
		l.keeper.opened = true
		if err := l.restore(ctx, admission.Version); err != nil {
			l.keeper.told(err)
		}
	}
	same := admission.Version == l.rules
	if same && l.shown && equal(l.cursor, now) {
		return false, nil
	}
	var cursor map[content.SourceKey]int64
	if same {
		cursor, err = l.follow(ctx, l.cursor, admission)
	}
	if !same || errors.Is(err, content.ErrBehind) {
		l.speaks = nil
		l.begin()
		cursor, err = l.follow(ctx, nil, admission)
	}
	if err != nil {
		return false, fmt.Errorf("read the catalog's changes: %w", err)
	}
	l.cursor, l.rules = cursor, admission.Version
	view := l.newest()
	if l.misread(view) {
		l.begin()
		if cursor, err = l.follow(ctx, nil, admission); err != nil {
			return false, fmt.Errorf("read the catalog again, as its language is another: %w", err)
		}
		l.cursor, l.rules = cursor, admission.Version
		view = l.newest()
	}
	l.view.Store(view)
	l.shown = true
	return true, nil
}

// begin begins the index anew, without items.
func (l *Index) begin() {
	l.index, l.types, l.cursor, l.rules = search.New(search.Options{Table: l.table}), map[string]bool{}, nil, ""
	l.words, l.taught = newDictionary(), nil
}

// newest is a view of the index's present state.
func (l *Index) newest() *View {
	earlier := l.prepared
	l.prepared = nil
	if before := l.view.Load(); before != nil && before.dictionary == l.words {
		earlier = before.columns
	}
	l.index.Snapshot().Prepare()
	view := newView(l.index.Snapshot(), l.cursor, l.types, l.words, earlier)
	if l.taught == nil || view.Len() <= smallCatalog || 50*l.news > view.Len() {
		l.teaching, l.news = view.teaching(), 0
		l.taught = facets.NewLexicon(l.teaching)
	}
	view.lexicon, view.table = l.taught, l.table
	return view
}

// smallCatalog is how many items are looked at anew after each change, to make a lexicon. In a
// larger catalog a fiftieth of the items must have changed.
const smallCatalog = 20000

// follow applies what was published since a cursor. When it fails, what was applied so far stays in
// the index, where no view shows it, and is applied once more from the same cursor. Without a
// cursor the index is new, and is filled at once.
func (l *Index) follow(ctx context.Context, from map[content.SourceKey]int64,
	admission Admission) (map[content.SourceKey]int64, error) {
	load := loader{library: l, admission: admission, remove: map[string]bool{}, batch: batch,
		spoken: map[string]*spokenAt{},
		apply:  func(put []search.Document, remove []string) { l.index.Apply(put, remove) }}
	if from == nil {
		build := l.index.Build()
		defer build.Abort()
		load.batch, load.done = buildBatch, func() { build.Done() }
		load.apply = func(put []search.Document, remove []string) {
			load.filled += len(put)
			build.Add(put, remove)
		}
	}
	cursor, err := l.catalog.Changes(ctx, from, load.take)
	if err == nil {
		load.settleAll()
		load.flush()
		if load.done != nil {
			load.done()
		}
	}
	return cursor, err
}

func equal(a, b map[content.SourceKey]int64) bool {
	if len(a) != len(b) {
		return false
	}
	for key, revision := range a {
		if b[key] != revision {
			return false
		}
	}
	return true
}

// loader gathers changes into batches for the index.
type loader struct {
	library   *Index
	admission Admission
	batch     int // documents that are handed on together
	apply     func(put []search.Document, remove []string)
	done      func() // nil where apply is all
	put       []search.Document
	remove    map[string]bool
	spoken    map[string]*spokenAt // by site, while its language is not settled
	filled    int                  // documents handed on, where the index does not show them before it is done
}

func (l *loader) take(c content.Change) error {
	l.library.news++
	if c.Removed {
		l.remove[c.Entry.ID] = true
		return nil
	}
	listing := l.library.listing(&c.Entry)
	if !l.admission.Admit(listing) {
		l.remove[listing.ID] = true // an earlier version may have been admitted
		return nil
	}
	l.speak(listing, &c.Entry)
	return nil
}

// add has an item indexed of which it is known in which language it is.
func (l *loader) add(listing *Doc, e *content.Entry) {
	l.library.describe(listing, e, l.admission.Released)
	l.direct(listing, e)
	l.put = append(l.put, document(listing, e))
	if len(l.put) >= l.batch {
		l.flush()
	}
}

func (l *loader) flush() {
	for _, doc := range l.put {
		delete(l.remove, doc.Key)
	}
	gone := make([]string, 0, len(l.remove))
	for key := range l.remove {
		gone = append(gone, key)
	}
	if len(l.put)+len(gone) > 0 {
		l.apply(l.put, gone)
	}
	l.put = nil
	clear(l.remove)
}

func (l *Index) listing(e *content.Entry) *Doc {
	listing := &Doc{Ref: e.Ref, URL: strings.Clone(e.URL), Types: make([]string, len(e.Types)),
		Language: l.one(e.Language)}
	listing.Site, listing.Source, listing.ID = l.one(e.Site), l.one(e.Source), strings.Clone(e.ID)
	for _, date := range []time.Time{e.Published, e.Modified} {
		if !date.IsZero() {
			listing.Dated = max(listing.Dated, date.Unix())
		}
	}
	listing.Own = policy.Markup(e.Types, e.Object, content.IsA)
	for i, t := range e.Types {
		listing.Types[i] = l.one(t)
		l.types[listing.Types[i]] = true
	}
	return listing
}

// describe reads what the item says of itself, as far as it is released.
func (l *Index) describe(listing *Doc, e *content.Entry,
	released func(*Doc, []byte) (object []byte, whole, open bool)) {
	object := e.Object
	listing.whole, listing.open = true, true
	if released != nil {
		object, listing.whole, listing.open = released(listing, e.Object)
	}
	var read facets.Facts
	if listing.open {
		read = facets.Describe(object, e.Language)
	} else {
		read = noticeFacts(e)
	}
	if e.Language != "" && len(read.Values(facets.Language)) == 0 {
		read.Words = append(read.Words, facets.Word{Slot: facets.Language, Text: e.Language})
	}
	listing.facts = l.words.pack(read)
	listing.naming = l.naming(e, listing.speaks)
}

// noticeFacts are the facts of what an open door shows of a licensed item.
func noticeFacts(e *content.Entry) (f facets.Facts) {
	for slot, at := range map[facets.Slot]time.Time{facets.Published: e.Published, facets.Modified: e.Modified} {
		if !at.IsZero() {
			f.Figures = append(f.Figures,
				facets.Figure{Slot: slot, Kind: facets.Times, Low: float64(at.Unix()), High: float64(at.Unix())})
		}
	}
	var named taxonomy.Contents
	named.Add(e.Name, taxonomy.Implied)
	for _, class := range named.Has() {
		f.Words = append(f.Words, facets.Word{Slot: facets.Called, Text: class})
	}
	if e.Publisher != "" {
		f.Words = append(f.Words, facets.Word{Slot: "publisher", Text: e.Publisher})
	}
	return f
}

func document(listing *Doc, e *content.Entry) search.Document {
	passages := make([]string, len(e.Passages))
	for i, p := range e.Passages {
		passages[i] = p.Text
	}
	if len(passages) == 0 && e.Description != "" {
		passages = []string{e.Description}
	}
	return search.Document{
		Ref: listing, Key: listing.ID, Language: listing.speaks, Title: e.Name, Keys: e.Keys, Passages: passages,
		Reserved: !listing.whole,
	}
}

// one keeps one copy of a string that many listings share.
func (l *Index) one(s string) string {
	if kept, ok := l.intern[s]; ok {
		return kept
	}
	s = strings.Clone(s)
	l.intern[s] = s
	return s
}
