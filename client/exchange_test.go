package client_test

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"frontdesk/client"
	compv1 "frontdesk/wire/comp/v1"
	"frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
	"frontdesk/wire/sign"
)

// counter is a scripted Exchange.
type counter struct {
	*httptest.Server
	t *testing.T

	mu       sync.Mutex
	key      ed25519.PrivateKey
	served   []ramp.Key                                              // its published keys
	keysRead int                                                     // how often they were read
	offer    func(*rampv1.Offer)                                     // changes an offer before it is signed
	signed   func(*rampv1.Offer)                                     // changes it afterwards
	answer   func(*rampv1.TransactionResponse)                       // changes the answer to a purchase
	content  string                                                  // that is delivered
	header   func(http.Header)                                       // adds to what is told of it
	more     func(uri string) []*rampv1.Offer                        // offers beside the first
	seen     func(method string, body []byte)                        // is told of each RPC
	before   func(method string, w http.ResponseWriter) (taken bool) // answers instead
	requests []string                                                // RPCs that came
	ids      []string                                                // of purchases
	// requests whose signature over HTTP was wrong, missing, or another's
	unsigned int
	nonces   []string // of those signatures
}

var (
	buyerKey = ed25519.NewKeyFromSeed(bytes.Repeat([]byte{7}, ed25519.SeedSize))
	oldKey   = ed25519.NewKeyFromSeed(bytes.Repeat([]byte{1}, ed25519.SeedSize))
	newKey   = ed25519.NewKeyFromSeed(bytes.Repeat([]byte{2}, ed25519.SeedSize))
)

func published(keys ...ed25519.PrivateKey) (all []ramp.Key) {
	for i, key := range keys {
		all = append(all, ramp.Key{ID: string(rune('a' + i)), Public: key.Public().(ed25519.PublicKey),
			From: time.Unix(1, 0), Active: true})
	}
	return all
}

func newCounter(t *testing.T) *counter {
	t.Helper()
	c := &counter{t: t, key: oldKey, served: published(oldKey), content: "One two three."}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/ramp-exchange.json", func(w http.ResponseWriter, r *http.Request) {
		text, err := ramp.WriteExchangeManifest(&rampv1.ExchangeManifest{
			Ver: "1.0", Domain: "x.example", Name: "X", Operator: "X", ExchangeEndpoint: c.URL + "/rpc",
			KeysUri: c.URL + "/keys", ProtocolVersionsSupported: []string{"1.0"},
			PricingModelsSupported: []string{"per_access"}, DeliveryMethodsSupported: []string{"direct"},
		})
		if err != nil {
			t.Error(err)
		}
		_, _ = w.Write(text)
	})
	mux.HandleFunc("GET /keys", func(w http.ResponseWriter, _ *http.Request) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.keysRead++
		text, err := ramp.WriteExchangeKeys(c.served)
		if err != nil {
			t.Error(err)
		}
		_, _ = w.Write(text)
	})
	mux.HandleFunc("POST /rpc/ramp.v1.ExchangeService/{method}", c.rpc)
	mux.HandleFunc("GET /content", func(w http.ResponseWriter, _ *http.Request) {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.before != nil && c.before("content", w) {
			return
		}
		w.Header().Set("Content-Type", "text/plain")
		if c.header != nil {
			c.header(w.Header())
		}
		_, _ = io.WriteString(w, c.content)
	})
	c.Server = httptest.NewServer(mux)
	t.Cleanup(c.Close)
	return c
}

func (c *counter) rpc(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	method := r.PathValue("method")
	c.requests = append(c.requests, method)
	body, _ := io.ReadAll(r.Body)
	c.verify(r, body)
	if c.seen != nil {
		c.seen(method, body)
	}
	if c.before != nil && c.before(method, w) {
		return
	}
	var out proto.Message
	switch method {
	case "DiscoverResources":
		query := &rampv1.ResourceQuery{}
		c.read(body, query)
		answer := &rampv1.ResourceResponse{Ver: "1.0", Id: query.Id, Exchange: "x.example"}
		for _, uri := range query.Requester.Uris {
			answer.OfferGroups = append(answer.OfferGroups,
				&rampv1.OfferGroup{Uri: uri, Offers: []*rampv1.Offer{c.offered(uri)}})
			if c.more != nil {
				group := answer.OfferGroups[len(answer.OfferGroups)-1]
				group.Offers = append(group.Offers, c.more(uri)...)
			}
		}
		if len(answer.OfferGroups) == 1 {
			answer.Offers, answer.OfferGroups = answer.OfferGroups[0].Offers, nil
		}
		out = answer
	case "ExecuteTransaction":
		request := &rampv1.TransactionRequest{}
		c.read(body, request)
		c.ids = append(c.ids, request.Id)
		answer := &rampv1.TransactionResponse{Ver: "1.0", Id: request.Id,
			AgentIdentityHash: ramp.AgentIdentityHash("bot", "buyer.example")}
		bought := func(offer string) *rampv1.TransactionResultItem {
			return &rampv1.TransactionResultItem{
				OfferId: offer, TransactionId: "txn-" + offer, BillingId: "bill-1",
				Cost: &rampv1.Cost{Amount: 0.02, Currency: "USD"}, Package: &compv1.Package{Id: "p",
					Retrieval: &compv1.Retrieval{Endpoint: proto.String(c.URL + "/content?sig=secret")}},
			}
		}
		if len(request.Items) > 0 {
			for _, item := range request.Items {
				answer.Items = append(answer.Items, bought(item.OfferId))
			}
		} else {
			one := bought(request.GetOfferId())
			answer.TransactionId, answer.BillingId, answer.Cost, answer.Package = &one.TransactionId, &one.BillingId,
				one.Cost, one.Package
		}
		if c.answer != nil {
			c.answer(answer)
		}
		out = answer
	case "ReportUsage":
		report := &rampv1.UsageReport{}
		c.read(body, report)
		answer := &rampv1.UsageReportResponse{Accepted: report.Usage.ConsumedQuantity > 0, ReportId: "rep-1"}
		if !answer.Accepted {
			answer.ReportId, answer.RejectionReason = "", proto.String("nothing was consumed")
		}
		out = answer
	}
	text, err := ramp.Marshal(out)
	if err != nil {
		c.t.Error(err)
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(text)
}

// read reads a request, which must be well-formed.
func (c *counter) read(body []byte, m proto.Message) {
	if err := ramp.Unmarshal(body, m); err != nil {
		c.t.Error(err)
	}
	if err := ramp.Validate(m); err != nil {
		c.t.Error(err)
	}
}

// verify verifies a request's signature over HTTP, which no other request had.
func (c *counter) verify(r *http.Request, body []byte) {
	all, err := sign.ReadHTTPSignatures(r.Header)
	if err == nil && len(all) == 1 && all[0].Nonce != "" && !slices.Contains(c.nonces, all[0].Nonce) &&
		all[0].KeyID == "buyer.example#k1" && all[0].Covers(sign.RequestComponents...) &&
		all[0].Fresh(time.Now()) == nil &&
		sign.CheckContentDigest(r.Header.Values(sign.HeaderContentDigest), body) == nil &&
		all[0].Verify(buyerKey.Public().(ed25519.PublicKey),
			sign.Request{Method: r.Method, Target: c.URL + r.URL.RequestURI(), Header: r.Header}) == nil {
		c.nonces = append(c.nonces, all[0].Nonce)
		return
	}
	c.unsigned++
}

// offered is a signed offer for an address.
func (c *counter) offered(uri string) *rampv1.Offer { return c.signedOffer(uri, c.offer) }

// signedOffer is an offer for an address that is changed before it is signed.
func (c *counter) signedOffer(uri string, change func(*rampv1.Offer)) *rampv1.Offer {
	sum := sha256.Sum256([]byte("One two three."))
	offer := &rampv1.Offer{
		OfferId: "offer-of-" + uri[strings.LastIndexByte(uri, '/')+1:],
		Package: &compv1.Package{Id: "p", Title: proto.String("A")},
		Pricing: &rampv1.Pricing{Model: rampv1.PricingModel_PRICING_MODEL_PER_ACCESS, Rate: 0.02,
			Currency: "USD"},
		DeliveryMethod: rampv1.DeliveryMethod_DELIVERY_METHOD_DIRECT,
		ExpiresAt:      timestamppb.New(time.Now().Add(time.Minute)), SignatureAlgorithm: "ed25519",
		Identity: &rampv1.ResourceIdentity{
			CanonicalUrl: &uri, ContentHash: proto.String(hex.EncodeToString(sum[:])),
			HashMethod:         proto.String("sha256"),
			ResourceMutability: rampv1.ResourceMutability_RESOURCE_MUTABILITY_STATIC,
		},
	}
	if change != nil {
		change(offer)
	}
	payload, err := ramp.OfferPayload(offer)
	if err != nil {
		c.t.Error(err)
	}
	offer.ExchangeSignature = sign.EncodeSignature(ed25519.Sign(c.key, payload))
	if c.signed != nil {
		c.signed(offer)
	}
	return offer
}

func (c *counter) open() *client.Exchange {
	c.t.Helper()
	x, err := client.OpenExchange(c.t.Context(), c.URL, client.Buyer{ID: "bot", Domain: "buyer.example", Key: buyerKey,
		KeyID: "k1"}, client.Options{MaxWait: 2 * time.Second})
	if err != nil {
		c.t.Fatal(err)
	}
	return x
}

func wanted(paths ...string) (w client.Wanted) {
	for _, path := range paths {
		w.URIs = append(w.URIs, "https://site.example/"+path)
	}
	return w
}

func TestExchangeSellsAndDelivers(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	x := c.open()
	quotes, err := x.Discover(t.Context(), wanted("a", "b"))
	if err != nil || len(quotes.All) != 2 || len(quotes.All[0].Offers) != 1 || len(quotes.All[1].Offers) != 1 {
		t.Fatalf("%+v, %v", quotes, err)
	}
	all, err := x.Buy(t.Context(), client.NewPurchase(), quotes.All[0].Offers[0], quotes.All[1].Offers[0])
	if err != nil || len(all) != 2 || all[0].Denied() || all[1].Result.TransactionId != "txn-offer-of-b" {
		t.Fatalf("%+v, %v", all, err)
	}
	one, err := x.Buy(t.Context(), "mine", quotes.All[0].Offers[0])
	if err != nil || len(one) != 1 || one[0].Denied() || one[0].Result.GetCost().Amount != 0.02 || c.ids[1] != "mine" {
		t.Fatalf("%+v, %v", one, err)
	}
	content, err := x.Fetch(t.Context(), &one[0])
	if err != nil || string(content.Body) != "One two three." || content.Media != "text/plain" || !content.Offered {
		t.Errorf("%+v, %v", content, err)
	}
	if id, err := x.Report(t.Context(), &one[0], client.Use{Quantity: 3}); err != nil || id != "rep-1" {
		t.Errorf("%s, %v", id, err)
	}
	var rejected *client.Rejected
	if _, err := x.Report(t.Context(), &one[0], client.Use{}); !errors.As(err, &rejected) ||
		rejected.Reason != "nothing was consumed" {
		t.Errorf("%v", err)
	}
	if c.unsigned != 0 {
		t.Errorf("%d requests were not signed", c.unsigned)
	}
}

// TestOffersThatAreNotGoodArePassedOver holds that nothing is bought by what the Exchange has not
// signed, or the program does not understand.
func TestOffersThatAreNotGoodArePassedOver(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(c *counter){
		"cheaper on its way":  func(c *counter) { c.signed = func(o *rampv1.Offer) { o.Pricing.Rate = 0.01 } },
		"another's signature": func(c *counter) { c.key = newKey },
		"no signature that can be one": func(c *counter) {
			c.signed = func(o *rampv1.Offer) { o.ExchangeSignature = "x" }
		},
		"ended": func(c *counter) {
			c.offer = func(o *rampv1.Offer) { o.ExpiresAt = timestamppb.New(time.Now()) }
		},
		"an unknown critical key": func(c *counter) {
			c.offer = func(o *rampv1.Offer) {
				o.Ext, _ = structpb.NewStruct(map[string]any{"x.y": 1})
				o.ExtCritical = []string{"x.y"}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCounter(t)
			x := c.open()
			spoil(c)
			quotes, err := x.Discover(t.Context(), wanted("a", "b", "c"))
			if err != nil {
				t.Fatal(err)
			}
			for _, q := range quotes.All {
				if len(q.Offers) != 0 || len(q.Passed) != 1 {
					t.Errorf("%+v", q)
				}
			}
			if c.keysRead > 2 {
				t.Errorf("the keys were read %d times", c.keysRead)
			}
		})
	}
	c := newCounter(t)
	x := c.open()
	c.offer = func(o *rampv1.Offer) {
		o.Ext, _ = structpb.NewStruct(map[string]any{"x.y": 1})
		o.ExtCritical = []string{"x.y"}
	}
	w := wanted("a")
	w.Critical = []string{"x.y"}
	if quotes, err := x.Discover(t.Context(), w); err != nil || len(quotes.All[0].Offers) != 1 {
		t.Errorf("what is understood: %+v, %v", quotes, err)
	}
}

// TestOffersAreVerifiedAsTheyCame holds that a signature is over members, too, that the program has
// never heard of, and over what they say whatever the names are written like.
func TestOffersAreVerifiedAsTheyCame(t *testing.T) {
	t.Parallel()
	snake := strings.NewReplacer("offerId", "offer_id", "deliveryMethod", "delivery_method", "expiresAt", "expires_at",
		"signatureAlgorithm", "signature_algorithm",
		"canonicalUrl", "canonical_url", "contentHash", "content_hash", "hashMethod", "hash_method",
		"resourceMutability", "resource_mutability")
	camel := func(offer string) string { // the other way round
		for _, name := range []string{"offerId", "deliveryMethod", "expiresAt", "signatureAlgorithm", "canonicalUrl",
			"contentHash", "hashMethod", "resourceMutability"} {
			offer = strings.ReplaceAll(offer, snake.Replace(name), name)
		}
		return offer
	}
	grown := func(offer string) string {
		return strings.Replace(`{"new_terms":{"deep":[1,"a"]},`+offer[1:], `"pricing":{`, `"pricing":{"new_rate":3,`, 1)
	}
	same := func(offer string) string { return offer }
	for name, test := range map[string]struct {
		before, after func(string) string // change the offer's JSON before it is signed, and after
		good          bool
	}{
		"members that no field has": {grown, same, true},
		"one of them was changed": {
			grown, func(o string) string { return strings.Replace(o, `"a"]`, `"b"]`, 1) }, false,
		},
		"a deep one of them was changed": {
			grown, func(o string) string { return strings.Replace(o, `"new_rate":3`, `"new_rate":2`, 1) }, false,
		},
		"one of them was taken away": {
			grown, func(o string) string { return strings.Replace(o, `"new_rate":3,`, "", 1) }, false,
		},
		"one was added": {same, grown, false},
		"other names than those that were signed": {same, camel, true},
		"with other names the price was changed": {
			same, func(o string) string { return strings.Replace(camel(o), `"rate":0.02`, `"rate":0.01`, 1) }, false,
		},
		"signed and sent with other names": {camel, same, true},
		"blanks, and another order of the members": {
			grown, func(o string) string { return "{\n  \"exchange\": null, " + o[1:] }, false,
		},
		"blanks": {grown, func(o string) string { return strings.ReplaceAll(o, `":`, "\" :\n") }, true},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCounter(t)
			x := c.open()
			c.before = func(_ string, w http.ResponseWriter) bool {
				offer := c.offered("https://site.example/a")
				offer.ExchangeSignature = ""
				text, err := ramp.Marshal(offer)
				if err != nil {
					t.Error(err)
				}
				sent := test.before(string(text))
				payload, err := sign.Canonical([]byte(sent))
				if err != nil {
					t.Errorf("%v in %s", err, sent)
				}
				sent = test.after(sent)
				io.WriteString(w, `{"ver":"1.0","id":"q","offerGroups":[{"uri":"https://site.example/a","offers":[`+
					strings.TrimSuffix(sent, "}")+`,"exchange_signature":"`+sign.EncodeSignature(ed25519.Sign(c.key, payload))+`"}]}]}`)
				return true
			}
			quotes, err := x.Discover(t.Context(), wanted("a"))
			if err != nil {
				t.Fatal(err)
			}
			if q := quotes.All[0]; (len(q.Offers) == 1) != test.good {
				t.Errorf("%d offers, passed over: %v", len(q.Offers), q.Passed)
			}
		})
	}
}

// TestAReportThatCannotBeCountedIsNotSent holds that no quantity wraps around into another.
func TestAReportThatCannotBeCountedIsNotSent(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	x := c.open()
	quotes, err := x.Discover(t.Context(), wanted("a"))
	if err != nil {
		t.Fatal(err)
	}
	all, err := x.Buy(t.Context(), client.NewPurchase(), quotes.All[0].Offers[0])
	if err != nil {
		t.Fatal(err)
	}
	for quantity, good := range map[int]bool{
		math.MaxInt32: true, math.MaxInt32 + 1: false, 1<<32 + 5: false, -1: false,
	} {
		c.requests = nil
		if _, err := x.Report(t.Context(), &all[0], client.Use{Quantity: quantity}); (err == nil) != good ||
			(len(c.requests) == 1) != good {
			t.Errorf("%d: %v, %d requests", quantity, err, len(c.requests))
		}
	}
}

func TestExchangeMayChangeItsKey(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	x := c.open()
	c.key, c.served = newKey, published(newKey)
	if quotes, err := x.Discover(t.Context(), wanted("a")); err != nil || len(quotes.All[0].Offers) != 1 {
		t.Errorf("%+v, %v", quotes, err)
	}
}

func TestExchangeIsAskedAgainUnderOneID(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	x := c.open()
	quotes, err := x.Discover(t.Context(), wanted("a"))
	if err != nil {
		t.Fatal(err)
	}
	tries := 0
	c.before = func(method string, w http.ResponseWriter) bool {
		if method != "ExecuteTransaction" {
			return false
		}
		switch tries++; tries {
		case 1:
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = io.WriteString(w, `{"code":"unavailable","message":"later"}`)
			return true
		case 2:
			panic(http.ErrAbortHandler) // the answer is lost
		}
		return false
	}
	all, err := x.Buy(t.Context(), "mine", quotes.All[0].Offers[0])
	if err != nil || all[0].Denied() || tries != 3 {
		t.Errorf("%+v, %v after %d", all, err, tries)
	}
	c.before = func(_ string, w http.ResponseWriter) bool {
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = io.WriteString(w, `{"code":"unauthenticated","message":"who are you?"}`)
		return true
	}
	var failed *client.ExchangeError
	if _, err := x.Discover(t.Context(), wanted("a")); !errors.As(err, &failed) || failed.Code != "unauthenticated" ||
		failed.Message != "who are you?" || failed.Status != 401 {
		t.Errorf("%v", err)
	}
	c.before = func(_ string, w http.ResponseWriter) bool {
		w.WriteHeader(http.StatusBadGateway)
		return true
	}
	if _, err := x.Discover(t.Context(), wanted("a")); !errors.As(err, &failed) || failed.Code != "http_502" {
		t.Errorf("%v", err)
	}
}

func TestAnswersOfAnExchangeAreHeldAgainstWhatWasAsked(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*rampv1.TransactionResponse){
		"another id":      func(a *rampv1.TransactionResponse) { a.Id = "other" },
		"no transaction":  func(a *rampv1.TransactionResponse) { a.TransactionId = nil },
		"several for one": func(a *rampv1.TransactionResponse) { a.Items = []*rampv1.TransactionResultItem{{}, {}} },
		"another's offer": func(a *rampv1.TransactionResponse) {
			a.Items = []*rampv1.TransactionResultItem{{OfferId: "other"}}
		},
		"no bill":          func(a *rampv1.TransactionResponse) { a.BillingId = nil },
		"an empty billing": func(a *rampv1.TransactionResponse) { a.BillingId = proto.String("") },
	} {
		c := newCounter(t)
		x := c.open()
		quotes, err := x.Discover(t.Context(), wanted("a"))
		if err != nil {
			t.Fatal(err)
		}
		c.answer = spoil
		var wrong *client.NotAnExchange
		if all, err := x.Buy(t.Context(), "mine", quotes.All[0].Offers[0]); !errors.As(err, &wrong) {
			t.Errorf("%s: %+v, %v", name, all, err)
		}
	}
	c := newCounter(t)
	x := c.open()
	quotes, _ := x.Discover(t.Context(), wanted("a"))
	c.answer = func(a *rampv1.TransactionResponse) {
		a.TransactionId, a.BillingId, a.Package = nil, nil, nil
		a.DenialReason = rampv1.DenialReason_DENIAL_REASON_INSUFFICIENT_BALANCE.Enum()
	}
	all, err := x.Buy(t.Context(), "denied", quotes.All[0].Offers[0])
	if err != nil || !all[0].Denied() || all[0].Denial != rampv1.DenialReason_DENIAL_REASON_INSUFFICIENT_BALANCE {
		t.Errorf("%+v, %v", all, err)
	}
	if _, err := x.Fetch(t.Context(), &all[0]); err == nil {
		t.Error("what was denied is fetched")
	}
	if _, err := x.Report(t.Context(), &all[0], client.Use{Quantity: 1}); err == nil {
		t.Error("what was denied is reported")
	}
}

func TestOtherContentThanOfferedIsTold(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	x := c.open()
	buy := func() *client.Bought {
		quotes, err := x.Discover(t.Context(), wanted("a"))
		if err != nil || len(quotes.All[0].Offers) != 1 {
			t.Fatalf("%+v, %v", quotes, err)
		}
		all, err := x.Buy(t.Context(), client.NewPurchase(), quotes.All[0].Offers[0])
		if err != nil {
			t.Fatal(err)
		}
		return &all[0]
	}
	c.content = "Something else."
	if got, err := x.Fetch(t.Context(), buy()); !errors.Is(err, client.ErrOtherContent) || got == nil || got.Offered {
		t.Errorf("%+v, %v", got, err)
	}
	c.offer = func(o *rampv1.Offer) {
		o.Identity.ResourceMutability, o.DataAsOf = rampv1.ResourceMutability_RESOURCE_MUTABILITY_DYNAMIC,
			timestamppb.Now()
	}
	if got, err := x.Fetch(t.Context(), buy()); err != nil || got.Offered {
		t.Errorf("of what changes: %+v, %v", got, err)
	}
	b := buy()
	b.Result.Package.Retrieval.Endpoint = proto.String("http://elsewhere.example/a")
	if _, err := x.Fetch(t.Context(), b); err == nil || !strings.Contains(err.Error(), "https") {
		t.Errorf("from where others could read it: %v", err)
	}
}

func TestWhatIsNoExchangeIsTold(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	buyer := client.Buyer{ID: "bot", Domain: "buyer.example"}
	var wrong *client.NotAnExchange
	if _, err := client.OpenExchange(t.Context(), server.URL, buyer, client.Options{}); !errors.As(err, &wrong) {
		t.Errorf("%v", err)
	}
	for _, address := range []string{"", "x.example", "ftp://x.example", "http://x.example"} {
		if _, err := client.OpenExchange(t.Context(), address, buyer, client.Options{}); err == nil {
			t.Errorf("%q is taken for an address", address)
		}
	}
	if _, err := client.OpenExchange(t.Context(), server.URL, client.Buyer{}, client.Options{}); err == nil {
		t.Error("nobody buys")
	}
}
