package http

import (
	"net/http"
	"regexp"
	"strconv"
	"time"

	"frontdesk/internal/infra/metrics"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Metrics are the figures for Prometheus. Their labels are the server's own words (routes,
// statuses, kinds of answers) and the owner's (sites, sources), never what a client sent, so that
// their number stays small.
type Metrics struct {
	Registry *prometheus.Registry
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	asks     *prometheus.CounterVec
	agents   *prometheus.CounterVec
	lines    *connFigures
	cut      prometheus.Counter
}

// NewMetrics makes the figures of requests and connections, and of the process.
func NewMetrics() *Metrics {
	registry := prometheus.NewRegistry()
	m := &Metrics{
		Registry: registry,
		requests: metrics.Counter(registry, "http_requests_total", "Requests by route, method and status.", "route",
			"method", "status"),
		seconds: metrics.Histogram(registry, "http_request_seconds", "Time to answer a request, by route and status.",
			[]float64{.00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}, "route", "status"),
		asks: metrics.Counter(registry, "asks_total",
			"Questions by the type of the response: answer, failure and so on.", "response"),
		agents: metrics.Counter(registry, "agent_requests_total",
			"Requests of automated clients by operator (those of the list "+
				"by their origin), how they are known and what became of their signatures.", "operator", "known",
			"signature"),
		lines: newConnFigures(registry),
		cut: metrics.Counter(registry, "requests_cut_total",
			"Requests that were cut off while they waited for their bodies, because there were too many.").
			WithLabelValues(),
	}
	registry.MustRegister(collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		collectors.NewGoCollector(
			collectors.WithGoCollectorRuntimeMetrics(collectors.GoRuntimeMetricsRule{Matcher: liveHeap})))
	return m
}

// liveHeap is the figure of Go's runtime that tells what memory is needed, beside what garbage
// takes.
var liveHeap = regexp.MustCompile(`^/gc/heap/live:bytes$`)

// request counts a request that is done.
func (m *Metrics) request(where *Route, status int, verb string, done request) {
	code := strconv.Itoa(status)
	m.requests.WithLabelValues(where.Name, verb, code).Inc()
	m.seconds.WithLabelValues(where.Name, code).Observe(done.took.Seconds())
	if kind := done.happened.Text("response"); kind != "" && where.Asks != nil && where.Asks(verb, done.happened) {
		m.asks.WithLabelValues(kind).Inc()
	}
}

// Certificate tells when the certificate in use ends.
func (m *Metrics) Certificate(expires func() time.Time) {
	metrics.Func(m.Registry, "certificate_expires_seconds",
		"When the TLS certificate in use ends, as Unix time; 0 while there is none.",
		func() float64 { return float64(max(0, expires().Unix())) })
}

// Database shows whether a database fails.
func (m *Metrics) Database(name string, failing func() error) {
	metrics.Func(m.Registry, "database_failing",
		"1 from when a database could not be used until it takes writes again; 0 otherwise.",
		func() float64 { return metrics.Bool(failing() != nil) }, "database", name)
}

// Collisions counts transactions that were run again for the sake of another, by kind. A database
// that has none gives no kinds.
func (m *Metrics) Collisions(name string, counts func() map[string]int64) {
	for kind := range counts() {
		m.Registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{
			Namespace: "frontdesk", Name: "database_collisions_total",
			Help:        "Transactions that PostgreSQL broke off for the sake of another, and that were run again.",
			ConstLabels: prometheus.Labels{"database": name, "kind": kind},
		}, func() float64 { return float64(counts()[kind]) }))
	}
}

// Busy shows how many requests are in work.
func (m *Metrics) Busy(inWork func() int64) {
	metrics.Func(m.Registry, "requests_in_work", "Requests in work, streams among them.", func() float64 {
		return float64(inWork())
	})
}

// Handler serves the figures, and probes, which are thus answered when clients have all
// connections.
func (m *Metrics) Handler(probes http.Handler) http.Handler {
	mux := http.NewServeMux()
	for _, path := range []string{"/healthz", "/readyz"} {
		mux.Handle(path, probes)
	}
	mux.Handle("GET /metrics", promhttp.HandlerFor(m.Registry, promhttp.HandlerOpts{MaxRequestsInFlight: 4}))
	return mux
}
