package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/identity"
	"frontdesk/internal/infra/outbox"
	"frontdesk/internal/ledger"
	"frontdesk/internal/testkit/clock"
)

// inboxConfig takes in what a person answers: binds of the one wait in the inbox, and those of the
// other go to a webhook.
const inboxConfig = `
url: https://desk.example
intakes:
  provider: {name: The Pantry}
  pending: true
  list:
    - id: kitchen
      name: Kitchen <help>
      description: Cooks for a party.
      category: service/matching
      offer_type: quote
      binding: true
      terms_url: https://desk.example/terms
      privacy: {data_retention: 30_days}
      person: {after: 1m}
      bind: {requires: [email, full_name], effect: inbox}
      input_schema: {type: object, required: [guests], properties: {guests: {type: integer}, wishes: {type: string}, budget: {type: object}}}
    - id: table
      name: A table
      description: Tables for guests.
      category: service/matching
      offer_type: quote
      binding: true
      privacy: {data_retention: none}
      person: {after: 1m}
      bind: {requires: [email], effect: webhook, webhook: {url: "https://crm.example/hook", secret_file: SECRET}}
      input_schema: {type: object, properties: {guests: {type: integer}}}
`

// inboxOf opens a server with an inbox; more are lines of the console's configuration.
func inboxOf(t *testing.T, more string) (*App, *logbook, *clock.Clock) {
	t.Helper()
	c := clock.At(time.Now().Truncate(time.Second))
	secret := write(t, t.TempDir(), "secret", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	s, log := open(t, strings.Replace(inboxConfig, "SECRET", secret, 1)+more, func(o *Options) { o.Now = c.Now })
	return s, log, c
}

// agent submits and binds as an agent does.
type agent struct {
	t    *testing.T
	s    http.Handler
	id   string
	name string // of its platform
}

func (a agent) post(path, body string) (int, map[string]any) {
	a.t.Helper()
	r := httptest.NewRequest("POST", path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	w := send(a.s, r)
	var answer map[string]any
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
		a.t.Fatalf("%s: %d %s", path, w.Code, w.Body)
	}
	return w.Code, answer
}

func text(v any) string {
	out, _ := json.Marshal(v)
	return string(out)
}

// sessionOf is a session's id, by number.
func sessionOf(n int) string { return fmt.Sprintf("5a1f3c8e-0b7d-4e2a-9c41-%012d", n) }

func (a agent) submit(intake string, n int, data string) map[string]any {
	a.t.Helper()
	code, answer := a.post("/intake/"+intake, fmt.Sprintf(`{"aip_version":"0.1.0","session_id":%q,"agent":{"id":%s,"platform":%s,"consent_scope":["intake"]},"intake_data":%s}`,
		sessionOf(n), text(a.id), text(a.name), data))
	if code != 200 {
		a.t.Fatalf("submit: %d %v", code, answer)
	}
	return answer
}

func (a agent) bind(intake string, n int, offer, data string) (int, map[string]any) {
	a.t.Helper()
	return a.post("/intake/"+intake+"/bind", fmt.Sprintf(`{"session_id":%q,"offer_id":%q,"agent":{"id":%s,"consent_scope":["bind"]},"bind_data":%s}`, sessionOf(n), offer, text(a.id), data))
}

var requestLink = regexp.MustCompile(`href="(/console/inbox/[0-9a-f-]{36})"`)

// find opens the page of what was submitted in a session, by its search, and gives the page's
// address.
func (p *person) find(n int) string {
	p.t.Helper()
	p.sees("/console/inbox", 200)
	w := p.post("/console/inbox/find", "find", strings.ToUpper(sessionOf(n)))
	if w.Code != http.StatusSeeOther {
		p.t.Fatalf("find %s: %d %s", sessionOf(n), w.Code, w.Body)
	}
	address := w.Header().Get("Location")
	p.sees(address, 200)
	return address
}

func TestAPersonAnswersAndSeesABindDone(t *testing.T) {
	t.Parallel()
	s, _, c := inboxOf(t, "")
	token, _ := tokenFor(t, s, identity.Operator)
	p := newPerson(t, s).login(token)
	p.sees("/console/inbox", 200, "Nothing was submitted yet.")
	a := agent{t, s, "com.example.assistant", "Example Chat"}
	if got := a.submit("kitchen", 1, `{"guests":14,"wishes":"A long table."}`); got["status"] != "pending" {
		t.Fatalf("%v", got)
	}
	p.sees("/console/inbox", 200, "Waiting for you", "To be answered", "Kitchen &lt;help&gt;", "com.example.assistant",
		`title="1 waits for a person">1<`)
	address := p.find(1)
	p.sees(address, 200, "A long table.", ">14<", "waits for an answer", `value="email, full_name"`,
		`value="https://desk.example/terms"`, "Request taken in", "What was asked</dt><dd>until")

	// What is wrong with an answer is said, and what was written stays.
	p.sees(address, 200)
	if w := p.post(address+"/answer", "kind", "offer", "summary", "Two cooks.", "details", "soup", "days", "7", "do",
		"preview"); w.Code != 400 ||
		!strings.Contains(p.page, "Line 1 of the details is not of the form") ||
		!strings.Contains(p.page, ">Two cooks.</textarea>") {
		t.Fatalf("%d %s", w.Code, p.page)
	}
	fields := []string{"kind", "offer", "summary", "Two cooks.\r\n\r\nFrom four.", "details",
		"price: 780\r\ncurrency: EUR", "days", "3", "requires", "email", "terms", ""}
	if w := p.post(address+"/answer", append(fields, "do", "preview")...); w.Code != 200 {
		t.Fatalf("%d %s", w.Code, p.page)
	}
	expires := c.Now().UTC().AddDate(0, 0, 3).Format(time.RFC3339)
	page := html.UnescapeString(p.page)
	for _, says := range []string{
		"As the agent will see it", "Two cooks.\n\nFrom four.", `"price": 780`, `"bind_endpoint": "https://desk.example/intake/kitchen/bind"`, `name="expires" value="` + expires + `"`, `"expires": "` + expires + `"`,
	} {
		if !strings.Contains(page, says) {
			t.Errorf("the preview does not say %q:\n%s", says, page)
		}
	}
	preview := page
	if got := a.submit("kitchen", 1, `{"guests":14,"wishes":"A long table."}`); got["status"] != "pending" {
		t.Fatalf("what was looked at is sent: %v", got)
	}
	c.Advance(10 * time.Minute)
	if w := p.post(address+"/answer", append(fields, "expires", expires, "do",
		"send")...); w.Code != http.StatusSeeOther || w.Header().Get("Location") != address {
		t.Fatalf("%d %s", w.Code, p.page)
	}
	got := a.submit("kitchen", 1, `{"guests":14,"wishes":"A long table."}`)
	offer := got["offer"].(map[string]any)
	for name, want := range map[string]any{
		"summary": "Two cooks.\n\nFrom four.", "expires": expires, "terms_url": "https://desk.example/terms",
	} {
		if offer[name] != want {
			t.Errorf("%s is %v, want %v", name, offer[name], want)
		}
	}
	shown := regexp.MustCompile(`(?s)<pre class="json">(.*?)</pre>`).FindStringSubmatch(preview)
	var seen map[string]any
	if shown == nil || json.Unmarshal([]byte(shown[1]), &seen) != nil {
		t.Fatalf("the preview has no answer: %s", preview)
	}
	seen["offer"].(map[string]any)["id"] = offer["id"] // which is made when it is sent
	if text(seen) != text(got) {
		t.Errorf("the preview was\n%s\nand the answer is\n%s", text(seen), text(got))
	}
	p.sees(address, 200, "offered", "Two cooks.", "Request answered by hand", "Request taken in")

	if code, got := a.bind("kitchen", 1, offer["id"].(string), `{"email":"ana@example.org","phone":"1"}`); code != 200 {
		t.Fatalf("bind: %d %v", code, got)
	}
	p.sees("/console/inbox", 200, "Accepted: your turn")
	p.sees(address, 200, "ana@example.org", "Mark as done", "Offer accepted")
	if w := p.post(address+"/done", "from", "inbox"); w.Code != http.StatusSeeOther ||
		w.Header().Get("Location") != "/console/inbox" {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	p.sees("/console/inbox", 200, "1 submitted, 1 offered, 1 accepted, 0 expired; at most 1 on one day")
	if strings.Contains(p.page, "Waiting for you") {
		t.Error("what is done waits")
	}
	p.sees(address, 200, "Done <time")
	// Its receipts lead there, and back.
	receipts := regexp.MustCompile(`href="(/console/receipts/[0-9a-f-]{36})"`).FindAllStringSubmatch(p.page, -1)
	if len(receipts) != 3 {
		t.Fatalf("%d receipts: %s", len(receipts), p.page)
	}
	for i, says := range []string{"pending", "offered until", "with email"} {
		p.sees(receipts[i][1], 200, `href="`+address+`"`)
		if i > 0 && !strings.Contains(p.page, says) {
			t.Errorf("receipt %d does not say %q: %s", i, says, p.page)
		}
		if p.post("/console/verify", "id",
			strings.TrimPrefix(receipts[i][1], "/console/receipts/")); !strings.Contains(p.page, ">True<") {
			t.Errorf("receipt %d: %s", i, p.page)
		}
	}
}

func TestOfTwoWhoAnswerOneIsHeardAndTheOtherIsTold(t *testing.T) {
	t.Parallel()
	s, _, c := inboxOf(t, "")
	token, _ := tokenFor(t, s, identity.Operator)
	ana, bo := newPerson(t, s).login(token), newPerson(t, s).login(token)
	a := agent{t, s, "com.example.assistant", ""}
	a.submit("kitchen", 1, `{"guests":1}`)
	address := ana.find(1)
	bo.sees(address, 200)
	if w := ana.post(address+"/answer", "kind", "decline", "reason", "We are full.", "do",
		"send"); w.Code != http.StatusSeeOther {
		t.Fatalf("%d %s", w.Code, ana.page)
	}
	for _, do := range []string{"preview", "send", "change"} {
		bo.sees(address, 200)
		if w := bo.post(address+"/answer", "kind", "offer", "summary", "Two cooks, of course.", "days", "3", "do",
			do); w.Code != http.StatusConflict ||
			!strings.Contains(bo.page, "Somebody was faster") || !strings.Contains(bo.page, "Two cooks, of course.") ||
			!strings.Contains(bo.page, "We are full.") {
			t.Errorf("%s: %d %s", do, w.Code, bo.page)
		}
	}
	if got := a.submit("kitchen", 1, `{"guests":1}`); got["status"] != "declined" || got["decline_reason"] != "We are full." {
		t.Errorf("%v", got)
	}
	a.submit("kitchen", 2, `{"guests":2}`)
	address = ana.find(2)
	c.Advance(8 * 24 * time.Hour)
	ana.login(token)
	ana.sees(address, 200, "expired", "nobody answered it")
	if w := ana.post(address+"/answer", "kind", "decline", "reason", "Late.", "do",
		"send"); w.Code != http.StatusConflict || !strings.Contains(ana.page, "has expired while you wrote") {
		t.Errorf("%d %s", w.Code, ana.page)
	}
}

// hostile is a text that would be code in a page, and a marker that must be nowhere else.
const hostile = `"><script>alert('MARKER')</script><img src=x onerror=alert('MARKER')>`

func TestWhatAgentsSendIsTextAndStaysInTheInbox(t *testing.T) {
	t.Parallel()
	s, log, _ := inboxOf(t, "")
	token, _ := tokenFor(t, s, identity.Operator)
	p := newPerson(t, s).login(token)
	a := agent{t, s, "agent " + hostile, "platform " + hostile}
	data := fmt.Sprintf(`{"guests":1,"wishes":%s,"budget":{%s:[%s,{"a":%s}]}}`, text(hostile), text(hostile), text(hostile), text(hostile))
	a.submit("kitchen", 1, data)
	address := p.find(1)
	if w := p.post(address+"/answer", "kind", "offer", "summary", hostile, "details", "a"+hostile+": "+hostile, "days",
		"3", "requires", "x,"+`<b>MARKER</b>`, "do", "preview"); w.Code != 200 {
		t.Fatalf("%d %s", w.Code, p.page)
	}
	pages := []string{p.page}
	if w := p.post(address+"/answer", "kind", "offer", "summary", hostile, "details", "a"+hostile+": "+hostile, "days",
		"3", "requires", "email", "do", "send"); w.Code != http.StatusSeeOther {
		t.Fatalf("%d %s", w.Code, p.page)
	}
	offer := a.submit("kitchen", 1, data)["offer"].(map[string]any)["id"].(string)
	if code, got := a.bind("kitchen", 1, offer, fmt.Sprintf(`{"email":"MARKER@example.org","full_name":%s}`, text(hostile))); code != 200 {
		t.Fatalf("%d %v", code, got)
	}
	for _, page := range []string{"/console/inbox", address, address + "/erase", "/console/",
		"/console/inbox?state=bound&intake=kitchen&platform=" + "x"} {
		p.sees(page, 200)
		pages = append(pages, p.page)
	}
	p.sees("/console/inbox", 200)
	p.post("/console/inbox/find", "find", hostile)
	pages = append(pages, p.page)
	title := regexp.MustCompile(`<title>[^<]*</title>`)
	for i, page := range pages {
		if strings.Contains(page, "<script") || strings.Contains(page, "<img") || strings.Contains(page, "<b>MARKER") {
			t.Errorf("page %d has it as code:\n%s", i, page)
		}
		if found := title.FindString(page); found == "" || strings.Contains(found, "MARKER") {
			t.Errorf("page %d has the title %s", i, found)
		}
	}
	if page := html.UnescapeString(pages[2]); strings.Count(page, "MARKER") < 8 {
		t.Errorf("the page of the request leaves something out:\n%s", page)
	}
	if strings.Contains(log.String(), "MARKER") || strings.Contains(log.String(), sessionOf(1)) {
		t.Errorf("the log has what was submitted, or looked for:\n%s", log.String())
	}
}

func TestViewersSeeThatAndOperatorsWhat(t *testing.T) {
	t.Parallel()
	for _, reads := range []bool{false, true} {
		s, _, _ := inboxOf(t, fmt.Sprintf("console: {owner: {viewers_read_submissions: %v}}\n", reads))
		viewing, _ := tokenFor(t, s, identity.Viewer)
		operating, _ := tokenFor(t, s, identity.Operator)
		viewer, p := newPerson(t, s).login(viewing), newPerson(t, s).login(operating)
		a := agent{t, s, "com.example.assistant", "Example Chat"}
		a.submit("kitchen", 1, `{"guests":14,"wishes":"A long table."}`)
		address := p.find(1)
		viewer.sees("/console/inbox", 200, "Kitchen", "You are a viewer")
		viewer.sees(address, 200, "waits for an answer", sessionOf(1))
		for _, path := range []string{"/answer", "/done", "/again", "/erase"} {
			if w := viewer.post(address+path, "kind", "decline", "reason", "No.", "do", "send", "what",
				"session"); w.Code != http.StatusForbidden {
				t.Errorf("a viewer posts to %s: %d", path, w.Code)
			}
			viewer.sees(address, 200)
		}
		viewer.sees(address+"/erase", 403)
		viewer.sees(address, 200)
		if got := strings.Contains(viewer.page, "A long table."); got != reads {
			t.Errorf("a viewer reads what was submitted: %v, want %v", got, reads)
		}
		if strings.Contains(viewer.page, "<textarea") || strings.Contains(viewer.page, "Erase…") ||
			strings.Count(viewer.page, `method="post"`) != 1 {
			t.Error("a viewer is offered to act")
		}
		p.sees(address, 200)
		p.post(address+"/answer", "kind", "offer", "summary", "Two cooks.", "days", "3", "requires", "email",
			"do", "send")
		offer := a.submit("kitchen", 1, `{"guests":14,"wishes":"A long table."}`)["offer"].(map[string]any)["id"].(string)
		a.bind("kitchen", 1, offer, `{"email":"ana@example.org"}`)
		viewer.sees(address, 200, "accepted")
		for _, datum := range []string{"A long table.", "Two cooks.", "ana@example.org"} {
			if got := strings.Contains(viewer.page, datum); got != reads {
				t.Errorf("a viewer reads %q: %v, want %v", datum, got, reads)
			}
		}
	}
}

func TestTheInboxTakesItsOwnFormsAlone(t *testing.T) {
	t.Parallel()
	s, _, _ := inboxOf(t, "")
	token, _ := tokenFor(t, s, identity.Operator)
	p := newPerson(t, s).login(token)
	a := agent{t, s, "com.example.assistant", ""}
	a.submit("kitchen", 1, `{"guests":1}`)
	address := p.find(1)
	for _, path := range []string{
		address + "/answer", address + "/done", address + "/again", address + "/erase", "/console/inbox/find",
	} {
		p.page = ""
		if w := p.post(path, "kind", "decline", "reason", "No.", "do", "send", "what", "session", "find",
			sessionOf(1)); w.Code != http.StatusForbidden {
			t.Errorf("%s without the form's token: %d", path, w.Code)
		}
		p.sees(address, 200)
		p.header.Set("Sec-Fetch-Site", "cross-site")
		if w := p.post(path, "kind", "decline", "reason", "No.", "do", "send", "what", "session", "find",
			sessionOf(1)); w.Code != http.StatusForbidden {
			t.Errorf("%s from another site: %d", path, w.Code)
		}
		p.header.Del("Sec-Fetch-Site")
		if w := newPerson(t, s).post(path); w.Code != http.StatusSeeOther ||
			w.Header().Get("Location") != "/console/login" {
			t.Errorf("%s from a stranger: %d", path, w.Code)
		}
	}
	for _, page := range []string{"/console/inbox", address, address + "/erase"} {
		if w := newPerson(t, s).get(page); w.Code != http.StatusSeeOther || w.Body.Len() > 0 {
			t.Errorf("%s to a stranger: %d %s", page, w.Code, w.Body)
		}
	}
	p.sees(address, 200, "waits for an answer")
	p.sees("/console/inbox/01930000-0000-7000-8000-000000000000", 404, "There is no such request")
	p.sees("/console/inbox/soup", 404, "There is no such request")
	p.sees(address, 200)
	if w := p.post(address+"/done", "x", "y"); w.Code != 400 {
		t.Errorf("what is not bound is done: %d", w.Code)
	}
	other, _ := open(t, "")
	token, _ = tokenFor(t, other, identity.Operator)
	q := newPerson(t, other).login(token)
	if strings.Contains(q.page, "/console/inbox") {
		t.Error("a site without intakes has an inbox")
	}
	q.sees("/console/inbox", 404)
}

// erasedSlip is where a request's page leads to the entry of its erasing.
var erasedSlip = regexp.MustCompile(`<b>Request erased</b><a href="([^"]+/receipts/[^"]+)">`)

func TestErasingIsAskedTwiceAndLeavesIDsAndTimes(t *testing.T) {
	t.Parallel()
	s, log, _ := inboxOf(t, "")
	token, _ := tokenFor(t, s, identity.Operator)
	p := newPerson(t, s).login(token)
	a := agent{t, s, "com.example.assistant", "Example Chat"}
	a.submit("kitchen", 1, `{"guests":14,"wishes":"A long table."}`)
	address := p.find(1)
	p.post(address+"/answer", "kind", "offer", "summary", "Two cooks.", "days", "3", "do", "send")
	a.submit("table", 1, `{"guests":3}`)
	p.sees("/console/inbox", 200)
	if w := p.post("/console/inbox/find", "find", sessionOf(1)); w.Code != 200 || strings.Count(p.page, "<tr>") != 3 {
		t.Errorf("two of one session: %d %s", w.Code, p.page)
	}
	p.sees(address, 200, address+"/erase")
	p.sees(address+"/erase", 200, "Erase for good?", "one more request", "A table", "Erase this request alone",
		"Erase everything of this session", "What will be gone", "What stays", "the chance to take the offer")
	p.sees(address, 200, "A long table.")
	p.sees(address+"/erase", 200)
	if w := p.post(address+"/erase", "what", "offer"); w.Code != http.StatusSeeOther {
		t.Fatalf("%d %s", w.Code, p.page)
	}
	p.sees(address, 200, ">erased<", "It was erased.", "an agent whose name was erased", sessionOf(1))
	for _, datum := range []string{"A long table.", "Two cooks.", "com.example.assistant"} {
		if strings.Contains(p.page, datum) {
			t.Errorf("%q is still there", datum)
		}
	}
	slip := erasedSlip.FindStringSubmatch(p.page)
	if slip == nil {
		t.Fatalf("the page does not name the entry that says so: %s", p.page)
	}
	p.sees(slip[1], 200, "Request erased", "because somebody asked for it; by Ana")
	p.sees("/console/inbox?state=waiting", 200, "A table")
	other := requestLink.FindStringSubmatch(p.page)[1]
	p.sees(other+"/erase", 200)
	if w := p.post(other+"/erase", "what", "session"); w.Code != http.StatusSeeOther {
		t.Fatalf("%d %s", w.Code, p.page)
	}
	p.sees("/console/inbox?state=erased", 200, "Kitchen", "A table")
	p.sees("/console/receipts?kind=erase", 200, "Request erased", "because somebody asked for it; by Ana")
	if !strings.Contains(log.String(), `"did":"erased 1 request`) {
		t.Errorf("the log does not say who erased: %s", log.String())
	}
}

func TestWhatCouldNotBeDeliveredIsShownAndTriedAgain(t *testing.T) {
	t.Parallel()
	s, _, c := inboxOf(t, "")
	token, _ := tokenFor(t, s, identity.Operator)
	p := newPerson(t, s).login(token)
	a := agent{t, s, "com.example.assistant", "Example Chat"}
	a.submit("table", 1, `{"guests":3}`)
	address := p.find(1)
	p.post(address+"/answer", "kind", "offer", "summary", "A table for three.", "days", "3", "requires", "email",
		"do", "send")
	offer := a.submit("table", 1, `{"guests":3}`)["offer"].(map[string]any)["id"].(string)
	if code, got := a.bind("table", 1, offer, `{"email":"ana@example.org"}`); code != 200 {
		t.Fatalf("%d %v", code, got)
	}
	p.sees(address, 200, "It is on its way", "ana@example.org")
	// Three days of failing.
	box := outbox.New(outbox.Options{DB: s.db, Now: c.Now, TryFor: 3 * 24 * time.Hour,
		Deliver: func(context.Context, outbox.Effect) error {
			return errors.New("crm.example answered with status 503")
		}})
	try := func() {
		t.Helper()
		if some, err := box.RunOne(t.Context(), intakeSink("table")); err != nil || !some {
			t.Fatalf("nothing is to be delivered: %v", err)
		}
	}
	try()
	p.sees("/console/inbox", 200, "Accepted, and not delivered", "crm.example answered with status 503",
		"Tried 1 time; next at")
	p.sees(address, 200, "It could not be delivered. crm.example answered with status 503", "Try again")
	c.Advance(3 * 24 * time.Hour)
	p.login(token)
	try()
	p.sees("/console/inbox", 200, "Given up", "after 2 times")
	if w := p.post(address+"/again", "from", "inbox"); w.Code != http.StatusSeeOther {
		t.Fatalf("%d %s", w.Code, p.page)
	}
	box.Deliver = func(context.Context, outbox.Effect) error { return nil }
	try()
	p.sees("/console/inbox", 200)
	if strings.Contains(p.page, "not delivered") {
		t.Error("what is delivered is among what failed")
	}
}

func TestTheInboxIsFilteredAndPaged(t *testing.T) {
	t.Parallel()
	s, _, c := inboxOf(t, "")
	token, _ := tokenFor(t, s, identity.Operator)
	a := agent{t, s, "com.example.assistant", "Example Chat"}
	for n := range 70 {
		intake := "kitchen"
		if n%2 == 0 {
			intake = "table"
		}
		a.submit(intake, n, `{"guests":3}`)
		c.Advance(time.Minute)
	}
	p := newPerson(t, s).login(token)
	seen := map[string]bool{}
	older := regexp.MustCompile(`href="/console/(inbox\?[^"]*)">Older`)
	list := regexp.MustCompile(`(?s)<caption class="unseen">Requests.*?</table>`)
	pages := 0
	for next := "/console/inbox?intake=table"; next != ""; pages++ {
		p.sees(next, 200)
		for _, found := range requestLink.FindAllStringSubmatch(list.FindString(p.page), -1) {
			if seen[found[1]] {
				t.Errorf("%s is on two pages", found[1])
			}
			seen[found[1]] = true
		}
		next = ""
		if found := older.FindStringSubmatch(p.page); found != nil {
			next = "/console/" + html.UnescapeString(found[1])
		}
	}
	if len(seen) != 35 || pages != 1 {
		t.Errorf("%d on %d pages", len(seen), pages)
	}
	p.sees("/console/inbox", 200)
	if n := len(requestLink.FindAllString(list.FindString(p.page), -1)); n != 50 || older.FindString(p.page) == "" {
		t.Errorf("%d on the first page", n)
	}
	p.sees("/console/"+html.UnescapeString(older.FindStringSubmatch(p.page)[1]), 200, ">Newest<")
	if n := len(requestLink.FindAllString(list.FindString(p.page), -1)); n != 20 {
		t.Errorf("%d on the second page", n)
	}
	p.sees("/console/inbox", 200)
	if p.post("/console/inbox/find", "find",
		"com.example.assistant"); len(requestLink.FindAllString(list.FindString(p.page), -1)) != 50 {
		t.Errorf("an agent's: %s", p.page)
	}
	before := regexp.MustCompile(`name="before" value="([^"]+)"`).FindStringSubmatch(p.page)
	if p.post("/console/inbox/find", "find", "com.example.assistant", "before",
		before[1]); len(requestLink.FindAllString(list.FindString(p.page), -1)) != 20 {
		t.Errorf("an agent's, on the second page: %s", p.page)
	}
	p.sees("/console/inbox?day=2025-01-01", 200, "Nothing fits what you chose.")
	p.sees("/console/inbox?state=soup&before=soup", 200)
	p.sees("/console/inbox", 200)
	if p.post("/console/inbox/find", "find", "nobody"); !strings.Contains(p.page, "Nothing has this id.") {
		t.Errorf("%s", p.page)
	}
	if w := p.post("/console/inbox/find", "find", "  "); w.Code != 400 {
		t.Errorf("looked for nothing: %d", w.Code)
	}
}

// TestOperatorsProgramsSeeToRequests holds that what the inbox does can be done over HTTP, too, by
// whoever has the operator's door, and by nobody else.
func TestOperatorsProgramsSeeToRequests(t *testing.T) {
	t.Parallel()
	s, _, _ := inboxOf(t, "")
	admin, id := makeKey(t, s, identity.Key{Name: "crm", Scopes: []string{"admin"}})
	other, _ := makeKey(t, s, identity.Key{Name: "other", Scopes: []string{"reports"}})
	a := agent{t, s, "com.example.assistant", "Example Chat"}
	a.submit("table", 1, `{"guests":3}`)
	a.submit("kitchen", 2, `{"guests":14}`)
	call := func(method, path, body string, status int, words ...string) map[string]any {
		t.Helper()
		w := send(s, posted(method, "/admin/requests"+path, body, identity.KeyHeader, admin))
		if w.Code != status {
			t.Fatalf("%s %s: %d %s", method, path, w.Code, w.Body)
		}
		for _, word := range words {
			if !strings.Contains(w.Body.String(), word) {
				t.Errorf("%s %s lacks %q: %s", method, path, word, w.Body)
			}
		}
		var answer map[string]any
		json.Unmarshal(w.Body.Bytes(), &answer)
		return answer
	}
	for key, status := range map[string]int{"": http.StatusUnauthorized, other: http.StatusForbidden} {
		if w := send(s, posted("GET", "/admin/requests", "", identity.KeyHeader, key)); w.Code != status {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	}
	only := func(intake string) string {
		listed := call("GET", "?state=waiting&intake="+intake, "", 200)["requests"].([]any)
		if len(listed) != 1 {
			t.Fatalf("%v", listed)
		}
		return listed[0].(map[string]any)["id"].(string)
	}
	kitchen, table := only("kitchen"), only("table")
	call("GET", "?state=bound", "", 200, `"requests":[]`)
	call("GET", "?limit=1", "", 200, `"next":"`)
	call("GET", "/"+kitchen, "", 200, `"submitted":{"guests":14}`, `"agent":"com.example.assistant"`)
	call("GET", "/"+table+"0", "", 404)
	call("POST", "/"+table+"/answer", `{}`, 422)
	call("POST", "/"+table+"/answer", `{"summary":"A table.","days":400}`, 422)
	call("POST", "/"+table+"/done", "", 404)
	call("POST", "/"+table+"/answer", `{"summary":"A table.","days":3,"details":{"seats":3}}`, 200, `"state":"offered"`,
		`"details":{"seats":3}`)
	call("POST", "/"+table+"/answer", `{"decline":"Too late."}`, 404)
	call("POST", "/"+table+"/redeliver", "", 404)
	offer := a.submit("table", 1, `{"guests":3}`)["offer"].(map[string]any)["id"].(string)
	if code, got := a.bind("table", 1, offer, `{"email":"ana@example.org"}`); code != 200 {
		t.Fatalf("%d %v", code, got)
	}
	call("POST", "/"+table+"/redeliver", "", 200, `"accepted":{"email":"ana@example.org"}`)
	call("POST", "/"+table+"/done", "", 200, `"done":"2`)
	call("DELETE", "/"+kitchen, "", 200, `"erased":1`)
	call("GET", "/"+kitchen, "", 200, `"state":"erased"`)
	for record, err := range s.Ledger.Read(t.Context(), ledger.Filter{Kind: "offer"}) {
		if err != nil || !strings.Contains(string(record.Entry.Body), `"by":"key:`+id+`"`) {
			t.Errorf("%v %s", err, record.Entry.Body)
		}
	}
}
