package policy

import (
	"slices"
	"strings"
)

// Policy is what the rules say of the addresses of one host by their paths alone (RAMP v1,
// AccessPolicy).
type Policy struct {
	Default Access        // of paths that no rule is for
	Parties []Restriction // of the default, as a rule has them
	Rules   []PathRule
}

// PathRule is what is so of the paths that fit a pattern. A star stands for any run of characters,
// slashes among them; all else for itself, percent-encoded as in an address. Of several rules the
// first that fits counts.
type PathRule struct {
	Pattern string
	Access  Access
	// Parties say whom the rule is for: those whom each of them admits. To others the paths are
	// blocked.
	Parties []Restriction
}

// maxDeep is how many "**" a pattern may have that is written for others: each of them doubles the
// patterns.
const maxDeep = 4

// Policy gives what the rules say of the addresses of a host, which belongs to a site, by their
// paths alone, for the party whose terms they are. A rule that also asks for something else, such
// as a type or a source, is passed over.
func (t *Terms) Policy(site, host string) Policy {
	p := Policy{Default: Blocked}
	for i := range t.rules {
		c := &t.rules[i]
		s := subject{Facts: Facts{Site: site}, host: host, read: true}
		if len(c.types) > 0 || len(c.rule.Match.Source) > 0 || !c.matchesSite(&s) || !c.matchesHost(&s) {
			continue
		}
		access, parties := c.rule.Access, c.rule.Parties.AsList()
		if t.refuses(i) {
			access = Blocked
		}
		if len(c.paths) == 0 {
			p.Default, p.Parties = access, parties
			break
		}
		for _, glob := range c.paths {
			for _, pattern := range glob.written() {
				p.Rules = append(p.Rules, PathRule{pattern, access, parties})
			}
		}
	}
	return p
}

// For is the policy as a party may read it: what is not for the party is blocked.
func (p *Policy) For(party Party) Policy {
	own := Policy{Default: accessFor(p.Default, p.Parties, party)}
	for _, rule := range p.Rules {
		own.Rules = append(own.Rules, PathRule{Pattern: rule.Pattern,
			Access: accessFor(rule.Access, rule.Parties, party)})
	}
	return own
}

// AsksParties says whether the policy is another one for other parties.
func (p *Policy) AsksParties() bool {
	return len(p.Parties) > 0 || slices.ContainsFunc(p.Rules, func(r PathRule) bool { return len(r.Parties) > 0 })
}

func accessFor(access Access, parties []Restriction, party Party) Access {
	if !Admit(parties, party) {
		return Blocked
	}
	return access
}

// At says what the policy says of a path, as it stands in an address.
func (p *Policy) At(path string) Access {
	for _, rule := range p.Rules {
		if rule.fits(path) {
			return rule.Access
		}
	}
	return p.Default
}

// Rule is the index of the rule that At goes by, -1 for none.
func (p *Policy) Rule(path string) int {
	return slices.IndexFunc(p.Rules, func(r PathRule) bool { return r.fits(path) })
}

// fits takes a star of the path for what it is in patterns that mean one: percent-encoded.
func (r PathRule) fits(path string) bool {
	return MatchStars(r.Pattern, strings.ReplaceAll(path, "*", "%2A"), true)
}

// Stricter says whether what has the access a is kept back more than what has b.
func (a Access) Stricter(b Access) bool {
	order := []Access{Open, Licensed, Blocked}
	return slices.Index(order, a) > slices.Index(order, b)
}

// written gives the glob as patterns in which a star stands for any run of characters: one for each
// way in which a "**" may stand for nothing or for something, and with and without a slash at the
// end. Where a star within a segment is written, more fits than the glob means. There are none for
// a glob with too many "**".
func (g pathGlob) written() []string {
	texts := []string{""}
	deep := 0
	for i, segment := range g.segments {
		if !segment.deep {
			for k := range texts {
				texts[k] += "/" + escaped(segment.parts)
			}
			continue
		}
		if deep++; deep > maxDeep {
			return nil
		}
		with := slices.Clone(texts)
		for k := range with {
			with[k] += "/*"
		}
		if i == len(g.segments)-1 {
			return rooted(append(texts, with...)) // what ends in a star needs no slash at the end
		}
		texts = append(texts, with...)
	}
	all := rooted(texts)
	for _, text := range slices.Clone(all) {
		if !strings.HasSuffix(text, "/") && !strings.HasSuffix(text, "*") {
			all = append(all, text+"/")
		}
	}
	return all
}

// rooted writes the pattern of the root.
func rooted(texts []string) []string {
	for i, text := range texts {
		if text == "" {
			texts[i] = "/"
		}
	}
	return texts
}

// escaped writes the literal parts of a segment between stars as they stand in an address.
func escaped(parts []string) string {
	const digits = "0123456789ABCDEF"
	var b strings.Builder
	for i, part := range parts {
		if i > 0 {
			b.WriteByte('*')
		}
		for k := range len(part) {
			c := part[k]
			if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' ||
				strings.IndexByte("-._~:@!&'()+,;=", c) >= 0 {
				b.WriteByte(c)
			} else {
				b.WriteByte('%')
				b.WriteByte(digits[c>>4])
				b.WriteByte(digits[c&15])
			}
		}
	}
	return b.String()
}
