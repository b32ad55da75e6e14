package accesslog

import (
	"time"
)

// Settings is the section ramp.evidence: what is kept of logs of deliveries.
type Settings struct {
	// Keep is how long a line of an imported log is kept, counted from its own time. Disputes are
	// decided by the lines that are still there.
	Keep time.Duration `yaml:"keep" check:"24h..87600h"`
}

// DefaultSettings are those where nothing is said.
func DefaultSettings() Settings { return Settings{Keep: 400 * 24 * time.Hour} }
