package app

import (
	"bytes"
	"crypto/ed25519"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/infra/store"
	"frontdesk/internal/ledger"
	"frontdesk/internal/licensing/accounts"
	"frontdesk/wire/intake"
	"frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
	"frontdesk/wire/sign"
	"frontdesk/wire/strictjson"
)

const soldSoup = `
terms:
  - {match: {path: "/soup"}, access: licensed, price: {model: per_access, rate: "0.02", currency: USD}, reporting: {window: 24h}, functions: {permit: [ai-input, search]}}
  - {match: {}, access: open}
`

// tools calls a tool by MCP: its result's object, and whether it failed. What spends is signed over
// HTTP, by the POST that carries it.
func (m *market) tools(name, arguments string) (object string, failed bool) {
	m.t.Helper()
	if m.host == nil || !slices.Contains([]string{"ramp_execute", "ramp_report", "fetch_licensed"}, name) {
		return m.unsigned(name, arguments)
	}
	r := toolCalled(name, arguments)
	body, err := io.ReadAll(r.Body)
	if err != nil {
		m.t.Fatal(err)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	return m.toolAnswer(m.signed(m.at+"/mcp", r, string(body)))
}

// unsigned is tools without a signature over HTTP.
func (m *market) unsigned(name, arguments string) (object string, failed bool) {
	m.t.Helper()
	return m.toolAnswer(toolCalled(name, arguments))
}

func toolCalled(name, arguments string) *http.Request {
	return call(1, "tools/call", `{"name":"`+name+`","arguments":`+arguments+`}`)
}

func (m *market) toolAnswer(r *http.Request) (object string, failed bool) {
	m.t.Helper()
	w := send(m, r)
	var message struct {
		Result struct {
			IsError    bool
			Structured json.RawMessage `json:"structuredContent"`
		}
	}
	if err := json.Unmarshal(w.Body.Bytes(), &message); err != nil || message.Result.Structured == nil {
		m.t.Fatalf("%d, no result: %v: %s", w.Code, err, w.Body)
	}
	return string(message.Result.Structured), message.Result.IsError
}

// credit gives the agent an account with an amount on it, in units of 1e-8.
func (m *market) credit(amount int64) { m.creditTo(m.domain()+"/bot", amount) }

func (m *market) creditTo(buyer string, amount int64) {
	m.t.Helper()
	err := m.ChangeAccounts(m.t.Context(), func(tx *store.Tx) error {
		if err := m.Accounts.Open(m.t.Context(), tx, buyer, "USD", 0, m.clock.Now()); err != nil {
			return err
		}
		_, err := m.Accounts.Pay(m.t.Context(), tx, "credit", buyer, "USD", amount, "", m.clock.Now())
		return err
	})
	if err != nil {
		m.t.Fatal(err)
	}
}

func (m *market) requester() string {
	text, err := ramp.Marshal(m.inBody(m.key))
	if err != nil {
		m.t.Fatal(err)
	}
	return string(text)
}

// TestAgentsBuyByTools signs up, asks, buys, fetches and reports by the tools of mcp.Settings, and
// finds the same in the books as of an RPC.
func TestAgentsBuyByTools(t *testing.T) {
	t.Parallel()
	m := openMarket(t, "ramp: {enabled: true, requesters: {registered: true}}\n"+soldSoup)
	m.credit(10_000_000)
	if _, err := m.exchange.Goods.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	object, failed := m.tools("ramp_discover", `{"id":"q1","requester":`+m.requester()+`}`)
	if !failed || !strings.Contains(object, `"code":"unauthenticated"`) || !strings.Contains(object, "signed up") {
		t.Fatalf("before it signed up: %s", object)
	}
	if object, failed = m.tools("ramp_register", `{"requester_id":"bot","domain":"`+m.domain()+`"}`); failed || !strings.Contains(object, `"account":"`+m.domain()+`/bot"`) {
		t.Fatalf("signs up: %s", object)
	}
	object, failed = m.tools("ramp_discover", `{"id":"q1","requester":`+m.requester()+`}`)
	var asked rampv1.ResourceResponse
	if err := ramp.Unmarshal([]byte(object), &asked); failed || err != nil || len(asked.Offers) != 1 ||
		asked.Offers[0].Pricing.Rate != 0.02 || asked.Id != "q1" {
		t.Fatalf("asks: %s, %v", object, err)
	}
	offer := asked.Offers[0]
	take := `{"id":"buy-1","requester":` + m.requester() + `,"offer_id":"` + offer.OfferId + `","offer_signature":"` + offer.ExchangeSignature + `"}`
	var bought rampv1.TransactionResponse
	for range 2 { // the second charges nothing
		object, failed = m.tools("ramp_execute", take)
		if err := ramp.Unmarshal([]byte(object), &bought); failed || err != nil || bought.DenialReason != nil ||
			bought.Cost.GetAmount() != 0.02 {
			t.Fatalf("buys: %s, %v", object, err)
		}
	}
	endpoint := bought.Package.Retrieval.GetEndpoint()
	if !strings.HasPrefix(endpoint, marketURL+"/deliver/"+bought.GetTransactionId()) {
		t.Fatalf("it is fetched from %s", endpoint)
	}
	if w := send(m, httptest.NewRequest("GET", endpoint, nil)); w.Code != 200 ||
		!strings.Contains(w.Body.String(), "entil") {
		t.Errorf("fetches: %d %s", w.Code, w.Body)
	}
	report := `{"id":"r1","transaction_id":"` + bought.GetTransactionId() + `","billing_id":"` + bought.GetBillingId() + `","usage":{"function":["FUNCTION_AI_INPUT"],"consumed_quantity":7}}`
	object, failed = m.tools("ramp_report", report)
	var filed rampv1.UsageReportResponse
	if err := ramp.Unmarshal([]byte(object), &filed); failed || err != nil || !filed.Accepted || filed.ReportId == "" {
		t.Fatalf("reports: %s, %v", object, err)
	}
	balances, err := m.ReadAccounts.Balances(t.Context(), m.domain()+"/bot")
	if err != nil || len(balances) != 1 || balances[0].Available != 8_000_000 || balances[0].Held != 0 {
		t.Errorf("%+v, %v", balances, err)
	}
	for _, kind := range []string{"transaction", "delivery", "usage"} {
		n := 0
		for _, err := range m.Ledger.Read(t.Context(), ledger.Filter{Kind: kind}) {
			if n++; err != nil {
				t.Fatal(err)
			}
		}
		if n != 1 {
			t.Errorf("the ledger has %d entries %s", n, kind)
		}
	}
	if text := m.log.String(); strings.Contains(text, "example.com/soup") || strings.Contains(text, offer.OfferId) ||
		!strings.Contains(text, `"tool":"ExecuteTransaction"`) {
		t.Errorf("the log has %s", text)
	}
}

// TestAgentsFetchByOneTool has the whole text of a licensed item by one call, signed in its
// message, and finds the same in the books as of an RPC and a fetch; without the signature there is
// nothing.
func TestAgentsFetchByOneTool(t *testing.T) {
	t.Parallel()
	m := openMarket(t, "ramp: {enabled: true}\n"+soldSoup)
	m.credit(10_000_000)
	if _, err := m.exchange.Goods.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	call := func(requester string) string {
		return `{"id":"f1","requester":` + requester + `,"max":{"amount":0.05,"currency":"USD"}}`
	}
	unsigned := m.inBody(m.key)
	unsigned.Signature = ""
	text, err := ramp.Marshal(unsigned)
	if err != nil {
		t.Fatal(err)
	}
	for _, who := range []string{string(text), m.requester()} {
		if object, failed := m.unsigned("fetch_licensed", call(who)); !failed || !strings.Contains(object, `"code":"unauthenticated"`) {
			t.Fatalf("not signed over HTTP: %s", object)
		}
	}
	var told struct {
		Text        string
		Media       string                  `json:"media_type"`
		Transaction string                  `json:"transaction_id"`
		Billing     string                  `json:"billing_id"`
		Reporting   struct{ Required bool } `json:"reporting_obligation"`
	}
	for range 2 { // the second charges nothing
		object, failed := m.tools("fetch_licensed", call(m.requester()))
		if err := json.Unmarshal([]byte(object), &told); failed || err != nil ||
			!strings.Contains(told.Text, "entil") || told.Media == "" || !told.Reporting.Required {
			t.Fatalf("%s, %v", object, err)
		}
	}
	if object, failed := m.tools("ramp_report", `{"id":"r1","transaction_id":"`+told.Transaction+`","billing_id":"`+told.Billing+`","usage":{"function":["FUNCTION_AI_INPUT"],"consumed_quantity":7}}`); failed {
		t.Errorf("reports: %s", object)
	}
	balances, err := m.ReadAccounts.Balances(t.Context(), m.domain()+"/bot")
	if err != nil || len(balances) != 1 || balances[0].Available != 8_000_000 {
		t.Errorf("%+v, %v", balances, err)
	}
	for kind, want := range map[string]int{"transaction": 1, "delivery": 2, "usage": 1} {
		n := 0
		for _, err := range m.Ledger.Read(t.Context(), ledger.Filter{Kind: kind}) {
			if n++; err != nil {
				t.Fatal(err)
			}
		}
		if n != want {
			t.Errorf("the ledger has %d entries %s", n, kind)
		}
	}
	if text := m.log.String(); strings.Contains(text, "example.com/soup") || strings.Contains(text, "sig=") ||
		!strings.Contains(text, `"tool":"fetch"`) {
		t.Errorf("the log has %s", text)
	}
}

// TestToolsRefuseAsTheExchangeDoes holds the failures of the tools: those of the RPCs, in the same
// codes, and those that only a tool has.
func TestToolsRefuseAsTheExchangeDoes(t *testing.T) {
	t.Parallel()
	m := openMarket(t, "ramp: {enabled: true, requester_rate: 4/1m}\n"+soldSoup)
	for _, c := range []struct{ name, tool, arguments, code, says string }{
		{"not signed", "ramp_discover", `{"id":"q","requester":{"id":"bot","domain":"` + m.domain() + `","uris":["https://example.com/soup"]}}`, "unauthenticated", "requester.id, domain, uris and scopes"},
		{"nothing", "ramp_discover", `{}`, "invalid_argument", "id: is required"},
		{"another member", "ramp_discover", `{"id":"q","max_price":1}`, "invalid_argument", "/max_price: " +
			"there is no such argument; there are deadline, id, request_id, requester, supported_profiles, ver"},
		{"another member within", "ramp_discover", `{"id":"q","requester":{"id":"bot","domain":"d.example","uri":"https://x.example/"}}`, "invalid_argument", "/requester/uri: there is no such argument"},
		{"a delegation", "ramp_discover", `{"id":"q","requester":{"id":"bot","domain":"d.example","delegation":{}}}`, "invalid_argument", "requester.delegation"},
		{"hops", "ramp_discover", `{"id":"q","intermediaries":[]}`, "invalid_argument", "/intermediaries"},
		{"an item's other member", "ramp_execute", `{"id":"b","items":[{"offer_id":"o"},{"offer":"o"}]}`, "invalid_argument", "/items/offer"},
		{"a wrong type", "ramp_execute", `{"id":"b","items":{"offer_id":"o"}}`, "invalid_argument", "/items"},
		{"no time at all", "ramp_discover", `{"id":"q","requester":` + m.requester() + `,"deadline":"0s"}`, "invalid_argument", "deadline"},
		{"no such transaction", "ramp_report", `{"id":"r","transaction_id":"txn-1","billing_id":"b","usage":{"function":["FUNCTION_SEARCH"],"consumed_quantity":1}}`, "not_found", "no such transaction"},
		{"an impossible domain", "ramp_register", `{"requester_id":"bot","domain":"10.0.0.1"}`, "invalid_argument", "domain"},
		{"another member at sign-up", "ramp_register", `{"requester_id":"bot","domain":"d.example","key":"x"}`, "invalid_argument", "/key"},
	} {
		object, failed := m.tools(c.tool, c.arguments)
		if !failed || !strings.Contains(object, `"code":"`+c.code+`"`) || !strings.Contains(object, c.says) {
			t.Errorf("%s: %s", c.name, object)
		}
	}
	for range 4 {
		m.tools("ramp_discover", `{"id":"q","requester":`+m.requester()+`}`)
	}
	if object, failed := m.tools("ramp_discover", `{"id":"q","requester":`+m.requester()+`}`); !failed ||
		!strings.Contains(object, `"code":"resource_exhausted"`) || !strings.Contains(object, `"retry_after":15`) {
		t.Errorf("over the limit: %s", object)
	}
	if w := send(m, posted("POST", discover, m.query(m.inBody(m.key)))); refused(w) != "resource_exhausted" {
		t.Errorf("tools and RPCs do not count together: %s", w.Body)
	}
}

// TestToolsSayWhereToSendWhatMustBeSignedOverHTTP holds that a call that has to be signed over
// HTTP, and is not, is told how; and that one whose POST is signed is taken.
func TestToolsSayWhereToSendWhatMustBeSignedOverHTTP(t *testing.T) {
	t.Parallel()
	m := openMarket(t, "ramp: {enabled: true, signatures: required}\n"+soldSoup)
	for tool, method := range map[string]string{"ramp_discover": "DiscoverResources",
		"ramp_execute": "ExecuteTransaction", "ramp_report": "ReportUsage", "ramp_dispute": "DisputeTransaction"} {
		object, failed := m.unsigned(tool, `{"id":"q1","requester":`+m.requester()+`}`)
		if !failed || !strings.Contains(object, `"code":"unauthenticated"`) ||
			!strings.Contains(object, "/ramp.v1.ExchangeService/"+method+", signed") {
			t.Errorf("%s: %s", tool, object)
		}
	}
	plain := `{"id":"bot","domain":"` + m.domain() + `","uris":["https://example.com/soup"]}`
	if object, failed := m.tools("fetch_licensed", `{"id":"f1","requester":`+plain+`}`); failed || !strings.Contains(object, "more than max") {
		t.Errorf("a call whose POST is signed: %s", object)
	}
	if object, failed := m.tools("ramp_register", `{"requester_id":"bot","domain":"`+m.domain()+`"}`); failed {
		t.Errorf("signs up: %s", object)
	}
}

// TestToolsOfTheExchange holds which tools there are under which configuration, and that their
// schemas take what their calls take.
func TestToolsOfTheExchange(t *testing.T) {
	t.Parallel()
	type listed struct {
		Name        string
		Description string
		Input       json.RawMessage `json:"inputSchema"`
	}
	list := func(more string) map[string]listed {
		m := openMarket(t, more)
		var message struct{ Result struct{ Tools []listed } }
		if err := json.Unmarshal(send(m, call(1, "tools/list", `{}`)).Body.Bytes(), &message); err != nil {
			t.Fatal(err)
		}
		all := map[string]listed{}
		for _, tool := range message.Result.Tools {
			all[tool.Name] = tool
		}
		return all
	}
	for _, c := range []struct {
		more string
		want string
		says string // by discover
	}{
		{"", "", ""},
		{"ramp: {enabled: true}", "ramp_discover ramp_execute ramp_report ramp_dispute " +
			"ramp_status fetch_licensed ramp_register", "you cannot make it up"},
		{"ramp: {enabled: true, requesters: {sign_up: false}, signatures: none}",
			"ramp_discover ramp_execute ramp_report ramp_dispute ramp_status fetch_licensed", "may be left out"},
		{"ramp: {enabled: true, signatures: required}", "ramp_discover ramp_execute ramp_report ramp_dispute " +
			"ramp_status fetch_licensed ramp_register", "has to be signed"},
	} {
		all := list(c.more)
		var names []string
		for _, name := range []string{"ramp_discover", "ramp_execute", "ramp_report", "ramp_dispute", "ramp_status",
			"fetch_licensed", "ramp_register"} {
			if _, ok := all[name]; ok {
				names = append(names, name)
			}
		}
		if got := strings.Join(names, " "); got != c.want ||
			!strings.Contains(all["ramp_discover"].Description, c.says) {
			t.Errorf("%q: %s", c.more, got)
		}
	}
	all := list("ramp: {enabled: true}")
	for _, c := range []struct {
		tool, arguments string
		fits            bool
	}{
		{"ramp_discover", `{"id":"q","requester":{"id":"bot","domain":"d.example","type":"REQUESTER_TYPE_AGENT","uris":["https://x.example/"],"intended_use":["ai-input"],"signature":"AA","ext":{"ramp.geo":"DE"}},"deadline":"2.5s"}`, true},
		{"ramp_discover", `{"id":"q","max_price":1}`, false},
		{"ramp_execute", `{"id":"q","requester":{"id":"bot","domain":"d.example"},"items":[{"offer_id":"o","offer_signature":"s"}]}`, true},
		{"ramp_execute", `{"id":"q","requester":{"id":"bot","domain":"d.example"},"items":[{"offer_id":"o"}]}`, false},
		{"ramp_report", `{"id":"r","transaction_id":"t","billing_id":"b","usage":{"function":["FUNCTION_AI_INPUT"],"consumed_quantity":7},"timestamp":"2027-05-04T12:00:00Z","ext":{"ramp.revenue":{"amount":1.5,"currency":"USD"}}}`, true},
		{"ramp_dispute", `{"id":"d","transaction_id":"t","billing_id":"b","report_id":"r","reason":"DISPUTE_REASON_WRONG_CONTENT","received_content_hash":"00","ext":{"ramp.prefer":"credit"},"requester":{"id":"bot","domain":"d.example","uris":["https://x.example/"],"signature":"AA"}}`, true},
		{"ramp_dispute", `{"id":"d","transaction_id":"t","billing_id":"b","report_id":"r","reason":"DISPUTE_REASON_DELIVERY_FAILED","requester":{"id":"bot","domain":"d.example","uris":[]}}`, false},
		{"ramp_dispute", `{"id":"d","transaction_id":"t","billing_id":"b","reason":"DISPUTE_REASON_DELIVERY_FAILED"}`, false},
		{"fetch_licensed", `{"id":"q","requester":{"id":"bot","domain":"d.example","uris":["https://x.example/"],"signature":"AA"},"max":{"amount":0.05,"currency":"USD"},"accept":["text/html"]}`, true},
		{"fetch_licensed", `{"id":"q","requester":{"id":"bot","domain":"d.example","uris":["https://x.example/"]},"max":0.05}`, false},
		{"ramp_register", `{"requester_id":"bot","domain":"d.example"}`, true},
		{"ramp_register", `{"requester_id":"bot"}`, false},
	} {
		compiled, err := intake.CompileSchema(strictjson.Value(all[c.tool].Input))
		if err != nil {
			t.Fatalf("%s: %v", c.tool, err)
		}
		if wrong := compiled.Validate(strictjson.Value(c.arguments)); (len(wrong) == 0) != c.fits {
			t.Errorf("%s: %s: %v", c.tool, c.arguments, wrong)
		}
	}
}

// TestRequestersLearnHowTheyStand holds what a requester is told of its accounts, subscriptions and
// reports, and that no other signature of it opens them.
func TestRequestersLearnHowTheyStand(t *testing.T) {
	t.Parallel()
	m := openMarket(t, "ramp: {enabled: true, signatures: none, reports: {overdue: 0, percent: 0}}\n"+soldSoup)
	m.credit(10_000_000)
	if _, err := m.exchange.Goods.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	signed := func(uri string) string {
		r := &rampv1.Requester{Id: "bot", Domain: m.domain(), Uris: []string{uri}}
		payload, err := ramp.RequesterPayload(r)
		if err != nil {
			t.Fatal(err)
		}
		r.Signature = sign.EncodeSignature(ed25519.Sign(m.key, payload))
		text, err := ramp.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		return `{"requester":` + string(text) + `}`
	}
	here := marketURL + "/exchange/v1/status"
	for name, c := range map[string]struct{ arguments, code, says string }{
		"a signature to buy":  {`{"requester":` + m.requester() + `}`, "invalid_argument", here},
		"another's address":   {signed("https://other.example/exchange/v1/status"), "invalid_argument", here},
		"another's signature": {strings.Replace(signed(here), `"bot"`, `"tob"`, 1), "unauthenticated", ""},
		"no signature":        {`{"requester":{"id":"bot","domain":"` + m.domain() + `","uris":["` + here + `"]}}`, "unauthenticated", "requester.signature"},
		"nobody":              {`{}`, "invalid_argument", here},
	} {
		if object, failed := m.tools("ramp_status", c.arguments); !failed || !strings.Contains(object,
			`"code":"`+c.code+`"`) || !strings.Contains(object, c.says) || strings.Contains(object, "accounts") {
			t.Errorf("%s: %s", name, object)
		}
	}
	if err := m.ChangeAccounts(t.Context(), func(tx *store.Tx) error {
		for id, ends := range map[string]time.Time{"sub-1": {}, "sub-old": m.clock.Now().Add(-time.Hour)} {
			l := accounts.Licence{ID: id, Buyer: m.domain() + "/*", Scope: accounts.Scope{Labels: []string{"other"}},
				Begins: m.clock.Now().Add(-2 * time.Hour), Ends: ends}
			if err := m.Accounts.AddSubscription(t.Context(), tx, l, "", m.clock.Now()); err != nil {
				return err
			}
		}
		if err := m.Accounts.SetQuota(t.Context(), tx, "sub-1",
			accounts.QuotaSetting{Unit: "accesses", Limit: 5, Months: 1}, m.clock.Now()); err != nil {
			return err
		}
		for _, currency := range []string{"USD", "EUR"} { // the first is not bought from: the requester has its own
			if err := m.Accounts.Open(t.Context(), tx, m.domain()+"/*", currency, 0, m.clock.Now()); err != nil {
				return err
			}
		}
		return m.Accounts.Open(t.Context(), tx, "other.example/bot", "USD", 0, m.clock.Now())
	}); err != nil {
		t.Fatal(err)
	}
	object, failed := m.tools("ramp_status", signed(here))
	want := `{"requester_id":"bot","domain":"` + m.domain() + `","accounts":[{"currency":"USD","available":0.1,"held":0,"state":"active"},{"currency":"EUR","available":0,"held":0,"state":"active"}],` +
		`"subscriptions":[{"quotas":[{"quota_limit":5,"quota_remaining":5,"quota_used":0,"resets_at":"2027-06-04T12:00:00Z","unit":"accesses"}],"subscription_id":"sub-1"}],"reports_owed":[],"reporting_overdue":false}`
	if failed || object != want {
		t.Errorf("at first: %s, want %s", object, want)
	}
	var asked rampv1.ResourceResponse
	object, _ = m.tools("ramp_discover", `{"id":"q1","requester":`+m.requester()+`}`)
	if err := ramp.Unmarshal([]byte(object), &asked); err != nil || len(asked.Offers) != 1 {
		t.Fatalf("%s, %v", object, err)
	}
	object, _ = m.tools("ramp_execute", `{"id":"b1","requester":`+m.requester()+`,"offer_id":"`+asked.Offers[0].OfferId+`","offer_signature":"`+asked.Offers[0].ExchangeSignature+`"}`)
	var bought rampv1.TransactionResponse
	if err := ramp.Unmarshal([]byte(object), &bought); err != nil || bought.DenialReason != nil {
		t.Fatalf("%s, %v", object, err)
	}
	owed := `"reports_owed":[{"transaction_id":"` + bought.GetTransactionId() + `","billing_id":"` + bought.GetBillingId() + `","due":"2027-05-05T12:00:00Z","late":false}],"reporting_overdue":false`
	if object, _ := m.tools("ramp_status", signed(here)); !strings.Contains(object, owed) ||
		!strings.Contains(object, `"available":0.08`) {
		t.Errorf("after a purchase: %s", object)
	}
	m.clock.Advance(25 * time.Hour)
	if err := m.exchange.Exchange.MaintainOnce(t.Context()); err != nil {
		t.Fatal(err)
	}
	if object, _ := m.tools("ramp_status", signed(here)); !strings.Contains(object,
		strings.Replace(strings.Replace(owed, `"late":false`, `"late":true`, 1), `overdue":false`, `overdue":true`, 1)) {
		t.Errorf("when the report is late: %s", object)
	}
}
