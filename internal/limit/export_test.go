package limit

// Size is how many keys the limiter keeps in memory.
func (l *Limiter) Size() int { return l.count.(*memory).size() }
