package app

import (
	"encoding/json"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/app/config"
	"frontdesk/internal/identity"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/ledger"
	"frontdesk/internal/operator/settings"
)

// TestNoOtherKeysAreEverSettable holds the list of what may be set beside the file against every
// key of the configuration: what says who reaches the program, what it reaches and whom it believes
// is not among them.
func TestNoOtherKeysAreEverSettable(t *testing.T) {
	t.Parallel()
	never := []string{
		"listen", "url", "proxies", "proxy_headers", "data", "keys", "store", "fetch", "tls", "terms", "rsl",
		"actions", "model", "intakes", "licences", "ramp", "agents", "roles", "broker", "edge", "auth", "ledger",
		"limits", "cors", "metrics", "log.level", "log.format", "site.id", "site.url", "site.hosts",
		"site.publisher", "sites", "console.enabled", "console.owner.enabled", "console.owner.session", "mcp.hosts",
		"mcp.instructions", "discovery.robots", "discovery.llms", "ask.widget", "ask.cache", "ask.timeout",
		"intent.publisher", "intent.hosts", "intent.sinks", "intent.rate", "intent.enabled",
	}
	under := func(key, part string) bool {
		return key == part || strings.HasPrefix(key, part+".") || strings.HasPrefix(key, part+"[")
	}
	s, _ := open(t, "")
	book := s.reloader.ownSettings()
	every := config.Settable(Default())
	for _, key := range every {
		forbidden := slices.ContainsFunc(never, func(part string) bool { return under(key, part) })
		if allowed := settings.Allowed(key); allowed && forbidden {
			t.Errorf("%s may be set", key)
		} else if allowed {
			continue
		}
		err := book.Change(t.Context(), "", settings.Change{Key: key, Values: []string{"true"}})
		if err == nil || !strings.Contains(err.Error(), key+": it cannot be set here") {
			t.Errorf("%s: %v", key, err)
		}
	}
	for _, key := range []string{
		"", "sources", "sources[]", "sources[a].path", "sources[a", "sites[local].url", "sites[local].hosts",
		"sites[local]", "terms[x]", "auth.keys[x]", "intakes.list[x]", "console", "console.", ".console.color",
		"console.color ", "CONSOLE.COLOR", "listen\n", "tls.cert[x].name", "made.up",
	} {
		if err := book.Change(t.Context(), "",
			settings.Change{Key: key, Values: []string{"url=https://x.example/"}}); err == nil {
			t.Errorf("%q may be set", key)
		}
	}
	for _, field := range []string{"path=/etc", "base=https://x.example", "publisher=x", "allow_shrink=true",
		"crawl.hosts=x", "schemes=x", "stored=false", "x"} {
		change := settings.Change{Key: "sources[local/a]",
			Values: []string{"url=https://a.example/", "name=a", "site=local", field}}
		if err := book.Change(t.Context(), "", change); err == nil {
			t.Errorf("a source may be added with %s", field)
		}
	}
	for _, k := range settings.Keys { // each is a key of the configuration
		name := strings.Replace(strings.TrimSuffix(k.Name, "[]"), "sites[].", "site.", 1)
		if !slices.Contains(every, name) && name != "sources" {
			t.Errorf("there is no key %s", k.Name)
		}
	}
	if set, err := book.Read(t.Context()); err != nil || len(set.Rows) > 0 {
		t.Errorf("%v %v", set, err)
	}
}

// TestProgramsSetWhatTheFileIsSilentAbout holds what programs may do at /admin/settings, and what
// comes of it at once.
func TestProgramsSetWhatTheFileIsSilentAbout(t *testing.T) {
	t.Parallel()
	m, _ := open(t, "site: {name: Lamps}\n")
	admin, id := makeKey(t, m, identity.Key{Name: "ops", Scopes: []string{"admin"}})
	reports, _ := makeKey(t, m, identity.Key{Name: "books", Scopes: []string{"reports"}})
	viewer, _ := tokenFor(t, m, identity.Viewer)
	for _, path := range []string{
		"/admin/settings", "/admin/settings/export", "/admin/settings/first-steps", "/admin/sources",
	} {
		for key, status := range map[string]int{
			"": http.StatusUnauthorized, reports: http.StatusForbidden, viewer: http.StatusForbidden,
		} {
			for _, method := range []string{"GET", "PUT", "POST", "DELETE"} {
				if w := send(m, posted(method, path, `{}`, identity.KeyHeader, key)); w.Code != status {
					t.Errorf("%s %s: %d %s", method, path, w.Code, w.Body)
				}
			}
		}
	}
	set := func(key, values string) string { return `{"set":[{"key":"` + key + `","values":` + values + `}]}` }
	for _, s := range []struct {
		method, path, body string
		status             int
		words              string
		shown              string // on the page on which people ask, afterwards
	}{
		{"GET", "", "", 200, `{"key":"site.name","section":"site","kind":"text","values":["Lamps"],"layer":"file","place":"`, "Lamps"},
		{"PUT", "", set("console.contact", `["nobody"]`), 422, "mailto", "Lamps"},
		{"PUT", "", set("console.contact", `["mailto:a@lamps.example"]`), 200, `"layer":"store","kept":["mailto:a@lamps.example"],"changed":"`, "mailto:a@lamps.example"},
		{"PUT", "", set("site.name", `["Others"]`), 422, "frontdesk.yaml:1 sets it", "Lamps"},
		{"PUT", "", set("listen", `[":80"]`), 422, "listen: it cannot be set here", "Lamps"},
		{"PUT", "", set("console.logo", `[]`), 422, "reset", "Lamps"},
		{"PUT", "", set("console.about", `["two\nlines"]`), 422, "line break", "Lamps"},
		{"PUT", "", set("console.about", `["`+strings.Repeat("x", 2001)+`"]`), 422, "2000 bytes", "Lamps"},
		{"PUT", "", `{"reset":["console.title"],"set":[{"key":"console.title","value":"x"}]}`, 400, "value", "Lamps"},
		// All or none, and each mistake by its key.
		{"PUT", "", `{"set":[{"key":"console.about","values":["Oil and wicks"]},{"key":"ask.limit","values":["0"]}]}`, 422, "ask.limit", "mailto:a@lamps.example"},
		{"PUT", "", `{"set":[{"key":"console.about","values":["Oil and wicks"]}],"reset":["console.contact"]}`, 200, "", "Oil and wicks"},
		{"PUT", "", set("ask.limit", `["7"]`), 200, `"kept":["7"]`, "Lamps"},
		{"GET", "/export", "", 200, `{"yaml":"ask:\n  limit: 7\nconsole:\n  about: \"Oil and wicks\"\n"}`, "Lamps"},
		{"PUT", "", `{"reset":["made.up"]}`, 422, "made.up", "Lamps"},
	} {
		w := send(m, posted(s.method, "/admin/settings"+s.path, s.body, identity.KeyHeader, admin))
		if w.Code != s.status || !strings.Contains(w.Body.String(), s.words) {
			t.Errorf("%s %s %s: %d %s", s.method, s.path, s.body, w.Code, w.Body)
		}
		if got := get(m, "/").Body.String(); !strings.Contains(got, s.shown) {
			t.Errorf("after %s %s the page lacks %q", s.method, s.body, s.shown)
		}
	}
	if body := get(m, "/").Body.String(); strings.Contains(body, "mailto:") ||
		!strings.Contains(body, "Oil and wicks") {
		t.Error("half of a change was made, or a value that was reset holds")
	}
	restart := map[string]bool{}
	for _, one := range m.reloader.ownSettings().List() {
		restart[one.Key] = one.Restart
	}
	if !restart["ask.limit"] || restart["console.contact"] || restart["questions.keep"] {
		t.Errorf("after a restart: %v", restart)
	}
	var told []string
	for e, err := range m.Ledger.Read(t.Context(), ledger.Filter{Kind: "setting"}) {
		if err != nil {
			t.Fatal(err)
		}
		told = append(told, e.Entry.Subject+" "+string(e.Entry.Body))
	}
	want := []string{
		`console.contact {"by":"key:` + id + `","did":"set","of":"setting"}`, `console.about {"by":"key:` + id + `","did":"set","of":"setting"}`,
		`console.contact {"by":"key:` + id + `","did":"reset","of":"setting"}`, `ask.limit {"by":"key:` + id + `","did":"set","of":"setting"}`,
	}
	slices.Sort(told)
	slices.Sort(want)
	if !slices.Equal(told, want) {
		t.Errorf("the ledger tells %q", told)
	}
}

// again builds the program anew, or for another node, on the database of one.
func again(t *testing.T, s *App) *App {
	t.Helper()
	loaded, err := s.reloader.loaded.Again(nil)
	if err != nil {
		t.Fatal(err)
	}
	other, err := Build(t.Context(), Options{Loaded: loaded, Log: NewLog(Log{Level: "error"}, &logbook{})})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { other.Close() })
	return other
}

func TestSettingsHoldAfterARestartAndOnEveryNode(t *testing.T) {
	t.Parallel()
	one, _ := open(t, "")
	two := again(t, one)
	book := one.reloader.ownSettings()
	change := func(key string, values ...string) {
		t.Helper()
		if err := book.Change(t.Context(), "key:k", settings.Change{Key: key, Values: values}); err != nil {
			t.Fatal(err)
		}
	}
	change("site.name", "Lamps & wicks")
	change("ask.limit", "3")
	change("sources[local/blog]", "url=https://blog.example/", "site=local", "name=blog")
	if names := sourceNames(one); !slices.Equal(names, []string{"blog"}) {
		t.Errorf("where it was added, %q is read", names)
	}
	if names := sourceNames(two); len(names) > 0 {
		t.Errorf("the other node knows of %q", names)
	}
	if err := two.reloader.lookAtSettings(t.Context()); err != nil {
		t.Fatal(err)
	}
	three := again(t, one)
	for i, s := range []*App{two, three} {
		if body := get(s, "/").Body.String(); !strings.Contains(body, "Lamps &amp; wicks") {
			t.Errorf("node %d has another name: %s", i+2, body)
		}
		if names := sourceNames(s); !slices.Equal(names, []string{"blog"}) || !s.allSources()[0].Stored {
			t.Errorf("node %d reads %q", i+2, names)
		}
	}
	if one.config.Ask.Limit != 10 || three.config.Ask.Limit != 3 {
		t.Errorf("ask.limit is %d before and %d after a restart", one.config.Ask.Limit, three.config.Ask.Limit)
	}
	// The file goes before, once it says something.
	one.reloader.mu.Lock()
	file := one.reloader.loaded.layers.File
	one.reloader.mu.Unlock()
	write(t, strings.TrimSuffix(file, "/frontdesk.yaml"), "frontdesk.yaml", "site: {name: Of the file}\n")
	one.Reload()
	if body := get(one, "/").Body.String(); !strings.Contains(body, "Of the file") {
		t.Errorf("what was set goes before the file: %s", body)
	}
	change("sources[local/blog]")
	if names := sourceNames(one); len(names) > 0 {
		t.Errorf("a source that was removed is read: %q", names)
	}
}

func sourceNames(s *App) (names []string) {
	for _, source := range s.allSources() {
		names = append(names, source.Name)
	}
	return names
}

// TestWhatCannotBeUsedStopsNoStart has the database keep what no version of the program takes, or
// not any more.
func TestWhatCannotBeUsedStopsNoStart(t *testing.T) {
	t.Parallel()
	one, _ := open(t, "sources: [{url: https://a.example/, name: a}]\n")
	rows := map[string][]string{
		"listen": {"0.0.0.0:1"}, "fetch.allow": {"10.0.0.0/8"}, "console.color": {"octarine"}, "ask.limit": {"5000"},
		"console.about": {"Good"}, "sources[local/a]": {"url=https://b.example/", "name=a", "site=local"},
		"sources[local/c]": {"path=/etc", "name=c"}, "sites[other].name": {"x"}, "questions.keep": {"1", "2"},
		"made.up": {"x"}, "ask.spelling": {},
	}
	err := one.db.Update(t.Context(), func(tx *store.Tx) error {
		for key, values := range rows {
			texts, _ := json.Marshal(values)
			_, err := tx.Exec(t.Context(), `INSERT INTO settings_value (name, texts, changed, actor) VALUES ($1, $2, 0, '')`, key, string(texts))
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	two := again(t, one)
	if c := two.config; c.Console.About != "Good" || c.Listen != one.config.Listen || len(c.Fetch.Allow) > 0 ||
		c.Ask.Limit != 10 || len(c.Sources) != 1 {
		t.Errorf("%+v", c)
	}
	problems := map[string]string{}
	book := two.reloader.ownSettings()
	for _, one := range book.List() {
		if one.Problem != "" {
			problems[one.Key] = one.Problem
		}
	}
	delete(rows, "console.about")
	if got, want := slices.Sorted(maps.Keys(problems)), slices.Sorted(maps.Keys(rows)); !reflect.DeepEqual(got, want) {
		t.Errorf("problems of %q, want %q", got, want)
	}
	for key := range rows { // each can be taken away
		if err := book.Change(t.Context(), "", settings.Change{Key: key}); err != nil {
			t.Errorf("%s: %v", key, err)
		}
	}
	if left := two.beside.Unused(); len(left) > 0 {
		t.Errorf("left over: %v", left)
	}
}
