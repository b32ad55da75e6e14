package server

import (
	"context"
	"crypto"
	"crypto/rand"
	"errors"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/identity"
	"frontdesk/internal/licensing/catalog"
	"frontdesk/internal/licensing/exchange"
	"frontdesk/internal/licensing/published"
	"frontdesk/internal/policy"
)

// openAssortment makes what is for sale of the catalog of what can be sold.
func (h *House) openAssortment(config Config) (err error) {
	h.sell(config.RAMP.selling(), h.Added())
	deps := exchange.AssortmentDeps{
		Corpus: h.Corpus, Catalog: h.Goods, OfferPolicy: h.selling.Load,
		Push: exchange.PushDeps{
			Store: h.Shelves, Tenants: h.Tenants, Terms: h.tenantTerms, Site: config.siteAt, Outlet: h.tenantOutlet,
			Attested: h.attestationChecker(config),
		},
		CacheBytes: uint64(config.Ask.Cache), Now: h.now, Log: h.log,
	}
	if config.RAMP.Offers.CheckProviders {
		own, _ := policy.Host(config.URL)
		h.providers = identity.NewProviders(config.Fetcher(), config.exchangeDomain(), h.now)
		deps.Authorised = func(address string) bool {
			if canonical, err := catalog.CanonicalURI(address); err == nil && !catalog.IsPage(canonical) {
				return true // it has no host that could name anybody; the operator lets its tenant sell it
			}
			host := soldAt(address)
			return host == own || h.providers.Names(host)
		}
	}
	if deps.Outlet, err = h.outlets(config); err != nil {
		return err
	}
	if h.Assortment, err = exchange.NewAssortment(deps); err != nil {
		return err
	}
	h.Published, err = published.New(published.Deps{
		Corpus: h.Corpus, Catalog: h.Goods, OfferPolicy: h.selling.Load, Tenant: h.Assortment.Tenant, Now: h.now,
	})
	return err
}

// soldAt is the host of an address, with its port where it has one, as the catalog has it.
func soldAt(address string) string {
	canonical, _ := catalog.Canonical(address)
	host, _, _ := strings.Cut(canonical, "/")
	return host
}

// How often providers are asked whether they still name this Exchange, and how often it is looked whether there are others.
const (
	askProvidersEvery  = time.Hour
	lookProvidersEvery = time.Second
)

// askProviders asks providers whether they let this Exchange sell for them, until ctx ends.
func (s *Server) askProviders(ctx context.Context) {
	var asked []string
	var last time.Time
	tick := time.NewTicker(lookProvidersEvery)
	defer tick.Stop()
	for {
		if hosts := s.Goods.Hosts(); !slices.Equal(hosts, asked) || s.now().Sub(last) >= askProvidersEvery {
			if err := s.providers.Refresh(ctx, hosts); err != nil && ctx.Err() == nil {
				s.log.Warn("providers could not be asked whether they let this Exchange sell for them; what they said last holds for a day", "error", err)
			}
			asked, last = hosts, s.now()
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// signOffer signs an offer's document with the site's key.
func (h *House) signOffer(document []byte) ([]byte, error) {
	_, signer, ok := h.SiteKeys.Current()
	if !ok {
		return nil, errors.New("there is no site key that signs: run `frontdesk keys rotate`")
	}
	return signer.Sign(rand.Reader, document, crypto.Hash(0))
}
