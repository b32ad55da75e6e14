package ramp_test

import (
	"math"
	"testing"

	"google.golang.org/protobuf/proto"

	"frontdesk/internal/testkit/ramp/made"
	"frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
)

// TestObjectIsWhatMarshalWrites holds of every message and field.
func TestObjectIsWhatMarshalWrites(t *testing.T) {
	t.Parallel()
	for _, c := range made.Cases() {
		text, err := ramp.Marshal(c.Message)
		if err != nil {
			t.Fatal(c.Name, err)
		}
		want, err := ramp.ReadObject(text)
		if err != nil {
			t.Fatal(c.Name, err)
		}
		if got, err := ramp.Object(c.Message); err != nil || !proto.Equal(got, want) {
			t.Errorf("%s: %v, %v; want %v", c.Name, got, err, want)
		}
	}
}

func TestWhatJSONCannotCarryIsNoObject(t *testing.T) {
	t.Parallel()
	for _, m := range []proto.Message{&rampv1.Cost{Amount: math.Inf(1)},
		&rampv1.Offer{Pricing: &rampv1.Pricing{Currency: "\xff"}}} {
		if got, err := ramp.Object(m); err == nil {
			t.Errorf("%v became %v", m, got)
		}
	}
	for _, text := range []string{"", "[]", "{", `{"a":1,"a":2}`, `{} x`} {
		if got, err := ramp.ReadObject([]byte(text)); err == nil {
			t.Errorf("%s became %v", text, got)
		}
	}
}
