package app

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/excerpts/grants"
	"frontdesk/internal/identity"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/operator/console/frame"
	"frontdesk/internal/operator/operations"
	"frontdesk/internal/testkit/clock"
	"frontdesk/wire/receipt"
)

// person is a browser: it keeps cookies, and sends forms as the last page that it saw has them.
type person struct {
	t       testing.TB
	s       http.Handler
	cookies map[string]string
	page    string
	header  http.Header // sent with each request
}

func newPerson(t testing.TB, s http.Handler) *person {
	return &person{t: t, s: s, cookies: map[string]string{}, header: http.Header{}}
}

// do sends a request and keeps what came.
func (p *person) do(method, address string, form url.Values) *httptest.ResponseRecorder {
	p.t.Helper()
	r := httptest.NewRequest(method, address, strings.NewReader(form.Encode()))
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for name, value := range p.cookies {
		r.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	for name, values := range p.header {
		r.Header[name] = values
	}
	w := send(p.s, r)
	for _, c := range w.Result().Cookies() {
		if c.MaxAge < 0 {
			delete(p.cookies, c.Name)
			continue
		}
		p.cookies[c.Name] = c.Value
	}
	p.page = w.Body.String()
	return w
}

func (p *person) get(address string) *httptest.ResponseRecorder { return p.do("GET", address, nil) }

var formField = regexp.MustCompile(`name="form" value="([^"]+)"`)

// post sends a form with the token of the page before it, and fields in pairs.
func (p *person) post(address string, fields ...string) *httptest.ResponseRecorder {
	p.t.Helper()
	form := url.Values{}
	if found := formField.FindStringSubmatch(p.page); found != nil {
		form.Set("form", found[1])
	}
	for i := 0; i < len(fields); i += 2 {
		form.Set(fields[i], fields[i+1])
	}
	return p.do("POST", address, form)
}

// login logs in with a token.
func (p *person) login(token string) *person {
	p.t.Helper()
	p.get("/console/login")
	if w := p.post("/console/login", "token", token); w.Code != http.StatusSeeOther ||
		w.Header().Get("Location") != "/console/" {
		p.t.Fatalf("login: %d: %s", w.Code, w.Body)
	}
	p.sees("/console/", 200)
	return p
}

// sees gets a page, and fails unless it has a status and all of some texts.
func (p *person) sees(address string, status int, texts ...string) {
	p.t.Helper()
	w := p.get(address)
	if w.Code != status {
		p.t.Fatalf("%s: %d: %s", address, w.Code, w.Body)
	}
	for _, text := range texts {
		if !strings.Contains(p.page, text) {
			p.t.Errorf("%s does not say %q:\n%s", address, text, p.page)
		}
	}
}

// tokenFor makes a token of a role.
func tokenFor(t testing.TB, s *App, role string) (token, id string) {
	t.Helper()
	token, made, err := s.Keys.Create(t.Context(), identity.Key{Name: "Ana", Scopes: identity.ConsoleScopes(role)})
	if err != nil {
		t.Fatal(err)
	}
	return token, made.ID
}

func TestTheConsoleOpensToItsTokensAlone(t *testing.T) {
	t.Parallel()
	s, log := open(t, "")
	token, _ := tokenFor(t, s, identity.Viewer)
	other, _, err := s.Keys.Create(t.Context(), identity.Key{Name: "all doors"})
	if err != nil {
		t.Fatal(err)
	}
	id := taken(t, s, "platform:one")
	for _, page := range []string{"/console/", "/console/denials", "/console/keys", "/console/receipts/" + id,
		"/console/receipts/" + id + "/receipt.json", "/console/nothing", "/console"} {
		w := newPerson(t, s).get(page)
		if w.Code != http.StatusSeeOther || !strings.HasPrefix(w.Header().Get("Location"), "/console/") ||
			w.Body.Len() > 0 {
			t.Errorf("%s, to a stranger: %d %s", page, w.Code, w.Body)
		}
	}
	for _, page := range []string{"/console/verify", "/console/keys/people", "/console/logout"} {
		if w := newPerson(t, s).post(page, "id", id); w.Code != http.StatusSeeOther ||
			w.Header().Get("Location") != "/console/login" {
			t.Errorf("%s, from a stranger: %d %s", page, w.Code, w.Body)
		}
	}
	p := newPerson(t, s)
	for _, wrong := range []string{"", "soup", other, token[:len(token)-1] + "_", "fd_nonsense_nonsense"} {
		p.get("/console/login")
		if w := p.post("/console/login", "token", wrong); w.Code != http.StatusUnauthorized ||
			p.cookies["frontdesk_console"] != "" {
			t.Errorf("%q: %d, %v", wrong, w.Code, p.cookies)
		}
	}
	p.login(" " + token + "\n")
	p.sees("/console/receipts", 200, "<bdi>Ana</bdi>, viewer", "platform:one"[9:], "https://example.com/soup",
		"holds <b>3</b> entries")
	if w := p.post("/console/receipts/verify"); w.Code != http.StatusForbidden {
		t.Errorf("a viewer verified the whole ledger: %d", w.Code)
	}
	operator, _ := tokenFor(t, s, identity.Operator)
	q := newPerson(t, s).login(operator)
	q.sees("/console/receipts", 200, "That was not done here yet", "Verify all")
	if w := q.post("/console/receipts/verify"); w.Code != http.StatusSeeOther {
		t.Errorf("verify all: %d %s", w.Code, w.Body)
	}
	q.sees("/console/receipts", 200, "entries are as they were signed")
	// The token opens nothing else.
	if w := get(s, "/ledger/receipt/"+id, identity.KeyHeader, token); w.Code != http.StatusForbidden {
		t.Errorf("a token of the console opened the ledger: %d %s", w.Code, w.Body)
	}
	secret := p.cookies["frontdesk_console"]
	p.get("/console/")
	if w := p.post("/console/logout"); w.Code != http.StatusSeeOther || p.cookies["frontdesk_console"] != "" {
		t.Errorf("logout: %d %v", w.Code, p.cookies)
	}
	p.cookies["frontdesk_console"] = secret // somebody kept a copy
	if w := p.get("/console/"); w.Code != http.StatusSeeOther {
		t.Errorf("a session that was ended is open: %d", w.Code)
	}
	if strings.Contains(log.String(), token) || strings.Contains(log.String(), secret) {
		t.Error("the log has a token or the secret of a session")
	}
}

func TestTheConsolesHeaders(t *testing.T) {
	t.Parallel()
	s, _ := open(t, "url: https://www.example.com/desk")
	token, _ := tokenFor(t, s, identity.Viewer)
	w := newPerson(t, s).get("/console/login")
	for name, want := range map[string]string{
		"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin",
		"Content-Security-Policy": "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; " +
			"base-uri 'none'; frame-ancestors 'none'",
	} {
		if got := w.Header().Get(name); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
	if body := w.Body.String(); strings.Contains(body, "<script") || strings.Contains(body, "style=") ||
		!strings.Contains(body, `action="/desk/console/login"`) {
		t.Errorf("%s", body)
	}
	p := newPerson(t, s)
	p.get("/console/login")
	w = p.post("/console/login", "token", token)
	if w.Header().Get("Location") != "/desk/console/" {
		t.Errorf("it leads to %q", w.Header().Get("Location"))
	}
	for _, c := range w.Result().Cookies() {
		path := "/desk/console/"
		if c.Name == "frontdesk_console_ask" { // which says that a question is the owner's
			path = "/desk/ask"
		}
		if !c.HttpOnly || !c.Secure || c.SameSite != http.SameSiteStrictMode || c.Path != path {
			t.Errorf("the cookie is open: %s", c)
		}
	}
}

func TestFormsOfOthersDoNothing(t *testing.T) {
	t.Parallel()
	s, _ := open(t, "")
	token, _ := tokenFor(t, s, identity.Operator)
	if _, _, err := s.Platforms.Issue(t.Context(),
		identity.PlatformKey{ID: "plat_one", Platform: "one", Roles: identity.Roles}, nil); err != nil {
		t.Fatal(err)
	}
	state := func() string {
		all, err := s.Platforms.List(t.Context())
		if err != nil || len(all) != 1 {
			t.Fatal(err)
		}
		return all[0].Status
	}
	p := newPerson(t, s).login(token)
	another := newPerson(t, s).login(token)
	for name, send := range map[string]func() *httptest.ResponseRecorder{
		"no token": func() *httptest.ResponseRecorder {
			p.page = ""
			return p.post("/console/keys/platform/plat_one", "do", "suspend")
		},
		"another session's": func() *httptest.ResponseRecorder {
			another.get("/console/keys/platform/plat_one")
			p.page = another.page
			return p.post("/console/keys/platform/plat_one", "do", "suspend")
		},
		"another site's page": func() *httptest.ResponseRecorder {
			p.get("/console/keys/platform/plat_one")
			p.header.Set("Sec-Fetch-Site", "cross-site")
			return p.post("/console/keys/platform/plat_one", "do", "suspend")
		},
		"another origin": func() *httptest.ResponseRecorder {
			p.get("/console/keys/platform/plat_one")
			p.header.Del("Sec-Fetch-Site")
			p.header.Set("Origin", "https://evil.example")
			return p.post("/console/keys/platform/plat_one", "do", "suspend")
		},
	} {
		if w := send(); w.Code != http.StatusForbidden || state() != identity.PlatformActive {
			t.Errorf("%s: %d, the key is %s", name, w.Code, state())
		}
		p.header = http.Header{}
	}
	p.get("/console/keys/platform/plat_one")
	p.header.Set("Origin", "http://example.com")
	if w := p.post("/console/keys/platform/plat_one", "do", "suspend"); w.Code != http.StatusSeeOther ||
		state() != identity.PlatformSuspended {
		t.Errorf("our own form: %d, %s: %s", w.Code, state(), w.Body)
	}
	// A login that somebody else's page sends begins no session.
	stranger := newPerson(t, s)
	if w := stranger.post("/console/login", "token", token); w.Code != http.StatusForbidden ||
		stranger.cookies["frontdesk_console"] != "" {
		t.Errorf("a login without our form: %d", w.Code)
	}
}

func TestAViewerChangesNothingAndAnOperatorsChangeIsInTheLedger(t *testing.T) {
	t.Parallel()
	s, _ := open(t, "")
	viewing, _ := tokenFor(t, s, identity.Viewer)
	operating, _ := tokenFor(t, s, identity.Operator)
	if _, _, err := s.Platforms.Issue(t.Context(),
		identity.PlatformKey{ID: "plat_one", Platform: "one", Roles: identity.Roles}, nil); err != nil {
		t.Fatal(err)
	}
	viewer := newPerson(t, s).login(viewing)
	viewer.sees("/console/keys/platform/plat_one", 200, "plat_one", "good")
	if strings.Contains(viewer.page, `value="suspend"`) {
		t.Error("a viewer is offered to suspend a key")
	}
	if w := viewer.post("/console/keys/platform/plat_one", "do", "suspend"); w.Code != http.StatusForbidden {
		t.Errorf("a viewer: %d", w.Code)
	}
	viewer.sees("/console/keys", 200, "good")
	p := newPerson(t, s).login(operating)
	for _, c := range []struct {
		id, do string
		status int
	}{{"plat_one", "sell", 400}, {"plat_two", "suspend", 404}, {"plat_one", "suspend", 303},
		{"plat_one", "resume", 303}} {
		p.sees("/console/keys", 200)
		if w := p.post("/console/keys/platform/"+c.id, "do", c.do); w.Code != c.status {
			t.Errorf("%+v: %d: %s", c, w.Code, w.Body)
		}
	}
	p.sees("/console/receipts?kind=key&platform=one", 200, "platform key plat_one of one", "suspended", "active",
		"by Ana")
	if n := strings.Count(p.page, "Key changed</b>"); n != 3 {
		t.Errorf("%d changes are in the ledger", n)
	}
}

func TestSessionsEnd(t *testing.T) {
	t.Parallel()
	c := clock.At(time.Now())
	s, _ := open(t, "console: {owner: {session: 1h}}", func(o *Options) { o.Now = c.Now })
	token, id := tokenFor(t, s, identity.Viewer)
	p := newPerson(t, s).login(token)
	c.Advance(59 * time.Minute)
	p.sees("/console/", 200)
	c.Advance(time.Minute)
	if w := p.get("/console/"); w.Code != http.StatusSeeOther {
		t.Errorf("after its time: %d", w.Code)
	}
	p.login(token)
	if err := s.Keys.Revoke(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	for name, find := range map[string]*identity.Logins{
		"another process": identity.NewLogins(s.db, identity.NewKeys(s.db, nil), c.Now),
	} {
		if _, ok, err := find.Find(t.Context(), p.cookies["frontdesk_console"]); ok || err != nil {
			t.Errorf("%s: a session goes on whose token was revoked: %v", name, err)
		}
	}
}

func TestTokensAreNotGuessed(t *testing.T) {
	t.Parallel()
	c := clock.At(time.Now())
	s, _ := open(t, "", func(o *Options) { o.Now = c.Now })
	token, _ := tokenFor(t, s, identity.Viewer)
	p := newPerson(t, s)
	for i := range 10 {
		p.get("/console/login")
		if w := p.post("/console/login", "token", fmt.Sprint("guess", i)); w.Code != http.StatusUnauthorized {
			t.Fatalf("guess %d: %d", i, w.Code)
		}
	}
	wrong := func() int {
		p.get("/console/login")
		return p.post("/console/login", "token", token[:len(token)-1]+"_").Code
	}
	if status := wrong(); status != http.StatusTooManyRequests || p.cookies["frontdesk_console"] != "" {
		t.Errorf("after ten guesses: %d", status)
	}
	newPerson(t, s).login(token) // nobody who shares the address is kept out
	if status := wrong(); status != http.StatusTooManyRequests {
		t.Errorf("after a right token: %d", status)
	}
	c.Advance(time.Minute)
	if status := wrong(); status != http.StatusUnauthorized {
		t.Errorf("a minute later: %d", status)
	}
}

func TestTheFirstOwnerComesInByALink(t *testing.T) {
	t.Parallel()
	s, log := open(t, "")
	code, err := s.Logins().FirstLink(t.Context())
	if err != nil || code == "" {
		t.Fatalf("%q, %v", code, err)
	}
	p := newPerson(t, s)
	p.sees("/console/begin", 200, `name="code"`, "/begin.js")
	if policy := p.do("GET", "/console/begin", nil).Header().Get("Content-Security-Policy"); !strings.Contains(policy,
		"script-src 'self';") {
		t.Errorf("its policy is %q", policy)
	}
	if w := p.post("/console/begin", "code", "SOUP"); w.Code != http.StatusUnauthorized {
		t.Errorf("a wrong code: %d", w.Code)
	}
	if w := p.post("/console/begin", "code", code, "form", "forged"); w.Code != http.StatusForbidden {
		t.Errorf("a form of others: %d", w.Code)
	}
	p.get("/console/begin")
	if w := p.post("/console/begin", "code", code); w.Code != 200 || !strings.Contains(p.page, `name="zone"`) ||
		!strings.Contains(p.page, "<b>owner</b>") {
		t.Fatalf("the code: %d %s", w.Code, w.Body)
	}
	other := newPerson(t, s)
	other.get("/console/begin")
	if w := other.post("/console/begin", "code", code, "name", "Eve", "zone",
		"UTC"); w.Code != http.StatusUnauthorized {
		t.Errorf("another browser: %d", w.Code)
	}
	if w := p.post("/console/begin", "code", code, "name", "Ana", "zone", "Soup"); w.Code != http.StatusBadRequest ||
		!strings.Contains(p.page, `value="Ana"`) {
		t.Errorf("a wrong zone: %d %s", w.Code, w.Body)
	}
	if w := p.post("/console/begin", "code", code, "name", "Ana", "zone", "Asia/Tokyo"); w.Code != 200 {
		t.Fatalf("accepted: %d %s", w.Code, w.Body)
	}
	token := regexp.MustCompile(`fd_[a-z2-7_]+`).FindString(p.page)
	p.sees("/console/", 200, "<bdi>Ana</bdi>, owner")
	if strings.Contains(p.page, token) {
		t.Error("the token is shown twice")
	}
	newPerson(t, s).login(token)
	p.get("/console/begin")
	if w := p.post("/console/begin", "code", code, "name", "Ana", "zone", "UTC"); w.Code != http.StatusUnauthorized {
		t.Errorf("a second use: %d", w.Code)
	}
	if again, err := s.Logins().FirstLink(t.Context()); again != "" || err != nil {
		t.Errorf("a second first link: %q, %v", again, err)
	}
	if strings.Contains(log.String(), token) || strings.Contains(log.String(), code) {
		t.Error("the log has the code or the token")
	}
}

// TestAViewerChangesNothingByAnyAddress posts to every address of the console as each role, and to
// /admin with a token of the console.
func TestAViewerChangesNothingByAnyAddress(t *testing.T) {
	t.Parallel()
	s, _, _ := inboxOf(t, "ramp: {enabled: true, signatures: none}\n")
	var rows []frame.Page
	for _, route := range s.ownerRoutes() {
		if f, ok := route.Handler.(*frame.Frame); ok {
			rows = f.Rows()
		}
	}
	tokenFor(t, s, identity.Owner) // else operators were owners
	harmless := map[string]bool{"POST logout": true, "POST verify": true, "POST inbox/find": true}
	people := map[string]*person{}
	for _, role := range []string{identity.Viewer, identity.Editor} {
		token, _ := tokenFor(t, s, role)
		people[role] = newPerson(t, s).login(token)
		if w := get(s, "/admin/tenants", identity.KeyHeader, token); w.Code != http.StatusForbidden &&
			w.Code != http.StatusUnauthorized {
			t.Errorf("%s at /admin: %d", role, w.Code)
		}
	}
	denyAdmin(t, s, people[identity.Viewer])
	before := countRows(t, s)
	posts := 0
	for _, row := range rows {
		if path, ok := strings.CutPrefix(row.Pattern, "GET "); ok {
			people[identity.Viewer].get("/console/" + someAddress.Replace(path) + "?do=suspend&id=soup&kind=pin")
		}
		path, ok := strings.CutPrefix(row.Pattern, "POST ")
		if !ok || harmless[row.Pattern] {
			if ok && row.Right != identity.See {
				t.Errorf("%s changes something", row.Pattern)
			}
			continue
		}
		posts++
		for role, p := range people {
			if identity.May(role, row.Right) {
				if role == identity.Viewer {
					t.Errorf("a viewer may %s", row.Pattern)
				}
				continue
			}
			p.get("/console/")
			w := p.post("/console/"+someAddress.Replace(path), "do", "suspend", "id", "soup")
			if w.Code != http.StatusForbidden {
				t.Errorf("%s by the %s: %d", row.Pattern, role, w.Code)
			}
		}
	}
	if posts < 14 {
		t.Errorf("only %d addresses change something: %v", posts, rows)
	}
	for table, n := range countRows(t, s) {
		if n != before[table] {
			t.Errorf("%s has %d rows, and had %d", table, n, before[table])
		}
	}
}

// someAddress fills in what patterns of addresses leave open.
var someAddress = strings.NewReplacer("{id}", "soup", "{id...}", "soup", "{file}", "soup", "{file...}", "soup",
	"{agent}", "soup",
	"{kind}", "api", "{domain}", "soup.example", "{key}", "soup", "{source}", "soup", "{site}", "soup",
	"{name}", "soup",
	"{version}", "soup", "{buyer}", "soup", "{currency}", "EUR", "{$}", "")

// denyAdmin tries every operation under /admin as somebody who came in to the console: with the
// token, as each header has it, and with the cookies of the session.
func denyAdmin(t *testing.T, s *App, p *person) {
	t.Helper()
	token, _ := tokenFor(t, s, identity.Viewer)
	cookies, tried := "", 0
	for name, value := range p.cookies {
		cookies += name + "=" + value + "; "
	}
	for _, op := range operations.All() {
		if op.Path == "" {
			continue // of the command line alone
		}
		for _, headers := range [][]string{
			{identity.KeyHeader, token}, {"Authorization", "Bearer " + token}, {"Cookie", cookies},
		} {
			tried++
			w := send(s, posted(op.Method, someAddress.Replace(op.Path), "{}", headers...))
			if w.Code < 400 {
				t.Errorf("a viewer's %s opens %s %s: %d", headers[0], op.Method, op.Path, w.Code)
			}
		}
	}
	if tried < 200 {
		t.Errorf("only %d tries", tried)
	}
}

// countRows is how many rows each table has, but those of who came in and what was asked.
func countRows(t *testing.T, s *App) map[string]int {
	t.Helper()
	all := map[string]int{}
	err := s.db.View(t.Context(), func(tx *store.Tx) error {
		tables, err := store.All(t.Context(), tx, `SELECT name FROM sqlite_master WHERE type = 'table'`,
			func(row store.Scanner) (name string, err error) { return name, row.Scan(&name) })
		for _, table := range tables {
			if strings.HasPrefix(table, "question") || strings.HasPrefix(table, "visitor") ||
				strings.HasPrefix(table, "sqlite") {
				continue
			}
			n := 0
			if err == nil {
				err = tx.QueryRow(t.Context(), `SELECT COUNT(*) FROM "`+table+`"`).Scan(&n)
			}
			all[table] = n
		}
		return err
	})
	if err != nil || len(all) < 20 {
		t.Fatalf("%d tables, %v", len(all), err)
	}
	return all
}

// given appends an access as package excerpts does.
func given(t *testing.T, s *App, platform, address string, at time.Time) (id string) {
	t.Helper()
	body := fmt.Sprintf(`{"chunks_returned":2,"event_id":"evt","items":[{"chunks":["c_a","c_b"],"rule":3,"url":%q}],"terms":"0123456789abcdef","token_count":41}`, address)
	err := s.db.Update(t.Context(), func(tx *store.Tx) (err error) {
		id, err = s.Ledger.Append(t.Context(), tx, receipt.Entry{Time: at, Kind: "access", Site: "local",
			Party: "platform:" + platform, Request: "req_" + platform, Body: []byte(body)})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func TestHomeTellsWhatSomebodyHasToSeeTo(t *testing.T) {
	t.Parallel()
	c := clock.At(time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC))
	s, _ := open(t, "", func(o *Options) { o.Now = c.Now })
	token, _ := tokenFor(t, s, identity.Viewer)
	p := newPerson(t, s).login(token)
	p.sees("/console/", 200, "Get started")
	if strings.Contains(p.page, `class="alert`) {
		t.Errorf("something is wrong where nothing is: %s", p.page)
	}
	_, _, err := s.Keys.Create(t.Context(),
		identity.Key{Name: "Soon <over>", Expires: c.Now().Add(13 * 24 * time.Hour)})
	if err == nil {
		_, _, err = s.Keys.Create(t.Context(), identity.Key{Name: "Later", Expires: c.Now().Add(15 * 24 * time.Hour)})
	}
	if err != nil {
		t.Fatal(err)
	}
	s.reloader.refused(errNoTerms)
	p.sees("/console/", 200, "The key “Soon &lt;over&gt;” ends on 2026-12-05.", "The changed configuration was refused")
	if strings.Contains(p.page, "Later") {
		t.Error("a key is told that ends later")
	}
	p.header.Set("Accept-Language", "de")
	p.sees("/console/", 200, `<html lang="de">`, "Erste Schritte", "endet am 2026-12-05", ">Belege</a>")
}

func TestLinksToReceiptsOfBeforeLeadThere(t *testing.T) {
	t.Parallel()
	s, _ := open(t, "")
	token, _ := tokenFor(t, s, identity.Viewer)
	p := newPerson(t, s).login(token)
	w := p.get("/console/?kind=key&day=2026-11-02")
	if w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/console/receipts?kind=key&day=2026-11-02" {
		t.Errorf("%d, to %q", w.Code, w.Header().Get("Location"))
	}
}

func TestReceiptsAreListedFilteredAndPaged(t *testing.T) {
	t.Parallel()
	day := time.Date(2026, 11, 2, 10, 0, 0, 0, time.UTC)
	s, _ := open(t, "", func(o *Options) { o.Now = clock.At(day).Now })
	token, _ := tokenFor(t, s, identity.Viewer)
	for i := range 120 {
		platform := "odd"
		if i%2 == 0 {
			platform = "even"
		}
		given(t, s, platform, fmt.Sprintf("https://example.com/%03d", i), day.Add(time.Duration(i)*time.Hour))
	}
	given(t, s, `<script>alert(1)</script>`, `javascript:alert(1)`, day.AddDate(0, 0, 20))
	p := newPerson(t, s).login(token)
	p.sees("/console/receipts", 200, "Passages given", "https://example.com/119", "2 passages, rule 3",
		"41 tokens; terms 0123456789ab", "&lt;script&gt;alert(1)&lt;/script&gt;")
	if strings.Contains(p.page, "<script>") || strings.Contains(p.page, `href="javascript:`) ||
		strings.Contains(p.page, "https://example.com/070") {
		t.Error("the page has what an entry says as code, or more than a page")
	}
	older := regexp.MustCompile(`href="/console/(receipts\?[^"]*before=[^"]*)">Older`)
	seen := map[string]bool{}
	address := regexp.MustCompile(`>https://example\.com/(\d+)<`)
	for next := "/console/receipts?platform=even"; next != ""; {
		p.sees(next, 200)
		for _, found := range address.FindAllStringSubmatch(p.page, -1) {
			if seen[found[1]] {
				t.Errorf("%s is on two pages", found[1])
			}
			seen[found[1]] = true
		}
		next = ""
		if found := older.FindStringSubmatch(p.page); found != nil {
			next = "/console/" + strings.ReplaceAll(found[1], "&amp;", "&")
		}
	}
	if len(seen) != 60 || seen["001"] || !seen["000"] {
		t.Errorf("%d of platform even: %v", len(seen), seen)
	}
	p.sees("/console/receipts?day=2026-11-03", 200, ">https://example.com/014<", ">https://example.com/037<")
	if n := len(address.FindAllString(p.page, -1)); n != 24 {
		t.Errorf("%d on a day of 24 hours", n)
	}
	p.sees("/console/receipts?day=2025-01-01", 200, "Nothing fits what you chose.")
	p.sees("/console/receipts?kind=citation", 200, "Nothing fits what you chose.")
	p.sees("/console/receipts?day=soup&before=soup", 200, "https://example.com/119")
}

func TestAReceiptIsVerifiedByOneClick(t *testing.T) {
	t.Parallel()
	s, _ := open(t, "")
	token, _ := tokenFor(t, s, identity.Viewer)
	id := given(t, s, "one", "https://example.com/soup", time.Now())
	given(t, s, "two", "https://example.com/stew", time.Now())
	p := newPerson(t, s).login(token)
	if w := p.post("/console/verify", "id", id); w.Code != 200 || !strings.Contains(p.page, ">True<") ||
		!strings.Contains(p.page, "with <b>3</b> entries") {
		t.Fatalf("%d: %s", w.Code, p.page)
	}
	w := p.get("/console/receipts/" + id + "/receipt.json")
	r, err := receipt.Parse(w.Body.Bytes())
	if err != nil || !strings.Contains(w.Header().Get("Content-Disposition"), "receipt-"+id+".json") {
		t.Fatalf("%v: %s", err, w.Body)
	}
	if _, err := receipt.Verify(r, publishedKeys(t, s)); err != nil {
		t.Error(err)
	}
	text := w.Body.String()
	for name, c := range map[string]struct {
		text string
		says []string
	}{
		"as it is": {text, []string{">True<"}},
		"the party": {strings.Replace(text, "platform:one", "platform:onE", 1),
			[]string{">Not true<", "<code>party</code>", "platform:onE", "platform:one"}},
		"the body": {strings.Replace(text, "https://example.com/soup", "https://example.com/sour", 1),
			[]string{">Not true<", "<code>body.items</code>"}},
		"the index":   {strings.Replace(text, `"index": 1`, `"index": 2`, 1), []string{">Not true<", "they do not lead to the ledger"}},
		"a signature": {strings.Replace(text, `\n\n—`, `x\n\n—`, 1), []string{">Not true<"}},
		"nonsense":    {"soup", []string{">Not true<", "This is no receipt"}},
	} {
		p.sees("/console/receipts/"+id, 200, "Passages given", "req_one", "0123456789abcdef")
		if w := p.post("/console/verify", "receipt", c.text); w.Code != 200 {
			t.Errorf("%s: %d", name, w.Code)
		}
		for _, says := range c.says {
			if !strings.Contains(p.page, says) {
				t.Errorf("%s: the page does not say %q: %s", name, says, p.page)
			}
		}
	}
	// A byte is changed in the database.
	if err := s.db.Update(t.Context(), func(tx *store.Tx) error {
		_, err := tx.Exec(t.Context(), `UPDATE ledger_entry SET leaf = CAST(REPLACE(CAST(leaf AS TEXT), 'platform:one', 'platform:onE') AS BLOB) WHERE place = 2`)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	p.sees("/console/receipts", 200, "onE")
	if p.post("/console/verify", "id", id); !strings.Contains(p.page, ">Not true<") ||
		!strings.Contains(p.page, "frontdesk ledger audit") {
		t.Errorf("an entry that was changed: %s", p.page)
	}
	for _, missing := range []string{"soup", "01930000-0000-7000-8000-000000000000"} {
		p.sees("/console/receipts/"+missing, 404, "no entry of this id")
		if w := p.post("/console/verify", "id", missing); w.Code != 404 {
			t.Errorf("%s: %d", missing, w.Code)
		}
	}
}

func TestDenialsAreListedAndCountedWithRequests(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	s, _ := open(t, "", func(o *Options) { o.Now = clock.At(now).Now })
	token, _ := tokenFor(t, s, identity.Viewer)
	err := s.db.Update(t.Context(), func(tx *store.Tx) error {
		for i := range 70 {
			r := grants.Request{Platform: "one", ID: fmt.Sprintf("req_%02d", i), Digest: sha256.Sum256(nil),
				At: now.Add(-time.Duration(i) * time.Hour), Outcome: "out_of_scope"}
			if i%7 == 0 {
				r.Platform, r.Outcome = "two", grants.OutcomeOK
			}
			if err := grants.Put(t.Context(), tx, r); err != nil {
				return err
			}
		}
		return grants.PutEvent(t.Context(), tx, grants.Event{Platform: "two", ID: "evt", Kind: "citation", At: now})
	})
	if err != nil {
		t.Fatal(err)
	}
	p := newPerson(t, s).login(token)
	p.sees("/console/receipts", 200, "10 answered and 60 denied, at most 24 on one day",
		"22 November 2026: 2 answered, 11 denied", "<td>10</td><td>0</td><td>1</td>", "<td>0</td><td>60</td><td>0</td>")
	p.sees("/console/denials", 200, ">out of scope<", `<td class="n">60</td>`, "declared editorial domains", "req_01")
	if strings.Contains(p.page, "req_07") || strings.Contains(p.page, "req_69") {
		t.Error("what was answered is among the denials, or more than a page")
	}
	next := regexp.MustCompile(`href="([^"]+)">Older`).FindStringSubmatch(p.page)
	if next == nil {
		t.Fatalf("there is no second page: %s", p.page)
	}
	p.sees(strings.ReplaceAll(next[1], "&amp;", "&"), 200, "req_69", "req_60")
	if n := strings.Count(p.page, "<code>req_"); n != 10 {
		t.Errorf("%d on the second page", n)
	}
	p.sees("/console/denials?reason=rate_limited", 200, "Nothing fits what you chose.", "sooner than")
	p.sees("/console/denials?day=2026-11-20&platform=one", 200, "req_37")
	if n := strings.Count(p.page, "<code>req_"); n != 21 { // of 24 hours, 37 to 60 ago, those that are no multiple of 7
		t.Errorf("%d on a day: %s", n, p.page)
	}
}
