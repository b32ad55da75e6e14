package server

import (
	"strings"
	"time"

	"frontdesk/internal/infra/yamlconf"
)

// Promise says which answers are promised for later instead of waited for, and how long they are kept. Whoever asked has
// them by `POST /await` and by the MCP tool `await`.
type Promise struct {
	// Enabled says whether answers are promised. Otherwise what would take long is waited for, or not done.
	Enabled bool `yaml:"enabled"`
	// After is how long a question that may take long (a report, the use of a model) is waited for before it becomes a
	// promise; `0s` promises it at once. Other questions are never promised.
	After time.Duration `yaml:"after" check:"0..1m"`
	// Time is the longest that the work on one promise may take.
	Time time.Duration `yaml:"time" check:"1s..24h"`
	// Keep is how long an answer is kept once it is there, and a promise that was cancelled.
	Keep time.Duration `yaml:"keep" check:"10s..720h"`
	// Each is how many answers that are not there yet are promised at a time to one key or subject of a token, and for
	// strangers to one address. One that was cancelled does not count.
	Each int `yaml:"each" check:"1..100000"`
	// Kept is how many answers that are there are kept at a time for the same before no more are promised.
	Kept int `yaml:"kept" check:"1..100000"`
	// All is the most promises at a time of all together.
	All int `yaml:"all" check:"1..1000000"`
	// Workers is how many promises this process works on at a time; the others wait.
	Workers int `yaml:"workers" check:"1..256"`
	// Fresh lets a question ask for the sources to be read again before it is answered (`prefer.fresh`).
	Fresh Fresh `yaml:"fresh"`
	// Slow makes questions slow on purpose, to test how a client deals with promises. Not for a desk in use.
	Slow []Slow `yaml:"slow"`
}

// Fresh is about questions that ask for the sources to be read again first.
type Fresh struct {
	// Enabled says whether they may.
	Enabled bool `yaml:"enabled"`
	// Every is how often a source is read again at most, however many ask for it.
	Every time.Duration `yaml:"every" check:"0..24h"`
}

// Slow is a class of questions that are made slow.
type Slow struct {
	// Match is text that such questions hold, in whatever case.
	Match string `yaml:"match,required"`
	// For is how long the work on them takes.
	For time.Duration `yaml:"for,required" check:"1ms..24h"`
}

func defaultPromise() Promise {
	return Promise{
		Enabled: true, After: 2 * time.Second, Time: 10 * time.Minute, Keep: time.Hour, Each: 20, Kept: 200, All: 1000, Workers: 2,
		Fresh: Fresh{Every: 10 * time.Minute},
	}
}

// Check looks at what is made slow on purpose, and at what promises are needed for.
func (p Promise) Check(r *yamlconf.Report) {
	for i, slow := range p.Slow {
		if strings.TrimSpace(slow.Match) == "" {
			r.Problem(yamlconf.Index("slow", i)+".match", "it is empty; write words that the questions hold")
		}
		r.Warning(yamlconf.Index("slow", i), "questions with %q are made slow, which is for tests of clients alone", slow.Match)
	}
	if !p.Enabled && (p.Fresh.Enabled || len(p.Slow) > 0) {
		r.Warning("enabled", "without promises, fresh and slow have no effect")
	}
}
