package ramp_test

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/hex"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"

	"frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
)

func TestProviderManifestSpeaksShortWords(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{"ver":"1.0","provider":"p.example","exchanges":[{"domain":"x.example","endpoint":"https://x.example","relationship":"DIRECT"}]}`,
		`{"ver":"1.0","provider":"p.example","marketplaces":[{"domain":"x.example","endpoint":"https://x.example","relationship":"PROVIDER_RELATIONSHIP_DIRECT"}]}`,
		`{"ver":"1.0","provider":"p.example","exchanges":[{"domain":"x.example","endpoint":"https://x.example","relationship":1}],"more":true}`,
	} {
		m, err := ramp.ReadProviderManifest([]byte(text))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		want := `{"ver":"1.0","provider":"p.example","exchanges":[{"domain":"x.example","endpoint":"https://x.example","relationship":"DIRECT"}]}`
		if got, err := ramp.WriteProviderManifest(m); err != nil || string(got) != want {
			t.Errorf("%s became\n%s, %v", text, got, err)
		}
	}
	for _, text := range []string{`{"provider":"p.example"}`, `{"ver":"1.0","provider":"p.example","x":"` + strings.Repeat("x", ramp.MaxDocument) + `"}`} {
		if m, err := ramp.ReadProviderManifest([]byte(text)); err == nil {
			t.Errorf("%.40s was read as %v", text, m)
		}
	}
}

func TestExchangeManifestSpeaksShortWords(t *testing.T) {
	t.Parallel()
	m, err := ramp.ReadExchangeManifest([]byte(`{"ver":"1.0","domain":"x.example","name":"X","operator":"O","endpoint":"https://x.example/exchange/v1","keys_uri":"k",
		"protocol_versions_supported":["1.0"],"pricing_models_supported":["per_article","per_crawl","PRICING_MODEL_REVENUE_SHARE","subscription","later"],
		"delivery_methods_supported":["DELIVERY_METHOD_INSTRUCTIONS","direct"],"contact_email":"a@x.example","ext":{"a":1}}`))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"ver":"1.0","domain":"x.example","name":"X","operator":"O","exchange_endpoint":"https://x.example/exchange/v1","keys_uri":"k",` +
		`"protocol_versions_supported":["1.0"],"pricing_models_supported":["per_access","per_fetch","revenue_share","subscription","later"],` +
		`"delivery_methods_supported":["instructions","direct"],"contact_email":"a@x.example","ext":{"a":1}}`
	if got, err := ramp.WriteExchangeManifest(m); err != nil || string(got) != want {
		t.Errorf("got %s, %v", got, err)
	}
	m.PricingModelsSupported = []string{"PRICING_MODEL_PER_PAGE"}
	if got, err := ramp.WriteExchangeManifest(m); err != nil || !strings.Contains(string(got), `["per_page"]`) ||
		m.PricingModelsSupported[0] != "PRICING_MODEL_PER_PAGE" {
		t.Errorf("got %s, %v, and the message has %q", got, err, m.PricingModelsSupported)
	}
	if _, err := ramp.ReadExchangeManifest([]byte(`{"ver":"1.0","domain":"x.example"}`)); pathOf(err) != "name" {
		t.Error(err)
	}
}

func TestKeysAreWrittenInBothForms(t *testing.T) {
	t.Parallel()
	public := workedKey().Public().(ed25519.PublicKey)
	at := time.Date(2026, 3, 18, 9, 0, 0, 0, time.UTC)
	text, err := ramp.WriteExchangeKeys([]ramp.Key{{ID: "k1", Public: public, From: at, Active: true}})
	want := `{"keys":[{"id":"k1","kid":"k1","algorithm":"ed25519","public_key":"A6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg=","status":"active",` +
		`"created_at":"2026-03-18T09:00:00Z","kty":"OKP","crv":"Ed25519","x":"A6EHv_POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg"}]}`
	if err != nil || string(text) != want {
		t.Errorf("got %s, %v", text, err)
	}
	if text, err := ramp.WriteExchangeKeys(nil); err != nil || string(text) != `{"keys":[]}` {
		t.Errorf("without keys: %s, %v", text, err)
	}
}

func TestKeysAreReadInEveryForm(t *testing.T) {
	t.Parallel()
	public := workedKey().Public().(ed25519.PublicKey)
	spki, raw, url := "MCowBQYDK2VwAyEAA6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg=",
		base64.StdEncoding.EncodeToString(public), base64.RawURLEncoding.EncodeToString(public)
	for _, c := range []struct {
		text, name, id string
		active         bool
	}{
		{`{"agent_id":"a","public_key":"` + spki + `","public_key_algorithm":"ed25519","contact":"c"}`, "a", "", true},
		{`{"agent_id":"a","keys":[{"kid":"k","algorithm":"ed25519","public_key":"` + spki + `"}]}`, "a", "k", true},
		{`{"keys":[{"kty":"OKP","crv":"Ed25519","x":"` + url + `","kid":"k","use":"sig"},{"kty":"RSA","n":"x","kid":"r"}]}`, "", "k", true},
		{`{"keys":[{"id":"k","algorithm":"ed25519","public_key":"` + raw + `","status":"rotated"}]}`, "", "k", false},
		{`{"verifier":"v.example","claims_schema":{},"keys":[{"kid":"k","public_key":"` + spki + `","valid_from":"2026-01-01T00:00:00Z"}]}`, "v.example", "k", true},
	} {
		name, keys, err := ramp.ReadKeys([]byte(c.text))
		if err != nil || name != c.name || len(keys) != 1 || !keys[0].Public.Equal(public) || keys[0].ID != c.id ||
			keys[0].Active != c.active {
			t.Errorf("%s: %q, %+v, %v", c.text, name, keys, err)
		}
	}
	for _, text := range []string{
		`{"public_key":"x"}`, `{"keys":[{"kty":"OKP","crv":"Ed25519"}]}`, `{"keys":[{"public_key":"` + raw + `","valid_from":"soon"}]}`, `{"public_key":1}`,
		`{"keys":[],"keys":[]}`, `[]`, `{"x":"` + strings.Repeat("x", ramp.MaxDocument) + `"}`,
	} {
		if _, keys, err := ramp.ReadKeys([]byte(text)); err == nil {
			t.Errorf("%.60s was read as %v", text, keys)
		}
	}
}

func TestOneMalformedKeyLeavesTheOthers(t *testing.T) {
	t.Parallel()
	good := `{"kid":"k","public_key":"MCowBQYDK2VwAyEAA6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg="}`
	for _, bad := range []string{
		`{"kid":"b","public_key":"x"}`, `{"kid":"b","public_key":5}`, `{"kid":7,"x":"A"}`, `{"kty":"OKP","crv":"Ed25519"}`, `null`, `"key"`, `[]`,
		`{"kid":"b","public_key":"11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=","valid_until":"soon"}`, `{"kid":"b","Public_Key":"x"}`,
	} {
		for _, text := range []string{
			`{"keys":[` + bad + `,` + good + `]}`, `{"keys":[` + good + `,` + bad + `]}`, `{"agent_id":"a","public_key":"x","keys":[` + good + `,` + bad + `]}`,
			`{"public_key":5,"keys":[` + good + `]}`, `{"public_key":"x","public_key_algorithm":[],"keys":[` + good + `]}`,
		} {
			_, keys, err := ramp.ReadKeys([]byte(text))
			if err != nil || len(keys) != 1 || keys[0].ID != "k" {
				t.Errorf("%s: %+v, %v", text, keys, err)
			}
			if unread := ramp.UnreadKeys([]byte(text)); len(unread) == 0 || !strings.HasPrefix(unread[0].Pointer, "/") {
				t.Errorf("%s: nothing tells of the other key", text)
			}
		}
		if _, keys, err := ramp.ReadKeys([]byte(`{"keys":[` + bad + `]}`)); err == nil {
			t.Errorf("%s alone was read as %+v", bad, keys)
		}
	}
}

func TestSingleKeyIsNotGoodWithoutTimesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	const key = `"public_key":"MCowBQYDK2VwAyEAA6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg="`
	for _, until := range []string{`"soon"`, `5`} {
		if _, keys, err := ramp.ReadKeys([]byte(`{` + key + `,"keys":[{"kid":"k",` + key + `,"valid_until":` + until + `}]}`)); err == nil {
			t.Errorf("valid_until %s: %+v", until, keys)
		}
	}
	const text = `{` + key + `,"keys":[{"kid":"k","public_key":"?","x":"A6EHv_POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg","valid_until":"2026-01-01T00:00:00Z"}]}`
	if _, keys, err := ramp.ReadKeys([]byte(text)); err == nil {
		t.Errorf("the key of x, whose public_key cannot be read: %+v", keys)
	}
}

func TestAcceptedIsWrittenWhereItIsFalse(t *testing.T) {
	t.Parallel()
	for _, m := range []proto.Message{&rampv1.UsageReportResponse{}, &rampv1.DisputeResponse{}} {
		if text, err := ramp.Marshal(m); err != nil || string(text) != `{"accepted":false}` {
			t.Errorf("%T: %s, %v", m, text, err)
		}
	}
	if text, err := ramp.Marshal(&rampv1.PushResourcesResponse{}); err != nil || string(text) != `{}` {
		t.Errorf("%s, %v", text, err)
	}
}

func TestKeyIsGoodWithinItsTime(t *testing.T) {
	t.Parallel()
	from, until := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC)
	key := ramp.Key{From: from, Until: until}
	for at, want := range map[time.Time]bool{from.Add(-1): false, from: true, until.Add(-1): true, until: false} {
		if key.Good(at) != want {
			t.Errorf("at %s the key is %v", at, !want)
		}
	}
	if !(ramp.Key{}).Good(from) {
		t.Error("a key without bounds is not good")
	}
}

func TestAgentKeysSayWhatTheyAreReadFor(t *testing.T) {
	t.Parallel()
	public := workedKey().Public().(ed25519.PublicKey)
	old := ed25519.NewKeyFromSeed(make([]byte, 32)).Public().(ed25519.PublicKey)
	from, until := time.Date(2026, 3, 18, 9, 0, 0, 0, time.UTC), time.Date(2026, 4, 18, 9, 0, 0, 0, time.UTC)
	keys := []ramp.Key{{ID: "k2", Public: public, From: from, Active: true}, {ID: "k1", Public: old, Until: until}}
	text, err := ramp.WriteAgentKeys("research-bot", "bots@buyer.example.com", keys)
	begins := `{"agent_id":"research-bot","public_key":"MCowBQYDK2VwAyEAA6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg=","public_key_algorithm":"ed25519",` +
		`"contact":"bots@buyer.example.com","keys":[{"id":"k2","kid":"k2","algorithm":"ed25519","public_key":"MCowBQYDK2VwAyEAA6EHv`
	if err != nil || !strings.HasPrefix(string(text), begins) {
		t.Fatalf("got %s, %v", text, err)
	}
	name, back, err := ramp.ReadKeys(text)
	if diff := cmp.Diff(keys, back); err != nil || name != "research-bot" || diff != "" {
		t.Errorf("read back as %q, %v: %s", name, err, diff)
	}
	if text, err := ramp.WriteAgentKeys("a", "", keys[1:]); err == nil {
		t.Errorf("without an active key there is %s", text)
	}
}

func TestSingleKeyKeepsTheTimesThatItHasAmongTheKeys(t *testing.T) {
	t.Parallel()
	spki := "MCowBQYDK2VwAyEAA6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg="
	_, keys, err := ramp.ReadKeys([]byte(`{"public_key":"` + spki + `","keys":[{"kid":"k","public_key":"` + spki + `","valid_until":"2026-01-01T00:00:00Z"}]}`))
	if err != nil || len(keys) != 1 || keys[0].ID != "k" || keys[0].Good(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("got %+v, %v: a key that has ended is good again", keys, err)
	}
}

func TestPublicKeyIsReadInOneWay(t *testing.T) {
	t.Parallel()
	raw := "A6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg"
	public := workedKey().Public().(ed25519.PublicKey)
	digits, spki := hex.EncodeToString(public), "302a300506032b6570032100"
	for _, text := range []string{
		raw, raw + "=", strings.ReplaceAll(raw, "/", "_"), "MCowBQYDK2VwAyEA" + raw + "=",
		digits, strings.ToUpper(digits), spki + digits, "ed25519:" + digits, "ed25519:" + raw,
	} {
		if got, err := ramp.DecodePublicKey(text); err != nil || !got.Equal(public) {
			t.Errorf("%q: %x, %v", text, got, err)
		}
	}
	for _, text := range []string{"", raw + "==", raw + "\n", raw[:20] + "\r\n" + raw[20:], raw[:42], raw[:42] + "h",
		strings.ReplaceAll(raw, "/", "_") + "+", "MCowBQYDK2VuAyEA" + raw,
		digits[:62], digits + "00", digits[:63] + "g", digits[:63] + "\n", spki[:22] + "01" + digits,
		"ed25519:ed25519:" + raw,
	} {
		if key, err := ramp.DecodePublicKey(text); err == nil {
			t.Errorf("%q was read as %x", text, key)
		}
	}
}

// FuzzDocuments holds that documents of strangers are read without harm, and that what was read is
// written and read again as the same.
func FuzzDocuments(f *testing.F) {
	for _, seed := range []string{
		`{"ver":"1.0","provider":"p.example","marketplaces":[{"domain":"x.example","endpoint":"https://x.example","relationship":"DIRECT"}]}`,
		`{"ver":"1.0","domain":"x.example","name":"X","operator":"O","endpoint":"https://x.example","keys_uri":"k","protocol_versions_supported":["1.0"],` +
			`"pricing_models_supported":["per_article"],"delivery_methods_supported":["DELIVERY_METHOD_DIRECT"]}`,
		`{"agent_id":"a","public_key":"MCowBQYDK2VwAyEAA6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg=","keys":[{"kty":"OKP","crv":"Ed25519","x":"A6EHv_POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg"}]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if m, err := ramp.ReadProviderManifest(text); err == nil {
			written, err := ramp.WriteProviderManifest(m)
			if err != nil {
				t.Fatalf("read, but not written: %v", err)
			}
			if again, err := ramp.ReadProviderManifest(written); len(written) <= ramp.MaxDocument &&
				(err != nil || !proto.Equal(m, again)) {
				t.Fatalf("%s came back as another document: %v", written, err)
			}
		}
		if m, err := ramp.ReadExchangeManifest(text); err == nil {
			written, err := ramp.WriteExchangeManifest(m)
			if err != nil {
				t.Fatalf("read, but not written: %v", err)
			}
			if again, err := ramp.ReadExchangeManifest(written); len(written) <= ramp.MaxDocument &&
				(err != nil || !proto.Equal(m, again)) {
				t.Fatalf("%s came back as another document: %v", written, err)
			}
		}
		if _, keys, err := ramp.ReadKeys(text); err == nil {
			for _, key := range keys {
				if len(key.Public) != ed25519.PublicKeySize {
					t.Fatalf("a key of %d bytes", len(key.Public))
				}
			}
		}
	})
}
