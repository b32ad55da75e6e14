package server

import (
	apphttp "frontdesk/internal/app/http"

	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"frontdesk/internal/content"
	"frontdesk/internal/identity"
	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/yamlconf"
	"frontdesk/internal/licensing/catalog"
	"frontdesk/internal/licensing/catalog/push"
	"frontdesk/internal/licensing/exchange"
	"frontdesk/internal/operator/api"
	"frontdesk/internal/policy"
	"frontdesk/internal/policy/overrides"
	"frontdesk/wire/sign"
)

// supplying keeps the terms of tenants as they were last made.
type supplying struct {
	mu    sync.Mutex // guards what follows
	terms map[string]tenantTerms
}

// tenantTerms are the terms of a tenant, with what they were made of.
type tenantTerms struct {
	tenant *push.Tenant
	book   *overrides.RuleSet
	stated *policy.RSL
	rules  *policy.Terms
}

// OpenSupply opens the tenants, what is pushed for them, and who pushes it, where something is sold.
func (h *House) OpenSupply(ctx context.Context, config Config) (err error) {
	if !config.RAMP.Enabled {
		return nil
	}
	sites := map[string]bool{}
	for _, site := range config.AllSites() {
		sites[site.ID] = true
		for _, host := range site.Hosts {
			if host, ok := supplyHost(host); ok {
				sites[host] = true
			}
		}
	}
	h.Shelves, h.Callers = push.NewStore(h.db, h.now), requesters.NewPushClients(h.db, h.now)
	h.Tenants, err = push.OpenTenants(ctx, push.TenantsConfig{DB: h.db, Host: supplyHost, Resource: supplyResource, Sites: sites, Check: checkTenant, Now: h.now})
	if err != nil {
		return err
	}
	h.Tenants.OnChange(h.recorder().Tenant)
	h.Tenants.OnProof(h.recorder().Domain)
	h.verifiedOnly = config.RAMP.VerifiedOnly
	if _, err := h.takeLicences(ctx, config); err != nil {
		h.log.Error("licences that tenants state cannot be used", "error", err)
	}
	h.Callers.OnChange(h.recorder().Caller)
	return nil
}

// supplyHost is a domain as the catalog has hosts.
func supplyHost(domain string) (string, bool) {
	canonical, err := catalog.Canonical("https://" + domain + "/")
	if err != nil {
		return "", false
	}
	host := soldAt("https://" + canonical)
	return host, canonical == host+"/"
}

// supplyResource is the beginning of URIs that are none of the web, as the catalog has them.
func supplyResource(beginning string) (string, bool) {
	canonical, err := catalog.CanonicalURI(strings.TrimSuffix(beginning, "*") + "*")
	if err != nil || catalog.IsPage(canonical) {
		return "", false
	}
	uri := strings.TrimSuffix(catalog.URIOf(canonical), "*")
	return uri, !strings.Contains(uri, "*")
}

// owner says whether an address is a tenant's, or that of a site by its id: by its host, and what is no page of the web as the operator lets the
// tenant sell it.
func (h *House) owner(config Config) func(tenant, canonical string) bool {
	return func(tenant, canonical string) bool {
		host, _, _ := strings.Cut(canonical, "/")
		if host == "" {
			if one := h.Tenants.Get(tenant); one != nil {
				return one.Has(catalog.URIOf(canonical))
			}
			return slices.ContainsFunc(config.AllSites(), func(s Site) bool { return s.ID == tenant })
		}
		if site, ok := config.siteAt(host); ok {
			return site == tenant
		}
		if h.Tenants == nil {
			return false
		}
		one := h.Tenants.At(host)
		return one != nil && one.ID == tenant
	}
}

// checkTenant says what of a tenant cannot be done.
func checkTenant(t *push.Tenant) error {
	d := t.Delivery
	if d == (push.Delivery{}) {
		return nil
	}
	if !slices.Contains(sign.URLForms, sign.URLForm(d.Form)) {
		return fail.New(fail.Invalid, "delivery.form: %.20q is none; there are %v", d.Form, sign.URLForms)
	}
	if _, ok := tenantDelivery(t).origin(); !ok {
		return fail.New(fail.Invalid, "delivery.at: %.100q is no place; write scheme and host, like https://cdn.example.net", d.At)
	}
	report := yamlconf.NewReport()
	tenantDelivery(t).checkForm(report.Section("delivery"))
	for _, wrong := range report.Notes() {
		return fail.New(fail.Invalid, "%s: %s", wrong.Key, wrong.Detail)
	}
	return nil
}

// tenantDelivery is a tenant's delivery as the configuration has those of sites.
func tenantDelivery(t *push.Tenant) RAMPDelivery {
	d := t.Delivery
	return RAMPDelivery{Name: t.Place(), At: d.At, Form: d.Form, Agent: d.Agent, Hash: d.Hash, Parameter: d.Parameter, Token: d.Token, Salt: d.Salt, Escape: d.Escape}
}

// openSuppliers makes the services of those who push what is sold, and verify their domains.
func (h *House) openSuppliers(config Config) (err error) {
	h.Suppliers, err = exchange.NewSuppliers(exchange.SupplierDeps{
		Assortment: h.Assortment, Contributes: identity.NewContributors(config.domainFetcher(requesters.AgentTime), h.now).Lists,
		Reread: func(site string) bool {
			begin := h.rereads.Load()
			return begin != nil && (*begin)(site, nil)
		},
		Now: h.now, Log: h.log,
	})
	if err != nil {
		return err
	}
	h.verified = apphttp.NewCounter("ramp_domain_verifications_total", "Challenges of domains that were looked at, by outcome: verified, or one word for why not.", "outcome")
	h.proofs = identity.NewDomainVerifier(config.domainFetcher(identity.ChallengeTimeout), config.exchangeDomain())
	h.Domains, err = exchange.NewDomains(exchange.DomainDeps{
		Assortment: h.Assortment, Verifier: h.proofs, Keys: h.Deliveries,
		OnOutcome: func(outcome string) { h.verified.WithLabelValues(outcome).Inc() }, Log: h.log,
	})
	return err
}

// tenantTerms are the terms of a tenant: the content rules that name it, and behind them its own.
func (h *House) tenantTerms(t *push.Tenant) *policy.Terms {
	book, stated := h.added.Load(), h.stating().rules[t.ID]
	h.supplying.mu.Lock()
	defer h.supplying.mu.Unlock()
	if made := h.supplying.terms[t.ID]; made.tenant == t && made.book == book && made.stated == stated {
		return made.rules
	}
	var rules []policy.Rule
	named := map[int]string{}
	for _, r := range book.Rules {
		if slices.Contains(r.Match.Site, t.ID) {
			named[len(rules)] = r.Name()
			one := r.Rule
			one.Match.Type = canonicalTypes(one.Match.Type)
			rules = append(rules, one)
		}
	}
	named[len(rules)] = "tenant " + t.ID
	rules = append(rules, t.Rule)
	options := policy.Options{IsA: content.IsA, Named: named}
	if stated != nil {
		options.RSL = []*policy.RSL{stated}
	}
	made, err := options.New(rules)
	if err != nil { // each was checked before it was kept
		h.log.Error("the terms of a tenant cannot be read, so nothing of it is sold", "tenant", t.ID, "error", err)
		made, _ = policy.New([]policy.Rule{{Access: policy.Blocked}})
	}
	if h.supplying.terms == nil {
		h.supplying.terms = map[string]tenantTerms{}
	}
	h.supplying.terms[t.ID] = tenantTerms{t, book, stated, made}
	return made
}

// followTenants takes up what other processes change of tenants, and sweeps what is over of what was pushed, until ctx ends.
func (s *Server) followTenants(ctx context.Context) {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	var swept time.Time
	for {
		if _, err := s.Tenants.Refresh(ctx); err != nil && ctx.Err() == nil {
			s.log.Error("the tenants cannot be read; those that were stay", "error", err)
		}
		if now := s.now(); now.Sub(swept) >= sweepSupplyEvery {
			swept = now
			gone, err := s.Tenants.Removed(ctx)
			if err == nil {
				err = s.Shelves.Sweep(ctx, func(tenant string) bool { return gone[tenant] })
			}
			if err == nil {
				err = s.Tenants.Challenges.Sweep(ctx)
			}
			if err != nil && ctx.Err() == nil {
				s.log.Warn("what is over of what was pushed could not be deleted; that is tried again", "error", err)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// sweepSupplyEvery is how often what is over is deleted.
const sweepSupplyEvery = time.Hour

// supplyRoutes let the operator's programs keep tenants and callers, and see what was refused.
func (s *Server) supplyRoutes() []apphttp.Route {
	all := s.operatorRoutes("/admin/tenants", "/admin/callers", "/admin/domains")
	return append(all, apphttp.Route{
		Pattern: api.ContentChanged, Name: api.ContentChanged, Refuse: api.WriteError,
		Handler: forOperators(s.gate, s.changedHandler()),
	})
}

// tenantAt is the tenant by its id, or by one of its domains: a site that is served here, or one of those beside.
func (s *Server) tenantAt(name string) (id string, ok bool) { return s.House.tenantAt(s.config, name) }

func (h *House) tenantAt(config Config, name string) (id string, ok bool) {
	if id, ok := config.siteAt(name); ok {
		return id, true
	}
	if h.Tenants == nil {
		return "", false
	}
	if h.Tenants.Get(name) != nil {
		return name, true
	}
	if host, ok := supplyHost(name); ok {
		if one := h.Tenants.At(host); one != nil {
			return one.ID, true
		}
	}
	for _, site := range config.AllSites() {
		if site.ID == name {
			return name, true
		}
	}
	return "", false
}
