package client

import (
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
	"frontdesk/wire/strictjson"
)

// TestAnOffersObjectIsItsJSON holds of offers of any shape that their object is that of their JSON,
// with the signature in it, and that an offer whose JSON nobody would read again, since it is
// nested too deep, is none.
func TestAnOffersObjectIsItsJSON(t *testing.T) {
	t.Parallel()
	nested := func(levels int) *structpb.Value {
		v := structpb.NewStringValue(`{["é` + "\n")
		for range levels {
			v = structpb.NewListValue(&structpb.ListValue{Values: []*structpb.Value{v}})
		}
		return v
	}
	wide := &structpb.ListValue{}
	for range 2 * strictjson.MaxDepth {
		wide.Values = append(wide.Values, nested(1))
	}
	for name, c := range map[string]struct {
		ext  *structpb.Value
		good bool
	}{
		"flat":               {nested(0), true},
		"wide":               {structpb.NewListValue(wide), true},
		"as deep as is read": {nested(strictjson.MaxDepth - 2), true}, // within the offer and its ext
		"deeper":             {nested(strictjson.MaxDepth - 1), false},
	} {
		t.Run(name, func(t *testing.T) {
			offer := &rampv1.Offer{
				OfferId: "o", ExchangeSignature: "c2ln", Pricing: &rampv1.Pricing{Rate: 0.1, Currency: "EUR"},
				Ext: &structpb.Struct{Fields: map[string]*structpb.Value{"x.y": c.ext}},
			}
			unsigned, err := ramp.OfferPayload(offer)
			if err != nil {
				t.Fatal(err)
			}
			document, object, err := bothForms(unsigned, offer)
			if !c.good {
				if err == nil {
					t.Error("it was taken")
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			want, err := ramp.ReadObject(document)
			if err != nil || !proto.Equal(object, want) {
				t.Errorf("got %v; want %v, %v", object, want, err)
			}
			again := &rampv1.Offer{}
			if err := ramp.Unmarshal(document, again); err != nil || !proto.Equal(again, offer) {
				t.Errorf("its JSON is of %v, %v", again, err)
			}
		})
	}
}
