package app

import (
	"net/url"
	"slices"
	"strings"

	"frontdesk/internal/infra/yamlconf"
	"frontdesk/internal/intake"
)

// roleBroker is the role of who buys for others.
const roleBroker = "broker"

// brokers says whether this configuration is of a Broker.
func (c Config) brokers() bool { return slices.Contains(c.Roles, roleBroker) }

// brokerDomain is by which Exchanges know the Broker; empty when nobody said it.
func (c Config) brokerDomain() string {
	if c.Broker.Domain != "" {
		return c.Broker.Domain
	}
	if u, err := url.Parse(c.URL); err == nil && u.Port() != "" {
		return strings.ToLower(u.Host)
	}
	return c.exchangeHost()
}

// brokerID is what the Broker calls itself.
func (c Config) brokerID() string {
	if c.RAMP.Agent.ID != "" {
		return c.RAMP.Agent.ID
	}
	return c.brokerDomain()
}

// broker checks whether Exchanges can be reached, and what a Broker cannot do without.
func (c *checks) broker() {
	b := c.Config.Broker
	for i, x := range b.Exchanges {
		if x.URL != "" {
			if _, err := c.Config.Fetcher().Transport(x.URL); err != nil {
				c.Problem(yamlconf.Index("broker.exchanges", i)+".url", "%v", err)
			}
		}
	}
	if !c.Config.brokers() {
		return
	}
	switch {
	case c.Config.brokerDomain() == "":
		c.Problem("broker.domain", "the Broker needs a domain by which Exchanges know it; write one, or set url")
	case c.Config.URL == "":
		c.Warning("roles", "without url, a signature that was made for another Broker under your host name is taken; "+
			"set url to the public address")
	}
	if b.OwnAccount && len(b.Budgets) == 0 {
		c.Warning("broker.own_account",
			"every requester can spend what is on the Broker's own accounts; give them budgets in broker.budgets")
	}
	if b.Deadline+b.BuyWithin >= c.Config.Limits.WriteTimeout {
		c.Problem("broker.buy_within", "%s and broker.deadline are not less than limits.write_timeout, "+
			"%s: the answer could not be sent", yamlconf.Show(b.BuyWithin), yamlconf.Show(c.Config.Limits.WriteTimeout))
	}
}

// onlyBroker is the configuration of a Broker that is nothing else: its sources can be searched,
// and nobody else is served of them.
func (c Config) onlyBroker() Config {
	c.Roles = []string{roleBroker}
	c.RAMP.Enabled, c.Intent.Enabled, c.Intakes, c.MCP.Enabled, c.Console.Enabled, c.Console.Owner.Enabled,
		c.Discovery.Enabled = false, false, intake.DefaultSettings(), false, false, false, false
	c.Edge.Sites = nil
	return c
}

// agentName is what the agent, or the broker.Settings, calls itself.
func (c Config) agentName() string {
	if c.brokers() {
		return c.brokerID()
	}
	return c.AgentID()
}
