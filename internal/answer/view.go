package answer

import (
	"slices"
	"strings"
	"sync"

	"frontdesk/internal/content"
	"frontdesk/internal/search"
)

// View is one whole state of the catalog. It never changes and is safe for concurrent use.
type View struct {
	snapshot *search.Snapshot
	several  bool // some site has more than one source, so that a URL may stand twice

	mu     sync.Mutex
	chosen map[string]*search.Selection // by site and by type, made when first asked for
}

// choicesKept bounds the selections that a view remembers.
const choicesKept = 512

func newView(snapshot *search.Snapshot, cursor map[content.SourceKey]int64) *View {
	v := &View{snapshot: snapshot, chosen: map[string]*search.Selection{}}
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
		within = within.And(v.choose("site", q.Sites, func(l *Listing, site string) bool { return l.Site == site }))
	}
	if len(q.Types) > 0 {
		within = within.And(v.choose("type", q.Types, (*Listing).isA))
	}
	limit := q.Limit
	if v.several {
		limit = min(2*q.Limit, search.MaxLimit)
	}
	result := v.snapshot.Search(search.Query{Text: q.Text, Limit: limit, Within: within, MinScore: q.MinScore})
	found := Found{Hits: make([]Hit, 0, len(result.Hits)), Terms: result.Terms}
	for _, hit := range result.Hits {
		found.Hits = append(found.Hits, Hit{Listing: hit.Ref.(*Listing), Score: hit.Score, Passage: hit.Passage})
	}
	if v.several {
		found.Hits = oneEach(found.Hits)
	}
	found.Hits = found.Hits[:min(len(found.Hits), q.Limit)]
	return found
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

// isA says whether the item is of a type or of one of its subtypes.
func (l *Listing) isA(typ string) bool {
	return slices.ContainsFunc(l.Types, func(t string) bool { return content.IsA(t, typ) })
}

// choose returns the items that match any of the names. Selections are remembered per set of names.
func (v *View) choose(kind string, names []string, match func(*Listing, string) bool) *search.Selection {
	names = slices.Sorted(slices.Values(names))
	key := kind + "\x00" + strings.Join(names, "\x00")
	v.mu.Lock()
	defer v.mu.Unlock()
	if kept := v.chosen[key]; kept != nil {
		return kept
	}
	chosen := v.Select(func(l *Listing) bool {
		return slices.ContainsFunc(names, func(name string) bool { return match(l, name) })
	})
	if len(v.chosen) < choicesKept {
		v.chosen[key] = chosen
	}
	return chosen
}
