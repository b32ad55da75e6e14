package identity

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"frontdesk/internal/infra/fetch"
	"frontdesk/wire/ramp"
)

// providerPath is where a provider publishes through whom its content is sold (RAMP v1, ramp.json).
const providerPath = "/.well-known/ramp.json"

// providerHolds is how long it holds that a provider names an Exchange, when its document cannot be
// had any more.
const providerHolds = 24 * time.Hour

// Providers knows which providers let an Exchange sell for them, by what they publish. A host that
// was never asked lets nobody. Its methods may be called concurrently.
type Providers struct {
	fetcher  *fetch.Fetcher
	exchange string
	now      func() time.Time

	mu    sync.Mutex
	until map[string]time.Time // by host: until when it holds that it names the Exchange; zero if it does not
}

// NewProviders knows nothing yet, of the Exchange with a domain.
func NewProviders(fetcher *fetch.Fetcher, exchange string, now func() time.Time) *Providers {
	return &Providers{fetcher: fetcher, exchange: exchange, now: now, until: map[string]time.Time{}}
}

// Names says whether the provider at a host lets the Exchange sell for it.
func (p *Providers) Names(host string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.now().Before(p.until[host])
}

// Refresh asks the providers at some hosts, one after the other, and forgets all others. Its error
// names those that could not be asked; what they said last holds for a day.
func (p *Providers) Refresh(ctx context.Context, hosts []string) error {
	var failed []error
	for _, host := range hosts {
		named, err := p.ask(ctx, host)
		if err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", host, err))
			continue
		}
		p.mu.Lock()
		if p.until[host] = (time.Time{}); named {
			p.until[host] = p.now().Add(providerHolds)
		}
		p.mu.Unlock()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for host := range p.until {
		if !slices.Contains(hosts, host) {
			delete(p.until, host)
		}
	}
	return errors.Join(failed...)
}

// ask says whether the provider at a host names the Exchange.
func (p *Providers) ask(ctx context.Context, host string) (named bool, err error) {
	return names(ctx, p.fetcher, host, p.exchange)
}

// names says whether the provider at a host names an Exchange in its ramp.json. One without the
// document names nobody.
func names(ctx context.Context, fetcher *fetch.Fetcher, host, domain string) (named bool, err error) {
	response, err := fetcher.Get(ctx, fetch.Request{
		URL: Origin(host) + providerPath, MaxBytes: ramp.MaxDocument,
		Header: http.Header{"Accept": {"application/json"}},
	})
	switch {
	case err != nil:
		return false, err
	case response.Status == http.StatusNotFound || response.Status == http.StatusGone:
		return false, nil
	case response.Status != http.StatusOK:
		return false, fmt.Errorf("it answered with status %d", response.Status)
	}
	manifest, err := ramp.ReadProviderManifest(response.Body)
	if err != nil {
		return false, err
	}
	for _, exchange := range manifest.GetExchanges() {
		named = named || strings.EqualFold(exchange.GetDomain(), domain)
	}
	return named, nil
}
