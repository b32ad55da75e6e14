package excerpts

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/internal/content"
	"frontdesk/internal/content/index"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/policy"
	"frontdesk/internal/testkit/contenttest"
)

// library fills a giver with items of passages, each of some 90 words out of a few thousand.
func (g *giver) library(t contenttest.T, items, passages int) {
	g.SetRules(t, labelled(policy.Rule{Access: policy.Licensed})...)
	var all []content.Item
	word := uint64(1)
	for i := range items {
		var parts []string
		for range passages {
			var words []string
			for range 90 {
				word = word*6364136223846793005 + 1442695040888963407
				n := word >> 33 % 4000
				words = append(words, fmt.Sprintf("w%dx", n*n/4000)) // some are frequent
			}
			parts = append(parts, strings.Join(words, " ")+".")
		}
		all = append(all, contenttest.NewArticle(fmt.Sprint("a/", i), parts...))
	}
	g.Fill(t, "site", "s", all...)
}

// BenchmarkRetrieve says what an answer costs over 100,000 passages, beside its floor: the
// signature, the search for the same words under the same conditions, and one durable commit,
// through the same store, of a row of the size of the entry that an answer leaves in the ledger. At
// 64 clients it counts commits.
func BenchmarkRetrieve(b *testing.B) {
	g := newGiver(b)
	if err := g.db.Update(b.Context(), func(tx *store.Tx) error {
		_, err := tx.Exec(b.Context(),
			`CREATE TABLE floor (n BIGINT NOT NULL, entry `+map[string]string{store.SQLite: "BLOB", store.PostgreSQL: "BYTEA"}[g.db.Engine()]+` NOT NULL)`)
		return err
	}); err != nil {
		b.Fatal(err)
	}
	g.owner.Limits.Session = time.Hour
	g.library(b, 20_000, 5)
	secret, body := []byte("a secret of the size that they have"), make([]byte, 700)
	signed := func() {
		sum := sha256.Sum256(body)
		mac := hmac.New(sha256.New, secret)
		mac.Write(sum[:])
		if hmac.Equal(mac.Sum(nil), sum[:]) {
			panic("a signature is its message")
		}
	}
	ctx := context.Background()
	question := func(n int64) string { return fmt.Sprintf("w%dx w%dx w%dx", n%700, n*7%1900, n*13%3600) }
	entry := make([]byte, 870) // what the entries of this benchmark have on average
	floor := func(n int64) error {
		signed()
		all := g.Current()
		all.Index.Find(index.Question{
			Text: question(n), Limit: 10, MinScore: 1, Within: g.eligibility(all).within("news.a", "").Selection,
			Prefer: []string{"en-US"}, Further: maxFurther,
		})
		return g.db.Update(ctx, func(tx *store.Tx) error {
			_, err := tx.Exec(ctx, `INSERT INTO floor (n, entry) VALUES ($1, $2)`, n, entry)
			return err
		})
	}
	retrieve := func(n int64) error {
		signed()
		r := g.request(fmt.Sprint("session ", n))
		r.Text = question(n)
		_, err := g.Retrieve(ctx, g.again(r))
		var refusal *Refusal
		if errors.As(err, &refusal) && refusal.Reason == NoContent {
			return nil
		}
		return err
	}
	var n atomic.Int64
	b.Run("in turns", func(b *testing.B) { // so that what else the machine does slows both
		var spent [2]time.Duration
		for b.Loop() {
			for i, do := range []func(int64) error{floor, retrieve} {
				began := time.Now()
				if err := do(n.Add(1)); err != nil {
					b.Fatal(err)
				}
				spent[i] += time.Since(began)
			}
		}
		b.ReportMetric(float64(spent[0].Nanoseconds())/float64(b.N), "floor-ns/op")
		b.ReportMetric(float64(spent[1].Nanoseconds())/float64(b.N), "retrieve-ns/op")
		b.ReportMetric(spent[1].Seconds()/spent[0].Seconds(), "times-floor")
	})
	for _, c := range []struct {
		name string
		do   func(int64) error
	}{{"floor", floor}, {"retrieve", retrieve}} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				if err := c.do(n.Add(1)); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(c.name+"/clients=64", func(b *testing.B) {
			before := g.db.Commits()
			b.SetParallelism(32)
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if err := c.do(n.Add(1)); err != nil {
						b.Error(err)
						return
					}
				}
			})
			b.ReportMetric(float64(g.db.Commits()-before)/float64(b.N), "commits/op")
		})
	}
}
