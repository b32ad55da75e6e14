// Command fit fits the weights by which answers are chosen, by logistic regression on the everyday
// questions of some sites.
//
//	go run frontdesk/test/fit -of choice -write internal/ask/choice/weights.txt SITE...
//	go run frontdesk/test/fit -of quote -write internal/ask/quote/weights.txt SITE...
//	go run frontdesk/test/fit -of rank -write internal/content/index/rank.txt SITE...
//
// Each SITE is a folder with items.jsonl and exam.jsonl, as for frontdesk eval --exam. For choice
// it asks the questions along every route, and fits so that the readings that answer right are
// chosen; for quote, so that of the item that answers the sentence is chosen which says what the
// question wants to hear; for rank, so that an item comes first that shall, or nothing answers.
// Before, it does so with each site left out in turn, and tells how many questions of that site
// then come out right.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"maps"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"frontdesk/client"
	"frontdesk/internal/app"
	"frontdesk/internal/ask/choice"
	"frontdesk/internal/ask/quote"
	"frontdesk/internal/cli/eval"
	"frontdesk/internal/content/index"
	"frontdesk/internal/content/ingest"
)

// What the regression is set to.
const (
	rounds = 3000
	rate   = 0.7
	shrink = 0.003 // by which weights are drawn to nothing, for each question
)

// example is a question with several options, of which some are right and some wrong.
type example struct {
	text, site string
	options    []option
}

// option is what may be chosen, with the evidence for it.
type option struct {
	name   string
	right  bool
	values []float64
}

// examined is what came of the questions of a site: those that a choice can change, how many there
// are in all, and how many of the others are right.
type examined struct {
	examples   []example
	n, settled int
}

// model is a kind of weights: what is chosen among, and how the weights are written.
type model struct {
	examine func(ctx context.Context, site string, q *eval.Everyday, desk ask) (options []option, right bool, err error)
	values  int
	text    func(weights []float64) string
}

type ask = func(context.Context, *eval.Everyday) (*client.Answer, error)

var models = map[string]model{
	"choice": {examineRoutes, int(choice.Routes) * len(choice.Evidence), func(flat []float64) string {
		var w choice.Weights
		for r := range w {
			w[r] = flat[r*len(choice.Evidence):][:len(choice.Evidence)]
		}
		return w.String()
	}},
	"quote": {examineSentences, len(quote.Evidence), lines(quote.Evidence)},
	"rank":  {examineItems, len(index.RankEvidence), lines(index.RankEvidence)},
}

// lines writes weights, a line each.
func lines(evidence []string) func(weights []float64) string {
	return func(weights []float64) string {
		var b strings.Builder
		for i, name := range evidence {
			fmt.Fprintf(&b, "%-12s%5.2f\n", name, weights[i])
		}
		return b.String()
	}
}

func main() {
	log.SetFlags(0)
	of := flag.String("of", "", "the weights that are fitted: choice, quote or rank")
	write := flag.String("write", "", "the file that the weights go to; empty prints them")
	flag.Parse()
	m, ok := models[*of]
	if !ok {
		log.Fatal("-of takes choice, quote or rank")
	}
	sites := map[string]examined{}
	for _, folder := range flag.Args() {
		site := filepath.Base(filepath.Clean(folder))
		found, err := examine(context.Background(), m, folder, site)
		if err != nil {
			log.Fatalf("%s: %v", folder, err)
		}
		sites[site] = found
	}
	leaveOut(m, sites)
	var all []example
	for _, site := range slices.Sorted(maps.Keys(sites)) {
		all = append(all, sites[site].examples...)
	}
	text := m.text(fit(m, all))
	if *write == "" {
		fmt.Print(text)
		return
	}
	head, err := os.ReadFile(*write)
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(*write, append(comments(head), text...), 0o644); err != nil {
		log.Fatal(err)
	}
}

// comments are the lines at the head of a file that are no weights.
func comments(text []byte) []byte {
	for n := 0; ; n++ {
		if n == len(text) || (n == 0 || text[n-1] == '\n') && text[n] != '#' {
			return text[:n]
		}
	}
}

// examine asks the questions of a site.
func examine(ctx context.Context, m model, folder, site string) (all examined, err error) {
	file, err := os.Open(filepath.Join(folder, "exam.jsonl"))
	if err != nil {
		return all, err
	}
	defer file.Close()
	questions, err := eval.ReadExam(file)
	if err != nil {
		return all, err
	}
	var now time.Time
	desk, stop, err := open(ctx, folder, func() time.Time {
		if now.IsZero() {
			return time.Now()
		}
		return now
	})
	if err != nil {
		return all, err
	}
	defer stop()
	for i := range questions {
		now = questions[i].Now
		options, right, err := m.examine(ctx, site, &questions[i], desk)
		if err != nil {
			return all, err
		}
		is := func(want bool) bool {
			return slices.ContainsFunc(options, func(o option) bool { return o.right == want })
		}
		switch {
		case is(true) && is(false):
			all.examples = append(all.examples, example{questions[i].Text, site, options})
		case right:
			all.settled++
		}
	}
	all.n = len(questions)
	return all, nil
}

// examineRoutes asks a question along every route.
func examineRoutes(
	ctx context.Context, site string, q *eval.Everyday, desk ask,
) (options []option, right bool, err error) {
	for route := range choice.Routes {
		trial := choice.Trial{Route: route}
		found, err := eval.Examine(choice.Try(ctx, &trial), site, []eval.Everyday{*q}, desk)
		if err != nil {
			return nil, false, err
		}
		answers := len(found[0].Misses) == 0
		if route == choice.Search {
			right = answers
			for i := range trial.Readings {
				r := &trial.Readings[i]
				flat := make([]float64, int(choice.Routes)*len(choice.Evidence))
				copy(flat[int(r.Route)*len(choice.Evidence):], r.Values())
				options = append(options, option{r.Route.String(), i == 0 && right, flat})
			}
			continue
		}
		for i := range options {
			if options[i].name == route.String() {
				options[i].right = answers
			}
		}
	}
	return options, right, nil
}

// examineSentences asks a question along the search, and gives the sentences of the first item
// where that answers.
func examineSentences(
	ctx context.Context, site string, q *eval.Everyday, desk ask,
) (options []option, right bool, err error) {
	var trial quote.Trial
	found, err := eval.Examine(choice.Try(quote.Try(ctx, &trial), &choice.Trial{Route: choice.Search}), site,
		[]eval.Everyday{*q}, desk)
	if err != nil || q.Say == "" || slices.Contains(found[0].Misses, "first") ||
		slices.Contains(found[0].Misses, "in3") {
		return nil, false, err
	}
	for _, s := range trial.Sentences {
		said := !slices.Contains(q.Misses(eval.Answered{Summary: s.Text}), "say")
		options = append(options, option{s.Text, said, s.Values})
	}
	return options, len(found[0].Misses) == 0, nil
}

// examineItems asks a question along the search, and gives the items that compete for the first
// places, and nothing as the last.
func examineItems(
	ctx context.Context, site string, q *eval.Everyday, desk ask,
) (options []option, right bool, err error) {
	trial := choice.Trial{Route: choice.Search}
	found, err := eval.Examine(choice.Try(ctx, &trial), site, []eval.Everyday{*q}, desk)
	if err != nil {
		return nil, false, err
	}
	wanted := slices.Concat(q.First, q.In3, q.All)
	for _, item := range trial.Items {
		is := func(name string) bool { return strings.Contains(item.Name, name) }
		o := option{"nothing", q.Empty, item.Values}
		if item.Name != "" {
			o = option{item.Name, slices.ContainsFunc(wanted, is), item.Values}
		}
		options = append(options, o)
	}
	return options, len(found[0].Misses) == 0, nil
}

// open serves the items of a folder inside this process.
func open(
	ctx context.Context, folder string, now func() time.Time,
) (desk ask, stop func(), err error) {
	data, err := os.MkdirTemp("", "choice-")
	if err != nil {
		return nil, nil, err
	}
	config := app.Default()
	config.Data = data
	config.Sources = []app.Source{{Path: filepath.Join(folder, "items.jsonl"), Name: "items"}}
	loaded := &app.Loaded{Config: config}
	s, err := app.Build(ctx, app.Options{
		Loaded: loaded, Log: app.NewLog(app.Log{Level: "error"}, os.Stderr), Inside: true, Now: now,
	})
	if err != nil {
		return nil, nil, err
	}
	stop = func() {
		s.Close()
		os.RemoveAll(data)
	}
	for _, source := range loaded.Config.AllSources() {
		if _, err := s.Ingest(ctx, source, ingest.Options{}); err != nil {
			return nil, nil, err
		}
	}
	if err := s.Refresh(ctx); err != nil {
		return nil, nil, err
	}
	served, err := client.New("http://localhost", client.Options{HTTP: &http.Client{Transport: inside{s}}, Retries: -1})
	if err != nil {
		return nil, nil, err
	}
	return func(ctx context.Context, q *eval.Everyday) (*client.Answer, error) {
		return served.Ask(ctx, q.Question())
	}, stop, nil
}

// inside answers requests in this process, in the context of whoever makes them.
type inside struct{ http.Handler }

func (i inside) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	r.RequestURI = r.URL.RequestURI()
	r.RemoteAddr = "127.0.0.1:1"
	i.ServeHTTP(w, r)
	return w.Result(), nil
}

// fit finds the weights with which the options that are right are likeliest to be chosen, by
// gradient descent.
func fit(m model, examples []example) []float64 {
	w := make([]float64, m.values)
	for range rounds {
		slope := make([]float64, m.values)
		for _, e := range examples {
			likely, right, sum := make([]float64, len(e.options)), 0.0, 0.0
			for i, o := range e.options {
				likely[i] = math.Exp(quote.Score(w, o.values))
				sum += likely[i]
			}
			for i, o := range e.options {
				if likely[i] /= sum; o.right {
					right += likely[i]
				}
			}
			for i, o := range e.options {
				pull := -likely[i]
				if o.right {
					pull += likely[i] / right
				}
				for v, value := range o.values {
					slope[v] += pull * value
				}
			}
		}
		for v := range w {
			w[v] += rate * (slope[v]/float64(len(examples)) - shrink*w[v])
		}
	}
	return w
}

// leaveOut tells how many questions of each site come out right with weights fitted on all others,
// beside the most that a choice can reach and what the first option does.
func leaveOut(m model, sites map[string]examined) {
	type tally struct{ chosen, most, first, n int }
	var whole tally
	fmt.Printf("%-12s%8s%8s%8s%8s\n", "left out", "asked", "first", "chosen", "most")
	for _, site := range slices.Sorted(maps.Keys(sites)) {
		var others []example
		for other, found := range sites {
			if other != site {
				others = append(others, found.examples...)
			}
		}
		w, own := fit(m, others), sites[site]
		t := tally{own.settled, own.settled + len(own.examples), own.settled, own.n}
		for _, e := range own.examples {
			best := 0
			for i, o := range e.options {
				if quote.Score(w, o.values) > quote.Score(w, e.options[best].values) {
					best = i
				}
			}
			if e.options[best].right {
				t.chosen++
			} else {
				fmt.Printf("  %s: %q gets %s\n", site, e.text, e.options[best].name)
			}
			if e.options[0].right {
				t.first++
			}
		}
		fmt.Printf("%-12s%8d%8d%8d%8d\n", site, t.n, t.first, t.chosen, t.most)
		whole.n, whole.first, whole.chosen, whole.most = whole.n+t.n, whole.first+t.first, whole.chosen+
			t.chosen, whole.most+t.most
	}
	fmt.Printf("%-12s%8d%8d%8d%8d\n", "all", whole.n, whole.first, whole.chosen, whole.most)
}
