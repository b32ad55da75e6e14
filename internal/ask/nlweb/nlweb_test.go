package nlweb

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"frontdesk/internal/ask"
	"frontdesk/internal/content"
	"frontdesk/internal/content/released"
	"frontdesk/internal/identity"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/policy"
	"frontdesk/internal/testkit/contenttest"
	"frontdesk/internal/testkit/storetest"
	"frontdesk/internal/testkit/transcript"
	wire "frontdesk/wire/nlweb"
)

// fixture answers from two small sites: a shop in English and a garden journal in German, with one
// licensed and one blocked item, and as many more lamps as wanted. It returns the service and the
// store under it.
func fixture(t testing.TB, more ...int) (*ask.Service, *store.DB) {
	t.Helper()
	ctx := context.Background()
	db := storetest.Chosen(t, content.Schema)
	catalog := content.New(db, content.Options{})
	for site, items := range map[string][]content.Item{
		"lamps": {
			thing("https://lamps.example/brass", "Product", "en", "Brass reading lamp",
				"A brass lamp for late readers.", `"offers":{"price":49.5,"priceCurrency":"EUR"}`),
			thing("https://lamps.example/paper", "Product", "en", "Paper lamp",
				"A lamp of folded paper, light as its shade.", `"offers":{"price":19,"priceCurrency":"EUR"}`),
			thing("https://lamps.example/premium/history", "Article", "en", "A history of the lamp",
				"Before glass there was clay. The rest is for subscribers: whale oil ruined three harbours.", ""),
			thing("https://lamps.example/drafts/laser", "Product", "en", "Laser lamp",
				"Unannounced: the zirconium lamp.", ""),
		},
		"garten": {
			thing("https://garten.example/rosen", "Article", "de", "Rosen schneiden",
				"Rosen schneidet man im Frühling, wenn die Forsythien blühen.", ""),
			thing("https://garten.example/aepfel", "Recipe", "de", "Apfelmus <b>pur</b>",
				"Äpfel & Zimt, \"sonst\" nichts.", `"totalTime":"PT30M"`),
		},
	} {
		for i := range slices.Max(append(more, 0)) {
			items = append(items, thing(fmt.Sprintf("https://%s.example/more/%d", site, i), "Product", "en",
				fmt.Sprintf("Lamp %d", i), "One of many.", ""))
		}
		run, err := catalog.Begin(ctx, site, "files")
		if err != nil {
			t.Fatal(err)
		}
		if err := run.Put(ctx, items...); err != nil {
			t.Fatal(err)
		}
		if _, err := run.Commit(ctx, content.CommitOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	rules, err := policy.New([]policy.Rule{
		{Match: policy.Match{Path: []string{"/premium/**"}}, Access: policy.Licensed,
			Excerpt: policy.Excerpt{Words: 5}},
		{Match: policy.Match{Path: []string{"/drafts/**"}}, Access: policy.Blocked},
		{Access: policy.Open},
	})
	if err != nil {
		t.Fatal(err)
	}
	return answering(t, contentOf(t, db, rules,
		released.Site{ID: "lamps", Hosts: []string{"lamps.example"}},
		released.Site{ID: "garten", Hosts: []string{"garten.example"}},
	), ask.Deps{}), db
}

// contentOf is what a database has of sites, under rules.
func contentOf(t testing.TB, db *store.DB, rules *policy.Terms, sites ...released.Site) *released.Corpus {
	t.Helper()
	c := contenttest.New(t, db, released.Deps{Sites: released.NewSites(sites...)})
	c.SetTerms(t, rules)
	return c.Corpus
}

// answering is a service that answers with items of at least 20 points.
func answering(t testing.TB, corpus *released.Corpus, deps ask.Deps) *ask.Service {
	t.Helper()
	deps.Corpus, deps.Reading.MinScore = corpus, 20
	s, err := ask.New(deps)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func thing(url, typ, language, name, text, more string) content.Item {
	quoted, _ := json.Marshal(name)
	object := fmt.Sprintf(`{"@type":%q,"url":%q,"name":%s`, typ, url, quoted)
	if more != "" {
		object += "," + more
	}
	return content.Item{
		URL: url, Types: []string{typ}, Name: name, Description: text, Language: language, Object: []byte(object + "}"),
		Passages: []content.Passage{{ID: content.PassageID(text, 0), Text: text}},
	}
}

// noon is a clock that stands.
func noon() time.Time { return time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC) }

func TestTranscripts(t *testing.T) {
	t.Parallel()
	d, _ := fixture(t)
	transcript.Run(t, "testdata/*.txtar", Handler(d, Config{Now: noon, MaxBody: 1 << 10}))
}

func TestEveryCodeHasItsWordAndStatus(t *testing.T) {
	t.Parallel()
	want := map[fail.Code]string{
		fail.Malformed: "400 INVALID_QUERY", fail.Invalid: "200 INVALID_QUERY", fail.NoResults: "200 NO_RESULTS",
		fail.UnsupportedFormat: "200 UNSUPPORTED_FORMAT", fail.UnsupportedMode: "200 UNSUPPORTED_MODE",
		fail.TooLong: "200 TOKEN_LIMIT", fail.TooLarge: "413 TOO_LARGE", fail.NotFound: "404 NOT_FOUND",
		fail.Method: "405 METHOD_NOT_ALLOWED", fail.MediaType: "415 UNSUPPORTED_MEDIA_TYPE",
		fail.Limited: "429 RATE_LIMITED", fail.Unavailable: "503 UNAVAILABLE", fail.Unauthorized: "401 UNAUTHORIZED",
		fail.Forbidden: "403 FORBIDDEN", fail.Timeout: "200 TIMEOUT", fail.Slow: "408 TIMEOUT",
		fail.Cancelled: "200 CANCELLED", fail.UnknownPromise: "200 PROMISE_NOT_FOUND",
		fail.Internal: "500 INTERNAL_ERROR",
	}
	for _, code := range fail.Codes {
		w := httptest.NewRecorder()
		cause := fail.New(code, "what to do")
		cause.RetryAfter = 1500 * time.Millisecond
		WriteError(w, httptest.NewRequest("POST", "/ask", nil), cause.Wrap(fmt.Errorf("/secret/path")))
		var response wire.Response
		if err := json.Unmarshal(w.Body.Bytes(), &response); err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprintf("%d %s", w.Code, response.Error.Code)
		if got != want[code] || response.Meta.ResponseType != "failure" || response.Meta.Version != "0.55" ||
			response.Error.Message != "what to do" {
			t.Errorf("%s: %s, want %s: %s", code, got, want[code], w.Body)
		}
		if w.Header().Get("Retry-After") != "2" || strings.Contains(w.Body.String(), "secret") {
			t.Errorf("%s: Retry-After %q, body %s", code, w.Header().Get("Retry-After"), w.Body)
		}
	}
	w := httptest.NewRecorder()
	WriteError(w, httptest.NewRequest("POST", "/ask", nil), fmt.Errorf("open /secret/path: denied"))
	if w.Code != 500 || strings.Contains(w.Body.String(), "secret") {
		t.Errorf("an uncoded error is shown as %d %s", w.Code, w.Body)
	}
}

func post(t testing.TB, h http.Handler, accept, body string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest("POST", "/ask", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	if accept != "" {
		r.Header.Set("Accept", accept)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestPreferStreamingOutweighsAccept(t *testing.T) {
	t.Parallel()
	d, _ := fixture(t)
	h := Handler(d, Config{})
	const sse, plain = "text/event-stream", "application/json"
	for _, c := range []struct{ accept, prefer, want string }{
		{"", "", plain},
		{"*/*", "", plain},
		{sse, "", sse},
		{"text/event-stream;q=0.9, application/json", "", sse},
		{"application/json, text/event-stream", "", plain},
		{"TEXT/EVENT-STREAM", "", sse},
		{sse, `,"prefer":{"streaming":false}`, plain},
		{"", `,"prefer":{"streaming":true}`, sse},
		{plain, `,"prefer":{"streaming":true}`, sse},
	} {
		w := post(t, h, c.accept, `{"query":{"text":"lamp"}`+c.prefer+`}`)
		if got := w.Header().Get("Content-Type"); got != c.want || w.Code != 200 {
			t.Errorf("Accept %q, prefer %q: %d %s, want %s", c.accept, c.prefer, w.Code, got, c.want)
		}
	}
}

func TestStreamAndJSONHoldTheSameItems(t *testing.T) {
	t.Parallel()
	d, _ := fixture(t)
	h := Handler(d, Config{Now: noon})
	for _, format := range []string{"conversational_search", "chatgpt_app"} {
		body := `{"query":{"text":"lamp"},"prefer":{"mode":"list, summarize","response_format":"` + format + `"}}`
		var whole wire.Response
		if err := json.Unmarshal(post(t, h, "", body).Body.Bytes(), &whole); err != nil {
			t.Fatal(err)
		}
		items := append(whole.Results, whole.StructuredData...)
		streamed := post(t, h, "text/event-stream", body).Body
		index := 0
		for scanner := bufio.NewScanner(streamed); scanner.Scan(); {
			data, ok := strings.CutPrefix(scanner.Text(), `data: {"index":`)
			if !ok {
				continue
			}
			want := fmt.Sprintf(`%d,"item":%s}`, index, items[index])
			if data != want {
				t.Errorf("%s: event %d\n got %s\nwant %s", format, index, data, want)
			}
			index++
		}
		if index != len(items) || index < 3 {
			t.Errorf("%s: %d events for %d items", format, index, len(items))
		}
	}
}

// TestDrainedAnswerIsTheSameAsTheWholeOne holds it for an answer that is found again in the middle.
func TestDrainedAnswerIsTheSameAsTheWholeOne(t *testing.T) {
	t.Parallel()
	d, _ := fixture(t, 700)
	never := 0.0
	answer, err := answerTo(d.Ask(t.Context(), ask.Question{Text: "lamp", Limit: 1000, MinScore: &never}))
	if err != nil {
		t.Fatal(err)
	}
	total := answer.Len()
	var whole, drained []string
	for result, err := range answer.Results(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		whole = append(whole, string(result.AppendJSON(nil)))
	}
	for drain := answer.Drain(); ; {
		result, more, err := drain.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if !more {
			break
		}
		drained = append(drained, string(result.AppendJSON(nil)))
	}
	if len(whole) < 600 || total != len(whole) || answer.Len() != 0 {
		t.Errorf("%d results, announced as %d, and %d left", len(whole), total, answer.Len())
	}
	if diff := cmp.Diff(whole, drained); diff != "" {
		t.Error(diff)
	}
}

func TestNothingIsWrittenForAClientThatHasGone(t *testing.T) {
	t.Parallel()
	d, _ := fixture(t)
	answer, err := answerTo(d.Ask(context.Background(), ask.Question{Text: "lamp"}))
	if err != nil {
		t.Fatal(err)
	}
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	if body := streamOf(t, d, answer, gone); strings.Contains(body, "event: result") {
		t.Errorf("results are written for a client that has gone: %s", body)
	}
}

func TestFailureInTheMiddleOfAStreamIsAnErrorEventBeforeComplete(t *testing.T) {
	t.Parallel()
	d, db := fixture(t, 50)
	answer, err := answerTo(d.Ask(context.Background(), ask.Question{Text: "lamp", Limit: 50}))
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(t.Context(), func(tx *store.Tx) error { // what is not ready yet can no longer be read
		_, err := tx.Exec(t.Context(), `DROP TABLE content_item`)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	body := streamOf(t, d, answer, context.Background())
	results := strings.Count(body, "event: result\n")
	failed := strings.Index(body, `event: error`+"\n"+`data: {"_meta":{"response_type":"failure"`)
	done := strings.Index(body, `event: complete`+"\n"+`data: {"_meta":{"response_type":"answer"`)
	if results == 0 || results >= 50 || failed < 0 || done < failed ||
		!strings.Contains(body, `"code":"UNAVAILABLE"`) || strings.Contains(body, "content_item") {
		t.Errorf("%d results, error at %d, complete at %d:\n%s", results, failed, done, body)
	}
}

// streamOf streams an answer to a client whose request has a context of its own.
func streamOf(t *testing.T, d *ask.Service, answer *ask.Answer, ctx context.Context) string {
	t.Helper()
	w := httptest.NewRecorder()
	x := &exchange{start: noon(), meta: wire.Meta{Version: wire.Version, ResponseType: wire.TypeAnswer}}
	r := httptest.NewRequest("POST", "/ask", nil).WithContext(ctx)
	if err := Handler(d, Config{Now: noon}).(*door).stream(w, r, x, answer); err != nil {
		t.Fatal(err)
	}
	return w.Body.String()
}

func TestSlowBodyAndCutBodyAreErrors(t *testing.T) {
	t.Parallel()
	d, _ := fixture(t)
	h := Handler(d, Config{MaxBody: 64})
	if w := post(t, h, "", `{"query":{"text":"`+strings.Repeat("x", 100)+`"}}`); w.Code != 413 {
		t.Errorf("over the cap with a length: %d", w.Code)
	}
	r := httptest.NewRequest("POST", "/ask", struct{ *bytes.Reader }{bytes.NewReader(bytes.Repeat([]byte(" "), 100))})
	r.Header.Set("Content-Type", "application/json")
	r.ContentLength = -1
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if w.Code != 413 {
		t.Errorf("over the cap without a length: %d", w.Code)
	}
}

func FuzzAsk(f *testing.F) {
	d, _ := fixture(f)
	h := Handler(d, Config{Now: noon})
	f.Add([]byte(`{"query":{"text":"lamp","site":"lamps","itemType":"Product","limit":2},"prefer":{"mode":"summarize","response_format":"chatgpt_app"}}`))
	f.Add([]byte(`{"query":{"text":"Äpfel","price":{"max":1}},"context":{"prev":["x"]},"meta":{"session_context":{"a":1}},"prefer":{"streaming":true}}`))
	f.Add([]byte(`{"query":"lamp","site":"lamps","generate_mode":"generate","query_id":"q","prev":["x"]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		w := post(t, h, "", string(body))
		if w.Code != 200 && w.Code != 400 && w.Code != 413 {
			t.Fatalf("status %d for %q", w.Code, body)
		}
		if strings.Contains(w.Body.String(), "zirconium") || strings.Contains(w.Body.String(), "whale oil") {
			t.Fatalf("%q released what is not to be shown", body)
		}
		if w.Header().Get("Content-Type") == "text/event-stream" {
			if out := w.Body.String(); wire.IsLegacy(body) {
				if strings.Contains(out, "event: ") || strings.Count(out, `{"message_type":"complete"`) != 1 || !strings.HasSuffix(out, "}\n\n") {
					t.Fatalf("bad stream for %q: %s", body, out)
				}
				return
			}
			if out := w.Body.String(); strings.Count(out, "event: start\n") != 1 ||
				strings.Count(out, "event: complete\n") != 1 || !strings.HasSuffix(out, "}\n\n") {
				t.Fatalf("bad stream for %q: %s", body, out)
			}
			return
		}
		var response wire.Response
		if err := json.Unmarshal(w.Body.Bytes(), &response); err != nil || response.Meta.Version != wire.Version {
			t.Fatalf("bad response for %q: %v: %s", body, err, w.Body)
		}
	})
}

func TestMetaIsWrittenAsTheEncoderWouldWriteIt(t *testing.T) {
	t.Parallel()
	took, accessible := 0.125, false
	for _, meta := range []wire.Meta{
		{ResponseType: wire.TypeAnswer, Version: wire.Version},
		{
			ResponseType: wire.TypeFailure, ResponseFormat: wire.FormatChatGPT, Version: wire.Version, Streaming: true,
			SessionContext: []byte(`{"a":"\u00e9","b":1.50}`),
			Ignored:        []wire.Ignored{{Name: "/query/x\"y", Reason: "<b>"}}, ProcessingTime: &took,
			AnswerID: `a"b`, OutputTemplate: `ui://widget/"a"<b>.html`, WidgetAccessible: &accessible,
			Understood: &wire.Understood{
				Text: "a \"b\"", Filters: []wire.Filter{{Name: "price", Max: &took, From: "question"}},
			},
		},
	} {
		x := exchange{meta: meta}
		want := `"_meta":` + string(marshal(meta))
		if got := string(x.appendMeta(nil)); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// The protocol wants content with every chatgpt_app answer (NLWeb 0.55 §4.1.1).
func TestContentNamesTheItemsWhereTheTermsLeaveNoSummary(t *testing.T) {
	t.Parallel()
	_, db := fixture(t)
	rules, err := policy.New(
		[]policy.Rule{{Access: policy.Open, Functions: policy.Functions{Prohibit: []string{"ai-input"}}}})
	if err != nil {
		t.Fatal(err)
	}
	d := answering(t, contentOf(t, db, rules, released.Site{ID: "lamps"}), ask.Deps{})
	for _, streaming := range []bool{false, true} {
		body := fmt.Sprintf(`{"query":{"text":"paper lamp"},"prefer":{"mode":"summarize","response_format":"chatgpt_app","streaming":%v}}`, streaming)
		w := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodPost, "/ask", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		Handler(d, Config{Now: noon}).ServeHTTP(w, r)
		if !strings.Contains(w.Body.String(), `"content":[{"type":"text","text":"1. Paper lamp (Product)`) {
			t.Errorf("streaming %v: the content names no item: %s", streaming, w.Body)
		}
	}
}

// answerTo takes the answer out of a reply.
func answerTo(reply *ask.Reply, err error) (*ask.Answer, error) {
	if err != nil {
		return nil, err
	}
	return reply.Answer, nil
}

func TestWhatIsReadyWhenTheTimeIsUpIsTheAnswer(t *testing.T) {
	t.Parallel()
	late, cancel := context.WithDeadline(context.Background(), time.Unix(0, 0))
	defer cancel()
	for _, row := range []struct {
		name string
		ctx  context.Context
		want func(results int, partial *wire.Failure) bool
	}{
		{"in time", context.Background(), func(n int, partial *wire.Failure) bool { return n == 50 && partial == nil }},
		{"late", late, func(n int, partial *wire.Failure) bool {
			return n > 0 && n < 50 && partial != nil && partial.Code == wire.CodeTimeout &&
				strings.Contains(partial.Message, fmt.Sprint(n))
		}},
	} {
		d, _ := fixture(t, 100) // a new one, which holds nothing ready
		answer, err := answerTo(d.Ask(context.Background(), ask.Question{Text: "lamp", Limit: 50}))
		if err != nil {
			t.Fatal(err)
		}
		x := &exchange{meta: wire.Meta{ResponseType: wire.TypeAnswer, ResponseFormat: wire.FormatConversational,
			Version: wire.Version}}
		w := httptest.NewRecorder()
		if err := newDoor(d, Config{}).write(row.ctx, w, x, answer); err != nil {
			t.Fatalf("%s: %v", row.name, err)
		}
		var got wire.Response
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		if !row.want(len(got.Results), got.Meta.Partial) {
			t.Errorf("%s: %d results, partial: %+v", row.name, len(got.Results), got.Meta.Partial)
		}
	}
}

// TestStrangersGetNoMoreThanTheirLimit asks for more, by number and in words; who is known gets it.
func TestStrangersGetNoMoreThanTheirLimit(t *testing.T) {
	t.Parallel()
	d, _ := fixture(t, 30)
	h := Handler(d, Config{Now: noon, StrangerLimit: 12})
	ask := func(ctx context.Context, body string) (items int, told string) {
		t.Helper()
		r := httptest.NewRequest("POST", "/ask", strings.NewReader(body)).WithContext(ctx)
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		var got struct {
			Results []json.RawMessage
			Meta    struct{ Ignored []wire.Ignored } `json:"_meta"`
		}
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != 200 {
			t.Fatalf("%d %s: %v", w.Code, w.Body, err)
		}
		for _, one := range got.Meta.Ignored {
			told += one.Name
		}
		return len(got.Results), told
	}
	known := identity.With(t.Context(), identity.Party{ID: "buyer.example.com/bot"})
	for _, c := range []struct {
		body             string
		stranger, party  int
		toldTo, toldMore string
	}{
		{`{"query":{"text":"lamp","limit":30,"min_score":0}}`, 12, 30, "/query/limit", ""},
		{`{"query":{"text":"lamp","num_results":30,"min_score":0}}`, 12, 30, "/query/limit", ""},
		{`{"query":{"text":"show me 20 lamps","min_score":0}}`, 12, 20, "", ""},
		{`{"query":{"text":"lamp","limit":11,"min_score":0}}`, 11, 11, "", ""},
		{`{"query":{"text":"lamp","min_score":0}}`, 10, 10, "", ""},
	} {
		if n, told := ask(t.Context(), c.body); n != c.stranger || told != c.toldTo {
			t.Errorf("%s gives a stranger %d, told %q", c.body, n, told)
		}
		if n, told := ask(known, c.body); n != c.party || told != c.toldMore {
			t.Errorf("%s gives who is known %d, told %q", c.body, n, told)
		}
	}
}
