package ratelimit_test

import (
	"bytes"
	"context"
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

// within asks for one thing, and says whether all windows let it through, and when to come again.
func within(t require, l *ratelimit.Limiter, key string, windows ...ratelimit.Window) (ok bool, wait time.Duration) {
	t.Helper()
	all, err := l.AllowWindows(t.Context(), key, windows...)
	if err != nil || len(all) != len(windows) {
		t.Fatalf("%+v, %v", all, err)
	}
	ok = true
	for n, s := range all {
		if s.Limit != windows[n].Requests || s.Remaining < 0 || s.Remaining > s.Limit || s.Reset < 0 ||
			s.OK != (s.RetryAfter == 0) {
			t.Fatalf("%+v of %+v", s, windows[n])
		}
		ok, wait = ok && s.OK, max(wait, s.RetryAfter)
	}
	return ok, wait
}

// spans is what was let through, held against windows by their definition.
type spans struct {
	windows []ratelimit.Window
	granted []int64
}

// rules says whether one more at a time must be refused, and whether it may be: because what came
// within a thousandth of the span before it may count as if it came at its end.
func (s *spans) rules(now int64) (must, may bool) {
	for _, w := range s.windows {
		in, near := 0, 0
		late := int64(0)
		if w.Requests > 1000 {
			late = int64(w.Per) / 1000
		}
		for _, at := range slices.Backward(s.granted) {
			if at+int64(w.Per)+late <= now {
				break
			}
			near++
			if at+int64(w.Per) > now {
				in++
			}
		}
		must, may = must || in >= w.Requests, may || near >= w.Requests
	}
	return must, may
}

// ask asks for one more, and gives how long to wait where it is refused.
func (s *spans) ask(t require, l *ratelimit.Limiter, now int64) time.Duration {
	must, may := s.rules(now)
	ok, wait := within(t, l, "k", s.windows...)
	switch {
	case ok && must:
		t.Fatalf("one too many is let through after %d, of %+v", len(s.granted), s.windows)
	case !ok && !may:
		t.Fatalf("refused for %s after %d, where %+v have room", wait, len(s.granted), s.windows)
	case ok:
		s.granted = append(s.granted, now)
	}
	return wait
}

// require is what a test and a check of rapid have in common.
type require interface {
	Helper()
	Fatalf(format string, args ...any)
	Context() context.Context
}

// TestNoSpanHasMoreThanItsWindow plays any sequence of requests and pauses: no span has more than
// is declared, wherever it begins, nobody is refused for whom there is room, and who comes when
// told is let in.
func TestNoSpanHasMoreThanItsWindow(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := newClock()
		l := ratelimit.New(ratelimit.Options{Now: c.now})
		first := ratelimit.Window{Requests: rapid.IntRange(1, 20).Draw(t, "requests"),
			Per: time.Duration(rapid.Int64Range(1, 5000).Draw(t, "ms")) * time.Millisecond}
		s := &spans{windows: []ratelimit.Window{first}}
		if rapid.Bool().Draw(t, "two") {
			s.windows = append(s.windows,
				ratelimit.Window{Requests: rapid.IntRange(1, 60).Draw(t, "more"), Per: 3 * first.Per})
		}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			c.advance(time.Duration(rapid.Int64Range(0, int64(first.Per)).Draw(t, "pause")))
			for range rapid.IntRange(1, 2*first.Requests).Draw(t, "at once") {
				wait := s.ask(t, l, c.nanos.Load())
				if wait == 0 || rapid.Bool().Draw(t, "away") {
					continue
				}
				c.advance(wait - 1)
				if early := s.ask(t, l, c.nanos.Load()); early != 1 {
					t.Fatalf("a moment before its time, which is in 1ns, it is told to wait %s", early)
				}
				c.advance(1)
				if still := s.ask(t, l, c.nanos.Load()); still != 0 {
					t.Fatalf("at its time it is told to wait %s more", still)
				}
			}
		}
	})
}

// TestManyInAWindowTakeLittleRoom holds a window of many requests to the same, and to the room that
// it takes up.
func TestManyInAWindowTakeLittleRoom(t *testing.T) {
	t.Parallel()
	c := newClock()
	l := ratelimit.New(ratelimit.Options{Now: c.now})
	s := &spans{windows: []ratelimit.Window{{Requests: 5000, Per: 24 * time.Hour}}}
	for range 12_000 { // three days and a half, of bursts and of nothing
		if pace := time.Duration(c.nanos.Load()/int64(time.Hour)) % 5; pace > 0 {
			c.advance(pace * 12 * time.Second)
		}
		if wait := s.ask(t, l, c.nanos.Load()); wait > 0 {
			c.advance(min(wait, 40*time.Minute))
		}
		c.advance(time.Millisecond)
	}
	if n := len(s.granted); n < 9000 {
		t.Errorf("only %d were let through", n)
	}
	if n := l.Weight(); n > 130 { // 8 KiB and a little
		t.Errorf("one key weighs as much as %d", n)
	}
}

func TestLogsInMemoryAreBounded(t *testing.T) {
	t.Parallel()
	c := newClock()
	l := ratelimit.New(ratelimit.Options{Now: c.now, Keys: 3200})
	day := ratelimit.Window{Requests: 400, Per: 24 * time.Hour}
	for range 300 {
		for key := range 40 {
			within(t, l, fmt.Sprint(key%10), day)
			within(t, l, fmt.Sprint(key, "x"), day)
		}
		c.advance(time.Second)
	}
	if n := l.Weight(); n > 3200 {
		t.Errorf("logs take up the room of %d keys", n)
	}
}

func TestWhatOneWindowRefusesIsCountedInNone(t *testing.T) {
	t.Parallel()
	c := newClock()
	l := ratelimit.New(ratelimit.Options{Now: c.now})
	minute, day := ratelimit.Window{Requests: 3, Per: time.Minute}, ratelimit.Window{Requests: 4, Per: 24 * time.Hour}
	for range 3 {
		within(t, l, "k", minute, day)
	}
	for range 50 {
		if ok, wait := within(t, l, "k", minute, day); ok || wait != time.Minute {
			t.Fatalf("%t, %s", ok, wait)
		}
	}
	c.advance(time.Minute)
	if ok, _ := within(t, l, "k", minute, day); !ok {
		t.Error("what the minute refused was counted for the day")
	}
	if ok, wait := within(t, l, "k", minute, day); ok || wait != 24*time.Hour-time.Minute {
		t.Errorf("the fifth of a day: %t, to wait %s", ok, wait)
	}
	all, err := l.AllowWindows(t.Context(), "k", minute, day)
	if err != nil || !all[0].OK || all[0].Remaining != 2 || all[1].OK || all[1].Remaining != 0 {
		t.Errorf("of a minute two remain, and of the day none: %+v, %v", all, err)
	}
	// What was counted stays counted when more is declared, or something else beside it.
	hour := ratelimit.Window{Requests: 5, Per: time.Hour}
	if ok, _ := within(t, l, "k", ratelimit.Window{Requests: 5, Per: 24 * time.Hour}, hour); !ok {
		t.Error("one more is declared, and refused")
	}
	if ok, _ := within(t, l, "k", ratelimit.Window{Requests: 5, Per: 24 * time.Hour}, hour); ok {
		t.Error("what was counted is forgotten")
	}
}

func TestClockThatWasSetBackLocksNobodyOutOfAWindow(t *testing.T) {
	t.Parallel()
	c := newClock()
	l := ratelimit.New(ratelimit.Options{Now: c.now})
	w := ratelimit.Window{Requests: 2, Per: time.Minute}
	for range 2 {
		within(t, l, "k", w)
	}
	c.advance(-time.Hour)
	if ok, wait := within(t, l, "k", w); ok || wait != time.Minute {
		t.Errorf("%t, to wait %s", ok, wait)
	}
	c.advance(30 * time.Second)
	if ok, wait := within(t, l, "k", w); ok || wait != 30*time.Second {
		t.Errorf("half a minute later: %t, to wait %s", ok, wait)
	}
	c.advance(30 * time.Second)
	if ok, _ := within(t, l, "k", w); !ok {
		t.Error("locked out")
	}
}

// TestWindowsOutliveTheProcess counts with one limiter after another, and with two at once, of one
// database.
func TestWindowsOutliveTheProcess(t *testing.T) {
	t.Parallel()
	storetest.EachDSN(t, func(t *testing.T, fresh storetest.Fresh) {
		c, dsn, secret := newClock(), fresh(t), []byte("a secret of all")
		minute, day := ratelimit.Window{Requests: 30, Per: time.Minute}, ratelimit.Window{Requests: 50,
			Per: 24 * time.Hour}
		var in, out atomic.Int64
		for range 3 {
			var nodes []*ratelimit.Limiter
			var dbs []*store.DB
			for range 2 {
				db := storetest.Open(t, dsn, ratelimit.Schema)
				dbs, nodes = append(dbs, db), append(nodes,
					ratelimit.New(ratelimit.Options{DB: db, Secret: secret, Wait: time.Minute, Now: c.now}))
			}
			var group sync.WaitGroup
			for i := range 8 {
				group.Go(func() {
					for range 10 {
						if ok, _ := within(t, nodes[i%2], "192.0.2.7", minute, day); ok {
							in.Add(1)
						} else {
							out.Add(1)
						}
					}
				})
			}
			group.Wait()
			for _, db := range dbs {
				if err := db.Close(); err != nil {
					t.Fatal(err)
				}
			}
			c.advance(time.Minute)
		}
		if in.Load() != 50 || out.Load() != 190 {
			t.Errorf("%d were let in and %d refused: 30 in the first minute and 20 in the second are declared",
				in.Load(), out.Load())
		}
		c.advance(24*time.Hour - 2*time.Minute)
		if ok, _ := within(t,
			ratelimit.New(ratelimit.Options{DB: storetest.Open(t, dsn, ratelimit.Schema), Secret: secret, Now: c.now}),
			"192.0.2.7", minute, day); !ok {
			t.Error("nobody is let in a day after the first minute")
		}
	})
}

func TestTableShowsNoKeys(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(*testing.T, ...store.Schema) *store.DB) {
		db := open(t, ratelimit.Schema)
		ids := map[string]bool{}
		for _, secret := range []string{"one", "another"} {
			l := ratelimit.New(ratelimit.Options{DB: db, Secret: []byte(secret)})
			within(t, l, "192.0.2.7", ratelimit.Window{Requests: 2, Per: time.Hour})
		}
		err := db.View(t.Context(), func(tx *store.Tx) error {
			rows, err := tx.Query(t.Context(), `SELECT id FROM limit_bucket`)
			if err != nil {
				return err
			}
			defer rows.Close()
			for rows.Next() {
				var id string
				if err := rows.Scan(&id); err != nil {
					return err
				}
				ids[id] = true
			}
			return rows.Err()
		})
		if err != nil || len(ids) != 2 {
			t.Errorf("one key has the names %v under two secrets (%v)", ids, err)
		}
	})
}

func TestWhatCannotBeCountedIsNotLetThroughAWindow(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(*testing.T, ...store.Schema) *store.DB) {
		c, db := newClock(), open(t, ratelimit.Schema)
		var log bytes.Buffer
		l := ratelimit.New(ratelimit.Options{DB: db, Now: c.now, Log: slog.New(slog.NewTextHandler(&log, nil))})
		w := ratelimit.Window{Requests: 2, Per: time.Hour}
		within(t, l, "k", w)
		rename(t, db, "limit_bucket", "elsewhere")
		for range 3 {
			if all, err := l.AllowWindows(t.Context(), "k", w); err == nil {
				t.Errorf("without a table: %+v", all)
			}
		}
		if strings.Count(log.String(), "cannot be counted") != 1 {
			t.Errorf("the log says: %s", log.String())
		}
		rename(t, db, "elsewhere", "limit_bucket")
		c.advance(5 * time.Second)
		for _, want := range []bool{true, false} {
			if ok, _ := within(t, l, "k", w); ok != want {
				t.Errorf("with the table there again: %t", ok)
			}
		}
	})
}

func TestRowsAreBounded(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(*testing.T, ...store.Schema) *store.DB) {
		c, db := newClock(), open(t, ratelimit.Schema)
		l := ratelimit.New(ratelimit.Options{DB: db, Now: c.now, Keys: 64})
		w := ratelimit.Window{Requests: 2, Per: 24 * time.Hour}
		for n := range 350 {
			within(t, l, fmt.Sprint(n), w)
			c.advance(time.Millisecond)
		}
		c.advance(2 * time.Minute)
		within(t, l, "late", w)
		within(t, l, "later", w) // which waits until the sweep is over
		if n := rows(t, db); n != 5*64+1 {
			t.Errorf("%d rows are kept", n)
		}
		within(t, l, "349", w)
		if ok, _ := within(t, l, "349", w); ok {
			t.Error("the last was forgotten before the first")
		}
	})
}

func FuzzWindows(f *testing.F) {
	f.Add("", int64(1_700_000_000_000_000_000), 3, int64(60_000))
	f.Add("\xc0\xa9\x07\x02\x80\x80\x80\x80\x02\x02\x02\x02", int64(0), 1, int64(1))
	f.Fuzz(func(t *testing.T, log string, now int64, requests int, ms int64) {
		now = max(0, now%7e18) // until the year 2191
		w := ratelimit.Window{Requests: max(1, requests%1_000_000_000),
			Per: time.Duration(max(1, ms%(31*24*3600*1000))) * time.Millisecond}
		kept, ok := ratelimit.TakeFrom(log, w, now)
		if ok && len(kept) == 0 {
			t.Error("let through, and not kept")
		}
		if again, _ := ratelimit.TakeFrom(kept, ratelimit.Window{Requests: 1, Per: w.Per}, now); ok && again != kept {
			t.Errorf("what was kept, %x, is read as %x", kept, again)
		}
	})
}

func TestNobodyIsToldToWaitLongerThanTheSpan(t *testing.T) {
	t.Parallel()
	c := newClock()
	c.advance(123_456_789) // as clocks stand
	l := ratelimit.New(ratelimit.Options{Now: c.now})
	w := ratelimit.Window{Requests: 1, Per: time.Minute}
	all, err := l.AllowWindows(t.Context(), "k", w)
	if err != nil || all[0].Reset != time.Minute {
		t.Errorf("%+v, %v", all, err)
	}
	if _, wait := within(t, l, "k", w); wait != time.Minute {
		t.Errorf("to wait %s", wait)
	}
}
