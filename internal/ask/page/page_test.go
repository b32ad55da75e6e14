package page

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"frontdesk/internal/ask/i18n"
	"frontdesk/internal/infra/yamlconf"
)

var sample = Config{
	Title: "Lamps & more", About: "Ask about <lamps>.",
	Sites:    []Site{{"lamps", "The Lamp House"}, {"oil", `Oil "and" wicks`}},
	Types:    []string{"Product", "NewsArticle", "Series"},
	Examples: []string{"which lamp is bright?", "a wick & oil"},
}

func get(h http.Handler, address string, headers ...string) *http.Response {
	r := httptest.NewRequest("GET", address, nil)
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

// fetch gets and parses the page.
func fetch(t *testing.T, config Config, address string) *html.Node {
	t.Helper()
	answer := get(Handler(config), address)
	if answer.StatusCode != http.StatusOK {
		t.Fatalf("GET %s: %s", address, answer.Status)
	}
	root, err := html.Parse(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// find returns the elements of a name, with the value of an attribute of each.
func find(root *html.Node, name, key string) (elements []*html.Node, values []string) {
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && n.Data == name {
			elements = append(elements, n)
			for _, a := range n.Attr {
				if a.Key == key {
					values = append(values, a.Val)
				}
			}
		}
	}
	return elements, values
}

func text(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}

func TestPageOffersWhatIsConfigured(t *testing.T) {
	t.Parallel()
	root := fetch(t, sample, "/")
	_, options := find(root, "option", "value")
	if want := []string{"", "lamps", "oil", "", "Product", "NewsArticle", "Series"}; !slices.Equal(options, want) {
		t.Errorf("options %q, want %q", options, want)
	}
	_, links := find(root, "a", "href")
	if !slices.Contains(links, "/?q=which%20lamp%20is%20bright%3f") ||
		!slices.Contains(links, "/?q=a%20wick%20%26%20oil") {
		t.Errorf("the examples are not among the links: %q", links)
	}
	if titles, _ := find(root, "title", ""); text(titles[0]) != sample.Title {
		t.Errorf("title %q", text(titles[0]))
	}
}

func TestPickersAppearOnlyWhenThereIsAChoice(t *testing.T) {
	t.Parallel()
	config := Config{Sites: sample.Sites[:1], Types: sample.Types[:1]}
	root := fetch(t, config, "/")
	if selects, _ := find(root, "select", ""); len(selects) != 0 {
		t.Errorf("%d pickers for one site and one type", len(selects))
	}
	if titles, _ := find(root, "title", ""); text(titles[0]) != "Frontdesk" {
		t.Errorf("title %q without a configured one", text(titles[0]))
	}
}

func TestAddressFillsTheForm(t *testing.T) {
	t.Parallel()
	root := fetch(t, sample, "/?q=it%27s+%22dark%22&site=oil&type=NewsArticle&summary=1")
	_, values := find(root, "input", "value")
	if want := []string{`it's "dark"`, "1"}; !slices.Equal(values, want) {
		t.Errorf("inputs %q, want %q", values, want)
	}
	var selected []string
	options, _ := find(root, "option", "")
	for _, o := range options {
		if slices.ContainsFunc(o.Attr, func(a html.Attribute) bool { return a.Key == "selected" }) {
			selected = append(selected, text(o))
		}
	}
	if want := []string{`Oil "and" wicks`, "news articles"}; !slices.Equal(selected, want) {
		t.Errorf("selected %q, want %q", selected, want)
	}
	codes, _ := find(root, "noscript", "")
	want := `curl 'http://example.com/ask' -H 'Content-Type: application/json' -d '{"query": {"text": "it'\''s \"dark\"", "site": "oil", "itemType": "NewsArticle"}}'`
	if !strings.Contains(html.UnescapeString(text(codes[0])), want) {
		t.Errorf("without JavaScript the page says %q, want %q in it", text(codes[0]), want)
	}
}

func TestMarkupInTheAddressIsText(t *testing.T) {
	t.Parallel()
	const attack = `"><script>alert(1)</script></title><img src=x onerror=alert(1)>`
	config := sample
	config.Title = attack
	config.Sites = append([]Site{{"x", "</script><script>alert(2)</script>"}}, config.Sites...)
	answer := get(Handler(config),
		"/?q="+strings.NewReplacer(" ", "+", `"`, "%22", "<", "%3C", ">", "%3E").Replace(attack)+"&site=%3Cb%3E")
	body, _ := io.ReadAll(answer.Body)
	root, err := html.Parse(strings.NewReader(string(body)))
	if err != nil {
		t.Fatal(err)
	}
	scripts, sources := find(root, "script", "src")
	if len(scripts) != 2 || len(sources) != 1 {
		t.Fatalf("%d scripts on the page, want the module and the data", len(scripts))
	}
	if images, _ := find(root, "img", ""); len(images) != 0 {
		t.Error("an image came out of the address")
	}
	var data data
	if err := json.Unmarshal([]byte(scripts[1].FirstChild.Data), &data); err != nil || data.Title != attack ||
		data.Sites[0].Name != config.Sites[0].Name {
		t.Errorf("the script's data is %+v (%v)", data, err)
	}
}

func TestNothingIsInlineAndThePolicyIsStrict(t *testing.T) {
	t.Parallel()
	answer := get(Handler(sample), "/")
	if csp := answer.Header.Get("Content-Security-Policy"); csp != contentPolicy || strings.Contains(csp, "unsafe") {
		t.Errorf("policy %q", csp)
	}
	for header, want := range map[string]string{
		"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "no-cache",
	} {
		if got := answer.Header.Get(header); got != want {
			t.Errorf("%s: %q, want %q", header, got, want)
		}
	}
	root, err := html.Parse(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	for n := range root.Descendants() {
		for _, a := range n.Attr {
			if a.Key == "style" || strings.HasPrefix(a.Key, "on") {
				t.Errorf("<%s> has an inline %s", n.Data, a.Key)
			}
		}
		if n.Type == html.ElementNode && n.Data == "style" {
			t.Error("the page has an inline style sheet")
		}
	}
}

func TestEveryInputHasALabel(t *testing.T) {
	t.Parallel()
	root := fetch(t, sample, "/")
	_, labels := find(root, "label", "for")
	for _, name := range []string{"input", "select"} {
		elements, _ := find(root, name, "")
		for _, e := range elements {
			named := e.Parent.Data == "label"
			for _, a := range e.Attr {
				named = named || a.Key == "aria-label" || a.Key == "id" && slices.Contains(labels, a.Val)
			}
			if !named {
				t.Errorf("a %s has no label: %v", name, e.Attr)
			}
		}
	}
}

func TestFilesAreKeptForGoodUnderTheirHash(t *testing.T) {
	t.Parallel()
	h := Handler(sample)
	root := fetch(t, sample, "/")
	_, links := find(root, "link", "href")
	_, scripts := find(root, "script", "src")
	for _, address := range append(links, scripts...) {
		answer := get(h, address)
		if answer.StatusCode != http.StatusOK || !strings.Contains(answer.Header.Get("Cache-Control"), "immutable") {
			t.Errorf("GET %s: %s, %s", address, answer.Status, answer.Header.Get("Cache-Control"))
		}
		if again := get(h, address, "If-None-Match",
			`"x", W/`+answer.Header.Get("ETag")); again.StatusCode != http.StatusNotModified {
			t.Errorf("GET %s again: %s, want 304", address, again.Status)
		}
		old := "/assets/000000000000/" + path.Base(address)
		if answer := get(h, old); answer.StatusCode != http.StatusOK ||
			answer.Header.Get("Cache-Control") != "no-cache" {
			t.Errorf("GET %s: %s, %s; a page from before an upgrade must get its file, and not keep it", old,
				answer.Status, answer.Header.Get("Cache-Control"))
		}
	}
	for _, address := range []string{"/assets/", "/assets/ask.js", "/assets/0/page.html", "/assets/0/../page.go",
		"/assets/0/1/ask.js", "/other", "/index.html"} {
		if answer := get(h, address); answer.StatusCode == http.StatusOK {
			t.Errorf("GET %s: 200", address)
		}
	}
	if answer := get(h, scripts[0]); answer.Header.Get("Content-Type") != "text/javascript; charset=utf-8" {
		t.Errorf("a script is served as %q", answer.Header.Get("Content-Type"))
	}
}

// The scripts may put text into the page, and never markup.
var markupSinks = regexp.MustCompile(`innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|DOMParser|createContextualFragment|srcdoc|https?://`)

func TestScriptsNeverWriteMarkupAndNameNoOtherHost(t *testing.T) {
	t.Parallel()
	for name, source := range LoadFiles(embedded, "assets").byName {
		if path.Ext(name) == ".js" || path.Ext(name) == ".css" {
			if found := markupSinks.Find(source); found != nil {
				t.Errorf("%s has %q", name, found)
			}
		}
	}
}

func TestQuestionSurvivesTheShell(t *testing.T) {
	t.Parallel()
	got := curl("https://desk.example/ask", asked{Text: "a\n'b' \\ \"c\" é", Site: "s"}, "Your question")
	want := `curl 'https://desk.example/ask' -H 'Content-Type: application/json' -d '{"query": {"text": "a\u000a'\''b'\'' \\ \"c\" é", "site": "s"}}'`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestLinksBeginWithThePathOfThePublicAddress(t *testing.T) {
	t.Parallel()
	config := sample
	config.PublicURL = func(*http.Request) string { return "https://www.example.com/desk" }
	root := fetch(t, config, "/?q=lamp")
	var all []string
	for _, at := range [][2]string{{"a", "href"}, {"link", "href"}, {"script", "src"}, {"form", "action"}} {
		_, values := find(root, at[0], at[1])
		all = append(all, values...)
	}
	for _, address := range all {
		if !strings.HasPrefix(address, "/desk/") && !strings.HasPrefix(address, "#") {
			t.Errorf("%s leads out of the front desk", address)
		}
	}
	if len(all) < 8 {
		t.Errorf("only %d links were found", len(all))
	}
}

// The texts that scripts and the page name, and those that are put together of a word and a number.
var (
	saidInScript = regexp.MustCompile(`\bsay\((?:none \? )?"([a-z_]+)"(?: : "([a-z_]+)")?|\b[A-Z]\w+: "([a-z_]+)"|\["(sort_[a-z]+)", \{`)
	countedThere = regexp.MustCompile(`\bcount\([^()]+, "([a-z_]+)"\)`)
	saidInPage   = regexp.MustCompile(`\$?\.Say\.([a-z_]+)`)
)

func TestEveryTextOfThePageIsThereAndIsUsed(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	for name, source := range LoadFiles(embedded, "assets").byName {
		if path.Ext(name) != ".js" {
			continue
		}
		for _, found := range saidInScript.FindAllStringSubmatch(string(source), -1) {
			for _, key := range found[1:] {
				used[key] = key != ""
			}
		}
		for _, found := range countedThere.FindAllStringSubmatch(string(source), -1) {
			used[found[1]+"_one"], used[found[1]+"_other"] = true, true
		}
	}
	source, err := embedded.ReadFile("page.html")
	if err != nil {
		t.Fatal(err)
	}
	for _, found := range saidInPage.FindAllStringSubmatch(string(source), -1) {
		used[found[1]] = true
	}
	delete(used, "")
	there := i18n.For("en").Page()
	for key := range used {
		if there[key] == "" {
			t.Errorf("the page says %q, which is no text", key)
		}
	}
	for key := range there {
		if !used[key] {
			t.Errorf("the text %q is said nowhere", key)
		}
	}
}

func TestThePageSpeaksTheLanguageOfWhoLooksAtIt(t *testing.T) {
	t.Parallel()
	for accept, want := range map[string][2]string{
		"": {"en", "Ask"}, "de-AT, en;q=0.5": {"de", "Fragen"}, "ja": {"ja", "質問する"}, "tlh": {"en", "Ask"},
	} {
		answer := get(Handler(sample), "/", "Accept-Language", accept)
		root, err := html.Parse(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		_, languages := find(root, "html", "lang")
		buttons, _ := find(root, "button", "")
		if languages[0] != want[0] || strings.TrimSpace(text(buttons[0])) != want[1] ||
			answer.Header.Get("Vary") != "Accept-Language" {
			t.Errorf("for %q the page is in %s, with the button %q, Vary %q", accept, languages[0], text(buttons[0]),
				answer.Header.Get("Vary"))
		}
	}
}

// TestThePageIsTheSitesOwn holds that the page carries the site's name, logo, colour and contact,
// and leads back.
func TestThePageIsTheSitesOwn(t *testing.T) {
	t.Parallel()
	own := sample
	own.Logo, own.Color, own.Contact, own.Home = "https://lamps.example/logo.svg", "#f6d24a", "mailto:us@lamps.example",
		"https://lamps.example/"
	h := Handler(own)
	body, _ := io.ReadAll(get(h, "/").Body)
	for _, part := range []string{`src="https://lamps.example/logo.svg"`, `href="mailto:us@lamps.example"`, `href="https://lamps.example/"`} {
		if !strings.Contains(string(body), part) {
			t.Errorf("the page lacks %s", part)
		}
	}
	root := fetch(t, own, "/")
	_, sheets := find(root, "link", "href")
	at := slices.IndexFunc(sheets, func(s string) bool { return path.Base(s) == "theme.css" })
	if at < 0 {
		t.Fatalf("no theme among %v", sheets)
	}
	sheet, _ := io.ReadAll(get(h, sheets[at]).Body)
	if !strings.Contains(string(sheet), "--pine: #f6d24a; --on-pine: #000000") {
		t.Errorf("the theme is %s", sheet)
	}
	plain, _ := io.ReadAll(get(Handler(sample), "/").Body)
	for _, part := range []string{"mailto:", "logo.svg", "#f6d24a"} {
		if strings.Contains(string(plain), part) {
			t.Errorf("without a setting the page has %s", part)
		}
	}
}

func TestWordsOnAColourCanBeRead(t *testing.T) {
	t.Parallel()
	for color, on := range map[string]string{
		"#143b32": "#ffffff", "#ffffff": "#000000", "#000000": "#ffffff", "#ffcc00": "#000000", "#c00000": "#ffffff",
	} {
		if sheet := string(theme(color)); !strings.Contains(sheet, "--on-pine: "+on) {
			t.Errorf("on %s: %s", color, sheet)
		}
	}
	if sheet := theme("red; } body { display: none"); len(sheet) > 0 {
		t.Errorf("no colour makes %s", sheet)
	}
}

func TestSettingsOfThePageAreChecked(t *testing.T) {
	t.Parallel()
	for _, wrong := range []Config{
		{Color: "green"}, {Color: "#12345"}, {Contact: "javascript:alert(1)"}, {Contact: "us@lamps.example"},
	} {
		report := yamlconf.NewReport()
		if wrong.Check(report); !report.Failed() {
			t.Errorf("%+v has no problem", wrong)
		}
	}
	for _, right := range []Config{
		{}, {Color: "#12AbcD", Contact: "tel:+44123"}, {Contact: "https://lamps.example/contact"},
	} {
		report := yamlconf.NewReport()
		if right.Check(report); report.Failed() {
			t.Errorf("%+v: %v", right, report.Notes())
		}
	}
}

// TestBrowsersGetAPageWhereThereIsNothing holds that it is a page on which one can ask, and takes
// nothing of the address.
func TestBrowsersGetAPageWhereThereIsNothing(t *testing.T) {
	t.Parallel()
	answer := get(Handler(sample), "/no/such?q=evil")
	body, _ := io.ReadAll(answer.Body)
	if answer.StatusCode != http.StatusNotFound ||
		!strings.Contains(string(body), "There is nothing at this address") ||
		strings.Contains(string(body), "evil") || !strings.Contains(string(body), `id="form"`) {
		t.Errorf("%s\n%s", answer.Status, body)
	}
}

// TestPageSuggestsQuestions draws the page of a site that has set no questions.
func TestPageSuggestsQuestions(t *testing.T) {
	t.Parallel()
	config := Config{Suggest: func(language string) []string { return []string{"Opening hours in " + language + "?"} }}
	page := func() string {
		w, r := httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil)
		r.Header.Set("Accept-Language", "de")
		Handler(config).ServeHTTP(w, r)
		return w.Body.String()
	}
	if !strings.Contains(page(), ">Opening hours in de?</a>") {
		t.Errorf("nothing is suggested: %s", page())
	}
	config.Examples = []string{"which lamp is bright?"}
	if got := page(); strings.Contains(got, "Opening hours") || !strings.Contains(got, ">which lamp is bright?</a>") {
		t.Error("what is suggested stands in place of what was set")
	}
}
