package desk

import (
	"context"

	"frontdesk/internal/content/index"
	"frontdesk/internal/content/released"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/policy"
)

// Held is how a rule stands to the items that are here.
type Held struct {
	Items  int         // that it is for
	Before map[int]int // of those, on how many a rule that stands before it decides, by its index
}

// Hold holds a rule of the terms, by its index, against all items of the sites that are served. The error is fail.Unavailable before the
// content is loaded.
func (d *Desk) Hold(ctx context.Context, rules *policy.Terms, rule int) (Held, error) {
	if err := d.Ready(); err != nil {
		return Held{}, err
	}
	held := Held{Before: map[int]int{}}
	d.corpus.Current().Index.Select(func(l *index.Listing) bool {
		if ctx.Err() != nil || !d.served[l.Site] {
			return false
		}
		facts := released.FactsOf(l)
		if !rules.Matches(rule, facts) {
			return false
		}
		held.Items++
		if decides := rules.Decide(facts).Rule; decides != rule {
			held.Before[decides]++
		}
		return false
	})
	if ctx.Err() != nil {
		return Held{}, fail.New(fail.Timeout, "the time allowed ran out before all items were looked at").Because(ctx.Err())
	}
	return held, nil
}
