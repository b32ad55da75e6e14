package excerpts

import (
	"fmt"
	"time"

	"frontdesk/internal/infra/fail"
)

// Reason says why there are no passages. The first five are those of denials (RetrieveResponse,
// "Denial reasons").
type Reason string

// The reasons.
const (
	OutOfScope      Reason = "out_of_scope"
	AccessDisabled  Reason = "access_disabled"
	PolicyViolation Reason = "policy_violation"
	RateLimited     Reason = "rate_limited"
	Unsupported     Reason = "unsupported"
	NoContent       Reason = "no_content"       // nothing matches
	RequestConflict Reason = "request_conflict" // another request had the id
	Replayed        Reason = "replayed"         // the nonce was used before
	Unprocessable   Reason = "unprocessable"    // an event that does not fit what we know
	EventConflict   Reason = "event_conflict"   // another event had the id
)

// Refusal is the outcome of a request that is given nothing.
type Refusal struct {
	Reason     Reason
	Message    string // safe for strangers
	RetryAfter time.Duration
}

// Error gives reason and message.
func (r *Refusal) Error() string { return string(r.Reason) + ": " + r.Message }

func refuse(reason Reason, format string, args ...any) *Refusal {
	return &Refusal{Reason: reason, Message: fmt.Sprintf(format, args...)}
}

// refuseLimited is the refusal for an error of whoever counts requests.
func refuseLimited(err error) *Refusal {
	coded := fail.From(err)
	return &Refusal{Reason: RateLimited, Message: coded.Detail, RetryAfter: max(coded.RetryAfter, time.Second)}
}
