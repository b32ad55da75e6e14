// Package inbox has the operations on what agents submit for people (Agent Intake): a person lists
// and opens it, answers it, and says that it is done. Package intake does it.
package inbox

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/intake"
	"frontdesk/internal/intake/offers"
	"frontdesk/internal/intake/vault"
	"frontdesk/internal/operator"
	"frontdesk/wire/strictjson"
)

const (
	requestsPath = "/admin/requests"
	requestPath  = requestsPath + "/{id}"
)

// Operations are all of this package.
var Operations = []operator.Operation{
	operator.Define[ListRequests]("requests", "GET", requestsPath, "List what agents submitted, the newest first"),
	operator.Define[ShowRequest]("request", "GET", requestPath, "Read what was submitted, and what became of it"),
	operator.Define[AnswerRequest]("answerRequest", "POST", requestPath+"/answer",
		"Answer a request that waits for a person"),
	operator.Define[CompleteRequest]("completeRequest", "POST", requestPath+"/done",
		"Mark an accepted request as done"),
	operator.Define[RedeliverRequest]("redeliverRequest", "POST", requestPath+"/redeliver",
		"Deliver an accepted request again, at once"),
	operator.Define[EraseRequest]("eraseRequest", "DELETE", requestPath, "Erase what a session submitted, for good"),
}

// service is what takes in; an error where nothing is.
func service(o *operator.Operator) (*intake.Service, error) {
	if o.Intakes == nil {
		return nil, fail.New(fail.Invalid, "nothing is submitted here; declare an intake under intakes")
	}
	return o.Intakes, nil
}

// Request is what an agent submitted, as it is listed.
type Request struct {
	ID       string          `json:"id" column:"1:REQUEST"`
	Intake   string          `json:"intake" column:"3:INTAKE"`
	State    string          `json:"state" column:"5:STATE"` // waiting, offered, declined, bound, expired or erased
	Agent    string          `json:"agent,omitempty" column:"4:AGENT"`
	Platform string          `json:"platform,omitempty"`
	Session  string          `json:"session"`
	Offer    string          `json:"offer,omitempty"` // the id of the offer
	Made     operator.Second `json:"made" column:"2:SUBMITTED"`
	Expires  operator.Second `json:"expires"` // until when the answer stands, or is waited for
	Done     operator.Second `json:"done,omitzero"`
}

func requestOf(r vault.Record, bind *vault.Bind, state vault.State) Request {
	out := Request{
		ID: r.ID, Intake: r.Intake, State: string(state), Agent: r.Agent, Platform: r.Platform, Session: r.Session,
		Offer: r.Offer, Made: operator.Second{Time: r.CreatedAt}, Expires: operator.Second{Time: r.Expires},
	}
	if bind != nil {
		out.Done.Time = bind.Done
	}
	return out
}

// ListRequests lists what agents submitted, and opens none of it.
type ListRequests struct {
	Intake   string `json:"-" query:"intake" placeholder:"ID" help:"Only of this intake."`
	Platform string `json:"-" query:"platform" placeholder:"NAME" help:"Only of this platform."`
	State    string `json:"-" query:"state" placeholder:"STATE" help:"Only in this state: waiting, offered, declined, bound, expired or erased."`
	Before   string `json:"-" query:"before" placeholder:"ID" help:"Only those older than this request."`
	// Limit is how many a page has.
	Limit int `json:"-" query:"limit" most:"1000" usual:"100" default:"50" placeholder:"NUMBER" help:"How many at most (${default})."`
	operator.Printed
}

// RequestPage is a page of requests.
type RequestPage struct {
	Requests []Request `json:"requests"`
	Next     string    `json:"next,omitempty"` // the last of the page, before which there may be more
}

// Sealed says that the submissions are needed.
func (ListRequests) Sealed() {}

// Empty is what the command says where there is none.
func (ListRequests) Empty() string { return "Nothing was submitted." }

func (in ListRequests) Do(ctx context.Context, o *operator.Operator) (out RequestPage, err error) {
	s, err := service(o)
	if err != nil {
		return out, err
	}
	all, err := s.Inbox(ctx, vault.Filter{
		Intake: in.Intake, Platform: in.Platform, State: vault.State(in.State), Before: in.Before, Limit: in.Limit,
	})
	out.Requests = make([]Request, len(all))
	for i, l := range all {
		out.Requests[i] = requestOf(l.Record, l.Bind, l.StateAt(o.Now()))
	}
	if n := len(all); n > 0 && n == in.Limit {
		out.Next = all[n-1].ID
	}
	return out, err
}

// RequestID names a request.
type RequestID struct {
	ID string `json:"-" path:"id" arg:"" name:"id" help:"The id of the request."`
}

// Sealed says that it is opened.
func (RequestID) Sealed() {}

// find opens a request.
func (in RequestID) find(ctx context.Context, o *operator.Operator) (*intake.Service, *intake.Request, error) {
	s, err := service(o)
	if err != nil {
		return nil, nil, err
	}
	q, err := s.Find(ctx, in.ID)
	return s, q, err
}

// ShownRequest is what an agent submitted, opened, with what became of it.
type ShownRequest struct {
	Request
	Submitted strictjson.Value `json:"submitted,omitempty"` // left out where it is not kept, or erased
	Summary   string           `json:"summary,omitempty"`   // of the offer
	Details   strictjson.Value `json:"details,omitempty"`
	Declined  string           `json:"declined,omitempty"` // why
	Accepted  strictjson.Value `json:"accepted,omitempty"` // what the offer was accepted with
	// Undelivered is why the business could not be told that the offer was accepted.
	Undelivered string   `json:"undelivered,omitempty"`
	Entries     []string `json:"entries"` // of the ledger
}

// ShowRequest opens a request.
type ShowRequest struct{ RequestID }

func (in ShowRequest) Do(ctx context.Context, o *operator.Operator) (out ShownRequest, err error) {
	_, q, err := in.find(ctx, o)
	if err != nil {
		return out, err
	}
	out = ShownRequest{Request: requestOf(q.Record, q.Bind, q.StateNow), Submitted: q.Input, Accepted: q.Fields}
	out.Agent = q.From()
	if a := q.OpenedAnswer; a != nil {
		out.Summary, out.Details, out.Declined = a.Summary, a.Details, a.Reason
	}
	if q.Effect != nil {
		out.Undelivered = q.Effect.Reason
	}
	for _, e := range q.Entries {
		out.Entries = append(out.Entries, e.ID)
	}
	return out, nil
}

// AnswerRequest answers a request by an offer, or declines it.
type AnswerRequest struct {
	RequestID
	Summary  string           `json:"summary" placeholder:"TEXT" help:"The offer, as a person reads it."`
	Details  strictjson.Value `json:"details,omitempty" kong:"-"` // a JSON object; left out for none
	Days     int              `json:"days,omitempty" placeholder:"DAYS" help:"How long the offer is valid; without it, as the intake says."`
	Requires []string         `json:"requires,omitempty" placeholder:"NAME" help:"What has to be given to accept it; without it, as the intake says."`
	TermsURL string           `json:"terms_url,omitempty" name:"terms-url" placeholder:"URL" help:"Its terms; without it, the intake's."`
	Decline  string           `json:"decline,omitempty" placeholder:"TEXT" help:"Decline, for this reason."`
}

// Example is of the command.
func (AnswerRequest) Example() string {
	return "The agent gets the answer when it asks again.\n\nExamples:\n\n" +
		"\tfrontdesk intake answer ID --summary 'Two cooks, from four.' --days 7\n" +
		"\tfrontdesk intake answer ID --decline 'We are closed in August.'"
}

func (in AnswerRequest) outcome(now time.Time) (offers.Outcome, error) {
	if (in.Decline != "") == (in.Summary != "") {
		return offers.Outcome{}, fail.New(fail.Invalid, "say either summary, for an offer, or decline")
	}
	if in.Decline != "" {
		return offers.Outcome{Status: offers.Declined, Reason: in.Decline}, nil
	}
	out := offers.Outcome{
		Status: offers.Offered, Summary: in.Summary, Details: in.Details, BindRequires: in.Requires,
		TermsURL: in.TermsURL,
	}
	if in.Days < 0 || time.Duration(in.Days) > offers.MaxValidity/(24*time.Hour) {
		return out, fail.New(fail.Invalid, "days is at least 1 and at most %d", offers.MaxValidity/(24*time.Hour))
	}
	if in.Days > 0 {
		out.Expires = now.UTC().AddDate(0, 0, in.Days).Truncate(time.Second)
	}
	return out, nil
}

func (in AnswerRequest) Do(ctx context.Context, o *operator.Operator) (out ShownRequest, err error) {
	s, err := service(o)
	if err != nil {
		return out, err
	}
	outcome, err := in.outcome(o.Now())
	if err == nil {
		err = s.Answer(ctx, in.ID, outcome, by(ctx))
	}
	if err != nil {
		return out, err
	}
	return ShowRequest{in.RequestID}.Do(ctx, o)
}

// Say tells what it came to.
func (AnswerRequest) Say(out ShownRequest) string {
	return "The request " + out.ID + " is " + out.State + "."
}

// by names who does something.
func by(ctx context.Context) string { return cmp.Or(operator.Actor(ctx), "command") }

// CompleteRequest says that the business has seen to an offer that was accepted.
type CompleteRequest struct{ RequestID }

// Bodiless says that a request need not say anything.
func (CompleteRequest) Bodiless() {}

func (in CompleteRequest) Do(ctx context.Context, o *operator.Operator) (out ShownRequest, err error) {
	s, q, err := in.find(ctx, o)
	if err == nil {
		err = s.MarkDone(ctx, q.Offer, by(ctx))
	}
	if err != nil {
		return out, err
	}
	return ShowRequest(in).Do(ctx, o)
}

// Say tells what it came to.
func (CompleteRequest) Say(out ShownRequest) string { return "The request " + out.ID + " is done." }

// RedeliverRequest has the business be told again, at once, that an offer was accepted.
type RedeliverRequest struct{ RequestID }

// Bodiless says that a request need not say anything.
func (RedeliverRequest) Bodiless() {}

func (in RedeliverRequest) Do(ctx context.Context, o *operator.Operator) (out ShownRequest, err error) {
	s, q, err := in.find(ctx, o)
	if err != nil {
		return out, err
	}
	there, err := s.Redeliver(ctx, q.Offer)
	if err == nil && !there {
		err = fail.New(fail.NotFound, "nothing of this request waits to be delivered")
	}
	if err != nil {
		return out, err
	}
	return ShowRequest(in).Do(ctx, o)
}

// Say tells what comes of it.
func (RedeliverRequest) Say(out ShownRequest) string {
	return "The request " + out.ID + " is delivered again at once."
}

// EraseRequest erases what the session of a request submitted, offers and acceptances with it.
type EraseRequest struct{ RequestID }

// ErasedRequests is how many were erased.
type ErasedRequests struct {
	Erased int `json:"erased"`
}

func (in EraseRequest) Do(ctx context.Context, o *operator.Operator) (out ErasedRequests, err error) {
	s, q, err := in.find(ctx, o)
	if err != nil {
		return out, err
	}
	out.Erased, err = s.Erase(ctx, q.Session, by(ctx))
	return out, err
}

// Say tells what is gone.
func (in EraseRequest) Say(out ErasedRequests) string {
	return fmt.Sprintf("Erased: %d", out.Erased)
}
