package app

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/identity"
	"frontdesk/internal/ledger"
)

// TestOperatorsProgramsSeeAndDecideDisputes lists, shows, decides and erases disputes over a
// socket, and is refused what cannot be.
func TestOperatorsProgramsSeeAndDecideDisputes(t *testing.T) {
	t.Parallel()
	m := openMarket(t, "ramp: {enabled: true, signatures: none}\n"+soldSoup)
	m.credit(10_000_000)
	if _, err := m.exchange.Goods.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	operator, _ := makeKey(t, m.App, identity.Key{Name: "ops", Scopes: []string{"admin"}})
	books, _ := makeKey(t, m.App, identity.Key{Name: "books", Scopes: []string{"reports"}})
	front := httptest.NewServer(m)
	defer front.Close()
	do := func(method, path, key, body string) (int, string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, front.URL+"/admin/disputes"+path,
			strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		if r.Header.Set(identity.KeyHeader, key); body != "" {
			r.Header.Set("Content-Type", "application/json")
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		if err != nil || answer.Header.Get("Content-Type") != "application/json" {
			t.Fatalf("%s, %v", text, err)
		}
		return answer.StatusCode, string(text)
	}
	var ids, sales []string
	for i := range 3 {
		o := m.owns(fmt.Sprint(i))
		object, _ := m.tools("ramp_dispute", o.files(fmt.Sprint("d-", i), `,"description":"Jane Doe saw it"`))
		var told struct {
			ID string `json:"dispute_id"`
		}
		if err := json.Unmarshal([]byte(object), &told); err != nil || told.ID == "" {
			t.Fatalf("%s, %v", object, err)
		}
		ids, sales = append(ids, told.ID), append(sales, o.Transaction)
		m.clock.Advance(time.Second)
	}
	page := func(query string) (found []string, next string) {
		t.Helper()
		var told struct {
			Disputes []struct {
				ID string `json:"dispute_id"`
			}
			Next string
		}
		status, text := do("GET", query, operator, "")
		if err := json.Unmarshal([]byte(text), &told); err != nil || status != 200 {
			t.Fatalf("%s: %d %s", query, status, text)
		}
		for _, d := range told.Disputes {
			found = append(found, d.ID)
		}
		return found, told.Next
	}
	first, next := page("?limit=2&open=true")
	rest, end := page("?limit=2&open=true&before=" + next)
	if got := fmt.Sprint(first, rest); got != fmt.Sprint([]string{ids[2], ids[1]}, []string{ids[0]}) || end != "" {
		t.Errorf("pages: %s, and then %q", got, end)
	}
	for query, want := range map[string]int{"?status=final": 0, "?status=evidence_needed&reason=delivery_failed&site=" +
		DefaultSite: 3, "?resolution=credit": 0, "?buyer=nobody": 0, "?since=2027-05-05": 0, "?until=2027-05-05": 3} {
		if found, _ := page(query); len(found) != want {
			t.Errorf("%s: %v", query, found)
		}
	}
	for _, c := range []struct {
		name, method, path, key, body string
		status                        int
		says                          string
	}{
		{"nobody", "GET", "", "", "", 401, "--door admin"},
		{"a key for reports", "GET", "/" + ids[0], books, "", 403, "--door admin"},
		{"a key for reports decides", "POST", "/" + ids[0] + "/decide", books, `{"resolution":"credit"}`, 403, "--door admin"},
		{"a parameter of none", "GET", "?state=final", operator, "", 422, "state"},
		{"a status of none", "GET", "?status=done", operator, "", 422, "is not one of filed, "},
		{"a reason of none", "GET", "?reason=bad", operator, "", 422, "is not one of delivery_failed"},
		{"half open", "GET", "?open=1", operator, "", 422, "open is one of true, false"},
		{"too much", "GET", "?limit=100000", operator, "", 422, "limit has to be a number from 1"},
		{"no time", "GET", "?since=yesterday", operator, "", 422, "since"},
		{"no dispute", "GET", "/dsp-none", operator, "", 404, "there is no dispute"},
		{"nothing there", "GET", "/" + ids[0] + "/steps", operator, "", 404, "nothing at this address"},
		{"another method", "PUT", "/" + ids[0], operator, `{}`, 405, "GET"},
		{"no body", "POST", "/" + ids[0] + "/decide", operator, `{}`, 422, "a decision is credit, redelivery"},
		{"a list", "POST", "/" + ids[0] + "/decide", operator, `[]`, 400, ""},
		{"another member", "POST", "/" + ids[0] + "/decide", operator, `{"resolution":"credit","because":"x"}`, 400, "because"},
		{"a long note", "POST", "/" + ids[0] + "/decide", operator, `{"resolution":"credit","note":"` +
			strings.Repeat("x", 1001) + `"}`, 422, "a note is a text of at most 1000 bytes"},
		{"no decision", "POST", "/" + ids[0] + "/decide", operator, `{"resolution":"gold"}`, 422, "a decision is credit, redelivery"},
		{"an amount of nothing", "POST", "/" + ids[0] + "/decide", operator, `{"resolution":"credit","amount":"0"}`, 422, "amount is more than 0"},
		{"more than was charged", "POST", "/" + ids[0] + "/decide", operator, `{"resolution":"credit","amount":"5"}`, 422, ""},
		{"an amount of no credit", "POST", "/" + ids[0] + "/decide", operator, `{"resolution":"rejected","amount":"0.01"}`, 422, "only a credit has an amount"},
		{"no dispute to decide", "POST", "/dsp-none/decide", operator, `{"resolution":"credit"}`, 404, "there is no dispute"},
		{"decides for an amount", "POST", "/" + ids[0] + "/decide", operator, `{"resolution":"credit","amount":"0.01","note":"Jane Doe called"}`, 200, `"credit":"0.01","currency":"USD"`},
		{"decides twice", "POST", "/" + ids[0] + "/decide", operator, `{"resolution":"rejected"}`, 422, "this dispute is decided: credit"},
		{"looks into it", "POST", "/" + ids[1] + "/decide", operator, `{"resolution":"investigation"}`, 200, `"status":"escalated"`},
		{"and again", "POST", "/" + ids[1] + "/decide", operator, `{"resolution":"investigation"}`, 422, "being looked into already"},
		{"and decides", "POST", "/" + ids[1] + "/decide", operator, `{"resolution":"rejected"}`, 200, `"status":"settled"`},
		{"shows by the purchase", "GET", "/" + sales[0], operator, "", 200, `"note":"Jane Doe called"`},
		{"shows what the buyer wrote", "GET", "/" + ids[2], operator, "", 200, `"description":"Jane Doe saw it"`},
		{"erases", "DELETE", "/" + ids[2] + "/description", operator, "", 200, "{}"},
		{"erases what was noted", "DELETE", "/" + ids[0] + "/description", operator, "", 200, "{}"},
		{"erases of none", "DELETE", "/dsp-none/description", operator, "", 404, "there is no dispute"},
	} {
		if status, text := do(c.method, c.path, c.key, c.body); status != c.status || !strings.Contains(text, c.says) {
			t.Errorf("%s: %d %s", c.name, status, text)
		}
	}
	for _, id := range []string{ids[0], ids[2]} {
		if _, text := do("GET", "/"+id, operator, ""); strings.Contains(text, "Jane") || !strings.Contains(text, `"by":"buyer"`) {
			t.Errorf("it was erased: %s", text)
		}
	}
	balances, err := m.ReadAccounts.Balances(t.Context(), m.domain()+"/bot")
	if err != nil || len(balances) != 1 || balances[0].Available != 5_000_000 {
		t.Errorf("%+v, %v", balances, err)
	}
	decided := 0
	for e, err := range m.Ledger.Read(t.Context(), ledger.Filter{Kind: "dispute"}) {
		if err != nil || strings.Contains(string(e.Leaf), "Jane") {
			t.Errorf("%s, %v", e.Leaf, err)
		}
		if strings.Contains(string(e.Leaf), `"by":"operator:`) {
			decided++
		}
	}
	if decided == 0 {
		t.Error("no entry names who decided")
	}
}
