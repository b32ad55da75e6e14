package broker

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"net/http"
	"testing"

	"google.golang.org/protobuf/proto"

	"frontdesk/internal/infra/store"
	"frontdesk/internal/testkit/exchange"
	"frontdesk/internal/testkit/storetest"
	"frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
)

var brokerKey = ed25519.NewKeyFromSeed(bytes.Repeat([]byte{9}, ed25519.SeedSize))

// desk is a Broker with its Exchanges.
type desk struct {
	t *testing.T
	*Broker
	at []*exchange.Exchange
}

// openDesk starts so many Exchanges, and a Broker that knows them. change changes what it is made
// of.
func openDesk(t *testing.T, db *store.DB, n int, change func(*Config)) *desk {
	t.Helper()
	d := openDeskFor(t, db, n, change)
	d.t = t
	return d
}

// openDeskFor is openDesk for a benchmark, too.
func openDeskFor(t testing.TB, db *store.DB, n int, change func(*Config)) *desk {
	t.Helper()
	d := &desk{}
	config := Config{
		Domain: "broker.example", ID: "b1", DB: db,
		HTTP:     &http.Client{Transport: http.DefaultTransport.(*http.Transport).Clone()},
		Key:      func() (ed25519.PrivateKey, string, error) { return brokerKey, "k", nil },
		Deadline: 1e10, BuyWithin: 1e10,
	}
	for i := range n {
		x := exchange.New(byte(i + 1))
		t.Cleanup(x.Close)
		d.at = append(d.at, x)
		config.Exchanges = append(config.Exchanges, Exchange{Domain: x.Domain, Address: x.URL})
	}
	if n > 0 { // the first plays the provider, and lists all
		for _, x := range d.at {
			d.at[0].Lists = append(d.at[0].Lists, x.Listed())
		}
	}
	if change != nil {
		change(&config)
	}
	d.Broker = New(config)
	return d
}

func (d *desk) request(id string, paths ...string) *rampv1.RAMPRequest {
	r := &rampv1.RAMPRequest{Ver: "1.0", Id: id, Requester: &rampv1.Requester{Id: "bot", Domain: "buyer.example",
		IntendedUse: []string{"ai-input"}, Signature: "c2ln"}}
	for _, path := range paths {
		r.Requester.Uris = append(r.Requester.Uris, d.at[0].URI(path))
	}
	return r
}

// ask has a request answered.
func (d *desk) ask(r *rampv1.RAMPRequest) (*rampv1.RAMPResponse, error) {
	return d.Resolve(context.Background(), Request{RAMPRequest: r, Account: "buyer.example/bot"})
}

// must has a request answered that has to be.
func (d *desk) must(r *rampv1.RAMPRequest) *rampv1.RAMPResponse {
	d.t.Helper()
	out, err := d.ask(r)
	if err != nil {
		d.t.Fatal(err)
	}
	return out
}

// refused has a request refused with a code.
func (d *desk) refused(r *rampv1.RAMPRequest, code string) *Refusal {
	d.t.Helper()
	out, err := d.ask(r)
	var told *Refusal
	if !errors.As(err, &told) || told.Code() != code {
		d.t.Fatalf("answered %v, %v; want %s", out, err, code)
	}
	return told
}

// items are what an answer says was bought, by their addresses.
func items(t *testing.T, r *rampv1.RAMPResponse) map[string]*rampv1.RAMPResponse {
	t.Helper()
	all := map[string]*rampv1.RAMPResponse{}
	list := r.GetExt().GetFields()[extItems].GetListValue()
	if list == nil {
		all[r.GetExt().GetFields()[extURI].GetStringValue()] = r
		return all
	}
	for _, value := range list.Values {
		text, err := json.Marshal(value.AsInterface())
		if err != nil {
			t.Fatal(err)
		}
		one := &rampv1.RAMPResponse{}
		if err := ramp.Unmarshal(text, one); err != nil {
			t.Fatal(err)
		}
		all[one.GetExt().GetFields()[extURI].GetStringValue()] = one
	}
	return all
}

func suite(t *testing.T, test func(t *testing.T, db *store.DB)) {
	storetest.Each(t, func(t *testing.T, open func(*testing.T, ...store.Schema) *store.DB) { test(t, open(t, Schema)) })
}

func TestTheBestOfSeveralExchangesIsBought(t *testing.T) {
	t.Parallel()
	suite(t, func(t *testing.T, db *store.DB) {
		d := openDesk(t, db, 3, nil)
		d.at[1].Price = 0.01
		got := d.must(d.request("r1", "a"))
		if got.Exchange != d.at[1].Domain || got.GetCost().GetAmount() != 0.01 || got.RequestId != "r1" ||
			got.TransactionId == "" {
			t.Fatalf("bought %v", got)
		}
		if n := []int{len(d.at[0].Bought()), len(d.at[1].Bought()), len(d.at[2].Bought())}; n[0] != 0 || n[1] != 1 ||
			n[2] != 0 {
			t.Fatal("sold", n)
		}
		query := d.at[2].Queries()[0]
		if len(query.Intermediaries) != 1 || query.Intermediaries[0].Domain != "broker.example" ||
			!proto.Equal(query.Requester, d.request("", "a").Requester) {
			t.Errorf("asked %v", query)
		}
		keys, left := []ramp.Key{{Public: brokerKey.Public().(ed25519.PublicKey)}}, 5
		if err := ramp.VerifyHop(query, nil, 0, keys, &left); err != nil {
			t.Error("the hop:", err)
		}
		again := d.must(d.request("r1", "a"))
		if !proto.Equal(got, again) || len(d.at[1].Bought()) != 1 {
			t.Errorf("asked again: %v", again)
		}
		d.refused(d.request("r1", "b"), "already_exists")
		offer := &rampv1.Offer{}
		text, _ := json.Marshal(got.GetExt().GetFields()[extOffer].AsInterface())
		if err := ramp.Unmarshal(text, offer); err != nil || offer.OfferId != d.at[1].Bought()[0] {
			t.Errorf("the offer: %v, %v", offer, err)
		}
	})
}
