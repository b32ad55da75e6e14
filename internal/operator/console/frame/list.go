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
	"strconv"
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
	Finds bool // the list has a form of its own to look for a text; see Sift and Parts
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

// sieve says which rows of a list its address asks for: those of its days, which are all where it
// says none, and those with its text in their cells.
type sieve[R any] struct {
	over  *Range
	text  string
	at    func(R) time.Time // nil for rows of no time, and for those that are read by days
	cells func(R) []any     // nil for rows that are found otherwise
}

func (s sieve[R]) keeps(row R) bool {
	if s.at != nil && !s.over.has(s.at(row)) {
		return false
	}
	return s.text == "" || s.cells == nil ||
		strings.Contains(strings.ToLower(strings.Join(cellsOf(s.cells(row)), "\n")), s.text)
}

// soughtBy is the text that a list is searched for, in lower case.
func soughtBy(r *http.Request) string { return strings.ToLower(sought(r.URL.Query().Get("q"))) }

// Sift gives the rows of a list that is read whole which the address of its page asks for. Without
// at they are of no time, and without cells they are found otherwise.
func Sift[R any](r *http.Request, now time.Time, all []R, at func(R) time.Time, cells func(R) []any) ([]R, *Range) {
	s := sieve[R]{AnyRange(r, now), soughtBy(r), at, cells}
	return slices.DeleteFunc(slices.Clone(all), func(row R) bool { return !s.keeps(row) }), s.over
}

// Parts is a list that a store gives in parts.
type Parts[R any] struct {
	// Read gives up to so many rows from a place on, and the place at which the list goes on; empty
	// at its end.
	Read  func(ctx context.Context, place string, limit int) (rows []R, next string, err error)
	At    func(R) time.Time // when a row began; nil where Read gives those of the request's days alone
	Cells func(R) []any     // by which rows are found; nil where Read gives those with its text alone
}

// perPage is how many rows a part of a list has on a page, and perFile in a file.
const (
	perPage = 50
	perFile = 500
)

// Fill gives a page of the rows of a list that its address asks for, from a place on. It reads part
// after part for them, but no longer than half of the time that a page has: then there are fewer,
// and the list goes on from there.
func (p Parts[R]) Fill(ctx context.Context, r *http.Request, now time.Time, place string) (
	rows []R, next string, err error,
) {
	s, most := sieve[R]{AnyRange(r, now), soughtBy(r), p.At, p.Cells}, PerPage(ctx, perPage, perFile)
	sifts := s.at != nil && s.over.Days > 0 || s.cells != nil && s.text != ""
	for next = place; ; {
		some, after, err := p.Read(ctx, next, most)
		if err != nil {
			return rows, "", err
		}
		for _, row := range some {
			if !sifts || s.keeps(row) {
				rows = append(rows, row)
			}
		}
		if next = after; next == "" || !sifts || len(rows) >= most || hurried(ctx) {
			return rows, next, nil
		}
	}
}

// hurried says whether half of the time is over that a page has.
func hurried(ctx context.Context) bool {
	end, bounded := ctx.Deadline()
	return bounded && time.Until(end) < patience/2
}

// Search is the form above a list that looks for a text.
type Search struct {
	Action, Text string
	Hidden       url.Values // what else is asked for
	All          string     // the address of the list without the text
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
		if !t.Finds {
			all := f.Base(r) + Link(r, at, map[string]string{"q": ""})
			s.Search = &Search{f.Base(r) + at, r.URL.Query().Get("q"), url.Values{}, all}
			maps.Copy(s.Search.Hidden, r.URL.Query())
			for _, name := range append(places, "q") {
				s.Search.Hidden.Del(name)
			}
		}
		if s.Range != nil {
			change := map[string]string{"compare": "1"}
			if s.Range.Days == 0 { // all days have none before
				change["days"] = strconv.Itoa(usualSpan)
			} else if r.URL.Query().Get("compare") != "" {
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
	in, bounded := t.Range, false
	count := func(last time.Time) (n int, err error) {
		if t.Whole != nil {
			return t.Whole(ctx, last.AddDate(0, 0, 1-in.Days), last.AddDate(0, 0, 1))
		}
		end := "until"
		if in.Days == 1 {
			end = "day"
		}
		err = walk(context.WithValue(ctx, whole{}, true), r, v, read,
			Link(r, "", map[string]string{end: last.Format(time.DateOnly)}), func(t Table) bool {
				n += len(t.Rows)
				if t.Next != "" && (n >= maxCompared || hurried(ctx)) {
					bounded = true
					return false
				}
				return true
			})
		return n, err
	}
	now, err := count(in.Last())
	if err != nil {
		return err
	}
	before, err := count(in.Since.AddDate(0, 0, -1))
	in.Compared = &Compared{
		Now: now, Before: before, Bounded: bounded, Part: float64(now-before) / float64(max(before, 1)),
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
