package segment

import (
	"errors"
	"slices"

	"frontdesk/internal/infra/sealed/layout"
)

// KeptSections is how many sections a segment takes in a file.
const KeptSections = 20

// ErrKept is the error of sections that are not those of a segment.
var ErrKept = errors.New("the segment's parts do not fit together")

// Sections gives all that a file must hold of the segment beside the names of its items. They are
// the segment's own memory.
func (g *Segment) Sections() [][]byte {
	scalars := []int64{int64(g.long)}
	for _, a := range g.averages {
		scalars = append(scalars, int64(a))
	}
	sections := [][]byte{
		layout.Bytes(g.census().scalars(scalars)), g.codes, layout.Bytes(g.starts), layout.Bytes(g.ItemOf),
		layout.Bytes(g.FirstPassage), layout.Bytes(g.ends), layout.Bytes(g.breaks), g.Languages,
		layout.Bytes(g.Ranks()), layout.Bytes(g.Forms.Terms), layout.Bytes(g.postings), layout.Bytes(g.docs),
		layout.Bytes(g.impacts), layout.Bytes(g.windows),
	}
	for _, list := range []*WordList{&g.Words, &g.Keys, &g.Forms.Words} {
		sections = append(sections, list.bytes, layout.Bytes(list.ends))
	}
	return sections
}

// scalars appends the census to some numbers.
func (c *Census) scalars(to []int64) []int64 {
	to = append(to, int64(c.Units), int64(c.Items))
	for _, n := range c.Languages {
		to = append(to, int64(n))
	}
	for f := range fields {
		to = append(to, c.words[f], int64(c.having[f]))
	}
	return to
}

// parts reads sections; after the first that does not fit it gives nothing more.
type parts struct {
	left   [][]byte
	broken bool
}

func (p *parts) next() []byte {
	if len(p.left) == 0 {
		p.broken = true
		return nil
	}
	section := p.left[0]
	p.left = p.left[1:]
	return section
}

func values[T any](p *parts) []T {
	all, ok := layout.Of[T](p.next())
	p.broken = p.broken || !ok
	return all
}

// Opened gives the view that a file's sections hold, of items with these names, in which all items
// live. It looks at what tells where things are; that the things themselves are what was written,
// the file's checksums tell.
func Opened(sections [][]byte, refs []any) (*View, error) {
	p := &parts{left: sections}
	scalars := values[int64](p)
	f := &Forward{
		codes: p.next(), starts: values[uint32](p), ItemOf: values[uint16](p), FirstPassage: values[uint16](p),
		ends: values[uint16](p), breaks: values[uint32](p), Languages: p.next(), Refs: refs,
	}
	ranks := values[uint16](p)
	f.ranked.once.Do(func() { f.ranked.ranks = ranks })
	f.Forms.Terms = values[uint32](p)
	g := &Segment{Forward: f, postings: values[uint32](p), docs: values[uint16](p), impacts: values[uint16](p),
		windows: values[window](p)}
	for _, list := range []*WordList{&f.Words, &f.Keys, &f.Forms.Words} {
		list.bytes, list.ends = p.next(), values[uint32](p)
	}
	v := &View{Segment: g}
	if p.broken || len(p.left) > 0 || !v.count(scalars) || !f.fits(ranks) || !g.fits() {
		return nil, ErrKept
	}
	f.Words.find()
	f.Keys.find()
	return v, nil
}

// count takes the numbers that Sections wrote first.
func (v *View) count(scalars []int64) bool {
	if len(scalars) != 1+int(fields)+2+MaxLanguages+2*int(fields) {
		return false
	}
	v.long, scalars = int(scalars[0]), scalars[1:]
	for i := range v.averages {
		v.averages[i] = int8(scalars[i])
	}
	scalars = scalars[fields:]
	v.Alive.Units, v.Alive.Items, scalars = int(scalars[0]), int(scalars[1]), scalars[2:]
	for i := range v.Alive.Languages {
		v.Alive.Languages[i] = int(scalars[i])
	}
	for i := range fields {
		v.Alive.words[i], v.Alive.having[i] = scalars[MaxLanguages+2*i], int(scalars[MaxLanguages+2*i+1])
	}
	return v.Alive.Units == v.Units() && v.Alive.Units > 0 && v.Alive.Items == len(v.Refs)
}

// fits says whether the places that a batch notes are in it.
func (f *Forward) fits(ranks []uint16) bool {
	units, items := f.Units(), len(f.Refs)
	switch {
	case units > MaxUnits, len(f.starts) != units+1, len(f.breaks) != units+1, len(f.FirstPassage) != units,
		len(f.Languages) != items, len(ranks) != items, f.Keys.Len() != items,
		len(f.Forms.Terms) != f.Forms.Words.Len(),
		f.starts[0] != 0, f.breaks[0] != 0, !layout.Rising(f.starts, len(f.codes)),
		!layout.Rising(f.breaks, len(f.ends)):
		return false
	}
	for u, item := range f.ItemOf {
		before := -1
		if u > 0 {
			before = int(f.ItemOf[u-1])
		}
		if int(item) != before && int(item) != before+1 || f.starts[u]%CodeSize != 0 || f.breaks[u+1] == f.breaks[u] {
			return false
		}
		for _, end := range f.PartEnds(u) {
			if int(end) > len(f.Text(u)) {
				return false
			}
		}
	}
	return int(f.ItemOf[units-1]) == items-1 && len(f.codes)%CodeSize == 0 && layout.Below(ranks, items) &&
		f.Words.fits() && f.Keys.fits() && f.Forms.Words.fits() && f.Words.Len() > 0 &&
		len(f.Words.Word(Separator)) == 0 &&
		layout.Below(f.Languages, MaxLanguages) && layout.Below(f.Forms.Terms, f.Words.Len())
}

// fits says whether the places that a segment notes are in it.
func (g *Segment) fits() bool {
	return len(g.postings) == g.Words.Len()+1 && g.postings[0] == 0 && layout.Rising(g.postings, len(g.docs)) &&
		len(g.impacts) == len(g.docs) && g.long > 0 && g.long <= g.Words.Len() &&
		len(g.windows) == g.long*g.windowCount()
}

func (l *WordList) fits() bool { return layout.Rising(l.ends, len(l.bytes)) }

// find makes the table that finds words.
func (l *WordList) find() {
	size := 64
	for 3*size < 4*(l.Len()+1) {
		size *= 2
	}
	l.grow(size)
}

// Gone gives the items that are dead, by number.
func (v *View) Gone() (items []uint32) {
	for item := range uint32(len(v.Refs)) {
		if v.Dead.Has(v.FirstUnit(int(item))) {
			items = append(items, item)
		}
	}
	return items
}

// Without gives the view with some items dead, all of which are alive.
func (v *View) Without(items []uint32) (*View, error) {
	var numbers []int
	for i, item := range items {
		if int(item) >= len(v.Refs) || i > 0 && item <= items[i-1] {
			return nil, ErrKept
		}
		numbers = append(numbers, int(item))
	}
	if len(numbers) == 0 {
		return v, nil
	}
	if v = v.killed(numbers); v.Alive.Units == 0 {
		return nil, ErrKept
	}
	return v, nil
}

// Alike says whether views were given their impacts together.
func Alike(views []*View) bool {
	return !slices.ContainsFunc(views, func(v *View) bool { return v.averages != views[0].averages })
}
