package index

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"frontdesk/internal/content"
	"frontdesk/internal/content/facets"
	"frontdesk/internal/content/search"
)

var village = []string{
	`{"@type":"WebPage","name":"Öffnungszeiten der Bücherei","description":"Montag bis Freitag von 9 bis 17 Uhr."}`,
	`{"@type":"WebPage","name":"Hundesteuer anmelden","description":"Jeder Hund ist binnen zwei Wochen anzumelden."}`,
	`{"@type":"WebPage","name":"Sperrmüll abholen lassen","description":"Alte Möbel holen wir nach Anmeldung ab."}`,
	`{"@type":"Product","name":"Fahrradhelm für Kinder","offers":{"price":30,"priceCurrency":"EUR"}}`,
	`{"@type":"Product","name":"Fahrradhelm Stadt","offers":{"price":80,"priceCurrency":"EUR"}}`,
}

func TestQuestionsOfAnotherLanguageAreAnsweredByWhatIsMeant(t *testing.T) {
	t.Parallel()
	v := stockedIn(t, "de", village...)
	for question, want := range map[string]string{
		"when is the library open":                        "Öffnungszeiten der Bücherei",
		"horaires d'ouverture de la bibliothèque":         "Öffnungszeiten der Bücherei",
		"a che ora apre la biblioteca comunale":           "Öffnungszeiten der Bücherei",
		"do I have to pay a tax for my dog":               "Hundesteuer anmelden",
		"¿hay que registrar al perro en el ayuntamiento?": "Hundesteuer anmelden",
		"recolha de móveis velhos em casa":                "Sperrmüll abholen lassen",
		"図書館の開館時間":                                        "Öffnungszeiten der Bücherei",
		"pick up of old furniture and bulky waste":        "Sperrmüll abholen lassen",
	} {
		got, _ := found(v, Question{Text: question, MinScore: search.DefaultMinScore})
		if len(got) == 0 || got[0] != want {
			t.Errorf("%q finds %q; want %q first", question, got, want)
		}
	}
}

func TestWhatIsNotHereIsNotFoundByWhatIsMeant(t *testing.T) {
	t.Parallel()
	v := stockedIn(t, "de", village...)
	for _, question := range []string{
		"wedding dresses", "do you happen to have wedding dresses", "tarte tatin", "who won the world cup final",
		"¿cuál es la capital de Mongolia?", "Zahnarzt", "xqzv", "☃", "",
	} {
		if f := v.Find(Question{
			Text: question, MinScore: search.DefaultMinScore, Limit: 10,
			Within: v.Select(func(*Doc) bool { return true }),
		}); len(f.Hits) > 0 && !f.Closest {
			t.Errorf("%q finds %q", question, f.Hits[0].URL)
		}
	}
}

func TestConditionsHoldOfWhatIsMeant(t *testing.T) {
	t.Parallel()
	v := stockedIn(t, "de", village...)
	q := Question{Text: "bicycle helmets for cyclists", MinScore: search.DefaultMinScore}
	q.Constraints = []facets.Constraint{{Slot: facets.Price, Max: limit(50), Unit: "EUR"}}
	wantFound(t, v, q, "Fahrradhelm für Kinder")
	q.Constraints, q.Types = nil, []string{"WebPage"}
	if got, _ := found(v, q); len(got) > 0 {
		t.Errorf("of another type: %q", got)
	}
}

func TestOnlyReleasedTextTellsWhatIsMeant(t *testing.T) {
	t.Parallel()
	shut := everything
	shut.Version = "shut"
	shut.Meant = func(l *Doc, e *content.Entry) (title, text string) { return "", "" }
	v := stockedAs(t, shut, "de", village)
	asked, _ := v.table.Embed("when is the library open")
	if got := v.alike(asked, nil, 0, false); len(got) > 0 {
		t.Errorf("found %v by what is not released", got)
	}
	if got := stockedIn(t, "de", village...).alike(asked, nil, alikeEnough, false); len(got) == 0 {
		t.Error("found nothing by what is released")
	}
	if got := v.alike(asked, nil, leastRanked, true); len(got) > 0 {
		t.Errorf("found %v by sentences that are not released", got)
	}
	q := Question{Text: "Bücherei", MinScore: search.DefaultMinScore, Limit: 10}
	if got, _ := found(stockedAs(t, shut, "de", village), q); len(got) != 1 {
		t.Errorf("found %q by words", got)
	}
}

func TestAnItemIsFoundByOneOfItsSentences(t *testing.T) {
	t.Parallel()
	v := stockedIn(t, "de", `{"@type":"Article","name":"Neues aus dem Dorf","description":"`+
		`Am Montag tagt der Rat. Die Straße wird gesperrt. Das Fest beginnt um vier. Kinder leihen Fahrräder am Hafen."}`)
	asked, _ := v.table.Embed("bike rental at the harbour")
	whole, sentences := v.alike(asked, nil, 0, false), v.alike(asked, nil, 0, true)
	if len(whole) != 1 || len(sentences) != 1 || sentences[0].Score <= whole[0].Score {
		t.Errorf("as a whole %v, by its sentences %v; want the latter to be nearer", whole, sentences)
	}
}

func TestMeaningIsAskedOnlyWhereWordsFindNothing(t *testing.T) {
	t.Parallel()
	v := stockedIn(t, "de", village...)
	wantFound(t, v, Question{Text: "Hundesteuer", MinScore: search.DefaultMinScore}, "Hundesteuer anmelden")
	if got, _ := found(v, Question{Text: "Fahrradhelm", MinScore: search.DefaultMinScore}); len(got) != 2 {
		t.Errorf("found %q; want the two that have the word", got)
	}
}

func BenchmarkAlike(b *testing.B) {
	objects := make([]string, 7000)
	for i := range objects {
		objects[i] = fmt.Sprintf(`{"@type":"Product","name":"Fahrradhelm %d von %c%c"}`, i, 'a'+i%26, 'a'+i/26%26)
	}
	v := stockedIn(b, "de", objects...)
	asked, _ := v.table.Embed("when is the library open")
	for b.Loop() {
		v.alike(asked, nil, alikeShare*alikeEnough, false)
	}
}

func TestAStoryIsAnsweredByWhatItMeansAsAWhole(t *testing.T) {
	t.Parallel()
	v := stockedIn(t, "de", append([]string{
		`{"@type":"Event","name":"Alte Möbel tauschen","description":"Möbel und Sofas wechseln den Besitzer.","startDate":"2027-03-06T10:00"}`,
	}, village...)...)
	june := facets.Constraint{
		Slot: facets.Start, Source: facets.FromText,
		From: time.Date(2027, 6, 1, 0, 0, 0, 0, time.UTC), To: time.Date(2027, 7, 1, 0, 0, 0, 0, time.UTC),
	}
	story := "we move house in june, is there a pick up of old furniture and bulky waste"
	ask := Question{Text: "we move house pick up of old furniture and bulky waste", Meant: story,
		MinScore: search.DefaultMinScore, Constraints: []facets.Constraint{june}}
	got, relaxed := found(v, ask)
	if len(got) == 0 || got[0] != "Sperrmüll abholen lassen" || slices.Contains(got, "Alte Möbel tauschen") {
		t.Errorf("the story finds %q", got)
	}
	if len(relaxed) != 1 || !relaxed[0].Unknown {
		t.Errorf("it is not told that the items say nothing of the time: %+v", relaxed)
	}
	ask.Meant = "furniture in june" // which asks for what states its time
	ask.Text, ask.Limit, ask.Within = "furniture", 10, v.Select(func(*Doc) bool { return true })
	if f := v.Find(ask); len(f.Hits) > 0 && !f.Closest {
		t.Errorf("%q finds %q", ask.Meant, f.Hits[0].URL)
	}
}

func TestSentencesOfManyItemsAreNotKept(t *testing.T) {
	t.Parallel()
	var items []string
	for i := range 3 * besideItems {
		items = append(items, fmt.Sprintf(`{"@type":"Article","name":"Thing %d","description":"The lamp is green. The cat sleeps."}`, i))
	}
	kept := func(v *View) (n int) {
		for _, ref := range v.everything.All() {
			if len(ref.(*Doc).said) > 0 {
				n++
			}
		}
		return n
	}
	if n := kept(stocked(t, items...)); n > besideItems {
		t.Errorf("sentences of %d items of %d are kept, more than of %d", n, len(items), besideItems)
	}
	if n := kept(stocked(t, items[:10]...)); n != 10 {
		t.Errorf("sentences of %d items of 10 are kept", n)
	}
}
