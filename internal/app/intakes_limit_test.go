package app

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/infra/store"
	"frontdesk/internal/testkit/storetest"
)

// TestWhatIsDeclaredOutlivesTheProcess has one server after another count for one declaration: a
// declared limit does not begin anew when a server is started again.
func TestWhatIsDeclaredOutlivesTheProcess(t *testing.T) {
	t.Parallel()
	storetest.EachDSN(t, func(t *testing.T, fresh storetest.Fresh) {
		dsn, keys, c := fresh(t, tables...), t.TempDir(), newFixedClock()
		loaded, err := Load(Layers{
			File: write(t, t.TempDir(), "frontdesk.yaml",
				"site: {name: House, url: 'https://house.example'}\nintakes: {vault: '"+fresh(t)+
					"', list: [{id: few, rate_limit: {requests_per_minute: 4, requests_per_day: 6}, "+anything+"}]}"),
			Flags: map[string]string{"listen": "127.0.0.1:0", "metrics.listen": "off", "keys": keys, "store": dsn},
		})
		if err != nil {
			t.Fatal(err)
		}
		// ask submits some times at a server that starts now, and gives what became of it and how
		// long the last was told to wait.
		ask := func(tries int) (outcomes []int, wait string) {
			options := Options{Loaded: loaded, Ingested: true}
			c.set(&options)
			s, err := Build(t.Context(), options)
			if err != nil {
				t.Fatal(err)
			}
			address, stop := run(t, s)
			defer s.Close()
			defer stop()
			for range tries {
				body, _ := json.Marshal(submitting())
				response, err := http.Post(address+"/intake/few", "application/json", bytes.NewReader(body))
				if err != nil {
					t.Fatal(err)
				}
				response.Body.Close()
				outcomes, wait = append(outcomes, response.StatusCode), response.Header.Get("Retry-After")
			}
			return outcomes, wait
		}
		for _, step := range []struct {
			after time.Duration
			tries int
			in    int
			wait  string
		}{
			{0, 3, 3, ""},
			{20 * time.Second, 3, 1, "40"}, // the minute's four, of which three can come again in 40 s
			{39 * time.Second, 1, 0, "1"},  // still
			{time.Second, 4, 2, "86340"},   // the day's six
			{23 * time.Hour, 1, 0, "3540"}, // still
			// three of a day before can come again, and the next twenty seconds later
			{59 * time.Minute, 4, 3, "20"},
			{20 * time.Second, 3, 1, "40"},    // and so on
			{48 * time.Hour, 9, 4, "60"},      // nothing of it counts any more
			{time.Minute, 9, 2, "86340"},      // of the day's six
			{24 * time.Hour, 5, 4, "60"},      // of the minute's four; of the day's six two are of the day before
			{time.Minute - 1, 1, 0, "1"},      // a moment before the minute is over
			{time.Nanosecond, 3, 2, "86340"},  // and of the day's six
			{24 * time.Hour, 4, 4, ""},        // a day later
			{24 * time.Hour, 6, 4, "60"},      // and another
			{365 * 24 * time.Hour, 4, 4, ""},  // a year later
			{-400 * 24 * time.Hour, 1, 0, ""}, // by a clock that was set back
		} {
			c.advance(step.after)
			outcomes, wait := ask(step.tries)
			in := 0
			for n, status := range outcomes {
				switch {
				case status == 200 && n == in:
					in++
				case status != 429:
					t.Fatal(outcomes)
				}
			}
			if in != step.in || wait != step.wait && step.wait != "" {
				t.Errorf("%s later: %v, wait %s; want %d let in, wait %s", step.after, outcomes, wait,
					step.in, step.wait)
			}
		}
	})
}

// TestWhatCannotBeCountedIsUnavailable holds that nobody is let in past a declared limit because it
// cannot be counted.
func TestWhatCannotBeCountedIsUnavailable(t *testing.T) {
	t.Parallel()
	c := newFixedClock()
	s, log := openIntakesAndLog(t, "", c, "id: free, "+anything,
		"id: counted, rate_limit: {requests_per_day: 5}, "+anything)
	err := s.db.Update(t.Context(), func(tx *store.Tx) error {
		_, err := tx.Exec(t.Context(), `DROP TABLE limit_bucket`)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	const from = "192.0.2.77:1"
	for range 2 {
		w := send(s, posting("/intake/counted", from, submitting()))
		if outcome, _ := heard(t, w); outcome != "503 error SERVICE_UNAVAILABLE" ||
			w.Header().Get("Retry-After") != "5" {
			t.Errorf("%s, to come back in %q", outcome, w.Header().Get("Retry-After"))
		}
	}
	if outcome, _ := heard(t, send(s, posting("/intake/free", from, submitting()))); outcome != "200 offer" {
		t.Errorf("where no limit is declared: %s", outcome)
	}
	if !strings.Contains(log.String(), "limits cannot be counted") {
		t.Error("the log does not say it")
	}
}

// BenchmarkSubmitCounted is what it costs to count a submission where limits are declared: the
// whole request, in turns and from 32 callers at once, beside the same where none are.
func BenchmarkSubmitCounted(b *testing.B) {
	s := openIntakes(b, "log: {level: error}", newFixedClock(), "id: free, "+anything,
		"id: counted, rate_limit: {requests_per_minute: 1000000, requests_per_day: 10000000}, "+anything)
	for _, path := range []string{"free", "counted"} {
		submit := func(n int64) {
			r := posting("/intake/"+path, fmt.Sprintf("192.0.2.%d:1", n%200), submitting())
			if w := send(s, r); w.Code != 200 {
				b.Error(w.Body)
			}
		}
		b.Run(path+"/in_turns", func(b *testing.B) {
			for b.Loop() {
				submit(1)
			}
		})
		b.Run(path+"/at_once", func(b *testing.B) {
			b.SetParallelism(16)
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					submit(sessions.Load())
				}
			})
		})
	}
}
