package httpx

import (
	"net/netip"
	"net/url"
	"strings"
)

// IsHost says whether a text is a host, with a port or without, and nothing besides: it goes into
// addresses.
func IsHost(host string) bool {
	u, err := url.Parse("http://" + host)
	if err != nil || host == "" || len(host) > 260 || u.Host != host || u.Hostname() == "" ||
		strings.HasSuffix(host, ":") {
		return false
	}
	if literal, ok := strings.CutPrefix(host, "["); ok {
		address, _, _ := strings.Cut(literal, "]")
		_, err := netip.ParseAddr(address)
		return err == nil && !strings.Contains(address, "%")
	}
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_"
	return strings.Trim(u.Hostname(), plain) == ""
}
