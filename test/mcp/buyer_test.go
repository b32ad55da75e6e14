package mcp

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"frontdesk/internal/testkit/process"
)

func TestMain(m *testing.M) { process.Main(m) }

// town is the demo, and the folder of its buyer.
type town struct {
	desk *process.Server
	dir  string // of the demo, with the buyer's key
	own  string // of the buyer's purchases
}

func openTown(t *testing.T) *town {
	t.Helper()
	dir := t.TempDir()
	return &town{process.Start(t, "demo", "--listen", "127.0.0.1:0", "--data", dir), dir, t.TempDir()}
}

// assistant is a client of `frontdesk mcp --buyer`, as a desktop program starts it.
type assistant struct {
	t *testing.T
	*sdk.ClientSession
}

// start starts a buyer with limits, which searches the demo.
func (m *town) start(t *testing.T, flags ...string) *assistant {
	t.Helper()
	return m.begin(t, append([]string{"--site", m.desk.URL}, flags...)...)
}

// begin starts a buyer that knows no site.
func (m *town) begin(t *testing.T, flags ...string) *assistant {
	t.Helper()
	args := append([]string{
		"mcp", "--buyer", "--config", filepath.Join(m.dir, "frontdesk.yaml"), "--data", m.own, "--set",
		"keys=" + filepath.Join(m.dir, "keys"), "--as", "reader.tidewater.example/reading-bot",
	}, flags...)
	client := sdk.NewClient(&sdk.Implementation{Name: "desktop", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &sdk.CommandTransport{Command: process.Command(t, args...)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return &assistant{t, session}
}

// call calls a tool, and reads its result into out. It gives the code of a failure.
func (a *assistant) call(name string, arguments map[string]any, out any) (code, message string) {
	a.t.Helper()
	result, err := a.CallTool(a.t.Context(), &sdk.CallToolParams{Name: name, Arguments: arguments})
	if err != nil {
		a.t.Errorf("%s: %v", name, err)
		return "none", ""
	}
	text, err := json.Marshal(result.StructuredContent)
	if err != nil {
		a.t.Error(err)
	}
	var failure struct{ Code, Message string }
	if err := json.Unmarshal(text, &failure); err != nil || result.IsError != (failure.Code != "") {
		a.t.Errorf("%s: %s", name, text)
	}
	if out != nil {
		if err := json.Unmarshal(text, out); err != nil {
			a.t.Errorf("%s: %v: %s", name, err, text)
		}
	}
	return failure.Code, failure.Message
}

// must is call for one that has to succeed.
func (a *assistant) must(name string, arguments map[string]any, out any) {
	a.t.Helper()
	if code, message := a.call(name, arguments, out); code != "" {
		a.t.Fatalf("%s: %s: %s", name, code, message)
	}
}

type offers struct {
	Offers []struct {
		PurchaseID string `json:"purchase_id"`
		Price      struct {
			Amount   float64
			Currency string
		}
		Allowed bool `json:"within_limits"`
	}
	Bought []struct {
		TransactionID string `json:"transaction_id"`
	} `json:"already_bought"`
}

type receipt struct {
	PurchaseID    string `json:"purchase_id"`
	TransactionID string `json:"transaction_id"`
	Again         bool
	Report        bool `json:"report_required"`
	Text          string
	ReportID      string `json:"report_id"`
	Status        string
	Checked       string
}

// forSale finds the address of what the demo sells.
func (a *assistant) forSale() string {
	a.t.Helper()
	var found struct {
		Items []struct {
			URL     string
			ForSale bool `json:"for_sale"`
			Excerpt string
		}
	}
	a.must("search", map[string]any{"query": "what is inside the dredging contract"}, &found)
	for _, item := range found.Items {
		if item.ForSale && strings.HasSuffix(item.URL, "/inside-the-dredging-contract") {
			return item.URL
		}
	}
	a.t.Fatalf("nothing is for sale: %+v", found)
	return ""
}

func (a *assistant) quote(address string) offers {
	a.t.Helper()
	var out offers
	a.must("quote", map[string]any{"url": address}, &out)
	if len(out.Offers) == 0 || out.Offers[0].Price.Currency != "XTS" || out.Offers[0].Price.Amount != 0.02 {
		a.t.Fatalf("the quote: %+v", out)
	}
	return out
}

// TestAnAssistantBuysForAPerson goes from the question to the dispute by the tools, over a restart,
// and holds that the same purchase is made once.
func TestAnAssistantBuysForAPerson(t *testing.T) {
	t.Parallel()
	m := openTown(t)
	a := m.start(t, "--limit", "0.05XTS/month", "--most", "0.03XTS")
	address := a.forSale()
	quoted := a.quote(address)
	if !quoted.Offers[0].Allowed || len(quoted.Bought) != 0 {
		t.Errorf("the quote: %+v", quoted)
	}
	id := quoted.Offers[0].PurchaseID
	if code, message := a.call("buy", map[string]any{"purchase_id": id,
		"max": map[string]any{"amount": 0.01, "currency": "XTS"}}, nil); code != "over_limit" {
		t.Errorf("more than max: %s: %s", code, message)
	}
	if code, message := a.call("buy", map[string]any{"purchase_id": id, "limit": "9XTS/month"},
		nil); code != "invalid" || !strings.Contains(message, "limit") {
		t.Errorf("an argument that raises the limit: %s: %s", code, message)
	}
	var bought, again receipt
	a.must("buy", map[string]any{"purchase_id": id}, &bought)
	a.must("buy", map[string]any{"purchase_id": id}, &again)
	if bought.TransactionID == "" || bought.Again || !bought.Report || !again.Again ||
		again.TransactionID != bought.TransactionID {
		t.Fatalf("%+v, %+v", bought, again)
	}
	var text receipt
	a.must("fetch", map[string]any{"transaction_id": bought.TransactionID}, &text)
	if len(text.Text) < 200 || !strings.Contains(text.Checked, "byte for byte") {
		t.Errorf("fetched: %+v", text)
	}
	a.Close()

	// After a restart it is all there, and the wallet as full as it was.
	b := m.start(t, "--limit", "0.05XTS/month")
	if quoted := b.quote(address); len(quoted.Bought) != 1 || quoted.Bought[0].TransactionID != bought.TransactionID {
		t.Errorf("what was bought before: %+v", quoted.Bought)
	}
	var later receipt
	if b.must("fetch", map[string]any{"transaction_id": bought.TransactionID}, &later); later.Text != text.Text {
		t.Error("another text after a restart")
	}
	purchase := map[string]any{"transaction_id": bought.TransactionID, "reason": "content-mismatch"}
	if code, message := b.call("dispute", purchase, nil); code != "invalid" || !strings.Contains(message, "report") {
		t.Errorf("disputed before it was reported: %s: %s", code, message)
	}
	var filed, stands receipt
	b.must("report", map[string]any{"transaction_id": bought.TransactionID, "displayed_to_user": true}, &filed)
	b.must("report", map[string]any{"transaction_id": bought.TransactionID}, &stands)
	if filed.ReportID == "" || stands.ReportID != filed.ReportID {
		t.Errorf("reported: %+v, %+v", filed, stands)
	}
	if b.must("dispute", purchase, &stands); stands.Status == "" {
		t.Errorf("disputed: %+v", stands)
	}
	second, third := b.quote(address), b.quote(address)
	b.must("buy", map[string]any{"purchase_id": second.Offers[0].PurchaseID}, nil)
	code, message := b.call("buy", map[string]any{"purchase_id": third.Offers[0].PurchaseID}, nil)
	if code != "over_limit" || !strings.Contains(message, "0.04 XTS of the 0.05 XTS for this month") ||
		!strings.Contains(message, "the person") {
		t.Errorf("beyond the month: %s: %s", code, message)
	}
	if code, _ := b.call("fetch", map[string]any{"transaction_id": "txn-of-nobody"}, nil); code != "not_found" {
		t.Errorf("an unknown transaction: %s", code)
	}
	if code, _ := b.call("quote", map[string]any{"url": "http://127.0.0.1:1/soup"}, nil); code == "" {
		t.Error("another address of this machine was asked")
	}
}

// TestCallsAtOnceStayWithinTheLimit has two programs with one wallet buy at once as often as they
// can.
func TestCallsAtOnceStayWithinTheLimit(t *testing.T) {
	t.Parallel()
	m := openTown(t)
	both := []*assistant{m.start(t, "--limit", "0.1XTS/day"), m.start(t, "--limit", "0.1XTS/day")}
	address := both[0].forSale()
	var bought, refused atomic.Int64
	var wait sync.WaitGroup
	for i := range 16 {
		a := both[i%2]
		id := a.quote(address).Offers[0].PurchaseID
		wait.Go(func() {
			switch code, message := a.call("buy", map[string]any{"purchase_id": id}, nil); code {
			case "":
				bought.Add(1)
			case "over_limit":
				refused.Add(1)
			default:
				t.Errorf("%s: %s", code, message)
			}
		})
	}
	wait.Wait()
	if bought.Load() != 5 || refused.Load() != 11 {
		t.Errorf("%d bought, %d refused, with 0.1 XTS for 0.02 each", bought.Load(), refused.Load())
	}
}

// TestWithoutALimitNothingIsPaid holds that a buyer without limits pays nothing, and says who can
// change that.
func TestWithoutALimitNothingIsPaid(t *testing.T) {
	t.Parallel()
	a := openTown(t).start(t)
	quoted := a.quote(a.forSale())
	if quoted.Offers[0].Allowed {
		t.Error("it is allowed")
	}
	if code, message := a.call("buy", map[string]any{"purchase_id": quoted.Offers[0].PurchaseID},
		nil); code != "over_limit" || !strings.Contains(message, "frontdesk mcp --buyer") {
		t.Errorf("%s: %s", code, message)
	}
	tools, err := a.ListTools(t.Context(), nil)
	if err != nil || len(tools.Tools) != 7 {
		t.Fatalf("%v, %v", tools, err)
	}
	for _, shown := range tools.Tools {
		pays := shown.Name == "buy" || shown.Name == "report" || shown.Name == "dispute"
		if shown.Annotations.ReadOnlyHint == pays {
			t.Errorf("%s says that it changes nothing: %t", shown.Name, !pays)
		}
	}
}
