package requesters_test

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/fetch"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/testkit/clock"
	"frontdesk/internal/testkit/storetest"
	"frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
	"frontdesk/wire/sign"
	"frontdesk/wire/sign/botauth"
)

// agentHost is the web server of an agent's domain, which publishes what a test says, as a test
// says.
type agentHost struct {
	*httptest.Server
	mu     sync.Mutex
	answer http.HandlerFunc
	calls  int
}

func newAgentHost(t testing.TB) *agentHost {
	h := &agentHost{}
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.mu.Lock()
		h.calls++
		answer := h.answer
		h.mu.Unlock()
		if r.URL.Path != requesters.AgentPath || answer == nil {
			http.NotFound(w, r)
			return
		}
		answer(w, r)
	}))
	t.Cleanup(h.Close)
	return h
}

// domain is what requests call the host.
func (h *agentHost) domain() string { return strings.TrimPrefix(h.URL, "http://") }

func (h *agentHost) set(answer http.HandlerFunc) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.answer = answer
}

func (h *agentHost) called() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.calls
}

// publishes has the host publish keys for an agent.
func (h *agentHost) publishes(t testing.TB, id string, keys ...ramp.Key) {
	t.Helper()
	for i := range keys {
		keys[i].Active = true
	}
	document, err := ramp.WriteAgentKeys(id, "", keys)
	if err != nil {
		t.Fatal(err)
	}
	h.set(func(w http.ResponseWriter, _ *http.Request) { w.Write(document) })
}

func newClock() *clock.Clock { return clock.At(time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)) }

// codeOf is the code of an error, empty for none.
func codeOf(err error) fail.Code {
	var coded *fail.Error
	if err == nil {
		return ""
	}
	if !errors.As(err, &coded) {
		return "uncoded: " + fail.Code(err.Error())
	}
	return coded.Code
}

// key makes the key of a number: that of the readings' worked values is key 0 (seed 00 01 .. 1f).
func key(n byte) ed25519.PrivateKey {
	seed := make([]byte, ed25519.SeedSize)
	for i := range seed {
		seed[i] = byte(i) + n
	}
	return ed25519.NewKeyFromSeed(seed)
}

func public(n byte) ed25519.PublicKey { return key(n).Public().(ed25519.PublicKey) }

// onThisMachine is a way to the web that may reach this machine, as a trial's does.
func onThisMachine(timeout time.Duration) *fetch.Fetcher {
	return fetch.New(fetch.Options{
		Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, MaxBytes: requesters.AgentBytes, Timeout: timeout,
		MaxRedirects: -1,
	})
}

func registry(t testing.TB, db *store.DB, c *clock.Clock, change func(*requesters.Config)) *requesters.Registry {
	t.Helper()
	config := requesters.Config{DB: db, Fetcher: onThisMachine(10 * time.Second), Signatures: requesters.SignaturesBody,
		Now: c.Now}
	if change != nil {
		change(&config)
	}
	rs, err := requesters.Open(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	return rs
}

func policy(signatures string) func(*requesters.Config) {
	return func(c *requesters.Config) { c.Signatures = signatures }
}

// bodySigned is a Requester with a signature of a key.
func bodySigned(t testing.TB, r *rampv1.Requester, by ed25519.PrivateKey) *rampv1.Requester {
	t.Helper()
	payload, err := ramp.RequesterPayload(r)
	if err != nil {
		t.Fatal(err)
	}
	r.Signature = sign.EncodeSignature(ed25519.Sign(by, payload))
	return r
}

const target = "https://ramp.example.com/ramp.v1.ExchangeService/DiscoverResources"

// signedCall is a request over HTTP, signed under key ids by keys.
func signedCall(t testing.TB, at time.Time, signers ...signer) requesters.Call {
	t.Helper()
	body := []byte(`{"ver":"1.0"}`)
	call := requesters.Call{Method: "POST", Targets: []string{target},
		Header: http.Header{"Content-Digest": {sign.ContentDigest(body)}}, Body: body}
	for _, s := range signers {
		p := sign.SigningParameters{Label: s.label, KeyID: s.keyID, Created: at}
		input, signature, err := sign.SignHTTP(sign.Request{Method: call.Method, Target: target,
			Header: call.Header}, p, s.key)
		if err != nil {
			t.Fatal(err)
		}
		call.Header.Add(sign.HeaderSignatureInput, input)
		call.Header.Add(sign.HeaderSignatureOfHTTP, signature)
	}
	return call
}

type signer struct {
	label, keyID string
	key          ed25519.PrivateKey
}

// said checks a code and words of an error.
func said(t testing.TB, what string, err error, code fail.Code, words ...string) {
	t.Helper()
	if codeOf(err) != code {
		t.Errorf("%s: %v, want %q", what, err, code)
		return
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("%s: %v does not say %q", what, err, word)
		}
	}
}

// TestWorkedRequesterSignature is the worked value of a requester's signature (RAMP v1, Requester),
// under a key that the operator was given.
func TestWorkedRequesterSignature(t *testing.T) {
	t.Parallel()
	storetest.EachDSN(t, func(t *testing.T, fresh storetest.Fresh) {
		c, db := newClock(), storetest.Open(t, fresh(t), requesters.Schema)
		rs := registry(t, db, c, nil)
		spki, err := ramp.DecodePublicKey("MCowBQYDK2VwAyEAA6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg=")
		if err != nil {
			t.Fatal(err)
		}
		put := requesters.Registration{
			Domain: "Buyer.Example.com", ID: "research-bot", Keys: []ramp.Key{{ID: "k1", Public: spki}},
			Scopes:       []string{"news:*", "", "a:b", "news:*"},
			UserCategory: "education", Country: "fr", Rate: "10/1s",
		}
		if _, err := rs.Add(t.Context(), put); err != nil {
			t.Fatal(err)
		}
		message := &rampv1.Requester{
			Id: "research-bot", Domain: "buyer.example.com", Uris: []string{"https://cdn.example.net/premium/a.html"},
			Scopes: []string{"*"}, Type: rampv1.RequesterType_REQUESTER_TYPE_AGENT,
			Signature: "8EqVuRBuom0cIZOlcEPZsienG2rJyCPCdepAtO/aDtd/x8lol+H8ctWL2cxW0qFd1aaEaVR6orVDmwIbEi/sCA==",
		}
		r, err := rs.Identify(t.Context(), message, requesters.Call{})
		if err != nil {
			t.Fatal(err)
		}
		if r.Account() != "buyer.example.com/research-bot" || r.Signed != requesters.SignedBody || r.KeyID != "k1" ||
			r.SignUp != requesters.SignUpOperator || r.UserCategory != "education" ||
			r.Country != "FR" || r.Rate != "10/1s" || strings.Join(r.Granted, " ") != "a:b news:*" ||
			strings.Join(r.Claimed, " ") != "*" || !r.Holds("news:read") || r.Holds("sport:read") {
			t.Errorf("%+v", r)
		}
		for name, change := range map[string]func(*rampv1.Requester){
			"another id's": func(m *rampv1.Requester) { m.Id = "other-bot" },
			"another address": func(m *rampv1.Requester) {
				m.Uris = append(m.Uris, "https://cdn.example.net/premium/b.html")
			},
			"another scope":    func(m *rampv1.Requester) { m.Scopes = nil },
			"another spelling": func(m *rampv1.Requester) { m.Domain = "BUYER.example.com" },
		} {
			other := &rampv1.Requester{Id: message.Id, Domain: message.Domain, Uris: message.Uris,
				Scopes: message.Scopes, Signature: message.Signature}
			change(other)
			_, err := rs.Identify(t.Context(), other, requesters.Call{})
			said(t, name, err, fail.Unauthorized)
		}
	})
}

func TestRequesterOfAPublishedKey(t *testing.T) {
	t.Parallel()
	c, host := newClock(), newAgentHost(t)
	rs := registry(t, storetest.Chosen(t, requesters.Schema), c, nil)
	message := func(id string) *rampv1.Requester {
		return bodySigned(t, &rampv1.Requester{Id: id, Domain: host.domain()}, key(0))
	}
	host.publishes(t, "bot", ramp.Key{ID: "k0", Public: public(0)})
	r, err := rs.Identify(t.Context(), message("bot"), requesters.Call{})
	if err != nil || r.Account() != host.domain()+"/bot" || r.SignUp != "" || r.KeyID != "k0" {
		t.Fatalf("%+v, %v", r, err)
	}
	_, err = rs.Identify(t.Context(), message("other"), requesters.Call{})
	said(t, "an id that the document does not name", err, fail.Unauthorized, `"bot"`, `"other"`)
	host.publishes(t, strings.ToUpper(host.domain()), ramp.Key{Public: public(0)})
	c.Advance(time.Hour)
	if r, err = rs.Identify(t.Context(), message("other"), requesters.Call{}); err != nil || len(r.KeyID) != 43 {
		t.Errorf("a document of the whole domain: %+v, %v", r, err)
	}
	host.publishes(t, "", ramp.Key{Public: public(0)})
	c.Advance(time.Hour)
	_, err = rs.Identify(t.Context(), message("bot"), requesters.Call{})
	said(t, "a document of nobody", err, fail.Unauthorized)
}

// TestOrderOfSignatures holds RAMP's order: over HTTP first, the message's otherwise, by policy;
// and that a wrong signature is never passed over for another kind.
func TestOrderOfSignatures(t *testing.T) {
	t.Parallel()
	c, host := newClock(), newAgentHost(t)
	host.publishes(t, "bot", ramp.Key{ID: "k0", Public: public(0)})
	db, domain := storetest.Chosen(t, requesters.Schema), host.domain()
	good, wrong := signer{"agent", domain + "#k0", key(0)}, signer{"agent", domain, key(1)}
	broker := signer{"broker", "broker.example.com", key(2)}
	const none, right, bad = "none", "right", "bad"
	for _, v := range []struct {
		http            []signer
		body            string
		required, other string // what comes of it: how it was signed, or "refused"
		unsigned        string
	}{
		{nil, none, "refused", "refused", "open"},
		{nil, right, "refused", "body", "body"},
		{nil, bad, "refused", "refused", "refused"},
		{[]signer{good}, none, "http", "http", "http"},
		{[]signer{good}, bad, "http", "http", "http"},
		{[]signer{wrong}, none, "refused", "refused", "refused"},
		{[]signer{wrong}, right, "refused", "refused", "refused"},
		{[]signer{broker}, none, "refused", "refused", "open"},
		{[]signer{broker}, right, "refused", "body", "body"},
		{[]signer{broker, good}, none, "http", "http", "http"},
		{[]signer{{"sig1", "k0", key(0)}}, none, "http", "http", "http"},
		{[]signer{{"old", domain + "#gone", key(3)}, {"new", domain, key(0)}}, none, "http", "http", "http"},
	} {
		for p, want := range map[string]string{requesters.SignaturesRequired: v.required,
			requesters.SignaturesBody: v.other, requesters.SignaturesNone: v.unsigned} {
			message := &rampv1.Requester{Id: "bot", Domain: domain}
			switch v.body {
			case right:
				bodySigned(t, message, key(0))
			case bad:
				bodySigned(t, message, key(1))
			}
			rs := registry(t, db, c, policy(p))
			if _, err := rs.Identify(t.Context(), bodySigned(t, &rampv1.Requester{Id: "bot", Domain: domain}, key(0)),
				requesters.Call{}); (err == nil) != (p != requesters.SignaturesRequired) {
				t.Fatal(err) // the keys are known from now on
			}
			if p == requesters.SignaturesRequired {
				if _, err := rs.Identify(t.Context(), message, signedCall(t, c.Now(), good)); err != nil {
					t.Fatal(err)
				}
			}
			r, err := rs.Identify(t.Context(), message, signedCall(t, c.Now(), v.http...))
			got := r.Signed
			if err == nil && got == "" {
				got = "open"
			}
			if err != nil {
				said(t, p, err, fail.Unauthorized)
				got = "refused"
			}
			if got != want {
				t.Errorf("%s, over HTTP %v, body %s: %s, want %s (%v)", p, v.http, v.body, got, want, err)
			}
		}
	}
}

// TestAKeyMayBeNamedWithoutItsDomain holds that the name or thumbprint of a key will do as keyid,
// of a requester that was never seen too.
func TestAKeyMayBeNamedWithoutItsDomain(t *testing.T) {
	t.Parallel()
	for keyID, code := range map[string]fail.Code{"k0": "", "1IG2tMH7J2wbJZnOf8LJzQitKf7LMvoAElsuDMVM54Y": "",
		"k1": fail.Unauthorized, "": fail.Unauthorized, "broker.example.com#k0": fail.Unauthorized} {
		c, host := newClock(), newAgentHost(t)
		host.publishes(t, "bot", ramp.Key{ID: "k0", Public: public(0)})
		rs := registry(t, storetest.Chosen(t, requesters.Schema), c, policy(requesters.SignaturesRequired))
		r, err := rs.Identify(t.Context(), &rampv1.Requester{Id: "bot", Domain: host.domain()},
			signedCall(t, c.Now(), signer{"sig1", keyID, key(0)}))
		if codeOf(err) != code || err == nil && r.KeyID != "k0" {
			t.Errorf("%q: %+v, %v", keyID, r, err)
		}
	}
}

// TestVerificationsAreBounded holds that one signature is tried under all keys of a document, and
// that many signatures are not.
func TestVerificationsAreBounded(t *testing.T) {
	t.Parallel()
	c, host := newClock(), newAgentHost(t)
	var keys []ramp.Key
	for n := range byte(16) {
		keys = append(keys, ramp.Key{ID: fmt.Sprint("k", n), Public: public(n)})
	}
	host.publishes(t, "bot", keys...)
	rs := registry(t, storetest.Chosen(t, requesters.Schema), c, policy(requesters.SignaturesRequired))
	message := &rampv1.Requester{Id: "bot", Domain: host.domain()}
	if r, err := rs.Identify(t.Context(), message,
		signedCall(t, c.Now(), signer{"agent", host.domain(), key(15)})); err != nil || r.KeyID != "k15" {
		t.Errorf("the last of 16 keys: %+v, %v", r, err)
	}
	_, err := rs.Identify(t.Context(), message,
		signedCall(t, c.Now(), signer{"a", host.domain(), key(20)}, signer{"b", host.domain(), key(20)}))
	said(t, "two signatures, 16 keys each", err, fail.Unauthorized, "more signatures and keys than are tried")
}

// TestHTTPSignatureIsForOneRequest holds that a signature does not count for another request, front
// desk or time, and that it must cover what makes a request.
func TestHTTPSignatureIsForOneRequest(t *testing.T) {
	t.Parallel()
	c, host := newClock(), newAgentHost(t)
	host.publishes(t, "bot", ramp.Key{ID: "k0", Public: public(0)})
	rs := registry(t, storetest.Chosen(t, requesters.Schema), c, policy(requesters.SignaturesRequired))
	message := &rampv1.Requester{Id: "bot", Domain: host.domain()}
	by := signer{"agent", host.domain(), key(0)}
	for name, v := range map[string]struct {
		change func(*requesters.Call)
		words  string
	}{
		"as it is": {func(*requesters.Call) {}, ""},
		"a second target": {func(call *requesters.Call) {
			call.Targets = []string{"https://inner.example.com/x", target}
		}, ""},
		"another front desk": {func(call *requesters.Call) {
			call.Targets = []string{strings.Replace(target, "ramp.example.com", "other.example.com", 1)}
		}, "not that of the key"},
		"no target":      {func(call *requesters.Call) { call.Targets = nil }, "keyid"},
		"another method": {func(call *requesters.Call) { call.Method = "GET" }, "not that of the key"},
		"another body":   {func(call *requesters.Call) { call.Body = []byte(`{"ver":"2.0"}`) }, "Content-Digest"},
		"another digest": {func(call *requesters.Call) {
			call.Body = []byte(`{"ver":"2.0"}`)
			call.Header.Set("Content-Digest", sign.ContentDigest(call.Body))
		}, "not that of the key"},
		"nothing in it": {func(call *requesters.Call) { call.Header.Set("Signature-Input", "agent=()") }, "keyid"},
		"garbled": {func(call *requesters.Call) { call.Header.Set("Signature-Input", "agent=(") },
			"cannot be read"},
		"too little": {func(call *requesters.Call) {
			input, signature, err := sign.SignHTTP(sign.Request{Method: call.Method, Target: target,
				Header: call.Header},
				sign.SigningParameters{KeyID: host.domain(), Created: c.Now(),
					Covered: []string{"@method", "@target-uri"}}, key(0))
			if err != nil {
				t.Fatal(err)
			}
			call.Header.Set("Signature-Input", input)
			call.Header.Set("Signature", signature)
		}, "cover"},
	} {
		call := signedCall(t, c.Now(), by)
		v.change(&call)
		_, err := rs.Identify(t.Context(), message, call)
		switch {
		case v.words == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case v.words != "":
			said(t, name, err, fail.Unauthorized, v.words)
		}
	}
	_, err := rs.Identify(t.Context(), message, signedCall(t, c.Now().Add(-time.Hour), by))
	said(t, "an hour old", err, fail.Unauthorized, "expired")
	_, err = rs.Identify(t.Context(), message, signedCall(t, c.Now().Add(time.Hour), by))
	said(t, "of the future", err, fail.Unauthorized, "future")
}

func TestRequestersThatCannotBe(t *testing.T) {
	t.Parallel()
	c := newClock()
	rs := registry(t, storetest.Chosen(t, requesters.Schema), c, policy(requesters.SignaturesNone))
	for _, v := range [][2]string{
		{"", "bot"}, {"buyer.example.com", ""}, {"buyer.example.com", "*"}, {"buyer.example.com", " bot"},
		{"buyer.example.com", "b\not"}, {"buyer.example.com", strings.Repeat("b", 129)},
		{"buyer.example.com", "b\x00"}, {"buyer.example.com", "\xff"}, {"buyer.example.com:443", "bot"},
		{"http://buyer.example.com", "bot"}, {"buyer.example.com/x", "bot"},
		{"10.0.0.1", "bot"}, {"[::2]:80", "bot"}, {"::1", "bot"}, {"bücher.example", "bot"}, {"a..b", "bot"},
		{"-a.example", "bot"}, {"user@example.com", "bot"},
		{"127.0.0.1:0", "bot"}, {"127.0.0.1:080", "bot"}, {"localhost:x", "bot"},
		{strings.Repeat("a.", 127) + "com", "bot"}, {"buyer.example.com.", "bot"},
	} {
		_, err := rs.Identify(t.Context(), &rampv1.Requester{Domain: v[0], Id: v[1]}, requesters.Call{})
		said(t, fmt.Sprintf("%q", v), err, fail.Invalid)
	}
	for _, v := range [][2]string{{"buyer.example.com", "bot"}, {"BUYER.example.com", "Forschungs-Bot é 7"},
		{"localhost:8080", "b"}, {"127.0.0.1", "b/c"}, {"[::1]:80", "b"}, {"xn--bcher-kva.example", "b"}} {
		r, err := rs.Identify(t.Context(), &rampv1.Requester{Domain: v[0], Id: v[1]}, requesters.Call{})
		if err != nil || r.Signed != "" || r.Account() != strings.ToLower(v[0])+"/"+v[1] {
			t.Errorf("%q: %+v, %v", v, r, err)
		}
	}
	_, err := rs.Identify(t.Context(),
		&rampv1.Requester{Domain: "buyer.example.com", Id: "bot", Delegation: &rampv1.Delegation{}}, requesters.Call{})
	said(t, "a delegation", err, fail.Forbidden, "delegation")
	_, err = rs.Identify(t.Context(), &rampv1.Requester{Domain: "localhost", Id: "bot", SignatureAlgorithm: "rsa",
		Signature: "x"}, requesters.Call{})
	said(t, "another algorithm", err, fail.Unauthorized, "rsa")
	_, err = rs.Identify(t.Context(), &rampv1.Requester{Domain: "localhost", Id: "bot", Signature: "x"},
		requesters.Call{})
	said(t, "no signature in it", err, fail.Unauthorized, "base64")
}

// TestWhatTheOperatorSaysHoldsForTheSigned holds that grants are for who signed, that suspension is
// for everybody, and which registration holds for whom.
func TestWhatTheOperatorSaysHoldsForTheSigned(t *testing.T) {
	t.Parallel()
	c, host := newClock(), newAgentHost(t)
	domain := host.domain()
	host.publishes(t, domain, ramp.Key{Public: public(0)})
	rs := registry(t, storetest.Chosen(t, requesters.Schema), c, policy(requesters.SignaturesNone))
	for _, g := range []requesters.Registration{
		{Domain: domain, ID: "bot", Scopes: []string{"news:*"}},
		{Domain: domain, ID: requesters.EveryID, Scopes: []string{"sport:*"}},
		{Domain: domain, ID: "own", Keys: []ramp.Key{{Public: public(5)}}},
	} {
		if _, err := rs.Add(t.Context(), g); err != nil {
			t.Fatal(err)
		}
	}
	asks := func(id string, by ed25519.PrivateKey) (requesters.Requester, error) {
		m := &rampv1.Requester{Id: id, Domain: domain}
		if by != nil {
			bodySigned(t, m, by)
		}
		return rs.Identify(t.Context(), m, requesters.Call{})
	}
	for _, v := range []struct {
		id     string
		by     ed25519.PrivateKey
		grants string
	}{{"bot", key(0), "news:*"}, {"bot", nil, ""}, {"other", key(0), "sport:*"}, {"other", nil, ""},
		{"own", key(5), ""}} {
		if r, err := asks(v.id, v.by); err != nil || strings.Join(r.Granted, " ") != v.grants {
			t.Errorf("%s: %+v, %v", v.id, r, err)
		}
	}
	_, err := asks("own", key(0))
	said(t, "the domain's key where the operator was given another", err, fail.Unauthorized)
	for _, id := range []string{"bot", requesters.EveryID} {
		if _, err := rs.SetStatus(t.Context(), domain, id, requesters.Suspended); err != nil {
			t.Fatal(err)
		}
	}
	for _, id := range []string{"bot", "other"} {
		for _, by := range []ed25519.PrivateKey{key(0), nil} {
			_, err := asks(id, by)
			said(t, id+" suspended", err, fail.Forbidden, "suspended")
		}
	}
	if _, err := asks("own", key(5)); err != nil {
		t.Errorf("who has a registration of its own is suspended with the rest: %v", err)
	}
	if _, err := rs.SetStatus(t.Context(), domain, "bot", requesters.Removed); err != nil {
		t.Fatal(err)
	}
	_, err = asks("bot", key(0))
	said(t, "removed, so that the rest's holds", err, fail.Forbidden)
	_, err = rs.SetStatus(t.Context(), domain, "bot", requesters.Active)
	said(t, "removed before", err, fail.NotFound, "requester list")
	if _, err := rs.Add(t.Context(), requesters.Registration{Domain: domain, ID: "bot"}); err != nil {
		t.Errorf("who was removed cannot be put in again: %v", err)
	}
	_, err = rs.Add(t.Context(), requesters.Registration{Domain: domain, ID: "bot"})
	said(t, "put in twice", err, fail.Invalid, "already")
}

func TestOnlyTheRegisteredWhereThatIsAskedFor(t *testing.T) {
	t.Parallel()
	c, host := newClock(), newAgentHost(t)
	host.publishes(t, "bot", ramp.Key{Public: public(0)})
	rs := registry(t, storetest.Chosen(t, requesters.Schema), c, func(c *requesters.Config) { c.Registered = true })
	message := bodySigned(t, &rampv1.Requester{Id: "bot", Domain: host.domain()}, key(0))
	_, err := rs.Identify(t.Context(), message, requesters.Call{})
	said(t, "before", err, fail.Unauthorized, "/exchange/v1/requesters/register")
	if _, made, err := rs.SignUp(t.Context(), host.domain(), "bot"); err != nil || !made {
		t.Fatal(made, err)
	}
	if r, err := rs.Identify(t.Context(), message, requesters.Call{}); err != nil || r.SignUp != requesters.SignUpSelf {
		t.Errorf("after: %+v, %v", r, err)
	}
}

func TestRegistrationsThatCannotBeMeant(t *testing.T) {
	t.Parallel()
	rs := registry(t, storetest.Chosen(t, requesters.Schema), newClock(), nil)
	for name, change := range map[string]func(*requesters.Registration){
		"domain": func(g *requesters.Registration) { g.Domain = "x y" }, "id": func(g *requesters.Registration) {
			g.ID = ""
		},
		"scope":    func(g *requesters.Registration) { g.Scopes = []string{"a b"} },
		"category": func(g *requesters.Registration) { g.UserCategory = "rich" },
		"country":  func(g *requesters.Registration) { g.Country = "FRA" }, "key": func(g *requesters.Registration) {
			g.Keys = []ramp.Key{{}}
		},
		"time": func(g *requesters.Registration) {
			g.Keys = []ramp.Key{{Public: public(0), From: time.Unix(2, 0), Until: time.Unix(1, 0)}}
		},
		"scopes": func(g *requesters.Registration) { g.Scopes = strings.Fields(manyScopes(65)) },
		"keys":   func(g *requesters.Registration) { g.Keys = make([]ramp.Key, 17) },
	} {
		g := requesters.Registration{Domain: "buyer.example.com", ID: "bot"}
		change(&g)
		_, err := rs.Add(t.Context(), g)
		said(t, name, err, fail.Invalid)
	}
	if all, err := rs.List(t.Context(), ""); err != nil || len(all) != 0 {
		t.Errorf("%+v, %v", all, err)
	}
}

func manyScopes(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "s%d ", i)
	}
	return b.String()
}

// TestReportsAreBySignersOfRequests holds who speaks for which accounts where a request names no
// requester.
func TestReportsAreBySignersOfRequests(t *testing.T) {
	t.Parallel()
	c, host, single := newClock(), newAgentHost(t), newAgentHost(t)
	domain := host.domain()
	host.publishes(t, domain, ramp.Key{ID: "k0", Public: public(0)})
	single.publishes(t, "bot", ramp.Key{ID: "k1", Public: public(1)})
	db := storetest.Chosen(t, requesters.Schema)
	rs := registry(t, db, c, nil)
	for _, g := range []requesters.Registration{
		{Domain: domain, ID: "own", Keys: []ramp.Key{{ID: "k5", Public: public(5)}}}, {Domain: domain, ID: "bad"},
		{Domain: domain, ID: "fine", Rate: "1/1s"},
	} {
		if _, err := rs.Add(t.Context(), g); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := rs.SetStatus(t.Context(), domain, "bad", requesters.Suspended); err != nil {
		t.Fatal(err)
	}
	for _, v := range []struct {
		by   []signer
		id   string
		may  []string
		not  []string
		code fail.Code
	}{
		{[]signer{{"agent", domain, key(0)}}, "", []string{domain + "/x", domain + "/fine"},
			[]string{domain + "/own", domain + "/bad", single.domain() + "/bot"}, ""},
		{[]signer{{"agent", domain + "#k5", key(5)}}, "own", []string{domain + "/own"}, []string{domain + "/x"}, ""},
		{[]signer{{"agent", single.domain() + "#k1", key(1)}}, "bot", []string{single.domain() + "/bot"},
			[]string{single.domain() + "/x"}, ""},
		{[]signer{{"broker", "broker.example.com", key(9)}, {"agent", single.domain(), key(1)}}, "bot", nil, nil, ""},
		{[]signer{{"agent", domain + "#k5", key(0)}}, "", nil, nil, fail.Unauthorized},
		{[]signer{{"agent", domain, key(1)}}, "", nil, nil, fail.Unauthorized},
		{[]signer{{"agent", "k0", key(0)}}, "", nil, nil, fail.Unauthorized},
		{[]signer{{"agent", "not a domain", key(0)}}, "", nil, nil, fail.Unauthorized},
	} {
		r, err := rs.Identify(t.Context(), nil, signedCall(t, c.Now(), v.by...))
		if codeOf(err) != v.code || r.ID != v.id {
			t.Errorf("%v: %+v, %v", v.by, r, err)
			continue
		}
		for _, account := range v.may {
			if !r.ActsFor(account) {
				t.Errorf("%v: it does not speak for %s", v.by, account)
			}
		}
		for _, account := range v.not {
			if r.ActsFor(account) {
				t.Errorf("%v: it speaks for %s", v.by, account)
			}
		}
	}
	shared := []ramp.Key{{ID: "k6", Public: public(6)}}
	for _, id := range []string{"one", "three", "two"} {
		if _, err := rs.Add(t.Context(),
			requesters.Registration{Domain: "company.example", ID: id, Keys: shared}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := rs.SetStatus(t.Context(), "company.example", "one", requesters.Suspended); err != nil {
		t.Fatal(err)
	}
	r, err := rs.Identify(t.Context(), nil, signedCall(t, c.Now(), signer{"agent", "company.example", key(6)}))
	if err != nil || r.ActsFor("company.example/one") || !r.ActsFor("company.example/two") ||
		!r.ActsFor("company.example/three") || r.ActsFor("company.example/four") {
		t.Errorf("one key of several requesters: %+v, %v", r, err)
	}
	if _, err := rs.Add(t.Context(), requesters.Registration{Domain: single.domain(), ID: "bot"}); err != nil {
		t.Fatal(err)
	}
	if _, err := rs.SetStatus(t.Context(), single.domain(), "bot", requesters.Suspended); err != nil {
		t.Fatal(err)
	}
	_, err = rs.Identify(t.Context(), nil, signedCall(t, c.Now(), signer{"agent", single.domain(), key(1)}))
	said(t, "suspended", err, fail.Forbidden)
	if r, err := rs.Identify(t.Context(), nil, requesters.Call{}); err != nil || r.Signed != "" || r.ActsFor("/") {
		t.Errorf("%+v, %v", r, err)
	}
	_, err = registry(t, db, c, policy(requesters.SignaturesRequired)).Identify(t.Context(), nil, requesters.Call{})
	said(t, "nobody signed, and somebody must", err, fail.Unauthorized)
}

// TestRequestersAreKnownWithoutTheDatabase holds that a request costs the database nothing once who
// asks is known, and what holds when it cannot be asked; and that what another process does holds
// within a second.
func TestRequestersAreKnownWithoutTheDatabase(t *testing.T) {
	t.Parallel()
	storetest.EachDSN(t, func(t *testing.T, fresh storetest.Fresh) {
		c, dsn := newClock(), fresh(t)
		operator := registry(t, storetest.Open(t, dsn, requesters.Schema), c, nil)
		db := storetest.Open(t, dsn, requesters.Schema)
		door := registry(t, db, c, nil)
		g := requesters.Registration{Domain: "buyer.example.com", ID: "bot", Keys: []ramp.Key{{Public: public(0)}}}
		if _, err := operator.Add(t.Context(), g); err != nil {
			t.Fatal(err)
		}
		message := bodySigned(t, &rampv1.Requester{Id: "bot", Domain: "buyer.example.com"}, key(0))
		c.Advance(time.Second)
		if _, err := door.Identify(t.Context(), message, requesters.Call{}); err != nil {
			t.Fatal(err)
		}
		if _, err := operator.SetStatus(t.Context(), "buyer.example.com", "bot", requesters.Suspended); err != nil {
			t.Fatal(err)
		}
		if _, err := operator.Identify(t.Context(), message, requesters.Call{}); codeOf(err) != fail.Forbidden {
			t.Errorf("the process that did it lets it in: %v", err)
		}
		if _, err := door.Identify(t.Context(), message, requesters.Call{}); err != nil {
			t.Errorf("the database was asked within a second: %v", err)
		}
		c.Advance(time.Second)
		if _, err := door.Identify(t.Context(), message, requesters.Call{}); codeOf(err) != fail.Forbidden {
			t.Errorf("after a second: %v", err)
		}
		if _, err := operator.SetStatus(t.Context(), "buyer.example.com", "bot", requesters.Active); err != nil {
			t.Fatal(err)
		}
		c.Advance(time.Second)
		if _, err := door.Identify(t.Context(), message, requesters.Call{}); err != nil {
			t.Error(err)
		}
		db.Close()
		c.Advance(30 * time.Second)
		if _, err := door.Identify(t.Context(), message, requesters.Call{}); err != nil {
			t.Errorf("half a minute without a database: %v", err)
		}
		c.Advance(31 * time.Second)
		_, err := door.Identify(t.Context(), message, requesters.Call{})
		said(t, "a minute without a database", err, fail.Unavailable)
	})
}

func TestChangesAreTold(t *testing.T) {
	t.Parallel()
	c, db := newClock(), storetest.Chosen(t, requesters.Schema)
	rs := registry(t, db, c, nil)
	var told []string
	refuse := false
	rs.OnChange(func(_ context.Context, tx *store.Tx, g requesters.Registration) error {
		if refuse {
			return fail.New(fail.Unavailable, "not now")
		}
		tx.AfterCommit(func() { told = append(told, g.Account()+" "+g.Status) })
		return nil
	})
	if _, err := rs.Add(t.Context(), requesters.Registration{Domain: "b.example", ID: "bot"}); err != nil {
		t.Fatal(err)
	}
	if _, err := rs.Change(t.Context(), "B.example", "bot",
		func(g *requesters.Registration) error { g.Rate, g.Domain = "1/1s", "other"; return nil }); err != nil {
		t.Fatal(err)
	}
	refuse = true
	_, err := rs.SetStatus(t.Context(), "b.example", "bot", requesters.Suspended)
	said(t, "a change that cannot be told", err, fail.Unavailable)
	if g, err := rs.Get(t.Context(), "b.example", "bot"); err != nil || g.Status != requesters.Active ||
		g.Rate != "1/1s" {
		t.Errorf("%+v, %v", g, err)
	}
	refuse = false
	if _, err := rs.SetStatus(t.Context(), "b.example", "bot", requesters.Removed); err != nil {
		t.Fatal(err)
	}
	if want := "b.example/bot active, b.example/bot active, b.example/bot removed"; strings.Join(told, ", ") != want {
		t.Errorf("told %q, want %q", strings.Join(told, ", "), want)
	}
	_, err = rs.Get(t.Context(), "b.example", "bot")
	said(t, "removed", err, fail.NotFound)
}

// BenchmarkIdentify beside the one verification that it cannot do without.
func BenchmarkIdentify(b *testing.B) {
	c := newClock()
	rs := registry(b, storetest.Chosen(b, requesters.Schema), c, nil)
	if _, err := rs.Add(b.Context(), requesters.Registration{Domain: "buyer.example.com", ID: "bot",
		Keys: []ramp.Key{{ID: "k0", Public: public(0)}}}); err != nil {
		b.Fatal(err)
	}
	message := &rampv1.Requester{Id: "bot", Domain: "buyer.example.com",
		Uris: []string{"https://news.example.com/premium/a.html"}}
	signed := bodySigned(b, &rampv1.Requester{Id: "bot", Domain: "buyer.example.com", Uris: message.Uris}, key(0))
	call := signedCall(b, c.Now(), signer{"agent", "buyer.example.com#k0", key(0)})
	payload, _ := ramp.RequesterPayload(signed)
	raw, _ := base64.StdEncoding.DecodeString(signed.Signature)
	b.Run("floor", func(b *testing.B) {
		for b.Loop() {
			if !ed25519.Verify(public0, payload, raw) {
				b.Fatal("the floor does not verify")
			}
		}
	})
	for name, v := range map[string]struct {
		message *rampv1.Requester
		call    requesters.Call
	}{"body": {signed, requesters.Call{}}, "http": {message, call}} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := rs.Identify(b.Context(), v.message, v.call); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

var public0 = public(0)

// TestChangesByManyAreAllRead holds that no change is passed over by who reads what changed since
// it last looked, however many are made at once.
func TestChangesByManyAreAllRead(t *testing.T) {
	t.Parallel()
	storetest.EachDSN(t, func(t *testing.T, fresh storetest.Fresh) {
		c, dsn := newClock(), fresh(t)
		reader := registry(t, storetest.Open(t, dsn, requesters.Schema), c, nil)
		var all sync.WaitGroup
		for w := range 4 {
			writer := registry(t, storetest.Open(t, dsn, requesters.Schema), c, nil)
			all.Go(func() {
				for i := range 8 {
					if _, err := writer.Add(t.Context(),
						requesters.Registration{Domain: "buyer.example.com", ID: fmt.Sprint(w, "-", i)}); err != nil {
						t.Error(err)
					}
					if _, err := reader.List(t.Context(), ""); err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
		if list, err := reader.List(t.Context(), ""); err != nil || len(list) != 32 {
			t.Errorf("%d of 32 are known, %v", len(list), err)
		}
	})
}

// TestPurchasesAreSignedOverHTTP holds who may spend by the default: the requester over HTTP, or a
// Broker over HTTP with the requester's signature in the message, for the addresses in it; and that
// each such request has the proof that counts once.
func TestPurchasesAreSignedOverHTTP(t *testing.T) {
	t.Parallel()
	c, host, brokers := newClock(), newAgentHost(t), newAgentHost(t)
	host.publishes(t, "bot", ramp.Key{ID: "k0", Public: public(0)})
	brokers.publishes(t, "b1", ramp.Key{ID: "k2", Public: public(2)})
	domain, uris := host.domain(), []string{"https://a.example/1"}
	plain := &rampv1.Requester{Id: "bot", Domain: domain, Uris: uris}
	seen := bodySigned(t, &rampv1.Requester{Id: "bot", Domain: domain, Uris: uris}, key(0))
	own, broker := signer{"agent", domain + "#k0", key(0)}, signer{"broker", brokers.domain() + "#k2", key(2)}
	forged := signer{"broker", brokers.domain() + "#k2", key(3)}
	for name, v := range map[string]struct {
		purchases string
		message   *rampv1.Requester
		http      []signer
		change    func(*requesters.Call)
		want      string // how it was signed, and by which Broker
	}{
		"seen":                     {"required", seen, nil, nil, ""},
		"seen, where that will do": {"body", seen, nil, nil, "body"},
		"over HTTP":                {"required", plain, []signer{own}, nil, "http"},
		"by a Broker":              {"required", seen, []signer{broker}, nil, "body " + brokers.domain()},
		"by a Broker alone":        {"required", plain, []signer{broker}, nil, ""},
		"by a forged Broker":       {"required", seen, []signer{forged}, nil, ""},
		"to a Broker, by another": {"required", seen, []signer{broker}, func(call *requesters.Call) {
			call.Brokered = false
		}, ""},
		"at an address of the sender's word": {"required", plain, []signer{own}, func(call *requesters.Call) {
			call.UnknownHost = true
		}, ""},
	} {
		rs := registry(t, storetest.Chosen(t, requesters.Schema), c, func(config *requesters.Config) {
			config.Purchases = v.purchases
		})
		call := signedCall(t, c.Now(), v.http...)
		call.Spends, call.Brokered = true, true
		if v.change != nil {
			v.change(&call)
		}
		r, err := rs.Identify(t.Context(), v.message, call)
		if got := strings.TrimSpace(r.Signed + " " + r.Broker); err == nil && got != v.want || err != nil &&
			(v.want != "" || codeOf(err) != fail.Unauthorized) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
		if err == nil && (len(v.http) > 0) != (r.Proof != nil) || r.Broker != "" &&
			(len(r.Covered) != 1 || r.Covered[0] != uris[0]) {
			t.Errorf("%s: %+v", name, r)
		}
	}
	rs := registry(t, storetest.Chosen(t, requesters.Schema), c, func(config *requesters.Config) {
		config.Purchases = "required"
	})
	if _, err := rs.Identify(t.Context(), nil, requesters.Call{Spends: true}); codeOf(err) != fail.Unauthorized {
		t.Errorf("a report that nobody signed: %v", err)
	}
}

// TestAProgramsSignatureIsNoBuyers: what says which program asks (Web Bot Auth) changes nothing of
// who the party to RAMP is, whether that one signs or not.
func TestAProgramsSignatureIsNoBuyers(t *testing.T) {
	t.Parallel()
	c, host := newClock(), newAgentHost(t)
	host.publishes(t, "bot", ramp.Key{ID: "k0", Public: public(0)})
	plain := &rampv1.Requester{Id: "bot", Domain: host.domain(), Uris: []string{"https://a.example/1"}}
	seen := bodySigned(t, &rampv1.Requester{Id: "bot", Domain: host.domain(), Uris: plain.GetUris()}, key(0))
	for _, policy := range []string{
		requesters.SignaturesNone, requesters.SignaturesBody, requesters.SignaturesRequired,
	} {
		rs := registry(t, storetest.Chosen(t, requesters.Schema), c, func(config *requesters.Config) {
			config.Signatures, config.Purchases = policy, policy
		})
		for name, v := range map[string]struct {
			message *rampv1.Requester
			by      []signer
		}{
			"nobody signed":            {plain, nil},
			"the message is signed":    {seen, nil},
			"the request is signed":    {plain, []signer{{"agent", host.domain() + "#k0", key(0)}}},
			"nobody is named":          {nil, nil},
			"nobody is named, of whom": {nil, []signer{{"agent", host.domain() + "#k0", key(0)}}},
		} {
			for _, spends := range []bool{false, true} {
				call := signedCall(t, c.Now(), v.by...)
				call.Spends, call.Brokered = spends, true
				want, wantErr := rs.Identify(t.Context(), v.message, call)
				err := botauth.Own{Directory: "https://bot.example/keys", Key: key(7)}.Sign(
					sign.Request{Method: call.Method, Target: target, Header: call.Header}, "n", c.Now())
				if err != nil || !botauth.Signed(call.Header) {
					t.Fatal(err)
				}
				got, err := rs.Identify(t.Context(), v.message, call)
				if codeOf(err) != codeOf(wantErr) || got.ID != want.ID || got.Signed != want.Signed ||
					got.Broker != want.Broker {
					t.Errorf("%s, %s, spends: %v: with it %+v, %v; without %+v, %v", policy, name, spends, got, err,
						want, wantErr)
				}
			}
		}
	}
}

// TestARequesterIsKnownAsSoonAsSomebodyElseRegistersIt holds that what was read of the tables holds
// for a second only of those whom it names: another process may have registered a requester since,
// and its first request is no stranger's.
func TestARequesterIsKnownAsSoonAsSomebodyElseRegistersIt(t *testing.T) {
	t.Parallel()
	storetest.EachDSN(t, func(t *testing.T, fresh storetest.Fresh) {
		c, dsn := newClock(), fresh(t)
		reader := registry(t, storetest.Open(t, dsn, requesters.Schema), c, nil)
		writer := registry(t, storetest.Open(t, dsn, requesters.Schema), c, nil)
		message := bodySigned(t, &rampv1.Requester{Id: "bot", Domain: "buyer.example.com",
			Uris: []string{"https://a.example/1"}}, key(0))
		_, err := reader.Identify(t.Context(), message, requesters.Call{})
		said(t, "before it is registered", err, fail.Unauthorized)
		if _, err := writer.Add(t.Context(), requesters.Registration{Domain: "buyer.example.com", ID: "bot",
			Keys: []ramp.Key{{ID: "k0", Public: public(0)}}}); err != nil {
			t.Fatal(err)
		}
		c.Advance(100 * time.Millisecond)
		if r, err := reader.Identify(t.Context(), message, requesters.Call{}); err != nil || r.KeyID != "k0" {
			t.Errorf("a tenth of a second later: %+v, %v", r, err)
		}
	})
}
