package operator

import (
	"testing"
	"time"

	"frontdesk/internal/ask/questions"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/testkit/storetest"
)

func TestQuestionsAreListedIgnoredAndForgotten(t *testing.T) {
	t.Parallel()
	db := storetest.OpenSQLite(t, questions.Schema)
	keeper := questions.NewKeeper(questions.Options{DB: db, Secret: []byte("a secret"), Keep: time.Hour})
	for _, text := range []string{"thermos", "thermos", "bicycle"} {
		keeper.Keep(questions.Asked{
			Source: questions.Source{Protocol: "ask", Kind: questions.Person, Owner: true}, Text: text,
			Outcome: questions.Nothing,
		})
	}
	if err := keeper.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	o := &Operator{Questions: questions.NewStore(db, nil)}
	list := func(in ListQuestions, want ...string) QuestionList {
		t.Helper()
		got, err := in.Do(t.Context(), o)
		if err != nil || len(got.Questions) != len(want) {
			t.Fatalf("%+v gives %+v, %v, want %q", in, got, err, want)
		}
		for i, text := range want {
			if got.Questions[i].Text != text {
				t.Errorf("%d is %q, want %q", i, got.Questions[i].Text, text)
			}
		}
		return got
	}
	all := list(ListQuestions{View: "found_nothing"}, "thermos", "bicycle")
	first := list(ListQuestions{Limit: 1}, "thermos")
	list(ListQuestions{Limit: 1, After: first.Next}, "bicycle")
	id := QuestionID{all.Questions[0].ID.String()}
	if d, err := (ShowQuestion{id}).Do(t.Context(), o); err != nil || d.Times != 2 || len(d.Days) != 1 ||
		d.Askers[0].Nothing != 2 {
		t.Errorf("%+v, %v", d, err)
	}
	if q, err := (IgnoreQuestion{id}).Do(t.Context(), o); err != nil || !q.Ignored {
		t.Errorf("%+v, %v", q, err)
	}
	list(ListQuestions{}, "bicycle")
	if q, err := (HeedQuestion{id}).Do(t.Context(), o); err != nil || q.Ignored {
		t.Errorf("%+v, %v", q, err)
	}
	if _, err := (ForgetQuestion{id}).Do(t.Context(), o); err != nil {
		t.Error(err)
	}
	list(ListQuestions{}, "bicycle")
	for _, wrong := range []string{"", "x!", id.ID} {
		if _, err := (ShowQuestion{QuestionID{wrong}}).Do(t.Context(), o); fail.From(err).Code != fail.NotFound {
			t.Errorf("%q: %v", wrong, err)
		}
	}
	if _, err := (ListQuestions{}).Do(t.Context(), &Operator{}); fail.From(err).Code != fail.Invalid {
		t.Errorf("where nothing is kept: %v", err)
	}
}
