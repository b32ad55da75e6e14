package nlweb

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"frontdesk/internal/ask"
	"frontdesk/internal/infra/fail"
	wire "frontdesk/wire/nlweb"
)

func TestWhatWasUnderstoodIsToldInMeta(t *testing.T) {
	t.Parallel()
	twenty := 20.0
	reply := &ask.Reply{Understood: ask.Understanding{
		Query: "vegan soup", Text: "soup; price under €20",
		Filters: []ask.Filter{
			{Name: "price", Text: "price under €20", Max: &twenty, Below: true, Unit: "EUR", Source: "question"},
			{Name: "recipeIngredient", Text: "without ginger\xff", Values: []string{"ginger\xff"}, Not: true,
				Source: "earlier"},
			{Name: "startDate", Text: "date on 2026-12-05", From: noon(), To: noon().Add(24 * time.Hour), Soft: true,
				Source: "question"},
		},
		Sort: &ask.Order{By: "price", Descending: true, Text: "dearest first"}, Count: 3, Intent: "compare",
		Answer: "A is cheaper.", Corrected: []ask.Correction{{From: "vegn", To: "vegan"}},
		Relaxed: []ask.Relaxation{{Name: "ratingValue", Text: "rating at least 4"}},
		Ignored: []ask.Ignored{{Name: "personalized", Reason: "nothing here has it"}},
	}}
	x := &exchange{meta: wire.Meta{ResponseType: wire.TypeAnswer, Version: wire.Version}}
	x.tell(reply)
	const want = `{"_meta":{"response_type":"answer","version":"0.55","understood":{"query":"vegan soup","text":"soup; price under €20","filters":[` +
		`{"name":"price","text":"price under €20","max":20,"below":true,"unit":"EUR","from":"question"},` +
		`{"name":"recipeIngredient","text":"without ginger` + "\uFFFD" + `","values":["ginger` + "\uFFFD" + `"],"not":true,"from":"earlier"},` +
		`{"name":"startDate","text":"date on 2026-12-05","start":"2026-11-20T12:00:00Z","end":"2026-11-21T12:00:00Z","soft":true,"from":"question"}],` +
		`"sort":{"by":"price","order":"descending","text":"dearest first"},"count":3,"intent":"compare","answer":"A is cheaper.",` +
		`"corrected":[{"from":"vegn","to":"vegan"}],"relaxed":[{"name":"ratingValue","text":"rating at least 4"}]},` +
		`"ignored":[{"name":"/query/personalized","reason":"nothing here has it"}]}}`
	if diff := cmp.Diff(want, string(append(x.appendMeta([]byte{'{'}), '}'))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	// A failure says it, too: that is how one sees why nothing was found.
	if diff := cmp.Diff(x.meta.Understood, x.failureMeta(fail.New(fail.NoResults, "nothing")).Understood); diff != "" {
		t.Error(diff)
	}
}

func TestAQuestionOfWordsAloneHasNothingToTell(t *testing.T) {
	t.Parallel()
	x := &exchange{meta: wire.Meta{ResponseType: wire.TypeAnswer, Version: wire.Version}}
	x.tell(&ask.Reply{Understood: ask.Understanding{Text: "paper lamp"}})
	x.tell(nil)
	if x.meta.Understood != nil {
		told, _ := json.Marshal(x.meta.Understood)
		t.Errorf("_meta has %s", told)
	}
}
