package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"time"

	"github.com/ncruces/go-sqlite3"
)

// cursor is the rows of a statement of a connection.
type cursor struct {
	ctx       context.Context
	conn      *connection
	statement *statement
	onRow     bool // on a row
	closed    bool
	err       error
}

var errRowsClosed = errors.New("the rows are closed")

// Next implements Rows.
func (r *cursor) Next() bool {
	if r.closed {
		return false
	}
	r.conn.raw.SetInterrupt(r.ctx)
	if r.onRow = r.statement.Step(); r.onRow {
		return true
	}
	r.err = interrupted(r.ctx, r.statement.Err())
	if err := r.Close(); r.err == nil {
		r.err = err
	}
	return false
}

// Err implements Rows.
func (r *cursor) Err() error { return r.err }

// Close implements Rows.
func (r *cursor) Close() error {
	if r.closed {
		return nil
	}
	r.closed, r.onRow = true, false
	err := r.statement.Reset() // which tells again of an error that Err tells of
	if r.err != nil {
		err = nil
	}
	if left := r.statement.release(); err == nil {
		err = left
	}
	return err
}

// Columns implements Rows.
func (r *cursor) Columns() ([]string, error) {
	if r.closed {
		return nil, errRowsClosed
	}
	names := make([]string, r.statement.ColumnCount())
	for i := range names {
		names[i] = r.statement.ColumnName(i)
	}
	return names, nil
}

// Scan implements Rows.
func (r *cursor) Scan(targets ...any) error {
	if !r.onRow {
		return errors.New("there is no row to read: Next comes first, and must have found one")
	}
	if n := r.statement.ColumnCount(); n != len(targets) {
		return fmt.Errorf("the row has %d columns, and %d are to be read", n, len(targets))
	}
	for i, target := range targets {
		if err := r.column(i, target); err != nil {
			return fmt.Errorf("column %d (%s): %w", i+1, r.statement.ColumnName(i), err)
		}
	}
	return nil
}

// column reads one column. The types that are asked for everywhere go the short way.
func (r *cursor) column(i int, target any) error {
	s := r.statement
	kind := s.ColumnType(i)
	switch t := target.(type) {
	case *int64:
		if kind == sqlite3.INTEGER {
			*t = s.ColumnInt64(i)
			return nil
		}
	case *int:
		if kind == sqlite3.INTEGER {
			*t = s.ColumnInt(i)
			return nil
		}
	case *time.Time:
		if kind == sqlite3.INTEGER {
			*t = FromMicros(s.ColumnInt64(i))
			return nil
		}
	case *bool:
		if kind == sqlite3.INTEGER {
			*t = s.ColumnInt64(i) != 0
			return nil
		}
	case *string:
		if kind == sqlite3.TEXT || kind == sqlite3.BLOB {
			*t = string(s.raw(i, kind))
			return nil
		}
	case *sql.RawBytes:
		if kind == sqlite3.TEXT || kind == sqlite3.BLOB {
			*t = s.raw(i, kind)
			return nil
		}
	case *[]byte:
		if kind == sqlite3.TEXT || kind == sqlite3.BLOB {
			*t = append([]byte{}, s.raw(i, kind)...)
			return nil
		}
	}
	return assign(target, s.value(i, kind))
}

// raw is a text or some bytes, which are SQLite's own until the next call.
func (s *statement) raw(i int, kind sqlite3.Datatype) []byte {
	if kind == sqlite3.TEXT {
		return s.ColumnRawText(i)
	}
	return s.ColumnRawBlob(i)
}

// value is a column as it is: nil, int64, float64, string or []byte.
func (s *statement) value(i int, kind sqlite3.Datatype) any {
	switch kind {
	case sqlite3.INTEGER:
		return s.ColumnInt64(i)
	case sqlite3.FLOAT:
		return s.ColumnFloat(i)
	case sqlite3.TEXT:
		return s.ColumnText(i)
	case sqlite3.BLOB:
		return s.ColumnBlob(i, []byte{})
	}
	return nil
}

// assign puts a column's value where target points, as Rows.Scan says.
func assign(target, value any) error {
	switch t := target.(type) {
	case sql.Scanner:
		return t.Scan(value)
	case *any:
		*t = value
		return nil
	case *time.Time:
		return (*micros)(t).Scan(value)
	}
	to := reflect.ValueOf(target)
	if to.Kind() != reflect.Pointer || to.IsNil() {
		return fmt.Errorf("a value cannot be read into a %T", target)
	}
	to = to.Elem()
	if value == nil {
		switch to.Kind() {
		case reflect.Pointer, reflect.Slice:
			to.SetZero()
			return nil
		}
		return fmt.Errorf("NULL cannot be read into a %T", target)
	}
	switch to.Kind() {
	case reflect.Pointer:
		to.Set(reflect.New(to.Type().Elem()))
		return assign(to.Interface(), value)
	case reflect.String:
		to.SetString(textOf(value))
		return nil
	case reflect.Slice:
		if to.Type().Elem().Kind() == reflect.Uint8 {
			to.SetBytes([]byte(textOf(value)))
			return nil
		}
	case reflect.Bool:
		b, err := strconv.ParseBool(textOf(value))
		to.SetBool(b)
		return err
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		n, err := strconv.ParseInt(textOf(value), 10, to.Type().Bits())
		to.SetInt(n)
		return err
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		n, err := strconv.ParseUint(textOf(value), 10, to.Type().Bits())
		to.SetUint(n)
		return err
	case reflect.Float32, reflect.Float64:
		f, err := strconv.ParseFloat(textOf(value), to.Type().Bits())
		to.SetFloat(f)
		return err
	}
	return fmt.Errorf("a %T cannot be read into a %T", value, target)
}

// textOf writes a value as text.
func textOf(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case []byte:
		return string(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return fmt.Sprint(value)
}
