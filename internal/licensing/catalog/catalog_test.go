package catalog_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"frontdesk/internal/content"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/catalog"
	"frontdesk/internal/policy"
	"frontdesk/internal/testkit/storetest"
	"frontdesk/wire/contenthash"
)

// house is content that tests change, and a catalog of it.
type house struct {
	t       *testing.T
	content *content.Catalog
	catalog *catalog.Catalog
}

// each runs a test on every engine.
func each(t *testing.T, config catalog.Config, test func(t *testing.T, h *house)) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, open func(*testing.T, ...store.Schema) *store.DB) {
		h := &house{t: t, content: content.New(open(t, content.Schema), content.Options{})}
		config := config
		config.Content = h.content
		var err error
		if h.catalog, err = catalog.New(config); err != nil {
			t.Fatal(err)
		}
		test(t, h)
	})
}

// publish puts items of a source in the place of those it had, and has the catalog follow.
func (h *house) publish(site, source string, items ...content.Item) {
	h.t.Helper()
	h.put(site, source, content.CommitOptions{AllowShrink: true}, items...)
	if _, err := h.catalog.Refresh(h.t.Context()); err != nil {
		h.t.Fatal(err)
	}
}

func (h *house) put(site, source string, options content.CommitOptions, items ...content.Item) {
	h.t.Helper()
	run, err := h.content.Begin(context.Background(), site, source)
	if err != nil {
		h.t.Fatal(err)
	}
	if err := run.Put(context.Background(), items...); err != nil {
		h.t.Fatal(err)
	}
	if _, err := run.Commit(context.Background(), options); err != nil {
		h.t.Fatal(err)
	}
}

// item is an article at an address.
func item(address, text string) content.Item {
	return content.Item{
		URL: address, Types: []string{"Article"}, Name: "About " + text, Language: "en", Object: []byte(`{"@type":"Article"}`),
		Passages: []content.Passage{{ID: content.PassageID(text, 0), Text: text}},
	}
}

// at gives the addresses of the entries that are found.
func (h *house) at(address string) (urls []string) {
	for _, e := range h.catalog.Find(address) {
		urls = append(urls, e.Source+" "+e.URL)
	}
	return urls
}

func (h *house) finds(address string, want ...string) {
	h.t.Helper()
	if diff := cmp.Diff(want, h.at(address)); diff != "" {
		h.t.Errorf("at %s (-want +got):\n%s", address, diff)
	}
}

func TestCatalogFollowsTheContent(t *testing.T) {
	t.Parallel()
	each(t, catalog.Config{}, func(t *testing.T, h *house) {
		h.publish("a", "one", item("https://a.example/x", "old"), item("https://a.example/y", "other"))
		h.finds("https://a.example/x", "one https://a.example/x")
		before := h.catalog.Find("https://a.example/x")[0]
		h.publish("a", "one", item("https://a.example/x", "new words"))
		h.finds("https://a.example/x", "one https://a.example/x")
		h.finds("https://a.example/y")
		after := h.catalog.Find("https://a.example/x")[0]
		if after.Title != "About new words" || after.Since <= before.Since || after.Hash == before.Hash ||
			after.ID != before.ID {
			t.Errorf("%+v after %+v", after, before)
		}
		if loaded, err := h.content.LoadItems(t.Context(), after.Ref); err != nil || loaded[0].Name != after.Title {
			t.Error(loaded, err)
		}
		h.publish("a", "two", item("https://a.example/x", "again"))
		h.finds("https://a.example/x", "one https://a.example/x", "two https://a.example/x")
		if err := h.content.Remove(t.Context(), "a", "one"); err != nil {
			t.Fatal(err)
		}
		if changed, err := h.catalog.Refresh(t.Context()); err != nil || !changed {
			t.Fatal(changed, err)
		}
		h.finds("https://a.example/x", "two https://a.example/x")
		h.publish("a", "one", item("https://a.example/y", "other"))
		h.finds("https://a.example/y", "one https://a.example/y")
		if changed, err := h.catalog.Refresh(t.Context()); err != nil || changed {
			t.Error("nothing changed, and the catalog says otherwise", err)
		}
		if h.catalog.Len() != 2 || !slices.Equal(h.catalog.Hosts(), []string{"a.example"}) {
			t.Error(h.catalog.Len(), h.catalog.Hosts())
		}
	})
}

func TestLookupNeverSellsABeginning(t *testing.T) {
	t.Parallel()
	aliases := []catalog.Alias{
		{Pattern: "https://a.example/book/", Item: "https://a.example/book"},
		{Pattern: "https://a.example/book/two/*", Item: "https://a.example/two"},
		{Pattern: "https://a.example/b*", Item: "https://a.example/b"},
		{Pattern: "https://a.example/*/print", Item: "https://a.example/x"},
		{Pattern: "https://a.example/*/long/print", Item: "https://a.example/y"},
		{Pattern: "https://a.example/gone/", Item: "https://a.example/nothing"},
	}
	each(t, catalog.Config{Aliases: aliases}, func(t *testing.T, h *house) {
		var items []content.Item
		for _, path := range []string{"", "a", "a/", "b", "book", "two", "book/two/own", "x", "y", "q?id=1"} {
			items = append(items, item("https://a.example/"+path, path))
		}
		h.publish("a", "s", items...)
		for asked, want := range map[string]string{
			// an item sells its own address, whatever it ends in
			"a": "a", "abc": "", "a/": "a/", "a/b": "", "a/print": "x",
			"": "", "nothing": "", "q?id=1": "q?id=1", "q": "", "q?id=2": "", "q?id=12": "",
			"book": "book", "book/": "book", "book/7": "book", "bookshop": "b", "book?x": "b", // the longest beginning
			// its own first
			"book/two": "book", "book/two/": "two", "book/two/3/4": "two", "book/two/own": "book/two/own",
			"c/print": "x", "c/d/print": "x", "c/long/print": "y", "c/printed": "", "gone/1": "",
		} {
			var expected []string
			if want != "" || asked == "" {
				expected = []string{"s https://a.example/" + want}
			}
			h.finds("https://a.example/"+asked, expected...)
		}
		h.finds("https://b.example/book/7")
		h.finds("https://a.example.org/a")
		if found := h.catalog.Find("https://a.example/book/7"); found[0].Address != "https://a.example/book/7" ||
			found[0].URL != "https://a.example/book" {
			t.Errorf("%+v", found[0])
		}
	})
}

func TestCatalogStartsFromItsFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "a folder that is not there yet", "catalog")
	each(t, catalog.Config{Snapshot: file}, func(t *testing.T, h *house) {
		h.publish("a", "one", item("https://a.example/x", "one"), item("http://a.example:8080/%7ey?q#f", "two"))
		if err := h.catalog.Save(); err != nil {
			t.Fatal(err)
		}
		h.publish("a", "one", item("http://a.example:8080/%7ey?q#f", "two"), item("https://a.example/z", "three"))
		want := h.catalog.Find("http://a.example:8080/~y?q")
		var log bytes.Buffer
		h.catalog, _ = catalog.New(catalog.Config{Content: h.content, Snapshot: file,
			Log: slog.New(slog.NewTextHandler(&log, nil))})
		if _, err := h.catalog.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		if log.Len() > 0 {
			t.Errorf("it did not start from its file: %s", &log)
		}
		h.finds("https://a.example/x")
		h.finds("https://a.example/z", "one https://a.example/z")
		if diff := cmp.Diff(want, h.catalog.Find("http://a.example:8080/~y?q"),
			cmp.AllowUnexported(catalog.Entry{})); diff != "" {
			t.Error(diff)
		}
		if refused := h.catalog.Save(); refused != nil {
			t.Error(refused)
		}
	})
}

// restart is a catalog that starts from a file.
func (h *house) restart(file string) {
	h.t.Helper()
	var err error
	if h.catalog, err = catalog.New(catalog.Config{Content: h.content, Snapshot: file}); err != nil {
		h.t.Fatal(err)
	}
	if _, err := h.catalog.Refresh(h.t.Context()); err != nil {
		h.t.Fatal(err)
	}
}

func TestFileThatIsDamagedOrOfAnotherDatabaseIsNotBelieved(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "catalog")
	each(t, catalog.Config{Snapshot: file}, func(t *testing.T, h *house) {
		h.publish("a", "one", item("https://a.example/x", "one"), item("https://a.example/y", "two"))
		if err := h.catalog.Save(); err != nil {
			t.Fatal(err)
		}
		whole, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, damaged := range [][]byte{nil, whole[:len(whole)/2],
			slices.Concat(whole[:len(whole)/2], []byte{whole[len(whole)/2] ^ 1}, whole[len(whole)/2+1:])} {
			if err := os.WriteFile(file, damaged, 0o600); err != nil {
				t.Fatal(err)
			}
			if h.restart(file); h.catalog.Len() != 2 {
				t.Fatalf("%d entries from a file of %d bytes that is damaged", h.catalog.Len(), len(damaged))
			}
		}
		h.finds("https://a.example/y", "one https://a.example/y")
	})
	each(t, catalog.Config{}, func(t *testing.T, h *house) { // another one, in which the same source has other items
		storing, err := catalog.New(catalog.Config{Content: h.content, Snapshot: file})
		if err != nil {
			t.Fatal(err)
		}
		os.Remove(file)
		h.put("a", "one", content.CommitOptions{}, item("https://a.example/x", "one"),
			item("https://a.example/y", "two"))
		if _, err := storing.Refresh(t.Context()); err != nil || storing.Save() != nil {
			t.Fatal(err)
		}
	})
	each(t, catalog.Config{}, func(t *testing.T, h *house) {
		h.put("a", "one", content.CommitOptions{}, item("https://a.example/other", "one"))
		h.restart(file)
		h.finds("https://a.example/x")
		h.finds("https://a.example/other", "one https://a.example/other")
	})
}

func TestOwnersSayWhatItemsDoNot(t *testing.T) {
	t.Parallel()
	matching := func(m policy.Match) *policy.Matcher {
		matcher, err := policy.Options{IsA: content.IsA}.Matcher(m)
		if err != nil {
			t.Fatal(err)
		}
		return matcher
	}
	config := catalog.Config{
		Statements: []catalog.Statement{
			{Match: matching(policy.Match{Path: []string{"/ticker/**"}}), Mutability: catalog.Live,
				Figures: catalog.Figures{Seconds: 61}},
			{Match: matching(policy.Match{Type: []string{"Article"}}), Mutability: catalog.Dynamic,
				Categories: []string{"483"},
				Identity:   catalog.Identity{DOI: "10.1234/house", ISNI: "0000000121032683"}},
			{Match: matching(policy.Match{}), Categories: []string{"1"}, Figures: catalog.Figures{Pages: 3}},
		},
		Factors: map[string]float64{"en": 2},
	}
	each(t, config, func(t *testing.T, h *house) {
		plain, own := item("https://a.example/plain", "one two three"), item("https://a.example/ticker/own", "one")
		own.Object = []byte(`{"@type":"Article","identifier":"doi:10.1234/own","numberOfPages":7,"about":{"termCode":"2","inDefinedTermSet":"IAB"}}`)
		other := item("https://a.example/thing", "one")
		other.Types = []string{"Product"}
		h.publish("a", "s", plain, own, other)
		if e := h.catalog.Find(plain.URL)[0]; e.Mutability != catalog.Dynamic || e.Identity.DOI != "10.1234/house" ||
			!slices.Equal(e.Categories, []string{"483"}) || e.Figures.Pages != 3 || e.Tokens() != 6 {
			t.Errorf("%+v", e)
		}
		e := h.catalog.Find(own.URL)[0]
		if e.Mutability != catalog.Live || e.Identity.DOI != "10.1234/own" || e.Identity.ISNI != "0000000121032683" ||
			e.Figures.Pages != 7 {
			t.Errorf("%+v", e)
		}
		for unit, want := range map[string]int{policy.UnitTokens: 2, policy.UnitPages: 7, policy.UnitMinutes: 2,
			policy.UnitRecords: 0, "calls": 0} {
			if n, known := e.Quantity(unit); n != want || known != (want > 0) {
				t.Errorf("%d %s, %v; want %d", n, unit, known, want)
			}
		}
		if e := h.catalog.Find(other.URL)[0]; e.Mutability != catalog.Dynamic || e.Identity != (catalog.Identity{}) ||
			!slices.Equal(e.Categories, []string{"1"}) || e.AsOf.IsZero() {
			t.Errorf("%+v", e)
		}
	})
}

// A catalog that is asked for it bears the simhash-v1 of what is delivered, also after it started
// from its file; and one that is not does not believe the file of one that was, nor the other way
// round.
func TestSimilarityIsKeptWhereItIsAskedFor(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "catalog")
	const text = "One lamp lights a room."
	each(t, catalog.Config{Snapshot: file, Similar: true}, func(t *testing.T, h *house) {
		has := func(similar bool) {
			t.Helper()
			for _, e := range h.catalog.Find("https://a.example/x") {
				if want := contenthash.Similarity([]byte(text)); e.Similar != similar || similar &&
					e.Similarity != want || e.Hash != sha256.Sum256([]byte(text)) {
					t.Errorf("%v, %016x", e.Similar, e.Similarity)
				}
			}
			h.finds("https://a.example/x", "one https://a.example/x")
		}
		h.publish("a", "one", item("https://a.example/x", text))
		has(true)
		for _, similar := range []bool{true, false, false, true} {
			if err := h.catalog.Save(); err != nil {
				t.Fatal(err)
			}
			var err error
			if h.catalog, err = catalog.New(catalog.Config{Content: h.content, Snapshot: file,
				Similar: similar}); err != nil {
				t.Fatal(err)
			}
			if _, err := h.catalog.Refresh(t.Context()); err != nil {
				t.Fatal(err)
			}
			has(similar)
		}
	})
}
