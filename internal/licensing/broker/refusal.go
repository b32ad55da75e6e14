package broker

import (
	"fmt"
	"time"
)

// Refusal is why nothing was bought, why not all is known yet, or why a report or dispute was not
// taken.
type Refusal struct {
	code    string // of Connect
	message string // safe for strangers: what is wrong and what to do
	details map[string]any
	after   time.Duration
}

// Error is the message.
func (r *Refusal) Error() string { return r.message }

// Code is the code of Connect: "not_found", "resource_exhausted", "already_exists",
// "failed_precondition" or "unavailable"; of what was passed on to an Exchange, the one that it
// answered with.
func (r *Refusal) Code() string { return r.code }

// Details are what programs read of it, as JSON has it; nil for nothing.
func (r *Refusal) Details() map[string]any { return r.details }

// RetryAfter says when to come back; 0 says nothing.
func (r *Refusal) RetryAfter() time.Duration { return r.after }

func refuse(code, format string, args ...any) *Refusal {
	return &Refusal{code: code, message: fmt.Sprintf(format, args...)}
}

// with adds what programs read.
func (r *Refusal) with(details map[string]any) *Refusal {
	r.details = details
	return r
}

// later says when to come back.
func (r *Refusal) later(after time.Duration) *Refusal {
	r.after = after
	return r
}
