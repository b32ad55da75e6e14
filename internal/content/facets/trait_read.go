package facets

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"frontdesk/internal/infra/language"
)

// Describe is Read with the attributes whose values are concepts: what the item's properties, its
// name and its description state and mention of them. The language is a BCP 47 tag, or empty where
// it is not known.
func Describe(object []byte, language string) Facts {
	root := parse(object)
	var r reader
	if root.kind != '{' {
		return r.Facts
	}
	r.thing(&root, true)
	r.complete()
	r.diets(root.name())
	r.speaker(&root)
	d := describer{reader: &r, traitTables: traits(), root: &root, stated: map[Slot][]string{},
		mentioned: map[Slot][]string{}}
	d.prose = root.member("description").name() + "\n" + root.prose
	d.name, d.text = foldTrait(root.name()), foldTrait(d.prose)
	if d.in = LanguageNamed(language); d.in == 0 {
		d.in = LanguagesOf(d.name + " " + d.text)
	}
	d.describe()
	return r.Facts
}

// describer reads what an item states of attributes.
type describer struct {
	*reader
	*traitTables
	root              *node
	prose             string
	name, text        string // folded
	in                Languages
	stated, mentioned map[Slot][]string
}

func (d *describer) describe() {
	d.byProperties()
	for slot := range d.stated {
		if slot == Audience {
			d.stated[slot] = grown(d.stated[slot])
		}
	}
	proper := map[Slot]bool{}
	for slot := range d.stated {
		proper[slot] = true
	}
	free := func(slot Slot) bool { return !proper[slot] || d.bySlot[slot].also }
	d.scan(d.name, func(t Trait) {
		if a := d.bySlot[t.Slot]; a.byName && free(t.Slot) {
			d.state(t)
		} else {
			d.mention(t)
		}
	})
	for _, w := range d.Words {
		if w.Slot != Category && w.Slot != Keywords {
			continue
		}
		d.scan(foldTrait(w.Text), func(t Trait) {
			if a := d.bySlot[t.Slot]; a.byCategory && w.Slot == Category && !proper[t.Slot] {
				d.state(t)
			} else {
				d.mention(t)
			}
		})
	}
	d.root.member("@type").each(func(n *node) {
		if t, ok := d.byType[enumerated(n.text)]; ok && !proper[t.Slot] {
			d.state(t)
		}
	})
	named := map[Slot]bool{}
	for slot := range d.stated {
		named[slot] = true
	}
	d.scan(d.text, func(t Trait) {
		if a := d.bySlot[t.Slot]; a.byText && !named[t.Slot] {
			d.state(t)
		} else {
			d.mention(t)
		}
	})
	d.sizes()
	d.figures()
	if !slices.ContainsFunc(ofNobody, d.root.isType) {
		for sentence := range sentences(d.root.name() + "\n" + d.prose) {
			d.whom(sentence)
		}
	}
	if place := d.root.member("address").kind != 0; d.root.isType("JobPosting") ||
		!place && !slices.ContainsFunc(ofNobody, d.root.isType) {
		d.days(d.root.name(), d.prose)
	}
	if slices.ContainsFunc(d.Figures, func(f Figure) bool { return f.Slot == Age && f.Low >= adultAge }) {
		d.mention(Trait{Audience, "adults"})
	}
	d.measure()
	d.write()
}

// grown leaves out men and women where children are stated: what is for girls is not for women.
func grown(audiences []string) []string {
	young := func(a string) bool { return a == "children" || a == "girls" || a == "boys" || a == "babies" }
	if !slices.ContainsFunc(audiences, young) {
		return audiences
	}
	return slices.DeleteFunc(audiences, func(a string) bool { return a == "women" || a == "men" })
}

func (d *describer) state(t Trait) {
	if !slices.Contains(d.stated[t.Slot], t.Value) {
		d.stated[t.Slot] = append(d.stated[t.Slot], t.Value)
	}
}

func (d *describer) mention(t Trait) {
	if !slices.Contains(d.mentioned[t.Slot], t.Value) {
		d.mentioned[t.Slot] = append(d.mentioned[t.Slot], t.Value)
	}
}

// byProperties reads what properties state: those of an attribute's own name, whatever their
// values, and figures in units that give something away.
func (d *describer) byProperties() {
	for _, w := range d.Words {
		for i, slot := range d.attributesOf(w.Slot) {
			d.property(slot, w.Text, i == 0)
		}
	}
	for _, f := range d.Figures {
		if t, ok := d.byUnit[f.Unit]; ok {
			d.state(t)
		}
		if f.Slot == Age && f.High < adultAge {
			d.state(Trait{Audience, "children"})
		}
	}
}

const adultAge = 16

// attributesOf gives the attributes that a property of a name is about.
func (t *traitTables) attributesOf(name Slot) []Slot {
	if of := t.names[name]; of != nil {
		return of
	}
	if t.bySlot[name] != nil {
		return []Slot{name}
	}
	return nil
}

// property reads the value of a property of an attribute. Of several attributes that it may be
// about, a bare yes or no answers the first.
func (d *describer) property(slot Slot, text string, first bool) {
	a := d.bySlot[slot]
	if a.unit != "" {
		return
	}
	folded := foldTrait(text)
	found := false
	d.find(folded, slot, func(t Trait, _ span) {
		d.state(t)
		found = true
	})
	if found || !first || !IsFlag(slot) {
		return
	}
	word, _, _ := strings.Cut(folded, " ")
	switch {
	case d.no[folded] || d.no[word] || d.negations[word]:
		d.state(Trait{slot, "no"})
	case d.yes[folded] || d.yes[word]:
		d.state(Trait{slot, "yes"})
	}
}

// span is where a phrase stands.
type span struct{ from, to int }

// find finds the values of one attribute, as its properties have them, in any language.
func (d *describer) find(folded string, slot Slot, yield func(Trait, span)) {
	d.walk(folded, func(s *sense) bool { return s.Slot == slot }, yield)
}

// scan finds the values of all attributes in running words. A value that is denied is none; of what
// is or is not, it is the opposite.
func (d *describer) scan(folded string, yield func(Trait)) {
	words := strings.Fields(folded)
	d.walk(folded, func(s *sense) bool { return !s.inner && s.counts(d.in) }, func(t Trait, at span) {
		denied := at.to < len(words) && d.behind[words[at.to]]
		for i := max(0, at.from-negationReach); i < at.from && i < len(words); i++ {
			denied = denied || d.negations[words[i]]
		}
		switch {
		case !denied:
			yield(t)
		case t.Value == "yes":
			yield(Trait{t.Slot, "no"})
		}
	})
}

// negationReach is how many words before a value a negation counts.
const negationReach = 2

// walk looks for phrases whose senses count, the longest first at each word; what looks like a
// value hides it.
func (t *traitTables) walk(folded string, counts func(*sense) bool, yield func(Trait, span)) {
	if language.IsJoined(folded) {
		far := span{len(folded), len(folded)} // no word before or behind denies it
		t.walkJoined(folded, counts, func(trait Trait, _ span) { yield(trait, far) })
	}
	words := strings.Fields(folded)
	until := map[Slot]int{}
	at := 0 // of the word in the text
	for i, word := range words {
		start := at
		at += len(word) + 1
		end := start + len(word)
		spans := [8]int{}
		most := min(t.longest[word], len(words)-i, len(spans))
		for n := range most {
			if n > 0 {
				end += 1 + len(words[i+n])
			}
			spans[n] = end
		}
		for n := most; n > 0; n-- {
			t.yield(t.senses[folded[start:spans[n-1]]], counts, until, span{i, i + n}, yield)
		}
		if len(t.compounds) > 0 && len(word) > 2*leastHead {
			for n := len(word) - leastHead; n >= leastHead; n-- {
				t.yield(t.compounds[word[:n]], counts, until, span{i, i + 1}, yield)
			}
		}
	}
}

// yield gives the values of the senses of a phrase whose attributes have nothing at its place yet.
func (t *traitTables) yield(senses []sense, counts func(*sense) bool, until map[Slot]int, at span,
	yield func(Trait, span)) {
	if len(senses) == 0 {
		return
	}
	var said []Trait
	for i := range senses {
		s := &senses[i]
		if until[s.Slot] <= at.from && counts(s) && !slices.Contains(said, s.Trait) {
			said = append(said, s.Trait)
		}
	}
	for _, trait := range said {
		until[trait.Slot] = max(until[trait.Slot], at.to)
		if trait.Value != "" && !slices.Contains(said, Trait{Slot: trait.Slot}) {
			yield(trait, at)
		}
	}
}

// walkJoined is walk for scripts without blanks between words.
func (t *traitTables) walkJoined(folded string, counts func(*sense) bool, yield func(Trait, span)) {
	until := map[Slot]int{}
	for i, r := range folded {
		for _, phrase := range t.joined[r] {
			if !strings.HasPrefix(folded[i:], phrase) {
				continue
			}
			t.yield(t.senses[phrase], counts, until, span{i, i + len(phrase)}, yield)
		}
	}
}

// write enters what was found. What is stated stands with all that it is a kind of.
func (d *describer) write() {
	for _, a := range d.attributes {
		values := d.stated[a.slot]
		kinds := map[string]bool{}
		for _, value := range values {
			for _, parent := range a.parents[value] {
				kinds[parent] = true
			}
		}
		for _, value := range values {
			d.enter(Stated(a.slot), value)
			if !kinds[value] {
				d.enter(Stated(a.slot), Unspecified(value))
			}
			for _, above := range a.above(value) {
				d.enter(Stated(a.slot), above)
			}
		}
		if len(values) > 0 {
			continue
		}
		for _, value := range d.mentioned[a.slot] {
			d.enter(Mentioned(a.slot), value)
			for _, above := range a.above(value) {
				d.enter(Mentioned(a.slot), above)
			}
		}
	}
}

// above gives all that a value is a kind of.
func (a *attribute) above(value string) (all []string) {
	for _, parent := range a.parents[value] {
		all = append(append(all, parent), a.above(parent)...)
	}
	return all
}

func (d *describer) enter(slot Slot, value string) {
	if w := (Word{slot, value}); !slices.Contains(d.Words, w) && len(d.Words) < 2*maxWords {
		d.Words = append(d.Words, w)
	}
}

// figures gives figures of attributes that are stated under other names, or in the item's name.
func (d *describer) figures() {
	have := map[Slot]bool{}
	for _, f := range d.Figures {
		have[f.Slot] = true
	}
	for _, f := range slices.Clone(d.Figures) {
		of := d.attributesOf(f.Slot)
		if f.Slot == Size {
			of = []Slot{"capacity", "weight"}
		}
		for _, slot := range of {
			if a := d.bySlot[slot]; a.unit != "" && a.unit == f.Unit && !have[slot] {
				f.Slot, have[slot] = slot, true
				d.figure(f)
			}
		}
	}
	name := d.root.name()
	for i := 0; i < len(name); {
		q, n := Quantity{}, 0
		if digitAt(name, i) && (i == 0 || !wordy(name[:i])) {
			q, n = ReadQuantity(name[i:])
		}
		for _, slot := range []Slot{"capacity", "weight"} {
			if n > 0 && q.Unit == d.bySlot[slot].unit && !have[slot] {
				have[slot] = true
				d.figure(Figure{Slot: slot, Kind: Figures, Low: q.Value, High: q.Value, Unit: q.Unit})
			}
		}
		_, size := utf8.DecodeRuneInString(name[i:])
		i += max(n, size)
	}
}

// measuredIn are base units. Of each, an item's greatest figure is kept.
var measuredIn = []string{"cm", "g", "ml", "°C", "GB", "W"}

// measure keeps the greatest figure of each unit. Of dimensions it is the longest: "110 x 75 cm".
func (d *describer) measure() {
	greatest := map[string]float64{}
	see := func(value float64, unit string) {
		if known, ok := greatest[unit]; slices.Contains(measuredIn, unit) && (!ok || value > known) {
			greatest[unit] = value
		}
	}
	for _, f := range d.Figures {
		if f.Kind == Figures {
			see(f.High, f.Unit)
		}
	}
	for _, w := range d.Words {
		if most := longest(w.Text); most > 0 && !Derived(w.Slot) {
			see(most, "cm")
		}
	}
	for _, unit := range measuredIn {
		if value, ok := greatest[unit]; ok {
			d.figure(Figure{Slot: Measured(unit), Kind: Figures, Low: value, High: value, Unit: unit})
		}
	}
}

// dimensions are two or three lengths: "110 x 75 cm", "30 cm × 20 cm".
var dimensions = regexp.MustCompile(`^\d+(?:[.,]\d+)?(?: ?\pL{1,2})?(?: ?[x×*] ?\d+(?:[.,]\d+)?(?: ?\pL{1,2})?){1,2}$`)

// longest is the greatest of the dimensions that a text is, in centimetres; 0 for any other text.
func longest(text string) (most float64) {
	if !dimensions.MatchString(text) {
		return 0
	}
	parts := strings.FieldsFunc(text, func(c rune) bool { return strings.ContainsRune("x×*", c) })
	end := strings.TrimSpace(parts[len(parts)-1])
	last, _ := ReadQuantity(end)
	one, _ := ReadNumber(end)
	if last.Unit != "cm" || one == 0 {
		return 0
	}
	for _, part := range parts {
		value, _ := ReadNumber(strings.TrimSpace(part))
		most = max(most, value*last.Value/one)
	}
	return most
}

// sizes states the sizes that properties and the description give, ranges one by one.
func (d *describer) sizes() {
	var all []string
	for _, w := range d.Words {
		if w.Slot == Size || d.isSize(w.Slot) {
			all = append(all, sizesIn(w.Text)...)
		}
	}
	for _, f := range d.Figures {
		if (f.Slot == Size || d.isSize(f.Slot)) && f.Unit == "" && f.Low == f.High {
			all = append(all, sizesIn(strconv.FormatFloat(f.Low, 'f', -1, 64))...)
		}
	}
	for _, text := range []string{d.root.name(), d.prose} {
		if len(all) == 0 {
			all = d.sizesBehind(text)
		}
	}
	for _, size := range all {
		d.enter(Stated(Size), size)
	}
}

// isSize says whether a property of a name gives sizes.
func (d *describer) isSize(name Slot) bool { return d.traitTables.sizes[Fold(string(name))] }

// sizesBehind gives the sizes that stand behind a word for them in running text: "taglie 40-46".
func (d *describer) sizesBehind(text string) []string {
	words := strings.FieldsFunc(text, unicode.IsSpace)
	for i, word := range words {
		if !d.traitTables.sizes[Fold(word)] {
			continue
		}
		if found := sizesIn(strings.Join(words[i+1:min(len(words), i+maxSizeWords)], " ")); len(found) > 0 {
			return found
		}
	}
	return nil
}

const (
	maxSizeWords = 10
	maxSizes     = 60
)

// letterSizes are sizes of clothes from the smallest on.
var letterSizes = []string{"xxs", "xs", "s", "m", "l", "xl", "2xl", "3xl", "4xl", "5xl"}

// sizeOf brings one word to a size: "XXL" and "2XL" are one.
func sizeOf(word string) (size string, letter int, number float64) {
	folded := Fold(word)
	if size := traits().sizeWords[folded]; size != "" {
		folded = size
	}
	if x := strings.TrimSuffix(folded, "xl"); len(x) > 0 && strings.Trim(x, "x") == "" { // "xxl"
		folded = strconv.Itoa(len(x)+1) + "xl"
	}
	if at := slices.Index(letterSizes, folded); at >= 0 {
		return folded, at, 0
	}
	value, err := strconv.ParseFloat(strings.Replace(strings.TrimSpace(word), ",", ".", 1), 64)
	if err != nil || value <= 0 || value > maxSizeNumber {
		return "", -1, 0
	}
	return strings.Replace(strconv.FormatFloat(value, 'f', -1, 64), ".", "h", 1), -1, value
}

// SizeName is a size as people write it: "XL", "38.5".
func SizeName(size string) string {
	if slices.Contains(letterSizes, size) {
		return strings.ToUpper(size)
	}
	if whole, half, ok := strings.Cut(size, "h"); ok && half == "5" {
		return whole + ".5"
	}
	return size
}

const maxSizeNumber = 200

// sizeSystems are the countries by whose sizes clothes and shoes are called.
var sizeSystems = []string{"eu", "uk", "us", "it", "fr", "de"}

// sizesIn reads sizes from the beginning of a text: one, a list, or ranges ("S-XL", "36 to 41").
// What else stands there ends it; a text that begins with something else has none.
func sizesIn(text string) (sizes []string) {
	text = strings.NewReplacer("–", "-", "‐", "-", "−", "-", "~", "-", "〜", "-", " - ", "-").Replace(text)
	pending := ""
	for word := range strings.FieldsFuncSeq(text,
		func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(",;/|()", r) }) {
		word = strings.TrimRight(word, ".:")
		folded := Fold(word)
		switch kind := traits().sizeWords[folded]; {
		case kind == "to":
			if len(sizes) > 0 {
				pending = sizes[len(sizes)-1]
			}
			continue
		case kind == "beside", slices.Contains(sizeSystems, folded):
			continue
		}
		from, to, ranged := strings.Cut(word, "-")
		if pending != "" {
			from, to, ranged, pending = pending, word, true, ""
		}
		if strings.Contains(from, "h") && ranged {
			from = strings.Replace(from, "h", ".", 1)
		}
		size, letter, number := sizeOf(from)
		if size == "" || len(sizes) >= maxSizes {
			break
		}
		last, lastLetter, lastNumber := "", -1, 0.0
		if ranged {
			last, lastLetter, lastNumber = sizeOf(to)
		}
		sizes = append(sizes, size)
		switch {
		case last == "":
		case letter >= 0 && lastLetter > letter:
			sizes = append(sizes, letterSizes[letter+1:lastLetter+1]...)
		case letter < 0 && lastNumber > number && lastNumber-number < maxSizes:
			for n := number + 1; n <= lastNumber; n++ {
				sizes = append(sizes, strings.Replace(strconv.FormatFloat(n, 'f', -1, 64), ".", "h", 1))
			}
		}
	}
	return sizes
}
