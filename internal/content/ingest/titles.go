package ingest

import (
	"net/url"
	"slices"
	"strings"
	"unicode"

	"frontdesk/internal/content/ingest/passage"
)

// This file tells what a page calls itself: its titles carry the name of the site, its headings sometimes nothing else.

// separators part a title from the name of the site, before or behind it.
var separators = []string{" | ", " - ", " – ", " — ", " · ", " • ", " :: ", " » ", " « ", " › ", " / ", "｜", " ‹ ", " ~ ", ": "}

// entitle gathers what the page calls itself: OpenGraph's title, the heading that the title repeats, the title, other
// headings of the first level. What is the site's name alone says nothing of the page, and goes to the end.
func (f *facts) entitle() {
	headings := slices.Clone(f.headings)
	slices.SortStableFunc(headings, func(a, b string) int { return f.standing(a) - f.standing(b) })
	repeated := 0
	for repeated < len(headings) && f.standing(headings[repeated]) == 0 {
		repeated++
	}
	candidates := append([]string{f.meta["og:title"], f.meta["twitter:title"]}, headings[:repeated]...)
	candidates = append(candidates, f.title)
	candidates = append(candidates, headings[repeated:]...)
	var named, others []string
	for _, candidate := range append(candidates, f.meta["dc.title"], f.meta["title"]) {
		if candidate = f.withoutSite(inline(candidate)); candidate == "" || unfilled(candidate) {
			continue
		}
		list := &named
		if f.isSite(candidate) {
			list = &others
		}
		if !slices.ContainsFunc(*list, func(s string) bool { return sameText(s, candidate) }) {
			*list = append(*list, candidate)
		}
	}
	f.titles = append(named, others...)
}

// standing orders headings: those that the page's titles hold come first.
func (f *facts) standing(heading string) int {
	switch {
	case f.isSite(heading):
		return 2
	case foldedContains(f.title, heading) || foldedContains(f.meta["og:title"], heading):
		return 0
	}
	return 1
}

// withoutSite takes the site's name off a title, where it is known, and whatever stands behind the page's heading.
func (f *facts) withoutSite(title string) string {
	for _, between := range separators {
		for {
			at := strings.LastIndex(title, between)
			if at <= 0 || !f.isSite(title[at+len(between):]) {
				break
			}
			title = strings.TrimSpace(title[:at])
		}
		for {
			before, rest, found := strings.Cut(title, between)
			if !found || rest == "" || !f.isSite(before) {
				break
			}
			title = strings.TrimSpace(rest)
		}
	}
	for _, heading := range f.headings {
		if len(heading) >= 4 && len(heading) < len(title) && !f.isSite(heading) && leads(heading, title) {
			return heading
		}
	}
	return title
}

// leads says whether a title is a heading with a separator and more behind it.
func leads(heading, title string) bool {
	return len(title) > len(heading) && strings.EqualFold(title[:len(heading)], heading) &&
		slices.ContainsFunc(separators, func(s string) bool { return s != ": " && strings.HasPrefix(title[len(heading):], s) })
}

// isSite says whether a text is the site's name, as the page gives it or as it stands in its host. A slogan behind the
// name is no part of it.
func (f *facts) isSite(s string) bool {
	own := folded(s)
	if own == "" {
		return false
	}
	for _, site := range f.sites {
		if own == folded(site) {
			return true
		}
		for _, between := range separators {
			if name, _, found := strings.Cut(site, between); found && own == folded(name) {
				return true
			}
		}
	}
	return f.address != nil && isHost(own, f.address)
}

// isHost says whether a folded text is the name of a page's host: "example", "the example", "example.com".
func isHost(own string, page *url.URL) bool {
	host := strings.TrimPrefix(page.Hostname(), "www.")
	label, _, _ := strings.Cut(host, ".")
	for _, name := range []string{own, strings.TrimPrefix(own, "the"), strings.TrimPrefix(own, "www")} {
		if len(name) >= 4 && (name == folded(label) || name == folded(host)) {
			return true
		}
	}
	return false
}

// folded is a text's letters and digits in lower case, by which two spellings of it are compared.
func folded(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

func sameText(a, b string) bool {
	return a == b || folded(a) == folded(b)
}

func foldedContains(whole, part string) bool {
	return part != "" && strings.Contains(folded(whole), folded(part))
}

// calls says whether a name is one of those that the page gives itself, or a part of one, or has one as a part.
func (f *facts) calls(name string) bool {
	own := folded(name)
	if own == "" {
		return false
	}
	return slices.ContainsFunc(f.titles, func(title string) bool {
		other := folded(title)
		short, long := min(len(own), len(other)), max(len(own), len(other))
		return own == other || short*2 >= long && (strings.Contains(own, other) || strings.Contains(other, own))
	})
}

// aliases are the page's names that say more than the one under which its item is known.
func (f *facts) aliases(name string) []string {
	var more []string
	for _, title := range f.titles {
		if !f.isSite(title) && !foldedContains(name, title) && passage.Words(title) > 1 {
			more = append(more, title)
		}
	}
	return more
}
