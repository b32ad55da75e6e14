package app

import (
	apphttp "frontdesk/internal/app/http"

	"crypto/ed25519"
	"encoding/hex"
	"net/http"
	"slices"
	"time"

	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/httpx"
	"frontdesk/internal/licensing/attestation"
	"frontdesk/internal/licensing/exchange"
	"frontdesk/internal/licensing/rampapi"
	"frontdesk/internal/policy"
	wire "frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
)

// attests has the door of RAMP attest what is offered of hosts that are served here, each in its
// own name.
func (s *seller) attests(config *rampapi.Config) {
	if !s.config.RAMP.Attest {
		return
	}
	own := &attestation.SelfAttester{Now: s.now, Key: func() (string, ed25519.PrivateKey, bool) {
		id, signer, ok := s.VerifierKeys.Current()
		private, of := signer.(ed25519.PrivateKey)
		return id, private, ok && of
	}}
	config.Attest = func(p *exchange.OfferDraft) (*rampv1.ResourceAttestation, error) {
		if _, served := s.config.siteAt(p.Package.Seller); !served || p.Package.Seller == "" {
			return nil, nil
		}
		w := p.Entry
		return own.Attest(p.Package.Seller, p.URL, p.Digest.String()+hex.EncodeToString(w.Hash[:]),
			func() attestation.Claims {
				c := attestation.Claims{Quantity: w.Tokens(), Words: w.Words, Language: w.Language, Title: w.Title,
					Categories: w.Categories}
				c.Hash = p.Digest // none of what somebody else delivers: nobody here knows the bytes
				return c
			})
	}
}

// verifierDocument is ramp-verifier.json of a host that is served here. Keys that were followed
// stay in it, with their end.
func (s *seller) verifierDocument(host string) (*httpx.Document, error) {
	if _, served := s.config.siteAt(host); !served || !s.config.RAMP.Attest {
		return nil, fail.New(fail.NotFound, "nothing is attested here in the name of %.100q", host)
	}
	var keys []wire.Key
	now := s.now()
	for _, key := range s.VerifierKeys.Keys() {
		keys = append(keys, wire.Key{ID: key.ID, Public: key.Public, From: key.Created, Until: key.Retires,
			Active: key.State(now) != "retired"})
	}
	return rampapi.DeclareVerifier(host, s.config.exchangeIdentity().Name, attestation.Schema,
		keys[:min(len(keys), maxVerifierKeys)])
}

// maxVerifierKeys is how many keys are published, the newest first: as many as others look at.
const maxVerifierKeys = 16

// verifierRoutes publish the keys with which sites attest things of their content, at their own
// hosts and for edges.
func (s *seller) verifierRoutes() []apphttp.Route {
	serve := func(host func(*http.Request) string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.verifierOf(host(r)).ServeHTTP(w, r) })
	}
	return []apphttp.Route{
		{Pattern: requesters.VerifierPath, Name: requesters.VerifierPath, Methods: apphttp.ReadMethods, CORS: true,
			Refuse: rampapi.WriteError, Handler: serve(s.provider)},
		{Pattern: rampapi.ProviderVerifier, Name: rampapi.ProviderVerifier, Methods: apphttp.ReadMethods, CORS: true,
			Refuse: rampapi.WriteError, Handler: serve(func(r *http.Request) string {
				host, _ := policy.Host("https://" + r.PathValue(rampapi.PolicyDomain) + "/")
				return host
			})},
	}
}

// verifierOf serves ramp-verifier.json of a host.
func (s *seller) verifierOf(host string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		document, err := s.verifierDocument(host)
		if err != nil {
			rampapi.WriteError(w, r, err)
			return
		}
		document.ServeHTTP(w, r)
	})
}

// Attests says whether a front desk of this configuration attests things in the name of a host.
func (c Config) Attests(host string) bool {
	_, served := c.siteAt(host)
	return served && c.RAMP.Enabled && c.RAMP.Attest
}

// attestationChecker looks whether attestations hold that others bring.
func (s *supply) attestationChecker() *attestation.Checker {
	return &attestation.Checker{
		Verifiers: s.config.Verifiers(s.now),
		Accepted:  func(domain string) bool { return slices.Contains(s.config.RAMP.Verifiers, domain) }, Now: s.now,
	}
}

// Verifiers are the keys that others publish to attest things, fetched within the networks that the
// configuration allows.
func (c Config) Verifiers(now func() time.Time) *requesters.Verifiers {
	return requesters.NewVerifiers(c.domainFetcher(requesters.AgentTime), now)
}

// Importer takes over what third parties attest of this front desk's own items.
func (s *supply) Importer() exchange.Importer {
	return exchange.Importer{Store: s.Shelves, Content: s.Catalog, Checker: s.attestationChecker(),
		Site: s.config.siteAt, Now: s.now}
}
