package policy

import (
	"fmt"
	"slices"
	"strings"
)

// compiled is a rule ready to be asked.
type compiled struct {
	index    int
	rule     Rule
	named    string // what it is called where it stands in no file
	paths    []pathGlob
	hosts    []hostGlob
	types    []string
	decision Decision
}

// subject is an item while it is being decided on; its address is taken apart at most once, and
// only when a rule asks for it.
type subject struct {
	Facts
	host, path string
	read       bool
	problem    error
}

func (s *subject) address() bool {
	if !s.read {
		s.host, s.path, s.problem = splitAddress(s.URL)
		s.read = true
	}
	return s.problem == nil
}

// compile checks a rule, which may have a name of its own, and makes it ready. All that is wrong
// with it is reported. agents are the names of known agents.
func compile(index int, rule Rule, named string, agents []string) (compiled, []error) {
	c := compiled{index: index, rule: rule, named: named}
	check := checker{index: index, line: rule.Line, named: named}
	check.check(rule, agents)
	check.present("match.path", rule.Match.Path)
	check.present("match.host", rule.Match.Host)
	check.present("match.site", rule.Match.Site)
	check.present("match.source", rule.Match.Source)
	check.present("match.type", rule.Match.Type)
	for i, text := range rule.Match.Path {
		glob, err := parsePath(text)
		if err != nil && text != "" {
			check.report(fmt.Sprintf("match.path[%d]", i), "%q: %v", text, err)
		}
		c.paths = append(c.paths, glob)
	}
	for i, text := range rule.Match.Host {
		glob, err := parseHost(text)
		if err != nil && text != "" {
			check.report(fmt.Sprintf("match.host[%d]", i), "%q: %v", text, err)
		}
		c.hosts = append(c.hosts, glob)
	}
	for _, text := range rule.Match.Type {
		c.types = append(c.types, BareType(text))
	}
	c.decision = Decision{
		Access:       rule.Access,
		Labels:       rule.Labels,
		ExcerptWords: rule.Excerpt.Words,
		Permit:       rule.Functions.Permit,
		Prohibit:     rule.Functions.Prohibit,
		Users:        rule.Users,
		Countries:    rule.Countries,
		Parties:      rule.Parties,
		DisplayWords: rule.Display.Words,
		Reporting:    rule.Reporting.Window,
		Delivery:     rule.Delivery,
		Scopes:       rule.Scopes,
		Rule:         index,
		Line:         rule.Line,
	}
	c.decision.Price, _ = rule.Price.money() // what is wrong with it was reported
	c.decision.Reason = fmt.Sprintf("%s matches: %s", c.name(), c.conditions())
	return c, check.findings
}

// present refuses a condition that is there and says nothing: an empty list would match nothing,
// which is hardly what its owner meant, and an empty text is a slip.
func (c *checker) present(field string, values []string) {
	if values != nil && len(values) == 0 {
		c.report(field, "an empty list matches nothing; name a value or remove the key")
	}
	for i, v := range values {
		if strings.TrimSpace(v) == "" {
			c.report(fmt.Sprintf("%s[%d]", field, i), "it is empty; name a value or remove the key")
		}
	}
}

// BareType takes the vocabulary's prefix off a type name.
func BareType(name string) string {
	for _, prefix := range []string{"https://schema.org/", "http://schema.org/", "schema:"} {
		name = strings.TrimPrefix(name, prefix)
	}
	return name
}

func (c *compiled) name() string { return ruleName(c.index, c.rule.Line, c.named) }

// conditions says in words what the rule asks for.
func (c *compiled) conditions() string {
	var said []string
	for _, one := range []struct {
		name   string
		values []string
	}{
		{"site", c.rule.Match.Site}, {"source", c.rule.Match.Source}, {"type", c.rule.Match.Type},
		{"host", c.rule.Match.Host}, {"path", c.rule.Match.Path},
	} {
		if len(one.values) > 0 {
			said = append(said, one.name+" "+strings.Join(one.values, " or "))
		}
	}
	if said == nil {
		return "everything"
	}
	return strings.Join(said, ", ")
}

func (c *compiled) matchesEverything() bool {
	m := c.rule.Match
	return m.Path == nil && m.Host == nil && m.Site == nil && m.Source == nil && m.Type == nil
}

// matches says whether the rule is for the item, or that this cannot be said because the address
// cannot be read. Explain's whyNot asks the same questions in the same order.
func (c *compiled) matches(s *subject, isA func(t, ancestor string) bool) (matched, unclear bool) {
	if !c.matchesNames(s) || !c.matchesType(s, isA) {
		return false, false
	}
	if len(c.hosts) == 0 && len(c.paths) == 0 {
		return true, false
	}
	if !s.address() {
		return false, true
	}
	return c.matchesHost(s) && c.matchesPath(s), false
}

func (c *compiled) matchesNames(s *subject) bool { return c.matchesSite(s) && c.matchesSource(s) }

func (c *compiled) matchesSite(s *subject) bool {
	return len(c.rule.Match.Site) == 0 || slices.Contains(c.rule.Match.Site, s.Site)
}

func (c *compiled) matchesSource(s *subject) bool {
	return len(c.rule.Match.Source) == 0 || slices.Contains(c.rule.Match.Source, s.Source)
}

func (c *compiled) matchesType(s *subject, isA func(t, ancestor string) bool) bool {
	if len(c.types) == 0 {
		return true
	}
	for _, t := range s.Types {
		for _, want := range c.types {
			if t == want || isA(t, want) {
				return true
			}
		}
	}
	return false
}

func (c *compiled) matchesHost(s *subject) bool {
	for i := range c.hosts {
		if c.hosts[i].match(s.host) {
			return true
		}
	}
	return len(c.hosts) == 0
}

func (c *compiled) matchesPath(s *subject) bool {
	for i := range c.paths {
		if c.paths[i].match(s.path) {
			return true
		}
	}
	return len(c.paths) == 0
}
