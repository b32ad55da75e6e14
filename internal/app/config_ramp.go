package app

import (
	"log/slog"
	"path/filepath"

	"frontdesk/internal/content"
	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/infra/yamlconf"
	"frontdesk/internal/licensing/catalog"
	"frontdesk/internal/policy"
	"frontdesk/wire/contenthash"
)

// ramp checks what the section ramp says of the sites, and what an Exchange and a Broker cannot do
// without.
func (c *checks) ramp() {
	r := c.Config.RAMP
	for i, item := range r.Items {
		c.matchNames(yamlconf.Index("ramp.items", i)+".match", item.Match)
	}
	for i, d := range r.Delivery {
		c.matchNames(yamlconf.Index("ramp.delivery", i)+".match", d.Match)
	}
	if r.Agent.Enabled && c.Config.AgentID() == "" {
		c.Problem("ramp.agent.id", "the agent has no name; write one, or set url")
	}
	if credit, _ := policy.ParseAmount(r.Accounts.Credit); credit > 0 && r.Enabled &&
		r.Spending() == requesters.SignaturesNone {
		c.Warning("ramp.accounts.credit",
			"everybody buys on credit, and nobody has to show who they are; set ramp.purchases, or no credit")
	}
	if r.Enabled || c.Config.brokers() {
		c.laxSignatures()
	}
	if r.Enabled {
		c.exchange()
	}
}

// exchange checks what an Exchange cannot do without.
func (c *checks) exchange() {
	r := c.Config.RAMP
	switch {
	case c.Config.exchangeDomain() == "":
		c.Problem("ramp.domain", "the Exchange needs a domain by which it is known; write one, or set url")
	case c.Config.URL == "":
		c.Warning("ramp.enabled", "without url, a signature that was made for another Exchange under your host name "+
			"is taken; set url to the public address")
	}
	if r.Deadline > r.MaxDeadline {
		c.Problem("ramp.deadline", "%s is more than ramp.max_deadline, %s", yamlconf.Show(r.Deadline),
			yamlconf.Show(r.MaxDeadline))
	}
	if r.MaxDeadline >= c.Config.Limits.WriteTimeout {
		c.Problem("ramp.max_deadline", "%s is not less than limits.write_timeout, %s: the answer could not be sent",
			yamlconf.Show(r.MaxDeadline), yamlconf.Show(c.Config.Limits.WriteTimeout))
	}
}

// laxSignatures warns of requesters that need not show who they are.
func (c *checks) laxSignatures() {
	if c.Config.RAMP.Signatures == requesters.SignaturesNone {
		c.Warning("ramp.signatures", "nobody has to show who they are, so anybody can ask in anybody's name; "+
			"write body or required for a desk in use")
	}
	was := ""
	if c.carried {
		was = "ramp.purchases is not set, so it is what ramp.signatures says: "
	}
	switch c.Config.RAMP.Spending() {
	case requesters.SignaturesBody:
		c.Warning("ramp.purchases", "%sbody: everybody who sees the signature in a requester can spend that "+
			"requester's money here; write required", was)
	case requesters.SignaturesNone:
		c.Warning("ramp.purchases", "%snone: anybody can buy in anybody's name; write required for a desk in use", was)
	}
}

// carrySignatures has a configuration from before ramp.purchases mean what it meant.
func (l *Loaded) carrySignatures() {
	if l.carried = l.origins.Copy("ramp.purchases", "ramp.signatures"); l.carried {
		l.Config.RAMP.Purchases = l.Config.RAMP.Signatures
	}
}

// exchangeDomain is the domain of the Exchange; empty when nobody said it.
func (c Config) exchangeDomain() string {
	if c.RAMP.Domain != "" {
		return c.RAMP.Domain
	}
	return c.exchangeHost()
}

// exchangeHost is the host of the public address; empty when nobody said it.
func (c Config) exchangeHost() string {
	host, _ := policy.Host(c.URL)
	return host
}

// catalogConfig is what the catalog of what can be sold needs to know.
func (c Config) catalogConfig(of *content.Catalog, log *slog.Logger) (catalog.Config, error) {
	statements, err := catalog.Statements(c.RAMP.Items)
	return catalog.Config{
		Content: of, Statements: statements, Aliases: c.RAMP.Aliases, Factors: catalog.Factors(c.RAMP.Tokens),
		Snapshot: filepath.Join(c.Data, "catalog.snapshot"), Log: log,
		Similar: c.RAMP.Enabled && c.RAMP.HashMethod == string(contenthash.SimHash),
	}, err
}
