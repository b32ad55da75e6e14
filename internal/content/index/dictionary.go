package index

import (
	"slices"
	"strings"
	"sync"

	"frontdesk/internal/content/facets"
	"frontdesk/internal/content/index/heads"
)

// dictionary holds each value that items have in words once. It only grows; a library begins a new
// one when it builds its index anew. Readers and the one writer may use it at once.
type dictionary struct {
	mu    sync.RWMutex
	slots map[facets.Slot]*vocabulary
	names []facets.Slot // by number
	by    map[facets.Slot]uint16
	units []string // of figures, by number; the first is none
	heads headWords
}

// vocabulary is the values of one slot.
type vocabulary struct {
	texts  []string            // as they were first written
	number map[string]uint32   // nil until a value is to be entered
	words  map[string][]uint32 // a word of values, folded and in the singular, to the values that have it
	spread int                 // how many values are in words already
}

func newDictionary() *dictionary {
	return &dictionary{slots: map[facets.Slot]*vocabulary{}, by: map[facets.Slot]uint16{}, units: []string{""}}
}

// maxSlots is how many different slots are kept. What comes after them is not kept in columns.
const maxSlots = 4096

// slot gives the number of a slot, which it enters if it is new.
func (d *dictionary) slot(slot facets.Slot) (number uint16, ok bool) {
	number, ok = d.by[slot]
	if !ok && len(d.names) < maxSlots {
		number, ok = uint16(len(d.names)), true
		slot = facets.Slot(strings.Clone(string(slot)))
		d.names = append(d.names, slot)
		d.by[slot] = number
	}
	return number, ok
}

// fact is a figure or a time of an item.
type fact struct {
	low, high float64
	slot      uint16
	unit      uint16
	kind      facets.Kind
}

// value is a value in words of an item: a slot and a number in its vocabulary.
type value struct {
	slot   uint16
	number uint32
}

// facts are what an item says of itself, packed.
type facts struct {
	figures []fact
	values  []value
}

// pack enters the values of an item and gives them as numbers.
func (d *dictionary) pack(read facets.Facts) facts {
	d.mu.Lock()
	defer d.mu.Unlock()
	var f facts
	if n := len(read.Figures); n > 0 {
		f.figures = make([]fact, 0, n)
	}
	if n := len(read.Words); n > 0 {
		f.values = make([]value, 0, n)
	}
	for _, figure := range read.Figures {
		if slot, ok := d.slot(figure.Slot); ok {
			f.figures = append(f.figures,
				fact{low: figure.Low, high: figure.High, slot: slot, unit: d.unit(figure.Unit), kind: figure.Kind})
		}
	}
	for _, word := range read.Words {
		slot, ok := d.slot(word.Slot)
		if !ok {
			continue
		}
		v := d.slots[word.Slot]
		if v == nil {
			v = &vocabulary{}
			d.slots[d.names[slot]] = v
		}
		v.known()
		number, known := v.number[word.Text]
		if !known {
			text := strings.Clone(word.Text)
			number = uint32(len(v.texts))
			v.texts = append(v.texts, text)
			v.number[text] = number
		}
		f.values = append(f.values, value{slot, number})
	}
	return f
}

// known makes sure that each value is found by its text.
func (v *vocabulary) known() {
	if v.number == nil {
		v.number = make(map[string]uint32, len(v.texts))
		for n, text := range v.texts {
			v.number[text] = uint32(n)
		}
	}
}

func (d *dictionary) unit(name string) uint16 {
	if at := slices.Index(d.units, name); at >= 0 {
		return uint16(at)
	}
	if len(d.units) == 1<<16-1 {
		return 0
	}
	d.units = append(d.units, strings.Clone(name))
	return uint16(len(d.units) - 1)
}

// number gives the number of a slot that some item has or had.
func (d *dictionary) number(slot facets.Slot) (uint16, bool) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	n, ok := d.by[slot]
	return n, ok
}

// text gives a value of a slot by its number.
func (d *dictionary) text(slot facets.Slot, number uint32) string {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.slots[slot].texts[number]
}

// describing gives the words of colours, materials, sizes, brands and of whom things are for.
func (d *dictionary) describing() map[string]bool {
	d.mu.RLock()
	defer d.mu.RUnlock()
	words := map[string]bool{}
	for _, slot := range []facets.Slot{facets.Color, facets.Material, facets.Size, facets.Brand, facets.Audience} {
		if v := d.slots[slot]; v != nil {
			for _, text := range v.texts {
				for word := range strings.FieldsSeq(text) {
					words[heads.Bare(word)] = true
				}
			}
		}
	}
	return words
}

// numbers gives the numbers of those slots that some item has or had.
func (d *dictionary) numbers(slots []facets.Slot) []uint16 {
	d.mu.RLock()
	defer d.mu.RUnlock()
	var all []uint16
	for _, slot := range slots {
		if n, ok := d.by[slot]; ok {
			all = append(all, n)
		}
	}
	return all
}

// unitNumber gives the number of a unit, or one that no figure has.
func (d *dictionary) unitNumber(name string) uint16 {
	d.mu.RLock()
	defer d.mu.RUnlock()
	if at := slices.Index(d.units, name); at >= 0 {
		return uint16(at)
	}
	return 1<<16 - 1
}

// matching gives the numbers of the values of a slot that have all words of asked, in any order and
// form. Of categories, where one is just what is asked for, the others are given apart: "Lighting &
// Ceiling Fans" is not "Ceiling Fans".
func (d *dictionary) matching(slot facets.Slot, asked string) (found, others []uint32) {
	d.mu.Lock()
	defer d.mu.Unlock()
	v := d.slots[slot]
	if v == nil {
		return nil, nil
	}
	v.spreadOut()
	folded := facets.Fold(asked)
	words := strings.Fields(folded)
	for i, word := range words {
		with := v.words[form(word)]
		if i == 0 {
			found = slices.Clone(with)
			continue
		}
		found = slices.DeleteFunc(found, func(n uint32) bool { _, in := slices.BinarySearch(with, n); return !in })
	}
	if len(found) == 0 && !isASCII(folded) {
		for n, text := range v.texts { // scripts without blanks between words
			if strings.Contains(facets.Fold(text), folded) {
				found = append(found, uint32(n))
			}
		}
	}
	if slot == facets.Category {
		more := func(n uint32) bool { return strings.Count(facets.Fold(v.texts[n]), " ")+1 > len(words) }
		if !slices.ContainsFunc(found, func(n uint32) bool { return !more(n) }) {
			return found, nil
		}
		for _, n := range found {
			if more(n) {
				others = append(others, n)
			}
		}
		found = slices.DeleteFunc(found, more)
	}
	return found, others
}

// form brings the forms and spellings of a folded word together.
func form(word string) string { return facets.Singular(sameWord(word)) }

// spreadOut notes the words of values that came since the last time.
func (v *vocabulary) spreadOut() {
	if v.words == nil {
		v.words = map[string][]uint32{}
	}
	for ; v.spread < len(v.texts); v.spread++ {
		for word := range strings.FieldsSeq(facets.Fold(v.texts[v.spread])) {
			word = form(word)
			if with := v.words[word]; len(with) == 0 || with[len(with)-1] != uint32(v.spread) {
				v.words[word] = append(with, uint32(v.spread))
			}
		}
	}
}

// sameWord brings two spellings of a word together.
func sameWord(word string) string {
	switch word {
	case "gray":
		return "grey"
	case "colour", "coloured":
		return "color"
	case "jewellery":
		return "jewelry"
	}
	return word
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}
