package index

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/content/facets"
	"frontdesk/internal/content/search"
	"frontdesk/internal/content/taxonomy"
)

// Question is what is asked of a view.
type Question struct {
	// Text is what is looked for by words. Without any that can be looked for, everything that
	// meets the constraints is found, or is of the types if the text is empty; without either,
	// nothing.
	Text string
	// Meant is what is looked for by what it means: the question as it was said, with the words of
	// its conditions; empty for Text.
	Meant string
	// Broad says that Text names no more than a broad kind, and gives way to what meets the
	// constraints.
	Broad bool
	// Beside is Text with words that lift items and are no part of what is asked for; empty where
	// there are none.
	Beside string
	// Sites and Types restrict the items; empty means no restriction. A type stands for its
	// subtypes too.
	Sites, Types []string
	// Guessed says that the types were read from the words of the question: they give way when
	// nothing is of them.
	Guessed bool
	// Constraints are the conditions on items. Items of which one cannot be told come after those
	// that meet all where the condition leaves something out, and else only when nothing else is
	// found.
	Constraints []facets.Constraint
	// Soft are words that raise the items that mention them.
	Soft []string
	// Sort is the order of the items; its zero value is by how well they fit.
	Sort     facets.Sort
	Limit    int
	MinScore float64
	// Within is what may be found at all.
	Within *search.Selection
	// Prefer are the languages in which items are wanted: see [search.Query].
	Prefer []string
	// Near finds items by the direction of their text, too; nil for words alone.
	Near *search.Near
	// Literal takes the words as they stand, AsSpelled corrects none and OwnWords adds none: see
	// [search.Query].
	Literal, AsSpelled, OwnWords bool
	// Today is when the day of the question begins. Events that were over by then come behind those
	// to come that fit about as well, unless the question is about their time; when it is zero,
	// none is over.
	Today time.Time
	// Further is how many passages beside the best are wanted of each item.
	Further int
}

// Found is the outcome of a question.
type Found struct {
	Hits  []Hit
	Terms []search.Term // what became of the question's words
	// Corrections are words that were misspelt and taken for others.
	Corrections []search.Correction
	// Relaxed are the conditions that gave way, because nothing met all of them.
	Relaxed []Relaxed
	// Closest says that the hits are no answer, but the nearest that there is: they break what the
	// question states, or have little of its words.
	Closest bool
}

// Relaxed is a condition that gave way.
type Relaxed struct {
	Constraint facets.Constraint
	// Unknown says that it did not give way to items that break it, but to those that do not say.
	Unknown bool
	// Types says that it was the types of the question, which are the constraint's values; Words,
	// that it was its words.
	Types, Words bool
}

// Hit is one item found.
type Hit struct {
	*Doc
	Score   float64 // 0 to 100
	Passage int     // the ordinal of the passage that fits best
	Further []int   // those of others that have words of the question: see [search.Hit]
	at      search.Place
	Doubt   bool // it cannot be told of it whether it meets every condition; such hits come after the others
}

// Find answers a question. Items of several sources under one URL count as one; the best stays.
// Conditions that nothing meets give way, one at a time and the least important first, and are
// told; what somebody must not eat never does.
func (v *View) Find(q Question) Found {
	limit := q.Limit
	s := v.finding(q)
	if s.ranks() {
		s.asked.Limit = max(limit, maxRanked)
	}
	found := s.find()
	s.rank(&found)
	s.membersFirst(found.Hits)
	found.Hits = found.Hits[:min(len(found.Hits), limit)]
	return found
}

// membersFirst puts what is of the kind that the words name before what is only called by it: a
// boot before the resoling of boots.
func (s *finding) membersFirst(hits []Hit) {
	if s.members == nil || s.asked.Sort.By != "" {
		return
	}
	beside := func(h Hit) int { return truth(h.Doubt)*2 + 1 - truth(s.members.Holds(h.at)) }
	slices.SortStableFunc(hits, func(a, b Hit) int { return cmp.Compare(beside(a), beside(b)) })
	for i := len(hits) - 2; i >= 0; i-- {
		hits[i].Score = max(hits[i].Score, hits[i+1].Score)
	}
}

// finding reads a question.
func (v *View) finding(q Question) *finding {
	within := q.Within
	if len(q.Sites) > 0 {
		within = within.And(v.anyOf(len(q.Sites), func(i int) choice { return choice{site: q.Sites[i]} }))
	}
	s := finding{view: v, asked: q, within: within}
	for i := range q.Constraints {
		c := s.spelled(&q.Constraints[i])
		if c.Cheap {
			s.cheap = true
			continue
		}
		if c.Soft && !(q.Text == "" && tells(c)) {
			s.soft = append(s.soft, v.preferring(c))
			continue
		}
		judged := v.judge(c)
		if v.loosely(c) {
			s.soft = append(s.soft, preference{verdict: judged, slot: c.Slot})
			judged = verdict{meet: judged.meet.Or(judged.unknown), unknown: v.none()}
		}
		s.hard = append(s.hard, condition{*c, judged})
		if c.Not && c.Slot == facets.Mention && v.Len() >= besideItems {
			rather := *c
			rather.Soft = true
			s.soft = append(s.soft, v.preferring(&rather))
		}
	}
	for _, words := range q.Soft {
		s.soft = append(s.soft,
			preference{verdict: verdict{meet: v.mentioning(words, search.Anywhere), unknown: v.none()},
				slot: facets.Mention})
	}
	if len(q.Types) > 0 {
		types := v.below(q.Types)
		s.types = v.anyOf(len(types), func(i int) choice { return choice{typ: types[i]} })
	}
	if q.Text != "" && !q.Literal && v.snapshot.TitleWords() <= tellingTitles {
		s.kind = v.aboutKind(q.Text)
		if found := v.kindNamed(kindAsked(q.Text), nil); found.exact {
			s.members = found.items
			// a workshop may be an Event or a Course
			if q.Guessed && s.types != nil && len(wordsForTypes()[found.head]) > 0 {
				s.types = s.types.Or(s.members)
			}
		}
	}
	if q.Broad {
		if food := within.And(v.food()); !food.Empty() {
			s.food = food
		}
	}
	s.over = v.over(&q)
	if q.Sort.By == "" && len(s.soft) == 0 && !s.cheap {
		if s.near = v.near(&q); s.near != nil {
			s.asked.Sort = facets.Sort{By: nearest}
		}
	}
	return &s
}

// loosely says whether items that do not say whether they meet a condition stand among those that
// do: among many, few state all that they are.
func (v *View) loosely(c *facets.Constraint) bool {
	return !c.Not && facets.HasTraits(c.Slot) && !c.Stated && v.Len() >= besideItems
}

// tells says whether a soft condition tells what is wanted, so that without any other words it has
// to hold: "ugg slippers".
func tells(c *facets.Constraint) bool {
	return !c.Not && len(c.Values) > 0 && (called[c.Slot] || c.Slot == facets.Location)
}

// spelled is a condition on what is not wanted with its words as they are meant: what nothing
// mentions because it is misspelt would leave nothing out.
func (s *finding) spelled(c *facets.Constraint) *facets.Constraint {
	if !c.Not || len(c.Values) == 0 || s.asked.Literal || s.asked.AsSpelled || c.Source == facets.FromAttribute {
		return c
	}
	meant := *c
	for i, value := range c.Values {
		if _, known := taxonomy.Named(value); known {
			continue
		}
		text, corrections := s.view.snapshot.Corrected(value)
		if len(corrections) == 0 {
			text = s.view.uninflected(value)
		}
		if text == value {
			continue
		}
		if &meant.Values[0] == &c.Values[0] {
			meant.Values = slices.Clone(c.Values)
		}
		meant.Values[i] = text
		s.respelled = append(s.respelled, corrections...)
	}
	return &meant
}

// shortestStem is how many letters a word has at least without its ending.
const shortestStem = 4

// uninflected is a word without its ending where items have it so, and none as it is: "schwer" of
// "der schwere".
func (v *View) uninflected(word string) string {
	if strings.Contains(word, " ") || !v.Mentioning(word).Empty() {
		return word
	}
	for _, ending := range [...]string{"en", "em", "er", "es", "e"} {
		form, ok := strings.CutSuffix(word, ending)
		if ok && len(form) >= shortestStem && !v.Mentioning(form).Empty() {
			return form
		}
	}
	return word
}

// finding is one question on its way.
type finding struct {
	view    *View
	asked   Question
	within  *search.Selection
	types   *search.Selection // nil for all
	hard    []condition
	soft    []preference
	cheap   bool              // what costs less comes first among what fits as well
	kind    *search.Selection // what the words name, where they say nothing else, and what is called by it; nil for all
	members *search.Selection // what they name; nil where they say something else
	food    *search.Selection // what alone is an answer, where anything to eat is; nil for all
	near    *point            // what is nearer to it comes first among what fits as well; nil for none
	over    *search.Selection // the events that come behind others, since they are over; nil for none
	terms   []search.Term

	corrections []search.Correction // of the last attempt
	respelled   []search.Correction // of what is not wanted
}

// preference is a condition that leaves nothing out.
type preference struct {
	verdict
	slot facets.Slot
	not  bool
	// denied are the items that say that they are without what is not wanted; nil where something
	// is wanted.
	denied *search.Selection
}

// preferring makes a preference of a condition.
func (v *View) preferring(c *facets.Constraint) preference {
	p := preference{verdict: v.judge(c), slot: c.Slot, not: c.Not}
	if c.Not && c.Slot == facets.Mention {
		p.denied = v.none()
		for _, asked := range c.Values {
			p.denied = p.denied.Or(v.mentioning(asked, search.Denied))
		}
	}
	return p
}

type condition struct {
	facets.Constraint
	verdict
}

// attempt is what of the question holds.
type attempt struct {
	dropped  []bool // by condition
	unknown  bool   // items of which it cannot be told are let in
	anyTypes bool
	faint    bool // conditions vouch for items that the words fit badly
	wordless bool // the words give way
	loose    bool // any of the words will do
	meant    bool // no word has to be shared: what is meant counts
	distant  bool // what means little of the same is near enough
	silent   bool // items that say nothing of a figure or a time are let in, too
	closest  bool // what is found is near to an answer, and none
}

// find goes from the whole question on, giving way step by step.
func (s *finding) find() Found {
	var found Found
	for i, a := range s.attempts() {
		hits := s.try(a)
		if s.food != nil {
			hits = slices.DeleteFunc(hits, func(h Hit) bool { return !s.food.Holds(h.at) })
		}
		if i == 0 {
			found.Terms = s.terms
		}
		if len(hits) > 0 {
			found.Hits, found.Relaxed, found.Closest = hits, s.gaveWay(a, hits), a.closest
			found.Terms, found.Corrections = s.terms, s.corrections
			break
		}
	}
	for _, c := range s.respelled {
		if !slices.Contains(found.Corrections, c) {
			found.Corrections = append(found.Corrections, c)
		}
	}
	return found
}

// maxAttempts bounds how often a question is asked anew.
const maxAttempts = 24

// attempts gives the ways to read the question, from the strictest on: as it is, then with words
// that fit badly, then with items that do not say, then without one condition and the other, then
// without the words, then without several. What breaks a condition that the question states is no
// answer, however few conditions it breaks: it is the closest.
func (s *finding) attempts() []attempt {
	whole := attempt{dropped: make([]bool, len(s.hard))}
	all := []attempt{whole, {dropped: whole.dropped, meant: true}}
	if len(s.hard) > 0 {
		all = append(all, attempt{dropped: whole.dropped, faint: true}, attempt{dropped: whole.dropped, unknown: true})
	}
	if s.measured() {
		all = append(all, attempt{dropped: whole.dropped, unknown: true, closest: true})
	}
	if s.asked.Broad {
		all = append(all, attempt{dropped: whole.dropped, wordless: true})
	}
	guessed := s.types != nil && s.asked.Guessed
	if guessed {
		all = append(all, attempt{dropped: whole.dropped, anyTypes: true})
	}
	order := s.givingWay()
	for _, i := range order {
		one := slices.Clone(whole.dropped)
		one[i] = true
		all = append(all, attempt{dropped: one, closest: s.stated(one)})
	}
	if s.vouched() && !s.asked.Broad {
		all = append(all, attempt{dropped: whole.dropped, wordless: true, closest: true})
	}
	more := slices.Clone(whole.dropped)
	for n, i := range order {
		more = slices.Clone(more)
		more[i] = true
		all = append(all, attempt{dropped: more, unknown: true, closest: s.stated(more)})
		if n == len(order)-1 && guessed {
			all = append(all, attempt{dropped: more, unknown: true, anyTypes: true, closest: s.stated(more)})
		}
	}
	if (len(s.hard) > 0 || guessed) && len(strings.Fields(s.asked.Meant)) > fewWords {
		all = append(all, attempt{dropped: whole.dropped, meant: true, unknown: true, silent: true, anyTypes: guessed})
	}
	slices.SortStableFunc(all, func(a, b attempt) int { return cmp.Compare(rank(a.closest), rank(b.closest)) })
	all = all[:min(len(all), maxAttempts)]
	if s.asked.Text != "" && s.asked.MinScore > 0 {
		all = append(all, attempt{dropped: more, anyTypes: guessed, loose: true, closest: true})
	}
	return all
}

// rank puts what does not hold before what does.
func rank(holds bool) int {
	if holds {
		return 1
	}
	return 0
}

// stated says whether one of the conditions that an attempt lets go is stated by the question, and
// not only known beside it.
func (s *finding) stated(dropped []bool) bool {
	for i := range s.hard {
		if c := &s.hard[i]; dropped[i] && !c.Soft && c.Source >= facets.FromText {
			return true
		}
	}
	return false
}

// measured says whether the question states a figure or a time: what says nothing of it is no
// answer then.
func (s *finding) measured() bool {
	return slices.ContainsFunc(s.hard, func(c condition) bool { return c.measured() })
}

// leastSeason and mostSeason are between which a span of time is a season: an occasion, for which
// things are that state no time.
const (
	leastSeason = 85 * 24 * time.Hour
	mostSeason  = 95 * 24 * time.Hour
)

// measured says whether the question itself bounds a figure or a time by the condition, or asks for
// what states it.
func (c *condition) measured() bool {
	if span := c.To.Sub(c.From); !c.From.IsZero() && span > leastSeason && span < mostSeason {
		return false
	}
	return !c.Not && !c.Soft && c.Source >= facets.FromText &&
		(c.Stated || c.Min != nil || c.Max != nil || !c.From.IsZero() || !c.To.IsZero())
}

// vouched says whether the words may give way: some condition tells what is wanted, and not only
// what is not.
func (s *finding) vouched() bool {
	return s.asked.Text != "" && slices.ContainsFunc(s.hard, func(c condition) bool {
		return !c.Not &&
			(c.Source == facets.FromText || c.Source == facets.FromAttribute || c.Source == facets.FromAnswer)
	})
}

// givingWay gives the conditions that may give way, the least important first.
func (s *finding) givingWay() []int {
	var order []int
	for i := range s.hard {
		if !never(&s.hard[i].Constraint) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(weight(&s.hard[a].Constraint), weight(&s.hard[b].Constraint))
	})
	return order
}

// gaveWay tells what an attempt left of the question.
func (s *finding) gaveWay(a attempt, hits []Hit) (relaxed []Relaxed) {
	if a.anyTypes {
		relaxed = append(relaxed,
			Relaxed{Constraint: facets.Constraint{Slot: "@type", Values: s.asked.Types, Source: facets.FromText},
				Types: true})
	}
	if a.wordless {
		relaxed = append(relaxed,
			Relaxed{Constraint: facets.Constraint{Slot: "text", Values: []string{s.asked.Text},
				Source: facets.FromText}, Words: true})
	}
	for i, c := range s.hard {
		switch {
		case a.dropped[i]:
			relaxed = append(relaxed, Relaxed{Constraint: c.Constraint})
		case a.unknown && !c.Not && slices.ContainsFunc(hits, func(h Hit) bool { return !c.meet.Holds(h.at) }):
			relaxed = append(relaxed, Relaxed{Constraint: c.Constraint, Unknown: true})
		}
	}
	return relaxed
}

// try finds what an attempt admits: first what meets every condition, then what may.
func (s *finding) try(a attempt) []Hit { return s.tryFor(a, s.asked.Limit) }

// tryFor finds at most limit items.
func (s *finding) tryFor(a attempt, limit int) []Hit {
	sure, likely := s.within, s.within
	if s.types != nil && !a.anyTypes {
		sure, likely = sure.And(s.types), likely.And(s.types)
	}
	// Signs without a word in them ask for nothing, whatever type they are to have.
	conditions, doubts := s.types != nil && !a.anyTypes && s.asked.Text == "", false
	for i, c := range s.hard {
		if a.dropped[i] {
			continue
		}
		conditions = true
		sure = sure.And(c.meet)
		if s.letsDoubts(&c, a) {
			likely, doubts = likely.And(c.meet.Or(c.unknown)), true
		} else {
			likely = likely.And(c.meet)
		}
	}
	s.corrections = nil
	if a.wordless && s.food != nil {
		sure, likely = sure.And(s.food), likely.And(s.food)
	}
	if a.wordless && !s.asked.Broad {
		// Words that nothing has are no words to give way: then nothing here is what was meant.
		if known, worded := s.search(lookup{s.within, 1, s.asked.MinScore * faintly, 0}, all); worded &&
			len(known) == 0 {
			return nil
		}
	}
	if s.kind != nil {
		// Where the words are no more than the name of a kind, what has some of them alone is no
		// answer.
		if of := sure.And(s.kind); !of.Empty() {
			sure = of
		}
		if of := likely.And(s.kind); !of.Empty() {
			likely = of
		}
	}
	hits := s.look(sure, conditions, a, limit)
	if doubts && len(hits) < limit {
		if further := likely.Without(sure); !further.Empty() {
			doubtful := alike(hits, s.look(further, conditions, a, limit-len(hits)))
			for i := range doubtful {
				doubtful[i].Doubt = true
			}
			hits = append(hits, doubtful...)
		}
		if s.view.several {
			hits = oneEach(hits)
		}
	}
	if len(s.hard) > 0 {
		hits = s.comparable(a, hits)
	}
	doubted := slices.ContainsFunc(hits, func(h Hit) bool { return h.Doubt })
	if further := limit - len(hits); s.kind == nil && len(hits) > 0 && further > 0 && !doubted && s.telling(a) {
		hits = append(hits, s.alsoTold(sure, hits, further)...)
	}
	return hits
}

// telling says whether a figure that is asked for tells of itself which things are meant: those
// that state for how many or for which age they are, or what no other does.
func (s *finding) telling(a attempt) bool {
	return !a.meant && !a.anyTypes && !a.closest && s.asked.Sort.By == "" &&
		slices.ContainsFunc(s.hard, func(c condition) bool {
			return c.measured() && (c.Stated || c.Slot == facets.Age || c.Slot == facets.Yield)
		})
}

// alsoTold are the items of the types of those found that meet every condition and have none of the
// question's words, where these name nothing that items are called by: beside a game for six by its
// text, those that do not say that they are games.
func (s *finding) alsoTold(sure *search.Selection, hits []Hit, limit int) []Hit {
	found := s.view.snapshot.Select(func(ref any) bool {
		return slices.ContainsFunc(hits, func(h Hit) bool { return h.Doc == ref.(*Doc) })
	})
	others := alike(hits, s.list(sure.Without(found), limit))
	for i := range others {
		others[i].Score = min(others[i].Score, hits[len(hits)-1].Score)
	}
	return others
}

// letsDoubts says whether items of which a condition cannot be told come after those that meet it.
func (s *finding) letsDoubts(c *condition, a attempt) bool {
	if c.Not || c.Slot == facets.Age || c.Bare {
		return true
	}
	return a.unknown && !harms(&c.Constraint) && (a.closest || a.silent || !c.measured())
}

// all settles for whatever is found.
func all(hits []Hit) []Hit { return hits }

// alike leaves out doubtful hits of a type that none of the sure ones has: beside cakes without
// nuts, a cake that does not say what is in it may be meant, but not a fair where cake is sold.
func alike(sure, doubtful []Hit) []Hit {
	if len(sure) == 0 {
		return doubtful
	}
	return slices.DeleteFunc(doubtful, func(d Hit) bool {
		return !slices.ContainsFunc(sure, func(h Hit) bool {
			return slices.ContainsFunc(d.Types, func(t string) bool { return slices.Contains(h.Types, t) })
		})
	})
}

// comparable leaves out items that say nothing in the slot of a figure or a time that gave way:
// nearest to a meal of 300 calories is one of 400, and not an article about meals.
func (s *finding) comparable(a attempt, hits []Hit) []Hit {
	for i, c := range s.hard {
		if a.dropped[i] && !a.unknown && (c.Min != nil || c.Max != nil || !c.From.IsZero() || !c.To.IsZero()) {
			hits = slices.DeleteFunc(hits, func(h Hit) bool { return c.unknown.Holds(h.at) })
		}
	}
	return hits
}

// How hits are ordered otherwise than by their scores.
const (
	goodEnough  = 0.75 // share of the best score from which an item is sorted with the best
	softWeight  = 0.2  // share of its score that an item gains when it meets all soft conditions,
	namedWeight = 0.4  // and for each colour, brand or material that is asked for
	unwanted    = 0.75 // what remains of its score for each thing in it that is not wanted
	faintly     = 0.02 // share of the least score that is enough where conditions vouch for an item,
	faintShare  = 0.5  // if it has this share of the best one's
	loosely     = 0.1  // share of the least score that makes an item the closest where there is no answer
	softDepth   = 100  // hits among which soft conditions choose

	// tellingTitles is the average length of titles, in words, up to which they tell what an item
	// is: shops that put every feature into the title bury that.
	tellingTitles = 9

	softly = 0.5 // share of the least score that is enough for an item that meets all soft conditions

	// besideItems is how many items there must be for words beside the text to be searched for:
	// among fewer each word weighs so much that the items that name what is not wanted would come
	// first.
	besideItems = 1000

	listedScore = 100 / (1 + softWeight) // of an item found without words that meets no soft condition
)

// look finds the best of a selection, in the order that is asked for.
func (s *finding) look(within *search.Selection, conditions bool, a attempt, limit int) []Hit {
	if a.meant {
		return s.resembling(within, limit, a.distant)
	}
	depth := limit
	switch {
	case s.asked.Sort.By != "":
		depth = search.MaxLimit
	case len(s.soft) > 0 || s.cheap:
		depth = max(softDepth, 3*limit)
	case s.over != nil:
		depth = 3 * limit
	}
	least, share := s.asked.MinScore, 0.0
	switch {
	case a.loose:
		least, share = least*loosely, faintShare
	case a.faint:
		least, share = least*faintly, faintShare
	case len(s.soft) > 0:
		least *= softly
	}
	if s.asked.Sort.By != "" {
		share = max(share, goodEnough)
	}
	hits, worded := s.search(lookup{within, min(depth, search.MaxLimit), least, share}, func(hits []Hit) []Hit {
		switch {
		case s.asked.Sort.By != "":
			hits = s.first(hits, limit)
		case len(s.soft) > 0 || s.cheap:
			s.raise(hits)
			hits = slices.DeleteFunc(hits, func(h Hit) bool { return h.Score < s.asked.MinScore && !s.meetsSoft(h) })
		}
		if s.asked.Sort.By == "" {
			s.demote(hits)
		}
		return hits[:min(len(hits), limit)]
	})
	worded = worded && !a.wordless
	switch {
	case !worded && !conditions && s.asked.Sort.By == "":
		return nil
	case !worded:
		return s.list(within, limit)
	}
	return hits
}

// meetsSoft says whether a hit meets all soft conditions.
func (s *finding) meetsSoft(h Hit) bool {
	return !slices.ContainsFunc(s.soft, func(soft preference) bool { return !soft.meet.Holds(h.at) })
}

// lookup is where to look by words, and for how much.
type lookup struct {
	within *search.Selection
	limit  int
	least  float64 // score of a hit
	share  float64 // of the best one's score
}

// search finds by words, lets settle choose from what is found, and says whether there were any
// words to look for.
func (s *finding) search(look lookup, settle func([]Hit) []Hit) (hits []Hit, worded bool) {
	again := false
	query := search.Query{
		Text: s.asked.Text, Limit: look.limit, Within: look.within, MinScore: look.least, Share: look.share,
		Literal: s.asked.Literal, AsSpelled: s.asked.AsSpelled, OwnWords: s.asked.OwnWords, Prefer: s.asked.Prefer,
		Near: s.asked.Near, Further: s.asked.Further, Meaning: s.view.meaning, Names: s.names(),
		Settle: func(found []search.Hit) []search.Hit {
			hits = listings(found)
			if s.view.several {
				hits = oneEach(hits)
				again = len(hits) < len(found) && len(found) == look.limit
			}
			hits = settle(hits)
			return unlisted(found, hits)
		},
	}
	if s.asked.Beside != "" && s.asked.Text != "" && s.view.Len() >= besideItems {
		query.Text, query.Core = s.asked.Beside, s.asked.Text
	}
	result := s.view.snapshot.Search(query)
	s.terms = result.Terms
	if s.corrections == nil {
		s.corrections = result.Corrections
	}
	if again && query.Limit < search.MaxLimit { // some were the same; there may be more further down
		query.Limit = search.MaxLimit
		result = s.view.snapshot.Search(query)
	}
	for i := range hits {
		hits[i].Passage, hits[i].Further = result.Hits[i].Passage, result.Hits[i].Further
	}
	worded = slices.ContainsFunc(result.Terms, func(t search.Term) bool { return t.Use != search.Stop && t.Weight > 0 })
	return hits, worded
}

// names are the words of the places, brands and people that the question names.
func (s *finding) names() (words []string) {
	for i := range s.asked.Constraints {
		c := &s.asked.Constraints[i]
		if c.Slot != facets.Location && c.Slot != facets.Brand && c.Slot != facets.Author {
			continue
		}
		for _, value := range c.Values {
			words = append(words, strings.Fields(facets.Fold(value))...)
		}
	}
	return words
}

// unlisted is the opposite of listings, in the room of what is not needed any more.
func unlisted(room []search.Hit, hits []Hit) []search.Hit {
	room = room[:0]
	for _, h := range hits {
		room = append(room, search.Hit{Ref: h.Doc, Score: h.Score, Passage: h.Passage, At: h.at})
	}
	return room
}

// raise puts items that meet soft conditions before others that fit about as well, and those that
// have what is not wanted behind.
func (s *finding) raise(hits []Hit) {
	cheaper := s.cheaper(hits)
	for i := range hits {
		h, factor := &hits[i], 1.0+cheaper(i)
		for _, soft := range s.soft {
			met := soft.meet.Holds(h.at)
			switch {
			case soft.denied != nil && soft.denied.Holds(h.at):
				factor += 1.5 * softWeight / float64(len(s.soft))
			case (soft.not || facets.HasTraits(soft.slot)) && !met && !soft.unknown.Holds(h.at):
				factor *= unwanted
			case met && (soft.slot == facets.Brand || soft.slot == facets.Color || soft.slot == facets.Material):
				factor += namedWeight
			case met:
				factor += softWeight / float64(len(s.soft))
			}
		}
		h.Score *= factor
	}
	slices.SortStableFunc(hits, func(a, b Hit) int { return cmp.Compare(b.Score, a.Score) })
	for i := range hits {
		hits[i].Score = min(100, hits[i].Score)
	}
}

func listings(found []search.Hit) []Hit {
	hits := make([]Hit, len(found))
	for i, hit := range found {
		hits[i] = Hit{Doc: hit.Ref.(*Doc), Score: hit.Score, Passage: hit.Passage, at: hit.At}
	}
	return hits
}

// oneEach keeps the first hit for each URL of a site.
func oneEach(hits []Hit) []Hit {
	type page struct{ site, url string }
	seen := make(map[page]bool, len(hits))
	return slices.DeleteFunc(hits, func(h Hit) bool {
		at := page{h.Site, h.URL}
		if seen[at] {
			return true
		}
		seen[at] = true
		return false
	})
}
