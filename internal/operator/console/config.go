package console

import "time"

// Settings is the section console.owner: the console of whoever runs the front desk, the pages
// under `/console/`.
type Settings struct {
	// Enabled says whether the owner's pages are served. They open only with a token of `frontdesk
	// console token`.
	Enabled bool `yaml:"enabled"`
	// Session is how long somebody who logged in stays so.
	Session time.Duration `yaml:"session" check:"1m..720h"`
	// ViewersReadSubmissions says whether viewers read what agents submitted, were offered and
	// bound with, which may be personal. Otherwise they see that there is something, and operators
	// read it.
	ViewersReadSubmissions bool `yaml:"viewers_read_submissions"`
}

// DefaultSettings serve the pages.
func DefaultSettings() Settings { return Settings{Enabled: true, Session: 12 * time.Hour} }
