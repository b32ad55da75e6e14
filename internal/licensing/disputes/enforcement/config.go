package enforcement

import (
	"math"

	"frontdesk/internal/infra/ratelimit"
	"frontdesk/internal/infra/yamlconf"
)

// Settings is the section ramp.measures: from when on something is done about buyers that dispute
// too much, and about sites whose buyers are too often right. Rates are percent of a month's, and
// counted by UTC; 0 switches one off.
type Settings struct {
	// Enabled says whether measures are taken.
	Enabled bool `yaml:"enabled"`
	// Cases is how many cases there have to be in a month before a rate counts: one dispute of
	// three purchases is no abuse.
	Cases int `yaml:"cases" check:"1..1000000"`
	// Of is how many purchases, or reports, there have to be at the least before a rate counts.
	Of int `yaml:"of" check:"1..1000000000"`
	// Warn is more than what part of its purchases a buyer may dispute before it is warned.
	Warn float64 `yaml:"warn"`
	// Limit is the part beyond which it is held to `rate`.
	Limit float64 `yaml:"limit"`
	// Providers is at how many sites a buyer may dispute for one and the same reason before it is
	// flagged.
	Providers int `yaml:"providers" check:"0..1000000"`
	// Tokens is more than what part of the reports on a site's resources may be far from the
	// estimate.
	Tokens float64 `yaml:"tokens"`
	// Failures is more than what part of a site's deliveries may be found to have failed.
	Failures float64 `yaml:"failures"`
	// Hashes is more than what part of a site's purchases may be found to have had another hash
	// than the site attested.
	Hashes float64 `yaml:"hashes"`
	// Rate is what somebody is held to, such as `10/1m`: requests of a buyer, or purchases from a
	// site.
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
