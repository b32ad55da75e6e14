package app

import (
	"frontdesk/internal/infra/fetch"
)

// Fetcher makes the way to the web that the configuration asks for.
func (c Config) Fetcher() *fetch.Fetcher { return fetch.New(c.Fetch.Options()) }

// Visitor makes a visitor with the manners that the configuration asks for.
func (c Config) Visitor() *fetch.Crawler {
	return fetch.NewCrawler(c.Fetcher(), fetch.CrawlerOptions{Interval: c.Fetch.Interval})
}
