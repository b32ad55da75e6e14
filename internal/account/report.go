package account

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/fail"
	"frontdesk/internal/terms"
)

// The forms of reports.
const (
	CSV   = "csv"   // for spreadsheets: a line of names, and a line for each row
	Lines = "jsonl" // a JSON object in each line
)

// WriteEarnings writes what sites earned. Amounts are decimal numbers of the currency.
func WriteEarnings(w io.Writer, form string, all []Earning) error {
	return write(w, form, all, []column[Earning]{
		{"day", func(e Earning) any { return e.Day.Format(time.DateOnly) }},
		{"site", func(e Earning) any { return e.Site }},
		{"buyer", func(e Earning) any { return e.Buyer }},
		{"currency", func(e Earning) any { return e.Currency }},
		{"amount", func(e Earning) any { return terms.Amount(e.Amount) }},
		{"movements", func(e Earning) any { return e.Movements }},
	})
}

// WriteInvoice writes what was charged to a buyer. Amounts and rates are decimal numbers of the currency; what was reported is
// left out where nothing was.
func WriteInvoice(w io.Writer, form string, all []Charged) error {
	return write(w, form, all, []column[Charged]{
		{"time", func(c Charged) any { return c.At.Format(time.RFC3339Nano) }},
		{"transaction", func(c Charged) any { return c.Purchase }},
		{"buyer", func(c Charged) any { return c.Buyer }},
		{"site", func(c Charged) any { return c.Site }},
		{"model", func(c Charged) any { return c.Model }},
		{"kind", func(c Charged) any { return c.Kind }},
		{"rate", func(c Charged) any { return terms.Amount(c.Rate) }},
		{"estimated", func(c Charged) any { return c.Quantity }},
		{"reported", func(c Charged) any {
			if c.Reported < 0 {
				return nil
			}
			return c.Reported
		}},
		{"currency", func(c Charged) any { return c.Currency }},
		{"amount", func(c Charged) any { return terms.Amount(c.Amount) }},
	})
}

// column is a column of a report. What value gives is a string, a whole number, or nil for nothing.
type column[R any] struct {
	name  string
	value func(R) any
}

func write[R any](w io.Writer, form string, rows []R, columns []column[R]) error {
	switch form {
	case CSV:
		return writeCSV(w, rows, columns)
	case Lines:
		return writeLines(w, rows, columns)
	}
	return fail.New(fail.Invalid, "there is no report as %q; there are %s and %s", form, CSV, Lines)
}

func writeCSV[R any](w io.Writer, rows []R, columns []column[R]) error {
	out := csv.NewWriter(w)
	line := make([]string, len(columns))
	for i, c := range columns {
		line[i] = c.name
	}
	if err := out.Write(line); err != nil {
		return err
	}
	for _, row := range rows {
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

func writeLines[R any](w io.Writer, rows []R, columns []column[R]) error {
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	for _, row := range rows {
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
