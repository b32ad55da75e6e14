package load

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
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

	"frontdesk/internal/testkit/process"
)

// The rates at which requests come, whatever becomes of those before them.
const (
	disputesASecond  = 500
	discoversASecond = 1000
)

// BenchmarkDisputes has purchases disputed that the log of a CDN says failed, while others ask for
// offers, of the running program: 500 disputes and 1,000 queries a second, each at its own time
// whatever became of those before it. What counts is from when a request was to be sent until its
// answer was read. Every dispute has to be decided in its answer, and paid back once.
// FRONTDESK_DISPUTES is for how many seconds, and FRONTDESK_WRK_STORE as in BenchmarkDeals:
//
//	FRONTDESK_DISPUTES=20 go test ./test/load -run xxx -bench Disputes -benchtime 1x
func BenchmarkDisputes(b *testing.B) {
	seconds, _ := strconv.Atoi(os.Getenv("FRONTDESK_DISPUTES"))
	if seconds == 0 {
		b.Skip("set FRONTDESK_DISPUTES to the number of seconds")
	}
	for b.Loop() {
		disputed, asked := disputeAll(b, seconds*disputesASecond, disputesASecond, discoversASecond)
		b.Logf("disputes %s\nqueries %s", disputed, asked)
		b.ReportMetric(milliseconds(disputed.p(99)), "dispute-p99-ms")
		b.ReportMetric(milliseconds(asked.p(99)), "discover-p99-ms")
	}
}

// TestDisputesComeAllAtOnce is the short form: no time counts.
//
// Not parallel: it measures what the process takes.
func TestDisputesComeAllAtOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("short: runs the real program")
	}
	disputed, asked := disputeAll(t, 100, disputesASecond/10, discoversASecond/10)
	t.Logf("disputes %s\nqueries %s", disputed, asked)
}

// times are how long requests took, in order.
type times []time.Duration

func (l times) p(percent int) time.Duration {
	if len(l) == 0 {
		return 0
	}
	return l[min(len(l)*percent/100, len(l)-1)]
}

func (l times) String() string {
	return fmt.Sprintf("%d, in ms: p50 %.2f, p95 %.2f, p99 %.2f, most %.2f", len(l), milliseconds(l.p(50)),
		milliseconds(l.p(95)), milliseconds(l.p(99)), milliseconds(l.p(100)))
}

// disputeAll buys and reports so many things, has a log say that none was delivered, and disputes
// them at a rate beside queries for offers.
func disputeAll(t testing.TB, n, rate, queries int) (disputed, asked times) {
	folder := t.TempDir()
	config := exchange(t, folder)
	server := process.Start(t, "serve", "--config", config)
	offered(t, server.URL+discover, signedQuery())
	c := &caller{http: &http.Client{Timeout: time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: 1024}},
		origin: server.URL}
	all := c.buyAll(t, n)
	log := filepath.Join(folder, "cdn.jsonl")
	var lines strings.Builder
	for _, s := range all {
		fmt.Fprintf(&lines, `{"time":%q,"transaction":%q,"status":404,"bytes":0}`+"\n", time.Now().UTC().Format(time.RFC3339), s.transaction)
	}
	if err := os.WriteFile(log, []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	process.MustRun(t, "ramp", "evidence", "import", "--config", config, "--form", "frontdesk", log)
	before := bought(t, config)

	// Signing is the client's: it is done before.
	requests := make([]*http.Request, n)
	for i, s := range all {
		requests[i] = c.signed(t, "DisputeTransaction", map[string]any{
			"ver": "1.0", "id": fmt.Sprint("dispute-", i), "transaction_id": s.transaction, "billing_id": s.billing,
			"report_id": s.report, "reason": "DISPUTE_REASON_DELIVERY_FAILED",
		})
	}
	query := []byte(signedQuery())
	var wait sync.WaitGroup
	var without atomic.Int64
	asked = make(times, n*queries/rate)
	disputed = make(times, n)
	spent := server.CPU(t)
	begin := time.Now().Add(100 * time.Millisecond)
	wait.Go(func() {
		c.openly(t, begin, queries, asked, func(int) (*http.Request, error) {
			r, err := http.NewRequest(http.MethodPost, c.origin+discover, bytes.NewReader(query))
			if err == nil {
				r.Header.Set("Content-Type", "application/json")
			}
			return r, err
		}, func(body []byte) bool {
			// there is a time for queries, which a machine that does other work may not keep
			if !bytes.Contains(body, []byte(`"offer_id"`)) {
				without.Add(1)
			}
			return true
		})
	})
	c.openly(t, begin, rate, disputed, func(i int) (*http.Request, error) { return requests[i], nil },
		func(body []byte) bool {
			var answer struct {
				Accepted           bool
				Status, Resolution string
			}
			return json.Unmarshal(body, &answer) == nil && answer.Accepted &&
				answer.Status == "DISPUTE_STATUS_AUTO_RESOLVED" && answer.Resolution == "RESOLUTION_TYPE_CREDIT"
		})
	wait.Wait()
	t.Logf("the server took %.2f s of the processors in %.2f s; %d queries had no offer in time",
		(server.CPU(t) - spent).Seconds(), time.Since(begin).Seconds(), without.Load())
	if back := before - bought(t, config); back != n || before != n {
		t.Errorf("of %d purchases that were paid and disputed %d were paid back", before, back)
	}
	slices.Sort(disputed)
	slices.Sort(asked)
	return disputed, asked
}

// caller is the buyer's program.
type caller struct {
	http   *http.Client
	origin string
}

// openly sends requests at a rate, each at its time, and notes how long each took from then.
func (c *caller) openly(t testing.TB, begin time.Time, rate int, took times, request func(i int) (*http.Request, error),
	good func(body []byte) bool) {
	var wait sync.WaitGroup
	var once sync.Once
	for i := range took {
		due := begin.Add(time.Duration(i) * time.Second / time.Duration(rate))
		<-time.After(time.Until(due))
		wait.Go(func() {
			r, err := request(i)
			var status int
			var body []byte
			if err == nil {
				status, body, err = c.do(r)
			}
			took[i] = time.Since(due)
			if err != nil || status != http.StatusOK || !good(body) {
				once.Do(func() { t.Errorf("request %d: %d %s %v", i, status, body, err) })
			}
		})
	}
	wait.Wait()
}

// do sends a request, and again where there was no time for it, as who has had no answer does.
func (c *caller) do(r *http.Request) (status int, body []byte, err error) {
	for range 20 {
		answer, err := c.http.Do(r)
		if err != nil {
			return 0, nil, err
		}
		body, err = io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil || answer.StatusCode != http.StatusGatewayTimeout &&
			answer.StatusCode != http.StatusServiceUnavailable {
			return answer.StatusCode, body, err
		}
		status = answer.StatusCode
		r = r.Clone(r.Context())
		if r.Body, err = r.GetBody(); err != nil {
			return 0, nil, err
		}
	}
	return status, body, nil
}

// signed is an RPC, signed over HTTP (RFC 9421).
func (c *caller) signed(t testing.TB, method string, message map[string]any) *http.Request {
	body, err := json.Marshal(message)
	if err != nil {
		t.Error(err)
	}
	at := "/ramp.v1.ExchangeService/" + method
	r, err := http.NewRequest(http.MethodPost, c.origin+at, bytes.NewReader(body))
	if err != nil {
		t.Error(err)
		return nil
	}
	sum := sha256.Sum256(body)
	digest := "sha-256=:" + base64.StdEncoding.EncodeToString(sum[:]) + ":"
	input := fmt.Sprintf(`("@method" "@target-uri" "content-digest");created=%d;keyid=%q;alg="ed25519"`, time.Now().Unix(), buyerDomain)
	base := "\"@method\": POST\n\"@target-uri\": " + c.origin + at + "\n\"content-digest\": " + digest +
		"\n\"@signature-params\": " + input
	for name, value := range map[string]string{
		"Content-Type": "application/json", "Content-Digest": digest, "Signature-Input": "agent=" + input,
		"Signature": "agent=:" + base64.StdEncoding.EncodeToString(ed25519.Sign(buyerKey(), []byte(base))) + ":",
	} {
		r.Header.Set(name, value)
	}
	return r
}

// call sends an RPC and reads its answer.
func (c *caller) call(t testing.TB, method string, message map[string]any, into any) error {
	status, body, err := c.do(c.signed(t, method, message))
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("%s: %d %s", method, status, body)
	}
	if err == nil {
		err = json.Unmarshal(body, into)
	}
	return err
}

// sale is something that was bought and reported.
type sale struct{ transaction, billing, report string }

// buyAll buys and reports so many things.
func (c *caller) buyAll(t testing.TB, n int) []sale {
	t.Helper()
	all := make([]sale, n)
	next := make(chan int)
	var wait sync.WaitGroup
	for range 32 {
		wait.Go(func() {
			for i := range next {
				if err := c.buy(t, i, &all[i]); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	wait.Wait()
	if t.Failed() {
		t.FailNow()
	}
	return all
}

// buy buys and reports one thing.
func (c *caller) buy(t testing.TB, i int, s *sale) error {
	who := map[string]any{"id": buyerName, "domain": buyerDomain, "type": "REQUESTER_TYPE_AGENT",
		"uris": []string{soldAddress}, "intended_use": []string{"FUNCTION_AI_INPUT"}}
	var found struct {
		Offers []struct {
			ID        string `json:"offer_id"`
			Signature string `json:"exchange_signature"`
		}
	}
	if err := c.call(t, "DiscoverResources", map[string]any{"ver": "1.0", "id": "q", "requester": who,
		"deadline": "10s"}, &found); err != nil || len(found.Offers) == 0 {
		return fmt.Errorf("%d offers, %w", len(found.Offers), err)
	}
	var bought struct {
		Transaction string `json:"transaction_id"`
		Billing     string `json:"billing_id"`
	}
	if err := c.call(t, "ExecuteTransaction", map[string]any{
		"ver": "1.0", "id": fmt.Sprint("buy-", i), "requester": who, "offer_id": found.Offers[0].ID,
		"offer_signature": found.Offers[0].Signature,
	}, &bought); err != nil {
		return err
	}
	var filed struct {
		ID string `json:"report_id"`
	}
	if err := c.call(t, "ReportUsage", map[string]any{
		"ver": "1.0", "id": fmt.Sprint("report-", i), "transaction_id": bought.Transaction,
		"billing_id": bought.Billing, "timestamp": time.Now().UTC().Format(time.RFC3339),
		"usage": map[string]any{"function": []string{"FUNCTION_AI_INPUT"}, "consumed_quantity": 0},
	}, &filed); err != nil || filed.ID == "" {
		return fmt.Errorf("the report is not taken: %w", err)
	}
	*s = sale{bought.Transaction, bought.Billing, filed.ID}
	return nil
}
