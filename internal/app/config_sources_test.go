package app

import (
	"strings"
	"testing"
)

// TestPermalinkWithoutAnAddressIsWarnedOf warns of a pattern while nobody said where the site is.
func TestPermalinkWithoutAnAddressIsWarnedOf(t *testing.T) {
	t.Parallel()
	const told = "sources[0].permalink: the addresses begin with https://local/"
	for text, warned := range map[string]bool{
		`sources: [{path: posts, permalink: "/:year/:slug/"}]`:                                           true,
		`sources: [{path: posts, permalink: "/:year/:slug/", base: "https://www.example.com"}]`:          false,
		`{site: {url: "https://www.example.com"}, sources: [{path: posts, permalink: "/:year/:slug/"}]}`: false,
		`sources: [{path: posts}]`: false,
		`sources: [{url: "https://www.example.com/posts/", permalink: "/:year/:slug/"}]`: false,
	} {
		loaded, err := Load(Layers{File: write(t, t.TempDir(), "frontdesk.yaml", text)})
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := strings.Contains(loaded.Warnings.Error(), told); got != warned {
			t.Errorf("%s: %v, and it should be %v: %v", text, got, warned, loaded.Warnings)
		}
	}
}
