package report

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"iter"
	"strconv"
	"strings"

	"frontdesk/internal/fail"
)

// The forms of reports.
const (
	CSV   = "csv"   // for spreadsheets: a line of names, and a line for each row
	Lines = "jsonl" // a JSON object in each line
)

// column is a column of a report. What value gives is a string, a whole number, or nil for nothing.
type column[R any] struct {
	name  string
	value func(R) any
}

// write writes rows as they come, until one of them is an error.
func write[R any](w io.Writer, form string, rows iter.Seq2[R, error], columns []column[R]) error {
	switch form {
	case CSV:
		return writeCSV(w, rows, columns)
	case Lines:
		return writeLines(w, rows, columns)
	}
	return fail.New(fail.Invalid, "there is no report as %.20q; there are %s and %s", form, CSV, Lines)
}

func writeCSV[R any](w io.Writer, rows iter.Seq2[R, error], columns []column[R]) error {
	out := csv.NewWriter(w)
	line := make([]string, len(columns))
	for i, c := range columns {
		line[i] = c.name
	}
	if err := out.Write(line); err != nil {
		return err
	}
	for row, err := range rows {
		if err != nil {
			return err
		}
		for i, c := range columns {
			line[i] = cell(c.value(row))
		}
		if err := out.Write(line); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// cell writes a value for a spreadsheet. A text that one would take for a formula has an apostrophe before it; an amount below 0
// is a number.
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

func writeLines[R any](w io.Writer, rows iter.Seq2[R, error], columns []column[R]) error {
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	for row, err := range rows {
		if err != nil {
			return err
		}
		object := map[string]any{}
		for _, c := range columns {
			if v := c.value(row); v != nil {
				object[c.name] = v
			}
		}
		if err := out.Encode(object); err != nil {
			return err
		}
	}
	return nil
}
