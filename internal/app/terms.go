package app

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"frontdesk/internal/content"
	"frontdesk/internal/content/index"
	"frontdesk/internal/content/released"
	"frontdesk/internal/excerpts"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/licensing/catalog/push"
	"frontdesk/internal/licensing/exchange"
	"frontdesk/internal/policy"
	"frontdesk/internal/policy/imported"
	"frontdesk/internal/policy/overrides"
	"frontdesk/wire/intent"
)

// terms are the rules of the file, what programs added to them, and what sites state of their
// addresses.
type terms struct {
	*base
	*supply
	Stated   *imported.Store
	Rulebook *overrides.Store
	Unusable error  // why a command cannot use the terms; nil where it can
	written  Config // with the terms of the file

	rules    atomic.Pointer[policy.Terms] // in force
	added    atomic.Pointer[overrides.RuleSet]
	licences atomic.Pointer[importedTerms]
	selling  atomic.Pointer[exchange.OfferPolicy] // how offers are made; nil where nothing is sold

	mu      sync.Mutex
	tenants map[string]tenantTerms // as they were last made; mu guards it
}

// openTerms puts in force what the file says, what programs added to it, and what was read of
// licences before. selling says that offers are made by them.
func (b *base) openTerms(ctx context.Context, s *supply, selling bool) (*terms, error) {
	t := &terms{
		base: b, supply: s, Stated: imported.New(b.db, b.now),
		Rulebook: overrides.New(b.db, b.config.Agents.Names(), b.now), tenants: map[string]tenantTerms{},
	}
	t.licences.Store(&importedTerms{})
	if _, err := t.takeLicences(ctx); err != nil {
		b.log.Error("licences that sites state cannot be used", "error", err)
	}
	t.Rulebook.OnChange(b.recorder().Terms)
	book, err := t.Rulebook.Read(ctx)
	if err != nil {
		return nil, err
	}
	t.written = b.config
	rules, err := b.config.compileTerms(t.ownLicences(b.config), book)
	if err != nil && len(book.Rules) > 0 {
		err = fmt.Errorf("%w\n`frontdesk terms remove ID` takes a content rule away", err)
	}
	if _, published := book.InForce(); err != nil && published {
		err = fmt.Errorf("%w\n`frontdesk terms put-back file` puts the file's terms in force again", err)
	}
	if t.Unusable = err; err != nil && selling {
		return nil, err
	}
	if err != nil { // a command may mend that, and shows nothing meanwhile
		b.log.Error("the terms cannot be used, so everything is blocked", "error", err)
		rules, _ = policy.New([]policy.Rule{{Access: policy.Blocked}})
	} else {
		b.config, _ = b.config.inForce(book)
	}
	t.added.Store(&book)
	t.rules.Store(rules)
	if selling {
		t.tellPublished(t.written)
	}
	if selling && b.config.RAMP.Enabled {
		t.sell(b.config.RAMP.OfferPolicy(), book)
	}
	return t, nil
}

// Terms are the rules in force.
func (t *terms) Terms() *policy.Terms { return t.rules.Load() }

// isForSale says whether a stranger may buy an item.
func (t *terms) isForSale(rules *policy.Terms, l *index.Doc, d policy.Decision, item *released.ItemVersion) bool {
	return exchange.ForSale(t.selling.Load(), rules, l, d, item)
}

// Added is what the operator's programs added to the terms, as it was last read.
func (t *terms) Added() overrides.RuleSet { return *t.added.Load() }

// inForce is the configuration with the terms that are in force, where an owner published some in
// the place of the file's.
func (c Config) inForce(set overrides.RuleSet) (Config, error) {
	edition, published := set.InForce()
	if !published {
		return c, nil
	}
	rules, err := edition.Rules()
	c.Terms = rules
	return c, err
}

// withRules is the configuration with content rules among its terms.
func (c Config) withRules(added []overrides.Rule) Config {
	c.Terms, _ = policy.With(c.Terms, rulesOf(added))
	return c
}

// rulesOf are the rules without what their book says of them.
func rulesOf(added []overrides.Rule) []policy.Rule {
	all := make([]policy.Rule, len(added))
	for i, r := range added {
		all[i] = r.Rule
	}
	return all
}

// checkRule says what of a content rule does not fit the configuration.
func (t *terms) checkRule(rule policy.Rule) error {
	var tenants []string
	if t.Tenants != nil {
		for _, one := range t.Tenants.List() {
			tenants = append(tenants, one.ID)
		}
	}
	return t.config.checkRule(rule, tenants...)
}

// checkRule is that of a server that sells for some tenants.
func (c Config) checkRule(rule policy.Rule, tenants ...string) error {
	sites := append(tenants, c.siteIDs()...)
	for _, site := range rule.Match.Site {
		if !slices.Contains(sites, site) {
			return fail.New(fail.Invalid, "match.site: there is no site %.64s; there are %s", site,
				strings.Join(sites, ", "))
		}
	}
	if !c.Intent.Enabled || rule.Access == policy.Blocked {
		return nil
	}
	for _, label := range rule.Labels {
		declared := slices.ContainsFunc(c.Intent.Domains, func(domain string) bool {
			return intent.Within(label, domain)
		})
		if len(c.Intent.Domains) == 0 && !excerpts.IsEditorialDomain(label) || len(c.Intent.Domains) > 0 && !declared {
			return fail.New(fail.Invalid,
				"labels: %.100q is no editorial domain that can be declared to platforms", label)
		}
	}
	return nil
}

// prices are what licensed items of sites cost where no rule says so.
func prices(book overrides.RuleSet) map[string]policy.Money {
	all := map[string]policy.Money{}
	for _, p := range book.Prices {
		all[p.Site], _ = p.Money() // it was checked before it was kept
	}
	return all
}

// sell has offers made by what the configuration says, and by the prices of sites.
func (t *terms) sell(selling *exchange.OfferPolicy, book overrides.RuleSet) {
	changed := *selling
	changed.Prices = prices(book)
	t.selling.Store(&changed)
}

// tenantTerms are the terms of a tenant, with what they were made of.
type tenantTerms struct {
	tenant *push.Tenant
	book   *overrides.RuleSet
	stated *policy.RSL
	rules  *policy.Terms
}

// tenantTerms are the terms of a tenant: the content rules that name it, and behind them its own.
func (t *terms) tenantTerms(one *push.Tenant) *policy.Terms {
	book, stated := t.added.Load(), t.stating().rules[one.ID]
	t.mu.Lock()
	defer t.mu.Unlock()
	if made := t.tenants[one.ID]; made.tenant == one && made.book == book && made.stated == stated {
		return made.rules
	}
	var rules []policy.Rule
	named := map[int]string{}
	for _, r := range book.Rules {
		if slices.Contains(r.Match.Site, one.ID) {
			named[len(rules)] = r.Name()
			rule := r.Rule
			rule.Match.Type = content.CanonicalTypes(rule.Match.Type)
			rules = append(rules, rule)
		}
	}
	named[len(rules)] = "tenant " + one.ID
	rules = append(rules, one.Rule)
	options := policy.Options{IsA: content.IsA, Named: named, Agents: t.config.Agents.Names()}
	if stated != nil {
		options.RSL = []*policy.RSL{stated}
	}
	made, err := options.New(rules)
	if err != nil { // each was checked before it was kept
		t.log.Error("the terms of a tenant cannot be read, so nothing of it is sold", "tenant", one.ID, "error", err)
		made, _ = policy.New([]policy.Rule{{Access: policy.Blocked}})
	}
	t.tenants[one.ID] = tenantTerms{one, book, stated, made}
	return made
}
