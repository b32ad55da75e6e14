package offers

import (
	"strings"
	"testing"
	"time"

	"frontdesk/wire/strictjson"
)

var noon = time.Date(2027, 5, 4, 12, 0, 0, 0, time.UTC)

func TestAnOutcomeIsWholeOrNone(t *testing.T) {
	t.Parallel()
	offer := func(change func(*Outcome)) Outcome {
		o := Outcome{
			Status: Offered, Summary: "Two jars a week.", Details: strictjson.Value(`{"jars":2}`), Expires: noon.Add(time.Hour),
			BindRequires: []string{"email", "full_name"}, TermsURL: "https://shop.example.com/terms",
		}
		change(&o)
		return o
	}
	for _, c := range []struct {
		name    string
		outcome Outcome
		problem string
	}{
		{"an offer", offer(func(*Outcome) {}), ""},
		{"the least of an offer", Outcome{Status: Offered, Summary: "Yes."}, ""},
		{"an offer without required fields", offer(func(o *Outcome) { o.BindRequires = []string{} }), ""},
		{"declined", Outcome{Status: Declined, Reason: "We are full."}, ""},
		{"waiting", Outcome{Status: Waiting, RetryAfter: time.Minute}, ""},
		{"no status", Outcome{Summary: "Yes."}, "status"},
		{"no summary", offer(func(o *Outcome) { o.Summary = " " }), "summary is empty"},
		{"a long summary", offer(func(o *Outcome) { o.Summary = strings.Repeat("a", MaxSummary+1) }), "longer"},
		{"a summary of no text", offer(func(o *Outcome) { o.Summary = "\xff" }), "UTF-8"},
		{"details of a list", offer(func(o *Outcome) { o.Details = strictjson.Value(`[1]`) }), "no JSON object"},
		{"details of null", offer(func(o *Outcome) { o.Details = strictjson.Value(`null`) }), "no JSON object"},
		{"details of no number", offer(func(o *Outcome) { o.Details = strictjson.Value(`{"bmi":NaN}`) }), "no JSON object"},
		{"details given twice", offer(func(o *Outcome) { o.Details = strictjson.Value(`{"a":1,"a":2}`) }), "no JSON object"},
		{"large details", offer(func(o *Outcome) {
			o.Details = strictjson.Value(`{"a":"` + strings.Repeat("a", MaxDetails) + `"}`)
		}), "larger"},
		{"expired when it is made", offer(func(o *Outcome) { o.Expires = noon }), "expires before"},
		{"for ever", offer(func(o *Outcome) { o.Expires = noon.Add(MaxValidity + 1) }), "longer than 366 days"},
		{"a field without a name", offer(func(o *Outcome) { o.BindRequires = []string{""} }), "no name"},
		{"a field twice", offer(func(o *Outcome) { o.BindRequires = []string{"email", "email"} }), "another"},
		{"terms that lead nowhere", offer(func(o *Outcome) { o.TermsURL = "javascript:alert(1)" }), "web address"},
		{"a reason in an offer", offer(func(o *Outcome) { o.Reason = "no" }), "reason"},
		{"declined without a reason", Outcome{Status: Declined}, "reason is empty"},
		{"declined with an offer", Outcome{Status: Declined, Reason: "no", Summary: "yes"}, "offer's members"},
		{"waiting for nothing", Outcome{Status: Waiting}, "between a second and a day"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := c.outcome.Check(noon)
			if (err == nil) != (c.problem == "") || err != nil && !strings.Contains(err.Error(), c.problem) {
				t.Errorf("%v, want %q", err, c.problem)
			}
		})
	}
}

func TestAPersonAnswersLater(t *testing.T) {
	t.Parallel()
	for _, p := range []Person{{}, {RetryAfter: time.Hour}} {
		o, err := p.Offer(t.Context(), Request{Now: noon})
		if err != nil || o.Check(noon) != nil || o.Status != Waiting ||
			p.RetryAfter != 0 && o.RetryAfter != p.RetryAfter {
			t.Errorf("%+v, %v", o, err)
		}
	}
}
