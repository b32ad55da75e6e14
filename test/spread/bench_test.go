package spread

import (
	"net/http"
	"slices"
	"testing"
	"time"
)

// BenchmarkFront asks a front over two nodes and one node with all sites in turn, one question at a
// time, and tells the medians and how many times as long the front takes.
func BenchmarkFront(b *testing.B) {
	w := newWorld(b)
	var front, one []time.Duration
	for i := 0; b.Loop(); i++ {
		body := question(questions[i%len(questions)])
		front = append(front, took(b, w.front.URL, body))
		one = append(one, took(b, w.all.URL, body))
	}
	slices.Sort(front)
	slices.Sort(one)
	for name, at := range map[string]int{"p50": len(one) / 2, "p99": len(one) * 99 / 100} {
		b.ReportMetric(float64(front[at].Microseconds())/1000, "front-"+name+"-ms")
		b.ReportMetric(float64(one[at].Microseconds())/1000, "one-"+name+"-ms")
	}
	b.ReportMetric(float64(front[len(front)/2])/float64(one[len(one)/2]), "ratio")
}

func took(b *testing.B, at string, body object) time.Duration {
	began := time.Now()
	if text, status := send(b, http.MethodPost, at+"/ask", body); status != http.StatusOK {
		b.Fatalf("%d: %s", status, text)
	}
	return time.Since(began)
}
