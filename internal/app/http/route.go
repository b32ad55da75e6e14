package http

import (
	"net/http"
	"slices"
	"strings"

	"frontdesk/internal/ask/nlweb"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/httpx"
)

// Route is one address of the server.
type Route struct {
	Pattern string // as http.ServeMux reads it, without a method
	Name    string // in logs and metrics
	Methods []string
	CORS    bool // pages of other origins may call it
	// preflight are the methods that preflights are told, where they are others than methods.
	Preflight []string
	Same      bool // whoever asks gets the same, which shared caches may keep whatever the terms say of parties
	Quiet     bool // probes: answered under any load, and logged at level debug
	// asks says of a request that is done whether it was a question, for the metric asks_total; nil
	// for none.
	Asks func(method string, happened *httpx.Event) bool
	// Door names the route in auth.required and in the scopes of keys. Its requests are identified
	// and counted; those of a route without a door are not.
	Door string
	// Channel is over what its visitors are counted to come; empty for what agents are not for,
	// such as the console.
	Channel string
	// Proves says that the handler asks for a signature of its own, where [identity.MustProve] has
	// it.
	Proves bool
	Public func(*http.Request) bool // requests that need no credential in any case; nil for none
	// the handler says in its protocol's words that a limit is used up, as the Admit of its service
	// tells it
	Tells bool
	// refuse tells in the route's own protocol what was refused before the handler had it; nil is
	// NLWeb's.
	Refuse  func(http.ResponseWriter, *http.Request, error)
	Handler http.Handler
}

// fail tells why a request is not answered. A nil route is that of an address that nobody serves.
func (r *Route) fail(w http.ResponseWriter, request *http.Request, err error) {
	if r == nil || r.Refuse == nil {
		nlweb.WriteError(w, request, err)
		return
	}
	r.Refuse(w, request, err)
}

var ReadMethods = []string{http.MethodGet, http.MethodHead}

// NewMux puts routes into a mux. Everything else is not found, and the answer says where to go
// instead. Doors are guarded by gate, unless it is nil.
func NewMux(routes []Route, gate *Auth, pages *CORS, nothing string) (*http.ServeMux, map[string]*Route) {
	mux := http.NewServeMux()
	known := map[string]*Route{}
	none := NothingAt(nothing)
	if i := slices.IndexFunc(routes, func(r Route) bool { return r.Pattern == PagePattern }); i >= 0 {
		none = forPeople(routes[i].Handler, none)
	}
	routes = append(routes, Route{Pattern: "/", Name: "none", Handler: none})
	for _, r := range routes {
		handler := r.Handler
		if r.Door != "" && gate != nil {
			handler = gate.Guard(&r, handler)
		}
		if r.Methods != nil {
			methods := r.Methods
			if r.CORS {
				methods = append(slices.Clone(methods), http.MethodOptions) // which sharing answers
			}
			handler = allowed(&r, methods, handler)
		}
		if r.CORS {
			told := r.Methods
			if r.Preflight != nil {
				told = r.Preflight
			}
			handler = pages.wrap(told, handler)
		}
		mux.Handle(r.Pattern, Matched(&r, handler))
		known[r.Pattern] = &r
	}
	return mux, known
}

// Matched tells the request's recorder which route answers. (http.Request.Pattern would not do: a
// mux within the handler writes its own there.)
func Matched(r *Route, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		if answer, ok := w.(*Recorder); ok {
			answer.route = r
		}
		next.ServeHTTP(w, request)
	})
}

// PagePattern is the pattern of the page for people, whose handler also has a page for addresses at
// which there is nothing.
const PagePattern = "/{$}"

// forPeople has browsers answered by a page, and programs otherwise.
func forPeople(page, otherwise http.Handler) http.Handler {
	media := []string{"application/json", "text/html"}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Add("Vary", "Accept")
		kind, _ := httpx.ChooseMedia(r.Header.Values("Accept"), media)
		if kind == media[1] && slices.Contains(ReadMethods, r.Method) {
			page.ServeHTTP(w, r)
			return
		}
		otherwise.ServeHTTP(w, r)
	})
}

// NothingAt answers at addresses that nobody serves, and says what there is instead.
func NothingAt(instead string) http.Handler {
	detail := "there is nothing at this address" + instead
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		nlweb.WriteError(w, r, fail.New(fail.NotFound, "%s", detail))
	})
}

// allowed refuses other methods.
func allowed(where *Route, methods []string, next http.Handler) http.Handler {
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
