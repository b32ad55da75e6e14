package server

import (
	apphttp "frontdesk/internal/app/http"

	"github.com/prometheus/client_golang/prometheus"

	"frontdesk/internal/infra/llm"
)

// modelFigures makes the figures of a language model, and gives what is to be told of each of its calls.
func modelFigures(registry *prometheus.Registry, client *llm.Client) func(llm.Call) {
	calls := apphttp.NewCounter("model_calls_total", "Calls of the model by use and result: used, or why not. Those that are resting or busy were not made.", "use", "result")
	tokens := apphttp.NewCounter("model_tokens_total", "Tokens that calls of the model took, as far as the endpoint says, by use and kind: input or output.", "use", "kind")
	cost := apphttp.NewCounter("model_cost_total", "What calls of the model cost by the configured prices, in their currency.", "use")
	seconds := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Namespace: "frontdesk", Name: "model_seconds", Help: "Time of a call of the model, by use.",
		Buckets: []float64{.05, .1, .25, .5, 1, 2, 3, 5, 10, 20, 60},
	}, []string{"use"})
	registry.MustRegister(calls, tokens, cost, seconds, prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Namespace: "frontdesk", Name: "model_calls_in_flight", Help: "Calls of the model that are being made.",
	}, func() float64 { return float64(client.InFlight()) }))
	registry.MustRegister(
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Namespace: "frontdesk", Name: "model_day_tokens", Help: "Tokens that the model took on this day of UTC, where model.day bounds them.",
		}, func() float64 { return float64(client.Today().Tokens) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Namespace: "frontdesk", Name: "model_day_cost", Help: "What they cost by the configured prices, where model.day bounds it.",
		}, func() float64 { return client.Today().Cost.Float() }))
	for _, use := range llm.Uses {
		if !client.Enabled(use) {
			continue
		}
		registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Namespace: "frontdesk", Name: "model_resting", Help: "1 while a use of the model is not tried, since it failed again and again.",
			ConstLabels: prometheus.Labels{"use": string(use)},
		}, func() float64 {
			if client.CircuitOpen(use) {
				return 1
			}
			return 0
		}))
	}
	return func(call llm.Call) {
		use, result := string(call.Use), string(call.Reason)
		if result == "" {
			result = "used"
		}
		calls.WithLabelValues(use, result).Inc()
		tokens.WithLabelValues(use, "input").Add(float64(call.Input))
		tokens.WithLabelValues(use, "output").Add(float64(call.Output))
		cost.WithLabelValues(use).Add(call.Cost.Float())
		if call.Duration > 0 {
			seconds.WithLabelValues(use).Observe(call.Duration.Seconds())
		}
	}
}
