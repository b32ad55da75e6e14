package published

import (
	"context"
	"strconv"
	"sync"
	"time"

	"frontdesk/internal/content/released"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/licensing/catalog"
	"frontdesk/internal/licensing/exchange"
	"frontdesk/internal/policy"
)

// licensings are what RSL documents say of hosts, made when one is first asked for, and kept as
// policies are.
type licensings struct {
	mu    sync.Mutex
	rules *policy.Terms // of which they are, with how things are sold
	owner *exchange.OfferPolicy
	how   string
	made  time.Time
	hosts map[string]*policy.Licensing
}

// RSL gives an RSL 1.0 document of what the terms say of a host's addresses, which begin with
// origin; how is the address at which is said how what costs something is bought. It never says
// more than is so: where RSL has no words, nothing is permitted, or said. Items on which other
// rules decide than those for paths have their own licence, up to so many as policies name; of
// those that may not be found here nothing is told, and nothing of the paths among which they are
// that no rule names. It returns fail.NotFound for a host under which nothing is served, and
// fail.Unavailable before the content is loaded.
func (s *Service) RSL(ctx context.Context, host, origin, how string) ([]byte, error) {
	if err := s.deps.Corpus.Ready(); err != nil {
		return nil, err
	}
	name, ok := policy.Host("https://" + host + "/")
	if !ok {
		return nil, fail.New(fail.NotFound, "%q is no host; write it like www.example.com", fail.Clip(host))
	}
	rules, owner, now := s.deps.Corpus.Terms(), s.deps.OfferPolicy(), s.deps.Now()
	if tenant, terms, ok := s.deps.Tenant(name); ok {
		licensing := terms.Paths(tenant, name, owner.Prices[tenant], how)
		return licensing.RSL(origin), nil
	}
	l := &s.licensings
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.hosts == nil || l.rules != rules || l.owner != owner || l.how != how || now.Sub(l.made).Abs() >= policiesFor {
		made, err := s.makeLicensings(ctx, rules, owner, how)
		if err != nil {
			return nil, err
		}
		l.rules, l.owner, l.how, l.made, l.hosts = rules, owner, how, now, made
	}
	licensing := l.hosts[name]
	if licensing == nil {
		return nil, fail.New(fail.NotFound, "nothing is served here of %s", fail.Clip(name))
	}
	return licensing.RSL(origin), nil
}

// makeLicensings makes what documents say of all hosts: those that sites name, and those of items.
func (s *Service) makeLicensings(ctx context.Context, rules *policy.Terms, owner *exchange.OfferPolicy,
	how string) (map[string]*policy.Licensing, error) {
	drafts := map[string]*licensingDraft{}
	draft := func(site, host string) *licensingDraft {
		if drafts[host] == nil {
			drafts[host] = &licensingDraft{Licensing: rules.Paths(site, host, fallbackOf(owner, site), how),
				wide: map[int]bool{}, differ: map[int]bool{}}
			drafts[host].Single = map[string]string{}
		}
		return drafts[host]
	}
	for _, site := range s.deps.Corpus.Sites().All() {
		for _, host := range site.Hosts {
			if host, ok := policy.Host("https://" + host + "/"); ok {
				draft(site.ID, host)
			}
		}
	}
	each := func(fn func(of *licensingDraft, path, license string, found bool)) error {
		said := map[string]string{} // by site and rule, of items without terms of their own
		for entry := range s.deps.Catalog.All() {
			if ctx.Err() != nil {
				return fail.New(fail.Timeout, "the time allowed ran out before the answer was ready").Wrap(ctx.Err())
			}
			host, ok := policy.Host(entry.URL)
			if !ok || !s.deps.Corpus.Sites().Serves(entry.Site) {
				continue
			}
			decision := rules.Decide(entry.Facts())
			fn(draft(entry.Site, host), pathOf(entry.URL), licenseOf(said, &entry, decision, owner, how),
				decision.Allows(released.Search))
		}
		return nil
	}
	err := each(func(of *licensingDraft, path, license string, found bool) { of.hold(path, license, found) })
	if err == nil { // several items may have one path
		err = each(func(of *licensingDraft, path, license string, _ bool) {
			if said, single := of.Single[path]; single && said != license {
				of.Single[path] = policy.RSLNothing
			}
		})
	}
	made := map[string]*policy.Licensing{}
	for host, draft := range drafts {
		made[host] = draft.done()
	}
	return made, err
}

// fallbackOf is what licensed items of a site cost whose rule names no price.
func fallbackOf(owner *exchange.OfferPolicy, site string) policy.Money {
	if price, ok := owner.Prices[site]; ok {
		return price
	}
	return owner.Price
}

// licenseOf is the licence of an item. What it is for most items is remembered.
func licenseOf(said map[string]string, entry *catalog.Entry, decision policy.Decision, owner *exchange.OfferPolicy,
	how string) string {
	if len(decision.Own) > 0 || decision.Rule < 0 {
		return decision.RSL(fallbackOf(owner, entry.Site), how)
	}
	// an item whose address is unclear is blocked by its rule
	key := entry.Site + " " + string(decision.Access) + " " + strconv.Itoa(decision.Rule)
	license, known := said[key]
	if !known {
		license = decision.RSL(fallbackOf(owner, entry.Site), how)
		said[key] = license
	}
	return license
}

// licensingDraft is what a document says, while it is being made.
type licensingDraft struct {
	policy.Licensing
	// rules for paths, by their place, that say more than is so of an item that may not be found;
	// -1 is the rest
	wide   map[int]bool
	differ map[int]bool // those for an item of which something else is so
	many   bool         // there are too many such items
}

// hold holds an item against what is said of its path.
func (d *licensingDraft) hold(path, license string, found bool) {
	said, at := d.At(path)
	switch {
	case license == said || said == policy.RSLNothing && !found:
	case !found:
		d.wide[at] = true
	default:
		d.differ[at] = true
		if d.many {
			return
		}
		if d.Single[path] = license; len(d.Single) > maxExceptions {
			d.many, d.Single = true, nil
		}
	}
}

// done has no rule say more than is so.
func (d *licensingDraft) done() *policy.Licensing {
	l := d.Licensing
	tooWide := func(at int) bool { return d.wide[at] || d.many && d.differ[at] }
	l.Paths = append([]policy.PathLicense(nil), l.Paths...)
	for at := range l.Paths {
		if tooWide(at) {
			l.Paths[at].License = policy.RSLNothing
		}
	}
	if tooWide(-1) {
		l.Rest = ""
	}
	return &l
}
