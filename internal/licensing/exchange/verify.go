package exchange

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"frontdesk/internal/identity"
	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/catalog/push"
	"frontdesk/wire/sign"
)

// Domains verifies the domains of suppliers and of sites (RAMP v1, Domain Verification).
type Domains struct {
	deps   DomainDeps
	supply *PushDeps
}

// DomainDeps are the dependencies of [Domains]. All are required unless their comment says
// otherwise.
type DomainDeps struct {
	Assortment *Assortment
	Verifier   *identity.DomainVerifier
	Keys       *identity.DeliveryKeys
	// OnOutcome is called with the outcome of each checked challenge: "verified", or one word for
	// the failure. Nil for none.
	OnOutcome func(outcome string)
	Log       *slog.Logger            // nil for none
	Fault     func(step string) error // as in Deps
}

// NewDomains returns the domains of those who supply an assortment.
func NewDomains(deps DomainDeps) (*Domains, error) {
	if err := fail.Missing("exchange.NewDomains", map[string]bool{
		"Assortment": deps.Assortment != nil, "Proofs": deps.Verifier != nil, "Keys": deps.Keys != nil,
	}); err != nil {
		return nil, err
	}
	if deps.OnOutcome == nil {
		deps.OnOutcome = func(string) {}
	}
	deps.Log, deps.Fault = orDiscard(deps.Log), orNone(deps.Fault)
	return &Domains{deps: deps, supply: &deps.Assortment.deps.Push}, nil
}

// DomainLife is how long a domain is verified: as long as a key signs at the most (RAMP v1,
// DomainVerificationResult: valid_until).
const DomainLife = identity.DeliveryKeyLife

// IssuedChallenge is a new challenge with its token, which is returned once.
type IssuedChallenge struct {
	Token, URL string
	Ends       time.Time
}

// Verification is the outcome of a challenge. If the domain is not verified, Reason is one word for
// it.
type Verification struct {
	Verified bool
	KeyID    string // of the key that was registered, or is still in use; empty for none
	Until    time.Time
	Reason   string
}

// mayProve gives the tenant of a domain that a caller may verify. Of domains that are not its
// tenants' it does not tell whose they are.
func (d *Domains) mayProve(by *requesters.PushClient, domain string) (tenant string, err error) {
	tenant, site := d.supply.Site(domain)
	if !site {
		if one := d.supply.Tenants.At(domain); one != nil {
			tenant = one.ID
		}
	}
	if tenant == "" || !by.May(tenant) || by.Domain != "" && !d.deps.Assortment.owns(tenant, by.Domain) {
		return "",
			fail.New(fail.Forbidden, "the domain %.253s is of no tenant that the caller %s speaks for; have the "+
				"operator of this Exchange add it to your tenant first", domain, by.ID)
	}
	return tenant, nil
}

// Challenge makes a challenge by which a caller can show that a domain of its tenant is its own
// (RAMP v1, RequestDomainVerification).
func (d *Domains) Challenge(ctx context.Context, by *requesters.PushClient, domain string) (*IssuedChallenge, error) {
	tenant, err := d.mayProve(by, domain)
	if err != nil {
		return nil, err
	}
	token, ends, err := d.supply.Tenants.Challenges.Issue(ctx, domain, by.ID, tenant)
	if err != nil {
		return nil, err
	}
	return &IssuedChallenge{Token: token, URL: identity.ChallengeURL(domain, token), Ends: ends}, nil
}

// provingTime is how long looking whether a challenge is met may take in all; who asked may have
// gone by then.
const provingTime = 2*identity.ChallengeTimeout + 10*time.Second

// Prove looks whether a challenge is met, and verifies the domain where it is; a key that comes
// with it signs the addresses of what is sold at the domain from then on (RAMP v1,
// ConfirmDomainVerification). A challenge is good for one look, whatever comes of it. The error is
// fail.Invalid for a key that cannot be meant, which costs no challenge.
func (d *Domains) Prove(ctx context.Context, by *requesters.PushClient, domain, token, key, form string) (*Verification,
	error) {
	tenant, err := d.mayProve(by, domain)
	if err != nil {
		return nil, err
	}
	register, err := d.registers(ctx, tenant, domain, key, sign.URLForm(form))
	if err != nil {
		return nil, err
	}
	used, err := d.supply.Tenants.Challenges.Use(ctx, token, domain, by.ID)
	if why := unusable(err); why != nil {
		return d.unproven(why), nil
	}
	if err != nil {
		return nil, err
	}
	if err := d.deps.Fault("challenge used"); err != nil {
		return nil, err
	}
	// it is used up, so that it is looked at to the end
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), provingTime)
	defer cancel()
	proved, err := d.prove(ctx, used, token, register)
	var why *identity.VerificationError
	switch {
	case errors.As(err, &why):
	case err != nil:
		return nil, errors.Join(err, d.supply.Tenants.RecordFailure(ctx, used, identity.VerificationStopped))
	default:
		d.deps.Keys.Invalidate()
		d.deps.OnOutcome(push.DomainVerified)
		return &Verification{Verified: true, KeyID: proved.Key, Until: proved.Until}, nil
	}
	if err := d.supply.Tenants.RecordFailure(ctx, used, why.Reason); err != nil {
		return nil, err
	}
	d.deps.Log.Info("a domain was not verified", "domain", domain, "caller", by.ID, "reason", why)
	return d.unproven(why), nil
}

// prove asks the domain, and keeps that it is verified. The error is a
// *[identity.VerificationError] where it is not.
func (d *Domains) prove(ctx context.Context, used push.Challenge, token string,
	register func(context.Context, *store.Tx) (push.Registered, error)) (push.Domain, error) {
	if err := d.deps.Verifier.Verify(ctx, used.Domain, token); err != nil {
		return push.Domain{}, err
	}
	if err := d.deps.Fault("challenge met"); err != nil {
		return push.Domain{}, err
	}
	proved, err := d.supply.Tenants.RecordProof(ctx, used, DomainLife, register)
	var refused *fail.Error
	switch {
	case errors.Is(err, push.ErrMoved):
		return proved, &identity.VerificationError{Reason: identity.DomainMoved,
			Detail: "the domain was given to another tenant meanwhile; ask the operator of this Exchange"}
	case errors.As(err, &refused) && refused.Code == fail.Invalid:
		return proved, &identity.VerificationError{Reason: identity.KeyRefused, Detail: refused.Detail}
	case err == nil:
		err = d.deps.Fault("domain verified")
	}
	return proved, err
}

// registers gives what registers a key with the verification of a domain: nothing, where none is
// given.
func (d *Domains) registers(ctx context.Context, tenant, domain, key string,
	form sign.URLForm) (func(context.Context, *store.Tx) (push.Registered, error), error) {
	keys, place := d.deps.Keys, push.DomainPlace(tenant, domain)
	if strings.TrimSpace(key) == "" {
		return func(ctx context.Context, tx *store.Tx) (push.Registered, error) {
			now, ok, err := keys.Signing(ctx, tx, place)
			if err != nil || !ok {
				return push.Registered{}, err
			}
			return push.Registered{ID: now.ID, Form: string(now.Form), Ends: now.Ends}, nil
		}, nil
	}
	if form == "" {
		return nil,
			fail.New(fail.Invalid, "cdn_type has to say of what kind signing_key is: cloudfront, akamai, fastly "+
				"or hmac")
	}
	if d.deps.Assortment.serves(tenant) {
		return nil,
			fail.New(fail.Invalid, "the domain %.253s is of a site that this Exchange serves itself, whose keys its "+
				"operator gives (ramp.delivery); leave out signing_key", domain)
	}
	secret, name, err := identity.ParseRegistered(form, key)
	if err != nil {
		return nil, err
	}
	register, err := keys.Register(ctx, place, form, name, secret)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, tx *store.Tx) (push.Registered, error) {
		made, err := register(ctx, tx)
		return push.Registered{ID: made.ID, Form: string(made.Form), Ends: made.Ends}, err
	}, nil
}

// unusable is why a token proves nothing; nil for another error, and none.
func unusable(err error) *identity.VerificationError {
	switch {
	case errors.Is(err, push.ErrNoChallenge):
		return &identity.VerificationError{Reason: identity.TokenUnknown,
			Detail: "this is no token that you were given for the domain; ask for another challenge"}
	case errors.Is(err, push.ErrChallengeUsed):
		return &identity.VerificationError{Reason: identity.TokenUsed,
			Detail: "the token was used before, and is good once; ask for another challenge"}
	case errors.Is(err, push.ErrChallengeOver):
		return &identity.VerificationError{Reason: identity.TokenExpired,
			Detail: "the token is over, ten minutes after it was given; ask for another challenge"}
	}
	return nil
}

func (d *Domains) unproven(why *identity.VerificationError) *Verification {
	d.deps.OnOutcome(why.Reason)
	return &Verification{Reason: why.Reason + ": " + why.Detail}
}
