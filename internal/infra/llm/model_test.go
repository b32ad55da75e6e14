package llm_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/infra/llm"
	"frontdesk/internal/testkit/clock"
	scripted "frontdesk/internal/testkit/model"
)

func TestMain(m *testing.M) { scripted.Main(m) }

// brief is a time that a call to a server which does not reply costs the tests.
const brief = 150 * time.Millisecond

// desk is a client for a scripted endpoint with what it told its owner.
type desk struct {
	*llm.Client
	clock *clock.Clock
	log   *bytes.Buffer
	mu    sync.Mutex
	calls []llm.Call
}

func (d *desk) seen() []llm.Call {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]llm.Call(nil), d.calls...)
}

// open makes a client with long times, which change may shorten.
func open(t *testing.T, url string, change func(*llm.Options)) *desk {
	t.Helper()
	d := &desk{clock: clock.At(time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)), log: &bytes.Buffer{}}
	options := llm.Options{
		URL: url, Chat: "talker", Embedding: "pointer", Now: d.clock.Now,
		Timeouts: map[llm.Use]time.Duration{llm.Rerank: time.Minute, llm.Summarize: time.Minute,
			llm.Rewrite: time.Minute, llm.Embed: time.Minute},
		Log: slog.New(slog.NewTextHandler(d.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Observe: func(c llm.Call) {
			d.mu.Lock()
			defer d.mu.Unlock()
			d.calls = append(d.calls, c)
		},
	}
	if change != nil {
		change(&options)
	}
	client, err := llm.New(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	d.Client = client
	return d
}

func hurried(o *llm.Options) {
	o.Timeouts = map[llm.Use]time.Duration{llm.Rerank: brief, llm.Summarize: brief, llm.Rewrite: brief,
		llm.Embed: brief}
}

func soups() []llm.Source {
	return []llm.Source{
		{URL: "https://cook.example/tomato", Type: "Recipe", Name: "Tomato soup", Facts: "takes 25 min, price 4.50 EUR",
			Text: "A quick soup."},
		{URL: "https://cook.example/leek", Type: "Recipe", Name: "Leek soup", Text: "With potatoes, for 1,200 people."},
		{URL: "https://cook.example/pea", Type: "Recipe", Name: "Pea soup", Text: "With mint."},
	}
}

func TestRerankGivesTheModelsOrder(t *testing.T) {
	t.Parallel()
	endpoint := scripted.Start(t)
	tab := open(t, endpoint.URL, nil).WithBudget()
	order, ok := tab.Rerank(t.Context(), "soup", soups())
	if !ok || fmt.Sprint(order) != "[2 1 0]" {
		t.Errorf("order %v, %v; want the opposite, which the endpoint derives", order, ok)
	}
	report, some := tab.Report()
	if !some || report.Uses[llm.Rerank] != "" || report.Calls != 1 || report.Input == 0 || report.Output == 0 {
		t.Errorf("the tab holds %+v", report)
	}
}

func TestRerankReadsOrdersStrictly(t *testing.T) {
	t.Parallel()
	endpoint := scripted.Start(t)
	for _, tc := range []struct{ name, reply, want string }{
		{"whole", `{"order":[2,3,1]}`, "[1 2 0]"},
		{"some are missing", `{"order":[3]}`, "[2 0 1]"},
		{"some are not there", `{"order":[9,0,-1,2,77]}`, "[1 0 2]"},
		{"twice", `{"order":[2,2,2,1]}`, "[1 0 2]"},
		{"as texts", `{"order":["3","1","2"]}`, "[2 0 1]"},
		{"in a block", "```json\n{\"order\":[3,2,1]}\n```", "[2 1 0]"},
		{"after thoughts", "<think>the order is {\"order\":[1]}</think>\n{\"order\":[3,2,1]}", "[2 1 0]"},
		{"prose", "The best is 2.", ""},
		{"prose around", "Sure! {\"order\":[2]}", ""},
		{"a list", "[1,2,3]", ""},
		{"nothing that is there", `{"order":[4,5]}`, ""},
		{"empty", `{"order":[]}`, ""},
		{"another object", `{"ranking":[1,2,3]}`, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			endpoint.Set(scripted.Behaviours{Chat: &scripted.Behaviour{Reply: tc.reply}})
			tab := open(t, endpoint.URL, nil).WithBudget()
			order, ok := tab.Rerank(t.Context(), "soup", soups())
			report, _ := tab.Report()
			switch {
			case tc.want == "" && (ok || report.Uses[llm.Rerank] != llm.Unusable):
				t.Errorf("order %v, %v, reason %q; want it to be unusable", order, ok, report.Uses[llm.Rerank])
			case tc.want != "" && (!ok || fmt.Sprint(order) != tc.want):
				t.Errorf("order %v, %v; want %s", order, ok, tc.want)
			}
		})
	}
}

// TestWhateverTheEndpointDoesThereIsAReason holds every way to misbehave against its reason, for
// each use.
func TestWhateverTheEndpointDoesThereIsAReason(t *testing.T) {
	t.Parallel()
	endpoint := scripted.Start(t)
	uses := map[llm.Use]func(context.Context, *llm.BudgetedClient) bool{
		llm.Rerank: func(ctx context.Context, tab *llm.BudgetedClient) bool {
			_, ok := tab.Rerank(ctx, "soup", soups())
			return ok
		},
		llm.Summarize: func(ctx context.Context, tab *llm.BudgetedClient) bool {
			_, ok := tab.Summarize(ctx, llm.SummaryRequest{Question: "soup", Sources: soups()}, nil)
			return ok
		},
		llm.Rewrite: func(ctx context.Context, tab *llm.BudgetedClient) bool {
			_, ok := tab.Rewrite(ctx, []string{"soup"}, "with peas")
			return ok
		},
		llm.Embed: func(ctx context.Context, tab *llm.BudgetedClient) bool {
			_, ok := tab.Embed(ctx, "soup")
			return ok
		},
	}
	for _, tc := range []struct {
		behaviour scripted.Behaviour
		want      llm.Reason
	}{
		{scripted.Behaviour{Mode: "stall"}, llm.Slow},
		{scripted.Behaviour{Mode: "half"}, llm.Slow},
		{scripted.Behaviour{Mode: "drip", Delay: 40}, llm.Slow},
		{scripted.Behaviour{Delay: 60_000}, llm.Slow},
		{scripted.Behaviour{Mode: "cut"}, llm.Truncated},
		{scripted.Behaviour{Mode: "close"}, llm.Truncated},
		{scripted.Behaviour{Mode: "garbage"}, llm.Malformed},
		{scripted.Behaviour{Mode: "redirect", Location: "http://127.0.0.1:1/elsewhere"}, llm.Refused},
		{scripted.Behaviour{Mode: "status", Status: http.StatusTooManyRequests, After: "7"}, llm.Limited},
		{scripted.Behaviour{Mode: "status", Status: http.StatusInternalServerError}, llm.Failed},
		{scripted.Behaviour{Mode: "status", Status: http.StatusNotFound}, llm.Refused},
		{scripted.Behaviour{Key: "another"}, llm.Refused},
		{scripted.Behaviour{Refuse: []string{"model"}}, llm.Refused},
	} {
		for use, call := range uses {
			t.Run(fmt.Sprint(use, " ", tc.behaviour), func(t *testing.T) {
				endpoint.Set(scripted.Behaviours{Chat: &tc.behaviour, Embed: &tc.behaviour})
				change := func(o *llm.Options) { o.Key = "s3cret-key" }
				if tc.want == llm.Slow {
					change = func(o *llm.Options) { hurried(o); o.Key = "s3cret-key" }
				}
				d := open(t, endpoint.URL, change)
				tab := d.WithBudget()
				ok := call(t.Context(), tab)
				want := tc.want
				if use == llm.Summarize && tc.behaviour.Mode == "garbage" {
					want = llm.Truncated // which is what a stream without an event is
				}
				if report, _ := tab.Report(); ok || report.Uses[use] != want {
					t.Errorf("used: %v, reason %q; want %q\n%s", ok, report.Uses[use], want, d.log)
				}
				if strings.Contains(d.log.String(), "s3cret") {
					t.Errorf("the log holds the key:\n%s", d.log)
				}
			})
		}
	}
}

func TestEndlessRepliesEnd(t *testing.T) {
	t.Parallel()
	endpoint := scripted.Start(t)
	endless := &scripted.Behaviour{Mode: "endless"}
	endpoint.Set(scripted.Behaviours{Chat: endless, Embed: endless})
	tab := open(t, endpoint.URL, nil).WithBudget()
	tab.Rerank(t.Context(), "soup", soups())
	tab.Summarize(t.Context(), llm.SummaryRequest{Question: "soup", Sources: soups()}, nil)
	tab.Embed(t.Context(), "soup")
	report, _ := tab.Report()
	if report.Uses[llm.Rerank] != llm.TooLong || report.Uses[llm.Embed] != llm.TooLong ||
		report.Uses[llm.Summarize] == "" {
		t.Errorf("the tab holds %+v", report)
	}
}

func TestDeadEndpointIsUnreachable(t *testing.T) {
	t.Parallel()
	endpoint := scripted.Start(t)
	d := open(t, endpoint.URL, nil)
	endpoint.Kill()
	tab := d.WithBudget()
	tab.Rerank(t.Context(), "soup", soups())
	if report, _ := tab.Report(); report.Uses[llm.Rerank] != llm.Unreachable {
		t.Errorf("the tab holds %+v\n%s", report, d.log)
	}
	err := d.Check(t.Context())
	if err == nil || !strings.Contains(err.Error(), "talker") || !strings.Contains(err.Error(), "pointer") {
		t.Errorf("the owner is told %v; want both models named", err)
	}
}

// TestBreakerLeavesADeadEndpointAlone follows a breaker through its states: no call while it rests,
// one beside the questions when the pause is over, and calls again once that went well.
func TestBreakerLeavesADeadEndpointAlone(t *testing.T) {
	t.Parallel()
	endpoint := scripted.Start(t)
	endpoint.Set(scripted.Behaviours{Chat: &scripted.Behaviour{Mode: "status", Status: 500}})
	d := open(t, endpoint.URL, nil)
	reason := func() llm.Reason {
		tab := d.WithBudget()
		tab.Rerank(t.Context(), fmt.Sprint("soup ", len(d.seen())), soups())
		report, _ := tab.Report()
		return report.Uses[llm.Rerank]
	}
	for range 3 {
		if got := reason(); got != llm.Failed {
			t.Fatalf("reason %q", got)
		}
	}
	for range 5 {
		if got := reason(); got != llm.CircuitOpen {
			t.Errorf("reason %q after three failures", got)
		}
	}
	if requests, _ := endpoint.Requests(); len(requests) != 3 {
		t.Errorf("%d requests came; want the three before the breaker", len(requests))
	}
	if !d.CircuitOpen(llm.Rerank) || d.CircuitOpen(llm.Embed) {
		t.Error("the wrong uses rest")
	}

	endpoint.Set(scripted.Behaviours{}) // well again
	d.clock.Advance(time.Minute)
	if got := reason(); got != llm.CircuitOpen {
		t.Errorf("reason %q; a question must not wait for what is tried beside it", got)
	}
	await(t, func() bool { return !d.CircuitOpen(llm.Rerank) })
	if got := reason(); got != "" {
		t.Errorf("reason %q once the endpoint is well", got)
	}
}

// await waits for what happens beside the test.
func await(t *testing.T, done func() bool) {
	t.Helper()
	limit, tick := time.After(30*time.Second), time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !done() {
		select {
		case <-limit:
			t.Fatal("it never happened")
		case <-tick.C:
		}
	}
}

func TestEndpointMayAskToBeLeftAlone(t *testing.T) {
	t.Parallel()
	endpoint := scripted.Start(t)
	endpoint.Set(scripted.Behaviours{Chat: &scripted.Behaviour{Mode: "status", Status: 429, After: "120"}})
	d := open(t, endpoint.URL, nil)
	d.WithBudget().Rerank(t.Context(), "soup", soups())
	d.clock.Advance(119 * time.Second)
	d.WithBudget().Rerank(t.Context(), "soup", soups())
	if requests, _ := endpoint.Requests(); len(requests) != 1 {
		t.Errorf("%d requests came within the time that was asked for", len(requests))
	}
}

func TestCallsInFlightAreBounded(t *testing.T) {
	t.Parallel()
	endpoint := scripted.Start(t)
	endpoint.Set(scripted.Behaviours{Chat: &scripted.Behaviour{Mode: "stall"}})
	d := open(t, endpoint.URL, func(o *llm.Options) {
		hurried(o)
		o.MaxCalls, o.Timeouts[llm.Rerank] = 1, time.Minute
	})
	ctx, cancel := context.WithCancel(t.Context())
	var first sync.WaitGroup
	first.Go(func() { d.WithBudget().Rerank(ctx, "soup", soups()) })
	await(t, func() bool { return d.InFlight() == 1 })
	tab := d.WithBudget()
	tab.Rewrite(t.Context(), []string{"soup"}, "with peas")
	if report, _ := tab.Report(); report.Uses[llm.Rewrite] != llm.Busy || report.Calls != 0 {
		t.Errorf("the tab holds %+v", report)
	}
	cancel()
	first.Wait()
	await(t, func() bool { _, open := endpoint.Requests(); return open == 0 })
	if calls := d.seen(); len(calls) != 2 || calls[0].Reason != llm.Busy || calls[1].Reason != llm.Cancelled {
		t.Errorf("calls %+v; want the one that there was no room for, and the one that nobody waits for any more",
			calls)
	}
}

func TestAnswersTokensAreBounded(t *testing.T) {
	t.Parallel()
	endpoint := scripted.Start(t)
	d := open(t, endpoint.URL, func(o *llm.Options) { o.MaxAnswerTokens, o.MaxReplyTokens = 1200, 500 })
	tab := d.WithBudget()
	_, first := tab.Rerank(t.Context(), "soup", soups())
	_, second := tab.Summarize(t.Context(), llm.SummaryRequest{Question: "soup", Sources: soups()}, nil)
	report, _ := tab.Report()
	if !first || second || report.Uses[llm.Summarize] != llm.TokenBudget || report.Calls != 1 {
		t.Errorf("rerank %v, summary %v, tab %+v", first, second, report)
	}
}

func TestWhatIsAskedAgainCostsNothing(t *testing.T) {
	t.Parallel()
	endpoint := scripted.Start(t)
	d := open(t, endpoint.URL, nil)
	for n := range 3 {
		tab := d.WithBudget()
		question, reworded := tab.Rewrite(t.Context(), []string{"pea soup"}, "with mint")
		told := ""
		summary, written := tab.Summarize(t.Context(), llm.SummaryRequest{Question: "soup", Sources: soups()},
			func(s string) {
				told += s
			})
		if !reworded || !written {
			t.Fatalf("reworded %v, written %v", reworded, written)
		}
		report, _ := tab.Report()
		if question != "pea soup with mint" || told != summary.Text || n > 0 && report.Calls != 0 {
			t.Errorf("time %d: question %q, summary %q, told %q, tab %+v", n, question, summary.Text, told, report)
		}
	}
	if requests, _ := endpoint.Requests(); len(requests) != 2 {
		t.Errorf("%d requests came", len(requests))
	}
}

// TestServersThatKnowFewerMembersAreUnderstood holds that a member which a server refuses is left
// out, from then on.
func TestServersThatKnowFewerMembersAreUnderstood(t *testing.T) {
	t.Parallel()
	endpoint := scripted.Start(t)
	endpoint.Set(scripted.Behaviours{Chat: &scripted.Behaviour{Refuse: []string{"max_tokens", "temperature",
		"stream_options"}}})
	d := open(t, endpoint.URL, nil)
	if _, ok := d.WithBudget().Summarize(t.Context(), llm.SummaryRequest{Question: "soup", Sources: soups()},
		nil); !ok {
		t.Fatal("no summary\n", d.log)
	}
	endpoint.Set(scripted.Behaviours{Chat: &scripted.Behaviour{Refuse: []string{"max_tokens", "temperature",
		"stream_options"}}})
	if _, ok := d.WithBudget().Rerank(t.Context(), "soup", soups()); !ok {
		t.Fatal("no order")
	}
	if requests, _ := endpoint.Requests(); len(requests) != 1 {
		t.Errorf("%d requests came; want what was learnt to be known", len(requests))
	}
}

func TestSummaryFromAServerThatDoesNotStream(t *testing.T) {
	t.Parallel()
	endpoint := scripted.Start(t)
	endpoint.Set(scripted.Behaviours{Chat: &scripted.Behaviour{Deaf: true}})
	s, ok := open(t, endpoint.URL, nil).WithBudget().Summarize(t.Context(),
		llm.SummaryRequest{Question: "soup", Sources: soups()}, nil)
	if !ok || s.Text != "Of what was found, Tomato soup is worth a look [1]. Leek soup is worth a look [2]." {
		t.Errorf("summary %q, %v", s.Text, ok)
	}
}

func TestStreamThatForgetsItsEndIsCutOff(t *testing.T) {
	t.Parallel()
	endpoint := scripted.Start(t)
	endpoint.Set(scripted.Behaviours{Chat: &scripted.Behaviour{Mode: "forget"}})
	tab := open(t, endpoint.URL, nil).WithBudget()
	told := ""
	s, ok := tab.Summarize(t.Context(), llm.SummaryRequest{Question: "soup", Sources: soups()}, func(s string) {
		told += s
	})
	if report, _ := tab.Report(); ok || s.Text != "" || report.Uses[llm.Summarize] != llm.Truncated || told == "" {
		t.Errorf("summary %q, %v, told %q, tab %+v", s.Text, ok, told, report)
	}
}

func TestAbsurdUsageIsNotBelieved(t *testing.T) {
	t.Parallel()
	endpoint := scripted.Start(t)
	endpoint.Set(scripted.Behaviours{Chat: &scripted.Behaviour{Mode: "lie"}})
	tab := open(t, endpoint.URL, func(o *llm.Options) {
		o.Price = llm.Price{Input: 1e8, Output: 1e8, Currency: "EUR"}
	}).WithBudget()
	tab.Rerank(t.Context(), "soup", soups())
	if report, _ := tab.Report(); report.Input != 0 || report.Output != 0 || report.Cost != 0 {
		t.Errorf("the tab holds %+v", report)
	}
}

func TestCostIsWhatTokensCost(t *testing.T) {
	t.Parallel()
	endpoint := scripted.Start(t)
	price := llm.Price{Input: 15_000_000, Output: 60_000_000, Currency: "USD"} // 0.15 and 0.60
	d := open(t, endpoint.URL, func(o *llm.Options) { o.Price = price })
	tab := d.WithBudget()
	tab.Rerank(t.Context(), "soup", soups())
	report, _ := tab.Report()
	want := llm.Money((report.Input*15_000_000+999_999)/1_000_000 + (report.Output*60_000_000+999_999)/1_000_000)
	if report.Cost != want || want == 0 || report.Currency != "USD" {
		t.Errorf("%d and %d tokens cost %s %s; want %s", report.Input, report.Output, report.Cost, report.Currency,
			want)
	}
	if calls := d.seen(); len(calls) != 1 || calls[0].Usage != report.Usage {
		t.Errorf("observed %+v; the tab holds %+v", calls, report)
	}
}

func TestMoneyIsReadAndWritten(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"0.15": "0.15", "2": "2", "0.00000001": "0.00000001",
		"1000000": "1000000", "3.50": "3.5"} {
		if m, err := llm.ParseMoney(text); err != nil || m.String() != want {
			t.Errorf("%q is read as %s, %v", text, m, err)
		}
	}
	for _, text := range []string{"", "-1", "1,5", "1e3", ".5", "0.123456789", "1000001", "99999999999", "1.2.3"} {
		if m, err := llm.ParseMoney(text); err == nil {
			t.Errorf("%q is read as %s", text, m)
		}
	}
}

func TestEmbedGivesAVectorForEachText(t *testing.T) {
	t.Parallel()
	endpoint := scripted.Start(t)
	d := open(t, endpoint.URL, nil)
	vectors, err := d.Embed(t.Context(), []string{"tomato soup", "", "tomato soups"})
	if err != nil || len(vectors) != 3 || len(vectors[1]) != 256 {
		t.Fatalf("%d vectors, %v", len(vectors), err)
	}
	likeness := func(a, b []float32) (sum float32) {
		for i := range a {
			sum += a[i] * b[i]
		}
		return sum
	}
	if near, far := likeness(vectors[0], vectors[2]), likeness(vectors[0], vectors[1]); near <= far {
		t.Errorf("likeness %v of like texts, %v of others", near, far)
	}
}

func TestWrongVectorsAreRefused(t *testing.T) {
	t.Parallel()
	endpoint := scripted.Start(t)
	for _, mode := range []string{"nan", "short", "ragged", "zero", "garbage"} {
		endpoint.Set(scripted.Behaviours{Embed: &scripted.Behaviour{Mode: mode}})
		_, err := open(t, endpoint.URL, nil).Embed(t.Context(), []string{"one", "two"})
		if f, ok := errors.AsType[*llm.Error](err); !ok || f.Reason != llm.Malformed {
			t.Errorf("%s: %v", mode, err)
		}
	}
}

func TestClientWithoutAModelDoesNothing(t *testing.T) {
	t.Parallel()
	var none *llm.Client
	tab := none.WithBudget()
	_, ranked := tab.Rerank(t.Context(), "soup", soups())
	_, told := tab.Report()
	none.Close()
	if ranked || told || none.Enabled(llm.Embed) || none.Name(llm.Embed) != "" {
		t.Error("nobody was asked, and something was done")
	}
	endpoint := scripted.Start(t)
	d := open(t, endpoint.URL, func(o *llm.Options) { o.Chat, o.Disabled = "", []llm.Use{llm.Embed} })
	d.WithBudget().Rerank(t.Context(), "soup", soups())
	d.WithBudget().Embed(t.Context(), "soup")
	if requests, _ := endpoint.Requests(); len(requests) != 0 || d.Check(t.Context()) != nil {
		t.Errorf("%d requests came for uses that are off", len(requests))
	}
}

func TestCheckSaysWhatToDo(t *testing.T) {
	t.Parallel()
	endpoint := scripted.Start(t)
	for _, tc := range []struct {
		behaviour scripted.Behaviour
		want      string
	}{
		{scripted.Behaviour{Key: "another"}, "model.key_env"},
		{scripted.Behaviour{Mode: "status", Status: 404}, "model.url"},
		{scripted.Behaviour{Mode: "redirect", Location: "http://127.0.0.1:1/"}, "redirects are not followed"},
		{scripted.Behaviour{Mode: "garbage"}, "not the JSON of a chat completion"},
		{scripted.Behaviour{}, ""},
	} {
		endpoint.Set(scripted.Behaviours{Chat: &tc.behaviour})
		err := open(t, endpoint.URL, nil).Check(t.Context())
		if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
			t.Errorf("%+v: %v; want %q", tc.behaviour, err, tc.want)
		}
	}
}

func TestKeyAndTraceAreSent(t *testing.T) {
	t.Parallel()
	endpoint := scripted.Start(t)
	const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	d := open(t, endpoint.URL, func(o *llm.Options) {
		o.Key, o.Trace = "s3cret-key", func(context.Context) string { return parent }
	})
	d.WithBudget().Rerank(t.Context(), "soup", soups())
	requests, _ := endpoint.Requests()
	if len(requests) != 1 || requests[0].Header.Get("Authorization") != "Bearer s3cret-key" ||
		requests[0].Header.Get("Traceparent") != parent {
		t.Errorf("requests %+v", requests)
	}
}
