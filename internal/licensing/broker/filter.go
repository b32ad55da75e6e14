package broker

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/structpb"

	"frontdesk/client"
	compv1 "frontdesk/wire/comp/v1"
	"frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
)

// candidate is an offer that may be taken.
type candidate struct {
	*reply
	uri      string
	offer    *rampv1.Offer
	price    int64 // at the most, in units of 1e-8
	fee      int64
	currency string

	subscription bool
	known        bool    // perUnit is
	perUnit      float64 // what one unit costs, in the currency of the Broker's rates where these know its own
	each         float64 // the same, in its own
	class        string  // of offers whose perUnit can be compared: unit and currency
	worth        int64   // the price in the same currency
	in           string  // that currency
	level        int     // of attestation

	document []byte           // the offer's JSON, once its signature was verified
	object   *structpb.Struct // the same
}

// wishes are what a request says of what may be taken.
type wishes struct {
	*rampv1.RequestConstraints
	functions     []compv1.Function
	user, country string
	most          int64 // that may be paid for all of it; below 0 for no bound
	currency      string
	only          []string // currencies of budgets that it draws on: nothing else can be paid
	rates         *Rates
	now           time.Time
}

// Keys of a requester's ext that say of whom and where it serves.
const (
	extUserCategory = "ramp.user_category"
	extGeo          = "ramp.geo"
)

// wishesOf reads what a request says of what may be taken. The error is a *ramp.Invalid.
func wishesOf(a Request, now time.Time) (w wishes, err error) {
	w = wishes{RequestConstraints: a.GetConstraints(), most: -1, now: now}
	for _, word := range a.GetRequester().GetIntendedUse() {
		function, err := client.ParseFunction(word)
		if err != nil {
			function = compv1.Function_FUNCTION_AI_INPUT // a word that is no function: text is put into a model
		}
		if strings.TrimSpace(word) != "" {
			w.functions = append(w.functions, function)
		}
	}
	said := func(key string) string {
		value, _ := a.GetRequester().GetExt().GetFields()[key].GetKind().(*structpb.Value_StringValue)
		if value == nil {
			return ""
		}
		return strings.TrimSpace(value.StringValue)
	}
	w.user, w.country = strings.ReplaceAll(strings.ToLower(said(extUserCategory)), "_", "-"),
		strings.ToUpper(said(extGeo))
	if most := w.GetMaxPrice(); most != nil {
		var ok bool
		if w.most, ok = units(most.GetAmount()); !ok {
			return w, &ramp.Invalid{Path: "constraints.max_price.amount",
				Problem: fmt.Sprintf("has to be from 0 to %.0f", maxAmount)}
		}
		w.currency = strings.ToUpper(most.GetCurrency())
	}
	if budget := w.GetPeriodBudget(); budget != nil {
		if _, ok := units(budget.GetAmount()); !ok || budget.GetCurrency() == "" {
			return w, &ramp.Invalid{Path: "constraints.period_budget",
				Problem: fmt.Sprintf("has to be an amount from 0 to %.0f with its currency", maxAmount)}
		}
	}
	return w, nil
}

// fits says why an offer is not taken (RAMP v1, RequestConstraints and AccessRestrictions).
func (w *wishes) fits(c *candidate) error {
	p := c.offer.GetPricing()
	switch {
	case c.offer.GetExpiresAt() != nil && !w.now.Before(c.offer.GetExpiresAt().AsTime()):
		return errors.New("the offer has ended" + clocks(c.Apart))
	case p.GetModel() == rampv1.PricingModel_PRICING_MODEL_REVENUE_SHARE:
		return errors.New("it asks for a share of what is earned, which no amount bounds")
	case ramp.Metered(p) && p.GetRate() > 0 && p.GetEstimatedQuantity() <= 0:
		return errors.New("it is charged by the unit and does not say how many it takes, which no amount bounds")
	case w.most >= 0 && !w.atMost(c):
		return fmt.Errorf("it costs %s, and %s may be paid", words(c.price, c.currency), words(w.most, w.currency))
	case slices.ContainsFunc(w.only, func(one string) bool {
		_, ok := w.rates.convert(c.price, c.currency, one)
		return !ok
	}):
		return fmt.Errorf("it costs %s, and the budget is in %s", words(c.price, c.currency),
			strings.Join(w.only, " and "))
	case w.GetConstraints().MaxUnitCost != nil && c.price > 0 && !w.atMostEach(c):
		return errors.New("a unit costs more than may be paid, or it is not known what one costs")
	case w.GetConstraints().ReportingCapable != nil && !w.GetReportingCapable() && c.offer.GetReporting().GetRequired():
		return errors.New("its use has to be reported, and the agent does not report")
	case len(w.GetDeliveryPreference()) > 0 && !slices.Contains(w.GetDeliveryPreference(), c.offer.GetDeliveryMethod()):
		return errors.New("it is delivered in another way than is wanted")
	case w.stale(c.offer):
		return errors.New("its data is older than is wanted")
	}
	return w.restricted(c.offer.GetRestrictions())
}

// atMost says whether an offer costs no more than may be paid.
func (w *wishes) atMost(c *candidate) bool {
	n, ok := w.rates.convert(c.price, c.currency, w.currency)
	return ok && n <= w.most
}

// atMostEach says whether a unit costs no more than may be paid: in the currency of max_price, or
// where there is none in the offer's own.
func (w *wishes) atMostEach(c *candidate) bool {
	each, ok := w.rates.into(c.each, c.currency, cmp.Or(w.currency, c.currency))
	return c.known && ok && each <= w.GetMaxUnitCost()
}

// GetConstraints are the request's own; never nil.
func (w *wishes) GetConstraints() *rampv1.RequestConstraints {
	if w.RequestConstraints == nil {
		return &rampv1.RequestConstraints{}
	}
	return w.RequestConstraints
}

// stale says whether data that changes is older than is wanted.
func (w *wishes) stale(offer *rampv1.Offer) bool {
	if w.GetMaxDataAge() == nil ||
		offer.GetIdentity().GetResourceMutability() != rampv1.ResourceMutability_RESOURCE_MUTABILITY_DYNAMIC {
		return false
	}
	return offer.GetDataAsOf() == nil || w.now.Sub(offer.GetDataAsOf().AsTime()) > w.GetMaxDataAge().AsDuration()
}

// restricted says which restriction keeps the requester from an offer; what it does not say of
// itself keeps it from nothing.
func (w *wishes) restricted(r *rampv1.AccessRestrictions) error {
	if err := client.Permits(r, w.functions); err != nil {
		return fmt.Errorf("it %w", err)
	}
	out := func(said string, permitted, prohibited []string) bool {
		same := func(one string) bool { return strings.EqualFold(strings.ReplaceAll(one, "_", "-"), said) }
		return said != "" && (len(permitted) > 0 && !slices.ContainsFunc(permitted, same) ||
			slices.ContainsFunc(prohibited, same))
	}
	switch {
	case out(w.user, r.GetPermittedUsers(), r.GetProhibitedUsers()):
		return errors.New("it is not for such users")
	case out(w.country, r.GetPermittedGeo(), r.GetProhibitedGeo()):
		return errors.New("it is not for this country")
	}
	return nil
}

// candidates are the offers for an address of all that was heard that may be taken, and notes why
// others may not. Where nobody offers anything, absent is why: that it is not in a catalog only
// where nobody says more.
func (b *Broker) candidates(uri string, all []*reply, w *wishes, over *passedOver) (out []*candidate,
	absent rampv1.OfferAbsenceReason) {
	const unknown = rampv1.OfferAbsenceReason_OFFER_ABSENCE_REASON_NOT_IN_CATALOG
	offered := false
	out = make([]*candidate, 0, len(all))
	for _, h := range all {
		offers, why := h.offersFor(uri)
		if len(offers) == 0 && (absent == 0 || absent == unknown && why != 0) {
			absent = why
		}
		offered = offered || len(offers) > 0
		if left := len(offers) - maxOffers; left > 0 {
			over.note(h.peer.domain, uri, fmt.Errorf("%d more offers than are looked at", left))
			offers = offers[:maxOffers]
		}
		for _, offer := range offers {
			c, err := b.candidate(uri, h, offer)
			if err == nil {
				err = w.fits(c)
			}
			if err != nil {
				over.note(h.peer.domain, uri, err)
				continue
			}
			out = append(out, c)
		}
	}
	if offered {
		absent = 0
	}
	return out, absent
}

// offersFor are the offers for one address, by the group that names it; an answer without groups is
// for the one that was asked for.
func (h *reply) offersFor(uri string) ([]*rampv1.Offer, rampv1.OfferAbsenceReason) {
	if group := h.groups[uri]; group != nil {
		return group.GetOffers(), group.GetAbsenceReason()
	}
	if h.alone == uri {
		return h.Response.GetOffers(), 0
	}
	return nil, 0
}

// way is how the Exchange says that an address was discovered (RAMP v1, DiscoveryMethod); 0 for a
// direct query, and for what is no method.
func (h *reply) way(uri string) int32 {
	switch method := h.groups[uri].GetDiscoveryMethod(); method {
	case rampv1.DiscoveryMethod_DISCOVERY_METHOD_SEARCH, rampv1.DiscoveryMethod_DISCOVERY_METHOD_RECOMMENDATION,
		rampv1.DiscoveryMethod_DISCOVERY_METHOD_SYNDICATION:
		return int32(method)
	}
	return 0
}

// candidate reads an offer.
func (b *Broker) candidate(uri string, h *reply, offer *rampv1.Offer) (*candidate, error) {
	p := offer.GetPricing()
	price, ok := units(ramp.Cost(p))
	if !ok {
		return nil, errors.New("its price is none")
	}
	c := &candidate{
		reply: h, uri: uri, offer: offer, price: price, currency: strings.ToUpper(p.GetCurrency()),
		subscription: offer.GetSubscriptionId() != "" && price == 0,
	}
	if price > 0 && len(c.currency) != 3 {
		return nil, errors.New("its price has no currency")
	}
	c.fee = b.Fee.of(price, c.currency)
	c.each, c.known = perUnit(p)
	perUnit, currency := b.Rates.common(c.each, c.currency)
	c.perUnit, c.in, c.class = perUnit, currency, strings.ToLower(p.GetUnit())+" "+currency
	if c.worth, ok = b.Rates.convert(price, c.currency, currency); !ok {
		c.worth = price
	}
	return c, nil
}

// perUnit is what one unit costs: as the offer says, or the rate for as many as it estimates.
func perUnit(p *rampv1.Pricing) (each float64, known bool) {
	switch {
	case p.GetRate() == 0 && p.GetUnitCost() == 0:
		return 0, true
	case p.UnitCost != nil && !math.IsNaN(p.GetUnitCost()) && p.GetUnitCost() >= 0:
		return p.GetUnitCost(), true
	case ramp.Metered(p):
		return p.GetRate(), true
	case p.GetEstimatedQuantity() > 0:
		return p.GetRate() / float64(p.GetEstimatedQuantity()), true
	}
	return p.GetRate(), false
}

// identityOf is what is offered, by the first of what names it: the same under whichever address it
// is offered; empty where nothing does.
func identityOf(offer *rampv1.Offer) string {
	i := offer.GetIdentity()
	for _, one := range []struct{ kind, name string }{
		{"iptc", i.GetIptcGuid()}, {"doi", strings.ToLower(i.GetDoi())},
		{"hash", strings.ToLower(i.GetHashMethod() + " " + i.GetContentHash())}, {"url", i.GetCanonicalUrl()},
	} {
		if strings.TrimSpace(one.name) != "" && (one.kind != "hash" || i.GetContentHash() != "") {
			return one.kind + " " + one.name
		}
	}
	return ""
}
