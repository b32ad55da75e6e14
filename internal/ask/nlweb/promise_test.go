package nlweb

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/ask"
	"frontdesk/internal/ask/session"
	"frontdesk/internal/content"
	"frontdesk/internal/content/released"
	"frontdesk/internal/infra/httpx"
	"frontdesk/internal/policy"
	"frontdesk/internal/testkit/storetest"
	wire "frontdesk/wire/nlweb"
)

// promising is a service that makes questions about brass slow, with a worker, and its doors.
func promising(t testing.TB) (d *ask.Service, asks, await http.Handler) {
	t.Helper()
	db := storetest.Chosen(t, content.Schema, session.PromiseSchema)
	catalog := content.New(db, content.Options{})
	run, err := catalog.Begin(t.Context(), "lamps", "files")
	if err != nil {
		t.Fatal(err)
	}
	err = run.Put(t.Context(),
		thing("https://lamps.example/brass", "Product", "en", "Brass reading lamp", "A brass lamp for late readers.", `"offers":{"price":49.5,"priceCurrency":"EUR"}`),
		thing("https://lamps.example/paper", "Product", "en", "Paper lamp", "A lamp of folded paper.", `"offers":{"price":19,"priceCurrency":"EUR"}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := run.Commit(t.Context(), content.CommitOptions{}); err != nil {
		t.Fatal(err)
	}
	rules, err := policy.New([]policy.Rule{{Access: policy.Open}})
	if err != nil {
		t.Fatal(err)
	}
	promises, err := session.NewPromises(db,
		session.PromiseOptions{Secret: make([]byte, 32), Keep: time.Hour, Each: 1e6, Kept: 1e6, All: 1e6})
	if err != nil {
		t.Fatal(err)
	}
	corpus := contentOf(t, db, rules, released.Site{ID: "lamps"})
	later, err := ask.NewPromises(ask.PromiseDeps{
		Store: promises, Corpus: corpus, After: time.Hour,
		Slow: []ask.Slow{{Words: "brass", For: time.Millisecond}, {Words: "paper", For: time.Hour}},
	})
	if err != nil {
		t.Fatal(err)
	}
	d = answering(t, corpus, ask.Deps{Promises: later})
	config := Config{Now: noon}
	ctx, stop := context.WithCancel(context.Background())
	worked := make(chan struct{})
	go func() {
		defer close(worked)
		later.Work(ctx, Keeper(d, config))
	}()
	t.Cleanup(func() {
		stop()
		<-worked
	})
	return d, Handler(d, config), Await(d, config)
}

func sent(t testing.TB, h http.Handler, body string) (int, wire.Response) {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	var response wire.Response
	if err := json.Unmarshal(w.Body.Bytes(), &response); err != nil {
		t.Fatalf("%v: %s", err, w.Body)
	}
	return w.Code, response
}

func awaitBody(token, action, requestID string) string {
	body, _ := json.Marshal(
		map[string]any{"promise_token": token, "action": action, "meta": map[string]any{"request_id": requestID}})
	return string(body)
}

func TestEachLookAtAPromiseHasItsOwnRequestID(t *testing.T) {
	t.Parallel()
	_, ask, await := promising(t)
	status, response := sent(t, ask, `{"query":{"text":"brass lamp"},"meta":{"request_id":"asked","session_context":{"conversation_id":"c","own":1}}}`)
	if status != http.StatusAccepted || response.Meta.RequestID != "asked" || response.Promise == nil {
		t.Fatalf("%d %+v", status, response)
	}
	token := response.Promise.Token
	for status = http.StatusAccepted; status == http.StatusAccepted; {
		status, response = sent(t, await, awaitBody(token, "checkin", "looked"))
		if response.Meta.RequestID != "looked" || !strings.Contains(string(response.Meta.SessionContext), `"own":1`) {
			t.Fatalf("%d %+v", status, response.Meta)
		}
	}
	if len(response.Results) == 0 {
		t.Errorf("%d %+v", status, response)
	}
	if _, again := sent(t, await, `{"promise_token":"`+token+`","action":"checkin"}`); again.Meta.RequestID != "asked" {
		t.Errorf("without an id of its own a look gives %+v", again.Meta)
	}
	if _, none := sent(t, await, awaitBody("promise_x", "cancel", "looked")); none.Error == nil ||
		none.Error.Code != wire.CodePromiseNotFound || none.Meta.RequestID != "looked" {
		t.Errorf("of an unknown token: %+v", none)
	}
}

func TestAToolIsThereToAwaitWithWherePromisesAre(t *testing.T) {
	t.Parallel()
	plain, _ := fixture(t)
	if tools := Tools(plain, Config{}); len(tools) != 3 {
		t.Errorf("without promises there are %d tools", len(tools))
	}
	d, _, _ := promising(t)
	tools := Tools(d, Config{Now: noon})
	if len(tools) != 4 || tools[1].Name != ToolAwait || tools[1].ReadOnly {
		t.Fatalf("the tools are %+v", tools)
	}
	result := tools[0].Call(t.Context(), httpx.Call{Arguments: []byte(`{"query":{"text":"paper lamp"}}`)})
	var promise wire.Response
	if err := json.Unmarshal(result.Object, &promise); err != nil || promise.Promise == nil || result.IsError {
		t.Fatalf("%s, %v", result.Object, err)
	}
	for range 2 {
		result = tools[1].Call(t.Context(),
			httpx.Call{Arguments: []byte(awaitBody(promise.Promise.Token, "cancel", ""))})
		if !strings.Contains(string(result.Object), `"code":"CANCELLED"`) || result.IsError {
			t.Errorf("cancelled: %s, failed %t", result.Object, result.IsError)
		}
	}
	for _, arguments := range []string{"", "null", "{}", `{"promise_token":"x","action":"poll"}`} {
		if result := tools[1].Call(t.Context(), httpx.Call{Arguments: []byte(arguments)}); !result.IsError ||
			!strings.Contains(string(result.Object), "INVALID_QUERY") {
			t.Errorf("%q gives %s", arguments, result.Object)
		}
	}
}

func TestAReportIsOneItemBeforeTheOthers(t *testing.T) {
	t.Parallel()
	_, ask, _ := promising(t)
	for _, row := range []struct {
		mode  string
		types []string
	}{
		{"report", []string{"SearchReport"}},
		{"report, list", []string{"SearchReport", "Product", "Product"}},
		{"summarize, report", []string{"SearchSummary", "SearchReport", "Product", "Product"}},
	} {
		for _, streaming := range []string{"false", "true"} {
			status, response := sent(t, ask, `{"query":{"text":"lamp"},"prefer":{"mode":"`+row.mode+`","streaming":`+streaming+`}}`)
			var types []string
			for _, item := range response.Results {
				var read struct {
					Type  string `json:"@type"`
					Items int    `json:"numberOfItems"`
				}
				if err := json.Unmarshal(item, &read); err != nil {
					t.Fatal(err)
				}
				if types = append(types, read.Type); read.Type == wire.TypeReport && read.Items != 2 {
					t.Errorf("the report is %s", item)
				}
			}
			if status != http.StatusOK || strings.Join(types, " ") != strings.Join(row.types, " ") {
				t.Errorf("%s: %d, %v", row.mode, status, types)
			}
		}
	}
	_, response := sent(t, ask, `{"query":{"text":"lamp"},"prefer":{"mode":"report","response_format":"chatgpt_app"}}`)
	if len(response.StructuredData) != 1 || len(response.Content) != 1 ||
		!strings.Contains(response.Content[0].Text, "2 items match") {
		t.Errorf("%+v", response)
	}
	if _, none := sent(t, ask, `{"query":{"text":"lamp","itemType":"Volcano"},"prefer":{"mode":"report"}}`); none.Error == nil || none.Error.Code != wire.CodeNoResults {
		t.Errorf("%+v", none)
	}
}

func FuzzAwait(f *testing.F) {
	_, _, await := promising(f)
	f.Add([]byte(`{"promise_token":"promise_x","action":"checkin","meta":{"request_id":"r","session_context":{}}}`))
	f.Add([]byte(`{"promise_token":["x"],"action":" CANCEL "}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		r := httptest.NewRequest(http.MethodPost, "/await", strings.NewReader(string(body)))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		await.ServeHTTP(w, r)
		var response wire.Response
		if err := json.Unmarshal(w.Body.Bytes(), &response); err != nil || response.Error == nil {
			t.Fatalf("%q gives %s", body, w.Body)
		}
		if code := response.Error.Code; !(w.Code == 200 && code == wire.CodePromiseNotFound) &&
			!(w.Code == 400 && code == wire.CodeInvalidQuery) {
			t.Fatalf("%q gives %d %s", body, w.Code, code)
		}
	})
}

func TestAwaitWritesNothingForAClientThatHasGone(t *testing.T) {
	t.Parallel()
	_, _, await := promising(t)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for _, body := range []string{`{"promise_token":"promise_x","action":"checkin"}`, `{"promise_token":"promise_x","action":"cancel"}`, `{"action":"poll"}`} {
		r := httptest.NewRequestWithContext(gone, http.MethodPost, "/await", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		await.ServeHTTP(w, r)
		if w.Body.Len() > 0 {
			t.Errorf("%s is answered with %s", body, w.Body)
		}
	}
}
