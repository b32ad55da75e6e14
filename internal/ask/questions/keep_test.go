package questions

import (
	"context"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"frontdesk/internal/infra/store"
	"frontdesk/internal/testkit/storetest"
)

func TestClicksCountOncePerPlaceOfAnAnswer(t *testing.T) {
	each(t, func(t *testing.T, x *kit) {
		answer := x.ask("tea", "a", owner)
		if answer == "" {
			t.Fatal("the answer has no id")
		}
		click := func(answer string, place int) error {
			return x.k.Click(answer, place, Source{Protocol: "ask", Kind: Person})
		}
		for range 5 {
			if err := click(answer, 1); err != nil {
				t.Fatal(err)
			}
			x.flush()
		}
		if err := click(answer, 3); err != nil {
			t.Fatal(err)
		}
		if q := x.list(Filter{})[0]; q.Clicks != 2 || q.Times != 1 {
			t.Errorf("%d clicks of %d, want 2 of 1", q.Clicks, q.Times)
		}
		x.want(Filter{View: ViewNoClick})
		forged := []byte(answer)
		forged[5] ^= 1
		for name, err := range map[string]error{
			"no such place": click(answer, 4),
			"place 0":       click(answer, 0),
			"a forged id":   click(string(forged), 1),
			"a cut id":      click(answer[:len(answer)-1], 1),
			"none":          click("", 1),
			"another secret": NewKeeper(Options{Secret: []byte("other"), Now: x.k.options.Now}).Click(answer, 1,
				Source{}),
			"padding":         click(answer+"=", 1),
			"other last bits": click(answer[:len(answer)-1]+"_", 1),
		} {
			if err == nil {
				t.Errorf("%s counts", name)
			}
		}
		x.at = x.at.Add(29 * time.Minute)
		if err := click(answer, 2); err != nil {
			t.Error(err)
		}
		x.at = x.at.Add(3 * time.Minute)
		if err := click(answer, 2); err == nil {
			t.Error("an answer of 32 minutes ago counts")
		}
		x.flush()
		if err := x.k.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		x.at = x.at.Add(ClickTime)
		if err := x.k.Sweep(t.Context()); err != nil || x.rows("question_click") != 0 {
			t.Errorf("%d places are kept, %v", x.rows("question_click"), err)
		}
		for _, without := range []string{
			x.ask("tea", "a", outcome(Nothing)), x.ask("tea", "a", func(a *Asked) { a.Beacon = false }), x.ask("?!",
				"a"),
		} {
			if without != "" {
				t.Errorf("an answer got the id %q", without)
			}
		}
	})
}

// dropped has what is not kept be counted.
func (x *kit) dropped() map[string]int {
	dropped := map[string]int{}
	x.k.dropped = func(reason string, n int) { dropped[reason] += n }
	return dropped
}

func TestNobodyFillsTheDisk(t *testing.T) {
	t.Parallel()
	x := newKit(t, storetest.OpenSQLite(t, Schema))
	dropped := x.dropped()
	for n := range maxFreshEach + 50 {
		x.ask(fmt.Sprintf("question %d", n), "flood")
		if n%100 == 0 {
			x.flush()
		}
	}
	x.ask("another", "b", owner)
	x.flush()
	if n := x.rows("question_form"); n != maxFreshEach+1 {
		t.Errorf("%d questions, want %d", n, maxFreshEach+1)
	}
	full := func() int { return dropped[droppedFull] }
	if full() != 50 {
		t.Errorf("%d are counted as beyond", full())
	}
	if total, err := x.s.Totals(t.Context(), noon, noon.Add(time.Hour)); err != nil ||
		total.Days[0].People != maxFreshEach+51 {
		t.Errorf("%+v, %v", total, err)
	}
	for n := range 10 {
		x.ask("Another"+strings.Repeat("!", n), "b")
	}
	x.flush()
	if all := x.list(Filter{Search: "another"}); len(all) != 1 || len(all[0].Variants) > maxVariants {
		t.Errorf("got %+v", all)
	}
	for range maxTimesEach {
		x.ask("another", "c")
		if len(x.k.pending) == maxPending/2 {
			x.flush()
		}
	}
	x.ask("another", "c")
	before := full()
	x.flush()
	if full() != before+1 {
		t.Errorf("%d are counted as beyond, want %d", full(), before+1)
	}
	x.at = x.at.Add(day)
	x.ask("question of the next day", "flood")
	x.ask("another", "c")
	x.flush()
	if n := x.rows("question_form"); n != maxFreshEach+2 {
		t.Errorf("%d questions on the next day", n)
	}
}

func TestTheDayHasABoundForAllTogether(t *testing.T) {
	t.Parallel()
	x := newKit(t, storetest.OpenSQLite(t, Schema))
	set := func(name string, day, value int64) {
		if err := x.k.options.DB.Update(t.Context(), func(tx *store.Tx) error {
			return setState(t.Context(), tx,
				name, day, value)
		}); err != nil {
			t.Fatal(err)
		}
	}
	set(stateFresh, dayOf(noon), maxFresh-1) // as another node has left it
	x.ask("one", "a")
	x.ask("two", "b")
	x.flush()
	x.ask("three", "b")
	x.flush()
	if n := x.rows("question_form"); n != 1 {
		t.Errorf("%d questions, want 1", n)
	}
	x.at = x.at.Add(day)
	x.ask("four", "b")
	x.flush()
	set(stateForms, 0, maxForms)
	x.ask("five", "b")
	x.flush()
	if n := x.rows("question_form"); n != 2 {
		t.Errorf("%d questions, want 2", n)
	}
}

func TestUnderLoadQuestionsAreDroppedAndCounted(t *testing.T) {
	t.Parallel()
	x := newKit(t, storetest.OpenSQLite(t, Schema))
	dropped := x.dropped()
	for range maxPending + 7 {
		x.ask("tea", "a", owner)
	}
	if n := dropped[droppedBusy]; n != 7 || len(x.k.pending) != maxPending {
		t.Errorf("%d dropped, %d wait", n, len(x.k.pending))
	}
}

func TestWhatCannotBeWrittenWaits(t *testing.T) {
	t.Parallel()
	x := newKit(t, storetest.OpenSQLite(t, Schema))
	x.ask("tea", "a", owner)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := x.k.Flush(gone); err == nil {
		t.Fatal("it was written")
	}
	x.want(Filter{}, "tea 1")
}

// TestAtMostASecondIsLost has the keeper write without being told to.
func TestAtMostASecondIsLost(t *testing.T) {
	t.Parallel()
	dsn := storetest.NewSQLite(t, Schema)
	synctest.Test(t, func(t *testing.T) {
		x := newKit(t, storetest.Open(t, dsn, Schema))
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { defer close(done); x.k.Run(ctx) }()
		x.ask("tea", "a", owner)
		time.Sleep(time.Second)
		if n := x.rows("question_form"); n != 1 {
			t.Errorf("%d questions after a second", n)
		}
		x.ask("coffee", "a", owner)
		cancel()
		<-done
		if n := x.rows("question_form"); n != 2 {
			t.Errorf("%d questions at the end", n)
		}
	})
}

// processor is how much of the processors this process has used.
func processor() (used time.Duration) {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) == nil {
		used = time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
	}
	return used
}

// BenchmarkKeep is what keeping costs an ask; BenchmarkWrite what it costs beside it.
func BenchmarkKeep(b *testing.B) {
	before := processor()
	defer func() { b.ReportMetric(float64(processor()-before)/float64(b.N), "cpu-ns/op") }()
	k := NewKeeper(Options{Secret: []byte("a secret"), Keep: 90 * day})
	a := Asked{Source: Source{Protocol: "ask", Kind: Person, Address: "192.0.2.7", Beacon: true}, Language: "en",
		Text:    "Do you ship to Zürich, and what does it cost for 2 grinders? Write to anna@example.com",
		Names:   []string{"Anna Gruber"},
		Outcome: Answered, Score: 80, URL: "https://example.com/a", Name: "A", Results: 3}
	b.ReportAllocs()
	for b.Loop() {
		if k.Keep(a) == "" {
			b.Fatal("it is not kept")
		}
		if len(k.pending) == 1000 {
			k.pending = k.pending[:0]
		}
	}
}

func BenchmarkWrite(b *testing.B) {
	before := processor()
	defer func() { b.ReportMetric(float64(processor()-before)/float64(b.N), "cpu-ns/op") }()
	k := NewKeeper(Options{DB: storetest.OpenSQLite(b, Schema), Secret: []byte("a secret"), Keep: 90 * day})
	n := 0
	for b.Loop() {
		k.Keep(Asked{Source: Source{Protocol: "ask", Kind: Person, Address: fmt.Sprint(n)},
			Text:    fmt.Sprintf("question %d", n%2000),
			Outcome: Answered, Score: 80, URL: "https://example.com/a", Name: "A", Results: 3})
		if n++; n%200 == 0 { // as of 500 asks a second
			if err := k.Flush(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
	}
}
