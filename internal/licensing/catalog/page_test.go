package catalog_test

import (
	"fmt"
	"slices"
	"testing"

	"frontdesk/internal/content"
	"frontdesk/internal/licensing/catalog"
)

func TestEntriesAreListedPageByPage(t *testing.T) {
	t.Parallel()
	each(t, catalog.Config{}, func(t *testing.T, h *house) {
		if found, next := h.catalog.Page(catalog.Filter{Limit: 3}); len(found) != 0 || next != 0 {
			t.Errorf("of nothing: %v, %d", found, next)
		}
		var items []content.Item
		for n := range 700 { // more than are looked at before a refresh is let through
			items = append(items, item(fmt.Sprintf("https://news.example/%03d", n), fmt.Sprintf("Bread Nº %d", n)))
		}
		h.publish("news", "feed", items...)
		odd := item("https://www.shop.example:8443/Übung?q=BREAD", "Kettles")
		h.publish("shop", "feed", odd, item("http://shop.example/plain", "Tea"))
		pages := func(s catalog.Filter) (urls []string) {
			t.Helper()
			for n := 0; ; n++ {
				found, next := h.catalog.Page(s)
				for _, e := range found {
					urls = append(urls, e.URL)
				}
				if s.Before = next; next == 0 {
					return urls
				}
				if n > 800 {
					t.Fatal("it does not end")
				}
			}
		}
		all := pages(catalog.Filter{Limit: 7})
		if seen := slices.Compact(slices.Sorted(slices.Values(all))); len(all) != 702 || len(seen) != 702 {
			t.Errorf("%d entries are listed, %d of them different", len(all), len(seen))
		}
		if all[0] != odd.URL && all[1] != odd.URL {
			t.Errorf("what came last is not first: %q", all[:3])
		}
		for _, c := range []struct {
			s    catalog.Filter
			want []string
		}{
			{catalog.Filter{Site: "shop", Words: "plain"}, []string{"http://shop.example/plain"}},
			{catalog.Filter{Words: " about  TEA"}, []string{"http://shop.example/plain"}},
			{catalog.Filter{Words: "kettles bread"}, []string{odd.URL}},
			{catalog.Filter{Words: "nº 123"}, []string{"https://news.example/123"}},
			{catalog.Filter{Words: "news.example/123"}, []string{"https://news.example/123"}},
			{catalog.Filter{Words: "nº 123", Site: "shop"}, nil},
			{catalog.Filter{Site: "sho"}, nil},
			{catalog.Filter{Words: "coffee"}, nil},
		} {
			c.s.Limit = 5
			if got := pages(c.s); !slices.Equal(got, c.want) {
				t.Errorf("%+v: %q, want %q", c.s, got, c.want)
			}
		}
		if got := pages(catalog.Filter{Words: "bread", Limit: 50}); len(got) != 701 {
			t.Errorf("%d have the word", len(got))
		}
		if found, next := h.catalog.Page(catalog.Filter{Before: 1 << 40, Limit: 1}); len(found) != 1 || next == 0 {
			t.Errorf("from beyond the end: %v, %d", found, next)
		}
		h.publish("news", "feed")
		if got := pages(catalog.Filter{Limit: 50}); len(got) != 2 {
			t.Errorf("of what was removed %d are listed", len(got)-2)
		}
	})
}
