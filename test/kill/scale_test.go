package kill

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
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

	"frontdesk/internal/testkit/process"
	"frontdesk/internal/testkit/storetest"
)

// between is how many purchases stand between two events of TestNodesBehindNginxCarryOneDesk, in
// the short form.
const between = 60

// TestNodesBehindNginxCarryOneDesk has three nodes of one PostgreSQL behind the nginx of
// docs/scale.md, and buyers who buy, fetch and report through it without end, sending again what
// has no answer, while others wait for answers that are promised. Under that one node is paused,
// one is killed and one is added; the paused one goes on in the middle of what it did, and the
// killed one comes back. Nothing that was acknowledged is lost or doubled, every promise is kept by
// whichever node lives, money and the ledger agree with what buyers were told; every node follows
// the content, none goes back behind what it has shown; and a limit is one for all nodes together.
func TestNodesBehindNginxCarryOneDesk(t *testing.T) {
	t.Parallel()
	storetest.NeedPostgres(t)
	if testing.Short() {
		t.Skip("short: runs the real program several times")
	}
	n := &nodes{exchange: exchange{t: t, dsn: storetest.NewPostgres(t), dir: t.TempDir(),
		random: rand.New(rand.NewPCG(1, 2))}, over: make(chan struct{})}
	for i := range 4 {
		n.listen = append(n.listen, process.FreeAddress(t))
		n.node(i, n.listen[i], `
proxies: [127.0.0.1]
limits: {rate: {address: 30/1m, failures: ""}}
ask: {promise: {workers: 4, slow: [{match: amber, for: 300ms}]}}`)
	}
	n.stock()
	for i := range 3 {
		n.servers = append(n.servers, process.Start(t, "serve", "--config", n.configs[i]))
	}
	n.gate = process.Nodes(t, n.listen...)
	for _, b := range n.buyers { // each request from an address of its own
		b.http.Transport = from{b.http.Transport}
	}
	var running sync.WaitGroup
	for worker := range 6 {
		running.Go(func() { n.shops(worker) })
	}
	running.Go(n.watchesTheLedger)
	for range 2 {
		running.Go(n.waits)
	}

	n.passes("three nodes")
	n.follows()
	n.floods()

	n.servers[1].Pause()
	n.passes("one of them paused")
	// until somebody waited for it in vain: nginx itself asks another node where it was only asked
	// to read
	for range 20 {
		if n.again.Load() > 0 {
			break
		}
		n.servers[1].Resume()
		n.passes("and let go on")
		n.servers[1].Pause()
		n.passes("and paused again")
	}
	n.servers[2].Kill()
	n.passes("and one killed")
	n.servers[2] = process.Start(t, "serve", "--config", n.configs[3])
	n.passes("and one added")
	n.servers[1].Resume()
	n.passes("and the paused one goes on")
	n.servers = append(n.servers, process.Start(t, "serve", "--config", n.configs[2]))
	n.passes("and the killed one comes back")
	n.follows()
	n.floods()

	close(n.over)
	running.Wait()
	for _, err := range n.faults {
		t.Error(err)
	}
	if t.Failed() {
		t.FailNow()
	}
	for _, r := range n.all {
		n.settle(r, time.Time{})
	}
	n.audit()
	for _, server := range n.servers {
		server.End(t)
	}
	n.close()
	t.Logf("%d requests to buy, and %d of all were sent again: %d things bought, %d denied; %d fetches, %d reports; "+
		"%d promises kept; the ledger was seen to grow %d times; a node followed the content after at most %s",
		len(n.all), n.again.Load(), n.granted, n.denied, n.fetched, n.reports, n.kept.Load(), n.grown,
		n.longest.Round(time.Millisecond))
	if n.granted < 5*between || n.again.Load() == 0 || n.grown == 0 || n.kept.Load() < 6 {
		t.Error("too little happened: nothing was tested")
	}
}

// nodes are an exchange of several nodes behind one door.
type nodes struct {
	exchange
	listen  []string
	gate    *process.Server // nginx
	over    chan struct{}   // closed when everybody is to end
	bought  atomic.Int64
	again   atomic.Int64 // requests that were sent more than once
	kept    atomic.Int64 // promises of answers
	grown   int          // how often the ledger was seen to be larger
	more    int          // items that were added
	longest time.Duration

	mu     sync.Mutex
	faults []error
}

// from gives each request an address that it seems to come from, as the nginx of the test hands it
// on.
type from struct{ http.RoundTripper }

func (f from) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Header.Get("X-From") == "" {
		r = r.Clone(r.Context())
		address := fmt.Sprintf("198.%d.%d.%d", 18+rand.IntN(2), rand.IntN(256), rand.IntN(256))
		r.Header.Set("X-From", address)
		r.Header.Set("X-Forwarded-For", address)
	}
	return f.RoundTripper.RoundTrip(r)
}

// passes waits until so much was bought since it was called.
func (n *nodes) passes(how string) {
	n.t.Helper()
	want := n.bought.Load() + between
	began := time.Now()
	for n.bought.Load() < want {
		n.mu.Lock()
		failed := len(n.faults) > 0
		n.mu.Unlock()
		if failed || time.Since(began) > 3*time.Minute {
			close(n.over)
			n.t.Fatalf("%s: %d of %d things bought after %s: %v", how, between-(want-n.bought.Load()), between,
				time.Since(began), n.faults)
		}
		<-time.After(10 * time.Millisecond)
	}
	n.t.Logf("%s: %d things bought in %s", how, between, time.Since(began).Round(10*time.Millisecond))
}

// fault keeps what went wrong.
func (n *nodes) fault(err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.faults) < 5 {
		n.faults = append(n.faults, err)
	}
}

// insist does something until it has an answer.
func (n *nodes) insist(do func() (lost, err error)) error {
	for began, times := time.Now(), 1; ; <-time.After(20 * time.Millisecond) {
		lost, err := do()
		if lost == nil || err != nil {
			return err
		}
		if times++; times == 2 {
			n.again.Add(1)
		}
		if time.Since(began) > 2*time.Minute {
			return fmt.Errorf("for two minutes there is no answer: %w", lost)
		}
	}
}

// shops buys, fetches and reports until it is over, and gives up nothing that has no answer.
func (n *nodes) shops(worker int) {
	for i := 0; ; i++ {
		select {
		case <-n.over:
			return
		default:
		}
		if err := n.buysOne(worker, i); err != nil {
			n.fault(err)
			return
		}
	}
}

func (n *nodes) buysOne(worker, i int) error {
	b := n.buyers[(worker+i)%2] // those who can pay
	uris := []string{itemURL(rand.IntN(60))}
	if i%4 == 0 {
		if uri := itemURL(rand.IntN(60)); !slices.Contains(uris, uri) {
			uris = append(uris, uri)
		}
	}
	var found map[string][]offer
	err := n.insist(func() (lost, err error) {
		got, lost := b.call(n.gate, "DiscoverResources", map[string]any{"ver": "1.0",
			"id": fmt.Sprintf("query-%d-%d", worker, i), "requester": b.requester(uris...), "deadline": "10s"})
		if lost == nil && got.status == http.StatusServiceUnavailable {
			lost = errors.New(string(got.body))
		}
		if lost == nil {
			found, err = offers(got, uris)
		}
		return lost, err
	})
	if err != nil {
		return err
	}
	var taken []offer
	for _, uri := range uris {
		taken = append(taken, found[uri][rand.IntN(len(found[uri]))])
	}
	r := newBuying(b, fmt.Sprintf("buy-%d-%d", worker, i), taken...)
	err = n.insist(func() (lost, err error) {
		all, lost, err := r.send(n.gate)
		if lost == nil && err == nil {
			r.answer = all
		}
		return lost, err
	})
	if err != nil {
		return err
	}
	n.mu.Lock()
	n.all = append(n.all, r)
	n.mu.Unlock()
	for k, l := range r.answer {
		if l.Denial != "" {
			return fmt.Errorf("%s is denied: %s", r.id, l.Denial)
		}
		if err := n.insist(func() (lost, err error) { return r.get(n.gate, k) }); err != nil {
			return err
		}
		if l.Duty.Required && i%3 > 0 {
			if err := n.insist(func() (lost, err error) { return r.report(n.gate, k) }); err != nil {
				return err
			}
		}
		n.bought.Add(1)
	}
	return nil
}

// waits asks questions that take their time, and waits for the answers that are promised, whichever
// node made the promise, until it is over.
func (n *nodes) waits() {
	client := &http.Client{Timeout: time.Minute, Transport: from{http.DefaultTransport}}
	for {
		select {
		case <-n.over:
			return
		default:
		}
		var r response
		ask := func(path, body string) (lost, err error) {
			answer, err := client.Post(n.gate.URL+path, "application/json", strings.NewReader(body))
			if err != nil {
				return err, nil
			}
			defer answer.Body.Close()
			text, err := io.ReadAll(answer.Body)
			switch {
			case err != nil:
				return err, nil
			case answer.StatusCode >= 500:
				return fmt.Errorf("%s: %s", answer.Status, text), nil
			}
			r = response{raw: string(text)}
			return nil, json.Unmarshal(text, &r)
		}
		err := n.insist(func() (lost, err error) { return ask("/ask", `{"query":{"text":"an amber item"}}`) })
		token := r.Promise.Token
		if err == nil && token == "" {
			err = fmt.Errorf("no answer is promised: %s", r.raw)
		}
		for err == nil && r.Promise.Token != "" {
			<-time.After(20 * time.Millisecond)
			err = n.insist(func() (lost, err error) { return ask("/await", `{"promise_token":"`+token+`","action":"checkin"}`) })
		}
		if err == nil && r.Error.Code != "NO_RESULTS" { // items that are licensed for other uses are not told
			err = fmt.Errorf("a promise is kept by %s", r.raw)
		}
		if err != nil {
			n.fault(err)
			return
		}
		n.kept.Add(1)
	}
}

// watchesTheLedger asks for its checkpoint through the gate until it is over: whichever node
// answers, it never shrinks.
func (n *nodes) watchesTheLedger() {
	size, client := 0, &http.Client{Timeout: time.Minute, Transport: from{http.DefaultTransport}}
	for {
		select {
		case <-n.over:
			return
		case <-time.After(20 * time.Millisecond):
		}
		response, err := client.Get(n.gate.URL + "/ledger/checkpoint")
		if err != nil {
			continue
		}
		text, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || response.StatusCode != http.StatusOK {
			continue
		}
		lines := strings.Split(string(text), "\n")
		if len(lines) < 3 {
			n.fault(fmt.Errorf("a checkpoint is %q", text))
			return
		}
		now, err := strconv.Atoi(lines[1])
		if err != nil || now < size {
			n.fault(fmt.Errorf("the ledger had %d entries, and then %s: %v", size, lines[1], err))
			return
		}
		if now > size {
			n.grown++
		}
		size = now
	}
}

// follows adds an item, and waits until each node that runs offers it; once it does, it does so
// again.
func (n *nodes) follows() {
	t := n.t
	i := 1000 + n.more
	n.more++
	text, err := json.Marshal(edition{name: "amber"}.item(i))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(n.dir, "content", fmt.Sprintf("more-%d.jsonl", i)), text, 0o600); err != nil {
		t.Fatal(err)
	}
	process.MustRun(t, "ingest", "--config", n.configs[0])
	began, b := time.Now(), n.buyers[0]
	for _, server := range n.servers {
		offered := func() bool {
			got, err := b.call(server, "DiscoverResources",
				map[string]any{"ver": "1.0", "id": fmt.Sprintf("follow-%d-%d", i, time.Now().UnixNano()),
					"requester": b.requester(itemURL(i)), "deadline": "10s"})
			if err != nil {
				t.Fatal(err)
			}
			_, err = offers(got, []string{itemURL(i)})
			return err == nil
		}
		for !offered() {
			if time.Since(began) > time.Minute {
				t.Fatalf("a node does not follow the content for a minute:\n%s", server.Log())
			}
			<-time.After(10 * time.Millisecond)
		}
		n.longest = max(n.longest, time.Since(began))
		for range 3 {
			if !offered() {
				t.Fatal("a node went back behind what it had shown")
			}
		}
	}
}

// floods asks through the gate more often than one address may: all nodes together let in what one
// would. Where a node could not count with the others, as it says, another address is tried, once
// none has said so for longer than a node leaves the table alone; and so it is where one question
// had not the time to wait.
func (n *nodes) floods() {
	t := n.t
	for try := range 10 {
		for began := time.Now(); time.Since(n.alone()) < 6*time.Second; <-time.After(50 * time.Millisecond) {
			if time.Since(began) > time.Minute {
				t.Fatal("for a minute the nodes do not count together")
			}
		}
		address, began, in, out := fmt.Sprintf("203.0.113.%d", 10*n.more+try), time.Now(), 0, 0
		for range 120 {
			request, err := http.NewRequest(http.MethodGet, n.gate.URL+"/ask?query=item", nil)
			if err != nil {
				t.Fatal(err)
			}
			request.Header.Set("X-From", address)
			response, err := http.DefaultClient.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			io.Copy(io.Discard, response.Body)
			response.Body.Close()
			switch response.StatusCode {
			case http.StatusOK:
				in++
			case http.StatusTooManyRequests:
				out++
			default:
				t.Fatalf("a question is answered with %s", response.Status)
			}
		}
		if n.alone().After(began.Truncate(time.Millisecond).Add(-time.Millisecond)) {
			continue
		}
		most := 30 + int(time.Since(began)/(2*time.Second)) + 1
		if in < 30 || out == 0 {
			t.Fatalf("of 120 questions of one address %d were let in, and %d not; 30 to %d may be", in, out, most)
		}
		if in <= most {
			return
		}
		t.Logf("of 120 questions of one address %d were let in, and %d not, where %d may be: "+
			"some did not wait for the database", in, out, most)
	}
	t.Error("the nodes did not count together in ten tries")
}

// alone is when a node said last that it counts by itself.
func (n *nodes) alone() (last time.Time) {
	for _, server := range n.servers {
		for line := range strings.Lines(server.Log()) {
			if !strings.Contains(line, "this node counts by itself") {
				continue
			}
			stamp, _, _ := strings.Cut(strings.TrimPrefix(line, "time="), " ")
			at, err := time.Parse(time.RFC3339, stamp)
			if err != nil {
				n.t.Fatalf("a line of a log has no time: %s", line)
			}
			if at.After(last) {
				last = at
			}
		}
	}
	return last
}
