package identity

import (
	"errors"
	"testing"
	"time"
)

func TestWhatWasReadHoldsForASecond(t *testing.T) {
	t.Parallel()
	r := recent[int]{stale: time.Minute}
	start := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	down := errors.New("the database is gone")
	reads := 0
	read := func() (int, error) { reads++; return reads, nil }
	fail := func() (int, error) { return 0, down }
	for _, c := range []struct {
		what  string
		after time.Duration
		read  func() (int, error)
		want  int
		err   error
	}{
		{"the first", 0, read, 1, nil},
		{"within the second", time.Second - 1, read, 1, nil},
		{"after it", time.Second, read, 2, nil},
		{"with the clock set back", -time.Second, read, 3, nil},
		{"while it cannot be read", time.Second, fail, 3, nil},
		{"for too long", 2 * time.Minute, fail, 0, down},
	} {
		if got, err := r.get("key", start.Add(c.after), c.read); got != c.want || !errors.Is(err, c.err) {
			t.Errorf("%s: %d, %v", c.what, got, err)
		}
	}
	r.forget("key")
	if _, err := r.get("key", start.Add(time.Second), fail); !errors.Is(err, down) {
		t.Errorf("what was forgotten is given: %v", err)
	}
	r.stale = 0
	if _, err := r.get("other", start, read); err != nil {
		t.Fatal(err)
	}
	if _, err := r.get("other", start.Add(time.Second), fail); !errors.Is(err, down) {
		t.Errorf("what is not to hold longer is given: %v", err)
	}
}
