package stored

import (
	"context"
	"maps"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestFollowDoesEachUntilItIsGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		now, doing := map[string]int{"a": 1, "b": 1}, map[string]int{}
		set := func(all map[string]int) {
			mu.Lock()
			now = all
			mu.Unlock()
			time.Sleep(2 * lookEvery)
			synctest.Wait()
		}
		want := func(names ...string) {
			t.Helper()
			mu.Lock()
			defer mu.Unlock()
			if got := slices.Sorted(maps.Keys(doing)); !slices.Equal(got, names) {
				t.Errorf("%q are done, want %q", got, names)
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			Follow(ctx, func() map[string]int {
				mu.Lock()
				defer mu.Unlock()
				all := map[string]int{}
				maps.Copy(all, now)
				return all
			}, func(ctx context.Context, n int) {
				name := string(rune('a' + n - 1))
				mu.Lock()
				doing[name] = n
				mu.Unlock()
				<-ctx.Done()
				mu.Lock()
				delete(doing, name)
				mu.Unlock()
			})
		}()
		set(map[string]int{"x": 1, "y": 2})
		want("a", "b")
		set(map[string]int{"x": 3})
		want("c")
		set(nil)
		want()
		set(map[string]int{"x": 1})
		want("a")
		cancel()
		<-ended
		want()
	})
}
