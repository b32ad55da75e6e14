// Package markup reads HTML: a page's head, its titles, its blocks of JSON-LD, its microdata and
// RDFa, its links and its main text, and the markup inside of a text. Hostile pages take time and
// memory in proportion to their length.
//
// Enter at Read, which gives a Page, and at Plain for a piece of text. The package fetches nothing
// and makes no items: it gives JSON-LD as text, other data as trees, and running text as blocks for
// others to make sense of.
package markup

import (
	"cmp"
	"net/url"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"frontdesk/internal/content/ingest/jsonrepair"
	"frontdesk/internal/content/ingest/pageurl"
	"frontdesk/internal/content/ingest/passage"
	"frontdesk/internal/content/ingest/vocabulary"
)

// Page is a page of HTML: what it says of itself in its head, and what its elements hold. What is
// costly is looked for when it is first asked for, and once. A Page is not safe for concurrent use.
type Page struct {
	// Address is that by which the page is known; Claimed says that it is the page's own word.
	Address *url.URL
	Claimed bool
	// Base is what relative addresses in the page are relative to.
	Base *url.URL
	// Language is the page's, as a tag in lower case.
	Language string
	// Kind is the type that OpenGraph names, in schema.org's terms.
	Kind string
	// Scripts are its blocks of JSON-LD.
	Scripts []string
	// Tags are the words under which OpenGraph puts an article.
	Tags []string
	// Titles are what the page calls itself, without the site's name; the best first.
	Titles []string
	// Over says which bound of a page its text reaches beyond, where reading ended; empty for none.
	Over string

	named    bool     // the page names its base
	sites    []string // all names that its site has, the one by which it is shown first
	meta     map[string]string
	title    string
	headings []string // of the first level, the first few
	items    bool     // some elements are items of microdata
	things   bool     // some elements are things of RDFa
	source   source
}

// Bounds of what is kept of a page's head.
const (
	maxHeadings   = 4
	longestHeader = 500 // bytes of a title or heading
)

// Read reads the elements of a page as they come, without the cost of a tree: a page whose data
// says enough needs none. The text is UTF-8, and own the address from which it was had.
func Read(text string, own *url.URL) *Page {
	s := pageScan{Page: Page{meta: map[string]string{}, Kind: "WebPage", Base: own}, z: newTokens(text)}
	s.run()
	p := s.Page
	p.Over = s.z.over
	if p.Over != "" {
		text = text[:s.z.source.token]
	}
	p.source = newSource(text, s.z)
	if u := pageurl.Parse(s.base, own); u != nil {
		p.Base, p.named = u, true
	}
	p.derive(s.canonical, own)
	return &p
}

// pageScan goes through a page's tags.
type pageScan struct {
	Page
	z               *tokens
	canonical, base string
	svg             int
	body            bool
}

func (s *pageScan) run() {
	for {
		switch kind := s.z.Next(); kind {
		case html.ErrorToken:
			return
		case html.StartTagToken, html.SelfClosingTagToken:
			s.start(kind == html.SelfClosingTagToken)
		case html.EndTagToken:
			if name, _ := s.z.TagName(); atom.Lookup(name) == atom.Svg && s.svg > 0 {
				s.svg--
			}
		}
	}
}

// tag is an element's name and those of its attributes that say something here.
type tag struct {
	name                                                             atom.Atom
	kind, rel, href, property, label, item, content, language, equiv string
}

func (s *pageScan) start(closed bool) {
	name, more := s.z.TagName()
	t := tag{name: atom.Lookup(name)}
	for more {
		var key, value []byte
		key, value, more = s.z.TagAttr()
		s.attribute(&t, string(key), value)
	}
	switch t.name {
	case atom.Html:
		s.Language = cmp.Or(s.Language, vocabulary.LanguageTag(t.language))
	case atom.Body:
		s.body = true
	case atom.Svg:
		if !closed {
			s.svg++
		}
	case atom.Title:
		if s.title == "" && s.svg == 0 && s.z.Next() == html.TextToken {
			s.title = passage.FirstSentences(string(s.z.Text()), longestHeader)
		}
	case atom.H1:
		if len(s.headings) < maxHeadings && !closed {
			if heading := s.heading(); heading != "" {
				s.headings = append(s.headings, heading)
			}
		}
	case atom.Base:
		s.base = cmp.Or(s.base, t.href)
	case atom.Link:
		if strings.EqualFold(strings.TrimSpace(t.rel), "canonical") {
			s.canonical = cmp.Or(s.canonical, t.href)
		}
	case atom.Meta:
		s.noteMeta(&t)
	case atom.Script:
		if kind, _, _ := strings.Cut(strings.ToLower(t.kind), ";"); strings.TrimSpace(kind) == "application/ld+json" &&
			s.z.Next() == html.TextToken {
			s.Scripts = append(s.Scripts, string(s.z.Text()))
		}
	}
}

// attribute notes what one attribute says; the first of a name counts, as in a browser.
func (s *pageScan) attribute(t *tag, key string, value []byte) {
	var field *string
	switch key {
	case "itemscope":
		s.items = true
		return
	case "typeof":
		s.things = true
		return
	case "type":
		field = &t.kind
	case "rel":
		field = &t.rel
	case "href":
		field = &t.href
	case "property":
		field = &t.property
	case "name":
		field = &t.label
	case "itemprop":
		field = &t.item
	case "content":
		field = &t.content
	case "lang", "xml:lang":
		field = &t.language
	case "http-equiv":
		field = &t.equiv
	}
	if field != nil && *field == "" {
		*field = string(value)
	}
}

// heading reads the text up to the end of a heading; the next heading ends one that is not closed.
func (s *pageScan) heading() string {
	var out strings.Builder
	for ended := false; !ended && out.Len() < longestHeader; {
		kind := s.z.Next()
		switch kind {
		case html.ErrorToken:
			ended = true
		case html.TextToken:
			out.Write(s.z.Text())
		case html.StartTagToken, html.EndTagToken, html.SelfClosingTagToken:
			name, _ := s.z.TagName()
			switch at := atom.Lookup(name); {
			case kind == html.EndTagToken && (at == atom.H1 || at == atom.Div || at == atom.Header),
				kind == html.StartTagToken && (at == atom.P || at == atom.H1 || at == atom.H2 || at == atom.H3):
				ended = true
			case silent[at] && kind == html.StartTagToken:
				s.silence(at)
			case blockTags[at] || lineTags[at]:
				out.WriteByte(' ')
			}
		}
	}
	return passage.FirstSentences(out.String(), longestHeader)
}

// silence passes over an element that holds nothing to read.
func (s *pageScan) silence(at atom.Atom) {
	for depth := 1; depth > 0; {
		switch kind := s.z.Next(); kind {
		case html.ErrorToken:
			return
		case html.StartTagToken, html.EndTagToken:
			if name, _ := s.z.TagName(); atom.Lookup(name) == at {
				depth += map[html.TokenType]int{html.StartTagToken: 1, html.EndTagToken: -1}[kind]
			}
		}
	}
}

// noteMeta takes one meta element; the first of a name counts. In the body, items of microdata are
// told by itemprop.
func (s *pageScan) noteMeta(t *tag) {
	if strings.EqualFold(t.equiv, "content-language") {
		t.label = "content-language"
	}
	name := cmp.Or(t.property, t.label)
	if name == "" && !s.body {
		name = t.item
	}
	content := CollapseSpace(WithoutShortcodes(t.content))
	if strings.IndexByte(content, '&') >= 0 { // escaped twice, as many programs do
		content = PlainLine(content)
	}
	if name = strings.ToLower(strings.TrimSpace(name)); name == "" || content == "" || IsTemplate(content) {
		return
	}
	if name == "article:tag" {
		s.Tags = append(s.Tags, content)
	}
	if s.meta[name] == "" {
		s.meta[name] = content
	}
}

// IsTemplate says whether a text is an unfilled template.
func IsTemplate(s string) bool {
	return strings.HasPrefix(s, "{{") || strings.HasPrefix(s, "%%") && strings.HasSuffix(s, "%%") ||
		strings.HasPrefix(s, "<%")
}

// derive derives what needs several facts.
func (p *Page) derive(canonical string, own *url.URL) {
	p.Address = own
	for _, candidate := range []string{canonical, p.meta["og:url"]} {
		if u := pageurl.Parse(candidate, p.Base); u != nil && !pageurl.IsFrontPage(u, own) {
			u.Fragment, u.RawFragment = "", ""
			p.Address, p.Claimed = u, true
			break
		}
	}
	p.Language = cmp.Or(
		p.Language, vocabulary.LanguageTag(p.meta["og:locale"]), vocabulary.LanguageTag(p.meta["content-language"]),
	)
	p.addSiteName(p.meta["og:site_name"])
	// for which some take it
	if name := p.meta["application-name"]; !SameText(name, p.meta["og:title"]) && !SameText(name, p.title) {
		p.addSiteName(name)
	}
	kind, _, _ := strings.Cut(p.meta["og:type"], ".")
	if known := map[string]string{"article": "Article", "product": "Product", "og:product": "Product",
		"video": "VideoObject", "book": "Book", "profile": "ProfilePage"}[kind]; known != "" {
		p.Kind = known
	}
	p.entitle()
}

// addSiteName takes a name of the site.
func (p *Page) addSiteName(site string) {
	if site != "" && !IsTemplate(site) {
		p.sites = append(p.sites, site)
	}
}

// DataBase is what addresses in the page's data are relative to: the base that the page names, else
// its address.
func (p *Page) DataBase() *url.URL {
	if p.named {
		return p.Base
	}
	return p.Address
}

// Meta is the content of the first of its meta elements, by their names, that has any.
func (p *Page) Meta(names ...string) string {
	for _, name := range names {
		if content := p.meta[name]; content != "" {
			return content
		}
	}
	return ""
}

// Site is the name by which the page's site is shown; empty where none is known.
func (p *Page) Site() string {
	if len(p.sites) == 0 {
		return ""
	}
	return p.sites[0]
}

// HasTitle says whether the page has a heading, or a title for sharing.
func (p *Page) HasTitle() bool { return len(p.headings) > 0 || p.meta["og:title"] != "" }

// Microdata are the things that elements tell of in microdata, in schema.org's terms.
func (p *Page) Microdata() []*jsonrepair.Node {
	if !p.items || p.TooDeep() {
		return nil
	}
	return microdata(p.source.tree())
}

// RDFa are the things that elements tell of in RDFa, in schema.org's terms.
func (p *Page) RDFa() []*jsonrepair.Node {
	if !p.things || p.TooDeep() {
		return nil
	}
	return rdfa(p.source.tree())
}

// TooDeep says whether its elements are nested more deeply than any browser shows.
func (p *Page) TooDeep() bool { return p.source.tree() == nil }

// MainText is what the page says itself. Whoever changes it changes it for all.
func (p *Page) MainText() []passage.Block { return p.source.main() }

// AddSiteNames adds names of the site that were found elsewhere than in the page's head, and judges
// the titles again.
func (p *Page) AddSiteNames(names ...string) {
	known := len(p.sites)
	for _, name := range names {
		p.addSiteName(name)
	}
	if len(p.sites) > known {
		p.entitle()
	}
}
