package requesters

import (
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"errors"
	"math"
	"slices"
	"time"

	"frontdesk/biscuit"
	"frontdesk/internal/infra/fail"
	rampv1 "frontdesk/wire/ramp/v1"
)

// Delegation is what a requester acts under: a token of a principal that was verified and fits what
// is said of it (RAMP v1, Delegation). Its methods may be called concurrently.
type Delegation struct {
	// Domain and Principal are who delegates: the domain whose keys signed, and what it calls the
	// principal.
	Domain, Principal string
	// ID names the token, whatever was attenuated from it: the revocation id of its authority
	// block, in hexadecimal digits.
	ID string
	// Ended says why nothing can be done under it any more, though it is a token of the
	// principal's; nil while something can.
	Ended error
	// Caps are the bounds of what is bought, and Period the time after which they begin anew; 0 for
	// the token's lifetime.
	Caps   []DelegationCap
	Period time.Duration

	grants *biscuit.Grants
	token  *biscuit.Verified
	key    ed25519.PublicKey // that signed the request over HTTP; nil for none
	scoped []string          // what the token grants, as far as it is repeated
	list   string            // address of the principal's list of what it revoked; empty for none
	rs     *Registry
	began  time.Time // of the request, by the clock of the machine
}

// DelegationCap is what a block of a token allows to be bought under it.
type DelegationCap struct {
	Block                []byte // its revocation id
	SpendCents, Accesses *int64 // nil for no cap
	Expires              time.Time
}

// Errors of what is asked for under a delegation.
var (
	// ErrOutOfScope: the requester may not have what it asks for, in its own name or under its
	// delegation.
	ErrOutOfScope = errors.New("its scopes and its delegation do not cover this")
	// ErrDelegationOver: the delegation has expired, or was revoked.
	ErrDelegationOver = errors.New("the delegation is over")
)

// over is an ErrDelegationOver that says why.
type over string

func (o over) Error() string        { return string(o) }
func (o over) Is(target error) bool { return target == ErrDelegationOver }

const (
	errExpired over = "the delegation has expired; ask the principal for a new one"
	errRevoked over = "the delegation was revoked; ask the principal for a new one"
)

// The operations that a token's checks can tell apart.
const (
	OperationDiscover = "discover"
	OperationTransact = "transact"
)

// AccessRequest is one access that a requester asks for.
type AccessRequest struct {
	Operation  string
	Resource   string   // the address of the item
	Scopes     []string // that the item takes, of which one is enough; none for one that takes none
	SpendCents int64    // what it costs at the most, rounded up; 0 in a query
	Now        time.Time
}

// How long evaluating a token may take: for one Ask, and for all of a request. Its steps are
// bounded besides; the times are generous, since the machine may do something else meanwhile.
const (
	evaluateOnce = 50 * time.Millisecond
	evaluateAll  = 500 * time.Millisecond
)

// authorizer holds tokens against nothing but their own checks.
var authorizer = biscuit.NewAuthorizer(nil, biscuit.Limits{})

// May says whether the requester may have something: in its own name, by the scopes that the
// operator granted it; under a delegation, by the scopes that are delegated and that the operator
// granted the principal, if the token's checks let it. In both cases a scope that the requester
// does not ask for, though it asks for others, is none. The error is ErrOutOfScope,
// ErrDelegationOver, or fail.Forbidden for a token that cannot be evaluated.
func (r Requester) May(a AccessRequest) error {
	held := slices.DeleteFunc(slices.Clone(a.Scopes), func(scope string) bool { return !r.Holds(scope) })
	switch {
	case len(held) == 0 && len(a.Scopes) > 0:
		return ErrOutOfScope
	case r.Delegation == nil:
		return nil
	case len(held) == 0:
		held = []string{""}
	}
	return r.Delegation.may(a, held)
}

func (d *Delegation) may(a AccessRequest, scopes []string) error {
	switch {
	case d.Ended != nil:
		return d.Ended
	case d.grants.Scoped && len(d.grants.Scopes) == 0: // blocks that exclude each other leave nothing
		return ErrOutOfScope
	}
	denied := ErrOutOfScope
	for _, scope := range scopes {
		began := time.Now()
		err := d.grants.Authorize(authorizer, biscuit.Request{
			Time: a.Now, Operation: a.Operation, Resource: a.Resource, RequestedScope: scope, SpendCents: &a.SpendCents,
			RequestKey: d.key,
			Stop:       func() bool { return time.Since(began) > evaluateOnce || time.Since(d.began) > evaluateAll },
		})
		var not *biscuit.Denied
		switch {
		case err == nil:
			return nil
		case errors.Is(err, biscuit.ErrExpired), errors.As(err, &not) && not.Expired():
			denied = errExpired
		case not != nil, errors.Is(err, biscuit.ErrScope), errors.Is(err, biscuit.ErrHolder):
		default:
			return refusedDelegation("its checks cannot be evaluated: %v", err)
		}
	}
	return denied
}

// refusedDelegation is the failure of a delegation that nothing is done under.
func refusedDelegation(format string, args ...any) *fail.Error {
	e := fail.New(fail.Forbidden, format, args...)
	e.Detail = "requester.delegation: " + e.Detail
	return e
}

// delegationFormats are the token formats that are read: one, under the names that it has had.
var delegationFormats = []string{"", "biscuit-v2", "biscuit-v3"}

// delegated verifies the delegation of a request, and gives its requester as it is under it. by is
// the key that signed the request over HTTP. Errors are fail.Forbidden for a delegation that is
// none, fail.Unavailable where the principal's keys cannot be had now, or ctx's.
func (rs *Registry) delegated(ctx context.Context, r Requester, said *rampv1.Delegation, by ed25519.PublicKey,
	may func() error) (Requester, error) {
	if !slices.Contains(delegationFormats, said.GetTokenFormat()) {
		return r, refusedDelegation("token_format %q is not known here; send a biscuit-v2", clip(said.GetTokenFormat()))
	}
	domain, err := parseRequester(said.GetPrincipalDomain(), said.GetPrincipalId())
	if err != nil {
		return r, refusedDelegation("its principal: %v", err)
	}
	principal := rs.registration(domain, said.GetPrincipalId())
	if principal.Status == Suspended {
		return r, refusedDelegation("the principal was suspended by the operator; ask there")
	}
	token, err := rs.verified(ctx, domain, said, principal, may)
	if err != nil {
		return r, err
	}
	d := &Delegation{
		Domain: domain, Principal: said.GetPrincipalId(), ID: hex.EncodeToString(token.verified.ID()),
		Period: token.grants.Period,
		grants: token.grants, token: token.verified, key: by, scoped: token.grants.Scopes, rs: rs, began: time.Now(),
	}
	if err := d.fits(said); err != nil {
		return r, err
	}
	for _, c := range token.grants.Caps {
		d.Caps = append(d.Caps, DelegationCap{Block: token.verified.BlockID(c.Block), SpendCents: c.Spend,
			Accesses: c.Accesses, Expires: c.Expires})
	}
	now := rs.config.Now()
	switch {
	case ended(token.grants.Expires, now) || said.GetExpiresAt() != nil && ended(said.GetExpiresAt().AsTime(), now):
		d.Ended = errExpired
	case rs.revokedHere(token.verified):
		d.Ended = errRevoked
	}
	if repeated := NormalScopes(said.GetScopes()); len(repeated) > 0 {
		d.scoped = biscuit.NarrowScopes(d.scoped, repeated)
	}
	r.Delegation, r.Granted = d, biscuit.NarrowScopes(principal.Scopes, d.scoped) // nobody delegates more than it has
	return r, nil
}

func ended(at, now time.Time) bool { return !at.IsZero() && !now.Before(at) }

// fits says what of a delegation is not what its token says: another principal or holder, or a copy
// that is wider than the token, which decides (RAMP v1, Delegation).
func (d *Delegation) fits(said *rampv1.Delegation) error {
	g := d.grants
	wider := func(member, detail string) error {
		return refusedDelegation("%s is wider than the token: %s; repeat what the token says, or leave it out", member,
			detail)
	}
	switch {
	case len(g.Users) != 1:
		return refusedDelegation(`the token names no principal, or several; the principal has to write one fact user("%s") into it`, clip(d.Principal))
	case g.Users[0] != d.Principal:
		return refusedDelegation("the token is of another principal than principal_id says; write the one that the " +
			"token names")
	case g.Holder != nil && d.key == nil:
		return refusedDelegation("the token is bound to a key, so the request has to be signed with it over HTTP " +
			"(RFC 9421); a signature in the message can be sent again by whoever saw it")
	case g.Holder != nil && !slices.Equal(g.Holder, []byte(d.key)):
		return refusedDelegation("the token is bound to another key than the one that signed the request; sign with " +
			"that, or ask the principal for a token of your own")
	}
	for _, scope := range said.GetScopes() {
		if scope != "" && !g.Covers(scope) {
			return wider("scopes", "it does not grant "+clip(scope))
		}
	}
	if at := said.GetExpiresAt(); at != nil && !g.Expires.IsZero() && at.AsTime().After(g.Expires) {
		return wider("expires_at", "it ends at "+g.Expires.UTC().Format(time.RFC3339))
	}
	if most := said.GetMaxSpend(); most != nil && g.MaxSpendCents != nil &&
		most.GetAmount()*100 > float64(*g.MaxSpendCents)*(1+1e-12) {
		return wider("max_spend", "it allows less")
	}
	if said.MaxAccesses != nil && g.MaxAccesses != nil && int64(said.GetMaxAccesses()) > *g.MaxAccesses {
		return wider("max_accesses", "it allows fewer")
	}
	if said.QuotaPeriod != nil && (g.MaxAccesses != nil || g.MaxSpendCents != nil) &&
		(g.Period == 0 || said.GetQuotaPeriod().AsDuration() < g.Period) {
		return wider("quota_period", "its caps begin anew later, or never")
	}
	list, err := d.listAt(said.GetRevocationUri())
	d.list = list
	return err
}

// Spend is a cap in minor units of a currency as an amount in 1e-8 of it.
func (c DelegationCap) Spend() int64 {
	const cent = 1_000_000
	if *c.SpendCents > math.MaxInt64/cent {
		return math.MaxInt64
	}
	return *c.SpendCents * cent
}

// Account is the key of the principal's account.
func (d *Delegation) Account() string { return d.Domain + "/" + d.Principal }

// MayUseSubscriptions says whether the requester may use a subscription of its principal: the token
// has a scope that covers "subscription:ID", and so has what is repeated of it, and what the
// requester asks for, where those say anything. That the subscription is the principal's is for who
// knows subscriptions.
func (r Requester) MayUseSubscriptions(subscription string) bool {
	if r.Delegation == nil || r.Delegation.Ended != nil {
		return false
	}
	required := "subscription:" + subscription
	covers := func(scope string) bool { return ScopeCovers(scope, required) }
	return slices.ContainsFunc(r.Delegation.scoped, covers) &&
		(!slices.ContainsFunc(r.Claimed, notEmpty) || slices.ContainsFunc(r.Claimed, covers))
}
