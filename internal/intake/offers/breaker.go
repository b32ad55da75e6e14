package offers

import (
	"errors"
	"sync"
	"time"
)

// The breaker's measure: so many failures in a row, and it rests, longer each time.
const (
	breakAfter = 3
	firstRest  = 5 * time.Second
	lastRest   = 2 * time.Minute
)

// breaker keeps a webhook that fails from costing every agent its time. After several failures in a
// row it rests; when that is over, one call decides whether there are more.
type breaker struct {
	now      func() time.Time
	mu       sync.Mutex
	failures int           // in a row
	rest     time.Duration // the next one
	until    time.Time     // when it may be tried; zero while calls go through
	trying   bool
}

// errGone is the end of a call that says nothing of the other side.
var errGone = errors.New("nobody waits for it")

func newBreaker(now func() time.Time) *breaker { return &breaker{now: now, rest: firstRest} }

// enter says how long to wait with a call; 0 is not at all, and then leave is to be called with the
// same probe: whether it is the one call that decides.
func (b *breaker) enter() (wait time.Duration, probe bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.until.IsZero() {
		return 0, false
	}
	if left := b.until.Sub(b.now()); left > 0 {
		return max(left, time.Second), false
	}
	if b.trying {
		return time.Second, false
	}
	b.trying = true
	return 0, true
}

// leave notes how a call went.
func (b *breaker) leave(probe bool, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if probe {
		b.trying = false
	}
	switch {
	case errors.Is(err, errGone):
	case err == nil:
		b.failures, b.rest, b.until = 0, firstRest, time.Time{}
	default:
		if b.failures++; probe || b.failures >= breakAfter && b.until.IsZero() {
			b.until = b.now().Add(b.rest)
			b.rest = min(2*b.rest, lastRest)
		}
	}
}
