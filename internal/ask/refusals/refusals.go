// Package refusals finds which classes of things (foods, materials, power) a question does not
// want, in whatever language and words that is said: "goes into shock from hazelnuts", "senza
// lana", "Nussallergie", "no electricity needed". The ways to say so are the lists "refuse" and
// "without" of the languages' tables; the classes are the taxonomy's.
//
// It is pure. Enter at Forms.Read.
package refusals

import (
	"slices"
	"strings"

	"frontdesk/internal/content/facets"
	"frontdesk/internal/content/taxonomy"
	"frontdesk/internal/infra/language"
)

// Question is what Read has to know of a question's words, which are folded.
type Question struct {
	Words    []string
	Said     func(i, j int) string // the words from i to before j as they were written
	Together func(i, j int) bool   // nothing ends a clause between them, and none has a meaning yet
	Ends     func(i int) bool      // a comma or what ends a clause stands before the word at i
	Article  func(i int) bool      // it only stands before a thing
	// it is a function word, which may be said anew of each thing of a list: "to nuts and to eggs"
	Function func(i int) bool
	Listed   func(i int) int  // where the next thing of a list begins behind i; -1 where none does
	Plain    func(i int) bool // it is a word of a thing
	Free     func(i int) bool // "free" at i tells what the thing before it lacks
}

// Span is words of a question, from From to before To.
type Span struct{ From, To int }

// Refusal is a class that is not wanted, with the words that say so.
type Refusal struct {
	Span
	Class   string
	Allergy bool // it harms somebody
}

// Found is what a question says. Named are words before a name that is not wanted; Accepted are
// words that look like a refusal and say none ("with or without"), and Beside those that are said
// around what is not wanted and then ask for nothing.
type Found struct {
	Refusals                []Refusal
	Named, Accepted, Beside []Span
}

// form is a way to say that a thing is not wanted: words before it or words behind it.
type form struct {
	before, after []string
	ending        bool // after is the ending of the thing's word: "Nussallergie"
	allergy       bool
}

// Forms are the ways of all languages.
type Forms struct {
	before        map[string][]form // by their first word, the longest first
	joined        []joined          // of scripts without blanks, the longest first
	after         []form
	named         map[string]bool // words before any name that is not wanted, of a class or not
	around        []form          // words around or behind such a name
	never, beside map[string]bool
	means         map[string][]string // classes that a phrase without a thing says are not wanted: "teetotal"
	longest       int                 // how many words a phrase of the three has at most
}

// Load gives the forms of the tables, with their phrases folded as a question's words are.
func Load(fold func(string) string) *Forms {
	all := &Forms{before: map[string][]form{}, named: map[string]bool{}, never: map[string]bool{},
		beside: map[string]bool{}, means: map[string][]string{}}
	for list := range language.Each("refuse") {
		for _, phrase := range list.Phrases {
			all.learn(list.Argument, phrase, fold)
		}
	}
	for list := range language.Each("without") {
		for _, phrase := range list.Phrases {
			all.learn("wish", phrase+" *", fold)
		}
	}
	longest := func(a, b form) int { return len(b.before) + len(b.after) - len(a.before) - len(a.after) }
	for _, forms := range all.before {
		slices.SortStableFunc(forms, longest)
	}
	slices.SortStableFunc(all.after, longest)
	slices.SortStableFunc(all.joined, func(a, b joined) int { return len(b.after) - len(a.after) })
	return all
}

func (f *Forms) learn(kind, phrase string, fold func(string) string) {
	if after, ok := strings.CutPrefix(phrase, "*"); ok && language.IsJoined(after) {
		f.joined = append(f.joined, joined{after, kind})
		return
	}
	if classes, ok := strings.CutPrefix(kind, "means "); ok {
		phrase = fold(phrase)
		f.means[phrase] = strings.Fields(classes)
		f.longest = max(f.longest, strings.Count(phrase, " ")+1)
		return
	}
	if set := map[string]map[string]bool{"named": f.named, "never": f.never, "beside": f.beside}[kind]; set != nil &&
		!strings.Contains(phrase, "*") {
		phrase = fold(phrase)
		set[phrase] = true
		f.longest = max(f.longest, strings.Count(phrase, " ")+1)
		return
	}
	before, after, _ := strings.Cut(phrase, "*")
	one := form{allergy: kind == "allergy", ending: after != "" && after[0] != ' '}
	one.before, one.after = strings.Fields(fold(before)), strings.Fields(fold(after))
	if kind == "named" {
		f.around = append(f.around, one)
	}
	if len(one.before) > 0 {
		f.before[one.before[0]] = append(f.before[one.before[0]], one)
		return
	}
	f.after = append(f.after, one)
}

// reading is a question on its way.
type reading struct {
	*Question
	forms *Forms
	found Found
}

// Read reads a question.
func (f *Forms) Read(q *Question) Found {
	r := reading{Question: q, forms: f}
	for i := 0; i < len(q.Words); {
		never := r.phrase(i, f.never)
		n := 0
		if named := r.phrase(i, f.named); named > 0 {
			r.found.Named = append(r.found.Named, Span{i, i + named})
		}
		if never == 0 {
			if n = r.refusalAt(i); n == 0 {
				n = r.meantAt(i)
			}
			if n == 0 {
				n = r.namedAround(i)
			}
		} else {
			r.found.Accepted = append(r.found.Accepted, Span{i, i + never})
		}
		i += max(n, never, 1)
	}
	for i := range q.Words {
		if n := r.phrase(i, f.beside); n > 0 {
			r.found.Beside = append(r.found.Beside, Span{i, i + n})
		}
	}
	return r.found
}

// namedAround reads a name of whatever is not wanted that words stand around or behind, at i, and
// gives how many words that has: "leave the dressing out", "knitting not required".
func (r *reading) namedAround(i int) int {
	for _, form := range r.forms.around {
		if !r.stands(i, form.before) {
			continue
		}
		start := i + len(form.before)
		for start < len(r.Words) && r.Article(start) && !r.Ends(start) {
			start++
		}
		end := start
		for end < len(r.Words) && end < start+longestName && r.Plain(end) && !r.Function(end) &&
			(end == start || !r.Ends(end)) && !r.stands(end, form.after) {
			end++
		}
		if end == start || !r.stands(end, form.after) || r.Ends(end) || len(form.before) == 0 && !r.begins(start, end) {
			continue
		}
		r.found.Named = append(r.found.Named, Span{i, start})
		r.found.Beside = append(r.found.Beside, Span{end, end + len(form.after)})
		return end + len(form.after) - i
	}
	return 0
}

// longestName is how many words a name of what is not wanted has at most.
const longestName = 3

// begins says whether a name of the words from i to before j begins at i and goes with no word
// before it.
func (r *reading) begins(i, j int) bool {
	if i == 0 {
		return j == 1
	}
	return r.Ends(i) || !r.Plain(i-1) || r.Function(i-1) || j == i+1
}

// phrase finds the longest of some phrases at i, and how many words it has; 0 where there is none.
func (r *reading) phrase(i int, phrases map[string]bool) int {
	for n := min(r.forms.longest, len(r.Words)-i); n > 0; n-- {
		if phrases[strings.Join(r.Words[i:i+n], " ")] && r.Together(i, i+n) {
			return n
		}
	}
	return 0
}

// meantAt takes a phrase at i that says by itself which classes are not wanted, and gives how many
// words it has. What goes on with a thing says more: "I don't drink coffee".
func (r *reading) meantAt(i int) int {
	for n := min(r.forms.longest, len(r.Words)-i); n > 0; n-- {
		classes := r.forms.means[strings.Join(r.Words[i:i+n], " ")]
		if len(classes) == 0 || !r.Together(i, i+n) || n > 1 && r.narrows(i+n) {
			continue
		}
		for _, class := range classes {
			r.found.Refusals = append(r.found.Refusals, Refusal{Span{i, i + n}, class, false})
		}
		return n
	}
	return 0
}

// thing is a class at a place.
type thing struct {
	class string
	end   int // the word behind it
}

// refusalAt reads a refusal that begins at i, and says how many words it has; 0 where there is
// none.
func (r *reading) refusalAt(i int) int {
	for _, form := range r.forms.before[r.Words[i]] {
		if !r.stands(i, form.before) {
			continue
		}
		trust := 0
		if form.allergy || len(form.after) > 0 {
			trust = 1
		}
		if things := r.thingsFrom(i+len(form.before), trust); len(things) > 0 {
			end := things[len(things)-1].end
			if !r.stands(end, form.after) { // "gegen Mandeln allergisch"
				continue
			}
			return r.refuse(things, i, end+len(form.after), form.allergy)
		}
		if len(form.before) > 1 && len(form.after) == 0 {
			break // a shorter one would take the words of this for a thing
		}
	}
	return r.refusalBehind(i)
}

// refusalBehind reads a refusal whose thing stands first: "hazelnut allergy", "la lana mi dà
// allergia".
func (r *reading) refusalBehind(i int) int {
	things := r.thingsFrom(i, mostListed)
	for _, form := range r.forms.after {
		if form.ending {
			if class := classBefore(r.Words[i], form.after[0]); class != "" && r.Together(i, i+1) {
				return r.refuse([]thing{{class, i + 1}}, i, i+1, form.allergy)
			}
			continue
		}
		for k := len(things); k > 0; k-- {
			end := things[k-1].end
			if r.stands(end, form.after) && !r.Ends(end) && (form.after[0] != "free" || r.Free(end)) {
				return r.refuse(things[:k], i, end+len(form.after), form.allergy)
			}
		}
	}
	return 0
}

// refuse takes things that the words from i to before end say are not wanted, and gives how many
// words these are.
func (r *reading) refuse(things []thing, i, end int, allergy bool) int {
	from := i
	for k, one := range things {
		to := one.end
		if k == len(things)-1 {
			to = end
		}
		r.found.Refusals = append(r.found.Refusals, Refusal{Span{from, to}, one.class, allergy})
		from = to
	}
	return end - i
}

// stands says whether words stand at i, with nothing between them.
func (r *reading) stands(i int, words []string) bool {
	return i+len(words) <= len(r.Words) && slices.Equal(r.Words[i:i+len(words)], words) && r.Together(i, i+len(words))
}

// classBefore gives the class of a compound with an ending: "nussfrei".
func classBefore(word, ending string) string {
	of, ok := strings.CutSuffix(word, ending)
	if !ok || len(of) < 2 {
		return ""
	}
	for _, form := range [...]string{of, strings.TrimSuffix(of, "n"), strings.TrimSuffix(of, "s"), of + "e"} {
		if class, ok := taxonomy.Named(form); ok {
			return class
		}
	}
	return ""
}

// mostListed bounds how long a list is read.
const mostListed = 16

// thingsFrom reads a list of things at i. Beyond those that are trusted, one before a word that it
// tells more of is none: "no milk chocolate".
func (r *reading) thingsFrom(i, trust int) (things []thing) {
	for range mostListed {
		for start := i; i < len(r.Words) && r.Article(i) && !r.spelled(i) && (i == start || !r.Ends(i)); {
			i++
		}
		one, ok := r.thingAt(i)
		if !ok || len(things) >= trust && r.narrows(one.end) {
			return things
		}
		things = append(things, one)
		if i = r.Listed(one.end); i < 0 || i >= len(r.Words) {
			return things
		}
		for _, form := range r.forms.before[r.Words[i]] { // "no honey and no milk"
			if len(form.before) == 1 && r.stands(i, form.before) {
				i++
				break
			}
		}
		if _, ok := r.thingAt(i); !ok && r.Function(i) {
			i++
		}
	}
	return things
}

// spelled says whether the word at i calls a class by accents that an article lacks: "lã".
func (r *reading) spelled(i int) bool {
	said := r.Said(i, i+1)
	_, class := taxonomy.Named(said)
	return class && strings.ToLower(said) != r.Words[i]
}

// thingAt reads one thing at i.
func (r *reading) thingAt(i int) (thing, bool) {
	for n := min(facets.LongestPhrase, len(r.Words)-i); n > 0; n-- {
		if !r.Together(i, i+n) {
			continue
		}
		said := r.Said(i, i+n)
		class, ok := taxonomy.Named(said)
		// a word that is spelled with accents is no other: "für" is no fur
		if !ok && strings.ToLower(said) == facets.Fold(said) {
			class, ok = taxonomy.Named(facets.Singular(strings.Join(r.Words[i:i+n], " ")))
		}
		if ok {
			return thing{class, i + n}, true
		}
	}
	return thing{}, false
}

// narrows says whether the word at i goes on with the one before it: "milk" tells of which kind the
// "chocolate" behind it is.
func (r *reading) narrows(i int) bool {
	return i < len(r.Words) && !r.Ends(i) && r.Plain(i) && !r.Article(i) && r.phrase(i, r.forms.beside) == 0
}
