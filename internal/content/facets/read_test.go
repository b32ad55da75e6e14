package facets_test

import (
	"math"
	"testing"
	"time"

	"frontdesk/internal/content/facets"
)

func TestFoldBringsWordsTogether(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Crème Brûlée (2 Stk.)": "creme brulee 2 stk", "  Navy/Blue ": "navy blue", "Kid’s": "kids",
		"Straße": "strasse", "ＡＢＣ１": "abc1", "ガラス": "ガラス", "": "", "already folded 2": "already folded 2",
		"É": "e", " x": "x",
	} {
		if got := facets.Fold(text); got != want {
			t.Errorf("Fold(%q) = %q, want %q", text, got, want)
		}
		if again := facets.Fold(want); again != want {
			t.Errorf("Fold(%q) = %q is not folded", want, again)
		}
	}
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9*max(1, math.Abs(b)) }

func TestNumbersAreReadAsPeopleWriteThem(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		want float64
		n    int
	}{
		{"12", 12, 2}, {"1.5", 1.5, 3}, {"1,5", 1.5, 3}, {"1,299", 1299, 5}, {"1,299.00", 1299, 8},
		{"1.299,00", 1299, 8}, {"1.299", 1.299, 5}, {"1 299,50 x", 1299.5, 8}, {"1'299", 1299, 5},
		{"1.299.000", 1299000, 9}, {"½", 0.5, 2}, {"1½", 1.5, 3}, {"1 1/2", 1.5, 5}, {"1/2", 0.5, 3},
		{"0,125", 0.125, 5}, {"１２", 12, 6}, {"12.", 12, 2}, {"12,", 12, 2},
		{"20 400", 20400, 6}, {"10 15", 10, 2}, {"abc", 0, 0}, {"", 0, 0}, {"-5", 0, 0}, {"2026 100", 2026, 4},
	} {
		if got, n := facets.ReadNumber(c.text); !near(got, c.want) || n != c.n {
			t.Errorf("ReadNumber(%q) = %v, %d, want %v, %d", c.text, got, n, c.want, c.n)
		}
	}
}

func TestMoneyIsReadWithItsCurrency(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text     string
		amount   float64
		currency string
		n        int
	}{
		{"$20", 20, "USD", 3}, {"$ 20.50 x", 20.5, "USD", 7}, {"US$1,299.00", 1299, "USD", 11},
		{"20€ max", 20, "EUR", 5}, {"20 €", 20, "EUR", 6}, {"1.299,00 EUR", 1299, "EUR", 12},
		{"€1.299", 1299, "EUR", 8}, {"20 bucks", 20, "USD", 8}, {"15 euros", 15, "EUR", 8}, {"3000円", 3000, "JPY", 7},
		{"£9.99", 9.99, "GBP", 6}, {"20", 20, "", 2}, {"20 people", 20, "", 2}, {"5k", 5000, "", 2},
		{"usd 40", 40, "USD", 6}, {"CHF 12.50", 12.5, "CHF", 9}, {"under", 0, "", 0}, {"R$ 50", 50, "BRL", 5},
		{"realistic 5", 0, "", 0},
	} {
		if got, n := facets.ReadMoney(c.text); !near(got.Amount, c.amount) || got.Currency != c.currency || n != c.n {
			t.Errorf("ReadMoney(%q) = %v, %d, want %v %s, %d", c.text, got, n, c.amount, c.currency, c.n)
		}
	}
}

func TestSpansOfTimeAreReadInWordsAndISO(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		want float64
		n    int
	}{
		{"PT1H20M", 80, 7}, {"PT30M", 30, 5}, {"P1D", 1440, 3}, {"PT0M", 0, 4}, {"P", 0, 0}, {"PT", 0, 0},
		{"20 min", 20, 6}, {"20 minutes or less", 20, 10}, {"20-minute meal", 20, 9},
		{"1 hour and 20 minutes", 80, 21}, {"1h20", 80, 4}, {"1h20min", 80, 7}, {"1 h 30 min", 90, 10},
		{"half an hour", 30, 12}, {"an hour", 60, 7}, {"an hour and a half", 90, 18},
		{"1½ Stunden", 90, len("1½ Stunden")}, {"eine halbe Stunde", 30, 17}, {"anderthalb Stunden", 90, 18},
		{"30分", 30, 5}, {"30分以内", 30, 5}, {"1時間", 60, 7}, {"une demi-heure", 30, 14}, {"two hours", 120, 9},
		{"2 and a half hours", 150, 18}, {"two hours and a half", 150, 20}, {"2時間半", 150, 10}, {"media hora", 30, 10}, {
			"una media hora", 30, 14,
		}, {"20", 0, 0}, {"5 m", 0, 0}, {"three days", 4320, 10}, {"quarter of an hour", 15, 18}, {"Pt45M", 45, 5},
		{"a bowl", 0, 0}, {"45 Min.", 45, 7},
	} {
		if got, n := facets.ReadMinutes(c.text); !near(got, c.want) || n != c.n {
			t.Errorf("ReadMinutes(%q) = %v, %d, want %v, %d", c.text, got, n, c.want, c.n)
		}
	}
}

func TestQuantitiesAreReadInBaseUnits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		want float64
		unit string
		n    int
	}{
		{"5 kg", 5000, "g", 4}, {"418 calories", 418, "kcal", 12}, {"1,5 l", 1500, "ml", 5}, {"20-inch", 50.8, "cm", 7},
		{`20"`, 50.8, "cm", 3}, {"12 fl oz", 354.8823547, "ml", 8}, {"12 fl. oz", 354.8823547, "ml", 9},
		{"4 people", 4, "people", 8}, {"4 servings", 4, "people", 10}, {"50%", 50, "%", 3}, {
			"30 g protein", 30, "g", 4,
		}, {"7", 7, "", 1}, {"7 dwarfs", 7, "", 1}, {"90 minutes", 90, "min", 10}, {"4人分", 4, "people", 7},
	} {
		got, n := facets.ReadQuantity(c.text)
		if math.Abs(got.Value-c.want) > 1e-4 || got.Unit != c.unit || n != c.n {
			t.Errorf("ReadQuantity(%q) = %v, %d, want %v %s, %d", c.text, got, n, c.want, c.unit, c.n)
		}
	}
	if got := (facets.Quantity{Value: 0.5, Unit: "g"}).In(facets.Sodium); got != 500 {
		t.Errorf("half a gram of sodium is %v, want 500 (milligrams)", got)
	}
}

func TestDaysAreReadAsTheSpanThatTheyName(t *testing.T) {
	t.Parallel()
	day := func(s string) time.Time { at, _ := time.Parse("2006-01-02", s); return at }
	for _, c := range []struct {
		text, from, to string
		n              int
	}{
		{"2026-06-03", "2026-06-03", "2026-06-04", 10}, {"2026-06", "2026-06-01", "2026-07-01", 7},
		{"2026", "2026-01-01", "2027-01-01", 4}, {"3 June 2026", "2026-06-03", "2026-06-04", 11},
		{"June 3, 2026", "2026-06-03", "2026-06-04", 12}, {"June 2026", "2026-06-01", "2026-07-01", 9},
		{"3. Juni 2026", "2026-06-03", "2026-06-04", 12}, {"03.06.2026", "2026-06-03", "2026-06-04", 10},
		{"6/30/2026", "2026-06-30", "2026-07-01", 9}, {"30/6/2026", "2026-06-30", "2026-07-01", 9}, {
			"2026年6月3日", "2026-06-03", "2026-06-04", len("2026年6月3日"),
		}, {"3 de junio de 2026", "2026-06-03", "2026-06-04", 18},
		{"dezembro de 2026", "2026-12-01", "2027-01-01", 16}, {"3rd of June 2026", "2026-06-03", "2026-06-04", 16},
		{"2026/06/03", "2026-06-03", "2026-06-04", 10}, {"3 June", "", "", 0},
		{"2026-13", "2026-01-01", "2027-01-01", 4}, {"20261", "", "", 0}, {"12", "", "", 0},
		{"x", "", "", 0}, {"", "", "", 0}, {"2026-02-31", "", "", 0},
	} {
		from, to, n := facets.ReadDay(c.text, time.UTC)
		if n != c.n || n > 0 && (!from.Equal(day(c.from)) || !to.Equal(day(c.to))) {
			t.Errorf("ReadDay(%q) = %s, %s, %d, want %s, %s, %d", c.text, from, to, n, c.from, c.to, c.n)
		}
	}
	moment, to, n := facets.ReadDay("2027-04-18T09:00:00+01:00", time.UTC)
	if n != 25 || !moment.Equal(to) || !moment.Equal(time.Date(2027, 4, 18, 8, 0, 0, 0, time.UTC)) {
		t.Errorf("a moment is read as %s to %s, %d bytes", moment, to, n)
	}
	if from, _, n := facets.ReadDayOf("May 5th", 2027, time.UTC); n != 7 || !from.Equal(day("2027-05-05")) {
		t.Errorf("May 5th of 2027 is read as %s, %d bytes", from, n)
	}
}
