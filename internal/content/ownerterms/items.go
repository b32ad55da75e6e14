package ownerterms

import (
	"context"
	"strings"

	"frontdesk/internal/policy"
)

// Where a rule is from.
const (
	RuleOfFile    = "file"
	RulePublished = "published"
	RuleOfContent = "content rule"
	RuleByDefault = "default" // everything is open, since there is no rule
)

// ListedRule is a rule with what it does to the items that are here.
type ListedRule struct {
	Rule    int    `json:"rule"` // from 1
	Name    string `json:"name"`
	From    string `json:"from"`           // file, published, content rule or default
	File    string `json:"file,omitempty"` // the name of its file
	Line    int    `json:"line,omitempty"` // in the file, or in the document that was published
	Asks    string `json:"asks"`
	Decides string `json:"decides"`
	Items   int    `json:"items"`   // on which it decides
	Matches int    `json:"matches"` // that it is for
	// Reads is how often agents read the items on which it decides in the last 30 days: in answers,
	// as passages, and bought. It is left out where that is not counted.
	Reads *int64 `json:"reads,omitempty"`
	// Taken are, of a rule that decides on nothing, the rules before it that decide on its items.
	Taken []Taken `json:"taken,omitempty"`

	Placed policy.PlacedRule `json:"-"`
}

// Taken are items on which a rule decides that stands before another.
type Taken struct {
	Rule  int `json:"rule"`
	Items int `json:"items"`
}

// Reached says whether an item can get to the rule.
func (r ListedRule) Reached() bool { return r.Items > 0 || r.Matches == 0 && len(r.Taken) == 0 }

// Rules counts the items on which each rule of some terms decides, and those that no rule is for.
func (t *Terms) Rules(ctx context.Context, terms *policy.Terms) (all []ListedRule, unmatched int, err error) {
	set := t.Added()
	for _, placed := range terms.Rules() {
		r := ListedRule{
			Rule: placed.Rule + 1, Name: placed.Name(), From: RuleOfFile, Line: placed.Line, Asks: placed.Conditions,
			Decides: placed.Decision.String(), Placed: placed,
		}
		switch {
		case strings.HasPrefix(placed.Named, "content rule "):
			r.From = RuleOfContent
		case placed.Named != "":
			r.From = RulePublished
		case placed.Line == 0 && len(set.Rules) == 0:
			r.From = RuleByDefault
		default:
			r.File = t.File().Name
		}
		if t.Read != nil {
			r.Reads = new(int64)
		}
		all = append(all, r)
	}
	reads, err := t.read(ctx)
	if err != nil {
		return nil, 0, err
	}
	err = t.Corpus.EachFacts(ctx, func(facts policy.Facts) {
		if at := terms.Decide(facts).Rule; at >= 0 {
			all[at].Items++
			all[at].Matches++
			if n := reads[facts.URL]; n > 0 {
				*all[at].Reads += n
			}
		} else {
			unmatched++
		}
	})
	if err != nil {
		return nil, 0, err
	}
	return all, unmatched, t.unreached(ctx, terms, all)
}

// unreached says of rules that decide on nothing why that is so.
func (t *Terms) unreached(ctx context.Context, terms *policy.Terms, all []ListedRule) error {
	var idle []int
	for i := range all {
		if all[i].Items == 0 {
			idle = append(idle, i)
		}
	}
	if len(idle) == 0 {
		return nil
	}
	taken := map[[2]int]int{} // by the rule that decides on nothing, and that which does
	err := t.Corpus.EachFacts(ctx, func(facts policy.Facts) {
		at := terms.Decide(facts).Rule
		for _, i := range idle {
			if at >= 0 && at < i && terms.Matches(i, facts) {
				all[i].Matches++
				taken[[2]int{i, at}]++
			}
		}
	})
	for _, i := range idle {
		for at := range i {
			if n := taken[[2]int{i, at}]; n > 0 || all[at].Placed.MatchesAll() {
				all[i].Taken = append(all[i].Taken, Taken{at + 1, n})
			}
		}
	}
	return err
}

// costs says whether what is decided has a price to be paid.
func costs(d policy.Decision) bool {
	return d.Access == policy.Licensed && d.Price.Rate > 0 && !d.Price.Free()
}

// Effect is what other terms change.
type Effect struct {
	Items    int                 `json:"items"`
	Changed  int                 `json:"changed"`
	Changes  []policy.Difference `json:"changes"`
	Warnings []string            `json:"warnings,omitempty"` // what works, and is probably not meant
	// Reads is what would have become of the last 30 days; left out where that is not counted.
	Reads *ReadsEffect `json:"reads,omitempty"`
}

// ReadsEffect is what other terms would have made of what agents read in the last 30 days.
type ReadsEffect struct {
	All    int64 `json:"all"`
	Denied int64 `json:"denied"` // of All, that would have been refused
	Paid   int64 `json:"paid"`   // of All, that would have had a price
}

// add adds reads of an item.
func (r *ReadsEffect) add(n int64, before, after policy.Decision) {
	r.All += n
	switch {
	case after.Access == policy.Blocked && before.Access != policy.Blocked:
		r.Denied += n
	case costs(after) && !costs(before):
		r.Paid += n
	}
}

// Compare compares terms with others, as a stranger meets them.
func (t *Terms) Compare(ctx context.Context, before, after *policy.Terms) (*Effect, error) {
	c := policy.Comparison{Before: before, After: after, Most: 5}
	reads, err := t.read(ctx)
	if err != nil {
		return nil, err
	}
	var read ReadsEffect
	if err := t.Corpus.EachFacts(ctx, func(facts policy.Facts) {
		c.Add(facts)
		if n := reads[facts.URL]; n > 0 {
			read.add(n, before.Decide(facts), after.Decide(facts))
		}
	}); err != nil {
		return nil, err
	}
	out := &Effect{Items: c.Items, Changed: c.Changed, Changes: c.Differences()}
	if t.Read != nil {
		out.Reads = &read
	}
	return out, nil
}

// Explained is what is decided on an item, for each kind of party.
type Explained struct {
	URL     string     `json:"url"`
	Known   bool       `json:"known"` // an item of this address is here; otherwise its address alone decides
	Site    string     `json:"site,omitempty"`
	Source  string     `json:"source,omitempty"`
	Types   []string   `json:"types,omitempty"`
	Parties []ForParty `json:"parties"`
}

// ForParty is what is decided for a kind of party.
type ForParty struct {
	As      string `json:"as"` // stranger, platform or buyer
	Rule    int    `json:"rule"`
	Name    string `json:"name"` // of the rule that decides; empty where none is for the item
	Decides string `json:"decides"`
	Reason  string `json:"reason"`
	// Passed are the rules before it, with why they do not decide.
	Passed []string `json:"passed,omitempty"`

	Decision policy.Decision `json:"-"`
}

// Explain says what is decided on the item of an address.
func (t *Terms) Explain(ctx context.Context, address string) (out Explained, err error) {
	address = strings.TrimSpace(address)
	if address == "" || len(address) > 2048 {
		return out, invalid("url: name the address of an item")
	}
	if err := t.Ready(ctx); err != nil {
		return out, err
	}
	facts := policy.Facts{URL: address}
	err = t.Corpus.EachFacts(ctx, func(of policy.Facts) {
		if !out.Known && strings.TrimSuffix(of.URL, "/") == strings.TrimSuffix(address, "/") {
			facts, out.Known = of, true
		}
	})
	out.URL, out.Site, out.Source, out.Types = facts.URL, facts.Site, facts.Source, facts.Types
	for _, one := range policy.Shown {
		terms := t.InForce().For(one.Party)
		e := terms.Explain(facts)
		p := ForParty{
			As: one.As, Rule: e.Decision.Rule + 1, Decides: e.Decision.String(), Reason: e.Decision.Reason,
			Decision: e.Decision,
		}
		rules := terms.Rules()
		for _, step := range e.Steps {
			if step.Rule == e.Decision.Rule {
				p.Name = rules[step.Rule].Name()
				continue
			}
			p.Passed = append(p.Passed, rules[step.Rule].Name()+": "+step.Why)
		}
		out.Parties = append(out.Parties, p)
	}
	return out, err
}
