package ramp

import (
	"bytes"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/structpb"

	rampv1 "frontdesk/wire/ramp/v1"
)

// FuzzPlainAttestations holds that the short way writes what the standard does, or nothing.
func FuzzPlainAttestations(f *testing.F) {
	for _, claims := range []string{`{}`, `{"content_hash":"sha256:00ff","estimated_quantity":3200,"language":"en","ratio":0.05}`, `{"b":1,"a":[true,false,{"c":-0}],"B":""}`,
		`{"é":1}`, `{"a":"\u0007"}`, `{"a":"\"\\"}`, `{"a":1e15,"b":999999999999999,"c":-1e21}`, `{"a":null}`, `{"a":[[[[[[[[[1]]]]]]]]]}`, `{"a":"<&>/\u007f"}`} {
		f.Add(claims, "k1", "https://provider.example/a", "provider.example")
	}
	f.Fuzz(func(t *testing.T, claims, kid, uri, verifier string) {
		a := &rampv1.ResourceAttestation{Verifier: verifier, Kid: kid, Uri: uri, Claims: &structpb.Struct{}}
		if protojson.Unmarshal([]byte(claims), a.Claims) != nil {
			return
		}
		if plain, ok := plainStruct(nil, a.Claims, plainLevels); ok {
			if want, err := claimsJSONByStandard(a); err != nil || !bytes.Equal(plain, want) {
				t.Errorf("%s\n%s %v", plain, want, err)
			}
		}
		if plain, ok := plainPayload(a); ok {
			if want, err := attestationByStandard(a); err != nil || !bytes.Equal(plain, want) {
				t.Errorf("%s\n%s %v", plain, want, err)
			}
		}
	})
}

// TestMostAttestationsArePlain holds that the worked value goes the short way but for its fraction, and others the long way.
func TestMostAttestationsArePlain(t *testing.T) {
	for claims, plain := range map[string]bool{
		`{"content_hash":"sha256:00ff","estimated_quantity":3200,"language":"en"}`: true, `{"ratio":0.05}`: false, `{"a":"ü"}`: false, `{"a":"\n"}`: false, `{"a":1e15}`: false,
	} {
		a := &rampv1.ResourceAttestation{Claims: &structpb.Struct{}}
		if err := protojson.Unmarshal([]byte(claims), a.Claims); err != nil {
			t.Fatal(err)
		}
		if _, ok := plainPayload(a); ok != plain {
			t.Errorf("%s: %v, want %v", claims, ok, plain)
		}
	}
}
