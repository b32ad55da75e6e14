package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"frontdesk/wire/nlweb"
)

// desk serves what a test says, and gives a client of it.
func desk(t testing.TB, options Options, answer http.HandlerFunc) *Client {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	c, err := New(server.URL, options)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// says answers every question the same.
func says(status int, contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

const whole = `{"_meta":{"response_type":"answer","response_format":"conversational_search","version":"0.55","session_context":{"a":1.50},
	"understood":{"text":"tea; price under €5","filters":[{"name":"price","text":"price under €5","max":5,"below":true,"unit":"EUR","from":"question"}]},
	"ignored":[{"name":"/query/price","reason":"unknown"}],"processing_time_ms":0.5},
	"results":[{"@type":"SearchSummary","text":"Two soups."},
	{"@type":["Recipe","Thing"],"name":"Soup","url":"https://a.example/1","description":"Hot.","site":"a","score":98.5,"cookTime":"PT10M"},
	{"@type":"Recipe","name":["Stew","Eintopf"],"url":7,"score":"high"}]}`

func TestWidgetOfAnAnswerIsRead(t *testing.T) {
	t.Parallel()
	c := desk(t, Options{}, says(200, "application/json", `{"_meta":{"response_type":"answer","version":"0.55","response_format":"chatgpt_app",
		"openai/outputTemplate":"ui://widget/answer.html","openai/widgetAccessible":true},"content":[],"structuredData":[]}`))
	answer, err := c.Ask(t.Context(), Question{Text: "soup", Format: nlweb.FormatChatGPT})
	if err != nil {
		t.Fatal(err)
	}
	if m := answer.Meta; m.OutputTemplate != "ui://widget/answer.html" || m.WidgetAccessible == nil ||
		!*m.WidgetAccessible {
		t.Errorf("the widget is %q, %v", m.OutputTemplate, m.WidgetAccessible)
	}
}

func TestAnswerIsReadWithTypesAndRaw(t *testing.T) {
	t.Parallel()
	c := desk(t, Options{}, says(200, "application/json", whole))
	answer, err := c.Ask(t.Context(), Question{Text: "soup"})
	if err != nil {
		t.Fatal(err)
	}
	if answer.Summary != "Two soups." || answer.Meta.Version != "0.55" || string(answer.Meta.SessionContext) != `{"a":1.50}` ||
		*answer.Meta.ProcessingTime != 0.5 || len(answer.Meta.Understood.Filters) != 1 ||
		*answer.Meta.Understood.Filters[0].Max != 5 || len(answer.Meta.Ignored) != 1 || string(answer.Raw) != whole {
		t.Errorf("answer: %+v", answer)
	}
	soup := answer.Results[0]
	var more struct{ CookTime string }
	if err := soup.Decode(&more); err != nil || more.CookTime != "PT10M" {
		t.Errorf("decoded: %+v, %v", more, err)
	}
	soup.Raw, answer.Results[1].Raw = nil, nil
	want := []Result{
		{Index: 1, Types: []string{"Recipe", "Thing"}, Name: "Soup", URL: "https://a.example/1", Description: "Hot.",
			Site: "a", Score: 98.5},
		{Index: 2, Types: []string{"Recipe"}, Name: "Stew"},
	}
	if diff := cmp.Diff(want, []Result{soup, answer.Results[1]}); diff != "" {
		t.Error(diff)
	}
}

func TestQuestionIsWrittenAsTheProtocolHasIt(t *testing.T) {
	t.Parallel()
	var body []byte
	var header http.Header
	c := desk(t, Options{Token: StaticToken("secret"), UserAgent: "test/1"},
		func(w http.ResponseWriter, r *http.Request) {
			body, _ = io.ReadAll(r.Body)
			header = r.Header
			says(200, "application/json", whole)(w, r)
		})
	least := 12.5
	_, err := c.Ask(t.Context(), Question{
		Text: "soup", Sites: []string{"a", "b"}, Types: []string{"Recipe"}, Filters: map[string]any{"price": "under 5"},
		Limit: 3, MinScore: &least,
		Previous: []string{"stew"}, Modes: []string{"list", "summarize"}, Format: nlweb.FormatChatGPT, Language: "de",
		Session: []byte(`{"k":1}`), User: "u", Remember: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"query":{"text":"soup","site":"a, b","itemType":"Recipe","limit":3,"min_score":12.5,"price":"under 5"},` +
		`"context":{"@type":"ConversationalContext","prev":["stew"]},` +
		`"prefer":{"streaming":false,"response_format":"chatgpt_app","mode":"list, summarize","accept-language":"de"},` +
		`"meta":{"version":"0.55","session_context":{"k":1},"user":"u","remember":true}}`
	if diff := cmp.Diff(want, string(body)); diff != "" {
		t.Error(diff)
	}
	for name, want := range map[string]string{
		"Authorization": "Bearer secret", "User-Agent": "test/1", "Accept-Language": "de", "Accept": "application/json",
		"Content-Type": "application/json",
	} {
		if got := header.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if _, err := nlweb.DecodeAsk(body); err != nil {
		t.Errorf("a strict server refuses the question: %v", err)
	}
	if _, err := c.Ask(t.Context(), Question{Text: "soup"}); err != nil || string(body) != `{"query":{"text":"soup"},"prefer":{"streaming":false},"meta":{"version":"0.55"}}` {
		t.Errorf("the least question is %s, %v", body, err)
	}
}

func TestFailureIsTyped(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		status     int
		body, code string
	}{
		{200, `{"_meta":{"response_type":"failure","version":"0.55"},"error":{"code":"NO_RESULTS","message":"Nothing."}}`, "NO_RESULTS"},
		{400, `{"_meta":{"response_type":"failure","version":"0.55"},"error":{"code":"INVALID_QUERY"}}`, "INVALID_QUERY"},
		{401, `{"error":"no"}`, "UNKNOWN"},
		{200, `{"_meta":{"response_type":"Failure"}}`, "UNKNOWN"},
	} {
		c := desk(t, Options{}, says(row.status, "application/json", row.body))
		_, err := c.Ask(t.Context(), Question{Text: "soup"})
		var failure *Failure
		if !errors.As(err, &failure) || failure.Code != row.code || failure.Status != row.status ||
			string(failure.Raw) != row.body {
			t.Errorf("%s: %#v", row.body, err)
		}
		if IsNoResults(err) != (row.code == "NO_RESULTS") {
			t.Errorf("%s: IsNoResults says %v", row.body, IsNoResults(err))
		}
		if _, err = c.Stream(t.Context(), Question{Text: "soup"}); !errors.As(err, &failure) ||
			failure.Code != row.code {
			t.Errorf("%s: asked for as a stream: %#v", row.body, err)
		}
	}
}

func TestWhatIsNoAnswerOfADeskIsSaidToBeNone(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		status int
		body   string
	}{
		{200, "<html>"}, {200, ""}, {200, "[]"}, {200, "null"}, {200, `{"results":[]}`}, {502, "bad gateway"}, {500, `{"_meta":{"response_type":"answer"}}`},
		{200, `{"_meta":{"response_type":"answer"},"results":[1]}`},
	} {
		_, err := desk(t, Options{}, says(row.status, "text/html", row.body)).Ask(t.Context(), Question{Text: "soup"})
		var no *NotADesk
		if !errors.As(err, &no) || no.Status != row.status {
			t.Errorf("%d %s: %v", row.status, row.body, err)
		}
	}
	_, err := desk(t, Options{}, says(202, "application/json", `{"_meta":{"response_type":"promise"},"promise":{"token":"t"}}`)).Ask(t.Context(), Question{Text: "soup"})
	if !errors.Is(err, ErrPromised) {
		t.Errorf("a promise: %v", err)
	}
}

func TestOddMembersOfMetaAreNoHindrance(t *testing.T) {
	t.Parallel()
	body := `{"_meta":{"response_type":"answer","version":0.55,"session_context":"x","ignored":"nothing","processing_time_ms":"fast"},"results":[]}`
	answer, err := desk(t, Options{}, says(200, "application/json", body)).Ask(t.Context(), Question{Text: "soup"})
	if err != nil || answer.Meta.ResponseType != "answer" || answer.Meta.SessionContext != nil {
		t.Errorf("%+v, %v", answer, err)
	}
}

func TestElicitationIsGiven(t *testing.T) {
	t.Parallel()
	body := `{"_meta":{"response_type":"elicitation","version":"0.55"},"elicitation":{"text":"Which?","questions":[{"id":"diet","text":"Diet?","type":"single_select","options":["vegan"]}]}}`
	c := desk(t, Options{}, says(200, "application/json", body))
	answer, err := c.Ask(t.Context(), Question{Text: "food"})
	if err != nil || answer.Elicitation == nil || answer.Elicitation.Questions[0].ID != "diet" {
		t.Fatalf("%+v, %v", answer, err)
	}
	s, err := c.Stream(t.Context(), Question{Text: "food"})
	if err != nil || s.Elicitation() == nil {
		t.Fatalf("as a stream: %+v, %v", s, err)
	}
	for r, err := range s.Results() {
		t.Errorf("an elicitation has a result: %+v, %v", r, err)
	}
}

func TestAnswerLargerThanAllowedIsRefused(t *testing.T) {
	t.Parallel()
	body := `{"_meta":{"response_type":"answer"},"results":[{"@type":"Thing","name":"` + strings.Repeat("x", 1000) + `"}]}`
	handler := says(200, "application/json", body)
	if _, err := desk(t, Options{MaxAnswer: int64(len(body))}, handler).Ask(t.Context(),
		Question{Text: "a"}); err != nil {
		t.Errorf("an answer of just the size: %v", err)
	}
	_, err := desk(t, Options{MaxAnswer: int64(len(body)) - 1}, handler).Ask(t.Context(), Question{Text: "a"})
	var broken *Broken
	if !errors.As(err, &broken) || !errors.Is(err, ErrTooLarge) {
		t.Errorf("an answer of one byte more: %v", err)
	}
}

func TestAddressIsOfTheDeskOrItsEndpoint(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"https://a.example":           "https://a.example/ask",
		"https://a.example/":          "https://a.example/ask",
		"https://a.example/desk":      "https://a.example/desk/ask",
		"https://a.example/desk/ask":  "https://a.example/desk/ask",
		"http://[::1]:8080/ask?x=1#f": "http://[::1]:8080/ask?x=1",
	} {
		c, err := New(in, Options{})
		if err != nil || c.Address() != want {
			t.Errorf("%s: %v, %v", in, c, err)
		}
	}
	for _, in := range []string{
		"", "a.example", "ftp://a.example", "http:///ask", "https://user:secret@a.example", "://",
	} {
		if _, err := New(in, Options{}); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", in, err)
		}
	}
}

func TestUnreachableDeskSaysSoWithoutTheToken(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	listener.Close()
	c, err := New("http://"+listener.Addr().String(), Options{Token: StaticToken("secret")})
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Ask(t.Context(), Question{Text: "a"})
	var gone *Unreachable
	if !errors.As(err, &gone) || strings.Contains(err.Error(), "secret") ||
		strings.Count(err.Error(), c.Address()) != 1 {
		t.Errorf("%v", err)
	}
	c.options.Token = func(context.Context) (string, error) { return "", errors.New("the vault is closed") }
	if _, err = c.Ask(t.Context(), Question{Text: "a"}); err == nil || !strings.Contains(err.Error(), "vault") {
		t.Errorf("no token: %v", err)
	}
}

func TestRedirectsKeepQuestionAndSecret(t *testing.T) {
	t.Parallel()
	var got, token string
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got, token = string(body), r.Header.Get("Authorization")
		says(200, "application/json", whole)(w, r)
	}))
	defer other.Close()
	elsewhere := strings.Replace(other.URL, "127.0.0.1", "localhost", 1)
	status := http.StatusPermanentRedirect
	c := desk(t, Options{Token: StaticToken("secret")}, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, elsewhere+"/ask", status)
	})
	if _, err := c.Ask(t.Context(), Question{Text: "soup"}); err != nil || !strings.Contains(got, "soup") ||
		token != "" {
		t.Errorf("308: body %q, token %q, %v", got, token, err)
	}
	status = http.StatusMovedPermanently
	if _, err := c.Ask(t.Context(), Question{Text: "soup"}); err == nil ||
		!strings.Contains(err.Error(), "loses the question") {
		t.Errorf("301: %v", err)
	}
	secure := httptest.NewTLSServer(http.RedirectHandler(elsewhere+"/ask", http.StatusPermanentRedirect))
	defer secure.Close()
	c, _ = New(secure.URL, Options{HTTP: secure.Client()})
	if _, err := c.Ask(t.Context(), Question{Text: "soup"}); err == nil ||
		!strings.Contains(err.Error(), "not secured") {
		t.Errorf("https to http: %v", err)
	}
}

// pipes is a network within a bubble of fake time.
type pipes struct {
	dialled chan net.Conn
	closed  chan struct{}
}

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case p.dialled <- theirs:
		return ours, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.dialled:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { close(p.closed); return nil }
func (p *pipes) Addr() net.Addr { return &net.UnixAddr{} }

// inBubble runs a test in fake time, with a desk that answers as the handler does.
func inBubble(t *testing.T, options Options, handler http.HandlerFunc, test func(*testing.T, *Client)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		network := &pipes{make(chan net.Conn), make(chan struct{})}
		server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body) // only then does net/http see a client go
			handler(w, r)
		})}
		go server.Serve(network)
		transport := &http.Transport{DialContext: network.dial}
		options.HTTP = &http.Client{Transport: transport}
		c, err := New("http://desk.example", options)
		if err != nil {
			t.Fatal(err)
		}
		test(t, c)
		transport.CloseIdleConnections()
		server.Close()
	})
}

func TestBusyDeskIsAskedAgainWhenItSaysSo(t *testing.T) {
	for _, row := range []struct {
		name, retryAfter string
		status           int
		least, most      time.Duration // of the two waits together
	}{
		{"seconds", "7", 429, 14 * time.Second, 16 * time.Second},
		{"nothing", "", 503, 750 * time.Millisecond, 1500 * time.Millisecond},
		{"nonsense", "soon", 503, 750 * time.Millisecond, 1500 * time.Millisecond},
		// a bubble's time begins in 2000
		{"a date", "Sat, 01 Jan 2000 00:00:10 GMT", 503, 10500 * time.Millisecond, 12250 * time.Millisecond},
	} {
		t.Run(row.name, func(t *testing.T) {
			calls := 0
			inBubble(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
				if calls++; calls < 3 {
					w.Header().Set("Retry-After", row.retryAfter)
					says(row.status, "text/plain", "busy")(w, r)
					return
				}
				says(200, "application/json", whole)(w, r)
			}, func(t *testing.T, c *Client) {
				began := time.Now()
				if _, err := c.Ask(t.Context(), Question{Text: "soup"}); err != nil {
					t.Fatal(err)
				}
				if took := time.Since(began); calls != 3 || took < row.least || took > row.most {
					t.Errorf("%d calls in %s", calls, took)
				}
			})
		})
	}
}

func TestBusyDeskIsLeftAloneInTheEnd(t *testing.T) {
	const limited = `{"_meta":{"response_type":"failure"},"error":{"code":"RATE_LIMITED","message":"Slower."}}`
	for _, row := range []struct {
		name    string
		options Options
		after   string
		within  time.Duration // of the context; 0 is none
		calls   int
	}{
		{"after three retries", Options{}, "1", 0, 4},
		{"at once when told to", Options{Retries: -1}, "1", 0, 1},
		{"when it wants too much patience", Options{}, "31", 0, 1},
		{"when a larger wait is allowed", Options{MaxWait: time.Hour, Retries: 1}, "31", 0, 2},
		{"when the deadline comes before", Options{}, "10", 5 * time.Second, 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			calls := 0
			inBubble(t, row.options, func(w http.ResponseWriter, r *http.Request) {
				calls++
				w.Header().Set("Retry-After", row.after)
				says(429, "application/json", limited)(w, r)
			}, func(t *testing.T, c *Client) {
				ctx, cancel := t.Context(), context.CancelFunc(func() {})
				if row.within > 0 {
					ctx, cancel = context.WithTimeout(ctx, row.within)
				}
				defer cancel()
				_, err := c.Ask(ctx, Question{Text: "soup"})
				var failure *Failure
				if !errors.As(err, &failure) || failure.Code != nlweb.CodeRateLimited || failure.Status != 429 ||
					failure.RetryAfter == 0 || calls != row.calls {
					t.Errorf("after %d calls: %v", calls, err)
				}
			})
		})
	}
}

func TestOtherFailuresAreNotRetried(t *testing.T) {
	t.Parallel()
	var calls atomic.Int32
	c := desk(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		says(500, "application/json", `{"_meta":{"response_type":"failure"},"error":{"code":"INTERNAL_ERROR"}}`)(w, r)
	})
	if _, err := c.Ask(t.Context(), Question{Text: "soup"}); err == nil || calls.Load() != 1 {
		t.Errorf("%d calls, %v", calls.Load(), err)
	}
}

func TestSilentDeskIsGivenUp(t *testing.T) {
	for name, begin := range map[string]string{"before the answer": "", "within it": `{"_meta":`} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, Options{Silence: time.Minute}, func(w http.ResponseWriter, r *http.Request) {
				if begin != "" {
					io.WriteString(w, begin)
					http.NewResponseController(w).Flush()
				}
				<-r.Context().Done() // the client must hang up for this to end
			}, func(t *testing.T, c *Client) {
				began := time.Now()
				_, err := c.Ask(t.Context(), Question{Text: "soup"})
				if took := time.Since(began); !errors.Is(err, ErrSilent) || took != time.Minute {
					t.Errorf("after %s: %v", took, err)
				}
			})
		})
	}
}

func TestContextEndsAWait(t *testing.T) {
	stop := errors.New("enough")
	inBubble(t, Options{}, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "20")
		w.WriteHeader(503)
	}, func(t *testing.T, c *Client) {
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(5*time.Second, func() { cancel(stop) })
		if _, err := c.Ask(ctx, Question{Text: "soup"}); !errors.Is(err, stop) {
			t.Errorf("%v", err)
		}
	})
}

func TestClosedConnectionIsReplacedWithoutAWord(t *testing.T) {
	t.Parallel()
	// Each connection answers once and is then closed by the server, as one that was idle for too
	// long is.
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			buffer := make([]byte, 4096)
			conn.Read(buffer)
			fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
				len(whole), whole)
			conn.Close()
		}
	}()
	c, err := New("http://"+listener.Addr().String(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for range 50 {
		if _, err := c.Ask(t.Context(), Question{Text: "soup"}); err != nil {
			t.Fatal(err)
		}
	}
}
