package app

import (
	"crypto/ed25519"
	"fmt"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"frontdesk/internal/content"
	"frontdesk/internal/licensing/disputes/accesslog"
	"frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
	"frontdesk/wire/sign"
)

// TestARaceWithANewVersionIsCredited holds that who bought something that its site changed within
// minutes, and says that something else came, is paid back at once; and nobody whose purchase and
// change lie further apart, of whose purchase nothing changed, or to whom the record says that what
// was offered was sent.
func TestARaceWithANewVersionIsCredited(t *testing.T) {
	t.Parallel()
	soup := func(text string) content.Item {
		return content.Item{
			URL: "https://example.com/soup", Types: []string{"Recipe"}, Name: "Lentil soup",
			Description: "A soup of lentils: " + text,
			Object:      fmt.Appendf(nil, `{"@type":"Recipe","name":"Lentil soup","url":"https://example.com/soup","description":%q}`, text),
		}
	}
	for name, c := range map[string]struct {
		ramp   string
		before time.Duration // of the purchase, that it changes; negative for after it
		text   string        // that it has then
		want   string
	}{
		"changed after it": {"", -3 * time.Minute, "new",
			"AUTO_RESOLVED by the provider attested another version within minutes of the purchase"},
		"changed before it": {"", 2 * time.Minute, "new",
			"AUTO_RESOLVED by the provider attested another version within minutes of the purchase"},
		"changed much later": {
			"", -11 * time.Minute, "new", "EVIDENCE_NEEDED by what is on record does not decide it at once",
		},
		"not changed": {
			"", -3 * time.Minute, "old", "EVIDENCE_NEEDED by what is on record does not decide it at once",
		},
		"nothing is attested": {", attest: false", -3 * time.Minute, "new",
			"EVIDENCE_NEEDED by what is on record does not decide it at once"},
		"what changes all day": {", items: [{match: {path: \"/soup\"}, mutability: dynamic}]", -3 * time.Minute, "new",
			"EVIDENCE_NEEDED by what is on record does not decide it at once"},
		// which tells no version from another
		"by likeness alone": {", hash_method: simhash-v1", -3 * time.Minute, "new",
			"EVIDENCE_NEEDED by what is on record does not decide it at once"},
		"and twice after it": {"", -3 * time.Minute, "new, newer",
			"AUTO_RESOLVED by the provider attested another version within minutes of the purchase"},
		"it was sent as bought": {
			"", -3 * time.Minute, "fetched, new", "EVIDENCE_NEEDED by what is on record does not decide it at once",
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := openMarket(t, "site: {name: Example, url: \"https://example.com\"}\n"+
				"ramp: {enabled: true, signatures: none"+c.ramp+"}\n"+soldSoup)
			m.credit(10_000_000)
			change := func(text string) {
				m.clock.Advance(time.Second)
				fill(t, m.App, soup(text))
				if _, err := m.exchange.Goods.Refresh(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			change("old")
			var asked rampv1.ResourceResponse
			object, _ := m.tools("ramp_discover", `{"id":"q","requester":`+m.requester()+`}`)
			if err := ramp.Unmarshal([]byte(object), &asked); err != nil || len(asked.Offers) != 1 {
				t.Fatalf("%s, %v", object, err)
			}
			if c.before > 0 {
				change(c.text)
				m.clock.Advance(c.before)
			}
			var bought rampv1.TransactionResponse
			object, _ = m.tools("ramp_execute", `{"id":"b","requester":`+m.requester()+`,"offer_id":"`+
				asked.Offers[0].OfferId+`","offer_signature":"`+asked.Offers[0].ExchangeSignature+`"}`)
			if err := ramp.Unmarshal([]byte(object), &bought); err != nil || bought.DenialReason != nil {
				t.Fatalf("%s, %v", object, err)
			}
			o := owned{Transaction: bought.GetTransactionId(), Billing: bought.GetBillingId()}
			texts := strings.Split(c.text, ", ")
			if texts[0] == "fetched" {
				texts = texts[1:]
				if w := send(m, posted("GET", bought.Package.Retrieval.GetEndpoint(), "")); w.Code != 200 {
					t.Fatalf("%d %s", w.Code, w.Body)
				}
			}
			if c.before < 0 {
				m.clock.Advance(-c.before)
				for _, text := range texts {
					change(text)
				}
			}
			var filed rampv1.UsageReportResponse
			object, _ = m.tools("ramp_report", `{"id":"r","transaction_id":"`+o.Transaction+`","billing_id":"`+o.Billing+`","usage":{"function":["FUNCTION_AI_INPUT"],"consumed_quantity":7}}`)
			if err := ramp.Unmarshal([]byte(object), &filed); err != nil || !filed.Accepted {
				t.Fatalf("%s, %v", object, err)
			}
			o.Report = filed.ReportId
			m.logs(o, 200)
			if got := m.stands(o, "DISPUTE_REASON_CONTENT_MISMATCH", ""); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

// stands files a dispute, and says where it stands.
func (m *market) stands(o owned, reason, hash string) string {
	m.t.Helper()
	var told rampv1.DisputeResponse
	object, _ := m.tools("ramp_dispute",
		strings.Replace(o.files("d-"+o.Transaction, `,"received_content_hash":"`+hash+`"`), "DISPUTE_REASON_DELIVERY_FAILED", reason, 1))
	if err := ramp.Unmarshal([]byte(object), &told); err != nil || !told.Accepted {
		m.t.Fatalf("%s, %v", object, err)
	}
	return strings.TrimPrefix(told.Status.String(), "DISPUTE_STATUS_") + " by " +
		told.Ext.GetFields()["ramp.explanation"].GetStringValue()
}

// TestARaceWithWhatIsAttestedAnewIsCredited holds the same of what others push: what counts is the
// attestations of the provider itself, when they came, and all of those that came, also where
// others have followed.
func TestARaceWithWhatIsAttestedAnewIsCredited(t *testing.T) {
	t.Parallel()
	const credited, undecided = "AUTO_RESOLVED by the provider attested another version within minutes of the purchase",
		"EVIDENCE_NEEDED by what is on record does not decide it at once"
	s := openSupplied(t)
	s.onboard("acme", free, s.provider())
	path := ""
	push := func(hash, verifier string) {
		t.Helper()
		e := entryAt(s.provider(), path)
		a := &rampv1.ResourceAttestation{
			Verifier: verifier, Kid: "k1", AttestedAt: timestamppb.New(s.clock.Now()),
			Uri: "https://" + s.provider() + path, Claims: &structpb.Struct{Fields: map[string]*structpb.Value{
				"content_hash": structpb.NewStringValue("sha256:" + strings.Repeat(hash, 32)),
			}},
		}
		payload, err := ramp.AttestationPayload(a)
		if err != nil {
			t.Fatal(err)
		}
		a.Signature = sign.EncodeSignature(ed25519.Sign(supplierKey("verifier"), payload))
		e.Attestations = []*rampv1.ResourceAttestation{a}
		e.ContentHash, e.HashMethod = proto.String(strings.Repeat(hash, 32)), proto.String("sha256")
		if got := s.push("acme", "acme", e); got != `{"accepted":1,"rejected":0}` {
			t.Fatal(got)
		}
	}
	buy := func() owned {
		t.Helper()
		offer := s.offered("https://" + s.provider() + path)
		if offer == nil || len(offer.Attestations) != 1 {
			t.Fatal(offer)
		}
		var bought rampv1.TransactionResponse
		object, _ := s.tools("ramp_execute", `{"id":"b`+path+`","requester":{"id":"bot","domain":"buyer.example"},"offer_id":"`+offer.OfferId+`","offer_signature":"`+offer.ExchangeSignature+`"}`)
		if err := ramp.Unmarshal([]byte(object), &bought); err != nil || bought.DenialReason != nil {
			t.Fatalf("%s, %v", object, err)
		}
		return owned{Transaction: bought.GetTransactionId(), Billing: bought.GetBillingId()}
	}
	for i, c := range []struct {
		name string
		then func()
		hash string // that was received
		want string
	}{
		{"a newer one came", func() { s.clock.Advance(3 * time.Minute); push("0b", s.provider()) }, "0b", credited},
		{"and another after that", func() {
			s.clock.Advance(9 * time.Minute)
			push("0b", s.provider())
			s.clock.Advance(time.Hour)
			push("0c", s.provider())
		}, "0b", credited},
		{"it came later", func() { s.clock.Advance(11 * time.Minute); push("0b", s.provider()) }, "", undecided},
		{"of the same version", func() { s.clock.Advance(3 * time.Minute); push("0a", s.provider()) }, "", undecided},
		{"none came", func() {}, "", undecided},
		{"what came is what was offered", func() { s.clock.Advance(3 * time.Minute); push("0b", s.provider()) },
			"0a", undecided},
	} {
		path = fmt.Sprintf("/%d", i)
		push("0e", s.provider())
		s.clock.Advance(2 * time.Minute)
		push("0a", s.provider()) // what is older than the offer is no race
		s.clock.Advance(time.Second)
		o := buy()
		c.then()
		var filed rampv1.UsageReportResponse
		object, _ := s.tools("ramp_report", `{"id":"r`+path+`","transaction_id":"`+o.Transaction+`","billing_id":"`+o.Billing+`","usage":{"function":["FUNCTION_AI_INPUT"],"consumed_quantity":7}}`)
		if err := ramp.Unmarshal([]byte(object), &filed); err != nil || !filed.Accepted {
			t.Fatalf("%s, %v", object, err)
		}
		o.Report = filed.ReportId
		line := fmt.Sprintf(`{"time":%q,"transaction":%q,"status":200,"bytes":10}`, s.clock.Now().Format(time.RFC3339), o.Transaction)
		if _, err := s.ImportLog(t.Context(), strings.NewReader(line), accesslog.Source{By: "cdn"}); err != nil {
			t.Fatal(err)
		}
		hash := c.hash
		if hash != "" {
			hash = strings.Repeat(hash, 32)
		}
		if got := s.stands(o, "DISPUTE_REASON_CONTENT_MISMATCH", hash); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
