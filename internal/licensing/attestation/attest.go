// Package attestation verifies signed claims about the content of an address, made by its provider
// or by a third party (RAMP v1, ResourceAttestation). It verifies them when they are pushed and
// again when they are offered, and signs those of this front desk about its own items.
//
// The package owns the rules of attestations and the cache of those that it signed. Keys come from
// identity/requesters. It must not know items, offers or terms: each call brings the [Subject].
// Enter by [Checker.Check] and [SelfAttester.Attest].
package attestation

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/infra/fail"
	"frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
)

// Reason is why what is pushed with attestations is refused, in RAMP's words.
type Reason string

// The reasons (RAMP v1, PushResources). SignatureInvalid is for who takes the push, who knows the
// caller's signature.
const (
	SignatureInvalid            Reason = "SIGNATURE_INVALID"
	UnauthorizedContributor     Reason = "UNAUTHORIZED_CONTRIBUTOR"
	AttestationSignatureInvalid Reason = "ATTESTATION_SIGNATURE_INVALID"
	UnknownVerifier             Reason = "UNKNOWN_VERIFIER"
	ClaimsTooLarge              Reason = "CLAIMS_TOO_LARGE"
)

// Rejection says which attestation does not hold, and why. Its text may be shown to whoever brought
// it.
type Rejection struct {
	Reason Reason
	Index  int // of the attestation among those that were looked at
	Err    error
}

// Error is the reason and what is wrong.
func (r *Rejection) Error() string {
	return fmt.Sprintf("%s: attestations[%d]: %v", r.Reason, r.Index, r.Err)
}

// Unwrap gives what is wrong.
func (r *Rejection) Unwrap() error { return r.Err }

// Subject is what attestations are about, and who brings them.
type Subject struct {
	Provider string // the domain whose content it is, in lower case
	URI      string // the content's address, which attestations must name exactly
	// Caller is the domain that brings them; empty for the provider, or the operator of this front
	// desk. Contributor says that the provider's ramp.json lists it in catalog_contributors.
	Caller      string
	Contributor bool
}

// Verified is an attestation that was verified, with its level.
type Verified struct {
	*rampv1.ResourceAttestation
	Level int // ramp.LevelSelf or ramp.LevelThirdParty
}

// Verifiers gives the keys that verifiers publish. *trust.Verifiers is one.
type Verifiers interface {
	// Keys gives all keys of a domain; with again, those that it publishes by now. Its errors are
	// those of [requesters.Verifiers.Keys].
	Keys(ctx context.Context, domain string, again bool) ([]ramp.Key, error)
}

var _ Verifiers = (*requesters.Verifiers)(nil)

// Checker verifies attestations. It has no state of its own; its methods may be called
// concurrently.
type Checker struct {
	Verifiers Verifiers
	// Accepted says whether somebody is trusted to attest other people's content; nil for nobody.
	// Providers are, of their own.
	Accepted func(verifier string) bool
	Now      func() time.Time
	// Throttle runs the verification of each attestation when there is capacity; nil runs it at
	// once.
	Throttle func(work func())
}

// Prefetched returns a checker that never waits for a network: it has the keys that it fetched of
// some verifiers beforehand.
func (c *Checker) Prefetched(ctx context.Context, verifiers map[string]bool) *Checker {
	known := gathered{}
	for verifier := range verifiers {
		if keys, err := c.Verifiers.Keys(ctx, verifier, false); err == nil {
			known[verifier] = keys
		}
	}
	all := *c
	all.Verifiers, all.Throttle = known, nil
	return &all
}

// ErrNotPrefetched is of an attestation of which a checker that waits for nobody cannot tell.
var ErrNotPrefetched = errors.New("its verifier's keys have to be asked for")

type gathered map[string][]ramp.Key

// Keys gives what was gathered of a domain.
func (g gathered) Keys(_ context.Context, domain string, again bool) ([]ramp.Key, error) {
	keys, ok := g[domain]
	if !ok || again {
		return nil, ErrNotPrefetched
	}
	return keys, nil
}

// Check looks whether all attestations of a subject hold, and gives them with their levels, in
// their order; how many there may be is for [rampapi.Validate] to say. The error is a *Rejection
// for the first that does not, fail.Unavailable when that cannot be told now, or ctx's.
func (c *Checker) Check(ctx context.Context, of Subject, all []*rampv1.ResourceAttestation) ([]Verified, error) {
	out := make([]Verified, 0, len(all))
	for i, a := range all {
		level, reason, err := c.check(ctx, of, a)
		switch {
		case reason != "":
			return nil, &Rejection{reason, i, err}
		case err != nil:
			return nil, err
		}
		out = append(out, Verified{a, level})
	}
	return out, nil
}

// Prepared is an attestation that is verified often and never changed. The key that verified it is
// remembered.
type Prepared struct {
	*rampv1.ResourceAttestation

	by atomic.Pointer[ed25519.PublicKey]
}

// Holds says whether an attestation holds by now, as Check does: its signature is verified once,
// and all else at each call, so that it does not hold any more once its verifier does not publish
// the key, or nobody believes the verifier.
func (c *Checker) Holds(ctx context.Context, of Subject, k *Prepared) bool {
	_, _, err := c.checkBy(ctx, of, k.ResourceAttestation,
		func(public ed25519.PublicKey, message, signature []byte) bool {
			if by := k.by.Load(); by != nil && public.Equal(*by) {
				return true
			}
			if !ed25519.Verify(public, message, signature) {
				return false
			}
			k.by.Store(&public)
			return true
		})
	return err == nil
}

// Trusts reports whether the verifier of an attestation may attest a subject: its provider, or an
// accepted third party.
func (c *Checker) Trusts(of Subject, a *rampv1.ResourceAttestation) bool {
	return ramp.LevelOf(a, of.Provider) == ramp.LevelSelf || c.Accepted != nil &&
		c.Accepted(strings.ToLower(a.GetVerifier()))
}

// check says of one attestation its level; or why it does not hold; or, without a reason, why that
// cannot be told.
func (c *Checker) check(ctx context.Context, of Subject, a *rampv1.ResourceAttestation) (level int, reason Reason,
	err error) {
	return c.checkBy(ctx, of, a, ed25519.Verify)
}

// verifying says whether a signature is good.
type verifying = func(public ed25519.PublicKey, message, signature []byte) bool

func (c *Checker) checkBy(ctx context.Context, of Subject, a *rampv1.ResourceAttestation, good verifying) (level int,
	reason Reason, err error) {
	level = ramp.LevelOf(a, of.Provider)
	if of.Caller != "" && !of.Contributor && !strings.EqualFold(of.Caller, of.Provider) &&
		!strings.EqualFold(of.Caller, a.GetVerifier()) {
		return 0, UnauthorizedContributor,
			fmt.Errorf("%s is neither the verifier %.80q, nor %s, nor among the catalog_contributors of its ramp.json",
				of.Caller, a.GetVerifier(), of.Provider)
	}
	if !c.Trusts(of, a) {
		return 0, UnknownVerifier,
			fmt.Errorf("the verifier %.80q is not accepted here; ramp-exchange.json lists those that are in "+
				"accepted_verifiers", a.GetVerifier())
	}
	err = c.verify(ctx, of.URI, a, good)
	return level, reasonOf(ctx, err), err
}

// verify verifies an attestation under the keys of its verifier that are known, and if none fits
// under those that it publishes by now.
func (c *Checker) verify(ctx context.Context, uri string, a *rampv1.ResourceAttestation, good verifying) error {
	var before []ramp.Key
	var failed error
	for _, again := range []bool{false, true} {
		keys, err := c.Verifiers.Keys(ctx, a.GetVerifier(), again)
		if err != nil {
			return err
		}
		if again && slices.EqualFunc(keys, before, sameKey) {
			break
		}
		c.turn(func() { failed = ramp.VerifyAttestationBy(good, a, uri, keys, c.Now()) })
		if !errors.Is(failed, ramp.ErrNoVerifierKey) && !errors.Is(failed, ramp.ErrWrongAttestation) &&
			!errors.Is(failed, ramp.ErrKeyOver) {
			return failed
		}
		before = keys
	}
	return failed
}

func (c *Checker) turn(work func()) {
	if c.Throttle == nil {
		work()
		return
	}
	c.Throttle(work)
}

func sameKey(a, b ramp.Key) bool {
	return a.ID == b.ID && a.Public.Equal(b.Public) && a.From.Equal(b.From) && a.Until.Equal(b.Until)
}

// reasonOf is the protocol's word for what is wrong with an attestation; empty for nothing, and for
// what may be another time.
func reasonOf(ctx context.Context, err error) Reason {
	switch {
	case err == nil, ctx.Err() != nil, errors.Is(err, ErrNotPrefetched), fail.From(err).Code == fail.Unavailable:
		return ""
	case errors.Is(err, ramp.ErrClaimsTooLarge):
		return ClaimsTooLarge
	case errors.Is(err, ramp.ErrOtherURI), errors.Is(err, ramp.ErrAttestedLater),
		errors.Is(err, ramp.ErrWrongAttestation):
		return AttestationSignatureInvalid
	}
	return UnknownVerifier // its keys cannot be had, or none is the one that it names
}
