package app

import (
	"crypto/ed25519"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"frontdesk/internal/content/ingest"
	"frontdesk/internal/identity/requesters"
	compv1 "frontdesk/wire/comp/v1"
	"frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
)

// TestTheFlowOfTheTextRunsWithItsDelegation runs RAMP v1's steps 2 to 7 and the dispute with what
// its text prints: the requester agent-research-bot-001, "Acme Research Assistant", acts for
// user@acme.com under the delegation of "Attenuation example": scope credit:*, max_spend $1000,
// narrowed to credit:read, $200 and uris duns:123*. The Exchange sells records (PER_RECORD) of
// credit reports.
//
// Two things are printed that the text's own rules do not bear, and are mended as little as they
// can be:
//   - "uris: duns:123*" has no fact and no check among the "Biscuit authority block facts". It is
//     written as the check that it means, over resource.
//   - The id of the requester's domain is left open in the text; here it is that of the test's
//     agent, whose key document has the printed id's place.
func TestTheFlowOfTheTextRunsWithItsDelegation(t *testing.T) {
	t.Parallel()
	d := openMandateOf(t, `ramp: {enabled: true}
terms:
  - {match: {source: records}, access: licensed, scopes: ["credit:read"], price: {model: per_record, rate: "0.5", currency: USD, estimate: 2}, reporting: {window: 24h}}
  - {match: {}, access: open}
`)
	const bot, principal = "agent-research-bot-001", "user@acme.com"
	for _, r := range []requesters.Registration{
		{
			Domain: d.domain(), ID: bot,
			Keys: []ramp.Key{{ID: "k1", Public: d.market.key.Public().(ed25519.PublicKey), Active: true}},
		}, {Domain: d.principal(), ID: principal, Scopes: []string{"credit:*"}},
	} {
		if _, err := d.Requesters.Add(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	d.creditTo(d.domain()+"/"+bot, 100_000_000_000)
	file := filepath.Join(t.TempDir(), "records.jsonl")
	if err := os.WriteFile(file, []byte(`{"@type":"Report","url":"duns:123456789","name":"Credit report of Gorman","text":"Paid on time."}
{"@type":"Report","url":"duns:804735132","name":"Credit report of another","text":"Paid late."}
`), 0o600); err != nil {
		t.Fatal(err)
	}
	site := d.config.AllSites()[0].ID
	if _, err := d.Ingest(t.Context(), ingest.SourceSettings{Site: site, Name: "records", Path: file,
		Schemes: []string{"duns"}}, ingest.Options{}); err != nil {
		t.Fatal(err)
	}
	if err := d.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	original := `user("user@acme.com"); scope("credit:*"); max_spend_cents(100000); expires("2027-06-01T00:00:00Z")`
	attenuated := `check if scope("credit:read"); check if max_spend_cents($v), $v <= 20000; check if resource($r), $r.starts_with("duns:123")`
	under := &rampv1.Delegation{
		PrincipalDomain: d.principal(), PrincipalId: principal, Scopes: []string{"credit:read"},
		ExpiresAt: timestamppb.New(d.clock.Now().Add(time.Hour)), MaxSpend: &rampv1.Cost{Amount: 200, Currency: "USD"},
		Token: d.token(original, attenuated).Text(), TokenFormat: "biscuit-v2",
	}
	by := func(under *rampv1.Delegation, uris ...string) *rampv1.Requester {
		return &rampv1.Requester{
			Id: bot, Domain: d.domain(), Type: rampv1.RequesterType_REQUESTER_TYPE_DELEGATED,
			Name: proto.String("Acme Research Assistant"), Uris: uris, Scopes: []string{"credit:read"},
			IntendedUse: []string{"FUNCTION_AI_INPUT"}, Delegation: under,
		}
	}
	call := func(method string, m, answer proto.Message) {
		t.Helper()
		w := send(d, d.signs("/ramp.v1.ExchangeService/"+method, m))
		if w.Code != http.StatusOK {
			t.Fatalf("%s: %d %s", method, w.Code, w.Body)
		}
		if err := ramp.Unmarshal(w.Body.Bytes(), answer); err != nil {
			t.Fatal(err)
		}
	}

	// Steps 2-3: of two addresses the delegation is good for one; the other is not hinted at.
	found := &rampv1.ResourceResponse{}
	call("DiscoverResources",
		&rampv1.ResourceQuery{Ver: "1.0", Id: "q-1", Requester: by(under, "duns:123456789", "duns:804735132")}, found)
	if len(found.OfferGroups) != 2 || len(found.OfferGroups[0].Offers) != 1 ||
		found.OfferGroups[1].GetAbsenceReason() != rampv1.OfferAbsenceReason_OFFER_ABSENCE_REASON_NOT_IN_CATALOG {
		t.Fatalf("%v", found)
	}
	whole := &rampv1.ResourceResponse{}
	full := proto.CloneOf(under)
	full.Token, full.MaxSpend, full.Scopes = d.token(original).Text(), &rampv1.Cost{Amount: 1000, Currency: "USD"},
		[]string{"credit:*"}
	if call("DiscoverResources", &rampv1.ResourceQuery{Ver: "1.0", Id: "q-2", Requester: by(full, "duns:804735132")},
		whole); len(whole.Offers) != 1 {
		t.Errorf("the delegation that was not narrowed: %v", whole)
	}
	offer := found.OfferGroups[0].Offers[0]
	if offer.Pricing.Model != rampv1.PricingModel_PRICING_MODEL_PER_RECORD || offer.Pricing.GetUnit() != "records" ||
		offer.Pricing.GetEstimatedQuantity() != 2 {
		t.Errorf("%v", offer)
	}

	// Steps 4-5, and the delivery.
	bought := &rampv1.TransactionResponse{}
	call("ExecuteTransaction", &rampv1.TransactionRequest{Ver: "1.0", Id: "t-1", OfferId: &offer.OfferId,
		OfferSignature: &offer.ExchangeSignature, Requester: by(under, "duns:123456789")}, bought)
	if bought.DenialReason != nil || bought.GetCost().GetAmount() != 1 ||
		bought.AgentIdentityHash != ramp.AgentIdentityHash(bot, d.domain()) {
		t.Fatalf("%v", bought)
	}

	// Step 7, and a dispute of what never came.
	reported := &rampv1.UsageReportResponse{}
	call("ReportUsage", &rampv1.UsageReport{
		Ver: "1.0", Id: "r-1", TransactionId: bought.GetTransactionId(), BillingId: bought.GetBillingId(),
		Timestamp: timestamppb.New(d.clock.Now()),
		Usage: &rampv1.Usage{Function: []compv1.Function{compv1.Function_FUNCTION_AI_INPUT}, ConsumedQuantity: 2,
			ConsumedUnit: proto.String("records")},
	}, reported)
	if !reported.Accepted || reported.ReportId == "" {
		t.Fatalf("%v", reported)
	}
	disputed := &rampv1.DisputeResponse{}
	call("DisputeTransaction", &rampv1.DisputeRequest{
		Ver: "1.0", Id: "d-1", TransactionId: bought.GetTransactionId(), BillingId: bought.GetBillingId(),
		Reason: rampv1.DisputeReason_DISPUTE_REASON_DELIVERY_FAILED, ReportId: reported.ReportId,
	}, disputed)
	if !disputed.Accepted || disputed.DisputeId == "" ||
		disputed.Status != rampv1.DisputeStatus_DISPUTE_STATUS_EVIDENCE_NEEDED {
		t.Errorf("%v", disputed)
	}
}
