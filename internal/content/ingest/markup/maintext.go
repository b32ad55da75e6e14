package markup

import (
	"iter"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"frontdesk/internal/content/ingest/passage"
	"frontdesk/internal/content/ingest/vocabulary"
)

// This file finds the main text of a page: what it says itself, without what leads to other pages,
// asks for consent, sells, shares or lets others comment. It looks at the page's elements twice,
// whatever they are: once to weigh the lines of text that each holds, and once to write down the
// lines of the part that was found.

const (
	// MinMainWords is how many words a main text has at least.
	MinMainWords = 25  // words; less is no main text
	minProse     = 140 // weight of a page's lines below which no part of it stands out
)

// mainText is what a page says.
func mainText(root *html.Node) []passage.Block {
	l := weigh(root)
	few := l.boxes[0].prose < minProse
	l.prune()
	left := l.left()
	if !few {
		if found := pageText(l.boxes[l.main()].node, left); passage.CountWords(found) >= MinMainWords {
			return found
		}
	}
	return pageText(mainPart(root, left), left)
}

// pageText is the text of a part of a page, without headings at the end, which lead nothing.
func pageText(n *html.Node, left map[*html.Node]bool) []passage.Block {
	w := blockWalker{page: true, left: left}
	// n itself may be hidden until a script shows it
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		w.walk(child)
	}
	w.flush(false, false)
	for len(w.blocks) > 0 && w.blocks[len(w.blocks)-1].Leads {
		w.blocks = w.blocks[:len(w.blocks)-1]
	}
	return w.blocks
}

// box is an element that makes lines of its own. Boxes lie in the order of the page, each before
// those in it.
type box struct {
	node    *html.Node
	around  int // the box that it is in
	end     int // behind the last one in it
	text    int // characters of all its lines
	linked  int // of them in links
	lines   int
	prose   int    // how much of its text reads as running text
	suspect string // the word for which it may stand around the text
	marked  bool   // the page says that its main part is here
	pruned  bool
}

// layout is a page taken apart into boxes.
type layout struct {
	boxes []box

	// The line that is being read.
	text, linked, stops int
	inLink              int
	gap                 bool
}

// weigh reads a page's lines.
func weigh(root *html.Node) *layout {
	l := &layout{}
	body := root
	elementsOf(root, func(n *html.Node) bool {
		if n.DataAtom == atom.Body {
			body = n
		}
		return n.DataAtom == atom.Html
	})
	l.boxes = append(l.boxes, box{node: body})
	l.children(body, 0)
	l.line(0, false, false)
	l.boxes[0].end = len(l.boxes)
	for i := len(l.boxes) - 1; i > 0; i-- { // those in a box come behind it
		b, around := &l.boxes[i], &l.boxes[l.boxes[i].around]
		around.text += b.text
		around.linked += b.linked
		around.lines += b.lines
		around.prose += b.prose
	}
	return l
}

// children reads the elements and texts in n, which is the box of the given place or an inline
// element in it.
func (l *layout) children(n *html.Node, place int) {
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		switch child.Type {
		case html.TextNode:
			l.write(child.Data)
		case html.ElementNode:
			l.element(child, place)
		}
	}
}

func (l *layout) element(n *html.Node, place int) {
	if passes(n) {
		return
	}
	switch {
	case n.DataAtom == atom.Br:
		l.line(place, false, false)
	case blockTags[n.DataAtom] || lineTags[n.DataAtom]:
		l.line(place, false, false)
		own := len(l.boxes)
		l.boxes = append(l.boxes, box{node: n, around: place, suspect: suspicion(n), marked: isMarked(n)})
		l.children(n, own)
		l.line(own, isHeading(n), n.DataAtom == atom.Li || n.DataAtom == atom.Tr || n.DataAtom == atom.Option)
		l.boxes[own].end = len(l.boxes)
	case n.DataAtom == atom.A:
		l.inLink++
		l.children(n, place)
		l.inLink--
	default:
		l.children(n, place)
	}
}

// write counts the characters of a text: one of a script without blanks between words stands for
// three.
func (l *layout) write(s string) {
	for _, r := range s {
		switch {
		case r <= ' ' || r == '\u00a0' || r == '\u200b':
			l.gap = true
			continue
		case r >= 0x2e80:
			l.text += 2
			if l.inLink > 0 {
				l.linked += 2
			}
		}
		if l.gap && l.text > 0 {
			l.text++
		}
		l.gap = false
		l.text++
		if l.inLink > 0 {
			l.linked++
		}
		if isStop(r) {
			l.stops++
		}
	}
}

// isStop says whether a character ends a sentence or a part of one.
func isStop(r rune) bool {
	switch r {
	case '.', ',', ';', '!', '?', '。', '、', '，', '！', '？', '；', '،', '؛', '؟', '۔', '।', '։', '።', '…':
		return true
	}
	return false
}

// longestLine is how much of one line counts: a page is not what its one long line says.
const longestLine = 900

// line ends a line and weighs it. What is no sentence, a heading or mostly links is no running
// text.
func (l *layout) line(place int, heading, item bool) {
	if l.text > 0 {
		b := &l.boxes[place]
		b.text += l.text
		b.linked += l.linked
		b.lines++
		if own := l.text - l.linked; !heading && own*2 >= l.text && l.text >= 20 {
			weight := min(own, longestLine)
			switch {
			case l.stops == 0 && l.text < 60:
				weight /= 4
			case l.stops == 0 || item || l.text < 60:
				weight /= 2
			}
			b.prose += weight
		}
	}
	l.text, l.linked, l.stops, l.gap = 0, 0, 0, false
}

// isMarked says whether a page says of an element that it is its main part.
func isMarked(n *html.Node) bool {
	return n.DataAtom == atom.Article || n.DataAtom == atom.Main || attr(n, "role") == "main" ||
		attr(n, "itemprop") == "articleBody"
}

// suspectWords are parts of the names that programs and people give to what stands around a text. A
// name is taken apart into its words, of which one is enough. Those of the second list are left out
// even where there is more of them than of the text, as there often is of comments.
var (
	suspectWords = vocabulary.Set(`nav navbar navigation menu menus submenu breadcrumb breadcrumbs sidebar sidenav offcanvas drawer footer
		cookie cookies consent gdpr ccpa cmp banner popup modal overlay lightbox tooltip dropdown toolbar skip
		newsletter subscribe subscription signup login register paywall optin
		share sharing shares sharedaddy social socials addthis addtoany follow followus
		related recommended recommendation recommendations recirc outbrain taboola zergnet trending popular upsell upsells crosssell
		yarpp relatedposts readmore nextprev pagination pager paging
		ad ads advert adverts advertisement adsbygoogle sponsor sponsored promo promos promotion dfp
		comment comments commentlist disqus respond reply replies trackback trackbacks pingback
		widget widgets tagcloud minicart wishlist searchform copyright noprint`)
	alwaysAround = vocabulary.Set("comment comments commentlist disqus respond cookie cookies consent gdpr sidebar " +
		"related relatedposts")
)

// notSuspect are words before which a suspect one says something else: "has-sidebar" is the name of
// what is beside a sidebar.
var notSuspect = vocabulary.Set("has no with without is hide show not open opened")

// suspicion is the word for which an element may stand around the text, empty if nothing speaks for
// that.
func suspicion(n *html.Node) string {
	switch n.DataAtom {
	case atom.Aside, atom.Form:
		return n.Data
	case atom.Body, atom.Html, atom.Main, atom.Article, atom.H1, atom.P:
		return ""
	}
	if word := suspectWord(attr(n, "class")); word != "" {
		return word
	}
	return suspectWord(attr(n, "id"))
}

// longestPhrase is how many words the name of a part of a page has at most; the id of a chapter,
// made of its heading, has more.
const longestPhrase = 3

// suspectWord finds a suspect word in a class or id. Names are joined by all sorts of signs, or by
// capitals.
func suspectWord(names string) string {
	for name := range strings.FieldsSeq(names) {
		found, before, words := "", "", 0
		for word := range nameWords(name) {
			words++
			if found == "" && suspectWords[word] && !notSuspect[before] {
				found = word
			}
			before = word
		}
		if found != "" && words <= longestPhrase {
			return found
		}
	}
	return ""
}

// nameWords gives the words that a name is made of, in lower case: "siteFooter", "site_footer" and
// "site-footer2" have the same two.
func nameWords(name string) iter.Seq[string] {
	return func(yield func(string) bool) {
		start := 0
		for i := 0; i <= len(name); i++ {
			letter := i < len(name) && (name[i]|0x20 >= 'a' && name[i]|0x20 <= 'z')
			capital := letter && name[i] < 'a' && i > start && name[i-1] >= 'a' && name[i-1] <= 'z'
			if letter && !capital {
				continue
			}
			if i > start && !yield(strings.ToLower(name[start:i])) {
				return
			}
			start = i
			if !letter {
				start = i + 1
			}
		}
	}
}

// prune leaves out what stands around the text: what its name gives away, unless the parts of that
// name hold most of the text together, and lists of links.
func (l *layout) prune() {
	total := l.boxes[0].prose
	around := map[string]int{} // by word, how much its parts hold
	for i := range l.boxes {
		if b := &l.boxes[i]; b.suspect != "" && !l.within(b.around, b.suspect) {
			around[b.suspect] += b.prose
		}
	}
	for i := 1; i < len(l.boxes); i++ {
		b := &l.boxes[i]
		switch {
		case l.boxes[b.around].pruned:
			b.pruned = true
		case b.suspect != "" &&
			(around[b.suspect]*2 < total || alwaysAround[b.suspect] && total-around[b.suspect] >= minProse):
			l.drop(i)
		case b.suspect != "" && total < minProse && b.text*2 < l.boxes[0].text:
			l.drop(i)
		case b.lines >= 3 && b.linked*3 > b.text*2 && b.prose*10 < total:
			l.drop(i)
		}
	}
}

// within says whether a box or one around it has a word as its suspicion.
func (l *layout) within(place int, word string) bool {
	for ; place != 0; place = l.boxes[place].around {
		if l.boxes[place].suspect == word {
			return true
		}
	}
	return false
}

// drop leaves a box out.
func (l *layout) drop(place int) {
	b := &l.boxes[place]
	b.pruned = true
	for around := place; around != 0; {
		around = l.boxes[around].around
		l.boxes[around].prose -= b.prose
		l.boxes[around].text -= b.text
		l.boxes[around].linked -= b.linked
	}
}

// left are the elements of the boxes that were left out.
func (l *layout) left() map[*html.Node]bool {
	left := map[*html.Node]bool{}
	for i := range l.boxes {
		if b := &l.boxes[i]; b.pruned && !l.boxes[b.around].pruned {
			left[b.node] = true
		}
	}
	return left
}

// main finds the part that holds the main text: what the page marks as such if it is most of the
// text, and then the smallest part in it that holds nearly all of it.
func (l *layout) main() int {
	main, total := 0, l.boxes[0].prose
	for i := range l.boxes {
		if b := &l.boxes[i]; b.marked && !b.pruned && b.prose*2 > total {
			main = i
		}
	}
	for {
		best := -1
		for i := main + 1; i < l.boxes[main].end; i = l.boxes[i].end {
			if b := &l.boxes[i]; !b.pruned && (best < 0 || b.prose > l.boxes[best].prose) {
				best = i
			}
		}
		if best < 0 || l.boxes[best].prose*8 < l.boxes[main].prose*7 || l.boxes[best].lines < 2 {
			return main
		}
		main = best
	}
}

// mainPart is the element that a page of few words marks as its main part: main, the only article,
// or its body.
func mainPart(root *html.Node, left map[*html.Node]bool) *html.Node {
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
	case len(articles) == 1 && passage.CountWords(pageText(articles[0], left)) > MinMainWords:
		return articles[0]
	case marked != nil:
		return marked
	case body != nil:
		return body
	}
	return root
}
