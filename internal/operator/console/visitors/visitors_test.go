package visitors

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/identity"
	"frontdesk/internal/identity/agents"
	came "frontdesk/internal/identity/visitors"
	"frontdesk/internal/operator"
	"frontdesk/internal/operator/console/frame"
	"frontdesk/internal/testkit/storetest"
)

// desk is a console with visitors, and the cookies of somebody who is logged in.
type desk struct {
	t       *testing.T
	console *frame.Frame
	treated *came.Treatments
	keys    *identity.Keys
	cookies []*http.Cookie
}

func newDesk(t *testing.T, visits ...came.Visit) *desk {
	db := storetest.OpenSQLite(t, identity.Schema, identity.LoginSchema, came.Schema)
	now := func() time.Time { return time.Date(2027, 5, 4, 12, 0, 0, 0, time.UTC) }
	directory := came.NewDirectory([]agents.Known{
		{Operator: "Acme", Origin: "https://acme.example", Kind: "training", UserAgent: "Acme Bot"},
	})
	counter := came.NewCounter(came.Options{DB: db, Keep: time.Hour, Now: now}, directory)
	for _, v := range visits {
		counter.Count(v)
	}
	if err := counter.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	d := &desk{t: t, keys: identity.NewKeys(db, nil), treated: came.NewTreatments(db, directory, now)}
	d.console = frame.New(frame.Config{
		Now: now, Session: time.Hour, PublicURL: func(*http.Request) string { return "https://desk.example" },
		Logins: identity.NewLogins(db, d.keys, nil), Note: func(*http.Request, identity.Login, string) {},
		Client: func(*http.Request) netip.Addr { return netip.MustParseAddr("192.0.2.7") },
	}, Pages(Config{Found: []string{"llms.txt"}, Operator: &operator.Operator{
		Now: now, Visitors: came.Book{Store: came.NewStore(db, directory), Treatments: d.treated},
	}}))
	return d
}

// as logs somebody in, and gives what forms carry.
func (d *desk) as(role string) (form string) {
	d.t.Helper()
	token, _, err := d.keys.Create(d.t.Context(), identity.Key{Name: "Ana", Scopes: identity.ConsoleScopes(role)})
	if err != nil {
		d.t.Fatal(err)
	}
	d.cookies = nil
	login := d.send("GET", "login", nil)
	d.cookies = login.Result().Cookies()
	in := d.send("POST", "login", url.Values{"token": {token}, "form": {csrf(d.t, login)}})
	if d.cookies = in.Result().Cookies(); in.Code != http.StatusSeeOther {
		d.t.Fatalf("status %d: %s", in.Code, in.Body)
	}
	return csrf(d.t, d.send("GET", "visitors", nil))
}

func (d *desk) send(method, page string, form url.Values) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "https://desk.example"+frame.Path+page, strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	for _, cookie := range d.cookies {
		r.AddCookie(cookie)
	}
	w := httptest.NewRecorder()
	d.console.ServeHTTP(w, r)
	return w
}

func csrf(t *testing.T, w *httptest.ResponseRecorder) string {
	t.Helper()
	found := regexp.MustCompile(`name="form" value="([^"]+)"`).FindStringSubmatch(w.Body.String())
	if found == nil {
		t.Fatalf("no form: %s", w.Body)
	}
	return found[1]
}

// page reads a page, and wants texts in it and others not.
func (d *desk) page(page string, has []string, lacks ...string) {
	d.t.Helper()
	w := d.send("GET", page, nil)
	if w.Code != http.StatusOK {
		d.t.Fatalf("%s: status %d: %s", page, w.Code, w.Body)
	}
	for _, text := range has {
		if !strings.Contains(w.Body.String(), text) {
			d.t.Errorf("%s lacks %q: %s", page, text, w.Body)
		}
	}
	for _, text := range lacks {
		if strings.Contains(w.Body.String(), text) {
			d.t.Errorf("%s has %q", page, text)
		}
	}
}

func TestVisitorsAreListedAsFiltered(t *testing.T) {
	t.Parallel()
	d := newDesk(t, came.Visit{Agent: "Acme Bot", Known: "word", Channel: "feeds", What: came.Read},
		came.Visit{Agent: came.People, Channel: "ask", What: came.Asked},
		came.Visit{Agent: "requester:buyer.example", Known: came.ByKey, Channel: "ramp", What: came.Paid})
	d.as(identity.Owner)
	d.page("visitors", []string{`href="/console/visitors/Acme%20Bot"`, "trains models", "its word", "People with browsers",
		"buyer.example"}, "No agent has come yet")
	d.page("visitors?q=ACME&days=7", []string{"Acme Bot", `name="days" value="7"`,
		`visitors.csv?days=7&amp;q=ACME`}, "buyer.example")
	d.page("visitors?compare=1", []string{"3, and 0 in the 30 days before"})
	d.page("visitors?q=acme&days=7&compare=1", []string{"1, and 0 in the 7 days before"})
	d.page("visitors?q=none", []string{"No visitor fits"}, "No agent has come yet")
	d.page("visitors.csv?q=buyer", []string{"agent,name,operator",
		"requester:buyer.example,buyer.example,buyer.example,buyer,key,0,0,1,0,0,2027-05-04,allow,0"}, "Acme")
	d.page("visitors/Acme%20Bot", []string{"<h1>Acme Bot</h1>", "feeds", "2027-05-04"})
	d.page("visitors/people", []string{"<h1>People with browsers</h1>", "always answered"}, `name="treatment"`)
	d.page("visitors/requester:buyer.example", []string{"holds a key"}, `name="treatment"`)
	if w := d.send("GET", "visitors/nobody.example", nil); w.Code != http.StatusNotFound {
		t.Errorf("somebody who did not come: %d", w.Code)
	}
}

func TestWhereNobodyCameTheOwnerIsToldWhatToDo(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.as(identity.Viewer)
	d.page("visitors", []string{"No agent has come yet", `href="/llms.txt"`})
}

// TestOperatorsTreatAgents, and nobody below them.
func TestOperatorsTreatAgents(t *testing.T) {
	t.Parallel()
	d := newDesk(t, came.Visit{Agent: "Acme Bot", Known: "word", Channel: "feeds", What: came.Read})
	do := func(page string, want int, form url.Values) {
		t.Helper()
		if w := d.send("POST", page, form); w.Code != want {
			t.Errorf("%s %v: status %d, want %d: %s", page, form, w.Code, want, w.Body)
		}
	}
	const page = "visitors/Acme%20Bot"
	for _, role := range []string{identity.Viewer, identity.Editor} {
		form := d.as(role)
		do(page+"/treat", http.StatusForbidden, url.Values{"form": {form}, "treatment": {"block"}})
		do("visitors", http.StatusForbidden, url.Values{"form": {form}, "agent": {"others"}, "treatment": {"block"}})
		d.page(page, []string{"Operators and owners change this"}, `name="treatment"`)
	}
	form := d.as(identity.Operator)
	do(page+"/treat", http.StatusForbidden, url.Values{"form": {"x"}, "treatment": {"block"}})
	do(page+"/treat", http.StatusSeeOther, url.Values{"form": {form}, "treatment": {"block"}, "rate": {"60"}})
	d.page("visitors", []string{">blocked<"})
	do(page+"/treat", http.StatusBadRequest, url.Values{"form": {form}, "treatment": {"limit"}, "rate": {"many"}})
	do(page+"/treat", http.StatusSeeOther, url.Values{"form": {form}, "treatment": {"limit"}, "rate": {"90"}})
	d.page(page, []string{"90 a minute", `value="90"`})
	do("visitors", http.StatusBadRequest, url.Values{"form": {form}, "agent": {"people"}, "treatment": {"block"}})
	do("visitors", http.StatusSeeOther,
		url.Values{"form": {form}, "agent": {"Acme.example"}, "treatment": {"require_key"}})
	d.page("visitors", []string{`href="/console/visitors/acme.example"`, "all its agents", "needs a proof"})
	if all := d.treated.All(); len(all) != 2 || !strings.HasPrefix(all[0].By, "key:") {
		t.Errorf("%+v", all)
	}
}

// TestTheBoxFindsAgents looks for an agent by its name, and by who runs it.
func TestTheBoxFindsAgents(t *testing.T) {
	t.Parallel()
	d := newDesk(t, came.Visit{Agent: "Acme Bot", Known: "word", Channel: "feeds", What: came.Read},
		came.Visit{Agent: "Soup <i>Bot", Known: "word", Channel: "feeds", What: came.Read},
		came.Visit{Agent: came.People, Channel: "ask", What: came.Asked})
	d.as(identity.Viewer)
	for text, want := range map[string]string{
		"acme bot": "/console/visitors/Acme%20Bot", "Acme": "/console/visitors/Acme%20Bot",
		"https://acme.example/about": "/console/visitors/Acme%20Bot", "acme.example": "/console/visitors/Acme%20Bot",
		"me bo": "/console/visitors/Acme%20Bot", "https": "", "other.example": "", "bot": "", "people": "",
	} {
		w := d.send("GET", "find?"+url.Values{"q": {text}}.Encode(), nil)
		if got := w.Header().Get("Location"); got != want || text == "bot" &&
			!strings.Contains(w.Body.String(), "<bdi>Soup &lt;i&gt;Bot</bdi>") {
			t.Errorf("%q leads to %q, want %q: %s", text, got, want, w.Body)
		}
	}
}
