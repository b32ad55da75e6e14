package index

import (
	"context"
	"slices"
	"testing"

	"frontdesk/internal/content"
	"frontdesk/internal/content/vector/words"
)

// Pages that tell their language, and a product that does not: its name is all that it has.
var (
	german = []string{
		"Der Hof liegt am Rand des Dorfes, und von der Straße ist es nicht weit zu uns.",
		"Die Äpfel sind von den Wiesen hinter dem Haus, und sie werden im Herbst gepresst.",
		"Wir backen das Brot mit dem Mehl aus der Mühle, die es im Tal noch gibt.",
	}
	english = []string{
		"The farm is at the end of the village, and it is not far from the road to us.",
		"The apples are from the meadow behind the house, and they are pressed in autumn.",
	}
)

// offer publishes pages of a site, and a product called Apfelsaft.
func offer(t *testing.T, catalog *content.Catalog, site string, pages []string) {
	t.Helper()
	ctx := context.Background()
	run, err := catalog.Begin(ctx, site, "pages")
	if err != nil {
		t.Fatal(err)
	}
	put := func(item content.Item) {
		item.URL, item.Object = "https://site.example/"+site+"/"+item.Name, []byte("{}")
		if err := run.Put(ctx, item); err != nil {
			t.Fatal(err)
		}
	}
	put(content.Item{Types: []string{"Product"}, Name: "Apfelsaft 1 l"})
	for _, text := range pages {
		put(content.Item{Types: []string{"WebPage"}, Name: text[:8], Description: text})
	}
	if _, err := run.Commit(ctx, content.CommitOptions{AllowShrink: true}); err != nil {
		t.Fatal(err)
	}
}

// finds says what of a site is found by a word.
func finds(library *Index, site, word string) []string {
	v := library.View()
	var all []string
	for _, hit := range v.Find(Question{Text: word, Limit: 10, Sites: []string{site}, Within: v.everything}).Hits {
		all = append(all, hit.URL[len("https://site.example/"+site+"/"):])
	}
	return all
}

func TestAnItemThatTellsNoLanguageIsInThatOfItsSite(t *testing.T) {
	t.Parallel()
	catalog := newCatalog(t)
	offer(t, catalog, "hof", german)
	offer(t, catalog, "farm", english)
	library := New(catalog, words.Builtin())
	refresh(t, library, everything)
	if got := finds(library, "hof", "Saft"); !slices.Equal(got, []string{"Apfelsaft 1 l"}) {
		t.Errorf("a German site finds %q by Saft", got)
	}
	for _, ref := range library.View().everything.All() {
		l := ref.(*Doc)
		want := map[string]string{"hof": "de", "farm": "en"}[l.Site]
		if silent := slices.Equal(l.Types, []string{"Product"}); l.speaks != want || l.told == silent {
			t.Errorf("%s of %s is in %q, as it tells: %v", l.URL, l.Site, l.speaks, l.told)
		}
	}
}

func TestItemsAreReadAgainWhenTheirSiteIsInAnotherLanguage(t *testing.T) {
	t.Parallel()
	for name, before := range map[string][]string{"English": english, "no language": nil} {
		catalog := newCatalog(t)
		offer(t, catalog, "hof", before)
		library := New(catalog, words.Builtin())
		refresh(t, library, everything)
		if got := finds(library, "hof", "Saft"); len(got) > 0 {
			t.Fatalf("a site in %s finds %q by Saft", name, got)
		}
		offer(t, catalog, "hof", slices.Concat(before, german))
		refresh(t, library, everything)
		if got := finds(library, "hof", "Saft"); !slices.Equal(got, []string{"Apfelsaft 1 l"}) {
			t.Errorf("a site that was in %s and is German by now finds %q by Saft", name, got)
		}
	}
}

func TestAKeptIndexKnowsTheLanguageOfItsSites(t *testing.T) {
	t.Parallel()
	catalog, folder := newCatalog(t), t.TempDir()
	told := func(err error) { t.Error(err) }
	offer(t, catalog, "hof", german)
	library := New(catalog, words.Builtin())
	library.Keep(folder, told)
	refresh(t, library, everything)
	if err := library.Save(context.Background()); err != nil {
		t.Fatal(err)
	}
	again := New(catalog, words.Builtin())
	again.Keep(folder, told)
	publish(t, catalog, "x") // of another site, which tells no language
	refresh(t, again, everything)
	if !again.FromFiles() {
		t.Fatal("the index was made anew")
	}
	if again.speaks["hof"] != "de" {
		t.Errorf("the site is in %q", again.speaks["hof"])
	}
	if got := finds(again, "hof", "Saft"); !slices.Equal(got, []string{"Apfelsaft 1 l"}) {
		t.Errorf("it finds %q by Saft", got)
	}
}
