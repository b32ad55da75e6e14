package search

import (
	"strings"
	"testing"
)

// BenchmarkLong asks as much as a question may hold, in ways that cost most.
func BenchmarkLong(b *testing.B) {
	c := newCorpus(1, 50000)
	s := New(Options{}).Apply(c.documents(0, 7000, 2, 60), nil)
	s.Prepare()
	frequent := []string{}
	for i := range 400 {
		frequent = append(frequent, spell(i))
	}
	var unknown []string
	for i := range 400 {
		unknown = append(unknown, spell(200000+i))
	}
	for _, q := range []struct{ name, text string }{
		{"one word", strings.Repeat(spell(40)+" ", 4096/len(spell(40)+" "))},
		{"two words", strings.Repeat(spell(40)+" "+spell(50)+" ", 4096/len(spell(40)+spell(50)+"  "))},
		{"frequent", strings.Join(frequent, " ")},
		{"unknown", strings.Join(unknown, " ")},
		{"the same unknown", strings.Repeat(spell(200000)+" ", 4096/len(spell(200000)+" "))},
		{"function words", strings.Repeat("the of and to ", 4096/14)},
		{"hyphens", strings.Repeat(spell(40)+"-"+spell(50)+" ", 4096/len(spell(40)+spell(50)+"  "))},
		{"characters", strings.Repeat("日本語", 4096/9)},
		{"letters", strings.Repeat("a b c ", 4096/6)},
	} {
		b.Run(q.name, func(b *testing.B) {
			for b.Loop() {
				s.Search(Query{Text: q.text, MinScore: DefaultMinScore})
			}
		})
	}
}
