package content

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"frontdesk/internal/content"
	"frontdesk/internal/content/ingest"
	"frontdesk/internal/content/overview"
	"frontdesk/internal/content/released"
	"frontdesk/internal/identity"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/operator"
	"frontdesk/internal/operator/console/frame"
	"frontdesk/internal/policy"
	"frontdesk/internal/testkit/storetest"
)

var now = time.Date(2027, 5, 4, 12, 0, 0, 0, time.UTC)

// desk is a console over a shop that was read.
type desk struct {
	t       *testing.T
	console *frame.Frame
	keys    *identity.Keys
	cookies []*http.Cookie
	read    []string // sources that were asked to be read
	seen    []string // addresses that were looked at
}

func newDesk(t *testing.T, files map[string]string) *desk {
	db := storetest.OpenSQLite(t, identity.Schema, identity.LoginSchema, content.Schema)
	clock := func() time.Time { return now }
	catalog := content.New(db, content.Options{Now: clock})
	terms, err := policy.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	corpus, err := released.New(released.Deps{Catalog: catalog, Sites: released.NewSites(released.Site{ID: "shop"}),
		Terms: func() *policy.Terms { return terms }})
	if err != nil {
		t.Fatal(err)
	}
	var configured []ingest.SourceSettings
	if files != nil {
		configured = append(configured, ingest.SourceSettings{Site: "shop", Name: "my files", Path: "/srv/shop"})
		from := fstest.MapFS{}
		for name, text := range files {
			from[name] = &fstest.MapFile{Data: []byte(text)}
		}
		source := ingest.Source{Site: "shop", Name: "my files", FS: from, Base: "https://shop.example/"}
		report, err := ingest.Run(t.Context(), catalog, source, ingest.Options{Now: clock})
		if err != nil {
			t.Fatal(err)
		}
		if err := overview.Record(t.Context(), catalog, now, time.Time{}, report); err != nil {
			t.Fatal(err)
		}
	}
	if err := corpus.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	d := &desk{t: t, keys: identity.NewKeys(db, nil)}
	d.console = frame.New(frame.Config{
		Now: clock, Session: time.Hour, PublicURL: func(*http.Request) string { return "https://desk.example" },
		Logins: identity.NewLogins(db, d.keys, nil), Note: func(*http.Request, identity.Login, string) {},
		Client: func(*http.Request) netip.Addr { return netip.MustParseAddr("192.0.2.7") },
	}, Pages(Config{Operator: &operator.Operator{Content: operator.Content{
		Overview: &overview.Overview{
			Catalog: catalog, Corpus: corpus, Now: clock, Warn: time.Hour, Critical: time.Hour,
			Configured: func() []ingest.SourceSettings { return configured },
		},
		Read: func(site, source string) bool {
			d.read = append(d.read, site+"/"+source)
			return len(d.read) == 1
		},
		Look: func(_ context.Context, address string) (ingest.Found, error) {
			if d.seen = append(d.seen, address); strings.Contains(address, "nowhere") {
				return ingest.Found{}, fail.New(fail.Invalid, "there is no host of that name")
			}
			return ingest.Found{Kind: "sitemap", Addresses: 412, Items: 2, Names: []string{"A <b>cup"}}, nil
		},
	}}}))
	d.enter(identity.Editor)
	return d
}

// enter logs in with a role.
func (d *desk) enter(role string) {
	d.t.Helper()
	token, _, err := d.keys.Create(d.t.Context(), identity.Key{Name: role, Scopes: identity.ConsoleScopes(role)})
	if err != nil {
		d.t.Fatal(err)
	}
	d.cookies = nil
	form := d.send("GET", "login", nil)
	d.cookies = form.Result().Cookies()
	in := d.send("POST", "login", url.Values{"token": {token}, "form": {d.csrf(form)}})
	if d.cookies = in.Result().Cookies(); in.Code != http.StatusSeeOther {
		d.t.Fatalf("status %d: %s", in.Code, in.Body)
	}
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

func (d *desk) csrf(w *httptest.ResponseRecorder) string {
	d.t.Helper()
	found := regexp.MustCompile(`name="form" value="([^"]+)"`).FindStringSubmatch(w.Body.String())
	if found == nil {
		d.t.Fatalf("no form: %s", w.Body)
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

var files = map[string]string{
	"cup.json":   `{"@type":"Product","name":"=Cup & saucer","url":"https://shop.example/cup","description":"A cup for tea."}`,
	"plate.json": `{"@type":"Product","name":"Plate","url":"https://shop.example/plate"}`,
	"torn.json":  `{"@type":"Product","name":"To<i`,
}

func TestContentIsListedAsFiltered(t *testing.T) {
	t.Parallel()
	d := newDesk(t, files)
	d.page("content", []string{"=Cup &amp; saucer", "Plate", "my files", "Read in part", "1 problem",
		"content/shop/my%20files", "content/item?site=shop&amp;url=https%3A%2F%2Fshop.example%2Fcup"}, "%!")
	d.page("content?q=plate", []string{"https://shop.example/plate"}, "=Cup")
	d.page("content?from=shop/my%20files&type=Product", []string{"=Cup", " selected"})
	d.page("content?from=shop/other", []string{"No item fits"}, "=Cup")
	d.page("content.csv?q=cup", []string{"shop,my files,https://shop.example/cup,'=Cup & saucer,Product,"}, "Plate")
	for _, wrong := range []string{"content?fault=x", "content?after=x"} {
		if w := d.send("GET", wrong, nil); w.Code != http.StatusBadRequest {
			t.Errorf("%s: status %d", wrong, w.Code)
		}
	}
	newDesk(t, nil).page("content", []string{"No content is here yet", "frontdesk serve ./content", "content/add"})
}

func TestProblemsAndItemsHaveTheirPages(t *testing.T) {
	t.Parallel()
	d := newDesk(t, files)
	for _, page := range []string{"content/problems", "content/shop/my%20files"} {
		d.page(page, []string{"torn.json", "line 1", "&#34;To&lt;i", "Mend the JSON"}, "<i\"", "%!")
	}
	d.page("content/problems.csv", []string{"shop,my files,torn.json,1,"})
	d.page("content/item?url=https://shop.example/cup",
		[]string{"A stranger", "A buyer whose signature is verified", "A cup for tea.", "cup.json"})
	for _, gone := range []string{"content/item", "content/item?url=https://shop.example/none", "content/shop/none"} {
		if w := d.send("GET", gone, nil); w.Code != http.StatusNotFound {
			t.Errorf("%s: status %d", gone, w.Code)
		}
	}
}

func TestEditorsReadAnewAndViewersDoNot(t *testing.T) {
	t.Parallel()
	const source = "content/shop/my%20files"
	d := newDesk(t, files)
	form := d.csrf(d.page(source, []string{"Read now"}))
	read := func() string {
		return d.send("POST", source+"/read", url.Values{"form": {form}}).Header().Get("Location")
	}
	got := read()
	if got != frame.Path+source+"?begun=1809432000000" {
		t.Errorf("the first: %s", got)
	}
	d.page(strings.TrimPrefix(got, frame.Path), []string{"The source was read."}, "is being read anew")
	d.page(source+"?begun=1809432000001", []string{"is being read anew", "Look again"}, "Read now")
	if got := read(); got != frame.Path+source+"?refused=1" || len(d.read) != 2 || d.read[0] != "shop/my files" {
		t.Errorf("while it is read: %s, %q", got, d.read)
	}
	if w := d.send("POST", source+"/read", url.Values{"form": {"x"}}); w.Code != http.StatusForbidden {
		t.Errorf("without the form's token: status %d", w.Code)
	}
	d.enter(identity.Viewer)
	form = d.csrf(d.page(source, nil, "Read now"))
	d.page("content/add", nil, `name="url"`)
	for _, page := range []string{source + "/read", "content/add"} {
		sent := url.Values{"form": {form}, "url": {"https://a.example/"}}
		if w := d.send("POST", page, sent); w.Code != http.StatusForbidden {
			t.Errorf("a viewer, %s: status %d", page, w.Code)
		}
	}
	if len(d.read) != 2 || len(d.seen) > 0 {
		t.Errorf("a viewer did something: %q, %q", d.read, d.seen)
	}
}

func TestAnAddressIsLookedAtBeforeItIsASource(t *testing.T) {
	t.Parallel()
	d := newDesk(t, files)
	form := d.csrf(d.page("content/add", []string{"frontdesk ingest"}))
	look := func(address string, status int, text string) {
		t.Helper()
		w := d.send("POST", "content/add", url.Values{"form": {form}, "url": {address}})
		if w.Code != status || !strings.Contains(w.Body.String(), text) {
			t.Errorf("%q: status %d, no %q: %s", address, w.Code, text, w.Body)
		}
	}
	look("shop.example", http.StatusOK, "A sitemap with 412 pages")
	look(`https://shop.example/"x`, http.StatusOK, `- url: &#34;https://shop.example/\&#34;x&#34;`)
	look("https://nowhere.example", http.StatusBadRequest, "no host of that name")
	look("/srv/files", http.StatusBadRequest, "is no address of the web")
	look("file:///etc/passwd", http.StatusBadRequest, "is no address of the web")
	if d.seen[0] != "https://shop.example" {
		t.Errorf("looked at %q", d.seen)
	}
}
