package published

import (
	"context"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"frontdesk/internal/content/released"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/licensing/catalog"
	"frontdesk/internal/policy"
	"frontdesk/wire/edge"
)

// policies are the access policies of hosts, made when one is first asked for.
type policies struct {
	mu    sync.Mutex
	rules *policy.Terms // of which they are
	made  time.Time
	hosts map[string]*draft
}

// policiesFor is how long policies stay as they are while only the content changes: they are made
// of all that can be sold.
const policiesFor = time.Minute

// maxExceptions is how many single addresses a policy names.
const maxExceptions = 1000

// AccessPolicy says how far the paths of a host are open to whoever reads it (RAMP v1,
// AccessPolicy): by the rules that ask for nothing else, and, before them, by the single addresses
// of items on which other rules or terms decide. Of items that nobody may find here nothing is
// told. Where there are too many such addresses, a rule is as strict as any item that it is for. It
// returns fail.NotFound for a host under which nothing is served, and fail.Unavailable before the
// content is loaded.
func (s *Service) AccessPolicy(ctx context.Context, host string) (policy.Policy, error) {
	whole, _, err := s.partyPolicy(ctx, host)
	return whole.For(policy.Party{}), err
}

// GateRules says how far the paths of a host are open, and to whom, as gates go by it; the last
// rule fits all paths. It is fail.NotFound, too, for a host that is of none of the sites; nil is
// all sites.
func (s *Service) GateRules(ctx context.Context, host string, of []string) ([]edge.GateRule, error) {
	whole, site, err := s.partyPolicy(ctx, host)
	if err == nil && of != nil && !slices.Contains(of, site) {
		err = fail.New(fail.NotFound, "the key is for no site at %s", fail.Clip(host))
	}
	if err != nil {
		return nil, err
	}
	rules := make([]edge.GateRule, 0, len(whole.Rules)+1)
	add := func(rule policy.PathRule) {
		made := edge.GateRule{Pattern: rule.Pattern, Access: string(rule.Access)}
		for _, r := range rule.Parties {
			made.Parties = append(made.Parties, edge.Parties(r))
		}
		rules = append(rules, made)
	}
	for _, rule := range whole.Rules {
		add(rule)
	}
	add(policy.PathRule{Pattern: "*", Access: whole.Default, Parties: whole.Parties})
	return rules, nil
}

// partyPolicy is the policy of a host, with those for whom its rules are, and the host's site.
func (s *Service) partyPolicy(ctx context.Context, host string) (made policy.Policy, site string, err error) {
	if err := s.deps.Corpus.Ready(); err != nil {
		return made, "", err
	}
	place, err := catalog.Canonical("https://" + host + "/")
	name, path, _ := strings.Cut(place, "/")
	if err != nil || path != "" {
		return made, "", fail.New(fail.NotFound, "%q is no host; write it like www.example.com", fail.Clip(host))
	}
	if tenant, terms, ok := s.deps.Tenant(name); ok {
		return terms.ForAny().Policy(tenant, name), tenant, nil
	}
	rules, now := s.deps.Corpus.Terms().ForAny(), s.deps.Now()
	p := &s.policies
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.hosts == nil || p.rules != rules || now.Sub(p.made).Abs() >= policiesFor {
		made, err := s.makePolicies(ctx, rules)
		if err != nil {
			return policy.Policy{}, "", err
		}
		p.rules, p.made, p.hosts = rules, now, made
	}
	found, known := p.hosts[name]
	if !known {
		return made, "", fail.New(fail.NotFound, "nothing is served here of %s", fail.Clip(name))
	}
	return found.made, found.site, nil
}

// makePolicies makes the policies of all hosts: those that sites name, and those of items.
func (s *Service) makePolicies(ctx context.Context, rules *policy.Terms) (map[string]*draft, error) {
	drafts := map[string]*draft{}
	for _, site := range s.deps.Corpus.Sites().All() {
		for _, host := range site.Hosts {
			if host, ok := policy.Host("https://" + host + "/"); ok {
				drafts[host] = newDraft(rules, site.ID, host)
			}
		}
	}
	err := s.eachFound(ctx, rules, func(host string, entry *catalog.Entry, access reach) {
		if drafts[host] == nil {
			drafts[host] = newDraft(rules, entry.Site, host)
		}
		drafts[host].hold(pathOf(entry.URL), access)
	})
	if err == nil { // several items may have one path, and the strictest counts
		err = s.eachFound(ctx, rules, func(host string, entry *catalog.Entry, access reach) {
			if draft := drafts[host]; draft != nil && len(draft.differs) > 0 {
				if path := pathOf(entry.URL); draft.differs[path].access != "" {
					draft.differs[path] = draft.differs[path].and(access)
				}
			}
		})
	}
	for _, draft := range drafts {
		draft.finish()
	}
	return drafts, err
}

// eachFound calls fn with every item that may be found, the host that it is under, and how far and
// to whom it is open.
func (s *Service) eachFound(ctx context.Context, rules *policy.Terms,
	fn func(host string, entry *catalog.Entry, access reach)) error {
	for entry := range s.deps.Catalog.All() {
		if ctx.Err() != nil {
			return fail.New(fail.Timeout, "the time allowed ran out before the answer was ready").Wrap(ctx.Err())
		}
		host, ok := policy.Host(entry.URL)
		if !ok || !s.deps.Corpus.Sites().Serves(entry.Site) {
			continue
		}
		if decision := rules.Decide(entry.Facts()); decision.Allows(released.Search) { // which what is blocked is not
			fn(host, &entry, reach{decision.Access, decision.Parties.AsList()})
		}
	}
	return nil
}

// reach is how far something is open, and to whom: to those whom each of the restrictions admits.
type reach struct {
	access  policy.Access
	parties []policy.Restriction
}

// and is what both let pass. The zero value lets everything pass.
func (a reach) and(b reach) reach {
	if a.access == "" || b.access != "" && b.access.Stricter(a.access) {
		a.access = b.access
	}
	for _, r := range b.parties {
		if !slices.ContainsFunc(a.parties, func(own policy.Restriction) bool { return reflect.DeepEqual(own, r) }) {
			a.parties = append(slices.Clip(a.parties), r)
		}
	}
	return a
}

// draft is the policy of a host. What is below made is nil when it is finished.
type draft struct {
	site    string
	made    policy.Policy
	differs map[string]reach // by path, of the items on which the rules for paths are not the last word
	many    bool             // there were too many
	raised  map[int]reach    // what all items let pass that a rule is for, by its index; -1 is the default
}

func newDraft(rules *policy.Terms, site, host string) *draft {
	return &draft{site: site, made: rules.Policy(site, host), differs: map[string]reach{}, raised: map[int]reach{}}
}

// hold holds an item against the policy.
func (d *draft) hold(path string, access reach) {
	rule := d.made.Rule(path)
	said := reach{d.made.Default, d.made.Parties}
	if rule >= 0 {
		said = reach{d.made.Rules[rule].Access, d.made.Rules[rule].Parties}
	}
	d.raised[rule] = d.raised[rule].and(access)
	if reflect.DeepEqual(access, said) || d.many {
		return
	}
	if d.differs[path] = access; len(d.differs) > maxExceptions {
		d.many, d.differs = true, nil
	}
}

// finish gives the policy its exceptions.
func (d *draft) finish() {
	made := &d.made
	if d.many {
		made.Rules = slices.Clone(made.Rules)
		for i, rule := range made.Rules {
			raised := reach{rule.Access, rule.Parties}.and(d.raised[i])
			made.Rules[i].Access, made.Rules[i].Parties = raised.access, raised.parties
		}
		raised := reach{made.Default, made.Parties}.and(d.raised[-1])
		made.Default, made.Parties = raised.access, raised.parties
	}
	var exceptions []policy.PathRule
	for _, path := range slices.Sorted(maps.Keys(d.differs)) {
		exceptions = append(exceptions, policy.PathRule{Pattern: strings.ReplaceAll(path, "*", "%2A"),
			Access: d.differs[path].access, Parties: d.differs[path].parties})
	}
	made.Rules = append(exceptions, made.Rules...)
	d.differs, d.raised = nil, nil
}

// pathOf is the path of an address as it is compared: without its query.
func pathOf(address string) string {
	canonical, err := catalog.Canonical(address)
	if err != nil {
		return "/"
	}
	path, _, _ := strings.Cut(canonical[strings.IndexByte(canonical, '/'):], "?")
	return path
}
