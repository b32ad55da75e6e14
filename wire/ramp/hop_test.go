package ramp_test

import (
	"crypto/ed25519"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
	"frontdesk/wire/sign"
)

var forwardedAt = time.Date(2026, 3, 18, 9, 0, 0, 0, time.UTC)

// secondKey is another key than the worked one: its seed is the bytes 32 to 63.
func secondKey() ed25519.PrivateKey {
	seed := make([]byte, ed25519.SeedSize)
	for i := range seed {
		seed[i] = byte(i) + 32
	}
	return ed25519.NewKeyFromSeed(seed)
}

func keysOf(private ed25519.PrivateKey) []ramp.Key {
	return []ramp.Key{{ID: "k", Public: private.Public().(ed25519.PublicKey), Active: true}}
}

// workedQuery is the query of the worked values, before anybody passed it on.
func workedQuery() *rampv1.ResourceQuery {
	return &rampv1.ResourceQuery{
		Ver: "1.0", Id: "q-1", Requester: &rampv1.Requester{
			Id: "research-bot", Domain: "buyer.example.com", Type: rampv1.RequesterType_REQUESTER_TYPE_AGENT,
			IntendedUse: []string{"ai-input"},
			Uris:        []string{"https://cdn.example.net/premium/a.html"}, Scopes: []string{"*"},
		},
		Deadline: durationpb.New(500 * time.Millisecond),
	}
}

// passedOn is the worked query after two intermediaries.
func passedOn(t testing.TB) *rampv1.ResourceQuery {
	t.Helper()
	query := workedQuery()
	for i, by := range []ed25519.PrivateKey{workedKey(), secondKey()} {
		hop := ramp.Hop{Domain: []string{"broker.example", "relay.example"}[i], ID: []string{"b1", "r1"}[i],
			At: forwardedAt.Add(time.Duration(i) * 1500 * time.Millisecond)}
		if err := ramp.AppendHop(query, hop, by); err != nil {
			t.Fatal(err)
		}
	}
	return query
}

// holds says whether both intermediaries of the worked query signed it, in whichever form it came.
func holds(query *rampv1.ResourceQuery, came ramp.ReceivedQuery) error {
	for i, by := range []ed25519.PrivateKey{workedKey(), secondKey()} {
		left := 100
		if err := ramp.VerifyHop(query, came, i, keysOf(by), &left); err != nil {
			return fmt.Errorf("hop %d: %w", i, err)
		}
	}
	return nil
}

// TestWorkedHops holds the payloads and signatures of two intermediaries against values that were
// worked out with another implementation (docs/forwarding.md).
func TestWorkedHops(t *testing.T) {
	t.Parallel()
	query := passedOn(t)
	const before = `{"deadline":"0.500s","id":"q-1","intermediaries":[{"domain":"broker.example","forwarded_at":"2026-03-18T09:00:00Z","id":"b1",`
	const requester = `"requester":{"domain":"buyer.example.com","id":"research-bot","intended_use":["ai-input"],"scopes":["*"],"type":"REQUESTER_TYPE_AGENT",` +
		`"uris":["https://cdn.example.net/premium/a.html"]},"ver":"1.0"}`
	for i, want := range []struct{ payload, signature string }{
		{before + `"signature_algorithm":"ed25519"}],` + requester, workedHop},
		{before + `"signature":"` + workedHop + `","signature_algorithm":"ed25519"},` +
			`{"domain":"relay.example","forwarded_at":"2026-03-18T09:00:01.500Z","id":"r1","signature_algorithm":"ed25519"}],` + requester, workedSecondHop},
	} {
		payload, err := ramp.HopPayload(query, i)
		if err != nil || string(payload) != want.payload {
			t.Errorf("hop %d signs %s, %v\nwant %s", i, payload, err, want.payload)
		}
		if got := query.Intermediaries[i].Signature; got != want.signature {
			t.Errorf("hop %d: signature %s, want %s", i, got, want.signature)
		}
	}
	if err := holds(query, nil); err != nil {
		t.Error(err)
	}
}

const (
	workedHop       = "0cFTiG4s/UG/4XGZfgA0orT5To8IUsiEnZcGCf3qZzDxZS1gTuNdDHUfhFQecDV45SkShJXD72H0mcSltZ8/CA=="
	workedSecondHop = "QtDkTOSbojrxCneRdYhdgA4nCHWiaWKr4XhwriElPrgFVdYpjbu9izZnA/4MZuj+GuR7wVYamGbNjd6JQtpJBw=="
)

// TestHopsBindEveryMember holds that whatever is changed, added, left out or put into another order
// breaks the chain.
func TestHopsBindEveryMember(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(q *rampv1.ResourceQuery){
		"ver":              func(q *rampv1.ResourceQuery) { q.Ver = "1.1" },
		"id":               func(q *rampv1.ResourceQuery) { q.Id = "q-2" },
		"requester.id":     func(q *rampv1.ResourceQuery) { q.Requester.Id = "other" },
		"requester.domain": func(q *rampv1.ResourceQuery) { q.Requester.Domain = "other.example" },
		"requester.type":   func(q *rampv1.ResourceQuery) { q.Requester.Type = 2 },
		"requester.uris": func(q *rampv1.ResourceQuery) {
			q.Requester.Uris = append(q.Requester.Uris, "https://x.example/")
		},
		"requester.scopes":     func(q *rampv1.ResourceQuery) { q.Requester.Scopes = nil },
		"requester.use":        func(q *rampv1.ResourceQuery) { q.Requester.IntendedUse[0] = "ai-train" },
		"requester.signature":  func(q *rampv1.ResourceQuery) { q.Requester.Signature = "s" },
		"requester.license":    func(q *rampv1.ResourceQuery) { q.Requester.LicenseId = proto.String("") },
		"requester.delegation": func(q *rampv1.ResourceQuery) { q.Requester.Delegation = &rampv1.Delegation{} },
		"request_id":           func(q *rampv1.ResourceQuery) { q.RequestId = proto.String("r") },
		"deadline":             func(q *rampv1.ResourceQuery) { q.Deadline = nil },
		"supported_profiles":   func(q *rampv1.ResourceQuery) { q.SupportedProfiles = []string{"p"} },
		"ext":                  func(q *rampv1.ResourceQuery) { q.Ext = &structpb.Struct{} },
		"ext_critical":         func(q *rampv1.ResourceQuery) { q.ExtCritical = []string{"k"} },
		"a hop's domain":       func(q *rampv1.ResourceQuery) { q.Intermediaries[0].Domain = "x.example" },
		"a hop's id":           func(q *rampv1.ResourceQuery) { q.Intermediaries[1].Id = "x" },
		"a hop's time":         func(q *rampv1.ResourceQuery) { q.Intermediaries[1].ForwardedAt.Nanos++ },
		"a hop's algorithm":    func(q *rampv1.ResourceQuery) { q.Intermediaries[0].SignatureAlgorithm = "" },
		"the order":            func(q *rampv1.ResourceQuery) { slices.Reverse(q.Intermediaries) },
		"the first hop": func(q *rampv1.ResourceQuery) {
			q.Intermediaries = slices.Insert(q.Intermediaries[1:], 0, q.Intermediaries[1])
		},
		"a hop between": func(q *rampv1.ResourceQuery) {
			q.Intermediaries = slices.Insert(q.Intermediaries, 1, proto.CloneOf(q.Intermediaries[0]))
		},
		"a signature": func(q *rampv1.ResourceQuery) { q.Intermediaries[1].Signature = q.Intermediaries[0].Signature },
	} {
		query := passedOn(t)
		change(query)
		if err := holds(query, nil); err == nil {
			t.Errorf("%s is not bound", name)
		}
		text, err := ramp.Marshal(query)
		if err != nil {
			t.Fatal(err)
		}
		if err := holds(query, text); err == nil {
			t.Errorf("%s is not bound in JSON", name)
		}
	}
}

// TestHopsHoldInEveryForm holds that a query is the same to its intermediaries in binary, in our
// JSON, and in JSON with other names, orders and blanks; and that one who wrote members that nobody
// here knows has signed them.
func TestHopsHoldInEveryForm(t *testing.T) {
	t.Parallel()
	query := passedOn(t)
	binary, err := proto.Marshal(query)
	if err != nil {
		t.Fatal(err)
	}
	read := &rampv1.ResourceQuery{}
	if err := proto.Unmarshal(binary, read); err != nil {
		t.Fatal(err)
	}
	if err := holds(read, nil); err != nil {
		t.Errorf("in binary: %v", err)
	}
	text, err := ramp.Marshal(query)
	if err != nil {
		t.Fatal(err)
	}
	spaced := strings.NewReplacer(`"forwarded_at":"2026-03-18T09:00:00Z"`, `"forwardedAt": "2026-03-18T10:00:00.0+01:00"`, `"ver":"1.0",`, "", `"intermediaries"`, `"ver": "1.0", "nobodys": [1], "intermediaries"`).Replace(string(text))
	for name, text := range map[string]string{"in JSON": string(text), "in other words": spaced} {
		read := &rampv1.ResourceQuery{}
		if err := ramp.Unmarshal([]byte(text), read); err != nil {
			t.Fatal(err)
		}
		if err := holds(read, ramp.ReceivedQuery(text)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	// One who signs what it wrote, with a member that is new.
	const sent = `{"ver":"1.0","id":"q","requester":{"id":"b","domain":"b.example","uris":["u"],"mood":"glad"},"intermediaries":[{"domain":"h.example","id":"h","forwardedAt":"2026-03-18T09:00:00+00:00"%s}]}`
	payload, err := sign.Canonical(fmt.Appendf(nil, sent, ""))
	if err != nil {
		t.Fatal(err)
	}
	signed := fmt.Sprintf(sent, `,"signature":"`+sign.EncodeSignature(ed25519.Sign(workedKey(), payload))+`"`)
	for text, good := range map[string]bool{
		signed: true, strings.Replace(signed, "glad", "sad", 1): false, strings.Replace(signed, `,"mood":"glad"`, "",
			1): false, strings.Replace(signed, "forwardedAt", "forwarded_at", 1): false,
	} {
		read := &rampv1.ResourceQuery{}
		if err := ramp.Unmarshal([]byte(text), read); err != nil {
			t.Fatal(err)
		}
		left := 10
		if err := ramp.VerifyHop(read, ramp.ReceivedQuery(text), 0, keysOf(workedKey()), &left); (err == nil) != good {
			t.Errorf("%s: %v", text, err)
		}
		if err := ramp.VerifyHop(read, nil, 0, keysOf(workedKey()), &left); err == nil {
			t.Errorf("%s holds without the members that it was signed with", text)
		}
	}
}

// TestHopsAreInTime holds the rules for the times of intermediaries, to the last instant that is
// right, and what else of one is asked.
func TestHopsAreInTime(t *testing.T) {
	t.Parallel()
	const skew = 5 * time.Minute
	for _, c := range []struct {
		name  string
		times []time.Duration // of the hops, after now
		says  string
	}{
		{"none", nil, ""}, {"now", []time.Duration{0}, ""}, {"equal", []time.Duration{-1, -1}, ""},
		{"one after the other", []time.Duration{-skew, 0, skew}, ""},
		{"backwards", []time.Duration{0, -1}, "intermediaries[1].forwarded_at: is before"},
		{"backwards, later", []time.Duration{0, 1, 0}, "intermediaries[2].forwarded_at: is before"},
		{"too old", []time.Duration{-skew - 1, 0}, "intermediaries[0].forwarded_at: is more than 5 minutes ago"},
		{"too new", []time.Duration{0, skew + 1}, "intermediaries[1].forwarded_at: is more than 5 minutes in " +
			"the future"},
		{"as many as may be", make([]time.Duration, ramp.MaxHops), ""},
		{"too many", make([]time.Duration, ramp.MaxHops+1), "intermediaries: are 9"},
	} {
		query := &rampv1.ResourceQuery{}
		for _, after := range c.times {
			query.Intermediaries = append(query.Intermediaries, &rampv1.IntermediaryHop{Domain: "h.example", Id: "h",
				ForwardedAt: timestamppb.New(forwardedAt.Add(after)), Signature: "s"})
		}
		if err := ramp.CheckHops(query, forwardedAt, false); (err == nil) != (c.says == "") || err != nil &&
			!strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", c.name, err, c.says)
		}
	}
	for text, blamed := range map[string]string{
		`"id":"h","forwarded_at":"2026-03-18T09:00:00Z","signature":"s"`:                                                      "domain",
		`"domain":"h.example/","id":"h","forwarded_at":"2026-03-18T09:00:00Z","signature":"s"`:                                "domain",
		`"domain":"h.example","forwarded_at":"2026-03-18T09:00:00Z","signature":"s"`:                                          "id",
		`"domain":"h.example","id":"h","signature":"s"`:                                                                       "forwarded_at",
		`"domain":"h.example","id":"h","forwarded_at":"2026-03-18T09:00:00Z"`:                                                 "signature",
		`"domain":"h.example","id":"h","forwarded_at":"2026-03-18T09:00:00Z","signature":"s","signature_algorithm":"hs256"`:   "signature_algorithm",
		`"domain":"h.example","id":"h","forwarded_at":"2026-03-18T09:00:00Z","signature":"s","signature_algorithm":"Ed25519"`: "",
	} {
		query := &rampv1.ResourceQuery{}
		if err := ramp.Unmarshal([]byte(`{"intermediaries":[{`+text+`}]}`), query); err != nil {
			t.Fatal(err)
		}
		err := ramp.CheckHops(query, forwardedAt, false)
		if blamed == "" && err != nil || blamed != "" &&
			(err == nil || !strings.HasPrefix(err.Error(), "intermediaries[0]."+blamed+": ")) {
			t.Errorf("%s: %v, want %q to be blamed", text, err, blamed)
		}
	}
}

// TestAppendHopLeavesWhatItCannotPassOn holds that nothing is signed that would be refused, and
// that the query is then as it was.
func TestAppendHopLeavesWhatItCannotPassOn(t *testing.T) {
	t.Parallel()
	query := workedQuery()
	hop := ramp.Hop{Domain: "broker.example", ID: "b", At: forwardedAt}
	for range ramp.MaxHops {
		if err := ramp.AppendHop(query, hop, workedKey()); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		query *rampv1.ResourceQuery
		hop   ramp.Hop
	}{
		"too many":  {query, hop},
		"backwards": {passedOn(t), hop},
		"too late":  {passedOn(t), ramp.Hop{Domain: "broker.example", ID: "b", At: forwardedAt.Add(6 * time.Minute)}},
		"no domain": {passedOn(t), ramp.Hop{ID: "b", At: forwardedAt.Add(time.Minute)}},
		"no id":     {passedOn(t), ramp.Hop{Domain: "broker.example", At: forwardedAt.Add(time.Minute)}},
	} {
		before := proto.CloneOf(c.query)
		if err := ramp.AppendHop(c.query, c.hop, workedKey()); err == nil || !proto.Equal(before, c.query) {
			t.Errorf("%s: %v; the query is now %v", name, err, c.query.Intermediaries)
		}
	}
}

// TestFewSignaturesAreVerified holds that many keys are not all tried.
func TestFewSignaturesAreVerified(t *testing.T) {
	t.Parallel()
	query, left := passedOn(t), 2
	many := slices.Concat(keysOf(secondKey()), keysOf(secondKey()), keysOf(workedKey()))
	if err := ramp.VerifyHop(query, nil, 0, many, &left); err == nil || left >= 0 {
		t.Errorf("a third key was tried: %v, %d left", err, left)
	}
	left = 3
	if err := ramp.VerifyHop(query, nil, 0, many, &left); err != nil || left != 0 {
		t.Errorf("%v, %d left", err, left)
	}
}

// FuzzReceivedHops holds that no text of a query upsets who reads its hops, and that a payload
// never has the signature of its own hop.
func FuzzReceivedHops(f *testing.F) {
	text, err := ramp.Marshal(passedOn(f))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text, 1)
	f.Add([]byte(`{"intermediaries":[{"signature":"s"},null,{}]}`), 1)
	f.Add([]byte(`{"intermediaries":null}`), 0)
	f.Fuzz(func(t *testing.T, text []byte, hop int) {
		query := &rampv1.ResourceQuery{}
		read := ramp.Unmarshal(text, query)
		payload, err := ramp.ReceivedQuery(text).HopPayload(hop)
		if err != nil {
			return
		}
		if read == nil && hop >= len(query.Intermediaries) {
			t.Fatalf("%s has %d hops, and a payload of hop %d: %s", text, len(query.Intermediaries), hop, payload)
		}
		var shown struct{ Intermediaries []map[string]any }
		if json.Unmarshal(payload, &shown) == nil && len(shown.Intermediaries) > hop &&
			shown.Intermediaries[hop]["signature"] != nil {
			t.Fatalf("the payload %s has its own signature", payload)
		}
		left := 10
		_ = read == nil && ramp.VerifyHop(query, text, hop, keysOf(workedKey()), &left) == nil
	})
}
