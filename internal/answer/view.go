package answer

import (
	"maps"
	"slices"
	"sync"

	"frontdesk/internal/content"
	"frontdesk/internal/search"
)

// View is one whole state of the catalog. It never changes and is safe for concurrent use.
type View struct {
	snapshot *search.Snapshot
	several  bool     // some site has more than one source, so that a URL may stand twice
	types    []string // that items have

	mu     sync.Mutex
	chosen map[choice]*search.Selection // the items of one site or one type, made when first asked for
}

// choice names a selection of a view: the items of a site or those of exactly one type. There are no more of them
// than sites and types, whatever is asked.
type choice struct{ site, typ string }

func newView(snapshot *search.Snapshot, cursor map[content.SourceKey]int64, types map[string]bool) *View {
	v := &View{snapshot: snapshot, types: slices.Sorted(maps.Keys(types)), chosen: map[choice]*search.Selection{}}
	sites := map[string]bool{}
	for key := range cursor {
		v.several = v.several || sites[key.Site]
		sites[key.Site] = true
	}
	return v
}

// Len is how many items the view holds.
func (v *View) Len() int { return v.snapshot.Len() }

// Select returns the items that permit admits, which must depend on the listing alone. It costs a call per item:
// keep the result with the view.
func (v *View) Select(permit func(*Listing) bool) *search.Selection {
	return v.snapshot.Select(func(ref any) bool { return permit(ref.(*Listing)) })
}

// Question is what is asked of a view.
type Question struct {
	Text string
	// Sites and Types restrict the items; empty means no restriction. A type stands for its subtypes too.
	Sites, Types []string
	Limit        int
	MinScore     float64
	// Within is what may be found at all.
	Within *search.Selection
}

// Found is the outcome of a question.
type Found struct {
	Hits  []Hit
	Terms []search.Term // what became of the question's words
}

// Hit is one item found.
type Hit struct {
	*Listing
	Score   float64 // 0 to 100
	Passage int     // the ordinal of the passage that fits best
}

// Find answers a question. Items of several sources under one URL count as one; the best stays.
func (v *View) Find(q Question) Found {
	within := q.Within
	if len(q.Sites) > 0 {
		within = within.And(v.anyOf(len(q.Sites), func(i int) choice { return choice{site: q.Sites[i]} }))
	}
	if len(q.Types) > 0 {
		types := v.below(q.Types)
		within = within.And(v.anyOf(len(types), func(i int) choice { return choice{typ: types[i]} }))
	}
	query := search.Query{Text: q.Text, Limit: q.Limit, Within: within, MinScore: q.MinScore}
	result := v.snapshot.Search(query)
	hits := listings(result.Hits)
	if v.several {
		hits = oneEach(hits)
		if len(hits) < len(result.Hits) && len(result.Hits) == q.Limit {
			query.Limit = search.MaxLimit // some were the same; there may be more further down
			result = v.snapshot.Search(query)
			hits = oneEach(listings(result.Hits))
		}
	}
	return Found{Hits: hits[:min(len(hits), q.Limit)], Terms: result.Terms}
}

func listings(found []search.Hit) []Hit {
	hits := make([]Hit, len(found))
	for i, hit := range found {
		hits[i] = Hit{Listing: hit.Ref.(*Listing), Score: hit.Score, Passage: hit.Passage}
	}
	return hits
}

// oneEach keeps the first hit for each URL of a site.
func oneEach(hits []Hit) []Hit {
	type page struct{ site, url string }
	seen := make(map[page]bool, len(hits))
	return slices.DeleteFunc(hits, func(h Hit) bool {
		at := page{h.Site, h.URL}
		if seen[at] {
			return true
		}
		seen[at] = true
		return false
	})
}

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
	chosen := v.Select(func(l *Listing) bool {
		return c.site != "" && l.Site == c.site || c.typ != "" && slices.Contains(l.Types, c.typ)
	})
	v.chosen[c] = chosen
	return chosen
}
