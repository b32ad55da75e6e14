package ingest

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/net/html"

	"frontdesk/internal/content/ingest/jsonrepair"
	"frontdesk/internal/content/ingest/passage"
)

// page makes items of an HTML page: of its JSON-LD, its microdata and its RDFa, and of the page itself with its main
// text where these do not tell what the page is about. The page's tree is built only where its JSON-LD leaves
// something open.
func (w *worker) page(u *unit, r *result) {
	if len(strings.TrimSpace(u.text)) == 0 {
		r.problem(u.file.name, "the page is empty")
		return
	}
	text := printable(decodePage(u.text, u.media))
	v := view{worker: w, result: r, facts: factsOf(text, u.address(w.base))}
	v.isFile = u.visit == nil
	if v.facts.over != "" {
		r.problem(u.file.name, "the page has more than "+v.facts.over+"; it is read up to there")
		text = text[:v.facts.end]
	}
	if !v.isFile {
		if r.sight = w.look(u, text, &v.facts); r.sight.hidden || r.sight.moved {
			return
		}
	}
	v.piece = &piece{file: u.file, page: v.facts.address, base: v.facts.pageBase(), isPage: true}
	v.root = sync.OnceValue(func() *html.Node { return v.facts.parse(text) })
	// A page may tell of thousands of things; its text is looked for once.
	v.main = sync.OnceValue(func() []passage.Block {
		if root := v.root(); root != nil {
			return slices.Clip(mainText(root))
		}
		return passage.Blocks(withoutTags(text))
	})
	v.read()
}

// view is a page in the making.
type view struct {
	*worker
	result *result
	piece  *piece
	facts  facts
	isFile bool              // the page is a file, rather than had from the web
	blocks []string          // which block of the page each document is of, for origins
	root   func() *html.Node // nil where no tree can be built
	main   func() []passage.Block
}

func (v *view) read() {
	documents := v.jsonLD()
	if !saysAll(documents, v.piece) {
		documents = append(documents, v.embedded()...)
	}
	finds, h := v.finds(v.piece, documents)
	v.learnSite(h)
	finds = v.distinct(finds)
	finds = slices.DeleteFunc(finds, func(f find) bool { return v.isFurniture(&f) })
	v.piece.blocks = v.blocks
	before := len(v.result.drafts)
	m := mapper{source: v.source, page: v.facts.address, base: v.piece.base, isPage: true}
	main, covered := 0, false
	for _, f := range finds {
		f.language, f.publisher = or(f.language, v.facts.language), or(f.publisher, v.facts.site)
		n := h.join(f.node)
		var blocks []passage.Block
		if main < mostMain && v.isMain(&m, f, n, len(finds)) {
			main++
			if f.covers = v.covers(n, f.main); f.covers {
				n = v.facts.complete(v.tidied(n))
				f.also = append(f.also, v.facts.aliases(nameOf(n))...)
				f.fixed = v.facts.claimed && v.facts.calls(nameOf(n))
			}
			blocks = withoutTitle(v.body(n), nameOf(n))
		}
		made := len(v.result.drafts)
		v.item(v.result, v.piece, &m, f, n, blocks)
		covered = covered || f.covers && len(v.result.drafts) > made
	}
	if !covered {
		v.itself(&m, h, len(v.result.drafts) > before)
	}
	v.result.drafts = append(v.result.drafts[:before], settle(v.result.drafts[before:])...)
	for i := range v.result.drafts[before:] { // what a page tells of another page's thing is less than that page tells
		d := &v.result.drafts[before+i]
		d.stub = d.stub || !d.covers && placeOf(d.URL) != placeOf(v.facts.address.String())
		d.claims = v.isFile && d.covers && v.facts.claimed
	}
}

// or gives the first text that is not empty.
func or(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// jsonLD gives what the page's blocks of JSON-LD hold.
func (v *view) jsonLD() []*jsonrepair.Node {
	var documents []*jsonrepair.Node
	said := map[string]bool{}
	for i, script := range v.facts.scripts {
		if said[script] {
			continue // some programs write a block twice
		}
		said[script] = true
		block := "#" + strconv.Itoa(i+1)
		read, fault := jsonrepair.Parse(script, mostDepth)
		if len(read) == 1 && read[0].Kind == jsonrepair.String && strings.HasPrefix(strings.TrimSpace(read[0].Text), "{") { // written as JSON twice
			read, fault = jsonrepair.Parse(read[0].Text, mostDepth)
		}
		for _, d := range read {
			documents = append(documents, d)
			v.blocks = append(v.blocks, block)
		}
		if fault != nil {
			v.result.problem(v.piece.file.name+block, "this is no JSON that can be read: "+fault.Reason)
		}
	}
	return documents
}

// embedded gives what the page's elements say in microdata and RDFa.
func (v *view) embedded() []*jsonrepair.Node {
	if !v.facts.items && !v.facts.things {
		return nil
	}
	root := v.root()
	if root == nil {
		return nil
	}
	var documents []*jsonrepair.Node
	for _, from := range []struct {
		used  bool
		read  func(*html.Node) []*jsonrepair.Node
		block string
	}{{v.facts.items, microdata, "#microdata"}, {v.facts.things, rdfa, "#rdfa"}} {
		if !from.used {
			continue
		}
		for _, d := range from.read(root) {
			documents = append(documents, d)
			v.blocks = append(v.blocks, from.block)
		}
	}
	return documents
}

// saysAll says whether JSON-LD tells of a thing so much that the page's elements need not be asked: one that is
// neither a page nor an article nor what stands beside things, and has a name and more.
func saysAll(documents []*jsonrepair.Node, p *piece) bool {
	for _, d := range documents {
		for _, n := range topThings(d) {
			var names []string
			for _, t := range n.Get("@type").List() {
				names = append(names, typeName(t.Text))
			}
			if len(names) > 0 && telling(ranked(names)[0]) >= 5 && len(n.Members) > 4 && kindOf(names) == subject && !isA(names, "ItemList") &&
				text(n.Get("name")) != "" {
				return true
			}
		}
	}
	return false
}

// topThings are the things at the top of a document, in its list or its graph.
func topThings(d *jsonrepair.Node) []*jsonrepair.Node {
	var all []*jsonrepair.Node
	for _, n := range d.List() {
		if graph := n.Get("@graph"); graph != nil {
			all = append(all, graph.List()...)
			continue
		}
		all = append(all, n)
	}
	return all
}

// learnSite takes the names that the page's data has for the site: its own, and that of who publishes the page.
func (v *view) learnSite(h *harvest) {
	known := len(v.facts.sites)
	for _, f := range h.finds {
		types := typesOf(f.node)
		if isA(types, "WebSite") {
			v.facts.learn(inline(text(f.node.Get("name"))))
		} else if publisher := h.resolve(f.node.Get("publisher")); publisher.IsObject() && telling(ranked(types)[0]) <= articleRank {
			if name := inline(text(publisher.Get("name"))); !v.facts.calls(name) { // some programs give the page's own name
				v.facts.learn(name)
			}
		}
	}
	if len(v.facts.sites) > known {
		v.facts.entitle()
	}
}

// distinct leaves out what elements say again that JSON-LD says.
func (v *view) distinct(finds []find) []find {
	said := map[string]bool{}
	kept := finds[:0]
	for _, f := range finds {
		types := strings.Join(typesOf(f.node), " ")
		if b := v.blocks[f.document]; b != "#microdata" && b != "#rdfa" {
			said[types] = true
		} else if said[types] {
			continue
		}
		kept = append(kept, f)
	}
	return kept
}

// isFurniture says whether a thing only tells who is behind the site, as on each of its pages: one of those that
// mostly tell of another thing, which the page neither names as what it is about nor has as its title.
func (v *view) isFurniture(f *find) bool {
	if !f.page || f.main || f.several || kindOf(typesOf(f.node)) != support || len(v.facts.titles) == 0 {
		return false
	}
	name := nameOf(f.node)
	return !v.facts.calls(name) && !(v.facts.address.Path == "/" && v.facts.isSite(name))
}

// isMain says whether a thing is what the page is about, so that the page's own facts are its facts: the only one
// of a page, or one known by the page's URL.
func (v *view) isMain(m *mapper, f find, n *jsonrepair.Node, found int) bool {
	address, derived, err := m.address(f, n, "")
	if err != nil || derived {
		return false
	}
	at, err := url.Parse(address)
	return err == nil && (found == 1 && !f.several || at.Host == v.facts.address.Host && at.Path == v.facts.address.Path ||
		f.page && !f.several && telling(ranked(typesOf(n))[0]) >= articleRank && v.facts.calls(nameOf(n)))
}

// covers says whether a thing that a page tells of stands for the page: an article, a recipe, a product. What
// stands beside such things, as a film or a review, does so only under the page's own name.
func (v *view) covers(n *jsonrepair.Node, named bool) bool {
	types := typesOf(n)
	rank := telling(ranked(types)[0])
	return len(v.facts.titles) == 0 || named && !isA(types, "Question") || rank == pageRank || rank == articleRank || rank > besideRank ||
		v.facts.calls(nameOf(n))
}

// tidied takes the site's name off the name of an article or a page.
func (v *view) tidied(n *jsonrepair.Node) *jsonrepair.Node {
	types := typesOf(n)
	if telling(ranked(types)[0]) > articleRank {
		return n
	}
	name := nameOf(n)
	short := v.facts.withoutSite(name)
	if name == "" || short == name || short == "" {
		return n
	}
	whole := *n
	whole.Members = append([]jsonrepair.Member(nil), n.Members...)
	for i := range whole.Members {
		if m := &whole.Members[i]; (m.Name == "name" || m.Name == "headline") && inline(text(m.Value)) == name {
			m.Value = jsonrepair.Text(short)
		}
	}
	return &whole
}

// mostMain is how many things of a page may take the page's facts and its text for theirs. Well-meant pages have a
// few that share its URL; each costs the whole text.
const mostMain = 8

// enough is the number of words from which a thing's own text makes the page's text unnecessary.
const enough = 80

// body is the page's main text where what is said of its main thing lacks one: an article's mostly, and whatever
// has no text at all.
func (v *view) body(n *jsonrepair.Node) []passage.Block {
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

// itself makes an item of the page where its data does not tell what it is about. Beside other things, a page needs
// a title and a text.
func (v *view) itself(m *mapper, h *harvest, beside bool) {
	n := &jsonrepair.Node{Kind: jsonrepair.Object}
	n.Set("@type", jsonrepair.Text(v.facts.kind))
	for _, f := range h.finds {
		if kindOf(typesOf(f.node)) == webpage {
			n = h.join(f.node)
			break
		}
	}
	n = v.facts.complete(v.tidied(n))
	name := nameOf(n)
	if beside && (name == "" || v.facts.isSite(name)) {
		return
	}
	blocks := v.main()
	switch {
	case beside && wordsIn(blocks) < leastMain:
		return
	case len(blocks) == 0 && text(n.Get("description")) == "" && v.root() == nil:
		v.result.problem(v.piece.file.name, "the page's elements are nested too deeply, more than any browser shows")
		return
	case len(blocks) == 0 && text(n.Get("description")) == "" && (len(v.facts.headings) == 0 && v.facts.meta["og:title"] == "" || v.facts.isSite(name)):
		v.result.problem(v.piece.file.name, "the page has no text")
		return
	}
	f := find{node: n, page: true, covers: true, also: v.facts.aliases(name), language: v.facts.language, publisher: v.facts.site, fixed: v.facts.claimed}
	around := v.piece.blocks
	v.piece.blocks = nil
	v.item(v.result, v.piece, m, f, n, withoutTitle(blocks, name))
	v.piece.blocks = around
}
