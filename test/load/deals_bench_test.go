package load

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/testkit/process"
)

const (
	buyerDomain = "buyer.example.com"
	buyerName   = "load"
	soldAddress = "https://www.example.com/premium/a"
	discover    = "/ramp.v1.ExchangeService/DiscoverResources"
	execute     = "/ramp.v1.ExchangeService/ExecuteTransaction"
)

// BenchmarkDeals has wrk ask the running program for an offer by 64 clients at once, and then buy
// by such offers, each once, with the client on the same processors: a requester whose key is
// known, one offer, JSON, signed in the body, since wrk cannot sign over HTTP. FRONTDESK_WRK is for
// how many seconds, FRONTDESK_WRK_STORE the store where that is not SQLite in a folder, and
// FRONTDESK_WRK_NODES how many nodes of it there are, behind the nginx of docs/scale.md; without it
// wrk asks one node itself:
//
//	FRONTDESK_WRK=10 go test ./test/load -run xxx -bench Deals -benchtime 1x
//
// Of the purchases, as many must have been charged as wrk has counted answers.
func BenchmarkDeals(b *testing.B) {
	seconds, _ := strconv.Atoi(os.Getenv("FRONTDESK_WRK"))
	if seconds == 0 {
		b.Skip("set FRONTDESK_WRK to the number of seconds, with wrk installed")
	}
	folder := b.TempDir()
	config := exchange(b, folder)
	body := signedQuery()
	script := filepath.Join(folder, "wrk.lua")
	if err := os.WriteFile(script, fmt.Appendf(nil, lua, folder, body, buyer(`[]`)), 0o600); err != nil {
		b.Fatal(err)
	}
	var all []*process.Server
	nodes, _ := strconv.Atoi(os.Getenv("FRONTDESK_WRK_NODES"))
	for i := range max(nodes, 1) {
		all = append(all, process.Start(b, "serve", "--config", config, "--data",
			filepath.Join(folder, []string{"data", fmt.Sprint("data-", i)}[min(i, 1)])))
	}
	server := all[0]
	for _, node := range all {
		offered(b, node.URL+discover, body)
	}
	if nodes > 0 {
		var at []string
		for _, node := range all {
			at = append(at, node.Addr)
		}
		server = process.Nodes(b, at...)
	}
	measured := func(url, what string) run {
		node, database, proxy := time.Duration(0), process.CPUTime(b, "postgres"), process.CPUTime(b, "nginx")
		for _, n := range all {
			node -= n.CPU(b)
		}
		r := wrk(b, url, script, what, seconds)
		for _, n := range all {
			node += n.CPU(b)
		}
		each := func(d time.Duration) float64 { return float64(d.Microseconds()) / float64(max(r.requests, 1)) }
		b.ReportMetric(each(node), what+"-node-us")
		b.ReportMetric(each(process.CPUTime(b, "postgres")-database), what+"-postgres-us")
		b.ReportMetric(each(process.CPUTime(b, "nginx")-proxy), what+"-nginx-us")
		return r
	}
	for b.Loop() {
		asked := measured(server.URL+discover, "discover")
		stocked := wrk(b, server.URL+discover, script, "stock", 2*seconds)
		before := bought(b, config)
		sold := measured(server.URL+execute, "execute")
		// Who is waiting for an answer when wrk ends has bought, too.
		if n := bought(b, config) - before; n < sold.requests || n > sold.requests+64 {
			b.Errorf("%d answers, and %d purchases were charged", sold.requests, n)
		}
		if stocked.requests < sold.requests {
			b.Errorf("%d purchases by %d offers: it takes longer to make the offers", sold.requests, stocked.requests)
		}
		b.ReportMetric(asked.rate, "discovers/s")
		b.ReportMetric(sold.rate, "executes/s")
	}
}

// exchange makes the configuration and the content of an exchange with a buyer that is rich enough.
func exchange(b testing.TB, folder string) (config string) {
	b.Helper()
	config = filepath.Join(folder, "frontdesk.yaml")
	text := fmt.Sprintf(`
listen: 127.0.0.1:0
data: %s
keys: %s
metrics: {listen: "off"}
log: {level: warn}
site: {name: Example, url: https://www.example.com}
sources: [{name: pages, path: content}]
terms:
  - match: {path: "/premium/**"}
    access: licensed
    price: {model: per_access, rate: "0.01", currency: USD}
    functions: {permit: [ai-input, search]}
  - match: {}
    access: open
ramp: {enabled: true, domain: exchange.example.com, purchases: body, requester_rate: "", offers: {lifetime: 1h}, measures: {enabled: false}}
`, filepath.Join(folder, "data"), filepath.Join(folder, "keys"))
	if store := os.Getenv("FRONTDESK_WRK_STORE"); store != "" {
		text += fmt.Sprintf("store: %q\n", store)
	}
	page := "---\ntitle: Lentil soup\n---\n\n" +
		strings.Repeat("The soup of lentils is stirred once more, and salted. ", 100) + "\n"
	for path, text := range map[string]string{config: text, filepath.Join(folder, "content/premium/a.md"): page} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	process.MustRun(b, "ingest", "--config", config)
	process.MustRun(b, "ramp", "requester", "add", "--config", config, "--key",
		base64.StdEncoding.EncodeToString(buyerKey().Public().(ed25519.PublicKey)), buyerDomain, buyerName)
	process.MustRun(b, "ramp", "account", "open", "--config", config, buyerDomain+"/"+buyerName, "USD")
	process.MustRun(b, "ramp", "account", "credit", "--config", config, buyerDomain+"/"+buyerName, "1000000", "USD")
	return config
}

func buyerKey() ed25519.PrivateKey { return ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize)) }

// buyer is the requester of messages for addresses, signed (RAMP v1, Requester: the canonical JSON
// of four members).
func buyer(addresses string) string {
	payload := fmt.Sprintf(`{"domain":%q,"id":%q,"scopes":[],"uris":%s}`, buyerDomain, buyerName, addresses)
	return fmt.Sprintf(`{"domain":%q,"id":%q,"type":"REQUESTER_TYPE_AGENT","scopes":[],"uris":%s,"intended_use":["FUNCTION_AI_INPUT"],"signature":%q,"signature_algorithm":"ed25519"}`,
		buyerDomain, buyerName, addresses, base64.StdEncoding.EncodeToString(ed25519.Sign(buyerKey(), []byte(payload))))
}

func signedQuery() string {
	return fmt.Sprintf(`{"ver":"1.0","id":"q","requester":%s}`, buyer(`["`+soldAddress+`"]`))
}

// offered waits until there is an offer.
func offered(b testing.TB, url, body string) {
	b.Helper()
	for range 300 {
		answer, err := http.Post(url, "application/json", strings.NewReader(body))
		if err != nil {
			b.Fatal(err)
		}
		text, _ := io.ReadAll(answer.Body)
		answer.Body.Close()
		var got struct {
			Offers []struct{} `json:"offers"`
		}
		if json.Unmarshal(text, &got) == nil && len(got.Offers) == 1 {
			return
		}
		time.Sleep(100 * time.Millisecond) // the content and the key are there within a second or so
	}
	b.Fatal("there is no offer")
}

// bought is how many accesses the buyer has paid for, less those that it was paid back.
func bought(b testing.TB, config string) int {
	b.Helper()
	shown := process.MustRun(b, "ramp", "account", "list", "--json", "--config", config, buyerDomain+"/"+buyerName)
	var accounts []struct {
		Earned float64 `json:"earned,string"`
	}
	if err := json.Unmarshal([]byte(shown), &accounts); err != nil || len(accounts) != 1 {
		b.Fatalf("%v in %s", err, shown)
	}
	return int(accounts[0].Earned*100 + 0.5)
}

// run is what wrk says of a run.
type run struct {
	requests int
	rate     float64 // a second
}

var told = regexp.MustCompile(`(?m)^\s+(\d+) requests in |^Requests/sec:\s+([0-9.]+)|^\s+(Non-2xx.*|Socket errors.*)`)

// wrk has 64 clients post by a script for some seconds.
func wrk(b *testing.B, url, script, what string, seconds int) (r run) {
	b.Helper()
	out, err := exec.Command("wrk", "-t2", "-c64", fmt.Sprintf("-d%ds", seconds), "--latency", "-s", script, url, "--",
		what).CombinedOutput()
	if err != nil {
		b.Fatalf("wrk: %v\n%s", err, out)
	}
	b.Logf("%s\n%s", what, out)
	for _, found := range told.FindAllStringSubmatch(string(out), -1) {
		switch {
		case found[1] != "":
			r.requests, _ = strconv.Atoi(found[1])
		case found[2] != "":
			r.rate, _ = strconv.ParseFloat(found[2], 64)
		default:
			b.Errorf("%s: %s", what, found[3])
		}
	}
	if r.requests == 0 {
		b.Errorf("%s: nothing was answered", what)
	}
	return r
}

// lua is the script: to discover is always the same message; to stock is the same, with the offers
// written down, by each thread in its own file; to execute takes each of these once.
const lua = `
local folder, query, buyer = %q, %q, %q
local threads = 0
function setup(thread)
  threads = threads + 1
  thread:set("number", threads)
end
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
local taken = 0
function init(args)
  what = args[1]
  local name = folder .. "/offers-" .. number
  if what == "stock" then
    offers = io.open(name, "w")
    response = function(status, headers, body)
      local id, signature = body:match('"offer_id":%%s*"([^"]+)"'), body:match('"exchange_signature":%%s*"([^"]+)"')
      if id and signature then offers:write(id, " ", signature, "\n") end
    end
  elseif what == "execute" then
    offers = io.open(name, "r")
  end
  made = wrk.format(nil, nil, nil, query)
end
function request()
  if what ~= "execute" then return made end
  local line = offers:read("*l")
  if not line then
    wrk.thread:stop()
    return made
  end
  local id, signature = line:match("(%%S+) (%%S+)")
  taken = taken + 1
  return wrk.format(nil, nil, nil, '{"ver":"1.0","id":"' .. id .. '","offer_id":"' .. id .. '","offer_signature":"' .. signature .. '","requester":' .. buyer .. '}')
end
`
