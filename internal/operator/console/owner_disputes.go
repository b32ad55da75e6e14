package console

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

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
	// Lift ends a measure, and Confirm confirms the end of an account; nil where no measures are taken.
	Lift, Confirm func(ctx context.Context, id, by, note string) error
}

// disputeRow is a dispute in a list.
type disputeRow struct {
	disputes.Case
	Stands string // its status
	Open   bool
	Came   string // what it came to
}

// statusSays are the statuses of disputes for people.
var statusSays = map[disputes.Status]string{
	disputes.Filed: "filed", disputes.AutoResolved: "decided at once", disputes.EvidenceNeeded: "waits for evidence", disputes.UnderReview: "under review", disputes.Escalated: "a person has to decide",
	disputes.Resolved: "decided", disputes.Appealed: "appealed", disputes.Settled: "settled", disputes.Final: "over",
}

// resolutionSays are what disputes come to, for people.
var resolutionSays = map[disputes.Resolution]string{
	disputes.Credit: "credited", disputes.Redelivery: "may be fetched again", disputes.Rejected: "rejected", disputes.Investigation: "looked into further",
}

// disputeWhy are reasons for people.
func disputeWhy(r disputes.Reason) string { return strings.ReplaceAll(string(r), "_", " ") }

func newDisputeRow(c disputes.Case) disputeRow {
	row := disputeRow{Case: c, Stands: statusSays[c.Status], Open: c.Status.Open(), Came: resolutionSays[c.Resolution]}
	if c.Credit > 0 {
		row.Came += " " + money(c.Credit, c.Currency)
	}
	return row
}

// Why is the reason, for people.
func (d disputeRow) Why() string { return disputeWhy(d.Reason) }

// disputesBody is the list of disputes.
type disputesBody struct {
	listed
	Status disputes.Status
	Reason disputes.Reason
	Rows   []disputeRow
	Force  int // measures in force
}

// option is one of what can be chosen.
type option struct {
	Name, Says string
	Chosen     bool
}

// Statuses are those by which disputes are listed, for the form.
func (b disputesBody) Statuses() (all []option) {
	for _, s := range disputes.Statuses {
		all = append(all, option{string(s), statusSays[s], s == b.Status})
	}
	return all
}

// Reasons are those by which disputes are listed, for the form.
func (b disputesBody) Reasons() (all []option) {
	for _, r := range disputes.Reasons {
		all = append(all, option{string(r), disputeWhy(r), r == b.Reason})
	}
	return all
}

// disputes lists disputes, the newest first, or finds one by its id or that of its transaction.
func (o *owner) disputes(ctx context.Context, r *http.Request, _ *frame.Visit) (string, any, error) {
	body := disputesBody{listed: o.choose(r, "disputes", "status", "reason", "days", "until")}
	body.Status, body.Reason = disputes.Status(body.chosen.Get("status")), disputes.Reason(body.chosen.Get("reason"))
	from := o.config.Sales.Disputes
	if body.Find != "" {
		c, _, ok, err := from.Cases.Dispute(ctx, body.Find)
		if err != nil {
			return "", nil, err
		}
		if ok {
			return "", nil, frame.Elsewhere("sales/disputes/" + c.ID)
		}
	} else {
		all, err := from.Cases.Disputes(ctx, disputes.Filter{
			Buyer: body.Buyer, Site: body.Site, Reason: body.Reason, Status: body.Status,
			Since: body.since, Until: body.until, Before: body.before, Limit: perPage + 1,
		})
		if err != nil {
			return "", nil, err
		}
		body.Rows = rows(&body.listed, all, newDisputeRow, func(c disputes.Case) string { return c.ID })
	}
	force, err := from.Measures.Sanctions(ctx, false, perPage)
	body.Force = len(force)
	return "Disputes", body, err
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
	Stands, Came, Who string
}

// answerRow is an answer to a fetch, for people.
type answerRow struct {
	accesslog.Answer
	Who, Sent, How string
	Bad            bool
}

func newAnswerRow(a accesslog.Answer) answerRow {
	row := answerRow{Answer: a, Sent: sizeSays(a.Bytes), How: fmt.Sprintf("HTTP %d", a.Status), Bad: a.Cut || a.Refused()}
	switch a.Kind {
	case accesslog.Own:
		row.Who = "this front desk"
	case accesslog.Edge:
		row.Who = "the edge " + a.By
	default:
		row.Who = "the log " + a.By
	}
	if a.Bound {
		row.Sent = "at most " + row.Sent
	}
	switch {
	case a.Status == 0:
		row.How = "the client went away"
	case a.Open:
		row.How += ", under way"
	case a.Cut:
		row.How += ", broke off"
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
		return "", nil, fail.New(fail.NotFound, "There is no such dispute.")
	}
	body := disputeBody{disputeRow: newDisputeRow(c)}
	for _, s := range steps {
		body.Steps = append(body.Steps, disputeStep{s, statusSays[s.To], resolutionSays[s.Resolution], strings.TrimPrefix(s.By, disputes.Operator)})
	}
	answers, err := from.Evidence.OfTransaction(ctx, c.Transaction)
	if err != nil {
		return "", nil, err
	}
	for _, a := range answers {
		body.Answers = append(body.Answers, newAnswerRow(a))
	}
	if body.Sale, body.Sold, err = o.config.Sales.Deals.Transaction(ctx, c.Transaction); err != nil {
		return "", nil, err
	}
	body.Cost = money(body.Sale.Amount, body.Sale.Price.Currency)
	if body.May = v.May(identity.Operate) && c.Status.Open(); body.May {
		for _, as := range disputes.Resolutions {
			if as != disputes.Investigation || c.Status != disputes.Escalated {
				body.Decides = append(body.Decides, option{Name: string(as), Says: map[disputes.Resolution]string{
					disputes.Credit: "Credit what was charged", disputes.Redelivery: "Let it be fetched again", disputes.Rejected: "Reject", disputes.Investigation: "Look into it further",
				}[as]})
			}
		}
	}
	return "Dispute " + c.ID, body, nil
}

// decideDispute decides a dispute.
func (o *owner) decideDispute(r *http.Request, v *frame.Visit) (did, to string, err error) {
	in := operator.DecideDispute{Resolution: r.PostForm.Get("as"), Note: field1(r, "note")}
	in.ID = r.PathValue("id")
	if !slices.Contains(disputes.Resolutions, disputes.Resolution(in.Resolution)) {
		return "", "", fail.New(fail.Invalid, "A dispute is credited, rejected, fetched again or looked into further.")
	}
	_, err = do(o, r, v, in)
	return "decided the dispute " + in.ID + ": " + in.Resolution, "sales/disputes/" + in.ID, err
}

// measuresBody is the measures that were taken.
type measuresBody struct {
	All  bool // not those in force alone
	Rows []measureRow
	May  bool
}

// measureRow is a measure, for people.
type measureRow struct {
	enforcement.Sanction
	Does  string
	Stops bool // it holds somebody to something
	Ends  bool // it waits to be confirmed
}

var stepSays = map[enforcement.Level]string{
	enforcement.Warning: "warned", enforcement.Flagged: "flagged: one reason at many sites", enforcement.Investigated: "to be looked into", enforcement.ImprovementPlan: "has to say what it will do better",
	enforcement.RateLimited: "held to a rate", enforcement.Closure: "account to be closed",
}

// measures lists measures, the newest first.
func (o *owner) measures(ctx context.Context, r *http.Request, v *frame.Visit) (string, any, error) {
	from := o.config.Sales.Disputes
	body := measuresBody{All: r.URL.Query().Get("all") != "", May: from.Lift != nil && v.May(identity.Operate)}
	all, err := from.Measures.Sanctions(ctx, body.All, 10*perPage)
	if err != nil {
		return "", nil, err
	}
	for _, m := range all {
		row := measureRow{Sanction: m, Does: stepSays[m.Level], Stops: m.Level == enforcement.RateLimited || m.Level == enforcement.Closure, Ends: m.Level == enforcement.Closure && m.Confirmed.IsZero() && m.Lifted.IsZero()}
		if m.Level == enforcement.Closure && !m.Confirmed.IsZero() {
			row.Does = "account closed"
		}
		body.Rows = append(body.Rows, row)
	}
	return "Measures", body, nil
}

// changeMeasure lifts a measure, or confirms an end.
func (o *owner) changeMeasure(r *http.Request, v *frame.Visit) (did, to string, err error) {
	from := o.config.Sales.Disputes
	do, done := map[string]func(context.Context, string, string, string) error{"lift": from.Lift, "confirm": from.Confirm}[r.PostForm.Get("do")], r.PostForm.Get("do")
	if do == nil {
		return "", "", fail.New(fail.Invalid, "A measure can be lifted here, and the end of an account confirmed.")
	}
	id := r.PostForm.Get("measure")
	if err := do(operator.WithActor(r.Context(), v.Actor()), id, v.Actor(), strings.TrimSpace(r.PostForm.Get("note"))); err != nil {
		return "", "", err
	}
	return done + " the measure " + id, "sales/measures", nil
}
