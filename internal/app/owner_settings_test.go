package app

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"frontdesk/internal/identity"
	"frontdesk/internal/operator/settings"
)

var versionField = regexp.MustCompile(`name="version" value="(\d+)"`)

// saves posts the form of a part as the last page had it, with fields in pairs.
func (p *person) saves(part string, fields ...string) int {
	p.t.Helper()
	if found := versionField.FindStringSubmatch(p.page); found != nil {
		fields = append(fields, "version", found[1])
	}
	return p.post("/console/settings/"+part, append(fields, "do", "save")...).Code
}

func TestOwnersSetWhatTheFileIsSilentAbout(t *testing.T) {
	t.Parallel()
	s, log := open(t, "site: {name: Lamps}\n")
	token, id := tokenFor(t, s, identity.Owner)
	p := newPerson(t, s).login(token)
	p.sees("/console/settings", 200, "Settings", `value="Lamps"`, " disabled", "Set in frontdesk.yaml, line 1",
		"console.logo", ">url<")
	// A mistake is told at its field, and nothing that was typed is lost or saved.
	if code := p.saves("site", "console.about", "Oil & wicks", "console.contact", "nobody", "console.color",
		"octarine"); code != 400 {
		t.Errorf("%d %s", code, p.page)
	}
	for _, text := range []string{"2 fields have mistakes", `value="Oil &amp; wicks"`, `value="nobody"`, `value="octarine"`, `id="problem-console.contact"`, "mailto:", `aria-invalid="true"`} {
		if !strings.Contains(p.page, text) {
			t.Errorf("the page lacks %q", text)
		}
	}
	if set, _ := s.reloader.ownSettings().Read(t.Context()); len(set.Rows) > 0 {
		t.Errorf("half of it was saved: %+v", set)
	}
	if code := p.saves("site", "console.about", "Oil & wicks", "console.contact", "mailto:a@lamps.example",
		"console.examples", "How?\r\nWhy, when?\r\n"); code != http.StatusSeeOther {
		t.Errorf("%d %s", code, p.page)
	}
	p.sees("/console/settings/site?saved=yes", 200, "Saved.", `value="Oil &amp; wicks"`, "How?\nWhy, when?",
		"take effect when the server starts again", "<code>console.about</code>")
	if body := get(s, "/").Body.String(); !strings.Contains(body, "mailto:a@lamps.example") ||
		!strings.Contains(body, "Why, when?") {
		t.Errorf("the ask page: %s", body)
	}
	old := p.page
	// What is empty has its default again; what stays is not written anew.
	if code := p.saves("site", "console.about", "Oil & wicks", "console.contact", "", "console.examples",
		"How?\nWhy, when?"); code != http.StatusSeeOther {
		t.Errorf("%d %s", code, p.page)
	}
	p.page = old // somebody else had opened the page before that
	if code := p.saves("site", "console.about", "Wicks"); code != 400 ||
		!strings.Contains(p.page, "Somebody changed a setting") || !strings.Contains(p.page, `value="Wicks"`) {
		t.Errorf("%d %s", code, p.page)
	}
	if code := p.saves("site", "console.about", "Wicks"); code != http.StatusSeeOther {
		t.Errorf("after a look at it: %d", code)
	}
	p.sees("/console/settings/answers", 200, `placeholder="10"`, "Default: 10")
	if w := p.post("/console/settings/answers", "ask.limit", "7", "do", "yaml"); w.Code != 200 ||
		!strings.Contains(w.Body.String(), "ask:\n  limit: 7\n") || w.Header().Get("Content-Disposition") == "" {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	p.sees("/console/settings/settings.yaml", 200, "about: Wicks")
	if strings.Contains(p.page, "limit: 7") {
		t.Error("what was only downloaded is kept")
	}
	for _, one := range []struct{ part, key, value string }{
		{"site", "site.name", "Others"}, {"site", "listen", ":80"}, {"site", "made.up", "x"},
		{"answers", "fetch.allow", "10.0.0.0/8"}, {"sources", "sources[local/x]", "url=https://x.example/"},
		{"none", "ask.limit", "3"}, {"forget", "key", "listen"},
	} {
		p.sees("/console/settings/answers", 200)
		if code := p.saves(one.part, one.key, one.value); code < 400 {
			t.Errorf("%s: %d", one.key, code)
		}
	}
	p.sees("/console/settings/backup", 200, "frontdesk backup", "No backup")
	if err := s.beside.Book(s.beside.Command()).Mark(t.Context(), settings.BackedUp, "", true); err != nil {
		t.Fatal(err)
	}
	p.sees("/console/settings/backup", 200, "The last backup was made on", "<time ")
	p.sees("/console/settings/nothing", 404)
	if set, _ := s.reloader.ownSettings().Read(t.Context()); len(set.Rows) != 2 || set.Rows[0].By != "key:"+id {
		t.Errorf("kept are %+v", set.Rows)
	}
	if strings.Contains(log.String(), "Wicks") || !strings.Contains(log.String(), "set console.about") {
		t.Error("the log has the values of settings, or does not say which were set")
	}
}

// TestOnlyOwnersChangeSettings tries every address that changes a setting with each other role.
func TestOnlyOwnersChangeSettings(t *testing.T) {
	t.Parallel()
	s, _ := open(t, "sources: [{url: https://a.example/, name: a}]\n")
	book := s.reloader.ownSettings()
	err := book.Change(t.Context(), "",
		settings.Change{Key: "sources[local/b]", Values: []string{"url=https://b.example/", "name=b", "site=local"}})
	if err != nil {
		t.Fatal(err)
	}
	tokenFor(t, s, identity.Owner) // without one, operators stand in for owners
	before, _ := s.reloader.ownSettings().Read(t.Context())
	for _, role := range []string{identity.Viewer, identity.Editor, identity.Operator} {
		token, _ := tokenFor(t, s, role)
		p := newPerson(t, s).login(token)
		for _, part := range []string{"", "/site", "/sources", "/privacy", "/backup"} {
			p.sees("/console/settings"+part, 200)
			if main := p.page[strings.Index(p.page, "<main"):]; strings.Contains(main, "<button") {
				t.Errorf("%s sees a button at %q", role, part)
			}
		}
		form := p.page
		for address, fields := range map[string][]string{
			"settings/site": {"console.about", "x", "do", "save"}, "settings/answers": {"ask.limit", "3", "do", "yaml"},
			"settings/forget": {"key", "console.about"}, "settings/sources": {"x", "y"},
			"content/sources": {"url", "https://c.example/"}, "content/local/b/remove": {"x", "y"}, "steps": {"x", "y"},
		} {
			p.page = form
			if w := p.post("/console/"+address, fields...); w.Code != http.StatusForbidden {
				t.Errorf("%s at %s: %d", role, address, w.Code)
			}
		}
	}
	if after, _ := s.reloader.ownSettings().Read(t.Context()); after.Version != before.Version {
		t.Error("something was changed")
	}
	if made, _ := s.beside.Book(s.beside.Command()).Marked(t.Context(), settings.StepsHidden); !made.IsZero() {
		t.Error("the first steps are hidden")
	}
	stranger := newPerson(t, s)
	if w := stranger.do("POST", "/console/settings/site",
		url.Values{"console.about": {"x"}}); w.Code != http.StatusSeeOther {
		t.Errorf("a stranger: %d", w.Code)
	}
}

func TestOwnersAddAndRemoveSources(t *testing.T) {
	t.Parallel()
	s, _ := open(t, "sources: [{url: https://a.example/, name: a}]\n")
	token, _ := tokenFor(t, s, identity.Owner)
	p := newPerson(t, s).login(token)
	p.sees("/console/content/add", 200)
	for want, fields := range map[string][]string{
		"no address of the web": {"url", "ftp://x"}, "a source a already": {"url", "https://c.example/", "name", "a"},
		"should be a time span": {"url", "https://c.example/", "every", "often"},
		"no site other":         {"url", "https://c.example/", "site", "other"},
	} {
		if w := p.post("/console/content/sources", fields...); w.Code != 400 || !strings.Contains(p.page, want) ||
			!strings.Contains(p.page, `value="`+fields[1]+`"`) {
			t.Errorf("%q: %d %s", fields, w.Code, p.page)
		}
	}
	w := p.post("/console/content/sources", "url", "b.example/blog", "name", "", "every", "12h")
	if w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/console/content/local/b-example-blog" {
		t.Fatalf("%d %s %s", w.Code, w.Header().Get("Location"), p.page)
	}
	p.sees("/console/settings/sources", 200, "b-example-blog", "https://b.example/blog", "Added here",
		"frontdesk.yaml:1")
	if all := s.allSources(); len(all) != 2 || !all[1].Stored || all[1].Every.Hours() != 12 ||
		!s.ingestSource(all[1]).Web.Public || s.ingestSource(all[0]).Web.Public {
		t.Errorf("%+v", all)
	}
	p.sees("/console/content/local/b-example-blog", 200, "Remove this source")
	form := p.page
	p.sees("/console/content/local/a", 200)
	if strings.Contains(p.page, "Remove this source") {
		t.Error("a source of the file can be removed")
	}
	p.page = form
	if w := p.post("/console/content/local/a/remove"); w.Code != 400 || !strings.Contains(p.page, "remove it there") {
		t.Errorf("%d %s", w.Code, p.page)
	}
	p.page = form
	if w := p.post("/console/content/local/b-example-blog/remove"); w.Code != http.StatusSeeOther {
		t.Errorf("%d %s", w.Code, p.page)
	}
	if all := s.allSources(); len(all) != 1 {
		t.Errorf("%+v", all)
	}
	// What was read of a source that is not configured any more goes, too.
	p.sees("/console/content/local/test", 200, "Remove this source")
	if w := p.post("/console/content/local/test/remove"); w.Code != http.StatusSeeOther {
		t.Errorf("%d %s", w.Code, p.page)
	}
	p.sees("/console/content/local/test", 404)
}

func TestOwnersHideTheFirstSteps(t *testing.T) {
	t.Parallel()
	s, _ := open(t, "")
	token, _ := tokenFor(t, s, identity.Owner)
	p := newPerson(t, s).login(token)
	p.sees("/console/", 200, "Get started", "settings#site.name", "settings/backup", "settings#url")
	book := s.reloader.ownSettings()
	err := book.Change(t.Context(), "", settings.Change{Key: "site.name", Values: []string{"Lamps"}})
	if err != nil {
		t.Fatal(err)
	}
	p.sees("/console/", 200, "settings#console.contact")
	if w := p.post("/console/steps"); w.Code != http.StatusSeeOther {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	if p.sees("/console/", 200); strings.Contains(p.page, "Get started") {
		t.Error("the first steps are shown")
	}
}
