package catalog_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"frontdesk/internal/content"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/catalog"
	"frontdesk/internal/policy/imported"
	"frontdesk/internal/testkit/storetest"
	"frontdesk/wire/licence"
)

// TestEachValueIsThatOfTheFirstSourceThatHasOne has a site's own sources and lists tell of
// addresses, each with some values and without others. What counts is value for value the first
// that has one, in the order of RAMP v1, Ingestion: RAMP sitemap, RSL, sitemap, crawl, CMS, manual.
// Each value says where it is from.
func TestEachValueIsThatOfTheFirstSourceThatHasOne(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(*testing.T, ...store.Schema) *store.DB) {
		kinds := map[string]imported.Source{"pages": imported.Crawl, "feed": imported.CMS, "files": imported.Manual,
			"more": imported.Manual}
		told := map[string][]imported.Address{}
		h := &house{t: t, content: content.New(open(t, content.Schema), content.Options{})}
		var err error
		h.catalog, err = catalog.New(catalog.Config{
			Content: h.content, Kind: func(_, source string) imported.Source { return kinds[source] },
			Imported: func(_, canonical string) []imported.Address { return told[canonical] },
		})
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		rapid.Check(t, func(rt *rapid.T) {
			n++
			address := fmt.Sprintf("https://a.example/%d", n)
			day := func(i int) string { return fmt.Sprintf("2027-01-%02d", i) }
			want, from := map[string]string{}, map[string]imported.Source{}
			say := func(source imported.Source, name, value string) {
				if _, said := want[name]; !said && value != "" {
					want[name], from[name] = value, source
				}
			}
			some := func(name, value string) string {
				if rapid.Bool().Draw(rt, name) {
					return value
				}
				return ""
			}
			var lists []imported.Address
			if rapid.Bool().Draw(rt, "RAMP") {
				a := imported.Address{URL: address, Place: "map", Source: imported.RAMPSitemap,
					Modified: some("map modified", day(1)), Stated: &licence.Stated{}}
				if author := some("map author", "Mia Map"); author != "" {
					a.Stated.Authors = []string{author}
				}
				if some("map words", "x") != "" {
					a.Stated.Words = 77
				}
				if some("map tokens", "x") != "" {
					a.Stated.Tokens = 99
				}
				say(a.Source, "modified", stamp(a.Modified))
				say(a.Source, "authors", strings.Join(a.Stated.Authors, ", "))
				say(a.Source, "words", number(a.Stated.Words))
				say(a.Source, "tokens", number(a.Stated.Tokens))
				lists = append(lists, a)
			}
			if rapid.Bool().Draw(rt, "sitemap") {
				a := imported.Address{URL: address, Place: "list", Source: imported.Sitemap,
					Modified: some("list modified", day(2))}
				say(a.Source, "modified", stamp(a.Modified))
				lists = append(lists, a)
			}
			told[strings.TrimPrefix(address, "https://")] = lists
			primary := true
			items := map[string]content.Item{}
			for i, source := range []string{"pages", "feed", "files", "more"} { // which is their order
				if !rapid.Bool().Draw(rt, source) {
					continue
				}
				title, author, modified := some(source+" title", "Of "+source), some(source+" author", "A. "+source),
					some(source+" modified", day(i+3))
				object := `{"@type":"Article"`
				if author != "" {
					object += `,"author":"` + author + `"`
				}
				changed, _ := time.Parse(time.DateOnly, modified)
				items[source] = content.Item{
					Modified: changed,
					URL:      address, Types: []string{"Article"}, Name: title, Object: []byte(object + "}"),
					Passages: []content.Passage{{ID: content.PassageID(source, 0), Text: strings.Repeat("word ", i+5)}},
				}
				say(kinds[source], "title", title)
				say(kinds[source], "authors", author)
				say(kinds[source], "modified", stamp(modified))
				if primary { // the text is that of one source, and so are its words
					say(kinds[source], "words", number(i+5))
				}
				primary = false
			}
			for source := range kinds {
				h.t = t
				if one, ok := items[source]; ok {
					h.put("a", source, content.CommitOptions{Partial: true}, one)
				}
			}
			if _, err := h.catalog.Refresh(t.Context()); err != nil {
				rt.Fatal(err)
			}
			found := h.catalog.Find(address)
			if len(items) == 0 {
				if len(found) > 0 {
					rt.Fatalf("%+v", found)
				}
				return
			}
			e := found[0]
			got := map[string]imported.Source{}
			for _, v := range e.Values() {
				if v.Name == "tokens" && want["tokens"] == "" {
					continue // which are counted
				}
				if v.Value != want[v.Name] {
					rt.Errorf("%s is %q, want %q", v.Name, v.Value, want[v.Name])
				}
				got[v.Name] = v.Source
			}
			for name, source := range from {
				if got[name] != source {
					rt.Errorf("%s %q is said to be from %q, want %s", name, want[name], got[name], source)
				}
			}
			if e.Title != want["title"] || strings.Join(e.Authors, ", ") != want["authors"] ||
				number(e.Words) != want["words"] {
				rt.Errorf("%q %q %d, want %v", e.Title, e.Authors, e.Words, want)
			}
			if order := sourcesOf(found); !slices.IsSortedFunc(order, func(a, b imported.Source) int {
				return slices.Index(imported.Sources, a) - slices.Index(imported.Sources, b)
			}) {
				rt.Errorf("found in the order %q", order)
			}
		})
	})
}

func sourcesOf(found []catalog.Entry) (all []imported.Source) {
	kinds := map[string]imported.Source{"pages": imported.Crawl, "feed": imported.CMS, "files": imported.Manual,
		"more": imported.Manual}
	for _, e := range found {
		all = append(all, kinds[e.Source])
	}
	return all
}

func stamp(day string) string {
	if at, err := time.Parse(time.DateOnly, day); err == nil {
		return at.Format("2006-01-02T15:04:05Z")
	}
	return ""
}

func number(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}
