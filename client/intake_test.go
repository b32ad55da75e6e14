package client

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/testkit/provider"
	"frontdesk/wire/intake"
	"frontdesk/wire/strictjson"
)

func discovered(t *testing.T, options Options) (*provider.Provider, *Provider) {
	t.Helper()
	business := provider.Start(t)
	return business, discover(t, business, IntakeAgent{Platform: "tests"}, options)
}

func discover(t *testing.T, business *provider.Provider, agent IntakeAgent, options Options) *Provider {
	t.Helper()
	p, err := DiscoverIntakes(t.Context(), business.URL, agent, options)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func quote() Submission { return Submission{Data: strictjson.Value(provider.QuoteData)} }

func offered(t *testing.T, p *Provider) *Offered {
	t.Helper()
	o, err := p.SubmitIntake(t.Context(), provider.Quote, quote())
	if err != nil {
		t.Fatal(err)
	}
	return o
}

var jane = map[string]string{"email": "jane.doe@example.com", "full_name": "Jane Doe"}

func TestFromAQuestionToABoundOffer(t *testing.T) {
	t.Parallel()
	business, p := discovered(t, Options{})
	if len(p.Doubts()) > 0 && !p.Doubts().Valid() || p.Manifest().Provider.Name == "" || p.Intake("none") != nil {
		t.Errorf("%v", p.Doubts())
	}
	s := quote()
	s.Locale, s.Timezone, s.Scopes = "en-US", "America/Chicago", []intake.Scope{intake.ScopeIntake}
	o, err := p.SubmitIntake(t.Context(), provider.Quote, s)
	if err != nil {
		t.Fatal(err)
	}
	if o.Response.Offer.Summary == "" || o.Intake.ID != provider.Quote || len(o.Raw) == 0 || len(o.Doubts) > 0 {
		t.Errorf("%+v", o)
	}
	sent := business.Seen().Asked[0]
	if sent.Agent.ID != p.Agent().ID || sent.Agent.ID == "" || sent.Agent.Platform != "tests" ||
		string(sent.Metadata) != `{"locale":"en-US","timezone":"America/Chicago"}` ||
		!slices.Equal(sent.Agent.ConsentScope, s.Scopes) || string(sent.IntakeData) != provider.QuoteData {
		t.Errorf("%+v", sent)
	}
	before := time.Now().Add(-time.Second)
	c, err := o.Confirm(jane, intake.ScopeAccountCreation)
	if err != nil {
		t.Fatal(err)
	}
	got, err := p.BindOffer(t.Context(), c)
	if err != nil || got.Bound == nil || got.Bound.OfferID != o.Response.Offer.ID {
		t.Fatalf("%+v, %v", got, err)
	}
	again, err := p.BindOffer(t.Context(), c) // which the provider answers as before
	if err != nil || string(again.Raw) != string(got.Raw) || len(business.Seen().Bound) != 1 {
		t.Errorf("%+v, %v", again, err)
	}
	// Check 71: user_confirmed_at is when Confirm was called. Check 73: the session is the same
	// throughout.
	var metadata struct {
		At time.Time `json:"user_confirmed_at"`
	}
	bind := business.Seen().Bound[0]
	if err := json.Unmarshal(bind.Metadata, &metadata); err != nil ||
		metadata.At.Before(before.Truncate(time.Second)) || metadata.At.After(time.Now()) {
		t.Errorf("%s, %v", bind.Metadata, err)
	}
	if bind.SessionID != sent.SessionID || bind.Agent.ID != sent.Agent.ID || bind.Agent.Platform != "" ||
		!slices.Equal(bind.Agent.ConsentScope,
			[]intake.Scope{intake.ScopeAccountCreation, intake.ScopeBind, intake.ScopeIntake, intake.ScopeOffer}) {
		t.Errorf("%+v", bind)
	}
}

// Check 67.
func TestCheck67OnlyHTTPSExceptOnThisMachine(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"http://www.example.com", "http://192.0.2.1/", "http://localhost.example.com",
		"ftp://localhost", "https://user:pw@example.com", "example.com"} {
		if _, err := DiscoverIntakes(t.Context(), address, IntakeAgent{}, Options{}); err == nil ||
			errors.As(err, new(*Unreachable)) {
			t.Errorf("%s: %v", address, err)
		}
	}
	business := provider.Start(t)
	business.Declare(func(m *intake.Manifest) { m.Intakes[0].Endpoint = "http://www.example.com/intake" })
	p := discover(t, business, IntakeAgent{}, Options{})
	if _, err := p.SubmitIntake(t.Context(), provider.Quote, quote()); err == nil ||
		!strings.Contains(err.Error(), "https") {
		t.Errorf("%v", err)
	}
	if _, err := p.SubmitIntake(t.Context(), provider.Sum,
		Submission{Data: strictjson.Value(provider.SumData)}); err != nil {
		t.Errorf("the other intakes are as before: %v", err)
	}
	moved := httptest.NewServer(
		http.RedirectHandler("http://www.example.com/.well-known/agent-intake.json", http.StatusFound))
	defer moved.Close()
	if _, err := DiscoverIntakes(t.Context(), moved.URL, IntakeAgent{}, Options{}); err == nil ||
		!strings.Contains(err.Error(), "https") {
		t.Errorf("%v", err)
	}
}

// Check 68.
func TestCheck68OffersAreBoundAtTheProvidersAlone(t *testing.T) {
	t.Parallel()
	p := &Provider{agent: IntakeAgent{BindHosts: []string{"pay.example.net"}},
		address: mustURL(t, "https://www.example.com/.well-known/agent-intake.json")}
	to := &intake.Intake{ID: "x", Endpoint: "https://api.example.org/intake"}
	for at, own := range map[string]bool{
		"https://www.example.com/b": true, "https://example.com/b": true, "https://bind.example.com/b": true,
		"https://WWW.example.com./b": true, "https://api.example.org/b": true, "https://a.api.example.org/b": true,
		"https://pay.example.net/b": true, "https://example.org/b": false, "https://example.net/b": false,
		"https://evil-example.com/b": false, "https://com/b": false, "https://www.example.com.evil.org/b": false,
		"http://www.example.com/b": false, "https://u:p@www.example.com/b": false, "http://localhost/b": false,
	} {
		_, err := p.hold(to, "s", &intake.Response{Offer: &intake.Offer{BindEndpoint: at}}, nil, nil)
		if (err == nil) != own {
			t.Errorf("%s: %v", at, err)
		}
	}
	p.address = mustURL(t, "https://192.0.2.7/")
	if p.owns(&intake.Intake{Endpoint: "https://192.0.2.7/i"}, "https://1.192.0.2.7/b") {
		t.Error("a name below a number is its own")
	}
	business, own := discovered(t, Options{})
	business.Lie("client.foreign-bind")
	if _, err := own.SubmitIntake(t.Context(), provider.Quote, quote()); err == nil ||
		!strings.Contains(err.Error(), "elsewhere.example") {
		t.Errorf("%v", err)
	}
}

// Checks 69 and 70: what does not fit, is not declared or looks personal is not sent.
func TestCheck69And70WhatIsNotSent(t *testing.T) {
	t.Parallel()
	business, p := discovered(t, Options{})
	for data, word := range map[string]string{
		`{"trade":"plumber"}`:            "size",
		`{"trade":"gardener","size":1}`:  "/trade",
		`{"trade":"plumber","size":"1"}`: "/size",
		`{"trade":"plumber","size":0}`:   "/size",
		`{"trade":"plumber","size":1,"note":"` + strings.Repeat("a", 21) + `"}`: "/note",
		`{"trade":"plumber","size":1,"rooms":["attic"]}`:                        "/rooms/0",
		`{"trade":"plumber","size":1,"colour":"red"}`:                           "/colour",
		`{"trade":"plumber","size":1,"email":"jane.doe@example.com"}`:           "/email",
		`[]`:  "object",
		`"x"`: "object",
	} {
		_, err := p.SubmitIntake(t.Context(), provider.Quote, Submission{Data: strictjson.Value(data), Personal: true})
		var unfit *Unfit
		if !errors.As(err, &unfit) || !strings.Contains(err.Error(), word) ||
			strings.Contains(err.Error(), "jane.doe") {
			t.Errorf("%s: %v", data, err)
		}
	}
	business.Declare(func(m *intake.Manifest) {
		m.Intakes[0].InputSchema = []byte(`{"type":"object","properties":{"email":{"type":"string"},"notes":{"type":"array","items":{"type":"string"}}}}`)
		m.Intakes[0].Privacy.RedactedAcceptable = new(false)
	})
	p = discover(t, business, IntakeAgent{}, Options{})
	for data, member := range map[string]string{`{"email":"x"}`: "/email", `{"notes":["a","call +43 1 58058 0"]}`: "/notes/1"} {
		_, err := p.SubmitIntake(t.Context(), provider.Quote, Submission{Data: strictjson.Value(data)})
		var told *PersonalData
		if !errors.As(err, &told) || !slices.Equal(told.Members, []string{member}) {
			t.Errorf("%s: %v", data, err)
		}
	}
	if _, err := p.SubmitIntake(t.Context(), provider.Quote,
		Submission{Data: strictjson.Value(`{"email":"[redacted]"}`)}); !errors.As(err, new(*Unfit)) {
		t.Errorf("it is struck out: %v", err)
	}
	if _, err := p.SubmitIntake(t.Context(), "none", quote()); err == nil {
		t.Error("an intake that is not there")
	}
	if _, err := p.SubmitIntake(t.Context(), provider.Quote,
		Submission{Data: map[string]any{}, Session: "test-001"}); err == nil {
		t.Error("a session that is none")
	}
	if _, err := p.SubmitIntake(t.Context(), provider.Quote,
		Submission{Data: map[string]any{}, Scopes: []intake.Scope{intake.ScopeOffer}}); err == nil {
		t.Error("no consent")
	}
	business.Declare(func(m *intake.Manifest) {
		m.Intakes[0].InputSchema = []byte(`{"type":"object","properties":{"x":{"pattern":"(?=a)"}}}`)
	})
	p = discover(t, business, IntakeAgent{}, Options{})
	if _, err := p.SubmitIntake(t.Context(), provider.Quote, quote()); err == nil ||
		!strings.Contains(err.Error(), "looks ahead") {
		t.Errorf("%v", err)
	}
	if len(business.Seen().Headers) != 0 {
		t.Errorf("%d requests were sent", len(business.Seen().Headers))
	}
}

// What the person authorized is sent, and what is kept back may be struck out.
func TestWhatIsAuthorizedIsSent(t *testing.T) {
	t.Parallel()
	business, p := discovered(t, Options{})
	s := Submission{Data: strictjson.Value(`{"trade":"plumber","size":1,"note":"[redacted]"}`)}
	if _, err := p.SubmitIntake(t.Context(), provider.Quote, s); err != nil {
		t.Error(err)
	}
	s = Submission{Data: map[string]any{"trade": "plumber", "size": 1, "note": "jane"}, Personal: true}
	if _, err := p.SubmitIntake(t.Context(), provider.Quote, s); err != nil || len(business.Seen().Asked) != 2 {
		t.Error(err)
	}
}

// Check 71: there is no way to bind without confirming, and what is confirmed is what the offer
// requires.
func TestCheck71WhatIsConfirmed(t *testing.T) {
	t.Parallel()
	business, p := discovered(t, Options{})
	o := offered(t, p)
	for data, word := range map[string]string{
		`{"email":"jane.doe@example.com"}`:                                            "/full_name",
		`{"email":"jane.doe@example.com","full_name":" "}`:                            "/full_name",
		`{"email":null,"full_name":"Jane"}`:                                           "/email",
		`{"email":"jane.doe","full_name":"Jane"}`:                                     "/email",
		`{"email":"jane.doe@example.com","full_name":"Jane","phone":"+43 1 58058 0"}`: "/phone",
		`[]`: "object",
	} {
		_, err := o.Confirm(strictjson.Value(data))
		if !errors.As(err, new(*Unfit)) || !strings.Contains(err.Error(), word) ||
			strings.Contains(err.Error(), "jane") {
			t.Errorf("%s: %v", data, err)
		}
	}
	if _, err := o.Confirm(jane, "everything"); err == nil {
		t.Error("a scope that is none")
	}
	sum, err := p.SubmitIntake(t.Context(), provider.Sum, Submission{Data: strictjson.Value(provider.SumData)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sum.Confirm(map[string]string{}); err == nil {
		t.Error("what cannot be bound is confirmed")
	}
	c, err := o.Confirm(jane)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := discover(t, business, IntakeAgent{}, Options{}).BindOffer(t.Context(), c); err == nil {
		t.Error("another agent binds it")
	}
	if len(business.Seen().Bound) != 0 {
		t.Error("it was bound")
	}
}

// Check 72: what has ended is neither confirmed nor bound.
func TestCheck72AnOfferThatHasEnded(t *testing.T) {
	t.Parallel()
	business, p := discovered(t, Options{})
	o := offered(t, p)
	c, err := o.Confirm(jane)
	if err != nil {
		t.Fatal(err)
	}
	o.Response.Offer.Expires = time.Now().UTC().Format(time.RFC3339Nano)
	posts := len(business.Seen().Headers)
	if _, err := o.Confirm(jane); !errors.Is(err, ErrExpired) {
		t.Errorf("%v", err)
	}
	if _, err := p.BindOffer(t.Context(), c); !errors.Is(err, ErrExpired) || len(business.Seen().Headers) != posts {
		t.Errorf("%v", err)
	}
}

// Check 73: an answer to another session is none.
func TestCheck73TheSessionIsEchoed(t *testing.T) {
	t.Parallel()
	business, p := discovered(t, Options{})
	business.Lie("intake.submit.session")
	if _, err := p.SubmitIntake(t.Context(), provider.Quote, quote()); !errors.As(err, new(*NotAnIntake)) ||
		!strings.Contains(err.Error(), "session") {
		t.Errorf("%v", err)
	}
	business.Lie("")
	s := quote()
	s.Session = "7F2C1F3E-90B1-4C55-8D0C-3E6F0A1D2B4C"
	o, err := p.SubmitIntake(t.Context(), provider.Quote, s)
	if err != nil || o.Session != s.Session ||
		business.Seen().Asked[len(business.Seen().Asked)-1].SessionID != s.Session {
		t.Errorf("%+v, %v", o, err)
	}
}

// Check 74.
func TestCheck74StatusAndCodeAreTold(t *testing.T) {
	t.Parallel()
	business, p := discovered(t, Options{Retries: -1})
	var refused *Refused
	keyed := Submission{Data: strictjson.Value(provider.SumData)}
	if _, err := p.SubmitIntake(t.Context(), provider.Keyed, keyed); !errors.As(err, &refused) ||
		refused.Status != 401 || refused.Code != intake.CodeUnauthorized || refused.Message == "" {
		t.Errorf("%v", err)
	}
	if _, err := discover(t, business, IntakeAgent{},
		Options{Token: StaticToken(provider.Token)}).SubmitIntake(t.Context(), provider.Keyed, keyed); err != nil {
		t.Errorf("%v", err)
	}
	business.Fail(http.StatusServiceUnavailable)
	if _, err := p.SubmitIntake(t.Context(), provider.Quote, quote()); !errors.As(err, &refused) ||
		refused.Status != 503 || refused.Code != "HTTP_503" {
		t.Errorf("%v", err)
	}
	business.Declare(func(m *intake.Manifest) { m.Intakes[0].RateLimit.RequestsPerMinute = 1 })
	for range 2 {
		_, err := p.SubmitIntake(t.Context(), provider.Quote, quote())
		if err != nil && (!errors.As(err, &refused) || refused.Status != 429 ||
			refused.Code != intake.CodeRateLimited || refused.RetryAfter != time.Second) {
			t.Errorf("%v", err)
		}
	}
	business.Declare(nil)
	var declined *Declined
	if _, err := p.SubmitIntake(t.Context(), provider.Quote,
		Submission{Data: strictjson.Value(provider.DeclinedData)}); !errors.As(err, &declined) ||
		declined.Reason == "" || declined.Status != 200 {
		t.Errorf("%v", err)
	}
	o := offered(t, p)
	c, err := o.Confirm(jane)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.BindOffer(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	other, err := o.Confirm(map[string]string{"email": "other@example.com", "full_name": "Other"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.BindOffer(t.Context(), other); !errors.As(err, &refused) || refused.Status != 409 ||
		refused.Code != intake.CodeOfferAlreadyBound {
		t.Errorf("%v", err)
	}
}

// Check 75: answers are bounded in size and time.
func TestCheck75AnswersAreBounded(t *testing.T) {
	t.Parallel()
	business, p := discovered(t, Options{Retries: -1})
	business.Lie("client.large")
	if _, err := p.SubmitIntake(t.Context(), provider.Quote, quote()); !errors.Is(err, ErrTooLarge) {
		t.Errorf("%v", err)
	}
	business.Lie("client.large-enough") // more than 64 KiB
	if _, err := p.SubmitIntake(t.Context(), provider.Quote, quote()); err != nil {
		t.Errorf("%v", err)
	}
	business.Lie("")
	silent := discover(t, business, IntakeAgent{}, Options{Retries: -1, Silence: 50 * time.Millisecond})
	business.Stall()
	if _, err := silent.SubmitIntake(t.Context(), provider.Quote, quote()); !errors.Is(err, ErrSilent) {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	gone := errors.New("gone")
	cancel(gone)
	if _, err := p.SubmitIntake(ctx, provider.Quote, quote()); !errors.Is(err, gone) {
		t.Errorf("%v", err)
	}
	business.Resume()
}

// A provider that never stays silent for long and never comes to an end is given up, too: when it
// answers a submission as when it is discovered.
func TestCheck75AnswersThatDribbleEnd(t *testing.T) {
	manifest := `{"aip_version":"0.1.0","provider":{"name":"Slow","url":"http://localhost"},"intakes":[{"id":"quote","name":"Quote","description":"Slowly.","endpoint":"http://localhost/quote",
		"method":"POST","input_schema":{"type":"object"},"offer_type":"quote","binding_available":false}]}`
	dribble := func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			io.WriteString(w, " ")
			http.NewResponseController(w).Flush()
			select {
			case <-r.Context().Done():
			case <-time.After(time.Second): // of the bubble
			}
		}
	}
	for name, first := range map[string]http.HandlerFunc{
		"submitting": says(200, "application/json", manifest), "discovering": dribble,
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodGet {
					first(w, r)
					return
				}
				dribble(w, r)
			}, func(t *testing.T, c *Client) {
				began := time.Now()
				p, err := DiscoverIntakes(t.Context(), "http://localhost", IntakeAgent{},
					Options{HTTP: c.http, Retries: -1, Silence: time.Minute})
				if err == nil {
					_, err = p.SubmitIntake(t.Context(), "quote", Submission{Data: strictjson.Value(`{}`)})
				}
				if took := time.Since(began); err == nil || took != 30*time.Second {
					t.Errorf("after %s: %v", took, err)
				}
			})
		})
	}
}

// A submission that broke off, or came at a bad time, is made again in the same session; a bind
// that broke off is not.
func TestWhatIsSentAgain(t *testing.T) {
	t.Parallel()
	business, p := discovered(t, Options{MaxWait: time.Second})
	business.Fail(http.StatusServiceUnavailable, http.StatusTooManyRequests)
	business.Break(1)
	o := offered(t, p)
	if len(business.Seen().Headers) != 4 || len(business.Seen().Asked) != 1 {
		t.Errorf("%d requests, %d offers", len(business.Seen().Headers), len(business.Seen().Asked))
	}
	c, err := o.Confirm(jane)
	if err != nil {
		t.Fatal(err)
	}
	business.Break(1)
	if _, err := p.BindOffer(t.Context(), c); !errors.As(err, new(*Broken)) && !errors.As(err, new(*Unreachable)) ||
		len(business.Seen().Headers) != 5 {
		t.Errorf("%v, %d requests", err, len(business.Seen().Headers))
	}
	business.Fail(http.StatusServiceUnavailable)
	if _, err := p.BindOffer(t.Context(), c); err != nil || len(business.Seen().Bound) != 1 ||
		len(business.Seen().Headers) != 7 {
		t.Errorf("%v, %d requests", err, len(business.Seen().Headers))
	}
}

// Whatever a provider answers, it is an error of a known type or an offer that can be bound at its
// own.
func TestAnswersThatAreNone(t *testing.T) {
	t.Parallel()
	business, p := discovered(t, Options{Retries: -1})
	for _, lie := range []string{
		"client.no-json", "client.empty", "client.status-error", "client.offer-500", "client.redirect",
		"client.bound-status", "intake.submit.offer-expired", "intake.submit.no-bind-endpoint", "client.version",
	} {
		business.Lie(lie)
		_, err := p.SubmitIntake(t.Context(), provider.Quote, quote())
		if !errors.As(err, new(*NotAnIntake)) && !errors.As(err, new(*Refused)) {
			t.Errorf("%s: %v", lie, err)
		}
	}
	business.Lie("client.pending")
	var pending *Pending
	s := quote()
	if _, err := p.SubmitIntake(t.Context(), provider.Quote, s); !errors.As(err, &pending) ||
		pending.RetryAfter != 30*time.Second || pending.Again.Session == "" {
		t.Fatalf("%v", err)
	}
	business.Lie("")
	if o, err := p.SubmitIntake(t.Context(), provider.Quote, pending.Again); err != nil ||
		o.Session != pending.Again.Session {
		t.Errorf("%v", err)
	}
	c, err := offered(t, p).Confirm(jane)
	if err != nil {
		t.Fatal(err)
	}
	business.Lie("client.bind-own-form")
	if got, err := p.BindOffer(t.Context(), c); err != nil || got.Bound != nil || len(got.Raw) == 0 {
		t.Errorf("%+v, %v", got, err)
	}
	for _, lie := range []string{"client.no-json", "client.empty", "client.redirect", "client.bind-other"} {
		business.Lie(lie)
		if _, err := p.BindOffer(t.Context(), c); !errors.As(err, new(*NotAnIntake)) {
			t.Errorf("%s: %v", lie, err)
		}
	}
	business.Lie("client.status-error")
	if _, err := p.BindOffer(t.Context(), c); !errors.As(err, new(*Refused)) {
		t.Errorf("%v", err)
	}
}

// An offer can be taken up by another process, which has the answer and knows agent and session.
func TestAnOfferIsTakenUp(t *testing.T) {
	t.Parallel()
	business, p := discovered(t, Options{})
	o := offered(t, p)
	other := discover(t, business, IntakeAgent{ID: p.Agent().ID}, Options{})
	again, err := other.Offered(provider.Quote, o.Session, o.Raw)
	if err != nil {
		t.Fatal(err)
	}
	c, err := again.Confirm(jane)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.BindOffer(t.Context(), c); err != nil {
		t.Error(err)
	}
	if _, err := other.Offered(provider.Quote, intake.Nil, o.Raw); err == nil {
		t.Error("an offer of another session")
	}
	if _, err := other.Offered(provider.Quote, o.Session, []byte(`{}`)); err == nil {
		t.Error("no offer")
	}
}

func TestWhatIsNoManifest(t *testing.T) {
	t.Parallel()
	business := provider.Start(t)
	for _, lie := range []string{"intake.wellknown.served", "client.no-json", "client.version", "intake.document"} {
		business.Lie(lie)
		_, err := DiscoverIntakes(t.Context(), business.URL, IntakeAgent{}, Options{})
		var no *NotAnIntake
		if !errors.As(err, &no) || no.Error() == "" {
			t.Errorf("%s: %v", lie, err)
		}
	}
}

func mustURL(t *testing.T, address string) *url.URL {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return u
}
