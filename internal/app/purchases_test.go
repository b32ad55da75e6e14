package app

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
)

// offered asks the Exchange for the offer of the soup, as whoever a message names.
func (m *market) offered(r *rampv1.Requester) *rampv1.Offer {
	m.t.Helper()
	if _, err := m.exchange.Goods.Refresh(m.t.Context()); err != nil {
		m.t.Fatal(err)
	}
	w := send(m, posted("POST", discover, m.query(r)))
	var answer rampv1.ResourceResponse
	if err := ramp.Unmarshal(w.Body.Bytes(), &answer); err != nil || len(answer.Offers) != 1 {
		m.t.Fatalf("asks: %d %s, %v", w.Code, w.Body, err)
	}
	return answer.Offers[0]
}

// taking is the message of a purchase.
func (m *market) taking(id string, r *rampv1.Requester, offer *rampv1.Offer) string {
	m.t.Helper()
	text, err := ramp.Marshal(&rampv1.TransactionRequest{Ver: "1.0", Id: id, Requester: r, OfferId: &offer.OfferId,
		OfferSignature: &offer.ExchangeSignature})
	if err != nil {
		m.t.Fatal(err)
	}
	return string(text)
}

// has is what stands on the agent's account.
func (m *market) has() int64 {
	m.t.Helper()
	balances, err := m.ReadAccounts.Balances(m.t.Context(), m.domain()+"/bot")
	if err != nil || len(balances) != 1 {
		m.t.Fatalf("%+v, %v", balances, err)
	}
	return balances[0].Available
}

// TestASeenSignatureBuysNothing is the theft: somebody who saw the signature within a requester, as
// every Exchange and Broker that the message passes does, asks for offers in the buyer's name and
// takes them: at the Exchange at which it was used, and at another at which the buyer has an
// account, by every door.
func TestASeenSignatureBuysNothing(t *testing.T) {
	t.Parallel()
	for name, url := range map[string]string{
		"the same Exchange": marketURL, "another Exchange": "https://other.example.net",
	} {
		m := openMarketAt(t, url, "ramp: {enabled: true}\n"+soldSoup)
		m.credit(10_000_000)
		seen := m.inBody(m.key)
		offer := m.offered(seen)
		for door, w := range map[string]func(id string) *httptest.ResponseRecorder{
			"Connect": func(id string) *httptest.ResponseRecorder {
				return send(m, posted("POST", execute, m.taking(id, seen, offer)))
			},
			"a signature over HTTP that was made for another address": func(id string) *httptest.ResponseRecorder {
				return send(m, m.signedAs("https://third.example"+execute, execute, m.taking(id, seen, offer)))
			},
			"a signature over HTTP of another message": func(id string) *httptest.ResponseRecorder {
				r := m.signedAs(url+discover, execute, m.query(seen))
				text := m.taking(id, seen, offer)
				copied := posted("POST", execute, text)
				copied.Header = r.Header
				return send(m, copied)
			},
		} {
			if w := w("theft-" + door); refused(w) != "unauthenticated" || w.Code != http.StatusUnauthorized {
				t.Errorf("%s, %s: %d %s", name, door, w.Code, w.Body)
			}
		}
		who, _ := ramp.Marshal(seen)
		for tool, arguments := range map[string]string{
			"ramp_execute":   m.taking("theft-mcp", seen, offer),
			"fetch_licensed": `{"id":"theft-fetch","requester":` + string(who) + `,"max":{"amount":0.05,"currency":"USD"}}`,
		} {
			if object, failed := m.unsigned(tool, arguments); !failed || !strings.Contains(object, `"code":"unauthenticated"`) {
				t.Errorf("%s, %s: %s", name, tool, object)
			}
		}
		if has := m.has(); has != 10_000_000 {
			t.Errorf("%s: of 0.1 USD there are %d left", name, has)
		}
	}
}

// TestASignatureOverHTTPBuysOnce holds that a purchase that its buyer signs is made, that the same
// request under the same signature is refused for as long as that counts, and that the same request
// signed anew has the same answer and charges nothing.
func TestASignatureOverHTTPBuysOnce(t *testing.T) {
	t.Parallel()
	m := openMarket(t, "ramp: {enabled: true}\n"+soldSoup)
	m.credit(10_000_000)
	plain := &rampv1.Requester{Id: "bot", Domain: m.domain(), Uris: []string{"https://example.com/soup"}}
	text := m.taking("buy-1", plain, m.offered(m.inBody(m.key)))
	request := func() *http.Request { return m.signedAs(marketURL+execute, execute, text) }
	first := request()
	copied := func() *http.Request {
		r := posted("POST", execute, text)
		r.Header = first.Header.Clone()
		return r
	}
	var bought, again rampv1.TransactionResponse
	if w := send(m, copied()); w.Code != http.StatusOK || ramp.Unmarshal(w.Body.Bytes(), &bought) != nil ||
		bought.DenialReason != nil {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	for _, later := range []time.Duration{0, 30 * time.Second, 5 * time.Minute, 5 * time.Minute} {
		m.clock.Advance(later)
		if w := send(m, copied()); refused(w) != "unauthenticated" || strings.Contains(w.Body.String(), "deliver") {
			t.Errorf("the copy, later: %d %s", w.Code, w.Body)
		}
	}
	if w := send(m, request()); w.Code != http.StatusOK || ramp.Unmarshal(w.Body.Bytes(), &again) != nil ||
		again.GetTransactionId() != bought.GetTransactionId() {
		t.Errorf("signed anew: %d %s", w.Code, w.Body)
	}
	if has := m.has(); has != 8_000_000 {
		t.Errorf("there are %d left", has)
	}
}

// TestASignatureOverHTTPReportsOnce holds that a copy of a signed report is refused as that of a
// purchase is, and that the report signed anew has the answer that it had.
func TestASignatureOverHTTPReportsOnce(t *testing.T) {
	t.Parallel()
	m := openMarket(t, "ramp: {enabled: true}\n"+soldSoup)
	m.credit(10_000_000)
	plain := &rampv1.Requester{Id: "bot", Domain: m.domain(), Uris: []string{"https://example.com/soup"}}
	buy := m.taking("buy-1", plain, m.offered(m.inBody(m.key)))
	var bought rampv1.TransactionResponse
	if w := send(m, m.signedAs(marketURL+execute, execute, buy)); ramp.Unmarshal(w.Body.Bytes(), &bought) != nil ||
		bought.GetTransactionId() == "" {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	text, err := ramp.Marshal(&rampv1.UsageReport{
		Ver: "1.0", Id: "report-1", TransactionId: bought.GetTransactionId(), BillingId: bought.GetBillingId(),
		Timestamp: timestamppb.New(m.clock.Now()), Usage: &rampv1.Usage{ConsumedQuantity: 1},
	})
	if err != nil {
		t.Fatal(err)
	}
	const path = "/ramp.v1.ExchangeService/ReportUsage"
	first := m.signedAs(marketURL+path, path, string(text))
	copied := posted("POST", path, string(text))
	copied.Header = first.Header.Clone()
	w := send(m, first)
	if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `"accepted":true`) {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	if again := send(m, copied); refused(again) != "unauthenticated" || strings.Contains(again.Body.String(), "rep-") {
		t.Errorf("the copy: %d %s", again.Code, again.Body)
	}
	if anew := send(m, m.signedAs(marketURL+path, path, string(text))); anew.Body.String() != w.Body.String() {
		t.Errorf("signed anew: %d %s", anew.Code, anew.Body)
	}
}
