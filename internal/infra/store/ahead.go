package store

import (
	"context"
	"fmt"
	"reflect"
	"slices"
)

// Question is a query and what it asks about.
type Question struct {
	Query string
	Args  []any
}

// CountRows says how many rows each of some queries gives. PostgreSQL is asked all of them at once,
// with what ExecOne left before, and what Ahead has named.
func (tx *Tx) CountRows(ctx context.Context, questions ...Question) ([]int64, error) {
	if tx.batch == nil {
		counts := make([]int64, len(questions))
		for i, q := range questions {
			if err := tx.Each(ctx, q.Query, func(Scanner) error { counts[i]++; return nil }, q.Args...); err != nil {
				return nil, err
			}
		}
		return counts, nil
	}
	ctx, err := tx.ready(ctx)
	if err != nil {
		return nil, err
	}
	var all []left
	for _, q := range questions {
		all = append(all, left{query: q.Query, args: q.Args})
	}
	ahead := tx.ahead
	tx.ahead = nil
	counts, err := tx.sendAll(ctx, append(all, ahead...)...)
	if err != nil {
		return nil, tx.fail(err)
	}
	for _, one := range ahead {
		tx.kept = append(tx.kept, one.keep)
	}
	return counts[:len(questions)], nil
}

// Ahead names a query that is going to be asked before anything more is written. The next CountRows
// has it answered, so that [Tx.Query] with the same text and arguments need not wait on PostgreSQL.
func (tx *Tx) Ahead(q Question) {
	if tx.batch != nil {
		tx.ahead = append(tx.ahead, left{query: q.Query, args: q.Args, keep: &keptRows{of: q}})
	}
}

// keptRows are rows that were asked for ahead.
type keptRows struct {
	of      Question
	columns []string
	rows    [][]any // of nil, int64, float64, string and []byte
	at      []any   // that Next came to
	closed  bool
}

// known gives what is kept of a query, once.
func (tx *Tx) known(query string, args []any) *keptRows {
	for i, rows := range tx.kept {
		if rows.of.Query == query && reflect.DeepEqual(rows.of.Args, args) {
			tx.kept = slices.Delete(tx.kept, i, i+1)
			return rows
		}
	}
	return nil
}

// Next implements Rows.
func (k *keptRows) Next() bool {
	if k.closed = k.closed || len(k.rows) == 0; k.closed {
		return false
	}
	k.at, k.rows = k.rows[0], k.rows[1:]
	return true
}

// Scan implements Rows.
func (k *keptRows) Scan(targets ...any) error {
	if len(targets) != len(k.at) {
		return fmt.Errorf("%d columns cannot be read into %d values", len(k.at), len(targets))
	}
	for i, target := range targets {
		if err := assign(target, k.at[i]); err != nil {
			return err
		}
	}
	return nil
}

// Columns implements Rows.
func (k *keptRows) Columns() ([]string, error) {
	if k.closed {
		return nil, errRowsClosed
	}
	return k.columns, nil
}

// Err implements Rows.
func (k *keptRows) Err() error { return nil }

// Close implements Rows.
func (k *keptRows) Close() error {
	k.closed = true
	return nil
}
