package disputes

import (
	"net/netip"
	"time"

	"frontdesk/internal/infra/yamlconf"
)

// Settings is the section ramp.disputes: how disputes are taken up and decided.
type Settings struct {
	// Trusted lists networks, such as `10.0.0.0/8`, from which disputes are taken that nobody
	// signed. Others have to be signed by the buyer, over HTTP, unless `ramp.signatures` is `none`.
	Trusted []string `yaml:"trusted"`
	// Wait is how long there is waited for records of a delivery, such as the log of a CDN, before
	// a dispute is decided without.
	Wait time.Duration `yaml:"wait" check:"1s..23h"`
	// Appeal is how long a buyer may appeal against a decision; then it is final.
	Appeal time.Duration `yaml:"appeal" check:"1m..8760h"`
	// Refetch is for how long something may be fetched again, where that was decided.
	Refetch time.Duration `yaml:"refetch" check:"1m..720h"`
	// Keep is how long the words are kept that a buyer wrote of a dispute, after it is final.
	Keep time.Duration `yaml:"keep" check:"1h..87600h"`
}

// DefaultSettings are those where nothing is said.
func DefaultSettings() Settings {
	const day = 24 * time.Hour
	return Settings{Wait: 12 * time.Hour, Appeal: 7 * day, Refetch: day, Keep: 90 * day}
}

// Check looks at the networks.
func (d Settings) Check(r *yamlconf.Report) {
	for _, network := range d.Trusted {
		if _, err := netip.ParsePrefix(network); err != nil {
			r.Problem("trusted", "%q is no network; write it like 10.0.0.0/8, or 192.0.2.7/32 for one address", network)
		}
	}
}
