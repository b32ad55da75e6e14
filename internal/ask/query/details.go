package query

import (
	"strings"

	"frontdesk/internal/content/facets"
	"frontdesk/internal/content/taxonomy"
)

// detailNouns are words for what items say of themselves, folded, as questions for a detail of one item name it in any of our
// languages. Words that mean much else are not among them.
var detailNouns = slotsOf("detail")

var (
	// askers stand before such a noun, and say that it is asked for.
	askers = everywhere("detail.asker")
	// ofWords lead from the noun to the item.
	ofWords = everywhere("detail.of")
	// hasWords do, too, where words before the noun ask.
	hasWords = everywhere("detail.has")
	// lastWords may end the question behind the item.
	lastWords = everywhere("detail.last")
)

// readNoun reads a question that names a detail and the item: "ingredients of X", "what rating has X", "wie viele Kalorien hat X".
func (r *reader) readNoun(from, last int) bool {
	i := from
	for i < last && i < from+6 && askers[r.word(i)] && r.nounAt(i, last) == 0 {
		i++
	}
	n := r.nounAt(i, last)
	if n == 0 {
		return false
	}
	slot, k := detailNouns[r.phrase(i, i+n)], i+n
	linked := false
	for k < last && k < i+n+4 && !r.tokens[k].stop && !r.tokens[k].comma {
		word := r.word(k)
		if ofWords[word] || i > from && hasWords[word] {
			linked, k = true, k+1
			continue
		}
		break
	}
	if !linked || k >= last {
		return false
	}
	end := last
	for end > k+1 && lastWords[r.word(end-1)] {
		end--
	}
	name := r.name(k, end)
	return r.isName(name, k) && r.tell(name, slot, "")
}

// nounAt says how many tokens at i name a detail; 0 when they name none.
func (r *reader) nounAt(i, last int) int {
	if _, n := longestAt(r.line, i, detailNouns); i+n <= last && r.together(i, i+n) {
		return n
	}
	return 0
}

// predicates are what can be asked of an item beside diets: "is X free", "is X remote". Each has the slot that answers and what
// is supposed of it.
func (r *reader) predicate(i, last int) (slot facets.Slot, supposed string, ok bool) {
	phrase := r.phrase(i, last)
	if name, is := facets.EmploymentOf(phrase); is {
		return facets.Employment, name, true
	}
	if facets.IsRemote(phrase) {
		return facets.Workplace, facets.Remote, true
	}
	if _, n := r.match(i, roleGratis); n > 0 && i+n == last || r.freeBehind(i) && last == i+1 && !r.without(i) {
		return facets.Price, "free", true
	}
	if s, n := r.match(i, roleDiet); n > 0 && i+n == last {
		return facets.Diet, s.arg, true
	}
	for _, role := range []role{roleStock, roleOut} {
		if _, n := r.match(i, role); n > 0 && i+n == last {
			return facets.Availability, "", true
		}
	}
	return "", "", false
}

// without says whether "free" at i tells what something is without: "BPA free".
func (r *reader) without(i int) bool {
	word := r.word(i - 1)
	_, class := taxonomy.Named(word)
	_, diet := facets.DietOf(word + " free")
	return class || diet || freedoms[word] || r.tokens[i].glued && r.tokens[i].dash
}

// copulas are the words between an item and what is asked of it where the item stands first: "X est-il végan", "X es vegano".
var copulas = everywhere("detail.copula")

// copulaPronouns may stand behind them.
var copulaPronouns = everywhere("detail.copulabehind")

// readStated reads a question that is worded like a statement and ends in what is asked of an item: "X est-il végan ?".
func (r *reader) readStated(from, last int) bool {
	if !strings.ContainsAny(r.text, "?？") {
		return false
	}
	for i := from + 1; i+1 < last; i++ {
		if !copulas[r.word(i)] {
			continue
		}
		k := i + 1
		for k < last && copulaPronouns[r.word(k)] {
			k++
		}
		if k >= last || relatives[r.word(i-1)] {
			return false
		}
		if slot, supposed, ok := r.predicate(k, last); ok {
			name := r.name(from, i)
			return r.isName(name, from) && !r.has(r.unarticled(from), roleCourtesy) && r.tell(name, slot, supposed)
		}
	}
	return false
}

// relatives are words behind which a predicate is a wish: "a cake that is vegan".
var relatives = everywhere("detail.relative")
