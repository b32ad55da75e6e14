package requesters

import (
	"context"
	"crypto/ed25519"
	"slices"
	"strings"

	"frontdesk/internal/identity"
	"frontdesk/internal/infra/fail"
	"frontdesk/wire/ramp"
	"frontdesk/wire/sign"
)

// labelAgent is what an agent calls its signature, as against a Broker.
const labelAgent = "agent"

// labelBroker is what a Broker calls its signature.
const labelBroker = "broker"

// broker says which Broker sent a request of a requester's domain, by its signature over HTTP. Of
// several, that which says so counts.
func (rs *Registry) broker(ctx context.Context, of string, call Call) (domain string, proof *identity.Proof,
	err error) {
	all, err := readSignatures(call)
	if err != nil {
		return "", nil, err
	}
	chosen := all[0]
	if at := slices.IndexFunc(all, func(s sign.HTTPSignature) bool { return s.Label == labelBroker }); at >= 0 {
		chosen = all[at]
	}
	name, _, _ := strings.Cut(chosen.KeyID, "#")
	if domain, err = identity.ParseDomain(name); err != nil || domain == of {
		return "", nil, errUnsignedHTTP
	}
	if rs.config.Registered && len(rs.ofDomain(domain)) == 0 {
		return "", nil,
			fail.New(fail.Unauthorized, "the Broker %s has not signed up here; let it sign up, or buy yourself",
				clip(domain))
	}
	r, err := rs.ofKey(ctx, domain, &chosen, call)
	return domain, r.Proof, err
}

// signer says who signed a request that has no Requester, by the key ids of its signatures alone.
// Of several, the agent's counts.
func (rs *Registry) signer(ctx context.Context, call Call) (Requester, error) {
	policy := rs.config.asks(call)
	switch signed := call.Signed(); {
	case !signed && policy == SignaturesRequired:
		return Requester{}, errUnsignedHTTP
	case !signed:
		return Requester{}, nil
	case policy == SignaturesRequired && call.Spends && call.UnknownHost:
		return Requester{}, errElsewhere
	}
	all, err := readSignatures(call)
	if err != nil {
		return Requester{}, err
	}
	chosen := all[0]
	if at := slices.IndexFunc(all, func(s sign.HTTPSignature) bool { return s.Label == labelAgent }); at >= 0 {
		chosen = all[at]
	}
	name, _, _ := strings.Cut(chosen.KeyID, "#")
	domain, err := identity.ParseDomain(name)
	if err != nil {
		return Requester{},
			fail.New(fail.Unauthorized, "the HTTP signature %s has the keyid %q; write your domain, or DOMAIN#KEY",
				chosen.Label, clip(chosen.KeyID))
	}
	return rs.ofKey(ctx, domain, &chosen, call)
}

// ofKey says for whom of a domain a signature was made: a requester whose keys the operator was
// given, or who the domain's document is of.
func (rs *Registry) ofKey(ctx context.Context, domain string, s *sign.HTTPSignature, call Call) (Requester, error) {
	p := proving{rs: rs, domain: domain, fetch: call.Fetch, now: rs.config.Now(), left: maxVerifications}
	parties := rs.ofDomain(domain)
	var given ed25519.PublicKey // the one that signed, where the operator was given it
	var name string
	var ids []string // whose it is: several agents of a company may have one
	for _, g := range parties {
		for _, k := range candidates(g.Keys, domain, s.KeyID, p.now) {
			if given == nil {
				if called, err := p.verify(s, []ramp.Key{k}, call); err == nil {
					given, name = k.Public, called
				}
			}
			if given != nil && given.Equal(k.Public) {
				ids = append(ids, g.ID)
				break
			}
		}
	}
	if given != nil {
		r, err := rs.speaker(domain, ids, name, parties)
		r.Proof = p.proof(call)
		return r, err
	}
	var by *agent
	key, err := p.try(ctx, "the HTTP signature", func(published *agent) (string, error) {
		by = published
		return p.verify(s, candidates(published.keys, domain, s.KeyID, p.now), call)
	})
	if err != nil {
		return Requester{}, err
	}
	id := by.id
	if by.speaksForAll(domain) {
		id = EveryID
	} else if slices.ContainsFunc(parties, func(g Registration) bool { return g.ID == id && len(g.Keys) > 0 }) {
		return Requester{},
			fail.New(fail.Unauthorized, "the key of the HTTP signature is not one that the operator of this Exchange "+
				"was given for %s", clip(domain+"/"+id))
	}
	r, err := rs.speaker(domain, []string{id}, key, parties)
	r.Proof = p.proof(call)
	return r, err
}

// speaker is who a key speaks for: requesters of the domain by their ids, of whom those that are
// suspended do not count, or, by EveryID, all of the domain but those whose keys the operator was
// given, and those who are suspended. The first, or all, is who it is told as.
func (rs *Registry) speaker(domain string, ids []string, key string, parties []Registration) (Requester, error) {
	ids = slices.DeleteFunc(ids, func(id string) bool { return rs.registration(domain, id).Status == Suspended })
	if len(ids) == 0 {
		return Requester{}, errSuspended
	}
	first := ids[0]
	if slices.Contains(ids, EveryID) {
		first = EveryID
	}
	r := Requester{Domain: domain, ID: first, Signed: SignedHTTP, KeyID: key, also: ids}
	r.describe(rs.registration(domain, first))
	if first != EveryID {
		return r, rs.registered(r)
	}
	r.ID = ""
	for _, g := range parties {
		if g.ID != EveryID && (len(g.Keys) > 0 || g.Status == Suspended) {
			r.apart = append(r.apart, g.ID)
		}
	}
	return r, nil
}

// speaksForAll says whether the document is of all requesters of its domain.
func (a *agent) speaksForAll(domain string) bool { return strings.EqualFold(a.id, domain) }
