package server

// RAMPReports says when buyers that owe reports may buy no more.
type RAMPReports struct {
	// Overdue is how many reports of a buyer may be overdue; with one more it can buy nothing until it has reported. With 0
	// none may.
	Overdue int `yaml:"overdue"`
	// Percent is how much of all the reports that a buyer ever owed may be overdue, once it owed as many as `least`; 0 for no
	// such rule.
	Percent int `yaml:"percent"`
	// Least is from how many reports `percent` holds.
	Least int `yaml:"least"`
}

func defaultRAMPReports() RAMPReports { return RAMPReports{Overdue: 10, Percent: 20, Least: 5} }

// rampReports checks the section ramp.reports.
func (c *checks) rampReports() {
	r := c.Config.RAMP.Reports
	between(c, "ramp.reports.overdue", r.Overdue, 0, 1_000_000)
	between(c, "ramp.reports.percent", r.Percent, 0, 100)
	between(c, "ramp.reports.least", r.Least, 1, 1_000_000)
}
