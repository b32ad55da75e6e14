package client

import (
	"context"
	"crypto/ed25519"
	"errors"
	"strings"

	"frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
)

// Domains lets a provider show an Exchange of RAMP v1 that domains are its own, as [OpenDomains]
// found it. It is safe for concurrent use.
type Domains struct {
	exchange *Exchange
	caller   string
}

// OpenDomains reads the manifest of an Exchange at its address. The caller is as of [OpenCatalog];
// addresses and options are as of [OpenExchange].
func OpenDomains(ctx context.Context, address, caller string, key ed25519.PrivateKey,
	options Options) (*Domains, error) {
	if caller == "" || key == nil {
		return nil, errors.New("an Exchange wants to know who has a domain: give the caller's id and key")
	}
	x, err := openSupplier(ctx, address, caller, key, options)
	if err != nil {
		return nil, err
	}
	if x.manifest.GetExchangeEndpoint() == "" {
		return nil, &NotAnExchange{address, "it names no exchange_endpoint: nobody can be asked there"}
	}
	x.base = strings.TrimSuffix(x.manifest.GetExchangeEndpoint(), "/") + exchangePath
	return &Domains{x, caller}, private(x.base)
}

// openSupplier reads the manifest of an Exchange for one of its callers.
func openSupplier(ctx context.Context, address, caller string, key ed25519.PrivateKey,
	options Options) (*Exchange, error) {
	ctx, cancel := context.WithTimeout(ctx, maxAttempt)
	defer cancel()
	return withManifest(ctx, address, Buyer{ID: caller, Domain: caller, Key: key}, options)
}

// Exchange is the domain by which the Exchange is known, and its ExchangeService: ramp.json of a
// domain has to name both.
func (d *Domains) Exchange() (domain, endpoint string) {
	return d.exchange.manifest.GetDomain(), d.exchange.manifest.GetExchangeEndpoint()
}

// Request asks for a challenge of a domain (RAMP v1, RequestDomainVerification): its token has to
// be answered at its address before it ends.
func (d *Domains) Request(ctx context.Context, domain string) (*rampv1.DomainVerificationChallenge, error) {
	challenge := &rampv1.DomainVerificationChallenge{}
	if _, err := d.exchange.call(ctx, "RequestDomainVerification",
		&rampv1.DomainVerificationRequest{Ver: "1.0", Domain: domain, CallerId: &d.caller}, challenge); err != nil {
		return nil, err
	}
	return challenge, ramp.Validate(challenge)
}

// SigningKey is a key with which an Exchange is to sign addresses at a domain.
type SigningKey struct {
	Type string // cloudfront, akamai, fastly or hmac
	Text string // a private key in PEM for cloudfront, and a secret in hex for others
}

// Confirm has a challenge be looked at, and a key be registered with it; nil for none (RAMP v1,
// ConfirmDomainVerification). A challenge is good for one look. That the domain was not verified is
// no error: the result says why.
func (d *Domains) Confirm(ctx context.Context, domain, token string,
	key *SigningKey) (*rampv1.DomainVerificationResult, error) {
	m := &rampv1.DomainVerificationConfirmation{Ver: "1.0", Domain: domain, Token: token}
	if key != nil {
		m.SigningKey, m.CdnType = &key.Text, &key.Type
	}
	result := &rampv1.DomainVerificationResult{}
	_, err := d.exchange.call(ctx, "ConfirmDomainVerification", m, result)
	return result, err
}
