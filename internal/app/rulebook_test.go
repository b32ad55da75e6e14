package app

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/identity"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/ledger"
	"frontdesk/internal/operator"
	"frontdesk/internal/policy"
)

const ruledConfig = `site: {name: Example, url: "https://www.example.com"}
terms:
  - match: {path: /owned/**}
    access: licensed
    price: {model: per_access, rate: "1", currency: USD}
  - match: {}
    access: open
ramp:
  enabled: true
  delivery:
    - {name: cdn, match: {path: /cdn/**}, at: "https://cdn.example.net", form: hmac}
    - {name: front, match: {path: /front/**}, at: "https://front.example.net", form: cloudfront}
    - {name: own, match: {path: /own/**}, at: "https://own.example.net", form: ed25519}
`

// decided is what the terms in force say of an address.
func decided(s *App, path string) string {
	d := s.Terms().Decide(policy.Facts{Site: DefaultSite, URL: "https://www.example.com" + path})
	return strings.TrimSpace(string(d.Access) + " " + d.Price.String())
}

// TestContentRulesOfPrograms holds what programs add to the terms, where it stands, that nobody
// else adds anything, and that the ledger tells of it.
func TestContentRulesOfPrograms(t *testing.T) {
	t.Parallel()
	m := openMarket(t, ruledConfig)
	operator, id := makeKey(t, m.App, identity.Key{Name: "ops", Scopes: []string{"admin"}})
	reports, _ := makeKey(t, m.App, identity.Key{Name: "books", Scopes: []string{"reports"}})
	for _, path := range []string{"/admin/content-rules", "/admin/content-rules/a",
		"/admin/tenants/www.example.com/pricing", "/admin/tenants/www.example.com/signing-keys"} {
		for key, status := range map[string]int{"": 401, reports: 403} {
			if w := send(m, posted("GET", path, "", identity.KeyHeader, key)); w.Code != status {
				t.Errorf("%s: %d %s", path, w.Code, w.Body)
			}
		}
	}
	for _, s := range []struct {
		step
		path, is string // what the terms say of a path afterwards
	}{
		{step{"GET", "/admin/content-rules", "", 200, `{"rules":[]}`}, "/report", "open"},
		{step{"POST", "/admin/content-rules", `{"id":"reports","match":{"path":["/report/**"]},"access":"licensed","price":{"model":"per_access","rate":"0.05","currency":"USD"},"reporting":{"window":"24h"}}`, 201,
			`"order":100,`}, "/report/1", "licensed per_access 0.05 USD"},
		{step{"POST", "/admin/content-rules", `{"id":"owned","match":{"path":["/owned/**"]},"access":"open"}`, 201, `"access":"open"`}, "/owned/1", "licensed per_access 1 USD"},
		{step{"POST", "/admin/content-rules", `{"id":"early","order":1,"match":{"path":["/report/old/**"]},"access":"blocked"}`, 201, `"id":"early"`}, "/report/old/1", "blocked"},
		{step{"POST", "/admin/content-rules", `{"id":"early","order":200,"match":{"path":["/report/old/**"]},"access":"blocked"}`, 200, `"order":200`}, "/report/old/1", "licensed per_access 0.05 USD"},
		{step{"POST", "/admin/content-rules", `{"id":"x","match":{"path":["report"]},"access":"open"}`, 422,
			"content rule x, match.path[0]"}, "/report/1", "licensed per_access 0.05 USD"},
		{step{"POST", "/admin/content-rules", `{"id":"x","match":{},"access":"open","price":{"rate":0.05}}`, 400, "/price/rate"}, "/", "open"},
		{step{"POST", "/admin/content-rules", `{"id":"x","match":{"site":["blog"]},"access":"open"}`, 422, "no site blog"}, "/", "open"},
		{step{"POST", "/admin/content-rules", `{"id":"x","match":{},"access":"open","reporting":{"window":"a day"}}`, 422, "24h"}, "/", "open"},
		{step{"POST", "/admin/content-rules", `{"id":"x","match":{},"access":"open","created":"2027-01-01T00:00:00Z"}`, 422, "leave out"}, "/", "open"},
		{step{"POST", "/admin/content-rules", `{"id":"x","match":{},"Access":"open"}`, 400, "Access"}, "/", "open"},
		{step{"POST", "/admin/content-rules", `{"id":"x","match":{},"access":"open","line":7}`, 400, "line"}, "/", "open"},
		{step{"GET", "/admin/content-rules/reports", "", 200, `"reporting":{"window":"24h0m0s"}`}, "/", "open"},
		{step{"GET", "/admin/content-rules/x", "", 404, "/admin/content-rules"}, "/", "open"},
		{step{"DELETE", "/admin/content-rules/reports", "", 200, `{"removed":"reports"}`}, "/report/1", "open"},
		{step{"DELETE", "/admin/content-rules/reports", "", 404, "reports"}, "/report/1", "open"},
		{step{"PUT", "/admin/content-rules", "", 405, "GET, HEAD, POST"}, "/", "open"},

		{step{"GET", "/admin/tenants/www.example.com/pricing", "", 200, `{"tenant":"www.example.com","site":"local","price":null}`}, "/", "open"},
		{step{"PUT", "/admin/tenants/www.example.com/pricing", `{"model":"per_access","rate":"0.3","currency":"EUR"}`, 200, `"price":{"model":"per_access","rate":"0.3","currency":"EUR"}`}, "/", "open"},
		{step{"GET", "/admin/tenants/WWW.Example.com./pricing", "", 200, `"rate":"0.3"`}, "/", "open"},
		{step{"PUT", "/admin/tenants/www.example.com/pricing", `{"model":"per_access","rate":"0.3"}`, 422, "currency"}, "/", "open"},
		{step{"PUT", "/admin/tenants/www.example.com/pricing", `{}`, 422, "DELETE"}, "/", "open"},
		{step{"PUT", "/admin/tenants/www.example.com/pricing", `{"model":"free","tier":1}`, 400, "tier"}, "/", "open"},
		{step{"PUT", "/admin/tenants/other.example/pricing", `{"model":"free"}`, 404, "other.example"}, "/", "open"},
	} {
		w := send(m, posted(s.method, s.step.path, s.body, identity.KeyHeader, operator))
		if w.Code != s.status || !strings.Contains(w.Body.String(), s.words) {
			t.Errorf("%s %s %s: %d %s", s.method, s.step.path, s.body, w.Code, w.Body)
		}
		if got := decided(m.App, s.path); got != s.is {
			t.Errorf("after %s %s %s: %s is %s, not %s", s.method, s.step.path, s.body, s.path, got, s.is)
		}
	}
	if price := m.selling.Load().Prices["local"]; price.Rate != 30_000_000 || price.Currency != "EUR" {
		t.Errorf("licensed items cost %+v", price)
	}
	if w := send(m, posted("DELETE", "/admin/tenants/www.example.com/pricing", "", identity.KeyHeader,
		operator)); w.Code != 200 || len(m.selling.Load().Prices) != 0 {
		t.Errorf("%d %s, %v", w.Code, w.Body, m.selling.Load().Prices)
	}
	var did []string
	for r, err := range m.Ledger.Read(t.Context(), ledger.Filter{Kind: "terms"}) {
		var fact struct{ Of, Did, By string }
		if err != nil || json.Unmarshal(r.Entry.Body, &fact) != nil {
			t.Fatalf("%s, %v", r.Entry.Body, err)
		}
		if fact.Of == "" {
			continue // the version in force
		}
		if fact.By != "key:"+id {
			t.Errorf("%s", r.Entry.Body)
		}
		did = append(did, fmt.Sprint(fact.Did, " ", r.Entry.Subject))
	}
	if got := strings.Join(did, ", "); got != "put reports, put owned, put early, put early, "+
		"remove reports, price local, price local" {
		t.Errorf("the ledger tells: %s", got)
	}
}

// TestContentRulesHoldOnAllNodesAndThroughReloads has two servers of one database, of which one is
// told of a rule; and the file change.
func TestContentRulesHoldOnAllNodesAndThroughReloads(t *testing.T) {
	t.Parallel()
	s, _ := open(t, "url: https://desk.example\n"+ruledConfig)
	other, err := Build(t.Context(), Options{Loaded: s.options.Loaded})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	file := s.options.Loaded.layers.File
	operator, _ := makeKey(t, s, identity.Key{Name: "ops", Scopes: []string{"admin"}})
	if w := send(s,
		posted("POST", "/admin/content-rules", `{"id":"r","match":{"path":["/report/**"]},"access":"blocked"}`, identity.KeyHeader, operator)); w.Code != http.StatusCreated {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	if decided(other, "/report/1") != "open" {
		t.Fatal("the other knows already")
	}
	if err := other.lookAtRules(t.Context()); err != nil || decided(other, "/report/1") != "blocked" {
		t.Errorf("the other says %s, %v", decided(other, "/report/1"), err)
	}
	if s.Terms().Version() != other.Terms().Version() {
		t.Error("the same rules have two versions")
	}
	before := s.Terms().Version()
	if err := os.WriteFile(file,
		[]byte("url: https://desk.example\n"+strings.Replace(ruledConfig, "/owned/**", "/mine/**", 1)),
		0o600); err != nil {
		t.Fatal(err)
	}
	s.Reload()
	if decided(s, "/mine/1") != "licensed per_access 1 USD" || decided(s, "/report/1") != "blocked" ||
		s.Terms().Version() == before {
		t.Errorf("after the file changed: %s, %s", decided(s, "/mine/1"), decided(s, "/report/1"))
	}
	if err := other.lookAtRules(t.Context()); err != nil || decided(other, "/mine/1") != "open" {
		t.Errorf("the other has its own file: %s, %v", decided(other, "/mine/1"), err)
	}
}

// TestAContentRuleSaysWhatItIsFor holds that what was left out by mistake opens nothing: a rule for
// everything stands before the owner's last one, so that it is only made by who writes that down.
func TestAContentRuleSaysWhatItIsFor(t *testing.T) {
	t.Parallel()
	m := openMarket(t, "terms:\n  - match: {}\n    access: blocked\n")
	operator, _ := makeKey(t, m.App, identity.Key{Name: "ops", Scopes: []string{"admin"}})
	for body, words := range map[string]string{
		`{"id":"x","access":"open"}`:                                                         "match",
		`{"id":"x","match":null,"access":"open"}`:                                            "/match",
		`{"id":"x","match":{"path":null},"access":"open"}`:                                   "/match/path",
		`{"id":"x","match":{"path":["/a"],"type":null},"access":"open"}`:                     "/match/type",
		`{"id":"x","match":{"path":["/a"]},"access":"open","functions":{"permit":null}}`:     "/functions/permit",
		`{"id":"x","match":{"path":["/a"]},"access":"licensed","scopes":null}`:               "/scopes",
		`{"id":"x","match":{"path":["/a",null]},"access":"open"}`:                            "/match/path/1",
		`{"id":"x","match":{"path":["/a"]},"access":"open","order":null}`:                    "/order",
		`{"id":"x","match":{"path":["/a"]},"access":"open","excerpt":{"words":null}}`:        "/excerpt/words",
		`{"id":"x","match":{"path":["/a"]},"access":"open","countries":{"prohibit":[null]}}`: "/countries/prohibit/0",
	} {
		w := send(m, posted("POST", "/admin/content-rules", body, identity.KeyHeader, operator))
		if w.Code != 422 || !strings.Contains(w.Body.String(), words) || decided(m.App, "/a") != "blocked" ||
			decided(m.App, "/b") != "blocked" {
			t.Errorf("%s: %d %s; then /b is %s", body, w.Code, w.Body, decided(m.App, "/b"))
		}
	}
	if w := send(m, posted("POST", "/admin/content-rules", `{"id":"all","match":{},"access":"open"}`,
		identity.KeyHeader, operator)); w.Code != 201 || decided(m.App, "/b") != "open" {
		t.Errorf("written down: %d %s", w.Code, w.Body)
	}
}

// TestWhatAnOperatorsProgramSendsAndTakes holds the door's ways with what is not quite a request:
// methods, media types, codings, and addresses at which nothing is.
func TestWhatAnOperatorsProgramSendsAndTakes(t *testing.T) {
	t.Parallel()
	m := openMarket(t, ruledConfig)
	operator, _ := makeKey(t, m.App, identity.Key{Name: "ops", Scopes: []string{"admin"}})
	const rule = `{"id":"r","match":{"path":["/r/**"]},"access":"open"}`
	for _, v := range []struct {
		method, path, body string
		headers            []string
		status             int
		words              string
	}{
		{"POST", "/admin/content-rules", rule, []string{"Content-Type", "text/plain"}, 415, "application/json"},
		{"POST", "/admin/content-rules", rule, []string{"Content-Type", "application/x-www-form-urlencoded"}, 415,
			"application/json"},
		{"POST", "/admin/content-rules", rule, []string{"Content-Type", "application/json; charset=iso-8859-1"}, 415,
			"application/json"},
		{"POST", "/admin/content-rules", rule, []string{"Content-Encoding", "gzip"}, 415, "not compressed"},
		{"POST", "/admin/content-rules", rule, []string{"Content-Type", "application/json; charset=UTF-8",
			"Content-Encoding", "identity"}, 201, `"id":"r"`},
		{"POST", "/admin/content-rules", "null", nil, 422, "the body is null"},
		{"POST", "/admin/tenants/www.example.com/signing-keys/none/activate", "", []string{"Content-Type", ""}, 404, `"not found"`},
		{"HEAD", "/admin/content-rules", "", nil, 200, ""},
		{"HEAD", "/admin/content-rules/r", "", nil, 200, ""},
		{"HEAD", "/admin/content-rules/none", "", nil, 404, ""},
		{"HEAD", "/admin/accounts", "", nil, 200, ""},
		{"HEAD", "/admin/tenants/www.example.com/pricing", "", nil, 200, ""},
		{"PUT", "/admin/content-rules", "", nil, 405, "GET, HEAD, POST"},
		{"PUT", "/admin/accounts", "", nil, 405, "GET, HEAD, POST"},
		{"GET", "/admin/content-rulez", "", nil, 404, `{"error":{"code":"not found"`},
		{"GET", "/admin/content-rules/", "", nil, 404, `{"error":{"code":"not found"`},
		{"GET", "/admin/", "", nil, 404, `{"error":{"code":"not found"`},
		{"GET", "/api/v1/reports/", "", nil, 404, `{"error":{"code":"not found"`},
		{"GET", "/admin/accounts?buyers=x", "", nil, 422, "buyer, after, limit"},
		{"GET", "/admin/licenses?limit=0", "", nil, 422, "from 1 to 1000"},
		{"GET", "/admin/requesters?limit=1001", "", nil, 422, "from 1 to 1000"},
	} {
		w := send(m, posted(v.method, v.path, v.body, append([]string{identity.KeyHeader, operator}, v.headers...)...))
		if w.Code != v.status || !strings.Contains(w.Body.String(), v.words) {
			t.Errorf("%s %s %s %v: %d %s", v.method, v.path, v.body, v.headers, w.Code, w.Body)
		}
	}
}

// TestListsOfOperatorsHavePages pages through requesters, accounts, licences and subscriptions, and
// finds each once.
func TestListsOfOperatorsHavePages(t *testing.T) {
	t.Parallel()
	m := openMarket(t, ruledConfig)
	operator, _ := makeKey(t, m.App, identity.Key{Name: "ops", Scopes: []string{"admin"}})
	do := func(method, path, body string) []byte {
		w := send(m, posted(method, path, body, identity.KeyHeader, operator))
		if w.Code/100 != 2 {
			t.Fatalf("%s %s: %d %s", method, path, w.Code, w.Body)
		}
		return w.Body.Bytes()
	}
	want := map[string][]string{}
	for n := range 5 {
		name := fmt.Sprintf("b%d.example.com", n/2)
		buyer := fmt.Sprintf("%s/bot%d", name, n)
		do("POST", "/admin/requesters", fmt.Sprintf(`{"domain":%q,"requester_id":"bot%d"}`, name, n))
		want["requesters"] = append(want["requesters"], buyer)
		for _, currency := range []string{"EUR", "USD"} {
			do("POST", "/admin/accounts", fmt.Sprintf(`{"buyer":%q,"currency":%q}`, buyer, currency))
			want["accounts"] = append(want["accounts"], buyer+currency)
		}
		do("POST", "/admin/licenses", fmt.Sprintf(`{"id":"l%d","buyer":%q,"paid":"per_access"}`, n, buyer))
		want["licenses"] = append(want["licenses"], fmt.Sprintf("l%d", n))
		do("POST", "/admin/subscriptions", fmt.Sprintf(`{"id":"a%d","buyer":%q,"currency":"USD"}`, n, buyer))
		want["subscriptions"] = append(want["subscriptions"], fmt.Sprintf("a%d", n))
	}
	for list, all := range want {
		for _, limit := range []int{1, 2, 3, 5, 1000} {
			var got []string
			after := ""
			for pages := 0; ; pages++ {
				page := map[string]json.RawMessage{}
				var rows []struct{ ID, Account, Buyer, Currency string }
				body := do("GET", fmt.Sprintf("/admin/%s?limit=%d&after=%s", list, limit, after), "")
				if err := json.Unmarshal(body, &page); err != nil || json.Unmarshal(page[list], &rows) != nil ||
					len(rows) > limit || pages > 20 {
					t.Fatalf("%s: %v", body, err)
				}
				for _, r := range rows {
					if list == "accounts" {
						r.Account = r.Buyer + r.Currency
					}
					got = append(got, r.Account+r.ID)
				}
				if page["next"] == nil {
					break
				}
				if err := json.Unmarshal(page["next"], &after); err != nil {
					t.Fatal(err)
				}
			}
			if strings.Join(got, " ") != strings.Join(all, " ") {
				t.Errorf("%s by %d: %q, want %q", list, limit, got, all)
			}
		}
	}
}

// TestAContentRuleIsRemovedWithoutAServer takes a rule away by its database alone, while a server
// runs: it follows, and the ledger tells of it.
func TestAContentRuleIsRemovedWithoutAServer(t *testing.T) {
	t.Parallel()
	s, _ := open(t, "url: https://desk.example\n"+ruledConfig)
	admin, _ := makeKey(t, s, identity.Key{Name: "ops", Scopes: []string{"admin"}})
	if w := send(s, posted("POST", "/admin/content-rules", `{"id":"r","match":{"path":["/report/**"]},"access":"blocked"}`, identity.KeyHeader, admin)); w.Code != http.StatusCreated {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	command, err := Build(t.Context(), Options{Loaded: s.options.Loaded, Records: true})
	if err != nil {
		t.Fatal(err)
	}
	defer command.Close()
	remove := func(id string) error {
		_, err := operator.RemoveRule{RuleID: operator.RuleID{ID: id}}.Do(t.Context(), command.Operator())
		return err
	}
	if err := remove("none"); fail.From(err).Code != fail.NotFound {
		t.Errorf("none: %v", err)
	}
	if err := remove("r"); err != nil {
		t.Fatal(err)
	}
	if err := s.lookAtRules(t.Context()); err != nil || decided(s, "/report/1") != "open" {
		t.Errorf("%v, it is %s", err, decided(s, "/report/1"))
	}
	if w := send(s, posted("POST", "/admin/content-rules", `{"id":"z","match":{"path":["/z"]},"access":"open"}`, identity.KeyHeader, admin)); w.Code != http.StatusCreated {
		t.Fatalf("%d %s", w.Code, w.Body) // with it what waited is given its place in the ledger
	}
	removed := 0
	for r, err := range s.Ledger.Read(t.Context(), ledger.Filter{Kind: "terms"}) {
		if err != nil {
			t.Fatal(err)
		}
		if r.Entry.Subject == "r" && strings.Contains(string(r.Entry.Body), `"did":"remove"`) {
			removed++
		}
	}
	if removed != 1 {
		t.Errorf("the ledger tells of it %d times", removed)
	}
}

// TestContentRulesAreWarnedOf holds what is told of rules that do nothing, or other than one would
// think; and that a good rule is told without.
func TestContentRulesAreWarnedOf(t *testing.T) {
	t.Parallel()
	s, _ := open(t, "url: https://desk.example\nsite: {name: Example, url: \"https://example.com\"}\nterms:\n"+
		"  - match: {path: /soup}\n    access: licensed\n  - match: {}\n    access: open\n")
	operator, _ := makeKey(t, s, identity.Key{Name: "ops", Scopes: []string{"admin"}})
	for _, v := range []struct {
		rule string
		want []string
	}{
		{`{"id":"none","match":{"path":["/nothing/**"]},"access":"licensed"}`, []string{"no item that is here now is one that it is for"}},
		{
			`{"id":"against","match":{"type":["Recipe"]},"access":"blocked"}`,
			[]string{"on 1 of the 1 items that it is for rule 1 (line 4) decides, which stands before it, " +
				"otherwise: licensed; excerpt of 0 words"},
		},
		{`{"id":"same","match":{"path":["/soup"]},"access":"licensed"}`, nil},
		{
			`{"id":"all","match":{},"access":"blocked"}`,
			[]string{"it is for everything that no rule before it is for, so that content rule " +
				"none decides on nothing any more", "on 1 of the 1 items that it is for rule 1 (line 4) decides, " +
				"which stands before it, otherwise: licensed; excerpt of 0 words"},
		},
		{`{"id":"late","order":200,"match":{"path":["/x"]},"access":"open"}`, []string{"no item gets here: content rule all before it matches everything; give this rule a lower order"}},
	} {
		w := send(s, posted("POST", "/admin/content-rules", v.rule, identity.KeyHeader, operator))
		var told struct {
			ID       string
			Warnings []string
		}
		if err := json.Unmarshal(w.Body.Bytes(), &told); err != nil || w.Code != http.StatusCreated ||
			!slices.Equal(told.Warnings, v.want) {
			t.Errorf("%s: %d %q, want %q", v.rule, w.Code, told.Warnings, v.want)
		}
		again := send(s, posted("GET", "/admin/content-rules/"+told.ID, "", identity.KeyHeader, operator)).Body.String()
		if strings.Contains(again, `"warnings"`) != (v.want != nil) {
			t.Errorf("GET: %s", again)
		}
	}
	if w := send(s, posted("POST", "/admin/content-rules", `{"id":"x","match":{},"access":"open","warnings":["x"]}`, identity.KeyHeader, operator)); w.Code != 422 {
		t.Errorf("warnings are taken: %d %s", w.Code, w.Body)
	}
}
