package query

import (
	"slices"

	"frontdesk/internal/content/facets"
)

// readWork reads how and where one works: "remote", "full time", "an internship", and what of it is
// not wanted. It counts where jobs are wanted; words that say nothing else make a question one for
// jobs.
func (r *reader) readWork() {
	if r.have("JobPosting") == 0 || !r.known(facets.Employment) && !r.known(facets.Workplace) {
		return
	}
	jobs := r.wanted("JobPosting") || len(r.out.Types) == 0 && (r.only("JobPosting") || r.worked())
	if !jobs {
		return
	}
	if len(r.out.Types) == 0 {
		r.out.Types = []string{"JobPosting"}
	}
	for i := 0; i < len(r.tokens); i++ {
		c, n := r.workAt(i)
		if n == 0 || !r.known(c.Slot) {
			continue
		}
		start := r.denied(i)
		c.Not = c.Not != (start < i)
		if k := slices.IndexFunc(r.out.Constraints,
			func(o facets.Constraint) bool { return o.Slot == c.Slot && o.Not == c.Not }); k >= 0 {
			if o := &r.out.Constraints[k]; !slices.Contains(o.Values, c.Values[0]) { // "full time or part time"
				o.Values = append(o.Values, c.Values[0])
			}
			r.use(start, i+n)
		} else {
			r.add(c, start, i+n)
		}
		i += n - 1
	}
}

// worked says whether some words of the question are said of nothing but work.
func (r *reader) worked() bool {
	for i := range r.tokens {
		if c, n := r.workAt(i); n > 0 && r.known(c.Slot) && working()[r.phrase(i, i+n)] {
			return true
		}
	}
	return false
}

// working are words that are said of nothing but work, onSite those for work that is done in one
// place, and hybrid for work that is done there at times.
var working, onSite, hybrid = everywhere("work.only"), everywhere("work.onsite"), everywhere("work.hybrid")

// workAt finds the longest words at i that say how or where one works, and how many tokens they
// are.
func (r *reader) workAt(i int) (c facets.Constraint, n int) {
	for n = min(4, len(r.tokens)-i); n > 0; n-- {
		if !r.together(i, i+n) {
			continue
		}
		phrase := r.phrase(i, i+n)
		if name, ok := facets.EmploymentOf(phrase); ok {
			return facets.Constraint{Slot: facets.Employment, Values: []string{name}}, n
		}
		if facets.IsRemote(phrase) || onSite()[phrase] {
			return facets.Constraint{Slot: facets.Workplace, Values: []string{facets.Remote}, Not: onSite()[phrase]}, n
		}
		if hybrid()[phrase] {
			return facets.Constraint{Slot: facets.Workplace, Values: []string{"hybrid"}}, n
		}
	}
	return c, 0
}

// denied is where a denial of what is at i begins: "not remote", "no part time"; i itself where
// there is none.
func (r *reader) denied(i int) int {
	for n := 1; n <= 3 && i-n >= 0; n++ {
		k := i - n
		if !r.together(k, i) || r.tokens[i].stop {
			break
		}
		for _, denial := range []role{roleNot, roleWithout} {
			if _, m := r.match(k, denial); m == n || m > 0 && m == n-1 && articles()[r.word(i-1)] {
				if !r.tokens[i].comma {
					return k
				}
			}
		}
	}
	return i
}
