package app

import (
	apphttp "frontdesk/internal/app/http"
	"frontdesk/internal/policy"

	"net/http"
	"slices"
	"strings"

	"frontdesk/internal/app/discovery"
	"frontdesk/internal/ask/nlweb"
	"frontdesk/internal/infra/build"
)

// discovered adds to routes the addresses that tell of them, and links to these from the page and
// from /ask.
func (q *questions) discovered(routes []apphttp.Route, terms func() *policy.Terms) []apphttp.Route {
	if !q.config.Discovery.Enabled {
		return routes
	}
	config := discovery.Config{
		PublicURL: q.outside.PublicURL, SameURL: q.config.URL != "", Fail: nlweb.WriteError, Name: q.config.title(),
		About: q.config.Console.About, Version: build.Current().Version, Feeds: q.config.Discovery.Feeds,
		WriteTimeout: q.config.Limits.WriteTimeout, OwnFile: q.config.ownFile,
		StatedTerms: func(site, function string) (allowed, known bool) { return terms().ImportedTerms(site, function) },
	}
	for _, site := range q.config.AllSites() {
		config.Sites = append(config.Sites,
			discovery.Site{ID: site.ID, Name: site.Name, URL: site.URL, Hosts: site.Hosts})
	}
	for _, one := range q.config.Intakes.List {
		config.Intakes = append(config.Intakes,
			discovery.Intake{ID: one.ID, Name: one.Name, Description: one.Description})
	}
	for i := range routes {
		config.Patterns = append(config.Patterns, described(routes[i].Pattern))
	}
	config.MCP = slices.Contains(config.Patterns, "/mcp")
	for i := range routes {
		if pattern := routes[i].Pattern; pattern == askPath || pattern == "/{$}" {
			routes[i].Handler = linked(config, routes[i].Handler)
		}
	}
	for _, r := range discovery.Routes(q.Ask, config) {
		at := apphttp.Route{Pattern: r.Pattern, Name: r.Pattern, Methods: apphttp.ReadMethods, CORS: true,
			Handler: r.Handler}
		if r.Items {
			at.Door = doorAsk // what needs a credential to be asked for is not given away without
		}
		routes = append(routes, at)
	}
	return routes
}

// described is a pattern as the OpenAPI description writes it, which knows no "...".
func described(pattern string) string { return strings.Replace(pattern, "...}", "}", 1) }

// linked gives answers to GET a Link header to what the front desk has to offer. Answers to
// questions go without: who asks is here already.
func linked(config discovery.Config, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet || r.Method == http.MethodHead {
			w.Header().Set("Link", discovery.Links(config, r))
		}
		next.ServeHTTP(w, r)
	})
}

// ownFile reads what the owner wants served under a name in place of what we make.
func (c Config) ownFile(name string) ([]byte, error) {
	return discovery.ReadOwnFile(
		map[string]string{"robots.txt": c.Discovery.Robots, "llms.txt": c.Discovery.LLMs}[name])
}
