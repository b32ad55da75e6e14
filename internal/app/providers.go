package app

import (
	apphttp "frontdesk/internal/app/http"

	"fmt"
	"net/http"
	"net/url"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/httpx"
	"frontdesk/internal/licensing/rampapi"
	"frontdesk/internal/policy"
)

// providerRoutes serve what the Exchange makes of a provider's terms, for edges and for those who
// read licences.
func (s *seller) providerRoutes() []apphttp.Route {
	manifest := s.rampDocument(func(r *http.Request, address string) (string, func() (*httpx.Document, error)) {
		host, _ := policy.Host("https://" + r.PathValue(rampapi.PolicyDomain) + "/")
		_, served := s.config.siteAt(host)
		others := s.config.RAMP.OtherExchanges()
		if !served && s.Tenants != nil {
			others = nil // a tenant says itself through whom else it sells
			host = soldAt("https://" + r.PathValue(rampapi.PolicyDomain) + "/")
			served = s.Tenants.At(host) != nil
		}
		return fmt.Sprint("provider ", host, " ", served), func() (*httpx.Document, error) {
			if !served {
				return nil, fail.New(fail.NotFound, "%.100q is no host of a site or a tenant here",
					r.PathValue(rampapi.PolicyDomain))
			}
			return rampapi.DeclareProvider(host, s.config.exchangeIdentity(), address, others...)
		}
	})
	manifest = s.upToDate(manifest)
	own := rampapi.ServeRSL(s.Published, func(r *http.Request) (domain, origin, how string) {
		return s.licensed(r, s.provider(r))
	})
	of := rampapi.ServeRSL(s.Published, func(r *http.Request) (domain, origin, how string) {
		return s.licensed(r, r.PathValue(rampapi.PolicyDomain))
	})
	listed := func(domain func(*http.Request) string, path func(host string) string) http.Handler {
		return rampapi.ServeSitemap(s.Published, func(r *http.Request) (host, at string) {
			host, _, _ = s.licensed(r, domain(r))
			return host, s.outside.PublicURL(r) + path(host)
		})
	}
	ofHost := func(r *http.Request) string { return r.PathValue(rampapi.PolicyDomain) }
	return []apphttp.Route{
		{Pattern: rampapi.ProviderSitemap, Name: rampapi.ProviderSitemap, Methods: apphttp.ReadMethods, CORS: true,
			Refuse:  rampapi.WriteError,
			Handler: listed(ofHost, func(host string) string { return "/provider/" + host + "/ramp-sitemap.xml" })},
		{Pattern: rampapi.OwnSitemap, Name: rampapi.OwnSitemap, Methods: apphttp.ReadMethods, CORS: true,
			Refuse: rampapi.WriteError, Handler: listed(s.provider, func(string) string { return rampapi.OwnSitemap })},
		{Pattern: rampapi.ProviderDocument, Name: rampapi.ProviderDocument, Methods: apphttp.ReadMethods, CORS: true,
			Refuse: rampapi.WriteError, Handler: manifest},
		{Pattern: rampapi.ProviderRSL, Name: rampapi.ProviderRSL, Methods: apphttp.ReadMethods, CORS: true,
			Refuse: rampapi.WriteError, Handler: of},
		{Pattern: rampapi.OwnRSL, Name: rampapi.OwnRSL, Methods: apphttp.ReadMethods, CORS: true,
			Refuse: rampapi.WriteError, Handler: own},
	}
}

// licensed is whose RSL document a request means: with what the addresses of the host begin, and
// where the Exchange's manifest is.
func (s *seller) licensed(r *http.Request, domain string) (host, origin, how string) {
	host, _ = policy.Host("https://" + domain + "/")
	origin = "https://" + host
	for _, site := range s.config.AllSites() {
		if at, err := url.Parse(site.URL); err == nil && at.Host != "" {
			if own, ok := policy.Host(at.Scheme + "://" + at.Host + "/"); ok && own == host {
				origin = at.Scheme + "://" + at.Host
			}
		}
	}
	return host, origin, s.outside.PublicURL(r) + rampapi.ExchangeManifest
}

// upToDate has a request for a domain that is not known yet look whether another process has put
// its tenant in just now: an edge that is told no asks again after a minute only.
func (s *seller) upToDate(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, known := s.tenantAt(r.PathValue(rampapi.PolicyDomain)); !known && s.Tenants != nil {
			if _, err := s.Tenants.Refresh(r.Context()); err != nil {
				rampapi.WriteError(w, r, err)
				return
			}
		}
		handler.ServeHTTP(w, r)
	})
}
