package markup

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"frontdesk/internal/content/ingest/passage"
	"frontdesk/internal/content/ingest/vocabulary"
)

// attr gives an element's attribute, empty if it has none.
func attr(n *html.Node, name string) string {
	for i := range n.Attr {
		if n.Attr[i].Key == name {
			return n.Attr[i].Val
		}
	}
	return ""
}

func hasAttr(n *html.Node, name string) bool {
	for i := range n.Attr {
		if n.Attr[i].Key == name {
			return true
		}
	}
	return false
}

// elementsOf calls visit for each element below n in the order of the page. The parser bounds the
// depth.
func elementsOf(n *html.Node, visit func(*html.Node) (into bool)) {
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		if child.Type != html.ElementNode || visit(child) {
			elementsOf(child, visit)
		}
	}
}

// blocksOf gives the text below n.
func blocksOf(n *html.Node) []passage.Block {
	var w blockWalker
	w.walk(n)
	w.flush(false, false)
	return w.blocks
}

// textBelow is the text below n, with a line for each block.
func textBelow(n *html.Node) string {
	var out strings.Builder
	for i, b := range blocksOf(n) {
		if i > 0 {
			out.WriteByte('\n')
		}
		out.WriteString(b.Text)
		if !b.Tight && !b.Leads {
			out.WriteByte('\n')
		}
	}
	return strings.TrimSpace(out.String())
}

// blockWalker gathers the text of blocks.
type blockWalker struct {
	page   bool                // what leads to other pages is left out
	left   map[*html.Node]bool // so is this
	blocks []passage.Block
	text   strings.Builder
	gap    bool
	links  int // bytes of the block's text that are in links
	inLink int
}

// furnitureTags and furnitureRoles mark the parts of a page that lead to other pages.
var (
	furnitureTags  = tagSet(atom.Nav, atom.Footer, atom.Button, atom.Dialog, atom.Menu)
	furnitureRoles = vocabulary.Set("navigation banner contentinfo search complementary menu menubar dialog alert")
)

func (w *blockWalker) passes(n *html.Node) bool {
	if w.page {
		return passes(n) || w.left[n]
	}
	return silent[n.DataAtom] && n.DataAtom != atom.Head || hasAttr(n, "hidden")
}

// passes says whether an element of a page holds nothing of its text: what no reader sees, and what
// is marked as leading to other pages.
func passes(n *html.Node) bool {
	return silent[n.DataAtom] || furnitureTags[n.DataAtom] || n.DataAtom == atom.Header && !inArticle(n) || notShown(n)
}

func notShown(n *html.Node) bool {
	for i := range n.Attr {
		switch a := &n.Attr[i]; a.Key {
		case "hidden":
			return true
		case "aria-hidden":
			if a.Val == "true" {
				return true
			}
		case "role":
			if furnitureRoles[a.Val] {
				return true
			}
		case "style":
			if style := strings.ReplaceAll(a.Val, " ", ""); strings.Contains(style, "display:none") ||
				strings.Contains(style, "visibility:hidden") {
				return true
			}
		}
	}
	return false
}

// isHeading says whether an element is a heading.
func isHeading(n *html.Node) bool {
	return len(n.Data) == 2 && n.Data[0] == 'h' && n.Data[1] >= '1' && n.Data[1] <= '6'
}

// inArticle says whether a header is that of an article rather than of the page.
func inArticle(n *html.Node) bool {
	for p := n.Parent; p != nil; p = p.Parent {
		if p.DataAtom == atom.Article || p.DataAtom == atom.Main {
			return true
		}
	}
	return false
}

func (w *blockWalker) walk(n *html.Node) {
	switch n.Type {
	case html.TextNode:
		w.write(n.Data)
		return
	case html.ElementNode:
		if w.passes(n) || n.DataAtom == atom.Head || n.DataAtom == atom.Title {
			return
		}
	case html.CommentNode, html.DoctypeNode:
		return
	}
	heading := isHeading(n)
	breaks := blockTags[n.DataAtom] || lineTags[n.DataAtom]
	if breaks {
		w.flush(false, lineTags[n.DataAtom] && n.DataAtom != atom.Br)
	}
	if n.DataAtom == atom.A {
		w.inLink++
	}
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		w.walk(child)
	}
	switch {
	case n.DataAtom == atom.A:
		w.inLink--
	case n.DataAtom == atom.Td || n.DataAtom == atom.Th:
		w.gap = true
	case n.DataAtom == atom.Ul || n.DataAtom == atom.Ol || n.DataAtom == atom.Table || n.DataAtom == atom.Dl:
		w.flush(false, true)
		passage.EndParagraph(w.blocks)
	case breaks:
		w.flush(heading, lineTags[n.DataAtom])
	}
}

func (w *blockWalker) write(s string) {
	for _, r := range s {
		if unicode.IsSpace(r) || r == '\u200b' || r == '\ufeff' {
			w.gap = true
			continue
		}
		if w.gap && w.text.Len() > 0 {
			w.text.WriteByte(' ')
		}
		w.gap = false
		w.text.WriteRune(r)
		if w.inLink > 0 {
			w.links += utf8.RuneLen(r)
		}
	}
}

// flush ends a block. Of a page, a short block that is nothing but links is left out.
func (w *blockWalker) flush(leads, tight bool) {
	text := w.text.String()
	if text != "" &&
		!(w.page && !leads && w.links*20 >= len(strings.ReplaceAll(text, " ", ""))*19 && passage.Words(text) < 12) {
		w.blocks = append(w.blocks, passage.Block{Text: text, Leads: leads, Tight: tight})
	}
	w.text.Reset()
	w.gap, w.links = false, 0
}
