package identity

import (
	"context"
	"sync"
	"time"

	"frontdesk/internal/infra/store"
)

// teller tells of the keys of a kind that are made or changed.
type teller[K any] struct {
	changed func(context.Context, *store.Tx, K) error
}

// OnChange calls fn for every key that is made or changed, as it is then, in the transaction that
// does it; its error undoes the change. Call it before anything else.
func (t *teller[K]) OnChange(fn func(context.Context, *store.Tx, K) error) { t.changed = fn }

func (t *teller[K]) tell(ctx context.Context, tx *store.Tx, key K) error {
	if t.changed == nil {
		return nil
	}
	return t.changed(ctx, tx, key)
}

const (
	// keyFresh is how long what was read of a key holds.
	keyFresh = time.Second
	// keysKnown is how many keys are remembered.
	keysKnown = 10_000
)

// recent remembers for [keyFresh] what was read under a name, also that there is nothing. Its
// methods may be called concurrently.
type recent[V any] struct {
	stale time.Duration // how much longer that holds while it cannot be read again

	mu    sync.Mutex
	known map[string]remembered[V]
}

type remembered[V any] struct {
	value V
	until time.Time // when it has to be read again
}

// get gives what is remembered under a name, or else what read gives.
func (r *recent[V]) get(name string, now time.Time, read func() (V, error)) (V, error) {
	r.mu.Lock()
	before, seen := r.known[name]
	r.mu.Unlock()
	// A clock that was set back makes nothing hold for longer.
	if seen && now.Before(before.until) && !now.Before(before.until.Add(-keyFresh)) {
		return before.value, nil
	}
	value, err := read()
	switch {
	case err == nil:
	case seen && r.stale > 0 && now.Before(before.until.Add(r.stale)):
		return before.value, nil
	default:
		return value, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known == nil || len(r.known) >= keysKnown {
		r.known = map[string]remembered[V]{}
	}
	r.known[name] = remembered[V]{value, now.Add(keyFresh)}
	return value, nil
}

// forget has what is remembered of a name be read anew.
func (r *recent[V]) forget(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.known, name)
}

// forgetAll has everything be read anew.
func (r *recent[V]) forgetAll() {
	r.mu.Lock()
	defer r.mu.Unlock()
	clear(r.known)
}
