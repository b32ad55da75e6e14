package ramp

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"google.golang.org/protobuf/types/known/timestamppb"

	rampv1 "frontdesk/wire/ramp/v1"
	"frontdesk/wire/sign"
	"frontdesk/wire/strictjson"
)

// MaxHops is through how many intermediaries a query may have passed.
const MaxHops = 8

// Hop is an intermediary that passes a query on.
type Hop struct {
	Domain string    // which publishes its keys at /.well-known/ramp-agent.json
	ID     string    // what its domain calls it
	At     time.Time // when it passes the query on
}

// AppendHop signs a query in the name of an intermediary that passes it on, and appends its hop
// (RAMP v1, IntermediaryHop). Nothing of the query may be changed after that. The error says why it
// cannot be passed on: there are [MaxHops] already, or one that is later.
func AppendHop(query *rampv1.ResourceQuery, hop Hop, key ed25519.PrivateKey) error {
	if len(query.GetIntermediaries()) >= MaxHops {
		return fmt.Errorf("the query passed through %d intermediaries already, and may pass through no more", MaxHops)
	}
	last := &rampv1.IntermediaryHop{Domain: hop.Domain, Id: hop.ID,
		ForwardedAt: timestamppb.New(hop.At.Truncate(time.Microsecond)), SignatureAlgorithm: "ed25519"}
	query.Intermediaries = append(query.Intermediaries, last)
	err := CheckHops(query, hop.At, true)
	var payload []byte
	if err == nil {
		payload, err = HopPayload(query, len(query.Intermediaries)-1)
	}
	if err != nil {
		query.Intermediaries = query.Intermediaries[:len(query.Intermediaries)-1]
		return err
	}
	last.Signature = sign.EncodeSignature(ed25519.Sign(key, payload))
	return nil
}

// CheckHops says what is wrong with the intermediaries of a query but for their signatures: there
// are at most [MaxHops], each says who it is and when it passed the query on, none before the one
// before it, and none more than [MaxClockSkew] before now or after it. unsigned lets the last have
// no signature yet. The error is an *[Invalid].
func CheckHops(query *rampv1.ResourceQuery, now time.Time, unsigned bool) error {
	hops := query.GetIntermediaries()
	if len(hops) > MaxHops {
		return &Invalid{"intermediaries", fmt.Sprintf("are %d, and a query may pass through %d at the most", len(hops),
			MaxHops)}
	}
	var before time.Time
	for i, hop := range hops {
		found := checkHop(hop, before, now, unsigned && i == len(hops)-1)
		if found != nil {
			return &Invalid{fmt.Sprintf("intermediaries[%d].%s", i, found.Path), found.Problem}
		}
		before = hop.ForwardedAt.AsTime()
	}
	return nil
}

func checkHop(hop *rampv1.IntermediaryHop, before, now time.Time, unsigned bool) *Invalid {
	at := hop.GetForwardedAt().AsTime()
	late := ""
	switch {
	case at.Before(before):
		late = "is before that of the intermediary before it"
	case at.Before(now.Add(-MaxClockSkew)):
		late = fmt.Sprintf("is more than %.0f minutes ago; ask anew", MaxClockSkew.Minutes())
	case at.After(now.Add(MaxClockSkew)):
		late = fmt.Sprintf("is more than %.0f minutes in the future; set the intermediary's clock",
			MaxClockSkew.Minutes())
	}
	found := first(domain("domain", hop.GetDomain()), required("id", hop.GetId()),
		set("forwarded_at", hop.GetForwardedAt() != nil && hop.ForwardedAt.IsValid()),
		set("signature", hop.GetSignature() != "" || unsigned),
		algorithm("signature_algorithm", hop.GetSignatureAlgorithm()))
	if found == nil && late != "" {
		found = &Invalid{"forwarded_at", late}
	}
	return found
}

// ReceivedQuery is the JSON of a query as it came; nil of one that did not come in JSON. An
// intermediary that knows members which this package does not know signs them, too.
type ReceivedQuery []byte

// HopPayload is what the intermediary at a place, counted from 0, signed of the query that it sent
// as JSON: as [HopPayload], with the names and the members that it wrote.
func (q ReceivedQuery) HopPayload(hop int) ([]byte, error) {
	members, err := membersOf(q)
	if err != nil {
		return nil, err
	}
	at, all, err := listIn(members)
	if err != nil || hop < 0 || hop >= len(all) {
		return nil, fmt.Errorf("the query has %d hops, and no hop %d: %w", len(all), hop, errors.Join(err, errCount))
	}
	own, err := membersOf(all[hop])
	if err != nil {
		return nil, err
	}
	shape := shapeOf((&rampv1.IntermediaryHop{}).ProtoReflect().Descriptor())
	for name := range own {
		if field := shape.members[name]; field != nil && field.Name() == "signature" {
			delete(own, name)
		}
	}
	sofar := slices.Clone(all[:hop+1])
	if sofar[hop], err = json.Marshal(own); err != nil {
		return nil, err
	}
	if members[at], err = json.Marshal(sofar); err != nil {
		return nil, err
	}
	text, err := json.Marshal(members)
	if err != nil {
		return nil, err
	}
	return sign.Canonical(text)
}

var errCount = errors.New("count from 0")

// listIn finds the hops among the members of a query, by whichever of their names they have there.
func listIn(members map[string]strictjson.Value) (name string, all []strictjson.Value, err error) {
	shape := shapeOf((&rampv1.ResourceQuery{}).ProtoReflect().Descriptor())
	for name, value := range members {
		if field := shape.members[name]; field != nil && field.Name() == "intermediaries" {
			return name, all, strictjson.Decode(value, &all)
		}
	}
	return "", nil, nil
}

// VerifyHop says whether the intermediary at a place signed a query: the message in the protocol's
// JSON, or the query's own text. keys are those of the intermediary that are good; left is how many
// signatures may still be verified, and counted down.
func VerifyHop(query *rampv1.ResourceQuery, came ReceivedQuery, hop int, keys []Key, left *int) error {
	signature, err := sign.DecodeSignature(query.Intermediaries[hop].GetSignature())
	if err != nil {
		return err
	}
	for _, form := range []func(int) ([]byte, error){
		func(hop int) ([]byte, error) { return HopPayload(query, hop) },
		came.HopPayload,
	} {
		payload, err := form(hop)
		if err != nil {
			continue // it came in another form
		}
		for _, key := range keys {
			if *left--; *left < 0 {
				return errors.New("there are more keys than are tried")
			}
			if ed25519.Verify(key.Public, payload, signature) {
				return nil
			}
		}
	}
	return errors.New("it is not that of a key that is good now, over the query with the hops so far as canonical " +
		"JSON (RFC 8785)")
}

// Via names the intermediaries of a query, the first that passed it on first.
func Via(query *rampv1.ResourceQuery) []string {
	var all []string
	for _, hop := range query.GetIntermediaries() {
		all = append(all, strings.ToLower(hop.GetDomain()))
	}
	return all
}
