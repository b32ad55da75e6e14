package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"frontdesk/internal/infra/httpx"
)

// TestManyCallsAtOnceGetTheirOwnAnswers holds that nothing crosses between requests that all have
// the same id, whole or as streams, alone or in batches, and that nothing of them is kept.
func TestManyCallsAtOnceGetTheirOwnAnswers(t *testing.T) {
	t.Parallel()
	server, script := newScripted(t, nil)
	web := httptest.NewServer(server.Handler(HTTP{}))
	defer web.Close()
	var wait sync.WaitGroup
	for i := range 200 {
		wait.Go(func() {
			one := func(n int) string {
				return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"echo","arguments":{"n":"%d-%d"},"_meta":{"progressToken":%d}}}`, n, i, n, i)
			}
			body, headers := one(1), []string{"Accept", "application/json"}
			switch i % 3 {
			case 1:
				headers[1] = "text/event-stream"
			case 2:
				body = "[" + one(1) + "," + one(2) + "]"
			}
			status, answer := post(t, web.URL, body, headers...)
			if status != 200 || !strings.Contains(answer, fmt.Sprintf(`{"n":"%d-1"}`, i)) ||
				i%3 == 2 != strings.Contains(answer, fmt.Sprintf(`{"n":"%d-2"}`, i)) {
				t.Errorf("call %d: status %d: %s", i, status, answer)
			}
			if i%3 == 1 != strings.Contains(answer, fmt.Sprintf(`"progressToken":%d`, i)) ||
				strings.Count(answer, "structuredContent") > 2 {
				t.Errorf("call %d is told of progress: %s", i, answer)
			}
		})
	}
	wait.Go(func() { // meanwhile some leave before they are answered
		for range 5 {
			ctx, leave := context.WithCancel(t.Context())
			request, _ := http.NewRequestWithContext(ctx, http.MethodPost, web.URL, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait"}}`))
			request.Header.Set("Content-Type", "application/json")
			left := make(chan struct{})
			go func() {
				defer close(left)
				if response, err := http.DefaultClient.Do(request); err == nil {
					response.Body.Close()
				}
			}()
			<-script.began
			leave()
			<-script.ended
			<-left
		}
	})
	wait.Wait()
	web.Close() // which waits for those that left
	if kept := slices.Collect(server.Sessions()); len(kept) > 0 {
		t.Errorf("%d sessions are kept", len(kept))
	}
}

func TestBatchIsOfTheRevisionsThatHaveThem(t *testing.T) {
	t.Parallel()
	server, _ := newScripted(t, nil)
	web := httptest.NewServer(server.Handler(HTTP{}))
	defer web.Close()
	const batch = `[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/initialized"}]`
	for revision, want := range map[string]int{"": 200, "2025-03-26": 200, "2025-06-18": 400, "2025-11-25": 400} {
		var headers []string
		if revision != "" {
			headers = []string{"Mcp-Protocol-Version", revision}
		}
		status, answer := post(t, web.URL, batch, headers...)
		if status != want || want == 200 && answer != `[{"jsonrpc":"2.0","id":1,"result":{}}]` || want == 400 && !strings.Contains(answer, "-32600") {
			t.Errorf("revision %q: status %d: %s", revision, status, answer)
		}
	}
}

// TestNobodyListensForChangesThatAreNotTold holds that a request that would wait for ever is
// refused, wherever it stands.
func TestNobodyListensForChangesThatAreNotTold(t *testing.T) {
	t.Parallel()
	server, _ := newScripted(t, nil)
	web := httptest.NewServer(server.Handler(HTTP{}))
	defer web.Close()
	const listening = `{"jsonrpc":"2.0","id":2,"method":"subscriptions/listen","params":{"notifications":{}}}`
	for _, body := range []string{listening, `[{"jsonrpc":"2.0","id":1,"method":"ping"},` + listening + `]`} {
		if status, answer := post(t, web.URL, body); status != 200 || !strings.Contains(answer, `"id":2,"error":{"code":-32601`) {
			t.Errorf("%s: status %d: %s", body, status, answer)
		}
	}
}

// brokenTool has a result that is no JSON, which the SDK cannot send.
func brokenTool() httpx.Tool {
	half := func(context.Context, httpx.Call) httpx.Result {
		return httpx.Result{Object: []byte(`{"given":}`), Meta: []byte(`{}`)}
	}
	input := []byte(`{"type":"object"}`)
	return httpx.Tool{Name: "broken", Description: "Answers with half an object.", Input: input, Call: half}
}

// TestResultThatIsNoJSONIsAnInternalError holds that nobody waits for ever for what cannot be sent.
func TestResultThatIsNoJSONIsAnInternalError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // which ends when all wait
		const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"broken"}}`
		tools := func() []httpx.Tool { return []httpx.Tool{brokenTool()} }
		server := New(Config{Name: "test", Version: "1", Tools: tools})
		for _, accepted := range []string{"application/json", "text/event-stream"} {
			r := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(body))
			r.Host = "localhost"
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Accept", accepted)
			w := httptest.NewRecorder()
			server.Handler(HTTP{MaxBody: 4 << 10}).ServeHTTP(w, r)
			if said := w.Body.String(); !strings.Contains(said, `"id":1,"error":{"code":-32603`) || strings.Contains(said, "given") {
				t.Errorf("%s: status %d: %s", accepted, w.Code, said)
			}
		}
	})
}

// FuzzHandler holds that whatever is posted is answered with JSON-RPC, or not at all.
func FuzzHandler(f *testing.F) {
	tools := func() []httpx.Tool { return append((&scripted{}).tools(), brokenTool()) }
	server := New(Config{Name: "fuzz", Version: "1", Tools: tools})
	server.RemoveTools("wait")
	handler := server.Handler(HTTP{MaxBody: 4 << 10})
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"a":1}}}`), "2025-11-25")
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"panic","arguments":null}}`), "")
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"broken"}}`), "2025-06-18")
	f.Add([]byte(`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`), "2025-03-26")
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`), "2026-07-28")
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":{"type":"ref/prompt"},"argument":{"name":"a"}}}`), "2025-06-18")
	f.Fuzz(func(t *testing.T, body []byte, revision string) {
		r := httptest.NewRequest(http.MethodPost, "/mcp", bytes.NewReader(body))
		r.Host = "localhost"
		r.Header.Set("Content-Type", "application/json")
		r.Header["Mcp-Protocol-Version"] = []string{revision}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if w.Code == http.StatusAccepted && w.Body.Len() == 0 {
			return
		}
		type answer struct {
			Version string           `json:"jsonrpc"`
			Result  json.RawMessage  `json:"result"`
			Error   *json.RawMessage `json:"error"`
		}
		answers := make([]answer, 1)
		into := any(&answers[0])
		if strings.HasPrefix(w.Body.String(), "[") {
			into = &answers
		}
		if err := json.Unmarshal(w.Body.Bytes(), into); err != nil {
			t.Fatalf("status %d: %v: %s", w.Code, err, w.Body)
		}
		for _, a := range answers {
			if a.Version != "2.0" || (a.Result == nil) == (a.Error == nil) {
				t.Fatalf("status %d: %s", w.Code, w.Body)
			}
		}
	})
}
