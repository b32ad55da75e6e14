package index

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"frontdesk/internal/content/facets"
	"frontdesk/internal/content/search"
)

// Report is what all items that meet a question say together.
type Report struct {
	Items  int
	Words  []string // of the question, each of which the items mention
	Passed []string // of the question, which no item mentions, and which were passed over
	Facets []Facet  // the types first
}

// maxReportWords bounds the words of a question that a report looks for.
const maxReportWords = 32

// hard says whether a condition is one that items must meet.
func hard(c facets.Constraint) bool { return !c.Soft }

// Report counts all items that meet a question and that permit admits: those that mention each word
// of it that any item mentions, and meet its conditions for sure. The text "*" is everything; words
// that no item mentions, and nothing beside them, are nothing. It looks at each item, telling
// progress every so often, and ends with ctx, whose cause is the error then.
func (v *View) Report(ctx context.Context, q Question, permit func(*Doc) bool,
	progress func(done, total int)) (Report, error) {
	sel := q.Within
	if len(q.Sites) > 0 {
		sel = sel.And(v.anyOf(len(q.Sites), func(i int) choice { return choice{site: q.Sites[i]} }))
	}
	if len(q.Types) > 0 {
		types := v.below(q.Types)
		sel = sel.And(v.anyOf(len(types), func(i int) choice { return choice{typ: types[i]} }))
	}
	for i := range q.Constraints {
		if c := &q.Constraints[i]; !c.Soft {
			sel = sel.And(v.judge(c).meet)
		}
	}
	var report Report
	for _, word := range reportWords(q.Text) {
		if err := context.Cause(ctx); err != nil {
			return report, err
		}
		mentioned := v.mentioning(word, search.Anywhere).And(q.Within) // nothing of what is held back is told by this
		if mentioned.Empty() {
			report.Passed = append(report.Passed, word)
			continue
		}
		report.Words = append(report.Words, word)
		sel = sel.And(mentioned)
	}
	if len(report.Passed) > 0 && len(report.Words) == 0 && len(q.Types) == 0 &&
		!slices.ContainsFunc(q.Constraints, hard) {
		return report, nil // no item has anything of the question
	}
	done, total := 0, sel.Count()
	seen := map[[2]string]bool{}
	counted := v.count(sel.All(), func(l *Doc) bool {
		if done++; done%reportEvery == 0 && progress != nil {
			progress(done, total)
		}
		if ctx.Err() != nil || !permit(l) {
			return false
		}
		if v.several { // a URL may stand twice
			at := [2]string{l.Site, l.URL}
			if seen[at] {
				return false
			}
			seen[at] = true
		}
		return true
	})
	if err := context.Cause(ctx); err != nil {
		return report, err
	}
	report.Items, report.Facets = counted.items, counted.facets()
	typesFirst(report.Facets)
	return report, nil
}

// reportEvery is after how many items progress is told.
const reportEvery = 4096

// reportWords are the words of a text.
func reportWords(text string) []string {
	words := strings.FieldsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) && r != '-' && r != '\''
	})
	return words[:min(len(words), maxReportWords)]
}

// typesFirst puts the types before all else.
func typesFirst(all []Facet) {
	i := slices.IndexFunc(all, func(f Facet) bool { return f.Slot == "@type" })
	if i > 0 {
		types := all[i]
		copy(all[1:i+1], all[:i])
		all[0] = types
	}
}
