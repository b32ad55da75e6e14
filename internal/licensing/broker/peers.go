package broker

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"frontdesk/biscuit"
	"frontdesk/client"
	rampv1 "frontdesk/wire/ramp/v1"
)

// peer is an Exchange that may be asked: who it says it is, and where its manifest may be.
type peer struct {
	domain string   // in lower case
	places []string // addresses of sites with its manifest, the likeliest first
	// typed says that the operator has named it, and named that it, or the agent, has: others'
	// documents did not lead to it.
	typed, named bool
	preferred    bool

	*health
}

// health is how it went to ask an Exchange.
type health struct {
	mu       sync.Mutex
	failures int       // one after the other
	rests    time.Time // until when it is not asked

	times []time.Duration // that its last answers took
	next  int             // of them, the one that is replaced next
	least time.Duration   // that it is given, where a test says so
}

// key tells peers apart: who claims to be another Exchange at another address is somebody else.
func (p *peer) key() string { return p.domain + "\n" + strings.Join(p.places, "\n") }

// peers are all Exchanges that were asked, with how that went.
type peers struct {
	broker *Broker
	mu     sync.Mutex
	all    map[string]*health // by the keys of peers
	open   cache[*client.Exchange]
}

// of completes a peer with how it went so far.
func (ps *peers) of(p *peer) *peer {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	if len(ps.all) >= maxCached {
		clear(ps.all)
	}
	key := p.key()
	if ps.all[key] == nil {
		ps.all[key] = &health{}
	}
	p.health = ps.all[key]
	return p
}

// Resting after failures: from one second, twice as long after each, up to five minutes.
const (
	firstRest = time.Second
	maxRest   = 5 * time.Minute
)

// resting says until when it is not asked; the zero time where it may be.
func (p *health) resting(now time.Time) time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	if now.Before(p.rests) {
		return p.rests
	}
	return time.Time{}
}

// went notes how it went this time. Those who wait for it together see one failure, however many
// they are.
func (p *health) went(now time.Time, failed bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !failed {
		p.failures, p.rests = 0, time.Time{}
		return
	}
	if now.Before(p.rests) {
		return
	}
	p.failures++
	if p.failures > 1 { // one may be chance
		p.rests = now.Add(min(firstRest<<min(p.failures-2, 20), maxRest))
	}
}

var errOtherDomain = errors.New("its manifest is that of another domain")

// exchange opens the Exchange of a peer, with the key that signs now.
func (ps *peers) exchange(ctx context.Context, p *peer) (*client.Exchange, error) {
	buyer, err := ps.broker.buyer()
	if err != nil {
		return nil, err
	}
	return ps.open.get(ctx, buyer.KeyID+"\n"+p.key(), func(ctx context.Context) (*client.Exchange, error) {
		var failed []error
		for _, place := range p.places {
			x, err := client.OpenExchange(ctx, place, buyer, client.Options{
				HTTP: ps.broker.HTTP, UserAgent: "frontdesk-broker", MaxAnswer: ps.broker.MaxAnswer, Retries: -1,
				Silence: documentWithin, Now: ps.broker.Now,
			})
			if err == nil && !strings.EqualFold(x.Manifest().GetDomain(), p.domain) {
				err = fmt.Errorf("%s: %w, %.60q", place, errOtherDomain, x.Manifest().GetDomain())
			}
			if err == nil {
				return x, nil
			}
			failed = append(failed, err)
		}
		return nil, errors.Join(failed...)
	})
}

// domainOf is a domain as peers have it.
func domainOf(text string) string {
	return strings.ToLower(strings.TrimSuffix(strings.TrimSpace(text), "."))
}

// site is the address of a domain's site: with http on this machine.
func site(domain string) string {
	host := domain
	if u, err := url.Parse("//" + domain); err == nil {
		host = u.Hostname()
	}
	if host == "localhost" || strings.HasSuffix(host, ".localhost") || strings.HasPrefix(host, "127.") ||
		host == "::1" {
		return "http://" + domain
	}
	return "https://" + domain
}

// configured are the peers that the operator has named.
func (b *Broker) configured() (all []*peer) {
	for _, x := range b.Exchanges {
		address := x.Address
		if address == "" {
			address = site(x.Domain)
		}
		all = append(all,
			b.peers.of(&peer{domain: domainOf(x.Domain), places: []string{address}, typed: true, named: true,
				preferred: x.Preferred}))
	}
	return all
}

// pick says which Exchanges are asked: those that the request names; or those of the operator, and
// those that the ramp.json of each address's host lists. passed tells of those that are not.
func (b *Broker) pick(ctx context.Context, a Request, uris []string, passed *passedOver) []*peer {
	configured := b.configured()
	if names := a.GetConstraints().GetExchanges(); len(names) > 0 {
		return b.pickNamed(names, configured, passed)
	}
	all := configured
	if !b.OnlyExchanges {
		all = append(all, b.listed(ctx, uris, configured, passed)...)
	}
	if left := len(all) - MaxExchanges; left > 0 {
		passed.note("", "", fmt.Errorf("%d Exchanges more than are asked at a time", left))
		all = all[:MaxExchanges]
	}
	if a.GetRequester().GetDelegation() != nil && !bound(a.GetRequester().GetDelegation()) {
		all = slices.DeleteFunc(all, func(p *peer) bool {
			if !p.named {
				passed.note(p.domain, "",
					errors.New("others' documents led to it, and it could use the delegation itself: name the "+
						"Exchange in constraints.exchanges"))
			}
			return !p.named
		})
	}
	return all
}

func (b *Broker) pickNamed(names []string, configured []*peer, passed *passedOver) (all []*peer) {
	for _, name := range names {
		domain := domainOf(name)
		at := slices.IndexFunc(configured, func(p *peer) bool { return p.domain == domain })
		switch {
		case slices.ContainsFunc(all, func(p *peer) bool { return p.domain == domain }):
		case at >= 0:
			all = append(all, configured[at])
		case b.OnlyExchanges:
			passed.note(domain, "", errors.New("this Broker does not buy there"))
		default:
			all = append(all, b.peers.of(&peer{domain: domain, places: []string{site(domain)}, named: true}))
		}
	}
	return all
}

// listed are the Exchanges that the hosts of addresses sell through, those left out that the
// operator has named.
func (b *Broker) listed(ctx context.Context, uris []string, but []*peer, passed *passedOver) (all []*peer) {
	ctx, cancel := context.WithTimeout(ctx, b.Deadline/2)
	defer cancel()
	var hosts []string
	for _, uri := range uris {
		if host := hostOf(uri); host != "" && !slices.Contains(hosts, host) {
			hosts = append(hosts, host)
		}
	}
	found := make([][]*rampv1.AuthorizedExchange, len(hosts))
	var wait sync.WaitGroup
	turns := make(chan struct{}, b.Parallel)
	for i, host := range hosts {
		wait.Go(func() {
			turns <- struct{}{}
			defer func() { <-turns }()
			manifest, err := b.provider(ctx, host)
			if err != nil {
				passed.note("", host, fmt.Errorf("its ramp.json: %w", failing(err)))
				return
			}
			found[i] = manifest.GetExchanges()
		})
	}
	wait.Wait()
	for _, exchanges := range found {
		for _, x := range exchanges[:min(len(exchanges), maxListed)] {
			domain := domainOf(x.GetDomain())
			same := func(p *peer) bool { return p.domain == domain && (p.typed || slices.Equal(p.places, places(x))) }
			if !slices.ContainsFunc(but, same) && !slices.ContainsFunc(all, same) {
				all = append(all, b.peers.of(&peer{domain: domain, places: places(x)}))
			}
		}
	}
	return all
}

// places are the addresses at which the manifest of a listed Exchange may be: RPCs may be below a
// path, and manifests are not.
func places(x *rampv1.AuthorizedExchange) (all []string) {
	if u, err := url.Parse(x.GetEndpoint()); err == nil && u.Host != "" {
		all = append(all, u.Scheme+"://"+u.Host)
		if u.Path != "" && u.Path != "/" {
			all = append(all, strings.TrimSuffix(x.GetEndpoint(), "/"))
		}
	}
	if at := site(domainOf(x.GetDomain())); !slices.Contains(all, at) {
		all = append(all, at)
	}
	return all
}

// hostOf is the host of an address, with a port where it has one; empty for what is none.
func hostOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" {
		return ""
	}
	return strings.ToLower(u.Host)
}

// bound says whether a delegation is of use to its holder alone.
func bound(d *rampv1.Delegation) bool {
	token, err := biscuit.ParseText(d.GetToken())
	if err != nil {
		return false
	}
	says, err := token.Says()
	return err == nil && says.Holder != nil
}
