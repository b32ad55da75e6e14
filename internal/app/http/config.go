package http

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/infra/yamlconf"
)

// LimitSettings is the section limits: what a client may cost.
type LimitSettings struct {
	// Body is the most bytes of a request's body.
	Body yamlconf.Size `yaml:"body" check:"1KiB..1GiB"`
	// Header is the most bytes of a request's head.
	Header yamlconf.Size `yaml:"header" check:"4KiB..16MiB"`
	// HeaderTimeout is how long a client may take to send the head of a request.
	HeaderTimeout time.Duration `yaml:"header_timeout" check:"10ms..1h"`
	// ReadTimeout is how long a client may take to send a whole request.
	ReadTimeout time.Duration `yaml:"read_timeout" check:"10ms..1h"`
	// WriteTimeout is how long a response may take from the end of the request's head; a stream of
	// events may take longer, as long as the client takes each event within this time.
	WriteTimeout time.Duration `yaml:"write_timeout" check:"10ms..1h"`
	// IdleTimeout is how long a connection may wait for its next request.
	IdleTimeout time.Duration `yaml:"idle_timeout" check:"10ms..24h"`
	// ShutdownTimeout is how long running requests may take to finish when the server stops.
	ShutdownTimeout time.Duration `yaml:"shutdown_timeout" check:"0..1h"`
	// Drain is how long the server still takes requests after the signal to stop. `/readyz` answers
	// 503 meanwhile. Set it to the time that your load balancer needs to notice.
	Drain time.Duration `yaml:"drain" check:"0..1h"`
	// Connections is the most connections at a time. For a further one, the server closes the
	// connection that has idled longest. If none idles, the new one waits.
	Connections int `yaml:"connections" check:"1..1048576"`
	// PerAddress is the most connections at a time from one address, or from one /64 of IPv6; the
	// networks of `proxies` may have more. For a further one, the server closes the address's
	// connection that has idled longest. If none idles, it refuses the new one.
	PerAddress int `yaml:"connections_per_address" check:"1..1048576"`
	// Requests is the most requests in work at a time, streams among them; further ones get 503
	// with Retry-After. If requests still wait for their bodies, the server cuts off the one that
	// has waited longest, to make room.
	Requests int `yaml:"requests" check:"1..1048576"`
	// Rate limits how often requests may come.
	Rate RateSettings `yaml:"rate"`
}

// DefaultLimitSettings are the limits where nothing is said.
func DefaultLimitSettings() LimitSettings {
	return LimitSettings{
		Body:            1 << 20,
		Header:          64 << 10,
		HeaderTimeout:   5 * time.Second,
		ReadTimeout:     15 * time.Second,
		WriteTimeout:    30 * time.Second,
		IdleTimeout:     2 * time.Minute,
		ShutdownTimeout: 10 * time.Second,
		Connections:     4096,
		PerAddress:      512,
		Requests:        4096,
		Rate:            RateSettings{Failures: "60/1m", Shared: true},
	}
}

// RateSettings is the section limits.rate. It bounds how often requests may come. A rate is written
// `60/1m`: 60 requests a minute, which may come all at once; `60/1m burst 10` lets only 10 come at
// once. Without a rate there is no limit.
type RateSettings struct {
	// Address is the rate for requests without a credential, for each client address (IPv6: each
	// /64 network).
	Address string `yaml:"address" check:"rate"`
	// Operator is the rate for each operator of verified agents, whatever addresses they come from.
	// Unlisted operators in one registered domain count together. Without it, the rate is that of
	// an address.
	Operator string `yaml:"operator" check:"rate"`
	// Key is the rate for each API key, and for each subject of a token. Their requests do not
	// count for the address.
	Key string `yaml:"key" check:"rate"`
	// Site is the rate for questions to each site, from all clients together. A question to all
	// sites counts for each of them.
	Site string `yaml:"site" check:"rate"`
	// Failures is the rate for wrong credentials from one address. Beyond it, the server does not
	// look at credentials from there.
	Failures string `yaml:"failures" check:"rate"`
	// Shared lets nodes that share a PostgreSQL count together. Each request then costs a write.
	// Otherwise each node counts by itself.
	Shared bool `yaml:"shared"`
}

// CORSSettings is the section cors: which web pages may ask from a browser.
type CORSSettings struct {
	// Origins are the origins (`https://www.example.com`) whose pages may ask; `*` is every page,
	// `[]` only this server's own.
	Origins []string `yaml:"origins"`
	// Headers are further request headers that pages may send.
	Headers []string `yaml:"headers"`
	// Expose are further response headers that pages may read.
	Expose []string `yaml:"expose"`
	// Credentials lets pages send the browser's credentials for this server, such as a cookie of a
	// proxy before it. It needs origins by name. (Pages can send an API key or a token without it.)
	Credentials bool `yaml:"credentials"`
	// MaxAge is how long a browser may remember the permission.
	MaxAge time.Duration `yaml:"max_age" check:"0..168h"`
}

// DefaultCORSSettings let every page ask.
func DefaultCORSSettings() CORSSettings {
	return CORSSettings{Origins: []string{"*"}, MaxAge: 24 * time.Hour}
}

// Check looks at the origins and at the names of headers.
func (c CORSSettings) Check(r *yamlconf.Report) {
	r.MatchAll("origins", c.Origins, isOrigin,
		"is no origin as browsers send it; write it like https://www.example.com, in lower case, "+
			"without a path or the usual port, or *")
	if c.Credentials && slices.Contains(c.Origins, "*") {
		r.Problem("credentials",
			"credentials of every page would let any page act for its visitor; name the origins instead of *")
	}
	r.MatchAll("headers", c.Headers, isToken, "is no name of a header; write it like X-Trace-Id")
	r.MatchAll("expose", c.Expose, isToken, "is no name of a header; write it like X-Trace-Id")
}

// isOrigin says whether a text is an origin as browsers write it, or every origin.
func isOrigin(text string) bool {
	u, err := url.Parse(text)
	return text == "*" ||
		err == nil && u.Host != "" && u.Scheme+"://"+u.Host == text && text == strings.ToLower(text) &&
			(u.Port() == "" || ":"+u.Port() != UsualPorts[u.Scheme])
}

// isToken says whether a text can be the name of a header (RFC 9110 §5.1). A * would be no name,
// but every one.
func isToken(name string) bool {
	return name != "" && name != "*" &&
		strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.!#$%&'+^`|~") == ""
}
