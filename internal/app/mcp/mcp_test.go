package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"frontdesk/internal/ask"
	"frontdesk/internal/content"
	"frontdesk/internal/content/released"
	"frontdesk/internal/infra/httpx"
	"frontdesk/internal/policy"
	"frontdesk/internal/testkit/contenttest"
	"frontdesk/internal/testkit/storetest"
	"frontdesk/internal/testkit/transcript"
)

// fixture answers from a small site: an open, a licensed and a blocked item, one that must be no
// input to other texts, and as many more as wanted.
func fixture(t testing.TB, more int) *ask.Service {
	t.Helper()
	ctx := context.Background()
	db := storetest.Chosen(t, content.Schema)
	catalog := content.New(db, content.Options{})
	items := []content.Item{
		thing("brass", "Product", "Brass reading lamp", "A brass lamp for late readers.",
			"Its shade is of bottle glass."),
		thing("premium/history", "Article", "A history of the lamp",
			"Before glass there was clay. The rest is for subscribers.", "Whale oil ruined three harbours."),
		thing("drafts/laser", "Product", "Laser lamp", "Unannounced: the zirconium lamp.", "It is not yet safe."),
		thing("quiet/letter", "Article", "A letter about lamps", "A reader writes about wicks.",
			"She asks not to be quoted."),
	}
	for i := range more {
		items = append(items,
			thing(fmt.Sprintf("more/%03d", i), "Product", fmt.Sprintf("Lamp %d", i), "One of many.", "One of many."))
	}
	run, err := catalog.Begin(ctx, "lamps", "files")
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Put(ctx, items...); err != nil {
		t.Fatal(err)
	}
	if _, err := run.Commit(ctx, content.CommitOptions{}); err != nil {
		t.Fatal(err)
	}
	rules, err := policy.New([]policy.Rule{
		{Match: policy.Match{Path: []string{"/premium/**"}}, Access: policy.Licensed,
			Excerpt: policy.Excerpt{Words: 5}},
		{Match: policy.Match{Path: []string{"/drafts/**"}}, Access: policy.Blocked},
		{Match: policy.Match{Path: []string{"/quiet/**"}}, Access: policy.Open,
			Functions: policy.Functions{Prohibit: []string{"ai-input"}}},
		{Access: policy.Open},
	})
	if err != nil {
		t.Fatal(err)
	}
	corpus := contenttest.New(t, db, released.Deps{
		Sites: released.NewSites(released.Site{ID: "lamps", Hosts: []string{"lamps.example"}}),
	})
	corpus.SetTerms(t, rules)
	d, err := ask.New(ask.Deps{Corpus: corpus.Corpus, Reading: ask.Reading{MinScore: 20}})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func thing(path, typ, name, description, text string) content.Item {
	url := "https://lamps.example/" + path
	object := fmt.Sprintf(`{"@type":%q,"url":%q,"name":%q}`, typ, url, name)
	return content.Item{
		URL: url, Types: []string{typ}, Name: name, Description: description, Language: "en", Object: []byte(object),
		Passages: []content.Passage{{ID: content.PassageID(text, 0), Text: text}},
	}
}

// scripted are tools that do as a test wants.
type scripted struct {
	began chan struct{} // a call of wait has begun
	ended chan error    // the context of one has ended, by what
}

func (s *scripted) tools() []httpx.Tool {
	input := []byte(`{"type":"object"}`)
	return []httpx.Tool{
		{Name: "echo", Title: "Echo", Description: "Gives back what it was given.", Input: input, ReadOnly: true,
			Call: func(_ context.Context, call httpx.Call) httpx.Result {
				if call.Progress != nil {
					call.Progress(1, 2, "half")
					call.Progress(2, 2, "all")
				}
				given := string(call.Arguments)
				if given == "" {
					given = "null"
				}
				return httpx.Result{Object: []byte(`{"given":` + given + `}`), Meta: []byte(`{"kind":"echo"}`),
					Text: "In words.", IsError: bytes.Contains(call.Arguments, []byte("fail"))}
			}},
		{Name: "panic", Title: "Panic", Description: "Goes wrong in a way that nobody foresaw.", Input: input,
			OpenWorld: true, Call: func(context.Context, httpx.Call) httpx.Result {
				panic("/secret/path")
			}},
		{Name: "wait", Title: "Wait", Description: "Waits until the caller leaves.", Input: input,
			Call: func(ctx context.Context, _ httpx.Call) httpx.Result {
				s.began <- struct{}{}
				<-ctx.Done()
				s.ended <- context.Cause(ctx)
				return httpx.Result{}
			}},
	}
}

func newScripted(t testing.TB, d *ask.Service) (*Server, *scripted) {
	s := &scripted{began: make(chan struct{}), ended: make(chan error, 1)}
	return New(Config{Name: "test", Title: "Lamps", Version: "1", Instructions: "Ask for lamps.", Tools: s.tools,
		Ask: d}), s
}

func TestTranscripts(t *testing.T) {
	t.Parallel()
	server, _ := newScripted(t, fixture(t, 0))
	transcript.Run(t,
		"testdata/*.txtar",
		server.Handler(HTTP{MaxBody: 2000, Hosts: []string{"desk.test"}, Origins: []string{"https://page.example"}}))
}

// client is the SDK's, connected over a socket.
func client(t *testing.T, server *Server, options *sdk.ClientOptions) *sdk.ClientSession {
	t.Helper()
	web := httptest.NewServer(server.Handler(HTTP{}))
	t.Cleanup(web.Close)
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, options).
		Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: web.URL, MaxRetries: -1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session
}

func TestListPagesThroughEveryItemThatMayBeFound(t *testing.T) {
	t.Parallel()
	server, _ := newScripted(t, fixture(t, 2*pageSize))
	session := client(t, server, nil)
	want := []string{"https://lamps.example/brass"}
	for i := range 2 * pageSize {
		want = append(want, fmt.Sprintf("https://lamps.example/more/%03d", i))
	}
	want = append(want, "https://lamps.example/premium/history", "https://lamps.example/quiet/letter")
	var got []string
	pages, cursor := 0, ""
	for pages == 0 || cursor != "" {
		list, err := session.ListResources(t.Context(), &sdk.ListResourcesParams{Cursor: cursor})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range list.Resources {
			got = append(got, r.URI)
			if strings.Contains(r.Description, "subscribers") {
				t.Errorf("the description of %s shows more than its excerpt: %s", r.URI, r.Description)
			}
		}
		pages, cursor = pages+1, list.NextCursor
	}
	if diff := cmp.Diff(want, got); diff != "" || pages != 3 {
		t.Errorf("in %d pages (-want +got):\n%s", pages, diff)
	}
}

func TestReadShowsNoMoreThanTheTermsAllow(t *testing.T) {
	t.Parallel()
	server, _ := newScripted(t, fixture(t, 0))
	session := client(t, server, nil)
	read := func(path string) (string, error) {
		result, err := session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "https://lamps.example/" + path})
		if err != nil {
			return "", err
		}
		if len(result.Contents) != 1 || !json.Valid([]byte(result.Contents[0].Text)) {
			t.Fatalf("%s: %v", path, result.Contents)
		}
		return result.Contents[0].Text, nil
	}
	for _, c := range []struct{ path, shows, hides string }{
		{"brass", "bottle glass", `"score"`},
		{"premium/history", `"isAccessibleForFree":false`, "clay. The rest"},
		{"premium/history", "Before glass there was clay", "Whale"},
		{"quiet/letter", "wicks", "quoted"},
	} {
		text, err := read(c.path)
		if err != nil || !strings.Contains(text, c.shows) || strings.Contains(text, c.hides) {
			t.Errorf("%s shows %q, which must have %q and not %q: %v", c.path, text, c.shows, c.hides, err)
		}
	}
	_, blocked := read("drafts/laser")
	_, unknown := read("nothing/there")
	if blocked == nil || unknown == nil || blocked.Error() != unknown.Error() {
		t.Errorf("a blocked item is told as %v, one that is not there as %v", blocked, unknown)
	}
}

func TestCallEndsWhenTheClientLeaves(t *testing.T) {
	t.Parallel()
	server, script := newScripted(t, nil)
	web := httptest.NewServer(server.Handler(HTTP{}))
	defer web.Close()
	for _, revision := range []string{"", "2025-11-25", revisionStateless} {
		ctx, leave := context.WithCancel(t.Context())
		body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait","arguments":{}` + stateless(revision) + `}}`
		request, _ := http.NewRequestWithContext(ctx, http.MethodPost, web.URL, strings.NewReader(body))
		request.Header.Set("Content-Type", "application/json")
		if revision != "" {
			request.Header.Set("Mcp-Protocol-Version", revision)
			request.Header.Set("Mcp-Method", "tools/call")
			request.Header.Set("Mcp-Name", "wait")
		}
		go func() {
			if response, err := http.DefaultClient.Do(request); err == nil {
				response.Body.Close()
			}
		}()
		<-script.began
		leave()
		if err := <-script.ended; err == nil {
			t.Errorf("revision %q: the call's context did not end", revision)
		}
	}
}

// stateless is what the params of a call have beside in a revision without a handshake.
func stateless(revision string) string {
	if revision < revisionStateless {
		return ""
	}
	return fmt.Sprintf(`,"_meta":{"io.modelcontextprotocol/protocolVersion":%q,"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`, revision)
}

func TestPanicOfAToolIsAnInternalErrorAndTheServerLives(t *testing.T) {
	t.Parallel()
	server, _ := newScripted(t, nil)
	session := client(t, server, nil)
	_, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "panic"})
	if err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("got %v", err)
	}
	if _, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "echo", Arguments: map[string]any{}}); err !=
		nil {
		t.Errorf("afterwards: %v", err)
	}
}

func TestEveryRevisionOfTheSDKIsSpoken(t *testing.T) {
	t.Parallel()
	server, _ := newScripted(t, nil)
	web := httptest.NewServer(server.Handler(HTTP{}))
	defer web.Close()
	for _, revision := range sdk.SupportedProtocolVersions() {
		method, params := "initialize", fmt.Sprintf(`{"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":"t","version":"1"}}`, revision)
		if revision >= revisionStateless {
			method, params = "server/discover", "{"+stateless(revision)[1:]+"}"
		}
		_, body := post(t, web.URL, `{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":`+params+`}`, "Mcp-Protocol-Version", revision, "Mcp-Method", method)
		if !strings.Contains(body, `"`+revision+`"`) || !strings.Contains(body, `"instructions":"Ask for lamps."`) || !strings.Contains(body, `"tools":{}`) {
			t.Errorf("revision %s: %s", revision, body)
		}
	}
}

// post sends a message and gives the status and the body of the answer.
func post(t testing.TB, url, body string, headers ...string) (int, string) {
	t.Helper()
	request, err := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			request.Host = headers[i+1]
		}
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(text)
}

func TestAToolLearnsWhichLanguagesTheRequestPrefers(t *testing.T) {
	t.Parallel()
	server := New(Config{Name: "test", Version: "1", Tools: func() []httpx.Tool {
		return []httpx.Tool{{Name: "tongue", Description: "Gives back languages.", Input: []byte(`{"type":"object"}`),
			Call: func(_ context.Context, call httpx.Call) httpx.Result {
				return httpx.Result{Object: []byte(`{"languages":"` + call.Languages + `"}`), Meta: []byte(`{}`)}
			}}}
	}})
	web := httptest.NewServer(server.Handler(HTTP{}))
	defer web.Close()
	for _, header := range []string{"de-AT, en;q=0.5", ""} {
		_, answer := post(t, web.URL, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"tongue","arguments":{}}}`, "Accept-Language", header)
		if want := `"structuredContent":{"languages":"` + header + `"}`; !strings.Contains(answer, want) {
			t.Errorf("Accept-Language %q: got %s, want %s in it", header, answer, want)
		}
	}
}

func TestMethodsKnownHereAreThoseOfTheSDK(t *testing.T) {
	t.Parallel()
	server, _ := newScripted(t, nil)
	web := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server {
		return server.Server
	}, &sdk.StreamableHTTPOptions{Stateless: true, JSONResponse: true}))
	defer web.Close()
	for method := range methods {
		id := `"id":1,`
		if strings.HasPrefix(method, "notifications/") {
			id = ""
		}
		if method == listen {
			continue // it would be answered when it ends
		}
		if _, body := post(t, web.URL, `{"jsonrpc":"2.0",`+id+`"method":"`+method+`","params":{}}`, "Accept", "*/*"); strings.Contains(body, "unsupported") {
			t.Errorf("the SDK does not know %s: %s", method, body)
		}
	}
}

func TestWhoIsAnswered(t *testing.T) {
	t.Parallel()
	server, _ := newScripted(t, nil)
	serve := func(config HTTP) string {
		web := httptest.NewServer(server.Handler(config))
		t.Cleanup(web.Close)
		return web.URL
	}
	local := serve(HTTP{Origins: []string{"*"}, Hosts: []string{"www.lamps.example:8443"}})
	listed := serve(HTTP{Origins: []string{"https://page.example"}, Hosts: []string{"www.lamps.example"}})
	proxied := serve(HTTP{Origins: []string{"*"}, Forwarded: func(r *http.Request) string {
		return r.Header.Get("X-Forwarded-Host")
	}})
	for _, c := range []struct {
		name, url, host, origin, forwarded string
		want                               int
	}{
		{"a program of this machine", local, "", "", "", 200},
		{"a program of this machine by name", local, "localhost:9", "", "", 200},
		{"a program by a name under localhost", local, "desk.localhost", "", "", 200},
		{"a program over IPv6", local, "[::1]:80", "", "", 200},
		{"a page of this machine", local, "localhost", "http://localhost:6274", "", 200},
		{"a page of this machine over IPv6", local, "localhost", "http://[::1]:6274", "", 200},
		{"a page that rebinds its name", local, "evil.example", "http://evil.example", "", 403},
		{"a page that rebinds its name and sends no origin", local, "evil.example:80", "", "", 403},
		{"a name that only begins like ours", local, "localhost.evil.example", "", "", 403},
		{"a name that only ends like ours", local, "evil-localhost", "", "", 403},
		{"an address that is none of this machine", local, "10.0.0.1", "", "", 403},
		{"a strange page calls this machine", local, "127.0.0.1", "https://evil.example", "", 403},
		{"a sandboxed page calls this machine", local, "127.0.0.1", "null", "", 403},
		{"a page that is open as a file", local, "127.0.0.1", "file://", "", 403},
		{"an agent by the public name", local, "www.lamps.example:8443", "", "", 200},
		{"an agent by the public name in other letters", local, "WWW.Lamps.Example.", "", "", 200},
		{"any page by the public name", local, "www.lamps.example", "https://page.example", "", 200},
		{"a listed page by the public name", listed, "www.lamps.example", "https://page.example", "", 200},
		{"an own page by the public name", listed, "www.lamps.example", "https://www.lamps.example", "", 200},
		{"another page by the public name", listed, "www.lamps.example", "https://evil.example", "", 403},
		{"a listed page on this machine", listed, "127.0.0.1", "https://page.example", "", 200},
		{"through a proxy that is trusted", proxied, "127.0.0.1", "https://page.example", "desk.example", 200},
		{"as through a proxy that is trusted, without its word", proxied, "desk.example", "", "", 403},
	} {
		headers := []string{}
		for name, value := range map[string]string{"Host": c.host, "Origin": c.origin,
			"X-Forwarded-Host": c.forwarded} {
			if value != "" {
				headers = append(headers, name, value)
			}
		}
		if status, body := post(t, c.url, `{"jsonrpc":"2.0","id":1,"method":"ping"}`, headers...); status != c.want {
			t.Errorf("%s: status %d, want %d: %s", c.name, status, c.want, body)
		}
	}
}

func TestAServerThatIsNotOfThisMachineAloneKnowsItsNames(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		named bool
		host  string
		want  bool
	}{
		{true, "www.lamps.example", true}, {true, "other.example", false}, {true, "192.0.2.7:80", true},
		{true, "[2001:db8::1]", true},
		{false, "other.example", true},
	} {
		r := httptest.NewRequest(http.MethodPost, "/mcp", nil) // it came by no loopback
		r.Host = c.host
		reason := newPlace(HTTP{Hosts: []string{"www.lamps.example"}, OnlyHosts: c.named}).refuses(r)
		if (reason == "") != c.want {
			t.Errorf("named %v, asked as %s: %q", c.named, c.host, reason)
		}
	}
}

func FuzzReadMessages(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask","arguments":{"query":{"text":"a"}},"_meta":{"progressToken":1}}}`,
		`[{"jsonrpc":"2.0","method":"notifications/initialized"},{"jsonrpc":"2.0","id":"x","method":"ping"}]`,
		`{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","id":1e3,"method":"ping"}`, `[]`, `{`, `{"jsonrpc":"2.0","id":null,"method":"ping"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		messages, batch, wrong := readMessages(body, func(string) bool { return true })
		if wrong != nil {
			if answer := wrong.appendJSON(nil); !json.Valid(answer) || wrong.text == "" {
				t.Fatalf("the error is no JSON: %s", answer)
			}
			return
		}
		if len(messages) == 0 || len(messages) > maxBatch {
			t.Fatalf("%d messages", len(messages))
		}
		if batch {
			return
		}
		// What passes here, the SDK takes too, with the same id.
		message, err := jsonrpc.DecodeMessage(body)
		if err != nil {
			t.Fatalf("the SDK refuses %s: %v", body, err)
		}
		if request, ok := message.(*jsonrpc.Request); ok && request.Method != messages[0].method {
			t.Fatalf("method %q here, %q there", messages[0].method, request.Method)
		}
	})
}

// TestOnlyWhatIsDeclaredAnswers holds that a method of a capability that the server does not
// declare is unknown in every revision, and one that the newest revision no longer has in that,
// whatever its parameters lack.
func TestOnlyWhatIsDeclaredAnswers(t *testing.T) {
	t.Parallel()
	server, _ := newScripted(t, nil)
	handler := server.Handler(HTTP{})
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	undeclared := []string{
		"prompts/list", "prompts/get", "completion/complete", "logging/setLevel", "resources/subscribe",
		"resources/unsubscribe",
		"resources/list", "resources/read", "resources/templates/list",
	}
	for revision, methods := range map[string][]string{
		"": undeclared, "2025-11-25": undeclared, "2026-07-28": append([]string{"initialize", "ping"}, undeclared...),
	} {
		status := http.StatusOK
		if revision == "2026-07-28" {
			status = http.StatusNotFound
		}
		for _, method := range methods {
			for _, params := range []string{`{}`, `{` + meta + `}`, `{"level":"info","name":"a","uri":"a","protocolVersion":"2026-07-28"}`} {
				body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, method, params)
				r := httptest.NewRequest("POST", "/mcp", strings.NewReader(body))
				r.Header.Set("Content-Type", "application/json")
				if revision != "" {
					r.Header.Set("Mcp-Protocol-Version", revision)
				}
				w := httptest.NewRecorder()
				handler.ServeHTTP(w, r)
				if w.Code != status || !strings.Contains(w.Body.String(), `"code":-32601`) {
					t.Errorf("%q %s %s: %d %s", revision, method, params, w.Code, w.Body)
				}
			}
		}
	}
	answers := serve(t, fmt.Sprintf(hello, "2025-11-25"), `{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":1,"method":"prompts/list"}`, `{"jsonrpc":"2.0","id":2,"method":"logging/setLevel","params":{"level":"info"}}`,
		`{"jsonrpc":"2.0","id":3,"method":"resources/list"}`, `{"jsonrpc":"2.0","id":4,"method":"tools/list"}`)
	for id, want := range map[string]string{"1": "-32601", "2": "-32601", "3": "-32601", "4": `"tools"`} {
		if got := answers[id]; len(got) != 1 || !strings.Contains(got[0], want) {
			t.Errorf("%s is answered with %s, want %s", id, got, want)
		}
	}
}

// TestResultsHaveNothingThatOnlyAModelReads holds that tokens of chat templates, bidirectional
// controls and control characters of sites' texts reach no client: not in results, not in
// resources, not in descriptions.
func TestResultsHaveNothingThatOnlyAModelReads(t *testing.T) {
	t.Parallel()
	const dirty = "<|im_start|>Soup\u202e [INST]hot\x00"
	text, err := json.Marshal(map[string]string{"name": dirty})
	if err != nil {
		t.Fatal(err)
	}
	server := New(Config{Name: "test", Version: "1", Tools: func() []httpx.Tool {
		return []httpx.Tool{{Name: "soup", Title: dirty, Description: dirty, Input: []byte(`{"type":"object"}`),
			Call: func(context.Context, httpx.Call) httpx.Result {
				return httpx.Result{Object: text, Meta: text, Text: dirty}
			}}}
	}})
	session := client(t, server, nil)
	result, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "soup"})
	if err != nil {
		t.Fatal(err)
	}
	tools, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, shown := range []any{result, tools} {
		told, err := json.Marshal(shown)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(told); !strings.Contains(got, "Soup hot") || strings.Contains(got, "im_start") ||
			strings.Contains(got, "INST") ||
			strings.Contains(got, "\u202e") || strings.Contains(got, `\u0000`) || strings.Contains(got, `\u202e`) {
			t.Errorf("it tells %s", got)
		}
	}
}
