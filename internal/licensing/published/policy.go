package published

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"frontdesk/internal/content/released"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/licensing/catalog"
	"frontdesk/internal/policy"
)

// policies are the access policies of hosts, made when one is first asked for.
type policies struct {
	mu    sync.Mutex
	rules *policy.Terms // of which they are
	made  time.Time
	hosts map[string]policy.Policy
}

// policiesFor is how long policies stay as they are while only the content changes: they are made
// of all that can be sold.
const policiesFor = time.Minute

// maxExceptions is how many single addresses a policy names.
const maxExceptions = 1000

// AccessPolicy says how far the paths of a host are open (RAMP v1, AccessPolicy): by the rules that
// ask for nothing else, and, before them, by the single addresses of items on which other rules or
// terms decide. Of items that may not be found here nothing is told. Where there are too many such
// addresses, a rule is as strict as any item that it is for. It returns fail.NotFound for a host
// under which nothing is served, and fail.Unavailable before the content is loaded.
func (s *Service) AccessPolicy(ctx context.Context, host string) (policy.Policy, error) {
	if err := s.deps.Corpus.Ready(); err != nil {
		return policy.Policy{}, err
	}
	place, err := catalog.Canonical("https://" + host + "/")
	name, path, _ := strings.Cut(place, "/")
	if err != nil || path != "" {
		return policy.Policy{}, fail.New(fail.NotFound, "%q is no host; write it like www.example.com", fail.Clip(host))
	}
	if tenant, terms, ok := s.deps.Tenant(name); ok {
		return terms.Policy(tenant, name), nil
	}
	rules, now := s.deps.Corpus.Terms(), s.deps.Now()
	p := &s.policies
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.hosts == nil || p.rules != rules || now.Sub(p.made).Abs() >= policiesFor {
		made, err := s.makePolicies(ctx, rules)
		if err != nil {
			return policy.Policy{}, err
		}
		p.rules, p.made, p.hosts = rules, now, made
	}
	found, known := p.hosts[name]
	if !known {
		return policy.Policy{}, fail.New(fail.NotFound, "nothing is served here of %s", fail.Clip(name))
	}
	return found, nil
}

// makePolicies makes the policies of all hosts: those that sites name, and those of items.
func (s *Service) makePolicies(ctx context.Context, rules *policy.Terms) (map[string]policy.Policy, error) {
	drafts := map[string]*draft{}
	for _, site := range s.deps.Corpus.Sites().All() {
		for _, host := range site.Hosts {
			if host, ok := policy.Host("https://" + host + "/"); ok {
				drafts[host] = newDraft(rules, site.ID, host)
			}
		}
	}
	err := s.eachFound(ctx, rules, func(host string, entry *catalog.Entry, access policy.Access) {
		if drafts[host] == nil {
			drafts[host] = newDraft(rules, entry.Site, host)
		}
		drafts[host].hold(pathOf(entry.URL), access)
	})
	if err == nil { // several items may have one path, and the strictest counts
		err = s.eachFound(ctx, rules, func(host string, entry *catalog.Entry, access policy.Access) {
			if draft := drafts[host]; draft != nil && len(draft.differs) > 0 {
				if path := pathOf(entry.URL); draft.differs[path] != "" {
					draft.differs[path] = stricter(draft.differs[path], access)
				}
			}
		})
	}
	made := map[string]policy.Policy{}
	for host, draft := range drafts {
		made[host] = draft.done()
	}
	return made, err
}

// eachFound calls fn with every item that may be found, the host that it is under, and how far it
// is open.
func (s *Service) eachFound(ctx context.Context, rules *policy.Terms,
	fn func(host string, entry *catalog.Entry, access policy.Access)) error {
	for entry := range s.deps.Catalog.All() {
		if ctx.Err() != nil {
			return fail.New(fail.Timeout, "the time allowed ran out before the answer was ready").Wrap(ctx.Err())
		}
		host, ok := policy.Host(entry.URL)
		if !ok || !s.deps.Corpus.Sites().Serves(entry.Site) {
			continue
		}
		if decision := rules.Decide(entry.Facts()); decision.Allows(released.Search) { // which what is blocked is not
			fn(host, &entry, decision.Access)
		}
	}
	return nil
}

// draft is a policy that is being made.
type draft struct {
	made    policy.Policy
	differs map[string]policy.Access // by path, of the items on which the rules for paths are not the last word
	many    bool                     // there were too many
	raised  map[int]policy.Access    // the strictest of the items that a rule is for, by its index; -1 is the default
}

func newDraft(rules *policy.Terms, site, host string) *draft {
	return &draft{made: rules.Policy(site, host), differs: map[string]policy.Access{}, raised: map[int]policy.Access{}}
}

// hold holds an item against the policy.
func (d *draft) hold(path string, access policy.Access) {
	rule := d.made.Rule(path)
	said := d.made.Default
	if rule >= 0 {
		said = d.made.Rules[rule].Access
	}
	d.raised[rule] = stricter(access, d.raised[rule])
	if access == said || d.many {
		return
	}
	if d.differs[path] = access; len(d.differs) > maxExceptions {
		d.many, d.differs = true, nil
	}
}

// done is the policy with its exceptions.
func (d *draft) done() policy.Policy {
	made := d.made
	if d.many {
		made.Rules = slices.Clone(made.Rules)
		for i := range made.Rules {
			made.Rules[i].Access = stricter(made.Rules[i].Access, d.raised[i])
		}
		made.Default = stricter(made.Default, d.raised[-1])
		return made
	}
	var exceptions []policy.PathRule
	for _, path := range slices.Sorted(maps.Keys(d.differs)) {
		exceptions = append(exceptions, policy.PathRule{Pattern: strings.ReplaceAll(path, "*", "%2A"),
			Access: d.differs[path]})
	}
	made.Rules = append(exceptions, made.Rules...)
	return made
}

// stricter is the stricter of two; b may say nothing.
func stricter(a, b policy.Access) policy.Access {
	if b != "" && b.Stricter(a) {
		return b
	}
	return a
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
