package session

import (
	"strings"
	"time"

	"frontdesk/internal/infra/yamlconf"
)

// Settings is the section ask.session: how conversations go on.
type Settings struct {
	// For is how long after a question the caller may come back with the state of the conversation
	// (`session_context`) that came with its answer. The state is with the caller, not here.
	For time.Duration `yaml:"for" check:"1m..720h"`
}

// MemorySettings is the section ask.remember. It bounds what is kept here of conversations whose
// callers ask for it (`meta.remember`): questions and what was told beside them, encrypted with a
// secret in the folder `keys`; never answers.
type MemorySettings struct {
	// For is how long a question is kept; `0s` keeps none.
	For time.Duration `yaml:"for" check:"0..87600h"`
	// Turns is the most questions kept for each credential and each user that it names, and for
	// each conversation without a credential.
	Turns int `yaml:"turns" check:"1..1000"`
	// All is the most questions kept altogether. Beyond it the oldest of those without a credential
	// go first.
	All int `yaml:"all" check:"1..10000000"`
}

// DefaultMemorySettings are those where nothing is said.
func DefaultMemorySettings() MemorySettings {
	return MemorySettings{For: 30 * 24 * time.Hour, Turns: 50, All: 100_000}
}

// DefaultSettings are those where nothing is said.
func DefaultSettings() Settings { return Settings{For: 24 * time.Hour} }

// PromiseSettings is the section ask.promise: which answers are promised for later instead of
// waited for, and how long they are kept. Whoever asked has them by `POST /await` and by the MCP
// tool `await`.
type PromiseSettings struct {
	// Enabled says whether answers are promised. Otherwise the client waits for work that takes
	// long, or the work is not done.
	Enabled bool `yaml:"enabled"`
	// After is how long a client waits for a question that may take long (a report, the use of a
	// model) before it becomes a promise; `0s` promises it at once. Other questions are never
	// promised.
	After time.Duration `yaml:"after" check:"0..1m"`
	// Time is the longest that the work on one promise may take.
	Time time.Duration `yaml:"time" check:"1s..24h"`
	// Keep is how long a finished answer, or a cancelled promise, is kept.
	Keep time.Duration `yaml:"keep" check:"10s..720h"`
	// Each is the most unfinished promises of one key or subject of a token, or of a stranger's
	// address. Cancelled ones do not count.
	Each int `yaml:"each" check:"1..100000"`
	// Kept is the most finished answers that are kept for the same caller. Beyond it nothing more
	// is promised.
	Kept int `yaml:"kept" check:"1..100000"`
	// All is the most promises of all callers together.
	All int `yaml:"all" check:"1..1000000"`
	// Workers is how many promises this process works on at a time; the others wait.
	Workers int `yaml:"workers" check:"1..256"`
	// Fresh lets a question ask for the sources to be read again before it is answered
	// (`prefer.fresh`).
	Fresh FreshSettings `yaml:"fresh"`
	// Slow makes questions slow on purpose, to test how clients handle promises. Do not use it for
	// visitors.
	Slow []SlowSettings `yaml:"slow"`
}

// FreshSettings is about questions that ask for the sources to be read again first.
type FreshSettings struct {
	// Enabled says whether they may.
	Enabled bool `yaml:"enabled"`
	// Every is how often a source is read again at most, however many ask for it.
	Every time.Duration `yaml:"every" check:"0..24h"`
}

// SlowSettings is a class of questions that are made slow.
type SlowSettings struct {
	// Match is text that such questions hold, in whatever case.
	Match string `yaml:"match,required"`
	// For is how long the work on them takes.
	For time.Duration `yaml:"for,required" check:"1ms..24h"`
}

// DefaultPromiseSettings are those where nothing is said.
func DefaultPromiseSettings() PromiseSettings {
	return PromiseSettings{
		Enabled: true, After: 2 * time.Second, Time: 10 * time.Minute, Keep: time.Hour,
		Each: 20, Kept: 200, All: 1000, Workers: 2,
		Fresh: FreshSettings{Every: 10 * time.Minute},
	}
}

// Check looks at what is made slow on purpose, and at what promises are needed for.
func (p PromiseSettings) Check(r *yamlconf.Report) {
	for i, slow := range p.Slow {
		if strings.TrimSpace(slow.Match) == "" {
			r.Problem(yamlconf.Index("slow", i)+".match", "it is empty; write words that the questions hold")
		}
		r.Warning(yamlconf.Index("slow", i),
			"questions with %q are made slow, which is for tests of clients alone", slow.Match)
	}
	if !p.Enabled && (p.Fresh.Enabled || len(p.Slow) > 0) {
		r.Warning("enabled", "without promises, fresh and slow have no effect")
	}
}
