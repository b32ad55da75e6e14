package search

import (
	"fmt"
	"testing"
)

func TestItemsInThePreferredLanguageStandFirst(t *testing.T) {
	t.Parallel()
	var docs []Document
	for _, language := range []string{"en", "de", "fr", "ja"} {
		docs = append(docs,
			Document{Ref: "radio " + language, Key: "1" + language, Language: language, Title: "Radio Zonk 500"})
		docs = append(docs,
			Document{Ref: "other " + language, Key: "2" + language, Language: language, Title: "Radio of another make"})
	}
	docs = append(docs, Document{Ref: "book", Key: "3", Language: "en", Title: "Gardens"})
	s := New(Options{}).Apply(docs, nil)
	for _, prefer := range []string{"de", "de-AT", "fr", "en-GB"} {
		got := refs(s.Search(Query{Text: "radio zonk 500", Prefer: []string{prefer}}))
		if want := "radio " + prefer[:2]; got[0] != want {
			t.Errorf("%s: %v, want %q first", prefer, got, want)
		}
		if got[1][:5] != "radio" || got[2][:5] != "radio" {
			t.Errorf("%s: %v: what fits less stands before what is in another language", prefer, got)
		}
	}
	plain := fmt.Sprint(s.Search(Query{Text: "radio zonk 500"}))
	for _, prefer := range []string{"sv", "ru-RU"} {
		if got := fmt.Sprint(s.Search(Query{Text: "radio zonk 500", Prefer: []string{prefer}})); got != plain {
			t.Errorf("%q, in which nothing is: %v", prefer, got)
		}
	}
	if got := refs(s.Search(Query{Text: "radio zonk 500", Prefer: []string{"sv", "fr", "de"}})); got[0] != "radio fr" {
		t.Errorf("the first language that is there is French: %v", got)
	}
}

func TestALanguageThatIsPreferredRefusesNothing(t *testing.T) {
	t.Parallel()
	s := New(Options{}).Apply([]Document{
		{Ref: "garden", Key: "1", Language: "en", Title: "Gardens",
			Passages: []string{"About the rose and the lily, and much more that grows."}},
		{Ref: "haus", Key: "2", Language: "de", Title: "Haus"},
	}, nil)
	for _, text := range []string{"gardens", "rose", "rose lily tulip", "rose oven", "lily"} {
		plain, preferred := s.Search(Query{Text: text, MinScore: DefaultMinScore}),
			s.Search(Query{Text: text, MinScore: DefaultMinScore, Prefer: []string{"de"}})
		if fmt.Sprint(refs(plain)) != fmt.Sprint(refs(preferred)) {
			t.Errorf("%q: %v, and %v in German", text, refs(plain), refs(preferred))
		}
	}
}
