package store

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"github.com/ncruces/go-sqlite3"
)

// bulk inserts rows by one statement, inside the transaction that is open on the connection.
func (w *writer) bulk(ctx context.Context, table string, columns []string, rows iter.Seq[[]any]) (n int64, err error) {
	w.conn.raw.SetInterrupt(context.Background()) // which would take the others with it
	return insertAll(ctx, w.conn.raw, insertText(table, columns), rows)
}

func insertText(table string, columns []string) string {
	quoted := make([]string, len(columns))
	for i, column := range columns {
		quoted[i] = quote(column)
	}
	return "INSERT INTO " + quote(table) + " (" + strings.Join(quoted, ", ") + ") VALUES (" + Params(1, len(columns)) +
		")"
}

func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

func insertAll(ctx context.Context, conn *sqlite3.Conn, query string, rows iter.Seq[[]any]) (n int64, err error) {
	statement, _, err := conn.Prepare(query)
	if err != nil {
		return 0, err
	}
	defer statement.Close()
	for row := range rows {
		if n%256 == 0 && ctx.Err() != nil {
			return n, context.Cause(ctx)
		}
		if len(row) != statement.BindCount() {
			return n, fmt.Errorf("a row has %d values for %d columns", len(row), statement.BindCount())
		}
		for i, value := range row {
			if err := bind(statement, i+1, value); err != nil {
				return n, err
			}
		}
		if err := statement.Exec(); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}
