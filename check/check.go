// Package check tests anybody's servers from outside. Of a publisher of the Agentic Intent Protocol
// it checks the declaration and, with a key, the retrieve and event endpoints. Of a business of the
// Agent Intake Protocol it checks the manifest and, with sample data, the intakes. Of a provider of
// RAMP v1 it checks the manifest, the Exchanges that it lists, its keys, its licences and its
// sitemap. Of an Exchange it checks the documents and, with a buyer's key, the protocol. Every
// finding says what was observed and what to do.
//
// A broken requirement of a protocol is wrong; what the protocol leaves open and careful servers do
// is doubtful. The probes are real requests. With a key, they retrieve passages and report
// citations, which the publisher records. With samples, they submit them, and bind three offers if
// a sample has bind data. With money to spend, they buy.
//
// The package uses wire and client. The command `frontdesk check` uses it, and a server never needs
// it.
package check

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"frontdesk/wire/intent"
)

// Outcome is how one probe came out.
type Outcome string

// The outcomes.
const (
	Passed   Outcome = "pass"
	Doubtful Outcome = "warning" // the protocol leaves it open, and others may stumble over it
	Wrong    Outcome = "error"   // the protocol is not kept
	Skipped  Outcome = "skip"    // could not be tried, or was not asked for
)

// Result is what one probe, or one look at a document, found.
type Result struct {
	Probe   string  `json:"probe"` // such as "auth.nonce-replayed"; "document" for what the validator finds
	Outcome Outcome `json:"outcome"`
	About   string  `json:"about,omitzero"`   // what should be so
	Pointer string  `json:"pointer,omitzero"` // into the document, where the result is about one
	Detail  string  `json:"detail,omitzero"`  // what was seen
	Mend    string  `json:"mend,omitzero"`    // what to do
}

// Report is what was found about one publisher, in the order of the probes.
type Report struct {
	Target  string   `json:"target"`
	Results []Result `json:"results"`
}

// Count is how many results came out so.
func (r *Report) Count(outcome Outcome) int {
	n := 0
	for _, result := range r.Results {
		if result.Outcome == outcome {
			n++
		}
	}
	return n
}

// Credentials are a platform's key.
type Credentials struct {
	Platform string // the platform's id
	KeyID    string
	Secret   []byte
}

// Options say how far to go.
type Options struct {
	// Key opens the retrieve and event endpoints; without it, the declaration alone is looked at.
	Key *Credentials
	// Other is another platform's key, for the probes that need two.
	Other *Credentials
	// Domain is what is asked about; "" is the first of the declaration's editorial domains. Query
	// is what is asked.
	Domain, Query string
	// NoEvents reports no citations: the publisher's record keeps those for good.
	NoEvents bool
	// Burst is how many requests are made at a stroke to see whether the publisher throttles; 0 is
	// none.
	Burst int
	// UserAgent is the User-Agent header.
	UserAgent string
	// Versions are those that count as right; nil is 0.1 alone.
	Versions []string
	// Private lets the declaration name addresses on this machine and on private networks, which it
	// may not otherwise, unless the publisher's own address is one.
	Private bool
	// Samples are what may be submitted to a business's intakes, by their id; intakes without one
	// are only asked what every browser asks.
	Samples map[string]Sample
	// Token opens the intakes that want a key.
	Token string
	// Buyer is who asks an Exchange of RAMP for offers, and URIs are the addresses of content that
	// it asks for, and Uses what for, such as FUNCTION_AI_INPUT; nil asks for none.
	Buyer      *Buyer
	URIs, Uses []string
	// Spend is what the cheapest offer for the first address may cost, which is then bought; nil
	// buys nothing.
	Spend *Spend
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

func (o Options) reading() intent.Options {
	return intent.Options{Versions: o.Versions, NullReason: true, Now: o.Now()}
}

func (o *Options) fill() {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.UserAgent == "" {
		o.UserAgent = "frontdesk-check"
	}
}

// Document looks at the text of one document, wherever it came from.
func Document(name string, kind intent.Kind, text []byte, o Options) *Report {
	o.fill()
	report := &Report{Target: name}
	report.document(intent.Check(kind, text, o.reading()), "the document is valid")
	return report
}

// document adds the validator's findings.
func (r *Report) document(found intent.Findings, about string) {
	if found.Valid() {
		r.Results = append(r.Results, Result{Probe: "document", Outcome: Passed, About: about})
	}
	for _, f := range found {
		outcome := Wrong
		if f.Severity == intent.Doubtful {
			outcome = Doubtful
		}
		r.Results = append(r.Results, Result{Probe: "document", Outcome: outcome, About: f.Rule, Pointer: f.Pointer,
			Detail: f.Detail, Mend: f.Mend})
	}
}

// Publisher looks at the publisher at a site's address, or at that of its declaration. The error
// says that nothing could be looked at; all else is in the report.
func Publisher(ctx context.Context, address string, o Options) (*Report, error) {
	o.fill()
	u, err := located(address, intent.WellKnown)
	if err != nil {
		return nil, err
	}
	p := &prober{asker: &asker{options: o, web: newWeb(u, o), wellKnown: u, report: &Report{Target: u.String()}}}
	defer p.web.CloseIdleConnections()
	if err := p.declared(ctx); err != nil {
		return nil, err
	}
	for _, each := range probes {
		p.try(ctx, each)
		if ctx.Err() != nil {
			return p.report, context.Cause(ctx)
		}
	}
	return p.report, nil
}

// declared reads the declaration, which all else depends on.
func (p *prober) declared(ctx context.Context) error {
	got, err := p.get(ctx, http.MethodGet, p.wellKnown, nil)
	if err != nil {
		return err
	}
	p.served = got
	if got.status != http.StatusOK {
		p.add("wellknown.served", "the declaration is public",
			wrong(fmt.Sprintf("%s answers %d", p.wellKnown, got.status), "answer 200 with the declaration"))
		return nil
	}
	p.add("wellknown.served", "the declaration is public", passed())
	reading := p.options.reading()
	found := intent.Check(intent.KindDeclaration, got.body, reading)
	p.report.document(found, "the declaration is valid")
	p.declaration, _ = intent.ReadDeclaration(got.body, reading)
	return nil
}

// File looks at a file: a declaration, or another document where kind says so.
func File(name string, kind intent.Kind, r io.Reader, o Options) (*Report, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxBody+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxBody {
		return nil, errors.New("the file is too large for a document of this protocol")
	}
	return Document(name, kind, bytes.TrimPrefix(text, []byte("\ufeff")), o), nil
}
