package ramp

import (
	"context"
	"time"

	"frontdesk/internal/fail"
	rampv1 "frontdesk/wire/ramp/v1"
)

// discover says what is offered for the addresses of a query.
func (d *door) discover(_ context.Context, c *call, _ *rampv1.ResourceQuery) (*rampv1.ResourceResponse, error) {
	if err := c.exceeded(); err != nil {
		return nil, err
	}
	return nil, fail.New(fail.UnsupportedMode, "offers are not made here yet")
}

// allowed is how long a query may take: what it says, or what is usual here, and never longer than the most.
func (d *door) allowed(query *rampv1.ResourceQuery) time.Duration {
	if query.Deadline == nil {
		return min(d.Deadline, d.MaxDeadline)
	}
	return min(query.Deadline.AsDuration(), d.MaxDeadline)
}
