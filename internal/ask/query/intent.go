package query

import (
	"cmp"
	"slices"
	"strings"

	"frontdesk/internal/content/facets"
	"frontdesk/internal/content/taxonomy"
	"frontdesk/internal/infra/language"
)

// ask is a form of questions for a detail of one item: the words before its name, and those behind.
type ask struct {
	lead, end string
	slot      facets.Slot
}

// asks by the first word of the lead, those of the most words first. In the tables % stands for the name.
var asks = func() map[string][]ask {
	forms := map[string][]ask{}
	for list := range language.Each("ask") {
		for _, frame := range list.Phrases {
			lead, end, _ := strings.Cut(frame, "%")
			form := ask{foldPhrase(strings.TrimSpace(lead)), foldPhrase(strings.TrimSpace(end)), facets.Slot(list.Argument)}
			first, _, _ := strings.Cut(form.lead, " ")
			forms[first] = append(forms[first], form)
		}
	}
	for _, list := range forms {
		slices.SortStableFunc(list, func(a, b ask) int {
			return cmp.Or(len(b.lead)-len(a.lead), len(b.end)-len(a.end))
		})
	}
	return forms
}()

// readIntent reads questions that are not for a list: for a comparison, or for a detail. It says whether this is one.
func (r *reader) readIntent() bool {
	from := r.opened()
	if from >= len(r.tokens) {
		return false
	}
	return r.readComparison(from) || r.readDetail(from) || r.readDetailWithin()
}

// opened is the token behind greetings.
func (r *reader) opened() int {
	i := 0
	for i < len(r.tokens) && greetings[r.word(i)] {
		i++
	}
	return i
}

// Words of questions that are not for a list.
var (
	greetings       = everywhere("detail.greeting")
	trailing        = everywhere("detail.trailing")
	compareLeads    = everywhere("compare")
	comparisonLeads = everywhere("compare.lead")
	comparatives    = slotsOf("compare.by") // what compares, with the slot that tells
	versusWords     = everywhere("compare.versus")
	joins           = everywhere("compare.with")
	itself          = everywhere("detail.itself") // pronouns that stand for an item
	nameless        = everywhere("detail.noname")
	nameLeads       = everywhere("detail.namelead")
	nameKept        = everywhere("detail.namekept")
	beings          = everywhere("detail.is")
	thatWords       = everywhere("detail.that")
	does            = everywhere("detail.does")
	contain         = everywhere("detail.contain")
	have            = everywhere("detail.have")
	exist           = everywhere("detail.exist")
	inside          = everywhere("detail.inside")
	contains        = everywhere("detail.contains")
)

// readComparison reads "compare A and B", "A vs B", "what is the difference between A and B", "which is cheaper, A or B".
func (r *reader) readComparison(from int) bool {
	if names, ok := r.versus(from); ok {
		return r.compare(names, "")
	}
	if _, n := longestAt(r.line, from, compareLeads); n > 0 && from+n < len(r.tokens) {
		names := r.enumerated(from+n, len(r.tokens), true)
		return len(names) > 1 && r.compare(names, "")
	}
	_, n := longestAt(r.line, from, comparisonLeads)
	slot, m := longestAt(r.line, from+n, comparatives)
	if n == 0 || m == 0 {
		return false
	}
	names := r.enumerated(from+n+m, len(r.tokens), false)
	return len(names) > 1 && r.compare(names, slot)
}

// versus finds names on both sides of "vs".
func (r *reader) versus(from int) (names []string, ok bool) {
	for i := from + 1; i+1 < len(r.tokens); i++ {
		if versusWords[r.word(i)] {
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

// enumerated splits the tokens from i to before j at "and", "or", "with" and commas into names. With both, "and" joins too.
func (r *reader) enumerated(i, j int, both bool) (names []string) {
	start := i
	for k := i; k <= j; k++ {
		cut := 0
		switch {
		case k == j:
			cut = 1
		case r.has(k, roleOr), both && (r.has(k, roleAnd) || joins[r.word(k)]):
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
	for i < j && (articles[r.word(i)] || nameLeads[r.word(i)]) && !nameKept[r.word(i)] {
		i++
	}
	if i >= j {
		return ""
	}
	return r.said(i, j)
}

// compare settles a comparison.
func (r *reader) compare(names []string, slot facets.Slot) bool {
	r.out.Intent, r.out.Subjects, r.out.Detail = Compare, names, slot
	r.out.Text = strings.Join(names, " ")
	return true
}

// readDetail reads a question for a detail of one item.
func (r *reader) readDetail(from int) bool {
	last := len(r.tokens)
	for last > from+2 && trailing[r.word(last-1)] {
		last--
	}
	for _, a := range asks[r.word(from)] {
		i, end := from+1+strings.Count(a.lead, " "), last
		if a.end != "" {
			end -= strings.Count(a.end, " ") + 1
		}
		if i >= end || r.phrase(from, i) != a.lead || a.end != "" && r.phrase(end, last) != a.end {
			continue
		}
		if name := r.name(i, end); r.isName(name, i) {
			return r.tell(name, a.slot, "")
		}
	}
	return r.readNoun(from, last) || r.readProperty(from, last) || r.readStated(from, last)
}

// isName says whether words may be the name of an item.
func (r *reader) isName(name string, i int) bool {
	return name != "" && !itself[facets.Fold(name)] && !nameless[r.word(i)]
}

// readProperty reads "is X vegan", "does X contain nuts", "are there eggs in X", and their like: "enthält X Nüsse".
func (r *reader) readProperty(from, last int) bool {
	verb := r.word(from)
	return beings[verb] && r.readBeing(from, last) || does[verb] && r.readHaving(from, last) || contains[verb] && r.readContaining(from, last)
}

// readBeing reads "is X vegan" and "are there eggs in X".
func (r *reader) readBeing(from, last int) bool {
	start := from + 1
	if _, n := longestAt(r.line, start, thatWords); n > 0 { // "est-ce que X est végan"
		start += n
	}
	if exist[r.word(from+1)] {
		for i := last - 2; i > from+2; i-- {
			if inside[r.word(i)] {
				return r.tell(r.name(i+1, last), facets.Ingredient, r.name(from+2, i))
			}
		}
	}
	for i := start + 1; i < last; i++ {
		if slot, supposed, ok := r.predicate(i, last); ok {
			end := i
			if copulas[r.word(end-1)] && end-1 > start {
				end--
			}
			if name := r.name(start, end); r.isName(name, start) {
				return r.tell(name, slot, supposed)
			}
		}
	}
	return false
}

// readHaving reads "does X contain nuts", "does X have eggs".
func (r *reader) readHaving(from, last int) bool {
	for i := from + 2; i+1 < last; i++ {
		if !contain[r.word(i)] && !have[r.word(i)] || !r.known(facets.Ingredient) {
			continue
		}
		if what := r.name(i+1, last); contain[r.word(i)] || r.eaten(what) {
			if name := r.name(from+1, i); r.isName(name, from+1) {
				return r.tell(name, facets.Ingredient, what)
			}
		}
	}
	return false
}

// readContaining reads "enthält X Nüsse": what is in it stands behind the name.
func (r *reader) readContaining(from, last int) bool {
	for i := last - 1; i > from+1; i-- {
		if what := r.name(i, last); r.eaten(what) && r.known(facets.Ingredient) {
			if name := strings.TrimSuffix(r.name(from+1, r.unled(from+1, i)), " "); r.isName(name, from+1) {
				return r.tell(name, facets.Ingredient, what)
			}
		}
	}
	return false
}

// unled is the end of the words from i to before j without articles at their end.
func (r *reader) unled(i, j int) int {
	for j > i+1 && articles[r.word(j-1)] {
		j--
	}
	return j
}

// eaten says whether words are for something that food is made of.
func (r *reader) eaten(what string) bool {
	folded := facets.Fold(what)
	if _, ok := taxonomy.Named(what); ok {
		return true
	}
	for _, m := range r.at.Lexicon.Meanings(folded) {
		if m.Slot == facets.Ingredient {
			return true
		}
	}
	last := folded[strings.LastIndexByte(folded, ' ')+1:]
	return taxonomy.IsFood(facets.Singular(last))
}

// tell settles a question for a detail.
func (r *reader) tell(name string, slot facets.Slot, value string) bool {
	if name == "" || value != "" && slot != facets.Price && len(r.at.Lexicon.Types()) > 0 && !r.known(slot) {
		return false
	}
	r.out.Intent, r.out.Subjects, r.out.Detail, r.out.DetailValue = Tell, []string{name}, slot, value
	r.out.Text = name
	return true
}
