package identity

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/fetch"
	"frontdesk/wire/ramp"
)

// How long it holds what a provider says of its contributors, and that it could not be asked.
const (
	contributorsHold  = 10 * time.Minute
	contributorsRetry = 30 * time.Second
	contributorsMost  = 10_000 // hosts
)

// Contributors knows who may push entries of a provider's content beside the provider, by the
// catalog_contributors of its ramp.json (RAMP v1, CatalogContributor). Its methods may be called
// concurrently.
type Contributors struct {
	fetcher *fetch.Fetcher
	now     func() time.Time

	mu    sync.Mutex
	hosts map[string]*contributorList
}

// contributorList is what one host says. Whoever holds mu is the one who asks.
type contributorList struct {
	mu      sync.Mutex
	until   time.Time
	domains map[string]bool
	failed  error
}

// NewContributors knows nothing yet. The fetcher should take ramp.MaxDocument at the most,
// AgentTime at the longest, and follow no redirect.
func NewContributors(fetcher *fetch.Fetcher, now func() time.Time) *Contributors {
	return &Contributors{fetcher: fetcher, now: now, hosts: map[string]*contributorList{}}
}

// Lists says whether the provider at a host lists a domain among its contributors. Its document is
// asked for at most once in ten minutes, and half a minute after it could not be had. The error is
// fail.Unavailable where it cannot be told now.
func (c *Contributors) Lists(ctx context.Context, host, domain string) (bool, error) {
	c.mu.Lock()
	list := c.hosts[host]
	if list == nil {
		if len(c.hosts) >= contributorsMost {
			clear(c.hosts)
		}
		list = &contributorList{}
		c.hosts[host] = list
	}
	c.mu.Unlock()
	list.mu.Lock()
	defer list.mu.Unlock()
	if now := c.now(); !now.Before(list.until) {
		domains, err := c.ask(ctx, host)
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		list.domains, list.failed, list.until = domains, err, now.Add(contributorsHold)
		if err != nil {
			list.until = now.Add(contributorsRetry)
		}
	}
	if list.failed != nil {
		return false, fail.New(fail.Unavailable, "the ramp.json of %s cannot be had at the moment, so nobody knows "+
			"its contributors; try again", host).After(contributorsRetry).Wrap(list.failed)
	}
	return list.domains[strings.ToLower(domain)], nil
}

// ask reads the contributors of a provider. One without the document has none.
func (c *Contributors) ask(ctx context.Context, host string) (map[string]bool, error) {
	response, err := c.fetcher.Get(ctx, fetch.Request{
		URL: Origin(host) + providerPath, MaxBytes: ramp.MaxDocument,
		Header: http.Header{"Accept": {"application/json"}},
	})
	switch {
	case err != nil:
		return nil, err
	case response.Status == http.StatusNotFound || response.Status == http.StatusGone:
		return nil, nil
	case response.Status != http.StatusOK:
		return nil, fmt.Errorf("it answered with status %d", response.Status)
	}
	manifest, err := ramp.ReadProviderManifest(response.Body)
	if err != nil {
		return nil, err
	}
	domains := map[string]bool{}
	for _, one := range manifest.GetCatalogContributors() {
		domains[strings.ToLower(one.GetDomain())] = true
	}
	return domains, nil
}
