package agents

import "sync"

// turns are the directories of one kind that are to be fetched again, in the order in which that
// was found out: each has its turn, however often others are asked for. Of 10,000 directories with
// a turn every four seconds none waits for half a day, and their keys hold for a day longer than
// they are fresh.
type turns struct {
	mu      sync.Mutex
	waiting []turn
	among   map[string]bool // the addresses of those
}

// turn is that of the directory at an address, for the sake of a key.
type turn struct{ address, key string }

const maxTurns = 10_000

// join has a directory wait for its turn, unless it does already.
func (q *turns) join(next turn) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) == maxTurns || q.among[next.address] {
		return
	}
	if q.among == nil {
		q.among = map[string]bool{}
	}
	q.among[next.address] = true
	q.waiting = append(q.waiting, next)
}

// take fetches those whose turn it is, until one may not be fetched. due gives nil for those that
// need no fetch any more, which are passed over.
func (q *turns) take(due func(turn) *directory, may func(*directory) bool, fetch func(turn, *directory)) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.waiting) > 0 {
		first := q.waiting[0]
		if dir := due(first); dir != nil {
			if !may(dir) {
				return
			}
			fetch(first, dir)
		}
		delete(q.among, first.address)
		q.waiting = q.waiting[1:]
	}
	q.waiting = nil // with what it had room for
}
