// Package robots holds our reader of robots.txt against another one.
package robots_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/temoto/robotstxt"
	"pgregory.net/rapid"

	"frontdesk/internal/infra/fetch/robots"
)

// TestAnotherReaderFindsTheSame compares with an independent reader of robots.txt, in what both
// take from the same text. Where the two differ on purpose (weights of wildcards, ties, names of
// visitors that begin alike, percent-encoding) the tests of that package say what holds.
func TestAnotherReaderFindsTheSame(t *testing.T) {
	t.Parallel()
	path := rapid.StringMatching(`/[abc.]{0,6}(\?[abc]{1,2})?`)
	t.Run("plain rules in groups", rapid.MakeCheck(func(t *rapid.T) {
		text := plainFile(t)
		same(t, text, path.Draw(t, "path"))
	}))
	t.Run("one pattern", rapid.MakeCheck(func(t *rapid.T) {
		pattern := rapid.StringMatching(`/[abc*.]{0,6}\$?`).Draw(t, "pattern")
		same(t, "User-agent: *\nDisallow: "+pattern+"\n", path.Draw(t, "path"))
	}))
}

// plainFile draws a file of several groups. Within what one visitor reads, no two rules are equally
// long.
func plainFile(t *rapid.T) string {
	var b strings.Builder
	lengths := map[string][]int{}
	for range rapid.IntRange(0, 4).Draw(t, "groups") {
		agents := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"guest", "other", "*", "Bot"}), 1, 3,
			rapid.ID).Draw(t, "agents")
		for _, agent := range agents {
			fmt.Fprintf(&b, "User-agent: %s\n", agent)
		}
		b.WriteString("Disallow: /zzzzzzzzzzzz\n") // a group that says nothing is not one for the other reader
		for range rapid.IntRange(0, 4).Draw(t, "rules") {
			rule := rapid.StringMatching(`/[abc.]{0,5}`).Draw(t, "rule")
			if slices.ContainsFunc(agents,
				func(agent string) bool { return slices.Contains(lengths[agent], len(rule)) }) {
				continue
			}
			for _, agent := range agents {
				lengths[agent] = append(lengths[agent], len(rule))
			}
			fmt.Fprintf(&b, "%s: %s%s\n",
				rapid.SampledFrom([]string{"Allow", "Disallow", "disallow"}).Draw(t, "kind"), rule,
				rapid.SampledFrom([]string{"", " ", " # why", "\r"}).Draw(t, "end"))
		}
	}
	return b.String()
}

func same(t *rapid.T, text, path string) {
	theirs, err := robotstxt.FromString(text)
	if err != nil {
		t.Skip("the other reader gives up")
	}
	ours := robots.Parse([]byte(text))
	for _, agent := range []string{"guest", "other", "bot", "stranger"} {
		if got, want := ours.Allowed(agent, path), theirs.TestAgent(path, agent); got != want {
			t.Fatalf("%s to %s: allowed %t, the other reader says %t\n%s", agent, path, got, want, text)
		}
	}
}
