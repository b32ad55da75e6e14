package ramp

import (
	"strings"

	"google.golang.org/protobuf/proto"

	compv1 "frontdesk/wire/comp/v1"
	rampv1 "frontdesk/wire/ramp/v1"
)

// rules are those of one message, of which messages within are held against their own.
func rules(m proto.Message) *Invalid {
	switch m := m.(type) {
	case *rampv1.ResourceQuery:
		return first(version(m.Ver), required("id", m.Id), set("requester", m.Requester != nil),
			positive("deadline", m.Deadline))
	case *rampv1.ResourceResponse:
		return first(version(m.Ver), required("id", m.Id), required("exchange", m.Exchange))
	case *rampv1.OfferGroup:
		return required("uri", m.Uri)
	case *rampv1.RateLimitInfo:
		return first(notNegative("limit", m.Limit), notNegative("remaining", m.Remaining),
			set("reset_at", m.ResetAt != nil), positive("window", m.Window))
	case *rampv1.Requester:
		return first(required("id", m.Id), domain("domain", m.Domain), filled("uris", m.Uris),
			algorithm("signature_algorithm", m.SignatureAlgorithm))
	case *rampv1.Delegation:
		return first(domain("principal_domain", m.PrincipalDomain), required("principal_id", m.PrincipalId),
			set("expires_at", m.ExpiresAt != nil),
			required("token", m.Token), notNegative("max_accesses", m.GetMaxAccesses()),
			positive("quota_period", m.QuotaPeriod))
	case *rampv1.IntermediaryHop:
		return nil // whatever is wrong with one is a matter of who sent it: see CheckHops
	case *rampv1.Offer:
		return offer(m)
	case *rampv1.Preview:
		return first(required("url", m.Url), notNegative("width", m.GetWidth()), notNegative("height", m.GetHeight()),
			notNegative("duration", m.GetDuration()))
	case *rampv1.ResourceAttestation:
		return attestation(m)
	case *rampv1.Pricing:
		return first(notNegative("rate", m.Rate), currency("currency", m.Currency, m.Rate > 0 || m.GetUnitCost() > 0),
			notNegative("unit_cost", m.GetUnitCost()),
			notNegative("estimated_quantity", m.GetEstimatedQuantity()), share("revshare", m.GetRevshare()),
			notNegative("license_duration_months", m.GetLicenseDurationMonths()))
	case *rampv1.AccessRestrictions:
		return first(countries("permitted_geo", m.PermittedGeo), countries("prohibited_geo", m.ProhibitedGeo),
			notNegative("max_display_words", m.GetMaxDisplayWords()))
	case *rampv1.SubscriptionQuotaInfo:
		return first(required("subscription_id", m.SubscriptionId), notNegative("quota_limit", m.QuotaLimit),
			notNegative("quota_used", m.QuotaUsed),
			notNegative("quota_remaining", m.QuotaRemaining))
	case *rampv1.Cost:
		return first(notNegative("amount", m.Amount), currency("currency", m.Currency, m.Amount > 0 ||
			m.GetUnitCost() > 0), notNegative("unit_cost", m.GetUnitCost()))
	case *rampv1.ReportingObligation:
		return positive("window", m.Window)
	case *rampv1.TransactionRequest:
		return transaction(m)
	case *rampv1.TransactionItem:
		return required("offer_id", m.OfferId)
	case *rampv1.TransactionResponse:
		return first(version(m.Ver), required("id", m.Id), required("agent_identity_hash", m.AgentIdentityHash))
	case *rampv1.TransactionResultItem:
		return required("offer_id", m.OfferId)
	}
	return moreRules(m)
}

func moreRules(m proto.Message) *Invalid {
	switch m := m.(type) {
	case *rampv1.UsageReport:
		return first(version(m.Ver), required("id", m.Id), required("transaction_id", m.TransactionId),
			required("billing_id", m.BillingId),
			set("usage", m.Usage != nil), set("timestamp", m.Timestamp != nil))
	case *rampv1.Usage:
		return notNegative("consumed_quantity", m.ConsumedQuantity)
	case *rampv1.UsageAsset:
		return required("uri", m.Uri)
	case *rampv1.UsageReportResponse:
		return first(set("report_id", !m.Accepted || m.ReportId != ""),
			set("rejection_reason", m.Accepted || m.GetRejectionReason() != ""))
	case *rampv1.DisputeRequest:
		return first(version(m.Ver), required("id", m.Id), required("transaction_id", m.TransactionId),
			required("billing_id", m.BillingId),
			set("reason", m.Reason != 0), required("report_id", m.ReportId))
	case *rampv1.DisputeResponse:
		return first(set("dispute_id", !m.Accepted || m.DisputeId != ""),
			set("rejection_reason", m.Accepted || m.GetRejectionReason() != ""))
	case *rampv1.DomainVerificationRequest:
		return first(version(m.Ver), domain("domain", m.Domain))
	case *rampv1.DomainVerificationChallenge:
		return first(required("token", m.Token), set("expires_at", m.ExpiresAt != nil),
			required("verification_url", m.VerificationUrl))
	case *rampv1.DomainVerificationConfirmation:
		return confirmation(m)
	case *rampv1.DomainVerificationResult:
		return set("failure_reason", m.Verified || m.GetFailureReason() != "")
	case *rampv1.RAMPRequest:
		return first(version(m.Ver), required("id", m.Id), set("requester", m.Requester != nil))
	case *rampv1.RequestConstraints:
		return first(notNegative("max_unit_cost", m.GetMaxUnitCost()), positive("budget_period", m.BudgetPeriod),
			positive("max_data_age", m.MaxDataAge))
	case *rampv1.RAMPResponse:
		return first(version(m.Ver), required("id", m.Id), required("request_id", m.RequestId))
	case *rampv1.PushResourcesRequest:
		return first(required("tenant_id", m.TenantId), atMost("entries", len(m.Entries), MaxEntries))
	case *rampv1.ResourceEntry:
		return first(entryPlace(m), notNegative("word_count", m.GetWordCount()),
			notNegative("estimated_quantity", m.GetEstimatedQuantity()),
			atMost("attestations", len(m.Attestations), MaxAttestations))
	case *rampv1.PushResourcesResponse:
		return first(notNegative("accepted", m.Accepted), notNegative("rejected", m.Rejected))
	case *rampv1.RemoveResourcesRequest:
		return first(required("tenant_id", m.TenantId), filled("paths", m.Paths))
	case *rampv1.RemoveResourcesResponse:
		return notNegative("removed", m.Removed)
	case *rampv1.RefreshCatalogRequest:
		return required("tenant_id", m.TenantId)
	}
	return documentRules(m)
}

// documentRules are those of the documents at well-known addresses, and of packages.
func documentRules(m proto.Message) *Invalid {
	switch m := m.(type) {
	case *rampv1.ProviderManifest:
		return first(version(m.Ver), domain("provider", m.Provider))
	case *rampv1.CatalogContributor:
		return domain("domain", m.Domain)
	case *rampv1.AuthorizedExchange:
		return domain("domain", m.Domain)
	case *rampv1.ExchangeManifest:
		return first(version(m.Ver), domain("domain", m.Domain), required("name", m.Name),
			required("operator", m.Operator),
			required("exchange_endpoint", m.ExchangeEndpoint), required("keys_uri", m.KeysUri),
			set("protocol_versions_supported", len(m.ProtocolVersionsSupported) > 0),
			set("pricing_models_supported", len(m.PricingModelsSupported) > 0),
			set("delivery_methods_supported", len(m.DeliveryMethodsSupported) > 0),
			currency("base_currency", m.GetBaseCurrency(), false))
	case *rampv1.AccessPolicyRule:
		return required("pattern", m.Pattern)
	case *compv1.Package:
		return required("id", m.Id)
	case *compv1.License:
		return first(notNegative("maxword", m.GetMaxword()), notNegative("price", m.GetPrice()),
			share("revshare", m.GetRevshare()),
			currency("cur", m.GetCur(), false), notNegative("dur", m.GetDur()))
	case *compv1.Retrieval:
		return notNegative("ratelmt", m.GetRatelmt())
	}
	return nil
}

// EntryURI is the URI of an entry for a resource that is no page of the web, such as
// "duns:804735132"; empty for an entry that domain and path name. It stands in path, or, without
// domain and path, in content_id.
func EntryURI(m *rampv1.ResourceEntry) string {
	switch {
	case otherURI(m.Path):
		return m.Path
	case m.Path == "" && m.Domain == "" && otherURI(m.GetContentId()):
		return m.GetContentId()
	}
	return ""
}

// otherURI says whether a text begins as a URI of another scheme than the web's.
func otherURI(text string) bool {
	scheme, rest, ok := strings.Cut(text, ":")
	if !ok || rest == "" || strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https") {
		return false
	}
	return len(scheme) > 1 &&
		strings.Trim(scheme, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-") == ""
}

// entryPlace holds that an entry is at a path of a domain, or has a URI of another kind. Domain and
// path apply to pages alone.
func entryPlace(m *rampv1.ResourceEntry) *Invalid {
	if uri := EntryURI(m); uri != "" {
		if m.Domain != "" {
			return first(domain("domain", m.Domain), short2048("path", uri))
		}
		return short2048("path", uri)
	}
	return first(domain("domain", m.Domain), required("path", m.Path), short2048("path", m.Path))
}

// offer is what an Exchange has to keep to in its offers, that of live and of dynamic content
// included.
func offer(m *rampv1.Offer) *Invalid {
	mutability := m.GetIdentity().GetResourceMutability()
	if mutability == rampv1.ResourceMutability_RESOURCE_MUTABILITY_LIVE && m.Identity.ContentHash != nil {
		return &Invalid{"identity.content_hash", "is not for live content, which does not exist yet"}
	}
	if mutability == rampv1.ResourceMutability_RESOURCE_MUTABILITY_DYNAMIC && m.DataAsOf == nil {
		return &Invalid{"data_as_of", "is required of dynamic content"}
	}
	return first(required("offer_id", m.OfferId), set("package", m.Package != nil), set("pricing", m.Pricing != nil),
		required("exchange_signature", m.ExchangeSignature), algorithm("signature_algorithm", m.SignatureAlgorithm),
		atMost("attestations", len(m.Attestations), MaxAttestations))
}

func attestation(m *rampv1.ResourceAttestation) *Invalid {
	if found := first(domain("verifier", m.Verifier), required("kid", m.Kid), set("attested_at", m.AttestedAt != nil),
		required("uri", m.Uri),
		required("signature", m.Signature)); found != nil {
		return found
	}
	if carried(m.Claims, plainLevels) {
		return nil
	}
	if _, err := claimsJSON(m); err != nil {
		return &Invalid{"claims", "has to be an object that JSON can carry"}
	}
	return nil // how large its claims are is for who verifies it: one too large spoils no other (see VerifyAttestation)
}

// transaction holds that a purchase is by one offer or by a list of them. A signature that is
// missing is as wrong as any other, and denied rather than refused.
func transaction(m *rampv1.TransactionRequest) *Invalid {
	if found := first(version(m.Ver), required("id", m.Id), set("requester", m.Requester != nil)); found != nil {
		return found
	}
	if len(m.Items) == 0 {
		return required("offer_id", m.GetOfferId())
	}
	if m.GetOfferId() != "" || m.GetOfferSignature() != "" {
		return &Invalid{"items", "excludes offer_id and offer_signature: buy by one offer, or by a list"}
	}
	return atMost("items", len(m.Items), MaxItems)
}

func confirmation(m *rampv1.DomainVerificationConfirmation) *Invalid {
	if found := first(version(m.Ver), domain("domain", m.Domain), required("token", m.Token)); found != nil {
		return found
	}
	switch m.GetCdnType() {
	case "cloudfront", "akamai", "fastly", "hmac":
		return nil
	case "":
		return set("cdn_type", m.GetSigningKey() == "")
	}
	return &Invalid{"cdn_type", "has to be cloudfront, akamai, fastly or hmac"}
}
