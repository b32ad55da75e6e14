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
	return func(ctx context.Context, all []left) (changed int64, err error) {
		err = conn.Raw(func(raw any) (err error) {
			var b pgx.Batch
			for _, statement := range all {
				b.Queue(statement.query, statement.args...)
			}
			results := raw.(*stdlib.Conn).Conn().SendBatch(ctx, &b)
			defer func() { err = errors.Join(err, results.Close()) }()
			for i := range all {
				tag, err := results.Exec()
				if err != nil {
					return err
				}
				if changed = tag.RowsAffected(); i < len(all)-1 && changed != 1 {
					return errNotOne(changed)
				}
			}
			return nil
		})
		return changed, overLine(err)
	}
}
