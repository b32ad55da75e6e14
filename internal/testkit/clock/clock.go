// Package clock is a clock for tests: it stands still until a test advances it. It may be read from
// many goroutines.
package clock

import (
	"sync"
	"time"
)

// Clock is a clock that a test sets.
type Clock struct {
	mu sync.Mutex
	at time.Time
}

// At returns a clock that shows a time.
func At(at time.Time) *Clock { return &Clock{at: at} }

// Now is the time that the clock shows.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

// Advance moves the clock forward.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}
