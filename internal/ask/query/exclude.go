package query

import (
	"slices"
	"strings"
	"sync"

	"frontdesk/internal/ask/refusals"
	"frontdesk/internal/content/facets"
	"frontdesk/internal/content/taxonomy"
	"frontdesk/internal/infra/language"
)

// notExcluded are words behind "no" and "not" that make a phrase of another meaning: "no bake",
// "not only".
var notExcluded = everywhere("not.part")

// articles stand between a negation and what it is about.
var articles = everywhere("article")

// notLinks are the words that stand there beside articles: "que no sean azules", "pas en
// porcelaine".
var notLinks = everywhere("not.link")

// linked says whether the word at i only joins a negation to what it is about.
func (r *reader) linked(i int) bool { return articles()[r.word(i)] || notLinks()[r.word(i)] }

// plainSpoken is how many words a question has at most whose "not" is a wish: longer ones are
// prose, in which it says many other things.
const plainSpoken = 12

// readWithout reads what is not wanted: "without nuts or eggs", "no ginger", "allergic to
// shellfish", "not red", "sugar-free".
func (r *reader) readWithout(i int) bool {
	if slices.ContainsFunc(r.accepted, func(s refusals.Span) bool { return s.From <= i && i < s.To }) {
		return false
	}
	if r.freeOf(i) > 0 || r.readNamed(i) {
		return true
	}
	if _, n := r.match(i, roleUnmade); n > 0 && r.known(facets.Material) && r.plain(i+n) {
		word := r.word(i + n)
		r.add(facets.Constraint{Slot: facets.Material, Not: true, Values: []string{word}}, i, i+n+1)
		return true
	}
	by, n := negation{}, 0
	for _, role := range []role{roleAllergic, roleWithout, roleNot} {
		if s, m := r.match(i, role); m > n {
			by, n = negation{role, s.arg == "part"}, m
		}
	}
	if n == 0 || i+n >= len(r.tokens) || r.tokens[i+n].stop || r.tokens[i+n].comma { // "no, for adults"
		return false
	}
	next, first, any := i+n, i, false
	for next < len(r.tokens) {
		start := next
		for start < len(r.tokens) && r.linked(start) && !r.tokens[start].stop {
			start++
		}
		if !any && (notExcluded()[r.word(start)] || owned()[r.word(next)] || r.supposed(i)) && by.role != roleAllergic {
			return false
		}
		c, end := r.unwanted(start, by)
		if end == start || c.Slot == facets.Mention && len(r.tokens) > plainSpoken {
			break
		}
		any = true
		r.exclude(c, first, end, by)
		if next = r.listed(end); next < 0 || next >= len(r.tokens) || r.tokens[next].comma && leading()[r.word(next)] {
			break
		}
		first = next
		if further()[r.word(next-1)] {
			first = next - 1
		}
		if r.has(next, roleWithout) { // "no nuts and no eggs"
			if _, m := r.match(next, roleWithout); m > 0 {
				next += m
			}
		}
	}
	if any {
		r.dropAround()
	}
	return any
}

// leading are words that begin a phrase of its own behind a comma: "no toys, for the garden".
var leading = everywhere("not.leading")

// supposing are words that make what follows no wish, but what might be: "if I am not at home".
// They are those of each language: an Italian "if" is a Spanish pronoun.
var supposing = sync.OnceValue(func() (words []map[string]bool) {
	for _, table := range language.Tables() {
		words = append(words, setOf(table.Each("not.supposing"), foldPhrase))
	}
	return words
})

// supposed says whether such a word leads to i.
func (r *reader) supposed(i int) bool {
	for k := i - 1; r.best >= 0 && k >= max(0, i-4) && !r.tokens[k+1].comma && !r.tokens[k+1].stop; k-- {
		if supposing()[r.best][r.word(k)] {
			return true
		}
	}
	return false
}

// owned are words behind a negation that make what follows a matter of somebody's: "watch the game,
// not your phone".
var owned = everywhere("not.owned")

// negation is how something is said not to be wanted.
type negation struct {
	role role // roleWithout, roleNot or roleAllergic
	part bool // it is something that the items lack ("without a switch"), and not a kind of them ("no lamps")
}

// exclude adds a condition on what is not wanted, which the tokens from i to before next say. What
// items may mention all the same is a preference. What says to be without a part of it is looked
// for as well.
func (r *reader) exclude(c facets.Constraint, i, next int, by negation) {
	if c.Slot == facets.Mention {
		c.Soft = r.mayMention(c.Values[0], i, by)
	}
	if c.Slot == facets.Mention && (c.Soft || by.part) {
		for k := i; k < next; k++ {
			r.beside = append(r.beside, k)
		}
	}
	r.add(c, i, next)
}

// mayMention says whether an item may mention what is not wanted and be wanted all the same: "a
// tool case without tools" is about tools, and "silicone not clear" tells of a kind among them.
// What is food may not.
func (r *reader) mayMention(what string, i int, by negation) bool {
	what = facets.Fold(what)
	last := facets.Singular(what[strings.LastIndexByte(what, ' ')+1:])
	if by.part && taxonomy.IsFood(last) {
		return false
	}
	if !by.part && i > 0 && !r.clause(i) {
		return true
	}
	if !by.part && strings.Contains(what, " ") {
		return false // "lamps, but no floor lamps"
	}
	for k := range r.tokens[:i] {
		if facets.Singular(r.word(k)) == last {
			return true
		}
	}
	return false
}

// clause says whether a clause of its own begins at i: behind a comma, a word that joins, or what
// was understood already.
func (r *reader) clause(i int) bool {
	before := i - 1
	for before >= 0 && (r.functional(before) || r.has(before, roleGlue) || r.has(before, roleCourtesy)) &&
		!r.tokens[before].used {
		before--
	}
	return before < 0 || before < i-1 || r.relates(i) || r.tokens[i].comma || r.tokens[i].stop ||
		r.tokens[before].used || r.has(before, roleAnd) || exceptive()[r.word(i)] || exceptive()[r.word(before)]
}

// relates says whether the words of a negation at i begin a clause by themselves: "que no sea".
func (r *reader) relates(i int) bool {
	return r.has(i, roleGlue) && !slices.ContainsFunc(compiled().vocabulary[r.word(i)], func(s sense) bool {
		return s.role == roleNot || s.role == roleWithout
	})
}

// exceptive are words that take something out of what was named.
var exceptive = everywhere("not.exceptive")

// listed is where the next of a list begins: behind a comma, "and", "or"; -1 when there is no more.
func (r *reader) listed(i int) int {
	if i >= len(r.tokens) || r.tokens[i].stop {
		return -1
	}
	if r.has(i, roleAnd) || r.has(i, roleOr) {
		if _, n := r.match(i, roleOr); n == 0 {
			_, n = r.match(i, roleAnd)
			return i + n
		}
		return i + 1
	}
	if r.tokens[i].comma {
		return i
	}
	if further()[r.word(i)] { // "weder rot noch blau"
		return i + 1
	}
	return -1
}

// further are words by which a list of what is not wanted goes on.
var further = everywhere("not.further")

// unwanted reads one thing that is not wanted at i, and where it ends; i itself when nothing is.
func (r *reader) unwanted(i int, by negation) (c facets.Constraint, end int) {
	if c, end = r.unwantedDayPart(i); end > 0 && !by.part {
		return c, end
	}
	if i >= len(r.tokens) || r.tokens[i].used || r.tokens[i].number || r.functional(i) {
		return c, i
	}
	if n := r.gratisAt(i); n > 0 && !by.part && r.known(facets.Price) {
		nothing := 0.0
		return facets.Constraint{Slot: facets.Price, Min: &nothing, Above: true}, i + n
	}
	if typ, n := r.unwantedType(i); n > 0 &&
		(!by.part || slices.ContainsFunc(r.out.Types, func(t string) bool { return r.at.IsA(typ, t) })) {
		if c, ok := r.unwantedCategory(r.phrase(i, i+n)); ok {
			return c, i + n
		}
		return facets.Constraint{Slot: facets.OfType, Not: true, Values: []string{typ}}, i + n
	}
	for n := min(facets.LongestPhrase, len(r.tokens)-i); n > 0; n-- {
		if !r.together(i, i+n) {
			continue
		}
		phrase := r.phrase(i, i+n)
		if class, ok := taxonomy.Named(phrase); ok && taxonomy.KindOf(class) == taxonomy.Food &&
			r.known(facets.Ingredient) && !r.wanted("Product", "Event", "Article") {
			return r.lacking(class, by.role == roleAllergic), i + n
		}
		if c, ok := r.meaning(phrase); ok && (c.Slot != facets.Color || r.colorful(i, n)) {
			return c, i + n
		}
		if c, ok := r.unwantedCategory(phrase); ok && !by.part {
			return c, i + n
		}
		if hues := facets.TraitValues(facets.Color, phrase); len(hues) > 0 && r.known(facets.Color) {
			return facets.Constraint{Slot: facets.Color, Not: true, Values: hues}, i + n
		}
		if t, ok := facets.DeniableAt(phrase, r.worded); ok && r.stated(t.Slot) { // "nothing used"
			return facets.Constraint{Slot: t.Slot, Not: true, Values: []string{t.Value}}, i + n
		}
	}
	if !r.plain(i) {
		return c, i
	}
	end = i + 1
	food := r.known(facets.Ingredient) &&
		(r.wanted("Recipe") || r.only("Recipe") || by.role == roleAllergic || len(r.out.Types) == 0 && r.foodAsked())
	for !food && end < len(r.tokens) && end < i+3 && r.goesOn(end) && !isColor(r.word(end)) {
		end++
	}
	slot := facets.Mention
	if food && by.role != roleNot {
		slot = facets.Ingredient
	}
	return facets.Constraint{Slot: slot, Not: true, Values: []string{r.said(i, r.mentionedTo(i, end))}}, end
}

// mentionedTo is where the words from i that something mentions together end, of those before end
// that say what is not wanted: of "sleep in a tent" and of "im Zelt schlafen" it is the tent that
// items speak of. Where nothing mentions any, all count.
func (r *reader) mentionedTo(i, end int) int {
	for to := end; to > i && r.at.Met != nil; to-- {
		if r.at.Met(&facets.Constraint{Slot: facets.Mention, Values: []string{r.said(i, to)}}) {
			return to
		}
	}
	return end
}

// goesOn says whether the word at i goes on with a thing that is not wanted: it tells neither of
// who asks nor of what such a thing does, as in "a lock that needs no key".
func (r *reader) goesOn(i int) bool {
	return r.plain(i) && !r.tokens[i].comma && !r.tokens[i].stop && !r.has(i, roleCourtesy) &&
		!slices.ContainsFunc(r.around, func(s refusals.Span) bool { return s.From == i })
}

// unwantedType finds the type of items that the word at i names, among those that the catalog has.
// Nobody who does not want any events wants none of what is wanted: a type above that is none.
func (r *reader) unwantedType(i int) (typ string, n int) {
	r.phrases(i, func(s sense, length int) bool {
		if (s.role == roleType || s.role == roleKind) && r.have(s.arg) > 0 && !narrower()[r.phrase(i, i+length)] {
			typ, n = s.arg, length
		}
		return n == 0
	})
	if slices.ContainsFunc(r.out.Types, func(t string) bool { return r.at.IsA(t, typ) }) {
		return "", 0
	}
	return typ, n
}

// narrower are words for a type that name some items of it: nobody who wants no novels wants no
// books.
var narrower = everywhere("type.narrower")

// unwantedCategory finds the category that a phrase names. What is food is looked for in what items
// are made of instead.
func (r *reader) unwantedCategory(phrase string) (facets.Constraint, bool) {
	if r.known(facets.Ingredient) && taxonomy.IsFood(facets.Singular(phrase)) && !foods()[phrase] {
		return facets.Constraint{}, false
	}
	forms := []string{phrase, facets.Singular(phrase)}
	for _, ending := range [...]string{"s", "es", "e", "en", "n"} {
		if form, ok := strings.CutSuffix(phrase, ending); ok {
			forms = append(forms, form)
		}
	}
	for _, form := range forms {
		for _, m := range r.at.Lexicon.Meanings(form) {
			if m.Slot == facets.Category {
				return facets.Constraint{Slot: facets.Category, Not: true, Values: []string{m.Value}}, true
			}
		}
	}
	return facets.Constraint{}, false
}

// refusedKind says whether what begins at i is a kind that is not wanted: a negation stands before
// it, or before what it is joined to by "and" or "or".
func (r *reader) refusedKind(i int) bool {
	for range mostListed {
		for i > 0 && articles()[r.word(i-1)] && !r.tokens[i].comma && !r.tokens[i].stop {
			i--
		}
		if i == 0 || r.tokens[i].stop || r.tokens[i].comma {
			return false
		}
		if r.negatedBefore(i) {
			return true
		}
		if !r.has(i-1, roleOr) && !r.has(i-1, roleAnd) {
			return false
		}
		i--
		for n := 0; n < facets.LongestPhrase && i > 0 && (r.plain(i-1) || r.has(i-1, roleType)) &&
			!r.negatedBefore(i); n++ {
			i--
		}
	}
	return false
}

// negatedBefore says whether a negation of a kind of items ends before i.
func (r *reader) negatedBefore(i int) bool { return r.negationBefore(i) >= 0 }

// negationBefore is where a negation begins that ends before i; -1 where none does.
func (r *reader) negationBefore(i int) int {
	for k := max(0, i-5); k < i; k++ {
		ends := false
		r.phrases(k, func(s sense, n int) bool {
			ends = k+n == i && (s.role == roleWithout || s.role == roleNot) && !onlyThat()[r.word(k-1)]
			return !ends
		})
		if ends {
			return k
		}
	}
	return -1
}

// meaning gives the exclusion of what the catalog taught a phrase to be.
func (r *reader) meaning(phrase string) (facets.Constraint, bool) {
	for _, m := range r.at.Lexicon.Meanings(phrase) {
		switch m.Slot {
		case facets.Ingredient:
			return facets.Constraint{Slot: facets.Ingredient, Not: true, Values: []string{phrase}}, true
		case facets.Brand, facets.Color, facets.Author, facets.Location, facets.Material, facets.Cuisine:
			return facets.Constraint{Slot: m.Slot, Not: true, Values: []string{m.Value}}, true
		}
	}
	return facets.Constraint{}, false
}

// foodAsked says whether the question seems to be about food where the catalog has other things,
// too.
func (r *reader) foodAsked() bool {
	if r.have("Recipe") == 0 {
		return false
	}
	if slices.ContainsFunc(r.out.Constraints, func(c facets.Constraint) bool {
		return c.Slot == facets.Diet || c.Slot == facets.TotalTime || slices.Contains(nutrients, c.Slot)
	}) {
		return true
	}
	for i := range r.tokens {
		if foods()[r.word(i)] {
			return true
		}
	}
	return false
}

// foods are words for meals and dishes.
var foods = everywhere("food")

// plain says whether the word at i has a meaning of its own: it is no function word and begins no
// other condition.
func (r *reader) plain(i int) bool {
	if i >= len(r.tokens) || r.tokens[i].used || r.tokens[i].number || r.functional(i) {
		return false
	}
	plain := true
	r.phrases(i, func(s sense, n int) bool {
		switch s.role {
		case roleSlot, roleThing, roleKind, rolePeople, roleCourtesy, roleStars, roleTop, roleFree, roleTongue,
			roleHigh, roleLow, roleReviews:
			return true
		}
		plain = false
		return false
	})
	return plain
}

// freedoms are words before "free" that nothing is made of.
var freedoms = everywhere("free.of")

// freeOf reads "X free" at i, and says how many tokens that took.
func (r *reader) freeOf(i int) int {
	for n := 1; n <= 2 && i+n < len(r.tokens); n++ {
		if !r.freeBehind(i+n) || !r.together(i, i+n+1) {
			continue
		}
		phrase := r.phrase(i, i+n)
		if diet, ok := facets.DietOf(phrase + " free"); ok && r.known(facets.Diet) {
			r.food = true
			r.add(facets.Constraint{Slot: facets.Diet, Values: []string{diet}}, i, i+n+1)
			return n + 1
		}
		if n == 1 && r.tokens[i+n].glued && r.known(facets.Ingredient) && !freedoms()[phrase] &&
			(r.wanted("Recipe") || r.only("Recipe") || r.foodAsked()) {
			r.add(facets.Constraint{Slot: facets.Ingredient, Not: true, Values: []string{phrase}}, i, i+n+1)
			return n + 1
		}
		if c, ok := r.meaning(phrase); ok && c.Slot == facets.Ingredient {
			r.add(c, i, i+n+1)
			return n + 1
		}
	}
	return 0
}
