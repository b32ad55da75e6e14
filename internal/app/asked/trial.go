package asked

import (
	"context"

	"frontdesk/internal/ask"
	"frontdesk/internal/content/released"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/operator/console/questions"
	"frontdesk/internal/policy"
)

// tried are the parties as which a question is tried, the end of a key in the words of the page
// each.
var tried = []struct {
	as    string
	party policy.Party
}{
	{"stranger", policy.Party{}},
	{"known", policy.Party{Proven: policy.Traits{Classes: []string{policy.PartyKnown}}}},
	{"verified", policy.Party{Proven: policy.Traits{Classes: []string{policy.PartyAgent, policy.PartyVerified}}}},
}

// triedResults is how many items of an answer are shown.
const triedResults = 5

// Trials gives what each party would be answered. No trial is kept: its context says nothing of who
// asks.
func Trials(service *ask.Service) func(ctx context.Context, text, reader string) ([]questions.Trial, error) {
	return func(ctx context.Context, text, reader string) (all []questions.Trial, err error) {
		for _, one := range tried {
			asked := ask.Question{Text: text, Context: ask.Context{Explained: []string{reader}}}
			trial, err := try(released.WithParty(ctx, one.party), service, asked)
			if err != nil {
				return nil, err
			}
			trial.As = one.as
			all = append(all, trial)
		}
		return all, nil
	}
}

func try(ctx context.Context, service *ask.Service, asked ask.Question) (t questions.Trial, err error) {
	asked.Limit, asked.Numbered = triedResults, true
	reply, err := service.Ask(ctx, asked)
	if reply != nil {
		t.Understood, t.Chips = reply.Understood.Text, chips(reply.Understood)
	}
	if err != nil {
		told := fail.From(err)
		if told.Code == fail.Internal || ctx.Err() != nil {
			return t, err
		}
		if told.Code == fail.NoResults { // whose detail is in the language of who reads
			t.Message = told.Detail
		} else {
			t.Failed = told
		}
		return t, nil
	}
	if reply.Elicitation != nil {
		t.Back = reply.Elicitation.Text
	}
	if reply.Answer == nil {
		return t, nil
	}
	looked := lookedFor(reply.Understood, asked.Text)
	for result, err := range reply.Answer.Results(ctx) {
		if err != nil {
			return t, err
		}
		found, missing := whyFound(looked, result)
		t.Items = append(t.Items, questions.Item{
			Name: result.Name(), URL: result.URL(), Score: result.Score(), Licensed: result.Licensed(),
			Found: found, Missing: missing,
		})
	}
	return t, nil
}
