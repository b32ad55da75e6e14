package check

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/go-json-experiment/json"

	"frontdesk/wire/intent"
	"frontdesk/wire/sign"
)

// Bounds of one exchange, and how often and how long a publisher is waited for that throttles.
const (
	maxBody     = 4 << 20
	exchange    = 30 * time.Second
	longestWait = 65 * time.Second
	patience    = 3
)

// asker asks one server.
type asker struct {
	options   Options
	web       *http.Client
	wellKnown *url.URL // of its document
	served    *reply   // that document
	report    *Report
	offset    time.Duration // of the server's clock to ours, from its Date header
}

// prober asks one publisher.
type prober struct {
	*asker
	declaration *intent.Declaration

	failures []*reply   // answers to what failed authentication
	content  *exchanged // a request that was answered with passages, once there was one
	cited    []byte     // a citation event that was accepted
}

// exchanged is a request and its answer.
type exchanged struct {
	request intent.RetrieveRequest
	body    []byte
	answer  *reply
}

// newWeb is a client that reaches the address that the operator gave and the public internet, and
// follows no redirect of what is posted.
func newWeb(own *url.URL, o Options) *http.Client {
	dialer := &net.Dialer{Timeout: 10 * time.Second, Control: func(_, address string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(address)
		if err != nil {
			return err
		}
		if o.Private || !hidden(to.Addr().Unmap()) || isOwn(own, to.Addr().Unmap()) {
			return nil
		}
		return fmt.Errorf("it leads to %s, which is not public; allow it with --private if that is meant", to.Addr())
	}}
	transport := &http.Transport{DialContext: dialer.DialContext, DisableCompression: true, ForceAttemptHTTP2: true,
		TLSHandshakeTimeout: 10 * time.Second}
	return &http.Client{Transport: transport, Timeout: exchange,
		CheckRedirect: func(next *http.Request, via []*http.Request) error {
			if via[0].Method == http.MethodPost || len(via) > 5 {
				return http.ErrUseLastResponse
			}
			return nil
		}}
}

// hidden says whether an address is not of the public internet.
func hidden(a netip.Addr) bool {
	return !a.IsGlobalUnicast() || a.IsPrivate() || netip.MustParsePrefix("100.64.0.0/10").Contains(a)
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Hostname())
}

// isOwn says whether the operator's own address is on the same machine or network of the kind.
func isOwn(own *url.URL, a netip.Addr) bool {
	host := own.Hostname()
	if strings.EqualFold(host, "localhost") {
		return a.IsLoopback()
	}
	given, err := netip.ParseAddr(host)
	return err == nil && (given.Unmap() == a || given.Unmap().IsLoopback() && a.IsLoopback())
}

// reply is what came back.
type reply struct {
	status int
	header http.Header
	body   []byte
	path   string // of the request, as it was sent
}

// document reads a reply as a RetrieveResponse, nil where it is none.
func (r *reply) document(o intent.Options) (*intent.RetrieveResponse, intent.Findings) {
	return intent.ReadResponse(r.body, o)
}

// loose is what a reply says, however badly it is put.
type loose struct {
	Status  string          `json:"status"`
	Content any             `json:"content"`
	Denial  *intent.Denial  `json:"denial"`
	Error   *intent.Failure `json:"error"`
}

func (r *reply) loose() (told loose) {
	_ = json.Unmarshal(r.body, &told, json.MatchCaseInsensitiveNames(false))
	return told
}

// said is a reply in a few words.
func (r *reply) said() string {
	told := r.loose()
	words := fmt.Sprintf("%d", r.status)
	switch {
	case told.Denial != nil:
		words += " denied " + told.Denial.Reason
	case told.Error != nil:
		words += " error " + told.Error.Code
	case told.Status != "":
		words += " " + told.Status
	}
	return words
}

// get asks for something public.
func (p *asker) get(ctx context.Context, method string, u *url.URL, header http.Header) (*reply, error) {
	request, err := http.NewRequestWithContext(ctx, method, u.String(), nil)
	if err != nil {
		return nil, err
	}
	maps.Copy(request.Header, header)
	return p.do(request)
}

func (p *asker) do(request *http.Request) (*reply, error) {
	request.Header.Set("User-Agent", p.options.UserAgent)
	response, err := p.web.Do(request)
	if err != nil {
		var wrapped *url.Error
		if errors.As(err, &wrapped) {
			err = wrapped.Err
		}
		return nil, fmt.Errorf("%s cannot be reached: %w", request.URL.Redacted(), err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxBody))
	if err != nil {
		return nil, fmt.Errorf("the answer of %s broke off: %w", request.URL.Redacted(), err)
	}
	if date, err := http.ParseTime(response.Header.Get("Date")); err == nil {
		p.offset = date.Sub(p.options.Now())
	}
	return &reply{response.StatusCode, response.Header, body, request.URL.RequestURI()}, nil
}

// message is something signed, and what of it is done differently from what is right.
type message struct {
	url         string
	body        []byte
	contentType string
	method      string
	key         *Credentials

	version   string
	timestamp string
	nonce     string

	signMethod string // what is signed where it differs from what is sent
	signPath   func(string) string
	sentBody   []byte
	unsigned   bool
	fixed      bool              // it stays as it is when it is sent again
	edit       func(http.Header) // of the header, in the end
}

// good is a message as it should be.
func (p *prober) good(address string, body []byte) *message {
	return &message{
		url: address, body: body, contentType: "application/json", method: http.MethodPost, key: p.options.Key,
		version:   p.version(),
		timestamp: p.at(0), nonce: random(),
	}
}

func (p *prober) version() string { return p.declaration.Version }

// at is a time by the publisher's clock.
func (p *prober) at(away time.Duration) string {
	return sign.FormatTime(p.options.Now().Add(p.offset + away))
}

func random() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// send sends a message. Where the publisher throttles, it waits and sends it again, with another
// nonce. A message that is fixed was let in where the throttling is a denial, and is not sent
// again.
func (p *prober) send(ctx context.Context, m *message) (*reply, error) {
	for attempt := 0; ; attempt++ {
		got, err := p.once(ctx, m)
		if err != nil || got.status != http.StatusTooManyRequests || attempt == patience || m.fixed &&
			got.loose().Denial != nil {
			return got, err
		}
		seconds, _ := strconv.Atoi(got.header.Get("Retry-After"))
		wait := time.Duration(max(1, seconds)) * time.Second
		if wait > longestWait {
			return got, nil
		}
		if err := sleep(ctx, wait); err != nil {
			return nil, err
		}
		if !m.fixed {
			m.nonce, m.timestamp = random(), p.at(0)
		}
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// once sends a message once.
func (p *prober) once(ctx context.Context, m *message) (*reply, error) {
	sent := m.body
	if m.sentBody != nil {
		sent = m.sentBody
	}
	request, err := http.NewRequestWithContext(ctx, m.method, m.url, bytes.NewReader(sent))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", m.contentType)
	request.Header.Set("Accept", "application/json")
	request.Header.Set("Accept-Encoding", "identity")
	if !m.unsigned {
		method, path := m.method, request.URL.RequestURI()
		if m.signMethod != "" {
			method = m.signMethod
		}
		if m.signPath != nil {
			path = m.signPath(path)
		}
		head := sign.Headers{Version: m.version, KeyID: m.key.KeyID, Timestamp: m.timestamp, Nonce: m.nonce}
		head.Signed(m.key.Secret, method, path, m.body).Write(request.Header)
	}
	if m.edit != nil {
		m.edit(request.Header)
	}
	return p.do(request)
}

// request is a good request for passages, changed as wanted.
func (p *prober) request(change ...func(*intent.RetrieveRequest)) (intent.RetrieveRequest, []byte) {
	r := intent.RetrieveRequest{
		Version: p.version(), RequestID: "check_" + random(), Timestamp: p.at(0),
		Platform: intent.Platform{ID: p.options.Key.Platform, Software: "frontdesk check"},
		Intent:   intent.Intent{Domain: p.label()},
		Context:  intent.Context{Language: "en-US"},
		Runtime:  intent.Runtime{SessionID: "check_" + random(), QueryText: p.options.Query},
	}
	for _, each := range change {
		each(&r)
	}
	body, err := json.Marshal(r, json.Deterministic(true))
	if err != nil {
		panic(err) // the types above are of our making
	}
	return r, body
}

// label is the domain that is asked about.
func (p *prober) label() string {
	if p.options.Domain != "" {
		return p.options.Domain
	}
	return p.declaration.EditorialDomains[0]
}

// ask sends a good request, changed as wanted.
func (p *prober) ask(ctx context.Context, change ...func(*intent.RetrieveRequest)) (*exchanged, error) {
	r, body := p.request(change...)
	got, err := p.send(ctx, p.good(p.declaration.Endpoints.Retrieve.URL, body))
	return &exchanged{r, body, got}, err
}

// try runs a probe, if what it needs is there.
func (p *prober) try(ctx context.Context, each probe) {
	if why := p.lacks(each.needs); why != "" {
		if p.options.Key != nil || each.needs == 0 {
			p.add(each.id, each.about, verdict{outcome: Skipped, detail: why})
		}
		return
	}
	p.add(each.id, each.about, each.run(ctx, p))
}

func (p *asker) add(id, about string, v verdict) {
	p.report.Results = append(p.report.Results, Result{Probe: id, Outcome: v.outcome, About: about, Pointer: v.pointer,
		Detail: v.detail, Mend: v.mend})
	for _, more := range v.more {
		p.add(id, about, more)
	}
}

// lacks says why a probe cannot be tried, "" where it can.
func (p *prober) lacks(n needs) string {
	has := func(one needs) bool { return n&one != 0 }
	switch d := p.declaration; {
	case p.served.status != http.StatusOK:
		return "there is no declaration"
	case n == 0:
		return ""
	case d == nil:
		return "the declaration is not valid"
	case has(capabilities) && (d.Endpoints == nil || d.Endpoints.Capabilities == nil):
		return "the declaration names no capabilities endpoint"
	case has(key) && p.options.Key == nil:
		return "it needs a key"
	case has(retrieve) && (d.Endpoints == nil || d.Endpoints.Retrieve == nil):
		return "the declaration names no retrieve endpoint"
	case has(open) && !p.isOpen(), has(closed) && p.isOpen():
		if has(closed) {
			return "the declaration is in force"
		}
		return "the declaration denies everything now"
	case has(nothing) && d.Retrieval.Supports.Chunks:
		return "passages are supported"
	case has(open) && !has(nothing) && !d.Retrieval.Supports.Chunks:
		return "passages are not supported"
	case has(accepted) && p.keyRefused():
		return "the key is not accepted"
	case has(passages) && p.content == nil:
		return "no request was answered with passages; name a domain and a question that have some"
	case has(other) && p.options.Other == nil:
		return "it needs the key of another platform"
	case has(events) && (d.Endpoints == nil || d.Endpoints.Event == nil):
		return "the declaration names no event endpoint"
	case has(events) && p.options.NoEvents:
		return "no events were to be reported"
	case has(burst) && p.options.Burst == 0:
		return "no burst was asked for"
	}
	return ""
}

func (p *prober) isOpen() bool {
	open, _ := p.declaration.Open(p.options.Now())
	return open
}

// keyRefused says whether the first probe with the key failed.
func (p *prober) keyRefused() bool {
	for _, result := range p.report.Results {
		if result.Probe == "auth.accepted" {
			return result.Outcome == Wrong
		}
	}
	return true
}

// needs are what a probe cannot do without.
type needs uint16

const (
	declared needs = 1 << iota // a declaration that is valid
	key
	retrieve     // a retrieve endpoint
	accepted     // a key that works
	open         // a declaration in force
	closed       // a declaration that is not
	nothing      // supports.chunks false
	passages     // an answer with passages before
	capabilities // a capabilities endpoint
	other        // a second key
	events       // an event endpoint
	burst
)

// probe is one look from outside.
type probe struct {
	id    string
	about string // what should be so
	needs needs
	run   func(context.Context, *prober) verdict
}

// verdict is how a probe came out.
type verdict struct {
	outcome               Outcome
	pointer, detail, mend string
	more                  []verdict
}

func passed() verdict { return verdict{outcome: Passed} }

func wrong(detail, mend string) verdict { return verdict{outcome: Wrong, detail: detail, mend: mend} }

func doubt(detail, mend string) verdict {
	return verdict{outcome: Doubtful, detail: detail, mend: mend}
}

// noAnswer is the verdict where nothing came back.
func noAnswer(err error) verdict { return wrong(err.Error(), "see that the endpoint answers") }
