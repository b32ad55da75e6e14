package http

import (
	"encoding/json"
	"net/http"
	"slices"
)

// ResourceMetadata is what RFC 9728 §2 says of a protected resource.
type ResourceMetadata struct {
	Resource string   `json:"resource"`
	Servers  []string `json:"authorization_servers"`
	Scopes   []string `json:"scopes_supported,omitempty"`
	Methods  []string `json:"bearer_methods_supported"`
	Name     string   `json:"resource_name,omitempty"`
}

// MetadataRoutes tell clients where to get tokens for what is at some paths, by metadata that say
// it of all. What cannot be told is told by failed.
func (c *ClientAddress) MetadataRoutes(of ResourceMetadata, cached bool,
	failed func(http.ResponseWriter, *http.Request, error), paths ...string) (all []Route) {
	of.Methods = []string{"header"}
	for _, path := range paths {
		handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			told := of
			told.Resource = c.PublicURL(r) + path
			body, err := json.Marshal(told)
			if err != nil {
				failed(w, r, err)
				return
			}
			header := w.Header()
			header.Set("Content-Type", "application/json")
			header.Set("Cache-Control", "no-cache") // it depends on the request
			if cached {
				header.Set("Cache-Control", "max-age=3600")
			}
			w.Write(append(body, '\n'))
		})
		for _, prefix := range slices.Compact([]string{"", c.Prefix}) {
			all = append(all, Route{Pattern: ResourcePath + prefix + path, Name: ResourcePath, Methods: ReadMethods,
				CORS: true, Handler: handler})
		}
	}
	return all
}
