package offers

import (
	"context"
	"time"
)

// Person leaves the answer to the people of the business: the submission waits in the console's
// inbox.
type Person struct {
	// RetryAfter is when an agent is told to ask again, from `1s` to `24h`.
	RetryAfter time.Duration `yaml:"after"`
}

// DefaultRetryAfter is how long an agent should wait for a person's answer before it asks again.
const DefaultRetryAfter = 5 * time.Minute

// Offer says that a person will answer.
func (p Person) Offer(context.Context, Request) (Outcome, error) {
	o := Outcome{Status: Waiting, RetryAfter: p.RetryAfter}
	if o.RetryAfter == 0 {
		o.RetryAfter = DefaultRetryAfter
	}
	return o, nil
}
