package questions

import "time"

// Settings is the section questions: what is kept of what people and agents ask, for the owner
// alone. In its place may stand `off`, which keeps nothing and removes what was kept.
type Settings struct {
	// Keep is how long a question is kept, such as `90d`: its text without mail addresses, long
	// numbers and names, how often it was asked, by which agents, and what became of it; `0s` keeps
	// none.
	Keep time.Duration `yaml:"keep" check:"0..87600h"`
}

// DefaultSettings are those where nothing is said.
func DefaultSettings() Settings { return Settings{Keep: 90 * day} }

// Off keeps nothing.
func (s *Settings) Off() { s.Keep = 0 }
