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
	// Match looks items of yours up, which expressions then know as `items`.
	Match Match `yaml:"match"`
	// Tables are constants, such as prices, which expressions know as `tables`.
	Tables yamlconf.Object `yaml:"tables"`
	// Let gives names to expressions. Each may use those above it.
	Let yamlconf.Object `yaml:"let"`
	// Decline says for what nothing is offered. The first one that holds counts.
	Decline []Decline `yaml:"decline"`
	// Offers are what is offered, unless it is declined. The first one that holds counts.
	Offers []Offer `yaml:"offers"`
	// Otherwise is the reason that is given when none of the offers holds, a text with expressions.
	Otherwise string `yaml:"otherwise"`
}

// Match looks items up by your own search, within what your terms release.
type Match struct {
	// Query is what to look for, a text with expressions.
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
	// Reason is what the agent is told, a text with expressions.
	Reason string `yaml:"reason,required"`
}

// Offer is what is offered in a case.
type Offer struct {
	// When is an expression that is true in this case; without it, always.
	When string `yaml:"when"`
	// Summary is what a person reads of the offer, a text with expressions.
	Summary string `yaml:"summary,required"`
	// Details are keys and values for programs, with expressions in the values.
	Details yamlconf.Object `yaml:"details"`
	// Expires is how long the offer stands; without it, as long as the intake's offers do.
	Expires time.Duration `yaml:"expires"`
	// BindRequires are the fields without which the offer cannot be taken; without it, those of the
	// intake.
	BindRequires []string `yaml:"bind_requires"`
	// TermsURL is the web address of the offer's terms; without it, that of the intake.
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
