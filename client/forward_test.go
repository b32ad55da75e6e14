package client_test

import (
	"crypto/ed25519"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"frontdesk/client"
	"frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
)

// TestForwardPassesAQueryOn holds that another's query arrives with its requester untouched and the
// buyer as its last hop, whose signature holds over the text that arrived, and that offers are held
// against the Exchange's signature as ever.
func TestForwardPassesAQueryOn(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	x := c.open()
	query := &rampv1.ResourceQuery{Ver: "1.0", Id: "q", Requester: &rampv1.Requester{Id: "reader",
		Domain: "agents.example", Uris: []string{"https://site.example/a"}, Signature: "theirs"}}
	if err := ramp.AppendHop(query, ramp.Hop{Domain: "first.example", ID: "f", At: time.Now()}, newKey); err != nil {
		t.Fatal(err)
	}
	before := proto.CloneOf(query)
	arrived := &rampv1.ResourceQuery{}
	c.seen = func(_ string, body []byte) {
		if err := ramp.Unmarshal(body, arrived); err != nil {
			t.Error(err)
		}
		for _, came := range []ramp.ReceivedQuery{body, nil} {
			for i, by := range []ed25519.PrivateKey{newKey, buyerKey} {
				left := 2
				if err := ramp.VerifyHop(arrived, came, i, []ramp.Key{{Public: by.Public().(ed25519.PublicKey)}},
					&left); err != nil {
					t.Errorf("hop %d: %v", i, err)
				}
			}
		}
	}
	quotes, err := x.Forward(t.Context(), query)
	if err != nil || len(quotes.All) != 1 || len(quotes.All[0].Offers) != 1 {
		t.Fatalf("%+v, %v", quotes, err)
	}
	if !proto.Equal(query, before) || !proto.Equal(arrived.Requester, before.Requester) || arrived.Id != "q" {
		t.Errorf("the query became %v, and %v arrived", query, arrived)
	}
	if hop := arrived.Intermediaries[1]; hop.Domain != "buyer.example" || hop.Id != "bot" {
		t.Errorf("the last hop is %v", hop)
	}
	c.key = newKey // which the Exchange does not publish
	if quotes, err := x.Forward(t.Context(), query); err != nil || len(quotes.All[0].Offers) != 0 ||
		len(quotes.All[0].Passed) != 1 {
		t.Errorf("an offer that is not signed: %+v, %v", quotes, err)
	}
	for range ramp.MaxHops - 1 {
		if err := ramp.AppendHop(query, ramp.Hop{Domain: "first.example", ID: "f", At: time.Now()},
			newKey); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := x.Forward(t.Context(), query); err == nil {
		t.Error("a query passed through one too many")
	}
	nobody, err := client.OpenExchange(t.Context(), c.URL, client.Buyer{ID: "bot", Domain: "buyer.example"},
		client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := nobody.Forward(t.Context(), before); err == nil {
		t.Error("who has no key passed a query on")
	}
}
