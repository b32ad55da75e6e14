package reports

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"strconv"
	"strings"

	"frontdesk/internal/infra/fail"
)

// The forms of reports.
const (
	CSV   = "csv"   // for spreadsheets: a line of names, and a line for each row
	Lines = "jsonl" // a JSON object in each line
	JSON  = "json"  // one JSON object, whose member rows is an array of objects
)

// column is a column of a report. What value gives is a string, a whole number, or nil for nothing.
type column[R any] struct {
	name  string
	value func(R) any
}

// table writes rows in a form.
type table[R any] interface {
	begin() error
	row(R) error
	end() error
}

// write writes rows as they come, until one of them is an error. Where that is the first, nothing
// was written.
func write[R any](w io.Writer, form string, rows iter.Seq2[R, error], columns []column[R]) error {
	out := bufio.NewWriterSize(w, 32<<10)
	var t table[R]
	switch form {
	case CSV:
		t = &spreadsheet[R]{csv.NewWriter(out), columns, make([]string, len(columns))}
	case Lines:
		t = &lines[R]{columns: columns, out: objects(out)}
	case JSON:
		t = &array[R]{lines: lines[R]{columns: columns, out: objects(out)}, w: out}
	default:
		return fail.New(fail.Invalid, "there is no report as %.20q; there are %s, %s and %s", form, CSV, Lines, JSON)
	}
	begun := false
	begin := func() error {
		if begun {
			return nil
		}
		begun = true
		return t.begin()
	}
	for row, err := range rows {
		if err == nil {
			err = begin()
		}
		if err == nil {
			err = t.row(row)
		}
		if err != nil {
			return errors.Join(err, out.Flush())
		}
	}
	if err := begin(); err != nil {
		return err
	}
	if err := t.end(); err != nil {
		return err
	}
	return out.Flush()
}

// spreadsheet is CSV.
type spreadsheet[R any] struct {
	out     *csv.Writer
	columns []column[R]
	line    []string
}

func (s *spreadsheet[R]) begin() error {
	for i, c := range s.columns {
		s.line[i] = c.name
	}
	return s.out.Write(s.line)
}

func (s *spreadsheet[R]) row(r R) error {
	for i, c := range s.columns {
		s.line[i] = cell(c.value(r))
	}
	return s.out.Write(s.line)
}

func (s *spreadsheet[R]) end() error {
	s.out.Flush()
	return s.out.Error()
}

// lines are objects, each in a line.
type lines[R any] struct {
	columns []column[R]
	out     *json.Encoder
}

func objects(w io.Writer) *json.Encoder {
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	return out
}

func (l *lines[R]) begin() error { return nil }

func (l *lines[R]) row(r R) error { return l.out.Encode(object(l.columns, r)) }

func (l *lines[R]) end() error { return nil }

// array is one object with all the others. Whoever reads half of it sees that it is half.
type array[R any] struct {
	lines[R]
	w    io.Writer
	some bool
}

func (a *array[R]) begin() error {
	_, err := io.WriteString(a.w, `{"rows": [`+"\n")
	return err
}

func (a *array[R]) row(r R) error {
	if a.some {
		if _, err := io.WriteString(a.w, ","); err != nil {
			return err
		}
	}
	a.some = true
	return a.lines.row(r)
}

func (a *array[R]) end() error {
	_, err := io.WriteString(a.w, "]}\n")
	return err
}

// cell writes a value for a spreadsheet. A text that one would take for a formula has an apostrophe
// before it; an amount below 0 is a number.
func cell(value any) string {
	switch v := value.(type) {
	case string:
		if _, err := strconv.ParseFloat(v, 64); err != nil && v != "" && strings.ContainsRune("=+-@\t\r", rune(v[0])) {
			return "'" + v
		}
		return v
	case int64:
		return strconv.FormatInt(v, 10)
	}
	return ""
}
