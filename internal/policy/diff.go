package policy

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Change is one thing in which two decisions on an item differ.
type Change struct {
	// "access", "excerpt", "labels", "search" and the other functions, "users", "countries",
	// "parties", "display", "price", "reporting", "delivery", "scopes"
	What     string
	From, To string // in words; "none" where nothing is said
}

// Difference is a change that some items undergo.
type Difference struct {
	What     string   `json:"what"` // as in Change
	From     string   `json:"from"`
	To       string   `json:"to"`
	Items    int      `json:"items"`
	Examples []string `json:"examples"` // addresses of the first items
}

// Comparison counts what terms change in the place of others, item by item.
type Comparison struct {
	Before, After *Terms
	Most          int // how many examples a difference has
	Items         int // that were compared
	Changed       int // of those, for which anything changes

	groups map[Change]*Difference
}

// Add compares what is decided on an item.
func (c *Comparison) Add(facts Facts) {
	changes := Compare(c.Before.Decide(facts), c.After.Decide(facts))
	if c.Items++; len(changes) > 0 {
		c.Changed++
	}
	for _, one := range changes {
		group := c.groups[one]
		if group == nil {
			if c.groups == nil {
				c.groups = map[Change]*Difference{}
			}
			group = &Difference{What: one.What, From: one.From, To: one.To, Examples: []string{}}
			c.groups[one] = group
		}
		if group.Items++; len(group.Examples) < c.Most {
			group.Examples = append(group.Examples, facts.URL)
		}
	}
}

// Differences are all changes, the most telling first.
func (c *Comparison) Differences() []Difference {
	all := make([]Difference, 0, len(c.groups))
	for _, group := range c.groups {
		all = append(all, *group)
	}
	weight := func(what string) int { return slices.Index(changesInOrder, what) }
	slices.SortFunc(all, func(a, b Difference) int {
		return cmp.Or(cmp.Compare(weight(a.What), weight(b.What)), cmp.Compare(b.Items, a.Items),
			cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
	return all
}

// changesInOrder are what can change, in the order in which it is told.
var changesInOrder = []string{"access", "search", "ai-input", "excerpt", "labels", "users", "countries", "parties",
	"price", "display", "reporting", "delivery", "ai-index", "ai-train"}

// plainFunctions are the functions that are no groups of others.
var plainFunctions = []string{"search", "ai-input", "ai-index", "ai-train"}

// Compare tells in what a decision differs from the one before. Of an item that is blocked, before
// or after, it tells that alone: nothing else matters then. Which rule decides is no difference.
func Compare(before, after Decision) []Change {
	var changes []Change
	add := func(what, from, to string) {
		if from != to {
			changes = append(changes, Change{what, orNone(from), orNone(to)})
		}
	}
	add("access", string(before.Access), string(after.Access))
	if before.Access == Blocked || after.Access == Blocked {
		return changes
	}
	if before.Access == Licensed && after.Access == Licensed {
		add("excerpt", words(before.ExcerptWords), words(after.ExcerptWords))
	}
	add("labels", strings.Join(before.Labels, ", "), strings.Join(after.Labels, ", "))
	for _, function := range plainFunctions {
		add(function, before.serves(function), after.serves(function))
	}
	add("users", before.Users.String(), after.Users.String())
	add("countries", before.Countries.String(), after.Countries.String())
	add("parties", before.Parties.String(), after.Parties.String())
	add("display", words(before.DisplayWords), words(after.DisplayWords))
	add("price", before.Price.String(), after.Price.String())
	add("reporting", span(before.Reporting), span(after.Reporting))
	add("delivery", strings.Join(before.Delivery, ", "), strings.Join(after.Delivery, ", "))
	add("scopes", strings.Join(before.Scopes, ", "), strings.Join(after.Scopes, ", "))
	return changes
}

// serves says whether the decision allows a function to somebody at least.
func (d Decision) serves(function string) string {
	if (Functions{d.Permit, d.Prohibit}).Allow(function) &&
		!slices.ContainsFunc(d.Own, func(own *Own) bool { return !own.serves(function) }) {
		return "allowed"
	}
	return "not allowed"
}

func orNone(text string) string {
	if text == "" {
		return "none"
	}
	return text
}

func words(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%d words", n)
}

// span writes a time span without the parts that are zero.
func span(d time.Duration) string {
	if d == 0 {
		return ""
	}
	text := d.String()
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(text, zero) {
			text = text[:len(text)-2]
		}
	}
	return text
}

// String says a decision in a line.
func (d Decision) String() string {
	parts := []string{string(d.Access)}
	if d.Access == Licensed {
		parts = append(parts, fmt.Sprintf("excerpt of %d words", d.ExcerptWords))
	}
	for _, one := range []struct{ name, text string }{
		{"labels", strings.Join(d.Labels, ", ")}, {"permits", strings.Join(d.Permit, ", ")},
		{"prohibits", strings.Join(d.Prohibit, ", ")},
		{"users", d.Users.String()}, {"countries", d.Countries.String()},
		{"parties", d.Parties.String()}, {"display of", words(d.DisplayWords)},
		{"price", d.Price.String()},
		{"report within", span(d.Reporting)}, {"delivery", strings.Join(d.Delivery, ", ")},
		{"scopes", strings.Join(d.Scopes, ", ")},
	} {
		if one.text != "" {
			parts = append(parts, one.name+" "+one.text)
		}
	}
	return strings.Join(parts, "; ")
}
