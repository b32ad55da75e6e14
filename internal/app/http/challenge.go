package http

import (
	"net/http"
	"slices"

	"frontdesk/internal/ask/nlweb"
	"frontdesk/internal/identity"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/ratelimit"
)

// ResourcePath is where the metadata of a protected resource is (RFC 9728 §3): of the resource at
// /mcp, at this and /mcp behind it.
const ResourcePath = "/.well-known/oauth-protected-resource"

// Challenge is the value of WWW-Authenticate for a refusal; empty for what a credential would not
// change.
func (a *Auth) Challenge(r *http.Request, where *Route, err error) string {
	c := identity.Challenge{}
	switch fail.From(err).Code {
	case fail.Unauthorized:
		if identity.Presented(r.Header) {
			c.Error = "invalid_token"
		}
	case fail.Forbidden:
		c.Error = "insufficient_scope"
	default:
		return ""
	}
	if a.Issuer != "" {
		c.Metadata, c.Scopes = a.metadataURL(r, where.Door), a.AuthOptions.Scopes
	}
	return c.String()
}

// metadataURL is where a client finds the authorization server of a door. Under a prefix it is
// below that, where a proxy passes everything on; whoever makes the address of the door's own (RFC
// 9728 §3.1) finds it, too, if the proxy passes that on.
func (a *Auth) metadataURL(r *http.Request, door string) string {
	return a.address.PublicURL(r) + ResourcePath + "/" + door
}

// howToEnter says which credentials are taken.
func (a *Auth) howToEnter(r *http.Request) string {
	text := "an API key as `" + identity.KeyHeader + ": KEY` or `Authorization: Bearer KEY`"
	if issuer := a.Issuer; issuer != "" {
		text += ", or a bearer token of " + issuer
	}
	return text + "; " + a.address.PublicURL(r) + a.Help + " tells more"
}

// Access is what GET /ask says of who may come in at a door, and how often.
func (a *Auth) Access(r *http.Request, door string) nlweb.Access {
	access := nlweb.Access{Required: slices.Contains(a.Required, door)}
	if a.Strict {
		access.Schemes = append(access.Schemes,
			nlweb.Scheme{Type: "api_key", Headers: []string{identity.KeyHeader + ": KEY", "Authorization: Bearer KEY"}})
	}
	if a.Issuer != "" {
		access.Schemes = append(access.Schemes, nlweb.Scheme{
			Type: "oauth2", Headers: []string{"Authorization: Bearer TOKEN"}, Servers: []string{a.Issuer},
			Scopes: a.Scopes, Metadata: a.metadataURL(r, door),
		})
	}
	for _, meter := range []ratelimit.Meter{a.Address, a.Key, a.Site} {
		if rate := meter.Rate(); !rate.Unlimited() {
			access.Rates = append(access.Rates,
				nlweb.Rate{Per: meter.Name(), Requests: rate.Requests, Seconds: rate.Per.Seconds(), Burst: rate.Burst})
		}
	}
	return access
}
