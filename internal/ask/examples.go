package ask

import (
	"context"
	"time"

	"frontdesk/internal/ask/owner"
	"frontdesk/internal/content/released"
)

// examples are questions for everybody in the language of their key.
type examples struct {
	made  chan struct{} // closed when they are
	texts []string
}
type examplesKey string

// Examples are up to three questions, in a language, that the present content answers for
// everybody: practical ones first, then names of items. There are none while they are still being
// made.
func (s *Service) Examples(language string) []string {
	g := s.deps.Corpus.Current()
	e := released.Memo(g, examplesKey(language), func() *examples {
		e := &examples{made: make(chan struct{})}
		go func() {
			ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
			defer func() { cancel(); close(e.made) }()
			if directory, _, err := s.ownerPages(ctx, g); err == nil {
				now := s.deps.Now().In(s.deps.Reading.Place)
				e.texts, _ = directory.Examples(owner.Question{Language: language, Now: now}, maxExamples)
			}
			names, _, _ := g.Exemplary(ctx, nil, maxExamples-len(e.texts)) // the others will do
			e.texts = append(e.texts, names...)
		}()
		return e
	})
	select {
	case <-e.made:
	case <-time.After(300 * time.Millisecond):
	}
	select {
	case <-e.made:
		return e.texts
	default:
		return nil
	}
}
