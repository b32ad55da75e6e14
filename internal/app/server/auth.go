package server

import (
	"encoding/json"
	"net/http"
	"slices"

	"frontdesk/internal/ask/nlweb"
	"frontdesk/internal/identity"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/ratelimit"
)

// resourcePath is where the metadata of a protected resource is (RFC 9728 §3): of the resource at /mcp, at this and
// /mcp behind it.
const resourcePath = "/.well-known/oauth-protected-resource"

// challenge is the value of WWW-Authenticate for a refusal; empty for what a credential would not change.
func (a *admission) challenge(r *http.Request, where *route, err error) string {
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
	if a.config.Auth.OAuth.Issuer != "" {
		c.Metadata, c.Scopes = a.metadataURL(r, where.door), a.config.Auth.OAuth.Scopes
	}
	return c.String()
}

// metadataURL is where a client finds the authorization server of a door. Under a prefix it is below that, where a
// proxy passes everything on; whoever makes the address of the door's own (RFC 9728 §3.1) finds it, too, if the
// proxy passes that on.
func (a *admission) metadataURL(r *http.Request, door string) string {
	return a.outside.PublicURL(r) + resourcePath + "/" + door
}

// howToEnter says which credentials are taken.
func (a *admission) howToEnter(r *http.Request) string {
	text := "an API key as `" + identity.KeyHeader + ": KEY` or `Authorization: Bearer KEY`"
	if issuer := a.config.Auth.OAuth.Issuer; issuer != "" {
		text += ", or a bearer token of " + issuer
	}
	return text + "; " + a.outside.PublicURL(r) + askPath + " tells more"
}

// resourceMetadata is what RFC 9728 §2 says of a protected resource.
type resourceMetadata struct {
	Resource string   `json:"resource"`
	Servers  []string `json:"authorization_servers"`
	Scopes   []string `json:"scopes_supported,omitempty"`
	Methods  []string `json:"bearer_methods_supported"`
	Name     string   `json:"resource_name,omitempty"`
}

// metadataRoutes tell clients where to get tokens, if tokens are taken.
func (s *Server) metadataRoutes() []route {
	o := s.config.Auth.OAuth
	if o.Issuer == "" {
		return nil
	}
	var all []route
	for _, path := range []string{"", "/" + doorAsk, "/" + doorMCP} {
		handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, err := json.Marshal(resourceMetadata{
				Resource: s.outside.PublicURL(r) + path, Servers: []string{o.Issuer}, Scopes: o.Scopes, Methods: []string{"header"}, Name: s.config.Site.Name,
			})
			if err != nil {
				nlweb.WriteError(w, r, err)
				return
			}
			header := w.Header()
			header.Set("Content-Type", "application/json")
			header.Set("Cache-Control", "no-cache") // it depends on the request
			if s.config.URL != "" {
				header.Set("Cache-Control", "max-age=3600")
			}
			w.Write(append(body, '\n'))
		})
		for _, prefix := range slices.Compact([]string{"", s.outside.prefix}) {
			all = append(all, route{pattern: resourcePath + prefix + path, name: resourcePath, methods: reading, cors: true, handler: handler})
		}
	}
	return all
}

// asksHow says whether a request to /ask asks how to ask, which everybody may know.
func asksHow(r *http.Request) bool {
	return slices.Contains(reading, r.Method) && r.URL.RawQuery == ""
}

// access is what GET /ask says of who may come in and how often.
func (a *admission) access(r *http.Request) nlweb.Access {
	auth := a.config.Auth
	access := nlweb.Access{Required: slices.Contains(auth.Required, doorAsk)}
	if a.strict {
		access.Schemes = append(access.Schemes, nlweb.Scheme{Type: "api_key", Headers: []string{identity.KeyHeader + ": KEY", "Authorization: Bearer KEY"}})
	}
	if auth.OAuth.Issuer != "" {
		access.Schemes = append(access.Schemes, nlweb.Scheme{
			Type: "oauth2", Headers: []string{"Authorization: Bearer TOKEN"}, Servers: []string{auth.OAuth.Issuer}, Scopes: auth.OAuth.Scopes,
			Metadata: a.metadataURL(r, doorAsk),
		})
	}
	for _, meter := range []ratelimit.Meter{a.address, a.key, a.site} {
		if rate := meter.Rate(); !rate.Unlimited() {
			access.Rates = append(access.Rates, nlweb.Rate{Per: meter.Name(), Requests: rate.Requests, Seconds: rate.Per.Seconds(), Burst: rate.Burst})
		}
	}
	return access
}

// access tells at a request who may come in; nil when only this process asks.
func (s *Server) access() func(*http.Request) nlweb.Access {
	if s.gate == nil {
		return nil
	}
	return s.gate.access
}
