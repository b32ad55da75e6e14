package app

import (
	"net/http"
	"strings"
	"testing"

	"frontdesk/internal/identity"
)

// TestProgramsMendAnswers holds what programs may do at /admin/tuning, what comes of it at once,
// and that nobody else does.
func TestProgramsMendAnswers(t *testing.T) {
	t.Parallel()
	m := openMarket(t, ruledConfig)
	if err := m.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	admin, id := makeKey(t, m.App, identity.Key{Name: "ops", Scopes: []string{"admin"}})
	reports, _ := makeKey(t, m.App, identity.Key{Name: "books", Scopes: []string{"reports"}})
	for key, status := range map[string]int{"": http.StatusUnauthorized, reports: http.StatusForbidden} {
		if w := send(m, posted("GET", "/admin/tuning", "", identity.KeyHeader, key)); w.Code != status {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	}
	asked := func() string {
		return send(m, posted("POST", "/ask", `{"query":{"text":"Do you ship?"},"prefer":{"elicitation":false}}`)).Body.String()
	}
	const answer = `"kind":"answer","question":"do you ship","text":"Yes, by mail.","link":"https://www.example.com/mail"`
	for _, s := range []struct {
		method, path, body string
		status             int
		words              string
		mended             bool // the question is, afterwards
	}{
		{"GET", "", "", 200, `{"entries":[]}`, false},
		{"POST", "", `{` + answer + `,"link":"mail"}`, 400, "link", false},
		{"POST", "", `{"kind":"answer","question":"do you ship","text":"Yes.","link":"mail"}`, 422, "link", false},
		{"POST", "/preview", `{` + answer + `}`, 200, `"text":"Yes, by mail."`, false},
		{"POST", "", `{"id":"mail",` + answer + `}`, 201, `"by":"key:` + id + `"`, true},
		{"POST", "", `{"id":"mail",` + answer + `}`, 200, `"on":true`, true},
		{"POST", "/mail/off", "", 200, `"on":false`, false},
		{"POST", "/mail/on", "", 200, `"on":true`, true},
		{"GET", "/mail", "", 200, `"about":"do you ship"`, true},
		{"GET", "?kind=pin", "", 200, `{"entries":[]}`, true},
		{"GET", "?kind=pins", "", 422, "synonym, pin, answer, ignore", true},
		{"GET", "/export", "", 200, `entries:\n  - id: \"mail\"`, true},
		{"POST", "/import", `{"yaml":"entries:\n  - kind: pin\n    question: x\n"}`, 422, "items", true},
		{"POST", "/import", `{"yaml":"entries:\n  - kind: ignore\n    question: x\n"}`, 200, `"added":1`, true},
		{"DELETE", "/mail", "", 200, "mail", false},
		{"DELETE", "/mail", "", 404, "no entry", false},
	} {
		w := send(m, posted(s.method, "/admin/tuning"+s.path, s.body, identity.KeyHeader, admin))
		if w.Code != s.status || !strings.Contains(w.Body.String(), s.words) {
			t.Errorf("%s %s %s: %d %s", s.method, s.path, s.body, w.Code, w.Body)
		}
		if got := asked(); strings.Contains(got, "Yes, by mail.") != s.mended {
			t.Errorf("after %s %s: %s", s.method, s.path, got)
		}
	}
}
