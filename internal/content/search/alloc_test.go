//go:build !race

package search

import "testing"

// The race detector makes pools forget on purpose, so this is checked without it.
//
// Not parallel: it counts what is allocated.
func TestSearchAllocatesLittle(t *testing.T) {
	c := newCorpus(5, 2000)
	s := New(Options{}).Apply(c.documents(0, 2000, 2, 60), nil)
	text := c.text(4)
	if n := testing.AllocsPerRun(100, func() { s.Search(Query{Text: text}) }); n > 6 {
		t.Errorf("%v allocations", n)
	}
}
