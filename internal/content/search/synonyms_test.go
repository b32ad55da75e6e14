package search

import (
	"fmt"
	"slices"
	"testing"
)

func TestWordsThatMeanTheSameFindEachOther(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ language, title, question string }{
		{"en", "Leather couch", "leather sofa"},
		{"en", "Knives of steel", "knife"},
		{"en", "Grey wool scarf", "gray scarves"},
		{"de", "Fernseher", "TV"},
		{"de", "Möhren", "karotte"},
		{"fr", "Bicyclette", "vélo"},
		{"es", "Ordenador", "computadora"},
		{"pt", "Telemóvel", "celular"},
	} {
		s := New(Options{}).Apply([]Document{
			{Ref: c.title, Key: "1", Language: c.language, Title: c.title},
			{Ref: "other", Key: "2", Language: c.language, Title: "Something else"},
		}, nil)
		for _, q := range []Query{
			{Text: c.question, MinScore: DefaultMinScore}, {Text: c.question, MinScore: DefaultMinScore, Literal: true},
		} {
			if r := s.Search(q); len(r.Hits) != 1 || r.Hits[0].Ref != c.title || r.Corrections != nil {
				t.Errorf("%q finds %v, corrected %v", c.question, refs(r), r.Corrections)
			}
		}
		if s.Mentions(c.question, c.language, Anywhere).Count() != 1 {
			t.Errorf("%q does not mention %q", c.title, c.question)
		}
	}
}

// What is mostly called by the word of the question is not looked for by a rare other name.
func TestARareSynonymIsNotLookedUp(t *testing.T) {
	t.Parallel()
	docs := []Document{{Ref: "couch", Key: "couch", Language: "en", Title: "Couch"}}
	for i := range 10 {
		docs = append(docs, Document{Ref: fmt.Sprint(i), Key: fmt.Sprint(i), Language: "en", Title: "Sofa"})
	}
	s := New(Options{}).Apply(docs, nil)
	if got := find(s, "sofa"); slices.Contains(got, "couch") {
		t.Errorf("sofa: %v", got)
	}
	if got := refs(s.Search(Query{Text: "couch", Limit: 20})); len(got) != 11 {
		t.Errorf("couch: %v", got)
	}
}
