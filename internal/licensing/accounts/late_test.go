package accounts_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/accounts"
	"frontdesk/internal/testkit/storetest"
)

// TestWhatSitesEarnIsToldWhereverItStands buys of two sites over some days, takes some of it back,
// and compares what is told with what was done.
func TestWhatSitesEarnIsToldWhereverItStands(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(*testing.T, ...store.Schema) *store.DB) {
		b := newBench(t, open(t, accounts.Schema), accounts.Options{})
		b.pay(buyer, 1000)
		want := map[string]map[time.Time][2]int64{"site": {}, "other": {}}
		earns := func(site string, at time.Time, amount int64) {
			day := at.Truncate(24 * time.Hour)
			was := want[site][day]
			want[site][day] = [2]int64{was[0] + amount, was[1] + 1}
		}
		for i, site := range strings.Fields("site site other site other other other site site other site site") {
			c := charge(fmt.Sprint(i), price("per_access", float64(i+1)))
			c.Site, c.Now = site, noon.Add(time.Duration(i)*7*time.Hour)
			if _, err := b.authorize(c); err != nil {
				t.Fatal(err)
			}
			earns(site, c.Now, int64(i+1)*coin)
			if i%3 == 2 {
				if _, err := b.release(fmt.Sprint(i), c.Now); err != nil {
					t.Fatal(err)
				}
				earns(site, c.Now, -int64(i+1)*coin)
			}
			b.sound()
		}
		r := accounts.NewReader(b.db)
		for _, asked := range []string{"site", "other", ""} {
			n := 0
			for e, err := range r.Earnings(t.Context(), asked, time.Time{}, time.Time{}) {
				if err != nil {
					t.Fatal(err)
				}
				if w := want[e.Site][e.Day]; e.Amount != w[0] || e.Movements != w[1] || e.Buyer != buyer ||
					asked != "" && e.Site != asked {
					t.Errorf("%q: %+v, want %v", asked, e, w)
				}
				n++
			}
			rows, amount := len(want[asked]), int64(0)
			for site, days := range want {
				if asked == "" {
					rows += len(days)
				}
				for _, w := range days {
					if asked == "" || site == asked {
						amount += w[0]
					}
				}
			}
			if n != rows {
				t.Errorf("%q: %d rows, want %d", asked, n, rows)
			}
			all, err := r.Revenue(t.Context(), asked, time.Time{}, time.Time{}, 10)
			if err != nil || len(all) != 1 || all[0].All.Amount != amount {
				t.Errorf("%q: %+v, want %d: %v", asked, all, amount, err)
			}
		}
	})
}

// TestEarningsOfManyAreToldInTheirOrder puts more rows than a page into both places where they
// stand.
func TestEarningsOfManyAreToldInTheirOrder(t *testing.T) {
	t.Parallel()
	source := rand.New(rand.NewPCG(1, 2))
	for _, sizes := range [][2]int{{1200, 0}, {0, 1200}, {1300, 700}, {700, 1300}, {500, 500}, {1000, 3}, {3, 1000}} {
		db := storetest.Open(t, storetest.NewSQLite(t), accounts.Schema)
		type key struct {
			day   int64
			buyer string
		}
		want := map[key]int64{}
		put := func(ctx context.Context, tx *store.Tx, query string, days, n int) error {
			for _, i := range source.Perm(1500)[:n] {
				k := key{int64(source.IntN(days)+1) * 86_400_000_000, fmt.Sprintf("b%04d.example/*", i)}
				want[k] += int64(i)
				if err := tx.ExecOne(ctx, query, k.buyer, k.day, int64(i)); err != nil {
					return err
				}
			}
			return nil
		}
		if err := db.Update(t.Context(), func(tx *store.Tx) error {
			clear(want)
			if err := put(t.Context(), tx, `INSERT INTO account_revenue (buyer, site, day, currency, earned, movements) VALUES ($1, 'site', $2, 'USD', $3, 1)`, 2, sizes[0]); err != nil {
				return err
			}
			return put(t.Context(), tx, `INSERT INTO account_balance (buyer, late_site, late_day, currency, late_earned, late_movements, available, held, earned, outside, own, status, lines, created)
				VALUES ($1, 'site', $2, 'USD', $3, 1, 0, 0, 0, 0, -1, 'active', 0, 0)`, 2, sizes[1])
		}); err != nil {
			t.Fatal(err)
		}
		var order []key
		for e, err := range accounts.NewReader(db).Earnings(t.Context(), "", time.Time{}, time.Time{}) {
			if err != nil {
				t.Fatal(err)
			}
			k := key{store.Micros(e.Day), e.Buyer}
			if e.Amount != want[k] {
				t.Errorf("%v: %+v is %d, want %d", sizes, k, e.Amount, want[k])
			}
			order = append(order, k)
		}
		if len(order) != len(want) ||
			!slices.IsSortedFunc(order,
				func(a, b key) int { return cmp.Or(cmp.Compare(a.day, b.day), strings.Compare(a.buyer, b.buyer)) }) {
			t.Errorf("%v: %d of %d rows, or in another order", sizes, len(order), len(want))
		}
	}
}
