package enforcement

import (
	"math"

	"frontdesk/internal/infra/ratelimit"
	"frontdesk/internal/infra/yamlconf"
)

// Settings is the section ramp.measures: the rates above which buyers that dispute too much, and
// sites whose buyers are too often right, get a sanction. Rates are percent of a month by UTC; 0
// switches one off.
type Settings struct {
	// Enabled says whether sanctions are imposed.
	Enabled bool `yaml:"enabled"`
	// Cases is the number of cases in a month from which on a rate counts: one dispute of three
	// purchases is no abuse.
	Cases int `yaml:"cases" check:"1..1000000"`
	// Of is the number of purchases, or reports, in a month from which on a rate counts.
	Of int `yaml:"of" check:"1..1000000000"`
	// Warn is the percentage of disputed purchases above which a buyer is warned.
	Warn float64 `yaml:"warn"`
	// Limit is the percentage above which the buyer is held to `rate`.
	Limit float64 `yaml:"limit"`
	// Providers is the number of sites, disputed with for the same reason, from which on a buyer is
	// flagged.
	Providers int `yaml:"providers" check:"0..1000000"`
	// Tokens is the percentage of reports far from the estimate above which a site gets a sanction.
	Tokens float64 `yaml:"tokens"`
	// Failures is the percentage of failed deliveries above which a site gets a sanction.
	Failures float64 `yaml:"failures"`
	// Hashes is the percentage of purchases with another hash than attested above which a site gets
	// a sanction.
	Hashes float64 `yaml:"hashes"`
	// Rate is the limit of a limited party, such as `10/1m`: requests of a buyer, or purchases from
	// a site.
	Rate string `yaml:"rate"`
}

// DefaultSettings are those where nothing is said.
func DefaultSettings() Settings {
	return Settings{Enabled: true, Cases: 5, Of: 100, Warn: 3, Limit: 5, Providers: 5, Tokens: 2, Failures: 1,
		Hashes: 0.5, Rate: "10/1m"}
}

// Check looks at the parts and at the rate.
func (m Settings) Check(r *yamlconf.Report) {
	for key, percent := range map[string]float64{"warn": m.Warn, "limit": m.Limit, "tokens": m.Tokens,
		"failures": m.Failures, "hashes": m.Hashes} {
		if math.IsNaN(percent) || percent < 0 || percent > 100 {
			r.Problem(key, "%v is no part in percent; write a number from 0 to 100", percent)
		}
	}
	if rate, err := ratelimit.ParseRate(m.Rate); err != nil || rate.Unlimited() {
		r.Problem("rate", "%q is no rate; write it like 10/1m", m.Rate)
	}
}

func (m Settings) Rules() Rules {
	return Rules{Warn: m.Warn, Limit: m.Limit, Providers: m.Providers, Tokens: m.Tokens, Failures: m.Failures,
		Hashes: m.Hashes, Cases: m.Cases, Of: m.Of}
}
