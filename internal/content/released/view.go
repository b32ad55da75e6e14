package released

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"frontdesk/internal/content/index"
	"frontdesk/internal/content/search"
	"frontdesk/internal/policy"
)

// Functions of an item that the terms permit or prohibit, as the protocols name them.
const (
	Search = "search"   // the item in a list of answers
	Input  = "ai-input" // the item's text in a text that is made of several
)

// Decide gives what the terms say of an item.
func Decide(rules *policy.Terms, l *index.Doc) policy.Decision { return rules.Decide(FactsOf(l)) }

// FactsOf are the facts of an item that the terms match on.
func FactsOf(l *index.Doc) policy.Facts {
	return policy.Facts{Site: l.Site, Source: l.Source, URL: l.URL, Types: l.Types, Own: l.Own}
}

// View is what the terms in force let out of one version of the index. It never changes, and may be
// used from many goroutines.
type View struct {
	Index *index.View
	Terms *policy.Terms
	// Permit are the items that may be found.
	Permit *search.Selection

	corpus *Corpus
	listed directory
	memos  sync.Map // what callers made of the view, by their keys; see Memo
}

// admits says whether an item may be found: its site is served, and the terms allow it in a list of
// answers.
func (v *View) admits(l *index.Doc) bool {
	return v.corpus.options.Sites.Serves(l.Site) && Decide(v.Terms, l).Allows(Search)
}

// Memo gives what a caller makes of a view under a key of its own (a type that no other package
// has), and has it made once for each view.
func Memo[T any](v *View, key any, make func() T) T {
	once, known := v.memos.Load(key)
	if !known {
		once, _ = v.memos.LoadOrStore(key, sync.OnceValue(make))
	}
	return once.(func() T)()
}

// Exemplary are items of the most frequent kinds, one of each, and their names.
func (v *View) Exemplary(
	ctx context.Context, sites []string, most int,
) (names []string, items []*index.Doc, err error) {
	var found []*index.Doc
	for _, t := range v.Types() {
		at := slices.IndexFunc(v.Directory(), func(l *index.Doc) bool {
			return l.Types[0] == t.Name && (sites == nil || slices.Contains(sites, l.Site))
		})
		if at >= 0 && len(found) < most {
			found = append(found, v.Directory()[at])
		}
	}
	cards, err := v.Render(ctx, found)
	if err != nil {
		return nil, nil, err
	}
	for i, c := range cards {
		if c != nil && c.Name() != "" {
			names, items = append(names, c.Name()), append(items, found[i])
		}
	}
	return names, items, nil
}

// Chunk is how many items are loaded at a time, so that the first ones can leave early.
const Chunk = 32

// Results renders items by themselves, as no question found them. One that was swept from the store
// meanwhile is left out.
func (v *View) Results(ctx context.Context, items []*index.Doc) ([]Result, error) {
	results := make([]Result, 0, len(items))
	for part := range slices.Chunk(items, Chunk) {
		cards, err := v.Render(ctx, part)
		if err != nil {
			return nil, err
		}
		for i, c := range cards {
			if c != nil {
				results = append(results, c.Result(index.Hit{Doc: part[i]}))
			}
		}
	}
	return results, nil
}

// Placed is an item and where it stands in the view's index.
type Placed struct {
	*index.Doc
	search.Place
}

// atKey is the key under which a view keeps what it found at addresses.
type atKey struct{}

// At gives the items at an address that may be found: one of each site. It is looked for once in
// each view.
func (v *View) At(address string) []Placed {
	known := Memo(v, atKey{}, func() *sync.Map { return &sync.Map{} })
	if placed, ok := known.Load(address); ok {
		return placed.([]Placed)
	}
	var placed []Placed
	places := v.Index.Select(func(l *index.Doc) bool {
		at := l.URL == address && v.admits(l)
		if at {
			placed = append(placed, Placed{Doc: l})
		}
		return at
	}).Places()
	for i := range placed {
		placed[i].Place = places[i]
	}
	slices.SortFunc(placed, func(a, b Placed) int {
		return cmp.Or(strings.Compare(a.Site, b.Site), strings.Compare(a.Source, b.Source))
	})
	placed = slices.CompactFunc(placed, func(a, b Placed) bool { return a.Site == b.Site })
	known.Store(address, placed)
	return placed
}

// Type is a schema.org type and how many items that may be found have it as their first.
type Type struct {
	Name  string
	Items int
}

// directory is the items that may be found, by site and address. It is made when first asked for.
type directory struct {
	once  sync.Once
	items []*index.Doc
	types []Type
}

// Directory is all items that may be found, by site and address: one for each address of a site. It
// must not be changed.
func (v *View) Directory() []*index.Doc { return v.directory().items }

// Types are the types of the items that may be found, the most frequent first. They must not be
// changed.
func (v *View) Types() []Type { return v.directory().types }

func (v *View) directory() *directory {
	d := &v.listed
	d.once.Do(func() {
		v.Index.Select(func(l *index.Doc) bool {
			if v.admits(l) {
				d.items = append(d.items, l)
			}
			return false
		})
		slices.SortFunc(d.items, func(a, b *index.Doc) int {
			return cmp.Or(strings.Compare(a.Site, b.Site), strings.Compare(a.URL, b.URL),
				strings.Compare(a.Source, b.Source))
		})
		d.items = slices.CompactFunc(d.items, func(a, b *index.Doc) bool { return a.Site == b.Site && a.URL == b.URL })
		d.types = typesOf(d.items)
	})
	return d
}

func typesOf(items []*index.Doc) (types []Type) {
	count := map[string]int{}
	for _, l := range items {
		count[l.Types[0]]++
	}
	for name, n := range count {
		types = append(types, Type{name, n})
	}
	slices.SortFunc(types, func(a, b Type) int {
		return cmp.Or(cmp.Compare(b.Items, a.Items), strings.Compare(a.Name, b.Name))
	})
	return types
}
