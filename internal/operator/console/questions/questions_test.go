package questions

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

	asked "frontdesk/internal/ask/questions"
	"frontdesk/internal/identity"
	"frontdesk/internal/operator"
	"frontdesk/internal/operator/console/frame"
	"frontdesk/internal/testkit/storetest"
)

// desk is a console with questions, and the cookies of its owner.
type desk struct {
	t       *testing.T
	console *frame.Frame
	store   *asked.Store
	cookies []*http.Cookie

	language string // that the browser prefers
}

func newDesk(t *testing.T) *desk {
	db := storetest.OpenSQLite(t, identity.Schema, identity.LoginSchema, asked.Schema)
	now := func() time.Time { return time.Date(2027, 5, 4, 12, 0, 0, 0, time.UTC) }
	keeper := asked.NewKeeper(asked.Options{DB: db, Secret: []byte("a secret"), Keep: 90 * 24 * time.Hour, Now: now})
	for n, one := range []struct {
		text, address string
		outcome       asked.Outcome
	}{
		{"thermos <b>flask", "a", asked.Nothing}, {"thermos <b>flask", "b", asked.Nothing}, {"=opening hours", "a",
			asked.Answered},
		{"=opening hours", "b", asked.Answered}, {"secret of one", "a", asked.Nothing},
	} {
		keeper.Keep(asked.Asked{
			Source: asked.Source{Protocol: "ask", Kind: asked.Person, Address: one.address}, Text: one.text,
			Outcome: one.outcome,
			Results: n, Score: 80,
		})
	}
	if err := keeper.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	keys := identity.NewKeys(db, nil)
	logins := identity.NewLogins(db, keys, nil)
	d := &desk{t: t, store: asked.NewStore(db, now)}
	d.console = frame.New(frame.Config{
		Now: now, Session: time.Hour, PublicURL: func(*http.Request) string { return "https://desk.example" },
		Logins: logins, Note: func(*http.Request, identity.Login, string) {},
		Client: func(*http.Request) netip.Addr { return netip.MustParseAddr("192.0.2.7") },
	}, Pages(Config{
		Operator: &operator.Operator{Questions: d.store},
		Try: func(_ context.Context, text, reader string) ([]Trial, error) {
			return []Trial{{As: "stranger", Understood: text, Chips: []string{"told in " + reader}, Items: []Item{{
				Name: "Cup", URL: "https://example.com/cup", Score: 71}}}}, nil
		},
	}))
	token, _, err := keys.Create(t.Context(),
		identity.Key{Name: "Ana", Scopes: identity.ConsoleScopes(identity.Editor)})
	if err != nil {
		t.Fatal(err)
	}
	form := d.send("GET", "login", nil)
	d.cookies = form.Result().Cookies()
	in := d.send("POST", "login", url.Values{"token": {token}, "form": {csrf(t, form)}})
	if d.cookies = in.Result().Cookies(); in.Code != http.StatusSeeOther {
		t.Fatalf("status %d: %s", in.Code, in.Body)
	}
	return d
}

func (d *desk) send(method, page string, form url.Values) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "https://desk.example"+frame.Path+page, strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	r.Header.Set("Accept-Language", d.language)
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
func (d *desk) page(page string, has []string, lacks ...string) *httptest.ResponseRecorder {
	d.t.Helper()
	w := d.send("GET", page, nil)
	if w.Code != http.StatusOK {
		d.t.Fatalf("%s: status %d: %s", page, w.Code, w.Body)
	}
	for _, text := range has {
		if !strings.Contains(w.Body.String(), text) {
			d.t.Errorf("%s lacks %q", page, text)
		}
	}
	for _, text := range lacks {
		if strings.Contains(w.Body.String(), text) {
			d.t.Errorf("%s has %q", page, text)
		}
	}
	return w
}

func TestQuestionsAreListedAsFiltered(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.page("questions", []string{"thermos &lt;b&gt;flask", "=opening hours", "Hidden question", "All <b>5</b>",
		"Found nothing <b>3</b>"},
		"secret of one", "<b>flask")
	d.page("questions?view=found_nothing", []string{"thermos"}, "opening hours")
	d.page("questions?q=hours&days=7", []string{"opening hours", `name="days" value="7"`}, "thermos")
	d.page("questions?who=agents", []string{"No question fits"})
	d.page("questions.csv?view=no_click", []string{",'=opening hours,2,0,2,0,answered,"}, "thermos")
	d.page("questions.csv", []string{"thermos <b>flask,2"}, "secret of one")
	d.page("questions?compare=1", []string{"5, and 0 in the 30 days before", ">Do not compare<"})
	d.page("questions?days=7&who=people&compare=1", []string{"5, and 0 in the 7 days before"})
	d.page("questions?view=found_nothing&compare=1", []string{"3, and 0 in the 30 days before"})
	d.page("questions?q=hours&compare=1", []string{"opening hours", "2, and 0 in the 30 days before"})
	d.page("questions?view=no_click&who=agents&compare=1", []string{"0, and 0 in the 30 days before"})
	if w := d.send("GET", "questions?view=x", nil); w.Code != http.StatusBadRequest {
		t.Errorf("an unknown view: status %d", w.Code)
	}
}

func TestAQuestionHasItsOwnPage(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	all, _, err := d.store.List(t.Context(), asked.Filter{View: asked.ViewNothing})
	if err != nil {
		t.Fatal(err)
	}
	shown, hidden := "questions/"+all[0].ID.String(), "questions/"+all[1].ID.String()
	form := csrf(t, d.page(shown, []string{"thermos &lt;b&gt;flask", "Cup", "score 71", "Asked 2 times"}))
	d.language = "fr, en"
	d.page(shown, []string{"told in fr"})
	d.language = ""
	d.page(hidden, []string{"Only one visitor"}, "secret of one", "Cup")
	do := func(page string, form url.Values, want int) {
		t.Helper()
		if w := d.send("POST", page, form); w.Code != want {
			t.Errorf("%s: status %d, want %d: %s", page, w.Code, want, w.Body)
		}
	}
	do(shown+"/ignore", url.Values{"form": {"x"}}, http.StatusForbidden)
	do(shown+"/ignore", url.Values{"form": {form}}, http.StatusSeeOther)
	d.page("questions?view=ignored", []string{"thermos"})
	do(shown+"/heed", url.Values{"form": {form}}, http.StatusSeeOther)
	do(shown+"/forget", url.Values{"form": {form}}, http.StatusBadRequest)
	do(shown+"/forget", url.Values{"form": {form}, "sure": {"1"}}, http.StatusSeeOther)
	if w := d.send("GET", shown, nil); w.Code != http.StatusNotFound {
		t.Errorf("what was removed: status %d", w.Code)
	}
}
