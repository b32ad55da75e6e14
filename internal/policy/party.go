package policy

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// Party is who asks, as far as rules ask for it. The zero value is somebody of whom nothing is
// known.
type Party struct {
	Proven Traits // by a signature, a credential or an address
	Said   Traits // by nothing but its own word
}

// Traits are what a party is.
type Traits struct {
	Classes []string // of PartyClasses
	// Operators are the origins of who runs an automated client, such as https://openai.com, or the
	// domain of who buys.
	Operators []string
	Name      string // how the client calls itself, such as GPTBot
}

// The classes of parties. Kinds of agents are as the list of known agents has them.
const (
	PartyVerified  = "verified"  // an automated client whose signature was verified
	PartyKnown     = "known"     // somebody who showed a credential that this front desk gave out or takes
	PartyAgent     = "agent"     // an automated client, which proves it or says so
	PartyAnonymous = "anonymous" // none of these
)

// PartyClasses is the vocabulary of classes.
var PartyClasses = []string{PartyVerified, PartyKnown, PartyAgent, PartyAnonymous, "training", "search", "assistant",
	"data"}

// Shown are the parties as whom an owner sees what is decided: somebody of whom nothing is known, a
// platform with a key of this front desk, and a buyer whose signature is verified.
var Shown = []struct {
	As    string
	Party Party
}{
	{"stranger", Party{}},
	{"platform", Party{Proven: Traits{Classes: []string{PartyKnown}}}},
	{"buyer", Party{Proven: Traits{Classes: []string{PartyKnown, PartyVerified}}}},
}

// are says whether traits are meant by a word of a rule: a class, an operator's origin or host, or
// an agent's name. below has an operator's host stand for those below it, too, and for all its
// ports.
func (t *Traits) are(word string, below bool) bool {
	if slices.Contains(t.Classes, word) {
		return true
	}
	if host, ok := operatorHost(word); ok {
		return slices.ContainsFunc(t.Operators, func(operator string) bool {
			own, _ := operatorHost(operator)
			return own != "" && (own == host || below && under(own, host))
		})
	}
	return t.Name != "" && strings.EqualFold(word, t.Name)
}

// under says whether a host is another one, or below it, at whatever port.
func under(own, host string) bool {
	for _, h := range []*string{&own, &host} {
		if u, err := url.Parse("https://" + *h); err == nil {
			*h = u.Hostname()
		}
	}
	return own == host || strings.HasSuffix(own, "."+host)
}

func (t *Traits) none() bool { return len(t.Classes) == 0 && len(t.Operators) == 0 && t.Name == "" }

// IsOperator says whether a word of a rule means an operator: an origin, or a host.
func IsOperator(word string) bool {
	_, ok := operatorHost(word)
	return ok
}

// operatorHost is the host, and port where there is one, of an operator as a rule names it:
// https://openai.com or openai.com.
func operatorHost(word string) (host string, ok bool) {
	host = strings.ToLower(word)
	if rest, isOrigin := strings.CutPrefix(host, "https://"); isOrigin {
		host = strings.TrimSuffix(rest, "/")
	}
	u, err := url.Parse("https://" + host)
	ok = err == nil && u.Host == host && host != "" && u.User == nil && strings.Contains(u.Hostname(), ".") &&
		!strings.ContainsAny(host, " *")
	return host, ok
}

// admits says whether a restriction of parties lets one pass. To be permitted it must prove what it
// is; to be prohibited its own word is enough.
func (r Restriction) admits(p *Party) bool {
	if slices.ContainsFunc(r.Prohibit, func(word string) bool {
		return p.Proven.are(word, true) || p.Said.are(word, true) ||
			word == PartyAnonymous && p.Proven.none() && p.Said.none()
	}) {
		return false
	}
	return len(r.Permit) == 0 ||
		slices.ContainsFunc(r.Permit, func(word string) bool { return p.Proven.are(word, false) })
}

// Admit says whether each of several restrictions of parties lets one pass.
func Admit(all []Restriction, p Party) bool {
	return !slices.ContainsFunc(all, func(r Restriction) bool { return !r.admits(&p) })
}

// AsList is a list of the restriction: empty where everything passes.
func (r Restriction) AsList() []Restriction {
	if r.none() {
		return nil
	}
	return []Restriction{r}
}

// variants are the terms for parties, by the rules that do not admit them. They share their rules.
type variants struct {
	mu   sync.Mutex
	made map[string]*Terms
}

// maxVariants bounds what is kept: each is a view of the content for those who share it.
const maxVariants = 256

// For gives the terms as they hold for a party. Where no rule asks who it is, they are the same for
// all; parties whom the same rules admit share theirs. Terms that were not made for anybody hold
// for one of whom nothing is known.
func (t *Terms) For(p Party) *Terms {
	if t.parties == nil {
		return t
	}
	return t.variant(func(r Restriction) bool { return r.admits(&p) })
}

// ForAny gives the terms for one whom every rule admits: nobody is released more. It is for what is
// kept ready for all, and not for anybody who asks.
func (t *Terms) ForAny() *Terms {
	if t.parties == nil {
		return t
	}
	return t.variant(func(Restriction) bool { return true })
}

func (t *Terms) variant(admits func(Restriction) bool) *Terms {
	refused := make([]byte, len(t.rules))
	for i := range t.rules {
		if refused[i] = '0'; !admits(t.rules[i].rule.Parties) {
			refused[i] = '1'
		}
	}
	if string(refused) == t.refused {
		return t
	}
	v := t.parties
	v.mu.Lock()
	defer v.mu.Unlock()
	made := v.made[string(refused)]
	if made == nil {
		copied := *t
		made, copied.refused = &copied, string(refused)
		if copied.passing = len(v.made) >= maxVariants; copied.passing { // which only very many rules can come to
			return made
		}
		v.made[string(refused)] = made
	}
	return made
}

// Passing says that the terms were made for one request, as there are too many parties to keep them
// apart: what is made of them is not to be kept.
func (t *Terms) Passing() bool { return t.passing }

// asksParties says whether any rule asks who it is that asks.
func (t *Terms) asksParties() bool {
	return slices.ContainsFunc(t.rules, func(c compiled) bool { return !c.rule.Parties.none() })
}

// DependsOnParty says whether the terms are others for other parties, so that what is answered by
// them must not be kept for everybody.
func (t *Terms) DependsOnParty() bool { return t.parties != nil }

// refuses says whether the rule of an index does not admit the party for whom the terms are.
func (t *Terms) refuses(rule int) bool { return t.parties != nil && t.refused[rule] == '1' }

// refusal is the decision on an item of a rule that does not admit the party.
func (c *compiled) refusal() Decision {
	return Decision{Access: Blocked, Rule: c.index, Line: c.rule.Line, Parties: c.rule.Parties,
		Reason: fmt.Sprintf("%s matches: %s; it is for certain parties (%s), and who asks is not among them, "+
			"so the item "+
			"is blocked", c.name(), c.conditions(), c.rule.Parties)}
}

// checkParties looks at the words for parties. A misspelled class must not be taken for an agent's
// name: agents are those whose names are known.
func (c *checker) checkParties(r Restriction, agents []string) {
	c.filled("parties", r)
	r.each(func(name string, list []string) {
		for i, word := range list {
			field := fmt.Sprintf("parties.%s[%d]", name, i)
			_, isHost := operatorHost(word)
			switch {
			case name == "permit" && word == PartyAnonymous:
				c.report(field, "anonymous cannot be permitted, since nothing proves it; prohibit others instead")
			case name == "permit" && slices.Contains(r.Prohibit, word):
				c.report(field, "%q is prohibited by the same rule; keep one of the two", word)
			case isHost, slices.Contains(PartyClasses, word),
				slices.ContainsFunc(agents, func(agent string) bool { return strings.EqualFold(agent, word) }):
			default:
				c.report(field, "%q is no class of parties (%s), no operator's origin like https://openai.com, and no "+
					"agent of the list; add the agent to agents.known, or correct the word", word,
					strings.Join(PartyClasses, ", "))
			}
		}
	})
}
