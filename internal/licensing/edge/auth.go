package edge

import (
	"context"
	"net/http"
	"net/netip"
	"strings"

	"frontdesk/internal/identity/agents"
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
	// the Cache-Control that an answer has to have which is not for everybody
	CacheHeader = "X-Edge-Cache"
	// the Vary that an answer has to have besides, since agents are told otherwise
	VaryHeader = "X-Edge-Vary"
)

// Auth answers servers that ask whether a request may pass which they took, and deliver themselves.
// It believes what they say of the request: it must not be within anybody else's reach. A delivery
// is recorded as begun before it may pass; how it ended is for the server's log to tell (ReadLine).
// identify gives a context that names who sends a request, as the server that asks tells it; nil
// tells nobody apart.
func (g *Gate) Auth(identify func(context.Context, agents.Request) context.Context) http.Handler {
	mux := http.NewServeMux()
	original := func(w http.ResponseWriter, r *http.Request, prefix string) (context.Context, asked) {
		a, request := g.original(r, prefix)
		if identify == nil {
			return r.Context(), a
		}
		ctx := identify(r.Context(), request)
		if who := agents.From(ctx); who.Signature != "" {
			w.Header().Set(agents.HeaderOutcome, who.Told())
		}
		return ctx, a
	}
	mux.HandleFunc(AuthRequestPath, func(w http.ResponseWriter, r *http.Request) {
		ctx, a := original(w, r, "X-Original-")
		g.ask(ctx, w, r, a, func(v verdict) {
			httpx.EventFrom(r.Context()).Set("edge", v.word())
			w.Header().Set("Cache-Control", "no-store")
			w.WriteHeader(http.StatusForbidden) // nginx takes any other status for a failure of its own
		})
	})
	mux.HandleFunc(ForwardAuthPath, func(w http.ResponseWriter, r *http.Request) {
		ctx, a := original(w, r, "X-Forwarded-")
		g.ask(ctx, w, r, a, func(v verdict) { g.refuse(w, v) })
	})
	mux.HandleFunc(AnswerPath, func(w http.ResponseWriter, r *http.Request) {
		ctx, a := original(w, r, "X-Original-")
		v := g.judge(ctx, a)
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

// original is a request as the server that asks tells it, in headers that begin so, and what its
// sender signed.
func (g *Gate) original(r *http.Request, prefix string) (asked, agents.Request) {
	a := asked{
		method: r.Header.Get(prefix + "Method"), host: r.Header.Get(prefix + "Host"),
		target: r.Header.Get(prefix + "Uri"), userAgent: r.UserAgent(),
		license: r.Header.Get(ramp.LicenceHeader), again: r.URL.Path == AuthRequestPath,
	}
	signed := agents.Request{Method: a.method, Header: r.Header, Elsewhere: true,
		Again: r.URL.Path == AnswerPath} // after AuthRequestPath
	if site := g.siteAt(a.host); site != nil { // over what it came, the address of the site says
		scheme, _, _ := strings.Cut(site.URL, "://")
		signed.Target, signed.Elsewhere = scheme+"://"+a.host+a.target, false
	}
	senders := strings.Split(r.Header.Get("X-Forwarded-For"), ",")
	if address, err := netip.ParseAddr(strings.TrimSpace(senders[len(senders)-1])); err == nil {
		a.client, signed.From = ratelimit.Network(address), address
	}
	return a, signed
}

// varyByParty is the Vary of what other parties are told otherwise.
const varyByParty = "User-Agent, Signature, Signature-Input, Signature-Agent"

// ask judges a request for another server, and lets it pass or has refuse answer.
func (g *Gate) ask(ctx context.Context, w http.ResponseWriter, r *http.Request, a asked, refuse func(verdict)) {
	if a.method == "" || a.host == "" || !strings.HasPrefix(a.target, "/") {
		http.Error(w, "the server that asks does not say which request it took: it has to send method, host and "+
			"address of it, as docs/edge.md shows", http.StatusInternalServerError)
		return
	}
	v := g.judge(ctx, a)
	httpx.EventFrom(r.Context()).Set("edge", v.word())
	if v.refusal != nil || v.document != nil && a.again { // who is told no asks for the answer, which is the document
		refuse(v)
		return
	}
	header := w.Header()
	header.Set("Cache-Control", "no-store")
	header.Set(AddressHeader, a.target)
	switch {
	case v.document != nil:
	case v.byParty:
		header.Set(VaryHeader, varyByParty)
		header.Set(CacheHeader, "private, no-cache")
	case v.access != Open:
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
