package ramp_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/reflect/protoreflect"

	compv1 "frontdesk/wire/comp/v1"
	rampv1 "frontdesk/wire/ramp/v1"
)

// numbers are the fields of every message by their numbers, written down from the protocol's tables
// and not from the schema: what is numbered otherwise is read by nobody else. Gaps are meant: ext
// of an ExchangeManifest is 20, where 15 is a text; a TransactionResponse goes on behind its ext; a
// Usage has no 7.
var numbers = map[string]string{
	"comp.v1.AISystem":         "1 name, 2 ua, 3 id, 4 aisysuse, 15 ext",
	"comp.v1.AISystemUse":      "1 lid, 2 aiauth, 3 uri, 4 scope, 5 function, 6 subfn, 7 resdis, 15 ext",
	"ramp.v1.AccessPolicy":     "1 default_policy, 2 rules",
	"ramp.v1.AccessPolicyRule": "1 pattern, 2 policy",
	"ramp.v1.AccessRestrictions": "1 permitted_functions, 2 prohibited_functions, 3 permitted_users, 4 " +
		"prohibited_users, 5 permitted_geo, 6 prohibited_geo, 7 max_display_words, 15 ext, 90 ext_critical",
	"ramp.v1.AttributionDetail": "1 displayed_url, 2 format, 3 visible_to_user",
	"comp.v1.Audio": "1 title, 2 dur, 3 wordcount, 4 transcript, 5 pubdate, 6 published, 7 " +
		"update, 8 author, 9 sourcetype, 10 provenance, 11 provent, 12 c2pa, 15 ext",
	"ramp.v1.AuthorizedExchange": "1 domain, 2 endpoint, 3 relationship, 15 ext, 90 ext_critical",
	"ramp.v1.CatalogContributor": "1 domain, 2 relationship",
	"ramp.v1.Cost":               "1 amount, 2 currency, 3 unit_cost",
	"ramp.v1.Delegation": "1 principal_domain, 2 principal_id, 3 scopes, 4 expires_at, 5 " +
		"max_spend, 6 token, 7 token_format, 8 revocation_uri, 9 max_accesses, " +
		"10 quota_period, 15 ext, 90 ext_critical",
	"ramp.v1.DisputeRequest": "1 ver, 2 id, 3 transaction_id, 4 billing_id, 5 reason, 6 description, " +
		"7 received_content_hash, 8 received_hash_method, 10 report_id, 15 ext, 90 ext_critical",
	"ramp.v1.DisputeResponse": "1 accepted, 2 dispute_id, 3 rejection_reason, 4 estimated_resolution, " +
		"5 status, 6 resolution, 15 ext, 90 ext_critical",
	"ramp.v1.DomainVerificationChallenge":    "1 token, 2 expires_at, 3 verification_url",
	"ramp.v1.DomainVerificationConfirmation": "1 ver, 2 domain, 3 token, 4 signing_key, 5 cdn_type",
	"ramp.v1.DomainVerificationRequest":      "1 ver, 2 domain, 4 caller_id",
	"ramp.v1.DomainVerificationResult":       "1 verified, 2 key_id, 3 failure_reason, 4 valid_until",
	"ramp.v1.ExchangeManifest": "1 ver, 2 domain, 3 name, 4 operator, 5 operator_domain, 6 " +
		"exchange_endpoint, 7 keys_uri, 8 health_endpoint, 9 catalog_endpoint, 10 protocol_versions_supported, " +
		"11 pricing_models_supported, 12 delivery_methods_supported, 13 hash_methods_supported, " +
		"14 accepted_verifiers, 15 contact_email, 16 terms_uri, 17 privacy_uri, 18 supported_profiles, " +
		"19 base_currency, 20 ext, 90 ext_critical",
	"comp.v1.Image": "1 title, 2 pubdate, 3 published, 4 update, 5 author, 6 sourcetype, 7 " +
		"provenance, 8 provent, 9 alt, 10 caption, 11 c2pa, 15 ext",
	"ramp.v1.IntermediaryHop": "1 domain, 2 id, 3 forwarded_at, 4 signature, 5 signature_algorithm",
	"comp.v1.License": "1 id, 2 turl, 3 use, 4 country, 5 maxword, 6 citation, 7 price, 8 revshare, " +
		"9 cur, 10 dur, 15 ext",
	"ramp.v1.Offer": "1 offer_id, 2 package, 3 pricing, 4 delivery_method, 5 reporting, 6 " +
		"expires_at, 7 identity, 8 restrictions, 9 exchange_signature, 10 signature_algorithm, 11 subscription_id, " +
		"13 iab_categories, 14 attestations, 15 ext, 16 data_as_of, " +
		"17 subscription_quota, 18 previews, 90 ext_critical",
	"ramp.v1.OfferGroup": "1 uri, 2 offers, 3 discovery_method, 4 absence_reason",
	"comp.v1.Package": "1 id, 2 title, 3 seller, 4 packager, 5 licenseurl, 6 citation, 7 scope, 8 " +
		"retrieval, 9 license, 15 ext",
	"ramp.v1.Preview": "1 url, 2 media_type, 3 width, 4 height, 5 duration, 6 size",
	"ramp.v1.Pricing": "1 model, 2 rate, 3 currency, 4 unit_cost, 5 estimated_quantity, 6 revshare, " +
		"7 license_duration_months, 8 unit, 15 ext, 90 ext_critical",
	"ramp.v1.ProviderManifest": "1 ver, 2 provider, 3 contact, 4 exchanges, 5 catalog_contributors, 15 ext, " +
		"90 ext_critical",
	"ramp.v1.PushResourcesRequest":  "1 tenant_id, 2 entries, 5 caller_id",
	"ramp.v1.PushResourcesResponse": "1 accepted, 2 rejected",
	"ramp.v1.RAMPRequest": "1 ver, 2 id, 3 requester, 4 constraints, 5 supported_profiles, 6 query, 7 " +
		"search_filters, 15 ext, 90 ext_critical",
	"ramp.v1.RAMPResponse": "1 ver, 2 id, 3 request_id, 4 transaction_id, 5 billing_id, 6 exchange, 7 " +
		"package, 8 cost, 9 delivery_method, 10 reporting_obligation, 11 expires_at, " +
		"12 broker_fee, 15 ext, 90 ext_critical",
	"ramp.v1.RateLimitInfo":           "1 limit, 2 remaining, 3 reset_at, 4 window",
	"ramp.v1.RefreshCatalogRequest":   "1 tenant_id",
	"ramp.v1.RefreshCatalogResponse":  "1 started",
	"ramp.v1.RemoveResourcesRequest":  "1 tenant_id, 2 paths",
	"ramp.v1.RemoveResourcesResponse": "1 removed",
	"ramp.v1.ReportingObligation":     "1 required, 2 window, 3 endpoint, 4 required_fields, 15 ext, 90 ext_critical",
	"ramp.v1.RequestConstraints": "1 exchanges, 2 max_price, 3 max_unit_cost, 4 delivery_preference, 5 " +
		"reporting_capable, 6 preferred_exchanges, 7 budget_scope, 8 period_budget, 9 budget_period, 10 max_data_age",
	"ramp.v1.Requester": "1 id, 2 domain, 3 type, 4 name, 5 uris, 6 intended_use, 7 license_id, 8 " +
		"scopes, 9 signature, 10 signature_algorithm, 11 delegation, 15 ext, 90 ext_critical",
	"ramp.v1.ResourceAttestation": "1 verifier, 2 kid, 3 attested_at, 4 uri, 5 claims, 6 signature",
	"ramp.v1.ResourceEntry": "1 domain, 2 path, 3 content_id, 4 title, 5 word_count, 6 estimated_quantity, 7 " +
		"content_hash, 8 hash_method, 9 source, 10 provenance_source, 11 provenance_timestamp, " +
		"12 attestations, 15 ext, 90 ext_critical",
	"ramp.v1.ResourceIdentity": "1 canonical_url, 2 doi, 3 iptc_guid, 4 isni, 5 content_hash, 6 hash_method, 7 " +
		"c2pa_manifest, 8 resource_mutability, 15 ext, 90 ext_critical",
	"ramp.v1.ResourceQuery": "1 ver, 2 id, 3 requester, 4 request_id, 5 intermediaries, 8 deadline, 11 " +
		"supported_profiles, 15 ext, 90 ext_critical",
	"ramp.v1.ResourceResponse": "1 ver, 2 id, 3 exchange, 4 offers, 5 offer_groups, 6 rate_limit, 15 ext, 90 " +
		"ext_critical",
	"comp.v1.Retrieval": "1 auth, 2 endpoint, 3 type, 4 ratelmt, 15 ext",
	"comp.v1.Scope":     "1 scope, 2 max, 3 ctype, 4 text, 5 video, 6 image, 7 audio, 15 ext",
	"ramp.v1.SubscriptionQuotaInfo": "1 subscription_id, 2 quota_limit, 3 quota_used, 4 quota_remaining, 5 " +
		"resets_at, 6 unit",
	"comp.v1.Text": "1 title, 2 wordcount, 3 pubdate, 4 published, 5 update, 6 author, 7 " +
		"sourcetype, 8 provenance, 9 provent, 10 authority, 11 originality, 15 ext",
	"ramp.v1.TransactionItem": "1 offer_id, 2 offer_signature",
	"ramp.v1.TransactionRequest": "1 ver, 2 id, 3 offer_id, 4 requester, 5 request_id, 6 offer_signature, 10 " +
		"items, 15 ext, 90 ext_critical",
	"ramp.v1.TransactionResponse": "1 ver, 2 id, 3 transaction_id, 4 billing_id, 5 package, 6 cost, 7 " +
		"delivery_method, 8 reporting_obligation, 9 expires_at, 10 agent_identity_hash, 11 denial_reason, " +
		"12 subscription_id, 13 items, 14 total_cost, 15 ext, 16 subscription_unit_value, " +
		"17 subscription_quota, 90 ext_critical",
	"ramp.v1.TransactionResultItem": "1 offer_id, 2 transaction_id, 3 billing_id, 4 package, 5 cost, 6 " +
		"subscription_id, 7 denial_reason, 8 expires_at, 9 delivery_method, 10 " +
		"reporting_obligation, 11 subscription_unit_value",
	"ramp.v1.Usage": "1 function, 2 subfn, 3 consumed_quantity, 4 displayed_to_user, 5 " +
		"citation_included, 6 attribution, 8 consumed_unit",
	"ramp.v1.UsageAsset": "1 uri, 2 title, 3 package_id",
	"ramp.v1.UsageReport": "1 ver, 2 id, 3 transaction_id, 4 billing_id, 5 usage, 6 timestamp, 7 request_id, " +
		"8 exchange, 9 assets, 15 ext, 90 ext_critical",
	"ramp.v1.UsageReportResponse": "1 accepted, 2 rejection_reason, 3 report_id, 15 ext, 90 ext_critical",
	"comp.v1.Video": "1 title, 2 dur, 3 clip, 4 wordcount, 5 transcript, 6 pubdate, 7 published, 8 " +
		"update, 9 author, 10 sourcetype, 11 provenance, 12 provent, 13 c2pa, 15 ext",
}

// enums are the values of every enum in the order of their numbers, from 0 on, without the enum's
// prefix. Those of comp.v1 and CitationFormat have no value for nothing: 0 says something.
var enums = map[string]string{
	"comp.v1.AuthMethod":     "USER_AGENT IP TOKEN WEBBOT AGENT_ID OTHER",
	"ramp.v1.CitationFormat": "LINK FOOTNOTE INLINE",
	"comp.v1.ContentType":    "TEXT VIDEO IMAGE AUDIO ALL OTHER",
	"ramp.v1.DeliveryMethod": "UNSPECIFIED DIRECT INSTRUCTIONS STREAMING",
	"ramp.v1.DenialReason": "UNSPECIFIED INVALID_LICENSE EXPIRED_LICENSE INSUFFICIENT_BALANCE RATE_LIMITED " +
		"CONTENT_UNAVAILABLE FUNCTION_PROHIBITED GEO_RESTRICTED REPORTING_OVERDUE OFFER_EXPIRED SIGNATURE_INVALID " +
		"QUOTA_EXCEEDED DELEGATION_EXPIRED SCOPE_INSUFFICIENT",
	"ramp.v1.DiscoveryMethod": "UNSPECIFIED MARKETPLACE SEARCH RECOMMENDATION SYNDICATION",
	"ramp.v1.DisputeReason": "UNSPECIFIED DELIVERY_FAILED CONTENT_MISMATCH INCOMPLETE_CONTENT WRONG_CONTENT " +
		"EXPIRED_BEFORE_FETCH",
	"ramp.v1.DisputeStatus": "UNSPECIFIED FILED AUTO_RESOLVED EVIDENCE_NEEDED UNDER_REVIEW ESCALATED RESOLVED " +
		"APPEALED SETTLED FINAL",
	"comp.v1.Function":        "ALL AI_ALL AI_TRAIN AI_INPUT AI_INDEX SEARCH",
	"ramp.v1.IngestionSource": "UNSPECIFIED RAMP_SITEMAP RSL SITEMAP HTML_CRAWL CMS_API MANUAL CATALOG_API",
	"comp.v1.LicenseUse": "TRAINING_DISPLAY RAG_DISPLAY_UNRESTRICTED RAG_DISPLAY_MAX_WORDS " +
		"RAG_DISPLAY_ATTRIBUTION RAG_NO_DISPLAY AGENT_VIEW AGENT_ACTIONS",
	"ramp.v1.OfferAbsenceReason": "UNSPECIFIED NOT_IN_CATALOG CONTENT_BLOCKED FUNCTION_PROHIBITED GEO_RESTRICTED " +
		"USER_CATEGORY_PROHIBITED TEMPORARILY_UNAVAILABLE NOT_AUTHORIZED SCOPE_INSUFFICIENT UNKNOWN_CRITICAL_EXTENSION",
	"ramp.v1.PricingModel": "UNSPECIFIED PER_ACCESS PER_TOKEN PER_FETCH SUBSCRIPTION FREE ATTRIBUTION " +
		"CONTRIBUTION TRAINING REVENUE_SHARE PER_PAGE PER_MINUTE PER_RECORD",
	"ramp.v1.ProviderRelationship": "UNSPECIFIED DIRECT RESELLER",
	"ramp.v1.RequesterType":        "UNSPECIFIED AGENT HUMAN_TOOL SERVICE DELEGATED RESEARCH",
	"ramp.v1.ResolutionType":       "UNSPECIFIED CREDIT REDELIVERY REJECTED INVESTIGATION",
	"ramp.v1.ResourceAccessPolicy": "UNSPECIFIED LICENSED OPEN BLOCKED",
	"ramp.v1.ResourceMutability":   "UNSPECIFIED STATIC DYNAMIC LIVE",
	"comp.v1.RetrievalAuth":        "NONE API_KEY OAUTH2 SSL",
	"comp.v1.RetrievalType":        "HTML RSS API MCP NLWEB XML NEWSML OTHER",
	"comp.v1.ScopeType":            "FULL_CORPUS SECTION DATE_RANGE GENRE TOPIC CURATED OTHER",
	"comp.v1.SubFunction":          "TRAINING RAG GROUNDING AGENT_VIEW AGENT_ACTIONS OTHER",
}

// TestNumbersAreThoseOfTheProtocol holds the schema against the numbers of RAMP v1.
func TestNumbersAreThoseOfTheProtocol(t *testing.T) {
	t.Parallel()
	messages, named := map[string]string{}, map[string]string{}
	for _, file := range []protoreflect.FileDescriptor{rampv1.File_ramp_v1_ramp_proto, compv1.File_comp_v1_comp_proto} {
		for i := range file.Messages().Len() {
			m := file.Messages().Get(i)
			messages[string(m.FullName())] = fieldsOf(m)
		}
		for i := range file.Enums().Len() {
			e := file.Enums().Get(i)
			named[string(e.FullName())] = valuesOf(t, e)
		}
	}
	if diff := cmp.Diff(numbers, messages); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(enums, named); diff != "" {
		t.Error(diff)
	}
}

func fieldsOf(m protoreflect.MessageDescriptor) string {
	var all []protoreflect.FieldDescriptor
	for i := range m.Fields().Len() {
		all = append(all, m.Fields().Get(i))
	}
	slices.SortFunc(all, func(a, b protoreflect.FieldDescriptor) int { return int(a.Number() - b.Number()) })
	var parts []string
	for _, f := range all {
		parts = append(parts, fmt.Sprint(f.Number(), " ", f.Name()))
	}
	return strings.Join(parts, ", ")
}

// valuesOf gives the values of an enum, which has to count from 0 and to have its name before each.
func valuesOf(t *testing.T, e protoreflect.EnumDescriptor) string {
	t.Helper()
	var prefix strings.Builder
	for i, r := range string(e.Name()) {
		if i > 0 && unicode.IsUpper(r) {
			prefix.WriteByte('_')
		}
		prefix.WriteRune(unicode.ToUpper(r))
	}
	var parts []string
	for i := range e.Values().Len() {
		value := e.Values().Get(i)
		name, ok := strings.CutPrefix(string(value.Name()), prefix.String()+"_")
		if !ok || int(value.Number()) != i {
			t.Errorf("%s is %d", value.Name(), value.Number())
		}
		parts = append(parts, name)
	}
	return strings.Join(parts, " ")
}
