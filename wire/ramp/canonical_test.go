package ramp

import (
	"math"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"frontdesk/internal/testkit/ramp/made"
	rampv1 "frontdesk/wire/ramp/v1"
	"frontdesk/wire/sign"
)

// TestCanonicalFormIsWrittenAtOnce holds the form that messages are signed in against the canonical
// form of their JSON.
func TestCanonicalFormIsWrittenAtOnce(t *testing.T) {
	t.Parallel()
	cases := map[string]proto.Message{
		"zero below": &rampv1.Offer{Pricing: &rampv1.Pricing{Rate: math.Copysign(0, -1),
			UnitCost: proto.Float64(math.Copysign(0, -1))}},
		"small and big":  &rampv1.Offer{Pricing: &rampv1.Pricing{Rate: 1.515e-5, UnitCost: proto.Float64(1e21)}},
		"escapes":        &rampv1.Offer{OfferId: "\u2028\"\\\x01\n\t/<>&é𐍈\x7f"},
		"names in order": &rampv1.Offer{Ext: object("b", "a", "B", "", "a.b", "a b")},
		"beyond ASCII":   &rampv1.Offer{Ext: object("é", "z", "𐍈", "\ufb01")},
		"nothing":        &rampv1.Offer{},
	}
	for _, c := range made.Cases() {
		cases[c.Name] = c.Message
	}
	for name, m := range cases {
		text, err := Marshal(m)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		want, err := sign.Canonical(text)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got, err := canonicalMessage(m); err != nil || string(got) != string(want) {
			t.Errorf("%s: %s, %v\nwant %s", name, got, err, want)
		}
	}
	if _, err := canonicalMessage(&rampv1.Offer{Pricing: &rampv1.Pricing{Rate: math.NaN()}}); err == nil {
		t.Error("what is no number was written")
	}
}

func object(names ...string) *structpb.Struct {
	s := &structpb.Struct{Fields: map[string]*structpb.Value{}}
	for i, name := range names {
		s.Fields[name] = structpb.NewNumberValue(float64(i))
	}
	return s
}
