package app

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/content/released"
	"frontdesk/internal/identity"
	"frontdesk/internal/infra/periodic"
	"frontdesk/internal/licensing/catalog"
	"frontdesk/internal/licensing/exchange"
	"frontdesk/internal/licensing/published"
	"frontdesk/internal/policy"
)

// forSale is what can be sold, and how it is offered.
type forSale struct {
	*base
	Goods      *catalog.Catalog
	Assortment *exchange.Assortment
	Published  *published.Service
	providers  *identity.Providers // of what is sold; nil where their word is not asked for
}

// newForSale opens the catalog of what can be sold; nil where nothing is.
func newForSale(s *supply, t *terms, corpus *released.Corpus) (_ *forSale, err error) {
	config := s.config
	if !config.RAMP.Enabled {
		return nil, nil
	}
	made, err := config.catalogConfig(s.Catalog, s.log)
	if err != nil {
		return nil, err
	}
	made.Pushes, made.Imported, made.ImportedHost, made.Kind, made.Owns = s.Shelves, t.Told, t.teller,
		config.kindOf(), s.owner()
	f := &forSale{base: s.base}
	if f.Goods, err = catalog.New(made); err != nil {
		return nil, fmt.Errorf("ramp.aliases: %w", err)
	}
	deps := exchange.AssortmentDeps{
		Corpus: corpus, Catalog: f.Goods, OfferPolicy: t.selling.Load,
		Push: exchange.PushDeps{
			Store: s.Shelves, Tenants: s.Tenants, Terms: t.tenantTerms, Site: config.siteAt, Outlet: s.tenantOutlet,
			Attested: s.attestationChecker(),
		},
		CacheBytes: uint64(config.Ask.Cache), Now: s.now, Log: s.log,
	}
	if config.RAMP.Offers.CheckProviders {
		own, _ := policy.Host(config.URL)
		f.providers = identity.NewProviders(config.Fetcher(), config.exchangeDomain(), s.now)
		deps.Authorised = func(address string) bool {
			if canonical, err := catalog.CanonicalURI(address); err == nil && !catalog.IsPage(canonical) {
				return true // it has no host that could name anybody; the operator lets its tenant sell it
			}
			host := soldAt(address)
			return host == own || f.providers.Names(host)
		}
	}
	if deps.Outlet, err = s.outlets.Compile(); err != nil {
		return nil, err
	}
	if f.Assortment, err = exchange.NewAssortment(deps); err != nil {
		return nil, err
	}
	f.Published, err = published.New(published.Deps{
		Corpus: corpus, Catalog: f.Goods, OfferPolicy: t.selling.Load, Tenant: f.Assortment.Tenant, Now: s.now,
	})
	return f, err
}

// soldAt is the host of an address, with its port where it has one, as the catalog has it.
func soldAt(address string) string {
	canonical, _ := catalog.Canonical(address)
	host, _, _ := strings.Cut(canonical, "/")
	return host
}

// How often providers are asked whether they still name this Exchange, and how often it is looked
// whether there are others.
const (
	askProvidersEvery  = time.Hour
	lookProvidersEvery = time.Second
)

// askProviders asks providers whether they let this Exchange sell for them, until ctx ends.
func (f *forSale) askProviders(ctx context.Context) {
	var asked []string
	var last time.Time
	periodic.Run(ctx, lookProvidersEvery, func(ctx context.Context) {
		if hosts := f.Goods.Hosts(); !slices.Equal(hosts, asked) || f.now().Sub(last) >= askProvidersEvery {
			if err := f.providers.Refresh(ctx, hosts); err != nil && ctx.Err() == nil {
				f.log.Warn("providers could not be asked whether they let this Exchange sell for them; "+
					"what they said last holds for a day", "error", err)
			}
			asked, last = hosts, f.now()
		}
	})
}
