package console

import (
	"net/http/httptest"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"frontdesk/internal/licensing/accounts"
	"frontdesk/internal/operator/console/frame"
	"frontdesk/internal/operator/console/plot"
)

// TestTakingsAreDrawnAsTheyAre draws any earnings, those that were taken back among them: no bar is
// higher than the plot or hangs in the air, the day with the most fills it, and what stands beside
// it is what was earned.
func TestTakingsAreDrawnAsTheyAre(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 22, 23, 59, 59, 0, time.UTC)
	rapid.Check(t, func(t *rapid.T) {
		of := accounts.CurrencyRevenue{Currency: "USD", All: accounts.BuyerRevenue{Days: map[time.Time]int64{}}}
		came := map[int]int64{}
		for n := range rapid.IntRange(1, 9).Draw(t, "buyers") {
			b := accounts.BuyerRevenue{Buyer: strconv.Itoa(n), Days: map[time.Time]int64{}}
			for range rapid.IntRange(0, 5).Draw(t, "days") {
				i := rapid.IntRange(0, plot.Days-1).Draw(t, "day")
				day := plot.FirstDay(now).AddDate(0, 0, i)
				if _, known := b.Days[day]; known {
					continue
				}
				amount := rapid.Int64Range(-1e12, 1e17).Draw(t, "amount")
				b.Days[day] = amount
				b.Amount, of.All.Amount = b.Amount+amount, of.All.Amount+amount
				of.All.Days[day] += amount
				came[i] += max(amount, 0)
			}
			of.Buyers = append(of.Buyers, b)
		}
		in := frame.ReadRange(httptest.NewRequest("GET", "/", nil), now)
		p, most := newTakings(of, in), int64(0)
		for _, n := range came {
			most = max(most, n)
		}
		if p.Most() != money(most, "USD") || p.All.Amount != money(of.All.Amount, "USD") {
			t.Fatalf("the most is %s and all %s", p.Most(), p.All.Amount)
		}
		for i, day := range p.Days {
			bottom := 1000
			for _, part := range day.Parts {
				y, _ := strconv.Atoi(part.Y)
				height, _ := strconv.Atoi(part.Height)
				if y+height != bottom || y < 0 || height < 0 {
					t.Fatalf("a part hangs in the air: %+v on %d", part, bottom)
				}
				bottom = y
			}
			if want := 0; most > 0 {
				want = 1000 - int(float64(came[i])/float64(most)*1000)
				if bottom < want-2 || bottom > want+2 {
					t.Fatalf("day %d ends at %d, want %d", i, bottom, want)
				}
			} else if bottom != 1000 {
				t.Fatalf("a bar of nothing ends at %d", bottom)
			}
		}
	})
}

func TestAmountsAreWrittenAsPeopleDo(t *testing.T) {
	t.Parallel()
	const coin = 100_000_000
	for _, c := range []struct {
		units    int64
		currency string
		want     string
	}{
		{0, "USD", "0.00 USD"}, {250 * coin, "USD", "250.00 USD"}, {coin / 2, "EUR", "0.50 EUR"},
		{1515, "USD", "0.00001515 USD"}, {-3 * coin / 2, "USD", "-1.50 USD"}, {1200 * coin, "JPY", "1200 JPY"},
		{coin / 2, "JPY", "0.50 JPY"}, {coin, "", ""},
	} {
		if got := money(c.units, c.currency); got != c.want {
			t.Errorf("%d: %q, want %q", c.units, got, c.want)
		}
	}
}
