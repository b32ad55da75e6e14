// Command choice fits the weights of package ask/choice, by which it is decided which of several answers to a question is
// given. It asks the everyday questions of some sites along every route, and fits a logistic regression over the evidence,
// so that the readings that answer right are chosen. Before, it does so with each site left out in turn, and tells how many
// questions of that site are then answered right.
//
//	go run frontdesk/test/choice -write internal/ask/choice/weights.txt SITE...
//
// Each SITE is a folder with items.jsonl and exam.jsonl, as for frontdesk eval --exam.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"time"

	"frontdesk/client"
	"frontdesk/internal/app/server"
	"frontdesk/internal/ask/choice"
	"frontdesk/internal/cli/eval"
	"frontdesk/internal/content/ingest"
)

// What the regression is set to.
const (
	rounds = 3000
	rate   = 0.7
	shrink = 0.003 // by which weights are drawn to nothing, for each question
)

// example is a question that is answered along several routes, one of them right and one wrong.
type example struct {
	text, site string
	readings   []choice.Reading
	right      []bool
}

func main() {
	log.SetFlags(0)
	write := flag.String("write", "", "the file that the weights go to; empty prints them")
	flag.Parse()
	var all []example
	asked, settled := map[string]int{}, map[string]int{} // those that no choice can change
	for _, folder := range flag.Args() {
		site := filepath.Base(filepath.Clean(folder))
		examples, n, right, err := examine(context.Background(), folder, site)
		if err != nil {
			log.Fatalf("%s: %v", folder, err)
		}
		all, asked[site], settled[site] = append(all, examples...), n, right
	}
	leaveOut(all, asked, settled)
	w := fit(all)
	if *write == "" {
		fmt.Print(w)
		return
	}
	head, err := os.ReadFile(*write)
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(*write, append(comments(head), w.String()...), 0o644); err != nil {
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

// examine asks the questions of a site along every route. It gives those of which some route answers right and some wrong, how
// many there are in all, and how many of the others are right.
func examine(ctx context.Context, folder, site string) (examples []example, n, settled int, err error) {
	file, err := os.Open(filepath.Join(folder, "exam.jsonl"))
	if err != nil {
		return nil, 0, 0, err
	}
	defer file.Close()
	questions, err := eval.ReadExam(file)
	if err != nil {
		return nil, 0, 0, err
	}
	var now time.Time
	desk, stop, err := open(ctx, folder, func() time.Time {
		if now.IsZero() {
			return time.Now()
		}
		return now
	})
	if err != nil {
		return nil, 0, 0, err
	}
	defer stop()
	for i := range questions {
		now = questions[i].Now
		e := example{text: questions[i].Text, site: site}
		for route := range choice.Routes {
			trial := choice.Trial{Route: route}
			examined, err := eval.Examine(choice.Try(ctx, &trial), site, questions[i:i+1], desk)
			if err != nil {
				return nil, 0, 0, err
			}
			if route == choice.Search {
				e.readings, e.right = trial.Readings, make([]bool, max(1, len(trial.Readings)))
			}
			for at := range e.right {
				if at == 0 && route == choice.Search || at > 0 && e.readings[at].Route == route {
					e.right[at] = len(examined[0].Misses) == 0
				}
			}
		}
		switch {
		case slices.Contains(e.right, true) && slices.Contains(e.right, false):
			examples = append(examples, e)
		case e.right[0]:
			settled++
		}
	}
	return examples, len(questions), settled, nil
}

// open serves the items of a folder inside this process.
func open(
	ctx context.Context, folder string, now func() time.Time,
) (ask func(context.Context, *eval.Everyday) (*client.Answer, error), stop func(), err error) {
	data, err := os.MkdirTemp("", "choice-")
	if err != nil {
		return nil, nil, err
	}
	config := server.Default()
	config.Data = data
	config.Sources = []server.Source{{Path: filepath.Join(folder, "items.jsonl"), Name: "items"}}
	loaded := &server.Loaded{Config: config}
	s, err := server.New(ctx, server.Options{
		Loaded: loaded, Log: server.NewLog(server.Log{Level: "error"}, io.Discard), Inside: true, Now: now,
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
	desk, err := client.New("http://localhost", client.Options{HTTP: &http.Client{Transport: inside{s}}, Retries: -1})
	if err != nil {
		return nil, nil, err
	}
	return func(ctx context.Context, q *eval.Everyday) (*client.Answer, error) {
		return desk.Ask(ctx, q.Question())
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

// fit finds the weights with which the readings that answer right are likeliest to be chosen, by gradient descent.
func fit(examples []example) (w choice.Weights) {
	for r := range w {
		w[r] = make([]float64, len(choice.Evidence))
	}
	for range rounds {
		var slope choice.Weights
		for r := range w {
			slope[r] = make([]float64, len(choice.Evidence))
		}
		for _, e := range examples {
			likely, right := make([]float64, len(e.readings)), 0.0
			sum := 0.0
			for i := range e.readings {
				likely[i] = math.Exp(w.Score(&e.readings[i]))
				sum += likely[i]
			}
			for i := range likely {
				if likely[i] /= sum; e.right[i] {
					right += likely[i]
				}
			}
			for i := range e.readings {
				pull := -likely[i]
				if e.right[i] {
					pull += likely[i] / right
				}
				for v, value := range e.readings[i].Values() {
					slope[e.readings[i].Route][v] += pull * value
				}
			}
		}
		for r := range w {
			for v := range w[r] {
				w[r][v] += rate * (slope[r][v]/float64(len(examples)) - shrink*w[r][v])
			}
		}
	}
	return w
}

// leaveOut tells how many questions of each site are answered right with weights fitted on all others, beside the most that a
// choice can reach and what the search alone does.
func leaveOut(all []example, asked, settled map[string]int) {
	type tally struct{ chosen, most, search, n int }
	var whole tally
	fmt.Printf("%-12s%8s%8s%8s%8s\n", "left out", "asked", "search", "chosen", "most")
	for site := range asked {
		var others, own []example
		for _, e := range all {
			if e.site == site {
				own = append(own, e)
			} else {
				others = append(others, e)
			}
		}
		w := fit(others)
		t := tally{settled[site], settled[site] + len(own), settled[site], asked[site]}
		for _, e := range own {
			best := w.Best(e.readings)
			if e.right[best] {
				t.chosen++
			} else {
				fmt.Printf("  %s: %q goes to %s\n", site, e.text, e.readings[best].Route)
			}
			if e.right[0] {
				t.search++
			}
		}
		fmt.Printf("%-12s%8d%8d%8d%8d\n", site, t.n, t.search, t.chosen, t.most)
		whole.n, whole.search, whole.chosen, whole.most = whole.n+t.n, whole.search+t.search, whole.chosen+t.chosen, whole.most+t.most
	}
	fmt.Printf("%-12s%8d%8d%8d%8d\n", "all", whole.n, whole.search, whole.chosen, whole.most)
}
