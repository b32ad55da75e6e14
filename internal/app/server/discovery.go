package server

import (
	apphttp "frontdesk/internal/app/http"

	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"

	"frontdesk/internal/app/discovery"
	"frontdesk/internal/ask/nlweb"
	"frontdesk/internal/infra/build"
)

// discovered adds to routes the addresses that tell of them, and links to these from the page and from /ask.
func (s *Server) discovered(routes []apphttp.Route) []apphttp.Route {
	if !s.config.Discovery.Enabled {
		return routes
	}
	config := discovery.Config{
		PublicURL: s.outside.PublicURL, SameURL: s.config.URL != "", Fail: nlweb.WriteError, Name: s.title(), About: s.config.Console.About, Version: build.Current().Version,
		Feeds: s.config.Discovery.Feeds, WriteTimeout: s.config.Limits.WriteTimeout, OwnFile: s.ownFile,
		StatedTerms: func(site, function string) (allowed, known bool) { return s.Terms().ImportedTerms(site, function) },
	}
	for _, site := range s.config.AllSites() {
		config.Sites = append(config.Sites, discovery.Site{ID: site.ID, Name: site.Name, URL: site.URL, Hosts: site.Hosts})
	}
	for _, one := range s.config.Intakes.List {
		config.Intakes = append(config.Intakes, discovery.Intake{ID: one.ID, Name: one.Name, Description: one.Description})
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
	for _, r := range discovery.Routes(s.Ask, config) {
		at := apphttp.Route{Pattern: r.Pattern, Name: r.Pattern, Methods: apphttp.ReadMethods, CORS: true, Handler: r.Handler}
		if r.Items {
			at.Door = doorAsk // what needs a credential to be asked for is not given away without
		}
		routes = append(routes, at)
	}
	return routes
}

// described is a pattern as the OpenAPI description writes it, which knows no "...".
func described(pattern string) string { return strings.Replace(pattern, "...}", "}", 1) }

// linked gives answers to GET a Link header to what the front desk has to offer. Answers to questions go without: who
// asks is here already.
func linked(config discovery.Config, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet || r.Method == http.MethodHead {
			w.Header().Set("Link", discovery.Links(config, r))
		}
		next.ServeHTTP(w, r)
	})
}

// ownFile reads what the owner wants served under a name in place of what we make.
func (s *Server) ownFile(name string) ([]byte, error) {
	file := map[string]string{"robots.txt": s.config.Discovery.Robots, "llms.txt": s.config.Discovery.LLMs}[name]
	if file == "" {
		return nil, nil
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, discovery.MaxOwnFile+1))
	if err == nil && len(text) > discovery.MaxOwnFile {
		err = fmt.Errorf("%s has more than %d bytes", file, discovery.MaxOwnFile)
	}
	if text == nil {
		text = []byte{} // an empty file is the owner's word, too
	}
	return text, err
}
