package offers

import (
	"fmt"
	"time"

	"frontdesk/internal/infra/yamlconf"
)

// Rules say what is offered, in expressions of the Common Expression Language (CEL). Nothing else
// than these words is needed for most intakes; docs/offers.md has examples and all functions.
//
// Expressions read `data` (what was submitted, with the types of the intake's schema), `tables`,
// `items` (with `match`), the names under `let`, `agent`, `locale`, `timezone` and `now`. In texts,
// `{...}` is an expression and `{{` a brace. A text that is one expression and nothing else keeps
// its type in `details`.
type Rules struct {
	// Match looks up your own items. Expressions know them as `items`.
	Match Match `yaml:"match"`
	// Tables are constants, such as prices. Expressions know them as `tables`.
	Tables yamlconf.Object `yaml:"tables"`
	// Let gives names to expressions. Each may use those above it.
	Let yamlconf.Object `yaml:"let"`
	// Decline lists the cases without an offer. The first one whose `when` is true counts.
	Decline []Decline `yaml:"decline"`
	// Offers are the offers for all other cases. The first one whose `when` is true counts.
	Offers []Offer `yaml:"offers"`
	// Otherwise is the reason if no offer's `when` is true, a text with expressions.
	Otherwise string `yaml:"otherwise"`
}

// Match looks items up by your own search, within what your terms release.
type Match struct {
	// Query is the question for the search, a text with expressions.
	Query string `yaml:"query"`
	// Types are schema.org types; an item must be of one of them.
	Types []string `yaml:"types"`
	// Sites are ids of sites; one of them must have the item.
	Sites []string `yaml:"sites"`
	// Limit is the most items, 1 to 20; without it, 3.
	Limit int `yaml:"limit"`
}

// Decline is a case in which nothing is offered.
type Decline struct {
	// When is an expression that is true in this case.
	When string `yaml:"when,required"`
	// Reason is the text for the agent, with expressions.
	Reason string `yaml:"reason,required"`
}

// Offer is what is offered in a case.
type Offer struct {
	// When is an expression that is true in this case; without it, always.
	When string `yaml:"when"`
	// Summary is the text for a person, with expressions.
	Summary string `yaml:"summary,required"`
	// Details are keys and values for programs, with expressions in the values.
	Details yamlconf.Object `yaml:"details"`
	// Expires is how long the offer is valid; without it, as long as the intake's offers.
	Expires time.Duration `yaml:"expires"`
	// BindRequires are the fields that an agent must give to accept the offer; without it, the
	// intake's.
	BindRequires []string `yaml:"bind_requires"`
	// TermsURL is the web address of the offer's terms; without it, the intake's.
	TermsURL string `yaml:"terms_url"`
}

// Error is one mistake in rules.
type Error struct {
	Field string // where, as a key path within the rules: "offers[0].details.bmi"
	// where in the field's text: how many lines below its first, and behind how many characters of
	// the line
	Line, Column int
	Detail       string // what is wrong and what would be right
}

func (e *Error) Error() string { return fmt.Sprintf("%s: %s", e.Field, e.Detail) }
