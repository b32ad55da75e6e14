package search

import "math"

// The best candidates are looked at again in their text: words that follow each other in the
// question and do so in the item lift it a little. It never lowers a score, so that the order stays
// right where the looking ends.
const (
	compared   = 50   // candidates whose meaning is compared with the question's
	alikeShare = 1.5  // what those gain that mean just the same, of their score,
	alikeUnits = 1500 // or half of that among so many units,
	alikeWords = 4    // for a question of so many words of equal weight; one word alone says little of what is meant
	rescored   = 10   // candidates that are looked at
	titleShare = 0.05 // what a pair in the title adds, of the smaller weight of its words
	bodyShare  = 0.05 // what a pair elsewhere adds at most
	nearWords  = 2    // how far the second word of a pair may stand from the first: "made in usa" is a pair
	leadWords  = 32   // words of a unit among which pairs are looked for: mostly its title
	maxCount   = 7    // occurrences of a pair that count
)

// rescore lifts the best candidates and orders them anew.
func (a *asking) rescore() {
	if len(a.pairs) == 0 {
		return
	}
	best := a.found[:min(len(a.found), rescored)]
	for i := range best {
		lift := a.lift(best[i])
		best[i].Lift += int32(lift)
		best[i].Score += lift
		for j := i; j > 0 && a.matcher.Better(best[j], best[j-1]); j-- {
			best[j], best[j-1] = best[j-1], best[j]
		}
	}
}

// compare lifts the candidates that mean what the question does, the more the fewer items there
// are: among many, words tell them apart better than what they mean.
func (a *asking) compare() {
	if a.meant == nil || a.literal || len(a.found) == 0 {
		return
	}
	telling := min(1, math.Log(a.effectiveWords())/math.Log(alikeWords)) // how much a question of so many words tells
	unit := alikeShare * telling * alikeUnits / (alikeUnits + float64(a.snapshot.census.Units))
	best := a.found[:min(len(a.found), compared)]
	for i := range best {
		lift := int32(unit * a.alike(best[i]) * float64(best[i].Score))
		best[i].Lift += lift
		best[i].Score += uint32(lift)
		for j := i; j > 0 && a.matcher.Better(best[j], best[j-1]); j-- {
			best[j], best[j-1] = best[j-1], best[j]
		}
	}
}
