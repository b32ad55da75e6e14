package docs

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"frontdesk/test/process"
)

// ramp are the commands that buy, as the demo prints them.
var ramp = regexp.MustCompile(`(?m)^    frontdesk (ramp (\S+) .*)$`)

// demonstration starts the demo and gives its commands, by their names.
func demonstration(t *testing.T, folder string) (server *process.Server, commands map[string][]string) {
	t.Helper()
	server = process.Start(t, "demo", "--listen", "127.0.0.1:0", "--data", folder)
	deadline, tick := time.After(time.Minute), time.NewTicker(10*time.Millisecond)
	defer tick.Stop()
	for !strings.Contains(server.Log(), "Ctrl-C ends.") {
		select {
		case <-deadline:
			t.Fatalf("the demo does not tell all:\n%s", server.Log())
		case <-tick.C:
		}
	}
	commands = map[string][]string{}
	for _, found := range ramp.FindAllStringSubmatch(server.Log(), -1) {
		commands[found[2]] = strings.Fields(strings.ReplaceAll(found[1], "bought.json", filepath.Join(folder, "bought.json")))
	}
	return server, commands
}

// TestTheDemoSellsAsItSays runs the commands that the demo prints: an offer with a price and what its profile tells, the whole
// article for play money, a report that is taken, and all of it from a question on; and once more after a new start on the same folder.
func TestTheDemoSellsAsItSays(t *testing.T) {
	folder := t.TempDir()
	for _, left := range []string{"4.96", "4.92"} {
		server, commands := demonstration(t, folder)
		for _, step := range []struct{ command, out string }{
			{"discover", "per access, 0.02 XTS"},
			{"buy", "once it is open, it is open for both sides."}, // the end, which the page does not show
			{"report", "Reported: "},
			{"fetch", "once it is open, it is open for both sides."},
		} {
			args := commands[step.command]
			if args == nil {
				t.Fatalf("the demo does not say how to %s:\n%s", step.command, server.Log())
			}
			stdout, stderr, err := process.Run(t, args...)
			if err != nil || !strings.Contains(stdout, step.out) {
				t.Fatalf("%s: %v\n%s%s", step.command, err, stdout, stderr)
			}
		}
		if offers := process.MustRun(t, append(commands["discover"], "--json")...); !strings.Contains(offers, `"news.category":"Investigations"`) {
			t.Errorf("the offer does not tell of its profile:\n%s", offers)
		}
		config := filepath.Join(folder, "frontdesk.yaml")
		if accounts := process.MustRun(t, "ramp", "account", "list", "--config", config); !strings.Contains(accounts, left) || strings.Count(accounts, "\n") != 2 {
			t.Errorf("the accounts, want %s on one:\n%s", left, accounts)
		}
		server.End(t)
	}
}
