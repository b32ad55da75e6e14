package kill

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/internal/infra/store"
	"frontdesk/internal/testkit/process"
	"frontdesk/wire/sign"
)

// edgeKills is how often something is killed under agents that fetch at an edge, in the short form.
const edgeKills = 6

// TestEachByteThatAnEdgeDeliversIsAccountedFor kills an edge, its Exchange, or the wire between the
// two, at random moments, while agents fetch at the edge. Once all are back, the Exchange knows
// each delivery once, with an entry in the ledger: with the bytes that the agent has had where it
// had all of them, and otherwise with no fewer. What no agent asked for it does not know.
func TestEachByteThatAnEdgeDeliversIsAccountedFor(t *testing.T) {
	t.Parallel()
	killOnBoth(t, edgeKills, func(t *testing.T, fresh func() string, _, kills int) { killEdge(t, fresh(), kills) })
}

// The addresses at which the edge delivers.
const deliveredAt = "https://cdn.kill.example"

// outpost is a series of kills of an edge, its Exchange, and the wire between.
type outpost struct {
	t        *testing.T
	dsn, dir string
	random   *rand.Rand
	exchange *process.Server
	edge     *process.Server
	wire     *wire
	secret   []byte
	buyer    *buyer

	mu      sync.Mutex
	fetches map[string]*fetched // by transaction
	bought  int
}

// fetched is what an agent had of one fetch.
type fetched struct {
	bytes int64
	whole bool
	begun bool // it had a head at least
	known bool // the transaction is one of the Exchange's
}

func killEdge(t *testing.T, dsn string, n int) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	o := &outpost{t: t, dsn: dsn, dir: t.TempDir(), random: rand.New(rand.NewPCG(seed, 5)),
		fetches: map[string]*fetched{}}
	o.open()
	for i := range n {
		o.round(i)
		if t.Failed() {
			t.Fatalf("after %d kills", i+1)
		}
	}
	o.audit()
	whole, broken, none := 0, 0, 0
	for _, f := range o.fetches {
		switch {
		case f.whole:
			whole++
		case f.bytes > 0:
			broken++
		default:
			none++
		}
	}
	t.Logf("%d kills; %d fetches were whole, %d broke off, %d had nothing; %d were of things that were bought", n,
		whole, broken, none, o.bought)
	if whole < n || broken == 0 || o.bought == 0 {
		t.Error("too little was fetched: nothing was tested")
	}
}

// origin is where the content is: items of some hundred kilobytes, in parts.
func origin(w http.ResponseWriter, r *http.Request) {
	var n int
	_, _ = fmt.Sscanf(r.URL.Path, "/items/%d", &n)
	if n%2 == 0 {
		w.Header().Set("Content-Length", fmt.Sprint(itemSize))
	}
	part := []byte(strings.Repeat("x", itemSize/8))
	for range 8 {
		if _, err := w.Write(part); err != nil {
			return
		}
		_ = http.NewResponseController(w).Flush()
	}
}

const itemSize = 1 << 21

func (o *outpost) open() {
	t := o.t
	edition{"amber", 60, 3}.write(t, filepath.Join(o.dir, "content"))
	content := httptest.NewServer(http.HandlerFunc(origin))
	t.Cleanup(content.Close)
	o.wire = newWire(t)
	o.write("desk.yaml", fmt.Sprintf(`
listen: 127.0.0.1:0
data: data
store: %q
metrics: {listen: "off"}
url: %s
limits: {rate: {address: "", failures: ""}}
site: {id: kill, name: Kill, url: "https://kill.example"}
sources: [{path: content}]
terms: [{match: {}, access: licensed, functions: {permit: [ai-input]}, price: {model: per_access, rate: "0.02", currency: USD}}]
ramp:
  enabled: true
  signatures: required
  requester_rate: ""
  reports: {overdue: 1000000, percent: 0}
  delivery: [{name: cdn, match: {}, at: %q, form: hmac}]
`, o.dsn, exchangeURL, deliveredAt))
	run := func(args ...string) string {
		return strings.TrimSpace(process.MustRun(t, append(args, "--config", filepath.Join(o.dir, "desk.yaml"))...))
	}
	run("ingest")
	o.write("cdn.key", run("keys", "issue", "delivery", "cdn"))
	if _, err := fmt.Sscanf(o.read("cdn.key"), "%x", &o.secret); err != nil {
		t.Fatal(err)
	}
	run("keys", "activate", o.key(run, "delivery"))
	o.write("edge.secret", run("keys", "issue", "edge", "edge-1"))
	o.buyer = newBuyer(t, "buyer.example")
	run("ramp", "requester", "add", "--key", o.buyer.public(t), o.buyer.domain, "bot")
	run("ramp", "account", "open", o.buyer.account(), "USD")
	run("ramp", "account", "credit", o.buyer.account(), "100000", "USD")
	o.write("edge.yaml", fmt.Sprintf(`
listen: 127.0.0.1:0
data: edge
metrics: {listen: "off"}
limits: {rate: {address: "", failures: ""}}
edge:
  exchange: %s
  key: %s
  secret_file: edge.secret
  every: 1s
  sites:
    - {domain: kill.example, url: %q, hosts: [cdn.kill.example], origin: %q, unknown: licensed, keys: [{form: hmac, file: cdn.key}]}
`, o.wire.URL(), o.key(run, "edge"), deliveredAt, content.URL))
	o.startExchange()
	o.startEdge()
}

// key is the id of the only key of a kind.
func (o *outpost) key(run func(...string) string, kind string) string {
	for line := range strings.Lines(run("keys", "list")) {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == kind {
			return fields[1]
		}
	}
	o.t.Fatalf("there is no key %s", kind)
	return ""
}

func (o *outpost) write(name, text string) {
	if err := os.WriteFile(filepath.Join(o.dir, name), []byte(text), 0o600); err != nil {
		o.t.Fatal(err)
	}
}

func (o *outpost) read(name string) string {
	text, err := os.ReadFile(filepath.Join(o.dir, name))
	if err != nil {
		o.t.Fatal(err)
	}
	return string(text)
}

func (o *outpost) startExchange() {
	o.exchange = process.Start(o.t, "serve", "--config", filepath.Join(o.dir, "desk.yaml"))
	o.wire.to.Store(strings.TrimPrefix(o.exchange.URL, "http://"))
}

func (o *outpost) startEdge() {
	o.edge = process.Start(o.t, "edge", "--config", filepath.Join(o.dir, "edge.yaml"))
}

// buy buys something of the Exchange, and gives its signed address; it fails while the Exchange is
// away.
func (o *outpost) buy(name string, n int) (address, transaction string, err error) {
	uri := fmt.Sprintf("https://kill.example/items/%d", n%60)
	got, err := o.buyer.call(o.exchange, "DiscoverResources",
		map[string]any{"ver": "1.0", "id": "q-" + name, "requester": o.buyer.requester(uri)})
	if err != nil {
		return "", "", err
	}
	all, err := offers(got, []string{uri})
	if err != nil {
		return "", "", err
	}
	r := newBuying(o.buyer, name, all[uri][0])
	bought, lost, err := r.send(o.exchange)
	if lost != nil || err != nil {
		return "", "", fmt.Errorf("%v, %v", lost, err)
	}
	return bought[0].Package.Retrieval.Endpoint, bought[0].Transaction, nil
}

// sign makes a signed address of a transaction that nobody knows.
func (o *outpost) sign(transaction string, n int) string {
	keys := sign.URLKeys{Origin: deliveredAt, Keys: []sign.URLKey{{Form: sign.URLHMAC, Secret: o.secret}}}
	address, err := keys.Sign(fmt.Sprintf("%s/items/%d", deliveredAt, n%60),
		sign.URLGrant{Expires: time.Now().Add(4 * time.Minute), Agent: "agent", Transaction: transaction}, time.Now())
	if err != nil {
		o.t.Fatal(err)
	}
	return address
}

// round has agents fetch, and kills something in the middle of it.
func (o *outpost) round(n int) {
	t := o.t
	type sale struct{ address, transaction string }
	var sales []sale // before the kill
	for i := range 4 {
		address, transaction, err := o.buy(fmt.Sprintf("buy-%d-%d", n, i), n*4+i)
		if err != nil {
			t.Fatalf("the Exchange sells nothing: %v\n%s", err, o.exchange.Log())
		}
		sales = append(sales, sale{address, transaction})
		o.fetches[transaction] = &fetched{known: true}
		o.bought++
	}
	enough, reached, over := int64(1+o.random.IntN(25)), make(chan struct{}), make(chan struct{})
	var had atomic.Int64
	var agents sync.WaitGroup
	for worker := range 4 {
		agents.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-over:
					return
				default:
				}
				of := sale{transaction: fmt.Sprintf("txn-%d-%d-%d", n, worker, i)}
				if i == 0 {
					of = sales[worker]
				} else {
					of.address = o.sign(of.transaction, worker+i)
				}
				if o.fetch(of.transaction, of.address, i > 0 && i%7 == 0); had.Add(1) == enough {
					close(reached)
				}
			}
		})
	}
	<-reached
	<-time.After(time.Duration(o.random.Int64N(int64(8 * time.Millisecond)))) // anywhere within the fetches under way
	what := o.random.IntN(4)
	switch what {
	case 0:
		o.edge.Kill()
	case 1:
		o.exchange.Kill()
	case 2:
		o.wire.cut()
	case 3:
		o.exchange.Kill()
		o.edge.Kill()
	}
	if what == 1 || what == 2 { // the edge goes on without its Exchange
		for went := had.Load(); had.Load() < went+10; {
			<-time.After(time.Millisecond)
		}
	}
	close(over)
	agents.Wait()
	o.wire.mend()
	if what == 1 || what == 3 {
		o.startExchange()
	}
	if what == 0 || what == 3 {
		o.startEdge()
	}
}

// fetch fetches at the edge, and notes what came. An impatient agent goes away in the middle.
func (o *outpost) fetch(transaction, address string, impatient bool) {
	f := &fetched{}
	o.mu.Lock()
	if known := o.fetches[transaction]; known != nil {
		f = known
	}
	o.fetches[transaction] = f
	o.mu.Unlock()
	request, err := http.NewRequest(http.MethodGet, o.edge.URL+strings.TrimPrefix(address, deliveredAt), nil)
	if err != nil {
		o.t.Error(err)
		return
	}
	request.Host = "cdn.kill.example"
	response, err := o.buyer.http.Do(request)
	if err != nil {
		return
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(response.Body, 500))
		o.t.Errorf("%s is answered with %d %s", address, response.StatusCode, text)
		return
	}
	f.begun = true
	body := io.Reader(response.Body)
	if impatient {
		body = io.LimitReader(body, itemSize/4)
	}
	f.bytes, err = io.Copy(io.Discard, body)
	f.whole = err == nil && f.bytes == itemSize
}

// audit ends the edge, which then tells all it has, and holds what the Exchange knows against what
// the agents had.
func (o *outpost) audit() {
	t := o.t
	o.edge.End(t)
	// What was refused a moment ago, since the Exchange was just starting, is told by the next
	// edge.
	for tries := 0; o.waiting() && tries < 20; tries++ {
		o.startEdge()
		<-time.After(time.Second)
		o.edge.End(t)
	}
	if o.waiting() {
		t.Fatalf("the edge has not told everything:\n%s", o.edge.Log())
	}
	config := filepath.Join(o.dir, "desk.yaml")
	if stdout, stderr, err := process.Run(t, "ledger", "audit", "--config", config); err != nil {
		t.Fatalf("%v\n%s%s", err, stdout, stderr)
	}
	x := &exchange{t: t, configs: []string{config}}
	export := filepath.Join(o.dir, "export.jsonl")
	x.exported(export)
	o.exchange.End(t)
	entries := 0
	for _, count := range counted(t, export) {
		entries += count.deliveries
	}
	rows := o.rows()
	if entries != len(rows) {
		t.Errorf("the ledger has %d entries for %d deliveries", entries, len(rows))
	}
	for transaction, f := range o.fetches {
		got, ok := rows[transaction]
		delete(rows, transaction)
		switch {
		case !ok && f.begun:
			t.Errorf("of %s an agent had %d bytes, and the Exchange does not know it", transaction, f.bytes)
		case !ok:
		case got.count != 1 || got.state == "begun" || got.stray == f.known || got.bytes < f.bytes:
			t.Errorf("of %s an agent had %d bytes (%+v), and the Exchange has %+v", transaction, f.bytes, *f, got)
		case f.whole && (got.bytes != itemSize && !got.bound || got.state == "cut" && !got.bound):
			t.Errorf("of %s an agent had all %d bytes, and the Exchange has %+v", transaction, f.bytes, got)
		}
	}
	for transaction, got := range rows {
		t.Errorf("the Exchange has %+v of %s, which nobody fetched", got, transaction)
	}
}

// waiting says whether the edge has files with something to tell.
func (o *outpost) waiting() bool {
	names, err := filepath.Glob(filepath.Join(o.dir, "edge", "edge", "spool", "*.spool"))
	if err != nil || len(names) == 0 {
		o.t.Fatalf("the edge has no spool: %v", err)
	}
	return len(names) > 1
}

// row is what the Exchange knows of deliveries under a transaction.
type row struct {
	state        string
	bytes        int64
	bound, stray bool
	count        int
}

func (o *outpost) rows() map[string]row {
	db, err := store.Open(context.Background(), store.Config{DSN: o.dsn})
	if err != nil {
		o.t.Fatal(err)
	}
	defer db.Close()
	all := map[string]row{}
	err = db.View(context.Background(), func(tx *store.Tx) error {
		rows, err := tx.Query(context.Background(), `SELECT txn, state, bytes, bound, stray FROM deal_delivery WHERE source = 'edge-1'`)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var id string
			var r row
			var bound, stray int64
			if err := rows.Scan(&id, &r.state, &r.bytes, &bound, &stray); err != nil {
				return err
			}
			r.bound, r.stray, r.count = bound != 0, stray != 0, all[id].count+1
			all[id] = r
		}
		return rows.Err()
	})
	if err != nil {
		o.t.Fatal(err)
	}
	return all
}

// wire is the way between an edge and its Exchange: an address that stays, whoever is behind it,
// and that can be cut.
type wire struct {
	listener net.Listener
	to       atomic.Value // an address

	mu    sync.Mutex
	down  bool
	conns map[net.Conn]bool
}

func newWire(t *testing.T) *wire {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{listener: l, conns: map[net.Conn]bool{}}
	t.Cleanup(func() { l.Close(); w.cut() })
	go func() {
		for {
			from, err := l.Accept()
			if err != nil {
				return
			}
			go w.carry(from)
		}
	}()
	return w
}

func (w *wire) URL() string { return "http://" + w.listener.Addr().String() }

// carry carries one connection, until either side or the wire ends it.
func (w *wire) carry(from net.Conn) {
	to, err := net.Dial("tcp", fmt.Sprint(w.to.Load()))
	if err != nil || !w.hold(from, to) {
		from.Close()
		return
	}
	go func() { _, _ = io.Copy(to, from); to.Close(); from.Close() }()
	_, _ = io.Copy(from, to)
	from.Close()
	to.Close()
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.conns, from)
	delete(w.conns, to)
}

// hold notes connections; false where the wire is cut.
func (w *wire) hold(all ...net.Conn) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range all {
		if w.down {
			c.Close()
			continue
		}
		w.conns[c] = true
	}
	return !w.down
}

// cut breaks what is under way, and lets nothing through until mend.
func (w *wire) cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.down = true
	for c := range w.conns {
		c.Close()
	}
	clear(w.conns)
}

func (w *wire) mend() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.down = false
}
