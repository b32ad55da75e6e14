package stored

import (
	"context"
	"reflect"
	"sync"
	"time"

	"frontdesk/internal/infra/periodic"
)

// lookEvery is how often Follow looks at what there is.
const lookEvery = time.Second

// Follow does something for each of what now gives, until it is gone or another, or ctx ends.
func Follow[K comparable, V any](ctx context.Context, now func() map[K]V, do func(context.Context, V)) {
	type one struct {
		value V
		stop  context.CancelFunc
	}
	running := map[K]one{}
	var work sync.WaitGroup
	defer work.Wait()
	defer func() {
		for _, r := range running {
			r.stop()
		}
	}()
	periodic.Run(ctx, lookEvery, func(ctx context.Context) {
		all := now()
		for key, r := range running {
			if value, there := all[key]; !there || !reflect.DeepEqual(value, r.value) {
				r.stop()
				delete(running, key)
			}
		}
		for key, value := range all {
			if _, runs := running[key]; !runs {
				of, stop := context.WithCancel(ctx)
				running[key] = one{value, stop}
				work.Go(func() { do(of, value) })
			}
		}
	})
}
