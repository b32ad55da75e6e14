package market

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// passes sends one request through the tap, which a place answers, and gives what is told of it.
func passes(t *testing.T, from, path, body string, place http.HandlerFunc) Message {
	t.Helper()
	h := &broadcaster{}
	request := httptest.NewRequest(http.MethodPost, "http://place.localhost"+path, strings.NewReader(body))
	request.Header.Set("User-Agent", from)
	h.around("north")(place).ServeHTTP(httptest.NewRecorder(), request)
	all, _, stop := h.watch(0)
	stop()
	if len(all) != 1 {
		t.Fatalf("%d messages are told", len(all))
	}
	return all[0]
}

// reads reads a request as a place does, and answers.
func reads(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

// TestWhatAMessageCarriedIsSaid: by whom it was passed on, what was offered, and why it was
// refused; and nothing of what is no JSON, or another thing than it should be.
func TestWhatAMessageCarriedIsSaid(t *testing.T) {
	t.Parallel()
	const rpc = "/ramp.v1.ExchangeService/DiscoverResources"
	const query = `{"requester": {"id": "bot", "domain": "a.example", "uris": ["https://b.example/x?sig=secret"], "signature": "c2VjcmV0"}, "intermediaries": [{"domain": "one.example"}, {"domain": "two.example"}]}`
	const offers = `{"offer_groups": [{"offers": [{"pricing": {"rate": 0.02, "currency": "XTS", "model": "PRICING_MODEL_PER_ACCESS"}, "exchange_signature": "c2VjcmV0"}]}]}`
	for _, tc := range []struct {
		path, asked, answered string
		status                int
		want                  []string
	}{
		{rpc, query, offers, 200,
			[]string{"bot of a.example wants /x", "passed on and signed by one.example, then two.example",
				"offers it for 0.02 XTS per access"}},
		{rpc, query, `{"offer_groups": [{"absence_reason": "OFFER_ABSENCE_REASON_NOT_IN_CATALOG"}]}`, 200,
			[]string{"bot of a.example wants /x", "passed on and signed by one.example, then two.example",
				"offers nothing: not in catalog"}},
		{rpc, query, `{"code": "unauthenticated", "message": "who?"}`, 401,
			[]string{"bot of a.example wants /x", "passed on and signed by one.example, then two.example",
				"refused: who?"}},
		{rpc, "not JSON", "[1, 2", 200, []string{"offers nothing: not in catalog"}},
		{rpc, `{"requester": 7, "intermediaries": {"domain": []}}`, `{"offers": "none", "offer_groups": [null, 4]}`, 200, []string{"offers nothing: not in catalog"}},
		{"/ramp.v1.BrokerService/Resolve", `{"ext": {"ramp.dry_run": true}, "constraints": {"max_price": {"currency": "XTS"}}}`, `{"exchange": "x.example", "cost": {"amount": 0.015, "currency": "XTS"}, "ext": {"ramp.passed": [{"exchange": "y.example", "why": "dear"}]}}`, 200,
			[]string{"at most 0 XTS", "asks what would be bought, and buys nothing", "chose x.example for 0.015 XTS",
				"passed over y.example: dear"}},
		{"/intake/boat-repair/bind", `{"bind_data": {"email": "sailor@sea.example"}}`, `{"message": "noted"}`, 200, []string{"says: noted"}},
	} {
		m := passes(t, "agent/1.0", tc.path, tc.asked, reads(tc.status, tc.answered))
		if fmt.Sprint(m.Carried) != fmt.Sprint(tc.want) || m.Status != tc.status {
			t.Errorf("%s: %d %q, want %q", tc.path, m.Status, m.Carried, tc.want)
		}
		if text := fmt.Sprint(m.Carried); strings.Contains(text, "secret") || strings.Contains(text, "c2Vj") ||
			strings.Contains(text, "sailor") {
			t.Errorf("%s tells %s", tc.path, text)
		}
	}
}

// TestTheTapChangesNothing: a place reads and answers whole what is longer than the tap looks at,
// and compressed answers are read.
func TestTheTapChangesNothing(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 2*maxSeen)
	var got string
	h := &broadcaster{}
	request := httptest.NewRequest(http.MethodPost, "http://place.localhost/ask", strings.NewReader(long))
	request.Header.Set("User-Agent", brokerAgent)
	answer := httptest.NewRecorder()
	h.around("north")(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		got = string(text)
		w.Write(text)
	})).ServeHTTP(answer, request)
	if got != long || answer.Body.String() != long {
		t.Errorf("%d bytes came, and %d back, of %d", len(got), answer.Body.Len(), len(long))
	}
	if all, _, stop := h.watch(0); len(all) != 1 || all[0].From != "broker" || all[0].Carried != nil {
		t.Errorf("told: %+v", all)
	} else {
		stop()
	}
	m := passes(t, "agent/1.0", "/ask", `{"query": {"text": "lamps"}}`, func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		io.WriteString(z, `{"results": [{"name": "A lamp"}]}`)
		z.Close()
		w.Header().Set("Content-Encoding", "gzip")
		w.Write(packed.Bytes())
	})
	if fmt.Sprint(m.Carried) != "[asks: lamps finds: A lamp]" {
		t.Errorf("told: %q", m.Carried)
	}
}

// TestWhatPassesIsToldBeforeWhatComesOfIt: whoever waits for quiet has every message of those who
// act, however many there are at once.
func TestWhatPassesIsToldBeforeWhatComesOfIt(t *testing.T) {
	t.Parallel()
	h := &broadcaster{}
	held, entered := make(chan struct{}), make(chan struct{})
	tapped := h.around("north")(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		entered <- struct{}{}
		<-held
	}))
	var wait sync.WaitGroup
	const many = 8
	for range many {
		wait.Go(func() {
			request := httptest.NewRequest(http.MethodGet, "http://place.localhost/ask", nil)
			request.Header.Set("User-Agent", "agent/1.0")
			tapped.ServeHTTP(httptest.NewRecorder(), request)
		})
		<-entered
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	h.quiet(ended) // who does not wait any longer is not held up
	quiet := make(chan int64)
	go func() {
		h.quiet(t.Context())
		quiet <- h.number()
	}()
	close(held)
	if n := <-quiet; n != many {
		t.Errorf("%d of %d messages were told", n, many)
	}
	wait.Wait()
	h.quiet(t.Context())
}
