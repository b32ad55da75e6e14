package client_test

import (
	"encoding/json"
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

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"frontdesk/client"
	compv1 "frontdesk/wire/comp/v1"
	"frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
	"frontdesk/wire/sign"
)

const soup = "https://site.example/soup"

// shop is a scripted Exchange with a front desk that found an item which it sells.
type shop struct {
	*counter
	desk *client.Client
	item client.Result
}

// open lets a front desk answer with an item that the Exchange sells.
func newShop(t *testing.T) *shop {
	t.Helper()
	c := newCounter(t)
	c.offer = func(o *rampv1.Offer) {
		o.Reporting = &rampv1.ReportingObligation{Required: true, Window: durationpb.New(time.Hour)}
	}
	desk := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/ask" {
			http.NotFound(w, r)
			return
		}
		fmt.Fprintf(w, `{"_meta":{"response_type":"answer","version":"0.55"},"results":[{"@type":"Article","name":"Soup","url":%q,"actions":[
			{"name":"share","protocol":"HTTP","endpoint":"https://elsewhere.example/"},
			{"name":"license","protocol":"HTTP","method":"GET","endpoint":"%s/.well-known/ramp-exchange.json"}]},
			{"@type":"Article","name":"Open","url":"https://site.example/open"}]}`, soup, c.URL)
	}))
	t.Cleanup(desk.Close)
	return &shop{counter: c, desk: c.client(desk.URL)}
}

// client is a client of a front desk, as the buyer that the Exchange knows.
func (c *counter) client(address string) *client.Client {
	desk, err := client.New(address, client.Options{
		Buyer:   client.Buyer{ID: "bot", Domain: "buyer.example", Key: buyerKey, KeyID: "k1"},
		MaxWait: 10 * time.Millisecond, Retries: 2,
	})
	if err != nil {
		c.t.Fatal(err)
	}
	return desk
}

// fetch asks, and fetches what was found.
func (s *shop) fetch(f client.Fetching) (*client.Licensed, error) {
	s.t.Helper()
	answer, err := s.desk.Ask(s.t.Context(), client.Question{Text: "soup"})
	if err != nil {
		s.t.Fatal(err)
	}
	if s.item = answer.Results[0]; !s.item.ForSale() || answer.Results[1].ForSale() {
		s.t.Fatalf("what is for sale: %+v", answer.Results)
	}
	return s.desk.Fetch(s.t.Context(), s.item, f)
}

func usd(amount float64) client.Fetching {
	return client.Fetching{Most: client.Price{Amount: amount, Currency: "USD"}}
}

// TestLicensedTextTakesTwoCalls holds that after Ask one call discovers, buys, fetches, holds what
// came against its offer, and reports; and that a signature which others could use again is sent to
// no Exchange, named or not.
func TestLicensedTextTakesTwoCalls(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	var bodies []string
	s.seen = func(method string, body []byte) { bodies = append(bodies, method+string(body)) }
	got, err := s.fetch(usd(0.05))
	if err != nil {
		t.Fatal(err)
	}
	p := got.Purchase
	if string(got.Content.Body) != "One two three." || !got.Content.Offered || p.Transaction() != "txn-offer-of-soup" ||
		p.Cost() != (client.Price{Amount: 0.02, Currency: "USD"}) ||
		p.Reported != "rep-1" || p.Owes() || p.URI != soup || p.Fetched.IsZero() || p.Media != "text/plain" ||
		len(p.Hash) != 64 {
		t.Errorf("%+v, %+v", p, got.Content)
	}
	if want := "DiscoverResources ExecuteTransaction ReportUsage"; strings.Join(s.requests, " ") != want ||
		s.unsigned != 0 {
		t.Errorf("%v, %d not signed", s.requests, s.unsigned)
	}
	for _, body := range bodies {
		if strings.Contains(body, `"signature"`) {
			t.Errorf("a signature that could be used elsewhere was sent: %s", body)
		}
	}
	if !strings.Contains(bodies[2], `"FUNCTION_AI_INPUT"`) || !strings.Contains(bodies[2], `"consumed_quantity":1`) {
		t.Errorf("the report: %s", bodies[2])
	}
	f := usd(0.05)
	f.Exchange, bodies = s.URL, nil
	if _, err := s.fetch(f); err != nil || strings.Contains(strings.Join(bodies, ""), `"signature"`) || s.unsigned != 0 {
		t.Errorf("an Exchange that the program names is sent a signature that could be used elsewhere: %v, %s",
			err, bodies)
	}
}

// TestOnlyWhatFitsIsBought holds that nothing is bought but by an offer within the limit, in its
// currency, for the uses, that can be fetched.
func TestOnlyWhatFitsIsBought(t *testing.T) {
	t.Parallel()
	metered := func(o *rampv1.Offer) {
		o.Pricing.Model, o.Pricing.Rate = rampv1.PricingModel_PRICING_MODEL_PER_TOKEN, 0.00002
		o.Pricing.EstimatedQuantity, o.Pricing.Unit = proto.Int32(1000), proto.String("tokens")
	}
	for name, test := range map[string]struct {
		offer  func(*rampv1.Offer)
		want   client.Fetching
		bought bool
	}{
		"to the cent":           {nil, usd(0.02), true},
		"too dear":              {nil, usd(0.0199), false},
		"nothing may be paid":   {nil, client.Fetching{}, false},
		"another currency":      {nil, client.Fetching{Most: client.Price{Amount: 5, Currency: "EUR"}}, false},
		"a currency's spelling": {nil, client.Fetching{Most: client.Price{Amount: 5, Currency: "usd"}}, true},
		"free":                  {func(o *rampv1.Offer) { o.Pricing.Rate = 0 }, client.Fetching{}, true},
		"metered, all of it":    {metered, usd(0.02), true},
		"metered, not all":      {metered, usd(0.019), false},
		"metered, without an estimate": {func(o *rampv1.Offer) {
			metered(o)
			o.Pricing.EstimatedQuantity = nil
		}, usd(5), false},
		"metered, an estimate of none": {func(o *rampv1.Offer) {
			metered(o)
			o.Pricing.EstimatedQuantity = proto.Int32(0)
		}, usd(5), false},
		"metered, for nothing": {func(o *rampv1.Offer) {
			metered(o)
			o.Pricing.Rate, o.Pricing.EstimatedQuantity = 0, nil
		}, client.Fetching{}, true},
		"a share of revenue": {func(o *rampv1.Offer) {
			o.Pricing.Model = rampv1.PricingModel_PRICING_MODEL_REVENUE_SHARE
		}, usd(5), false},
		"a stream": {
			func(o *rampv1.Offer) { o.DeliveryMethod = rampv1.DeliveryMethod_DELIVERY_METHOD_STREAMING }, usd(5), false,
		},
		"another use": {func(o *rampv1.Offer) {
			o.Restrictions = &rampv1.AccessRestrictions{
				PermittedFunctions: []compv1.Function{compv1.Function_FUNCTION_SEARCH},
			}
		}, usd(5), false},
		"the use that is wanted": {func(o *rampv1.Offer) {
			o.Restrictions = &rampv1.AccessRestrictions{
				PermittedFunctions: []compv1.Function{compv1.Function_FUNCTION_SEARCH},
			}
		}, client.Fetching{Most: client.Price{Amount: 5, Currency: "USD"}, Uses: []string{"search"}}, true},
		"all uses of models": {func(o *rampv1.Offer) {
			o.Restrictions = &rampv1.AccessRestrictions{
				PermittedFunctions: []compv1.Function{compv1.Function_FUNCTION_AI_ALL},
			}
		}, usd(5), true},
		"a use that is prohibited": {func(o *rampv1.Offer) {
			o.Restrictions = &rampv1.AccessRestrictions{
				ProhibitedFunctions: []compv1.Function{compv1.Function_FUNCTION_ALL},
			}
		}, usd(5), false},
		"all uses of models, of which one is prohibited": {func(o *rampv1.Offer) {
			o.Restrictions = &rampv1.AccessRestrictions{
				ProhibitedFunctions: []compv1.Function{compv1.Function_FUNCTION_AI_TRAIN},
			}
		}, client.Fetching{Most: client.Price{Amount: 5, Currency: "USD"}, Uses: []string{"ai-all"}}, false},
		"all uses, of which one is prohibited": {func(o *rampv1.Offer) {
			o.Restrictions = &rampv1.AccessRestrictions{
				ProhibitedFunctions: []compv1.Function{compv1.Function_FUNCTION_SEARCH},
			}
		}, client.Fetching{Most: client.Price{Amount: 5, Currency: "USD"}, Uses: []string{"all"}}, false},
		"all uses of models, where search is prohibited": {func(o *rampv1.Offer) {
			o.Restrictions = &rampv1.AccessRestrictions{
				ProhibitedFunctions: []compv1.Function{compv1.Function_FUNCTION_SEARCH},
			}
		}, client.Fetching{Most: client.Price{Amount: 5, Currency: "USD"}, Uses: []string{"ai-all"}}, true},
		"the person says no": {nil, client.Fetching{Most: client.Price{Amount: 5, Currency: "USD"},
			Before: func(*client.Purchase) error { return errors.New("no") }}, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShop(t)
			s.offer = test.offer
			s.answer = func(a *rampv1.TransactionResponse) { a.Cost = nil } // which need not be said
			got, err := s.fetch(test.want)
			if (err == nil) != test.bought || (got != nil) != test.bought || (len(s.ids) == 1) != test.bought {
				t.Fatalf("%+v, %v, purchases %v", got, err, s.ids)
			}
			var none *client.NotBought
			if !test.bought && err.Error() != "no" && (!errors.As(err, &none) || none.URI != soup) {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestTheCheapestOfferIsTaken(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.more = func(uri string) []*rampv1.Offer {
		cheap := s.signedOffer(uri, func(o *rampv1.Offer) { o.OfferId, o.Pricing.Rate = "cheap", 0.01 })
		dear := s.signedOffer(uri, func(o *rampv1.Offer) { o.OfferId, o.Pricing.Rate = "dear", 0.03 })
		return []*rampv1.Offer{cheap, dear}
	}
	got, err := s.fetch(usd(1))
	if err != nil && !errors.Is(err, client.ErrOvercharged) { // the scripted Exchange charges 0.02 for everything
		t.Fatal(err)
	}
	if got.Purchase.Offer.OfferId != "cheap" {
		t.Errorf("%s was taken", got.Purchase.Offer.OfferId)
	}
	if !errors.Is(err, client.ErrOvercharged) || got.Content == nil {
		t.Errorf("0.02 for 0.01 is not told: %v", err)
	}
}

// TestWhatIsChargedInAnotherCurrencyIsTold holds that a number which is not greater is no excuse
// for a currency that is worth more.
func TestWhatIsChargedInAnotherCurrencyIsTold(t *testing.T) {
	t.Parallel()
	for currency, more := range map[string]bool{"KWD": true, "": true, "usd": false, "USD": false} {
		s := newShop(t)
		s.answer = func(a *rampv1.TransactionResponse) { a.Cost.Currency = currency }
		got, err := s.fetch(usd(1))
		if errors.Is(err, client.ErrOvercharged) != more || got == nil || got.Content == nil ||
			(got.Purchase.Reported == "") != more {
			t.Errorf("0.02 %s: %+v, %v", currency, got, err)
		}
	}
	s := newShop(t)
	s.answer = func(a *rampv1.TransactionResponse) { a.Cost.Amount, a.Cost.Currency = 0, "" }
	if _, err := s.fetch(usd(1)); err != nil {
		t.Errorf("nothing was charged: %v", err)
	}
}

// TestAPurchaseThatBrokeOffIsFinished holds, for each step at which the Exchange or the way to it
// fails, that the error says how far it came and under which id, and that going on buys nothing
// twice, also by another program that has only what was written down.
func TestAPurchaseThatBrokeOffIsFinished(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		step   client.Step
		method string
	}{{client.StepBuy, "ExecuteTransaction"}, {client.StepFetch, "content"}, {client.StepReport, "ReportUsage"}} {
		t.Run(string(test.step), func(t *testing.T) {
			s := newShop(t)
			var whole atomic.Bool // by now, nothing breaks off any more
			s.before = func(method string, w http.ResponseWriter) bool {
				if !whole.Load() && method == test.method {
					panic(http.ErrAbortHandler)
				}
				return false
			}
			var noted []byte
			f := usd(0.05)
			f.Before = func(p *client.Purchase) (err error) {
				noted, err = json.Marshal(p)
				return err
			}
			got, err := s.fetch(f)
			var unfinished *client.Unfinished
			if !errors.As(err, &unfinished) || unfinished.Step != test.step ||
				(got != nil) != (test.step == client.StepReport) {
				t.Fatalf("%+v, %v", got, err)
			}
			named := unfinished.Purchase.Transaction()
			if test.step == client.StepBuy {
				named = unfinished.Purchase.ID
			}
			if named == "" || !strings.Contains(err.Error(), named) || strings.Contains(err.Error(), "sig=secret") {
				t.Errorf("the error says %q", err)
			}
			if got != nil && string(got.Content.Body) != "One two three." {
				t.Error("the text that came is not given")
			}
			whole.Store(true)
			if test.step != client.StepBuy {
				if noted, err = json.Marshal(unfinished.Purchase); err != nil {
					t.Fatal(err)
				}
			}
			var again client.Purchase
			if err := json.Unmarshal(noted, &again); err != nil {
				t.Fatal(err)
			}
			for name, p := range map[string]*client.Purchase{
				"the same program": unfinished.Purchase, "another": &again,
			} {
				got, err := s.client(s.URL).Finish(t.Context(), p, f)
				if err != nil || string(got.Content.Body) != "One two three." || p.Reported != "rep-1" {
					t.Errorf("%s: %+v, %v", name, got, err)
				}
			}
			for _, id := range s.ids {
				if id != unfinished.Purchase.ID {
					t.Errorf("purchases %v", s.ids)
				}
			}
		})
	}
}

// TestWhatCameIsHeldAgainstItsHash holds that text which is not what was offered, or not what it
// says of itself, is told, with the transaction, and not reported as used.
func TestWhatCameIsHeldAgainstItsHash(t *testing.T) {
	t.Parallel()
	digest := func(text string) string { return sign.ContentDigest([]byte(text)) }
	const other = "<p>One two three.</p>"
	for name, test := range map[string]struct {
		content, digest string
		accept          []string
		err             error
		offered         bool
		digested        bool
	}{
		"as offered":                     {"One two three.", digest("One two three."), nil, nil, true, true},
		"without a digest":               {"One two three.", "", nil, nil, true, false},
		"another than offered":           {other, digest(other), nil, client.ErrOtherContent, false, true},
		"another form, as was asked":     {other, digest(other), []string{"text/html"}, nil, false, true},
		"another form, without a digest": {other, "", []string{"text/html"}, nil, false, false},
		"another form, changed on its way": {
			other, digest("x"), []string{"text/html"}, client.ErrDamaged, false, false,
		},
		"as offered, with the digest of others": {"One two three.", digest("x"), nil, client.ErrDamaged, false, false},
		"a digest that nobody can read":         {"One two three.", "sha-256=?", nil, client.ErrDamaged, false, false},
		"a digest of an unknown kind":           {"One two three.", "md9=:AAAA:", nil, nil, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShop(t)
			s.content = test.content
			s.header = func(h http.Header) {
				if test.digest != "" {
					h.Set("Repr-Digest", test.digest)
				}
			}
			f := usd(1)
			f.Accept = test.accept
			got, err := s.fetch(f)
			if !errors.Is(err, test.err) || got == nil || got.Content.Offered != test.offered ||
				got.Content.Digested != test.digested {
				t.Fatalf("%+v, %v", got, err)
			}
			if test.err == nil {
				return
			}
			if !strings.Contains(err.Error(), "txn-offer-of-soup") || !strings.Contains(err.Error(), "dispute") ||
				got.Purchase.Reported != "" {
				t.Errorf("%v, %+v", err, got.Purchase)
			}
			s.content, s.header = "One two three.", nil // and what comes then is good
			if again, err := s.desk.Finish(t.Context(), got.Purchase, usd(1)); err != nil || !again.Content.Offered ||
				again.Purchase.Reported == "" || len(s.ids) != 1 {
				t.Errorf("%+v, %v, purchases %v", again, err, s.ids)
			}
		})
	}
}

func TestReportsAreFiledAsTheProgramWants(t *testing.T) {
	t.Parallel()
	perToken := func(o *rampv1.Offer) {
		o.Reporting = &rampv1.ReportingObligation{Required: true}
		o.Pricing.Model, o.Pricing.EstimatedQuantity, o.Pricing.Unit = rampv1.PricingModel_PRICING_MODEL_PER_TOKEN,
			proto.Int32(1), proto.String("tokens")
	}
	asAWhole := func(o *rampv1.Offer) {
		o.Reporting = &rampv1.ReportingObligation{Required: true}
		o.Pricing.EstimatedQuantity, o.Pricing.Unit = proto.Int32(363), proto.String("tokens")
	}
	words := func(content *client.Content) int { return len(strings.Fields(string(content.Body))) }
	for name, test := range map[string]struct {
		offer  func(*rampv1.Offer)
		later  bool
		count  func(*client.Content) int
		report string // of it, or nothing
		owes   bool
	}{
		"nobody asks":            {func(*rampv1.Offer) {}, false, words, "", false},
		"later":                  {asAWhole, true, words, "", true},
		"the whole of it":        {asAWhole, false, nil, `"consumed_quantity":363`, false},
		"as counted":             {perToken, false, words, `"consumed_quantity":3`, false},
		"nobody counts, it pays": {perToken, false, nil, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShop(t)
			s.offer = test.offer
			report := ""
			s.seen = func(method string, body []byte) {
				if method == "ReportUsage" {
					report = string(body)
				}
			}
			f := usd(1)
			f.Later, f.Count = test.later, test.count
			got, err := s.fetch(f)
			if err != nil || !strings.Contains(report, test.report) || (report != "") != (test.report != "") ||
				got.Purchase.Owes() != test.owes {
				t.Fatalf("%v, report %s, %+v", err, report, got)
			}
			if !test.owes {
				return
			}
			if err := s.desk.Report(t.Context(), got.Purchase, client.Use{Quantity: 17}); err != nil ||
				got.Purchase.Owes() || !strings.Contains(report, `"consumed_quantity":17`) {
				t.Errorf("%v, %s", err, report)
			}
		})
	}
}

// TestAnAttributionIsReported holds that an offer which is paid for by naming the source can be
// completed: by Fetch where the program says how people were shown it, and otherwise later.
func TestAnAttributionIsReported(t *testing.T) {
	t.Parallel()
	address, yes, no := "https://site.example/a", true, false
	seen := client.Use{
		Attribution: []*rampv1.AttributionDetail{{DisplayedUrl: &address,
			Format: rampv1.CitationFormat_CITATION_FORMAT_LINK.Enum(), VisibleToUser: &yes}},
		SubFunctions: []compv1.SubFunction{compv1.SubFunction_SUB_FUNCTION_RAG}, Shown: &yes,
		Revenue: &client.Price{Amount: 12.5, Currency: "USD"},
	}
	for name, use := range map[string]*client.Use{
		"at once": &seen, "later": nil,
		"hidden": {Attribution: []*rampv1.AttributionDetail{{DisplayedUrl: &address, VisibleToUser: &no}}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShop(t)
			s.offer = func(o *rampv1.Offer) {
				o.Pricing.Model = rampv1.PricingModel_PRICING_MODEL_ATTRIBUTION
				o.Reporting = &rampv1.ReportingObligation{Required: true,
					RequiredFields: []string{"transaction_id", "attribution"}}
			}
			report := ""
			s.seen = func(method string, body []byte) {
				if method == "ReportUsage" {
					report = string(body)
				}
			}
			f := usd(1)
			if use != nil {
				f.Use = func(*client.Content) client.Use { return *use }
			}
			got, err := s.fetch(f)
			if err != nil || got.Content == nil || got.Purchase.Owes() != (name != "at once") ||
				(report == "") != (name != "at once") {
				t.Fatalf("%+v, %v, %s", got, err, report)
			}
			if name != "at once" {
				if fields := got.Purchase.MustSay(); !slices.Contains(fields, "attribution") {
					t.Errorf("it must say %v", fields)
				}
				later := seen
				later.Quantity = 1
				if err := s.desk.Report(t.Context(), got.Purchase, later); err != nil || got.Purchase.Owes() {
					t.Fatal(err)
				}
			}
			for _, want := range []string{
				`"attribution":[{"displayed_url":"https://site.example/a","format":"CITATION_FORMAT_LINK","visible_to_user":true}]`, `"subfn":["SUB_FUNCTION_RAG"]`,
				`"displayed_to_user":true`, `"ramp.revenue":{"amount":12.5,"currency":"USD"}`, `"request_id":`, `"exchange":`,
			} {
				if !strings.Contains(report, want) {
					t.Errorf("the report lacks %s:\n%s", want, report)
				}
			}
		})
	}
}

// TestTheExchangeIsFoundByTheSitesManifest holds that an address alone is enough, where its host
// names who sells for it; and that an Exchange which cannot be reached hides none that can.
func TestTheExchangeIsFoundByTheSitesManifest(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	listed := []*rampv1.AuthorizedExchange{
		{Domain: "127.0.0.1:1", Endpoint: "http://127.0.0.1:1",
			Relationship: rampv1.ProviderRelationship_PROVIDER_RELATIONSHIP_DIRECT},
		{Domain: "x.example", Endpoint: c.URL + "/rpc",
			Relationship: rampv1.ProviderRelationship_PROVIDER_RELATIONSHIP_DIRECT},
	}
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/.well-known/ramp.json" {
			http.NotFound(w, r)
			return
		}
		text, err := ramp.WriteProviderManifest(
			&rampv1.ProviderManifest{Ver: "1.0", Provider: "site.example", Exchanges: listed})
		if err != nil {
			t.Error(err)
		}
		_, _ = w.Write(text)
	}))
	defer site.Close()
	c.offer = func(o *rampv1.Offer) { o.ExpiresAt = timestamppb.New(time.Now().Add(time.Hour)) }
	got, err := c.client(site.URL).Fetch(t.Context(), client.Result{URL: site.URL + "/a"}, usd(1))
	if err != nil || got.Purchase.URI != site.URL+"/a" || got.Purchase.Exchange != c.URL {
		t.Fatalf("%+v, %v", got, err)
	}
	listed = nil
	var none *client.NotBought
	if got, err := c.client(site.URL).Fetch(t.Context(), client.Result{URL: site.URL + "/a"},
		usd(1)); !errors.As(err, &none) {
		t.Errorf("%+v, %v", got, err)
	}
	nobody, err := client.New(site.URL, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := nobody.Fetch(t.Context(), client.Result{URL: site.URL + "/a"}, usd(1)); err == nil ||
		!strings.Contains(err.Error(), "Options.Buyer") {
		t.Errorf("%v", err)
	}
}

func TestWhatIsDeniedOrNotOfferedSaysWhy(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.answer = func(a *rampv1.TransactionResponse) {
		a.TransactionId, a.BillingId, a.Package = nil, nil, nil
		a.DenialReason = rampv1.DenialReason_DENIAL_REASON_INSUFFICIENT_BALANCE.Enum()
	}
	var none *client.NotBought
	if _, err := s.fetch(usd(1)); !errors.As(err, &none) ||
		none.Denial != rampv1.DenialReason_DENIAL_REASON_INSUFFICIENT_BALANCE ||
		!strings.Contains(err.Error(), "insufficient balance") {
		t.Errorf("%v", err)
	}
	s.before = func(method string, w http.ResponseWriter) bool {
		_, _ = io.WriteString(w, `{"ver":"1.0","id":"q","offer_groups":[{"uri":"`+soup+`","absence_reason":"OFFER_ABSENCE_REASON_CONTENT_BLOCKED"}]}`)
		return true
	}
	if _, err := s.fetch(usd(1)); !errors.As(err, &none) ||
		none.Absence != rampv1.OfferAbsenceReason_OFFER_ABSENCE_REASON_CONTENT_BLOCKED ||
		!strings.Contains(err.Error(), "content blocked") {
		t.Errorf("%v", err)
	}
	s.before = func(_ string, w http.ResponseWriter) bool { // of another address than was asked for
		_, _ = io.WriteString(w, `{"ver":"1.0","id":"q","offer_groups":[{"uri":"https://site.example/other","offers":[]}]}`)
		return true
	}
	if _, err := s.fetch(usd(1)); !errors.As(err, &none) {
		t.Errorf("%v", err)
	}
}

func FuzzPurchase(f *testing.F) {
	f.Add([]byte(`{"exchange":"https://x.example","id":"1","uri":"u","offer":{"offer_id":"o"},"result":{"transaction_id":"t"},"fetched_at":"2026-11-22T16:00:00Z"}`))
	f.Add([]byte(`{"exchange":"https://x.example","offer":null}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var p, again client.Purchase
		if json.Unmarshal(text, &p) != nil {
			return
		}
		written, err := json.Marshal(&p)
		if err != nil {
			return // such as a time that no year has
		}
		if err := json.Unmarshal(written, &again); err != nil {
			t.Fatalf("%s: %v", written, err)
		}
		if !proto.Equal(p.Offer, again.Offer) || !proto.Equal(p.Result, again.Result) || p.ID != again.ID {
			t.Errorf("%s became %s", text, written)
		}
	})
}

// TestWhatMayNotBeBoughtIsNotReported reports a purchase of which nobody knows whether it was made.
func TestWhatMayNotBeBoughtIsNotReported(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	p := &client.Purchase{Exchange: s.URL, ID: "p", Offer: &rampv1.Offer{OfferId: "offer-of-soup"}}
	if err := s.desk.Report(t.Context(), p, client.Use{Quantity: 1}); err == nil ||
		!strings.Contains(err.Error(), "finish the purchase") || p.Reported != "" {
		t.Errorf("%v, %+v", err, p)
	}
}
