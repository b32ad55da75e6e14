package edge

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/testkit/process"
)

// house is a front desk that is gate and Exchange in one, with something to sell, and a buyer who
// has paid in. site is written into the site behind the gate, delivery into how what is bought is
// delivered there; both may be empty.
func house(t *testing.T, site, delivery string) (w *world, address, config string,
	get func(path, userAgent string, headers ...string) reply) {
	t.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(free.Addr().String())
	free.Close()
	w = &world{dir: t.TempDir()}
	address = "http://localhost:" + port
	if err := os.Mkdir(filepath.Join(w.dir, "content"), 0o700); err != nil {
		t.Fatal(err)
	}
	w.write(t, "content/items.jsonl", `{"@type":"Article","url":"`+address+`/premium/lamp","name":"The lamp","articleBody":"A lamp that is described at length, and costs something for agents."}
{"@type":"Article","url":"`+address+`/news/chair","name":"The chair","articleBody":"A chair that everybody may read of."}
`)
	config = filepath.Join(w.dir, "frontdesk.yaml")
	w.write(t, "frontdesk.yaml", `
listen: 127.0.0.1:`+port+`
url: http://127.0.0.1:`+port+`
data: data
metrics: {listen: off}
site: {name: Example, url: "`+address+`"}
sources: [{path: content}]
fetch: {allow: ["127.0.0.0/8", "::1"]}
terms:
  - match: {path: "/premium/**"}
    access: licensed
    price: {model: per_access, rate: "0.02", currency: USD}
    functions: {permit: [ai-input, search]}
  - match: {}
    access: open
ramp:
  enabled: true
  domain: desk.example.com
  signatures: none
  delivery: [{name: gate, match: {}, at: "`+address+`", form: hmac`+delivery+`}]
edge:
  spool: {every: 50ms}
  sites: [{domain: localhost, url: "`+address+`"`+site+`}]
`)
	process.MustRun(t, "ingest", "--config", config)
	process.MustRun(t, "keys", "issue", "delivery", "gate", "--config", config)
	var keys []struct{ Kind, ID string }
	if err := json.Unmarshal([]byte(process.MustRun(t, "keys", "list", "--json", "--config", config)),
		&keys); err != nil {
		t.Fatal(err)
	}
	for _, key := range keys {
		if key.Kind == "delivery" {
			process.MustRun(t, "keys", "activate", key.ID, "--config", config)
		}
	}
	process.MustRun(t, "ramp", "requester", "add", "buyer.example.com", "research-bot", "--config", config)
	process.MustRun(t, "ramp", "account", "open", "buyer.example.com/research-bot", "USD", "--config", config)
	process.MustRun(t, "ramp", "account", "credit", "buyer.example.com/research-bot", "10", "USD", "--config", config)
	w.Server = process.Start(t, "serve", "--config", config)
	get = func(path, userAgent string, headers ...string) reply {
		return w.say(t, "GET", "GET "+path+" HTTP/1.1\r\nHost: localhost:"+port+"\r\nUser-Agent: "+userAgent+
			"\r\nConnection: close\r\n"+strings.Join(append(headers, ""), "\r\n")+"\r\n")
	}
	deadline, tick := time.Now().Add(patience), time.NewTicker(20*time.Millisecond)
	defer tick.Stop()
	for get("/news/chair", robot).status != 200 { // before the content is loaded nothing is known of it
		if time.Now().After(deadline) {
			t.Fatal("the gate does not know the policy")
		}
		<-tick.C
	}
	return w, address, config, get
}

// buy buys an item, and gives what was fetched at the address of the purchase.
func (w *world) buy(t *testing.T, config, uri string) string {
	t.Helper()
	return process.MustRun(t, "ramp", "buy", w.URL, uri, "--as", "buyer.example.com/research-bot", "--unsigned",
		"--use", "ai-input", "--yes", "--config", config)
}

// TestServeIsGateAndExchangeInOne buys at the front desk and fetches through its own gate; what
// left is in its ledger.
func TestServeIsGateAndExchangeInOne(t *testing.T) {
	t.Parallel()
	o := newOrigin(t)
	w, address, config, get := house(t, `, origin: "http://`+o.Addr().String()+`"`, "")
	w.origin = o
	host := strings.TrimPrefix(address, "http://")
	if r := get("/premium/lamp", robot); r.status != 403 ||
		!strings.Contains(r.body, address+"/.well-known/ramp.json") || r.header.Get("Content-Security-Policy") != "" {
		t.Errorf("an agent without a licence: %d %v %s", r.status, r.header, r.body)
	}
	if r := get("/premium/lamp", person); r.status != 200 || r.body != text("/premium/lamp") {
		t.Errorf("a person: %d %s", r.status, r.body)
	}
	if r := get("/.well-known/ramp.json", robot); r.status != 200 || !strings.Contains(r.body, `"provider": "localhost"`) {
		t.Errorf("ramp.json: %d %s", r.status, r.body)
	}
	if r := w.say(t, "GET",
		"GET /readyz HTTP/1.1\r\nHost: "+host+"\r\nConnection: close\r\n\r\n"); r.body != text("/readyz") {
		t.Errorf("a path of the site's that the front desk has, too: %d %s", r.status, r.body)
	}
	w.origin.got()
	if bought := w.buy(t, config, address+"/premium/lamp"); bought != text("/premium/lamp") {
		t.Errorf("what was bought is %q", bought)
	}
	if got := w.origin.got(); len(got) != 1 || got[0].target != "/premium/lamp" {
		t.Errorf("the origin got %+v", got)
	}
	w.End(t) // which tells what it delivered
	ledger := process.MustRun(t, "ledger", "export", "--config", config)
	if !strings.Contains(ledger, `"kind":"delivery"`) || !strings.Contains(ledger, fmt.Sprintf(`"bytes":%d`, len(text("/premium/lamp")))) {
		t.Errorf("the ledger does not tell of the delivery:\n%s", ledger)
	}
}

// TestServeDeliversFromItsOwnContent has no origin: what is open is for everyone, what was bought
// for who bought it, and nothing else leaves.
func TestServeDeliversFromItsOwnContent(t *testing.T) {
	t.Parallel()
	w, address, config, get := house(t, "", "")
	const lamp, chair = "A lamp that is described at length", "A chair that everybody may read of."
	if r := get("/news/chair", person, "Accept: text/html"); r.status != 200 ||
		!strings.Contains(r.body, "<p>"+chair) || !strings.HasPrefix(r.header.Get("Content-Type"), "text/html") {
		t.Errorf("what is open: %d %v %s", r.status, r.header, r.body)
	}
	for _, who := range []string{person, robot} {
		for _, path := range []string{"/premium/lamp", "/premium/lamp?x=1",
			"/premium/lamp?sig=" + strings.Repeat("0", 64), "/premium/none", "/none"} {
			if r := get(path, who); r.status != 403 && r.status != 404 || strings.Contains(r.body, "described") {
				t.Errorf("%s as %s: %d %s", path, who, r.status, r.body)
			}
		}
	}
	if bought := w.buy(t, config, address+"/premium/lamp"); !strings.Contains(bought, lamp) {
		t.Errorf("what was bought is %q", bought)
	}
	w.End(t)
	if ledger := process.MustRun(t, "ledger", "export", "--config", config); strings.Count(ledger, `"kind":"delivery"`) != 1 {
		t.Errorf("the ledger does not tell of one delivery:\n%s", ledger)
	}
}

// TestTheLicenceOpensWhatWasBought sells to who names a licence what the gate gives to who shows
// it.
func TestTheLicenceOpensWhatWasBought(t *testing.T) {
	t.Parallel()
	o := newOrigin(t)
	w, address, config, get := house(t, `, license: require, origin: "http://`+o.Addr().String()+`"`, ", agent: license")
	w.origin = o
	w.origin.got()
	const buyer = "buyer.example.com/research-bot"
	process.MustRun(t, "ramp", "license", "add", "gold", buyer, "--paid", "per_access", "--config", config)
	buying := []string{"ramp", "buy", w.URL, address + "/premium/lamp", "--as", buyer, "--unsigned", "--use",
		"ai-input", "--yes", "--config", config}
	if _, out, err := process.Run(t, buying...); err == nil || !strings.Contains(out, "invalid license") {
		t.Errorf("without a licence: %v, %s", err, out)
	}
	saved := filepath.Join(w.dir, "lamp.json")
	if got := process.MustRun(t,
		append(buying, "--license", "gold", "--save", saved)...); got != text("/premium/lamp") {
		t.Errorf("with it: %q", got)
	}
	if got := w.origin.got(); len(got) != 1 || got[0].header.Get("X-Agent-License-Id") != "" {
		t.Errorf("the origin got %+v", got)
	}
	record, err := os.ReadFile(saved)
	if err != nil {
		t.Fatal(err)
	}
	_, signed, found := strings.Cut(string(record), address)
	for found && !strings.HasPrefix(signed, "/premium/lamp?") {
		_, signed, found = strings.Cut(signed, address)
	}
	signed, _, _ = strings.Cut(signed, `"`)
	signed = strings.ReplaceAll(signed, `\u0026`, "&")
	for header, want := range map[string]int{
		"": 403, "X-Agent-License-Id: silver": 403, "X-Agent-License-Id: gold": 200,
	} {
		var headers []string
		if header != "" {
			headers = append(headers, header)
		}
		if r := get(signed, robot, headers...); r.status != want {
			t.Errorf("%q: %d, not %d: %s", header, r.status, want, r.body)
		}
	}
}
