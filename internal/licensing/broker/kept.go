package broker

import (
	"context"
	"sync"
	"time"
)

// cache remembers what was fetched, and fetches each thing once however many wait for it. What is
// fetched goes on when those who wait have gone: it is there for the next.
type cache[T any] struct {
	mu    sync.Mutex
	all   map[string]*cacheEntry[T]
	holds time.Duration
	fails time.Duration // how long it holds that something could not be fetched
	now   func() time.Time
}

type cacheEntry[T any] struct {
	done  chan struct{}
	value T
	err   error
	until time.Time
}

// maxCached is how many things one kept remembers.
const maxCached = 4096

func newCache[T any](holds, fails time.Duration, now func() time.Time) cache[T] {
	return cache[T]{all: map[string]*cacheEntry[T]{}, holds: holds, fails: fails, now: now}
}

// get gives what is known under a key, or fetches it. It waits no longer than ctx allows.
func (k *cache[T]) get(ctx context.Context, key string, fetch func(context.Context) (T, error)) (T, error) {
	k.mu.Lock()
	one, is := k.all[key]
	if is {
		select {
		case <-one.done:
			is = k.now().Before(one.until)
		default:
		}
	}
	if !is {
		if len(k.all) >= maxCached {
			clear(k.all)
		}
		one = &cacheEntry[T]{done: make(chan struct{})}
		k.all[key] = one
		go k.fetch(context.WithoutCancel(ctx), one, fetch)
	}
	k.mu.Unlock()
	select {
	case <-one.done:
		return one.value, one.err
	default:
	}
	select {
	case <-one.done:
		return one.value, one.err
	case <-ctx.Done():
		var none T
		return none, context.Cause(ctx)
	}
}

func (k *cache[T]) fetch(ctx context.Context, one *cacheEntry[T], fetch func(context.Context) (T, error)) {
	ctx, cancel := context.WithTimeout(ctx, documentWithin)
	defer cancel()
	one.value, one.err = fetch(ctx)
	holds := k.holds
	if one.err != nil {
		holds = k.fails
	}
	one.until = k.now().Add(holds)
	close(one.done)
}
