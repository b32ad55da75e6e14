package server

import (
	apphttp "frontdesk/internal/app/http"

	"net/netip"
	"strings"
	"time"

	"frontdesk/internal/infra/fetch"
	"frontdesk/internal/infra/yamlconf"
)

// Fetch sets how pages and documents are got from the web.
type Fetch struct {
	// Allow are networks (`10.1.0.0/16`) and addresses (`10.1.2.3`) that may be fetched from although they are not
	// public, and there also without TLS. Everywhere else only https addresses on the public internet are fetched;
	// on this machine, those that the configuration itself names. An address at which a cloud keeps the machine's
	// credentials is allowed only when it is written out as an address.
	Allow []string `yaml:"allow"`
	// UserAgent is what sites see as the visitor's name. The word before the slash is the one that their robots.txt
	// is asked for; add an address at which people find who you are.
	UserAgent string `yaml:"user_agent"`
	// Timeout is how long a document may take, redirects among it.
	Timeout time.Duration `yaml:"timeout" check:"10ms..1h"`
	// MaxBytes is the most that a document may have, unpacked.
	MaxBytes yamlconf.Size `yaml:"max_bytes" check:"1KiB..1GiB"`
	// Interval is the time between two requests to the same host; `0s` waits for nothing. Where a site's robots.txt
	// asks for longer, it is that, up to a minute.
	Interval time.Duration `yaml:"interval" check:"0..1h"`
}

func defaultFetch() Fetch {
	return Fetch{UserAgent: fetch.DefaultUserAgent, Timeout: fetch.DefaultTimeout, MaxBytes: fetch.DefaultMaxBytes, Interval: time.Second}
}

// Fetcher makes the way to the web that the configuration asks for.
func (c Config) Fetcher() *fetch.Fetcher { return fetch.New(c.fetchOptions()) }

func (c Config) fetchOptions() fetch.Options {
	options := fetch.Options{UserAgent: c.Fetch.UserAgent, Timeout: c.Fetch.Timeout, MaxBytes: int64(c.Fetch.MaxBytes)}
	for _, text := range c.Fetch.Allow {
		if network, err := apphttp.ParseNetwork(text); err == nil {
			options.Allow = append(options.Allow, network)
		}
	}
	return options
}

// Visitor makes a visitor with the manners that the configuration asks for.
func (c Config) Visitor() *fetch.Crawler {
	return fetch.NewCrawler(c.Fetcher(), fetch.CrawlerOptions{Interval: c.Fetch.Interval})
}

// Check looks at the networks and at the name.
func (f Fetch) Check(r *yamlconf.Report) {
	for i, text := range f.Allow {
		path := yamlconf.Index("allow", i)
		network, err := apphttp.ParseNetwork(text)
		switch {
		case err != nil:
			r.Problem(path, "%q is no network; write it like 10.1.0.0/16, or an address like 10.1.2.3", text)
		case inside(text):
			address, _, _ := strings.Cut(text, "/")
			r.Problem(path, "%s is an address within a network; write %s for the network, or %s for the address alone", text, network, address)
		case network.Bits() == 0:
			r.Warning(path, "%s is every address there is, so that documents may point anywhere into your networks", text)
		}
	}
	if fetch.Token(f.UserAgent) == "" || strings.ContainsFunc(f.UserAgent, func(r rune) bool { return r < ' ' || r > '~' }) {
		r.Problem("user_agent", "%q does not begin with a name of letters and dashes; write it like %s (+https://www.example.com/bot)", f.UserAgent, fetch.DefaultUserAgent)
	}
}

// inside says whether a text names an address within a network where it should name the network.
func inside(text string) bool {
	network, err := netip.ParsePrefix(text)
	return err == nil && network != network.Masked()
}
