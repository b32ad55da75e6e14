package console

import (
	"context"
	"errors"
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
	Name, Says, About   string
	Sites, Buyers, Must bool // it is of a site, of a buyer, and of an account that must be named
}

var reportKinds = []reportKind{
	{"revenue", "Revenue", "What each site earned, by day and account.", true, false, false},
	{"transactions", "Transactions", "Every purchase: the offer, what was charged, delivered and reported, and its entry in the ledger.", true, true, false},
	{"citations", "Citations", "Where items were named as the source: the address that was shown, in which form, whether people could see it, and when that was reported.", true, true, false},
	{"pages", "Pages", "What was bought of each page, and charged for it.", true, false, false},
	{"invoice", "Invoice", "What was charged to one account, purchase by purchase.", false, true, true},
	{"compliance", "Compliance", "Who reports what it owes, in time and near the estimate, by buyer.", false, false, false},
	{"leakage", "Leakage", "What was delivered without being bought, and bought without being delivered, as far as it is older than an hour.", true, false, false},
	{"reconciliation", "Differences", "Each purchase whose delivery and report contradict one another, and each delivery that nobody bought, with why: of days that are over for two days.", true, false, false},
	{"reconciliation-days", "Reconciliation", "How many purchases of each site were held against their deliveries and reports on each day, and how many differ.", true, false, false},
}

// reports shows what can be downloaded.
func (o *owner) reports(ctx context.Context, _ *http.Request, _ *frame.Visit) (string, any, error) {
	now := o.Now().UTC()
	body := reportsBody{Reports: reportKinds, Sites: o.config.Sales.Sites}
	body.Since, body.Until = time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC).Format(time.DateOnly), now.Format(time.DateOnly)
	return "Reports", body, nil
}

// downloadReport gives a report as a file, NAME.csv or NAME.jsonl. Both days of the form are part of it.
func (o *owner) downloadReport(w http.ResponseWriter, r *http.Request, _ *frame.Visit) error {
	q := r.URL.Query()
	name, form, _ := strings.Cut(r.PathValue("file"), ".")
	want := reports.Request{Report: name, Form: form, Site: q.Get("site"), Buyer: strings.TrimSpace(q.Get("buyer")), Currency: strings.ToUpper(strings.TrimSpace(q.Get("currency")))}
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
			return fail.New(fail.Invalid, "%.20q is no day; write it like 2027-01-31.", day.text)
		}
		*day.to = at.AddDate(0, 0, day.add)
	}
	want.Grace = reports.DefaultGrace(name)
	out := &download{w: w, name: name + "-" + o.Now().UTC().Format("20060102-1504") + "." + form, media: "text/csv; charset=utf-8; header=present"}
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

// download is a file that is sent as it is written. Its head is sent with its first byte, so that until then there can be a page
// in its place.
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
