package rampapi

import (
	"context"
	"net/http"
	"time"

	"frontdesk/internal/infra/httpx"
	"frontdesk/internal/licensing/published"
	"frontdesk/wire/edge"
	wire "frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
)

// AccessPolicy is the path of a provider's access policy, and PolicyDomain the part of it that is
// the provider's domain.
const (
	AccessPolicy = "/provider/{domain}/access-policy.json"
	PolicyDomain = "domain"
)

// PolicyKey is the member of ext by which ramp.json names the access policy.
const PolicyKey = "ramp.access_policy_uri"

// policyCacheControl says how long a policy may be used without asking again. An edge that goes by
// it is behind by so much.
const policyCacheControl = "public, max-age=300"

// policyTime is how long making the policy may take.
const policyTime = 20 * time.Second

// access is what an item's access is called in the protocol (RAMP v1, ResourceAccessPolicy).
var access = map[string]rampv1.ResourceAccessPolicy{
	"open":     rampv1.ResourceAccessPolicy_RESOURCE_ACCESS_POLICY_OPEN,
	"licensed": rampv1.ResourceAccessPolicy_RESOURCE_ACCESS_POLICY_LICENSED,
	"blocked":  rampv1.ResourceAccessPolicy_RESOURCE_ACCESS_POLICY_BLOCKED,
}

// ServePolicy serves the access policy of the provider that the path names.
func ServePolicy(s *published.Service) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), policyTime)
		defer cancel()
		document, err := declarePolicy(ctx, s, r.PathValue(PolicyDomain))
		if err != nil {
			WriteError(w, r, err)
			return
		}
		document.ServeHTTP(w, r)
	})
}

// declarePolicy makes the access policy of a provider.
func declarePolicy(ctx context.Context, s *published.Service, domain string) (*httpx.Document, error) {
	policy, partial, err := s.AccessPolicy(ctx, domain)
	if err != nil {
		return nil, err
	}
	m := &rampv1.AccessPolicy{DefaultPolicy: access[string(policy.Default)]}
	for _, rule := range policy.Rules {
		m.Rules = append(m.Rules, &rampv1.AccessPolicyRule{Pattern: rule.Pattern, Policy: access[string(rule.Access)]})
	}
	if err := wire.Validate(m); err != nil {
		return nil, err
	}
	document, err := ready(wire.Marshal(m))
	if err != nil {
		return nil, err
	}
	if document = document.WithCacheControl(policyCacheControl); partial {
		document = document.WithHeader(edge.PartialHeader, edge.Partial)
	}
	return document, nil
}
