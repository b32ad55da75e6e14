// Package properties reads conditions on what items state under names of their own: "new patients:
// yes", "consultation days: Monday, Thursday", "scent: strong". A question says such a condition by
// the name and the value.
//
// It is pure. Enter at Read.
package properties

import (
	"slices"
	"strings"
	"sync"

	"frontdesk/internal/content/facets"
	"frontdesk/internal/content/taxonomy"
	"frontdesk/internal/infra/language"
)

// Question is a question's words, folded.
type Question struct {
	Words []string
	Free  func(i int) bool // the word at i has no meaning yet, or only one that it has anywhere
	Plain func(i int) bool // it is no function word
}

// Found is a condition that the words from From to before To say.
type Found struct {
	From, To  int
	Condition facets.Constraint
}

// Words about properties, folded: those that say nothing of a name ("required", "possible"), and
// those before a thing that is to be there.
var glue, with = phrases("property.glue"), phrases("property.with")

func phrases(key string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		all := map[string]bool{}
		for list := range language.Each(key) {
			for _, phrase := range list.Phrases {
				all[facets.Fold(phrase)] = true
			}
		}
		return all
	})
}

// Read gives the conditions that a question says. Of several values of a property that it may name,
// the longest counts.
func Read(q Question, all []facets.Property) (found []Found) {
	byName := map[string][]facets.Property{}
	var names []string
	for _, p := range all {
		if byName[p.Name] == nil {
			names = append(names, p.Name)
		}
		byName[p.Name] = append(byName[p.Name], p)
	}
	for _, name := range names {
		one, ok := q.flag(name, byName[name])
		if !ok {
			one, ok = q.value(name, byName[name])
		}
		if ok && !slices.ContainsFunc(found, func(f Found) bool { return f.From < one.To && one.From < f.To }) {
			found = append(found, one)
		}
	}
	return found
}

// contentOf gives the words of a name that say something.
func contentOf(name string) (words []string) {
	for word := range strings.FieldsSeq(name) {
		if !glue()[word] && len(word) > 2 {
			words = append(words, word)
		}
	}
	return words
}

// flag reads a property that is or is not. A name of one word alone needs a word before it that
// asks for it or for its absence.
func (q Question) flag(name string, of []facets.Property) (f Found, ok bool) {
	var yes []string
	for _, p := range of {
		switch {
		case taxonomy.Affirms(p.Value) || p.Value == "true":
			yes = append(yes, p.Value)
		case taxonomy.Negates(p.Value) || p.Value == "false":
		default:
			return f, false
		}
	}
	content := contentOf(name)
	from, to := q.together(content)
	if to == 0 {
		return f, false
	}
	denied, asked := q.before(from, facets.Denies), q.before(from, func(w string) bool { return with()[w] })
	if len(content) == 1 && !denied && !asked {
		return f, false
	}
	f = Found{from, to, facets.Constraint{Slot: of[0].Slot, Values: yes, Stated: true}}
	if denied { // what does not say comes after
		f.From, f.Condition.Not = from-1, true
		if len(yes) == 0 {
			f.Condition.Values = []string{"yes"}
		}
		for f.From > 0 && !facets.Denies(q.Words[f.From]) {
			f.From--
		}
	}
	return f, len(f.Condition.Values) > 0
}

// reach is how many words before a thing it may be asked for or denied.
const reach = 2

// before says whether a word shortly before i is one of some.
func (q Question) before(i int, is func(string) bool) bool {
	return slices.ContainsFunc(q.Words[max(0, i-reach):i], is)
}

// slack is how many words may stand between those of one name.
const slack = 1

// together finds words that are like all those of a name, in any order, and where they stand; 0, 0
// where there are none.
func (q Question) together(content []string) (from, to int) {
	for i := range q.Words {
		if len(content) == 0 || !q.Free(i) ||
			!slices.ContainsFunc(content, func(c string) bool { return like(c, q.Words[i]) }) {
			continue
		}
		end := min(len(q.Words), i+len(content)+slack)
		last, missing := i, false
		for _, c := range content {
			at := slices.IndexFunc(q.Words[i:end], func(w string) bool { return like(c, w) })
			missing = missing || at < 0 || !q.Free(i+at)
			last = max(last, i+at)
		}
		if !missing {
			return i, last + 1
		}
	}
	return 0, 0
}

// value reads a property whose name and value the question says.
func (q Question) value(name string, of []facets.Property) (best Found, ok bool) {
	content := contentOf(name)
	named := slices.ContainsFunc(q.Words, func(w string) bool {
		return slices.ContainsFunc(content, func(c string) bool { return like(c, w) })
	})
	if !named {
		return best, false
	}
	for i, word := range q.Words {
		if sign, day := facets.Weekday(word); day && q.Free(i) &&
			slices.ContainsFunc(of, func(p facets.Property) bool { return hasDay(p.Value) }) {
			return Found{i, i + 1, facets.Constraint{Slot: of[0].Slot, Values: []string{sign}, Stated: true}}, true
		}
	}
	for _, p := range of {
		words := strings.Fields(p.Value)
		if _, n := facets.ReadNumber(p.Value); n == len(p.Value) { // which is a figure
			continue
		}
		if len(words) == 0 || len(words) > facets.LongestPhrase || taxonomy.Affirms(p.Value) ||
			taxonomy.Negates(p.Value) {
			continue
		}
		for i := 0; i+len(words) <= len(q.Words); i++ {
			if !slices.Equal(q.Words[i:i+len(words)], words) || !q.Free(i) || !q.Plain(i) ||
				len(words) <= best.To-best.From ||
				len(words) == 1 && slices.ContainsFunc(content, func(c string) bool { return like(c, words[0]) }) {
				continue
			}
			best, ok =
				Found{i, i + len(words), facets.Constraint{Slot: p.Slot, Values: []string{p.Value}, Stated: true}}, true
			best.Condition.Not = q.before(i, facets.Denies)
		}
	}
	return best, ok
}

// hasDay says whether a value names a day of the week.
func hasDay(value string) bool {
	return slices.ContainsFunc(strings.Fields(value), func(w string) bool { _, ok := facets.Weekday(w); return ok })
}

// A word is like another when they are one but for their endings.
const (
	leastStem  = 5
	mostEnding = 5
)

func like(a, b string) bool {
	if a == b || facets.Singular(a) == facets.Singular(b) {
		return true
	}
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n >= leastStem && len(a)-n <= mostEnding && len(b)-n <= mostEnding
}

// leastSpoken is how many letters of a value a text without blanks has at least that says it
// without the name.
const leastSpoken = 4

// Within gives the conditions that a text of a script without blanks says, with the words that say
// them.
func Within(text string, all []facets.Property) (found []Found, said []string) {
	taken := map[facets.Slot]bool{}
	for _, p := range all {
		if taken[p.Slot] || taxonomy.Affirms(p.Value) || taxonomy.Negates(p.Value) {
			continue
		}
		words, not := valueIn(text, p)
		if words == "" {
			continue
		}
		taken[p.Slot] = true
		found = append(found,
			Found{Condition: facets.Constraint{Slot: p.Slot, Values: []string{p.Value}, Not: not, Stated: true}})
		said = append(said, words)
	}
	return found, said
}

// valueIn finds the words of a text that say a value, or that it is not to be: an adjective in its
// negative form.
func valueIn(text string, p facets.Property) (words string, not bool) {
	value := []rune(p.Value)
	name := strings.Index(text, p.Name)
	if name >= 0 && len(value) > 1 {
		rest := text[name:]
		if strings.Contains(rest[len(p.Name):], p.Value) {
			return rest[:strings.LastIndex(rest, p.Value)+len(p.Value)], false
		}
		for list := range language.Each("property.denied") {
			for _, denied := range list.Phrases {
				if stem, ok := strings.CutSuffix(p.Value, list.Argument); ok && stem != "" &&
					strings.Contains(rest, stem+denied) {
					return rest[:strings.Index(rest, stem+denied)+len(stem+denied)], true
				}
			}
		}
	}
	for n := len(value); n >= leastSpoken; n-- {
		if strings.Contains(text, string(value[:n])) {
			return string(value[:n]), false
		}
	}
	return "", false
}
