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

// TestAnotherSentenceIsToldWhereAboutAsMuchSpeaksForIt holds that the two stand in the order of
// the text.
func TestAnotherSentenceIsToldWhereAboutAsMuchSpeaksForIt(t *testing.T) {
	t.Parallel()
	terms := []search.Term{
		{Word: "rent", Stems: []string{"rent"}, Weight: 1}, {Word: "sled", Stems: []string{"sled"}, Weight: 1},
	}
	text := "The hut opens in May. Who wants a sled may rent one for 4 euros. " +
		"To rent a sled needs a deposit. We like snow."
	both := "Who wants a sled may rent one for 4 euros. To rent a sled needs a deposit."
	q := New("rent a sled", terms)
	if got := q.Best(t.Context(), Item{"Hut", "en", text}, true); got != both {
		t.Errorf("got %q", got)
	}
	if got := q.Best(t.Context(), Item{"Hut", "en", text}, false); got == both || got == "" {
		t.Errorf("alone it is %q", got)
	}
}
