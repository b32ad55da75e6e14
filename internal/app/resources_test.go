package app

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
)

// records is an entry for a resource that is no page of the web: it has no domain and no path.
func records(uri string, n int32) *rampv1.ResourceEntry {
	return &rampv1.ResourceEntry{Path: uri, Title: proto.String("Record " + uri), EstimatedQuantity: proto.Int32(n)}
}

// TestAResourceThatIsNoPageIsPushedFoundAndSold sells company records by their D-U-N-S numbers, as
// RAMP v1's delegation example has them (uris: duns:123*).
func TestAResourceThatIsNoPageIsPushedFoundAndSold(t *testing.T) {
	t.Parallel()
	s := openSupplied(t)
	onboard := func(id, price, resource string, status int) string {
		return s.admin("POST", "/admin/tenants", fmt.Sprintf(`{"tenant_id":%q,"domains":["www.%[1]s.example"],"resources":[%q],"price":%s,"delivery":{"at":"https://cdn.%[1]s.example","form":"ed25519"}}`, id, resource, price), status)
	}
	onboard("records", `{"model":"per_record","rate":"0.10","currency":"USD"}`, "duns:*", 201)
	onboard("gratis", free, "lei:", 201)
	onboard("thief", free, "urn:other:", 201)
	for _, id := range []string{"records", "gratis", "thief"} {
		s.caller(id, "", id)
	}
	// No two tenants have URIs in common, and what a page runs is no resource.
	for _, resource := range []string{"duns:80", "DUNS:", "javascript:", "https://www.thief.example/", "duns", ""} {
		if got := onboard("late", free, resource, 422); !strings.Contains(got, "resources: ") {
			t.Error(resource, got)
		}
	}
	named := records("", 1)
	named.ContentId = proto.String("duns:804735132")
	withDomain := records("duns:123456789", 12)
	withDomain.Domain = "www.records.example"
	if got := s.push("records", "records", named, withDomain, records("duns:77*", 3)); got != `{"accepted":3,"rejected":0}` {
		t.Fatal(got)
	}
	// A tenant sells what the operator lets it sell, and nothing under another's domain.
	foreign := records("urn:other:1", 1)
	foreign.Domain = "www.records.example"
	if got := s.push("thief", "thief", records("duns:123456789", 1), records("duns:*", 1), foreign,
		records("javascript:alert(1)", 1), records("urn:other:1", 1)); got != `{"accepted":1,"rejected":4}` {
		t.Error(got)
	}
	for uri, quantity := range map[string]int32{
		"duns:804735132": 1, "DUNS:123456789": 12, "duns:123456789": 12, "duns:771": 3,
	} {
		offer := s.offered(uri)
		if offer == nil || offer.Pricing.Model != rampv1.PricingModel_PRICING_MODEL_PER_RECORD ||
			offer.Pricing.GetUnit() != "records" || offer.Pricing.GetEstimatedQuantity() != quantity ||
			offer.Package.GetSeller() != "www.records.example" || offer.Identity.GetCanonicalUrl() != "duns:"+uri[5:] {
			t.Errorf("%s: %v", uri, offer)
		}
	}
	for _, uri := range []string{"duns:8047351321", "duns:1234567890", "duns:7", "https://duns:804735132/",
		"https://www.records.example/duns:804735132", "lei:1"} {
		if offer := s.offered(uri); offer != nil {
			t.Errorf("%s is offered: %v", uri, offer)
		}
	}

	// It is bought by its URI, and delivered at the tenant's outlet, where its URI is the path.
	if got := s.push("gratis", "gratis", records("lei:5493001KJTIIGC8Y1R12/a?b", 1)); got != `{"accepted":1,"rejected":0}` {
		t.Fatal(got)
	}
	const uri = "lei:5493001KJTIIGC8Y1R12/a?b"
	offer := s.offered(uri)
	if offer == nil {
		t.Fatal("nothing is offered")
	}
	buy, err := ramp.Marshal(&rampv1.TransactionRequest{
		Ver: "1.0", Id: "t1", OfferId: &offer.OfferId, OfferSignature: &offer.ExchangeSignature,
		Requester: &rampv1.Requester{Id: "bot", Domain: "buyer.example", Uris: []string{uri}},
	})
	if err != nil {
		t.Fatal(err)
	}
	w := send(s,
		posted("POST", "/ramp.v1.ExchangeService/ExecuteTransaction", string(buy), "Content-Type", "application/json"))
	if w.Code != http.StatusOK ||
		!strings.Contains(w.Body.String(), `"https://cdn.gratis.example/lei:5493001KJTIIGC8Y1R12%2Fa%3Fb?`) || strings.Contains(w.Body.String(), "denial_reason") {
		t.Errorf("%d %s", w.Code, w.Body)
	}

	// It is removed by its URI, by its tenant alone, and goes with the operator's word.
	remove := func(tenant, uri string) string {
		_, told := s.call("RemoveResources", tenant, supplierKey(tenant),
			&rampv1.RemoveResourcesRequest{TenantId: tenant, Paths: []string{uri}}, false)
		return told
	}
	if got := remove("thief", "duns:804735132"); got != "{}" || s.offered("duns:804735132") == nil {
		t.Error(got)
	}
	if got := remove("records", "duns:804735132"); got != `{"removed":1}` || s.offered("duns:804735132") != nil {
		t.Error(got)
	}
	s.admin("POST", "/admin/tenants", `{"tenant_id":"gratis","domains":["www.gratis.example"],"price":`+free+`,"delivery":{"at":"https://cdn.gratis.example","form":"ed25519"}}`, 200)
	if s.offered(uri) != nil {
		t.Error("what the operator no longer lets a tenant sell is sold on")
	}
}
