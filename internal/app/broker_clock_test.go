package app

import (
	"bytes"
	"crypto/ed25519"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/client"
	"frontdesk/internal/content"
	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/testkit/storetest"
	"frontdesk/wire/ramp"
)

// clockwork is a clock that runs, and is right or wrong by so much.
type clockwork struct{ off atomic.Int64 }

func (c *clockwork) now() time.Time        { return time.Now().Add(time.Duration(c.off.Load())) }
func (c *clockwork) set(off time.Duration) { c.off.Store(int64(off)) }

// clocked is an agent, a Broker and an Exchange, which each have a clock of their own. What the
// Broker and the agent ask the Exchange goes by a way that can break.
type clocked struct {
	t                       *testing.T
	agent, broker, exchange clockwork
	shop                    *App
	way                     *httptest.Server
	url                     string // of the Broker
	key                     ed25519.PrivateKey
	then                    atomic.Pointer[then]
	purchases               atomic.Int64 // that the Exchange has answered
}

// then is what happens once the Exchange has answered an RPC; a purchase's answer is lost with
// that.
type then struct {
	after string
	do    func()
}

// before puts an address before a server, whose answers tell the time of its clock.
func before(t *testing.T, server net.Listener, clock *clockwork, way *httputil.ReverseProxy) *httptest.Server {
	to, more := &url.URL{Scheme: "http", Host: server.Addr().String()}, way.ModifyResponse
	way.Rewrite = func(r *httputil.ProxyRequest) {
		r.SetURL(to)
		r.Out.Host = r.In.Host
	}
	way.ModifyResponse = func(r *http.Response) error {
		r.Header.Set("Date", clock.now().UTC().Format(http.TimeFormat))
		if more == nil {
			return nil
		}
		return more(r)
	}
	way.ErrorHandler = func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) }
	out := httptest.NewServer(way)
	t.Cleanup(out.Close)
	return out
}

// openClocked starts them. The agent has further keys, if there are any, beside its own.
func openClocked(t *testing.T, more ...ramp.Key) *clocked {
	t.Helper()
	c := &clocked{t: t, key: ed25519.NewKeyFromSeed(bytes.Repeat([]byte{7}, ed25519.SeedSize))}
	behind, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c.way = before(t, behind, &c.exchange, &httputil.ReverseProxy{ModifyResponse: func(r *http.Response) error {
		_, rpc, _ := strings.Cut(r.Request.URL.Path, "/ramp.v1.ExchangeService/")
		do := c.then.Load()
		switch {
		case rpc == "ExecuteTransaction" && c.purchases.Add(1) == 0:
		case do == nil || do.after != rpc || !c.then.CompareAndSwap(do, nil):
		case rpc == "ExecuteTransaction":
			do.do()
			return http.ErrAbortHandler
		default:
			do.do()
		}
		return nil
	}})
	start := func(text string, clock *clockwork, listener net.Listener) *App {
		loaded, err := Load(Layers{File: write(t, t.TempDir(), "frontdesk.yaml", text), Flags: map[string]string{
			"metrics.listen": "127.0.0.1:0", "log.level": "debug", "keys": t.TempDir(), "data": t.TempDir(),
			"store": storetest.ChosenDSN(t, tables...),
		}})
		if err != nil {
			t.Fatal(err)
		}
		s, err := Build(t.Context(), Options{Loaded: loaded, Listener: listener, Now: clock.now})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		return s
	}
	c.shop = start(`
url: `+c.way.URL+`
fetch: {allow: [127.0.0.0/8]}
limits: {rate: {address: "", failures: ""}}
site: {id: `+DefaultSite+`, name: Shop, url: "`+c.way.URL+`"}
terms:
  - {match: {path: "/palace"}, access: licensed, price: {model: per_access, rate: "5000", currency: USD}}
  - {match: {}, access: licensed, price: {model: per_access, rate: "0.02", currency: USD}}
ramp: {enabled: true, domain: shop.example, requester_rate: ""}
`, &c.exchange, behind)
	front, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c.url = before(t, front, &c.broker, &httputil.ReverseProxy{}).URL
	broker := start(`
url: `+c.url+`
fetch: {allow: [127.0.0.0/8]}
limits: {rate: {address: "", failures: ""}}
roles: [broker]
ramp: {signatures: required, requester_rate: ""}
broker:
  deadline: 10s
  buy_within: 1s
  only_exchanges: true
  exchanges: [{domain: shop.example, url: "`+c.way.URL+`"}]
  budgets: [{requester: "*", amount: "10", currency: USD}]
`, &c.broker, front)
	keys := append(more, ramp.Key{ID: "k", Public: c.key.Public().(ed25519.PublicKey), Active: true})
	for _, s := range []*App{c.shop, broker} {
		if _, err := s.Requesters.Add(t.Context(),
			requesters.Registration{Domain: "buyer.example", ID: "bot", Keys: keys}); err != nil {
			t.Fatal(err)
		}
	}
	id, signer, _ := broker.AgentKeys.Current()
	host := strings.TrimPrefix(c.url, "http://")
	if _, err := c.shop.Requesters.Add(t.Context(), requesters.Registration{Domain: host, ID: host,
		Keys: []ramp.Key{{ID: id, Public: signer.Public().(ed25519.PublicKey), Active: true}}}); err != nil {
		t.Fatal(err)
	}
	var all []content.Item
	for _, path := range []string{"/palace", "/a", "/b", "/c", "/d", "/e", "/f", "/g", "/h"} {
		all = append(all, content.Item{URL: c.way.URL + path, Types: []string{"Article"}, Name: "A text",
			Object: []byte(`{"@type":"Article","name":"A text","url":"` + c.way.URL + path + `"}`)})
	}
	fill(t, c.shop, all...)
	if err := c.shop.ChangeAccounts(t.Context(), func(tx *store.Tx) error {
		if err := c.shop.Accounts.Open(t.Context(), tx, "buyer.example/bot", "USD", 0, c.shop.now()); err != nil {
			return err
		}
		_, err := c.shop.Accounts.Pay(t.Context(), tx, "credit", "buyer.example/bot", "USD", 1e9, "", c.shop.now())
		return err
	}); err != nil {
		t.Fatal(err)
	}
	run(t, c.shop)
	run(t, broker)
	return c
}

// buys asks the Broker for one thing.
func (c *clocked) buys(id, path string) (*client.Resolved, error) {
	c.t.Helper()
	return c.buysWith("k", c.key, id, path)
}

// buysWith does so with another key of the agent's.
func (c *clocked) buysWith(kid string, key ed25519.PrivateKey, id, path string) (*client.Resolved, error) {
	c.t.Helper()
	b, err := client.OpenBroker(c.url, client.Buyer{ID: "bot", Domain: "buyer.example", Key: key, KeyID: kid},
		client.Options{Retries: -1, Now: c.agent.now})
	if err != nil {
		c.t.Fatal(err)
	}
	return b.Resolve(c.t.Context(), &client.Resolving{ID: id, URIs: []string{c.way.URL + path}})
}

// sold holds that so many things were charged by the Exchange, and are counted as spent by the
// broker.Settings, with nothing held.
func (c *clocked) sold(when string, things int) {
	c.t.Helper()
	var left int64
	err := c.shop.db.View(c.t.Context(), func(tx *store.Tx) error {
		return tx.QueryRow(c.t.Context(), `SELECT available FROM account_balance WHERE buyer = $1`, "buyer.example/bot").Scan(&left)
	})
	if charged := 1e9 - left; err != nil || charged != int64(things)*2e6 {
		c.t.Errorf("%s: the Exchange has charged %d units, and not for %d things: %v", when, charged, things, err)
	}
	_, err = c.buys("", "/palace")
	if err == nil ||
		!strings.Contains(err.Error(), fmt.Sprintf(": %v USD are spent, and 0 USD held", float64(2*things)/100)) {
		c.t.Errorf("%s: %v; the price of %d things is to be spent, and nothing held", when, err, things)
	}
}

// TestClocksThatAreApartChargeNobodyTwice has the clock of the agent, of the Broker or of the
// Exchange be ten minutes ahead or behind: before the request, when nothing is bought and who asks
// is told that clocks are apart and by how much; between offer and purchase; and between a purchase
// and its answer, which is lost. What the Exchange has charged is what was told, and what the
// Broker counts; and once the clock is right nothing is open, and nothing was bought twice.
func TestClocksThatAreApartChargeNobodyTwice(t *testing.T) {
	t.Parallel()
	apart := regexp.MustCompile(`clock is (10m0s|9m59s|10m1s) (ahead|behind)|are (10m0s|9m59s|10m1s) apart`)
	for _, off := range []time.Duration{10 * time.Minute, -10 * time.Minute} {
		t.Run(off.String(), func(t *testing.T) {
			c := openClocked(t)
			wrong := []struct {
				whose  string
				clocks []*clockwork
			}{
				{"the agent's", []*clockwork{&c.agent}}, {"the Broker's", []*clockwork{&c.broker}},
				{"the Exchange's", []*clockwork{&c.exchange}},
				{"the agent's and the Broker's", []*clockwork{&c.agent, &c.broker}}, // on one machine
			}
			set := func(all []*clockwork, off time.Duration) {
				for _, one := range all {
					one.set(off)
				}
			}
			for _, w := range wrong {
				set(w.clocks, off)
				got, err := c.buys("early "+w.whose, "/a")
				if err == nil || !apart.MatchString(err.Error()) {
					t.Errorf("with %s clock wrong: %t, %v", w.whose, got != nil, err)
				}
				set(w.clocks, 0)
			}
			if n := c.purchases.Load(); n != 0 {
				t.Errorf("with wrong clocks the Exchange was asked %d times to sell", n)
			}
			c.sold("before anything could be bought", 0)
			if got, err := c.buys("early the Broker's", "/a"); err != nil || len(got.Items) != 1 {
				t.Fatal("the same request, once the clocks are right:", err)
			}
			c.sold("once", 1)

			bought, path := 1, 'b'
			for _, w := range wrong[1:] { // the agent's has been looked at by then
				c.then.Store(&then{"DiscoverResources", func() { set(w.clocks, off) }})
				_, err := c.buys("between "+w.whose, fmt.Sprintf("/%c", path))
				set(w.clocks, 0)
				path++
				// The offer has ended for whoever's clock was set forward, and the Broker's
				// signature has a time in any case.
				if err == nil || !apart.MatchString(err.Error()) && !strings.Contains(err.Error(), "OFFER_EXPIRED") {
					t.Errorf("with %s clock turned after the offer: %v", w.whose, err)
				}
				c.sold("after an offer", bought)
			}
			for _, w := range wrong {
				id, uri := "lost "+w.whose, fmt.Sprintf("/%c", path)
				path++
				c.then.Store(&then{"ExecuteTransaction", func() { set(w.clocks, off) }})
				for range 2 {
					if got, err := c.buys(id, uri); err == nil && len(got.Items) != 1 || err != nil &&
						!apart.MatchString(err.Error()) && !strings.Contains(err.Error(), "not known yet") {
						t.Errorf("with %s clock turned before an answer that was lost: %v", w.whose, err)
					}
				}
				set(w.clocks, 0)
				bought++
				if got, err := c.buys(id, uri); err != nil || len(got.Items) != 1 || len(got.Open) != 0 {
					t.Errorf("with %s clock right again: %v", w.whose, err)
				}
				c.sold("after a lost answer, with "+w.whose+" clock", bought)
			}
			if c.then.Load() != nil || c.purchases.Load() < 8 {
				t.Error("no answer was lost")
			}
		})
	}
}

// TestAKeyThatEndsWhileSomethingIsBoughtChargesNobodyTwice has a key of the agent's end by its
// validity, as time goes by: between offer and purchase, when nothing is bought; and between a
// purchase and its answer, which is lost. The agent's other key is told what was bought, and buys
// what was not.
func TestAKeyThatEndsWhileSomethingIsBoughtChargesNobodyTwice(t *testing.T) {
	t.Parallel()
	const passes = 3 * time.Minute // within which an offer does not end
	for _, after := range []string{"DiscoverResources", "ExecuteTransaction"} {
		t.Run(after, func(t *testing.T) {
			ending := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{8}, ed25519.SeedSize))
			c := openClocked(t, ramp.Key{ID: "ending", Public: ending.Public().(ed25519.PublicKey),
				Until: time.Now().Add(passes), Active: true})
			if _, err := c.buysWith("ending", ending, "before", "/a"); err != nil {
				t.Fatal("before the key ends:", err)
			}
			c.then.Store(&then{after, func() {
				for _, clock := range []*clockwork{&c.agent, &c.broker, &c.exchange} {
					clock.set(passes)
				}
			}})
			words, bought := "nothing was bought", 2
			if after == "ExecuteTransaction" {
				words = "not known yet whether this was bought"
			}
			got, err := c.buysWith("ending", ending, "one", "/b")
			if err == nil || !strings.Contains(err.Error(), words) || c.then.Load() != nil {
				t.Fatalf("with a key that has ended: %v, %v", got, err)
			}
			if _, err := c.buysWith("ending", ending, "one", "/b"); err == nil ||
				!strings.Contains(err.Error(), "unauthenticated") {
				t.Error("again with that key:", err)
			}
			if after == "DiscoverResources" {
				if _, err = c.buys("one", "/b"); err == nil || !strings.Contains(err.Error(), "under another id") {
					t.Error("what was denied, with the other key:", err)
				}
				got, err = c.buys("two", "/b")
			} else {
				got, err = c.buys("one", "/b")
			}
			if err != nil || len(got.Items) != 1 || len(got.Open) != 0 {
				t.Error("with the other key:", err)
			}
			c.sold("after the key has ended", bought)
		})
	}
}
