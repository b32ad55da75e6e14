package broker

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"google.golang.org/protobuf/proto"

	"frontdesk/client"
	"frontdesk/internal/testkit/exchange"
	"frontdesk/internal/testkit/process"
	rampv1 "frontdesk/wire/ramp/v1"
)

func TestMain(m *testing.M) { process.Main(m) }

var agentKey = ed25519.NewKeyFromSeed(bytes.Repeat([]byte{5}, ed25519.SeedSize))

// agent is who buys, as all in a market know it.
func agent() client.Buyer {
	return client.Buyer{ID: "bot", Domain: "buyer.example.com", Key: agentKey}
}

func write(t testing.TB, path, text string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// admit lets the agent in at a front desk.
func admit(t testing.TB, config string) {
	t.Helper()
	key := base64.StdEncoding.EncodeToString(agentKey.Public().(ed25519.PublicKey))
	process.MustRun(t, "ramp", "requester", "add", "buyer.example.com", "bot", "--key", key, "--config", config)
}

// desk is a real Exchange that sells one site.
type desk struct {
	*process.Server
	config, url string
}

// shop starts an Exchange whose articles cost so much.
func shop(t testing.TB, name, price string) *desk {
	t.Helper()
	dir := t.TempDir()
	port := process.FreePort(t)
	d := &desk{url: "http://127.0.0.1:" + port, config: filepath.Join(dir, "shop.yaml")}
	write(t, filepath.Join(dir, "content", "lamp.md"),
		"# The lamp of "+name+"\n\nOne lamp lights a room, says "+name+".\n")
	write(t, filepath.Join(dir, "content", "stove.md"), "# The stove of "+name+"\n\nOne stove heats a room.\n")
	write(t, d.config, `
listen: 127.0.0.1:`+port+`
url: `+d.url+`
data: `+dir+`/data
site: {name: `+name+`, url: "`+d.url+`"}
sources: [{name: texts, path: content}]
terms:
  - match: {}
    access: licensed
    price: {model: per_access, rate: "`+price+`", currency: USD}
    reporting: {window: 24h}
metrics: {listen: "off"}
fetch: {allow: [127.0.0.0/8]}
ramp: {enabled: true, domain: `+strings.ToLower(name)+`.example}
`)
	admit(t, d.config)
	process.MustRun(t, "ramp", "account", "open", "buyer.example.com/bot", "USD", "--config", d.config)
	process.MustRun(t, "ramp", "account", "credit", "buyer.example.com/bot", "10", "USD", "--config", d.config)
	d.Server = process.Start(t, "serve", "--config", d.config)
	return d
}

// brokerConfig writes the configuration of a Broker that buys at Exchanges, given by their
// addresses, with DOMAIN= before them where it is another.
func brokerConfig(t testing.TB, more string, exchanges ...string) (config, url string) {
	t.Helper()
	dir := t.TempDir()
	port := process.FreePort(t)
	var list strings.Builder
	for _, address := range exchanges {
		domain, at, named := strings.Cut(address, "=")
		if !named {
			domain, at = strings.TrimPrefix(address, "http://"), address
		}
		fmt.Fprintf(&list, "    - {domain: %q, url: %q}\n", domain, at)
	}
	config, url = filepath.Join(dir, "broker.yaml"), "http://127.0.0.1:"+port
	write(t, config, `
listen: 127.0.0.1:`+port+`
url: `+url+`
data: `+dir+`/data
metrics: {listen: "off"}
fetch: {allow: [127.0.0.0/8]}
broker:
  deadline: 5s
  fee: {share: "10"}
  exchanges:
`+list.String()+more)
	admit(t, config)
	return config, url
}

func openBroker(t testing.TB, url string) *client.Broker {
	t.Helper()
	b, err := client.OpenBroker(url, agent(),
		client.Options{Retries: -1, HTTP: &http.Client{Transport: &http.Transport{}}})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestAnAgentBuysThroughABrokerAtRealExchanges: from the request to the report and the dispute,
// over sockets, with three processes.
func TestAnAgentBuysThroughABrokerAtRealExchanges(t *testing.T) {
	t.Parallel()
	one, two := shop(t, "One", "0.02"), shop(t, "Two", "0.03")
	config, url := brokerConfig(t, "", "one.example="+one.url)
	process.Start(t, "broker", "--config", config)
	b := openBroker(t, url)
	got, err := b.Resolve(t.Context(),
		&client.Resolving{URIs: []string{one.url + "/lamp", two.url + "/lamp", one.url + "/none"},
			Uses: []string{"ai-input"}, Most: client.Price{Amount: 1, Currency: "USD"}})
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Items) != 2 || len(got.Unsold) != 1 || got.Unsold[0].Reason != "NOT_IN_CATALOG" {
		t.Fatalf("%d items, and %v", len(got.Items), got.Unsold)
	}
	for i, price := range []float64{0.02, 0.03} {
		item := &got.Items[i]
		if item.GetCost().GetAmount() != price || item.GetBrokerFee().GetAmount() != price/10 {
			t.Errorf("costs %v and %v", item.Cost, item.BrokerFee)
		}
		x, err := client.OpenExchange(t.Context(), []string{one.url, two.url}[i], agent(), client.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := x.VerifyOffer(t.Context(), item); err != nil {
			t.Error("the offer:", err)
		}
		cheaper := client.ResolvedItem{Offer: proto.CloneOf(item.Offer),
			Signed: bytes.Replace(item.Signed, []byte(fmt.Sprint(`"rate":`, price)), []byte(`"rate":0.001`), 1)}
		cheaper.Offer.Pricing.Rate = 0.001
		if err := x.VerifyOffer(t.Context(), &cheaper); err == nil ||
			!strings.Contains(err.Error(), "not signed by the Exchange") {
			t.Error("an offer whose price was changed:", err)
		}
		content, err := b.Fetch(t.Context(), item)
		if err != nil || !strings.Contains(string(content.Body), "One lamp lights a room") || !content.Offered {
			t.Errorf("fetched %v, %v", content, err)
		}
		report, err := b.Report(t.Context(), item, client.Use{ID: "u1", Quantity: 1})
		if err != nil {
			t.Fatal("report:", err)
		}
		dispute := &client.Dispute{ReportID: report, Reason: rampv1.DisputeReason_DISPUTE_REASON_DELIVERY_FAILED}
		if _, err := b.Dispute(t.Context(), item, dispute); err != nil {
			t.Error("dispute:", err)
		}
	}
	for i, d := range []*desk{one, two} {
		if list := process.MustRun(t, "ramp", "account", "list", "--config", d.config); !strings.Contains(list,
			[]string{"9.98", "9.97"}[i]) {
			t.Errorf("the account is %s", list)
		}
	}
	response, err := http.Post(url+"/broker/v1/resolve", "application/json", strings.NewReader(`{"ver":"1.0","id":"x","requester":{"id":"bot","domain":"buyer.example.com","uris":["`+one.url+`/lamp"]}}`))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusUnauthorized {
		t.Error("who signed nothing is answered", response.Status)
	}
}

// TestABrokerThatIsKilledBuysNothingTwice: SIGKILL between the purchase and its answer, a new
// process, the same request.
func TestABrokerThatIsKilledBuysNothingTwice(t *testing.T) {
	t.Parallel()
	x := exchange.New(1)
	defer x.Close()
	config, url := brokerConfig(t, "  budgets: [{requester: \"*\", amount: \"0.03\", currency: USD}]\n", x.URL)
	server := process.Start(t, "broker", "--config", config)
	sold, killed := make(chan struct{}), make(chan struct{})
	var once atomic.Bool
	x.Lock()
	x.After = func(name string, _ http.ResponseWriter, _ *http.Request) bool {
		if name != "ExecuteTransaction" || once.Swap(true) {
			return false
		}
		close(sold)
		<-killed
		panic(http.ErrAbortHandler)
	}
	x.Unlock()
	r := &client.Resolving{ID: "r1", URIs: []string{x.URI("a")}, Most: client.Price{Amount: 1, Currency: "USD"}}
	failed := make(chan error, 1)
	go func() {
		_, err := openBroker(t, url).Resolve(context.Background(), r)
		failed <- err
	}()
	<-sold
	server.Kill()
	close(killed)
	if err := <-failed; err == nil {
		t.Fatal("who was killed has answered")
	}
	process.Start(t, "broker", "--config", config)
	got, err := openBroker(t, url).Resolve(t.Context(), r)
	if err != nil || len(got.Items) != 1 || len(x.Bought()) != 1 || x.Asked("ExecuteTransaction") != 2 {
		t.Fatalf("%v, %v, sold %v", got, err, x.Bought())
	}
	if _, err := openBroker(t, url).Resolve(t.Context(), &client.Resolving{URIs: []string{x.URI("b")}}); err == nil ||
		!strings.Contains(err.Error(), "resource_exhausted") {
		t.Error("the budget after the crash:", err)
	}
}
