package cli

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"frontdesk/internal/cli/command"
)

func TestUpgradeAsksTheFeedThatIsNamed(t *testing.T) {
	t.Parallel()
	body := `{"version": "v99.1.0", "notes": "https://releases.example/99"}`
	server := httptest.NewServer(
		http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write([]byte(body)) }))
	defer server.Close()
	for name, c := range map[string]struct{ feed, body, says string }{
		"no feed":    {"", "", "set upgrade.feed"},
		"no version": {server.URL, `{"version": "newest"}`, "is no feed of releases"},
		"no JSON":    {server.URL, `<html>`, "is no feed of releases"},
		"newer":      {server.URL, body, "v99.1.0"},
		"no address": {"releases", "", "upgrade.feed"},
	} {
		body = c.body
		var out bytes.Buffer
		env := command.Environment{Ctx: t.Context(), Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out}
		args := []string{"upgrade", "--check", "--data", t.TempDir()}
		if c.feed != "" {
			args = append(args, "--set", "upgrade.feed="+c.feed)
		}
		if code := run(&env, args); code != exitFailure || !strings.Contains(out.String(), c.says) {
			t.Errorf("%s: exit code %d, want %q: %s", name, code, c.says, &out)
		}
	}
}
