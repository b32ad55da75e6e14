package kill

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/accounts"
	"frontdesk/internal/licensing/transactions"
	"frontdesk/internal/testkit/process"
)

// exchangeKills is how often servers are killed under buyers in the short form.
const exchangeKills = 6

// TestKilledServersSellOnceOrNotAtAll kills servers while buyers discover, buy one and several
// things, fetch and report, and what nobody reports is swept; on PostgreSQL two servers of one
// database. What a buyer was told before the kill it is told after it, in the same words, and what
// it has an address for can be fetched; what it was not told is there once or not at all, and comes
// to be when it asks again. What a buyer was sent is on record. Every purchase has one entry in the
// ledger, which is provable, and one in the book; nothing is charged twice, no account falls below
// nothing, and the sums of money and quotas hold.
func TestKilledServersSellOnceOrNotAtAll(t *testing.T) {
	t.Parallel()
	killOnBoth(t, exchangeKills, func(t *testing.T, fresh func() string, servers, kills int) {
		killExchange(t, fresh(), servers, kills)
	})
}

// exchange is a series of kills of the servers of one database.
type exchange struct {
	t        *testing.T
	dsn, dir string
	configs  []string
	servers  []*process.Server
	buyers   []*buyer
	random   *rand.Rand
	all      []*buying

	granted, denied, fetched, reports int // that were told of
	// requests to buy without an answer, and things of them that had been bought by then
	unsure, taken int
}

// What the buyers have: the last of them soon has nothing left.
var credits = []string{"100000", "100000", "0.5"}

func killExchange(t *testing.T, dsn string, servers, n int) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	x := &exchange{t: t, dsn: dsn, dir: t.TempDir(), random: rand.New(rand.NewPCG(seed, 2))}
	x.open(servers)
	for i := range n {
		x.round(i)
		if i%10 == 9 || i == n-1 {
			x.audit()
		}
		if t.Failed() {
			t.Fatalf("after %d kills", i+1)
		}
	}
	for _, server := range x.servers {
		server.End(t)
	}
	x.close()
	t.Logf("%d kills; %d requests to buy: %d things bought, %d denied; %d fetches and %d reports told of; "+
		"%d requests had no answer, and had bought %d things by then",
		n, len(x.all), x.granted, x.denied, x.fetched, x.reports, x.unsure, x.taken)
	if x.granted < n || x.fetched < n || x.reports == 0 || x.denied == 0 {
		t.Error("too little was told: nothing was tested")
	}
}

// open sets everything up, and starts the servers.
func (x *exchange) open(servers int) {
	t := x.t
	for i := range servers {
		x.node(i, "127.0.0.1:0", `limits: {rate: {address: "", failures: ""}}`)
	}
	x.stock()
	for _, config := range x.configs {
		x.servers = append(x.servers, process.Start(t, "serve", "--config", config))
	}
}

// node writes the configuration of one more node, which is to listen at an address.
func (x *exchange) node(i int, listen, more string) {
	t := x.t
	config := filepath.Join(x.dir, fmt.Sprintf("node-%d.yaml", i))
	text := fmt.Sprintf(`
listen: %s
data: data-%d
keys: keys
store: %q
metrics: {listen: "off"}
url: %s
site: {id: kill, name: Kill, url: "https://kill.example"}
sources: [{path: content}]
terms:
  - {match: {path: ["/items/*0", "/items/*3", "/items/*7"]}, access: licensed, functions: {permit: [ai-input]}, price: {model: per_token, rate: "0.001", currency: USD}, reporting: {window: 1m}}
  - {match: {}, access: licensed, functions: {permit: [ai-input]}, price: {model: per_access, rate: "0.02", currency: USD}}
ramp: {enabled: true, signatures: required, requester_rate: "", reports: {overdue: 1000000, percent: 0}, measures: {enabled: false}}
%s
`, listen, i, x.dsn, exchangeURL, more)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	x.configs = append(x.configs, config)
}

// stock puts the content in, and makes the buyers known, with what they have.
func (x *exchange) stock() {
	t := x.t
	edition{"amber", 60, 3}.write(t, filepath.Join(x.dir, "content"))
	run := func(args ...string) { process.MustRun(t, append(args, "--config", x.configs[0])...) }
	run("ingest")
	for i, credit := range credits {
		b := newBuyer(t, fmt.Sprintf("buyer-%d.example", i))
		x.buyers = append(x.buyers, b)
		run("ramp", "requester", "add", "--key", b.public(t), b.domain, "bot")
		run("ramp", "account", "open", b.account(), "USD")
		run("ramp", "account", "credit", b.account(), credit, "USD")
	}
	run("ramp", "subscription", "add", "gold", x.buyers[0].account(), "--path", "/items/1*", "--currency", "USD",
		"--quota", "accesses=1000000", "--quota", "spend_cents=100000000")
}

// any is one of the servers: each must know what the others sold.
func (x *exchange) any() *process.Server { return x.servers[x.random.IntN(len(x.servers))] }

// round lets buyers work, kills servers in the middle of it, starts them again, and has the buyers
// ask again.
func (x *exchange) round(n int) {
	t := x.t
	s := &shopping{servers: x.servers, buyers: x.buyers, name: fmt.Sprint(n), enough: 1 + x.random.IntN(60),
		reached: make(chan struct{}), over: make(chan struct{})}
	idle := make(chan struct{})
	for worker := range 8 {
		s.wait.Go(func() { s.work(worker) })
	}
	go func() { s.wait.Wait(); close(idle) }()
	select {
	case <-s.reached: // so much was told
	case <-idle:
		t.Fatalf("the servers do not answer: %v, %v\n%s", s.faults, s.lost, x.servers[0].Log())
	}
	<-time.After(time.Duration(x.random.Int64N(int64(4 * time.Millisecond)))) // anywhere within the requests under way
	victims := []int{x.random.IntN(len(x.servers))}
	if len(x.servers) > 1 && x.random.IntN(5) == 0 {
		victims = []int{0, 1}
	}
	var killed sync.WaitGroup
	for _, i := range victims {
		killed.Go(x.servers[i].Kill)
	}
	killed.Wait()
	ended := time.Now()
	close(s.over)
	s.wait.Wait()
	for _, err := range s.faults {
		t.Error(err)
	}
	for _, i := range victims {
		x.servers[i] = process.Start(t, "serve", "--config", x.configs[i])
	}
	for _, r := range s.made {
		x.settle(r, ended)
	}
	for i, o := range s.spare { // what was offered before the kill is sold after it
		r := newBuying(x.buyers[o.to], fmt.Sprintf("spare-%d-%d", n, i), o.offer)
		x.settle(r, ended)
		s.made = append(s.made, r)
		if d := r.answer[0].Denial; d != "" && d != "DENIAL_REASON_INSUFFICIENT_BALANCE" {
			t.Errorf("an offer that was told before the kill is denied after it: %s", d)
		}
	}
	x.all = append(x.all, s.made...)
}

// settle has a buyer ask again for what it was told, and for what it was not told.
func (x *exchange) settle(r *buying, ended time.Time) {
	known := r.answer != nil
	all, lost, err := r.send(x.any())
	if lost != nil || err != nil {
		x.t.Fatalf("%s, sent again after the kill: %v, %v", r.id, lost, err)
	}
	r.answer = all
	for i, l := range all {
		if l.Denial != "" {
			x.denied++
			continue
		}
		x.granted++
		if lost, err := r.get(x.any(), i); lost != nil || err != nil {
			x.t.Fatalf("what %s bought, fetched after the kill: %v, %v", r.id, lost, err)
		}
		x.fetched += r.fetched[l.Transaction].told
		if r.reports[l.Transaction] == nil {
			continue
		}
		if lost, err := r.report(x.any(), i); lost != nil || err != nil {
			x.t.Fatalf("what %s bought, reported after the kill: %v, %v", r.id, lost, err)
		}
		x.reports++
	}
	if !known && !strings.HasPrefix(r.id, "spare") {
		x.unsure++
		r.unsure = ended
	}
}

// audit has the ledger and the book derived anew, and the ledger exported and verified without the
// database, and counts.
func (x *exchange) audit() {
	t := x.t
	for _, args := range [][]string{{"ledger", "audit"}, {"ramp", "account", "check"}} {
		if stdout, stderr, err := process.Run(t, append(args, "--config", x.configs[0])...); err != nil {
			t.Fatalf("frontdesk %v: %v\n%s%s", args, err, stdout, stderr)
		}
	}
	export, keys := filepath.Join(x.dir, "export.jsonl"), filepath.Join(x.dir, "jwks.json")
	os.Remove(export)
	response, err := http.Get(x.servers[0].URL + "/.well-known/jwks.json")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var text json.RawMessage
	if err := json.NewDecoder(response.Body).Decode(&text); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(keys, text, 0o600); err != nil {
		t.Fatal(err)
	}
	x.exported(export)
	process.MustRun(t, "verify", export, "--key", keys)
	there := counted(t, export)
	x.taken = 0
	for _, r := range x.all {
		for i, l := range r.answer {
			if l.Denial != "" {
				continue
			}
			count := there[l.Transaction]
			delete(there, l.Transaction)
			if count.at.Before(r.unsure) {
				x.taken++
			}
			usage := 0
			if r.reports[l.Transaction] != nil {
				usage = 1
			}
			f := r.fetched[l.Transaction]
			if count.transactions != 1 || count.usages != usage || count.deliveries > f.tried ||
				count.amount != x.cost(r, i) {
				t.Errorf("of transaction %s the ledger has %+v; it was fetched %+v, reported %d times, and cost %s",
					l.Transaction, count, *f, usage, x.cost(r, i))
			}
		}
	}
	for id, count := range there {
		t.Errorf("the ledger has %+v of the transaction %s, which nobody was told of", count, id)
	}
}

// exported exports the ledger when every entry has its place.
func (x *exchange) exported(file string) {
	for began := time.Now(); strings.Contains(process.MustRun(x.t, "ledger", "show", "--config", x.configs[0]),
		"wait for their places"); {
		if time.Since(began) > time.Minute {
			x.t.Fatal("entries wait for their places")
		}
	}
	process.MustRun(x.t, "ledger", "export", "--config", x.configs[0], "--output", file)
}

// cost is what a purchase was to cost by its offer, in the words of the ledger.
func (x *exchange) cost(r *buying, i int) string {
	o := r.offers[i]
	if o.Subscription != "" {
		return "0"
	}
	amount := math.Round(o.Pricing.Rate * 1e8)
	if o.Pricing.Model == "PRICING_MODEL_PER_TOKEN" {
		amount *= float64(o.Pricing.Quantity)
	}
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.8f", amount/1e8), "0"), ".")
}

// counts are the entries of a transaction.
type counts struct {
	transactions, deliveries, usages int
	amount                           string    // that was charged or held
	at                               time.Time // of the transaction
}

// counted gives the entries of an export, by their transactions.
func counted(t *testing.T, export string) map[string]counts {
	t.Helper()
	file, err := os.Open(export)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	there := map[string]counts{}
	in := bufio.NewScanner(file)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		var line struct {
			Entry struct {
				Kind, Subject string
				Time          time.Time
				Body          struct{ Amount, Outcome string }
			}
		}
		if err := json.Unmarshal(in.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		e := line.Entry
		count := there[e.Subject]
		switch e.Kind {
		case "transaction":
			count.transactions++
			count.amount, count.at = e.Body.Amount, e.Time
		case "delivery":
			count.deliveries++
		case "usage":
			count.usages++
		default:
			continue
		}
		there[e.Subject] = count
	}
	if err := in.Err(); err != nil {
		t.Fatal(err)
	}
	return there
}

// close holds the book against what the buyers were told, when no server runs.
func (x *exchange) close() {
	t := x.t
	db, err := store.Open(context.Background(),
		store.Config{DSN: x.dsn, Schemas: []store.Schema{accounts.Schema, transactions.Schema}})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if db.Engine() == store.SQLite {
		checkIntegrity(t, db)
	}
	if problems, err := accounts.Check(context.Background(), db); err != nil || len(problems) > 0 {
		t.Errorf("the book: %v %v", problems, err)
	}
	held, states := map[string]float64{}, map[accounts.State]int{}
	reader := accounts.NewReader(db)
	all, err := reader.Purchases(context.Background(), accounts.PurchaseFilter{})
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range all {
		held[h.ID] = float64(h.Authorised) / 1e8
		states[h.State]++
	}
	for _, r := range x.all {
		for _, l := range r.answer {
			if l.Denial != "" {
				continue
			}
			if amount, there := held[l.Transaction]; !there || math.Abs(amount-l.Cost.Amount) > 1e-9 {
				t.Errorf("transaction %s cost %v, and the book has %v (%t)", l.Transaction, l.Cost.Amount,
					amount, there)
			}
			delete(held, l.Transaction)
		}
	}
	for id, amount := range held {
		t.Errorf("the book has the purchase %s of %v, which nobody was told of", id, amount)
	}
	t.Logf("in the book: %v", states)
	if states[accounts.Released] > 0 {
		t.Errorf("%d purchases were taken back", states[accounts.Released])
	}
	x.accounted(db)
	balances, err := reader.Balances(context.Background(), "")
	if err != nil || len(balances) != len(credits) {
		t.Fatalf("%v, %v", balances, err)
	}
	for _, b := range balances {
		if b.Available < 0 {
			t.Errorf("the account %s is at %d", b.Buyer, b.Available)
		}
	}
}

// accounted holds the records of deliveries against what the buyers were sent: none was sent a byte
// that is not on record, not even by a server that was killed before it could record the end.
func (x *exchange) accounted(db *store.DB) {
	t := x.t
	rows, bytes, unseen := map[string]int{}, map[string]int64{}, 0
	for d, err := range transactions.NewReader(db).EachDelivery(context.Background(), transactions.DeliveryFilter{}) {
		if err != nil {
			t.Fatal(err)
		}
		rows[d.Transaction]++
		bytes[d.Transaction] += d.Bytes
		if d.State == transactions.DeliveryBegun {
			unseen++
			bytes[d.Transaction] += d.Announced
		}
		if (d.State == transactions.DeliveryBegun) != (d.Entry == "") || d.Bytes > d.Announced || d.Stray {
			t.Errorf("%+v", d)
		}
	}
	for _, r := range x.all {
		for transaction, f := range r.fetched {
			if rows[transaction] < f.told || rows[transaction] > f.tried || bytes[transaction] < f.bytes {
				t.Errorf("of transaction %s %d deliveries with %d bytes are on record; it was fetched %+v", transaction,
					rows[transaction], bytes[transaction], *f)
			}
			delete(rows, transaction)
		}
	}
	if len(rows) > 0 {
		t.Errorf("deliveries are on record that nobody had asked for: %v", rows)
	}
	t.Logf("of %d deliveries nobody saw the end", unseen)
}

// shopping is what buyers do at a time.
type shopping struct {
	servers       []*process.Server
	buyers        []*buyer
	name          string
	enough        int // answers until reached is closed
	reached, over chan struct{}
	wait          sync.WaitGroup

	mu     sync.Mutex
	told   int
	made   []*buying
	spare  []spare
	lost   error // the last connection that broke
	faults []error
}

// spare is an offer that nobody took yet.
type spare struct {
	to int // a buyer
	offer
}

// note counts an answer, and keeps what went wrong. It says whether the worker goes on.
func (s *shopping) note(lost, err error) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case err != nil:
		if len(s.faults) < 5 {
			s.faults = append(s.faults, err)
		}
	case lost != nil:
		s.lost = lost
	default:
		if s.told++; s.told == s.enough {
			close(s.reached)
		}
		return true
	}
	return false
}

// work buys until the server is gone or the round is over.
func (s *shopping) work(worker int) {
	server := s.servers[worker%len(s.servers)]
	for i := 0; ; i++ {
		select {
		case <-s.over:
			return
		default:
		}
		if !s.buy(server, worker, i) {
			return
		}
	}
}

// buy does all that a buyer does for one purchase, and says whether the server still answers.
func (s *shopping) buy(server *process.Server, worker, i int) bool {
	to := (worker + i) % len(s.buyers)
	b := s.buyers[to]
	uris := []string{itemURL(rand.IntN(60))}
	for (worker+i)%4 == 0 && len(uris) < 4 {
		if uri := itemURL(rand.IntN(60)); !slices.Contains(uris, uri) {
			uris = append(uris, uri)
		}
	}
	got, lost := b.call(server, "DiscoverResources", map[string]any{"ver": "1.0",
		"id": fmt.Sprintf("query-%s-%d-%d", s.name, worker, i), "requester": b.requester(uris...), "deadline": "10s"})
	if !s.note(lost, nil) {
		return false
	}
	found, err := offers(got, uris)
	if err != nil {
		return s.note(nil, err)
	}
	var taken []offer
	for _, uri := range uris {
		taken = append(taken, found[uri][rand.IntN(len(found[uri]))]) // of several, one is the subscription's
	}
	if (worker+i)%7 == 6 {
		s.mu.Lock()
		s.spare = append(s.spare, spare{to, taken[0]})
		s.mu.Unlock()
		return true
	}
	r := newBuying(b, fmt.Sprintf("buy-%s-%d-%d", s.name, worker, i), taken...)
	s.mu.Lock()
	s.made = append(s.made, r)
	s.mu.Unlock()
	if !s.execute(r, server, (worker+i)%5 == 4) {
		return false
	}
	for n, l := range r.answer {
		if l.Denial != "" {
			continue
		}
		if !s.note(r.get(server, n)) {
			return false
		}
		if l.Duty.Required && rand.IntN(3) > 0 && !s.note(r.report(server, n)) { // what is not reported is swept
			return false
		}
	}
	return true
}

// execute sends a request to buy, or sends it to two servers at once, and says whether it was
// answered.
func (s *shopping) execute(r *buying, server *process.Server, twice bool) bool {
	if !twice {
		all, lost, err := r.send(server)
		if !s.note(lost, err) {
			return false
		}
		r.answer = all
		return true
	}
	var other []line
	var otherLost, otherErr error
	done := make(chan struct{})
	go func() {
		defer close(done)
		other, otherLost, otherErr = r.send(s.servers[len(s.servers)-1])
	}()
	all, lost, err := r.send(server)
	<-done
	if r.answer = all; all == nil {
		r.answer = other
	}
	if all != nil && other != nil && !slices.Equal(all, other) {
		err = fmt.Errorf("the request %s, sent twice at once, is answered with %+v and %+v", r.id, all, other)
	}
	return s.note(lost, err) && s.note(otherLost, otherErr)
}
