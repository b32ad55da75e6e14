package enforcement

import "fmt"

// finding is a step that is due, and why.
type finding struct {
	step  Level
	cause string
}

// The months after which more is done (RAMP v1, disputes: graduated measures). They follow one
// another without one between that was well.
const (
	planMonths  = 3
	limitMonths = 4
	endMonths   = 12
)

// exceeds says whether cases of some exceed a percentage, where there are enough of both to tell.
func (r Rules) exceeds(cases, of int64, percent float64) bool {
	return percent > 0 && cases >= int64(r.Cases) && of >= int64(r.Of) && float64(cases)*100 > percent*float64(of)
}

func rate(what string, cases, of int64) string {
	return fmt.Sprintf("%d %s of %d (%.1f %%)", cases, what, of, float64(cases)*100/float64(of))
}

// judge says what is due against a party after a month's counts so far: months is how many months
// in a row it has exceeded a rate, this one included if it does, and same the most providers of
// which an agent has disputed for one and the same reason.
func (r Rules) judge(p Party, c counts, months, same int) (due []finding) {
	breach, cause := r.breach(p, c)
	if breach && p.Kind == Provider {
		due = append(due, finding{Investigated, cause})
	}
	if p.Kind == Agent && r.Providers > 0 && same >= r.Providers {
		due = append(due, finding{Flagged, fmt.Sprintf("one reason at %d providers", same)})
	}
	if !breach {
		return due
	}
	graduated := func(step Level) {
		due = append(due, finding{step, fmt.Sprintf("%s, in month %d in a row", cause, months)})
	}
	switch {
	case months >= endMonths:
		graduated(Closure)
		graduated(RateLimited)
	case months >= limitMonths:
		graduated(RateLimited)
	case months >= planMonths:
		graduated(ImprovementPlan)
	default:
		due = append(due, finding{Warning, cause})
	}
	if p.Kind == Agent && months < limitMonths && r.exceeds(c[disputes], c[transactions], r.Limit) {
		due = append(due, finding{RateLimited, cause})
	}
	return due
}

// breach says whether a month's counts exceed a rate, and which.
func (r Rules) breach(p Party, c counts) (bool, string) {
	if p.Kind == Agent {
		return r.exceeds(c[disputes], c[transactions], r.Warn), rate("disputes", c[disputes], max(c[transactions], 1))
	}
	for _, v := range []struct {
		cases, of int64
		percent   float64
		words     string
	}{
		{c[deviant], c[reports], r.Tokens, "reports far from the estimate"},
		{c[string(FailedDelivery)], c[transactions], r.Failures, "deliveries that failed"},
		{c[string(WrongHash)], c[transactions], r.Hashes, "contents with another hash than attested"},
	} {
		if r.exceeds(v.cases, v.of, v.percent) {
			return true, rate(v.words, v.cases, v.of)
		}
	}
	return false, ""
}
