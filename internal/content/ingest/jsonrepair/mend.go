package jsonrepair

import (
	"html"
	"strings"
	"unicode"
	"unicode/utf8"
)

// This file reads what is not valid JSON as what was probably meant. Every step goes forward, and
// looks ahead by a bounded number of bytes, so that the time is linear in the length of the text
// whatever it holds.

// lookahead bounds how far a guess may look.
const lookahead = 256

// tear notes that the document ends too early.
func (p *parser) tear(inside string) {
	p.pos = len(p.src)
	if p.torn == nil {
		p.torn = &Error{p.pos, "the document ends inside " + inside}
	}
}

// missing stands in for what should have followed at the end of the document.
func (p *parser) missing(what string) (*Node, *Error) {
	if !p.mend {
		return nil, p.fail("the document ends where " + what + " was expected")
	}
	p.tear("an object")
	n := p.node(Null, p.pos)
	n.Truncated = true
	return n, nil
}

// skipBetween passes over what may stand between documents.
func (p *parser) skipBetween() {
	for p.skip(); p.pos < len(p.src) && strings.IndexByte(",;", p.src[p.pos]) >= 0; p.skip() {
		p.pos++
	}
}

// wrappers stand around a document where it was taken from a page, or hidden from old readers of
// pages.
var wrappers = []string{"<![CDATA[", "]]>", "<!--", "-->"}

// skipOddity passes over one comment, wrapper or unusual blank.
func (p *parser) skipOddity() bool {
	rest := p.src[p.pos:]
	if p.level == 0 && p.skipWrapper(rest) {
		return true
	}
	switch {
	case strings.HasPrefix(rest, "//"):
		if p.level == 0 && p.skipWrapper(strings.TrimLeft(rest[2:], " \t")) {
			return true
		}
		p.pos += lineLength(rest)
	case strings.HasPrefix(rest, "/*"):
		p.pos += throughOr(rest, "*/", len(rest))
	case strings.HasPrefix(rest, "<!--"):
		p.pos += throughOr(rest, "-->", len(rest))
	default:
		r, size := utf8.DecodeRuneInString(rest)
		if !unicode.IsSpace(r) && r != '\ufeff' && r != '\u200b' && r >= ' ' {
			return false
		}
		p.pos += size
	}
	return true
}

// skipWrapper goes past a wrapper with which rest begins; rest is the end of the source.
func (p *parser) skipWrapper(rest string) bool {
	for _, w := range wrappers {
		if strings.HasPrefix(rest, w) {
			p.pos = len(p.src) - len(rest) + len(w)
			return true
		}
	}
	return false
}

func lineLength(s string) int {
	if end := strings.IndexAny(s, "\r\n"); end >= 0 {
		return end
	}
	return len(s)
}

func throughOr(s, mark string, otherwise int) int {
	if at := strings.Index(s, mark); at >= 0 {
		return at + len(mark)
	}
	return otherwise
}

// oddNext is next when mending: commas may be missing or too many, and brackets that do not match
// are guessed at.
func (p *parser) oddNext(closing byte) (more bool) {
	for p.skip(); p.pos < len(p.src); p.skip() {
		switch c := p.src[p.pos]; {
		case c == closing:
			p.pos++
			return false
		case c == '}' && p.level > p.lists, c == ']' && p.lists > 0:
			return false // closes what is around, so this one was not closed
		case c == '{' && closing == '}' && p.lists > 0:
			return false // the next of a list begins, so this one was not closed
		case c == '}' || c == ']' || c == ',' || c == ';':
			p.pos++
		default:
			return true
		}
	}
	p.tear("an " + container(closing))
	return false
}

// oddKey reads a name with or without quotes; empty where an object or array follows without a
// name.
func (p *parser) oddKey() string {
	if p.quote(p.pos) > 0 {
		return p.mended(true)
	}
	if c := p.src[p.pos]; c == '{' || c == '[' {
		return ""
	}
	start := p.pos
	for p.pos < len(p.src) && strings.IndexByte(":,{}[]\"\r\n", p.src[p.pos]) < 0 {
		p.pos++
	}
	if p.pos == start {
		p.pos++ // a stray colon
	}
	return strings.Trim(p.src[start:p.pos], " \t:")
}

// oddWords are values of other languages that look like JSON's.
var oddWords = map[string]Node{
	"nan": {}, "infinity": {}, "-infinity": {}, "+infinity": {}, "undefined": {}, "none": {}, "nil": {}, "null": {},
	"true": {Kind: Bool, Text: "true"}, "false": {Kind: Bool, Text: "false"},
}

// oddValue reads a value that begins with no character that JSON allows: another quote, another
// language's word, a number in another form, or a text without quotes.
func (p *parser) oddValue() (*Node, *Error) {
	if p.quote(p.pos) > 0 {
		return p.text()
	}
	start := p.pos
	for p.pos < len(p.src) && p.src[p.pos] == ':' {
		p.pos++
	}
	for p.pos < len(p.src) && strings.IndexByte(",{}[]\r\n", p.src[p.pos]) < 0 && !p.comment(start) {
		p.pos++
	}
	word := strings.Trim(p.src[start:p.pos], " \t:;")
	n := p.node(String, start)
	n.Text = word
	if known, ok := oddWords[strings.ToLower(word)]; ok {
		n.Kind, n.Text = known.Kind, known.Text
	} else if number := mendNumber(word); number != "" {
		n.Kind, n.Text = Number, number
	} else if word == "" {
		n.Kind = Null
	}
	return n, nil
}

// comment says whether a comment begins here and ends the bare word that began at start. A
// comment's slashes follow a blank; those of a URL do not.
func (p *parser) comment(start int) bool {
	rest := p.src[p.pos:]
	return p.pos > start && p.src[p.pos-1] == ' ' && (strings.HasPrefix(rest, "//") || strings.HasPrefix(rest, "/*"))
}

// mendNumber gives JSON's form of a number written like "+1", ".5" or "5."; empty for anything
// else.
func mendNumber(word string) string {
	word = strings.TrimPrefix(word, "+")
	sign := ""
	if strings.HasPrefix(word, "-") {
		sign, word = "-", word[1:]
	}
	if strings.HasPrefix(word, ".") {
		word = "0" + word
	}
	word = sign + strings.TrimSuffix(word, ".")
	if IsNumber(word) {
		return word
	}
	return ""
}

// quotes are what a string may begin with in the wild, by their first byte.
var quotes = map[byte][]string{
	'"': {`"`}, '\'': {"'"}, '&': {"&quot;", "&#34;", "&#034;", "&#x22;", "&QUOT;"}, 0xe2: {"“", "”", "„"},
}

// quote gives the length of the quotation mark at pos, 0 if there is none.
func (p *parser) quote(pos int) int {
	if pos >= len(p.src) {
		return 0
	}
	for _, q := range quotes[p.src[pos]] {
		if strings.HasPrefix(p.src[pos:], q) {
			return len(q)
		}
	}
	return 0
}

// mended reads a string whose quotes may be of any sort, and may stand inside it without a
// backslash: one closes the string only if what follows can follow a string. Control characters
// stand for themselves.
func (p *parser) mended(key bool) string {
	first := p.src[p.pos]
	p.pos += p.quote(p.pos)
	start, out, copied := p.pos, []byte(nil), p.pos
	for p.pos < len(p.src) {
		switch c := p.src[p.pos]; {
		case c == first || first == 0xe2 && c == '"':
			size := p.quote(p.pos)
			if size > 0 && p.closes(p.pos+size, key) {
				text := string(append(out, p.src[copied:p.pos]...))
				p.pos += size
				return unescapeFor(first, text)
			}
			p.pos += max(size, 1)
		case c == '\\':
			out = append(out, p.src[copied:p.pos]...)
			out = p.oddEscape(out)
			copied = p.pos
		default:
			p.pos++
		}
	}
	p.tear("a string")
	return unescapeFor(first, p.src[start:])
}

// unescapeFor undoes the escaping of a document that had its quotes escaped for HTML.
func unescapeFor(quote byte, text string) string {
	if quote == '&' {
		return html.UnescapeString(text)
	}
	return text
}

// oddEscape appends what an escape stands for; a backslash that escapes nothing stands for itself
// before a letter or digit, and is dropped before other characters.
func (p *parser) oddEscape(out []byte) []byte {
	if out, ok := p.escape(out); ok {
		return out
	}
	p.pos++
	if p.pos == len(p.src) {
		return out
	}
	c := p.src[p.pos]
	if 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' {
		return append(out, '\\')
	}
	_, size := utf8.DecodeRuneInString(p.src[p.pos:])
	out = append(out, p.src[p.pos:p.pos+size]...)
	p.pos += size
	return out
}

// closes says whether a quotation mark that ends before pos can be a string's last: whether a colon
// follows a name, and a bracket, a comma with something sensible behind it, or the next member
// follows a value.
func (p *parser) closes(pos int, key bool) bool {
	next, line := p.blanks(pos)
	if next >= len(p.src) {
		return true
	}
	switch c := p.src[next]; {
	case c == ':':
		return key
	case c == '}' || c == ']':
		return true
	case key:
		return c == ',' || p.quote(next) > 0
	case c == ',':
		return p.begins(next + 1)
	case c == '/':
		return next+1 < len(p.src) && (p.src[next+1] == '/' || p.src[next+1] == '*')
	case p.quote(next) > 0:
		return line && p.list || !p.list && p.names(next)
	}
	return p.level == 0 || strings.HasPrefix(p.src[next:], "<!--")
}

// begins says whether the next member or item can begin at pos.
func (p *parser) begins(pos int) bool {
	pos, line := p.blanks(pos)
	if pos >= len(p.src) || line || p.quote(pos) > 0 || strings.IndexByte("}],/<", p.src[pos]) >= 0 {
		return true
	}
	c := p.src[pos]
	if p.list {
		return c == '{' || c == '[' || c == '-' || '0' <= c && c <= '9' || c == 't' || c == 'f' || c == 'n'
	}
	for ; pos < len(p.src) && isWord(p.src[pos]); pos++ {
		continue
	}
	return pos < len(p.src) && p.src[pos] == ':'
}

// names says whether a name in quotes with a colon behind it stands at pos.
func (p *parser) names(pos int) bool {
	pos += p.quote(pos)
	end := min(len(p.src), pos+lookahead)
	for ; pos < end && p.src[pos] != '\n'; pos++ {
		if size := p.quote(pos); size > 0 {
			pos, _ = p.blanks(pos + size)
			return pos < len(p.src) && p.src[pos] == ':'
		}
	}
	return false
}

// blanks goes past white space, and says whether a line ended there.
func (p *parser) blanks(pos int) (next int, line bool) {
	end := min(len(p.src), pos+lookahead)
	for ; pos < end; pos++ {
		switch p.src[pos] {
		case '\n', '\r':
			line = true
		case ' ', '\t':
		default:
			return pos, line
		}
	}
	return pos, line
}

func isWord(c byte) bool {
	return c == '_' || c == '@' || c == '$' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}
