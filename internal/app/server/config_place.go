package server

import (
	"time"
	_ "time/tzdata" // places are known wherever the program runs
)

// place is where the days of questions begin. The name was checked.
func (a Ask) place() *time.Location {
	place, err := time.LoadLocation(a.TimeZone)
	if err != nil {
		return time.UTC
	}
	return place
}

// timeZone checks ask.time_zone. The zone of the machine is no place: it would not be the same on every node.
func (c *checks) timeZone() {
	name := c.Config.Ask.TimeZone
	if _, err := time.LoadLocation(name); err != nil || name == "Local" {
		c.problem("ask.time_zone", "%q is no time zone; write a name such as Europe/Berlin, or UTC", name)
	}
}
