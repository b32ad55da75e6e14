package deliverylog

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"frontdesk/internal/testkit/clock"
	"frontdesk/wire/edge"
)

// TestOneRecordThatIsRefusedHoldsUpNoOther has the other side refuse whatever batch holds some of
// the records.
func TestOneRecordThatIsRefusedHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	for _, poison := range [][]int{{0}, {99}, {17, 18}, {3, 50, 98}} {
		d, now, dir := newDesk(), clock.At(noon), t.TempDir()
		bad := map[string]bool{}
		refuse := true
		ship := func(ctx context.Context, b edge.Batch) error {
			if refuse &&
				slices.ContainsFunc(b.Deliveries, func(one edge.Delivery) bool { return bad[one.Transaction] }) {
				return ErrRefused
			}
			return d.ship(ctx, b)
		}
		s := opened(t, Config{Dir: dir, Sync: time.Hour, Now: now.Now, Ship: ship})
		for _, n := range poison {
			bad[fmt.Sprint(n)] = true
		}
		for n := range 100 {
			begin(t, s, fmt.Sprint(n), 10).End(200, 10, nil)
		}
		s.CountSighting(Sighting{"news.example", "GPTBot", "/a", "refused"})
		for range 3 { // what is refused is told again only after a while
			if err := s.Flush(t.Context()); err != nil || len(d.deliveries) != 100-len(poison) ||
				len(d.sightings) != 1 {
				t.Fatalf("refused %v: told %d deliveries and %d sightings, %v", poison, len(d.deliveries),
					len(d.sightings), err)
			}
		}
		if got := s.Stats(); got.Waiting != len(poison) || got.Refused != 1 || got.Problem == "" {
			t.Errorf("refused %v: %+v", poison, got)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		s = opened(t, Config{Dir: dir, Sync: time.Hour, Now: now.Now, Ship: ship}) // with what was kept
		if got := s.Stats(); got.Waiting != len(poison) {
			t.Errorf("refused %v, after a restart: %+v", poison, got)
		}
		refuse = false
		if err := s.Flush(t.Context()); err != nil || len(d.deliveries) != 100 || s.Stats().Waiting != 0 {
			t.Errorf("refused %v, and taken in the end: %d deliveries, %v, %+v", poison, len(d.deliveries), err,
				s.Stats())
		}
		for key, count := range d.sightings {
			if count != 1 {
				t.Errorf("refused %v: %+v counts as %d", poison, key, count)
			}
		}
	}
}

// TestWhoRefusesEverythingIsNotAskedWithoutEnd bounds how often a batch is told in parts.
func TestWhoRefusesEverythingIsNotAskedWithoutEnd(t *testing.T) {
	t.Parallel()
	asked := 0
	s := opened(t,
		Config{Dir: t.TempDir(), Sync: time.Hour,
			Ship: func(context.Context, edge.Batch) error { asked++; return ErrRefused }})
	for n := range 900 {
		begin(t, s, fmt.Sprint(n), 10).End(200, 10, nil)
	}
	if err := s.Flush(t.Context()); err != nil || asked > 2*(1+siftsInVain) || s.Stats().Waiting < 900 {
		t.Errorf("asked %d times, %v, %+v", asked, err, s.Stats())
	}
}

// TestABatchThatAlwaysFailsHoldsUpNoOther has the other side fail with one batch, as with an error
// of its own, and take all others.
func TestABatchThatAlwaysFailsHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	d, now := newDesk(), clock.At(noon)
	asked := 0
	s := opened(t,
		Config{Dir: t.TempDir(), Sync: time.Hour, Now: now.Now, Ship: func(ctx context.Context, b edge.Batch) error {
			if slices.ContainsFunc(b.Deliveries, func(one edge.Delivery) bool { return one.Transaction == "bad" }) {
				asked++
				return errors.New("status 500")
			}
			return d.ship(ctx, b)
		}})
	begin(t, s, "bad", 10).End(200, 10, nil)
	for n := range 20 {
		_ = s.Flush(t.Context())
		begin(t, s, fmt.Sprint(n), 10).End(200, 10, nil)
		_ = s.Flush(t.Context())
		now.Advance(time.Second)
	}
	if err := s.Flush(t.Context()); err != nil || len(d.deliveries) != 20 || s.Stats().Waiting == 0 {
		t.Errorf("told %d deliveries, %v, %+v", len(d.deliveries), err, s.Stats())
	}
	if asked > 10 {
		t.Errorf("what always fails was told %d times within a minute", asked)
	}
	now.Advance(-24 * time.Hour) // it is not kept back for longer by a clock that was set back
	before := asked
	if _ = s.Flush(t.Context()); asked == before {
		t.Error("it is told no more after the clock was set back")
	}
}

// TestNoSegmentIsBegunWithoutEndWhileTheExchangeIsAway holds how much is carried from segment to
// segment meanwhile.
func TestNoSegmentIsBegunWithoutEndWhileTheExchangeIsAway(t *testing.T) {
	t.Parallel()
	d, dir := newDesk(), t.TempDir()
	d.err = errors.New("away")
	s := opened(t, Config{Dir: dir, Sync: time.Hour, Ship: d.ship})
	for n := range 50 {
		begin(t, s, fmt.Sprint(n), 10).End(200, 10, nil)
		if err := s.Flush(t.Context()); err == nil {
			t.Fatal("it was told")
		}
	}
	if names, _ := filepath.Glob(filepath.Join(dir, "*"+suffix)); len(names) > fewSealed+1 {
		t.Errorf("there are %d segments", len(names))
	}
	d.err = nil
	if err := s.Flush(t.Context()); err != nil || len(d.deliveries) != 50 {
		t.Errorf("told %d deliveries, %v", len(d.deliveries), err)
	}
}

// TestASegmentThatLostItsHeadIsTold under an id of its own, the same each time.
func TestASegmentThatLostItsHeadIsTold(t *testing.T) {
	t.Parallel()
	d, dir := newDesk(), t.TempDir()
	s := opened(t, Config{Dir: dir, Sync: time.Hour, Ship: d.ship})
	begin(t, s, "a", 10).End(200, 10, nil)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	names, _ := filepath.Glob(filepath.Join(dir, "*"+suffix))
	text, err := os.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	text[12] ^= 0xFF // within the first record
	if err := os.WriteFile(names[0], text, 0o600); err != nil {
		t.Fatal(err)
	}
	if one, two := read(text).batch(), read(text).batch(); one.ID != two.ID || one.Check() != nil {
		t.Errorf("its ids are %q and %q: %v", one.ID, two.ID, one.Check())
	}
	s = opened(t, Config{Dir: dir, Sync: time.Hour, Ship: d.ship})
	if got := s.Stats().Oldest; got > time.Hour {
		t.Errorf("it has waited for %s", got)
	}
	if err := s.Flush(t.Context()); err != nil || len(d.deliveries) != 1 {
		t.Errorf("told %d deliveries, %v", len(d.deliveries), err)
	}
}

// TestAFileOfSomebodyElsesIsNoReasonNotToStart has one in the folder whose name is no number.
func TestAFileOfSomebodyElsesIsNoReasonNotToStart(t *testing.T) {
	t.Parallel()
	d, dir := newDesk(), t.TempDir()
	s := opened(t, Config{Dir: dir, Sync: time.Hour, Ship: d.ship})
	begin(t, s, "a", 10).End(200, 10, nil)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "copy"+suffix), []byte("garbage"), 0o600); err != nil {
		t.Fatal(err)
	}
	s = opened(t, Config{Dir: dir, Sync: time.Hour, Ship: d.ship})
	if err := s.Flush(t.Context()); err != nil || len(d.deliveries) != 1 {
		t.Errorf("told %d deliveries, %v", len(d.deliveries), err)
	}
}
