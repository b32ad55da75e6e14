package server

import (
	"strings"
	"time"

	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/infra/fetch"
	"frontdesk/internal/infra/yamlconf"
)

// RAMPRequesters sets who may ask under RAMP, and who may sign up.
type RAMPRequesters struct {
	// Registered lets in only requesters that signed up, or that you put in (`frontdesk ramp requester add`). Otherwise
	// everybody is let in whose signature is right.
	Registered bool `yaml:"registered"`
	// SignUp lets requesters sign up by themselves: whoever's domain publishes the keys that belong to the id.
	SignUp bool `yaml:"sign_up"`
	// SignUpRate is how often that may be tried from one address, and how often for one domain.
	SignUpRate string `yaml:"sign_up_rate" check:"rate"`
}

// RAMPAgent has this front desk publish the keys that `frontdesk keys agent` makes, at /.well-known/ramp-agent.json, so that
// an agent of yours can ask Exchanges in the name of this domain.
type RAMPAgent struct {
	// Enabled says whether they are published. It needs nothing else of RAMP.
	Enabled bool `yaml:"enabled"`
	// ID is what the agent calls itself in requests (`requester.id`); without it, the host of `url`, which lets it call itself
	// anything.
	ID string `yaml:"id"`
	// Contact is an e-mail address for those whom it asks.
	Contact string `yaml:"contact" check:"email"`
}

func defaultRAMPRequesters() RAMPRequesters {
	return RAMPRequesters{SignUp: true, SignUpRate: "10/1h"}
}

// Check looks at the id.
func (a RAMPAgent) Check(r *yamlconf.Report) {
	if len(a.ID) > 128 || strings.TrimSpace(a.ID) != a.ID {
		r.Problem("id", "%q is no id of a requester; write up to 128 characters without blanks at the ends", a.ID)
	}
}

// AgentID is what the agent of this front desk is called; empty when nobody said it.
func (c Config) AgentID() string {
	if c.RAMP.Agent.ID != "" {
		return c.RAMP.Agent.ID
	}
	return c.exchangeHost()
}

// domainFetcher asks domains that strangers name for what they publish, each for so long, within the networks that the
// configuration allows.
func (c Config) domainFetcher(timeout time.Duration) *fetch.Fetcher {
	options := c.fetchOptions()
	options.MaxBytes, options.Timeout, options.MaxRedirects = requesters.AgentBytes, timeout, -1
	return fetch.New(options)
}
