package search

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"frontdesk/internal/content/search/segment"
	"frontdesk/internal/content/search/slips"
)

// shop makes an index of products.
func shop() *Snapshot {
	var docs []Document
	add := func(title, text string) {
		key := fmt.Sprintf("%02d %s", len(docs), title)
		docs = append(docs, Document{Ref: title, Key: key, Language: "en", Title: title, Passages: []string{text}})
	}
	add("Fluoride toothpaste", "Mint, with sweetener.")
	add("Toothpaste for kids", "Strawberry, without any sweetener.")
	add("JIS screwdriver set", "Four blades.")
	add("Jig saw", "For wood.")
	add("Kindle Paperwhite", "A reader for books.")
	add("Acoustic guitar", "Steel strings.")
	add("Keyboard stand", "Holds a piano.")
	add("Bookcase of oak", "Five boards.")
	add("Sandals with straps", "For women. Comes in a box.")
	add("Montage frame", "For pictures.")
	add("Crème brûlée torch", "Gas.")
	for i := range 60 {
		add("Thing "+spell(400+i), "This is a "+spell(900+i)+" of some "+spell(950+i%7)+" kind in a house box.")
	}
	return New(Options{}).Apply(docs, nil)
}

func TestMisspeltWordsAreCorrected(t *testing.T) {
	t.Parallel()
	s := shop()
	for _, c := range []struct{ question, from, to, first string }{
		{"fluorid toothpaste", "", "", "Fluoride toothpaste"}, // the stem is the same
		{"flouride toothpaste", "flouride", "fluoride", "Fluoride toothpaste"},
		{"toothpaste with SWEETNER", "SWEETNER", "sweetener", "Fluoride toothpaste"},
		{"ji screwdriver", "ji", "jis", "JIS screwdriver set"},
		{"kindel", "kindel", "kindle", "Kindle Paperwhite"},
		{"guittar", "guittar", "guitar", "Acoustic guitar"},
		{"guitr", "guitr", "guitar", "Acoustic guitar"},
		{"acustic guitar", "acustic", "acoustic", "Acoustic guitar"},
		{"acoustic giutar", "giutar", "guitar", "Acoustic guitar"},
		{"toothpaste for kidz", "kidz", "kids", "Toothpaste for kids"},
		{"key borad stand", "borad", "boards", ""},
		{"book case", "book case", "bookcase", "Bookcase of oak"},
		{"guittar or guitar", "guittar", "guitar", "Acoustic guitar"},
		{"creme brulee torhc", "torhc", "torch", "Crème brûlée torch"},
		{"créme brülee torch", "", "", "Crème brûlée torch"},
	} {
		r := s.Search(Query{Text: c.question, MinScore: DefaultMinScore})
		if c.first == "" {
			continue
		}
		var want []Correction
		if c.from != "" {
			want = []Correction{{c.from, c.to}}
		}
		if diff := cmp.Diff(want, r.Corrections); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.question, diff)
		}
		if len(r.Hits) == 0 || r.Hits[0].Ref != c.first {
			t.Errorf("%q finds %v, want %q first", c.question, refs(r), c.first)
		}
		if literal := s.Search(Query{Text: c.question, Literal: true}); literal.Corrections != nil {
			t.Errorf("%q taken literally is corrected: %v", c.question, literal.Corrections)
		}
	}
}

func TestWordsThatAreNotMisspeltStay(t *testing.T) {
	t.Parallel()
	s := shop()
	for _, question := range []string{
		"kindle",                   // is there
		"jig",                      // is there, though it is near jis
		"mortgage",                 // is another word than montage
		"lawyer", "pitar", "horse", // are no small slips of one here
		"gxitxr",                     // is too far
		"jsi3 screwdriver", "k1ndle", // have digits
		"B07CHYCKQM", "ji", "kin", // name nothing that can be told
		"toothpaste xylophone",  // has no other near
		"screwdriver kindel-x1", // is a part of something with a digit
		"日本", "...", "",
	} {
		if r := s.Search(Query{Text: question}); len(r.Corrections) > 0 {
			t.Errorf("%q is corrected: %v", question, r.Corrections)
		}
	}
}

// A word that people ask for is not corrected to its neighbour, whatever stands there, in whatever
// form it comes; and nothing is corrected for the sake of a question that is not answered then
// either.
func TestPlausibleWordsStay(t *testing.T) {
	t.Parallel()
	s := New(Options{}).Apply([]Document{
		{Ref: "a", Key: "a", Language: "en", Title: "The best novels: winners of a prize"},
		{Ref: "b", Key: "b", Language: "en", Title: "Electron microscope for schools"},
		{Ref: "c", Key: "c", Language: "en", Title: "Steel funnels"},
		{Ref: "d", Key: "d", Language: "en", Title: "Divided plates"},
		{Ref: "e", Key: "e", Language: "en", Title: "Granola", Passages: []string{"Toasted oats."}},
	}, nil)
	for _, question := range []string{
		"toaster", "nobel prize winners", "election", "elections at schools", "fennel", "dividends", "steal fennels",
	} {
		if r := s.Search(Query{Text: question, MinScore: DefaultMinScore}); len(r.Corrections) > 0 {
			t.Errorf("%q is corrected: %v", question, r.Corrections)
		}
	}
	for question, want := range map[string]string{"electrn": "electron", "funels": "funnels"} {
		if r := s.Search(Query{Text: question, MinScore: DefaultMinScore}); len(r.Corrections) != 1 ||
			r.Corrections[0].To != want {
			t.Errorf("%q is corrected so: %v", question, r.Corrections)
		}
	}
}

func TestAWordThatIsMisspeltTwiceIsCorrectedTwice(t *testing.T) {
	t.Parallel()
	text, corrections := shop().Corrected("guittar strings, guittar straps")
	if text != "guitar strings, guitar straps" || len(corrections) != 2 {
		t.Errorf("%q, %v", text, corrections)
	}
}

func TestACorrectionThatFindsNothingBetterIsUndone(t *testing.T) {
	t.Parallel()
	s := New(Options{}).Apply([]Document{
		{Ref: "a", Key: "a", Language: "en", Title: "Blue glass vase", Passages: []string{"Hand blown."}},
		{Ref: "b", Key: "b", Language: "en", Title: "Vessel",
			Passages: []string{strings.Repeat("A long text of many words. ", 50) + "Glass. " +
				strings.Repeat("And so it goes on. ", 50) + "Window."}},
	}, nil)
	if r := s.Search(Query{Text: "blue glass vase windowx"}); len(r.Corrections) > 0 || r.Hits[0].Ref != "a" {
		t.Errorf("corrected: %v, hits %v", r.Corrections, refs(r))
	}
}

func TestRareWordsOfTextAreCorrectedOnlyWhenNothingAnswers(t *testing.T) {
	t.Parallel()
	var docs []Document
	for i := range 200 {
		docs = append(docs,
			Document{Ref: i, Key: fmt.Sprintf("%03d", i), Language: "en", Title: fmt.Sprint("Thing ", spell(400+i)),
				Passages: []string{"With sweetener. " + spell(700+i) + " " + strings.Repeat("and more of it ", 20)}})
	}
	docs[7].Passages[0] += " Sweetner."
	docs[8].Title += " Swetener"
	s := New(Options{}).Apply(docs, nil)
	if _, corrections := s.Corrected("sweetner"); corrections != nil {
		t.Errorf("a word that an item has is corrected without need: %v", corrections)
	}
	for text, want := range map[string]int{"sweetner": 1, "swetener": 0} {
		a := s.ask(&Query{Text: text})
		if fixes := a.fixes(false); len(fixes) != want {
			t.Errorf("%q, which is not answered: %v", text, fixes)
		}
		a.end()
	}
}

func TestCorrectedGivesTheTextAsItIsMeant(t *testing.T) {
	t.Parallel()
	s := shop()
	text, corrections := s.Corrected("Toothpaste, without sweetner?")
	if want := "Toothpaste, without sweetener?"; text != want {
		t.Errorf("%q, want %q", text, want)
	}
	if diff := cmp.Diff([]Correction{{"sweetner", "sweetener"}}, corrections); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if text, corrections := s.Corrected("plain toothpaste"); text != "plain toothpaste" || corrections != nil {
		t.Errorf("%q %v", text, corrections)
	}
}

func TestNothingIsCorrectedToAWordThatNoItemHasAnyMore(t *testing.T) {
	t.Parallel()
	x := New(Options{})
	x.Apply([]Document{{Ref: "guitar", Key: "1", Language: "en", Title: "Acoustic guitar"},
		{Ref: "drum", Key: "2", Language: "en", Title: "Drum"}}, nil)
	s := x.Apply(nil, []string{"1"})
	if r := s.Search(Query{Text: "guittar"}); r.Corrections != nil {
		t.Errorf("corrected: %v", r.Corrections)
	}
	s = x.Apply([]Document{{Ref: "guitar", Key: "3", Language: "en", Title: "Guitar of wood"}}, nil)
	if r := s.Search(Query{Text: "guittar"}); len(r.Corrections) != 1 {
		t.Errorf("corrected: %v", r.Corrections)
	}
	for i := range 40 { // until segments are merged
		s = x.Apply([]Document{{Ref: i, Key: fmt.Sprint("m", i), Title: spell(i)}}, nil)
	}
	if r := s.Search(Query{Text: "guittar"}); len(r.Corrections) != 1 {
		t.Errorf("after a merge: %v", r.Corrections)
	}
}

func TestNothingIsCorrectedToAWordThatIsNotShown(t *testing.T) {
	t.Parallel()
	docs := []Document{
		{Ref: "open", Key: "1", Language: "en", Title: "Recorder", Passages: []string{"A recorder of pearwood."}},
		{Ref: "reserved", Key: "2", Language: "en", Title: "Acoustic instruments", Keys: "violin",
			Passages: []string{"About the theremin and pearwood."}, Reserved: true},
	}
	s := New(Options{}).Apply(docs, nil)
	for text, want := range map[string]int{"accoustic": 1, "violinn": 0, "thereminn": 0, "pearwoood": 1} {
		if r := s.Search(Query{Text: text}); len(r.Corrections) != want {
			t.Errorf("%q: %v", text, r.Corrections)
		}
	}
	wantRefs(t, find(s, "theremin"), "reserved")
}

// What leaving letters out finds is what a look at all words finds, as far as the first letters are
// the same.
func TestNearWordsAreAllFound(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 5))
	var f segment.Forms
	var words []string
	for i := range 3000 {
		word := spell(i * 37)
		words = append(words, word)
		f.Add(word, 1)
	}
	var near neighbours
	near.fill(&f)
	var room, other [longestForm]rune
	missed, found := 0, 0
	for range 300 {
		typed := []rune(words[random.IntN(len(words))])
		for range 1 + random.IntN(2) {
			i := 1 + random.IntN(len(typed)-1)
			switch random.IntN(4) {
			case 0:
				typed = slices.Delete(typed, i, i+1)
			case 1:
				typed = slices.Insert(typed, i, rune('a'+random.IntN(26)))
			case 2:
				typed[i] = rune('a' + random.IntN(26))
			case 3:
				typed[i-1], typed[i] = typed[i], typed[i-1]
			}
		}
		if len(typed) < twoLeftOut {
			continue
		}
		got := map[string]bool{}
		leaveOut(typed, func(hash uint32) {
			for _, form := range near.at(hash) {
				if word := f.Words.Word(form); slips.Cost(typed, letters(&room, word), slips.Letter) <= slips.Letter {
					got[string(word)] = true
				}
			}
		})
		for _, word := range words {
			if slips.Cost(typed, letters(&other, []byte(word)), slips.Letter) > slips.Letter {
				continue
			}
			if found++; !got[word] {
				missed++
				if missed < 5 {
					t.Logf("%q is near %q", word, string(typed))
				}
			}
		}
	}
	if missed > 0 || found < 100 {
		t.Errorf("%d of %d near words are not found", missed, found)
	}
}

func TestApartness(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		from, to string
		want     int
	}{
		{"same", "same", 0},
		{"sweetner", "sweetener", slips.Letter},
		{"guittar", "guitar", slips.Doubled},
		{"kindel", "kindle", slips.Swapped},
		{"kidz", "kids", slips.Alike},
		{"kitchem", "kitchen", slips.Alike},
		{"lanp", "lamp", slips.Alike},
		{"lsmp", "lamp", slips.Beside},
		{"lxmp", "lamp", slips.Letter},
		{"xamp", "lamp", slips.Letter + slips.First},
		{"amp", "lamp", slips.Letter + slips.First},
		{"vinpositine", "vinpocetine", 2 * slips.Alike},
		{"short", "muchlonger", slips.Impossible},
		{"abcdefgh", "hgfedcba", slips.Impossible},
	} {
		if got := slips.Cost([]rune(c.from), []rune(c.to), 2*slips.Letter); got != c.want {
			t.Errorf("%s for %s costs %d, want %d", c.from, c.to, got, c.want)
		}
		if got := slips.Cost([]rune(c.to), []rune(c.from), 2*slips.Letter); got != c.want {
			t.Errorf("%s for %s costs %d, want %d", c.to, c.from, got, c.want)
		}
	}
}

func FuzzSearchOfStrangeQuestions(f *testing.F) {
	for _, text := range []string{"guittar", "key borad", "créme brülee", "日本語kindel", "kindel-x", "a\xffb",
		strings.Repeat("guittar ", 50), "ııııİİİ ßßß"} {
		f.Add(text)
	}
	s := shop()
	f.Fuzz(func(t *testing.T, text string) {
		r := s.Search(Query{Text: text})
		for _, c := range r.Corrections {
			if !strings.Contains(text, c.From) || c.To == "" || len(c.To) > 4*longestForm {
				t.Errorf("%q: %v", text, c)
			}
		}
		if again := s.Search(Query{Text: text}); fmt.Sprint(again) != fmt.Sprint(r) {
			t.Errorf("%q: %v, then %v", text, r, again)
		}
		s.Corrected(text, "en")
		s.Mentions(text, "", Anywhere)
	})
}

func BenchmarkMisspelt(b *testing.B) {
	c := newCorpus(1, 200000)
	s := New(Options{}).Apply(c.documents(0, 7000, 2, 60), nil)
	for name, text := range map[string]string{
		"lone": spell(2000)[:5] + "xk", "beside": spell(2000)[:5] + "xk " + spell(900),
	} {
		s.Search(Query{Text: text})
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				s.Search(Query{Text: text})
			}
		})
	}
}

// Of two words that no item has, each tells what the other stands for where some item has both.
func TestTwoMisspeltWordsTellEachOther(t *testing.T) {
	t.Parallel()
	for title, want := range map[string]bool{
		"Silent hamster wheel":    true,
		"Hamster food":            false,
		"Hampers of every colour": false,
	} {
		docs := []Document{{Ref: "it", Key: "it", Language: "en", Title: title},
			{Ref: "car", Key: "car", Language: "en", Title: "Steering wheel"}}
		s := New(Options{}).Apply(docs, nil)
		r := s.Search(Query{Text: "hampster weel", Limit: 1, MinScore: DefaultMinScore})
		if got := len(r.Corrections) == 2; got != want || want && (len(r.Hits) == 0 || r.Hits[0].Ref != "it") {
			t.Errorf("among %q: %v by %v", title, refs(r), r.Corrections)
		}
	}
}
