package ramp

import (
	"encoding/hex"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	"frontdesk/wire/contenthash"
	"frontdesk/wire/strictjson"
)

// claimForms say what is wrong with a claim of RAMP's own vocabulary; empty for nothing (RAMP v1,
// ResourceAttestation).
var claimForms = map[string]func(*structpb.Value) string{
	"estimated_quantity": wholeClaim, "word_count": wholeClaim, "title": textClaim, "hash_method": textClaim,
	"language": func(v *structpb.Value) string {
		if !languageClaim.MatchString(v.GetStringValue()) {
			return `has to be a language of ISO 639-1, such as "en"`
		}
		return ""
	},
	"iab_categories": func(v *structpb.Value) string {
		list, ok := v.GetKind().(*structpb.Value_ListValue)
		if !ok ||
			slices.ContainsFunc(list.ListValue.GetValues(),
				func(v *structpb.Value) bool { return textClaim(v) != "" }) {
			return `has to be a list of texts, such as ["52"]`
		}
		return ""
	},
	"content_hash": func(v *structpb.Value) string {
		method, digits, named := strings.Cut(v.GetStringValue(), ":")
		_, known := contenthash.ParseMethod(method)
		_, readable := contenthash.Parse(v.GetStringValue(), "")
		if _, err := hex.DecodeString(digits); !named || method == "" || digits == "" || err != nil || known &&
			!readable {
			return `has to be the method and the digits of a hash, such as "sha256:" and 64 hexadecimal digits`
		}
		return ""
	},
}

var languageClaim = regexp.MustCompile(`^[a-z]{2}$`)

func wholeClaim(v *structpb.Value) string {
	n, ok := v.GetKind().(*structpb.Value_NumberValue)
	if !ok || n.NumberValue != math.Trunc(n.NumberValue) || n.NumberValue < 0 || n.NumberValue > math.MaxInt32 {
		return "has to be a whole number from 0 to 2,147,483,647"
	}
	return ""
}

func textClaim(v *structpb.Value) string {
	if _, ok := v.GetKind().(*structpb.Value_StringValue); !ok {
		return "has to be a text"
	}
	return ""
}

// CheckClaims says what is wrong with claims of RAMP's own vocabulary, by an *Invalid; hash_method
// has to be the method of content_hash. unknown are the names of all others, in order: a verifier
// may claim those that its ramp-verifier.json describes ([ReadClaims]).
func CheckClaims(claims *structpb.Struct) (unknown []string, err error) {
	for _, name := range slices.Sorted(maps.Keys(claims.GetFields())) {
		form, known := claimForms[name]
		if !known {
			unknown = append(unknown, name)
			continue
		}
		if problem := form(claims.Fields[name]); problem != "" {
			return nil, &Invalid{Path: "claims." + name, Problem: problem}
		}
	}
	method, _, hashed := strings.Cut(claims.GetFields()["content_hash"].GetStringValue(), ":")
	if told := claims.GetFields()["hash_method"].GetStringValue(); hashed && told != "" && !sameMethod(told, method) {
		return nil,
			&Invalid{Path: "claims.hash_method", Problem: fmt.Sprintf("is %.40q, and content_hash is one of %.40q",
				told, method)}
	}
	return unknown, nil
}

func sameMethod(a, b string) bool {
	x, known := contenthash.ParseMethod(a)
	y, too := contenthash.ParseMethod(b)
	return strings.EqualFold(a, b) || known && too && x == y
}

// ReadClaims reads what a verifier's document (ramp-verifier.json) says of its claims, by their
// names: claims_schema. Without it there are none.
func ReadClaims(data []byte) (map[string]Claim, error) {
	var document struct {
		Claims map[string]struct {
			Type        string                      `json:"type"`
			Description string                      `json:"description"`
			Others      map[string]strictjson.Value `json:",embed"`
		} `json:"claims_schema"`
		Others map[string]strictjson.Value `json:",embed"`
	}
	if len(data) > MaxDocument {
		return nil,
			&strictjson.Error{Problem: fmt.Sprintf("%d bytes; a document has at most %d", len(data), MaxDocument)}
	}
	if err := strictjson.DecodeTolerant(data, &document); err != nil {
		return nil, err
	}
	out := make(map[string]Claim, len(document.Claims))
	for name, c := range document.Claims {
		out[name] = Claim{c.Type, c.Description}
	}
	return out, nil
}
