package server

import (
	"net/http"
	"slices"
	"strings"

	"frontdesk/internal/fail"
	"frontdesk/internal/nlweb"
)

// route is one address of the server.
type route struct {
	pattern string // as http.ServeMux reads it, without a method
	name    string // in logs and metrics
	methods []string
	cors    bool // pages of other origins may call it
	quiet   bool // probes: answered under any load, and logged at level debug
	handler http.Handler
}

var reading = []string{http.MethodGet, http.MethodHead}

// newRoutes puts routes into a mux. Everything else is not found.
func newRoutes(routes []route, origins []string) (*http.ServeMux, map[string]*route) {
	mux := http.NewServeMux()
	known := map[string]*route{}
	routes = append(routes, route{pattern: "/", name: "none", handler: http.HandlerFunc(notFound)})
	for _, r := range routes {
		handler := r.handler
		if r.methods != nil {
			methods := r.methods
			if r.cors {
				methods = append(slices.Clone(methods), http.MethodOptions) // which shared answers
			}
			handler = allowed(methods, handler)
		}
		if r.cors {
			handler = shared(origins, r.methods, handler)
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

func notFound(w http.ResponseWriter, r *http.Request) {
	nlweb.WriteError(w, r, fail.New(fail.NotFound, "there is nothing at this address; POST a question to /ask, or open / in a browser"))
}

// allowed refuses other methods.
func allowed(methods []string, next http.Handler) http.Handler {
	list := strings.Join(methods, ", ")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !slices.Contains(methods, r.Method) {
			w.Header().Set("Allow", list)
			nlweb.WriteError(w, r, fail.New(fail.Method, "this address takes %s", list))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// Values of headers that every answer to another origin has; shared, and never changed.
var anyOrigin, exposed = []string{"*"}, []string{"X-Request-Id, Retry-After"}

// shared lets pages of other origins call a route (CORS, in the Fetch standard), without credentials: nothing here
// depends on cookies.
func shared(origins, methods []string, next http.Handler) http.Handler {
	everyone := slices.Contains(origins, "*")
	list := strings.Join(append(slices.Clone(methods), http.MethodOptions), ", ")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		origin := r.Header.Get("Origin")
		switch {
		case everyone:
			header["Access-Control-Allow-Origin"] = anyOrigin
		case slices.Contains(origins, origin) && origin != "":
			header.Set("Access-Control-Allow-Origin", origin)
			header.Add("Vary", "Origin")
		default:
			header.Add("Vary", "Origin")
		}
		if header.Get("Access-Control-Allow-Origin") != "" {
			header["Access-Control-Expose-Headers"] = exposed
		}
		if r.Method != http.MethodOptions {
			next.ServeHTTP(w, r)
			return
		}
		header.Set("Allow", list)
		if header.Get("Access-Control-Allow-Origin") != "" {
			header.Set("Access-Control-Allow-Methods", list)
			header.Set("Access-Control-Allow-Headers", "Content-Type, Accept, Accept-Language, Authorization")
			header.Set("Access-Control-Max-Age", "86400")
		}
		w.WriteHeader(http.StatusNoContent)
	})
}
