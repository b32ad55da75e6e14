package query

import (
	"math"
	"slices"
	"strings"

	"frontdesk/internal/content/facets"
)

// Relation is how a question stands to what was wanted before it.
type Relation uint8

// The relations.
const (
	Apart  Relation = iota // it is about something else, or stands by itself
	Onward                 // it changes what was wanted: adds to it, or puts one thing in place of another
	More                   // it wants further items of what was wanted
	Pick                   // it is about items of the answer before it
	Among                  // it asks which of the items of the answer before it something holds for
)

// Turn is how a question goes on with what was wanted before it.
type Turn struct {
	Relation
	// Places are the items that a Pick is about, by their place in the answer before, from 0; below
	// 0 from its end.
	Places []int
	// Same says that a Pick is about what was spoken of last ("is it vegan?"); Places are then for
	// when nothing was.
	Same bool
	// Before and After are the words of a Pick around those that stand for items. Both are empty
	// where the items themselves are wanted.
	Before, After string
	// Rest are the words of what is to hold for items (Among), or behind those that only go on
	// (Onward); empty where there are none.
	Rest string
	// Unsure says that the words leave it open whether the question goes on; it is Apart then.
	Unsure bool
}

// Relate finds how a question goes on with what was wanted before it. Said is what Read makes of
// the question by itself.
func Relate(text string, said, earlier *Understood) Turn {
	folded := " " + facets.Fold(text) + " "
	if strings.TrimSpace(folded) == "" {
		return Turn{}
	}
	if _, reset := trimLead(folded, resets()); reset && len(letGo(folded)) == 0 {
		return Turn{}
	}
	if furthers()[trimFillers(folded)] {
		return Turn{Relation: More}
	}
	if rest, ok := among(text); ok {
		return Turn{Relation: Among, Rest: rest}
	}
	if pick, ok := picked(text, folded, said); ok {
		return pick
	}
	_, led := trimLead(folded, followLeads())
	_, dangling := trimLead(folded, prepositions())
	words := strings.Fields(folded)
	rest, bare := content(folded, said), covered(folded, said)
	wants := len(said.Constraints) > 0 || said.Sort.By != "" || said.Count > 0 || len(letGo(folded)) > 0
	_, compares := Compares(folded)
	_, ends := unended(text)
	switch {
	case led, stands(words), ends && wants:
		return Turn{Relation: Onward, Rest: dangled(text)}
	case !dangling && !compares && otherKind(said, earlier):
		return Turn{Unsure: true}
	case bare && (wants || compares): // nothing but conditions
		return Turn{Relation: Onward}
	case dangling && (bare || len(said.Types) == 0) && (wants || len(words) <= 3):
		return Turn{Relation: Onward, Rest: dangled(text)}
	case compares && len(words) <= 5 && within(rest, earlier):
		return Turn{Relation: Onward}
	}
	unsure := len(words) <= 3 || len(rest) > 0 && within(rest, earlier)
	return Turn{Unsure: unsure}
}

// amongLeads begin questions for those of the items shown of which the rest holds.
var amongLeads = everywhere("turn.among")

// among gives what is to hold for some of the items of the answer before.
func among(text string) (rest string, ok bool) {
	l := split(text)
	for i := range min(2, len(l.tokens)) {
		if _, n := longestAt(l, i, amongLeads()); n > 0 && i+n < len(l.tokens) && (i == 0 || ties()[l.word(0)]) {
			return text[l.tokens[i+n].start:], true
		}
	}
	return "", false
}

// dangled is a question that goes on with a preposition, from that on: "for children" of "and for
// children?"; empty for others.
func dangled(text string) string {
	l := split(text)
	for i := range min(4, len(l.tokens)) {
		if startsWith(" "+l.phrase(i, len(l.tokens))+" ", prepositions()) {
			return text[l.tokens[i].start:]
		}
		if !ties()[l.word(i)] {
			break
		}
	}
	return ""
}

// otherKind says whether a question names a category where another was wanted before it: it is
// about something else then.
func otherKind(said, earlier *Understood) bool {
	kinds := func(u *Understood) (values []string) {
		for _, c := range u.Constraints {
			if c.Slot == facets.Category && !c.Not && c.Source == facets.FromText {
				values = append(values, c.Values...)
			}
		}
		return values
	}
	now, before := kinds(said), kinds(earlier)
	return len(now) > 0 && len(before) > 0 && !meet(now, before)
}

// Follow makes what was wanted and a question that goes on with it (Onward) one, which read then
// understands by its words. What the question says wins over what was said before in the same slot,
// unless both can hold; what it does not speak of stays, also what no words say. With instead, its
// words take the place of those for what was wanted.
func Follow(text string, said, earlier Understood, instead bool, read func(string) Understood) Understood {
	folded := " " + facets.Fold(text) + " "
	lead, _ := trimLead(folded, followLeads())
	swap, let := swaps(folded), letGo(folded)
	var kept, gone []facets.Constraint
	hard := slices.ContainsFunc(said.Constraints, func(c facets.Constraint) bool { return !c.Soft })
	another := false // something in the place of what was wanted
	for _, c := range earlier.Constraints {
		instead := slices.ContainsFunc(said.Constraints, func(n facets.Constraint) bool {
			return (!n.Soft || c.Soft || swap) && displaces(n, c, swap)
		})
		if instead || slices.Contains(let, c.Slot) {
			another = another || instead
			gone = append(gone, c)
			continue
		}
		c.Source = min(c.Source, facets.FromEarlier)
		kept = append(kept, c)
	}
	// "what about pancakes?"
	head := instead || swap && !hard && !another && len(content(folded, &said)) > 0 && !startsWith(lead, prepositions())
	own := plain(text)
	sort, compares := Compares(folded)
	if compares {
		own = uncompared(own, folded)
	}
	if len(let) > 0 && !hard {
		own = ""
	}
	if swap && len(said.Types) > 0 && !slices.Equal(said.Types, earlier.Types) {
		earlier.Asked = untyped(earlier.Asked, earlier.Types)
	}
	asked := whole(own, earlier, gone, head)
	next := read(asked)
	next.Asked = asked
	next.settle(kept, gone, said.Constraints, let)
	if compares && said.Sort.By == "" {
		sort.Said = strings.TrimSpace(text)
		next.Sort = sort
	} else if said.Sort.By != "" {
		next.Sort = said.Sort
	} else if next.Sort.By == "" {
		next.Sort = earlier.Sort
	}
	if said.Count > 0 {
		next.Count = said.Count
	} else if next.Count == 0 {
		next.Count = earlier.Count
	}
	if len(next.Types) == 0 {
		next.Types = earlier.Types
	}
	for _, word := range earlier.Soft {
		if !slices.Contains(next.Soft, word) {
			next.Soft = append(next.Soft[:len(next.Soft):len(next.Soft)], word)
		}
	}
	next.Ignored = nil
	return next
}

// Own are the words of a follow-up that say what is wanted in the place of something else: "go" of
// "and for go?".
func Own(text string) []string {
	own := strings.Fields(plain(text))
	for len(own) > 0 && small()[facets.Fold(own[0])] {
		own = own[1:]
	}
	return own
}

// untyped is a question without the words for its types, where others take their place.
func untyped(asked string, types []string) string {
	words := strings.Fields(asked)
	kept := slices.DeleteFunc(words, func(word string) bool {
		return slices.ContainsFunc(compiled().vocabulary[facets.Fold(strings.Trim(word, ",.;:!?"))],
			func(s sense) bool {
				return s.role == roleType && slices.Contains(types, s.arg)
			})
	})
	return strings.Join(kept, " ")
}

// settle brings the constraints that were read of a question made of several together with those
// that were known before: what no longer holds goes, and what no words say comes.
func (u *Understood) settle(kept, gone, said []facets.Constraint, let []facets.Slot) {
	var all []facets.Constraint
	for _, c := range u.Constraints {
		if slices.Contains(let, c.Slot) ||
			slices.ContainsFunc(gone, condition(c).equal) && !slices.ContainsFunc(said, condition(c).equal) {
			continue
		}
		if c.Soft && !c.Not &&
			(slices.ContainsFunc(said, condition(c).firmly) || slices.ContainsFunc(gone, condition(c).inPlaceOf)) {
			c.Soft = false // what it takes the place of left others out, too
		}
		if c.Soft && c.Not &&
			(slices.ContainsFunc(said, condition(c).firmer) || slices.ContainsFunc(kept, condition(c).firmer)) {
			c.Soft = false // as it was when it was said
		}
		if i := slices.IndexFunc(kept, condition(c).equal); i >= 0 {
			c.Source = kept[i].Source
		}
		all = append(all, c)
	}
	for _, c := range slices.Concat(kept, said) {
		if !c.Soft && !slices.Contains(let, c.Slot) && !slices.ContainsFunc(all, condition(c).covers) {
			all = append(all, c)
		}
	}
	u.Constraints = all
}

// condition is a constraint that is compared with others.
type condition facets.Constraint

// firmly says whether another constraint asks for the same and leaves others out.
func (c condition) firmly(d facets.Constraint) bool {
	return !d.Soft && d.Slot == c.Slot && !d.Not && meet(c.Values, d.Values)
}

// firmer says whether another constraint leaves out what this one would rather not have.
func (c condition) firmer(d facets.Constraint) bool {
	return !d.Soft && d.Not && d.Slot == c.Slot && same(c.Values, d.Values)
}

// inPlaceOf says whether a constraint stands where another did that left others out: a place for a
// place.
func (c condition) inPlaceOf(d facets.Constraint) bool {
	return !d.Soft && !d.Not && d.Slot == c.Slot &&
		(c.Slot == facets.Location || c.Slot == facets.Brand || c.Slot == facets.Author) && !same(c.Values, d.Values)
}

// equal says whether two constraints ask for the same.
func (c condition) equal(d facets.Constraint) bool {
	return c.Slot == d.Slot && c.Not == d.Not && c.Allergy == d.Allergy && c.Soft == d.Soft && c.Cheap == d.Cheap &&
		same(c.Values, d.Values) && bound(c.Min) == bound(d.Min) && bound(c.Max) == bound(d.Max) &&
		c.Unit == d.Unit && c.From.Equal(d.From) && c.To.Equal(d.To) && c.Around == d.Around
}

// covers says whether another constraint speaks of the same.
func (c condition) covers(d facets.Constraint) bool {
	return c.Not == d.Not &&
		(c.Slot == d.Slot && !adds[c.Slot] && !c.Not && (c.Min == nil) == (d.Min == nil) || meet(c.Values, d.Values))
}

func bound(f *float64) float64 {
	if f == nil {
		return math.Inf(1)
	}
	return *f
}

// whole words the question that stands by itself: the earlier one without what no longer holds, and
// the follow-up's own words before or behind it, or with what else was said in its place.
func whole(own string, earlier Understood, gone []facets.Constraint, head bool) string {
	base := earlier.Asked
	if head {
		base = ""
		for _, c := range earlier.Constraints {
			if c.Said != "" && !c.Soft && c.Slot != facets.Category && c.Source >= facets.FromEarlier &&
				!slices.ContainsFunc(gone, condition(c).equal) &&
				!strings.Contains(" "+facets.Fold(earlier.Text)+" ", " "+facets.Fold(c.Said)+" ") {
				base += " " + c.Said
			}
		}
	}
	for _, c := range gone {
		base = without(base, c.Said)
	}
	switch folded := " " + facets.Fold(own) + " "; {
	case strings.TrimSpace(folded) == "":
		return tidy(base)
	case head, !startsWith(folded, prepositions()) && !behind(folded) && !isPreposition(strings.Fields(own)[0]):
		return tidy(own + " " + base)
	default:
		return tidy(replaced(base, own) + " " + own)
	}
}

// replaced is a question whose words behind a preposition make room for others behind the same:
// "install on linux" with "on windows".
func replaced(base, own string) string {
	preposition, _, _ := strings.Cut(own, " ")
	at := strings.LastIndex(" "+base, " "+preposition+" ")
	if at < 0 || !replacing()[facets.Fold(preposition)] || strings.Count(base[at+len(preposition):], " ") > 3 {
		return base
	}
	return base[:at]
}

// tidy brings blanks to one each and takes away what a cut left at the ends.
func tidy(text string) string {
	return strings.Trim(strings.Join(strings.Fields(text), " "), " ,;?!.、。？")
}

// without takes words out of a text, whole and once, whatever their case.
func without(text, words string) string {
	at := strings.Index(" "+strings.ToLower(text)+" ", " "+strings.ToLower(words)+" ")
	if words == "" || at < 0 || at+len(words) > len(text) || !strings.EqualFold(text[at:at+len(words)], words) {
		return text
	}
	return text[:at] + text[at+len(words):]
}

// displaces says whether a new constraint takes the place of an earlier one.
func displaces(now, before facets.Constraint, swap bool) bool {
	switch {
	case now.Slot != before.Slot:
		// "with nuts" after "without nuts", whatever slots they were taken for
		return now.Not != before.Not && meet(now.Values, before.Values)
	case now.Cheap != before.Cheap:
		return false // both can hold
	case now.Not != before.Not:
		return len(now.Values) == 0 || meet(now.Values, before.Values)
	case now.Not:
		return false // exclusions add up
	case len(now.Values) > 0 && adds[now.Slot]:
		return swap || same(now.Values, before.Values)
	case now.Min != nil && now.Max == nil && before.Min == nil && before.Max != nil:
		return *now.Min >= *before.Max || now.Unit != before.Unit // else both make a range
	case now.Max != nil && now.Min == nil && before.Max == nil && before.Min != nil:
		return *now.Max <= *before.Min || now.Unit != before.Unit
	}
	return true
}

// adds are slots of which an item can have several values at once.
var adds = map[facets.Slot]bool{facets.Diet: true, facets.Ingredient: true, facets.Mention: true}

func meet(a, b []string) bool {
	return slices.ContainsFunc(a, func(x string) bool {
		return slices.ContainsFunc(b, func(y string) bool { return facets.Fold(x) == facets.Fold(y) })
	})
}

func same(a, b []string) bool { return len(a) == len(b) && (len(a) == 0 || meet(a, b)) }

// isPreposition says whether a word is a preposition by its accent alone, without which it would be
// another: "à".
func isPreposition(word string) bool { return accented()[strings.ToLower(word)] }

// content are the words of a question that say what it is about: those that Read left to search
// for, without those that only tie it to others.
func content(folded string, said *Understood) (words []string) {
	for _, word := range strings.Fields(facets.Fold(said.Text)) {
		if !ties()[word] && !small()[word] && !comparing(word, folded) {
			words = append(words, word)
		}
	}
	return words
}

// covered says whether a question says nothing but conditions, an order or a number: no word of it
// is left that could be what they are about.
func covered(folded string, said *Understood) bool {
	told := " "
	for _, c := range said.Constraints {
		told += facets.Fold(c.Said) + " "
	}
	told += facets.Fold(said.Sort.Said) + " "
	for _, word := range strings.Fields(folded) {
		switch {
		case ties()[word], small()[word], fillers()[word], comparing(word, folded),
			strings.Contains(told, " "+word+" "):
		case len(letGo(folded)) > 0, said.Count > 0 && (strings.Trim(word, "0123456789") == "" ||
			len(said.Constraints) == 0 && said.Sort.By == "" && len(strings.Fields(folded)) == 1):
		default:
			return false
		}
	}
	return true
}

// within says whether all words were said before.
func within(words []string, earlier *Understood) bool {
	have := " " + facets.Fold(earlier.Asked) + " "
	return !slices.ContainsFunc(words, func(word string) bool {
		return !strings.Contains(have, " "+word+" ") &&
			!strings.Contains(have, " "+strings.TrimSuffix(word, "s")+" ") && !strings.Contains(have, " "+word+"s ")
	})
}

// stands says whether a question has a word that stands for what was spoken of before.
func stands(words []string) bool {
	if len(words) > 9 {
		return false
	}
	for i, word := range words {
		if standIns()[word] || lastStandIns()[word] && i == len(words)-1 {
			return true
		}
	}
	return slices.ContainsFunc(words, func(word string) bool {
		return slices.ContainsFunc(particles(), func(cue string) bool { return strings.Contains(word, cue) })
	})
}

// trimLead takes the first of some phrases off the beginning of a folded text.
func trimLead(folded string, phrases []string) (rest string, ok bool) {
	for _, phrase := range phrases {
		if after, ok := strings.CutPrefix(folded, " "+phrase+" "); ok {
			return " " + after, true
		}
	}
	return folded, false
}

func startsWith(folded string, phrases []string) bool {
	_, ok := trimLead(folded, phrases)
	return ok
}

// swaps says whether a question puts something in the place of something else.
func swaps(folded string) bool {
	return startsWith(folded, swapLeads()) ||
		slices.ContainsFunc(swapWords(), func(word string) bool { return strings.Contains(folded, " "+word+" ") })
}

// behind says whether words belong behind what they are about: those that name a figure.
func behind(folded string) bool {
	return folded[1] >= '0' && folded[1] <= '9' ||
		slices.ContainsFunc(behindThan(), func(word string) bool { return strings.Contains(folded, " "+word+" ") })
}

// unended is a question about what was spoken of without what ends it where words have no blanks
// between: "赤い" of "赤いのはどれ？".
func unended(text string) (thing string, ends bool) {
	text = strings.TrimRight(text, "?？。 ")
	for _, ending := range endings() {
		if thing, ends = strings.CutSuffix(text, ending); ends {
			return thing, true
		}
	}
	return text, false
}

// plain is a follow-up without the words that only tie it to what came before: "high protein" of
// "and high protein ones?".
func plain(text string) string {
	if thing, ends := unended(text); ends {
		text = thing
	}
	words := strings.Fields(text)
	fold := func(from, to int) string { return " " + facets.Fold(strings.Join(words[from:to], " ")) + " " }
	for len(words) > 0 {
		cut := 0
		for n := min(5, len(words)); n > 0 && cut == 0; n-- {
			if slices.Contains(followLeads(), strings.TrimSpace(fold(0, n))) {
				cut = n
			}
		}
		if cut == 0 {
			break
		}
		words = words[cut:]
	}
	for len(words) > 0 && ties()[facets.Fold(words[0])] && !isPreposition(words[0]) {
		words = words[1:]
	}
	for n := len(words) - 1; n >= 0 && (ties()[facets.Fold(words[n])] || lastStandIns()[facets.Fold(words[n])]); n-- {
		words = words[:n]
	}
	kept := words[:0:0]
	for _, word := range words {
		if folded := facets.Fold(word); !standIns()[folded] && !asides()[folded] {
			kept = append(kept, word)
		}
	}
	return tidy(strings.Join(kept, " "))
}

// Compares gives the order that a comparing word of a folded text, between blanks, wishes for:
// "cheaper", "with more protein".
func Compares(folded string) (facets.Sort, bool) {
	for _, c := range comparisons() {
		if _, after, ok := strings.Cut(folded, c.words); ok && !startsWith(" "+after, than()) {
			return c.order, true
		}
	}
	return facets.Sort{}, false
}

// uncompared are words without those of a comparison: what they wish for is an order, which is told
// apart.
func uncompared(own, folded string) string {
	var kept []string
	says := false
	for _, word := range strings.Fields(own) {
		if f := facets.Fold(word); !comparing(f, folded) {
			kept = append(kept, word)
			says = says || !small()[f] && !ties()[f]
		}
	}
	if !says {
		return ""
	}
	return strings.Join(kept, " ")
}

// comparing says whether a word is part of the comparison in a text.
func comparing(word, folded string) bool {
	for _, c := range comparisons() {
		if _, after, ok := strings.Cut(folded, c.words); ok && strings.Contains(c.words, " "+word+" ") &&
			!startsWith(" "+after, than()) {
			return true
		}
	}
	return false
}

// letGo are the slots of which a question says that they no longer matter: "any colour", "the price
// doesn't matter".
func letGo(folded string) (slots []facets.Slot) {
	for slot, said := range releases() {
		for _, text := range said {
			if strings.Contains(folded, text) {
				slots = append(slots, slot)
			}
		}
	}
	return slots
}

// trimFillers takes away the words with which people are polite.
func trimFillers(folded string) string {
	words := strings.Fields(folded)
	kept := words[:0]
	for _, word := range words {
		if !fillers()[word] {
			kept = append(kept, word)
		}
	}
	return strings.Join(kept, " ")
}

// Remind adds what is known beside a question: conditions that hold unless the question says
// otherwise, and words that raise items. A question for a detail or a comparison has its items
// already, and is left alone.
func (u *Understood) Remind(known []facets.Constraint, soft []string) {
	if u.Intent != List {
		return
	}
	own := slices.Clone(u.Constraints)
	for _, c := range known {
		displaced := slices.ContainsFunc(own, func(now facets.Constraint) bool { return displaces(now, c, false) })
		if !displaced && !slices.ContainsFunc(u.Constraints, func(have facets.Constraint) bool {
			return have.Slot == c.Slot && have.Not == c.Not && same(have.Values, c.Values) && len(c.Values) > 0
		}) {
			u.Constraints = append(u.Constraints, c)
		}
	}
	for _, word := range soft {
		if !slices.Contains(u.Soft, word) {
			u.Soft = append(u.Soft, word)
		}
	}
}

// Replaces says whether a condition speaks of the same as one that was wanted before: women's after
// men's.
func (u *Understood) Replaces(before *Understood) bool {
	return slices.ContainsFunc(u.Constraints, func(c facets.Constraint) bool {
		return slices.ContainsFunc(before.Constraints, func(b facets.Constraint) bool {
			return b.Slot == c.Slot && !b.Not && b.Slot != facets.Category
		})
	})
}

// OfWhom says whether conditions say of nothing but whom something is for.
func (u *Understood) OfWhom() bool {
	return !slices.ContainsFunc(u.Constraints, func(c facets.Constraint) bool {
		return c.Slot != facets.Audience && c.Slot != facets.Age && c.Slot != facets.Yield && c.Slot != facets.Category
	})
}
