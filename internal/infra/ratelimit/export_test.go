package ratelimit

import "runtime"

// Size is how many keys the limiter keeps in memory.
func (l *Limiter) Size() (n int) {
	m := l.alone
	for i := range m.shards {
		s := &m.shards[i]
		s.mu.Lock()
		n += len(s.states)
		s.mu.Unlock()
	}
	return n
}

// Weight is how much of its room the limiter's memory takes up.
func (l *Limiter) Weight() (n int) {
	for i := range l.alone.shards {
		s := &l.alone.shards[i]
		s.mu.Lock()
		sum := 0
		for _, known := range s.states {
			sum += known.weight()
		}
		if sum != s.weight {
			panic("the weights do not add up")
		}
		n += sum
		s.mu.Unlock()
	}
	return n
}

// TakeFrom asks a window for one more, after what a text says was let through.
func TakeFrom(log string, w Window, now int64) (kept string, ok bool) {
	after, status := windows{w}.take(state{log: log}, now, 1)
	return after.log, status.OK
}

// Settle returns when nothing is under way at the table any more.
func (l *Limiter) Settle() {
	for busy := true; busy; runtime.Gosched() {
		l.table.mu.Lock()
		busy = l.table.busy
		l.table.mu.Unlock()
	}
}
