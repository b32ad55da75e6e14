package rampapi

import (
	"context"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/httpx"
	"frontdesk/internal/licensing/exchange"
	wire "frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
)

// MaxURIs is how many addresses a query may ask for.
const MaxURIs = 100

// discover says what is offered for the addresses of a query. For one address with offers it lists
// them; otherwise they are in groups, one for each address in the order of the query, or the reason
// why there is none.
func (d *handlers) discover(ctx context.Context, c *call, query *rampv1.ResourceQuery) (*rampv1.ResourceResponse,
	error) {
	if err := c.exceeded(); err != nil {
		return nil, err
	}
	// RAMP v1, Delegation: MUST reject expired tokens
	if under := c.who.Delegation; under != nil && under.Ended != nil {
		return nil, fail.New(fail.Forbidden, "requester.delegation: %v", under.Ended)
	}
	q, err := asked(c, query)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, d.allowed(query))
	defer cancel()
	sealed := map[string]*rampv1.Offer{}
	groups, err := d.services.Exchange.Discover(ctx, q,
		func(p *exchange.OfferDraft) (document, signature []byte, err error) {
			sealed[p.ID], document, signature, err = d.seal(p)
			return document, signature, err
		})
	if err != nil {
		return nil, err
	}
	out := &rampv1.ResourceResponse{Ver: Version, Id: query.Id, Exchange: d.Exchange, RateLimit: c.limit()}
	for i := range groups {
		out.OfferGroups = append(out.OfferGroups, group(&groups[i], sealed))
	}
	if len(groups) == 1 && len(groups[0].Offers) > 0 {
		out.Offers, out.OfferGroups = out.OfferGroups[0].Offers, nil
	}
	e := httpx.EventFrom(ctx)
	e.Set("addresses", len(groups))
	e.Set("offers", len(sealed))
	return out, nil
}

// asked is a query in the service's words.
func asked(c *call, query *rampv1.ResourceQuery) (exchange.Query, error) {
	r := query.GetRequester()
	if len(r.GetUris()) == 0 {
		return exchange.Query{},
			&wire.Invalid{Path: "requester.uris", Problem: "is empty; name the addresses that you want offers for"}
	}
	user, country, err := using(r)
	if err != nil {
		return exchange.Query{}, err
	}
	return exchange.Query{
		By: c.who, URIs: distinct(r.GetUris()), Functions: intended(r), User: user, Country: country,
		Profiles: query.GetSupportedProfiles(),
		Via:      wire.Via(query),
	}, nil
}

// absences are the protocol's reasons for those of the service.
var absences = map[exchange.Absence]rampv1.OfferAbsenceReason{
	exchange.NotInCatalog:     rampv1.OfferAbsenceReason_OFFER_ABSENCE_REASON_NOT_IN_CATALOG,
	exchange.ScopeMissing:     rampv1.OfferAbsenceReason_OFFER_ABSENCE_REASON_SCOPE_INSUFFICIENT,
	exchange.NotAuthorised:    rampv1.OfferAbsenceReason_OFFER_ABSENCE_REASON_NOT_AUTHORIZED,
	exchange.NotLicensed:      rampv1.OfferAbsenceReason_OFFER_ABSENCE_REASON_CONTENT_BLOCKED,
	exchange.FunctionExcluded: rampv1.OfferAbsenceReason_OFFER_ABSENCE_REASON_FUNCTION_PROHIBITED,
	exchange.UserExcluded:     rampv1.OfferAbsenceReason_OFFER_ABSENCE_REASON_USER_CATEGORY_PROHIBITED,
	exchange.CountryExcluded:  rampv1.OfferAbsenceReason_OFFER_ABSENCE_REASON_GEO_RESTRICTED,
	exchange.NotNow:           rampv1.OfferAbsenceReason_OFFER_ABSENCE_REASON_TEMPORARILY_UNAVAILABLE,
}

// group is what is offered for one address. All that is sold here is found in the catalog.
func group(q *exchange.OfferGroup, sealed map[string]*rampv1.Offer) *rampv1.OfferGroup {
	out := &rampv1.OfferGroup{Uri: q.URI}
	for _, o := range q.Offers {
		out.Offers = append(out.Offers, sealed[o.ID])
	}
	// a query names its addresses: nothing here recommends any, or follows where they are
	// syndicated
	if len(out.Offers) > 0 {
		out.DiscoveryMethod = rampv1.DiscoveryMethod_DISCOVERY_METHOD_MARKETPLACE.Enum()
	} else {
		out.AbsenceReason = absences[q.Absence].Enum()
	}
	return out
}

// limit tells how much is left of the requester's limit; nil where there is none.
func (c *call) limit() *rampv1.RateLimitInfo {
	if c.left.Limit == 0 {
		return nil
	}
	return &rampv1.RateLimitInfo{
		Limit: clamp(int64(c.left.Limit)), Remaining: clamp(int64(c.left.Remaining)),
		ResetAt: timestamppb.New(c.left.Reset),
		Window:  durationpb.New(c.left.Window),
	}
}

// allowed is how long a query may take: what it says, or what is usual here, and never longer than
// the most.
func (d *handlers) allowed(query *rampv1.ResourceQuery) time.Duration {
	if query.Deadline == nil {
		return min(d.Deadline, d.MaxDeadline)
	}
	return min(query.Deadline.AsDuration(), d.MaxDeadline)
}
