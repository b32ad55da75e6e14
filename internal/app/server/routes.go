package server

import (
	"net/http"
	"slices"
	"strings"

	"frontdesk/internal/ask/nlweb"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/licensing/rampapi"
)

// route is one address of the server.
type route struct {
	pattern string // as http.ServeMux reads it, without a method
	name    string // in logs and metrics
	methods []string
	cors    bool // pages of other origins may call it
	// preflight are the methods that preflights are told, where they are others than methods.
	preflight []string
	quiet     bool // probes: answered under any load, and logged at level debug
	// door is the name by which auth.required and the scopes of keys know the route. Its requests are identified and
	// counted; those of a route without a door are not.
	door   string
	public func(*http.Request) bool // requests that need no credential in any case; nil for none
	tells  bool                     // the handler says in its protocol's words that a limit is used up, as the Admit of its service tells it
	// refuse tells in the route's own protocol what was refused before the handler had it; nil is NLWeb's.
	refuse  func(http.ResponseWriter, *http.Request, error)
	handler http.Handler
}

// fail tells why a request is not answered. A nil route is that of an address that nobody serves.
func (r *route) fail(w http.ResponseWriter, request *http.Request, err error) {
	if r == nil || r.refuse == nil {
		nlweb.WriteError(w, request, err)
		return
	}
	r.refuse(w, request, err)
}

var reading = []string{http.MethodGet, http.MethodHead}

// newRoutes puts routes into a mux. Everything else is not found. Doors are guarded by gate, unless it is nil.
func newRoutes(routes []route, gate *admission, pages *sharing) (*http.ServeMux, map[string]*route) {
	mux := http.NewServeMux()
	known := map[string]*route{}
	routes = append(routes, route{pattern: "/", name: "none", handler: nothingAt(routes)})
	for _, r := range routes {
		handler := r.handler
		if r.door != "" && gate != nil {
			handler = gate.guard(&r, handler)
		}
		if r.methods != nil {
			methods := r.methods
			if r.cors {
				methods = append(slices.Clone(methods), http.MethodOptions) // which sharing answers
			}
			handler = allowed(&r, methods, handler)
		}
		if r.cors {
			told := r.methods
			if r.preflight != nil {
				told = r.preflight
			}
			handler = pages.wrap(told, handler)
		}
		mux.Handle(r.pattern, noted(&r, handler))
		known[r.pattern] = &r
	}
	return mux, known
}

// noted tells the request's recorder which route answers. (http.Request.Pattern would not do: a mux within the
// handler writes its own there.)
func noted(r *route, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		if answer, ok := w.(*recorder); ok {
			answer.route = r
		}
		next.ServeHTTP(w, request)
	})
}

// nothingAt answers at addresses that nobody serves, and says what there is among some routes.
func nothingAt(routes []route) http.Handler {
	has := func(pattern string) bool {
		return slices.ContainsFunc(routes, func(r route) bool { return r.pattern == pattern })
	}
	detail := "there is nothing at this address"
	switch {
	case has(askPath):
		detail += "; POST a question to /ask, or open / in a browser"
	case has(rampapi.ResolvePath):
		detail += "; POST a RAMPRequest to " + rampapi.ResolvePath
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		nlweb.WriteError(w, r, fail.New(fail.NotFound, "%s", detail))
	})
}

// allowed refuses other methods.
func allowed(where *route, methods []string, next http.Handler) http.Handler {
	list := strings.Join(methods, ", ")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !slices.Contains(methods, r.Method) {
			w.Header().Set("Allow", list)
			where.fail(w, r, fail.New(fail.Method, "this address takes %s", list))
			return
		}
		next.ServeHTTP(w, r)
	})
}
