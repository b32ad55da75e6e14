package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/testkit/publisher"
	"frontdesk/wire/intent"
	"frontdesk/wire/sign"
)

// platform is one that the test's publisher knows.
func platform() Platform {
	return Platform{ID: publisher.Platform, Software: "tests", Key: NewKey(publisher.KeyID, []byte(publisher.Secret))}
}

// opened starts a publisher and opens it. It is asked for food.
func opened(t *testing.T, as Platform, options Options) (*publisher.Publisher, *Publisher) {
	t.Helper()
	p := publisher.Start(t)
	return p, open(t, p, as, options)
}

func open(t *testing.T, p *publisher.Publisher, as Platform, options Options) *Publisher {
	t.Helper()
	c, err := OpenPublisher(t.Context(), p.URL, as, options)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func food() Retrieval {
	return Retrieval{Domain: "food", Query: "bread", Country: "US", Session: "s1", Turn: 2, Latency: time.Second}
}

func TestPassagesAreRetrievedAndCited(t *testing.T) {
	t.Parallel()
	p, c := opened(t, platform(), Options{})
	got, err := c.Retrieve(t.Context(), food())
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Answer.Content.Chunks) != 2 || !got.Signed || got.Answer.RequestID != got.Request.RequestID ||
		len(got.Doubts) != 0 || len(got.Raw) == 0 {
		t.Errorf("passages: %+v", got)
	}
	sent := p.Requests[0]
	if sent.Platform.ID != publisher.Platform || sent.Runtime.SessionID != "s1" || sent.Runtime.TurnIndex != 2 ||
		sent.Runtime.LatencyBudgetMS != 1000 ||
		sent.Context.Language != "en-US" || sent.Context.Geography.Country != "US" || sent.Intent.Domain != "food" ||
		sent.Runtime.QueryText != "bread" {
		t.Errorf("sent: %+v", sent)
	}
	shown, err := got.Shown("https://www.localhost/article", intent.SurfaceAnswer)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Cite(t.Context(), shown); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time it is known
		if err := c.Confirm(t.Context(), got); err != nil {
			t.Fatal(err)
		}
	}
	if len(p.Received) != 2 || p.Received[0].Citation.DisplaySurface != "answer" ||
		p.Received[1].Access.ChunksReturned != 2 || p.Received[1].Access.TokenCount == 0 {
		t.Errorf("received: %+v", p.Received)
	}
	if _, err := got.Shown("https://www.localhost/other", "answer"); err == nil {
		t.Error("what was not given can be cited")
	}
}

// A publisher of version 1.0 is asked in 1.0, and answers in it.
func TestThePublishersVersionIsSpoken(t *testing.T) {
	t.Parallel()
	p := publisher.Start(t)
	p.Declare(func(d *intent.Declaration) { d.Version = intent.Version10 })
	c := open(t, p, platform(), Options{})
	got, err := c.Retrieve(t.Context(), food())
	if err != nil || got.Answer.Version != "1.0" || p.Requests[0].Version != "1.0" {
		t.Fatalf("%+v, %v", got, err)
	}
	shown, _ := got.Shown("https://www.localhost/article", "answer")
	if err := c.Cite(t.Context(), shown); err != nil || p.Received[0].Version != "1.0" {
		t.Errorf("%+v, %v", p.Received, err)
	}
	p.Declare(nil) // and now it answers in 0.1
	var failed *Failed
	if _, err := c.Retrieve(t.Context(), food()); !errors.As(err, &failed) ||
		failed.Code != intent.CodeUnsupportedVersion {
		t.Errorf("%v", err)
	}
}

func TestADeadlineIsTheLatencyBudget(t *testing.T) {
	t.Parallel()
	p, c := opened(t, platform(), Options{})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if _, err := c.Retrieve(ctx, Retrieval{Domain: "food"}); err != nil {
		t.Fatal(err)
	}
	if ms := p.Requests[0].Runtime.LatencyBudgetMS; ms < 1000 || ms > 60_000 {
		t.Errorf("the budget is %d ms", ms)
	}
	if p.Requests[0].Runtime.SessionID == "" {
		t.Error("there is no session")
	}
}

func TestDenialsAreDecisions(t *testing.T) {
	t.Parallel()
	p, c := opened(t, platform(), Options{})
	_, err := c.Retrieve(t.Context(), Retrieval{Domain: "sports"})
	var denied *Denied
	if !errors.As(err, &denied) || denied.Reason != intent.ReasonOutOfScope || denied.Status != 200 {
		t.Errorf("%v", err)
	}
	_, err = c.Retrieve(t.Context(), Retrieval{Domain: "food", Query: "zqxjkv"})
	if !IsNoContent(err) || IsNoContent(denied) {
		t.Errorf("%v", err)
	}
	// The declaration denies, and nobody is asked.
	asked := len(p.Requests)
	for reason, edit := range map[string]func(*intent.Declaration){
		intent.ReasonAccessDisabled: func(d *intent.Declaration) { d.IntentAccess.State = intent.StatePaused },
		intent.ReasonUnsupported:    func(d *intent.Declaration) { d.Endpoints.Retrieve = nil },
	} {
		p.Declare(edit)
		_, err := open(t, p, platform(), Options{}).Retrieve(t.Context(), food())
		if !errors.As(err, &denied) || denied.Reason != reason || denied.Status != 0 {
			t.Errorf("%s: %v", reason, err)
		}
	}
	if len(p.Requests) != asked {
		t.Error("a publisher was asked whose declaration denies")
	}
}

// TestALyingPublisherGivesNothing has the publisher break what the protocol wants of an answer, one
// way at a time.
func TestALyingPublisherGivesNothing(t *testing.T) {
	t.Parallel()
	for _, lie := range []string{
		"content.too-many", "content.token-sum", "content.denial-too", "content.unknown-citation", "content.price",
		"content.empty", "content.echo", "content.status", "content.signature", "content.signature-path",
		"content.signature-body", "content.signature-stale", "content.signature-key",
	} {
		p, c := opened(t, platform(), Options{Retries: -1})
		p.Lie(lie)
		got, err := c.Retrieve(t.Context(), food())
		var invalid *Invalid
		switch {
		case err == nil:
			t.Errorf("%s: %+v", lie, got.Answer)
		case strings.HasPrefix(lie, "content.signature"):
			if !errors.Is(err, ErrForged) {
				t.Errorf("%s: %v", lie, err)
			}
		case !errors.As(err, &invalid) || !strings.Contains(err.Error(), "is not valid"):
			t.Errorf("%s: %v", lie, err)
		}
	}
}

func TestAnUnsignedAnswerIsTakenUnlessSignedOnesAreRequired(t *testing.T) {
	t.Parallel()
	p, c := opened(t, platform(), Options{})
	p.Lie("content.unsigned")
	if got, err := c.Retrieve(t.Context(), food()); err != nil || got.Signed {
		t.Errorf("%+v, %v", got, err)
	}
	strict := platform()
	strict.RequireSigned = true
	if _, err := open(t, p, strict, Options{}).Retrieve(t.Context(), food()); !errors.Is(err, ErrUnsigned) {
		t.Errorf("%v", err)
	}
}

func TestAWrongKeyIsAFailure(t *testing.T) {
	t.Parallel()
	as := platform()
	as.Key = NewKey(publisher.KeyID, []byte("another secret altogether"))
	for _, lie := range []string{"", "auth.failure-body"} { // the second leaves out what a valid answer has
		p, c := opened(t, as, Options{})
		p.Lie(lie)
		_, err := c.Retrieve(t.Context(), food())
		var failed *Failed
		if !errors.As(err, &failed) || failed.Code != intent.CodeAuthFailed || failed.Status != 401 {
			t.Errorf("%v", err)
		}
		err = c.Cite(t.Context(), Shown{RequestID: "r", SourceURL: "https://localhost/a", ChunkIDs: []string{"c1"}})
		if !errors.As(err, &failed) || failed.Code != intent.CodeAuthFailed {
			t.Errorf("%v", err)
		}
	}
}

// TestWhatFailsOnItsWayIsAskedAgain loses answers and has none: the same request comes again, under
// another nonce, and is counted once.
func TestWhatFailsOnItsWayIsAskedAgain(t *testing.T) {
	t.Parallel()
	p, c := opened(t, platform(), Options{})
	p.BreakNext(1)
	got, err := c.Retrieve(t.Context(), food())
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Requests) != 2 || p.Requests[0].RequestID != p.Requests[1].RequestID {
		t.Errorf("asked: %+v", p.Requests)
	}
	p.FailNext(503, 500)
	if _, err := c.Retrieve(t.Context(), food()); err != nil {
		t.Error(err)
	}
	shown, _ := got.Shown("https://www.localhost/article", "answer")
	p.BreakNext(1)
	if err := c.Cite(t.Context(), shown); err != nil || len(p.Received) != 1 {
		t.Errorf("%v: %+v", err, p.Received)
	}
	p.FailNext(502, 502, 502, 502)
	var failed *Failed
	if _, err := c.Retrieve(t.Context(), food()); !errors.As(err, &failed) || failed.Status != 502 ||
		failed.Code != "http_502" {
		t.Errorf("after its retries: %v", err)
	}
	never := open(t, p, platform(), Options{Retries: -1})
	p.FailNext(429)
	if _, err := never.Retrieve(t.Context(), food()); !errors.As(err, &failed) || failed.RetryAfter != time.Second {
		t.Errorf("without retries: %v", err)
	}
	p.FailNext(401)
	asked := len(p.Requests)
	if _, err := c.Retrieve(t.Context(), food()); !errors.As(err, &failed) || len(p.Requests) != asked {
		t.Errorf("a refusal is asked again: %v", err)
	}
}

func TestUntrueCitationsAreTold(t *testing.T) {
	t.Parallel()
	_, c := opened(t, platform(), Options{})
	err := c.Cite(t.Context(),
		Shown{RequestID: "never", SourceURL: "https://localhost/a", ChunkIDs: []string{"c1"}, Surface: "answer"})
	var failed *Failed
	if !errors.As(err, &failed) || failed.Status != 422 {
		t.Errorf("%v", err)
	}
	if err := c.Cite(t.Context(), Shown{RequestID: "r"}); err == nil ||
		errors.As(err, &failed) && failed.Status != 422 {
		t.Errorf("an event that is not valid was sent: %v", err)
	}
}

func TestWhatIsNotValidIsNotSent(t *testing.T) {
	t.Parallel()
	p, c := opened(t, platform(), Options{})
	for name, r := range map[string]Retrieval{
		"domain":   {Domain: "Food"},
		"language": {Domain: "food", Language: "en"},
		"price":    {Domain: "food", Extensions: intent.Extensions{"x.maxBid": []byte(`1`)}},
		"turn":     {Domain: "food", Turn: -1},
	} {
		if _, err := c.Retrieve(t.Context(), r); err == nil || !strings.Contains(err.Error(), "is not valid") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(p.Requests) != 0 {
		t.Error("it was sent")
	}
}

func TestADeclarationMustBeOne(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{`{}`: "is missing", `<html>`: "not JSON", `{"aip_version":"9.9"}`: "aip_version"} {
		server := httptest.NewServer(
			http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, body) }))
		defer server.Close()
		_, err := OpenPublisher(t.Context(), server.URL, platform(), Options{})
		var invalid *Invalid
		if !errors.As(err, &invalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", body, err)
		}
	}
	p := publisher.Start(t)
	p.Lie("wellknown.served")
	var invalid *Invalid
	if _, err := OpenPublisher(t.Context(), p.URL, platform(), Options{}); !errors.As(err, &invalid) ||
		invalid.Status != 404 {
		t.Errorf("%v", err)
	}
	for _, address := range []string{"x", "ftp://a.example", ""} {
		if _, err := OpenPublisher(t.Context(), address, platform(), Options{}); err == nil {
			t.Errorf("%q is an address", address)
		}
	}
}

// TestNothingSignedIsRedirected: the path is in the signature, and the address is the declaration's
// to name.
func TestNothingSignedIsRedirected(t *testing.T) {
	t.Parallel()
	elsewhere := 0
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere++ }))
	defer other.Close()
	p := publisher.Start(t)
	moved := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusPermanentRedirect))
	defer moved.Close()
	p.Declare(func(d *intent.Declaration) { d.Endpoints.Retrieve.URL = moved.URL })
	_, err := open(t, p, platform(), Options{}).Retrieve(t.Context(), food())
	if err == nil || elsewhere != 0 {
		t.Errorf("%v, and the other server was asked %d times", err, elsewhere)
	}
}

// TestASecureDeclarationNamesNoInsecureAddress serves a declaration by https whose endpoint is
// http.
func TestASecureDeclarationNamesNoInsecureAddress(t *testing.T) {
	t.Parallel()
	p := publisher.Start(t)
	server := httptest.NewTLSServer(p)
	defer server.Close()
	_, err := OpenPublisher(t.Context(), server.URL, platform(), Options{HTTP: server.Client()})
	if err == nil || !strings.Contains(err.Error(), "not secured") {
		t.Errorf("%v", err)
	}
}

func TestAKeyDoesNotShowItsSecret(t *testing.T) {
	t.Parallel()
	key := NewKey("plat_1", []byte("very secret"))
	for _, format := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
		if text := fmt.Sprintf(format, key) + fmt.Sprintf(format, Platform{Key: key}); strings.Contains(text,
			"secret\"") || strings.Contains(text, "very") || strings.Contains(text, "118") {
			t.Errorf("%s: %s", format, text)
		}
	}
}

// FuzzPassages feeds answers of publishers: nothing panics, and what is given is valid.
func FuzzPassages(f *testing.F) {
	f.Add(200, []byte(`{"aip_version":"0.1","request_id":"r1","timestamp":"2025-11-14T18:22:01Z","status":"ok","content":{"chunks":[{"id":"c","text":"t"}]}}`), "v1=AAAA")
	f.Add(401, []byte(`{"status":"error","error":{"code":"auth_failed"}}`), "")
	f.Add(429, []byte(`<html>`), "v1=")
	f.Fuzz(func(t *testing.T, status int, body []byte, signature string) {
		p := &Publisher{client: Client{options: Options{Now: time.Now}}, platform: platform(),
			declaration: intent.Declaration{Version: intent.Version01}}
		p.declaration.Retrieval.Supports = intent.Supports{Chunks: true, Citations: true}
		got := &sent{address: "https://example.com/retrieve", status: status, header: http.Header{}, body: body}
		if signature != "" {
			(sign.Headers{Version: "0.1", KeyID: publisher.KeyID, Timestamp: sign.FormatTime(time.Now()), Nonce: "n",
				Signature: signature}).Write(got.header)
		}
		if signed, err := p.verify(got, "/retrieve"); signed || signature == "" && err != nil {
			t.Fatalf("%q: %v, %v", signature, signed, err)
		}
		passages, err := p.passages(
			intent.RetrieveRequest{Version: intent.Version01, RequestID: "r1", Timestamp: "2025-11-14T18:22:01Z"}, got)
		if (passages == nil) == (err == nil) {
			t.Fatalf("%+v, %v", passages, err)
		}
		if passages != nil && (passages.Answer.Content == nil || status != 200) {
			t.Fatalf("passages without content: %s", body)
		}
	})
}
