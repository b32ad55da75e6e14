// Command train makes weights.bin of package practical from its tables. With -check it trains and
// measures instead, by leaving a fifth of each language's phrases out in turn, and writes nothing.
//
// Run it by go generate in package practical.
package main

import (
	"flag"
	"fmt"
	"log"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"

	"frontdesk/internal/ask/facts"
	"frontdesk/internal/ask/practical"
)

// What the training is set to.
const (
	rounds   = 24   // that each example is seen
	rate     = 0.3  // of learning, falling to a tenth
	decay    = 2e-6 // by which weights shrink with each example
	negative = 5    // examples that a question of no intent with {thing} stands for
	positive = 3    // that one of an intent stands for
	folds    = 5    // of the measurement
)

// example is a text with its intent.
type example struct {
	text, language string
	intent         int
	title          bool
	features       []practical.Feature
}

func main() {
	log.SetFlags(0)
	check := flag.Bool("check", false, "measure, and write nothing")
	out := flag.String("out", "weights.bin", "where the weights go")
	flag.Parse()
	intents, examples, err := read()
	if err != nil {
		log.Fatal(err)
	}
	if *check {
		measure(intents, examples)
		return
	}
	m := fit(intents, examples)
	m.Tables = practical.TablesDigest()
	packed, err := m.Pack()
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(*out, packed, 0o644); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d examples of %d intents; %s has %d bytes\n", len(examples), len(intents), *out, len(packed))
}

// read makes the examples of all tables.
func read() (intents []string, all []example, err error) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, language := range practical.Languages {
		phrases, err := practical.Phrases(language)
		if err != nil {
			return nil, nil, err
		}
		for _, p := range phrases {
			intent := slices.Index(intents, p.Intent)
			if intent < 0 {
				intent, intents = len(intents), append(intents, p.Intent)
			}
			n := positive
			if p.Intent == practical.None {
				n = negative
			}
			for _, text := range expand(random, p, n) {
				all = append(all, example{
					text: text, language: language, intent: intent, title: p.Title, features: practical.Features(text),
				})
			}
		}
	}
	return intents, all, nil
}

// expand fills the places of a phrase with words of its language, so many times.
func expand(random *rand.Rand, p practical.Phrase, times int) (texts []string) {
	if !strings.Contains(p.Text, "{") {
		return []string{p.Text}
	}
	for range times {
		text := p.Text
		for _, name := range []string{"thing", "place", "person", "country"} {
			words := practical.WordsOf(p.Language, name)
			if name == "country" {
				words = facts.CountryNames(p.Language)
			}
			for strings.Contains(text, "{"+name+"}") {
				word, _, _ := strings.Cut(words[random.IntN(len(words))], " = ")
				text = strings.Replace(text, "{"+name+"}", word, 1)
			}
		}
		texts = append(texts, text)
	}
	return texts
}

// fit finds the weights by stochastic gradient descent. The same examples give the same weights.
func fit(intents []string, examples []example) *practical.Model {
	n := len(intents)
	m := &practical.Model{
		Intents: intents, Bias: make([]float32, n), Weights: make([]float32, practical.Buckets*n),
	}
	random := rand.New(rand.NewPCG(3, 4))
	order := random.Perm(len(examples))
	shrink := float32(1) // what all weights are multiplied with
	step, steps := 0, rounds*len(examples)
	for range rounds {
		random.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for _, at := range order {
			e := &examples[at]
			learning := float32(rate * (1 - 0.9*float64(step)/float64(steps)))
			step++
			shrink *= 1 - learning*decay*10
			scores := scoresOf(m, e.features, shrink)
			scores[e.intent]--
			for i, g := range scores {
				m.Bias[i] -= learning * 0.02 * g
			}
			for _, f := range e.features {
				row := m.Weights[f.Bucket*n : (f.Bucket+1)*n]
				factor := learning * f.Value * 8 / shrink
				for i, g := range scores {
					row[i] -= factor * g
				}
			}
		}
	}
	for i := range m.Weights {
		m.Weights[i] *= shrink
	}
	return m
}

func scoresOf(m *practical.Model, features []practical.Feature, shrink float32) []float32 {
	scaled := slices.Clone(features)
	for i := range scaled {
		scaled[i].Value *= shrink
	}
	return m.Scores(scaled)
}

// measure leaves a fifth of the phrases out in turn, and tells by language how many of those are
// recognised.
func measure(intents []string, examples []example) {
	type tally struct{ asked, right, sure, none, taken int }
	by := map[string]*tally{}
	confused := map[string]int{}
	random := rand.New(rand.NewPCG(5, 6))
	fold := map[string]int{}
	for i := range examples {
		fold[examples[i].text] = random.IntN(folds)
	}
	none := slices.Index(intents, practical.None)
	for left := range folds {
		var known []example
		for _, e := range examples {
			if fold[e.text] != left {
				known = append(known, e)
			}
		}
		m := fit(intents, known)
		for _, e := range examples {
			if fold[e.text] != left || e.title {
				continue
			}
			t := by[e.language]
			if t == nil {
				t = &tally{}
				by[e.language] = t
			}
			scores := m.Scores(e.features)
			best := 0
			for i := range scores {
				if scores[i] > scores[best] {
					best = i
				}
			}
			asks := 1 - scores[none]
			if e.intent == none {
				t.none++
				if asks > practical.Sure {
					t.taken++
				}
				continue
			}
			t.asked++
			if asks > practical.Sure {
				t.sure++
			}
			if best == e.intent {
				t.right++
			} else {
				confused[intents[e.intent]+" as "+intents[best]]++
			}
		}
	}
	for _, language := range slices.Sorted(maps.Keys(by)) {
		t := by[language]
		fmt.Printf("%s: of %d practical questions %.3f taken for one, %.3f for the right one; "+
			"of %d others %.3f taken for one\n", language,
			t.asked, ratio(t.sure, t.asked), ratio(t.right, t.asked), t.none, ratio(t.taken, t.none))
	}
	pairs := slices.SortedFunc(maps.Keys(confused), func(a, b string) int { return confused[b] - confused[a] })
	for _, pair := range pairs[:min(25, len(pairs))] {
		fmt.Printf("%4d %s\n", confused[pair], pair)
	}
}

func ratio(part, whole int) float64 { return float64(part) / math.Max(float64(whole), 1) }
