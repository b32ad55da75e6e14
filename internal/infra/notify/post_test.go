package notify

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCredentialsComeFromTheEnvironmentOrAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(file, []byte("  from the file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("POST_TEST", "from the environment")
	t.Setenv("POST_TWO_LINES", "one\ntwo")
	for _, c := range []struct{ variable, file, want, problem string }{
		{"", "", "", ""},
		{"POST_TEST", "", "from the environment", ""},
		{"", file, "from the file", ""},
		{"POST_TEST", file, "", "both"},
		{"POST_NOT_THERE", "", "", "no POST_NOT_THERE"},
		{"", file + "-not-there", "", "cannot be read"},
		{"POST_TWO_LINES", "", "", "one line"},
	} {
		got, err := ReadSecret(c.variable, c.file)
		if got != c.want || (err == nil) != (c.problem == "") ||
			err != nil && !strings.Contains(err.Error(), c.problem) {
			t.Errorf("%q, %q: %q, %v", c.variable, c.file, got, err)
		}
	}
}
