package ramp

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	rampv1 "frontdesk/wire/ramp/v1"
	"frontdesk/wire/strictjson"
)

// MaxDocument is how many bytes a document at a well-known address may have.
const MaxDocument = 64 << 10

// ManifestCacheControl is the Cache-Control of ramp-exchange.json.
const ManifestCacheControl = "max-age=3600, must-revalidate"

// WriteProviderManifest writes ramp.json, with DIRECT and RESELLER for relationships.
func WriteProviderManifest(m *rampv1.ProviderManifest) ([]byte, error) { return marshal(m, true) }

// ReadProviderManifest reads and validates ramp.json, of at most [MaxDocument] bytes. Relationships
// may be short words or names of the enum, and exchanges may be called marketplaces.
func ReadProviderManifest(data []byte) (*rampv1.ProviderManifest, error) {
	m := &rampv1.ProviderManifest{}
	err := readDocument(data, m)
	return m, err
}

// WriteExchangeManifest writes ramp-exchange.json, with short words such as per_access for pricing
// models and delivery methods that were named otherwise.
func WriteExchangeManifest(m *rampv1.ExchangeManifest) ([]byte, error) {
	m = proto.CloneOf(m)
	shorten(m)
	return Marshal(m)
}

// ReadExchangeManifest reads and validates ramp-exchange.json, of at most [MaxDocument] bytes.
// Pricing models and delivery methods come out as short words, whether they were written so, by the
// names of the enums, or by the old words per_article and per_crawl; words that nobody knows stay
// as they are. exchange_endpoint may be called endpoint.
func ReadExchangeManifest(data []byte) (*rampv1.ExchangeManifest, error) {
	m := &rampv1.ExchangeManifest{}
	err := readDocument(data, m)
	if err == nil {
		err = speaks(m.ProtocolVersionsSupported)
	}
	shorten(m)
	return m, err
}

// speaks says of versions whether all of them are later, incompatible ones.
func speaks(versions []string) (err error) {
	for _, ver := range versions {
		if err = CheckVersion(ver); err == nil {
			return nil
		}
	}
	return err
}

func readDocument(data []byte, m proto.Message) error {
	if len(data) > MaxDocument {
		return &strictjson.Error{Problem: fmt.Sprintf("%d bytes; a document has at most %d", len(data), MaxDocument)}
	}
	err := Unmarshal(data, m)
	if err == nil {
		err = Validate(m)
	}
	if err == nil {
		return nil
	}
	if other := Recognise(data, m); other != nil {
		return other
	}
	return err
}

// oldWords are what pricing models were called before.
var oldWords = map[string]string{"per_article": "per_access", "per_crawl": "per_fetch"}

func shorten(m *rampv1.ExchangeManifest) {
	for i, word := range m.PricingModelsSupported {
		word = shortWord(rampv1.PricingModel(0).Descriptor(), word)
		if now, old := oldWords[word]; old {
			word = now
		}
		m.PricingModelsSupported[i] = word
	}
	for i, word := range m.DeliveryMethodsSupported {
		m.DeliveryMethodsSupported[i] = shortWord(rampv1.DeliveryMethod(0).Descriptor(), word)
	}
}

// shortWord gives the short word of an enum's name in lower case; of another word itself.
func shortWord(of protoreflect.EnumDescriptor, word string) string {
	if value := of.Values().ByName(protoreflect.Name(word)); value != nil {
		return strings.ToLower(short(of, value))
	}
	return word
}
