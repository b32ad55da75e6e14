package ingest

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"frontdesk/internal/content/ingest/jsonrepair"
	"frontdesk/internal/content/ingest/passage"
)

// result is what came of a unit.
type result struct {
	drafts   []draft
	problems []Problem
	read     int      // candidates for items
	cut      *Problem // why the rest of the file could not be read, where that is so: what is missing may still be the source's
	sight    *sight   // of a page of the web
}

// worker turns units into items. It is stateless and may be used by many at once.
type worker struct {
	source *Source
	base   *url.URL
	limits Limits
}

// work does one unit. A fault of this program, or of a library, on one hostile unit is that unit's problem.
func (w *worker) work(u *unit) (r result) {
	defer func() {
		if fault := recover(); fault != nil {
			r.problems = append(r.problems, Problem{u.file.name, fmt.Sprintf("this program failed on the file, which is a fault of the program: %v", fault)})
		}
	}()
	switch {
	case u.problem != nil:
		r.problems = append(r.problems, *u.problem)
	case u.form == linesForm:
		w.lines(u, &r)
	case u.form == documentForm && u.spans != nil:
		w.elements(u, &r)
	case u.form == documentForm:
		r.cut = w.text(&r, &piece{file: u.file, text: u.text, line: 1, page: u.address(w.base), base: w.baseOf(u)})
	case u.form == markdownForm:
		w.markdown(u, &r)
	case u.form == pageForm:
		w.page(u, &r)
	case u.form == feedForm:
		w.feed(u, &r)
	}
	return r
}

// address is that of the page which the unit's file makes, or from which it was had.
func (u *unit) address(base *url.URL) *url.URL {
	if u.visit != nil {
		return u.visit.at
	}
	return pageAddress(base, u.file.name)
}

// baseOf is what relative addresses in a unit of data are relative to: what the source says, or where it was had.
func (w *worker) baseOf(u *unit) *url.URL {
	if u.visit != nil && w.source.Base == "" {
		return u.visit.at
	}
	return w.base
}

func (w *worker) lines(u *unit, r *result) {
	valid := utf8.ValidString(u.text)
	page, base := u.address(w.base), w.baseOf(u)
	line := u.line
	for text := range strings.Lines(u.text) {
		p := piece{file: u.file, text: text, line: line, page: page, base: base, within: true}
		line++
		if int64(len(text)) > w.limits.Item+1 {
			r.problem(p.place(0, ""), tooLong(w.limits.Item))
			continue
		}
		if !valid {
			p.text = repair(text)
		}
		if fault := w.text(r, &p); fault != nil && !strings.HasSuffix(text, "\n") { // the file ends within a line
			r.cut = fault
		}
	}
}

func (w *worker) elements(u *unit, r *result) {
	page, base := u.address(w.base), w.baseOf(u)
	for i, s := range u.spans {
		w.text(r, &piece{file: u.file, text: u.text[s.begin:s.end], line: s.line, page: page, base: base, pointer: "/" + strconv.Itoa(u.index+i)})
	}
}

func (r *result) problem(origin, reason string) {
	r.problems = append(r.problems, Problem{origin, reason})
}

// unread notes a file that could not be read to its end.
func (r *result) unread(origin, reason string) {
	r.problem(origin, reason)
	r.cut = &Problem{origin, reason}
}

// piece is a text that holds JSON documents which may refer to each other.
type piece struct {
	file    file
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
		return strings.TrimSpace(p.file.name + block + " " + f.pointer)
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
	return strings.TrimSpace(place(p.file.name, line) + " " + p.pointer + pointer)
}

// text reads a piece and makes items of what it is about. It gives what of it could not be read.
func (w *worker) text(r *result, p *piece) *Problem {
	p.text = strings.TrimRight(p.text, " \t\r\n")
	documents, fault := jsonrepair.Parse(p.text, mostDepth)
	finds, h := w.finds(p, documents)
	w.items(r, p, h, finds)
	if fault != nil {
		why := Problem{p.place(fault.Offset, ""), "this is no JSON that can be read: " + fault.Reason}
		r.problems = append(r.problems, why)
		return &why
	}
	return nil
}

// finds gathers what documents are about.
func (w *worker) finds(p *piece, documents []*jsonrepair.Node) ([]find, *harvest) {
	h := &harvest{base: p.page}
	for i, d := range documents {
		z := normaliser{base: contextBase(d, p.base), page: p.page, language: w.source.Language}
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

// contextBase is the base for relative URLs that a document's @context names, else the one that holds without it.
func contextBase(n *jsonrepair.Node, otherwise *url.URL) *url.URL {
	for _, context := range n.Get("@context").List() {
		if base := context.Get("@base"); base != nil {
			if u := locate(base.Text, otherwise); u != nil {
				return u
			}
		}
	}
	return otherwise
}

// items maps what was found.
func (w *worker) items(r *result, p *piece, h *harvest, finds []find) {
	m := mapper{source: w.source, page: p.page, base: p.base, isPage: p.isPage}
	before := len(r.drafts)
	for _, f := range finds {
		w.item(r, p, &m, f, h.join(f.node), nil)
	}
	if len(finds) > 1 && finds[0].page {
		r.drafts = append(r.drafts[:before], settle(r.drafts[before:])...)
	}
}

// settle keeps the things apart that describe one page together and so came to have one URL. The one that stands for
// the page keeps it, the most telling of several; an article or a page beside it is the same thing said again, and
// others get a URL of their own within it.
func settle(drafts []draft) []draft {
	drafts = withoutEchoes(once(drafts))
	best := map[string]int{}
	for i := range drafts {
		d := &drafts[i]
		if known, taken := best[d.URL]; !taken || d.standing() > drafts[known].standing() {
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
			d.move(address + "#" + slug(or(d.Name, d.Types[0])))
			d.derived = true
		}
		kept = append(kept, d)
	}
	return kept
}

// standing orders the items of a page by how well each stands for it.
func (d *draft) standing() int {
	rank := telling(d.Types[0])
	if d.covers {
		rank += 10
	}
	return rank
}

// once leaves out what a page tells more than once: things of one name and type at one place, as several programs that
// write data into a page do. The one that says most stays.
func once(drafts []draft) []draft {
	if len(drafts) < 2 {
		return drafts
	}
	first := map[string]int{}
	kept := drafts[:0]
	for _, d := range drafts {
		name := folded(d.Name)
		kind := d.Types[0]
		if d.generic {
			kind = "Article"
		}
		key := kind + "\x00" + name + "\x00" + placeOf(d.URL)
		known, said := first[key]
		switch {
		case name == "" || d.stub || d.derived && !d.generic || isA(d.Types, "Event"): // which has one name on many days
		case !said:
			first[key] = len(kept)
		case d.weight() > kept[known].weight():
			d.covers = d.covers || kept[known].covers
			d.derived = d.derived && kept[known].derived
			if !kept[known].derived {
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

// withoutEchoes leaves out what stands beside the thing that a page is about and has the same name, as the film of a
// recipe does.
func withoutEchoes(drafts []draft) []draft {
	main := map[string]bool{}
	for i := range drafts {
		if d := &drafts[i]; d.covers && telling(d.Types[0]) != besideRank {
			main[folded(d.Name)+"\x00"+placeOf(d.URL)] = true
		}
	}
	return slices.DeleteFunc(drafts, func(d draft) bool {
		return telling(d.Types[0]) == besideRank && main[folded(d.Name)+"\x00"+placeOf(d.URL)]
	})
}

// placeOf is where an address leads, without what differs between the ways of writing it.
func placeOf(address string) string {
	_, address, _ = strings.Cut(address, "://")
	address, _, _ = strings.Cut(address, "#")
	return strings.TrimSuffix(strings.TrimPrefix(address, "www."), "/")
}

// move gives an item another URL.
func (d *draft) move(address string) {
	old := `"url":` + string(jsonrepair.AppendString(nil, d.URL))
	d.URL = address
	d.Object = []byte(strings.Replace(string(d.Object), old, `"url":`+string(jsonrepair.AppendString(nil, d.URL)), 1))
}

// item maps one thing and checks what came of it.
func (w *worker) item(r *result, p *piece, m *mapper, f find, n *jsonrepair.Node, blocks []passage.Block) {
	r.read++
	d, err := m.item(f, n, blocks)
	if tooDeep(n) {
		f.pointer = "" // as long as it is deep, and of no help
	}
	origin := p.origin(&f)
	if err == nil && int64(d.weight()) > w.limits.Item {
		err = fmt.Errorf("%s", tooLong(w.limits.Item))
	}
	switch {
	case errors.Is(err, errTorn):
		return
	case err != nil:
		r.problem(origin, err.Error())
		return
	}
	d.Origin = origin
	r.drafts = append(r.drafts, d)
}

// weight is about the bytes of an item.
func (d *draft) weight() int {
	sum := len(d.Object) + len(d.Keys)
	for i := range d.Passages {
		sum += len(d.Passages[i].Text)
	}
	return sum
}
