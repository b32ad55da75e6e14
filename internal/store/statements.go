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

// worth notes that texts were asked, and gives those of them that are worth preparing.
func (s *statements) worth(asked []string) (texts []string) {
	for _, query := range asked {
		if s.get(query) == nil && s.again(query) {
			texts = append(texts, query)
		}
	}
	return texts
}

// learn prepares texts. It takes a connection from the pool, so that the caller must hold none.
func (s *statements) learn(ctx context.Context, texts []string) {
	for _, query := range texts {
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

// prepared are the statements of one transaction of the database, by their texts: those that its pool keeps, and those that
// were prepared in it.
type prepared struct {
	pool       *statements
	statements map[string]*sql.Stmt
	asked      []string // the texts, each once
}

func newPrepared(pool *statements) *prepared {
	return &prepared{pool: pool, statements: map[string]*sql.Stmt{}}
}

// known gives the statement of a text, nil when none was prepared.
func (p *prepared) known(ctx context.Context, tx *sql.Tx, query string) *sql.Stmt {
	if own := p.statements[query]; own != nil {
		return own
	}
	if !slices.Contains(p.asked, query) {
		p.asked = append(p.asked, query)
	}
	if kept := p.pool.get(query); kept != nil {
		p.statements[query] = tx.StmtContext(ctx, kept)
	}
	return p.statements[query]
}

// always gives the statement of a text, and prepares it where that was not done before.
func (p *prepared) always(ctx context.Context, tx *sql.Tx, query string) (*sql.Stmt, error) {
	if known := p.known(ctx, tx, query); known != nil {
		return known, nil
	}
	own, err := tx.PrepareContext(ctx, query)
	if err == nil {
		p.statements[query] = own
	}
	return own, err
}
