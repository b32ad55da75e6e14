package app

import (
	"time"

	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/infra/fetch"
)

// AgentID is what the agent of this front desk is called; empty when nobody said it.
func (c Config) AgentID() string {
	if c.RAMP.Agent.ID != "" {
		return c.RAMP.Agent.ID
	}
	return c.exchangeHost()
}

// domainFetcher asks domains that strangers name for what they publish, each for so long, within
// the networks that the configuration allows.
func (c Config) domainFetcher(timeout time.Duration) *fetch.Fetcher {
	options := c.Fetch.Options()
	options.MaxBytes, options.Timeout, options.MaxRedirects = requesters.AgentBytes, timeout, -1
	return fetch.New(options)
}
