package server

import (
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/desk"
	"frontdesk/internal/identity"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/httpx"
	"frontdesk/internal/licensing/attestation"
	"frontdesk/internal/licensing/catalog"
	"frontdesk/internal/licensing/catalog/push"
	"frontdesk/internal/licensing/rampapi"
	"frontdesk/internal/policy"
	wire "frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
)

// attests has the door of RAMP attest what is offered of hosts that are served here, each in its own name.
func (s *Server) attests(config *rampapi.Config) {
	if !s.config.RAMP.Attest {
		return
	}
	own := &attestation.Own{Now: s.now, Key: func() (string, ed25519.PrivateKey, bool) {
		id, signer, ok := s.VerifierKeys.Current()
		private, of := signer.(ed25519.PrivateKey)
		return id, private, ok && of
	}}
	config.Attest = func(p *desk.Proposal) (*rampv1.ResourceAttestation, error) {
		if _, served := s.config.siteAt(p.Package.Seller); !served || p.Package.Seller == "" {
			return nil, nil
		}
		w := p.Ware
		return own.Of(p.Package.Seller, p.URL, p.Digest.String()+hex.EncodeToString(w.Hash[:]), func() attestation.Claims {
			c := attestation.Claims{Quantity: w.Tokens(), Words: w.Words, Language: w.Language, Title: w.Title, Categories: w.Categories}
			c.Hash = p.Digest // none of what somebody else delivers: nobody here knows the bytes
			return c
		})
	}
}

// verifierDocument is ramp-verifier.json of a host that is served here. Keys that were followed stay in it, with their end.
func (s *Server) verifierDocument(host string) (*httpx.Document, error) {
	if _, served := s.config.siteAt(host); !served || !s.config.RAMP.Attest {
		return nil, fail.New(fail.NotFound, "nothing is attested here in the name of %.100q", host)
	}
	var keys []wire.Key
	now := s.now()
	for _, key := range s.VerifierKeys.Keys() {
		keys = append(keys, wire.Key{ID: key.ID, Public: key.Public, From: key.Created, Until: key.Retires, Active: key.State(now) != "retired"})
	}
	return rampapi.DeclareVerifier(host, s.config.exchangeIdentity().Name, attestation.Schema, keys[:min(len(keys), maxVerifierKeys)])
}

// maxVerifierKeys is how many keys are published, the newest first: as many as others look at.
const maxVerifierKeys = 16

// verifierRoutes publish the keys with which sites attest things of their content, at their own hosts and for edges.
func (s *Server) verifierRoutes() []route {
	serve := func(host func(*http.Request) string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.verifierOf(host(r)).ServeHTTP(w, r) })
	}
	return []route{
		{pattern: identity.VerifierPath, name: identity.VerifierPath, methods: reading, cors: true, refuse: rampapi.WriteError, handler: serve(s.provider)},
		{pattern: rampapi.ProviderVerifier, name: rampapi.ProviderVerifier, methods: reading, cors: true, refuse: rampapi.WriteError, handler: serve(func(r *http.Request) string {
			host, _ := policy.Host("https://" + r.PathValue(rampapi.PolicyDomain) + "/")
			return host
		})},
	}
}

// verifierOf serves ramp-verifier.json of a host.
func (s *Server) verifierOf(host string) http.Handler {
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
func (h *House) attestationChecker(config Config) *attestation.Checker {
	return &attestation.Checker{
		Verifiers: config.Verifiers(h.now), Accepted: func(domain string) bool { return slices.Contains(config.RAMP.Verifiers, domain) }, Now: h.now,
	}
}

// Verifiers are the keys that others publish to attest things, fetched within the networks that the configuration allows.
func (c Config) Verifiers(now func() time.Time) *identity.Verifiers {
	return identity.NewVerifiers(c.agentFetcher(), now)
}

// Why an attestation is not imported, beside what [attestation.Reason] has.
const (
	importNotOurs  = "UNKNOWN_URI"
	importOfWhom   = "OWN_ATTESTATION"
	importTooMany  = "TOO_MANY_ATTESTATIONS"
	importNotValid = "INVALID_ATTESTATION"
)

// Imported is what came of one attestation that was to be imported.
type Imported struct {
	Attestation    *rampv1.ResourceAttestation
	Reason, Detail string // why it was refused; empty where it was taken
}

// ImportAttestations takes over what third parties attest of this front desk's own items, which offers then tell: each that holds as at a push, and
// in the place of what its verifier attested of the item before. It needs what OpenSupply opens. After an error, which is of what may be another
// time, it may be done again.
func (h *House) ImportAttestations(ctx context.Context, config Config, all []*rampv1.ResourceAttestation) ([]Imported, error) {
	out, checker, now := make([]Imported, len(all)), h.attestationChecker(config), h.now().UTC().Truncate(time.Microsecond)
	batches := map[string]*push.Batch{}
	type place struct{ site, address, verifier string }
	entries := map[place]*push.Entry{}
	for i, a := range all {
		out[i].Attestation = a
		site, address, refused, err := h.importable(ctx, config, checker, a)
		if err != nil {
			return nil, err
		}
		at := place{site, address, a.GetVerifier()}
		if e := entries[at]; refused.Reason == "" && e != nil && len(e.Attestations) >= wire.MaxAttestations {
			refused = Imported{Reason: importTooMany, Detail: fmt.Sprintf("an item has at most %d of one verifier", wire.MaxAttestations)}
		}
		if out[i].Reason, out[i].Detail = refused.Reason, refused.Detail; refused.Reason != "" {
			continue
		}
		text, err := wire.Marshal(a)
		if err != nil {
			return nil, err
		}
		if entries[at] == nil {
			entries[at] = &push.Entry{Address: address, Author: a.Verifier, Caller: "operator", Pushed: now, Aside: true}
			if batches[site] == nil {
				batches[site] = &push.Batch{Tenant: site}
			}
			batches[site].Entries = append(batches[site].Entries, entries[at])
		}
		entries[at].Attestations = append(entries[at].Attestations, text)
	}
	for _, site := range slices.Sorted(maps.Keys(batches)) {
		if _, err := h.Shelves.Put(ctx, *batches[site]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// importable says for which site and address an attestation is imported, or why it is refused. The error is of what may be another time.
func (h *House) importable(ctx context.Context, config Config, checker *attestation.Checker, a *rampv1.ResourceAttestation) (site, address string, refused Imported, err error) {
	refuse := func(reason, format string, args ...any) (string, string, Imported, error) {
		return "", "", Imported{Reason: reason, Detail: fmt.Sprintf(format, args...)}, nil
	}
	if err := wire.Validate(a); err != nil {
		return refuse(importNotValid, "%v", err)
	}
	address, err = catalog.Canonical(a.Uri)
	if err != nil {
		return refuse(importNotOurs, "%.200q is no address of the web", a.Uri)
	}
	host, _, _ := strings.Cut(address, "/")
	site, ours := config.siteAt(host)
	if !ours {
		return refuse(importNotOurs, "%.200q is at none of the hosts that are served here", a.Uri)
	}
	if wire.LevelOf(a, host) == wire.LevelSelf {
		return refuse(importOfWhom, "%s is the provider itself, in whose name this front desk attests (ramp.attest)", host)
	}
	refs, err := h.Catalog.Find(ctx, site, a.Uri)
	if err != nil {
		return "", "", Imported{}, err
	}
	if len(refs) == 0 {
		return refuse(importNotOurs, "no item of %s is at %.200q; the address has to be written as the item has it", site, a.Uri)
	}
	_, err = checker.Check(ctx, attestation.Subject{Provider: host, URI: a.Uri}, []*rampv1.ResourceAttestation{a})
	var wrong *attestation.Rejection
	if errors.As(err, &wrong) {
		return refuse(string(wrong.Reason), "%v", wrong.Err)
	}
	return site, address, Imported{}, err
}
