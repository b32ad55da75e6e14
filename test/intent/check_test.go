package intent

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/testkit/process"
)

// TestTheCheckFindsNothingWrongInOurOwn has the program look at its own servers, open and closed in
// every way.
func TestTheCheckFindsNothingWrongInOurOwn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, _ = written(t, dir)
	free := []string{`rate: ""`, `sessions: ""`}
	for _, c := range []struct {
		name, site string
		lines      []string
		passes     string // the probe that must have come out well
	}{
		{"open", harbourTerms, free, "content.answer"},
		{"second", kuecheTerms, free, "content.answer"},
		{"disabled", harbourTerms, append([]string{"state: disabled"}, free...), "closed.denies"},
		{"paused", harbourTerms, append([]string{"state: paused"}, free...), "closed.denies"},
		{"ended", harbourTerms, append([]string{`compliance: {last_updated: "2025-01-01", sunset: "2025-12-31"}`}, free...), "closed.denies"},
		{"chunkless", harbourTerms, append([]string{"supports: {chunks: false}"}, free...), "closed.chunks"},
		{"citeless", harbourTerms, append([]string{"supports: {citations: false}"}, free...), "content.answer"},
		{"limited", harbourTerms, []string{"rate: 20/1s", `sessions: ""`}, "rate.throttles"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := serve(t, dir, c.name, c.site, c.lines...)
			results := s.checked(t, dir)
			for probe, outcome := range results {
				if outcome == "error" {
					t.Errorf("%s is found wrong", probe)
				}
			}
			if results[c.passes] != "pass" {
				t.Errorf("%s came out as %q", c.passes, results[c.passes])
			}
		})
	}
	t.Run("closed while it runs", func(t *testing.T) {
		s := serve(t, dir, "reloaded", harbourTerms, free...)
		if got := s.checked(t, dir)["closed.denies"]; got == "pass" {
			t.Error("what is open denies")
		}
		text, err := os.ReadFile(s.config)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(s.config,
			[]byte(strings.Replace(string(text), "intent:", "intent:\n  state: paused", 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		for began := time.Now(); s.try(t,
			retrieval(s.URL, question(theHarbour(s.URL, nil)))).body["status"] != "denied"; {
			if time.Since(began) > time.Minute {
				t.Fatal("it is not closed")
			}
		}
		results := s.checked(t, dir)
		if results["closed.denies"] != "pass" || results["wellknown.served"] != "pass" {
			t.Errorf("closed.denies came out as %q, wellknown.served as %q", results["closed.denies"],
				results["wellknown.served"])
		}
	})
}

// checked has the program look at a server with two platforms' keys, and gives how each probe came
// out, the worst of its results.
func (s served) checked(t *testing.T, dir string) map[string]string {
	t.Helper()
	stdout, stderr, err := process.Run(t, "check", strings.Replace(s.URL, "127.0.0.1", "localhost", 1), "--json",
		"--private", "--burst", "60",
		"--platform", mine.platform, "--key", mine.id, "--secret-file", filepath.Join(dir, mine.id),
		"--other-platform", theirs.platform, "--other-key", theirs.id, "--other-secret-file",
		filepath.Join(dir, theirs.id))
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		t.Fatalf("%v\n%s", err, stderr)
	}
	var report struct {
		Results []struct{ Probe, Outcome, Detail string }
	}
	if err := json.Unmarshal([]byte(stdout), &report); err != nil {
		t.Fatalf("%v in %s%s", err, stdout, stderr)
	}
	worst := map[string]string{}
	for _, r := range report.Results {
		if r.Outcome == "error" {
			t.Logf("%s: %s", r.Probe, r.Detail)
		}
		if before := worst[r.Probe]; before == "" || r.Outcome == "error" || before == "skip" {
			worst[r.Probe] = r.Outcome
		}
	}
	return worst
}
