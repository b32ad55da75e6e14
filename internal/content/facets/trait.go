package facets

import (
	"cmp"
	"embed"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"frontdesk/internal/infra/language"
)

// A trait is an attribute whose values are concepts: of which colour something is, for whom,
// whether it is waterproof. Items and questions say the same concept in many words and languages.
// traits/attributes.txt lists the attributes and their values, and one table a language the words
// for them:
//
//	[SLOT]                  the attribute that the lines below are about; [] is what holds for all
//	names: a; b             what properties of it are called
//	VALUE: a; b             words that say a value wherever they stand
//	VALUE= a; b             words that say it only as the value of a property of the attribute
//	not: a; b               words that look like a value and say none: "golden retriever"
//
// A word before ~ also stands with each of the endings of the language, and one before - begins a
// compound. A phrase behind = means something else in other languages: it counts where the text is
// known to be in its own. In [], common lists words by which the language is known, negations and
// except what turns a value around before it, free what does behind it, harm what says that
// something is not borne, size what leads to a size, "size to" and "size beside" what stands
// between sizes, "size s" words for one.
//
//go:embed traits/*.txt
var traitFiles embed.FS

// traitLanguages are the languages that have a table, in the order of their bits.
var traitLanguages = language.Tags

const inEnglish Languages = 1

// Languages is a set of languages in which a text may be; empty where nothing tells.
type Languages uint8

// Trait is a value of an attribute that words say.
type Trait struct {
	Slot  Slot
	Value string // the concept's name; empty for words that only look like one
}

// sense is a trait in a language.
type sense struct {
	Trait
	in    Languages
	own   bool // it counts in its own language alone
	inner bool // only as the value of a property
}

// attribute is what can be stated of items.
type attribute struct {
	slot                             Slot
	byName, byCategory, byText, also bool
	unit                             string              // of a figure
	parents                          map[string][]string // by value
	values                           []string            // in their order
}

// traitTables are the tables as they are looked up.
type traitTables struct {
	attributes []*attribute
	bySlot     map[Slot]*attribute
	senses     map[string][]sense
	longest    map[string]int     // how many words the longest phrase has that begins with a word
	joined     map[rune][]string  // phrases of scripts without blanks by their first letter, the longest first
	compounds  map[string][]sense // by what they begin with
	names      map[Slot][]Slot    // attributes by the name of a property
	byUnit     map[string]Trait
	byType     map[string]Trait
	shown      map[shownTrait]string // the first words for a value, and the first name of an attribute

	common                                               map[string]Languages
	sizeWords                                            map[string]string // "to", "beside", or the size that is meant
	yes, no, negations, exceptions, behind, harms, sizes map[string]bool
}

// shownTrait is a value, or an attribute without one, as a language calls it.
type shownTrait struct {
	Trait
	in Languages
}

var traits = sync.OnceValue(func() *traitTables {
	t := &traitTables{
		bySlot: map[Slot]*attribute{}, senses: map[string][]sense{}, longest: map[string]int{},
		joined: map[rune][]string{}, compounds: map[string][]sense{}, names: map[Slot][]Slot{},
		byUnit: map[string]Trait{}, byType: map[string]Trait{}, shown: map[shownTrait]string{},
		common: map[string]Languages{}, sizeWords: map[string]string{}, yes: map[string]bool{}, no: map[string]bool{},
		negations: map[string]bool{}, exceptions: map[string]bool{}, behind: map[string]bool{},
		harms: map[string]bool{}, sizes: map[string]bool{},
	}
	language.MustRead(traitFiles, "traits/attributes.txt", "", func(line language.Line) error {
		return t.declare(strings.Fields(line.Said))
	})
	for i, tag := range traitLanguages {
		table := traitTable{traitTables: t, in: 1 << i}
		language.MustRead(traitFiles, "traits/"+tag+".txt", ":=", table.read)
	}
	for _, phrases := range t.joined {
		slices.SortFunc(phrases, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	}
	return t
})

// declare reads a line of attributes.txt.
func (t *traitTables) declare(words []string) error {
	last := func() *attribute {
		if len(t.attributes) == 0 {
			return &attribute{}
		}
		return t.attributes[len(t.attributes)-1]
	}
	switch {
	case words[0] == "attribute" && len(words) > 2:
		a := &attribute{slot: Slot(words[1]), parents: map[string][]string{}}
		for _, evidence := range words[2:] {
			switch evidence {
			case "name":
				a.byName = true
			case "category":
				a.byCategory = true
			case "text":
				a.byText = true
			case "also":
				a.also = true
			default:
				return fmt.Errorf("unknown evidence %q", evidence)
			}
		}
		t.attributes, t.bySlot[a.slot] = append(t.attributes, a), a
	case words[0] == "figure" && len(words) == 3:
		a := &attribute{slot: Slot(words[1]), unit: words[2]}
		t.attributes, t.bySlot[a.slot] = append(t.attributes, a), a
	case words[0] == "value" && len(words) > 1 && last().parents != nil:
		for _, parent := range words[2:] {
			if _, ok := last().parents[parent]; !ok {
				return fmt.Errorf("unknown parent %q", parent)
			}
		}
		last().parents[words[1]] = words[2:]
		last().values = append(last().values, words[1])
	case (words[0] == "unit" || words[0] == "type") && len(words) == 4:
		by := map[string]map[string]Trait{"unit": t.byUnit, "type": t.byType}[words[0]]
		by[words[1]] = Trait{Slot(words[2]), words[3]}
	default:
		return fmt.Errorf("cannot be read: %q", words)
	}
	return nil
}

// traitTable is the table of a language while it is read.
type traitTable struct {
	*traitTables
	in      Languages
	endings []string
	section Slot
}

// read reads a line of a language's table.
func (t *traitTable) read(line language.Line) error {
	if t.section = Slot(line.Section); t.section != "" && t.bySlot[t.section] == nil {
		return fmt.Errorf("unknown attribute %q", t.section)
	}
	for _, phrase := range line.Phrases(";") {
		if err := t.enter(line.Key, phrase, line.Mark == '='); err != nil {
			return err
		}
	}
	return nil
}

// enter enters one phrase.
func (t *traitTable) enter(key, phrase string, inner bool) error {
	if t.section == "" {
		return t.general(key, phrase)
	}
	if key == "names" {
		if label := (shownTrait{Trait{Slot: t.section}, t.in}); t.shown[label] == "" {
			t.shown[label] = lowerFirst(phrase, t.in)
		}
		for _, name := range []Slot{Slot(camel(phrase)), Slot(Fold(phrase))} {
			if !slices.Contains(t.names[name], t.section) {
				t.names[name] = append(t.names[name], t.section)
			}
		}
		return nil
	}
	s := sense{Trait: Trait{t.section, key}, in: t.in, inner: inner}
	if key == "not" {
		s.Value = ""
	} else if _, ok := t.bySlot[t.section].parents[key]; !ok {
		return fmt.Errorf("%s has no value %q", t.section, key)
	}
	phrase, s.own = strings.CutPrefix(phrase, "=")
	if beginning, ok := strings.CutSuffix(phrase, "-"); ok {
		beginning = foldTrait(beginning)
		t.compounds[beginning] = append(t.compounds[beginning], s)
		return nil
	}
	forms := []string{phrase}
	if stem, ok := strings.CutSuffix(phrase, "~"); ok {
		forms = nil
		for _, ending := range t.endings {
			forms = append(forms, stem+strings.TrimPrefix(ending, "-"))
		}
	}
	if shown := (shownTrait{s.Trait, t.in}); !inner && t.shown[shown] == "" {
		t.shown[shown] = forms[0]
	}
	for _, form := range forms {
		t.phrase(foldTrait(form), s)
	}
	return nil
}

// lowerFirst is a name as it stands within a sentence: German begins it with a capital.
func lowerFirst(name string, in Languages) string {
	if in == 1<<slices.Index(traitLanguages, "de") {
		return name
	}
	first, size := utf8.DecodeRuneInString(name)
	if next, _ := utf8.DecodeRuneInString(name[size:]); unicode.IsUpper(next) {
		return name
	}
	return string(unicode.ToLower(first)) + name[size:]
}

func (t *traitTable) phrase(phrase string, s sense) {
	if phrase == "" || slices.Contains(t.senses[phrase], s) {
		return
	}
	if first, _ := utf8.DecodeRuneInString(phrase); language.IsJoined(phrase) && len(t.senses[phrase]) == 0 {
		t.joined[first] = append(t.joined[first], phrase)
	}
	t.senses[phrase] = append(t.senses[phrase], s)
	first, _, _ := strings.Cut(phrase, " ")
	t.longest[first] = max(t.longest[first], strings.Count(phrase, " ")+1)
}

// general enters a phrase of what holds for all attributes.
func (t *traitTable) general(key, phrase string) error {
	if key == "endings" {
		t.endings = strings.Fields(phrase)
		return nil
	}
	phrase = foldTrait(phrase)
	if key == "common" {
		t.common[phrase] |= t.in
		return nil
	}
	if kind, ok := strings.CutPrefix(key, "size "); ok {
		t.sizeWords[phrase] = kind
		return nil
	}
	list, ok := map[string]map[string]bool{
		"yes": t.yes, "no": t.no, "negations": t.negations, "except": t.exceptions, "free": t.behind, "harm": t.harms,
		"size": t.sizes,
	}[key]
	if !ok {
		return fmt.Errorf("unknown list %q", key)
	}
	list[phrase] = true
	return nil
}

// foldTrait folds a text of which the words are looked up: what stands behind an elided word is a
// word of its own.
func foldTrait(text string) string {
	if !strings.ContainsAny(text, "'’") {
		return Fold(text)
	}
	var b strings.Builder
	for i, r := range text {
		if r == '\'' || r == '’' {
			letters := 0
			for _, next := range text[i+utf8.RuneLen(r):] {
				if !unicode.IsLetter(next) {
					break
				}
				letters++
			}
			if letters >= leastElided {
				r = ' '
			}
		}
		b.WriteRune(r)
	}
	return Fold(b.String())
}

// leastElided is how many letters stand at least behind an apostrophe that elides: "duvet d'oie",
// but "men's".
const leastElided = 3

// LanguagesOf gives the languages that the words of a folded text speak for most.
func LanguagesOf(folded string) (best Languages) {
	t := traits()
	if language.IsJoined(folded) {
		return 1 << slices.Index(traitLanguages, "ja")
	}
	var counts [8]int
	most := 0
	for word := range strings.FieldsSeq(folded) {
		in := t.common[word]
		for i := range traitLanguages {
			if in&(1<<i) != 0 {
				counts[i]++
				most = max(most, counts[i])
			}
		}
	}
	for i, n := range counts {
		if n == most && n > 0 {
			best |= 1 << i
		}
	}
	return best
}

// LanguageNamed gives the language of a BCP 47 tag; none when it has no table.
func LanguageNamed(tag string) Languages {
	if i := slices.Index(traitLanguages, strings.ToLower(tag[:min(2, len(tag))])); i >= 0 {
		return 1 << i
	}
	return 0
}

// counts says whether a sense counts in a text that may be in some languages.
func (s *sense) counts(in Languages) bool {
	switch {
	case in == 0:
		return !s.own || s.in == inEnglish
	case s.own:
		return s.in&in != 0
	}
	return s.in&(in|inEnglish) != 0
}

// DeniableAt gives the trait that a folded phrase says in a text in some languages and items can be
// without. Of a flag, others read the opposite; colours and materials are asked for otherwise, and
// for whom something is leaves nobody out.
func DeniableAt(phrase string, in Languages) (Trait, bool) {
	for _, t := range TraitsAt(phrase, in) {
		if t.Value != "" && t.Slot != Audience && t.Slot != Material && t.Slot != Color && !IsFlag(t.Slot) {
			return t, true
		}
	}
	return Trait{}, false
}

// TraitsAt gives the traits that a folded phrase says in a text in some languages.
func TraitsAt(phrase string, in Languages) (said []Trait) {
	for _, s := range traits().senses[phrase] {
		if !s.inner && s.counts(in) && !slices.Contains(said, s.Trait) {
			said = append(said, s.Trait)
		}
	}
	return said
}

// SaidTrait is a trait with the words that say it.
type SaidTrait struct {
	Trait
	Said string
}

// TraitsWithin gives the traits that a text of a script without blanks between words says.
func TraitsWithin(text string) (said []SaidTrait) {
	traits().walkJoined(text, func(s *sense) bool { return !s.inner }, func(t Trait, at span) {
		said = append(said, SaidTrait{t, text[at.from:at.to]})
	})
	return said
}

// CompoundTraits gives the traits that the beginning of a folded word says: "damenschuhe".
func CompoundTraits(word string, in Languages) (said []Trait) {
	t := traits()
	for n := len(word) - leastHead; n >= leastHead; n-- {
		for _, s := range t.compounds[word[:n]] {
			if s.counts(in) {
				said = append(said, s.Trait)
			}
		}
		if len(said) > 0 {
			return said
		}
	}
	return nil
}

// leastHead is how many bytes both parts of a compound have at least.
const leastHead = 3

// TraitWords is how many words the longest phrase for a trait has that begins with a folded word; 0
// when there is none.
func TraitWords(word string) int { return traits().longest[word] }

// Denies says whether a folded word turns a value behind it around, or takes it out of what was
// named.
func Denies(word string) bool { t := traits(); return t.negations[word] || t.exceptions[word] }

// Frees says whether a folded word behind a value says that something is without it.
func Frees(word string) bool { return traits().behind[word] }

// IsBorne says whether none of some folded words says that somebody does not bear something.
func IsBorne(words []string) bool {
	t := traits()
	return !slices.ContainsFunc(words, func(word string) bool { return t.harms[word] })
}

// LeadsToSize says whether a size stands behind a folded word.
func LeadsToSize(word string) bool { return traits().sizes[word] }

// HasTraits says whether the values of a slot are concepts.
func HasTraits(slot Slot) bool {
	a := traits().bySlot[slot]
	return a != nil && a.unit == "" || slot == Size
}

// TraitValues gives the concepts that a value of a slot names: as the name of a concept itself, or
// in any language.
func TraitValues(slot Slot, value string) (concepts []string) {
	if slot == Size {
		return sizesIn(value)
	}
	t := traits()
	a := t.bySlot[slot]
	if a == nil || a.unit != "" {
		return nil
	}
	if _, ok := a.parents[value]; ok {
		return []string{value}
	}
	for _, s := range t.senses[foldTrait(value)] {
		if s.Slot == slot && s.Value != "" && !slices.Contains(concepts, s.Value) {
			concepts = append(concepts, s.Value)
		}
	}
	return concepts
}

// TraitParents gives what a concept is a kind of.
func TraitParents(slot Slot, concept string) []string {
	if a := traits().bySlot[slot]; a != nil {
		return a.parents[concept]
	}
	return nil
}

// TraitScale gives the values of an attribute in their order: of a level from that of beginners on.
// The result must not be changed.
func TraitScale(slot Slot) []string {
	if a := traits().bySlot[slot]; a != nil {
		return a.values
	}
	return nil
}

// TraitName is what a language, "en" and the like, calls a value of an attribute, or the attribute
// where the value is empty; the value itself where it has no word for it.
func TraitName(slot Slot, value, language string) string {
	if slot == Spoken && value != "" {
		return languageName(value, language)
	}
	if day := weekdayName(value, language); day != "" {
		return day
	}
	if name := traits().shown[shownTrait{Trait{slot, value}, LanguageNamed(language)}]; name != "" {
		return name
	}
	return cmp.Or(value, string(slot))
}

// IsFlag says whether an attribute is or is not.
func IsFlag(slot Slot) bool {
	a := traits().bySlot[slot]
	if a == nil {
		return false
	}
	_, flag := a.parents["yes"]
	return flag
}

// Stated is the slot under which items have the concepts that they state of an attribute, with what
// those are kinds of. Where an item states no kind of a concept, it has [Unspecified] of it, too.
func Stated(slot Slot) Slot { return "=" + slot }

// Mentioned is the slot of the concepts that an item mentions which states nothing of the
// attribute.
func Mentioned(slot Slot) Slot { return "~" + slot }

// Measured is the slot of the greatest figure that an item states in a base unit, under whatever
// name: how long or wide it is, how hot, how much it holds.
func Measured(unit string) Slot { return Slot("=" + unit) }

// Derived says whether a slot is one that Stated, Mentioned or Measured gives: no property has its
// name.
func Derived(slot Slot) bool { return slot != "" && (slot[0] == '=' || slot[0] == '~') }

// Unspecified is the value of an item that states a concept and no kind of it.
func Unspecified(concept string) string { return "just" + concept }
