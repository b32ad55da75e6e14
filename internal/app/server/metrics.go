package server

import (
	"context"
	"math"
	"net/http"
	"regexp"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"frontdesk/internal/ask/session"
)

// metrics are the figures for Prometheus. Their labels are the server's own words (routes, statuses, kinds of
// answers) and the owner's (sites, sources), never what a client sent, so that their number stays small.
type metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	asks     *prometheus.CounterVec
	runs     *prometheus.CounterVec
	items    *prometheus.GaugeVec
	skipped  *prometheus.GaugeVec
	reloads  *prometheus.CounterVec
	lines    *lineFigures
	cut      prometheus.Counter
}

// newMetrics makes the figures; indexed tells how many items the index holds, and is nil where there is none.
func newMetrics(indexed func() int) *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: counter("http_requests_total", "Requests by route, method and status.", "route", "method", "status"),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Namespace: "frontdesk", Name: "http_request_seconds", Help: "Time to answer a request, by route and status.",
			Buckets: []float64{.00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
		}, []string{"route", "status"}),
		asks:    counter("asks_total", "Questions by the type of the response: answer, failure and so on.", "response"),
		runs:    counter("ingest_runs_total", "Runs of ingest in this process, by source and result: published, refused or failed.", "site", "source", "result"),
		items:   gauge("ingest_items", "Items of a source after its last run in this process.", "site", "source"),
		skipped: gauge("ingest_skipped", "Things that the last run of a source could not read.", "site", "source"),
		reloads: counter("terms_reloads_total", "Readings of changed terms, by result: loaded or refused.", "result"),
		lines:   newLineFigures(),
		cut: prometheus.NewCounter(prometheus.CounterOpts{
			Namespace: "frontdesk", Name: "requests_cut_total", Help: "Requests that were cut off while they waited for their bodies, because there were too many.",
		}),
	}
	m.registry.MustRegister(append(m.lines.all, m.cut)...)
	m.registry.MustRegister(m.requests, m.seconds, m.asks, m.runs, m.items, m.skipped, m.reloads,
		collectors.NewGoCollector(collectors.WithGoCollectorRuntimeMetrics(collectors.GoRuntimeMetricsRule{Matcher: liveHeap})), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	if indexed != nil {
		m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Namespace: "frontdesk", Name: "index_items", Help: "Items in the index, whatever the terms say of them.",
		}, func() float64 { return float64(indexed()) }))
	}
	return m
}

// liveHeap is the figure of Go's runtime that tells what memory is needed, beside what garbage takes.
var liveHeap = regexp.MustCompile(`^/gc/heap/live:bytes$`)

func counter(name, help string, labels ...string) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "frontdesk", Name: name, Help: help}, labels)
}

func gauge(name, help string, labels ...string) *prometheus.GaugeVec {
	return prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: "frontdesk", Name: name, Help: help}, labels)
}

// request counts a request that is done.
func (m *metrics) request(where *route, status int, verb string, done request) {
	code := strconv.Itoa(status)
	m.requests.WithLabelValues(where.name, verb, code).Inc()
	m.seconds.WithLabelValues(where.name, code).Observe(done.took.Seconds())
	if kind := done.happened.Text("response"); kind != "" && asked(where, verb, done) {
		m.asks.WithLabelValues(kind).Inc()
	}
}

// asked says whether a request was a question: a POST to /ask, a GET there in the flat dialect, or an agent's call.
func asked(where *route, verb string, done request) bool {
	switch where.name {
	case askPath:
		return verb == http.MethodPost || done.happened.Text("dialect") != ""
	case whoPath:
		return true
	case mcpPath:
		return done.happened.Text("rpc") == "tools/call"
	}
	return false
}

// certificate tells when the certificate in use ends.
func (m *metrics) certificate(expires func() time.Time) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Namespace: "frontdesk", Name: "certificate_expires_seconds", Help: "When the TLS certificate in use ends, as Unix time; 0 while there is none.",
	}, func() float64 { return float64(max(0, expires().Unix())) }))
}

// database shows whether a database fails.
func (m *metrics) database(name string, failing func() error) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Namespace: "frontdesk", Name: "database_failing", Help: "1 from when a database could not be used until it takes writes again; 0 otherwise.",
		ConstLabels: prometheus.Labels{"database": name},
	}, func() float64 {
		if failing() != nil {
			return 1
		}
		return 0
	}))
}

// busy shows how many requests are in work.
func (m *metrics) busy(inWork func() int64) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Namespace: "frontdesk", Name: "requests_in_work", Help: "Requests in work, streams among them.",
	}, func() float64 { return float64(inWork()) }))
}

// promises tells how many promises there are in each state, counted by the function at each look.
func (m *metrics) promises(count func(context.Context) (map[session.State]int, error)) {
	for state, name := range map[session.State]string{
		session.Waiting: "waiting", session.Running: "running", session.Kept: "kept", session.Cancelled: "cancelled", session.Broken: "broken",
	} {
		m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
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

// ingested counts a run of ingest and, when it was published, what is there after it.
func (m *metrics) ingested(source Source, result string, items, skipped int) {
	m.runs.WithLabelValues(source.Site, source.Name, result).Inc()
	if result == runPublished {
		m.items.WithLabelValues(source.Site, source.Name).Set(float64(items))
		m.skipped.WithLabelValues(source.Site, source.Name).Set(float64(skipped))
	}
}

// The results of a run of ingest.
const (
	runPublished = "published"
	runRefused   = "refused" // by a rule of the catalog: the old content stays
	runFailed    = "failed"
)

// handler serves the figures, and probes, which are thus answered when clients have all connections.
func (m *metrics) handler(probes http.Handler) http.Handler {
	mux := http.NewServeMux()
	for _, path := range []string{"/healthz", "/readyz"} {
		mux.Handle(path, probes)
	}
	mux.Handle("GET /metrics", promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{MaxRequestsInFlight: 4}))
	return mux
}
