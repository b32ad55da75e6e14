package questions

import (
	"testing"

	"frontdesk/internal/testkit/storetest"
)

func TestSynonymsComeFromAnsweredQuestions(t *testing.T) {
	t.Parallel()
	x := newKit(t, storetest.OpenSQLite(t, Schema))
	nothing := func(a *Asked) { a.Outcome, a.Results, a.URL, a.Name = Nothing, 0, "", "" }
	both := func(text string, change ...func(*Asked)) {
		x.ask(text, "a", change...)
		x.ask(text, "b", change...)
	}
	both("thermos flask", nothing)
	both("Vacuum flask")
	both("insulated vacuum flask")
	both("hip flask of our best steel")     // too much of it is otherwise
	both("bottle opener")                   // nothing is the same
	both("travel flask", nothing)           // was not answered either
	x.ask("secret flask", "a")              // not shown
	x.ask("one flask of one", "a", nothing) // hidden itself
	for text, want := range map[string][]Synonym{
		"thermos flask": {
			{Words: "thermos", Means: "vacuum", From: "Vacuum flask", Times: 2},
			{Words: "thermos", Means: "insulated vacuum", From: "insulated vacuum flask", Times: 2},
		},
		"Vacuum flask": nil, "": nil,
	} {
		for _, q := range x.list(Filter{}) {
			if q.Text != text {
				continue
			}
			got, err := x.s.Synonyms(t.Context(), q)
			if err != nil || len(got) != len(want) {
				t.Fatalf("%q: %+v, %v", text, got, err)
			}
			for i := range want {
				if got[i] != want[i] {
					t.Errorf("%q: %+v, want %+v", text, got[i], want[i])
				}
			}
		}
	}
}
