package fail_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/infra/fail"
)

type outage struct{}

func (outage) Error() string              { return "secret cause" }
func (outage) Unavailable() time.Duration { return 7 * time.Second }

// TestAnOutageIsUnavailable holds that what comes of an outage says when to come back, unless it
// was found to be something else.
func TestAnOutageIsUnavailable(t *testing.T) {
	t.Parallel()
	early := fail.New(fail.Unavailable, "early")
	early.RetryAfter = time.Second
	for name, v := range map[string]struct {
		err   error
		code  fail.Code
		after time.Duration
	}{
		"an outage":         {fmt.Errorf("read: %w", outage{}), fail.Unavailable, 7 * time.Second},
		"among others":      {errors.Join(errors.New("x"), outage{}), fail.Unavailable, 7 * time.Second},
		"told as internal":  {fail.New(fail.Internal, "broken").Wrap(outage{}), fail.Unavailable, 7 * time.Second},
		"without a time":    {fail.New(fail.Unavailable, "later").Wrap(outage{}), fail.Unavailable, 7 * time.Second},
		"with a time":       {early.Wrap(outage{}), fail.Unavailable, time.Second},
		"something else":    {fail.New(fail.Forbidden, "no").Wrap(outage{}), fail.Forbidden, 0},
		"no outage":         {errors.New("secret cause"), fail.Internal, 0},
		"no outage, ours":   {fail.New(fail.Internal, "broken"), fail.Internal, 0},
		"not now, as it is": {fail.New(fail.Unavailable, "later"), fail.Unavailable, 0},
	} {
		got := fail.From(v.err)
		if got.Code != v.code || got.RetryAfter != v.after || strings.Contains(got.Detail, "secret") {
			t.Errorf("%s: %+v", name, got)
		}
		if v.code == fail.Unavailable && errors.As(v.err, new(outage)) && !errors.As(got, new(outage)) {
			t.Errorf("%s: the cause is lost", name)
		}
	}
}

func TestMissingNamesTheFirstThatIsNotThere(t *testing.T) {
	t.Parallel()
	if err := fail.Missing("shop.New", map[string]bool{"A": true, "B": true}); err != nil {
		t.Error(err)
	}
	err := fail.Missing("shop.New", map[string]bool{"C": false, "A": true, "B": false})
	if err == nil || err.Error() != "shop.New: B is missing" {
		t.Errorf("%v, and not that B is missing", err)
	}
}

// TestACauseIsThatOfTheChain holds which word an error is told by.
func TestACauseIsThatOfTheChain(t *testing.T) {
	t.Parallel()
	answered := fail.Caused("answered", errors.New("status 500"))
	for want, err := range map[string]error{
		"":          errors.New("unknown"),
		"not found": fmt.Errorf("read: %w", fail.New(fail.NotFound, "no such thing")),
		"answered":  fail.New(fail.Unavailable, "later").Wrap(answered),
	} {
		if got := fail.Cause(err); got != want {
			t.Errorf("%v comes of %q, and not of %q", err, got, want)
		}
	}
	if answered.Error() != "status 500" {
		t.Errorf("its text is %q", answered)
	}
}
