// Package extremes reads questions for how many there are of something, and for which is the
// cheapest, the biggest or the last of its kind. It also finds the figures that are compared, in
// the facts of items and in their text.
//
// It is pure. Its words stand in one table a language in tables/, a line "name = phrase | phrase";
// a word that ends in "*" stands for all that begin with it. The superlatives are those of
// measures.txt, beside "count" for how many; "per hour" and the like say what a price is for;
// "filler" are words that say nothing of what is asked for, "place" those for where all is, "where"
// those that lead to it, "container" those for what a thing is in ("bottle of wine"), "paid" for
// what costs something; "label" and "say" word answers, and "unit" and "read" are how the units of
// figures are said and read. measures.txt says what each superlative compares.
package extremes

import (
	"cmp"
	"embed"
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode"

	"frontdesk/internal/content/facets"
	"frontdesk/internal/infra/language"
)

//go:embed measures.txt tables
var files embed.FS

// fallback is the language for those that have no table.
const fallback = "en"

// Wish is what a question wants to know of all items of a kind.
type Wish struct {
	Superlative string // a line of measures.txt; empty for how many there are
	Per         string // what a price is for: "hour"; empty for anything
	Subject     string // the words for the kind; empty where the question names none
	First       string // those of Subject that stand right behind "how many", before any other word
	Inner       string // Subject without what the thing is in: "wine" of "bottle of wine"; else Subject
	Anything    bool   // the question says "thing", which every item is
	Contained   bool   // Subject is no more than what things are in: "bottle"
	Beside      string // the superlative with the word behind it, which may be a name: "first aid"
	Paid        bool   // what costs nothing does not count: "the cheapest paid plan"
	Own         string // the items' own property, folded, or the measure that the question compares by; empty for none
	Tag         string // of the language that it was read in
}

// Count says whether the wish is for how many there are.
func (w *Wish) Count() bool { return w.Superlative == "" }

// Bare says whether the wish names no kind, so that it is about what was spoken of: "which one is
// the cheapest?"
func (w *Wish) Bare() bool { return w.Subject == "" && !w.Anything }

// table is one language.
type table struct {
	tag     string
	phrases map[string][][]string // by name, each phrase as folded words
	filler  map[string]bool
	texts   map[string]string
}

var tables = sync.OnceValue(func() (all []*table) {
	for _, tag := range language.TagsIn(files, "tables") {
		t := &table{tag: tag, phrases: map[string][][]string{}, filler: map[string]bool{}, texts: map[string]string{}}
		language.MustRead(files, "tables/"+tag+".txt", "=", t.take)
		all = append(all, t)
	}
	return all
})

// take takes a line.
func (t *table) take(line language.Line) error {
	switch kind, _, _ := strings.Cut(line.Key, " "); kind {
	case "say", "label", "unit":
		t.texts[line.Key] = line.Said
	case "filler":
		for word := range strings.FieldsSeq(line.Said) {
			t.filler[facets.Fold(word)] = true
		}
	default:
		for _, phrase := range line.Phrases("|") {
			t.phrases[line.Key] = append(t.phrases[line.Key], foldedWords(phrase))
		}
	}
	return nil
}

// foldedWords are the words of a phrase of a table, with what marks them.
func foldedWords(phrase string) (words []string) {
	for word := range strings.FieldsSeq(phrase) {
		mark := ""
		if strings.HasSuffix(word, "*") {
			mark = "*"
		}
		if folded := facets.Fold(word); folded != "" {
			words = append(words, folded+mark)
		}
	}
	return words
}

// word is a word of a question: as it is written, and folded.
type word struct{ written, folded string }

// wordsOf cuts a question into words. Elided ones stand by themselves: "l'ora".
func wordsOf(text string) (words []word) {
	for written := range strings.FieldsFuncSeq(text,
		func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(",;?!¿¡？！。、", r) }) {
		if before, after, found := strings.Cut(strings.ReplaceAll(written, "’", "'"), "'"); found && len(before) <= 5 &&
			len(after) > 1 {
			words = append(words, word{before, facets.Fold(before)})
			written = after
		}
		if folded := facets.Fold(written); folded != "" {
			words = append(words, word{strings.Trim(written, `."'()`), folded})
		}
	}
	return words
}

// Read reads a question; false where it wants neither. The language that knows most of its words
// counts.
func Read(text string) (wish Wish, ok bool) {
	words, most := wordsOf(text), -1
	for _, t := range tables() {
		if t.tag == "ja" {
			continue
		}
		if w, known, found := t.read(words); found && known > most {
			wish, ok, most = w, true, known
		}
	}
	if !ok && language.IsJoined(text) {
		return readUnspaced(text)
	}
	return wish, ok
}

// read reads a question in one language, and says how many of its words are known there.
func (t *table) read(words []word) (wish Wish, known int, ok bool) {
	used := make([]bool, len(words))
	name, from, n := t.longest(words, func(name string) bool {
		return name == "count" || superlatives()[name].measures != nil
	})
	if n == 0 {
		return wish, 0, false
	}
	if name != "count" {
		wish.Superlative = name
		if from+n < len(words) {
			wish.Beside = words[from+n-1].written + " " + words[from+n].written
		}
	}
	use := func(from, n int) {
		for i := range n {
			used[from+i] = true
		}
	}
	use(from, n)
	if name, from, n := t.longest(words, func(name string) bool { return strings.HasPrefix(name, "per ") }); n > 0 {
		wish.Per = strings.TrimPrefix(name, "per ")
		use(from, n)
	}
	var subject []int
	for i, w := range words {
		switch {
		case used[i]:
			known++
		case t.fills(w.folded):
			known++
		case t.says("paid", w.folded):
			known, wish.Paid = known+1, true
		case t.says("anything", w.folded):
			known, wish.Anything = known+1, true
		default:
			subject = append(subject, i)
		}
	}
	if !wish.Count() && t.everywhere(subject, words) {
		subject, wish.Anything = nil, true
	}
	var named []word
	for _, i := range t.placeless(subject, words, wish.Anything) {
		named = append(named, words[i])
	}
	wish.Subject, wish.Tag = wordsWritten(named), t.tag
	if inner := t.inner(named); len(inner) < len(named) {
		wish.Contained = len(inner) == 0
		named = inner
	}
	wish.Inner = wordsWritten(named)
	if wish.Count() {
		end := from + n
		for end < len(words) && !used[end] && !t.fills(words[end].folded) {
			end++
		}
		wish.First = wordsWritten(words[from+n : end])
	}
	return wish, known, true
}

// placeless leaves out of the words of a subject, by where they stand, those for where everything
// is, unless they are all: "the dearest treatment of the centre". Before another word of it such a
// word is a part of a name, "house plant", unless all are things.
func (t *table) placeless(subject []int, words []word, things bool) (kept []int) {
	for n, i := range subject {
		part := n+1 < len(subject) && subject[n+1] == i+1 && !things
		if part || !t.says("place", words[i].folded) {
			kept = append(kept, i)
		}
	}
	if len(kept) == 0 {
		return subject
	}
	return kept
}

// everywhere says whether a subject is no more than where everything is, behind words that lead to
// it: "the dearest of the whole shop", but not "the dearest hotel of the town".
func (t *table) everywhere(subject []int, words []word) bool {
	return len(subject) > 0 && !slices.ContainsFunc(subject, func(i int) bool {
		if !t.says("place", words[i].folded) {
			return true
		}
		for i--; i >= 0 && t.fills(words[i].folded); i-- {
			if t.says("where", words[i].folded) {
				return false
			}
		}
		return true
	})
}

// inner leaves out the words at the beginning of a subject for what a thing is in.
func (t *table) inner(subject []word) []word {
	for len(subject) > 0 && t.says("container", subject[0].folded) {
		subject = subject[1:]
	}
	return subject
}

func wordsWritten(words []word) string {
	written := make([]string, len(words))
	for i, w := range words {
		written[i] = w.written
	}
	return strings.Join(written, " ")
}

// fills says whether a word says nothing of what is asked for, or is made of such words:
// "avez-vous".
func (t *table) fills(folded string) bool {
	for part := range strings.FieldsSeq(folded) {
		if !t.filler[part] {
			return false
		}
	}
	return true
}

// says says whether a word is one of a name.
func (t *table) says(name, folded string) bool {
	return slices.ContainsFunc(t.phrases[name], func(phrase []string) bool {
		return len(phrase) == 1 && is(folded, phrase[0])
	})
}

// longest finds the longest phrase of certain names.
func (t *table) longest(words []word, which func(name string) bool) (name string, from, n int) {
	for candidate, phrases := range t.phrases {
		if !which(candidate) {
			continue
		}
		for _, phrase := range phrases {
			at := standsIn(words, phrase)
			if at >= 0 && (len(phrase) > n || len(phrase) == n && (at < from || at == from && candidate < name)) {
				name, from, n = candidate, at, len(phrase)
			}
		}
	}
	return name, from, n
}

// standsIn says where a phrase stands; -1 for nowhere.
func standsIn(words []word, phrase []string) int {
	for i := 0; i+len(phrase) <= len(words); i++ {
		k := 0
		for k < len(phrase) && is(words[i+k].folded, phrase[k]) {
			k++
		}
		if k == len(phrase) {
			return i
		}
	}
	return -1
}

// is says whether a word is that of a table.
func is(word, known string) bool {
	if stem, open := strings.CutSuffix(known, "*"); open {
		return strings.HasPrefix(word, stem)
	}
	return word == known
}

// readUnspaced reads a question in Japanese, which has no blanks between words.
func readUnspaced(text string) (wish Wish, ok bool) {
	for _, t := range tables() {
		if t.tag != "ja" {
			continue
		}
		longest := ""
		for name, phrases := range t.phrases {
			if name != "count" && superlatives()[name].measures == nil {
				continue
			}
			for _, phrase := range phrases {
				if p := strings.Join(phrase, ""); strings.Contains(text, p) && len(p) > len(longest) {
					wish.Tag = t.tag
					longest, ok, wish.Superlative = p, true, strings.TrimPrefix(name, "count")
				}
			}
		}
		fillers := slices.SortedFunc(maps.Keys(t.filler), func(a, b string) int {
			return cmp.Or(cmp.Compare(len(b), len(a)), strings.Compare(a, b))
		})
		rest := strings.Replace(text, longest, " ", 1)
		rest = strings.Trim(rest, "？?。！ ")
		for changed := true; changed; {
			changed = false
			for _, word := range fillers {
				for _, cut := range []func(string, string) (string, bool){strings.CutPrefix, strings.CutSuffix} {
					if shorter, found := cut(rest, word); found {
						rest, changed = strings.TrimSpace(shorter), true
					}
				}
			}
		}
		wish.Subject = rest
	}
	return wish, ok
}

// superlative is a line of measures.txt.
type superlative struct {
	most     bool
	measures []string
}

var superlatives = sync.OnceValue(func() map[string]superlative {
	all := map[string]superlative{}
	for _, fields := range measureLines() {
		if len(fields) > 2 && (fields[1] == "most" || fields[1] == "least") {
			all[fields[0]] = superlative{fields[1] == "most", fields[2:]}
		}
	}
	return all
})

// measure is what states a measure: the folded names of properties, and the base unit of figures in
// text.
type measure struct {
	names []string
	unit  string
	other string // the unit in which figures of any other name state it
}

var measures = sync.OnceValue(func() map[string]measure {
	all := map[string]measure{}
	for _, fields := range measureLines() {
		if len(fields) > 1 && (fields[1] == "most" || fields[1] == "least") {
			continue
		}
		m := measure{names: fields[1:]}
		if at := slices.Index(fields, "~"); at > 0 {
			m.names, m.other = fields[1:at], fields[at+1]
		}
		if at := slices.Index(fields, "/"); at > 0 {
			m.names, m.unit = fields[1:at], fields[at+1]
		}
		all[fields[0]] = m
	}
	return all
})

// endsName says whether the folded name of a property ends with one of the measure's.
func (m *measure) endsName(name string) bool {
	const least = 4 // letters
	return slices.ContainsFunc(m.names, func(of string) bool { return len(of) >= least && strings.HasSuffix(name, of) })
}

// Trait gives the attribute whose values a measure compares; empty for one of figures.
func Trait(name string) facets.Slot {
	if names := measureOf(name).names; len(names) == 1 {
		if trait, ok := strings.CutPrefix(names[0], "="); ok {
			return facets.Slot(trait)
		}
	}
	return ""
}

// measureOf gives one of a wish's measures.
func measureOf(name string) measure { return measures()[strings.TrimPrefix(name, "-")] }

func measureLines() [][]string { return language.Records(files, "measures.txt") }

// Most says whether the most of one of Measures is wanted.
func (w *Wish) Most(measure string) bool {
	return superlatives()[w.Superlative].most != strings.HasPrefix(measure, "-")
}

// Owned says whether the question has to name what is compared, as a property of its own: "the most
// pieces".
func (w *Wish) Owned() bool { return slices.Equal(w.Measures(), []string{"own"}) }

// NameOwn moves the items' own property, which the wish compares by, from Subject to Own, or the
// measure by whose unit it is called: "the most pages". It is false where Subject names none.
func (w *Wish) NameOwn(lexicon *facets.Lexicon) bool {
	words := strings.Fields(w.Subject)
	for i := range words {
		for n := min(facets.LongestPhrase, len(words)-i); n > 0; n-- {
			if slot, ok := lexicon.Figured(facets.Fold(strings.Join(words[i:i+n], " "))); ok {
				w.Own, w.Subject = facets.Fold(string(slot)), strings.Join(slices.Delete(words, i, i+n), " ")
				return true
			}
		}
	}
	for i, word := range words {
		for measure, m := range measures() {
			if m.unit == "" || !in(w.Tag).says("read "+m.unit, facets.Fold(word)) {
				continue
			}
			w.Own, w.Subject = measure, strings.Join(slices.Delete(words, i, i+1), " ")
			return true
		}
	}
	return false
}

// People is the measure of how many something is for.
const People = "people"

// Measures are what the superlative may compare, the likeliest first; behind a "-" what it compares
// in the other direction.
func (w *Wish) Measures() []string { return superlatives()[w.Superlative].measures }
