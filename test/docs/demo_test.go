package docs

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/testkit/process"
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
		if commands[found[2]] != nil {
			continue // of an agent of one's own: TestEachLineOfTheDemoWorks
		}
		commands[found[2]] = strings.Fields(
			strings.ReplaceAll(found[1], "bought.json", filepath.Join(folder, "bought.json")))
	}
	return server, commands
}

// TestTheDemoSellsAsItSays runs the commands that the demo prints: an offer with a price and what
// its profile tells, the whole article for play money, a report that is taken, and all of it from a
// question on; and once more after a new start on the same folder.
func TestTheDemoSellsAsItSays(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for _, left := range []string{"4.92", "4.84"} {
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
		resumes(t, commands["fetch"], filepath.Join(t.TempDir(), "kept.json"),
			"once it is open, it is open for both sides.")
		linked := append([]string{"ramp", "fetch", "--accept", "application/ld+json", "--accept", "text/html"},
			commands["fetch"][2:]...)
		if stdout := process.MustRun(t, linked...); !strings.Contains(stdout, `"@type"`) ||
			!strings.Contains(stdout, "once it is open, it is open for both sides.") {
			t.Errorf("as JSON-LD it is %s", stdout)
		}
		if accounts := process.MustRun(t, "ramp", "account", "list", "--config", config); !strings.Contains(accounts,
			left) || strings.Count(accounts, "\n") != 2 {
			t.Errorf("the accounts, want %s on one:\n%s", left, accounts)
		}
		disputes(t, commands["report"], "d-"+left)
		server.End(t)
	}
}

// line is a command that the demo prints.
var line = regexp.MustCompile(`(?m)^    ((?:frontdesk|curl) .*)$`)

// TestEachLineOfTheDemoWorks has a shell run all that the demo prints, in its order, as somebody
// who copies it would.
func TestEachLineOfTheDemoWorks(t *testing.T) {
	t.Parallel()
	server, _ := demonstration(t, t.TempDir())
	folder := t.TempDir()
	if err := os.Symlink(process.Binary(t), filepath.Join(folder, "frontdesk")); err != nil {
		t.Fatal(err)
	}
	lines := line.FindAllStringSubmatch(server.Log(), -1)
	wants := []struct{ part, out string }{
		{"curl -sN", "Chickpea"}, {"curl -sN", "data:"}, {"frontdesk ask", "dredg"},
		{"I need something", "dietary restrictions"}, {"agent-intake.json", "intakes"},
		{"intent retrieve", ""}, {"intent cite", "has the citation of"}, {"intent receipt", ""}, {"jwks.json", ""},
		{"verify receipt.json", "True: this is entry"},
		{"ramp discover", "per access"}, {"ramp buy", "Bought for"}, {"ramp report", "Reported:"},
		{"ramp dispute", "dispute_id"}, {"ramp fetch --url", "Bought for"},
		{"keys agent", ""}, {"requester add", "is in"}, {"account open", "has an account"},
		{"account credit", "more is available"}, {"ramp fetch http", "Bought for"},
		{"demo --market", ""}, // the tests of the market run it
	}
	if len(lines) != len(wants) {
		t.Fatalf("the demo prints %d commands, and %d are known here:\n%s", len(lines), len(wants), server.Log())
	}
	for i, want := range wants {
		command := lines[i][1]
		if !strings.Contains(command, want.part) {
			t.Fatalf("command %d is %s, want one of %q", i, command, want.part)
		}
		if strings.HasPrefix(command, "frontdesk demo") {
			continue
		}
		shell := exec.CommandContext(t.Context(), "sh", "-c", command)
		shell.Dir, shell.Env = folder, append(os.Environ(), "PATH="+folder+":"+os.Getenv("PATH"))
		if out, err := shell.CombinedOutput(); err != nil || !strings.Contains(string(out), want.out) {
			t.Fatalf("%s: %v, want %q\n%s", command, err, want.out, out)
		}
	}
}

// disputes has the purchase disputed by its file, which knows the report; the same again says where
// that stands.
func disputes(t *testing.T, report []string, id string) {
	t.Helper()
	as := []string{"ramp", "dispute", report[2], "--reason", "incomplete-content", "--id", id}
	for i, word := range report {
		if word == "--as" || word == "--config" {
			as = append(as, word, report[i+1])
		}
	}
	var first, again map[string]any
	for _, stands := range []*map[string]any{&first, &again} {
		if err := json.Unmarshal([]byte(process.MustRun(t, as...)), stands); err != nil {
			t.Fatal(err)
		}
	}
	if id, _ := first["dispute_id"].(string); id == "" || first["dispute_id"] != again["dispute_id"] {
		t.Errorf("disputed: %v\nagain: %v", first, again)
	}
}

// resumes has the command that fetches keep its purchase, and goes on with it as if the command had
// been stopped: after it was written down and before the answer came, and after it was done.
// Nothing is bought again, and the text is the same.
func resumes(t *testing.T, fetch []string, kept, text string) {
	t.Helper()
	var as []string // without the question, the front desk and the limit
	for i, word := range fetch {
		if word == "--as" || word == "--config" {
			as = append(as, word, fetch[i+1])
		}
	}
	process.MustRun(t, append([]string{"ramp", "fetch", "--save", kept}, fetch[2:]...)...)
	read := func() (p map[string]any) {
		t.Helper()
		whole, err := os.ReadFile(kept)
		if err == nil {
			err = json.Unmarshal(whole, &p)
		}
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	first := read()
	for _, lost := range [][]string{nil, {"report_id"}, {"report_id", "result", "sha256", "media_type", "fetched_at"}} {
		p := read()
		for _, name := range lost {
			delete(p, name)
		}
		whole, err := json.Marshal(p)
		if err == nil {
			err = os.WriteFile(kept, whole, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		if stdout := process.MustRun(t,
			append([]string{"ramp", "fetch", "--resume", kept}, as...)...); !strings.Contains(stdout, text) {
			t.Errorf("without %v: %s", lost, stdout)
		}
		again := read()
		if !reflect.DeepEqual(first["report_id"], again["report_id"]) ||
			!reflect.DeepEqual(first["result"], again["result"]) || first["sha256"] != again["sha256"] {
			t.Errorf("without %v it became %v\nwant %v", lost, again, first)
		}
	}
}
