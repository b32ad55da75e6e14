package server

import (
	"context"
	"math"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"frontdesk/internal/ask/session"
)

// promiseFigures tells how many promises there are in each state, counted by the function at each look.
func promiseFigures(registry *prometheus.Registry, count func(context.Context) (map[session.State]int, error)) {
	for state, name := range map[session.State]string{
		session.Waiting: "waiting", session.Running: "running", session.Kept: "kept", session.Cancelled: "cancelled", session.Broken: "broken",
	} {
		registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Namespace: "frontdesk", Name: "promises", Help: "Answers promised for later that have not expired, in the whole database, by how they stand.",
			ConstLabels: prometheus.Labels{"state": name},
		}, func() float64 {
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			defer cancel()
			counted, err := count(ctx)
			if err != nil {
				return math.NaN() // as for what cannot be known
			}
			return float64(counted[state])
		}))
	}
}
