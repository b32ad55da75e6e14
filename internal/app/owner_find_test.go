package app

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	askquestions "frontdesk/internal/ask/questions"
	"frontdesk/internal/identity"
	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/infra/store"
)

// looksFor writes a text into the box above every page, and gives where it leads; empty where what
// was found is listed.
func (p *person) looksFor(text string) string {
	p.t.Helper()
	w := p.get("/console/find?" + url.Values{"q": {text}}.Encode())
	if w.Code != http.StatusOK && w.Code != http.StatusSeeOther {
		p.t.Fatalf("%q: %d: %s", text, w.Code, w.Body)
	}
	return w.Header().Get("Location")
}

// TestOneBoxFindsWhatIsThere looks, as a viewer, for one thing of each list.
func TestOneBoxFindsWhatIsThere(t *testing.T) {
	t.Parallel()
	s, _, _ := inboxOf(t, "ramp: {enabled: true, signatures: none}\n")
	token, _ := tokenFor(t, s, identity.Viewer)
	p := newPerson(t, s).login(token)
	a := agent{t, s, "com.example.assistant", "Example Chat"}
	a.submit("kitchen", 1, `{"guests":14,"wishes":"A long table."}`)
	request := p.find(1)
	for _, address := range []string{"192.0.2.1", "192.0.2.2"} { // a text that one alone asked is not shown
		askedBy(t, s.front, "a bicycle of steel", address, browser)
		askedBy(t, s.front, "soup for two", address, browser)
	}
	questions := kept(t, s, askquestions.Filter{Search: "bicycle"})
	if len(questions) != 1 {
		t.Fatalf("kept %+v", questions)
	}
	key := identity.PlatformKey{ID: "plat_one", Platform: "StoveTalk", Roles: identity.Roles}
	_, _, err := s.Platforms.Issue(t.Context(), key, nil)
	if err == nil {
		_, err = s.Requesters.Add(t.Context(), requesters.Registration{Domain: "buyer.example", ID: "bot"})
	}
	if err == nil {
		err = s.db.Update(t.Context(), func(tx *store.Tx) error {
			return s.exchange.Accounts.Open(t.Context(), tx, "holder.example/bot", "USD", 0, s.now())
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	receipt := taken(t, s, "platform:one")
	for text, want := range map[string]string{
		"https://example.com/soup":                     "content/item?url=https%3A%2F%2Fexample.com%2Fsoup",
		"Bicycle, of":                                  "questions/" + questions[0].ID.String(),
		questions[0].ID.String():                       "questions/" + questions[0].ID.String(),
		strings.TrimPrefix(request, "/console/inbox/"): strings.TrimPrefix(request, "/console/"),
		receipt:                           "receipts/" + receipt,
		"plat_one":                        "keys/platform/plat_one",
		"stovetalk":                       "keys/platform/plat_one",
		"buyer.example/bot":               "sales/requesters?q=buyer.example",
		"holder.example":                  "sales/account?buyer=holder.example%2Fbot&currency=USD",
		"soup":                            "", // an item and a question
		"https://example.com/nothing":     "",
		"com.example.assistant":           "", // ids of agents are looked for in the inbox alone
		"<img src=x onerror=alert('ho')>": "",
		"' OR 1=1 --":                     "",
		"%":                               "",
	} {
		if want != "" {
			want = "/console/" + want
		}
		if got := p.looksFor(text); got != want {
			t.Errorf("%q leads to %q, want %q", text, got, want)
		}
		if strings.Contains(p.page, "<img") ||
			want == "" && text != "soup" && !strings.Contains(p.page, "Nothing was found") {
			t.Errorf("%q: %s", text, p.page)
		}
	}
	p.looksFor("a table of oak for twelve")
	for _, want := range []string{"Questions", "Content", "Requests", "Sales", "Receipts", "Keys &amp; people"} {
		if !strings.Contains(p.page, `">`+want+"</a></dt>") {
			t.Errorf("it is not told that %s can be found: %s", want, p.page)
		}
	}
	p.looksFor("soup")
	for _, want := range []string{"<bdi>Lentil soup</bdi>", "<bdi>soup for two</bdi>"} {
		if !strings.Contains(p.page, want) {
			t.Errorf("no %s in %s", want, p.page)
		}
	}
	if w := p.get("/console/find?q=" + strings.Repeat("soup+", 2048)); w.Code != http.StatusBadRequest ||
		!strings.Contains(p.page, "at most 200 characters") {
		t.Errorf("10 kB: %d %s", w.Code, w.Body)
	}
}

// TestTheBoxDoesNotSearchWhatIsOff looks where nothing is sold, nothing taken in and nothing kept
// of what is asked.
func TestTheBoxDoesNotSearchWhatIsOff(t *testing.T) {
	t.Parallel()
	s, _ := open(t, "questions: off")
	token, _ := tokenFor(t, s, identity.Owner)
	p := newPerson(t, s).login(token)
	if to := p.looksFor("a bicycle of steel"); to != "" {
		t.Errorf("leads to %s", to)
	}
	for _, want := range []string{"Nothing was found", "the address of an item", "number of a receipt"} {
		if !strings.Contains(p.page, want) {
			t.Errorf("no %q in %s", want, p.page)
		}
	}
	for _, not := range []string{"words of a question", "id of a request", "id of a purchase"} {
		if strings.Contains(p.page, not) {
			t.Errorf("%q in %s", not, p.page)
		}
	}
}
