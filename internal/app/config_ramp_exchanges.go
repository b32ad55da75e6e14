package app

import (
	"frontdesk/internal/licensing/rampapi"
	rampv1 "frontdesk/wire/ramp/v1"
)

// RAMPExchange is an Exchange elsewhere through which the sites sell, too.
type RAMPExchange struct {
	// Domain is by which the Exchange is known, as its `ramp-exchange.json` says: `exchange.example.com`.
	Domain string `yaml:"domain,required" check:"domain"`
	// Endpoint is the address of its ExchangeService, as its `ramp-exchange.json` says (`exchange_endpoint`).
	Endpoint string `yaml:"endpoint,required" check:"public_url"`
	// Relationship is `direct` (without it, too) or `reseller`.
	Relationship string `yaml:"relationship" check:"optional,oneof=direct reseller"`
}

// authorised is the entry of ramp.json for an Exchange.
func (x RAMPExchange) authorised() *rampv1.AuthorizedExchange {
	how := rampv1.ProviderRelationship_PROVIDER_RELATIONSHIP_DIRECT
	if x.Relationship == "reseller" {
		how = rampv1.ProviderRelationship_PROVIDER_RELATIONSHIP_RESELLER
	}
	return &rampv1.AuthorizedExchange{Domain: x.Domain, Endpoint: x.Endpoint, Relationship: how}
}

// otherExchanges are further Exchanges through which the sites sell.
func (c Config) otherExchanges() (all []rampapi.Other) {
	for _, x := range c.RAMP.Exchanges {
		all = append(all, rampapi.Other{Domain: x.Domain, Endpoint: x.Endpoint, Reseller: x.Relationship == "reseller"})
	}
	return all
}
