package ramp

import (
	"errors"
	"testing"

	"google.golang.org/protobuf/proto"

	rampv1 "frontdesk/wire/ramp/v1"
)

// TestALaterPeerIsRecognised by the version that it states, or by how its messages and documents
// look.
func TestALaterPeerIsRecognised(t *testing.T) {
	t.Parallel()
	for ver, want := range map[string]string{
		"": "", "1": "", "1.0": "", "1.1": "", "1.99.3": "", "v1": "", "ramp.v1": "", "0.9": "", "draft": "",
		"RAMP/1.0": "", "10x": "RAMP 10x",
		"2.0": "RAMP 2.0", "2": "RAMP 2", "v2": "RAMP v2", "ramp.v2": "RAMP ramp.v2",
		"99999999999999999999.0": "RAMP 99999999999999999999.0", "fora/1.0": "FORA", "FORA v1": "FORA",
	} {
		var other *Foreign
		if got := CheckVersion(ver); want == "" && got != nil || want != "" &&
			(!errors.As(got, &other) || other.Protocol != want) {
			t.Errorf("%q: %v, want %q", ver, got, want)
		}
	}
	for _, one := range []struct {
		text, want string
		m          proto.Message
	}{
		{`{"ver":"1.0","requester":{"id":"bot"},"uris":["https://a.example/"]}`, laterRevision, &rampv1.ResourceQuery{}},
		{`{"ver":"1.0","idempotency_key":"k","items":[]}`, laterRevision, &rampv1.TransactionRequest{}},
		{`{"ver":"1.0","idempotencyKey":"k"}`, laterRevision, &rampv1.UsageReport{}},
		{`{"ver":"2.0","id":"q"}`, "RAMP 2.0", &rampv1.ResourceQuery{}},
		{`{"ver":"1.0","role":"ROLE_EXCHANGE","endpoint":"https://x.example"}`, laterRevision, &rampv1.ExchangeManifest{}},
		{`{"ver":"1.0","exchange":"x.example","offers":[{"offer_id":"o","signature":"eyJh..","signature_algorithm":"EdDSA"}]}`, laterRevision, &rampv1.ResourceResponse{}},
		{`{"ver":"1.0","offerGroups":[{"uri":"u","offers":[{"offer_id":"o","signature":"eyJh.."}]}]}`, laterRevision, &rampv1.ResourceResponse{}},
		{`{"ver":"1.0","id":"q","requester":{}}`, "", &rampv1.ResourceQuery{}},
		{`{"ver":"1.0","offers":[{"offer_id":"o","exchange_signature":"s","signature":"mine"}]}`, "", &rampv1.ResourceResponse{}},
		{`{"role":"admin"}`, "", &rampv1.ExchangeManifest{}},
		{`not JSON`, "", &rampv1.ResourceQuery{}},
	} {
		var other *Foreign
		if got := Recognise([]byte(one.text), one.m); one.want == "" && got != nil || one.want != "" &&
			(!errors.As(got, &other) || other.Protocol != one.want) {
			t.Errorf("%s: %v, want %q", one.text, got, one.want)
		}
	}
	manifest := `{"ver":"1.0","domain":"x.example","name":"X","operator":"X","exchange_endpoint":"https://x.example","keys_uri":"https://x.example/keys","pricing_models_supported":["per_access"],"delivery_methods_supported":["direct"],"protocol_versions_supported":`
	for versions, want := range map[string]string{`["1.0"]}`: "", `["2.0","1.0"]}`: "", `["2.0","3.0"]}`: "RAMP 3.0"} {
		_, err := ReadExchangeManifest([]byte(manifest + versions))
		var other *Foreign
		if want == "" && err != nil || want != "" && (!errors.As(err, &other) || other.Protocol != want) {
			t.Errorf("%s: %v, want %q", versions, err, want)
		}
	}
	var other *Foreign
	if err := RecogniseDocument("/.well-known/fora.json", []byte(`{"ver":"1.0","role":"ROLE_EXCHANGE"}`)); !errors.As(err, &other) || other.Protocol != fora {
		t.Errorf("%v", err)
	}
	if _, err := ReadProviderManifest([]byte(`{"ver":"1.0","role":"ROLE_PROVIDER"}`)); !errors.As(err, &other) || other.Protocol != laterRevision {
		t.Errorf("%v", err)
	}
}
