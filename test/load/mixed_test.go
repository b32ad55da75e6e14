package load

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/client"
	"frontdesk/internal/testkit/process"
	compv1 "frontdesk/wire/comp/v1"
	rampv1 "frontdesk/wire/ramp/v1"
)

const (
	// mixedShort is how many times the short form does each kind of work, and mixedPassages how
	// large its site is.
	mixedShort    = 40
	mixedPassages = 2_000
	workers       = 2 // of each kind of work
)

// TestMixedLoad has agents of all four protocols at one front desk at a time, by the house's own
// client: they ask and stream, retrieve signed excerpts and cite them, submit and bind, discover,
// buy, fetch, report and dispute; meanwhile the content changes. Nothing may fail but what the
// client asks for wrongly. FRONTDESK_MIXED is for how long, FRONTDESK_MIXED_RATE how often each
// kind of work begins a second (without it as often as it goes), and FRONTDESK_MIXED_STORE a
// database other than a new SQLite. It prints each minute what was done and what memory the server
// has, which may be no more than a quarter larger in the last quarter of the time than in the
// second:
//
//	FRONTDESK_MIXED=1h go test ./test/load -run MixedLoad -v -timeout 2h
//
// Not parallel: it measures what the process takes.
func TestMixedLoad(t *testing.T) {
	if testing.Short() {
		t.Skip("short: runs the real program")
	}
	m := newMixed(t)
	var wait sync.WaitGroup
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var pace time.Duration
	if text := os.Getenv("FRONTDESK_MIXED_RATE"); text != "" {
		rate, err := strconv.ParseFloat(text, 64)
		if err != nil || rate <= 0 {
			t.Fatalf("FRONTDESK_MIXED_RATE is %q, and must be a number above 0", text)
		}
		pace = time.Duration(workers * float64(time.Second) / rate)
	}
	for worker := range workers {
		for _, k := range m.kinds {
			wait.Go(func() { m.work(ctx, k, worker, pace) })
		}
	}
	wait.Go(func() { m.editing(ctx) })
	lasting := time.Duration(0)
	if text := os.Getenv("FRONTDESK_MIXED"); text != "" {
		var err error
		if lasting, err = time.ParseDuration(text); err != nil {
			t.Fatal(err)
		}
	}
	memory := m.watch(lasting)
	cancel()
	wait.Wait()
	for _, k := range m.kinds {
		t.Logf("%s: %d", k.name, k.done.Load())
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, err := range m.faults {
		t.Error(err)
	}
	if quarter := len(memory) / 4; quarter > 0 {
		if early, late := slices.Max(memory[quarter:2*quarter]),
			slices.Max(memory[len(memory)-quarter:]); late > early+early/4 {
			t.Errorf("the server's memory grew from %s in the second quarter to %s in the last", megabytes(early),
				megabytes(late))
		}
	}
}

// kind is one kind of work, of one protocol.
type kind struct {
	name string
	do   func(ctx context.Context, worker, i int) error
	done atomic.Int64
}

// mixed is a front desk under all kinds of work.
type mixed struct {
	t      testing.TB
	server *process.Server
	folder string
	corpus *corpus
	kinds  []*kind

	mu     sync.Mutex
	faults []error
}

func newMixed(t testing.TB) *mixed {
	m := &mixed{t: t, folder: t.TempDir(), corpus: newCorpus(mixedPassages)}
	config := filepath.Join(m.folder, "frontdesk.yaml")
	text := fmt.Sprintf(`
listen: 127.0.0.1:0
data: %s
metrics: {listen: "off"}
log: {level: warn}
limits: {rate: {address: "", failures: ""}}
site: {id: mixed, name: Mixed, url: "https://mixed.example"}
sources: [{path: content, name: pages}]
terms:
  - {match: {path: "/premium/**"}, access: licensed, functions: {permit: [ai-input]}, price: {model: per_access, rate: "0.01", currency: USD}}
  - {match: {}, access: open, labels: [items], functions: {permit: [ai-input, search]}}
intent: {enabled: true, publisher: {id: mixed}, compliance: {last_updated: "2026-11-22"}, rate: "", sessions: ""}
intakes:
  list:
    - id: trial
      name: Trial
      description: A trial of what there is.
      offer_type: trial
      input_schema: {type: object, required: [seats], properties: {seats: {type: integer, minimum: 1}}}
      privacy: {data_retention: session}
      binding: true
      rules: {offers: [{summary: "{data.seats} seats for a month.", bind_requires: [email]}]}
ramp: {enabled: true, domain: exchange.example.com, requester_rate: "", reports: {overdue: 1000000, percent: 0}}
`, filepath.Join(m.folder, "data"))
	if store := os.Getenv("FRONTDESK_MIXED_STORE"); store != "" {
		text += fmt.Sprintf("store: %q\n", store)
	}
	if err := os.MkdirAll(filepath.Join(m.folder, "content", "premium"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	m.writePremium(0)
	if err := m.corpus.writeFile(filepath.Join(m.folder, "content", "pages.jsonl"), 0, m.corpus.items()); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) string { return process.MustRun(t, append(args, "--config", config)...) }
	run("ingest")
	run("ramp", "requester", "add", "--key", base64.StdEncoding.EncodeToString(buyerKey().Public().(ed25519.PublicKey)),
		buyerDomain, buyerName)
	run("ramp", "account", "open", buyerDomain+"/"+buyerName, "USD")
	run("ramp", "account", "credit", buyerDomain+"/"+buyerName, "10000000", "USD")
	var key struct{ ID, Secret string }
	if err := json.Unmarshal([]byte(run("keys", "issue", "platform", "mixed_chat", "--json")), &key); err != nil {
		t.Fatal(err)
	}
	m.server = process.Start(t, "serve", "--config", config)
	m.open(client.NewKey(key.ID, []byte(key.Secret)))
	return m
}

// premium is how many items are sold.
const premium = 20

func soldURL(i int) string { return fmt.Sprintf("https://mixed.example/premium/%d", i) }

// writePremium writes an edition of what is sold.
func (m *mixed) writePremium(edition int) {
	var lines strings.Builder
	for i := range premium {
		fmt.Fprintf(&lines, `{"@type": "Article", "url": %q, "name": "Premium %d", "articleBody": %q}`+"\n", soldURL(i), i,
			strings.Repeat(fmt.Sprintf("What is sold as number %d stands here in edition %d. ", i, edition), 40))
	}
	path := filepath.Join(m.folder, "content", "premium.jsonl")
	if err := os.WriteFile(path+".new", []byte(lines.String()), 0o600); err != nil {
		m.t.Error(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		m.t.Error(err)
	}
}

// open makes the clients and the kinds of work that they do.
func (m *mixed) open(key client.Key) {
	t := m.t
	web := &http.Client{Timeout: time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
	options := client.Options{HTTP: web}
	desk, err := client.New(m.server.URL, options)
	if err != nil {
		t.Fatal(err)
	}
	publisher, err := client.OpenPublisher(t.Context(), m.server.URL,
		client.Platform{ID: "mixed_chat", Key: key, RequireSigned: true}, options)
	if err != nil {
		t.Fatal(err)
	}
	provider, err := client.DiscoverIntakes(t.Context(), m.server.URL,
		client.IntakeAgent{ID: "mixed-agent", BindHosts: []string{"127.0.0.1"}}, options)
	if err != nil {
		t.Fatal(err)
	}
	exchange, err := client.OpenExchange(t.Context(), m.server.URL,
		client.Buyer{ID: buyerName, Domain: buyerDomain, Key: buyerKey()}, options)
	if err != nil {
		t.Fatal(err)
	}
	m.kinds = []*kind{
		{name: "questions", do: func(ctx context.Context, worker, i int) error {
			_, err := desk.Ask(ctx, client.Question{Text: m.corpus.question(worker + 2*i)})
			if client.IsNoResults(err) { // words that are made up fit nothing now and then
				return nil
			}
			return err
		}},
		{name: "streamed answers", do: func(ctx context.Context, worker, i int) error {
			stream, err := desk.Stream(ctx, client.Question{Text: m.corpus.question(worker + 2*i)})
			if err != nil {
				return err
			}
			if _, err = stream.Collect(); client.IsNoResults(err) {
				return nil
			}
			return err
		}},
		{name: "excerpts and citations", do: func(ctx context.Context, worker, i int) error {
			got, err := publisher.Retrieve(ctx,
				client.Retrieval{Domain: "items", Query: m.corpus.question(worker + 2*i)})
			if client.IsNoContent(err) {
				return nil
			}
			if err != nil || len(got.Answer.Citations) == 0 {
				return err
			}
			shown, err := got.Shown(got.Answer.Citations[0].SourceURL, "answer")
			if err != nil {
				return err
			}
			return publisher.Cite(ctx, shown)
		}},
		{name: "requests and binds", do: func(ctx context.Context, worker, i int) error {
			offer, err := provider.SubmitIntake(ctx, "trial", client.Submission{Data: map[string]any{"seats": 1 + i%9}})
			if err != nil {
				return err
			}
			confirmed, err := offer.Confirm(map[string]any{"email": fmt.Sprintf("agent%d.%d@example.com", worker, i)})
			if err != nil {
				return err
			}
			_, err = provider.BindOffer(ctx, confirmed)
			return err
		}},
		{name: "purchases", do: func(ctx context.Context, worker, i int) error { return m.purchase(ctx, exchange, i) }},
	}
}

// purchase discovers, buys, fetches and reports; one in fifty is disputed, and asked after.
func (m *mixed) purchase(ctx context.Context, x *client.Exchange, i int) error {
	uri := soldURL(rand.IntN(premium))
	quotes, err := x.Discover(ctx,
		client.Wanted{URIs: []string{uri}, Uses: []string{"FUNCTION_AI_INPUT"}, Deadline: 20 * time.Second})
	if err != nil {
		return err
	}
	if len(quotes.All) != 1 || len(quotes.All[0].Offers) == 0 {
		return fmt.Errorf("%s is not offered: %+v", uri, quotes.All)
	}
	offer := quotes.All[0].Offers[0]
	all, err := x.Buy(ctx, client.NewPurchase(), offer)
	if err != nil {
		return err
	}
	if all[0].Denied() {
		return fmt.Errorf("%s is denied: %s", uri, all[0].Result.GetDenialReason())
	}
	// the content may have changed since the offer
	if _, err := x.Fetch(ctx, &all[0]); err != nil && !errors.Is(err, client.ErrOtherContent) {
		return err
	}
	report, err := x.Report(ctx, &all[0],
		client.Use{Quantity: 1, Functions: []compv1.Function{compv1.Function_FUNCTION_AI_INPUT}})
	if err != nil || i%50 > 0 {
		return err
	}
	dispute := &client.Dispute{ReportID: report, Reason: rampv1.DisputeReason_DISPUTE_REASON_DELIVERY_FAILED}
	if _, err := x.Dispute(ctx, &all[0], dispute); err != nil {
		return err
	}
	_, err = x.Dispute(ctx, &all[0], dispute)
	return err
}

// work does one kind of work until ctx ends, as often as the pace says, which is 0 for as often as
// it goes.
func (m *mixed) work(ctx context.Context, k *kind, worker int, pace time.Duration) {
	next := time.Now()
	for i := 0; ctx.Err() == nil; i++ {
		if next = next.Add(pace); pace > 0 {
			<-time.After(time.Until(next))
		}
		if err := k.do(ctx, worker, i); err != nil && ctx.Err() == nil {
			m.mu.Lock()
			if len(m.faults) < 20 {
				m.faults = append(m.faults, fmt.Errorf("%s: %w", k.name, err))
			}
			m.mu.Unlock()
		} else if err == nil {
			k.done.Add(1)
		}
	}
}

// editing changes what is sold now and then, which the server takes up by itself.
func (m *mixed) editing(ctx context.Context) {
	for edition := 1; ; edition++ {
		select {
		case <-ctx.Done():
			return
		case <-time.After(5 * time.Second):
			m.writePremium(edition)
		}
	}
}

// watch waits until the time is over, or, with none, until each kind of work was done so often, and
// gives the server's memory over time.
func (m *mixed) watch(lasting time.Duration) (memory []int64) {
	began, tick := time.Now(), time.NewTicker(5*time.Second)
	defer tick.Stop()
	if lasting == 0 {
		for slices.ContainsFunc(m.kinds, func(k *kind) bool { return k.done.Load() < mixedShort }) {
			m.mu.Lock()
			failed := len(m.faults) > 0
			m.mu.Unlock()
			if failed || time.Since(began) > 5*time.Minute {
				m.t.Errorf("not everything was done %d times within %s", mixedShort,
					time.Since(began).Round(time.Second))
				return nil
			}
			<-time.After(20 * time.Millisecond)
		}
		return nil
	}
	for n := 0; time.Since(began) < lasting; n++ {
		<-tick.C
		memory = append(memory, m.server.RSS(m.t))
		if n%12 == 11 {
			line := fmt.Sprintf("%4.0f min: %s, %.0f s of processor;", time.Since(began).Minutes(),
				megabytes(memory[n]), m.server.CPU(m.t).Seconds())
			for _, k := range m.kinds {
				line += fmt.Sprintf(" %d %s,", k.done.Load(), k.name)
			}
			m.t.Log(strings.TrimSuffix(line, ","))
		}
	}
	return memory
}
