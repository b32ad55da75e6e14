package ramp

import (
	"context"

	"frontdesk/internal/fail"
	rampv1 "frontdesk/wire/ramp/v1"
)

// execute buys by the offers of a request.
func (d *door) execute(_ context.Context, _ *call, _ *rampv1.TransactionRequest) (*rampv1.TransactionResponse, error) {
	return nil, fail.New(fail.UnsupportedMode, "offers cannot be bought here yet")
}
