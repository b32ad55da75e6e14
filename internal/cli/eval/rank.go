package eval

import (
	"context"
	"errors"

	"frontdesk/internal/ask"
	"frontdesk/internal/infra/fail"
)

// Rank asks a service for the URLs of up to limit documents, best first.
func Rank(s *ask.Service) func(ctx context.Context, text string, limit int) ([]string, error) {
	return func(ctx context.Context, text string, limit int) ([]string, error) {
		reply, err := s.Ask(ctx, ask.Question{Text: text, Limit: limit, MinScore: new(float64), AnswersOnly: true})
		var coded *fail.Error
		if errors.As(err, &coded) && coded.Code == fail.NoResults {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		var urls []string
		for result, err := range reply.Answer.Results(ctx) {
			if err != nil {
				return nil, err
			}
			urls = append(urls, result.URL())
		}
		return urls, nil
	}
}
