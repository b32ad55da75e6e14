package app

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/internal/identity"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/intake/offers"
	"frontdesk/internal/intake/vault"
	"frontdesk/internal/testkit/storetest"
	wire "frontdesk/wire/intake"
	"frontdesk/wire/strictjson"
)

// anything is an intake that takes everything and offers the same to all.
const anything = `name: N, description: Takes anything., offer_type: quote, input_schema: {type: object, properties: {note: {type: string}}}, rules: {offers: [{summary: An offer.}]}`

// openIntakes opens a front desk with intakes, each a line of a list in YAML's flow style, after
// further lines.
func openIntakes(t testing.TB, further string, clock *fixedClock, intakes ...string) *App {
	t.Helper()
	s, _ := openIntakesAndLog(t, further, clock, intakes...)
	return s
}

func openIntakesAndLog(t testing.TB, further string, clock *fixedClock, intakes ...string) (*App, *logbook) {
	t.Helper()
	text := "url: https://desk.example\nsite: {name: House, url: 'https://house.example'}\n" + further +
		"\nintakes:\n  vault: 'sqlite:" + filepath.Join(t.TempDir(), "vault.db") + "'\n  list:\n"
	for _, one := range intakes {
		text += "    - {" + one + "}\n"
	}
	return open(t, text, clock.set)
}

// posting is a POST of a body to a path, from an address.
func posting(path, from string, body any) *http.Request {
	raw, err := json.Marshal(body)
	if err != nil {
		panic(err)
	}
	return with(calling(from, httptest.NewRequest("POST", path, bytes.NewReader(raw))), "Content-Type",
		"application/json")
}

var sessions atomic.Int64

// submitting is a good submission in a session of its own.
func submitting() map[string]any {
	return map[string]any{
		"aip_version": "0.1.0", "session_id": fmt.Sprintf("00000000-0000-4000-8000-%012d", sessions.Add(1)),
		"agent":       map[string]any{"id": "agent-1", "consent_scope": []string{"intake"}},
		"intake_data": map[string]any{"note": "a marker"},
	}
}

// accepting is a bind of an offer.
func accepting(submitted map[string]any, offer string) map[string]any {
	return map[string]any{
		"offer_id": offer, "session_id": submitted["session_id"], "bind_data": map[string]any{},
		"agent": map[string]any{"id": "agent-1", "consent_scope": []string{"bind"}},
	}
}

// heard is what an answer says, which has to be valid.
func heard(t testing.TB, w *httptest.ResponseRecorder) (outcome string, response *wire.Response) {
	t.Helper()
	if findings := wire.Check(wire.KindResponse, w.Body.Bytes(), wire.Options{}); !findings.Valid() {
		t.Fatalf("the answer is not valid: %v\n%s", findings, w.Body)
	}
	response, err := wire.ReadResponse(w.Body.Bytes(), wire.Options{})
	if err != nil {
		t.Fatal(err)
	}
	outcome = fmt.Sprintf("%d %s", w.Code, response.Status)
	if response.Error != nil {
		outcome += " " + response.Error.Code
	}
	return outcome, response
}

// manifestOf is the manifest that a server publishes.
func manifestOf(t testing.TB, s *App) *wire.Manifest {
	t.Helper()
	w := send(s, httptest.NewRequest("GET", wire.WellKnown, nil))
	m, err := wire.ReadManifest(w.Body.Bytes(), wire.Options{})
	if w.Code != 200 || err != nil {
		t.Fatalf("%d %v: %s", w.Code, err, w.Body)
	}
	return m
}

// TestWhatIsDeclaredIsEnforced reads the manifest and holds the server to it, intake by intake: who
// may come, how often, what can be accepted, and how long what was submitted is kept.
func TestWhatIsDeclaredIsEnforced(t *testing.T) {
	t.Parallel()
	c := newFixedClock()
	s := openIntakes(t, "limits: {rate: {address: 100000/1m}}", c,
		"id: free, "+anything,
		"id: minute, binding: true, rate_limit: {requests_per_minute: 7}, privacy: {data_retention: session}, "+
			anything,
		"id: day, rate_limit: {requests_per_day: 11}, privacy: {data_retention: 30_days}, "+anything,
		"id: both, binding: true, expires: 48h, rate_limit: {requests_per_minute: 5, requests_per_day: 9}, privacy: "+
			"{data_retention: 1_year, redacted: refuse}, "+anything,
		"id: closed, requires_auth: true, privacy: {data_retention: indefinite, pii_required: true}, "+anything)
	key, _ := makeKey(t, s, identity.Key{Name: "Agents", Scopes: []string{doorIntake}})
	m := manifestOf(t, s)
	if len(m.Intakes) != 5 {
		t.Fatalf("there are %d intakes", len(m.Intakes))
	}
	for n, declared := range m.Intakes {
		t.Run(declared.ID, func(t *testing.T) {
			h := held{t: t, s: s, clock: c, path: "/intake/" + declared.ID, from: fmt.Sprintf("192.0.2.%d:1", n+1)}
			if outcome, _ := heard(t,
				send(s, h.submission(submitting()))); (outcome == "401 error UNAUTHORIZED") != declared.RequiresAuth {
				t.Errorf("without a key: %s, and requires_auth is %t", outcome, declared.RequiresAuth)
			}
			if declared.RequiresAuth {
				h.key = key
			}
			c.advance(48 * time.Hour) // whatever was counted is forgotten
			h.limits(declared.RateLimit)
			c.advance(48 * time.Hour)
			h.binding(declared.BindingAvailable)
			h.retention(declared)
			h.personal(declared.Privacy)
		})
	}
}

// held is an intake that is held to what it declares.
type held struct {
	t          *testing.T
	s          *App
	clock      *fixedClock
	path, from string
	key        string
}

func (h held) submission(body map[string]any) *http.Request {
	r := posting(h.path, h.from, body)
	if h.key != "" {
		r.Header.Set("X-API-Key", h.key)
	}
	return r
}

// let is how many of so many are let in, and when the first who is not may come again.
func (h held) let(tries int) (in int, wait time.Duration) {
	h.t.Helper()
	for range tries {
		outcome, response := heard(h.t, send(h.s, h.submission(submitting())))
		switch outcome {
		case "200 offer":
			in++
		case "429 error RATE_LIMITED":
			var said struct {
				Seconds int `json:"retry_after_seconds"`
			}
			if err := strictjson.DecodeTolerant(response.Metadata, &said); err != nil || said.Seconds < 1 {
				h.t.Fatalf("no time to come again: %s", response.Metadata)
			}
			if wait == 0 {
				wait = time.Duration(said.Seconds) * time.Second
			}
		default:
			h.t.Fatal(outcome)
		}
	}
	return in, wait
}

func (h held) limits(declared *wire.RateLimit) {
	h.t.Helper()
	for _, bound := range h.bounds(declared) {
		in, wait := h.let(bound.most + 3)
		if in != bound.most {
			h.t.Errorf("%d were let in at once, and %d are declared", in, bound.most)
		}
		if wait != bound.per {
			h.t.Errorf("in %s there can be the next, where what is declared holds for %s", wait, bound.per)
		}
		for range 9 {
			h.clock.advance((bound.per - time.Second) / 9)
			if in, _ := h.let(1); in != 0 {
				h.t.Error("more were let in than are declared")
			}
		}
		h.clock.advance((bound.per - time.Second) % 9)
		h.clock.advance(time.Second)
		if in, _ := h.let(1); in != 1 {
			h.t.Error("one was not let in when it was told to come again")
		}
		// Somebody else has not come yet.
		other := h
		other.from = "198.51.100.7:1"
		if in, _ := other.let(1); in != 1 && h.key == "" {
			h.t.Error("another caller is counted as this one")
		}
		h.clock.advance(48 * time.Hour)
	}
	if declared == nil {
		if in, _ := h.let(50); in != 50 {
			h.t.Errorf("no limit is declared, and %d of 50 were let in", in)
		}
	}
}

type declaredBound struct {
	most int
	per  time.Duration
}

// bounds are the declared limits that can be reached: the day's, where more than the minute's, is
// reached minute by minute.
func (h held) bounds(declared *wire.RateLimit) (all []declaredBound) {
	h.t.Helper()
	switch {
	case declared == nil:
		return nil
	case declared.RequestsPerMinute == 0:
		return []declaredBound{{declared.RequestsPerDay, 24 * time.Hour}}
	case declared.RequestsPerDay == 0:
		return []declaredBound{{declared.RequestsPerMinute, time.Minute}}
	}
	in := 0
	for range 10 { // ten minutes
		let, _ := h.let(declared.RequestsPerMinute)
		in += let
		h.clock.advance(time.Minute)
	}
	if in != declared.RequestsPerDay {
		h.t.Errorf("%d were let in, of %d in a day", in, declared.RequestsPerDay)
	}
	h.clock.advance(48 * time.Hour)
	return []declaredBound{{declared.RequestsPerMinute, time.Minute}}
}

// offer gets an offer.
func (h held) offer() (submitted map[string]any, offer *wire.Offer) {
	h.t.Helper()
	submitted = submitting()
	outcome, response := heard(h.t, send(h.s, h.submission(submitted)))
	if outcome != "200 offer" {
		h.t.Fatal(outcome)
	}
	h.clock.advance(time.Minute)
	return submitted, response.Offer
}

func (h held) bind(submitted map[string]any, offer *wire.Offer) int {
	h.path += "/bind"
	return send(h.s, h.submission(accepting(submitted, offer.ID))).Code
}

func (h held) binding(declared bool) {
	h.t.Helper()
	submitted, offer := h.offer()
	if got := offer.BindEndpoint != "" && offer.BindRequires != nil; got != declared {
		h.t.Errorf("binding_available is %t, and the offer says where and with what: %t", declared, got)
	}
	if status := h.bind(submitted, offer); (status == 200) != declared || status != 200 && status != 404 {
		h.t.Errorf("binding_available is %t, and a bind has status %d", declared, status)
	}
	h.clock.advance(24 * time.Hour)
}

// keeps says whether what was submitted can still be read.
func (h held) keeps(session any) bool {
	h.t.Helper()
	if err := h.s.Intakes.EraseDue(h.t.Context()); err != nil {
		h.t.Fatal(err)
	}
	var out bytes.Buffer
	err := h.s.Intakes.Export(h.t.Context(), session.(string), &out)
	if err != nil && fail.From(err).Code != fail.NotFound { // nothing at all is known of it any more
		h.t.Fatal(err)
	}
	return strings.Contains(out.String(), "a marker")
}

func (h held) retention(declared wire.Intake) {
	h.t.Helper()
	const day = 24 * time.Hour
	submitted, offer := h.offer()
	session := submitted["session_id"]
	expires, err := time.Parse(time.RFC3339, offer.Expires)
	if err != nil {
		h.t.Fatal(err)
	}
	until := map[wire.Retention]time.Duration{
		wire.RetainNone: 0, wire.RetainSession: expires.Sub(h.s.now()), wire.Retain30Days: 30 * day,
		wire.Retain1Year: 366 * day, wire.RetainIndefinite: 0,
	}[declared.Privacy.DataRetention]
	switch kept := h.keeps(session); declared.Privacy.DataRetention {
	case wire.RetainNone:
		if kept {
			h.t.Error("what is not to be kept is kept")
		}
		return
	case wire.RetainIndefinite:
		h.clock.advance(2000 * day)
		if !kept || !h.keeps(session) {
			h.t.Error("what is to be kept is gone")
		}
		return
	default:
		if !kept {
			h.t.Fatal("what is to be kept is gone at once")
		}
	}
	h.clock.advance(until - 2*day)
	if !h.keeps(session) {
		h.t.Errorf("what is to be kept (%s) is gone two days before", declared.Privacy.DataRetention)
	}
	h.clock.advance(3 * day)
	if h.keeps(session) {
		h.t.Errorf("what is to be gone (%s) is kept a day after", declared.Privacy.DataRetention)
	}
	if declared.Privacy.DataRetention == wire.RetainSession {
		submitted, offer := h.offer()
		if status := h.bind(submitted, offer); status != 200 || h.keeps(submitted["session_id"]) {
			h.t.Errorf("what is kept until an offer is accepted is kept after (status %d)", status)
		}
	}
}

func (h held) personal(declared *wire.Privacy) {
	h.t.Helper()
	body := submitting()
	body["intake_data"] = map[string]any{"email": "kim@example.com"}
	if outcome, _ := heard(h.t, send(h.s, h.submission(body))); (outcome == "200 offer") != declared.PIIRequired {
		h.t.Errorf("with an e-mail address that nobody asked for: %s, and pii_required is %t", outcome,
			declared.PIIRequired)
	}
	body = submitting()
	body["intake_data"] = map[string]any{"note": wire.Redacted}
	if outcome, _ := heard(h.t, send(h.s, h.submission(body))); (outcome == "200 offer") != declared.TakesRedacted() {
		h.t.Errorf("redacted: %s, and redacted_acceptable is %t", outcome, declared.TakesRedacted())
	}
}

// TestNodesHoldTogetherToWhatIsDeclared has two nodes count for one declaration, also where they
// count other things apart.
func TestNodesHoldTogetherToWhatIsDeclared(t *testing.T) {
	t.Parallel()
	dsn, vault, keys := storetest.NewPostgres(t), storetest.NewPostgres(t), t.TempDir()
	var nodes []string
	for range 2 {
		loaded, err := Load(Layers{
			File: write(t, t.TempDir(), "frontdesk.yaml",
				"site: {name: House, url: 'https://house.example'}\nlimits: {rate: {shared: false}}\n"+
					"intakes: {vault: '"+vault+"', list: [{id: few, rate_limit: {requests_per_day: 20}, "+
					anything+"}]}"),
			Flags: map[string]string{"listen": "127.0.0.1:0", "metrics.listen": "off", "keys": keys, "store": dsn},
		})
		if err != nil {
			t.Fatal(err)
		}
		s, err := Build(t.Context(), Options{Loaded: loaded, Ingested: true})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		address, _ := run(t, s)
		nodes = append(nodes, address)
	}
	var in, out atomic.Int32
	var group sync.WaitGroup
	for worker := range 6 {
		group.Go(func() {
			for range 10 {
				body, _ := json.Marshal(submitting())
				response, err := http.Post(nodes[worker%2]+"/intake/few", "application/json", bytes.NewReader(body))
				if err != nil {
					t.Error(err)
					return
				}
				response.Body.Close()
				switch response.StatusCode {
				case 200:
					in.Add(1)
				case 429:
					out.Add(1)
				default:
					t.Error(response.Status)
				}
			}
		})
	}
	group.Wait()
	if in.Load() != 20 || out.Load() != 40 {
		t.Errorf("two nodes let in %d and refused %d, of 20 declared", in.Load(), out.Load())
	}
}

// TestTheHousesLimitsHoldWhereAnIntakeHasNone holds that the manifest declares no limit where the
// house's own hold.
func TestTheHousesLimitsHoldWhereAnIntakeHasNone(t *testing.T) {
	t.Parallel()
	c := newFixedClock()
	s := openIntakes(t, "limits: {rate: {address: 3/1m}}", c, "id: plain, "+anything,
		"id: own, rate_limit: {requests_per_minute: 5}, "+anything)
	for _, row := range []struct {
		intake string
		in     int
	}{{"own", 5}, {"plain", 3}} {
		h := held{t: t, s: s, clock: c, path: "/intake/" + row.intake, from: "192.0.2.1:1"}
		if in, _ := h.let(8); in != row.in {
			t.Errorf("%s let in %d, want %d", row.intake, in, row.in)
		}
	}
}

// TestNothingPersonalGoesOverPlainHTTP holds that intakes are offered, and taken in, by https or on
// this machine.
func TestNothingPersonalGoesOverPlainHTTP(t *testing.T) {
	t.Parallel()
	c := newFixedClock()
	s, _ := open(t, "site: {name: House, url: 'https://house.example'}\nproxies: [10.0.0.1]\nintakes: {vault: 'sqlite:"+
		filepath.Join(t.TempDir(), "v.db")+"', list: [{id: a, binding: true, "+anything+"}]}", c.set)
	for _, row := range []struct {
		host, from, proto, base string
	}{
		{"desk.example", "192.0.2.1:1", "", ""},
		{"desk.example", "192.0.2.1:1", "https", ""}, // somebody's claim
		{"192.0.2.9:8080", "192.0.2.1:1", "", ""},
		{"desk.example", "10.0.0.1:1", "https", "https://desk.example"},
		{"localhost:8080", "127.0.0.1:1", "", "http://localhost:8080"},
		{"127.0.0.1:8080", "127.0.0.1:1", "", "http://127.0.0.1:8080"},
		{"[::1]:8080", "[::1]:1", "", "http://[::1]:8080"},
	} {
		get, post := httptest.NewRequest("GET", wire.WellKnown, nil), posting("/intake/a", row.from, submitting())
		for _, r := range []*http.Request{get, post} {
			r.Host, r.RemoteAddr = row.host, row.from
			if row.proto != "" {
				r.Header.Set("X-Forwarded-Proto", row.proto)
				r.Header.Set("X-Forwarded-For", "192.0.2.77")
			}
		}
		w := send(s, get)
		outcome, response := heard(t, send(s, post))
		if row.base == "" {
			if w.Code != 503 || outcome != "503 error SERVICE_UNAVAILABLE" ||
				!strings.Contains(w.Body.String(), "https") {
				t.Errorf("%v: %d, %s", row, w.Code, outcome)
			}
			continue
		}
		var m wire.Manifest
		if err := strictjson.Decode(w.Body.Bytes(), &m); err != nil || w.Code != 200 ||
			m.Intakes[0].Endpoint != row.base+"/intake/a" {
			t.Errorf("%v: %d %v %s", row, w.Code, err, w.Body)
		}
		if outcome != "200 offer" || response.Offer.BindEndpoint != row.base+"/intake/a/bind" {
			t.Errorf("%v: %s %v", row, outcome, response.Offer)
		}
	}
}

// TestAddressesHaveThePathOfTheFrontDesk holds that a proxy may stand before it, with a path of its
// own.
func TestAddressesHaveThePathOfTheFrontDesk(t *testing.T) {
	t.Parallel()
	s, _ := open(t, "url: https://www.example.com/desk\nsite: {name: House, url: 'https://house.example'}\n"+
		"intakes: {vault: 'sqlite:"+filepath.Join(t.TempDir(), "v.db")+"', list: [{id: a, binding: true, "+
		anything+"}]}")
	if at := manifestOf(t, s).Intakes[0].Endpoint; at != "https://www.example.com/desk/intake/a" {
		t.Errorf("the endpoint is %s", at)
	}
	for _, path := range []string{"/intake/a", "/desk/intake/a"} {
		if outcome, response := heard(t, send(s, posting(path, "192.0.2.1:1", submitting()))); outcome != "200 offer" ||
			response.Offer.BindEndpoint != "https://www.example.com/desk/intake/a/bind" {
			t.Errorf("%s: %s", path, outcome)
		}
	}
}

// TestWhatIsRefusedBeforeTheDoorIsToldInItsWords holds every refusal of the house to the protocol.
func TestWhatIsRefusedBeforeTheDoorIsToldInItsWords(t *testing.T) {
	t.Parallel()
	c := newFixedClock()
	s := openIntakes(t, "limits: {rate: {failures: 2/1m}}", c, "id: a, "+anything,
		"id: locked, requires_auth: true, "+anything)
	other, _ := makeKey(t, s, identity.Key{Name: "Other", Scopes: []string{doorAsk}})
	good, _ := makeKey(t, s, identity.Key{Name: "Good", Scopes: []string{doorIntake, doorAsk}})
	all, _ := makeKey(t, s, identity.Key{Name: "All"})
	revoked, id := makeKey(t, s, identity.Key{Name: "Revoked"})
	if err := s.Keys.Revoke(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct{ path, key, want, challenge string }{
		{"/intake/a", "", "200 offer", ""},
		{"/intake/a", good, "200 offer", ""},
		{"/intake/a", other, "403 error FORBIDDEN", "insufficient_scope"},
		{"/intake/locked", good, "200 offer", ""},
		{"/intake/locked", all, "200 offer", ""},
		{"/intake/locked", "", "401 error UNAUTHORIZED", "Bearer"},
		{"/intake/locked", "something else", "401 error UNAUTHORIZED", "invalid_token"},
		{"/intake/locked", other, "403 error FORBIDDEN", "insufficient_scope"},
		{"/intake/a", revoked, "401 error UNAUTHORIZED", "invalid_token"},
		{"/intake/a", revoked, "401 error UNAUTHORIZED", "invalid_token"},
		{"/intake/a", revoked, "429 error RATE_LIMITED", ""}, // too many wrong ones
	} {
		body := submitting()
		r := posting(row.path, "192.0.2.1:1", body)
		if row.key != "" {
			r.Header.Set("Authorization", "Bearer "+row.key)
		}
		w := send(s, r)
		outcome, response := heard(t, w)
		if outcome != row.want || response.SessionID != body["session_id"] ||
			!strings.Contains(w.Header().Get("WWW-Authenticate"), row.challenge) ||
			row.challenge == "" && w.Header().Get("WWW-Authenticate") != "" {
			t.Errorf("%s with %.9s: %s, want %s; %q", row.path, row.key, outcome, row.want,
				w.Header().Get("WWW-Authenticate"))
		}
	}
	s.front.MaxRequests = 0
	if outcome, response := heard(t,
		send(s, posting("/intake/a", "192.0.2.1:1", submitting()))); outcome != "503 error SERVICE_UNAVAILABLE" ||
		response.SessionID != wire.Nil {
		t.Errorf("under too much load: %s", outcome)
	}
}

// TestAPersonAnswersAndTheAgentComesBack holds both ways of telling an agent to come back.
func TestAPersonAnswersAndTheAgentComesBack(t *testing.T) {
	t.Parallel()
	c := newFixedClock()
	const byHand = "id: a, name: N, description: D, offer_type: quote, binding: true, input_schema: {type: " +
		"object}, person: {after: 90s}"
	for further, want := range map[string]string{
		"": "503 error SERVICE_UNAVAILABLE", "  pending: true\n": "200 pending",
	} {
		folder := t.TempDir()
		s, _ := open(t, "url: https://desk.example\nsite: {name: House, url: 'https://house.example'}\nintakes:\n"+
			further+"  vault: 'sqlite:"+filepath.Join(folder, "v.db")+"'\n  list: [{"+byHand+"}]", c.set)
		body := submitting()
		for range 2 {
			w := send(s, posting("/intake/a", "192.0.2.1:1", body))
			outcome, response := heard(t, w)
			if outcome != want || string(response.Metadata) != `{"retry_after_seconds":90}` {
				t.Errorf("%s, want %s: %s", outcome, want, w.Body)
			}
		}
		waiting, err := s.Intakes.Inbox(t.Context(), vault.Filter{})
		if err != nil || len(waiting) != 1 {
			t.Fatalf("%d wait: %v", len(waiting), err)
		}
		if err := s.Intakes.Answer(t.Context(), waiting[0].ID,
			offers.Outcome{Status: offers.Offered, Summary: "Written by hand."}, "Kim"); err != nil {
			t.Fatal(err)
		}
		outcome, response := heard(t, send(s, posting("/intake/a", "192.0.2.1:1", body)))
		if outcome != "200 offer" || response.Offer.Summary != "Written by hand." {
			t.Fatalf("%s: %v", outcome, response)
		}
		if w := send(s, posting("/intake/a/bind", "192.0.2.1:1", accepting(body, response.Offer.ID))); w.Code != 200 {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	}
}

// TestWhatIsKeptIsErasedWhenNothingIsTakenInAnyMore holds that to remove the intakes from the
// configuration is not to keep for ever what they took.
func TestWhatIsKeptIsErasedWhenNothingIsTakenInAnyMore(t *testing.T) {
	t.Parallel()
	c, folder := newFixedClock(), t.TempDir()
	start := func(intakes string) *App {
		loaded, err := Load(
			Layers{File: write(t, folder, "frontdesk.yaml", "data: .\nsite: {name: House, url: "+
				"'https://house.example'}\nurl: https://desk.example\nmetrics: {listen: 'off'}\n"+intakes)})
		if err != nil {
			t.Fatal(err)
		}
		options := Options{Loaded: loaded, Ingested: true}
		c.set(&options)
		s, err := Build(t.Context(), options)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := start("intakes: {list: [{id: a, privacy: {data_retention: 30_days}, " + anything + "}]}")
	body := submitting()
	if outcome, _ := heard(t, send(s, posting("/intake/a", "192.0.2.1:1", body))); outcome != "200 offer" {
		t.Fatal(outcome)
	}
	s.Close()
	s = start("")
	defer s.Close()
	h := held{t: t, s: s, clock: c}
	if w := send(s, posting("/intake/a", "192.0.2.1:1", body)); w.Code != 404 {
		t.Errorf("it is still taken in: %d", w.Code)
	}
	if !h.keeps(body["session_id"]) {
		t.Fatal("it is gone too soon")
	}
	c.advance(31 * 24 * time.Hour)
	if h.keeps(body["session_id"]) {
		t.Error("it is kept for ever")
	}
	if _, err := os.Stat(filepath.Join(folder, "vault.db")); err != nil {
		t.Error(err)
	}
}

// TestAnswersTellOfIntakesThatFit holds that an item of an answer tells how an intake is started
// that fits it.
func TestAnswersTellOfIntakesThatFit(t *testing.T) {
	t.Parallel()
	c := newFixedClock()
	s := openIntakes(t, "", c, "id: cook, match: [{type: Recipe}, {path: /other}], "+anything,
		"id: ship, match: [{type: Product}], "+anything)
	w := send(s, asking("soup"))
	var answer struct {
		Results []struct {
			Actions []struct {
				Name, Description, Protocol, Method, Endpoint string
				Params                                        map[string]string
			}
		}
	}
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || len(answer.Results) != 1 ||
		len(answer.Results[0].Actions) != 1 {
		t.Fatalf("%v: %s", err, w.Body)
	}
	a := answer.Results[0].Actions[0]
	if a.Name != "start-cook" || a.Protocol != "HTTP" || a.Method != "GET" ||
		a.Endpoint != "https://desk.example/.well-known/agent-intake.json" || a.Params != nil ||
		!strings.Contains(a.Description, "Takes anything") ||
		!strings.Contains(a.Description, "https://desk.example/intake/cook") {
		t.Errorf("the action is %+v", a)
	}
}

// TestDiscoveryTellsOfIntakes holds that agents find what is taken in where they look, and that the
// description has every address.
func TestDiscoveryTellsOfIntakes(t *testing.T) {
	t.Parallel()
	s := openIntakes(t, "", newFixedClock(), "id: cook, "+anything)
	for path, want := range map[string]string{
		"/llms.txt":                "[N](https://desk.example/intake/cook): Takes anything.",
		"/.well-known/api-catalog": "https://desk.example/.well-known/agent-intake.json",
		"/openapi.json":            `"IntakeRequest"`,
	} {
		if body := send(s, httptest.NewRequest("GET", path, nil)).Body.String(); !strings.Contains(body, want) {
			t.Errorf("%s lacks %s", path, want)
		}
	}
	if link := send(s, httptest.NewRequest("GET", "/ask", nil)).Header().Get("Link"); !strings.Contains(link, `<https://desk.example/.well-known/agent-intake.json>; rel="agent-intake"`) {
		t.Errorf("Link is %s", link)
	}
	var doc struct{ Paths map[string]any }
	if err := json.Unmarshal(send(s, httptest.NewRequest("GET", "/openapi.json", nil)).Body.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	for _, r := range s.intakeRoutes() {
		if doc.Paths[r.Pattern] == nil {
			t.Errorf("%s is not described", r.Pattern)
		}
	}
	without, _ := open(t, "")
	body := send(without, httptest.NewRequest("GET", "/openapi.json", nil)).Body.String()
	for _, told := range []string{`"Intake`, `"/intake`, "agent-intake.json", `"name":"intake"`} { // a key's protocols name it, too
		if strings.Contains(body, told) {
			t.Errorf("%s is described where nothing is taken in", told)
		}
	}
}

// TestIntakesAreOfferedAsTools holds the tools to the same rules as the addresses.
func TestIntakesAreOfferedAsTools(t *testing.T) {
	t.Parallel()
	c := newFixedClock()
	s, log := openIntakesAndLog(t, "limits: {rate: {address: 100000/1m}}", c,
		"id: a, binding: true, bind: {requires: [email]}, rate_limit: {requests_per_minute: 2}, "+anything,
		"id: locked, requires_auth: true, "+anything)
	id := 0
	use := func(tool string, arguments any) (failed bool, object map[string]any) {
		t.Helper()
		id++
		text, err := json.Marshal(map[string]any{"name": tool, "arguments": arguments})
		if err != nil {
			t.Fatal(err)
		}
		r := call(id, "tools/call", string(text))
		r.Host = "desk.example"
		result := resultOf(t, send(s, r))
		return result.IsError, result.Structured
	}
	failed, listed := use("list_intakes", map[string]any{})
	if list, _ := listed["intakes"].([]any); failed || len(list) != 2 ||
		list[0].(map[string]any)["endpoint"] != "https://desk.example/intake/a" {
		t.Errorf("listed %v", listed)
	}
	agent := map[string]any{"id": "agent-1", "consent_scope": []string{"intake"}}
	wish := submitting()
	arguments := map[string]any{"intake": "a", "agent": agent, "intake_data": map[string]any{"note": "x"},
		"session_id": wish["session_id"]}
	failed, offered := use("submit_intake", arguments)
	offer, _ := offered["offer"].(map[string]any)
	if failed || offered["status"] != "offer" || offer["bind_endpoint"] != "https://desk.example/intake/a/bind" {
		t.Fatalf("offered %v", offered)
	}
	accept := map[string]any{
		"intake": "a", "offer_id": offer["id"], "session_id": wish["session_id"],
		"bind_data": map[string]any{"email": "kim@example.com"},
		"agent":     map[string]any{"id": "agent-1", "consent_scope": []string{"bind"}},
	}
	code := func(object map[string]any) any {
		fault, _ := object["error"].(map[string]any)
		return fault["code"]
	}
	if failed, object := use("bind_offer", accept); !failed || code(object) != "INVALID_INPUT" ||
		!strings.Contains(fmt.Sprint(object), "user_confirmed_at") {
		t.Errorf("bound without anybody's word: %v", object)
	}
	accept["user_confirmed_at"] = "2026-11-21T11:59:00Z"
	if failed, object := use("bind_offer", accept); failed || object["status"] != "bound" {
		t.Errorf("not bound: %v", object)
	}
	arguments["kim.marker@example.com"] = 1
	if failed, object := use("submit_intake", arguments); !failed || code(object) != "INVALID_INPUT" ||
		strings.Contains(fmt.Sprint(object), "marker") {
		t.Errorf("a name that is a datum: %v", object)
	}
	delete(arguments, "kim.marker@example.com")
	arguments["intake"] = "kim.marker@example.com"
	if failed, object := use("submit_intake", arguments); !failed || code(object) != "INTAKE_NOT_FOUND" ||
		strings.Contains(fmt.Sprint(object), "marker") || strings.Contains(log.String(), "marker") {
		t.Errorf("an intake that is a datum: %v\n%s", object, log.String())
	}
	arguments["intake"] = "a"
	delete(arguments, "session_id")
	for _, row := range []struct {
		what   string
		change func(map[string]any)
		code   any
	}{
		{"no session", func(a map[string]any) {}, "INVALID_INPUT"},
		{"too often", func(a map[string]any) { a["session_id"] = submitting()["session_id"] }, "RATE_LIMITED"},
		{"no key", func(a map[string]any) { a["intake"] = "locked" }, "UNAUTHORIZED"},
		{"no such intake", func(a map[string]any) { a["intake"] = "nothing" }, "INTAKE_NOT_FOUND"},
		{"no consent", func(a map[string]any) { a["agent"].(map[string]any)["consent_scope"] = []string{"offer"} },
			"INVALID_INPUT"},
		{"another member", func(a map[string]any) { a["more"] = 1 }, "INVALID_INPUT"},
	} {
		row.change(arguments)
		if failed, object := use("submit_intake", arguments); !failed || code(object) != row.code {
			t.Errorf("%s: %v", row.what, object)
		}
	}
	without, _ := open(t, "")
	for _, tool := range without.intakeTools() {
		t.Errorf("%s is offered where nothing is taken in", tool.Name)
	}
}

// resultOf reads the result of a call of a tool.
func resultOf(t *testing.T, w *httptest.ResponseRecorder) (result struct {
	IsError    bool
	Structured map[string]any `json:"structuredContent"`
}) {
	t.Helper()
	body := w.Body.String()
	for line := range strings.Lines(body) {
		if data, ok := strings.CutPrefix(line, "data: "); ok && strings.Contains(data, `"result"`) {
			body = data
		}
	}
	var message struct{ Result json.RawMessage }
	if err := json.Unmarshal([]byte(body), &message); err != nil || message.Result == nil {
		t.Fatalf("%d, no result: %v: %s", w.Code, err, w.Body)
	}
	if err := json.Unmarshal(message.Result, &result); err != nil {
		t.Fatal(err)
	}
	return result
}

// TestMistakesInIntakesAreAllNamed holds the check of the configuration.
func TestMistakesInIntakesAreAllNamed(t *testing.T) {
	t.Parallel()
	base := "site: {name: House, url: 'https://house.example'}\nintakes:\n"
	one := "id: a, " + anything
	for what, row := range map[string]struct{ text, want string }{
		"good": {base + "  list: [{" + one + ", rate_limit: {requests_per_day: 9}}]", ""},
		"plain http": {"url: http://desk.example\n" + base + "  list: [{" + one + "}]",
			"frontdesk.yaml:1:1: url: http://desk.example is not https"},
		"no provider": {"intakes:\n  list: [{" + one + "}]", "intakes.provider.name"},
		"twice":       {base + "  list: [{" + one + "}, {" + one + "}]", "frontdesk.yaml:3:"},
		"the store": {"data: .\n" + base + "  vault: sqlite:frontdesk.db\n  list: [{" + one + "}]",
			"intakes.vault: this is the store itself"},
		"no vault": {"store: postgres://a@127.0.0.1/b\n" + base + "  list: [{" + one + "}]",
			"intakes.vault: the store is PostgreSQL"},
		"two engines": {base + "  list: [{" + one + ", webhook: {url: 'https://x.example', secret_env: PATH}}]",
			"list[0].webhook: offers are made by rules and by a webhook"},
		"no schema": {base + "  list: [{id: a, name: N, description: D, offer_type: q}]",
			"input_schema: the schema of the data is missing"},
		"no such file": {base + "  list: [{id: a, name: N, description: D, offer_type: q, " +
			"input_schema_file: none.json}]", "none.json cannot be read"},
		"small body": {
			base + "  max_body: 1KiB\n  list: [{" + one + "}]", "intakes.max_body: 1KiB is not between 64KiB",
		},
		"no effect": {
			base + "  list: [{" + one + ", binding: true, bind: {effect: mail}}]", "intakes.mail.server",
		},
		"no secret": {base + "  list: [{" + one + ", binding: true, bind: {effect: webhook, webhook: " +
			"{url: 'https://x.example'}}}]", "bind.webhook.secret_env: without a secret"},
		"idle webhook": {base + "  list: [{" + one + ", binding: true, bind: {webhook: {url: 'https://x.example'}}}]",
			"bind.webhook: it is told nothing"},
		"not bound": {
			base + "  list: [{" + one + ", bind: {requires: [email]}}]", "list[0].bind: its offers cannot be accepted",
		},
		"unknown scope":  {base + "  list: [{" + one + ", scopes: [all]}]", `list[0].scopes[0]: "all" is none of`},
		"unknown format": {base + "  list: [{" + one + ", binding: true, bind: {formats: {x: date, y: phone}}}]", `bind.formats: "phone" is none of`},
		"a long id": {base + "  list: [{" + strings.Replace(one, "id: a", "id: "+strings.Repeat("a", 51), 1) +
			"}]", "longer than 50"},
		"a short offer": {base + "  list: [{" + one + ", expires: 1s}]", "list[0].expires: 1s is not between 1m"},
		"a site": {base + "  list: [{" + one + ", match: [{site: nobody}]}]",
			"list[0].match[0].site[0]: there is no site nobody"},
		"revisions": {base + "  revisions: maybe\n  list: [{" + one + "}]", `intakes.revisions: "maybe" is none of`},
		"strict": {
			base + "  strict_upstream: true\n  list: [{" + one + ", category: b2b/vendor}]", "list[0].category",
		},
	} {
		if got := findings(t, row.text); row.want == "" && got != "" || !strings.Contains(got, row.want) ||
			strings.Contains(got, "jsontext") {
			t.Errorf("%s: %q, want %q and nothing of how it is read", what, got, row.want)
		}
	}
}

// TestTheSwitchesOfIntakesSwitch holds each choice that the protocol leaves to its two ways.
func TestTheSwitchesOfIntakesSwitch(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ further, revised, personal, lenient string }{
		{"", "200 offer", "400 error SCHEMA_MISMATCH", "400 error INVALID_INPUT"},
		{"revisions: refuse, undeclared: drop, lenient: true, ", "409 error ALREADY_SUBMITTED", "200 offer",
			"200 bound"},
	} {
		s, _ := open(t, "url: https://desk.example\nsite: {name: House, url: 'https://house.example'}\nintakes: {"+
			row.further+
			"vault: 'sqlite:"+filepath.Join(t.TempDir(), "v.db")+"', list: [{id: a, binding: true, "+anything+"}]}")
		ask := func(body map[string]any) (string, *wire.Response) {
			return heard(t, send(s, posting("/intake/a", "192.0.2.1:1", body)))
		}
		body := submitting()
		_, first := ask(body)
		body["intake_data"] = map[string]any{"note": "other"}
		if outcome, _ := ask(body); outcome != row.revised {
			t.Errorf("%q: a revision: %s, want %s", row.further, outcome, row.revised)
		}
		personal := submitting()
		personal["intake_data"] = map[string]any{"email": "kim@example.com"}
		if outcome, _ := ask(personal); outcome != row.personal {
			t.Errorf("%q: personal data: %s, want %s", row.further, outcome, row.personal)
		}
		accept := accepting(body, first.Offer.ID)
		accept["aip_version"] = "0.1.0"
		w := send(s, posting("/intake/a/bind", "192.0.2.1:1", accept))
		if !strings.Contains(w.Body.String(), row.lenient[strings.LastIndex(row.lenient, " ")+1:]) ||
			!strings.HasPrefix(row.lenient, fmt.Sprint(w.Code)) {
			t.Errorf("%q: a version in a bind: %d %s, want %s", row.further, w.Code, w.Body, row.lenient)
		}
	}
}

// TestDoubtsAboutASchemaAreTold has schemas that are valid and say less than their owner means.
func TestDoubtsAboutASchemaAreTold(t *testing.T) {
	t.Parallel()
	const schema = `{"type":"object","properties":{"email":{"type":"string","format":"emial"}}}`
	file := write(t, t.TempDir(), "schema.json", schema)
	for key, value := range map[string]string{"input_schema": schema, "input_schema_file": file} {
		got := findings(t, "site: {name: House, url: 'https://house.example'}\nintakes:\n  list:\n    - id: a\n"+
			"      name: A\n      description: A\n      category: a/b\n"+
			"      offer_type: q\n      rate_limit: {requests_per_minute: 5}\n      "+key+": "+value+
			"\n      rules: {offers: [{summary: Yes}]}\n")
		for _, want := range []string{
			"warning: frontdesk.yaml:10:7: intakes.list[0]." + key + `: has the format "emial", which validators do not know`,
			"warning: frontdesk.yaml:10:7: intakes.list[0]." + key + `: declares "email", which looks like personal data, although pii_required is false`,
		} {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %s", key, got)
			}
		}
	}
}
