package ramp

import (
	"context"

	"frontdesk/internal/fail"
	rampv1 "frontdesk/wire/ramp/v1"
)

// report takes a report on how content was used.
func (d *door) report(_ context.Context, c *call, _ *rampv1.UsageReport) (*rampv1.UsageReportResponse, error) {
	if err := c.exceeded(); err != nil {
		return nil, err
	}
	return nil, fail.New(fail.UnsupportedMode, "reports are not taken here yet")
}
