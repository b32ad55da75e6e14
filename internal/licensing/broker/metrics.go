package broker

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"frontdesk/internal/infra/metrics"
)

// RegisterMetrics registers the figures of a broker, and gives what is told what happens. Its
// labels are words of its own and the Exchanges that the operator has named: what agents and
// documents name are all "other".
func RegisterMetrics(at metrics.Registry) Observer {
	requests := metrics.Counter(at, "broker_requests_total",
		"Requests to the Broker by how they ended: bought, partly, quoted, or the code of the refusal.", "outcome")
	asked := metrics.Counter(at, "broker_exchange_queries_total", "Queries to Exchanges by the Exchange, and how it "+
		"answered: answered, refused, late, failed, or resting where it was not asked.", "exchange", "result")
	sales := metrics.Counter(at, "broker_exchange_sales_total",
		"Offers that were taken, by the Exchange, and what came of them: sold, denied or lost.", "exchange", "result")
	over := metrics.Counter(at, "broker_exchange_overcharged_total",
		"Purchases for which an Exchange has charged more "+
			"than it offered, or in another currency.", "exchange")
	seconds := metrics.Histogram(at, "broker_exchange_seconds",
		"Time that an Exchange took for a query that it answered.",
		[]float64{.0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}, "exchange")
	return Observer{
		Resolved: func(outcome string) { requests.WithLabelValues(outcome).Inc() },
		Asked: func(exchange, result string, took time.Duration) {
			asked.WithLabelValues(exchange, result).Inc()
			if result == "answered" {
				seconds.WithLabelValues(exchange).Observe(took.Seconds())
			}
		},
		Bought:      func(exchange, result string) { sales.WithLabelValues(exchange, result).Inc() },
		Overcharged: func(exchange string) { over.WithLabelValues(exchange).Inc() },
	}
}

var (
	brokerResting = prometheus.NewDesc("frontdesk_broker_exchange_resting",
		"1 while an Exchange is not asked, since it failed again and again.", []string{"exchange"}, nil)
	brokerPatience = prometheus.NewDesc("frontdesk_broker_exchange_patience_seconds",
		"How long an Exchange is given to answer a query.", []string{"exchange"}, nil)
	brokerHeld = prometheus.NewDesc("frontdesk_broker_held",
		"What is held of budgets for purchases of which it is not "+
			"known yet what came of them, in the whole database.", []string{"budget", "currency"}, nil)
	brokerOpen = prometheus.NewDesc("frontdesk_broker_requests_open",
		"Requests with such purchases, in the whole database.", nil, nil)
)

// Describe is of a [prometheus.Collector], for the figures that are looked up each time.
func (b *Broker) Describe(all chan<- *prometheus.Desc) {
	for _, one := range []*prometheus.Desc{brokerResting, brokerPatience, brokerHeld, brokerOpen} {
		all <- one
	}
}

// Collect is of a [prometheus.Collector].
func (b *Broker) Collect(all chan<- prometheus.Metric) {
	tell := func(of *prometheus.Desc, value float64, labels ...string) {
		all <- prometheus.MustNewConstMetric(of, prometheus.GaugeValue, value, labels...)
	}
	for _, c := range b.ExchangeStatuses() {
		tell(brokerResting, metrics.Bool(c.Paused), c.Domain)
		tell(brokerPatience, c.Timeout.Seconds(), c.Domain)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	held, open, err := b.HeldBudgets(ctx)
	if err != nil {
		return // what cannot be known is not told
	}
	tell(brokerOpen, float64(open))
	for _, h := range held {
		budget := "own"
		if h.Operator {
			budget = "operator"
		}
		tell(brokerHeld, float64(h.Amount)/1e8, budget, h.Currency)
	}
}
