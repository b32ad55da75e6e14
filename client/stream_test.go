package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"frontdesk/wire/nlweb"
)

const (
	startEvent = "event: start\n" +
		"data: {\"_meta\":{\"response_type\":\"answer\",\"version\":\"0.55\",\"streaming\":true}}\n\n"
	endEvent = "event: complete\n" +
		"data: {\"_meta\":{\"response_type\":\"answer\",\"version\":\"0.55\",\"session_context\":{\"id\":7}}}\n\n"
)

func resultEvent(index int, name string) string {
	return fmt.Sprintf("event: result\ndata: {\"index\":%d,\"item\":{\"@type\":\"Thing\",\"name\":%q}}\n\n",
		index, name)
}

// collect reads a stream that is written as the text.
func collect(t *testing.T, options Options, text string) (*Answer, error) {
	t.Helper()
	s, err := desk(t, options, says(200, "text/event-stream; charset=utf-8", text)).Stream(t.Context(),
		Question{Text: "soup"})
	if err != nil {
		t.Fatal(err)
	}
	return s.Collect()
}

func names(a *Answer) (all []string) {
	for _, r := range a.Results {
		all = append(all, r.Name)
	}
	return all
}

func TestStreamGivesResultsInWhateverOrder(t *testing.T) {
	t.Parallel()
	summary := "event: result\ndata: {\"index\":0,\"item\":{\"@type\":\"SearchSummary\",\"text\":\"Two.\"}}\n\n"
	answer, err := collect(t, Options{},
		startEvent+resultEvent(2, "b")+summary+": a comment\n\nevent: odd\ndata: {}\n\n"+resultEvent(1, "a")+endEvent)
	if err != nil || answer.Summary != "Two." || string(answer.Meta.SessionContext) != `{"id":7}` {
		t.Fatalf("%+v, %v", answer, err)
	}
	if diff := cmp.Diff([]string{"a", "b"}, names(answer)); diff != "" {
		t.Error(diff)
	}
}

func TestStreamIsReadInEverySpelling(t *testing.T) {
	t.Parallel()
	text := "\ufeff" + startEvent +
		"event:result\nid: 4\nretry: 10\ndata:{\"index\":0,\ndata: \"item\":{\"@type\":\"Thing\",\n" +
		"data:\ndata:\"name\":\"a\"}}\n\n" + endEvent
	for name, spelled := range map[string]string{
		"lf": text, "crlf": strings.ReplaceAll(text, "\n", "\r\n"), "cr": strings.ReplaceAll(text, "\n", "\r"),
	} {
		answer, err := collect(t, Options{}, spelled)
		if err != nil || !cmp.Equal(names(answer), []string{"a"}) {
			t.Errorf("%s: %+v, %v", name, answer, err)
		}
	}
}

func TestStreamThatBreaksOffIsAnErrorAfterItsResults(t *testing.T) {
	t.Parallel()
	failed := "event: error\n" +
		"data: {\"_meta\":{\"response_type\":\"failure\"},\"error\":{\"code\":\"TIMEOUT\",\"message\":\"Too " +
		"slow.\"}}\n\n"
	var failure *Failure
	var no *NotADesk
	for name, row := range map[string]struct {
		text string
		want func(error) bool
	}{
		"no complete": {
			startEvent + resultEvent(0, "a"), func(err error) bool { return errors.Is(err, ErrIncomplete) },
		},
		"half an event": {startEvent + resultEvent(0, "a") + "event: complete\ndata: {}\n",
			func(err error) bool { return errors.Is(err, ErrIncomplete) }},
		"error and complete": {startEvent + resultEvent(0, "a") + failed + endEvent,
			func(err error) bool { return errors.As(err, &failure) && failure.Code == "TIMEOUT" }},
		"error and no complete": {startEvent + resultEvent(0, "a") + failed,
			func(err error) bool { return errors.As(err, &failure) && failure.Code == "TIMEOUT" }},
		"not JSON": {
			startEvent + resultEvent(0, "a") + "data: oops\n\n", func(err error) bool { return errors.As(err, &no) },
		},
		"a result without index": {startEvent + resultEvent(0, "a") + "event: result\ndata: {\"item\":{}}\n\n",
			func(err error) bool { return errors.As(err, &no) }},
		"a result without item": {startEvent + resultEvent(0, "a") + "event: result\ndata: {\"index\":1}\n\n",
			func(err error) bool { return errors.As(err, &no) }},
		"a failure as complete": {startEvent + resultEvent(0, "a") + strings.ReplaceAll(endEvent, `"answer"`,
			`"failure"`), func(err error) bool { return errors.As(err, &failure) }},
		"an event that is larger": {startEvent + resultEvent(0, "a") + resultEvent(1, strings.Repeat("x", 1000)) +
			endEvent, func(err error) bool { return errors.Is(err, ErrTooLarge) }},
		"comments without end": {startEvent + resultEvent(0, "a") + strings.Repeat(":\n", 10_000) + endEvent,
			func(err error) bool { return errors.Is(err, ErrTooLarge) }},
	} {
		answer, err := collect(t, Options{MaxEvent: 1000, MaxAnswer: 10_000}, row.text)
		if !row.want(err) || !cmp.Equal(names(answer), []string{"a"}) {
			t.Errorf("%s: %v, %v", name, names(answer), err)
		}
	}
	if _, err := collect(t, Options{MaxEvent: 1100},
		startEvent+resultEvent(1, strings.Repeat("x", 1000))+endEvent); err != nil {
		t.Errorf("an event that is not too large: %v", err)
	}
}

func TestConnectionCutWithinAStreamIsAnError(t *testing.T) {
	t.Parallel()
	c := desk(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, startEvent+resultEvent(0, "a"))
		http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	})
	s, err := c.Stream(t.Context(), Question{Text: "soup"})
	if err != nil {
		t.Fatal(err)
	}
	answer, err := s.Collect()
	var broken *Broken
	if !errors.As(err, &broken) || len(answer.Results) != 1 {
		t.Errorf("%+v, %v", answer, err)
	}
}

func TestDeskThatDoesNotStreamIsReadAllTheSame(t *testing.T) {
	t.Parallel()
	c := desk(t, Options{}, says(200, "application/json", whole))
	s, err := c.Stream(t.Context(), Question{Text: "soup"})
	if err != nil {
		t.Fatal(err)
	}
	answer, err := s.Collect()
	if err != nil || !cmp.Equal(names(answer), []string{"Soup", "Stew"}) || answer.Summary != "Two soups." ||
		s.Meta().Version != "0.55" {
		t.Errorf("%+v, %v", answer, err)
	}
	s, _ = c.Stream(t.Context(), Question{Text: "soup"})
	for e, err := range s.Events() {
		if e.Name != "" || string(e.Data) != whole || err != nil {
			t.Errorf("event %+v, %v", e, err)
		}
	}
}

func TestDeskThatStreamsUnaskedIsReadAllTheSame(t *testing.T) {
	t.Parallel()
	answer, err := desk(t, Options{}, says(200, "text/event-stream", startEvent+resultEvent(0, "a")+endEvent)).Ask(
		t.Context(), Question{Text: "soup"})
	if err != nil || !cmp.Equal(names(answer), []string{"a"}) || answer.Raw != nil {
		t.Errorf("%+v, %v", answer, err)
	}
	answer, err = desk(t, Options{}, says(200, "text/event-stream", startEvent)).Ask(t.Context(),
		Question{Text: "soup"})
	if !errors.Is(err, ErrIncomplete) || answer != nil {
		t.Errorf("%+v, %v", answer, err)
	}
}

func TestEventsAreGivenAsTheyCame(t *testing.T) {
	t.Parallel()
	c := desk(t, Options{}, says(200, "text/event-stream", startEvent+resultEvent(0, "a")+endEvent))
	s, err := c.Stream(t.Context(), Question{Text: "soup"})
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	for e, err := range s.Events() {
		if err != nil {
			t.Fatal(err)
		}
		text += "event: " + e.Name + "\ndata: " + string(e.Data) + "\n\n"
	}
	if diff := cmp.Diff(startEvent+resultEvent(0, "a")+endEvent, text); diff != "" {
		t.Error(diff)
	}
}

// TestLeavingAStreamEndsTheRequest waits for the desk to see that its client has gone: without that
// it would wait for ever.
func TestLeavingAStreamEndsTheRequest(t *testing.T) {
	t.Parallel()
	gone := make(chan struct{})
	c := desk(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, startEvent+resultEvent(0, "a"))
		http.NewResponseController(w).Flush()
		<-r.Context().Done()
		close(gone)
	})
	s, err := c.Stream(t.Context(), Question{Text: "soup"})
	if err != nil {
		t.Fatal(err)
	}
	for r, err := range s.Results() {
		if r.Name != "a" || err != nil {
			t.Errorf("%+v, %v", r, err)
		}
		break
	}
	<-gone
	if s.Close() != nil {
		t.Error("a second Close is an error")
	}
}

func TestSilentStreamIsGivenUpAndSlowReaderIsNot(t *testing.T) {
	inBubble(t, Options{Silence: time.Minute}, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, startEvent)
		for i := range 3 { // each pause is shorter than the silence that is allowed, all together are longer
			time.Sleep(45 * time.Second)
			io.WriteString(w, resultEvent(i, "a"))
			http.NewResponseController(w).Flush()
		}
		<-r.Context().Done()
	}, func(t *testing.T, c *Client) {
		s, err := c.Stream(t.Context(), Question{Text: "soup"})
		if err != nil {
			t.Fatal(err)
		}
		seen := 0
		for _, err = range s.Results() {
			if err == nil {
				seen++
				time.Sleep(time.Hour) // the reader's own time
			}
		}
		if seen != 3 || !errors.Is(err, ErrSilent) {
			t.Errorf("%d results, %v", seen, err)
		}
	})
}

func TestContextEndsAStream(t *testing.T) {
	inBubble(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, startEvent)
		http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}, func(t *testing.T, c *Client) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		s, err := c.Stream(ctx, Question{Text: "soup"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err = s.Collect(); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v", err)
		}
	})
}

func TestConnectionIsKeptAfterAStream(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	c := desk(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
		seen[r.RemoteAddr] = true
		says(200, "text/event-stream", startEvent+resultEvent(0, "a")+endEvent)(w, r)
	})
	for range 20 {
		s, err := c.Stream(t.Context(), Question{Text: "soup"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Collect(); err != nil {
			t.Fatal(err)
		}
	}
	if len(seen) != 1 {
		t.Errorf("20 streams took %d connections", len(seen))
	}
}

func FuzzStream(f *testing.F) {
	f.Add([]byte(startEvent + resultEvent(0, "a") + endEvent))
	f.Add([]byte("\ufeffdata\r\r\nevent\r\ndata: {}\r\n\r\n: x"))
	f.Add([]byte("event: error\ndata: {\"error\":7}\n\nevent: complete\ndata: {\"_meta\":7}\n\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		c := &Client{ask: "http://desk.example/ask", options: Options{MaxEvent: 200}}
		response := &reply{200, http.Header{},
			newWatch(t.Context(), time.Minute).over(io.NopCloser(strings.NewReader(string(text))), 4000)}
		answer, err := c.stream(response).Collect()
		if err == nil && !strings.Contains(string(text), "complete") {
			t.Fatalf("a stream without its end is whole: %q", text)
		}
		for _, r := range answer.Results {
			if r.Index < 0 || r.Type() == nlweb.TypeSummary {
				t.Fatalf("result %+v", r)
			}
		}
	})
}

func FuzzAnswer(f *testing.F) {
	f.Add([]byte(whole))
	f.Add([]byte(`{"_meta":{"response_type":"answer"},"structuredData":[{"@type":["a",1]}],"content":[{"type":"text","text":"x"}],"elicitation":{}}`))
	f.Add([]byte(`{"_meta":[],"error":null}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		c := &Client{ask: "http://desk.example/ask"}
		response := &reply{200, http.Header{},
			newWatch(t.Context(), time.Minute).over(io.NopCloser(strings.NewReader(string(text))), 4000)}
		answer, err := c.readAnswer(response)
		if (answer == nil) == (err == nil) {
			t.Fatalf("answer %v, error %v", answer, err)
		}
	})
}

func TestSentencesOfASummaryAreGivenAsTheyAreWritten(t *testing.T) {
	t.Parallel()
	text := startEvent + "event: delta\ndata: {\"index\":0,\"text\":\"One [1].\"}\n\n" + resultEvent(1, "a") +
		"event: delta\ndata: {\"index\":0,\"text\":\" Two [1].\"}\n\n" +
		"event: result\ndata: {\"index\":0,\"item\":{\"@type\":\"SearchSummary\",\"text\":\"One [1]. " +
		"Two [1].\",\"extractive\":false," +
		"\"citation\":[{\"@type\":\"CreativeWork\",\"name\":\"a\",\"url\":\"https://a.example/\"}]}}\n\n" + endEvent
	var asked, told string
	c := desk(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		asked = string(body)
		says(200, "text/event-stream", text)(w, r)
	})
	for _, written := range []func(string){nil, func(sentence string) { told += sentence }} {
		s, err := c.Stream(t.Context(), Question{Text: "soup", Modes: []string{"summarize"}, Written: written})
		if err != nil {
			t.Fatal(err)
		}
		answer, err := s.Collect()
		if err != nil || answer.Summary != "One [1]. Two [1]." || len(answer.Results) != 1 || len(answer.Cited) != 1 ||
			answer.Cited[0].URL != "https://a.example/" {
			t.Errorf("answer %+v, %v", answer, err)
		}
		if strings.Contains(asked, `"deltas":true`) != (written != nil) {
			t.Errorf("asked %s", asked)
		}
	}
	if told != "One [1]. Two [1]." {
		t.Errorf("told %q", told)
	}
}
