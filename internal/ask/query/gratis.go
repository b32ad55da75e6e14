package query

import (
	"frontdesk/internal/content/facets"
)

// readGratis reads that something is to cost nothing: "free of charge", "free family concerts",
// "events that are free".
func (r *reader) readGratis(i int) bool {
	if _, says := r.at.Lexicon.Slot("isAccessibleForFree"); !says && !r.known(facets.Price) {
		return false
	}
	if r.denied(i) < i {
		return false
	}
	nothing := 0.0
	free := facets.Constraint{Slot: facets.Price, Max: &nothing}
	if n := r.gratisAt(i); n > 0 {
		r.add(free, i, i+n)
		return true
	}
	return false
}

// gratisAt gives how many tokens at i say that something costs nothing.
func (r *reader) gratisAt(i int) int {
	if _, n := r.match(i, roleGratis); n > 0 && !delivered()[r.word(i-1)] && !delivered()[r.word(i+n)] {
		return n
	}
	if r.best <= english && r.freeBehind(i) && r.freely(i) {
		return 1
	}
	return 0
}

// freely says whether "free" at i is a price. Before what one attends, reads or uses it is, and
// behind it, too; before many other words it is a part of them.
func (r *reader) freely(i int) bool {
	if r.tokens[i].glued || i > 0 && r.tokens[i].dash || freeWith()[r.word(i+1)] {
		return false
	}
	if i+1 < len(r.tokens) && r.tokens[i+1].glued && r.tokens[i+1].dash { // "free-range"
		return false
	}
	if len(r.out.Types) == 0 && r.alone(i) {
		return true
	}
	if !r.wanted("Event", "Course", "Book", "SoftwareApplication", "Movie", "MediaObject", "Article", "VideoGame",
		"Museum", "TouristAttraction") {
		return false
	}
	if i > 0 && !r.tokens[i-1].used && !r.functional(i-1) && !r.has(i-1, roleCourtesy) && !r.has(i-1, roleGlue) &&
		!r.tokens[i].comma {
		return false // "sugar free", "hands free"
	}
	return true
}

// alone says whether the word at i is all that a question says, as one that goes on with another
// does: "only free ones".
func (r *reader) alone(i int) bool {
	for k := range r.tokens {
		if k != i && !r.functional(k) && !r.has(k, roleCourtesy) && !r.has(k, roleThing) && !r.has(k, roleGlue) {
			return false
		}
	}
	return true
}

// freeWith are words that "free" is a part of when it stands before them, and delivered those
// beside which what is for nothing is the way something comes, not the thing.
var freeWith, delivered = everywhere("gratis.with"), everywhere("gratis.delivered")
