package vector

import "frontdesk/internal/infra/metrics"

// RegisterMetrics registers how far the vectors of the content are. What the endpoint did wrong is
// counted with its calls, by the use embed.
func (k *Store) RegisterMetrics(at metrics.Registry) {
	metrics.Func(at, "vector_texts", "Texts that are to be turned into vectors.",
		func() float64 { return float64(k.State().Texts) })
	metrics.Func(at, "vector_texts_ready", "Texts whose vector is there.",
		func() float64 { return float64(k.State().Ready) })
	metrics.Func(at, "vector_failing", "1 while the last try to turn texts into vectors failed.",
		func() float64 { return metrics.Bool(k.State().Error != nil) })
}
