package index

import (
	"frontdesk/internal/content/facets"
	"frontdesk/internal/content/search"
)

// Meeting returns the items of a question that meet all its conditions, whatever its words: of its
// sites and types, and within what may be found. Nothing gives way. What says nothing of a
// condition is in it only where the condition leaves something out that harms nobody.
func (v *View) Meeting(q *Question) *search.Selection {
	items := q.Within
	if len(q.Sites) > 0 {
		items = items.And(v.anyOf(len(q.Sites), func(i int) choice { return choice{site: q.Sites[i]} }))
	}
	if len(q.Types) > 0 {
		types := v.below(q.Types)
		items = items.And(v.anyOf(len(types), func(i int) choice { return choice{typ: types[i]} }))
	}
	for i := range q.Constraints {
		c := &q.Constraints[i]
		if c.Soft && !c.Not || c.Cheap {
			continue
		}
		judged := v.judge(c)
		meet := judged.meet
		if c.Not && !harms(c) {
			meet = meet.Or(judged.unknown)
		}
		items = items.And(meet)
	}
	return items
}

// Titled returns the items whose name mentions words.
func (v *View) Titled(words string) *search.Selection { return v.mentioning(words, search.Titled) }

// Mentioning returns the items that mention words anywhere.
func (v *View) Mentioning(words string) *search.Selection {
	return v.mentioning(words, search.Anywhere)
}

// SaysKind says whether the name of an item says what it is: not that of an article, a page or a
// book.
func (l *Doc) SaysKind() bool { return saysKind(l.Types) }

// Figures gives the figures and times that an item says of itself.
func (v *View) Figures(l *Doc) []facets.Figure {
	d := v.dictionary
	d.mu.RLock()
	defer d.mu.RUnlock()
	all := make([]facets.Figure, len(l.facts.figures))
	for i, f := range l.facts.figures {
		all[i] = facets.Figure{Slot: d.names[f.slot], Kind: f.kind, Low: f.low, High: f.high, Unit: d.units[f.unit]}
	}
	return all
}
