package mcp

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/internal/testkit/process"
)

// brokered is a Broker that buys at the demo, for its reader.
type brokered struct {
	*process.Server
	config, address string
}

// openBroker starts a Broker that knows the demo and its reader, reads what the demo publishes, and
// takes a tenth.
func (m *town) openBroker(t *testing.T) *brokered {
	t.Helper()
	dir := t.TempDir()
	at := process.FreeAddress(t)
	b := &brokered{config: filepath.Join(dir, "broker.yaml"), address: "http://" + at}
	document := filepath.Join(dir, "ramp-agent.json")
	text := fmt.Sprintf("listen: %s\nurl: %s\ndata: %s\nmetrics: {listen: \"off\"}\nfetch: {allow: [127.0.0.0/8], "+
		"interval: 0s}\nbroker:\n  deadline: 10s\n  fee: {share: \"10\"}\n  exchanges: [{domain: %q, url: %q}]\n"+
		"sources: [{name: demo, url: %q, kind: schemamap}]\n",
		at, b.address, filepath.Join(dir, "data"), m.domain(t), m.desk.URL, m.desk.URL+"/schemamap.xml")
	agent := process.MustRun(t, "keys", "agent", "--id", "reading-bot", "--config",
		filepath.Join(m.dir, "frontdesk.yaml"))
	for path, text := range map[string]string{b.config: text, document: agent} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	process.MustRun(t, "ramp", "requester", "add", "reader.tidewater.example", "reading-bot", "--key", "@"+document,
		"--config", b.config)
	b.Server = process.Start(t, "broker", "--config", b.config)
	m.letPassOn(t, b, at)
	return b
}

// letPassOn gives the demo the key of a Broker, whose own document it does not fetch from this
// machine.
func (m *town) letPassOn(t *testing.T, b *brokered, domain string) {
	t.Helper()
	document := filepath.Join(t.TempDir(), "broker-agent.json")
	if err := os.WriteFile(document, []byte(process.MustRun(t, "keys", "agent", "--config", b.config)),
		0o600); err != nil {
		t.Fatal(err)
	}
	process.MustRun(t, "ramp", "requester", "add", domain, domain, "--key", "@"+document, "--config",
		filepath.Join(m.dir, "frontdesk.yaml"))
}

// domain is by which the demo is known as an Exchange.
func (m *town) domain(t *testing.T) string {
	t.Helper()
	answer, err := http.Get(m.desk.URL + "/.well-known/ramp-exchange.json")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var manifest struct{ Domain string }
	if err := json.NewDecoder(answer.Body).Decode(&manifest); err != nil || manifest.Domain == "" {
		t.Fatalf("%+v, %v", manifest, err)
	}
	return manifest.Domain
}

type through struct {
	Offers []struct {
		PurchaseID string `json:"purchase_id"`
		Exchange   string
		Broker     string
		Total      struct{ Amount float64 }
		Fee        struct{ Amount float64 } `json:"broker_fee"`
		Allowed    bool                     `json:"within_limits"`
	}
}

// brokerQuote asks what a text costs through the Broker, and gives the purchase that may be made.
func (a *assistant) brokerQuote(address string) through {
	a.t.Helper()
	var out through
	for {
		out = through{}
		code, message := a.call("quote", map[string]any{"url": address}, &out)
		if code == "" {
			break
		}
		// the demo knows the Broker's key within a second
		if code != "not_bought" || !strings.Contains(message, "unauthenticated") {
			a.t.Fatalf("quote: %s: %s", code, message)
		}
		<-time.After(200 * time.Millisecond) // whoever asks without pause is told to wait, for its wrong signatures
	}
	if len(out.Offers) != 1 || out.Offers[0].Total.Amount != 0.022 || out.Offers[0].Fee.Amount != 0.002 ||
		out.Offers[0].Broker == "" {
		a.t.Fatalf("the quote: %+v", out)
	}
	return out
}

type wallet struct {
	Limits []struct {
		Spent struct{ Amount float64 }
	}
	Purchases []struct {
		State  string
		Broker string
	}
}

func (a *assistant) wallet() wallet {
	a.t.Helper()
	var out wallet
	a.must("spending", nil, &out)
	return out
}

// TestAnAssistantBuysThroughABroker goes from the question to the dispute through a Broker, over a
// restart without --broker, and holds that its fee counts.
func TestAnAssistantBuysThroughABroker(t *testing.T) {
	t.Parallel()
	m := openTown(t)
	broker := m.openBroker(t)
	a := m.start(t, "--limit", "0.05XTS/month", "--broker", broker.address)
	address := a.forSale()
	quoted := a.brokerQuote(address)
	if !quoted.Offers[0].Allowed || quoted.Offers[0].Exchange != m.domain(t) {
		t.Errorf("the quote: %+v", quoted)
	}
	id := quoted.Offers[0].PurchaseID
	if code, message := a.call("buy", map[string]any{"purchase_id": id,
		"max": map[string]any{"amount": 0.02, "currency": "XTS"}}, nil); code != "over_limit" {
		t.Errorf("the price is within max, and not the fee: %s: %s", code, message)
	}
	var bought, again, text receipt
	a.must("buy", map[string]any{"purchase_id": id}, &bought)
	a.must("buy", map[string]any{"purchase_id": id}, &again)
	if bought.TransactionID == "" || bought.Again || !again.Again || again.TransactionID != bought.TransactionID {
		t.Fatalf("%+v, %+v", bought, again)
	}
	if spent := a.wallet(); spent.Limits[0].Spent.Amount != 0.022 || spent.Purchases[0].Broker != broker.address {
		t.Errorf("spent: %+v", spent)
	}
	a.must("fetch", map[string]any{"transaction_id": bought.TransactionID}, &text)
	if len(text.Text) < 200 || !strings.Contains(text.Checked, "byte for byte") {
		t.Errorf("fetched: %+v", text)
	}
	a.Close()

	// What was bought through the Broker is reported and disputed there, though this program buys
	// at Exchanges. nobody has typed the Broker's address
	b := m.start(t, "--limit", "0.05XTS/month", "--set", "fetch.allow=127.0.0.0/8")
	var filed, stands receipt
	b.must("report", map[string]any{"transaction_id": bought.TransactionID}, &filed)
	b.must("dispute", map[string]any{"transaction_id": bought.TransactionID, "reason": "content-mismatch"}, &stands)
	if filed.ReportID == "" || stands.Status == "" {
		t.Errorf("reported and disputed: %+v, %+v", filed, stands)
	}
	b.Close()

	c := m.start(t, "--limit", "0.05XTS/month", "--broker", broker.address)
	c.must("buy", map[string]any{"purchase_id": c.brokerQuote(address).Offers[0].PurchaseID}, nil)
	third := c.brokerQuote(address)
	if code, message := c.call("buy", map[string]any{"purchase_id": third.Offers[0].PurchaseID},
		nil); code != "over_limit" || !strings.Contains(message, "0.044 XTS of the 0.05 XTS") ||
		third.Offers[0].Allowed {
		t.Errorf("beyond the month: %s: %s", code, message)
	}
}

// TestCallsAtOnceThroughABrokerStayWithinTheLimit has two programs with one wallet buy at once as
// often as they can, and a third after them.
func TestCallsAtOnceThroughABrokerStayWithinTheLimit(t *testing.T) {
	t.Parallel()
	m := openTown(t)
	broker := m.openBroker(t)
	flags := []string{"--limit", "0.1XTS/month", "--broker", broker.address}
	both := []*assistant{m.start(t, flags...), m.start(t, flags...)}
	address := both[0].forSale()
	var bought, refused atomic.Int64
	var wait sync.WaitGroup
	for i := range 12 {
		a := both[i%2]
		id := a.brokerQuote(address).Offers[0].PurchaseID
		wait.Go(func() {
			switch code, message := a.call("buy", map[string]any{"purchase_id": id}, nil); code {
			case "":
				bought.Add(1)
			case "over_limit":
				refused.Add(1)
			default:
				t.Errorf("%s: %s", code, message)
			}
		})
	}
	wait.Wait()
	if bought.Load() != 4 || refused.Load() != 8 {
		t.Errorf("%d bought, %d refused, with 0.1 XTS for 0.022 each", bought.Load(), refused.Load())
	}
	late := m.start(t, flags...)
	if code, _ := late.call("buy", map[string]any{"purchase_id": late.brokerQuote(address).Offers[0].PurchaseID},
		nil); code != "over_limit" {
		t.Errorf("after a restart: %q", code)
	}
}

// TestABrokerThatIsAwayIsAskedAgain: whether it was bought is not known, and counts; the same
// purchase, of a new program, is made once when the Broker is there again.
func TestABrokerThatIsAwayIsAskedAgain(t *testing.T) {
	t.Parallel()
	m := openTown(t)
	broker := m.openBroker(t)
	flags := []string{"--limit", "0.03XTS/month", "--broker", broker.address}
	a := m.start(t, flags...)
	address := a.forSale()
	id, other := a.brokerQuote(address).Offers[0].PurchaseID, a.brokerQuote(address).Offers[0].PurchaseID
	broker.Kill()
	if code, message := a.call("buy", map[string]any{"purchase_id": id}, nil); code != "unknown" ||
		!strings.Contains(message, "same purchase_id") {
		t.Fatalf("%s: %s", code, message)
	}
	if code, _ := a.call("buy", map[string]any{"purchase_id": other}, nil); code != "over_limit" {
		t.Errorf("what may have been spent was spent again: %q", code)
	}
	a.Close()
	process.Start(t, "broker", "--config", broker.config)
	b := m.start(t, flags...)
	var bought, again receipt
	b.must("buy", map[string]any{"purchase_id": id}, &bought)
	b.must("buy", map[string]any{"purchase_id": id}, &again)
	if bought.TransactionID == "" || again.TransactionID != bought.TransactionID {
		t.Errorf("%+v, %+v", bought, again)
	}
	if spent := b.wallet(); spent.Limits[0].Spent.Amount != 0.022 || len(spent.Purchases) != 1 ||
		spent.Purchases[0].State != "bought" {
		t.Errorf("spent: %+v", spent)
	}
}

// TestAnAssistantBuysWhatItCannotName: without any site, search goes to the Broker, which has read
// what the demo publishes, and a quote by words is for what fits best.
func TestAnAssistantBuysWhatItCannotName(t *testing.T) {
	t.Parallel()
	m := openTown(t)
	broker := m.openBroker(t)
	a := m.begin(t, "--limit", "0.05XTS/month", "--broker", broker.address, "--set", "fetch.allow=127.0.0.0/8")
	const words = "what is inside the dredging contract"
	var found struct {
		Items []struct {
			URL, Name string
			At        string `json:"found_at"`
			ForSale   *bool  `json:"for_sale"`
		}
		Unasked []string
	}
	for len(found.Items) == 0 { // until the Broker has read it
		a.must("search", map[string]any{"query": words}, &found)
		<-time.After(50 * time.Millisecond)
	}
	address := found.Items[0].URL
	if !strings.HasSuffix(address, "/inside-the-dredging-contract") || found.Items[0].Name == "" ||
		found.Items[0].At != broker.address || found.Items[0].ForSale != nil || len(found.Unasked) > 0 {
		t.Fatalf("found: %+v", found)
	}
	a.brokerQuote(address) // until the demo knows the Broker
	var quoted struct {
		through
		URL   string
		Found []struct{ URI string }
	}
	a.must("quote", map[string]any{"query": words}, &quoted)
	if quoted.URL != address || len(quoted.Offers) == 0 || quoted.Offers[0].Total.Amount != 0.022 ||
		len(quoted.Found) < len(quoted.Offers) {
		t.Fatalf("quoted by words: %+v", quoted)
	}
	var bought, text receipt
	a.must("buy", map[string]any{"purchase_id": quoted.Offers[0].PurchaseID}, &bought)
	if a.must("fetch", map[string]any{"transaction_id": bought.TransactionID}, &text); len(text.Text) < 200 ||
		!strings.Contains(text.Checked, "byte for byte") {
		t.Errorf("fetched: %+v", text)
	}
	var none struct {
		Items []any
		Next  string
	}
	if a.must("search", map[string]any{"query": "zyzzyva quokka xylophone"}, &none); len(none.Items) != 0 ||
		!strings.Contains(none.Next, "Nothing was found") {
		t.Errorf("found: %+v", none)
	}
	for _, wrong := range []struct {
		arguments  map[string]any
		code, says string
	}{
		{map[string]any{"query": "zyzzyva quokka xylophone"}, "not_bought", "finds nothing for these words"},
		{map[string]any{"query": words, "url": address}, "invalid", "not both"},
		{map[string]any{"query": "  "}, "invalid", "query is empty"},
		{map[string]any{}, "invalid", "no address"},
	} {
		if code, message := a.call("quote", wrong.arguments, nil); code != wrong.code ||
			!strings.Contains(message, wrong.says) {
			t.Errorf("%v: %s: %s", wrong.arguments, code, message)
		}
	}
}
