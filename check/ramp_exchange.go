package check

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"google.golang.org/protobuf/proto"

	"frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
	"frontdesk/wire/sign"
)

// Spend is what may be spent on trying to buy.
type Spend struct {
	Amount   float64
	Currency string
}

// market is an Exchange that is looked at.
type market struct {
	*asker
	manifest *rampv1.ExchangeManifest
	keys     []ramp.Key
	base     string // of its RPCs
	offers   []came // that it made to the buyer for the first address
	bought   *bought
}

// came is an offer, and its JSON as it came.
type came struct {
	offer *rampv1.Offer
	text  ramp.ReceivedOffer
}

// bought is a purchase.
type bought struct {
	request *rampv1.TransactionRequest
	offer   *rampv1.Offer
	answer  *rampv1.TransactionResponse
	report  *rampv1.UsageReport // that was filed; nil for none
}

// Exchange looks at the Exchange at an address, or at that of its manifest: its documents, and how
// it answers what it must refuse. With a buyer and addresses of content, it is asked for offers,
// with right and with wrong signatures; with something to spend, the cheapest offer is bought,
// fetched and reported. The error says that nothing could be looked at; all else is in the report.
func Exchange(ctx context.Context, address string, o Options) (*Report, error) {
	o.fill()
	u, err := located(address, exchangeKnown)
	if err != nil {
		return nil, err
	}
	m := &market{asker: &asker{options: o, web: newWeb(u, o), wellKnown: u, report: &Report{Target: u.String()}}}
	defer m.web.CloseIdleConnections()
	if m.served, err = m.get(ctx, http.MethodGet, u, http.Header{"Accept": {"application/json"}}); err != nil {
		return nil, err
	}
	if m.served.status != http.StatusOK {
		m.add("exchange.wellknown.served", "the Exchange's manifest is public",
			wrong(fmt.Sprintf("%s answers %d", u, m.served.status), "answer 200 with ramp-exchange.json"))
		return m.report, nil
	}
	m.add("exchange.wellknown.served", "the Exchange's manifest is public", passed())
	m.judge("exchange.document", "ramp-exchange.json is valid", KindExchange, m.served.body)
	m.delivered("exchange.wellknown", m.served, time.Hour, "that is what RAMP says of it")
	if m.manifest, err = ramp.ReadExchangeManifest(m.served.body); err != nil {
		return m.report, nil
	}
	m.base = strings.TrimSuffix(m.manifest.ExchangeEndpoint, "/") + "/ramp.v1.ExchangeService/"
	m.add("exchange.wellknown.host", "it is served by the domain that it is about", sameHost(u, m.manifest.Domain))
	m.published(ctx)
	for _, each := range exchangeProbes {
		if ctx.Err() != nil {
			return m.report, context.Cause(ctx)
		}
		if why := m.lacks(each.wants); why != "" {
			if o.Buyer != nil || each.wants == 0 {
				m.add(each.id, each.about, verdict{outcome: Skipped, detail: why})
			}
			continue
		}
		m.add(each.id, each.about, each.run(ctx, m))
	}
	return m.report, nil
}

// published looks at the Exchange's keys, and at whether it says that it is well.
func (m *market) published(ctx context.Context) {
	u, err := url.Parse(m.manifest.KeysUri)
	if err != nil {
		return // told with the manifest
	}
	got, err := m.get(ctx, http.MethodGet, u, http.Header{"Accept": {"application/json"}})
	switch {
	case err != nil:
		m.add("exchange.keys.served", "its keys are public", wrong(err.Error(), "serve them at keys_uri"))
	case got.status != http.StatusOK:
		m.add("exchange.keys.served", "its keys are public",
			wrong(fmt.Sprintf("%s answers %d", u, got.status), "serve them at keys_uri, to everybody"))
	default:
		m.add("exchange.keys.served", "its keys are public", passed())
		m.judge("exchange.keys.document", "the document at keys_uri is valid", KindKeys, got.body)
		_, m.keys, _ = ramp.ReadKeys(got.body)
	}
	if at := m.manifest.GetHealthEndpoint(); at != "" {
		m.add("exchange.health", "it says that it is well", func() verdict {
			u, err := url.Parse(at)
			if err != nil {
				return noAnswer(err)
			}
			got, err := m.get(ctx, http.MethodGet, u, nil)
			switch {
			case err != nil:
				return noAnswer(err)
			case got.status != http.StatusOK:
				return wrong(fmt.Sprintf("%s answers %d", at, got.status), "answer 200 while it is")
			}
			return passed()
		}())
	}
}

// call is an RPC, and what of it is done differently from what is right.
type call struct {
	method  string
	body    []byte
	sent    []byte // in the place of body, which is what is signed
	key     ed25519.PrivateKey
	created time.Time
	open    bool // nothing is signed
	kind    string
}

// send sends an RPC.
func (m *market) send(ctx context.Context, c call) (*reply, error) {
	sent := c.body
	if c.sent != nil {
		sent = c.sent
	}
	address := m.base + c.method
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(sent))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	if c.kind != "" {
		request.Header.Set("Content-Type", c.kind)
	}
	if m.options.Buyer != nil && !c.open {
		key, created := m.options.Buyer.Key, m.options.Now()
		if c.key != nil {
			key = c.key
		}
		if !c.created.IsZero() {
			created = c.created
		}
		id := m.options.Buyer.Domain
		if m.options.Buyer.KeyID != "" {
			id += "#" + m.options.Buyer.KeyID
		}
		request.Header.Set(sign.HeaderContentDigest, sign.ContentDigest(c.body))
		input, signature, err := sign.SignHTTP(sign.Request{Method: http.MethodPost, Target: address,
			Header: request.Header}, sign.SigningParameters{Nonce: rand.Text(), KeyID: id, Created: created}, key)
		if err != nil {
			return nil, err
		}
		request.Header.Set(sign.HeaderSignatureInput, input)
		request.Header.Set(sign.HeaderSignatureOfHTTP, signature)
	}
	return m.do(request)
}

// connectError is how an RPC fails (Connect, error codes).
type connectError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// failed is a reply in a few words.
func (r *reply) failed() string {
	var e connectError
	_ = json.Unmarshal(r.body, &e)
	if e.Code == "" {
		return fmt.Sprint(r.status)
	}
	return fmt.Sprintf("%d %s: %.200s", r.status, e.Code, e.Message)
}

func (r *reply) code() string {
	var e connectError
	_ = json.Unmarshal(r.body, &e)
	return e.Code
}

// query is a good query for offers, changed as wanted.
func (m *market) query(uris ...string) *rampv1.ResourceQuery {
	b := m.options.Buyer
	r := &rampv1.Requester{Id: b.ID, Domain: b.Domain, Type: rampv1.RequesterType_REQUESTER_TYPE_AGENT, Uris: uris,
		IntendedUse: m.options.Uses}
	return &rampv1.ResourceQuery{Ver: "1.0", Id: "check-" + random(), Requester: r}
}

func encodedMessage(message proto.Message) []byte {
	text, err := ramp.Marshal(message)
	if err != nil {
		panic(err) // the messages are of our making
	}
	return text
}

// discovered asks for offers.
func (m *market) discovered(ctx context.Context, body []byte) (*rampv1.ResourceResponse, *reply, error) {
	got, err := m.send(ctx, call{method: "DiscoverResources", body: body})
	if err != nil {
		return nil, nil, err
	}
	answer := &rampv1.ResourceResponse{}
	if got.status == http.StatusOK {
		err = ramp.Unmarshal(got.body, answer)
	}
	return answer, got, err
}

// all are the offers of an answer.
func all(answer *rampv1.ResourceResponse) (offers []*rampv1.Offer) {
	offers = append(offers, answer.Offers...)
	for _, g := range answer.OfferGroups {
		offers = append(offers, g.Offers...)
	}
	return offers
}

// needs of a probe of an Exchange.
type exchangeWants uint8

const (
	asBuyer exchangeWants = 1 << iota // a buyer and an address
	letIn                             // who was answered
	offered                           // an offer
	second                            // another address
	paying                            // something to spend
	sold                              // a purchase
)

func (m *market) lacks(w exchangeWants) string {
	has := func(one exchangeWants) bool { return w&one != 0 }
	switch {
	case w == 0:
		return ""
	case m.options.Buyer == nil:
		return "nobody was named to ask as"
	case len(m.options.URIs) == 0:
		return "no address was named to ask for"
	case has(letIn|offered|second|paying|sold) && !m.passed("exchange.discover"):
		return "the buyer is not answered"
	case has(offered|paying|sold) && len(m.offers) == 0:
		return "nothing is offered for " + m.options.URIs[0]
	case has(second) && len(m.options.URIs) < 2:
		return "one address alone was named"
	case has(paying) && m.options.Spend == nil:
		return "nothing may be spent"
	case has(sold) && m.bought == nil:
		return "nothing was bought"
	}
	return ""
}

// passed says whether a probe did.
func (p *asker) passed(id string) bool {
	return slices.ContainsFunc(p.report.Results, func(r Result) bool { return r.Probe == id && r.Outcome == Passed })
}
