// Package check holds `frontdesk check` against RAMP's servers: a front desk that keeps the
// protocol passes every probe, and for each probe one that is wrong on purpose does not.
package check

import (
	"bytes"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/check"
	"frontdesk/internal/testkit/process"
)

func TestMain(m *testing.M) { process.Main(m) }

// fair is a market stall with a mirror before it, which can lie.
type fair struct {
	url    string // of the mirror, by which the front desk knows itself
	buyer  *check.Buyer
	config string
	lie    atomic.Pointer[lie]
	good   atomic.Pointer[[]byte] // the last honest answer to a query for the first article
}

// exchanged is a request, and its honest answer.
type exchanged struct {
	path, request string
	status        int
	header        http.Header
	body          []byte
	good          []byte // what the buyer was answered last
}

// lie changes an answer.
type lie func(*exchanged)

const first, other = "https://shop.example/articles/one", "https://shop.example/articles/two"

func open(t *testing.T) *fair {
	t.Helper()
	dir := t.TempDir()
	f := &fair{config: filepath.Join(dir, "frontdesk.yaml")}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f.url = "http://" + listener.Addr().String()
	for name, text := range map[string]string{
		"content/articles/one.md": "---\ntitle: One\nauthor: Ann\n---\n" +
			"The first article is about one thing, and tells it twice.\n",
		"content/articles/two.md": "---\ntitle: Two\nauthor: Ann\n---\nThe second article is about another thing.\n",
		"frontdesk.yaml": fmt.Sprintf(`
listen: 127.0.0.1:0
data: data
keys: keys
metrics: {listen: "off"}
url: %s
limits: {rate: {address: "", failures: ""}}
site: {id: shop, name: Shop, url: "https://shop.example"}
sources: [{path: content}]
terms:
  - {match: {}, access: licensed, functions: {permit: [ai-input, search]}, price: {model: per_access, rate: "0.02", currency: EUR}}
ramp: {enabled: true, signatures: required, requester_rate: ""}
`, f.url),
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	public, key, _ := ed25519.GenerateKey(nil)
	f.buyer = &check.Buyer{ID: "bot", Domain: "buyer.example", Key: key}
	der, err := x509.MarshalPKIXPublicKey(public)
	if err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) { process.MustRun(t, append(args, "--config", f.config)...) }
	run("ingest")
	run("ramp", "requester", "add", "--key", base64.StdEncoding.EncodeToString(der), "buyer.example", "bot")
	run("ramp", "account", "open", "buyer.example/bot", "EUR")
	run("ramp", "account", "credit", "buyer.example/bot", "100", "EUR")
	server := process.Start(t, "serve", "--config", f.config)
	to, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	mirror := &httputil.ReverseProxy{
		Rewrite:        func(r *httputil.ProxyRequest) { r.SetURL(to); r.Out.Host = r.In.Host },
		ModifyResponse: f.answered,
	}
	web := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		r.Header.Set("X-Request-Body", base64.StdEncoding.EncodeToString(body))
		mirror.ServeHTTP(w, r)
	}))
	_ = web.Listener.Close()
	web.Listener = listener
	web.Start()
	t.Cleanup(web.Close)
	return f
}

// answered shows an answer to the lie.
func (f *fair) answered(response *http.Response) error {
	asked, err := base64.StdEncoding.DecodeString(response.Request.Header.Get("X-Request-Body"))
	if err != nil {
		return err
	}
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	x := &exchanged{path: response.Request.URL.Path, request: string(asked), status: response.StatusCode,
		header: response.Header, body: body}
	if strings.HasSuffix(x.path, "/DiscoverResources") && x.status == http.StatusOK && bytes.Contains(body, []byte(`"offer_id"`)) {
		f.good.CompareAndSwap(nil, &body)
	}
	if good := f.good.Load(); good != nil {
		x.good = *good
	}
	if told := f.lie.Load(); told != nil {
		(*told)(x)
	}
	response.StatusCode, response.Body = x.status, io.NopCloser(bytes.NewReader(x.body))
	response.ContentLength = int64(len(x.body))
	response.Header.Set("Content-Length", fmt.Sprint(len(x.body)))
	return nil
}

// look has the Exchange looked at while it lies.
// Of the probes beyond those of documents, spending buys, too.
func (f *fair) look(t *testing.T, told lie, asking, spending bool) map[string][]check.Result {
	t.Helper()
	if told == nil {
		told = func(*exchanged) {}
	}
	f.good.Store(nil)
	f.lie.Store(&told)
	var o check.Options
	if asking {
		o.Buyer, o.URIs, o.Uses = f.buyer, []string{first, other}, []string{"FUNCTION_AI_INPUT"}
	}
	if spending {
		o.Spend = &check.Spend{Amount: 0.05, Currency: "EUR"}
	}
	report, err := check.Exchange(t.Context(), f.url, o)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string][]check.Result{}
	for _, r := range report.Results {
		found[r.Probe] = append(found[r.Probe], r)
	}
	return found
}

func worst(results []check.Result) check.Outcome {
	for _, outcome := range []check.Outcome{check.Wrong, check.Doubtful, check.Passed} {
		if slices.ContainsFunc(results, func(r check.Result) bool { return r.Outcome == outcome }) {
			return outcome
		}
	}
	return check.Skipped
}

// on tells a lie at addresses that end so.
func on(path string, told lie) lie {
	return func(x *exchanged) {
		if strings.HasSuffix(x.path, path) {
			told(x)
		}
	}
}

// saying tells a lie about requests that hold one of the texts.
func saying(path string, told lie, texts ...string) lie {
	return on(path, func(x *exchanged) {
		if slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(x.request, text) }) {
			told(x)
		}
	})
}

func status(code int) lie { return func(x *exchanged) { x.status = code } }

// with answers 200 with a text.
func with(text string) lie {
	return func(x *exchanged) {
		x.status, x.body = http.StatusOK, []byte(text)
		x.header.Set("Content-Type", "application/json")
	}
}

// anybody answers what the buyer was answered, whatever the Exchange says.
func anybody(x *exchanged) {
	if x.status != http.StatusOK || !bytes.Contains(x.body, []byte(`"offer_id"`)) {
		with(string(x.good))(x)
	}
}

// edit changes the JSON of an answer of success.
func edit(change func(map[string]any)) lie {
	return func(x *exchanged) {
		var members map[string]any
		if x.status != http.StatusOK || json.Unmarshal(x.body, &members) != nil {
			return
		}
		change(members)
		x.body, _ = json.Marshal(members)
	}
}

// offers changes every offer of an answer.
func offers(change func(map[string]any)) lie {
	return on("/DiscoverResources", edit(func(answer map[string]any) {
		list, _ := answer["offers"].([]any)
		groups, _ := answer["offer_groups"].([]any)
		for _, g := range groups {
			more, _ := g.(map[string]any)["offers"].([]any)
			list = append(list, more...)
		}
		for _, offer := range list {
			change(offer.(map[string]any))
		}
	}))
}

const (
	discover, execute = "/DiscoverResources", "/ExecuteTransaction"
	manifest          = "/.well-known/ramp-exchange.json"
)

// sold is an answer that sells.
const sold = `{"ver":"1.0","id":"x","transaction_id":"txn-forged","billing_id":"bill-forged","agent_identity_hash":"00"}`

// lies are wrong servers, by the probe that has to find them, with how it has to take them.
var lies = map[string]struct {
	told    lie
	outcome check.Outcome
}{
	"exchange.wellknown.served": {on(manifest, status(404)), check.Wrong},
	"exchange.document": {on(manifest, edit(func(m map[string]any) {
		m["pricing_models_supported"] = []string{"barter"}
		m["catalog_endpoint"] = "http://elsewhere.example"
	})), check.Wrong},
	"exchange.wellknown.type": {on(manifest, func(x *exchanged) { x.header.Set("Content-Type", "text/html") }),
		check.Wrong},
	"exchange.wellknown.cors": {on(manifest, func(x *exchanged) { x.header.Del("Access-Control-Allow-Origin") }),
		check.Doubtful},
	"exchange.wellknown.max-age": {on(manifest, func(x *exchanged) { x.header.Set("Cache-Control", "max-age=86400") }),
		check.Doubtful},
	"exchange.wellknown.host": {on(manifest, edit(func(m map[string]any) { m["domain"] = "elsewhere.example" })),
		check.Doubtful},
	"exchange.keys.served": {on("/keys", status(404)), check.Wrong},
	"exchange.keys.document": {on("/keys",
		edit(func(m map[string]any) { m["keys"].([]any)[0].(map[string]any)["status"] = "rotated" })), check.Wrong},
	"exchange.health": {on("/healthz", status(503)), check.Wrong},

	"exchange.form.malformed": {saying(discover, with(`{}`), `{"ver":`), check.Wrong},
	"exchange.form.empty": {on(discover, func(x *exchanged) {
		if x.request == "{}" {
			x.status = 500
		}
	}), check.Wrong},
	"exchange.form.unknown": {on("/SellEverything", with(`{}`)), check.Wrong},

	"exchange.discover":                {on(discover, status(500)), check.Wrong},
	"exchange.auth.unsigned":           {on(discover, anybody), check.Doubtful},
	"exchange.auth.other-key":          {on(discover, anybody), check.Wrong},
	"exchange.auth.changed":            {on(discover, anybody), check.Wrong},
	"exchange.auth.stale":              {on(discover, anybody), check.Wrong},
	"exchange.discover.camel":          {saying(discover, status(400), `"intendedUse"`), check.Wrong},
	"exchange.discover.enum-number":    {saying(discover, status(400), `"type":1`), check.Wrong},
	"exchange.discover.unknown-member": {saying(discover, status(400), `"check_unknown"`), check.Wrong},
	"exchange.discover.critical":       {saying(discover, anybody, `"check.unknown"`), check.Wrong},
	"exchange.discover.deadline":       {saying(discover, anybody, `"deadline"`), check.Wrong},
	"exchange.discover.absent":         {saying(discover, anybody, `/check-`), check.Doubtful},
	"exchange.discover.prefix":         {on(discover, anybody), check.Doubtful},
	"exchange.discover.several": {saying(discover, edit(func(answer map[string]any) {
		if groups, _ := answer["offer_groups"].([]any); len(groups) > 1 {
			slices.Reverse(groups)
		}
	}), other), check.Wrong},

	"exchange.offer.valid": {offers(func(o map[string]any) { delete(o["pricing"].(map[string]any), "currency") }),
		check.Wrong},
	"exchange.offer.signed": {offers(func(o map[string]any) { o["pricing"].(map[string]any)["rate"] = 0.01 }),
		check.Wrong},
	"exchange.offer.ends": {offers(func(o map[string]any) { o["expires_at"] = "2020-01-01T00:00:00Z" }),
		check.Wrong},
	"exchange.offer.ids": {offers(func(o map[string]any) { o["offer_id"] = "offer-1" }), check.Doubtful},
	"exchange.offer.mutability": {offers(func(o map[string]any) {
		delete(o["identity"].(map[string]any), "resource_mutability")
	}), check.Wrong},

	"exchange.execute.nothing": {saying(execute, func(x *exchanged) {
		if !strings.Contains(x.request, "offer_id") {
			with(sold)(x)
		}
	}, "requester"), check.Wrong},
	"exchange.execute.forged": {on(execute, func(x *exchanged) {
		if bytes.Contains(x.body, []byte("SIGNATURE_INVALID")) {
			with(sold)(x)
		}
	}), check.Wrong},
	"exchange.execute.unknown": {on(execute, func(x *exchanged) {
		if bytes.Contains(x.body, []byte("denial_reason")) {
			with(sold)(x)
		}
	}), check.Wrong},
	"exchange.report.unknown":  {on("/ReportUsage", with(`{"accepted":true,"report_id":"rep-1"}`)), check.Wrong},
	"exchange.dispute.unknown": {on("/DisputeTransaction", with(`{"accepted":true,"dispute_id":"dsp-1"}`)), check.Wrong},

	"exchange.buy": {on(execute, edit(func(a map[string]any) {
		if a["cost"] != nil {
			a["cost"].(map[string]any)["amount"] = 0.2
		}
	})), check.Wrong},
	"exchange.buy.identity": {on(execute, edit(func(a map[string]any) { delete(a, "agent_identity_hash") })),
		check.Wrong},
	"exchange.buy.again": {on(execute, edit(func(a map[string]any) {
		if a["transaction_id"] != nil {
			a["transaction_id"] = fmt.Sprint("txn-", time.Now().UnixNano())
		}
	})), check.Wrong},
	"exchange.buy.other": {on(execute, func(x *exchanged) {
		if bytes.Contains(x.body, []byte("already_exists")) {
			with(sold)(x)
		}
	}), check.Wrong},
	"exchange.fetch": {func(x *exchanged) {
		if strings.HasPrefix(x.path, "/deliver/") {
			x.body = []byte("something else")
		}
	}, check.Doubtful},
	"exchange.report": {on("/ReportUsage", with(`{"accepted":false,"rejection_reason":"no"}`)), check.Wrong},
}

func TestAnExchangeThatKeepsTheProtocolPassesAndEachThatDoesNotIsFound(t *testing.T) {
	t.Parallel()
	f := open(t)
	honest := f.look(t, nil, true, true)
	for probe, results := range honest {
		for _, r := range results {
			about := r.Pointer == "base_currency" || r.Pointer == "contact_email" || r.Pointer == "terms_uri" ||
				probe == "exchange.wellknown.https"
			if r.Outcome != check.Passed && !about {
				t.Errorf("%+v", r)
			}
		}
		if _, tried := lies[probe]; !tried && probe != "exchange.wellknown.https" {
			t.Errorf("%s was never seen to find anything", probe)
		}
	}
	for probe, wrong := range lies {
		t.Run(probe, func(t *testing.T) {
			if honest[probe] == nil {
				t.Fatal("there is no such probe")
			}
			kind := strings.Split(probe, ".")[1]
			spending := kind == "buy" || kind == "fetch" || probe == "exchange.report"
			asking := spending || kind == "discover" || kind == "auth" || kind == "offer" || kind == "execute" ||
				probe == "exchange.report.unknown" || kind == "dispute"
			if results := f.look(t, wrong.told, asking, spending)[probe]; worst(results) != wrong.outcome {
				t.Errorf("the Exchange lies, and the probe says %+v, want %s", results, wrong.outcome)
			}
		})
	}
}

// TestAProviderIsLookedAt holds what is said of a site's own documents.
func TestAProviderIsLookedAt(t *testing.T) {
	t.Parallel()
	f := open(t)
	look := func(told lie) map[string][]check.Result {
		if told == nil {
			told = func(*exchanged) {}
		}
		f.lie.Store(&told)
		report, err := check.Provider(t.Context(), f.url, check.Options{})
		if err != nil {
			t.Fatal(err)
		}
		found := map[string][]check.Result{}
		for _, r := range report.Results {
			found[r.Probe] = append(found[r.Probe], r)
		}
		return found
	}
	honest := look(nil)
	for probe, results := range honest {
		for _, r := range results {
			about := r.Pointer == "contact" ||
				slices.Contains([]string{"ramp.wellknown.https", "ramp.wellknown.host", "ramp.agent.document"}, probe)
			if r.Outcome != check.Passed && !about {
				t.Errorf("%+v", r)
			}
		}
	}
	const document = "/.well-known/ramp.json"
	for probe, wrong := range map[string]struct {
		told    lie
		outcome check.Outcome
	}{
		"ramp.wellknown.served": {on(document, status(404)), check.Wrong},
		"ramp.document": {
			on(document,
				edit(func(m map[string]any) {
					m["exchanges"].([]any)[0].(map[string]any)["domain"] = "https://x.example/"
				})), check.Wrong,
		},
		"ramp.wellknown.type": {
			on(document, func(x *exchanged) { x.header.Set("Content-Type", "text/plain") }), check.Wrong,
		},
		"ramp.wellknown.max-age": {on(document, func(x *exchanged) { x.header.Del("Cache-Control") }), check.Doubtful},
		"ramp.exchange.served":   {on(manifest, status(404)), check.Wrong},
		"ramp.exchange.endpoint": {on(manifest,
			edit(func(m map[string]any) { m["exchange_endpoint"] = "https://elsewhere.example" })), check.Doubtful},
		"ramp.verifier.document": {
			on("/.well-known/ramp-verifier.json", edit(func(m map[string]any) { delete(m, "verifier") })), check.Wrong,
		},
		"ramp.agent.document": {on("/.well-known/ramp-agent.json", with(`{"agent_id":"x","keys":[]}`)), check.Wrong},
		"ramp.rsl.named": {
			on("/robots.txt", func(x *exchanged) { x.body = []byte("User-agent: *\n") }), check.Doubtful,
		},
		"ramp.rsl.served": {
			on("/robots.txt", func(x *exchanged) { x.body = []byte("License: /gone.xml\n") }), check.Wrong,
		},
		"ramp.rsl.type": {
			on("/rsl.txt", func(x *exchanged) { x.header.Set("Content-Type", "text/html") }), check.Doubtful,
		},
		"ramp.rsl.document": {
			on("/rsl.txt", func(x *exchanged) {
				x.body = bytes.Replace(x.body, []byte("0.02"), []byte("two cents"), 1)
			}), check.Wrong,
		},
		"ramp.wellknown.cors": {
			on(document, func(x *exchanged) { x.header.Del("Access-Control-Allow-Origin") }), check.Doubtful,
		},
	} {
		if results := look(wrong.told)[probe]; worst(results) != wrong.outcome {
			t.Errorf("%s: the site lies, and the probe says %+v, want %s", probe, results, wrong.outcome)
		}
	}
}

// TestTheCommandChecks has the command look at an Exchange with a key of its own making, at a file,
// and at an address that is none.
func TestTheCommandChecks(t *testing.T) {
	t.Parallel()
	f := open(t)
	process.MustRun(t, "keys", "agent", "--config", f.config)
	out, _, err := process.Run(t, "check", f.url, "--buyer", "stranger.example/bot", "--config", f.config, "--uri",
		first, "--use", "ai-input")
	if err == nil || !strings.Contains(out, "exchange.discover") ||
		!strings.Contains(out, "ramp-agent.json of stranger.example") {
		t.Errorf("a stranger is let in: %v\n%s", err, out)
	}
	file := filepath.Join(t.TempDir(), "rsl.xml")
	for text, want := range map[string]string{
		`<rsl xmlns="https://rslstandard.org/rsl"><content url="/"><license><permits type="usage">ai-input</permits><payment type="purchase"><amount currency="EUR">0.02</amount></payment></license></content></rsl>`: "errors: 0, warnings: 0",
		`<rsl xmlns="https://rslstandard.org/rsl"><content url="/"><license><permits type="usage">ai-input</permits><payment type="purchase"><amount>0,02</amount></payment></license></content></rsl>`:                `"0,02" is no amount`,
		`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:r="https://ramp.dev/sitemap/1.0"><url><loc>/a</loc><r:content><r:rate>x</r:rate></r:content></url></urlset>`:                                `"x" is no rate`,
		`{"ver":"1.0","provider":"a.example","exchanges":[]}`: "no Exchange is listed",
		`<rsl xmlns="https://rslstandard.org/rsl"><content url="/"><permits type="usage">ai-input</permits><payment type="crawl" currency="EUR" amount="0.02"/></content></rsl>`: "stands in no licence",
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		out, stderr, err := process.Run(t, "check", file)
		if !strings.Contains(out, want) || (err == nil) == strings.Contains(want, `"`) {
			t.Errorf("%s\nsays %v\n%s%s", text, err, out, stderr)
		}
	}
	if _, stderr, err := process.Run(t, "check", f.url, "--uri", first); err == nil ||
		!strings.Contains(stderr, "--buyer DOMAIN/ID") {
		t.Errorf("an address without a buyer: %v %s", err, stderr)
	}
}
