package ask

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"time"

	"frontdesk/internal/ask/i18n"
	"frontdesk/internal/ask/session"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/llm"
)

// Promise is an answer that is being worked on (NLWeb 0.55 §4.1.2).
type Promise struct {
	Token    string
	Message  string        // for people, in a language that they prefer
	Progress float64       // 0 to 1, never less than before
	Left     time.Duration // until the answer is expected; 0 when that is not known
}

// Awaited is what became of a promise.
type Awaited struct {
	Promise *Promise // it is still worked on
	Answer  []byte   // it was kept; in the form that Keeper.Answer gave
	Request []byte   // what was asked, in the form that Question.Record gave
}

// promise keeps a promise for a question whose work will take long for sure; nil when it is to be
// answered at once.
func (s *Service) promise(ctx context.Context, in *askState) (*Promise, error) {
	if !in.promisable() || progressOf(ctx) != nil {
		return nil, nil
	}
	slow := s.promises.slowness(in.Text)
	if slow == 0 && !s.rereads(in) {
		return nil, nil
	}
	q := in.Question
	if q.Session != nil {
		q.Session = &Session{Conversation: in.talk.ID, State: q.Session.State} // which it may have got just now
		in.talk.Secret = s.bind(q.Session, q.Party)
	}
	promise, _, err := s.makePromise(ctx, q, session.Asked{
		Message: i18n.For(in.Languages...).Say(i18n.PromiseWaiting), Expect: slow,
	})
	if err == nil {
		s.promises.jobs.nudge()
	}
	return promise, err
}

// bind brings a session to where what is promised in it can be forgotten with it, and gives its
// secret: it gets an id, and that of a stranger a secret in its state, if it has none.
func (s *Service) bind(own *Session, party string) (secret string) {
	talk := s.deps.Conversations.Open(own.Conversation, party, own.State)
	own.Conversation = talk.ID
	if party == "" && talk.Secret == "" {
		talk.Secret = s.deps.Conversations.NewSecret()
		own.State = s.deps.Conversations.Seal(talk, party)
	}
	return talk.Secret
}

func (s *Service) makePromise(ctx context.Context, q Question, asked session.Asked) (*Promise, *session.Job, error) {
	request, err := q.Record(q.Session)
	if err != nil {
		return nil, nil, err
	}
	asked.Party, asked.Request, asked.Holder = q.Party, request, "party "+q.Party
	if q.Session != nil {
		talk := s.deps.Conversations.Open(q.Session.Conversation, q.Party, q.Session.State)
		asked.Talk = session.Talk{Party: q.Party, Secret: talk.Secret, Conversation: talk.ID}
	}
	if q.Party == "" {
		asked.Holder = s.promises.stranger(ctx)
	}
	token, job, err := s.promises.store.Make(ctx, asked)
	if err != nil {
		return nil, nil, err
	}
	return &Promise{Token: token, Message: asked.Message, Left: asked.Expect}, job, nil
}

// promisable says whether a promise may take the place of the question's answer.
func (q *Question) promisable() bool { return q.Record != nil && !q.AnswersOnly }

// rereads says whether the sources are read again for a question.
func (s *Service) rereads(in *askState) bool { return in.Fresh && s.promises.rereads() }

// CanReread says whether a question may ask for the sources to be read again: Question.Fresh.
func (s *Service) CanReread() bool { return s.promises.rereads() }

// TakesLong says whether the work on a question may take so long that it is done by Patiently: for
// a report, which looks at all that matches, and when a model has longer for its part than is
// waited for before an answer is promised.
func (s *Service) TakesLong(q Question) bool {
	if q.Report != NoReport {
		return true
	}
	uses := []llm.Use{llm.Rerank, llm.Embed}
	if q.Summarize {
		uses = append(uses, llm.Summarize)
	}
	if len(q.Context.Previous) > 0 {
		uses = append(uses, llm.Rewrite)
	}
	return slices.ContainsFunc(uses, func(use llm.Use) bool {
		return s.deps.LLM.Enabled(use) && s.deps.LLM.Timeout(use) > s.promises.deps.After
	})
}

// Promises says whether answers may be promised. Where they are not, no question may have a Record.
func (s *Service) Promises() bool { return s.deps.Promises != nil }

// prepare does what takes long before a promised question is answered.
func (s *Service) prepare(ctx context.Context, in *askState) error {
	told := progressOf(ctx)
	if told == nil {
		return nil
	}
	say := i18n.For(in.Languages...)
	told.tell(session.Progress{Message: say.Say(i18n.PromiseWorking)})
	if slow := s.promises.slowness(in.Text); slow > 0 {
		if err := dawdle(ctx, slow, func(spent time.Duration) {
			told.tell(session.Progress{
				Part: 0.99 * float64(spent) / float64(slow), Left: slow - spent, Message: say.Say(i18n.PromiseWorking),
			})
		}); err != nil {
			return err
		}
	}
	if !s.rereads(in) {
		return nil
	}
	told.tell(session.Progress{Message: say.Say(i18n.PromiseReading)})
	unread, err := s.promises.deps.Reread(ctx, in.asked.Sites, func(done, total int) {
		at := session.Progress{Message: say.Say(i18n.PromiseReadPages, done)}
		if total > 0 {
			at.Part = 0.99 * float64(done) / float64(max(done, total))
		}
		told.tell(at)
	})
	if err != nil {
		return err
	}
	in.unread = unread
	return s.deps.Corpus.Refresh(ctx)
}

// dawdle lets time pass, and tells every so often how much has.
func dawdle(ctx context.Context, whole time.Duration, tell func(spent time.Duration)) error {
	began := time.Now()
	tick := time.NewTicker(max(min(whole/20, session.RenewEvery/2), time.Millisecond))
	defer tick.Stop()
	for {
		spent := time.Since(began)
		if spent >= whole {
			return nil
		}
		tell(spent)
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-tick.C:
		}
	}
}

// Awaiting asks for what became of a promise.
type Awaiting struct {
	Party  string // who it was made to; empty for a stranger
	Token  string
	Cancel bool // it is cancelled first
	// Languages tells the languages that a recorded request wants; nil for none.
	Languages func(request []byte) []string
}

// Await says what became of a promise, or cancels it first. It returns fail.UnknownPromise for a
// token that is not the party's, and fail.Cancelled for one that was cancelled. The result is there
// with these failures of a promise that is known, too, for its request.
func (s *Service) Await(ctx context.Context, a Awaiting) (*Awaited, error) {
	store := s.promises.store
	look := store.Look
	if a.Cancel {
		look = store.Cancel
	}
	now, err := look(ctx, a.Party, a.Token)
	if err == nil && now.State == session.Kept && now.Rules != s.deps.Corpus.Terms().Version() {
		// What was released under other terms may be more than these allow.
		var speaker i18n.Speaker
		if a.Languages != nil {
			speaker = i18n.For(a.Languages(now.Request)...)
		}
		if now, err = store.Again(ctx, a.Party, a.Token, speaker.Say(i18n.PromiseAgain)); err == nil {
			s.promises.jobs.nudge()
		}
	}
	if err != nil {
		return nil, unreachable(err)
	}
	made := &Awaited{Request: now.Request}
	switch now.State {
	case session.Kept:
		made.Answer = now.Answer
		return made, nil
	case session.Cancelled:
		s.promises.jobs.stop(now.ID, errTakenBack)
		return made, fail.New(fail.Cancelled, "the question was taken back; ask it again for an answer")
	case session.Broken:
		return made, fail.New(fail.Internal,
			"the work on this question was interrupted again and again; ask it once more, or ask for less")
	}
	made.Promise = &Promise{Token: a.Token, Message: now.Message, Progress: now.Progress, Left: now.Left}
	return made, nil
}

// unreachable is the failure of a store that does not answer; what callers can act on stays what it
// is.
func unreachable(err error) error {
	var coded *fail.Error
	if errors.As(err, &coded) || errors.Is(err, context.Canceled) {
		return err
	}
	unavailable := fail.New(fail.Unavailable, "promises cannot be looked up at the moment; try again")
	unavailable.RetryAfter = 5 * time.Second
	return unavailable.Wrap(err)
}

// The ways in which work that is waited for goes on; see Patiently.
const (
	undecided int32 = iota
	inTime
	late
)

// Patiently does work that may take long. It gives what the work gave if that comes within
// PromiseDeps.After; otherwise a promise, and the work goes on. The work calls ready when it has
// come so far that its caller can take over, and ends there if that says so. Where nothing can be
// promised, it is waited for.
func (s *Service) Patiently(
	ctx context.Context, q Question, keeper Keeper, work func(ctx context.Context, ready func() bool) []byte,
) ([]byte, *Promise, error) {
	q.Session = s.carried(q.Session)
	if q.Session != nil {
		s.bind(q.Session, q.Party) // the same in a promise as in its answer
	}
	told, rules := &progress{}, s.deps.Corpus.Terms().Version()
	own, cancel := context.WithCancelCause(context.WithValue(context.WithoutCancel(ctx), progressKey{}, told))
	var outcome atomic.Int32
	finished := make(chan []byte, 1)
	go func() {
		answer, _ := s.promises.attempt(own, keeper, nil, func(ctx context.Context) ([]byte, bool) {
			return work(ctx, func() bool { return outcome.CompareAndSwap(undecided, inTime) }), false
		})
		finished <- answer
	}()
	wait := func() ([]byte, *Promise, error) {
		select {
		case answer := <-finished:
			cancel(nil)
			return answer, nil, nil
		case <-ctx.Done():
			cancel(context.Cause(ctx))
			return nil, nil, context.Cause(ctx)
		}
	}
	if !q.promisable() {
		return wait()
	}
	timer := time.NewTimer(s.promises.deps.After)
	defer timer.Stop()
	select {
	case answer := <-finished:
		cancel(nil)
		return answer, nil, nil
	case <-ctx.Done():
		return wait()
	case <-timer.C:
	}
	if !outcome.CompareAndSwap(undecided, late) {
		return wait()
	}
	at := told.get()
	if at.Message == "" {
		at.Message = i18n.For(q.Languages...).Say(i18n.PromiseWorking)
	}
	promise, job, err := s.makePromise(ctx, q, session.Asked{Message: at.Message, Expect: at.Left, Begun: true})
	if err != nil {
		s.deps.Log.Warn("a question that takes long could not be promised an answer, and is waited for", "reason", err)
		return wait()
	}
	if !s.promises.jobs.begin(job.ID(), cancel) {
		return wait()
	}
	promise.Progress = at.Part
	told.of(job)
	done := func(context.Context) ([]byte, bool) { return <-finished, false }
	go s.promises.carry(own, cancel, carried{job, told, keeper, rules, done})
	return nil, promise, nil
}
