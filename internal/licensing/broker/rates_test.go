package broker

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"frontdesk/internal/infra/store"
	rampv1 "frontdesk/wire/ramp/v1"
)

// TestConversionRoundsUp holds against exact fractions: the amount is never less, by less than one
// unit more, and there and back never less again.
func TestConversionRoundsUp(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	for range 20_000 {
		r := Rates{Currency: "USD",
			Of: map[string]int64{"EUR": 1 + random.Int64N(5*unit), "JPY": 1 + random.Int64N(unit/50)}}
		from, to := []string{"USD", "EUR", "JPY"}[random.IntN(3)], []string{"USD", "EUR", "JPY"}[random.IntN(3)]
		n := random.Int64N(1 << (1 + random.IntN(56)))
		got, ok := r.convert(n, from, to)
		if !ok {
			t.Fatal("not converted")
		}
		exact := new(big.Rat).SetFrac(new(big.Int).Mul(big.NewInt(n), big.NewInt(r.of(from))), big.NewInt(r.of(to)))
		switch over := new(big.Rat).Sub(new(big.Rat).SetInt64(got), exact); {
		case got == maxUnits:
			if exact.Cmp(new(big.Rat).SetInt64(maxUnits-1)) < 0 {
				t.Fatalf("%d %s is %s %s, and was cut at the most", n, from, exact, to)
			}
		case over.Sign() < 0 || over.Cmp(big.NewRat(1, 1)) >= 0:
			t.Fatalf("%d %s is %s %s, and not %d", n, from, exact.FloatString(3), to, got)
		}
		if back, _ := r.convert(got, to, from); got < maxUnits && back < n {
			t.Fatalf("%d %s and back is %d", n, from, back)
		}
	}
	var none Rates
	for name, ok := range map[string]bool{"USD": true, "EUR": false} {
		if _, is := none.convert(1, "USD", name); is != ok {
			t.Errorf("without a table, to %s: %v", name, is)
		}
	}
	if n, ok := none.convert(0, "USD", "EUR"); n != 0 || !ok {
		t.Error("nothing is not nothing elsewhere")
	}
	r := Rates{Currency: "USD", Of: map[string]int64{"XXX": math.MaxInt64}}
	if n, ok := r.convert(math.MaxInt64, "XXX", "USD"); n != maxUnits || !ok {
		t.Error("too much is", n, ok)
	}
}

// inEuro has an Exchange offer in EUR.
func inEuro(rate float64) func(string, *rampv1.Offer) *rampv1.Offer {
	return func(_ string, o *rampv1.Offer) *rampv1.Offer {
		o.Pricing.Currency, o.Pricing.Rate = "EUR", rate
		return o
	}
}

// TestOffersOfOtherCurrenciesAreComparedByATable: the cheaper one is bought, whichever currency it
// is in; without a table the one that can be paid.
func TestOffersOfOtherCurrenciesAreComparedByATable(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		table bool
		euro  float64
		most  *rampv1.Cost
		want  int // of the Exchanges: 0 asks 0.02 USD, 1 asks in EUR
	}{
		"cheaper in EUR":                    {true, 0.015, nil, 1},
		"dearer in EUR":                     {true, 0.019, nil, 0},
		"cheaper under max_price in USD":    {true, 0.015, &rampv1.Cost{Amount: 0.03, Currency: "USD"}, 1},
		"cheaper under max_price in GBP":    {true, 0.015, &rampv1.Cost{Amount: 0.03, Currency: "GBP"}, 1},
		"no table, max_price in USD":        {false, 0.0001, &rampv1.Cost{Amount: 0.03, Currency: "USD"}, 0},
		"too dear in EUR for max_price":     {true, 0.029, &rampv1.Cost{Amount: 0.03, Currency: "USD"}, 0},
		"max_price in what no table knows":  {true, 0.0001, &rampv1.Cost{Amount: 1, Currency: "CHF"}, -1},
		"max_price in EUR, offers in other": {true, 0.5, &rampv1.Cost{Amount: 0.03, Currency: "EUR"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			d := openDesk(t, sqlite(t), 2, func(o *Config) {
				if c.table {
					o.Rates = Rates{Currency: "USD", Of: map[string]int64{"EUR": 1.1 * unit, "GBP": 1.3 * unit}}
				}
			})
			d.at[1].Offer = inEuro(c.euro)
			r := d.request("r", "a")
			if c.most != nil {
				r.Constraints = &rampv1.RequestConstraints{MaxPrice: c.most}
			}
			if c.want < 0 {
				d.refused(r, "not_found")
				return
			}
			got := d.must(r)
			if got.Exchange != d.at[c.want].Domain {
				t.Errorf("bought at %s for %v: %v", got.Exchange, got.Cost, got.GetExt().GetFields()[extPassed])
			}
			converted := c.most != nil && c.most.Currency != got.Cost.Currency
			if _, told := got.GetExt().GetFields()[extRates]; told != converted {
				t.Errorf("tells that it converted: %v", told)
			}
		})
	}
}

// TestBudgetsCountOtherCurrencies: what is bought in EUR is held and spent of a budget in USD,
// rounded up, and the last addresses are left out of what does not fit; also of a unit that costs
// more than max_unit_cost in the currency of max_price.
func TestBudgetsCountOtherCurrencies(t *testing.T) {
	t.Parallel()
	suite(t, func(t *testing.T, db *store.DB) {
		d := openDesk(t, db, 1, func(o *Config) {
			o.Rates = Rates{Currency: "USD", Of: map[string]int64{"EUR": 1.1 * unit}, Date: "2026-11-20",
				Note: "a table"}
		})
		d.at[0].Offer = inEuro(0.01)
		got := d.must(budget(d.request("r1", "a", "b", "c"), 0.03, time.Hour))
		if held, spent := stand(t, db); len(items(t, got)) != 2 || held != 0 || spent != 0.022*unit {
			t.Errorf("bought %d, held %d, spent %d", len(items(t, got)), held, spent)
		}
		rates := got.GetExt().GetFields()[extRates].GetStructValue().GetFields()
		if rates["date"].GetStringValue() != "2026-11-20" || rates["note"].GetStringValue() != "a table" ||
			rates["currency"].GetStringValue() != "USD" {
			t.Errorf("tells %v", rates)
		}
		if total := got.GetExt().GetFields()[extTotal].GetListValue().GetValues()[0].GetStructValue().
			GetFields(); total["currency"].GetStringValue() != "EUR" || total["amount"].GetNumberValue() != 0.02 {
			t.Errorf("in all %v", total)
		}
		d.refused(budget(d.request("r2", "b"), 0.03, time.Hour), "resource_exhausted")
		d.Rates = Rates{}
		d.refused(budget(d.request("r3", "b"), 1, time.Hour), "not_found")
	})
	for most, good := range map[float64]bool{0.0000109: false, 0.0000111: true} {
		d := openDesk(t, sqlite(t), 1, func(o *Config) {
			o.Rates = Rates{Currency: "USD", Of: map[string]int64{"EUR": 1.1 * unit}}
		})
		d.at[0].Offer = inEuro(0.01) // 0.00001 EUR a token
		r := d.request(fmt.Sprint(most), "a")
		r.Constraints = &rampv1.RequestConstraints{MaxPrice: &rampv1.Cost{Amount: 1, Currency: "USD"},
			MaxUnitCost: proto.Float64(most)}
		if _, err := d.ask(r); (err == nil) != good {
			t.Errorf("at most %v USD a token: %v", most, err)
		}
	}
}
