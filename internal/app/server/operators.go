package server

import (
	apphttp "frontdesk/internal/app/http"

	"context"
	"net/http"

	"frontdesk/internal/operator/api"
	"frontdesk/internal/policy"
	"frontdesk/wire/sign"
)

// termsModule follows the file's terms, and what programs add to them.
func (s *Server) termsModule() Module {
	return Module{Routes: s.ruleRoutes(), Jobs: []Job{{"follow the configuration", s.reloader.watch}, {"follow content rules", s.followRules}}}
}

// ruleRoutes let the operator's programs add to the terms. Where nothing is of what is theirs, they are told so in the door's words.
func (s *Server) ruleRoutes() []apphttp.Route {
	if s.gate == nil {
		return nil
	}
	handler := forOperators(s.gate, api.RulesHandler(s.changeRules()))
	return []apphttp.Route{
		{Pattern: api.ContentRules, Name: api.ContentRules, Methods: []string{http.MethodGet, http.MethodHead, http.MethodPost}, Refuse: api.WriteError, Handler: handler},
		{Pattern: api.ContentRule, Name: api.ContentRules, Methods: []string{http.MethodGet, http.MethodHead, http.MethodDelete}, Refuse: api.WriteError, Handler: handler},
		{Pattern: "/admin/", Name: "/admin/", Refuse: api.WriteError, Handler: api.NoneHandler()},
	}
}

// changeRules is what changing them takes.
func (s *Server) changeRules() api.Rules {
	return api.Rules{
		Keeper: s.Rulebook, Check: s.checkRule, Warn: s.warnOf,
		Apply: func(ctx context.Context) {
			if err := s.lookAtRules(ctx); err != nil {
				s.log.Warn("what was changed of the terms is not in force yet; that is tried again", "error", err)
			}
		},
	}
}

// tenantRoutes let the operator's programs set prices of sites, and the keys that sign addresses for others.
func (s *Server) tenantRoutes() []apphttp.Route {
	c := api.Tenants{Site: s.tenantAt, Rules: s.changeRules(), Keys: s.Deliveries, Places: s.placesOf}
	keys := forOperators(s.gate, api.KeysHandler(c, s.now))
	all := []apphttp.Route{{Pattern: api.TenantPricing, Name: api.TenantPricing, Refuse: api.WriteError, Handler: forOperators(s.gate, api.PricingHandler(c))}}
	for _, pattern := range []string{api.TenantKeys, api.TenantKey, api.TenantActivate} {
		all = append(all, apphttp.Route{Pattern: pattern, Name: api.TenantKeys, Refuse: api.WriteError, Handler: keys})
	}
	return all
}

// placesOf are those who deliver for a tenant, or for the sites of the configuration.
func (s *Server) placesOf(id string) map[string]sign.URLForm {
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

// siteAt is the site that has a host.
func (c Config) siteAt(host string) (id string, ok bool) {
	host, ok = policy.Host("https://" + host + "/")
	if !ok {
		return "", false
	}
	for _, site := range c.AllSites() {
		for _, one := range site.Hosts {
			if own, ok := policy.Host("https://" + one + "/"); ok && own == host {
				return site.ID, true
			}
		}
	}
	return "", false
}
