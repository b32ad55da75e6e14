// Package circle holds that our own buyers complete what our own Exchange sells, by every pricing
// model.
package circle

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"frontdesk/internal/testkit/process"
)

func TestMain(m *testing.M) { process.Main(m) }

// model is a pricing model, with what is sold by it.
type model struct {
	name, price string
	report      []string       // what the report says beside a quantity, as flags
	told        map[string]any // as arguments of a tool
	charged     string
}

var models = []model{
	{"per_access", `rate: "0.02", currency: USD`, nil, nil, "0.02"},
	{"per_fetch", `rate: "0.02", currency: USD`, nil, nil, "0.02"},
	{"flat", `rate: "0.02", currency: USD`, nil, nil, "0.02"},
	{"per_token", `rate: "0.001", currency: USD`, nil, nil, ""},
	{"per_page", `rate: "0.01", currency: USD, estimate: 1`, nil, nil, ""},
	{"per_minute", `rate: "0.01", currency: USD, estimate: 1`, nil, nil, ""},
	{"per_record", `rate: "0.01", currency: USD, estimate: 1`, nil, nil, ""},
	{"subscription", `rate: "1", currency: USD, months: 1`, nil, nil, "1"},
	{"training", `rate: "1", currency: USD, months: 1`, nil, nil, "1"},
	{"revenue_share", `rate: "0.1"`, []string{"--revenue", "2USD"},
		map[string]any{"revenue": map[string]any{"amount": 2, "currency": "USD"}}, "0.2"},
	{"free", "", nil, nil, ""},
	{
		"attribution", "",
		[]string{"--displayed-url", "https://site.example/attribution", "--citation", "link", "--shown"},
		map[string]any{"displayed_to_user": true, "citation_included": true,
			"attribution": []any{map[string]any{"displayed_url": "https://site.example/attribution", "format": "link",
				"visible_to_user": true}}}, "",
	},
	{"contribution", "", nil, nil, ""},
}

// world is an Exchange that sells something by each model, and a Broker.
type world struct {
	t                *testing.T
	dir, config      string
	exchange, broker *process.Server
	brokerConfig     string
	buyerConfig      string
	keys             string // of the buyer, as a document
}

// open opens an Exchange with what its configuration says beside. What it sells by the records is
// no page of the web.
func open(t *testing.T, signatures string) *world {
	t.Helper()
	w := &world{t: t, dir: t.TempDir()}
	listen := process.FreeAddress(t)
	var items, rules strings.Builder
	for _, m := range models {
		fmt.Fprintf(&items, `{"@type":"Article","url":%q,"name":"Sold by %s","articleBody":"What is sold by %[2]s is told here."}`+"\n", w.uri("http://"+listen, m), m.name)
		price := strings.TrimSuffix("model: "+m.name+", "+m.price, ", ")
		path := "/" + m.name
		if m.name == "per_record" {
			path = "/804735132"
		}
		fmt.Fprintf(&rules, "  - {match: {path: %s}, access: licensed, price: {%s}, reporting: {window: 24h}}\n",
			path, price)
	}
	w.write("content/items.jsonl", items.String())
	w.config = w.write("frontdesk.yaml", `
listen: `+listen+`
url: http://`+listen+`
data: data
metrics: {listen: "off"}
site: {name: Site, url: "http://`+listen+`"}
sources: [{path: content, schemes: [duns]}]
fetch: {allow: [127.0.0.0/8]}
limits: {rate: {address: "", failures: ""}}
terms:
`+rules.String()+`ramp: {enabled: true, domain: desk.example.com`+signatures+`}
`)
	process.MustRun(t, "ingest", "--config", w.config)
	w.buyerConfig = w.write("buyer.yaml",
		"url: https://buyer.example.com\ndata: buyer\nfetch: {allow: [127.0.0.0/8]}\n")
	w.keys = w.write("agent.json", process.MustRun(t, "keys", "agent", "--id", "research-bot", "--contact",
		"a@buyer.example.com", "--config", w.buyerConfig))
	return w
}

const buyer = "buyer.example.com/research-bot"

// uri is where something of a model is.
func (w *world) uri(at string, m model) string {
	if m.name == "per_record" {
		return "duns:804735132"
	}
	return at + "/" + m.name
}

func (w *world) write(name, text string) (path string) {
	w.t.Helper()
	path = filepath.Join(w.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
	return path
}

// admit lets the buyer in, with money, and starts the Exchange.
func (w *world) admit() {
	w.t.Helper()
	process.MustRun(w.t, "ramp", "requester", "add", "buyer.example.com", "research-bot", "--key", "@"+w.keys,
		"--config", w.config)
	process.MustRun(w.t, "ramp", "account", "open", buyer, "USD", "--config", w.config)
	process.MustRun(w.t, "ramp", "account", "credit", buyer, "100", "USD", "--config", w.config)
	w.exchange = process.Start(w.t, "serve", "--config", w.config)
}

// bounded are the models by which an assistant or a Broker buys: they pay no share of what is
// earned later, which no amount bounds.
func bounded() []model {
	return slices.DeleteFunc(slices.Clone(models), func(m model) bool { return m.name == "revenue_share" })
}

// settled holds that each purchase by some models was fetched so often, reported and settled.
func (w *world) settled(models []model, deliveries float64) {
	w.t.Helper()
	rows := map[string]map[string]any{}
	for line := range strings.Lines(process.MustRun(w.t, "ramp", "report", "transactions", "--format", "jsonl",
		"--config", w.config)) {
		row := map[string]any{}
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			w.t.Fatal(err)
		}
		rows[row["model"].(string)] = row
	}
	for _, m := range models {
		row := rows[m.name]
		if row == nil || row["obligation"] != "fulfilled" || row["report"] == nil || row["deliveries"] != deliveries ||
			row["uri"] != w.uri(w.exchange.URL, m) {
			w.t.Errorf("%s: %v", m.name, row)
			continue
		}
		if state := row["state"]; state != nil && state != "settled" {
			w.t.Errorf("%s is %v", m.name, state)
		}
		if m.charged != "" && row["charged"] != m.charged {
			w.t.Errorf("%s costs %v, want %s", m.name, row["charged"], m.charged)
		}
	}
	if got := rows["attribution"]["attribution"]; got != "https://site.example/attribution (link, visible)" {
		w.t.Errorf("the source was named %v", got)
	}
	var cited struct {
		URI     string `json:"uri"`
		At      string `json:"displayed_url"`
		Format  string `json:"format"`
		Visible string `json:"visible_to_user"`
		By      string `json:"report_exchange"`
	}
	lines := process.MustRun(w.t, "ramp", "report", "citations", "--format", "jsonl", "--config", w.config)
	if err := json.Unmarshal([]byte(lines), &cited); err != nil || cited.URI != w.exchange.URL+"/attribution" ||
		cited.At != "https://site.example/attribution" || cited.Format != "link" ||
		cited.Visible != "yes" || cited.By != "desk.example.com" {
		w.t.Errorf("cited: %v %s", err, lines)
	}
}

// TestEveryPricingModelGoesFullCircle discovers, buys, fetches and reports something of each model
// by commands; each obligation is met and each purchase settled.
func TestEveryPricingModelGoesFullCircle(t *testing.T) {
	for name, flags := range map[string][]string{"signed": nil, "unsigned": {"--unsigned"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			more := ""
			if flags != nil {
				more = ", signatures: none"
			}
			w := open(t, more)
			w.admit()
			flags = append(flags, "--as", buyer, "--use", "ai-input", "--config", w.buyerConfig)
			for _, m := range models {
				saved := filepath.Join(w.dir, m.name+".json")
				got := process.MustRun(t,
					append([]string{"ramp", "buy", w.exchange.URL, w.uri(w.exchange.URL, m), "--yes", "--save", saved},
						flags...)...)
				if !strings.Contains(got, "What is sold by "+m.name) {
					t.Errorf("%s: %s", m.name, got)
				}
				report := append(append([]string{"ramp", "report", saved, "--quantity", "1"}, flags...), m.report...)
				if _, out, err := process.Run(t, report...); err != nil {
					t.Errorf("%s: %v %s", m.name, err, out)
				}
			}
			w.settled(models, 1)
		})
	}
}

// TestAnAssistantGoesFullCircle does so by the tools of `frontdesk mcp --buyer`.
func TestAnAssistantGoesFullCircle(t *testing.T) {
	t.Parallel()
	w := open(t, "")
	w.admit()
	command := process.Command(t, "mcp", "--buyer", "--exchange", w.exchange.URL, "--limit", "50USD/day", "--as", buyer,
		"--config", w.buyerConfig)
	session, err := sdk.NewClient(&sdk.Implementation{Name: "desktop", Version: "1"}, nil).Connect(t.Context(),
		&sdk.CommandTransport{Command: command}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	call := func(name string, arguments map[string]any, out any) bool {
		result, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: arguments})
		if err != nil {
			t.Errorf("%s %v: %v", name, arguments, err)
			return false
		}
		text, err := json.Marshal(result.StructuredContent)
		if err == nil {
			err = json.Unmarshal(text, out)
		}
		if err != nil || result.IsError {
			t.Errorf("%s %v: %v %s", name, arguments, err, text)
			return false
		}
		return true
	}
	for _, m := range bounded() {
		var offers struct {
			Offers []struct {
				PurchaseID string `json:"purchase_id"`
			}
		}
		var bought struct {
			TransactionID string `json:"transaction_id"`
		}
		var fetched struct{ Text string }
		var reported struct {
			ReportID string `json:"report_id"`
		}
		if !call("quote", map[string]any{"url": w.uri(w.exchange.URL, m)}, &offers) || len(offers.Offers) == 0 ||
			!call("buy", map[string]any{"purchase_id": offers.Offers[0].PurchaseID}, &bought) ||
			!call("fetch", map[string]any{"transaction_id": bought.TransactionID}, &fetched) {
			t.Errorf("%s: %v", m.name, offers)
			continue
		}
		if !strings.Contains(fetched.Text, "What is sold by "+m.name) {
			t.Errorf("%s: %s", m.name, fetched.Text)
		}
		use := map[string]any{"transaction_id": bought.TransactionID, "quantity": 1}
		for name, value := range m.told {
			use[name] = value
		}
		if call("report", use, &reported) && reported.ReportID == "" {
			t.Errorf("%s: no report_id", m.name)
		}
	}
	w.settled(bounded(), 1)
}

// TestABrokerGoesFullCircle does so by `frontdesk ramp resolve` and `ramp resolve --report`,
// through a Broker that signs for itself.
func TestABrokerGoesFullCircle(t *testing.T) {
	t.Parallel()
	w := open(t, "")
	listen := process.FreeAddress(t)
	w.brokerConfig = w.write("broker.yaml", `
listen: `+listen+`
url: http://`+listen+`
data: broker
metrics: {listen: "off"}
limits: {rate: {address: "", failures: ""}}
fetch: {allow: [127.0.0.0/8]}
broker: {deadline: 5s, exchanges: [{domain: desk.example.com, url: "`+w.address()+`"}]}
`)
	process.MustRun(t, "ramp", "requester", "add", "buyer.example.com", "research-bot", "--key", "@"+w.keys, "--config",
		w.brokerConfig)
	w.admit()
	w.broker = process.Start(t, "broker", "--config", w.brokerConfig)
	for _, m := range bounded() {
		saved := filepath.Join(w.dir, m.name+".json")
		_, out, err := process.Run(t, "ramp", "resolve", w.broker.URL, w.uri(w.exchange.URL, m), "--use", "ai-input",
			"--max", "2USD", "--as", buyer, "--config", w.buyerConfig, "--save", saved)
		if err != nil {
			t.Errorf("%s: %v %s", m.name, err, out)
			continue
		}
		report := append([]string{"ramp", "resolve", w.broker.URL, "--report", saved, "--quantity", "1", "--use",
			"ai-input", "--as", buyer, "--config", w.buyerConfig}, m.report...)
		if _, out, err := process.Run(t, report...); err != nil {
			t.Errorf("%s: %v %s", m.name, err, out)
		}
	}
	w.settled(bounded(), 0)
}

// address is that of the Exchange before it is started.
func (w *world) address() string {
	w.t.Helper()
	text, err := os.ReadFile(w.config)
	if err != nil {
		w.t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "\nurl: ")
	address, _, _ := strings.Cut(rest, "\n")
	return address
}
