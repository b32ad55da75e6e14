package rampapi

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"frontdesk/wire/strictjson"
)

// schema is a JSON Schema, or a part of one.
type schema map[string]any

// bytes writes a schema in one order, so that equal schemas are equal bytes.
func (s schema) bytes() []byte {
	text, err := json.Marshal(s, json.Deterministic(true))
	if err != nil {
		panic(fmt.Sprintf("ramp: encode a schema: %v", err))
	}
	return text
}

// notes are what a schema says of members beyond their types, by their paths ("requester.uris");
// "required" in that of an object lists members. The whole has the path "".
type notes map[string]schema

// untold are members that are no arguments of tools: what is refused here, and extensions that
// nothing here heeds.
var untold = map[protoreflect.FullName]bool{
	"ramp.v1.ResourceQuery.intermediaries": true, "ramp.v1.Delegation.ext": true,
	"ramp.v1.Delegation.ext_critical": true, "ramp.v1.ResourceQuery.ext": true,
	"ramp.v1.ResourceQuery.ext_critical": true,
	"ramp.v1.TransactionRequest.ext":     true, "ramp.v1.TransactionRequest.ext_critical": true,
}

// argumentsOf is the schema of a message as the arguments of a tool.
func argumentsOf(m proto.Message, say notes) []byte {
	return objectOf(m.ProtoReflect().Descriptor(), "", say).bytes()
}

// objectOf is the schema of a message at a path.
func objectOf(m protoreflect.MessageDescriptor, path string, say notes) schema {
	members := schema{}
	fields := m.Fields()
	for i := range fields.Len() {
		field := fields.Get(i)
		if untold[field.FullName()] {
			continue
		}
		below := strings.TrimPrefix(path+"."+string(field.Name()), ".")
		one := valueOf(field, below, say)
		if field.IsList() {
			one = schema{"type": "array", "items": one}
		}
		for name, value := range say[below] {
			if name == "required" {
				continue // of the object within
			}
			one[name] = value
		}
		members[string(field.Name())] = one
	}
	out := schema{"type": "object", "properties": members, "additionalProperties": false}
	if needed, ok := say[path]["required"]; ok {
		out["required"] = needed
	}
	return out
}

// valueOf is the schema of one value of a field.
func valueOf(field protoreflect.FieldDescriptor, path string, say notes) schema {
	switch field.Kind() {
	case protoreflect.BoolKind:
		return schema{"type": "boolean"}
	case protoreflect.Int32Kind:
		return schema{"type": "integer", "minimum": 0, "maximum": 1<<31 - 1}
	case protoreflect.DoubleKind:
		return schema{"type": "number"}
	case protoreflect.EnumKind:
		var names []any
		values := field.Enum().Values()
		for i := range values.Len() {
			if name := string(values.Get(i).Name()); !strings.HasSuffix(name, "_UNSPECIFIED") {
				names = append(names, name)
			}
		}
		return schema{"enum": names}
	case protoreflect.MessageKind:
		switch field.Message().FullName() {
		case "google.protobuf.Struct":
			return schema{"type": "object"}
		case "google.protobuf.Timestamp":
			return schema{"type": "string", "format": "date-time"}
		case "google.protobuf.Duration":
			return schema{"type": "string", "pattern": `^[0-9]+(\.[0-9]{1,9})?s$`}
		}
		return objectOf(field.Message(), path, say)
	}
	return schema{"type": "string"}
}

// onlyMembers says which member of a JSON object is none of a message as the schema of a tool has
// it.
func onlyMembers(text []byte, of protoreflect.MessageDescriptor, path string) error {
	var members map[string]strictjson.Value
	if err := strictjson.Decode(text, &members); err != nil {
		return err
	}
	fields := of.Fields()
	for name, value := range members {
		field := fields.ByName(protoreflect.Name(name))
		at := path + "/" + clip(name)
		if field == nil || untold[field.FullName()] {
			return &strictjson.Error{Pointer: at, Problem: "there is no such argument; there are " +
				strings.Join(namesOf(of), ", ")}
		}
		within := field.Message()
		if within == nil || within.ParentFile().Package() == "google.protobuf" {
			continue
		}
		all := []strictjson.Value{value}
		if field.IsList() && value.Kind() == '[' {
			if err := strictjson.Decode(value, &all); err != nil {
				return err
			}
		}
		for _, one := range all {
			if one.Kind() != '{' {
				continue // which its reader blames
			}
			if err := onlyMembers(one, within, at); err != nil {
				return err
			}
		}
	}
	return nil
}

// namesOf are the members of a message as the schema of a tool has it.
func namesOf(of protoreflect.MessageDescriptor) (all []string) {
	fields := of.Fields()
	for i := range fields.Len() {
		if field := fields.Get(i); !untold[field.FullName()] {
			all = append(all, string(field.Name()))
		}
	}
	slices.Sort(all)
	return all
}

// clip shortens what a stranger wrote.
func clip(text string) string {
	const most = 60
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

func described(text string) schema { return schema{"description": text} }

// requesterNotes are those of a requester.
func requesterNotes(more notes) notes {
	out := notes{
		"ver":          described("The version of the protocol: 1.0, which it also is where nothing is said."),
		"request_id":   described("A name for this request in your own records."),
		"requester.id": described("What the domain calls the requester, such as research-bot."),
		"requester.domain": described("The host name that publishes the requester's key, such as " +
			"buyer.example.com."),
		"requester.name": described("What people call it."),
		"requester.intended_use": described("What the content is for: search, ai-input (to put it into an " +
			"answer), ai-index, ai-train. Nothing else may be done with it."),
		"requester.license_id": described("The licence or subscription to buy under; leave it out to pay " +
			"for each."),
		"requester.scopes": described("Scopes to narrow what is asked for; usually left out."),
		"requester.signature": described("The requester's Ed25519 signature over its domain, id, scopes " +
			"and uris."),
		"requester.signature_algorithm": {"const": "ed25519"},
		"requester.delegation": {
			"required": []any{"principal_domain", "principal_id", "expires_at", "token"},
			"description": "What somebody gave you to act for them, unchanged. Leave it out to act in your own name. " +
				"A token that is bound to a key is of no use here: a tool's call is not signed over HTTP.",
		},
		"requester.delegation.principal_domain": described("The host name that publishes the principal's key."),
		"requester.delegation.principal_id":     described("What that domain calls the principal."),
		"requester.delegation.scopes": described("The scopes of the token, or some of them; leave it out " +
			"for all."),
		"requester.delegation.expires_at": described("When it ends, no later than the token."),
		"requester.delegation.token": described("The Biscuit, in base64. It decides; the other members " +
			"repeat it."),
		"requester.delegation.token_format":   {"enum": []any{"biscuit-v2", "biscuit-v3"}},
		"requester.delegation.revocation_uri": described("Where the principal tells what it has revoked."),
		"requester.ext_critical":              described("Keys of ext that must be understood."),
		"requester.ext": {
			"description": "Who uses it, and where.",
			"properties": schema{
				extUserCategory: schema{"enum": users}, extGeo: schema{"type": "string", "pattern": "^[A-Z]{2}$",
					"description": "ISO 3166-1 code of the country."},
			},
		},
	}
	maps.Copy(out, more)
	return out
}

var discoverNotes = requesterNotes(notes{
	"":               {"required": []any{"id", "requester"}},
	"requester":      {"required": []any{"id", "domain", "uris"}},
	"id":             described("A name for this query that you make up; the answer repeats it."),
	"requester.uris": {"minItems": 1, "maxItems": MaxURIs, "description": "The addresses of the content."},
	"deadline":       described("How long the answer may take, such as 2s."),
	"supported_profiles": described("The profiles that you understand, such as ramp-news-v1; leave it out to be told " +
		"everything."),
})

var executeNotes = requesterNotes(notes{
	"":          {"required": []any{"id", "requester"}},
	"requester": {"required": []any{"id", "domain"}},
	"id": described("A name for this purchase that you make up, such as a random UUID. It buys " +
		"once: the same id again is the same purchase."),
	"requester.uris":  described("As they were in the query, since the signature covers them."),
	"offer_id":        described("The offer's offer_id; leave it out with items."),
	"offer_signature": described("The offer's exchange_signature."),
	"items": {"required": []any{"offer_id", "offer_signature"}, "maxItems": 100,
		"description": "Several offers, each bought for itself and once: an offer that stands here again is " +
			"SIGNATURE_INVALID; leave it out with offer_id."},
	"items.offer_id":        described("An offer's offer_id."),
	"items.offer_signature": described("Its exchange_signature."),
})

var reportNotes = notes{
	"": {"required": []any{"id", "transaction_id", "billing_id", "usage"}},
	"usage": {"required": []any{"function", "consumed_quantity"},
		"description": "How the content was used."},
	"ver": described("The version of the protocol: 1.0, which it also is where nothing is said."),
	"id": described("A name for this report that you make up. The same id again is the " +
		"same report."),
	"transaction_id":                  described("That of the purchase."),
	"billing_id":                      described("That of the purchase."),
	"timestamp":                       described("When it was used; now where nothing is said."),
	"usage.function":                  described("What it was used for."),
	"usage.consumed_quantity":         described("How much of it was used, in the unit of the price, such as tokens."),
	"usage.consumed_unit":             described("That unit, where the purchase names one."),
	"usage.displayed_to_user":         described("Whether a person was shown it."),
	"usage.citation_included":         described("Whether the source was named."),
	"usage.attribution":               described("How it was named."),
	"usage.attribution.displayed_url": described("The address that was shown."),
	"assets":                          {"required": []any{"uri"}},
	"ext": {"properties": schema{extRevenue: schema{"type": "object",
		"required": []any{"amount", "currency"}, "properties": schema{"amount": schema{"type": "number", "minimum": 0},
			"currency": schema{"type": "string", "pattern": "^[A-Z]{3}$"}},
		"description": "What was earned with it, where the price is a share of that."}}},
}

// The schemas of results say what to look for; the protocol has more.
var (
	word       = schema{"type": "string"}
	objects    = schema{"type": "array", "items": schema{"type": "object"}}
	discovered = answerOf(schema{"id": word, "exchange": word, "offers": objects, "offer_groups": objects})
	executed   = answerOf(schema{
		"id": word, "transaction_id": word, "billing_id": word, "denial_reason": word, "cost": schema{"type": "object"},
		"package":    schema{"type": "object"},
		"expires_at": word, "items": objects, "reporting_obligation": schema{"type": "object"},
	})
	reported = answerOf(schema{"accepted": schema{"type": "boolean"}, "report_id": word,
		"rejection_reason": word})
	signedUp = answerOf(schema{"requester_id": word, "domain": word, "account": word, "sign_up": word,
		"state": word})
	registerArguments = schema{
		"type": "object", "required": []any{"requester_id", "domain"}, "additionalProperties": false,
		"properties": schema{
			"requester_id": schema{"type": "string", "description": "What the domain calls the requester."},
			"domain":       schema{"type": "string", "description": "The host name that publishes its key."},
		},
	}
)

// answerOf is the schema of a result: an answer with some members, or a failure.
func answerOf(members schema) schema {
	for name, kind := range map[string]string{"code": "string", "message": "string", "retry_after": "integer"} {
		members[name] = schema{"type": kind}
	}
	return schema{"type": "object", "properties": members}
}
