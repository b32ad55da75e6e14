package query

import (
	"slices"
	"strings"

	"frontdesk/internal/content/facets"
)

// figure is a number that the question names, with what it is a number of.
type figure struct {
	slot  facets.Slot // what it belongs to by its unit; empty for a bare number and for times
	value float64
	unit  string
	time  bool // it is a span of time in minutes
	more  bool // "4+"
	next  int  // the token behind it
}

// figureAt reads the figure at token i.
func (r *reader) figureAt(i int) (f figure, ok bool) {
	if i >= len(r.tokens) || r.tokens[i].used {
		return f, false
	}
	rest := r.text[r.tokens[i].start:]
	if m, n := facets.ReadMoney(rest); n > 0 && m.Currency != "" && r.isMoney(i, n, m) {
		return figure{slot: facets.Price, value: m.Amount, unit: m.Currency, next: r.at0(i, n)}, true
	}
	if minutes, n := facets.ReadMinutes(rest); n > 0 && minutes >= 1 {
		return figure{value: minutes, time: true, next: r.at0(i, n)}, true
	}
	if q, n := facets.ReadQuantity(rest); n > 0 && q.Unit != "" {
		return r.quantity(q, r.at0(i, n))
	}
	value, n := facets.ReadNumber(rest)
	next := r.at0(i, n)
	if n == 0 {
		word, isWord := facets.NumberWord(r.word(i))
		if !isWord {
			return f, false
		}
		value, next = word, i+1
		if currency := facets.CurrencyOf(r.word(next)); currency != "" && len(r.word(next)) > 3 { // "fifteen dollars"
			return figure{slot: facets.Price, value: value, unit: currency, next: next + 1}, true
		}
	}
	f = figure{value: value, next: next}
	if r.word(next) == "+" {
		f.more = true
		f.next++
	}
	r.counted(&f)
	return f, true
}

// at0 is the token at which text goes on behind n bytes from token i.
func (r *reader) at0(i, n int) int { return r.behind(i, r.tokens[i].start+n) }

// doubtful are words that are currencies and other things as well, unlessWeight those of them that
// are weights.
var doubtful, unlessWeight = everywhere("money.doubtful"), everywhere("money.unlessweight")

// isMoney says whether what reads as a sum of money is one here.
func (r *reader) isMoney(i, n int, m facets.Money) bool {
	last := r.at0(i, n) - 1
	return !doubtful()[r.word(last)] || r.at.Lexicon.Currency() == m.Currency ||
		unlessWeight()[r.word(last)] && !r.known("weight")
}

// nutrients are the slots of figures that are grams of something.
var nutrients = []facets.Slot{facets.Protein, facets.Fat, facets.Carbohydrate, facets.Sugar, facets.Fiber,
	facets.Sodium}

// quantity is a figure with a unit.
func (r *reader) quantity(q facets.Quantity, next int) (f figure, ok bool) {
	f = figure{value: q.Value, next: next}
	switch q.Unit {
	case "kcal":
		f.slot = facets.Calories
		if s, n := r.match(next, roleSlot); n > 0 && s.arg == string(facets.Calories) {
			f.next += n
		}
		return f, true
	case "people":
		f.slot = facets.Yield
		return f, true
	case "g":
		if slot, n := r.slotAt(next); n > 0 && slices.Contains(nutrients, slot) {
			f.slot, f.next, f.value = slot, next+n, q.In(slot)
			return f, true
		}
		if slot, _ := r.slotBefore(r.numberBefore(next)); slices.Contains(nutrients, slot) {
			f.slot, f.value = slot, q.In(slot)
			return f, true
		}
		f.slot = "weight"
	case "ml":
		f.slot = "capacity"
	case "cm":
		for _, slot := range []facets.Slot{"width", "height", "depth"} {
			if s, n := r.slotAt(next); n > 0 && s == slot && r.known(slot) {
				f.slot, f.unit, f.next = slot, "cm", next+n
				return f, true
			}
		}
	}
	if f.unit = q.Unit; f.slot == "" || !r.known(f.slot) {
		if f.slot, ok = r.at.Lexicon.InUnit(q); !ok { // any of several
			f.slot = facets.Measured(q.Unit)
			ok = r.known(f.slot)
		}
		return f, ok
	}
	return f, true
}

// numberBefore is the first token of the number that ends before token i.
func (r *reader) numberBefore(i int) int {
	for i--; i > 0 && !r.tokens[i].number; i-- {
	}
	return max(i, 0)
}

// counted reads what a number is a number of: stars, ratings, people, calories.
func (r *reader) counted(f *figure) {
	if _, n := r.match(f.next, roleStars); n > 0 {
		f.slot = facets.Rating
		f.next += n
		return
	}
	if _, n := r.match(f.next, roleReviews); n > 0 && f.value > 5 {
		f.slot = facets.Ratings
		f.next += n
		return
	}
	if _, n := r.match(f.next, rolePeople); n > 0 && (f.value != 1 || n == 1) { // "one of us" is no number of people
		f.slot = facets.Yield
		f.next += n
		return
	}
	if slot, n := r.propertyAt(f.next); n > 0 {
		f.slot = slot
		f.next += n
		return
	}
	if slot := counts()[r.word(f.next)]; slot != "" && r.known(slot) {
		f.slot = slot
		f.next++
		return
	}
	if slot, n := r.slotAt(f.next); n > 0 &&
		(slot == facets.Calories || slices.Contains(nutrients, slot) || slot == facets.Rating) && r.known(slot) {
		f.slot = slot
		f.next += n
	}
}

// own says whether items state figures of a slot under a name of their own.
func (r *reader) own(slot facets.Slot) bool {
	own, ok := r.at.Lexicon.Figured(facets.Fold(string(slot)))
	return ok && own == slot
}

// propertyAt finds the name at i under which items state figures.
func (r *reader) propertyAt(i int) (slot facets.Slot, n int) {
	for n = min(facets.LongestPhrase, len(r.tokens)-i); n > 0; n-- {
		if slot, ok := r.at.Lexicon.Figured(r.phrase(i, i+n)); ok && r.together(i, i+n) {
			return slot, n
		}
	}
	return "", 0
}

// counts are words behind a number that name what items count.
var counts = slotsOf("counted")

// slotAt finds the name of a slot at i.
func (r *reader) slotAt(i int) (facets.Slot, int) {
	s, n := r.match(i, roleSlot)
	return facets.Slot(s.arg), n
}

// slotBefore finds the name of a slot that leads to token i, over words without meaning, and where
// it begins.
func (r *reader) slotBefore(i int) (slot facets.Slot, start int) {
	for k := i; k > 0 && k > i-4; k-- {
		if r.tokens[k].stop || r.tokens[k].comma {
			break
		}
		for n := min(3, k); n > 0; n-- {
			if !r.together(k-n, k) {
				continue
			}
			phrase := r.phrase(k-n, k)
			for _, s := range compiled().vocabulary[phrase] {
				if s.role == roleSlot && r.counts(s, phrase) {
					return facets.Slot(s.arg), k - n
				}
			}
		}
		if !r.has(k-1, roleGlue) && !r.functional(k-1) {
			break
		}
	}
	return "", i
}

// limits are the ways to bound a figure that stand before it.
var limits = []role{roleAtMost, roleUnder, roleAtLeast, roleOver, roleBetween, roleAbout}

// readBound reads a bounded figure at i: "under $20", "between 10 and 15 minutes", "4 stars and
// up", "20€ max".
func (r *reader) readBound(i int) bool {
	best, length := roleNone, 0
	for _, limit := range limits {
		if _, n := r.match(i, limit); n > length {
			if _, ok := r.figureBehind(i + n); ok {
				best, length = limit, n
			}
		}
	}
	if length > 0 {
		f, _ := r.figureBehind(i + length)
		return r.bounded(best, i, f)
	}
	if !r.tokens[i].number && r.tokens[i].end-r.tokens[i].start > 4 && !startsNumber(r.word(i)) {
		return false
	}
	f, ok := r.figureAt(i)
	return ok && r.bounded(roleNone, i, f)
}

// Words beside figures: beginnings of compounds that are numbers, what joins a range and what
// begins one and nothing else, what may stand before a number of people, and what a span of time
// has before it that repeats or ends.
var (
	numberPrefixes = texts("number.prefix")
	rangeJoints    = everywhere("range.joint")
	rangeOnly      = everywhere("range.only")
	servesLeads    = everywhere("serves.lead")
	eachSpan       = everywhere("span.each")
	withinSpan     = everywhere("span.within")
)

// startsNumber says whether a word of more than four letters may begin a figure.
func startsNumber(word string) bool {
	_, ok := facets.NumberWord(word)
	return ok ||
		slices.ContainsFunc(numberPrefixes(), func(prefix string) bool { return strings.HasPrefix(word, prefix) })
}

// figureBehind reads a figure behind the words of a bound, over an article.
func (r *reader) figureBehind(i int) (figure, bool) {
	if i < len(r.tokens) && (r.tokens[i].stop && !strings.HasPrefix(r.word(i-1), "max")) {
		return figure{}, false
	}
	if f, ok := r.figureAt(i); ok {
		return f, true
	}
	if r.has(i, roleAbout) || r.has(i, roleGlue) {
		return r.figureAt(i + 1)
	}
	return figure{}, false
}

// joints are the roles and signs between two figures of a range.
func (r *reader) jointAt(i int) int {
	if i >= len(r.tokens) {
		return -1
	}
	if r.tokens[i].dash {
		return i
	}
	if word := r.word(i); rangeJoints()[word] || word == "~" || word == "&" {
		return i + 1
	}
	return -1
}

// bounded makes the constraint of a figure that begins with what the question says at i, and what
// bounds it from there.
func (r *reader) bounded(limit role, i int, f figure) bool {
	low, high, next := f, f, f.next
	ranged := false
	if k := r.jointAt(next); k >= 0 && (limit == roleNone || limit == roleBetween || limit == roleAbout) {
		if second, ok := r.figureAt(k); ok && second.value > f.value && agree(&low, &second) {
			high, next, ranged = second, second.next, true
		}
	}
	behind := 0
	if limit == roleNone || limit == roleAbout {
		if _, n := r.match(next, roleOrLess); n > 0 {
			limit, behind = roleAtMost, n
		} else if _, n := r.match(next, roleOrMore); n > 0 {
			limit, behind = roleAtLeast, n
		}
	}
	if f.more && limit == roleNone {
		limit = roleAtLeast
	}
	slot, start, end, ok := r.slotOf(high, i, next+behind, limit != roleNone || ranged)
	if !ok {
		return false
	}
	c := facets.Constraint{Slot: slot, Unit: high.unit, Stated: r.own(slot)}
	switch {
	case ranged:
		c.Min, c.Max = &low.value, &high.value
	case limit == roleNone:
		return r.bare(c, f, start, end)
	case limit == roleBetween: // "from 20 euros"
		if f.slot != facets.Price || rangeOnly()[r.word(i)] {
			return false
		}
		c.Min = &f.value
	case limit == roleAtMost:
		c.Max = &f.value
	case limit == roleUnder:
		c.Max, c.Below = &f.value, true
	case limit == roleAtLeast:
		c.Min = &f.value
	case limit == roleOver:
		c.Min, c.Above = &f.value, true
	case limit == roleAbout:
		least, most := f.value*0.8, f.value*1.2
		c.Min, c.Max = &least, &most
	}
	r.add(c, start, end)
	return true
}

// agree gives the first figure of a range what only the second says, and says whether they are of
// one kind.
func agree(first, second *figure) bool {
	if first.slot == "" && !first.time {
		first.slot, first.unit, first.time = second.slot, second.unit, second.time
		if second.time && second.value >= 60 && first.value < 24 && second.value == float64(int(second.value/60))*60 {
			first.value *= 60 // "1 to 2 hours"
		}
	}
	if second.slot == "" && !second.time {
		second.slot, second.unit, second.time = first.slot, first.unit, first.time
	}
	return first.slot == second.slot && first.time == second.time && first.value < second.value
}

// slotOf settles which slot a figure is of, and which tokens say it all.
func (r *reader) slotOf(f figure, i, next int, limited bool) (slot facets.Slot, start, end int, ok bool) {
	start, end = i, next
	if r.force != "" {
		return r.force, start, end, f.slot == "" || f.slot == r.force ||
			f.slot == facets.Price && r.force == "priceRange"
	}
	before, from := r.slotBefore(i)
	if f.slot != "" && f.slot != facets.Price {
		if before == f.slot {
			start = from
		}
		return f.slot, start, end, r.known(f.slot)
	}
	after, n := r.slotAt(next)
	switch {
	case f.slot == facets.Price:
		if before == facets.Price {
			start = from
		}
		return f.slot, start, end, r.known(facets.Price)
	case f.time:
		slot = r.timeSlot(f)
		if isTime(before) {
			start = from
			if r.known(before) && (before != facets.TotalTime && before != facets.Duration ||
				slot != facets.Duration && slot != workload) {
				slot = before
			}
		} else if n > 0 && isTime(after) {
			if end = next + n; r.known(after) {
				slot = after
			}
		}
		return slot, start, end, r.known(slot)
	case figured(before):
		return before, from, end, r.known(before)
	case n > 0 && figured(after):
		return after, start, next + n, r.known(after)
	}
	// "4.5 and up"
	if limited && f.value <= 5 && r.known(facets.Rating) && (r.has(next-1, roleOrMore) || r.has(next-2, roleOrMore)) {
		return facets.Rating, start, end, true
	}
	// A bare number: what is for sale has a price. Years are read elsewhere, and "one" stands for a
	// thing.
	if pronoun := f.value == 1 && !r.tokens[next-1].number; limited && !pronoun && r.known(facets.Price) &&
		!r.only("Recipe") && !r.tokens[i].number && (next >= len(r.tokens) || r.tokens[next].stop ||
		r.tokens[next].comma || r.functional(next) || r.bounds(next)) {
		return facets.Price, start, end, true
	}
	return "", start, end, false
}

// bounds says whether another condition begins at i: a limit, or what is not wanted.
func (r *reader) bounds(i int) bool {
	return slices.ContainsFunc([]role{roleUnder, roleAtMost, roleOver, roleAtLeast, roleBetween, roleWithout, roleNot},
		func(begin role) bool { return r.has(i, begin) })
}

func isTime(slot facets.Slot) bool {
	return slot == facets.TotalTime || slot == facets.PrepTime || slot == facets.CookTime || slot == facets.Duration
}

// figured says whether a slot that questions name in words holds figures.
func figured(slot facets.Slot) bool {
	switch slot {
	case facets.Price, facets.Rating, facets.Ratings, facets.Yield, facets.Calories, "numberOfPages", "numberOfRooms":
		return true
	}
	return slices.Contains(nutrients, slot)
}

// workload is the slot of how long it takes to work through something.
const workload facets.Slot = "timeRequired"

// timeSlot is the slot that a span of time is of when nothing more is said.
func (r *reader) timeSlot(f figure) facets.Slot {
	if r.wanted("Course", "Book", "Article", "LearningResource") && r.known(workload) {
		return workload
	}
	if r.wanted("Event", "Course", "Movie", "MediaObject", "CreativeWorkSeries", "Trip") && !r.wanted("Recipe") ||
		!r.known(facets.TotalTime) && r.known(facets.Duration) {
		return facets.Duration
	}
	for _, slot := range []facets.Slot{facets.TotalTime, facets.CookTime, facets.PrepTime} {
		if r.known(slot) {
			return slot
		}
	}
	if own, ok := r.at.Lexicon.InUnit(facets.Quantity{Value: f.value, Unit: "min"}); ok {
		return own
	}
	return facets.TotalTime
}

// bare makes the constraint of a figure that nothing bounds: "a 20-minute dinner", "4 star", "300
// calories".
func (r *reader) bare(c facets.Constraint, f figure, i, next int) bool {
	before := r.word(i - 1)
	switch {
	case r.force != "":
		c.Min, c.Max, r.barely = &f.value, &f.value, true
	case f.time:
		if eachSpan()[before] || f.value > 24*60 || c.Slot == facets.Duration && !withinSpan()[before] {
			return false
		}
		c.Max = &f.value
	case c.Slot == facets.Price:
		least, most := f.value*0.8, f.value*1.2
		c.Min, c.Max = &least, &most
		r.prefer(c, i, next)
		return true
	case c.Slot == facets.Rating:
		if f.value > 5 || f.value < 1 {
			return false
		}
		if known, ok := r.at.Lexicon.Slot("starRating"); ok && known.Kind == facets.Figures {
			c.Slot, c.Max = "starRating", &f.value
		}
		c.Min = &f.value
	case c.Slot == facets.Ratings, c.Slot == facets.Protein, c.Slot == facets.Fiber:
		c.Min = &f.value
	case c.Slot == facets.Yield:
		c.Min, c.Max = &f.value, &f.value
	case facets.Derived(c.Slot):
		return false
	case f.unit != "": // "yarn 500 g"
		least, most := f.value*(1-nearly), f.value*(1+nearly)
		c.Min, c.Max, c.Bare = &least, &most, true
	case c.Slot == facets.Calories, slices.Contains(nutrients, c.Slot):
		c.Max = &f.value
	case r.own(c.Slot): // "1000 pieces"
		c.Min, c.Max, c.Stated = &f.value, &f.value, true
	default:
		return false
	}
	r.add(c, i, next)
	return true
}

// nearly is by which share an amount may differ from one that nothing bounds.
const nearly = 0.03

// readServes reads for how many people something is to be: "serves 6", "for a family of four", "for
// two".
func (r *reader) readServes(i int) bool {
	s, n := r.match(i, roleServes)
	if n == 0 || s.role != roleServes || !r.known(facets.Yield) {
		return false
	}
	next := i + n
	if _, n := longestAt(r.line, next, servesLeads()); n > 0 {
		next += n
	}
	value, ok := numberOf(r.word(next))
	if !ok || value < 1 || value > mostPeople || value != float64(int(value)) {
		return false
	}
	end := next + 1
	_, more := r.match(end, roleOrMore)
	if f, ok := r.figureAt(next); ok && (f.slot != "" && f.slot != facets.Yield || f.time) ||
		more == 0 && r.jointAt(end) >= 0 {
		return false
	}
	end += more
	if _, m := r.match(end, rolePeople); m > 0 {
		end += m
	} else if r.has(i, roleFor) {
		// "for two" and nothing else behind
		if end < len(r.tokens) && !r.tokens[end].stop && !r.tokens[end].comma && !r.functional(end) {
			return false
		}
	}
	c := facets.Constraint{Slot: facets.Yield, Min: &value}
	if more == 0 {
		c.Max = &value
	}
	r.add(c, i, end)
	return true
}

// mostPeople is for how many people at most something is asked for.
const mostPeople = 10000
