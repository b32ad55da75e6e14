package edge

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"net/http/httputil"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"frontdesk/internal/infra/httpx"
	"frontdesk/wire/ramp"
)

// Origin forwards requests to the server with a site's content. Its methods may be called
// concurrently.
type Origin struct {
	config OriginConfig
	proxy  *httputil.ReverseProxy
	slots  chan struct{} // one for each request that may be in work
}

// OriginConfig says how an origin is asked.
type OriginConfig struct {
	// URL is its scheme and host, and what its paths begin with.
	URL *url.URL
	// Host is what it is told as Host; empty for the host that the client asked.
	Host string
	// Timeout is how long it may take until the head of its answer is there, and Stall how long it
	// may send nothing of the rest.
	Timeout, Stall time.Duration
	// Client is how long a client may take for each part of an answer and of a body.
	Client time.Duration
	// MaxRequests is how many requests it has at a time; further ones are told to come back, so
	// that an origin that is slow holds up its own site alone.
	MaxRequests int
	// Body is the most that a request's body may have, in bytes.
	Body int64
	// Upgrades lets clients change to WebSocket, on addresses without a signature.
	Upgrades bool
}

// Bounds of what an origin answers.
const (
	maxOriginHeader = 256 << 10
	originDial      = 5 * time.Second
	originIdle      = 90 * time.Second
)

// NewOrigin makes an origin.
func NewOrigin(config OriginConfig) *Origin {
	o := &Origin{config: config, slots: make(chan struct{}, config.MaxRequests)}
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	o.proxy = &httputil.ReverseProxy{
		Rewrite:        o.rewrite,
		ModifyResponse: o.answered,
		ErrorHandler:   o.failed,
		ErrorLog:       log.New(io.Discard, "", 0), // what broke off is told by its event
		BufferPool:     &buffers,
		Transport: &http.Transport{
			DialContext:            (&net.Dialer{Timeout: originDial, KeepAlive: 30 * time.Second}).DialContext,
			TLSHandshakeTimeout:    originDial,
			ResponseHeaderTimeout:  config.Timeout,
			MaxResponseHeaderBytes: maxOriginHeader,
			MaxIdleConnsPerHost:    min(config.MaxRequests, 128),
			IdleConnTimeout:        originIdle,
			ExpectContinueTimeout:  time.Second,
			DisableCompression:     true,
			Protocols:              protocols,
		},
	}
	return o
}

// full says whether the origin has as many requests as it may have.
func (o *Origin) full() bool { return len(o.slots) == cap(o.slots) }

// Close closes connections that wait for a next request.
func (o *Origin) Close() { o.proxy.Transport.(*http.Transport).CloseIdleConnections() }

// buffers are those with which answers are copied.
var buffers bufferPool

type bufferPool struct{ sync.Pool }

func (p *bufferPool) Get() []byte {
	if b, ok := p.Pool.Get().(*[]byte); ok {
		return *b
	}
	return make([]byte, 32<<10)
}

func (p *bufferPool) Put(b []byte) { p.Pool.Put(&b) }

// passage is a request on its way to an origin.
type passage struct {
	gate    *Gate
	verdict verdict
	client  netip.Addr
	secure  bool
	cancel  context.CancelFunc
	out     *outlet
	body    *upload // nil for none
}

type passageKey struct{}

// fromOrigin has the site's origin answer.
func (g *Gate) fromOrigin(w http.ResponseWriter, r *http.Request, v verdict) {
	o := v.site.Origin
	select {
	case o.slots <- struct{}{}:
		defer func() { <-o.slots }()
	default:
		httpx.EventFrom(r.Context()).Set("origin", "busy")
		v.refusal = busy
		g.refuse(w, v)
		return
	}
	if r.ContentLength > o.config.Body {
		v.refusal = refused(http.StatusRequestEntityTooLarge, "the body is too large")
		g.refuse(w, v)
		return
	}
	upgrade := slices.ContainsFunc(r.Header["Connection"], func(value string) bool {
		return strings.Contains(strings.ToLower(value), "upgrade")
	})
	if upgrade && strings.EqualFold(r.Header.Get("Upgrade"), "websocket") && (!o.config.Upgrades || v.grant != nil) {
		v.refusal = refused(http.StatusNotImplemented, "this address does not change to another protocol")
		g.refuse(w, v)
		return
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	p := &passage{gate: g, verdict: v, client: g.config.Client(r), secure: g.config.Secure(r), cancel: cancel}
	p.out = newOutlet(w, o.config.Client, cancel)
	defer p.out.end() // also while a broken answer unwinds
	r = r.WithContext(context.WithValue(ctx, passageKey{}, p))
	if r.Body != nil && r.Body != http.NoBody {
		p.body = &upload{ReadCloser: http.MaxBytesReader(w, r.Body, o.config.Body), control: p.out.control,
			wait: o.config.Client}
		r.Body = p.body
	}
	o.proxy.ServeHTTP(p.out, r)
	p.out.whole = true
}

// hidden are headers by which a client could tell an origin another address, method or sender than
// were judged, and such as are for this gate, beside those that begin as hiddenPrefixes do.
var hidden = map[string]bool{
	"X-Host": true, "X-Http-Host-Override": true, "X-Http-Method": true, "X-Http-Method-Override": true,
	"X-Method-Override": true, "X-Override-Url": true,
	"X-Http-Destinationurl": true, "X-Real-Ip": true, "X-Client-Ip": true, "Client-Ip": true,
	"X-Cluster-Client-Ip": true, "X-Remote-Ip": true, "X-Remote-Addr": true,
	"X-Originating-Ip": true, "True-Client-Ip": true, "Cf-Connecting-Ip": true, "Fastly-Client-Ip": true,
	"X-Azure-Clientip": true, "X-Envoy-External-Address": true,
	"X-Envoy-Original-Path": true, "X-Sendfile-Type": true, "X-Accel-Mapping": true, "X-Forwarded": true,
	"Forwarded": true, "Proxy": true, ramp.LicenceHeader: true,
}

var hiddenPrefixes = []string{"X-Forwarded-", "X-Original-", "X-Rewrite-", "X-Edge-"}

// hides says whether a header of a client's is kept from origins.
func hides(name string) bool {
	if strings.Contains(name, "_") { // programs behind CGI do not tell it from a dash
		name = http.CanonicalHeaderKey(strings.ReplaceAll(name, "_", "-"))
	}
	return hidden[name] || strings.HasPrefix(name, "X-") &&
		slices.ContainsFunc(hiddenPrefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

// rewrite makes the request that the origin gets: the address that was judged, without its
// signature.
func (o *Origin) rewrite(pr *httputil.ProxyRequest) {
	p := pr.In.Context().Value(passageKey{}).(*passage)
	to := pr.Out.URL
	to.Scheme, to.Host, to.User, to.Opaque = o.config.URL.Scheme, o.config.URL.Host, nil, ""
	to.RawQuery, to.ForceQuery = pr.In.URL.RawQuery, false
	if p.verdict.grant != nil {
		_, to.RawQuery, _ = strings.Cut(p.verdict.content, "?")
		pr.Out.Header.Del("Accept-Encoding") // what is recorded is the content itself
	}
	if base := strings.TrimSuffix(o.config.URL.Path, "/"); base != "" {
		to.RawPath = strings.TrimSuffix(o.config.URL.EscapedPath(), "/") + pr.In.URL.EscapedPath()
		to.Path = base + pr.In.URL.Path
	}
	for name := range pr.Out.Header {
		if hides(name) {
			delete(pr.Out.Header, name)
		}
	}
	// Trailers would come behind what was judged.
	pr.Out.Trailer = nil
	if !strings.EqualFold(pr.Out.Header.Get("Upgrade"), "websocket") || !o.config.Upgrades { // such as h2c
		pr.Out.Header.Del("Upgrade")
		pr.Out.Header.Del("Connection")
	}
	host := strings.ToLower(p.gate.config.Host(pr.In))
	pr.Out.Host = cmp.Or(o.config.Host, host)
	if p.client.IsValid() {
		pr.Out.Header.Set("X-Forwarded-For", p.client.String())
	}
	pr.Out.Header.Set("X-Forwarded-Host", host)
	proto := "http"
	if p.secure {
		proto = "https"
	}
	pr.Out.Header.Set("X-Forwarded-Proto", proto)
}

// errRecord says that a delivery could not be recorded, so that it does not happen.
var errRecord = errors.New("the delivery cannot be recorded")

// answered looks at the head of an origin's answer before it goes on. What is delivered against a
// signature is recorded here, before anything of it leaves.
func (o *Origin) answered(response *http.Response) error {
	p := response.Request.Context().Value(passageKey{}).(*passage)
	p.out.restore()
	for i, name := range ownHeaders {
		if len(p.out.own[i]) > 0 {
			response.Header.Del(name)
		}
	}
	response.Header.Del("Alt-Svc") // of the origin's own connection: it would lead around the gate
	if response.StatusCode == http.StatusSwitchingProtocols {
		return nil
	}
	response.Body = &download{ReadCloser: response.Body, timer: time.AfterFunc(o.config.Stall, p.cancel),
		stall: o.config.Stall}
	v := p.verdict
	if v.access != Open {
		response.Header.Add("Vary", "User-Agent")
	}
	if v.grant == nil {
		return nil
	}
	maps.Copy(response.Header, private)
	httpx.DropTargetedCaching(response.Header)
	if response.Request.Method != http.MethodGet || response.StatusCode == http.StatusNotModified {
		return nil // nothing is delivered
	}
	return p.out.begin(p.gate.config.Deliveries, v, response.ContentLength)
}

// private are the headers of what is delivered against a signature: it is for who bought it, and
// whoever asks again is to be recorded again.
var private = http.Header{"Cache-Control": {"private, no-store"}, "X-Robots-Tag": {"noindex"}}

// failed answers in the stead of an origin that did not.
func (o *Origin) failed(w http.ResponseWriter, r *http.Request, err error) {
	p := r.Context().Value(passageKey{}).(*passage)
	p.out.restore()
	v, happened := p.verdict, httpx.EventFrom(r.Context())
	var large *http.MaxBytesError
	var timeout net.Error
	switch {
	case errors.As(err, &large):
		v.refusal = refused(http.StatusRequestEntityTooLarge, "the body is too large")
	case errors.Is(err, errRecord):
		happened.Set("spool", err.Error())
		v.refusal = unrecorded
	case p.body != nil && p.body.broke.Load():
		happened.Set("origin", "left")
		v.refusal = refused(http.StatusBadRequest, "the body broke off, or is not written as HTTP has it")
	case p.out.early > maxEarly:
		happened.Set("origin", "failed")
		v.refusal = refused(http.StatusBadGateway, "the site did not answer as a web server does; try again")
	case errors.Is(err, context.Canceled):
		happened.Set("origin", "left")
		panic(http.ErrAbortHandler) // the client is gone
	case errors.As(err, &timeout) && timeout.Timeout():
		happened.Set("origin", "timeout")
		v.refusal = refused(http.StatusGatewayTimeout, "the site did not answer in time; try again")
	default:
		happened.Set("origin", "failed")
		v.refusal = refused(http.StatusBadGateway, "the site did not answer as a web server does; try again")
	}
	// so that it can be seen what became of what was bought
	if v.grant != nil && r.Method == http.MethodGet && !errors.Is(err, errRecord) {
		if p.out.begin(p.gate.config.Deliveries, v, 0) == nil {
			p.out.silent = true
		}
	}
	p.gate.refuse(p.out, v)
}

// download reads what an origin sends, and gives it up where it sends nothing for too long.
type download struct {
	io.ReadCloser
	timer *time.Timer
	stall time.Duration
}

func (d *download) Read(p []byte) (int, error) {
	d.timer.Reset(d.stall)
	n, err := d.ReadCloser.Read(p)
	d.timer.Stop()
	return n, err
}

func (d *download) Close() error {
	d.timer.Stop()
	return d.ReadCloser.Close()
}

// upload reads what a client sends, for as long as it goes on.
type upload struct {
	io.ReadCloser
	control *http.ResponseController
	wait    time.Duration
	next    time.Time
	ended   bool
	broke   atomic.Bool // it has no end, or cannot be read
}

func (u *upload) Read(p []byte) (int, error) {
	if now := time.Now(); !u.ended && now.After(u.next) {
		u.next = now.Add(u.wait / 4)
		_ = u.control.SetReadDeadline(now.Add(u.wait))
	}
	n, err := u.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		u.broke.Store(true)
	}
	u.ended = u.ended || err != nil // from then on the server waits for the client's next request, or for it to leave
	return n, err
}
