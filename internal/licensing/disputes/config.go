package disputes

import (
	"net/netip"
	"time"

	"frontdesk/internal/infra/yamlconf"
)

// Settings is the section ramp.disputes: how disputes are taken up and decided.
type Settings struct {
	// Trusted lists networks, such as `10.0.0.0/8`, that may send unsigned disputes. The buyer must
	// sign all others over HTTP, unless `ramp.signatures` is `none`.
	Trusted []string `yaml:"trusted"`
	// Wait is how long a dispute waits for records of a delivery, such as the log of a CDN. Then it
	// is decided without them.
	Wait time.Duration `yaml:"wait" check:"1s..23h"`
	// Appeal is how long a buyer may appeal against a decision; then it is final.
	Appeal time.Duration `yaml:"appeal" check:"1m..8760h"`
	// Refetch is how long a buyer may fetch content again after a redelivery was decided.
	Refetch time.Duration `yaml:"refetch" check:"1m..720h"`
	// Keep is how long a buyer's description of a dispute is kept after its end.
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
