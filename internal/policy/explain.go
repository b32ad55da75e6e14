package policy

import (
	"fmt"
	"strings"
)

// Explanation is a decision with the way that led to it.
type Explanation struct {
	Decision Decision
	Steps    []Step // the rules in order, up to the one that decided
	Imported []*Own // the terms that the item comes with, whether they count or not
}

// Step is one rule that was tried.
type Step struct {
	Rule       int    // index of the rule
	Line       int    // its line in the file it came from, 0 if it came from none
	Named      string // what it is called where it stands in no file
	Matched    bool
	Conditions string // what the rule asks for, in words
	Why        string // why it matched or did not, in words
}

// Explain decides as Decide does, and says for each rule on the way why it matched or why it did
// not.
func (t *Terms) Explain(facts Facts) Explanation {
	item := subject{Facts: facts}
	e := Explanation{Decision: t.Decide(facts), Imported: t.imported(&item)}
	for i := range t.rules {
		rule := &t.rules[i]
		matched, unclear := rule.matches(&item, t.isA)
		step := Step{Rule: i, Line: rule.rule.Line, Named: rule.named, Matched: matched, Conditions: rule.conditions()}
		switch {
		case unclear:
			step.Why = fmt.Sprintf("the address %q cannot be read: %v", facts.URL, item.problem)
		case matched && t.refuses(i):
			step.Why = fmt.Sprintf("%s; it is for certain parties (%s), and who asks is not among them",
				rule.why(&item),
				rule.rule.Parties)
		case matched:
			step.Why = rule.why(&item)
		default:
			step.Why = rule.whyNot(&item, t.isA)
		}
		e.Steps = append(e.Steps, step)
		if matched || unclear {
			break
		}
	}
	return e
}

// why says what of the item fulfilled the rule.
func (c *compiled) why(s *subject) string {
	if c.matchesEverything() {
		return "it matches everything"
	}
	var said []string
	add := func(condition []string, name, value string) {
		if len(condition) > 0 {
			said = append(said, fmt.Sprintf("its %s is %s", name, value))
		}
	}
	add(c.rule.Match.Site, "site", s.Site)
	add(c.rule.Match.Source, "source", s.Source)
	add(c.rule.Match.Type, "type", strings.Join(s.Types, ", "))
	add(c.rule.Match.Host, "host", s.host)
	add(c.rule.Match.Path, "path", s.path)
	return strings.Join(said, ", ")
}

// whyNot names the first condition that does not hold.
func (c *compiled) whyNot(s *subject, isA func(t, ancestor string) bool) string {
	m := c.rule.Match
	switch {
	case !c.matchesSite(s):
		return differs("site", s.Site, m.Site)
	case !c.matchesSource(s):
		return differs("source", s.Source, m.Source)
	case !c.matchesType(s, isA):
		return differs("type", strings.Join(s.Types, ", "), m.Type)
	case !c.matchesHost(s):
		return differs("host", s.host, m.Host)
	default:
		return differs("path", s.path, m.Path)
	}
}

func differs(name, value string, wanted []string) string {
	if value == "" {
		return fmt.Sprintf("it has no %s, and the rule asks for %s", name, strings.Join(wanted, " or "))
	}
	return fmt.Sprintf("its %s is %s, not %s", name, value, strings.Join(wanted, " or "))
}
