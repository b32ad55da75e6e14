// Package exchange is an Exchange of RAMP v1 for tests, which does what a test says: it offers,
// sells once under each id, takes reports and disputes, and stalls, lies, floods or breaks off
// where that is wanted. It also plays the provider that sells through it.
package exchange

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path"
	"strings"
	"sync"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	compv1 "frontdesk/wire/comp/v1"
	"frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
	"frontdesk/wire/sign"
)

// Exchange is an Exchange under a test's control. A test that changes it while it serves does so
// under Lock.
type Exchange struct {
	*httptest.Server
	sync.Mutex

	Domain string // host and port
	Key    ed25519.PrivateKey
	Keys   []ramp.Key // that it publishes
	// Price is what everything costs, in USD; a test makes other offers by Offer, which changes
	// each before it is signed, or gives nil for none.
	Price    float64
	Offer    func(uri string, o *rampv1.Offer) *rampv1.Offer
	More     func(uri string) []*rampv1.Offer       // further offers, which are signed, too
	Signed   func(*rampv1.Offer)                    // changes an offer after it was signed
	Manifest func(*rampv1.ExchangeManifest)         // changes the manifest
	Answer   func(*rampv1.ResourceResponse)         // changes the answer to a query
	Deny     func(offer string) rampv1.DenialReason // says why an offer is not sold
	Sold     func(*rampv1.TransactionResponse)      // changes the answer to a purchase, and not what was done
	// Before is told of each request, by the name of its RPC or document, and may answer in place
	// of the Exchange.
	Before func(name string, w http.ResponseWriter, r *http.Request) (taken bool)
	// After is told of each RPC whose effect is made, before it is answered, and may answer in
	// place of the Exchange.
	After func(name string, w http.ResponseWriter, r *http.Request) (taken bool)
	// Lists are the Exchanges of the provider's ramp.json; nil lists this one.
	Lists []*rampv1.AuthorizedExchange

	queries   []*rampv1.ResourceQuery
	purchases map[string]*rampv1.TransactionResponse // by id
	bought    []string                               // offers, in the order in which they were sold
	asked     map[string]int
	reports   []*rampv1.UsageReport
	disputes  []*rampv1.DisputeRequest
	signers   []string // key ids of the signatures over HTTP
	offers    int
	made      map[string]*rampv1.Offer
	ready     map[string][]byte // answers that are kept for a benchmark
	Ready     bool              // answers every query with the bytes of its first answer, all of it unread but the id
}

// New starts one with a key that its number makes.
func New(number byte) *Exchange {
	x := NewAt(number, "")
	x.Server = httptest.NewServer(x)
	x.Domain = strings.TrimPrefix(x.URL, "http://")
	return x
}

// NewAt makes one that somebody else serves at an address, such as http://127.0.0.1:8080.
func NewAt(number byte, url string) *Exchange {
	key := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{number}, ed25519.SeedSize))
	return &Exchange{
		Server: &httptest.Server{URL: url}, Domain: strings.TrimPrefix(url, "http://"),
		Key: key, Price: 0.02, purchases: map[string]*rampv1.TransactionResponse{}, asked: map[string]int{},
		made: map[string]*rampv1.Offer{}, ready: map[string][]byte{},
		Keys: []ramp.Key{{ID: "k1", Public: key.Public().(ed25519.PublicKey), From: time.Unix(1, 0), Active: true}},
	}
}

// URI is an address of the provider that this plays.
func (x *Exchange) URI(path string) string { return x.URL + "/content/" + path }

// Listed is how a provider lists it.
func (x *Exchange) Listed() *rampv1.AuthorizedExchange {
	return &rampv1.AuthorizedExchange{Domain: x.Domain, Endpoint: x.URL + "/rpc",
		Relationship: rampv1.ProviderRelationship_PROVIDER_RELATIONSHIP_DIRECT}
}

// Asked is how often an RPC or a document was asked for.
func (x *Exchange) Asked(name string) int {
	x.Lock()
	defer x.Unlock()
	return x.asked[name]
}

// Bought are the offers that were sold, in their order.
func (x *Exchange) Bought() []string {
	x.Lock()
	defer x.Unlock()
	return append([]string(nil), x.bought...)
}

// Sales are the addresses for which offers were sold, in their order.
func (x *Exchange) Sales() (all []string) {
	x.Lock()
	defer x.Unlock()
	for _, id := range x.bought {
		all = append(all, x.made[id].GetIdentity().GetCanonicalUrl())
	}
	return all
}

// Queries are those that came.
func (x *Exchange) Queries() []*rampv1.ResourceQuery {
	x.Lock()
	defer x.Unlock()
	return append([]*rampv1.ResourceQuery(nil), x.queries...)
}

// Reports and Disputes are those that came.
func (x *Exchange) Reports() []*rampv1.UsageReport {
	x.Lock()
	defer x.Unlock()
	return append([]*rampv1.UsageReport(nil), x.reports...)
}

// Disputes are those that came.
func (x *Exchange) Disputes() []*rampv1.DisputeRequest {
	x.Lock()
	defer x.Unlock()
	return append([]*rampv1.DisputeRequest(nil), x.disputes...)
}

// ServeHTTP answers one request.
func (x *Exchange) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := path.Base(r.URL.Path)
	x.Lock()
	x.asked[name]++
	before := x.Before
	ready := x.ready[name+r.Header.Get("Content-Type")]
	x.Unlock()
	if ready != nil {
		x.answerReady(w, r, ready)
		return
	}
	if before != nil && before(name, w, r) {
		return
	}
	switch name {
	case "ramp-exchange.json":
		x.manifest(w)
	case "keys":
		x.Lock()
		defer x.Unlock()
		text, err := ramp.WriteExchangeKeys(x.Keys)
		answer(w, text, err)
	case "ramp.json":
		x.Lock()
		defer x.Unlock()
		lists := x.Lists
		if lists == nil {
			lists = []*rampv1.AuthorizedExchange{x.Listed()}
		}
		text, err := ramp.WriteProviderManifest(&rampv1.ProviderManifest{Ver: "1.0", Provider: x.Domain,
			Exchanges: lists})
		answer(w, text, err)
	case "DiscoverResources":
		rpc(x, w, r, name, &rampv1.ResourceQuery{}, x.discover)
	case "ExecuteTransaction":
		rpc(x, w, r, name, &rampv1.TransactionRequest{}, x.execute)
	case "ReportUsage":
		rpc(x, w, r, name, &rampv1.UsageReport{}, func(m *rampv1.UsageReport) proto.Message {
			x.reports = append(x.reports, m)
			return &rampv1.UsageReportResponse{Accepted: true, ReportId: "rep-" + m.Id}
		})
	case "DisputeTransaction":
		rpc(x, w, r, name, &rampv1.DisputeRequest{}, func(m *rampv1.DisputeRequest) proto.Message {
			x.disputes = append(x.disputes, m)
			return &rampv1.DisputeResponse{Accepted: true, DisputeId: "dsp-" + m.Id,
				Status: rampv1.DisputeStatus_DISPUTE_STATUS_FILED}
		})
	default:
		http.NotFound(w, r)
	}
}

// answerReady answers a query with bytes that are ready, and keeps the connection for what comes by
// it: net/http's server, which writes an answer in several parts, would take more of the processors
// than what is measured.
func (x *Exchange) answerReady(w http.ResponseWriter, r *http.Request, ready []byte) {
	var body, out bytes.Buffer
	_, _ = body.ReadFrom(r.Body)
	whole := fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s",
		r.Header.Get("Content-Type"), len(ready), ready)
	at := bytes.Index(whole, queryOf(whole))
	conn, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	defer conn.Close()
	for err == nil {
		if path.Base(r.URL.Path) == "DiscoverResources" {
			out.Reset()
			out.Write(whole)
			copy(out.Bytes()[at:], queryOf(body.Bytes()))
			_, err = conn.Write(out.Bytes())
		} else {
			answer := httptest.NewRecorder()
			r.Body = io.NopCloser(&body)
			x.ServeHTTP(answer, r)
			result := answer.Result()
			result.ContentLength = int64(answer.Body.Len())
			err = result.Write(conn)
		}
		if err == nil {
			r, err = http.ReadRequest(buffered.Reader)
		}
		if err == nil {
			body.Reset()
			_, err = body.ReadFrom(r.Body)
		}
	}
}

// queryOf is the id of a Broker's query in its bytes, or in those of the answer to it, in either
// form.
func queryOf(text []byte) []byte {
	const length = len("qry-") + 32
	at := bytes.Index(text, []byte("qry-"))
	if at < 0 || len(text) < at+length {
		return nil
	}
	return text[at : at+length]
}

func answer(w http.ResponseWriter, text []byte, err error) {
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	_, _ = w.Write(text)
}

func (x *Exchange) manifest(w http.ResponseWriter) {
	x.Lock()
	defer x.Unlock()
	m := &rampv1.ExchangeManifest{
		Ver: "1.0", Domain: x.Domain, Name: "X", Operator: "X", ExchangeEndpoint: x.URL + "/rpc",
		KeysUri:                   x.URL + "/keys",
		ProtocolVersionsSupported: []string{"1.0"}, PricingModelsSupported: []string{"per_access"},
		DeliveryMethodsSupported: []string{"direct"},
	}
	if x.Manifest != nil {
		x.Manifest(m)
	}
	text, err := ramp.WriteExchangeManifest(m)
	answer(w, text, err)
}

// rpc reads a message in either form, makes its effect, and answers in the same form.
func rpc[M proto.Message](
	x *Exchange, w http.ResponseWriter, r *http.Request, name string, m M, do func(M) proto.Message,
) {
	body, err := io.ReadAll(r.Body)
	binary := r.Header.Get("Content-Type") == "application/proto"
	if err == nil && binary {
		err = ramp.Binary{}.Unmarshal(body, m)
	} else if err == nil {
		err = ramp.Unmarshal(body, m)
	}
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprintf(w, `{"code":"invalid_argument","message":%q}`, err.Error())
		return
	}
	x.Lock()
	keep := x.Ready && name == "DiscoverResources"
	if all, err := sign.ReadHTTPSignatures(r.Header); err == nil && len(all) > 0 {
		x.signers = append(x.signers, all[0].KeyID)
	}
	out := do(m)
	after := x.After
	x.Unlock()
	if after != nil && after(name, w, r) {
		return
	}
	var text []byte
	if binary {
		text, err = proto.Marshal(out)
	} else {
		text, err = ramp.Marshal(out)
	}
	kind(w, binary)
	answer(w, text, err)
	if keep && err == nil {
		x.Lock()
		x.ready[name+r.Header.Get("Content-Type")] = text
		x.Unlock()
	}
}

func kind(w http.ResponseWriter, binary bool) {
	w.Header().Set("Content-Type", "application/json")
	if binary {
		w.Header().Set("Content-Type", "application/proto")
	}
}

// discover answers a query: flat for one address with offers, in groups otherwise.
func (x *Exchange) discover(q *rampv1.ResourceQuery) proto.Message {
	x.queries = append(x.queries, q)
	out := &rampv1.ResourceResponse{Ver: "1.0", Id: q.Id, Exchange: x.Domain}
	for _, uri := range q.GetRequester().GetUris() {
		group := &rampv1.OfferGroup{Uri: uri}
		all := []*rampv1.Offer{x.offer(uri)}
		if x.Offer != nil {
			all[0] = x.Offer(uri, all[0])
		}
		if x.More != nil {
			all = append(all, x.More(uri)...)
		}
		for _, o := range all {
			if o != nil {
				group.Offers = append(group.Offers, x.Sign(o))
			}
		}
		if len(group.Offers) == 0 {
			group.AbsenceReason = rampv1.OfferAbsenceReason_OFFER_ABSENCE_REASON_NOT_IN_CATALOG.Enum()
		}
		out.OfferGroups = append(out.OfferGroups, group)
	}
	if len(out.OfferGroups) == 1 && len(out.OfferGroups[0].Offers) > 0 {
		out.Offers, out.OfferGroups = out.OfferGroups[0].Offers, nil
	}
	if x.Answer != nil {
		x.Answer(out)
	}
	return out
}

// offer makes an offer for an address, unsigned.
func (x *Exchange) offer(uri string) *rampv1.Offer {
	x.offers++
	sum := sha256.Sum256([]byte("content of " + uri))
	hash := hex.EncodeToString(sum[:])
	return &rampv1.Offer{
		OfferId:        fmt.Sprintf("of-%s-%d", x.Domain, x.offers),
		DeliveryMethod: rampv1.DeliveryMethod_DELIVERY_METHOD_DIRECT,
		Package:        &compv1.Package{Id: "PKG-1"},
		Pricing: &rampv1.Pricing{Model: rampv1.PricingModel_PRICING_MODEL_PER_ACCESS, Rate: x.Price, Currency: "USD",
			EstimatedQuantity: proto.Int32(1000), Unit: proto.String("tokens")},
		Identity: &rampv1.ResourceIdentity{CanonicalUrl: &uri, ContentHash: &hash, HashMethod: proto.String("sha256"),
			ResourceMutability: rampv1.ResourceMutability_RESOURCE_MUTABILITY_STATIC},
		Reporting: &rampv1.ReportingObligation{Required: true, Window: durationpb.New(24 * time.Hour)},
		ExpiresAt: timestamppb.New(time.Now().Add(time.Hour).Truncate(time.Second)),
	}
}

// Sign signs an offer and remembers it.
func (x *Exchange) Sign(o *rampv1.Offer) *rampv1.Offer {
	o.SignatureAlgorithm = "ed25519"
	payload, err := ramp.OfferPayload(o)
	if err != nil {
		panic(err)
	}
	o.ExchangeSignature = sign.EncodeSignature(ed25519.Sign(x.Key, payload))
	x.made[o.OfferId] = proto.CloneOf(o)
	if x.Signed != nil {
		x.Signed(o)
	}
	return o
}

// execute sells what was offered, once under each id.
func (x *Exchange) execute(q *rampv1.TransactionRequest) proto.Message {
	if before, is := x.purchases[q.Id]; is {
		return x.told(before)
	}
	out := &rampv1.TransactionResponse{Ver: "1.0", Id: q.Id,
		AgentIdentityHash: ramp.AgentIdentityHash(q.GetRequester().GetId(), q.GetRequester().GetDomain())}
	for _, item := range q.Items {
		out.Items = append(out.Items, x.sell(item.OfferId))
	}
	if len(q.Items) == 0 {
		one := x.sell(q.GetOfferId())
		out.TransactionId, out.BillingId, out.Package, out.Cost, out.DenialReason, out.DeliveryMethod = optional(
			one.TransactionId), optional(one.BillingId), one.Package, one.Cost, one.DenialReason, one.DeliveryMethod
		out.ExpiresAt, out.ReportingObligation = one.ExpiresAt, one.ReportingObligation
	}
	x.purchases[q.Id] = out
	return x.told(out)
}

// told is what is answered to a purchase.
func (x *Exchange) told(done *rampv1.TransactionResponse) *rampv1.TransactionResponse {
	out := proto.CloneOf(done)
	if x.Sold != nil {
		x.Sold(out)
	}
	return out
}

func optional(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

func (x *Exchange) sell(offer string) *rampv1.TransactionResultItem {
	out := &rampv1.TransactionResultItem{OfferId: offer}
	o, is := x.made[offer]
	if !is {
		out.DenialReason = rampv1.DenialReason_DENIAL_REASON_SIGNATURE_INVALID.Enum()
		return out
	}
	if x.Deny != nil {
		if why := x.Deny(offer); why != 0 {
			out.DenialReason = why.Enum()
			return out
		}
	}
	x.bought = append(x.bought, offer)
	n := len(x.bought)
	out.TransactionId, out.BillingId = fmt.Sprintf("txn-%s-%d", x.Domain, n), fmt.Sprintf("bill-%s-%d", x.Domain, n)
	out.Package = proto.CloneOf(o.Package)
	out.Package.Retrieval = &compv1.Retrieval{Endpoint: proto.String(x.URL + "/deliver/" + out.TransactionId)}
	out.Cost = &rampv1.Cost{Amount: ramp.Cost(o.Pricing), Currency: o.GetPricing().GetCurrency()}
	out.DeliveryMethod, out.ExpiresAt, out.ReportingObligation = o.DeliveryMethod,
		timestamppb.New(time.Now().Add(5*time.Minute).Truncate(time.Second)), o.Reporting
	return out
}
