package store

// SetAttempts changes how often an Update on PostgreSQL is tried.
func (db *DB) SetAttempts(n int) { db.engine.(*postgresEngine).attempts = n }
