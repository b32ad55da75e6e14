package edge

import (
	rampv1 "frontdesk/wire/ramp/v1"
)

// ExchangeSettings is an Exchange elsewhere through which the sites sell, too.
type ExchangeSettings struct {
	// Domain is the Exchange's name, as its `ramp-exchange.json` says: `exchange.example.com`.
	Domain string `yaml:"domain,required" check:"domain"`
	// Endpoint is the address of its ExchangeService, as its `ramp-exchange.json` says
	// (`exchange_endpoint`).
	Endpoint string `yaml:"endpoint,required" check:"public_url"`
	// Relationship is `direct` (without it, too) or `reseller`.
	Relationship string `yaml:"relationship" check:"optional,oneof=direct reseller"`
}

// Authorised is the entry of ramp.json for an Exchange.
func (x ExchangeSettings) Authorised() *rampv1.AuthorizedExchange {
	how := rampv1.ProviderRelationship_PROVIDER_RELATIONSHIP_DIRECT
	if x.Relationship == "reseller" {
		how = rampv1.ProviderRelationship_PROVIDER_RELATIONSHIP_RESELLER
	}
	return &rampv1.AuthorizedExchange{Domain: x.Domain, Endpoint: x.Endpoint, Relationship: how}
}
