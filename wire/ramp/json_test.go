package ramp_test

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/durationpb"

	"frontdesk/internal/testkit/ramp/made"
	compv1 "frontdesk/wire/comp/v1"
	"frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
	"frontdesk/wire/strictjson"
)

// Every message and field goes through JSON and back, and the protobuf library reads ours and
// writes what we read.
func TestEveryFieldSurvivesJSON(t *testing.T) {
	t.Parallel()
	cases := made.Cases()
	if len(cases) < 1000 {
		t.Fatalf("only %d messages were made", len(cases))
	}
	for _, c := range cases {
		text, err := ramp.Marshal(c.Message)
		if err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		same := func(who string, read func(proto.Message) error) {
			t.Helper()
			back := c.Message.ProtoReflect().New().Interface()
			if err := read(back); err != nil {
				t.Errorf("%s, %s: %v\n%s", c.Name, who, err, text)
			} else if !proto.Equal(c.Message, back) {
				t.Errorf("%s, %s: %s", c.Name, who, cmp.Diff(c.Message, back, protocmp.Transform()))
			}
		}
		same("ours read by us", func(m proto.Message) error { return ramp.Unmarshal(text, m) })
		same("ours read by the library", func(m proto.Message) error { return protojson.Unmarshal(text, m) })
		for _, options := range []protojson.MarshalOptions{{}, {UseProtoNames: true}, {UseEnumNumbers: true}} {
			theirs, err := options.Marshal(c.Message)
			if err != nil {
				t.Fatalf("%s: %v", c.Name, err)
			}
			same("the library's read by us", func(m proto.Message) error { return ramp.Unmarshal(theirs, m) })
		}
	}
}

func TestJSONIsWrittenTheSameWayAlways(t *testing.T) {
	t.Parallel()
	deadline := int32(3)
	text, err := ramp.Marshal(&rampv1.Offer{
		OfferId: "o-1", Pricing: &rampv1.Pricing{Model: rampv1.PricingModel_PRICING_MODEL_PER_TOKEN, Rate: 0.00001515,
			EstimatedQuantity: &deadline},
		Restrictions: &rampv1.AccessRestrictions{PermittedFunctions: []compv1.Function{compv1.Function_FUNCTION_ALL,
			42}},
	})
	want := `{"offer_id":"o-1","pricing":{"model":"PRICING_MODEL_PER_TOKEN","rate":0.00001515,"estimated_quantity":3},` +
		`"restrictions":{"permitted_functions":["FUNCTION_ALL",42]}}`
	if err != nil || string(text) != want {
		t.Errorf("got %s, %v\nwant %s", text, err, want)
	}
}

func TestJSONIsReadInAllItsSpellings(t *testing.T) {
	t.Parallel()
	package_ := func(text string) *rampv1.Offer { return &rampv1.Offer{ExchangeSignature: text} }
	for _, c := range []struct {
		text string
		into proto.Message
		want string
	}{
		{`{"requestId":"r","supported_profiles":["p"],"deadline":"0.5s"}`, &rampv1.ResourceQuery{}, `{"request_id":"r","deadline":"0.500s","supported_profiles":["p"]}`},
		{`{"marketplace":"x.example"}`, &rampv1.ResourceResponse{}, `{"exchange":"x.example"}`},
		{`{"marketplace":"x.example"}`, &rampv1.UsageReport{}, `{"exchange":"x.example"}`},
		{`{"marketplace":"x.example"}`, &rampv1.RAMPResponse{}, `{"exchange":"x.example"}`},
		{`{"marketplaces":[{"domain":"x.example","relationship":"RESELLER"}]}`, &rampv1.ProviderManifest{}, `{"exchanges":[{"domain":"x.example","relationship":"PROVIDER_RELATIONSHIP_RESELLER"}]}`},
		{`{"marketplaces":["a"],"preferred_marketplaces":["b"]}`, &rampv1.RequestConstraints{}, `{"exchanges":["a"],"preferred_exchanges":["b"]}`},
		{`{"preferredMarketplaces":["b"]}`, &rampv1.RequestConstraints{}, `{"preferred_exchanges":["b"]}`},
		{`{"endpoint":"https://x.example"}`, &rampv1.ExchangeManifest{}, `{"exchange_endpoint":"https://x.example"}`},
		{`{"signature":"s"}`, package_(""), `{"exchange_signature":"s"}`},
		{`{"marketplace":"nothing of a cost","amount":"2.5","offer_signature_algorithm":{"a":[1]}}`, &rampv1.Cost{}, `{"amount":2.5}`},
		{`{"model":3,"rate":1e0,"estimated_quantity":3.0,"unit":null}`, &rampv1.Pricing{}, `{"model":"PRICING_MODEL_PER_FETCH","rate":1,"estimated_quantity":3}`},
		{`{"reason":"DISPUTE_REASON_CONTENT_MISMATCH"}`, &rampv1.DisputeRequest{}, `{"reason":"DISPUTE_REASON_CONTENT_MISMATCH"}`},
		{`{"reason":2}`, &rampv1.DisputeRequest{}, `{"reason":"DISPUTE_REASON_CONTENT_MISMATCH"}`},
		{`{"reset_at":"2026-03-18T10:00:00.5+01:00"}`, &rampv1.RateLimitInfo{}, `{"reset_at":"2026-03-18T09:00:00.500Z"}`},
		{`{"function":[0,"FUNCTION_SEARCH"],"format":1}`, &rampv1.Usage{}, `{"function":["FUNCTION_ALL","FUNCTION_SEARCH"]}`},
		{`{"id":"p","reporturl":"https://a.example/r","scope":{"ause":[1],"cur":"EUR","text":[{"language":"de","cattax":7}]}}`, &compv1.Package{},
			`{"id":"p","scope":{"text":[{"ext":{"comp.cattax":7,"comp.language":"de"}}],"ext":{"comp.ause":[1],"comp.cur":"EUR"}},"ext":{"comp.reporturl":"https://a.example/r"}}`},
		{`{"reporturl":"late","ext":{"comp.reporturl":"kept"}}`, &compv1.Package{}, `{"ext":{"comp.reporturl":"kept"}}`},
		{`{"auth":"RETRIEVAL_AUTH_OTHER"}`, &compv1.Retrieval{}, `{"auth":4}`},
	} {
		if err := ramp.Unmarshal([]byte(c.text), c.into); err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if got, err := ramp.Marshal(c.into); err != nil || string(got) != c.want {
			t.Errorf("%s became\n%s, %v; want\n%s", c.text, got, err, c.want)
		}
	}
}

func TestJSONThatIsWrongIsBlamedByPlace(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat(`{"x":`, strictjson.MaxDepth) + "{}" + strings.Repeat("}", strictjson.MaxDepth)
	for _, c := range []struct {
		text    string
		into    proto.Message
		pointer string
		problem string
	}{
		{``, &rampv1.Offer{}, "", "empty"},
		{`[]`, &rampv1.Offer{}, "", "expected an object, found an array"},
		{`{"offer_id":"a","offer_id":"a"}`, &rampv1.Offer{}, "/offer_id", "twice"},
		{`{"offer_id":"a","offerId":"a"}`, &rampv1.Offer{}, "/offerId", "twice"},
		{`{"marketplace":"a","exchange":"a"}`, &rampv1.UsageReport{}, "/exchange", "twice"},
		{`{"unknown":{"a":1,"a":1}}`, &rampv1.Offer{}, "/unknown/a", "twice"},
		{`{"offer_id":"` + "\xff" + `"}`, &rampv1.Offer{}, "/offer_id", "UTF-8"},
		{`{} {}`, &rampv1.Offer{}, "", "more data"},
		{deep, &rampv1.Offer{}, "", "deeper"},
		{`{"offer_id":1}`, &rampv1.Offer{}, "/offer_id", "expected a string, found a number"},
		{`{"offers":[{},{"pricing":{"rate":"NaN"}}]}`, &rampv1.ResourceResponse{}, "/offers/1/pricing/rate", "expected a number"},
		{`{"pricing":{"rate":1e400}}`, &rampv1.Offer{}, "/pricing/rate", "range"},
		{`{"pricing":{"estimated_quantity":2147483648}}`, &rampv1.Offer{}, "/pricing/estimated_quantity", "whole number"},
		{`{"pricing":{"estimated_quantity":1.5}}`, &rampv1.Offer{}, "/pricing/estimated_quantity", "whole number"},
		{`{"pricing":{"model":"PER_ACCESS"}}`, &rampv1.Offer{}, "/pricing/model", "no value of PricingModel"},
		{`{"accepted":"true"}`, &rampv1.UsageReportResponse{}, "/accepted", "true or false"},
		{`{"offers":{}}`, &rampv1.ResourceResponse{}, "/offers", "expected an array"},
		{`{"offers":[null]}`, &rampv1.ResourceResponse{}, "/offers/0", "expected an object, found null"},
		{`{"ext":[]}`, &rampv1.Offer{}, "/ext", "expected an object"},
		{`{"ext":{"a":{"b":[1,1e999]}}}`, &rampv1.Offer{}, "/ext/a/b/1", "range"},
		{`{"expires_at":"2026-03-18 09:00:00Z"}`, &rampv1.Offer{}, "/expires_at", "expected a time"},
		{`{"expires_at":"2026-03-18T09:00:00,5Z"}`, &rampv1.Offer{}, "/expires_at", "expected a time"},
		{`{"expires_at":1}`, &rampv1.Offer{}, "/expires_at", "a time in a string"},
		{`{"deadline":"1h"}`, &rampv1.ResourceQuery{}, "/deadline", "expected a duration"},
		{`{"deadline":"1.s"}`, &rampv1.ResourceQuery{}, "/deadline", "expected a duration"},
		{`{"deadline":"315576000000.1s"}`, &rampv1.ResourceQuery{}, "/deadline", "expected a duration"},
		{`{"ext":"` + strings.Repeat("x", ramp.MaxMessage) + `"}`, &rampv1.Offer{}, "", "at most"},
	} {
		err := ramp.Unmarshal([]byte(c.text), c.into)
		var wrong *strictjson.Error
		if !errors.As(err, &wrong) || wrong.Pointer != c.pointer || !strings.Contains(wrong.Problem, c.problem) {
			t.Errorf("%.60s: %v; want %q blamed, with %q", c.text, err, c.pointer, c.problem)
		}
	}
}

func TestWhatJSONCannotCarryIsNotWritten(t *testing.T) {
	t.Parallel()
	nan := &rampv1.Cost{}
	nan.Amount /= nan.Amount
	for _, m := range []proto.Message{
		nan, &rampv1.TransactionRequest{Items: []*rampv1.TransactionItem{{OfferId: "\xff"}}},
	} {
		if text, err := ramp.Marshal(m); err == nil {
			t.Errorf("written: %s", text)
		}
	}
}

// The text of attested_at is what was signed: another text of the same time would break the
// signature.
func TestAttestedTimeKeepsItsText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"2026-03-18T09:00:00Z":      "2026-03-18T09:00:00Z",
		"2026-03-18T09:00:00.10Z":   "2026-03-18T09:00:00.10Z",
		"2026-03-18T10:00:00+01:00": "2026-03-18T10:00:00+01:00",
	} {
		attestation := &rampv1.ResourceAttestation{}
		if err := ramp.Unmarshal([]byte(`{"attested_at":"`+text+`"}`), attestation); err != nil {
			t.Fatal(err)
		}
		binary, err := proto.Marshal(attestation)
		if err != nil {
			t.Fatal(err)
		}
		stored := &rampv1.ResourceAttestation{}
		if err := proto.Unmarshal(binary, stored); err != nil {
			t.Fatal(err)
		}
		if got := ramp.AttestedAt(stored); got != want {
			t.Errorf("%s became %s", text, got)
		}
		if written, err := ramp.Marshal(stored); err != nil || string(written) != `{"attested_at":"`+want+`"}` {
			t.Errorf("%s was written %s, %v", text, written, err)
		}
		stored.AttestedAt.Seconds++
		if got := ramp.AttestedAt(stored); got != "2026-03-18T09:00:01Z" && got != "2026-03-18T09:00:01.100Z" {
			t.Errorf("a text that is not of this time was believed: %s", got)
		}
	}
}

// FuzzJSON holds that what is read is written and read again as the same message, whatever was
// sent.
func FuzzJSON(f *testing.F) {
	for _, seed := range []string{
		`{"offers":[{"offer_id":"a","pricing":{"rate":0.1},"attestations":[{"attested_at":"2026-03-18T09:00:00.10Z"}]}]}`,
		`{"marketplace":"a","offer_groups":[{"absence_reason":3}],"ext":{"a":[1,null]},"ext_critical":["a"]}`,
		`{"rate_limit":{"window":"-0.5s","limit":"3"}}`, `{"offers":[{"package":{"reporturl":1,"scope":{"cur":"EUR"}}}]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		first := &rampv1.ResourceResponse{}
		if err := ramp.Unmarshal(text, first); err != nil {
			var told *strictjson.Error
			if !errors.As(err, &told) {
				t.Fatalf("an error that names no place: %v", err)
			}
			return
		}
		written, err := ramp.Marshal(first)
		if err != nil {
			t.Fatalf("read, but not written: %v", err)
		}
		second := &rampv1.ResourceResponse{}
		if err := ramp.Unmarshal(written, second); err != nil || !proto.Equal(first, second) {
			t.Fatalf("%s came back as another message: %v", written, err)
		}
	})
}

func TestCodecIsForTheContentTypesOfJSON(t *testing.T) {
	t.Parallel()
	if (ramp.Codec{}).Name() != "json" || (ramp.Codec{Charset: true}).Name() != "json; charset=utf-8" {
		t.Error("the codec answers to other content types")
	}
	cost := &rampv1.Cost{}
	if err := (ramp.Codec{}).Unmarshal([]byte(`{"unitCost":1}`), cost); err != nil || cost.GetUnitCost() != 1 {
		t.Errorf("read %v, %v", cost, err)
	}
	if text, err := (ramp.Codec{}).Marshal(cost); err != nil || string(text) != `{"unit_cost":1}` {
		t.Errorf("wrote %s, %v", text, err)
	}
	if _, err := (ramp.Codec{}).Marshal("no message"); err == nil {
		t.Error("a string was written as a message")
	}
}

// TestWritingKeepsNothingOfWhatWasWrittenBefore writes after messages that were written in another
// way, and after one that could not be written.
func TestWritingKeepsNothingOfWhatWasWrittenBefore(t *testing.T) {
	t.Parallel()
	manifest := &rampv1.ProviderManifest{Ver: "1.0",
		Exchanges: []*rampv1.AuthorizedExchange{{Domain: "x.example",
			Relationship: rampv1.ProviderRelationship_PROVIDER_RELATIONSHIP_DIRECT}}}
	const want = `{"ver":"1.0","exchanges":[{"domain":"x.example","relationship":"PROVIDER_RELATIONSHIP_DIRECT"}]}`
	for range 20 { // what is used again may be another's, or nobody's
		first, err := ramp.Marshal(manifest)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ramp.WriteProviderManifest(manifest); err != nil {
			t.Fatal(err)
		}
		if text, err := ramp.OfferPayload(&rampv1.Offer{OfferId: "an offer that is longer than the manifest, whose " +
			"members stand in the order of their names, and whose text is written after it"}); err != nil {
			t.Fatal(text, err)
		}
		if text, err := ramp.Marshal(&rampv1.ResourceQuery{Id: "q", Requester: &rampv1.Requester{Id: "\xff"}}); err ==
			nil {
			t.Fatalf("wrote %s", text)
		}
		if string(first) != want {
			t.Fatalf("what was written became %s; want %s", first, want)
		}
		again, err := ramp.Marshal(manifest)
		if err != nil || string(again) != want {
			t.Fatalf("wrote %s, %v; want %s", again, err, want)
		}
	}
}

// TestDurationsAreWrittenAsTheReferenceWritesThem compares with protojson, whose text of a duration
// is the standard's.
func TestDurationsAreWrittenAsTheReferenceWritesThem(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for n := range 2_000 {
		d := &durationpb.Duration{Seconds: random.Int64N(315_576_000_001),
			Nanos: []int32{0, 1, 1_000, 1_000_000, 999_999_999, 100_000_000, random.Int32N(1_000_000_000)}[n%7]}
		if n%5 == 0 {
			d.Seconds %= 2
		}
		if d.Seconds == 315_576_000_000 {
			d.Nanos = 0
		}
		if n%2 == 0 {
			d.Seconds, d.Nanos = -d.Seconds, -d.Nanos
		}
		want, err := protojson.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		got, err := ramp.Marshal(&rampv1.ResourceQuery{Deadline: d})
		if err != nil || string(got) != `{"deadline":`+string(want)+`}` {
			t.Fatalf("%v: %s, %v; want %s", d, got, err, want)
		}
	}
}
