package fetch

import (
	"fmt"
	"net/netip"
	"strings"
	"time"

	"frontdesk/internal/infra/yamlconf"
)

// Settings is the section fetch: how pages and documents are got from the web.
type Settings struct {
	// Allow are networks (`10.1.0.0/16`) and addresses (`10.1.2.3`) that may be fetched although
	// they are private, also without TLS. Everywhere else, Frontdesk fetches only https addresses
	// on the public internet, and on this machine those that the configuration itself names. To
	// allow an address where a cloud keeps the machine's credentials, write that address itself.
	Allow []string `yaml:"allow"`
	// UserAgent is the visitor's name for sites. Frontdesk asks their robots.txt for the word
	// before the slash. Add an address where people find who you are.
	UserAgent string `yaml:"user_agent"`
	// Timeout is how long a document may take, redirects among it.
	Timeout time.Duration `yaml:"timeout" check:"10ms..1h"`
	// MaxBytes is the most that a document may have, unpacked.
	MaxBytes yamlconf.Size `yaml:"max_bytes" check:"1KiB..1GiB"`
	// Interval is the time between two requests to the same host; `0s` does not wait. If a site's
	// robots.txt asks for longer, that counts, up to a minute.
	Interval time.Duration `yaml:"interval" check:"0..1h"`
}

// DefaultSettings are those where nothing is said.
func DefaultSettings() Settings {
	return Settings{UserAgent: DefaultUserAgent, Timeout: DefaultTimeout, MaxBytes: DefaultMaxBytes,
		Interval: time.Second}
}

// Check looks at the networks and at the name.
func (s Settings) Check(r *yamlconf.Report) {
	for i, text := range s.Allow {
		path := yamlconf.Index("allow", i)
		network, err := ParseNetwork(text)
		switch {
		case err != nil:
			r.Problem(path, "%q is no network; write it like 10.1.0.0/16, or an address like 10.1.2.3", text)
		case inside(text):
			address, _, _ := strings.Cut(text, "/")
			r.Problem(path, "%s is an address within a network; write %s for the network, or %s for the address alone",
				text, network, address)
		case network.Bits() == 0:
			r.Warning(path, "%s is every address there is, so that documents may point anywhere into your networks",
				text)
		}
	}
	if Token(s.UserAgent) == "" || strings.ContainsFunc(s.UserAgent, func(r rune) bool { return r < ' ' || r > '~' }) {
		r.Problem("user_agent",
			"%q does not begin with a name of letters and dashes; write it like %s (+https://www.example.com/bot)",
			s.UserAgent, DefaultUserAgent)
	}
}

// inside says whether a text names an address within a network where it should name the network.
func inside(text string) bool {
	network, err := netip.ParsePrefix(text)
	return err == nil && network != network.Masked()
}

// ParseNetwork reads a network or a single address.
func ParseNetwork(text string) (netip.Prefix, error) {
	if address, err := netip.ParseAddr(text); err == nil && address.Zone() == "" {
		return netip.PrefixFrom(address.Unmap(), address.Unmap().BitLen()), nil
	}
	network, err := netip.ParsePrefix(text)
	if err != nil || network.Addr().Is4In6() {
		return netip.Prefix{}, fmt.Errorf("%q is no network", text)
	}
	return network.Masked(), nil
}

// Options are those of a fetcher that the settings ask for.
func (s Settings) Options() Options {
	return Options{
		UserAgent: s.UserAgent, Timeout: s.Timeout, MaxBytes: int64(s.MaxBytes), Allow: Networks(s.Allow),
	}
}

// Networks reads networks and addresses that were checked.
func Networks(texts []string) (all []netip.Prefix) {
	for _, text := range texts {
		if network, err := ParseNetwork(text); err == nil {
			all = append(all, network)
		}
	}
	return all
}
