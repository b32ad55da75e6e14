package document

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"frontdesk/internal/content/ingest/charset"
	"frontdesk/internal/content/ingest/jsonrepair"
	"frontdesk/internal/content/ingest/markup"
	"frontdesk/internal/content/ingest/pageurl"
	"frontdesk/internal/content/ingest/passage"
	"frontdesk/internal/content/ingest/vocabulary"
)

// page makes items of an HTML page: of its JSON-LD, its microdata and its RDFa, and of the page
// itself with its main text where these do not tell what the page is about. The page's tree is
// built only where its JSON-LD leaves something open.
func (r *Reader) page(portion *Portion, out *Result) {
	if len(strings.TrimSpace(portion.Text)) == 0 {
		out.problem(portion.File.Name, "the page is empty")
		return
	}
	page := markup.Read(charset.Printable(charset.DecodePage(portion.Text, portion.Media)), portion.address(r.Base))
	if page.Over != "" {
		out.problem(portion.File.Name, "the page has more than "+page.Over+"; it is read up to there")
	}
	if portion.Filter != nil && !portion.Filter(page) {
		return
	}
	v := view{Reader: r, result: out, page: page, isFile: portion.Address == nil}
	v.piece = &piece{file: portion.File, page: page.Address, base: page.DataBase(), isPage: true}
	v.read()
}

// view is a page in the making.
type view struct {
	*Reader
	result *Result
	piece  *piece
	page   *markup.Page
	isFile bool     // the page is a file, rather than had from the web
	blocks []string // which block of the page each document is of, for origins
}

func (v *view) read() {
	documents := v.jsonLD()
	if !saysAll(documents) {
		documents = append(documents, v.embedded()...)
	}
	finds, h := v.finds(v.piece, documents)
	v.learnSite(h)
	finds = v.distinct(finds)
	finds = slices.DeleteFunc(finds, func(f find) bool { return v.isFurniture(&f) })
	v.piece.blocks = v.blocks
	before := len(v.result.Drafts)
	m := mapper{reader: v.Reader, page: v.page.Address, base: v.piece.base, isPage: true}
	main, covered := 0, false
	for _, f := range finds {
		f.language, f.publisher = cmp.Or(f.language, v.page.Language), cmp.Or(f.publisher, v.page.Site())
		n := h.join(f.node)
		var blocks []passage.Block
		if main < maxMain && v.isMain(&m, f, n, len(finds)) {
			main++
			if f.covers = v.covers(n, f.main); f.covers {
				n = v.complete(v.tidied(n))
				f.also = append(f.also, v.page.Aliases(nameOf(n))...)
				f.fixed = v.page.Claimed && v.page.IsOwnName(nameOf(n))
			}
			blocks = withoutTitle(v.body(n), nameOf(n))
		}
		made := len(v.result.Drafts)
		v.item(v.result, v.piece, &m, f, n, blocks)
		covered = covered || f.covers && len(v.result.Drafts) > made
	}
	if !covered {
		v.itself(&m, h, len(v.result.Drafts) > before)
	}
	v.result.Drafts = append(v.result.Drafts[:before], resolvePage(v.result.Drafts[before:])...)
	for i := range v.result.Drafts[before:] { // what a page tells of another page's thing is less than that page tells
		d := &v.result.Drafts[before+i]
		d.stub = d.stub || !d.covers && placeOf(d.URL) != placeOf(v.page.Address.String())
		d.claims = v.isFile && d.covers && v.page.Claimed
	}
}

// jsonLD gives what the page's blocks of JSON-LD hold.
func (v *view) jsonLD() []*jsonrepair.Node {
	var documents []*jsonrepair.Node
	said := map[string]bool{}
	for i, script := range v.page.Scripts {
		if said[script] {
			continue // some programs write a block twice
		}
		said[script] = true
		block := "#" + strconv.Itoa(i+1)
		read, fault := jsonrepair.Parse(script, maxDepth)
		// written as JSON twice
		if len(read) == 1 && read[0].Kind == jsonrepair.String &&
			strings.HasPrefix(strings.TrimSpace(read[0].Text), "{") {
			read, fault = jsonrepair.Parse(read[0].Text, maxDepth)
		}
		for _, d := range read {
			documents = append(documents, d)
			v.blocks = append(v.blocks, block)
		}
		if fault != nil {
			v.result.Problems = append(v.result.Problems, Problem{
				Origin: v.piece.file.Name + block, Reason: noJSON + fault.Reason,
				Excerpt: excerpt(script, fault.Offset),
			})
		}
	}
	return documents
}

// embedded gives what the page's elements say in microdata and RDFa.
func (v *view) embedded() []*jsonrepair.Node {
	var documents []*jsonrepair.Node
	for _, from := range []struct {
		things []*jsonrepair.Node
		block  string
	}{{v.page.Microdata(), "#microdata"}, {v.page.RDFa(), "#rdfa"}} {
		for _, d := range from.things {
			documents = append(documents, d)
			v.blocks = append(v.blocks, from.block)
		}
	}
	return documents
}

// saysAll says whether JSON-LD tells of a thing so much that the page's elements need not be asked:
// one that is neither a page nor an article nor what stands beside things, and has a name and more.
func saysAll(documents []*jsonrepair.Node) bool {
	for _, d := range documents {
		for _, n := range topThings(d) {
			var names []string
			for _, t := range n.Get("@type").List() {
				names = append(names, vocabulary.TypeName(t.Text))
			}
			if len(names) > 0 && vocabulary.Specificity(ranked(names)[0]) >= 5 && len(n.Members) > 4 &&
				vocabulary.KindOf(names) == vocabulary.Subject && !vocabulary.IsA(names, "ItemList") &&
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

// learnSite takes the names that the page's data has for the site: its own, and that of who
// publishes the page.
func (v *view) learnSite(h *extraction) {
	var names []string
	for _, f := range h.finds {
		types := typesOf(f.node)
		if vocabulary.IsA(types, "WebSite") {
			names = append(names, markup.PlainLine(text(f.node.Get("name"))))
		} else if publisher := h.resolve(f.node.Get("publisher")); publisher.IsObject() &&
			vocabulary.Specificity(ranked(types)[0]) <= vocabulary.ArticleRank {
			// some programs give the page's own name
			if name := markup.PlainLine(text(publisher.Get("name"))); !v.page.IsOwnName(name) {
				names = append(names, name)
			}
		}
	}
	v.page.AddSiteNames(names...)
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

// isFurniture says whether a thing only tells who is behind the site, as on each of its pages: one
// of those that mostly tell of another thing, which the page neither names as what it is about nor
// has as its title.
func (v *view) isFurniture(f *find) bool {
	if !f.page || f.main || f.several || vocabulary.KindOf(typesOf(f.node)) != vocabulary.Support ||
		len(v.page.Titles) == 0 {
		return false
	}
	name := nameOf(f.node)
	return !v.page.IsOwnName(name) && !(v.page.Address.Path == "/" && v.page.IsSiteName(name))
}

// isMain says whether a thing is what the page is about, so that the page's own facts are its
// facts: the only one of a page, or one known by the page's URL.
func (v *view) isMain(m *mapper, f find, n *jsonrepair.Node, found int) bool {
	address, derived, err := m.address(f, n, "")
	if err != nil || derived {
		return false
	}
	at, err := url.Parse(address)
	return err == nil &&
		(found == 1 && !f.several || at.Host == v.page.Address.Host && at.Path == v.page.Address.Path ||
			f.page && !f.several && vocabulary.Specificity(ranked(typesOf(n))[0]) >= vocabulary.ArticleRank &&
				v.page.IsOwnName(nameOf(n)))
}

// covers says whether a thing that a page tells of stands for the page: an article, a recipe, a
// product. What stands beside such things, as a film or a review, does so only under the page's own
// name.
func (v *view) covers(n *jsonrepair.Node, named bool) bool {
	types := typesOf(n)
	rank := vocabulary.Specificity(ranked(types)[0])
	return len(v.page.Titles) == 0 || named && !vocabulary.IsA(types, "Question") || rank == vocabulary.PageRank ||
		rank == vocabulary.ArticleRank || rank > vocabulary.BesideRank ||
		v.page.IsOwnName(nameOf(n))
}

// tidied takes the site's name off the name of an article or a page.
func (v *view) tidied(n *jsonrepair.Node) *jsonrepair.Node {
	types := typesOf(n)
	if vocabulary.Specificity(ranked(types)[0]) > vocabulary.ArticleRank {
		return n
	}
	name := nameOf(n)
	short := v.page.TrimSiteName(name)
	if name == "" || short == name || short == "" {
		return n
	}
	whole := *n
	whole.Members = append([]jsonrepair.Member(nil), n.Members...)
	for i := range whole.Members {
		if m := &whole.Members[i]; (m.Name == "name" || m.Name == "headline") &&
			markup.PlainLine(text(m.Value)) == name {
			m.Value = jsonrepair.NewString(short)
		}
	}
	return &whole
}

// maxMain is how many things of a page may take the page's facts and its text for theirs.
// Well-meant pages have a few that share its URL; each costs the whole text.
const maxMain = 8

// enough is the number of words from which a thing's own text makes the page's text unnecessary.
const enough = 80

// body is the page's main text where what is said of its main thing lacks one: an article's mostly,
// and whatever has no text at all.
func (v *view) body(n *jsonrepair.Node) []passage.Block {
	words := passage.CountWords(bodyOf(n))
	types := typesOf(n)
	if words >= enough || words > 0 && !vocabulary.IsA(types, "Article") {
		return nil
	}
	if vocabulary.IsA(types, "Article") || vocabulary.KindOf(types) == vocabulary.Webpage ||
		text(n.Get("description")) == "" {
		return v.page.MainText()
	}
	return nil
}

// itself makes an item of the page where its data does not tell what it is about. Beside other
// things, a page needs a title and a text.
func (v *view) itself(m *mapper, h *extraction, beside bool) {
	n := &jsonrepair.Node{Kind: jsonrepair.Object}
	n.Set("@type", jsonrepair.NewString(v.page.Kind))
	for _, f := range h.finds {
		if vocabulary.KindOf(typesOf(f.node)) == vocabulary.Webpage {
			n = h.join(f.node)
			break
		}
	}
	n = v.complete(v.tidied(n))
	name := nameOf(n)
	if beside && (name == "" || v.page.IsSiteName(name)) {
		return
	}
	blocks := v.page.MainText()
	switch {
	case beside && passage.CountWords(blocks) < markup.MinMainWords:
		return
	case len(blocks) == 0 && text(n.Get("description")) == "" && v.page.TooDeep():
		v.result.problem(v.piece.file.Name, "the page's elements are nested too deeply, more than any browser shows")
		return
	case len(blocks) == 0 && text(n.Get("description")) == "" && (!v.page.HasTitle() || v.page.IsSiteName(name)):
		v.result.problem(v.piece.file.Name, "the page has no text")
		return
	}
	f := find{
		node: n, page: true, covers: true, also: v.page.Aliases(name), language: v.page.Language,
		publisher: v.page.Site(),
		fixed:     v.page.Claimed,
	}
	around := v.piece.blocks
	v.piece.blocks = nil
	v.item(v.result, v.piece, m, f, n, withoutTitle(blocks, name))
	v.piece.blocks = around
}

// complete gives a thing what the page says of itself and the thing does not.
func (v *view) complete(n *jsonrepair.Node) *jsonrepair.Node {
	p := v.page
	whole := *n
	whole.Members = append([]jsonrepair.Member(nil), n.Members...)
	add := func(property, value string) {
		if value != "" && whole.Get(property) == nil {
			whole.Set(property, jsonrepair.NewString(value))
		}
	}
	if len(p.Titles) > 0 && (nameOf(n) == "" || p.IsSiteName(nameOf(n))) {
		setOnly(&whole, "name", p.Titles[0])
	}
	description := p.Meta("og:description", "description", "twitter:description", "dc.description")
	if own := text(whole.Get("description")); own == "" || markup.IsTemplate(own) ||
		markup.SameText(own, nameOf(&whole)) {
		if description != "" && !markup.SameText(description, nameOf(&whole)) {
			setOnly(&whole, "description", description)
		}
	}
	add("datePublished", p.Meta("article:published_time", "date", "dc.date", "dcterms.created"))
	add("dateModified", p.Meta("article:modified_time", "og:updated_time", "last-modified"))
	if n.Get("author") == nil {
		add("author", p.Meta("author"))
		add("author", notAddress(p.Meta("article:author")))
	}
	add("keywords", strings.Join(p.Tags, ", "))
	add("keywords", p.Meta("keywords"))
	add("articleSection", p.Meta("article:section"))
	for _, property := range []string{"og:image:secure_url", "og:image", "og:image:url", "twitter:image"} {
		add("image", pageurl.Absolute(p.Meta(property), p.Base))
	}
	return &whole
}

// setOnly replaces a member of a copied object, at its place.
func setOnly(n *jsonrepair.Node, property, value string) {
	for i := range n.Members {
		if n.Members[i].Name == property {
			n.Members[i].Value = jsonrepair.NewString(value)
			return
		}
	}
	n.Set(property, jsonrepair.NewString(value))
}

func notAddress(s string) string {
	if strings.Contains(s, "://") {
		return ""
	}
	return s
}
