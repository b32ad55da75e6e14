package broker

import "time"

// An Exchange is given twice as long as it almost always takes (its 99th percentile), and never
// longer than all of them have together (RAMP v1, the Broker's fan-out): one that usually answers
// in 20 ms, and stalls now, holds nobody up until the deadline. It is never given less than a share
// of the deadline, since machines pause, too.

const (
	remembered   = 128 // answers of an Exchange whose time is remembered; fewer than 200, see usual
	enough       = 16  // of them that say how long it takes
	leastShare   = 4   // of the deadline, one part
	leastPatient = 50 * time.Millisecond
)

// took notes how long an Exchange took to answer; or how long it was given, where it did not. So
// one that has become slower is given twice as long each time, until it is heard or the deadline is
// reached.
func (p *health) took(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.times) < remembered {
		p.times = append(p.times, d)
	} else {
		p.times[p.next%remembered] = d
	}
	p.next++
}

// patience is how long it is given of a deadline.
func (p *health) patience(deadline time.Duration) time.Duration {
	p.mu.Lock()
	known, usual, least := len(p.times), usual(p.times), p.least
	p.mu.Unlock()
	if least == 0 {
		least = max(deadline/leastShare, leastPatient)
	}
	if known < enough || usual > deadline/2 {
		return deadline
	}
	return min(max(2*usual, least), deadline)
}

// usual is the 99th percentile of fewer than 200 times: the longest, or of 100 and more the one
// before it.
func usual(times []time.Duration) time.Duration {
	var longest, before time.Duration
	for _, d := range times {
		switch {
		case d > longest:
			longest, before = d, longest
		case d > before:
			before = d
		}
	}
	if len(times) < 100 {
		return longest
	}
	return before
}
