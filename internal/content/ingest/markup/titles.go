package markup

import (
	"net/url"
	"slices"
	"strings"
	"unicode"

	"frontdesk/internal/content/ingest/passage"
)

// This file tells what a page calls itself: its titles carry the name of the site, its headings
// sometimes nothing else.

// separators part a title from the name of the site, before or behind it.
var separators = []string{" | ", " - ", " – ", " — ", " · ", " • ", " :: ", " » ", " « ", " › ", " / ", "｜", " ‹ ",
	" ~ ", ": "}

// entitle gathers what the page calls itself: OpenGraph's title, the heading that the title
// repeats, the title, other headings of the first level. What is the site's name alone says nothing
// of the page, and goes to the end.
func (p *Page) entitle() {
	headings := slices.Clone(p.headings)
	slices.SortStableFunc(headings, func(a, b string) int { return p.headingRank(a) - p.headingRank(b) })
	repeated := 0
	for repeated < len(headings) && p.headingRank(headings[repeated]) == 0 {
		repeated++
	}
	candidates := append([]string{p.meta["og:title"], p.meta["twitter:title"]}, headings[:repeated]...)
	candidates = append(candidates, p.title)
	candidates = append(candidates, headings[repeated:]...)
	var named, others []string
	for _, candidate := range append(candidates, p.meta["dc.title"], p.meta["title"]) {
		if candidate = p.TrimSiteName(PlainLine(candidate)); candidate == "" || IsTemplate(candidate) {
			continue
		}
		list := &named
		if p.IsSiteName(candidate) {
			list = &others
		}
		if !slices.ContainsFunc(*list, func(s string) bool { return SameText(s, candidate) }) {
			*list = append(*list, candidate)
		}
	}
	p.Titles = append(named, others...)
}

// headingRank orders headings: those that the page's titles hold come first.
func (p *Page) headingRank(heading string) int {
	switch {
	case p.IsSiteName(heading):
		return 2
	case foldedContains(p.title, heading) || foldedContains(p.meta["og:title"], heading):
		return 0
	}
	return 1
}

// TrimSiteName removes the site's name from a title, where it is known, and whatever stands behind
// the page's heading.
func (p *Page) TrimSiteName(title string) string {
	for _, between := range separators {
		for {
			at := strings.LastIndex(title, between)
			if at <= 0 || !p.IsSiteName(title[at+len(between):]) {
				break
			}
			title = strings.TrimSpace(title[:at])
		}
		for {
			before, rest, found := strings.Cut(title, between)
			if !found || rest == "" || !p.IsSiteName(before) {
				break
			}
			title = strings.TrimSpace(rest)
		}
	}
	for _, heading := range p.headings {
		if len(heading) >= 4 && len(heading) < len(title) && !p.IsSiteName(heading) && leads(heading, title) {
			return heading
		}
	}
	return title
}

// leads says whether a title is a heading with a separator and more behind it.
func leads(heading, title string) bool {
	return len(title) > len(heading) && strings.EqualFold(title[:len(heading)], heading) &&
		slices.ContainsFunc(separators, func(s string) bool {
			return s != ": " && strings.HasPrefix(title[len(heading):], s)
		})
}

// IsSiteName says whether a text is the site's name, as the page gives it or as it stands in its
// host. A slogan behind the name is no part of it.
func (p *Page) IsSiteName(s string) bool {
	own := FoldLetters(s)
	if own == "" {
		return false
	}
	for _, site := range p.sites {
		if own == FoldLetters(site) {
			return true
		}
		for _, between := range separators {
			if name, _, found := strings.Cut(site, between); found && own == FoldLetters(name) {
				return true
			}
		}
	}
	return p.Address != nil && isHost(own, p.Address)
}

// isHost says whether a folded text is the name of a page's host: "example", "the example",
// "example.com".
func isHost(own string, page *url.URL) bool {
	host := strings.TrimPrefix(page.Hostname(), "www.")
	label, _, _ := strings.Cut(host, ".")
	for _, name := range []string{own, strings.TrimPrefix(own, "the"), strings.TrimPrefix(own, "www")} {
		if len(name) >= 4 && (name == FoldLetters(label) || name == FoldLetters(host)) {
			return true
		}
	}
	return false
}

// FoldLetters returns a text's letters and digits in lower case, for comparing spellings.
func FoldLetters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

// SameText says whether two texts differ in spelling alone.
func SameText(a, b string) bool { return a == b || FoldLetters(a) == FoldLetters(b) }

func foldedContains(whole, part string) bool {
	return part != "" && strings.Contains(FoldLetters(whole), FoldLetters(part))
}

// IsOwnName says whether a name is one of those that the page gives itself, or a part of one, or
// has one as a part.
func (p *Page) IsOwnName(name string) bool {
	own := FoldLetters(name)
	if own == "" {
		return false
	}
	return slices.ContainsFunc(p.Titles, func(title string) bool {
		other := FoldLetters(title)
		short, long := min(len(own), len(other)), max(len(own), len(other))
		return own == other || short*2 >= long && (strings.Contains(own, other) || strings.Contains(other, own))
	})
}

// Aliases are the page's names that say more than the one under which its item is known.
func (p *Page) Aliases(name string) []string {
	var more []string
	for _, title := range p.Titles {
		if !p.IsSiteName(title) && !foldedContains(name, title) && passage.Words(title) > 1 {
			more = append(more, title)
		}
	}
	return more
}
