package broker

import (
	"bytes"
	"crypto/ed25519"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"frontdesk/internal/testkit/storetest"
	"frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
)

// TestVerifiersAreAskedSideBySide has the word on each of three addresses be of another verifier,
// none of which answers before all were asked: what they attest is taken.
func TestVerifiersAreAskedSideBySide(t *testing.T) {
	t.Parallel()
	const n = 3
	key := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{7}, ed25519.SeedSize))
	asked, all := make(chan struct{}, n), make(chan struct{})
	go func() {
		for range n {
			<-asked
		}
		close(all)
	}()
	var verifiers []string
	for range n {
		var document []byte
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked <- struct{}{}
			select {
			case <-all:
				w.Write(document)
			case <-r.Context().Done():
			}
		}))
		t.Cleanup(server.Close)
		verifiers = append(verifiers, strings.TrimPrefix(server.URL, "http://"))
		var err error
		if document, err = ramp.WriteVerifierKeys(verifiers[len(verifiers)-1], "V", nil,
			[]ramp.Key{{ID: "a", Public: key.Public().(ed25519.PublicKey), From: time.Unix(1, 0),
				Active: true}}); err != nil {
			t.Fatal(err)
		}
	}
	d := openDesk(t, storetest.OpenSQLite(t, Schema), 1, func(c *Config) { c.Verifiers = verifiers })
	x := d.at[0]
	var first *rampv1.Offer
	x.Offer = func(_ string, o *rampv1.Offer) *rampv1.Offer {
		first = o
		return o
	}
	x.More = func(uri string) []*rampv1.Offer {
		more := proto.CloneOf(first)
		more.OfferId += "-more" // so that the other would be taken by its id
		a := &rampv1.ResourceAttestation{}
		if err := ramp.Unmarshal(fmt.Appendf(nil, `{"verifier":%q,"kid":"a","attested_at":"2026-03-18T09:00:00Z","uri":%q,"claims":{"word_count":3}}`, verifiers[uri[len(uri)-1]-'0'], uri), a); err != nil {
			t.Error(err)
		}
		if err := ramp.SignAttestation(a, key); err != nil {
			t.Error(err)
		}
		more.Attestations = []*rampv1.ResourceAttestation{a}
		return []*rampv1.Offer{more}
	}
	bought := items(t, d.must(d.request("r1", "0", "1", "2")))
	if len(bought) != n {
		t.Errorf("%d were bought", len(bought))
	}
	for uri, one := range bought {
		if offer := one.GetExt().
			GetFields()[extOffer].GetStructValue(); len(offer.GetFields()["attestations"].GetListValue().GetValues()) !=
			1 {
			t.Errorf("of %s the offer is taken that nobody attests", uri)
		}
	}
}
