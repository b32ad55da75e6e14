package server

import (
	apphttp "frontdesk/internal/app/http"

	"net/url"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/identity"
	"frontdesk/internal/infra/yamlconf"
	"frontdesk/internal/operator/api"
	"frontdesk/internal/policy"
)

// Auth says who may come in. Unless something here is set, everybody may.
type Auth struct {
	// Required lists the doors that open only to who shows a credential: `ask` (questions over HTTP, and the feeds) and `mcp`. How to
	// ask (`GET /ask`) stays open.
	Required []string `yaml:"required" check:"oneof=ask mcp"`
	// Keys are API keys by their hash, beside those of `frontdesk keys issue api`, which need no entry here.
	Keys []AuthKey `yaml:"keys"`
	// OAuth lets in who has a bearer token of an OAuth 2.0 authorization server: a JWT.
	OAuth OAuth `yaml:"oauth"`
}

// AuthKey is an API key by its hash.
type AuthKey struct {
	// Name is what you call the key's holder; it appears in the log.
	Name string `yaml:"name,required"`
	// Hash is the key's hash, as `frontdesk keys hash` prints it.
	Hash string `yaml:"hash,required"`
	// Scopes list the doors that the key opens; without them, all.
	Scopes []string `yaml:"scopes" check:"oneof=ask mcp intake"`
	// Rate is the key's own limit, in place of `limits.rate.key`.
	Rate string `yaml:"rate" check:"rate"`
}

// OAuth says which bearer tokens are good.
type OAuth struct {
	// Issuer is the authorization server's address, letter by letter as its tokens have it (`iss`). Setting it turns
	// tokens on.
	Issuer string `yaml:"issuer" check:"url"`
	// Audience lists whom a token may be for (`aud`), one of which it must name. Without it, it is the public address
	// in `url`, alone and with `/ask` and `/mcp` behind it.
	Audience []string `yaml:"audience"`
	// JWKS is the address of the authorization server's public keys. It is fetched when it is needed, and again when a
	// token names a key that is not in it.
	JWKS string `yaml:"jwks"`
	// Algorithms list how tokens may be signed.
	Algorithms []string `yaml:"algorithms"`
	// Scopes list what a token must be allowed, all of it; without them any token will do.
	Scopes []string `yaml:"scopes"`
	// Skew is how far the authorization server's clock may be from ours.
	Skew time.Duration `yaml:"skew" check:"0..10m"`
}

// Rates bound how often requests may come. A rate is written `60/1m`: 60 requests a minute, which may come all at once;
// `60/1m burst 10` lets only 10 come at once. Without a rate there is no limit.
type Rates struct {
	// Address is the rate for requests without a credential, for each client address (IPv6: each /64 network).
	Address string `yaml:"address" check:"rate"`
	// Key is the rate for each API key, and for each subject of a token. Their requests do not count for the address.
	Key string `yaml:"key" check:"rate"`
	// Site is the rate for questions to each site, whoever asks. A question to all sites counts for each of them.
	Site string `yaml:"site" check:"rate"`
	// Failures is the rate for wrong credentials from one address; beyond it, its credentials are not looked at.
	Failures string `yaml:"failures" check:"rate"`
	// Shared lets nodes that share a PostgreSQL count together, at the price of a write to it for each request that is
	// let in. Otherwise each counts by itself.
	Shared bool `yaml:"shared"`
}

// CORS says which web pages may ask from a browser.
type CORS struct {
	// Origins are the origins (`https://www.example.com`) whose pages may ask; `*` is every page, `[]` none but
	// this server's own.
	Origins []string `yaml:"origins"`
	// Headers are further request headers that pages may send.
	Headers []string `yaml:"headers"`
	// Expose are further response headers that pages may read.
	Expose []string `yaml:"expose"`
	// Credentials lets pages send what the browser keeps for this server, such as a cookie of a proxy before it. It
	// needs origins by name. (An API key or a token that the page itself has needs nothing here.)
	Credentials bool `yaml:"credentials"`
	// MaxAge is how long a browser may remember what it was allowed.
	MaxAge time.Duration `yaml:"max_age" check:"0..168h"`
}

// The doors that can be closed to strangers, as auth.required names them.
const (
	doorAsk = "ask"
	doorMCP = "mcp"
)

// doorIntake is the door of submissions and binds, for the scopes of keys; each intake says whether it needs one.
const doorIntake = "intake"

var doors = []string{doorAsk, doorMCP}

// Doors names the doors that a key can be for.
func Doors() []string {
	return append(slices.Clone(doors), doorIntake, doorLedger, doorAdmin, doorReports)
}

// IsDoor says whether there is a door of that name. That of a provider is provider: and its host, as it is compared.
func IsDoor(name string) bool {
	if host, ok := strings.CutPrefix(name, api.DoorProvider); ok {
		own, ok := policy.Host("https://" + host + "/")
		return ok && own == host
	}
	return slices.Contains(Doors(), name)
}

func defaultAuth() Auth {
	return Auth{OAuth: OAuth{Algorithms: []string{"RS256", "PS256", "ES256", "EdDSA"}, Skew: time.Minute}}
}

func defaultRates() Rates { return Rates{Failures: "60/1m", Shared: true} }

func defaultCORS() CORS { return CORS{Origins: []string{"*"}, MaxAge: 24 * time.Hour} }

// audiences are whom a token may be for.
func (c Config) audiences() []string {
	if len(c.Auth.OAuth.Audience) > 0 || c.URL == "" {
		return c.Auth.OAuth.Audience
	}
	base := strings.TrimSuffix(c.URL, "/")
	return []string{base, base + "/", base + "/ask", base + "/mcp"}
}

// Check looks at whether what needs a credential leaves without one elsewhere, and at the keys.
func (a Auth) Check(r *yamlconf.Report) {
	if len(a.Required) == 1 {
		others := slices.DeleteFunc(slices.Clone(doors), func(door string) bool { return door == a.Required[0] })
		r.Warning("required", "only %s needs a credential; the same answers leave by %s without one", a.Required[0], strings.Join(others, " and "))
	}
	seen := map[string]bool{}
	for i, key := range a.Keys {
		r := r.Entry("keys", i)
		if seen[key.Name] || key.Name == "" {
			r.Problem("name", "give each key a name of its own; %q does not do", key.Name)
		}
		seen[key.Name] = true
		if _, err := identity.ParseHash(key.Hash); err != nil {
			r.Problem("hash", "%s", err.Error())
		}
	}
}

// gate warns of clients that cannot be told apart, those of a proxy that is not named, and looks at whom tokens are for.
func (c *checks) gate() {
	if rates := c.Config.Limits.Rate; rates.Address != "" && strings.HasPrefix(c.Config.URL, "https:") && !c.Config.TLS.On() && len(c.Config.Proxies) == 0 {
		c.Warning("limits.rate.address", "url says https and there is no tls here, so a proxy stands before this server; name it in proxies, or all its clients share one limit")
	}
	if c.Config.Auth.OAuth.Issuer != "" && len(c.Config.audiences()) == 0 {
		c.Problem("auth.oauth.audience", "say whom tokens must be for, or set url, the public address of this front desk: a token for somebody else must not open it")
	}
}

// CheckFirst looks at whether any tokens are good; without, nothing else is looked at.
func (o OAuth) CheckFirst(r *yamlconf.Report) bool {
	if o.Issuer == "" && (o.JWKS != "" || len(o.Audience) > 0 || len(o.Scopes) > 0) {
		r.Problem("issuer", "name the authorization server, like https://login.example.com, or remove auth.oauth")
	}
	return o.Issuer != ""
}

// Check looks at what tokens need.
func (o OAuth) Check(r *yamlconf.Report) {
	if u, err := url.Parse(o.JWKS); err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		r.Problem("jwks", "%q is no address of keys; write the jwks_uri that the authorization server's metadata names", o.JWKS)
	}
	for i, algorithm := range o.Algorithms {
		r.OneOf(yamlconf.Index("algorithms", i), algorithm, identity.Algorithms()...)
	}
	if len(o.Algorithms) == 0 {
		r.Problem("algorithms", "the list is empty; name how tokens are signed, like RS256")
	}
	r.MatchAll("scopes", o.Scopes, func(s string) bool { return s != "" && !strings.ContainsAny(s, " \"\\") },
		"is no scope; write each as a word of its own")
}

// Check looks at the origins and at the names of headers.
func (c CORS) Check(r *yamlconf.Report) {
	r.MatchAll("origins", c.Origins, isOrigin,
		"is no origin as browsers send it; write it like https://www.example.com, in lower case, without a path or the usual port, or *")
	if c.Credentials && slices.Contains(c.Origins, "*") {
		r.Problem("credentials", "credentials of every page would let any page act for its visitor; name the origins instead of *")
	}
	r.MatchAll("headers", c.Headers, isToken, "is no name of a header; write it like X-Trace-Id")
	r.MatchAll("expose", c.Expose, isToken, "is no name of a header; write it like X-Trace-Id")
}

// isOrigin says whether a text is an origin as browsers write it, or every origin.
func isOrigin(text string) bool {
	u, err := url.Parse(text)
	return text == "*" || err == nil && u.Host != "" && u.Scheme+"://"+u.Host == text && text == strings.ToLower(text) &&
		(u.Port() == "" || ":"+u.Port() != apphttp.UsualPorts[u.Scheme])
}

// isToken says whether a text can be the name of a header (RFC 9110 §5.1). A * would be no name, but every one.
func isToken(name string) bool {
	return name != "" && name != "*" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.!#$%&'+^`|~") == ""
}
