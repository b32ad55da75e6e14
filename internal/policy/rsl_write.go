package policy

import (
	"maps"
	"slices"
	"strings"

	"frontdesk/wire/licence"
)

// Licensing is what an RSL document is to say of the addresses of one host.
type Licensing struct {
	// Paths are the rules for paths alone, of which the first that fits counts, as Terms.Paths
	// gives them.
	Paths []PathLicense
	// Single are licences of single paths, percent-encoded as in an address, which count before the
	// others.
	Single map[string]string
	// Rest is the licence of every other path; empty to say nothing of them.
	Rest string
}

// PathLicense is the licence of the paths that fit a pattern (see PathRule).
type PathLicense struct {
	Pattern string
	Rule    int    // index of the rule
	License string // as Decision.RSL gives it
	Inexact bool   // more fits the pattern than the rule is for: its star stands for no slash, and for something
}

// Paths gives what the rules say of the addresses of a host, which belongs to a site, by their
// paths alone, as licences; rest is the licence of all others. Rules that also ask for something
// else, such as a type, are passed over: what they are for has to be looked for item by item. What
// RSL documents add to a rule cannot be said for its paths, which then permit nothing.
func (t *Terms) Paths(site, host string, fallback Money, how string) (l Licensing) {
	l.Rest = RSLNothing
	for i := range t.rules {
		c := &t.rules[i]
		s := subject{Facts: Facts{Site: site}, host: host, read: true}
		if len(c.types) > 0 || len(c.rule.Match.Source) > 0 || !c.matchesSite(&s) || !c.matchesHost(&s) {
			continue
		}
		license := c.decision.RSL(fallback, how)
		if t.refuses(i) || len(t.rsl) > 0 && c.rule.Imported != importedIgnore {
			license = RSLNothing
		}
		if len(c.paths) == 0 {
			l.Rest = license
			return l
		}
		for _, glob := range c.paths {
			patterns := glob.written()
			if patterns == nil { // it cannot be said, so that nothing behind it can
				return l
			}
			deep := slices.ContainsFunc(glob.segments, func(s segmentGlob) bool { return s.deep })
			stars := slices.ContainsFunc(glob.segments, func(s segmentGlob) bool { return len(s.parts) > 1 })
			for _, pattern := range patterns {
				p := PathLicense{Pattern: pattern, Rule: i, License: license}
				begin, star := strings.CutSuffix(pattern, "*")
				p.Inexact = star && !deep
				if strings.Contains(begin, "*") || star && deep && stars { // which may stand for a part of a query, too
					p.License, p.Inexact = RSLNothing, false
				}
				l.Paths = append(l.Paths, p)
			}
		}
	}
	return l
}

// At gives the licence of a path, as it stands in an address, and the index of its PathLicense; -1
// for Rest.
func (l *Licensing) At(path string) (license string, at int) {
	for i, p := range l.Paths {
		if (PathRule{Pattern: p.Pattern}).fits(path) {
			return p.License, i
		}
	}
	return l.Rest, -1
}

// RSL writes an RSL 1.0 document for the addresses of an origin, such as https://www.example.com.
// In RSL the longest pattern counts, and not the first: where that would say more than is so, a
// pattern permits nothing.
func (l *Licensing) RSL(origin string) []byte {
	var all []PathLicense
	for _, path := range slices.Sorted(maps.Keys(l.Single)) {
		all = append(all, PathLicense{Pattern: strings.ReplaceAll(path, "*", "%2A"), License: l.Single[path]})
	}
	singles := len(all)
	all = append(all, l.Paths...)
	if l.Rest != "" {
		all = append(all, PathLicense{Pattern: "/*", License: l.Rest})
	}
	var b strings.Builder
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>` + "\n" + licence.Mark + "\n" + `<rsl xmlns="https://rslstandard.org/rsl">` + "\n")
	content := func(pattern, license string) {
		b.WriteString(`  <content url="` + licence.Escape(origin+pattern) + `">` + license + "</content>\n")
	}
	for i, p := range all {
		if i >= singles {
			license, covered := p.within(all[:i])
			if covered {
				continue
			}
			p.License = license
		}
		for _, pattern := range rslPatterns(p.Pattern) {
			content(pattern, p.License)
		}
		if p.Inexact {
			for _, pattern := range p.beyond() {
				content(pattern, RSLNothing)
			}
		}
	}
	b.WriteString("</rsl>\n")
	return []byte(b.String())
}

// within gives the licence of a pattern beside those before it, which count first: its own, or
// nothing where one of them would lose to it by its length. covered says that it never counts.
func (p PathLicense) within(before []PathLicense) (license string, covered bool) {
	license = p.License
	for _, q := range before {
		switch {
		case !meet(q.Pattern, p.Pattern):
		case !q.Inexact && q.takesIn(p):
			return "", true
		case (q.License != p.License || q.Inexact) && q.least() <= p.most():
			license = RSLNothing
		}
	}
	return license, false
}

// least and most are how long the pattern is at the least, and at the most, by those who count with
// and without a dollar sign.
func (p PathLicense) least() int { return len(strings.TrimSuffix(p.Pattern, "*")) }

func (p PathLicense) most() int {
	if begin, ok := strings.CutSuffix(p.Pattern, "*"); ok {
		return len(begin)
	}
	return len(p.Pattern) + 1
}

// takesIn says whether all that fits p fits q, as far as that is seen at once: p is q, or has no
// star, or q is a beginning of it.
func (q PathLicense) takesIn(p PathLicense) bool {
	if !strings.Contains(p.Pattern, "*") {
		return (PathRule{Pattern: q.Pattern}).fits(p.Pattern)
	}
	begin, star := strings.CutSuffix(q.Pattern, "*")
	return q.Pattern == p.Pattern || star && !strings.Contains(begin, "*") && strings.HasPrefix(p.Pattern, begin)
}

// meet says whether a path fits both patterns. It may say yes where none does.
func meet(a, b string) bool {
	headA, _, starA := strings.Cut(a, "*")
	headB, _, starB := strings.Cut(b, "*")
	switch {
	case !starA && !starB:
		return a == b
	case !starA:
		return MatchStars(b, a, true)
	case !starB:
		return MatchStars(a, b, true)
	}
	tailA, tailB := a[strings.LastIndexByte(a, '*')+1:], b[strings.LastIndexByte(b, '*')+1:]
	begins := strings.HasPrefix(headA, headB) || strings.HasPrefix(headB, headA)
	return begins && (strings.HasSuffix(tailA, tailB) || strings.HasSuffix(tailB, tailA))
}

// rslPatterns writes a pattern as RSL has them (RFC 9309, section 2.2.3): a beginning of path and
// query, unless a dollar sign ends it. A path is for its address with every query, too.
func rslPatterns(pattern string) []string {
	if begin, ok := strings.CutSuffix(pattern, "*"); ok {
		return []string{begin}
	}
	return []string{pattern + "$", pattern + "?"}
}

// beyond are patterns for what fits an inexact pattern and has another slash, or nothing in place
// of the star. They are longer than it.
func (p PathLicense) beyond() []string {
	all := rslPatterns(p.Pattern + "/*")
	if begin := strings.TrimSuffix(p.Pattern, "*"); strings.HasSuffix(begin, "/") {
		all = append(all, rslPatterns(begin)...)
	}
	return all
}
