package check

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"fmt"
	"net/http"
	"strings"
	"time"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
	"frontdesk/wire/sign"
)

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
