package desk

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"frontdesk/internal/content"
	"frontdesk/internal/content/released"
	"frontdesk/internal/content/search"
	"frontdesk/internal/content/vector"
)

// directions are the vectors of the items of a view.
type directions struct {
	view       *released.View
	generation int64
	vectors    *search.Vectors
}

// standing is how much an item must resemble a question to be found by its vector alone, as it was for so many vectors.
type standing struct {
	mu    sync.Mutex
	rows  int
	least float64 // 0 before it is known
}

// KeepVectors keeps the vectors of the content up with it, until ctx ends: beside all else, so that nothing waits for it.
// What fails is logged and tried again.
func (d *Desk) KeepVectors(ctx context.Context) {
	keeper := d.config.Vectors
	if keeper == nil {
		return
	}
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	defer func() {
		if err := keeper.Release(ctx); err != nil {
			d.config.Log.Warn("the work on vectors was not handed back; another process goes on with it in a few minutes", "error", err)
		}
	}()
	for {
		more, err := d.StepVectors(ctx)
		if err != nil && !errors.Is(err, context.Canceled) {
			d.config.Log.Error("the vectors cannot follow the catalog; trying again", "error", err)
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

// StepVectors does a piece of the work of KeepVectors, and says whether there is more to do at once.
func (d *Desk) StepVectors(ctx context.Context) (more bool, err error) {
	if d.Ready() != nil {
		return false, nil
	}
	more, err = d.config.Vectors.Step(ctx, d.inputs())
	d.measure(d.direct(d.corpus.Current())) // now, so that no question waits
	return more, err
}

// LoadVectors takes the vectors that are there already, for a process that asks at once and does not stay to make any.
func (d *Desk) LoadVectors(ctx context.Context) error {
	if d.config.Vectors == nil || d.Ready() != nil {
		return nil
	}
	err := d.config.Vectors.Load(ctx, d.inputs())
	d.measure(d.direct(d.corpus.Current()))
	return err
}

// inputs says what of the items may be turned into vectors, by the terms in force.
func (d *Desk) inputs() vector.Admission {
	rules := d.config.Terms()
	return vector.Admission{
		Version: rules.Version(),
		Texts:   func(e *content.Entry) []string { return d.corpus.Texts(rules, e) },
	}
}

// directions gives the vectors of a view's items, nil where they belong to other terms. Those that have come since may
// be missing: StepVectors puts all together anew.
func (d *Desk) directions(g *released.View) *search.Vectors {
	if now := d.nearby.Load(); now != nil && now.view == g {
		return now.vectors
	}
	return d.direct(g)
}

// direct puts the vectors of a view's items together, if anything has changed.
func (d *Desk) direct(g *released.View) *search.Vectors {
	keeper := d.config.Vectors
	d.nearbyMu.Lock()
	defer d.nearbyMu.Unlock()
	generation := keeper.Generation()
	if now := d.nearby.Load(); now != nil && now.view == g && now.generation == generation {
		return now.vectors
	}
	made := &directions{view: g, generation: generation}
	if rules := g.Terms.Version(); keeper.Rules() == rules {
		made.vectors = g.Index.Vectors(keeper.Of)
		if keeper.Rules() != rules {
			made.vectors = nil
		}
	}
	d.nearby.Store(made)
	return made.vectors
}

// measure finds out how much an item must resemble a question to stand out, when vectors have become more or fewer.
func (d *Desk) measure(vectors *search.Vectors) {
	if vectors == nil || d.config.Apart == 0 {
		return
	}
	unrelated := d.config.Vectors.Unrelated()
	rows := vectors.Len()
	d.standing.mu.Lock()
	before := d.standing.rows
	d.standing.mu.Unlock()
	if len(unrelated) == 0 || rows > search.MaxScan || max(rows-before, before-rows) <= before/20 {
		return
	}
	least := vectors.Resemblance(unrelated, d.config.Apart)
	d.standing.mu.Lock()
	defer d.standing.mu.Unlock()
	d.standing.rows, d.standing.least = rows, least
}

// least is what measure found; 1, which lets nothing in, before.
func (d *Desk) least() float64 {
	d.standing.mu.Lock()
	defer d.standing.mu.Unlock()
	if d.standing.least <= 0 {
		return 1
	}
	return d.standing.least
}

// point has the question turned into a vector, where there are vectors to hold it against.
func (d *Desk) point(ctx context.Context, in *inquiry) {
	if d.config.Vectors == nil || strings.TrimSpace(in.asked.Text) == "" {
		return
	}
	if values, ok := d.config.Vectors.Question(ctx, in.tab, in.asked.Text); ok {
		in.asked.Near = &search.Near{Values: values, Fusion: d.config.Fusion}
	}
}

// near completes what is asked by direction with the vectors of a view.
func (d *Desk) near(g *released.View, asked *search.Near) *search.Near {
	if asked == nil {
		return nil
	}
	vectors := d.directions(g)
	if vectors == nil {
		return nil
	}
	whole := *asked
	whole.Vectors, whole.Least = vectors, d.least()
	return &whole
}
