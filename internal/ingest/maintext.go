package ingest

import (
	"net/url"

	"github.com/go-shiori/go-readability"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"frontdesk/internal/ingest/passage"
)

// Bounds of what is given to the library that finds a page's main text. It walks a page many times over, and from
// each element up to its ancestors.
const (
	widestLayout  = 20_000
	deepestLayout = 100
	leastMain     = 25 // words; less is no main text
)

// mainText is what a page says, without what leads to other pages. The library finds it in articles; where it finds
// little, the page's own marks for its main part must do.
func mainText(root *html.Node, address *url.URL) []passage.Block {
	own := blocksOf(mainPart(root), true)
	words := wordsIn(own)
	if words <= leastMain {
		return own
	}
	found := articleText(root, address)
	if n := wordsIn(found); n >= leastMain && n*4 >= words {
		return found
	}
	return own
}

func wordsIn(blocks []passage.Block) int {
	sum := 0
	for _, b := range blocks {
		sum += passage.Words(b.Text)
	}
	return sum
}

// articleText asks the library. A fault in it means that it found nothing.
func articleText(root *html.Node, address *url.URL) (blocks []passage.Block) {
	defer func() {
		if recover() != nil {
			blocks = nil
		}
	}()
	if nodes, deepest := extent(root, 0); nodes > widestLayout || deepest > deepestLayout {
		return nil
	}
	p := readability.NewParser()
	p.DisableJSONLD = true
	article, err := p.ParseDocument(root, address)
	if err != nil || article.Node == nil {
		return nil
	}
	return blocksOf(article.Node, false)
}

// extent counts the nodes below n, and how deep they are nested.
func extent(n *html.Node, depth int) (nodes, deepest int) {
	deepest = depth
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		inner, below := extent(child, depth+1)
		nodes, deepest = nodes+inner+1, max(deepest, below)
	}
	return nodes, deepest
}

// mainPart is the element that a page marks as its main part: main, the only article, or its body.
func mainPart(root *html.Node) *html.Node {
	var marked, body *html.Node
	var articles []*html.Node
	elementsOf(root, func(n *html.Node) bool {
		switch {
		case n.DataAtom == atom.Main || attr(n, "role") == "main":
			if marked == nil {
				marked = n
			}
		case n.DataAtom == atom.Article:
			articles = append(articles, n)
			return false
		case n.DataAtom == atom.Body:
			body = n
		}
		return true
	})
	switch {
	case len(articles) == 1 && wordsIn(blocksOf(articles[0], true)) > leastMain:
		return articles[0]
	case marked != nil:
		return marked
	case body != nil:
		return body
	}
	return root
}
