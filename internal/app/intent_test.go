package app

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/content"
	"frontdesk/internal/identity"
	"frontdesk/internal/testkit/clock"
	wire "frontdesk/wire/intent"
	"frontdesk/wire/sign"
)

// platform is a platform of a test, with the front desk that it asks.
type platform struct {
	*App
	clock  *clock.Clock
	log    *logbook
	nonces int
}

const platformSecret = "the secret of a platform's key in tests"

// openPlatform opens a front desk for a platform, with further keys of the section intent.
func openPlatform(t testing.TB, more string) *platform {
	t.Helper()
	p := &platform{clock: clock.At(time.Date(2027, 5, 4, 12, 0, 0, 0, time.UTC))}
	p.App, p.log = open(t, `
url: https://www.example.com/desk
terms: [{match: {}, access: licensed, labels: [food]}]
intent:
  enabled: true
  publisher: {id: house, domain: example.com, name: House}
  compliance: {last_updated: "2026-11-01"}
`+more, func(o *Options) { o.Now = p.clock.Now })
	text := strings.Repeat("The soup of lentils is stirred once more. ", 20)
	fill(t, p.App, content.Item{
		URL: "https://example.com/stew", Types: []string{"Recipe"}, Name: "Lentil stew", Description: "A stew.",
		Object:   []byte(`{"@type":"Recipe","name":"Lentil stew","url":"https://example.com/stew"}`),
		Passages: []content.Passage{{ID: "p1", Text: text}, {ID: "p2", Text: text + "And salted."}},
	})
	if err := p.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	for id, roles := range map[string][]string{"both": nil, "events": {identity.RoleEvent}} {
		if roles == nil {
			roles = identity.Roles
		}
		if _, _, err := p.Platforms.Issue(t.Context(), identity.PlatformKey{ID: id, Platform: "chat", Roles: roles},
			[]byte(platformSecret)); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

func (p *platform) question() string {
	p.nonces++
	return fmt.Sprintf(`{"aip_version":"0.1","request_id":"req_%d","timestamp":%q,"platform":{"id":"chat"},"intent":{"domain":"food"},"context":{"language":"en-US"},`+
		`"runtime":{"session_id":"s%d","turn_index":0}}`, p.nonces, sign.FormatTime(p.clock.Now()), p.nonces)
}

// signed is a signed request, at a path as it is signed and one as it arrives.
func (p *platform) signed(key, path, arrives, body string, at time.Time) *http.Request {
	p.nonces++
	r := httptest.NewRequest("POST", arrives, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	h := sign.Headers{Version: "0.1", KeyID: key, Timestamp: sign.FormatTime(at), Nonce: fmt.Sprint("nonce", p.nonces)}
	h.Signed([]byte(platformSecret), "POST", path, []byte(body)).Write(r.Header)
	return r
}

func (p *platform) ask(key, body string) *http.Request {
	return p.signed(key, intentRetrieve, intentRetrieve, body, p.clock.Now())
}

// outcome is what an answer says in one line: status, status of the body, and reason or code.
func outcome(t testing.TB, w *httptest.ResponseRecorder) string {
	t.Helper()
	if findings := wire.Check(wire.KindResponse, w.Body.Bytes(), wire.Options{}); !findings.Valid() {
		t.Errorf("the answer is not valid: %v\n%s", findings, w.Body)
	}
	var body struct {
		Status string
		Denial struct{ Reason string }
		Error  struct{ Code string }
	}
	if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil {
		t.Fatal(err)
	}
	if got := w.Header().Get("Cache-Control"); got != "no-store" {
		t.Errorf("Cache-Control is %q", got)
	}
	return strings.TrimSpace(fmt.Sprintf("%d %s %s%s", w.Code, body.Status, body.Denial.Reason, body.Error.Code))
}

// TestPlatformsAreAnsweredInTheProtocolsWords is the matrix of outcomes, at the boundaries too.
func TestPlatformsAreAnsweredInTheProtocolsWords(t *testing.T) {
	t.Parallel()
	p := openPlatform(t, "  rate: \"\"\n  sessions: \"\"\nlimits: {rate: {failures: 1000/1m}}\n")
	with := func(old, replaced string) string { return strings.Replace(p.question(), old, replaced, 1) }
	good := func() *http.Request { return p.ask("both", p.question()) }
	header := func(name, value string) *http.Request {
		r := good()
		if r.Header.Set(name, value); value == "" {
			r.Header.Del(name)
		}
		return r
	}
	aged := func(age time.Duration) *http.Request {
		return p.signed("both", intentRetrieve, intentRetrieve, p.question(), p.clock.Now().Add(-age))
	}
	stale := func(age time.Duration) *http.Request {
		return p.ask("both", with(sign.FormatTime(p.clock.Now()), sign.FormatTime(p.clock.Now().Add(-age))))
	}
	get := func() *http.Request { return httptest.NewRequest("GET", intentRetrieve, nil) }
	for _, c := range []struct {
		name    string
		request *http.Request
		want    string
		signed  bool
	}{
		{"good", good(), "200 ok", true},
		{"signed with the path outside the proxy",
			p.signed("both", "/desk"+intentRetrieve, intentRetrieve, p.question(), p.clock.Now()), "200 ok", true},
		{"signed with a query", p.signed("both", intentRetrieve+"?a=%2F", intentRetrieve+"?a=%2F", p.question(),
			p.clock.Now()), "200 ok", true},
		{"a query beside what is signed", p.signed("both", intentRetrieve, intentRetrieve+"?a=b", p.question(),
			p.clock.Now()), "401 error auth_failed", false},
		{"exactly 300 seconds old", aged(300 * time.Second), "200 ok", true},
		{"301 seconds old", aged(301 * time.Second), "401 error auth_failed", false},
		{"exactly 300 seconds ahead", aged(-300 * time.Second), "200 ok", true},
		{"301 seconds ahead", aged(-301 * time.Second), "401 error auth_failed", false},
		{"a body 300 seconds old", stale(300 * time.Second), "200 ok", true},
		{"a body 301 seconds old", stale(301 * time.Second), "200 denied policy_violation", true},
		{"the wrong role", p.ask("events", p.question()), "403 error auth_failed", true},
		{"another platform", p.ask("both", with(`"id":"chat"`, `"id":"other"`)), "403 error auth_failed", true},
		{"no nonce", header("X-AIP-Nonce", ""), "401 error auth_failed", false},
		{"another version", header("X-AIP-Version", "9.9"), "400 error unsupported_version", true},
		{"versions that differ", p.ask("both", with(`"0.1"`, `"1.0"`)), "400 error unsupported_version", true},
		{"no JSON", p.ask("both", "{"), "400 error invalid_request", true},
		{"a member twice", p.ask("both", with(`"request_id"`, `"aip_version":"0.1","request_id"`)), "400 error invalid_request", true},
		{"a bid", p.ask("both", with(`"runtime"`, `"bid":1,"runtime"`)), "400 error invalid_request", true},
		{"a bid in the extensions", p.ask("both", with(`"runtime"`, `"extensions":{"x.bid":1},"runtime"`)), "200 denied policy_violation", true},
		{"plain text", header("Content-Type", "text/plain"), "415 error unsupported_media_type", true},
		{"compressed", header("Content-Encoding", "gzip"), "415 error unsupported_media_type", true},
		{"said not to be compressed", header("Content-Encoding", "identity"), "200 ok", true},
		{"too large", p.ask("both", strings.Repeat(" ", 64<<10)+p.question()), "413 error request_too_large", false},
		{"the wrong method", get(), "405 error method_not_allowed", false},
		{"out of scope", p.ask("both", with(`"food"`, `"foods"`)), "200 denied out_of_scope", true},
		{"nothing fits", p.ask("both", with(`"turn_index"`, `"query_text":"zeppelin","turn_index"`)), "200 error no_content", true},
	} {
		path := c.request.URL.RequestURI()
		if c.name == "signed with the path outside the proxy" {
			path = "/desk" + path
		}
		w := send(p, c.request)
		if got := outcome(t, w); got != c.want {
			t.Errorf("%s: %s, want %s: %s", c.name, got, c.want, w.Body)
		}
		h, err := sign.Read(w.Header())
		if ok := err == nil && h.Verify([]byte(platformSecret), fmt.Sprint(w.Code), path, w.Body.Bytes()) &&
			h.Version == "0.1"; ok != c.signed {
			t.Errorf("%s: signed is %v, want %v (%v)", c.name, ok, c.signed, err)
		}
	}
	body := p.question()
	send(p, p.ask("both", body))
	if got := outcome(t, send(p, p.ask("both", body+" "))); got != "409 error request_conflict" {
		t.Errorf("another body under an id: %s", got)
	}
	if r := p.ask("both", body); outcome(t, send(p, r)) != "200 ok" {
		t.Error("the same request again is refused")
	}
}

// TestWrongSignaturesShutOutNoNeighbour has a stranger of the same address sign wrongly, again and
// again.
func TestWrongSignaturesShutOutNoNeighbour(t *testing.T) {
	t.Parallel()
	p := openPlatform(t, "limits: {rate: {failures: 3/1m}}\n")
	wrong := func() string {
		r := p.ask("both", p.question())
		r.Header.Set("X-AIP-Signature", "v1=AAAA")
		w := send(p, r)
		if w.Code == http.StatusTooManyRequests && w.Header().Get("Retry-After") == "" {
			t.Error("nobody says when to come again")
		}
		return outcome(t, w)
	}
	for range 3 {
		if got := wrong(); got != "401 error auth_failed" {
			t.Errorf("a wrong signature: %s", got)
		}
	}
	if got := wrong(); got != "429 error rate_limited" {
		t.Errorf("one too many: %s", got)
	}
	if got := outcome(t, send(p, p.ask("both", p.question()))); got != "200 ok" {
		t.Errorf("a good signature from the same address: %s", got)
	}
}

// TestEventsAreCounted holds that reports have limits, too.
func TestEventsAreCounted(t *testing.T) {
	t.Parallel()
	p := openPlatform(t, "  rate: 3/1m\n")
	event := func(n int) *httptest.ResponseRecorder {
		return send(p, p.signed("both", intentEvents, intentEvents, fmt.Sprintf(`{"aip_version":"0.1","event_id":"e%d","event_type":"citation","timestamp":%q,"request_id":"r",`+
			`"publisher":{"id":"house","domain":"example.com"},"platform":{"id":"chat"},"citation":{"source_url":"https://example.com/stew","chunk_ids":["c"]}}`,
			n, sign.FormatTime(p.clock.Now())), p.clock.Now()))
	}
	for n := range 3 {
		if w := event(n); w.Code != http.StatusUnprocessableEntity {
			t.Fatalf("status %d: %s", w.Code, w.Body)
		}
	}
	if w := event(4); w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") == "" {
		t.Errorf("status %d, Retry-After %q", w.Code, w.Header().Get("Retry-After"))
	}
}

// TestCompressedEventsAreCalledSo holds that what cannot be read says why.
func TestCompressedEventsAreCalledSo(t *testing.T) {
	t.Parallel()
	p := openPlatform(t, "")
	r := p.signed("both", intentEvents, intentEvents, "\x1f\x8b\x08", p.clock.Now())
	r.Header.Set("Content-Encoding", "gzip")
	if w := send(p, r); w.Code != http.StatusUnsupportedMediaType ||
		!strings.Contains(w.Body.String(), "without Content-Encoding") {
		t.Errorf("status %d: %s", w.Code, w.Body)
	}
}

// TestSinksGetSignedCopies posts what waits for two sinks, one with a secret and one without.
func TestSinksGetSignedCopies(t *testing.T) {
	const text = "whsec_c2lua3NpbmtzaW5rc2lua3NpbmtzaW5rc2luaw=="
	secret, err := sign.ParseWebhookSecret(text)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("SINK_SECRET", text)
	came := map[string]*http.Request{}
	bodies := map[string]string{}
	sink := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		came[r.URL.Path], bodies[r.URL.Path] = r, string(body)
		w.Write(bytes.Repeat([]byte("x"), 1<<20)) // of which nobody reads more than the status
	}))
	defer sink.Close()
	p := openPlatform(t,
		fmt.Sprintf("  sinks: [{name: auditor, url: %[1]q, secret_env: SINK_SECRET}, {name: open, url: %[2]q}]\n",
			sink.URL+"/auditor", sink.URL+"/open"))
	if warned := fmt.Sprint(p.options.Loaded.Warnings); !strings.Contains(warned,
		"intent.sinks[1]: what it gets is not signed") || strings.Contains(warned, "sinks[0]: what") {
		t.Errorf("warnings: %s", warned)
	}
	if got := outcome(t, send(p, p.ask("both", p.question()))); got != "200 ok" {
		t.Fatal(got)
	}
	for _, name := range []string{"auditor", "open"} {
		if some, err := p.effects.box.RunOne(t.Context(), name); !some || err != nil {
			t.Fatalf("%s: %v, %v", name, some, err)
		}
	}
	for path, signed := range map[string]bool{"/auditor": true, "/open": false} {
		r := came[path]
		if r == nil || !strings.Contains(bodies[path], `"event_id"`) || r.Header.Get(sign.WebhookID) == "" {
			t.Fatalf("%s got %v: %s", path, r, bodies[path])
		}
		if err := secret.Verify(r.Header.Get(sign.WebhookID), r.Header.Get(sign.WebhookTimestamp),
			r.Header.Get(sign.WebhookSignature), []byte(bodies[path]), p.clock.Now(),
			time.Minute); (err == nil) != signed {
			t.Errorf("%s: signed should be %v: %v", path, signed, err)
		}
	}
}

// FuzzRetrieve sends anything: with a good signature over it, and with anything for a signature.
// Every answer is valid, nothing is the house's fault, and nothing is given to whoever did not
// sign.
func FuzzRetrieve(f *testing.F) {
	p := openPlatform(f, "  rate: \"\"\n  sessions: \"\"\nlimits: {rate: {failures: \"\"}}\n")
	f.Add(p.question(), "v1=AAAA", "2027-05-04T12:00:00Z", "nonce", "0.1", "application/json")
	f.Add(`{"request_id":"\ud800"}`, "", "", "", "", "")
	f.Add("\xff{", "v1=", "2027-05-04T12:00:60Z", " ", "1.0", "application/json; charset=x")
	f.Fuzz(func(t *testing.T, body, signature, stamp, nonce, version, media string) {
		signed := p.ask("both", body)
		signed.Header.Set("Content-Type", media)
		signed.Header.Set("X-AIP-Version", version)
		if w := send(p, signed); w.Code >= 500 {
			t.Errorf("signed: status %d: %s", w.Code, w.Body)
		} else {
			outcome(t, w)
		}
		r := httptest.NewRequest("POST", intentRetrieve, strings.NewReader(body))
		r.Header.Set("X-AIP-Key-Id", "both")
		r.Header.Set("X-AIP-Signature", signature)
		r.Header.Set("X-AIP-Timestamp", stamp)
		r.Header.Set("X-AIP-Nonce", nonce)
		r.Header.Set("X-AIP-Version", version)
		if got := outcome(t, send(p, r)); got != "401 error auth_failed" && got != "413 error request_too_large" {
			t.Errorf("not signed: %s", got)
		}
	})
}

// TestAccessIsWithdrawnWhileTheServerRuns: what the file says of consent holds soon after it was
// written, the master switch above all.
func TestAccessIsWithdrawnWhileTheServerRuns(t *testing.T) {
	t.Parallel()
	p := openPlatform(t, "")
	file := p.options.Loaded.layers.File
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, old, fresh, want string }{
		{"as it began", "", "", "200 ok"},
		{"switched off", "enabled: true", "enabled: false", "200 denied access_disabled"},
		{"paused", "enabled: true", "enabled: true\n  state: paused", "200 denied access_disabled"},
		{"over", `"2026-11-01"`, `"2026-11-01", sunset: "2027-05-03"`, "200 denied access_disabled"},
		{"without passages", "enabled: true", "enabled: true\n  supports: {chunks: false}", "200 denied unsupported"},
		{"of other domains", "enabled: true", "enabled: true\n  domains: [food.soup]", "200 denied out_of_scope"},
		{"in other languages", "enabled: true", "enabled: true\n  refuse: {languages: [en]}",
			"200 denied policy_violation"},
		{"with fewer tokens", "enabled: true", "enabled: true\n  max_tokens: 1", "200 error no_content"},
		{"as it was", "", "", "200 ok"},
	} {
		write(t, filepath.Dir(file), filepath.Base(file), strings.Replace(string(text), c.old, c.fresh, 1))
		p.Reload()
		if got := outcome(t, send(p, p.ask("both", p.question()))); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		w := send(p, httptest.NewRequest("GET", wire.WellKnown, nil))
		declared, findings := wire.ReadDeclaration(w.Body.Bytes(), wire.Options{})
		if declared == nil {
			t.Fatalf("%s: the declaration is not valid: %v\n%s", c.name, findings, w.Body)
		}
		if open, _ := declared.Open(p.clock.Now()); open == strings.Contains(c.want, "access_disabled") {
			t.Errorf("%s: declared open is %v", c.name, open)
		}
	}
}

// TestTheLogHasTheCauseOfAFailure has the database go away under a platform that is known.
func TestTheLogHasTheCauseOfAFailure(t *testing.T) {
	t.Parallel()
	p := openPlatform(t, "")
	if got := outcome(t, send(p, p.ask("both", p.question()))); got != "200 ok" {
		t.Fatal(got)
	}
	if err := p.db.Close(); err != nil {
		t.Fatal(err)
	}
	w := send(p, p.ask("both", p.question()))
	if got := outcome(t, w); w.Code < 500 || !strings.Contains(p.log.String(), "closed") ||
		strings.Contains(w.Body.String(), "closed") {
		t.Errorf("%s; the log has\n%s", got, p.log)
	}
}
