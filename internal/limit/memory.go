package limit

import (
	"context"
	"hash/maphash"
	"sync"
	"time"
)

// memory counts in this process. It keeps no more than a given number of keys.
type memory struct {
	seed   maphash.Seed
	most   int // keys in one shard
	shards [32]shard
}

type shard struct {
	mu    sync.Mutex
	tats  map[string]int64
	sweep int64 // before this time it is not worth looking for keys that can be forgotten
}

func newMemory(keys int) *memory {
	m := &memory{seed: maphash.MakeSeed()}
	m.most = max(1, keys/len(m.shards))
	for i := range m.shards {
		m.shards[i].tats = map[string]int64{}
	}
	return m
}

func (m *memory) shard(key string) *shard {
	return &m.shards[maphash.String(m.seed, key)%uint64(len(m.shards))]
}

func (m *memory) take(_ context.Context, key string, rate Rate, cost int, now int64) Status {
	s := m.shard(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	tat, status := rate.take(s.tats[key], now, cost)
	if tat > now {
		s.put(key, tat, now, m.most)
	}
	return status
}

// look says what take would, and counts nothing.
func (m *memory) look(key string, rate Rate, cost int, now int64) Status {
	s := m.shard(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	tat, status := rate.take(s.tats[key], now, cost)
	if _, there := s.tats[key]; there && !status.OK {
		s.tats[key] = tat // as it was, or nearer after the clock was set back
	}
	return status
}

// learn notes that a key's bucket is full no sooner than at tat.
func (m *memory) learn(key string, tat, now int64) {
	s := m.shard(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	if tat > s.tats[key] {
		s.put(key, tat, now, m.most)
	}
}

// put keeps a key, and forgets others when there are too many.
func (s *shard) put(key string, tat, now int64, most int) {
	if _, there := s.tats[key]; !there && len(s.tats) >= most {
		s.forget(now, most)
	}
	s.tats[key] = tat
}

// forget makes room for one key. A bucket that is full again says nothing, so those go first, all at once and not
// more often than once a second; otherwise one of a few that is nearest to it.
func (s *shard) forget(now int64, most int) {
	if now >= s.sweep || s.sweep > now+int64(time.Second) {
		s.sweep = now + int64(time.Second)
		for key, tat := range s.tats {
			if tat <= now {
				delete(s.tats, key)
			}
		}
	}
	for len(s.tats) >= most {
		nearest, soonest, seen := "", int64(0), 0
		for key, tat := range s.tats { // in an order that is random enough
			if seen == 0 || tat < soonest {
				nearest, soonest = key, tat
			}
			if seen++; seen == 8 {
				break
			}
		}
		delete(s.tats, nearest)
	}
}
