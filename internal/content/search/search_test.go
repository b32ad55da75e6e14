package search

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// shelf makes an index of titles; the ref and the key of each are its title.
func shelf(titles ...string) *Snapshot {
	var docs []Document
	for _, title := range titles {
		docs = append(docs, Document{Ref: title, Key: title, Language: "en", Title: title})
	}
	return New(Options{}).Apply(docs, nil)
}

func refs(r Result) []string {
	var out []string
	for _, hit := range r.Hits {
		out = append(out, hit.Ref.(string))
	}
	return out
}

func find(s *Snapshot, text string) []string { return refs(s.Search(Query{Text: text})) }

func wantRefs(t *testing.T, got []string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTitleCountsMoreThanKeysAndText(t *testing.T) {
	t.Parallel()
	filler := strings.Repeat("some words that fill the text of an item ", 5)
	s := New(Options{}).Apply([]Document{
		{Ref: "text", Key: "1", Title: "Lamp", Keys: "home", Passages: []string{filler + "kettle " + filler}},
		{Ref: "title", Key: "2", Title: "Kettle", Keys: "home", Passages: []string{filler + filler}},
		{Ref: "keys", Key: "3", Title: "Spout", Keys: "kettle", Passages: []string{filler + filler}},
		{Ref: "none", Key: "4", Title: "Spoon", Keys: "home", Passages: []string{filler + filler}},
	}, nil)
	got := find(s, "kettle")
	if len(got) != 3 || got[0] != "title" {
		t.Errorf("hits %v", got)
	}
}

func TestWordsInTheQuestionsOrderLiftAnItem(t *testing.T) {
	t.Parallel()
	s := shelf("Dog hot day", "Hot dog day", "Cold cat night", "Day dog hot")
	if got := find(s, "hot dog"); got[0] != "Hot dog day" {
		t.Errorf("hits %v", got)
	}
	if got := find(s, "dog hot"); got[0] == "Hot dog day" {
		t.Errorf("hits %v", got)
	}
}

func TestEqualScoresAreOrderedByKey(t *testing.T) {
	t.Parallel()
	var docs []Document
	for _, key := range []string{"m", "c", "x", "a", "q"} {
		docs = append(docs, Document{Ref: key, Key: key, Title: "Same title"})
	}
	x := New(Options{})
	x.Apply(docs[:2], nil)
	wantRefs(t, find(x.Apply(docs[2:], nil), "title"), "a", "c", "m", "q", "x")
}

func TestFunctionWordsAreLeftOut(t *testing.T) {
	t.Parallel()
	s := shelf("The who of it", "Red shoes", "What to do with the rest")
	r := s.Search(Query{Text: "what is the best of the red shoes"})
	wantRefs(t, refs(r), "Red shoes")
	uses := map[string]Use{}
	for _, term := range r.Terms {
		uses[term.Word] = term.Use
	}
	want := map[string]Use{"what": Stop, "is": Stop, "the": Stop, "of": Stop, "best": Unknown, "red": Used,
		"shoes": Used}
	if diff := cmp.Diff(want, uses); diff != "" {
		t.Error(diff)
	}
}

func TestQuestionOfFunctionWordsAloneIsLookedUp(t *testing.T) {
	t.Parallel()
	s := shelf("The Who", "Red shoes", "To be or not to be")
	if got := find(s, "the who"); len(got) == 0 || got[0] != "The Who" {
		t.Errorf("hits %v", got)
	}
	if got := find(s, "to be"); len(got) == 0 || got[0] != "To be or not to be" {
		t.Errorf("hits %v", got)
	}
}

func TestCourtesyIsLeftOut(t *testing.T) {
	t.Parallel()
	s := shelf("Red shoes", "Show jumping fences", "Blue hat")
	for text, want := range map[string]string{
		"please show me red shoes":          "red shoes",
		"I am looking for red shoes":        "red shoes",
		"find red shoes":                    "red shoes",
		"show jumping fences":               "show jumping fences",
		"please":                            "please",
		"can you recommend some red shoes?": "red shoes",
	} {
		var used []string
		for _, term := range s.Search(Query{Text: text}).Terms {
			if term.Use != Stop {
				used = append(used, term.Word)
			}
		}
		if got := strings.Join(used, " "); got != want {
			t.Errorf("%q looks up %q, want %q", text, got, want)
		}
	}
}

func TestWhatIsNotWantedWeighsLess(t *testing.T) {
	t.Parallel()
	s := shelf("Belt with buckle", "Belt", "Buckle", "Shirt", "Trousers without pockets", "Hat")
	unwanted, wanted := s.Search(Query{Text: "belt without buckle"}).Terms,
		s.Search(Query{Text: "buckle without belt"}).Terms
	if len(unwanted) != 3 || len(wanted) != 3 || wanted[0].Weight <= 1.4*unwanted[2].Weight {
		t.Errorf("a buckle that is not wanted: %+v; one that is: %+v", unwanted, wanted)
	}
}

func TestCompoundsAreFoundInEitherSpelling(t *testing.T) {
	t.Parallel()
	s := shelf("USB-C cable", "USBC hub", "USB stick", "Fire stick", "Firewood", "E-cloth", "Tooth brush")
	for text, want := range map[string]string{
		"usb-c":      "USB-C cable",
		"usbc cable": "USB-C cable",
		"ecloth":     "E-cloth",
		"firestick":  "Fire stick",
		"toothbrush": "Tooth brush",
	} {
		if got := find(s, text); len(got) == 0 || got[0] != want {
			t.Errorf("%q finds %v, want %q first", text, got, want)
		}
	}
	if got := find(s, "usb-c"); !slices.Contains(got, "USBC hub") {
		t.Errorf("usb-c finds %v", got)
	}
}

func TestAccentsAndCaseDoNotMatter(t *testing.T) {
	t.Parallel()
	s := shelf("Crème brûlée", "Jalapeño poppers")
	for text, want := range map[string]string{
		"creme brulee": "Crème brûlée", "CRÈME BRÛLÉE": "Crème brûlée", "jalapeno": "Jalapeño poppers",
		"JALAPEÑOS": "Jalapeño poppers",
	} {
		if got := find(s, text); len(got) != 1 || got[0] != want {
			t.Errorf("%q finds %v, want %q", text, got, want)
		}
	}
}

func TestDocumentsOfSeveralLanguagesAreFound(t *testing.T) {
	t.Parallel()
	x := New(Options{})
	s := x.Apply([]Document{
		{Ref: "en", Key: "1", Language: "en", Title: "Running shoes", Passages: []string{"Shoes for runners."}},
		{Ref: "fr", Key: "2", Language: "fr-FR", Title: "Chansons du soir",
			Passages: []string{"Des chansons pour le soir."}},
		{Ref: "ja", Key: "3", Language: "ja", Title: "東京の地図", Passages: []string{"東京を歩くための地図です。"}},
		{Ref: "ru", Key: "4", Language: "ru", Title: "Вечерние песни", Passages: []string{"Песни для вечера."}},
		{Ref: "guessed", Key: "5", Title: "Die Lieder",
			Passages: []string{"Das sind die Lieder, die wir nach dem Essen und in der Nacht singen."}},
	}, nil)
	for text, want := range map[string]string{
		"runs shoe": "en", "une chanson": "fr", "地図": "ja", "песня": "ru", "die lieder": "guessed", "東": "ja",
	} {
		if got := find(s, text); len(got) == 0 || got[0] != want {
			t.Errorf("%q finds %v, want %q first", text, got, want)
		}
	}
	// A question of German function words drops those, and not the English ones.
	for _, term := range s.Search(Query{Text: "was sind die Lieder"}).Terms {
		if (term.Word == "die" || term.Word == "was") && term.Use != Stop {
			t.Errorf("%+v", term)
		}
	}
	restricted := s.Search(Query{Text: "песня", Languages: []string{"en"}})
	if len(restricted.Hits) != 0 {
		t.Errorf("read as English, the Russian word finds %v", restricted.Hits)
	}
}

func TestTermsTellWhatBecameOfEachWord(t *testing.T) {
	t.Parallel()
	s := shelf("Red shoes", "Blue shoes")
	got := s.Search(Query{Text: "Red zonks and RED t-zonk"}).Terms
	sum := 0.0
	for i := range got {
		sum += got[i].Weight
		got[i].Weight = 0
	}
	want := []Term{
		{Word: "red", Stems: []string{"red"}, Use: Used},
		{Word: "zonks", Stems: []string{"zonk"}, Use: Unknown},
		{Word: "and", Stems: []string{}, Use: Stop},
		{Word: "t", Stems: []string{"t"}, Use: Unknown},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if math.Abs(sum-1) > 0.01 {
		t.Errorf("the weights add up to %v", sum)
	}
}

func TestBestPassageIsNamed(t *testing.T) {
	t.Parallel()
	other := "Nothing of interest stands in this passage, which is here to be passed over."
	passages := []string{other, "A kettle.", other,
		"How to descale a kettle with vinegar: the kettle must be cold.", other}
	s := New(Options{}).Apply([]Document{
		{Ref: "a", Key: "a", Title: "House and kitchen", Passages: passages},
		{Ref: "b", Key: "b", Title: "Something else", Passages: []string{other}},
	}, nil)
	for text, want := range map[string]int{"descale kettle": 3, "kettle": 3, "house": 0, "interest": 0} {
		if hits := s.Search(Query{Text: text}).Hits; len(hits) == 0 || hits[0].Passage != want {
			t.Errorf("%q: hits %+v, want passage %d", text, hits, want)
		}
	}
}

// An item that is too long for one unit is found once, with the passage counted over the whole
// item.
func TestLongItemsAreFoundOnce(t *testing.T) {
	t.Parallel()
	var passages []string
	for i := range 100 {
		passages = append(passages,
			strings.Repeat("plain words of no interest ", 30)+fmt.Sprintf("marker%03d anchor", i))
	}
	s := New(Options{}).Apply([]Document{{Ref: "long", Key: "k", Title: "Chronicle", Passages: passages}}, nil)
	if s.Len() != 1 || s.views[0].Units() < 4 {
		t.Fatalf("%d items, %d units", s.Len(), s.views[0].Units())
	}
	for _, i := range []int{0, 17, 50, 99} {
		hits := s.Search(Query{Text: fmt.Sprintf("marker%03d anchor", i)}).Hits
		if len(hits) != 1 || hits[0].Passage != i {
			t.Errorf("passage %d: hits %+v", i, hits)
		}
	}
	if hits := s.Search(Query{Text: "chronicle anchor"}).Hits; len(hits) != 1 {
		t.Errorf("hits %+v", hits)
	}
}

func TestScoresAreSharesOfWhatCouldBeScored(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := New(Options{}).Apply(rapid.SliceOfN(rapid.Custom(drawDocument), 0, 20).Draw(t, "documents"), nil)
		q := drawQuery(t)
		hits := s.Search(q).Hits
		for i, hit := range hits {
			if hit.Score < q.MinScore || hit.Score <= 0 || hit.Score > 100 {
				t.Fatalf("score %v with a least one of %v", hit.Score, q.MinScore)
			}
			if i > 0 && hit.Score > hits[i-1].Score {
				t.Fatalf("score %v after %v", hit.Score, hits[i-1].Score)
			}
		}
		if !slices.IsSortedFunc(hits, func(a, b Hit) int { return int(math.Ceil(b.Score - a.Score)) }) {
			t.Fatal("not sorted")
		}
	})
}

func TestUnknownWordsLowerTheScore(t *testing.T) {
	t.Parallel()
	s := shelf("Red shoes", "Blue shoes", "Green hat", "Grey coat", "White shirt")
	score := func(text string) float64 { return s.Search(Query{Text: text}).Hits[0].Score }
	full, one, two := score("red shoes"), score("red shoes zonk"), score("red shoes zonk plugh")
	if full < 60 || one >= full || two >= one {
		t.Errorf("scores %v, %v, %v", full, one, two)
	}
}

func TestQuestionsAreBounded(t *testing.T) {
	t.Parallel()
	s := shelf("Red shoes", "Word7 and word70")
	var many []string
	for i := range 200 {
		many = append(many, fmt.Sprint("word", i))
	}
	r := s.Search(Query{Text: strings.Join(many, " ")})
	dropped := 0
	for _, term := range r.Terms {
		if term.Use == Dropped {
			dropped++
		}
	}
	if len(r.Terms) != 200 || dropped != 200-MaxWords {
		t.Errorf("%d terms, %d dropped", len(r.Terms), dropped)
	}
	if r := s.Search(Query{Text: strings.Repeat("zonk ", 2000) + "red shoes"}); len(r.Hits) != 0 {
		t.Errorf("what stands beyond the limit is read: %v", r.Hits)
	}
	if r := s.Search(Query{Text: "red", Limit: 1 << 30}); len(r.Hits) != 1 {
		t.Errorf("hits %v", r.Hits)
	}
}

func TestNothingIsFoundInNothing(t *testing.T) {
	t.Parallel()
	empty := New(Options{}).Snapshot()
	for _, text := range []string{"", " ", "red shoes", "the", "?!"} {
		if r := empty.Search(Query{Text: text}); len(r.Hits) != 0 {
			t.Errorf("%q: %v", text, r)
		}
		if r := shelf("Red shoes").Search(Query{Text: text + "?"}); len(r.Hits) != strings.Count(text, "red") {
			t.Errorf("%q: %v", text, r)
		}
	}
	s := New(Options{}).Apply([]Document{{Ref: 1, Key: "empty"}}, nil)
	if r := s.Search(Query{Text: "red"}); s.Len() != 1 || len(r.Hits) != 0 {
		t.Errorf("%v", r)
	}
}

func FuzzSearch(f *testing.F) {
	for _, seed := range []string{
		"red shoes", "belt without usb-c", "\xff½ l’avion 北京", strings.Repeat("a b ", 500), "firestick",
	} {
		f.Add(seed, 10, 20.0)
	}
	c := newCorpus(6, 300)
	docs := append(c.documents(0, 300, 2, 20),
		Document{Ref: 0, Key: "x", Title: "USB-C fire stick", Passages: []string{"北京 l'avion", ""}})
	s := New(Options{}).Apply(docs, nil)
	f.Fuzz(func(t *testing.T, text string, limit int, least float64) {
		q := Query{Text: text, Limit: limit, MinScore: least}
		check(t, s, q)
	})
}

// A site in many languages has one word under many stems; a question finds it under that of its own
// language.
func TestWordsAreFoundAmongItemsOfManyLanguages(t *testing.T) {
	t.Parallel()
	documents := []Document{{Ref: "es", Key: "es", Language: "es", Title: "Empanada de otoño",
		Passages: []string{"Una empanada."}}}
	for i, language := range []string{"en", "fr", "hu", "no", "ru", "sv", "de", "it", "nl", "pl"} {
		for j := range 2 {
			documents = append(documents, Document{Ref: i, Key: fmt.Sprint(language, j), Language: language,
				Title: "Panorama " + language, Passages: []string{"Panorama."}})
		}
	}
	s := New(Options{Workers: 1}).Apply(documents, nil)
	if hits := s.Search(Query{Text: "empanada", MinScore: DefaultMinScore}).Hits; len(hits) != 1 ||
		hits[0].Ref != "es" {
		t.Errorf("hits %v", hits)
	}
}

func TestHitsAreSettledBeforeTheirPassagesAreNamed(t *testing.T) {
	t.Parallel()
	var docs []Document
	for i := range 6 {
		docs = append(docs, Document{
			Ref: fmt.Sprint(i), Key: fmt.Sprint(i), Language: "en", Title: strings.Repeat("kettle ", i%3) + "ware",
			Passages: []string{"of no account", "a kettle of copper", strings.Repeat("nothing ", i) + "to see"},
		})
	}
	s := New(Options{}).Apply(docs, nil)
	asked := Query{Text: "copper kettle"}
	plain := s.Search(asked).Hits
	even := s.Select(func(ref any) bool { return ref.(string)[0]%2 == 0 })
	asked.Settle = func(hits []Hit) []Hit {
		hits = slices.DeleteFunc(hits, func(h Hit) bool { return !even.Holds(h.At) })
		slices.Reverse(hits)
		return hits
	}
	got := s.Search(asked).Hits
	var want []Hit
	for _, h := range slices.Backward(plain) {
		if h.Ref.(string)[0]%2 == 0 {
			want = append(want, h)
		}
	}
	if len(want) != 3 || want[0].Passage != 1 {
		t.Fatalf("hits %v", plain)
	}
	if diff := cmp.Diff(want, got, wherever); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	share := plain[2].Score / plain[0].Score
	near := s.Search(Query{Text: "copper kettle", Share: share}).Hits
	for i, h := range plain {
		if kept := i < len(near) && near[i].Ref == h.Ref; kept != (h.Score >= share*plain[0].Score) {
			t.Errorf("with a share of %.2f, hits %v of %v", share, near, plain)
		}
	}
}
