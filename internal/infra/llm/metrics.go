package llm

import "frontdesk/internal/infra/metrics"

// RegisterMetrics registers the figures of a client, and gives what is to be told of each of its
// calls.
func RegisterMetrics(at metrics.Registry, client *Client) func(Call) {
	calls := metrics.Counter(at, "model_calls_total",
		"Calls of the model by use and result: used, or why not. Those that are resting or busy were not made.",
		"use", "result")
	tokens := metrics.Counter(at, "model_tokens_total",
		"Tokens that calls of the model took, as far as the endpoint says, by use and kind: input or output.",
		"use", "kind")
	cost := metrics.Counter(at, "model_cost_total",
		"What calls of the model cost by the configured prices, in their currency.", "use")
	seconds := metrics.Histogram(at, "model_seconds", "Time of a call of the model, by use.",
		[]float64{.05, .1, .25, .5, 1, 2, 3, 5, 10, 20, 60}, "use")
	metrics.Func(at, "model_calls_in_flight", "Calls of the model that are being made.",
		func() float64 { return float64(client.InFlight()) })
	metrics.Func(at, "model_day_tokens",
		"Tokens that the model took on this day of UTC, where model.day bounds them.",
		func() float64 { return float64(client.Today().Tokens) })
	metrics.Func(at, "model_day_cost", "What they cost by the configured prices, where model.day bounds it.",
		func() float64 { return client.Today().Cost.Float() })
	for _, use := range Uses {
		if client.Enabled(use) {
			metrics.Func(at, "model_resting",
				"1 while a use of the model is not tried, since it failed again and again.",
				func() float64 { return metrics.Bool(client.CircuitOpen(use)) }, "use", string(use))
		}
	}
	return func(call Call) {
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
