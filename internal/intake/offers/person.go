package offers

import (
	"context"
	"time"
)

// Person leaves the answer to the people of the business: the submission waits in the console's inbox.
type Person struct {
	// After is when an agent is told to ask again, from `1s` to `24h`.
	After time.Duration `yaml:"after"`
}

// DefaultAfter is when an agent is told to ask again for what a person has to answer.
const DefaultAfter = 5 * time.Minute

// Offer says that a person will answer.
func (p Person) Offer(context.Context, Question) (Outcome, error) {
	o := Outcome{Status: Waiting, After: p.After}
	if o.After == 0 {
		o.After = DefaultAfter
	}
	return o, nil
}
