package ramp

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	rampv1 "frontdesk/wire/ramp/v1"
	"frontdesk/wire/sign"
)

// The levels of attestations (RAMP v1, ResourceAttestation): nothing is attested, the provider
// attests its own content, and somebody else does.
const (
	LevelNone       = 0
	LevelSelf       = 1
	LevelThirdParty = 2
)

// MaxClockSkew is how far others' clocks may be ahead of ours or behind.
const MaxClockSkew = 5 * time.Minute

// Why an attestation does not hold, as errors.Is finds them in the errors of VerifyAttestation.
var (
	ErrClaimsTooLarge   = errors.New("its claims have more than 4,096 bytes in canonical form")
	ErrOtherURI         = errors.New("it is about another address")
	ErrAttestedLater    = errors.New("its time is in the future, or before its key began")
	ErrNoVerifierKey    = errors.New("its verifier has no key of that name")
	ErrKeyOver          = errors.New("the time of its key is over, or has not come")
	ErrWrongAttestation = errors.New("its signature is not that of its key over verifier, kid, attested_at, uri and " +
		"claims as canonical JSON (RFC 8785)")
)

// LevelOf is the level of one attestation of a provider's content, as it says itself: see
// VerifyAttestation for whether it holds.
func LevelOf(a *rampv1.ResourceAttestation, provider string) int {
	if strings.EqualFold(a.GetVerifier(), provider) {
		return LevelSelf
	}
	return LevelThirdParty
}

// SignAttestation signs an attestation that lacks nothing but its signature, which it puts in (RAMP
// v1, ResourceAttestation). The error says what of it cannot be attested.
func SignAttestation(a *rampv1.ResourceAttestation, key ed25519.PrivateKey) error {
	a.Signature = "unsigned"
	err := Validate(a)
	a.Signature = ""
	if err != nil {
		return err
	}
	payload, claims, err := attestationPayload(a)
	switch {
	case err != nil:
		return err
	case claims > MaxClaims:
		return ErrClaimsTooLarge
	}
	a.Signature = sign.EncodeSignature(ed25519.Sign(key, payload))
	return nil
}

// VerifyAttestation says why an attestation does not hold at a time for what is at an address: its
// claims are bounded, it is about exactly that address, one of its verifier's keys goes by its kid
// and is good now, it is not older than that key, nor from the future by more than [MaxClockSkew],
// and its signature is the key's. keys are all that the verifier publishes. Nil is that it holds.
// The error is one of those above, perhaps with more said.
func VerifyAttestation(a *rampv1.ResourceAttestation, uri string, keys []Key, now time.Time) error {
	return VerifyAttestationBy(ed25519.Verify, a, uri, keys, now)
}

// VerifyAttestationBy is VerifyAttestation with another way to verify, which has to say what
// [ed25519.Verify] says.
func VerifyAttestationBy(verify func(public ed25519.PublicKey, message, signature []byte) bool,
	a *rampv1.ResourceAttestation, uri string, keys []Key, now time.Time) error {
	if err := Validate(a); err != nil {
		return fmt.Errorf("%w: %w", ErrWrongAttestation, err)
	}
	payload, claims, err := attestationPayload(a)
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w", ErrWrongAttestation, err)
	case claims > MaxClaims:
		return ErrClaimsTooLarge
	}
	if a.Uri != uri {
		return fmt.Errorf("%w: %.200q", ErrOtherURI, a.Uri)
	}
	named := slices.DeleteFunc(slices.Clone(keys), func(k Key) bool { return k.ID != a.Kid })
	if len(named) == 0 {
		return fmt.Errorf("%w: %.80q", ErrNoVerifierKey, a.Kid)
	}
	good := slices.DeleteFunc(named, func(k Key) bool { return !k.Good(now) })
	if len(good) == 0 {
		return ErrKeyOver
	}
	signature, err := sign.DecodeSignature(a.Signature)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrWrongAttestation, err)
	}
	at := a.AttestedAt.AsTime()
	err = ErrWrongAttestation
	for _, k := range good {
		switch {
		case !verify(k.Public, payload, signature):
		case at.After(now.Add(MaxClockSkew)), !k.From.IsZero() && at.Before(k.From.Add(-MaxClockSkew)):
			err = ErrAttestedLater
		default:
			return nil
		}
	}
	return err
}
