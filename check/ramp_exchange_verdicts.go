package check

import (
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	compv1 "frontdesk/wire/comp/v1"
	"frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
	"frontdesk/wire/sign"
)

// without is an address without its query and fragment.
func without(address string) string {
	address, _, _ = strings.Cut(address, "#")
	address, _, _ = strings.Cut(address, "?")
	return address
}

// refuses sends what must be refused with a status and a code.
func (m *market) refuses(ctx context.Context, c call, status int, code string) verdict {
	got, err := m.send(ctx, c)
	mend := fmt.Sprintf("answer %d with the code %s", status, code)
	switch {
	case err != nil:
		return noAnswer(err)
	case got.status < 400:
		return wrong(fmt.Sprintf("it answers %d", got.status), mend)
	case got.status >= 500:
		return wrong("it answers "+got.failed()+": the Exchange breaks down", mend)
	case got.status != status || got.code() != code:
		return doubt("it answers "+got.failed(), mend)
	}
	return passed()
}

// keepsOut sends a query that is not the buyer's.
func (m *market) keepsOut(ctx context.Context, c call) verdict {
	c.method = "DiscoverResources"
	if c.body == nil {
		c.body = encodedMessage(m.query(m.options.URIs[0]))
	}
	v := m.refuses(ctx, c, http.StatusUnauthorized, "unauthenticated")
	if v.outcome == Wrong && strings.HasPrefix(v.detail, "it answers 200") {
		v.detail = "it answers as if the buyer had asked"
		if c.open {
			return doubt(v.detail, "ask for signatures, once it is no trial: anybody can ask in anybody's name")
		}
	}
	return v
}

// discoverRight asks for offers as one should, and keeps them.
func discoverRight(ctx context.Context, m *market) verdict {
	query := m.query(m.options.URIs[0])
	answer, got, err := m.discovered(ctx, encodedMessage(query))
	switch {
	case got != nil && got.status == http.StatusUnauthorized:
		return wrong("it answers "+got.failed(), "see that the Exchange can read ramp-agent.json of "+
			m.options.Buyer.Domain+", and that it takes RFC 9421 over @method, @target-uri and content-digest")
	case err != nil:
		return noAnswer(err)
	case got.status != http.StatusOK:
		return wrong("it answers "+got.failed(), "answer with offers, or with the reason why there are none")
	}
	frame := proto.CloneOf(answer)
	frame.Offers = nil // each is looked at by itself
	for _, group := range frame.OfferGroups {
		group.Offers = nil
	}
	if err := ramp.Validate(frame); err != nil {
		return unread(err)
	}
	if answer.Id != query.Id {
		return doubt("the answer's id is not the query's", "answer with the id of the query")
	}
	alone, grouped, err := ramp.ReceivedOffers(got.body)
	if err != nil {
		return noAnswer(err)
	}
	for i, offer := range answer.Offers {
		m.offers = append(m.offers, came{offer, alone[i]})
	}
	for g, group := range answer.OfferGroups {
		for i, offer := range group.Offers {
			m.offers = append(m.offers, came{offer, grouped[g][i]})
		}
	}
	return passed()
}

// sameOffers sends a query that says the same in other words.
func (m *market) sameOffers(ctx context.Context, text []byte, mend string) verdict {
	answer, got, err := m.discovered(ctx, text)
	switch {
	case err != nil:
		return noAnswer(err)
	case got.status != http.StatusOK:
		return wrong("it answers "+got.failed(), mend)
	case len(all(answer)) != len(m.offers):
		return wrong(fmt.Sprintf("it makes %d offers, and %d to the same in the usual words", len(all(answer)),
			len(m.offers)), mend)
	}
	return passed()
}

// absent asks for what is not there.
func (m *market) absent(ctx context.Context, uri string) verdict {
	answer, got, err := m.discovered(ctx, encodedMessage(m.query(uri)))
	switch {
	case err != nil:
		return noAnswer(err)
	case got.status != http.StatusOK:
		return doubt("it answers "+got.failed(), "answer 200 with a group that says absence_reason")
	case len(all(answer)) > 0:
		return doubt("it offers "+uri, "offer what there is; or, where a rule covers addresses that do not exist, "+
			"sell nothing before it is fetched")
	}
	for _, g := range answer.OfferGroups {
		if g.GetAbsenceReason() != rampv1.OfferAbsenceReason_OFFER_ABSENCE_REASON_UNSPECIFIED {
			return passed()
		}
	}
	return doubt("it does not say why there is no offer", "answer one group with absence_reason")
}

// each holds every offer against a rule.
func (m *market) each(rule func(came) verdict) verdict {
	for _, c := range m.offers {
		if v := rule(c); v.outcome != Passed {
			return v
		}
	}
	return passed()
}

// signed says whether the Exchange signed an offer: as it came, or as its fields are written.
func (m *market) signed(c came) verdict {
	signature, err := sign.DecodeSignature(c.offer.ExchangeSignature)
	if err != nil {
		return wrong("its signature cannot be read: "+err.Error(),
			"sign with Ed25519, and write the 64 bytes in base64")
	}
	var documents [][]byte
	if text, err := c.text.Payload(); err == nil {
		documents = append(documents, text)
	}
	if text, err := ramp.OfferPayload(c.offer); err == nil && !c.text.Unknown() {
		documents = append(documents, text)
	}
	for _, key := range m.keys {
		for _, document := range documents {
			if key.Good(m.options.Now()) && ed25519.Verify(key.Public, document, signature) {
				return passed()
			}
		}
	}
	return wrong("no key at keys_uri made its signature",
		"sign the offer without exchange_signature as canonical JSON (RFC 8785) with a key that is published")
}

// purchase is a good request to buy an offer.
func (m *market) purchase(offers ...*rampv1.Offer) *rampv1.TransactionRequest {
	request := &rampv1.TransactionRequest{Ver: "1.0", Id: "check-" + random(),
		Requester: m.query(m.options.URIs[0]).Requester}
	for _, offer := range offers {
		request.OfferId, request.OfferSignature = new(offer.OfferId), new(offer.ExchangeSignature)
	}
	return request
}

// cheapest is the offer that costs least.
func (m *market) cheapest() *rampv1.Offer {
	return slices.MinFunc(m.offers, func(a, b came) int {
		switch x, y := ramp.Cost(a.offer.Pricing), ramp.Cost(b.offer.Pricing); {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	}).offer
}

func (m *market) executed(ctx context.Context, request *rampv1.TransactionRequest) (*rampv1.TransactionResponse, *reply,
	error) {
	got, err := m.send(ctx, call{method: "ExecuteTransaction", body: encodedMessage(request)})
	if err != nil {
		return nil, nil, err
	}
	answer := &rampv1.TransactionResponse{}
	if got.status == http.StatusOK {
		err = ramp.Unmarshal(got.body, answer)
	}
	return answer, got, err
}

// denies sends a purchase that must be denied, for one of the reasons.
func (m *market) denies(ctx context.Context, request *rampv1.TransactionRequest,
	reasons ...rampv1.DenialReason) verdict {
	answer, got, err := m.executed(ctx, request)
	mend := "answer 200 with denial_reason " + reasons[0].String()
	switch {
	case err != nil:
		return noAnswer(err)
	case got.status >= 500:
		return wrong("it answers "+got.failed(), mend)
	case got.status == http.StatusOK && answer.DenialReason == nil:
		return wrong("it sells", mend)
	case got.status != http.StatusOK:
		return doubt("it answers "+got.failed(), mend)
	case answer.Package != nil:
		return wrong("it denies, and gives the address all the same", mend+", and no package")
	case !slices.Contains(reasons, answer.GetDenialReason()):
		return doubt("it denies for "+answer.GetDenialReason().String(), mend)
	}
	return passed()
}

// buyRight buys the cheapest offer.
func buyRight(ctx context.Context, m *market) verdict {
	offer, spend := m.cheapest(), m.options.Spend
	cost := ramp.Cost(offer.Pricing)
	if cost > spend.Amount || cost > 0 && offer.Pricing.GetCurrency() != spend.Currency {
		return verdict{outcome: Skipped, detail: fmt.Sprintf("it costs %v %s, and %v %s may be spent", cost,
			offer.Pricing.GetCurrency(), spend.Amount, spend.Currency)}
	}
	request := m.purchase(offer)
	answer, got, err := m.executed(ctx, request)
	switch {
	case err != nil:
		return noAnswer(err)
	case got.status != http.StatusOK:
		return wrong("it answers "+got.failed(), "sell what was offered, or answer with denial_reason")
	case answer.DenialReason != nil:
		return doubt("it denies: "+answer.GetDenialReason().String(),
			"give the buyer an account with enough on it, or sell")
	}
	m.bought = &bought{request: request, offer: offer, answer: answer}
	switch {
	case answer.GetTransactionId() == "" || answer.GetBillingId() == "":
		return wrong("the purchase has no transaction_id, or no billing_id",
			"name both: reports and disputes need them")
	case answer.GetCost().GetAmount() > cost*(1+1e-9):
		return wrong(fmt.Sprintf("it charges %v, and the offer says %v", answer.GetCost().GetAmount(), cost),
			"charge what was signed")
	case answer.GetCost().GetAmount() > 0 && answer.GetCost().GetCurrency() != offer.Pricing.GetCurrency():
		return wrong("it charges in another currency than it offered", "charge what was signed")
	case answer.Id != request.Id:
		return doubt("the answer's id is not the request's", "answer with the id of the request")
	}
	return passed()
}

// fetchRight gets what was bought, and holds it against what was offered.
func fetchRight(ctx context.Context, m *market) verdict {
	answer := m.bought.answer
	address := answer.GetPackage().GetRetrieval().GetEndpoint()
	if address == "" || answer.DeliveryMethod != rampv1.DeliveryMethod_DELIVERY_METHOD_DIRECT {
		return verdict{outcome: Skipped, detail: "it is not delivered directly"}
	}
	u, err := url.Parse(address)
	if err != nil {
		return wrong("the address cannot be read", "give a whole address")
	}
	got, err := m.get(ctx, http.MethodGet, u, http.Header{"Accept-Encoding": {"identity"}})
	if err != nil {
		return noAnswer(fmt.Errorf("what was bought cannot be fetched"))
	}
	identity := m.bought.offer.Identity
	hash, _ := strings.CutPrefix(identity.GetContentHash(), "sha256:")
	sum := sha256.Sum256(got.body)
	switch {
	case got.status != http.StatusOK:
		return wrong(fmt.Sprintf("the address answers %d", got.status),
			"give the delivering server the key that verifies signed addresses")
	case len(hash) == 64 && !strings.EqualFold(hash, hex.EncodeToString(sum[:])):
		return doubt("what came is not what content_hash says", "deliver the bytes that were hashed; where the item "+
			"has several forms, the first that is delivered to who asks for none")
	}
	return passed()
}

// usage is a report on a purchase.
func (m *market) usage(transaction, billing string, offer *rampv1.Offer) *rampv1.UsageReport {
	now := timestamppb.New(m.options.Now().Add(m.offset))
	report := &rampv1.UsageReport{
		Ver: "1.0", Id: "check-" + random(), TransactionId: transaction, BillingId: billing, Timestamp: now,
		Usage: &rampv1.Usage{},
	}
	fillUsage(report, offer, m.options.Uses)
	return report
}

// fillUsage tells all that an Exchange may ask for.
func fillUsage(report *rampv1.UsageReport, offer *rampv1.Offer, uses []string) {
	yes, uri := true, offer.GetIdentity().GetCanonicalUrl()
	report.Usage.ConsumedQuantity = max(1, offer.GetPricing().GetEstimatedQuantity())
	report.Usage.DisplayedToUser, report.Usage.CitationIncluded = &yes, &yes
	for _, use := range uses {
		if number, known := compv1.Function_value[use]; known {
			report.Usage.Function = append(report.Usage.Function, compv1.Function(number))
		}
	}
	if unit := offer.GetPricing().GetUnit(); unit != "" {
		report.Usage.ConsumedUnit = &unit
	}
	if uri != "" {
		report.Usage.Attribution = []*rampv1.AttributionDetail{{DisplayedUrl: &uri,
			Format: rampv1.CitationFormat_CITATION_FORMAT_LINK.Enum(), VisibleToUser: &yes}}
		report.Assets = []*rampv1.UsageAsset{{Uri: uri}}
	}
}
