package app

import (
	"net/http"
	"time"

	"frontdesk/internal/identity"
	"frontdesk/internal/identity/agents"
	"frontdesk/internal/infra/fetch"
	"frontdesk/wire/sign/botauth"
)

// Fetcher makes the way to the web that the configuration asks for. It says nothing of who asks.
func (c Config) Fetcher() *fetch.Fetcher { return fetch.New(c.Fetch.Options()) }

// SignedFetcher is a Fetcher that says who asks, by signatures of an agent; nil for none.
func (c Config) SignedFetcher(own *agents.Own) *fetch.Fetcher {
	options := c.Fetch.Options()
	options.Sign = func(r *http.Request) { own.Sign(r) }
	return fetch.New(options)
}

// visitor makes a visitor with the manners that the configuration asks for.
func (c Config) visitor(own *agents.Own) *fetch.Crawler {
	return fetch.NewCrawler(c.SignedFetcher(own), fetch.CrawlerOptions{Interval: c.Fetch.Interval})
}

// OwnAgent is this front desk as an agent, by the keys in the folder of secrets; nil where it signs
// nothing.
func (c Config) OwnAgent(now func() time.Time) (*agents.Own, error) {
	if !c.Agents.Sign || botauth.DirectoryAt(c.URL) == "" {
		return nil, nil
	}
	keys, err := identity.OpenBotKeys(c.KeyFolder(), now)
	if err != nil {
		return nil, err
	}
	return agents.NewOwn(keys, c.URL, now), nil
}
