package ingest

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"frontdesk/internal/ingest/passage"
	"frontdesk/internal/ingest/tree"
)

// page makes items of an HTML page: of its JSON-LD and its microdata, and where these tell of nothing, of the page
// itself with its main text.
func (w *worker) page(u *unit, r *result) {
	if len(strings.TrimSpace(u.text)) == 0 {
		r.problem(u.file.name, "the page is empty")
		return
	}
	root, err := html.Parse(strings.NewReader(printable(decodePage(u.text))))
	if err != nil {
		r.problem(u.file.name, "the page's elements are nested too deeply, more than any browser shows")
		return
	}
	own := pageAddress(w.base, u.file.name)
	v := view{worker: w, result: r, root: root, facts: factsOf(root, own)}
	v.piece = &piece{file: u.file, page: v.facts.address, base: v.facts.pageBase(), isPage: true}
	// A page may tell of thousands of things; its text is looked for once.
	v.main = sync.OnceValue(func() []passage.Block { return slices.Clip(mainText(root, v.facts.address)) })
	v.read()
}

// view is a page in the making.
type view struct {
	*worker
	result *result
	piece  *piece
	root   *html.Node
	facts  facts
	blocks []string // which block of the page each document is of, for origins
	main   func() []passage.Block
}

func (v *view) read() {
	documents := v.documents()
	finds, h := v.finds(v.piece, documents)
	finds = v.distinct(finds)
	v.piece.blocks = v.blocks
	before := len(v.result.drafts)
	m := mapper{source: v.source, page: v.facts.address, base: v.piece.base, isPage: true}
	main := 0
	for _, f := range finds {
		f.language, f.publisher = or(f.language, v.facts.language), or(f.publisher, v.facts.site)
		n := h.join(f.node)
		var blocks []passage.Block
		if main < mostMain && v.isMain(&m, f, n, len(finds)) {
			main++
			n = v.facts.complete(n)
			blocks = withoutTitle(v.body(n), nameOf(n))
		}
		v.item(v.result, v.piece, &m, f, n, blocks)
	}
	v.result.drafts = append(v.result.drafts[:before], settle(v.result.drafts[before:])...)
	if len(v.result.drafts) == before {
		v.itself(&m, h)
	}
}

// or gives the first text that is not empty.
func or(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// documents gives what the page's blocks of JSON-LD and its microdata hold.
func (v *view) documents() []*tree.Node {
	var documents []*tree.Node
	for i, script := range v.facts.scripts {
		block := "#" + strconv.Itoa(i+1)
		read, fault := tree.Parse(script, mostDepth)
		for _, d := range read {
			documents = append(documents, d)
			v.blocks = append(v.blocks, block)
		}
		if fault != nil {
			v.result.problem(v.piece.file.name+block, "this is no JSON that can be read: "+fault.Reason)
		}
	}
	for _, d := range microdata(v.root) {
		documents = append(documents, d)
		v.blocks = append(v.blocks, "#microdata")
	}
	return documents
}

// distinct leaves out microdata that says again what JSON-LD says.
func (v *view) distinct(finds []find) []find {
	said := map[string]bool{}
	kept := finds[:0]
	for _, f := range finds {
		types := strings.Join(typesOf(f.node), " ")
		if v.blocks[f.document] != "#microdata" {
			said[types] = true
		} else if said[types] {
			continue
		}
		kept = append(kept, f)
	}
	return kept
}

// isMain says whether a thing is what the page is about, so that the page's own facts are its facts: the only one
// of a page, or one known by the page's URL.
func (v *view) isMain(m *mapper, f find, n *tree.Node, found int) bool {
	address, derived, err := m.address(f, n, "")
	if err != nil || derived {
		return false
	}
	at, err := url.Parse(address)
	return err == nil && (found == 1 || at.Host == v.facts.address.Host && at.Path == v.facts.address.Path)
}

// mostMain is how many things of a page may take the page's facts and its text for theirs. Well-meant pages have a
// few that share its URL; each costs the whole text.
const mostMain = 8

// enough is the number of words from which a thing's own text makes the page's text unnecessary.
const enough = 80

// body is the page's main text where what is said of its main thing lacks one: an article's mostly, and whatever
// has no text at all.
func (v *view) body(n *tree.Node) []passage.Block {
	words := 0
	for _, b := range bodyOf(n) {
		words += passage.Words(b.Text)
	}
	types := typesOf(n)
	if words >= enough || words > 0 && !isA(types, "Article") {
		return nil
	}
	if isA(types, "Article") || kindOf(types) == webpage || text(n.Get("description")) == "" {
		return v.main()
	}
	return nil
}

// itself makes an item of the page where its data tells of nothing else.
func (v *view) itself(m *mapper, h *harvest) {
	n := &tree.Node{Kind: tree.Object}
	n.Set("@type", tree.Text(v.facts.kind))
	for _, f := range h.finds {
		if kindOf(typesOf(f.node)) == webpage {
			n = h.join(f.node)
			break
		}
	}
	n = v.facts.complete(n)
	blocks := v.main()
	if len(blocks) == 0 && text(n.Get("description")) == "" {
		v.result.problem(v.piece.file.name, "the page has no text")
		return
	}
	v.piece.blocks = nil
	v.item(v.result, v.piece, m, find{node: n, page: true, language: v.facts.language, publisher: v.facts.site}, n, withoutTitle(blocks, nameOf(n)))
}

// facts are what a page says of itself in its head.
type facts struct {
	address  *url.URL // by which it is known
	base     *url.URL // for relative URLs in its head
	named    bool     // the page names its base
	language string
	site     string // the name of the site
	kind     string // the type that OpenGraph names, in schema.org's terms
	scripts  []string
	meta     map[string]string
	tags     []string
	title    string
	heading  string
}

func factsOf(root *html.Node, own *url.URL) facts {
	f := facts{meta: map[string]string{}, kind: "WebPage", base: own}
	canonical, base := "", ""
	elementsOf(root, func(n *html.Node) bool {
		switch n.DataAtom {
		case atom.Html:
			f.language = languageTag(or(attr(n, "lang"), attr(n, "xml:lang")))
		case atom.Title:
			if f.title == "" && n.Parent != nil && n.Parent.DataAtom != atom.Svg {
				f.title = squeeze(rawText(n))
			}
		case atom.H1:
			if f.heading == "" {
				f.heading = squeeze(textBelow(n))
			}
		case atom.Base:
			base = or(base, attr(n, "href"))
		case atom.Link:
			if strings.EqualFold(attr(n, "rel"), "canonical") {
				canonical = or(canonical, attr(n, "href"))
			}
		case atom.Meta:
			f.noteMeta(n)
		case atom.Script:
			if kind, _, _ := strings.Cut(strings.ToLower(attr(n, "type")), ";"); strings.TrimSpace(kind) == "application/ld+json" {
				f.scripts = append(f.scripts, rawText(n))
			}
		}
		return true
	})
	if u := locate(base, own); u != nil {
		f.base, f.named = u, true
	}
	f.settle(canonical, own)
	return f
}

// pageBase is what URLs in the page are relative to: the base that it names, else its address.
func (f *facts) pageBase() *url.URL {
	if f.named {
		return f.base
	}
	return f.address
}

// noteMeta takes one meta element; the first of a name counts.
func (f *facts) noteMeta(n *html.Node) {
	name := strings.ToLower(or(attr(n, "property"), or(attr(n, "name"), attr(n, "itemprop"))))
	content := squeeze(attr(n, "content"))
	if name == "" || content == "" {
		return
	}
	if name == "article:tag" {
		f.tags = append(f.tags, content)
	}
	if f.meta[name] == "" {
		f.meta[name] = content
	}
}

// settle derives what needs several facts.
func (f *facts) settle(canonical string, own *url.URL) {
	f.address = own
	for _, candidate := range []string{canonical, f.meta["og:url"]} {
		if u := locate(candidate, f.base); u != nil {
			u.Fragment, u.RawFragment = "", ""
			f.address = u
			break
		}
	}
	f.language = or(f.language, languageTag(f.meta["og:locale"]))
	f.site = or(f.meta["og:site_name"], f.meta["application-name"])
	kind, _, _ := strings.Cut(f.meta["og:type"], ".")
	if known := map[string]string{"article": "Article", "product": "Product", "video": "VideoObject", "book": "Book", "profile": "ProfilePage"}[kind]; known != "" {
		f.kind = known
	}
}

// complete gives a thing what the page says of itself and the thing does not.
func (f *facts) complete(n *tree.Node) *tree.Node {
	whole := *n
	whole.Members = append([]tree.Member(nil), n.Members...)
	add := func(property string, values ...string) {
		for _, value := range values {
			if value != "" && whole.Get(property) == nil {
				whole.Set(property, tree.Text(value))
			}
		}
	}
	if nameOf(n) == "" {
		add("name", f.meta["og:title"], f.meta["twitter:title"], f.heading, f.withoutSite())
	}
	add("description", f.meta["og:description"], f.meta["description"], f.meta["twitter:description"])
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

func notAddress(s string) string {
	if strings.Contains(s, "://") {
		return ""
	}
	return s
}

// withoutSite is the page's title without the name of the site behind it.
func (f *facts) withoutSite() string {
	if f.site == "" {
		return f.title
	}
	for _, between := range []string{" | ", " - ", " – ", " — ", " · ", " :: ", " » "} {
		if rest, ok := strings.CutSuffix(f.title, between+f.site); ok && rest != "" {
			return rest
		}
	}
	return f.title
}
