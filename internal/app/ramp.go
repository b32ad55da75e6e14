package app

import (
	apphttp "frontdesk/internal/app/http"
	"frontdesk/internal/identity"
	"frontdesk/internal/identity/requesters"

	"cmp"
	"context"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"frontdesk/internal/infra/httpx"
	"frontdesk/internal/infra/metrics"
	"frontdesk/internal/licensing/exchange"
	"frontdesk/internal/licensing/rampapi"
	"frontdesk/internal/policy"
	wire "frontdesk/wire/ramp"
)

// exchangeIdentity is who the Exchange says it is, with the defaults filled in.
func (c Config) exchangeIdentity() rampapi.Identity {
	r := c.RAMP
	i := rampapi.Identity{
		Domain: c.exchangeDomain(), OperatorDomain: r.OperatorDomain, Contact: r.Contact, TermsURL: r.TermsURL,
		PrivacyURL: r.PrivacyURL, Currency: r.Currency, Profiles: r.ProfileNames(), Verifiers: r.Verifiers,
	}
	i.Name = cmp.Or(r.Name, c.Console.Title, c.AllSites()[0].Name, i.Domain)
	i.Operator = cmp.Or(r.Operator, i.Name)
	return i
}

// seller sells licences (RAMP). Nil where nothing is sold.
type seller struct {
	*base
	*rampAuth
	*network
	*identities
	*supply
	*accounting
	*terms
	*sources
	*forSale
	rampapi.Services

	api      rampapi.Config
	proofs   *identity.DomainVerifier // of tenants' domains
	verified *prometheus.CounterVec   // challenges, by what came of them
}

// newSeller makes the services of the Exchange, and what its handlers need.
func newSeller(c *rampAuth, f *forSale, a *App) (_ *seller, err error) {
	if f == nil {
		return nil, nil
	}
	s := &seller{
		base: f.base, rampAuth: c, network: a.network, identities: a.identities, supply: a.supply,
		accounting: a.accounting, terms: a.terms, sources: a.sources, forSale: f,
	}
	if err := s.openSuppliers(); err != nil {
		return nil, err
	}
	if err := s.openDeals(); err != nil {
		return nil, err
	}
	r := s.config.RAMP
	s.api = rampapi.Config{
		PushClient: s.Callers.Identify, Exchange: s.config.exchangeDomain(), Currency: r.Currency, Deadline: r.Deadline,
		MaxDeadline: r.MaxDeadline, Signatures: r.Signatures, Purchases: r.Purchases, Local: s.gate == nil,
		Targets: s.signedTargets, UnknownHost: s.elsewhere, Ready: a.readiness, Stopping: s.stopping.Load, Now: s.now,
		Sign: s.signOffer, MCP: s.config.MCP.Enabled, Base: s.publicBase, FetchAt: func(ctx context.Context) string {
			return s.publicBase(ctx) + deliverPath
		},
		Trusted: s.config.trustedDisputes(), Broker: a.broker.api(),
	}
	if err := s.identify(&s.api); err != nil {
		return nil, err
	}
	s.attests(&s.api)
	if err := s.takeSignUps(&s.api); err != nil {
		return nil, err
	}
	s.domainMetrics()
	return s, nil
}

// openSuppliers makes the services of those who push what is sold, and verify their domains.
func (s *seller) openSuppliers() (err error) {
	config := s.config
	s.Suppliers, err = exchange.NewSuppliers(exchange.SupplierDeps{
		Assortment:  s.Assortment,
		Contributes: identity.NewContributors(config.domainFetcher(requesters.AgentTime), s.now).Lists,
		Reread: func(site string) bool {
			begin := s.rereads.Load()
			return begin != nil && (*begin)(site, "", nil)
		},
		Now: s.now, Log: s.log,
	})
	if err != nil {
		return err
	}
	s.verified = metrics.Counter(s.metrics.Registry, "ramp_domain_verifications_total",
		"Challenges of domains that were looked at, by outcome: verified, or one word for why not.", "outcome")
	s.proofs = identity.NewDomainVerifier(config.domainFetcher(identity.ChallengeTimeout), config.exchangeDomain())
	s.Domains, err = exchange.NewDomains(exchange.DomainDeps{
		Assortment: s.Assortment, Verifier: s.proofs, Keys: s.Deliveries,
		OnOutcome: func(outcome string) { s.verified.WithLabelValues(outcome).Inc() }, Log: s.log,
	})
	return err
}

// module sells licences.
func (s *seller) module() Module {
	if s == nil {
		return Module{}
	}
	m := Module{Routes: s.rampRoutes(), Tools: s.rampTools(), TermsChanged: func(Config) { s.Assortment.Changed() },
		Jobs: []Job{
			{"maintain transactions", s.Exchange.RunMaintenance}, {"watch who delivers", s.outlets.Watch},
			{"follow tenants", s.followTenants}, {"follow domains", s.followDomains},
		}}
	if s.sanctions != nil {
		m.Jobs = append(m.Jobs, Job{"enforce", s.measures.Run})
	}
	if s.providers != nil {
		m.Jobs = append(m.Jobs, Job{"ask providers", s.askProviders})
	}
	return m
}

// publicBase is the public address that a context's request came to, or the configured one where it
// is this process that asks; empty where neither is known.
func (n *network) publicBase(ctx context.Context) string {
	if public, ok := apphttp.PublicURLOf(ctx); ok {
		return public
	}
	return n.config.ownAddress()
}

// rampTools are the Exchange's operations as tools for agents.
func (s *seller) rampTools() []httpx.Tool {
	config := s.api
	config.Admit = func(ctx context.Context) error {
		refused, _ := apphttp.RateLimitsOf(ctx).Refused()
		return refused
	}
	return rampapi.Tools(s.Services, config)
}

// rampRoutes serve RAMP.
func (s *seller) rampRoutes() []apphttp.Route {
	all := []apphttp.Route{
		{Pattern: rampapi.ProviderManifest, Name: rampapi.ProviderManifest, Methods: apphttp.ReadMethods, CORS: true,
			Refuse: rampapi.WriteError,
			Handler: s.rampDocument(func(r *http.Request, address string) (string, func() (*httpx.Document, error)) {
				provider := s.provider(r)
				return provider, func() (*httpx.Document, error) {
					return rampapi.DeclareProvider(provider, s.config.exchangeIdentity(), address,
						s.config.RAMP.OtherExchanges()...)
				}
			})},
		{Pattern: rampapi.ExchangeManifest, Name: rampapi.ExchangeManifest, Methods: apphttp.ReadMethods, CORS: true,
			Refuse: rampapi.WriteError,
			Handler: s.rampDocument(func(_ *http.Request, address string) (string, func() (*httpx.Document, error)) {
				return "", func() (*httpx.Document, error) {
					return rampapi.DeclareExchange(s.config.exchangeIdentity(), address)
				}
			})},
		{Pattern: rampapi.ExchangeKeys, Name: rampapi.ExchangeKeys, Methods: apphttp.ReadMethods, CORS: true,
			Refuse: rampapi.WriteError, Handler: http.HandlerFunc(s.exchangeKeys)},
	}
	all = append(all,
		apphttp.Route{Pattern: rampapi.AccessPolicy, Name: rampapi.AccessPolicy, Methods: apphttp.ReadMethods,
			CORS: true, Refuse: rampapi.WriteError, Handler: s.upToDate(rampapi.ServePolicy(s.Published))})
	all = append(append(append(all, s.providerRoutes()...), s.verifierRoutes()...), s.answerRoutes()...)
	handler := s.gate.WithCaller(rampapi.Handler(s.Services, s.api))
	for _, pattern := range rampapi.Patterns() {
		all = append(all, apphttp.Route{Pattern: pattern, Name: pattern, Methods: []string{http.MethodPost}, CORS: true,
			Refuse: rampapi.WriteError, Handler: handler})
	}
	return append(append(append(append(all, s.deliverRoute()), s.edgeRoutes()...), s.streamRoutes()...),
		s.signUpRoutes()...)
}

// rampDocument serves a document that depends on the address at which a request came, and on what
// else names it.
func (s *seller) rampDocument(
	of func(r *http.Request, address string) (name string, make func() (*httpx.Document, error))) http.Handler {
	var made httpx.DocumentCache
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		address := s.outside.PublicURL(r)
		name, make := of(r, address)
		document, err := made.Get(name, address, make)
		if err != nil {
			rampapi.WriteError(w, r, err)
			return
		}
		document.ServeHTTP(w, r)
	})
}

// provider is the domain of the site that a request means: the one that has its host, or the first.
func (s *seller) provider(r *http.Request) string {
	asked, _ := policy.Host(s.outside.PublicURL(r))
	var first string
	for _, site := range s.config.AllSites() {
		for _, host := range site.Hosts {
			host, ok := policy.Host("https://" + host)
			if ok && host == asked {
				return host
			}
			if ok && first == "" {
				first = host
			}
		}
	}
	return cmp.Or(first, s.config.exchangeDomain())
}

// exchangeKeys serves the keys that offers are signed with: those of the site, which may change
// while the server runs.
func (s *seller) exchangeKeys(w http.ResponseWriter, r *http.Request) {
	var keys []wire.Key
	now := s.now()
	for _, key := range s.SiteKeys.Keys() {
		one := wire.Key{ID: key.ID, Public: key.Public, From: key.Created, Active: key.State(now) != "retired"}
		if !one.Active {
			one.Until = key.Retires
		}
		keys = append(keys, one)
	}
	document, err := rampapi.DeclareKeys(keys)
	if err != nil {
		rampapi.WriteError(w, r, err)
		return
	}
	document.ServeHTTP(w, r)
}

// signedTargets are the addresses that a request may have been signed for. The host that it names
// itself counts only where no public address is configured: otherwise what was signed for another
// server could be used here.
func (n *network) signedTargets(r *http.Request) []string {
	return []string{n.outside.PublicURL(r) + r.URL.RequestURI()}
}

// elsewhere says whether a request's address is nobody's word but its sender's: it is neither
// configured, nor the host of the Exchange or a site, nor the one at which the connection arrived.
// What was signed for another Exchange could be sent here with its host.
func (n *network) elsewhere(r *http.Request) bool {
	if n.config.URL != "" {
		return false
	}
	u, err := url.Parse(n.outside.PublicURL(r))
	if err != nil {
		return true
	}
	if domain := n.config.exchangeDomain(); strings.EqualFold(u.Host, domain) ||
		strings.EqualFold(u.Hostname(), domain) {
		return false
	}
	for _, site := range n.config.AllSites() {
		if slices.ContainsFunc(site.Hosts, func(host string) bool { return strings.EqualFold(host, u.Host) }) {
			return false
		}
	}
	ip, err := netip.ParseAddr(u.Hostname())
	if err != nil {
		return u.Hostname() != "localhost"
	}
	local, _ := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	return !ip.IsLoopback() && (local == nil || ip.Unmap() != local.AddrPort().Addr().Unmap())
}
