package exchange_test

import (
	"context"
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/internal/identity/requesters"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/exchange"
	"frontdesk/internal/licensing/transactions"
)

// BenchmarkCommit says what a purchase costs, beside its floor: the verifications of the
// requester's signature and of the offer's, the HMAC of the address, and one durable commit,
// through the same store, of a row of the size of the entry that a purchase leaves in the ledger.
// It counts the pages that a purchase writes on SQLite, to which it makes no difference what else
// the machine does. Each purchase is of an offer of its own, which is made beforehand. At 64
// clients, of one buyer or of as many, it counts commits.
func BenchmarkCommit(b *testing.B) {
	d := shop(b)
	const buyers = 64
	domain := func(i int64) string { return fmt.Sprintf("rich-%d.example", i%buyers) }
	for i := range int64(buyers) {
		d.Credit(b, domain(i)+"/*", 1_000_000*dollar)
	}
	public, private, _ := ed25519.GenerateKey(nil)
	d.Signed = func(_ string, document, signature []byte) bool { return ed25519.Verify(public, document, signature) }
	d.Selling.Validity = 24 * time.Hour
	seal := func(p *exchange.OfferDraft) (document, signature []byte, err error) {
		document = fmt.Appendf(make([]byte, 0, 1500), "%s %01400d", p.ID, 0) // the size that offers have
		return document, ed25519.Sign(private, document), nil
	}
	if err := d.DB.Update(b.Context(), func(tx *store.Tx) error {
		_, err := tx.Exec(b.Context(), `CREATE TABLE floor (n BIGINT NOT NULL, entry `+
			map[string]string{store.SQLite: "BLOB", store.PostgreSQL: "BYTEA"}[d.DB.Engine()]+` NOT NULL)`)
		return err
	}); err != nil {
		b.Fatal(err)
	}
	ctx := context.Background()
	asked := []byte(`{"domain":"rich.example","id":"bot","scopes":[],"uris":["https://site.example/a/1"]}`)
	askedSignature := ed25519.Sign(private, asked)
	document := make([]byte, 1450)
	documentSignature := ed25519.Sign(private, document)
	entry := make([]byte, 900)
	floor := func(n int64) error {
		if !ed25519.Verify(public, asked, askedSignature) || !ed25519.Verify(public, document, documentSignature) {
			panic("a signature is not its own")
		}
		if err := d.DB.Update(ctx, func(tx *store.Tx) error {
			_, err := tx.Exec(ctx, `INSERT INTO floor (n, entry) VALUES ($1, $2)`, n, entry)
			return err
		}); err != nil {
			return err
		}
		mac := hmac.New(sha256.New, askedSignature)
		mac.Write(asked)
		_ = hex.EncodeToString(mac.Sum(nil))
		return nil
	}
	by := func(i int64) requesters.Requester {
		by := bot
		by.Domain = domain(i)
		return by
	}
	offers := make(chan *transactions.Offer, 1<<20)
	stock := func(n int, by func(i int64) requesters.Requester) {
		for i := range n {
			q := asking(address("a/1"))
			q.By = by(int64(i))
			groups, err := d.Discover(ctx, q, seal)
			if err != nil {
				b.Fatal(err)
			}
			offers <- groups[0].Offers[0]
		}
	}
	buy := func(int64) error {
		if !ed25519.Verify(public, asked, askedSignature) {
			panic("a signature is not its own")
		}
		offer := <-offers
		by := bot
		by.Domain, _, _ = strings.Cut(offer.Buyer, "/")
		out, err := d.Execute(ctx, d.OrderRequest(by, offer))
		if err == nil && out.Items[0].Denial != "" {
			err = fmt.Errorf("denied: %s", out.Items[0].Denial)
		}
		return err
	}
	first := func(int64) requesters.Requester { return by(0) }
	var n atomic.Int64
	b.Run("in turns", func(b *testing.B) { // so that what else the machine does slows both
		var spent [2]time.Duration
		var pages int64
		for b.Loop() {
			b.StopTimer()
			d.Clock.Advance(time.Millisecond) // so that what sorts by time comes in its order, as it does
			stock(1, first)
			b.StartTimer()
			for i, do := range []func(int64) error{floor, buy} {
				began, before := time.Now(), d.DB.Pages()
				if err := do(n.Add(1)); err != nil {
					b.Fatal(err)
				}
				spent[i] += time.Since(began)
				if i == 1 {
					pages += d.DB.Pages() - before
				}
			}
		}
		b.ReportMetric(float64(spent[0].Nanoseconds())/float64(b.N), "floor-ns/op")
		b.ReportMetric(float64(spent[1].Nanoseconds())/float64(b.N), "commit-ns/op")
		b.ReportMetric(spent[1].Seconds()/spent[0].Seconds(), "times-floor")
		b.ReportMetric(float64(pages)/float64(b.N), "pages/op")
	})
	for name, do := range map[string]func(int64) error{"floor": floor, "commit": buy, "commit of 64 buyers": buy} {
		b.Run(name+"/clients=64", func(b *testing.B) {
			switch name {
			case "commit":
				stock(b.N, first)
			case "commit of 64 buyers":
				stock(b.N, by)
			}
			b.ResetTimer()
			before := d.DB.Commits()
			b.SetParallelism(32)
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if err := do(n.Add(1)); err != nil {
						b.Error(err)
						return
					}
				}
			})
			b.ReportMetric(float64(d.DB.Commits()-before)/float64(b.N), "commits/op")
		})
	}
}
