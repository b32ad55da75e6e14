package policy

import (
	"fmt"
	"slices"
	"strings"
)

// Own are the terms of the item itself: of its markup, and of an RSL document of its site.
type Own struct {
	// Unfree says that the item is not free to read: an open one is shown as a licensed one is.
	Unfree bool `json:"unfree,omitempty"`
	// Options are alternatives that cost nothing: what one of them permits is permitted. With none
	// of them nothing is, unless Said is false.
	Options []Option `json:"options,omitempty"`
	// Paid are alternatives that cost something: they permit nothing to those who have not paid,
	// and say what can be sold.
	Paid []Option `json:"paid,omitempty"`
	// Stated says that Options were stated.
	Stated bool `json:"said,omitempty"`
	// From says where the terms stand, in a few words.
	From []string `json:"from,omitempty"`
}

// Option is one set of permissions.
type Option struct {
	Functions Functions   `json:"functions,omitzero"`
	Users     Restriction `json:"users,omitzero"`
	Countries Restriction `json:"countries,omitzero"`
	// Price is what it costs, as whoever states it says. Its zero value says nothing of that; a
	// rate of 0 of a model that is paid in money says that it has to be asked for, and an empty
	// currency that none was stated.
	Price Money `json:"price,omitzero"`
}

// ownExcerpt is how many words are shown at the most of an item that says of itself that it is not
// free.
const ownExcerpt = 60

// allows says whether the terms permit a use.
func (o *Own) allows(use Use) bool {
	return o == nil || !o.Stated || slices.ContainsFunc(o.Options, func(option Option) bool {
		return option.Functions.Allow(use.Function) && option.Users.allow(use.User) &&
			option.Countries.allow(use.Country)
	})
}

// serves says whether the terms permit a function to somebody at least.
func (o *Own) serves(function string) bool {
	return o == nil || !o.Stated ||
		slices.ContainsFunc(o.Options, func(option Option) bool { return option.Functions.Allow(function) })
}

// imported are the terms that an item comes with: its own, and those of RSL documents.
func (t *Terms) imported(item *subject) []*Own {
	var all []*Own
	if item.Own != nil {
		all = append(all, item.Own)
	}
	for _, document := range t.rsl {
		if own := document.own(item); own != nil {
			all = append(all, own)
		}
	}
	return all
}

// decide is the rule's decision on an item that comes with these terms.
func (c *compiled) decide(imported []*Own) Decision {
	d := c.decision
	if len(imported) == 0 || c.rule.Imported == importedIgnore || d.Access == Blocked {
		return d
	}
	d.Own = imported
	for _, own := range imported {
		if own.Unfree {
			d.narrow(own)
		}
	}
	return d
}

// narrow shows an item that is not free as a notice.
func (d *Decision) narrow(own *Own) {
	from := strings.Join(own.From, ", ")
	switch {
	case d.Access == Open:
		d.Access, d.ExcerptWords = Licensed, ownExcerpt
		d.Reason += fmt.Sprintf("; the item is not free by its own terms (%s), so it is licensed", from)
	case d.ExcerptWords > ownExcerpt:
		d.ExcerptWords = ownExcerpt
		d.Reason += fmt.Sprintf("; the item is not free by its own terms (%s), so its excerpt is short", from)
	}
}

// String says the terms in words.
func (o *Own) String() string {
	var said []string
	if o.Unfree {
		said = append(said, "not free to read")
	}
	if o.Stated && len(o.Options) == 0 {
		said = append(said, "nothing is free of charge")
	}
	for i, option := range slices.Concat(o.Options, o.Paid) {
		var parts []string
		for _, one := range []struct{ name, text string }{
			{"price", option.Price.String()}, {"functions", Restriction(option.Functions).String()},
			{"users", option.Users.String()}, {"countries", option.Countries.String()},
		} {
			if one.text != "" {
				parts = append(parts, one.name+" "+one.text)
			}
		}
		text := strings.Join(parts, ", ")
		if text == "" {
			text = "everything"
		}
		if i >= len(o.Options) && option.Price == (Money{}) {
			text += ", for money"
		}
		if i > 0 || i >= len(o.Options) {
			text = "or " + text
		}
		said = append(said, text)
	}
	text := strings.Join(said, "; ")
	if len(o.From) > 0 {
		text += " (" + strings.Join(o.From, ", ") + ")"
	}
	return text
}
