package ramp

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"google.golang.org/protobuf/proto"

	rampv1 "frontdesk/wire/ramp/v1"
	"frontdesk/wire/strictjson"
)

// Foreign is the error of a message or document of another protocol than the RAMP v1 that is spoken
// here: of a later version, of a later revision that kept the package's name and changed its
// messages, or of FORA, which came after it. Whoever meets it must not act on the rest.
type Foreign struct {
	Protocol string // "RAMP 2.0", "FORA", or "a later revision of ramp.v1"
	Mark     string // by which it is known, such as "idempotency_key"
}

// The protocols that came after this one.
const (
	laterRevision = "a later revision of ramp.v1"
	fora          = "FORA"
)

// Error names the protocol.
func (e *Foreign) Error() string {
	return fmt.Sprintf("it speaks %s (%s), and this end speaks RAMP 1.0, which is incompatible", e.Protocol, e.Mark)
}

// CheckVersion says of a version that a peer states whether it is a later, incompatible one: a
// *[Foreign]. Other minor versions of RAMP 1 are compatible, and so is what states none.
func CheckVersion(ver string) error {
	switch text := strings.ToLower(ver); {
	case strings.Contains(text, "fora"):
		return &Foreign{fora, "ver: " + short40(ver)}
	case later(text):
		return &Foreign{"RAMP " + short40(ver), "ver"}
	}
	return nil
}

// later says whether a version has a major number above 1, as "2.0", "v2" or "ramp.v2" have.
func later(ver string) bool {
	ver = strings.TrimPrefix(strings.TrimLeft(strings.TrimPrefix(ver, "ramp"), "./ -"), "v")
	digits := 0
	for digits < len(ver) && ver[digits] >= '0' && ver[digits] <= '9' {
		digits++
	}
	major, err := strconv.ParseUint(ver[:digits], 10, 64)
	return errors.Is(err, strconv.ErrRange) || err == nil && major > 1
}

func short40(text string) string { return strings.ToValidUTF8(text[:min(len(text), 40)], "") }

// marks are the members by which messages of a later revision of ramp.v1 are known, where the
// message lacks what this one requires.
var marks = map[string][]string{
	"ramp.v1.ResourceQuery":      {"uris", "acceptable_restrictions", "acceptableRestrictions"},
	"ramp.v1.RAMPRequest":        {"uris", "idempotency_key", "idempotencyKey"},
	"ramp.v1.TransactionRequest": {"idempotency_key", "idempotencyKey"},
	"ramp.v1.UsageReport":        {"idempotency_key", "idempotencyKey"},
	"ramp.v1.DisputeRequest":     {"idempotency_key", "idempotencyKey"},
}

// Recognise says of the JSON of a message or document that is none of RAMP v1 what it is instead: a
// *[Foreign], or nil where nobody can tell. It is for what is not well-formed: members that are not
// known make no well-formed message another protocol's.
func Recognise(data []byte, m proto.Message) error {
	members, err := membersOf(data)
	if err != nil {
		return nil
	}
	if err := CheckVersion(wordOf(members["ver"])); err != nil {
		return err
	}
	if strings.HasPrefix(wordOf(members["role"]), "ROLE_") { // one document for all, ramp.json or fora.json
		return &Foreign{laterRevision, "role"}
	}
	for _, mark := range marks[string(m.ProtoReflect().Descriptor().FullName())] {
		if _, is := members[mark]; is {
			return &Foreign{laterRevision, mark}
		}
	}
	if _, answer := m.(*rampv1.ResourceResponse); !answer {
		return nil
	}
	alone, grouped, err := ReceivedOffers(data)
	if err != nil {
		return nil
	}
	for _, group := range append(grouped, alone) {
		for _, offer := range group {
			members, err := membersOf(offer)
			if err == nil && members["signature"] != nil && members["exchange_signature"] == nil &&
				members["exchangeSignature"] == nil {
				return &Foreign{laterRevision, "offers signed in signature"}
			}
		}
	}
	return nil
}

// wordOf is the text of a JSON string; empty for anything else.
func wordOf(value strictjson.Value) (text string) {
	_ = json.Unmarshal(value, &text)
	return text
}

// RecogniseDocument says what the document at a well-known path is of, where an Exchange of RAMP v1
// has none: FORA's manifest, or the one of a later revision of ramp.v1; nil where nobody can tell.
func RecogniseDocument(path string, data []byte) error {
	err := Recognise(data, &rampv1.ExchangeManifest{})
	var other *Foreign
	if errors.As(err, &other) && strings.Contains(path, "fora") {
		return &Foreign{fora, path}
	}
	return err
}

// FirstForeign says of an answer that was read whether it is of another protocol. It looks at data,
// the answer's JSON, only where the answer is not well-formed.
func FirstForeign(data []byte, answer proto.Message) error {
	if stated, ok := answer.(interface{ GetVer() string }); ok {
		if err := CheckVersion(stated.GetVer()); err != nil {
			return err
		}
	}
	response, ok := answer.(*rampv1.ResourceResponse)
	if !ok {
		return nil
	}
	unsigned := func(all []*rampv1.Offer) bool {
		for _, offer := range all {
			// a JWS
			if offer.GetPackage() == nil || offer.GetExchangeSignature() == "" ||
				strings.Count(offer.GetExchangeSignature(), ".") == 2 {
				return true
			}
		}
		return false
	}
	look := unsigned(response.Offers)
	for _, group := range response.OfferGroups {
		look = look || unsigned(group.GetOffers())
	}
	if !look {
		return nil
	}
	return Recognise(data, answer)
}
