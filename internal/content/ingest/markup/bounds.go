package markup

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"sync"

	"frontdesk/internal/content/ingest/passage"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// What is read of a page. A page that people read has far less; one that has more is read up to
// there.
const (
	maxTags       = 400_000
	maxAttributes = 200_000

	overTags, overAttributes = "400,000 tags", "200,000 attributes"
)

// longTag is the length from which a tag's attributes are counted while it is read, in bytes.
const longTag = 64 << 10

// tokens are those of a page, up to the bounds.
type tokens struct {
	*html.Tokenizer
	source           feeder
	tags, attributes int
	over             string   // which bound ended it; empty for none
	raw              [][2]int // where text stands that has what would be tags, as scripts and styles do
	foreign          bool     // the page has SVG or MathML
	// what an open link counts for in each tag, since HTML may open it again there; the tags since
	// it opened
	link, within int
}

func newTokens(text string) *tokens {
	t := &tokens{source: feeder{text: text}}
	t.Tokenizer = html.NewTokenizer(&t.source)
	return t
}

// Next is the next token, none once a bound is reached. What was read then ends before
// source.token.
func (t *tokens) Next() html.TokenType {
	if t.over != "" {
		return html.ErrorToken
	}
	kind := t.Tokenizer.Next()
	raw := t.Raw()
	switch kind {
	case html.ErrorToken:
		if t.source.full {
			t.over = overAttributes
		}
		return kind
	case html.StartTagToken, html.SelfClosingTagToken:
		own := attributesIn(raw)
		t.attributes += own
		switch {
		case !isLink(raw, 1):
			t.tags += t.link
			t.within++
		case own > maxLinked: // see parseable
			t.link = 0
		default:
			t.link, t.within = 1+own/2, 0
		}
		if start := raw[1:min(5, len(raw))]; len(start) == 4 &&
			(bytes.EqualFold(start[:3], []byte("svg")) || bytes.EqualFold(start, []byte("math"))) {
			t.foreign = true
		}
		t.tags++
	case html.EndTagToken:
		t.tags++
		if isLink(raw, 2) {
			if t.within -= 8; t.within <= 0 { // HTML takes a link out of as many elements at one end tag
				t.link = 0
			}
		}
	case html.TextToken:
		if t.foreign && bytes.IndexByte(raw, '<') >= 0 {
			t.raw = append(t.raw, [2]int{t.source.token, t.source.token + len(raw)})
		}
	}
	switch {
	case t.tags > maxTags:
		t.over = overTags
	case t.attributes > maxAttributes:
		t.over = overAttributes
	default:
		t.source.token += len(raw)
		return kind
	}
	return html.ErrorToken
}

// feeder gives a page's text to its tokenizer, which keeps a tag's attributes until it has the
// whole tag: a tag with too many gets no end.
type feeder struct {
	text      string
	at, token int // how far it is given, and where the present token begins
	full      bool
}

func (f *feeder) Read(into []byte) (int, error) {
	if f.at-f.token > longTag && attributesIn(f.text[f.token:f.at]) > maxAttributes {
		f.full = true
	}
	if f.full || f.at == len(f.text) {
		return 0, io.EOF
	}
	n := copy(into, f.text[f.at:])
	f.at += n
	return n, nil
}

// attributesIn counts the attributes of the tag at the beginning of a text, as a tokenizer reads
// them; none where no tag is.
func attributesIn[T string | []byte](tag T) (n int) {
	if len(tag) < 2 || tag[0] != '<' || !isLetter(tag[1]) {
		return 0
	}
	i := 1
	skip := func(until func(byte) bool) {
		for i < len(tag) && !until(tag[i]) {
			i++
		}
	}
	skip(endsName)
	for i < len(tag) && tag[i] != '>' {
		if isBlank(tag[i]) || tag[i] == '/' {
			i++
			continue
		}
		n++
		i++ // here, = is part of the name
		skip(endsKey)
		skip(isNoBlank)
		if i == len(tag) || tag[i] != '=' {
			continue
		}
		i++
		if skip(isNoBlank); i < len(tag) && (tag[i] == '"' || tag[i] == '\'') {
			quote := tag[i]
			i++
			skip(func(c byte) bool { return c == quote })
			i++
		} else {
			skip(endsValue)
		}
	}
	return n
}

// isLink says whether a tag whose name begins at a place is a link's.
func isLink(tag []byte, at int) bool {
	return len(tag) > at+1 && (tag[at] == 'a' || tag[at] == 'A') && endsName(tag[at+1])
}

func isLetter(c byte) bool  { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
func isBlank(c byte) bool   { return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f' }
func isNoBlank(c byte) bool { return !isBlank(c) }
func endsName(c byte) bool  { return isBlank(c) || c == '/' || c == '>' }
func endsKey(c byte) bool   { return endsName(c) || c == '=' }
func endsValue(c byte) bool { return isBlank(c) || c == '>' }

// source is a page's text up to its bounds, and what is made of it when it is first asked for.
type source struct {
	text    string
	raw     [][2]int // see tokens
	foreign bool
	tree    func() *html.Node // nil where its elements are nested more deeply than any browser shows
	main    func() []passage.Block
}

func newSource(text string, t *tokens) source {
	s := source{text: text, raw: t.raw, foreign: t.foreign}
	s.tree = sync.OnceValue(s.parse)
	s.main = sync.OnceValue(s.mainText)
	return s
}

// mainText is what the page says; without a tree, all text that is in it.
func (s *source) mainText() []passage.Block {
	if root := s.tree(); root != nil {
		return slices.Clip(mainText(root))
	}
	return passage.Blocks(WithoutTags(s.text))
}

// parse builds the page's tree; nil where its elements are nested more deeply than any browser
// shows. HTML opens an element that only formats again in each block after the one in which it was
// not closed, so that a short page makes a tree without bounds. Such elements are built under names
// that HTML does not know, and get their own back.
func (s *source) parse() *html.Node {
	root, err := html.Parse(strings.NewReader(s.parseable()))
	if err != nil {
		return nil
	}
	unmark(root)
	return root
}

// formatting are the elements that HTML opens again, without links.
var formatting = tagSet(atom.B, atom.Big, atom.Code, atom.Em, atom.Font, atom.I, atom.Nobr, atom.S, atom.Small,
	atom.Strike, atom.Strong, atom.Tt, atom.U)

// mark stands behind the names of elements that are built under another.
const mark = '-'

// longestFormat is the length of the longest name in formatting; maxLinked is how many attributes a
// link has that is opened again.
const (
	longestFormat = 6
	maxLinked     = 4
)

// parseable is the page's text for the parser: its formatting elements are marked, and what the
// tokenizer took for text and a parser of SVG would take for tags has none.
func (s *source) parseable() string {
	text := s.text
	out := make([]byte, 0, len(text)+len(text)/32)
	raw, done, marked := s.raw, 0, false
	for at := 0; ; {
		next := strings.IndexByte(text[at:], '<')
		if next < 0 {
			break
		}
		at += next
		tag := text[at:]
		for len(raw) > 0 && raw[0][1] <= at {
			raw = raw[1:]
		}
		switch name := nameAt(tag); {
		case len(raw) > 0 && raw[0][0] <= at:
			out = append(append(out, text[done:at]...), ' ')
			done = at + 1
		case s.foreign && strings.HasPrefix(tag, "<![CDATA["):
			out = append(append(out, text[done:at]...), "<!-"...)
			done = at + len("<![")
		case name == "":
		case len(name) == 1 && (name[0] == 'a' || name[0] == 'A'):
			opens := tag[1] != '/'
			if opens {
				marked = attributesIn(tag[:min(len(tag), longTag)]) > maxLinked
			}
			if marked {
				end := at + strings.Index(tag, name) + len(name)
				out = append(append(out, text[done:end]...), mark)
				done, marked = end, opens
			}
		case len(name) <= longestFormat && formatting[atom.Lookup([]byte(strings.ToLower(name)))]:
			end := at + strings.Index(tag, name) + len(name)
			out = append(append(out, text[done:end]...), mark)
			done = end
		}
		at++
	}
	if done == 0 {
		return text
	}
	return string(append(out, text[done:]...))
}

// nameAt is the name of the start or end tag at the beginning of a text.
func nameAt(tag string) string {
	tag = strings.TrimPrefix(tag[1:min(len(tag), longestFormat+3)], "/")
	end := 0
	for end < len(tag) && !endsName(tag[end]) {
		end++
	}
	if end == 0 || !isLetter(tag[0]) {
		return ""
	}
	return tag[:end]
}

// unmark gives the elements below n their names.
func unmark(n *html.Node) {
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		if name, marked := strings.CutSuffix(child.Data, string(mark)); marked && child.Type == html.ElementNode &&
			child.DataAtom == 0 {
			if known := atom.Lookup([]byte(name)); known == atom.A || formatting[known] {
				child.Data, child.DataAtom = name, known
			}
		}
		unmark(child)
	}
}
