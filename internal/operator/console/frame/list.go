package frame

import (
	"context"
	"encoding/csv"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/identity"
)

// Table is a part of a list, as a file has it.
type Table struct {
	Columns []string
	Rows    [][]any
	Next    string // the address of the list's next part, of which the query counts; empty for none
	Range   *Range // the days that the list is about; nil for a list of what is there now
	// Whole counts what the list is about between two times, where that is not its rows.
	Whole func(ctx context.Context, since, until time.Time) (int, error)
	Alone bool // what is listed cannot be compared with the days before
	Sifts bool // the list has no form of its own to look for a text: see Sift
}

// Listed is the body of a list's page.
type Listed interface{ Table() Table }

// TableOf is a table of rows, with the names of its columns separated by blanks.
func TableOf[R any](columns string, rows []R, cells func(R) []any) Table {
	t := Table{Columns: strings.Fields(columns)}
	for _, row := range rows {
		t.Rows = append(t.Rows, cells(row))
	}
	return t
}

// Goes is the table with where it goes on, and the days that it is about.
func (t Table) Goes(next string, over *Range) Table {
	t.Next, t.Range = next, over
	return t
}

// Sift gives the rows of a list that is read whole which the address of its page asks for: those of
// its days, which are all where it says none, and those that have its text in them. Without at they
// are of no time, and without texts they are found otherwise.
func Sift[R any](r *http.Request, now time.Time, all []R, at func(R) time.Time, texts func(R) []string) ([]R, *Range) {
	over, find := AnyRange(r, now), strings.ToLower(sought(r.URL.Query().Get("q")))
	return slices.DeleteFunc(slices.Clone(all), func(row R) bool {
		if at != nil {
			if t := at(row); t.Before(over.Since) || !over.Until.IsZero() && !t.Before(over.Until) {
				return true
			}
		}
		return texts != nil && !strings.Contains(strings.ToLower(strings.Join(texts(row), "\n")), find)
	}), over
}

// Search is the form above a list that looks for a text.
type Search struct {
	Action, Text string
	Hidden       url.Values // what else is asked for
}

// whole marks the reading of a list for a file.
type whole struct{}

// PerPage is how many rows a part of a list has: so many on a page, and more for a file.
func PerPage(ctx context.Context, shown, filed int) int {
	if ctx.Value(whole{}) != nil {
		return filed
	}
	return shown
}

// Reader gives the title and the body of a page.
type Reader = func(context.Context, *http.Request, *Visit) (title string, body any, err error)

// maxListed bounds how many rows a download has, and maxCompared how many are counted to compare
// two ranges.
const (
	maxListed   = 50_000
	maxCompared = 2_000
)

// List are the addresses of a list whose body is [Listed]: its page, drawn with a template, and the
// list as filtered as a file of the page's name with ".csv".
func (f *Frame) List(at, template string, read Reader) []Page {
	return []Page{
		{Pattern: "GET " + at, Right: identity.See, Serve: f.listed(at, template, read)},
		{Pattern: "GET " + at + ".csv", Right: identity.See, Serve: f.file(path.Base(at)+".csv", read)},
	}
}

// listed draws the page of a list.
func (f *Frame) listed(at, template string, read Reader) Handler {
	return func(w http.ResponseWriter, r *http.Request, v *Visit) error {
		ctx, cancel := context.WithTimeout(r.Context(), patience)
		defer cancel()
		title, body, err := read(ctx, r, v)
		if err != nil {
			return err
		}
		s := v.Sheet(title, template, body)
		t := body.(Listed).Table()
		s.Range = t.Range
		if t.Sifts {
			s.Search = &Search{f.Base(r) + at, r.URL.Query().Get("q"), url.Values{}}
			maps.Copy(s.Search.Hidden, r.URL.Query())
			s.Search.Hidden.Del("q")
		}
		if s.Range != nil && s.Range.Days > 0 && !t.Alone {
			change := map[string]string{"compare": "1"}
			if r.URL.Query().Get("compare") != "" {
				if err := f.compare(ctx, r, v, read, t); err != nil {
					return Unread(err)
				}
				change["compare"] = ""
			}
			s.Range.Compare = f.Base(r) + Link(r, at, change)
		}
		s.Actions = append(s.Actions, Action{Text: v.Say("frame.download"), Href: f.Base(r) + Link(r, at+".csv", nil)})
		f.Show(w, r, http.StatusOK, s)
		return nil
	}
}

// compare counts what a list has in its range and in the one before.
func (f *Frame) compare(ctx context.Context, r *http.Request, v *Visit, read Reader, t Table) error {
	in := t.Range
	count := func(until time.Time) (n int, err error) {
		if t.Whole != nil {
			return t.Whole(ctx, until.AddDate(0, 0, 1-in.Days), until.AddDate(0, 0, 1))
		}
		err = walk(ctx, r, v, read, Link(r, "", map[string]string{"until": until.Format(time.DateOnly)}),
			func(t Table) bool { n += len(t.Rows); return n < maxCompared })
		return min(n, maxCompared), err
	}
	now, err := count(in.Last())
	if err != nil {
		return err
	}
	before, err := count(in.Since.AddDate(0, 0, -1))
	in.Compared = &Compared{
		Now: now, Before: before, Bounded: t.Whole == nil && max(now, before) == maxCompared,
		Part: float64(now-before) / float64(max(before, 1)),
	}
	return err
}

// file serves a list as a file.
func (f *Frame) file(name string, read Reader) Handler {
	return func(w http.ResponseWriter, r *http.Request, v *Visit) error {
		var out *csv.Writer
		rows := 0
		err := walk(context.WithValue(r.Context(), whole{}, true), r, v, read, Link(r, "", nil), func(t Table) bool {
			if out == nil {
				out = Download(w, name, t.Columns...)
			}
			for _, row := range t.Rows {
				out.Write(cellsOf(row))
			}
			out.Flush()
			rows += len(t.Rows)
			return rows < maxListed
		})
		if out != nil {
			return nil // what was sent is a list that ends early where there is an error
		}
		return err
	}
}

// walk reads the parts of a list from the one at an address on, until a function says that it is
// enough.
func walk(ctx context.Context, r *http.Request, v *Visit, read Reader, at string, each func(Table) bool) error {
	for {
		part := r.Clone(ctx)
		_, part.URL.RawQuery, _ = strings.Cut(at, "?")
		_, body, err := read(ctx, part, v)
		if err != nil {
			return err
		}
		t := body.(Listed).Table()
		if !each(t) || t.Next == "" {
			return ctx.Err()
		}
		at = t.Next
	}
}

// cellsOf writes the cells of a row for a file.
func cellsOf(row []any) (cells []string) {
	for _, cell := range row {
		switch cell := cell.(type) {
		case time.Time:
			text := ""
			if !cell.IsZero() {
				text = cell.UTC().Format(time.RFC3339)
			}
			cells = append(cells, text)
		case []string:
			cells = append(cells, Plain(strings.Join(cell, " ")))
		case int, int64, float64: // a minus is no formula
			cells = append(cells, fmt.Sprint(cell))
		default:
			cells = append(cells, Plain(fmt.Sprint(cell)))
		}
	}
	return cells
}

// places are the parameters that say where a part of a list begins.
var places = []string{"after", "before", "at", "of", "request"}

// Link is the address of a list's page with the parameters of a request, some of them changed, from
// the list's beginning. A parameter that is changed to nothing is left out.
func Link(r *http.Request, page string, change map[string]string) string {
	q := url.Values{}
	maps.Copy(q, r.URL.Query())
	for _, place := range places {
		q.Del(place)
	}
	for name, value := range change {
		q.Set(name, value)
	}
	maps.DeleteFunc(q, func(_ string, values []string) bool { return values[0] == "" })
	if len(q) == 0 && page != "" {
		return page
	}
	return page + "?" + q.Encode()
}

// Download begins a file of a list, with the names of its columns.
func Download(w http.ResponseWriter, name string, columns ...string) *csv.Writer {
	header := w.Header()
	header.Set("Content-Type", "text/csv; charset=utf-8")
	header.Set("Content-Disposition", `attachment; filename="`+name+`"`)
	header.Set("Cache-Control", "no-store")
	header.Set("X-Content-Type-Options", "nosniff")
	out := csv.NewWriter(w)
	_ = out.Write(columns) // when it fails, the browser has gone
	return out
}

// Plain keeps a text of strangers from being a formula where a table is opened.
func Plain(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r", rune(text[0])) {
		return "'" + text
	}
	return text
}
