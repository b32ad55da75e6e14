// Package circle holds that our own buyer completes what our own Exchange sells, by every pricing model.
package circle

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"frontdesk/test/process"
)

func TestMain(m *testing.M) { process.Main(m) }

const buyer = "buyer.example.com/research-bot"

// TestEveryPricingModelGoesFullCircle discovers, buys, fetches and reports something of each model; each obligation is met and each purchase
// settled.
func TestEveryPricingModelGoesFullCircle(t *testing.T) {
	attribution := []string{"--displayed-url", "https://site.example/attribution", "--citation", "link", "--shown"}
	models := []struct {
		name, price string
		report      []string // what the report says beside a quantity
		charged     string
	}{
		{"per_access", `rate: "0.02", currency: USD`, nil, "0.02"},
		{"per_fetch", `rate: "0.02", currency: USD`, nil, "0.02"},
		{"flat", `rate: "0.02", currency: USD`, nil, "0.02"},
		{"per_token", `rate: "0.001", currency: USD`, nil, ""},
		{"per_page", `rate: "0.01", currency: USD`, nil, ""},
		{"per_minute", `rate: "0.01", currency: USD`, nil, ""},
		{"per_record", `rate: "0.01", currency: USD`, nil, ""},
		{"subscription", `rate: "1", currency: USD, months: 1`, nil, "1"},
		{"training", `rate: "1", currency: USD, months: 1`, nil, "1"},
		{"revenue_share", `rate: "0.1"`, []string{"--revenue", "2USD"}, "0.2"},
		{"free", "", nil, ""},
		{"attribution", "", attribution, ""},
		{"contribution", "", nil, ""},
	}
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "content"), 0o700); err != nil {
		t.Fatal(err)
	}
	var items, rules strings.Builder
	for _, m := range models {
		fmt.Fprintf(&items, `{"@type":"Article","url":"https://site.example/%s","name":"Sold by %[1]s","articleBody":"What is sold by %[1]s is told here."}`+"\n", m.name)
		price := strings.TrimSuffix("model: "+m.name+", "+m.price, ", ")
		fmt.Fprintf(&rules, "  - {match: {path: /%s}, access: licensed, price: {%s}, reporting: {window: 24h}}\n", m.name, price)
	}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("content/items.jsonl", items.String())
	write("frontdesk.yaml", `
data: data
metrics: {listen: off}
url: http://127.0.0.1:`+process.Vacant(t)[len("127.0.0.1:"):]+`
site: {name: Site, url: "https://site.example"}
sources: [{path: content}]
terms:
`+rules.String()+`ramp:
  enabled: true
  domain: desk.example.com
  signatures: none
`)
	config := filepath.Join(dir, "frontdesk.yaml")
	text, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	_, address, _ := strings.Cut(strings.SplitN(string(text), "\nsite:", 2)[0], "url: http://")
	write("frontdesk.yaml", "listen: "+address+string(text))
	process.MustRun(t, "ingest", "--config", config)
	process.MustRun(t, "ramp", "requester", "add", "buyer.example.com", "research-bot", "--config", config)
	process.MustRun(t, "ramp", "account", "open", buyer, "USD", "--config", config)
	process.MustRun(t, "ramp", "account", "credit", buyer, "100", "USD", "--config", config)
	s := process.Start(t, "serve", "--config", config)
	for _, m := range models {
		saved := filepath.Join(dir, m.name+".json")
		got := process.MustRun(t, "ramp", "buy", s.URL, "https://site.example/"+m.name, "--as", buyer, "--unsigned", "--use", "ai-input", "--yes", "--save", saved, "--config", config)
		if !strings.Contains(got, "What is sold by "+m.name) {
			t.Errorf("%s: %s", m.name, got)
		}
		report := append([]string{"ramp", "report", saved, "--as", buyer, "--unsigned", "--quantity", "1", "--use", "ai-input", "--config", config}, m.report...)
		if _, out, err := process.Run(t, report...); err != nil {
			t.Errorf("%s: %v %s", m.name, err, out)
		}
	}
	rows := map[string]map[string]any{}
	for line := range strings.Lines(process.MustRun(t, "ramp", "report", "transactions", "--format", "jsonl", "--config", config)) {
		row := map[string]any{}
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		rows[row["model"].(string)] = row
	}
	for _, m := range models {
		row := rows[m.name]
		if row == nil || row["obligation"] != "fulfilled" || row["report"] == nil || row["deliveries"] != 1.0 || row["report_exchange"] != "desk.example.com" {
			t.Errorf("%s: %v", m.name, row)
			continue
		}
		if state := row["state"]; state != nil && state != "settled" {
			t.Errorf("%s is %v", m.name, state)
		}
		if m.charged != "" && row["charged"] != m.charged {
			t.Errorf("%s costs %v, want %s", m.name, row["charged"], m.charged)
		}
	}
	if got := rows["attribution"]["attribution"]; got != "https://site.example/attribution (link, visible)" {
		t.Errorf("the source was named %v", got)
	}
}
