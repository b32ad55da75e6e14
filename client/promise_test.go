package client

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"frontdesk/wire/nlweb"
)

// later is a desk that promises every question an answer, and keeps the promise after so many
// looks.
type later struct {
	looks   int
	after   int
	left    int // seconds, as told with each promise
	actions []string
	body    string // of the answer; whole if empty
	header  http.Header
}

func (l *later) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	promise := func() {
		answer := fmt.Sprintf(`{"_meta":{"response_type":"promise","version":"0.55"},"promise":{"token":"promise_1","message":"Soon.","progress":%g,"estimated_time":%d}}`,
			float64(l.looks)/float64(l.after+1), l.left)
		says(202, "application/json", answer)(w, r)
	}
	if r.URL.Path == "/ask" {
		promise()
		return
	}
	text, _ := io.ReadAll(r.Body)
	asked, err := nlweb.DecodeAwait(text)
	if err != nil || r.URL.Path != "/await" || asked.PromiseToken != "promise_1" {
		says(200, "application/json", `{"_meta":{"response_type":"failure"},"error":{"code":"PROMISE_NOT_FOUND","message":"There is none."}}`)(w, r)
		return
	}
	l.actions, l.header = append(l.actions, asked.Action), r.Header
	if l.looks++; l.looks <= l.after && asked.Action == "checkin" {
		promise()
		return
	}
	body := l.body
	if body == "" {
		body = whole
	}
	says(200, "application/json", body)(w, r)
}

func TestAPromisedAnswerIsWaitedFor(t *testing.T) {
	var began time.Time
	desk := &later{after: 4, left: 3}
	inBubble(t, Options{Token: StaticToken("secret")},
		func(w http.ResponseWriter, r *http.Request) { desk.serve(w, r) }, func(t *testing.T, c *Client) {
			began = time.Now()
			var told []float64
			answer, err := c.AskAndWait(t.Context(), Question{Text: "soup"}, func(p *Promise) {
				if p.Token != "promise_1" || p.Message != "Soon." || p.Left != 3*time.Second {
					t.Errorf("the promise is %+v", p)
				}
				told = append(told, p.Progress)
			})
			if err != nil || len(answer.Results) != 2 || answer.Summary != "Two soups." {
				t.Fatalf("%+v, %v", answer, err)
			}
			if len(told) != 5 || told[0] != 0 || told[4] != 0.8 {
				t.Errorf("progress was told as %v", told)
			}
			if waited := time.Since(began); waited != 15*time.Second { // five times what the desk said
				t.Errorf("it took %s", waited)
			}
			if desk.header.Get("Authorization") != "Bearer secret" {
				t.Errorf("the credential is not shown: %v", desk.header)
			}
		})
}

// serve is ServeHTTP for a handler that has read the body away.
func (l *later) serve(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/await" {
		r.Body = io.NopCloser(strings.NewReader(`{"promise_token":"promise_1","action":"checkin"}`))
	}
	l.ServeHTTP(w, r)
}

func TestAPromiseWithoutATimeIsLookedAtEverLessOften(t *testing.T) {
	desk := &later{after: 20}
	inBubble(t, Options{}, func(w http.ResponseWriter, r *http.Request) { desk.serve(w, r) },
		func(t *testing.T, c *Client) {
			began := time.Now()
			if _, err := c.AskAndWait(t.Context(), Question{Text: "soup"}, nil); err != nil {
				t.Fatal(err)
			}
			if waited := time.Since(began); desk.looks != 21 || waited < time.Minute || waited > 4*time.Minute {
				t.Errorf("%d looks in %s", desk.looks, waited)
			}
		})
}

func TestAskGivesAPromiseAsAnError(t *testing.T) {
	t.Parallel()
	server := &later{after: 1}
	c := desk(t, Options{}, server.ServeHTTP)
	for range 2 {
		_, err := c.Ask(t.Context(), Question{Text: "soup"})
		var promise *Promise
		if !errors.As(err, &promise) || !errors.Is(err, ErrPromised) || promise.Token != "promise_1" ||
			len(promise.Raw) == 0 || promise.Meta.Version != "0.55" {
			t.Fatalf("%v", err)
		}
		_, err = c.Stream(t.Context(), Question{Text: "soup"})
		if !errors.Is(err, ErrPromised) {
			t.Errorf("as a stream: %v", err)
		}
	}
	if _, err := c.Await(t.Context(), "promise_1"); !errors.Is(err, ErrPromised) {
		t.Errorf("at first: %v", err)
	}
	if answer, err := c.Await(t.Context(), "promise_1"); err != nil || len(answer.Results) != 2 {
		t.Errorf("then: %+v, %v", answer, err)
	}
	var failure *Failure
	if _, err := c.Await(t.Context(), "promise_2"); !errors.As(err, &failure) ||
		failure.Code != nlweb.CodePromiseNotFound {
		t.Errorf("of another: %v", err)
	}
}

func TestAStreamThatEndsWithAPromiseIsOne(t *testing.T) {
	t.Parallel()
	c := desk(t, Options{}, says(200, "text/event-stream",
		"event: start\ndata: {\"_meta\":{\"response_type\":\"promise\",\"version\":\"0.55\",\"streaming\":true}}\n\n"+
			"event: complete\n"+
			"data: {\"_meta\":{\"response_type\":\"promise\",\"version\":\"0.55\"},\"promise\":{\"token\":\"t\","+
			"\"progress\":7,\"estimated_time\":-1}}\n\n"))
	stream, err := c.Stream(t.Context(), Question{Text: "soup"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = stream.Collect()
	var promise *Promise
	if !errors.As(err, &promise) || promise.Token != "t" || promise.Progress != 1 || promise.Left != 0 {
		t.Errorf("%v", err)
	}
}

func TestCancelGivesNoAnswerOrTheOneThatIsThere(t *testing.T) {
	t.Parallel()
	cancelled := &later{body: `{"_meta":{"response_type":"failure","version":"0.55"},"error":{"code":"CANCELLED"}}`}
	if answer, err := desk(t, Options{}, cancelled.ServeHTTP).Cancel(t.Context(), "promise_1"); answer != nil ||
		err != nil || cancelled.actions[0] != "cancel" {
		t.Errorf("%v, %v, %v", answer, err, cancelled.actions)
	}
	if answer, err := desk(t, Options{}, (&later{}).ServeHTTP).Cancel(t.Context(), "promise_1"); err != nil ||
		len(answer.Results) != 2 {
		t.Errorf("too late: %v, %v", answer, err)
	}
	if _, err := desk(t, Options{}, (&later{}).ServeHTTP).Cancel(t.Context(), "promise_2"); err == nil {
		t.Error("a promise that is not there is cancelled")
	}
}

func TestADeskThatIsStartedAnewIsWaitedFor(t *testing.T) {
	desk := &later{after: 3}
	calls := 0
	inBubble(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
		if calls++; calls == 3 || calls == 4 {
			panic(http.ErrAbortHandler) // the connection ends without an answer
		}
		desk.serve(w, r)
	}, func(t *testing.T, c *Client) {
		if answer, err := c.AskAndWait(t.Context(), Question{Text: "soup"}, nil); err != nil ||
			len(answer.Results) != 2 {
			t.Errorf("%+v, %v", answer, err)
		}
	})
	never := &Promise{Token: "promise_1"}
	inBubble(t, Options{}, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		func(t *testing.T, c *Client) {
			_, err := c.Wait(t.Context(), never, nil)
			var unreachable *Unreachable
			if !errors.As(err, &unreachable) {
				t.Errorf("a desk that is gone: %v", err)
			}
		})
}
