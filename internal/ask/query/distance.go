package query

import (
	"strconv"
	"sync"

	"frontdesk/internal/content/facets"
)

// Words of distances, folded.
var (
	// nearby are the words before a place that do not mean that something is in it.
	nearby = everywhere("distance.near")
	// distanceLinks stand between a distance and the place that it is from, distanceLeads before a
	// distance.
	distanceLinks, distanceLeads = everywhere("distance.link"), everywhere("distance.lead")
	// kilometres are units of distance, in kilometres.
	kilometres = sync.OnceValue(func() map[string]float64 {
		units := map[string]float64{}
		for word, factor := range argumentsOf("distance.unit")() {
			units[word], _ = strconv.ParseFloat(factor, 64)
		}
		return units
	})
)

// readDistances reads how far from a place: "within 10 km of Berlin", "im Umkreis von 5 km um
// Bonn". A place is one that items have.
func (r *reader) readDistances() {
	for i := 3; i < len(r.tokens); i++ {
		factor, known := kilometres()[r.word(i-2)]
		if !known || !distanceLinks()[r.word(i-1)] || !r.tokens[i-3].number || r.tokens[i].used {
			continue
		}
		figure, _ := facets.ReadNumber(r.text[r.tokens[i-3].start:])
		place, n := r.placeAt(i)
		if n == 0 || !(figure > 0) {
			continue
		}
		r.add(facets.Constraint{Slot: facets.Location, Values: []string{place}, Around: figure * factor},
			r.distanceLead(i-3), i+n)
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
		if distanceLeads()[r.phrase(k, i)] {
			return k
		}
	}
	return i
}

// near gives where the words begin before i that mean near a place, and not in it.
func (r *reader) near(i int) (from int, ok bool) {
	for k := max(0, i-4); k < i; k++ {
		if nearby()[r.phrase(k, i)] {
			return k, true
		}
	}
	return i, false
}
