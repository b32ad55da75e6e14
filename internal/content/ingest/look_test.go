package ingest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// look looks at an address of the host.
func (h *host) look(at string, public bool) (Found, error) {
	source := h.source
	web := h.web
	web.URL, web.Public = h.server.URL+at, public
	source.Site, source.Name, source.Web = "s", "look", &web
	return Look(h.Context(), source)
}

func TestLookTellsWhatIsThere(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	var pages []string
	var entries strings.Builder
	for n := range 30 {
		pages = append(pages, fmt.Sprintf("HOST/p%d", n))
		fmt.Fprintf(&entries, "<item><title>News %d</title><link>HOST/n%[1]d</link>"+
			"<description>Of day %[1]d.</description></item>", n)
		h.put(fmt.Sprintf("/p%d", n), pageOf(fmt.Sprintf("Page %d", n)))
	}
	h.put("/", pageOf("Home", "/p1", "/p2"))
	h.put("/map.xml", sitemapOf(pages...))
	h.put("/feed.xml", `<?xml version="1.0"?><rss version="2.0"><channel><title>News</title>`+entries.String()+
		`</channel></rss>`)
	for at, want := range map[string]Found{
		"/map.xml":  {Kind: "sitemap", Addresses: 30},
		"/feed.xml": {Kind: "feed", Items: 30},
		"/":         {Kind: "crawl", Addresses: 3, Items: 3},
	} {
		found, err := h.look(at, false)
		if err != nil || found.Kind != want.Kind || found.Addresses != want.Addresses ||
			want.Items > 0 && found.Items != want.Items || len(found.Names) == 0 {
			t.Errorf("%s: %+v, %v; want %+v", at, found, err, want)
		}
	}
	if n := len(h.asked); n > 25 {
		t.Errorf("%d addresses were asked for: %q", n, h.asked)
	}
	if all, err := h.catalog.Sources(t.Context()); err != nil || len(all) > 0 {
		t.Errorf("something was kept: %+v, %v", all, err)
	}
	_, err := h.look("/gone", false)
	if err == nil || !strings.Contains(err.Error(), "/gone answers with status 404; check the address") ||
		strings.Contains(err.Error(), "look") {
		t.Errorf("where nothing is: %v", err)
	}
}

func TestStrangerLooksAtNoMachineOfOurs(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	h.put("/", pageOf("Home"))
	found, err := h.look("/", true)
	if err == nil || slices.Contains(h.asked, "/") {
		t.Errorf("%+v, %v; asked for %q", found, err, h.asked)
	}
}
