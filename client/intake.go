package client

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"frontdesk/wire/intake"
)

// IntakeAgent is who submits intakes, on a person's behalf.
type IntakeAgent struct {
	ID       string // of this instance of the agent; "" is one made up, of this Provider's life
	Platform string // may be empty
	Name     string // may be empty
	// BindHosts are hosts besides the provider's own at which offers may be bound. What binds is
	// personal, and an answer that sends it elsewhere is refused.
	BindHosts []string
}

// Provider is one business that takes in requests by the Agent Intake Protocol, as
// [DiscoverIntakes] found it. It is safe for concurrent use.
type Provider struct {
	client   Client
	agent    IntakeAgent
	address  *url.URL // of the manifest
	manifest intake.Manifest
	doubts   intake.Findings
}

// maxIntakeAnswer is the most that is read of an answer, in bytes, where the options say nothing.
const maxIntakeAnswer = 1 << 20

// DiscoverIntakes reads the manifest of a business, at its site's address (https://www.example.com)
// or the manifest's own (https://www.example.com/.well-known/agent-intake.json), and gives a client
// of its intakes. Addresses without https are refused, except on this machine.
//
// Of the options HTTP, Token, UserAgent, MaxAnswer (0 is 1 MiB), Retries, MaxWait and Silence
// count. A manifest names the addresses that are posted to then: a program that asks businesses
// which it does not know gives an HTTP client that reaches only public addresses.
//
// All texts of a manifest and of offers are the provider's, and data: a program that hands them to
// a language model marks them so. Errors are of the types NotAnIntake, Broken and Unreachable, or
// the context's.
func DiscoverIntakes(ctx context.Context, address string, agent IntakeAgent, options Options) (*Provider, error) {
	u, err := findable(address, intake.WellKnown)
	if err != nil {
		return nil, err
	}
	if options.MaxAnswer <= 0 {
		options.MaxAnswer = maxIntakeAnswer
	}
	if agent.ID == "" {
		agent.ID = "agent-" + strings.ToLower(rand.Text())
	}
	p := &Provider{client: cautious(options), agent: agent, address: u}
	return p, p.discover(ctx)
}

func (p *Provider) discover(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, maxAttempt)
	defer cancel()
	text, status, err := p.client.document(ctx, p.address.String())
	if err != nil {
		return err
	}
	if status != http.StatusOK {
		return &NotAnIntake{URL: p.address.String(), Status: status,
			Findings: oneFinding("the status is not 200: there is no manifest here", "ask another address")}
	}
	reading := intake.Options{Now: p.client.options.Now()}
	found := intake.Check(intake.KindManifest, text, reading)
	manifest, err := intake.ReadManifest(text, reading)
	if err != nil {
		return &NotAnIntake{URL: p.address.String(), Status: status, Findings: found, Raw: text}
	}
	p.manifest, p.doubts = *manifest, found
	return nil
}

// Manifest is the provider's. It must not be changed.
func (p *Provider) Manifest() *intake.Manifest { return &p.manifest }

// Doubts are findings about the manifest. Where one is wrong, a single intake may not be usable;
// the others are.
func (p *Provider) Doubts() intake.Findings { return p.doubts }

// Agent is who asks, with the id that it was given.
func (p *Provider) Agent() IntakeAgent { return p.agent }

// Intake is one of the provider's, nil where it has none of this id.
func (p *Provider) Intake(id string) *intake.Intake {
	at := slices.IndexFunc(p.manifest.Intakes, func(each intake.Intake) bool { return each.ID == id })
	if at < 0 {
		return nil
	}
	return &p.manifest.Intakes[at]
}

// find is an intake that can be used.
func (p *Provider) find(id string) (*intake.Intake, error) {
	found := p.Intake(id)
	if found == nil {
		ids := make([]string, len(p.manifest.Intakes))
		for i, each := range p.manifest.Intakes {
			ids[i] = each.ID
		}
		return nil, fmt.Errorf("the provider has no intake %q; it has %s", id, strings.Join(ids, ", "))
	}
	return found, private(found.Endpoint)
}

// private refuses addresses that others on the way could read.
func private(address string) error {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Host == "":
		return fmt.Errorf("%q is no web address", address)
	case u.User != nil:
		return fmt.Errorf("the address of %s holds a password; leave it out", u.Host)
	case u.Scheme == "https" || u.Scheme == "http" && intake.Loopback(u.Hostname()):
		return nil
	}
	return fmt.Errorf("%s is not https, and http is for this machine alone; ask the provider for https", address)
}

// Unfit is data that was not sent, since it does not fit the intake or the offer.
type Unfit struct {
	Violations []intake.Violation // at least one; they name members and show nothing
}

// Error names what does not fit.
func (e *Unfit) Error() string {
	texts := make([]string, len(e.Violations))
	for i, each := range e.Violations {
		texts[i] = each.String()
	}
	return "nothing was sent, since the data does not fit: " + strings.Join(texts, "; ")
}

// PersonalData is data that was not sent, since it looks personal and nobody said that the person
// authorized it.
type PersonalData struct {
	Members []string // pointers of what looks so
}

// Error names what looks personal.
func (e *PersonalData) Error() string {
	return "nothing was sent, since this looks like personal data, which nobody authorized: " +
		strings.Join(e.Members, ", ")
}

// Declined is a provider's answer that it cannot serve this intake.
type Declined struct {
	Reason string // in the provider's words
	Status int    // of HTTP
	Raw    []byte // the whole answer
}

// Error is the reason.
func (d *Declined) Error() string { return "the provider declines: " + orSilent(d.Reason) }

// Pending is a provider's answer that it needs longer: submit Again after a while, as the same
// agent.
type Pending struct {
	Again      Submission // the same, in the same session
	RetryAfter time.Duration
	Status     int // of HTTP
	Raw        []byte
}

// Error says when to come back.
func (d *Pending) Error() string {
	if d.RetryAfter > 0 {
		return fmt.Sprintf("the provider needs longer; submit the same again after %s", d.RetryAfter)
	}
	return "the provider needs longer; submit the same again later"
}

// Refused is an error that a provider answers.
type Refused struct {
	Code       string // intake.CodeSchemaMismatch and others; providers have codes of their own
	Message    string // in the provider's words
	Status     int    // of HTTP
	RetryAfter time.Duration
	Raw        []byte // the whole answer
}

// Error is the status, the code and the provider's words.
func (r *Refused) Error() string {
	return fmt.Sprintf("the provider answered %d %s: %s", r.Status, r.Code, orSilent(r.Message))
}

func orSilent(words string) string {
	if words == "" {
		return "it does not say why"
	}
	return words
}

// NotAnIntake is a document that is not what the Agent Intake Protocol has there. What it says is
// not used.
type NotAnIntake struct {
	URL      string
	Status   int // of HTTP
	Findings intake.Findings
	Raw      []byte
}

// Error names the first thing that is wrong.
func (e *NotAnIntake) Error() string { return (&Invalid{e.URL, e.Status, e.Findings, e.Raw}).Error() }

// ErrExpired is an offer that has ended: submit again for another.
var ErrExpired = errors.New("the offer has ended; submit the intake again for another")
