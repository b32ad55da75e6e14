package mcp

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"frontdesk/internal/infra/fail"
)

// place says whom the server listens to. A page that makes its own name point at this machine (DNS
// rebinding) could otherwise reach a server that only this machine should reach: its requests carry
// that name as Host, and as Origin. MCP wants both looked at (2025-11-25, Transports, Security
// Warning).
type place struct {
	hosts     map[string]bool
	named     bool
	origins   []string
	forwarded func(*http.Request) string
}

func newPlace(config HTTP) place {
	p := place{hosts: map[string]bool{}, named: config.OnlyHosts, origins: config.Origins, forwarded: config.Forwarded}
	for _, host := range config.Hosts {
		p.hosts[bare(host)] = true
	}
	return p
}

// refuses says why a request is not answered, in words for who sent it; "" when it is.
func (p place) refuses(r *http.Request) string {
	host, origin := bare(r.Host), r.Header.Get("Origin")
	public := p.hosts[host]
	if p.forwarded != nil {
		if asked := p.forwarded(r); asked != "" {
			host, public = bare(asked), true // a proxy that is trusted stands between this machine and everybody
		}
	}
	switch {
	case public || isLoopback(host):
	case byLoopback(r), p.named && !isAddress(host):
		return fmt.Sprintf("this server is not known as %s; its owner can add the name to mcp.hosts", fail.Clip(host))
	default:
		public = true
	}
	switch {
	case origin == "", slices.Contains(p.origins, origin):
	case public && slices.Contains(p.origins, "*"):
	case p.own(origin, public):
	default:
		return fmt.Sprintf("pages of %s may not call this server; its owner can add the origin to cors.origins",
			fail.Clip(origin))
	}
	return ""
}

// own says whether an origin is the server's: a name that it is known as or, for a server that is
// reached as this machine, another page of this machine.
func (p place) own(origin string, public bool) bool {
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" {
		return false
	}
	from := bare(u.Host)
	return p.hosts[from] || !public && isLoopback(from)
}

// byLoopback says whether a request reached the server at an address of this machine alone.
func byLoopback(r *http.Request) bool {
	local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return false
	}
	at, err := netip.ParseAddrPort(local.String())
	return err == nil && at.Addr().Unmap().IsLoopback()
}

// bare is a host without its port, folded.
func bare(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.TrimSuffix(strings.ToLower(strings.Trim(host, "[]")), ".")
}

func isLoopback(host string) bool {
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	address, err := netip.ParseAddr(host)
	return err == nil && address.Unmap().IsLoopback()
}

// isAddress says whether a host is an IP address, which nobody's name server can point elsewhere.
func isAddress(host string) bool {
	_, err := netip.ParseAddr(host)
	return err == nil
}
