package http

import (
	"cmp"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"frontdesk/internal/ask/nlweb"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/httpx"
)

// redirector sends those who come without TLS to https. It answers nothing else.
type redirector struct {
	base string // the configured public address' scheme and host, when it is https; empty takes the request's host
	port int    // of the listener with TLS
}

// NewRedirector makes one for a listener with TLS.
func NewRedirector(public string, port int) *redirector {
	r := &redirector{port: port}
	if u, err := url.Parse(public); err == nil && u.Scheme == "https" {
		r.base = "https://" + u.Host
	}
	return r
}

// ServeHTTP answers with the same address under https. A request with a key is refused, so that
// whoever wrote its sender notices that the key went over the wire for all to read.
func (d *redirector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	if r.Header.Get("Authorization") != "" || r.Header.Get("X-Api-Key") != "" {
		nlweb.WriteError(w, r, fail.New(fail.Malformed,
			"the key was sent without encryption, and should no longer be used; send requests to https"))
		return
	}
	base := cmp.Or(d.base, d.Of(r.Host))
	if base == "" {
		nlweb.WriteError(w, r, fail.New(fail.Malformed, "the request names no host; send it to https"))
		return
	}
	target := url.URL{Path: r.URL.Path, RawPath: r.URL.RawPath, RawQuery: r.URL.RawQuery}
	if !isPlain(target.Path) {
		target = url.URL{Path: "/"}
	}
	w.Header().Set("Location", base+target.String())
	w.WriteHeader(http.StatusPermanentRedirect)
}

// Of is the address under https of a request's host.
func (d *redirector) Of(host string) string {
	u, err := url.Parse("http://" + host)
	if err != nil || !httpx.IsHost(host) {
		return ""
	}
	name := u.Hostname()
	if d.port == 443 {
		return "https://" + strings.TrimSuffix(net.JoinHostPort(name, ""), ":")
	}
	return "https://" + net.JoinHostPort(name, strconv.Itoa(d.port))
}
