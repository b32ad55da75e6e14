package markup

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"frontdesk/internal/content/ingest/jsonrepair"
	"frontdesk/internal/content/ingest/vocabulary"
)

// microdata gives the items of a page that are written into its elements by itemscope and itemprop
// (HTML standard, section 5), as objects in schema.org's terms. Items of other vocabularies are
// left out.
func microdata(page *html.Node) []*jsonrepair.Node {
	m := microdataReader{page: page}
	var items []*jsonrepair.Node
	elementsOf(page, func(n *html.Node) bool {
		if hasAttr(n, "itemscope") && !hasAttr(n, "itemprop") && inVocabulary(n) {
			items = append(items, m.item(n, 0))
		}
		return true
	})
	return items
}

// inVocabulary says whether an item's type is of schema.org.
func inVocabulary(n *html.Node) bool {
	for t := range strings.FieldsSeq(attr(n, "itemtype")) {
		if vocabulary.Term(t) != t {
			return true
		}
	}
	return false
}

type microdataReader struct {
	page *html.Node
	ids  map[string]*html.Node // of elements, for itemref; filled when needed
	done int                   // elements that were looked at
}

// deepestThing is how deep things are nested in each other at most.
const deepestThing = 32

// maxMicrodata bounds how many elements are looked at, since itemref can lead to one again and
// again.
const maxMicrodata = 200_000

func (m *microdataReader) item(n *html.Node, depth int) *jsonrepair.Node {
	w := newMicrodataItem()
	for t := range strings.FieldsSeq(attr(n, "itemtype")) {
		w.add("@type", jsonrepair.NewString(t))
	}
	if id := attr(n, "itemid"); id != "" {
		w.add("@id", jsonrepair.NewString(id))
	}
	if depth < deepestThing {
		m.properties(w, n, depth)
		for id := range strings.FieldsSeq(attr(n, "itemref")) {
			if other := m.byID(id); other != nil && !within(n, other) {
				m.property(w, other, depth)
			}
		}
	}
	return w.object
}

// microdataItem is an object to which properties are added, of which many may have one name.
type microdataItem struct {
	object *jsonrepair.Node
	places map[string]int // of the members
}

func newMicrodataItem() *microdataItem {
	return &microdataItem{object: &jsonrepair.Node{Kind: jsonrepair.Object}, places: map[string]int{}}
}

func (w *microdataItem) add(name string, value *jsonrepair.Node) {
	place, known := w.places[name]
	if !known {
		w.places[name] = len(w.object.Members)
		w.object.Members = append(w.object.Members, jsonrepair.Member{Name: name, Value: value})
		return
	}
	m := &w.object.Members[place]
	if m.Value.Kind != jsonrepair.Array {
		m.Value = jsonrepair.NewArray(m.Value)
	}
	m.Value.Items = append(m.Value.Items, value)
}

// within says whether n is other or below it: an item that refers to what it is in would contain
// itself.
func within(n, other *html.Node) bool {
	for ; n != nil; n = n.Parent {
		if n == other {
			return true
		}
	}
	return false
}

func (m *microdataReader) byID(id string) *html.Node {
	if m.ids == nil {
		m.ids = map[string]*html.Node{}
		elementsOf(m.page, func(n *html.Node) bool {
			if id := attr(n, "id"); id != "" && m.ids[id] == nil {
				m.ids[id] = n
			}
			return true
		})
	}
	return m.ids[id]
}

func (m *microdataReader) properties(w *microdataItem, n *html.Node, depth int) {
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		if child.Type == html.ElementNode {
			m.property(w, child, depth)
		}
	}
}

// property adds what an element says of the item, and then what is below it.
func (m *microdataReader) property(w *microdataItem, n *html.Node, depth int) {
	if m.done++; m.done > maxMicrodata {
		return
	}
	scope := hasAttr(n, "itemscope")
	if names := attr(n, "itemprop"); names != "" {
		var value *jsonrepair.Node
		if scope {
			value = m.item(n, depth+1)
		} else {
			value = jsonrepair.NewString(elementValue(n, vocabulary.Term(attr(n, "itemprop"))))
		}
		for name := range strings.FieldsSeq(names) {
			w.add(name, value)
		}
	}
	if !scope {
		m.properties(w, n, depth)
	}
}

// elementValue is what an element says as the value of a property of schema.org.
func elementValue(n *html.Node, property string) string {
	if content := attr(n, "content"); content != "" {
		return content
	}
	switch n.DataAtom {
	case atom.Audio, atom.Embed, atom.Iframe, atom.Img, atom.Source, atom.Track, atom.Video:
		return attr(n, "src")
	case atom.A, atom.Area, atom.Link:
		if href := attr(n, "href"); href != "" && (n.DataAtom != atom.A || vocabulary.HoldsURL(property)) {
			return href
		}
	case atom.Object:
		return attr(n, "data")
	case atom.Data, atom.Meter:
		return attr(n, "value")
	case atom.Time:
		if written := attr(n, "datetime"); written != "" {
			return written
		}
	}
	return textBelow(n)
}
