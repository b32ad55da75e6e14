package app

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	askquestions "frontdesk/internal/ask/questions"
	"frontdesk/internal/identity"
	"frontdesk/internal/infra/store"
)

const browser = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"

// askedBy sends a question from an address by a user agent, and gives the id of the answer.
func askedBy(t *testing.T, s http.Handler, text, address, agent string, change ...func(*http.Request)) string {
	t.Helper()
	r := asking(text)
	r.RemoteAddr = address + ":4711"
	r.Header.Set("User-Agent", agent)
	for _, c := range change {
		c(r)
	}
	w := send(s, r)
	var answer struct {
		Meta struct {
			AnswerID string `json:"answer_id"`
		} `json:"_meta"`
	}
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || w.Code != http.StatusOK {
		t.Fatalf("status %d, %v: %s", w.Code, err, w.Body)
	}
	return answer.Meta.AnswerID
}

// kept lists what is kept.
func kept(t *testing.T, s *App, f askquestions.Filter) []askquestions.Question {
	t.Helper()
	if err := s.Questions.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	all, _, err := askquestions.NewStore(s.db, s.now).List(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func clicked(s http.Handler, body, kind string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("POST", "/ask/click", strings.NewReader(body))
	r.Header.Set("Content-Type", kind)
	r.Header.Set("User-Agent", browser)
	return send(s, r)
}

func TestWhatIsAskedIsKeptByWhoAsks(t *testing.T) {
	t.Parallel()
	s, log := open(t, "")
	askedBy(t, s.front, "Lentil soup?", "192.0.2.1", browser)
	askedBy(t, s.front, "lentil soup", "192.0.2.2", "curl/8.0")
	// like a browser, and none
	askedBy(t, s.front, "lentil soup", "192.0.2.4", "Mozilla/5.0 (compatible; NobodysBot/1.0)")
	askedBy(t, s.front, "lentil soup", "192.0.2.3", "Mozilla/5.0 (compatible; ChatGPT-User/1.0)")
	r := httptest.NewRequest("POST", "/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call",
		"params":{"name":"ask","arguments":{"query":{"text":"lentil soup"}}}}`))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if w := send(s.front, r); w.Code != http.StatusOK || strings.Contains(w.Body.String(), "answer_id") {
		t.Fatalf("status %d: %s", w.Code, w.Body)
	}
	for _, address := range []string{"192.0.2.1", "192.0.2.2"} {
		askedBy(t, s.front, "a bicycle of steel", address, browser)
	}
	all := kept(t, s, askquestions.Filter{})
	if len(all) != 2 || all[0].Times != 5 || all[0].People != 1 || all[0].Agents != 4 ||
		all[0].URL != "https://example.com/soup" ||
		all[0].Name != "Lentil soup" {
		t.Fatalf("got %+v", all)
	}
	d, err := askquestions.NewStore(s.db, s.now).Get(t.Context(), all[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	var askers []string
	for _, one := range d.Askers {
		askers = append(askers, fmt.Sprint(one.Protocol, " ", one.Kind, " ", one.Agent))
	}
	if got := strings.Join(askers, ", "); got != "ask other , mcp other , ask person , ask assistant ChatGPT-User" {
		t.Errorf("asked by %s", got)
	}
	if all := kept(t, s, askquestions.Filter{View: askquestions.ViewNothing}); len(all) != 1 ||
		all[0].Text != "a bicycle of steel" {
		t.Errorf("found nothing: %+v", all)
	}
	if text := log.String(); strings.Contains(text, "lentil") || strings.Contains(text, "bicycle") {
		t.Errorf("the log has a question: %s", text)
	}
}

func TestNamesOfWhoAsksAreNotKept(t *testing.T) {
	t.Parallel()
	s, _ := open(t, "")
	for _, user := range []string{`"Anna Gruber"`, `{"id":"4711","name":"Anna Gruber"}`, `{"familyName":"Gruber","givenName":"Anna"}`} {
		for _, address := range []string{"192.0.2.1", "192.0.2.2"} {
			r := httptest.NewRequest("POST", "/ask",
				strings.NewReader(`{"query":{"text":"soup for Anna Gruber"},"meta":{"user":`+user+`}}`))
			r.Header.Set("Content-Type", "application/json")
			r.RemoteAddr = address + ":1"
			send(s.front, r)
		}
	}
	if all := kept(t, s, askquestions.Filter{}); len(all) != 1 || all[0].Text != "soup for [name] [name]" ||
		all[0].Times != 6 {
		t.Errorf("got %+v", all)
	}
}

func TestOneAddressBehindManyAgentsDoesNotShowAText(t *testing.T) {
	t.Parallel()
	s, _ := open(t, "")
	for n := range 5 { // as one person's question comes from addresses of an assistant
		askedBy(t, s.front, "lentil soup", fmt.Sprintf("192.0.2.%d", n), "Mozilla/5.0 (compatible; ChatGPT-User/1.0)")
	}
	for n := range 5 { // of one network of IPv6
		askedBy(t, s.front, "a bicycle of steel", fmt.Sprintf("[2001:db8::%d]", n), browser)
	}
	all := kept(t, s, askquestions.Filter{})
	if len(all) != 2 || !all[0].Hidden || !all[1].Hidden || all[0].Times != 5 || all[1].Times != 5 {
		t.Errorf("got %+v", all)
	}
}

func TestClicksComeFromAnswersAlone(t *testing.T) {
	t.Parallel()
	s, _ := open(t, "")
	answer := askedBy(t, s.front, "lentil soup", "192.0.2.1", browser)
	if answer == "" {
		t.Fatal("the answer has no id")
	}
	body := fmt.Sprintf(`{"answer_id":%q,"position":1}`, answer)
	for _, kind := range []string{"text/plain;charset=UTF-8", "application/json", "text/plain"} {
		if w := clicked(s.front, body, kind); w.Code != http.StatusNoContent || len(w.Result().Cookies()) > 0 {
			t.Fatalf("%s: status %d: %s", kind, w.Code, w.Body)
		}
	}
	for _, c := range []struct {
		body, kind string
		status     int
	}{
		{strings.Replace(body, ":1}", ":2}", 1), "text/plain", 400},
		{`{"answer_id":"` + strings.Repeat("A", 42) + `","position":1}`, "text/plain", 400},
		{`{"answer_id":"","position":1,"x":1}`, "text/plain", 400},
		{body + strings.Repeat(" ", 2000), "text/plain", 413},
		{body, "text/html", 415},
	} {
		if w := clicked(s.front, c.body, c.kind); w.Code != c.status {
			t.Errorf("%s as %s: status %d, want %d: %s", c.body[:min(60, len(c.body))], c.kind, w.Code, c.status,
				w.Body)
		}
	}
	if all := kept(t, s, askquestions.Filter{}); len(all) != 1 || all[0].Clicks != 1 || all[0].Times != 1 {
		t.Errorf("got %+v", all)
	}
	if got := send(s.front, httptest.NewRequest("GET", "/ask/click", nil)).Code; got != http.StatusMethodNotAllowed {
		t.Errorf("GET: status %d", got)
	}
}

func TestClicksAreLimitedByAddress(t *testing.T) {
	t.Parallel()
	s, _ := open(t, "limits: {rate: {address: 3/m}}")
	for n, want := range []int{400, 400, 400, 429} {
		if w := clicked(s.front, `{"answer_id":"x","position":1}`, "text/plain"); w.Code != want {
			t.Errorf("%d: status %d, want %d", n, w.Code, want)
		}
	}
}

func TestWhereQuestionsAreOffNoneIsKept(t *testing.T) {
	t.Parallel()
	s, _ := open(t, "questions: off")
	if answer := askedBy(t, s.front, "lentil soup", "192.0.2.1", browser); answer != "" {
		t.Errorf("the answer has the id %q", answer)
	}
	if w := clicked(s.front, `{"answer_id":"x","position":1}`, "text/plain"); w.Code != http.StatusNotFound {
		t.Errorf("status %d", w.Code)
	}
	if err := s.Questions.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	rows := 0
	if err := s.db.View(t.Context(), func(tx *store.Tx) error {
		return tx.QueryRow(t.Context(), `SELECT COUNT(*) FROM question_sum`).Scan(&rows)
	}); err != nil || rows != 0 {
		t.Errorf("%d rows, %v", rows, err)
	}
}

func TestWhatWasAskedIsThereAfterARestart(t *testing.T) {
	t.Parallel()
	s, _ := open(t, "")
	address, stop := run(t, s)
	for range 2 {
		r, err := http.Post(address+"/ask", "application/json", strings.NewReader(`{"query":{"text":"lentil soup"}}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Body.Close()
	}
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	all, _, err := askquestions.NewStore(s.db, s.now).List(t.Context(), askquestions.Filter{})
	if err != nil || len(all) != 1 || all[0].Times != 2 {
		t.Errorf("got %+v, %v", all, err)
	}
}

func TestWhatWhoeverIsLoggedInAsksIsShown(t *testing.T) {
	t.Parallel()
	s, _ := open(t, "")
	token, _, err := s.Keys.Create(t.Context(), identity.Key{Name: "Ana",
		Scopes: identity.ConsoleScopes(identity.Viewer)})
	if err != nil {
		t.Fatal(err)
	}
	secret, _, err := s.Logins().Begin(t.Context(), token, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	for text, cookie := range map[string]string{"lentil soup": secret, "a bicycle of steel": secret + "x"} {
		askedBy(t, s.front, text, "192.0.2.1", browser, func(r *http.Request) {
			r.AddCookie(&http.Cookie{Name: "frontdesk_console_ask", Value: cookie})
		})
	}
	for _, q := range kept(t, s, askquestions.Filter{}) {
		if shown := q.Text == "lentil soup"; shown == q.Hidden || !shown && q.Text != "" {
			t.Errorf("got %+v", q)
		}
	}
}

// TestHomeTellsWhatFoundNothing: the owner sees it first of all, once two addresses have asked it.
func TestHomeTellsWhatFoundNothing(t *testing.T) {
	t.Parallel()
	s, _ := open(t, "")
	for _, address := range []string{"192.0.2.1", "198.51.100.1"} {
		askedBy(t, s.front, "a bicycle of steel", address, browser)
	}
	askedBy(t, s.front, "a bicycle of glass", "192.0.2.1", browser) // by one alone
	kept(t, s, askquestions.Filter{})
	token, _ := tokenFor(t, s, identity.Viewer)
	p := newPerson(t, s)
	p.get("/console/login")
	p.post("/console/login", "token", token)
	shown := p.get("/console/").Body.String()
	if !strings.Contains(shown, "a bicycle of steel") || strings.Contains(shown, "of glass") {
		t.Errorf("Home shows %s", shown)
	}
}
