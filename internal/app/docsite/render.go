package docsite

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extensionast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// markdown reads the pages. Markup of their own is left out: nothing but Markdown is needed.
var markdown = goldmark.New(
	goldmark.WithExtensions(extension.GFM),
	goldmark.WithParserOptions(parser.WithAutoHeadingID()),
	goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(blocks{}, 1))),
)

// render makes the page's HTML of its source, and takes title and sections out of it.
func (p *Page) render() error {
	context := parser.NewContext(parser.WithIDs(&ids{}))
	root := markdown.Parser().Parse(text.NewReader(p.source), parser.WithContext(context))
	title, ok := root.FirstChild().(*ast.Heading)
	if !ok || title.Level != 1 {
		return errors.New("the page does not begin with its title, `# ...`")
	}
	p.Title = plain(title, p.source)
	root.RemoveChild(root, title)
	p.Sections = []Section{{Title: p.Title, Level: 1}}
	var dead []ast.Node
	err := ast.Walk(root, func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch node := node.(type) {
		case *ast.Heading:
			id, _ := node.AttributeString("id")
			name, _ := id.([]byte)
			p.Sections = append(p.Sections, Section{ID: string(name), Title: plain(node, p.source), Level: node.Level})
			return ast.WalkSkipChildren, nil
		case *ast.RawHTML:
			return ast.WalkStop, fmt.Errorf("it has markup, %s: write Markdown alone", node.Segments.Value(p.source))
		case *ast.HTMLBlock:
			if text := node.Lines().Value(p.source); !bytes.HasPrefix(text, []byte("<!--")) {
				return ast.WalkStop, fmt.Errorf("it has markup, %s: write Markdown alone", text)
			}
		case *ast.Link:
			if !p.link(node) {
				dead = append(dead, node)
			}
		}
		p.note(node)
		return ast.WalkContinue, nil
	})
	if err != nil {
		return err
	}
	for _, link := range dead {
		unlink(link)
	}
	var out bytes.Buffer
	if err := markdown.Renderer().Render(&out, p.source, root); err != nil {
		return err
	}
	p.body = out.String()
	return nil
}

// link turns a link to another page's Markdown to its HTML. What lies outside the documentation is
// part of the source tree alone: such a link is false.
func (p *Page) link(link *ast.Link) bool {
	target, anchor, _ := strings.Cut(string(link.Destination), "#")
	if target == "" || strings.Contains(target, ":") {
		return true
	}
	if strings.HasPrefix(path.Join(path.Dir(p.Path), target), "../") {
		return false
	}
	if target == Map || strings.HasSuffix(target, "/"+Map) {
		target = strings.TrimSuffix(target, Map) + "index.html"
	} else if trimmed, is := strings.CutSuffix(target, ".md"); is {
		target = trimmed + ".html"
	}
	if anchor != "" {
		target += "#" + anchor
	}
	link.Destination = []byte(target)
	return true
}

// unlink leaves a link's text in its place.
func unlink(link ast.Node) {
	parent := link.Parent()
	for child := link.FirstChild(); child != nil; {
		next := child.NextSibling()
		parent.InsertBefore(parent, link, child)
		child = next
	}
	parent.RemoveChild(parent, link)
}

// note adds a node's own text to that of the section that it is in.
func (p *Page) note(node ast.Node) {
	section := &p.Sections[len(p.Sections)-1]
	switch node := node.(type) {
	case *ast.Text:
		section.text += string(node.Value(p.source))
		if node.SoftLineBreak() {
			section.text += " "
		}
	case *ast.FencedCodeBlock:
		section.text += "\n" + string(node.Lines().Value(p.source)) + "\n"
	case *ast.Paragraph, *ast.ListItem, *extensionast.TableCell:
		section.text += "\n"
	}
}

// plain is a node's text without marks.
func plain(node ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(node, func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		if text, is := node.(*ast.Text); is && entering {
			b.Write(text.Value(source))
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

// ids gives headings the ids that code hosts give them too, so that one link does for both.
type ids struct{ taken map[string]int }

// Generate is parser.IDs.
func (i *ids) Generate(value []byte, _ ast.NodeKind) []byte {
	id := strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, strings.TrimSpace(string(value)))
	if i.taken == nil {
		i.taken = map[string]int{}
	}
	n := i.taken[id]
	i.taken[id]++
	if n > 0 {
		id += "-" + strconv.Itoa(n)
	}
	return []byte(id)
}

// Put is parser.IDs.
func (*ids) Put([]byte) {}

// blocks draws tables and code: a table can be scrolled sideways, and code blocks that follow each
// other, with the word "tab" behind their language, are tabs of one example.
type blocks struct{}

// RegisterFuncs is renderer.NodeRenderer.
func (b blocks) RegisterFuncs(to renderer.NodeRendererFuncRegisterer) {
	to.Register(ast.KindFencedCodeBlock, b.code)
	to.Register(extensionast.KindTable, b.table)
	to.Register(ast.KindHTMLBlock, nothing) // comments; New refuses other markup
}

func nothing(util.BufWriter, []byte, ast.Node, bool) (ast.WalkStatus, error) {
	return ast.WalkSkipChildren, nil
}

func (blocks) table(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		_, _ = w.WriteString("<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Table\"><table>\n")
	} else {
		_, _ = w.WriteString("</table></div>\n")
	}
	return ast.WalkContinue, nil
}

// languages are what tabs are called.
var languages = map[string]string{
	"sh": "curl", "go": "Go", "ts": "TypeScript", "python": "Python", "html": "HTML", "yaml": "YAML",
}

func (blocks) code(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	language, tab := tabOf(node, source)
	_, before := tabOf(node.PreviousSibling(), source)
	if tab {
		if !before {
			_, _ = w.WriteString("<div class=\"tabs\">")
		}
		name, first := "", node
		for _, is := tabOf(first.PreviousSibling(), source); is; _, is = tabOf(first.PreviousSibling(), source) {
			first = first.PreviousSibling()
		}
		at := first.(*ast.FencedCodeBlock).Lines().At(0).Start
		code := node.(*ast.FencedCodeBlock).Lines().Value(source)
		switch name = languages[language]; {
		case name == "":
			name = language
		case language == "sh" && !bytes.HasPrefix(code, []byte("curl")):
			name = "Shell"
		}
		id := "tab-" + strconv.Itoa(at) + "-" + language
		checked := ""
		if !before {
			checked = " checked"
		}
		_, _ = w.WriteString(`<input type="radio" class="unseen" name="tab-` + strconv.Itoa(at) + `" id="` + id + `"` + checked +
			`><label for="` + id + `">` + name + "</label>")
	}
	_, _ = w.WriteString("<pre tabindex=\"0\"><code>")
	html.DefaultWriter.RawWrite(w, node.(*ast.FencedCodeBlock).Lines().Value(source))
	_, _ = w.WriteString("</code></pre>")
	if _, after := tabOf(node.NextSibling(), source); tab && !after {
		_, _ = w.WriteString("</div>")
	}
	_, _ = w.WriteString("\n")
	return ast.WalkSkipChildren, nil
}

// tabOf is the language of a code block, and whether it is a tab.
func tabOf(node ast.Node, source []byte) (language string, tab bool) {
	block, is := node.(*ast.FencedCodeBlock)
	if !is || block.Info == nil || block.Lines().Len() == 0 {
		return "", false
	}
	language, rest, _ := strings.Cut(string(block.Info.Value(source)), " ")
	return language, rest == "tab"
}
