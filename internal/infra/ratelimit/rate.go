// Package ratelimit counts how often the holder of a key, such as an address, a party or a site,
// does something, and says when that is too often: the limit, what remains of it, and when to come
// again.
//
// Counts are in memory, or in a table of the database, so that nodes which share it count together
// and a restart forgets nothing. There are two kinds. A Rate allows a burst at once and then so
// many as time goes by, up to twice as many in its first span; the algorithm is GCRA (the generic
// cell rate algorithm of ATM Forum TM 4.0), which keeps one number a key, the time at which its
// bucket is full again. A Window is exact, for what is promised to others: it keeps the time of
// each use.
//
// Enter at New and Limiter.Meter. The package must not know requests: its callers choose the keys.
package ratelimit

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Rate is Requests in each span Per in the long run, and up to Burst at once. The zero value is
// unlimited.
type Rate struct {
	Requests int
	Per      time.Duration
	Burst    int
}

// The bounds of a rate. With them no sum below overflows.
const (
	maxRequests = 1_000_000_000
	maxPer      = 31 * 24 * time.Hour
	maxDrain    = 366 * 24 * time.Hour // for a full burst to come back
)

// apart is how much clocks may differ without one's word being taken for a mistake, in nanoseconds.
const apart = int64(5 * time.Second)

// ParseRate reads a rate: "60/1m" is 60 requests a minute, which may come all at once; "60/1m burst
// 10" lets only 10 come at once. The span may be a unit alone, as in "60/m". The empty text is no
// limit. The error says how a rate is written.
func ParseRate(text string) (Rate, error) {
	if text == "" {
		return Rate{}, nil
	}
	wrong := fmt.Errorf("%q is no rate; write requests in a time span, like 60/1m, and perhaps how many may come at "+
		"once, like 60/1m burst 10", text)
	amount, burst, bursts := strings.Cut(text, " burst ")
	number, span, ok := strings.Cut(amount, "/")
	requests, err := strconv.Atoi(strings.TrimSpace(number))
	if !ok || err != nil || requests < 1 || requests > maxRequests {
		return Rate{}, wrong
	}
	span = strings.TrimSpace(span)
	if span != "" && (span[0] < '0' || span[0] > '9') {
		span = "1" + span
	}
	per, err := time.ParseDuration(span)
	if err != nil || per < time.Millisecond || per > maxPer {
		return Rate{}, wrong
	}
	rate := Rate{Requests: requests, Per: per, Burst: requests}
	if bursts {
		if rate.Burst, err = strconv.Atoi(strings.TrimSpace(burst)); err != nil || rate.Burst < 1 ||
			rate.Burst > maxRequests {
			return Rate{}, wrong
		}
	}
	if int64(rate.Burst) > int64(maxDrain)/int64(rate.interval()) {
		return Rate{},
			fmt.Errorf("%q would take more than a year to let the whole burst through again; choose a smaller burst "+
				"or a shorter span", text)
	}
	return rate, nil
}

// Unlimited says that the rate is none.
func (r Rate) Unlimited() bool { return r.Requests == 0 }

// Window is how long it takes until a bucket that was emptied is full again.
func (r Rate) Window() time.Duration { return r.interval() * time.Duration(r.Burst) }

// interval is the time that one request takes up, rounded up so that the rate is never exceeded.
func (r Rate) interval() time.Duration {
	if r.Unlimited() {
		return 0
	}
	return (r.Per + time.Duration(r.Requests) - 1) / time.Duration(r.Requests)
}

// Status is a limiter's decision.
type Status struct {
	OK         bool          // the request may go on
	Limit      int           // how many may come at once when nothing was used; 0 for no limit
	Remaining  int           // how many may come at once now
	Reset      time.Duration // until the whole limit is there again
	RetryAfter time.Duration // until as much is there as was asked for; 0 if OK
}

// state is what is known of a key.
type state struct {
	tat int64  // when the whole limit is there again, in nanoseconds of any clock
	log string // of windows, what was let in and counts still
}

// rule is how a key is counted: a Rate, or windows.
type rule interface {
	// take asks for a cost at a time, in nanoseconds. It gives what is to be kept of the key, even
	// if there was not enough: what is further ahead than clocks differ was written by a clock that
	// is ahead, ours before it was set back or another node's, and is drawn back. A cost above the
	// whole limit takes the whole limit, so that it can be had at all.
	take(before state, now int64, cost int) (state, Status)
}

// take asks the bucket that will be full at the time of before.
func (r Rate) take(before state, now int64, cost int) (state, Status) {
	interval, window := int64(r.interval()), int64(r.Window())
	cost = min(max(cost, 0), r.Burst)
	full := max(before.tat, now)
	if full > now+window+apart {
		full = now + window
	}
	status := Status{OK: true, Limit: r.Burst}
	if next := full + int64(cost)*interval; next > now+window {
		status.OK = false
		status.RetryAfter = time.Duration(next - now - window)
	} else {
		full = next
	}
	status.Remaining = int(max(0, now+window-full) / interval)
	status.Reset = time.Duration(full - now)
	return state{tat: full}, status
}
