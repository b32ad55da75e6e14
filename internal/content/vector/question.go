package vector

import (
	"container/list"
	"context"
	"sync"

	"frontdesk/internal/content/search"
	"frontdesk/internal/infra/llm"
)

// Question gives the vector of a question, of length 1. Without ok there is none: there are no
// vectors to hold it against, or the model did not give one that can be used, which the tab then
// says.
func (k *Store) Question(ctx context.Context, tab *llm.BudgetedClient, text string) (values []float32, ok bool) {
	k.mu.RLock()
	dimensions := k.dimensions
	k.mu.RUnlock()
	if dimensions == 0 || !tab.Enabled(llm.Embed) {
		return nil, false
	}
	name := k.keyOf("question\x00" + k.options.QuestionPrefix + "\x00" + text)
	if values := k.questions.get(name); len(values) == dimensions {
		tab.Record(llm.Embed, nil)
		return values, true
	}
	if values, ok = tab.Embed(ctx, k.options.QuestionPrefix+text); !ok {
		return nil, false
	}
	if len(values) != dimensions || !search.Unit(values) {
		tab.Record(llm.Embed, &llm.Error{Reason: llm.Malformed})
		return nil, false
	}
	k.questions.put(name, values)
	return values, true
}

// mostRecent is how many questions' vectors are remembered.
const mostRecent = 2048

// recent remembers the vectors of the questions that were asked last.
type recent struct {
	mu     sync.Mutex
	known  map[key]*list.Element
	latest *list.List // of remembered, the latest first
}

type remembered struct {
	key    key
	values []float32
}

func newRecent() *recent { return &recent{known: map[key]*list.Element{}, latest: list.New()} }

func (r *recent) get(name key) []float32 {
	r.mu.Lock()
	defer r.mu.Unlock()
	at, ok := r.known[name]
	if !ok {
		return nil
	}
	r.latest.MoveToFront(at)
	return at.Value.(remembered).values
}

func (r *recent) put(name key, values []float32) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if at, there := r.known[name]; there {
		r.latest.Remove(at)
	}
	r.known[name] = r.latest.PushFront(remembered{name, values})
	for r.latest.Len() > mostRecent {
		last := r.latest.Back()
		delete(r.known, last.Value.(remembered).key)
		r.latest.Remove(last)
	}
}
