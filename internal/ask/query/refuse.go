package query

import (
	"slices"
	"strings"

	"frontdesk/internal/ask/language"
	"frontdesk/internal/content/facets"
	"frontdesk/internal/content/taxonomy"
)

// refusal is a way to say that a thing is not wanted: words before it and words behind it, of which one are empty.
type refusal struct {
	before, after []string
	ending        bool // after is the ending of the thing's word: "Nussallergie"
	allergy       bool // it harms somebody
}

// refusalForms are the ways of all languages, those before a thing by their first word, the longest first.
var refusalForms = func() (all struct {
	before        map[string][]refusal
	after         []refusal
	never, beside map[string]bool
}) {
	all.before, all.never, all.beside = map[string][]refusal{}, map[string]bool{}, map[string]bool{}
	for list := range language.Each("refuse") {
		for _, phrase := range list.Phrases {
			switch list.Argument {
			case "never":
				all.never[foldPhrase(phrase)] = true
				continue
			case "beside":
				all.beside[foldPhrase(phrase)] = true
				continue
			}
			before, after, _ := strings.Cut(phrase, "*")
			form := refusal{allergy: list.Argument == "allergy", ending: after != "" && after[0] != ' '}
			form.before, form.after = strings.Fields(foldPhrase(before)), strings.Fields(foldPhrase(after))
			if len(form.before) > 0 {
				all.before[form.before[0]] = append(all.before[form.before[0]], form)
			} else {
				all.after = append(all.after, form)
			}
		}
	}
	for _, forms := range all.before {
		slices.SortStableFunc(forms, func(a, b refusal) int { return len(b.before) - len(a.before) })
	}
	slices.SortStableFunc(all.after, func(a, b refusal) int { return len(b.after) - len(a.after) })
	return all
}()

// refused is a thing that is not wanted.
type refused struct {
	value string
	kind  taxonomy.Kind
	end   int // the token behind it
}

// readRefusals reads which classes of things are not wanted, in whatever language that is said: "goes into shock from
// hazelnuts", "senza lana", "Nussallergie", "no electricity needed". Nothing that says so is searched for.
func (r *reader) readRefusals() {
	any := false
	for i := 0; i < len(r.tokens); {
		n := r.refusalAt(i)
		if n > 0 {
			any = true
			i += n
			continue
		}
		if _, n = longestAt(r.line, i, refusalForms.never); n > 0 && r.together(i, i+n) {
			r.accepted = append(r.accepted, span{i, i + n})
			i += n
			continue
		}
		i++
	}
	if !any {
		return
	}
	for i := 0; i < len(r.tokens); i++ {
		if _, n := longestAt(r.line, i, refusalForms.beside); n > 0 && r.together(i, i+n) {
			r.use(i, i+n)
		}
	}
}

// refusalAt reads a refusal that begins at i, and says how many tokens it has; 0 where there is none.
func (r *reader) refusalAt(i int) int {
	if _, n := longestAt(r.line, i, refusalForms.never); n > 0 {
		return 0
	}
	for _, form := range refusalForms.before[r.word(i)] {
		if !r.stands(i, form.before) {
			continue
		}
		if things := r.refusedFrom(i+len(form.before), trusted[form.allergy]); len(things) > 0 {
			r.refuse(things, i, form.allergy)
			return things[len(things)-1].end - i
		}
	}
	return r.refusalBehind(i)
}

// refusalBehind reads a refusal whose thing stands first: "hazelnut allergy", "la lana mi dà allergia".
func (r *reader) refusalBehind(i int) int {
	things := r.refusedFrom(i, mostListed)
	for _, form := range refusalForms.after {
		if form.ending {
			if class := refusedIn(r.word(i), form.after[0]); class != "" {
				r.refuse([]refused{{class, taxonomy.KindOf(class), i + 1}}, i, form.allergy)
				return 1
			}
			continue
		}
		for k := len(things); k > 0; k-- {
			end := things[k-1].end
			if r.stands(end, form.after) && !r.tokens[end].comma && !r.tokens[end].stop && (form.after[0] != "free" || r.freeBehind(end)) {
				r.refuse(things[:k], i, form.allergy)
				r.use(end, end+len(form.after))
				return end + len(form.after) - i
			}
		}
	}
	return 0
}

// stands says whether words stand at i, with nothing between them and none of them used.
func (r *reader) stands(i int, words []string) bool {
	if i+len(words) > len(r.tokens) || !r.together(i, i+len(words)) {
		return false
	}
	for k, word := range words {
		if r.word(i+k) != word {
			return false
		}
	}
	return true
}

// refusedIn gives the class of a compound with an ending: "nussfrei".
func refusedIn(word, ending string) string {
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

// trusted is how many things are read behind a form even before a word that they tell more of, by whether they harm somebody.
var trusted = map[bool]int{true: 1}

// refusedFrom reads a list of things at i. Beyond those that are trusted, one before a word that it tells more of is none:
// "no milk chocolate".
func (r *reader) refusedFrom(i, trust int) (things []refused) {
	for range mostListed {
		for i < len(r.tokens) && articles[r.word(i)] && !r.spelled(i) && !r.tokens[i].stop && !(r.tokens[i].comma && len(things) > 0 && leading[r.word(i)]) {
			i++
		}
		thing, ok := r.refusedAt(i)
		if !ok || len(things) >= trust && r.narrows(thing.end) {
			return things
		}
		things = append(things, thing)
		if i = r.listed(thing.end); i < 0 {
			return things
		}
		for _, form := range refusalForms.before[r.word(i)] { // "no honey and no milk"
			if len(form.before) == 1 && r.stands(i, form.before) {
				i++
				break
			}
		}
	}
	return things
}

// spelled says whether the word at i calls a class by accents that an article lacks: "lã".
func (r *reader) spelled(i int) bool {
	said := r.said(i, i+1)
	_, class := taxonomy.Named(said)
	return class && strings.ToLower(said) != r.word(i)
}

// refusedAt reads one thing at i.
func (r *reader) refusedAt(i int) (refused, bool) {
	if i >= len(r.tokens) || r.tokens[i].used || r.tokens[i].number {
		return refused{}, false
	}
	for n := min(facets.LongestPhrase, len(r.tokens)-i); n > 0; n-- {
		if !r.together(i, i+n) {
			continue
		}
		said := r.said(i, i+n)
		if class, ok := taxonomy.Named(said); ok && !notClass(said) {
			return refused{class, taxonomy.KindOf(class), i + n}, true
		}
		if class, ok := taxonomy.Named(facets.Singular(r.phrase(i, i+n))); ok && !notClass(said) {
			return refused{class, taxonomy.KindOf(class), i + n}, true
		}
	}
	return refused{}, false
}

// notClass says whether a word that calls a class is spelled as another word: "für" is no fur.
func notClass(said string) bool {
	_, exactly := taxonomy.Named(said)
	return !exactly && facets.Fold(said) != strings.ToLower(said)
}

// narrows says whether the word at i goes on with the one before it: "milk" tells of which kind the "chocolate" behind it is.
func (r *reader) narrows(i int) bool {
	if i >= len(r.tokens) || r.tokens[i].comma || r.tokens[i].stop || r.tokens[i].used {
		return false
	}
	_, beside := longestAt(r.line, i, refusalForms.beside)
	return r.plain(i) && beside == 0 && !articles[r.word(i)] && !r.nounFirst() && !r.has(i, roleCourtesy)
}

// refuse adds the conditions that things are not wanted, which the tokens from i on say.
func (r *reader) refuse(things []refused, i int, allergy bool) {
	for _, thing := range things {
		r.add(r.lacking(thing.value, allergy), i, thing.end)
		i = thing.end
	}
}

// lacking is the condition that a class is not in an item.
func (r *reader) lacking(class string, allergy bool) facets.Constraint {
	switch kind := taxonomy.KindOf(class); {
	case kind == taxonomy.Food && !taxonomy.Provable(class) && r.known(facets.Diet): // what does not declare it is not meant
		r.food = true
		return facets.Constraint{Slot: facets.Diet, Values: []string{class + "free"}}
	case kind == taxonomy.Material:
		return facets.Constraint{Slot: facets.Material, Not: true, Values: []string{class}, Allergy: allergy}
	case kind == taxonomy.Power:
		return facets.Constraint{Slot: facets.Mention, Not: true, Values: []string{class}, Allergy: allergy}
	}
	r.food = true
	return facets.Constraint{Slot: facets.Ingredient, Not: true, Values: []string{class}, Allergy: allergy}
}
