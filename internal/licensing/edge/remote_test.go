package edge

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/internal/infra/fetch"
	"frontdesk/internal/licensing/edge/deliverylog"
	"frontdesk/internal/policy"
	"frontdesk/internal/testkit/clock"
	gate "frontdesk/wire/edge"
	wire "frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
)

// says is an Exchange that says of a site what stands in its texts, by path.
type says map[string]*atomic.Value

func (s says) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text, ok := s[r.URL.Path]
	if !ok {
		http.NotFound(w, r)
		return
	}
	body := text.Load().(string)
	w.Header().Set("Etag", fmt.Sprintf("%q", base64.RawURLEncoding.EncodeToString([]byte(body))))
	w.Header().Set("Content-Type", "text/html")
	http.ServeContent(w, r, "", time.Time{}, strings.NewReader(body))
}

func text(body string) *atomic.Value {
	v := &atomic.Value{}
	v.Store(body)
	return v
}

func remote(t *testing.T, folder string, exchange string, now *clock.Clock, unknown Access) *Remote {
	t.Helper()
	r, err := OpenRemote(RemoteConfig{
		Exchange: exchange, Domain: "www.example.com", Folder: folder, Fetcher: fetch.New(fetch.Options{}),
		Unknown: unknown, Keys: true, Every: time.Minute, Stale: time.Hour, Now: now.Now,
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

const emptyPolicy = "/provider/www.example.com/access-policy.json"

// TestAKeyThatSignsNoMoreIsGoodForAnHour, from when the Exchange last said that it signed: also
// where it said so by 304, and over a restart.
func TestAKeyThatSignsNoMoreIsGoodForAnHour(t *testing.T) {
	t.Parallel()
	public := base64.StdEncoding.EncodeToString(ed25519.NewKeyFromSeed(make([]byte, 32)).Public().(ed25519.PublicKey))
	keys := func(status string) string {
		return fmt.Sprintf(`{"keys": [{"kid": "one", "algorithm": "Ed25519", "public_key": %q, "status": %q}]}`, public, status)
	}
	s := says{emptyPolicy: text(`{}`), "/exchange/v1/keys": text(keys("active"))}
	server := httptest.NewServer(s)
	defer server.Close()
	now, folder := clock.At(time.Now().UTC().Round(0)), t.TempDir()
	r := remote(t, folder, server.URL, now, Blocked)
	for range 5 {
		if err := r.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		now.Advance(time.Hour)
	}
	last := now.Now().Add(-time.Hour)
	now.Advance(-50 * time.Minute)
	s["/exchange/v1/keys"].Store(keys("rotated"))
	for range 2 {
		if err := r.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := r.Keys(); len(got) != 1 || !got[0].Ends.Equal(last.Add(keyGrace).UTC()) {
			t.Errorf("the keys are %+v, want one until %s", got, last.Add(keyGrace))
		}
		r = remote(t, folder, server.URL, now, Blocked)
		if got := r.Keys(); len(got) != 1 || !got[0].Ends.Equal(last.Add(keyGrace).UTC()) {
			t.Errorf("after a restart the keys are %+v", got)
		}
	}
}

// TestDocumentsAreWhatTheyAre, whatever the Exchange calls them: they are served from the site's
// own host.
func TestDocumentsAreWhatTheyAre(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(says{
		emptyPolicy: text(`{}`), "/exchange/v1/keys": text(`{"keys": []}`), "/provider/www.example.com/rsl.txt": text("<rsl/>"),
		"/provider/www.example.com/ramp-verifier.json": text(`{"verifier": "www.example.com", "keys": []}`),
		"/provider/www.example.com/ramp.json":          text(`{"ver": "1.0", "provider": "www.example.com", "exchanges": [{"domain": "desk.example.com", "relationship": "DIRECT", "exchange_endpoint": "https://desk.example.com"}]}`),
	})
	defer server.Close()
	r := remote(t, t.TempDir(), server.URL, clock.At(time.Now()), Blocked)
	if err := r.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{ManifestPath: "application/json", VerifierPath: "application/json",
		RSLPath: "application/rsl+xml"} {
		w := httptest.NewRecorder()
		r.Document(path).ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		body, _ := io.ReadAll(w.Body)
		if got := w.Header(); got.Get("Content-Type") != want || got.Get("X-Content-Type-Options") != "nosniff" ||
			got.Get("Content-Security-Policy") == "" || len(body) == 0 {
			t.Errorf("%s: %v %s", path, got, body)
		}
	}
}

// TestPathsWhosePolicyWasNeverKnown are as the owner says.
func TestPathsWhosePolicyWasNeverKnown(t *testing.T) {
	t.Parallel()
	for _, unknown := range []Access{Open, Licensed, Blocked} {
		r := remote(t, t.TempDir(), "http://127.0.0.1:1", clock.At(time.Now()), unknown)
		if err := r.Refresh(t.Context()); err == nil {
			t.Error("nobody was asked")
		}
		if got, ok := r.Policy().At("/a", nil); !ok || got != unknown {
			t.Errorf("%s: %s", unknown, got)
		}
	}
}

// TestAnEdgeThatIsNotToldAllOpensNothingToAgents: where the Exchange says that gates are told more,
// and this one is not, what is open by the access policy is closed, also over a restart, until the
// edge is told or nothing more is to be told.
func TestAnEdgeThatIsNotToldAllOpensNothingToAgents(t *testing.T) {
	t.Parallel()
	const said = `{"default_policy": "RESOURCE_ACCESS_POLICY_OPEN", "rules": [
		{"pattern": "/sold/*", "policy": "RESOURCE_ACCESS_POLICY_LICENSED"}]}`
	var partial atomic.Bool
	s := says{emptyPolicy: text(said), "/exchange/v1/keys": text(`{"keys": []}`)}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if partial.Load() && r.URL.Path == emptyPolicy { // as httpx.Document.WithHeader serves it
			if w.Header().Set("Etag", `"partial"`); r.Header.Get("If-None-Match") == `"partial"` {
				w.WriteHeader(http.StatusNotModified)
				return
			}
			w.Header().Set(gate.PartialHeader, gate.Partial)
			io.WriteString(w, said)
			return
		}
		s.ServeHTTP(w, r)
	}))
	defer server.Close()
	var log strings.Builder
	now, folder := clock.At(time.Now().UTC().Round(0)), t.TempDir()
	told := `{"id": "x", "rules": [{"pattern": "*", "access": "open", "parties": [{"prohibit": ["training"]}]}]}`
	open := func(ask func(context.Context, string, string) ([]byte, error)) *Remote {
		r, err := OpenRemote(RemoteConfig{
			Exchange: server.URL, Domain: "www.example.com", Folder: folder, Fetcher: fetch.New(fetch.Options{}),
			Unknown: Blocked, Every: time.Minute, Stale: time.Hour, Now: now.Now, AskPolicy: ask,
			NewID: func() string { return "x" }, Log: slog.New(slog.NewTextHandler(&log, nil)),
		})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	training := policy.Party{Said: policy.Traits{Classes: []string{"training"}}}
	check := func(when string, r *Remote, ask bool, page, sold, trainer Access) {
		t.Helper()
		if ask {
			if err := r.Refresh(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		gotPage, _ := r.Policy().At("/page", &policy.Party{})
		gotSold, _ := r.Policy().At("/sold/a", &policy.Party{})
		gotTrainer, _ := r.Policy().At("/page", &training)
		if gotPage != page || gotSold != sold || gotTrainer != trainer {
			t.Errorf("%s: %s, %s, %s", when, gotPage, gotSold, gotTrainer)
		}
	}
	r := open(nil)
	check("all is told", r, true, Open, Licensed, Open)
	partial.Store(true)
	check("not all is", r, true, Blocked, Licensed, Blocked)
	check("and it has not changed", r, true, Blocked, Licensed, Blocked)
	check("after a restart", open(nil), false, Blocked, Licensed, Blocked)
	if n := strings.Count(log.String(), "edge.key"); n != 1 {
		t.Errorf("the log tells it %d times: %s", n, log.String())
	}
	check("with a key", open(func(context.Context, string, string) ([]byte, error) { return []byte(told), nil }), true,
		Open, Open, Blocked)
	check("with a key for nothing here", open(func(context.Context, string, string) ([]byte, error) {
		return nil, deliverylog.ErrNotTold
	}), true, Blocked, Licensed, Blocked)
	partial.Store(false)
	check("all is told again", r, true, Open, Licensed, Open)
}

// TestKeysThatAttestAreKept holds that the edge serves the keys with which its site attests, as the
// Exchange had them last: over a failure of the Exchange and a restart, as long as that was; anew
// when there are others; not those of another verifier, nor what is no document; and none when the
// site attests nothing any more.
func TestKeysThatAttestAreKept(t *testing.T) {
	t.Parallel()
	const path = "/provider/www.example.com/ramp-verifier.json"
	keys := func(verifier, kid string) string {
		text, err := wire.WriteVerifierKeys(verifier, "V", nil,
			[]wire.Key{{ID: kid, Public: ed25519.NewKeyFromSeed(make([]byte, 32)).Public().(ed25519.PublicKey)}})
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	document := text(keys("www.example.com", "one"))
	var down, gone atomic.Bool
	s := says{emptyPolicy: text(`{}`), "/exchange/v1/keys": text(`{"keys": []}`), path: document}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case down.Load():
			w.WriteHeader(http.StatusBadGateway)
		case gone.Load() && r.URL.Path == path:
			http.NotFound(w, r)
		default:
			s.ServeHTTP(w, r)
		}
	}))
	defer server.Close()
	now, folder := clock.At(time.Now().UTC().Round(0)), t.TempDir()
	r := remote(t, folder, server.URL, now, Blocked)
	serves := func(when, kid string) {
		t.Helper()
		handler := r.Document(VerifierPath)
		if handler == nil {
			if kid != "" {
				t.Errorf("%s: nothing is served", when)
			}
			return
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest("GET", VerifierPath, nil))
		name, all, err := wire.ReadKeys(w.Body.Bytes())
		if err != nil || name != "www.example.com" || len(all) != 1 || all[0].ID != kid || w.Code != 200 ||
			w.Header().Get("Cache-Control") != documentCache || w.Header().Get("Content-Type") != "application/json" {
			t.Errorf("%s: %d %v %s, %v", when, w.Code, w.Header(), w.Body, err)
		}
		again := httptest.NewRequest("GET", VerifierPath, nil)
		again.Header.Set("If-None-Match", w.Header().Get("Etag"))
		w = httptest.NewRecorder()
		if handler.ServeHTTP(w, again); w.Code != http.StatusNotModified {
			t.Errorf("%s: who has it already gets %d", when, w.Code)
		}
	}
	ask := func(well bool) {
		t.Helper()
		now.Advance(time.Minute)
		if err := r.Refresh(t.Context()); (err == nil) != well {
			t.Error(err)
		}
	}
	serves("before anybody was asked", "")
	ask(true)
	serves("at first", "one")
	document.Store(keys("www.example.com", "two"))
	ask(true)
	serves("after another key followed", "two")
	for _, wrong := range []string{keys("other.example", "three"), `{"keys": [{"kid": "x", "algorithm": "ed25519", "public_key": "AA"}]}`, "<html>"} {
		document.Store(wrong)
		ask(false)
		serves("while the Exchange says "+wrong, "two")
	}
	down.Store(true)
	ask(false)
	serves("while the Exchange is down", "two")
	r = remote(t, folder, server.URL, now, Blocked)
	serves("after a restart while it is down", "two")
	now.Advance(48 * time.Hour)
	ask(false)
	serves("after two days", "two")
	down.Store(false)
	gone.Store(true)
	ask(true)
	serves("when the site attests nothing any more", "")
	r = remote(t, folder, server.URL, now, Blocked)
	serves("after another restart", "")
}

// TestASiteThatSellsThroughSeveralExchangesNamesThem: ramp.json as its Exchange says it, with those
// that the site itself names, each once.
func TestASiteThatSellsThroughSeveralExchangesNamesThem(t *testing.T) {
	t.Parallel()
	const said = `{"ver": "1.0", "provider": "www.example.com", "exchanges": [{"domain": "one.example", "endpoint": "https://one.example", "relationship": "DIRECT"}]}`
	s := says{emptyPolicy: text(`{}`), "/exchange/v1/keys": text(`{"keys": []}`), "/provider/www.example.com/ramp.json": text(said)}
	server := httptest.NewServer(s)
	defer server.Close()
	folder := t.TempDir()
	direct := rampv1.ProviderRelationship_PROVIDER_RELATIONSHIP_DIRECT
	config := RemoteConfig{
		Exchange: server.URL, Domain: "www.example.com", Folder: folder, Fetcher: fetch.New(fetch.Options{}),
		Unknown: Blocked, Keys: true, Every: time.Minute, Stale: time.Hour,
		Others: []*rampv1.AuthorizedExchange{
			{Domain: "One.example", Endpoint: "https://elsewhere.example", Relationship: direct},
			{Domain: "two.example", Endpoint: "https://two.example", Relationship: direct},
		},
	}
	served := func(r *Remote) (*rampv1.ProviderManifest, string) {
		t.Helper()
		answer := httptest.NewRecorder()
		r.Document(ManifestPath).ServeHTTP(answer,
			httptest.NewRequest(http.MethodGet, "https://www.example.com"+ManifestPath, nil))
		manifest, err := wire.ReadProviderManifest(answer.Body.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		return manifest, answer.Header().Get("Etag")
	}
	var tags []string
	for _, again := range []bool{false, true} { // at a restart it is what was kept
		r, err := OpenRemote(config)
		if err != nil {
			t.Fatal(err)
		}
		if !again {
			if err := r.Refresh(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		manifest, tag := served(r)
		if x := manifest.Exchanges; len(x) != 2 || x[0].Endpoint != "https://one.example" ||
			x[1].Domain != "two.example" {
			t.Errorf("it names %v", x)
		}
		tags = append(tags, tag)
	}
	if tags[0] == "" || tags[0] != tags[1] {
		t.Errorf("the tags are %v", tags)
	}
	config.Others = nil
	r, err := OpenRemote(config)
	if err != nil {
		t.Fatal(err)
	}
	if manifest, tag := served(r); len(manifest.Exchanges) != 1 || tag == tags[0] {
		t.Errorf("without others it names %v, under the tag %s", manifest.Exchanges, tag)
	}
}
