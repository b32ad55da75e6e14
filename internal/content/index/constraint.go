package index

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/content/facets"
	"frontdesk/internal/content/search"
	"frontdesk/internal/content/taxonomy"
)

// verdict is which items meet a condition, and of which it cannot be told. All others do not meet
// it.
type verdict struct {
	meet, unknown *search.Selection
}

// maxVerdicts is about how many bytes a view keeps verdicts in.
const maxVerdicts = 8 << 20

// judge gives the verdict on a condition, whether or not it is soft, and remembers it.
func (v *View) judge(c *facets.Constraint) verdict {
	var room [128]byte
	key := appendKey(room[:0], c)
	v.mu.Lock()
	kept, ok := v.verdicts[string(key)]
	v.mu.Unlock()
	if ok {
		return kept
	}
	made := v.verdictOn(c)
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.verdicts) > max(8, maxVerdicts/(v.Len()/4+256)) {
		clear(v.verdicts)
	}
	v.verdicts[string(key)] = made
	return made
}

// Met says whether an item meets a condition.
func (v *View) Met(c *facets.Constraint) bool { return !v.judge(c).meet.Empty() }

// appendKey names a condition by what it says.
func appendKey(key []byte, c *facets.Constraint) []byte {
	key = append(key, c.Slot...)
	for _, value := range c.Values {
		key = strconv.AppendQuote(key, value)
	}
	key = append(key, '|')
	for _, bound := range []*float64{c.Min, c.Max} {
		if bound != nil {
			key = strconv.AppendFloat(key, *bound, 'g', -1, 64)
		}
		key = append(key, '|')
	}
	key = append(key, c.Unit...)
	if c.Around > 0 {
		key = strconv.AppendFloat(append(key, '~'), c.Around, 'g', -1, 64)
	}
	for _, said := range []bool{c.Not, c.Above, c.Below, c.Allergy, c.Soft} {
		key = strconv.AppendBool(key, said)
	}
	for _, at := range []time.Time{c.From, c.To} {
		if !at.IsZero() {
			key = strconv.AppendInt(key, at.Unix(), 36)
		}
		key = append(key, '|')
	}
	return key
}

func (v *View) verdictOn(c *facets.Constraint) verdict {
	var meet, known *search.Selection
	switch {
	case c.Around > 0:
		return v.onDistance(c)
	case c.Free():
		return v.onFree()
	case c.Slot == facets.End && c.From.IsZero() && !c.Not:
		return v.onEnded(c.To)
	case c.Slot == facets.Workplace:
		return v.onWorkplace(c)
	case c.Slot == facets.Age && c.Min != nil:
		return v.onAge(c)
	case c.Min != nil || c.Max != nil:
		in, meets := within(c, v.unitOf(c))
		meet, known = v.withFigures(c.Slot, in, meets), v.having(c.Slot)
	case c.Slot == facets.Start && !c.From.IsZero():
		return v.onDates(c)
	case !c.From.IsZero() || !c.To.IsZero():
		in, meets := during(c)
		meet, known = v.withFigures(c.Slot, in, meets), v.having(c.Slot)
	case c.Slot == facets.OfType:
		return v.onTypes(c)
	case c.Slot == facets.Diet:
		return v.onDiets(c)
	case c.Not && classed(c):
		return v.onClasses(c)
	case c.Slot == facets.Ingredient || c.Slot == facets.Mention || c.Slot == facets.Allergens ||
		c.Slot == facets.Contains:
		return v.onContents(c)
	case facets.HasTraits(c.Slot):
		return v.onTrait(c)
	default:
		meet, known = v.withAnyValue(c), v.having(c.Slot)
	}
	if !c.Not {
		return verdict{meet: meet, unknown: v.all().Without(known).Without(meet)}
	}
	return verdict{meet: known.Without(meet), unknown: v.all().Without(known).Without(meet)}
}

// onTrait judges by concepts: what states one, in any words, or mentions it and states nothing
// else. What states only what the concept is a kind of may meet it. Values that are no concept are
// looked for as they stand.
func (v *View) onTrait(c *facets.Constraint) verdict {
	stated, mentioned := facets.Stated(c.Slot), facets.Mentioned(c.Slot)
	has, may, loosely := v.none(), v.none(), v.none()
	known := v.having(stated)
	words := *c
	words.Values = nil
	for _, asked := range c.Values {
		concepts := facets.TraitValues(c.Slot, asked)
		if len(concepts) == 0 {
			words.Values = append(words.Values, asked)
		}
		if !c.Not && c.Slot != facets.Color {
			has = has.Or(v.mentioning(asked, search.Titled))
		}
		for _, concept := range concepts {
			has = has.Or(v.withWordsOf(stated, concept))
			loosely = loosely.Or(v.withWordsOf(mentioned, concept))
			for _, kind := range facets.TraitParents(c.Slot, concept) {
				may = may.Or(v.withWordsOf(stated, facets.Unspecified(kind)))
			}
		}
	}
	if len(words.Values) == len(c.Values) {
		has, known = v.withAnyValue(c), v.having(c.Slot)
	} else if len(words.Values) > 0 {
		has = has.Or(v.withAnyValue(&words))
	}
	unknown := v.all().Without(known).Or(may).Without(has)
	if c.Not {
		return verdict{meet: known.Without(has).Without(may), unknown: unknown}
	}
	loosely = loosely.Without(known)
	return verdict{meet: has.Or(loosely), unknown: unknown.Without(loosely)}
}

// onTypes judges what items are. Each says.
func (v *View) onTypes(c *facets.Constraint) verdict {
	meet := v.anyBelow(c.Values...)
	if c.Not {
		meet = v.all().Without(meet)
	}
	return verdict{meet: meet, unknown: v.none()}
}

// anyBelow gives the items of some types and of those below them.
func (v *View) anyBelow(asked ...string) *search.Selection {
	types := v.below(asked)
	if len(types) == 0 {
		return v.none()
	}
	return v.anyOf(len(types), func(i int) choice { return choice{typ: types[i]} })
}

// unitOf gives the number of the unit that a condition asks for, 0 for any.
func (v *View) unitOf(c *facets.Constraint) uint16 {
	if c.Unit == "" {
		return 0
	}
	return v.dictionary.unitNumber(c.Unit)
}

// within says whether a range has something within the bounds of a condition. A figure without a
// unit is taken to be in the one that is asked for.
func within(c *facets.Constraint, unit uint16) (interval, func(low, high float64, u uint16) bool) {
	least, most := math.Inf(-1), math.Inf(1)
	if c.Min != nil {
		least = *c.Min
	}
	if c.Max != nil {
		most = *c.Max
	}
	return interval{least, most}, func(low, high float64, u uint16) bool {
		if unit != 0 && u != 0 && u != unit {
			return false
		}
		return (high > least || high == least && !c.Above) && (low < most || low == most && !c.Below)
	}
}

// during says whether a time lies in the span of a condition. A day counts when any of it does.
func during(c *facets.Constraint) (interval, func(low, high float64, _ uint16) bool) {
	from, to := math.Inf(-1), math.Inf(1)
	if !c.From.IsZero() {
		from = float64(c.From.Unix())
	}
	if !c.To.IsZero() {
		to = float64(c.To.Unix())
	}
	return interval{from, to}, func(low, high float64, _ uint16) bool {
		return low < to && (high > from || low >= from)
	}
}

// called are the slots whose values an item's name may tell as well: "Red dog bowl".
var called = map[facets.Slot]bool{
	facets.Color: true, facets.Brand: true, facets.Material: true, facets.Category: true, facets.Cuisine: true,
	facets.Keywords: true, facets.Audience: true, facets.Size: true,
}

// withAnyValue gives the items that have one of the values of a condition.
func (v *View) withAnyValue(c *facets.Constraint) *search.Selection {
	meet := v.none()
	for _, asked := range c.Values {
		having, like := v.withValue(c.Slot, asked)
		meet = meet.Or(having)
		if called[c.Slot] {
			meet = meet.Or(v.mentioning(asked, search.Titled).Without(like))
		}
		if c.Slot == facets.Category || c.Slot == facets.Cuisine || c.Slot == facets.Audience {
			meet = meet.Or(v.withWordsOf(facets.Keywords, asked))
		}
	}
	return meet
}

// mentioning gives the items that mention words.
func (v *View) mentioning(text string, where search.Where) *search.Selection {
	return v.snapshot.Mentions(text, "", where)
}

// Share is the share of the items in a selection that mention a word, 0 to 1.
func (v *View) Share(word string, within *search.Selection) float64 {
	if within.Empty() {
		return 0
	}
	return float64(v.mentioning(word, search.Anywhere).And(within).Count()) / float64(within.Count())
}

// onDiets judges by what is declared, by what a diet forbids, and, where the absence of one kind of
// food is all that is asked, by the ingredients.
func (v *View) onDiets(c *facets.Constraint) verdict {
	var meet, broken *search.Selection
	for i, asked := range c.Values {
		diet, ok := facets.DietOf(facets.Fold(asked))
		if !ok {
			diet = asked
		}
		fits := v.withWordsOf(facets.Diet, diet)
		if class, ok := strings.CutSuffix(diet, "free"); ok {
			fits = fits.Or(v.withWordsOf(facets.FreeOf, class))
		}
		against := v.none()
		for _, class := range facets.Forbids(diet) {
			against = against.Or(v.containing(class))
		}
		if _, ok := facets.WithoutOf(diet); ok {
			fits = fits.Without(against).Or(v.having(facets.Ingredient).Without(against))
		} else if diet == "glutenfree" { // in too much that does not say so, but declared allergens do
			fits = fits.Without(against).Or(v.having(facets.Allergens).Without(against))
		}
		against = against.Without(fits)
		if i == 0 {
			meet, broken = fits, against
		} else {
			meet, broken = meet.Or(fits), broken.And(against)
		}
	}
	if meet == nil {
		return verdict{meet: v.all(), unknown: v.none()}
	}
	if c.Not {
		return verdict{meet: v.all().Without(meet), unknown: v.none()}
	}
	return verdict{meet: meet, unknown: v.all().Without(meet).Without(broken)}
}

// onContents judges what is in an item, or what it is about: its properties, and what its words
// mention. What is called by its name and keys has it; of what mentions it only in running text it
// cannot be told, unless it is not wanted at all.
func (v *View) onContents(c *facets.Constraint) verdict {
	has, mentioned := v.none(), v.none()
	values := c.Values
	for _, asked := range c.Values {
		values = append(slices.Clip(values), v.snapshot.Others(asked)...)
	}
	for _, asked := range values {
		if class, ok := taxonomy.Named(asked); ok && c.Slot != facets.Mention {
			has = has.Or(v.containing(class))
		}
		for _, slot := range contents {
			has = has.Or(v.withWordsOf(slot, asked))
		}
		if c.Not && c.Slot == facets.Mention {
			for _, slot := range attributes {
				has = has.Or(v.withWordsOf(slot, asked))
			}
		}
		has = has.Or(v.mentioning(asked, search.Called))
		mentioned = mentioned.Or(v.mentioning(asked, search.Anywhere))
	}
	mentioned = mentioned.Without(has)
	if !c.Not {
		if c.Slot == facets.Mention {
			return verdict{meet: has.Or(mentioned), unknown: v.none()}
		}
		return verdict{meet: has, unknown: v.all().Without(v.having(facets.Ingredient)).Without(has)}
	}
	free := v.all().Without(has).Without(mentioned)
	if c.Slot == facets.Mention && !c.Soft {
		if v.Len() >= besideItems { // among so many, texts and categories mention what is like it, too
			free = v.all()
			for _, asked := range c.Values {
				free = free.Without(v.mentioning(asked, search.Titled))
			}
		}
		return verdict{meet: free, unknown: v.none()}
	}
	unknown := mentioned
	if c.Slot != facets.Mention {
		told := v.having(facets.Ingredient)
		if !told.Empty() {
			unknown = unknown.Or(free.Without(told))
			free = free.And(told)
		}
	}
	return verdict{meet: free, unknown: unknown}
}

// contents are the slots of what is in an item, and attributes those of what it is otherwise.
var (
	contents   = []facets.Slot{facets.Ingredient, facets.Allergens, facets.Material, facets.Keywords}
	attributes = []facets.Slot{
		facets.Category, facets.Color, facets.Audience, facets.Location, facets.Author, facets.Brand, facets.Cuisine,
		facets.Workplace, facets.Employment, "genre", "performer", "organizer", "provider",
	}
)

// onClasses judges what is to be without classes: an item that states one is out, one that states
// to be without it or lists all that is in it comes first, and of any other it cannot be told.
// Traces put an item out where somebody is allergic, and behind others where nobody is.
func (v *View) onClasses(c *facets.Constraint) verdict {
	has, free := v.none(), v.all()
	for _, asked := range c.Values {
		class, ok := excluded(asked)
		if !ok {
			other := *c
			other.Values = []string{asked}
			judged := v.onContents(&other)
			has = has.Or(v.all().Without(judged.meet).Without(judged.unknown))
			free = free.And(judged.meet)
			continue
		}
		kind := taxonomy.KindOf(class)
		lists := v.withWordsOf(facets.Declares, string(kind))
		slots := []facets.Slot{facets.Contains, facets.Called, facets.Speaks}
		if c.Allergy {
			slots = append(slots, facets.Traces)
		}
		without, may := v.withWordsOf(facets.FreeOf, class), v.none()
		for _, member := range taxonomy.Within(class) {
			may = may.Or(v.withWordsOf(facets.Traces, member))
			for _, slot := range slots {
				stated := v.withWordsOf(slot, member)
				if taxonomy.Inside(class, member) {
					stated = stated.Without(without)
				}
				if slot == facets.Speaks && kind != taxonomy.Food {
					stated = stated.Without(lists) // "for whom wool itches", of cotton
				}
				has = has.Or(stated)
			}
		}
		if taxonomy.Provable(class) {
			without = without.Or(lists)
		}
		free = free.And(without.Without(may))
	}
	free = free.Without(has)
	return verdict{meet: free, unknown: v.all().Without(free).Without(has)}
}

// excluded gives the class that a value of a condition names; ok is false for any other word.
func excluded(value string) (class string, ok bool) {
	if taxonomy.KindOf(value) != "" {
		return value, true
	}
	return taxonomy.Named(value)
}

// onFree judges what costs nothing: what may be had without paying, and what has no price above
// nothing.
func (v *View) onFree() verdict {
	open := v.withWordsOf("isAccessibleForFree", "true")
	meet := v.withFigures(facets.Price, interval{math.Inf(-1), 0}, func(_, high float64, _ uint16) bool {
		return high <= 0
	}).Or(open)
	known := v.having(facets.Price).Or(v.having("isAccessibleForFree"))
	return verdict{meet: meet, unknown: v.all().Without(known)}
}

// onDates judges what is on in a span of time: what has its dates there and, in some days, what is
// on every week on one of them. What runs for long and tells its days is on on those alone. Whether
// what is on every week is meant by a month or a season cannot be told.
func (v *View) onDates(c *facets.Constraint) verdict {
	in, meets := during(c)
	meet, known := v.withFigures(c.Slot, in, meets), v.having(c.Slot)
	if !c.To.IsZero() && c.To.Sub(c.From) <= week {
		days, scheduled := v.none(), v.having(facets.Days)
		for at := c.From; at.Before(c.To); at = at.AddDate(0, 0, 1) {
			days = days.Or(v.withWordsOf(facets.Days, facets.SignOf(at.Weekday())))
		}
		weekly := scheduled.Without(known).And(v.anyBelow("Event", "Course", "Service"))
		long := v.withFigures(c.Slot, in, func(low, high float64, _ uint16) bool { return high-low > week.Seconds() })
		meet, known = meet.Without(long.And(scheduled).Without(days)).Or(weekly.And(days)), known.Or(weekly)
	}
	if c.Not {
		return verdict{meet: known.Without(meet), unknown: v.all().Without(known)}
	}
	return verdict{meet: meet, unknown: v.all().Without(known)}
}

const week = 7 * 24 * time.Hour

// onEnded judges what was over by a time: what begins and ends before it, or begins and does not
// say when it ends.
func (v *View) onEnded(by time.Time) verdict {
	at := float64(by.Unix())
	before := func(_, high float64, _ uint16) bool { return high <= at }
	behind := func(_, high float64, _ uint16) bool { return high > at }
	meet := v.withFigures(facets.Start, interval{math.Inf(-1), at},
		before).Without(v.withFigures(facets.End, interval{at, math.Inf(1)}, behind))
	return verdict{meet: meet, unknown: v.all().Without(v.having(facets.Start))}
}

// onAge judges for which ages something is. What is for children and tells no age may be meant.
func (v *View) onAge(c *facets.Constraint) verdict {
	in, meets := within(c, 0)
	young := v.withWordsOf(facets.Stated(facets.Audience),
		"children").Or(v.withWordsOf(facets.Mentioned(facets.Audience), "children"))
	return verdict{meet: v.withFigures(c.Slot, in, meets), unknown: young.Without(v.having(c.Slot))}
}

// onWorkplace judges where one works. Work that does not say that it is remote is not.
func (v *View) onWorkplace(c *facets.Constraint) verdict {
	meet := v.withAnyValue(c)
	if c.Not {
		meet = v.all().Without(meet)
	}
	return verdict{meet: meet, unknown: v.none()}
}

// containing gives the items with a food of a class.
func (v *View) containing(class string) *search.Selection {
	return v.withWordsOf(facets.Contains, class)
}

// food gives what is eaten: dishes, and other things that state what is in them, for which diet
// they are, or what they are without.
func (v *View) food() *search.Selection {
	told := v.withWordsOf(facets.Declares, string(taxonomy.Food))
	for _, slot := range []facets.Slot{facets.Ingredient, facets.Allergens, facets.Diet} {
		told = told.Or(v.having(slot))
	}
	for _, class := range taxonomy.Of(taxonomy.Food) {
		told = told.Or(v.withWordsOf(facets.Contains, class)).Or(v.withWordsOf(facets.FreeOf, class))
	}
	return told.And(v.anyBelow("Product")).Or(v.anyBelow("MenuItem", "Recipe"))
}

// never says whether a condition must hold whatever else gives way: what somebody eats, and what is
// not wanted.
func never(c *facets.Constraint) bool {
	return c.Slot == facets.Diet && !c.Not || c.Slot == facets.OfType || harms(c) || c.Not && len(c.Values) > 0
}

// harms says whether what does not meet a condition may harm somebody: then items that do not say
// do not meet it, either.
func harms(c *facets.Constraint) bool {
	if !c.Not && c.Slot == facets.Diet {
		for _, asked := range c.Values {
			if diet, ok := facets.DietOf(facets.Fold(asked)); ok {
				if _, free := facets.WithoutOf(diet); free || diet == "glutenfree" || diet == "lowlactose" {
					return true
				}
			}
		}
		return false
	}
	return c.Not && (c.Slot == facets.Ingredient || classed(c))
}

// classed says whether a condition is about classes of what people leave out.
func classed(c *facets.Constraint) bool {
	switch c.Slot {
	case facets.Ingredient, facets.Allergens, facets.Contains, facets.Material, facets.Mention:
		return slices.ContainsFunc(c.Values, func(value string) bool { _, ok := excluded(value); return ok })
	}
	return false
}

// weight orders conditions by how much they matter, from the one that gives way first. What is
// known about a person or was said earlier gives way before what is asked now, and an attribute
// gives way last; diets and the like never do.
func weight(c *facets.Constraint) int {
	w := int(c.Source) * 100
	if c.Slot == facets.Diet {
		return w + 1000
	}
	if c.Not {
		w += 80
	}
	for i, slot := range givesWay {
		if c.Slot == slot {
			return w + i + 1
		}
	}
	return w
}

// givesWay are slots from the one that matters least to the one that matters most.
var givesWay = []facets.Slot{
	facets.Size, facets.Material, facets.Audience, facets.Ratings, facets.Rating, facets.Yield, facets.Color,
	facets.Cuisine, facets.PrepTime, facets.CookTime, facets.TotalTime, facets.Duration, facets.Published,
	facets.Calories, facets.Protein, facets.Price, facets.Author, facets.Category, facets.Location, facets.Start,
	facets.Brand, facets.Mention, facets.Ingredient,
}

// all gives every item.
func (v *View) all() *search.Selection { return v.everything }
