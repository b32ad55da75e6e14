package rampapi

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/httpx"
	compv1 "frontdesk/wire/comp/v1"
	wire "frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
	"frontdesk/wire/ramp/v1/rampv1connect"
)

const discoverPath = rampv1connect.ExchangeServiceDiscoverResourcesProcedure

// framed is a door whose one RPC answers as a test says, and what became of a request in it.
type framed struct {
	handlers
	answer func(context.Context, *call, *rampv1.ResourceQuery) (*rampv1.ResourceResponse, error)
	events []*httpx.Event
}

// newFramed answers every query of buyer.example with no offer.
func newFramed() *framed {
	f := &framed{handlers: handlers{Config: Config{
		Exchange: "x.example", Deadline: time.Second, MaxDeadline: time.Minute, Now: time.Now,
		Targets: func(r *http.Request) []string { return []string{"https://x.example" + r.URL.RequestURI()} },
		Identify: func(_ context.Context, m *rampv1.Requester, _ requesters.Call) (requesters.Requester, error) {
			return requesters.Requester{Domain: m.GetDomain(), ID: m.GetId(), Signed: requesters.SignedHTTP}, nil
		},
	}}}
	f.answer = func(_ context.Context, _ *call, q *rampv1.ResourceQuery) (*rampv1.ResourceResponse, error) {
		return &rampv1.ResourceResponse{Ver: Version, Id: q.Id, Exchange: f.Exchange}, nil
	}
	return f
}

// serve starts the door on a socket that speaks HTTP/1.1 and, without TLS, HTTP/2.
func (f *framed) serve(t testing.TB) (address string, http1, http2 *http.Client) {
	t.Helper()
	handler := f.received(connect.NewUnaryHandler(discoverPath,
		func(ctx context.Context, r *connect.Request[rampv1.ResourceQuery]) (*connect.Response[rampv1.ResourceResponse],
			error) {
			return take(ctx, &f.handlers, r, f.answer)
		}, options...))
	return socket(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, happened := httpx.BeginEvent(r.Context())
		f.events = append(f.events, happened)
		handler.ServeHTTP(w, r.WithContext(ctx))
	}))
}

func socket(t testing.TB, handler http.Handler) (address string, http1, http2 *http.Client) {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	server.Config.Protocols = new(http.Protocols)
	server.Config.Protocols.SetHTTP1(true)
	server.Config.Protocols.SetUnencryptedHTTP2(true)
	server.Start()
	t.Cleanup(server.Close)
	over2 := &http.Transport{Protocols: new(http.Protocols)}
	over2.Protocols.SetUnencryptedHTTP2(true)
	t.Cleanup(over2.CloseIdleConnections)
	return server.URL, server.Client(), &http.Client{Transport: over2}
}

func query() *rampv1.ResourceQuery {
	return &rampv1.ResourceQuery{Ver: "1.0", Id: "q1", Requester: &rampv1.Requester{Id: "bot", Domain: "buyer.example",
		Uris: []string{"https://p.example/a"}}}
}

// speakers are the ways to speak to the door, by name.
func speakers(address string, http1, http2 *http.Client) map[string]rampv1connect.ExchangeServiceClient {
	json := connect.WithCodec(wire.Codec{})
	return map[string]rampv1connect.ExchangeServiceClient{
		"connect, binary":         rampv1connect.NewExchangeServiceClient(http1, address),
		"connect, JSON":           rampv1connect.NewExchangeServiceClient(http1, address, json),
		"connect, lowerCamelCase": rampv1connect.NewExchangeServiceClient(http1, address, connect.WithProtoJSON()),
		"connect, JSON, HTTP/2":   rampv1connect.NewExchangeServiceClient(http2, address, json),
		"connect, binary, gzip":   rampv1connect.NewExchangeServiceClient(http1, address, connect.WithSendGzip()),
		"gRPC, binary":            rampv1connect.NewExchangeServiceClient(http2, address, connect.WithGRPC()),
		"gRPC, JSON":              rampv1connect.NewExchangeServiceClient(http2, address, connect.WithGRPC(), json),
		"gRPC, binary, gzip": rampv1connect.NewExchangeServiceClient(http2, address, connect.WithGRPC(),
			connect.WithSendGzip()),
		"gRPC-Web, binary": rampv1connect.NewExchangeServiceClient(http1, address, connect.WithGRPCWeb()),
		"gRPC-Web, JSON": rampv1connect.NewExchangeServiceClient(http1, address, connect.WithGRPCWeb(),
			json),
		"gRPC-Web, binary, over two": rampv1connect.NewExchangeServiceClient(http2, address, connect.WithGRPCWeb()),
	}
}

func TestEveryProtocolAndCodecGetsTheSameAnswer(t *testing.T) {
	t.Parallel()
	f := newFramed()
	for name, client := range speakers(f.serve(t)) {
		out, err := client.DiscoverResources(t.Context(), connect.NewRequest(query()))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if want := (&rampv1.ResourceResponse{Ver: "1.0", Id: "q1", Exchange: "x.example"}); !proto.Equal(out.Msg,
			want) {
			t.Errorf("%s: got %v", name, out.Msg)
		}
	}
}

// Every code of the house, as every protocol tells it.
func TestEveryFailureHasItsCode(t *testing.T) {
	t.Parallel()
	want := map[fail.Code]connect.Code{
		fail.Malformed: connect.CodeInvalidArgument, fail.Invalid: connect.CodeInvalidArgument,
		fail.NoResults:         connect.CodeNotFound,
		fail.UnsupportedFormat: connect.CodeInvalidArgument, fail.UnsupportedMode: connect.CodeUnimplemented,
		fail.TooLong:  connect.CodeInvalidArgument,
		fail.TooLarge: connect.CodeResourceExhausted, fail.NotFound: connect.CodeNotFound,
		fail.Method:    connect.CodeUnimplemented,
		fail.MediaType: connect.CodeInvalidArgument, fail.Unauthorized: connect.CodeUnauthenticated,
		fail.Forbidden: connect.CodePermissionDenied,
		fail.Limited:   connect.CodeResourceExhausted, fail.Unavailable: connect.CodeUnavailable,
		fail.Timeout: connect.CodeDeadlineExceeded,
		fail.Slow:    connect.CodeDeadlineExceeded, fail.Cancelled: connect.CodeCanceled,
		fail.UnknownPromise: connect.CodeNotFound, fail.Internal: connect.CodeInternal,
	}
	f := newFramed()
	clients := speakers(f.serve(t))
	for _, code := range fail.Codes {
		failure := fail.New(code, "told of %s", code)
		failure.RetryAfter = 1500 * time.Millisecond
		f.answer = func(context.Context, *call, *rampv1.ResourceQuery) (*rampv1.ResourceResponse, error) {
			return nil, failure.Wrap(errors.New("the cause that nobody outside reads"))
		}
		for name, client := range clients {
			_, err := client.DiscoverResources(t.Context(), connect.NewRequest(query()))
			var told *connect.Error
			switch {
			case !errors.As(err, &told) || told.Code() != want[code]:
				t.Errorf("%s, %s: got %v, want %s", name, code, err, want[code])
			case told.Message() != "told of "+string(code):
				t.Errorf("%s, %s: told %q", name, code, told.Message())
			case told.Meta().Get("Retry-After") != "2":
				t.Errorf("%s, %s: to come back in %q seconds", name, code, told.Meta().Get("Retry-After"))
			}
		}
	}
	f.answer = func(context.Context, *call, *rampv1.ResourceQuery) (*rampv1.ResourceResponse, error) {
		return nil, errors.New("the cause that nobody outside reads")
	}
	for name, client := range clients {
		_, err := client.DiscoverResources(t.Context(), connect.NewRequest(query()))
		if connect.CodeOf(err) != connect.CodeInternal || strings.Contains(err.Error(), "nobody") {
			t.Errorf("%s: an error without a code is told as %v", name, err)
		}
	}
	if last := f.events[len(f.events)-1]; last.Text("failure") != "internal" ||
		last.Text("error") != "the cause that nobody outside reads" {
		t.Errorf("the log tells %v", last.Attrs())
	}
}

// Each request is wrong in one step and in all that follow it: the first one is told.
func TestStepsAreTakenInOrder(t *testing.T) {
	t.Parallel()
	f := newFramed()
	var called []string
	refuse := map[string]bool{}
	f.Identify = func(context.Context, *rampv1.Requester, requesters.Call) (requesters.Requester, error) {
		called = append(called, "identify")
		if refuse["identify"] {
			return requesters.Requester{}, fail.New(fail.Unauthorized, "nobody")
		}
		return requesters.Requester{}, nil
	}
	f.Count = func(context.Context, requesters.Requester) requesters.Allowance {
		called = append(called, "count")
		return requesters.Allowance{OK: !refuse["count"], Limit: 1, Window: time.Minute, RetryAfter: time.Second}
	}
	f.Forwarded = func(context.Context, *rampv1.ResourceQuery, wire.ReceivedQuery, func() error) error {
		called = append(called, "forwarded")
		return fail.New(fail.Unauthorized, "intermediaries[0]: by nobody")
	}
	f.answer = func(_ context.Context, c *call, _ *rampv1.ResourceQuery) (*rampv1.ResourceResponse, error) {
		called = append(called, "answer")
		return nil, c.exceeded()
	}
	address, client, _ := f.serve(t)
	const good, badRequester, hops = `"ver":"1.0","id":"q"`, `,"requester":{"id":"b","domain":"B"}`, `,"intermediaries":[{"domain":"h.example","id":"h","forwarded_at":"2026-01-01T00:00:00Z","signature":"x"}]`
	const requester = `,"requester":{"id":"b","domain":"b.example"}`
	for _, c := range []struct {
		name, body, code, says string
		called                 []string
	}{
		{"too large", `{"ver":1,"x":"` + strings.Repeat("x", MaxBody) + `"`, "resource_exhausted", "more than 1048576 bytes", nil},
		{"no JSON", `{"ver":1,`, "invalid_argument", "", nil},
		{"a wrong type", `{"ver":1}`, "invalid_argument", "/ver", nil},
		{"a member twice", `{"ver":"1.0","ver":"1.0"}`, "invalid_argument", "/ver", nil},
		{"against a rule", `{` + good + badRequester + hops + `,"ext":{"x":1},"ext_critical":["x"]}`, "invalid_argument", "requester.domain: ", nil},
		{"too many addresses", `{` + good + `,"requester":{"id":"b","domain":"b.example","uris":[` + strings.Repeat(`"a",`, MaxURIs) + `"a"]}` + hops + `,"ext":{"x":1},"ext_critical":["x"]}`,
			"invalid_argument", "requester.uris: has more than 100 addresses", nil},
		{"a critical key that ext has not", `{` + good + requester + `,"ext_critical":["x"]}`, "invalid_argument", "ext_critical[0]: ", nil},
		{"nobody", `{` + good + requester + hops + `}`, "unauthenticated", "nobody", []string{"identify"}},
		{"too many", `{` + good + requester + hops + `}`, "resource_exhausted", "more than 1 requests",
			[]string{"identify", "count", "answer"}},
		{"hops", `{` + good + requester + hops + `}`, "unauthenticated", "intermediaries[0]",
			[]string{"identify", "count", "forwarded"}},
	} {
		called, refuse["identify"], refuse["count"] = nil, c.name == "nobody", c.name != "hops"
		response := send(t, client, address+discoverPath, "application/json", c.body)
		if !strings.Contains(response, `"code":"`+c.code+`"`) || !strings.Contains(response, c.says) ||
			!slices.Equal(called, c.called) {
			t.Errorf("%s: after %q got %s; want %s, %q", c.name, called, response, c.code, c.says)
		}
	}
}

// TestTextsThatCannotBeKeptAreBlamed holds that what the databases and the ledger cannot hold is
// the sender's mistake, and not a failure of ours.
func TestTextsThatCannotBeKeptAreBlamed(t *testing.T) {
	t.Parallel()
	s := newShop(t, "USD", 1_000_000_000)
	offer := s.offer("b")
	long := strings.Repeat("ä", MaxID)
	out := s.bought(buys(long, offer))
	report := func(id, transaction string) *rampv1.UsageReport {
		return &rampv1.UsageReport{
			Ver: "1.0", Id: id, TransactionId: transaction, BillingId: out.GetBillingId(),
			Timestamp: timestamppb.New(s.now), Usage: &rampv1.Usage{ConsumedQuantity: 1},
		}
	}
	purchase := func(id, licence string) *rampv1.TransactionRequest {
		r := buys(id, offer)
		r.Requester.LicenseId = &licence
		return r
	}
	for place, send := range map[string]func() error{
		"id: has more than 256 characters": func() error {
			_, err := s.client.ExecuteTransaction(t.Context(), connect.NewRequest(buys(long+"x", offer)))
			return err
		},
		"id: has more than 256 characters; ": func() error {
			_, err := s.client.ReportUsage(t.Context(), connect.NewRequest(report(long+"x", out.GetTransactionId())))
			return err
		},
		"id: has the character U+0000": func() error {
			_, err := s.client.ExecuteTransaction(t.Context(), connect.NewRequest(buys("a\x00b", offer)))
			return err
		},
		"requester.license_id: has the character U+0000": func() error {
			_, err := s.client.ExecuteTransaction(t.Context(), connect.NewRequest(purchase("l", "\x00")))
			return err
		},
		"transaction_id: has the character U+0000": func() error {
			_, err := s.client.ReportUsage(t.Context(), connect.NewRequest(report("r", "txn-\x00")))
			return err
		},
	} {
		if err := send(); connect.CodeOf(err) != connect.CodeInvalidArgument || !strings.Contains(err.Error(), place) {
			t.Errorf("%s: %v", place, err)
		}
	}
	r := report(long, out.GetTransactionId())
	r.Usage.Function = slices.Repeat([]compv1.Function{compv1.Function_FUNCTION_AI_INPUT, 99,
		compv1.Function_FUNCTION_SEARCH}, 10_000)
	if filed, err := s.client.ReportUsage(t.Context(), connect.NewRequest(r)); err != nil || !filed.Msg.Accepted {
		t.Errorf("%v, %v", filed, err)
	}
	used, err := usage(r)
	if want := []string{"FUNCTION_AI_INPUT", "FUNCTION_SEARCH"}; err != nil || !slices.Equal(used.Functions, want) {
		t.Errorf("%d functions, %v", len(used.Functions), err)
	}
}

// send posts a body and gives the answer's.
func send(t testing.TB, client *http.Client, address, contentType, body string) string {
	t.Helper()
	response, err := client.Post(address, contentType, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestQueryWithAnUnknownCriticalKeyGetsTheReasonForEachAddress(t *testing.T) {
	t.Parallel()
	f := newFramed()
	f.answer = func(context.Context, *call, *rampv1.ResourceQuery) (*rampv1.ResourceResponse, error) {
		t.Error("a query was acted on that must not be")
		return nil, nil
	}
	address, client, _ := f.serve(t)
	for name, c := range map[string]struct{ query, keys string }{
		"of the query": {`,"ext":{"x":1,"a":1},"ext_critical":["x","a"]`, `["a","x"]`},
		// which is heeded of a requester alone
		"of another":       {`,"ext":{"ramp.geo":"DE"},"ext_critical":["ramp.geo"]`, `["ramp.geo"]`},
		"of the requester": {``, `["r"]`},
	} {
		within := ""
		if c.query == "" {
			within = `,"ext":{"r":null,"ramp.geo":"DE"},"extCritical":["r","ramp.geo"]`
		}
		body := `{"ver":"1.0","id":"q","requester":{"id":"b","domain":"b.example","uris":["https://p.example/2","https://p.example/1","https://p.example/2"]` + within + `}` + c.query + `}`
		const reason = `"absence_reason":"OFFER_ABSENCE_REASON_UNKNOWN_CRITICAL_EXTENSION"`
		want := `{"ver":"1.0","id":"q","exchange":"x.example","offer_groups":[{"uri":"https://p.example/2",` + reason + `},{"uri":"https://p.example/1",` + reason + `}],` +
			`"ext":{"unrecognized_critical_extensions":` + c.keys + `}}`
		if got := send(t, client, address+discoverPath, "application/json", body); got != want {
			t.Errorf("%s: got %s\nwant %s", name, got, want)
		}
	}
}

func TestCriticalKeysThatAreHeededAreTaken(t *testing.T) {
	t.Parallel()
	f := newFramed()
	address, client, _ := f.serve(t)
	body := `{"ver":"1.0","id":"q","requester":{"id":"b","domain":"b.example","ext":{"ramp.user_category":"education","ramp.geo":"DE"},"ext_critical":["ramp.user_category","ramp.geo"]}}`
	if got := send(t, client, address+discoverPath, "application/json", body); got != `{"ver":"1.0","id":"q","exchange":"x.example"}` {
		t.Error(got)
	}
}

func TestRevenueOfAReportMayBeCritical(t *testing.T) {
	t.Parallel()
	m := &rampv1.UsageReport{}
	if err := wire.Unmarshal([]byte(`{"ext":{"ramp.revenue":{"amount":1,"currency":"USD"}},"ext_critical":["ramp.revenue"]}`), m); err != nil {
		t.Fatal(err)
	}
	if keys := wire.UnknownCritical(m, known); len(keys) > 0 {
		t.Errorf("not known: %q", keys)
	}
}

// What is not a query has no place for a reason: the keys are named in the failure.
func TestOtherMessagesWithAnUnknownCriticalKeyFail(t *testing.T) {
	t.Parallel()
	f := newFramed()
	handler := Handler(Services{}, f.Config)
	address, client, _ := socket(t, handler)
	for method, body := range map[string]string{
		"ExecuteTransaction": `{"ver":"1.0","id":"t","offer_id":"o","requester":{"id":"b","domain":"b.example"},"ext":{"x":1},"ext_critical":["x"]}`,
		"ReportUsage":        `{"ver":"1.0","id":"t","transaction_id":"t","billing_id":"b","usage":{},"timestamp":"2026-01-01T00:00:00Z","ext":{"x":1},"ext_critical":["x"]}`,
	} {
		got := send(t, client, address+"/"+rampv1connect.ExchangeServiceName+"/"+method, "application/json", body)
		if !strings.HasPrefix(got, `{"code":"failed_precondition","message":"ext_critical names x, `) {
			t.Errorf("%s: %s", method, got)
		}
	}
}

// A signature over HTTP is over the body as it was sent: compressed, and framed.
func TestSignaturesAreLookedAtOverWhatWasSent(t *testing.T) {
	t.Parallel()
	f := newFramed()
	var came requesters.Call
	f.Identify = func(_ context.Context, m *rampv1.Requester, call requesters.Call) (requesters.Requester, error) {
		came = call
		return requesters.Requester{Domain: m.Domain}, nil
	}
	address, client, _ := f.serve(t)
	plain, err := wire.Marshal(query())
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, _ = w.Write(plain)
	_ = w.Close()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address+discoverPath+"?a=%20b",
		bytes.NewReader(packed.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Content-Encoding", "gzip")
	request.Header.Set("Signature-Input", "sig1=()")
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	want := requesters.Call{Method: http.MethodPost, Targets: []string{"https://x.example" + discoverPath + "?a=%20b"},
		Body: packed.Bytes()}
	header := came.Header
	came.Header = nil
	if diff := cmp.Diff(want, came); diff != "" || header.Get("Signature-Input") != "sig1=()" ||
		header.Get("Content-Encoding") != "gzip" {
		t.Errorf("%s\n%v", diff, header)
	}
}

func TestWrongSignaturesAreCountedByAddressAndOthersAreNot(t *testing.T) {
	t.Parallel()
	f := newFramed()
	var code fail.Code
	f.Identify = func(context.Context, *rampv1.Requester, requesters.Call) (requesters.Requester, error) {
		return requesters.Requester{}, fail.New(code, "told")
	}
	failures, most := 0, 2
	f.Failed = func(context.Context) { failures++ }
	f.Suspect = func(context.Context) error {
		if failures < most {
			return nil
		}
		return fail.New(fail.Limited, "too many wrong signatures")
	}
	address, client, _ := f.serve(t)
	body := `{"ver":"1.0","id":"q","requester":{"id":"b","domain":"b.example"}}`
	for i, want := range []struct {
		code fail.Code
		told string
	}{
		{fail.Unauthorized, "unauthenticated"}, {fail.Unavailable, "unavailable"},
		{fail.Forbidden, "permission_denied"}, {fail.Unauthorized, "unauthenticated"},
		{fail.Unauthorized, "resource_exhausted"}, {fail.Forbidden, "permission_denied"},
	} {
		code = want.code
		if got := send(t, client, address+discoverPath, "application/json", body); !strings.HasPrefix(got,
			`{"code":"`+want.told+`"`) {
			t.Errorf("request %d: %s, want %s", i, got, want.told)
		}
	}
	if failures != 2 {
		t.Errorf("%d wrong signatures were counted", failures)
	}
}

func TestRequestThatTakesTooLongIsEnded(t *testing.T) {
	t.Parallel()
	f := newFramed()
	f.MaxDeadline = time.Millisecond
	f.answer = func(ctx context.Context, _ *call, _ *rampv1.ResourceQuery) (*rampv1.ResourceResponse, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	for name, client := range speakers(f.serve(t)) {
		if _, err := client.DiscoverResources(t.Context(), connect.NewRequest(query())); connect.CodeOf(err) !=
			connect.CodeDeadlineExceeded {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestQueryTakesAsLongAsItSaysAndNeverLongerThanTheMost(t *testing.T) {
	t.Parallel()
	d := handlers{Config: Config{Deadline: 500 * time.Millisecond, MaxDeadline: 10 * time.Second}}
	for text, want := range map[string]time.Duration{`{}`: 500 * time.Millisecond,
		`{"deadline":"0.05s"}`: 50 * time.Millisecond, `{"deadline":"3600s"}`: 10 * time.Second} {
		q := &rampv1.ResourceQuery{}
		if err := wire.Unmarshal([]byte(text), q); err != nil || d.allowed(q) != want {
			t.Errorf("%s: %s, %v; want %s", text, d.allowed(q), err, want)
		}
	}
	zero := `{"ver":"1.0","id":"q","requester":{"id":"b","domain":"b.example"},"deadline":"0s"}`
	f := newFramed()
	address, client, _ := f.serve(t)
	if got := send(t, client, address+discoverPath, "application/json", zero); got != `{"code":"invalid_argument","message":"deadline: has to be longer than 0"}` {
		t.Error(got)
	}
}
