package search

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// kitchen makes items about two subjects, each in words of its own, among many others.
func kitchen() []Document {
	var docs []Document
	add := func(key, title, text string) {
		docs = append(docs, Document{Ref: key, Key: key, Language: "en", Title: title, Passages: []string{text}})
	}
	for i := range 12 {
		add(fmt.Sprintf("bread-%02d", i), "Bread number "+spell(i),
			"Knead the dough, let the sourdough starter rise, bake until the crust is brown. "+spell(100+i))
	}
	add("crust", "Levain", "A sourdough starter and dough with a crust.")
	for i := range 200 {
		add(fmt.Sprintf("other-%03d", i), "Thing "+spell(i+500), strings.Repeat(spell(i+900)+" and ", 10))
	}
	return docs
}

func TestFeedbackFindsWhatSpeaksOfTheSameInOtherWords(t *testing.T) {
	t.Parallel()
	s := New(Options{}).Apply(append(kitchen(), Document{Ref: "peel", Key: "peel", Language: "en", Title: "Peel"},
		Document{Ref: "oven", Key: "oven", Language: "en", Title: "Oven"}), nil)
	for literal, want := range map[bool]bool{true: false, false: true} {
		got := refs(s.Search(Query{Text: "bread peel oven", Limit: 50, Literal: literal}))
		if slices.Contains(got, "crust") != want {
			t.Errorf("literally %v: hits %v", literal, got)
		}
	}
	if got := refs(s.Search(Query{Text: "bread peel oven", Limit: 50, OwnWords: true})); slices.Contains(got, "crust") {
		t.Errorf("by its own words: hits %v", got)
	}
	if r := s.Search(Query{Text: "sourdough startr", OwnWords: true}); len(r.Corrections) != 1 {
		t.Errorf("by its own words, nothing is corrected: %v", r)
	}
	if r := s.Search(Query{Text: "sourdough startr", AsSpelled: true}); r.Corrections != nil {
		t.Errorf("as it is spelled, it is corrected: %v", r.Corrections)
	}
}

func TestNothingIsAddedToAQuestionThatAnItemAnswers(t *testing.T) {
	t.Parallel()
	s := New(Options{}).Apply(
		append(kitchen(), Document{Ref: "it", Key: "it", Language: "en", Title: "A box",
			Passages: []string{"for bread, of brown tin"}}), nil)
	for _, text := range []string{
		"bread", "sourdough starter", "tin bread box", "brown crust", "levain", "Thing " + spell(510),
	} {
		literal, usual := s.Search(Query{Text: text, Literal: true}), s.Search(Query{Text: text})
		if fmt.Sprint(literal) != fmt.Sprint(usual) {
			t.Errorf("%q: literally %v, usually %v", text, refs(literal), refs(usual))
		}
	}
}

func TestFeedbackLeavesTheRefusalOfAQuestionAsItIs(t *testing.T) {
	t.Parallel()
	s := New(Options{}).Apply(kitchen(), nil)
	for _, text := range []string{"brown horse race results", "mortgage rates in april", "who won the starter race"} {
		literal, usual := s.Search(Query{Text: text, Literal: true, MinScore: DefaultMinScore}),
			s.Search(Query{Text: text, MinScore: DefaultMinScore})
		if len(literal.Hits) > 0 != (len(usual.Hits) > 0) {
			t.Errorf("%q: literally %v, usually %v", text, refs(literal), refs(usual))
		}
	}
}

// The table of gathered words is the same empty one after items that fill it.
func TestFeedbackOfLongItemsLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	var docs []Document
	for i := range 20 {
		var b strings.Builder
		for j := range 600 {
			b.WriteString(spell(i/2*600+j) + " ")
		}
		docs = append(docs,
			Document{Ref: i, Key: fmt.Sprint(i), Language: "xx", Title: "piece", Passages: []string{b.String()}})
	}
	s := New(Options{}).Apply(docs, nil)
	text := "piece " + spell(1) + " " + spell(700) + " " + spell(1300) + " " + spell(1900)
	if n := len(s.Search(Query{Text: text}).Hits); n != 10 {
		t.Errorf("%d hits", n)
	}
	literal := s.Search(Query{Text: text, Literal: true})
	again := s.Search(Query{Text: text, Literal: true})
	if fmt.Sprint(literal) != fmt.Sprint(again) {
		t.Errorf("after a full table: %v, before: %v", again, literal)
	}
}
