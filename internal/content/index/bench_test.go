package index

import (
	"fmt"
	"testing"

	"frontdesk/internal/content/facets"
)

// BenchmarkFind compares a question by words alone with the same under conditions, over 7,000
// items. The conditions are those of a question that was asked before, so that what meets them is
// known, and of one that nobody has asked yet.
func BenchmarkFind(b *testing.B) {
	stock := wares(7000)
	objects := make([]string, len(stock))
	for i, w := range stock {
		w.name = fmt.Sprintf("%s lamp %d of kind %d", []string{"small", "large", "round"}[i%3], i, i%41)
		objects[i] = w.object(i)
	}
	v := stocked(b, objects...)
	q := Question{Text: "large lamp kind", Limit: 10, MinScore: 20, Within: v.Select(func(*Doc) bool { return true })}
	run := func(name string, change func(i int, q *Question)) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				asked := q
				change(i, &asked)
				if len(v.Find(asked).Hits) == 0 {
					b.Fatal("nothing is found")
				}
			}
		})
	}
	price := func(most float64) facets.Constraint {
		return facets.Constraint{Slot: facets.Price, Max: &most, Unit: "EUR"}
	}
	red := facets.Constraint{Slot: facets.Color, Values: []string{"red"}}
	run("words", func(int, *Question) {})
	run("words+conditions", func(_ int, q *Question) { q.Constraints = []facets.Constraint{price(20), red} })
	run("words+new conditions", func(i int, q *Question) {
		q.Constraints = []facets.Constraint{price(20 + float64(i)/1e6), red}
	})
	run("words+exclusion", func(_ int, q *Question) {
		q.Constraints = []facets.Constraint{{Slot: facets.Color, Not: true, Values: []string{"red"}}}
	})
	run("conditions alone", func(_ int, q *Question) {
		q.Text, q.Constraints = "", []facets.Constraint{price(20), red}
	})
	run("sorted", func(_ int, q *Question) { q.Sort = facets.Sort{By: facets.Price} })
}

// BenchmarkCondition judges conditions over 60,000 items: one that was asked before, which is the
// floor, and ones that nobody has asked yet; and it lists the first in an order.
func BenchmarkCondition(b *testing.B) {
	stock := wares(60000)
	objects := make([]string, len(stock))
	for i, w := range stock {
		objects[i] = w.object(i)
	}
	v := stocked(b, objects...)
	all := v.Select(func(*Doc) bool { return true })
	run := func(name string, ask func(i int) Question) {
		b.Run(name, func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				q := ask(i)
				q.Within, q.Limit = all, 10
				if len(v.Find(q).Hits) == 0 {
					b.Fatal("nothing is found")
				}
			}
		})
	}
	price := func(least, most float64) Question {
		return Question{Constraints: []facets.Constraint{{Slot: facets.Price, Min: &least, Max: &most, Unit: "EUR"}}}
	}
	run("known", func(int) Question { return price(10, 12) })
	run("narrow", func(i int) Question { return price(10+float64(i)/1e7, 12) })
	run("wide", func(i int) Question { return price(1+float64(i)/1e7, 39) })
	run("values", func(i int) Question {
		return Question{Constraints: []facets.Constraint{{Slot: facets.Color, Not: i%2 == 0,
			Values: []string{"red", fmt.Sprint("hue ", i)}}}}
	})
	run("sorted", func(int) Question { return Question{Sort: facets.Sort{By: facets.Price, Descending: true}} })
}

func BenchmarkLexicon(b *testing.B) {
	stock := wares(7000)
	objects := make([]string, len(stock))
	for i, w := range stock {
		objects[i] = w.object(i)
	}
	v := stocked(b, objects...)
	for b.Loop() {
		v.teaching()
	}
}
