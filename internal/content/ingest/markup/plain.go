package markup

import (
	"html"
	"regexp"
	"strings"
	"unicode"

	nethtml "golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Plain turns a text that may hold HTML into plain text: tags go, entities become what they stand
// for, and what begins a new block begins a new line. Text that only looks like markup ("a < b", an
// element that no editor writes) stays as it is. For a name, only tags that set words within a line
// count as markup.
func Plain(s string, name bool) string {
	if strings.IndexByte(s, '<') < 0 && strings.IndexByte(s, '&') < 0 {
		return s
	}
	tags, strip := textTags, WithoutTags
	if name {
		tags, strip = nameTags, withoutNameTags
	}
	for range 2 { // markup may be escaped once more inside of a string
		if marked(s, tags) {
			s = strip(s)
		} else if strings.IndexByte(s, '&') >= 0 {
			s = html.UnescapeString(s)
		}
		if !marked(s, tags) && !hasEntity(s) {
			break
		}
	}
	return s
}

// shortcodes are the marks of programs that build pages of blocks, which leave them in
// descriptions. What stands between them is text.
var shortcodes = regexp.MustCompile(`\[/?(?:vc_|et_pb_|fusion_|av_|mk_|su_|rev_slider|caption|gallery|embed|contact-form)[^\[\]]*\]`)

// WithoutShortcodes drops the marks of programs that build pages of blocks.
func WithoutShortcodes(s string) string {
	if strings.IndexByte(s, '[') < 0 {
		return s
	}
	return shortcodes.ReplaceAllString(s, "")
}

// PlainLine is plain on one line.
func PlainLine(s string) string { return CollapseSpace(Plain(s, true)) }

// CollapseSpace trims a text and replaces every run of white space in it by one blank.
func CollapseSpace(s string) string {
	gap := true
	for i := range len(s) {
		c := s[i]
		if c <= ' ' && (gap || c != ' ') || c >= 0x80 {
			return strings.Join(strings.Fields(s), " ")
		}
		gap = c == ' '
	}
	return strings.TrimSuffix(s, " ")
}

// nameTags set words within a line; textTags are what editors write into longer texts.
var (
	nameTags = tagSet(atom.B, atom.I, atom.Em, atom.Strong, atom.Sup, atom.Sub, atom.Br, atom.Span, atom.U, atom.Small,
		atom.Mark, atom.Wbr)
	textTags = tagSet(atom.B, atom.I, atom.Em, atom.Strong, atom.Sup, atom.Sub, atom.Br, atom.Span, atom.U, atom.S,
		atom.Small, atom.Mark, atom.Wbr,
		atom.P, atom.A, atom.Ul, atom.Ol, atom.Li, atom.Div, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6,
		atom.Table, atom.Tr, atom.Td,
		atom.Th, atom.Tbody, atom.Thead, atom.Blockquote, atom.Pre, atom.Code, atom.Hr, atom.Img, atom.Font,
		atom.Center, atom.Section,
		atom.Article, atom.Figure, atom.Figcaption, atom.Iframe, atom.Video, atom.Dl, atom.Dt, atom.Dd, atom.Script,
		atom.Style, atom.Noscript,
		atom.Picture, atom.Del, atom.Ins, atom.Cite, atom.Q, atom.Abbr, atom.Time, atom.Button)
)

func tagSet(tags ...atom.Atom) map[atom.Atom]bool {
	all := map[atom.Atom]bool{}
	for _, t := range tags {
		all[t] = true
	}
	return all
}

// marked says whether s holds a whole tag of the given ones.
func marked(s string, tags map[atom.Atom]bool) bool {
	begin, _ := nextTag(s, tags)
	return begin >= 0
}

// nextTag finds the first whole tag of the given ones; begin is negative if there is none.
func nextTag(s string, tags map[atom.Atom]bool) (begin, end int) {
	const longestTag = 2 << 10
	for at := 0; ; {
		next := strings.IndexByte(s[at:], '<')
		if next < 0 {
			return -1, -1
		}
		begin = at + next
		at = begin + 1
		if at < len(s) && s[at] == '/' {
			at++
		}
		name := at
		for at < len(s) && (s[at]|0x20 >= 'a' && s[at]|0x20 <= 'z' || s[at] >= '0' && s[at] <= '9') {
			at++
		}
		if at == name || at-name > 10 || at == len(s) || !tags[atom.Lookup([]byte(strings.ToLower(s[name:at])))] {
			continue
		}
		close := strings.IndexByte(s[at:min(len(s), at+longestTag)], '>')
		if c := s[at]; close >= 0 && (c == '>' || c == '/' || c == ' ' || c == '\n' || c == '\t') {
			return begin, at + close + 1
		}
	}
}

// withoutNameTags drops the tags that set words within a line, and leaves all other markup as the
// text that it is.
func withoutNameTags(s string) string {
	var out strings.Builder
	for {
		begin, end := nextTag(s, nameTags)
		if begin < 0 {
			out.WriteString(s)
			return html.UnescapeString(out.String())
		}
		out.WriteString(s[:begin])
		if strings.HasPrefix(s[begin:], "<br") || strings.HasPrefix(s[begin:], "<BR") {
			out.WriteByte(' ')
		}
		s = s[end:]
	}
}

// hasEntity says whether s holds an entity of those that texts are full of.
func hasEntity(s string) bool {
	for {
		at := strings.IndexByte(s, '&')
		if at < 0 {
			return false
		}
		s = s[at+1:]
		end := strings.IndexByte(s[:min(len(s), 10)], ';')
		if end > 1 && html.UnescapeString("&"+s[:end+1]) != "&"+s[:end+1] {
			return true
		}
	}
}

// silent elements hold nothing to read.
var silent = tagSet(atom.Script, atom.Style, atom.Template, atom.Noscript, atom.Iframe, atom.Object, atom.Svg,
	atom.Math, atom.Head,
	atom.Select, atom.Textarea, atom.Canvas, atom.Video, atom.Audio)

// blockTags begin and end a paragraph, lineTags a line.
var (
	blockTags = tagSet(atom.P, atom.Div, atom.Ul, atom.Ol, atom.Dl, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5,
		atom.H6, atom.Table,
		atom.Blockquote, atom.Pre, atom.Section, atom.Article, atom.Figure, atom.Figcaption, atom.Hr, atom.Header,
		atom.Footer, atom.Main,
		atom.Aside, atom.Nav, atom.Form, atom.Fieldset, atom.Address, atom.Details, atom.Summary, atom.Body,
		atom.Center)
	lineTags = tagSet(atom.Br, atom.Li, atom.Tr, atom.Dt, atom.Dd, atom.Option, atom.Caption)
)

// WithoutTags is the text of a piece of HTML. It needs no tree, so nothing in the piece can cost
// much.
func WithoutTags(s string) string {
	var out lines
	z := nethtml.NewTokenizer(strings.NewReader(s))
	hidden, pre := 0, 0
	for {
		kind := z.Next()
		switch kind {
		case nethtml.ErrorToken:
			return out.String()
		case nethtml.TextToken:
			if hidden == 0 {
				out.text(string(z.Text()), pre > 0)
			}
			continue
		case nethtml.StartTagToken, nethtml.EndTagToken, nethtml.SelfClosingTagToken:
		default:
			continue
		}
		name, _ := z.TagName()
		tag := atom.Lookup(name)
		step := map[nethtml.TokenType]int{nethtml.StartTagToken: 1, nethtml.EndTagToken: -1}[kind]
		switch {
		case silent[tag]:
			hidden = max(0, hidden+step)
		case tag == atom.Pre:
			pre = max(0, pre+step)
		}
		out.tag(tag)
	}
}

// lines builds plain text out of runs of text and breaks between them.
type lines struct {
	out   strings.Builder
	gap   bool // a blank is due
	feeds int  // line ends that are due
}

func (l *lines) text(s string, pre bool) {
	for _, r := range s {
		switch {
		case pre && r == '\n':
			l.feeds = max(l.feeds, 1)
		case unicode.IsSpace(r) || r == '\u200b' || r == '\ufeff':
			l.gap = true
		default:
			l.flush()
			l.out.WriteRune(r)
		}
	}
}

func (l *lines) flush() {
	if l.out.Len() > 0 {
		switch {
		case l.feeds > 1:
			l.out.WriteString("\n\n")
		case l.feeds == 1:
			l.out.WriteByte('\n')
		case l.gap:
			l.out.WriteByte(' ')
		}
	}
	l.gap, l.feeds = false, 0
}

// tag notes the break that a tag makes.
func (l *lines) tag(tag atom.Atom) {
	switch {
	case blockTags[tag]:
		l.feeds = 2
	case lineTags[tag]:
		l.feeds = max(l.feeds, 1)
	case tag == atom.Td || tag == atom.Th:
		l.gap = true
	}
}

func (l *lines) String() string { return l.out.String() }
