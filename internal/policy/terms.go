// Package policy holds the owner's terms and decides by them. It is pure: rules and facts go in, a
// [Decision] comes out, without a clock and without I/O. Every protocol therefore gets the same
// answer, and a test can ask every question.
//
// The rules are an ordered list. The first rule that matches an item decides, and an item that no
// rule matches is blocked. If a rule asks for the address of an item and the address cannot be
// read, the item is blocked.
//
// The package owns the rules, prices and restrictions, and the licences that RSL documents,
// sitemaps and markup state. It must not know how somebody proved who it is, what is stored, or how
// a protocol writes a decision. Enter by [New], [Terms.For] with the party that asks, and
// [Terms.Decide]; [Terms.Explain] says which rule decided, and why.
package policy

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Access says how far an open door may go with an item.
type Access string

// The kinds of access.
const (
	Open     Access = "open"     // shown whole
	Licensed Access = "licensed" // shown as a notice with one fixed excerpt
	Blocked  Access = "blocked"  // not shown, not counted, not hinted at
)

// Facts are what rules can match on.
type Facts struct {
	Site   string
	Source string
	URL    string
	Types  []string
	Own    *Own // the terms that the item states of itself, as Markup reads them; nil for none
}

// Decision is what the terms decide about an item: its access, its price and its restrictions, and
// the rule that decided.
type Decision struct {
	Access       Access
	Labels       []string // editorial domains
	ExcerptWords int      // how many words of a licensed item an open door may show; 0 for none
	Permit       []string // functions that the owner permits
	Prohibit     []string // functions that the owner prohibits
	Users        Restriction
	Countries    Restriction
	Parties      Restriction   // to whom the item is given at all
	DisplayWords int           // the most words that a platform may show of the item's text; 0 for no bound
	Price        Money         // what the item costs; the zero value when the rule names no price
	Reporting    time.Duration // within which a use must be reported; 0 for never
	Delivery     []string      // the only ways of delivery; empty for all
	// of which somebody must have been granted one to be offered the item; empty for everybody
	Scopes []string
	// the terms of the item itself and of RSL documents, where they count: each of them narrows
	// what stands above
	Own    []*Own
	Rule   int    // index of the rule that decided, -1 if none matched
	Line   int    // its line in the file it came from, 0 if it came from none
	Reason string // one sentence in plain words
}

// Options tell the rules what they cannot know by themselves.
type Options struct {
	// IsA says whether the schema.org type t is ancestor itself or below it in the class tree.
	// Without it a type matches only itself.
	IsA func(t, ancestor string) bool
	// RSL are documents whose licences narrow what the rules allow.
	RSL []*RSL
	// Named are what rules are called that stand in no file, by their index.
	Named map[int]string
	// Agents are the names of known agents, which rules may name.
	Agents []string
}

// Terms are compiled rules. They never change and may be used from many goroutines.
type Terms struct {
	rules   []compiled
	isA     func(t, ancestor string) bool
	rsl     []*RSL
	version string
	parties *variants // nil where no rule asks who it is that asks
	refused string    // "1" for each rule that does not admit the party for whom the terms are, "0" for others
	passing bool      // they were made for one request; see Passing
}

// defaultRules stand in when the owner wrote no rules at all: a front desk without terms is an open
// one.
var defaultRules = []Rule{{Access: Open}}

// New compiles rules, without Options. See Options.New.
func New(rules []Rule) (*Terms, error) { return Options{}.New(rules) }

// New compiles rules. With no rules at all, everything is open. What is wrong is reported whole:
// the error joins one *RuleError for each finding.
func (o Options) New(rules []Rule) (*Terms, error) {
	t := &Terms{isA: o.IsA, rsl: o.RSL, version: version(rules, o.RSL)}
	if t.isA == nil {
		t.isA = func(a, b string) bool { return a == b }
	}
	if len(rules) == 0 {
		fallback, _ := compile(0, defaultRules[0], "", nil)
		fallback.decision.Reason = "no terms are configured, so everything is open"
		t.rules = []compiled{fallback}
		return t, nil
	}
	var findings []error
	for i, rule := range rules {
		c, errs := compile(i, rule, o.Named[i], o.Agents)
		findings = append(findings, errs...)
		t.rules = append(t.rules, c)
	}
	if len(findings) > 0 {
		return nil, errors.Join(findings...)
	}
	if t.asksParties() {
		t.parties = &variants{made: map[string]*Terms{}}
		t = t.For(Party{})
	}
	return t, nil
}

// With gives the rules of a file with others that stand behind them: before the file's last rule
// where that one is for everything else, as it is for what no other rule speaks of. Without rules
// of a file, what the others do not speak of is open. at is the index of the first of the others.
func With(file, others []Rule) (all []Rule, at int) {
	if len(others) == 0 {
		return file, len(file)
	}
	if at = len(file); at == 0 {
		return append(slices.Clone(others), defaultRules...), 0
	}
	if (&compiled{rule: file[at-1]}).matchesEverything() {
		at--
	}
	return slices.Concat(file[:at], others, file[at:]), at
}

// Rules are the rules in their order, each by what it is called, with what it asks for and what it
// decides on an item that brings along no terms of its own.
func (t *Terms) Rules() (all []PlacedRule) {
	for i := range t.rules {
		c := &t.rules[i]
		all = append(all, PlacedRule{Rule: i, Line: c.rule.Line, Named: c.named, Conditions: c.conditions(),
			Written: c.rule, Decision: c.decision, everything: c.matchesEverything()})
	}
	return all
}

// Last is the index of the last rule.
func (t *Terms) Last() int { return len(t.rules) - 1 }

// Matches says whether the rule of an index, as Rules has it, is for an item, whichever rule
// decides on it.
func (t *Terms) Matches(rule int, facts Facts) bool {
	matched, _ := t.rules[rule].matches(&subject{Facts: facts}, t.isA)
	return matched
}

// Name is what explanations and errors call the rule.
func (s PlacedRule) Name() string { return ruleName(s.Rule, s.Line, s.Named) }

// MatchesAll reports whether the rule has no conditions.
func (s PlacedRule) MatchesAll() bool { return s.everything }

// PlacedRule is a rule with its place in the list.
type PlacedRule struct {
	Rule       int    // index of the rule
	Line       int    // its line in the file it came from, 0 if it came from none
	Named      string // what it is called where it stands in no file
	Conditions string // what it asks for, in words
	Written    Rule
	Decision   Decision

	everything bool
}

// Version identifies the rules: equal rules have equal versions, wherever they stand in their file.
func (t *Terms) Version() string { return t.version }

// RulesVersion is the version of terms that are these rules and nothing else.
func RulesVersion(rules []Rule) string { return version(rules, nil) }

// version hashes the rules' canonical form. Line numbers are no part of it: moving a rule in its
// file changes nothing that anyone is told.
func version(rules []Rule, documents []*RSL) string {
	plain := slices.Clone(rules)
	for i := range plain {
		plain[i].Line = 0
	}
	text, err := json.Marshal(plain)
	if err != nil {
		panic("terms: rules are plain data and always encode: " + err.Error())
	}
	for _, document := range documents {
		sum := sha256.Sum256(document.text)
		text = append(text, sum[:]...)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16])
}

// Decide finds the first rule that matches and says what it says.
func (t *Terms) Decide(facts Facts) Decision {
	item := subject{Facts: facts}
	for i := range t.rules {
		switch matched, unclear := t.rules[i].matches(&item, t.isA); {
		case unclear:
			return t.unclear(i, &item)
		case matched && t.refuses(i):
			return t.rules[i].refusal()
		case matched:
			return t.rules[i].decide(t.imported(&item))
		}
	}
	return unmatched
}

// unmatched is the decision on an item that no rule speaks of.
var unmatched = Decision{Access: Blocked, Rule: -1, Reason: "no rule matches, so the item is blocked"}

// unclear is the decision when rule i asks for an address that cannot be read: nobody can say
// whether the rule was meant for this item, so the item stays inside.
func (t *Terms) unclear(i int, item *subject) Decision {
	return Decision{
		Access: Blocked,
		Rule:   i,
		Line:   t.rules[i].rule.Line,
		Reason: fmt.Sprintf("%s asks for the address, and the address cannot be read (%s), so the item is blocked",
			t.rules[i].name(), item.problem),
	}
}

// Allows says whether the decision lets an item be used for a function ("search", "ai-input") by
// somebody of whom nothing is known. What is blocked is allowed for nothing; a prohibition
// outweighs a permission; a list of permissions, where there is one, is complete. "ai-all" covers
// the functions that begin with "ai-", "all" covers every one.
func (d Decision) Allows(function string) bool {
	return d.Permits(Use{Function: function}) == Permitted
}

// Allow says whether a function is allowed, whoever asks. Asking for a whole group is refused as
// soon as one of its members is prohibited.
func (f Functions) Allow(function string) bool {
	if slices.ContainsFunc(f.Prohibit, func(p string) bool { return covers(p, function) || covers(function, p) }) {
		return false
	}
	return len(f.Permit) == 0 || slices.ContainsFunc(f.Permit, func(p string) bool { return covers(p, function) })
}

// ImportedTerms says what the owner wrote about a function ("search", "ai-input", "ai-train") for a
// whole site. It is known only when every rule that may open something of the site names the
// function, itself or with a group, and all of them say the same.
func (t *Terms) ImportedTerms(site, function string) (allowed, known bool) {
	for i := range t.rules {
		rule := &t.rules[i].rule
		if len(rule.Match.Site) > 0 && !slices.Contains(rule.Match.Site, site) || rule.Access == Blocked {
			continue
		}
		if !rule.Parties.none() { // it says nothing for everybody
			return false, false
		}
		named := slices.ContainsFunc(slices.Concat(rule.Functions.Permit, rule.Functions.Prohibit),
			func(f string) bool { return covers(f, function) })
		allows := rule.Functions.Allow(function)
		if !named && allows || known && allows != allowed {
			return false, false
		}
		allowed, known = allows, true
	}
	return allowed, known
}

// OpensAll says whether everything that brings along no terms of its own is open to everybody for
// every function, whatever it is: no rule and no RSL document restricts anything, and a rule speaks
// of all.
func (t *Terms) OpensAll() bool {
	all := false
	if len(t.rsl) > 0 {
		return false
	}
	for i := range t.rules {
		rule := &t.rules[i].rule
		if f := Restriction(rule.Functions); rule.Access != Open || !f.none() || !rule.Users.none() ||
			!rule.Countries.none() || !rule.Parties.none() {
			return false
		}
		m := rule.Match
		all = all || len(m.Path)+len(m.Host)+len(m.Site)+len(m.Source)+len(m.Type) == 0
	}
	return all
}
