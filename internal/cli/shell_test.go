package cli

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"

	"frontdesk/internal/cli/command"
)

// printed is what a command line prints.
func printed(t *testing.T, args ...string) string {
	t.Helper()
	var out, problem bytes.Buffer
	env := command.Environment{Ctx: t.Context(), Stdin: strings.NewReader(""), Stdout: &out, Stderr: &problem}
	if code := run(&env, args); code != 0 {
		t.Fatalf("%v: exit code %d: %s", args, code, &problem)
	}
	return out.String()
}

func TestBashCompletesCommandsAndFlags(t *testing.T) {
	t.Parallel()
	script := printed(t, "completion", "bash")
	for words, want := range map[string]string{
		"frontdesk ser":                         "serve",
		"frontdesk ramp ten":                    "tenant",
		"frontdesk ramp tenant ":                "add list remove refused",
		"frontdesk ask --ur":                    "--url",
		"frontdesk ask --limit 3 question --ur": "--url", // words of a command are no commands
		"frontdesk nothing-like-it xx":          "",
	} {
		line := strings.Split(words, " ")
		shell := exec.CommandContext(t.Context(), "bash", "--norc", "-c", script+`
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_frontdesk
printf '%s ' "${COMPREPLY[@]}"`, "bash")
		shell.Args, shell.Dir = append(shell.Args, line...), t.TempDir()
		out, err := shell.CombinedOutput()
		if got := strings.TrimSpace(string(out)); err != nil || got != want {
			t.Errorf("%q completes to %q, %v; want %q", words, got, err, want)
		}
	}
}

func TestScriptsAndPageKnowEachCommand(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"completion", "zsh"}, {"completion", "fish"}, {"man"}} {
		text := printed(t, args...)
		for _, want := range []string{"serve", "ramp tenant add", "tuning preview", "listen"} {
			if args[0] == "man" {
				want = strings.ReplaceAll(want, "-", `\-`)
			}
			if !strings.Contains(text, want) {
				t.Errorf("%v lacks %s", args, want)
			}
		}
		if args[0] == "man" {
			for line := range strings.Lines(text) {
				if strings.HasPrefix(line, "'") ||
					strings.HasPrefix(line, ".") && strings.IndexByte(".TH.SH.SS.PP.TP.B .br.I .\\", line[1]) < 0 {
					t.Errorf("the page has a line that is read as a command: %s", line)
				}
			}
		}
	}
}

// TestTheHelpFitsAScreen holds that all commands are seen at once, on 40 lines of 80 columns.
func TestTheHelpFitsAScreen(t *testing.T) {
	t.Parallel()
	var out, told bytes.Buffer
	if code := Main(t.Context(), []string{"--help"}, nil, &out, &told); code != exitOK {
		t.Fatal(code, told.String())
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) > 40 || !strings.Contains(out.String(), "\nBooks and backups   ledger     Show") {
		t.Errorf("%d lines, and 40 are a screen:\n%s", len(lines), out.String())
	}
	for _, line := range lines {
		if len(line) > 80 {
			t.Errorf("%d columns: %s", len(line), line)
		}
	}
}
