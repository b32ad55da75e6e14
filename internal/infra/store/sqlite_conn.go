package store

import (
	"context"
	"database/sql"
	sqldriver "database/sql/driver"
	"errors"
	"fmt"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/driver"
)

// connection is a connection to an SQLite file with the statements that were asked of it, since
// most are asked again and again. It talks to SQLite itself: database/sql, which takes locks and
// starts a goroutine for each transaction and each query, costs more than a small answer. It is
// used by one goroutine at a time.
type connection struct {
	held       *sql.Conn // of the pool that made it
	raw        *sqlite3.Conn
	statements map[string]*statement
}

// maxStatements is how many statements a connection keeps from one transaction to the next.
const maxStatements = 256

// statement is a text that was prepared.
type statement struct {
	*sqlite3.Stmt
	arguments int
	busy      bool // its rows are open
	once      bool // it is kept no longer than its rows are open
}

// connectionOf takes a connection from a pool for good.
func connectionOf(ctx context.Context, pool *sql.DB) (*connection, error) {
	held, err := pool.Conn(ctx)
	if err != nil {
		return nil, err
	}
	c := &connection{held: held, statements: map[string]*statement{}}
	err = held.Raw(func(raw any) error {
		c.raw = raw.(driver.Conn).Raw()
		return nil
	})
	if err != nil {
		return nil, errors.Join(err, held.Close())
	}
	return c, nil
}

// close gives the connection back to its pool, which closes it.
func (c *connection) close() error {
	c.forget()
	_ = c.held.Raw(func(any) error { return sqldriver.ErrBadConn })
	if err := c.held.Close(); !errors.Is(err, sql.ErrConnDone) {
		return err
	}
	return nil
}

// trim lets go of all statements when there are too many. Most texts are constants of the program,
// of which there are fewer.
func (c *connection) trim() {
	if len(c.statements) > maxStatements {
		c.forget()
	}
}

func (c *connection) forget() {
	for _, s := range c.statements {
		s.Close()
	}
	clear(c.statements)
}

// statement gives that of a text, which nobody uses at the moment.
func (c *connection) statement(query string) (*statement, error) {
	known := c.statements[query]
	if known != nil && !known.busy {
		return known, nil
	}
	made, tail, err := c.raw.Prepare(query)
	switch {
	case err != nil:
		return nil, err
	case made == nil:
		return nil, errors.New("there is no statement in the text")
	case tail != "":
		return nil, errors.Join(errors.New("a text with parameters, or one that gives rows, must be one statement"),
			made.Close())
	}
	s := &statement{Stmt: made, arguments: made.BindCount(), once: known != nil}
	if known == nil {
		c.statements[query] = s
	}
	return s, nil
}

// bind gives a statement its arguments.
func (s *statement) bind(args []any) error {
	if len(args) != s.arguments {
		return fmt.Errorf("there are %d arguments for %d parameters", len(args), s.arguments)
	}
	for i, value := range args {
		if err := bind(s.Stmt, i+1, value); err != nil {
			return errors.Join(err, s.ClearBindings())
		}
	}
	return nil
}

// release is for when a statement was run and its rows were read.
func (s *statement) release() error {
	s.busy = false
	if s.once {
		return s.Close()
	}
	if s.arguments == 0 {
		return nil
	}
	return s.ClearBindings()
}

// exec implements conversation. A text without arguments may have several statements.
func (c *connection) exec(ctx context.Context, query string, args []any) (int64, error) {
	c.raw.SetInterrupt(ctx)
	if len(args) == 0 {
		if err := c.raw.Exec(query); err != nil {
			return 0, interrupted(ctx, err)
		}
		return c.raw.Changes(), nil
	}
	if err := c.run(ctx, query, args...); err != nil {
		return 0, err
	}
	return c.raw.Changes(), nil
}

// run runs a statement.
func (c *connection) run(ctx context.Context, query string, args ...any) error {
	c.raw.SetInterrupt(ctx)
	s, err := c.statement(query)
	if err == nil {
		if err = s.bind(args); err == nil {
			err = s.Exec()
		}
		if left := s.release(); err == nil {
			err = left
		}
	}
	return interrupted(ctx, err)
}

// query implements conversation.
func (c *connection) query(ctx context.Context, query string, args []any) (Rows, error) {
	c.raw.SetInterrupt(ctx)
	s, err := c.statement(query)
	if err != nil {
		return nil, interrupted(ctx, err)
	}
	if err := s.bind(args); err != nil {
		return nil, errors.Join(err, s.release())
	}
	s.busy = true
	return &cursor{ctx: ctx, conn: c, statement: s}, nil
}

// interrupted says why SQLite broke a statement off.
func interrupted(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil && errors.Is(err, sqlite3.INTERRUPT) {
		return context.Cause(ctx)
	}
	return err
}

// view runs fn on a snapshot, and lets go of it, come what may.
func (c *connection) view(ctx context.Context, fn func(*Tx) error) error {
	if err := c.run(ctx, `BEGIN DEFERRED`); err != nil {
		return err
	}
	defer func() { _ = c.run(context.Background(), `ROLLBACK`) }() // a connection that is still within it is given up
	return perform(&Tx{tx: c, bulk: refuseBulk}, fn)
}

// bind gives one of a statement's parameters, counted from 1, its value.
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
	plain, err := sqldriver.DefaultParameterConverter.ConvertValue(value) // as database/sql does it
	if err != nil {
		return err
	}
	switch plain.(type) {
	case nil, bool, int64, float64, string, []byte:
		return bind(statement, at, plain)
	}
	return fmt.Errorf("a value of type %T cannot be kept", value)
}
