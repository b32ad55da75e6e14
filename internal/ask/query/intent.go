package query

import (
	"slices"
	"strings"

	"frontdesk/internal/content/facets"
)

// readIntent reads questions that are not for a list: for a comparison. It says whether this is
// one.
func (r *reader) readIntent() bool {
	from := r.opened()
	return from < len(r.tokens) && r.readComparison(from)
}

// opened is the token behind greetings.
func (r *reader) opened() int {
	i := 0
	for i < len(r.tokens) && greetings()[r.word(i)] {
		i++
	}
	return i
}

// Words of questions that are not for a list.
var (
	greetings       = everywhere("compare.greeting")
	compareLeads    = everywhere("compare")
	comparisonLeads = everywhere("compare.lead")
	comparatives    = slotsOf("compare.by") // what compares, with the slot that tells
	versusWords     = everywhere("compare.versus")
	joins           = everywhere("compare.with")
	nameLeads       = everywhere("compare.namelead")
	nameKept        = everywhere("compare.namekept")
)

// readComparison reads "compare A and B", "A vs B", "what is the difference between A and B",
// "which is cheaper, A or B".
func (r *reader) readComparison(from int) bool {
	if names, ok := r.versus(from); ok {
		return r.compare(names, "")
	}
	if _, n := longestAt(r.line, from, compareLeads()); n > 0 && from+n < len(r.tokens) {
		names := r.enumerated(from+n, len(r.tokens), true)
		return len(names) > 1 && r.compare(names, "")
	}
	_, n := longestAt(r.line, from, comparisonLeads())
	slot, m := longestAt(r.line, from+n, comparatives())
	if n == 0 || m == 0 {
		return false
	}
	names := r.enumerated(from+n+m, len(r.tokens), false)
	return len(names) > 1 && r.compare(names, slot)
}

// versus finds names on both sides of "vs".
func (r *reader) versus(from int) (names []string, ok bool) {
	for i := from + 1; i+1 < len(r.tokens); i++ {
		if versusWords()[r.word(i)] {
			names = append(names, r.name(from, i))
			from = i + 1
		}
	}
	if len(names) == 0 {
		return nil, false
	}
	names = append(names, r.name(from, len(r.tokens)))
	return names, !slices.Contains(names, "") && len(names) <= mostSubjects
}

// mostSubjects is how many items are compared at most.
const mostSubjects = 4

// enumerated splits the tokens from i to before j at "and", "or", "with" and commas into names.
// With both, "and" joins too.
func (r *reader) enumerated(i, j int, both bool) (names []string) {
	start := i
	for k := i; k <= j; k++ {
		cut := 0
		switch {
		case k == j:
			cut = 1
		case r.has(k, roleOr), both && (r.has(k, roleAnd) || joins()[r.word(k)]):
			cut = 1
		case k > start && (r.tokens[k].comma || r.tokens[k].stop):
			if name := r.name(start, k); name != "" {
				names = append(names, name)
			}
			start = k
		}
		if cut > 0 {
			if name := r.name(start, min(k, j)); name != "" {
				names = append(names, name)
			}
			start = k + 1
		}
	}
	if len(names) > mostSubjects {
		return nil
	}
	return names
}

// name is the words from token i to before j without articles around them, as they were written.
func (r *reader) name(i, j int) string {
	for i < j && (articles()[r.word(i)] || nameLeads()[r.word(i)]) && !nameKept()[r.word(i)] {
		i++
	}
	if i >= j {
		return ""
	}
	return r.said(i, j)
}

// compare settles a comparison.
func (r *reader) compare(names []string, slot facets.Slot) bool {
	r.out.Intent, r.out.Subjects, r.out.By = Compare, names, slot
	r.out.Text = strings.Join(names, " ")
	return true
}
