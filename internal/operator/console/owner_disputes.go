package console

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/identity"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/licensing/disputes"
	"frontdesk/internal/licensing/disputes/accesslog"
	"frontdesk/internal/licensing/disputes/enforcement"
	"frontdesk/internal/licensing/transactions"
	"frontdesk/internal/operator"
	"frontdesk/internal/operator/console/frame"
)

// Disputes are what the pages on disputes read and do.
type Disputes struct {
	Cases    *disputes.Reader
	Evidence *accesslog.Reader
	Measures *enforcement.Reader
	// Lift ends a measure, and Confirm confirms the end of an account; nil where no measures are
	// taken.
	Lift, Confirm func(ctx context.Context, id, by, note string) error
}

// disputeRow is a dispute in a list.
type disputeRow struct {
	disputes.Case
	Open     bool
	Credited string // the amount; empty for none
}

func newDisputeRow(c disputes.Case) disputeRow {
	row := disputeRow{Case: c, Open: c.Status.Open()}
	if c.Credit > 0 {
		row.Credited = money(c.Credit, c.Currency)
	}
	return row
}

// disputesBody is the list of disputes.
type disputesBody struct {
	listed
	Status disputes.Status
	Reason disputes.Reason
	Rows   []disputeRow
	Force  int // measures in force
}

// option is one of what can be chosen. Without a text of its own, the words of pages have it.
type option struct {
	Name, Says string
	Chosen     bool
}

// optionsOf are names that can be chosen, and the one that is.
func optionsOf[S ~string](all []S, chosen S) (options []option) {
	for _, one := range all {
		options = append(options, option{Name: string(one), Chosen: one == chosen})
	}
	return options
}

// Statuses are those by which disputes are listed, for the form.
func (b disputesBody) Statuses() []option { return optionsOf(disputes.Statuses, b.Status) }

// Reasons are those by which disputes are listed, for the form.
func (b disputesBody) Reasons() []option { return optionsOf(disputes.Reasons, b.Reason) }

// disputes lists disputes, the newest first, or the one of an id or of a transaction.
func (o *owner) disputes(ctx context.Context, r *http.Request, v *frame.Visit) (string, any, error) {
	body := disputesBody{listed: o.choose(r, "sales/disputes")}
	body.Status, body.Reason = disputes.Status(body.Asked("status")), disputes.Reason(body.Asked("reason"))
	from := o.config.Sales.Disputes
	force, err := from.Measures.Sanctions(ctx, false, perPage)
	if err != nil {
		return "", nil, err
	}
	body.Force = len(force)
	c, _, ok, err := from.Cases.Dispute(ctx, body.Find)
	if ok || err != nil {
		body.Rows = []disputeRow{newDisputeRow(c)}
		return v.Say("sales.disputes"), body, err
	}
	want := disputes.Filter{
		Buyer: body.Buyer, Site: body.Site, Reason: body.Reason, Status: body.Status,
		Since: body.since, Until: body.until,
	}
	body.Rows, err = filled(ctx, r, &body.listed, frame.Parts[disputeRow]{
		Cells: disputeRow.cells,
		Read: func(ctx context.Context, place string, limit int) ([]disputeRow, string, error) {
			want.Before, want.Limit = place, limit+1
			all, err := from.Cases.Disputes(ctx, want)
			all, next := cut(all, limit, func(c disputes.Case) string { return c.ID })
			return mapped(all, newDisputeRow), next, err
		},
	})
	return v.Say("sales.disputes"), body, err
}

// disputeBody is the story of one dispute.
type disputeBody struct {
	disputeRow
	Steps   []disputeStep
	Answers []answerRow
	Sale    transactions.Transaction
	Sold    bool // the transaction is there
	Cost    string
	May     bool // whoever looks may decide it
	Decides []option
}

// disputeStep is a step of a dispute, for people.
type disputeStep struct {
	disputes.Step
	Who string
}

// answerRow is an answer to a fetch, for people.
type answerRow struct {
	accesslog.Answer
	Who, Sent, How string
	Bad            bool
}

func newAnswerRow(v *frame.Visit, a accesslog.Answer) answerRow {
	row := answerRow{Answer: a, Sent: sizeSays(v, a.Bytes), How: fmt.Sprintf("HTTP %d", a.Status),
		Bad: a.Cut || a.Refused()}
	switch a.Kind {
	case accesslog.Own:
		row.Who = v.Say("deliveries.here")
	case accesslog.Edge:
		row.Who = v.Say("receipts.edge", a.By)
	default:
		row.Who = v.Say("disputes.log", a.By)
	}
	if a.Bound {
		row.Sent = v.Say("deliveries.at_most", row.Sent)
	}
	switch {
	case a.Status == 0:
		row.How = v.Say("disputes.went")
	case a.Open:
		row.How += ", " + v.Say("deliveries.is_begun")
	case a.Cut:
		row.How += ", " + v.Say("deliveries.is_cut")
	}
	return row
}

// dispute shows the story of one dispute, and has it decided.
func (o *owner) dispute(ctx context.Context, r *http.Request, v *frame.Visit) (string, any, error) {
	from := o.config.Sales.Disputes
	c, steps, ok, err := from.Cases.Dispute(ctx, r.PathValue("id"))
	if err != nil {
		return "", nil, err
	}
	if !ok {
		return "", nil, frame.Fail(fail.NotFound, "fault.dispute")
	}
	body := disputeBody{disputeRow: newDisputeRow(c)}
	for _, s := range steps {
		body.Steps = append(body.Steps, disputeStep{s, v.Called(strings.TrimPrefix(s.By, disputes.Operator))})
	}
	answers, err := from.Evidence.OfTransaction(ctx, c.Transaction)
	if err != nil {
		return "", nil, err
	}
	for _, a := range answers {
		body.Answers = append(body.Answers, newAnswerRow(v, a))
	}
	if body.Sale, body.Sold, err = o.config.Sales.Deals.Transaction(ctx, c.Transaction); err != nil {
		return "", nil, err
	}
	body.Cost = money(body.Sale.Amount, body.Sale.Price.Currency)
	if body.May = v.May(identity.Operate) && c.Status.Open(); body.May {
		for _, as := range disputes.Resolutions {
			if as != disputes.Investigation || c.Status != disputes.Escalated {
				body.Decides = append(body.Decides, option{Name: string(as)})
			}
		}
	}
	return v.Say("disputes.one") + " " + c.ID, body, nil
}

// decideDispute decides a dispute.
func (o *owner) decideDispute(r *http.Request, v *frame.Visit) (did, to string, err error) {
	in := operator.DecideDispute{Resolution: r.PostForm.Get("as"), Note: field1(r, "note")}
	in.ID = r.PathValue("id")
	if !slices.Contains(disputes.Resolutions, disputes.Resolution(in.Resolution)) {
		return "", "", frame.Fail(fail.Invalid, "fault.decision")
	}
	_, err = do(o, r, v, in)
	return "decided the dispute " + in.ID + ": " + in.Resolution, "sales/disputes/" + in.ID, err
}

// measuresBody is the measures that were taken.
type measuresBody struct {
	listed
	All  bool // not those in force alone
	Rows []measureRow
	May  bool
}

// measureRow is a measure, for people.
type measureRow struct {
	enforcement.Sanction
	Is    string // the end of a key of words
	Stops bool   // it holds somebody to something
	Ends  bool   // it waits to be confirmed
}

func newMeasureRow(m enforcement.Sanction) measureRow {
	row := measureRow{
		Sanction: m, Is: string(m.Level), Stops: m.Level == enforcement.RateLimited || m.Level == enforcement.Closure,
		Ends: m.Level == enforcement.Closure && m.Confirmed.IsZero() && m.Lifted.IsZero(),
	}
	if m.Level == enforcement.Closure && !m.Confirmed.IsZero() {
		row.Is = "closed"
	}
	return row
}

// measures lists measures, the newest first.
func (o *owner) measures(ctx context.Context, r *http.Request, v *frame.Visit) (string, any, error) {
	from := o.config.Sales.Disputes
	body := measuresBody{listed: o.choose(r, "sales/measures", "all"), May: from.Lift != nil && v.May(identity.Operate)}
	body.All = body.Asked("all") != ""
	all, err := from.Measures.Sanctions(ctx, body.All, 10*perPage)
	if err != nil {
		return "", nil, err
	}
	for i := range all {
		all[i].By = v.Called(all[i].By)
	}
	at := func(m measureRow) time.Time { return m.Imposed }
	body.Rows, _ = frame.Sift(r, o.Now(), mapped(all, newMeasureRow), at, func(m measureRow) []any {
		return append(m.cells(), m.Month, v.Term("measures.is", m.Is), v.Told("cause", m.Cause))
	})
	return v.Say("measures.title"), body, nil
}

// changeMeasure lifts a measure, or confirms an end.
func (o *owner) changeMeasure(r *http.Request, v *frame.Visit) (did, to string, err error) {
	from := o.config.Sales.Disputes
	do, done := map[string]func(context.Context, string, string, string) error{"lift": from.Lift,
		"confirm": from.Confirm}[r.PostForm.Get("do")], r.PostForm.Get("do")
	if do == nil {
		return "", "", frame.Fail(fail.Invalid, "fault.deed")
	}
	id := r.PostForm.Get("measure")
	if err := do(operator.WithActor(r.Context(), v.Actor()), id, v.Actor(),
		strings.TrimSpace(r.PostForm.Get("note"))); err != nil {
		return "", "", err
	}
	return done + " the measure " + id, "sales/measures", nil
}
