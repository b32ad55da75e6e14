package console

import (
	"context"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/identity"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/outbox"
	"frontdesk/internal/intake"
	"frontdesk/internal/intake/offers"
	"frontdesk/internal/intake/vault"
	"frontdesk/internal/operator/console/frame"
	"frontdesk/internal/operator/console/plot"
)

// InboxConfig says what the inbox shows of what agents submit, and what it does. Nothing of it may
// be nil. What is done is done for an operator, and by says for whom.
type InboxConfig struct {
	// Intakes gives those that are declared, in their order.
	Intakes func() []InboxIntake
	// ViewersRead says whether viewers read what was submitted, offered and bound, as operators do.
	ViewersRead bool

	List   func(context.Context, vault.Filter) ([]vault.ListEntry, error)
	ToDo   func(context.Context) (intake.Tasks, error)
	Open   func(context.Context) (int, error) // how much waits for a person
	Counts func(ctx context.Context, since time.Time) ([]vault.DayCount, error)
	Look   func(ctx context.Context, id string) (*intake.Request, error)

	// Preview is what an agent will be answered with an outcome, as JSON.
	Preview func(r *http.Request, q *intake.Request, o offers.Outcome) ([]byte, error)
	Answer  func(ctx context.Context, id string, o offers.Outcome, by string) error
	Done    func(ctx context.Context, offer, by string) error
	Again   func(ctx context.Context, offer string) (bool, error)
	Erase   func(ctx context.Context, sessionOrOffer, by string) (int, error)
}

// InboxIntake is an intake that is declared.
type InboxIntake struct {
	ID, Name string
	Binding  bool          // its offers can be bound
	Requires []string      // what a bind of them needs where they do not say
	For      time.Duration // how long they stand where they do not say
	TermsURL string
}

// intake gives what is declared of an intake; of one that is declared no more its id stands for its
// name.
func (c *InboxConfig) intake(id string) InboxIntake {
	for _, one := range c.Intakes() {
		if one.ID == id {
			return one
		}
	}
	return InboxIntake{ID: id, Name: id}
}

// inboxRoutes serve the inbox.
func (o *owner) inboxPages() []frame.Page {
	return append(o.List("inbox", "inbox", o.inbox), []frame.Page{
		{Pattern: "POST inbox/find", Right: identity.See, Serve: o.findRequest},
		{Pattern: "GET inbox/{id}", Right: identity.See, Serve: o.request},
		{Pattern: "POST inbox/{id}/answer", Right: identity.Operate, Serve: o.answer},
		{Pattern: "POST inbox/{id}/done", Right: identity.Operate, Serve: o.Act(o.markDone)},
		{Pattern: "POST inbox/{id}/again", Right: identity.Operate, Serve: o.Act(o.tryAgain)},
		{Pattern: "GET inbox/{id}/erase", Right: identity.Operate, Serve: o.Draw("erase", o.askErase)},
		{Pattern: "POST inbox/{id}/erase", Right: identity.Operate, Serve: o.Act(o.erase)},
	}...)
}

// states are those of a submission. The words of pages say what they are called.
var states = []string{"waiting", "offered", "declined", "bound", "expired", "erased"}

// inboxRow is a submission as it is listed.
type inboxRow struct {
	vault.ListEntry
	Name  string // of the intake
	State vault.State
	Note  string
}

// newInboxRow says how a submission stands.
func (o *owner) newInboxRow(v *frame.Visit, l vault.ListEntry, now time.Time) inboxRow {
	row := inboxRow{ListEntry: l, Name: o.config.Inbox.intake(l.Intake).Name, State: l.StateAt(now)}
	switch row.State {
	case vault.Waiting, vault.Offered:
		row.Note = v.Say("list.until", v.Moment(l.Expires))
	case vault.Expired:
		row.Note = v.Moment(l.Expires)
		if l.Offer == "" {
			row.Note = v.Say("inbox.unanswered", row.Note)
		}
	}
	if l.Bind != nil {
		switch {
		case !l.Bind.Done.IsZero():
			row.Note = v.Say("inbox.done_on", v.Moment(l.Bind.Done))
		case l.Bind.Sink == "":
			row.Note = v.Say("inbox.turn", v.Moment(l.Bind.CreatedAt))
		default:
			row.Note = v.Say("inbox.delivering", v.Moment(l.Bind.CreatedAt))
		}
	}
	return row
}

// inboxBody is the inbox.
type inboxBody struct {
	listed
	Answer    []inboxRow
	Do        []inboxRow
	Failed    []failedRow
	Funnel    *funnel
	Intakes   []InboxIntake
	Platforms []string
	States    []string
	Rows      []inboxRow
	Find      string // what was looked for, in place of what is chosen
	Last      string // the id of the last one that is shown of what was looked for, where there are more
	Wrong     template.HTML
}

// failedRow is a bind whose delivery failed.
type failedRow struct {
	inboxRow
	Effect outbox.Pending
}

// inbox shows what agents submitted: what somebody has to see to, what became of it all, and the
// list.
func (o *owner) inbox(ctx context.Context, r *http.Request, v *frame.Visit) (string, any, error) {
	now := o.Now()
	body := inboxBody{listed: o.choose(r, "inbox"), States: states, Intakes: o.config.Inbox.Intakes()}
	filter := vault.Filter{
		Intake: body.Asked("intake"), Platform: body.Asked("platform"), State: vault.State(body.Asked("state")),
		Since: body.since, Until: body.until,
	}
	if !body.Later {
		if err := o.fillToDo(ctx, v, &body, now); err != nil {
			return "", nil, err
		}
	}
	tallies, err := o.config.Inbox.Counts(ctx, plot.FirstDay(now))
	if err != nil {
		return "", nil, err
	}
	for _, t := range tallies {
		body.Platforms = append(body.Platforms, t.Platform)
		if !slices.ContainsFunc(body.Intakes, func(i InboxIntake) bool { return i.ID == t.Intake }) {
			body.Intakes = append(slices.Clone(body.Intakes), InboxIntake{ID: t.Intake, Name: t.Intake})
		}
	}
	slices.Sort(body.Platforms)
	body.Platforms = slices.DeleteFunc(slices.Compact(body.Platforms), func(name string) bool { return name == "" })
	if !body.Later {
		name := func(id string) string { return o.config.Inbox.intake(id).Name }
		body.Funnel = newFunnel(tallies, now, filter, name).say(v)
	}
	body.Rows, err = filled(ctx, r, &body.listed, frame.Parts[inboxRow]{
		Read: func(ctx context.Context, place string, limit int) (all []inboxRow, next string, err error) {
			filter.Before, filter.Limit = place, limit+1
			some, err := o.config.Inbox.List(ctx, filter)
			some, next = cut(some, limit, func(l vault.ListEntry) string { return l.ID })
			for _, l := range some {
				all = append(all, o.newInboxRow(v, l, now))
			}
			return all, next, err
		},
	})
	if err != nil {
		body.Wrong = v.Why(frame.Unread(err))
	}
	return v.Say("inbox.title"), body, nil
}

// fillToDo looks for what somebody has to see to.
func (o *owner) fillToDo(ctx context.Context, v *frame.Visit, body *inboxBody, now time.Time) error {
	todo, err := o.config.Inbox.ToDo(ctx)
	if err != nil {
		return err
	}
	for _, l := range todo.ToAnswer {
		body.Answer = append(body.Answer, o.newInboxRow(v, l, now))
	}
	for _, l := range todo.ToComplete {
		body.Do = append(body.Do, o.newInboxRow(v, l, now))
	}
	for _, f := range todo.Failed {
		body.Failed = append(body.Failed, failedRow{o.newInboxRow(v, f.ListEntry, now), f.Effect})
	}
	return nil
}

// maxFind bounds what is looked for, in bytes.
const maxFind = 256

// findRequest looks for what was submitted by the id of a session, an offer, an agent or a
// submission. It is a POST, so that no such id gets into an address, and with it into the histories
// of browsers.
func (o *owner) findRequest(w http.ResponseWriter, r *http.Request, v *frame.Visit) error {
	ctx, cancel := context.WithTimeout(r.Context(), patience)
	defer cancel()
	find, now := strings.TrimSpace(r.PostForm.Get("find")), o.Now()
	if find == "" || len(find) > maxFind {
		return frame.Fail(fail.Invalid, "fault.find", maxFind)
	}
	filter := vault.Filter{Find: find, Limit: perPage + 1}
	body := inboxBody{States: states, Intakes: o.config.Inbox.Intakes(), Find: find}
	if filter.Before = r.PostForm.Get("before"); filter.Before != "" {
		body.Later = true
	}
	all, err := o.config.Inbox.List(ctx, filter)
	if err != nil {
		return err
	}
	if len(all) == 1 && !body.Later {
		o.To(w, r, "inbox/"+url.PathEscape(all[0].ID))
		return nil
	}
	for i, l := range all {
		if i == perPage {
			body.Last = all[i-1].ID
			break
		}
		body.Rows = append(body.Rows, o.newInboxRow(v, l, now))
	}
	o.Show(w, r, http.StatusOK, v.Sheet(v.Say("inbox.title"), "inbox", body))
	return nil
}
