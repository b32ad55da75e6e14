package kill

import (
	"bytes"
	"crypto/ed25519"
	cryptorand "crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"testing"
	"time"

	"frontdesk/internal/testkit/process"
)

// exchangeURL is the address by which buyers know the Exchange, whichever server answers for it.
const exchangeURL = "https://exchange.kill.example"

// buyer buys of the Exchange, with signatures of its own making.
type buyer struct {
	domain string
	key    ed25519.PrivateKey
	http   *http.Client
}

func newBuyer(t *testing.T, domain string) *buyer {
	t.Helper()
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &buyer{domain: domain, key: key,
		http: &http.Client{Timeout: time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: 16}}}
}

// account is the buyer's at the Exchange.
func (b *buyer) account() string { return b.domain + "/bot" }

// public is the buyer's key, as `frontdesk ramp requester add` takes it.
func (b *buyer) public(t *testing.T) string {
	t.Helper()
	text, err := x509.MarshalPKIXPublicKey(b.key.Public())
	if err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(text)
}

func (b *buyer) requester(uris ...string) map[string]any {
	return map[string]any{"id": "bot", "domain": b.domain, "type": "REQUESTER_TYPE_AGENT", "uris": uris,
		"intended_use": []string{"FUNCTION_AI_INPUT"}}
}

// call sends an RPC to a server, signed for now as RFC 9421 has it, and with a nonce: a signature
// counts once. The error is of the way there and back: whether the message was taken, nobody knows
// then.
func (b *buyer) call(server *process.Server, method string, message map[string]any) (*reply, error) {
	body, err := json.Marshal(message)
	if err != nil {
		return nil, err
	}
	at := "/ramp.v1.ExchangeService/" + method
	request, err := http.NewRequest(http.MethodPost, server.URL+at, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(body)
	digest := "sha-256=:" + base64.StdEncoding.EncodeToString(sum[:]) + ":"
	input := fmt.Sprintf(`("@method" "@target-uri" "content-digest");created=%d;nonce=%q;keyid=%q;alg="ed25519"`, time.Now().Unix(), cryptorand.Text(), b.domain)
	signed := "\"@method\": POST\n\"@target-uri\": " + exchangeURL + at + "\n\"content-digest\": " + digest +
		"\n\"@signature-params\": " + input
	for name, value := range map[string]string{
		"Content-Type": "application/json", "Content-Digest": digest, "Signature-Input": "agent=" + input,
		"Signature": "agent=:" + base64.StdEncoding.EncodeToString(ed25519.Sign(b.key, []byte(signed))) + ":",
	} {
		request.Header.Set(name, value)
	}
	return b.do(request)
}

func (b *buyer) do(request *http.Request) (*reply, error) {
	response, err := b.http.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	if response.StatusCode == http.StatusBadGateway || response.StatusCode == http.StatusGatewayTimeout {
		return nil, fmt.Errorf("the proxy has no answer: %s", response.Status)
	}
	return &reply{response.StatusCode, body}, nil
}

// fetch gets what was bought of a server, and gives its hash.
func (b *buyer) fetch(server *process.Server, address string) (hash string, size, status int, err error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", 0, 0, err
	}
	request, err := http.NewRequest(http.MethodGet, server.URL+u.RequestURI(), nil)
	if err != nil {
		return "", 0, 0, err
	}
	got, err := b.do(request)
	if err != nil {
		return "", 0, 0, err
	}
	sum := sha256.Sum256(got.body)
	return hex.EncodeToString(sum[:]), len(got.body), got.status, nil
}

// offer is one that the Exchange made.
type offer struct {
	ID        string `json:"offer_id"`
	Signature string `json:"exchange_signature"`
	Identity  struct {
		Hash string `json:"content_hash"`
	} `json:"identity"`
	Pricing struct {
		Model    string
		Rate     float64
		Quantity int64 `json:"estimated_quantity"`
	} `json:"pricing"`
	Subscription string `json:"subscription_id"`
}

// offers reads those of an answer, by their addresses.
func offers(got *reply, uris []string) (map[string][]offer, error) {
	var answer struct {
		Offers []offer
		Groups []struct {
			URI    string
			Offers []offer
		} `json:"offer_groups"`
	}
	if err := json.Unmarshal(got.body, &answer); err != nil || got.status != http.StatusOK {
		return nil, fmt.Errorf("a query is answered with %d %s", got.status, got.body)
	}
	all := map[string][]offer{}
	if len(answer.Offers) > 0 {
		all[uris[0]] = answer.Offers
	}
	for _, group := range answer.Groups {
		all[group.URI] = group.Offers
	}
	for _, uri := range uris {
		if len(all[uri]) == 0 {
			return nil, fmt.Errorf("%s is not offered: %s", uri, got.body)
		}
	}
	return all, nil
}

// line is what came of one offer that was taken.
type line struct {
	Offer       string `json:"offer_id"` // of several
	Transaction string `json:"transaction_id"`
	Billing     string `json:"billing_id"`
	Denial      string `json:"denial_reason"`
	Cost        struct {
		Amount   float64
		Currency string
	}
	Package struct {
		Retrieval struct{ Endpoint string }
	}
	Expires time.Time `json:"expires_at"`
	Duty    struct {
		Required bool
	} `json:"reporting_obligation"`
	Subscription string `json:"subscription_id"`
}

// lines reads what came of a request to buy, in the order of its offers.
func lines(got *reply, taken int) ([]line, error) {
	var answer struct {
		line
		Items []line
	}
	if err := json.Unmarshal(got.body, &answer); err != nil || got.status != http.StatusOK {
		return nil, fmt.Errorf("a request to buy is answered with %d %s", got.status, got.body)
	}
	if taken == 1 && len(answer.Items) == 0 {
		answer.Items = []line{answer.line}
	}
	if len(answer.Items) != taken {
		return nil, fmt.Errorf("a request to buy %d things is answered with %s", taken, got.body)
	}
	for _, l := range answer.Items {
		if (l.Denial == "") != (l.Transaction != "" && l.Billing != "" && l.Package.Retrieval.Endpoint != "") {
			return nil, fmt.Errorf("a purchase is neither denied nor whole: %s", got.body)
		}
	}
	return answer.Items, nil
}

// buying is a request to buy, and what a buyer was told of it.
type buying struct {
	*buyer
	id      string
	message map[string]any
	offers  []offer

	answer  []line                // nil while nothing is known
	unsure  time.Time             // until when nothing was, if a kill came between
	fetched map[string]*fetchings // by transaction
	reports map[string]*reported  // by transaction

	disputes map[string]*disputed // by transaction
}

// fetchings are how often something was fetched: tried, and told with what hash.
type fetchings struct {
	tried, told int
	bytes       int64 // of all that were told
	hash        string
}

// reported is a report, and what was told of it: the id is empty while nothing is known.
type reported struct {
	message map[string]any
	id      string
}

// disputed is a dispute, and what was told of it: the id is empty while nothing is known.
type disputed struct {
	message map[string]any
	id      string
	credit  float64 // that was given back at once; below 0 for a dispute that waits
}

// newBuying is a request to buy by offers.
func newBuying(b *buyer, id string, offers ...offer) *buying {
	r := &buying{buyer: b, id: id, offers: offers, fetched: map[string]*fetchings{}, reports: map[string]*reported{},
		disputes: map[string]*disputed{}}
	r.message = map[string]any{"ver": "1.0", "id": id, "requester": b.requester()}
	if len(offers) == 1 {
		r.message["offer_id"], r.message["offer_signature"] = offers[0].ID, offers[0].Signature
		return r
	}
	var items []map[string]string
	for _, o := range offers {
		items = append(items, map[string]string{"offer_id": o.ID, "offer_signature": o.Signature})
	}
	r.message["items"] = items
	return r
}

// send sends it, and holds that what was told before is told again. lost is an error of the way
// there and back, or that the server has no time; err is of what is answered.
func (r *buying) send(server *process.Server) (all []line, lost, err error) {
	got, lost := r.call(server, "ExecuteTransaction", r.message)
	if lost == nil && got.status == http.StatusServiceUnavailable {
		lost = fmt.Errorf("%s", got.body)
	}
	if lost != nil {
		return nil, lost, nil
	}
	all, err = lines(got, len(r.offers))
	if err == nil && r.answer != nil && !slices.Equal(r.answer, all) {
		err = fmt.Errorf("the request %s was answered with %+v, and then with %+v", r.id, r.answer, all)
	}
	return all, nil, err
}

// get fetches one thing that was bought, and holds that it is what was offered and what was fetched
// before.
func (r *buying) get(server *process.Server, i int) (lost, err error) {
	l := r.answer[i]
	f := r.fetched[l.Transaction]
	if f == nil {
		f = &fetchings{}
		r.fetched[l.Transaction] = f
	}
	f.tried++
	hash, size, status, lost := r.fetch(server, l.Package.Retrieval.Endpoint)
	switch {
	case lost != nil || status == http.StatusServiceUnavailable:
		return fmt.Errorf("%d %w", status, lost), nil
	case status != http.StatusOK:
		return nil, fmt.Errorf("what was bought as %s is answered with %d", l.Transaction, status)
	case r.offers[i].Identity.Hash != hash, f.told > 0 && f.hash != hash:
		return nil, fmt.Errorf("what was bought as %s has the hash %s; offered was %s, and fetched before %s",
			l.Transaction, hash, r.offers[i].Identity.Hash, f.hash)
	}
	f.told++
	f.bytes += int64(size)
	f.hash = hash
	return nil, nil
}

// report reports on one thing that was bought, under the id that it had before if there was a
// report.
func (r *buying) report(server *process.Server, i int) (lost, err error) {
	l := r.answer[i]
	of := r.reports[l.Transaction]
	if of == nil {
		of = &reported{message: map[string]any{
			"ver": "1.0", "id": "report-of-" + l.Transaction, "transaction_id": l.Transaction, "billing_id": l.Billing,
			"timestamp": now(), "usage": map[string]any{"function": []string{"FUNCTION_AI_INPUT"},
				"consumed_quantity": r.offers[i].Pricing.Quantity * 9 / 10},
		}}
		r.reports[l.Transaction] = of
	}
	got, lost := r.call(server, "ReportUsage", maps.Clone(of.message))
	if lost != nil || got.status == http.StatusServiceUnavailable {
		return fmt.Errorf("no answer: %w", lost), nil
	}
	var answer struct {
		Accepted bool
		ID       string `json:"report_id"`
	}
	if json.Unmarshal(got.body, &answer) != nil || got.status != http.StatusOK || !answer.Accepted || answer.ID == "" {
		return nil, fmt.Errorf("the report on %s is answered with %d %s", l.Transaction, got.status, got.body)
	}
	if of.id != "" && of.id != answer.ID {
		return nil, fmt.Errorf("the report on %s was taken as %s, and then as %s", l.Transaction, of.id, answer.ID)
	}
	of.id = answer.ID
	return nil, nil
}

// dispute disputes one thing that was reported, under the id that it had before if there was a
// dispute, and holds that what was told of it stands: of what was never fetched, and whose address
// has been asked for too late, everything comes back at once.
func (r *buying) dispute(server *process.Server, i int) (lost, err error) {
	l := r.answer[i]
	of := r.disputes[l.Transaction]
	if of == nil {
		of = &disputed{message: map[string]any{
			"ver": "1.0", "id": "dispute-of-" + l.Transaction, "transaction_id": l.Transaction, "billing_id": l.Billing,
			"report_id": r.reports[l.Transaction].id, "reason": "DISPUTE_REASON_DELIVERY_FAILED",
		}}
		r.disputes[l.Transaction] = of
	}
	got, lost := r.call(server, "DisputeTransaction", maps.Clone(of.message))
	if lost != nil || got.status == http.StatusServiceUnavailable {
		return fmt.Errorf("no answer: %w", lost), nil
	}
	var answer struct {
		Accepted           bool
		ID                 string `json:"dispute_id"`
		Status, Resolution string
		Ext                struct {
			Credit struct{ Amount float64 } `json:"ramp.credit"`
		}
	}
	if json.Unmarshal(got.body, &answer) != nil || got.status != http.StatusOK || !answer.Accepted || answer.ID == "" {
		return nil, fmt.Errorf("the dispute of %s is answered with %d %s", l.Transaction, got.status, got.body)
	}
	credit := -1.0
	if answer.Resolution == "RESOLUTION_TYPE_CREDIT" {
		credit = answer.Ext.Credit.Amount
	}
	if of.id != "" && (of.id != answer.ID || of.credit >= 0 && of.credit != credit) {
		return nil, fmt.Errorf("the dispute of %s was taken as %s with %v, and then as %s with %v", l.Transaction,
			of.id, of.credit, answer.ID, credit)
	}
	of.id, of.credit = answer.ID, credit
	return nil, nil
}
