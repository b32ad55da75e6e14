package session

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/testkit/clock"
	"frontdesk/internal/testkit/storetest"
)

// each runs a test with promises on every engine, in a database that two nodes share.
func each(t *testing.T, limits PromiseOptions, test func(t *testing.T, one, other *Promises, c *clock.Clock)) {
	if limits.Keep == 0 {
		limits.Keep = time.Hour
	}
	if limits.Each == 0 {
		limits.Each = 5
	}
	if limits.Kept == 0 {
		limits.Kept = 5
	}
	if limits.All == 0 {
		limits.All = 100
	}
	storetest.Each(t, func(t *testing.T, open func(*testing.T, ...store.Schema) *store.DB) {
		db := open(t, PromiseSchema)
		c := clock.At(time.Date(2030, 5, 1, 12, 0, 0, 0, time.UTC))
		limits.Now = c.Now
		test(t, promising(t, db, limits), promising(t, db, limits), c)
	})
}

// promising gives the promises of a database, with the tests' secret unless there is another.
func promising(t *testing.T, db *store.DB, options PromiseOptions) *Promises {
	t.Helper()
	if options.Secret == nil {
		options.Secret = []byte(strings.Repeat("k", 32))
	}
	p, err := NewPromises(db, options)
	if err != nil {
		t.Fatal(err)
	}
	return p
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
	t.Parallel()
	each(t, PromiseOptions{}, func(t *testing.T, one, other *Promises, c *clock.Clock) {
		token := one.mustMake(t,
			Asked{Party: "key:a", Holder: "key:a", Request: []byte("q"), Message: "soon", Expect: 90 * time.Second})
		s := other.mustLook(t, "key:a", token)
		if s.State != Waiting || s.Progress != 0 || s.Message != "soon" || string(s.Request) != "q" ||
			s.Left != 90*time.Second {
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
			if mine, err := job.Renew(t.Context(),
				Progress{Part: at.told, Message: "more", Left: time.Second}); !mine || err != nil {
				t.Fatalf("renew: %v, %v", mine, err)
			}
			if s := one.mustLook(t, "key:a", token); s.State != Running || s.Progress != at.want ||
				s.Message != "more" || s.Left != time.Second {
				t.Errorf("after %g: %+v", at.told, s)
			}
		}
		if err := job.Finish(t.Context(), "rules 1", []byte("the answer")); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if s := one.mustLook(t, "key:a", token); s.State != Kept || string(s.Answer) != "the answer" ||
				s.Rules != "rules 1" || s.Progress != 1 {
				t.Errorf("after: %+v", s)
			}
		}
		if s, err := one.Cancel(t.Context(), "key:a", token); err != nil || s.State != Kept ||
			string(s.Answer) != "the answer" {
			t.Errorf("cancelled after it was kept: %+v, %v", s, err)
		}
	})
}

func TestATokenOpensNothingToOthers(t *testing.T) {
	t.Parallel()
	each(t, PromiseOptions{}, func(t *testing.T, one, other *Promises, c *clock.Clock) {
		a := one.mustMake(t, Asked{Party: "key:a", Holder: "a"})
		stranger := one.mustMake(t, Asked{Holder: "x"})
		var said []string
		for _, row := range []struct{ party, token string }{
			{"key:b", a}, {"", a}, {"key:b", "promise_none"}, {"", "promise_none"}, {"", ""},
			{"key:a", strings.ToLower(a)}, {"key:a", a + "x"},
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

func TestTheTablesTellNothing(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(*testing.T, ...store.Schema) *store.DB) {
		db := open(t, PromiseSchema)
		p := promising(t, db, PromiseOptions{Keep: time.Hour, Each: 10, Kept: 10, All: 10})
		token := p.mustMake(t, Asked{Party: "key:abc", Holder: "192.0.2.7",
			Talk: Talk{Party: "key:abc", Conversation: "talk-77"}, Request: []byte("a present for my wife")})
		job := p.mustClaim(t)
		if job.Party != "key:abc" || string(job.Request) != "a present for my wife" {
			t.Errorf("claimed %+v", job)
		}
		if err := job.Finish(t.Context(), "rules", []byte("a present: the brass lamp")); err != nil {
			t.Fatal(err)
		}
		var key, seal, holder, talk, request, answer []byte
		err := db.View(t.Context(), func(tx *store.Tx) error {
			if err := tx.QueryRow(t.Context(), `SELECT key, seal, holder, talk, request FROM promise_job`).Scan(&key, &seal, &holder, &talk, &request); err != nil {
				return err
			}
			return tx.QueryRow(t.Context(), `SELECT answer FROM promise_answer`).Scan(&answer)
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range []string{token, "abc", "192.0", "talk-77", "present", "lamp"} {
			if said := fmt.Sprintf("%s %s %s %s %s %s", key, seal, holder, talk, request,
				answer); strings.Contains(said, word) {
				t.Errorf("the tables have %q", word)
			}
		}
		if packed, err := pack([]byte("a present: the brass lamp")); err != nil || bytes.Contains(answer, packed) {
			t.Errorf("the answer is compressed only, %v", err)
		}
		// Who has another secret can do nothing with it, and leaves it alone.
		p.mustMake(t, Asked{Request: []byte("q")})
		other := promising(t, db,
			PromiseOptions{Secret: []byte(strings.Repeat("x", 32)), Keep: time.Hour, Each: 10, Kept: 10, All: 10})
		if _, err := other.Look(t.Context(), "key:abc", token); !isUnknown(err) {
			t.Errorf("with another secret: %v", err)
		}
		if job, err := other.Claim(t.Context()); job != nil || err != nil {
			t.Errorf("with another secret it is claimed: %v, %v", job, err)
		}
		p.mustClaim(t)
	})
}

func TestWhatWasChangedInTheTablesIsNotOpened(t *testing.T) {
	t.Parallel()
	db := storetest.OpenSQLite(t, PromiseSchema)
	p := promising(t, db, PromiseOptions{Keep: time.Hour, Each: 10, Kept: 10, All: 10})
	mine, yours := p.mustMake(t, Asked{Request: []byte("mine")}), p.mustMake(t, Asked{Request: []byte("yours")})
	for range 2 {
		if err := p.mustClaim(t).Finish(t.Context(), "1", []byte("answer")); err != nil {
			t.Fatal(err)
		}
	}
	change := func(statement string) {
		t.Helper()
		err := db.Update(t.Context(), func(tx *store.Tx) error {
			_, err := tx.Exec(t.Context(), statement)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	change(`UPDATE promise_answer SET rules = '2'`) // so that it would leave under terms that it was not released under
	if s, err := p.Look(t.Context(), "", mine); err == nil || s.Answer != nil {
		t.Errorf("an answer of other terms: %+v, %v", s, err)
	}
	change(`UPDATE promise_answer SET rules = '1'`)
	p.mustLook(t, "", mine)
	change(`UPDATE promise_job SET request = (SELECT request FROM promise_job ORDER BY key LIMIT 1)`)
	_, one := p.Look(t.Context(), "", mine)
	_, two := p.Look(t.Context(), "", yours)
	if (one == nil) == (two == nil) {
		t.Errorf("one of two has the question of the other: %v, %v", one, two)
	}
	change(`UPDATE promise_job SET state = 0, request = 'x'`)
	if job, err := p.Claim(t.Context()); job != nil || err != nil {
		t.Errorf("claimed %v, %v", job, err)
	}
	count, err := p.Count(t.Context())
	if err != nil || count[Broken] != 1 || count[Waiting] != 1 {
		t.Errorf("what cannot be opened is not given up: %v, %v", count, err)
	}
}

func TestPromisesOfAnOlderSchemaAreForgotten(t *testing.T) {
	t.Parallel()
	storetest.EachDSN(t, func(t *testing.T, fresh storetest.Fresh) {
		dsn := fresh(t)
		old := PromiseSchema
		old.Steps = old.Steps[:2]
		db := storetest.Open(t, dsn, old)
		err := db.Update(t.Context(), func(tx *store.Tx) error {
			_, err := tx.Exec(t.Context(), `INSERT INTO promise_job (key, holder, party, request, state, message, made, expires) VALUES ($1, $1, 'key:abc', $1, 0, '', 1, $2)`,
				[]byte("a question in the clear"), int64(math.MaxInt64))
			return err
		})
		if err := errors.Join(err, db.Close()); err != nil {
			t.Fatal(err)
		}
		p := promising(t, storetest.Open(t, dsn, PromiseSchema),
			PromiseOptions{Keep: time.Hour, Each: 10, Kept: 10, All: 10})
		if count, err := p.Count(t.Context()); len(count) != 0 || err != nil {
			t.Errorf("there are %v, %v", count, err)
		}
		token := p.mustMake(t, Asked{Request: []byte("q")})
		p.mustClaim(t)
		p.mustLook(t, "", token)
	})
}

func TestTokensAreManyBitsAndNeverTheSame(t *testing.T) {
	t.Parallel()
	p := promising(t, storetest.OpenSQLite(t, PromiseSchema),
		PromiseOptions{Keep: time.Hour, Each: 1001, Kept: 1001, All: 1001})
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
	t.Parallel()
	each(t, PromiseOptions{}, func(t *testing.T, one, other *Promises, c *clock.Clock) {
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
	t.Parallel()
	each(t, PromiseOptions{}, func(t *testing.T, one, other *Promises, c *clock.Clock) {
		token := one.mustMake(t, Asked{Request: []byte("q")})
		lost := one.mustClaim(t)
		if _, err := lost.Renew(t.Context(), Progress{Part: 0.5}); err != nil {
			t.Fatal(err)
		}
		c.Advance(lease + time.Second)
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
	t.Parallel()
	each(t, PromiseOptions{}, func(t *testing.T, one, other *Promises, c *clock.Clock) {
		token := one.mustMake(t, Asked{})
		for range maxTries {
			one.mustClaim(t)
			c.Advance(lease + time.Second)
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
	t.Parallel()
	each(t, PromiseOptions{}, func(t *testing.T, one, other *Promises, c *clock.Clock) {
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
	t.Parallel()
	each(t, PromiseOptions{}, func(t *testing.T, one, other *Promises, c *clock.Clock) {
		token := one.mustMake(t, Asked{})
		for range maxTries {
			if err := one.mustClaim(t).Defer(t.Context()); err != nil {
				t.Fatal(err)
			}
			if job, err := other.Claim(t.Context()); job != nil || err != nil {
				t.Fatalf("at once: %v, %v", job, err)
			}
			c.Advance(lease + time.Second)
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
	t.Parallel()
	each(t, PromiseOptions{}, func(t *testing.T, one, other *Promises, c *clock.Clock) {
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
		c.Advance(lease + time.Second)
		other.mustClaim(t)
	})
}

func TestPromisesEndAndAreSweptAway(t *testing.T) {
	t.Parallel()
	each(t, PromiseOptions{Keep: time.Hour, Each: 2}, func(t *testing.T, one, other *Promises, c *clock.Clock) {
		kept, waiting := one.mustMake(t, Asked{}), one.mustMake(t, Asked{})
		job := one.mustClaim(t)
		c.Advance(30 * time.Minute)
		if err := job.Finish(t.Context(), "", []byte("a")); err != nil {
			t.Fatal(err)
		}
		c.Advance(30*time.Minute + time.Second)
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
		c.Advance(30 * time.Minute)
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

func TestAnswersThatAreThereTakeNoPlaceOfThoseToCome(t *testing.T) {
	t.Parallel()
	each(t, PromiseOptions{Each: 2, Kept: 3, All: 100}, func(t *testing.T, one, other *Promises, c *clock.Clock) {
		keep := func() {
			t.Helper()
			one.mustMake(t, Asked{Holder: "a"})
			if err := other.mustClaim(t).Finish(t.Context(), "", []byte("answer")); err != nil {
				t.Fatal(err)
			}
		}
		keep()
		keep() // as many as may wait at a time
		one.mustMake(t, Asked{Holder: "a"})
		one.mustMake(t, Asked{Holder: "a"})
		if _, _, err := one.Make(t.Context(), Asked{Holder: "a"}); fail.From(err).Code != fail.Limited ||
			!strings.Contains(err.Error(), "cancel one") {
			t.Errorf("a third that waits: %v", err)
		}
		for range 2 {
			if err := other.mustClaim(t).Finish(t.Context(), "", []byte("answer")); err != nil {
				t.Fatal(err)
			}
		}
		if _, _, err := one.Make(t.Context(), Asked{Holder: "a"}); fail.From(err).Code != fail.Limited ||
			!strings.Contains(err.Error(), "kept for you") {
			t.Errorf("one more than is kept: %v", err)
		}
		one.mustMake(t, Asked{Holder: "b"})
		c.Advance(time.Hour + time.Second)
		keep()
	})
}

func TestHoldersTakeTurns(t *testing.T) {
	t.Parallel()
	each(t, PromiseOptions{Each: 50}, func(t *testing.T, one, other *Promises, c *clock.Clock) {
		make := func(holder string, n int) {
			for range n {
				c.Advance(time.Millisecond)
				one.mustMake(t, Asked{Holder: holder, Request: []byte(holder)})
			}
		}
		make("many ", 20)
		make("few ", 2)
		make("one ", 1)
		var order strings.Builder
		next := func() *Job {
			t.Helper()
			c.Advance(time.Millisecond)
			job := other.mustClaim(t)
			order.Write(job.Request)
			return job
		}
		for range 6 {
			if err := next().Finish(t.Context(), "", nil); err != nil {
				t.Fatal(err)
			}
		}
		if got, want := order.String(), "many few one many few many "; got != want {
			t.Errorf("worked on are %q, want %q", got, want)
		}
		// Of whom much is worked on at the moment, nothing more is begun while others wait.
		order.Reset()
		make("few ", 3)
		for range 5 {
			next()
		}
		if got, want := order.String(), "few many few many few "; got != want {
			t.Errorf("worked on at a time are %q, want %q", got, want)
		}
		make("late ", 2)
		order.Reset()
		next()
		next()
		if got, want := order.String(), "late late "; got != want {
			t.Errorf("who comes late is worked on as %q, want %q", got, want)
		}
	})
}

func TestNobodyFillsTheStore(t *testing.T) {
	t.Parallel()
	each(t, PromiseOptions{Each: 2, All: 3}, func(t *testing.T, one, other *Promises, c *clock.Clock) {
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
		c.Advance(time.Hour + time.Second)
		token = one.mustMake(t, Asked{Holder: "a"})
		one.mustMake(t, Asked{Holder: "a"})
		if _, err := one.Cancel(t.Context(), "", token); err != nil {
			t.Fatal(err)
		}
		one.mustMake(t, Asked{Holder: "a"}) // what is cancelled costs its holder nothing, but all together
		full("b")
		if _, _, err := one.Make(t.Context(),
			Asked{Request: make([]byte, MaxRequest+1)}); fail.From(err).Code != fail.TooLarge {
			t.Errorf("a request that is too large: %v", err)
		}
	})
}

func TestAnAnswerThatMayNoLongerLeaveIsMadeAnew(t *testing.T) {
	t.Parallel()
	each(t, PromiseOptions{}, func(t *testing.T, one, other *Promises, c *clock.Clock) {
		token := one.mustMake(t, Asked{})
		if err := one.mustClaim(t).Finish(t.Context(), "1", []byte("old")); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if s, err := one.Again(t.Context(), "", token, "anew"); err != nil || s.State != Waiting ||
				s.Answer != nil || s.Message != "anew" || s.Progress != 1 {
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
	t.Parallel()
	p := promising(t, storetest.OpenSQLite(t, PromiseSchema),
		PromiseOptions{Keep: time.Hour, Each: 10, Kept: 10, All: 10})
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
	t.Parallel()
	each(t, PromiseOptions{}, func(t *testing.T, one, other *Promises, c *clock.Clock) {
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
	t.Parallel()
	each(t, PromiseOptions{Each: 20}, func(t *testing.T, one, other *Promises, _ *clock.Clock) {
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
		for name, party := range map[string]string{"waiting": "key:alice", "begun": "key:alice", "hers": "key:alice",
			"another's": "key:bob", "stranger": "", "unbound": ""} {
			_, err := one.Look(t.Context(), party, tokens[name])
			if gone := name == "waiting" || name == "begun" ||
				name == "stranger"; gone != (fail.From(err).Code == fail.UnknownPromise) {
				t.Errorf("the promise %s: %v", name, err)
			}
		}
	})
}
