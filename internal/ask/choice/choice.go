// Package choice decides which of several answers to a question is given: the items that were
// found, the detail of one of them, or what the sites say of their owner. Each answer comes with
// evidence of how well it explains the question by what exists; the literal search is always among
// them.
//
// Enter at Best. The weights of the evidence stand in weights.txt, a line "route evidence weight".
// The command test/choice fits them by logistic regression on the everyday questions of many sites,
// each asked along every route; it reports the result with each site left out in turn.
//
// It has no I/O.
package choice

import (
	"context"
	"embed"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"frontdesk/internal/infra/language"
)

//go:embed weights.txt
var files embed.FS

// Route is a way to answer a question.
type Route int

// The routes.
const (
	Search Route = iota // with the items that are found
	Detail              // with a property or a sentence of one item
	Owner               // with what the sites say of their owner
	Routes
)

var routeNames = [Routes]string{"search", "detail", "owner"}

func (r Route) String() string { return routeNames[r] }

// Reading is how one route answers a question, and the evidence for it, each from 0 to 1.
type Reading struct {
	Route Route

	Sure float64 // how likely it is that the question is asked of that route
	Kin  float64 // how likely it is that it asks for what is answered, or for something of that kind
	Fits float64 // how well the first item fits what is asked: a score, the strength of a property or of a page
	// the share of the question's words, by their weight, that the first item has or that ask for
	// such a thing
	Explained float64
	// how far its name and the question have the same words: the share of the one by that of the
	// other
	Called   float64
	Property float64 // 1 where a property answers
}

// Evidence names the evidence, in the order of Values.
var Evidence = []string{"route", "sure", "kin", "fits", "explained", "called", "property"}

// Values are the evidence in numbers, probabilities as the logarithms of their odds. The first is
// that of the route itself.
func (r *Reading) Values() []float64 {
	return []float64{1, odds(r.Sure), odds(r.Kin), r.Fits, r.Explained, r.Called, r.Property}
}

// odds is the logarithm of a probability's odds, about from -1 to 1; 0 of none.
func odds(probability float64) float64 {
	const least, scale = 0.002, 4
	if probability == 0 {
		return 0
	}
	p := min(max(probability, least), 1-least)
	return math.Log(p/(1-p)) / scale
}

// Weights are those of the evidence, by route.
type Weights [Routes][]float64

var weights = sync.OnceValue(func() (w Weights) {
	for r := range w {
		w[r] = make([]float64, len(Evidence))
	}
	for _, columns := range language.Records(files, "weights.txt") {
		for r := range Routes {
			for i, name := range Evidence {
				if columns[0] == r.String() && columns[1] == name {
					w[r][i], _ = strconv.ParseFloat(columns[2], 64)
				}
			}
		}
	}
	return w
})

// String writes weights as weights.txt has them.
func (w Weights) String() string {
	var b strings.Builder
	for r := range Routes {
		for i, name := range Evidence {
			if math.Abs(w[r][i]) >= 0.005 {
				fmt.Fprintf(&b, "%-8s%-12s%5.2f\n", r, name, w[r][i])
			}
		}
	}
	return b.String()
}

// Score is how much the evidence speaks for a reading.
func (w Weights) Score(r *Reading) (score float64) {
	for i, value := range r.Values() {
		score += w[r.Route][i] * value
	}
	return score
}

// Best is the reading that is answered: the one that the evidence speaks for most, of even ones the
// first.
func (w Weights) Best(readings []Reading) (best int) {
	for i := range readings {
		if w.Score(&readings[i]) > w.Score(&readings[best]) {
			best = i
		}
	}
	return best
}

// Best is the reading that is answered, by the weights that the program carries; in a trial, that
// of the route on trial.
func Best(ctx context.Context, readings []Reading) int {
	if trial := TrialOf(ctx); trial != nil {
		trial.Readings = readings
		return max(0, slices.IndexFunc(readings, func(r Reading) bool { return r.Route == trial.Route }))
	}
	return weights().Best(readings)
}

// Trial has questions answered along one route, where that answers them, and tells the evidence for
// all.
type Trial struct {
	Route    Route
	Readings []Reading // the search first
	Items    []Item    // that competed for the first places of the search, and nothing as the last
}

// Item is an item that was found, with the evidence for it; without a name it is none.
type Item struct {
	Name   string
	Values []float64
}

// TrialOf is the trial of the questions that are asked in a context; nil for none.
func TrialOf(ctx context.Context) *Trial {
	t, _ := ctx.Value(trialKey{}).(*Trial)
	return t
}

type trialKey struct{}

// Try has the questions that are asked in a context answered for a trial.
func Try(ctx context.Context, t *Trial) context.Context { return context.WithValue(ctx, trialKey{}, t) }
