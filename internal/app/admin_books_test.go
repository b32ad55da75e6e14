package app

import (
	"encoding/json"
	"strings"
	"testing"

	"frontdesk/internal/identity"
	"frontdesk/internal/ledger"
)

// step is a request of an operator's program, and what must come of it.
type step struct {
	method, path, body string
	status             int
	words              string
}

// TestOperatorsBooks holds what operators' programs do to accounts, licences and subscriptions,
// that nobody else does it, and that the ledger tells of it.
func TestOperatorsBooks(t *testing.T) {
	t.Parallel()
	m := openMarket(t, "ramp: {enabled: true}")
	operator, id := makeKey(t, m.App, identity.Key{Name: "ops", Scopes: []string{"admin"}})
	every, _ := makeKey(t, m.App, identity.Key{Name: "all doors"})
	for _, path := range []string{
		"/admin/accounts", "/admin/accounts/USD/buyer.example.com/bot", "/admin/licenses", "/admin/subscriptions/sub-1",
	} {
		for key, status := range map[string]int{"": 401, every: 403} {
			if w := send(m, posted("GET", path, "", identity.KeyHeader, key)); w.Code != status ||
				w.Header().Get("Cache-Control") != "no-store" {
				t.Errorf("%s: %d %s", path, w.Code, w.Body)
			}
		}
	}
	const bot = "/admin/accounts/USD/buyer.example.com/bot"
	for _, s := range []step{
		{"GET", "/admin/accounts", "", 200, `{"accounts":[]}`},
		{"POST", "/admin/accounts", `{"buyer":"buyer.example.com/bot","currency":"USD"}`, 201, `"available":"0","held":"0","earned":"0","limit":null,"state":"active"`},
		{"POST", "/admin/accounts", `{"buyer":"buyer.example.com/bot","currency":"USD"}`, 422, "already"},
		{"POST", "/admin/accounts", `{"buyer":"bot","currency":"USD"}`, 422, "DOMAIN/ID"},
		{"POST", "/admin/accounts", `{"buyer":"b.example/x/y","currency":"EUR","limit":"12.5"}`, 201, `"limit":"12.5"`},
		{"POST", "/admin/accounts", `{"buyer":"b.example/z","currency":"EUR","limit":12.5}`, 422, `like \"500\"`},
		{"POST", "/admin/accounts", `{"buyer":"b.example/z","currency":"EUR","credit":"1"}`, 400, "/credit"},
		{"POST", bot, `{"kind":"credit","amount":"250","reference":"INV-1"}`, 200, `{"moved":"250","again":false,"account":{"buyer":"buyer.example.com/bot","currency":"USD","available":"250"`},
		{"POST", bot, `{"kind":"credit","amount":"250","reference":"INV-1"}`, 200, `{"moved":"250","again":true,"account":{"buyer":"buyer.example.com/bot","currency":"USD","available":"250"`},
		{"POST", bot, `{"kind":"credit","amount":"251","reference":"INV-1"}`, 422, "a credit of 250 was booked"},
		{"POST", bot, `{"kind":"debit","amount":"20","reference":"INV-1"}`, 200, `"available":"230"`},
		{"POST", bot, `{"kind":"credit","amount":"1"}`, 200, `"available":"231"`},
		{"POST", bot, `{"kind":"credit","amount":"1"}`, 200, `"again":false,"account":{"buyer":"buyer.example.com/bot","currency":"USD","available":"232"`},
		{"POST", bot, `{"kind":"debit","amount":"500"}`, 422, "available"},
		{"POST", bot, `{"kind":"expire","amount":"500","reference":"END"}`, 200, `"moved":"232"`},
		{"POST", bot, `{"kind":"expire","amount":"500","reference":"END"}`, 200, `"moved":"232","again":true`},
		{"POST", bot, `{"kind":"gift","amount":"1"}`, 422, "credit, debit or expire"},
		{"POST", bot, `{"kind":"credit","amount":"-1"}`, 422, "amount"},
		{"POST", bot, `{"kind":"credit","amount":"1","reference":"for Ada Lovelace"}`, 422, "reference"},
		{"POST", "/admin/accounts/EUR/buyer.example.com/bot", `{"kind":"credit","amount":"1"}`, 404, "no account"},
		{"PATCH", bot, `{"limit":"5","state":"suspended"}`, 200, `"limit":"5","state":"suspended"`},
		{"PATCH", bot, `{"limit":null,"state":"active"}`, 200, `"limit":null,"state":"active"`},
		{"PATCH", bot, `{}`, 200, `"limit":null,"state":"active"`},
		{"PATCH", bot, `{"state":"closed"}`, 422, "suspended"},
		{"GET", bot + "?lines=2", "", 200, `"state":"active","created":"2027-05-04T12:00:00Z","lines":[{"number":5,"time":"2027-05-04T12:00:00Z","kind":"expire","reference":"END","available":"-232"`},
		{"GET", bot + "?before=2", "", 200, `"lines":[{"number":1,"time":"2027-05-04T12:00:00Z","kind":"credit","reference":"INV-1","available":"250","held":"0","earned":"0","after":"250"}]}`},
		{"GET", bot + "?lines=1001", "", 422, "from 1 to 1000"},
		{"GET", "/admin/accounts/EUR/b.example/x/y", "", 200, `"buyer":"b.example/x/y"`},
		{"GET", "/admin/accounts/EUR/b.example/none", "", 404, "/admin/accounts"},
		{"GET", "/admin/accounts/EUR", "", 404, "CURRENCY/DOMAIN/ID"},
		{"GET", "/admin/accounts?buyer=b.example/x/y", "", 200, `{"accounts":[{"buyer":"b.example/x/y"`},
		{"DELETE", bot, "", 405, "GET, HEAD, PATCH, POST"},

		{"POST", "/admin/licenses", `{"id":"lic-1","buyer":"buyer.example.com/*","paths":["/archive/**"],"paid":"training","ends":"2028-01-01T00:00:00Z"}`, 201,
			`{"id":"lic-1","buyer":"buyer.example.com/*","paths":["/archive/**"],"paid":"training","begins":"2027-05-04T12:00:00Z","ends":"2028-01-01T00:00:00Z","state":"active"}`},
		{"POST", "/admin/licenses", `{"id":"lic-2","buyer":"buyer.example.com/bot","quotas":[{"unit":"accesses","limit":1}]}`, 422, "subscription"},
		{"POST", "/admin/licenses", `{"id":"lic-2","buyer":"buyer.example.com/bot","ends":"soon"}`, 422, "soon"},
		{"GET", "/admin/licenses", "", 200, `{"licenses":[{"id":"lic-1"`},
		{"PATCH", "/admin/licenses/lic-1", `{"state":"ended"}`, 200, `"state":"ended"`},
		{"PATCH", "/admin/licenses/lic-1", `{"state":"active"}`, 422, "for good"},
		{"PATCH", "/admin/licenses/lic-1", `{"quotas":[{"unit":"accesses","limit":1}]}`, 422, "licence"},

		{"POST", "/admin/subscriptions", `{"id":"sub-1","buyer":"buyer.example.com/bot","labels":["news"],"currency":"USD","quotas":[{"unit":"accesses","limit":1000,"period":"1mo"},{"unit":"burst","limit":10,"period":"1m"}]}`, 201,
			`"quotas":[{"unit":"accesses","limit":1000,"period":"1mo","used":0,"left":1000,"resets":"2027-06-04T12:00:00Z"},{"unit":"burst","limit":10,"period":"1m0s","used":0,"left":10`},
		{"POST", "/admin/subscriptions", `{"id":"sub-1","buyer":"buyer.example.com/bot"}`, 422, "already"},
		{"POST", "/admin/subscriptions", `{"id":"sub-2","buyer":"buyer.example.com/bot","quotas":[{"unit":"accesses","limit":1,"period":"monthly"}]}`, 422, "quota 1"},
		{"POST", "/admin/subscriptions", `{"id":"sub-2","buyer":"buyer.example.com/bot","quotas":[{"unit":"accesses","limit":1,"used":1}]}`, 422, "counted"},
		{"GET", "/admin/subscriptions/sub-2", "", 404, "sub-2"},
		{"GET", "/admin/subscriptions/lic-1", "", 404, "lic-1"},
		{"PATCH", "/admin/subscriptions/sub-1", `{"quotas":[{"unit":"accesses","limit":2000,"period":"1mo"}]}`, 200, `"limit":2000`},
		{"GET", "/admin/subscriptions?buyer=other.example/x", "", 200, `{"subscriptions":[]}`},

		{"POST", "/admin/requesters", `{"requester_id":"bot","domain":"buyer.example.com","subscription":{"id":"sub-3","quotas":[{"unit":"accesses","limit":5}]}}`, 201,
			`"subscription":{"id":"sub-3","buyer":"buyer.example.com/bot"`},
		{"POST", "/admin/requesters", `{"requester_id":"b2","domain":"buyer.example.com","subscription":{"id":"sub-3"}}`, 422, "already"},
		{"GET", "/admin/requesters/buyer.example.com/b2", "", 404, ""}, // neither of the two was done
		{"POST", "/admin/requesters", `{"requester_id":"b2","domain":"buyer.example.com","subscription":"sub-3"}`, 422, "not one of this requester"},
		{"POST", "/admin/requesters", `{"requester_id":"b2","domain":"buyer.example.com","subscription":{"id":"sub-4","buyer":"other.example/x"}}`, 422, "its buyer"},
		{"POST", "/admin/requesters", `{"requester_id":"b2","domain":"buyer.example.com","subscription":{"id":"sub-4","buyer":"buyer.example.com/*"}}`, 201, `"buyer":"buyer.example.com/*"`},
		{"POST", "/admin/requesters", `{"requester_id":"b3","domain":"buyer.example.com","subscription":"sub-4"}`, 201, `"subscription":{"id":"sub-4"`},
		{"POST", "/admin/requesters", `{"requester_id":"b4","domain":"buyer.example.com","subscription":"lic-1"}`, 404, "lic-1"},
		{"POST", "/admin/requesters", `{"requester_id":"b4","domain":"buyer.example.com","subscription":7}`, 400, "subscription"},
		{"PATCH", "/admin/requesters/buyer.example.com/b3", `{"subscription":"sub-4"}`, 422, "/admin/subscriptions"},
	} {
		w := send(m, posted(s.method, s.path, s.body, identity.KeyHeader, operator))
		if w.Code != s.status || !strings.Contains(w.Body.String(), s.words) {
			t.Errorf("%s %s %s: %d %s", s.method, s.path, s.body, w.Code, w.Body)
		}
	}
	var did []string
	for r, err := range m.Ledger.Read(t.Context(), ledger.Filter{Kind: "account"}) {
		var fact struct{ Of, Did, Amount, Limit, By string }
		if err != nil || json.Unmarshal(r.Entry.Body, &fact) != nil || fact.By != "key:"+id {
			t.Fatalf("%s by %q, %v", r.Entry.Body, fact.By, err)
		}
		if r.Entry.Party == "buyer:buyer.example.com/bot" && fact.Of == "account" {
			did = append(did, strings.TrimSpace(fact.Did+" "+fact.Amount+fact.Limit))
		}
	}
	if got := strings.Join(did, ", "); got != "open configured, credit 250, debit 20, credit 1, credit 1, "+
		"expire 232, limit 5, suspend, limit configured, resume" {
		t.Errorf("the ledger tells: %s", got)
	}
	if found, err := m.CheckAccounts(t.Context()); err != nil || len(found) > 0 {
		t.Errorf("%v, %v", found, err)
	}
}
