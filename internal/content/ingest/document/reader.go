// Package document makes items of one document: lines or documents of JSON-LD, a page of HTML or
// Markdown, a feed.
//
// A Splitter takes a file, or what came from the web, apart into Portions in bounded memory; a
// Reader turns each into Drafts of items, on as many cores as one likes; URLSet, in the order of
// the documents, keeps the drafts of one source apart by their URLs. What cannot be read is a
// Problem with its place and reason, and no more.
//
// The package opens the files that it is told of and no others. It must not know where documents
// come from, what was read before, or what becomes of the items: that is package ingest's. How
// pages are read is package markup's.
package document

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"frontdesk/internal/content/ingest/charset"
	"frontdesk/internal/content/ingest/jsonrepair"
	"frontdesk/internal/content/ingest/markup"
	"frontdesk/internal/content/ingest/pageurl"
	"frontdesk/internal/content/ingest/passage"
	"frontdesk/internal/content/ingest/vocabulary"
)

// Result is what a Reader made of a portion.
type Result struct {
	Drafts   []Draft
	Problems []Problem
	Read     int // candidates for items
	// Cut is why the rest of the file could not be read, where that is so: what is missing may
	// still be the source's.
	Cut *Problem
}

// Reader makes items of portions of documents. It keeps no state and may be used from many
// goroutines.
type Reader struct {
	// Base is where items stand that give no address, or a relative one.
	Base *url.URL
	// Language and Publisher are those of items that give none.
	Language, Publisher string
	// Schemes are those of URIs that items may have as their url beside the web's, separated by
	// blanks.
	Schemes string
	// Permalink is the pattern of the addresses of Markdown pages.
	Permalink Permalink
	Limits    Limits
}

// Read makes items of one portion. A fault of this program, or of a library, on one hostile portion
// is that portion's problem.
func (r *Reader) Read(p *Portion) (out Result) {
	defer func() {
		if fault := recover(); fault != nil {
			out.problem(p.File.Name,
				fmt.Sprintf("this program failed on the file, which is a fault of the program: %v", fault))
		}
	}()
	switch {
	case p.Problem != nil:
		out.Problems = append(out.Problems, *p.Problem)
		if p.Whole {
			out.Cut = p.Problem
		}
	case p.Format == Lines:
		r.lines(p, &out)
	case p.Format == JSON && p.spans != nil:
		r.elements(p, &out)
	case p.Format == JSON:
		out.Cut = r.text(&out,
			&piece{file: p.File, text: p.Text, line: 1, page: p.address(r.Base), base: p.base(r.Base)})
	case p.Format == Markdown:
		r.markdown(p, &out)
	case p.Format == HTML:
		r.page(p, &out)
	case p.Format == Feed:
		r.feed(p, &out)
	}
	return out
}

// address is that of the page which the portion's file makes, or from which it was had.
func (p *Portion) address(base *url.URL) *url.URL {
	if p.Address != nil {
		return p.Address
	}
	return pageurl.FromFile(base, p.File.Name)
}

// base is what relative addresses in a portion of data are relative to.
func (p *Portion) base(otherwise *url.URL) *url.URL { return cmp.Or(p.Base, otherwise) }

func (r *Reader) lines(portion *Portion, out *Result) {
	valid := utf8.ValidString(portion.Text)
	page, base := portion.address(r.Base), portion.base(r.Base)
	line := portion.Line
	for text := range strings.Lines(portion.Text) {
		fits := int64(len(text)) <= r.Limits.Item+1
		if fits && strings.TrimRight(text, " \t\r\n") == "" { // a small compressed file may have millions of these
			line++
			continue
		}
		p := piece{file: portion.File, text: text, line: line, page: page, base: base, within: true}
		line++
		if !fits {
			out.problem(p.place(0, ""), tooLong(r.Limits.Item))
			continue
		}
		if !valid {
			p.text = charset.Repair(text)
		}
		if fault := r.text(out, &p); fault != nil && !strings.HasSuffix(text, "\n") { // the file ends within a line
			out.Cut = fault
		}
	}
}

func (r *Reader) elements(portion *Portion, out *Result) {
	page, base := portion.address(r.Base), portion.base(r.Base)
	for i, s := range portion.spans {
		r.text(out, &piece{
			file: portion.File, text: portion.Text[s.begin:s.end], line: s.line, page: page, base: base,
			pointer: "/" + strconv.Itoa(portion.index+i),
		})
	}
}

func (r *Result) problem(origin, reason string) {
	r.Problems = append(r.Problems, Problem{Origin: origin, Reason: reason})
}

// unread notes a file that could not be read to its end.
func (r *Result) unread(origin, reason string) {
	r.problem(origin, reason)
	r.Cut = &Problem{Origin: origin, Reason: reason}
}

// piece is a text that holds JSON documents which may refer to each other.
type piece struct {
	file    File
	text    string
	line    int      // of its beginning in the file
	pointer string   // of its value in the file
	within  bool     // it is one line, which says enough of the place without a pointer to the value itself
	blocks  []string // of a page or a feed, instead of lines: which of its parts each document is
	lines   *jsonrepair.Lines
	page    *url.URL // of the file, or of the page that the piece is of
	base    *url.URL // for relative URLs: for data the source's, for a page its own
	isPage  bool     // what the piece tells of is the page
}

// origin names the place of what was found.
func (p *piece) origin(f *find) string {
	if p.isPage || p.blocks != nil {
		block := ""
		if f.document < len(p.blocks) {
			block = p.blocks[f.document]
		}
		return strings.TrimSpace(p.file.Name + block + " " + f.pointer)
	}
	return p.place(f.node.Offset, f.pointer)
}

// place names a value within the piece by its line.
func (p *piece) place(offset int, pointer string) string {
	line := p.line
	if offset > 0 && !p.within {
		if p.lines == nil {
			p.lines = jsonrepair.NewLines(p.text)
		}
		line += p.lines.Of(offset) - 1
	}
	return strings.TrimSpace(place(p.file.Name, line) + " " + p.pointer + pointer)
}

// text reads a piece and makes items of what it is about. It gives what of it could not be read.
func (r *Reader) text(out *Result, p *piece) *Problem {
	p.text = strings.TrimRight(p.text, " \t\r\n")
	documents, fault := jsonrepair.Parse(p.text, maxDepth)
	finds, h := r.finds(p, documents)
	r.items(out, p, h, finds)
	if fault != nil {
		why := Problem{
			Origin: p.place(fault.Offset, ""), Reason: noJSON + fault.Reason, Excerpt: excerpt(p.text, fault.Offset),
		}
		out.Problems = append(out.Problems, why)
		return &why
	}
	return nil
}

// finds gathers what documents are about.
func (r *Reader) finds(p *piece, documents []*jsonrepair.Node) ([]find, *extraction) {
	h := &extraction{base: p.page}
	for i, d := range documents {
		z := normaliser{base: contextBase(d, p.base), page: p.page, language: r.Language}
		z.node(d)
		if z.ids {
			h.index(documents[i])
		}
	}
	h.gather(documents)
	if p.isPage {
		for i := range h.finds {
			h.finds[i].page = true
		}
	}
	return h.choose(), h
}

// contextBase is the base for relative URLs that a document's @context names, else the one that
// holds without it.
func contextBase(n *jsonrepair.Node, otherwise *url.URL) *url.URL {
	for _, context := range n.Get("@context").List() {
		if base := context.Get("@base"); base != nil {
			if u := pageurl.Parse(base.Text, otherwise); u != nil {
				return u
			}
		}
	}
	return otherwise
}

// items maps what was found.
func (r *Reader) items(out *Result, p *piece, h *extraction, finds []find) {
	m := mapper{reader: r, page: p.page, base: p.base, isPage: p.isPage}
	before := len(out.Drafts)
	for _, f := range finds {
		r.item(out, p, &m, f, h.join(f.node), nil)
	}
	if len(finds) > 1 && finds[0].page {
		out.Drafts = append(out.Drafts[:before], resolvePage(out.Drafts[before:])...)
	}
}

// resolvePage keeps the things apart that describe one page together and so came to have one URL.
// The one that stands for the page keeps it, the most telling of several; an article or a page
// beside it is the same thing said again, and others get a URL of their own within it.
func resolvePage(drafts []Draft) []Draft {
	drafts = withoutEchoes(once(drafts))
	best := map[string]int{}
	for i := range drafts {
		d := &drafts[i]
		if known, taken := best[d.URL]; !taken || d.pageRank() > drafts[known].pageRank() {
			best[d.URL] = i
		}
	}
	if len(best) == len(drafts) {
		return drafts
	}
	kept := drafts[:0]
	for i, d := range drafts {
		if best[d.URL] != i {
			if d.generic {
				continue
			}
			address, _, _ := strings.Cut(d.URL, "#")
			d.move(address + "#" + pageurl.Slug(cmp.Or(d.Name, d.Types[0])))
			d.Derived = true
		}
		kept = append(kept, d)
	}
	return kept
}

// pageRank orders the items of a page by how well each stands for it.
func (d *Draft) pageRank() int {
	rank := vocabulary.Specificity(d.Types[0])
	if d.covers {
		rank += 10
	}
	return rank
}

// once leaves out what a page tells more than once: things of one name and type at one place, as
// several programs that write data into a page do. The one that says most stays.
func once(drafts []Draft) []Draft {
	if len(drafts) < 2 {
		return drafts
	}
	first := map[string]int{}
	kept := drafts[:0]
	for _, d := range drafts {
		name := markup.FoldLetters(d.Name)
		kind := d.Types[0]
		if d.generic {
			kind = "Article"
		}
		key := kind + "\x00" + name + "\x00" + placeOf(d.URL)
		known, said := first[key]
		switch {
		// which has one name on many days
		case name == "" || d.stub || d.Derived && !d.generic || vocabulary.IsA(d.Types, "Event"):
		case !said:
			first[key] = len(kept)
		case d.weight() > kept[known].weight():
			d.covers = d.covers || kept[known].covers
			d.Derived = d.Derived && kept[known].Derived
			if !kept[known].Derived {
				d.move(kept[known].URL)
			}
			kept[known] = d
			continue
		default:
			kept[known].covers = d.covers || kept[known].covers
			continue
		}
		kept = append(kept, d)
	}
	return kept
}

// withoutEchoes leaves out what stands beside the thing that a page is about and has the same name,
// as the film of a recipe does.
func withoutEchoes(drafts []Draft) []Draft {
	main := map[string]bool{}
	for i := range drafts {
		if d := &drafts[i]; d.covers && vocabulary.Specificity(d.Types[0]) != vocabulary.BesideRank {
			main[markup.FoldLetters(d.Name)+"\x00"+placeOf(d.URL)] = true
		}
	}
	return slices.DeleteFunc(drafts, func(d Draft) bool {
		return vocabulary.Specificity(d.Types[0]) == vocabulary.BesideRank &&
			main[markup.FoldLetters(d.Name)+"\x00"+placeOf(d.URL)]
	})
}

// placeOf is where an address leads, without what differs between the ways of writing it.
func placeOf(address string) string {
	_, address, _ = strings.Cut(address, "://")
	address, _, _ = strings.Cut(address, "#")
	return strings.TrimSuffix(strings.TrimPrefix(address, "www."), "/")
}

// move gives an item another URL.
func (d *Draft) move(address string) {
	old := `"url":` + string(jsonrepair.AppendString(nil, d.URL))
	d.URL = address
	d.Object = []byte(strings.Replace(string(d.Object), old, `"url":`+string(jsonrepair.AppendString(nil, d.URL)), 1))
}

// item maps one thing and checks what came of it.
func (r *Reader) item(out *Result, p *piece, m *mapper, f find, n *jsonrepair.Node, blocks []passage.Block) {
	out.Read++
	d, err := m.item(f, n, blocks)
	if tooDeep(n) {
		f.pointer = "" // as long as it is deep, and of no help
	}
	origin := p.origin(&f)
	if err == nil && int64(d.weight()) > r.Limits.Item {
		err = fmt.Errorf("%s", tooLong(r.Limits.Item))
	}
	switch {
	case errors.Is(err, errTorn):
		return
	case err != nil:
		out.problem(origin, err.Error())
		return
	}
	d.Origin = origin
	out.Drafts = append(out.Drafts, d)
}

// weight is about the bytes of an item.
func (d *Draft) weight() int {
	sum := len(d.Object) + len(d.Keys)
	for i := range d.Passages {
		sum += len(d.Passages[i].Text)
	}
	return sum
}
