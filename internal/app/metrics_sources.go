package app

import (
	"github.com/prometheus/client_golang/prometheus"

	"frontdesk/internal/content/ingest"
	"frontdesk/internal/infra/metrics"
)

// sourceFigures are the metrics of reading sources.
type sourceFigures struct {
	runs    *prometheus.CounterVec
	items   *prometheus.GaugeVec
	skipped *prometheus.GaugeVec
}

func newSourceFigures(registry *prometheus.Registry) *sourceFigures {
	return &sourceFigures{
		runs: metrics.Counter(registry, "ingest_runs_total", "Runs of ingest in this process, "+
			"by source and result: published, refused or failed.", "site", "source", "result"),
		items: metrics.Gauge(registry, "ingest_items", "Items of a source after its last run in this process.",
			"site", "source"),
		skipped: metrics.Gauge(registry, "ingest_skipped", "Things that the last run of a source could not read.",
			"site", "source"),
	}
}

// ingested counts a run of ingest and, when it was published, what is there after it.
func (f *sourceFigures) ingested(source ingest.SourceSettings, result string, items, skipped int) {
	f.runs.WithLabelValues(source.Site, source.Name, result).Inc()
	if result == runPublished {
		f.items.WithLabelValues(source.Site, source.Name).Set(float64(items))
		f.skipped.WithLabelValues(source.Site, source.Name).Set(float64(skipped))
	}
}

// The results of a run of ingest.
const (
	runPublished = "published"
	runRefused   = "refused" // by a rule of the catalog: the old content stays
	runFailed    = "failed"
)
