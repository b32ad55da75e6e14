package search

import (
	"slices"
	"testing"
)

// toolshop is a shop in German; everything in it is called as such things are.
func toolshop(language string) *Snapshot {
	var docs []Document
	for _, title := range []string{
		"Gummihammer 500 g", "Schlosserhammer mit Stiel aus Esche", "Kombizange isoliert", "Rohrzange verstellbar",
		"Handsäge für Holz", "Stichsäge mit Koffer", "Holzleim wasserfest", "Schleimlöser", "Arbeitshandschuhe",
		"Romantischer Kerzenhalter", "Esstisch aus Eiche", "Schokoladenkuchen", "Kuchen ohne Mehl", "Reisekoffer",
		"Glutenfreies Brot", "Ansage im Radio", "Kürbissuppe", "Suppe aus Linsen", "Vanilleeis",
		"Vanille aus Madagaskar", "Reis aus Italien", "Holz für den Kamin",
	} {
		docs = append(docs, Document{Ref: title, Key: title, Language: language, Title: title})
	}
	for i := range 60 {
		title := "Ding " + spell(400+i)
		docs = append(docs, Document{Ref: title, Key: title, Language: language, Title: title})
	}
	return New(Options{}).Apply(docs, nil)
}

func TestAWordIsFoundInThoseThatAreMadeOfIt(t *testing.T) {
	t.Parallel()
	s := toolshop("de")
	for question, want := range map[string][]string{
		"Hammer": {"Gummihammer 500 g", "Schlosserhammer mit Stiel aus Esche"},
		"Hämmer": {"Gummihammer 500 g", "Schlosserhammer mit Stiel aus Esche"},
		"Zangen": {"Kombizange isoliert", "Rohrzange verstellbar"},
		"Säge":   {"Handsäge für Holz", "Stichsäge mit Koffer"},
		"sägen":  {"Handsäge für Holz", "Stichsäge mit Koffer"},
		"Leim":   {"Holzleim wasserfest"},
		"Tisch":  {"Esstisch aus Eiche"},
		"Kürbis": {"Kürbissuppe"},
		"Eis":    {"Vanilleeis"},
		"Kuchen": {"Kuchen ohne Mehl", "Schokoladenkuchen"},
		"Frei":   nil, // is a suffix
	} {
		r := s.Search(Query{Text: question, MinScore: DefaultMinScore})
		got := refs(r)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%q finds %q, want %q; corrected %v", question, got, want, r.Corrections)
		}
		check(t, s, Query{Text: question})
	}
	if got := refs(s.Search(Query{Text: "Kuchen"})); got[0] != "Kuchen ohne Mehl" {
		t.Errorf("what a word is a part of stands before the word itself: %q", got)
	}
	for question, want := range map[string]string{
		"Kaminholz": "Holz für den Kamin", "Linsensuppe": "Suppe aus Linsen", "Küchenkürbissuppe": "Kürbissuppe",
	} {
		if got := refs(s.Search(Query{Text: question, MinScore: DefaultMinScore})); len(got) == 0 || got[0] != want {
			t.Errorf("%q finds %q, want %q", question, got, want)
		}
	}
	if got := refs(s.Search(Query{Text: "Hammer", Literal: true})); got != nil {
		t.Errorf("a word that is taken as it stands is found in others: %q", got)
	}
}

func TestWordsAreNotFoundInOthersWhereLanguagesDoNotJoinThem(t *testing.T) {
	t.Parallel()
	s := New(Options{}).Apply([]Document{
		{Ref: "a", Key: "a", Language: "en", Title: "Sledgehammer of steel"},
		{Ref: "b", Key: "b", Language: "de", Title: "Ein Nagel"},
	}, nil)
	if got := refs(s.Search(Query{Text: "hammer"})); got != nil {
		t.Errorf("found: %q", got)
	}
}

func TestCompositesAreThoseOfLiveItems(t *testing.T) {
	t.Parallel()
	x := New(Options{})
	x.Apply([]Document{
		{Ref: "a", Key: "a", Language: "de", Title: "Gummihammer"}, {Ref: "b", Key: "b", Language: "en",
			Title: "gummihammer"}, {Ref: "c", Key: "c", Language: "de", Title: "Nagel"},
	}, nil)
	if got := refs(x.Snapshot().Search(Query{Text: "Hammer"})); len(got) != 2 {
		t.Errorf("found: %q, want both", got)
	}
	if got := refs(x.Apply(nil, []string{"a"}).Search(Query{Text: "Hammer"})); got != nil {
		t.Errorf("found by a word that only an item in English has: %q", got)
	}
}
