// Package yamlconf reads a YAML document into a struct and forgives nothing: an unknown key, a key
// given twice, a value of the wrong kind are findings, each with line, column, key and what would
// be right, and all of them are reported at once. It also remembers where each key stood, so that
// later checks can point there.
//
// It is a leaf. The configuration is read with it; a YAML library alone stops at the first mistake
// and says less.
package yamlconf

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// The bounds of a document.
const (
	maxBytes = 1 << 20
	maxDepth = 100
	maxLine  = 10_000
)

// Place is where something stands in a document. Line and column count from one; zero is an unknown
// place.
type Place struct{ Line, Column int }

// Places are where keys stand, by key path: "sources[0].path". A list of texts that was written as
// one text has the place of its first element too.
type Places map[string]Place

// Near gives the place of a key path, or of the nearest thing above it that is in the document.
func (p Places) Near(path string) Place {
	for path != "" {
		if place, ok := p[path]; ok {
			return place
		}
		path = path[:max(0, strings.LastIndexAny(path, ".["))]
	}
	return Place{}
}

// textMark stands behind the key path of a text for the place of its first character.
const textMark = "\x00"

// Within gives a place in the text of a key: so many lines below its first, and behind so many
// characters of the line. Where the text is folded or has escapes, so that its characters are
// elsewhere in the document, it is the place of the key.
func (p Places) Within(path string, line, column int) Place {
	if first, ok := p[path+textMark]; ok {
		return Place{first.Line + line, first.Column + column}
	}
	return p.Near(path)
}

// text notes where a text's first character stands, if those that follow stand behind it: in a text
// on one line as it is written, with or without quotes, and below a |.
func (p Places) text(path string, node ast.Node) {
	switch n := node.(type) {
	case *ast.StringNode:
		at, quotes := placeOf(n), 0
		if n.Token.Type == token.DoubleQuoteType || n.Token.Type == token.SingleQuoteType {
			quotes = 1
		}
		written := strings.TrimSpace(n.Token.Origin)
		if quotes == 1 && len(written) >= 2 {
			written = written[1 : len(written)-1]
		}
		if written == n.Value && !strings.Contains(written, "\n") {
			p[path+textMark] = Place{at.Line, at.Column + quotes}
		}
	case *ast.LiteralNode:
		if n.Start.Value == "|" || n.Start.Value == "|-" || n.Start.Value == "|+" {
			lead := len(n.Value.Token.Origin) - len(strings.TrimLeft(n.Value.Token.Origin, " "))
			p[path+textMark] = Place{placeOf(n).Line + 1, lead + 1}
		}
	}
}

// Finding is one thing that is wrong with a document.
type Finding struct {
	File string
	Place
	Key    string // the key path, empty when the document as a whole is meant
	Detail string // what is wrong and what would be right
}

// Error is the finding on one line, as compilers write it: "frontdesk.yaml:3:1: listen: ...".
func (f Finding) Error() string {
	var b strings.Builder
	if f.File != "" {
		b.WriteString(f.File + ":")
	}
	if f.Line > 0 {
		fmt.Fprintf(&b, "%d:%d:", f.Line, f.Column)
	}
	if b.Len() > 0 {
		b.WriteByte(' ')
	}
	if f.Key != "" {
		b.WriteString(f.Key + ": ")
	}
	return b.String() + f.Detail
}

// Findings are all that is wrong, in the order of the document.
type Findings []Finding

// Error gives one line for each finding.
func (f Findings) Error() string {
	lines := make([]string, len(f))
	for i := range f {
		lines[i] = f[i].Error()
	}
	return strings.Join(lines, "\n")
}

// Sort puts findings into the order of the document.
func (f Findings) Sort() {
	slices.SortStableFunc(f, func(a, b Finding) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
}

// Decode reads text into the struct that into points to. Keys that the text does not name keep the
// values they have, so that defaults are set beforehand. The error, if any, is of type Findings;
// the values that could be read are set in any case, so that further checks can find more.
//
// Fields are named by their tag: `yaml:"name"`, with ",required" for a key that must be there with
// a value. An int field with the tag `yaml:",line"` receives the line on which its struct begins. A
// []string takes one text or a list. Fields without a tag are not read.
func Decode(file string, text []byte, into any) (Places, error) {
	d := &decoder{file: file, places: Places{}}
	if body, ok := d.parse(text); ok && body != nil {
		d.document(body, into)
	}
	if len(d.findings) > 0 {
		d.findings.Sort()
		return d.places, d.findings
	}
	return d.places, nil
}

// parse gives the document's body, nil when it has none, false when it cannot be read.
func (d *decoder) parse(text []byte) (body ast.Node, ok bool) {
	if len(text) > maxBytes {
		d.report(Place{}, "", "the file has more than %d bytes", maxBytes)
		return nil, false
	}
	if place, why := excess(text); why != "" {
		d.report(place, "", "%s", why)
		return nil, false
	}
	// The library is meant to answer every input with an error; should one slip through, the owner
	// reads a sentence instead of a stack.
	defer func() {
		if r := recover(); r != nil {
			d.report(Place{}, "", "this is no YAML that can be read")
			body, ok = nil, false
		}
	}()
	file, err := parser.ParseBytes(text, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		at, message := syntaxError(err)
		d.report(at, "", "not YAML: %s", message)
		return nil, false
	}
	var bodies []ast.Node
	for _, doc := range file.Docs {
		if doc.Body != nil && doc.Body.Type() != ast.NullType {
			bodies = append(bodies, doc.Body)
		}
	}
	switch len(bodies) {
	case 0:
		return nil, true
	case 1:
		return bodies[0], true
	}
	d.report(placeOf(bodies[1]),
		"", "a second document begins here; a configuration is one document, so remove the line ---")
	return nil, false
}

// syntaxError says where a text is no YAML, and why.
func syntaxError(err error) (Place, string) {
	var syntax *yaml.SyntaxError
	if errors.As(err, &syntax) && syntax.Token != nil {
		at := syntax.Token.Position
		return Place{at.Line, at.Column}, syntax.Message
	}
	first, _, _ := strings.Cut(err.Error(), "\n")
	return Place{}, first
}

// excess finds brackets nested so deep, or a line so long, that no configuration is meant: they
// would cost the parser its stack. Brackets in texts and comments count too, which is strict with a
// strange file alone.
func excess(text []byte) (Place, string) {
	depth, line, start := 0, 1, 0
	for i, c := range text {
		switch c {
		case '\n':
			line, start = line+1, i+1
		case '[', '{':
			depth++
		case ']', '}':
			depth = max(0, depth-1)
		}
		if depth > maxDepth {
			return Place{line, i - start + 1}, fmt.Sprintf("nested deeper than %d levels", maxDepth)
		}
		if i-start > maxLine {
			return Place{line, 1}, fmt.Sprintf("the line is longer than %d bytes", maxLine)
		}
	}
	return Place{}, ""
}

func placeOf(n ast.Node) Place {
	if n == nil || n.GetToken() == nil || n.GetToken().Position == nil {
		return Place{}
	}
	at := n.GetToken().Position
	return Place{at.Line, at.Column}
}
