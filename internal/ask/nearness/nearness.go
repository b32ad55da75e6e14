// Package nearness holds questions against the vectors of the content, by which items are found
// that
// resemble them. Enter by [New]. It stands on content/vector and content/released.
package nearness

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"frontdesk/internal/content"
	"frontdesk/internal/content/released"
	"frontdesk/internal/content/search"
	"frontdesk/internal/content/vector"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/llm"
)

// Deps are what Vectors need. Keeper and Corpus are required.
type Deps struct {
	Keeper *vector.Store
	Corpus *released.Corpus
	// Fusion says how what is found by vectors and what is found by words become one list.
	Fusion search.Fusion
	// Apart is the share of unrelated questions beside which an item must stand out that is found
	// by its vector alone; 0
	// lets none be found so.
	Apart float64
	Log   *slog.Logger // nil for none
}

// Vectors are those of the content, held against questions. Their methods may be called from many
// goroutines.
type Vectors struct {
	deps Deps

	mu      sync.Mutex // held while directions are put together
	current atomic.Pointer[directions]
	apart   threshold
}

// New returns vectors that are loaded by Keep, Step or Load.
func New(deps Deps) (*Vectors, error) {
	given := map[string]bool{"Keeper": deps.Keeper != nil, "Corpus": deps.Corpus != nil}
	if err := fail.Missing("nearness.New", given); err != nil {
		return nil, err
	}
	if deps.Log == nil {
		deps.Log = slog.New(slog.DiscardHandler)
	}
	return &Vectors{deps: deps}, nil
}

// Keep keeps the vectors of the content up with it, until ctx ends: beside all else, so that
// nothing waits for it. What
// fails is logged and tried again.
func (v *Vectors) Keep(ctx context.Context) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	defer func() {
		if err := v.deps.Keeper.Release(ctx); err != nil {
			const text = "the work on vectors was not handed back; another process goes on with it in a few minutes"
			v.deps.Log.Warn(text, "error", err)
		}
	}()
	for {
		more, err := v.Step(ctx)
		if err != nil && !errors.Is(err, context.Canceled) {
			v.deps.Log.Error("the vectors cannot follow the catalog; trying again", "error", err)
		}
		if more && err == nil && ctx.Err() == nil {
			continue
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Step does a piece of the work of Keep, and says whether there is more to do at once.
func (v *Vectors) Step(ctx context.Context) (more bool, err error) {
	if v.deps.Corpus.Ready() != nil {
		return false, nil
	}
	more, err = v.deps.Keeper.Step(ctx, v.inputs())
	v.measure(v.direct(v.deps.Corpus.Current())) // now, so that no question waits
	return more, err
}

// Load takes the vectors that are there already, for a process that asks at once and does not stay
// to make any.
func (v *Vectors) Load(ctx context.Context) error {
	if v.deps.Corpus.Ready() != nil {
		return nil
	}
	err := v.deps.Keeper.Load(ctx, v.inputs())
	v.measure(v.direct(v.deps.Corpus.Current()))
	return err
}

// inputs says what of the items may be turned into vectors, by the terms in force.
func (v *Vectors) inputs() vector.Admission {
	rules := v.deps.Corpus.Terms()
	return vector.Admission{
		Version: rules.Version(),
		Texts:   func(e *content.Entry) []string { return v.deps.Corpus.ModelTexts(rules, e) },
	}
}

// directions gives the vectors of a view's items, nil where they belong to other terms. Those that
// have come since may
// be missing: Step puts all together anew.
func (v *Vectors) directions(g *released.View) *search.Vectors {
	if now := v.current.Load(); now != nil && now.view == g {
		return now.vectors
	}
	return v.direct(g)
}

// direct puts the vectors of a view's items together, if anything has changed.
func (v *Vectors) direct(g *released.View) *search.Vectors {
	keeper := v.deps.Keeper
	v.mu.Lock()
	defer v.mu.Unlock()
	generation := keeper.Generation()
	if now := v.current.Load(); now != nil && now.view == g && now.generation == generation {
		return now.vectors
	}
	made := &directions{view: g, generation: generation}
	if rules := g.Terms.Version(); keeper.Rules() == rules {
		made.vectors = g.Index.Vectors(keeper.Of)
		if keeper.Rules() != rules {
			made.vectors = nil
		}
	}
	v.current.Store(made)
	return made.vectors
}

// measure finds out how much an item must resemble a question to stand out, when vectors have
// become more or fewer.
func (v *Vectors) measure(vectors *search.Vectors) {
	if vectors == nil || v.deps.Apart == 0 {
		return
	}
	unrelated := v.deps.Keeper.Unrelated()
	rows := vectors.Len()
	before := v.apart.measured()
	if len(unrelated) == 0 || rows > search.MaxScan || max(rows-before, before-rows) <= before/20 {
		return
	}
	v.apart.set(rows, vectors.Resemblance(unrelated, v.deps.Apart))
}

// Point turns a text into a direction, where there are vectors to hold it against; nil otherwise.
func (v *Vectors) Point(ctx context.Context, tab *llm.BudgetedClient, text string) *search.Near {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	values, ok := v.deps.Keeper.Question(ctx, tab, text)
	if !ok {
		return nil
	}
	return &search.Near{Values: values, Fusion: v.deps.Fusion}
}

// Near completes a direction with the vectors of a view; nil where there are none of it.
func (v *Vectors) Near(g *released.View, asked *search.Near) *search.Near {
	if asked == nil {
		return nil
	}
	vectors := v.directions(g)
	if vectors == nil {
		return nil
	}
	whole := *asked
	whole.Vectors, whole.Least = vectors, v.apart.get()
	return &whole
}

// directions are the vectors of the items of a view.
type directions struct {
	view       *released.View
	generation int64
	vectors    *search.Vectors
}

// threshold is how much an item must resemble a question to be found by its vector alone, as
// measured among so many
// vectors.
type threshold struct {
	mu    sync.Mutex
	rows  int
	least float64 // 0 before it is known
}

// measured is for how many vectors it is known; 0 before it is.
func (t *threshold) measured() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.rows
}

func (t *threshold) set(rows int, least float64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rows, t.least = rows, least
}

// get is the threshold; 1, which lets nothing in, before it is known.
func (t *threshold) get() float64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.least <= 0 {
		return 1
	}
	return t.least
}
