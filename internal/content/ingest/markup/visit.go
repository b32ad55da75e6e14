package markup

import (
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"frontdesk/internal/content/ingest/frontier"
	"frontdesk/internal/content/ingest/pageurl"
)

// VisitResult is what a crawler needs of a page beside its items.
type VisitResult struct {
	NoIndex   bool // it asks not to be indexed
	Redirects bool // it sends its readers on at once
	Links     []string
	Page      frontier.Page // only its title where no links are looked for
}

// MaxLinks bounds how many links of a page are followed.
const MaxLinks = 3000

// Visit reads a page as a visitor of a name does who goes on from it. told are the rules for
// visitors that came with the page; links says whether to look for links, and for what the text is
// like.
func (p *Page) Visit(agent string, told []string, links bool) *VisitResult {
	s := &VisitResult{Page: frontier.Page{Title: p.title}}
	index, follow := parseDirectives(strings.Join(slices.Concat(told, []string{p.meta["robots"], p.meta[agent]}), ","))
	s.NoIndex = !index
	if links {
		l := linkScanner{
			VisitResult: s, base: p.Base, follow: follow, seen: map[string]bool{},
			z: html.NewTokenizer(strings.NewReader(p.source.text)),
		}
		l.run()
	}
	return s
}

// parseDirectives says what a list of directives allows.
func parseDirectives(directives string) (index, follow bool) {
	index, follow = true, true
	for directive := range strings.SplitSeq(strings.ToLower(directives), ",") {
		switch strings.TrimSpace(directive) {
		case "noindex":
			index = false
		case "nofollow":
			follow = false
		case "none":
			index, follow = false, false
		}
	}
	return index, follow
}

// linkScanner goes through a page's tags for links and for its text.
type linkScanner struct {
	*VisitResult
	base   *url.URL
	follow bool
	seen   map[string]bool
	z      *html.Tokenizer
	text   strings.Builder
	silent atom.Atom // the element whose text is passed by
}

// maxSigned bounds the text that a signature is made of.
const maxSigned = 64 << 10

func (l *linkScanner) run() {
	for {
		switch l.z.Next() {
		case html.ErrorToken:
			l.Page.Text = frontier.Signature(l.text.String())
			return
		case html.TextToken:
			if l.silent == 0 && l.text.Len() < maxSigned {
				l.text.Write(l.z.Text())
				l.text.WriteByte(' ')
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			name, more := l.z.TagName()
			l.start(atom.Lookup(name), more)
		case html.EndTagToken:
			if name, _ := l.z.TagName(); atom.Lookup(name) == l.silent {
				l.silent = 0
			}
		}
	}
}

func (l *linkScanner) start(tag atom.Atom, more bool) {
	switch tag {
	case atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Svg, atom.Title:
		if l.silent == 0 {
			l.silent = tag
		}
	case atom.A, atom.Area, atom.Link, atom.Frame, atom.Meta:
		attributes := map[string]string{}
		for more {
			var key, value []byte
			key, value, more = l.z.TagAttr()
			if _, twice := attributes[string(key)]; !twice {
				attributes[string(key)] = string(value)
			}
		}
		l.link(tag, attributes)
	}
}

func (l *linkScanner) link(tag atom.Atom, attributes map[string]string) {
	target := attributes["href"]
	rel := strings.Fields(strings.ToLower(attributes["rel"]))
	has := func(word string) bool { return slices.Contains(rel, word) }
	switch tag {
	case atom.Link:
		if !(has("next") || has("prev") || has("canonical") || has("alternate") && attributes["hreflang"] != "") {
			return
		}
	case atom.Frame:
		target = attributes["src"]
	case atom.Meta:
		if target = refresh(attributes); target == "" || l.silent != 0 { // in a noscript it is for others
			return
		}
		l.Redirects = true
	}
	if !l.follow || has("nofollow") || has("sponsored") || has("ugc") || len(l.Links) >= MaxLinks ||
		strings.HasPrefix(strings.TrimSpace(target), "#") {
		return
	}
	if u := pageurl.FromLink(target, l.base); u != nil && !l.seen[u.String()] {
		l.seen[u.String()] = true
		l.Links = append(l.Links, u.String())
	}
}

// refresh is where a page sends its readers within a few seconds; empty if it does not.
func refresh(attributes map[string]string) string {
	if !strings.EqualFold(attributes["http-equiv"], "refresh") {
		return ""
	}
	wait, target, found := strings.Cut(attributes["content"], ";")
	wait = strings.TrimSpace(wait)
	if !found || len(wait) > 1 && wait != "10" {
		return ""
	}
	name, address, found := strings.Cut(target, "=")
	if !found || !strings.EqualFold(strings.TrimSpace(name), "url") {
		return ""
	}
	return strings.Trim(strings.TrimSpace(address), `'"`)
}
