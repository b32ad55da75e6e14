package ask

import (
	"context"
	"log/slog"
	"time"

	"frontdesk/internal/ask/elicitation"
	"frontdesk/internal/ask/nearness"
	"frontdesk/internal/ask/questions"
	"frontdesk/internal/ask/session"
	"frontdesk/internal/ask/tuning"
	"frontdesk/internal/content/released"
	"frontdesk/internal/content/search"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/llm"
)

// Deps are what a Service needs. Only the Corpus is required.
type Deps struct {
	Corpus *released.Corpus
	// Reading says how questions are read.
	Reading Reading
	// Elicitation decides what is asked back; nil asks nothing.
	Elicitation *elicitation.Asker
	// Conversations seals what conversations carry with them; nil lets none carry anything.
	Conversations *session.Conversations
	// Memory keeps the turns of those who want to be remembered; nil keeps none. It needs
	// Conversations.
	Memory *session.Memory
	// Promises are the answers that are promised for later; nil promises none.
	Promises *Promises
	// Questions keeps what is asked; nil keeps nothing.
	Questions *questions.Keeper
	// LLM helps where it can; nil for no model.
	LLM *llm.Client
	// Tuning gives what the owner said to mend answers, as it is in force; nil for nothing.
	Tuning func() *tuning.Rules
	// Vectors find what resembles a question; nil finds by words alone.
	Vectors *nearness.Vectors
	// Admit is asked before a question is looked at, with the ids of the sites that it goes to, nil
	// for all. Its error, mostly fail.Limited, is the answer. Nil admits everything.
	Admit func(ctx context.Context, sites []string) error
	// Now is the clock. It decides what "this weekend" means; nil is time.Now.
	Now func() time.Time
	// Timeout bounds how long the content of one part of an answer may take to load; 0 is 10
	// seconds.
	Timeout time.Duration
	Log     *slog.Logger // nil for none
}

// Reading says how questions are read.
type Reading struct {
	// MinScore is the score below which an item is no answer, unless the question says otherwise; 0
	// to 100.
	MinScore float64
	// AsSpelled corrects no word of a question, and OwnWords adds none to it by what the best items
	// have in common.
	AsSpelled, OwnWords bool
	// Place is where days begin; nil is UTC.
	Place *time.Location
}

// Service answers questions. Its methods may be called from many goroutines.
type Service struct {
	deps      Deps
	promises  *Promises
	vectors   vectors
	memory    remembering
	carries   bool // conversations carry something with them
	remembers bool // those who want it are remembered
}

// vectors find items by what they resemble: nearness.Vectors, or noVectors where no model makes
// any.
type vectors interface {
	Point(ctx context.Context, tab *llm.BudgetedClient, text string) *search.Near
	Near(v *released.View, asked *search.Near) *search.Near
}

// noVectors find nothing.
type noVectors struct{}

func (noVectors) Point(context.Context, *llm.BudgetedClient, string) *search.Near { return nil }

func (noVectors) Near(*released.View, *search.Near) *search.Near { return nil }

// New returns a service that answers from a corpus.
func New(deps Deps) (*Service, error) {
	if err := fail.Missing("ask.New", map[string]bool{
		"Corpus": deps.Corpus != nil, "Conversations, which Memory needs,": deps.Memory == nil ||
			deps.Conversations != nil,
	}); err != nil {
		return nil, err
	}
	if deps.Admit == nil {
		deps.Admit = func(context.Context, []string) error { return nil }
	}
	if deps.Tuning == nil {
		deps.Tuning = func() *tuning.Rules { return nil }
	}
	if deps.Now == nil {
		deps.Now = time.Now
	}
	if deps.Reading.Place == nil {
		deps.Reading.Place = time.UTC
	}
	if deps.Timeout == 0 {
		deps.Timeout = 10 * time.Second
	}
	if deps.Log == nil {
		deps.Log = slog.New(slog.DiscardHandler)
	}
	s := &Service{
		deps: deps, promises: deps.Promises, vectors: noVectors{}, memory: forgetful{},
		carries: deps.Conversations != nil, remembers: deps.Memory != nil,
	}
	if s.promises == nil {
		s.promises = &Promises{store: nothingPromised{}}
	}
	if deps.Vectors != nil {
		s.vectors = deps.Vectors
	}
	if s.remembers {
		s.memory = deps.Memory
	}
	return s, nil
}

// Sites are those that can be asked.
func (s *Service) Sites() *released.Sites { return s.deps.Corpus.Sites() }
