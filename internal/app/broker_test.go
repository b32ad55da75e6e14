package app

import (
	apphttp "frontdesk/internal/app/http"

	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"frontdesk/biscuit"
	"frontdesk/internal/content"
	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/testkit/storetest"
	"frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
)

// own is one process that is an Exchange and a Broker that buys there, and listens.
type own struct {
	*App
	t   *testing.T
	log *logbook
	url string
}

func openOwn(t *testing.T, replace ...string) *own {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	o := &own{t: t, log: &logbook{}, url: "http://" + listener.Addr().String()}
	loaded, err := Load(Layers{
		File: write(t, t.TempDir(), "frontdesk.yaml", strings.NewReplacer(replace...).Replace(`
url: `+o.url+`
fetch: {allow: [127.0.0.0/8]}
roles: [broker]
site: {id: `+DefaultSite+`, name: House, url: "`+o.url+`"}
terms:
  - {match: {path: "/premium/**"}, access: licensed, scopes: ["premium:food"], price: {model: per_access, rate: "0.02", currency: USD}, reporting: {window: 24h}}
  - {match: {}, access: licensed, price: {model: per_access, rate: "0.02", currency: USD}, reporting: {window: 24h}}
ramp: {enabled: true, signatures: none, domain: shop.example}
broker:
  deadline: 10s
  buy_within: 15s
  exchanges: [{domain: shop.example, url: "`+o.url+`"}]
`)),
		Flags: map[string]string{"metrics.listen": "127.0.0.1:0", "log.level": "debug", "keys": t.TempDir(),
			"data": t.TempDir(), "store": storetest.ChosenDSN(t, tables...)},
	})
	if err != nil {
		t.Fatal(err)
	}
	if o.App, err = Build(t.Context(), Options{Loaded: loaded, Listener: listener,
		Log: NewLog(Log{Level: "debug", Format: "json"}, o.log)}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { o.App.Close() })
	var all []content.Item
	for _, path := range []string{"/soup", "/premium/soup"} {
		all = append(all, content.Item{
			URL: o.url + path, Types: []string{"Recipe"}, Name: "Lentil soup", Description: "A soup of lentils.",
			Object: []byte(`{"@type":"Recipe","name":"Lentil soup","url":"` + o.url + path + `"}`),
		})
	}
	fill(t, o.App, all...)
	if err := o.ChangeAccounts(t.Context(), func(tx *store.Tx) error {
		if err := o.Accounts.Open(t.Context(), tx, "buyer.example/bot", "USD", 0, o.now()); err != nil {
			return err
		}
		_, err := o.Accounts.Pay(t.Context(), tx, "credit", "buyer.example/bot", "USD", 1e8, "", o.now())
		return err
	}); err != nil {
		t.Fatal(err)
	}
	run(t, o.App)
	return o
}

// request is one to the Broker.
func (o *own) request(id, path string) *rampv1.RAMPRequest {
	return &rampv1.RAMPRequest{Ver: "1.0", Id: id, Requester: &rampv1.Requester{Id: "bot", Domain: "buyer.example",
		Uris: []string{o.url + path}, IntendedUse: []string{"ai-input"}}}
}

// post sends a body, and gives what came back.
func (o *own) post(client *http.Client, path, kind string, body []byte, headers ...string) (*http.Response, []byte) {
	o.t.Helper()
	request, err := http.NewRequest(http.MethodPost, o.url+path, bytes.NewReader(body))
	if err != nil {
		o.t.Fatal(err)
	}
	request.Header.Set("Content-Type", kind)
	response, err := client.Do(with(request, headers...))
	if err != nil {
		o.t.Fatal(path, kind, err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		o.t.Fatal(path, kind, err)
	}
	return response, text
}

// framed is a message of gRPC.
func framed(message []byte) []byte {
	return append(binary.BigEndian.AppendUint32([]byte{0}, uint32(len(message))), message...)
}

// unframed are the messages of gRPC in a body, and the trailer that gRPC-Web has there.
func unframed(t *testing.T, body []byte) (message []byte, trailer string) {
	t.Helper()
	for len(body) > 0 {
		if len(body) < 5 || len(body)-5 < int(binary.BigEndian.Uint32(body[1:])) {
			t.Fatalf("a frame is cut off: %q", body)
		}
		n := int(binary.BigEndian.Uint32(body[1:]))
		if body[0]&0x80 != 0 {
			trailer = string(body[5 : 5+n])
		} else {
			message = body[5 : 5+n]
		}
		body = body[5+n:]
	}
	return message, trailer
}

// resolvers are the ways to ask the broker.Settings, by name: each gives the answer, and the code
// of a failure as the way tells it.
func (o *own) resolvers() map[string]func(*rampv1.RAMPRequest) (*rampv1.RAMPResponse, string) {
	const rpc = "/ramp.v1.BrokerService/Resolve"
	over2 := &http.Client{Transport: &http.Transport{Protocols: new(http.Protocols)}}
	over2.Transport.(*http.Transport).Protocols.SetUnencryptedHTTP2(true)
	o.t.Cleanup(over2.CloseIdleConnections)
	write := func(m *rampv1.RAMPRequest, binary bool) []byte {
		body, err := ramp.Marshal(m)
		if binary {
			body, err = proto.Marshal(m)
		}
		if err != nil {
			o.t.Fatal(err)
		}
		return body
	}
	read := func(text []byte, binary bool) *rampv1.RAMPResponse {
		out := &rampv1.RAMPResponse{}
		err := error(nil)
		if binary {
			err = proto.Unmarshal(text, out)
		} else {
			err = ramp.Unmarshal(text, out)
		}
		if err != nil {
			o.t.Fatalf("%v: %s", err, text)
		}
		return out
	}
	plain := func(path, kind string, binary bool) func(*rampv1.RAMPRequest) (*rampv1.RAMPResponse, string) {
		return func(m *rampv1.RAMPRequest) (*rampv1.RAMPResponse, string) {
			response, text := o.post(http.DefaultClient, path, kind, write(m, binary))
			if response.StatusCode != http.StatusOK {
				var told struct{ Code string }
				_ = json.Unmarshal(text, &told)
				return nil, told.Code
			}
			return read(text, binary), ""
		}
	}
	return map[string]func(*rampv1.RAMPRequest) (*rampv1.RAMPResponse, string){
		"plain JSON":      plain("/broker/v1/resolve", "application/json", false),
		"Connect, JSON":   plain(rpc, "application/json", false),
		"Connect, binary": plain(rpc, "application/proto", true),
		"gRPC": func(m *rampv1.RAMPRequest) (*rampv1.RAMPResponse, string) {
			response, text := o.post(over2, rpc, "application/grpc+proto", framed(write(m, true)), "TE", "trailers")
			status := response.Trailer.Get("Grpc-Status") + response.Header.Get("Grpc-Status")
			if response.ProtoMajor != 2 || response.StatusCode != http.StatusOK {
				o.t.Error("gRPC is answered over", response.Proto, response.Status)
			}
			if message, _ := unframed(o.t, text); status == "0" {
				return read(message, true), ""
			}
			return nil, status
		},
		"gRPC-Web": func(m *rampv1.RAMPRequest) (*rampv1.RAMPResponse, string) {
			response, text := o.post(http.DefaultClient, rpc, "application/grpc-web+proto", framed(write(m, true)))
			message, trailer := unframed(o.t, text)
			_, status, _ := strings.Cut(strings.ToLower(trailer), "grpc-status: ")
			status, _, _ = strings.Cut(status+response.Header.Get("Grpc-Status"), "\r\n")
			if status == "0" {
				return read(message, true), ""
			}
			return nil, status
		},
	}
}

// nowhere is the code of what nobody offers, as gRPC has it in a number.
var nowhere = map[string]string{"plain JSON": "not_found", "Connect, JSON": "not_found", "Connect, binary": "not_found",
	"gRPC": "5", "gRPC-Web": "5"}

// TestABrokerBuysAtTheExchangeOfItsOwnProcess over each way to ask: the two do not wait for each
// other, what is bought is the Exchange's own transaction, and reports of it go to nobody else. The
// figures tell it, and of nobody.
func TestABrokerBuysAtTheExchangeOfItsOwnProcess(t *testing.T) {
	t.Parallel()
	o := openOwn(t)
	bought := map[string]*rampv1.RAMPResponse{}
	for name, resolve := range o.resolvers() {
		got, code := resolve(o.request("r "+name, "/soup"))
		if code != "" || got.TransactionId == "" || got.Exchange != "shop.example" ||
			got.GetCost().GetAmount() != 0.02 || bought[got.TransactionId] != nil {
			t.Fatalf("%s: %q %v", name, code, got)
		}
		again, code := resolve(o.request("r "+name, "/soup"))
		if code != "" || !proto.Equal(got, again) {
			t.Errorf("%s, again: %q %v", name, code, again)
		}
		if got, code := resolve(o.request("none "+name, "/none")); code != nowhere[name] {
			t.Errorf("%s: what nobody has: %q %v", name, code, got)
		}
		bought[got.TransactionId] = got
	}
	for id, one := range bought {
		report, err := ramp.Marshal(&rampv1.UsageReport{
			Ver: "1.0", Id: "u " + id, TransactionId: id, BillingId: one.BillingId,
			Usage: &rampv1.Usage{ConsumedQuantity: 1}, Timestamp: timestamppb.New(time.Now().Truncate(time.Second)),
		})
		if err != nil {
			t.Fatal(err)
		}
		if response, text := o.post(http.DefaultClient, "/ramp.v1.ExchangeService/ReportUsage", "application/json",
			report); response.StatusCode != http.StatusOK || !strings.Contains(string(text), `"accepted":true`) {
			t.Errorf("the report of %s: %s %s", id, response.Status, text)
		}
	}
	if strings.Contains(o.log.String(), `"relayed":true`) {
		t.Error("the Exchange's own transactions were passed on to itself")
	}
	text := o.figures()
	for _, want := range []string{
		`frontdesk_broker_requests_total{outcome="bought"} 10`, `frontdesk_broker_requests_total{outcome="not_found"} 5`, `frontdesk_broker_exchange_queries_total{exchange="shop.example",result="answered"} 10`,
		`frontdesk_broker_exchange_sales_total{exchange="shop.example",result="sold"} 5`, `frontdesk_broker_exchange_resting{exchange="shop.example"} 0`, `frontdesk_broker_requests_open 0`,
		`frontdesk_broker_exchange_patience_seconds{exchange="shop.example"} 10`, `frontdesk_broker_exchange_seconds_count{exchange="shop.example"} 10`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s", want)
		}
	}
	if strings.Contains(text, "buyer.example") || strings.Contains(text, "/soup") {
		t.Error("the figures tell of who buys what")
	}
}

// TestWithoutABrokerItIsUnimplemented asks an Exchange, and a front desk that is none either, to
// buy elsewhere: each way to ask is told, in its own form, that there is no Broker here, and what
// to do.
func TestWithoutABrokerItIsUnimplemented(t *testing.T) {
	t.Parallel()
	for name, replace := range map[string][]string{
		"an Exchange": {"roles: [broker]", ""}, "a front desk": {
			"roles: [broker]", "", "ramp: {enabled: true, signatures: none, domain: shop.example}", "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := openOwn(t, replace...)
			for way, resolve := range o.resolvers() {
				want := "unimplemented"
				if strings.HasPrefix(way, "gRPC") {
					want = "12"
				}
				if got, code := resolve(o.request("r", "/soup")); code != want {
					t.Errorf("%s: %q %v", way, code, got)
				}
			}
			for _, path := range []string{
				"/broker/v1/resolve", "/ramp.v1.BrokerService/Resolve", "/ramp.v1.BrokerService/Other",
			} {
				response, text := o.post(http.DefaultClient, path, "application/json", []byte("{}"))
				if response.StatusCode != http.StatusNotImplemented ||
					!strings.Contains(string(text), "ExchangeService/DiscoverResources") {
					t.Errorf("%s: %s %s", path, response.Status, text)
				}
			}
		})
	}
}

// figures are the figures, as they are told.
func (o *own) figures() string {
	o.t.Helper()
	w := httptest.NewRecorder()
	o.metrics.Handler(o.front.Routes).ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	return w.Body.String()
}

// TestADelegationThatABrokerNarrowedIsTakenByTheExchange holds our own narrowing against our own
// reading: the Exchange verifies the token that it gets, counts what is bought under the
// principal's, and sells what takes a scope; without the delegation it does not.
func TestADelegationThatABrokerNarrowedIsTakenByTheExchange(t *testing.T) {
	t.Parallel()
	o := openOwn(t)
	key := ed25519.NewKeyFromSeed([]byte(strings.Repeat("p", ed25519.SeedSize)))
	var domain string
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		document, _ := ramp.WriteAgentKeys(domain, "",
			[]ramp.Key{{ID: "k", Public: key.Public().(ed25519.PublicKey), Active: true}})
		_, _ = w.Write(document)
	}))
	defer host.Close()
	domain = strings.TrimPrefix(host.URL, "http://")
	if _, err := o.Requesters.Add(t.Context(),
		requesters.Registration{Domain: domain, ID: "ceo", Scopes: []string{"premium:*"}}); err != nil {
		t.Fatal(err)
	}
	source, err := biscuit.ParseSource(`user("ceo"); scope("premium:*"); max_spend_cents(5)`)
	if err != nil {
		t.Fatal(err)
	}
	token, err := biscuit.Mint(key, rand.Reader, source)
	if err != nil {
		t.Fatal(err)
	}
	resolve := o.resolvers()["plain JSON"]
	ask := func(id string, under bool) (*rampv1.RAMPResponse, string) {
		r := o.request(id, "/premium/soup")
		r.Constraints = &rampv1.RequestConstraints{MaxPrice: &rampv1.Cost{Amount: 0.03, Currency: "USD"}}
		if under {
			r.Requester.Delegation = &rampv1.Delegation{
				PrincipalDomain: domain, PrincipalId: "ceo", Token: token.Text(),
				ExpiresAt: timestamppb.New(time.Now().Add(90 * 24 * time.Hour).Truncate(time.Second)),
				MaxSpend:  &rampv1.Cost{Amount: 0.05, Currency: "USD"},
			}
		}
		return resolve(r)
	}
	if got, code := ask("without", false); code != "not_found" {
		t.Errorf("without a delegation: %q %v", code, got)
	}
	for i := range 2 { // two of 0.02 are within the 0.05 of the token; a third is not
		if got, code := ask(fmt.Sprint("under ", i), true); code != "" || got.TransactionId == "" {
			t.Fatalf("under the delegation: %q %v", code, got)
		}
	}
	if got, code := ask("too much", true); code == "" {
		t.Errorf("beyond what the token lets spend: %v", got)
	}
}

func TestWhatIsNoBrokerIsFoundBeforehand(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ line, says string }{
		"right":           {`rates: {currency: USD, date: 2026-11-20, note: ours, of: [{currency: EUR, rate: "1.08"}]}`, ""},
		"no table":        {`deadline: 1s`, ""},
		"no date":         {`rates: {currency: USD, of: [{currency: EUR, rate: "1.08"}]}`, "broker.rates.date"},
		"no currency":     {`rates: {date: 2026-11-20, of: [{currency: EUR, rate: "1.08"}]}`, "broker.rates.currency"},
		"in small":        {`rates: {currency: USD, date: 2026-11-20, of: [{currency: eur, rate: "1.08"}]}`, "broker.rates.of[0].currency"},
		"twice":           {`rates: {currency: USD, date: 2026-11-20, of: [{currency: EUR, rate: "1"}, {currency: EUR, rate: "2"}]}`, "EUR is in the table twice"},
		"its own":         {`rates: {currency: USD, date: 2026-11-20, of: [{currency: USD, rate: "1"}]}`, "USD is in the table twice"},
		"nothing":         {`rates: {currency: USD, date: 2026-11-20, of: [{currency: EUR, rate: "0"}]}`, "broker.rates.of[0].rate"},
		"below nothing":   {`rates: {currency: USD, date: 2026-11-20, of: [{currency: EUR, rate: "-1"}]}`, "broker.rates.of[0].rate"},
		"an unknown key":  {`rates: {base: USD}`, "base"},
		"a port of mail":  {`exchanges: [{domain: one.example, url: "http://127.0.0.1:25"}]`, "broker.exchanges[0].url"},
		"two budgets":     {`budgets: [{requester: a.example/b, amount: "1", currency: USD}, {requester: a.example/b, amount: "1", currency: EUR}]`, "a.example/b has a budget already"},
		"two for each":    {`budgets: [{requester: "*", amount: "1", currency: USD}, {requester: "*", amount: "2", currency: USD}]`, "* has a budget already"},
		"each his own":    {`budgets: [{requester: a.example/b, amount: "1", currency: USD}, {requester: a.example/c, amount: "1", currency: USD}, {requester: "*", amount: "2", currency: USD}]`, ""},
		"nobody's budget": {`budgets: [{requester: A.example/b, amount: "1", currency: USD}]`, "broker.budgets[0].requester"},
		"at a port":       {`budgets: [{requester: "127.0.0.1:8080/b/c", amount: "1", currency: USD}]`, ""},
		"a share of more": {`fee: {share: "101"}`, "broker.fee.share"},
	} {
		_, err := Load(Layers{File: write(t, t.TempDir(), "frontdesk.yaml",
			"url: https://b.example\nroles: [broker]\nbroker:\n  "+c.line+"\n")})
		if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", name, err, c.says)
		}
	}
}

func TestFiltersOfSearchesAreWordsAndYears(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		filters string
		want    sought
		refused bool
	}{
		"words":            {`{"academic.topic":"dredging","legal.jurisdiction":"DE"}`, sought{words: "mud dredging DE"}, false},
		"several words":    {`{"news.category":["economy","harbours"]}`, sought{words: "mud economy harbours"}, false},
		"years":            {`{"academic.year_min":1999,"academic.year_max":2004,"news.year_min":2001}`, sought{words: "mud", first: 2001, last: 2004}, false},
		"half a year":      {`{"academic.year_min":1999.5}`, sought{}, true},
		"a year in words":  {`{"academic.year_min":"1999"}`, sought{}, true},
		"another number":   {`{"academic.cites_min":3}`, sought{}, true},
		"no year at all":   {`{"academic.year_min":99999}`, sought{}, true},
		"yes":              {`{"academic.open":true}`, sought{}, true},
		"an object":        {`{"academic":{"topic":"x"}}`, sought{}, true},
		"a list of others": {`{"news.category":["a",1]}`, sought{}, true},
	} {
		var filters map[string]any
		if err := json.Unmarshal([]byte(c.filters), &filters); err != nil {
			t.Fatal(err)
		}
		if got, err := soughtBy("mud", filters); (err != nil) != c.refused || err == nil && got != c.want {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	at := func(year int) time.Time { return time.Date(year, 6, 1, 0, 0, 0, 0, time.UTC) }
	s := sought{first: 2000, last: 2002}
	for year, fits := range map[int]bool{1999: false, 2000: true, 2002: true, 2003: false} {
		if s.fits(at(year)) != fits {
			t.Errorf("%d: %v", year, !fits)
		}
	}
	if s.fits(time.Time{}) || !(sought{}).fits(time.Time{}) {
		t.Error("what says nothing of its time")
	}
}

// TestNothingIsServedButTheBroker: where there is nothing else, what is not found is not sent to
// what is not there either.
func TestNothingIsServedButTheBroker(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		routes []apphttp.Route
		want   string
	}{
		"a front desk": {[]apphttp.Route{{Pattern: askPath}, {Pattern: "/broker/v1/resolve"}}, "/ask"},
		"a Broker":     {[]apphttp.Route{{Pattern: "/broker/v1/resolve"}}, "/broker/v1/resolve"},
		"an edge":      {nil, "nothing at this address"},
	} {
		w := httptest.NewRecorder()
		apphttp.NothingAt(nothingHint(c.routes)).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/x", nil))
		if told := w.Body.String(); w.Code != http.StatusNotFound || !strings.Contains(told, c.want) ||
			strings.Contains(told, "/ask") != (c.want == "/ask") {
			t.Errorf("%s: %d %s", name, w.Code, told)
		}
	}
}
