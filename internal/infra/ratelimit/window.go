package ratelimit

import (
	"encoding/binary"
	"time"
)

// Window is an exact limit: at most Requests in every span Per, wherever it begins, and all of them
// at once if need be. Requests is 1 to 1,000,000,000, Per a millisecond to 31 days.
//
// The times of what was let in are kept. Of more than a thousand, those of one thousandth of Per
// are kept as one, with the time of the last: so none is ever too many, and a place comes back up
// to that thousandth later.
type Window struct {
	Requests int
	Per      time.Duration
}

// finest is how many times a window keeps, about: what was let in within one part of so many may be
// kept as one.
const finest = 1000

// latest is the last time that a log can hold, in nanoseconds: in the year 2191.
const latest = 7_000_000_000_000_000_000

// cell is what was let in at a time, in nanoseconds.
type cell struct {
	at int64
	n  int
}

// windows are limits that hold together: what one of them refuses is counted in none. Their spans
// differ.
type windows []Window

// take is as that of Rate. What it keeps is, of each window, the cells that still count.
func (ws windows) take(before state, now int64, cost int) (state, Status) {
	logs, ahead := ws.read(before.log, now)
	cost = max(cost, 0)
	for _, w := range ws {
		cost = min(cost, w.Requests)
	}
	tightest := Status{OK: true}
	for n, w := range ws {
		if s := w.status(logs[n], now, cost); n == 0 || tighter(s, tightest) {
			tightest = s
		}
	}
	switch {
	case !tightest.OK && !ahead:
		return before, tightest
	case tightest.OK && cost > 0:
		for n, w := range ws {
			logs[n] = w.add(logs[n], now, cost)
		}
	}
	after := state{tat: now}
	for n, w := range ws {
		if many := len(logs[n]); many > 0 {
			after.tat = max(after.tat, logs[n][many-1].at+int64(w.Per))
		}
	}
	after.log = ws.write(logs)
	for n, w := range ws { // what remains, of the tightest after it was counted
		if s := w.status(logs[n], now, 0); tightest.OK && (n == 0 || s.Remaining < tightest.Remaining) {
			tightest = s
		}
	}
	return after, tightest
}

// tighter says whether one status says more of what a client must wait for than another.
func tighter(a, b Status) bool {
	if a.OK != b.OK {
		return !a.OK
	}
	return a.RetryAfter > b.RetryAfter
}

// statuses are those of each window, when something of a cost is asked for.
func (ws windows) statuses(s state, now int64, cost int) []Status {
	logs, _ := ws.read(s.log, now)
	all := make([]Status, len(ws))
	for n, w := range ws {
		all[n] = w.status(logs[n], now, cost)
	}
	return all
}

// status is what a window says to a cost.
func (w Window) status(log []cell, now int64, cost int) Status {
	used := 0
	for _, c := range log {
		used += c.n
	}
	s := Status{OK: used+cost <= w.Requests, Limit: w.Requests, Remaining: max(0, w.Requests-used)}
	if len(log) > 0 {
		s.Reset = time.Duration(log[len(log)-1].at-now) + w.Per
	}
	for n := 0; n < len(log) && used+cost > w.Requests; n++ {
		used -= log[n].n
		s.RetryAfter = time.Duration(log[n].at-now) + w.Per
	}
	return s
}

// add counts a cost at a time.
func (w Window) add(log []cell, now int64, cost int) []cell {
	if len(log) == 0 {
		return append(log, cell{now, cost})
	}
	last := &log[len(log)-1]
	at, part := max(now, last.at), max(1, int64(w.Per)/finest)
	if last.at == at || w.Requests > finest && last.at/part == at/part {
		last.at, last.n = at, last.n+cost
		return log
	}
	return append(log, cell{at, cost})
}

// read gives the cells of each window that count at a time. What lies further ahead than clocks
// differ was written by a clock that was ahead, and comes back to now; ahead says that there was
// such.
func (ws windows) read(text string, now int64) (logs [][]cell, ahead bool) {
	logs = make([][]cell, len(ws))
	rest := []byte(text)
	number := func() int64 {
		v, n := binary.Varint(rest)
		if n <= 0 {
			rest = nil
			return 0
		}
		rest = rest[n:]
		return v
	}
	for len(rest) > 0 {
		per, many, at := number(), number(), int64(0)
		for range many {
			at += number()
			n := number()
			if rest == nil || at < 0 || at > latest || n < 1 || n > maxRequests { // no log of ours
				return make([][]cell, len(ws)), false
			}
			for i, w := range ws {
				if int64(w.Per) != per || at+int64(w.Per) <= now {
					continue
				}
				kept := at
				if at > now+apart {
					kept, ahead = now, true
				}
				logs[i] = append(logs[i], cell{kept, int(n)})
			}
		}
	}
	return logs, ahead
}

// write is what read reads: of each window its span and its cells, each time as what it is after
// the one before.
func (ws windows) write(logs [][]cell) string {
	var text []byte
	for n, w := range ws {
		if len(logs[n]) == 0 {
			continue
		}
		text = binary.AppendVarint(text, int64(w.Per))
		text = binary.AppendVarint(text, int64(len(logs[n])))
		before := int64(0)
		for _, c := range logs[n] {
			text = binary.AppendVarint(text, c.at-before)
			text = binary.AppendVarint(text, int64(c.n))
			before = c.at
		}
	}
	return string(text)
}
