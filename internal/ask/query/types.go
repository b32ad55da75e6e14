package query

import (
	"slices"
	"strings"

	"frontdesk/internal/content/facets"
)

// readTypes finds the words that say of which type the wanted items are. Only types that the
// catalog has narrow.
func (r *reader) readTypes() {
	for i, further := 0, false; i < len(r.tokens); i++ {
		typ, n, whole := r.typeAt(i)
		if n == 0 || !r.heads(i, n) || r.where(i, typ) {
			if further {
				return
			}
			continue
		}
		if len(r.at.Types) > 0 {
			if r.wanted(typ) {
				r.use(i, i+n) // it says once more what was said
			}
			return
		}
		r.out.Types = append(r.out.Types, typ)
		if whole {
			r.use(i, i+n)
		}
		if i > 1 && onlyThat()[r.word(i-2)] {
			r.use(i-2, i)
		}
		next := i + n
		switch {
		case r.has(next, roleAnd) || r.has(next, roleOr):
			i = next
		case next < len(r.tokens) && r.tokens[next].comma:
			i = next - 1
		default:
			return
		}
		further = true
	}
}

// readKinds reads a word for what items of a type are about ("theatre", "with kids") as that type
// where no item has the word and it would find nothing.
func (r *reader) readKinds() {
	if r.at.Has == nil || len(r.at.Types) > 0 {
		return
	}
	for i := range r.tokens {
		s, n := r.match(i, roleKind)
		if n == 0 || r.have(s.arg) == 0 || r.refusedKind(i) || r.at.Has(r.word(i+n-1)) {
			continue
		}
		switch {
		case len(r.out.Types) == 0:
			r.out.Types = []string{s.arg}
		case len(r.out.Types) == 1 && r.at.IsA(s.arg, r.out.Types[0]):
			r.out.Types = []string{s.arg}
		default:
			return
		}
		r.use(i, i+n)
		return
	}
}

// readBroad takes a word for whatever there is of some types ("activities", "gifts") for these
// types where the question's conditions say all the rest, and one for what one goes to where the
// question says nothing else. Words for food give way to what somebody eats even where a type is
// said: "a recipe for lunch".
func (r *reader) readBroad() {
	stated := slices.ContainsFunc(r.out.Constraints, func(c facets.Constraint) bool { return !c.Soft })
	if !stated && len(r.out.Constraints) > 0 {
		return
	}
	var types []string
	var said []int
	eats, more := false, false
	for i := 0; i < len(r.tokens); i++ {
		var n int
		r.phrases(i, func(s sense, length int) bool {
			if s.role == roleBroad && (n == 0 || n == length) && !r.refusedKind(i) {
				eats = eats || s.arg == "food"
				if n = length; r.have(s.arg) > 0 && !slices.Contains(types, s.arg) {
					types = append(types, s.arg)
				}
			}
			return true
		})
		switch {
		case n > 0:
			said = append(said, i, i+n)
			i += n - 1
		case r.tokens[i].used && !slices.Contains(r.kept, i), r.functional(i), r.idle(i) > 0, r.has(i, roleGlue),
			r.has(i, roleCourtesy), r.has(i, roleAnd), r.has(i, roleOr):
		default:
			more = true
		}
	}
	// in a story, food may be the smallest part of what is asked
	r.out.Broad = eats && (!more || len(r.tokens) <= plainSpoken) && slices.ContainsFunc(r.out.Constraints, feeds)
	if !more && stated && !eats && len(r.out.Types) > 0 {
		for k := 0; k < len(said); k += 2 { // "welche Kurse laufen samstags": a verb behind the type
			if said[k] > 0 && r.tokens[said[k]-1].used {
				r.use(said[k], said[k+1])
			}
		}
		return
	}
	if more || len(types) == 0 || len(r.out.Types) > 0 || r.out.Broad {
		return
	}
	if !stated && slices.ContainsFunc(types, func(t string) bool { return !r.at.IsA(t, "Event") && t != "Course" }) {
		return // a word for things, such as gifts, finds those that are called so
	}
	r.out.Types = types
	for k := 0; k < len(said); k += 2 {
		r.use(said[k], said[k+1])
	}
}

// feeds says whether a condition is about what somebody eats.
func feeds(c facets.Constraint) bool {
	return !c.Soft && (c.Slot == facets.Diet || c.Slot == facets.Ingredient)
}

// fallback are types whose items stand in for those of their subtypes, when the catalog knows only
// the former: the word is searched for then.
var fallback = []string{"Event", "Article", "LodgingBusiness", "FoodEstablishment"}

// shortestHead is how many letters a word for a type has at least that ends a compound.
const shortestHead = 4

// compoundTypeAt finds the type that the end of the compound at i names: "Sprachkurse". The word
// says more than that.
func (r *reader) compoundTypeAt(i int) (typ string, n int) {
	word := r.word(i)
	for from := range word {
		if from < 2 || len(word)-from < shortestHead {
			continue
		}
		for _, s := range compiled().vocabulary[word[from:]] {
			if s.role == roleType && s.tongues&(1<<r.best) != 0 && r.have(s.arg) > 0 {
				return s.arg, 1
			}
		}
	}
	return "", 0
}

// typeAt finds the type that the word at i names and the catalog has. whole says that the word says
// nothing beyond. Compounds in a story may be said of anything.
func (r *reader) typeAt(i int) (typ string, n int, whole bool) {
	if r.compounds() && compiled().beginnings[r.word(i)] == 0 && len(r.tokens) <= plainSpoken {
		typ, n = r.compoundTypeAt(i)
		return typ, n, false
	}
	r.phrases(i, func(s sense, length int) bool {
		if s.role != roleType {
			return true
		}
		if r.have(s.arg) > 0 {
			typ, n, whole = s.arg, length, true
			return false
		}
		for _, broad := range fallback {
			if n == 0 && r.at.IsA(s.arg, broad) && r.have(broad) > 0 {
				typ, n = broad, length
			}
		}
		return true
	})
	return typ, n, whole
}

// notHeads are words before a word for a type that make it something else: "main course", "of
// course".
var notHeads = everywhere("head.not")

// onlyThat are words that turn such a word around: "nothing but books".
var onlyThat = everywhere("head.onlythat")

// heads says whether the word for a type at i, n tokens long, is what the question is for, and does
// not qualify what follows: "recipes for lunch", but "recipe book".
func (r *reader) heads(i, n int) bool {
	if r.refusedKind(i) {
		return false
	}
	if i > 0 && r.tokens[i].glued && r.tokens[i].dash ||
		i > 0 && notHeads()[r.word(i-1)] && r.word(i-1) != "to" && !onlyThat()[r.word(i-2)] {
		return false
	}
	next := i + n
	if next >= len(r.tokens) || r.tokens[next].comma || r.tokens[next].stop || r.tokens[next].number ||
		r.tokens[next].used || r.functional(next) || dayParts()[r.word(next)] != "" {
		return true
	}
	if r.tokens[next].glued && r.tokens[next].dash {
		return false
	}
	if _, m := r.match(next, roleType); m > 0 {
		return false
	}
	apart := false
	if isColor(r.word(next)) {
		return strings.HasSuffix(r.word(next-1), "s") || r.nounFirst()
	}
	r.phrases(next, func(s sense, _ int) bool {
		apart = s.role != roleDiet && s.role != roleTongue && s.role != roleKind
		return !apart
	})
	// Where it stands in the plural, or in a language that puts the noun first or joins nouns, more
	// words may follow.
	return apart || strings.HasSuffix(r.word(next-1), "s") || r.nounFirst() || r.compounds()
}

// whereLeads are words that lead to where something is: "at the".
var whereLeads = everywhere("head.where")

// where says whether the word for a type at i only tells where what is wanted is: "which cakes do
// you have at the café".
func (r *reader) where(i int, typ string) bool {
	if !r.at.IsA(typ, "Place") && !r.at.IsA(typ, "Organization") {
		return false
	}
	for n := min(3, i); n > 0; n-- {
		if !whereLeads()[r.phrase(i-n, i)] || !r.together(i-n, i) {
			continue
		}
		for k := range i - n {
			if r.plain(k) && !r.has(k, roleCourtesy) && !r.has(k, roleGlue) {
				return true
			}
		}
	}
	return false
}

// fewRecipes is what part of all items are recipes at least where food means a recipe.
const fewRecipes = 12

// implied settles that recipes are wanted where the question says of something that only they have:
// a time to cook, what a serving has, a diet, and what is asked for is a dish.
func (r *reader) implied() {
	if len(r.out.Types) > 0 || fewRecipes*r.have("Recipe") < r.at.Lexicon.Items() || r.have("Recipe") == 0 ||
		r.only("Recipe") {
		return // where food is sold, some recipes stand beside it
	}
	cooked, eaten := false, false
	for _, c := range r.out.Constraints {
		switch {
		case c.Slot == facets.Price, c.Slot == facets.Brand, c.Slot == facets.Start, c.Slot == facets.Location,
			c.Slot == facets.Author, c.Slot == facets.Published:
			return
		case c.Slot == facets.CookTime, c.Slot == facets.PrepTime, c.Slot == facets.TotalTime,
			c.Slot == facets.Calories, slices.Contains(nutrients, c.Slot):
			cooked = true
		case c.Slot == facets.Diet, c.Slot == facets.Ingredient, c.Slot == facets.Yield:
			eaten = true
		}
	}
	switch r.out.Sort.By {
	case facets.TotalTime, facets.Calories, facets.Protein, facets.Fat, facets.Carbohydrate, facets.Sugar, facets.Fiber:
		cooked = true
	}
	dish := r.dish()
	if cooked || !r.sellsFood() && (eaten && (dish || r.food) ||
		dish && (r.out.Sort.By != "" || r.out.Count > 0 || len(r.out.Constraints) > 0)) {
		r.out.Types = []string{"Recipe"}
	}
}

// sellsFood says whether more items than the recipes state what is in them: food is sold, too.
func (r *reader) sellsFood() bool {
	allergens, _ := r.at.Lexicon.Slot(string(facets.Allergens))
	ingredients, _ := r.at.Lexicon.Slot(string(facets.Ingredient))
	return max(allergens.Count, ingredients.Count) > r.have("Recipe")
}

// dish says whether the last word that is searched for is one for a dish or a meal: "lentil soup",
// but not "soup bowl".
func (r *reader) dish() bool {
	for i := len(r.tokens) - 1; i >= 0; i-- {
		if r.tokens[i].used || r.functional(i) || r.has(i, roleCourtesy) || r.has(i, roleGlue) {
			continue
		}
		return foods()[r.word(i)]
	}
	return false
}

// TypesOf gives the schema.org types that a folded word names in one of our languages: "concert" is
// a MusicEvent.
func TypesOf(word string) (types []string) {
	for _, s := range compiled().vocabulary[word] {
		if s.role == roleType {
			types = append(types, s.arg)
		}
	}
	return types
}
