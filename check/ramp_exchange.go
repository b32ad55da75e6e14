package check

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	compv1 "frontdesk/wire/comp/v1"
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

// exchangeProbe is one look at an Exchange.
type exchangeProbe struct {
	id, about string
	wants     exchangeWants
	run       func(context.Context, *market) verdict
}

// exchangeProbes are all of them, in the order in which they are made (RAMP v1: Transport,
// DiscoverResources, ExecuteTransaction, ReportUsage).
var exchangeProbes = []exchangeProbe{
	{"exchange.form.malformed", "what is no JSON is invalid_argument", 0, func(ctx context.Context, m *market) verdict {
		return m.refuses(ctx, call{method: "DiscoverResources", body: []byte(`{"ver":`)}, http.StatusBadRequest,
			"invalid_argument")
	}},
	{"exchange.form.empty", "a query without a requester is invalid_argument", 0,
		func(ctx context.Context, m *market) verdict {
			return m.refuses(ctx, call{method: "DiscoverResources", body: []byte(`{}`)}, http.StatusBadRequest,
				"invalid_argument")
		}},
	{"exchange.form.unknown", "an RPC that there is not is not found", 0, func(ctx context.Context, m *market) verdict {
		got, err := m.send(ctx, call{method: "SellEverything", body: []byte(`{}`)})
		switch {
		case err != nil:
			return noAnswer(err)
		case got.status < 400 || got.status >= 500 && got.status != http.StatusNotImplemented:
			return wrong("it answers "+got.failed(), "answer 404, or 501 unimplemented")
		}
		return passed()
	}},
	{"exchange.discover", "a query that is signed right is answered", asBuyer, discoverRight},
	{"exchange.auth.unsigned", "a query in the buyer's name that nobody signed is unauthenticated", asBuyer | letIn,
		func(ctx context.Context, m *market) verdict { return m.keepsOut(ctx, call{open: true}) }},
	{"exchange.auth.other-key", "a query that is signed with another's key is unauthenticated", asBuyer | letIn,
		func(ctx context.Context, m *market) verdict {
			_, key, _ := ed25519.GenerateKey(nil) // never fails
			return m.keepsOut(ctx, call{key: key})
		}},
	{"exchange.auth.changed", "a query that was changed after it was signed is unauthenticated", asBuyer | letIn,
		func(ctx context.Context, m *market) verdict {
			body := encodedMessage(m.query(m.options.URIs[0]))
			return m.keepsOut(ctx, call{body: body, sent: bytes.Replace(body, []byte(`"id":"check-`), []byte(`"id":"other-`), 1)})
		}},
	{"exchange.auth.stale", "a signature of an hour ago is unauthenticated", asBuyer | letIn,
		func(ctx context.Context, m *market) verdict {
			return m.keepsOut(ctx, call{created: m.options.Now().Add(m.offset - time.Hour)})
		}},
	{"exchange.discover.camel", "camelCase names are read like snake_case", asBuyer | letIn,
		func(ctx context.Context, m *market) verdict {
			text, err := protojson.Marshal(m.query(m.options.URIs[0]))
			if err != nil {
				return noAnswer(err)
			}
			return m.sameOffers(ctx, text, "read members in snake_case and in camelCase")
		}},
	{"exchange.discover.enum-number", "enums are read by number, too", asBuyer | letIn,
		func(ctx context.Context, m *market) verdict {
			text := bytes.Replace(encodedMessage(m.query(m.options.URIs[0])), []byte(`"REQUESTER_TYPE_AGENT"`), []byte("1"), 1)
			return m.sameOffers(ctx, text, "read enums by name and by number")
		}},
	{"exchange.discover.unknown-member", "members that nobody knows are passed over", asBuyer | letIn,
		func(ctx context.Context, m *market) verdict {
			text := append([]byte(`{"check_unknown":{"a":[1]},`), encodedMessage(m.query(m.options.URIs[0]))[1:]...)
			return m.sameOffers(ctx, text, "ignore what you do not know: later versions add members")
		}},
	{"exchange.discover.critical", "a critical extension that nobody knows stops the sale", asBuyer | letIn,
		func(ctx context.Context, m *market) verdict {
			text := append([]byte(`{"ext":{"check.unknown":1},"ext_critical":["check.unknown"],`), encodedMessage(m.query(m.options.URIs[0]))[1:]...)
			answer, got, err := m.discovered(ctx, text)
			switch {
			case err != nil:
				return noAnswer(err)
			case got.status == http.StatusOK && len(all(answer)) > 0:
				return wrong("it makes offers all the same",
					"answer OFFER_ABSENCE_REASON_UNKNOWN_CRITICAL_EXTENSION, or invalid_argument")
			case got.status >= 500:
				return wrong("it answers "+got.failed(), "answer OFFER_ABSENCE_REASON_UNKNOWN_CRITICAL_EXTENSION, or "+
					"invalid_argument")
			}
			return passed()
		}},
	{"exchange.discover.deadline", "a deadline of nothing is invalid_argument", asBuyer | letIn,
		func(ctx context.Context, m *market) verdict {
			text := append([]byte(`{"deadline":"-1s",`), encodedMessage(m.query(m.options.URIs[0]))[1:]...)
			return m.refuses(ctx, call{method: "DiscoverResources", body: text}, http.StatusBadRequest,
				"invalid_argument")
		}},
	{"exchange.discover.absent", "nothing is offered for what is not there, and it says why", asBuyer | letIn,
		func(ctx context.Context, m *market) verdict {
			return m.absent(ctx, without(m.options.URIs[0])+"/check-"+random())
		}},
	{"exchange.discover.prefix", "an address that only begins like one that is sold is not sold", asBuyer | offered,
		func(ctx context.Context, m *market) verdict {
			u := without(m.options.URIs[0])
			if strings.HasSuffix(u, "/") {
				return verdict{outcome: Skipped, detail: "the address ends in /"}
			}
			return m.absent(ctx, u+random())
		}},
	{"exchange.discover.several", "several addresses are answered in groups, in the order of the query",
		asBuyer | second, func(ctx context.Context, m *market) verdict {
			uris := m.options.URIs
			answer, got, err := m.discovered(ctx, encodedMessage(m.query(uris...)))
			switch {
			case err != nil:
				return noAnswer(err)
			case got.status != http.StatusOK:
				return wrong("it answers "+got.failed(), "answer each address in a group of its own")
			case len(answer.Offers) > 0:
				return wrong("offers stand beside the groups", "leave offers empty where there are several addresses")
			case len(answer.OfferGroups) != len(uris):
				return wrong(fmt.Sprintf("%d addresses have %d groups", len(uris), len(answer.OfferGroups)),
					"answer one group for each address")
			}
			for i, g := range answer.OfferGroups {
				if g.Uri != uris[i] {
					return wrong(fmt.Sprintf("group %d is about %q, and the query's address is %q", i, g.Uri, uris[i]),
						"keep the order of the query")
				}
				if len(g.Offers) == 0 &&
					g.GetAbsenceReason() == rampv1.OfferAbsenceReason_OFFER_ABSENCE_REASON_UNSPECIFIED {
					return doubt(fmt.Sprintf("group %d has neither an offer nor a reason", i), "say absence_reason")
				}
			}
			return passed()
		}},
	{"exchange.offer.valid", "offers are well-formed", asBuyer | offered, func(_ context.Context, m *market) verdict {
		return m.each(func(c came) verdict {
			if err := ramp.Validate(c.offer); err != nil {
				return unread(err)
			}
			return passed()
		})
	}},
	{"exchange.offer.signed", "every offer is signed with a key at keys_uri", asBuyer | offered,
		func(_ context.Context, m *market) verdict { return m.each(m.signed) }},
	{"exchange.offer.ends", "every offer has an end that is to come", asBuyer | offered,
		func(_ context.Context, m *market) verdict {
			return m.each(func(c came) verdict {
				switch now := m.options.Now().Add(m.offset); {
				case c.offer.ExpiresAt == nil:
					return doubt("an offer has no expires_at", "say until when the price holds")
				case !c.offer.ExpiresAt.AsTime().After(now):
					return wrong("an offer had ended when it was made", "set expires_at to a time that is to come")
				}
				return passed()
			})
		}},
	{"exchange.offer.ids", "no two offers have the same id", asBuyer | offered,
		func(ctx context.Context, m *market) verdict {
			answer, got, err := m.discovered(ctx, encodedMessage(m.query(m.options.URIs[0])))
			if err != nil || got.status != http.StatusOK {
				return noAnswer(fmt.Errorf("asked again, it does not answer"))
			}
			seen := map[string]bool{}
			again := all(answer)
			for _, c := range m.offers {
				again = append(again, c.offer)
			}
			for _, offer := range again {
				if seen[offer.OfferId] {
					return doubt("two offers have the id "+offer.OfferId,
						"give each offer an id of its own: it names what was signed")
				}
				seen[offer.OfferId] = true
			}
			return passed()
		}},
	{"exchange.offer.mutability", "every offer says whether its content changes, and goes by that", asBuyer | offered,
		func(_ context.Context, m *market) verdict {
			return m.each(func(c came) verdict {
				identity := c.offer.Identity
				switch identity.GetResourceMutability() {
				case rampv1.ResourceMutability_RESOURCE_MUTABILITY_UNSPECIFIED:
					return wrong("an offer has no identity.resource_mutability", "say STATIC, DYNAMIC or LIVE")
				case rampv1.ResourceMutability_RESOURCE_MUTABILITY_DYNAMIC:
					if c.offer.DataAsOf == nil {
						return wrong("an offer of what is DYNAMIC has no data_as_of", "say of when the data is")
					}
				case rampv1.ResourceMutability_RESOURCE_MUTABILITY_LIVE:
					if identity.ContentHash != nil {
						return wrong("an offer of what is LIVE has a content_hash",
							"leave it out: what is live has none")
					}
				}
				return passed()
			})
		}},
	{"exchange.execute.nothing", "a purchase of nothing is invalid_argument", asBuyer | letIn,
		func(ctx context.Context, m *market) verdict {
			return m.refuses(ctx, call{method: "ExecuteTransaction", body: encodedMessage(m.purchase())},
				http.StatusBadRequest, "invalid_argument")
		}},
	{"exchange.execute.forged", "an offer with a signature that is not the Exchange's is not sold", asBuyer | offered,
		func(ctx context.Context, m *market) verdict {
			_, key, _ := ed25519.GenerateKey(nil)
			offer := proto.CloneOf(m.cheapest())
			payload, err := ramp.OfferPayload(offer)
			if err != nil {
				return noAnswer(err)
			}
			offer.ExchangeSignature = sign.EncodeSignature(ed25519.Sign(key, payload))
			return m.denies(ctx, m.purchase(offer), rampv1.DenialReason_DENIAL_REASON_SIGNATURE_INVALID)
		}},
	{"exchange.execute.unknown", "an offer that was never made is not sold", asBuyer | offered,
		func(ctx context.Context, m *market) verdict {
			offer := proto.CloneOf(m.cheapest())
			offer.OfferId += random()
			return m.denies(ctx, m.purchase(offer), rampv1.DenialReason_DENIAL_REASON_SIGNATURE_INVALID,
				rampv1.DenialReason_DENIAL_REASON_OFFER_EXPIRED, rampv1.DenialReason_DENIAL_REASON_CONTENT_UNAVAILABLE)
		}},
	{"exchange.report.unknown", "a report on what nobody bought is not taken", asBuyer | letIn,
		func(ctx context.Context, m *market) verdict {
			report := m.usage("txn-check-"+random(), "bill-check-"+random(), nil)
			got, err := m.send(ctx, call{method: "ReportUsage", body: encodedMessage(report)})
			answer := &rampv1.UsageReportResponse{}
			switch {
			case err != nil:
				return noAnswer(err)
			case got.status >= 500:
				return wrong("it answers "+got.failed(), "answer accepted false with a rejection_reason")
			case got.status == http.StatusOK && (ramp.Unmarshal(got.body, answer) != nil || answer.Accepted):
				return wrong("it takes the report", "answer accepted false with a rejection_reason")
			}
			return passed()
		}},
	{"exchange.dispute.unknown", "a dispute about what nobody bought is not taken", asBuyer | letIn,
		func(ctx context.Context, m *market) verdict {
			dispute := &rampv1.DisputeRequest{Ver: "1.0", Id: "check-" + random(),
				TransactionId: "txn-check-" + random(), BillingId: "bill-check", ReportId: "rep-check",
				Reason: rampv1.DisputeReason_DISPUTE_REASON_DELIVERY_FAILED}
			got, err := m.send(ctx, call{method: "DisputeTransaction", body: encodedMessage(dispute)})
			answer := &rampv1.DisputeResponse{}
			switch {
			case err != nil:
				return noAnswer(err)
			case got.status == http.StatusNotImplemented:
				return doubt("it has no disputes", "take them: buyers have no other way")
			case got.status >= 500:
				return wrong("it answers "+got.failed(), "answer accepted false with a rejection_reason")
			case got.status == http.StatusOK && (ramp.Unmarshal(got.body, answer) != nil || answer.Accepted):
				return wrong("it takes the dispute", "answer accepted false with a rejection_reason")
			}
			return passed()
		}},
	{"exchange.buy", "the cheapest offer is sold as it says", asBuyer | offered | paying, buyRight},
	{"exchange.buy.identity", "the purchase is bound to the buyer", asBuyer | sold,
		func(_ context.Context, m *market) verdict {
			got := m.bought.answer.AgentIdentityHash
			b := m.options.Buyer
			switch {
			case got == "":
				return wrong("there is no agent_identity_hash",
					"answer the SHA-256 of id:domain of the requester, in lower-case hex")
			case got != ramp.AgentIdentityHash(b.ID, b.Domain):
				return doubt("agent_identity_hash is not the SHA-256 of id:domain",
					"answer that, or that of the id of the licence that the buyer named, or tell buyers by what "+
						"agents are known")
			}
			return passed()
		}},
	{"exchange.buy.again", "the same request again gets the same purchase", asBuyer | sold,
		func(ctx context.Context, m *market) verdict {
			answer, got, err := m.executed(ctx, m.bought.request)
			switch {
			case err != nil:
				return noAnswer(err)
			case got.status != http.StatusOK:
				return wrong("it answers "+got.failed(), "answer what the first request got: its answer may be lost")
			case answer.GetTransactionId() != m.bought.answer.GetTransactionId():
				return wrong("it is another purchase", "sell once for one id")
			}
			return passed()
		}},
	{"exchange.buy.other", "another request under the same id is refused", asBuyer | sold,
		func(ctx context.Context, m *market) verdict {
			request := proto.CloneOf(m.bought.request)
			request.Requester.IntendedUse = append(request.Requester.IntendedUse, "FUNCTION_SEARCH")
			request.OfferId = new(request.GetOfferId() + "x")
			answer, got, err := m.executed(ctx, request)
			switch {
			case err != nil:
				return noAnswer(err)
			case got.status == http.StatusOK && answer.DenialReason == nil &&
				answer.GetTransactionId() != m.bought.answer.GetTransactionId():
				return wrong("it sells once more", "answer already_exists")
			case got.code() != "already_exists":
				return doubt("it answers "+got.failed(),
					"answer already_exists, so that a mistake of the buyer's shows")
			}
			return passed()
		}},
	{"exchange.fetch", "what was bought is at the address, and is what was offered", asBuyer | sold, fetchRight},
	{"exchange.report", "the report on it is taken, and again", asBuyer | sold,
		func(ctx context.Context, m *market) verdict {
			m.bought.report = m.usage(m.bought.answer.GetTransactionId(), m.bought.answer.GetBillingId(),
				m.bought.offer)
			var first string
			for i := range 2 {
				got, err := m.send(ctx, call{method: "ReportUsage", body: encodedMessage(m.bought.report)})
				answer := &rampv1.UsageReportResponse{}
				switch {
				case err != nil:
					return noAnswer(err)
				case got.status != http.StatusOK:
					return wrong("it answers "+got.failed(), "take the report of who bought")
				case ramp.Unmarshal(got.body, answer) != nil || !answer.Accepted:
					return wrong("it is not accepted: "+answer.GetRejectionReason(),
						"take the report of who bought; the same again is the same report")
				case i == 1 && answer.ReportId != first:
					return doubt("the same report again has another report_id",
						"answer the same: the first answer may be lost")
				}
				first = answer.ReportId
			}
			return passed()
		}},
}

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
