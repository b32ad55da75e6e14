package app

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"frontdesk/internal/content"
	"frontdesk/internal/testkit/storetest"
)

// saying asks a question of a session, and gives the session after it and what it was understood
// as.
func saying(t *testing.T, s http.Handler, text, meta string, headers ...string) (session, query string) {
	t.Helper()
	r := httptest.NewRequest("POST", "/ask", strings.NewReader(fmt.Sprintf(`{"query":{"text":%q},"meta":%s}`, text, meta)))
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := send(s, r)
	var answer struct {
		Meta struct {
			Session    json.RawMessage `json:"session_context"`
			Understood struct{ Query string }
		} `json:"_meta"`
	}
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || w.Code != http.StatusOK {
		t.Fatalf("status %d, %v: %s", w.Code, err, w.Body)
	}
	return string(answer.Meta.Session), answer.Meta.Understood.Query
}

func TestConversationsOutliveTheServerAndNothingOfThemIsLogged(t *testing.T) {
	t.Parallel()
	keys, database := t.TempDir(), storetest.NewSQLite(t, tables...)
	begin := func(keys string) (*App, *logbook) {
		loaded, err := Load(Layers{
			File:  write(t, t.TempDir(), "frontdesk.yaml", ""),
			Flags: map[string]string{"listen": "127.0.0.1:0", "metrics.listen": "off", "keys": keys, "store": database},
		})
		if err != nil {
			t.Fatal(err)
		}
		log := &logbook{}
		s, err := Build(t.Context(), Options{Loaded: loaded, Log: NewLog(Log{Level: "debug", Format: "json"}, log)})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		if err := s.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		return s, log
	}
	first, log := begin(keys)
	fill(t, first, content.Item{
		URL: "https://example.com/soup", Types: []string{"Recipe"}, Name: "Lentil soup",
		Description: "A soup of lentils, with cream.",
		Object:      []byte(`{"@type":"Recipe","name":"Lentil soup","url":"https://example.com/soup"}`),
	})
	remembered, _ := saying(t, first, "lentil soup", `{"remember":true,"session_context":{"conversation_id":"private-talk"}}`)
	carried, _ := saying(t, first, "lentil soup", `{}`)
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	second, again := begin(keys)
	for name, session := range map[string]string{"remembered": remembered, "carried": carried} {
		if _, query := saying(t, second, "with cream", `{"session_context":`+session+`}`); query != "lentil soup with cream" {
			t.Errorf("%s: the next server understands %q", name, query)
		}
	}
	third, _ := begin(t.TempDir())
	for name, session := range map[string]string{"remembered": remembered, "carried": carried} {
		if _, query := saying(t, third, "with cream", `{"session_context":`+session+`}`); query != "" {
			t.Errorf("%s: a server with another secret understands %q", name, query)
		}
	}
	for _, secret := range []string{"lentil", "cream", "private-talk"} {
		if strings.Contains(log.String()+again.String(), secret) {
			t.Errorf("the log has %q", secret)
		}
	}
}

func TestARequestIsFollowedByItsCallersIds(t *testing.T) {
	t.Parallel()
	s, log := open(t, "")
	r := httptest.NewRequest("POST", "/ask", strings.NewReader(`{"query":{"text":"soup"},"meta":{"request_id":"req-7"}}`))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
	w := send(s, r)
	span := w.Header().Get("Traceresponse")
	if !strings.HasPrefix(span, "00-0af7651916cd43dd8448eb211c80319c-") || strings.Contains(span, "b7ad6b7169203331") {
		t.Errorf("Traceresponse is %q", span)
	}
	if !strings.Contains(w.Body.String(), `"request_id":"req-7"`) {
		t.Errorf("the answer is %s", w.Body)
	}
	for _, want := range []string{`"trace":"0af7651916cd43dd8448eb211c80319c"`, `"request_id":"req-7"`} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log lacks %s: %s", want, log)
		}
	}
	for id, want := range map[string]string{`7.50`: `"request_id":"7.50"`, `"` + strings.Repeat("x", 129) + `"`: `/meta/request_id`, `"a\nb"`: `/meta/request_id`, `{}`: `/meta/request_id`} {
		r := httptest.NewRequest("POST", "/ask", strings.NewReader(`{"query":{"text":"soup"},"meta":{"request_id":`+id+`}}`))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Traceparent", "nonsense")
		w := send(s, r)
		if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), want) ||
			w.Header().Get("Traceresponse") != "" {
			t.Errorf("%s: status %d, %s", id, w.Code, w.Body)
		}
	}
}

func TestNothingIsRememberedWhereTheOwnerWantsIt(t *testing.T) {
	t.Parallel()
	s, _ := open(t, "ask: {remember: {for: 0s}}")
	r := httptest.NewRequest("POST", "/ask", strings.NewReader(`{"query":{"text":"soup"},"meta":{"remember":true}}`))
	r.Header.Set("Content-Type", "application/json")
	w := send(s, r)
	if !strings.Contains(w.Body.String(), `"/meta/remember"`) {
		t.Errorf("nothing tells that nothing is remembered: %s", w.Body)
	}
	var answer struct {
		Meta struct {
			Session json.RawMessage `json:"session_context"`
		} `json:"_meta"`
	}
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
		t.Fatal(err)
	}
	if _, query := saying(t, s, "with cream", `{"session_context":`+string(answer.Meta.Session)+`}`); query != "soup with cream" {
		t.Errorf("the session does not carry the question: %q", query)
	}
}
