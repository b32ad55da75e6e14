package app

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"frontdesk/internal/infra/httpx"
	"frontdesk/internal/infra/periodic"
	"frontdesk/internal/licensing/delivery"
	"frontdesk/internal/licensing/edge"
	"frontdesk/internal/licensing/rampapi"
	wire "frontdesk/wire/edge"
	"frontdesk/wire/sign"
)

// gates says whether this server is the gate of the configured sites itself.
func (c Config) gates() bool { return c.RAMP.Enabled && c.Edge.Exchange == "" && len(c.Edge.Sites) > 0 }

// ownEdge is by which the records of this server's own gate are known.
const ownEdge = "gate"

// gateway is the gate before sites of the owner's, with the policies of those whose Exchange this
// is. Nil for none.
type gateway struct {
	*edge.Works
	policies []*ownPolicy
}

// openGateway makes the gate of this front desk's own, if there is to be one: the Exchange that it
// asks and tells is this one.
func (s *seller) openGateway() (*gateway, error) {
	if s == nil || !s.config.gates() || s.gate == nil { // nobody comes to a process that asks itself
		return nil, nil
	}
	sites := s.config.siteIDs()
	g, deps := &gateway{}, s.edgeDeps()
	deps.Answered = s.Answers.Has
	deps.Ship = func(ctx context.Context, batch wire.Batch) error {
		_, err := s.Delivery.Delivered(ctx, delivery.Edge{Name: ownEdge, Sites: sites}, batch)
		return err
	}
	deps.Complete = func(site edge.SiteSettings, made *edge.Site) error { return s.ownSite(g, site, made) }
	var err error
	if g.Works, err = edge.OpenWorks(deps); err != nil {
		return nil, err
	}
	g.Records.RegisterMetrics(s.metrics.Registry)
	return g, nil
}

// ownSite completes a site with what this front desk knows of it: its policy, its document, and the
// keys of the entries of ramp.delivery that deliver at its address.
func (s *seller) ownSite(g *gateway, site edge.SiteSettings, made *edge.Site) error {
	policy := &ownPolicy{seller: s, site: site}
	policy.known.Store(edge.NewPolicy(edge.Access(cmp.Or(site.Unknown, string(edge.Blocked))), nil))
	g.policies = append(g.policies, policy)
	made.Policy = policy.known.Load
	if made.Origin == nil {
		made.Content = rampapi.OwnContent(s.Assortment, s.Delivery)
	}
	var documents httpx.DocumentCache
	licences := rampapi.ServeRSL(s.Published, func(r *http.Request) (domain, origin, how string) {
		return s.licensed(r, site.Domain)
	})
	made.Documents = func(path string) http.Handler {
		switch {
		case path == edge.RSLPath && policy.heard.Load():
			return licences
		case path == edge.VerifierPath && s.config.RAMP.Attest:
			return s.verifierOf(site.Domain)
		case path != edge.ManifestPath:
			return nil
		}
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			document, err := documents.Get(site.Domain, strings.TrimRight(s.config.URL, "/"),
				func() (*httpx.Document, error) {
					return rampapi.DeclareProvider(site.Domain, s.config.exchangeIdentity(),
						strings.TrimRight(s.config.URL, "/"), s.config.RAMP.OtherExchanges()...)
				})
			if err != nil {
				rampapi.WriteError(w, r, err)
				return
			}
			document.ServeHTTP(w, r)
		})
	}
	files, err := site.OpenKeys(s.now, s.log)
	if err != nil {
		return err
	}
	made.Keys = func(ctx context.Context) ([]sign.URLKey, error) {
		own, err := s.outlets.Verifying(ctx, made.URL)
		return append(slices.Clone(files.Keys()), own...), err
	}
	return nil
}

// ownPolicy is the access policy of a site as this front desk has it.
type ownPolicy struct {
	seller *seller
	site   edge.SiteSettings
	known  atomic.Pointer[edge.Policy]
	heard  atomic.Bool     // its content is loaded
	rules  []wire.GateRule // those that known was made of
	failed bool            // it could not be read when it last was
}

// policyEvery is how often the policy of a site is looked at; a change of the terms counts after
// that.
const policyEvery = time.Second

// follow looks at the policy until ctx ends.
func (p *ownPolicy) follow(ctx context.Context) {
	periodic.Run(ctx, policyEvery, p.look)
}

// look looks at the policy once. What it said last holds while it cannot be read.
func (p *ownPolicy) look(ctx context.Context) {
	rules, err := p.seller.Published.GateRules(ctx, p.site.Domain, nil)
	if failed := err != nil && p.heard.Load(); failed != p.failed { // before it is heard, the content is being loaded
		p.failed = failed
		if failed {
			p.seller.log.Error("the policy of a site cannot be read; what it said last holds", "site", p.site.Domain,
				"error", err)
		} else {
			p.seller.log.Info("the policy of a site can be read again", "site", p.site.Domain)
		}
	}
	if err != nil {
		return
	}
	if len(p.rules) == 0 || &p.rules[0] != &rules[0] { // there is always one
		p.known.Store(edge.PolicyOf(rules))
		p.rules = rules
	}
	p.heard.Store(true)
}

// module keeps the gate before sites of the owner's up with their policies, and tells of
// deliveries.
func (g *gateway) module() (m Module) {
	if g == nil {
		return m
	}
	m.Jobs = []Job{{"run the gate", g.Run}}
	for _, policy := range g.policies {
		m.Jobs = append(m.Jobs, Job{"follow the policy", policy.follow})
	}
	return m
}
