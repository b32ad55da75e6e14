package deliverylog

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/testkit/clock"
	"frontdesk/wire/edge"
)

var noon = time.Date(2027, 5, 4, 12, 0, 0, 0, time.UTC)

// desk is the other side of a spool: it takes batches as an Exchange does, each once, and of each
// delivery the first end.
type desk struct {
	mu         sync.Mutex
	err        error // what it answers instead
	batches    map[string]int
	deliveries map[string]edge.Delivery
	sightings  map[edge.Sighting]int64
}

func newDesk() *desk {
	return &desk{batches: map[string]int{}, deliveries: map[string]edge.Delivery{},
		sightings: map[edge.Sighting]int64{}}
}

func (d *desk) ship(_ context.Context, b edge.Batch) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.err != nil {
		return d.err
	}
	return d.take(b)
}

func (d *desk) take(b edge.Batch) error {
	if err := b.Check(); err != nil {
		return errors.Join(ErrRefused, err)
	}
	text, err := b.Text()
	if err != nil {
		return err
	}
	if d.batches[edge.Digest(text)]++; d.batches[edge.Digest(text)] > 1 {
		return nil
	}
	for _, one := range b.Deliveries {
		if old, ok := d.deliveries[one.ID]; !ok || old.State == edge.Begun {
			d.deliveries[one.ID] = one
		}
	}
	for _, s := range b.Sightings {
		count := s.Count
		s.Count = 0
		d.sightings[s] += count
	}
	return nil
}

func opened(t testing.TB, config Config) *Log {
	t.Helper()
	s, err := Open(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func begin(t testing.TB, s *Log, transaction string, length int64) *OpenDelivery {
	t.Helper()
	b, err := s.Begin(Delivery{Transaction: transaction, Agent: "abc", URI: "https://news.example/a", Form: "hmac",
		Length: length})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestADeliveryIsToldOnceItIsWritten(t *testing.T) {
	t.Parallel()
	d, now := newDesk(), clock.At(noon)
	s := opened(t, Config{Dir: t.TempDir(), Ship: d.ship, Now: now.Now})
	sum := sha256.Sum256([]byte("hello"))
	one, two, three := begin(t, s, "txn-1", 5), begin(t, s, "txn-2", 9), begin(t, s, "txn-3", -1)
	now.Advance(time.Second)
	one.End(200, 5, sum[:])
	two.Cut(200, 4, nil)
	two.End(200, 9, nil) // too late
	if err := s.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := map[string]edge.Delivery{
		one.ID(): {ID: one.ID(), Transaction: "txn-1", Announced: 5, State: edge.Ended, Status: 200, Bytes: 5,
			SHA256: hex.EncodeToString(sum[:]), Ended: now.Now()},
		two.ID(): {ID: two.ID(), Transaction: "txn-2", Announced: 9, State: edge.Cut, Status: 200, Bytes: 4,
			Ended: now.Now()},
		three.ID(): {ID: three.ID(), Transaction: "txn-3", State: edge.Begun, Bytes: step},
	}
	for id, w := range want {
		w.Agent, w.URI, w.Form, w.At = "abc", "https://news.example/a", "hmac", noon
		want[id] = w
	}
	if !maps.Equal(d.deliveries, want) {
		t.Errorf("%+v\nwant %+v", d.deliveries, want)
	}
	if err := three.Announce(step-1, 2); err != nil {
		t.Fatal(err)
	}
	if err := s.Flush(t.Context()); err != nil || d.deliveries[three.ID()].Bytes != step {
		t.Errorf("what was told as begun is told again as begun: %+v, %v", d.deliveries[three.ID()], err)
	}
	three.End(200, step+1, nil)
	if err := s.Flush(t.Context()); err != nil || d.deliveries[three.ID()].Bytes != step+1 ||
		d.deliveries[three.ID()].State != edge.Ended {
		t.Errorf("%+v, %v", d.deliveries[three.ID()], err)
	}
	if got := s.Stats(); got.Open != 0 || got.Waiting != 0 || got.Problem != "" || got.Accepted == 0 {
		t.Errorf("%+v", got)
	}
	for _, n := range d.batches {
		if n != 1 {
			t.Error("a batch was told twice")
		}
	}
}

func TestWhatAProcessLeavesIsToldByTheNext(t *testing.T) {
	t.Parallel()
	d, now, dir := newDesk(), clock.At(noon), t.TempDir()
	d.err = errors.New("away")
	s := opened(t, Config{Dir: dir, Ship: d.ship, Now: now.Now})
	one, two := begin(t, s, "txn-1", 5), begin(t, s, "txn-2", 9)
	if err := s.Flush(t.Context()); err == nil {
		t.Fatal("an Exchange that is away took something")
	}
	one.End(200, 5, nil)
	three := begin(t, s, "txn-3", -1)
	if err := three.Announce(0, 5*step); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(Config{Dir: dir, Ship: d.ship}); err == nil {
		t.Error("two processes have one spool")
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	d.err = nil
	s = opened(t, Config{Dir: dir, Ship: d.ship, Now: now.Now})
	if got := s.Stats(); got.Recovered != 2 || got.Waiting == 0 {
		t.Errorf("%+v", got)
	}
	if err := s.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]edge.Delivery{
		one.ID():   {State: edge.Ended, Bytes: 5},
		two.ID():   {State: edge.Cut, Bytes: 9, AtMost: true},
		three.ID(): {State: edge.Cut, Bytes: 6 * step, AtMost: true},
	} {
		if got := d.deliveries[id]; got.State != want.State || got.Bytes != want.Bytes || got.AtMost != want.AtMost {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
}

func TestSightingsAreCountedByHourAndFolder(t *testing.T) {
	t.Parallel()
	d, now := newDesk(), clock.At(noon.Add(59*time.Minute))
	s := opened(t, Config{Dir: t.TempDir(), Ship: d.ship, Now: now.Now})
	for _, path := range []string{"/a/b/c", "/a/b/d/e", "/a/b", "/a", "/", "no path", "/\u00fc"} {
		s.CountSighting(Sighting{"News.example", "GPTBot", path, "refused"})
	}
	now.Advance(time.Minute)
	s.CountSighting(Sighting{"news.example", "GPTBot", "/a", "refused"})
	if err := s.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	at := func(hour time.Time, path string) edge.Sighting {
		return edge.Sighting{Hour: hour, Host: "news.example", Agent: "GPTBot", Path: path, Outcome: "refused"}
	}
	want := map[edge.Sighting]int64{at(noon, "/a/b/"): 2, at(noon, "/a/b"): 1, at(noon, "/a"): 1, at(noon, "/"): 1,
		at(noon, ""): 2, at(noon.Add(time.Hour), "/a"): 1}
	if !maps.Equal(d.sightings, want) {
		t.Errorf("%v\nwant %v", d.sightings, want)
	}
}

func TestAFullSpoolRefusesAndKeepsRoomForEnds(t *testing.T) {
	t.Parallel()
	d := newDesk()
	d.err = errors.New("away")
	s := opened(t, Config{Dir: t.TempDir(), Ship: d.ship, Max: MinSize, Sync: DefaultSync})
	var open []*OpenDelivery
	var err error
	for err == nil {
		var b *OpenDelivery
		if b, err = s.Begin(Delivery{URI: "https://news.example/a", Length: 1}); err == nil {
			open = append(open, b)
		}
	}
	if !errors.Is(err, ErrFull) || len(open) < 100 {
		t.Fatal(len(open), err)
	}
	for _, b := range open {
		b.End(200, 1, nil)
	}
	if got := s.Stats(); got.Open != 0 || got.Bytes > MinSize {
		t.Errorf("%+v", got)
	}
	d.err = nil
	if err := s.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Begin(Delivery{URI: "https://news.example/a", Length: 1}); err != nil {
		t.Error(err)
	}
	ended := 0
	for _, one := range d.deliveries {
		if one.State == edge.Ended {
			ended++
		}
	}
	if ended != len(open) {
		t.Errorf("of %d deliveries %d were told as ended", len(open), ended)
	}
}

func TestARefusedBatchHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	d, now := newDesk(), clock.At(noon)
	refuse := true
	s := opened(t, Config{Dir: t.TempDir(), Now: now.Now, Ship: func(ctx context.Context, b edge.Batch) error {
		if refuse {
			return ErrRefused
		}
		return d.ship(ctx, b)
	}})
	begin(t, s, "txn-1", 5).End(200, 5, nil)
	if err := s.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	refuse = false
	begin(t, s, "txn-2", 5).End(200, 5, nil)
	if err := s.Flush(t.Context()); err != nil || len(d.deliveries) != 1 {
		t.Fatal(d.deliveries, err)
	}
	now.Advance(refusedWait)
	if err := s.Flush(t.Context()); err != nil || len(d.deliveries) != 2 || s.Stats().Refused != 1 {
		t.Fatal(d.deliveries, err)
	}
}

func TestIDsSortByTime(t *testing.T) {
	t.Parallel()
	var ids []string
	for n := range 50 {
		ids = append(ids, newID("dlv", noon.Add(time.Duration(n)*time.Hour)))
	}
	if !slices.IsSorted(ids) || len(ids[0]) != len("dlv-")+26 || ids[0][:7] != "dlv-01M" {
		t.Error(ids)
	}
}
