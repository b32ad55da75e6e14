package session

import (
	"context"
	"math"
	"time"

	"frontdesk/internal/infra/metrics"
)

// RegisterMetrics registers how many promises there are in each state. They are counted at each
// look.
func (p *Promises) RegisterMetrics(at metrics.Registry) {
	for state, name := range map[State]string{
		Waiting: "waiting", Running: "running", Kept: "kept", Cancelled: "cancelled", Broken: "broken",
	} {
		const help = "Answers promised for later that have not expired, in the whole database, by how they stand."
		metrics.Func(at, "promises", help, func() float64 {
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			defer cancel()
			counted, err := p.Count(ctx)
			if err != nil {
				return math.NaN() // as for what cannot be known
			}
			return float64(counted[state])
		}, "state", name)
	}
}
