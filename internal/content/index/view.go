package index

import (
	"maps"
	"slices"
	"sync"

	"frontdesk/internal/content"
	"frontdesk/internal/content/facets"
	"frontdesk/internal/content/search"
	"frontdesk/internal/content/vector/words"
)

// View is one whole state of the catalog. It never changes and is safe for concurrent use.
type View struct {
	snapshot   *search.Snapshot
	several    bool     // some site has more than one source, so that a URL may stand twice
	types      []string // that items have
	dictionary *dictionary
	parts      []search.Part // of the snapshot
	columns    map[search.Part]*columns
	everything *search.Selection
	lexicon    *facets.Lexicon
	table      *words.Table
	signs      []*words.Signs // by part

	mu       sync.Mutex
	chosen   map[choice]*search.Selection // the items of one site or one type, made when first asked for
	verdicts map[string]verdict           // on conditions

	kindsOnce sync.Once
	kinds     *kinds
}

// choice names a selection of a view: the items of a site or those of exactly one type. There are
// no more of them than sites and types, whatever is asked.
type choice struct{ site, typ string }

func newView(snapshot *search.Snapshot, cursor map[content.SourceKey]int64, types map[string]bool, d *dictionary,
	earlier map[search.Part]*columns) *View {
	v := &View{
		snapshot: snapshot, types: slices.Sorted(maps.Keys(types)), chosen: map[choice]*search.Selection{},
		dictionary: d, parts: snapshot.Parts(), columns: columnsOf(snapshot.Parts(), earlier, d),
		verdicts: map[string]verdict{},
	}
	for _, part := range v.parts {
		v.signs = append(v.signs, v.columns[part].signs())
	}
	v.everything = v.Select(func(*Doc) bool { return true })
	sites := map[string]bool{}
	for key := range cursor {
		v.several = v.several || sites[key.Site]
		sites[key.Site] = true
	}
	return v
}

// Len is how many items the view holds.
func (v *View) Len() int { return v.snapshot.Len() }

// Select returns the items that permit admits, which must depend on the listing alone. It costs a
// call per item: keep the result with the view.
func (v *View) Select(permit func(*Doc) bool) *search.Selection {
	return v.snapshot.Select(func(ref any) bool { return permit(ref.(*Doc)) })
}

// Has says whether some item has a word.
func (v *View) Has(word string) bool { return v.snapshot.Has(word) }

// Named says whether a text is the whole name of an item of a selection.
func (v *View) Named(text string, within *search.Selection) bool {
	return v.snapshot.Named(text, within)
}

// Lexicon is what the items that are open teach: their brands, colours, authors and the like. In a
// large catalog it may be that of a little earlier.
func (v *View) Lexicon() *facets.Lexicon { return v.lexicon }

// below returns those of the view's types that are one of the types asked for or a subtype of it.
func (v *View) below(asked []string) []string {
	var types []string
	for _, t := range v.types {
		if slices.ContainsFunc(asked, func(a string) bool { return content.IsA(t, a) }) {
			types = append(types, t)
		}
	}
	return types
}

// anyOf returns the items of any of n choices.
func (v *View) anyOf(n int, at func(int) choice) *search.Selection {
	if n == 0 {
		return v.choose(choice{}) // which no item fits
	}
	selection := v.choose(at(0))
	for i := 1; i < n; i++ {
		selection = selection.Or(v.choose(at(i)))
	}
	return selection
}

// choose returns the items of one choice, and remembers them.
func (v *View) choose(c choice) *search.Selection {
	v.mu.Lock()
	defer v.mu.Unlock()
	if kept := v.chosen[c]; kept != nil {
		return kept
	}
	chosen := v.Select(func(l *Doc) bool {
		return c.site != "" && l.Site == c.site || c.typ != "" && slices.Contains(l.Types, c.typ)
	})
	v.chosen[c] = chosen
	return chosen
}
