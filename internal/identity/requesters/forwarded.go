package requesters

import (
	"context"
	"slices"

	"frontdesk/internal/infra/fail"
	"frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
)

// maxHopVerifications is how many signatures of intermediaries are looked at for one request: each
// under two forms of the query and two keys.
const maxHopVerifications = 4 * ramp.MaxHops

// Forwarded says whether a query passed through the intermediaries that it names: each has signed
// it with a key of its domain, in their order and within five minutes (RAMP v1, IntermediaryHop).
// came is the query's own JSON, nil where it came in another form, and fetch as [Call.Fetch]. A
// query without intermediaries came directly. Who asks is another question: see Identify.
//
// The error is fail.Unauthorized, which names the intermediary and says what is wrong,
// fail.Unavailable when it cannot be told now, or ctx's.
func (rs *Registry) Forwarded(ctx context.Context, query *rampv1.ResourceQuery, came ramp.ReceivedQuery,
	fetch func() error) error {
	if len(query.GetIntermediaries()) == 0 {
		return nil
	}
	if err := rs.look(ctx, rowsFresh); err != nil {
		return err
	}
	if err := ramp.CheckHops(query, rs.config.Now(), false); err != nil {
		return fail.New(fail.Unauthorized, "%v", err)
	}
	left := maxHopVerifications
	for i, hop := range query.Intermediaries {
		domain, err := parseRequester(hop.Domain, hop.Id)
		if err != nil {
			return fail.New(fail.Unauthorized, "intermediaries[%d]: %s", i, fail.From(err).Detail)
		}
		known := rs.registration(domain, hop.Id)
		if known.Status == Suspended {
			return fail.New(fail.Unauthorized, "intermediaries[%d]: %s is suspended here; send the query yourself, "+
				"or by another", i, clip(domain))
		}
		of := proving{rs: rs, domain: domain, id: hop.Id, fetch: fetch, now: rs.config.Now(), left: maxVerifications}
		if len(known.Keys) > 0 {
			of.own = &agent{id: hop.Id, keys: known.Keys}
		}
		if err := of.hop(ctx, query, came, i, &left); err != nil {
			return err
		}
	}
	return nil
}

// hop verifies the signature of one intermediary.
func (p *proving) hop(ctx context.Context, query *rampv1.ResourceQuery, came ramp.ReceivedQuery, i int,
	left *int) error {
	_, err := p.try(ctx, "the signature", func(by *agent) (string, error) {
		good := slices.DeleteFunc(slices.Clone(by.keys), func(k ramp.Key) bool { return !k.Good(p.now) })
		return "", ramp.VerifyHop(query, came, i, good, left)
	})
	if err == nil || ctx.Err() != nil {
		return err
	}
	house := fail.From(err)
	if house.Code != fail.Unauthorized {
		return err
	}
	return fail.New(fail.Unauthorized, "intermediaries[%d]: %s", i, house.Detail).Wrap(err)
}
