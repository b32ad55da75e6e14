package ingest

import (
	"net/url"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"frontdesk/internal/content/ingest/jsonrepair"
	"frontdesk/internal/content/ingest/passage"
)

// facts are what a page says of itself in its head, and what its elements hold in general.
type facts struct {
	address  *url.URL // by which it is known
	claimed  bool     // the address is the page's own word
	base     *url.URL // for relative URLs in its head
	named    bool     // the page names its base
	language string
	site     string   // the name of the site
	sites    []string // all names that it has
	kind     string   // the type that OpenGraph names, in schema.org's terms
	scripts  []string
	meta     map[string]string
	tags     []string
	title    string
	headings []string // of the first level, the first few
	titles   []string // what the page calls itself, without the site's name; the best first
	items    bool     // some elements are items of microdata
	things   bool     // some elements are things of RDFa
	over     string   // which bound of a page its text reaches beyond; empty for none
	end      int      // where what is read of it ends
	raw      [][2]int // see tokens
	foreign  bool
}

// Bounds of what is kept of a page's head.
const (
	mostHeadings  = 4
	longestHeader = 500 // bytes of a title or heading
)

// factsOf reads the elements of a page as they come, without the cost of a tree: a page whose data says enough needs
// none.
func factsOf(text string, own *url.URL) facts {
	s := factScan{facts: facts{meta: map[string]string{}, kind: "WebPage", base: own}, z: newTokens(text)}
	s.run()
	f := s.facts
	f.over, f.end, f.raw, f.foreign = s.z.over, s.z.source.token, s.z.raw, s.z.foreign
	if u := locate(s.base, own); u != nil {
		f.base, f.named = u, true
	}
	f.settle(s.canonical, own)
	return f
}

// factScan goes through a page's tags.
type factScan struct {
	facts
	z               *tokens
	canonical, base string
	svg             int
	body            bool
}

func (s *factScan) run() {
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

func (s *factScan) start(closed bool) {
	name, more := s.z.TagName()
	t := tag{name: atom.Lookup(name)}
	for more {
		var key, value []byte
		key, value, more = s.z.TagAttr()
		s.attribute(&t, string(key), value)
	}
	switch t.name {
	case atom.Html:
		s.language = or(s.language, languageTag(t.language))
	case atom.Body:
		s.body = true
	case atom.Svg:
		if !closed {
			s.svg++
		}
	case atom.Title:
		if s.title == "" && s.svg == 0 && s.z.Next() == html.TextToken {
			s.title = passage.Opening(string(s.z.Text()), longestHeader)
		}
	case atom.H1:
		if len(s.headings) < mostHeadings && !closed {
			if heading := s.heading(); heading != "" {
				s.headings = append(s.headings, heading)
			}
		}
	case atom.Base:
		s.base = or(s.base, t.href)
	case atom.Link:
		if strings.EqualFold(strings.TrimSpace(t.rel), "canonical") {
			s.canonical = or(s.canonical, t.href)
		}
	case atom.Meta:
		s.noteMeta(&t)
	case atom.Script:
		if kind, _, _ := strings.Cut(strings.ToLower(t.kind), ";"); strings.TrimSpace(kind) == "application/ld+json" && s.z.Next() == html.TextToken {
			s.scripts = append(s.scripts, string(s.z.Text()))
		}
	}
}

// attribute notes what one attribute says; the first of a name counts, as in a browser.
func (s *factScan) attribute(t *tag, key string, value []byte) {
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
func (s *factScan) heading() string {
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
	return passage.Opening(out.String(), longestHeader)
}

// silence passes over an element that holds nothing to read.
func (s *factScan) silence(at atom.Atom) {
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

// noteMeta takes one meta element; the first of a name counts. In the body, items of microdata are told by itemprop.
func (s *factScan) noteMeta(t *tag) {
	if strings.EqualFold(t.equiv, "content-language") {
		t.label = "content-language"
	}
	name := or(t.property, t.label)
	if name == "" && !s.body {
		name = t.item
	}
	content := squeeze(withoutShortcodes(t.content))
	if strings.IndexByte(content, '&') >= 0 { // escaped twice, as many programs do
		content = inline(content)
	}
	if name = strings.ToLower(strings.TrimSpace(name)); name == "" || content == "" || unfilled(content) {
		return
	}
	if name == "article:tag" {
		s.tags = append(s.tags, content)
	}
	if s.meta[name] == "" {
		s.meta[name] = content
	}
}

// unfilled says whether a text is a template that nobody filled in.
func unfilled(s string) bool {
	return strings.HasPrefix(s, "{{") || strings.HasPrefix(s, "%%") && strings.HasSuffix(s, "%%") || strings.HasPrefix(s, "<%")
}

// settle derives what needs several facts.
func (f *facts) settle(canonical string, own *url.URL) {
	f.address = own
	for _, candidate := range []string{canonical, f.meta["og:url"]} {
		if u := locate(candidate, f.base); u != nil && !isFrontOf(u, own) {
			u.Fragment, u.RawFragment = "", ""
			f.address, f.claimed = u, true
			break
		}
	}
	f.language = or(f.language, or(languageTag(f.meta["og:locale"]), languageTag(f.meta["content-language"])))
	f.learn(f.meta["og:site_name"])
	if name := f.meta["application-name"]; !sameText(name, f.meta["og:title"]) && !sameText(name, f.title) { // for which some take it
		f.learn(name)
	}
	kind, _, _ := strings.Cut(f.meta["og:type"], ".")
	if known := map[string]string{"article": "Article", "product": "Product", "og:product": "Product", "video": "VideoObject", "book": "Book", "profile": "ProfilePage"}[kind]; known != "" {
		f.kind = known
	}
	f.entitle()
}

// learn takes a name of the site; the first that is learnt is the one by which it is shown.
func (f *facts) learn(site string) {
	if site != "" && !unfilled(site) {
		f.site = or(f.site, site)
		f.sites = append(f.sites, site)
	}
}

// isFrontOf says whether u is the front page of the host on which another page stands.
func isFrontOf(u, page *url.URL) bool {
	return u.Path == "/" && u.RawQuery == "" && u.Fragment == "" && u.Host == page.Host && page.Path != "/"
}

// pageBase is what URLs in the page are relative to: the base that it names, else its address.
func (f *facts) pageBase() *url.URL {
	if f.named {
		return f.base
	}
	return f.address
}

// complete gives a thing what the page says of itself and the thing does not.
func (f *facts) complete(n *jsonrepair.Node) *jsonrepair.Node {
	whole := *n
	whole.Members = append([]jsonrepair.Member(nil), n.Members...)
	add := func(property string, values ...string) {
		for _, value := range values {
			if value != "" && whole.Get(property) == nil {
				whole.Set(property, jsonrepair.Text(value))
			}
		}
	}
	if len(f.titles) > 0 && (nameOf(n) == "" || f.isSite(nameOf(n))) {
		setOnly(&whole, "name", f.titles[0])
	}
	description := or(f.meta["og:description"], or(f.meta["description"], or(f.meta["twitter:description"], f.meta["dc.description"])))
	if own := text(whole.Get("description")); own == "" || unfilled(own) || sameText(own, nameOf(&whole)) {
		if description != "" && !sameText(description, nameOf(&whole)) {
			setOnly(&whole, "description", description)
		}
	}
	add("datePublished", f.meta["article:published_time"], f.meta["date"], f.meta["dc.date"], f.meta["dcterms.created"])
	add("dateModified", f.meta["article:modified_time"], f.meta["og:updated_time"], f.meta["last-modified"])
	if n.Get("author") == nil {
		add("author", f.meta["author"], notAddress(f.meta["article:author"]))
	}
	add("keywords", strings.Join(f.tags, ", "), f.meta["keywords"])
	add("articleSection", f.meta["article:section"])
	for _, property := range []string{"og:image:secure_url", "og:image", "og:image:url", "twitter:image"} {
		if picture := absolute(f.meta[property], f.base); picture != "" {
			add("image", picture)
		}
	}
	return &whole
}

// setOnly replaces a member of a copied object, at its place.
func setOnly(n *jsonrepair.Node, property, value string) {
	for i := range n.Members {
		if n.Members[i].Name == property {
			n.Members[i].Value = jsonrepair.Text(value)
			return
		}
	}
	n.Set(property, jsonrepair.Text(value))
}

func notAddress(s string) string {
	if strings.Contains(s, "://") {
		return ""
	}
	return s
}
