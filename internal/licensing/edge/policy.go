package edge

import (
	"math"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"frontdesk/internal/policy"
	gate "frontdesk/wire/edge"
	wire "frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
)

// Access is how far a path is open (RAMP v1, ResourceAccessPolicy).
type Access string

// The values of Access, in the order of how much they keep back.
const (
	Open     Access = "open"     // to everyone
	Licensed Access = "licensed" // to AI agents that bought it
	Blocked  Access = "blocked"  // to no AI agent
)

// order is how much is kept back.
var order = []Access{Open, Licensed, Blocked}

// stricter is the one of two that keeps more back.
func stricter(a, b Access) Access { return order[max(slices.Index(order, a), slices.Index(order, b))] }

// Rule says how far the paths are open that fit a pattern, in which a star stands for any run of
// characters, slashes among them, and all else for itself, percent-encoded as in an address.
type Rule struct {
	Pattern string
	Access  Access
	// Parties say whom the rule is for: those whom each of them admits. To others the paths are
	// blocked.
	Parties []policy.Restriction
}

// Policy says how open the paths of a site are (RAMP v1, AccessPolicy). It is immutable.
type Policy struct {
	otherwise     Access
	rules         []Rule
	exact, folded map[string]int // by path, of the patterns without a star: the first rule
	globs         []glob
	capitals      bool // there are some in patterns
	byParty       bool // other parties are given other answers
}

// closed is the policy without what it opens: for who does not know what else is said of the paths.
func (p *Policy) closed() *Policy {
	close := func(a Access) Access {
		if a == Open {
			return Blocked
		}
		return a
	}
	rules := slices.Clone(p.rules)
	for i := range rules {
		rules[i].Access = close(rules[i].Access)
	}
	return NewPolicy(close(p.otherwise), rules)
}

// glob is the pattern of a rule that has stars.
type glob struct {
	rule         int
	text, folded string
}

// NewPolicy makes a policy: of several rules the first that fits counts, and where none does, what
// is so otherwise.
func NewPolicy(otherwise Access, rules []Rule) *Policy {
	p := &Policy{otherwise: otherwise, exact: map[string]int{}, folded: map[string]int{}}
	for i, rule := range rules {
		p.rules = append(p.rules, rule)
		p.byParty = p.byParty || len(rule.Parties) > 0
		text := canonicalPattern(rule.Pattern, func(part string) string { return part })
		low := canonicalPattern(rule.Pattern, folded)
		p.capitals = p.capitals || low != text
		if strings.Contains(text, "*") {
			p.globs = append(p.globs, glob{i, text, low})
			continue
		}
		for into, key := range map[*map[string]int]string{&p.exact: text, &p.folded: low} {
			if _, there := (*into)[key]; !there {
				(*into)[key] = i
			}
		}
	}
	return p
}

// canonicalPattern brings what stands between the stars into the spelling of readings, as of is
// told of it.
func canonicalPattern(pattern string, as func(string) string) string {
	parts := strings.Split(pattern, "*")
	for i, part := range parts {
		if plain, err := url.PathUnescape(part); err == nil {
			part = plain
		}
		parts[i] = escaped(as(part))
	}
	return strings.Join(parts, "*")
}

// folded is a text in its compatibility form (NFKC) without the difference of capitals, as file
// systems that know none read it.
func folded(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return r > unicode.MaxASCII }) {
		return strings.ToLower(text)
	}
	return strings.Map(func(r rune) rune { return unicode.ToLower(unicode.ToUpper(r)) }, norm.NFKC.String(text))
}

// At says how far a path is open to a party, as it stands in an address; nil is whoever is given
// most. Where an origin may read it in several ways, in capitals or not among them, the strictest
// counts. ok is false for a path that cannot be judged.
func (p *Policy) At(raw string, party *policy.Party) (access Access, ok bool) {
	ways, err := readings(raw)
	if err != nil {
		return "", false
	}
	access = Open
	for _, way := range ways {
		plain := escaped(way)
		access = stricter(access, p.at(plain, p.exact, func(g glob) string { return g.text }, party))
		if low := escaped(folded(way)); low != plain || p.capitals {
			access = stricter(access, p.at(low, p.folded, func(g glob) string { return g.folded }, party))
		}
	}
	return access, true
}

// at is At for one reading.
func (p *Policy) at(path string, exact map[string]int, text func(glob) string, party *policy.Party) Access {
	first, ok := exact[path]
	if !ok {
		first = math.MaxInt
	}
	for _, g := range p.globs {
		if g.rule > first {
			break
		}
		if policy.MatchStars(text(g), path, true) {
			first = g.rule
			break
		}
	}
	if first == math.MaxInt {
		return p.otherwise
	}
	if party != nil && !policy.Admit(p.rules[first].Parties, *party) {
		return Blocked
	}
	return p.rules[first].Access
}

// PolicyOf is the policy of the rules that an Exchange made for gates.
func PolicyOf(said []gate.GateRule) *Policy {
	rules := make([]Rule, len(said))
	for i, rule := range said {
		rules[i] = Rule{Pattern: rule.Pattern, Access: Access(rule.Access)}
		for _, r := range rule.Parties {
			rules[i].Parties = append(rules[i].Parties, policy.Restriction(r))
		}
	}
	return NewPolicy(Blocked, rules)
}

// ReadPolicy reads an access policy as an Exchange tells it (RAMP v1, AccessPolicy). What it leaves
// open is as otherwise says.
func ReadPolicy(text []byte, otherwise Access) (*Policy, error) {
	m := &rampv1.AccessPolicy{}
	if err := wire.Unmarshal(text, m); err != nil {
		return nil, err
	}
	if err := wire.Validate(m); err != nil {
		return nil, err
	}
	said := func(p rampv1.ResourceAccessPolicy) Access {
		switch p {
		case rampv1.ResourceAccessPolicy_RESOURCE_ACCESS_POLICY_OPEN:
			return Open
		case rampv1.ResourceAccessPolicy_RESOURCE_ACCESS_POLICY_LICENSED:
			return Licensed
		case rampv1.ResourceAccessPolicy_RESOURCE_ACCESS_POLICY_BLOCKED:
			return Blocked
		}
		return otherwise
	}
	rules := make([]Rule, 0, len(m.GetRules()))
	for _, rule := range m.GetRules() {
		rules = append(rules, Rule{Pattern: rule.GetPattern(), Access: said(rule.GetPolicy())})
	}
	return NewPolicy(said(m.GetDefaultPolicy()), rules), nil
}
