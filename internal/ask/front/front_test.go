package front

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/internal/content/released"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/yamlconf"
	wire "frontdesk/wire/nlweb"
)

// answerOf is an answer with items "name site score".
func answerOf(items ...string) string {
	var all []string
	for _, one := range items {
		f := strings.Fields(one)
		all = append(all, fmt.Sprintf(`{"@type":"Thing","name":%q,"url":"https://%s.example/%s","site":%q,"score":%s}`, f[0], f[1], f[0], f[1], f[2]))
	}
	return `{"_meta":{"response_type":"answer","version":"0.55"},"results":[` + strings.Join(all, ",\n") + `]}`
}

// says is a node that answers everything with one body.
func says(t *testing.T, status int, body string) *httptest.Server {
	return server(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		io.WriteString(w, body)
	})
}

func server(t *testing.T, handler http.HandlerFunc) *httptest.Server {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body) // or nobody would notice that the front has gone
		r.Body = io.NopCloser(bytes.NewReader(text))
		handler(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

// frontOf is a front of nodes with the sites a, b and so on, one each.
func frontOf(t *testing.T, change func(*Options), nodes ...*httptest.Server) *Front {
	t.Helper()
	o := Options{Settings: Settings{Timeout: 300 * time.Millisecond}}
	var sites []released.Site
	for i, n := range nodes {
		site := string(rune('a' + i))
		sites = append(sites, released.Site{ID: site})
		o.Settings.Nodes = append(o.Settings.Nodes, NodeSettings{URL: n.URL, Sites: []string{site}})
	}
	o.Sites = released.Named(sites...)
	if change != nil {
		change(&o)
	}
	f, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func asking(text string, sites ...string) Question {
	return Question{Request: &wire.AskRequest{Query: &wire.Query{Text: text, Site: sites}}, Limit: 10}
}

func names(all []Result) string {
	var names []string
	for _, r := range all {
		names = append(names, r.Name)
	}
	return strings.Join(names, " ")
}

func TestAnswersAreMergedByScore(t *testing.T) {
	t.Parallel()
	f := frontOf(t, nil, says(t, 200, answerOf("one a 90", "two a 40", "three a 60")), says(t, 200,
		answerOf("four b 90", "five b 50")))
	reply, err := f.Ask(t.Context(), asking("x"))
	// Of equal scores the first node's; and each node's own order holds.
	if got := names(reply.Results); err != nil || got != "one four five two three" {
		t.Errorf("%v %s", err, got)
	}
	few := asking("x")
	few.Limit = 3
	if reply, _ := f.Ask(t.Context(), few); names(reply.Results) != "one four five" {
		t.Errorf("of three: %s", names(reply.Results))
	}
	for _, r := range reply.Results {
		if strings.ContainsAny(string(r.JSON), "\n") {
			t.Errorf("an item on several lines: %s", r.JSON)
		}
	}
	if reply, _ := f.Ask(t.Context(), asking("x", "b")); names(reply.Results) != "four five" {
		t.Errorf("of one site: %s", names(reply.Results))
	}
	if _, err := f.Ask(t.Context(), asking("x", "c")); fail.From(err).Code != fail.Invalid {
		t.Errorf("of a site that nobody has: %v", err)
	}
}

// TestNoNodeSpoilsTheAnswer holds that whatever one node does, the other's answer comes in time,
// and says why the rest is missing.
func TestNoNodeSpoilsTheAnswer(t *testing.T) {
	t.Parallel()
	stop := make(chan struct{})
	t.Cleanup(func() { close(stop) })
	endless := func(kind, begin, more string, pause time.Duration) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", kind)
			io.WriteString(w, begin)
			for {
				if _, err := io.WriteString(w, more); err != nil {
					return
				}
				w.(http.Flusher).Flush()
				select {
				case <-stop:
					return
				case <-r.Context().Done():
					return
				case <-time.After(pause):
				}
			}
		}
	}
	gone := httptest.NewServer(nil)
	gone.Close()
	start := "event: start\ndata: {\"_meta\":{\"response_type\":\"answer\",\"version\":\"0.55\"}}\n\n"
	for name, tc := range map[string]struct {
		node *httptest.Server
		want string
	}{
		"gone": {gone, wire.ReasonUnreachable},
		"silent": {server(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }),
			wire.ReasonTimeout},
		"dripping": {server(t, endless("application/json", `{"_meta":`, " ", 10*time.Millisecond)),
			wire.ReasonTimeout},
		"oversized": {server(t, endless("application/json", `{"_meta":"`, strings.Repeat("x", 4<<20), 0)),
			wire.ReasonUnfit},
		"endless stream": {server(t, endless("text/event-stream", start, ": still here\n\n", 10*time.Millisecond)),
			wire.ReasonTimeout},
		"large event": {server(t, endless("text/event-stream", start+"data: ", strings.Repeat("x", 1<<20), 0)),
			wire.ReasonUnfit},
		"whole stream": {server(t, wholeStream(start)), wire.ReasonUnfit},
		"page":         {says(t, 200, "<html>"), wire.ReasonUnfit},
		"list":         {says(t, 200, "[]"), wire.ReasonUnfit},
		"items": {says(t, 200, `{"_meta":{"response_type":"answer","version":"0.55"},"results":[1]}`),
			wire.ReasonUnfit},
		"foreign site": {says(t, 200, answerOf("stolen a 99")), wire.ReasonUnfit},
		"score":        {says(t, 200, answerOf("top b 1000")), wire.ReasonUnfit},
		"twice": {says(t, 200, strings.Replace(answerOf("x b 9"), `"site":"b"`, `"site":"b","site":"a"`, 1)),
			wire.ReasonUnfit},
		"no UTF-8": {says(t, 200, strings.Replace(answerOf("x b 9"), `"x"`, "\"\xff\"", 1)), wire.ReasonUnfit},
		"moved": {server(t, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/there", http.StatusPermanentRedirect)
		}), wire.ReasonUnreachable},
		"unauthorized": {says(t, 401,
			`{"_meta":{"response_type":"failure","version":"0.55"},"error":{"code":"UNAUTHORIZED"}}`),
			wire.ReasonRefused},
		"busy": {says(t, 429,
			`{"_meta":{"response_type":"failure","version":"0.55"},"error":{"code":"RATE_LIMITED"}}`), wire.ReasonBusy},
		"proxy": {says(t, 502, "bad gateway"), wire.ReasonFailed},
		"its own fault": {says(t, 200,
			`{"_meta":{"response_type":"failure","version":"0.55"},"error":{"code":"TIMEOUT"}}`),
			wire.ReasonFailed},
		"internal": {says(t, 500,
			`{"_meta":{"response_type":"failure","version":"0.55"},"error":{"code":"INTERNAL_ERROR"}}`),
			wire.ReasonFailed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := frontOf(t, func(o *Options) {
				if tc.want != wire.ReasonTimeout { // which is for what comes at once
					o.Settings.Timeout = 30 * time.Second
				}
			}, says(t, 200, answerOf("good a 50")), tc.node)
			began := time.Now()
			reply, err := f.Ask(t.Context(), asking("x"))
			if took := time.Since(began); took > 20*time.Second {
				t.Errorf("the answer took %s", took)
			}
			if err != nil || names(reply.Results) != "good" || len(reply.Meta.Unanswered) != 1 {
				t.Fatalf("%v %+v", err, reply)
			}
			if got := reply.Meta.Unanswered[0]; got.Node != "node-2" || strings.Join(got.Sites, "") != "b" ||
				got.Reason != tc.want {
				t.Errorf("%+v, want %s", got, tc.want)
			}
			if name == "its own fault" { // which alone is told as the node tells it
				return
			}
			_, err = f.Ask(t.Context(), asking("x", "b"))
			if told := fail.From(err); told.Code != fail.Unavailable || told.RetryAfter == 0 ||
				!strings.Contains(told.Detail, tc.want) {
				t.Errorf("alone: %v", err)
			}
		})
	}
}

// wholeStream is a stream that nobody asked for, though it is whole.
func wholeStream(start string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		const complete = "event: complete\ndata: {\"_meta\":{\"response_type\":\"answer\",\"version\":\"0.55\"}}\n\n"
		io.WriteString(w, start+complete)
	}
}

func TestNothingIsFoundWhereOneLookedAndFoundNothing(t *testing.T) {
	t.Parallel()
	nothing := `{"_meta":{"response_type":"failure","version":"0.55","closest":[{"@type":"Thing"}]},` +
		`"error":{"code":"NO_RESULTS","message":"nothing"}}`
	f := frontOf(t, nil, says(t, 503, "{}"), says(t, 200, nothing))
	reply, err := f.Ask(t.Context(), asking("x"))
	if fail.From(err).Code != fail.NoResults || len(reply.Meta.Closest) != 1 || len(reply.Meta.Unanswered) != 1 {
		t.Errorf("%v %+v", err, reply)
	}
	if reply, err := frontOf(t, nil, says(t, 200, nothing), says(t, 200, answerOf("x b 9"))).Ask(t.Context(),
		asking("x")); err != nil || names(reply.Results) != "x" {
		t.Errorf("%v %+v", err, reply)
	}
	refused := says(t, 200,
		`{"_meta":{"response_type":"failure","version":"0.55"},"error":{"code":"TOKEN_LIMIT","message":"too long"}}`)
	if _, err := frontOf(t, nil, refused, refused).Ask(t.Context(), asking("x")); fail.From(err).Code != fail.TooLong {
		t.Errorf("%v", err)
	}
}

// recorder is a node that keeps the last request, and answers with what it is told.
type recorder struct {
	*httptest.Server
	header atomic.Pointer[http.Header]
	asked  atomic.Pointer[map[string]any]
	path   atomic.Pointer[string]
	body   atomic.Pointer[string]
	status atomic.Int32
}

func record(t *testing.T, body string) *recorder {
	r := &recorder{}
	r.body.Store(&body)
	r.status.Store(200)
	r.Server = server(t, func(w http.ResponseWriter, q *http.Request) {
		header, asked, path := q.Header.Clone(), map[string]any{}, q.URL.Path
		json.NewDecoder(q.Body).Decode(&asked)
		r.header.Store(&header)
		r.asked.Store(&asked)
		r.path.Store(&path)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(int(r.status.Load()))
		io.WriteString(w, *r.body.Load())
	})
	return r
}

// TestWhatIsPassedOn holds what goes to a node: the question with its context and preferences, whom
// it is asked for, and the front's own key. Nothing goes along that tells a node who the asker
// is.
func TestWhatIsPassedOn(t *testing.T) {
	t.Parallel()
	key := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(key, []byte("secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	a, b := record(t, answerOf("one a 9")), record(t, answerOf("two b 9"))
	f := frontOf(t, func(o *Options) {
		o.Settings.Nodes[0].KeyFile = key
		o.Asker = func(context.Context) (netip.Addr, bool) { return netip.MustParseAddr("192.0.2.9"), true }
	}, a.Server, b.Server)
	request, err := wire.DecodeAsk([]byte(`{"query":{"text":"tea","itemType":"Product","price":"under 9","min_score":7},
		"context":{"@type":"ConversationalContext","prev":["harbour"],"memory":"vegan"},
		"prefer":{"mode":"list, Summarize, teleport","accept-language":"de","streaming":true,"response_format":"chatgpt_app"},
		"meta":{"user":"ann","remember":true}}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Ask(t.Context(), Question{Request: request, Limit: 3}); err != nil {
		t.Fatal(err)
	}
	got, _ := json.Marshal(*a.asked.Load())
	for _, want := range []string{
		`"text":"tea"`, `"itemType":"Product"`, `"price":"under 9"`, `"limit":3`, `"min_score":7`,
		`"prev":["harbour"]`, `"vegan"`,
		`"mode":"list, summarize"`, `"accept-language":"de"`, `"streaming":false`, `"elicitation":false`,
		`"conversation_id":"`,
	} {
		if !strings.Contains(string(got), want) {
			t.Errorf("%s is not passed on: %s", want, got)
		}
	}
	for _, not := range []string{"ann", "remember", "chatgpt_app", "teleport", "site"} {
		if strings.Contains(string(got), not) {
			t.Errorf("%s is passed on: %s", not, got)
		}
	}
	for _, tc := range []struct {
		at         *recorder
		name, want string
	}{
		{a, "Authorization", "Bearer secret"}, {b, "Authorization", ""}, {a, "X-Forwarded-For", "192.0.2.9"}, {a,
			"User-Agent", UserAgent}, {a, "Cookie", ""},
	} {
		if got := tc.at.header.Load().Get(tc.name); got != tc.want {
			t.Errorf("%s is %q, want %q", tc.name, got, tc.want)
		}
	}
}

// TestOneNodesWordsPass holds that a node that is asked alone may ask back or promise, and that its
// promise is its own.
func TestOneNodesWordsPass(t *testing.T) {
	t.Parallel()
	a, b := record(t, answerOf("one a 9")), record(t, answerOf("two b 9"))
	f := frontOf(t, nil, a.Server, b.Server)
	set := func(r *recorder, status int32, body string) {
		r.status.Store(status)
		r.body.Store(&body)
	}
	set(b, 200, `{"_meta":{"response_type":"elicitation","version":"0.55"},"elicitation":{"questions":[{"id":"q","text":"Which?","type":"free_text"}]}}`)
	reply, err := f.Ask(t.Context(), asking("x", "b"))
	if err != nil || reply.Elicitation == nil || reply.Elicitation.Questions[0].ID != "q" {
		t.Errorf("%v %+v", err, reply)
	}
	set(b, 202, `{"_meta":{"response_type":"promise","version":"0.55"},"promise":{"token":"T","estimated_time":3}}`)
	wanted := asking("x", "b")
	wanted.Format = wire.FormatChatGPT
	if reply, err = f.Ask(t.Context(), wanted); err != nil || reply.Promise == nil || reply.Promise.Token == "T" ||
		reply.Promise.EstimatedTime != 3 {
		t.Fatalf("%v %+v", err, reply)
	}
	token := reply.Promise.Token
	if again, err := f.Await(t.Context(), token, false); err != nil || again.Promise == nil ||
		again.Promise.Token != token {
		t.Errorf("%v %+v", err, again)
	}
	if got := (*b.asked.Load())["promise_token"]; got != "T" || *b.path.Load() != "/await" {
		t.Errorf("the node was asked at %s for %v", *b.path.Load(), got)
	}
	set(b, 200, answerOf("late b 9"))
	if done, err := f.Await(t.Context(), token, false); err != nil || names(done.Results) != "late" ||
		done.Format != wire.FormatChatGPT {
		t.Errorf("%v %+v", err, done)
	}
	set(b, 200, `{"_meta":{"response_type":"failure","version":"0.55"},"error":{"code":"CANCELLED"}}`)
	if _, err := f.Await(t.Context(), token, true); fail.From(err).Code != fail.Cancelled {
		t.Errorf("%v", err)
	}
	for _, strange := range []string{"", "T", encode(promised{Node: "nobody", Token: "T"})} {
		if _, err := f.Await(t.Context(), strange, false); fail.From(err).Code != fail.UnknownPromise {
			t.Errorf("%q: %v", strange, err)
		}
	}
	// Several nodes are waited for; who is not ready in time is missing.
	set(b, 202, `{"_meta":{"response_type":"promise","version":"0.55"},"promise":{"token":"T","estimated_time":60}}`)
	if reply, err := f.Ask(t.Context(), asking("x")); err != nil || names(reply.Results) != "one" ||
		reply.Meta.Unanswered[0].Reason != wire.ReasonTimeout {
		t.Errorf("%v %+v", err, reply)
	}
	report := asking("x")
	report.Request.Prefer.Mode = wire.List{"Report"}
	if _, err := f.Ask(t.Context(), report); fail.From(err).Code != fail.UnsupportedMode {
		t.Errorf("%v", err)
	}
}

// TestConversationsGoOnAtEachNode holds that each node gets its own state back, and no other's.
func TestConversationsGoOnAtEachNode(t *testing.T) {
	t.Parallel()
	with := func(site, state string) string {
		return strings.Replace(answerOf("x "+site+" 9"), `"version"`,
			`"session_context":{"conversation_id":"C","state_token":"`+state+`"},"version"`, 1)
	}
	a, b := record(t, with("a", "state-a")), record(t, with("b", "state-b"))
	f := frontOf(t, nil, a.Server, b.Server)
	first := asking("x")
	first.Session = wire.ReadSession([]byte(`{"conversation_id":"C","mine":1}`))
	reply, err := f.Ask(t.Context(), first)
	session := wire.ReadSession(reply.Meta.SessionContext)
	if err != nil || session.ConversationID != "C" || session.StateToken == "" || string(session.Other["mine"]) != "1" {
		t.Fatalf("%v %s", err, reply.Meta.SessionContext)
	}
	next := asking("y")
	next.Session = session
	if _, err := f.Ask(t.Context(), next); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		at    *recorder
		state string
	}{{a, "state-a"}, {b, "state-b"}} {
		got, _ := json.Marshal((*tc.at.asked.Load())["meta"])
		if !strings.Contains(string(got), `"state_token":"`+tc.state+`"`) || !strings.Contains(string(got),
			`"conversation_id":"C"`) || strings.Contains(string(got), "mine") {
			t.Errorf("%s got %s", tc.state, got)
		}
	}
	// A question to one node keeps the other's state.
	alone := asking("z", "a")
	alone.Session = session
	if reply, err = f.Ask(t.Context(), alone); err != nil ||
		unpack(wire.ReadSession(reply.Meta.SessionContext).StateToken)["node-2"] != "state-b" {
		t.Errorf("%v %s", err, reply.Meta.SessionContext)
	}
	for _, r := range []*recorder{a, b} {
		r.status.Store(204)
	}
	if err := f.Forget(t.Context(), session); err != nil || *a.path.Load() != "/sessions/C" ||
		b.header.Load().Get("Session-State") != "state-b" {
		t.Errorf("%v %s %v", err, *a.path.Load(), *b.header.Load())
	}
	b.Close()
	if err := f.Forget(t.Context(), session); fail.From(err).Code != fail.Unavailable {
		t.Errorf("with a node that is gone: %v", err)
	}
	if err := f.Forget(t.Context(), wire.Session{ConversationID: "C", StateToken: "nonsense"}); err != nil {
		t.Errorf("without a state: %v", err)
	}
}

func TestAdmissionComesFirst(t *testing.T) {
	t.Parallel()
	a := record(t, answerOf("one a 9"))
	var sites []string
	f := frontOf(t, func(o *Options) {
		o.Admit = func(_ context.Context, ids []string) error {
			sites = ids
			return fail.New(fail.Limited, "too many")
		}
	}, a.Server)
	if _, err := f.Ask(t.Context(), asking("x", "a")); fail.From(err).Code != fail.Limited || a.asked.Load() != nil ||
		strings.Join(sites, "") != "a" {
		t.Errorf("%v, of %v", err, sites)
	}
}

func TestSettingsAreChecked(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		of   Settings
		want string
	}{
		"good": {Settings{Timeout: time.Second, Nodes: []NodeSettings{{URL: "http://a",
			Sites: []string{"a"}}, {URL: "http://b", Sites: []string{"b"}}}}, ""},
		"one":          {Settings{Timeout: time.Second}, ""},
		"part":         {Settings{Sites: []string{"a"}}, ""},
		"no such site": {Settings{Sites: []string{"c"}}, "spread.sites[0]: there is no site c; there are a, b"},
		"nowhere": {Settings{Nodes: []NodeSettings{{URL: "http://a", Sites: []string{"a"}}}},
			"spread.nodes: no node has the site b; add it to the sites of one"},
		"twice": {Settings{Nodes: []NodeSettings{{URL: "http://a", Sites: []string{"a", "b"}},
			{URL: "http://b", Sites: []string{"b"}}}}, "spread.nodes[1].sites[0]: b is at node-1, too"},
		"unknown": {Settings{Nodes: []NodeSettings{{URL: "http://a", Sites: []string{"a", "b", "c"}}}},
			"spread.nodes[0].sites[2]: there is no site c"},
		"same name": {Settings{Nodes: []NodeSettings{{URL: "http://a", Name: "n", Sites: []string{"a"}},
			{URL: "http://b", Name: "n", Sites: []string{"b"}}}},
			"spread.nodes[1].name: n is the name of another node too"},
		"no address": {Settings{Nodes: []NodeSettings{{Sites: []string{"a", "b"}}}},
			"spread.nodes[0].url: say where"},
		"with password": {Settings{Nodes: []NodeSettings{{URL: "http://u:p@a", Sites: []string{"a", "b"}}}},
			"spread.nodes[0].url: the address holds a password"},
		"two keys": {Settings{Nodes: []NodeSettings{{URL: "http://a", KeyEnv: "A", KeyFile: "b",
			Sites: []string{"a", "b"}}}}, "spread.nodes[0].key_file: there is key_env, too"},
		"no key": {Settings{Nodes: []NodeSettings{{URL: "http://a", KeyFile: "/nowhere", Sites: []string{"a",
			"b"}}}}, "spread.nodes[0].key_file: the file cannot be read"},
		"too patient": {Settings{Timeout: time.Hour, Nodes: []NodeSettings{{URL: "http://a", Sites: []string{"a",
			"b"}}}}, "spread.timeout: 1h is not less than limits.write_timeout"},
	} {
		report := yamlconf.NewReport()
		if tc.of.Timeout == 0 {
			tc.of.Timeout = time.Second
		}
		tc.of.Check(report.Section("spread"))
		tc.of.CheckSites(report.Section("spread"), []string{"a", "b"}, time.Minute)
		var told []string
		for _, note := range report.Notes() {
			told = append(told, note.Key+": "+note.Detail)
		}
		if got := strings.Join(told, "\n"); (tc.want == "") != (got == "") || !strings.HasPrefix(got, tc.want) {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}
