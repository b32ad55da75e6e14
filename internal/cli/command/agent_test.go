package command

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"frontdesk/internal/identity"
)

// TestCommandsSignAsTheFrontDeskOfTheConfiguration, and ask unsigned where it has no key or cannot
// be read.
func TestCommandsSignAsTheFrontDeskOfTheConfiguration(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	keys, err := identity.OpenBotKeys(filepath.Join(folder, "keys"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := keys.EnsureKey(); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"url: https://desk.example\nkeys: " + folder +
			"/keys": "https://desk.example/.well-known/http-message-signatures-directory",
		"url: https://desk.example\nkeys: " + folder + "/none":                          "",
		"url: http://desk.example\nkeys: " + folder + "/keys":                           "",
		"url: https://desk.example\nagents: {sign: false}\nkeys: " + folder + "/keys\n": "",
		"nonsense: 1": "",
	} {
		file := filepath.Join(folder, "frontdesk.yaml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		var warned bytes.Buffer
		agent := ConfigFlags{Config: file}.SignsAs(&Environment{Stderr: &warned})
		got := ""
		if agent != nil {
			got = agent.Directory
		}
		if got != want || strings.Contains(warned.String(), "not signed") != (text == "nonsense: 1") {
			t.Errorf("%s: %q, %s", text, got, warned.String())
		}
	}
}
