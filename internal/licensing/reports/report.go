// Package reports writes what was sold for other programs, as CSV for spreadsheets, lines of JSON,
// or one JSON object. There are nine reports: revenue, pages, invoice, compliance of buyers,
// transactions, citations, leakage (deliveries without purchases and the reverse), reconciliation
// of deliveries, transactions and usage reports, and its daily counts.
//
// Rows are written as they are read, so a long report needs no more memory than a short one. No
// report has personal data: buyers are the names under which agents ask. The package owns no table
// and must not change any: it reads accounts, transactions, disputes and accesslog. Enter by
// [Reporter.Write].
package reports

import (
	"cmp"
	"context"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/licensing/accounts"
	"frontdesk/internal/licensing/disputes"
	"frontdesk/internal/licensing/disputes/accesslog"
	"frontdesk/internal/licensing/transactions"
	"frontdesk/internal/policy"
)

// Reporter writes reports from the stores of licensing. Its methods may be called concurrently.
type Reporter struct {
	Accounts     *accounts.Reader
	Transactions *transactions.Reader
	AccessLog    *accesslog.Reader // of logs that were imported
	Disputes     *disputes.Reader
	Now          func() time.Time
}

// The reports.
const (
	Revenue      = "revenue"      // what sites earned, by day and buyer
	Pages        = "pages"        // what was bought of each page
	Invoice      = "invoice"      // what was charged to an account, purchase by purchase
	Compliance   = "compliance"   // what buyers had to report of their use, and did
	Transactions = "transactions" // every transaction in detail
	Citations    = "citations"    // where items were named as the source, as buyers report it
	Leakage      = "leakage"      // deliveries without a transaction, and transactions without a delivery

	Reconciliation = "reconciliation"      // where deliveries, transactions and reports contradict one another
	Days           = "reconciliation-days" // how often they do, by day and site
)

var reports = []string{Revenue, Pages, Invoice, Compliance, Transactions, Citations, Leakage, Reconciliation, Days}

// names are the reports by what RAMP v1 calls them.
var names = map[string]string{
	"provider-revenue": Revenue, "buyer-invoice": Invoice, "compliance-status": Compliance,
	"transaction-detail": Transactions, "leakage-check": Leakage,
}

// ByRAMPName returns a report by its name in RAMP v1, such as provider-revenue. Other names are
// returned as they are.
func ByRAMPName(name string) string { return cmp.Or(names[name], name) }

// Request says which report is wanted, and of what. An empty field is no condition, unless its
// comment says otherwise.
type Request struct {
	Report string // one of the reports
	Form   string // CSV, Lines or JSON
	Site   string // of Revenue, Pages, Transactions, Citations, Leakage, Reconciliation and Days
	// Buyer is of Invoice, where it must be given, and of Transactions and Citations; Currency is
	// of Invoice, where it must be given.
	Buyer, Currency string
	// Since and Until are the time that is reported on: Since ≤ time < Until. An Invoice must say
	// since when, and is until now where it does not say more. Of Revenue, Reconciliation and Days
	// they are the beginnings of days.
	Since, Until time.Time
	After        string // of Audit and Differences: the id of a transaction behind which to begin
	// Grace is how old something is at the least that is told of, of Leakage; of Reconciliation and
	// Days, how long a day is over.
	Grace time.Duration
}

// DefaultGrace is the Grace of a report if none is asked for; 0 for reports without any.
func DefaultGrace(name string) time.Duration {
	switch name {
	case Leakage:
		return Grace
	case Reconciliation, Days:
		return MinAge
	}
	return 0
}

// Check says what is wrong with what is wanted, as fail.Invalid; nil for nothing.
func (w Request) Check() error {
	switch {
	case !slices.Contains(reports, w.Report):
		return fail.New(fail.NotFound, "there is no report %.40q; there are %s", w.Report, strings.Join(reports, ", "))
	case w.Form != CSV && w.Form != Lines && w.Form != JSON:
		return fail.New(fail.Invalid, "there is no report as %.20q; there are %s, %s and %s", w.Form, CSV, Lines, JSON)
	case w.Report == Invoice && (w.Buyer == "" || w.Currency == ""):
		return fail.New(fail.Invalid, "an invoice is of one account; say whose, and in which currency")
	case w.Report == Invoice && w.Since.IsZero():
		return fail.New(fail.Invalid, "an invoice is for a time; say from when on")
	case !w.Until.IsZero() && !w.Since.Before(w.Until):
		return fail.New(fail.Invalid, "a report is for a time that ends after it begins")
	case w.Grace < 0:
		return fail.New(fail.Invalid, "what is told of cannot be younger than now")
	}
	return nil
}

// Write writes a report. Amounts and rates are decimal numbers of their currency; what there is not
// is left out. The error is fail.Invalid for a report that there cannot be, and fail.NotFound for
// an invoice where there is no such account: nothing was written then. With any other error, what
// was written is a part of the report.
func (b Reporter) Write(ctx context.Context, w io.Writer, want Request) error {
	if err := want.Check(); err != nil {
		return err
	}
	switch want.Report {
	case Revenue:
		return write(w, want.Form, b.Accounts.Earnings(ctx, want.Site, want.Since, want.Until), earnings)
	case Pages:
		return write(w, want.Form, b.pages(ctx, want), paged)
	case Invoice:
		until := want.Until
		if until.IsZero() {
			until = b.Now()
		}
		return write(w, want.Form,
			b.invoiced(ctx, b.Accounts.Invoice(ctx, want.Buyer, want.Currency, want.Since, until)), charges)
	case Compliance:
		return write(w, want.Form, b.complied(ctx, want), complied)
	case Citations:
		return write(w, want.Form, b.citations(ctx, want), cited)
	case Leakage:
		return write(w, want.Form, b.leaks(ctx, want), leakage)
	case Reconciliation:
		return write(w, want.Form, b.differences(ctx, want), differing)
	case Days:
		return write(w, want.Form, b.reconciledDays(ctx, want), reconciling)
	}
	return write(w, want.Form, b.transactions(ctx, want), details)
}

// moment is a time; nil for none.
func moment(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UTC().Format(time.RFC3339Nano)
}

// text is a text; nil for none.
func text(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// percent is a part of a whole with one decimal, rounded down, so that 100 is all; nil of nothing.
func percent(part, whole int64) any {
	if whole <= 0 {
		return nil
	}
	tenths := part * 1000 / whole
	return strconv.FormatInt(tenths/10, 10) + "." + strconv.FormatInt(tenths%10, 10)
}

var earnings = []column[accounts.Earning]{
	{"day", func(e accounts.Earning) any { return e.Day.Format(time.DateOnly) }},
	{"site", func(e accounts.Earning) any { return e.Site }},
	{"buyer", func(e accounts.Earning) any { return e.Buyer }},
	{"currency", func(e accounts.Earning) any { return e.Currency }},
	{"amount", func(e accounts.Earning) any { return policy.Amount(e.Amount) }},
	{"movements", func(e accounts.Earning) any { return e.Movements }},
}

var charges = []column[charged]{
	{"time", func(c charged) any { return moment(c.At) }},
	{"transaction", func(c charged) any { return c.Purchase }},
	{"buyer", func(c charged) any { return c.Buyer }},
	{"site", func(c charged) any { return c.Site }},
	{"model", func(c charged) any { return c.Model }},
	{"kind", func(c charged) any { return c.Kind }},
	{"rate", func(c charged) any { return policy.Amount(c.Rate) }},
	{"estimated", func(c charged) any { return c.Quantity }},
	{"reported", func(c charged) any {
		if c.Reported < 0 {
			return nil
		}
		return c.Reported
	}},
	{"currency", func(c charged) any { return c.Currency }},
	{"amount", func(c charged) any { return policy.Amount(c.Amount) }},
	{"dispute", func(c charged) any { return text(c.disputed.ID) }},
	{"dispute_status", func(c charged) any { return text(string(c.disputed.Status)) }},
}

// complied has two rates that are not the same: whether reports came in time, of all whose window
// is over or that came; and whether they were near the estimates.
var complied = []column[compliance]{
	{"buyer", func(c compliance) any { return c.Buyer }},
	{"purchases", func(c compliance) any { return c.Purchases }},
	{"in_time", func(c compliance) any { return c.InTime }},
	{"late", func(c compliance) any { return c.Late }},
	{"overdue", func(c compliance) any { return c.Overdue }},
	{"pending", func(c compliance) any { return c.Pending }},
	{"waived", func(c compliance) any { return c.Waived }},
	{"in_time_percent", func(c compliance) any { return percent(c.InTime, c.InTime+c.Late+c.Overdue) }},
	{"reports", func(c compliance) any { return c.Reports }},
	{"off_estimate", func(c compliance) any { return c.Deviant }},
	{"near_estimate_percent", func(c compliance) any { return percent(c.Reports-c.Deviant, c.Reports) }},
	{"last_purchase", func(c compliance) any { return moment(c.LastPurchase) }},
	{"last_report", func(c compliance) any { return moment(c.LastReport) }},
	{"oldest_overdue", func(c compliance) any { return moment(c.OldestOverdue) }},
	{"disputes", func(c compliance) any { return c.disputes }},
	{"disputes_open", func(c compliance) any { return c.open }},
	{"disputes_credited", func(c compliance) any { return c.credited }},
}
