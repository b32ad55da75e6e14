package server

import (
	apphttp "frontdesk/internal/app/http"
	"frontdesk/internal/operator"
	"frontdesk/internal/operator/api"
	"frontdesk/wire/sign"
)

// Operator is what owners and operators do.
func (a *App) Operator() *operator.Operator { return newOperator(a.supply, a.accounting) }

func newOperator(s *supply, a *accounting) *operator.Operator {
	return &operator.Operator{
		DB: s.db, Requesters: s.Requesters, Callers: s.Callers, Tenants: s.Tenants, Shelves: s.Shelves,
		Deliveries: s.Deliveries, Accounts: a.Accounts, Balances: a.ReadAccounts,
		Cases: operator.Cases{Cases: a.Cases, Reader: a.ReadDisputes()}, Known: s.tenantAt, Host: supplyHost, Now: s.now,
	}
}

// operatorRoutes are the addresses of operations for the operator's programs, whose paths begin so.
func (s *seller) operatorRoutes(prefixes ...string) (all []apphttp.Route) {
	for _, r := range api.Routes(newOperator(s.supply, s.accounting), prefixes...) {
		all = append(all, apphttp.Route{
			Pattern: r.Pattern, Name: r.Name, Refuse: api.WriteError, Handler: forOperators(s.gate, r.Handler),
		})
	}
	return all
}

// tenantRoutes let the operator's programs set prices of sites, and the keys that sign addresses for others.
func (s *seller) tenantRoutes() []apphttp.Route {
	c := api.Tenants{Site: s.tenantAt, Rules: s.changeRules(), Keys: s.Deliveries, Places: s.placesOf}
	keys := forOperators(s.gate, api.KeysHandler(c, s.now))
	all := []apphttp.Route{{Pattern: api.TenantPricing, Name: api.TenantPricing, Refuse: api.WriteError, Handler: forOperators(s.gate, api.PricingHandler(c))}}
	for _, pattern := range []string{api.TenantKeys, api.TenantKey, api.TenantActivate} {
		all = append(all, apphttp.Route{Pattern: pattern, Name: api.TenantKeys, Refuse: api.WriteError, Handler: keys})
	}
	return all
}

// placesOf are those who deliver for a tenant, or for the sites of the configuration.
func (s *seller) placesOf(id string) map[string]sign.URLForm {
	places := map[string]sign.URLForm{}
	if s.Tenants != nil {
		if t := s.Tenants.Get(id); t != nil {
			places[t.Place()] = sign.URLForm(t.Delivery.Form)
			return places
		}
	}
	for _, d := range s.config.RAMP.Delivery {
		places[d.Name] = sign.URLForm(d.Form)
	}
	return places
}
