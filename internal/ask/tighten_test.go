package ask

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"frontdesk/internal/content"
	"frontdesk/internal/content/released"
	"frontdesk/internal/content/vector"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/testkit/contenttest"
	"frontdesk/internal/testkit/storetest"
	"frontdesk/internal/testkit/tightening"
)

// exits are the ways by which text leaves in answers. One that is added gets a row here.
func (b *bench) exits() []tightening.Exit {
	return []tightening.Exit{
		{Name: "the list of answers", Function: released.Search, Released: func(t contenttest.T) string {
			var all []byte
			for result, err := range b.answered(t).Results(context.Background()) {
				if err != nil {
					t.Fatal(err)
				}
				all = append(result.AppendJSON(append(append(all, result.Name()...), result.Description()...)), '\n')
			}
			return string(all)
		}},
		{Name: "a summary", Function: released.Input, Chosen: true, Released: func(t contenttest.T) string {
			return fmt.Sprint(builtIn(t, b.answered(t)))
		}},
		{Name: "a report", Function: released.Input, Chosen: true, Rare: true, Released: func(t contenttest.T) string {
			reply, err := b.Ask(context.Background(), Question{Text: "lamp", Report: ReportAlone, AnswersOnly: true})
			if err != nil && fail.From(err).Code == fail.NoResults {
				return ""
			}
			if err != nil {
				t.Fatal(err)
			}
			text, err := json.Marshal(reply.Report)
			if err != nil {
				t.Fatal(err)
			}
			return string(text)
		}},
		{Name: "the parts of the feed", Function: released.Input, Released: func(t contenttest.T) string {
			items, _ := all(t, b.feed(t, "site"))
			return fmt.Sprint(items)
		}},
		{Name: "the newest of the feed", Function: released.Input, Released: func(t contenttest.T) string {
			_, items := objects(t, b.feed(t, "site").Newest(context.Background()))
			return fmt.Sprint(items)
		}},
		{Name: "the list of resources", Function: released.Search, Released: func(t contenttest.T) string {
			_, items := b.listed(t, nil, 3)
			return fmt.Sprint(items)
		}},
		{Name: "resources by their address", Function: released.Search, Released: func(t contenttest.T) string {
			var all []byte
			for i := range 6 {
				for _, folder := range []string{"a", "b"} {
					found, err := b.Item(context.Background(), fmt.Sprintf("https://site.example/%s/%d", folder, i))
					if err != nil && fail.From(err).Code != fail.NotFound {
						t.Fatal(err)
					}
					for _, item := range found {
						all = item.AppendItem(all)
					}
				}
			}
			return string(all)
		}},
	}
}

// newExits is a bench all of whose exits are open, over a corpus.
func newExits(t *testing.T) (*bench, *contenttest.Corpus) {
	t.Helper()
	db := storetest.Chosen(t, content.Schema, vector.Schema)
	corpus := contenttest.New(t, db, released.Deps{Sites: contenttest.Sites("site"), Passages: true})
	s, err := New(Deps{Corpus: corpus.Corpus, Reading: Reading{MinScore: 1}})
	if err != nil {
		t.Fatal(err)
	}
	return &bench{Service: s, content: corpus, db: db}, corpus
}

// answered is the answer to a question that every item fits.
func (b *bench) answered(t tester) *Answer {
	zero := 0.0
	a, err := answerTo(b.Ask(context.Background(),
		Question{Text: "lamp", Limit: 50, MinScore: &zero, AnswersOnly: true}))
	if err != nil && fail.From(err).Code == fail.NoResults {
		return &Answer{service: b.Service}
	}
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestTighteningARuleNeverGrowsWhatAnyExitReleases(t *testing.T) {
	t.Parallel()
	b, corpus := newExits(t)
	tightening.Check(t, corpus, b.exits)
}
