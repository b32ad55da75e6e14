package questions

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"frontdesk/internal/ask/query"
	"frontdesk/internal/infra/store"
)

// Synonym is what words of a question that found nothing may mean: those that stand in their place
// in a question that was answered.
type Synonym struct {
	Words string `json:"words"`
	Means string `json:"means"`
	From  string `json:"from"`  // the question that was answered
	Times int64  `json:"times"` // how often that was asked
}

// The bounds of suggestions.
const (
	maxSynonyms  = 3
	maxAlike     = 1000 // answered questions that one is compared with, the most often asked
	maxExchanged = 2    // words that are exchanged
	minWord      = 3    // letters of one
)

// Synonyms are suggestions for a question, by those whose answer somebody followed, and then those
// that were answered. There are none for a question whose text is not shown.
func (s *Store) Synonyms(ctx context.Context, q Question) (all []Synonym, err error) {
	asked := strings.Fields(query.Normal(q.Text))
	if q.Hidden || len(asked) < 2 || q.Outcome != Nothing && q.Outcome != Weak {
		return nil, nil
	}
	for _, state := range []int64{stateAnswered, stateUnclicked} {
		some, err := store.List(ctx, s.db, `SELECT form, text, times FROM question_form
			WHERE state = $1 AND times > 0 AND shown = 1 ORDER BY times DESC, id DESC LIMIT $2`,
			func(row store.Scanner) (one Synonym, err error) {
				var form string
				if err = row.Scan(&form, &one.From, &one.Times); err == nil {
					one.Words, one.Means = exchanged(asked, strings.Fields(form))
				}
				return one, err
			}, state, maxAlike)
		if err != nil {
			return nil, fmt.Errorf("suggest synonyms: %w", err)
		}
		some = slices.DeleteFunc(some, func(one Synonym) bool { return one.Words == "" })
		slices.SortStableFunc(some, func(a, b Synonym) int {
			return cmp.Compare(strings.Count(a.Words+a.Means, " "), strings.Count(b.Words+b.Means, " "))
		})
		for _, one := range some {
			known := slices.ContainsFunc(all, func(other Synonym) bool { return other.Means == one.Means })
			if len(all) < maxSynonyms && !known {
				all = append(all, one)
			}
		}
	}
	return all, nil
}

// exchanged are the words of a question in whose place others stand in another one; nothing where
// the questions do not differ by a few words alone.
func exchanged(asked, answered []string) (words, means string) {
	lone := func(of, other []string) []string {
		return slices.DeleteFunc(slices.Clone(of), func(word string) bool { return slices.Contains(other, word) })
	}
	left, right := lone(asked, answered), lone(answered, asked)
	short := func(word string) bool { return len(word) < minWord }
	few := func(of []string) bool {
		return len(of) > 0 && len(of) <= maxExchanged && !slices.ContainsFunc(of, short)
	}
	if !few(left) || !few(right) || len(asked)-len(left) < 1 {
		return "", ""
	}
	return strings.Join(left, " "), strings.Join(right, " ")
}
