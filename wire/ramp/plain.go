package ramp

import (
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"google.golang.org/protobuf/types/known/structpb"

	rampv1 "frontdesk/wire/ramp/v1"
)

// What attestations say is almost always plain: texts of printable ASCII without escapes, whole
// numbers, few levels. Of those the canonical JSON is written at once; ok is false for all others,
// which go the long way.

// plainLevels is how deep what is plain may nest.
const plainLevels = 8

// plainPayload is AttestationPayload of an attestation that is plain, and how many bytes of it are
// the claims.
func plainPayload(a *rampv1.ResourceAttestation) (text []byte, claims int, ok bool) {
	text, ok = plainMember(make([]byte, 0, 512), `{"attested_at":`, AttestedAt(a))
	if ok {
		text = append(text, `,"claims":`...)
		before := len(text)
		text, ok = plainStruct(text, a.GetClaims(), plainLevels)
		claims = len(text) - before
	}
	for _, m := range [...]struct{ name, text string }{{`,"kid":`, a.GetKid()}, {`,"uri":`, a.GetUri()}, {`,"verifier":`, a.GetVerifier()}} {
		if ok {
			text, ok = plainMember(text, m.name, m.text)
		}
	}
	return append(text, '}'), claims, ok
}

// plainAttestation is Marshal of an attestation that is plain.
func plainAttestation(a *rampv1.ResourceAttestation) (text []byte, ok bool) {
	text, ok = append(make([]byte, 0, 640), '{'), true
	member := func(name, value string) {
		if !ok || value == "" {
			return
		}
		if len(text) > 1 {
			text = append(text, ',')
		}
		text, ok = plainMember(text, name, value)
	}
	member(`"verifier":`, a.GetVerifier())
	member(`"kid":`, a.GetKid())
	member(`"attested_at":`, AttestedAt(a))
	member(`"uri":`, a.GetUri())
	if ok && a.GetClaims() != nil {
		if len(text) > 1 {
			text = append(text, ',')
		}
		text, ok = plainStruct(append(text, `"claims":`...), a.GetClaims(), plainLevels)
	}
	member(`"signature":`, a.GetSignature())
	return append(text, '}'), ok && (a.GetAttestedAt() == nil || a.GetAttestedAt().IsValid())
}

// carried says of an object of few levels that JSON can carry it: its texts are UTF-8, and its
// numbers finite.
func carried(s *structpb.Struct, levels int) bool {
	if levels == 0 {
		return false
	}
	for name, v := range s.GetFields() {
		if !utf8.ValidString(name) || !carriedValue(v, levels) {
			return false
		}
	}
	return true
}

func carriedValue(v *structpb.Value, levels int) bool {
	switch kind := v.GetKind().(type) {
	case *structpb.Value_StringValue:
		return utf8.ValidString(kind.StringValue)
	case *structpb.Value_NumberValue:
		return !math.IsNaN(kind.NumberValue) && !math.IsInf(kind.NumberValue, 0)
	case *structpb.Value_StructValue:
		return carried(kind.StructValue, levels-1)
	case *structpb.Value_ListValue:
		for _, one := range kind.ListValue.GetValues() {
			if levels == 1 || !carriedValue(one, levels-1) {
				return false
			}
		}
	}
	return true
}

func plainMember(to []byte, name, text string) ([]byte, bool) {
	return plainText(append(to, name...), text)
}

func plainText(to []byte, text string) ([]byte, bool) {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return to, false
		}
	}
	to = append(to, '"')
	to = append(to, text...)
	return append(to, '"'), true
}

func plainStruct(to []byte, s *structpb.Struct, levels int) (_ []byte, ok bool) {
	if levels == 0 {
		return to, false
	}
	names := make([]string, 0, 8)
	for name := range s.GetFields() {
		names = append(names, name)
	}
	slices.Sort(names)
	to = append(to, '{')
	for i, name := range names {
		if i > 0 {
			to = append(to, ',')
		}
		if to, ok = plainText(to, name); !ok {
			return to, false
		}
		if to, ok = plainValue(append(to, ':'), s.Fields[name], levels); !ok {
			return to, false
		}
	}
	return append(to, '}'), true
}

func plainValue(to []byte, v *structpb.Value, levels int) (_ []byte, ok bool) {
	switch kind := v.GetKind().(type) {
	case *structpb.Value_StringValue:
		return plainText(to, kind.StringValue)
	case *structpb.Value_NumberValue:
		n := kind.NumberValue
		if n != math.Trunc(n) || math.Abs(n) >= 1e15 || n == 0 && math.Signbit(n) {
			return to, false
		}
		return strconv.AppendInt(to, int64(n), 10), true
	case *structpb.Value_BoolValue:
		return strconv.AppendBool(to, kind.BoolValue), true
	case *structpb.Value_StructValue:
		return plainStruct(to, kind.StructValue, levels-1)
	case *structpb.Value_ListValue:
		return plainList(to, kind.ListValue.GetValues(), levels-1)
	}
	return to, false
}

func plainList(to []byte, all []*structpb.Value, levels int) (_ []byte, ok bool) {
	if levels == 0 {
		return to, false
	}
	to = append(to, '[')
	for i, v := range all {
		if i > 0 {
			to = append(to, ',')
		}
		if to, ok = plainValue(to, v, levels); !ok {
			return to, false
		}
	}
	return append(to, ']'), true
}
