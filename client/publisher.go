package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"frontdesk/wire/intent"
)

// Key is what a platform signs with: the id that names it, and the secret that both sides have.
// Printing a key does not show its secret.
type Key struct {
	ID     string
	secret []byte
}

// NewKey puts a key together. The secret is taken byte by byte as it was given out; that of a text
// file has no line break at its end.
func NewKey(id string, secret []byte) Key { return Key{id, secret} }

// String is the key's id.
func (k Key) String() string { return k.ID }

// GoString is the key's id, too.
func (k Key) GoString() string { return "client.Key(" + k.ID + ")" }

// Platform is who asks publishers.
type Platform struct {
	ID              string // as the key was issued for
	Software        string // may be empty
	SoftwareVersion string // may be empty
	Key             Key
	// RequireSigned refuses passages whose answer is not signed. (The protocol asks publishers to
	// sign, and does not demand it. A signature that is there must always be right.)
	RequireSigned bool
}

// Publisher asks one publisher by the Agentic Intent Protocol, as a platform. It is safe for
// concurrent use.
type Publisher struct {
	client      Client
	platform    Platform
	declaration intent.Declaration
	doubts      intent.Findings
}

// OpenPublisher reads the declaration of a publisher, at a site's address (https://www.example.com)
// or its own (https://www.example.com/.well-known/aip.json), and gives a client of it. A
// declaration holds for some minutes: open the publisher again before long.
//
// Of the options HTTP, UserAgent, MaxAnswer, Retries, MaxWait and Silence count. The declaration
// names the addresses that are asked then: a program that asks publishers which it does not know
// gives an HTTP client that reaches only public addresses. A declaration that came by https can
// name no address without.
//
// Errors are of the types Invalid, Broken and Unreachable, or the context's.
func OpenPublisher(ctx context.Context, address string, platform Platform, options Options) (*Publisher, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("%q is no web address; write it like https://www.example.com", address)
	}
	if !strings.HasSuffix(u.Path, ".json") {
		u = u.JoinPath(intent.WellKnown)
	}
	options.fill()
	web := *options.HTTP
	web.CheckRedirect = still(options.HTTP.CheckRedirect)
	p := &Publisher{client: Client{http: &web, options: options}, platform: platform}
	text, err := p.readDeclaration(ctx, u.String())
	if err != nil {
		return nil, err
	}
	declaration, found := intent.ReadDeclaration(text,
		intent.Options{Versions: bothVersions, NullReason: true, Now: options.Now()})
	if declaration == nil {
		return nil, &Invalid{URL: u.String(), Status: http.StatusOK, Findings: found, Raw: text}
	}
	p.declaration, p.doubts = *declaration, found
	if u.Scheme == "https" {
		if err := p.secured(); err != nil {
			return nil, err
		}
	}
	return p, nil
}

var bothVersions = []string{intent.Version01, intent.Version10}

// Declaration is the publisher's. It must not be changed.
func (p *Publisher) Declaration() *intent.Declaration { return &p.declaration }

// Doubts are findings about the declaration that do not make it invalid.
func (p *Publisher) Doubts() intent.Findings { return p.doubts }

func (p *Publisher) readDeclaration(ctx context.Context, address string) ([]byte, error) {
	text, status, err := p.client.document(ctx, address)
	if err == nil && status != http.StatusOK {
		return nil, &Invalid{URL: address, Status: status,
			Findings: oneFinding("the status is not 200: there is no declaration here, and so no permission",
				"ask another address")}
	}
	return text, err
}

// secured refuses endpoints without https.
func (p *Publisher) secured() error {
	e := p.declaration.Endpoints
	if e == nil {
		return nil
	}
	addresses := []string{}
	if e.Retrieve != nil {
		addresses = append(addresses, e.Retrieve.URL)
	}
	if e.Event != nil {
		addresses = append(addresses, e.Event.URL)
	}
	for _, address := range addresses {
		if !strings.HasPrefix(strings.ToLower(address), "https://") {
			return fmt.Errorf("the declaration came by https and names %s, which is not secured", address)
		}
	}
	return nil
}

// Denied is a publisher's decision to give nothing.
type Denied struct {
	Reason     string // intent.ReasonOutOfScope and others
	Message    string // for people, in the publisher's words
	Status     int    // of HTTP; 0 where the declaration itself denies, and nobody was asked
	RetryAfter time.Duration
	Raw        []byte // the whole answer
}

// Error is the reason, with the publisher's words.
func (d *Denied) Error() string { return worded("the publisher denies it", d.Reason, d.Message) }

// Failed is an error that a publisher answers: no decision about consent.
type Failed struct {
	Code       string // intent.CodeNoContent and others; publishers have codes of their own
	Message    string // for people, in the publisher's words
	Status     int    // of HTTP
	RetryAfter time.Duration
	Raw        []byte // the whole answer
}

// Error is the code, with the publisher's words.
func (f *Failed) Error() string { return worded("the publisher answered an error", f.Code, f.Message) }

func worded(what, word, message string) string {
	if message == "" {
		return fmt.Sprintf("%s: %s", what, word)
	}
	return fmt.Sprintf("%s: %s (%s)", what, message, word)
}

// IsNoContent says whether an error is a publisher's answer that nothing matches.
func IsNoContent(err error) bool {
	var f *Failed
	return errors.As(err, &f) && f.Code == intent.CodeNoContent
}

// Invalid is a document that is not what the protocol has there. What it says is not used.
type Invalid struct {
	URL      string
	Status   int // of HTTP
	Findings intent.Findings
	Raw      []byte
}

// Error names the first thing that is wrong.
func (e *Invalid) Error() string {
	text := fmt.Sprintf("what %s sent (status %d) is not valid", e.URL, e.Status)
	if first := e.Findings.First(); first != nil {
		text += ": " + strings.TrimPrefix(first.String(), "error: ")
	}
	return text
}

func oneFinding(detail, mend string) intent.Findings {
	return intent.Findings{{Rule: "http", Detail: detail, Mend: mend, Severity: intent.Wrong}}
}

// What may be wrong with an answer's signature, for errors.Is.
var (
	// ErrForged is an answer whose signature is not that of the key over that answer.
	ErrForged = errors.New(
		"the signature of the publisher's answer is not right: it was changed on its way, or comes from somebody else")
	// ErrUnsigned is an answer without a signature where Platform.RequireSigned wants one.
	ErrUnsigned = errors.New("the publisher did not sign its answer")
)
