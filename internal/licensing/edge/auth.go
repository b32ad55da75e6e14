package edge

import (
	"net/http"
	"net/netip"
	"strings"

	"frontdesk/internal/infra/httpx"
	"frontdesk/internal/infra/ratelimit"
	wire "frontdesk/wire/edge"
	"frontdesk/wire/ramp"
)

// The paths of Auth.
const (
	// AuthRequestPath is for nginx's auth_request: 204 or 403, and nothing is told of why.
	AuthRequestPath = "/auth-request"
	// ForwardAuthPath is for Caddy's forward_auth, and others that hand on what is answered in
	// place of 2xx.
	ForwardAuthPath = "/auth"
	// AnswerPath answers in the site's stead: why a request was refused, and with the documents of
	// the domain.
	AnswerPath = "/answer"
)

// The headers with which Auth tells a server what passes.
const (
	AddressHeader = "X-Edge-Uri" // path and query for the origin, without what signs them
	// what signs them: the end of the query, with the & before it; none where it stands between
	SignatureHeader   = "X-Edge-Signature"
	DeliveryHeader    = "X-Edge-Delivery"    // the id of the delivery that was recorded, which the server's log names
	TransactionHeader = "X-Edge-Transaction" // of a delivery
	AgentHeader       = "X-Edge-Agent"       // of a delivery
	FormHeader        = "X-Edge-Form"        // of a delivery
	ContentHeader     = "X-Edge-Content"     // the absolute address of what is delivered, without what signs it
	CacheHeader       = "X-Edge-Cache"       // the Cache-Control that a delivery has to have
	// the Vary that an answer has to have besides, since agents are told otherwise
	VaryHeader = "X-Edge-Vary"
)

// Auth answers servers that ask whether a request may pass which they took, and deliver themselves.
// It believes what they say of the request: it must not be within anybody else's reach. A delivery
// is recorded as begun before it may pass; how it ended is for the server's log to tell (ReadLine).
func (g *Gate) Auth() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc(AuthRequestPath, func(w http.ResponseWriter, r *http.Request) {
		g.ask(w, r, original(r, "X-Original-"), func(v verdict) {
			httpx.EventFrom(r.Context()).Set("edge", v.word())
			w.Header().Set("Cache-Control", "no-store")
			w.WriteHeader(http.StatusForbidden) // nginx takes any other status for a failure of its own
		})
	})
	mux.HandleFunc(ForwardAuthPath, func(w http.ResponseWriter, r *http.Request) {
		g.ask(w, r, original(r, "X-Forwarded-"), func(v verdict) { g.refuse(w, v) })
	})
	mux.HandleFunc(AnswerPath, func(w http.ResponseWriter, r *http.Request) {
		a := original(r, "X-Original-")
		v := g.judge(r.Context(), a)
		httpx.EventFrom(r.Context()).Set("edge", v.word())
		switch {
		case v.refusal != nil:
			g.refuse(w, v)
		case v.document != nil:
			v.document.ServeHTTP(w, r)
		case isDocument(a.target):
			v.refusal = refused(http.StatusNotFound, "there is no such document of this site's at the edge")
			g.refuse(w, v)
		default: // what was refused a moment ago passes now
			v.refusal = &refusal{status: http.StatusServiceUnavailable, detail: "try again"}
			g.refuse(w, v)
		}
	})
	return mux
}

// original is a request as the server that asks tells it, in headers that begin so.
func original(r *http.Request, prefix string) asked {
	a := asked{
		method: r.Header.Get(prefix + "Method"), host: r.Header.Get(prefix + "Host"),
		target: r.Header.Get(prefix + "Uri"), userAgent: r.UserAgent(),
		license: r.Header.Get(ramp.LicenceHeader), again: r.URL.Path == AuthRequestPath,
	}
	senders := strings.Split(r.Header.Get("X-Forwarded-For"), ",")
	if address, err := netip.ParseAddr(strings.TrimSpace(senders[len(senders)-1])); err == nil {
		a.client = ratelimit.Network(address)
	}
	return a
}

// ask judges a request for another server, and lets it pass or has refuse answer.
func (g *Gate) ask(w http.ResponseWriter, r *http.Request, a asked, refuse func(verdict)) {
	if a.method == "" || a.host == "" || !strings.HasPrefix(a.target, "/") {
		http.Error(w, "the server that asks does not say which request it took: it has to send method, host and "+
			"address of it, as docs/edge.md shows", http.StatusInternalServerError)
		return
	}
	v := g.judge(r.Context(), a)
	httpx.EventFrom(r.Context()).Set("edge", v.word())
	if v.refusal != nil || v.document != nil && a.again { // who is told no asks for the answer, which is the document
		refuse(v)
		return
	}
	header := w.Header()
	header.Set("Cache-Control", "no-store")
	header.Set(AddressHeader, a.target)
	if v.access != Open && v.document == nil {
		header.Set(VaryHeader, "User-Agent")
	}
	if v.grant != nil {
		address := strings.TrimPrefix(v.content, v.site.URL)
		header.Set(AddressHeader, address)
		if signature, ok := strings.CutPrefix(a.target, address); ok {
			header.Set(SignatureHeader, strings.TrimPrefix(signature, "?"))
		}
		if a.method == http.MethodGet && !g.begun(w, v) {
			v.refusal = unrecorded
			refuse(v)
			return
		}
	}
	w.WriteHeader(http.StatusNoContent)
}

// begun records a delivery that another server makes, and tells that server its id.
func (g *Gate) begun(w http.ResponseWriter, v verdict) bool {
	d := wire.Delivery{
		ID: g.config.Deliveries.NewID(), Transaction: v.grant.Transaction, Agent: v.grant.Agent, URI: v.content,
		Form: string(v.form), State: wire.Begun,
		Bytes: g.config.Unseen, At: g.config.Now().UTC(),
	}
	if err := g.config.Deliveries.Put(d); err != nil {
		g.config.Log.Error("a delivery could not be recorded, and is not made", "error", err)
		return false
	}
	for name, value := range map[string]string{
		DeliveryHeader: d.ID, TransactionHeader: d.Transaction, AgentHeader: d.Agent, FormHeader: d.Form,
		ContentHeader: d.URI, CacheHeader: private.Get("Cache-Control"),
	} {
		w.Header().Set(name, value)
	}
	return true
}
