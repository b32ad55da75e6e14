package policy

import "errors"

// Matcher holds items against the conditions of a Match, without deciding anything about them: for
// what else an owner says item by item. It never changes and may be used from many goroutines.
type Matcher struct {
	conditions compiled
	isA        func(t, ancestor string) bool
}

// Matcher compiles conditions. What is wrong with them is reported whole: the error joins one
// *RuleError for each finding, whose Field begins with "match".
func (o Options) Matcher(match Match) (*Matcher, error) {
	c, findings := compile(0, Rule{Match: match, Access: Open}, "", nil)
	if len(findings) > 0 {
		return nil, errors.Join(findings...)
	}
	if o.IsA == nil {
		o.IsA = func(a, b string) bool { return a == b }
	}
	return &Matcher{c, o.IsA}, nil
}

// Matches says whether all conditions hold for an item. Where one asks for an address that cannot
// be read, they do not.
func (m *Matcher) Matches(facts Facts) bool {
	matched, _ := m.conditions.matches(&subject{Facts: facts}, m.isA)
	return matched
}
