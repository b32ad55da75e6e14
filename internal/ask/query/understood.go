// Package query turns the words of a question, its attributes and what was said before into what is wanted: words to
// search for, constraints, an order, a number. It works by rule, with what the catalog taught it (a Lexicon), and has no
// I/O and no clock.
//
// It stands below answer, which finds what was understood, and desk, which asks back when too little was.
package query

import (
	"time"

	"frontdesk/internal/content/facets"
)

// Understood is what a question wants.
type Understood struct {
	// Text is what is left to search for by words. It may be empty when constraints say it all ("recipes under 20 minutes").
	Text string
	// Beside is Text with the words for what is rather not wanted, which say something of items all the same ("belt without
	// buckle"); empty where there are none.
	Beside string
	// Asked is the whole question in words, with what earlier questions add: a follow-up made to stand by itself.
	Asked string
	// Types are schema.org types, any of which is wanted; an item of a subtype is one too.
	Types []string
	// Constraints hold all together.
	Constraints []Constraint
	// Sort is the order that was wished for; its zero value is by how well items fit.
	Sort Sort
	// Count is how many items were asked for ("three recipes"); 0 when nothing was said.
	Count int
	// Intent is what is to be done with the items.
	Intent Intent
	// Subjects are the names of the items that a comparison or a question for a detail is about.
	Subjects []string
	// Detail is the slot that a question for a detail asks about, or by which a comparison is meant.
	Detail facets.Slot
	// DetailValue is what a question for a detail supposes: "vegan" of "is it vegan", "nuts" of "does it contain nuts".
	DetailValue string
	// Corrections are words that were read as others.
	Corrections []Correction
	// Soft are further words that raise items which have them and exclude nothing.
	Soft []string
	// Ignored are attributes that do not filter here.
	Ignored []Ignored

	lean string // Text without words that mean nothing, for when conditions are added
}

// Literally takes the text as it stands, where it is a name: nothing is read from its words.
func (u *Understood) Literally(text string) {
	*u = Understood{Text: text, Asked: u.Asked, Intent: u.Intent, lean: text}
}

// Constraint is one condition on items.
type Constraint struct {
	Slot facets.Slot
	// Not turns it around: items for which it holds are left out.
	Not bool
	// Values are words, any of which will do; for slots of words.
	Values []string
	// Min and Max bound a figure, each when not nil, both inclusive unless Below or Above is set.
	Min, Max *float64
	// Above and Below say that Min and Max themselves are outside ("more than 3", "under 20").
	Above, Below bool
	// Unit is the unit of the figures: an ISO 4217 currency, or empty where the slot has one unit.
	Unit string
	// From and To bound a time, each when not zero: from From on, before To.
	From, To time.Time
	// Around is how many kilometres away from a place is near enough; 0 for in it.
	Around float64
	// Cheap prefers what costs less than the others that are found, the more the cheaper; it bounds nothing and is soft.
	Cheap bool
	// Soft conditions raise items that meet them and leave none out.
	Soft bool
	// Source is where the condition comes from.
	Source Source
	// Said is how it was said, for people: words of the question, or those of the attribute.
	Said string
}

// Free says whether a constraint is that something costs nothing.
func (c *Constraint) Free() bool {
	return c.Slot == facets.Price && c.Min == nil && c.Max != nil && *c.Max == 0 && !c.Below && !c.Not
}

// Source is where a constraint comes from.
type Source uint8

// The sources, from the one that gives way first to the one that gives way last.
const (
	FromMemory    Source = iota // what is known about the person
	FromContext                 // context.text and contexts of other types
	FromEarlier                 // earlier questions of the conversation
	FromText                    // the words of the question
	FromAnswer                  // the answer to a question that was asked back
	FromAttribute               // an attribute of the question
)

// String names the source as answers do.
func (s Source) String() string {
	return [...]string{"memory", "context", "earlier", "question", "answer", "attribute"}[s]
}

// Sort is an order of items.
type Sort struct {
	By         facets.Slot // empty: by how well they fit
	Descending bool
	Said       string
}

// Name is the order as the attribute "sort" has it: "price", "-datePublished". It is empty for no order.
func (o Sort) Name() string {
	if o.Descending {
		return "-" + string(o.By)
	}
	return string(o.By)
}

// Intent is what is to be done with the items found.
type Intent uint8

// The intents.
const (
	List    Intent = iota // show those that fit
	Compare               // set the subjects side by side
	Tell                  // tell a detail of the subject
)

// String names the intent as answers do.
func (i Intent) String() string { return [...]string{"list", "compare", "detail"}[i] }

// Correction is a word of the question that was read as another.
type Correction struct{ From, To string }

// Ignored is an attribute of the question that has no effect.
type Ignored struct {
	Name   string // of the attribute
	Reason string
}
