package server

import (
	"github.com/prometheus/client_golang/prometheus"

	"frontdesk/internal/content/vector"
)

// vectorFigures shows how far the vectors of the content are. What the endpoint did wrong is counted with its calls, by the
// use embed.
func vectorFigures(registry *prometheus.Registry, state func() vector.State) {
	registry.MustRegister(
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Namespace: "frontdesk", Name: "vector_texts", Help: "Texts that are to be turned into vectors.",
		}, func() float64 { return float64(state().Texts) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Namespace: "frontdesk", Name: "vector_texts_ready", Help: "Texts whose vector is there.",
		}, func() float64 { return float64(state().Ready) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Namespace: "frontdesk", Name: "vector_failing", Help: "1 while the last try to turn texts into vectors failed.",
		}, func() float64 {
			if state().Error != nil {
				return 1
			}
			return 0
		}))
}
