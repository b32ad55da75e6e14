package broker

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"frontdesk/client"
	"frontdesk/internal/testkit/process"
	"frontdesk/internal/testkit/storetest"
)

// breaks is how often something breaks in TestBreaksBuyOnce, in the short form; FRONTDESK_KILLS has
// another number.
const breaks = 8

// onBoth runs a test on SQLite with one Broker, and on PostgreSQL with two, at the same time.
func onBoth(t *testing.T, test func(t *testing.T, store string, brokers int)) {
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		test(t, "sqlite:"+filepath.Join(t.TempDir(), "broker.db"), 1)
	})
	t.Run("postgres", func(t *testing.T) {
		storetest.NeedPostgres(t)
		t.Parallel()
		test(t, storetest.NewPostgres(t), 2)
	})
}

// market is one Exchange and some Brokers with one database, each behind a gate.
type market struct {
	t        *testing.T
	exchange *desk
	at       *gate // of the Exchange
	brokers  []*process.Server
	configs  []string
	door     string // by which the Brokers are asked
	through  *gate  // that it is, where nothing else is before them
	credit   float64
}

// openMarket starts it all, with so many things to buy for 0.02 USD each.
func openMarket(t *testing.T, store string, brokers, things int, more string) *market {
	t.Helper()
	var listens []string
	for range brokers {
		listens = append(listens, process.FreeAddress(t))
	}
	through := openGate(t, listens...)
	m := openMarketAt(t, through.URL, listens, store, things, more)
	m.through = through
	for _, config := range m.configs {
		m.brokers = append(m.brokers, process.Start(t, "broker", "--config", config))
	}
	return m
}

// openMarketAt does so for Brokers that are to listen at some addresses, and are asked by another;
// none of them is started.
func openMarketAt(t *testing.T, door string, listens []string, store string, things int, more string) *market {
	t.Helper()
	m := &market{t: t, door: door, credit: 100}
	dir, listen := t.TempDir(), process.FreeAddress(t)
	m.at = openGate(t, listen)
	for i := range things {
		write(t, filepath.Join(dir, "content", fmt.Sprintf("thing-%d.md", i)),
			fmt.Sprintf("# Thing %d\n\nThis is thing %d of those that are sold here.\n", i, i))
	}
	write(t, filepath.Join(dir, "content", "palace.md"), "# A palace\n\nNobody can pay for this.\n")
	m.exchange = &desk{url: m.at.URL, config: write(t, filepath.Join(dir, "shop.yaml"), `
listen: `+listen+`
url: `+m.at.URL+`
data: `+dir+`/data
site: {name: Shop, url: "`+m.at.URL+`"}
sources: [{name: texts, path: content}]
terms: [{match: {path: /palace}, access: licensed, price: {model: per_access, rate: "5000", currency: USD}}, {match: {}, access: licensed, price: {model: per_access, rate: "0.02", currency: USD}, reporting: {window: 24h}}]
metrics: {listen: "off"}
limits: {rate: {address: "", failures: ""}}
fetch: {allow: [127.0.0.0/8]}
ramp: {enabled: true, domain: shop.example, requester_rate: "", reports: {overdue: 1000000, percent: 0}, measures: {enabled: false}}
`)}
	admit(t, m.exchange.config)
	process.MustRun(t, "ramp", "account", "open", "buyer.example.com/bot", "USD", "--config", m.exchange.config)
	process.MustRun(t, "ramp", "account", "credit", "buyer.example.com/bot", fmt.Sprint(m.credit), "USD", "--config",
		m.exchange.config)
	for i, listen := range listens {
		m.configs = append(m.configs, write(t, filepath.Join(dir, fmt.Sprintf("broker-%d.yaml", i)), `
listen: `+listen+`
url: `+door+`
data: broker-`+strconv.Itoa(i)+`
keys: keys
store: "`+store+`"
metrics: {listen: "off"}
limits: {rate: {address: "", failures: ""}}
fetch: {allow: [127.0.0.0/8]}
ramp: {requester_rate: "", signatures: required}
broker:
  deadline: 5s
  buy_within: 1s
  fee: {share: "10"}
  exchanges: [{domain: shop.example, url: "`+m.at.URL+`"}]
`+more))
	}
	admit(t, m.configs[0])
	m.exchange.Server = process.Start(t, "serve", "--config", m.exchange.config)
	return m
}

// thing is an address of something that is sold.
func (m *market) thing(i int) string { return m.at.URL + "/thing-" + strconv.Itoa(i) }

// broker is a client of the Brokers, that opens a connection for each request.
func (m *market) broker() *client.Broker {
	b, err := client.OpenBroker(m.door, agent(), client.Options{Retries: -1,
		HTTP: &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}})
	if err != nil {
		m.t.Fatal(err)
	}
	return b
}

// books is what the buyer has left at the Exchange.
func (m *market) books() float64 {
	m.t.Helper()
	list := process.MustRun(m.t, "ramp", "account", "list", "--config", m.exchange.config)
	found := regexp.MustCompile(`buyer\.example\.com/bot\s+USD\s+([0-9.]+)`).FindStringSubmatch(list)
	if found == nil {
		m.t.Fatalf("no account is told: %s", list)
	}
	left, err := strconv.ParseFloat(found[1], 64)
	if err != nil {
		m.t.Fatal(err)
	}
	return left
}

// purse asks the Brokers how the operator's budget stands, by asking for more than it has.
func (m *market) purse(b *client.Broker) (spent, held float64, err error) {
	_, err = b.Resolve(context.Background(), &client.Resolving{URIs: []string{m.at.URL + "/palace"}})
	return standingOf(err)
}

// standingOf reads how a budget stands in the refusal of what is too dear for it.
func standingOf(err error) (spent, held float64, _ error) {
	var told *client.ExchangeError
	if !errors.As(err, &told) || told.Code != "resource_exhausted" {
		return 0, 0, fmt.Errorf("what is too dear is answered with %w", err)
	}
	found := standing.FindStringSubmatch(told.Message)
	if found == nil {
		return 0, 0, told
	}
	if spent, err = strconv.ParseFloat(found[1], 64); err == nil {
		held, err = strconv.ParseFloat(found[2], 64)
	}
	return spent, held, err
}

// order is a request of an agent, and what it was told.
type order struct {
	client.Resolving
	answer *client.Resolved // nil while nothing is known
}

// ask asks once. lost says that nothing is known: there is no answer, or not all of one, or the
// Exchange was away.
func (o *order) ask(ctx context.Context, b *client.Broker) (lost, err error) {
	got, err := b.Resolve(ctx, &o.Resolving)
	var told *client.ExchangeError
	switch {
	case err == nil && len(got.Open) == 0 && len(got.Unsold) == 0 && len(got.Items) == len(o.URIs):
	case err == nil && len(got.Open) > 0:
		return fmt.Errorf("open: %v", got.Open), nil
	case err == nil:
		return nil, fmt.Errorf("%s is answered with %v", o.ID, got.Answer)
	case errors.As(err, &told) && told.Code != "unavailable" && told.Code != "not_found" &&
		!strings.HasPrefix(told.Code, "http_"):
		return nil, fmt.Errorf("%s: %w", o.ID, err)
	default:
		return err, nil
	}
	if o.answer != nil && !proto.Equal(o.answer.Answer, got.Answer) {
		return nil, fmt.Errorf("%s was answered with %v, and then with %v", o.ID, o.answer.Answer, got.Answer)
	}
	o.answer = got
	return nil, nil
}

// insists does something until it has an answer.
func insists(do func() (lost, err error)) error {
	for began := time.Now(); ; <-time.After(20 * time.Millisecond) {
		lost, err := do()
		if lost == nil || err != nil {
			return err
		}
		if time.Since(began) > 3*time.Minute {
			return fmt.Errorf("for three minutes there is no answer: %w", lost)
		}
	}
}

// TestBreaksBuyOnce has agents buy through Brokers without end while Brokers and the Exchange are
// killed at random, one and both, and the way between them takes purchases there and brings no
// answers back. Some agents come again until they are answered, some never do. What was told as
// bought can be fetched and is told again; nothing was bought twice or lost: what the Exchange has
// charged is what agents were told, and what the Brokers count as spent, with nothing held.
func TestBreaksBuyOnce(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: runs the real program some dozens of times")
	}
	n := breaks
	if text := os.Getenv("FRONTDESK_KILLS"); text != "" {
		var err error
		if n, err = strconv.Atoi(text); err != nil {
			t.Fatalf("FRONTDESK_KILLS is %q; it must be a number of kills", text)
		}
	}
	onBoth(t, func(t *testing.T, store string, brokers int) {
		seed := uint64(time.Now().UnixNano())
		t.Logf("seed %d", seed)
		random := rand.New(rand.NewPCG(seed, 2))
		m := openMarket(t, store, brokers, 20, "  budgets: [{requester: \"*\", amount: \"1000\", currency: USD}]\n")
		c := &crowd{m: m, over: make(chan struct{})}
		var running sync.WaitGroup
		for worker := range 6 {
			running.Go(func() { c.shops(worker, rand.New(rand.NewPCG(seed, uint64(worker)+10))) })
		}
		kinds := []string{"broker", "exchange", "way", "both"}
		for i := range n {
			c.passes(4)
			<-time.After(time.Duration(random.IntN(100)) * time.Millisecond)
			began := time.Now()
			m.breaks(kinds[i%len(kinds)], random)
			t.Logf("%s: broken and mended in %s", kinds[i%len(kinds)], time.Since(began).Round(time.Millisecond))
		}
		c.passes(4)
		close(c.over)
		running.Wait()
		if err := errors.Join(c.faults...); err != nil {
			t.Fatal(err)
		}
		c.settles()
		t.Logf("%d breaks; %d requests, of which %d were sent more than once and %d were "+
			"left; %d answers never came back", n, len(c.all), c.again.Load(), c.left, m.at.cuts.Load())
	})
}

// breaks breaks something, and mends it.
func (m *market) breaks(what string, random *rand.Rand) {
	restart := func(config, command string, s **process.Server) {
		(*s).Kill()
		<-time.After(time.Duration(random.IntN(300)) * time.Millisecond)
		*s = process.Start(m.t, command, "--config", config)
	}
	which := random.IntN(len(m.brokers))
	switch what {
	case "broker":
		restart(m.configs[which], "broker", &m.brokers[which])
	case "exchange":
		restart(m.exchange.config, "serve", &m.exchange.Server)
	case "both":
		m.exchange.Kill()
		restart(m.configs[which], "broker", &m.brokers[which])
		m.exchange.Server = process.Start(m.t, "serve", "--config", m.exchange.config)
	case "way":
		before, began := m.at.cuts.Load(), time.Now()
		m.at.cut.Store(true)
		for m.at.cuts.Load() < before+10 && time.Since(began) < time.Minute {
			<-time.After(10 * time.Millisecond)
		}
		m.at.cut.Store(false)
	}
}

// crowd are agents who buy.
type crowd struct {
	m    *market
	over chan struct{}

	bought, again atomic.Int64
	mu            sync.Mutex
	all           []*order
	left          int // orders whose agent never came again
	faults        []error
}

// shops buys until it is over.
func (c *crowd) shops(worker int, random *rand.Rand) {
	b := c.m.broker()
	for i := 0; ; i++ {
		select {
		case <-c.over:
			return
		default:
		}
		o := &order{Resolving: client.Resolving{ID: fmt.Sprintf("order-%d-%d", worker, i),
			Most: client.Price{Amount: 1, Currency: "USD"}}}
		first := random.IntN(20)
		for k := range 1 + i%3/2 {
			o.URIs = append(o.URIs, c.m.thing((first+k)%20))
		}
		leaves := i%5 == 4
		c.mu.Lock()
		c.all = append(c.all, o)
		if leaves {
			c.left++
		}
		c.mu.Unlock()
		if leaves {
			ctx, cancel := context.WithTimeout(context.Background(), time.Duration(random.IntN(40))*time.Millisecond)
			_, _ = b.Resolve(ctx, &o.Resolving)
			cancel()
			continue
		}
		if err := c.buys(b, o); err != nil {
			c.mu.Lock()
			c.faults = append(c.faults, err)
			c.mu.Unlock()
			return
		}
		c.bought.Add(1)
	}
}

// buys asks until it is known what was bought, and fetches that.
func (c *crowd) buys(b *client.Broker, o *order) error {
	times := 0
	err := insists(func() (lost, err error) {
		if times++; times == 2 {
			c.again.Add(1)
		}
		return o.ask(context.Background(), b)
	})
	if err != nil {
		return err
	}
	for i := range o.answer.Items {
		if err := insists(func() (lost, err error) { return fetches(b, &o.answer.Items[i]) }); err != nil {
			return err
		}
	}
	return nil
}

// fetches has one thing that was bought, and holds that it is what was offered.
func fetches(b *client.Broker, item *client.ResolvedItem) (lost, err error) {
	content, err := b.Fetch(context.Background(), item)
	var told *client.ExchangeError
	switch {
	case err == nil && (!content.Offered || !strings.Contains(string(content.Body), "of those that are sold here")):
		return nil, fmt.Errorf("%s is delivered as %q", item.URI, content.Body)
	case errors.As(err, &told) && told.Status < 500:
		return nil, fmt.Errorf("%s was bought as %s: %w", item.URI, item.TransactionId, err)
	}
	return err, nil
}

// passes waits until so much more was bought.
func (c *crowd) passes(n int64) {
	c.m.t.Helper()
	began := time.Now()
	defer func() { c.m.t.Logf("%d bought in %s", n, time.Since(began).Round(time.Millisecond)) }()
	for want := c.bought.Load() + n; c.bought.Load() < want; <-time.After(5 * time.Millisecond) {
		c.mu.Lock()
		failed := errors.Join(c.faults...)
		c.mu.Unlock()
		if failed != nil || time.Since(began) > 4*time.Minute {
			c.m.t.Fatalf("after %s not enough is bought: %v", time.Since(began), failed)
		}
	}
}

// settles waits until nothing is open any more, though nobody asks for it, and holds all that was
// told against the books of both sides.
func (c *crowd) settles() {
	t, m := c.m.t, c.m
	b := m.broker()
	spent, held := 0.0, 1.0
	for began := time.Now(); held > 0; <-time.After(200 * time.Millisecond) {
		err := insists(func() (lost, err error) { spent, held, err = m.purse(b); return err, nil })
		if err != nil || time.Since(began) > 3*time.Minute {
			t.Fatalf("after %s %v is held: %v", time.Since(began), held, err)
		}
	}
	t.Log("nothing is open any more")
	left := m.books()
	if cost := m.credit - left; !near(cost*1.1, spent) {
		t.Errorf("the Exchange has charged %v, and the Broker counts %v with its fee of a tenth", cost, spent)
	}
	cost, fee, seen := 0.0, 0.0, map[string]bool{}
	for _, o := range c.all { // those whose agent had left are told now
		if err := insists(func() (lost, err error) { return o.ask(context.Background(), b) }); err != nil {
			t.Fatal(err)
		}
		for i := range o.answer.Items {
			item := &o.answer.Items[i]
			if seen[item.TransactionId] {
				t.Errorf("%s is told for two things", item.TransactionId)
			}
			seen[item.TransactionId] = true
			cost, fee = cost+item.GetCost().GetAmount(), fee+item.GetBrokerFee().GetAmount()
		}
	}
	// the other Broker may yet remember that it did not reach the Exchange
	err := insists(func() (lost, err error) { spent, held, err = m.purse(b); return err, nil })
	if err != nil || held != 0 || !near(spent, cost+fee) || !near(m.books(), m.credit-cost) {
		t.Errorf("agents were told of %v with fees of %v; the Broker counts %v, and holds %v; "+
			"the Exchange has charged %v: %v", cost, fee, spent, held, m.credit-m.books(), err)
	}
	if out := process.MustRun(t, "ledger", "audit", "--config", m.exchange.config); out == "" {
		t.Error("the ledger is not whole")
	}
}

func near(a, b float64) bool { return a-b < 1e-6 && b-a < 1e-6 }

// standing is how a Broker tells that a budget is used up.
var standing = regexp.MustCompile(`([0-9.]+) USD are spent, and ([0-9.]+) USD held`)
