package ramp

import (
	"github.com/go-json-experiment/json"
	"google.golang.org/protobuf/reflect/protoreflect"

	rampv1 "frontdesk/wire/ramp/v1"
	"frontdesk/wire/sign"
	"frontdesk/wire/strictjson"
)

// ReceivedOffer is the JSON of an offer as it came. Its signature is over all of it, also over
// members that the message has no field for, and so is verified over this and not over the message.
type ReceivedOffer []byte

// ReceivedOffers gives the offers in the JSON of a ResourceResponse as they came, in the places
// where [Unmarshal] has them: alone[i] is Offers[i], and grouped[g][i] is OfferGroups[g].Offers[i].
// The error is a *[strictjson.Error].
func ReceivedOffers(response []byte) (alone []ReceivedOffer, grouped [][]ReceivedOffer, err error) {
	of := (&rampv1.ResourceResponse{}).ProtoReflect().Descriptor()
	if alone, err = offersIn(response, of); err != nil {
		return nil, nil, err
	}
	groups, err := elements(response, of, "offer_groups")
	for _, group := range groups {
		offers, err := offersIn(group, (&rampv1.OfferGroup{}).ProtoReflect().Descriptor())
		if err != nil {
			return nil, nil, err
		}
		grouped = append(grouped, offers)
	}
	return alone, grouped, err
}

func offersIn(message []byte, of protoreflect.MessageDescriptor) (offers []ReceivedOffer, err error) {
	all, err := elements(message, of, "offers")
	for _, one := range all {
		offers = append(offers, ReceivedOffer(one))
	}
	return offers, err
}

// elements are those of a list in a message's JSON, by whichever of its names it has there.
func elements(message []byte, of protoreflect.MessageDescriptor, list protoreflect.Name) (all []strictjson.Value,
	err error) {
	members, err := membersOf(message)
	if err != nil {
		return nil, err
	}
	for name, value := range members {
		if field := shapeOf(of).members[name]; field != nil && field.Name() == list {
			return all, strictjson.Decode(value, &all)
		}
	}
	return nil, nil
}

func membersOf(message []byte) (members map[string]strictjson.Value, err error) {
	return members, strictjson.Decode(message, &members)
}

// Payload is what the Exchange signed of the offer that it sent: all members but
// exchange_signature, as canonical JSON.
func (o ReceivedOffer) Payload() ([]byte, error) {
	members, err := membersOf(o)
	if err != nil {
		return nil, err
	}
	shape := shapeOf((&rampv1.Offer{}).ProtoReflect().Descriptor())
	for name := range members {
		if field := shape.members[name]; field != nil && field.Name() == "exchange_signature" {
			delete(members, name)
		}
	}
	text, err := json.Marshal(members)
	if err != nil {
		return nil, err
	}
	return sign.Canonical(text)
}

// Unknown says whether it has members, at any depth, that no field has. One without may have been
// written with other names for its members, or with members that hold nothing, than [OfferPayload]
// writes: many Exchanges send camelCase and sign snake_case.
func (o ReceivedOffer) Unknown() bool {
	r := newReader(strictjson.Value(o))
	return r.message((&rampv1.Offer{}).ProtoReflect()) != nil || r.unknown
}
