package ramp_test

import (
	"testing"

	"google.golang.org/protobuf/proto"

	"frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
)

// FuzzReceivedOffers holds that the offers of a response are in the places where the message has
// them, and that what a message writes of itself is signed in one form, however it is looked at.
func FuzzReceivedOffers(f *testing.F) {
	for _, seed := range []string{
		`{"offers":[{"offer_id":"a","signature":"s","new":1},{"offerId":"b"}]}`, `{"offers":null,"offerGroups":[{},{"uri":"u","offers":[{"offer_id":"a"}]}]}`,
		`{"offer_groups":[{"offers":[{"offer_id":"a","pricing":{"rate":0.10,"new":[]},"exchange_signature":"s"}]}]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		response := &rampv1.ResourceResponse{}
		if ramp.Unmarshal(text, response) != nil {
			return
		}
		alone, grouped, err := ramp.ReceivedOffers(text)
		if err != nil || len(grouped) != len(response.OfferGroups) {
			t.Fatalf("%d of %d groups, %v", len(grouped), len(response.OfferGroups), err)
		}
		same(t, alone, response.Offers)
		for i, group := range response.OfferGroups {
			same(t, grouped[i], group.Offers)
		}
	})
}

func same(t *testing.T, came []ramp.ReceivedOffer, offers []*rampv1.Offer) {
	if len(came) != len(offers) {
		t.Fatalf("%d of %d offers", len(came), len(offers))
	}
	for i, offer := range offers {
		again := &rampv1.Offer{}
		if err := ramp.Unmarshal(came[i], again); err != nil || !proto.Equal(offer, again) {
			t.Fatalf("%s is another offer: %v", came[i], err)
		}
		if _, err := came[i].Payload(); err != nil {
			t.Logf("%s: %v", came[i], err) // a number that no double is
		}
		written, err := ramp.Marshal(offer)
		if err != nil {
			t.Fatal(err)
		}
		fields, err := ramp.OfferPayload(offer)
		if err != nil {
			continue
		}
		if payload, err := ramp.ReceivedOffer(written).Payload(); err != nil || string(payload) != string(fields) ||
			ramp.ReceivedOffer(written).Unknown() {
			t.Fatalf("%s is signed as %s and as %s: %v", written, payload, fields, err)
		}
	}
}
