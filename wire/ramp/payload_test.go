package ramp_test

import (
	"crypto/ed25519"
	"encoding/base64"
	"math"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
	"frontdesk/wire/sign"
)

// workedKey is the key of the worked values: its seed is the bytes 0 to 31.
func workedKey() ed25519.PrivateKey {
	seed := make([]byte, ed25519.SeedSize)
	for i := range seed {
		seed[i] = byte(i)
	}
	return ed25519.NewKeyFromSeed(seed)
}

// hold signs a payload and compares both with what was worked out elsewhere.
func hold(t *testing.T, payload []byte, err error, want, signature string) {
	t.Helper()
	if err != nil || string(payload) != want {
		t.Fatalf("payload %s, %v\nwant %s", payload, err, want)
	}
	if got := sign.EncodeSignature(ed25519.Sign(workedKey(), payload)); got != signature {
		t.Errorf("signature %s, want %s", got, signature)
	}
}

func TestRequesterSignsFourMembers(t *testing.T) {
	t.Parallel()
	if got := base64.StdEncoding.EncodeToString(workedKey().Public().(ed25519.PublicKey)); got !=
		"A6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg=" {
		t.Fatalf("the key is %s", got)
	}
	requester := &rampv1.Requester{Id: "research-bot", Domain: "buyer.example.com", Scopes: []string{"*"},
		Uris: []string{"https://cdn.example.net/premium/a.html"}}
	payload, err := ramp.RequesterPayload(requester)
	hold(t, payload, err, `{"domain":"buyer.example.com","id":"research-bot","scopes":["*"],"uris":["https://cdn.example.net/premium/a.html"]}`,
		"8EqVuRBuom0cIZOlcEPZsienG2rJyCPCdepAtO/aDtd/x8lol+H8ctWL2cxW0qFd1aaEaVR6orVDmwIbEi/sCA==")
	payload, err = ramp.RequesterPayload(&rampv1.Requester{Id: "<a&b>", Type: 1, Signature: "s"})
	if want := `{"domain":"","id":"<a&b>","scopes":[],"uris":[]}`; err != nil || string(payload) != want {
		t.Errorf("payload %s, %v; want %s", payload, err, want)
	}
}

func TestAttestationIsSignedAsItCame(t *testing.T) {
	t.Parallel()
	claims := `"claims":{"language":"en","estimated_quantity":3200,"ratio":5e-2,"content_hash":"sha256:00ff"}`
	read := func(at string) *rampv1.ResourceAttestation {
		a := &rampv1.ResourceAttestation{}
		if err := ramp.Unmarshal([]byte(`{"verifier":"provider.example","kid":"k1","uri":"https://provider.example/a","attested_at":"`+at+`","signature":"x",`+claims+`}`), a); err != nil {
			t.Fatal(err)
		}
		return a
	}
	payload, err := ramp.AttestationPayload(read("2026-03-18T09:00:00Z"))
	hold(t, payload, err, `{"attested_at":"2026-03-18T09:00:00Z","claims":{"content_hash":"sha256:00ff","estimated_quantity":3200,"language":"en","ratio":0.05},`+
		`"kid":"k1","uri":"https://provider.example/a","verifier":"provider.example"}`,
		"cymvkzY3Mk1d3EAfdp9u2pni2qM8nLK4bRfwkhhx8sW9dLT0kVdcXyzye/wGZf7padPnZduaOXG/Cc7izcjFAg==")
	for _, at := range []string{"2026-03-18T09:00:00.0Z", "2026-03-18T10:00:00+01:00"} {
		if payload, err := ramp.AttestationPayload(read(at)); err != nil || !strings.Contains(string(payload), `"`+at+`"`) {
			t.Errorf("%s was signed as %s, %v", at, payload, err)
		}
	}
	payload, err = ramp.AttestationPayload(&rampv1.ResourceAttestation{Kid: "k"})
	if want := `{"attested_at":"","claims":{},"kid":"k","uri":"","verifier":""}`; err != nil || string(payload) != want {
		t.Errorf("payload %s, %v; want %s", payload, err, want)
	}
}

func TestOfferIsSignedWithoutItsSignatureAlone(t *testing.T) {
	t.Parallel()
	offer := &rampv1.Offer{}
	text := `{"offer_id":"o","pricing":{"model":1,"rate":0.00001515,"unit_cost":1e-7,"currency":"EUR"},"expires_at":"2026-03-18T09:05:00Z",` +
		`"exchange_signature":"s","signature_algorithm":"ed25519","subscription_id":"","ext":{"b":1.0,"a":[]}}`
	if err := ramp.Unmarshal([]byte(text), offer); err != nil {
		t.Fatal(err)
	}
	payload, err := ramp.OfferPayload(offer)
	want := `{"expires_at":"2026-03-18T09:05:00Z","ext":{"a":[],"b":1},"offer_id":"o",` +
		`"pricing":{"currency":"EUR","model":"PRICING_MODEL_PER_ACCESS","rate":0.00001515,"unit_cost":1e-7},"signature_algorithm":"ed25519","subscription_id":""}`
	if err != nil || string(payload) != want {
		t.Errorf("payload %s, %v\nwant %s", payload, err, want)
	}
	if offer.ExchangeSignature != "s" {
		t.Error("the offer lost its signature")
	}
}

func TestHopSignsTheQueryWithTheHopsSoFar(t *testing.T) {
	t.Parallel()
	query := &rampv1.ResourceQuery{Id: "q", Intermediaries: []*rampv1.IntermediaryHop{
		{Domain: "a.example", Id: "a", Signature: "first"}, {Domain: "b.example", Id: "b", Signature: "second"},
		{Domain: "c.example", Id: "c", Signature: "third"},
	}}
	for hop, want := range []string{
		`{"id":"q","intermediaries":[{"domain":"a.example","id":"a"}]}`,
		`{"id":"q","intermediaries":[{"domain":"a.example","id":"a","signature":"first"},{"domain":"b.example","id":"b"}]}`,
	} {
		if payload, err := ramp.HopPayload(query, hop); err != nil || string(payload) != want {
			t.Errorf("hop %d signs %s, %v\nwant %s", hop, payload, err, want)
		}
	}
	for _, hop := range []int{-1, 3} {
		if payload, err := ramp.HopPayload(query, hop); err == nil {
			t.Errorf("hop %d, which is none, signs %s", hop, payload)
		}
	}
	if query.Intermediaries[1].Signature != "second" || len(query.Intermediaries) != 3 {
		t.Error("the query was changed")
	}
}

func TestAgentIdentityIsHashedByIdAndDomain(t *testing.T) {
	t.Parallel()
	if got := ramp.AgentIdentityHash("research-bot", "buyer.example.com"); got !=
		"4905fbc220a2fbd769444e0bd4eef3f2afa9e290270b5c93bd4654a02491ab66" {
		t.Error(got)
	}
}

// The samples of RFC 8785, Appendix B, as prices: a double's bits and how it is signed.
func TestPricesAreSignedAsTheStandardWritesDoubles(t *testing.T) {
	t.Parallel()
	for bits, want := range map[uint64]string{
		0x0000000000000000: "0", 0x8000000000000000: "0",
		0x0000000000000001: "5e-324", 0x8000000000000001: "-5e-324",
		0x7fefffffffffffff: "1.7976931348623157e+308", 0xffefffffffffffff: "-1.7976931348623157e+308",
		0x4340000000000000: "9007199254740992", 0xc340000000000000: "-9007199254740992",
		0x4430000000000000: "295147905179352830000",
		0x44b52d02c7e14af5: "9.999999999999997e+22", 0x44b52d02c7e14af6: "1e+23",
		0x44b52d02c7e14af7: "1.0000000000000001e+23",
		0x444b1ae4d6e2ef4e: "999999999999999700000", 0x444b1ae4d6e2ef4f: "999999999999999900000",
		0x444b1ae4d6e2ef50: "1e+21",
		0x3eb0c6f7a0b5ed8c: "9.999999999999997e-7", 0x3eb0c6f7a0b5ed8d: "0.000001",
		0x41b3de4355555553: "333333333.3333332", 0x41b3de4355555554: "333333333.33333325",
		0x41b3de4355555555: "333333333.3333333",
		0x41b3de4355555556: "333333333.3333334", 0x41b3de4355555557: "333333333.33333343",
		0xbecbf647612f3696: "-0.0000033333333333333333", 0x43143ff3c1cb0959: "1424953923781206.2",
	} {
		price := math.Float64frombits(bits)
		payload, err := ramp.OfferPayload(&rampv1.Offer{Pricing: &rampv1.Pricing{UnitCost: proto.Float64(price)}})
		if got := string(payload); err != nil || got != `{"pricing":{"unit_cost":`+want+`}}` {
			t.Errorf("%x is signed as %s, %v; want %s", bits, got, err, want)
		}
	}
	for _, price := range []float64{math.NaN(), math.Inf(1)} {
		if payload, err := ramp.OfferPayload(&rampv1.Offer{Pricing: &rampv1.Pricing{Rate: price}}); err == nil {
			t.Errorf("signed: %s", payload)
		}
	}
}
