package desk

import (
	"frontdesk/internal/content/index"
	"frontdesk/internal/content/search"
	"frontdesk/internal/policy"
)

// Functions of an item that the terms permit or prohibit, as the use cases name them.
const (
	functionSearch = "search"   // an item in a list of answers
	functionInput  = "ai-input" // an item's text in a text that is made of several
)

// gate is what the terms in force admit of one view: the items that may be found at all.
type gate struct {
	view   *index.View
	terms  *policy.Terms
	permit *search.Selection
	listed directory
	feeds  feeds
	areas  areas
}

// admitted returns the gate of the present view and terms. It is computed when either has changed, once.
func (d *Desk) admitted() *gate {
	view, rules := d.library.View(), d.config.Terms()
	if g := d.gate.Load(); g != nil && g.view == view && g.terms == rules {
		return g
	}
	d.gateMu.Lock()
	defer d.gateMu.Unlock()
	view, rules = d.library.View(), d.config.Terms()
	if g := d.gate.Load(); g != nil && g.view == view && g.terms == rules {
		return g
	}
	g := &gate{view: view, terms: rules}
	g.permit = view.Select(func(l *index.Listing) bool { return d.admits(rules, l) })
	d.gate.Store(g)
	return g
}

// indexes says whether an item is indexed at all, so that nothing else can be felt in the scores: it may be found in a
// list of answers, or give passages to platforms.
func (d *Desk) indexes(rules *policy.Terms, l *index.Listing) bool {
	if !d.served[l.Site] {
		return false
	}
	decision := decide(rules, l)
	return decision.Allows(functionSearch) || d.excerpting != nil && len(decision.Labels) > 0 && decision.Allows(functionInput)
}

// admits says whether an item may be found: it belongs to a site that is served, and the terms allow it in a list
// of answers. It is asked for each question's gate, so that terms hold from the moment they change, while the index is
// still being made anew.
func (d *Desk) admits(rules *policy.Terms, l *index.Listing) bool {
	return d.served[l.Site] && decide(rules, l).Allows(functionSearch)
}

// decide says what the terms say of an item.
func decide(rules *policy.Terms, l *index.Listing) policy.Decision {
	return rules.Decide(policy.Facts{Site: l.Site, Source: l.Source, URL: l.URL, Types: l.Types, Own: l.Own})
}
