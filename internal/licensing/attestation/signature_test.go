package attestation_test

import (
	"bytes"
	"crypto/ed25519"
	"encoding/hex"
	"errors"
	"math/big"
	"slices"
	"testing"
	"time"

	"frontdesk/internal/licensing/attestation"
	"frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
	"frontdesk/wire/sign"
)

// TestCheckRefusesSignaturesThatLaxVerifiersTake holds RFC 8032 §5.1.7 where verifiers differ: S is
// below the order of the group, R is compared as it is written, and no cofactor makes a signature
// good.
func TestCheckRefusesSignaturesThatLaxVerifiersTake(t *testing.T) {
	t.Parallel()
	good := signature(t)
	for name, c := range map[string]struct {
		key       ed25519.PublicKey
		signature []byte
	}{
		"another R":          {public(1), slices.Concat([]byte{good[0] ^ 1}, good[1:])},
		"another S":          {public(1), slices.Concat(good[:63], []byte{good[63] ^ 1})},
		"S beyond the order": {public(1), slices.Concat(good[:32], plusOrder(good[32:]))},
		"an R of small order": {public(1), slices.Concat(fromHex(t, "ecffffffffffffffffffffffffffffff"+
			"ffffffffffffffffffffffffffffff7f"), good[32:])},
		"by a key that is no point": {fromHex(t, "02"+zeros(31)), make([]byte, 64)},
		"by another key":            {public(2), good},
		// The key is the neutral point, so that R is it, too; here it is written with y = p + 1.
		"an R in a second form": {fromHex(t, "01"+zeros(31)), fromHex(t, "eeffffffffffffffffffffffffffffff"+
			"ffffffffffffffffffffffffffffff7f"+zeros(32))},
		// The key is a good point and one of order 2: good only for who multiplies by the cofactor.
		"good by the cofactor alone": {
			fromHex(t, "9c2c157345047988811f17fea4b6ea1da84f9ab1e81e026f00dd0c5704b07ef9"),
			fromHex(t, "d41bb1ea0f7a20c97036afcfb7df29e1a14ce9d49bf15dec5c4e69fc1a3b2f3e"+
				"ecd32410e68dffcf87bdf343607fa6308bf3d006bf331f8b06e493810cbb8801"),
		},
	} {
		if err := check(t, c.key, c.signature); err == nil {
			t.Errorf("%s: it holds", name)
		}
	}
	if err := check(t, public(1), good); err != nil {
		t.Error(err)
	}
	// The same cancels: it is good without a cofactor.
	if err := check(t, fromHex(t, "6ecb964bd3bfdf5b98765ceefca1e62da3eb03ed82b4e4278535181736789bca"),
		fromHex(t, "9669f5eea31a2dccdbbb5c075d97173fa76a3e01883c08953524b791d2a2101c"+
			"aded52ccf64e234d2d77a3a6ae051b529e6fb07e40d3b88c95ce7a3428f52308")); err != nil {
		t.Error(err)
	}
}

// check says why an attestation with this signature does not hold where its verifier has this key.
func check(t *testing.T, key ed25519.PublicKey, signature []byte) error {
	t.Helper()
	c := &attestation.Checker{
		Verifiers: published{provider: {{ID: "k1", Public: key}}}, Now: func() time.Time { return moment },
	}
	a := signed(t, provider, nil)
	a.Signature = sign.EncodeSignature(signature)
	_, err := c.Check(t.Context(), attestation.Subject{Provider: provider, URI: uri}, []*rampv1.ResourceAttestation{a})
	var rejection *attestation.Rejection
	if err != nil && (!errors.As(err, &rejection) || rejection.Reason != attestation.AttestationSignatureInvalid) {
		t.Fatal(err)
	}
	return err
}

// signature is that of key 1 over what the vectors sign.
func signature(t *testing.T) []byte {
	t.Helper()
	payload, err := ramp.AttestationPayload(signed(t, provider, nil))
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"attested_at":"2026-03-18T09:00:00Z","claims":{"word_count":3},"kid":"k1",` +
		`"uri":"https://provider.example/a","verifier":"provider.example"}`; string(payload) != want {
		t.Fatalf("the vectors sign %s, and this is %s", want, payload)
	}
	return ed25519.Sign(key(1), payload)
}

// plusOrder adds the order of the group to a number, the lowest byte first.
func plusOrder(number []byte) []byte {
	order, _ := new(big.Int).SetString(
		"7237005577332262213973186563042994240857116359379907606001950938285454250989", 10)
	n := bytes.Clone(number)
	slices.Reverse(n)
	n = order.Add(order, new(big.Int).SetBytes(n)).FillBytes(make([]byte, 32))
	slices.Reverse(n)
	return n
}

func fromHex(t *testing.T, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func zeros(n int) string { return hex.EncodeToString(make([]byte, n)) }
