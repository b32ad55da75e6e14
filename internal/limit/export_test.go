package limit

// Size is how many keys the limiter keeps in memory.
func (l *Limiter) Size() (n int) {
	m := l.count.(*memory)
	for i := range m.shards {
		s := &m.shards[i]
		s.mu.Lock()
		n += len(s.tats)
		s.mu.Unlock()
	}
	return n
}
