package console

import "time"

// Settings is the section console.owner: the console of whoever runs the front desk, the pages
// under `/console/`.
type Settings struct {
	// Enabled says whether the owner's pages are served. They open only with a token of `frontdesk
	// console token`.
	Enabled bool `yaml:"enabled"`
	// Session is how long a login lasts.
	Session time.Duration `yaml:"session" check:"1m..720h"`
	// ViewersReadSubmissions shows viewers the data of submissions, offers and acceptances, which
	// may be personal. Otherwise viewers see only that there is something, and operators read it.
	ViewersReadSubmissions bool `yaml:"viewers_read_submissions"`
}

// DefaultSettings serve the pages.
func DefaultSettings() Settings { return Settings{Enabled: true, Session: 12 * time.Hour} }
