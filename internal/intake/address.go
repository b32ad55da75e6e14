package intake

import (
	"net/netip"
	"net/url"
	"strings"
)

// isLoopback says whether a web address leads to this machine, where plain http is good enough.
func isLoopback(u *url.URL) bool {
	host := strings.ToLower(u.Hostname())
	address, err := netip.ParseAddr(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || err == nil && address.Unmap().IsLoopback()
}

// SafeAddress says whether personal data may be sent to a web address: by https, or to this machine
// (Agent Intake Protocol 0.1.0, Transport Requirements).
func SafeAddress(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http" && isLoopback(u))
}
