package app

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"frontdesk/internal/app/config"
	"frontdesk/internal/app/formats"
	"frontdesk/internal/content"
	"frontdesk/internal/infra/yamlconf"
	"frontdesk/internal/policy"
	"frontdesk/internal/policy/overrides"
)

// checks looks at how sections fit together, and at what a section says of what is elsewhere.
type checks struct {
	*Loaded
	*yamlconf.Report
}

// check looks at the values: each by itself, and whether they fit together.
func (l *Loaded) check(report *yamlconf.Report) {
	config.Check(&l.Config, formats.All, report)
	c := &checks{Loaded: l, Report: report}
	c.tls()
	c.timeouts()
	c.model()
	c.sites()
	c.sources()
	c.Config.Spread.CheckSites(c.Section("spread"), c.Config.siteIDs(), c.Config.Limits.WriteTimeout)
	c.licences()
	c.gate()
	c.intent()
	c.intakes()
	c.ramp()
	c.broker()
	c.gated()
	c.terms()
	c.actions()
}

// timeouts hold that an answer that is ready in time can be sent in time.
func (c *checks) timeouts() {
	write := c.Config.Limits.WriteTimeout
	if c.Config.Ask.Timeout >= write {
		c.Problem("ask.timeout", "%s is not less than limits.write_timeout, %s: "+
			"an answer that came in time could not be sent", yamlconf.Show(c.Config.Ask.Timeout), yamlconf.Show(write))
	}
	if after := c.Config.Ask.Promise.After; after >= write {
		c.Problem("ask.promise.after", "%s is not less than limits.write_timeout, %s: the promise could not be sent",
			yamlconf.Show(after), yamlconf.Show(write))
	}
}

func (c *checks) sites() {
	if c.origins.Named("site") && len(c.Config.Sites) > 0 {
		c.Problem("site", "there are site and sites; move the one site into the list, or remove the list")
	}
	if c.origins.Named("sites") && len(c.Config.Sites) == 0 {
		c.Problem("sites", "the list is empty; name a site, or remove the key")
	}
	seen := map[string]bool{}
	for i, site := range c.Config.AllSites() {
		path := fmt.Sprintf("sites[%d]", i)
		if len(c.Config.Sites) == 0 {
			path = "site"
		}
		switch {
		case !isID(site.ID):
			c.Problem(path+".id", "%q is no id; use up to 64 lower-case letters, digits, dots and dashes, "+
				"beginning with a letter or digit", site.ID)
		case seen[site.ID]:
			c.Problem(path+".id", "the id %s is given to two sites", site.ID)
		}
		seen[site.ID] = true
	}
}

func isID(s string) bool {
	for i, r := range s {
		if !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || i > 0 && strings.ContainsRune(".-_", r)) {
			return false
		}
	}
	return s != "" && len(s) <= 64
}

func (c *checks) terms() {
	if c.origins.Named("terms") && len(c.Config.Terms) == 0 {
		c.Problem("terms",
			"the list is empty; write a rule, such as one with match: {} and access: open, which opens everything")
		return
	}
	c.vocabulary()
	if !c.rsl() {
		return
	}
	compiled, err := c.Config.CompileTerms()
	for _, e := range yamlconf.Unjoin(err) {
		var rule *policy.RuleError
		if errors.As(e, &rule) {
			c.Problem(fmt.Sprintf("terms[%d].%s", rule.Rule, rule.Field), "%s", rule.Detail)
		}
	}
	if err == nil {
		for _, w := range compiled.Warnings() {
			c.Warning(fmt.Sprintf("terms[%d]", w.Rule), "%s", w.Detail)
		}
	}
}

// vocabulary looks at the names that rules match on: one that nothing has is a slip, and the rule
// would be dodged by everything.
func (c *checks) vocabulary() {
	for i, rule := range c.Config.Terms {
		c.matchNames(fmt.Sprintf("terms[%d].match", i), rule.Match)
	}
}

// matchNames looks at the names in the conditions at a path.
func (c *checks) matchNames(path string, match policy.Match) {
	var sources []string
	sites := c.Config.siteIDs()
	for _, source := range c.Config.AllSources() {
		sources = append(sources, source.Name)
	}
	path += "."
	for n, site := range match.Site {
		if !slices.Contains(sites, site) && site != "" {
			c.Problem(fmt.Sprintf("%ssite[%d]", path, n), "there is no site %s; there are %s", site,
				strings.Join(sites, ", "))
		}
	}
	for n, source := range match.Source {
		if !slices.Contains(sources, source) && source != "" {
			c.Warning(fmt.Sprintf("%ssource[%d]", path, n), "no source named %s is configured", source)
		}
	}
	for n, name := range match.Type {
		if _, known := content.KnownType(policy.BareType(name)); !known && name != "" {
			c.Warning(fmt.Sprintf("%stype[%d]", path, n),
				"schema.org has no type %s; only items that are marked so will match", name)
		}
	}
}

// CompileTerms makes the rules ready, with content rules among them. Types are written as
// schema.org writes them, whatever their case.
func (c Config) CompileTerms(added ...overrides.Rule) (*policy.Terms, error) {
	return c.compileTerms(nil, overrides.RuleSet{Rules: added})
}

// compileTerms makes the terms in force: the rules that the owner published, or else those of the
// file, with what the sites state.
func (c Config) compileTerms(stated []*policy.RSL, set overrides.RuleSet) (*policy.Terms, error) {
	c, err := c.inForce(set)
	if err != nil {
		return nil, err
	}
	rules, at := policy.With(c.Terms, rulesOf(set.Rules))
	named := map[int]string{}
	for i, r := range set.Rules {
		named[at+i] = r.Name()
	}
	if edition, published := set.InForce(); published {
		for i, r := range c.Terms {
			place := i
			if i >= at {
				place += len(set.Rules)
			}
			named[place] = edition.RuleName(i, r.Line)
		}
	}
	rules = slices.Clone(rules)
	for i := range rules {
		rules[i].Match.Type = content.CanonicalTypes(rules[i].Match.Type)
	}
	documents, err := c.readRSL()
	if err != nil {
		return nil, err
	}
	return policy.Options{IsA: content.IsA, RSL: append(documents, stated...), Named: named,
		Agents: c.Agents.Names()}.New(rules)
}
