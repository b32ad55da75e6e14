package document

import (
	"errors"
	"path"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"

	"frontdesk/internal/content/ingest/charset"
	"frontdesk/internal/content/ingest/markup"
	"frontdesk/internal/content/ingest/vocabulary"

	extensionast "github.com/yuin/goldmark/extension/ast"

	gmtext "github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"frontdesk/internal/content"
	"frontdesk/internal/content/ingest/jsonrepair"
	"frontdesk/internal/content/ingest/passage"
)

// markdown makes an item of a page of Markdown: its front matter in schema.org's terms, its body as
// running text.
func (r *Reader) markdown(portion *Portion, out *Result) {
	source := charset.Printable(charset.DecodeJSON([]byte(portion.Text)))
	p := piece{file: portion.File, line: 1, page: portion.address(r.Base), isPage: true}
	if int64(len(source)) > r.Limits.Item {
		out.problem(portion.File.Name, tooLong(r.Limits.Item))
		return
	}
	mark, matter, body := splitMatter(source)
	n, err := readMatter(mark, matter)
	var fault matterFault
	if errors.As(err, &fault) {
		out.Problems = append(out.Problems, Problem{
			Origin: place(portion.File.Name, fault.line), Reason: fault.reason,
			Excerpt: excerptOfLine(source, fault.line),
		})
		return
	}
	if isDraft(n) {
		return
	}
	prose := readMarkdown(body)
	thing := matterThing(n)
	if nameOf(thing) == "" {
		thing.Set("name", jsonrepair.NewString(prose.name(portion.File.Name)))
	}
	if date := dayOfFile(portion.File.Name); date != "" && thing.Get("datePublished") == nil {
		thing.Set("datePublished", jsonrepair.NewString(date))
	}
	if at := r.Permalink.address(r.Base, portion.File.Name, thing, n); at != nil && thing.Get("url") == nil {
		p.page = at
	} else if slug := n.Get("slug"); thing.Get("url") == nil && text(slug) != "" {
		thing.Set("url", slug)
	}
	if picture(thing.Get("image")) == "" && prose.image != "" && thing.Get("image") == nil {
		thing.Set("image", jsonrepair.NewString(prose.image))
	}
	z := normaliser{base: p.page, page: p.page, language: r.Language}
	z.node(thing)
	if len(prose.blocks) == 0 && len(n.Members) == 0 {
		out.problem(portion.File.Name, "the page is empty")
		return
	}
	m := mapper{reader: r, page: p.page, base: p.page, isPage: true}
	r.item(out, &p, &m, find{node: thing}, thing, withoutTitle(prose.blocks, nameOf(thing)))
}

// isDraft says whether front matter keeps a page back.
func isDraft(matter *jsonrepair.Node) bool {
	for _, m := range matter.Members {
		name := strings.ToLower(m.Name)
		if m.Value.Kind == jsonrepair.Bool &&
			(name == "draft" && m.Value.Text == "true" || name == "published" && m.Value.Text == "false") {
			return true
		}
	}
	return false
}

// matterNames gives schema.org's property for what writers call it in front matter.
var matterNames = map[string]string{
	"title": "name", "headline": "headline", "name": "name",
	"summary": "description", "excerpt": "description", "subtitle": "alternativeHeadline",
	"date": "datePublished", "published": "datePublished", "pubdate": "datePublished", "publishdate": "datePublished",
	"published_at": "datePublished", "published_time": "datePublished", "created": "dateCreated",
	"updated": "dateModified", "lastmod": "dateModified", "modified": "dateModified",
	"last_modified_at": "dateModified", "updated_at": "dateModified",
	"authors": "author", "by": "author", "byline": "author",
	"cover": "image", "banner": "image", "thumbnail": "image", "featured_image": "image", "featuredimage": "image",
	"hero": "image", "og_image": "image", "ogimage": "image", "images": "image",
	"tags": "keywords", "categories": "keywords", "topics": "keywords", "category": "keywords", "keywords": "keywords",
	"section": "articleSection",
	"lang":    "inLanguage", "language": "inLanguage", "locale": "inLanguage",
	"permalink": "url", "canonical": "url", "canonical_url": "url", "canonicalurl": "url", "link": "url",
	"type": "@type", "schema": "@type", "schematype": "@type",
}

// matterNoise is what only the program that builds a site needs.
var matterNoise = vocabulary.Set(`layout draft weight aliases menu toc sidebar sidebar_position sidebar_label comments order nav_order redirect_from
	template cascade build outputs slug published math mermaid pin resources params extra hide_title pagination_next pagination_prev custom_edit_url taxonomies`)

// matterThing puts front matter into schema.org's terms. Properties of schema.org pass as they are.
func matterThing(matter *jsonrepair.Node) *jsonrepair.Node {
	thing := &jsonrepair.Node{Kind: jsonrepair.Object}
	thing.Set("@type", jsonrepair.NewString("Article"))
	members := matter.Members
	if grouped := matter.Get("taxonomies"); grouped.IsObject() { // as one such program has them
		members = append(members[:len(members):len(members)], grouped.Members...)
	}
	for _, m := range members {
		name, known := matterNames[strings.ToLower(m.Name)]
		switch {
		case m.Value.Kind == jsonrepair.Null:
			continue
		case !known && matterNoise[strings.ToLower(m.Name)], m.Value.Kind == jsonrepair.Bool && known:
			continue
		case !known:
			name = m.Name
		}
		switch {
		case name == "@type":
			setType(thing, m.Value)
		case name == "keywords" && thing.Get(name) != nil:
			thing.Set(name,
				jsonrepair.NewArray(append(append([]*jsonrepair.Node(nil), thing.Get(name).List()...),
					m.Value.List()...)...))
		case thing.Get(name) == nil || name == m.Name:
			thing.Set(name, m.Value)
		}
	}
	return thing
}

// setType takes a type from front matter if schema.org knows it, or if it is written like one;
// "post" and "page" are words of the program that builds the site.
func setType(thing, value *jsonrepair.Node) {
	var names []*jsonrepair.Node
	for _, one := range value.List() {
		name := vocabulary.TypeName(text(one))
		first, _ := utf8.DecodeRuneInString(name)
		if _, known := content.KnownType(name); known || unicode.IsUpper(first) && !strings.ContainsAny(name, " /") {
			names = append(names, jsonrepair.NewString(name))
		}
	}
	if len(names) > 0 {
		thing.Set("@type", jsonrepair.NewArray(names...))
	}
}

// prose is what a page of Markdown says.
type prose struct {
	title  string // its first heading, if that is of the first level
	image  string // its first picture
	blocks []passage.Block
}

// name is the page's title, or the name of its file in words.
func (p *prose) name(file string) string {
	if p.title != "" {
		return p.title
	}
	stem, _, _ := strings.Cut(path.Base(file), ".")
	if stem == "index" || stem == "_index" || stem == "README" || stem == "readme" {
		if dir := path.Base(path.Dir(file)); dir != "." && dir != "/" {
			stem = dir
		}
	}
	words := strings.FieldsFunc(stem, func(r rune) bool { return r == '-' || r == '_' || r == ' ' })
	name := strings.Join(words, " ")
	first, size := utf8.DecodeRuneInString(name)
	return string(unicode.ToUpper(first)) + name[size:]
}

var markdownParser = sync.OnceValue(func() goldmark.Markdown {
	return goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.TaskList,
		extension.DefinitionList))
})

// readMarkdown gives the running text of Markdown.
func readMarkdown(source string) *prose {
	data := []byte(tame(source))
	r := markdownReader{source: data}
	r.block(markdownParser().Parser().Parse(gmtext.NewReader(data)), false)
	return &r.prose
}

// Bounds within which the parser of Markdown takes linear time; no page that a person wrote comes
// near.
const (
	maxMarkers = 32   // of quotes and lists at the beginning of one line
	maxMarks   = 1000 // of emphasis, links and the like in one paragraph
)

// tame takes from Markdown what would cost more than it says: markers of a line beyond a number,
// and the marks of paragraphs that have very many.
func tame(source string) string {
	var out strings.Builder
	paragraph, marks, tamed := 0, 0, false
	flush := func(end int) {
		if part := source[paragraph:end]; marks > maxMarks {
			tamed = true
			out.WriteString(strings.Map(func(r rune) rune {
				if strings.ContainsRune(inlineMarks, r) {
					return ' '
				}
				return r
			}, part))
		} else {
			out.WriteString(part)
		}
		paragraph, marks = end, 0
	}
	at := 0
	for line := range strings.Lines(source) {
		markers, length := leadingMarkers(line)
		if markers > 0 || strings.TrimSpace(line) == "" {
			flush(at)
		}
		if markers > maxMarkers {
			tamed = true
			paragraph = at + length
		}
		for i := length; i < len(line); i++ {
			if strings.IndexByte(inlineMarks, line[i]) >= 0 {
				marks++
			}
		}
		at += len(line)
	}
	flush(len(source))
	if !tamed {
		return source
	}
	return out.String()
}

// inlineMarks begin what the parser must look for the end of.
const inlineMarks = "*_[]!<`~"

// leadingMarkers counts the markers of quotes, lists and headings at a line's beginning.
func leadingMarkers(line string) (markers, length int) {
	for length < len(line) {
		c := line[length]
		switch {
		case c == ' ' || c == '\t':
		case c == '>' || c == '#':
			markers++
		case (c == '-' || c == '*' || c == '+') && length+1 < len(line) && line[length+1] <= ' ':
			markers++
		case c >= '0' && c <= '9' && length+1 < len(line) && (line[length+1] == '.' || line[length+1] == ')'):
			markers++
			length++
		default:
			return markers, length
		}
		length++
	}
	return markers, length
}

// markdownReader walks a parsed page.
type markdownReader struct {
	prose
	source []byte
}

// block adds a node's text and that of the blocks in it; tight says that the node is in a list.
func (r *markdownReader) block(n ast.Node, tight bool) {
	switch n := n.(type) {
	case *ast.Heading:
		heading := r.inline(n)
		if n.Level == 1 && r.title == "" && len(r.blocks) == 0 {
			r.title = heading
		}
		r.add(passage.Block{Text: heading, Leads: true})
		return
	case *ast.Paragraph, *ast.TextBlock, *extensionast.DefinitionTerm:
		r.add(passage.Block{Text: r.inline(n), Tight: tight})
		return
	case *ast.CodeBlock, *ast.FencedCodeBlock:
		r.add(passage.Block{Text: r.lines(n)})
		return
	case *ast.HTMLBlock:
		r.blocks = append(r.blocks, passage.Blocks(markup.WithoutTags(r.lines(n)))...)
		return
	case *extensionast.TableRow, *extensionast.TableHeader:
		var cells []string
		for cell := n.FirstChild(); cell != nil; cell = cell.NextSibling() {
			cells = append(cells, r.inline(cell))
		}
		r.add(passage.Block{Text: strings.Join(cells, " | "), Tight: true})
		return
	}
	for child := n.FirstChild(); child != nil; child = child.NextSibling() {
		r.block(child, n.Kind() == ast.KindListItem || tight)
	}
	if n.Kind() == ast.KindList && !tight || n.Kind() == extensionast.KindTable {
		passage.EndParagraph(r.blocks)
	}
}

func (r *markdownReader) add(b passage.Block) {
	if strings.TrimSpace(b.Text) != "" {
		r.blocks = append(r.blocks, b)
	}
}

func (r *markdownReader) lines(n ast.Node) string {
	var out strings.Builder
	for i := range n.Lines().Len() {
		segment := n.Lines().At(i)
		out.Write(segment.Value(r.source))
	}
	return out.String()
}

// inline is the text in a block, without its marks.
func (r *markdownReader) inline(n ast.Node) string {
	var out strings.Builder
	r.write(&out, n)
	return markup.CollapseSpace(out.String())
}

func (r *markdownReader) write(out *strings.Builder, n ast.Node) {
	for child := n.FirstChild(); child != nil; child = child.NextSibling() {
		switch child := child.(type) {
		case *ast.Text:
			out.Write(
				util.UnescapePunctuations(
					util.ResolveEntityNames(util.ResolveNumericReferences(child.Segment.Value(r.source)))))
			if child.SoftLineBreak() || child.HardLineBreak() {
				out.WriteByte(' ')
			}
		case *ast.String:
			out.Write(child.Value)
		case *ast.AutoLink:
			out.Write(child.Label(r.source))
		case *ast.RawHTML:
			out.WriteByte(' ')
		case *ast.Image:
			if r.image == "" {
				r.image = string(child.Destination)
			}
			r.write(out, child)
		case *ast.CodeSpan:
			for part := child.FirstChild(); part != nil; part = part.NextSibling() {
				if part, ok := part.(*ast.Text); ok {
					out.Write(part.Segment.Value(r.source))
				}
			}
		default:
			r.write(out, child)
		}
	}
}
