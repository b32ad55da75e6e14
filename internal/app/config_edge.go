package app

import (
	"slices"

	"frontdesk/internal/infra/yamlconf"
	"frontdesk/internal/policy"
)

// gated checks that there is an Exchange for the gate, and that nothing else answers at its hosts.
func (c *checks) gated() {
	e := c.Config.Edge
	if len(e.Sites) == 0 {
		return
	}
	if e.Timeout >= c.Config.Limits.WriteTimeout {
		c.Problem("edge.timeout", "%s is not less than limits.write_timeout, %s: that an "+
			"origin is late could not be told", yamlconf.Show(e.Timeout), yamlconf.Show(c.Config.Limits.WriteTimeout))
	}
	if e.Exchange != "" {
		return
	}
	switch {
	case !c.Config.RAMP.Enabled:
		c.Problem("edge.sites", "a gate needs an Exchange: name one in edge.exchange, or set ramp.enabled to be one")
	case c.Config.URL == "":
		c.Problem("edge.sites",
			"agents are told where the Exchange is: set url to the public address of this front desk")
	}
	own, _ := policy.Host(c.Config.URL)
	for i, site := range e.Sites {
		if own != "" && slices.Contains(site.AllHosts(), own) {
			c.Problem(yamlconf.Index("edge.sites", i)+".hosts",
				"%s is the host of url, where this front desk answers itself; give one of them another host", own)
		}
	}
}
