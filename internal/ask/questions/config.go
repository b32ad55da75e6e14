package questions

import "time"

// Settings is the section questions: what is kept of what people and agents ask, for the owner
// alone. In its place may stand `off`, which keeps nothing and removes what was kept.
type Settings struct {
	// Keep is how long questions are kept, such as `90d`; `0s` keeps none. Kept are the text
	// without mail addresses, long numbers and names, the counts by day and agent, and whether an
	// answer was found. The counts of agents are kept as long.
	Keep time.Duration `yaml:"keep" check:"0..87600h"`
}

// DefaultSettings are those where nothing is said.
func DefaultSettings() Settings { return Settings{Keep: 90 * day} }

// Off keeps nothing.
func (s *Settings) Off() { s.Keep = 0 }
