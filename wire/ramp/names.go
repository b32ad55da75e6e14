package ramp

import (
	"slices"
	"strings"
	"sync"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// aliases are the names that members had in the schema beside the protocol's text, by message.
var aliases = map[protoreflect.FullName]map[string]protoreflect.Name{
	"ramp.v1.ResourceResponse": {"marketplace": "exchange"},
	"ramp.v1.UsageReport":      {"marketplace": "exchange"},
	"ramp.v1.RAMPResponse":     {"marketplace": "exchange"},
	"ramp.v1.ProviderManifest": {"marketplaces": "exchanges"},
	"ramp.v1.ExchangeManifest": {"endpoint": "exchange_endpoint"},
	"ramp.v1.Offer":            {"signature": "exchange_signature"},
	"ramp.v1.RequestConstraints": {"marketplaces": "exchanges", "preferred_marketplaces": "preferred_exchanges",
		"preferredMarketplaces": "preferred_exchanges"},
}

// finals are the members that the final CoMP 1.0 has and ours has not: they go into ext, under
// "comp." and their name.
var finals = map[protoreflect.FullName][]string{
	"comp.v1.Package": {"reporturl"},
	"comp.v1.Scope":   {"ause", "pricetype", "pricetier", "unitprice", "cur", "country", "licensedur"},
	"comp.v1.Text":    {"cattax", "cat", "language"},
	"comp.v1.Video":   {"cattax", "cat", "language"},
	"comp.v1.Image":   {"cattax", "cat", "language"},
	"comp.v1.Audio":   {"cattax", "cat", "language"},
}

// words are further words for values of enums: those of manifests, and one of the final CoMP 1.0.
var words = map[protoreflect.FullName]map[string]protoreflect.EnumNumber{
	"ramp.v1.ProviderRelationship": {"DIRECT": 1, "direct": 1, "RESELLER": 2, "reseller": 2},
	"comp.v1.RetrievalAuth":        {"RETRIEVAL_AUTH_OTHER": 4},
}

// shape is what is known of a kind of message, by which its members are found fast.
type shape struct {
	members map[string]protoreflect.FieldDescriptor // by each name that a member may have
	finals  map[string]bool
	named   []protoreflect.FieldDescriptor // all, in the order of their names
	below   []protoreflect.FieldDescriptor // those that hold messages of the protocol
	// those that [checkPlain] looks at: texts, numbers with a fraction, and messages that are not
	// the protocol's
	plain []protoreflect.FieldDescriptor
}

var shapes sync.Map // protoreflect.MessageDescriptor to *shape

func shapeOf(of protoreflect.MessageDescriptor) *shape {
	if kept, ok := shapes.Load(of); ok {
		return kept.(*shape)
	}
	s := &shape{members: map[string]protoreflect.FieldDescriptor{}, finals: map[string]bool{}}
	for i := range of.Fields().Len() {
		field := of.Fields().Get(i)
		s.members[string(field.Name())] = field
		s.members[field.JSONName()] = field
		s.named = append(s.named, field)
		switch {
		case field.Message() != nil && ours(field.Message()):
			s.below = append(s.below, field)
		case field.Kind() == protoreflect.StringKind, field.Kind() == protoreflect.DoubleKind && !field.IsList(),
			field.Message() != nil && !field.IsList():
			s.plain = append(s.plain, field)
		}
	}
	slices.SortFunc(s.named, func(a, b protoreflect.FieldDescriptor) int {
		return strings.Compare(string(a.Name()), string(b.Name()))
	})
	for alias, name := range aliases[of.FullName()] {
		s.members[alias] = of.Fields().ByName(name)
	}
	for _, name := range finals[of.FullName()] {
		s.finals[name] = true
	}
	kept, _ := shapes.LoadOrStore(of, s)
	return kept.(*shape)
}

// enumNumber gives the number of an enum's word.
func enumNumber(of protoreflect.EnumDescriptor, word string) (protoreflect.EnumNumber, bool) {
	if value := of.Values().ByName(protoreflect.Name(word)); value != nil {
		return value.Number(), true
	}
	number, ok := words[of.FullName()][word]
	return number, ok
}

// ours says whether a message is one of the protocol's.
func ours(of protoreflect.MessageDescriptor) bool {
	name := string(of.FullName())
	return strings.HasPrefix(name, "ramp.v1.") || strings.HasPrefix(name, "comp.v1.") ||
		strings.HasPrefix(name, "frontdesk.delivery.v1.")
}

// short is the short word for a value: what comes after the enum's prefix, such as DIRECT.
func short(of protoreflect.EnumDescriptor, value protoreflect.EnumValueDescriptor) string {
	prefix := strings.TrimSuffix(string(of.Values().ByNumber(0).Name()), "UNSPECIFIED")
	return strings.TrimPrefix(string(value.Name()), prefix)
}
