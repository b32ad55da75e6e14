package rampapi

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/httpx"
	wire "frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
	"frontdesk/wire/sign"
)

// believing has a door verify intermediaries under one key, in every protocol and codec the same
// way.
func (f *framed) believing(t *testing.T, by ed25519.PrivateKey) {
	keys := []wire.Key{{Public: by.Public().(ed25519.PublicKey)}}
	f.Forwarded = func(_ context.Context, q *rampv1.ResourceQuery, came wire.ReceivedQuery, _ func() error) error {
		left := 10
		for i := range q.Intermediaries {
			if err := wire.VerifyHop(q, came, i, keys, &left); err != nil {
				return fail.New(fail.Unauthorized, "intermediaries[%d]: %v", i, err)
			}
		}
		return nil
	}
}

// TestForwardedQueriesAreAnswered holds that a query that a Broker passed on is good in every
// protocol and codec, that the log names the Broker, and that a wrong one is unauthenticated, and
// counts against the address that it came from.
func TestForwardedQueriesAreAnswered(t *testing.T) {
	t.Parallel()
	f := newFramed()
	by := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{9}, ed25519.SeedSize))
	f.believing(t, by)
	failures := 0
	f.Failed, f.Suspect = func(context.Context) { failures++ }, func(context.Context) error { return nil }
	var via []string
	f.answer = func(ctx context.Context, c *call, q *rampv1.ResourceQuery) (*rampv1.ResourceResponse, error) {
		asked, err := asked(c, q)
		via = append(asked.Via, httpx.EventFrom(ctx).Text("via"))
		return &rampv1.ResourceResponse{Ver: Version, Id: q.Id, Exchange: f.Exchange}, err
	}
	good := query()
	for _, broker := range []string{"broker.example", "relay.example"} {
		if err := wire.AppendHop(good, wire.Hop{Domain: broker, ID: "b", At: time.Now()}, by); err != nil {
			t.Fatal(err)
		}
	}
	address, http1, http2 := f.serve(t)
	for name, client := range speakers(address, http1, http2) {
		if _, err := client.DiscoverResources(t.Context(), connect.NewRequest(good)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if strings.Join(via, ",") != "broker.example,relay.example,broker.example relay.example" {
			t.Errorf("%s: the query came by %q", name, via)
		}
	}
	text, err := wire.Marshal(good)
	if err != nil || failures != 0 {
		t.Fatal(err, failures)
	}
	for name, change := range map[string][2]string{
		"another address":      {"p.example/a", "p.example/b"},
		"a member that is new": {`"ver":"1.0"`, `"ver":"1.0","request_id":"r"`}, "another hop": {"relay.example", "other.example"},
	} {
		before := failures
		if got := send(t, http1, address+discoverPath, "application/json",
			strings.Replace(string(text), change[0], change[1], 1)); !strings.HasPrefix(got, `{"code":"unauthenticated","message":"intermediaries[`) {
			t.Errorf("%s: %s", name, got)
		}
		if failures != before+1 {
			t.Errorf("%s: %d failures were counted", name, failures-before)
		}
	}
	f.Forwarded = nil
	if got := send(t, http1, address+discoverPath, "application/json", string(text)); !strings.Contains(got,
		"not verified here") {
		t.Errorf("a door that verifies no intermediaries: %s", got)
	}
}

// TestMembersThatNobodyKnowsAreSignedToo holds that an intermediary which wrote members of its own
// in JSON is believed over what it wrote.
func TestMembersThatNobodyKnowsAreSignedToo(t *testing.T) {
	t.Parallel()
	f := newFramed()
	by := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{9}, ed25519.SeedSize))
	f.believing(t, by)
	address, client, _ := f.serve(t)
	at := time.Now().UTC().Format("2006-01-02T15:04:05.000000+00:00") // as other languages write it
	unsigned := `{"id":"q","intermediaries":[{"domain":"broker.example","forwarded_at":"` + at + `","id":"b"}],"requester":{"domain":"b.example","id":"b","mood":"glad","uris":["u"]},"ver":"1.0"}`
	signed := strings.Replace(unsigned, `"id":"b"}]`, `"id":"b","signature":"`+sign.EncodeSignature(ed25519.Sign(by, []byte(unsigned)))+`"}]`, 1)
	if got := send(t, client, address+discoverPath, "application/json; charset=utf-8", signed); !strings.Contains(got,
		`"exchange":"x.example"`) {
		t.Errorf("%s\n%s", got, signed)
	}
	if got := send(t, client, address+discoverPath, "application/json",
		strings.Replace(signed, "glad", "sad", 1)); !strings.Contains(got, `"code":"unauthenticated"`) {
		t.Errorf("a member that nobody knows was changed: %s", got)
	}
}
