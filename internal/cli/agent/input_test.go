package agent

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"frontdesk/internal/cli/command"
)

// TestInputThatIsTooLongIsNotCut holds that a secret, or a list of entries, is taken whole or not
// at all: a part of it is another.
func TestInputThatIsTooLongIsNotCut(t *testing.T) {
	t.Parallel()
	whole := strings.Repeat("s", 1000)
	file := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(file, []byte(whole), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, called := range map[string]string{file: file, "-": "standard input"} {
		env := &command.Environment{Stdin: strings.NewReader(whole)}
		if text, err := command.ReadInput(env, name, 1000); err != nil || string(text) != whole {
			t.Errorf("%s: %d bytes, %v", called, len(text), err)
		}
		env = &command.Environment{Stdin: strings.NewReader(whole)}
		if text, err := command.ReadInput(env, name, 999); err == nil || text != nil ||
			!strings.Contains(err.Error(), called) {
			t.Errorf("%s: %d bytes of it were taken, %v", called, len(text), err)
		}
	}
	if _, err := SecretOf(&command.Environment{Stdin: strings.NewReader(strings.Repeat("s", command.MaxSecretFile+1))},
		"-"); err == nil {
		t.Error("the beginning of a long secret is taken for the secret")
	}
}
