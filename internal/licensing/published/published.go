// Package published tells everyone of the terms in general: access policies for edges, RSL documents for those who read
// licences, and sitemaps that say under what terms each item may be used.
//
// Enter at New; AccessPolicy, RSL and Sitemap are its use cases. Each says of a host no more than the terms do, item by
// item, and is made of all that can be sold, once a minute at the most. The package sells nothing and records nothing, and
// knows nothing of who asks.
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
	// Tenant gives the tenant that has a host beside those of this front desk's own sites, and its terms.
	Tenant func(host string) (id string, terms *policy.Terms, ok bool)
	Now    func() time.Time // nil is time.Now
}

// Service tells of terms. Its methods may be called from many goroutines.
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
