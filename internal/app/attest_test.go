package app

import (
	"strings"
	"testing"
	"time"

	wire "frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
)

// TestOffersAreAttestedByTheirSite holds that what is offered bears the site's own attestation,
// that it holds under the keys that the site publishes, before and after another key has followed,
// and that nothing is attested where the owner does not want that.
func TestOffersAreAttestedByTheirSite(t *testing.T) {
	t.Parallel()
	m := openMarket(t, "site: {name: Example, url: \"https://example.com\"}\nramp: {enabled: true}")
	offered := func() (*rampv1.Offer, *rampv1.ResourceAttestation) {
		t.Helper()
		w := send(m, posted("POST", discover, m.query(m.inBody(m.key))))
		answer := &rampv1.ResourceResponse{}
		if err := wire.Unmarshal(w.Body.Bytes(), answer); err != nil || len(answer.Offers) != 1 ||
			len(answer.Offers[0].Attestations) != 1 {
			t.Fatalf("%v: %s", err, w.Body)
		}
		return answer.Offers[0], answer.Offers[0].Attestations[0]
	}
	keys := func(path string) []wire.Key {
		t.Helper()
		name, all, err := wire.ReadKeys(get(m.App, path).Body.Bytes())
		if err != nil || name != "example.com" {
			t.Fatalf("%s is of %q: %v", path, name, err)
		}
		return all
	}
	offer, first := offered()
	uri := offer.Identity.GetCanonicalUrl()
	for _, path := range []string{
		"https://example.com/.well-known/ramp-verifier.json", "/provider/example.com/ramp-verifier.json",
	} {
		if err := wire.VerifyAttestation(first, uri, keys(path), m.clock.Now()); err != nil ||
			wire.LevelOf(first, offer.Package.GetSeller()) != wire.LevelSelf {
			t.Errorf("%s: %v, %v", path, first, err)
		}
	}
	if got := first.Claims.Fields["content_hash"].GetStringValue(); got != "sha256:"+offer.Identity.GetContentHash() ||
		len(got) != 71 {
		t.Errorf("attested is the hash %q, offered %q", got, offer.Identity.GetContentHash())
	}
	if _, again := offered(); again.Signature != first.Signature {
		t.Error("each offer is attested anew")
	}
	if _, err := m.VerifierKeys.Rotate(time.Hour); err != nil {
		t.Fatal(err)
	}
	m.clock.Advance(time.Second)
	_, second := offered()
	for _, a := range []*rampv1.ResourceAttestation{first, second} {
		if err := wire.VerifyAttestation(a, uri, keys("/provider/example.com/ramp-verifier.json"),
			m.clock.Now()); err != nil {
			t.Errorf("while both keys are good: %v", err)
		}
	}
	m.clock.Advance(time.Hour)
	if err := wire.VerifyAttestation(first, uri, keys("/provider/example.com/ramp-verifier.json"),
		m.clock.Now()); err == nil || second.Kid == first.Kid {
		t.Errorf("what a key signed that is over holds: %v", err)
	}
	if w := get(m.App, "/provider/other.example/ramp-verifier.json"); w.Code != 404 {
		t.Errorf("keys of a host that is none of ours: %d %s", w.Code, w.Body)
	}
	silent := openMarket(t, "site: {name: Example, url: \"https://example.com\"}\nramp: {enabled: true, attest: false}")
	if w := send(silent, posted("POST", discover, silent.query(silent.inBody(silent.key)))); !strings.Contains(
		w.Body.String(), `"offers"`) || strings.Contains(w.Body.String(), "attestations") {
		t.Errorf("with attest: false: %s", w.Body)
	}
}
