package broker

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"slices"
	"sync"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"frontdesk/internal/infra/fetch"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/testkit/storetest"
	"frontdesk/wire/ramp"
	rampv1 "frontdesk/wire/ramp/v1"
	"frontdesk/wire/sign"
)

// BenchmarkResolve chooses the best offers of 8 Exchanges for 20 addresses, over sockets, beside
// the floor of what that cannot do without: decoding the same 8 answers, on as many processors, and
// verifying the 20 offers that win. The Broker asks as it does in the program, by the guarded way.
// The Exchanges are in the same process: they answer queries, unread but for their ids, with bytes
// that they have ready, and what that takes counts for the Broker. /buy has the purchases, too: its
// floor is the one before, the 8 purchases as bytes over the same sockets, and two durable commits
// of one row each: what is bought has to be on record before it is bought, and after.
func BenchmarkResolve(b *testing.B) {
	for _, binary := range []bool{false, true} {
		form := "json"
		if binary {
			form = "binary"
		}
		d := benchDesk(b, binary)
		answers := d.answers(b, binary)
		b.Run(form+"/floor", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				d.floor(b, answers, binary)
			}
		})
		b.Run(form+"/choose", func(b *testing.B) { d.run(b, true) })
		b.Run(form+"/buyfloor", func(b *testing.B) {
			purchases := d.purchases(b)
			b.ReportAllocs()
			for b.Loop() {
				d.commit(b)
				d.floor(b, answers, binary)
				d.purchase(b, purchases)
				d.commit(b)
			}
		})
		b.Run(form+"/buy", func(b *testing.B) { d.run(b, false) })
		b.Run(form+"/ratios", func(b *testing.B) { d.ratios(b, answers, binary) })
	}
}

// ratios does by turns what is compared, so that whatever else the machine does weighs on both
// alike, and tells the ratios of the medians.
func (d *desk) ratios(b *testing.B, answers [][]byte, binary bool) {
	purchases := d.purchases(b)
	var took [4][]time.Duration
	for b.Loop() {
		for i, do := range []func(){
			func() { d.floor(b, answers, binary) },
			func() { d.once(b, true) },
			func() { d.commit(b); d.floor(b, answers, binary); d.purchase(b, purchases); d.commit(b) },
			func() { d.once(b, false) },
		} {
			began := time.Now()
			do()
			took[i] = append(took[i], time.Since(began))
		}
	}
	median := func(i int) float64 {
		slices.Sort(took[i])
		return took[i][len(took[i])/2].Seconds()
	}
	b.ReportMetric(median(1)/median(0), "choose/floor")
	b.ReportMetric(median(3)/median(2), "buy/buyfloor")
}

// purchases are what is sent to each Exchange to buy what wins, as bytes.
func (d *desk) purchases(b *testing.B) (all [][]byte) {
	if _, err := d.ask(d.benchRequest(newID("floor"), false)); err != nil {
		b.Fatal(err)
	}
	for _, x := range d.at {
		request := &rampv1.TransactionRequest{Ver: "1.0", Id: newID("floor"),
			Requester: d.benchRequest("", true).Requester}
		bought := x.Bought()
		for _, offer := range bought[len(bought)-2:] {
			request.Items = append(request.Items, &rampv1.TransactionItem{OfferId: offer, OfferSignature: "c2ln"})
		}
		body, err := ramp.Marshal(request)
		if err != nil {
			b.Fatal(err)
		}
		all = append(all, body)
	}
	return all
}

// purchase sends them.
func (d *desk) purchase(b *testing.B, all [][]byte) {
	var wait sync.WaitGroup
	for i, x := range d.at {
		wait.Go(func() {
			response, err := d.HTTP.Post(x.URL+"/rpc/ramp.v1.ExchangeService/ExecuteTransaction", "application/json",
				bytes.NewReader(all[i]))
			if err != nil {
				b.Error(err)
				return
			}
			defer response.Body.Close()
			if _, err := io.Copy(io.Discard, response.Body); err != nil || response.StatusCode != http.StatusOK {
				b.Error(response.Status, err)
			}
		})
	}
	wait.Wait()
}

// commit makes one row durable.
func (d *desk) commit(b *testing.B) {
	w := &work{account: "floor", id: newID("floor"), digest: make([]byte, 32)}
	if err := d.DB.UpdateBatched(context.Background(), w.locks(),
		func(tx *store.Tx) error { return w.put(context.Background(), tx, time.Now()) }); err != nil {
		b.Fatal(err)
	}
}

func benchDesk(b *testing.B, binary bool) *desk {
	fetcher := fetch.New(fetch.Options{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	b.Cleanup(fetcher.Close)
	way, err := fetcher.Transport()
	if err != nil {
		b.Fatal(err)
	}
	d := openDeskFor(b, storetest.OpenSQLite(b, Schema), 8, func(c *Config) {
		c.Binary, c.HTTP = binary, &http.Client{Transport: way}
	})
	for i, x := range d.at {
		x.Price = 0.02 + float64(i)/1000
		x.Offer = func(uri string, o *rampv1.Offer) *rampv1.Offer { // each wins some
			if uri[len(uri)-1]%8 == byte(i) {
				o.Pricing.Rate = 0.001
			}
			o.ExpiresAt = nil
			return o
		}
		x.Ready = true
	}
	return d
}

func (d *desk) benchRequest(id string, dry bool) *rampv1.RAMPRequest {
	paths := make([]string, 20)
	for i := range paths {
		paths[i] = fmt.Sprintf("article-%02d", i)
	}
	r := d.request(id, paths...)
	if dry {
		r.Ext = &structpb.Struct{Fields: map[string]*structpb.Value{extDryRun: structpb.NewBoolValue(true)}}
	}
	return r
}

func (d *desk) run(b *testing.B, dry bool) {
	b.ReportAllocs()
	for b.Loop() {
		d.once(b, dry)
	}
}

// once has one request answered.
func (d *desk) once(b *testing.B, dry bool) {
	got, err := d.Resolve(context.Background(),
		Request{RAMPRequest: d.benchRequest(newID("r"), dry), Account: "buyer.example/bot"})
	if err != nil || len(got.Ext.Fields[extItems].GetListValue().GetValues()) != 20 {
		b.Fatal(got, err)
	}
}

// answers are what the Exchanges answer.
func (d *desk) answers(b *testing.B, binary bool) (all [][]byte) {
	if _, err := d.ask(d.benchRequest("first", true)); err != nil {
		b.Fatal(err)
	}
	query := d.at[0].Queries()[0]
	body, err := ramp.Marshal(query)
	kind := "application/json"
	if binary {
		body, err = proto.Marshal(query)
		kind = "application/proto"
	}
	if err != nil {
		b.Fatal(err)
	}
	for _, x := range d.at {
		response, err := http.Post(x.URL+"/rpc/ramp.v1.ExchangeService/DiscoverResources", kind, bytes.NewReader(body))
		if err != nil {
			b.Fatal(err)
		}
		text, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil {
			b.Fatal(err)
		}
		all = append(all, text)
	}
	return all
}

// floor decodes and verifies.
func (d *desk) floor(b *testing.B, answers [][]byte, binary bool) {
	all := make([]*rampv1.ResourceResponse, len(answers))
	var wait sync.WaitGroup
	for i, text := range answers {
		wait.Go(func() {
			all[i] = &rampv1.ResourceResponse{}
			var err error
			if binary {
				err = ramp.Binary{}.Unmarshal(text, all[i])
			} else {
				err = ramp.Unmarshal(text, all[i])
			}
			if err != nil {
				b.Error(err)
			}
		})
	}
	wait.Wait()
	for g := range 20 {
		wait.Go(func() {
			best := 0
			for i := range all {
				if all[i].OfferGroups[g].Offers[0].Pricing.Rate < all[best].OfferGroups[g].Offers[0].Pricing.Rate {
					best = i
				}
			}
			offer := all[best].OfferGroups[g].Offers[0]
			payload, err := ramp.OfferPayload(offer)
			signature, err2 := sign.DecodeSignature(offer.ExchangeSignature)
			if err != nil || err2 != nil ||
				!ed25519.Verify(d.at[best].Key.Public().(ed25519.PublicKey), payload, signature) {
				b.Error("an offer does not hold", err, err2)
			}
		})
	}
	wait.Wait()
}
