package app

import (
	"frontdesk/internal/app/repeats"

	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestTheLogRepeatsNoCause holds that of one cause a minute has one line with how often it came,
// that nothing else is held back, and that nothing is lost.
func TestTheLogRepeatsNoCause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		told := &logbook{}
		log := NewLog(Log{Level: "info", Format: "json"}, told)
		lines := func() (all []string) {
			for line := range strings.Lines(told.take()) {
				var l struct {
					Msg, Error, Route, Site string
					Times                   int
				}
				if err := json.Unmarshal([]byte(line), &l); err != nil {
					t.Fatal(err, line)
				}
				all = append(all,
					strings.TrimSpace(fmt.Sprintf("%s %s%s %s %d", l.Msg, l.Route, l.Site, l.Error, l.Times)))
			}
			return all
		}
		expect := func(what string, want ...string) {
			t.Helper()
			synctest.Wait()
			if got := lines(); !slices.Equal(got, want) {
				t.Errorf("%s:\n%q, not\n%q", what, got, want)
			}
		}
		request := func(route string, n int, err string) {
			log.Warn("request", "id", fmt.Sprint("id", n), "route", route, "status", 503, "ms", n, "error", err)
		}
		for n := range 1000 {
			request("/ask", n, fmt.Sprintf("read tcp 127.0.0.1:%d: connection reset", 40000+n))
			request("/mcp", n, "the disk is full")
			log.Info("request", "route", "/ask", "status", 200)
			if n == 0 {
				expect("at first", "request /ask read tcp 127.0.0.1:40000: connection reset 0",
					"request /mcp the disk is full 0", "request /ask  0")
			}
			told.take()
		}
		expect("in the same minute")
		time.Sleep(repeats.Each)
		synctest.Wait()
		got := lines()
		slices.Sort(got)
		want := []string{
			"request /ask read tcp 127.0.0.1:40999: connection reset 999", "request /mcp the disk is full 999",
		}
		if !slices.Equal(got, want) {
			t.Errorf("a minute later:\n%q, not\n%q", got, want)
		}
		request("/mcp", 1, "the disk is full")
		expect("goes on")
		repeats.Tell(log)
		expect("at the end", "request /mcp the disk is full 1")
		time.Sleep(2 * repeats.Each)
		expect("after the last")
		request("/mcp", 1, "the disk is full")
		expect("it begins again", "request /mcp the disk is full 0")

		for range 2 {
			log.Error("a handler panicked", "error", errors.New("x"), "stack", "s")
			log.Warn("there are too many", "times", 3)
			log.Warn("without a cause")
		}
		passed := []string{"a handler panicked  x 0", "there are too many   3", "without a cause   0"}
		expect("what is passed", slices.Repeat(passed, 2)...)
		for _, site := range []string{"a", "b"} {
			log.With("site", site).Warn("cannot be read", "error", "no route")
			log.With("site", site).Warn("cannot be read", "error", "no route")
		}
		expect("of two sites", "cannot be read a no route 0", "cannot be read b no route 0")
		for n := range 3 * repeats.MaxCauses {
			log.Error("something", "error", strings.Repeat("x", n))
		}
		synctest.Wait()
		if got := len(lines()); got > repeats.MaxCauses+1 {
			t.Errorf("of very many causes %d were told", got)
		}
		time.Sleep(10 * repeats.Each) // all timers of the log end
	})
}

func TestTheLogHasAllWhereItIsToTellEverything(t *testing.T) {
	t.Parallel()
	told := &logbook{}
	log := NewLog(Log{Level: "debug", Format: "json"}, told)
	for range 3 {
		log.Warn("request", "status", 503, "error", "the disk is full")
	}
	if n := strings.Count(told.String(), "\n"); n != 3 {
		t.Errorf("%d lines:\n%s", n, told)
	}
}
