package index

import (
	"encoding/json"
	"slices"

	"frontdesk/internal/content"
	"frontdesk/internal/content/facets"
	"frontdesk/internal/content/vector/words"
	"frontdesk/internal/infra/sealed/layout"
	"frontdesk/internal/policy"
)

// itemParts is how many sections the items of a segment take in a file.
const itemParts = 10

// keptItem is what a file has of an item in a fixed place. What it has of each of the lists ends
// where this says, and begins where the item before ends.
type keptItem struct {
	Since, Dated             int64
	ID, URL, Own             uint32 // in the texts
	Types, Named             uint32 // numbers of names: its types; words of its name
	Figures, Values, Vectors uint32
	Site, Source             uint32 // numbers of names
	Language, Speaks         uint32 // as it says, and the one in which it is
	Directed, Titled         uint8  // its first vector is its direction; the next is that of its name
	Open, Whole, Told        uint8
	_                        [3]uint8
}

// itemSections gives what a file holds of items, which are *Doc.
func itemSections(refs []any) ([][]byte, error) {
	w := itemWriter{numbers: map[string]uint32{}}
	for _, ref := range refs {
		if err := w.add(ref.(*Doc)); err != nil {
			return nil, err
		}
	}
	names, ends := layout.Texts(w.names)
	signs := directionsOf(refs)
	return [][]byte{
		layout.Bytes(w.items), w.text, names, layout.Bytes(ends), layout.Bytes(w.types), layout.Bytes(w.named),
		layout.Bytes(w.figures), layout.Bytes(w.values), layout.Bytes(w.vectors), layout.Bytes(signs.Bits()),
	}, nil
}

type itemWriter struct {
	items        []keptItem
	text         []byte
	names        []string
	numbers      map[string]uint32
	types, named []uint32
	figures      []fact
	values       []value
	vectors      []int8
}

func (w *itemWriter) name(s string) uint32 {
	n, known := w.numbers[s]
	if !known {
		n = uint32(len(w.names))
		w.names = append(w.names, s)
		w.numbers[s] = n
	}
	return n
}

func (w *itemWriter) add(l *Doc) error {
	item := keptItem{
		Since: l.Since, Dated: l.Dated, Site: w.name(l.Site), Source: w.name(l.Source), Language: w.name(l.Language),
		Speaks: w.name(l.speaks), Open: bit(l.open), Whole: bit(l.whole), Told: bit(l.told),
		Directed: bit(l.direction != nil), Titled: bit(l.named != nil),
	}
	w.text = append(w.text, l.ID...)
	item.ID = uint32(len(w.text))
	w.text = append(w.text, l.URL...)
	item.URL = uint32(len(w.text))
	if l.Own != nil {
		own, err := json.Marshal(l.Own)
		if err != nil {
			return err
		}
		w.text = append(w.text, own...)
	}
	item.Own = uint32(len(w.text))
	for _, t := range l.Types {
		w.types = append(w.types, w.name(t))
	}
	w.named = append(w.named, l.naming.words...)
	w.figures, w.values = append(w.figures, l.facts.figures...), append(w.values, l.facts.values...)
	w.vectors = append(append(w.vectors, l.direction...), l.named...)
	for _, said := range l.said {
		w.vectors = append(w.vectors, said...)
	}
	item.Types, item.Named = uint32(len(w.types)), uint32(len(w.named))
	item.Figures, item.Values, item.Vectors = uint32(len(w.figures)), uint32(len(w.values)), uint32(len(w.vectors))
	w.items = append(w.items, item)
	return nil
}

func bit(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}

// itemReader reads items. The names and lists of what it gives are the sections' own memory.
type itemReader struct {
	items        []keptItem
	text         []byte
	names        []string
	types, named []uint32
	figures      []fact
	values       []value
	vectors      []int8
	dimensions   int

	before keptItem               // the item before, where the lists of the next begin
	typed  []string               // by place in types
	owned  map[string]*policy.Own // many items have the same terms
}

// readItems gives the items that sections hold and the signs of their directions, with vectors of
// so many dimensions and values of a dictionary; false where the sections are something else.
func readItems(sections [][]byte, dimensions int, d *dictionary) (refs []any, signs words.Signs, ok bool) {
	r := itemReader{text: sections[1], dimensions: dimensions, owned: map[string]*policy.Own{}}
	var fits [8]bool
	r.items, fits[0] = layout.Of[keptItem](sections[0])
	r.names, fits[1] = layout.ReadTexts(sections[2], sections[3])
	r.types, fits[2] = layout.Of[uint32](sections[4])
	r.named, fits[3] = layout.Of[uint32](sections[5])
	r.figures, fits[4] = layout.Of[fact](sections[6])
	r.values, fits[5] = layout.Of[value](sections[7])
	r.vectors, fits[6] = layout.Of[int8](sections[8])
	bits, eighth := layout.Of[uint64](sections[9])
	fits[7] = eighth
	if slices.Contains(fits[:], false) || !r.known(d) {
		return nil, signs, false
	}
	docs := make([]Doc, len(r.items))
	refs = make([]any, len(docs))
	for i := range docs {
		if !r.read(&r.items[i], &docs[i]) {
			return nil, signs, false
		}
		refs[i] = &docs[i]
	}
	signs, ok = words.SignsIn(bits, len(refs), dimensions)
	return refs, signs, ok
}

// known says whether all numbers are those of something, and gives the types their names.
func (r *itemReader) known(d *dictionary) bool {
	name := func(n uint32) bool { return int(n) < len(r.names) }
	texts := make([]int, len(d.names))
	for i, slot := range d.names {
		if v := d.slots[slot]; v != nil {
			texts[i] = len(v.texts)
		}
	}
	r.typed = make([]string, len(r.types))
	for i, n := range r.types {
		if !name(n) {
			return false
		}
		r.typed[i] = r.names[n]
	}
	return !slices.ContainsFunc(r.items, func(i keptItem) bool {
		return !name(i.Site) || !name(i.Source) || !name(i.Language) || !name(i.Speaks)
	}) && layout.Below(r.named, len(d.heads.words)) &&
		!slices.ContainsFunc(r.figures, func(f fact) bool {
			return int(f.slot) >= len(texts) || int(f.unit) >= len(d.units) || f.kind > facets.Times
		}) &&
		!slices.ContainsFunc(r.values, func(v value) bool {
			return int(v.slot) >= len(texts) || int(v.number) >= texts[v.slot]
		})
}

// piece is what lies between two places of a list.
func piece[T any](all []T, from, to uint32) ([]T, bool) {
	if from > to || int(to) > len(all) {
		return nil, false
	}
	if from == to {
		return nil, true
	}
	return all[from:to:to], true
}

func (r *itemReader) read(item *keptItem, l *Doc) bool {
	before := r.before
	r.before = *item
	id, a := piece(r.text, before.Own, item.ID)
	url, b := piece(r.text, item.ID, item.URL)
	own, c := piece(r.text, item.URL, item.Own)
	types, d := piece(r.typed, before.Types, item.Types)
	named, e := piece(r.named, before.Named, item.Named)
	figures, f := piece(r.figures, before.Figures, item.Figures)
	values, g := piece(r.values, before.Values, item.Values)
	vectors, h := piece(r.vectors, before.Vectors, item.Vectors)
	if !(a && b && c && d && e && f && g && h) || len(types) == 0 || len(vectors)%max(1, r.dimensions) != 0 {
		return false
	}
	*l = Doc{
		Ref: content.Ref{Site: r.names[item.Site], Source: r.names[item.Source], ID: layout.Text(id),
			Since: item.Since},
		URL: layout.Text(url), Types: types, Language: r.names[item.Language], Dated: item.Dated,
		facts: facts{figures, values}, speaks: r.names[item.Speaks], told: item.Told == 1, naming: naming{named},
		open: item.Open == 1, whole: item.Whole == 1,
	}
	for i := 0; i < len(vectors); i += r.dimensions {
		v := words.Vector(vectors[i : i+r.dimensions : i+r.dimensions])
		switch {
		case i == 0 && item.Directed == 1:
			l.direction = v
		case l.named == nil && item.Titled == 1:
			l.named = v
		default:
			l.said = append(l.said, v)
		}
	}
	if (l.direction != nil) != (item.Directed == 1) || (l.named != nil) != (item.Titled == 1) {
		return false
	}
	return len(own) == 0 || r.own(own, l)
}

// own reads the terms that an item states of itself.
func (r *itemReader) own(text []byte, l *Doc) bool {
	known := r.owned[string(text)]
	if known == nil {
		known = &policy.Own{}
		if json.Unmarshal(text, known) != nil {
			return false
		}
		r.owned[string(text)] = known
	}
	l.Own = known
	return true
}
