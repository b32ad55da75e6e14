package search

import (
	"frontdesk/internal/content/search/segment"
	"frontdesk/internal/content/vector/words"
	"frontdesk/internal/infra/sealed/layout"
)

// Kept is a segment of a snapshot as files keep it.
type Kept struct{ view *segment.View }

// Kept gives the segments of a snapshot that was prepared.
func (s *Snapshot) Kept() []Kept {
	all := make([]Kept, len(s.views))
	for i, v := range s.views {
		all[i] = Kept{v}
	}
	return all
}

// Same is equal for segments that have the same sections: they may differ in what of them is gone.
func (k Kept) Same() any { return k.view.Segment }

// Part gives the group of items that the segment is.
func (k Kept) Part() Part { return Part{k.view.Forward} }

// Gone gives the numbers of the items that are gone, rising.
func (k Kept) Gone() []uint32 { return k.view.Gone() }

// Sections gives all that a file must hold of the segment beside its items.
func (k Kept) Sections() [][]byte {
	d := derivedOf(k.view)
	sections := k.view.Sections()
	for _, numbers := range [][]uint32{d.near.starts, d.near.forms, d.composed.ends, d.composed.all, d.kindred.forms} {
		sections = append(sections, layout.Bytes(numbers))
	}
	var directions []int8
	for _, direction := range d.kindred.directions {
		directions = append(directions, direction...)
	}
	return append(sections, layout.Bytes(directions), layout.Bytes(d.kindred.lengths),
		layout.Bytes(d.kindred.signs.Bits()))
}

// Open gives the segment that sections hold, of items with these names, with some of them gone. The
// index is one with the same table.
func (x *Index) Open(sections [][]byte, refs []any, gone []uint32) (Kept, error) {
	if len(sections) <= segment.KeptSections {
		return Kept{}, segment.ErrKept
	}
	v, err := segment.Opened(sections[:segment.KeptSections], refs)
	if err != nil {
		return Kept{}, err
	}
	d := &derived{}
	if !d.take(v, sections[segment.KeptSections:], x.options.Table) {
		return Kept{}, segment.ErrKept
	}
	v.Derived(func() any { return d })
	v, err = v.Without(gone)
	return Kept{v}, err
}

// take takes what Sections wrote behind the segment.
func (d *derived) take(v *segment.View, sections [][]byte, t *words.Table) bool {
	var numbers [5][]uint32
	if len(sections) != len(numbers)+3 {
		return false
	}
	fits := true
	for i := range numbers {
		var ok bool
		numbers[i], ok = layout.Of[uint32](sections[i])
		fits = fits && ok
	}
	n, c, k := &d.near, &d.composed, &d.kindred
	n.starts, n.forms, c.ends, c.all, k.forms = numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]
	places, forms := len(n.starts)-1, v.Forms.Words.Len()
	if !fits || places < 1 || places&(places-1) != 0 || int(n.starts[places]) != len(n.forms) ||
		!layout.Below(k.forms, forms) ||
		!layout.Below(c.ends, v.Words.Len()) || !layout.Below(c.all, v.Words.Len()) {
		return false
	}
	if t != nil && !k.take(sections[len(numbers):], t.Dimensions()) {
		return false
	}
	n.once.Do(func() {})
	c.once.Do(func() {})
	return true
}

// Start makes segments of one snapshot the state of a new index.
func (x *Index) Start(all []Kept) error {
	views := make([]*segment.View, len(all))
	for i, k := range all {
		views[i] = k.view
	}
	if !segment.Alike(views) {
		return segment.ErrKept
	}
	x.writer.Lock()
	defer x.writer.Unlock()
	x.current.Store(newSnapshot(x.analyzer, x.options.Table, views))
	return nil
}

// take takes the directions of forms, each of so many dimensions, with their lengths and signs.
func (k *kindred) take(sections [][]byte, size int) bool {
	values, _ := layout.Of[int8](sections[0])
	lengths, ok := layout.Of[float64](sections[1])
	bits, fits := layout.Of[uint64](sections[2])
	if !ok || !fits || len(values) != size*len(k.forms) || len(lengths) != len(k.forms) {
		return false
	}
	k.directions, k.lengths = make([]words.Vector, len(lengths)), lengths
	for i := range k.directions {
		k.directions[i] = values[i*size : (i+1)*size]
	}
	k.once.Do(func() {})
	k.signs, ok = words.SignsIn(bits, len(k.forms), size)
	return ok
}
