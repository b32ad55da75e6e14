package identity

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/infra/yamlconf"
)

// AuthSettings is the section auth: who may come in. Unless something here is set, everybody may.
type AuthSettings struct {
	// Required lists the doors that need a credential: `ask` (questions over HTTP, and the feeds)
	// and `mcp`. `GET /ask`, which says how to ask, stays open.
	Required []string `yaml:"required" check:"oneof=ask mcp"`
	// Keys are API keys by their hash. Keys of `frontdesk keys issue api` need no entry here.
	Keys []ConfiguredKey `yaml:"keys"`
	// OAuth accepts bearer tokens (JWT) of an OAuth 2.0 authorization server.
	OAuth OAuth `yaml:"oauth"`
}

// ConfiguredKey is an API key of the configuration, by its hash.
type ConfiguredKey struct {
	// Name is your name for the key's holder. It appears in the log.
	Name string `yaml:"name,required"`
	// Hash is the key's hash, as `frontdesk keys hash` prints it.
	Hash string `yaml:"hash,required"`
	// Scopes are the doors that the key opens; without them, all.
	Scopes []string `yaml:"scopes" check:"oneof=ask mcp intake"`
	// Rate is the key's own limit, in place of `limits.rate.key`.
	Rate string `yaml:"rate" check:"rate"`
}

// OAuth is the section auth.oauth: which bearer tokens are good. They are JWTs of one authorization
// server (RFC 9068, and what most servers made before it).
type OAuth struct {
	// Issuer is the authorization server's address, letter by letter as in its tokens (`iss`). It
	// switches tokens on.
	Issuer string `yaml:"issuer" check:"url"`
	// Audience lists accepted audiences (`aud`); a token must name one of them. Without it, it is
	// the public address in `url`, alone or followed by `/ask` or `/mcp`.
	Audience []string `yaml:"audience"`
	// JWKS is the address of the authorization server's public keys. Frontdesk fetches it when
	// needed, and again when a token names an unknown key.
	JWKS string `yaml:"jwks"`
	// Algorithms are the accepted signature algorithms of tokens.
	Algorithms []string `yaml:"algorithms"`
	// Scopes are the scopes that a token needs, all of them; without them any token is accepted.
	Scopes []string `yaml:"scopes"`
	// Skew is how far the authorization server's clock may differ.
	Skew time.Duration `yaml:"skew" check:"0..10m"`

	// Fetch gets the document at an address. It bounds size and time.
	Fetch func(ctx context.Context, address string) ([]byte, error)
}

// DefaultAuthSettings let everybody in.
func DefaultAuthSettings() AuthSettings {
	return AuthSettings{OAuth: OAuth{Algorithms: []string{"RS256", "PS256", "ES256", "EdDSA"}, Skew: time.Minute}}
}

// Check looks at whether what needs a credential leaves without one elsewhere, and at the keys.
func (a AuthSettings) Check(r *yamlconf.Report) {
	if len(a.Required) == 1 {
		others := slices.DeleteFunc([]string{"ask", "mcp"}, func(door string) bool { return door == a.Required[0] })
		r.Warning("required", "only %s needs a credential; the same answers leave by %s without one",
			a.Required[0], strings.Join(others, " and "))
	}
	seen := map[string]bool{}
	for i, key := range a.Keys {
		r := r.Entry("keys", i)
		if seen[key.Name] || key.Name == "" {
			r.Problem("name", "give each key a name of its own; %q does not do", key.Name)
		}
		seen[key.Name] = true
		if _, err := ParseHash(key.Hash); err != nil {
			r.Problem("hash", "%s", err.Error())
		}
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
		r.Problem("jwks",
			"%q is no address of keys; write the jwks_uri that the authorization server's metadata names", o.JWKS)
	}
	for i, algorithm := range o.Algorithms {
		r.OneOf(yamlconf.Index("algorithms", i), algorithm, Algorithms()...)
	}
	if len(o.Algorithms) == 0 {
		r.Problem("algorithms", "the list is empty; name how tokens are signed, like RS256")
	}
	r.MatchAll("scopes", o.Scopes, func(s string) bool { return s != "" && !strings.ContainsAny(s, " \"\\") },
		"is no scope; write each as a word of its own")
}
