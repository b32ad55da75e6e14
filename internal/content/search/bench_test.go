package search

import (
	"flag"
	"fmt"
	"runtime"
	"testing"
	"time"

	"frontdesk/internal/content/search/analysis"
)

// How large the index of the benchmarks is:
//
//	go test -run - -bench . -items 1000000 ./internal/content/search
var benchItems = flag.Int("items", 10_000, "items in the index of the benchmarks, of about 120 words each")

// benchVocabulary grows with the text, as vocabularies do.
func benchVocabulary(items int) int { return 50_000 + items }

func heap() float64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}

// BenchmarkBuild measures building an index in calls of 1,000 documents, as following a catalog
// does, and what it takes of the heap.
func BenchmarkBuild(b *testing.B) {
	for range b.N {
		c := newCorpus(3, benchVocabulary(*benchItems))
		before := heap()
		x := New(Options{})
		var took time.Duration
		for from := 0; from < *benchItems; from += 1000 {
			docs := c.documents(from, min(from+1000, *benchItems), 1, 120)
			start := time.Now()
			x.Apply(docs, nil)
			took += time.Since(start)
		}
		b.ReportMetric(took.Seconds(), "s/build")
		b.ReportMetric(float64(*benchItems)/took.Seconds(), "items/s")
		b.ReportMetric((heap()-before)/float64(*benchItems), "heap-B/item")
		b.ReportMetric(float64(len(x.Snapshot().views)), "segments")
	}
}

// BenchmarkSearch measures questions of three to six words of the text, frequent ones among them.
func BenchmarkSearch(b *testing.B) {
	c := newCorpus(3, benchVocabulary(*benchItems))
	x := New(Options{})
	for from := 0; from < *benchItems; from += 50_000 {
		x.Apply(c.documents(from, min(from+50_000, *benchItems), 1, 120), nil)
	}
	s := x.Snapshot()
	questions := make([]string, 1000)
	for i := range questions {
		questions[i] = c.text(3 + i%4)
	}
	half := s.Select(func(ref any) bool { return ref.(int)%2 == 0 })
	for _, limit := range []int{10, 1000} {
		for name, within := range map[string]*Selection{"all": nil, "half": half} {
			b.Run(fmt.Sprintf("limit=%d/within=%s", limit, name), func(b *testing.B) {
				b.ReportAllocs()
				for i := range b.N {
					s.Search(Query{Text: questions[i%len(questions)], Limit: limit, Within: within})
				}
			})
		}
	}
}

// BenchmarkApplyOne measures replacing one document of a large index.
func BenchmarkApplyOne(b *testing.B) {
	c := newCorpus(3, benchVocabulary(*benchItems))
	x := New(Options{})
	for from := 0; from < *benchItems; from += 50_000 {
		x.Apply(c.documents(from, min(from+50_000, *benchItems), 1, 120), nil)
	}
	b.ResetTimer()
	for i := range b.N {
		x.Apply([]Document{c.document(i%*benchItems, 1, 120)}, nil)
	}
}

// BenchmarkAnalyze measures the analysis of running text.
func BenchmarkAnalyze(b *testing.B) {
	text := newCorpus(3, 50_000).text(10_000)
	a := analysis.NewAnalyzer()
	b.SetBytes(int64(len(text)))
	for range b.N {
		for range a.Words(text, "en") {
		}
	}
}
