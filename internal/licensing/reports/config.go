package reports

// Settings is the section ramp.reports: when buyers that owe reports may buy no more.
type Settings struct {
	// Overdue is how many reports of a buyer may be overdue. With one more it cannot buy until it
	// has reported.
	Overdue int `yaml:"overdue" check:"0..1000000"`
	// Percent is how many percent of all reports that a buyer ever owed may be overdue, once it
	// owed `least` reports; 0 switches the rule off.
	Percent int `yaml:"percent" check:"0..100"`
	// Least is the number of owed reports from which on `percent` counts.
	Least int `yaml:"least" check:"1..1000000"`
}

// DefaultSettings are those where nothing is said.
func DefaultSettings() Settings { return Settings{Overdue: 10, Percent: 20, Least: 5} }
