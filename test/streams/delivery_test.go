package streams

import (
	"fmt"
	"strings"
	"testing"

	"frontdesk/internal/testkit/process"
)

// maxFollowing is the memory of the server, heap and stacks, that a stream of what is live may take
// while nothing happens.
const maxFollowing = 48 << 10

// perPurchase is how many streams of one purchase are open at a time.
const perPurchase = 8

// following opens streams of what is live, and waits until each was told the text.
func (s *shop) following(t *testing.T, n int) []*follower {
	t.Helper()
	var sales []sale
	for range (n + perPurchase - 1) / perPurchase {
		sales = append(sales, s.buy(t, "/live"))
	}
	opened := make([]*follower, n)
	all(t, n, func(i int) (err error) {
		if opened[i], err = s.follow(sales[i/perPurchase]); err == nil {
			_, err = opened[i].next("content")
		}
		return err
	})
	if t.Failed() {
		t.FailNow()
	}
	return opened
}

// TestStreamsOfWhatIsLiveTakeLittleMemory opens streams on which nothing happens, looks at what the
// server needs for them, and then has each told a new version.
//
// Not parallel: it measures what the process takes.
func TestStreamsOfWhatIsLiveTakeLittleMemory(t *testing.T) {
	if testing.Short() || process.Race() {
		t.Skip("short: measures the real program, without the race detector's own memory")
	}
	n := streams(t)
	s := openShop(t, "Nothing has happened yet.")
	warm := s.following(t, 50)
	before := settled(t, s.Server, s.metrics)
	idle := s.following(t, n)
	after := settled(t, s.Server, s.metrics)
	heap, stack := (after.heap-before.heap)/float64(n), (after.stack-before.stack)/float64(n)
	t.Logf("%d streams of what is live take %.1f KB each: %.1f KB heap, %.1f KB stack", n, (heap+stack)/1024, heap/1024,
		stack/1024)
	if after.inWork < float64(n) {
		t.Errorf("only %v streams are open", after.inWork)
	}
	if heap+stack > maxFollowing {
		t.Errorf("a stream takes %.0f bytes (heap %.0f, stack %.0f), want at most %d", heap+stack, heap, stack,
			maxFollowing)
	}
	s.publish(t, "Something has happened.")
	all(t, n, func(i int) error {
		data, err := idle[i].next("content")
		if err == nil && !strings.Contains(data, "Something has happened.") {
			err = fmt.Errorf("told %s", data)
		}
		return err
	})
	for _, f := range append(warm, idle...) {
		f.Close()
	}
	awaitNoWork(t, s.metrics)
}

// TestOneWhoReadsSlowlyHoldsUpNobody opens streams that nobody reads, of a text that does not fit
// into the buffers on its way, beside one that is read.
//
// Not parallel: it measures what the process takes.
func TestOneWhoReadsSlowlyHoldsUpNobody(t *testing.T) {
	s := openShop(t, "Nothing has happened yet.")
	for range 20 {
		slow, err := s.follow(s.buy(t, "/long"))
		if err != nil {
			t.Fatal(err)
		}
		defer slow.Close()
	}
	live, err := s.follow(s.buy(t, "/live"))
	if err != nil {
		t.Fatal(err)
	}
	defer live.Close()
	for i := range 3 {
		want := fmt.Sprintf("Version %d.", i)
		s.publish(t, want)
		for told := ""; !strings.Contains(told, want); {
			if told, err = live.next("content"); err != nil {
				t.Fatal(err)
			}
		}
	}
	read, err := s.follow(s.buy(t, "/long"))
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	if end, err := read.next("end"); err != nil || !strings.Contains(end, `"complete"`) {
		t.Errorf("one that is read: %s, %v", end, err)
	}
}

// TestStreamsOfWhatIsLiveEndWithTheServer stops a server that has streams open: each is told, and
// recorded.
//
// Not parallel: it measures what the process takes.
func TestStreamsOfWhatIsLiveEndWithTheServer(t *testing.T) {
	s := openShop(t, "Nothing has happened yet.")
	open := s.following(t, 20)
	s.Terminate()
	all(t, len(open), func(i int) error {
		data, err := open[i].next("end")
		if err == nil && !strings.Contains(data, `"stopping"`) {
			err = fmt.Errorf("told %s", data)
		}
		return err
	})
	for _, f := range open {
		f.Close()
	}
}
