// Package market runs a whole market in one process, to be watched and for tests: two publishers
// with edges, two Exchanges, a Broker, a business with intakes, a platform with keys and a buying
// agent.
//
// Each has its own keys, store and address on this machine, and knows of the others what they
// publish: everything between them passes over sockets, as it would between machines. Enter at
// Open; the Handler shows it on a page.
//
// It builds the participants by commands that it is given. The agent acts by the tools of package
// buyer, platform and agent otherwise by package client, as anybody's would.
package market

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"frontdesk/client"
	"frontdesk/internal/app"
	"frontdesk/internal/infra/fetch"
	"frontdesk/internal/licensing/buyer"
)

// Options configure a market.
type Options struct {
	// Dir is where everything is kept, a folder for each place.
	Dir string
	Log *slog.Logger
	// Command runs a command of frontdesk ("ramp", "tenant", "add", ...) and gives its standard
	// output and standard error.
	Command func(ctx context.Context, args ...string) (stdout, stderr string, err error)
}

// Market is a running market. Its Handler is the page.
type Market struct {
	dir     string
	log     *slog.Logger
	command func(ctx context.Context, args ...string) (stdout, stderr string, err error)

	listeners map[string]net.Listener
	origins   map[string]string // of the publishers
	servers   map[string]*app.App
	hub       broadcaster
	fetcher   *fetch.Fetcher

	wallet    *buyer.PurchaseStore
	agent     *buyer.Buyer          // at Exchanges
	brokered  *buyer.Buyer          // through the Broker
	platforms map[string]client.Key // of the platform, by publisher

	actState actState // what the page's acts go on with
	opened   int64    // the number of the last message that passed while the market was put up

	stop      context.CancelFunc // all
	stopEdges context.CancelFunc
	leaving   chan struct{}
	running   sync.WaitGroup
	edges     sync.WaitGroup // which tell their Exchanges of the last deliveries, and end before them
	failed    chan error
}

// agentKey is the buying agent's id and key.
type agentKey struct {
	id  string
	key ed25519.PrivateKey
}

// Open starts a market, and returns once every participant is ready. Close ends it.
func Open(ctx context.Context, options Options) (*Market, error) {
	m := &Market{
		dir: options.Dir, log: options.Log, command: options.Command, listeners: map[string]net.Listener{},
		origins: map[string]string{},
		servers: map[string]*app.App{}, platforms: map[string]client.Key{}, leaving: make(chan struct{}),
		failed: make(chan error, 16),
	}
	run, stop := context.WithCancel(context.WithoutCancel(ctx))
	gates, stopEdges := context.WithCancel(run)
	m.stop, m.stopEdges = stop, stopEdges
	for _, step := range []func() error{
		m.listen, m.write, func() error { return m.found(ctx) },
		func() error {
			return m.serve(run, func(id string) bool { return !isEdge(id) && id != "broker" })
		}, func() error { return m.ready(ctx) },
		// which reads what publishers publish
		func() error { return m.serve(run, func(id string) bool { return id == "broker" }) }, func() error {
			return m.readyBroker(ctx)
		},
		func() error { return m.serve(gates, isEdge) }, func() error { return m.serveOrigins(run) },
		func() error { return m.stock(ctx) }, func() error { return m.openAgent(ctx) },
	} {
		if err := step(); err != nil {
			return nil, errors.Join(err, m.Close())
		}
	}
	m.hub.quiet(ctx)
	m.opened = m.hub.number()
	return m, nil
}

// Close ends all places, and waits for them.
func (m *Market) Close() error {
	m.stopEdges()
	m.edges.Wait()
	m.stop()
	select {
	case <-m.leaving:
	default:
		close(m.leaving)
	}
	m.running.Wait()
	for _, l := range m.listeners {
		l.Close()
	}
	var err error
	for _, s := range m.servers {
		err = errors.Join(err, s.Close())
	}
	if m.wallet != nil {
		err = errors.Join(err, m.wallet.Close())
	}
	if m.fetcher != nil {
		m.fetcher.Close()
	}
	return err
}

// Failed tells of a place that ended by itself.
func (m *Market) Failed() <-chan error { return m.failed }

// file is a path of a place.
func (m *Market) file(id string, names ...string) string {
	return filepath.Join(append([]string{m.dir, id}, names...)...)
}

// config is the configuration file of a place.
func (m *Market) config(id string) string { return m.file(id, "frontdesk.yaml") }

// address is that of a place, on this machine.
func (m *Market) address(id string) string {
	l := m.listeners[id]
	if l == nil {
		return ""
	}
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return "http://" + id + ".localhost:" + port
}

// host is host and port of an address.
func host(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}

// listen takes an address for each place that serves.
func (m *Market) listen() error {
	for _, id := range order {
		if id == "platform" || id == "agent" {
			continue
		}
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		m.listeners[id] = l
	}
	for _, p := range publishers { // whose own programs nobody else is to know
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		m.listeners["origin-"+p.id], m.origins[p.id] = l, "http://"+l.Addr().String()
	}
	return nil
}

// write writes content and configurations.
func (m *Market) write() error {
	for _, p := range publishers {
		if err := os.MkdirAll(m.file(p.id, "content"), 0o755); err != nil {
			return err
		}
		for _, a := range texts[p.id] {
			if err := os.WriteFile(m.file(p.id, "content", filepath.Base(a.path)+".md"),
				[]byte(a.file(m.address(p.edge))), 0o644); err != nil {
				return err
			}
		}
	}
	return m.configure(nil)
}

// configure writes the configurations, with the ids of the keys of edges.
func (m *Market) configure(keys map[string]string) error {
	for id, text := range m.configurations(keys) {
		if err := os.MkdirAll(m.file(id), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(m.config(id), []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// do runs a command that has to succeed.
func (m *Market) do(ctx context.Context, args ...string) (stdout, stderr string, err error) {
	stdout, stderr, err = m.command(ctx, args...)
	if err != nil {
		return "", "", fmt.Errorf("frontdesk %s: %w: %s", strings.Join(args[:min(len(args), 3)], " "), err,
			strings.TrimSpace(stderr))
	}
	return stdout, stderr, nil
}

// keyID is how a command tells the id of a key that it made.
var keyID = regexp.MustCompile(`^The key (\S+) `)

func keyOf(told string) string {
	if found := keyID.FindStringSubmatch(told); found != nil {
		return found[1]
	}
	return ""
}

// found makes everybody's keys, and has each know those that it deals with.
func (m *Market) found(ctx context.Context) error {
	document, _, err := m.do(ctx, "keys", "agent", "--config", m.config("agent"))
	if err == nil {
		err = os.WriteFile(m.file("agent", "ramp-agent.json"), []byte(document), 0o644)
	}
	if err != nil {
		return err
	}
	who := agentDomain + "/" + agentID
	for _, id := range append([]string{"broker"}, exchanges...) {
		if _, _, err := m.do(ctx, "ramp", "requester", "add", agentDomain, agentID,
			"--key", "@"+m.file("agent", "ramp-agent.json"), "--config", m.config(id)); err != nil {
			return err
		}
	}
	for _, id := range exchanges {
		for _, args := range [][]string{{"open", who, Currency}, {"credit", who, "5", Currency}} {
			if _, _, err := m.do(ctx,
				append([]string{"ramp", "account", args[0]}, append(args[1:], "--config", m.config(id))...)...); err !=
				nil {
				return err
			}
		}
	}
	for _, p := range publishers {
		if err := m.callerKey(p.id); err != nil {
			return err
		}
		secret, told, err := m.do(ctx, "keys", "issue", "platform", platformID, "--config", m.config(p.id))
		if err != nil {
			return err
		}
		m.platforms[p.id] = client.NewKey(keyOf(told), []byte(strings.TrimSuffix(secret, "\n")))
	}
	edges := map[string]string{}
	for _, s := range sales {
		if edges[s.edge], err = m.supply(ctx, s); err != nil {
			return err
		}
	}
	return m.configure(edges)
}

// supply puts a publisher in at an Exchange, and gives the id of the key under which the edge tells
// it of deliveries.
func (m *Market) supply(ctx context.Context, s sale) (key string, err error) {
	at := []string{"--config", m.config(s.exchange)}
	args := []string{
		"ramp", "tenant", "add", s.publisher, "--name", places[s.publisher].Name, "--domain",
		host(m.address(s.domainEdge())), "--price", s.price, "--currency", Currency, "--permit", "ai-input", "--permit",
		"search",
		"--report", "24h", "--caller", caller(s.publisher), "--key", "@" + m.file(s.publisher, "cms-pub.pem"),
	}
	if s.edge != s.domainEdge() {
		args = append(args, "--at", m.address(s.edge), "--form", "hmac")
	}
	signs, _, err := m.do(ctx, append(args, at...)...)
	if err != nil {
		return "", err
	}
	secret, told, err := m.do(ctx, append([]string{"keys", "issue", "edge", s.edge, "--site", s.publisher}, at...)...)
	if err != nil {
		return "", err
	}
	return keyOf(told), errors.Join(
		os.WriteFile(m.file(s.edge, "exchange.secret"), []byte(secret), 0o600),
		os.WriteFile(m.file(s.edge, "delivery.hex"), []byte(signs), 0o600))
}

// callerKey makes the key of who speaks for a publisher at its Exchanges.
func (m *Market) callerKey(publisher string) error {
	open, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return err
	}
	shown, err := x509.MarshalPKIXPublicKey(open)
	if err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(m.file(publisher, "cms.pem"), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}),
			0o600),
		os.WriteFile(m.file(publisher, "cms-pub.pem"), pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: shown}),
			0o644))
}

// isEdge says whether a place is an edge.
func isEdge(id string) bool { return strings.HasSuffix(id, "edge") }

// serve starts some of those who serve. The Broker and the edges ask others as soon as they start.
func (m *Market) serve(ctx context.Context, which func(id string) bool) error {
	for _, id := range order {
		if m.listeners[id] == nil || !which(id) {
			continue
		}
		loaded, err := app.Load(app.Layers{File: m.config(id)})
		if err != nil {
			return fmt.Errorf("the configuration of %s: %w", id, err)
		}
		options := app.Options{Loaded: loaded, Listener: m.listeners[id], Log: m.log.With("place", id),
			Around: m.hub.around(id), Broker: id == "broker"}
		if isEdge(id) {
			s, err := app.NewEdge(options)
			if err != nil {
				return fmt.Errorf("%s: %w", id, err)
			}
			m.run(id, func() error { return errors.Join(s.Run(ctx), s.Close()) })
			continue
		}
		s, err := app.Build(ctx, options)
		if err != nil {
			return fmt.Errorf("%s: %w", id, err)
		}
		m.servers[id] = s
		m.run(id, func() error { return s.Run(ctx) })
	}
	return nil
}

// run runs a place until it ends.
func (m *Market) run(id string, serve func() error) {
	group := &m.running
	if isEdge(id) {
		group = &m.edges
	}
	group.Go(func() {
		if err := serve(); err != nil {
			m.log.Error("a place of the market ended", "place", id, "error", err)
			select {
			case m.failed <- fmt.Errorf("%s: %w", id, err):
			default:
			}
		}
	})
}

// serveOrigins starts the publishers' own programs.
func (m *Market) serveOrigins(ctx context.Context) error {
	for _, p := range publishers {
		s := &http.Server{Handler: origin(texts[p.id]), ReadHeaderTimeout: 10 * time.Second}
		context.AfterFunc(ctx, func() { s.Close() })
		m.run("origin-"+p.id, func() error {
			if err := s.Serve(m.listeners["origin-"+p.id]); !errors.Is(err, http.ErrServerClosed) {
				return err
			}
			return nil
		})
	}
	return nil
}

// patience is how long the market may take to be ready.
const patience = 2 * time.Minute

// until asks again until something holds.
func (m *Market) until(ctx context.Context, what string, holds func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		last := holds(ctx)
		if last == nil {
			return nil
		}
		select {
		case err := <-m.failed:
			return err
		case <-ctx.Done():
			return fmt.Errorf("%s: %w", what, errors.Join(last, context.Cause(ctx)))
		case <-tick.C:
		}
	}
}

// ready waits until everybody answers, and the front desks have read what they have.
func (m *Market) ready(ctx context.Context) error {
	m.fetcher = fetch.New(fetch.Options{Allow: onThisMachine,
		UserAgent: "GPTBot/1.0 (the market, looking whether all is ready)"})
	for _, id := range order {
		if m.servers[id] == nil {
			continue
		}
		if err := m.answers(ctx, id); err != nil {
			return err
		}
	}
	for _, p := range publishers {
		if err := m.knows(ctx, p.id, len(texts[p.id])); err != nil {
			return err
		}
	}
	return nil
}

// readyBroker waits until the Broker answers, and has read what both publishers publish.
func (m *Market) readyBroker(ctx context.Context) error {
	all := 0
	for _, p := range publishers {
		all += len(texts[p.id])
	}
	if err := m.answers(ctx, "broker"); err != nil {
		return err
	}
	return m.knows(ctx, "broker", all)
}

// answers waits until a place is ready.
func (m *Market) answers(ctx context.Context, id string) error {
	return m.until(ctx, id, func(ctx context.Context) error {
		got, err := m.fetcher.Get(ctx, fetch.Request{URL: m.address(id) + "/readyz"})
		if err == nil && got.Status != http.StatusOK {
			err = fmt.Errorf("status %d", got.Status)
		}
		return err
	})
}

// knows waits until a place can search so many items.
func (m *Market) knows(ctx context.Context, id string, items int) error {
	return m.until(ctx, id, func(context.Context) error {
		if n := m.servers[id].Corpus.Items(); n < items {
			return fmt.Errorf("it has read %d of %d items", n, items)
		}
		return nil
	})
}

// stock has the publishers show that the domain of their edge is theirs, and say what they sell.
func (m *Market) stock(ctx context.Context) error {
	for _, s := range sales {
		domain, exchange, key := host(m.address(s.domainEdge())), m.address(s.exchange), m.file(s.publisher, "cms.pem")
		if s.edge == s.domainEdge() {
			if _, _, err := m.do(ctx, "ramp", "verify-domain", domain, "--exchange", exchange,
				"--caller", caller(s.publisher), "--key-file", key,
				"--cdn-type", "hmac", "--config", m.config(s.edge)); err != nil {
				return err
			}
		}
		entries, err := m.entries(s.publisher, domain)
		if err != nil {
			return err
		}
		if _, _, err := m.do(ctx, "ramp", "push", exchange, entries, "--tenant", s.publisher,
			"--caller", caller(s.publisher), "--key-file", key); err != nil {
			return err
		}
	}
	return nil
}

// entries writes what a publisher sells into a file.
func (m *Market) entries(publisher, domain string) (file string, err error) {
	var lines strings.Builder
	for _, a := range texts[publisher] {
		if !a.sold() {
			continue
		}
		line, err := json.Marshal(map[string]any{
			"domain": domain, "path": a.path, "title": a.title, "word_count": len(strings.Fields(a.text)),
			"content_hash": a.hash(), "hash_method": "sha256",
		})
		if err != nil {
			return "", err
		}
		lines.Write(append(line, '\n'))
	}
	file = m.file(publisher, "entries.jsonl")
	return file, os.WriteFile(file, []byte(lines.String()), 0o644)
}

// web are the options of a client of a place: what it asks for is known by its name, and reaches
// this machine alone.
func (m *Market) web(id string) (client.Options, error) {
	way, err := m.fetcher.Transport()
	return client.Options{HTTP: &http.Client{Transport: way}, UserAgent: id + "/1.0"}, err
}

// spending is what the agent may spend.
const spending = "1" + Currency + "/month"

// openAgent opens the agent's wallet, and waits until it is offered what is sold.
func (m *Market) openAgent(ctx context.Context) error {
	limit, err := buyer.ParseLimit(spending)
	if err != nil {
		return err
	}
	if m.wallet, err = buyer.Open(ctx,
		buyer.StoreConfig{File: m.file("agent", "buyer.db"), Limits: buyer.Limits{limit}}); err != nil {
		return err
	}
	options, err := m.web("agent")
	if err != nil {
		return err
	}
	who, err := m.agentKey(ctx)
	if err != nil {
		return err
	}
	options.Buyer = client.Buyer{ID: agentID, Domain: agentDomain, Key: who.key, KeyID: who.id}
	desks := []string{m.address("review"), m.address("almanac")}
	m.agent = buyer.New(buyer.Options{Purchases: m.wallet, Client: options, FrontDesks: desks})
	m.brokered = buyer.New(buyer.Options{Purchases: m.wallet, Client: options, FrontDesks: desks,
		Broker: m.address("broker")})
	for _, p := range publishers {
		if err := m.offered(ctx, p.id, options); err != nil {
			return err
		}
	}
	return nil
}

// offered waits until what a publisher sells is offered everywhere, and its edges know what is
// sold.
func (m *Market) offered(ctx context.Context, publisher string, options client.Options) error {
	path, through := texts[publisher][0].path, 0
	for _, s := range sales {
		if s.publisher != publisher {
			continue
		}
		through++
		if err := m.until(ctx, "the policy of "+s.edge, func(ctx context.Context) error {
			return m.gated(ctx, m.address(s.edge)+path)
		}); err != nil {
			return err
		}
	}
	c, err := client.New(m.address(publisher), options)
	if err != nil {
		return err
	}
	broker, err := client.OpenBroker(m.address("broker"), options.Buyer, options)
	if err != nil {
		return err
	}
	item := client.Result{URL: m.address(publisher+"edge") + path}
	return m.until(ctx, "the offers of "+publisher, func(ctx context.Context) error {
		all, err := c.Offers(ctx, item, client.Fetching{})
		if err == nil && len(all) < through {
			err = fmt.Errorf("%d of %d Exchanges offer it", len(all), through)
		}
		if err == nil {
			_, err = broker.Steps().Offers(ctx, item, client.Fetching{})
		}
		return err
	})
}

// gated says whether an edge knows by now that an address is sold: it tells an agent without a
// licence through whom.
func (m *Market) gated(ctx context.Context, address string) error {
	got, err := m.fetcher.Get(ctx, fetch.Request{URL: address})
	if err == nil && !strings.Contains(string(got.Body), "need a licence") {
		err = fmt.Errorf("it answers %d", got.Status)
	}
	return err
}

// agentKey reads the agent's key, as `frontdesk keys agent` made it.
func (m *Market) agentKey(ctx context.Context) (agentKey, error) {
	loaded, err := app.Load(app.Layers{File: m.config("agent")})
	if err != nil {
		return agentKey{}, err
	}
	agent, err := app.Build(ctx, app.Options{Loaded: loaded, Log: m.log, Records: true, Secrets: true})
	if err != nil {
		return agentKey{}, err
	}
	defer agent.Close()
	id, signer, ok := agent.AgentKeys.Current()
	key, isKey := signer.(ed25519.PrivateKey)
	if !ok || !isKey {
		return agentKey{}, errors.New("the agent has no key")
	}
	return agentKey{id, key}, nil
}
