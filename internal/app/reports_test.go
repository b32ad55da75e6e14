package app

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/identity"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/accounts"
	"frontdesk/internal/licensing/transactions"
	"frontdesk/internal/policy"
)

// shopOf opens a server that sold once, at noon of 2027-05-04, and gives keys for reports, of the
// operator, and for all other doors.
func shopOf(t *testing.T) (m *market, sale, reports, operator, every string) {
	t.Helper()
	m = openMarket(t, rampConfig)
	if err := m.ChangeAccounts(t.Context(), func(tx *store.Tx) error {
		err := m.Accounts.Open(t.Context(), tx, saleBuyer, "USD", -1, m.now())
		if err == nil {
			_, err = m.Accounts.Pay(t.Context(), tx, accounts.Credit, saleBuyer, "USD", 100_000_000, "", m.now())
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	sale = sold(t, m.App, saleBuyer, perAccess, 0, nil).ID
	m.clock.Advance(time.Second)
	reports, _ = makeKey(t, m.App, identity.Key{Name: "books", Scopes: []string{"reports"}})
	operator, _ = makeKey(t, m.App, identity.Key{Name: "ops", Scopes: []string{"admin"}})
	every, _ = makeKey(t, m.App, identity.Key{Name: "all doors"})
	return m, sale, reports, operator, every
}

// TestReportsForPrograms holds who gets reports, in which forms, and what of a request is refused.
func TestReportsForPrograms(t *testing.T) {
	t.Parallel()
	m, sale, reports, operator, every := shopOf(t)
	const revenue = `{"rows": [
{"amount":"0.02","buyer":"buyer.example.com/research-bot","currency":"USD","day":"2027-05-04","movements":1,"site":"main"}
]}
`
	for _, v := range []struct {
		path, key, accept string
		status            int
		words, kind       string
	}{
		{"provider-revenue", reports, "", 200, revenue, "application/json"},
		{"provider-revenue?from=2027-05-04&to=2027-05-05", operator, "application/json", 200, revenue,
			"application/json"},
		{"revenue?format=csv", reports, "application/json", 200,
			"day,site,buyer,currency,amount,movements\n2027-05-04,main,", "text/csv; charset=utf-8; header=present"},
		{"provider-revenue", reports, "text/csv", 200, "day,site,", "text/csv; charset=utf-8; header=present"},
		{"provider-revenue?to=2027-05-04", reports, "application/jsonl", 200, "", "application/jsonl"},
		{"buyer-invoice?buyer=buyer.example.com/research-bot&currency=USD&from=2027-05-01", reports, "", 200,
			`"transaction":"` + sale + `"`, "application/json"},
		{"compliance-status?format=jsonl", reports, "", 200, `"pending":1`, "application/jsonl"},
		{"transaction-detail?site=main", reports, "", 200, `"state":"settled"`, "application/json"},
		{"transaction-detail?site=other", reports, "", 200, "{\"rows\": [\n]}\n", "application/json"},
		{"buyer-invoice", reports, "", 422, "say whose", "application/json"},
		{"buyer-invoice?buyer=nobody.example/x&currency=USD&from=2027-05-01", reports, "", 404, "no account",
			"application/json"},
		{"provider-revenue?from=yesterday", reports, "", 422, "2027-01-31", "application/json"},
		{"provider-revenue?from=2027-05-05&to=2027-05-04", reports, "", 422, "ends after", "application/json"},
		{"provider-revenue?since=2027-05-04", reports, "", 422, "from, to", "application/json"},
		{"provider-revenue?from=2027-05-04&from=2027-05-04", reports, "", 422, "once", "application/json"},
		{"provider-revenue?format=xml", reports, "", 422, "jsonl", "application/json"},
		{"provider-revenue", reports, "text/csv;q=0, application/json", 200, revenue, "application/json"},
		{"provider-revenue", reports, "application/json;q=0.1, text/csv;q=0.9", 200, "day,site,",
			"text/csv; charset=utf-8; header=present"},
		{"provider-revenue", reports, "application/x-ndjson, application/json;q=0.9", 200, "{\"amount",
			"application/jsonl"},
		{"provider-revenue", reports, "application/*", 200, revenue, "application/json"},
		{"provider-revenue", reports, "text/*", 200, "day,site,", "text/csv; charset=utf-8; header=present"},
		{"provider-revenue", reports, "*/*;q=0", 406, "text/csv", "application/json"},
		{"provider-revenue", reports, "image/png", 406, "text/csv", "application/json"},
		{"profits", reports, "", 404, "revenue", "application/json"},
		{"provider-revenue", "", "", 401, "--door reports", "application/json"},
		{"provider-revenue", every, "", 403, "--door reports", "application/json"},
	} {
		r := posted("GET", "/api/v1/reports/"+v.path, "", identity.KeyHeader, v.key)
		if v.accept != "" {
			r.Header.Set("Accept", v.accept)
		}
		w := send(m, r)
		if w.Code != v.status || !strings.Contains(w.Body.String(), v.words) ||
			w.Header().Get("Content-Type") != v.kind || w.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%s as %q: %d %v %s", v.path, v.accept, w.Code, w.Header(), w.Body)
		}
		if v.status == 200 && v.kind == "application/json" && !json.Valid(w.Body.Bytes()) {
			t.Errorf("%s is no JSON", v.path)
		}
		if v.status == 200 && strings.HasPrefix(v.kind, "text/csv") {
			if rows, err := csv.NewReader(w.Body).ReadAll(); err != nil || len(rows) != 2 {
				t.Errorf("%s: %v, %v", v.path, rows, err)
			}
		}
	}
	for path, status := range map[string]int{"provider-revenue": 200, "provider-revenue?format=csv": 200,
		"profits": 404, "buyer-invoice?buyer=nobody.example/x&currency=USD&from=2027-05-01": 404} {
		w := send(m, posted("HEAD", "/api/v1/reports/"+path, "", identity.KeyHeader, reports))
		if w.Code != status || status == 200 && w.Body.Len() > 0 {
			t.Errorf("HEAD %s: %d %s", path, w.Code, w.Body)
		}
	}
	if w := send(m, posted("POST", "/api/v1/reports/revenue", "", identity.KeyHeader, reports)); w.Code != 405 {
		t.Errorf("POST: %d", w.Code)
	}
	if w := send(m, posted("GET", "/admin/accounts", "", identity.KeyHeader, reports)); w.Code != 403 {
		t.Errorf("a key for reports opens accounts: %d", w.Code)
	}
}

// leaving is a client that is gone once something was sent.
type leaving struct {
	*httptest.ResponseRecorder
	gone func()
}

func (l *leaving) Write(b []byte) (int, error) {
	l.gone()
	return l.ResponseRecorder.Write(b)
}

// TestAReportThatBreaksOffIsSeenToBeCut has a report end before its end.
func TestAReportThatBreaksOffIsSeenToBeCut(t *testing.T) {
	t.Parallel()
	m, _, reports, _, _ := shopOf(t)
	for range 250 { // more than are completed at once
		m.clock.Advance(time.Second)
		sold(t, m.App, saleBuyer, policy.Money{Model: "free"}, 0, nil)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	w := &leaving{httptest.NewRecorder(), cancel}
	defer func() {
		if recovered := recover(); recovered != http.ErrAbortHandler {
			t.Errorf("the answer ends as if it were whole: %v, %d %q", recovered, w.Code, w.Body)
		}
	}()
	m.ServeHTTP(w,
		posted("GET", "/api/v1/reports/transaction-detail", "", identity.KeyHeader, reports).WithContext(ctx))
}

// TestAProviderReadsWhatWasSoldOfItsHostAlone holds pages and lines of a provider's sales, and that
// its key opens nothing else.
func TestAProviderReadsWhatWasSoldOfItsHostAlone(t *testing.T) {
	t.Parallel()
	m, first, reports, operator, every := shopOf(t)
	var own []string
	for n := range 5 {
		m.clock.Advance(time.Second)
		sale := sold(t, m.App, saleBuyer, perAccess, 0, func(d *transactions.Transaction, _ *accounts.Charge) {
			if n%2 == 1 {
				d.URI = "https://other.example/x"
			}
		})
		if n%2 == 0 {
			own = append(own, sale.ID)
		}
	}
	own = append([]string{first}, own...)
	key, _ := makeKey(t, m.App, identity.Key{Name: "provider", Scopes: []string{"provider:example.com"}})
	other, _ := makeKey(t, m.App, identity.Key{Name: "other", Scopes: []string{"provider:www.example.com"}})
	get := func(path, key string) *httptest.ResponseRecorder {
		return send(m, posted("GET", path, "", identity.KeyHeader, key))
	}
	const at = "/provider/example.com/transactions"
	for name, v := range map[string]struct {
		path, key string
		status    int
	}{
		"nobody": {at, "", 401}, "all doors": {at, every, 403}, "reports": {at, reports, 403},
		"the operator": {at, operator, 403}, "another provider": {at, other, 403},
		"another host":   {"/provider/other.example/transactions", key, 403},
		"reports of all": {"/api/v1/reports/revenue", key, 403}, "accounts": {"/admin/accounts", key, 403},
		"no host": {"/provider/a*b/transactions", key, 403}, "a wrong limit": {at + "?limit=0", key, 422},
		"a wrong time": {at + "?from=x", key, 422}, "CSV": {at + "?format=csv", key, 422},
		"another parameter": {at + "?site=main", key, 422},
		"the wrong way":     {at + "?from=2027-05-05&to=2027-05-04", key, 422}, "no id": {at + "?after=x", key, 422},
	} {
		if w := get(v.path, v.key); w.Code != v.status {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	}
	var got []string
	for after, pages := "", 0; pages == 0 || after != ""; pages++ {
		w := get(at+"?limit=2&from=2027-05-04&to=2027-05-05&after="+after, key)
		var page struct {
			Provider     string
			Transactions []map[string]any
			Next         string
		}
		if w.Code != 200 || json.Unmarshal(w.Body.Bytes(), &page) != nil || page.Provider != "example.com" ||
			len(page.Transactions) > 2 || pages > 3 {
			t.Fatalf("page %d: %d %s", pages, w.Code, w.Body)
		}
		for _, sale := range page.Transactions {
			got = append(got, sale["transaction"].(string))
			if sale["buyer_domain"] != "buyer.example.com" || sale["charged"] != "0.02" ||
				sale["uri"] != "https://example.com/soup" {
				t.Errorf("%v", sale)
			}
		}
		if strings.Contains(w.Body.String(), "research-bot") || strings.Contains(w.Body.String(), "other.example") {
			t.Errorf("it tells more than it should: %s", w.Body)
		}
		after = page.Next
	}
	if strings.Join(got, " ") != strings.Join(own, " ") {
		t.Errorf("the pages have %v, not %v", got, own)
	}
	w := get(at+"?format=jsonl", key)
	if w.Code != 200 || w.Header().Get("Content-Type") != "application/jsonl" ||
		strings.Count(w.Body.String(), "\n") != len(own) || strings.Contains(w.Body.String(), "research-bot") {
		t.Errorf("%d %v %s", w.Code, w.Header(), w.Body)
	}
}
