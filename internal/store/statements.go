package store

import (
	"context"
	"database/sql"
	"sync"
)

// statements remembers which queries Views ask again and again, and keeps them prepared for every connection of the
// pool. (pgx does this by itself; the SQLite driver parses a text each time, which costs more than a small answer.)
type statements struct {
	pool *sql.DB

	mu       sync.RWMutex
	seen     map[string]int // how often a text was asked that is not prepared
	prepared map[string]*sql.Stmt
}

// maxPrepared bounds how many texts are kept.
const maxPrepared = 128

func newStatements(pool *sql.DB) *statements {
	return &statements{pool: pool, seen: map[string]int{}, prepared: map[string]*sql.Stmt{}}
}

func (s *statements) get(query string) *sql.Stmt {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.prepared[query]
}

// learn prepares queries that were asked before. It takes a connection from the pool, so that the caller must hold none.
func (s *statements) learn(ctx context.Context, queries []string) {
	for _, query := range queries {
		if s.get(query) != nil || !s.again(query) {
			continue
		}
		statement, err := s.pool.PrepareContext(ctx, query)
		if err != nil {
			return // it was a kindness; the query itself will tell what is wrong
		}
		s.mu.Lock()
		if s.prepared[query] == nil {
			s.prepared[query], statement = statement, nil
		}
		s.mu.Unlock()
		if statement != nil {
			statement.Close()
		}
	}
}

// again notes that a query was asked and reports whether it is worth preparing.
func (s *statements) again(query string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.prepared) >= maxPrepared || s.prepared[query] != nil {
		return false
	}
	if len(s.seen) >= 8*maxPrepared {
		clear(s.seen)
	}
	s.seen[query]++
	return s.seen[query] >= 3
}
