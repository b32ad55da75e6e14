// Package published renders the terms for everyone: access policies for edges, RSL documents for
// crawlers, and sitemaps that say how each item may be used.
//
// Each document says no more of a host than the terms do, item by item. It is computed from
// everything for sale, once a minute at most. The package sells nothing, records nothing, and must
// not know who asks. Enter by [New]; AccessPolicy, RSL and Sitemap are its use cases.
package published

import (
	"time"

	"frontdesk/internal/content/released"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/licensing/catalog"
	"frontdesk/internal/licensing/exchange"
	"frontdesk/internal/policy"
)

// Deps is what a Service needs. All of it is required but Now.
type Deps struct {
	Corpus  *released.Corpus
	Catalog *catalog.Catalog
	// OfferPolicy gives what the owner declares at present, as exchange.AssortmentDeps has it.
	OfferPolicy func() *exchange.OfferPolicy
	// Tenant gives the tenant that has a host beside those of this front desk's own sites, and its
	// terms.
	Tenant func(host string) (id string, terms *policy.Terms, ok bool)
	Now    func() time.Time // nil is time.Now
}

// Service renders terms for everyone. Its methods may be called concurrently.
type Service struct {
	deps       Deps
	policies   policies
	licensings licensings
	sitemaps   sitemaps
}

// New returns a Service.
func New(deps Deps) (*Service, error) {
	if err := fail.Missing("published.New", map[string]bool{
		"Corpus": deps.Corpus != nil, "Catalog": deps.Catalog != nil, "OfferPolicy": deps.OfferPolicy != nil,
		"Tenant": deps.Tenant != nil,
	}); err != nil {
		return nil, err
	}
	if deps.Now == nil {
		deps.Now = time.Now
	}
	return &Service{deps: deps}, nil
}
