package server

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/content"
	"frontdesk/internal/infra/yamlconf"
	"frontdesk/internal/policy"
	"frontdesk/internal/policy/overrides"
)

// checks collects what is wrong with a configuration that could be read, and what is odd about it.
type checks struct {
	*Loaded
	problems, warnings yamlconf.Findings
}

// check looks at the values: each by itself, and whether they fit together.
func (l *Loaded) check() (problems, warnings yamlconf.Findings) {
	c := &checks{Loaded: l}
	c.addresses()
	c.edge()
	c.discovery()
	c.ledger()
	c.owner()
	c.tls()
	c.numbers()
	c.session()
	c.choices()
	c.model()
	c.sites()
	c.sources()
	c.fetch()
	c.licences()
	c.elicit()
	c.gate()
	c.mcp()
	c.promise()
	c.intent()
	c.intakes()
	c.ramp()
	c.broker()
	c.gated()
	c.terms()
	c.actions()
	return c.problems, c.warnings
}

// at makes a finding about a key, where the key was given.
func (l *Loaded) at(path, format string, args ...any) yamlconf.Finding {
	finding := yamlconf.Finding{Key: path, Detail: fmt.Sprintf(format, args...)}
	switch from := l.origin(path); from.layer {
	case "file":
		finding.File, finding.Place = l.layers.File, l.places.Near(path)
	case "environment", "flag", "argument":
		finding.Key = from.name
	}
	return finding
}

// origin is where a key's value came from; an element's is that of its list.
func (l *Loaded) origin(path string) origin {
	for p := path; p != ""; p = p[:max(0, strings.LastIndexAny(p, ".["))] {
		if from, ok := l.origins[p]; ok {
			return from
		}
	}
	return origin{layer: "default"}
}

func (c *checks) problem(path, format string, args ...any) {
	c.problems = append(c.problems, c.at(path, format, args...))
}

// problemWithin is a problem in the text of a key, so many lines below its first and behind so many characters.
func (c *checks) problemWithin(path string, line, column int, format string, args ...any) {
	finding := c.at(path, format, args...)
	if finding.Line > 0 && (line > 0 || column > 0) {
		finding.Place = c.places.Within(path, line, column)
	}
	c.problems = append(c.problems, finding)
}

func (c *checks) warning(path, format string, args ...any) {
	c.warnings = append(c.warnings, c.at(path, format, args...))
}

func (c *checks) addresses() {
	c.listen("listen", c.Config.Listen)
	if c.Config.Metrics.Listen != off {
		c.listen("metrics.listen", c.Config.Metrics.Listen)
	}
	if scheme, _, remote := strings.Cut(c.Config.Store, "://"); remote && !slices.Contains([]string{"postgres", "postgresql", "sqlite"}, scheme) {
		c.problem("store", "%s:// is no database that frontdesk knows; write sqlite:PATH or postgres://user:password@host:5432/database", scheme)
	}
	if c.Config.Data == "" {
		c.problem("data", "name a folder, like frontdesk-data")
	}
}

func (c *checks) listen(path, address string) {
	host, port, err := net.SplitHostPort(address)
	if err == nil {
		_, err = net.LookupPort("tcp", port)
	}
	if err != nil || strings.ContainsAny(host, "/ ") || port == "" {
		c.problem(path, "%q is no address to listen on; write host:port, like 127.0.0.1:8080", address)
	}
}

func (c *checks) web(path, address string) {
	if u, err := url.Parse(address); address != "" && (err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https") {
		c.problem(path, "%q is no web address; write it like https://www.example.com", address)
	}
}

func (c *checks) numbers() {
	between(c, "ask.limit", c.Config.Ask.Limit, 1, 1000)
	between(c, "ask.stranger_limit", c.Config.Ask.StrangerLimit, 1, 1000)
	between(c, "ask.min_score", c.Config.Ask.MinScore, 0, 100)
	between(c, "ask.timeout", c.Config.Ask.Timeout, 10*time.Millisecond, time.Hour)
	c.timeZone()
	between(c, "ask.cache", c.Config.Ask.Cache, 1<<20, 1<<40)
	limits := c.Config.Limits
	between(c, "limits.body", limits.Body, 1<<10, 1<<30)
	between(c, "limits.header", limits.Header, 4<<10, 16<<20)
	between(c, "limits.connections", limits.Connections, 1, 1<<20)
	between(c, "limits.connections_per_address", limits.PerAddress, 1, 1<<20)
	between(c, "limits.requests", limits.Requests, 1, 1<<20)
	between(c, "limits.header_timeout", limits.HeaderTimeout, 10*time.Millisecond, time.Hour)
	between(c, "limits.read_timeout", limits.ReadTimeout, 10*time.Millisecond, time.Hour)
	between(c, "limits.write_timeout", limits.WriteTimeout, 10*time.Millisecond, time.Hour)
	between(c, "limits.idle_timeout", limits.IdleTimeout, 10*time.Millisecond, 24*time.Hour)
	between(c, "limits.drain", limits.Drain, 0, time.Hour)
	between(c, "limits.shutdown_timeout", limits.ShutdownTimeout, 0, time.Hour)
	if c.Config.Ask.Timeout >= limits.WriteTimeout {
		c.problem("ask.timeout", "%s is not less than limits.write_timeout, %s: an answer that came in time could not be sent", show(c.Config.Ask.Timeout), show(limits.WriteTimeout))
	}
}

// between reports a value outside of bounds.
func between[T int | float64 | time.Duration | yamlconf.Size](c *checks, path string, value, least, most T) {
	if !(value >= least && value <= most) { // no number is neither
		c.problem(path, "%s is not between %s and %s", show(value), show(least), show(most))
	}
}

func (c *checks) choices() {
	c.oneOf("log.level", c.Config.Log.Level, "debug", "info", "warn", "error")
	c.oneOf("log.format", c.Config.Log.Format, "text", "json")
	c.oneOf("log.clients", c.Config.Log.Clients, off, clientNetwork, clientAddress)
}

func (c *checks) oneOf(path, value string, choices ...string) {
	if !slices.Contains(choices, value) {
		c.problem(path, "%q is none of %s", value, strings.Join(choices, ", "))
	}
}

func (c *checks) sites() {
	if _, one := c.places["site"]; one && len(c.Config.Sites) > 0 {
		c.problem("site", "there are site and sites; move the one site into the list, or remove the list")
	}
	if _, named := c.places["sites"]; named && len(c.Config.Sites) == 0 {
		c.problem("sites", "the list is empty; name a site, or remove the key")
	}
	seen := map[string]bool{}
	for i, site := range c.Config.AllSites() {
		path := fmt.Sprintf("sites[%d]", i)
		if len(c.Config.Sites) == 0 {
			path = "site"
		}
		switch {
		case !isID(site.ID):
			c.problem(path+".id", "%q is no id; use up to 64 lower-case letters, digits, dots and dashes, beginning with a letter or digit", site.ID)
		case seen[site.ID]:
			c.problem(path+".id", "the id %s is given to two sites", site.ID)
		}
		seen[site.ID] = true
		c.web(path+".url", site.URL)
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
	if _, named := c.places["terms"]; named && len(c.Config.Terms) == 0 {
		c.problem("terms", "the list is empty; write a rule, or remove the key to open everything")
		return
	}
	c.vocabulary()
	if !c.rsl() {
		return
	}
	compiled, err := c.Config.CompileTerms()
	for _, e := range flatten(err) {
		var rule *policy.RuleError
		if errors.As(e, &rule) {
			c.problem(fmt.Sprintf("terms[%d].%s", rule.Rule, rule.Field), "%s", rule.Detail)
		}
	}
	if err == nil {
		for _, w := range compiled.Warnings() {
			c.warning(fmt.Sprintf("terms[%d]", w.Rule), "%s", w.Detail)
		}
	}
}

// vocabulary looks at the names that rules match on: one that nothing has is a slip, and the rule would be dodged
// by everything.
func (c *checks) vocabulary() {
	for i, rule := range c.Config.Terms {
		c.matchNames(fmt.Sprintf("terms[%d].match", i), rule.Match)
	}
}

// matchNames looks at the names in the conditions at a path.
func (c *checks) matchNames(path string, match policy.Match) {
	var sites, sources []string
	for _, site := range c.Config.AllSites() {
		sites = append(sites, site.ID)
	}
	for _, source := range c.Config.AllSources() {
		sources = append(sources, source.Name)
	}
	path += "."
	for n, site := range match.Site {
		if !slices.Contains(sites, site) && site != "" {
			c.problem(fmt.Sprintf("%ssite[%d]", path, n), "there is no site %s; there are %s", site, strings.Join(sites, ", "))
		}
	}
	for n, source := range match.Source {
		if !slices.Contains(sources, source) && source != "" {
			c.warning(fmt.Sprintf("%ssource[%d]", path, n), "no source named %s is configured", source)
		}
	}
	for n, name := range match.Type {
		if _, known := content.KnownType(policy.BareType(name)); !known && name != "" {
			c.warning(fmt.Sprintf("%stype[%d]", path, n), "schema.org has no type %s; only items that are marked so will match", name)
		}
	}
}

// CompileTerms makes the rules ready, with content rules among them. Types are written as schema.org writes them, whatever their
// case.
func (c Config) CompileTerms(added ...overrides.Rule) (*policy.Terms, error) {
	return c.compileTerms(nil, added)
}

// compileTerms is CompileTerms with what the sites state.
func (c Config) compileTerms(stated []*policy.RSL, added []overrides.Rule) (*policy.Terms, error) {
	rules, at := policy.With(c.Terms, rulesOf(added))
	named := map[int]string{}
	for i, r := range added {
		named[at+i] = r.Name()
	}
	rules = slices.Clone(rules)
	for i := range rules {
		rules[i].Match.Type = canonicalTypes(rules[i].Match.Type)
	}
	documents, err := c.readRSL()
	if err != nil {
		return nil, err
	}
	return policy.Options{IsA: content.IsA, RSL: append(documents, stated...), Named: named}.New(rules)
}

// canonicalTypes writes types as schema.org does.
func canonicalTypes(names []string) []string {
	names = slices.Clone(names)
	for n, name := range names {
		if canonical, known := content.KnownType(policy.BareType(name)); known {
			names[n] = canonical
		}
	}
	return names
}

// flatten takes joined errors apart.
func flatten(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()
	}
	return nil
}
