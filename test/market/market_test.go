package market

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"frontdesk/test/process"
)

func TestMain(m *testing.M) { process.Main(m) }

// town is a market that runs, as its page sees it.
type town struct {
	t   *testing.T
	url string
}

func open(t *testing.T) *town {
	t.Helper()
	return &town{t, process.Start(t, "demo", "--market", "--listen", "127.0.0.1:0").URL}
}

// act presses a button, and reads the result. It gives the code of a failure.
func (m *town) act(name string, arguments map[string]any, out any) (code string) {
	m.t.Helper()
	text, err := json.Marshal(arguments)
	if err != nil {
		m.t.Fatal(err)
	}
	var told struct {
		Failed bool
		Result json.RawMessage
	}
	m.post("/act/"+name, text, &told)
	if told.Failed {
		var failure struct{ Code, Message string }
		if err := json.Unmarshal(told.Result, &failure); err != nil || failure.Code == "" || failure.Message == "" {
			m.t.Fatalf("%s: %s", name, told.Result)
		}
		if out != nil {
			m.t.Fatalf("%s: %s: %s", name, failure.Code, failure.Message)
		}
		return failure.Code
	}
	if out != nil {
		if err := json.Unmarshal(told.Result, out); err != nil {
			m.t.Fatalf("%s: %v: %s", name, err, told.Result)
		}
	}
	return ""
}

func (m *town) post(path string, body []byte, out any) {
	m.t.Helper()
	answer, err := http.Post(m.url+path, "application/json", bytes.NewReader(body))
	m.read(path, answer, err, out)
}

func (m *town) get(path string, out any) {
	m.t.Helper()
	answer, err := http.Get(m.url + path)
	m.read(path, answer, err, out)
}

func (m *town) read(path string, answer *http.Response, err error, out any) {
	m.t.Helper()
	if err != nil {
		m.t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		m.t.Fatalf("%s: %d, %v: %s", path, answer.StatusCode, err, text)
	}
	if err := json.Unmarshal(text, out); err != nil {
		m.t.Fatalf("%s: %v: %s", path, err, text)
	}
}

// patience is how long what comes may take: an edge tells later what it delivered.
const patience = 2 * time.Minute

// fact is an entry in the list of receipts.
type fact struct{ Place, ID, Kind, Party, Subject string }

// fact waits for an entry of a kind in the ledger of a place. What an edge delivered its Exchange learns a little later.
func (m *town) fact(place, kind, subject string) fact {
	m.t.Helper()
	ctx, cancel := context.WithTimeout(m.t.Context(), patience)
	defer cancel()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		var list struct{ Receipts []fact }
		m.get("/receipts", &list)
		for _, f := range list.Receipts {
			if f.Place == place && f.Kind == kind && (subject == "" || f.Subject == subject) {
				return f
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			m.t.Fatalf("no %s in the ledger of %s: %v", kind, place, list.Receipts)
		}
	}
}

// verify holds that the receipt of a fact is true, and that of a changed one is not.
func (m *town) verify(f fact) {
	m.t.Helper()
	var whole json.RawMessage
	m.get("/receipts/"+f.Place+"/"+f.ID, &whole)
	var told struct {
		True    bool
		Keys    string
		Message string
	}
	m.post("/verify/"+f.Place, whole, &told)
	if !told.True || !strings.HasSuffix(told.Keys, "/.well-known/jwks.json") {
		m.t.Errorf("the receipt of %v: %+v", f, told)
	}
	changed := bytes.Replace(whole, []byte(`"kind":"`+f.Kind+`"`), []byte(`"kind":"offering"`), 1)
	if bytes.Equal(changed, whole) {
		m.t.Fatalf("nothing to change: %s", whole)
	}
	if m.post("/verify/"+f.Place, changed, &told); told.True || told.Message == "" {
		m.t.Errorf("a changed receipt of %v: %+v", f, told)
	}
}

// messages are what passed until now.
func (m *town) messages(until string) (all []string) {
	m.t.Helper()
	ctx, cancel := context.WithTimeout(m.t.Context(), patience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, m.url+"/events", nil)
	if err != nil {
		m.t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		m.t.Fatal(err)
	}
	defer answer.Body.Close()
	lines := bufio.NewScanner(answer.Body)
	for lines.Scan() {
		text, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		var one struct {
			From, To, Protocol, What string
			Status                   int
		}
		if err := json.Unmarshal([]byte(text), &one); err != nil {
			m.t.Fatal(err)
		}
		line := fmt.Sprintf("%s > %s %s %s %d", one.From, one.To, one.Protocol, one.What, one.Status)
		if all = append(all, line); line == until {
			return all
		}
	}
	m.t.Fatalf("%q did not pass: %v", until, lines.Err())
	return nil
}

type quote struct {
	Offers []struct {
		PurchaseID string `json:"purchase_id"`
		Exchange   string
		Price      struct{ Amount float64 }
	}
}

type purchase struct {
	TransactionID string `json:"transaction_id"`
	Text          string
	Checked       string
	ReportID      string `json:"report_id"`
	DisputeID     string `json:"dispute_id"`
}

// TestAMarketOfAllFourProtocols presses every button: asks both publishers, has a platform retrieve and cite, buys of both through their Exchanges, fetches at their
// edges, reports, disputes, submits to the business and binds; and finds each in the ledger of whom it concerns, with a receipt that is true.
func TestAMarketOfAllFourProtocols(t *testing.T) {
	m := open(t)
	for _, p := range []struct {
		publisher, exchange, edge, question, path, end string
		price                                          float64
	}{
		{"review", "north", "reviewedge", "what is inside the dredging contract", "/premium/dredging-contract", "it is open for both sides.", 0.02},
		{"almanac", "south", "almanacedge", "what does wind add to the tide", "/premium/tide-and-weather", "and eight the mole.", 0.05},
	} {
		var found struct {
			Items []struct {
				URL     string
				ForSale bool `json:"for_sale"`
			}
		}
		m.act("search", map[string]any{"query": p.question}, &found)
		address := ""
		for _, item := range found.Items {
			if item.ForSale && strings.HasSuffix(item.URL, p.path) {
				address = item.URL
			}
		}
		if address == "" {
			t.Fatalf("%s: %+v", p.question, found)
		}
		var passages struct {
			Passages  []struct{ Text string }
			Citations []any
			Signed    bool
		}
		m.act("retrieve", map[string]any{"publisher": p.publisher, "query": p.question}, &passages)
		if len(passages.Passages) == 0 || len(passages.Citations) == 0 || !passages.Signed {
			t.Errorf("retrieved: %+v", passages)
		}
		m.act("cite", nil, &struct{}{})
		var quoted quote
		m.act("quote", map[string]any{"url": address}, &quoted)
		if len(quoted.Offers) != 1 || quoted.Offers[0].Price.Amount != p.price || !strings.Contains(quoted.Offers[0].Exchange, "//"+p.exchange+".localhost:") {
			t.Fatalf("quoted: %+v", quoted)
		}
		var bought, text, filed, disputed purchase
		m.act("buy", map[string]any{"purchase_id": quoted.Offers[0].PurchaseID}, &bought)
		transaction := map[string]any{"transaction_id": bought.TransactionID}
		if m.act("fetch", transaction, &text); !strings.HasSuffix(strings.TrimSpace(text.Text), p.end) || !strings.Contains(text.Checked, "byte for byte") {
			t.Errorf("fetched: %+v", text)
		}
		if m.act("report", transaction, &filed); filed.ReportID == "" {
			t.Errorf("reported: %+v", filed)
		}
		m.act("dispute", map[string]any{"transaction_id": bought.TransactionID, "reason": "incomplete-content"}, &disputed)
		if disputed.DisputeID == "" {
			t.Errorf("disputed: %+v", disputed)
		}
		for _, f := range []fact{
			m.fact(p.publisher, "access", ""), m.fact(p.publisher, "citation", ""), m.fact(p.exchange, "transaction", bought.TransactionID),
			m.fact(p.exchange, "usage", bought.TransactionID), m.fact(p.exchange, "delivery", bought.TransactionID),
		} {
			m.verify(f)
		}
	}
	var offered struct{ Offer struct{ Summary string } }
	if m.act("submit", map[string]any{"hull": "wood", "length_m": 8}, &offered); !strings.Contains(offered.Offer.Summary, "760.00 EUR") {
		t.Errorf("offered: %+v", offered)
	}
	m.act("bind", map[string]any{"email": "sailor@tidewater.example"}, &struct{}{})
	for _, kind := range []string{"intake", "bind"} {
		m.verify(m.fact("business", kind, ""))
	}

	passed := strings.Join(m.messages("agent > business Intake /intake/boat-repair/bind 200"), "\n")
	for _, want := range []string{
		"agent > review NLWeb /ask 200", "agent > almanac NLWeb /ask 200", "platform > review Intent /intent/retrieve 200", "platform > almanac Intent /intent/events ",
		"agent > reviewedge RAMP /.well-known/ramp.json 200", "agent > north RAMP DiscoverResources 200", "agent > north RAMP ExecuteTransaction 200", "agent > reviewedge RAMP /premium/dredging-contract 200",
		"agent > south RAMP ReportUsage 200", "agent > south RAMP DisputeTransaction 200", "almanacedge > south RAMP /exchange/v1/deliveries 200", "north > reviewedge RAMP /.well-known/ramp-verify/… 200",
		"agent > business Intake /intake/boat-repair 200",
	} {
		if !strings.Contains(passed, want) {
			t.Errorf("%q did not pass:\n%s", want, passed)
		}
	}
	if at := regexp.MustCompile(`[?&]|expires|signature=`).FindString(passed); at != "" {
		t.Errorf("a message shows %q of an address", at)
	}
	if path := os.Getenv("FRONTDESK_TRANSCRIPT"); path != "" { // for who wants to read it
		if err := os.WriteFile(path, []byte(passed+"\n"), 0o644); err != nil {
			t.Error(err)
		}
	}
}

// TestThePageIsForThisMachine holds who is refused: pages of others, other hosts, and what is no act.
func TestThePageIsForThisMachine(t *testing.T) {
	m := open(t)
	ask := func(method, path, host, origin, kind, body string) int {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), method, m.url+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		if host != "" {
			request.Host = host
		}
		if origin != "" {
			request.Header.Set("Origin", origin)
		}
		request.Header.Set("Content-Type", kind)
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if csp := answer.Header.Get("Content-Security-Policy"); !strings.Contains(csp, "default-src 'none'") || strings.Contains(csp, "unsafe") {
			t.Errorf("%s %s: the policy %q", method, path, csp)
		}
		return answer.StatusCode
	}
	const json = "application/json"
	for _, tc := range []struct {
		method, path, host, origin, kind, body string
		want                                   int
	}{
		{"GET", "/", "", "", "", "", 200},
		{"GET", "/assets/market.js", "", "", "", "", 200},
		{"GET", "/assets/market.html", "", "", "", "", 404},
		{"GET", "/", "rebound.example", "", "", "", 421},
		{"POST", "/act/spending", "", "", json, "{}", 200},
		{"POST", "/act/spending", "", "https://elsewhere.example", json, "{}", 403},
		{"POST", "/act/spending", "", "", "text/plain", "{}", 415},
		{"POST", "/act/spending", "", "", json, "[]", 400},
		{"POST", "/act/spending", "", "", json, `{"a":"` + strings.Repeat("x", 70_000) + `"}`, 400},
		{"POST", "/act/raise", "", "", json, "{}", 404},
		{"GET", "/act/spending", "", "", "", "", 405},
		{"GET", "/receipts/north/none", "", "", "", "", 404},
		{"GET", "/receipts/nobody/none", "", "", "", "", 404},
	} {
		if got := ask(tc.method, tc.path, tc.host, tc.origin, tc.kind, tc.body); got != tc.want {
			t.Errorf("%s %s of %q from %q: %d, want %d", tc.method, tc.path, tc.host, tc.origin, got, tc.want)
		}
	}
	if code := m.act("bind", map[string]any{"email": "a@b.example"}, nil); code == "" {
		t.Error("an offer that was not made was bound")
	}
	if code := m.act("buy", map[string]any{"purchase_id": "p", "limit": "9"}, nil); code != "invalid" {
		t.Errorf("a limit in a call: %q", code)
	}
}
