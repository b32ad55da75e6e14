package console

import (
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/intake"
	"frontdesk/internal/intake/offers"
	"frontdesk/internal/intake/vault"
	"frontdesk/internal/operator/console/frame"
	"frontdesk/wire/strictjson"
)

// answerForm is an answer as somebody writes it by hand.
type answerForm struct {
	Binding  bool   // the intake's offers can be bound
	Kind     string // offer or decline
	Summary  string
	Details  string // lines of "name: value", or a JSON object
	Days     string // how long the offer stands
	Expires  string // the instant that it was previewed with, RFC 3339; empty before
	Requires string // the names of what a bind needs, with commas or spaces between
	TermsURL string
	Reason   string
	Problem  template.HTML // what is wrong with it
}

// The kinds of answers.
const (
	formOffer   = "offer"
	formDecline = "decline"
)

// preview is an answer as the agent will see it.
type preview struct {
	offers.Outcome
	Details  []field
	Requires []string
	JSON     string
}

// newForm is the form as it is before anybody has written into it.
func (o *owner) newForm(q *intake.Request) *answerForm {
	intake := o.config.Inbox.intake(q.Intake)
	days := max(1, int(intake.For/(24*time.Hour)))
	return &answerForm{Binding: intake.Binding, Kind: formOffer, Days: strconv.Itoa(days),
		Requires: strings.Join(intake.Requires, ", "), TermsURL: intake.TermsURL}
}

// readForm reads the form as it was sent.
func (o *owner) readForm(r *http.Request, q *intake.Request) *answerForm {
	intake := o.config.Inbox.intake(q.Intake)
	get := func(name string) string {
		return strings.TrimSpace(strings.ReplaceAll(r.PostForm.Get(name), "\r\n", "\n"))
	}
	return &answerForm{
		Binding: intake.Binding, Kind: get("kind"), Summary: get("summary"), Details: get("details"), Days: get("days"),
		Expires: get("expires"), Requires: get("requires"), TermsURL: get("terms"), Reason: get("reason"),
	}
}

// outcome is what the form says, as an engine would. The error is for who wrote it.
func (f *answerForm) outcome(now time.Time) (offers.Outcome, error) {
	var o offers.Outcome
	switch f.Kind {
	case formDecline:
		o = offers.Outcome{Status: offers.Declined, Reason: f.Reason}
	case formOffer:
		o = offers.Outcome{Status: offers.Offered, Summary: f.Summary, TermsURL: f.TermsURL}
		var err error
		if o.Details, err = readDetails(f.Details); err != nil {
			return o, err
		}
		if o.Expires, err = f.expires(now); err != nil {
			return o, err
		}
		if f.Binding {
			o.BindRequires = append([]string{}, strings.FieldsFunc(f.Requires, func(r rune) bool {
				return r == ',' || r == ';' || r == ' ' || r == '\n' || r == '\t'
			})...)
		}
	default:
		return o, frame.Fail(fail.Invalid, "request.fault_either")
	}
	return o, o.Check(now)
}

// expires is when the offer expires: as it was previewed, or so many days from now.
func (f *answerForm) expires(now time.Time) (time.Time, error) {
	if at, err := time.Parse(time.RFC3339, f.Expires); err == nil {
		return at, nil
	}
	days, err := strconv.Atoi(f.Days)
	if most := int(offers.MaxValidity / (24 * time.Hour)); err != nil || days < 1 || days > most {
		return time.Time{}, fmt.Errorf("say in a whole number of days how long the offer stands, from 1 to %d", most)
	}
	return now.UTC().Add(time.Duration(days) * 24 * time.Hour).Truncate(time.Second), nil
}

// readDetails reads the details of an offer: a JSON object, or lines of "name: value". A value that
// is JSON, such as a number or a text in quotes, is taken as that, and any other as a text.
func readDetails(text string) (strictjson.Value, error) {
	if text == "" {
		return nil, nil
	}
	if strings.HasPrefix(text, "{") {
		var members map[string]strictjson.Value
		if err := strictjson.Decode([]byte(text), &members); err != nil {
			return nil, fmt.Errorf("the details begin like JSON, and are none that can be read: %w", err)
		}
		return strictjson.Value(text), nil
	}
	out, seen := []byte{'{'}, map[string]bool{}
	for i, line := range strings.Split(text, "\n") {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		name, value, found := strings.Cut(line, ":")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		switch {
		case !found || name == "":
			return nil, fmt.Errorf("line %d of the details is not of the form \"name: value\"", i+1)
		case seen[name]:
			return nil, fmt.Errorf("line %d of the details has the name of an earlier one", i+1)
		}
		seen[name] = true
		var decoded strictjson.Value
		if strictjson.Decode([]byte(value), &decoded) != nil {
			decoded, _ = json.Marshal(value) // a text always has a form in JSON
		}
		key, _ := json.Marshal(name)
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(append(out, key...), ':'), decoded...)
	}
	return append(out, '}'), nil
}

// answer takes an answer that somebody wrote by hand. It is shown first as the agent will see it,
// and sent when that was looked at.
func (o *owner) answer(w http.ResponseWriter, r *http.Request, v *frame.Visit) error {
	q, err := o.look(r)
	if err != nil {
		return err
	}
	form := o.readForm(r, q)
	now := o.Now()
	if q.StateAt(now) != vault.Waiting {
		o.late(w, r, v, q, form)
		return nil
	}
	body := o.requestBody(q, v)
	body.Form = form
	do := r.PostForm.Get("do")
	if do != "send" {
		form.Expires = "" // what is changed is counted anew
	}
	if do == "change" {
		o.showRequest(w, r, v, http.StatusOK, body, "")
		return nil
	}
	outcome, err := form.outcome(now)
	if err != nil {
		form.Problem = v.Cause(string(fail.Invalid), sentence(err.Error()))
		o.showRequest(w, r, v, http.StatusBadRequest, body, "")
		return nil
	}
	if do == "send" {
		return o.send(w, r, v, q, form, outcome)
	}
	text, err := o.config.Inbox.Preview(r, q, outcome)
	if err != nil {
		return err
	}
	if !outcome.Expires.IsZero() {
		form.Expires = outcome.Expires.UTC().Format(time.RFC3339)
	}
	body.Preview = &preview{Outcome: outcome, Details: fields(outcome.Details),
		Requires: slices.Clone(outcome.BindRequires), JSON: indented(text)}
	o.showRequest(w, r, v, http.StatusOK, body, "")
	return nil
}

// send sends an answer. Of two who send one at a time the first is heard, and the other is told.
func (o *owner) send(w http.ResponseWriter, r *http.Request, v *frame.Visit, q *intake.Request, form *answerForm,
	outcome offers.Outcome) error {
	err := o.config.Inbox.Answer(r.Context(), q.ID, outcome, v.Actor())
	if err == nil {
		o.Note(r, v.In, "answered a request")
		return frame.Elsewhere(requestPage(r))
	}
	now, failure := o.Now(), err
	if q, err = o.look(r); err != nil {
		return err
	}
	if q.StateAt(now) != vault.Waiting {
		o.late(w, r, v, q, form)
		return nil
	}
	if fail.From(failure).Code == fail.Invalid {
		body := o.requestBody(q, v)
		form.Problem, body.Form = v.Why(failure), form
		o.showRequest(w, r, v, http.StatusBadRequest, body, "")
		return nil
	}
	return failure
}

// late tells that a submission waits no more, and shows what was written in vain.
func (o *owner) late(w http.ResponseWriter, r *http.Request, v *frame.Visit, q *intake.Request, form *answerForm) {
	problem := v.Say("request.late_answered")
	switch q.StateAt(o.Now()) {
	case vault.Expired:
		problem = v.Say("request.late_expired")
	case vault.Erased:
		problem = v.Say("request.late_erased")
	}
	body := o.requestBody(q, v)
	body.Form = nil
	written := form.Summary
	if form.Kind == formDecline {
		written = form.Reason
	}
	body.Vain = written
	o.showRequest(w, r, v, http.StatusConflict, body, frame.Text(problem))
}
