package jsonrepair

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// maxValues bounds the values of one document, and with them the memory that it takes.
const maxValues = 5_000_000

// Parse reads all JSON documents that follow each other in src, which is valid UTF-8; mostly there
// is one. Values nested deeper than depth are left out and marked. The fault, if any, is the first
// that could not be mended; the documents before it, and what was read of its own up to a missing
// end, are returned beside it.
func Parse(src string, depth int) ([]*Node, *Error) {
	p := &parser{src: src, limit: depth}
	var documents []*Node
	p.pos = len(src) - len(strings.TrimPrefix(src, "\ufeff"))
	for {
		document, fault := p.document()
		if document != nil {
			documents = append(documents, document)
		}
		if fault != nil || document == nil {
			return documents, fault
		}
	}
}

// parser reads one document after another, first strictly and, where that fails, once more with
// mending.
type parser struct {
	src   string
	pos   int
	limit int    // how many levels may be open
	level int    // how many are
	lists int    // how many of them are arrays
	list  bool   // the innermost is one
	mend  bool   // read what is not valid as what was probably meant
	torn  *Error // the first missing end

	count   int // values of this document
	nodes   []Node
	members []Member // of objects that are open
	items   []*Node  // of arrays that are open
}

// document reads the next document; nil and no fault at the end of the text.
func (p *parser) document() (*Node, *Error) {
	p.mend, p.count = false, 0
	p.skip()
	if p.pos == len(p.src) {
		return nil, nil
	}
	start := p.pos
	n, fault := p.value()
	if fault == nil {
		return n, nil
	}
	if p.count >= maxValues {
		return nil, fault
	}
	p.pos, p.mend, p.count = start, true, 0
	p.members, p.items = p.members[:0], p.items[:0]
	if p.skipBetween(); p.pos == len(p.src) {
		return nil, nil
	}
	if c := p.src[p.pos]; c != '{' && c != '[' {
		return nil, fault
	}
	if n, fault = p.value(); fault == nil {
		fault = p.torn
	}
	return n, fault
}

func (p *parser) fail(reason string) *Error { return &Error{p.pos, reason} }

// node hands out nodes from a block, which costs far less than one allocation each.
func (p *parser) node(kind Kind, offset int) *Node {
	p.count++
	if len(p.nodes) == 0 {
		// A value takes two bytes at least, with its comma: a small document needs no room for
		// many.
		p.nodes = make([]Node, min(64, 16+p.count, 1+(len(p.src)-p.pos)/2))
	}
	n := &p.nodes[0]
	p.nodes = p.nodes[1:]
	n.Kind, n.Offset = kind, offset
	return n
}

// skip passes over white space, and what stands for it when mending.
func (p *parser) skip() {
	for p.pos < len(p.src) {
		switch p.src[p.pos] {
		case ' ', '\t', '\n', '\r':
			p.pos++
			continue
		}
		if !p.mend || !p.skipOddity() {
			return
		}
	}
}

func (p *parser) value() (*Node, *Error) {
	if p.pos == len(p.src) {
		return p.missing("a value")
	}
	if p.count >= maxValues {
		return nil, p.fail("the document holds more than 5 million values")
	}
	start := p.pos
	switch c := p.src[p.pos]; {
	case c == '"':
		return p.text()
	case c == '{' || c == '[':
		return p.container(c)
	case c == '-' || '0' <= c && c <= '9':
		if end := scanNumber(p.src, p.pos); end > 0 && (!p.mend || p.ends(end)) {
			n := p.node(Number, start)
			n.Text, p.pos = p.src[start:end], end
			return n, nil
		}
	case c == 't' && p.literal("true"), c == 'f' && p.literal("false"):
		n := p.node(Bool, start)
		n.Text = p.src[start:p.pos]
		return n, nil
	case c == 'n' && p.literal("null"):
		return p.node(Null, start), nil
	}
	if p.mend {
		return p.oddValue()
	}
	return nil, p.fail("found " + p.here() + " where a value was expected")
}

func (p *parser) literal(word string) bool {
	if !strings.HasPrefix(p.src[p.pos:], word) || !p.ends(p.pos+len(word)) {
		return false
	}
	p.pos += len(word)
	return true
}

// ends says whether a bare word may end before pos.
func (p *parser) ends(pos int) bool {
	if pos >= len(p.src) {
		return true
	}
	c := p.src[pos]
	return c <= ' ' || c == ',' || c == '}' || c == ']' || c == ':' || !p.mend || c == '/' || c == '<' || c == '&' ||
		c == ';' || c >= utf8.RuneSelf
}

// here names what stands at the position, for messages.
func (p *parser) here() string {
	if p.pos >= len(p.src) {
		return "the end"
	}
	r, _ := utf8.DecodeRuneInString(p.src[p.pos:])
	return "“" + string(r) + "”"
}

func (p *parser) container(open byte) (*Node, *Error) {
	if p.level == p.limit {
		n := p.node(Null, p.pos)
		n.TooDeep = true
		p.pass()
		return n, nil
	}
	around := p.list
	p.level++
	p.list = open == '['
	defer func() { p.level, p.list = p.level-1, around }()
	if !p.list {
		return p.object()
	}
	p.lists++
	defer func() { p.lists-- }()
	return p.array()
}

// pass goes past an object or array without reading it, however deep it is nested.
func (p *parser) pass() {
	open := 0
	defer func() { p.pos = min(p.pos, len(p.src)) }()
	for ; p.pos < len(p.src); p.pos++ {
		switch p.src[p.pos] {
		case '{', '[':
			open++
		case '}', ']':
			if open--; open == 0 {
				p.pos++
				return
			}
		case '"':
			p.passString()
		}
	}
}

// passString goes to the closing quote of the string that begins here.
func (p *parser) passString() {
	for p.pos++; p.pos < len(p.src) && p.src[p.pos] != '"'; p.pos++ {
		if p.src[p.pos] == '\\' {
			p.pos++
		}
	}
}

func (p *parser) object() (*Node, *Error) {
	n := p.node(Object, p.pos)
	first := len(p.members)
	p.pos++
	for {
		more, fault := p.next('}', len(p.members) > first)
		if fault != nil {
			return nil, fault
		}
		if !more {
			break
		}
		m, fault := p.member()
		if fault != nil {
			return nil, fault
		}
		n.TooDeep = n.TooDeep || m.Value.TooDeep
		n.Truncated = n.Truncated || m.Value.Truncated
		p.members = append(p.members, m)
	}
	n.Truncated = n.Truncated || p.torn != nil
	n.Members = unique(p.members[first:])
	p.members = p.members[:first]
	return n, nil
}

// next goes to the next member or item, past the comma before it; more is false after the closing
// bracket.
func (p *parser) next(closing byte, after bool) (more bool, fault *Error) {
	p.skip()
	if p.mend {
		return p.oddNext(closing), nil
	}
	switch {
	case p.pos == len(p.src):
		return false, p.fail("the document ends inside an " + container(closing))
	case p.src[p.pos] == closing:
		p.pos++
		return false, nil
	case !after:
		return true, nil
	case p.src[p.pos] != ',':
		return false, p.fail("found " + p.here() + " where a comma or the end of an " + container(closing) +
			" was expected")
	}
	p.pos++
	p.skip()
	return true, nil
}

func container(closing byte) string {
	if closing == '}' {
		return "object"
	}
	return "array"
}

func (p *parser) member() (Member, *Error) {
	var m Member
	key, fault := p.key()
	if fault != nil {
		return m, fault
	}
	m.Name = key
	p.skip()
	switch {
	case p.pos < len(p.src) && p.src[p.pos] == ':':
		p.pos++
		p.skip()
	case !p.mend:
		return m, p.fail("found " + p.here() + " where a colon was expected")
	case p.pos < len(p.src) && (p.src[p.pos] == ',' || p.src[p.pos] == '}'):
		m.Value = p.node(Null, p.pos)
		return m, nil
	}
	m.Value, fault = p.value()
	return m, fault
}

func (p *parser) key() (string, *Error) {
	if p.mend {
		return p.oddKey(), nil
	}
	if p.pos == len(p.src) || p.src[p.pos] != '"' {
		return "", p.fail("found " + p.here() + " where a name in quotes was expected")
	}
	return p.quoted()
}

// unique copies members, keeping the last value of a name that occurs more than once, at the place
// of the first.
func unique(members []Member) []Member {
	const few = 24 // beyond which a map is quicker than comparing each with each
	kept := make([]Member, 0, len(members))
	var places map[string]int
	if len(members) > few {
		places = make(map[string]int, len(members))
	}
	for _, m := range members {
		place, found := -1, false
		if places != nil {
			place, found = places[m.Name]
		} else {
			for i := range kept {
				if found = kept[i].Name == m.Name; found {
					place = i
					break
				}
			}
		}
		if found {
			kept[place].Value = m.Value
			continue
		}
		if places != nil {
			places[m.Name] = len(kept)
		}
		kept = append(kept, m)
	}
	return kept
}

func (p *parser) array() (*Node, *Error) {
	n := p.node(Array, p.pos)
	first := len(p.items)
	p.pos++
	for {
		more, fault := p.next(']', len(p.items) > first)
		if fault != nil {
			return nil, fault
		}
		if !more {
			break
		}
		item, fault := p.value()
		if fault != nil {
			return nil, fault
		}
		n.TooDeep = n.TooDeep || item.TooDeep
		n.Truncated = n.Truncated || item.Truncated
		p.items = append(p.items, item)
	}
	n.Truncated = n.Truncated || p.torn != nil
	n.Items = append([]*Node(nil), p.items[first:]...)
	p.items = p.items[:first]
	return n, nil
}

func (p *parser) text() (*Node, *Error) {
	n := p.node(String, p.pos)
	var fault *Error
	if p.mend {
		n.Text = p.mended(false)
		n.Truncated = p.torn != nil
		return n, nil
	}
	n.Text, fault = p.quoted()
	return n, fault
}

// quoted reads a valid string. Without escapes it is a piece of the source, and costs nothing.
func (p *parser) quoted() (string, *Error) {
	start := p.pos + 1
	for i := start; i < len(p.src); i++ {
		switch c := p.src[i]; {
		case c == '"':
			p.pos = i + 1
			return p.src[start:i], nil
		case c == '\\':
			p.pos = i
			return p.escaped(start)
		case c < ' ':
			p.pos = i
			return "", p.fail("a string holds a control character or a line end")
		}
	}
	p.pos = len(p.src)
	return "", p.fail("the document ends inside a string")
}

// escaped goes on where quoted met the first backslash.
func (p *parser) escaped(start int) (string, *Error) {
	size := p.pos - start + 16 + max(0, strings.IndexByte(p.src[p.pos:], '"'))
	out := append(make([]byte, 0, size), p.src[start:p.pos]...)
	for p.pos < len(p.src) {
		switch c := p.src[p.pos]; {
		case c == '"':
			p.pos++
			return string(out), nil
		case c < ' ':
			return "", p.fail("a string holds a control character or a line end")
		case c != '\\':
			out = append(out, c)
			p.pos++
			continue
		}
		var ok bool
		if out, ok = p.escape(out); !ok {
			return "", p.fail("a string holds an escape that JSON does not know")
		}
	}
	return "", p.fail("the document ends inside a string")
}

// plainEscapes gives what the letter after a backslash stands for.
var plainEscapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// escape appends what the escape at the position stands for, and goes past it.
func (p *parser) escape(out []byte) ([]byte, bool) {
	if p.pos+1 == len(p.src) {
		return out, false
	}
	c := p.src[p.pos+1]
	if plain := plainEscapes[c]; plain != 0 {
		p.pos += 2
		return append(out, plain), true
	}
	r := p.unicode(p.pos)
	if r < 0 {
		return out, false
	}
	p.pos += 6
	if utf16.IsSurrogate(r) {
		second := p.unicode(p.pos)
		if r = utf16.DecodeRune(r, second); r != utf8.RuneError {
			p.pos += 6
		}
	}
	return utf8.AppendRune(out, r), true
}

// unicode reads the escape \uXXXX at pos, -1 if there is none.
func (p *parser) unicode(pos int) rune {
	if pos+6 > len(p.src) || p.src[pos] != '\\' || p.src[pos+1] != 'u' {
		return -1
	}
	var r rune
	for _, c := range []byte(p.src[pos+2 : pos+6]) {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return -1
		}
		r = r<<4 | rune(c)
	}
	return r
}

// IsNumber says whether s is a number as JSON writes it.
func IsNumber(s string) bool { return s != "" && scanNumber(s, 0) == len(s) }

// scanNumber gives the end of the number at pos, -1 if JSON's grammar finds none there.
func scanNumber(s string, pos int) int {
	digits := func(from int) int {
		for from < len(s) && '0' <= s[from] && s[from] <= '9' {
			from++
		}
		return from
	}
	if pos < len(s) && s[pos] == '-' {
		pos++
	}
	end := digits(pos)
	if end == pos || s[pos] == '0' && end > pos+1 {
		return -1
	}
	if end < len(s) && s[end] == '.' {
		fraction := digits(end + 1)
		if fraction == end+1 {
			return -1
		}
		end = fraction
	}
	if end < len(s) && (s[end] == 'e' || s[end] == 'E') {
		power := end + 1
		if power < len(s) && (s[power] == '+' || s[power] == '-') {
			power++
		}
		if end = digits(power); end == power {
			return -1
		}
	}
	return end
}
