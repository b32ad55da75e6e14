package ask

import (
	"context"

	"frontdesk/internal/ask/i18n"
	"frontdesk/internal/ask/questions"
	"frontdesk/internal/infra/fail"
)

// keepQuestion keeps what became of a question, where its context says who asks, and names the
// answer. What only goes on with a question is none: an answer to what was asked back, and more.
func (s *Service) keepQuestion(ctx context.Context, in *askState, reply *Reply, err error) {
	source, ok := questions.From(ctx)
	if s.deps.Questions == nil || !ok || len(in.answered) > 0 || in.skip > 0 {
		return
	}
	a := questions.Asked{Source: source, Text: in.Text, Names: in.Names, Outcome: questions.Answered,
		Language: i18n.For(in.Languages...).Language(),
		Narrowed: in.MinScore != nil || len(in.Types)+len(in.Sites)+len(in.Attributes) > 0}
	switch {
	case err != nil && fail.From(err).Code == fail.NoResults:
		a.Outcome = questions.Nothing
	case err != nil:
		return
	case reply.Elicitation != nil:
		a.Outcome = questions.AskedBack
	case reply.Answer != nil: // its first items count, as far as they are ready
		for i, item := range reply.Answer.nearest() {
			if i == 0 {
				a.Score, a.URL, a.Name, a.Results = item.Score(), item.URL(), item.Name(), reply.Answer.Len()
			}
			if a.Kind != questions.Person {
				a.Given = append(a.Given, item.URL())
			}
		}
		if a.Results > 0 && a.Score < questions.WeakScore && !reply.Answer.factual {
			a.Outcome = questions.Weak
		}
	}
	reply.AnswerID = s.deps.Questions.Keep(a)
}
