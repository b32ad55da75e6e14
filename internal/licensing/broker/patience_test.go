package broker

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// TestPatienceIsTwiceWhatAnExchangeAlmostAlwaysTakes holds its bounds for whatever was measured:
// never beyond the deadline, never below its share, no longer for one that answers sooner, and as
// long as the deadline while little is known.
func TestPatienceIsTwiceWhatAnExchangeAlmostAlwaysTakes(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		deadline := time.Duration(1 + random.Int64N(int64(2*time.Second)))
		var p, slower health
		var all []time.Duration
		for range enough + random.IntN(3*remembered) {
			d := time.Duration(random.Int64N(int64(time.Second)))
			all = append(all, d)
			p.took(d)
			slower.took(d + time.Millisecond)
		}
		got := p.patience(deadline)
		all = all[max(0, len(all)-remembered):]
		slices.Sort(all)
		over := 0
		for _, d := range all {
			if d > got/2 {
				over++
			}
		}
		if got > deadline || got < min(deadline, max(deadline/leastShare, leastPatient)) || got < deadline &&
			over > len(all)/100 {
			t.Fatalf("%s of %s, after %v", got, deadline, all)
		}
		if slower.patience(deadline) < got {
			t.Fatalf("a slower one is given %s, and this one %s", slower.patience(deadline), got)
		}
	}
	var new health
	for range enough - 1 {
		new.took(time.Millisecond)
	}
	if got := new.patience(time.Second); got != time.Second {
		t.Errorf("one of which little is known is given %s", got)
	}
}

// TestOneThatBecameSlowerIsHeardAgain: each time it is cut off it is given twice as long, so that
// an answer that takes longer than usual comes through in the end, if the deadline lets it.
func TestOneThatBecameSlowerIsHeardAgain(t *testing.T) {
	t.Parallel()
	const deadline, slow = 10 * time.Second, 9 * time.Second
	var p health
	for range remembered {
		p.took(time.Millisecond)
	}
	for n := 0; ; n++ {
		given := p.patience(deadline)
		if given >= slow {
			return
		}
		if n > 10 {
			t.Fatalf("it is given %s after %d times", given, n)
		}
		p.took(given) // twice in a hundred is more than almost never
		p.took(given)
	}
}

// TestWhoStallsIsNotWaitedForUntilTheDeadline: an Exchange that always answered at once, and stalls
// now, does not hold a request until a deadline that the test would not live to see.
func TestWhoStallsIsNotWaitedForUntilTheDeadline(t *testing.T) {
	t.Parallel()
	d := openDesk(t, sqlite(t), 2, func(c *Config) { c.Deadline, c.BuyWithin = 10*time.Hour, time.Minute })
	d.at[1].Price = 0.01
	for i := range enough {
		if got := d.must(d.request(fmt.Sprint("r", i), "a")); got.Exchange != d.at[1].Domain {
			t.Fatal("bought at", got.Exchange)
		}
	}
	for _, p := range d.configured() {
		if p.domain == d.at[1].Domain { // the other may be as slow as a busy machine makes it
			p.least = time.Millisecond // in place of its share of ten hours
		}
	}
	stall := make(chan struct{})
	defer close(stall)
	var stalled atomic.Bool
	d.at[1].Lock()
	d.at[1].Before = func(name string, _ http.ResponseWriter, _ *http.Request) bool {
		if name == "DiscoverResources" {
			stalled.Store(true)
			<-stall
		}
		return name == "DiscoverResources"
	}
	d.at[1].Unlock()
	got := d.must(d.request("now", "a"))
	if got.Exchange != d.at[0].Domain || !stalled.Load() {
		t.Errorf("bought at %s, and it stalled: %v", got.Exchange, stalled.Load())
	}
	if why := got.GetExt().GetFields()[extPassed].GetListValue().GetValues(); len(why) != 1 ||
		!strings.Contains(why[0].GetStructValue().GetFields()["why"].GetStringValue(), "in time") {
		t.Errorf("passed over %v", why)
	}
}
