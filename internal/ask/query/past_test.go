package query

import (
	"slices"
	"testing"

	"frontdesk/internal/content/facets"
)

// town is a catalog of nothing but events, or of nothing but articles.
func town(types map[string]int, slots ...facets.Known) Asking {
	at := asking()
	at.Lexicon = facets.NewLexicon(
		facets.Taught{Items: 40, Types: types, Slots: slots, Values: map[facets.Slot][]facets.Value{
			facets.Location: {{Text: "Paris", Count: 4}, {Text: "Bonn", Count: 4}, {Text: "ボン", Count: 4},
				{Text: "パリ", Count: 4}, {Text: "東京", Count: 4}, {Text: "大阪", Count: 4}},
			facets.Category: {{Text: "Sport", Count: 4}, {Text: "スポーツ", Count: 4}, {Text: "科学", Count: 4}},
		}})
	return at
}

// The questions are asked on Friday, 20 November 2026.
func TestHolidaysSeasonsAndWhatHasBeen(t *testing.T) {
	t.Parallel()
	events := town(map[string]int{"Event": 20, "MusicEvent": 9, "ExhibitionEvent": 3},
		facets.Known{Slot: facets.Start, Kind: facets.Times, Count: 30}, facets.Known{Slot: facets.Location, Count: 30})
	news := town(map[string]int{"NewsArticle": 30}, facets.Known{Slot: facets.Published, Kind: facets.Times, Count: 30},
		facets.Known{Slot: facets.Category, Count: 30})
	for _, row := range []struct {
		question string
		at       Asking
		want     string
	}{
		{"what happened in July", events, "date 1 July 2026 to 31 July 2026"},
		{"was war im Juli", events, "date 1 July 2026 to 31 July 2026"},
		{"que s'est-il passé en juillet ?", events, "date 1 July 2026 to 31 July 2026"},
		{"what happened in July", news, "published 1 July 2026 to 31 July 2026"},
		{"was geschah im Juli", news, "published 1 July 2026 to 31 July 2026"},
		{"what happened at the harbour", events, "what happened at the harbour"},
		{"after Christmas", events, "date from 27 December 2026 on"},
		{"nach Weihnachten", events, "date from 27 December 2026 on"},
		{"après Noël", events, "date from 27 December 2026 on"},
		{"concerts before Christmas", events, "kind: MusicEvent; date 20 November 2026 to 23 December 2026"},
		{"vor Weihnachten", events, "date 20 November 2026 to 23 December 2026"},
		{"Christmas market", events, "Christmas market"},
		{"concerts after Easter", events, "kind: MusicEvent; date from 30 March 2027 on"},
		{"in spring", town(map[string]int{"Event": 20, "MusicEvent": 9},
			facets.Known{Slot: facets.Start, Kind: facets.Times, Count: 29}), "date 1 March 2027 to 31 May 2027"},
		{"news this summer", news, "kind: Article; published 1 June 2026 to 31 August 2026"},
		{"news not about sport", news, "kind: Article; category: not Sport"},
		{"not in Paris, in Bonn", events, "place: not Paris; place: Bonn"},
		{"events in Paris or Bonn", events, "kind: Event; place: Paris or Bonn"},
		{"7月に何がありましたか", events, "date 1 July 2026 to 31 July 2026"},
		{"7月に何が起きましたか", news, "published 1 July 2026 to 31 July 2026"},
		{"クリスマスの後", events, "date from 27 December 2026 on"},
		{"クリスマス前のコンサート", events, "kind: MusicEvent; date 20 November 2026 to 23 December 2026"},
		{"クリスマスマーケット", events, "クリスマスマーケット"},
		{"1月のイベント", events, "kind: Event; date 1 January 2027 to 31 January 2027"},
		{"12月1日から10日までのイベント", events, "kind: Event; date 1 December 2026 to 10 December 2026"},
		{"12月24日", events, "date on 24 December 2026"},
		{"10月以降の記事", news, "kind: Article; published from 1 October 2026 on"},
		{"2025年のニュース", news, "kind: NewsArticle; published 1 January 2025 to 31 December 2025"},
		{"パリ以外の展覧会", events, "kind: ExhibitionEvent; place: not パリ"},
		{"スポーツ以外のニュース", news, "kind: NewsArticle; category: not スポーツ"},
		{"東京か大阪のイベント", events, "kind: Event; place: 東京 or 大阪"},
		{"ボンの近くのコンサート", events, "kind: MusicEvent; place: ボン"},
		{"ボンで", events, "place: ボン"},
		{"科学の記事", news, "kind: Article; category: 科学"},
	} {
		if got := read(row.question, row.at); got != row.want {
			t.Errorf("%s\n got %s\nwant %s", row.question, got, row.want)
		}
	}
}

func TestWordsForWhatIsWantedThatNoItemHasSayItsType(t *testing.T) {
	t.Parallel()
	at := town(map[string]int{"Event": 20, "TheaterEvent": 4, "ChildrensEvent": 3}, facets.Known{Slot: facets.Start,
		Kind: facets.Times, Count: 30}, facets.Known{Slot: facets.Price, Kind: facets.Figures, Unit: "EUR", Count: 9})
	at.IsA = func(typ, ancestor string) bool { return typ == ancestor || ancestor == "Event" }
	at.Has = func(word string) bool { return word == "puppets" || word == "comedy" }
	for question, want := range map[string]string{
		"theatre under 25 euros": "kind: TheaterEvent; price under €25",
		"things to do with kids": "kind: ChildrensEvent",
		"etwas mit Kindern":      "kind: ChildrensEvent",
		"avec des enfants":       "kind: ChildrensEvent",
		"子供向けのイベント":              "kind: ChildrensEvent",
		"no theatre":             "kind: not TheaterEvent",
		"puppets":                "puppets",
	} {
		if got := read(question, at); got != want {
			t.Errorf("%s\n got %s\nwant %s", question, got, want)
		}
	}
}

func TestAPriceUnderNothingIsNotFree(t *testing.T) {
	t.Parallel()
	nothing := 0.0
	if c := (facets.Constraint{Slot: facets.Price, Max: &nothing, Below: true}); c.Free() {
		t.Error("what costs less than nothing is free")
	}
	if c := (facets.Constraint{Slot: facets.Price, Max: &nothing}); !c.Free() {
		t.Error("what costs nothing at most is not free")
	}
}

func TestColoursAreConceptsInEveryLanguage(t *testing.T) {
	t.Parallel()
	at := town(map[string]int{"Product": 30}, facets.Known{Slot: facets.Color, Count: 20},
		facets.Known{Slot: facets.Stated(facets.Color), Count: 20},
		facets.Known{Slot: facets.Price, Kind: facets.Figures, Unit: "EUR", Count: 9})
	for question, want := range map[string]string{
		"rote Schuhe unter 50 Euro": "red", "chaussures blanches à moins de 50 euros": "white",
		"grüne Schuhe unter 50 Euro": "green", "zapatos rojos por menos de 50 euros": "red",
	} {
		colors := slices.DeleteFunc(Read(question, at).Constraints, func(c facets.Constraint) bool {
			return c.Slot != facets.Color
		})
		if len(colors) != 1 || !slices.Contains(colors[0].Values, want) {
			t.Errorf("%s: %v, want %s among the colours", question, colors, want)
		}
	}
	if u := Read("rote Sachen", at); u.Text != "" {
		t.Errorf("of things in a colour %q is searched for", u.Text)
	}
	chocolate := Read("ナッツなしのチョコレート", at)
	if len(chocolate.Constraints) != 1 || !chocolate.Constraints[0].Not || chocolate.Constraints[0].Soft {
		t.Errorf("chocolate without nuts: %+v", chocolate.Constraints)
	}
	if u := Read("赤いもの", at); u.Text != "" {
		t.Errorf("of red things %q is searched for", u.Text)
	}
}
