package rampapi

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"google.golang.org/protobuf/types/known/structpb"

	"frontdesk/internal/infra/httpx"
	"frontdesk/wire/contenthash"
	wire "frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
)

// The addresses of the protocol's documents.
const (
	ProviderManifest = "/.well-known/ramp.json"
	ExchangeManifest = "/.well-known/ramp-exchange.json"
	ExchangeKeys     = "/exchange/v1/keys"
)

// Identity is who an Exchange says it is.
type Identity struct {
	Domain, Name, Operator string
	OperatorDomain         string // empty for the same
	Contact                string // an e-mail address; this and what follows may be empty
	TermsURL, PrivacyURL   string
	Currency               string
	Verifiers              []string // domains of those who are trusted to attest other people's content
	Profiles               []string // names of those by which offers tell more
}

// DeclareProvider makes ramp.json of a provider, which sells through an Exchange at a public
// address, and through others.
func DeclareProvider(provider string, exchange Identity, address string,
	others ...*rampv1.AuthorizedExchange) (*httpx.Document, error) {
	m := &rampv1.ProviderManifest{
		Ver: Version, Provider: provider, Contact: optional(exchange.Contact),
		Exchanges: []*rampv1.AuthorizedExchange{{
			Domain: exchange.Domain, Endpoint: address,
			Relationship: rampv1.ProviderRelationship_PROVIDER_RELATIONSHIP_DIRECT,
		}},
		Ext: &structpb.Struct{Fields: map[string]*structpb.Value{
			PolicyKey: structpb.NewStringValue(address + strings.Replace(AccessPolicy, "{"+PolicyDomain+"}",
				provider, 1)),
		}},
	}
	m.Exchanges = append(m.Exchanges, others...)
	if err := wire.Validate(m); err != nil {
		return nil, err
	}
	return ready(wire.WriteProviderManifest(m))
}

// DeclareExchange makes ramp-exchange.json of an Exchange at a public address.
func DeclareExchange(exchange Identity, address string) (*httpx.Document, error) {
	m := &rampv1.ExchangeManifest{
		Ver: Version, Domain: exchange.Domain, Name: exchange.Name, Operator: exchange.Operator,
		OperatorDomain:   optional(exchange.OperatorDomain),
		ExchangeEndpoint: address, KeysUri: address + ExchangeKeys, HealthEndpoint: optional(address + "/healthz"),
		ProtocolVersionsSupported: []string{Version}, PricingModelsSupported: names(rampv1.PricingModel_name),
		DeliveryMethodsSupported: []string{"direct", "instructions", "streaming"},
		HashMethodsSupported:     []string{"sha-256", string(contenthash.SimHash)},
		ContactEmail:             optional(exchange.Contact), TermsUri: optional(exchange.TermsURL),
		PrivacyUri: optional(exchange.PrivacyURL), BaseCurrency: optional(exchange.Currency),
		SupportedProfiles: exchange.Profiles, CatalogEndpoint: optional(address), AcceptedVerifiers: exchange.Verifiers,
	}
	if err := wire.Validate(m); err != nil {
		return nil, err
	}
	document, err := ready(wire.WriteExchangeManifest(m))
	if err != nil {
		return nil, err
	}
	return document.WithCacheControl(wire.ManifestCacheControl), nil
}

// DeclareKeys makes the document of the keys that offers are signed with.
func DeclareKeys(keys []wire.Key) (*httpx.Document, error) {
	return ready(wire.WriteExchangeKeys(keys))
}

func ready(text []byte, err error) (*httpx.Document, error) {
	if err != nil {
		return nil, err
	}
	return httpx.NewDocument(jsontext.Value(text))
}

// names are the values of an enum but the one that says nothing, in the order of their numbers.
func names(of map[int32]string) []string {
	var all []string
	for n := int32(0); int(n) < len(of); n++ {
		if !strings.HasSuffix(of[n], "_UNSPECIFIED") {
			all = append(all, of[n])
		}
	}
	return all
}
