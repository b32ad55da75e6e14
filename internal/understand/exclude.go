package understand

import (
	"slices"
	"strings"

	"frontdesk/internal/facet"
)

// notExcluded are words behind "no" and "not" that make a phrase of another meaning: "no bake", "not only".
var notExcluded = map[string]bool{
	"bake": true, "baking": true, "knead": true, "churn": true, "cook": true, "cooking": true, "show": true, "fuss": true, "sew": true, "one": true, "matter": true,
	"only": true, "sure": true, "included": true, "include": true, "just": true, "more": true, "less": true, "time": true, "idea": true, "way": true, "problem": true,
	"stick": true, "slip": true, "drill": true, "tie": true, "iron": true, "name": true, "preference": true, "your": true, "my": true, "enough": true, "doubt": true,
	"clue": true, "hassle": true, "nonsense": true, "need": true, "longer": true, "oven": true, "that": true, "the": true, "if": true, "like": true, "have": true,
	"want": true, "expensive": true, "know": true, "bad": true, "yet": true, "all": true, "necessarily": true, "fault": true, "waste": true, "limit": true, "limits": true,
	"mas": true, "mais": true, "muy": true, "se": true, "me": true, "es": true, "trop": true, "cher": true, "chers": true, "chere": true, "cheres": true, "teuer": true, "zu": true,
	"caro": true, "cara": true, "caros": true, "caras": true, "demasiado": true, "grave": true, "besoin": true,
}

// articles stand between a negation and what it is about.
var articles = map[string]bool{
	"any": true, "the": true, "a": true, "an": true, "of": true, "added": true, "my": true, "our": true, "your": true, "all": true, "kind": true, "sort": true, "from": true, "by": true, "in": true,
	"de": true, "d": true, "du": true, "des": true, "le": true, "la": true, "les": true, "l": true, "el": true, "los": true, "las": true, "un": true, "una": true, "o": true, "os": true, "as": true, "uma": true,
	"die": true, "der": true, "das": true, "den": true, "dem": true, "ein": true, "eine": true, "einen": true, "irgendwelche": true, "jegliche": true, "made": true, "with": true, "containing": true,
	"al": true, "au": true, "aux": true, "ao": true, "aos": true, "chez": true,
}

// plainSpoken is how many words a question has at most whose "not" is a wish: longer ones are prose, in which it says many
// other things.
const plainSpoken = 12

// readWithout reads what is not wanted: "without nuts or eggs", "no ginger", "allergic to shellfish", "not red",
// "sugar-free".
func (r *reader) readWithout(i int) bool {
	if n := r.freeOf(i); n > 0 {
		return true
	}
	if r.allergy(i) {
		return true
	}
	if _, n := r.match(i, roleUnmade); n > 0 && r.known(facet.Material) && r.plain(i+n) {
		word := r.word(i + n)
		r.add(Constraint{Slot: facet.Material, Not: true, Values: append([]string{word}, kindsOf[word]...)}, i, i+n+1)
		return true
	}
	kind, n := roleAllergic, 0
	for _, negation := range []role{roleAllergic, roleWithout, roleNot} {
		if _, m := r.match(i, negation); m > n {
			kind, n = negation, m
		}
	}
	if n == 0 || i+n >= len(r.tokens) || r.tokens[i+n].stop {
		return false
	}
	next, first, any := i+n, i, false
	for next < len(r.tokens) {
		start := next
		for start < len(r.tokens) && articles[r.word(start)] && !r.tokens[start].stop {
			start++
		}
		if !any && notExcluded[r.word(start)] && kind != roleAllergic {
			return false
		}
		c, end := r.unwanted(start, kind)
		if end == start || c.Slot == facet.Mention && len(r.tokens) > plainSpoken {
			break
		}
		any = true
		r.exclude(c, first, end)
		if next = r.listed(end); next < 0 {
			break
		}
		first = next
		if further[r.word(next-1)] {
			first = next - 1
		}
		if r.has(next, roleWithout) { // "no nuts and no eggs"
			if _, m := r.match(next, roleWithout); m > 0 {
				next += m
			}
		}
	}
	return any
}

// allergy reads a German compound that names what harms: "Nussallergie", "Laktoseintoleranz".
func (r *reader) allergy(i int) bool {
	word := r.word(i)
	for _, ending := range [...]string{"allergie", "allergien", "allergiker", "allergikerin", "intoleranz", "unvertraglichkeit"} {
		of, ok := strings.CutSuffix(word, ending)
		if !ok || of == "" || !r.known(facet.Ingredient) {
			continue
		}
		for _, form := range [...]string{of, strings.TrimSuffix(of, "n"), strings.TrimSuffix(of, "s")} {
			if class, ok := facet.Class(form); ok {
				c := Constraint{Slot: facet.Ingredient, Not: true, Values: []string{form}}
				if class == "gluten" {
					c = Constraint{Slot: facet.Diet, Values: []string{"glutenfree"}}
				}
				r.food = true
				r.add(c, i, i+1)
				return true
			}
		}
	}
	return false
}

// kindsOf are materials by the word for all of them.
var kindsOf = map[string][]string{
	"wood":    {"beech", "ash", "oak", "walnut", "olive wood", "pine", "birch", "maple", "cherry wood", "teak", "bamboo", "pear wood", "mahogany", "acacia", "ebony", "cedar"},
	"metal":   {"steel", "iron", "brass", "aluminium", "aluminum", "copper", "tin", "silver", "bronze", "zinc"},
	"plastic": {"polyester", "nylon", "polypropylene", "polyethylene", "acrylic", "pvc", "vinyl"},
	"leather": {"suede", "nubuck"},
	"wool":    {"lambswool", "merino", "merino wool", "cashmere", "mohair", "alpaca"},
}

// exclude adds a condition on what is not wanted. What items may mention all the same is a preference, and stays among the
// words searched for, where the search knows what a negation is.
func (r *reader) exclude(c Constraint, i, next int) {
	if c.Slot == facet.Mention && r.mayMention(c.Values[0], i) {
		r.prefer(c, i, next)
		return
	}
	r.add(c, i, next)
}

// mayMention says whether an item may mention what is not wanted and be wanted all the same: "a tool case without tools" is
// about tools, and a belt without a buckle says so. What is excepted by name and what is food may not.
func (r *reader) mayMention(what string, i int) bool {
	last := facet.Singular(what[strings.LastIndexByte(what, ' ')+1:])
	for k := range r.tokens[:i] {
		if facet.Singular(r.word(k)) == last {
			return true
		}
	}
	for k := i; k < min(i+4, len(r.tokens)); k++ {
		if exceptive[r.word(k)] {
			return false
		}
	}
	return !facet.IsFood(last)
}

// exceptive are words that take something out of what was named.
var exceptive = map[string]bool{
	"except": true, "other": true, "excluding": true, "exclude": true, "but": true, "apart": true, "aside": true, "rather": true, "instead": true, "arent": true, "isnt": true,
	"ausser": true, "ausgenommen": true, "sauf": true, "hormis": true, "excepto": true, "salvo": true, "exceto": true,
}

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
	if further[r.word(i)] { // "weder rot noch blau"
		return i + 1
	}
	return -1
}

// further are words by which a list of what is not wanted goes on.
var further = map[string]bool{"noch": true, "nor": true}

// unwanted reads one thing that is not wanted at i, and where it ends; i itself when nothing is.
func (r *reader) unwanted(i int, kind role) (c Constraint, end int) {
	if i >= len(r.tokens) || r.tokens[i].used || r.tokens[i].number || r.functional(i) && !r.has(i, roleColor) {
		return c, i
	}
	for n := min(LongestPhrase, len(r.tokens)-i); n > 0; n-- {
		if !r.together(i, i+n) {
			continue
		}
		phrase := r.phrase(i, i+n)
		if class, ok := facet.Class(phrase); ok && r.known(facet.Ingredient) && !r.wanted("Product", "Event", "Article") {
			r.food = true
			if class == "gluten" {
				return Constraint{Slot: facet.Diet, Values: []string{"glutenfree"}}, i + n
			}
			return Constraint{Slot: facet.Ingredient, Not: true, Values: []string{phrase}}, i + n
		}
		if c, ok := r.meaning(phrase); ok && (c.Slot != facet.Color || r.colorful(i, n)) {
			return c, i + n
		}
		if s, m := r.match(i, roleColor); m == n && r.known(facet.Color) {
			c = Constraint{Slot: facet.Color, Not: true, Values: []string{phrase}}
			if s.arg != phrase {
				c.Values = append(c.Values, s.arg)
			}
			return c, i + n
		}
	}
	if !r.plain(i) {
		return c, i
	}
	end = i + 1
	food := r.known(facet.Ingredient) && (r.wanted("Recipe") || r.only("Recipe") || kind == roleAllergic || len(r.out.Types) == 0 && r.foodAsked())
	for !food && end < len(r.tokens) && end < i+3 && r.plain(end) && !r.tokens[end].comma && !r.tokens[end].stop {
		end++
	}
	slot := facet.Mention
	if food && kind != roleNot {
		slot = facet.Ingredient
	}
	return Constraint{Slot: slot, Not: true, Values: []string{r.phrase(i, end)}}, end
}

// meaning gives the exclusion of what the catalog taught a phrase to be.
func (r *reader) meaning(phrase string) (Constraint, bool) {
	for _, m := range r.at.Lexicon.Meanings(phrase) {
		switch m.Slot {
		case facet.Ingredient:
			return Constraint{Slot: facet.Ingredient, Not: true, Values: []string{phrase}}, true
		case facet.Brand, facet.Color, facet.Author, facet.Location, facet.Material, facet.Cuisine:
			return Constraint{Slot: m.Slot, Not: true, Values: []string{m.Value}}, true
		}
	}
	return Constraint{}, false
}

// foodAsked says whether the question seems to be about food where the catalog has other things, too.
func (r *reader) foodAsked() bool {
	if r.have("Recipe") == 0 {
		return false
	}
	if slices.ContainsFunc(r.out.Constraints, func(c Constraint) bool {
		return c.Slot == facet.Diet || c.Slot == facet.TotalTime || slices.Contains(nutrients, c.Slot)
	}) {
		return true
	}
	for i := range r.tokens {
		if foods[r.word(i)] {
			return true
		}
	}
	return false
}

// foods are words for meals and dishes.
var foods = wordSet(`meal meals dinner dinners lunch lunches breakfast breakfasts brunch supper suppers dessert desserts snack snacks soup soups salad salads
	stew stews curry curries pasta cake cakes bread breads pie pies dish dishes cook bake eat eating food starter starters main side sides pudding puddings baking
	sandwich sandwiches pizza casserole porridge pancakes pancake cookies cookie muffins muffin biscuits sauce dip smoothie essen abendessen mittagessen frühstück
	suppe suppen salat kuchen dîner déjeuner dessert soupe gâteau plat plats cena almuerzo desayuno comida postre sopa ensalada jantar almoço sobremesa bolo salada treat treats`)

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for _, word := range fields(words) {
		set[word] = true
	}
	return set
}

// plain says whether the word at i has a meaning of its own: it is no function word and begins no other condition.
func (r *reader) plain(i int) bool {
	if i >= len(r.tokens) || r.tokens[i].used || r.tokens[i].number || r.functional(i) {
		return false
	}
	plain := true
	r.phrases(i, func(s sense, n int) bool {
		switch s.role {
		case roleSlot, roleThing, roleColor, rolePeople, roleCourtesy, roleStars, roleTop, roleFree, roleTongue, roleHigh, roleLow, roleReviews:
			return true
		}
		plain = false
		return false
	})
	return plain
}

// freedoms are words before "free" that nothing is made of.
var freedoms = map[string]bool{
	"fuss": true, "stress": true, "hassle": true, "guilt": true, "worry": true, "mess": true, "cruelty": true, "hands": true, "risk": true, "smoke": true,
	"carefree": true, "duty": true, "trouble": true, "waste": true, "plastic": true, "additive": true, "chemical": true, "gmo": true, "toxin": true, "bpa": true,
}

// freeOf reads "X free" at i, and says how many tokens that took.
func (r *reader) freeOf(i int) int {
	for n := 1; n <= 2 && i+n < len(r.tokens); n++ {
		if !r.freeBehind(i+n) || !r.together(i, i+n+1) {
			continue
		}
		phrase := r.phrase(i, i+n)
		if diet, ok := facet.DietOf(phrase + " free"); ok && r.known(facet.Diet) {
			r.food = true
			r.add(Constraint{Slot: facet.Diet, Values: []string{diet}}, i, i+n+1)
			return n + 1
		}
		if _, ok := facet.Class(phrase); ok && r.known(facet.Ingredient) {
			r.food = true
			r.add(Constraint{Slot: facet.Ingredient, Not: true, Values: []string{phrase}}, i, i+n+1)
			return n + 1
		}
		if n == 1 && r.tokens[i+n].glued && r.known(facet.Ingredient) && !freedoms[phrase] && (r.wanted("Recipe") || r.only("Recipe") || r.foodAsked()) {
			r.add(Constraint{Slot: facet.Ingredient, Not: true, Values: []string{phrase}}, i, i+n+1)
			return n + 1
		}
		if c, ok := r.meaning(phrase); ok && c.Slot == facet.Ingredient {
			r.add(c, i, i+n+1)
			return n + 1
		}
	}
	return 0
}

// fields are the folded words of a list.
func fields(words string) []string {
	list := strings.Fields(words)
	for i, word := range list {
		list[i] = facet.Fold(word)
	}
	return list
}
