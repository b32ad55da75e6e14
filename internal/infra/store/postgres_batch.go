package store

import (
	"context"
	"database/sql"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

// sendOn is a batch inside the transaction that is open on conn.
func sendOn(conn *sql.Conn) batch {
	return func(ctx context.Context, all []left) (changed []int64, err error) {
		err = conn.Raw(func(raw any) (err error) {
			var b pgx.Batch
			for _, statement := range all {
				b.Queue(statement.query, statement.args...)
			}
			results := raw.(*stdlib.Conn).Conn().SendBatch(ctx, &b)
			defer func() { err = errors.Join(err, results.Close()) }()
			for _, statement := range all {
				n, err := statement.result(results)
				if err != nil {
					return err
				}
				changed = append(changed, n)
			}
			return nil
		})
		return changed, overLine(err)
	}
}

// result takes what came of a statement, and says how many rows it has changed or given.
func (l left) result(results pgx.BatchResults) (int64, error) {
	if l.keep == nil {
		tag, err := results.Exec()
		return tag.RowsAffected(), err
	}
	rows, err := results.Query()
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	for _, column := range rows.FieldDescriptions() {
		l.keep.columns = append(l.keep.columns, column.Name)
	}
	for rows.Next() {
		row, err := rows.Values()
		if err != nil {
			return 0, err
		}
		l.keep.rows = append(l.keep.rows, row)
	}
	return int64(len(l.keep.rows)), rows.Err()
}
