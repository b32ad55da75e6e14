package cli

import (
	"io"
	"os"
	"slices"
	"testing"

	"frontdesk/internal/cli/command"
	"frontdesk/internal/cli/eval"
)

// A desk that knew the conditions would have nothing wrong with any answer: the judged questions
// over the sample sites can all be met, and the clock shows their time.
func TestJudgedQuestionsOfTheSampleSitesCanAllBeMet(t *testing.T) {
	t.Parallel()
	if raced {
		t.Skip("one question after another has nothing for the race detector to find")
	}
	questions, err := readFile("eval/testdata/constrained/demo.jsonl", eval.ReadConstrained)
	if err != nil {
		t.Fatal(err)
	}
	j, err := evalCommand{Demo: true}.judge(
		&command.Environment{Ctx: t.Context(), Stdout: io.Discard, Stderr: os.Stderr})
	if err != nil {
		t.Fatal(err)
	}
	defer j.close()
	for _, q := range questions {
		j.clock.at.Store(&q.Now)
		if !q.Now.IsZero() && !j.clock.now().Equal(q.Now) {
			t.Errorf("%s: the clock shows %s, not %s", q.ID, j.clock.now(), q.Now)
		}
		result, err := j.items.Judge(q, eval.Outcome{Documents: oracle(t, j.items, q)})
		if err != nil {
			t.Error(err)
		} else if !result.Whole() || result.Found < 1 && q.Count == 0 {
			t.Errorf("%s cannot be met: %+v", q.ID, result)
		}
	}
}

// oracle gives the right items in the right order, as many as asked for.
func oracle(t *testing.T, items eval.Items, q eval.Constrained) (right []string) {
	t.Helper()
	judge := func(q eval.Constrained, urls ...string) eval.ConstrainedResult {
		result, err := items.Judge(q, eval.Outcome{Documents: urls})
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
	for url := range items {
		if q.Empty == "" && judge(q, url).Found > 0 {
			right = append(right, url)
		}
	}
	slices.Sort(right)
	if q.Order != nil {
		loose := *q.Order
		loose.Exact = false
		paired := q
		paired.Order = &loose
		before := func(a, b string) bool { return *judge(paired, b, a).Order < 1 }
		slices.SortStableFunc(right, func(a, b string) int {
			switch {
			case before(a, b):
				return -1
			case before(b, a):
				return 1
			}
			return 0
		})
	}
	if q.Count > 0 {
		right = right[:min(q.Count, len(right))]
	}
	return right
}
