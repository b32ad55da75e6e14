package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"frontdesk/internal/app/config"
)

// The sections of this test are those of config_test.go, whose comments are the manual's. The
// manual reads no tests, so that they are read from a copy.
func TestManualTellsEachKeyByTheCommentOnItsField(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("config_test.go")
	if err != nil {
		t.Fatal(err)
	}
	manual := func(text string) (string, error) {
		folder := t.TempDir()
		if err := os.WriteFile(filepath.Join(folder, "sections.go"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return config.Manual(defaults(), func(string) string { return folder })
	}
	got, err := manual(string(source))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"\n## Keys\n\n| key | value | default | variable | meaning |\n",
		"| `listen` | text | `127.0.0.1:8080` | `FRONTDESK_LISTEN` | The address. |\n",
		"\n## log\n\n",
		"| `keep` | time span like 10s or 2m | `1h` | `FRONTDESK_LOG_KEEP` | How long. |\n",
		"| `color` | true or false | `false` | `FRONTDESK_LOG_COLOR` | Says whether there are colors. |\n",
		"\n## rules[]\n\n| key | value | default | meaning |\n",
		"| `match` | section with keys |  | Says what it is for. |\n",
		"\n## rules[].match\n\n",
		"\n## intakes[].match[]\n\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("there is no %q in\n%s", want, got)
		}
	}
	_, err = manual(strings.ReplaceAll(string(source), "// Keep is how long.", ""))
	if err == nil || !strings.Contains(err.Error(), "logging.Keep") {
		t.Errorf("a field without a comment: %v", err)
	}
}
