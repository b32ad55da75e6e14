package tryout

import (
	"testing"
	"time"

	"frontdesk/internal/ask"
	"frontdesk/internal/ask/tuning"
	"frontdesk/internal/content"
	"frontdesk/internal/content/released"
	"frontdesk/internal/content/vector"
	"frontdesk/internal/testkit/contenttest"
	"frontdesk/internal/testkit/storetest"
)

func TestATrialTellsWhatAnEntryWouldDo(t *testing.T) {
	t.Parallel()
	db := storetest.Chosen(t, content.Schema, vector.Schema)
	corpus := contenttest.New(t, db, released.Deps{Sites: contenttest.Sites("shop")})
	corpus.Fill(t, "shop", "s", contenttest.Item("shop", "sofa", "Product", "Rotes Sofa", "Ein Sofa."),
		contenttest.Item("shop", "tisch", "Product", "Esstisch", "Ein Tisch aus Eiche."))
	counted := 0
	service, err := ask.New(ask.Deps{
		Corpus: corpus.Corpus, Reading: ask.Reading{MinScore: 1},
		Tuning: func() *tuning.Rules { counted++; return nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	synonym := tuning.Entry{Kind: tuning.Synonym, Words: []string{"Kanapee"}, Means: "Sofa"}
	kept := []Kept{
		{Text: "Kanapees"}, {Text: "Kanapee", Hidden: true}, {Text: "Kanapee Esstisch"}, {Text: "Esstisch"},
		{Text: "Fahrrad"},
	}
	try := func(entry tuning.Entry, kept ...Kept) Effect {
		t.Helper()
		if err := entry.Check(); err != nil {
			t.Fatal(err)
		}
		e, err := Try(t.Context(), Trial{Service: service, Entry: entry, Kept: kept, Now: time.Now})
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	e := try(synonym, kept...)
	if e.Question != "Kanapee" || len(e.Before) != 0 || len(e.After) != 1 ||
		e.After[0].URL != "https://shop.example/sofa" {
		t.Errorf("the question: %+v", e)
	}
	if e.Kept != 5 || e.Tried != 5 || e.GainAnswer < 2 || e.LoseAnswer != 0 || e.OutOfTime {
		t.Errorf("kept questions: %+v", e)
	}
	for _, c := range e.Changes {
		if c.Question == "Kanapee" {
			t.Error("a text is told that may be shown to nobody")
		}
	}
	pin := tuning.Entry{Kind: tuning.Pin, Question: "esstisch?", Items: []string{"https://shop.example/sofa"}}
	if e := try(pin, kept...); e.ChangeFirst != 1 || e.GainAnswer != 0 || e.Changes[0].After.Name != "Rotes Sofa" {
		t.Errorf("a pin: %+v", e)
	}
	off := pin
	off.Off = true
	if e := try(off, kept...); e.ChangeFirst != 0 || e.Tried != 5 {
		t.Errorf("an entry that is off: %+v", e)
	}
	answer := tuning.Entry{Kind: tuning.Answer, Question: "Fahrrad", Text: "Nein.", Link: "https://shop.example/"}
	if e := try(answer, kept...); e.GainAnswer != 1 || e.After[0].Text != "Nein." {
		t.Errorf("an answer: %+v", e)
	}
	if counted != 0 {
		t.Errorf("the rules in force were asked for %d times", counted)
	}
}
