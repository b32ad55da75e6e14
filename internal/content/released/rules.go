package released

import (
	"context"

	"frontdesk/internal/content/index"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/policy"
)

// RuleReach counts the items that a rule of the terms applies to.
type RuleReach struct {
	Items  int         // that the rule is for
	Before map[int]int // of those, on how many another rule decides that stands before it, by the index of that rule
}

// RuleReach counts the items of the served sites that a rule of some terms, given by its index,
// applies to. It returns fail.Unavailable before the content is loaded.
func (c *Corpus) RuleReach(ctx context.Context, rules *policy.Terms, rule int) (RuleReach, error) {
	held := RuleReach{Before: map[int]int{}}
	err := c.EachFacts(ctx, func(facts policy.Facts) {
		if !rules.Matches(rule, facts) {
			return
		}
		held.Items++
		if decides := rules.Decide(facts).Rule; decides != rule {
			held.Before[decides]++
		}
	})
	if err != nil {
		return RuleReach{}, err
	}
	return held, nil
}

// EachFacts gives what terms can ask of each item of the served sites, released or not. It returns
// fail.Unavailable before the content is loaded.
func (c *Corpus) EachFacts(ctx context.Context, see func(policy.Facts)) error {
	if err := c.Ready(); err != nil {
		return err
	}
	c.Index().Select(func(l *index.Doc) bool {
		if ctx.Err() == nil && c.options.Sites.Serves(l.Site) {
			see(FactsOf(l))
		}
		return false
	})
	if ctx.Err() != nil {
		return fail.New(fail.Timeout,
			"the time allowed ran out before all items were looked at").Wrap(ctx.Err())
	}
	return nil
}
