// Package robots reads robots.txt (RFC 9309): which paths a crawler may fetch, how often, and where
// the site keeps its maps. It knows three lines beside the RFC's: Crawl-delay, Sitemap and
// Schemamap.
//
// Enter at Parse. The package has no I/O; package fetch asks sites for the file and decides what a
// missing or broken one means.
package robots

import (
	"bytes"
	"math"
	"strconv"
	"strings"
	"time"
)

// MaxBytes is how much of a file is read (RFC 9309 §2.5); what comes after it is not there.
const MaxBytes = 500 << 10

// Rules are what a robots.txt says. The nil Rules allow everything.
type Rules struct {
	// Sitemaps are the addresses of Sitemap lines, Schemamaps those of Schemamap lines, and
	// Licenses those of License lines, which RSL 1.0 has; as written, in order. They hold for every
	// visitor.
	Sitemaps, Schemamaps, Licenses []string

	groups []*group
}

// group is what holds for some visitors.
type group struct {
	agents []string // product tokens in lower case, or "*"
	rules  []rule
	delay  time.Duration
}

// Parse reads a file. It never fails: lines that it cannot read say nothing (RFC 9309 §2.2).
func Parse(text []byte) *Rules {
	if len(text) > MaxBytes {
		text = text[:MaxBytes]
		text = text[:bytes.LastIndexAny(text, "\r\n")+1] // half a line may say the opposite of the whole
	}
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	p := parser{rules: &Rules{}}
	for len(text) > 0 {
		end := bytes.IndexAny(text, "\r\n")
		if end < 0 {
			end = len(text)
		}
		p.line(string(text[:end]))
		text = text[min(end+1, len(text)):]
	}
	return p.rules
}

// parser reads line by line.
type parser struct {
	rules *Rules
	group *group // the one that lines belong to; nil before the first
	open  bool   // further User-agent lines join the group
}

func (p *parser) line(line string) {
	line, _, _ = strings.Cut(line, "#")
	key, value, found := strings.Cut(line, ":")
	if !found {
		return
	}
	value = strings.Trim(value, " \t")
	switch strings.ToLower(strings.Trim(key, " \t")) {
	case "user-agent":
		p.agent(value)
	case "allow":
		p.rule(value, true)
	case "disallow":
		p.rule(value, false)
	case "crawl-delay":
		p.delay(value)
	case "sitemap":
		p.rules.Sitemaps = appendText(p.rules.Sitemaps, value)
	case "schemamap":
		p.rules.Schemamaps = appendText(p.rules.Schemamaps, value)
	case "license":
		p.rules.Licenses = appendText(p.rules.Licenses, value)
	}
}

func appendText(all []string, value string) []string {
	if value == "" {
		return all
	}
	return append(all, value)
}

func (p *parser) agent(value string) {
	if !p.open {
		p.group = &group{}
		p.rules.groups = append(p.rules.groups, p.group)
		p.open = true
	}
	if token := Token(value); token != "" {
		p.group.agents = append(p.group.agents, token)
	}
}

// Token is the product token at the beginning of a User-Agent value, in lower case: "Frontdesk/1
// (+https://…)" gives "frontdesk". A star stays a star.
func Token(agent string) string {
	if strings.HasPrefix(agent, "*") {
		return "*"
	}
	end := strings.IndexFunc(agent, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '-' || r == '_')
	})
	if end >= 0 {
		agent = agent[:end]
	}
	return strings.ToLower(agent)
}

// rule adds a rule to the group. A rule before any User-agent line holds for nobody. A pattern
// without the slash that every path begins with is read as if it were there, as most crawlers do.
func (p *parser) rule(pattern string, allow bool) {
	p.open = false
	if p.group == nil || pattern == "" {
		return
	}
	if pattern[0] != '/' && pattern[0] != '*' {
		pattern = "/" + pattern
	}
	p.group.rules = append(p.group.rules, newRule(pattern, allow))
}

// delay reads Crawl-delay: seconds, perhaps with a fraction.
func (p *parser) delay(value string) {
	p.open = false
	seconds, err := strconv.ParseFloat(value, 64)
	if p.group == nil || err != nil || !(seconds > 0) {
		return
	}
	p.group.delay = time.Duration(min(seconds, math.MaxInt32) * float64(time.Second))
}

// Allowed says whether a visitor may fetch a path. agent is its User-Agent or product token; path
// is what stands after the host in the address, with the query.
func (r *Rules) Allowed(agent, path string) bool {
	if r == nil {
		return true
	}
	path = canonical(path)
	if path == "" {
		path = "/"
	}
	if path == "/robots.txt" {
		return true
	}
	best, allowed := -1, true
	for _, g := range r.groupsFor(agent) {
		for _, rule := range g.rules {
			switch weight := len(rule.text); {
			case weight < best, weight == best && !rule.allow, !rule.match(path):
			default:
				best, allowed = weight, rule.allow
			}
		}
	}
	return allowed
}

// CrawlDelay is the time that a visitor is asked to let pass between two requests; 0 when nothing
// is said.
func (r *Rules) CrawlDelay(agent string) time.Duration {
	var longest time.Duration
	if r != nil {
		for _, g := range r.groupsFor(agent) {
			longest = max(longest, g.delay)
		}
	}
	return longest
}

// groupsFor gives the groups that hold for a visitor: those that name it, else those for everyone
// (RFC 9309 §2.2.1).
func (r *Rules) groupsFor(agent string) []*group {
	token := Token(agent)
	var named, everyone []*group
	for _, g := range r.groups {
		for _, a := range g.agents {
			switch {
			case a == "*":
				everyone = append(everyone, g)
			case a == token:
				named = append(named, g)
			}
		}
	}
	if named != nil {
		return named
	}
	return everyone
}
