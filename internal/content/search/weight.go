package search

import (
	"math"
	"slices"

	"frontdesk/internal/content/vector/words"
)

// The weights of a question's words are whole numbers that add up to this at most, so that sums of
// weighted impacts are exact and do not depend on the order of adding. A unit that has every form
// of every word stays within 32 bits, boosts included.
const fullWeight = 1 << 14

// negatedShare is what is left of the weight of a word that the question does not want ("belt
// without buckle"): documents name such a thing whether or not they have it.
const negatedShare = 0.5

// vagueMost bounds the weight of a vague word: it counts no more than a word that every fifth item
// has, however rare it is, so that "a gift for a tea lover" is about tea. Where such a word is a
// common subject ("how are options priced"), it keeps its weight.
const vagueMost = 1.5

// How rare a word is in everyday speech counts beside how rare it is among the items, the more the
// fewer they are: among a hundred of them, that none has a word tells little of it. A word that the
// question says again counts more, but not as often.
const (
	tellingUnits = 1000 // among which rarity in speech counts half
	repeated     = 8    // times that bring a word to half of what it can come to
)

// How much a word surprises in everyday speech, as the negative logarithm of its share of it, from
// where it begins to tell anything on to where it tells all.
const (
	commonSurprise = 8
	rareSurprise   = 14
	leastRarity    = 0.05
)

// rarity says how rare a word is in everyday speech, from near 0 for those of every second sentence
// to 1 for those that few people say. Speech is that of all our languages, since a question does
// not say in which it is.
func rarity(word string) float64 {
	surprise := words.Surprise(word)
	return min(1, max(leastRarity, (surprise-commonSurprise)/(rareSurprise-commonSurprise)))
}

// weigh gives each group its share of the full weight. A word that no document has weighs most: the
// question could have scored with it.
func (a *asking) weigh() {
	units := float64(a.snapshot.census.Units)
	total := 0.0
	for i := range a.groups {
		g := &a.groups[i]
		g.idf = math.Log(1 + (units-float64(g.df)+0.5)/(float64(g.df)+0.5))
		g.idf *= math.Pow(g.rarity, tellingUnits/(tellingUnits+units)) * (repeated + 1) * g.said / (repeated + g.said)
		if g.negated {
			g.idf *= negatedShare
		}
		if g.vague {
			g.idf = min(g.idf, vagueMost)
		}
		total += g.idf
	}
	for i := range a.groups {
		g := &a.groups[i]
		g.weight = max(1, uint32(fullWeight*(g.idf/total)))
	}
	subject := slices.IndexFunc(a.groups, func(g group) bool { return !g.aside && !g.vague }) >= 0
	for i := range a.groups {
		g := &a.groups[i]
		g.tells = !g.aside && !(g.vague && subject)
	}
	a.own = len(a.groups)
	a.lookup.place(a.groups)
	for i := 1; i < len(a.sequence); i++ {
		a.addPair(a.sequence[i-1], a.sequence[i])
	}
}
