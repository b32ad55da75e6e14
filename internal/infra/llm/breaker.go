package llm

import (
	"errors"
	"sync"
	"time"
)

// The breaker's measure: so many failures in a row, and it rests, longer each time.
const (
	breakAfter = 3
	firstPause = 5 * time.Second
	lastPause  = 2 * time.Minute
)

// breaker keeps a failing use from costing every question its time. After several failures in a row
// it rests; when the pause is over, one short call beside the questions decides whether they may
// try again. Failures after that make it rest at once, and longer.
type breaker struct {
	mu       sync.Mutex
	failures int           // in a row
	pause    time.Duration // the next one
	until    time.Time     // when it may be tried; zero while calls go through
	trying   bool
}

func newBreaker() *breaker { return &breaker{pause: firstPause} }

// allow says whether a call may be made, and if not, whether it is time for the caller to have the
// use tried.
func (b *breaker) allow(now time.Time) (call, try bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.until.IsZero() {
		return true, false
	}
	if b.trying || now.Before(b.until) {
		return false, false
	}
	b.trying = true
	return false, true
}

// counts says whether a failure says anything about the endpoint.
func counts(reason Reason) bool {
	switch reason {
	case Busy, CircuitOpen, TokenBudget, DailyLimitReached, Cancelled:
		return false
	}
	return true
}

// done notes how a call went.
func (b *breaker) done(now time.Time, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err == nil {
		b.failures, b.pause, b.until = 0, firstPause, time.Time{}
		return
	}
	reason := reasonOf(err)
	if !counts(reason) {
		return
	}
	b.failures++
	if b.failures >= breakAfter || reason == Limited {
		b.startPause(now, err)
	}
}

// tried notes how it went when the use was tried: calls may be made again, and the next failure is
// one too many.
func (b *breaker) tried(now time.Time, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.trying = false
	switch {
	case err == nil:
		b.failures, b.until = breakAfter-1, time.Time{}
	case reasonOf(err) != Cancelled:
		b.startPause(now, err)
	}
}

// startPause begins a pause, as long as the endpoint asks for.
func (b *breaker) startPause(now time.Time, err error) {
	pause := b.pause
	if f, ok := errors.AsType[*Error](err); ok && f.RetryAfter > pause {
		pause = f.RetryAfter
	}
	if b.until.Before(now.Add(pause)) {
		b.until = now.Add(pause)
	}
	b.pause = min(2*b.pause, lastPause)
}

func (b *breaker) open() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return !b.until.IsZero()
}
