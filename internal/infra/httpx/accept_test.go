package httpx

import (
	"strings"
	"testing"
)

func TestTheFormIsTheOneThatIsLikedBest(t *testing.T) {
	t.Parallel()
	media := []string{"text/plain; charset=utf-8", "text/markdown; charset=utf-8", "text/html; charset=utf-8",
		"application/ld+json"}
	const plain, markdown, html, linked = "text/plain", "text/markdown", "text/html", "application/ld+json"
	for _, c := range []struct{ accept, want string }{
		{"", plain}, {" , ", plain}, {"*/*", plain}, {"*", plain}, {"text/*", plain}, {"application/*", linked},
		{"TEXT/HTML", html}, {"text/html;level=1", html},
		{"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", html},
		{"text/markdown, text/html;q=0.9", markdown}, {"text/html;q=0.9, text/markdown", markdown},
		{"text/*;q=0.5, text/html;q=0.1, application/ld+json;q=0.4", plain}, {"text/*, text/plain;q=0", markdown},
		{"*/*, text/*;q=0", linked}, {"text/plain;q=0, */*;q=0.001", markdown},
		{"text/html;q=0.500, text/markdown;q=0.501", markdown}, {"text/html; q=1.000", html},
		{"text/html;Q=0.2, text/plain;q=0.1", html}, {"text/plain;charset=UTF-8", plain},
		{"text/plain;charset=utf-8;q=0.1, text/plain;q=0.9, text/html;q=0.5", html},
		{"text/html;q=0.3, text/html;q=0.7, text/markdown;q=0.5", html},
		{`application/ld+json;profile="http://www.w3.org/ns/json-ld#compacted"`, linked}, {"application/json", linked},
		{"application/json, text/*;q=0.9", linked}, {"application/xml", ""}, {"image/png, text/html;q=0.1", html},
		{"text/html;q=2, text/markdown;q=0.1", markdown},
		{"text/plain;charset=iso-8859-1", ""}, {"image/png", ""}, {"*/*;q=0", ""}, {"text/html;q=0.0001", ""},
		{"text/html;q=1.1", ""}, {"text/html;q=-1", ""}, {"text/html;q=", ""}, {"*/html", ""},
		{"text", ""}, {"text/html;q=0", ""},
	} {
		got, ok := ChooseMedia([]string{c.accept}, media)
		if plain, _, _ := strings.Cut(got, ";"); plain != c.want || ok != (c.want != "") {
			t.Errorf("%q: %q, %t, want %q", c.accept, got, ok, c.want)
		}
	}
	if got, ok := ChooseMedia([]string{"image/png", "text/html;q=0.1", "text/markdown;q=0.2"}, media); got !=
		media[1] || !ok {
		t.Errorf("in several headers: %q", got)
	}
	if got, ok := ChooseMedia(nil, media); got != media[0] || !ok {
		t.Errorf("without a header: %q", got)
	}
}

func FuzzAccept(f *testing.F) {
	f.Add("text/*;q=0.5, text/html;q=0.1, */*;q=0")
	f.Fuzz(func(t *testing.T, accept string) {
		media := []string{"text/plain; charset=utf-8", "application/ld+json"}
		if got, ok := ChooseMedia([]string{accept}, media); ok != (got != "") ||
			ok && got != media[0] && got != media[1] {
			t.Errorf("%q: %q, %t", accept, got, ok)
		}
		for _, r := range mediaRanges([]string{accept}) {
			if r.quality < 0 || r.quality > 1000 {
				t.Errorf("%q: %+v", accept, r)
			}
		}
	})
}
