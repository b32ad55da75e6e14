package ratelimit_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"frontdesk/internal/infra/ratelimit"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/testkit/storetest"
)

// clock is a clock that a test sets.
type clock struct{ nanos atomic.Int64 }

func newClock() *clock {
	c := &clock{}
	c.nanos.Store(time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC).UnixNano())
	return c
}

func (c *clock) now() time.Time          { return time.Unix(0, c.nanos.Load()) }
func (c *clock) advance(d time.Duration) { c.nanos.Add(int64(d)) }

func rate(t testing.TB, text string) ratelimit.Rate {
	t.Helper()
	r, err := ratelimit.ParseRate(text)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRatesAreReadAsTheyAreWritten(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]ratelimit.Rate{
		"":                                 {},
		"60/1m":                            {60, time.Minute, 60},
		"60/m":                             {60, time.Minute, 60},
		"5/s burst 20":                     {5, time.Second, 20},
		"1000/24h burst 50":                {1000, 24 * time.Hour, 50},
		"1/100ms":                          {1, 100 * time.Millisecond, 1},
		"1000000000/1s":                    {1e9, time.Second, 1e9},
		"10 / 1m burst  5":                 {10, time.Minute, 5},
		"3/1h30m":                          {3, 90 * time.Minute, 3},
		"0/1m":                             {-1, 0, 0},
		"-1/1m":                            {-1, 0, 0},
		"60":                               {-1, 0, 0},
		"60/":                              {-1, 0, 0},
		"60/0s":                            {-1, 0, 0},
		"60/-1m":                           {-1, 0, 0},
		"60/1000h":                         {-1, 0, 0},
		"60/1m burst 0":                    {-1, 0, 0},
		"60/1m burst":                      {-1, 0, 0},
		"60/1m20":                          {-1, 0, 0},
		"1/24h burst 1000":                 {-1, 0, 0}, // three years until it is full again
		"99999999999999/1m":                {-1, 0, 0},
		"60/1m burst 1e3":                  {-1, 0, 0},
		"sixty/1m":                         {-1, 0, 0},
		"60/1m burst 99999999999999999999": {-1, 0, 0},
	} {
		got, err := ratelimit.ParseRate(text)
		if want.Requests < 0 {
			if err == nil || !strings.Contains(err.Error(), text) {
				t.Errorf("%q gives %+v, %v", text, got, err)
			}
			continue
		}
		if err != nil || got != want {
			t.Errorf("%q gives %+v, %v; want %+v", text, got, err, want)
		}
	}
}

func FuzzParseRate(f *testing.F) {
	for _, text := range []string{"60/1m", "1/s burst 3", "1000000000/744h burst 1000000000", "/", "1/ burst "} {
		f.Add(text, int64(1), 1)
	}
	f.Fuzz(func(t *testing.T, text string, now int64, cost int) {
		r, err := ratelimit.ParseRate(text)
		if err != nil || r.Unlimited() {
			return
		}
		c := &clock{}
		c.nanos.Store(now)
		meter := ratelimit.New(ratelimit.Options{Now: c.now}).Meter("any", r)
		for range 3 {
			s := meter.Allow(t.Context(), "key", cost)
			if s.Limit != r.Burst || s.Remaining < 0 || s.Remaining > s.Limit || s.Reset < 0 || s.RetryAfter < 0 ||
				s.OK != (s.RetryAfter == 0) {
				t.Fatalf("%q at %d: %+v", text, now, s)
			}
		}
	})
}

func TestBucketLetsABurstThroughAndThenTheRate(t *testing.T) {
	t.Parallel()
	c := newClock()
	meter := ratelimit.New(ratelimit.Options{Now: c.now}).Meter("address", rate(t, "60/1m burst 3"))
	for want := 2; want >= 0; want-- {
		if s := meter.Allow(t.Context(), "a", 1); !s.OK || s.Limit != 3 || s.Remaining != want ||
			s.Reset != time.Duration(3-want)*time.Second {
			t.Fatalf("with %d left: %+v", want, s)
		}
	}
	refused := meter.Allow(t.Context(), "a", 1)
	if refused.OK || refused.RetryAfter != time.Second || refused.Remaining != 0 {
		t.Fatalf("%+v", refused)
	}
	if s := meter.Allow(t.Context(), "b", 1); !s.OK {
		t.Errorf("another key pays for it: %+v", s)
	}
	c.advance(refused.RetryAfter - 1)
	if s := meter.Allow(t.Context(), "a", 1); s.OK {
		t.Error("let through before Retry-After")
	}
	c.advance(1)
	if s := meter.Allow(t.Context(), "a", 1); !s.OK {
		t.Error("not let through after Retry-After")
	}
	meter.Allow(t.Context(), "b", 1)
	if s := meter.Allow(t.Context(), "b", 99); s.OK {
		t.Errorf("a cost above what is left is let through: %+v", s)
	}
	c.advance(time.Hour)
	if s := meter.Allow(t.Context(), "b", 99); !s.OK || s.Remaining != 0 {
		t.Errorf("a cost above the limit takes all of it: %+v", s)
	}
}

func TestWithoutARateEverythingGoes(t *testing.T) {
	t.Parallel()
	meter := ratelimit.New(ratelimit.Options{}).Meter("address", ratelimit.Rate{})
	for range 1000 {
		if s := meter.Allow(t.Context(), "a", 1000); !s.OK || s.Limit != 0 {
			t.Fatalf("%+v", s)
		}
	}
}

// TestNoWindowLetsMoreThroughThanTheRate plays any sequence of requests and pauses, and holds every
// stretch of it against the definition; and it holds what the statuses promise against what happens
// then.
func TestNoWindowLetsMoreThroughThanTheRate(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := newClock()
		r := ratelimit.Rate{
			Requests: rapid.IntRange(1, 20).Draw(t, "requests"),
			Per: time.Duration(rapid.Int64Range(1, int64(time.Minute/time.Millisecond)).Draw(t, "ms")) *
				time.Millisecond,
			Burst: rapid.IntRange(1, 10).Draw(t, "burst"),
		}
		meter := ratelimit.New(ratelimit.Options{Now: c.now}).Meter("m", r)
		type grant struct {
			at   int64
			cost int
		}
		var grants []grant
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			c.advance(time.Duration(rapid.Int64Range(0, int64(r.Per)).Draw(t, "pause")))
			cost := rapid.IntRange(0, r.Burst).Draw(t, "cost")
			before := meter.Allow(t.Context(), "k", 0)
			s := meter.Allow(t.Context(), "k", cost)
			if s.OK != (cost <= before.Remaining) {
				t.Fatalf("%d remain, and a cost of %d gives %+v", before.Remaining, cost, s)
			}
			if s.OK {
				grants = append(grants, grant{c.nanos.Load(), cost})
			}
		}
		for i := range grants {
			sum := 0
			for j := i; j < len(grants); j++ {
				sum += grants[j].cost
				// In d there can be burst + d·requests/per; compared without dividing.
				allowed := float64(r.Burst) + float64(grants[j].at-grants[i].at)*float64(r.Requests)/float64(r.Per) +
					1e-6
				if float64(sum) > allowed {
					t.Fatalf("%d in %s, where %+v allows %.3f", sum, time.Duration(grants[j].at-grants[i].at), r,
						allowed)
				}
			}
		}
	})
}

func TestWhatAStatusPromisesComesTrue(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := newClock()
		r := ratelimit.Rate{Requests: rapid.IntRange(1, 1000).Draw(t, "requests"), Per: time.Second,
			Burst: rapid.IntRange(1, 50).Draw(t, "burst")}
		meter := ratelimit.New(ratelimit.Options{Now: c.now}).Meter("m", r)
		meter.Allow(t.Context(), "k", rapid.IntRange(0, r.Burst).Draw(t, "used"))
		c.advance(time.Duration(rapid.Int64Range(0, int64(time.Second)).Draw(t, "pause")))
		cost := rapid.IntRange(1, r.Burst).Draw(t, "cost")
		s := meter.Allow(t.Context(), "k", cost)
		if !s.OK {
			c.advance(s.RetryAfter - 1)
			if early := meter.Allow(t.Context(), "k", cost); early.OK || early.RetryAfter != 1 {
				t.Fatalf("a moment before its time: %+v", early)
			}
			c.advance(1)
			if s = meter.Allow(t.Context(), "k", cost); !s.OK {
				t.Fatalf("at its time: %+v", s)
			}
		}
		c.advance(s.Reset)
		if full := meter.Allow(t.Context(), "k", 0); full.Remaining != r.Burst || full.Reset != 0 {
			t.Fatalf("after Reset: %+v", full)
		}
	})
}

func TestClockThatWasSetBackLocksNobodyOut(t *testing.T) {
	t.Parallel()
	c := newClock()
	meter := ratelimit.New(ratelimit.Options{Now: c.now}).Meter("m", rate(t, "10/1s"))
	meter.Allow(t.Context(), "k", 10)
	c.advance(-time.Hour)
	if s := meter.Allow(t.Context(), "k", 1); s.RetryAfter > time.Second || s.Remaining < 0 {
		t.Errorf("%+v", s)
	}
	c.advance(100 * time.Millisecond)
	if s := meter.Allow(t.Context(), "k", 1); !s.OK {
		t.Errorf("after the time of one request: %+v", s)
	}
}

func TestKeysInMemoryAreBounded(t *testing.T) {
	t.Parallel()
	c := newClock()
	limiter := ratelimit.New(ratelimit.Options{Now: c.now, Keys: 320})
	meter := limiter.Meter("m", rate(t, "10/1h"))
	meter.Allow(t.Context(), "heavy", 10)
	for i := range 100_000 {
		meter.Allow(t.Context(), fmt.Sprint(i), 1)
	}
	if n := limiter.Size(); n > 320 {
		t.Errorf("%d keys are kept", n)
	}
	if s := meter.Allow(t.Context(), "heavy", 1); s.OK {
		t.Error("the key that is furthest over its limit was forgotten first")
	}
	c.advance(24 * time.Hour) // all are full again, and are forgotten when room is needed
	for i := range 1000 {
		meter.Allow(t.Context(), fmt.Sprint("new", i), 1)
	}
	if n := limiter.Size(); n > 320 {
		t.Errorf("%d keys are kept after a day", n)
	}
}

// nodes opens limiters that share a database.
func nodes(t *testing.T, c *clock, dsn string, n int) []*ratelimit.Limiter {
	t.Helper()
	var all []*ratelimit.Limiter
	for range n {
		all = append(all, ratelimit.New(ratelimit.Options{DB: storetest.Open(t, dsn, ratelimit.Schema), Now: c.now}))
	}
	return all
}

func TestNodesCountTogether(t *testing.T) {
	t.Parallel()
	storetest.EachDSN(t, func(t *testing.T, fresh storetest.Fresh) {
		c := newClock()
		const burst, callers, each = 50, 8, 20
		all := nodes(t, c, fresh(t), 2)
		var granted atomic.Int64
		var group sync.WaitGroup
		for i := range callers {
			meter := all[i%len(all)].Meter("site", rate(t, fmt.Sprintf("%d/1h", burst)))
			group.Go(func() {
				for range each {
					if meter.Allow(t.Context(), "shop", 1).OK {
						granted.Add(1)
					}
				}
			})
		}
		group.Wait()
		if n := granted.Load(); n != burst {
			t.Errorf("two nodes let %d requests through, where the limit is %d", n, burst)
		}
		c.advance(time.Hour)
		first := all[0].Meter("site", rate(t, "50/1h")).Allow(t.Context(), "shop", 20)
		second := all[1].Meter("site", rate(t, "50/1h")).Allow(t.Context(), "shop", 0)
		if !first.OK || second.Remaining != 30 {
			t.Errorf("what one node uses, the other does not see: %+v, %+v", first, second)
		}
	})
}

func TestNodesThatCountTheSameKeyDoNotBreakEachOtherOff(t *testing.T) {
	t.Parallel()
	storetest.NeedPostgres(t)
	dsn := storetest.NewPostgres(t)
	const callers, each = 8, 25
	var log bytes.Buffer
	var writing sync.Mutex
	logger := slog.New(slog.NewTextHandler(lockedWriter{&writing, &log}, nil))
	c := newClock()
	var all []*ratelimit.Limiter
	for range 4 {
		all = append(all,
			ratelimit.New(ratelimit.Options{DB: storetest.Open(t, dsn, ratelimit.Schema), Now: c.now, Log: logger}))
	}
	var group sync.WaitGroup
	for i := range callers * len(all) {
		meter := all[i%len(all)].Meter("site", rate(t, "100000/1h"))
		group.Go(func() {
			for range each {
				meter.Allow(t.Context(), "shop", 1)
			}
		})
	}
	group.Wait()
	used := callers * len(all) * each
	if s := all[0].Meter("site", rate(t, "100000/1h")).Allow(t.Context(), "shop", 0); s.Remaining != 100_000-used {
		t.Errorf("%d of %d were counted together", 100_000-s.Remaining, used)
	}
	if log.Len() > 0 {
		t.Errorf("the log says: %s", &log)
	}
}

// lockedWriter is for logs of several goroutines.
type lockedWriter struct {
	mu *sync.Mutex
	w  *bytes.Buffer
}

func (l lockedWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}

func TestClocksThatDifferALittleLetNoMoreThrough(t *testing.T) {
	t.Parallel()
	storetest.EachDSN(t, func(t *testing.T, fresh storetest.Fresh) {
		dsn, ahead, behind := fresh(t), newClock(), newClock()
		ahead.advance(80 * time.Millisecond)
		var meters []ratelimit.Meter
		for _, c := range []*clock{ahead, behind} {
			meters = append(meters,
				ratelimit.New(ratelimit.Options{DB: storetest.Open(t, dsn, ratelimit.Schema), Now: c.now}).Meter("site",
					rate(t, "100/1s burst 10")))
		}
		granted := 0
		for range 100 { // in one second
			for _, meter := range meters {
				for range 2 {
					if meter.Allow(t.Context(), "shop", 1).OK {
						granted++
					}
				}
			}
			ahead.advance(10 * time.Millisecond)
			behind.advance(10 * time.Millisecond)
		}
		if granted > 120 {
			t.Errorf("%d requests were let through in a second, where 110 may come", granted)
		}
	})
}

func TestTableAndMemoryAnswerAlike(t *testing.T) {
	t.Parallel()
	storetest.EachDSN(t, func(t *testing.T, fresh storetest.Fresh) {
		dsn, run := fresh(t), 0
		c := newClock()
		shared := nodes(t, c, dsn, 2)
		rapid.Check(t, func(rt *rapid.T) {
			run++
			r := ratelimit.Rate{Requests: rapid.IntRange(1, 5).Draw(rt, "requests"), Per: time.Second,
				Burst: rapid.IntRange(1, 5).Draw(rt, "burst")}
			alone := ratelimit.New(ratelimit.Options{Now: c.now}).Meter("m", r)
			for range rapid.IntRange(1, 8).Draw(rt, "steps") {
				c.advance(time.Duration(rapid.Int64Range(0, int64(time.Second)).Draw(rt, "pause")))
				key := fmt.Sprint(run, rapid.IntRange(0, 1).Draw(rt, "key"))
				cost := rapid.IntRange(0, r.Burst).Draw(rt, "cost")
				node := shared[rapid.IntRange(0, 1).Draw(rt, "node")].Meter("m", r)
				if got, want := node.Allow(t.Context(), key, cost), alone.Allow(t.Context(), key, cost); got != want {
					// A node that knows a key to be empty need not know how long it is by now.
					if got.OK || want.OK || got.RetryAfter > want.RetryAfter {
						rt.Fatalf("together %+v, alone %+v", got, want)
					}
				}
			}
		})
	})
}

func TestWhoIsOverTheLimitCostsTheDatabaseNothing(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(*testing.T, ...store.Schema) *store.DB) {
		c, db := newClock(), open(t, ratelimit.Schema)
		var log bytes.Buffer
		limiter := ratelimit.New(ratelimit.Options{DB: db, Now: c.now, Log: slog.New(slog.NewTextHandler(&log, nil))})
		meter := limiter.Meter("m", rate(t, "2/1h"))
		meter.Allow(t.Context(), "k", 2)
		limiter.Settle() // it sweeps after it has answered
		rename(t, db, "limit_bucket", "elsewhere")
		for range 100 {
			if meter.Allow(t.Context(), "k", 1).OK {
				t.Fatal("let through")
			}
		}
		if limiter.Settle(); log.Len() > 0 {
			t.Errorf("the table was asked: %s", log.String())
		}
	})
}

// rename takes a table away, or brings it back.
func rename(t *testing.T, db *store.DB, from, to string) {
	t.Helper()
	err := db.Update(t.Context(), func(tx *store.Tx) error {
		_, err := tx.Exec(t.Context(), `ALTER TABLE `+from+` RENAME TO `+to)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// rows is how many keys the table has.
func rows(t *testing.T, db *store.DB) (n int) {
	t.Helper()
	err := db.View(t.Context(), func(tx *store.Tx) error {
		return tx.QueryRow(t.Context(), `SELECT COUNT(*) FROM limit_bucket`).Scan(&n)
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestWithoutTheDatabaseANodeCountsByItself(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(*testing.T, ...store.Schema) *store.DB) {
		c, db := newClock(), open(t, ratelimit.Schema)
		var log bytes.Buffer
		meter := ratelimit.New(ratelimit.Options{DB: db, Now: c.now,
			Log: slog.New(slog.NewTextHandler(&log, nil))}).Meter("m", rate(t, "2/1h"))
		rename(t, db, "limit_bucket", "elsewhere")
		var got []bool
		for range 3 {
			got = append(got, meter.Allow(t.Context(), "k", 1).OK)
		}
		if !slices.Equal(got, []bool{true, true, false}) {
			t.Errorf("got %v", got)
		}
		if strings.Count(log.String(), "counts by itself") != 1 {
			t.Errorf("the log says: %s", log.String())
		}
		rename(t, db, "elsewhere", "limit_bucket")
		c.advance(4 * time.Second)
		meter.Allow(t.Context(), "before", 1)
		c.advance(time.Second)
		meter.Allow(t.Context(), "after", 1)
		if n := rows(t, db); n != 1 {
			t.Errorf("%d keys were counted in the table that is there again", n)
		}
	})
}

func TestFullBucketsLeaveTheTable(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(*testing.T, ...store.Schema) *store.DB) {
		c, db := newClock(), open(t, ratelimit.Schema)
		meter := ratelimit.New(ratelimit.Options{DB: db, Now: c.now}).Meter("m", rate(t, "2/1s"))
		for i := range 20 {
			meter.Allow(t.Context(), fmt.Sprint(i), 1)
		}
		c.advance(5 * time.Minute)
		meter.Allow(t.Context(), "late", 1)
		meter.Allow(t.Context(), "later", 1) // which waits until the sweep is over
		if n := rows(t, db); n != 2 {
			t.Errorf("%d rows are left", n)
		}
	})
}

func BenchmarkAllow(b *testing.B) {
	meter := ratelimit.New(ratelimit.Options{}).Meter("address", rate(b, "1000000/s"))
	b.ReportAllocs()
	for b.Loop() {
		meter.Allow(b.Context(), "192.0.2.1", 1)
	}
}

// BenchmarkAllowTogether is what a request costs where nodes count together: with 32 requests at a
// time, which share transactions.
func BenchmarkAllowTogether(b *testing.B) {
	db := storetest.Open(b, storetest.NewPostgres(b), ratelimit.Schema)
	meter := ratelimit.New(ratelimit.Options{DB: db}).Meter("address", rate(b, "1000000/s"))
	b.SetParallelism(16)
	var n atomic.Int64
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			meter.Allow(b.Context(), fmt.Sprint(n.Add(1)%100), 1)
		}
	})
}
