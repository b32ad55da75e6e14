package store

import (
	"context"
	"database/sql"
	"slices"
	"sync"
)

// statements remembers which texts a pool is asked again and again, and keeps them prepared for every connection of it.
// (pgx does this by itself; the SQLite driver parses a text each time, which costs more than a small answer.)
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

// learn prepares texts that were asked before. It takes a connection from the pool, so that the caller must hold none.
func (s *statements) learn(ctx context.Context, texts []string) {
	for _, query := range texts {
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

// again notes that a text was asked and reports whether it is worth preparing.
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

// asked are the statements of a View, by their texts: those that its pool keeps.
type asked struct {
	pool       *statements
	tx         *sql.Tx
	statements map[string]*sql.Stmt
	texts      []string // of all queries, each once
}

// statement gives that of a text, nil when none was prepared.
func (a *asked) statement(ctx context.Context, query string) *sql.Stmt {
	if own := a.statements[query]; own != nil {
		return own
	}
	if !slices.Contains(a.texts, query) {
		a.texts = append(a.texts, query)
	}
	kept := a.pool.get(query)
	if kept == nil {
		return nil
	}
	a.statements[query] = a.tx.StmtContext(ctx, kept)
	return a.statements[query]
}
