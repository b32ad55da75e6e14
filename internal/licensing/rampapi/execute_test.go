package rampapi

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"connectrpc.com/connect"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/accounts"
	"frontdesk/internal/licensing/exchange"
	"frontdesk/internal/licensing/transactions"
	"frontdesk/internal/policy"
	compv1 "frontdesk/wire/comp/v1"
	wire "frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
	"frontdesk/wire/ramp/v1/rampv1connect"
	"frontdesk/wire/sign"
)

// shop is a door that sells by its offers, and delivers.
type shop struct {
	*selling
	left    requesters.Allowance // of everybody's limit
	at      string               // its address
	client  rampv1connect.ExchangeServiceClient
	fetches *http.Client
	deliver http.Handler
	known   map[string]bool // deliveries that were seen
	trusted atomic.Bool     // disputes need no signature
}

func newShop(t *testing.T, currency string, funds int64) *shop {
	t.Helper()
	s := &shop{selling: newSelling(t)}
	s.Signed = func(_ string, document, signature []byte) bool {
		again, _ := s.config.Sign(document)
		return slices.Equal(again, signature)
	}
	s.stock(nil, article("a", "One two three four."), article("b", strings.Repeat("word ", 1000)))
	if err := s.DB.Update(t.Context(), func(tx *store.Tx) error {
		if err := s.Book.Open(t.Context(), tx, buyer, currency, 0, s.now); err != nil {
			return err
		}
		_, err := s.Book.Pay(t.Context(), tx, "credit", buyer, currency, funds, "", s.now)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	s.config.Trusted = func(context.Context) bool { return s.trusted.Load() }
	s.config.Base = func(context.Context) string { return s.at }
	s.config.FetchAt = func(context.Context) string { return s.at + "/deliver/" }
	s.config.Identify = func(_ context.Context, m *rampv1.Requester, _ requesters.Call) (requesters.Requester, error) {
		if m == nil {
			return requesters.Requester{}, nil // of reports, which nobody signs here
		}
		if m.GetDelegation() != nil {
			return requesters.Requester{}, fail.New(fail.Forbidden, "delegations are not taken here")
		}
		return requesters.Requester{Domain: m.GetDomain(), ID: m.GetId(), Claimed: m.GetScopes(),
			Signed: requesters.SignedBody}, nil
	}
	s.config.Count = func(context.Context, requesters.Requester) requesters.Allowance { return s.left }
	mux := http.NewServeMux()
	s.deliver = Deliver(s.Delivery, func(*http.Request) string { return s.at + "/deliver/" })
	mux.Handle("GET /deliver/{"+DeliverID+"}", s.deliver)
	mux.Handle("/", Handler(s.services(), s.config))
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	s.at, s.fetches = server.URL, server.Client()
	s.client = rampv1connect.NewExchangeServiceClient(server.Client(), server.URL, connect.WithCodec(wire.Codec{}))
	return s
}

const buyer = "buyer.example.com/research-bot"

// offer is the first offer for a path.
func (s *shop) offer(path string) *rampv1.Offer {
	s.t.Helper()
	q := queryFor(path)
	q.Requester.Id, q.Requester.Domain = "research-bot", "buyer.example.com"
	out, err := s.client.DiscoverResources(s.t.Context(), connect.NewRequest(q))
	if err != nil {
		s.t.Fatal(err)
	}
	if len(out.Msg.Offers) == 0 {
		s.t.Fatalf("no offer for %s: %v", path, out.Msg)
	}
	return out.Msg.Offers[0]
}

// buys is a request to buy by one offer.
func buys(id string, offer *rampv1.Offer) *rampv1.TransactionRequest {
	return &rampv1.TransactionRequest{
		Ver: "1.0", Id: id, OfferId: &offer.OfferId, OfferSignature: &offer.ExchangeSignature,
		Requester: &rampv1.Requester{Id: "research-bot", Domain: "buyer.example.com",
			Type: rampv1.RequesterType_REQUESTER_TYPE_AGENT},
	}
}

func (s *shop) bought(r *rampv1.TransactionRequest) *rampv1.TransactionResponse {
	s.t.Helper()
	out, err := s.client.ExecuteTransaction(s.t.Context(), connect.NewRequest(r))
	if err != nil {
		s.t.Fatal(err)
	}
	if err := wire.Validate(out.Msg); err != nil {
		s.t.Errorf("the answer breaks the rules: %v", err)
	}
	return out.Msg
}

func TestWhatIsBoughtIsToldAndFetched(t *testing.T) {
	t.Parallel()
	s := newShop(t, "USD", 1_000_000_000)
	offer := s.offer("a")
	out := s.bought(buys("one", offer))
	if out.DenialReason != nil || out.Id != "one" || out.GetTransactionId() == "" || out.GetBillingId() == "" ||
		out.Cost.GetAmount() != 0.02 || out.Cost.GetCurrency() != "USD" ||
		out.AgentIdentityHash != "4905fbc220a2fbd769444e0bd4eef3f2afa9e290270b5c93bd4654a02491ab66" ||
		!out.ExpiresAt.AsTime().Equal(s.now.Add(5*time.Minute)) ||
		out.DeliveryMethod != offer.DeliveryMethod || out.Items != nil || out.TotalCost != nil {
		t.Fatalf("%v", out)
	}
	p := out.Package
	if p.Id != offer.Package.Id || p.GetTitle() != offer.Package.GetTitle() || p.GetSeller() != "site.example" ||
		p.Retrieval.Auth == nil || p.Retrieval.GetAuth() != compv1.RetrievalAuth_RETRIEVAL_AUTH_NONE {
		t.Errorf("%v", p)
	}
	endpoint := p.Retrieval.GetEndpoint()
	if !strings.HasPrefix(endpoint, s.at+"/deliver/"+out.GetTransactionId()+"?expires=") {
		t.Fatalf("it is fetched from %s", endpoint)
	}
	get := func(address string) (*http.Response, string) {
		t.Helper()
		response, err := s.fetches.Get(address)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		body, _ := io.ReadAll(response.Body)
		return response, string(body)
	}
	response, body := get(endpoint)
	if response.StatusCode != http.StatusOK || body != "One two three four." ||
		response.Header.Get("Cache-Control") != "private, no-store" || response.Header.Get("Repr-Digest") == "" {
		t.Errorf("%s %q %v", response.Status, body, response.Header)
	}
	for _, wrong := range []string{endpoint + "0", strings.Replace(endpoint, "agent_id=4", "agent_id=5", 1),
		strings.Replace(endpoint, "/txn-", "/txn%2D", 1), s.at + "/deliver/" + out.GetTransactionId()} {
		if response, body := get(wrong); response.StatusCode != http.StatusForbidden ||
			strings.Contains(body, "three") {
			t.Errorf("%s: %s %q", wrong, response.Status, body)
		}
	}
	again := s.bought(buys("one", offer))
	if !proto.Equal(out, again) {
		t.Errorf("sent again:\n%v\n%v", out, again)
	}
	signed := buys("one", offer)
	signed.Requester.Signature = "made anew"
	if !proto.Equal(out, s.bought(signed)) {
		t.Error("signed anew, it is another request")
	}
	spelled := buys("one", offer)
	spelled.OfferSignature = proto.String("ed25519:" + hexOf(t, offer.ExchangeSignature))
	if !proto.Equal(out, s.bought(spelled)) {
		t.Error("with the offer's signature in hex, it is another request")
	}
	other := buys("one", offer)
	other.RequestId = proto.String("another")
	if _, err := s.client.ExecuteTransaction(t.Context(), connect.NewRequest(other)); connect.CodeOf(err) !=
		connect.CodeAlreadyExists {
		t.Errorf("another request under the id: %v", err)
	}
}

// hexOf writes a signature in hex.
func hexOf(t *testing.T, signature string) string {
	t.Helper()
	bytes, err := sign.DecodeSignature(signature)
	if err != nil {
		t.Fatal(err)
	}
	return hex.EncodeToString(bytes)
}

func TestSeveralAreBoughtAtOnce(t *testing.T) {
	t.Parallel()
	s := newShop(t, "USD", 5_000_000)
	a, b := s.offer("a"), s.offer("b")
	r := buys("batch", a)
	r.OfferId, r.OfferSignature = nil, nil
	for _, o := range []*rampv1.Offer{a, b, b} {
		r.Items = append(r.Items, &rampv1.TransactionItem{OfferId: o.OfferId, OfferSignature: o.ExchangeSignature})
	}
	out := s.bought(r)
	if len(out.Items) != 3 || out.TransactionId != nil || out.DenialReason != nil ||
		out.TotalCost.GetAmount() != 0.04 || out.TotalCost.GetCurrency() != "USD" || len(out.AgentIdentityHash) != 64 {
		t.Fatalf("%v", out)
	}
	if out.Items[0].TransactionId == out.Items[1].TransactionId ||
		out.Items[0].Package.Retrieval.GetEndpoint() == out.Items[1].Package.Retrieval.GetEndpoint() {
		t.Error("two have one transaction")
	}
	if last := out.Items[2]; last.GetDenialReason() != rampv1.DenialReason_DENIAL_REASON_SIGNATURE_INVALID ||
		last.Package != nil || last.OfferId != b.OfferId {
		t.Errorf("one offer twice: %v", last)
	}
	for _, item := range r.Items {
		item.OfferSignature = hexOf(t, item.OfferSignature)
	}
	if again := s.bought(r); !proto.Equal(out, again) {
		t.Errorf("sent again, with signatures in hex:\n%v\n%v", out, again)
	}
}

func TestWhatCostsTogetherIsInOneCurrency(t *testing.T) {
	t.Parallel()
	item := func(amount int64, currency string, denial exchange.Denial) exchange.ItemResult {
		return exchange.ItemResult{Denial: denial,
			Transaction: transactions.Transaction{Amount: amount, Price: policy.Money{Currency: currency}}}
	}
	for _, c := range []struct {
		items []exchange.ItemResult
		want  *rampv1.Cost
	}{
		{[]exchange.ItemResult{item(2e8, "USD", ""), item(3e7, "USD", "")}, &rampv1.Cost{Amount: 2.3, Currency: "USD"}},
		{[]exchange.ItemResult{item(2e8, "USD", ""), item(3e7, "EUR", "")}, nil},
		{[]exchange.ItemResult{item(2e8, "USD", ""), item(3e7, "EUR", exchange.OfferExpired), item(0, "", "")},
			&rampv1.Cost{Amount: 2, Currency: "USD"}},
		{[]exchange.ItemResult{item(0, "USD", "")}, &rampv1.Cost{Currency: "USD"}},
		{[]exchange.ItemResult{item(0, "USD", ""), item(3e7, "EUR", ""), item(0, "", "")},
			&rampv1.Cost{Amount: 0.3, Currency: "EUR"}},
		{[]exchange.ItemResult{item(0, "", ""), item(3e7, "EUR", exchange.OfferExpired)},
			&rampv1.Cost{Currency: "CHF"}},
		{[]exchange.ItemResult{item(3e7, "EUR", exchange.OfferExpired)}, nil},
	} {
		d := &handlers{Config: Config{Currency: "CHF"}}
		var results []*rampv1.TransactionResultItem
		for i := range c.items {
			c.items[i].Transaction.Document = []byte(`{"pricing":{},"package":{}}`)
			result, err := d.result(&c.items[i])
			if err != nil {
				t.Fatal(err)
			}
			results = append(results, result)
		}
		if got := total(c.items, results); !proto.Equal(got, c.want) {
			t.Errorf("%+v: %v", c.items, got)
		}
	}
}

// TestASubscriptionPaysAndIsTold holds what the answer says of a purchase under a subscription
// (RAMP v1, subscriptions): what it would have cost, and what is left.
func TestASubscriptionPaysAndIsTold(t *testing.T) {
	t.Parallel()
	s := newShop(t, "USD", 5_000_000)
	if err := s.DB.Update(t.Context(), func(tx *store.Tx) error {
		if err := s.Book.AddSubscription(t.Context(), tx, accounts.Licence{ID: "gold", Buyer: buyer, Begins: s.now}, "",
			s.now); err != nil {
			return err
		}
		return s.Book.SetQuota(t.Context(), tx, "gold",
			accounts.QuotaSetting{Unit: accounts.Accesses, Limit: 10, Months: 1}, s.now)
	}); err != nil {
		t.Fatal(err)
	}
	q := queryFor("a")
	q.Requester.Id, q.Requester.Domain = "research-bot", "buyer.example.com"
	found, err := s.client.DiscoverResources(t.Context(), connect.NewRequest(q))
	if err != nil || len(found.Msg.Offers) != 2 {
		t.Fatal(found, err)
	}
	out := s.bought(buys("gold", found.Msg.Offers[1]))
	want := []*rampv1.SubscriptionQuotaInfo{{SubscriptionId: "gold", QuotaLimit: 10, QuotaUsed: 1, QuotaRemaining: 9,
		Unit: "accesses", ResetsAt: timestamppb.New(s.now.AddDate(0, 1, 0))}}
	if diff := cmp.Diff(want, out.SubscriptionQuota, protocmp.Transform()); diff != "" {
		t.Error(diff)
	}
	if out.Cost == nil || out.Cost.Amount != 0 || out.SubscriptionUnitValue.GetAmount() != 0.02 ||
		out.SubscriptionUnitValue.GetCurrency() != "USD" || out.GetSubscriptionId() != "gold" ||
		!strings.HasPrefix(out.GetBillingId(), "sub-") {
		t.Errorf("%v", out)
	}
	if again := s.bought(buys("gold", found.Msg.Offers[1])); !proto.Equal(out, again) {
		t.Errorf("sent again:\n%v\n%v", out, again)
	}

	// Of several offers it tells what the last of them left, once, though a denied one stands
	// behind it.
	r := buys("all", s.offer("a"))
	r.OfferId, r.OfferSignature = nil, nil
	for range 2 {
		found, err := s.client.DiscoverResources(t.Context(), connect.NewRequest(q))
		if err != nil || len(found.Msg.Offers) != 2 {
			t.Fatal(found, err)
		}
		r.Items = append(r.Items, &rampv1.TransactionItem{OfferId: found.Msg.Offers[1].OfferId,
			OfferSignature: found.Msg.Offers[1].ExchangeSignature})
	}
	r.Items = append(r.Items, &rampv1.TransactionItem{OfferId: "nobody's"})
	want[0].QuotaUsed, want[0].QuotaRemaining = 3, 7
	all := s.bought(r)
	if diff := cmp.Diff(want, all.SubscriptionQuota, protocmp.Transform()); diff != "" ||
		all.Items[2].DenialReason == nil {
		t.Errorf("%v: %s", all, diff)
	}
	if again := s.bought(r); !proto.Equal(all, again) {
		t.Errorf("sent again:\n%v\n%v", all, again)
	}
}

// TestDenialsStandInTheAnswer holds that what is denied is told with OK, and why (RAMP v1,
// DenialReason).
func TestDenialsStandInTheAnswer(t *testing.T) {
	t.Parallel()
	s := newShop(t, "EUR", 1_000_000_000)
	offer := s.offer("a")
	denied := func(want rampv1.DenialReason, r *rampv1.TransactionRequest) {
		t.Helper()
		out := s.bought(r)
		if out.DenialReason == nil || out.GetDenialReason() != want || out.Package != nil || out.Cost != nil ||
			out.TransactionId != nil || len(out.AgentIdentityHash) != 64 {
			t.Errorf("%v, want %s", out, want)
		}
	}
	denied(rampv1.DenialReason_DENIAL_REASON_INSUFFICIENT_BALANCE, buys("no dollars", offer))
	r := buys("garbage", offer)
	r.OfferSignature = proto.String("garbage")
	denied(rampv1.DenialReason_DENIAL_REASON_SIGNATURE_INVALID, r)
	r = buys("delegated", offer)
	r.Requester.Delegation = &rampv1.Delegation{PrincipalId: "p", PrincipalDomain: "p.example", Token: "AAAA",
		ExpiresAt: timestamppb.New(s.now)}
	denied(rampv1.DenialReason_DENIAL_REASON_DELEGATION_EXPIRED, r)
	r = buys("licensed", offer)
	r.Requester.LicenseId = proto.String("gold")
	denied(rampv1.DenialReason_DENIAL_REASON_INVALID_LICENSE, r)
	if err := s.DB.Update(t.Context(), func(tx *store.Tx) error {
		return s.Book.AddLicence(t.Context(), tx,
			accounts.Licence{ID: "silver", Buyer: buyer, Begins: s.now.Add(-time.Hour), Ends: s.now},
			s.now.Add(-time.Hour))
	}); err != nil {
		t.Fatal(err)
	}
	r = buys("licensed once", offer)
	r.Requester.LicenseId = proto.String("silver")
	denied(rampv1.DenialReason_DENIAL_REASON_EXPIRED_LICENSE, r)
	s.left = requesters.Allowance{Limit: 1, Window: time.Minute, RetryAfter: time.Second}
	denied(rampv1.DenialReason_DENIAL_REASON_RATE_LIMITED, buys("in a hurry", offer))
	s.left = requesters.Allowance{}
	// that it was denied for its haste is forgotten
	denied(rampv1.DenialReason_DENIAL_REASON_INSUFFICIENT_BALANCE, buys("in a hurry", offer))
	s.now = s.now.Add(5 * time.Minute)
	denied(rampv1.DenialReason_DENIAL_REASON_OFFER_EXPIRED, buys("late", offer))
	s.obey(policy.Rule{Access: policy.Blocked})
	denied(rampv1.DenialReason_DENIAL_REASON_OFFER_EXPIRED, buys("late and blocked", offer))
}

// TestWhatABuyerSaysOfItsUseCountsAtThePurchase has an offer that tells for whom it is taken by
// whom it is not for.
func TestWhatABuyerSaysOfItsUseCountsAtThePurchase(t *testing.T) {
	t.Parallel()
	s := newShop(t, "USD", 1_000_000_000)
	s.obey(policy.Rule{
		Access: policy.Licensed, Price: policy.Price{Model: "per_access", Rate: "0.02", Currency: "USD"},
		Users:     policy.Restriction{Prohibit: []string{"commercial"}},
		Countries: policy.Restriction{Permit: []string{"DE"}},
	})
	offer := s.offer("a")
	for ext, want := range map[string]rampv1.DenialReason{
		`{"ramp.user_category":"commercial","ramp.geo":"DE"}`: rampv1.DenialReason_DENIAL_REASON_CONTENT_UNAVAILABLE,
		`{"ramp.user_category":"education","ramp.geo":"US"}`:  rampv1.DenialReason_DENIAL_REASON_GEO_RESTRICTED,
		`{"ramp.user_category":"education","ramp.geo":"DE"}`:  rampv1.DenialReason_DENIAL_REASON_UNSPECIFIED,
	} {
		r := buys(ext, offer)
		r.Requester.Ext = &structpb.Struct{}
		if err := r.Requester.Ext.UnmarshalJSON([]byte(ext)); err != nil {
			t.Fatal(err)
		}
		if got := s.bought(r).GetDenialReason(); got != want {
			t.Errorf("%s: %s", ext, got)
		}
	}
}

// TestTheUseDeclaredAtThePurchaseIsHeldAgainstTheOffer takes an offer that prohibits training for
// other uses than it was asked for, alone, as one of several and by a tool.
func TestTheUseDeclaredAtThePurchaseIsHeldAgainstTheOffer(t *testing.T) {
	t.Parallel()
	s := newShop(t, "USD", 1_000_000_000)
	s.obey(policy.Rule{
		Access: policy.Licensed, Price: policy.Price{Model: "per_access", Rate: "0.02", Currency: "USD"},
		Functions: policy.Functions{Prohibit: []string{"ai-train"}},
	})
	offer := s.offer("a")
	for n, c := range []struct {
		use  []string
		sold bool
	}{
		{[]string{"ai-train"}, false},
		{[]string{" AI_TRAIN "}, false},
		{[]string{"FUNCTION_AI_TRAIN"}, false},
		{[]string{"training"}, false},
		{[]string{"FUNCTION_ALL"}, false},
		{[]string{"ai_all"}, false},
		{[]string{"search", "ai-train"}, false},
		{nil, true},
		{[]string{""}, true},
		{[]string{"search", "FUNCTION_AI_INPUT"}, true},
		{[]string{"SUMMARIZE"}, true},
	} {
		want := rampv1.DenialReason_DENIAL_REASON_FUNCTION_PROHIBITED
		if c.sold {
			want = rampv1.DenialReason_DENIAL_REASON_UNSPECIFIED
		}
		r := buys(fmt.Sprint("alone ", n), offer)
		r.Requester.IntendedUse = c.use
		if out := s.bought(r); out.GetDenialReason() != want || (out.TransactionId != nil) != c.sold {
			t.Errorf("%q: %v", c.use, out)
		}
		r = buys(fmt.Sprint("of several ", n), offer)
		r.Requester.IntendedUse, r.OfferId, r.OfferSignature = c.use, nil, nil
		r.Items = []*rampv1.TransactionItem{{OfferId: offer.OfferId, OfferSignature: offer.ExchangeSignature}}
		if out := s.bought(r); len(out.Items) != 1 || out.Items[0].GetDenialReason() != want {
			t.Errorf("%q, of several: %v", c.use, out)
		}
		r.Id = fmt.Sprint("by a tool ", n)
		text, err := wire.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.uses(ToolExecute, string(text)); got.IsError ||
			strings.Contains(string(got.Object), "FUNCTION_PROHIBITED") == c.sold {
			t.Errorf("%q, by a tool: %s", c.use, got.Object)
		}
	}
}

// TestEveryDenialHasItsWord goes over all that the exchange may say.
func TestEveryDenialHasItsWord(t *testing.T) {
	t.Parallel()
	seen := map[rampv1.DenialReason]bool{}
	for _, reason := range denials {
		seen[reason] = true
	}
	for number, name := range rampv1.DenialReason_name {
		if reason := rampv1.DenialReason(number); seen[reason] ==
			(reason == rampv1.DenialReason_DENIAL_REASON_UNSPECIFIED) {
			t.Errorf("%s: %v", name, seen[reason])
		}
	}
}

func TestAReportIsAnswered(t *testing.T) {
	t.Parallel()
	s := newShop(t, "USD", 100_000_000_000)
	s.obey(policy.Rule{Access: policy.Licensed,
		Price: policy.Price{Model: "per_token", Rate: "0.001", Currency: "USD"}})
	offer := s.offer("b")
	out := s.bought(buys("tokens", offer))
	if o := out.ReportingObligation; o == nil || !o.Required || o.Window.AsDuration() != 24*time.Hour ||
		!slices.Contains(o.RequiredFields, "consumed_quantity") {
		t.Fatalf("%v", out)
	}
	report := func() *rampv1.UsageReport {
		return &rampv1.UsageReport{
			Ver: "1.0", Id: "r1", TransactionId: out.GetTransactionId(), BillingId: out.GetBillingId(),
			Timestamp: timestamppb.New(s.now),
			Usage: &rampv1.Usage{Function: []compv1.Function{compv1.Function_FUNCTION_AI_INPUT},
				ConsumedQuantity: 1300, DisplayedToUser: proto.Bool(true)},
		}
	}
	send := func(r *rampv1.UsageReport) (*rampv1.UsageReportResponse, error) {
		t.Helper()
		out, err := s.client.ReportUsage(t.Context(), connect.NewRequest(r))
		if err != nil {
			return nil, err
		}
		return out.Msg, nil
	}
	r := report()
	r.BillingId = "bill-0"
	if _, err := send(r); connect.CodeOf(err) != connect.CodeInvalidArgument {
		t.Errorf("another bill: %v", err)
	}
	r = report()
	r.TransactionId = "txn-0"
	if _, err := send(r); connect.CodeOf(err) != connect.CodeNotFound {
		t.Errorf("before the purchase: %v", err)
	}
	r = report()
	r.Ext, _ = structpb.NewStruct(map[string]any{"x.y": 1})
	r.ExtCritical = []string{"x.y"}
	var unknown *connect.Error
	if _, err := send(r); connect.CodeOf(err) != connect.CodeFailedPrecondition || !errors.As(err, &unknown) ||
		!strings.Contains(unknown.Message(), "x.y") {
		t.Errorf("with a critical key: %v", err)
	}
	first, err := send(report())
	if err != nil || !first.Accepted || first.ReportId == "" || first.RejectionReason != nil {
		t.Fatalf("%v, %v", first, err)
	}
	if again, err := send(report()); err != nil || !proto.Equal(first, again) {
		t.Errorf("again: %v, %v", again, err)
	}
	r = report()
	r.Id = "r2"
	if other, err := send(r); err != nil || other.Accepted || other.ReportId != "" || other.GetRejectionReason() == "" {
		t.Errorf("another: %v, %v", other, err)
	}
}

// TestAmountsAreRoundedAtTheBorder reads doubles as the decimals that they are written as.
func TestAmountsAreRoundedAtTheBorder(t *testing.T) {
	t.Parallel()
	for amount, want := range map[float64]int64{
		0: 0, 0.02: 2_000_000, 12.5: 1_250_000_000, 0.00001515: 1515, 1e-8: 1, 0.29: 29_000_000,
		1e9: 100_000_000_000_000_000, 5e-9: 0, 1.5e-8: 2, 2.5e-8: 2, 4.35: 435_000_000,
	} {
		if got := units(amount); got != want {
			t.Errorf("%v: %d, want %d", amount, got, want)
		}
	}
}
