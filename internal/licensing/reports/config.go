package reports

// Settings is the section ramp.reports: when buyers that owe reports may buy no more.
type Settings struct {
	// Overdue is how many reports of a buyer may be overdue; with one more it can buy nothing until
	// it has reported. With 0 none may.
	Overdue int `yaml:"overdue" check:"0..1000000"`
	// Percent is how much of all the reports that a buyer ever owed may be overdue, once it owed as
	// many as `least`; 0 for no such rule.
	Percent int `yaml:"percent" check:"0..100"`
	// Least is from how many reports `percent` holds.
	Least int `yaml:"least" check:"1..1000000"`
}

// DefaultSettings are those where nothing is said.
func DefaultSettings() Settings { return Settings{Overdue: 10, Percent: 20, Least: 5} }
