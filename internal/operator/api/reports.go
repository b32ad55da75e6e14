package api

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/infra/httpx"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/licensing/reports"
)

// ReportsPath is where reports are: NAME stands behind it (RAMP v1, reporting endpoints).
const ReportsPath = "/api/v1/reports/"

// ReportsHandler answers at ReportsPath and below: GET gives a report, by its name in the protocol
// or its short one, of the time from ≤ time < to. It is JSON, CSV or lines of JSON, as ?format= or
// Accept says, and is sent as it is read: one that is cut short ends without the end of its
// transfer, so that nobody takes it for the whole.
func ReportsHandler(books reports.Reporter) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		want, err := wantedReport(r)
		if err != nil {
			WriteError(w, r, err)
			return
		}
		httpx.EventFrom(r.Context()).Set("report", want.Report)
		out := &stream{w: w, r: r, form: want.Form, name: want.Report + "-" + books.Now().UTC().Format("20060102-1504")}
		out.finish(books.Write(r.Context(), out, want))
	})
}

// reportParameters are what a request for a report may say.
var reportParameters = []string{"from", "to", "site", "buyer", "currency", "grace", "format"}

// wantedReport reads which report a request asks for.
func wantedReport(r *http.Request) (want reports.Request, err error) {
	q, err := parameters(r, reportParameters...)
	if err != nil {
		return want, err
	}
	want = reports.Request{Report: reports.ByRAMPName(strings.TrimPrefix(r.URL.Path, ReportsPath)), Site: q["site"],
		Buyer: q["buyer"], Currency: q["currency"]}
	if want.Form, err = formOf(r, q["format"], reports.JSON, reports.CSV, reports.Lines); err != nil {
		return want, err
	}
	if want.Since, err = instant("from", q["from"]); err != nil {
		return want, err
	}
	if want.Until, err = instant("to", q["to"]); err != nil {
		return want, err
	}
	want.Grace = reports.DefaultGrace(want.Report)
	if text := q["grace"]; text != "" {
		if reports.DefaultGrace(want.Report) == 0 {
			return want, fail.New(fail.Invalid,
				"grace is of the reports leakage-check, reconciliation and reconciliation-days alone")
		}
		if want.Grace, err = time.ParseDuration(text); err != nil {
			return want, fail.New(fail.Invalid, "grace is a span such as 30m")
		}
	}
	return want, want.Check()
}

// parameters gives the parameters of a request's query, which may be none but those that are named,
// each once.
func parameters(r *http.Request, names ...string) (map[string]string, error) {
	given := map[string]string{}
	for name, values := range r.URL.Query() {
		known := false
		for _, n := range names {
			known = known || n == name
		}
		if !known || len(values) != 1 {
			return nil, fail.New(fail.Invalid, "the parameters of this address are %s, each once; "+
				"%.40q is none, or there twice", strings.Join(names, ", "), name)
		}
		given[name] = values[0]
	}
	return given, nil
}

// instant reads a time, or a day, which is its beginning by UTC; the zero time where there is none.
func instant(name, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if at, err := time.Parse(layout, text); err == nil {
			return at.UTC(), nil
		}
	}
	return time.Time{}, fail.New(fail.Invalid, "%s: %.40q is no time; write it like 2027-01-31T00:00:00Z or 2027-01-31",
		name, text)
}

// media are the media types of forms.
var media = map[string]string{
	reports.JSON: "application/json", reports.CSV: "text/csv; charset=utf-8; header=present",
	reports.Lines: "application/jsonl",
}

// formOf is the form that a request asks for, of some: by a parameter, or else by Accept, and the
// first where it takes several alike.
func formOf(r *http.Request, format string, forms ...string) (string, error) {
	if format != "" && slices.Contains(forms, format) {
		return format, nil
	}
	if format != "" {
		return "", fail.New(fail.Invalid, "format has to be one of %s", strings.Join(forms, ", "))
	}
	kinds := map[string]string{"application/x-ndjson": reports.Lines} // as some call lines of JSON
	var all []string
	for _, form := range forms {
		kind, _, _ := strings.Cut(media[form], ";")
		kinds[kind], all = form, append(all, kind)
	}
	kind, ok := httpx.ChooseMedia(r.Header.Values("Accept"), append(all, "application/x-ndjson"))
	if !ok {
		return "", fail.New(fail.UnsupportedFormat, "it can be had as %s", strings.Join(all, ", "))
	}
	return kinds[kind], nil
}

// stream is an answer that is sent as it is written. Its head is sent with its first byte, so that
// until then there can be an error in its place.
type stream struct {
	w          http.ResponseWriter
	r          *http.Request
	form, name string
	begun      bool
}

// writeFor is how long the client may take to read what was written before more is.
const writeFor = time.Minute

func (s *stream) begin() {
	if s.begun {
		return
	}
	s.begun = true
	header := s.w.Header()
	header.Set("Content-Type", media[s.form])
	if s.form == reports.CSV {
		header.Set("Content-Disposition", `attachment; filename="`+s.name+`.csv"`)
	}
	header.Set("X-Content-Type-Options", "nosniff")
	s.w.WriteHeader(http.StatusOK)
}

// errHead ends what is written of an answer to HEAD.
var errHead = errors.New("nothing but the head is wanted")

// Write sends a part. A long answer may take longer than others, as long as somebody reads it.
func (s *stream) Write(b []byte) (int, error) {
	s.begin()
	if s.r.Method == http.MethodHead {
		return 0, errHead
	}
	// what has none, such as a test's, waits as it likes
	_ = http.NewResponseController(s.w).SetWriteDeadline(time.Now().Add(writeFor))
	return s.w.Write(b)
}

// finish ends the answer, or tells of an error.
func (s *stream) finish(err error) {
	switch {
	case err == nil || errors.Is(err, errHead):
		s.begin()
	case !s.begun:
		WriteError(s.w, s.r, err)
	default:
		if !errors.Is(err, context.Canceled) {
			httpx.EventFrom(s.r.Context()).Set("error", err.Error())
		}
		panic(http.ErrAbortHandler) // so that nobody takes a part for the whole
	}
}
