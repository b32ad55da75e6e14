package rampapi

import (
	"context"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"frontdesk/internal/identity"
	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/infra/httpx"
	wire "frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
)

// RequestDomainVerification gives a challenge by which a caller of the catalog can show that a
// domain is its own.
func (x exchangeService) RequestDomainVerification(ctx context.Context,
	r *connect.Request[rampv1.DomainVerificationRequest]) (*connect.Response[rampv1.DomainVerificationChallenge],
	error) {
	return supplied(ctx, x.handlers, r, x.challengeDomain)
}

// ConfirmDomainVerification looks whether the challenge is met, and registers the key that comes
// with it.
func (x exchangeService) ConfirmDomainVerification(ctx context.Context,
	r *connect.Request[rampv1.DomainVerificationConfirmation]) (*connect.Response[rampv1.DomainVerificationResult],
	error) {
	return supplied(ctx, x.handlers, r, x.proveDomain)
}

func (x exchangeService) challengeDomain(ctx context.Context, by *requesters.PushClient,
	m *rampv1.DomainVerificationRequest) (*rampv1.DomainVerificationChallenge, error) {
	if err := provable(m, m.Domain); err != nil {
		return nil, err
	}
	given, err := x.services.Domains.Challenge(ctx, by, m.Domain)
	if err != nil {
		return nil, err
	}
	return &rampv1.DomainVerificationChallenge{Token: given.Token, ExpiresAt: timestamppb.New(given.Ends),
		VerificationUrl: given.URL}, nil
}

func (x exchangeService) proveDomain(ctx context.Context, by *requesters.PushClient,
	m *rampv1.DomainVerificationConfirmation) (*rampv1.DomainVerificationResult, error) {
	if err := provable(m, m.Domain); err != nil {
		return nil, err
	}
	proven, err := x.services.Domains.Prove(ctx, by, m.Domain, m.Token, m.GetSigningKey(), m.GetCdnType())
	if err != nil {
		return nil, err
	}
	httpx.EventFrom(ctx).Set("verified", proven.Verified)
	if !proven.Verified {
		return &rampv1.DomainVerificationResult{FailureReason: &proven.Reason}, nil
	}
	return &rampv1.DomainVerificationResult{Verified: true, KeyId: optional(proven.KeyID),
		ValidUntil: timestamppb.New(proven.Until)}, nil
}

// maxToken is how many bytes a token may have in a confirmation: more than any that is given.
const maxToken = 256

// provable holds a request to the rules, and its domain to a form that has one reading: what is
// verified is a name as it stands in the catalog.
func provable(m proto.Message, domain string) error {
	if err := wire.Validate(m); err != nil {
		return err
	}
	if c, ok := m.(*rampv1.DomainVerificationConfirmation); ok && len(c.Token) > maxToken {
		return &wire.Invalid{Path: "token", Problem: "is longer than any that is given"}
	}
	if name, err := identity.ParseDomain(domain); err != nil || name != domain {
		return &wire.Invalid{Path: "domain", Problem: `has to be a host name in ASCII and lower case, without a port and a dot at its end, such as "www.example.com"; write names in other scripts as xn--...`}
	}
	return nil
}
