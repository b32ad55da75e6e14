package attestation_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/infra/fetch"
	"frontdesk/internal/licensing/attestation"
	"frontdesk/wire/contenthash"
	"frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
)

const (
	provider = "provider.example"
	uri      = "https://provider.example/a"
)

func key(n byte) ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed(bytes.Repeat([]byte{n}, ed25519.SeedSize))
}

func public(n byte) ed25519.PublicKey { return key(n).Public().(ed25519.PublicKey) }

var moment = time.Date(2026, 3, 18, 9, 0, 0, 0, time.UTC)

// signed is an attestation of what is at uri that key 1 of a verifier signs as "k1", after a
// change.
func signed(t testing.TB, verifier string, change func(*rampv1.ResourceAttestation)) *rampv1.ResourceAttestation {
	t.Helper()
	claims, err := structpb.NewStruct(map[string]any{"word_count": 3})
	if err != nil {
		t.Fatal(err)
	}
	a := &rampv1.ResourceAttestation{Verifier: verifier, Kid: "k1", AttestedAt: timestamppb.New(moment), Uri: uri,
		Claims: claims}
	if change != nil {
		change(a)
	}
	if err := ramp.SignAttestation(a, key(1)); err != nil {
		t.Fatal(err)
	}
	return a
}

// published are verifiers' keys by domain.
type published map[string][]ramp.Key

func (p published) Keys(_ context.Context, domain string, _ bool) ([]ramp.Key, error) {
	if keys, ok := p[domain]; ok {
		return keys, nil
	}
	return nil, errors.New("no document")
}

// TestPushedAttestationsAreRefusedForTheirReason holds each word of rejection, and each level,
// against what brings it about.
func TestPushedAttestationsAreRefusedForTheirReason(t *testing.T) {
	t.Parallel()
	good := ramp.Key{ID: "k1", Public: public(1), From: moment.Add(-time.Hour), Until: moment.Add(time.Hour)}
	c := &attestation.Checker{
		Verifiers: published{provider: {good}, "vendor.example": {good},
			"gone.example":  {{ID: "k1", Public: public(1), Until: moment}},
			"other.example": {{ID: "k1", Public: public(2)}}},
		Accepted: func(verifier string) bool { return verifier != "stranger.example" }, Now: func() time.Time {
			return moment
		},
	}
	own := attestation.Subject{Provider: provider, URI: uri}
	by := func(caller string, listed bool) attestation.Subject {
		return attestation.Subject{Provider: provider, URI: uri, Caller: caller, Contributor: listed}
	}
	for _, c2 := range []struct {
		name   string
		of     attestation.Subject
		all    []*rampv1.ResourceAttestation
		reason attestation.Reason
		level  int
	}{
		{"none", own, nil, "", ramp.LevelNone},
		{"the provider's own", own, []*rampv1.ResourceAttestation{signed(t, provider, nil)}, "", ramp.LevelSelf},
		{"a vendor's", own, []*rampv1.ResourceAttestation{signed(t, "vendor.example", nil)}, "", ramp.LevelThirdParty},
		{"both", own, []*rampv1.ResourceAttestation{signed(t, "vendor.example", nil), signed(t, provider, nil)}, "",
			ramp.LevelThirdParty},
		{"by the verifier", by("vendor.example", false),
			[]*rampv1.ResourceAttestation{signed(t, "vendor.example", nil)}, "", ramp.LevelThirdParty},
		{"by the provider", by(provider, false), []*rampv1.ResourceAttestation{signed(t, "vendor.example", nil)}, "",
			ramp.LevelThirdParty},
		{"by a contributor", by("helper.example", true),
			[]*rampv1.ResourceAttestation{signed(t, "vendor.example", nil)}, "", ramp.LevelThirdParty},
		{"by somebody", by("helper.example", false), []*rampv1.ResourceAttestation{signed(t, "vendor.example", nil)},
			attestation.UnauthorizedContributor, 0},
		{"a verifier that nobody trusts", own, []*rampv1.ResourceAttestation{signed(t, "stranger.example", nil)},
			attestation.UnknownVerifier, 0},
		{"a verifier without keys", own, []*rampv1.ResourceAttestation{signed(t, "silent.example", nil)},
			attestation.UnknownVerifier, 0},
		{"a key that is over", own, []*rampv1.ResourceAttestation{signed(t, "gone.example", nil)},
			attestation.UnknownVerifier, 0},
		{"a key that nobody knows", own,
			[]*rampv1.ResourceAttestation{signed(t, provider, func(a *rampv1.ResourceAttestation) { a.Kid = "k2" })},
			attestation.UnknownVerifier, 0},
		{"another's key", own, []*rampv1.ResourceAttestation{signed(t, "other.example", nil)},
			attestation.AttestationSignatureInvalid, 0},
		{"another address", own,
			[]*rampv1.ResourceAttestation{signed(t, provider, func(a *rampv1.ResourceAttestation) { a.Uri += "/" })},
			attestation.AttestationSignatureInvalid, 0},
		{"from the future", own,
			[]*rampv1.ResourceAttestation{signed(t, provider, func(a *rampv1.ResourceAttestation) {
				a.AttestedAt = timestamppb.New(moment.Add(6 * time.Minute))
			})}, attestation.AttestationSignatureInvalid, 0},
		{"older than its key", own,
			[]*rampv1.ResourceAttestation{signed(t, provider, func(a *rampv1.ResourceAttestation) {
				a.AttestedAt = timestamppb.New(moment.Add(-2 * time.Hour))
			})}, attestation.AttestationSignatureInvalid, 0},
		{"the second is wrong", own, []*rampv1.ResourceAttestation{signed(t, provider, nil),
			signed(t, "other.example", nil)}, attestation.AttestationSignatureInvalid, 0},
	} {
		checked, err := c.Check(t.Context(), c2.of, c2.all)
		var rejected *attestation.Rejection
		errors.As(err, &rejected)
		switch {
		case c2.reason == "" && (err != nil || len(checked) != len(c2.all) || levelOf(checked) != c2.level):
			t.Errorf("%s: %v, %v", c2.name, checked, err)
		case c2.reason != "" && (rejected == nil || rejected.Reason != c2.reason || rejected.Index != len(c2.all)-1):
			t.Errorf("%s: %v, want %s", c2.name, err, c2.reason)
		}
	}
	large := signed(t, provider, func(a *rampv1.ResourceAttestation) {
		a.Claims.Fields =
			map[string]*structpb.Value{"t": structpb.NewStringValue(strings.Repeat("x", ramp.MaxClaims-len(`{"t":""}`)))}
	})
	if _, err := c.Check(t.Context(), own, []*rampv1.ResourceAttestation{large}); err != nil {
		t.Errorf("claims as large as may be: %v", err)
	}
	large.Claims.Fields["t"] = structpb.NewStringValue(large.Claims.Fields["t"].GetStringValue() + "x")
	var rejected *attestation.Rejection
	if _, err := c.Check(t.Context(), own, []*rampv1.ResourceAttestation{large}); !errors.As(err, &rejected) ||
		rejected.Reason != attestation.ClaimsTooLarge {
		t.Errorf("claims of one byte too many: %v", err)
	}
}

// TestVerifiersDocuments holds that keys are read in both forms over a socket, once, that a
// document of another verifier is not believed, and that a key which was withdrawn is one no more.
func TestVerifiersDocuments(t *testing.T) {
	t.Parallel()
	var document atomic.Pointer[[]byte]
	var calls atomic.Int64
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		if r.URL.Path != requesters.VerifierPath {
			http.NotFound(w, r)
			return
		}
		w.Write(*document.Load())
	}))
	t.Cleanup(host.Close)
	domain := strings.TrimPrefix(host.URL, "http://")
	publish := func(verifier string, keys ...ramp.Key) {
		text, err := ramp.WriteVerifierKeys(verifier, "V", attestation.Schema, keys)
		if err != nil {
			t.Fatal(err)
		}
		document.Store(&text)
	}
	now := moment
	checker := func() *attestation.Checker {
		fetcher := fetch.New(fetch.Options{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
			MaxBytes: requesters.AgentBytes, Timeout: 10 * time.Second, MaxRedirects: -1})
		clock := func() time.Time { return now }
		return &attestation.Checker{Verifiers: requesters.NewVerifiers(fetcher, clock), Accepted: func(string) bool {
			return true
		}, Now: clock}
	}
	good := ramp.Key{ID: "k1", Public: public(1), From: moment.Add(-time.Hour), Active: true}
	publish(domain, good)
	c, all := checker(), []*rampv1.ResourceAttestation{signed(t, domain, nil)}
	of := attestation.Subject{Provider: provider, URI: uri}
	for range 3 {
		if _, err := c.Check(t.Context(), of, all); err != nil {
			t.Fatal(err)
		}
	}
	if calls.Load() != 1 {
		t.Errorf("the document was fetched %d times", calls.Load())
	}
	publish(domain, ramp.Key{ID: "k2", Public: public(2), Active: true})
	now = now.Add(2 * time.Hour)
	var rejected *attestation.Rejection
	if _, err := c.Check(t.Context(), of, all); !errors.As(err, &rejected) ||
		rejected.Reason != attestation.UnknownVerifier {
		t.Errorf("a key that was withdrawn: %v", err)
	}
	publish("other.example", good)
	if _, err := checker().Check(t.Context(), of, all); !errors.As(err, &rejected) ||
		rejected.Reason != attestation.UnknownVerifier || !strings.Contains(err.Error(), "another verifier") {
		t.Errorf("a verifier that lies: %v", err)
	}
	jwk := []byte(`{"keys":[{"kty":"OKP","crv":"Ed25519","kid":"k1","x":"` + base64.RawURLEncoding.EncodeToString(public(1)) + `"}]}`)
	document.Store(&jwk)
	if _, err := checker().Check(t.Context(), of, all); err != nil {
		t.Errorf("as a JSON Web Key: %v", err)
	}
}

// TestOwnAttestationsAreMadeOnce holds that a version of an item is attested once for a day, and
// anew under a key that follows; that what is not known is not claimed; and that what is made
// holds.
func TestOwnAttestationsAreMadeOnce(t *testing.T) {
	t.Parallel()
	now, by, built := moment, byte(1), 0
	own := &attestation.SelfAttester{Now: func() time.Time { return now },
		Key: func() (string, ed25519.PrivateKey, bool) {
			return "k" + string('0'+rune(by)), key(by), by > 0
		}}
	claims := func() attestation.Claims {
		built++
		return attestation.Claims{Hash: contenthash.Hash{Method: "sha256", Digits: "00ff"}, Quantity: 4, Words: 3,
			Language: "en-gb", Title: "A", Categories: []string{"52"}}
	}
	of := func(version string) *rampv1.ResourceAttestation {
		t.Helper()
		a, err := own.Attest(provider, uri, version, claims)
		if err != nil || a == nil {
			t.Fatal(a, err)
		}
		keys := []ramp.Key{{ID: a.Kid, Public: public(by)}}
		if err := ramp.VerifyAttestation(a, uri, keys, now); err != nil || ramp.LevelOf(a, provider) != ramp.LevelSelf {
			t.Errorf("%v: %v", a, err)
		}
		return a
	}
	first := of("1")
	text, err := ramp.AttestationPayload(first)
	if want := `{"attested_at":"2026-03-18T09:00:00Z","claims":{"content_hash":"sha256:00ff","estimated_quantity":4,"hash_method":"sha256","iab_categories":["52"],"language":"en","title":"A","word_count":3},` +
		`"kid":"k1","uri":"https://provider.example/a","verifier":"provider.example"}`; err != nil || string(text) != want {
		t.Errorf("attested is %s, %v\nwant %s", text, err, want)
	}
	now = now.Add(24*time.Hour - time.Second)
	if of("1") != first || built != 1 {
		t.Errorf("it was made %d times within a day", built)
	}
	if of("2") == first || built != 2 {
		t.Error("another version has the same attestation")
	}
	now = now.Add(time.Second)
	if of("1") == first {
		t.Error("it is the same after a day")
	}
	by = 2
	if a := of("1"); a.Kid != "k2" {
		t.Errorf("it is signed with %s after another key", a.Kid)
	}
	if a, err := own.Attest(provider, uri, "3", func() attestation.Claims {
		return attestation.Claims{Language: "und"}
	}); a != nil || err != nil {
		t.Errorf("nothing is known, and attested is %v, %v", a, err)
	}
	by = 0
	if a, err := own.Attest(provider, uri, "1", claims); a != nil || err != nil {
		t.Errorf("without a key: %v, %v", a, err)
	}
}

// levelOf is the level of content with attestations that hold: the highest of theirs, or
// ramp.LevelNone (RAMP v1, ResourceAttestation).
func levelOf(all []attestation.Verified) int {
	level := ramp.LevelNone
	for _, one := range all {
		level = max(level, one.Level)
	}
	return level
}
