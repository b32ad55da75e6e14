package store

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/driver"
)

// bulk inserts rows through the driver's own statement, inside the transaction that is open on the connection.
func (w *writer) bulk(ctx context.Context, table string, columns []string, rows iter.Seq[[]any]) (n int64, err error) {
	query := insertText(table, columns)
	var panicked any
	rawErr := w.conn.Raw(func(raw any) error {
		// A panic must not reach database/sql, which would throw the connection away.
		defer func() { panicked = recover() }()
		n, err = insertAll(ctx, raw.(driver.Conn).Raw(), query, rows)
		return nil
	})
	if panicked != nil {
		panic(panicked)
	}
	if rawErr != nil {
		return 0, rawErr
	}
	return n, err
}

func insertText(table string, columns []string) string {
	quoted := make([]string, len(columns))
	for i, column := range columns {
		quoted[i] = quote(column)
	}
	return "INSERT INTO " + quote(table) + " (" + strings.Join(quoted, ", ") + ") VALUES (" + Params(1, len(columns)) + ")"
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

func bind(statement *sqlite3.Stmt, at int, value any) error {
	switch v := value.(type) {
	case nil:
		return statement.BindNull(at)
	case bool:
		return statement.BindBool(at, v)
	case int:
		return statement.BindInt(at, v)
	case int64:
		return statement.BindInt64(at, v)
	case float64:
		return statement.BindFloat(at, v)
	case string:
		return statement.BindText(at, v)
	case []byte:
		return statement.BindBlob(at, v)
	}
	return fmt.Errorf("a value of type %T cannot be inserted in bulk", value)
}
