package eval

import (
	"math"
	"slices"
	"time"
)

// Latency are percentiles of the time that queries took.
type Latency struct {
	P50 time.Duration `json:"p50_ns"`
	P95 time.Duration `json:"p95_ns"`
	P99 time.Duration `json:"p99_ns"`
}

// latency sorts took and reads the percentiles off; all zero when nothing was measured.
func latency(took []time.Duration) Latency {
	slices.Sort(took)
	return Latency{Percentile(took, 50), Percentile(took, 95), Percentile(took, 99)}
}

// Percentile gives the smallest value such that at least p percent of sorted are not above it (the
// nearest-rank method, which never invents a value); zero when there is none.
func Percentile(sorted []time.Duration, p float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	rank := int(math.Ceil(p / 100 * float64(len(sorted))))
	return sorted[min(max(rank, 1), len(sorted))-1]
}
