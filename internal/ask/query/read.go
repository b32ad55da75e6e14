package query

import (
	"slices"
	"strings"
	"time"

	"frontdesk/internal/ask/refusals"
	"frontdesk/internal/content/facets"
)

// Asking is what a question is read with beside its words.
type Asking struct {
	// Lexicon is what the catalog taught; nil when it taught nothing.
	Lexicon *facets.Lexicon
	// IsA says whether a schema.org type is another or a subtype of it.
	IsA func(typ, ancestor string) bool
	// Now is when the question is asked, at the place whose days count.
	Now time.Time
	// Languages are the languages that whoever asks prefers, the best first. They decide when the
	// words do not.
	Languages []string
	// Types are the types that are wanted already; those that the words name do not count then.
	Types []string
	// Literal says that the question is for a list of items, whatever form it has.
	Literal bool
	// Has says whether an item has a word; what none has may be a slip of the hand. Nil reads all
	// words as they stand.
	Has func(word string) bool
	// Met says whether an item meets a condition; nil where that is not known.
	Met func(*facets.Constraint) bool
}

// Read understands the words of a question. It takes time in proportion to their number, and the
// same question gives the same result.
func Read(text string, at Asking) Understood {
	var mended []Correction
	if at.Has != nil {
		text, mended = mend(text, &at)
	}
	u := Understood{Text: text, Asked: text, Types: at.Types, Corrections: mended}
	r := &reader{line: split(text), at: at, out: &u}
	if at.IsA == nil {
		r.at.IsA = func(typ, ancestor string) bool { return typ == ancestor }
	}
	r.guessTongue()
	if !at.Literal && r.readIntent() {
		return u
	}
	if r.readWithin() {
		return u
	}
	r.readRefusals()
	r.readYears()
	r.readProperties()
	r.readDistances()
	r.readTypes()
	r.readKinds()
	r.readWork()
	if r.worded = facets.LanguagesOf(r.folded); r.worded != 0 && r.best >= 0 {
		r.worded |= facets.LanguageNamed(tongues[r.best]) // of few words, which may be of several languages
	}
	r.readDeniedTraits()
	opening := r.readBygone()
	for i := 0; i < len(r.tokens); i++ {
		if !r.tokens[i].used {
			r.readAt(i)
		}
	}
	if opening > 0 && slices.ContainsFunc(r.out.Constraints,
		func(c facets.Constraint) bool { return !c.From.IsZero() || !c.To.IsZero() }) {
		r.use(0, opening)
	}
	r.readCount()
	r.implied()
	r.readWords()
	r.paid()
	r.readBroad()
	r.settleText()
	return u
}

// reader reads one question.
type reader struct {
	*line
	at       Asking
	tongues  uint32 // the languages whose words count
	best     int    // the one among them that the question seems to be in, an index of tongues
	out      *Understood
	kept     []int           // tokens that are used and stay in the text searched for
	beside   []int           // those that are used and stand beside it
	accepted []refusals.Span // tokens that look like a refusal and say none
	unnamed  []refusals.Span // words before names that are not wanted
	around   []refusals.Span // words that ask for nothing where something is not wanted
	spans    []span          // of the tokens, by constraint

	wish   facets.Sort // the order that was read, before it was brought to what items say
	bygone bool        // the question is for what has been
	food   bool        // something was said that only food is said of
	force  facets.Slot // the slot that everything read belongs to; empty for any
	barely bool        // what was read of it is a figure without a bound

	worded facets.Languages // those that the words of attributes count in
}

// salary is the slot of what a job pays.
const salary facets.Slot = "baseSalary"

// paid makes the money of a question for jobs what they pay.
func (r *reader) paid() {
	if !r.wanted("JobPosting") {
		return
	}
	for i := range r.out.Constraints {
		if r.out.Constraints[i].Slot == facets.Price {
			r.out.Constraints[i].Slot = salary
		}
	}
	if r.out.Sort.By == facets.Price {
		r.out.Sort.By = salary
	}
}

// guessTongue settles in which language the question is. Words of English are understood within
// others, too, unless they are common words there.
func (r *reader) guessTongue() {
	score := r.speech()
	r.best = -1
	for _, language := range r.at.Languages {
		if t := slices.Index(tongues, strings.ToLower(language[:min(2, len(language))])); t >= 0 && score[t] > 0 {
			score[t]++ // what is preferred decides between equals
			break
		}
	}
	for t := range score {
		if score[t] > 0 && (r.best < 0 || score[t] > score[r.best]) {
			r.best = t
		}
	}
	switch {
	case r.best < 0:
		r.tongues = ^uint32(0)
	default:
		r.tongues = 1<<r.best | 1<<english
	}
}

// speech gives by how much the words of a question speak for each language.
func (l *line) speech() []int {
	score := make([]int, len(tongues))
	for i := range l.tokens {
		word := l.word(i)
		if len(word) == 1 && i+1 < len(l.tokens) && l.tokens[i+1].glued { // "e-bikes"
			continue
		}
		for t, words := range compiled().functionWords {
			if words[word] {
				score[t] += 2
			}
		}
		for n := min(compiled().beginnings[word], len(l.tokens)-i); n > 0; n-- {
			var in uint32
			for _, s := range compiled().vocabulary[l.phrase(i, i+n)] {
				in |= s.tongues
			}
			for t := range score {
				if in&(1<<t) != 0 {
					score[t]++
					if in == 1<<t {
						score[t]++
					}
				}
			}
		}
	}
	return score
}

// counts says whether a sense counts for a phrase in the languages of the question.
func (r *reader) counts(s sense, phrase string) bool {
	switch {
	case s.tongues&r.tongues == 0:
		return false
	case r.best > 0 && s.tongues&(1<<r.best) == 0:
		return !compiled().functionWords[r.best][phrase]
	}
	return true
}

// match finds the longest phrase at i that has a role, and how many tokens it has; 0 when there is
// none.
func (r *reader) match(i int, want role) (found sense, n int) {
	r.phrases(i, func(s sense, length int) bool {
		if s.role != want {
			return true
		}
		found, n = s, length
		return false
	})
	return found, n
}

// phrases gives the senses of the phrases at i, those of the longest first, until yield returns
// false.
func (r *reader) phrases(i int, yield func(s sense, n int) bool) {
	if i >= len(r.tokens) {
		return
	}
	words := compiled()
	most := min(words.beginnings[r.word(i)], len(r.tokens)-i)
	for n := most; n > 0; n-- {
		if !r.together(i, i+n) {
			continue
		}
		phrase := r.phrase(i, i+n)
		for _, s := range words.vocabulary[phrase] {
			if r.counts(s, phrase) && !yield(s, n) {
				return
			}
		}
	}
}

// together says whether nothing ends a clause between the tokens from i to before j, and none is
// used.
func (r *reader) together(i, j int) bool {
	for k := i; k < j; k++ {
		if r.tokens[k].used || k > i && (r.tokens[k].comma || r.tokens[k].stop) {
			return false
		}
	}
	return true
}

// has says whether a phrase at i has a role.
func (r *reader) has(i int, want role) bool {
	_, n := r.match(i, want)
	return n > 0
}

// functional says whether the word at i is a function word of the question's language.
func (r *reader) functional(i int) bool {
	return compiled().functionWords[max(r.best, 0)][r.word(i)]
}

// readAt tries each kind of condition at i.
func (r *reader) readAt(i int) {
	for _, try := range []func(*reader, int) bool{
		(*reader).readSort, (*reader).readAge, (*reader).readClock, (*reader).readTime, (*reader).readGone,
		(*reader).readBound, (*reader).readServes, (*reader).readDiet, (*reader).readGratis, (*reader).readWithout,
		(*reader).readNutrient, (*reader).readSoft, (*reader).readMark,
	} {
		if try(r, i) {
			return
		}
	}
}

// add takes a constraint that the tokens from i to before j say.
func (r *reader) add(c facets.Constraint, i, j int) {
	c.Source = facets.FromText
	c.Said = r.said(i, j)
	if r.preferred(i) && c.Slot != facets.Ingredient {
		c.Soft = true
	}
	for len(r.spans) < len(r.out.Constraints) {
		r.spans = append(r.spans, span{})
	}
	r.use(i, j)
	if slices.ContainsFunc(r.out.Constraints, condition(c).equal) {
		return // it is said once more
	}
	r.out.Constraints = append(r.out.Constraints, c)
	r.spans = append(r.spans, span{i, j})
}

// preferred says whether what begins at i is a preference by its own words: "preferably under $50".
// They are used then.
func (r *reader) preferred(i int) bool {
	for k := max(0, i-4); k < i; k++ {
		if _, n := r.match(k, roleRather); n > 0 && k+n == i {
			r.use(k, i)
			return true
		}
	}
	return false
}

// prefer is add for a wish that raises items and leaves none out; its words are searched for, too.
func (r *reader) prefer(c facets.Constraint, i, j int) {
	c.Soft = true
	r.add(c, i, j)
	for ; i < j; i++ {
		r.kept = append(r.kept, i)
	}
}

// known says whether items say anything in a slot.
func (r *reader) known(slot facets.Slot) bool {
	if r.force != "" {
		return true
	}
	if slot == facets.Price && r.wanted("JobPosting") {
		slot = salary
	}
	_, ok := r.at.Lexicon.Slot(string(slot))
	return ok
}

// wanted says whether what is wanted is of a type, by what the question says of it.
func (r *reader) wanted(types ...string) bool {
	return slices.ContainsFunc(r.out.Types, func(t string) bool {
		return slices.ContainsFunc(types, func(ancestor string) bool { return r.at.IsA(t, ancestor) })
	})
}

// only says whether what is wanted is of a type as far as can be told: by the question, or since
// there is nothing else.
func (r *reader) only(typ string) bool {
	if len(r.out.Types) > 0 {
		return r.wanted(typ)
	}
	types := r.at.Lexicon.Types()
	for t := range types {
		if !r.at.IsA(t, typ) {
			return false
		}
	}
	return len(types) > 0
}

// have counts the items of a type in the catalog.
func (r *reader) have(typ string) (n int) {
	for t, count := range r.at.Lexicon.Types() {
		if r.at.IsA(t, typ) {
			n += count
		}
	}
	return n
}

// settleText makes the text that is searched for: the words that became nothing else. Words that
// only joined what was understood to the rest go with it, and so do words that mean nothing; where
// nothing but such words is left, nothing is searched for.
func (r *reader) settleText() {
	u := r.out
	firm := slices.ContainsFunc(u.Constraints, func(c facets.Constraint) bool { return !c.Soft }) ||
		len(u.Types) > len(r.at.Types) || u.Sort.By != "" || u.Count > 0
	kept := r.kept
	for i := range r.tokens {
		if r.tokens[i].used && !slices.Contains(kept, i) {
			r.absorb(i)
		}
	}
	for _, i := range kept {
		r.tokens[i].used = false
	}
	said := slices.ContainsFunc(r.tokens, func(t token) bool { return t.used })
	if said && !firm {
		u.Text = r.rest()
	}
	empty := true
	for i := 0; i < len(r.tokens); {
		n := r.idle(i)
		if n > 0 {
			r.use(i, i+n)
			i += n
			continue
		}
		if !r.tokens[i].used && !r.functional(i) && !slices.Contains(kept, i) && !r.has(i, roleGlue) &&
			!r.has(i, roleAnd) && !r.has(i, roleOr) {
			empty = false
		}
		i++
	}
	lean := ""
	if !empty || said && len(kept) > 0 && (!r.sorted(kept) || r.at.Lexicon.Items() >= fewItems) {
		lean = r.rest()
	}
	if empty && !said {
		lean = u.Text
	}
	u.lean = lean
	if !firm && empty && r.onlyColors() {
		u.Text = "" // "something red"
	}
	if firm && (said || lean == "") {
		u.Text = lean
	}
	u.Beside = r.besides()
}

// onlyColors says whether a question is for whatever there is in a colour.
func (r *reader) onlyColors() bool {
	colors := len(r.out.Constraints) > 0 && !slices.ContainsFunc(r.out.Constraints, func(c facets.Constraint) bool {
		return c.Slot != facets.Color || c.Not
	})
	for i := 0; colors && i < len(r.tokens); i++ {
		if r.has(i, roleThing) || r.tokens[i].used &&
			slices.ContainsFunc(compiled().vocabulary[r.word(i)], func(s sense) bool { return s.role == roleThing }) {
			return true
		}
	}
	return false
}

// besides is the text that is searched for with the words that stand beside it.
func (r *reader) besides() string {
	if len(r.beside) == 0 || r.out.Text == "" {
		return ""
	}
	for _, i := range r.beside {
		r.tokens[i].used = false
	}
	return r.rest()
}

// sorted says whether what was kept of the text means nothing more to a search, since conditions
// say it.
func (r *reader) sorted(kept []int) bool {
	return !slices.ContainsFunc(r.out.Constraints, func(c facets.Constraint) bool { return c.Slot == facets.Mention })
}

// idle gives how many tokens at i mean nothing to a search: "something", "show me".
func (r *reader) idle(i int) (n int) {
	for _, role := range []role{roleThing, roleCourtesy} {
		if _, m := r.match(i, role); m > n {
			n = m
		}
	}
	if n == 1 && r.functional(i) {
		return 0 // a part of what stands around it
	}
	return n
}

// absorb takes the words before token i that only lead to it: "that are", "costing".
func (r *reader) absorb(i int) {
	for k := i - 1; k >= 0 && !r.tokens[k].used && r.tokens[k].fend-r.tokens[k].fstart < 12; k-- {
		if r.tokens[k+1].stop {
			return
		}
		if s, n := r.match(k, roleGlue); n != 1 || s.role != roleGlue {
			return
		}
		r.tokens[k].used = true
	}
}
