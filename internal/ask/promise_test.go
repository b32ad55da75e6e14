package ask

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/internal/ask/session"
	"frontdesk/internal/content"
	"frontdesk/internal/content/released"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/policy"
	"frontdesk/internal/testkit/contenttest"
	"frontdesk/internal/testkit/storetest"
)

// itemOf is an item in short: further members are as in its object, each with a comma before.
type itemOf struct{ path, typ, name, text, more string }

func made(site string, items ...itemOf) []content.Item {
	var all []content.Item
	for _, i := range items {
		it := item(site, i.path, i.typ, i.name, i.text)
		it.Object = []byte(fmt.Sprintf(`{"@type":%q,"url":%q,"name":%q%s}`, i.typ, it.URL, i.name, i.more))
		all = append(all, it)
	}
	return all
}

// promising gives a bench with a worker. Its keeper answers with the names of what it finds.
func promising(t *testing.T, change func(*Deps, *PromiseDeps)) *bench {
	t.Helper()
	db := storetest.Chosen(t, content.Schema, session.PromiseSchema)
	b := &bench{content: contenttest.New(t, db, released.Deps{Sites: contenttest.Sites("shop")}), db: db}
	promises, err := session.NewPromises(db,
		session.PromiseOptions{Secret: make([]byte, 32), Keep: time.Hour, Each: 100, Kept: 100, All: 100})
	if err != nil {
		t.Fatal(err)
	}
	deps := Deps{Corpus: b.content.Corpus, Reading: Reading{MinScore: 1}}
	later := PromiseDeps{Store: promises, Corpus: b.content.Corpus, After: time.Hour, Workers: 4}
	if change != nil {
		change(&deps, &later)
	}
	if deps.Promises, err = NewPromises(later); err != nil {
		t.Fatal(err)
	}
	if b.Service, err = New(deps); err != nil {
		t.Fatal(err)
	}
	b.fill(t, "shop", "files", item("shop", "lamp", "Product", "Brass lamp", "A lamp."),
		item("shop", "secret", "Product", "Secret lamp", "A lamp."))
	return b
}

// work lets the bench work on promises until the function that it gives is called.
func (b *bench) work(t *testing.T) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		b.promises.Work(ctx, b.keeper())
	}()
	stop = func() {
		cancel()
		<-done
	}
	t.Cleanup(stop)
	return stop
}

func (b *bench) keeper() Keeper {
	return Keeper{
		Answer: func(ctx context.Context, party string, request []byte) ([]byte, bool) {
			reply, err := b.Ask(ctx, Question{Text: strings.TrimPrefix(string(request), "fresh "),
				Fresh: strings.HasPrefix(string(request), "fresh "), Party: party, AnswersOnly: true})
			if err != nil {
				return []byte(err.Error()), fail.From(err).Code == fail.Unavailable
			}
			var names []string
			for result, err := range reply.Answer.Results(ctx) {
				if err != nil {
					return []byte(err.Error()), false
				}
				names = append(names, result.Name())
			}
			return []byte(strings.Join(names, ", ")), false
		},
		Failure: func(_ []byte, err error) []byte { return []byte("failed: " + string(fail.From(err).Code)) },
	}
}

func recorded(text string) Question {
	return Question{Text: text, Record: func(*Session) ([]byte, error) { return []byte(text), nil }}
}

// awaited waits for the answer of a promise.
func (b *bench) awaited(t *testing.T, token string) string {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); {
		made, err := b.Await(t.Context(), Awaiting{Token: token})
		if err != nil {
			t.Fatal(err)
		}
		if made.Promise == nil {
			return string(made.Answer)
		}
		<-time.After(5 * time.Millisecond)
	}
	t.Fatal("the promise is not kept")
	return ""
}

func (b *bench) mustPromise(t *testing.T, q Question) *Promise {
	t.Helper()
	reply, err := b.Ask(t.Context(), q)
	if err != nil || reply.Promise == nil {
		t.Fatalf("%+v, %v", reply, err)
	}
	return reply.Promise
}

func slowly(words string, d time.Duration) func(*Deps, *PromiseDeps) {
	return func(_ *Deps, later *PromiseDeps) { later.Slow = append(later.Slow, Slow{words, d}) }
}

func TestShortQuestionsAreNeverPromised(t *testing.T) {
	t.Parallel()
	b := promising(t, slowly("brass", time.Hour))
	for _, q := range []Question{
		recorded("lamp"), {Text: "brass lamp"}, {Text: "brass lamp", AnswersOnly: true, Record: recorded("x").Record},
	} {
		if reply, err := b.Ask(t.Context(), q); err != nil || reply.Promise != nil || reply.Answer.Len() == 0 {
			t.Errorf("%q: %+v, %v", q.Text, reply, err)
		}
	}
	count, err := b.promises.deps.Store.Count(t.Context())
	if err != nil || len(count) > 0 {
		t.Errorf("promises: %v, %v", count, err)
	}
}

func TestWhatIsPromisedIsKept(t *testing.T) {
	t.Parallel()
	b := promising(t, slowly("moment", 20*time.Millisecond))
	b.work(t)
	promise := b.mustPromise(t, recorded("brass lamp in a MOMENT"))
	if promise.Progress != 0 || promise.Message == "" || promise.Left != 20*time.Millisecond {
		t.Errorf("%+v", promise)
	}
	if got := b.awaited(t, promise.Token); !strings.Contains(got, "Brass lamp") {
		t.Errorf("it is kept with %q", got)
	}
}

// What a model or a person must not wait for stops when it is taken back: the context of the work
// ends.
func TestCancelStopsTheWork(t *testing.T) {
	t.Parallel()
	began, ended := make(chan struct{}), make(chan error, 1)
	b := promising(t, func(_ *Deps, later *PromiseDeps) {
		later.Reread = func(ctx context.Context, _ []string, _ func(int, int)) (string, error) {
			close(began)
			<-ctx.Done()
			ended <- context.Cause(ctx)
			return "", context.Cause(ctx)
		}
	})
	b.work(t)
	q := recorded("fresh lamp")
	q.Fresh = true
	promise := b.mustPromise(t, q)
	<-began
	for range 2 {
		if _, err := b.Await(t.Context(),
			Awaiting{Token: promise.Token, Cancel: true}); fail.From(err).Code != fail.Cancelled {
			t.Fatalf("cancel: %v", err)
		}
	}
	if err := <-ended; !errors.Is(err, errTakenBack) {
		t.Errorf("the work ended because of %v", err)
	}
	if _, err := b.Await(t.Context(), Awaiting{Token: promise.Token}); fail.From(err).Code != fail.Cancelled {
		t.Errorf("checkin after cancel: %v", err)
	}
}

func TestWorkThatTakesTooLongFails(t *testing.T) {
	t.Parallel()
	b := promising(t, func(deps *Deps, later *PromiseDeps) {
		slowly("leisure", time.Hour)(deps, later)
		later.Time = 20 * time.Millisecond
	})
	b.work(t)
	if got := b.awaited(t, b.mustPromise(t, recorded("lamp at leisure")).Token); got != "failed: timeout" {
		t.Errorf("it is kept with %q", got)
	}
}

func TestWorkIsGivenBackWhenTheServerStops(t *testing.T) {
	t.Parallel()
	b := promising(t, slowly("leisure", time.Hour))
	stop := b.work(t)
	promise := b.mustPromise(t, recorded("brass lamp at leisure"))
	for b.promises.jobs.count() == 0 {
		<-time.After(time.Millisecond)
	}
	stop()
	if made, err := b.Await(t.Context(), Awaiting{Token: promise.Token}); err != nil || made.Promise == nil {
		t.Fatalf("%+v, %v", made, err)
	}
	b.promises.deps.Slow = nil
	b.promises.jobs.closed = false // as in the next process
	b.work(t)
	if got := b.awaited(t, promise.Token); !strings.Contains(got, "Brass lamp") {
		t.Errorf("it is kept with %q", got)
	}
}

func TestAPanicFailsOnePromiseAlone(t *testing.T) {
	t.Parallel()
	b := promising(t, slowly("moment", time.Millisecond))
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	keeper := b.keeper()
	plain := keeper.Answer
	keeper.Answer = func(ctx context.Context, party string, request []byte) ([]byte, bool) {
		if strings.Contains(string(request), "broken") {
			panic(http.ErrAbortHandler)
		}
		return plain(ctx, party, request)
	}
	go b.promises.Work(ctx, keeper)
	broken, whole := b.mustPromise(t, recorded("broken lamp, a moment")),
		b.mustPromise(t, recorded("brass lamp, a moment"))
	if got := b.awaited(t, broken.Token); got != "failed: internal" {
		t.Errorf("the broken one is kept with %q", got)
	}
	if got := b.awaited(t, whole.Token); !strings.Contains(got, "Brass lamp") {
		t.Errorf("the other is kept with %q", got)
	}
}

// What was released under other terms may be more than these allow.
func TestAnAnswerDoesNotOutliveItsTerms(t *testing.T) {
	t.Parallel()
	b := promising(t, slowly("lamp", time.Millisecond))
	b.work(t)
	promise := b.mustPromise(t, recorded("lamp"))
	if got := b.awaited(t, promise.Token); !strings.Contains(got, "Secret lamp") {
		t.Fatalf("it is kept with %q", got)
	}
	b.obey(t, policy.Rule{Match: policy.Match{Path: []string{"/secret"}}, Access: policy.Blocked},
		policy.Rule{Access: policy.Open})
	if got := b.awaited(t, promise.Token); got != "Brass lamp" {
		t.Errorf("under stricter terms it is kept with %q", got)
	}
}

func TestWorkIsWaitedForUntilItsTimeIsUp(t *testing.T) {
	t.Parallel()
	b := promising(t, nil)
	quick := func(context.Context, func() bool) []byte { return []byte("quick") }
	answer, promise, err := b.Patiently(t.Context(), recorded("q"), b.keeper(), quick)
	if string(answer) != "quick" || promise != nil || err != nil {
		t.Errorf("%q, %v, %v", answer, promise, err)
	}
	b.promises.deps.After = 0
	release := make(chan struct{})
	answer, promise, err = b.Patiently(t.Context(), recorded("q"), b.keeper(),
		func(_ context.Context, ready func() bool) []byte {
			<-release
			if ready() {
				t.Error("the caller has gone with a promise, and is to take over")
			}
			return []byte("late")
		})
	if answer != nil || promise == nil || err != nil {
		t.Fatalf("%q, %v, %v", answer, promise, err)
	}
	if made, err := b.Await(t.Context(), Awaiting{Token: promise.Token}); err != nil || made.Promise == nil {
		t.Errorf("%+v, %v", made, err)
	}
	close(release)
	if got := b.awaited(t, promise.Token); got != "late" {
		t.Errorf("it is kept with %q", got)
	}
}

func TestTheCallerTakesOverWhatIsReadyInTime(t *testing.T) {
	t.Parallel()
	b := promising(t, nil)
	took := false
	answer, promise, err := b.Patiently(t.Context(), recorded("q"), b.keeper(),
		func(_ context.Context, ready func() bool) []byte {
			took = ready()
			return nil
		})
	if answer != nil || promise != nil || err != nil || !took {
		t.Errorf("%q, %v, %v, took %t", answer, promise, err, took)
	}
}

func TestWorkStopsWithTheCallerWhoWaits(t *testing.T) {
	t.Parallel()
	b := promising(t, nil)
	ctx, leave := context.WithCancel(t.Context())
	ended := make(chan struct{})
	_, promise, err := b.Patiently(ctx, recorded("q"), b.keeper(), func(ctx context.Context, _ func() bool) []byte {
		leave()
		<-ctx.Done()
		close(ended)
		return nil
	})
	<-ended
	if promise != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v", promise, err)
	}
}

func TestWhatCannotBePromisedIsWaitedFor(t *testing.T) {
	t.Parallel()
	b := promising(t, func(_ *Deps, later *PromiseDeps) { later.After = 0 })
	for range 100 { // which is all that is kept for one
		if _, _, err := b.promises.deps.Store.Make(t.Context(), session.Asked{Holder: "stranger"}); err != nil {
			t.Fatal(err)
		}
	}
	var calls atomic.Int32
	answer, promise, err := b.Patiently(t.Context(), recorded("q"), b.keeper(),
		func(context.Context, func() bool) []byte {
			calls.Add(1)
			return []byte("waited for")
		})
	if string(answer) != "waited for" || promise != nil || err != nil || calls.Load() != 1 {
		t.Errorf("%q, %v, %v", answer, promise, err)
	}
}

func TestSourcesAreReadAgainForAQuestionThatAsks(t *testing.T) {
	t.Parallel()
	b := promising(t, nil)
	b.promises.deps.Reread = func(ctx context.Context, sites []string, pages func(int, int)) (string, error) {
		pages(1, 2)
		if at := progressOf(ctx).get(); at.Part <= 0 || !strings.Contains(at.Message, "1") {
			t.Errorf("progress is %+v", at)
		}
		if len(sites) != 1 || sites[0] != "shop" {
			t.Errorf("read are %v", sites)
		}
		b.fill(t, "shop", "files", item("shop", "new", "Product", "New lamp", "A lamp that came just now."))
		return "could not be read again: moon", nil
	}
	ctx := context.WithValue(t.Context(), progressKey{}, &progress{resumed: true}) // as the worker asks
	reply, err := b.Ask(ctx, Question{Text: "lamp", Sites: []string{"shop"}, Fresh: true})
	if err != nil || reply.Unread != "could not be read again: moon" {
		t.Fatalf("%+v, %v", reply, err)
	}
	for result := range reply.Answer.Results(ctx) {
		if result.Name() != "New lamp" {
			t.Errorf("found: %s", result.Name())
		}
	}
}

func TestWhatWasForgottenIsNotRememberedByAPromiseLater(t *testing.T) {
	t.Parallel()
	secret := []byte(strings.Repeat("s", 32))
	talks := session.NewConversations(session.ConversationOptions{Secret: secret, Good: time.Hour})
	var memory *session.Memory
	b := promising(t, func(deps *Deps, later *PromiseDeps) {
		slowly("brass", time.Millisecond)(deps, later)
		var err error
		memory, err = session.NewMemory(storetest.Chosen(t, session.Schema),
			session.MemoryOptions{Secret: secret, For: time.Hour, Turns: 10, All: 10})
		if err != nil {
			t.Fatal(err)
		}
		deps.Conversations, deps.Memory = talks, memory
	})
	hers := session.Whose{Party: "key:alice", Conversation: "c"}
	remembered := func() int {
		turns, _, err := memory.Recall(t.Context(), hers)
		if err != nil {
			t.Fatal(err)
		}
		return len(turns)
	}
	forgotten, begun, ended := make(chan struct{}), make(chan struct{}), make(chan struct{})
	yes := true
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		defer close(ended)
		b.promises.Work(ctx, Keeper{
			Answer: func(ctx context.Context, party string, request []byte) ([]byte, bool) {
				close(begun)
				<-forgotten
				// The work does not notice in time that it was to end.
				_, err := b.Ask(context.WithoutCancel(ctx), Question{Text: string(request), Party: party,
					Session: &Session{Conversation: "c"}, Remembering: Remembering{Remember: &yes}, AnswersOnly: true})
				if err != nil {
					t.Error(err)
				}
				return nil, false
			},
			Failure: b.keeper().Failure,
		})
	}()
	if err := memory.Keep(t.Context(), hers, session.Turn{Text: "lamp"}); err != nil {
		t.Fatal(err)
	}
	q := recorded("brass lamp")
	q.Party, q.Session, q.Remember = hers.Party, &Session{Conversation: "c"}, &yes
	made := b.mustPromise(t, q)
	<-begun
	if n := remembered(); n != 1 {
		t.Fatalf("%d turns are remembered before", n)
	}
	if err := b.Forget(t.Context(), hers.Party, Session{Conversation: "c"}); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Await(t.Context(),
		Awaiting{Party: hers.Party, Token: made.Token}); fail.From(err).Code != fail.UnknownPromise {
		t.Errorf("the promise outlives its conversation: %v", err)
	}
	close(forgotten)
	stop()
	<-ended
	if n := remembered(); n != 0 {
		t.Errorf("%d turns came back after the conversation was forgotten", n)
	}
}

// A stranger who takes the first thing back that he ever asked has what was promised for it gone,
// too.
func TestAStrangersFirstPromiseIsForgottenWithItsConversation(t *testing.T) {
	t.Parallel()
	ways := map[string]func(*testing.T, *bench) (token string, state Session){
		"promised at once": func(t *testing.T, b *bench) (string, Session) {
			q := recorded("brass lamp at leisure")
			q.Session = &Session{}
			reply, err := b.Ask(t.Context(), q)
			if err != nil || reply.Promise == nil {
				t.Fatalf("%+v, %v", reply, err)
			}
			return reply.Promise.Token, *reply.Session
		},
		"promised when it took long": func(t *testing.T, b *bench) (string, Session) {
			b.promises.deps.After = 0
			q := recorded("lamp")
			q.Session = &Session{}
			_, promise, err := b.Patiently(t.Context(), q, b.keeper(), func(ctx context.Context, _ func() bool) []byte {
				select {
				case <-ctx.Done():
				case <-t.Context().Done():
				}
				return nil
			})
			if err != nil || promise == nil {
				t.Fatalf("%v, %v", promise, err)
			}
			t.Cleanup(b.promises.jobs.group.Wait)
			return promise.Token, *q.Session
		},
	}
	for name, ask := range ways {
		t.Run(name, func(t *testing.T) {
			b := promising(t, func(deps *Deps, later *PromiseDeps) {
				slowly("leisure", time.Hour)(deps, later)
				deps.Conversations = session.NewConversations(
					session.ConversationOptions{Secret: []byte(strings.Repeat("s", 32)), Good: time.Hour})
			})
			token, state := ask(t, b)
			other, _ := ask(t, b)
			if err := b.Forget(t.Context(), "",
				Session{Conversation: state.Conversation}); fail.From(err).Code != fail.Forbidden {
				t.Errorf("without its state: %v", err)
			}
			if err := b.Forget(t.Context(), "", state); err != nil {
				t.Fatal(err)
			}
			if _, err := b.Await(t.Context(), Awaiting{Token: token}); fail.From(err).Code != fail.UnknownPromise {
				t.Errorf("the promise outlives its conversation: %v", err)
			}
			if made, err := b.Await(t.Context(),
				Awaiting{Token: other, Cancel: true}); fail.From(err).Code != fail.Cancelled {
				t.Errorf("the promise of another conversation: %+v, %v", made, err)
			}
		})
	}
}
