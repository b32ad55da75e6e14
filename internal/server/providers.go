package server

import (
	"fmt"
	"net/http"
	"net/url"

	"frontdesk/internal/fail"
	"frontdesk/internal/ramp"
	"frontdesk/internal/terms"
	"frontdesk/internal/wellknown"
)

// providerRoutes serve what the Exchange makes of a provider's terms, for edges and for those who read licences.
func (s *Server) providerRoutes() []route {
	manifest := s.rampDocument(func(r *http.Request, address string) (string, func() (*wellknown.Document, error)) {
		host, _ := terms.Host("https://" + r.PathValue(ramp.PolicyDomain) + "/")
		_, served := s.config.siteAt(host)
		others := s.config.otherExchanges()
		if !served && s.Tenants != nil {
			others = nil // a tenant says itself through whom else it sells
			host = soldAt("https://" + r.PathValue(ramp.PolicyDomain) + "/")
			served = s.Tenants.At(host) != nil
		}
		return fmt.Sprint("provider ", host, " ", served), func() (*wellknown.Document, error) {
			if !served {
				return nil, fail.New(fail.NotFound, "%.100q is no host of a site or a tenant here", r.PathValue(ramp.PolicyDomain))
			}
			return ramp.DeclareProvider(host, s.config.exchangeIdentity(), address, others...)
		}
	})
	manifest = s.upToDate(manifest)
	own := ramp.ServeRSL(s.Desk, func(r *http.Request) (domain, origin, how string) {
		return s.licensed(r, s.provider(r))
	})
	of := ramp.ServeRSL(s.Desk, func(r *http.Request) (domain, origin, how string) {
		return s.licensed(r, r.PathValue(ramp.PolicyDomain))
	})
	listed := func(domain func(*http.Request) string, path func(host string) string) http.Handler {
		return ramp.ServeSitemap(s.Desk, func(r *http.Request) (host, at string) {
			host, _, _ = s.licensed(r, domain(r))
			return host, s.outside.PublicURL(r) + path(host)
		})
	}
	ofHost := func(r *http.Request) string { return r.PathValue(ramp.PolicyDomain) }
	return []route{
		{pattern: ramp.ProviderSitemap, name: ramp.ProviderSitemap, methods: reading, cors: true, refuse: ramp.WriteError, handler: listed(ofHost, func(host string) string { return "/provider/" + host + "/ramp-sitemap.xml" })},
		{pattern: ramp.OwnSitemap, name: ramp.OwnSitemap, methods: reading, cors: true, refuse: ramp.WriteError, handler: listed(s.provider, func(string) string { return ramp.OwnSitemap })},
		{pattern: ramp.ProviderDocument, name: ramp.ProviderDocument, methods: reading, cors: true, refuse: ramp.WriteError, handler: manifest},
		{pattern: ramp.ProviderRSL, name: ramp.ProviderRSL, methods: reading, cors: true, refuse: ramp.WriteError, handler: of},
		{pattern: ramp.OwnRSL, name: ramp.OwnRSL, methods: reading, cors: true, refuse: ramp.WriteError, handler: own},
	}
}

// licensed is whose RSL document a request means: with what the addresses of the host begin, and where the Exchange's manifest is.
func (s *Server) licensed(r *http.Request, domain string) (host, origin, how string) {
	host, _ = terms.Host("https://" + domain + "/")
	origin = "https://" + host
	for _, site := range s.config.AllSites() {
		if at, err := url.Parse(site.URL); err == nil && at.Host != "" {
			if own, ok := terms.Host(at.Scheme + "://" + at.Host + "/"); ok && own == host {
				origin = at.Scheme + "://" + at.Host
			}
		}
	}
	return host, origin, s.outside.PublicURL(r) + ramp.ExchangeManifest
}

// upToDate has a request for a domain that is not known yet look whether another process has put its tenant in just now: an edge that is told no asks again
// after a minute only.
func (s *Server) upToDate(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, known := s.tenantAt(r.PathValue(ramp.PolicyDomain)); !known && s.Tenants != nil {
			if _, err := s.Tenants.Refresh(r.Context()); err != nil {
				ramp.WriteError(w, r, err)
				return
			}
		}
		handler.ServeHTTP(w, r)
	})
}
