package ask

import (
	"context"

	"frontdesk/internal/ask/i18n"
	"frontdesk/internal/ask/questions"
	"frontdesk/internal/infra/fail"
)

// keepQuestion keeps what became of a question, where its context says who asks, and names the
// answer so that its places can be told when they are followed. What only goes on with a question is
// none: the answer to what was asked back, and more of the same.
func (s *Service) keepQuestion(ctx context.Context, in *askState, reply *Reply, err error) {
	source, ok := questions.From(ctx)
	if s.deps.Questions == nil || !ok || len(in.answered) > 0 || in.skip > 0 {
		return
	}
	a := questions.Asked{
		Source: source, Text: in.Text, Names: in.Names, Outcome: questions.Answered,
		Narrowed: in.MinScore != nil || len(in.Types)+len(in.Sites)+len(in.Attributes) > 0,
	}
	if len(in.Languages) > 0 {
		a.Language = i18n.For(in.Languages...).Language()
	}
	switch {
	case err != nil && fail.From(err).Code != fail.NoResults:
		return
	case err != nil:
		a.Outcome = questions.Nothing
	case reply.Elicitation != nil:
		a.Outcome = questions.AskedBack
	case reply.Answer != nil:
		if first := reply.Answer.nearest(); len(first) > 0 {
			a.Score, a.URL, a.Name, a.Results = first[0].Score(), first[0].URL(), first[0].Name(), reply.Answer.Len()
		}
		if a.Results > 0 && a.Score < questions.WeakScore && !reply.Answer.factual {
			a.Outcome = questions.Weak
		}
	}
	reply.AnswerID = s.deps.Questions.Keep(a)
}

// Followed counts that a place of an answer was followed, the first being 1, by the AnswerID of its
// reply. It is fail.Invalid for an id that is not good any more, and fail.NotFound where nothing is
// kept.
func (s *Service) Followed(ctx context.Context, answer string, place int) error {
	source, ok := questions.From(ctx)
	if s.deps.Questions == nil || !ok {
		return fail.New(fail.NotFound, "nothing is counted here")
	}
	return s.deps.Questions.Click(answer, place, source)
}
