package ask

import (
	"context"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/ask/nearness"
	"frontdesk/internal/ask/session"
	"frontdesk/internal/infra/fail"
)

func TestServiceIsNotMadeWithoutWhatItNeeds(t *testing.T) {
	t.Parallel()
	b := newBench(t, "shop")
	memory, err := session.NewMemory(b.db,
		session.MemoryOptions{Secret: make([]byte, 32), For: time.Hour, Turns: 1, All: 1})
	if err != nil {
		t.Fatal(err)
	}
	corpus := b.content.Corpus
	for missing, build := range map[string]func() error{
		"Corpus": func() error { _, err := New(Deps{}); return err },
		"Conversations": func() error {
			_, err := New(Deps{Corpus: corpus, Memory: memory})
			return err
		},
		"Store":  func() error { _, err := NewPromises(PromiseDeps{Corpus: corpus}); return err },
		"Keeper": func() error { _, err := nearness.New(nearness.Deps{Corpus: corpus}); return err },
	} {
		if err := build(); err == nil || !strings.Contains(err.Error(), missing) {
			t.Errorf("without %s: %v", missing, err)
		}
	}
}

func TestQuestionsAreAnsweredWhereAllElseIsOff(t *testing.T) {
	t.Parallel()
	b := newBench(t, "shop")
	b.fill(t, "shop", "s", item("shop", "lamp", "Product", "Brass lamp", "A lamp."))
	yes := true
	q := Question{Text: "lamp", Session: &Session{Conversation: "c"}, Remembering: Remembering{Remember: &yes},
		Fresh: true}
	reply, err := b.Ask(t.Context(), q)
	if err != nil || reply.Answer.Len() != 1 || reply.Session != nil || reply.Model() != nil {
		t.Errorf("%+v, %v", reply, err)
	}
	if b.Promises() || b.CanReread() {
		t.Error("it promises something")
	}
	if _, err := b.Await(t.Context(), Awaiting{Token: "x"}); fail.From(err).Code != fail.UnknownPromise {
		t.Errorf("of a promise: %v", err)
	}
	if _, err := b.Await(t.Context(), Awaiting{Token: "x", Cancel: true}); fail.From(err).Code != fail.UnknownPromise {
		t.Errorf("of a promise that is cancelled: %v", err)
	}
	if err := b.Forget(t.Context(), "party", Session{Conversation: "c"}); fail.From(err).Code != fail.NotFound {
		t.Errorf("of a conversation: %v", err)
	}
	q.Report = ReportAlone
	answer, promise, err := b.Patiently(t.Context(), q, Keeper{}, func(context.Context, func() bool) []byte {
		return []byte("waited for")
	})
	if string(answer) != "waited for" || promise != nil || err != nil {
		t.Errorf("%q, %v, %v", answer, promise, err)
	}
}
