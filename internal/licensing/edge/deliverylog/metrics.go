package deliverylog

import "frontdesk/internal/infra/metrics"

// RegisterMetrics registers how the records stand.
func (s *Log) RegisterMetrics(at metrics.Registry) {
	for _, figure := range []struct {
		name, help string
		of         func(Stats) float64
	}{
		{"edge_deliveries_open", "Deliveries that have begun and not ended.",
			func(now Stats) float64 { return float64(now.Open) }},
		{"edge_records_waiting", "Records that the Exchange has not taken yet.",
			func(now Stats) float64 { return float64(now.Waiting) }},
		{"edge_records_bytes", "What records take on disk.", func(now Stats) float64 { return float64(now.Bytes) }},
		{"edge_records_oldest_seconds", "How long the oldest record that waits has waited.",
			func(now Stats) float64 { return now.Oldest.Seconds() }},
		{"edge_batches_failed", "Attempts to tell the Exchange that failed, since the start.",
			func(now Stats) float64 { return float64(now.Failed) }},
	} {
		metrics.Func(at, figure.name, figure.help, func() float64 { return figure.of(s.Stats()) })
	}
}
