package config_test

import (
	"os"
	"path/filepath"
	"slices"
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
	manual := func(text string) ([]config.Group, error) {
		folder := t.TempDir()
		if err := os.WriteFile(filepath.Join(folder, "sections.go"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return config.Manual(defaults(), func(string) string { return folder })
	}
	groups, err := manual(string(source))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]config.Key{}
	for _, group := range groups {
		for _, key := range group.Keys {
			got[group.Path+" "+key.Name] = key
		}
	}
	for path, want := range map[string]config.Key{
		" listen":  {Name: "listen", Kind: "text", Default: "`127.0.0.1:8080`", Meaning: "The address."},
		"log keep": {Name: "keep", Kind: "time span like 10s or 2m", Default: "`1h`", Meaning: "How long."},
		"log color": {
			Name: "color", Kind: "true or false", Default: "`false`", Meaning: "Says whether there are colors.",
		},
		"rules[] match": {Name: "match", Kind: "section with keys", Meaning: "Says what it is for."},
	} {
		if got[path] != want {
			t.Errorf("%s: %+v, want %+v", path, got[path], want)
		}
	}
	paths := make([]string, 0, len(groups))
	for _, group := range groups {
		paths = append(paths, group.Path)
	}
	for _, want := range []string{"", "log", "rules[].match", "intakes[].match[]"} {
		if !slices.Contains(paths, want) {
			t.Errorf("there is no section %q in %q", want, paths)
		}
	}
	_, err = manual(strings.ReplaceAll(string(source), "// Keep is how long.", ""))
	if err == nil || !strings.Contains(err.Error(), "logging.Keep") {
		t.Errorf("a field without a comment: %v", err)
	}
}
