package app

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"frontdesk/internal/infra/tls"
)

// strictTransport is the value of Strict-Transport-Security (RFC 6797); nil for none.
func strictTransport(t tls.Settings) []string {
	if !t.On() || t.HSTS <= 0 {
		return nil
	}
	return []string{fmt.Sprintf("max-age=%d", int(t.HSTS.Seconds()))}
}

// tls looks at whether the open internet is spoken to in clear: questions and keys that everyone on
// the way can read.
func (c *checks) tls() {
	address, on := c.Config.URL, c.Config.TLS.On()
	if u, err := url.Parse(address); on && err == nil && u.Scheme == "http" {
		c.Warning("url", "it begins with http://, but the server speaks TLS; write https://")
	}
	if on || len(c.Config.Proxies) > 0 || strings.HasPrefix(address, "https://") || !leavesMachine(c.Config.Listen) {
		return
	}
	c.Warning("listen", "%s is reachable from other machines without tls.Settings, "+
		"so that everyone on the way can read questions and keys; set tls, "+
		"or put a proxy with TLS in front and name its network in proxies", c.Config.Listen)
}

// leavesMachine says whether an address to listen on can be reached from elsewhere.
func leavesMachine(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil || host == "localhost" {
		return false
	}
	ip, err := netip.ParseAddr(host)
	return err != nil || !ip.Unmap().IsLoopback()
}

// openCertificates makes the source of certificates that the configuration asks for, for a
// listener; nil for none.
func (n *network) openCertificates(listener, redirect net.Listener) (tls.Source, error) {
	t := n.config.TLS
	switch {
	case t.Cert != "":
		return tls.OpenFiles(t.Cert, t.Key, n.now, n.log)
	case len(t.ACME.Domains) > 0:
		host, _, _ := net.SplitHostPort(n.config.Listen)
		return tls.OpenACME(tls.ACME{
			Domains: slices.Clone(t.ACME.Domains), Email: t.ACME.Email, Directory: t.ACME.Directory,
			Roots: t.ACME.Roots, Folder: filepath.Join(n.config.Data, "acme"), Host: host, TLSPort: portOf(listener),
			HTTPPort: portOf(redirect), Log: n.log,
		})
	}
	return nil, nil
}

// portOf is a listener's port; 0 of none.
func portOf(listener net.Listener) int {
	if listener == nil {
		return 0
	}
	address, _ := listener.Addr().(*net.TCPAddr)
	if address == nil {
		return 0
	}
	return address.Port
}
