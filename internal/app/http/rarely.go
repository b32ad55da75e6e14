package http

import (
	"sync"
	"time"
)

// rarely keeps the log from repeating itself while something is short: it lets each cause through
// once a minute.
type rarely struct {
	mu   sync.Mutex
	told map[string]*telling
}

type telling struct {
	last  time.Time
	times int // since then
}

// tellEach is how often one cause is told.
const tellEach = time.Minute

// now says whether a cause is to be told, and how often it came since it was told last.
func (r *rarely) now(what string) (times int, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	known := r.told[what]
	if known == nil {
		if r.told == nil {
			r.told = map[string]*telling{}
		}
		known = new(telling)
		r.told[what] = known
	}
	known.times++
	if now := time.Now(); known.last.IsZero() || now.Sub(known.last) >= tellEach {
		times = known.times
		*known = telling{last: now}
		return times, true
	}
	return 0, false
}
