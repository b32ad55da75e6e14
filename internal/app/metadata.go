package app

import (
	apphttp "frontdesk/internal/app/http"

	"encoding/json"
	"net/http"
	"slices"

	"frontdesk/internal/ask/nlweb"
)

// resourceMetadata is what RFC 9728 §2 says of a protected resource.
type resourceMetadata struct {
	Resource string   `json:"resource"`
	Servers  []string `json:"authorization_servers"`
	Scopes   []string `json:"scopes_supported,omitempty"`
	Methods  []string `json:"bearer_methods_supported"`
	Name     string   `json:"resource_name,omitempty"`
}

// metadataRoutes tell clients where to get tokens, if tokens are taken.
func (n *network) metadataRoutes() []apphttp.Route {
	o := n.config.Auth.OAuth
	if o.Issuer == "" {
		return nil
	}
	var all []apphttp.Route
	for _, path := range []string{"", "/" + doorAsk, "/" + doorMCP} {
		handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, err := json.Marshal(resourceMetadata{
				Resource: n.outside.PublicURL(r) + path, Servers: []string{o.Issuer}, Scopes: o.Scopes, Methods: []string{"header"}, Name: n.config.Site.Name,
			})
			if err != nil {
				nlweb.WriteError(w, r, err)
				return
			}
			header := w.Header()
			header.Set("Content-Type", "application/json")
			header.Set("Cache-Control", "no-cache") // it depends on the request
			if n.config.URL != "" {
				header.Set("Cache-Control", "max-age=3600")
			}
			w.Write(append(body, '\n'))
		})
		for _, prefix := range slices.Compact([]string{"", n.outside.Prefix}) {
			all = append(all, apphttp.Route{Pattern: apphttp.ResourcePath + prefix + path, Name: apphttp.ResourcePath, Methods: apphttp.ReadMethods, CORS: true, Handler: handler})
		}
	}
	return all
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
