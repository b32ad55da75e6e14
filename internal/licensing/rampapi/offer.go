package rampapi

import (
	"cmp"
	"math"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"frontdesk/internal/licensing/exchange"
	compv1 "frontdesk/wire/comp/v1"
	wire "frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
	"frontdesk/wire/sign"
)

// models are the protocol's pricing models by the words that terms have for them. What is paid
// once, however much is used, is paid for the access.
var models = map[string]rampv1.PricingModel{
	"per_access": rampv1.PricingModel_PRICING_MODEL_PER_ACCESS, "flat": rampv1.PricingModel_PRICING_MODEL_PER_ACCESS,
	"per_token": rampv1.PricingModel_PRICING_MODEL_PER_TOKEN, "per_fetch": rampv1.PricingModel_PRICING_MODEL_PER_FETCH,
	"subscription": rampv1.PricingModel_PRICING_MODEL_SUBSCRIPTION, "free": rampv1.PricingModel_PRICING_MODEL_FREE,
	"attribution":   rampv1.PricingModel_PRICING_MODEL_ATTRIBUTION,
	"contribution":  rampv1.PricingModel_PRICING_MODEL_CONTRIBUTION,
	"training":      rampv1.PricingModel_PRICING_MODEL_TRAINING,
	"revenue_share": rampv1.PricingModel_PRICING_MODEL_REVENUE_SHARE,
	"per_page":      rampv1.PricingModel_PRICING_MODEL_PER_PAGE,
	"per_minute":    rampv1.PricingModel_PRICING_MODEL_PER_MINUTE,
	"per_record":    rampv1.PricingModel_PRICING_MODEL_PER_RECORD,
	"":              rampv1.PricingModel_PRICING_MODEL_SUBSCRIPTION, // nothing but subscriptions gives it
}

// deliveries are the ways of delivery by the words that terms have for them.
var deliveries = map[string]rampv1.DeliveryMethod{
	"direct":       rampv1.DeliveryMethod_DELIVERY_METHOD_DIRECT,
	"instructions": rampv1.DeliveryMethod_DELIVERY_METHOD_INSTRUCTIONS,
	"streaming":    rampv1.DeliveryMethod_DELIVERY_METHOD_STREAMING,
}

// mutabilities are the kinds of mutability by the catalog's words for them.
var mutabilities = map[string]rampv1.ResourceMutability{
	static:  rampv1.ResourceMutability_RESOURCE_MUTABILITY_STATIC,
	dynamic: rampv1.ResourceMutability_RESOURCE_MUTABILITY_DYNAMIC,
	live:    rampv1.ResourceMutability_RESOURCE_MUTABILITY_LIVE,
}

const static, dynamic, live = "static", "dynamic", "live"

// seal writes an offer and signs it: the message, the bytes that are signed, and the signature.
func (d *handlers) seal(p *exchange.OfferDraft) (m *rampv1.Offer, document, signature []byte, err error) {
	if m, err = d.offer(p); err != nil {
		return nil, nil, nil, err
	}
	if err = d.attest(p, m); err != nil {
		return nil, nil, nil, err
	}
	if document, err = wire.OfferPayload(m); err != nil {
		return nil, nil, nil, err
	}
	if signature, err = d.Sign(document); err != nil {
		return nil, nil, nil, err
	}
	m.ExchangeSignature = sign.EncodeSignature(signature)
	return m, document, signature, nil
}

// attest puts into an offer what the site itself attests of what is offered, before what others do.
// What is live does not exist yet, and of it nothing is attested.
func (d *handlers) attest(p *exchange.OfferDraft, m *rampv1.Offer) error {
	if d.Attest == nil || p.Mutability == live {
		return nil
	}
	own, err := d.Attest(p)
	if err != nil || own == nil {
		return err
	}
	m.Attestations = append([]*rampv1.ResourceAttestation{own},
		m.Attestations[:min(len(m.Attestations), wire.MaxAttestations-1)]...)
	return nil
}

// offer is an offer in the protocol's words, without its signature.
func (d *handlers) offer(p *exchange.OfferDraft) (*rampv1.Offer, error) {
	out := &rampv1.Offer{
		OfferId: p.ID, Package: d.packaged(p), Pricing: d.pricing(p), DeliveryMethod: deliveries[p.Delivery],
		Reporting: reporting(p),
		ExpiresAt: timestamppb.New(p.Expires), Identity: identityOf(p), Restrictions: restrictions(p),
		SignatureAlgorithm: signatureAlgorithm,
		IabCategories:      p.Entry.Categories, Attestations: p.Attested,
	}
	if p.Mutability == dynamic {
		out.DataAsOf = timestamppb.New(asOf(p))
	}
	if p.Subscription != "" {
		out.SubscriptionId = &p.Subscription
	}
	for _, q := range p.Quotas {
		out.SubscriptionQuota = append(out.SubscriptionQuota, quota(p.Subscription, q))
	}
	if len(p.Extensions) > 0 {
		ext, err := structpb.NewStruct(p.Extensions)
		if err != nil {
			return nil, err
		}
		out.Ext = ext
	}
	return out, nil
}

// signatureAlgorithm is the one there is.
const signatureAlgorithm = "ed25519"

// asOf is when what is offered was current.
func asOf(p *exchange.OfferDraft) time.Time {
	for _, at := range []time.Time{p.Entry.AsOf, p.Entry.Modified, p.Entry.Published} {
		if !at.IsZero() {
			return at
		}
	}
	return p.Issued
}

// packaged is what is sold.
func (d *handlers) packaged(p *exchange.OfferDraft) *compv1.Package {
	out := &compv1.Package{Id: p.Package.ID, Title: optional(p.Package.Title), Seller: optional(p.Package.Seller)}
	if p.Package.Citation {
		out.Citation = proto.Int32(1)
	}
	if p.Open { // everybody can ask for it at the other doors
		out.Retrieval = &compv1.Retrieval{Auth: compv1.RetrievalAuth_RETRIEVAL_AUTH_NONE.Enum(),
			Type: []compv1.RetrievalType{compv1.RetrievalType_RETRIEVAL_TYPE_NLWEB}}
		if d.MCP {
			out.Retrieval.Type = append(out.Retrieval.Type, compv1.RetrievalType_RETRIEVAL_TYPE_MCP)
		}
	}
	w := p.Entry
	if !isText(w.Media) && !(w.IsPushed() && w.Words > 0) {
		out.Scope = &compv1.Scope{Ctype: []compv1.ContentType{compv1.ContentType_CONTENT_TYPE_OTHER}}
		return out
	}
	text := &compv1.Text{Title: optional(w.Title), Author: w.Authors, Pubdate: date(w.Published),
		Update: date(w.Modified)}
	if w.Words > 0 {
		text.Wordcount = []int32{clamp(int64(w.Words))}
	}
	if !w.Published.IsZero() {
		text.Published = proto.Int32(1)
	}
	out.Scope = &compv1.Scope{Ctype: []compv1.ContentType{compv1.ContentType_CONTENT_TYPE_TEXT},
		Text: []*compv1.Text{text}}
	return out
}

func isText(media string) bool { return len(media) > 5 && media[:5] == "text/" }

// pricing is what it costs. Under a subscription it costs nothing. Also what costs nothing, or a
// share, has a currency: the field is no optional one (RAMP v1, Pricing).
func (d *handlers) pricing(p *exchange.OfferDraft) *rampv1.Pricing {
	out := &rampv1.Pricing{Model: models[p.Price.Model], Currency: cmp.Or(p.Price.Currency, d.currency())}
	if p.Quantity > 0 {
		out.EstimatedQuantity, out.Unit = new(clamp(p.Quantity)), &p.Unit
	}
	if p.Price.Months > 0 {
		out.LicenseDurationMonths = new(clamp(int64(p.Price.Months)))
	}
	switch {
	case p.Subscription != "":
		out.UnitCost = proto.Float64(0)
	case p.Price.Model == "revenue_share":
		out.Revshare = new(amount(p.Price.Rate))
	default:
		out.Rate = amount(p.Price.Rate)
		if p.UnitCost > 0 {
			out.UnitCost, out.Unit = new(float64(p.UnitCost)/1e12), &p.Unit
		}
	}
	return out
}

// currency is that of what has no price of its own: US dollars if nothing else is configured (RAMP
// v1, Ingestion).
func (d *handlers) currency() string { return cmp.Or(d.Currency, "USD") }

// amount is units of 1e-8 as the double nearest to them, which is written with as few digits as
// they have.
func amount(units int64) float64 { return float64(units) / 1e8 }

// clamp is a number as far as the wire can carry it.
func clamp(n int64) int32 { return int32(min(max(n, 0), math.MaxInt32)) }

func optional(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

func date(at time.Time) *string {
	if at.IsZero() {
		return nil
	}
	return new(at.UTC().Format(time.RFC3339))
}

func instant(at time.Time) *timestamppb.Timestamp {
	if at.IsZero() {
		return nil
	}
	return timestamppb.New(at)
}

// reporting is what is owed after use; nil for nothing.
func reporting(p *exchange.OfferDraft) *rampv1.ReportingObligation {
	if p.Report.Window() == 0 {
		return nil
	}
	return &rampv1.ReportingObligation{Required: true, Window: durationpb.New(p.Report.Window()),
		RequiredFields: p.Report.Fields}
}

// identityOf is by what an item is known elsewhere. Live content has no hash, since it does not
// exist yet.
func identityOf(p *exchange.OfferDraft) *rampv1.ResourceIdentity {
	known := p.Entry.Identity
	out := &rampv1.ResourceIdentity{
		CanonicalUrl: optional(p.URL), Doi: optional(known.DOI), IptcGuid: optional(known.IPTC),
		Isni:         optional(known.ISNI),
		C2PaManifest: optional(known.C2PA), ResourceMutability: mutabilities[p.Mutability],
	}
	if p.Digest.Method != "" {
		out.ContentHash, out.HashMethod = &p.Digest.Digits, new(string(p.Digest.Method))
	} else if told := p.Entry.Pushed; told.Digest != "" && p.Mutability != live {
		out.ContentHash, out.HashMethod = &told.Digest, optional(told.Method)
	}
	return out
}

// restrictions say for whom, where and for what the licence is; nil where nothing is restricted.
func restrictions(p *exchange.OfferDraft) *rampv1.AccessRestrictions {
	b := p.For
	out := &rampv1.AccessRestrictions{
		PermittedFunctions: comp(b.Functions.Permit), ProhibitedFunctions: comp(b.Functions.Prohibit),
		PermittedUsers:  b.Users.Permit,
		ProhibitedUsers: b.Users.Prohibit, PermittedGeo: b.Countries.Permit, ProhibitedGeo: b.Countries.Prohibit,
	}
	if p.DisplayWords > 0 {
		out.MaxDisplayWords = new(clamp(int64(p.DisplayWords)))
	}
	if proto.Size(out) == 0 {
		return nil
	}
	return out
}

// quota is how much of a subscription is left, before or after a purchase.
func quota(subscription string, q exchange.Quota) *rampv1.SubscriptionQuotaInfo {
	return &rampv1.SubscriptionQuotaInfo{
		SubscriptionId: subscription, Unit: q.Unit, QuotaLimit: clamp(q.Limit), QuotaUsed: clamp(q.Used),
		QuotaRemaining: clamp(q.Left),
		ResetsAt:       instant(q.Resets),
	}
}
