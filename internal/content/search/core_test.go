package search

import "testing"

// TestWordsBesideTheCoreAreNoEvidence holds that an answer needs only the core, and that what
// stands beside it alone finds nothing.
func TestWordsBesideTheCoreAreNoEvidence(t *testing.T) {
	t.Parallel()
	x := New(Options{})
	s := x.Apply([]Document{
		{Ref: "lamp", Key: "1", Language: "en", Title: "Wall lamp"},
		{Ref: "bag", Key: "2", Language: "en", Title: "Bag", Passages: []string{"A bag without zip."}},
		{Ref: "shoes", Key: "3", Language: "en", Title: "Shoes", Passages: []string{"Shoes with a dial switch."}},
	}, nil)
	r := s.Search(Query{Text: "lamp without switch", Core: "lamp", MinScore: DefaultMinScore})
	if got := refs(r); len(got) != 1 || got[0] != "lamp" {
		t.Errorf("found %v, want the lamp alone", got)
	}
	whole := s.Search(Query{Text: "lamp without switch"})
	if got := refs(whole); len(got) != 3 {
		t.Errorf("by all its words the question finds %v, want all three", got)
	}
	if without := s.Search(Query{Text: "lamp", Core: "lamp", MinScore: DefaultMinScore}); len(without.Hits) != 1 ||
		without.Hits[0].Score < r.Hits[0].Score-1e-9 {
		t.Errorf("the core alone scores %v, beside other words %v", without.Hits, r.Hits)
	}
}

func TestDeniedIsWhatSaysThatItIsWithout(t *testing.T) {
	t.Parallel()
	x := New(Options{})
	s := x.Apply([]Document{
		{Ref: "with", Key: "1", Language: "en", Title: "Belt with buckle"},
		{Ref: "without", Key: "2", Language: "en", Title: "Belt without buckle"},
		{Ref: "both", Key: "3", Language: "en", Title: "Belt",
			Passages: []string{"No buckle. Fits the buckle of another."}},
		{Ref: "neither", Key: "4", Language: "en", Title: "Plain belt"},
	}, nil)
	var found []any
	for _, ref := range s.Mentions("buckle", "", Denied).All() {
		found = append(found, ref)
	}
	if len(found) != 1 || found[0] != "without" {
		t.Errorf("%v, want the one without", found)
	}
}
