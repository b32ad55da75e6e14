package rampapi

import (
	"context"
	"crypto/ed25519"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"connectrpc.com/connect"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"frontdesk/internal/content"
	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/accounts"
	"frontdesk/internal/licensing/catalog"
	"frontdesk/internal/licensing/exchange"
	"frontdesk/internal/licensing/transactions"
	"frontdesk/internal/policy"
	"frontdesk/internal/testkit/saletest"
	compv1 "frontdesk/wire/comp/v1"
	wire "frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
	"frontdesk/wire/ramp/v1/rampv1connect"
	"frontdesk/wire/sign"
)

// selling is a door that sells the items of one site.
type selling struct {
	*saletest.Shop
	t       testing.TB
	config  Config
	key     ed25519.PrivateKey
	now     time.Time
	passing atomic.Bool // a microsecond passes with each look at the clock
	passed  atomic.Int64
}

// time is what the clock shows.
func (s *selling) time() time.Time {
	if s.passing.Load() {
		return s.now.Add(time.Duration(s.passed.Add(1)) * time.Microsecond)
	}
	return s.now
}

func newSelling(t testing.TB) *selling {
	t.Helper()
	s := &selling{Shop: saletest.New(t), t: t, key: ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))}
	s.now = s.Clock.Now()
	s.Now = s.time
	s.Shop.Selling = &exchange.OfferPolicy{Validity: 5 * time.Minute, ReportingWindow: 24 * time.Hour, Currency: "USD"}
	s.Reports = exchange.ReportRules{}
	s.obey(policy.Rule{Access: policy.Licensed,
		Price: policy.Price{Model: "per_access", Rate: "0.02", Currency: "USD"}})
	s.config = Config{
		Exchange: "x.example", Deadline: 10 * time.Second, MaxDeadline: 10 * time.Second, Now: func() time.Time {
			return s.now
		},
		Identify: func(_ context.Context, m *rampv1.Requester, _ requesters.Call) (requesters.Requester, error) {
			return requesters.Requester{Domain: m.GetDomain(), ID: m.GetId(), Claimed: m.GetScopes(),
				Signed: requesters.SignedHTTP}, nil
		},
		Sign: func(document []byte) ([]byte, error) { return ed25519.Sign(s.key, document), nil },
	}
	return s
}

// services are those that the door asks.
func (s *selling) services() Services {
	return Services{Exchange: s.Service, Suppliers: s.Suppliers, Delivery: s.Delivery}
}

func (s *selling) obey(rules ...policy.Rule) {
	s.t.Helper()
	s.SetRules(s.t, rules...)
}

// stock puts items up for sale.
func (s *selling) stock(statements []catalog.Statement, items ...content.Item) {
	s.t.Helper()
	s.Statements = statements
	s.Reopen(s.t, "site")
	s.Stock(s.t, items...)
}

func article(path, text string) content.Item {
	return content.Item{
		URL: "https://site.example/" + path, Types: []string{"NewsArticle"}, Name: "On " + path, Language: "en",
		Publisher: "The House",
		Object:    []byte(`{"@type":"NewsArticle","author":{"name":"Ada"},"identifier":"doi:10.1234/` + path + `"}`),
		Published: time.Date(2027, 3, 1, 9, 0, 0, 0, time.UTC), Modified: time.Date(2027, 4, 1, 9, 0, 0, 0, time.UTC),
		Passages: []content.Passage{{ID: content.PassageID(text, 0), Text: text}},
	}
}

// asks sends a query for addresses, over a socket.
func (s *selling) asks(q *rampv1.ResourceQuery) (*rampv1.ResourceResponse, error) {
	s.t.Helper()
	address, client, _ := socket(s.t, Handler(s.services(), s.config))
	out, err := rampv1connect.NewExchangeServiceClient(client, address, connect.WithCodec(wire.Codec{})).
		DiscoverResources(s.t.Context(), connect.NewRequest(q))
	if err != nil {
		return nil, err
	}
	if err := wire.Validate(out.Msg); err != nil {
		s.t.Errorf("the answer breaks the rules: %v", err)
	}
	return out.Msg, nil
}

func (s *selling) got(q *rampv1.ResourceQuery) *rampv1.ResourceResponse {
	s.t.Helper()
	out, err := s.asks(q)
	if err != nil {
		s.t.Fatal(err)
	}
	return out
}

func queryFor(paths ...string) *rampv1.ResourceQuery {
	q := query()
	q.Requester.Uris = nil
	for _, path := range paths {
		q.Requester.Uris = append(q.Requester.Uris, "https://site.example/"+path)
	}
	return q
}

func TestOfferSaysAllThatIsKnown(t *testing.T) {
	t.Parallel()
	s := newSelling(t)
	rule := policy.Rule{
		Access: policy.Licensed, Price: policy.Price{Model: "per_token", Rate: "0.00001515", Currency: "USD"},
		Display:   policy.Display{Words: 25},
		Functions: policy.Functions{Permit: []string{"ai-input", "search"}, Prohibit: []string{"ai-train"}},
		Users:     policy.Restriction{Prohibit: []string{"government"}},
		Countries: policy.Restriction{Permit: []string{"DE", "US"}}, Reporting: policy.Reporting{Window: 2 * time.Hour},
	}
	s.obey(rule)
	s.Selling.Profiles = []exchange.Profile{{Name: "ramp-news-v1", Types: []string{"Article"},
		Keys: map[string]string{"news.byline": "author"}}}
	matcher, err := policy.Options{}.Matcher(policy.Match{})
	if err != nil {
		t.Fatal(err)
	}
	s.stock([]catalog.Statement{{Match: matcher, Categories: []string{"483"},
		Identity: catalog.Identity{ISNI: "0000000121032683", IPTC: "urn:newsml:x", C2PA: "https://site.example/c2pa"}}},
		article("a", strings.Repeat("word ", 100)))
	out := s.got(queryFor("a"))
	if len(out.Offers) != 1 || len(out.OfferGroups) != 0 || out.Id != "q1" || out.Ver != "1.0" ||
		out.Exchange != "x.example" || out.RateLimit != nil {
		t.Fatalf("%v", out)
	}
	got := out.Offers[0]
	want := &rampv1.Offer{
		OfferId: got.OfferId,
		Package: &compv1.Package{Id: got.Package.Id, Title: proto.String("On a"), Seller: proto.String("site.example"),
			Scope: &compv1.Scope{
				Ctype: []compv1.ContentType{compv1.ContentType_CONTENT_TYPE_TEXT}, Text: []*compv1.Text{{
					Title: proto.String("On a"), Wordcount: []int32{100}, Author: []string{"Ada"},
					Published: proto.Int32(1),
					Pubdate:   proto.String("2027-03-01T09:00:00Z"), Update: proto.String("2027-04-01T09:00:00Z"),
				}},
			}},
		Pricing: &rampv1.Pricing{
			Model: rampv1.PricingModel_PRICING_MODEL_PER_TOKEN, Rate: 0.00001515, Currency: "USD",
			UnitCost:          proto.Float64(0.00001515),
			EstimatedQuantity: proto.Int32(132), Unit: proto.String("tokens"),
		},
		DeliveryMethod: rampv1.DeliveryMethod_DELIVERY_METHOD_DIRECT,
		Reporting: &rampv1.ReportingObligation{Required: true, Window: durationpb.New(2 * time.Hour),
			RequiredFields: []string{"consumed_quantity"}},
		ExpiresAt: timestamppb.New(s.now.Add(5 * time.Minute)),
		Identity: &rampv1.ResourceIdentity{
			CanonicalUrl: proto.String("https://site.example/a"), Doi: proto.String("10.1234/a"),
			IptcGuid: proto.String("urn:newsml:x"),
			Isni:     proto.String("0000000121032683"), C2PaManifest: proto.String("https://site.example/c2pa"),
			ContentHash:        got.Identity.ContentHash,
			HashMethod:         proto.String("sha256"),
			ResourceMutability: rampv1.ResourceMutability_RESOURCE_MUTABILITY_STATIC,
		},
		Restrictions: &rampv1.AccessRestrictions{
			PermittedFunctions:  []compv1.Function{compv1.Function_FUNCTION_AI_INPUT, compv1.Function_FUNCTION_SEARCH},
			ProhibitedFunctions: []compv1.Function{compv1.Function_FUNCTION_AI_TRAIN},
			ProhibitedUsers:     []string{"government"},
			PermittedGeo:        []string{"DE", "US"}, MaxDisplayWords: proto.Int32(25),
		},
		ExchangeSignature: got.ExchangeSignature, SignatureAlgorithm: "ed25519", IabCategories: []string{"483"},
		Ext: &structpb.Struct{Fields: map[string]*structpb.Value{"news.byline": structpb.NewStringValue("Ada")}},
	}
	if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !strings.HasPrefix(got.Package.Id, "PKG-site-") || len(*got.Identity.ContentHash) != 64 {
		t.Errorf("package %s, hash %s", got.Package.Id, *got.Identity.ContentHash)
	}
}

// TestOfferIsSignedOverItsCanonicalForm verifies an offer as an agent does, with what it got over
// the wire.
func TestOfferIsSignedOverItsCanonicalForm(t *testing.T) {
	t.Parallel()
	s := newSelling(t)
	s.stock(nil, article("a", "One."))
	offer := s.got(queryFor("a")).Offers[0]
	public := s.key.Public().(ed25519.PublicKey)
	verifies := func() bool {
		document, err := wire.OfferPayload(offer)
		if err != nil {
			t.Fatal(err)
		}
		signature, err := sign.DecodeSignature(offer.ExchangeSignature)
		return err == nil && ed25519.Verify(public, document, signature)
	}
	if !verifies() {
		t.Fatal("the signature is not good")
	}
	document, _ := wire.OfferPayload(offer)
	if err := s.DB.View(t.Context(), func(tx *store.Tx) error {
		kept, ok, err := transactions.FindOffer(t.Context(), tx, offer.OfferId)
		if err == nil && (!ok || string(kept.Document) != string(document) ||
			!ed25519.Verify(public, kept.Document, kept.Signature)) {
			t.Error("what is kept is not what was signed")
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(){
		"rate":    func() { offer.Pricing.Rate /= 2 },
		"expiry":  func() { offer.ExpiresAt = timestamppb.New(offer.ExpiresAt.AsTime().Add(time.Hour)) },
		"id":      func() { offer.OfferId += "0" },
		"package": func() { offer.Package.Id += "0" },
		"hash":    func() { *offer.Identity.ContentHash = strings.Repeat("0", 64) },
	} {
		whole := proto.CloneOf(offer)
		if change(); verifies() {
			t.Errorf("with another %s the signature is still good", name)
		}
		offer = whole
	}
}

// TestOneAddressIsFlatAndSeveralAreGroups holds the two forms of an answer (RAMP v1,
// ResourceResponse).
func TestOneAddressIsFlatAndSeveralAreGroups(t *testing.T) {
	t.Parallel()
	s := newSelling(t)
	s.stock(nil, article("a", "One."), article("b", "Two."))
	told := func(paths ...string) string {
		out := s.got(queryFor(paths...))
		var all []string
		for _, o := range out.Offers {
			all = append(all, o.Identity.GetCanonicalUrl())
		}
		for _, g := range out.OfferGroups {
			all = append(all, fmt.Sprint(strings.TrimPrefix(g.Uri, "https://site.example/"), " ", len(g.Offers), " ",
				g.GetDiscoveryMethod(), " ", g.GetAbsenceReason()))
		}
		return strings.Join(all, "\n")
	}
	const offered = " 1 DISCOVERY_METHOD_MARKETPLACE OFFER_ABSENCE_REASON_UNSPECIFIED"
	const absent = " 0 DISCOVERY_METHOD_UNSPECIFIED OFFER_ABSENCE_REASON_NOT_IN_CATALOG"
	for _, c := range []struct {
		paths []string
		want  string
	}{
		{[]string{"a"}, "https://site.example/a"},
		{[]string{"a", "a"}, "https://site.example/a"},
		{[]string{"none"}, "none" + absent},
		{[]string{"b", "none", "a", "b"}, "b" + offered + "\nnone" + absent + "\na" + offered},
	} {
		if got := told(c.paths...); got != c.want {
			t.Errorf("%q:\n%s\nwant\n%s", c.paths, got, c.want)
		}
	}
}

// TestMutabilitySaysWhatAnOfferIsBoundTo holds that dynamic content says when it was current, and
// that live content has no hash (RAMP v1, ResourceIdentity).
func TestMutabilitySaysWhatAnOfferIsBoundTo(t *testing.T) {
	t.Parallel()
	for mutability, want := range map[catalog.Mutability]struct {
		told       rampv1.ResourceMutability
		hash, asOf bool
	}{
		catalog.Static:  {rampv1.ResourceMutability_RESOURCE_MUTABILITY_STATIC, true, false},
		catalog.Dynamic: {rampv1.ResourceMutability_RESOURCE_MUTABILITY_DYNAMIC, true, true},
		catalog.Live:    {rampv1.ResourceMutability_RESOURCE_MUTABILITY_LIVE, false, false},
	} {
		s := newSelling(t)
		matcher, err := policy.Options{}.Matcher(policy.Match{})
		if err != nil {
			t.Fatal(err)
		}
		s.stock([]catalog.Statement{{Match: matcher, Mutability: mutability}}, article("a", "One."))
		got := s.got(queryFor("a")).Offers[0]
		if got.Identity.ResourceMutability != want.told || (got.Identity.ContentHash != nil) != want.hash ||
			(got.DataAsOf != nil) != want.asOf {
			t.Errorf("%s: %v, data as of %v", mutability, got.Identity, got.DataAsOf)
		}
		if want.asOf && !got.DataAsOf.AsTime().Equal(s.now) {
			t.Errorf("the data is as of %v", got.DataAsOf.AsTime())
		}
	}
}

// TestOpenItemsNameTheOtherDoors holds that an offer of what is open says by what else it can be
// had, and no other does.
func TestOpenItemsNameTheOtherDoors(t *testing.T) {
	t.Parallel()
	s := newSelling(t)
	s.stock(nil, article("a", "One."))
	types := func() []compv1.RetrievalType { return s.got(queryFor("a")).Offers[0].Package.GetRetrieval().GetType() }
	if got := types(); got != nil {
		t.Errorf("what is licensed names %v", got)
	}
	s.obey(policy.Rule{Access: policy.Open})
	if got := types(); !slices.Equal(got, []compv1.RetrievalType{compv1.RetrievalType_RETRIEVAL_TYPE_NLWEB}) {
		t.Errorf("what is open names %v", got)
	}
	s.config.MCP = true
	if got := types(); !slices.Equal(got, []compv1.RetrievalType{compv1.RetrievalType_RETRIEVAL_TYPE_NLWEB,
		compv1.RetrievalType_RETRIEVAL_TYPE_MCP}) {
		t.Errorf("with MCP, what is open names %v", got)
	}
}

// TestEveryReasonAndModelHasItsWord holds that nothing that the exchange or the terms can say is
// left out.
func TestEveryReasonAndModelHasItsWord(t *testing.T) {
	t.Parallel()
	told := map[rampv1.OfferAbsenceReason]bool{rampv1.OfferAbsenceReason_OFFER_ABSENCE_REASON_UNSPECIFIED: true,
		rampv1.OfferAbsenceReason_OFFER_ABSENCE_REASON_UNKNOWN_CRITICAL_EXTENSION: true}
	for _, reason := range absences {
		told[reason] = true
	}
	for n, name := range rampv1.OfferAbsenceReason_name {
		if !told[rampv1.OfferAbsenceReason(n)] {
			t.Errorf("nothing is told as %s", name)
		}
	}
	priced := map[rampv1.PricingModel]bool{0: true}
	for _, model := range models {
		priced[model] = true
	}
	for n, name := range rampv1.PricingModel_name {
		if !priced[rampv1.PricingModel(n)] {
			t.Errorf("nothing is priced as %s", name)
		}
	}
	for model := range accounts.Models {
		if _, ok := models[model]; !ok {
			t.Errorf("%s has no word", model)
		}
	}
}

// TestPricesAreWrittenAsTheModelsHaveThem holds what each model tells (RAMP v1, Pricing).
func TestPricesAreWrittenAsTheModelsHaveThem(t *testing.T) {
	t.Parallel()
	s := newSelling(t)
	s.stock(nil, article("a", strings.Repeat("word ", 100)))
	quantity, unit := `"estimated_quantity":132,`, `"unit":"tokens"`
	for _, c := range []struct {
		price policy.Price
		want  string
	}{
		{policy.Price{Model: "per_access", Rate: "0.02", Currency: "USD"}, `{"model":"PRICING_MODEL_PER_ACCESS","rate":0.02,"currency":"USD","unit_cost":0.000151515152,` + quantity + unit + `}`},
		{policy.Price{Model: "flat", Rate: "0.02", Currency: "EUR"}, `{"model":"PRICING_MODEL_PER_ACCESS","rate":0.02,"currency":"EUR",` + quantity + unit + `}`},
		{policy.Price{Model: "per_fetch", Rate: "1.32", Currency: "USD"}, `{"model":"PRICING_MODEL_PER_FETCH","rate":1.32,"currency":"USD","unit_cost":0.01,` + quantity + unit + `}`},
		{policy.Price{Model: "per_token", Rate: "0.0000001", Currency: "USD"}, `{"model":"PRICING_MODEL_PER_TOKEN","rate":1e-7,"currency":"USD","unit_cost":1e-7,` + quantity + unit + `}`},
		{policy.Price{Model: "per_page", Rate: "0.5", Currency: "USD", Estimate: 7}, `{"model":"PRICING_MODEL_PER_PAGE","rate":0.5,"currency":"USD","unit_cost":0.5,"estimated_quantity":7,"unit":"pages"}`},
		{policy.Price{Model: "per_minute", Rate: "0.5", Currency: "USD"}, `{"model":"PRICING_MODEL_PER_MINUTE","rate":0.5,"currency":"USD","unit_cost":0.5,"unit":"minutes"}`},
		{policy.Price{Model: "per_record", Rate: "0.5", Currency: "USD"}, `{"model":"PRICING_MODEL_PER_RECORD","rate":0.5,"currency":"USD","unit_cost":0.5,"unit":"records"}`},
		{policy.Price{Model: "subscription", Rate: "13.2", Currency: "USD", Months: 1}, `{"model":"PRICING_MODEL_SUBSCRIPTION","rate":13.2,"currency":"USD","unit_cost":0.1,"estimated_quantity":132,"license_duration_months":1,"unit":"tokens"}`},
		{policy.Price{Model: "training", Rate: "13.2", Currency: "USD", Months: 12}, `{"model":"PRICING_MODEL_TRAINING","rate":13.2,"currency":"USD","unit_cost":0.1,"estimated_quantity":132,"license_duration_months":12,"unit":"tokens"}`},
		{policy.Price{Model: "revenue_share", Rate: "0.15"}, `{"model":"PRICING_MODEL_REVENUE_SHARE","currency":"USD",` + quantity + `"revshare":0.15,` + unit + `}`},
		{policy.Price{Model: "free"}, `{"model":"PRICING_MODEL_FREE","currency":"USD",` + quantity + unit + `}`},
		{policy.Price{Model: "attribution"}, `{"model":"PRICING_MODEL_ATTRIBUTION","currency":"USD",` + quantity + unit + `}`},
		{policy.Price{Model: "contribution"}, `{"model":"PRICING_MODEL_CONTRIBUTION","currency":"USD",` + quantity + unit + `}`},
	} {
		s.obey(policy.Rule{Access: policy.Licensed, Price: c.price})
		offer := s.got(queryFor("a")).Offers[0]
		text, err := wire.Marshal(offer.Pricing)
		if err != nil || string(text) != c.want {
			t.Errorf("%s:\n%s\nwant\n%s, %v", c.price.Model, text, c.want, err)
		}
		if (offer.Package.GetCitation() == 1) != (c.price.Model == "attribution") {
			t.Errorf("%s: citation %d", c.price.Model, offer.Package.GetCitation())
		}
	}
}

func TestFunctionsAreReadInEverySpelling(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"FUNCTION_AI_INPUT": "ai-input", "ai_input": "ai-input", "ai-input": "ai-input", "AI-Train": "ai-train",
		" function_ai_index ": "ai-index", "search": "search",
		"FUNCTION_ALL": "all", "ai_all": "ai-all", "SUMMARIZE": "ai-input", "display": "ai-input",
		"constraints": "ai-input", "2": "ai-input",
		"AI TRAIN": "ai-train", "training": "ai-train", "SUB_FUNCTION_TRAINING": "ai-train", "Fine-Tuning": "ai-train",
		"ai\u2011train": "ai-train", "all\u00a0": "all",
	} {
		if got := function(text); got != want {
			t.Errorf("%q is %s", text, got)
		}
	}
	got := intended(&rampv1.Requester{IntendedUse: []string{"", "RETRIEVE", "ai_input", "search"}})
	if !slices.Equal(got, []string{"ai-input", "search"}) {
		t.Errorf("%q", got)
	}
	if got := intended(&rampv1.Requester{}); got != nil {
		t.Errorf("nothing declared is %q", got)
	}
}

// TestWhoUsesItAndWhereIsHeeded sends ramp.user_category and ramp.geo, good and bad ones.
func TestWhoUsesItAndWhereIsHeeded(t *testing.T) {
	t.Parallel()
	s := newSelling(t)
	s.obey(policy.Rule{
		Access: policy.Licensed, Price: policy.Price{Model: "free"},
		Users:     policy.Restriction{Permit: []string{"education", "non-commercial"}},
		Countries: policy.Restriction{Prohibit: []string{"FR"}},
	})
	s.stock(nil, article("a", "One."))
	for _, c := range []struct{ ext, want string }{
		{`{}`, "an offer"},
		{`{"ramp.user_category":"education","ramp.geo":"DE"}`, "an offer"},
		{`{"ramp.user_category":"NON_COMMERCIAL","ramp.geo":"de"}`, "an offer"},
		{`{"ramp.user_category":null}`, "an offer"},
		{`{"ramp.user_category":"commercial","ramp.geo":"FR"}`, "OFFER_ABSENCE_REASON_USER_CATEGORY_PROHIBITED"},
		{`{"ramp.user_category":"education","ramp.geo":"FR"}`, "OFFER_ABSENCE_REASON_GEO_RESTRICTED"},
		{`{"ramp.user_category":"robots"}`, "invalid_argument: requester.ext.ramp.user_category: has to be one of " +
			"commercial, non-commercial, education, government, personal"},
		{`{"ramp.geo":"DEU"}`, "invalid_argument: requester.ext.ramp.geo: has to be an ISO 3166-1 code of two letters such as DE"},
		{`{"ramp.geo":7}`, "invalid_argument: requester.ext.ramp.geo: has to be a text"},
	} {
		q := queryFor("a")
		q.Requester.Ext = &structpb.Struct{}
		if err := q.Requester.Ext.UnmarshalJSON([]byte(c.ext)); err != nil {
			t.Fatal(err)
		}
		got := "an offer"
		if out, err := s.asks(q); err != nil {
			got = err.Error()
		} else if len(out.Offers) == 0 {
			got = out.OfferGroups[0].GetAbsenceReason().String()
		}
		if got != c.want {
			t.Errorf("%s: %s", c.ext, got)
		}
	}
}

func TestQueryNamesSomeAddressesAndNotTooMany(t *testing.T) {
	t.Parallel()
	s := newSelling(t)
	s.stock(nil, article("a", "One."))
	for n, want := range map[int]string{0: "requester.uris: is empty", MaxURIs: "",
		MaxURIs + 1: "requester.uris: has more than 100 addresses"} {
		q := queryFor()
		for i := range n {
			q.Requester.Uris = append(q.Requester.Uris, fmt.Sprint("https://site.example/", i))
		}
		_, err := s.asks(q)
		if want == "" && err != nil || want != "" && (connect.CodeOf(err) != connect.CodeInvalidArgument ||
			!strings.Contains(err.Error(), want)) {
			t.Errorf("%d addresses: %v", n, err)
		}
	}
}

// TestRateLimitIsTold holds what a requester is told of its limit, and that one request too many
// gets none (RAMP v1, RateLimitInfo).
func TestRateLimitIsTold(t *testing.T) {
	t.Parallel()
	s := newSelling(t)
	s.stock(nil, article("a", "One."))
	left := requesters.Allowance{OK: true, Limit: 60, Remaining: 12, Reset: s.now.Add(48 * time.Second),
		Window: time.Minute}
	s.config.Count = func(context.Context, requesters.Requester) requesters.Allowance { return left }
	want := &rampv1.RateLimitInfo{Limit: 60, Remaining: 12, ResetAt: timestamppb.New(left.Reset),
		Window: durationpb.New(time.Minute)}
	if diff := cmp.Diff(want, s.got(queryFor("a")).RateLimit, protocmp.Transform()); diff != "" {
		t.Error(diff)
	}
	left.OK, left.Remaining, left.RetryAfter = false, 0, 1500*time.Millisecond
	_, err := s.asks(queryFor("a"))
	var told *connect.Error
	if !asError(err, &told) || told.Code() != connect.CodeResourceExhausted || told.Meta().Get("Retry-After") != "2" {
		t.Errorf("%v", err)
	}
	left = requesters.Allowance{OK: true}
	if out := s.got(queryFor("a")); out.RateLimit != nil {
		t.Errorf("no limit is told as %v", out.RateLimit)
	}
}

func asError(err error, to **connect.Error) bool {
	e, ok := err.(*connect.Error)
	*to = e
	return ok
}

// TestDeadlineIsTheCallersWithinBounds holds RAMP v1, ResourceQuery.deadline.
func TestDeadlineIsTheCallersWithinBounds(t *testing.T) {
	t.Parallel()
	d := &handlers{Config: Config{Deadline: 500 * time.Millisecond, MaxDeadline: 10 * time.Second}}
	for asked, want := range map[time.Duration]time.Duration{0: 500 * time.Millisecond,
		time.Millisecond: time.Millisecond, time.Second: time.Second, time.Hour: 10 * time.Second} {
		q := query()
		if asked > 0 {
			q.Deadline = durationpb.New(asked)
		}
		if got := d.allowed(q); got != want {
			t.Errorf("%v is allowed of %v", got, asked)
		}
	}
	s := newSelling(t)
	s.stock(nil, article("a", "One."))
	for _, asked := range []time.Duration{0, -time.Second} {
		q := queryFor("a")
		q.Deadline = durationpb.New(asked)
		if _, err := s.asks(q); connect.CodeOf(err) != connect.CodeInvalidArgument ||
			!strings.Contains(err.Error(), "deadline") {
			t.Errorf("a deadline of %v: %v", asked, err)
		}
	}
}

// TestSubscriptionIsOfferedBesideThePrice holds what an offer under a subscription says (RAMP v1,
// Offer.subscription_id).
func TestSubscriptionIsOfferedBesideThePrice(t *testing.T) {
	t.Parallel()
	s := newSelling(t)
	s.stock(nil, article("a", "One."))
	book := accounts.New(accounts.Options{})
	if err := s.DB.Update(t.Context(), func(tx *store.Tx) error {
		if err := book.AddSubscription(t.Context(), tx,
			accounts.Licence{ID: "gold", Buyer: "buyer.example/bot", Begins: s.now}, "", s.now); err != nil {
			return err
		}
		return book.SetQuota(t.Context(), tx, "gold",
			accounts.QuotaSetting{Unit: accounts.Accesses, Limit: 10, Months: 1}, s.now)
	}); err != nil {
		t.Fatal(err)
	}
	offers := s.got(queryFor("a")).Offers
	if len(offers) != 2 || offers[0].SubscriptionId != nil || offers[0].Pricing.Rate != 0.02 {
		t.Fatalf("%v", offers)
	}
	sub := offers[1]
	want := []*rampv1.SubscriptionQuotaInfo{{
		SubscriptionId: "gold", QuotaLimit: 10, QuotaRemaining: 10, Unit: "accesses",
		ResetsAt: timestamppb.New(s.now.AddDate(0, 1, 0)),
	}}
	if diff := cmp.Diff(want, sub.SubscriptionQuota, protocmp.Transform()); diff != "" {
		t.Error(diff)
	}
	if !strings.HasPrefix(sub.OfferId, "sub-") || sub.GetSubscriptionId() != "gold" || sub.Pricing.Rate != 0 ||
		sub.Pricing.UnitCost == nil || *sub.Pricing.UnitCost != 0 ||
		sub.Pricing.Model != offers[0].Pricing.Model {
		t.Errorf("%v", sub)
	}
}

// FuzzWhatARequesterSays reads what strangers declare of their use.
func FuzzWhatARequesterSays(f *testing.F) {
	f.Add("FUNCTION_AI_INPUT", "education", "de")
	f.Add("", " NON_COMMERCIAL ", "D\u00cb")
	f.Fuzz(func(t *testing.T, use, user, geo string) {
		r := &rampv1.Requester{IntendedUse: []string{use, use},
			Ext: &structpb.Struct{Fields: map[string]*structpb.Value{
				extUserCategory: structpb.NewStringValue(user), extGeo: structpb.NewStringValue(geo),
			}}}
		for i, word := range intended(r) {
			if _, ok := functions[word]; !ok || i > 0 {
				t.Errorf("%q is read as %q", use, word)
			}
		}
		kind, country, err := using(r)
		if err == nil && (kind != "" && !slices.Contains(users, kind) || country != "" && len(country) != 2) {
			t.Errorf("%q and %q are read as %q and %q", user, geo, kind, country)
		}
	})
}
