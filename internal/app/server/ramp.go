package server

import (
	apphttp "frontdesk/internal/app/http"

	"cmp"
	"context"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"frontdesk/internal/infra/httpx"
	"frontdesk/internal/licensing/rampapi"
	"frontdesk/internal/policy"
	wire "frontdesk/wire/ramp"
)

// exchangeIdentity is who the Exchange says it is, with the defaults filled in.
func (c Config) exchangeIdentity() rampapi.Identity {
	r := c.RAMP
	i := rampapi.Identity{
		Domain: c.exchangeDomain(), OperatorDomain: r.OperatorDomain, Contact: r.Contact, TermsURL: r.TermsURL, PrivacyURL: r.PrivacyURL, Currency: r.Currency,
		Profiles: r.profileNames(), Verifiers: r.Verifiers,
	}
	i.Name = cmp.Or(r.Name, c.Console.Title, c.AllSites()[0].Name, i.Domain)
	i.Operator = cmp.Or(r.Operator, i.Name)
	return i
}

// exchangeModule sells licences (RAMP).
func (s *Server) exchangeModule() Module {
	if s.exchange == nil {
		return Module{}
	}
	m := Module{Routes: s.rampRoutes(*s.exchange), Tools: s.rampTools(), Jobs: []Job{
		{"maintain transactions", s.Exchange.RunMaintenance}, {"watch who delivers", s.watchOutlets}, {"follow tenants", s.followTenants},
		{"follow domains", s.followDomains},
	}}
	if s.measures != nil {
		m.Jobs = append(m.Jobs, Job{"enforce", s.measures.Run})
	}
	if s.providers != nil {
		m.Jobs = append(m.Jobs, Job{"ask providers", s.askProviders})
	}
	return m
}

// openExchange opens what the Exchange stands on.
func (s *Server) openExchange(ctx context.Context) error {
	if !s.config.RAMP.Enabled {
		return nil
	}
	if err := s.OpenRequesters(ctx, s.config); err != nil {
		return err
	}
	if err := s.openDeals(); err != nil {
		return err
	}
	config := rampapi.Config{
		PushClient: s.Callers.Identify, Exchange: s.config.exchangeDomain(), Currency: s.config.RAMP.Currency, Deadline: s.config.RAMP.Deadline, MaxDeadline: s.config.RAMP.MaxDeadline, Signatures: s.config.RAMP.Signatures,
		Purchases: s.config.RAMP.Purchases, Local: s.gate == nil, Targets: s.signedTargets, UnknownHost: s.elsewhere, Ready: s.readiness, Stopping: s.stopping.Load, Now: s.options.Now, Sign: s.signOffer, MCP: s.config.MCP.Enabled,
		Base: s.base, FetchAt: func(ctx context.Context) string { return s.base(ctx) + deliverPath },
	}
	config.Trusted = s.trustedDisputes()
	if err := s.asked(&config); err != nil {
		return err
	}
	s.attests(&config)
	if err := s.takeSignUps(&config); err != nil {
		return err
	}
	config.Broker = s.brokerDoor()
	s.exchange = &config
	s.domainMetrics()
	return nil
}

// base is the public address that a context's request came to, or the configured one where it is this process that asks; empty
// where neither is known.
func (s *Server) base(ctx context.Context) string {
	if public, ok := apphttp.PublicURLOf(ctx); ok {
		return public
	}
	return s.config.ownAddress()
}

// rampTools are the Exchange's operations as tools for agents, if there is an Exchange.
func (s *Server) rampTools() []httpx.Tool {
	if s.exchange == nil {
		return nil
	}
	config := *s.exchange
	config.Admit = func(ctx context.Context) error {
		refused, _ := apphttp.RateLimitsOf(ctx).Refused()
		return refused
	}
	return rampapi.Tools(s.Services, config)
}

// rampRoutes serve RAMP.
func (s *Server) rampRoutes(config rampapi.Config) []apphttp.Route {
	all := []apphttp.Route{
		{Pattern: rampapi.ProviderManifest, Name: rampapi.ProviderManifest, Methods: apphttp.ReadMethods, CORS: true, Refuse: rampapi.WriteError, Handler: s.rampDocument(func(r *http.Request, address string) (string, func() (*httpx.Document, error)) {
			provider := s.provider(r)
			return provider, func() (*httpx.Document, error) {
				return rampapi.DeclareProvider(provider, s.config.exchangeIdentity(), address, s.config.otherExchanges()...)
			}
		})},
		{Pattern: rampapi.ExchangeManifest, Name: rampapi.ExchangeManifest, Methods: apphttp.ReadMethods, CORS: true, Refuse: rampapi.WriteError, Handler: s.rampDocument(func(_ *http.Request, address string) (string, func() (*httpx.Document, error)) {
			return "", func() (*httpx.Document, error) { return rampapi.DeclareExchange(s.config.exchangeIdentity(), address) }
		})},
		{Pattern: rampapi.ExchangeKeys, Name: rampapi.ExchangeKeys, Methods: apphttp.ReadMethods, CORS: true, Refuse: rampapi.WriteError, Handler: http.HandlerFunc(s.exchangeKeys)},
	}
	all = append(all, apphttp.Route{Pattern: rampapi.AccessPolicy, Name: rampapi.AccessPolicy, Methods: apphttp.ReadMethods, CORS: true, Refuse: rampapi.WriteError, Handler: s.upToDate(rampapi.ServePolicy(s.Published))})
	all = append(append(append(all, s.providerRoutes()...), s.verifierRoutes()...), s.answerRoutes()...)
	handler := s.gate.WithCaller(rampapi.Handler(s.Services, config))
	for _, pattern := range rampapi.Patterns() {
		all = append(all, apphttp.Route{Pattern: pattern, Name: pattern, Methods: []string{http.MethodPost}, CORS: true, Refuse: rampapi.WriteError, Handler: handler})
	}
	return append(append(append(all, s.deliverRoute(), s.edgeRoute()), s.streamRoutes()...), s.signUpRoutes(config.SignUp)...)
}

// rampDocument serves a document that depends on the address at which a request came, and on what else names it.
func (s *Server) rampDocument(of func(r *http.Request, address string) (name string, make func() (*httpx.Document, error))) http.Handler {
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
func (s *Server) provider(r *http.Request) string {
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

// exchangeKeys serves the keys that offers are signed with: those of the site, which may change while the server runs.
func (s *Server) exchangeKeys(w http.ResponseWriter, r *http.Request) {
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

// signedTargets are the addresses that a request may have been signed for. The host that it names itself counts only where
// no public address is configured: otherwise what was signed for another server could be used here.
func (s *Server) signedTargets(r *http.Request) []string {
	return []string{s.outside.PublicURL(r) + r.URL.RequestURI()}
}

// elsewhere says whether a request's address is nobody's word but its sender's: it is neither configured, nor the host of the Exchange
// or a site, nor the one at which the connection arrived. What was signed for another Exchange could be sent here with its host.
func (s *Server) elsewhere(r *http.Request) bool {
	if s.config.URL != "" {
		return false
	}
	u, err := url.Parse(s.outside.PublicURL(r))
	if err != nil {
		return true
	}
	if domain := s.config.exchangeDomain(); strings.EqualFold(u.Host, domain) || strings.EqualFold(u.Hostname(), domain) {
		return false
	}
	for _, site := range s.config.AllSites() {
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
