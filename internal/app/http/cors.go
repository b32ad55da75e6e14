package http

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// CORS lets pages of other origins call a route (CORS, in the Fetch standard).
type CORS struct {
	origins     []string
	everyone    bool
	credentials bool
	accepted    string   // request headers
	exposed     []string // response headers, as the one value of a header; shared, and never changed
	maxAge      string
}

// Headers that the doors read and set, beyond those that a page may always send and read.
var (
	acceptedHeaders = []string{
		"Content-Type", "Accept", "Accept-Language", "Authorization", "X-API-Key", "Session-State", "Traceparent",
		"Tracestate", "Mcp-Protocol-Version", "Mcp-Session-Id", "Mcp-Method", "Mcp-Name", "Last-Event-Id",
		"Connect-Protocol-Version", "Connect-Timeout-Ms", "Grpc-Timeout", "X-Grpc-Web", "X-User-Agent",
		"Content-Digest", "Signature", "Signature-Input", "Range", "If-Range", "If-Match", "If-None-Match",
	}
	exposedHeaders = []string{
		"X-Request-Id", "Retry-After", "WWW-Authenticate", "Link", "ETag", "Repr-Digest", "Accept-Ranges",
		"Content-Range", "Mcp-Session-Id", "Traceresponse", "Grpc-Status", "Grpc-Message", "Grpc-Status-Details-Bin",
	}
	limitHeaders = []string{"RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset", "RateLimit-Policy",
		"RateLimit"}
	anyOrigin = []string{"*"} // shared, and never changed
)

// NewCORS reads settings that were checked. limits says that answers tell of limits.
func NewCORS(config CORSSettings, limits bool) *CORS {
	exposed := append(slices.Clone(exposedHeaders), config.Expose...)
	if limits {
		exposed = append(exposed, limitHeaders...)
	}
	return &CORS{
		origins: config.Origins, everyone: slices.Contains(config.Origins, "*"), credentials: config.Credentials,
		accepted: strings.Join(append(slices.Clone(acceptedHeaders), config.Headers...), ", "),
		exposed:  []string{strings.Join(exposed, ", ")},
		maxAge:   strconv.Itoa(int(config.MaxAge / time.Second)),
	}
}

// wrap answers preflights, which carry no credential and cost nothing, and marks every other
// answer, refusals among them: the page is to see why it was refused.
func (s *CORS) wrap(methods []string, next http.Handler) http.Handler {
	list := strings.Join(append(slices.Clone(methods), http.MethodOptions), ", ")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		allowed := s.mark(header, r.Header.Get("Origin"))
		if r.Method != http.MethodOptions {
			next.ServeHTTP(w, r)
			return
		}
		header.Set("Allow", list)
		if allowed {
			header.Set("Access-Control-Allow-Methods", list)
			header.Set("Access-Control-Allow-Headers", s.accepted)
			header.Set("Access-Control-Max-Age", s.maxAge)
		}
		w.WriteHeader(http.StatusNoContent)
	})
}

// mark says whose pages may read the answer. Where that depends on who asks, a cache must know it.
func (s *CORS) mark(header http.Header, origin string) (allowed bool) {
	switch {
	case s.everyone: // without credentials: the configuration cannot have both
		header["Access-Control-Allow-Origin"] = anyOrigin
	case origin != "" && slices.Contains(s.origins, origin):
		header.Add("Vary", "Origin")
		header.Set("Access-Control-Allow-Origin", origin)
		if s.credentials {
			header.Set("Access-Control-Allow-Credentials", "true")
		}
	default:
		header.Add("Vary", "Origin")
		return false
	}
	if origin != "" { // otherwise no page asks
		header["Access-Control-Expose-Headers"] = s.exposed
	}
	return true
}
