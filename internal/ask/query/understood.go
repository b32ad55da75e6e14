// Package query turns the words of a question, its attributes and what was said before into what is
// wanted: words to search for, constraints, an order, a number. It works by rule, with what the
// catalog taught it (a Lexicon), and has no I/O and no clock.
//
// Package ask stands above it: it finds what was understood, and asks back when too little was.
package query

import (
	"slices"

	"frontdesk/internal/content/facets"
)

// Understood is what a question wants.
type Understood struct {
	// Text is what is left to search for by words. It may be empty when constraints say it all
	// ("recipes under 20 minutes").
	Text string
	// Beside is Text with the words for what is rather not wanted, which say something of items all
	// the same ("belt without buckle"); empty where there are none.
	Beside string
	// Broad says that Text is no more than words for food of any kind: it gives way to conditions
	// on what somebody eats.
	Broad bool
	// Asked is the whole question in words, with what earlier questions add: a follow-up made to
	// stand by itself.
	Asked string
	// Types are schema.org types, any of which is wanted; an item of a subtype is one too.
	Types []string
	// Constraints hold all together.
	Constraints []facets.Constraint
	// Sort is the order that was wished for; its zero value is by how well items fit.
	Sort facets.Sort
	// Count is how many items were asked for ("three recipes"); 0 when nothing was said.
	Count int
	// Intent is what is to be done with the items.
	Intent Intent
	// Subjects are the names of the items that a comparison is about, and By the slot by which it
	// is meant; empty for any.
	Subjects []string
	By       facets.Slot
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

// selecting are the slots by which items are selected, and nothing is asked of a place itself.
var selecting = []facets.Slot{facets.Location, facets.Days, facets.Start}

// Selects says whether the question is for the items of a type that meet a condition, and nothing
// else.
func (u *Understood) Selects() bool {
	return u.Text == "" && len(u.Types) > 0 && slices.ContainsFunc(u.Constraints, func(c facets.Constraint) bool {
		return !c.Soft && !c.Not && (slices.Contains(selecting, c.Slot) || c.Free())
	})
}

// Intent is what is to be done with the items found.
type Intent uint8

// The intents.
const (
	List    Intent = iota // show those that fit
	Compare               // set the subjects side by side
	Tell                  // tell a detail of one
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
