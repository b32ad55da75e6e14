package console

import (
	"bytes"
	"context"
	"encoding/json"
	"html/template"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/identity"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/intake"
	"frontdesk/internal/intake/vault"
	"frontdesk/internal/operator/console/frame"
	"frontdesk/wire/strictjson"
)

// requestBody is the page of one submission.
type requestBody struct {
	inboxRow
	Reads bool // may read what is sealed
	Input []field
	Told  *vault.Answer
	// Details are those of the offer, and Fields what it was bound with.
	Details, Fields []field
	Ends            vault.EraseTimes
	Effect          *effect
	Entries         []entryLink
	Form            *answerForm
	Preview         *preview
	Vain            string // what somebody wrote for it when another was faster
}

// field is a member of a JSON object, to be shown.
type field struct {
	Name, Text string
	Block      bool // JSON of several lines
}

// effect is how the delivery of a bind stands.
type effect struct {
	Reason  string
	Cause   string // a word for that
	Tries   int
	Next    time.Time // zero once it was given up
	GivenUp time.Time
}

// entryLink leads to an entry of the ledger.
type entryLink struct{ ID, Kind string }

// fields are the members of a JSON object in their order. What is no object is shown as one text.
func fields(object strictjson.Value) (all []field) {
	if len(object) == 0 {
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(object))
	if token, err := decoder.Token(); err != nil || token != json.Delim('{') {
		return []field{{Text: indented(object), Block: true}}
	}
	for decoder.More() {
		name, err := decoder.Token()
		var value json.RawMessage
		if err != nil || decoder.Decode(&value) != nil {
			return []field{{Text: indented(object), Block: true}}
		}
		f := field{}
		f.Name, _ = name.(string)
		f.Text, f.Block = shown(value)
		all = append(all, f)
	}
	return all
}

// shown is a JSON value as people read it, and whether it is JSON of several lines.
func shown(value []byte) (text string, block bool) {
	var decoded any
	if json.Unmarshal(value, &decoded) != nil {
		return string(value), true
	}
	switch v := decoded.(type) {
	case string:
		return v, false
	case []any:
		var list []string
		for _, one := range v {
			switch one := one.(type) {
			case string:
				list = append(list, one)
			case map[string]any, []any:
				return indented(value), true
			default:
				plain, _ := json.Marshal(one)
				list = append(list, string(plain))
			}
		}
		return strings.Join(list, ", "), false
	case map[string]any:
		return indented(value), true
	}
	return string(bytes.TrimSpace(value)), false // numbers keep their text
}

func indented(value []byte) string {
	var out bytes.Buffer
	if json.Indent(&out, value, "", "  ") != nil {
		return string(value)
	}
	return out.String()
}

// look gives a submission, opened.
func (o *owner) look(r *http.Request) (*intake.Request, error) {
	q, err := o.config.Inbox.Look(r.Context(), r.PathValue("id"))
	switch {
	case err != nil && fail.From(err).Code == fail.NotFound:
		return nil, frame.Fail(fail.NotFound, "fault.request")
	case err != nil:
		return nil, err
	}
	return q, nil
}

// requestBody says what is known of a submission, and to whom.
func (o *owner) requestBody(q *intake.Request, v *frame.Visit) *requestBody {
	now := o.Now()
	body := &requestBody{}
	body.Reads = v.May(identity.Operate) || o.config.Inbox.ViewersRead
	body.inboxRow = o.newInboxRow(v, vault.ListEntry{Record: q.Record, Bind: q.Bind}, now)
	body.Ends = vault.EraseTimesOf(q.Record, q.Bind)
	if body.Reads {
		body.Input, body.Told, body.Fields = fields(q.Input), q.OpenedAnswer, fields(q.Fields)
		body.Agent = q.From()
		if q.OpenedAnswer != nil {
			body.Details = fields(q.OpenedAnswer.Details)
		}
	}
	if q.Effect != nil {
		body.Effect = &effect{Reason: q.Effect.Reason, Cause: q.Effect.Cause, Tries: q.Effect.Attempts,
			Next: q.Effect.Due, GivenUp: q.Effect.GivenUp}
	}
	for _, e := range q.Entries {
		body.Entries = append(body.Entries, entryLink{e.ID, e.Kind})
	}
	if v.May(identity.Operate) && body.State == vault.Waiting {
		body.Form = o.newForm(q)
	}
	return body
}

// request shows one submission. Its title and its address hold nothing of what was submitted.
func (o *owner) request(w http.ResponseWriter, r *http.Request, v *frame.Visit) error {
	q, err := o.look(r)
	if err != nil {
		return err
	}
	o.showRequest(w, r, v, http.StatusOK, o.requestBody(q, v), "")
	return nil
}

func (o *owner) showRequest(w http.ResponseWriter, r *http.Request, v *frame.Visit, status int, body *requestBody,
	problem template.HTML) {
	s := v.Sheet(v.Say("request.title"), "request", body)
	s.Problem = problem
	o.Show(w, r, status, s)
}

// requestPage is the page of the submission of a request.
func requestPage(r *http.Request) string { return "inbox/" + url.PathEscape(r.PathValue("id")) }

// markDone says that somebody has seen to a bind.
func (o *owner) markDone(r *http.Request, v *frame.Visit) (did, to string, err error) {
	q, err := o.look(r)
	if err != nil {
		return "", "", err
	}
	if q.Bind == nil {
		return "", "", frame.Fail(fail.Invalid, "fault.unbound")
	}
	if q.Bind.Done.IsZero() { // otherwise a colleague was as quick, and meant the same
		if err := o.config.Inbox.Done(r.Context(), q.Offer, v.Actor()); err != nil {
			return "", "", err
		}
		did = "marked a bind as done"
	}
	return did, back(r), nil
}

// tryAgain has a bind that could not be delivered delivered again, at once.
func (o *owner) tryAgain(r *http.Request, _ *frame.Visit) (did, to string, err error) {
	q, err := o.look(r)
	if err != nil {
		return "", "", err
	}
	if _, err := o.config.Inbox.Again(r.Context(), q.Offer); err != nil {
		return "", "", err
	}
	return "tried a delivery again", back(r), nil
}

// back is where a form was: the inbox, or the page of the submission.
func back(r *http.Request) string {
	if r.PostForm.Get("from") == "inbox" {
		return "inbox"
	}
	return requestPage(r)
}

// eraseBody is the page that asks whether something is to be erased.
type eraseBody struct {
	inboxRow
	Others      []inboxRow // further submissions of the session
	Alone       bool       // it can be erased without them
	Undelivered bool       // a bind was not delivered yet
}

// maxOthers bounds how many further submissions of a session are listed.
const maxOthers = 100

// askErase says what will be gone and what stays, and asks.
func (o *owner) askErase(ctx context.Context, r *http.Request, v *frame.Visit) (string, any, error) {
	q, err := o.look(r)
	if err != nil {
		return "", nil, err
	}
	now := o.Now()
	body := eraseBody{inboxRow: o.newInboxRow(v, vault.ListEntry{Record: q.Record, Bind: q.Bind}, now),
		Alone: q.Offer != "", Undelivered: q.Effect != nil}
	all, err := o.config.Inbox.List(ctx, vault.Filter{Find: q.Session, Limit: maxOthers})
	if err != nil {
		return "", nil, err
	}
	for _, l := range all {
		if l.ID != q.ID {
			body.Others = append(body.Others, o.newInboxRow(v, l, now))
		}
	}
	return v.Say("erase.title"), body, nil
}

// erase erases a submission, or all of its session.
func (o *owner) erase(r *http.Request, v *frame.Visit) (did, to string, err error) {
	q, err := o.look(r)
	if err != nil {
		return "", "", err
	}
	what := q.Session
	if r.PostForm.Get("what") == "offer" {
		what = q.Offer
	}
	if what == "" {
		return "", "", frame.Fail(fail.Invalid, "fault.no_offer")
	}
	n, err := o.config.Inbox.Erase(r.Context(), what, v.Actor())
	if err != nil {
		return "", "", err
	}
	return "erased " + strconv.Itoa(n) + " requests", requestPage(r), nil
}

// leftTime is how long something lasts still, in minutes, hours or days; over has no word.
type leftTime struct {
	Word string
	N    int
}

func leftOf(until, now time.Time) leftTime {
	left := until.Sub(now)
	switch {
	case left <= 0:
		return leftTime{}
	case left < time.Hour:
		return leftTime{"minutes", int(left/time.Minute) + 1}
	case left < 48*time.Hour:
		return leftTime{"hours", int(left / time.Hour)}
	}
	return leftTime{"days", int(left / (24 * time.Hour))}
}
