package client

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	compv1 "frontdesk/wire/comp/v1"
	"frontdesk/wire/contenthash"
	"frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
	"frontdesk/wire/sign"
)

// Bought is what came of taking an offer.
type Bought struct {
	Offer *rampv1.Offer
	// Denial is why it was not bought; unspecified when it was.
	Denial rampv1.DenialReason
	// Result is the Exchange's answer; of a denial it tells nothing more.
	Result *rampv1.TransactionResultItem
	// Quotas are those of the subscription under which it was bought, after that.
	Quotas []*rampv1.SubscriptionQuotaInfo
}

// Denied says whether it was not bought.
func (b *Bought) Denied() bool { return b.Denial != rampv1.DenialReason_DENIAL_REASON_UNSPECIFIED }

// URL is the address from which what was bought can be fetched for a few minutes; empty for none.
func (b *Bought) URL() string { return b.Result.GetPackage().GetRetrieval().GetEndpoint() }

// NewPurchase is an id for [Exchange.Buy].
func NewPurchase() string { return newSession() }

// Buy takes offers that Discover gave, one or several (RAMP v1, ExecuteTransaction). The id makes
// it one purchase: who is not sure whether it was made calls Buy again with the same id and offers,
// and buys nothing twice. What is denied says so in its Bought; several offers are bought each for
// itself.
func (x *Exchange) Buy(ctx context.Context, id string, offers ...*rampv1.Offer) ([]Bought, error) {
	if id == "" || len(offers) == 0 || len(offers) > ramp.MaxItems {
		return nil, fmt.Errorf("a purchase takes an id, and 1 to %d offers", ramp.MaxItems)
	}
	request := &rampv1.TransactionRequest{Ver: rampVersion, Id: id, Requester: x.requester(nil)}
	if len(offers) == 1 {
		request.OfferId, request.OfferSignature = &offers[0].OfferId, &offers[0].ExchangeSignature
	} else {
		for _, offer := range offers {
			request.Items = append(request.Items,
				&rampv1.TransactionItem{OfferId: offer.OfferId, OfferSignature: offer.ExchangeSignature})
		}
	}
	answer := &rampv1.TransactionResponse{}
	if _, err := x.call(ctx, "ExecuteTransaction", request, answer); err != nil {
		return nil, err
	}
	results := answer.Items
	if len(offers) == 1 && len(results) == 0 {
		results = []*rampv1.TransactionResultItem{single(offers[0].OfferId, answer)}
	}
	if answer.Id != id || len(results) != len(offers) {
		return nil, &NotAnExchange{x.base, "the answer to the purchase is about something else"}
	}
	all := make([]Bought, len(offers))
	for i, result := range results {
		if result.OfferId != offers[i].OfferId {
			return nil, &NotAnExchange{x.base, "the answer to the purchase names other offers, or in another order"}
		}
		all[i] = Bought{Offer: offers[i], Denial: result.GetDenialReason(), Result: result,
			Quotas: answer.SubscriptionQuota}
		if all[i].Denied() {
			continue
		}
		if result.TransactionId == "" || result.BillingId == "" {
			return nil, &NotAnExchange{x.base, "the answer to the purchase has no transaction_id or no billing_id"}
		}
	}
	return all, nil
}

// single is the answer to a purchase of one offer in the form of those to several.
func single(offer string, a *rampv1.TransactionResponse) *rampv1.TransactionResultItem {
	return &rampv1.TransactionResultItem{
		OfferId: offer, TransactionId: a.GetTransactionId(), BillingId: a.GetBillingId(), Package: a.Package,
		Cost: a.Cost, SubscriptionId: a.SubscriptionId, DenialReason: a.DenialReason, ExpiresAt: a.ExpiresAt,
		DeliveryMethod: a.DeliveryMethod, ReportingObligation: a.ReportingObligation,
		SubscriptionUnitValue: a.SubscriptionUnitValue,
	}
}

// Content is what was bought, as it was delivered.
type Content struct {
	Media string // the media type, as it was told
	Body  []byte
	// Offered says that it is what the offer described, byte for byte, by its SHA-256; false where
	// the offer tells none, and where it is another.
	Offered bool
	// Near says that it is nearly what the offer described, by its simhash-v1: up to
	// contenthash.Near of 64 bits differ. It does not say that nothing was changed. Distance is how
	// many differ; -1 where the offer tells no such hash.
	Near     bool
	Distance int
	// Attested says that it has the hash that the provider itself attests (level 1), as Offered or
	// Near, and that this holds under its keys. False where that is not known:
	// [Exchange.Attestations] asks for the keys.
	Attested bool
	// Digested says that it is what the one who delivered it meant to, by the digest beside it
	// (Repr-Digest, RFC 9530); false where there was none.
	Digested bool
}

var (
	// ErrOtherContent is content whose hash is not that of its offer, though the offer says that it
	// does not change.
	ErrOtherContent = errors.New("what was delivered is not what was offered, or what its provider attests: " +
		"its hash is another; do not use it, and dispute the transaction")
	// ErrDamaged is content that is not what its own digest says.
	ErrDamaged = errors.New("what was delivered is not what its Repr-Digest says: it was cut or changed on its way; " +
		"fetch it again, or dispute the transaction")
)

// Fetch fetches what was bought: in one of the media types that are accepted, the best first, or
// without any in the form that the offer describes. Of content that does not change, another hash
// than the offer's is ErrOtherContent, and another than its own digest's ErrDamaged, with the
// content beside it. What came in another form has no hash in the offer, so only its own digest
// counts.
func (x *Exchange) Fetch(ctx context.Context, b *Bought, accept ...string) (*Content, error) {
	address := b.URL()
	if address == "" {
		return nil, errors.New("the Exchange names no address from which this can be fetched")
	}
	if err := private(address); err != nil {
		return nil, err
	}
	got, err := x.client.run(ctx, errand{address: address, repeatable: true, again: busy,
		compose: func(ctx context.Context) (*http.Request, error) {
			request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
			if err == nil {
				request.Header.Set("Accept-Encoding", "identity") // digests are of what is sent
				request.Header.Set("Accept", accepted(accept))
				// the address is bound to it
				if id := x.buyer.Licence; id != "" && strings.Contains(address, ramp.LicenceHash(id)) {
					request.Header.Set(ramp.LicenceHeader, id)
				}
			}
			return request, err
		}})
	if err != nil {
		return nil, unsigned(err)
	}
	out, err := contentOf(got)
	if err != nil {
		return out, err
	}
	return out, x.hold(ctx, b.Offer, out, len(accept) > 0)
}

// accepted is the header for media types, the best first.
func accepted(types []string) string {
	if len(types) == 0 {
		return "*/*"
	}
	all := make([]string, len(types))
	for i, one := range types {
		if all[i] = one; i > 0 {
			all[i] += fmt.Sprintf(";q=%.3f", max(0.001, 1-float64(i)/10))
		}
	}
	return strings.Join(all, ", ")
}

// contentOf reads what was delivered.
func contentOf(got *posted) (*Content, error) {
	if got.status != http.StatusOK {
		return nil, failureOfExchange(got)
	}
	if coding := got.header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return nil, fmt.Errorf("what was bought came as %.20q, though it was asked for as it is; tell the Exchange",
			coding)
	}
	out := &Content{Media: got.header.Get("Content-Type"), Body: got.body}
	told, holds := sign.ReprDigest(got.header.Values("Repr-Digest"), got.body)
	if out.Digested = holds; told && !holds {
		return out, ErrDamaged
	}
	return out, nil
}

// hold holds what was delivered against the hash that the offer tells, and that which its provider
// attests. The error is ErrOtherContent for what does not change and is something else.
func (x *Exchange) hold(ctx context.Context, offer *rampv1.Offer, out *Content, chosen bool) error {
	out.Distance = -1
	holds := func(h contenthash.Hash) bool {
		got := contenthash.Of(h.Method, out.Body)
		if h.Method == contenthash.SimHash {
			out.Distance = max(out.Distance, contenthash.Distance(h, got))
		}
		return h.Holds(got)
	}
	told := offeredHash(offer)
	attested, known := x.attestedHash(ctx, offer)
	good, same := holds(told), known && holds(attested)
	out.Offered, out.Near = good && told.Method == contenthash.SHA256, good && told.Method == contenthash.SimHash
	out.Attested = same
	wrong := told.Method != "" && !good || known && !same
	if wrong && !chosen &&
		offer.GetIdentity().GetResourceMutability() == rampv1.ResourceMutability_RESOURCE_MUTABILITY_STATIC {
		return ErrOtherContent
	}
	return nil
}

// Use is a report on how something bought was used.
type Use struct {
	ID       string // of the report; who sends it again uses the same. Empty makes one
	Quantity int    // in the offer's unit, up to 2,147,483,647
	// Functions it was used for; none where the offer does not ask.
	Functions []compv1.Function
	// SubFunctions are those of CoMP, more closely what for.
	SubFunctions []compv1.SubFunction
	Shown        *bool // to people; nil says nothing
	Cited        *bool
	// Attribution is how people were shown where it is from. An offer of the model attribution is
	// paid for by that.
	Attribution []*rampv1.AttributionDetail
	// Revenue is what was earned with it, of an offer whose price is a share of that; nil says
	// nothing.
	Revenue *Price
	// RequestID is that of the query that it began with, for whoever follows it; empty says
	// nothing.
	RequestID string
	At        time.Time // zero for now

	exchange string // the domain of the Exchange to which a Broker passes the report on
}

// extRevenue is the key of a report's ext that tells what was earned (docs/ramp.md).
const extRevenue = "ramp.revenue"

// says says whether the report has a member that an Exchange asks for, by the name that
// required_fields has for it. Members that every report has, and names that are not known, count as
// there: the Exchange says what it makes of them.
func (u *Use) says(field string) bool {
	switch field {
	case "function":
		return len(u.Functions) > 0
	case "subfn":
		return len(u.SubFunctions) > 0
	case "displayed_to_user":
		return u.Shown != nil
	case "citation_included":
		return u.Cited != nil
	case "attribution":
		return slices.ContainsFunc(u.Attribution, func(a *rampv1.AttributionDetail) bool {
			return a.VisibleToUser == nil || *a.VisibleToUser
		})
	case extRevenue:
		return u.Revenue != nil
	}
	return true
}

// Rejected is a report that the Exchange did not take.
type Rejected struct{ Reason string }

// Error is the reason.
func (r *Rejected) Error() string {
	return "the Exchange did not take the report: " + orSilent(r.Reason)
}

// Report reports how something bought was used, and gives the id of the report, which a dispute
// needs (RAMP v1, ReportUsage). The error is a *Rejected for one that was not taken.
func (x *Exchange) Report(ctx context.Context, b *Bought, u Use) (string, error) {
	if b.Denied() {
		return "", errors.New("this was not bought, so there is nothing to report")
	}
	if b.Result.GetTransactionId() == "" {
		return "", errors.New(
			"whether this was bought is not known, so there is nothing to report; finish the purchase")
	}
	if u.Quantity < 0 || u.Quantity > math.MaxInt32 {
		return "", fmt.Errorf("a report counts from 0 to %d of the offer's unit, and this is %d; "+
			"look whether the unit is another", math.MaxInt32, u.Quantity)
	}
	if u.ID == "" {
		u.ID = newSession()
	}
	if u.At.IsZero() {
		u.At = x.client.options.Now()
	}
	report := &rampv1.UsageReport{
		Ver: rampVersion, Id: u.ID, TransactionId: b.Result.TransactionId, BillingId: b.Result.BillingId,
		Timestamp: timestamppb.New(u.At.Truncate(time.Microsecond)),
		Usage: &rampv1.Usage{Function: u.Functions, ConsumedQuantity: int32(u.Quantity), DisplayedToUser: u.Shown,
			CitationIncluded: u.Cited},
	}
	report.Usage.Subfn, report.Usage.Attribution = u.SubFunctions, u.Attribution
	if unit := b.Offer.GetPricing().GetUnit(); unit != "" {
		report.Usage.ConsumedUnit = &unit
	}
	if u.RequestID != "" {
		report.RequestId = &u.RequestID
	}
	if domain := cmp.Or(x.manifest.GetDomain(), u.exchange); domain != "" {
		report.Exchange = &domain
	}
	if uri := b.Offer.GetIdentity().GetCanonicalUrl(); uri != "" {
		asset := &rampv1.UsageAsset{Uri: uri}
		if p := b.Offer.GetPackage(); p != nil {
			asset.Title, asset.PackageId = filled(p.GetTitle()), filled(p.GetId())
		}
		report.Assets = []*rampv1.UsageAsset{asset}
	}
	if u.Revenue != nil {
		var err error
		report.Ext, err = structpb.NewStruct(
			map[string]any{extRevenue: map[string]any{"amount": u.Revenue.Amount, "currency": u.Revenue.Currency}})
		if err != nil {
			return "", fmt.Errorf("the revenue cannot be written: %w", err)
		}
	}
	answer := &rampv1.UsageReportResponse{}
	if _, err := x.call(ctx, "ReportUsage", report, answer); err != nil {
		return "", err
	}
	if !answer.Accepted {
		return "", &Rejected{answer.GetRejectionReason()}
	}
	return answer.ReportId, nil
}

// filled is a text that is there; nil for an empty one.
func filled(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// call makes an RPC, in Connect's form over plain HTTP, until the Exchange has time. Each of them
// can be repeated. It gives the answer also as it came.
func (x *Exchange) call(ctx context.Context, method string, request, answer proto.Message) (*posted, error) {
	if err := ramp.Validate(request); err != nil {
		return nil, err
	}
	body, err := ramp.Marshal(request)
	if err != nil {
		return nil, err
	}
	address := x.base + method
	got, err := x.client.run(ctx, errand{address: address, repeatable: true, again: noTime,
		compose: func(ctx context.Context) (*http.Request, error) {
			return x.compose(ctx, address, body)
		}})
	switch {
	case err != nil:
		return nil, err
	case got.status != http.StatusOK:
		return nil, failureOfExchange(got)
	}
	err = ramp.Unmarshal(got.body, answer)
	if err == nil {
		err = ramp.FirstForeign(got.body, answer)
	} else if other := ramp.Recognise(got.body, answer); other != nil {
		err = other
	}
	if err != nil {
		return nil, &NotAnExchange{address, err.Error()}
	}
	return got, nil
}

// compose writes an RPC, signed for now.
func (x *Exchange) compose(ctx context.Context, address string, body []byte) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", typeJSON)
	if x.buyer.Key == nil {
		return request, nil
	}
	request.Header.Set(sign.HeaderContentDigest, sign.ContentDigest(body))
	keyID := x.buyer.Domain
	if x.buyer.KeyID != "" {
		keyID += "#" + x.buyer.KeyID
	}
	input, signature, err := sign.SignHTTP(
		sign.Request{Method: http.MethodPost, Target: address, Header: request.Header},
		sign.SigningParameters{KeyID: keyID, Created: x.client.options.Now(), Nonce: newSession()}, x.buyer.Key)
	if err != nil {
		return nil, err
	}
	request.Header.Set(sign.HeaderSignatureInput, input)
	request.Header.Set(sign.HeaderSignatureOfHTTP, signature)
	return request, nil
}

// ExchangeError is a failure that an Exchange answers.
type ExchangeError struct {
	// of Connect, such as "unauthenticated"; "http_502" and the like where the answer is none of
	// the protocol's
	Code       string
	Message    string // in the Exchange's words
	Status     int    // of HTTP
	RetryAfter time.Duration
	Raw        []byte // the whole answer
	// Apart is how far the clock of the Exchange is ahead of this machine's, to the second; 0 where
	// that is less than a minute, or not told. Who is far ahead or behind has its signatures
	// refused.
	Apart time.Duration

	broker bool // it is a Broker's
}

// Error is the code and the Exchange's words.
func (e *ExchangeError) Error() string {
	who := "Exchange"
	if e.broker {
		who = "Broker"
	}
	if e.broker && e.Code == "http_404" {
		return "the address answered 404: no Broker of RAMP v1 is there; give the address of one"
	}
	return fmt.Sprintf("the %s answered %d %s: %s%s", who, e.Status, e.Code, orSilent(e.Message), apartWords(e.Apart))
}

// Details are what programs read of a failure beside its code, as JSON has it: a Broker's budget,
// and what it found, or did not take. Nil where there is nothing of the kind.
func (e *ExchangeError) Details() map[string]any {
	var told struct {
		Details []struct{ Type, Value string }
	}
	if json.Unmarshal(e.Raw, &told) != nil {
		return nil
	}
	for _, one := range told.Details {
		text, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(one.Value, "="))
		details := &structpb.Struct{}
		if one.Type == "google.protobuf.Struct" && err == nil && proto.Unmarshal(text, details) == nil {
			return details.AsMap()
		}
	}
	return nil
}

// failureOfExchange reads a failure.
func failureOfExchange(got *posted) *ExchangeError {
	out := &ExchangeError{Status: got.status, RetryAfter: retryAfter(got.header), Raw: got.body,
		Apart: clockApart(got.header, got.at)}
	var told struct{ Code, Message string }
	if json.Unmarshal(got.body, &told) == nil {
		out.Code, out.Message = told.Code, told.Message
	}
	if out.Code == "" {
		out.Code, out.Message = "http_"+strconv.Itoa(got.status), http.StatusText(got.status)
	}
	return out
}

// NotAnExchange is a document or an answer that is not what RAMP v1 has there. What it says is not
// used.
type NotAnExchange struct {
	URL     string
	Problem string
}

// Error names what is wrong.
func (e *NotAnExchange) Error() string { return e.URL + " is not RAMP v1: " + e.Problem }
