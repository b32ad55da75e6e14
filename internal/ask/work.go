package ask

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"frontdesk/internal/ask/session"
	"frontdesk/internal/content/released"
	"frontdesk/internal/infra/fail"
)

// PromiseDeps are what Promises need. Store and Corpus are required.
type PromiseDeps struct {
	Store  *session.Promises
	Corpus *released.Corpus
	// After is how long a question that may take long is waited for before it becomes a promise; 0
	// promises it at once.
	After time.Duration
	// Time is the most that the work on one promise may take; 0 is 10 minutes.
	Time time.Duration
	// Workers is how many promises this process works on at a time; 0 is 2.
	Workers int
	// Slow are classes of questions that are made slow, for tests of clients.
	Slow []Slow
	// Reread reads what the sites hold again before it is answered from, and gives a sentence on
	// what could not be read; nil when the owner does not want that on demand.
	Reread func(ctx context.Context, sites []string, pages func(done, total int)) (unread string, err error)
	// Client names the one who asks, when nothing is known but where it asks from, to bound what it
	// can be promised; nil counts all strangers as one.
	Client func(context.Context) string
	Log    *slog.Logger // nil for none
}

// Slow is a class of questions that are made slow: those with the words in their text.
type Slow struct {
	Words string
	For   time.Duration
}

// Promises are the answers that are promised for later, and the work on them. Their methods may be
// called from many goroutines.
type Promises struct {
	deps  PromiseDeps
	store promiseStore // PromiseDeps.Store, or nothingPromised
	jobs  jobs
}

// NewPromises returns promises on which nobody works before Work is called.
func NewPromises(deps PromiseDeps) (*Promises, error) {
	if deps.Store == nil || deps.Corpus == nil {
		return nil, errors.New("promises need a Store and a Corpus")
	}
	if deps.Time == 0 {
		deps.Time = 10 * time.Minute
	}
	if deps.Workers == 0 {
		deps.Workers = 2
	}
	if deps.Log == nil {
		deps.Log = slog.New(slog.DiscardHandler)
	}
	return &Promises{deps: deps, store: deps.Store, jobs: newJobs()}, nil
}

// Keeper answers what was promised, in the form of the door that asked.
type Keeper struct {
	// Answer answers a recorded request of a party, empty for a stranger. It gives failures in the
	// same form. With again, what it needs is not there at the moment, and it is to be asked once
	// more.
	Answer func(ctx context.Context, party string, request []byte) (answer []byte, again bool)
	// Failure gives a failure in that form.
	Failure func(request []byte, err error) []byte
}

// jobs are those that this process works on.
type jobs struct {
	wake chan struct{} // there may be something to do

	mu      sync.Mutex
	closed  bool
	running map[string]context.CancelCauseFunc // by session.Job.ID
	group   sync.WaitGroup
}

func newJobs() jobs {
	return jobs{wake: make(chan struct{}, 1), running: map[string]context.CancelCauseFunc{}}
}

// promiseStore keeps promises: session.Promises, or nothingPromised.
type promiseStore interface {
	Make(ctx context.Context, asked session.Asked) (token string, job *session.Job, err error)
	Look(ctx context.Context, party, token string) (session.Standing, error)
	Cancel(ctx context.Context, party, token string) (session.Standing, error)
	Again(ctx context.Context, party, token, message string) (session.Standing, error)
	// Forget forgets what was promised in a conversation, and gives the ids of the jobs that end
	// with it.
	Forget(ctx context.Context, talk session.Talk) (jobs []string, err error)
}

// nothingPromised is where no answers are promised: it knows of no promise and makes none.
type nothingPromised struct{}

func (nothingPromised) Make(context.Context, session.Asked) (string, *session.Job, error) {
	return "", nil, errNoPromises()
}

func (nothingPromised) Look(context.Context, string, string) (session.Standing, error) {
	return session.Standing{}, errNoPromises()
}

func (nothingPromised) Cancel(context.Context, string, string) (session.Standing, error) {
	return session.Standing{}, errNoPromises()
}

func (nothingPromised) Again(context.Context, string, string, string) (session.Standing, error) {
	return session.Standing{}, errNoPromises()
}

func (nothingPromised) Forget(context.Context, session.Talk) ([]string, error) { return nil, nil }

func errNoPromises() error {
	return fail.New(fail.UnknownPromise, "this front desk promises no answers")
}

// slowness is how long a question with a text takes on purpose.
func (p *Promises) slowness(text string) time.Duration {
	for _, slow := range p.deps.Slow {
		if strings.Contains(strings.ToLower(text), strings.ToLower(slow.Words)) {
			return slow.For
		}
	}
	return 0
}

// rereads says whether the sources are read again for questions that wish it.
func (p *Promises) rereads() bool { return p.deps.Reread != nil }

// stranger names one who is not known, to bound what it can be promised.
func (p *Promises) stranger(ctx context.Context) string {
	if p.deps.Client == nil {
		return "stranger"
	}
	return "at " + p.deps.Client(ctx)
}

// The reasons for which work is broken off.
var (
	errTakenBack = errors.New("the promise was cancelled, or another worker has it")
	errStopping  = errors.New("the server stops")
)

// progress is how far the work on one question is. Its methods may be called from many goroutines,
// and on nil.
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

// nudge has a worker look for something to do.
func (j *jobs) nudge() {
	select {
	case j.wake <- struct{}{}:
	default:
	}
}

// stop breaks off the work on a job, if it is done here.
func (j *jobs) stop(id string, reason error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if cancel := j.running[id]; cancel != nil {
		cancel(reason)
	}
}

// begin notes that a job is worked on here; false when the process stops.
func (j *jobs) begin(id string, cancel context.CancelCauseFunc) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return false
	}
	j.running[id] = cancel
	j.group.Add(1)
	return true
}

func (j *jobs) end(id string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	delete(j.running, id)
	j.group.Done()
}

// count is how many jobs are worked on here.
func (j *jobs) count() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.running)
}

// close stops all jobs, and waits until they are given back.
func (j *jobs) close() {
	j.mu.Lock()
	j.closed = true
	for _, cancel := range j.running {
		cancel(errStopping)
	}
	j.mu.Unlock()
	j.group.Wait()
}

// How often work is looked for that others left, and how often what has expired is removed.
const (
	lookForWork = time.Second
	sweepEvery  = time.Minute
)

// Work does what was promised, whichever process has promised it, until ctx ends; then the jobs
// that are not done are given back. It is called once.
func (p *Promises) Work(ctx context.Context, keeper Keeper) {
	store := p.deps.Store
	defer p.jobs.close()
	tick := time.NewTicker(lookForWork)
	defer tick.Stop()
	for swept := (time.Time{}); ; {
		if time.Since(swept) > sweepEvery {
			swept = time.Now()
			if _, err := store.Sweep(ctx); err != nil && ctx.Err() == nil {
				p.deps.Log.Error("promises that have expired cannot be removed; trying again", "error", err)
			}
		}
		for p.deps.Corpus.Ready() == nil && p.jobs.count() < p.deps.Workers {
			job, err := store.Claim(ctx)
			if err != nil && ctx.Err() == nil {
				p.deps.Log.Error("promises cannot be looked for; trying again", "error", err)
			}
			if job == nil || err != nil {
				break
			}
			told := &progress{resumed: true, job: job}
			own, cancel := context.WithCancelCause(context.WithValue(ctx, progressKey{}, told))
			if !p.jobs.begin(job.ID(), cancel) {
				break
			}
			answer := func(ctx context.Context) ([]byte, bool) { return keeper.Answer(ctx, job.Party, job.Request) }
			go p.carry(own, cancel, carried{job, told, keeper, p.deps.Corpus.Terms().Version(), answer})
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-p.jobs.wake:
		}
	}
}

// work is what is done for a promise. With again, what it needs is not there at the moment, and it
// is to be done once more.
type work func(context.Context) (answer []byte, again bool)

// carried is a job that is worked on, and under which version of the terms that was begun.
type carried struct {
	job    *session.Job
	told   *progress
	keeper Keeper
	rules  string
	work   work
}

// carry does the work on a job that was begun, renewing its claim meanwhile, and keeps what comes
// of it. cancel ends ctx.
func (p *Promises) carry(ctx context.Context, cancel context.CancelCauseFunc, c carried) {
	job := c.job
	defer func() {
		p.jobs.end(job.ID())
		p.jobs.nudge() // there is room for another
	}()
	limited, timeout := context.WithTimeoutCause(ctx, p.deps.Time,
		fail.New(fail.Timeout, "the work took longer than the %s that it may; ask for less", p.deps.Time))
	defer timeout()
	defer context.AfterFunc(limited, func() { cancel(context.Cause(limited)) })() // for work that was begun before
	renewed := make(chan struct{})
	go func() {
		defer close(renewed)
		p.renew(limited, cancel, job, c.told)
	}()
	answer, again := p.attempt(limited, c.keeper, job.Request, c.work)
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
		p.deps.Log.Error("what came of a promise cannot be kept; another attempt will be made", "error", err)
	}
}

// attempt does the work. A panic is a failure of this one job.
func (p *Promises) attempt(ctx context.Context, k Keeper, request []byte, do work) (answer []byte, again bool) {
	defer func() {
		if broken := recover(); broken != nil {
			p.deps.Log.Error("the work on a question panicked", "panic", broken, "stack", string(debug.Stack()))
			answer = k.Failure(request, fmt.Errorf("panic: %v", broken))
		}
	}()
	return do(ctx)
}

// renew holds the claim of a job until its work ends, and breaks the work off when the claim is
// lost.
func (p *Promises) renew(ctx context.Context, cancel context.CancelCauseFunc, job *session.Job, told *progress) {
	tick := time.NewTicker(session.RenewEvery)
	defer tick.Stop()
	for {
		mine, err := job.Renew(ctx, told.get())
		if err != nil && ctx.Err() == nil {
			p.deps.Log.Error("the claim of a promise cannot be renewed; trying again", "error", err)
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
