package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

// copyRows is Bulk by COPY, inside the transaction that is open on conn. The COPY runs in a
// goroutine of its own, so that rows runs in the caller's: a panic there is the caller's, and not
// the end of the process.
func copyRows(conn *sql.Conn) bulk {
	return func(ctx context.Context, table string, columns []string, rows iter.Seq[[]any]) (int64, error) {
		feed := &copyFeed{rows: make(chan []any, 64), stopped: make(chan struct{})}
		go feed.copy(ctx, conn, table, columns)
		feed.send(rows)
		return feed.n, feed.err
	}
}

// copyFeed hands rows from their iterator to a COPY.
type copyFeed struct {
	rows    chan []any
	broken  bool          // rows was closed before its end; read after it is closed
	stopped chan struct{} // closed when the COPY has ended, for good or ill
	n       int64
	err     error
	row     []any
	ended   bool // there are no more rows
}

// send feeds all rows and waits for the COPY to end. If the iterator panics, the COPY is broken
// off.
func (f *copyFeed) send(rows iter.Seq[[]any]) {
	f.broken = true
	defer func() {
		close(f.rows)
		<-f.stopped
	}()
	for row := range rows {
		select {
		case f.rows <- row:
		case <-f.stopped:
			return
		}
	}
	f.broken = false
}

func (f *copyFeed) copy(ctx context.Context, conn *sql.Conn, table string, columns []string) {
	defer close(f.stopped)
	f.err = conn.Raw(func(raw any) (err error) {
		f.n, err = raw.(*stdlib.Conn).Conn().CopyFrom(ctx, pgx.Identifier{table}, columns, f)
		if ended := ctx.Err(); err != nil && ended != nil && !errors.Is(err, ended) {
			err = fmt.Errorf("%w: %w", ended, err) // the driver closed the connection, and tells of that alone
		}
		return err
	})
}

// Next implements pgx.CopyFromSource.
func (f *copyFeed) Next() (ok bool) {
	f.row, ok = <-f.rows
	f.ended = !ok
	return ok
}

// Values implements pgx.CopyFromSource.
func (f *copyFeed) Values() ([]any, error) { return f.row, nil }

// Err implements pgx.CopyFromSource. It is asked after every row, so it must not look at broken
// before the end.
func (f *copyFeed) Err() error {
	if f.ended && f.broken {
		return errors.New("the rows broke off")
	}
	return nil
}
