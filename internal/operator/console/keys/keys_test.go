package keys

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/ask/i18n"
	"frontdesk/internal/identity"
	"frontdesk/internal/identity/keyring"
	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/operator"
	"frontdesk/internal/operator/console/frame"
	"frontdesk/internal/testkit/storetest"
)

// desk is a console with keys, and the cookies of somebody who is logged in.
type desk struct {
	t       *testing.T
	console *frame.Frame
	ring    *keyring.Ring
	keys    *identity.Keys
	noted   []string
	cookies []*http.Cookie
	me      string // the id of who is logged in
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	db := storetest.OpenSQLite(t, identity.Schema, identity.LoginSchema, identity.PlatformSchema, identity.EdgeSchema,
		requesters.Schema, keyring.Schema)
	now := func() time.Time { return time.Date(2027, 5, 4, 12, 0, 0, 0, time.UTC) }
	folder := t.TempDir()
	platforms, err := identity.OpenPlatforms(t.Context(), db, folder, now)
	if err != nil {
		t.Fatal(err)
	}
	site, err := identity.OpenSiteKeys(folder, now)
	if err == nil {
		err = site.EnsureKey()
	}
	if err != nil {
		t.Fatal(err)
	}
	registry, err := requesters.Open(t.Context(), requesters.Config{
		DB: db, Signatures: requesters.SignaturesRequired, Now: now,
	})
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{t: t, keys: identity.NewKeys(db, now)}
	d.ring = &keyring.Ring{
		API: d.keys, Platforms: platforms, Edges: identity.NewEdgeKeys(db, folder, now), Requesters: registry,
		Own: map[string]*identity.SiteKeys{keyring.Site: site}, Logins: identity.NewLogins(db, d.keys, now),
		Uses: keyring.NewUses(keyring.UsesOptions{DB: db, Now: now}), Now: now,
		Sites: func() []string { return []string{"shop"} }, Doors: []string{"ask", "mcp", "admin"},
		Door:    func(name string) bool { return name == "ask" || name == "mcp" || name == "admin" },
		Address: func(context.Context) string { return "https://desk.example" },
	}
	d.console = frame.New(frame.Config{
		Now: now, Session: time.Hour, PublicURL: func(*http.Request) string { return "https://desk.example" },
		Logins: d.ring.Logins,
		Note:   func(_ *http.Request, _ identity.Login, what string) { d.noted = append(d.noted, what) },
		Client: func(*http.Request) netip.Addr { return netip.MustParseAddr("192.0.2.7") },
	}, Pages(&operator.Operator{Keys: d.ring, Now: now}))
	return d
}

// as logs somebody in, and gives what forms carry.
func (d *desk) as(role string) (form string) {
	d.t.Helper()
	token, made, err := d.keys.Create(d.t.Context(), identity.Key{Name: "Ana", Scopes: identity.ConsoleScopes(role)})
	if err != nil {
		d.t.Fatal(err)
	}
	d.me, d.cookies = made.ID, nil
	login := d.send("GET", "login", nil)
	d.cookies = login.Result().Cookies()
	in := d.send("POST", "login", url.Values{"token": {token}, "form": {d.find(login, `name="form" value="([^"]+)"`)}})
	if d.cookies = in.Result().Cookies(); in.Code != http.StatusSeeOther {
		d.t.Fatalf("status %d: %s", in.Code, in.Body)
	}
	return d.find(d.send("GET", "keys", nil), `name="form" value="([^"]+)"`)
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

// find gives what a pattern finds in an answer.
func (d *desk) find(w *httptest.ResponseRecorder, pattern string) string {
	d.t.Helper()
	found := regexp.MustCompile(pattern).FindStringSubmatch(w.Body.String())
	if found == nil {
		d.t.Fatalf("%s is not in %s", pattern, w.Body)
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

// do posts a form, and wants a status.
func (d *desk) do(page string, want int, fields ...string) *httptest.ResponseRecorder {
	d.t.Helper()
	form := url.Values{}
	for i := 0; i < len(fields); i += 2 {
		form.Add(fields[i], fields[i+1])
	}
	w := d.send("POST", page, form)
	if w.Code != want {
		d.t.Errorf("%s %v: status %d, want %d: %s", page, form, w.Code, want, w.Body)
	}
	return w
}

// issue makes a key of a kind.
func (d *desk) issue(w keyring.Wanted) keyring.Key {
	d.t.Helper()
	made, err := d.ring.Issue(d.t.Context(), w)
	if err != nil {
		d.t.Fatal(err)
	}
	return made
}

func TestAnOperatorIssuesRollsSuspendsAndRevokesAKey(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.as(identity.Owner) // without one, an operator would count as an owner
	form := d.as(identity.Operator)
	d.page("keys", []string{"No agent has a key yet", `href="/console/keys/new"`})
	d.page("keys/new", []string{`value="ask"`}, `value="admin"`)
	made := d.do("keys/new", http.StatusOK, "form", form, "kind", "api", "name", "Partner", "door", "ask")
	secret, id := d.find(made, `id="secret">([^<]+)<`), d.find(made, `href="/console/keys/api/([^"]+)"`)
	if !strings.HasPrefix(secret, "fd_"+id) || made.Header().Get("Cache-Control") != "no-store" {
		t.Errorf("%s of %s: %v", secret, id, made.Header())
	}
	page := "keys/api/" + id
	d.page(page, []string{"<h1>Partner</h1>", `value="roll"`, `value="suspend"`, `value="revoke"`}, secret)
	d.page("keys?q=PART&kind=api", []string{`<bdi>Partner</bdi>`, `keys.csv?kind=api&amp;q=PART`}, "No agent has a key")
	d.page("keys?q=nobody", []string{"No key fits"})
	d.page("keys.csv?kind=api", []string{"kind,id,holder", "api," + id + ",Partner,nlweb,ask,,,valid,2027-05-04,,,"})
	d.do(page, http.StatusForbidden, "form", "x", "do", "suspend")
	d.do(page, http.StatusSeeOther, "form", form, "do", "suspend")
	d.page(page, []string{">suspended<", `value="resume"`}, `value="roll"`)
	d.do(page, http.StatusBadRequest, "form", form, "do", "roll", "overlap", "1h")
	d.do(page, http.StatusSeeOther, "form", form, "do", "resume")
	rolled := d.do(page, http.StatusOK, "form", form, "do", "roll", "overlap", "1h")
	if next := d.find(rolled, `id="secret">([^<]+)<`); next == secret {
		t.Error("the secret is the old one")
	}
	d.do(page, http.StatusBadRequest, "form", form, "do", "roll", "overlap", "long")
	d.do(page, http.StatusBadRequest, "form", form, "do", "sell")
	d.do(page, http.StatusSeeOther, "form", form, "do", "revoke")
	d.page(page, []string{">revoked<", "This key is over"}, `name="do"`)
	d.page("keys?kind=api", nil, id)
	d.page("keys?kind=api&state=ended", []string{id})
	got := strings.Join(d.noted, "\n")
	if !strings.Contains(got, "rolled the key "+id) || strings.Contains(got, secret) {
		t.Errorf("%s", got)
	}
	if w := d.send("GET", "find?q="+id, nil); w.Header().Get("Location") != "/console/"+page {
		t.Errorf("the box leads to %q", w.Header().Get("Location"))
	}
	for _, wrong := range []string{"keys/api/none", "keys/edge/" + id, "keys/people/none"} {
		if w := d.send("GET", wrong, nil); w.Code != http.StatusNotFound {
			t.Errorf("%s: %d", wrong, w.Code)
		}
	}
}

// TestKindsSayWhatCannotBeDone draws a key of each kind that there is, in each language.
func TestKindsSayWhatCannotBeDone(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	form := d.as(identity.Owner)
	d.issue(keyring.Wanted{Kind: keyring.Edge, Name: "edge-1"})
	d.issue(keyring.Wanted{Kind: keyring.Platform, Name: "search.example"})
	d.ring.Configured = []identity.ConfiguredKey{{Name: "old partner"}}
	_, err := d.ring.Requesters.Add(t.Context(), requesters.Registration{Domain: "buyer.example", ID: "bot"})
	if err != nil {
		t.Fatal(err)
	}
	site, _, _ := d.ring.Own[keyring.Site].Current()
	d.page("keys/site/"+site, []string{"This front desk", `value="roll"`, "can only be followed"}, `value="revoke"`)
	d.page("keys/configured/old%20partner", []string{"auth.keys"}, `name="do"`)
	d.page("keys/requester/buyer.example/bot", []string{"keys of its own", `value="suspend"`}, `value="roll"`)
	d.do("keys/requester/buyer.example/bot", http.StatusSeeOther, "form", form, "do", "suspend")
	d.do("keys/requester/buyer.example/bot", http.StatusSeeOther, "form", form, "do", "revoke")
	d.do("keys/configured/old%20partner", http.StatusBadRequest, "form", form, "do", "revoke")
	d.do("keys/site/"+site, http.StatusSeeOther, "form", form, "do", "roll", "overlap", "24h")
	d.page("keys?kind=site", []string{"signs beside the next"})
	if w := d.send("GET", "keys/console/"+d.me, nil); w.Header().Get("Location") != "/console/keys/people/"+d.me {
		t.Errorf("a token leads to %q", w.Header().Get("Location"))
	}
	for _, language := range i18n.Languages {
		for _, kind := range keyring.Kinds() {
			if !d.console.Says("keys.kind_"+kind) || !d.console.Says("keys.why_"+kind) {
				t.Errorf("no words for %s in %s", kind, language)
			}
		}
	}
	for _, state := range stateWords {
		if !d.console.Says(state) {
			t.Errorf("no word %s", state)
		}
	}
}

func TestAnOwnerInvitesAPersonAndChangesTheirRole(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	form := d.as(identity.Owner)
	mine := "keys/people/" + d.me
	d.page("keys/people", []string{`<bdi>Ana</bdi>`, ">you<", `name="good"`})
	d.page(mine, []string{"the last owner", `value="sign_out"`}, `value="remove"`, `value="role"`)
	for _, do := range []string{"suspend", "remove", "role"} {
		d.do(mine, http.StatusBadRequest, "form", form, "do", do, "role", identity.Viewer)
	}
	link := d.do("keys/people", http.StatusOK, "form", form, "name", "Bo", "role", "editor", "good", "24h")
	code, found := strings.CutPrefix(d.find(link, `id="secret">([^<]+)<`), "https://desk.example/console/begin#")
	if !found {
		t.Fatalf("%s", link.Body)
	}
	d.page("keys/people", []string{"Open invitations", `<bdi>Bo</bdi>`}, code)
	d.do("keys/people", http.StatusBadRequest, "form", form, "name", "Bo", "role", "king", "good", "24h")
	d.do("keys/people", http.StatusBadRequest, "form", form, "name", "Bo", "role", "viewer", "good", "8760h")
	bo := identity.Person{Name: "Bo", Zone: "UTC"}
	_, session, in, err := d.ring.Logins.Accept(t.Context(), code, "b", bo, time.Hour)
	if err != nil || in.Role != identity.Editor {
		t.Fatal(in, err)
	}
	page := "keys/people/" + in.Key
	opens := func(want bool, role string) {
		t.Helper()
		if in, ok, err := d.ring.Logins.Find(t.Context(), session); ok != want || err != nil || ok && in.Role != role {
			t.Errorf("%+v, %v, %v", in, ok, err)
		}
	}
	d.page(page, []string{"<h1>Bo</h1>", `value="remove"`})
	d.do(page, http.StatusSeeOther, "form", form, "do", "role", "role", "viewer")
	opens(true, identity.Viewer)
	d.do(page, http.StatusSeeOther, "form", form, "do", "sign_out")
	opens(false, "")
	d.do(page, http.StatusSeeOther, "form", form, "do", "suspend")
	d.page(page, []string{`value="resume"`})
	d.do(page, http.StatusSeeOther, "form", form, "do", "resume")
	d.do(page, http.StatusSeeOther, "form", form, "do", "remove")
	d.page(page, []string{"was removed"}, `value="remove"`)
	d.page("keys/people", nil, `<bdi>Bo</bdi>`)
	d.page("keys/people?state=ended", []string{`<bdi>Bo</bdi>`})
	d.page("keys/people.csv?state=all", []string{"id,name,role", in.Key + ",Bo,viewer,revoked,0,"})
	again := d.do("keys/people", http.StatusOK, "form", form, "name", "Cy", "role", "viewer", "good", "30m")
	code = strings.TrimPrefix(d.find(again, `id="secret">([^<]+)<`), "https://desk.example/console/begin#")
	withdraw := d.find(d.send("GET", "keys/people", nil), `action="/console/(keys/people/invitations/[^"]+)"`)
	d.do(withdraw, http.StatusSeeOther, "form", form)
	if _, err := d.ring.Logins.Take(t.Context(), code, "b"); err == nil {
		t.Error("a link that was withdrawn works")
	}
	d.do(withdraw, http.StatusNotFound, "form", form)
	if got := strings.Join(d.noted, "\n"); strings.Contains(got, code) {
		t.Errorf("a code is noted: %s", got)
	}
}

// TestNobodyChangesMoreThanTheirRole posts to every address as every role, and reads what is there
// then.
func TestNobodyChangesMoreThanTheirRole(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	api, admin := d.issue(keyring.Wanted{Kind: keyring.API, Name: "Partner", Doors: []string{"ask"}}),
		d.issue(keyring.Wanted{Kind: keyring.API, Name: "Tools", Doors: []string{"admin"}})
	site, _, _ := d.ring.Own[keyring.Site].Current()
	_, owner, err := d.keys.Create(t.Context(),
		identity.Key{Name: "Olga", Scopes: identity.ConsoleScopes(identity.Owner)})
	if err != nil {
		t.Fatal(err)
	}
	invitation, err := d.ring.Invite(t.Context(), "Bo", identity.Viewer, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	type post struct {
		page  string
		right identity.Right
		form  []string
	}
	posts := []post{
		{"keys/new", identity.Operate, []string{"kind", "gold", "name", "x"}},
		{"keys/new", identity.Own, []string{"kind", "api", "name", "", "door", "admin"}},
		{"keys/new", identity.Own, []string{"kind", "api", "name", "", "door", "ask", "door", "admin"}},
		{"keys/people", identity.Own, []string{"name", "x", "role", "king"}},
		{"keys/people/invitations/none", identity.Own, nil},
		{"keys/people/" + owner.ID, identity.Own, []string{"do", "nothing"}},
	}
	for _, do := range []string{"roll", "suspend", "resume", "revoke", "nothing"} {
		for page, right := range map[string]identity.Right{
			"keys/api/" + api.ID: identity.Operate, "keys/api/" + admin.ID: identity.Own,
			"keys/site/" + site: identity.Own, "keys/console/" + owner.ID: identity.Own,
		} {
			if right == identity.Own || do == "nothing" {
				posts = append(posts, post{page, right, []string{"do", do, "overlap", "wrong"}})
			}
		}
	}
	for _, do := range []string{"role", "suspend", "resume", "sign_out", "remove"} {
		posts = append(posts, post{"keys/people/" + owner.ID, identity.Own, []string{"do", do, "role", "viewer"}})
	}
	posts = append(posts, post{"keys/people/invitations/" + invitation.ID, identity.Own, nil},
		post{"keys/people", identity.Own, []string{"name", "Eve", "role", "owner", "good", "24h"}})
	standing := func() (all string) {
		keys, err := d.ring.List(t.Context(), keyring.Filter{})
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range keys {
			if k.Kind != keyring.Console || k.ID == owner.ID {
				all += k.Kind + " " + k.ID + " " + k.State + " " + strings.Join(k.Doors, ",") + "\n"
			}
		}
		links, err := d.ring.Invitations(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, in := range links {
			all += in.ID + "\n"
		}
		return all
	}
	before := standing()
	for _, role := range []string{identity.Viewer, identity.Editor, identity.Operator} {
		form := d.as(role)
		for _, p := range posts {
			if identity.May(role, p.right) {
				continue
			}
			want := http.StatusForbidden
			if strings.HasPrefix(p.page, "keys/console/") && role == identity.Operator {
				want = http.StatusSeeOther // to the person's page, where nothing was done
			}
			d.do(p.page, want, append(p.form, "form", form)...)
		}
		for _, page := range []string{"keys", "keys/people", "keys/api/" + api.ID, "keys/api/" + admin.ID,
			"keys/people/" + owner.ID, "keys/site/" + site} {
			w := d.send("GET", page, nil)
			posts := strings.Count(w.Body.String(), `method="post"`) - 1 // to log out
			may := role == identity.Operator && page == "keys/api/"+api.ID
			if w.Code != http.StatusOK || (posts > 0) != may {
				t.Errorf("%s sees %d forms on %s: %d", role, posts, page, w.Code)
			}
		}
		want := http.StatusForbidden
		if role == identity.Operator {
			want = http.StatusOK
		}
		if w := d.send("GET", "keys/new", nil); w.Code != want {
			t.Errorf("%s: keys/new: %d", role, w.Code)
		}
	}
	if after := standing(); after != before {
		t.Errorf("before\n%s\nand after\n%s", before, after)
	}
	d.cookies = nil
	for _, p := range posts {
		if w := d.send("POST", p.page, nil); w.Header().Get("Location") != "/console/login" {
			t.Errorf("a stranger at %s: %d", p.page, w.Code)
		}
	}
}

// TestWhereAKeyWasUsedIsForThoseWhoMayChangeIt: a viewer sees the day, and no network.
func TestWhereAKeyWasUsedIsForThoseWhoMayChangeIt(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	made := d.issue(keyring.Wanted{Kind: keyring.API, Name: "Partner"})
	d.ring.Uses.Saw("key:"+made.ID, netip.MustParseAddr("198.51.100.7"))
	for role, sees := range map[string]bool{identity.Viewer: false, identity.Editor: false, identity.Operator: true} {
		d.as(role)
		for _, page := range []string{"keys", "keys/api/" + made.ID, "keys.csv"} {
			body := d.send("GET", page, nil).Body.String()
			if strings.Contains(body, "198.51.100.0/24") != sees || !strings.Contains(body, "2027-05-04") {
				t.Errorf("%s on %s: %s", role, page, body)
			}
		}
	}
}
