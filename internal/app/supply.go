package app

import (
	apphttp "frontdesk/internal/app/http"

	"context"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/periodic"
	"frontdesk/internal/infra/yamlconf"
	"frontdesk/internal/licensing/catalog"
	"frontdesk/internal/licensing/catalog/push"
	"frontdesk/internal/licensing/delivery"
	"frontdesk/internal/licensing/edge"
	"frontdesk/internal/policy"
	"frontdesk/wire/sign"
)

// supply is for whom something is sold beside the sites of the configuration, what is pushed for
// them, and who pushes it. All of it is nil where nothing is sold.
type supply struct {
	*base
	*identities
	Shelves *push.Store             // of what is pushed
	Tenants *push.Tenants           // for whom something is pushed
	Callers *requesters.PushClients // who push it

	outlets *delivery.Outlets // who else delivers what is sold
}

// openSupply reads the tenants. The ledger tells of each change.
func (b *base) openSupply(ctx context.Context, k *identities) (_ *supply, err error) {
	s := &supply{base: b, identities: k, outlets: &delivery.Outlets{
		Settings: b.config.RAMP.Delivery, SiteKeys: k.SiteKeys, Stored: k.Deliveries, Now: b.now, Log: b.log,
	}}
	if !b.config.RAMP.Enabled {
		return s, nil
	}
	sites := map[string]bool{}
	for _, site := range b.config.AllSites() {
		sites[site.ID] = true
		for _, host := range site.Hosts {
			if host, ok := supplyHost(host); ok {
				sites[host] = true
			}
		}
	}
	s.Shelves, s.Callers = push.NewStore(b.db, b.now), requesters.NewPushClients(b.db, b.now)
	s.Tenants, err = push.OpenTenants(ctx, push.TenantsConfig{DB: b.db, Host: supplyHost, Resource: supplyResource,
		Sites: sites, Check: checkTenant, Now: b.now})
	if err != nil {
		return nil, err
	}
	s.Tenants.OnChange(b.recorder().Tenant)
	s.Tenants.OnProof(b.recorder().Domain)
	s.Callers.OnChange(b.recorder().Caller)
	return s, nil
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

// owner says whether an address is a tenant's, or that of a site by its id: by its host, and what
// is no page of the web as the operator lets the tenant sell it.
func (s *supply) owner() func(tenant, canonical string) bool {
	return func(tenant, canonical string) bool {
		host, _, _ := strings.Cut(canonical, "/")
		if host == "" {
			if one := s.Tenants.Get(tenant); one != nil {
				return one.Has(catalog.URIOf(canonical))
			}
			return slices.ContainsFunc(s.config.AllSites(), func(s Site) bool { return s.ID == tenant })
		}
		if site, ok := s.config.siteAt(host); ok {
			return site == tenant
		}
		if s.Tenants == nil {
			return false
		}
		one := s.Tenants.At(host)
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
	if _, ok := edge.ParseOrigin(d.At); !ok {
		return fail.New(fail.Invalid,
			"delivery.at: %.100q is no place; write scheme and host, like https://cdn.example.net", d.At)
	}
	report := yamlconf.NewReport()
	tenantDelivery(t).CheckForm(report.Section("delivery"))
	for _, wrong := range report.Notes() {
		return fail.New(fail.Invalid, "%s: %s", wrong.Key, wrong.Detail)
	}
	return nil
}

// tenantDelivery is a tenant's delivery as the configuration has those of sites.
func tenantDelivery(t *push.Tenant) delivery.OutletSettings {
	d := t.Delivery
	return delivery.OutletSettings{Name: t.Place(), At: d.At, AddressForm: edge.AddressForm{
		Form: d.Form, Agent: d.Agent, Hash: d.Hash, Parameter: d.Parameter, Token: d.Token, Salt: d.Salt,
		Escape: d.Escape,
	}}
}

// followTenants takes up what other processes change of tenants, and sweeps what is over of what
// was pushed, until ctx ends.
func (s *seller) followTenants(ctx context.Context) {
	var swept time.Time
	periodic.Run(ctx, watchEvery, func(ctx context.Context) {
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
	})
}

// sweepSupplyEvery is how often what is over is deleted.
const sweepSupplyEvery = time.Hour

// supplyRoutes let the operator's programs keep tenants and callers, and see what was refused.
func (s *seller) supplyRoutes() []apphttp.Route {
	return s.operatorRoutes("/admin/tenants", "/admin/callers", "/admin/domains", "/admin/content-changed")
}

// tenantAt is the tenant by its id, or by one of its domains: a site that is served here, or one of
// those beside.
func (s *supply) tenantAt(name string) (id string, ok bool) {
	if id, ok := s.config.siteAt(name); ok {
		return id, true
	}
	if s.Tenants == nil {
		return "", false
	}
	if s.Tenants.Get(name) != nil {
		return name, true
	}
	if host, ok := supplyHost(name); ok {
		if one := s.Tenants.At(host); one != nil {
			return one.ID, true
		}
	}
	for _, site := range s.config.AllSites() {
		if site.ID == name {
			return name, true
		}
	}
	return "", false
}

// serves says whether a site is one of the configuration.
func (c Config) serves(id string) bool {
	return slices.ContainsFunc(c.AllSites(), func(s Site) bool { return s.ID == id })
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
