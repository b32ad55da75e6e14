package app

import (
	apphttp "frontdesk/internal/app/http"

	"net/http"
	"slices"

	"frontdesk/internal/ask/nlweb"
)

// metadataRoutes tell clients where to get tokens, if tokens are taken.
func (n *network) metadataRoutes() []apphttp.Route {
	o := n.config.Auth.OAuth
	if o.Issuer == "" {
		return nil
	}
	of := apphttp.ResourceMetadata{Servers: []string{o.Issuer}, Scopes: o.Scopes, Name: n.config.Site.Name}
	return n.outside.MetadataRoutes(of, n.config.URL != "", nlweb.WriteError, "", "/"+doorAsk, "/"+doorMCP)
}

// asksHow says whether a request to /ask asks how to ask, which everybody may know.
func asksHow(r *http.Request) bool {
	return slices.Contains(apphttp.ReadMethods, r.Method) && r.URL.RawQuery == ""
}

// access tells at a request who may come in; nil when only this process asks.
func (n *network) access() func(*http.Request) nlweb.Access {
	if n.gate == nil {
		return nil
	}
	return func(r *http.Request) nlweb.Access { return n.gate.Access(r, doorAsk) }
}
