// Package details reads questions for a detail of one thing: what is asked for, which kind of value
// answers it, and the words that say of what. It also says whether a sentence has a value of a
// kind.
//
// It is pure. Its words stand in one table a language in tables/, a line "intent kind = phrase |
// phrase": the intent is one of ask/facts where a property may answer it, the kind is that of the
// value which a sentence has to have ("none" for no sentence). A phrase may have a gap: "where does
// ... come from". "filler" are words that say nothing of what the question is about. "word onward"
// begins a question that asks the same of another thing, "word it" stands for what was spoken of,
// "word same de" are forms of "de", "word of" lead from a property's name to the thing, "word is"
// from the thing to what is so or not, "word has" to what it has; the other words stand for values.
// What properties are called stands in the tables of ask/facts.
package details

import (
	"cmp"
	"embed"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"frontdesk/internal/ask/facts"
	"frontdesk/internal/content/facets"
	"frontdesk/internal/infra/language"
)

//go:embed tables
var files embed.FS

// Asked is a question for a detail.
type Asked struct {
	Intent string // "origin"; see package facts
	Kind   string // of the value: "money", "date", "place"
	Words  []string
	// Inner are those of Words that stand in the gap of the phrase, or behind it where it has none.
	Inner []string
	Topic []string // the words of the phrase
	Tag   string   // of the language that it was read in
}

// list is the intent of phrases that ask for whatever there is, and so for no detail: "what is
// there for supper".
const list = "list"

// Called is the intent of words that are the name of a property, or else ask for nothing: "and the
// deposit?"
const Called = "called"

// entry is a phrase of a table.
type entry struct {
	intent, kind string
	first, rest  []string // before and behind its gap
	written      string   // whole, as the table has it
	names        naming   // what it is the name of; asks where it is none
}

// naming says how a phrase asks.
type naming int

const (
	asks   naming = iota
	nouns         // it names a property: "the price of ..."
	states        // it names what is so or not: "is ... vegan"
)

func (e *entry) length() int { return len(e.first) + len(e.rest) }

// sense is how much an entry says of what is asked for: least one that may stand in any question,
// more one for any figure.
func (e *entry) sense() int {
	switch e.intent {
	case "yes":
		return 0
	case "count", "amount":
		return 1
	}
	return 2
}

type table struct {
	tag     string
	entries []entry
	filler  map[string]bool
	words   map[string][]string // "free", "degrees"
}

var tables = sync.OnceValue(func() (all []*table) {
	for _, tag := range language.TagsIn(files, "tables") {
		t := &table{tag: tag, filler: map[string]bool{}, words: map[string][]string{}}
		language.MustRead(files, "tables/"+tag+".txt", "=", t.take)
		t.nameProperties()
		for _, e := range t.entries {
			for _, words := range [][]string{e.first, e.rest} {
				for i := range words {
					words[i] = t.base(words[i])
				}
			}
		}
		all = append(all, t)
	}
	return all
})

// take takes a line.
func (t *table) take(line language.Line) error {
	intent, kind, _ := strings.Cut(line.Key, " ")
	if intent == "filler" {
		for word := range strings.FieldsSeq(line.Said) {
			t.filler[t.fold(word)] = true
		}
		return nil
	}
	for _, phrase := range line.Phrases("|") {
		if intent == "word" {
			t.words[kind] = append(t.words[kind], t.fold(strings.TrimSpace(phrase)))
			continue
		}
		first, rest, _ := strings.Cut(phrase, "...")
		t.entries = append(t.entries, entry{
			intent: intent, kind: kind, first: strings.Fields(facets.Fold(first)),
			rest: strings.Fields(facets.Fold(rest)), written: strings.TrimSpace(phrase),
		})
	}
	return nil
}

// nameProperties adds the names of properties, each with the kind of value that other phrases for
// it ask for.
func (t *table) nameProperties() {
	kinds := map[string]string{}
	for _, e := range t.entries {
		kinds[e.intent] = e.kind
	}
	for intent, names := range facts.Names(t.tag) {
		is, ends := nouns, t.words["of"]
		if facts.States(intent) {
			is, ends = states, t.words["is"]
		}
		for _, name := range names {
			e := entry{intent: intent, kind: cmp.Or(kinds[intent], "none"),
				first: strings.Fields(facets.Fold(name)), names: is}
			if t.tag != unspacedTag {
				t.entries = append(t.entries, e)
				continue
			}
			for _, end := range ends {
				e.written = name + end
				t.entries = append(t.entries, e)
			}
		}
	}
}

// fold folds a word of the table, unless it is looked for in texts as they are written.
func (t *table) fold(word string) string {
	if t.tag == unspacedTag {
		return word
	}
	return facets.Fold(word)
}

// word is a word of a question: as it is written, and folded.
type word struct{ written, folded string }

// wordsOf cuts a question into words. Elided and hyphenated ones stand by themselves: "d'où", "y
// a-t-il".
func wordsOf(text string) (words []word) {
	for written := range strings.FieldsFuncSeq(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '.' && r != '/'
	}) {
		if folded := facets.Fold(written); folded != "" {
			words = append(words, word{strings.Trim(written, ".,"), folded})
		}
	}
	return words
}

// Read reads a question; false where it asks for no detail. The language that knows most of its
// words counts. One that asks in words that no phrase has asks for what some property may be
// called: "which grapes are in ...".
func Read(text string) (asked Asked, ok bool) {
	words, most := wordsOf(text), 0
	for _, t := range tables() {
		read := t.read
		if t.tag == unspacedTag {
			read = func([]word) (Asked, int) { return t.readUnspaced(text) }
		}
		if a, known := read(words); known > most {
			asked, ok, most = a, a.Intent != list, known
		}
	}
	if most > 0 {
		return asked, ok
	}
	marked := strings.ContainsAny(text, "?？")
	for _, t := range tables() {
		if a, known, asks := t.readOpen(words, marked); known > most && t.tag != unspacedTag {
			asked, ok, most = a, asks, known
		}
	}
	return asked, ok
}

// readOpen reads a question that has a word which asks before all that it is about, or one for yes
// or no: with a question mark, and a word for "is" or "has". It says how many words the language
// knows, too.
func (t *table) readOpen(words []word, marked bool) (asked Asked, known int, asks bool) {
	asked = Asked{Intent: "property", Kind: "open", Tag: t.tag}
	whether := false
	for _, w := range words {
		whether = whether ||
			marked && (slices.Contains(t.words["is"], w.folded) || slices.Contains(t.words["has"], w.folded))
		is := slices.Contains(t.words["asking"], w.folded)
		if asks = asks || is && len(asked.Words) == 0; is || t.filler[w.folded] {
			known++
		} else {
			asked.Words = append(asked.Words, w.written)
		}
	}
	if !asks {
		asked.Intent, asked.Kind = "yes", "yes"
	}
	asked.Inner = asked.Words
	return asked, known, asks || whether
}

// unspacedTag is the language whose words have no blanks between.
const unspacedTag = "ja"

// readUnspaced reads a question in such a language: its words are the parts around the phrase,
// without particles at their ends.
func (t *table) readUnspaced(text string) (asked Asked, known int) {
	phrase := ""
	for i := range t.entries {
		if e := &t.entries[i]; len(e.written) > len(phrase) && e.standsIn(text) {
			phrase, asked.Intent, asked.Kind = e.written, e.intent, e.kind
		}
	}
	if phrase == "" {
		return asked, 0
	}
	before, after, _ := strings.Cut(text, phrase)
	asked.Tag, asked.Topic = t.tag, []string{phrase}
	for _, part := range []string{before, after} {
		for words := range strings.FieldsFuncSeq(part,
			func(r rune) bool { return unicode.IsSpace(r) || unicode.IsPunct(r) && r != '-' }) {
			if words = t.trimmed(words); words != "" {
				asked.Words = append(asked.Words, words)
			}
		}
	}
	asked.Inner = asked.Words
	return asked, 2 * utf8.RuneCountInString(phrase)
}

// standsIn says whether an unspaced text has a phrase. The name of a property is not a part of a
// longer word there.
func (e *entry) standsIn(text string) bool {
	before, _, found := strings.Cut(text, e.written)
	if !found || e.names == asks {
		return found
	}
	last, _ := utf8.DecodeLastRuneInString(before)
	first, _ := utf8.DecodeRuneInString(e.written)
	return !unicode.Is(unicode.Han, last) || !unicode.Is(unicode.Han, first)
}

// trimmed is a part of an unspaced text without the fillers at its ends. One of a single character
// goes only behind it: it may begin a word.
func (t *table) trimmed(part string) string {
	for {
		longest := ""
		shorter := part
		for filler := range t.filler {
			if rest, ok := strings.CutSuffix(part, filler); ok && len(filler) > len(longest) {
				longest, shorter = filler, rest
			}
			if rest, ok := strings.CutPrefix(part, filler); ok && len(filler) > len(longest) &&
				utf8.RuneCountInString(filler) > 1 {
				longest, shorter = filler, rest
			}
		}
		if longest == "" {
			return part
		}
		part = shorter
	}
}

// Says says whether a text has a word of a name, in the language that knows most of its words or,
// where none does, in any.
func Says(text, name string) bool {
	words := wordsOf(text)
	asked, read := Read(text)
	return slices.ContainsFunc(tables(), func(t *table) bool {
		return (!read || t.tag == asked.Tag) && slices.ContainsFunc(t.words[name], func(phrase string) bool {
			if t.tag == unspacedTag {
				return strings.Contains(text, phrase)
			}
			return stands(words, strings.Fields(phrase), 0) >= 0
		})
	})
}

// maxOnward is how many words a question has at most that asks the same of another thing.
const maxOnward = 5

// Onward reads a question that asks of another thing what the one before it asked: "and to
// Canada?", "what about the blue one?", "白浜市は？". It gives the words for the thing; false where the
// question does not begin, or in some languages end, like that.
func Onward(text string) (words []string, ok bool) {
	all := wordsOf(text)
	for _, t := range tables() {
		for _, phrase := range t.words["onward"] {
			if t.tag == unspacedTag {
				said := strings.Trim(text, " 　？?。")
				if thing, found := strings.CutSuffix(said, phrase); found &&
					utf8.RuneCountInString(thing) <= 3*maxOnward && thing != "" {
					return []string{t.trimmed(thing)}, true
				}
				continue
			}
			lead := strings.Fields(phrase)
			if len(all) > len(lead)+maxOnward || stands(all[:min(len(all), len(lead))], lead, 0) != 0 {
				continue
			}
			words = nil
			for _, w := range all[len(lead):] {
				if !t.filler[w.folded] {
					words = append(words, w.written)
				}
			}
			if len(words) > 0 {
				return words, true
			}
		}
	}
	return nil, false
}

// Subject gives the words of a text that say what it is about.
func Subject(text string) (subject []string) {
	if asked, ok := Read(text); ok {
		return asked.Words
	}
	for _, w := range wordsOf(text) {
		if !slices.ContainsFunc(tables(),
			func(t *table) bool { return t.tag != "ja" && t.filler[w.folded] && len(w.folded) < 4 }) {
			subject = append(subject, w.written)
		}
	}
	return subject
}

// read reads a question in one language, and says how many of its words are known there; 0 where it
// asks for nothing.
func (t *table) read(words []word) (asked Asked, known int) {
	var best *entry
	var start, behind int
	plain := t.plain(words)
	for i := range t.entries {
		e := &t.entries[i]
		if best != nil && cmp.Or(e.sense()-best.sense(), e.length()-best.length()) <= 0 {
			continue
		}
		if from, to, ok := e.in(plain); ok && t.counts(e, plain[:from], plain[from+len(e.first):]) {
			best, start, behind = e, from, to
		}
	}
	if best == nil {
		return asked, 0
	}
	asked = Asked{Intent: best.intent, Kind: best.kind, Tag: t.tag}
	known = 2 * best.length()
	for i, w := range words {
		first := i >= start && i < start+len(best.first)
		rest := i >= behind && i < behind+len(best.rest)
		switch {
		case first || rest:
			asked.Topic = append(asked.Topic, w.written)
		case t.filler[w.folded], best.names == nouns && i < start:
			known++
		default:
			asked.Words = append(asked.Words, w.written)
			if i >= start+len(best.first) && (i < behind || len(best.rest) == 0) {
				asked.Inner = append(asked.Inner, w.written)
			}
		}
	}
	return asked, known
}

// counts says whether a phrase counts between the words before and behind it. The name of a
// property stands behind words that ask, or before one that leads to the thing; what is so or not
// stands at the end, behind a word for "is".
func (t *table) counts(e *entry, before, behind []word) bool {
	is := func(w word, name string) bool { return slices.Contains(t.words[name], w.folded) }
	leads := func(w word) bool { return t.filler[w.folded] || is(w, "asking") || is(w, "is") }
	switch {
	case e.names == nouns:
		if slices.ContainsFunc(before, func(w word) bool { return !leads(w) }) {
			return false
		}
		return len(behind) > 0 && is(behind[0], "of") ||
			slices.ContainsFunc(before, func(w word) bool { return is(w, "asking") })
	case e.names == states:
		at := slices.IndexFunc(before, func(w word) bool { return is(w, "is") })
		return at >= 0 && len(behind) == 0 && (at+1 < len(before) || at > 0 && !t.filler[before[at-1].folded])
	case e.sense() == 0:
		return !t.asksMore(before)
	}
	return true
}

// asksMore says whether a question asks for more than yes or no before what may ask for that: "what
// is the effect of".
func (t *table) asksMore(before []word) bool {
	return slices.ContainsFunc(before, func(w word) bool { return slices.Contains(t.words["asking"], w.folded) })
}

// plain are words with each that is a form of another in its place: "prix d'une tente" has "prix
// de".
func (t *table) plain(words []word) []word {
	all := slices.Clone(words)
	for i := range all {
		all[i].folded = t.base(all[i].folded)
	}
	return all
}

// base is the word that a word is a form of, or the word itself.
func (t *table) base(folded string) string {
	for name, forms := range t.words {
		if base, is := strings.CutPrefix(name, "same "); is && slices.Contains(forms, folded) {
			return base
		}
	}
	return folded
}

// in finds an entry in a question: where its first words stand, and those behind its gap.
func (e *entry) in(words []word) (start, behind int, ok bool) {
	start = stands(words, e.first, 0)
	if start < 0 {
		return 0, 0, false
	}
	behind = stands(words, e.rest, start+len(e.first))
	if behind < 0 || len(e.rest) > 0 && behind == start+len(e.first) && len(e.first) > 0 {
		return 0, 0, false
	}
	return start, behind, true
}

// stands says where words stand in a question from a place on; -1 for nowhere.
func stands(words []word, phrase []string, from int) int {
	for i := from; i+len(phrase) <= len(words); i++ {
		if slices.EqualFunc(words[i:i+len(phrase)], phrase, func(w word, p string) bool { return w.folded == p }) {
			return i
		}
	}
	return -1
}
