package quote

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"frontdesk/internal/content/search"
)

func TestSentencesEndWhereAReaderWouldEndThem(t *testing.T) {
	t.Parallel()
	for in, want := range map[string][]string{
		"One. Two! Three?":                        {"One.", "Two!", "Three?"},
		"It costs 3.50 at Dr. Hale's. Come early": {"It costs 3.50 at Dr. Hale's.", "Come early"},
		"J. Smith wrote it. then nothing":         {"J. Smith wrote it. then nothing"},
		"first line\nsecond line":                 {"first line", "second line"},
		"これは文です。次の文です。":                           {"これは文です。", "次の文です。"},
		"See e.g. Berlin. Ende":                   {"See e.g. Berlin.", "Ende"},
		"":                                        nil,
		" . ":                                     {"."},
	} {
		if diff := cmp.Diff(want, Split(in)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", in, diff)
		}
	}
}

func FuzzSentencesLoseNothing(f *testing.F) {
	f.Add("One. Two! 3.5 e.g. x。y")
	f.Fuzz(func(t *testing.T, text string) {
		squeeze := func(s string) string { return strings.Join(strings.Fields(strings.ToValidUTF8(s, "\uFFFD")), "") }
		got := ""
		for _, sentence := range Split(text) {
			got += squeeze(sentence) // one by one: bytes that are no UTF-8 must not come together
		}
		if got != squeeze(text) {
			t.Errorf("sentences of %q hold %q", text, got)
		}
	})
}

func TestShortenCutsAtAWord(t *testing.T) {
	t.Parallel()
	if got := shorten("one two three four", 11); got != "one two…" {
		t.Errorf("got %q", got)
	}
	if got := shorten("short", 11); got != "short" {
		t.Errorf("got %q", got)
	}
}

func TestTheSentenceThatAnswersIsQuoted(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ asked, language, name, text, want string }{
		{
			"how long can I keep the boat", "en", "Boat hire",
			"Our boats are made of oak. A boat is yours for three hours. In winter they sleep in the shed.",
			"A boat is yours for three hours.",
		},
		{
			"Was kostet eine Stunde?", "de", "Kletterhalle",
			"Die Halle hat vierzig Routen. Eine Stunde kostet 8 Euro. Schuhe bringt jeder selbst mit.",
			"Eine Stunde kostet 8 Euro.",
		},
		{
			"when do the children eat", "fr", "Cantine",
			"La cantine est au sous-sol. Les enfants mangent à midi. Le menu change chaque semaine.",
			"Les enfants mangent à midi.",
		},
		{"do you repair clocks", "en", "Clocks", "Do you repair clocks? We do, in about two weeks.",
			"We do, in about two weeks."},
		{"clocks", "en", "Clocks", "Clocks.", ""},
	} {
		var terms []search.Term
		for word := range strings.FieldsSeq(strings.ToLower(test.asked)) {
			terms = append(terms, search.Term{Word: word, Stems: []string{strings.Trim(word, "?")}, Weight: 1})
		}
		if got := New(test.asked, terms).Best(t.Context(), Item{test.name, test.language, test.text}, false); got !=
			test.want {
			t.Errorf("%s\ngot  %s\nwant %s", test.asked, got, test.want)
		}
	}
}

// TestAPassageIsTheBestSentenceWithThoseAroundItThatAnswerAboutAsWell holds that they follow each
// other as in the text, the better neighbour first, as far as all of it is short.
func TestAPassageIsTheBestSentenceWithThoseAroundItThatAnswerAboutAsWell(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("This is told at length. ", 13)
	for want, test := range map[string]struct {
		text   []string
		scores []float64
		best   int
	}{
		"Rent it here. It costs 4.": {
			[]string{"Rent it here.", "It costs 4.", "We like snow."}, []float64{2, 3, 0}, 1,
		},
		"It costs 5. Pay in cash.": {
			[]string{long, "It costs 5.", "Pay in cash.", "Hello."}, []float64{3, 3, 2.5, 1}, 1,
		},
		"It costs 6 euros.": {[]string{"Hello.", "It costs 6 euros.", "Bye."}, []float64{0, 3, 1}, 1},
		"A. B. C.":          {[]string{"A.", "B.", "C."}, []float64{3, 3, 3}, 0},
	} {
		even := func(i int) bool { return test.scores[test.best]-test.scores[i] < 1.5 }
		if got := Passage(test.text, test.best, even, func(i int) float64 { return test.scores[i] }); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// TestASentenceIsToldOnce holds that what stands in the description and in the text is told once.
func TestASentenceIsToldOnce(t *testing.T) {
	t.Parallel()
	terms := []search.Term{{Word: "sled", Stems: []string{"sled"}, Weight: 1}}
	text := "Who wants a sled may rent one.\nWho wants a sled may rent one."
	if got := New("sled", terms).Best(t.Context(), Item{"Hut", "en", text}, true); strings.Count(got, "rent") != 1 {
		t.Errorf("got %q", got)
	}
}

// TestCountsFindsTheFigureOfWhatIsAsked holds that a figure of something else, or of what the item
// is called, counts nothing.
func TestCountsFindsTheFigureOfWhatIsAsked(t *testing.T) {
	t.Parallel()
	terms := []search.Term{
		{Word: "tiles", Stems: []string{"tile"}, Weight: 1}, {Word: "clock", Stems: []string{"clock"}, Weight: 1},
	}
	named := []bool{false, true}
	for sentence, want := range map[string]bool{
		"It has 576 tiles, nine of them copies.": true,
		"There are nine tiles.":                  true,
		"It has tiles from 1740.":                false,
		"Two clocks hang beside the tiles.":      false,
		"":                                       false,
	} {
		if got := Counts(sentence, "en", terms, named); got != want {
			t.Errorf("%q: %v", sentence, got)
		}
	}
}
