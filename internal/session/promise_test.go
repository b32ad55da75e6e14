package session

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/fail"
	"frontdesk/internal/store"
	"frontdesk/internal/store/storetest"
	"frontdesk/test/clock"
)

// each runs a test with promises on every engine, in a database that two nodes share.
func each(t *testing.T, limits Limits, test func(t *testing.T, one, other *Promises, c *clock.Clock)) {
	if limits.Keep == 0 {
		limits.Keep = time.Hour
	}
	if limits.Each == 0 {
		limits.Each = 5
	}
	if limits.All == 0 {
		limits.All = 100
	}
	storetest.Each(t, func(t *testing.T, open func(*testing.T, ...store.Schema) *store.DB) {
		db := open(t, PromiseSchema)
		c := clock.At(time.Date(2030, 5, 1, 12, 0, 0, 0, time.UTC))
		test(t, NewPromises(db, limits, c.Now), NewPromises(db, limits, c.Now), c)
	})
}

func (p *Promises) mustMake(t *testing.T, a Asked) string {
	t.Helper()
	token, _, err := p.Make(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	return token
}

func (p *Promises) mustClaim(t *testing.T) *Job {
	t.Helper()
	job, err := p.Claim(t.Context())
	if err != nil || job == nil {
		t.Fatalf("claim: %v, %v", job, err)
	}
	return job
}

func (p *Promises) mustLook(t *testing.T, party, token string) Standing {
	t.Helper()
	s, err := p.Look(t.Context(), party, token)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func isUnknown(err error) bool {
	var coded *fail.Error
	return errors.As(err, &coded) && coded.Code == fail.UnknownPromise
}

func TestAPromiseIsKeptByWhoeverClaimsIt(t *testing.T) {
	each(t, Limits{}, func(t *testing.T, one, other *Promises, c *clock.Clock) {
		token := one.mustMake(t, Asked{Party: "key:a", Holder: "key:a", Request: []byte("q"), Message: "soon", Expect: 90 * time.Second})
		s := other.mustLook(t, "key:a", token)
		if s.State != Waiting || s.Progress != 0 || s.Message != "soon" || string(s.Request) != "q" || s.Left != 90*time.Second {
			t.Fatalf("before: %+v", s)
		}
		job := other.mustClaim(t)
		if string(job.Request) != "q" || job.Party != "key:a" {
			t.Fatalf("claimed %+v", job)
		}
		if again, err := one.Claim(t.Context()); again != nil || err != nil {
			t.Fatalf("the job is claimed twice: %v, %v", again, err)
		}
		for _, at := range []struct{ told, want float64 }{{0.5, 0.5}, {0.25, 0.5}, {0.75, 0.75}, {7, 1}} {
			if mine, err := job.Renew(t.Context(), Progress{Part: at.told, Message: "more", Left: time.Second}); !mine || err != nil {
				t.Fatalf("renew: %v, %v", mine, err)
			}
			if s := one.mustLook(t, "key:a", token); s.State != Running || s.Progress != at.want || s.Message != "more" || s.Left != time.Second {
				t.Errorf("after %g: %+v", at.told, s)
			}
		}
		if err := job.Finish(t.Context(), "rules 1", []byte("the answer")); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if s := one.mustLook(t, "key:a", token); s.State != Kept || string(s.Answer) != "the answer" || s.Rules != "rules 1" || s.Progress != 1 {
				t.Errorf("after: %+v", s)
			}
		}
		if s, err := one.Cancel(t.Context(), "key:a", token); err != nil || s.State != Kept || string(s.Answer) != "the answer" {
			t.Errorf("cancelled after it was kept: %+v, %v", s, err)
		}
	})
}

func TestATokenOpensNothingToOthers(t *testing.T) {
	each(t, Limits{}, func(t *testing.T, one, other *Promises, c *clock.Clock) {
		a := one.mustMake(t, Asked{Party: "key:a", Holder: "a"})
		stranger := one.mustMake(t, Asked{Holder: "x"})
		var said []string
		for _, row := range []struct{ party, token string }{
			{"key:b", a}, {"", a}, {"key:b", "promise_none"}, {"", "promise_none"}, {"", ""}, {"key:a", strings.ToLower(a)}, {"key:a", a + "x"},
		} {
			_, looked := one.Look(t.Context(), row.party, row.token)
			_, cancelled := other.Cancel(t.Context(), row.party, row.token)
			_, again := other.Again(t.Context(), row.party, row.token, "")
			for _, err := range []error{looked, cancelled, again} {
				if !isUnknown(err) {
					t.Fatalf("%q with the token %q: %v", row.party, row.token, err)
				}
				said = append(said, err.Error())
			}
		}
		for _, text := range said {
			if text != said[0] {
				t.Errorf("%q differs from %q", text, said[0])
			}
		}
		if s := one.mustLook(t, "key:a", a); s.State != Waiting {
			t.Errorf("others have changed it: %+v", s)
		}
		// The token of a stranger is all it takes, for one who has shown a credential since, too.
		one.mustLook(t, "", stranger)
		one.mustLook(t, "key:b", stranger)
	})
}

func TestTokensAreKeptNowhere(t *testing.T) {
	db := storetest.OpenSQLite(t, PromiseSchema)
	p := NewPromises(db, Limits{time.Hour, 10, 10}, nil)
	token := p.mustMake(t, Asked{Holder: "192.0.2.7", Request: []byte("q")})
	err := db.View(t.Context(), func(tx *store.Tx) error {
		var key, holder []byte
		if err := tx.QueryRow(t.Context(), `SELECT key, holder FROM promise_job`).Scan(&key, &holder); err != nil {
			return err
		}
		if len(key) != 32 || strings.Contains(string(key), token) || strings.Contains(string(holder), "192.0") {
			t.Errorf("the table has key %q, holder %q", key, holder)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestTokensAreManyBitsAndNeverTheSame(t *testing.T) {
	p := NewPromises(storetest.OpenSQLite(t, PromiseSchema), Limits{time.Hour, 1001, 1001}, nil)
	seen := map[string]bool{}
	for range 1000 {
		token := p.mustMake(t, Asked{})
		random, ok := strings.CutPrefix(token, tokenPrefix)
		if !ok || len(random) < 26 || seen[token] { // letters of 5 bits
			t.Fatalf("the token %q", token)
		}
		seen[token] = true
	}
}

func TestCancelledWorkStopsAndStaysCancelled(t *testing.T) {
	each(t, Limits{}, func(t *testing.T, one, other *Promises, c *clock.Clock) {
		token := one.mustMake(t, Asked{})
		job := one.mustClaim(t)
		for range 2 {
			if s, err := other.Cancel(t.Context(), "", token); err != nil || s.State != Cancelled {
				t.Fatalf("%+v, %v", s, err)
			}
		}
		if mine, err := job.Renew(t.Context(), Progress{Part: 0.5}); mine || err != nil {
			t.Errorf("the job goes on: %v, %v", mine, err)
		}
		if err := job.Finish(t.Context(), "", []byte("late")); err != nil {
			t.Error(err)
		}
		if err := job.Release(t.Context()); err != nil {
			t.Error(err)
		}
		if s := one.mustLook(t, "", token); s.State != Cancelled || s.Answer != nil {
			t.Errorf("after: %+v", s)
		}
		if again, err := one.Claim(t.Context()); again != nil || err != nil {
			t.Errorf("it is worked on again: %v, %v", again, err)
		}
	})
}

func TestWorkOfAWorkerThatIsGoneIsTakenOver(t *testing.T) {
	each(t, Limits{}, func(t *testing.T, one, other *Promises, c *clock.Clock) {
		token := one.mustMake(t, Asked{Request: []byte("q")})
		lost := one.mustClaim(t)
		if _, err := lost.Renew(t.Context(), Progress{Part: 0.5}); err != nil {
			t.Fatal(err)
		}
		c.Pass(lease + time.Second)
		job := other.mustClaim(t)
		if mine, err := lost.Renew(t.Context(), Progress{Part: 0.9}); mine || err != nil {
			t.Errorf("two have the job: %v, %v", mine, err)
		}
		if err := lost.Finish(t.Context(), "", []byte("of the one that was lost")); err != nil {
			t.Error(err)
		}
		if s := one.mustLook(t, "", token); s.State != Running || s.Progress != 0.5 {
			t.Errorf("%+v", s)
		}
		if err := job.Finish(t.Context(), "", []byte("a")); err != nil {
			t.Fatal(err)
		}
		if s := one.mustLook(t, "", token); string(s.Answer) != "a" {
			t.Errorf("%+v", s)
		}
	})
}

func TestWorkThatEndsItsWorkerIsNotBegunForEver(t *testing.T) {
	each(t, Limits{}, func(t *testing.T, one, other *Promises, c *clock.Clock) {
		token := one.mustMake(t, Asked{})
		for range maxTries {
			one.mustClaim(t)
			c.Pass(lease + time.Second)
		}
		if job, err := other.Claim(t.Context()); job != nil || err != nil {
			t.Fatalf("claimed %v, %v", job, err)
		}
		if s := one.mustLook(t, "", token); s.State != Broken {
			t.Errorf("%+v", s)
		}
	})
}

func TestReleasedWorkIsBegunAnewAtOnce(t *testing.T) {
	each(t, Limits{}, func(t *testing.T, one, other *Promises, c *clock.Clock) {
		one.mustMake(t, Asked{})
		for range maxTries + 2 { // a restart is no fault of the job
			if err := one.mustClaim(t).Release(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		other.mustClaim(t)
	})
}

func TestDeferredWorkIsBegunAnewAfterAWhileAndNotForEver(t *testing.T) {
	each(t, Limits{}, func(t *testing.T, one, other *Promises, c *clock.Clock) {
		token := one.mustMake(t, Asked{})
		for range maxTries {
			if err := one.mustClaim(t).Defer(t.Context()); err != nil {
				t.Fatal(err)
			}
			if job, err := other.Claim(t.Context()); job != nil || err != nil {
				t.Fatalf("at once: %v, %v", job, err)
			}
			c.Pass(lease + time.Second)
		}
		if job, err := other.Claim(t.Context()); job != nil || err != nil {
			t.Fatalf("once more: %v, %v", job, err)
		}
		if s := one.mustLook(t, "", token); s.State != Broken {
			t.Errorf("%+v", s)
		}
	})
}

func TestWorkThatWasBegunIsNotBegunByOthers(t *testing.T) {
	each(t, Limits{}, func(t *testing.T, one, other *Promises, c *clock.Clock) {
		token, job, err := one.Make(t.Context(), Asked{Begun: true})
		if err != nil || job == nil {
			t.Fatal(job, err)
		}
		if claimed, err := other.Claim(t.Context()); claimed != nil || err != nil {
			t.Errorf("claimed %v, %v", claimed, err)
		}
		if mine, err := job.Renew(t.Context(), Progress{}); !mine || err != nil {
			t.Errorf("renew: %v, %v", mine, err)
		}
		if s := other.mustLook(t, "", token); s.State != Running {
			t.Errorf("%+v", s)
		}
		c.Pass(lease + time.Second)
		other.mustClaim(t)
	})
}

func TestPromisesEndAndAreSweptAway(t *testing.T) {
	each(t, Limits{Keep: time.Hour, Each: 2}, func(t *testing.T, one, other *Promises, c *clock.Clock) {
		kept, waiting := one.mustMake(t, Asked{}), one.mustMake(t, Asked{})
		job := one.mustClaim(t)
		c.Pass(30 * time.Minute)
		if err := job.Finish(t.Context(), "", []byte("a")); err != nil {
			t.Fatal(err)
		}
		c.Pass(30*time.Minute + time.Second)
		if _, err := other.Look(t.Context(), "", waiting); !isUnknown(err) {
			t.Errorf("a question that nobody worked on is there after its time: %v", err)
		}
		if job, err := other.Claim(t.Context()); job != nil || err != nil {
			t.Errorf("and is worked on: %v, %v", job, err)
		}
		other.mustLook(t, "", kept)
		if n, err := one.Sweep(t.Context()); n != 1 || err != nil {
			t.Errorf("swept %d, %v", n, err)
		}
		c.Pass(30 * time.Minute)
		if _, err := other.Look(t.Context(), "", kept); !isUnknown(err) {
			t.Errorf("an answer is there after its time: %v", err)
		}
		if n, err := one.Sweep(t.Context()); n != 1 || err != nil {
			t.Errorf("swept %d, %v", n, err)
		}
		if count, err := one.Count(t.Context()); len(count) != 0 || err != nil {
			t.Errorf("left: %v, %v", count, err)
		}
	})
}

func TestNobodyFillsTheStore(t *testing.T) {
	each(t, Limits{Each: 2, All: 3}, func(t *testing.T, one, other *Promises, c *clock.Clock) {
		token := one.mustMake(t, Asked{Holder: "a"})
		other.mustMake(t, Asked{Holder: "a"})
		full := func(holder string) {
			t.Helper()
			_, _, err := one.Make(t.Context(), Asked{Holder: holder})
			if coded := fail.From(err); coded.Code != fail.Limited || coded.RetryAfter <= 0 {
				t.Errorf("%s gets %v", holder, err)
			}
		}
		full("a")
		one.mustMake(t, Asked{Holder: "b"})
		full("c")
		if _, err := one.Cancel(t.Context(), "", token); err != nil {
			t.Fatal(err)
		}
		full("a")
		c.Pass(time.Hour + time.Second)
		token = one.mustMake(t, Asked{Holder: "a"})
		one.mustMake(t, Asked{Holder: "a"})
		if _, err := one.Cancel(t.Context(), "", token); err != nil {
			t.Fatal(err)
		}
		one.mustMake(t, Asked{Holder: "a"}) // what is cancelled costs its holder nothing, but all together
		full("b")
		if _, _, err := one.Make(t.Context(), Asked{Request: make([]byte, MaxRequest+1)}); fail.From(err).Code != fail.TooLarge {
			t.Errorf("a request that is too large: %v", err)
		}
	})
}

func TestAnAnswerThatMayNoLongerLeaveIsMadeAnew(t *testing.T) {
	each(t, Limits{}, func(t *testing.T, one, other *Promises, c *clock.Clock) {
		token := one.mustMake(t, Asked{})
		if err := one.mustClaim(t).Finish(t.Context(), "1", []byte("old")); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if s, err := one.Again(t.Context(), "", token, "anew"); err != nil || s.State != Waiting || s.Answer != nil || s.Message != "anew" || s.Progress != 1 {
				t.Fatalf("%+v, %v", s, err)
			}
		}
		if err := other.mustClaim(t).Finish(t.Context(), "2", []byte("new")); err != nil {
			t.Fatal(err)
		}
		if s := one.mustLook(t, "", token); string(s.Answer) != "new" || s.Rules != "2" {
			t.Errorf("%+v", s)
		}
	})
}

func TestAnswersThatAreTooLargeAreRefused(t *testing.T) {
	p := NewPromises(storetest.OpenSQLite(t, PromiseSchema), Limits{time.Hour, 10, 10}, nil)
	token := p.mustMake(t, Asked{})
	job := p.mustClaim(t)
	if err := job.Finish(t.Context(), "", make([]byte, maxUnpacked+1)); fail.From(err).Code != fail.TooLong {
		t.Errorf("too large: %v", err)
	}
	if s := p.mustLook(t, "", token); s.State != Running {
		t.Errorf("%+v", s)
	}
	if err := job.Finish(t.Context(), "", make([]byte, maxUnpacked)); err != nil {
		t.Error(err)
	}
	if s := p.mustLook(t, "", token); len(s.Answer) != maxUnpacked {
		t.Errorf("%d bytes", len(s.Answer))
	}
}

func TestOneOfManyWorkersGetsAJob(t *testing.T) {
	each(t, Limits{}, func(t *testing.T, one, other *Promises, c *clock.Clock) {
		one.mustMake(t, Asked{})
		got := make(chan bool)
		for i := range 8 {
			go func() {
				job, err := []*Promises{one, other}[i%2].Claim(context.WithoutCancel(t.Context()))
				if err != nil {
					t.Error(err)
				}
				got <- job != nil
			}()
		}
		jobs := 0
		for range 8 {
			if <-got {
				jobs++
			}
		}
		if jobs != 1 {
			t.Errorf("%d have the job", jobs)
		}
	})
}

func TestPromisesAreForgottenWithTheirConversationAlone(t *testing.T) {
	each(t, Limits{Each: 20}, func(t *testing.T, one, other *Promises, _ *clock.Clock) {
		alice := Talk{Party: "key:alice", Conversation: "c"}
		stranger := Talk{Secret: "s", Conversation: "c"}
		tokens := map[string]string{}
		for name, a := range map[string]Asked{
			"waiting":   {Party: "key:alice", Talk: alice},
			"begun":     {Party: "key:alice", Talk: alice, Begun: true},
			"hers":      {Party: "key:alice", Talk: Talk{Party: "key:alice", Conversation: "d"}},
			"another's": {Party: "key:bob", Talk: Talk{Party: "key:bob", Conversation: "c"}},
			"stranger":  {Talk: stranger},
			"unbound":   {Talk: Talk{Conversation: "c"}},
		} {
			a.Holder, a.Request = name, []byte(name)
			tokens[name] = one.mustMake(t, a)
		}
		if jobs, err := other.Forget(t.Context(), Talk{Conversation: "c"}); err != nil || len(jobs) != 0 {
			t.Errorf("a conversation of nobody was forgotten: %d, %v", len(jobs), err)
		}
		if jobs, err := other.Forget(t.Context(), alice); err != nil || len(jobs) != 2 {
			t.Errorf("%d promises were forgotten, %v; want two", len(jobs), err)
		}
		if jobs, err := other.Forget(t.Context(), stranger); err != nil || len(jobs) != 1 {
			t.Errorf("%d promises of a stranger were forgotten, %v; want one", len(jobs), err)
		}
		for name, party := range map[string]string{"waiting": "key:alice", "begun": "key:alice", "hers": "key:alice", "another's": "key:bob", "stranger": "", "unbound": ""} {
			_, err := one.Look(t.Context(), party, tokens[name])
			if gone := name == "waiting" || name == "begun" || name == "stranger"; gone != (fail.From(err).Code == fail.UnknownPromise) {
				t.Errorf("the promise %s: %v", name, err)
			}
		}
	})
}
