package app

import (
	"time"
	_ "time/tzdata" // places are known wherever the program runs

	"frontdesk/internal/infra/yamlconf"
)

// place is where the days of questions begin. The name was checked.
func (a Ask) place() *time.Location {
	place, err := time.LoadLocation(a.TimeZone)
	if err != nil {
		return time.UTC
	}
	return place
}

// Check looks at the time zone. That of the machine is no place: it would not be the same on every node.
func (a Ask) Check(r *yamlconf.Report) {
	if _, err := time.LoadLocation(a.TimeZone); err != nil || a.TimeZone == "Local" {
		r.Problem("time_zone", "%q is no time zone; write a name such as Europe/Berlin, or UTC", a.TimeZone)
	}
}
