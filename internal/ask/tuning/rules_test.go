package tuning

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func compiled(t *testing.T, entries ...Entry) *Rules {
	t.Helper()
	for i := range entries {
		if err := entries[i].Check(); err != nil {
			t.Fatal(err)
		}
	}
	return Compile(entries)
}

func TestWordsAreReadAsOthers(t *testing.T) {
	t.Parallel()
	r := compiled(t,
		Entry{ID: "1", Kind: Synonym, Words: []string{"Geld zurück", "Geld"}, Means: "Rückgabe"},
		Entry{ID: "2", Kind: Synonym, Words: []string{"return"}, Means: "return policy"},
		Entry{ID: "3", Kind: Synonym, Words: []string{"Rückgabe"}, Means: "Retoure", Off: true},
		Entry{ID: "4", Kind: Synonym, Words: []string{"couch"}, Means: "sofa", Both: true},
		Entry{ID: "5", Kind: Synonym, Words: []string{"tracker"}, Means: "Fahrrad", Until: noon},
		Entry{ID: "6", Kind: Synonym, Words: []string{"chips"}, Means: "crisps", Language: "en"},
		Entry{ID: "7", Kind: Synonym, Words: []string{"Pants"}, Means: "trousers", Language: "en"},
	)
	for text, want := range map[string]struct {
		text string
		also []string
	}{
		"Wie kriege ich mein Geld zurück?": {"Wie kriege ich mein Rückgabe?", nil},
		"geld-ZURÜCK":                      {"Rückgabe", nil},
		"Geld":                             {"Rückgabe", nil},
		"Geldbeutel":                       {"Geldbeutel", nil},
		"what is your return time":         {"what is your return policy time", nil},
		"what is your return policy":       {"what is your return policy", nil},
		"returns":                          {"return policy", nil},
		"two couches and a return": {"two couches and a return policy",
			[]string{"two sofa and a return policy"}},
		"a sofa, red":                         {"a sofa, red", []string{"a couch, red"}},
		"tracker":                             {"tracker", nil},
		"chips":                               {"crisps", nil},
		"Was kosten die Chips bei euch":       {"Was kosten die Chips bei euch", nil},
		"how much are the chips":              {"how much are the crisps", nil},
		"":                                    {"", nil},
		"¿½ couch?":                           {"¿½ couch?", []string{"¿½ sofa?"}},
		"couch sofa couch sofa couch or sofa": {"couch sofa couch sofa couch or sofa", nil},
	} {
		got := r.Reword(text, nil, noon)
		if strings.HasPrefix(text, "couch sofa") { // many ways, of which few are taken
			if len(got.Also) == 0 || len(got.Also) > maxReadings {
				t.Errorf("%q: %q", text, got.Also)
			}
			continue
		}
		if got.Text != want.text || !slices.Equal(got.Also, want.also) {
			t.Errorf("%q: %q, also %q", text, got.Text, got.Also)
		}
	}
	if got := r.Reword("pants", []string{"de-CH"}, noon).Text; got != "pants" {
		t.Errorf("asked in German: %q", got)
	}
	if got := r.Reword("pants", []string{"en-GB"}, noon).Text; got != "trousers" {
		t.Errorf("asked in English: %q", got)
	}
	if got := r.Reword("tracker", nil, noon.Add(-time.Second)).Text; got != "Fahrrad" {
		t.Errorf("before it ends: %q", got)
	}
	if read := r.Reword("Geld zurück und chips", nil, noon).Read; len(read) != 1 || read[0] != (Read{"Geld zurück",
		"Rückgabe"}) {
		t.Errorf("%q", read)
	}
	if got := (*Rules)(nil).Reword("Geld", nil, noon); got.Text != "Geld" || got.Entries != nil {
		t.Errorf("no rules: %+v", got)
	}
}

// TestWhatIsReadIsTheRestOfTheQuestion holds that rewording any text neither panics nor touches
// what it does not read.
func TestWhatIsReadIsTheRestOfTheQuestion(t *testing.T) {
	t.Parallel()
	r := compiled(t, Entry{ID: "1", Kind: Synonym, Words: []string{"b c", "b"}, Means: "x"},
		Entry{ID: "2", Kind: Synonym, Words: []string{"d"}, Means: "e f", Both: true})
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.SampledFrom([]rune("abcdef ,.'½ﬁé\u0301か\u3099-")), 0, 30, -1).Draw(t, "text")
		got := r.Reword(text, nil, noon)
		if len(got.Also) > maxReadings {
			t.Fatalf("%q", got.Also)
		}
		if len(got.Entries) == 0 && got.Text != text {
			t.Fatalf("%q became %q", text, got.Text)
		}
	})
}

func TestTheNewestOfAClashIsTried(t *testing.T) {
	t.Parallel()
	r := compiled(t, Entry{ID: "1", Kind: Pin, Question: "Wann", Items: []string{"https://a.example/1"}},
		Entry{ID: "2", Kind: Ignore, Question: "Wann"})
	tried := r.With(Entry{Kind: Pin, Question: "wann?", Items: []string{"https://a.example/2"}})
	if e := tried.For(Pin, noon, "nie", "WANN"); e == nil || e.Items[0] != "https://a.example/2" {
		t.Errorf("%+v", e)
	}
	if tried.For(Ignore, noon, "wann") == nil || r.For(Pin, noon, "wann").ID != "1" {
		t.Error("a trial changed something else")
	}
}

func BenchmarkRewordNothing(b *testing.B) {
	r := Compile(nil)
	for b.Loop() {
		r.Reword("how do I get my money back", nil, noon)
	}
}
