package push

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/policy"
)

// Tenant is a provider whose pushed entries the Exchange sells, beside its own sites.
type Tenant struct {
	ID      string   `json:"-"` // small letters, digits and dashes
	Name    string   `json:"name,omitempty"`
	Domains []string `json:"-"` // in order, at least one; each is one tenant's alone
	// Resources are how the URIs begin of what it sells that is no page of the web, such as
	// "duns:80"; in order. No two tenants have URIs in common.
	Resources []string `json:"resources,omitempty"`
	// Rule is under which terms its entries are sold; what it asks for is not looked at, since it
	// is for all of them.
	Rule policy.Rule `json:"rule"`
	// Window is the rule's reporting window.
	Window time.Duration `json:"window,omitempty"`
	// Mutability is "static", "dynamic" or "live"; empty for static where an entry has a hash, and
	// dynamic elsewhere.
	Mutability string `json:"mutability,omitempty"`
	// Delivery is who delivers; the zero value for nobody, so that nothing is sold.
	Delivery Delivery  `json:"delivery,omitzero"`
	Created  time.Time `json:"-"` // UTC
	Changed  time.Time `json:"-"`
}

// Delivery is who delivers a tenant's content, and how addresses are signed there.
type Delivery struct {
	At        string `json:"at"`              // scheme and host, such as https://cdn.example.net
	Form      string `json:"form"`            // hmac, cloudfront, akamai, fastly or ed25519
	Agent     string `json:"agent,omitempty"` // what addresses are bound to: requester (without it, too) or license
	Hash      string `json:"hash,omitempty"`
	Parameter string `json:"parameter,omitempty"`
	Token     string `json:"token,omitempty"`
	Salt      string `json:"salt,omitempty"`
	Escape    bool   `json:"escape,omitempty"`
}

// Place is by what name the keys that sign a tenant's addresses go. No entry of a configuration can
// have it.
func (t *Tenant) Place() string { return PlaceOf(t.ID) }

// PlaceOf is the Place of the tenant with an id.
func PlaceOf(tenant string) string { return "tenant/" + tenant }

// DomainPlace is by what name the keys go that sign addresses at a tenant's domain, and were
// registered when it was verified.
func DomainPlace(tenant, domain string) string { return PlaceOf(tenant) + "/" + domain }

// The bounds of tenants.
const (
	MaxTenants = 10_000
	MaxDomains = 100 // of one tenant; of its resources as well
	maxName    = 200
)

// TenantsConfig is what Tenants need.
type TenantsConfig struct {
	DB *store.DB // with Schema
	// Host gives a domain in the form in which the catalog has hosts; ok is false for what is none.
	Host func(domain string) (host string, ok bool)
	// Resource gives the beginning of a URI that is none of the web in the form in which the
	// catalog has URIs; ok is false for what is none.
	Resource func(beginning string) (uri string, ok bool)
	// Sites are the ids and hosts that are not a tenant's, since they are those of sites that are
	// served here.
	Sites map[string]bool
	// Check says what of a tenant does not do, beside what holds for all.
	Check func(*Tenant) error
	Now   func() time.Time
}

// Tenants are the tenants of a database, in memory as of the last Refresh. Its methods may be
// called concurrently, by several processes.
type Tenants struct {
	// Challenges are those by which callers show that a domain is a tenant's.
	Challenges *Challenges

	config  TenantsConfig
	changed func(context.Context, *store.Tx, Tenant, bool) error
	proved  func(context.Context, *store.Tx, Domain, string) error
	known   atomic.Pointer[register]
}

// register is all tenants at one moment. It never changes.
type register struct {
	version int64
	tenants map[string]*Tenant
	domains map[string]*Tenant
	proven  map[string]*Domain
}

// OpenTenants reads the tenants of a database.
func OpenTenants(ctx context.Context, config TenantsConfig) (*Tenants, error) {
	t := &Tenants{config: config, Challenges: &Challenges{db: config.DB, now: config.Now}}
	t.known.Store(&register{version: -1})
	_, err := t.Refresh(ctx)
	return t, err
}

// OnChange calls fn for every tenant that is put in or changed, or removed, in the transaction that
// does it; its error undoes the change. Call it before anything else.
func (t *Tenants) OnChange(fn func(ctx context.Context, tx *store.Tx, tenant Tenant, removed bool) error) {
	t.changed = fn
}

// Refresh reads what changed, and says whether anything did.
func (t *Tenants) Refresh(ctx context.Context) (changed bool, err error) {
	var fresh *register
	err = t.config.DB.View(ctx, func(tx *store.Tx) error {
		fresh = nil
		var version int64
		if err := tx.QueryRow(ctx, `SELECT version FROM supply_version WHERE one = 1`).Scan(&version); err != nil {
			return err
		}
		if version == t.known.Load().version {
			return nil
		}
		read, err := readRegister(ctx, tx)
		if err == nil {
			read.version, fresh = version, read
		}
		return err
	})
	if err != nil {
		return false, fmt.Errorf("read the tenants: %w", err)
	}
	if fresh != nil {
		t.known.Store(fresh)
	}
	return fresh != nil, nil
}

func readRegister(ctx context.Context, tx *store.Tx) (*register, error) {
	all := &register{tenants: map[string]*Tenant{}, domains: map[string]*Tenant{}, proven: map[string]*Domain{}}
	err := tx.Each(ctx, `SELECT id, document, created, changed FROM supply_tenant WHERE state = 'active'`,
		func(row store.Scanner) error {
			var one Tenant
			var document string
			if err := row.Scan(&one.ID, &document, &one.Created, &one.Changed); err != nil {
				return err
			}
			if err := json.Unmarshal([]byte(document), &one); err != nil {
				return fmt.Errorf("the tenant %s: %w", one.ID, err)
			}
			one.Rule.Reporting.Window = one.Window
			all.tenants[one.ID] = &one
			return nil
		})
	if err != nil {
		return nil, err
	}
	err = tx.Each(ctx, `SELECT domain, tenant FROM supply_domain ORDER BY domain`, func(row store.Scanner) error {
		var domain, id string
		if err := row.Scan(&domain, &id); err != nil {
			return err
		}
		if one := all.tenants[id]; one != nil {
			one.Domains = append(one.Domains, domain)
			all.domains[domain] = one
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	verified, err := readDomains(ctx, tx)
	for i := range verified {
		all.proven[verified[i].Domain] = &verified[i]
	}
	return all, err
}

// Get gives a tenant; nil for one that there is not. It must not be changed.
func (t *Tenants) Get(id string) *Tenant { return t.known.Load().tenants[id] }

// At gives the tenant that has a domain, as TenantsConfig.Host gives it; nil for none.
func (t *Tenants) At(domain string) *Tenant { return t.known.Load().domains[domain] }

// List gives all tenants, by their ids.
func (t *Tenants) List() (all []*Tenant) {
	known := t.known.Load().tenants
	for _, id := range slices.Sorted(maps.Keys(known)) {
		all = append(all, known[id])
	}
	return all
}

// Version tells states of the tenants apart.
func (t *Tenants) Version() int64 { return t.known.Load().version }

var tenantID = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,62}$`)

// Put puts a tenant in, or in the place of that with its id; fresh says which. The error is
// fail.Invalid with what is wrong with it.
func (t *Tenants) Put(ctx context.Context, one Tenant) (put *Tenant, fresh bool, err error) {
	if err := t.check(&one); err != nil {
		return nil, false, err
	}
	one.Window = one.Rule.Reporting.Window
	document, err := json.Marshal(one)
	if err != nil {
		return nil, false, err
	}
	err = t.change(ctx, func(tx *store.Tx) error {
		now := store.Micros(t.config.Now())
		var created, active, there int64
		err := tx.QueryRow(ctx, `SELECT COALESCE(MAX(CASE WHEN id = $1 THEN created ELSE 0 END), 0), COALESCE(MAX(CASE WHEN id = $1 AND state = 'active' THEN 1 ELSE 0 END), 0), COUNT(*) FROM supply_tenant`,
			one.ID).Scan(&created, &active, &there)
		if err != nil {
			return err
		}
		if fresh = active == 0; fresh && there >= MaxTenants {
			return fail.New(fail.Invalid, "there are %d tenants, and there may be no more", MaxTenants)
		}
		if fresh && created > 0 {
			return fail.New(fail.Invalid, "there was a tenant %s before, which was removed; choose another id, so "+
				"that nobody takes the one for the other", one.ID)
		}
		if fresh {
			created = now
		}
		if err := own(ctx, tx, &one); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `INSERT INTO supply_tenant (id, state, document, created, changed) VALUES ($1, 'active', $2, $3, $4)
			ON CONFLICT (id) DO UPDATE SET state = 'active', document = EXCLUDED.document, changed = EXCLUDED.changed`, one.ID, string(document), created, now)
		if err == nil && t.changed != nil {
			err = t.changed(ctx, tx, one, false)
		}
		return err
	})
	if err != nil {
		return nil, false, err
	}
	return t.Get(one.ID), fresh, nil
}

// Has says whether a tenant may sell what has a URI that is none of the web, as
// TenantsConfig.Resource writes it.
func (t *Tenant) Has(uri string) bool {
	return slices.ContainsFunc(t.Resources, func(beginning string) bool { return strings.HasPrefix(uri, beginning) })
}

// apart says which of a tenant's resources another tenant has as well.
func apart(ctx context.Context, tx *store.Tx, one *Tenant) error {
	if len(one.Resources) == 0 {
		return nil
	}
	return tx.Each(ctx, `SELECT id, document FROM supply_tenant WHERE state = 'active' AND id <> $1`,
		func(row store.Scanner) error {
			var id, document string
			if err := row.Scan(&id, &document); err != nil {
				return err
			}
			var other Tenant
			if err := json.Unmarshal([]byte(document), &other); err != nil {
				return fmt.Errorf("the tenant %s: %w", id, err)
			}
			for _, a := range one.Resources {
				for _, b := range other.Resources {
					if strings.HasPrefix(a, b) || strings.HasPrefix(b, a) {
						return fail.New(fail.Invalid, "resources: URIs that begin with %s are another tenant's, %s",
							b, id)
					}
				}
			}
			return nil
		}, one.ID)
}

// own makes domains a tenant's own.
func own(ctx context.Context, tx *store.Tx, one *Tenant) error {
	if err := apart(ctx, tx, one); err != nil {
		return err
	}
	for _, domain := range one.Domains {
		var whose string
		err := tx.Each(ctx, `SELECT tenant FROM supply_domain WHERE domain = $1`, func(row store.Scanner) error { return row.Scan(&whose) }, domain)
		if err != nil {
			return err
		}
		if whose != "" && whose != one.ID {
			return fail.New(fail.Invalid, "the domain %s is another tenant's, %s", domain, whose)
		}
	}
	if _, err := tx.Exec(ctx, `DELETE FROM supply_domain WHERE tenant = $1`, one.ID); err != nil {
		return err
	}
	for _, domain := range one.Domains {
		if _, err := tx.Exec(ctx, `INSERT INTO supply_domain (domain, tenant) VALUES ($1, $2)`, domain, one.ID); err != nil {
			return err
		}
	}
	return forgetOthers(ctx, tx, one.ID)
}

// check says what is wrong with a tenant, and writes its domains as they are compared.
func (t *Tenants) check(one *Tenant) error {
	if !tenantID.MatchString(one.ID) {
		return fail.New(fail.Invalid, "%.80q is no id of a tenant; use up to 63 small letters, digits and dashes, "+
			"beginning with a letter or digit", one.ID)
	}
	if t.config.Sites[one.ID] {
		return fail.New(fail.Invalid, "%s is the id of a site that is served here; choose another", one.ID)
	}
	if len(one.Name) > maxName || strings.ContainsFunc(one.Name, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return fail.New(fail.Invalid, "name: it has more than %d bytes, or control characters", maxName)
	}
	if len(one.Domains) == 0 || len(one.Domains) > MaxDomains {
		return fail.New(fail.Invalid, "domains: name at least one, and at most %d", MaxDomains)
	}
	domains := []string{}
	for _, domain := range one.Domains {
		host, ok := t.config.Host(domain)
		if !ok {
			return fail.New(fail.Invalid, "domains: %.80q is no domain; write it like www.example.com", domain)
		}
		if t.config.Sites[host] {
			return fail.New(fail.Invalid, "domains: %s is one of a site that is served here", host)
		}
		domains = append(domains, host)
	}
	slices.Sort(domains)
	one.Domains = slices.Compact(domains)
	if len(one.Resources) > MaxDomains {
		return fail.New(fail.Invalid, "resources: name at most %d", MaxDomains)
	}
	resources := []string{}
	for _, beginning := range one.Resources {
		uri, ok := "", false
		if t.config.Resource != nil {
			uri, ok = t.config.Resource(beginning)
		}
		if !ok {
			return fail.New(fail.Invalid, "resources: %.80q is no beginning of a URI; write it like duns: or "+
				"urn:example:", beginning)
		}
		resources = append(resources, uri)
	}
	slices.Sort(resources)
	one.Resources = slices.Compact(resources)
	if m := one.Mutability; m != "" && m != "static" && m != "dynamic" && m != "live" {
		return fail.New(fail.Invalid, "mutability: %.20q is none; there are static, dynamic and live", m)
	}
	one.Rule.Match = policy.Match{}
	if one.Rule.Access == "" {
		one.Rule.Access = policy.Licensed
	}
	if one.Rule.Access == policy.Open {
		return fail.New(fail.Invalid, "access: what is pushed is licensed or blocked; for what costs nothing, set a "+
			"price of the model free")
	}
	if _, err := policy.New([]policy.Rule{one.Rule}); err != nil {
		return fail.New(fail.Invalid, "%s", strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	if t.config.Check == nil {
		return nil
	}
	return t.config.Check(one)
}

// Remove removes a tenant: nothing of it is sold from then on. It is fail.NotFound where there is
// none.
func (t *Tenants) Remove(ctx context.Context, id string) error {
	return t.change(ctx, func(tx *store.Tx) error {
		n, err := tx.Exec(ctx, `UPDATE supply_tenant SET state = 'removed', changed = $1 WHERE id = $2 AND state = 'active'`, store.Micros(t.config.Now()), id)
		if err == nil && n == 0 {
			err = fail.New(fail.NotFound, "there is no tenant %.80s", id)
		}
		if err == nil {
			_, err = tx.Exec(ctx, `DELETE FROM supply_domain WHERE tenant = $1`, id)
		}
		if err == nil {
			err = forgetOthers(ctx, tx, id)
		}
		if err == nil && t.changed != nil {
			err = t.changed(ctx, tx, Tenant{ID: id}, true)
		}
		return err
	})
}

// change makes a change, counts it, and reads it.
func (t *Tenants) change(ctx context.Context, do func(tx *store.Tx) error) error {
	err := t.config.DB.Update(ctx, func(tx *store.Tx) error {
		err := do(tx)
		if err == nil {
			_, err = tx.Exec(ctx, `UPDATE supply_version SET version = version + 1 WHERE one = 1`)
		}
		return err
	})
	if err == nil {
		_, err = t.Refresh(ctx)
	}
	return err
}

// Removed gives the ids of tenants that were removed.
func (t *Tenants) Removed(ctx context.Context) (gone map[string]bool, err error) {
	err = t.config.DB.View(ctx, func(tx *store.Tx) error {
		gone = map[string]bool{}
		return tx.Each(ctx, `SELECT id FROM supply_tenant WHERE state = 'removed'`, func(row store.Scanner) error {
			var id string
			err := row.Scan(&id)
			gone[id] = true
			return err
		})
	})
	return gone, err
}
