package app

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/content"
	"frontdesk/internal/testkit/storetest"
)

// logbook is what a server logs; it may be written to while a test reads.
type logbook struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logbook) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logbook) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// take gives what was logged since it was called before.
func (l *logbook) take() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.text.Reset()
	return l.text.String()
}

// tables are those of a server.
var tables = Config{}.Database(nil).Schemas

// open makes a server of a configuration's text, with one recipe in its catalog. It does not
// listen.
func open(t testing.TB, text string, change ...func(*Options)) (*App, *logbook) {
	t.Helper()
	folder := t.TempDir()
	loaded, err := Load(Layers{
		File: write(t, folder, "frontdesk.yaml", text),
		Flags: map[string]string{
			"listen": "127.0.0.1:0", "metrics.listen": "127.0.0.1:0", "log.level": "debug", "keys": t.TempDir(),
			"data": t.TempDir(), "store": storetest.NewSQLite(t, tables...),
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	log := &logbook{}
	options := Options{Loaded: loaded, Log: NewLog(Log{Level: "debug", Format: "json"}, log)}
	for _, c := range change {
		c(&options)
	}
	s, err := Build(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	fill(t, s, content.Item{
		URL: "https://example.com/soup", Types: []string{"Recipe"}, Name: "Lentil soup",
		Description: "A soup of lentils.",
		Object:      []byte(`{"@type":"Recipe","name":"Lentil soup","url":"https://example.com/soup"}`),
	})
	return s, log
}

func fill(t testing.TB, s *App, items ...content.Item) {
	t.Helper()
	run, err := s.Catalog.Begin(t.Context(), DefaultSite, "test")
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Put(t.Context(), items...); err != nil {
		t.Fatal(err)
	}
	if _, err := run.Commit(t.Context(), content.CommitOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := s.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// run starts a server and gives its address and a function that stops it and waits for its end.
func run(t *testing.T, s *App) (address string, stop func() error) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ready, ended := make(chan string, 1), make(chan error, 1)
	s.options.Ready = func(address string) { ready <- address }
	go func() { ended <- s.Run(ctx) }()
	var once sync.Once
	var result error
	stop = func() error {
		cancel()
		once.Do(func() { result = <-ended })
		return result
	}
	t.Cleanup(func() { stop() })
	select {
	case address = <-ready:
	case err := <-ended:
		t.Fatal(err)
	}
	return address, stop
}

func send(s http.Handler, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

func asking(text string) *http.Request {
	r := httptest.NewRequest("POST", "/ask", strings.NewReader(`{"query":{"text":"`+text+`"}}`))
	r.Header.Set("Content-Type", "application/json")
	return r
}

// envelope is what every answer that is no stream has.
type envelope struct {
	Meta struct {
		ResponseType string `json:"response_type"`
		Version      string `json:"version"`
	} `json:"_meta"`
	Error struct{ Code, Message string } `json:"error"`
}

func read(t *testing.T, w *httptest.ResponseRecorder) envelope {
	t.Helper()
	var e envelope
	if err := json.Unmarshal(w.Body.Bytes(), &e); err != nil {
		t.Errorf("the body is no JSON object: %v: %q", err, w.Body)
	}
	if e.Meta.Version != "0.55" || e.Meta.ResponseType == "" {
		t.Errorf("no _meta: %s", w.Body)
	}
	return e
}

func TestEveryRefusalIsAnEnvelope(t *testing.T) {
	t.Parallel()
	s, _ := open(t, "limits: {body: 1KiB}")
	large := asking(strings.Repeat("a", 2000))
	text := asking("soup")
	text.Header.Set("Content-Type", "text/plain")
	for name, c := range map[string]struct {
		request *http.Request
		status  int
		code    string
	}{
		"unknown path":      {httptest.NewRequest("GET", "/nothing", nil), 404, "NOT_FOUND"},
		"slash at the end":  {httptest.NewRequest("POST", "/ask/", nil), 404, "NOT_FOUND"},
		"doubled slash":     {httptest.NewRequest("POST", "http://example.com//ask", nil), 404, "NOT_FOUND"},
		"dot segments":      {httptest.NewRequest("POST", "/x/../ask", nil), 404, "NOT_FOUND"},
		"encoded dots":      {httptest.NewRequest("POST", "/x/%2e%2e/ask", nil), 404, "NOT_FOUND"},
		"method of ask":     {httptest.NewRequest("PUT", "/ask", nil), 405, "METHOD_NOT_ALLOWED"},
		"method of health":  {httptest.NewRequest("POST", "/healthz", nil), 405, "METHOD_NOT_ALLOWED"},
		"body too large":    {large, 413, "TOO_LARGE"},
		"body of text":      {text, 415, "UNSUPPORTED_MEDIA_TYPE"},
		"no question":       {asking(" "), 400, "INVALID_QUERY"},
		"invented method":   {httptest.NewRequest("SPLICE", "/ask", nil), 405, "METHOD_NOT_ALLOWED"},
		"invented method 2": {httptest.NewRequest("SPLICE", "/x", nil), 404, "NOT_FOUND"},
	} {
		t.Run(name, func(t *testing.T) {
			w := send(s, c.request)
			if e := read(t, w); w.Code != c.status || e.Error.Code != c.code || e.Error.Message == "" ||
				e.Meta.ResponseType != "failure" {
				t.Errorf("%d %s", w.Code, w.Body)
			}
			allow := w.Header().Get("Allow")
			if c.status == 405 && allow == "" {
				t.Error("no Allow")
			}
			if at := c.request.URL.Path; c.status == 405 && (at == "/ask") != strings.Contains(allow, "OPTIONS") {
				t.Errorf("%s allows %s", at, allow)
			}
		})
	}
}

func TestAskIsAnswered(t *testing.T) {
	t.Parallel()
	s, _ := open(t, "")
	w := send(s, asking("lentil soup"))
	if e := read(t, w); w.Code != 200 || e.Meta.ResponseType != "answer" ||
		!strings.Contains(w.Body.String(), "https://example.com/soup") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if h := w.Header(); h.Get("X-Content-Type-Options") != "nosniff" || h.Get("X-Request-Id") == "" ||
		!strings.Contains(h.Get("Content-Security-Policy"), "default-src 'none'") {
		t.Errorf("headers: %v", h)
	}
}

func TestPagesOfOtherOriginsMayAskAsConfigured(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		config, origin, want string
	}{
		{"", "https://any.example", "*"},
		{"", "", "*"},
		{"cors: {origins: [https://a.example, https://b.example]}", "https://b.example", "https://b.example"},
		{"cors: {origins: [https://a.example]}", "https://b.example", ""},
		{"cors: {origins: [https://a.example]}", "", ""},
		{"cors: {origins: []}", "https://b.example", ""},
	} {
		s, _ := open(t, c.config)
		for _, request := range []*http.Request{
			httptest.NewRequest("OPTIONS", "/ask", nil), asking("lentil soup"), asking("nothing of the kind"),
		} {
			if c.origin != "" {
				request.Header.Set("Origin", c.origin)
				request.Header.Set("Access-Control-Request-Method", "POST")
			}
			w := send(s, request)
			h := w.Header()
			if got := h.Get("Access-Control-Allow-Origin"); got != c.want {
				t.Errorf("%s %q from %q: allowed is %q, want %q", request.Method, c.config, c.origin, got, c.want)
			}
			if c.want != "*" && h.Get("Vary") != "Origin" {
				t.Errorf("%q: an answer for one origin may be kept for another: %v", c.config, h)
			}
			if request.Method != "OPTIONS" {
				continue
			}
			if w.Code != 204 || w.Body.Len() > 0 || h.Get("Allow") == "" {
				t.Errorf("OPTIONS: %d %q %v", w.Code, w.Body, h)
			}
			if methods := h.Get("Access-Control-Allow-Methods"); (c.want != "") != strings.Contains(methods, "POST") {
				t.Errorf("%q from %q: methods %q", c.config, c.origin, methods)
			}
		}
	}
}

// broken is a page whose handler panics, after its first byte when late.
func broken(late bool) func(*Options) {
	return func(o *Options) {
		o.Pages = map[string]http.Handler{"/broken": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "5")
			if late {
				io.WriteString(w, "he")
			}
			panic("the secret cause")
		})}
	}
}

func TestPanicIsAnsweredWithoutItsCause(t *testing.T) {
	t.Parallel()
	s, log := open(t, "", broken(false))
	w := send(s, httptest.NewRequest("GET", "/broken", nil))
	if e := read(t, w); w.Code != 500 || e.Error.Code != "INTERNAL_ERROR" ||
		strings.Contains(w.Body.String(), "secret") || strings.Contains(w.Body.String(), ".go") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if length := w.Header().Get("Content-Length"); length != "" && length != fmt.Sprint(w.Body.Len()) {
		t.Error("the length is still that of the answer that did not come")
	}
	if id := w.Header().Get("X-Request-Id"); !strings.Contains(log.String(), "the secret cause") ||
		strings.Count(log.String(), id) != 2 {
		t.Errorf("the log does not have the cause and the event of %s:\n%s", id, log)
	}
}

func TestPanicAfterTheFirstByteCutsTheAnswer(t *testing.T) {
	t.Parallel()
	s, _ := open(t, "", broken(true))
	address, _ := run(t, s)
	response, err := http.Get(address + "/broken")
	if err != nil {
		return // cut before the client had the head
	}
	defer response.Body.Close()
	if body, err := io.ReadAll(response.Body); err == nil {
		t.Errorf("an answer of %q looks whole", body)
	}
}

func TestOverloadIsRefusedAndProbesAreAnswered(t *testing.T) {
	t.Parallel()
	entered, leave := make(chan bool), make(chan bool)
	s, _ := open(t, "limits: {requests: 1}", func(o *Options) {
		o.Pages = map[string]http.Handler{"/slow": http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
			entered <- true
			<-leave
		})}
	})
	done := make(chan bool)
	go func() {
		send(s, httptest.NewRequest("GET", "/slow", nil))
		close(done)
	}()
	<-entered
	w := send(s, asking("soup"))
	if e := read(t, w); w.Code != 503 || e.Error.Code != "UNAVAILABLE" || w.Header().Get("Retry-After") != "1" {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	for _, probe := range []string{"/healthz", "/readyz"} {
		if w := send(s, httptest.NewRequest("GET", probe, nil)); w.Code != 200 {
			t.Errorf("%s: %d %s", probe, w.Code, w.Body)
		}
	}
	close(leave)
	<-done
	if w := send(s, asking("soup")); w.Code != 200 {
		t.Errorf("after the load: %d %s", w.Code, w.Body)
	}
}

// TestWhatIsNotServedIsNoErrorOfTheLog: it is for those whose server failed, and anybody may ask
// for what is not there.
func TestWhatIsNotServedIsNoErrorOfTheLog(t *testing.T) {
	t.Parallel()
	for status, level := range map[int]string{http.StatusNotImplemented: "INFO", http.StatusServiceUnavailable: "WARN",
		http.StatusInternalServerError: "ERROR"} {
		s, log := open(t, "")
		s.front.Routes.HandleFunc("/answers", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
		get(s, "/answers")
		if text := log.String(); !strings.Contains(text, fmt.Sprintf(`"level":%q,"msg":"request"`, level)) {
			t.Errorf("%d is not told as %s:\n%s", status, level, text)
		}
	}
}

func TestOneEventPerRequestWithoutTheQuestion(t *testing.T) {
	t.Parallel()
	s, log := open(t, "log: {level: info}")
	s.front.Log = NewLog(Log{Level: "info", Format: "json"}, log)
	r := asking("lentil zebrafish")
	r.RemoteAddr = "203.0.113.9:1234"
	r.Header.Set("User-Agent", "somebody")
	w := send(s, r)
	send(s, httptest.NewRequest("GET", "/private/zebrafish?q=zebrafish", nil))
	send(s, httptest.NewRequest("GET", "/healthz", nil))
	send(s, httptest.NewRequest("GET", "/?q=zebrafish", nil))
	var events []map[string]any
	for line := range strings.Lines(log.String()) {
		var event map[string]any
		if json.Unmarshal([]byte(line), &event) == nil && event["msg"] == "request" {
			events = append(events, event)
		}
	}
	if len(events) != 3 {
		t.Fatalf("%d events of three requests and a probe:\n%s", len(events), log)
	}
	first := events[0]
	if first["id"] != w.Header().Get("X-Request-Id") || first["route"] != "/ask" || first["status"] != 200.0 ||
		first["response"] != "answer" || first["bytes"] != float64(w.Body.Len()) {
		t.Errorf("event: %v", first)
	}
	if events[1]["route"] != "none" || events[1]["status"] != 404.0 {
		t.Errorf("event: %v", events[1])
	}
	if events[2]["route"] != "/" || events[2]["status"] != 200.0 {
		t.Errorf("event: %v", events[2])
	}
	for _, private := range []string{"zebrafish", "203.0.113.9", "somebody"} {
		if strings.Contains(log.String(), private) {
			t.Errorf("the log tells %s:\n%s", private, log)
		}
	}
}

func TestReadyOnlyWhileQuestionsAreAnswered(t *testing.T) {
	t.Parallel()
	loaded, err := Load(
		Layers{Flags: map[string]string{"keys": t.TempDir(), "store": storetest.NewSQLite(t, tables...)}})
	if err != nil {
		t.Fatal(err)
	}
	s, err := Build(t.Context(), Options{Loaded: loaded})
	if err != nil {
		t.Fatal(err)
	}
	ready := func() int { return send(s, httptest.NewRequest("GET", "/readyz", nil)).Code }
	if code := ready(); code != 503 {
		t.Errorf("before the content is loaded: %d", code)
	}
	if w := send(s, asking("soup")); w.Code != 503 || w.Header().Get("Retry-After") == "" {
		t.Errorf("a question before the content is loaded: %d %s", w.Code, w.Body)
	}
	if err := s.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if code := ready(); code != 200 {
		t.Errorf("when loaded: %d", code)
	}
	s.stopping.Store(true)
	if code := ready(); code != 503 {
		t.Errorf("when stopping: %d", code)
	}
	s.stopping.Store(false)
	s.Close()
	if code := ready(); code != 503 {
		t.Errorf("without a database: %d", code)
	}
	if code := send(s, httptest.NewRequest("GET", "/healthz", nil)).Code; code != 200 {
		t.Errorf("the process is said to be unwell: %d", code)
	}
}

// slow is a page that answers when told to.
func slow(entered, leave chan bool) func(*Options) {
	return func(o *Options) {
		o.Pages = map[string]http.Handler{"/slow": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			entered <- true
			select {
			case <-leave:
			case <-r.Context().Done():
			}
			io.WriteString(w, "done")
		})}
	}
}

func TestStopLetsRequestsFinish(t *testing.T) {
	t.Parallel()
	entered, leave := make(chan bool), make(chan bool)
	s, log := open(t, "", slow(entered, leave))
	address, stop := run(t, s)
	body := make(chan string)
	go func() {
		response, err := http.Get(address + "/slow")
		if err != nil {
			body <- err.Error()
			return
		}
		defer response.Body.Close()
		text, _ := io.ReadAll(response.Body)
		body <- string(text)
	}()
	<-entered
	stopped := make(chan error)
	go func() { stopped <- stop() }()
	for { // until the listener is closed, and new connections are refused
		c, err := net.Dial("tcp", strings.TrimPrefix(address, "http://"))
		if err != nil {
			break
		}
		c.Close()
	}
	close(leave)
	if got := <-body; got != "done" {
		t.Errorf("the request in work got %q", got)
	}
	if err := <-stopped; err != nil {
		t.Errorf("stopped with %v\n%s", err, log)
	}
}

func TestStopCutsOffWhatTakesTooLong(t *testing.T) {
	t.Parallel()
	entered, leave := make(chan bool), make(chan bool)
	s, log := open(t, "limits: {shutdown_timeout: 50ms}", slow(entered, leave))
	address, stop := run(t, s)
	go http.Get(address + "/slow")
	<-entered
	if err := stop(); err != nil {
		t.Error(err)
	}
	if !strings.Contains(log.String(), "requests were cut off") {
		t.Errorf("the log does not say so:\n%s", log)
	}
}

func TestHTTP2WithoutTLSIsServed(t *testing.T) {
	t.Parallel()
	s, _ := open(t, "")
	address, _ := run(t, s)
	transport := &http.Transport{Protocols: new(http.Protocols)}
	transport.Protocols.SetUnencryptedHTTP2(true)
	defer transport.CloseIdleConnections()
	response, err := (&http.Client{Transport: transport}).Post(address+"/ask", "application/json", strings.NewReader(`{"query":{"text":"lentil soup"},"prefer":{"streaming":true}}`))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if response.ProtoMajor != 2 || err != nil || !strings.Contains(string(body), "event: complete") {
		t.Errorf("%s: %v: %s", response.Proto, err, body)
	}
}

func TestSlowHeadIsCutOff(t *testing.T) {
	t.Parallel()
	s, _ := open(t, "limits: {header_timeout: 50ms}")
	address, _ := run(t, s)
	c, err := net.Dial("tcp", strings.TrimPrefix(address, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	io.WriteString(c, "POST /ask HTTP/1.1\r\nHost: a\r\n")
	c.SetReadDeadline(time.Now().Add(10 * time.Second))
	if _, err := io.ReadAll(c); err != nil {
		t.Errorf("the connection was not closed: %v", err)
	}
}

func TestLargeHeadIsRefused(t *testing.T) {
	t.Parallel()
	s, _ := open(t, "limits: {header: 4KiB}")
	address, _ := run(t, s)
	request, _ := http.NewRequest("GET", address+"/healthz", nil)
	request.Header.Set("X-Large", strings.Repeat("a", 20<<10))
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return // closed before the answer was read
	}
	response.Body.Close()
	if response.StatusCode != 431 {
		t.Errorf("status %d", response.StatusCode)
	}
}

func TestTakenPortIsNamedWithWhatToDo(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	s, _ := open(t, "")
	s.config.Listen = taken.Addr().String()
	err = s.Run(t.Context())
	want := fmt.Sprintf("%s is taken by another program; choose another address with --listen, for example "+
		"--listen 127.0.0.1:0 for any free port", taken.Addr())
	if err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
	s.config.Listen, s.config.Metrics.Listen = "127.0.0.1:0", taken.Addr().String()
	if err = s.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "--metrics-listen") {
		t.Errorf("got %v", err)
	}
}

func TestTakenDefaultPortOfMetricsIsNoObstacle(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	s, log := open(t, "")
	s.config.Metrics.Listen = taken.Addr().String()
	s.options.Loaded.origins.Forget("metrics.listen")
	address, _ := run(t, s)
	if response, err := http.Get(address + "/healthz"); err != nil || response.StatusCode != 200 {
		t.Errorf("%v, %v", response, err)
	}
	if !strings.Contains(log.String(), "no metrics") {
		t.Errorf("the log does not say so:\n%s", log)
	}
}

func TestMetricsTellOfRequestsWithFewLabels(t *testing.T) {
	t.Parallel()
	s, log := open(t, "")
	address, _ := run(t, s)
	for _, text := range []string{"lentil soup", "zebrafish", " "} {
		response, err := http.Post(address+"/ask", "application/json", strings.NewReader(`{"query":{"text":"`+text+`"}}`))
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
	}
	if response, err := http.Get(address + "/ask"); err == nil { // tells how to ask, and asks nothing
		response.Body.Close()
	}
	if response, err := http.Get(address + "/ask?query=lentil+soup"); err == nil {
		response.Body.Close()
	}
	for _, call := range []string{`"tools/call","params":{"name":"ask","arguments":{"query":{"text":"lentil soup"}}}`, `"tools/list"`} {
		response, err := http.Post(address+"/mcp", "application/json", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":`+call+`}`))
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
	}
	for i := range 50 {
		request, _ := http.NewRequest(fmt.Sprintf("METHOD%d", i), fmt.Sprintf("%s/path/%d", address, i), nil)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
	}
	var at struct{ Address string }
	for line := range strings.Lines(log.String()) {
		if strings.Contains(line, `"metrics"`) {
			json.Unmarshal([]byte(line), &at)
		}
	}
	response, err := http.Get("http://" + at.Address + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var text strings.Builder
	series := 0
	for lines := bufio.NewScanner(response.Body); lines.Scan(); {
		text.WriteString(lines.Text() + "\n")
		if strings.HasPrefix(lines.Text(), "frontdesk_http_requests_total{") {
			series++
		}
	}
	for _, want := range []string{
		`frontdesk_http_requests_total{method="POST",route="/ask",status="200"} 2`,
		`frontdesk_http_requests_total{method="POST",route="/ask",status="400"} 1`,
		`frontdesk_http_requests_total{method="other",route="none",status="404"} 50`,
		`frontdesk_http_request_seconds_count{route="/ask",status="200"} 4`,
		`frontdesk_asks_total{response="answer"} 3`,
		`frontdesk_asks_total{response="failure"} 2`,
		`frontdesk_index_items 1`,
		`go_goroutines`,
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %s in\n%s", want, text.String())
		}
	}
	if strings.Contains(text.String(), `frontdesk_asks_total{response="elicitation"}`) {
		t.Error("how to ask was counted as a question")
	}
	if series != 5 {
		t.Errorf("%d series of requests", series)
	}
	// Figures are not for the public.
	if response, err := http.Get(address + "/metrics"); err != nil || response.StatusCode != 404 {
		t.Errorf("%v, %v", response, err)
	}
}

// TestBackupsKnowWhoseEachTableIs: a backup takes the tables whose names begin with the id of a
// schema and an underscore.
func TestBackupsKnowWhoseEachTableIs(t *testing.T) {
	t.Parallel()
	made := regexp.MustCompile(`(?i)CREATE TABLE (?:IF NOT EXISTS )?(\w+)`)
	for _, schema := range tables {
		for _, table := range made.FindAllStringSubmatch(strings.Join(schema.Steps, "\n"), -1) {
			if owner, _, ok := strings.Cut(table[1], "_"); !ok || owner != schema.ID {
				t.Errorf("no backup has the table %s of the schema %s", table[1], schema.ID)
			}
		}
	}
}
