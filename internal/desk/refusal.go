package desk

import (
	"fmt"
	"time"
)

// Reason says why a request gets nothing.
type Reason string

// RequestConflict is that another request had the id.
const RequestConflict Reason = "request_conflict"

// Refusal is the outcome of a request that gets nothing.
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
