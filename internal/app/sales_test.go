package app

import (
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/content"
	"frontdesk/internal/identity"
	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/ledger"
	"frontdesk/internal/licensing/accounts"
	"frontdesk/internal/licensing/transactions"
	"frontdesk/internal/policy"
	"frontdesk/internal/testkit/clock"
	"frontdesk/wire/receipt"
)

const salesConfig = "url: https://desk.example\nterms:\n  - match: {path: /soup}\n    access: licensed\n" +
	"    price: {model: per_access, rate: \"0.02\", currency: USD}\n    reporting: {window: 24h}\n" + rampConfig

const (
	saleBuyer = "buyer.example.com/research-bot"
	oddBuyer  = `x.example/<b>"&'ü`
)

// salesOf opens a server that sells, and a console over it.
func salesOf(t *testing.T, role string) (*App, *person, *logbook, *clock.Clock) {
	t.Helper()
	c := clock.At(time.Now().UTC().Truncate(time.Second))
	s, log := open(t, salesConfig, func(o *Options) { o.Now = c.Now })
	token, _ := tokenFor(t, s, role)
	return s, newPerson(t, s).login(token), log, c
}

// sold has a buyer buy something, as the exchange records it.
func sold(t *testing.T, s *App, buyer string, price policy.Money, quantity int64,
	change func(*transactions.Transaction, *accounts.Charge)) transactions.Transaction {
	t.Helper()
	ctx, now := t.Context(), s.now().UTC()
	sale := transactions.Transaction{
		ID: transactions.NewID("txn", now), Billing: transactions.NewID("bill", now), Request: "r-1",
		Offer: transactions.NewOfferID(now.Add(time.Minute), false), Buyer: buyer, Agent: "00ff", Site: "main",
		URI: "https://example.com/soup", Item: content.Ref{Site: "main", Source: "pages", ID: "i"}, Made: now,
		Expires: now.Add(5 * time.Minute), Price: price, Unit: price.Unit(), Estimate: quantity,
		Method: "direct", Document: []byte(`{"offer_id":"x","package":{"id":"p","title":"Lentil <soup>"}}`),
		Obligation: transactions.Pending, Due: now.Add(24 * time.Hour), Fields: []string{"consumed_quantity"},
	}
	charge := accounts.Charge{ID: sale.ID, Buyer: buyer, Site: "main", Item: accounts.Item{URL: sale.URI}, Price: price,
		Quantity: quantity, Due: sale.Due, Now: now}
	if change != nil {
		change(&sale, &charge)
	}
	err := s.db.Update(ctx, func(tx *store.Tx) error {
		h, err := s.Accounts.Authorize(ctx, tx, charge)
		if err != nil {
			return err
		}
		sale.Amount, sale.Value = h.Authorised, h.Value
		body := fmt.Sprintf(`{"amount":"0.02","currency":"USD","pricing_model":%q,"rule":0,"uri":%q}`, price.Model, sale.URI)
		if sale.Entry, err = s.Ledger.Append(ctx, tx, receipt.Entry{Time: now, Kind: "transaction", Site: "main",
			Party: "requester:" + buyer, Subject: sale.ID, Body: []byte(body)}); err != nil {
			return err
		}
		return transactions.PutTransaction(ctx, tx, sale)
	})
	if err != nil {
		t.Fatal(err)
	}
	return sale
}

var perAccess = policy.Money{Model: "per_access", Rate: 2_000_000, Currency: "USD"}

func TestTheConsoleShowsWhatIsSold(t *testing.T) {
	t.Parallel()
	s, p, log, c := salesOf(t, identity.Operator)
	for page, says := range map[string]string{
		"": "Nothing was earned in these days", "/catalog": "Lentil soup", "/offers": "No offer was made lately",
		"/transactions": "Nothing was bought yet", "/owed": "No report is overdue",
		"/accounts": "There are no accounts", "/grants": "There are no licences and no subscriptions",
		"/requesters": "Nobody has signed up", "/reports": "Every purchase",
	} {
		p.sees("/console/sales"+page, 200, says, `aria-current="page"`)
	}
	p.sees("/console/", 200, `<a href="/console/sales">Sales</a>`)
	p.sees("/console/sales", 200, `<a href="/console/sales" aria-current="page">Sales</a>`)
	p.sees("/console/sales/catalog", 200, "per access, 0.02 USD", "report within 1 day", "https://example.com/soup")
	p.sees("/console/sales/catalog?q=https://example.com/soup", 200, "Lentil soup")
	p.sees("/console/sales/catalog?q=lentil+example", 200, "Lentil soup")
	p.sees("/console/sales/catalog?q=bread", 200, "Nothing fits what you chose")

	// Accounts are opened, paid into, limited and suspended; the ledger tells who did it.
	p.sees("/console/sales/accounts", 200)
	for _, buyer := range []string{saleBuyer, oddBuyer} {
		if w := p.post("/console/sales/accounts", "buyer", " "+buyer, "currency", "usd", "limit",
			""); w.Code != http.StatusSeeOther {
			t.Fatalf("open: %d %s", w.Code, w.Body)
		}
		p.sees("/console/sales/accounts", 200)
	}
	of := func(buyer string) string {
		return "/console/sales/account?" + url.Values{"buyer": {buyer}, "currency": {"USD"}}.Encode()
	}
	p.sees(of(saleBuyer), 200, "<b class=\"big\">0.00 USD</b>", "Nothing moved on this account")
	if w := p.post("/console/sales/account", "buyer", saleBuyer, "currency", "USD", "do", "credit", "amount", "250.5",
		"reference", "INV-7", "seen", "0"); w.Code != http.StatusSeeOther {
		t.Fatalf("credit: %d %s", w.Code, w.Body)
	}
	p.sees(of(saleBuyer), 200, "<b class=\"big\">250.50 USD</b>", "Paid in", "INV-7", `name="seen" value="1"`)
	if w := p.post("/console/sales/account", "buyer", saleBuyer, "currency", "USD", "do", "credit", "amount", "250.50",
		"reference", "INV-7", "seen", "0"); w.Code != http.StatusBadRequest {
		t.Errorf("the same form again: %d %s", w.Code, w.Body)
	}
	p.sees(of(saleBuyer), 200, "<b class=\"big\">250.50 USD</b>")
	for _, wrong := range [][]string{
		{"do", "credit", "amount", "1,5"}, {"do", "debit", "amount", "1000"}, {
			"do", "credit", "amount", "1", "reference", "from Jane Doe",
		}, {"do", "give", "amount", "1"}, {"do", "limit", "limit", "x"},
	} {
		if w := p.post("/console/sales/account", append([]string{"buyer", saleBuyer, "currency", "USD", "seen", "1"},
			wrong...)...); w.Code != http.StatusBadRequest {
			t.Errorf("%v: %d", wrong, w.Code)
		}
		p.sees(of(saleBuyer), 200, "<b class=\"big\">250.50 USD</b>")
	}
	for _, did := range [][]string{
		{"do", "debit", "amount", "0.50"}, {"do", "limit", "limit", "20"}, {"do", "suspend"}, {"do", "resume"},
	} {
		if w := p.post("/console/sales/account", append([]string{"buyer", saleBuyer, "currency", "USD", "seen", "1"},
			did...)...); w.Code != http.StatusSeeOther {
			t.Errorf("%v: %d %s", did, w.Code, w.Body)
		}
		p.get(of(saleBuyer))
	}
	p.sees(of(saleBuyer), 200, "<b class=\"big\">250.00 USD</b>", "20.00 USD", "Paid out", ">active<")
	p.sees(of(oddBuyer), 200, "x.example/&lt;b&gt;")

	// A subscription with a quota.
	p.sees("/console/sales/grants", 200)
	if w := p.post("/console/sales/grants", "kind", "subscription", "id", "sub-acme", "buyer", saleBuyer, "paths",
		"/premium/** /archive/**", "currency", "USD", "most", "1000", "unit", "accesses", "long", "1", "period",
		"months"); w.Code != http.StatusSeeOther {
		t.Fatalf("subscription: %d %s", w.Code, w.Body)
	}
	p.sees("/console/sales/grant?id=sub-acme", 200, "0 of 1000 purchases", "period: 1 month", "/premium/**",
		"hundredths")
	for _, did := range [][]string{{"do", "quota", "most", "20", "unit", "burst", "long", "90", "period", "minutes"},
		{"do", "quota", "most", "5000", "unit", "spend_cents"}, {"do", "suspend"}} {
		if w := p.post("/console/sales/grant",
			append([]string{"id", "sub-acme"}, did...)...); w.Code != http.StatusSeeOther {
			t.Errorf("%v: %d %s", did, w.Code, w.Body)
		}
		p.get("/console/sales/grant?id=sub-acme")
	}
	p.sees("/console/sales/grant?id=sub-acme", 200, "0 of 20 purchases in a short span", "period: 90 minutes",
		"0 of 5000 hundredths of the currency (USD)", "for the whole time", ">suspended<")
	for _, wrong := range [][]string{{"do", "quota", "most", "x", "unit", "burst"}, {"do", "quota", "most", "1", "unit",
		"wishes"}, {"do", "quota", "most", "1", "unit", "burst", "long", "0", "period", "days"}, {"do", "give"}} {
		if w := p.post("/console/sales/grant",
			append([]string{"id", "sub-acme"}, wrong...)...); w.Code != http.StatusBadRequest {
			t.Errorf("%v: %d %s", wrong, w.Code, w.Body)
		}
		p.get("/console/sales/grant?id=sub-acme")
	}
	p.sees("/console/sales/grants?buyer="+url.QueryEscape(saleBuyer), 200, "sub-acme")
	p.sees("/console/sales/grants?buyer=nobody.example/x", 200, "This buyer has none")
	p.sees("/console/sales/grants", 200)
	if w := p.post("/console/sales/grants", "kind", "licence", "id", "lic-1", "buyer", saleBuyer, "paid", "training",
		"ends", "2040-01-31"); w.Code != http.StatusSeeOther {
		t.Fatalf("licence: %d %s", w.Code, w.Body)
	}
	p.sees("/console/sales/grant?id=lic-1", 200, "licence, for training paid", "31 Jan 2040")

	// What is bought is seen with its cost, its report and its receipts.
	sale := sold(t, s, saleBuyer, perAccess, 0, func(d *transactions.Transaction, _ *accounts.Charge) {
		d.Declared = []string{"search", "ai-input"}
	})
	metered := sold(t, s, saleBuyer, policy.Money{Model: "per_token", Rate: 100_000, Currency: "USD"}, 3200, nil)
	back := sold(t, s, saleBuyer, perAccess, 0, nil)
	late := sold(t, s, saleBuyer, perAccess, 0, func(d *transactions.Transaction, _ *accounts.Charge) {
		d.Obligation = transactions.Expired
	})
	ctx := t.Context()
	yes, no := true, false
	details := transactions.UsageDetails{
		Shown: &yes, Cited: &no, Functions: []string{"FUNCTION_AI_TRAIN"}, SubFunctions: []string{"SUB_FUNCTION_RAG"},
		Exchange: "sold.example", Assets: []transactions.Asset{{URI: "https://example.com/soup#1"}},
		Attribution: []transactions.Attribution{{URL: "javascript:alert(1)", Format: "CITATION_FORMAT_FOOTNOTE",
			Visible: &yes}},
	}.JSON()
	if err := s.db.Update(ctx, func(tx *store.Tx) error {
		if err := transactions.PutReport(ctx, tx, sale.ID,
			transactions.Report{ID: "rep-1", BuyerID: "x", Made: c.Now(), Consumed: 3000, Deviant: true,
				Prohibited: true, Future: true, Details: details}, transactions.Fulfilled); err != nil {
			return err
		}
		for _, kind := range []string{"delivery", "usage"} {
			entry, err := s.Ledger.Append(ctx, tx,
				receipt.Entry{Time: c.Now(), Kind: kind, Party: "requester:" + saleBuyer, Subject: sale.ID,
					Body: []byte(`{"bytes":4711,"uri":"https://example.com/soup"}`)})
			switch {
			case err != nil:
			case kind == "usage":
				err = transactions.PutEvent(ctx, tx,
					transactions.Event{Transaction: sale.ID, Entry: entry, Kind: kind, At: c.Now()})
			default:
				_, err = transactions.PutDelivery(ctx, tx,
					transactions.Delivery{ID: "dlv-1", Transaction: sale.ID, Site: "main",
						State: transactions.DeliveryEnded, Bytes: 4711, At: c.Now(), Ended: c.Now(), Entry: entry})
			}
			if err != nil {
				return err
			}
		}
		if _, err := s.Accounts.Release(ctx, tx, back.ID, c.Now()); err != nil {
			return err
		}
		return transactions.MarkFailed(ctx, tx, back.ID)
	}); err != nil {
		t.Fatal(err)
	}
	p.sees("/console/sales/transactions", 200, sale.ID, metered.ID, "3.20 USD", "held until it is reported",
		"taken back", "report overdue", "reported in time", "used for what the offer prohibits", "dated in the future")
	p.sees("/console/sales/transactions/"+sale.ID, 200, sale.Billing, "Lentil &lt;soup&gt;", "0.02 USD",
		"Delivered</a> <span class=\"soft\">4,711 bytes", "Use reported", "rep-1", "far from the estimate",
		"<bdi>javascript:alert(1) (footnote, visible)</bdi>", "<dt>Shown to people</dt><dd>yes</dd>",
		"<dt>Cited</dt><dd>no</dd>", "SUB_FUNCTION_RAG", "sold.example", "https://example.com/soup#1",
		"receipts/"+sale.Entry, "consumed_quantity", "Declared use</dt><dd><code>search</code>, <code>ai-input</code>",
		"Reported use</dt><dd><code>FUNCTION_AI_TRAIN</code>", "used for what the offer prohibits",
		"dated in the future")
	p.sees("/console/sales/transactions?buyer="+url.QueryEscape(saleBuyer)+"&day="+c.Now().Format(time.DateOnly),
		200, sale.ID)
	p.sees("/console/sales/transactions?buyer=nobody.example/x", 200, "Nothing fits what you chose")
	p.sees("/console/sales/transactions?account="+url.QueryEscape(saleBuyer), 200, sale.ID, metered.ID, back.ID)
	for _, id := range []string{sale.ID, sale.Billing} {
		p.sees("/console/sales/transactions?q="+id, 200, sale.ID)
		if n := strings.Count(p.page, `class="when"`); n != 1 {
			t.Errorf("%s finds %d", id, n)
		}
	}
	p.sees("/console/sales/transactions?q=txn-none", 200, "Nothing fits what you chose")
	p.sees("/console/sales/transactions/txn-none", 404, "There is no purchase of this id")
	p.sees("/console/sales/offers/none", 404, "There is no offer of this id any more")
	p.sees("/console/sales/owed", 200, "Overdue <b>1</b>", "Open <b>1</b>", "In time <b>1</b>",
		"Waived <b>1</b>", late.ID)
	p.sees("/console/sales/owed?state=open", 200, metered.ID)
	p.sees("/console/sales/owed?state=met", 200, sale.ID, "3000 tokens", "used for what the offer prohibits")
	p.sees("/console/sales/owed?state=waived&buyer="+url.QueryEscape(saleBuyer), 200, back.ID)
	p.sees("/console/sales", 200, "<b>1</b> report is overdue", "Revenue by day and buyer, in USD", "0.04 USD",
		saleBuyer, "By page",
		`<a href="https://example.com/soup" rel="noreferrer">`)
	if w := p.get("/console/sales.csv?days=7"); !strings.HasPrefix(w.Body.String(),
		"url,site,purchases,charged,last_purchase\nhttps://example.com/soup,main,") {
		t.Errorf("the pages as a file: %s", w.Body)
	}
	p.sees("/console/sales?compare=1", 200, "and 0 in the 30 days before")
	p.sees(of(saleBuyer), 200, "<b class=\"big\">246.76 USD</b>", "Held", "Charged", "Taken back", sale.ID)
	p.sees("/console/receipts/"+sale.Entry, 200, "Bought", "sales/transactions/"+sale.ID, "per access; 0.02 USD")
	p.sees("/console/receipts?kind=account", 200, "Account changed", "paid in; 250.5 USD", "by Ana")

	// Nothing of what an operator did is without a name, and no reference and no form's token gets
	// into the log.
	for record, err := range s.Ledger.Read(ctx, ledger.Filter{Kind: "account"}) {
		if err != nil || !strings.Contains(string(record.Entry.Body), `"by":"key:`) {
			t.Errorf("%v %s", err, record.Entry.Body)
		}
	}
	if strings.Contains(log.String(), "INV-7") || strings.Contains(log.String(), saleBuyer) {
		t.Error("the log says who paid for what")
	}
}

func TestViewersSeeSalesAndChangeNothing(t *testing.T) {
	t.Parallel()
	s, p, _, _ := salesOf(t, identity.Viewer)
	if err := s.ChangeAccounts(t.Context(),
		func(tx *store.Tx) error {
			return s.Accounts.Open(t.Context(), tx, saleBuyer, "USD", -1, s.now())
		}); err != nil {
		t.Fatal(err)
	}
	forms := regexp.MustCompile(`<form[^>]*method="post"[^>]*action="/console/sales`)
	account := "/console/sales/account?buyer=" + url.QueryEscape(saleBuyer) + "&currency=USD"
	for _, page := range []string{"/console/sales", "/console/sales/accounts", account, "/console/sales/grants",
		"/console/sales/requesters", "/console/sales/transactions", "/console/sales/offers", "/console/sales/owed",
		"/console/sales/catalog", "/console/sales/reports"} {
		p.sees(page, 200)
		if forms.MatchString(p.page) {
			t.Errorf("%s shows a viewer a form that changes something", page)
		}
	}
	for _, page := range []string{"accounts", "account", "grants", "grant", "requesters"} {
		p.get("/console/sales")
		if w := p.post("/console/sales/"+page, "buyer", saleBuyer, "currency", "USD", "do", "suspend", "kind",
			"licence", "id", "x"); w.Code != http.StatusForbidden {
			t.Errorf("%s, from a viewer: %d", page, w.Code)
		}
	}
	stranger := newPerson(t, s)
	for _, page := range []string{"", "/catalog", "/transactions", "/accounts", "/reports", "/reports/revenue.csv"} {
		if w := stranger.get("/console/sales" + page); w.Code != http.StatusSeeOther || w.Body.Len() > 0 {
			t.Errorf("%s, to a stranger: %d %s", page, w.Code, w.Body)
		}
	}
	p.get("/console/sales")
	p.page = "" // a form of somebody else's has no token of ours
	if w := p.post("/console/sales/accounts", "buyer", saleBuyer, "currency", "EUR"); w.Code != http.StatusForbidden {
		t.Errorf("without a token: %d", w.Code)
	}
	off, _ := open(t, "url: https://desk.example\n")
	token, _ := tokenFor(t, off, identity.Operator)
	q := newPerson(t, off).login(token)
	if strings.Contains(q.page, "Sales") {
		t.Error("where nothing is sold there are sales")
	}
	q.sees("/console/sales", 404)
}

func TestReportsAreDownloaded(t *testing.T) {
	t.Parallel()
	s, p, _, c := salesOf(t, identity.Viewer)
	if err := s.ChangeAccounts(t.Context(), func(tx *store.Tx) error {
		return s.Accounts.Open(t.Context(), tx, saleBuyer, "USD", 100_000_000, s.now())
	}); err != nil {
		t.Fatal(err)
	}
	sale := sold(t, s, saleBuyer, perAccess, 0, nil)
	day := c.Now().Format(time.DateOnly)
	for _, d := range []struct{ path, media, begins, says string }{
		{"revenue.csv?since=" + day + "&until=" + day, "text/csv; charset=utf-8; header=present", "day,site,",
			day + ",main," + saleBuyer + ",USD,0.02,1"},
		{"transactions.jsonl?since=" + day, "application/jsonl", "{", sale.ID},
		{"transactions.csv?until=2020-01-01", "text/csv; charset=utf-8; header=present", "time,transaction",
			"entry,dispute,dispute_reason,dispute_status,dispute_resolution,credited,declared_use," +
				"reported_use,prohibited_use,future_date\n"},
		{"transactions.jsonl?until=2020-01-01", "application/jsonl", "", ""},
		{"compliance.csv", "text/csv; charset=utf-8; header=present", "buyer,", saleBuyer + ",1,"},
		{"invoice.csv?since=" + day + "&until=" + day + "&currency=usd&buyer=" + url.QueryEscape(" "+saleBuyer),
			"text/csv; charset=utf-8; header=present", "time,transaction", sale.ID},
	} {
		w := p.get("/console/sales/reports/" + d.path)
		file, query, _ := strings.Cut(d.path, "?")
		name, form, _ := strings.Cut(file, ".")
		if body := w.Body.String(); w.Code != 200 || w.Header().Get("Content-Type") != d.media ||
			!strings.HasPrefix(body, d.begins) || !strings.Contains(body, d.says) {
			t.Errorf("%s %s: %d %v %s", file, query, w.Code, w.Header(), w.Body)
		}
		if got := w.Header().Get("Content-Disposition"); !strings.HasPrefix(got, `attachment; filename="`+name+"-") ||
			!strings.HasSuffix(got, "."+form+`"`) || w.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %v", file, w.Header())
		}
	}
	for path, status := range map[string]int{
		"leaks.csv": 404, "revenue.xml": 400, "revenue": 400, "invoice.csv": 400,
		"invoice.csv?since=" + day + "&buyer=nobody.example/x&currency=USD": 404,
		"revenue.csv?since=yesterday":                                       400,
		"transactions.csv?since=2026-02-02&until=2026-01-01":                400,
	} {
		if w := p.get("/console/sales/reports/" + path); w.Code != status ||
			!strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") ||
			w.Header().Get("Content-Disposition") != "" {
			t.Errorf("%s: %d %v", path, w.Code, w.Header())
		}
	}
}

// TestPagesOfSalesGoOn pages through more than a page shows, to the end and back.
func TestPagesOfSalesGoOn(t *testing.T) {
	t.Parallel()
	s, p, _, c := salesOf(t, identity.Viewer)
	want := map[string]bool{}
	if err := s.ChangeAccounts(t.Context(), func(tx *store.Tx) error {
		for n := range 60 {
			if err := s.Accounts.Open(t.Context(), tx, fmt.Sprintf("b%02d.example/x", n), "USD", 1_000_000_000,
				s.now()); err != nil {
				return err
			}
			if err := s.Accounts.AddLicence(t.Context(), tx,
				accounts.Licence{ID: fmt.Sprintf("lic-%02d", n), Buyer: "b.example/x"}, s.now()); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for range 60 {
		want[sold(t, s, "b00.example/x", perAccess, 0, nil).ID] = true
		c.Advance(time.Second)
	}
	for n := range 60 {
		if _, err := s.Requesters.Add(t.Context(),
			requesters.Registration{Domain: fmt.Sprintf("r%02d.example", n), ID: "x"}); err != nil {
			t.Fatal(err)
		}
	}
	next := regexp.MustCompile(`href="(/console/sales/[^"]*before=[^"]*)"`)
	for page, of := range map[string]*regexp.Regexp{
		"transactions":                         regexp.MustCompile(`href="/console/sales/transactions/(txn-[0-9A-Z]+)"`),
		"transactions?account=b00.example%2Fx": regexp.MustCompile(`href="/console/sales/transactions/(txn-[0-9A-Z]+)"`),
		"owed?state=open":                      regexp.MustCompile(`href="/console/sales/transactions/(txn-[0-9A-Z]+)"`),
		"accounts":                             regexp.MustCompile(`<bdi>(b\d\d\.example/x)</bdi>`),
		"grants":                               regexp.MustCompile(`<bdi>(lic-\d\d)</bdi>`),
		"requesters":                           regexp.MustCompile(`<bdi>(r\d\d\.example/x)</bdi>`),
	} {
		got, address := map[string]bool{}, "/console/sales/"+page
		for turns := 0; address != ""; turns++ {
			p.sees(address, 200)
			for _, found := range of.FindAllStringSubmatch(p.page, -1) {
				got[found[1]] = true
			}
			address = ""
			if link := next.FindStringSubmatch(p.page); link != nil && turns < 3 {
				address = html.UnescapeString(link[1])
			}
		}
		if len(got) != 60 {
			t.Errorf("%s shows %d of 60", page, len(got))
		}
	}
	p.sees("/console/sales/account?buyer=b00.example%2Fx&currency=USD", 200, "All purchases", "Older")
}

func TestRequestersAreSuspendedAtTheConsole(t *testing.T) {
	t.Parallel()
	s, p, _, _ := salesOf(t, identity.Operator)
	if _, err := s.Requesters.Add(t.Context(), requesters.Registration{Domain: "buyer.example.com", ID: "*",
		Scopes: []string{"desk.example:gold"}}); err != nil {
		t.Fatal(err)
	}
	p.sees("/console/sales/requesters", 200, "buyer.example.com/*", "desk.example:gold", "Suspend")
	for _, c := range []struct {
		do, status string
		code       int
	}{{"suspend", requesters.Suspended, 303}, {"resume", requesters.Active, 303}, {"remove", requesters.Active, 400}} {
		if w := p.post("/console/sales/requesters", "requester", "buyer.example.com/*", "do", c.do); w.Code != c.code {
			t.Errorf("%s: %d %s", c.do, w.Code, w.Body)
		}
		p.get("/console/sales/requesters")
		if g, err := s.Requesters.Get(t.Context(), "buyer.example.com", "*"); err != nil || g.Status != c.status {
			t.Errorf("after %s: %+v, %v", c.do, g, err)
		}
	}
	if w := p.post("/console/sales/requesters", "requester", "nobody.example/x", "do",
		"suspend"); w.Code != http.StatusNotFound {
		t.Errorf("nobody: %d", w.Code)
	}
	n := 0
	for record, err := range s.Ledger.Read(t.Context(), ledger.Filter{Kind: "key", Subject: "buyer.example.com/*"}) {
		if err == nil && strings.Contains(string(record.Entry.Body), `"by":"key:`) {
			n++
		}
	}
	if n != 2 {
		t.Errorf("the ledger names who did it %d times", n)
	}
}
