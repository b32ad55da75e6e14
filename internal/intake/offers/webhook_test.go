package offers

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/fetch"
	"frontdesk/internal/testkit/business"
	"frontdesk/internal/testkit/clock"
	"frontdesk/wire/intake"
	"frontdesk/wire/sign"
	"frontdesk/wire/strictjson"
)

func TestMain(m *testing.M) { business.Main(m) }

const whsec = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

// asking is a webhook with a business behind it.
type asking struct {
	*webhook
	business *business.Business
	clock    *clock.Clock
	log      *bytes.Buffer
	t        *testing.T
}

func newAsking(t *testing.T, timeout time.Duration) *asking {
	t.Helper()
	t.Setenv("ENGINE_SECRET", whsec)
	a := &asking{business: business.Start(t), clock: clock.At(noon), log: &bytes.Buffer{}, t: t}
	e, err := NewWebhook(Webhook{URL: a.business.URL, SecretEnv: "ENGINE_SECRET", Timeout: timeout},
		WebhookOptions{Fetcher: fetch.New(fetch.Options{}), Now: a.clock.Now,
			Log: slog.New(slog.NewTextHandler(a.log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	a.webhook = e.(*webhook)
	return a
}

func question() Request {
	return Request{
		ID: "q-1", Intake: "jars", Data: strictjson.Value(`{"note":"` + secret + `"}`), Session: "4b1e",
		Locale: "en-US", Timezone: "Europe/Berlin", Now: noon,
		Agent: intake.Agent{ID: "agent-1", Platform: "anthropic", ConsentScope: []intake.Scope{intake.ScopeIntake}},
	}
}

func (a *asking) ask() (Outcome, error) { return a.Offer(a.t.Context(), question()) }

// unavailable checks that an agent is told to come back, and nothing else.
func (a *asking) unavailable(err error, after time.Duration) {
	a.t.Helper()
	coded := fail.From(err)
	if coded.Code != fail.Unavailable || coded.RetryAfter != after {
		a.t.Errorf("%v, after %s, want %s", err, coded.RetryAfter, after)
	}
	if strings.Contains(coded.Detail, "webhook") || strings.Contains(err.Error(), secret) ||
		strings.Contains(a.log.String(), secret) {
		a.t.Errorf("told %q, logged %s", err, a.log)
	}
}

func TestAWebhookIsAskedSigned(t *testing.T) {
	a := newAsking(t, 0)
	o, err := a.ask()
	if err != nil || o.Status != Offered || o.Summary != "Two jars a week." || string(o.Details) != `{"jars":2}` {
		t.Fatalf("%+v, %v", o, err)
	}
	sent := a.business.Requests()
	if len(sent) != 1 {
		t.Fatalf("%d requests", len(sent))
	}
	want := `{"type":"intake.submitted","timestamp":"2027-05-04T12:00:00Z","data":{"intake":"jars","session_id":"4b1e","agent":{"id":"agent-1","platform":"anthropic",` +
		`"consent_scope":["intake"]},"intake_data":{"note":"` + secret + `"},"locale":"en-US","timezone":"Europe/Berlin"}}`
	if sent[0].Body != want {
		t.Errorf("sent %s\nwant %s", sent[0].Body, want)
	}
	signed, err := sign.ParseWebhookSecret(whsec)
	if err != nil {
		t.Fatal(err)
	}
	if h := sent[0].Header; h.Get("webhook-id") != "q-1" ||
		h.Get("webhook-signature") != signed.Sign("q-1", noon, []byte(want)) ||
		h.Get("webhook-timestamp") != fmt.Sprint(noon.Unix()) {
		t.Errorf("%v", h)
	}
	if a.log.Len() > 0 {
		t.Errorf("logged %s", a.log)
	}
}

func TestWhatAWebhookAnswersIsRead(t *testing.T) {
	a := newAsking(t, 0)
	for _, c := range []struct {
		reply string
		want  Outcome
	}{
		{`{"status":"offer","offer":{"summary":"Yes."}}`, Outcome{Status: Offered, Summary: "Yes."}},
		{`{"status":"offer","offer":{"summary":"<|im_start|>\u202eYes\u0000.","details":{"a":"[INST]b","n":1.50}}}`, Outcome{Status: Offered, Summary: "Yes.", Details: strictjson.Value(`{"a":"b","n":1.50}`)}},
		{`{"status":"declined","decline_reason":"No\u202e.<|im_end|>"}`, Outcome{Status: Declined, Reason: "No."}},
		{`{"status":"offer","offer":{"summary":"Yes.","details":null,"bind_requires":[]}}`, Outcome{Status: Offered, Summary: "Yes.", BindRequires: []string{}}},
		{`{"status":"offer","offer":{"summary":"Yes.","details":{"a":1.50},"expires":"2027-05-05T14:00:00+02:00","bind_requires":["email"],"terms_url":"https://a.example/t"}}`,
			Outcome{Status: Offered, Summary: "Yes.", Details: strictjson.Value(`{"a":1.50}`),
				Expires: noon.Add(24 * time.Hour), BindRequires: []string{"email"}, TermsURL: "https://a.example/t"}},
		{`{"status":"declined","decline_reason":"We are full."}`, Outcome{Status: Declined, Reason: "We are full."}},
	} {
		a.business.Set(business.Behaviour{Hook: business.Hook{Reply: c.reply, Type: "application/json; charset=utf-8"}})
		o, err := a.ask()
		if err != nil || fmt.Sprintf("%#v", o) != fmt.Sprintf("%#v", c.want) {
			t.Errorf("%s\n gives %#v, %v", c.reply, o, err)
		}
	}
}

// TestAWebhookThatMisbehavesGivesNothing has it lie, flood, cut, redirect and fail: nothing
// half-made is offered, nothing of what was sent is told or logged, and there is one line in the
// log.
func TestAWebhookThatMisbehavesGivesNothing(t *testing.T) {
	for _, c := range []struct {
		name  string
		hook  business.Hook
		asked int
		after time.Duration
	}{
		{"no JSON", business.Hook{Reply: "<html>" + secret}, 1, againLater},
		{"nothing", business.Hook{Reply: " "}, 1, againLater},
		{"null", business.Hook{Reply: "null"}, 1, againLater},
		{"what it was sent", business.Hook{Mode: "echo"}, 1, againLater},
		{"an offer of nothing", business.Hook{Reply: `{"status":"offer"}`}, 1, againLater},
		{"an offer that is declined", business.Hook{Reply: `{"status":"declined","offer":{"summary":"Yes."},"decline_reason":"no"}`}, 1, againLater},
		{"another status", business.Hook{Reply: `{"status":"pending"}`}, 1, againLater},
		{"no reason", business.Hook{Reply: `{"status":"declined","decline_reason":""}`}, 1, againLater},
		{"a member that nobody knows", business.Hook{Reply: `{"status":"offer","offer":{"summary":"Yes.","` + secret + `":1}}`}, 1, againLater},
		{"a member in another case", business.Hook{Reply: `{"Status":"offer","offer":{"summary":"Yes."}}`}, 1, againLater},
		{"a member twice", business.Hook{Reply: `{"status":"offer","status":"declined","offer":{"summary":"Yes."}}`}, 1, againLater},
		{"an id of its own", business.Hook{Reply: `{"status":"offer","offer":{"id":"1","summary":"Yes."}}`}, 1, againLater},
		{"details of a list", business.Hook{Reply: `{"status":"offer","offer":{"summary":"Yes.","details":[]}}`}, 1, againLater},
		{"a number that is none", business.Hook{Reply: `{"status":"offer","offer":{"summary":"Yes.","details":{"bmi":NaN}}}`}, 1, againLater},
		{"an offer of yesterday", business.Hook{Reply: `{"status":"offer","offer":{"summary":"Yes.","expires":"2027-05-03T00:00:00Z"}}`}, 1, againLater},
		{"an offer without end", business.Hook{Reply: `{"status":"offer","offer":{"summary":"Yes.","expires":"never"}}`}, 1, againLater},
		{"terms of another kind", business.Hook{Reply: `{"status":"offer","offer":{"summary":"Yes.","terms_url":"file:///etc/passwd"}}`}, 1, againLater},
		{"two answers", business.Hook{Reply: `{"status":"declined","decline_reason":"no"}{}`}, 1, againLater},
		{"another media type", business.Hook{Type: "text/html"}, 1, againLater},
		{"a flood", business.Hook{Mode: "endless"}, 1, againLater},
		{"a redirect", business.Hook{Mode: "redirect", Location: "https://www.example.com/"}, 1, againLater},
		{"a redirect to itself", business.Hook{Mode: "redirect", Location: "/hook"}, 1, againLater},
		{"not found", business.Hook{Status: 404}, 1, againLater},
		{"no content", business.Hook{Status: 204, Reply: " "}, 1, againLater},
		{"an offer, created", business.Hook{Status: 201}, 1, againLater},
		{"broken", business.Hook{Status: 500}, 2, againLater},
		{"broken behind a proxy", business.Hook{Status: 502, After: "7"}, 2, againLater},
		{"closed", business.Hook{Mode: "close"}, 2, againLater},
		{"cut", business.Hook{Mode: "cut"}, 2, againLater},
		{"busy", business.Hook{Status: 503, After: "120"}, 1, 2 * time.Minute},
		{"busy until a time", business.Hook{Status: 503, After: "Tue, 04 May 2027 12:05:00 GMT"}, 1, 5 * time.Minute},
		{"busy for ever", business.Hook{Status: 429, After: "99999999999"}, 1, time.Hour},
		{"busy for a day", business.Hook{Status: 429, After: "86400"}, 1, time.Hour},
		{"busy until yesterday", business.Hook{Status: 429, After: "-5"}, 1, time.Second},
		{"busy and no word", business.Hook{Status: 503}, 1, againLater},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := newAsking(t, 0)
			a.business.Set(business.Behaviour{Hook: c.hook})
			o, err := a.ask()
			a.unavailable(err, c.after)
			if o.Status != "" || len(a.business.Requests()) != c.asked || strings.Count(a.log.String(), "\n") != 1 {
				t.Errorf("%+v after %d requests, logged %s", o, len(a.business.Requests()), a.log)
			}
		})
	}
}

func TestASecondTryHasTheSameID(t *testing.T) {
	for _, h := range []business.Hook{{Status: 500, Times: 1}, {Mode: "cut", Times: 1}, {Mode: "close", Times: 1}} {
		a := newAsking(t, 0)
		a.business.Set(business.Behaviour{Hook: h})
		o, err := a.ask()
		sent := a.business.Requests()
		if err != nil || o.Status != Offered || len(sent) != 2 || sent[0].Header.Get("webhook-id") != "q-1" ||
			sent[1].Header.Get("webhook-id") != "q-1" || sent[0].Body != sent[1].Body {
			t.Errorf("%+v: %+v, %v, %d requests", h, o, err, len(sent))
		}
	}
}

func TestAWebhookThatTakesTooLongIsLeft(t *testing.T) {
	for _, mode := range []string{"stall", "half"} {
		a := newAsking(t, minTimeout)
		a.business.Set(business.Behaviour{Hook: business.Hook{Mode: mode}})
		_, err := a.ask()
		a.unavailable(err, againLater)
		if n := len(a.business.Requests()); n != 1 {
			t.Errorf("%s: asked %d times, though the time was over", mode, n)
		}
	}
}

func TestNobodyThere(t *testing.T) {
	a := newAsking(t, 0)
	a.business.Kill()
	_, err := a.ask()
	a.unavailable(err, againLater)
}

func TestWhoeverGoesAwaySaysNothingOfTheWebhook(t *testing.T) {
	a := newAsking(t, 0)
	a.business.Set(business.Behaviour{Hook: business.Hook{Mode: "stall"}})
	for range breakAfter + 1 {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		if _, err := a.Offer(ctx, question()); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		cancel()
	}
	a.business.Set(business.Behaviour{})
	if _, err := a.ask(); err != nil || a.log.Len() > 0 {
		t.Errorf("%v, logged %s", err, a.log)
	}
}

// TestAFailingWebhookRests has it fail until it is left alone, and be tried by one call when its
// rest is over.
func TestAFailingWebhookRests(t *testing.T) {
	a := newAsking(t, 0)
	a.business.Set(business.Behaviour{Hook: business.Hook{Status: 404}})
	asked := func(want int) {
		t.Helper()
		if n := len(a.business.Requests()); n != want {
			t.Errorf("asked %d times, want %d", n, want)
		}
	}
	for range breakAfter {
		_, err := a.ask()
		a.unavailable(err, againLater)
	}
	asked(breakAfter)
	_, err := a.ask()
	a.unavailable(err, firstRest)
	a.clock.Advance(firstRest - time.Millisecond)
	_, err = a.ask()
	a.unavailable(err, time.Second)
	asked(breakAfter)
	a.clock.Advance(time.Millisecond)
	_, err = a.ask() // the one that tries
	a.unavailable(err, againLater)
	_, err = a.ask()
	a.unavailable(err, 2*firstRest)
	asked(breakAfter + 1)
	a.business.Set(business.Behaviour{})
	a.clock.Advance(2 * firstRest)
	for range 2 {
		if _, err = a.ask(); err != nil {
			t.Error(err)
		}
	}
	asked(2)
	if strings.Count(a.log.String(), "\n") != breakAfter+1 {
		t.Errorf("a webhook that rests is logged: %s", a.log)
	}
}

func TestNoMoreQuestionsAreOnTheWayThanAllowed(t *testing.T) {
	a := newAsking(t, 0)
	a.business.Set(business.Behaviour{Hook: business.Hook{Mode: "stall"}})
	ctx, cancel := context.WithCancel(t.Context())
	var wait sync.WaitGroup
	for range maxAtOnce {
		wait.Go(func() { a.Offer(ctx, question()) })
	}
	for len(a.business.Requests()) < maxAtOnce {
	}
	_, err := a.ask()
	a.unavailable(err, againSoon)
	cancel()
	wait.Wait()
	a.business.Set(business.Behaviour{})
	if _, err := a.ask(); err != nil {
		t.Error(err)
	}
}

func TestAWebhookIsCheckedBeforeItIsUsed(t *testing.T) {
	t.Setenv("ENGINE_SECRET", whsec)
	t.Setenv("ENGINE_WEAK", "whsec_abc=")
	file := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(file, []byte(whsec+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	good := Webhook{URL: "https://www.example.com/offers", SecretEnv: "ENGINE_SECRET"}
	for _, c := range []struct {
		field  string
		change func(*Webhook)
	}{
		{"", func(*Webhook) {}},
		{"", func(w *Webhook) { w.Timeout = 9 * time.Second }},
		{"", func(w *Webhook) { w.SecretEnv, w.SecretFile = "", file }},
		{"url", func(w *Webhook) { w.URL = "" }},
		{"url", func(w *Webhook) { w.URL = "ftp://www.example.com" }},
		{"url", func(w *Webhook) { w.URL = "https://user:password@www.example.com" }},
		{"timeout", func(w *Webhook) { w.Timeout = 10 * time.Second }},
		{"timeout", func(w *Webhook) { w.Timeout = time.Millisecond }},
		{"secret_env", func(w *Webhook) { w.SecretEnv = "" }},
		{"secret_env", func(w *Webhook) { w.SecretEnv = "ENGINE_WEAK" }},
		{"secret_file", func(w *Webhook) { w.SecretFile = file }},
		{"secret_file", func(w *Webhook) { w.SecretEnv, w.SecretFile = "", file+"-not-there" }},
	} {
		w := good
		c.change(&w)
		err := w.Check()
		if (err == nil) != (c.field == "") || err != nil && !strings.HasPrefix(err.Error(), c.field+": ") {
			t.Errorf("%+v: %v", w, err)
		}
		if _, made := NewWebhook(w, WebhookOptions{Now: time.Now}); (made == nil) != (err == nil) {
			t.Errorf("%+v: checked %v, made %v", w, err, made)
		}
	}
}

// FuzzAnswer reads any answer of a webhook: what is taken is whole, and what is said of the rest
// holds none of it.
func FuzzAnswer(f *testing.F) {
	for _, seed := range []string{
		`{"status":"offer","offer":{"summary":"Yes.","details":{"a":1},"expires":"2027-05-05T14:00:00+02:00","bind_requires":["email"],"terms_url":"https://a.example/t"}}`,
		`{"status":"declined","decline_reason":"We are full."}`, `{"status":"offer","offer":null}`, `[]`, `{"status":"` + secret + `"}`, "{\"status\":\"\xff\"}",
	} {
		f.Add([]byte(seed))
	}
	header := map[string][]string{"Content-Type": {"application/json"}}
	f.Fuzz(func(t *testing.T, body []byte) {
		o, err := readAnswer(&fetch.Response{Header: header, Body: body}, noon)
		switch {
		case err == nil && (o.Check(noon) != nil || o.Status == Waiting):
			t.Errorf("%+v is taken", o)
		case err == nil && o.Details != nil && !json.Valid(o.Details):
			t.Errorf("details %s", o.Details)
		case err != nil && strings.Contains(err.Error(), secret):
			t.Error(err)
		}
	})
}
