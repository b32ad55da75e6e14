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
	hosts map[string]*drafts
}

// drafts are the policies of a host: the public one, which tells nothing of items that nobody may
// find here, and that for gates, which refuse such items.
type drafts struct {
	public, gate *draft
	rules        []edge.GateRule // of the gate
}

// policiesFor is how long policies stay as they are while only the content changes: they are made
// of all that can be sold.
const policiesFor = time.Minute

// How many single addresses a policy names: the public one, and that for gates.
const (
	maxExceptions     = 1000
	maxGateExceptions = 10_000
)

// AccessPolicy says how far the paths of a host are open to whoever reads it (RAMP v1,
// AccessPolicy): by the rules that ask for nothing else, and, before them, by the single addresses
// of items on which other rules or terms decide. Of items that nobody may find here nothing is
// told. Where there are too many such addresses, a rule is as strict as any item that it is for.
// partial says that gates are told more, so that who goes by this alone lets too much pass. It
// returns fail.NotFound for a host under which nothing is served, and fail.Unavailable before the
// content is loaded.
func (s *Service) AccessPolicy(ctx context.Context, host string) (whole policy.Policy, partial bool, err error) {
	of, err := s.policiesOf(ctx, host)
	if err != nil {
		return whole, false, err
	}
	stranger := policy.Party{}
	whole = of.public.made.For(stranger)
	return whole, of.gate.made.AsksParties() || !reflect.DeepEqual(whole, of.gate.made.For(stranger)), nil
}

// GateRules says how far the paths of a host are open, and to whom, as gates go by it; the last
// rule fits all paths. The same ones are given until others are made, and must not be changed. It
// is fail.NotFound, too, for a host that is of none of the sites; nil is all sites.
func (s *Service) GateRules(ctx context.Context, host string, sites []string) ([]edge.GateRule, error) {
	of, err := s.policiesOf(ctx, host)
	if err != nil {
		return nil, err
	}
	if sites != nil && !slices.Contains(sites, of.gate.site) {
		return nil, fail.New(fail.NotFound, "the key is for no site at %s", fail.Clip(host))
	}
	return of.rules, nil
}

// gateRules writes a policy for gates.
func gateRules(whole *policy.Policy) []edge.GateRule {
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
	return rules
}

// policiesOf is the policies of a host, with those for whom their rules are.
func (s *Service) policiesOf(ctx context.Context, host string) (*drafts, error) {
	if err := s.deps.Corpus.Ready(); err != nil {
		return nil, err
	}
	place, err := catalog.Canonical("https://" + host + "/")
	name, path, _ := strings.Cut(place, "/")
	if err != nil || path != "" {
		return nil, fail.New(fail.NotFound, "%q is no host; write it like www.example.com", fail.Clip(host))
	}
	if tenant, terms, ok := s.deps.Tenant(name); ok {
		one := newDraft(terms.ForAny(), tenant, name, 0)
		return &drafts{one, one, gateRules(&one.made)}, nil
	}
	rules, now := s.deps.Corpus.Terms().ForAny(), s.deps.Now()
	p := &s.policies
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.hosts == nil || p.rules != rules || now.Sub(p.made).Abs() >= policiesFor {
		made, err := s.makePolicies(ctx, rules)
		if err != nil {
			return nil, err
		}
		p.rules, p.made, p.hosts = rules, now, made
	}
	found, known := p.hosts[name]
	if !known {
		return nil, fail.New(fail.NotFound, "nothing is served here of %s", fail.Clip(name))
	}
	return found, nil
}

// makePolicies makes the policies of all hosts: those that sites name, and those of items that may
// be found.
func (s *Service) makePolicies(ctx context.Context, rules *policy.Terms) (map[string]*drafts, error) {
	made := map[string]*drafts{}
	add := func(site, host string) {
		if made[host] == nil {
			made[host] = &drafts{public: newDraft(rules, site, host, maxExceptions),
				gate: newDraft(rules, site, host, maxGateExceptions)}
		}
	}
	for _, site := range s.deps.Corpus.Sites().All() {
		for _, host := range site.Hosts {
			if host, ok := policy.Host("https://" + host + "/"); ok {
				add(site.ID, host)
			}
		}
	}
	err := s.each(ctx, rules, func(host string, entry *catalog.Entry, _ reach, found bool) {
		if found {
			add(entry.Site, host)
		}
	})
	// several items may have one path, and the strictest counts
	for _, step := range []func(*draft, string, reach){(*draft).hold, (*draft).again} {
		if err != nil {
			break
		}
		err = s.each(ctx, rules, func(host string, entry *catalog.Entry, access reach, found bool) {
			if of := made[host]; of != nil {
				path := pathOf(entry.URL)
				if step(of.gate, path, access); found {
					step(of.public, path, access)
				}
			}
		})
	}
	for _, of := range made {
		of.public.finish()
		of.gate.finish()
		of.rules = gateRules(&of.gate.made)
	}
	return made, err
}

// each calls fn with every item, the host that it is under, how far and to whom it is open, and
// whether it may be found.
func (s *Service) each(ctx context.Context, rules *policy.Terms,
	fn func(host string, entry *catalog.Entry, access reach, found bool)) error {
	for entry := range s.deps.Catalog.All() {
		if ctx.Err() != nil {
			return fail.New(fail.Timeout, "the time allowed ran out before the answer was ready").Wrap(ctx.Err())
		}
		host, ok := policy.Host(entry.URL)
		if !ok || !s.deps.Corpus.Sites().Serves(entry.Site) {
			continue
		}
		decision := rules.Decide(entry.Facts())
		fn(host, &entry, reach{decision.Access, decision.Parties.AsList()}, decision.Allows(released.Search))
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
	most    int // exceptions
	made    policy.Policy
	differs map[string]reach // by path, of the items on which the rules for paths are not the last word
	many    bool             // there were too many
	raised  map[int]reach    // what all items let pass that a rule is for, by its index; -1 is the default
}

func newDraft(rules *policy.Terms, site, host string, most int) *draft {
	return &draft{site: site, most: most, made: rules.Policy(site, host),
		differs: map[string]reach{}, raised: map[int]reach{}}
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
	if d.differs[path] = access; len(d.differs) > d.most {
		d.many, d.differs = true, nil
	}
}

// again holds a further item against what was noted of its path.
func (d *draft) again(path string, access reach) {
	if d.differs[path].access != "" {
		d.differs[path] = d.differs[path].and(access)
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
