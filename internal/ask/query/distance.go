package query

import (
	"slices"

	"frontdesk/internal/content/facets"
)

// nearbyKilometres is how far away is still near, when nothing else is said.
const nearbyKilometres = 25

// Words of distances, folded.
var (
	// nearby are the words before a place that do not mean that something is in it.
	nearby = foldedSet("near", "near to", "near the", "nearby", "close to", "close to the", "around", "around the", "next to", "not far from", "nahe", "in der nähe von", "nahe bei", "rund um", "um",
		"près de", "autour de", "aux alentours de", "proche de", "du côté de", "cerca de", "cerca del", "alrededor de", "junto a", "perto de", "perto do", "perto da", "próximo a", "ao redor de")
	// distanceLinks stand between a distance and the place that it is from.
	distanceLinks = foldedSet("of", "from", "around", "to", "um", "von", "de", "du", "d", "del", "da", "do", "autour", "alrededor")
	// distanceLeads stand before a distance.
	distanceLeads = []string{"not more than", "no more than", "less than", "at most", "up to", "within", "under", "in a radius of", "im umkreis von", "umkreis von", "umkreis", "höchstens", "weniger als", "bis zu",
		"innerhalb von", "dans un rayon de", "rayon de", "à moins de", "moins de", "a menos de", "menos de", "en un radio de", "radio de", "num raio de", "raio de", "até", "hasta"}
	// kilometres are units of distance, in kilometres.
	kilometres = map[string]float64{
		"km": 1, "kms": 1, "kilometer": 1, "kilometers": 1, "kilometre": 1, "kilometres": 1, "kilometern": 1, "kilometros": 1, "quilometros": 1,
		"mi": 1.609344, "mile": 1.609344, "miles": 1.609344, "meilen": 1.609344, "milles": 1.609344, "millas": 1.609344, "milhas": 1.609344,
	}
)

func foldedSet(phrases ...string) map[string]bool {
	set := map[string]bool{}
	for _, p := range phrases {
		set[facets.Fold(p)] = true
	}
	return set
}

// readDistances reads how far from a place: "within 10 km of Berlin", "im Umkreis von 5 km um Bonn". A place is one that items have.
func (r *reader) readDistances() {
	for i := 3; i < len(r.tokens); i++ {
		factor, known := kilometres[r.word(i-2)]
		if !known || !distanceLinks[r.word(i-1)] || !r.tokens[i-3].number || r.tokens[i].used {
			continue
		}
		figure, _ := facets.ReadNumber(r.text[r.tokens[i-3].start:])
		place, n := r.placeAt(i)
		if n == 0 || !(figure > 0) {
			continue
		}
		r.add(facets.Constraint{Slot: facets.Location, Values: []string{place}, Around: figure * factor}, r.distanceLead(i-3), i+n)
	}
}

// placeAt gives the place that the words from i on name, and how many they are.
func (r *reader) placeAt(i int) (place string, n int) {
	for n := min(facets.LongestPhrase, len(r.tokens)-i); n > 0; n-- {
		if !r.together(i, i+n) {
			continue
		}
		for _, m := range r.at.Lexicon.Meanings(r.phrase(i, i+n)) {
			if m.Slot == facets.Location {
				return m.Value, n
			}
		}
	}
	return "", 0
}

// distanceLead gives where the words begin that lead to a distance at i.
func (r *reader) distanceLead(i int) int {
	for k := max(0, i-4); k < i; k++ {
		if slices.ContainsFunc(distanceLeads, func(lead string) bool { return facets.Fold(lead) == r.phrase(k, i) }) {
			return k
		}
	}
	return i
}

// near gives where the words begin before i that mean near a place, and not in it.
func (r *reader) near(i int) (from int, ok bool) {
	for k := max(0, i-4); k < i; k++ {
		if nearby[r.phrase(k, i)] {
			return k, true
		}
	}
	return i, false
}
