package desk

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"frontdesk/internal/ask/i18n"
	"frontdesk/internal/ask/session"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/llm"
)

// Promising says what is promised for later instead of answered (NLWeb 0.55 §4.1.2), and how the work on it goes.
type Promising struct {
	// Store keeps promises; nil promises nothing.
	Store *session.Promises
	// After is how long a question that may take long is waited for before it becomes a promise; 0 promises it at once.
	After time.Duration
	// Time is the most that the work on one promise may take; 0 is 10 minutes.
	Time time.Duration
	// Workers is how many promises this process works on at a time; 0 is 2.
	Workers int
	// Slow are classes of questions that are made slow, for tests of clients.
	Slow []Slow
	// Reread reads what the sites hold again before it is answered from, and gives a sentence on what could not be read; nil
	// when the owner does not want that on demand.
	Reread func(ctx context.Context, sites []string, pages func(done, total int)) (unread string, err error)
	// Client names the one who asks, when nothing is known but where it asks from, to bound what it can be promised; nil
	// counts all strangers as one.
	Client func(context.Context) string
}

func (p *Promising) fill() {
	if p.Time == 0 {
		p.Time = 10 * time.Minute
	}
	if p.Workers == 0 {
		p.Workers = 2
	}
}

// Slow is a class of questions that are made slow: those with the words in their text.
type Slow struct {
	Words string
	For   time.Duration
}

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

// Keeper answers what was promised, in the form of the door that asked.
type Keeper struct {
	// Answer answers a recorded request of a party, empty for a stranger. It gives failures in the same form. With again,
	// what it needs is not there at the moment, and it is to be asked once more.
	Answer func(ctx context.Context, party string, request []byte) (answer []byte, again bool)
	// Failure gives a failure in that form.
	Failure func(request []byte, err error) []byte
}

// promises are the jobs that this process works on.
type promises struct {
	wake chan struct{} // there may be something to do

	mu      sync.Mutex
	closed  bool
	running map[string]context.CancelCauseFunc // by session.Job.ID
	group   sync.WaitGroup
}

// The reasons for which work is broken off.
var (
	errTakenBack = errors.New("the promise was cancelled, or another worker has it")
	errStopping  = errors.New("the server stops")
)

// progress is how far the work on one question is. Its methods may be called from many goroutines, and on nil.
type progress struct {
	resumed bool // the question was admitted and promised before

	mu  sync.Mutex
	at  session.Progress
	job *session.Job // nil before there is a promise
}

type progressKey struct{}

// progressOf gives where to tell how far a promised question is; nil when it is not one.
func progressOf(ctx context.Context) *progress {
	p, _ := ctx.Value(progressKey{}).(*progress)
	return p
}

// tell notes how far the work is. A part that is less than before is none.
func (p *progress) tell(at session.Progress) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	at.Part = max(at.Part, p.at.Part)
	p.at = at
}

// of says which promise the work is for.
func (p *progress) of(job *session.Job) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.job = job
}

// forgotten says whether the promise was forgotten that the work is for.
func (p *progress) forgotten(ctx context.Context) (bool, error) {
	if p == nil {
		return false, nil
	}
	p.mu.Lock()
	job := p.job
	p.mu.Unlock()
	if job == nil {
		return false, nil
	}
	return job.Forgotten(ctx)
}

func (p *progress) get() session.Progress {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.at
}

// promise keeps a promise for a question whose work will take long for sure; nil when it is to be answered at once.
func (d *Desk) promise(ctx context.Context, in *inquiry) (*Promise, error) {
	p := d.config.Promising
	if p.Store == nil || in.AnswersOnly || in.Record == nil || progressOf(ctx) != nil {
		return nil, nil
	}
	slow := d.slowness(in)
	if slow == 0 && !d.rereads(in) {
		return nil, nil
	}
	q := in.Question
	if q.Session != nil && d.config.Conversations != nil {
		q.Session = &Session{Conversation: in.talk.ID, State: q.Session.State} // which it may have got just now
		in.talk.Secret = d.bind(q.Session, q.Party)
	}
	promise, _, err := d.makePromise(ctx, q, session.Asked{
		Message: i18n.For(in.Languages...).Say(i18n.PromiseWaiting), Expect: slow,
	})
	if err == nil {
		d.promises.nudge()
	}
	return promise, err
}

// bind brings a session to where what is promised in it can be forgotten with it, and gives its secret: it gets an id, and
// that of a stranger a secret in its state, if it has none.
func (d *Desk) bind(s *Session, party string) (secret string) {
	talk := d.config.Conversations.Open(s.Conversation, party, s.State)
	s.Conversation = talk.ID
	if party == "" && talk.Secret == "" {
		talk.Secret = d.config.Conversations.NewSecret()
		s.State = d.config.Conversations.Seal(talk, party)
	}
	return talk.Secret
}

func (d *Desk) makePromise(ctx context.Context, q Question, asked session.Asked) (*Promise, *session.Job, error) {
	request, err := q.Record(q.Session)
	if err != nil {
		return nil, nil, err
	}
	asked.Party, asked.Request, asked.Holder = q.Party, request, "party "+q.Party
	if q.Session != nil && d.config.Conversations != nil {
		talk := d.config.Conversations.Open(q.Session.Conversation, q.Party, q.Session.State)
		asked.Talk = session.Talk{Party: q.Party, Secret: talk.Secret, Conversation: talk.ID}
	}
	if q.Party == "" {
		asked.Holder = "stranger"
		if d.config.Promising.Client != nil {
			asked.Holder = "at " + d.config.Promising.Client(ctx)
		}
	}
	token, job, err := d.config.Promising.Store.Make(ctx, asked)
	if err != nil {
		return nil, nil, err
	}
	return &Promise{Token: token, Message: asked.Message, Left: asked.Expect}, job, nil
}

// slowness is how long a question takes on purpose.
func (d *Desk) slowness(in *inquiry) time.Duration {
	for _, slow := range d.config.Promising.Slow {
		if strings.Contains(strings.ToLower(in.Text), strings.ToLower(slow.Words)) {
			return slow.For
		}
	}
	return 0
}

// rereads says whether the sources are read again for a question.
func (d *Desk) rereads(in *inquiry) bool { return in.Fresh && d.config.Promising.Reread != nil }

// CanReread says whether a question may ask for the sources to be read again: Question.Fresh.
func (d *Desk) CanReread() bool {
	return d.config.Promising.Reread != nil && d.config.Promising.Store != nil
}

// TakesLong says whether the work on a question may take so long that it is done by Patiently: for a report, which looks
// at all that matches, and when a model has longer for its part than is waited for before an answer is promised.
func (d *Desk) TakesLong(q Question) bool {
	if q.Report {
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
		return d.config.Model.Does(use) && d.config.Model.Time(use) > d.config.Promising.After
	})
}

// Promises says whether answers may be promised.
func (d *Desk) Promises() bool { return d.config.Promising.Store != nil }

// prepare does what takes long before a promised question is answered.
func (d *Desk) prepare(ctx context.Context, in *inquiry) error {
	told := progressOf(ctx)
	if told == nil {
		return nil
	}
	say := i18n.For(in.Languages...)
	told.tell(session.Progress{Message: say.Say(i18n.PromiseWorking)})
	if slow := d.slowness(in); slow > 0 {
		if err := dawdle(ctx, slow, func(spent time.Duration) {
			told.tell(session.Progress{
				Part: 0.99 * float64(spent) / float64(slow), Left: slow - spent, Message: say.Say(i18n.PromiseWorking),
			})
		}); err != nil {
			return err
		}
	}
	if !d.rereads(in) {
		return nil
	}
	told.tell(session.Progress{Message: say.Say(i18n.PromiseReading)})
	unread, err := d.config.Promising.Reread(ctx, in.asked.Sites, func(done, total int) {
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
	return d.Refresh(ctx)
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

// Await says what became of a promise that was made to a party, empty for a stranger, or cancels it first. It returns
// fail.UnknownPromise for a token that is not the party's, and fail.Cancelled for one that was cancelled. The result is
// there with these failures of a promise that is known, too, for its request. languages, which may be nil, tells the
// languages that a recorded request wants.
func (d *Desk) Await(ctx context.Context, party, token string, cancel bool, languages func(request []byte) []string) (*Awaited, error) {
	store := d.config.Promising.Store
	if store == nil {
		return nil, fail.New(fail.UnknownPromise, "this front desk promises no answers")
	}
	look := store.Look
	if cancel {
		look = store.Cancel
	}
	s, err := look(ctx, party, token)
	if err == nil && s.State == session.Kept && s.Rules != d.config.Terms().Version() {
		// What was released under other terms may be more than these allow.
		var speaker i18n.Speaker
		if languages != nil {
			speaker = i18n.For(languages(s.Request)...)
		}
		if s, err = store.Again(ctx, party, token, speaker.Say(i18n.PromiseAgain)); err == nil {
			d.promises.nudge()
		}
	}
	if err != nil {
		return nil, unreachable(err)
	}
	made := &Awaited{Request: s.Request}
	switch s.State {
	case session.Kept:
		made.Answer = s.Answer
		return made, nil
	case session.Cancelled:
		d.promises.stop(s.ID, errTakenBack)
		return made, fail.New(fail.Cancelled, "the question was taken back; ask it again for an answer")
	case session.Broken:
		return made, fail.New(fail.Internal, "the work on this question was interrupted again and again; ask it once more, or ask for less")
	}
	made.Promise = &Promise{Token: token, Message: s.Message, Progress: s.Progress, Left: s.Left}
	return made, nil
}

// unreachable is the failure of a store that does not answer; what callers can act on stays what it is.
func unreachable(err error) error {
	var coded *fail.Error
	if errors.As(err, &coded) || errors.Is(err, context.Canceled) {
		return err
	}
	unavailable := fail.New(fail.Unavailable, "promises cannot be looked up at the moment; try again")
	unavailable.RetryAfter = 5 * time.Second
	return unavailable.Because(err)
}

// nudge has a worker look for something to do.
func (p *promises) nudge() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// stop breaks off the work on a job, if it is done here.
func (p *promises) stop(id string, reason error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if cancel := p.running[id]; cancel != nil {
		cancel(reason)
	}
}

// begin notes that a job is worked on here; false when the process stops.
func (p *promises) begin(id string, cancel context.CancelCauseFunc) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return false
	}
	p.running[id] = cancel
	p.group.Add(1)
	return true
}

func (p *promises) end(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.running, id)
	p.group.Done()
}

// count is how many jobs are worked on here.
func (p *promises) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.running)
}

// close stops all jobs, and waits until they are given back.
func (p *promises) close() {
	p.mu.Lock()
	p.closed = true
	for _, cancel := range p.running {
		cancel(errStopping)
	}
	p.mu.Unlock()
	p.group.Wait()
}

// How often work is looked for that others left, and how often what has expired is removed.
const (
	lookForWork = time.Second
	sweepEvery  = time.Minute
)

// Work does what was promised, whichever process has promised it, until ctx ends; then the jobs that are not done are
// given back. It is called once.
func (d *Desk) Work(ctx context.Context, keeper Keeper) {
	store := d.config.Promising.Store
	if store == nil {
		return
	}
	defer d.promises.close()
	tick := time.NewTicker(lookForWork)
	defer tick.Stop()
	for swept := (time.Time{}); ; {
		if time.Since(swept) > sweepEvery {
			swept = time.Now()
			if _, err := store.Sweep(ctx); err != nil && ctx.Err() == nil {
				d.config.Log.Error("promises that have expired cannot be removed; trying again", "error", err)
			}
		}
		for d.Ready() == nil && d.promises.count() < d.config.Promising.Workers {
			job, err := store.Claim(ctx)
			if err != nil && ctx.Err() == nil {
				d.config.Log.Error("promises cannot be looked for; trying again", "error", err)
			}
			if job == nil || err != nil {
				break
			}
			told := &progress{resumed: true, job: job}
			work, cancel := context.WithCancelCause(context.WithValue(ctx, progressKey{}, told))
			if !d.promises.begin(job.ID(), cancel) {
				break
			}
			go d.carry(work, cancel, carried{job, told, keeper, d.config.Terms().Version()}, func(ctx context.Context) ([]byte, bool) {
				return keeper.Answer(ctx, job.Party, job.Request)
			})
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-d.promises.wake:
		}
	}
}

// carried is a job that is worked on, and under which version of the terms that was begun.
type carried struct {
	job    *session.Job
	told   *progress
	keeper Keeper
	rules  string
}

// carry does the work on a job that was begun, renewing its claim meanwhile, and keeps what comes of it.
func (d *Desk) carry(ctx context.Context, cancel context.CancelCauseFunc, c carried, work func(context.Context) ([]byte, bool)) {
	job := c.job
	defer func() {
		d.promises.end(job.ID())
		d.promises.nudge() // there is room for another
	}()
	limited, timeout := context.WithTimeoutCause(ctx, d.config.Promising.Time,
		fail.New(fail.Timeout, "the work took longer than the %s that it may; ask for less", d.config.Promising.Time))
	defer timeout()
	defer context.AfterFunc(limited, func() { cancel(context.Cause(limited)) })() // for work that was begun before
	renewed := make(chan struct{})
	go func() {
		defer close(renewed)
		d.renew(limited, cancel, job, c.told)
	}()
	answer, again := d.attempt(limited, c.keeper, job.Request, work)
	reason := context.Cause(limited)
	timeout()
	<-renewed
	// Whoever the work was for, what came of it is written.
	ctx, done := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer done()
	var err error
	switch coded := (*fail.Error)(nil); {
	case errors.Is(reason, errTakenBack):
	case errors.As(reason, &coded): // it took too long
		err = job.Finish(ctx, c.rules, c.keeper.Failure(job.Request, coded))
	case reason != nil: // the process stops
		err = job.Release(ctx)
	case again:
		err = job.Defer(ctx)
	default:
		err = job.Finish(ctx, c.rules, answer)
		if errors.As(err, &coded) {
			err = job.Finish(ctx, c.rules, c.keeper.Failure(job.Request, coded))
		}
	}
	if err != nil {
		d.config.Log.Error("what came of a promise cannot be kept; another attempt will be made", "error", err)
	}
}

// attempt does the work. A panic is a failure of this one job.
func (d *Desk) attempt(ctx context.Context, keeper Keeper, request []byte, work func(context.Context) ([]byte, bool)) (answer []byte, again bool) {
	defer func() {
		if broken := recover(); broken != nil {
			d.config.Log.Error("the work on a question panicked", "panic", broken, "stack", string(debug.Stack()))
			answer = keeper.Failure(request, fmt.Errorf("panic: %v", broken))
		}
	}()
	return work(ctx)
}

// renew holds the claim of a job until its work ends, and breaks the work off when the claim is lost.
func (d *Desk) renew(ctx context.Context, cancel context.CancelCauseFunc, job *session.Job, told *progress) {
	tick := time.NewTicker(session.RenewEvery)
	defer tick.Stop()
	for {
		mine, err := job.Renew(ctx, told.get())
		if err != nil && ctx.Err() == nil {
			d.config.Log.Error("the claim of a promise cannot be renewed; trying again", "error", err)
		} else if err == nil && !mine {
			cancel(errTakenBack)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// The ways in which work that is waited for goes on; see Patiently.
const (
	undecided int32 = iota
	inTime
	late
)

// Patiently does work that may take long. It gives what the work gave if that comes within Promising.After; otherwise a
// promise, and the work goes on. The work calls ready when it has come so far that its caller can take over, and ends
// there if that says so. Where nothing can be promised, it is waited for.
func (d *Desk) Patiently(ctx context.Context, q Question, keeper Keeper, work func(ctx context.Context, ready func() bool) []byte) ([]byte, *Promise, error) {
	if q.Session != nil && d.config.Conversations != nil {
		d.bind(q.Session, q.Party) // the same in a promise as in its answer
	}
	told, rules := &progress{}, d.config.Terms().Version()
	own, cancel := context.WithCancelCause(context.WithValue(context.WithoutCancel(ctx), progressKey{}, told))
	var outcome atomic.Int32
	finished := make(chan []byte, 1)
	go func() {
		answer, _ := d.attempt(own, keeper, nil, func(ctx context.Context) ([]byte, bool) {
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
	if !d.Promises() || q.Record == nil || q.AnswersOnly {
		return wait()
	}
	timer := time.NewTimer(d.config.Promising.After)
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
	promise, job, err := d.makePromise(ctx, q, session.Asked{Message: at.Message, Expect: at.Left, Begun: true})
	if err != nil {
		d.config.Log.Warn("a question that takes long could not be promised an answer, and is waited for", "reason", err)
		return wait()
	}
	if !d.promises.begin(job.ID(), cancel) {
		return wait()
	}
	promise.Progress = at.Part
	told.of(job)
	go d.carry(own, cancel, carried{job, told, keeper, rules}, func(context.Context) ([]byte, bool) { return <-finished, false })
	return nil, promise, nil
}
