package trust

import (
	"context"
	"slices"
	"strings"

	"frontdesk/internal/fail"
	"frontdesk/wire/sign"
)

// labelAgent is what an agent calls its signature, as against a Broker.
const labelAgent = "agent"

// signer says who signed a request that has no Requester, by the key ids of its signatures alone. Of several, the agent's counts.
func (rs *Requesters) signer(ctx context.Context, call Call) (Requester, error) {
	if !sign.HasHTTPSignature(call.Header) {
		if rs.config.Signatures == SignaturesRequired {
			return Requester{}, errUnsignedHTTP
		}
		return Requester{}, nil
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
	domain, err := ParseDomain(name)
	if err != nil {
		return Requester{}, fail.New(fail.Unauthorized, "the HTTP signature %s has the keyid %q; write your domain, or DOMAIN#KEY", chosen.Label, clip(chosen.KeyID))
	}
	return rs.ofKey(ctx, domain, &chosen, call)
}

// ofKey says for whom of a domain a signature was made: a requester whose keys the operator was given, or who the domain's
// document is of.
func (rs *Requesters) ofKey(ctx context.Context, domain string, s *sign.HTTPSignature, call Call) (Requester, error) {
	p := proving{rs: rs, domain: domain, fetch: call.Fetch, now: rs.config.Now(), left: maxVerifications}
	parties := rs.ofDomain(domain)
	for _, g := range parties {
		if keys := candidates(g.Keys, domain, s.KeyID, p.now); len(keys) > 0 {
			if key, err := p.verify(s, keys, call); err == nil {
				if g.ID == EveryID {
					g.ID = ""
				}
				return rs.speaker(domain, g.ID, key, parties)
			}
		}
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
		id = ""
	} else if slices.ContainsFunc(parties, func(g Registration) bool { return g.ID == id && len(g.Keys) > 0 }) {
		return Requester{}, fail.New(fail.Unauthorized, "the key of the HTTP signature is not one that the operator of this Exchange was given for %s", clip(domain+"/"+id))
	}
	return rs.speaker(domain, id, key, parties)
}

// speaker is who a key speaks for: one requester, or, with an empty id, all of its domain but those whose keys the operator was
// given, and those who are suspended.
func (rs *Requesters) speaker(domain, id, key string, parties []Registration) (Requester, error) {
	r := Requester{Domain: domain, ID: id, Signed: SignedHTTP, KeyID: key}
	named := id
	if named == "" {
		named = EveryID
	}
	known := rs.registration(domain, named)
	if known.Status == RequesterSuspended {
		return Requester{}, errSuspended
	}
	r.describe(known)
	if id != "" {
		return r, rs.registered(r)
	}
	for _, g := range parties {
		if g.ID != EveryID && (len(g.Keys) > 0 || g.Status == RequesterSuspended) {
			r.apart = append(r.apart, g.ID)
		}
	}
	return r, nil
}

// speaksForAll says whether the document is of all requesters of its domain.
func (a *agent) speaksForAll(domain string) bool { return strings.EqualFold(a.id, domain) }
