package ramp

import (
	"bytes"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	rampv1 "frontdesk/wire/ramp/v1"
)

// FuzzPlainAttestations holds that the short way writes what the standard does, or nothing.
func FuzzPlainAttestations(f *testing.F) {
	for _, claims := range []string{`{}`, `{"content_hash":"sha256:00ff","estimated_quantity":3200,"language":"en","ratio":0.05}`, `{"b":1,"a":[true,false,{"c":-0}],"B":""}`,
		`{"é":1}`, `{"a":"\u0007"}`, `{"a":"\"\\"}`, `{"a":1e15,"b":999999999999999,"c":-1e21}`, `{"a":null}`, `{"a":[[[[[[[[[1]]]]]]]]]}`, `{"a":"<&>/\u007f"}`} {
		f.Add(claims, "k1", "https://provider.example/a", "provider.example")
	}
	f.Fuzz(func(t *testing.T, claims, kid, uri, verifier string) {
		a := &rampv1.ResourceAttestation{Verifier: verifier, Kid: kid, Uri: uri, Claims: &structpb.Struct{},
			Signature: kid}
		if len(kid)%2 == 1 {
			a.AttestedAt = &timestamppb.Timestamp{Seconds: int64(len(uri)) << (len(verifier) % 40),
				Nanos: int32(len(claims))}
		}
		if protojson.Unmarshal([]byte(claims), a.Claims) != nil {
			return
		}
		if plain, ok := plainStruct(nil, a.Claims, plainLevels); ok {
			if want, err := claimsJSONByStandard(a); err != nil || !bytes.Equal(plain, want) {
				t.Errorf("%s\n%s %v", plain, want, err)
			}
		}
		if plain, claims, ok := plainPayload(a); ok {
			want, err := attestationByStandard(a)
			if object, _ := claimsJSON(a); err != nil || !bytes.Equal(plain, want) || len(object) != claims {
				t.Errorf("%s\n%s %v (claims: %d)", plain, want, err, claims)
			}
		}
		if plain, ok := plainAttestation(a); ok {
			if want, err := byWriter(a); err != nil || !bytes.Equal(plain, want) {
				t.Errorf("%s\n%s %v", plain, want, err)
			}
		}
		if carried(a.Claims, plainLevels) {
			if _, err := claimsJSONByStandard(a); err != nil {
				t.Errorf("%s cannot be carried: %v", claims, err)
			}
			if _, err := byWriter(&rampv1.Offer{Ext: a.Claims}); err != nil {
				t.Errorf("%s cannot be carried: %v", claims, err)
			}
		}
	})
}

// byWriter is Marshal the long way.
func byWriter(m proto.Message) ([]byte, error) {
	var out bytes.Buffer
	w := &writer{encoder: jsontext.NewEncoder(&out, jsontext.AllowDuplicateNames(true))}
	if err := w.message(m.ProtoReflect()); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

// TestMostAttestationsArePlain holds that the worked value goes the short way but for its fraction,
// and others the long way.
func TestMostAttestationsArePlain(t *testing.T) {
	t.Parallel()
	for claims, plain := range map[string]bool{
		`{"content_hash":"sha256:00ff","estimated_quantity":3200,"language":"en"}`: true, `{"ratio":0.05}`: false, `{"a":"ü"}`: false, `{"a":"\n"}`: false, `{"a":1e15}`: false,
	} {
		a := &rampv1.ResourceAttestation{Claims: &structpb.Struct{}}
		if err := protojson.Unmarshal([]byte(claims), a.Claims); err != nil {
			t.Fatal(err)
		}
		if _, _, ok := plainPayload(a); ok != plain {
			t.Errorf("%s: %v, want %v", claims, ok, plain)
		}
	}
}

// attestationByStandard is AttestationPayload the long way, for whatever JSON can carry.
func attestationByStandard(a *rampv1.ResourceAttestation) ([]byte, error) {
	claims, err := claimsJSONByStandard(a)
	if err != nil {
		return nil, err
	}
	return attestationOf(a, claims)
}
