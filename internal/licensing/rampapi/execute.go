package rampapi

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"slices"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"frontdesk/internal/infra/httpx"
	"frontdesk/internal/licensing/exchange"
	compv1 "frontdesk/wire/comp/v1"
	wire "frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
	"frontdesk/wire/sign"
)

// execute buys by the offers of a request. What is denied stands in the answer, with why.
func (d *handlers) execute(ctx context.Context, c *call,
	request *rampv1.TransactionRequest) (*rampv1.TransactionResponse, error) {
	p, err := purchase(c, request)
	if err != nil {
		return nil, err
	}
	if d.FetchAt != nil {
		p.FetchAt = d.FetchAt(ctx)
	}
	bought, err := d.services.Exchange.Execute(ctx, p)
	if err != nil {
		return nil, err
	}
	out := &rampv1.TransactionResponse{Ver: Version, Id: request.Id, AgentIdentityHash: bought.Agent}
	granted := 0
	for i := range bought.Items {
		item := &bought.Items[i]
		if item.Denial == "" {
			granted++
		}
		result, err := d.result(item)
		if err != nil {
			return nil, err
		}
		if len(request.Items) > 0 {
			out.Items = append(out.Items, result)
			continue
		}
		single(out, result, item)
	}
	if len(request.Items) > 0 {
		out.TotalCost, out.SubscriptionQuota = total(bought.Items, out.Items), left(bought.Items)
	}
	e := httpx.EventFrom(ctx)
	e.Set("offers", len(bought.Items))
	e.Set("granted", granted)
	e.Set("again", bought.Replayed)
	if granted == 0 {
		e.Set("denial", string(bought.Items[0].Denial))
	}
	return out, nil
}

// purchase is a request to buy in the service's words.
func purchase(c *call, request *rampv1.TransactionRequest) (exchange.Order, error) {
	user, country, err := using(request.Requester)
	if err != nil {
		return exchange.Order{}, err
	}
	p := exchange.Order{
		Requester: c.who, ID: request.Id, User: user, Country: country, Functions: intended(request.Requester),
		Licence: request.Requester.GetLicenseId(), Limited: c.exceeded() != nil,
	}
	if ends := request.Requester.GetDelegation().GetExpiresAt(); ends != nil {
		p.Delegated = ends.AsTime()
	}
	if p.Digest, err = digest(request); err != nil {
		return exchange.Order{}, err
	}
	items := request.Items
	if len(items) == 0 {
		items = []*rampv1.TransactionItem{{OfferId: request.GetOfferId(), OfferSignature: request.GetOfferSignature()}}
	}
	for _, item := range items {
		signature, err := sign.DecodeSignature(item.OfferSignature)
		if err != nil {
			signature = nil
		}
		p.Items = append(p.Items, exchange.OrderItem{Offer: item.OfferId, Signature: signature})
	}
	return p, nil
}

// digest tells requests with one id apart: it is over all of a request but its signatures, which
// may be made anew.
func digest(request *rampv1.TransactionRequest) (sum [sha256.Size]byte, err error) {
	of := proto.Clone(request).(*rampv1.TransactionRequest)
	of.OfferSignature = nil
	for _, item := range of.Items {
		item.OfferSignature = ""
	}
	if of.Requester != nil {
		of.Requester.Signature, of.Requester.SignatureAlgorithm = "", ""
	}
	text, err := wire.Marshal(of)
	return sha256.Sum256(text), err
}

// denials are the protocol's reasons for those of the service.
var denials = map[exchange.Denial]rampv1.DenialReason{
	exchange.InvalidLicence:      rampv1.DenialReason_DENIAL_REASON_INVALID_LICENSE,
	exchange.ExpiredLicence:      rampv1.DenialReason_DENIAL_REASON_EXPIRED_LICENSE,
	exchange.InsufficientBalance: rampv1.DenialReason_DENIAL_REASON_INSUFFICIENT_BALANCE,
	exchange.TooManyPurchases:    rampv1.DenialReason_DENIAL_REASON_RATE_LIMITED,
	exchange.ContentUnavailable:  rampv1.DenialReason_DENIAL_REASON_CONTENT_UNAVAILABLE,
	exchange.FunctionProhibited:  rampv1.DenialReason_DENIAL_REASON_FUNCTION_PROHIBITED,
	exchange.GeoRestricted:       rampv1.DenialReason_DENIAL_REASON_GEO_RESTRICTED,
	exchange.ReportingOverdue:    rampv1.DenialReason_DENIAL_REASON_REPORTING_OVERDUE,
	exchange.OfferExpired:        rampv1.DenialReason_DENIAL_REASON_OFFER_EXPIRED,
	exchange.SignatureInvalid:    rampv1.DenialReason_DENIAL_REASON_SIGNATURE_INVALID,
	exchange.QuotaExceeded:       rampv1.DenialReason_DENIAL_REASON_QUOTA_EXCEEDED,
	exchange.DelegationExpired:   rampv1.DenialReason_DENIAL_REASON_DELEGATION_EXPIRED,
	exchange.ScopeInsufficient:   rampv1.DenialReason_DENIAL_REASON_SCOPE_INSUFFICIENT,
}

// result is what came of one offer, as it stands in the answer to several.
func (d *handlers) result(item *exchange.ItemResult) (*rampv1.TransactionResultItem, error) {
	if item.Denial != "" {
		return &rampv1.TransactionResultItem{OfferId: item.Offer, DenialReason: denials[item.Denial].Enum()}, nil
	}
	t := &item.Transaction
	offer := &rampv1.Offer{}
	if err := wire.Unmarshal(t.Document, offer); err != nil {
		return nil, fmt.Errorf("read the offer of transaction %s: %w", t.ID, err)
	}
	out := &rampv1.TransactionResultItem{
		OfferId: t.Offer, TransactionId: t.ID, BillingId: t.Billing, Package: sold(offer, item.URL),
		DeliveryMethod:      deliveries[t.Method],
		ReportingObligation: offer.Reporting, ExpiresAt: timestamppb.New(t.Expires),
	}
	out.Cost = &rampv1.Cost{
		Amount: amount(t.Amount), Currency: cmp.Or(t.Price.Currency, offer.Pricing.GetCurrency(), d.currency()),
		UnitCost: offer.GetPricing().UnitCost,
	}
	if t.Subscription != "" {
		out.SubscriptionId = &t.Subscription
		if t.Price.Currency != "" {
			out.SubscriptionUnitValue = &rampv1.Cost{Amount: amount(t.Value), Currency: t.Price.Currency}
		}
	}
	return out, nil
}

// sold is the package of an offer with where to retrieve it.
func sold(offer *rampv1.Offer, url string) *compv1.Package {
	of := offer.GetPackage()
	out := &compv1.Package{Id: of.GetId(), Title: of.Title, Seller: of.Seller, Packager: of.Packager,
		Licenseurl: of.Licenseurl, Citation: of.Citation}
	out.Retrieval = &compv1.Retrieval{
		Auth: compv1.RetrievalAuth_RETRIEVAL_AUTH_NONE.Enum(), Endpoint: &url,
		Type: []compv1.RetrievalType{compv1.RetrievalType_RETRIEVAL_TYPE_OTHER},
	}
	return out
}

// single puts what came of one offer into the answer itself.
func single(out *rampv1.TransactionResponse, r *rampv1.TransactionResultItem, item *exchange.ItemResult) {
	if out.DenialReason = r.DenialReason; r.DenialReason != nil {
		return
	}
	out.TransactionId, out.BillingId, out.Package, out.Cost, out.DeliveryMethod = &r.TransactionId, &r.BillingId,
		r.Package, r.Cost, r.DeliveryMethod
	out.ReportingObligation, out.ExpiresAt, out.SubscriptionId, out.SubscriptionUnitValue = r.ReportingObligation,
		r.ExpiresAt, r.SubscriptionId, r.SubscriptionUnitValue
	for _, q := range item.Quotas {
		out.SubscriptionQuota = append(out.SubscriptionQuota, quota(item.Transaction.Subscription, q))
	}
}

// left are the quotas of the subscriptions that paid for several offers, as the last of those left
// them.
func left(items []exchange.ItemResult) (all []*rampv1.SubscriptionQuotaInfo) {
	for i := range items {
		for _, q := range items[i].Quotas {
			row := quota(items[i].Transaction.Subscription, q)
			all = slices.DeleteFunc(all, func(before *rampv1.SubscriptionQuotaInfo) bool {
				return before.SubscriptionId == row.SubscriptionId && before.Unit == row.Unit
			})
			all = append(all, row)
		}
	}
	return all
}

// total is what several offers cost together, which is never more than an account can hold; nil
// where they are not paid in one currency.
func total(items []exchange.ItemResult, results []*rampv1.TransactionResultItem) *rampv1.Cost {
	var sum int64
	var currency, free string
	for i := range items {
		cost := results[i].Cost
		switch {
		case cost == nil: // it was denied
			continue
		case items[i].Transaction.Amount == 0: // which is nothing in every currency
			free = cmp.Or(free, cost.Currency)
			continue
		case currency != "" && currency != cost.Currency:
			return nil
		}
		currency, sum = cost.Currency, sum+items[i].Transaction.Amount
	}
	if currency = cmp.Or(currency, free); currency == "" {
		return nil
	}
	return &rampv1.Cost{Amount: amount(sum), Currency: currency}
}
