package accounts_test

import (
	"context"
	"fmt"
	"math/big"
	"testing"
	"time"

	"pgregory.net/rapid"

	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/accounts"
	"frontdesk/internal/policy"
	"frontdesk/internal/testkit/storetest"
)

// oracle is a book that keeps every fact and derives everything from them anew, without regard for
// what that costs.
type oracle struct {
	limit     int64
	paid      int64 // in, less what was taken out
	purchases map[string]*bought
	quota     int64 // accesses
	period    time.Duration
	anchor    time.Time
}

type bought struct {
	accounts.Charge
	state    accounts.State
	charged  int64
	reported bool
}

func (o *oracle) held() (sum int64) {
	for _, p := range o.purchases {
		if p.state == accounts.Held {
			sum += cost(p.Charge)
		}
	}
	return sum
}

func (o *oracle) earned() (sum int64) {
	for _, p := range o.purchases {
		sum += p.charged
	}
	return sum
}

func (o *oracle) available() int64 { return o.paid - o.held() - o.earned() }

// used is how many accesses were used of the period that holds a time.
func (o *oracle) used(now time.Time) (n int64) {
	for _, p := range o.purchases {
		if p.Subscription != "" && p.state != accounts.Released &&
			p.Now.Sub(o.anchor)/o.period == now.Sub(o.anchor)/o.period {
			n++
		}
	}
	return n
}

// cost is what a purchase is to cost.
func cost(c accounts.Charge) int64 {
	switch {
	case c.Subscription != "" || c.Price.Model == "free" || c.Price.Model == "revenue_share":
		return 0
	case c.Price.Model == "per_token":
		return c.Price.Rate * max(c.Quantity, 1)
	}
	return c.Price.Rate
}

// TestPropertyTheBookIsAsTheOracleSays plays random histories on the book and on the oracle.
func TestPropertyTheBookIsAsTheOracleSays(t *testing.T) {
	t.Parallel()
	db := storetest.Chosen(t, accounts.Schema)
	history := 0
	rapid.Check(t, func(rt *rapid.T) {
		history++
		who := fmt.Sprintf("buyer.example.com/%d", history)
		sub := fmt.Sprintf("sub-%d", history)
		now := noon
		o := &oracle{limit: rapid.Int64Range(0, 3).Draw(rt, "limit") * coin, purchases: map[string]*bought{},
			quota: rapid.Int64Range(0, 4).Draw(rt, "quota"), period: time.Hour, anchor: noon}
		b := newBench(t, db, accounts.Options{})
		b.do(func(ctx context.Context, tx *store.Tx) error {
			if err := b.Open(ctx, tx, who, "USD", o.limit, noon); err != nil {
				return err
			}
			if err := b.AddSubscription(ctx, tx, accounts.Licence{ID: sub, Buyer: who}, "", noon); err != nil {
				return err
			}
			return b.SetQuota(ctx, tx, sub, accounts.QuotaSetting{Unit: accounts.Accesses, Limit: o.quota,
				Span: o.period}, noon)
		})
		some := func() string {
			return fmt.Sprintf("%s/%d", who, rapid.IntRange(0, len(o.purchases)).Draw(rt, "purchase"))
		}
		must := func(err error) {
			if err != nil {
				rt.Fatal(err)
			}
		}
		rt.Repeat(map[string]func(*rapid.T){
			"": func(rt *rapid.T) {
				have := b.balance(who)
				if have.Available != o.available() || have.Held != o.held() || have.Earned != o.earned() {
					rt.Fatalf("the book has %+v; the oracle %d available, %d held, %d earned", have, o.available(),
						o.held(), o.earned())
				}
				if used := counts(b.entitled(who, now)[0].Quotas)[accounts.Accesses][1]; used != o.used(now) {
					rt.Fatalf("the book has %d accesses used, the oracle %d", used, o.used(now))
				}
			},
			"pay": func(rt *rapid.T) {
				amount := rapid.Int64Range(1, 4*coin).Draw(rt, "amount")
				did := rapid.SampledFrom([]string{accounts.Credit, accounts.Debit, accounts.Lapse}).Draw(rt, "did")
				want := map[string]int64{accounts.Credit: amount, accounts.Debit: -amount,
					accounts.Lapse: -max(min(amount, o.available()), 0)}[did]
				if did == accounts.Debit && amount > o.available() {
					want = 0
				}
				err := b.try(func(ctx context.Context, tx *store.Tx) error {
					_, err := b.Pay(ctx, tx, did, who, "USD", amount, "", now)
					return err
				})
				if (err != nil) != (did == accounts.Debit && want == 0) {
					rt.Fatalf("%s %d with %d available: %v", did, amount, o.available(), err)
				}
				o.paid += want
			},
			"buy": func(rt *rapid.T) {
				c := accounts.Charge{ID: fmt.Sprintf("%s/%d", who, len(o.purchases)), Buyer: who, Site: "news",
					Item: accounts.Item{URL: "https://news.example/a"}, Now: now, Due: now.Add(time.Hour)}
				c.Price =
					policy.Money{Model: rapid.SampledFrom([]string{"per_access", "per_token", "free", "revenue_share"}).
						Draw(rt, "model"), Rate: rapid.Int64Range(1, coin/4).Draw(rt, "rate"), Currency: "USD"}
				c.Quantity = rapid.Int64Range(0, 20).Draw(rt, "quantity")
				if rapid.Bool().Draw(rt, "subscription") {
					c.Subscription = sub
				}
				want := accounts.Reason("")
				switch {
				case c.Subscription != "" && o.used(now) >= o.quota:
					want = accounts.QuotaExceeded
				case cost(c) > o.available()+o.limit && cost(c) > 0:
					want = accounts.InsufficientBalance
				}
				h, err := b.authorize(c)
				if reason(err) != want || want == "" && err != nil {
					rt.Fatalf("%+v with %d available: %v, want %q", c, o.available(), err, want)
				}
				if err != nil {
					return
				}
				p := &bought{Charge: c, state: accounts.Settled}
				if c.Subscription == "" && (c.Price.Model == "per_token" || c.Price.Model == "revenue_share") {
					p.state = accounts.Held
				} else {
					p.charged = cost(c)
				}
				if h.State != p.state || h.Charged != p.charged {
					rt.Fatalf("%+v, want %+v", h, p)
				}
				o.purchases[c.ID] = p
			},
			"report": func(rt *rapid.T) {
				id := some()
				r := accounts.Report{Quantity: rapid.Int64Range(0, 30).Draw(rt, "reported"),
					Revenue: rapid.Int64Range(0, 9*coin).Draw(rt, "revenue"), Currency: "USD", Now: now}
				p := o.purchases[id]
				_, err := b.settle(id, r)
				if (err == nil) != (p != nil && !p.reported && p.state != accounts.Released) {
					rt.Fatalf("%s: %v of %+v", id, err, p)
				}
				if err != nil {
					return
				}
				p.reported = true
				switch {
				case p.state == accounts.Held:
					p.state, p.charged = accounts.Settled, reportedCost(p.Charge, r)
				case p.state == accounts.Expired && p.Price.Model == "revenue_share":
					p.charged = reportedCost(p.Charge, r)
				}
			},
			"take back": func(rt *rapid.T) {
				id := some()
				_, err := b.release(id, now)
				p := o.purchases[id]
				if (err == nil) != (p != nil) {
					rt.Fatalf("%s: %v of %+v", id, err, p)
				}
				if p != nil {
					p.state, p.charged = accounts.Released, 0
				}
			},
			"wait": func(rt *rapid.T) {
				now = now.Add(time.Duration(rapid.IntRange(1, 50).Draw(rt, "minutes")) * time.Minute)
				b.expire(now)
				for _, p := range o.purchases {
					if p.state == accounts.Held && !now.Before(p.Due) {
						p.state, p.charged = accounts.Expired, cost(p.Charge)
					}
				}
			},
		})
		found, err := accounts.Check(t.Context(), db)
		must(err)
		if len(found) > 0 {
			rt.Fatal(found)
		}
	})
}

// reportedCost is what a report charges, computed with fractions.
func reportedCost(c accounts.Charge, r accounts.Report) int64 {
	if c.Price.Model == "revenue_share" {
		return halfEven(new(big.Rat).SetFrac(new(big.Int).Mul(big.NewInt(r.Revenue), big.NewInt(c.Price.Rate)),
			big.NewInt(coin)))
	}
	if c.Quantity == 0 {
		return c.Price.Rate
	}
	least := cost(c) - halfEven(big.NewRat(cost(c), 5))
	return min(max(c.Price.Rate*r.Quantity, least), cost(c))
}

// halfEven rounds a fraction that is not below 0.
func halfEven(x *big.Rat) int64 {
	whole, rest := new(big.Int).QuoRem(x.Num(), x.Denom(), new(big.Int))
	n := whole.Int64()
	if c := rest.Lsh(rest, 1).Cmp(x.Denom()); c > 0 || c == 0 && n%2 == 1 {
		n++
	}
	return n
}

// TestPropertyAmountsAreExact compares products and shares with fractions of any size.
func TestPropertyAmountsAreExact(t *testing.T) {
	t.Parallel()
	const most = 1_000_000_000 * coin
	rapid.Check(t, func(t *rapid.T) {
		amount := rapid.Int64Range(0, 1<<62).Draw(t, "amount")
		n := rapid.Int64Range(0, 1<<40).Draw(t, "n")
		product := new(big.Int).Mul(big.NewInt(amount), big.NewInt(n))
		if have, fits := accounts.Product(amount, n), product.Cmp(big.NewInt(most)) <= 0; fits &&
			have != product.Int64() || !fits && have != 1<<63-1 {
			t.Fatalf("%d × %d = %d, want %d", amount, n, have, product)
		}
		part := rapid.Int64Range(0, coin).Draw(t, "part")
		share := new(big.Rat).SetFrac(new(big.Int).Mul(big.NewInt(amount), big.NewInt(part)), big.NewInt(coin))
		want := halfEven(share)
		if have := accounts.Share(amount, part); want <= most && have != want || want > most && have != 1<<63-1 {
			t.Fatalf("%d of %d = %d, want %d", part, amount, have, want)
		}
	})
}

// TestHalvesAreRoundedToEven says what the last unit of an amount is.
func TestHalvesAreRoundedToEven(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ amount, part, want int64 }{{1, coin / 2, 0}, {3, coin / 2, 2}, {5, coin / 2, 2},
		{7, coin / 2, 4}, {1, coin/2 + 1, 1}, {0, coin, 0}, {9, 0, 0}} {
		if have := accounts.Share(c.amount, c.part); have != c.want {
			t.Errorf("%d of %d: %d, want %d", c.part, c.amount, have, c.want)
		}
	}
}
