package facets

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Lexicon is what the catalog's own items taught: which words are brands, colours, authors and the
// like, which types the items have, and what is said of them at all. It never changes; nil is an
// empty one.
type Lexicon struct {
	items    int
	types    map[string]int
	slots    map[string]Known
	meanings map[string][]Meaning
	currency string

	properties []Property
	figured    map[string]Slot // by the names, folded and in the singular, under which items state figures
	byUnit     map[string][]unitSlot
}

// Property is a value that items have under a name of their own.
type Property struct {
	Slot        Slot
	Name, Value string // folded; a value without a fold is as it is written
}

// Meaning is one way to understand a phrase: as a value that so many items have in a slot.
type Meaning struct {
	Slot  Slot
	Value string // as most items write it; a Constraint may carry it or the phrase
	Count int    // of items
}

// Known is something that the catalog's items say of themselves.
type Known struct {
	Slot  Slot
	Kind  Kind
	Unit  string // of figures, the one that most have: an ISO 4217 currency or a base unit of [Quantity]
	Count int    // of items that say it
}

// Declaring is how many items have a property for an attribute, under any of its names.
func (l *Lexicon) Declaring(slot Slot) (items int) {
	if l == nil {
		return 0
	}
	t := traits()
	for name, known := range l.slots {
		if Slot(name) == known.Slot && slices.Contains(t.attributesOf(known.Slot), slot) {
			items += known.Count
		}
	}
	return items
}

// LongestPhrase is how many words a phrase of a Lexicon has at most.
const LongestPhrase = 4

// Taught is what a Lexicon is made of.
type Taught struct {
	Items int            // how many there are
	Types map[string]int // schema.org types with how many items have them
	Slots []Known
	// Values are the values of slots of words, by slot. Of values that fold alike the first gives
	// the form.
	Values map[Slot][]Value
}

// Value is one value of a slot of words.
type Value struct {
	Text  string
	Count int
}

// NewLexicon makes a lexicon. Values that are empty or have more than LongestPhrase words when
// folded are left out.
func NewLexicon(taught Taught) *Lexicon {
	l := &Lexicon{
		items: taught.Items, types: taught.Types, slots: map[string]Known{}, meanings: map[string][]Meaning{},
		figured: map[string]Slot{}, byUnit: map[string][]unitSlot{},
	}
	for _, known := range taught.Slots {
		l.slots[string(known.Slot)] = known
		if Derived(known.Slot) {
			continue
		}
		l.slots[Fold(string(known.Slot))] = known
		if known.Slot == Price {
			l.currency = known.Unit
		}
	}
	for _, value := range taught.Values[Properties] {
		if name, said, ok := strings.Cut(value.Text, propertySign); ok {
			l.properties = append(l.properties, Property{Slot(camel(name)), Fold(name), Fold(said)})
			l.learnFigure(l.slots[camel(name)], Singular(Fold(name)), said)
		}
	}
	delete(taught.Values, Properties)
	for slot, values := range taught.Values {
		for _, value := range values {
			l.learn(slot, value)
		}
	}
	for _, meanings := range l.meanings {
		slices.SortFunc(meanings, func(a, b Meaning) int {
			if a.Count != b.Count {
				return b.Count - a.Count
			}
			return strings.Compare(string(a.Slot), string(b.Slot))
		})
	}
	return l
}

// learnFigure notes a figure that items state under a name of their own.
func (l *Lexicon) learnFigure(known Known, name, value string) {
	low, high, ok := readSpread(value)
	if known.Kind != Figures || !ok {
		return
	}
	l.figured[name], l.figured[Singular(Fold(string(known.Slot)))] = known.Slot, known.Slot
	for i := range l.byUnit[low.Unit] {
		if u := &l.byUnit[low.Unit][i]; u.slot == known.Slot {
			u.low, u.high = min(u.low, low.Value), max(u.high, high.Value)
			return
		}
	}
	l.byUnit[low.Unit] = append(l.byUnit[low.Unit], unitSlot{known.Slot, known.Count, low.Value, high.Value})
}

// unitSlot is a slot of figures in a unit: how many items state it, and between which figures.
type unitSlot struct {
	slot      Slot
	count     int
	low, high float64
}

// How many times as many items state a slot as the next in its unit where an amount alone means it,
// and how many times as much as any of its figures the amount may be, or as little.
const (
	plainlyMore = 3
	ofItsSize   = 4
)

// Figured gives the slot of the figures that items state under a name of their own, as a question
// says it.
func (l *Lexicon) Figured(name string) (slot Slot, ok bool) {
	if l == nil {
		return "", false
	}
	slot, ok = l.figured[Singular(name)]
	return slot, ok
}

// InUnit gives the slot of a name of their own under which items state figures about as great as an
// amount, where its unit makes it plain which.
func (l *Lexicon) InUnit(q Quantity) (slot Slot, ok bool) {
	if l == nil || q.Unit == "" {
		return "", false
	}
	most, next := 0, 0
	for _, u := range l.byUnit[q.Unit] {
		switch {
		case q.Value*ofItsSize < u.low || q.Value > u.high*ofItsSize:
		case u.count > most:
			slot, most, next = u.slot, u.count, most
		default:
			next = max(next, u.count)
		}
	}
	return slot, most > 0 && most >= plainlyMore*next
}

func (l *Lexicon) learn(slot Slot, value Value) {
	phrase := Fold(value.Text)
	if phrase == "" || strings.Count(phrase, " ") >= LongestPhrase {
		return
	}
	for i, known := range l.meanings[phrase] {
		if known.Slot == slot {
			l.meanings[phrase][i].Count += value.Count
			return
		}
	}
	l.meanings[phrase] = append(l.meanings[phrase], Meaning{Slot: slot, Value: value.Text, Count: value.Count})
	if slot == Author && strings.Contains(phrase, " ") { // who writes is called by one name, too
		for name := range strings.FieldsSeq(value.Text) {
			if utf8.RuneCountInString(name) >= leastName {
				l.learn(slot, Value{Text: name, Count: value.Count})
			}
		}
	}
}

// leastName is how many letters a first or last name has at least that is learned by itself.
const leastName = 3

// Meanings gives what a phrase of 1 to LongestPhrase words can mean, the most frequent first. The
// phrase must be in the form that [Fold] gives. The result must not be changed.
func (l *Lexicon) Meanings(phrase string) []Meaning {
	if l == nil {
		return nil
	}
	return l.meanings[phrase]
}

// Slot finds what items say by the name of an attribute: a slot's name in any case. ok is false
// when no item says it.
func (l *Lexicon) Slot(name string) (known Known, ok bool) {
	if l == nil {
		return Known{}, false
	}
	if known, ok = l.slots[name]; !ok && !Derived(Slot(name)) {
		known, ok = l.slots[Fold(name)]
	}
	return known, ok
}

// Properties gives what items have under names of their own. The result must not be changed.
func (l *Lexicon) Properties() []Property {
	if l == nil {
		return nil
	}
	return l.properties
}

// Types gives the schema.org types that items have, with how many have each. The result must not be
// changed.
func (l *Lexicon) Types() map[string]int {
	if l == nil {
		return nil
	}
	return l.types
}

// Items is how many items taught the lexicon.
func (l *Lexicon) Items() int {
	if l == nil {
		return 0
	}
	return l.items
}

// Currency is the currency in which most items have their price, empty when none has any.
func (l *Lexicon) Currency() string {
	if l == nil {
		return ""
	}
	return l.currency
}
