package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
)

// Tx is a transaction inside View or Update. Only the goroutine that runs the closure may use it,
// and only until the closure returns.
type Tx struct {
	tx   conversation
	bulk bulk
	// under is what statements run under instead of the caller's context, where others'
	// transactions share the connection: breaking one off in the middle would take the others with
	// it. nil where none do.
	under   context.Context
	batch   batch           // runs what Put left; nil where Put leaves nothing
	left    []left          // by ExecOne
	leftBy  context.Context // of the last ExecOne
	ahead   []left          // by Ahead
	kept    []*keptRows     // what came of that, until something is written
	wrote   bool            // something other than a SELECT was asked for
	reading []Rows          // what Query gave
	failed  error           // the first statement that failed
	last    *lastly         // what BeforeCommit was given; nil in a View
	after   []func()        // what AfterCommit was given
	over    atomic.Bool
}

// conversation is the transaction of a View or of PostgreSQL, or the connection of SQLite's writer.
type conversation interface {
	// exec says how many rows were changed.
	exec(ctx context.Context, query string, args []any) (int64, error)
	query(ctx context.Context, query string, args []any) (Rows, error)
}

// Rows are the result of a Query. Only the goroutine that runs the closure may use them.
type Rows interface {
	// Next goes on to the next row, the first to begin with, and says whether there is one. After
	// the last it closes.
	Next() bool
	// Scan puts the columns of the row where targets point, converted as by database/sql, and times
	// as Micros writes them. What a *sql.RawBytes is given holds until the next call.
	Scan(targets ...any) error
	// Columns gives the names of the columns, as long as the rows are open.
	Columns() ([]string, error)
	// Err is why Next found no row; nil after the last.
	Err() error
	// Close lets go of the rows, before their end too. Doing so again does nothing.
	Close() error
}

// lastly is what is to be done before a commit, by name. On SQLite all who share the commit share
// it.
type lastly struct {
	names []string
	fns   []func(*Tx) error
}

// BeforeCommit has fn run when all else in the transaction is done, right before the commit: once
// for each name, however often that is given. On SQLite several Updates share a commit, and so does
// fn, which then runs once for all of them. If it fails, what it wrote is undone and the rest is
// committed all the same; it logs its failure itself.
func (tx *Tx) BeforeCommit(name string, fn func(*Tx) error) {
	if tx.last != nil && !slices.Contains(tx.last.names, name) {
		tx.last.names, tx.last.fns = append(tx.last.names, name), append(tx.last.fns, fn)
	}
}

// AfterCommit has fn run as soon as what the transaction wrote is durable, before Update returns.
func (tx *Tx) AfterCommit(fn func()) { tx.after = append(tx.after, fn) }

// committed runs what was to wait for the commit.
func (tx *Tx) committed() {
	for _, fn := range tx.after {
		fn()
	}
}

// run does what was left for the end, each in a savepoint of its own. do runs a statement, and
// fresh makes a Tx on the same connection. An error means that the whole transaction is lost.
func (l *lastly) run(do func(string) error, fresh func() *Tx) error {
	for _, fn := range l.fns {
		if err := do(`SAVEPOINT lastly`); err != nil {
			return err
		}
		if perform(fresh(), fn) != nil {
			if err := do(`ROLLBACK TO SAVEPOINT lastly`); err != nil {
				return err
			}
		}
		if err := do(`RELEASE SAVEPOINT lastly`); err != nil {
			return err
		}
	}
	return nil
}

// bulk is how an engine inserts many rows.
type bulk func(ctx context.Context, table string, columns []string, rows iter.Seq[[]any]) (int64, error)

// left is a statement that is still to be run.
type left struct {
	query string
	args  []any
	// otherwise is the error where it does not change one row; nil for any.
	otherwise error
	// keep is where its rows are kept; nil where they are only counted.
	keep *keptRows
}

// batch runs statements, one after another, by one message to the database and one answer, and says
// how many rows each has changed or given.
type batch func(ctx context.Context, all []left) ([]int64, error)

// errNotOne is of what Put was given.
func errNotOne(changed int64) error {
	return fmt.Errorf("a statement that should have changed one row has changed %d", changed)
}

var errOver = errors.New("the transaction is over; a Tx must not be used after its closure has returned")

// Exec runs a statement and says how many rows it changed.
func (tx *Tx) Exec(ctx context.Context, query string, args ...any) (int64, error) {
	ctx, err := tx.ready(ctx)
	if err != nil {
		return 0, err
	}
	tx.wrote, tx.kept = true, nil
	var changed int64
	if len(tx.left) > 0 {
		changed, err = tx.send(ctx, left{query: query, args: args})
	} else {
		changed, err = tx.tx.exec(ctx, query, args)
	}
	if err != nil {
		return 0, tx.fail(err)
	}
	return changed, nil
}

// ExecOne runs a statement that must change one row, and gives no rows: changing none or several
// undoes the transaction. When it returns, the statement need not have run. It has before the next
// that is no Put, and before the closure counts as having succeeded; until then the transaction may
// fail for its sake. On PostgreSQL that saves waiting for an answer.
func (tx *Tx) ExecOne(ctx context.Context, query string, args ...any) error {
	return tx.ExecOneOr(ctx, nil, query, args...)
}

// ExecOneOr is ExecOne with the error of a statement that does not change one row.
func (tx *Tx) ExecOneOr(ctx context.Context, otherwise error, query string, args ...any) error {
	ctx, err := tx.ready(ctx)
	if err != nil {
		return err
	}
	tx.wrote, tx.kept = true, nil
	one := left{query: query, args: args, otherwise: otherwise}
	if tx.batch != nil {
		tx.left, tx.leftBy = append(tx.left, one), ctx
		if len(tx.left) < maxLeft {
			return nil
		}
		return tx.flush(ctx)
	}
	changed, err := tx.tx.exec(ctx, query, args)
	if err == nil {
		err = one.check(changed)
	}
	if err != nil {
		return tx.fail(err)
	}
	return nil
}

// check is what is wrong with how many rows a statement of ExecOne has changed.
func (l left) check(changed int64) error {
	switch {
	case changed == 1:
		return nil
	case l.otherwise != nil:
		return l.otherwise
	}
	return errNotOne(changed)
}

// maxLeft bounds what ExecOne leaves.
const maxLeft = 100

// flush runs what Put left.
func (tx *Tx) flush(ctx context.Context) error {
	if len(tx.left) == 0 {
		return nil
	}
	last := tx.left[len(tx.left)-1]
	changed, err := tx.send(ctx)
	if err == nil {
		err = last.check(changed)
	}
	if err != nil {
		return tx.fail(err)
	}
	return nil
}

// send runs what ExecOne left and more, and says how many rows the last has changed.
func (tx *Tx) send(ctx context.Context, more ...left) (int64, error) {
	counts, err := tx.sendAll(ctx, more...)
	if err != nil {
		return 0, err
	}
	return counts[len(counts)-1], nil
}

// sendAll is send that gives how many rows each has changed or given, of all but what ExecOne left;
// where there are no others, of the last of those.
func (tx *Tx) sendAll(ctx context.Context, more ...left) ([]int64, error) {
	before := tx.left
	tx.left = nil
	counts, err := tx.batch(ctx, append(before, more...))
	if err != nil {
		return nil, err
	}
	if len(more) == 0 {
		before = before[:len(before)-1]
	}
	for i, one := range before {
		if err := one.check(counts[i]); err != nil {
			return nil, err
		}
	}
	return counts[len(before):], nil
}

// Query runs a statement that gives rows. The caller closes them before the next statement:
// PostgreSQL has one conversation per connection.
func (tx *Tx) Query(ctx context.Context, query string, args ...any) (Rows, error) {
	ctx, err := tx.ready(ctx)
	if err == nil {
		if rows := tx.known(query, args); rows != nil {
			return rows, nil
		}
		err = tx.flush(ctx)
	}
	if err != nil {
		return nil, err
	}
	if !strings.HasPrefix(query, "SELECT") {
		tx.wrote, tx.kept = true, nil
	}
	rows, err := tx.tx.query(ctx, query, args)
	if err != nil {
		return nil, tx.fail(err)
	}
	tx.reading = append(slices.DeleteFunc(tx.reading, func(r Rows) bool {
		_, closed := r.Columns() // which is the one thing that closed rows tell
		return closed != nil
	}), rows)
	return rows, nil
}

// Scanner is a row, or what [Tx.QueryRow] gives of one.
type Scanner interface {
	// Scan puts the row's columns where targets point.
	Scan(targets ...any) error
}

// Each calls fn with each row of a query, until fn fails. fn must not run another statement.
func (tx *Tx) Each(ctx context.Context, query string, fn func(Scanner) error, args ...any) error {
	rows, err := tx.Query(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := fn(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// All is what scan makes of each row of a query; nil with an error.
func All[T any](
	ctx context.Context, tx *Tx, query string, scan func(Scanner) (T, error), args ...any,
) (all []T, err error) {
	err = tx.Each(ctx, query, func(row Scanner) error {
		one, err := scan(row)
		all = append(all, one)
		return err
	}, args...)
	if err != nil {
		return nil, err
	}
	return all, nil
}

// List is [All] in a transaction of its own.
func List[T any](
	ctx context.Context, db *DB, query string, scan func(Scanner) (T, error), args ...any,
) (all []T, err error) {
	err = db.View(ctx, func(tx *Tx) (err error) {
		all, err = All(ctx, tx, query, scan, args...)
		return err
	})
	return all, err
}

// Get is what fn reads, in a transaction of its own.
func Get[T any](ctx context.Context, db *DB, fn func(*Tx) (T, error)) (got T, err error) {
	err = db.View(ctx, func(tx *Tx) (err error) {
		got, err = fn(tx)
		return err
	})
	return got, err
}

// Row is the one row that QueryRow asks for.
type Row struct {
	tx   *Tx
	rows Rows
	err  error
}

// QueryRow runs a statement that gives one row; its error comes with Scan, which must be called.
func (tx *Tx) QueryRow(ctx context.Context, query string, args ...any) *Row {
	rows, err := tx.Query(ctx, query, args...)
	return &Row{tx, rows, err}
}

// Scan puts the row's columns where targets point, as sql.Row does: sql.ErrNoRows says that there
// is none, and of several the first counts.
func (r *Row) Scan(targets ...any) error {
	if r.err != nil {
		return r.err
	}
	defer r.rows.Close()
	if !r.rows.Next() {
		if err := r.rows.Err(); err != nil {
			return r.tx.fail(err)
		}
		return sql.ErrNoRows
	}
	if err := r.rows.Scan(targets...); err != nil {
		return err
	}
	if err := r.rows.Close(); err != nil {
		return r.tx.fail(err)
	}
	return nil
}

// end closes the rows that the closure left open, which others who share the connection would
// stumble over, and lets nothing more through.
func (tx *Tx) end() {
	tx.over.Store(true)
	for _, r := range tx.reading {
		r.Close()
	}
}

// BulkInsert inserts many rows in the fastest way that the engine has (on PostgreSQL COPY) and says
// how many. The values are nil, bool, int, int64, float64, string and []byte, and each row is a
// slice of its own. While rows yields them it must not use the transaction.
func (tx *Tx) BulkInsert(ctx context.Context, table string, columns []string, rows iter.Seq[[]any]) (int64, error) {
	under, err := tx.ready(ctx)
	if err == nil {
		err = tx.flush(under)
	}
	if err != nil {
		return 0, err
	}
	tx.wrote, tx.kept = true, nil
	n, err := tx.bulk(ctx, table, columns, rows)
	if err != nil {
		return n, tx.fail(err)
	}
	return n, nil
}

// maxAdded is how many rows one statement of Add has, at most.
const maxAdded = 64

// Add adds counts to rows of a table, by columns separated by blanks: those of its key, and those
// that count. A row that is not there is made. Each of the rows has the values of its key and then
// its counts, and no two have the same key.
func (tx *Tx) Add(ctx context.Context, table, key, counts string, rows [][]any) error {
	keys, sums := strings.Fields(key), strings.Fields(counts)
	for i, of := range sums {
		sums[i] = of + " = " + table + "." + of + " + excluded." + of
	}
	columns := len(keys) + len(sums)
	end := " ON CONFLICT (" + strings.Join(keys, ", ") + ") DO UPDATE SET " + strings.Join(sums, ", ")
	begin := "INSERT INTO " + table + " (" + strings.Join(append(keys, strings.Fields(counts)...), ", ") + ") VALUES "
	for len(rows) > 0 {
		n := 1 // few sizes, so that few statements are prepared
		for 4*n <= min(len(rows), maxAdded) {
			n *= 4
		}
		values, args := make([]string, n), make([]any, 0, n*columns)
		for i, row := range rows[:n] {
			values[i] = "(" + Params(len(args)+1, columns) + ")"
			args = append(args, row...)
		}
		if _, err := tx.Exec(ctx, begin+strings.Join(values, ", ")+end, args...); err != nil {
			return err
		}
		rows = rows[n:]
	}
	return nil
}

// ready says whether another statement may run, and under which context.
func (tx *Tx) ready(ctx context.Context) (context.Context, error) {
	if tx.over.Load() {
		return ctx, errOver
	}
	if tx.failed != nil {
		return ctx, tx.failed
	}
	if err := context.Cause(ctx); err != nil {
		return ctx, tx.fail(err)
	}
	if tx.under != nil {
		return tx.under, nil
	}
	return ctx, nil
}

func (tx *Tx) fail(err error) error {
	if tx.failed == nil {
		tx.failed = err
	}
	return err
}

// Params is a list of n parameters for an IN (...), the first of which is $from: "$2, $3, $4".
func Params(from, n int) string {
	var b strings.Builder
	b.Grow(n * 6)
	for i := range n {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteByte('$')
		b.WriteString(strconv.Itoa(from + i))
	}
	return b.String()
}
