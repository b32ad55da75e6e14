package index

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"frontdesk/internal/content/facets"
)

// ware is an item of the oracle: what it says, before it is written in one of the forms of the
// wild.
type ware struct {
	name    string
	price   float64 // below 0: none
	rating  float64 // 0: none
	minutes int     // 0: none
	color   string
	start   time.Time
}

var colors = []string{"", "red", "navy blue", "blue", "green"}

func wares(n int) []ware {
	random := rand.New(rand.NewPCG(1, 2))
	all := make([]ware, n)
	for i := range all {
		w := ware{name: fmt.Sprintf("thing %d", i), price: -1, color: colors[random.IntN(len(colors))]}
		if random.IntN(4) > 0 {
			w.price = float64(random.IntN(40))
		}
		if random.IntN(3) > 0 {
			w.rating = float64(random.IntN(10)+1) / 2
		}
		if random.IntN(2) > 0 {
			w.minutes = 5 * (random.IntN(20) + 1)
		}
		if random.IntN(3) == 0 {
			w.start = time.Date(2027, 1, 1+random.IntN(60), 12, 0, 0, 0, time.UTC)
		}
		all[i] = w
	}
	return all
}

// object writes a ware, each in another form.
func (w ware) object(form int) string {
	parts := []string{`"@type":"Product"`, fmt.Sprintf(`"name":%q`, w.name)}
	if w.price >= 0 {
		parts = append(parts, fmt.Sprintf([]string{
			`"offers":{"price":%g,"priceCurrency":"EUR"}`, `"offers":[{"price":"%g EUR"}]`, `"offers":{"priceSpecification":{"price":"%g","priceCurrency":"EUR"}}`, `"offers":{"@type":"AggregateOffer","lowPrice":%g,"priceCurrency":"EUR"}`,
		}[form%4], w.price))
	}
	if w.rating > 0 {
		if form%2 == 0 {
			parts = append(parts, fmt.Sprintf(`"aggregateRating":{"ratingValue":"%g"}`, w.rating))
		} else {
			parts = append(parts, fmt.Sprintf(`"aggregateRating":{"ratingValue":%g,"bestRating":10}`, w.rating*2))
		}
	}
	if w.minutes > 0 {
		parts = append(parts, fmt.Sprintf([]string{`"totalTime":"PT%dM"`, `"totalTime":"%d minutes"`}[form%2], w.minutes))
	}
	if w.color != "" {
		parts = append(parts, fmt.Sprintf(`"color":%q`, strings.ToUpper(w.color[:1])+w.color[1:]))
	}
	if !w.start.IsZero() {
		parts = append(parts,
			fmt.Sprintf(`"startDate":%q`, w.start.Format([]string{time.RFC3339, "2006-01-02T15:04:05-07:00"}[form%2])))
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// meets is the oracle's own reading of a condition.
func (w ware) meets(c facets.Constraint) bool {
	in := func(v float64, known bool) bool {
		return known && (c.Min == nil || v > *c.Min || v == *c.Min && !c.Above) &&
			(c.Max == nil || v < *c.Max || v == *c.Max && !c.Below)
	}
	switch c.Slot {
	case facets.Price:
		return in(w.price, w.price >= 0)
	case facets.Rating:
		return in(w.rating, w.rating > 0)
	case facets.TotalTime:
		return in(float64(w.minutes), w.minutes > 0)
	case facets.Start:
		return !w.start.IsZero() && !w.start.Before(c.From) && w.start.Before(c.To)
	}
	has := slices.ContainsFunc(c.Values, func(v string) bool {
		return slices.Contains(strings.Fields(w.color), v) || w.color == v
	})
	return has != c.Not
}

func drawConstraint(t *rapid.T) facets.Constraint {
	c := facets.Constraint{Slot: rapid.SampledFrom([]facets.Slot{facets.Price, facets.Rating, facets.TotalTime,
		facets.Color, facets.Start}).Draw(t, "slot"), Source: facets.FromText}
	switch c.Slot {
	case facets.Color:
		c.Values = rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"red", "blue", "navy", "green", "violet"}), 1, 2,
			func(s string) string { return s }).Draw(t, "values")
		c.Not = rapid.Bool().Draw(t, "not")
	case facets.Start:
		c.From = time.Date(2027, 1, rapid.IntRange(1, 60).Draw(t, "from"), 0, 0, 0, 0, time.UTC)
		c.To = c.From.AddDate(0, 0, rapid.IntRange(1, 30).Draw(t, "days"))
	default:
		bounds := map[facets.Slot]int{facets.Price: 40, facets.Rating: 5, facets.TotalTime: 100}
		a, b := rapid.IntRange(0, bounds[c.Slot]).Draw(t, "a"), rapid.IntRange(0, bounds[c.Slot]).Draw(t, "b")
		if rapid.Bool().Draw(t, "bounded below") {
			c.Min, c.Above = limit(float64(min(a, b))), rapid.Bool().Draw(t, "above")
		}
		if c.Min == nil || rapid.Bool().Draw(t, "bounded above") {
			c.Max, c.Below = limit(float64(max(a, b))), rapid.Bool().Draw(t, "below")
		}
		if c.Slot == facets.Price && rapid.Bool().Draw(t, "currency") {
			c.Unit = "EUR"
		}
	}
	return c
}

// TestFindIsWhatAScanOfTheObjectsFinds holds Find to an oracle: what it finds is what meets every
// condition, or, where nothing does, it says what gave way; one condition more never brings in what
// breaks it; and it comes in the order asked for.
func TestFindIsWhatAScanOfTheObjectsFinds(t *testing.T) {
	t.Parallel()
	stock := wares(300)
	objects := make([]string, len(stock))
	byName := map[string]ware{}
	for i, w := range stock {
		objects[i] = w.object(i)
		byName[w.name] = w
	}
	v := stocked(t, objects...)
	rapid.Check(t, func(t *rapid.T) {
		constraints := rapid.SliceOfN(rapid.Custom(drawConstraint), 1, 4).Draw(t, "constraints")
		q := Question{Constraints: constraints, Limit: 1000,
			Text: rapid.SampledFrom([]string{"", "thing"}).Draw(t, "text")}
		q.Sort = rapid.SampledFrom([]facets.Sort{{}, {By: facets.Price}, {By: facets.Rating, Descending: true},
			{By: facets.TotalTime}}).Draw(t, "sort")
		got, relaxed := found(v, q)
		var want []string
		for _, w := range stock {
			meets := true
			for _, c := range constraints {
				// What leaves something out admits what does not say: the oracle's Not does, too.
				meets = meets && w.meets(c)
			}
			if meets {
				want = append(want, w.name)
			}
		}
		if len(want) == 0 {
			if len(got) > 0 && len(relaxed) == 0 {
				t.Fatalf("%v finds %q, which does not meet it, and says nothing", constraints, got)
			}
			return
		}
		if sorted(got) != sorted(want) || len(relaxed) > 0 {
			t.Fatalf("%v finds %s, relaxed %v, want %s", constraints, sorted(got), relaxed, sorted(want))
		}
		inOrder(t, q.Sort, constraints, got, byName)
		q.Limit = rapid.IntRange(1, 20).Draw(t, "limit")
		if few, _ := found(v, q); !slices.Equal(few, got[:min(q.Limit, len(got))]) &&
			!slices.ContainsFunc(constraints, func(c facets.Constraint) bool { return c.Not }) {
			t.Fatalf("%v by %v finds %q among the first %d, and %q among all", constraints, q.Sort, few, q.Limit,
				got[:min(q.Limit, len(got))])
		}
	})
}

func sorted(names []string) string { return strings.Join(slices.Sorted(slices.Values(names)), ",") }

// inOrder holds hits to the order that was asked for, within those that say that they meet what is
// left out and within those that do not say.
func inOrder(t *rapid.T, by facets.Sort, constraints []facets.Constraint, got []string, all map[string]ware) {
	if by.By == "" {
		return
	}
	key := func(name string) float64 {
		w := all[name]
		figure, known := map[facets.Slot]float64{facets.Price: w.price, facets.Rating: -w.rating,
			facets.TotalTime: float64(w.minutes)}[by.By], true
		switch by.By {
		case facets.Price:
			known = w.price >= 0
		case facets.Rating:
			known = w.rating > 0
		case facets.TotalTime:
			known = w.minutes > 0
		}
		if !known {
			figure = 1e9
		}
		for _, c := range constraints {
			// What is blue and does not say which blue may be navy.
			if c.Not && (w.color == "" || w.color == "blue" && slices.Contains(c.Values, "navy")) {
				figure += 1e10 // after those of which it is known
				break
			}
		}
		return figure
	}
	for i := 1; i < len(got); i++ {
		if key(got[i]) < key(got[i-1]) {
			t.Fatalf("by %v, %s comes before %s", by, got[i-1], got[i])
		}
	}
}
