package outbox

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/testkit/clock"
	"frontdesk/internal/testkit/storetest"
)

// hands do effects for a test, and remember them.
type hands struct {
	mu   sync.Mutex
	done []string
	fail func(Effect) error
}

func (h *hands) do(_ context.Context, e Effect) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.fail != nil {
		if err := h.fail(e); err != nil {
			return err
		}
	}
	h.done = append(h.done, e.Sink+" "+e.ID+" "+string(e.Body))
	return nil
}

func newOutbox(t *testing.T) (*Outbox, *hands, *clock.Clock) {
	t.Helper()
	h, now := &hands{}, clock.At(time.Date(2027, 5, 4, 12, 0, 0, 0, time.UTC))
	return New(Options{DB: storetest.Chosen(t, Schema), Sinks: []string{"sink"}, Deliver: h.do, Now: now.Now}), h, now
}

func (b *Outbox) put(t *testing.T, ids ...string) {
	t.Helper()
	if err := b.DB.Update(t.Context(), func(tx *store.Tx) error {
		for _, id := range ids {
			if err := Put(t.Context(), tx, Effect{ID: id, Sink: "sink", Body: []byte("{}")}, b.Now()); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// all does what is due, and says how much that was.
func (b *Outbox) all(t *testing.T) (n int) {
	t.Helper()
	for {
		some, err := b.RunOne(t.Context(), "sink")
		if err != nil {
			t.Fatal(err)
		}
		if !some {
			return n
		}
		n++
	}
}

func (b *Outbox) waiting(t *testing.T) int {
	t.Helper()
	n, err := waiting(t.Context(), b.DB)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestAnEffectIsDoneOnceWhenAllGoesWell(t *testing.T) {
	t.Parallel()
	b, h, _ := newOutbox(t)
	b.put(t, "a", "b", "a")
	if n := b.waiting(t); n != 2 {
		t.Errorf("%d wait, want 2: one that is recorded already stays as it is", n)
	}
	if n := b.all(t); n != 2 || b.waiting(t) != 0 || len(h.done) != 2 || h.done[0] != "sink a {}" {
		t.Errorf("%d were done: %v", n, h.done)
	}
}

func TestAnEffectOfATransactionThatFailsIsNeverDone(t *testing.T) {
	t.Parallel()
	b, h, _ := newOutbox(t)
	wrong := errors.New("wrong")
	err := b.DB.Update(t.Context(), func(tx *store.Tx) error {
		return errors.Join(Put(t.Context(), tx, Effect{ID: "a", Sink: "sink"}, b.Now()), wrong)
	})
	if !errors.Is(err, wrong) || b.all(t) != 0 || len(h.done) != 0 {
		t.Errorf("%v, done %v", err, h.done)
	}
}

func TestAFailedEffectIsTriedAgainLaterAndLater(t *testing.T) {
	t.Parallel()
	b, h, now := newOutbox(t)
	b.put(t, "a")
	down := errors.New("the sink is down")
	tries := 0
	h.fail = func(Effect) error { tries++; return down }
	wait := time.Second
	for i := range 6 {
		if n := b.all(t); n != 1 || tries != i+1 {
			t.Fatalf("try %d: %d done, %d tried", i, n, tries)
		}
		now.Advance(wait - time.Millisecond)
		if b.all(t) != 0 {
			t.Fatalf("it was tried again before %s were over", wait)
		}
		now.Advance(time.Millisecond)
		wait *= 2
	}
	h.fail = nil
	if b.all(t) != 1 || len(h.done) != 1 || b.waiting(t) != 0 {
		t.Errorf("done: %v", h.done)
	}
	if got := backoff(60); got != time.Hour {
		t.Errorf("after 60 tries it waits %s, want an hour", got)
	}
}

func TestOneThatFailsDoesNotHoldUpOthers(t *testing.T) {
	t.Parallel()
	b, h, _ := newOutbox(t)
	b.put(t, "a", "b", "c")
	h.fail = func(e Effect) error {
		if e.ID == "a" {
			return errors.New("no")
		}
		return nil
	}
	if n := b.all(t); n != 3 || len(h.done) != 2 || b.waiting(t) != 1 {
		t.Errorf("%d were tried, done %v", n, h.done)
	}
}

func TestWhatIsTooOldIsGivenUp(t *testing.T) {
	t.Parallel()
	b, h, now := newOutbox(t)
	b.put(t, "old")
	tries := 0
	h.fail = func(Effect) error { tries++; return errors.New("down") }
	for range 10 * 24 {
		b.all(t)
		now.Advance(time.Hour)
	}
	if b.waiting(t) != 0 || tries < 7*24 {
		t.Errorf("%d wait after ten days and %d tries", b.waiting(t), tries)
	}
}

// TestWhoDiesInTheMiddleIsFollowed has a worker end while it is at an effect: when its lease is
// over, and not before, another does it.
func TestWhoDiesInTheMiddleIsFollowed(t *testing.T) {
	t.Parallel()
	b, h, now := newOutbox(t)
	b.put(t, "a")
	dying, die := context.WithCancel(t.Context())
	first := New(Options{DB: b.DB, Now: now.Now, Deliver: func(context.Context, Effect) error {
		die()
		return nil // it was done, and nobody will know
	}})
	if _, err := first.RunOne(dying, "sink"); err == nil {
		t.Fatal("the worker lived on")
	}
	if now.Advance(b.Lease - time.Millisecond); b.all(t) != 0 {
		t.Error("it was taken over while the lease ran")
	}
	if now.Advance(time.Millisecond); b.all(t) != 1 || len(h.done) != 1 || b.waiting(t) != 0 {
		t.Errorf("done: %v", h.done)
	}
}

// TestWhoIsLateDoesNotUndoAnothersWork has a worker come back after its lease, when another has
// failed at the effect: the other's plan stands.
func TestWhoIsLateDoesNotUndoAnothersWork(t *testing.T) {
	t.Parallel()
	b, h, now := newOutbox(t)
	b.put(t, "a")
	h.fail = func(Effect) error { return errors.New("down") }
	late := New(Options{DB: b.DB, Now: now.Now, Deliver: func(context.Context, Effect) error {
		now.Advance(2 * b.Lease)
		b.all(t)
		return nil
	}})
	if _, err := late.RunOne(t.Context(), "sink"); err != nil {
		t.Fatal(err)
	}
	if b.waiting(t) != 1 {
		t.Error("who came late removed what another has taken over")
	}
}

func TestManyWorkersShareTheWork(t *testing.T) {
	t.Parallel()
	b, h, _ := newOutbox(t)
	var ids []string
	for i := range 40 {
		ids = append(ids, fmt.Sprint("effect ", i))
	}
	b.put(t, ids...)
	var wait sync.WaitGroup
	for range 4 {
		other := New(Options{DB: b.DB, Deliver: h.do, Now: b.Now})
		wait.Go(func() {
			for {
				some, err := other.RunOne(t.Context(), "sink")
				if err != nil {
					t.Error(err)
				}
				if err != nil || !some {
					return
				}
			}
		})
	}
	wait.Wait()
	seen := map[string]bool{}
	for _, one := range h.done {
		if seen[one] {
			t.Errorf("%s was done twice, with nobody late", one)
		}
		seen[one] = true
	}
	if len(seen) != 40 || b.waiting(t) != 0 {
		t.Errorf("%d of 40 were done", len(seen))
	}
}

// TestWhatNobodyDoesIsGivenUp has an effect for a sink that no process knows any more: it waits,
// for another process may know it, and goes when its time is over.
func TestWhatNobodyDoesIsGivenUp(t *testing.T) {
	t.Parallel()
	b, _, now := newOutbox(t)
	b.put(t, "a")
	b.Sinks = nil
	for _, c := range []struct {
		pass time.Duration
		want int
	}{{b.TryFor, 1}, {time.Second, 0}} {
		now.Advance(c.pass)
		if err := b.giveUp(t.Context()); err != nil || b.waiting(t) != c.want {
			t.Errorf("after %s more: %v, %d wait, want %d", c.pass, err, b.waiting(t), c.want)
		}
	}
	if p, _ := b.pending(t, "a"); p.Cause != "nobody" {
		t.Errorf("what nobody did is told as %+v", p)
	}
}

func TestWorkEndsWhenItIsTold(t *testing.T) {
	t.Parallel()
	b, h, _ := newOutbox(t)
	ctx, stop := context.WithCancel(t.Context())
	b.put(t, "a")
	h.fail = func(Effect) error { stop(); return nil }
	b.Run(ctx)
	if len(h.done) != 1 {
		t.Errorf("done: %v", h.done)
	}
}

// TestASinkThatStallsHoldsUpNoOther has more effects wait for a sink that never answers than are
// done at once, all recorded before the one for a sink that does.
func TestASinkThatStallsHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	b, _, _ := newOutbox(t)
	var stalled []string
	for i := range 10 * atOnce {
		stalled = append(stalled, fmt.Sprint("stalled ", i))
	}
	b.put(t, stalled...)
	if err := b.DB.Update(t.Context(), func(tx *store.Tx) error {
		return Put(t.Context(), tx, Effect{ID: "prompt", Sink: "other", Body: []byte("{}")}, b.Now())
	}); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	b.Sinks = []string{"sink", "other"}
	b.Deliver = func(ctx context.Context, e Effect) error {
		if e.Sink == "other" {
			stop()
		}
		<-ctx.Done()
		return ctx.Err()
	}
	b.Run(ctx) // for ever, if the other sink never has its turn
}

// pending gives what is known of an effect.
func (b *Outbox) pending(t *testing.T, id string) (p Pending, ok bool) {
	t.Helper()
	if err := b.DB.View(t.Context(), func(tx *store.Tx) (err error) {
		p, ok, err = Find(t.Context(), tx, id)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return p, ok
}

// again asks for an effect to be tried again.
func (b *Outbox) again(t *testing.T, id string) (ok bool) {
	t.Helper()
	if err := b.DB.Update(t.Context(), func(tx *store.Tx) (err error) {
		ok, err = Retry(t.Context(), tx, id, b.Now())
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return ok
}

// failed lists the ids of what failed.
func (b *Outbox) failed(t *testing.T) string {
	t.Helper()
	var ids []string
	if err := b.DB.View(t.Context(), func(tx *store.Tx) error {
		all, err := ListFailed(t.Context(), tx, 10)
		for _, p := range all {
			ids = append(ids, p.ID)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return strings.Join(ids, " ")
}

func TestWhyAnEffectFailedIsKeptAndItIsTriedAgainWhenAskedFor(t *testing.T) {
	t.Parallel()
	b, h, now := newOutbox(t)
	b.put(t, "a", "b")
	h.fail = func(e Effect) error {
		if e.ID == "a" {
			return fail.Caused("answered", errors.New("the sink is down"+strings.Repeat("ä", 400)))
		}
		return nil
	}
	if p, ok := b.pending(t, "a"); !ok || p.Reason != "" || p.Attempts != 0 || !p.Due.Equal(b.Now()) {
		t.Errorf("before the first try: %+v, %v", p, ok)
	}
	b.all(t)
	if got := b.failed(t); got != "a" {
		t.Errorf("failed: %s", got)
	}
	if p, _ := b.pending(t, "a"); !strings.HasPrefix(p.Reason, "the sink is down") || len(p.Reason) > maxReason+3 ||
		!utf8.ValidString(p.Reason) || p.Cause != "answered" || p.Attempts != 1 ||
		!p.Due.Equal(b.Now().Add(time.Second)) || !p.GivenUp.IsZero() {
		t.Errorf("after the first try: %+v", p)
	}
	now.Advance(b.TryFor)
	b.all(t)
	if p, _ := b.pending(t, "a"); !p.Due.IsZero() || !p.GivenUp.Equal(b.Now()) || p.Sink != "sink" || p.Attempts != 2 ||
		p.Cause != "answered" {
		t.Errorf("given up: %+v", p)
	}
	if now.Advance(b.TryFor); b.all(t) != 0 || b.waiting(t) != 0 || b.failed(t) != "a" {
		t.Errorf("what was given up is tried, waits, or is not among what failed: %s", b.failed(t))
	}
	if b.again(t, "b") || b.again(t, "c") || !b.again(t, "a") {
		t.Error("what is done, or was never there, is tried again; or what was given up is not")
	}
	if b.all(t) != 1 || b.waiting(t) != 1 {
		t.Error("asked for again, and given up after one try")
	}
	h.fail = nil
	if !b.again(t, "a") || b.all(t) != 1 || b.failed(t) != "" || len(h.done) != 2 {
		t.Errorf("done: %v", h.done)
	}
}

func TestWhatWasGivenUpIsForgottenInTheEnd(t *testing.T) {
	t.Parallel()
	b, h, now := newOutbox(t)
	b.put(t, "a")
	h.fail = func(Effect) error { return errors.New("down") }
	now.Advance(b.TryFor)
	b.all(t)
	b.put(t, "waits")
	for _, step := range []time.Duration{b.KeepFailed - time.Microsecond, time.Microsecond} {
		if p, ok := b.pending(t, "a"); !ok || p.GivenUp.IsZero() {
			t.Fatalf("it was forgotten too early, or never given up: %+v", p)
		}
		now.Advance(step)
		if err := b.giveUp(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if _, ok := b.pending(t, "a"); ok {
		t.Error("what was given up is never forgotten")
	}
	if p, ok := b.pending(t, "waits"); !ok || p.GivenUp.IsZero() || p.Reason == "" {
		t.Errorf("one that nobody did in time: %+v, %v", p, ok)
	}
}

// TestWhoIsAtAnEffectIsNotDisturbed asks for an effect to be tried again while somebody is at it:
// nobody else begins it.
func TestWhoIsAtAnEffectIsNotDisturbed(t *testing.T) {
	t.Parallel()
	b, h, now := newOutbox(t)
	b.put(t, "a")
	h.fail = func(Effect) error {
		if !b.again(t, "a") {
			t.Error("there is no such effect")
		}
		other := New(Options{DB: b.DB, Now: now.Now, Deliver: func(context.Context, Effect) error {
			t.Error("two are at it")
			return nil
		}})
		if _, err := other.RunOne(t.Context(), "sink"); err != nil {
			t.Error(err)
		}
		return nil
	}
	if n := b.all(t); n != 1 || b.waiting(t) != 0 {
		t.Errorf("%d were done", n)
	}
}

// waiting is how many effects are to be done.
func waiting(ctx context.Context, db *store.DB) (n int, err error) {
	err = db.View(ctx, func(tx *store.Tx) error {
		return tx.QueryRow(ctx, `SELECT COUNT(*) FROM outbox_effect WHERE due < $1`, int64(never)).Scan(&n)
	})
	return n, err
}
