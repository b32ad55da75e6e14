package client

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
)

// maxSellers is how many Exchanges are asked for one item.
const maxSellers = 5

// sellers opens the Exchanges that may sell an item, one after the other, each once: the named one
// alone, or those that the item, then the front desk that was asked, then the manifest of the
// item's host lead to. Those that cannot be opened are told in passed.
func (c *Client) sellers(ctx context.Context, item Result, named string, passed *[]error) iter.Seq[*Exchange] {
	return func(yield func(*Exchange) bool) {
		seen := map[string]bool{}
		for places := range c.sellerPlaces(ctx, item, named, passed) {
			x, err := c.openFirst(ctx, places, named != "")
			if err != nil {
				if ctx.Err() != nil {
					return
				}
				*passed = append(*passed, err)
				continue
			}
			if seen[x.base] {
				continue
			}
			if seen[x.base] = true; !yield(x) || len(seen) == maxSellers {
				return
			}
		}
	}
}

// sellerPlaces are where Exchanges are looked for: of each the addresses at which its manifest may
// be.
func (c *Client) sellerPlaces(ctx context.Context, item Result, named string, passed *[]error) iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		if named != "" {
			yield([]string{named})
			return
		}
		if told := toldSeller(item.Raw); told != "" && !yield([]string{told}) {
			return
		}
		if !yield([]string{strings.TrimSuffix(c.ask, "/ask")}) {
			return
		}
		listed, err := c.listedSellers(ctx, item.URL)
		if err != nil {
			*passed = append(*passed, err)
		}
		for _, places := range listed {
			if !yield(places) {
				return
			}
		}
	}
}

// openFirst opens an Exchange at the first of some addresses that has a manifest. The error is that
// of the first.
func (c *Client) openFirst(ctx context.Context, places []string, named bool) (x *Exchange, err error) {
	for i, address := range places {
		opened, failed := c.openCached(ctx, address, named)
		if failed == nil {
			return opened, nil
		}
		if i == 0 {
			err = failed
		}
	}
	return nil, err
}

// toldSeller is the Exchange that an item of an answer names: where its action "license" leads,
// without the manifest or, of older front desks, the RPC.
func toldSeller(raw []byte) string {
	item, _ := members(jsontext.Value(raw))
	var actions []jsontext.Value
	if kind(item["actions"]) != '[' || json.Unmarshal(item["actions"], &actions, tolerant) != nil {
		return ""
	}
	for _, one := range actions {
		action, _ := members(one)
		if word(action["name"]) != "license" {
			continue
		}
		for _, end := range []string{exchangeManifest, exchangePath + "DiscoverResources"} {
			if base, ok := strings.CutSuffix(word(action["endpoint"]), end); ok {
				return base
			}
		}
	}
	return ""
}

// listedSellers are the Exchanges that sell for the host of an address, by its manifest (RAMP v1,
// ramp.json), with the addresses at which the manifest of each may be. None is no error.
func (c *Client) listedSellers(ctx context.Context, item string) (all [][]string, err error) {
	manifest, err := c.providerOf(ctx, item)
	for _, x := range manifest.GetExchanges() {
		all = append(all, manifestPlaces(x))
	}
	return all, err
}

// providerOf is the manifest of the host of an address (RAMP v1, ramp.json); nil for none.
func (c *Client) providerOf(ctx context.Context, item string) (*rampv1.ProviderManifest, error) {
	u, err := url.Parse(item)
	if err != nil || u.Host == "" {
		return nil, errors.New("the item has no address that could be bought")
	}
	at := (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/.well-known/ramp.json"}).String()
	if err := private(at); err != nil {
		return nil, err
	}
	reader := cautious(c.options)
	ctx, cancel := context.WithTimeout(ctx, maxAttempt)
	defer cancel()
	text, status, err := reader.document(ctx, at)
	if err != nil || status != http.StatusOK {
		return nil, err
	}
	manifest, err := ramp.ReadProviderManifest(text)
	if err != nil {
		return nil, &NotAnExchange{at, err.Error()}
	}
	return manifest, nil
}

// manifestPlaces are the addresses at which the manifest of an Exchange may be.
func manifestPlaces(x *rampv1.AuthorizedExchange) []string {
	places := []string{x.Endpoint}
	if u, err := url.Parse(x.Endpoint); err == nil && u.Path != "" && u.Path != "/" {
		places = append(places, u.Scheme+"://"+u.Host) // RPCs may be below a path, and manifests are not
	}
	if x.Domain != "" {
		places = append(places, "https://"+x.Domain)
	}
	return places
}

// maxManifestAge is how long the manifest of an Exchange holds (RAMP v1, ramp-exchange.json).
const maxManifestAge = time.Hour

// sellersOpen are the Exchanges that a client has opened, by their addresses.
type sellersOpen struct {
	mu  sync.Mutex
	all map[sellerKey]openedAt
}

type sellerKey struct {
	address string
	named   bool
}

type openedAt struct {
	exchange *Exchange
	at       time.Time
}

// maxOpened is how many Exchanges are kept open.
const maxOpened = 64

// openCached opens an Exchange, or gives the one that was opened within the hour. named says that
// the program has named it, so that it may be sent a delegation that anybody can use.
func (c *Client) openCached(ctx context.Context, address string, named bool) (*Exchange, error) {
	key := sellerKey{address, named}
	c.exchanges.mu.Lock()
	known, ok := c.exchanges.all[key]
	c.exchanges.mu.Unlock()
	if ok && time.Since(known.at) < maxManifestAge {
		return known.exchange, nil
	}
	if !named && !c.options.Buyer.bound() {
		return nil, fmt.Errorf("%s was found by others' documents, and could use your delegation itself: "+
			"name the Exchange, or have the token bound to your key", address)
	}
	x, err := OpenExchange(ctx, address, c.options.Buyer, c.options)
	if err != nil {
		return nil, err
	}
	x.address = address
	c.exchanges.mu.Lock()
	defer c.exchanges.mu.Unlock()
	if len(c.exchanges.all) >= maxOpened || c.exchanges.all == nil {
		c.exchanges.all = map[sellerKey]openedAt{}
	}
	c.exchanges.all[key] = openedAt{x, time.Now()}
	return x, nil
}
