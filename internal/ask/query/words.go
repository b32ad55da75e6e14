package query

import (
	"slices"
	"strings"

	"frontdesk/internal/ask/wording"
	"frontdesk/internal/content/facets"
	"frontdesk/internal/content/taxonomy"
)

// readSort reads a wish for an order at i. What no item says of itself orders nothing.
func (r *reader) readSort(i int) bool {
	s, n := r.match(i, roleSort)
	if n == 0 {
		return r.readNextEvent(i)
	}
	order := sortOf(s.arg)
	switch order.By {
	case facets.TotalTime:
		if r.wanted("Event", "Course", "Movie") {
			order.By = r.timeSlot(figure{})
		} else if len(r.out.Types) > 0 && !r.wanted("Recipe", "HowTo") {
			return false
		}
	case facets.Published:
		if recent()[r.phrase(i, i+n)] &&
			!r.wanted("Article", "JobPosting", "VideoObject", "PodcastEpisode", "Book", "Review") {
			return false // of events that are over, or nothing that has a day
		}
		if r.wanted("Event") {
			order = facets.Sort{By: facets.Start, Descending: order.Descending}
		} else if r.wanted("Product") && r.known(releaseDate) {
			order.By = releaseDate
		}
	case facets.Start:
		if !r.wanted("Event", "Course") && !(len(r.out.Types) == 0 && r.have("Event") > 0) || r.hasDay(i+n-1) {
			return false
		}
	case "weight":
		if r.wanted("Recipe", "Event") {
			return false
		}
	}
	if order == r.wish {
		r.use(i, i+n) // it says once more what was said
		return true
	}
	if !r.known(order.By) && r.bareBut(i, n) { // there is nothing else to search for
		r.out.Ignored = append(r.out.Ignored, Ignored{Name: "sort", Reason: "no item says its " + string(order.By)})
		r.use(i, i+n)
		return true
	}
	if !r.known(order.By) || r.out.Sort.By != "" {
		return false
	}
	r.wish = order
	order.Said = r.said(i, i+n)
	r.out.Sort = order
	r.use(i, i+n)
	if order.By == facets.Start && !order.Descending {
		r.out.Constraints = append(r.out.Constraints,
			facets.Constraint{Slot: facets.Start, From: r.today(), Source: facets.FromText, Said: order.Said})
	}
	return true
}

// recent are words for what appeared of late; newer than the rest is less than "the newest".
var recent = everywhere("sort.recent")

// readNextEvent reads "next" before a word for events: the soonest that is to come.
func (r *reader) readNextEvent(i int) bool {
	if _, n := r.match(i, rolePast); n > 0 && i+n < len(r.tokens) && r.tokens[i+n].used && r.out.Sort.By == "" &&
		r.known(facets.Published) && !r.wanted("Event") {
		if _, m := r.match2(i+n, roleType); m > 0 { // "derniers articles"
			r.out.Sort = facets.Sort{By: facets.Published, Descending: true, Said: r.said(i, i+n)}
			r.use(i, i+n)
			return true
		}
	}
	_, n := r.match(i, roleNext)
	if n == 0 || i+n >= len(r.tokens) || !r.wanted("Event") || !r.known(facets.Start) || r.out.Sort.By != "" {
		return false
	}
	if _, m := r.match2(i+n, roleType); m == 0 {
		return false
	}
	r.out.Sort = facets.Sort{By: facets.Start, Said: r.said(i, i+n)}
	r.out.Constraints = append(r.out.Constraints,
		facets.Constraint{Slot: facets.Start, From: r.today(), Source: facets.FromText, Said: r.said(i, i+n)})
	r.use(i, i+n)
	return true
}

// match2 is match for a word that was used already.
func (r *reader) match2(i int, want role) (s sense, n int) {
	was := r.tokens[i].used
	r.tokens[i].used = false
	s, n = r.match(i, want)
	r.tokens[i].used = was
	return s, n
}

// dietNots are words before a diet that deny it.
var dietNots = everywhere("remark.not")

// unlike are words behind a diet that make it the name of something else: "vegan leather".
var unlike = everywhere("diet.unlike")

// readDiet reads a diet at i, and who cannot eat something.
func (r *reader) readDiet(i int) bool {
	s, n := r.match(i, roleDiet)
	if n == 0 || unlike()[r.word(i+n)] {
		return false
	}
	if !r.knowsDiet(s.arg) {
		return false
	}
	if slot, limit, high := figureOfDiet(s.arg); slot != "" && r.known(slot) {
		c := facets.Constraint{Slot: slot, Max: &limit}
		if high {
			c.Min, c.Max = c.Max, nil
		}
		r.lean(c, i, i+n)
		return true
	}
	c := facets.Constraint{Slot: facets.Diet, Values: []string{s.arg}}
	if name, ok := facets.DietOf(s.arg); ok {
		c.Values[0] = name
	}
	if dietNots()[r.word(i-1)] {
		c.Not = true
		i, n = i-1, n+1
	}
	r.add(c, i, i+n)
	return true
}

// knowsDiet says whether the catalog can tell what fits a diet: items state theirs, or what is in
// them where it is something to be left out.
func (r *reader) knowsDiet(diet string) bool {
	return r.known(facets.Diet) ||
		strings.HasSuffix(diet, "free") && (r.known(facets.Allergens) || r.known(facets.Ingredient))
}

// mostListed bounds how long a list is read.
const mostListed = 16

// figureOfDiet gives the figure by which a diet of less of something is judged where items tell it:
// a serving's.
func figureOfDiet(diet string) (slot facets.Slot, limit float64, least bool) {
	switch diet {
	case "lowcalorie":
		return facets.Calories, lowOf[facets.Calories], false
	case "lowfat":
		return facets.Fat, lowOf[facets.Fat], false
	case "lowsalt":
		return facets.Sodium, lowOf[facets.Sodium], false
	}
	return "", 0, false
}

// What is much and what is little of a nutrient in a serving of a meal.
var (
	highOf = map[facets.Slot]float64{
		facets.Protein: 20, facets.Fiber: 6, facets.Fat: 20, facets.Carbohydrate: 45, facets.Sugar: 20,
		facets.Sodium: 800, facets.Calories: 600,
	}
	lowOf = map[facets.Slot]float64{
		facets.Protein: 10, facets.Fiber: 2, facets.Fat: 10, facets.Carbohydrate: 20, facets.Sugar: 5,
		facets.Sodium: 400, facets.Calories: 300,
	}
)

// readNutrient reads "high protein", "rich in fibre", "low carb", "protein-rich".
func (r *reader) readNutrient(i int) bool {
	for _, degree := range []role{roleHigh, roleLow} {
		s, n := r.match(i, degree)
		slot, end := facets.Slot(s.arg), i+n
		if n > 0 && slot == "" {
			var m int
			slot, m = r.slotAt(end)
			end += m
		} else if n == 0 {
			named, m := r.slotAt(i)
			if _, k := r.match(i+m, degree); m > 0 && k > 0 && r.tokens[i+m].start-r.tokens[i+m-1].end < 2 {
				slot, end = named, i+m+k
			}
		}
		if slot != facets.Calories && !slices.Contains(nutrients, slot) || !r.known(slot) {
			continue
		}
		least, most := highOf[slot], lowOf[slot]
		c := facets.Constraint{Slot: slot, Min: &least}
		if degree == roleLow {
			c.Min, c.Max = nil, &most
		}
		r.lean(c, i, end)
		return true
	}
	return false
}

// readSoft reads wishes that leave nothing out: "quick", "well reviewed".
func (r *reader) readSoft(i int) bool {
	if _, n := r.match(i, roleQuick); n > 0 && (r.wanted("Recipe") || len(r.out.Types) == 0 && r.have("Recipe") > 0) &&
		r.known(facets.TotalTime) {
		half := 30.0
		r.lean(facets.Constraint{Slot: facets.TotalTime, Max: &half}, i, i+n)
		return true
	}
	if r.readCheap(i) {
		return true
	}
	if _, n := r.match(i, rolePraised); n > 0 && r.known(facets.Rating) {
		four := 4.0
		r.add(facets.Constraint{Slot: facets.Rating, Min: &four}, i, i+n)
		return true
	}
	return false
}

// readCheap reads a wish for what costs little. It orders by price where there is nothing else to
// go by; otherwise what fits as well and costs less comes first. Words that say other things as
// well count where things are for sale.
func (r *reader) readCheap(i int) bool {
	_, n := r.match(i, roleCheap)
	if n == 0 || !r.known(facets.Price) || r.wanted("JobPosting", "Article") || r.denied(i) < i || r.named(i, n) {
		return false
	}
	switch {
	case r.bareBut(i, n):
		if r.out.Sort.By == "" {
			r.out.Sort = facets.Sort{By: facets.Price, Said: r.said(i, i+n)}
		}
		r.use(i, i+n)
	case economic()[r.word(i)] && !r.wanted("Product") && !r.only("Product"):
		return false
	default:
		r.lean(facets.Constraint{Slot: facets.Price, Cheap: true}, i, i+n)
	}
	return true
}

// economic are words for little money that are said of much else.
var economic = everywhere("cheap.economic")

// named says whether the n tokens at i are a part of a name that the catalog taught: "Cheap Trick".
func (r *reader) named(i, n int) bool {
	for from := max(0, i-1); from <= i; from++ {
		for to := min(len(r.tokens), from+facets.LongestPhrase); to > i+n; to-- {
			if r.together(from, to) && len(r.at.Lexicon.Meanings(r.phrase(from, to))) > 0 {
				return true
			}
		}
	}
	return false
}

// bareBut says whether a question has nothing to search for but the n tokens at i: the type that is
// wanted is all else.
func (r *reader) bareBut(i, n int) bool {
	if len(r.out.Types) == 0 {
		return false
	}
	for k := range r.tokens {
		if r.tokens[k].used || k >= i && k < i+n || r.functional(k) {
			continue
		}
		if _, m := r.match(k, roleCourtesy); m == 0 {
			return false
		}
	}
	return true
}

// sizes of clothes.
var sizes = everywhere("size.value")

// sizeWords stand before a size, and languageLeads before the name of a language.
var sizeWords, languageLeads = everywhere("size.word"), everywhere("language.in")

// readMark reads what is in stock, or in a language.
func (r *reader) readMark(i int) bool {
	if _, n := r.match(i, roleStock); n > 0 && r.known(facets.Availability) {
		r.add(facets.Constraint{Slot: facets.Availability, Values: []string{"InStock"}}, i, i+n)
		return true
	}
	if _, n := r.match(i, roleOut); n > 0 && r.known(facets.Availability) {
		r.add(facets.Constraint{Slot: facets.Availability, Values: []string{"OutOfStock"}}, i, i+n)
		return true
	}
	if sizeWords()[r.word(i)] && r.known(facets.Size) && i+1 < len(r.tokens) && !r.tokens[i+1].stop {
		if value := r.word(i + 1); r.tokens[i+1].number || sizes()[value] {
			r.add(facets.Constraint{Slot: facets.Size, Values: []string{r.said(i+1, i+2)}}, i, i+2)
			return true
		}
	}
	return r.readTongue(i)
}

// readTongue reads the language at i that somebody is to speak, or in which something is to be:
// "speaks Spanish or Arabic", "in French".
func (r *reader) readTongue(i int) bool {
	s, n := r.match(i, roleTongue)
	if code, ok := facets.CompoundLanguage(r.word(i)); ok && r.known(facets.Spoken) {
		r.add(facets.Constraint{Slot: facets.Spoken, Values: []string{code}, Stated: true}, i, i+1)
		return true
	}
	if n == 0 {
		return false
	}
	from, to, slot := i, i+n, facets.Slot("")
	switch {
	case r.known(facets.Spoken) && facets.BehindLanguage(r.word(to)):
		to, slot = to+1, facets.Spoken
	case r.known(facets.Spoken) && facets.BeforeLanguage(r.word(i-1)):
		from, slot = i-1, facets.Spoken
	case languageLeads()[r.word(i-1)] && r.known(facets.Language):
		from, slot = i-1, facets.Language
	case languageLeads()[r.word(i-1)] && r.known(facets.Spoken):
		from, slot = i-1, facets.Spoken
	default:
		return false
	}
	c := facets.Constraint{Slot: slot, Values: []string{s.arg}, Stated: slot == facets.Spoken}
	for r.has(to, roleOr) {
		other, m := r.match(to+1, roleTongue)
		if m == 0 {
			break
		}
		c.Values, to = append(c.Values, other.arg), to+1+m
	}
	r.add(c, from, to)
	for r.has(to, roleAnd) { // whoever speaks both
		other, m := r.match(to+1, roleTongue)
		if m == 0 {
			break
		}
		r.add(facets.Constraint{Slot: slot, Values: []string{other.arg}, Stated: c.Stated}, to, to+1+m)
		to += 1 + m
	}
	return true
}

// readWords finds words that the catalog taught, among those that became nothing else: brands,
// authors, places, colours. They raise items and stay words to search for, unless the question says
// what they are: "by", "in", "near". A word for a category is a condition where nothing else is
// left to search for: "things for the kitchen".
func (r *reader) readWords() {
	category, others := -1, false
	for i := 0; i < len(r.tokens); i++ {
		if n := r.readTrait(i); n > 0 {
			i += n - 1
			continue
		}
		if r.tokens[i].used || r.functional(i) || counting()[r.word(i)] {
			continue
		}
		if slot, n := r.readLearnt(i); n > 0 {
			if slot == facets.Category && category < 0 {
				category = len(r.out.Constraints) - 1
			} else if slot != facets.Color {
				others = true
			}
			i += n - 1
			continue
		}
		if n := r.readFoodClass(i); n > 0 {
			i += n - 1
			continue
		}
		if n := r.readCuisine(i); n > 0 {
			i += n - 1
			continue
		}
		if n := r.idle(i); n > 0 {
			i += n - 1
		} else if !r.has(i, roleGlue) {
			others = true
		}
	}
	if category >= 0 && !others && r.at.Lexicon.Items() < fewItems && r.narrowed(category) {
		r.out.Constraints[category].Soft = false
		r.kept = slices.DeleteFunc(r.kept, func(i int) bool {
			return r.out.Constraints[category].Said == r.said(i, i+1) ||
				strings.Contains(r.out.Constraints[category].Said, r.said(i, i+1))
		})
	}
}

// narrowed says whether a question whose words are all understood but for a category at a place
// among the constraints is one for that category: another condition, an order, or "things" stands
// beside it. What only says how it is to be does not make it one: "paper bags" are found by these
// words, too.
func (r *reader) narrowed(category int) bool {
	if len(r.out.Types) > len(r.at.Types) || r.out.Sort.By != "" || r.out.Count > 0 {
		return true
	}
	for i, c := range r.out.Constraints {
		if i != category && !c.Soft && (c.Not || !facets.HasTraits(c.Slot)) {
			return true
		}
	}
	for i := range r.tokens {
		if _, n := r.match(i, roleThing); n > 0 || counting()[r.word(i)] {
			return true
		}
	}
	return false
}

// counting are words that ask how many there are.
var counting = everywhere("count.ask")

// readFoodClass reads "seafood", "fish" and "meat" where recipes are wanted: whatever is made of
// it, by any name.
func (r *reader) readFoodClass(i int) int {
	class, ok := taxonomy.Named(r.word(i))
	switch class {
	case "seafood", "fish", "meat", "shellfish":
	default:
		return 0
	}
	if !ok || !r.wanted("Recipe") && !r.only("Recipe") || !r.known(facets.Contains) {
		return 0
	}
	if r.has(i+1, roleOr) || r.has(i-1, roleOr) {
		return 0 // one of several things that would do
	}
	c := facets.Constraint{Slot: facets.Contains, Values: []string{class}}
	if class == "seafood" {
		c.Values = taxonomy.Within(class)
	}
	r.add(c, i, i+1)
	r.kept = append(r.kept, i)
	return 1
}

// cuisines are words for the food of a place, which items write in many ways.
var cuisines = everywhere("cuisine")

// readCuisine reads a word for a cuisine, where food is asked for, and how many tokens it took.
func (r *reader) readCuisine(i int) int {
	if !cuisines()[r.word(i)] || !r.known(facets.Cuisine) ||
		!(r.wanted("Recipe") || r.only("Recipe") || r.foodAsked()) {
		return 0
	}
	c := facets.Constraint{Slot: facets.Cuisine, Values: []string{r.word(i)}}
	n := 1
	for r.has(i+n, roleOr) && cuisines()[r.word(i+n+1)] {
		c.Values = append(c.Values, r.word(i+n+1))
		n += 2
	}
	end := i + n
	for inspired()[r.word(end)] {
		end++
	}
	if len(r.out.Types) == 0 {
		r.out.Types = []string{"Recipe"}
	}
	r.add(c, i, end)
	return end - i
}

var inspired = everywhere("cuisine.style")

// lean is prefer for what needs no words to be searched for beside.
func (r *reader) lean(c facets.Constraint, i, j int) {
	c.Soft = true
	r.add(c, i, j)
}

// readLearnt reads what the lexicon knows at i: the slot that it is of, and how many tokens it
// took.
func (r *reader) readLearnt(i int) (facets.Slot, int) {
	for n := min(facets.LongestPhrase, len(r.tokens)-i); n > 0; n-- {
		if !r.together(i, i+n) {
			continue
		}
		phrase := r.phrase(i, i+n)
		for _, form := range [...]string{phrase, facets.Singular(phrase)} {
			for _, m := range r.at.Lexicon.Meanings(form) {
				if r.meant(m, i, n) {
					return m.Slot, n
				}
			}
			if form == phrase && facets.Singular(phrase) == phrase {
				break
			}
		}
	}
	return "", 0
}

// meant takes a meaning of the n tokens at i if it is one that a question would have.
func (r *reader) meant(m facets.Meaning, i, n int) bool {
	c := facets.Constraint{Slot: m.Slot, Values: []string{m.Value}}
	from := i - 1
	led := func(lead role) bool {
		if i == 0 || r.tokens[i].comma || r.tokens[i].stop {
			return false
		}
		for k := max(0, i-4); k < i; k++ {
			if _, length := r.match(k, lead); length > 0 && k+length == i {
				if at := r.denialOf(k); at >= 0 {
					c.Not, from = true, at
				}
				return true
			}
		}
		return false
	}
	if r.alternative(m, i, n) {
		return true
	}
	if i > 0 && r.tokens[i].glued && r.tokens[i-1].number { // the "GB" of "16GB" is no country
		return false
	}
	switch m.Slot {
	case "educationalLevel":
		r.add(c, i, i+n)
		return true
	case "performer", "instructor": // by a first name and a last one
		if n < 2 {
			return false
		}
		if !led(roleBy) {
			from = i
		}
		r.add(c, from, i+n)
		return true
	case facets.Location:
		if led(roleNear) {
			start, near := r.near(i)
			if near {
				c.Around = wording.Nearby
			}
			r.add(c, min(start, from), i+n)
			return true
		}
	case facets.Author, facets.Brand:
		if led(roleBy) {
			r.add(c, from, i+n)
			return true
		}
		if i > 0 && alone()[r.word(i-1)] && m.Slot == facets.Brand {
			r.add(c, i-1, i+n)
			return true
		}
		if n == 1 && (m.Slot == facets.Author || len(r.word(i)) < 3) {
			return false
		}
	case facets.Material:
		if led(roleMade) && r.word(i-1) != "in" {
			r.add(c, i-1, i+n)
			return true
		}
	case facets.Color:
		if !r.colorful(i, n) {
			return false
		}
	case facets.Category:
		if m.Count < 2 && n == 1 && r.at.Lexicon.Items() >= fewItems || r.has(i, roleThing) {
			return false
		}
	default:
		return false
	}
	r.prefer(c, i, i+n)
	return true
}

// denialOf is where a negation begins of what k leads to, with a word between at most: "not written
// by", "pas écrit par"; -1 where none does.
func (r *reader) denialOf(k int) int {
	for end := k; end > 0 && end >= k-1 && !r.tokens[end].comma && !r.tokens[end].stop; end-- {
		if at := r.negationBefore(end); at >= 0 && r.together(at, k) {
			return at
		}
	}
	return -1
}

// alone are words by which nothing else than what follows is wanted.
var alone = everywhere("only")

// alternative takes a meaning of the n tokens at i for one more value of the condition before it:
// "in Lyon or Paris".
func (r *reader) alternative(m facets.Meaning, i, n int) bool {
	if m.Slot != facets.Location && m.Slot != facets.Brand && m.Slot != facets.Author && m.Slot != facets.Category {
		return false
	}
	k := i - 1
	if k > 0 && !r.has(k, roleOr) && !r.has(k, roleAnd) && (r.has(k, roleNear) || r.has(k, roleBy)) {
		k--
	}
	if k < 1 || !r.has(k, roleOr) && !r.has(k, roleAnd) {
		return false
	}
	for at := range r.out.Constraints {
		c := &r.out.Constraints[at]
		if at >= len(r.spans) || r.spans[at].to != k || c.Slot != m.Slot || c.Not || len(c.Values) == 0 {
			continue
		}
		if !slices.Contains(c.Values, m.Value) {
			c.Values = append(slices.Clip(c.Values), m.Value)
		}
		c.Said = r.said(r.spans[at].from, i+n)
		r.spans[at].to = i + n
		r.use(k, i+n)
		if c.Soft {
			for ; k < i+n; k++ {
				r.kept = append(r.kept, k)
			}
		}
		return true
	}
	return false
}

// isColor says whether a folded word is one for a colour.
func isColor(word string) bool { return len(facets.TraitValues(facets.Color, word)) > 0 }

// colorful says whether one of the n words at i is a word for a colour. Shops write much else where
// a colour belongs.
func (r *reader) colorful(i, n int) bool {
	for k := i; k < i+n; k++ {
		if isColor(r.word(k)) {
			return true
		}
	}
	return false
}

// fewItems is how many items there are at most where a category that one of them has is worth
// naming all the same.
const fewItems = 1000

// deepest is the last token at which a number of items is looked for.
const deepest = 40

// readCount reads how many items are asked for: "three recipes", "top 5", "the best ten".
func (r *reader) readCount() {
	for i := range r.tokens {
		if i > deepest {
			return // what is counted stands at the beginning
		}
		if r.tokens[i].used {
			continue
		}
		if _, n := r.match(i, roleTop); n > 0 && i+n < len(r.tokens) && r.countAt(i+n, true) {
			if !bestWords()[r.word(i)] {
				r.use(i, i+n)
			}
			return
		}
		if !r.opening(i) {
			return
		}
		if r.countAt(i, false) {
			return
		}
	}
}

// opening says whether the tokens before i are without meaning.
func (r *reader) opening(i int) bool {
	for k := 0; k < i; {
		n := 0
		if r.tokens[k].used || r.functional(k) {
			n = 1
		}
		for _, idle := range []role{roleCourtesy, roleGlue, roleAbout} {
			if _, m := r.match(k, idle); m > n {
				n = m
			}
		}
		if n == 0 {
			return false
		}
		k += n
	}
	return true
}

// mostCount is the largest number that is read as one of results.
const mostCount = 100

// countAt reads the number of items at i. Beside "top" a number is enough; otherwise what is
// counted must be items.
func (r *reader) countAt(i int, top bool) bool {
	value, ok := numberOf(r.word(i))
	if !ok || value < 1 || value > mostCount || value != float64(int(value)) || r.tokens[i].used {
		return false
	}
	if next := i + 1; next < len(r.tokens) && r.tokens[next].glued {
		return false
	}
	if !top && value > 1 && r.titled(i) {
		return false
	}
	if !top && !r.itemsFollow(i+1) && !r.goodsFollow(i) {
		return false
	}
	r.out.Count = int(value)
	r.use(i, i+1)
	return true
}

// bestWords are those of "top" that are searched for as well, definite the articles of names.
var bestWords, definite = everywhere("count.best"), everywhere("count.definite")

// titled says whether a number behind "the" before a word for one thing is part of a name: "the 100
// book".
func (r *reader) titled(i int) bool {
	if !definite()[r.word(i-1)] || r.best > english {
		return false
	}
	word := r.word(i + 1)
	_, n := r.match2(i+1, roleType)
	return n == 1 && word == facets.Singular(word) && word != "news"
}

// itemsFollow says whether a word for items stands at i, with nothing but wishes before it.
func (r *reader) itemsFollow(i int) bool {
	for k := i; k < len(r.tokens) && k < i+5; k++ {
		if r.tokens[k].comma || r.tokens[k].stop {
			return false
		}
		if _, n := r.match2(k, roleType); n > 0 {
			return true
		}
		if _, n := r.match2(k, roleThing); n > 0 {
			return true
		}
		if k == i && r.kind(k) {
			return true
		}
		wish := r.tokens[k].used
		r.phrases(k, func(s sense, _ int) bool {
			wish = wish || s.role == roleCheap || s.role == roleQuick
			return !wish
		})
		if !wish && !handy()[r.word(k)] {
			return false
		}
	}
	return false
}

// kind says whether the word at i is one that the catalog knows for a category, and ends what is
// asked for.
func (r *reader) kind(i int) bool {
	if next := i + 1; next < len(r.tokens) && !r.tokens[next].used && !r.tokens[next].comma && !r.tokens[next].stop &&
		!r.functional(next) {
		return false
	}
	for _, form := range [...]string{r.word(i), facets.Singular(r.word(i))} {
		for _, m := range r.at.Lexicon.Meanings(form) {
			if m.Slot == facets.Category && (m.Count > 1 || r.at.Lexicon.Items() < fewItems) {
				return true
			}
		}
	}
	return false
}

// goodsFollow says whether a number of things is asked for in so many words: "give me 2 gifts under
// $20".
func (r *reader) goodsFollow(i int) bool {
	if !asksFor()[r.word(i-1)] {
		return false
	}
	for k := i + 1; k < len(r.tokens) && k < i+5; k++ {
		next := k + 1
		last := next >= len(r.tokens) || r.tokens[next].used || r.tokens[next].comma || r.tokens[next].stop ||
			r.functional(next)
		if last {
			return strings.HasSuffix(r.word(k), "s") && !r.tokens[k].used
		}
	}
	return false
}

// asksFor are words that end a request for so many.
var asksFor = everywhere("count.lead")

// handy are words of praise that may stand between a number and what it counts.
var handy = everywhere("count.praise")

// free says whether "free" stands behind what is at i, so many tokens long: "sugar free",
// "nut-free".
func (r *reader) freeBehind(i int) bool {
	return slices.ContainsFunc(compiled().vocabulary[r.word(i)], func(s sense) bool { return s.role == roleFree })
}
