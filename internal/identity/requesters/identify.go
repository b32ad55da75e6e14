package requesters

import (
	"context"
	"crypto/ed25519"
	"errors"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/identity"
	"frontdesk/internal/infra/fail"
	"frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
	"frontdesk/wire/sign"
	"frontdesk/wire/sign/botauth"
)

// Identify says who sent a request of RAMP. message is its Requester, nil of requests that have
// none, such as reports; call is the request as it came over HTTP. Signatures over HTTP are looked
// at first, then that of the message, by what [Config.Signatures] asks for; a signature that is
// wrong is never passed over for another kind. A signature over HTTP by somebody else, such as a
// Broker, is not the requester's, and is passed over.
//
// A request without a Requester that nobody signed is let in as the zero Requester, unless
// SignaturesRequired is set.
//
// What spends ([Call.Spends]) is held to [Config.Purchases]: with SignaturesRequired it is signed
// over HTTP by the requester, or, where a Broker may send it, by the Broker over HTTP and by the
// requester in the message. The Requester then has a Proof, which the caller has to take once.
//
// The error is fail.Invalid for a domain or id that is none, fail.Unauthorized for who cannot be
// told, or is not registered where that is asked for, fail.Forbidden for who is suspended and for a
// delegation that is none, fail.Unavailable when it cannot be told now, or ctx's. In all but the
// first requests of a domain, a signature is verified and nothing else is done, and the token of a
// delegation, if it was not lately.
func (rs *Registry) Identify(ctx context.Context, message *rampv1.Requester, call Call) (Requester, error) {
	if err := rs.look(ctx, rowsFresh); err != nil {
		return Requester{}, err
	}
	if message == nil {
		return rs.signer(ctx, call)
	}
	domain, err := parseRequester(message.GetDomain(), message.GetId())
	if err != nil {
		return Requester{}, err
	}
	known := rs.registration(domain, message.GetId())
	if known.Domain == "" {
		if err := rs.look(ctx, rowsUnknown); err != nil {
			return Requester{}, err
		}
		known = rs.registration(domain, message.GetId())
	}
	if known.Status == Suspended {
		return Requester{}, errSuspended
	}
	r := Requester{Domain: domain, ID: message.GetId(), Type: message.GetType(), Claimed: message.GetScopes()}
	proof := proving{rs: rs, domain: domain, id: r.ID, fetch: call.Fetch, now: rs.config.Now(), left: maxVerifications}
	if len(known.Keys) > 0 {
		proof.own = &agent{id: r.ID, keys: known.Keys}
	}
	if r.Signed, r.KeyID, err = proof.of(ctx, message, call); err != nil {
		return Requester{}, err
	}
	if r.Proof = proof.proof(call); call.Spends && r.Signed == SignedBody &&
		rs.config.asks(call) == SignaturesRequired {
		if r.Broker, r.Proof, err = rs.broker(ctx, domain, call); err != nil {
			return Requester{}, err
		}
		r.Covered = message.GetUris()
	}
	if r.Signed != "" { // otherwise anybody can call itself so: what the operator says of it does not hold
		r.describe(known)
		if err := rs.registered(r); err != nil {
			return r, err
		}
	}
	if message.GetDelegation() == nil {
		return r, nil
	}
	return rs.delegated(ctx, r, message.GetDelegation(), proof.signedBy, call.Fetch)
}

// describe takes over what the operator says.
func (r *Requester) describe(g Registration) {
	r.SignUp, r.Granted, r.UserCategory, r.Country, r.Rate = g.SignUp, g.Scopes, g.UserCategory, g.Country, g.Rate
}

// registered refuses who has not signed up, where that is asked for.
func (rs *Registry) registered(r Requester) error {
	if rs.config.Registered && r.SignUp == "" {
		return fail.New(fail.Unauthorized, "the requester %s has not signed up here; POST its requester_id and "+
			"domain to /exchange/v1/requesters/register, or ask the operator", clip(r.Account()))
	}
	return nil
}

// maxVerifications is how many signatures and keys are tried for one request: one signature under
// all keys of a document.
const maxVerifications = maxAgentKeys

// proving is the search for a signature of one requester, or, with an empty id, of whomever the
// keys of a domain are.
type proving struct {
	rs         *Registry
	domain, id string
	own        *agent // the keys that the operator was given; nil for those that the domain publishes
	fetch      func() error
	now        time.Time
	left       int               // verifications
	signedBy   ed25519.PublicKey // over HTTP; nil for nobody
	signature  *sign.HTTPSignature
}

// proof is the signature over HTTP that was found good, of a request that spends.
func (p *proving) proof(call Call) *identity.Proof {
	if p.signedBy == nil || !call.Spends {
		return nil
	}
	return &identity.Proof{Key: botauth.Thumbprint(p.signedBy), Signature: p.signature.Bytes,
		Until: p.signature.Ends()}
}

var (
	errUnsigned = fail.New(fail.Unauthorized, "this request is not signed by its requester; sign it over HTTP (RFC "+
		"9421: %s, with your domain as keyid), or sign requester.id, domain, uris and scopes",
		strings.Join(sign.RequestComponents, ", "))
	errUnsignedHTTP = fail.New(fail.Unauthorized, "this request is not signed over HTTP by its requester; sign it "+
		"(RFC 9421: %s, with your domain as keyid)",
		strings.Join(sign.RequestComponents, ", "))
	errElsewhere = fail.New(fail.Unauthorized, "this front desk has not been told the address at which you reach it, "+
		"so a signature for that address could be one for another; its operator has to set url")
	errMany = errors.New("there are more signatures and keys than are tried; name the key in keyid, as DOMAIN#KEY")
)

// of says how a message was signed, and with which key; empty for not at all, where the policy lets
// that in.
func (p *proving) of(ctx context.Context, message *rampv1.Requester, call Call) (how, key string, err error) {
	policy := p.rs.config.asks(call)
	if policy == SignaturesRequired && call.Spends && call.UnknownHost && call.Signed() {
		return "", "", errElsewhere
	}
	if call.Signed() {
		switch key, signed, err := p.http(ctx, call); {
		case err != nil:
			return "", "", err
		case signed:
			return SignedHTTP, key, nil
		}
	}
	brokered := call.Brokered && p.rs.config.Signatures != SignaturesRequired && call.Signed() &&
		message.GetSignature() != ""
	switch {
	case policy == SignaturesRequired && !brokered:
		return "", "", errUnsignedHTTP
	case message.GetSignature() != "":
		key, err := p.body(ctx, message)
		return SignedBody, key, err
	case policy == SignaturesBody:
		return "", "", errUnsigned
	}
	return "", "", nil
}

// keys gives the keys that speak for the requester. With again, the domain is asked anew.
func (p *proving) keys(ctx context.Context, again bool) (*agent, error) {
	if p.own != nil {
		return p.own, nil
	}
	published, err := p.rs.agents.find(ctx, p.domain, again, p.fetch)
	if err == nil && p.id != "" {
		err = published.vouches(p.domain, p.id)
	}
	return published, err
}

// try has verify look at the keys, and if it fails at those that the domain publishes by now, if
// they may be others.
func (p *proving) try(ctx context.Context, what string, verify func(*agent) (string, error)) (key string, err error) {
	var before *agent
	var failed error
	for _, again := range []bool{false, true} {
		by, err := p.keys(ctx, again)
		if err != nil {
			return "", err
		}
		if by == before {
			break
		}
		if key, failed = verify(by); failed == nil {
			return key, nil
		}
		before = by
	}
	return "", fail.New(fail.Unauthorized, "%s of %s: %v", what, p.domain, failed)
}

// http looks for the requester's signature among those over HTTP; signed is false where none names
// it.
func (p *proving) http(ctx context.Context, call Call) (key string, signed bool, err error) {
	all, err := readSignatures(call)
	if err != nil {
		return "", false, err
	}
	named := slices.DeleteFunc(slices.Clone(all), func(s sign.HTTPSignature) bool { return !p.ofDomain(s.KeyID) })
	if len(named) == 0 {
		by, err := p.keys(ctx, false)
		if err != nil {
			return "", false, ctx.Err() // without its keys, none of the signatures is known to be its
		}
		named = slices.DeleteFunc(all, func(s sign.HTTPSignature) bool { return !by.calls(s.KeyID) })
	}
	if len(named) == 0 {
		return "", false, nil
	}
	key, err = p.try(ctx, "the HTTP signature", func(by *agent) (key string, err error) {
		for i := range named {
			if key, err = p.verify(&named[i], candidates(by.keys, p.domain, named[i].KeyID, p.now), call); err == nil {
				return key, nil
			}
		}
		return "", err
	})
	return key, err == nil, err
}

// Signed says whether a request claims to be signed over HTTP by who sends it as a party to RAMP. A
// signature that says which program asks (Web Bot Auth) says nothing of who buys.
func (c Call) Signed() bool {
	if !sign.HasHTTPSignature(c.Header) || !botauth.Signed(c.Header) {
		return sign.HasHTTPSignature(c.Header)
	}
	all, err := readSignatures(c)
	return err != nil || len(all) > 0
}

// readSignatures reads those of parties to RAMP.
func readSignatures(call Call) ([]sign.HTTPSignature, error) {
	all, err := sign.ReadHTTPSignatures(call.Header)
	if err != nil {
		return nil, fail.New(fail.Unauthorized, "the HTTP signatures (RFC 9421) cannot be read: %v", err)
	}
	return slices.DeleteFunc(all, func(s sign.HTTPSignature) bool { return s.Tag == botauth.Tag }), nil
}

// ofDomain says whether a key id is the requester's domain, or a key of it.
func (p *proving) ofDomain(keyID string) bool {
	domain, _, _ := strings.Cut(keyID, "#")
	return strings.EqualFold(domain, p.domain)
}

// calls says whether one of the keys has a name or thumbprint.
func (a *agent) calls(keyID string) bool {
	return slices.ContainsFunc(a.keys, func(k ramp.Key) bool { return goesBy(k, keyID) })
}

var errNoKey = errors.New("no key that is good now goes by its keyid")

// verify verifies a signature over HTTP under the keys that it may be by.
func (p *proving) verify(s *sign.HTTPSignature, keys []ramp.Key, call Call) (key string, err error) {
	if !s.Covers(sign.RequestComponents...) {
		return "", errors.New("it does not cover all of " + strings.Join(sign.RequestComponents, ", "))
	}
	if err := s.Fresh(p.now); err != nil {
		return "", err
	}
	err = errNoKey
	for _, k := range keys {
		for _, target := range call.Targets {
			if p.left--; p.left < 0 {
				return "", errMany
			}
			err = s.Verify(k.Public, sign.Request{Method: call.Method, Target: target, Header: call.Header})
			if err == nil {
				p.signedBy, p.signature = k.Public, s
				return keyName(k), sign.CheckContentDigest(call.Header[sign.HeaderContentDigest], call.Body)
			}
		}
	}
	return "", err
}

// keyName is what a key is called: as its document does, or by its thumbprint.
func keyName(k ramp.Key) string {
	if k.ID == "" {
		return botauth.Thumbprint(k.Public)
	}
	return k.ID
}

// body verifies the signature of the message over its id, domain, uris and scopes.
func (p *proving) body(ctx context.Context, message *rampv1.Requester) (key string, err error) {
	if a := message.GetSignatureAlgorithm(); a != "" && !strings.EqualFold(a, "ed25519") &&
		!strings.EqualFold(a, "eddsa") {
		return "", fail.New(fail.Unauthorized, "requester.signature_algorithm %q is not ed25519", clip(a))
	}
	signature, err := sign.DecodeSignature(message.GetSignature())
	if err != nil {
		return "", fail.New(fail.Unauthorized, "requester.signature: %v", err)
	}
	payload, err := ramp.RequesterPayload(message)
	if err != nil {
		return "", fail.New(fail.Unauthorized, "requester.signature: %v", err)
	}
	return p.try(ctx, "requester.signature", func(by *agent) (string, error) {
		for _, k := range by.keys {
			if !k.Good(p.now) {
				continue
			}
			if p.left--; p.left < 0 {
				return "", errMany
			}
			if ed25519.Verify(k.Public, payload, signature) {
				return keyName(k), nil
			}
		}
		return "",
			errors.New("it is not that of a key that is good now, over id, domain, uris and scopes as canonical JSON " +
				"(RFC 8785)")
	})
}
