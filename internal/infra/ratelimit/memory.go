package ratelimit

import (
	"hash/maphash"
	"sync"
	"time"
)

// memory counts in this process. It keeps no more than a given number of keys, and fewer where they
// have logs.
type memory struct {
	seed   maphash.Seed
	most   int // the weight of one shard
	shards [32]shard
}

type shard struct {
	mu     sync.Mutex
	states map[string]state
	weight int   // of all states together
	sweep  int64 // before this time it is not worth looking for keys that can be forgotten
}

// weight is how much a state takes up, in keys without a log.
func (s state) weight() int { return 1 + len(s.log)/64 }

func newMemory(keys int) *memory {
	m := &memory{seed: maphash.MakeSeed()}
	m.most = max(1, keys/len(m.shards))
	for i := range m.shards {
		m.shards[i].states = map[string]state{}
	}
	return m
}

func (m *memory) shard(key string) *shard {
	return &m.shards[maphash.String(m.seed, key)%uint64(len(m.shards))]
}

func (m *memory) take(key string, by rule, cost int, now int64) (state, Status) {
	s := m.shard(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	after, status := by.take(s.states[key], now, cost)
	if after.tat > now {
		s.put(key, after, now, m.most)
	}
	return after, status
}

// peek says what take would, and counts nothing.
func (m *memory) peek(key string, by rule, cost int, now int64) (state, Status) {
	s := m.shard(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	after, status := by.take(s.states[key], now, cost)
	if _, there := s.states[key]; there && !status.OK {
		s.put(key, after, now, m.most) // as it was, or nearer after the clock was set back
	}
	return after, status
}

// learn notes that no more of a key's limit is there than its state says.
func (m *memory) learn(key string, known state, now int64) {
	s := m.shard(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	if known.tat >= s.states[key].tat && known.tat > now {
		s.put(key, known, now, m.most)
	}
}

// put keeps a key, and forgets others when there is too much.
func (s *shard) put(key string, fresh state, now int64, most int) {
	if old, there := s.states[key]; there && old.weight() == fresh.weight() {
		s.states[key] = fresh
		return
	}
	s.drop(key)
	for s.weight+fresh.weight() > most && len(s.states) > 0 {
		s.forget(now, most-fresh.weight())
	}
	s.states[key] = fresh
	s.weight += fresh.weight()
}

func (s *shard) drop(key string) {
	if old, there := s.states[key]; there {
		s.weight -= old.weight()
		delete(s.states, key)
	}
}

// forget makes room. A limit that is there again as a whole says nothing, so those go first, all at
// once and not more often than once a second; otherwise one of a few that is nearest to it.
func (s *shard) forget(now int64, most int) {
	if now >= s.sweep || s.sweep > now+int64(time.Second) {
		s.sweep = now + int64(time.Second)
		for key, known := range s.states {
			if known.tat <= now {
				s.drop(key)
			}
		}
	}
	if s.weight <= most {
		return
	}
	nearest, soonest, seen := "", int64(0), 0
	for key, known := range s.states { // in an order that is random enough
		if seen == 0 || known.tat < soonest {
			nearest, soonest = key, known.tat
		}
		if seen++; seen == 8 {
			break
		}
	}
	s.drop(nearest)
}
