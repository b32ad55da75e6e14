package server

import (
	"crypto/ed25519"
	"encoding/hex"
	"net/http"

	"frontdesk/internal/attest"
	"frontdesk/internal/desk"
	"frontdesk/internal/fail"
	"frontdesk/internal/ramp"
	"frontdesk/internal/terms"
	"frontdesk/internal/trust"
	"frontdesk/internal/wellknown"
	wire "frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
)

// attests has the door of RAMP attest what is offered of hosts that are served here, each in its own name.
func (s *Server) attests(config *ramp.Config) {
	if !s.config.RAMP.Attest {
		return
	}
	own := &attest.Own{Now: s.now, Key: func() (string, ed25519.PrivateKey, bool) {
		id, signer, ok := s.VerifierKeys.Current()
		private, of := signer.(ed25519.PrivateKey)
		return id, private, ok && of
	}}
	config.Attest = func(p *desk.Proposal) (*rampv1.ResourceAttestation, error) {
		if _, served := s.config.siteAt(p.Package.Seller); !served || p.Package.Seller == "" {
			return nil, nil
		}
		w := p.Ware
		return own.Of(p.Package.Seller, p.URL, p.Hash+hex.EncodeToString(w.Hash[:]), func() attest.Claims {
			c := attest.Claims{Quantity: w.Tokens(), Words: w.Words, Language: w.Language, Title: w.Title, Categories: w.Categories}
			if p.Hash != "" { // of what somebody else delivers nobody here knows the bytes
				c.Hash = w.Hash[:]
			}
			return c
		})
	}
}

// verifierDocument is ramp-verifier.json of a host that is served here. Keys that were followed stay in it, with their end.
func (s *Server) verifierDocument(host string) (*wellknown.Document, error) {
	if _, served := s.config.siteAt(host); !served || !s.config.RAMP.Attest {
		return nil, fail.New(fail.NotFound, "nothing is attested here in the name of %.100q", host)
	}
	var keys []wire.Key
	now := s.now()
	for _, key := range s.VerifierKeys.Keys() {
		keys = append(keys, wire.Key{ID: key.ID, Public: key.Public, From: key.Created, Until: key.Retires, Active: key.State(now) != "retired"})
	}
	return ramp.DeclareVerifier(host, s.config.exchangeIdentity().Name, attest.Schema, keys[:min(len(keys), maxVerifierKeys)])
}

// maxVerifierKeys is how many keys are published, the newest first: as many as others look at.
const maxVerifierKeys = 16

// verifierRoutes publish the keys with which sites attest things of their content, at their own hosts and for edges.
func (s *Server) verifierRoutes() []route {
	serve := func(host func(*http.Request) string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.verifierOf(host(r)).ServeHTTP(w, r) })
	}
	return []route{
		{pattern: trust.VerifierPath, name: trust.VerifierPath, methods: reading, cors: true, refuse: ramp.WriteError, handler: serve(s.provider)},
		{pattern: ramp.ProviderVerifier, name: ramp.ProviderVerifier, methods: reading, cors: true, refuse: ramp.WriteError, handler: serve(func(r *http.Request) string {
			host, _ := terms.Host("https://" + r.PathValue(ramp.PolicyDomain) + "/")
			return host
		})},
	}
}

// verifierOf serves ramp-verifier.json of a host.
func (s *Server) verifierOf(host string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		document, err := s.verifierDocument(host)
		if err != nil {
			ramp.WriteError(w, r, err)
			return
		}
		document.ServeHTTP(w, r)
	})
}
