package app

import (
	"crypto/sha256"
	"encoding/csv"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/content"
	"frontdesk/internal/excerpts/grants"
	"frontdesk/internal/identity"
	"frontdesk/internal/identity/visitors"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/accounts"
	"frontdesk/internal/licensing/delivery/botstats"
	"frontdesk/internal/licensing/disputes/enforcement"
	"frontdesk/internal/licensing/transactions"
	"frontdesk/internal/operator/console/frame"
)

// consoleOf is the console of a server.
func consoleOf(t *testing.T, s *App) *frame.Frame {
	t.Helper()
	for _, route := range s.ownerRoutes() {
		if f, ok := route.Handler.(*frame.Frame); ok {
			return f
		}
	}
	t.Fatal("there is no console")
	return nil
}

// listsOf opens a server of which every list of the console has something: of two times, of which
// one is before the last 7 days.
func listsOf(t *testing.T) *App {
	t.Helper()
	s, _, c := inboxOf(t, "ramp: {enabled: true, signatures: none}\n"+soldSoup)
	ctx, must := t.Context(), func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	key, _ := makeKey(t, s, identity.Key{Name: "ops", Scopes: []string{"admin"}})
	admin := func(path, body string) {
		t.Helper()
		if w := send(s, posted("POST", "/admin/"+path, body, identity.KeyHeader, key)); w.Code >= 300 {
			t.Fatalf("%s: %d %s", path, w.Code, w.Body)
		}
	}
	part := func(n int) {
		t.Helper()
		name := []string{"", "early", "late"}[n]
		buyer := name + ".example/bot"
		fill(t, s, content.Item{
			URL: "https://example.com/" + name, Types: []string{"Recipe"}, Name: "Soup " + name,
			Object: []byte(`{"@type":"Recipe","name":"Soup ` + name + `"}`),
		}, content.Item{
			URL: "https://example.com/soup", Types: []string{"Recipe"}, Name: "Lentil soup",
			Object: []byte(`{"@type":"Recipe","name":"Lentil soup","url":"https://example.com/soup"}`),
		})
		taken(t, s, "platform:"+name)
		must(s.ChangeAccounts(ctx, func(tx *store.Tx) error {
			if err := s.Accounts.Open(ctx, tx, buyer, "USD", -1, s.now()); err != nil {
				return err
			}
			_, err := s.Accounts.Pay(ctx, tx, accounts.Credit, buyer, "USD", 100_000_000_00, "", s.now())
			return err
		}))
		sale := sold(t, s, buyer, perAccess, 0, func(d *transactions.Transaction, _ *accounts.Charge) {
			d.Obligation, d.URI = transactions.Expired, "https://example.com/"+name
		})
		delivered(t, s, "dlv-"+name, sale.ID, nil)
		delivered(t, s, "stray-"+name, "txn-"+name, func(d *transactions.Delivery) { d.Stray = true })
		contested(t, s, "dsp-"+name, sale.ID, buyer, nil)
		now := s.now().UTC()
		day := now.Truncate(24 * time.Hour)
		must(s.db.Update(ctx, func(tx *store.Tx) error {
			request := grants.Request{
				Platform: name, ID: "req_" + name, Digest: sha256.Sum256(nil), At: now, Outcome: "out_of_scope",
			}
			if err := grants.Put(ctx, tx, request); err != nil {
				return err
			}
			offer := &transactions.Offer{
				ID: transactions.NewOfferID(now.Add(time.Minute), false), Buyer: buyer, Site: "main", Issued: now,
				URI: "https://example.com/" + name, Expires: now.Add(time.Minute), Price: perAccess,
				Document: []byte(`{"offer_id":"x"}`), Delivery: "direct",
			}
			if err := transactions.PutOffers(ctx, tx, offer); err != nil {
				return err
			}
			if _, err := tx.Exec(ctx, `INSERT INTO measure_day (day, site, count, gaps, untold)
				VALUES ($1, $2, 4, 1, 0)`, store.Micros(day), name); err != nil {
				return err
			}
			return botstats.Add(ctx, tx, "batch-"+name, now, []botstats.Sighting{{
				Site: s.config.AllSites()[0].ID, Hour: day, Agent: "Bot" + name, Path: "/" + name, Outcome: "open",
				Count: int64(n),
			}})
		}))
		strict := enforcement.New(enforcement.Config{
			DB: s.db, Ledger: s.Ledger, Rules: enforcement.Rules{Warn: 3, Limit: 5, Cases: 1, Of: 1}, Now: s.now,
			Log: s.log, Dispute: disputed,
		})
		must(strict.RunOnce(ctx))
		admin("tenants", fmt.Sprintf(`{"tenant_id":%q,"domains":["www.%s.example"],"price":{"model":"free"},`+
			`"delivery":{"at":"https://cdn.example","form":"ed25519"}}`, name, name))
		admin("requesters", fmt.Sprintf(`{"requester_id":"bot","domain":"%s.example"}`, name))
		admin("licenses", fmt.Sprintf(`{"id":"lic-%s","buyer":%q}`, name, buyer))
		admin("tuning", fmt.Sprintf(`{"kind":"synonym","words":["%s stew"],"means":"soup"}`, name))
		for _, address := range []string{"192.0.2.1", "192.0.2.2"} { // from two it is shown
			askedBy(t, s, name+" soup", address, browser)
		}
		must(s.Questions.Flush(ctx))
		treat(t, s, name+".example", visitors.Limit, 60)
		_, _, err := s.Keys.Create(ctx, identity.Key{Name: name, Scopes: identity.ConsoleScopes(identity.Viewer)})
		must(err)
		agent{t, s, "agent-" + name, name}.submit("kitchen", n, `{"guests":2}`)
		must(s.Counter.Flush(ctx))
	}
	part(1)
	c.Advance(9 * 24 * time.Hour)
	part(2)
	c.Advance(2 * time.Hour)
	return s
}

// unfilled are lists that the server of the test has nothing in: problems are of sources that are
// read, and versions of the terms of rules that are published.
var unfilled = []string{"content/problems", "terms/history"}

// notSearched are lists without an address for what is looked for, and uncompared lists that have
// no days; docs/decisions.md says why.
var (
	notSearched = []string{"inbox"}
	uncompared  = []string{"sales/catalog", "content/problems"}
)

var listRow = regexp.MustCompile(`(?s)<tbody>(.*?)</tbody>`)

// TestEveryListIsSearchedComparedAndShared walks all lists of the console, which it finds itself,
// in three languages: a text narrows the list, the days before are set beside it, the file has the
// rows of the page, and another browser that is given the address sees the same.
func TestEveryListIsSearchedComparedAndShared(t *testing.T) {
	t.Parallel()
	s := listsOf(t)
	if s.db.Engine() != store.SQLite {
		t.Skip("entries have their places by themselves on SQLite alone")
	}
	token, _ := tokenFor(t, s, identity.Owner)
	people := map[string]*person{}
	for _, language := range []string{"en", "de", "ja"} {
		p := newPerson(t, s)
		p.header.Set("Accept-Language", language)
		p.get("/console/login")
		p.post("/console/login", "token", token)
		people[language] = p
	}
	other := newPerson(t, s)
	other.get("/console/login")
	other.post("/console/login", "token", token)
	lists := 0
	for _, row := range consoleOf(t, s).Rows() {
		list, ok := strings.CutSuffix(strings.TrimPrefix(row.Pattern, "GET "), ".csv")
		if !ok {
			continue
		}
		lists++
		for language, p := range people {
			t.Run(list+" "+language, func(t *testing.T) { holdsAsList(t, p, other, "/console/"+list, list) })
		}
	}
	if lists < 24 {
		t.Errorf("%d lists were found", lists)
	}
}

// rowsOf are the rows of the file of a list.
func rowsOf(t *testing.T, p *person, list, query string) [][]string {
	t.Helper()
	w := p.get(list + ".csv?" + query)
	rows, err := csv.NewReader(w.Body).ReadAll()
	if w.Code != 200 || err != nil || len(rows) == 0 {
		t.Fatalf("%s.csv?%s: %d %v %s", list, query, w.Code, err, p.page)
	}
	return rows[1:]
}

func holdsAsList(t *testing.T, p, other *person, at, list string) {
	kept := url.Values{}
	if list == "sales/measures" {
		kept.Set("all", "1")
	}
	address := func(more ...string) string {
		q := url.Values{}
		for name, values := range kept {
			q[name] = values
		}
		for i := 0; i < len(more); i += 2 {
			q.Set(more[i], more[i+1])
		}
		return q.Encode()
	}
	all := rowsOf(t, p, at, address())
	if slices.Contains(unfilled, list) != (len(all) == 0) {
		t.Fatalf("the list has %d rows", len(all))
	}
	w := p.get(at + "?" + address())
	if w.Code != 200 || !strings.Contains(p.page, list+".csv") {
		t.Fatalf("%d, or no download in %s", w.Code, p.page)
	}
	page := p.page

	// Searching.
	if !slices.Contains(notSearched, list) {
		if !strings.Contains(page, `name="q"`) && !strings.Contains(page, `"empty"`) {
			t.Error("there is no search")
		}
		if n := rowsOf(t, p, at, address("q", "no such text 4711")); len(n) != 0 {
			t.Errorf("a text that nothing has finds %d rows", len(n))
		}
		if len(all) > 0 {
			found := rowsOf(t, p, at, address("q", "LATE"))
			if len(found) == 0 || len(found) >= len(all) && len(all) > 1 {
				t.Errorf("a search finds %d of %d rows", len(found), len(all))
			}
			for _, row := range found {
				if list != "receipts" && !strings.Contains(strings.ToLower(strings.Join(row, " ")), "late") {
					t.Errorf("found %q", row)
				}
			}
			p.get(at + "?" + address("q", "late"))
			sameRows(t, p.page, found)
			if !strings.Contains(p.page, `name="q" value="late"`) && !strings.Contains(p.page, `value="late"`) {
				t.Error("what was looked for is not in the field")
			}
		}
	}

	// Comparing.
	if !slices.Contains(uncompared, list) {
		p.get(at + "?" + address("days", "7", "compare", "1"))
		shown := regexp.MustCompile(`<p class="lead" role="status">([^<]*)`).FindStringSubmatch(p.page)
		if shown == nil {
			t.Fatal("nothing is compared")
		}
		figures := regexp.MustCompile(`\d+`).FindAllString(shown[1], 3)
		empty := slices.Contains(unfilled, list) || list == "sales/domains" || list == "keys/people" // of the real time
		if len(figures) != 3 || slices.Contains(figures[:2], "0") != empty || figures[2] != "7" {
			t.Errorf("compared: %s", shown[1])
		}
	}

	// Sharing.
	query := address("days", "30", "q", "late", "compare", "1")
	p.get(at + "?" + query)
	mine := listRow.FindAllStringSubmatch(p.page, -1)
	other.header.Set("Accept-Language", p.header.Get("Accept-Language"))
	other.get(at + "?" + query)
	csrf := regexp.MustCompile(`name="form" value="[^"]*"`)
	if theirs := listRow.FindAllStringSubmatch(other.page, -1); csrf.ReplaceAllString(fmt.Sprint(mine), "") !=
		csrf.ReplaceAllString(fmt.Sprint(theirs), "") {
		t.Errorf("another browser sees\n%s\nand not\n%s", theirs, mine)
	}
}

// sameRows holds that a page shows the first cell of each row of a file.
func sameRows(t *testing.T, page string, rows [][]string) {
	t.Helper()
	for _, row := range rows {
		shown := func(cell string) bool {
			return len(cell) > 3 &&
				(strings.Contains(page, cell) || strings.Contains(page, strings.ReplaceAll(cell, "/", "%2F")))
		}
		if !slices.ContainsFunc(row, shown) {
			t.Errorf("the page shows nothing of %q", row)
		}
	}
}
