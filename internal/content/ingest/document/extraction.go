package document

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"frontdesk/internal/content/ingest/jsonrepair"
	"frontdesk/internal/content/ingest/vocabulary"
)

// find is a thing that a document tells of, as a candidate for an item.
type find struct {
	node     *jsonrepair.Node
	document int    // which of the documents it was found in
	pointer  string // JSON pointer within the document
	stub     bool   // no more than a name and a link in a list: an item only if nothing else tells of it
	several  bool   // one of several in a list, none of which is the page itself
	page     bool   // one of the things that describe a page together, rather than one of a list
	main     bool   // named as what the page is about
	covers   bool   // stands for the page as a whole
	fixed    bool   // known by the page's address, whatever it says itself

	// What the thing has from those around it, where it says nothing itself.
	address, language, publisher string
	// around is the URL of the page or list that the thing is a part of.
	around string
	// also are other names of the thing, by which it is to be found.
	also []string
	// beside is what the page around the thing says in a description of its own.
	beside string
}

// extraction finds the things that a document is about. References are joined by @id over the whole
// document.
type extraction struct {
	base  *url.URL
	ids   map[string]*jsonrepair.Node // nil where the document has none
	given int                         // nodes that references were replaced by, over all items
	seen  map[*jsonrepair.Node]bool
	finds []find
}

// gather collects candidates from the documents of one text.
func (h *extraction) gather(documents []*jsonrepair.Node) {
	h.seen = map[*jsonrepair.Node]bool{}
	for i, d := range documents {
		h.visit(find{node: d, document: i})
	}
}

// visit takes lists and wrappers apart, and keeps what is in them.
func (h *extraction) visit(f find) {
	f.node = h.resolve(f.node)
	if f.node.Kind == jsonrepair.Array {
		for i, item := range f.node.Items {
			inner := f
			inner.node, inner.pointer = item, f.pointer+"/"+strconv.Itoa(i)
			h.visit(inner)
		}
		return
	}
	if h.seen[f.node] {
		return
	}
	h.seen[f.node] = true
	if graph := f.node.Get("@graph"); graph != nil {
		h.inside(f, "@graph", graph, func(inner *find) { inner.page = true })
		return
	}
	if h.unwrap(f) {
		return
	}
	h.finds = append(h.finds, f)
	entity := h.resolve(f.node.Get("mainEntity"))
	if h.isMainItem(f) {
		h.finds[len(h.finds)-1].also = append(f.also, nameOf(entity))
		if address := text(entity.Get("url")); address != "" && address != text(f.node.Get("url")) {
			h.entity(f, "mainEntity") // has a page of its own
		}
	} else if entity.IsObject() && vocabulary.KindOf(typesOf(entity)) == vocabulary.Subject && !isStub(entity) {
		h.entity(f, "mainEntity") // of an article, which is an item beside it
	} else if vocabulary.IsA(typesOf(f.node), "Article") {
		h.held(f, "hasPart", "mainEntityOfPage")
	}
}

// held goes on with a thing that a page or an article holds in a property that mostly says
// something else: a recipe as a part of it, or as that which it should be the page of. False if
// there is none that says enough.
func (h *extraction) held(f find, properties ...string) bool {
	for _, property := range properties {
		things := f.node.Get(property).List()
		if len(things) != 1 {
			continue
		}
		if thing := h.resolve(things[0]); thing.IsObject() && len(typesOf(thing)) > 0 &&
			vocabulary.Specificity(ranked(typesOf(thing))[0]) > vocabulary.BesideRank && !isStub(thing) {
			return h.entity(f, property)
		}
	}
	return false
}

// unwrap takes a list or a page apart by its type; false if f is neither.
func (h *extraction) unwrap(f find) bool {
	types := typesOf(f.node)
	switch {
	case vocabulary.IsA(types, "BreadcrumbList"):
		return true
	case vocabulary.IsA(types, "ItemList") || len(types) == 0 && f.node.Get("itemListElement") != nil:
		return h.elements(f)
	case vocabulary.IsA(types, "DataFeed"):
		return h.list(f, "dataFeedElement", "item")
	case vocabulary.IsA(types, "Blog"):
		return h.list(f, "blogPost", "")
	case h.isMainItem(f), isPaid(f.node) && (vocabulary.IsA(types, "FAQPage") || vocabulary.IsA(types, "QAPage")):
		return false // its questions have no terms of their own
	case vocabulary.KindOf(types) == vocabulary.Webpage:
		return h.entity(f, "mainEntity") || h.held(f, "about", "hasPart", "mainEntityOfPage")
	}
	return false
}

// isPaid reports whether a page says that its text is not free to read.
func isPaid(n *jsonrepair.Node) bool {
	return slices.ContainsFunc(n.Get("isAccessibleForFree").List(), func(free *jsonrepair.Node) bool {
		return strings.HasSuffix(strings.ToLower(free.Text), "false")
	})
}

// isMainItem reports whether a page is the item, and the one thing that the page is about only a
// part of it: the page has text, and the thing has none, such as the organization of a contact
// page.
func (h *extraction) isMainItem(f find) bool {
	things := f.node.Get("mainEntity").List()
	if f.page || len(things) != 1 || vocabulary.KindOf(typesOf(f.node)) != vocabulary.Webpage || !saysText(f.node) {
		return false
	}
	entity := h.resolve(things[0])
	return entity.IsObject() && !isReference(entity) && !saysText(entity)
}

// saysText reports whether a thing has a description or a text of its own.
func saysText(n *jsonrepair.Node) bool {
	return firstText(n, "description", "text", "articleBody", "abstract", "disambiguatingDescription") != ""
}

// elements takes an ItemList apart. Its elements are items, or ListItems that hold one or describe
// one.
func (h *extraction) elements(f find) bool {
	elements := f.node.Get("itemListElement").List()
	for i, element := range elements {
		inner := f.part("itemListElement", i, element)
		element = h.resolve(element)
		if vocabulary.IsA(typesOf(element), "ListItem") || element.Get("item") != nil && len(typesOf(element)) == 0 {
			if item := h.resolve(element.Get("item")); item.IsObject() {
				inner.node, inner.pointer = item, inner.pointer+"/item"
				inner.address = text(element.Get("url"))
			} else {
				inner.node = listed(element)
			}
		}
		h.visitPart(inner)
	}
	return len(elements) > 0
}

// visitPart goes on with one of a list's things, unless it is a mere link.
func (h *extraction) visitPart(f find) {
	n := h.resolve(f.node)
	if tooDeep(n) {
		h.visit(f) // which says so
		return
	}
	if !n.IsObject() {
		return
	}
	f.stub = isStub(n)
	if !f.stub || len(typesOf(n)) > 0 {
		h.visit(f)
	}
}

// part makes a find of one of the things in a list.
func (f find) part(property string, i int, node *jsonrepair.Node) find {
	inner := f
	inner.node, inner.pointer = node, f.pointer+"/"+property+"/"+strconv.Itoa(i)
	inner.several, inner.page, inner.main, inner.address = true, false, false, ""
	if address := firstText(f.node, "url", "@id"); address != "" {
		inner.around = address
	}
	return inner
}

// listed makes a thing of a ListItem that describes one instead of holding it.
func listed(element *jsonrepair.Node) *jsonrepair.Node {
	thing := *element
	thing.Members = nil
	for _, m := range element.Members {
		if m.Name != "@type" && m.Name != "position" && m.Name != "item" {
			thing.Members = append(thing.Members, m)
		}
	}
	return &thing
}

// isStub says whether a thing in a list has no more than a name, a picture and a link.
func isStub(n *jsonrepair.Node) bool {
	for _, m := range n.Members {
		switch m.Name {
		case "@type", "@id", "name", "headline", "url", "image", "position":
		default:
			return false
		}
	}
	return true
}

// list takes a feed apart into the things that a property of it holds, or that hang on those by a
// further one.
func (h *extraction) list(f find, property, further string) bool {
	found := false
	for i, element := range f.node.Get(property).List() {
		inner := f.part(property, i, element)
		if item := h.resolve(element).Get(further); item.IsObject() {
			inner.node, inner.pointer = item, inner.pointer+"/"+further
		}
		found = found || inner.node.IsObject()
		h.visitPart(inner)
	}
	return found
}

// entity goes on with what a page is about, by the property that names it; false if that names
// nothing.
func (h *extraction) entity(f find, property string) bool {
	entity := f.node.Get(property)
	things := 0
	for _, thing := range entity.List() {
		if h.resolve(thing).IsObject() && !isReference(h.resolve(thing)) {
			things++
		}
	}
	if things == 0 {
		return false
	}
	h.inside(f, property, entity, func(inner *find) {
		inner.main, inner.several = true, things > 1
		if things == 1 && property == "mainEntity" && vocabulary.KindOf(typesOf(f.node)) == vocabulary.Webpage &&
			!h.isMainItem(f) {
			if name := firstText(f.node, "name", "headline"); name != "" {
				inner.also = append(inner.also, name)
			}
			inner.beside = firstText(f.node, "description", "abstract")
		}
		if inner.language == "" {
			inner.language = languageOf(f.node)
		}
		if inner.publisher == "" {
			inner.publisher = text(h.resolve(f.node.Get("publisher")))
		}
		inner.around = firstText(f.node, "url", "@id")
		if things == 1 {
			inner.address = inner.around
		}
	})
	return true
}

// inside visits the objects that a property holds.
func (h *extraction) inside(f find, property string, value *jsonrepair.Node, change func(*find)) {
	things := value.List()
	if tooDeep(value) {
		things = []*jsonrepair.Node{value}
	}
	for i, thing := range things {
		inner := f
		inner.node, inner.pointer = thing, f.pointer+"/"+property
		if value.Kind == jsonrepair.Array {
			inner.pointer += "/" + strconv.Itoa(i)
		}
		change(&inner)
		if inner.node.IsObject() || inner.node.Kind == jsonrepair.Array || tooDeep(inner.node) {
			h.visit(inner)
		}
	}
}

// tooDeep says whether a value was left out because it is nested too deeply.
func tooDeep(n *jsonrepair.Node) bool { return n != nil && n.TooDeep && n.Kind == jsonrepair.Null }

// choose leaves out what is no item: furniture, pages without text of their own, and things that
// only serve to tell of others.
func (h *extraction) choose() []find {
	hasSubject := false
	for i := range h.finds {
		hasSubject = hasSubject || vocabulary.KindOf(typesOf(h.finds[i].node)) == vocabulary.Subject
	}
	served := h.links()
	var chosen []find
	for _, f := range h.finds {
		keep := true
		switch vocabulary.KindOf(typesOf(f.node)) {
		case vocabulary.PageChrome:
			keep = false
		case vocabulary.Webpage:
			keep = f.main || hasText(f.node, f.page) && !(f.page && hasSubject)
		case vocabulary.Support:
			by := served[f.node]
			keep = f.main || by != bySubject && !(f.page && (hasSubject || by == asPublisher))
		}
		if keep {
			chosen = append(chosen, f)
		}
	}
	return chosen
}

// hasText says whether a page has text of its own. Where several things describe a page together, a
// description is not enough, for it describes them.
func hasText(n *jsonrepair.Node, strict bool) bool {
	properties := []string{"text", "articleBody", "mainContentOfPage", "abstract"}
	if !strict {
		properties = append(properties, "description", "mainEntity")
	}
	for _, property := range properties {
		if value := n.Get(property); value != nil && (text(value) != "" || value.Kind != jsonrepair.String) {
			return true
		}
	}
	return false
}

// link says how a thing is referred to.
type link int

const (
	asPublisher link = 1 + iota // as one who made or publishes something
	bySubject                   // by a subject
)

// makers are properties by which pages and sites name those behind them.
var makers = vocabulary.Set("publisher author creator provider copyrightHolder sourceOrganization editor " +
	"contributor logo image primaryImageOfPage brand")

// links finds how the candidates refer to each other.
func (h *extraction) links() map[*jsonrepair.Node]link {
	if h.ids == nil {
		return nil
	}
	served := map[*jsonrepair.Node]link{}
	for _, f := range h.finds {
		h.follow(f.node, "", vocabulary.KindOf(typesOf(f.node)) == vocabulary.Subject, served)
	}
	return served
}

// follow notes the references in n, which stands in a property of a candidate.
func (h *extraction) follow(n *jsonrepair.Node, property string, ofSubject bool, served map[*jsonrepair.Node]link) {
	if target := h.resolve(n); target != n {
		switch {
		case ofSubject:
			served[target] = bySubject
		case makers[property]:
			served[target] = max(served[target], asPublisher)
		}
		return
	}
	for _, item := range n.Items {
		h.follow(item, property, ofSubject, served)
	}
	for _, m := range n.Members {
		h.follow(m.Value, m.Name, ofSubject, served)
	}
}

// index notes every node of the documents that has an @id and says something; of several with the
// same the one that says most.
func (h *extraction) index(n *jsonrepair.Node) {
	for _, item := range n.Items {
		h.index(item)
	}
	if n.Kind != jsonrepair.Object {
		return
	}
	if id := text(n.Get("@id")); id != "" && !isReference(n) {
		if h.ids == nil {
			h.ids = map[string]*jsonrepair.Node{}
		}
		if known := h.ids[id]; known == nil || len(n.Members) > len(known.Members) {
			h.ids[id] = n
		}
	}
	for _, m := range n.Members {
		h.index(m.Value)
	}
}

// isReference says whether an object only points at another.
func isReference(n *jsonrepair.Node) bool {
	if !n.IsObject() || n.Get("@id") == nil {
		return false
	}
	for _, m := range n.Members {
		if m.Name != "@id" && m.Name != "@type" {
			return false
		}
	}
	return true
}

// resolve follows a reference within the document.
func (h *extraction) resolve(n *jsonrepair.Node) *jsonrepair.Node {
	if h.ids == nil || !isReference(n) {
		return n
	}
	if target := h.ids[text(n.Get("@id"))]; target != nil {
		return target
	}
	return n
}

// joining copies a thing with the objects that it refers to in their places.
type joining struct {
	*extraction
	nodes int                // how many more may take the place of references
	path  []*jsonrepair.Node // the objects around, against cycles
}

// Bounds of joining: how many nodes may take the place of references in one item and in all items
// of a document, and how far references are followed.
const (
	maxJoined    = 2_000
	maxJoinedAll = 1_000_000
	maxHops      = 4
)

// join gives a thing with its references replaced by what they refer to. Pages and other subjects
// are replaced by their name and address only; so is everything beyond the bounds, and what would
// contain itself.
func (h *extraction) join(n *jsonrepair.Node) *jsonrepair.Node {
	if h.ids == nil {
		return n
	}
	j := joining{extraction: h, nodes: maxJoined}
	return j.copy(n, 0)
}

func (j *joining) copy(n *jsonrepair.Node, hops int) *jsonrepair.Node {
	if hops > 0 {
		j.nodes--
		j.given++
	}
	if target := j.resolve(n); target != n {
		if hops++; !j.whole(target, hops) {
			return brief(target)
		}
		n = target
	}
	out := *n
	switch n.Kind {
	case jsonrepair.Array:
		out.Items = make([]*jsonrepair.Node, 0, len(n.Items))
		for _, item := range n.Items {
			out.Items = append(out.Items, j.copy(item, hops))
		}
	case jsonrepair.Object:
		j.path = append(j.path, n)
		out.Members = make([]jsonrepair.Member, 0, len(n.Members))
		for _, m := range n.Members {
			if m.Name == "@id" {
				out.Members = append(out.Members, m)
				continue
			}
			out.Members = append(out.Members, jsonrepair.Member{Name: m.Name, Value: j.copy(m.Value, hops)})
		}
		j.path = j.path[:len(j.path)-1]
	}
	return &out
}

// whole says whether the object that a reference points at takes its place whole.
func (j *joining) whole(target *jsonrepair.Node, hops int) bool {
	if hops > maxHops || j.nodes <= 0 || j.given > maxJoinedAll {
		return false
	}
	if slices.Contains(j.path, target) {
		return false
	}
	part := vocabulary.KindOf(typesOf(target))
	return part == vocabulary.Support ||
		part == vocabulary.PageChrome && !vocabulary.IsA(typesOf(target), "WebSite") &&
			!vocabulary.IsA(typesOf(target), "BreadcrumbList") ||
		part == vocabulary.Subject && !j.seen[target]
}

// brief names an object.
func brief(n *jsonrepair.Node) *jsonrepair.Node {
	short := &jsonrepair.Node{Kind: jsonrepair.Object, Offset: n.Offset}
	for _, name := range []string{"@type", "@id", "url", "name", "headline"} {
		if value := n.Get(name); value != nil && value.Kind != jsonrepair.Object &&
			!strings.HasPrefix(text(value), "_:") {
			short.Set(name, value)
		}
	}
	return short
}
