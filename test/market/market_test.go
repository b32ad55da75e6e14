package market

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/testkit/process"
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

// act presses a button, and reads the result. It gives the code and the words of a failure.
func (m *town) act(name string, arguments map[string]any, out any) (code, message string) {
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
		return failure.Code, failure.Message
	}
	if out != nil {
		if err := json.Unmarshal(told.Result, out); err != nil {
			m.t.Fatalf("%s: %v: %s", name, err, told.Result)
		}
	}
	return "", ""
}

// fails presses a button that is to fail.
func (m *town) fails(name string, arguments map[string]any) (code, message string) {
	m.t.Helper()
	return m.act(name, arguments, nil)
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

// fact waits for an entry of a kind in the ledger of a place. What an edge delivered its Exchange
// learns a little later.
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
			Carried                  []string
		}
		if err := json.Unmarshal([]byte(text), &one); err != nil {
			m.t.Fatal(err)
		}
		line := fmt.Sprintf("%s > %s %s %s %d", one.From, one.To, one.Protocol, one.What, one.Status)
		last := line == until
		if len(one.Carried) > 0 {
			line += " [" + strings.Join(one.Carried, "; ") + "]"
		}
		if all = append(all, line); last {
			return all
		}
	}
	m.t.Fatalf("%q did not pass: %v", until, lines.Err())
	return nil
}

type amount struct {
	Amount   float64
	Currency string
}

type quote struct {
	URL    string
	Found  []struct{ URI, Title string }
	Offers []struct {
		PurchaseID string `json:"purchase_id"`
		URL        string
		Title      string
		Exchange   string
		Broker     string
		Price      amount
		Fee        amount `json:"broker_fee"`
		Total      amount
	}
}

type purchase struct {
	TransactionID string `json:"transaction_id"`
	Exchange      string
	Cost          amount
	Fee           amount                           `json:"broker_fee"`
	Passed        []struct{ Exchange, Why string } `json:"passed_over"`
	Text          string
	Checked       string
	ReportID      string `json:"report_id"`
	DisputeID     string `json:"dispute_id"`
}

// find asks the publishers, and gives the address of what is for sale at a path.
func (m *town) find(question, path string) (address string) {
	m.t.Helper()
	var found struct {
		Items []struct {
			URL     string
			ForSale bool `json:"for_sale"`
		}
	}
	m.act("search", map[string]any{"query": question}, &found)
	for _, item := range found.Items {
		if item.ForSale && strings.HasSuffix(item.URL, path) {
			return item.URL
		}
	}
	m.t.Fatalf("%s: %+v", question, found)
	return ""
}

// used fetches what was bought, reports and disputes it, and holds the text's last words.
func (m *town) used(by, transaction, end string) {
	m.t.Helper()
	with := func(more map[string]any) map[string]any {
		all := map[string]any{"by": by, "transaction_id": transaction}
		for name, value := range more {
			all[name] = value
		}
		return all
	}
	var text, filed, disputed purchase
	if m.act("fetch", with(nil), &text); !strings.HasSuffix(strings.TrimSpace(text.Text), end) ||
		!strings.Contains(text.Checked, "byte for byte") {
		m.t.Errorf("fetched: %+v", text)
	}
	if m.act("report", with(nil), &filed); filed.ReportID == "" {
		m.t.Errorf("reported: %+v", filed)
	}
	if m.act("dispute", with(map[string]any{"reason": "incomplete-content"}), &disputed); disputed.DisputeID == "" {
		m.t.Errorf("disputed: %+v", disputed)
	}
}

// sold holds that an Exchange has on record that it sold something, that it was reported, disputed
// and delivered, with receipts that are true.
func (m *town) sold(exchange, transaction string) {
	m.t.Helper()
	for _, kind := range []string{"transaction", "usage", "dispute", "delivery"} {
		m.verify(m.fact(exchange, kind, transaction))
	}
}

// TestAMarketOfAllFourProtocols presses every button: asks both publishers, has a platform retrieve
// and cite, buys at Exchanges and through the Broker, fetches at the edges, reports, disputes,
// submits to the business and binds; and finds each in the ledger of whom it concerns, with a
// receipt that is true.
func TestAMarketOfAllFourProtocols(t *testing.T) {
	t.Parallel()
	m := open(t)
	dredging := m.find("what is inside the dredging contract", "/premium/dredging-contract")
	tide := m.find("what does wind add to the tide", "/premium/tide-and-weather")
	for publisher, question := range map[string]string{
		"review": "what does a barge of mud cost", "almanac": "what does wind add to the tide",
	} {
		var passages struct {
			Passages  []struct{ Text string }
			Citations []any
			Signed    bool
		}
		m.act("retrieve", map[string]any{"publisher": publisher, "query": question}, &passages)
		if len(passages.Passages) == 0 || len(passages.Citations) == 0 || !passages.Signed {
			t.Errorf("retrieved: %+v", passages)
		}
		m.act("cite", nil, &struct{}{})
		m.verify(m.fact(publisher, "access", ""))
		m.verify(m.fact(publisher, "citation", ""))
	}

	// At the Exchanges: the Review's articles are sold at both, the Almanac's at one.
	for _, p := range []struct {
		address, exchange, end string
		offers                 int
		price                  float64
	}{
		{dredging, "north", "it is open for both sides.", 2, 0.02},
		{tide, "south", "and eight the mole.", 1, 0.05},
	} {
		var quoted quote
		m.act("quote", map[string]any{"url": p.address}, &quoted)
		if len(quoted.Offers) != p.offers || p.offers == 2 && quoted.Offers[0].Price.Amount != 0.015 {
			t.Fatalf("quoted: %+v", quoted)
		}
		taken := quoted.Offers[p.offers-1]
		if taken.Price.Amount != p.price || !strings.Contains(taken.Exchange, "//"+p.exchange+".localhost:") {
			t.Fatalf("quoted: %+v", quoted)
		}
		var bought purchase
		m.act("buy", map[string]any{"purchase_id": taken.PurchaseID}, &bought)
		m.used("exchange", bought.TransactionID, p.end)
		m.sold(p.exchange, bought.TransactionID)
	}

	// Through the Broker, which takes the cheaper of two, and a fee.
	var quoted quote
	m.act("quote", map[string]any{"by": "broker", "url": dredging}, &quoted)
	if len(quoted.Offers) != 1 || quoted.Offers[0].Exchange != "south.localhost" ||
		quoted.Offers[0].Total.Amount != 0.0165 {
		t.Fatalf("quoted: %+v", quoted)
	}
	var bought purchase
	m.act("buy", map[string]any{"by": "broker", "purchase_id": quoted.Offers[0].PurchaseID}, &bought)
	if bought.Exchange != "south.localhost" || bought.Cost.Amount != 0.015 || bought.Fee.Amount != 0.0015 ||
		len(bought.Passed) != 1 || bought.Passed[0].Exchange != "north.localhost" {
		t.Errorf("bought: %+v", bought)
	}
	m.used("broker", bought.TransactionID, "it is open for both sides.")
	m.sold("south", bought.TransactionID)

	var offered struct{ Offer struct{ Summary string } }
	if m.act("submit", map[string]any{"hull": "wood", "length_m": 8},
		&offered); !strings.Contains(offered.Offer.Summary, "760.00 EUR") {
		t.Errorf("offered: %+v", offered)
	}
	m.act("bind", map[string]any{"email": "sailor@tidewater.example"}, &struct{}{})
	for _, kind := range []string{"intake", "bind"} {
		m.verify(m.fact("business", kind, ""))
	}
	m.passed()
}

// passed holds that what should have passed did, with what it carried, and no secret in it.
func (m *town) passed() {
	m.t.Helper()
	all := strings.Join(m.messages("agent > business Intake /intake/boat-repair/bind 200"), "\n")
	for _, want := range []string{
		"agent > review NLWeb /ask 200", "agent > almanac NLWeb /ask 200",
		"platform > review Intent /intent/retrieve 200", "platform > almanac Intent /intent/events ",
		"agent > reviewedge RAMP /.well-known/ramp.json 200 [sells through north.localhost and south.localhost]",
		"agent > north RAMP DiscoverResources 200", "agent > north RAMP ExecuteTransaction 200",
		"agent > reviewedge RAMP /premium/dredging-contract 200", "agent > south RAMP ReportUsage 200",
		"agent > south RAMP DisputeTransaction 200", "almanacedge > south RAMP /exchange/v1/deliveries 200",
		"secondedge > south RAMP /exchange/v1/deliveries 200", "north > reviewedge RAMP /.well-known/ramp-verify/… 200",
		"agent > broker RAMP Resolve 200", "chose south.localhost for 0.015 XTS; takes 0.0015 XTS for itself",
		"passed over north.localhost: it costs 0.02 XTS, and 0.0165 XTS may be paid",
		"passed on and signed by broker.localhost:", "broker > north RAMP DiscoverResources 200",
		"broker > south RAMP ExecuteTransaction 200", "broker > south RAMP ReportUsage 200",
		"broker > south RAMP DisputeTransaction 200", "north > broker RAMP /.well-known/ramp-agent.json 200",
		"agent > secondedge RAMP /premium/dredging-contract 200",
		"agent > business Intake /intake/boat-repair 200 [hull: wood; length_m: 8; offers: ",
	} {
		if !strings.Contains(all, want) {
			m.t.Errorf("%q did not pass:\n%s", want, all)
		}
	}
	if at := regexp.MustCompile(`\?|&[a-z]|expires=|signature=|sailor@|whsec_`).FindString(all); at != "" {
		m.t.Errorf("a message shows %q:\n%s", at, all)
	}
}

// TestTheBrokerHoldsABudget buys through it until its budget for the agent is used up: then nothing
// is paid, and it says how it stands. At an Exchange it can still be bought.
func TestTheBrokerHoldsABudget(t *testing.T) {
	t.Parallel()
	m := open(t)
	address := m.find("what is inside the dredging contract", "/premium/dredging-contract")
	var quoted quote
	for range 6 {
		var bought purchase
		m.act("quote", map[string]any{"by": "broker", "url": address}, &quoted)
		m.act("buy", map[string]any{"by": "broker", "purchase_id": quoted.Offers[0].PurchaseID}, &bought)
		m.act("report", map[string]any{"transaction_id": bought.TransactionID}, &struct{}{})
	}
	m.act("quote", map[string]any{"by": "broker", "url": address}, &quoted)
	code, message := m.fails("buy", map[string]any{"by": "broker", "purchase_id": quoted.Offers[0].PurchaseID})
	if code != "not_bought" || !strings.Contains(message, "0.001 XTS left of 0.1 XTS") {
		t.Errorf("beyond the budget: %s: %s", code, message)
	}
	m.act("submit", map[string]any{"hull": "wood", "length_m": 8}, &struct{}{})
	asked := 0
	for _, line := range m.messages("agent > business Intake /intake/boat-repair 200") {
		if strings.HasPrefix(line, "agent > broker RAMP Resolve 429") {
			asked++
		}
	}
	if asked != 1 {
		t.Errorf("a Broker whose budget is used up was asked %d times", asked)
	}
	var spending struct {
		Limits []struct{ Spent amount }
	}
	if m.act("spending", nil, &spending); spending.Limits[0].Spent.Amount != 0.099 {
		t.Errorf("spent: %+v", spending)
	}
	m.act("quote", map[string]any{"url": address}, &quoted)
	m.act("buy", map[string]any{"purchase_id": quoted.Offers[0].PurchaseID}, &purchase{})
}

// TestAnAgentBuysWhatItCannotName: the Broker has read what both publishers publish, and searches
// it; what fits best is quoted, bought and fetched, and what is found and not sold is told. A
// search that finds nothing says so, and asks no Exchange.
func TestAnAgentBuysWhatItCannotName(t *testing.T) {
	t.Parallel()
	m := open(t)
	byWords := func(words string) map[string]any { return map[string]any{"by": "broker", "query": words} }
	for _, tc := range []struct {
		words, path, end string
		total            float64
	}{
		{"whose names stand in the land register", "/premium/who-owns-the-waterfront",
			"begins with a rope shed that has no roof.", 0.0165},
		{"a landing book of herring", "/premium/herring-by-the-moon", "so that you can divide for yourself.", 0.055},
	} {
		var quoted quote
		m.act("quote", byWords(tc.words), &quoted)
		if len(quoted.Offers) == 0 || !strings.HasSuffix(quoted.URL, tc.path) || quoted.Offers[0].URL != quoted.URL ||
			quoted.Offers[0].Total.Amount != tc.total || quoted.Found[0].URI != quoted.URL ||
			quoted.Offers[0].Title == "" {
			t.Fatalf("%s: %+v", tc.words, quoted)
		}
		var bought purchase
		m.act("buy", map[string]any{"by": "broker", "purchase_id": quoted.Offers[0].PurchaseID}, &bought)
		m.used("broker", bought.TransactionID, tc.end)
		m.sold("south", bought.TransactionID)
	}
	var quoted quote
	m.act("quote", byWords("how is a barometer read, and who owns the waterfront"), &quoted)
	free := func(uri string) bool { return strings.HasSuffix(uri, "/how-to-read-a-barometer") }
	if n := len(quoted.Found); n < 2 || n <= len(quoted.Offers) {
		t.Errorf("found: %+v", quoted)
	}
	told := false
	for _, one := range quoted.Found {
		told = told || free(one.URI)
	}
	for _, one := range quoted.Offers {
		if free(one.URL) {
			t.Errorf("what is free is offered: %+v", one)
		}
	}
	if !told {
		t.Errorf("what is free was not found: %+v", quoted.Found)
	}
	if code, message := m.fails("quote", byWords("zyzzyva quokka xylophone")); code != "not_bought" ||
		!strings.Contains(message, "finds nothing for these words") {
		t.Errorf("nothing is found: %s: %s", code, message)
	}
	if code, message := m.fails("quote", map[string]any{"query": "the waterfront"}); code != "invalid" ||
		!strings.Contains(message, "Broker") {
		t.Errorf("by words without a Broker: %s: %s", code, message)
	}
	m.act("submit", map[string]any{"hull": "wood", "length_m": 8}, &struct{}{})
	all := m.messages("agent > business Intake /intake/boat-repair 200")
	last := ""
	for i, line := range all {
		if strings.Contains(line, "looks for: zyzzyva") {
			last = line
			if next := strings.Join(all[i+1:], "\n"); strings.Contains(next, "DiscoverResources") {
				t.Errorf("Exchanges are asked for nothing:\n%s", next)
			}
		}
	}
	if !strings.HasPrefix(last, "agent > broker RAMP Resolve 404 [") ||
		!strings.Contains(last, "refused: the search found nothing") {
		t.Errorf("told of a search that finds nothing: %s", last)
	}
	text := strings.Join(all, "\n")
	for _, want := range []string{
		"broker > review NLWeb /schemamap.xml 200", "broker > almanac NLWeb /feeds/almanac/1-of-1.jsonl 200",
		"agent > broker RAMP Resolve 200 [looks for: whose names stand in the land register; asks what would be " +
			"bought, and buys nothing; found /premium/who-owns-the-waterfront: Who owns the waterfront?",
		"offers /premium/who-owns-the-waterfront for 0.015 XTS per access",
		"chose south.localhost for 0.015 XTS; takes 0.0015 XTS for itself; transaction ",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q did not pass:\n%s", want, text)
		}
	}
}

// TestTheTranscriptOfTheWholeMarket plays the scenario in a terminal, also where another program,
// such as a demo, has the address of the page.
func TestTheTranscriptOfTheWholeMarket(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	out := process.MustRun(t, "demo", "--market", "--transcript", "--listen", taken.Addr().String())
	at := 0
	for _, want := range []string{
		"1. The agent asks both publishers", "NLWeb /ask", "Intent /intent/retrieve", "4. The agent asks the Exchanges",
		"offers it for 0.02 XTS per access", "offers it for 0.015 XTS per access",
		"6. The agent buys through the Broker", "passed on and signed by broker.localhost:",
		"Quay Broker > South Exchange  RAMP ExecuteTransaction  200", "takes 0.0015 XTS for itself",
		"Reading bot > The Review's second edge  RAMP /premium/dredging-contract  200", "Quay Broker > South " +
			"Exchange  RAMP ReportUsage  200", "Quay Broker > South Exchange  RAMP DisputeTransaction  200",
		"10. The agent asks the Broker for a text that it cannot name", "looks for: whose " +
			"names stand in the land register?", "found /premium/who-owns-the-waterfront: Who owns the waterfront?",
		"offers /premium/who-owns-the-waterfront for 0.015 XTS per access", "11. The agent buys what fits best",
		"Quay Broker > South Exchange  RAMP ExecuteTransaction  200", "takes 0.0015 XTS for itself",
		"12. The agent fetches what it bought by words",
		"Reading bot > The Review's second edge  RAMP /premium/who-owns-the-waterfront  200",
		"Intake /intake/boat-repair/bind", "The receipts, each verified by the keys that its place publishes",
	} {
		found := strings.Index(out[at:], want)
		if found < 0 {
			t.Fatalf("%q is not there, or not in its place:\n%s", want, out)
		}
		at += found
	}
	// in whichever order their ledgers have them: an edge tells later
	for _, want := range []string{"transaction  South Exchange         true",
		"bind         Harbour & Pine Boats   true", "delivery     South Exchange         true"} {
		if !strings.Contains(out[at:], want) {
			t.Errorf("%q is not among the receipts:\n%s", want, out)
		}
	}
	if strings.Contains(out, "NOT TRUE") || strings.Contains(out, "sailor@") {
		t.Error(out)
	}
	if path := os.Getenv("FRONTDESK_TRANSCRIPT"); path != "" { // for who wants to read it
		if err := os.WriteFile(path, []byte(out), 0o644); err != nil {
			t.Error(err)
		}
	}
}

// TestThePageIsForThisMachine holds who is refused: pages of others, other hosts, and what is no
// act.
func TestThePageIsForThisMachine(t *testing.T) {
	t.Parallel()
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
		if csp := answer.Header.Get("Content-Security-Policy"); !strings.Contains(csp, "default-src 'none'") ||
			strings.Contains(csp, "unsafe") {
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
	if code, _ := m.act("bind", map[string]any{"email": "a@b.example"}, nil); code == "" {
		t.Error("an offer that was not made was bound")
	}
	if code, _ := m.act("buy", map[string]any{"purchase_id": "p", "limit": "9"}, nil); code != "invalid" {
		t.Errorf("a limit in a call: %q", code)
	}
}
