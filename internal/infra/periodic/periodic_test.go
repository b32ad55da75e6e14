package periodic_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"frontdesk/internal/infra/periodic"
)

type runner = func(context.Context, time.Duration, func(context.Context))

// calls gives the seconds at which work was called in 55 seconds, which takes so long each time.
func calls(t *testing.T, run runner, takes time.Duration) (at []int) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 55*time.Second) // no call begins then
		defer cancel()
		began := time.Now()
		run(ctx, 20*time.Second, func(ctx context.Context) {
			at = append(at, int(time.Since(began).Seconds()))
			time.Sleep(takes)
		})
		if ctx.Err() == nil {
			t.Error("it ended before its context")
		}
	})
	return at
}

func TestRunCallsAtOnceAndThenEverySoOften(t *testing.T) {
	if diff := cmp.Diff([]int{0, 20, 40}, calls(t, periodic.Run, time.Second)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]int{0, 25, 50}, calls(t, periodic.Run, 25*time.Second)); diff != "" {
		t.Errorf("of work that takes longer: %s", diff)
	}
}

func TestAfterWaitsFirst(t *testing.T) {
	if diff := cmp.Diff([]int{20, 40}, calls(t, periodic.After, time.Second)); diff != "" {
		t.Error(diff)
	}
}

func TestTryTellsWhatFailsUntilTheEnd(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	wrong := errors.New("it is wrong")
	var told []error
	n := 0
	periodic.Try(ctx, time.Microsecond, func(context.Context) error {
		switch n++; n {
		case 1:
			return wrong
		case 3:
			cancel()
			return context.Canceled
		}
		return nil
	}, func(err error) { told = append(told, err) })
	if n != 3 || len(told) != 1 || !errors.Is(told[0], wrong) {
		t.Errorf("after %d calls it tells %v", n, told)
	}
}
