package server

import (
	"fmt"
	"strings"
	"time"
)

// Promise says which answers are promised for later instead of waited for, and how long they are kept. Whoever asked has
// them by `POST /await` and by the MCP tool `await`.
type Promise struct {
	// Enabled says whether answers are promised. Otherwise what would take long is waited for, or not done.
	Enabled bool `yaml:"enabled"`
	// After is how long a question that may take long (a report, the use of a model) is waited for before it becomes a
	// promise; `0s` promises it at once. Other questions are never promised.
	After time.Duration `yaml:"after"`
	// Time is the longest that the work on one promise may take.
	Time time.Duration `yaml:"time"`
	// Keep is how long an answer is kept once it is there, and a promise that was cancelled.
	Keep time.Duration `yaml:"keep"`
	// Each is how many answers that are not there yet are promised at a time to one key or subject of a token, and for
	// strangers to one address. One that was cancelled does not count.
	Each int `yaml:"each"`
	// Kept is how many answers that are there are kept at a time for the same before no more are promised.
	Kept int `yaml:"kept"`
	// All is the most promises at a time of all together.
	All int `yaml:"all"`
	// Workers is how many promises this process works on at a time; the others wait.
	Workers int `yaml:"workers"`
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
	Every time.Duration `yaml:"every"`
}

// Slow is a class of questions that are made slow.
type Slow struct {
	// Match is text that such questions hold, in whatever case.
	Match string `yaml:"match,required"`
	// For is how long the work on them takes.
	For time.Duration `yaml:"for,required"`
}

func defaultPromise() Promise {
	return Promise{
		Enabled: true, After: 2 * time.Second, Time: 10 * time.Minute, Keep: time.Hour, Each: 20, Kept: 200, All: 1000, Workers: 2,
		Fresh: Fresh{Every: 10 * time.Minute},
	}
}

// promise checks the section ask.promise.
func (c *checks) promise() {
	p := c.Config.Ask.Promise
	between(c, "ask.promise.after", p.After, 0, time.Minute)
	between(c, "ask.promise.time", p.Time, time.Second, 24*time.Hour)
	between(c, "ask.promise.keep", p.Keep, 10*time.Second, 30*24*time.Hour)
	between(c, "ask.promise.each", p.Each, 1, 100_000)
	between(c, "ask.promise.kept", p.Kept, 1, 100_000)
	between(c, "ask.promise.all", p.All, 1, 1_000_000)
	between(c, "ask.promise.workers", p.Workers, 1, 256)
	between(c, "ask.promise.fresh.every", p.Fresh.Every, 0, 24*time.Hour)
	if p.After >= c.Config.Limits.WriteTimeout {
		c.problem("ask.promise.after", "%s is not less than limits.write_timeout, %s: the promise could not be sent", show(p.After), show(c.Config.Limits.WriteTimeout))
	}
	for i, slow := range p.Slow {
		path := fmt.Sprintf("ask.promise.slow[%d]", i)
		if strings.TrimSpace(slow.Match) == "" {
			c.problem(path+".match", "it is empty; write words that the questions hold")
		}
		between(c, path+".for", slow.For, time.Millisecond, 24*time.Hour)
		c.warning(path, "questions with %q are made slow, which is for tests of clients alone", slow.Match)
	}
	if !p.Enabled && (p.Fresh.Enabled || len(p.Slow) > 0) {
		c.warning("ask.promise.enabled", "without promises, fresh and slow have no effect")
	}
}
