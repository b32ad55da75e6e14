// Package metrics makes figures for Prometheus under the program's name, so that each package tells
// what it measures.
package metrics

import "github.com/prometheus/client_golang/prometheus"

const namespace = "frontdesk"

// Registry is where figures are registered.
type Registry = prometheus.Registerer

// Counter makes and registers a counter. Its labels are the program's own words and the owner's,
// never what a client sent, so that their number stays small.
func Counter(at Registry, name, help string, labels ...string) *prometheus.CounterVec {
	c := prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help}, labels)
	at.MustRegister(c)
	return c
}

// Gauge makes and registers a gauge that is set.
func Gauge(at Registry, name, help string, labels ...string) *prometheus.GaugeVec {
	g := prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: namespace, Name: name, Help: help}, labels)
	at.MustRegister(g)
	return g
}

// Histogram makes and registers a histogram of seconds.
func Histogram(
	at Registry, name, help string, buckets []float64, labels ...string,
) *prometheus.HistogramVec {
	h := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Namespace: namespace, Name: name, Help: help, Buckets: buckets,
	}, labels)
	at.MustRegister(h)
	return h
}

// Func registers a gauge that is looked up at each scrape. Of labels, each name is followed by its
// value.
func Func(at Registry, name, help string, value func() float64, labels ...string) {
	of := prometheus.Labels{}
	for i := 0; i+1 < len(labels); i += 2 {
		of[labels[i]] = labels[i+1]
	}
	at.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Namespace: namespace, Name: name, Help: help, ConstLabels: of,
	}, value))
}

// Bool is 1 for true, and 0 otherwise.
func Bool(is bool) float64 {
	if is {
		return 1
	}
	return 0
}
