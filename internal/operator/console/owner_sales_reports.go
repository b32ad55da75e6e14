package console

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/licensing/reports"
	"frontdesk/internal/operator/console/frame"
)

// reportsBody is the reports that can be downloaded.
type reportsBody struct {
	Reports []reportKind
	Sites   []Site
	Since   string // the day from which the forms begin
	Until   string
}

// reportKind is a report that can be downloaded.
type reportKind struct {
	Name                string
	Sites, Buyers, Must bool // it is of a site, of a buyer, and of an account that must be named
}

var reportKinds = []reportKind{
	{"revenue", true, false, false}, {"transactions", true, true, false}, {"citations", true, true, false},
	{"pages", true, false, false}, {"invoice", false, true, true}, {"compliance", false, false, false},
	{"leakage", true, false, false}, {"reconciliation", true, false, false},
	{"reconciliation-days", true, false, false},
}

// reports shows what can be downloaded.
func (o *owner) reports(_ context.Context, _ *http.Request, v *frame.Visit) (string, any, error) {
	now := o.Now().UTC()
	body := reportsBody{Reports: reportKinds, Sites: o.config.Sales.Sites}
	body.Since, body.Until = time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC).Format(time.DateOnly),
		now.Format(time.DateOnly)
	return v.Say("sales.reports"), body, nil
}

// downloadReport gives a report as a file, NAME.csv or NAME.jsonl. Both days of the form are part
// of it.
func (o *owner) downloadReport(w http.ResponseWriter, r *http.Request, _ *frame.Visit) error {
	q := r.URL.Query()
	name, form, _ := strings.Cut(r.PathValue("file"), ".")
	want := reports.Request{Report: name, Form: form, Site: q.Get("site"), Buyer: strings.TrimSpace(q.Get("buyer")),
		Currency: strings.ToUpper(strings.TrimSpace(q.Get("currency")))}
	for _, day := range []struct {
		text string
		to   *time.Time
		add  int
	}{{q.Get("since"), &want.Since, 0}, {q.Get("until"), &want.Until, 1}} {
		if day.text == "" {
			continue
		}
		at, err := time.Parse(time.DateOnly, day.text)
		if err != nil {
			return frame.Fail(fail.Invalid, "fault.day", fmt.Sprintf("%.20q", day.text))
		}
		*day.to = at.AddDate(0, 0, day.add)
	}
	want.Grace = reports.DefaultGrace(name)
	out := &download{w: w, name: name + "-" + o.Now().UTC().Format("20060102-1504") + "." + form,
		media: "text/csv; charset=utf-8; header=present"}
	if form == reports.Lines {
		out.media = "application/jsonl"
	}
	err := o.config.Sales.Reports.Write(r.Context(), out, want)
	switch {
	case err == nil:
		out.begin() // a report without rows
		return nil
	case !out.begun:
		return err
	case errors.Is(err, r.Context().Err()):
		return nil // nobody is there any more
	}
	panic(http.ErrAbortHandler) // so that nobody takes a part of the report for the whole
}

// download is a file that is sent as it is written. Its head is sent with its first byte, so that
// until then there can be a page in its place.
type download struct {
	w           http.ResponseWriter
	name, media string
	begun       bool
}

func (d *download) begin() {
	if d.begun {
		return
	}
	d.begun = true
	header := d.w.Header()
	header.Set("Content-Type", d.media)
	header.Set("Content-Disposition", `attachment; filename="`+d.name+`"`)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Cache-Control", "no-store")
	d.w.WriteHeader(http.StatusOK)
}

func (d *download) Write(b []byte) (int, error) {
	d.begin()
	return d.w.Write(b)
}
