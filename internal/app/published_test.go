package app

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"frontdesk/internal/app/config"
	askquestions "frontdesk/internal/ask/questions"
	"frontdesk/internal/content"
	"frontdesk/internal/identity"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/ledger"
	"frontdesk/internal/operator"
	"frontdesk/internal/policy"
	"frontdesk/internal/policy/overrides"
)

// terms of a document with a rule for everything.
func everything(access string) string { return "terms:\n  - match: {}\n    access: " + access + "\n" }

// publish publishes a document at a server.
func publish(t testing.TB, s *App, document string) (made operator.TermsEdition) {
	t.Helper()
	made, err := operator.PublishTerms{TermsDocument: operator.TermsDocument{YAML: document}}.Do(t.Context(),
		ownerOf(s))
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// putBack puts a version back at a server.
func putBack(t testing.TB, s *App, version any) error {
	_, err := operator.PutBackTerms{EditionName: operator.EditionName{Version: fmt.Sprint(version)}}.Do(t.Context(),
		ownerOf(s))
	return err
}

// ownerOf is what the console of a server does.
func ownerOf(s *App) *operator.Operator {
	return &operator.Operator{Terms: s.reloader.published(), Now: s.now}
}

// someTerms are documents of terms.
func someTerms() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		rules := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) policy.Rule {
			r := policy.Rule{Access: rapid.SampledFrom(
				[]policy.Access{policy.Open, policy.Licensed, policy.Blocked}).Draw(t, "access")}
			r.Match.Path = rapid.SampledFrom([][]string{nil, {"/a/**"}, {"/b/**", "/soup"}, {"/a/b"}}).Draw(t, "path")
			r.Match.Type = rapid.SampledFrom([][]string{nil, nil, {"Recipe"}}).Draw(t, "type")
			if r.Access == policy.Licensed {
				r.Excerpt.Words = rapid.IntRange(0, 90).Draw(t, "words")
				r.Price = rapid.SampledFrom([]policy.Price{{}, {Model: "per_access", Rate: "0.05", Currency: "EUR"},
					{Model: "free"}}).Draw(t, "price")
			}
			if rapid.Bool().Draw(t, "restricted") {
				r.Functions.Prohibit = []string{"ai-train"}
				r.Parties.Prohibit = []string{"training"}
			}
			return r
		}), 1, 5).Draw(t, "rules")
		return config.Text(overrides.Document{Terms: rules})
	})
}

// TestPutBackTermsDecideAsBefore publishes terms one after the other, between documents that are
// refused, and puts back what was in force before: every item is decided on as it was.
func TestPutBackTermsDecideAsBefore(t *testing.T) {
	t.Parallel()
	s, _ := open(t, "terms:\n  - match: {path: /a/**}\n    access: licensed\n    excerpt: {words: 7}\n  - match: {}\n"+
		"    access: open\n")
	if _, _, err := s.Rulebook.Put(t.Context(), overrides.Rule{ID: "r",
		Rule: policy.Rule{Match: policy.Match{Path: []string{"/c"}}, Access: policy.Blocked}}); err != nil {
		t.Fatal(err)
	}
	if err := s.lookAtRules(t.Context()); err != nil {
		t.Fatal(err)
	}
	decisions := func() (all []string) {
		for _, path := range []string{"/a/1", "/a/b", "/b/x/y", "/c", "/soup", "/", "%zz"} {
			for _, kind := range []string{"Recipe", "Article"} {
				for _, party := range []policy.Party{{}, {Said: policy.Traits{Classes: []string{"training"}}}} {
					d := s.Terms().For(party).Decide(
						policy.Facts{Site: DefaultSite, URL: "https://example.com" + path, Types: []string{kind}})
					all = append(all, d.String())
				}
			}
		}
		return all
	}
	rapid.Check(t, func(rt *rapid.T) {
		before, last := decisions(), s.Added().Latest
		back := any(last.Number)
		if last.Source != overrides.Published {
			back = "file"
		}
		for range rapid.IntRange(1, 3).Draw(rt, "publications") {
			made := publish(t, s, someTerms().Draw(rt, "terms"))
			now, number := decisions(), s.Added().Latest.Number
			if number != made.Number {
				rt.Fatalf("version %d is in force, and %d was published", number, made.Number)
			}
			for _, wrong := range []string{
				"", "terms: []\n", "sites: []\n", "- match: {}\n", "terms:\n  - access: open\n", everything("opne"),
				everything("open") + "url: https://x.example\n", everything("open") + "---\nterms: []\n",
				"terms: [{match: {}, access: open}", strings.Repeat("#", overrides.MaxDocument+1),
			} {
				_, err := operator.PublishTerms{TermsDocument: operator.TermsDocument{YAML: wrong}}.Do(t.Context(),
					ownerOf(s))
				if fail.From(err).Code != fail.Invalid {
					rt.Fatalf("%.40q: %v", wrong, err)
				}
			}
			if after := decisions(); fmt.Sprint(after) != fmt.Sprint(now) || s.Added().Latest.Number != number {
				rt.Fatalf("documents that were refused changed something: %q, before %q", after, now)
			}
		}
		if err := putBack(t, s, back); err != nil {
			rt.Fatalf("put back %v: %v", back, err)
		}
		if after := decisions(); fmt.Sprint(after) != fmt.Sprint(before) {
			rt.Fatalf("after %v was put back: %q, before %q", back, after, before)
		}
		if rapid.Bool().Draw(rt, "go on from others") {
			publish(t, s, someTerms().Draw(rt, "others"))
		}
	})
}

// TestPublishedTermsOutliveTheProcess publishes terms, and finds them in force after a restart, at
// another node, and for commands, whatever the file says by then; until the file's are put back.
func TestPublishedTermsOutliveTheProcess(t *testing.T) {
	t.Parallel()
	s, log := open(t, everything("open"))
	other, err := Build(t.Context(), Options{Loaded: s.options.Loaded})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	publish(t, s, everything("blocked"))
	if decided(s, "/") != "blocked" || decided(other, "/") != "open" {
		t.Fatalf("%s and %s", decided(s, "/"), decided(other, "/"))
	}
	if err := other.lookAtRules(t.Context()); err != nil || decided(other, "/") != "blocked" ||
		s.Terms().Version() != other.Terms().Version() {
		t.Errorf("the other node: %s, %v", decided(other, "/"), err)
	}

	file := s.options.Loaded.layers.File
	if err := os.WriteFile(file, []byte(everything("licensed")), 0o600); err != nil {
		t.Fatal(err)
	}
	log.take()
	s.Reload()
	if said := log.take(); decided(s, "/") != "blocked" ||
		!strings.Contains(said, "the published ones stay in force") || !strings.Contains(said, "WARN") {
		t.Errorf("after the file changed: %s, %s", decided(s, "/"), said)
	}
	sheet, err := operator.ListTerms{}.Do(t.Context(), ownerOf(s))
	if err != nil || !sheet.FileDiffers || sheet.Source != "published" || sheet.Rules[0].From != "published" ||
		sheet.Rules[0].Line != 2 {
		t.Errorf("%+v, %v", sheet, err)
	}

	loaded, err := Load(s.options.Loaded.layers)
	if err != nil {
		t.Fatal(err)
	}
	began := &logbook{}
	again, err := Build(t.Context(), Options{Loaded: loaded, Log: NewLog(Log{Level: "info", Format: "json"}, began)})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if said := began.take(); decided(again, "/") != "blocked" || !strings.Contains(said, "terms put-back file") {
		t.Errorf("after a restart: %s, %s", decided(again, "/"), said)
	}
	command, err := Build(t.Context(), Options{Loaded: loaded, Records: true})
	if err != nil {
		t.Fatal(err)
	}
	defer command.Close()
	if note := loaded.Config.TermsNote(t.Context()); decided(command, "/") != "blocked" ||
		!strings.Contains(note, "not in force: version 2") {
		t.Errorf("a command reads %s, and %q", decided(command, "/"), note)
	}
	back := operator.PutBackTerms{EditionName: operator.EditionName{Version: "file"}}
	if _, err := back.Do(t.Context(), command.Operator()); err != nil {
		t.Fatal(err)
	}
	if err := again.lookAtRules(t.Context()); err != nil || decided(again, "/") != "licensed" {
		t.Errorf("with the file's put back: %s, %v", decided(again, "/"), err)
	}
	if _, err := back.Do(t.Context(), command.Operator()); err == nil || loaded.Config.TermsNote(t.Context()) != "" {
		t.Errorf("they are put back twice, or %q", loaded.Config.TermsNote(t.Context()))
	}
}

// TestPutBackOpensNothingByAccident has the file lose its terms while others are published: they
// can be put back by their version, and those of the file, which would open everything, cannot.
func TestPutBackOpensNothingByAccident(t *testing.T) {
	t.Parallel()
	s, _ := open(t, everything("blocked"))
	publish(t, s, everything("licensed"))
	if err := os.WriteFile(s.options.Loaded.layers.File, []byte("url: https://desk.example\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	loaded, err := Load(s.options.Loaded.layers)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Build(t.Context(), Options{Loaded: loaded})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if err := putBack(t, again, "file"); err == nil || !strings.Contains(err.Error(), "no terms any more") ||
		decided(again, "/") != "licensed" {
		t.Errorf("%v, it is %s", err, decided(again, "/"))
	}
	if err := putBack(t, again, 1); err != nil || decided(again, "/") != "blocked" {
		t.Errorf("%v, it is %s", err, decided(again, "/"))
	}

	open, _ := open(t, "")
	publish(t, open, everything("blocked"))
	if err := putBack(t, open, 1); err != nil || decided(open, "/") != "open" {
		t.Errorf("where the file never had any: %v, it is %s", err, decided(open, "/"))
	}
}

// TestUnusableTermsArePutBackByACommand has published terms name an agent that the configuration
// does not know any more: a server does not start, and a command helps.
func TestUnusableTermsArePutBackByACommand(t *testing.T) {
	t.Parallel()
	const known = "agents: {known: [{operator: House, origin: https://house.example, kind: " +
		"data, user_agent: HouseBot}]}\n"
	s, _ := open(t, known+everything("open"))
	publish(t, s, "terms:\n  - match: {}\n    access: open\n    parties: {prohibit: [HouseBot]}\n")
	if err := os.WriteFile(s.options.Loaded.layers.File, []byte(everything("open")), 0o600); err != nil {
		t.Fatal(err)
	}
	loaded, err := Load(s.options.Loaded.layers)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Build(t.Context(), Options{Loaded: loaded}); err == nil ||
		!strings.Contains(err.Error(), "terms put-back file") {
		t.Fatalf("it starts: %v", err)
	}
	command, err := Build(t.Context(), Options{Loaded: loaded, Records: true})
	if err != nil {
		t.Fatal(err)
	}
	defer command.Close()
	if command.Unusable == nil || decided(command, "/") != "blocked" {
		t.Errorf("a command shows what it cannot read: %s", decided(command, "/"))
	}
	back := operator.PutBackTerms{EditionName: operator.EditionName{Version: "file"}}
	if _, err := back.Do(t.Context(), command.Operator()); err != nil {
		t.Fatal(err)
	}
	again, err := Build(t.Context(), Options{Loaded: loaded})
	if err != nil {
		t.Fatal(err)
	}
	again.Close()
}

// TestProgramsPublishTerms holds what programs do at /admin/terms, what comes of it at once, and
// that nobody else does.
func TestProgramsPublishTerms(t *testing.T) {
	t.Parallel()
	m := openMarket(t, ruledConfig)
	fill(t, m.App, content.Item{URL: "https://www.example.com/soup", Types: []string{"Recipe"}, Name: "Soup",
		Object: []byte(`{"@type":"Recipe","name":"Soup"}`)})
	admin, id := makeKey(t, m.App, identity.Key{Name: "ops", Scopes: []string{"admin"}})
	reports, _ := makeKey(t, m.App, identity.Key{Name: "books", Scopes: []string{"reports"}})
	for key, status := range map[string]int{"": http.StatusUnauthorized, reports: http.StatusForbidden} {
		if w := send(m, posted("PUT", "/admin/terms", `{"yaml":"`+strings.ReplaceAll(everything("blocked"), "\n", `\n`)+
			`"}`, identity.KeyHeader, key)); w.Code != status {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	}
	document := func(text, more string) string { return fmt.Sprintf(`{"yaml":%q%s}`, text, more) }
	for _, v := range []struct {
		method, path, body string
		status             int
		words, is          string
	}{
		{"GET", "", "", 200, `"source":"file","file":"frontdesk.yaml"`, "open"},
		{"GET", "/history", "", 200, `{"versions":[]}`, "open"},
		{"POST", "/check", document(everything("blocked"), ""), 200, `"changes":[{"what":"access","from":"open","to":"blocked","items":1,"examples":["https://www.example.com/soup"]}]`, "open"},
		{"POST", "/check", document("terms:\n  - match: {}\n    access: opne\n", ""), 422,
			"line 3: terms[0].access", "open"},
		{"POST", "/check", document("terms:\n  - match: {site: blog}\n    access: open\n", ""), 422,
			"line 2: terms[0].match.site[0]: there is no site blog", "open"},
		{"POST", "/check", document("url: https://x.example\n", ""), 422, "url", "open"},
		{
			"POST", "/check",
			document("terms:\n  - match: {type: Recipe}\n    access: open\n  - match: {}\n    access: open\n", ""), 200,
			`"rule":2,`, "open",
		},
		{"POST", "/check", `{"yaml":"","base":0}`, 400, "base", "open"},
		{"PUT", "", document(everything("blocked"), `,"base":1`), 422, "published meanwhile", "open"},
		{"PUT", "", document(everything("blocked"), `,"base":0`), 200, `"number":2,"source":"published","by":"key:` + id + `"`, "blocked"},
		{"PUT", "", document(everything("licensed"), `,"base":0`), 422,
			"version 2 of the terms was published meanwhile by key:" + id, "blocked"},
		{"GET", "", "", 200, `"source":"published","file":"frontdesk.yaml","number":2`, "blocked"},
		{"GET", "/history", "", 200, `{"versions":[{"number":2,`, "blocked"},
		{"GET", "/history/2", "", 200, `"then":{"items":1,"changed":1`, "blocked"},
		{"GET", "/history/3", "", 404, "no version 3", "blocked"},
		{"GET", "/history/x", "", 404, "as file", "blocked"},
		{"GET", "/explain?url=" + url.QueryEscape("https://www.example.com/soup"), "", 200, `"known":true`, "blocked"},
		{"GET", "/explain", "", 422, "url", "blocked"},
		{"POST", "/history/2/put-back", `{}`, 422, "in force already", "blocked"},
		{"POST", "/history/file/put-back", `{"base":1}`, 422, "meanwhile", "blocked"},
		{"POST", "/history/file/put-back", `{"base":2}`, 200, `"source":"file"`, "open"},
		{"POST", "/history/2/put-back", `{}`, 200, `"number":4,"source":"published","back":2`, "blocked"},
		{"POST", "/history/1/put-back", `{}`, 200, `"source":"file"`, "open"},
		{"DELETE", "", "", 405, "PUT", "open"},
	} {
		w := send(m, posted(v.method, "/admin/terms"+v.path, v.body, identity.KeyHeader, admin))
		if w.Code != v.status || !strings.Contains(w.Body.String(), v.words) {
			t.Errorf("%s %s %s: %d %s", v.method, v.path, v.body, w.Code, w.Body)
		}
		if got := decided(m.App, "/soup"); got != v.is {
			t.Errorf("after %s %s: /soup is %s, not %s", v.method, v.path, got, v.is)
		}
	}
	var did []string
	for r, err := range m.Ledger.Read(t.Context(), ledger.Filter{Kind: "terms"}) {
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(r.Entry.Body), `"of":"terms version"`) && strings.Contains(string(r.Entry.Body), `"by":"key:`+id) {
			did = append(did, r.Entry.Subject)
		}
	}
	if got := strings.Join(did, " "); got != "2 3 4 5" {
		t.Errorf("the ledger tells of %s", got)
	}
}

// TestTermsArePublishedInTheConsole has an operator try and publish terms, another who began before
// be told, and viewers and editors see all of it and change nothing.
func TestTermsArePublishedInTheConsole(t *testing.T) {
	t.Parallel()
	s, _ := open(t, everything("open"))
	tokenFor(t, s, identity.Owner) // without any, an operator counts as one
	token, id := tokenFor(t, s, identity.Operator)
	ana := newPerson(t, s).login(token)
	ana.sees("/console/terms", 200, "1 item:", "everybody sees all of it", "from frontdesk.yaml, line 2")
	ana.sees("/console/terms/edit?preset=no_training", 200, "functions: {prohibit: [ai-train]}")
	ana.sees("/console/terms?url=https://example.com/soup", 200, "A stranger", "sees all of it", "Rule 1 decides.")
	ana.sees("/console/terms/history", 200, "No rules were published here yet.")
	checked := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return hex.EncodeToString(sum[:])
	}
	closed, wrong := everything("blocked"), everything("closed")
	for _, v := range []struct {
		base, text, checked, do string
		status                  int
		sees, is                string
	}{
		{"0", wrong, "", "check", 400, "line 3: terms[0].access: &#34;closed&#34; is none of", "open"},
		{"0", "terms: []\n", "", "check", 400, "These rules cannot be published", "open"},
		{"0", closed, "", "check", 200, "1 of 1 items changes", "open"},
		{"0", closed, "", "publish", 200, "The text changed since it was checked", "open"},
		{"0", closed, checked(wrong), "publish", 200, "The text changed since it was checked", "open"},
		{"", closed, checked(closed), "publish", 400, "does not say", "open"},
		{"0", strings.ReplaceAll(closed, "\n", "\r\n"), checked(closed), "publish", 303, "", "blocked"},
		{"0", everything("licensed"), checked(everything("licensed")), "publish", 400,
			"version 2 of the terms was published meanwhile by key:" + id, "blocked"},
	} {
		ana.sees("/console/terms/edit", 200)
		w := ana.post("/console/terms/edit", "base", v.base, "yaml", v.text, "checked", v.checked, "do", v.do)
		if w.Code != v.status || !strings.Contains(w.Body.String(), v.sees) || decided(s, "/soup") != v.is {
			t.Errorf("%s %q by %s: %d, /soup is %s: %s", v.do, v.text, v.base, w.Code, decided(s, "/soup"), w.Body)
		}
	}
	ana.sees("/console/terms", 200, "Version 2, published here, is in force", "nobody sees anything",
		"published, line 2")
	ana.sees("/console/terms/history/2", 200, "What it changed", "blocked")
	for _, role := range []string{identity.Viewer, identity.Editor} {
		token, _ := tokenFor(t, s, role)
		p := newPerson(t, s).login(token)
		for _, page := range []string{"terms", "terms/edit", "terms/history", "terms/history/1", "terms/history/file"} {
			p.sees("/console/"+page, 200)
			if strings.Contains(p.page, "<button class=\"strong\"") {
				t.Errorf("%s: a %s is offered to act", page, role)
			}
		}
		for page, fields := range map[string][]string{
			"terms/edit": {
				"base", "2", "yaml", everything("open"), "checked", checked(everything("open")), "do", "publish",
			}, "terms/history/1": {"base", "2"}, "terms/history/file": {"base", "2"},
		} {
			if w := p.post("/console/"+page, fields...); w.Code != http.StatusForbidden ||
				decided(s, "/soup") != "blocked" {
				t.Errorf("a %s posts to %s: %d", role, page, w.Code)
			}
		}
	}
	ana.sees("/console/terms/history/file", 200, "The rules of frontdesk.yaml", "What putting it back changes")
	if w := ana.post("/console/terms/history/file", "base", "1"); w.Code != http.StatusBadRequest ||
		decided(s, "/soup") != "blocked" {
		t.Errorf("put back from an old page: %d", w.Code)
	}
	ana.sees("/console/terms/history/file", 200)
	if w := ana.post("/console/terms/history/file", "base", "2"); w.Code != http.StatusSeeOther ||
		decided(s, "/soup") != "open" {
		t.Errorf("put back: %d, /soup is %s", w.Code, decided(s, "/soup"))
	}
}

// TestReadsOfAgentsAreToldOfTerms has agents and a person ask, and other terms be told what they
// would have made of that.
func TestReadsOfAgentsAreToldOfTerms(t *testing.T) {
	t.Parallel()
	s, _ := open(t, "terms:\n  - match: {path: /nothing}\n    access: blocked\n  - match: {}\n    access: open\n")
	askedBy(t, s.front, "lentil soup", "192.0.2.1", browser) // no agent
	for range 3 {
		askedBy(t, s.front, "lentil soup", "192.0.2.2", "Mozilla/5.0 (compatible; ChatGPT-User/1.0)")
	}
	all, err := askquestions.NewStore(s.db, s.now).Given(t.Context(), s.now(), s.now())
	if err != nil || len(all) != 0 {
		t.Fatalf("before it is written: %v, %v", all, err)
	}
	kept(t, s, askquestions.Filter{})
	if all, err = askquestions.NewStore(s.db, s.now).Given(t.Context(), s.now(), s.now()); err != nil {
		t.Fatal(err)
	}
	sum := int64(0)
	for _, n := range all {
		sum += n
	}
	soup := all["https://example.com/soup"]
	listed, err := operator.ListTerms{}.Do(t.Context(), ownerOf(s))
	if err != nil || soup != 3 || *listed.Rules[0].Reads != 0 || *listed.Rules[1].Reads != sum {
		t.Fatalf("%v, rules %+v, %v", all, listed.Rules, err)
	}
	const paid = "terms:\n  - match: {path: /soup}\n    access: %s\n%s  - match: {}\n    access: open\n"
	for name, v := range map[string]struct {
		document, want string
	}{
		"refused": {fmt.Sprintf(paid, "blocked", ""), fmt.Sprint(sum, " ", soup, " ", 0)},
		"paid": {
			fmt.Sprintf(paid, "licensed", "    price: {model: per_access, rate: \"0.05\", currency: EUR}\n"),
			fmt.Sprint(sum, " ", 0, " ", soup),
		},
		"free": {fmt.Sprintf(paid, "licensed", "    price: {model: free}\n"), fmt.Sprint(sum, " ", 0, " ", 0)},
	} {
		checked, err := operator.CheckTerms{TermsDocument: operator.TermsDocument{YAML: v.document}}.Do(t.Context(),
			ownerOf(s))
		if err != nil {
			t.Fatal(err)
		}
		if r := checked.Reads; fmt.Sprint(r.All, " ", r.Denied, " ", r.Paid) != v.want {
			t.Errorf("%s: %+v, want %s", name, r, v.want)
		}
	}
}
