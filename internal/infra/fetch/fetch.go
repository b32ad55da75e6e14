// Package fetch gets documents from addresses that somebody else chose: a page that a feed names, a
// key document that a token points to, the target of a redirect.
//
// It owns the guard against reaching what was not meant. It connects to https addresses on the
// public internet, and to this machine or a private network only where the operator said so. An
// address is judged by where the connection goes, not by how it is spelled: names are looked up
// here, every result is judged, and the very address that was judged is dialled, so that a name
// which changes its meaning between look-up and connection gains nothing. Each redirect is judged
// like a new address. Sizes and times are bounded.
//
// Enter at New for a Fetcher, at NewCrawler for one that asks robots.txt and spaces its requests to
// a host. The package must not know what a document is for.
package fetch

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"
)

// Options configure a Fetcher. The zero value is ready for use.
type Options struct {
	// UserAgent is the whole header value; the product token before "/" is what robots.txt is asked
	// for.
	UserAgent string
	// Allow are networks that may be reached although they are not public, and without TLS. An
	// address at which clouds serve their credentials is allowed only by a prefix that holds
	// nothing else.
	Allow []netip.Prefix
	// MaxBytes bounds a decoded body; 0 is DefaultMaxBytes.
	MaxBytes int64
	// Timeout bounds a whole exchange, redirects among it; 0 is DefaultTimeout.
	Timeout time.Duration
	// MaxRedirects bounds the redirects that are followed; 0 is DefaultMaxRedirects, less than 0
	// follows none.
	MaxRedirects int
	// Roots are the authorities that certificates are checked against; nil for the machine's.
	Roots *x509.CertPool
	// Sign adds to a request's header who makes it. It is called for each request on the way, those
	// that redirects lead to among them. Nil adds nothing.
	Sign func(*http.Request)

	// Now is the clock of a Crawler's cache and turns; nil is time.Now.
	Now func() time.Time
	// Resolve looks up a host; nil asks the machine's resolver. What it gives is judged.
	Resolve func(ctx context.Context, host string) ([]netip.Addr, error)
	// Dial connects to an address that was judged; nil uses the machine's network.
	Dial func(ctx context.Context, to netip.AddrPort) (net.Conn, error)
}

// Defaults of Options.
const (
	DefaultUserAgent    = "Frontdesk/1.0"
	DefaultMaxBytes     = 16 << 20
	DefaultTimeout      = 30 * time.Second
	DefaultMaxRedirects = 5
)

// Bounds that nobody needs to set.
const (
	maxHeaderBytes = 64 << 10
	maxURL         = 8192
	connectTimeout = 10 * time.Second // to one address; a host may have several
	idleTimeout    = 30 * time.Second
	maxIdlePerHost = 4
	readBuffer     = 32 << 10 // of a connection: what an Exchange offers for some addresses, or a page, is read at once
)

// Fetcher gets documents from the web, within the guard and bounds of its Options. It may be used
// from many goroutines.
type Fetcher struct {
	options Options
	// transports are one for each kind of permission: a connection is used again only
	// for requests that may do what the one it was made for might.
	transports map[permit]*http.Transport
}

// New returns a Fetcher.
func New(options Options) *Fetcher {
	if options.UserAgent == "" {
		options.UserAgent = DefaultUserAgent
	}
	if options.MaxBytes <= 0 {
		options.MaxBytes = DefaultMaxBytes
	}
	if options.Timeout <= 0 {
		options.Timeout = DefaultTimeout
	}
	if options.MaxRedirects == 0 {
		options.MaxRedirects = DefaultMaxRedirects
	}
	if options.Now == nil {
		options.Now = time.Now
	}
	if options.Resolve == nil {
		options.Resolve = func(ctx context.Context, host string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		}
	}
	options.Allow = plainPrefixes(options.Allow)
	f := &Fetcher{options: options, transports: map[permit]*http.Transport{}}
	for _, p := range []permit{{}, {own: true}, {tls: true}, {own: true, tls: true}} {
		f.transports[p] = f.newTransport(p)
	}
	return f
}

// newTransport makes the transport of one kind of permission. No proxy of the
// environment is used: it would be the proxy that dials, and nobody would judge what.
func (f *Fetcher) newTransport(p permit) *http.Transport {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	return &http.Transport{
		DialContext: func(ctx context.Context, _, address string) (net.Conn, error) {
			return f.dial(ctx, p, address)
		},
		TLSClientConfig:        &tls.Config{RootCAs: f.options.Roots, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    connectTimeout,
		Protocols:              protocols,
		DisableCompression:     true, // undone here, so that the sizes of both forms are bounded
		MaxResponseHeaderBytes: maxHeaderBytes,
		ReadBufferSize:         readBuffer,
		MaxIdleConnsPerHost:    maxIdlePerHost,
		IdleConnTimeout:        idleTimeout,
	}
}

// Close closes connections that wait for a next request.
func (f *Fetcher) Close() {
	for _, road := range f.transports {
		road.CloseIdleConnections()
	}
}

// send makes one request, signed where that is wanted.
func (f *Fetcher) send(p permit, request *http.Request) (*http.Response, error) {
	if f.options.Sign != nil {
		request = request.Clone(request.Context()) // the caller's stays as it was (http.RoundTripper)
		f.options.Sign(request)
	}
	return f.transports[p].RoundTrip(request)
}

// Request names a document and how to ask for it.
type Request struct {
	// URL is absolute, http or https, without user and password. Its fragment is left out.
	URL string
	// Header is sent along. When a redirect leads to another origin, only Accept and
	// Accept-Language go with it.
	Header http.Header
	// MaxBytes bounds the decoded body of this one; 0 is what Options say.
	MaxBytes int64
	// Truncate asks for the beginning of a body that is larger; otherwise it is an error.
	Truncate bool
	// ETag and LastModified are what an earlier Response's header said; the answer may then be
	// NotModified.
	ETag, LastModified string
	// Own says that the operator typed this host himself, and not a document: it may then be on
	// this machine (loopback), with or without TLS. It holds for this host and port alone, not for
	// others to which it redirects.
	Own bool
}

// Response is a server's answer, whatever its status.
type Response struct {
	// URL is the address that answered, after redirects.
	URL string
	// Status is the HTTP status. One in the 300s is there when nothing was to be followed.
	Status int
	// Header is the header of the last answer.
	Header http.Header
	// Body is decoded (Content-Encoding), and whole unless the request allowed it to be cut.
	Body []byte
	// NotModified says that the document is what ETag and LastModified of the request were given
	// for (status 304).
	NotModified bool
}

// Get gets a document. Whatever status a server answers with is a Response; an error is of type
// *Error, except that when ctx ends it is ctx's.
func (f *Fetcher) Get(ctx context.Context, request Request) (*Response, error) {
	return f.get(ctx, request, nil)
}

// Post sends a body to an address, and gives what it is answered with. It follows no redirect:
// where one is answered, that is an error. See Get.
func (f *Fetcher) Post(ctx context.Context, request Request, body []byte) (*Response, error) {
	to, err := parse(request.URL)
	if err != nil {
		return nil, err
	}
	response, next, err := f.once(ctx, to, permit{own: request.Own, tls: to.Scheme == "https"}, f.header(request), body,
		f.bound(request), f.options.Timeout)
	if err == nil && next != nil {
		return nil, failure(Redirects, to, nil, "it redirects to another address; write that one")
	}
	return response, err
}

// hop is called before each request on the way to a document, the first and those that redirects
// lead to. It may wait, which does not count as time of the exchange, and may say no.
type hop func(ctx context.Context, to *url.URL, own bool) error

// get follows the redirects of a request.
func (f *Fetcher) get(ctx context.Context, request Request, before hop) (*Response, error) {
	to, err := parse(request.URL)
	if err != nil {
		return nil, err
	}
	start, header, left := to, f.header(request), f.options.Timeout
	seen := map[string]bool{}
	for redirects := 0; ; redirects++ {
		own := request.Own && sameHost(start, to)
		if before != nil {
			if err := before(ctx, to, own); err != nil {
				return nil, err
			}
		}
		seen[to.String()] = true
		began := time.Now()
		response, next, err := f.once(ctx, to, permit{own: own, tls: to.Scheme == "https"}, header, nil,
			f.bound(request), left)
		if err != nil || next == nil {
			return response, err
		}
		if left -= time.Since(began); left <= 0 {
			return nil, failure(TimedOut, to, nil,
				"it took longer than %v; raise the time limit, or leave the address out", f.options.Timeout)
		}
		switch {
		case redirects >= f.options.MaxRedirects:
			return nil, failure(Redirects, start, nil, "it redirects more than %d times",
				max(0, f.options.MaxRedirects))
		case seen[next.String()]:
			return nil, failure(Redirects, start, nil, "it redirects in a circle")
		case to.Scheme == "https" && next.Scheme == "http":
			return nil, failure(Refused, next, nil,
				"it is where an https address redirects to, and is not https itself")
		}
		if !sameOrigin(to, next) {
			header = stripped(header)
		}
		to = next
	}
}

// bound is how much of a body is taken.
type bound struct {
	most int64
	cut  bool // what is more is left, and no error
}

func (f *Fetcher) bound(request Request) bound {
	if request.MaxBytes > 0 {
		return bound{request.MaxBytes, request.Truncate}
	}
	return bound{f.options.MaxBytes, request.Truncate}
}

// header makes the header of the first request.
func (f *Fetcher) header(request Request) http.Header {
	header := request.Header.Clone()
	if header == nil {
		header = http.Header{}
	}
	header.Set("User-Agent", f.options.UserAgent)
	header.Set("Accept-Encoding", "gzip")
	if request.ETag != "" {
		header.Set("If-None-Match", request.ETag)
	}
	if request.LastModified != "" {
		header.Set("If-Modified-Since", request.LastModified)
	}
	return header
}

// carried are the headers that go along to another origin: none that says who asks.
var carried = []string{"User-Agent", "Accept", "Accept-Encoding", "Accept-Language", "If-None-Match",
	"If-Modified-Since"}

func stripped(header http.Header) http.Header {
	kept := http.Header{}
	for _, name := range carried {
		if values := header.Values(name); len(values) > 0 {
			kept[name] = values
		}
	}
	return kept
}

// once makes one request, with a body where there is one. next is set when the answer is a
// redirect.
func (f *Fetcher) once(
	ctx context.Context, to *url.URL, p permit, header http.Header, body []byte, size bound, left time.Duration,
) (_ *Response, next *url.URL, err error) {
	limited, cancel := context.WithTimeout(ctx, left)
	defer cancel()
	request := (&http.Request{Method: http.MethodGet, URL: to, Host: to.Host, Header: header, Proto: "HTTP/1.1",
		ProtoMajor: 1, ProtoMinor: 1}).WithContext(limited)
	if body != nil {
		request.Method, request.Body, request.ContentLength = http.MethodPost, io.NopCloser(bytes.NewReader(body)),
			int64(len(body))
	}
	answer, err := f.send(p, request)
	if err != nil {
		return nil, nil, f.explain(ctx, limited, to, err)
	}
	defer answer.Body.Close()
	if location := answer.Header.Get("Location"); location != "" && isRedirect(answer.StatusCode) {
		next, err := follow(to, location)
		return nil, next, err
	}
	response := &Response{URL: to.String(), Status: answer.StatusCode, Header: answer.Header}
	if answer.StatusCode == http.StatusNotModified {
		response.NotModified = true
		return response, nil, nil
	}
	if response.Body, err = readBody(answer, size); err != nil {
		return nil, nil, f.explain(ctx, limited, to, err)
	}
	return response, nil, nil
}

func isRedirect(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect,
		http.StatusPermanentRedirect:
		return true
	}
	return false
}

// follow reads where a redirect leads. Blanks, which many servers forget to encode, are read as
// browsers do.
func follow(from *url.URL, location string) (*url.URL, error) {
	location = strings.ReplaceAll(strings.Trim(location, " "), " ", "%20")
	if err := checkText(location); err != nil {
		return nil, failure(Refused, from, nil, "it redirects to an address that cannot be read: %v", err)
	}
	reference, err := url.Parse(location)
	if err != nil {
		return nil, failure(Refused, from, nil, "it redirects to an address that cannot be read")
	}
	next, err := check(from.ResolveReference(reference))
	if err != nil {
		return nil, failure(Refused, from, nil, "it redirects to an address that may not be fetched: %v", err)
	}
	return next, nil
}

// explain says what went wrong on the way.
func (f *Fetcher) explain(ctx, limited context.Context, to *url.URL, err error) error {
	var known *Error
	var unknown *net.DNSError
	var certificate *tls.CertificateVerificationError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &known):
		known.URL = to.Redacted()
		return known
	case limited.Err() != nil:
		return failure(TimedOut, to, err, "it took longer than %v; raise the time limit, or leave the address out",
			f.options.Timeout)
	case errors.As(err, &unknown) && unknown.IsNotFound:
		return failure(Unreachable, to, err, "there is no host of that name; check its spelling")
	case errors.As(err, &certificate):
		return failure(Unreachable, to, err, "its certificate is not to be trusted: %v", certificate.Err)
	case strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		return failure(Unreachable, to, err, "it does not speak https")
	case strings.Contains(err.Error(), "server response headers exceeded"):
		return failure(TooLarge, to, err, "the head of its answer is larger than %d bytes", maxHeaderBytes)
	default:
		return failure(Unreachable, to, err, "it did not answer as a web server does: %v", err)
	}
}
