package query

import (
	"slices"
	"strings"

	"frontdesk/internal/content/facets"
)

// stated says whether items state an attribute: one alone may have been read amiss.
func (r *reader) stated(slot facets.Slot) bool {
	known, ok := r.at.Lexicon.Slot(string(facets.Stated(slot)))
	return ok && known.Count > 1
}

// rarelyDeclared says whether among many items most that state an attribute do so in their words
// alone, and not by a property: words tell of some that they have a value, and of few that they
// have none.
func (r *reader) rarelyDeclared(slot facets.Slot) bool {
	known, _ := r.at.Lexicon.Slot(string(facets.Stated(slot)))
	return r.at.Lexicon.Items() >= fewItems && 2*r.at.Lexicon.Declaring(slot) < known.Count
}

// readDeniedTraits reads the values that are said with a negation of their own, before that is read
// as one of something else: "no electricity", "not waterproof", "allergic to dogs".
func (r *reader) readDeniedTraits() {
	for i := range r.tokens {
		said, n := r.traitAt(i)
		own := slices.ContainsFunc(said, func(t facets.Trait) bool { return t.Value == "no" })
		for k := i; k < i+n && n > 1; k++ {
			own = own || facets.Denies(r.word(k)) || !facets.IsBorne([]string{r.word(k)})
		}
		if own {
			r.trait(said, i, n)
		}
	}
}

// traitAt finds the longest phrase at i that says values, and how many tokens it has.
func (r *reader) traitAt(i int) (said []facets.Trait, n int) {
	for n = min(facets.TraitWords(r.word(i)), len(r.tokens)-i); n > 0; n-- {
		if !r.together(i, i+n) || n == 1 && r.functional(i) {
			continue
		}
		if said = facets.TraitsAt(r.phrase(i, i+n), r.worded); len(said) > 0 {
			return said, n
		}
	}
	return nil, 0
}

// readTrait reads the value of an attribute at i, and how many tokens it took. Its words are not
// searched for: what items state in other words is meant as well. Words that the catalog has as a
// part of a name are left alone, and so are those that are denied, which others read.
func (r *reader) readTrait(i int) int {
	if n := r.readSize(i); n > 0 {
		return n
	}
	if said, n := r.traitAt(i); n > 0 {
		return r.trait(said, i, n)
	}
	if i < len(r.tokens) && !r.tokens[i].used {
		if said := facets.CompoundTraits(r.word(i), r.worded); len(said) > 0 && r.trait(said, i, 1) > 0 {
			r.free(i, 1) // the rest of it says what is wanted
			return 1
		}
	}
	return 0
}

// trait takes the values that the n tokens at i say.
func (r *reader) trait(said []facets.Trait, i, n int) int {
	bySlot := map[facets.Slot][]string{}
	for _, t := range said {
		bySlot[t.Slot] = append(bySlot[t.Slot], t.Value)
	}
	taken := false
	for _, t := range said {
		values := bySlot[t.Slot]
		delete(bySlot, t.Slot)
		if len(values) == 0 || slices.Contains(values, "") || !r.stated(t.Slot) || r.deniedTrait(i, n) ||
			r.named(i, n) {
			continue
		}
		if taken {
			r.free(i, n)
		}
		switch c := (facets.Constraint{Slot: t.Slot, Values: values}); {
		case r.another(t.Slot, values, i, n):
		case values[0] != "no" && r.rarelyDeclared(t.Slot):
			r.prefer(c, i, i+n)
		default:
			r.add(c, i, i+n)
		}
		taken = true
	}
	if !taken {
		return 0
	}
	for k := i; k < i+n; k++ {
		r.beside = append(r.beside, k)
	}
	return n
}

// free lets tokens say one more thing.
func (r *reader) free(i, n int) {
	for k := i; k < i+n; k++ {
		r.tokens[k].used = false
	}
}

// another takes values for more of what the condition before says: "red or blue", "men and women".
func (r *reader) another(slot facets.Slot, values []string, i, n int) bool {
	k := i - 1
	if k < 1 || !r.has(k, roleOr) && !r.has(k, roleAnd) && !r.tokens[i].comma {
		return false
	}
	if r.tokens[i].comma {
		k = i
	}
	for at := range r.out.Constraints {
		c := &r.out.Constraints[at]
		if at >= len(r.spans) || r.spans[at].to != k || c.Slot != slot || c.Not || c.Soft {
			continue
		}
		c.Values = append(slices.Clip(c.Values), values...)
		c.Said = r.said(r.spans[at].from, i+n)
		r.spans[at].to = i + n
		r.use(k, i+n)
		return true
	}
	return false
}

// deniedTrait says whether the n tokens at i tell what is not wanted: a negation before them in
// their clause that they do not have themselves, "free" behind them, or something that is not
// borne.
func (r *reader) deniedTrait(i, n int) bool {
	if facets.Frees(r.word(i + n)) {
		return true
	}
	for k := i - 1; k >= 0 && k >= i-denialReach; k-- {
		if r.tokens[k+1].stop || r.tokens[k+1].comma {
			break
		}
		if facets.Denies(r.word(k)) {
			return true
		}
		if _, n := r.match(k, roleNot); n > 0 && k+n <= i {
			return true
		}
	}
	for k := range r.tokens {
		if (k < i || k >= i+n) && !facets.IsBorne([]string{r.word(k)}) {
			return true
		}
	}
	return false
}

// denialReach is how many tokens before a value a negation counts.
const denialReach = 4

// readSize reads a size at i: behind a word for sizes, or one that is nothing else ("XXL").
func (r *reader) readSize(i int) int {
	if i >= len(r.tokens) || r.tokens[i].used || !r.stated(facets.Size) {
		return 0
	}
	n := 0
	if facets.LeadsToSize(r.word(i)) {
		n = 1
	}
	if i+n >= len(r.tokens) || !r.together(i, i+n+1) {
		return 0
	}
	sizes := facets.TraitValues(facets.Size, r.said(i+n, i+n+1))
	if len(sizes) != 1 || n == 0 && !strings.HasSuffix(sizes[0], "xl") && !strings.HasSuffix(sizes[0], "xs") ||
		r.deniedTrait(i, n+1) {
		return 0
	}
	if sizes[0] == "xl" && n == 0 && r.tokens[i].number {
		return 0
	}
	r.add(facets.Constraint{Slot: facets.Size, Values: sizes}, i, i+n+1)
	return n + 1
}
