// Package periodic does work of the background again and again, until its context ends. It knows
// nothing of the work, and logs nothing: enter at [Run].
package periodic

import (
	"context"
	"time"
)

// Run calls fn at once and then every so often, until ctx ends. Calls do not overlap: after one
// that took longer, the next begins at once.
func Run(ctx context.Context, every time.Duration, fn func(context.Context)) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for ctx.Err() == nil {
		fn(ctx)
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
	}
}

// Try is [Run] for work that may fail. failed is told each error but that of a context that ended.
func Try(ctx context.Context, every time.Duration, fn func(context.Context) error, failed func(error)) {
	Run(ctx, every, func(ctx context.Context) {
		if err := fn(ctx); err != nil && ctx.Err() == nil {
			failed(err)
		}
	})
}

// After is [Run] whose first call waits as long as the others.
func After(ctx context.Context, every time.Duration, fn func(context.Context)) {
	first := true
	Run(ctx, every, func(ctx context.Context) {
		if !first {
			fn(ctx)
		}
		first = false
	})
}
