package search

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// refsIn gives the refs of a selection's items in order.
func refsIn(s *Snapshot, sel *Selection) []string {
	var in []string
	for i, v := range s.views {
		for u := range v.Units() {
			if sel.unitsIn(i, v).Has(u) && !v.Continues(u) {
				in = append(in, fmt.Sprint(v.Refs[v.ItemOf[u]]))
			}
		}
	}
	slices.Sort(in)
	return in
}

func TestMentionsTellsWhatAnItemHas(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		language, passage, text string
		mentioned               bool
	}{
		{"en", "Grate the ginger and stir.", "ginger", true},
		{"en", "Two gingers.", "Ginger", true},
		{"en", "A gingerbread house.", "ginger", false},
		{"en", "Baked ginger-free for you.", "ginger", false},
		{"en", "Baked without ginger.", "ginger", false},
		{"en", "There is no ginger in it.", "ginger", false},
		{"en", "Made without any added ginger.", "ginger", false},
		{"en", "Free of ginger, free from nuts.", "nuts", false},
		{"en", "Free of onion or ginger.", "ginger", false},
		{"en", "Without onion and with ginger.", "ginger", true},
		{"en", "Without onion and ginger.", "ginger", false},
		{"en", "No onion and ginger on top.", "ginger", true},
		{"en", "Free of nuts. Ginger.", "ginger", true},
		{"en", "No ginger? Then take ginger powder.", "ginger", true},
		{"en", "With ginger. Free shipping.", "ginger", true},
		{"en", "Non-dairy whip.", "dairy", false},
		{"en", "Peanut butter cups.", "peanut butter", true},
		{"en", "Peanut-butter cups.", "peanut butter", true},
		{"en", "Butter made of peanut oil.", "peanut butter", false},
		{"en", "Soy milk, tomato, hot sauce.", "soy sauce", false},
		{"en", "A red canvas shoe.", "red shoes", true},
		{"en", "No peanut butter here.", "peanut butter", false},
		{"en", "Wi-Fi and USB-C.", "usb-c", true},
		{"en", "Wi-Fi and USB C.", "usb-c", true},
		{"en", "Wifi and USBC.", "wi-fi", true},
		{"de", "Mit Ingwer und Honig.", "Ingwer", true},
		{"de", "Ohne Ingwer gebacken.", "ingwer", false},
		{"de", "Ohne Zwiebeln und Ingwer.", "ingwer", false},
		{"fr", "Sans oignon et gingembre.", "gingembre", false},
		{"es", "Sin cebolla y jengibre.", "jengibre", false},
		{"it", "Senza cipolla e zenzero.", "zenzero", false},
		{"pt", "Sem cebola e gengibre.", "gengibre", false},
		{"de", "Frei von Nüssen.", "Nüssen", false},
		{"de", "Ingwer-frei.", "Ingwer", false},
		{"fr", "Sans gluten ni lait.", "lait", false},
		{"fr", "Cuit sans l'ail.", "ail", false},
		{"fr", "Avec de l’ail.", "ail", true},
		{"es", "Pan sin gluten.", "gluten", false},
		{"pt", "Bolo no gengibre.", "gengibre", true},
		{"pt", "Bolo sem gengibre.", "gengibre", false},
		{"ja", "ナッツなしのケーキ", "ナッツ", false},
		{"ja", "ナッツのケーキ", "ナッツ", true},
		{"ja", "卵不使用", "卵", false},
		{"ja", "卵を使う", "卵", true},
		{"zh", "不含花生的蛋糕", "花生", false},
		{"zh", "花生蛋糕", "花生", true},
		{"xx", "Cake without ginger", "ginger", false},
	} {
		s := New(Options{}).Apply(
			[]Document{{Ref: "it", Key: "1", Language: c.language, Title: "Thing",
				Passages: []string{"One.", c.passage}}}, nil)
		for _, language := range []string{c.language, ""} {
			if got := s.Mentions(c.text, language, Anywhere).Count() == 1; got != c.mentioned {
				t.Errorf("%q in %q (%s as %q): mentioned %v", c.text, c.passage, c.language, language, got)
			}
		}
	}
}

func TestMentionsLooksWhereItIsTold(t *testing.T) {
	t.Parallel()
	s := New(Options{}).Apply([]Document{
		{Ref: "title", Key: "1", Language: "en", Title: "Ginger cake"},
		{Ref: "keys", Key: "2", Language: "en", Title: "Cake", Keys: "flour ginger"},
		{Ref: "text", Key: "3", Language: "en", Title: "Cake", Keys: "flour",
			Passages: []string{"Good.", "Has ginger."}},
		{Ref: "none", Key: "4", Language: "en", Title: "Ginger-free cake", Keys: "flour",
			Passages: []string{"No ginger."}},
	}, nil)
	wantRefs(t, refsIn(s, s.Mentions("ginger", "en", Called)), "keys", "title")
	wantRefs(t, refsIn(s, s.Mentions("ginger", "en", Anywhere)), "keys", "text", "title")
	wantRefs(t, refsIn(s, s.Mentions("ginger cake", "en", Anywhere)), "title")
	wantRefs(t, refsIn(s, s.Mentions("", "en", Anywhere)))
	wantRefs(t, refsIn(s, s.Mentions("?! ...", "", Anywhere)))
	wantRefs(t, refsIn(s, s.Mentions(strings.Repeat("ginger ", 100), "en", Anywhere)))
	wantRefs(t, refsIn(s, s.Mentions("ginger zonk", "en", Anywhere)))

	all := s.Select(func(any) bool { return true })
	without := all.Without(s.Mentions("ginger", "en", Anywhere))
	wantRefs(t, refsIn(s, without), "none")
	wantRefs(t, refs(s.Search(Query{Text: "cake", Within: without})), "none")
}

func TestMentionsFindsAllPartsOfALongItem(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("plain words of a long text ", 100)
	s := New(Options{}).Apply(
		[]Document{{Ref: "long", Key: "1", Language: "en", Title: "Cake",
			Passages: []string{long, long, long, long, long + " ginger", long, long}}}, nil)
	all := s.Select(func(any) bool { return true })
	if mentioned := s.Mentions("ginger", "en", Anywhere); mentioned.Count() != 1 ||
		all.Without(mentioned).Count() != 0 {
		t.Errorf("%d mention it, %d do not", mentioned.Count(), all.Without(mentioned).Count())
	}
	if got := find(s, "cake"); len(got) != 1 {
		t.Fatal(got)
	}
	if got := refs(s.Search(Query{Text: "cake", Within: all.Without(s.Mentions("ginger", "", Anywhere))})); got != nil {
		t.Errorf("some part of the item is left: %v", got)
	}
}

func TestWithoutASelectionOfAnotherSnapshotNothingIsLeft(t *testing.T) {
	t.Parallel()
	x := New(Options{})
	old := x.Apply([]Document{{Ref: "a", Key: "a", Title: "a ginger"}}, nil)
	mentioned := old.Mentions("ginger", "en", Anywhere)
	s := x.Apply([]Document{{Ref: "b", Key: "b", Title: "b thyme"}, {Ref: "a2", Key: "a", Title: "a thyme"}}, nil)
	all := s.Select(func(any) bool { return true })
	if n := all.Without(mentioned).Count(); n != 0 {
		t.Errorf("%d items are left without what nobody knows", n)
	}
	wantRefs(t, refsIn(s, all.Without(s.Refresh(mentioned))), "a2", "b")
}

// A refreshed selection, also one that was made of others, is the one that the new snapshot would
// give.
func TestRefreshedMentionsAreThoseOfTheNewSnapshot(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		x := New(Options{Workers: 1})
		s := x.Apply(rapid.SliceOfN(rapid.Custom(drawDocument), 0, 30).Draw(t, "first"), nil)
		text := drawText(t, 1, 2)
		where := rapid.SampledFrom([]Where{Called, Anywhere}).Draw(t, "where")
		made := func(s *Snapshot) []*Selection {
			all := s.Select(func(any) bool { return true })
			mentioned := s.Mentions(text, "en", where)
			return []*Selection{mentioned, all.Without(mentioned), s.Mentions("red", "", where).Or(mentioned),
				s.Mentions("red", "", where).And(all.Without(mentioned))}
		}
		before := made(s)
		s = x.Apply(rapid.SliceOfN(rapid.Custom(drawDocument), 0, 10).Draw(t, "second"), []string{"k01", "k05"})
		for i, want := range made(s) {
			got := s.Refresh(before[i])
			if fmt.Sprint(refsIn(s, got)) != fmt.Sprint(refsIn(s, want)) || got.Count() != want.Count() {
				t.Fatalf("%d: %d items %v, anew %d items %v", i, got.Count(), refsIn(s, got), want.Count(),
					refsIn(s, want))
			}
		}
		if both := before[0].And(before[1]); both.Count() != 0 {
			t.Fatalf("%d items mention the text and do not", both.Count())
		}
	})
}

// Of single words every item that has one, and does not deny it, is found: compared with a look at
// the words alone.
func TestMentionsIsWhatALookAtTheWordsGives(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		docs := rapid.SliceOfN(rapid.Custom(drawDocument), 0, 30).Draw(t, "documents")
		s := New(Options{Workers: 1}).Apply(docs, nil)
		word := rapid.SampledFrom([]string{"red", "blue", "green", "tooth", "schuhe", "日本"}).Draw(t, "word")
		mentioned := refsIn(s, s.Mentions(word, "", Anywhere))
		kept, _ := latest(docs, nil)
		for _, d := range kept {
			has, like, denied := word == "日本", false, false
			for _, part := range append([]string{d.Title, d.Keys}, d.Passages...) {
				has = has || slices.Contains(strings.Fields(part), word)
				like = like || strings.Contains(part, word)
				denied = denied || strings.Contains(part, "without") || strings.Contains(part, "not")
			}
			if got := slices.Contains(mentioned, d.Ref.(string)); got && !like || !got && has && like && !denied {
				t.Fatalf("%q of %v: mentioned %v", word, d, got)
			}
		}
	})
}

func BenchmarkMentions(b *testing.B) {
	c := newCorpus(1, 200000)
	s := New(Options{}).Apply(c.documents(0, 7000, 2, 60), nil)
	for _, n := range []int{20, 500, 20000} {
		word := spell(n)
		b.Run(fmt.Sprintf("of=%d", s.Mentions(word, "en", Anywhere).Count()), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				s.Mentions(word, "en", Anywhere)
			}
		})
	}
}

func TestMentionsAreRememberedPerSpellingAndPlace(t *testing.T) {
	t.Parallel()
	x := New(Options{})
	s := x.Apply([]Document{
		{Ref: "title", Key: "1", Language: "en", Title: "USB-C cable"},
		{Ref: "text", Key: "2", Language: "en", Title: "Charger", Passages: []string{"comes with a usbc cable"}},
		{Ref: "words", Key: "3", Language: "en", Title: "C cable, and a USB port"},
	}, nil)
	mentioned := func(s *Snapshot, text string, where Where) (refs []any) {
		for _, ref := range s.Mentions(text, "", where).All() {
			refs = append(refs, ref)
		}
		return refs
	}
	check := func(s *Snapshot, text string, where Where, want ...any) {
		t.Helper()
		for range 2 { // found, and remembered
			if diff := cmp.Diff(want, mentioned(s, text, where)); diff != "" {
				t.Errorf("%q (-want +got):\n%s", text, diff)
			}
		}
	}
	check(s, "usb-c", Anywhere, "title", "text")
	check(s, "usb-c", Titled, "title")
	check(s, "cable", Anywhere, "title", "text", "words")
	check(s, "cable", Titled, "title", "words")
	gone := x.Apply(nil, []string{"1"})
	check(gone, "usb-c", Anywhere, "text")
	check(gone, "cable", Titled, "words")
	check(s, "usb-c", Anywhere, "title", "text") // as it was
}
