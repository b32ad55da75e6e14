package eval

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// Bootstrap says how sure a figure is: the questions are drawn again and again, as many as there
// are and each as often as it happens, and the middle of what the means then are is the interval.
// The same seed draws the same.
type Bootstrap struct {
	Resamples int     // how often the questions are drawn; 0 is 10,000
	Level     float64 // the share of the means that the interval holds; 0 is 0.95
	Seed      uint64
}

// Interval is a figure with what it could as well have been.
type Interval struct {
	Mean float64 `json:"mean"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Mean is the mean of a figure over questions; all zero when there is none.
func (b Bootstrap) Mean(values []float64) Interval {
	if len(values) == 0 {
		return Interval{}
	}
	means := make([]float64, cmp.Or(max(b.Resamples, 0), 10_000))
	draw := rand.New(rand.NewPCG(b.Seed, b.Seed))
	for i := range means {
		var sum float64
		for range values {
			sum += values[draw.IntN(len(values))]
		}
		means[i] = sum / float64(len(values))
	}
	slices.Sort(means)
	var sum float64
	for _, v := range values {
		sum += v
	}
	outside := (1 - cmp.Or(b.Level, 0.95)) / 2
	at := func(share float64) float64 {
		return means[min(max(int(math.Ceil(share*float64(len(means))))-1, 0), len(means)-1)]
	}
	return Interval{Mean: sum / float64(len(values)), Low: at(outside), High: at(1 - outside)}
}

// Difference is by how much a figure changed, over the questions that both reports have.
type Difference struct {
	Figure    string   `json:"figure"`
	Questions int      `json:"questions"`
	Before    float64  `json:"before"`
	After     float64  `json:"after"`
	Change    Interval `json:"change"`
	// Better and Worse are how many questions have more and less of it than before.
	Better int `json:"better"`
	Worse  int `json:"worse"`
}

// Comparison is how one report differs from another, figure by figure.
type Comparison []Difference

// Compare compares two runs of the same questions, question by question, so that what makes a
// question hard for both does not count.
func (b Bootstrap) Compare(before, after Report) Comparison {
	var c Comparison
	earlier := make(map[string]Figures, len(before.ByQuery))
	for _, q := range before.ByQuery {
		earlier[q.Query] = q.Figures
	}
	for _, figure := range []struct {
		name string
		of   func(Figures) float64
	}{
		{"nDCG@10", func(f Figures) float64 { return f.NDCG10 }},
		{"MAP", func(f Figures) float64 { return f.MAP }},
		{"P@10", func(f Figures) float64 { return f.P10 }},
		{"recall@100", func(f Figures) float64 { return f.Recall100 }},
	} {
		var pairs [][2]float64
		for _, q := range after.ByQuery {
			if was, ok := earlier[q.Query]; ok {
				pairs = append(pairs, [2]float64{figure.of(was), figure.of(q.Figures)})
			}
		}
		c = append(c, b.difference(figure.name, pairs))
	}
	return c
}

// Constrained compares two runs of the same constrained questions.
func (b Bootstrap) Constrained(before, after ConstrainedReport) Comparison {
	earlier := make(map[string]ConstrainedFigures, len(before.ByQuestion))
	for _, q := range before.ByQuestion {
		earlier[q.ID] = q.ConstrainedFigures
	}
	var precision, found [][2]float64
	for _, q := range after.ByQuestion {
		if was, ok := earlier[q.ID]; ok {
			precision = append(precision, [2]float64{was.Precision, q.Precision})
			found = append(found, [2]float64{was.Found, q.Found})
		}
	}
	return Comparison{b.difference("precision@5", precision), b.difference("found@5", found)}
}

func (b Bootstrap) difference(figure string, pairs [][2]float64) Difference {
	d := Difference{Figure: figure, Questions: len(pairs)}
	changes := make([]float64, len(pairs))
	for i, pair := range pairs {
		changes[i] = pair[1] - pair[0]
		d.Before += pair[0] / float64(len(pairs))
		d.After += pair[1] / float64(len(pairs))
		switch {
		case changes[i] > 0:
			d.Better++
		case changes[i] < 0:
			d.Worse++
		}
	}
	d.Change = b.Mean(changes)
	return d
}
