package agent

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"frontdesk/internal/cli/command"
)

// TestAttestationsAreReadInEveryForm reads what is imported: one, one a line, or an array. One that
// cannot be read ends it, with its place, and nothing of the file is taken.
func TestAttestationsAreReadInEveryForm(t *testing.T) {
	t.Parallel()
	one := func(n int) string {
		return fmt.Sprintf(`{"verifier":"vendor.example","kid":"v1","attested_at":"2027-01-01T00:00:00Z","uri":"https://www.example.com/%d","claims":{"word_count":5},"signature":"YQ=="}`, n)
	}
	file := filepath.Join(t.TempDir(), "all.jsonl")
	read := func(text string) (uris string, err error) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		all, err := readAttestations(&command.Environment{}, file)
		for _, a := range all {
			uris += strings.TrimPrefix(a.GetUri(), "https://www.example.com/")
		}
		return uris, err
	}
	for name, c := range map[string]struct{ text, want string }{
		"one": {one(1), "1"}, "one over several lines": {strings.ReplaceAll(one(1), ",", ",\n "), "1"},
		"one a line":                          {one(1) + "\n" + one(2) + "\n", "12"},
		"with blank lines, and Windows' ends": {"\r\n" + one(1) + "\r\n\r\n  " + one(2) + "\r\n", "12"},
		"the last line without an end":        {one(1) + "\n" + one(2), "12"},
		"an array":                            {"[" + one(1) + ",\n" + one(2) + "]", "12"},
		"the same twice":                      {one(1) + "\n" + one(1), "11"},
	} {
		if got, err := read(c.text); err != nil || got != c.want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	for name, c := range map[string]struct{ text, says string }{
		"nothing": {"", "nothing in it"}, "blank lines": {"\n\n \n", "nothing in it"},
		"an empty array":     {"[]", "nothing in it"},
		"half a line":        {one(1) + "\n" + one(2)[:40] + "\n" + one(3), "attestation 2"},
		"a line of text":     {one(1) + "\n" + one(2) + "\nsee below", "attestation 3"},
		"a member twice":     {one(1) + "\n" + strings.Replace(one(2), `"kid":"v1"`, `"kid":"v1","kid":"v2"`, 1), "attestation 2"},
		"a claim of text":    {one(1) + "\n" + strings.Replace(one(2), `{"word_count":5}`, `"five"`, 1), "attestation 2"},
		"half an array":      {"[" + one(1) + "," + one(2), ""},
		"a part of an array": {"[" + one(1) + ",5]", "attestation 2"},
		"an array and more":  {"[" + one(1) + "]\n" + one(2), ""},
	} {
		got, err := read(c.text)
		if err == nil || got != "" || !strings.Contains(err.Error(), c.says) ||
			!strings.Contains(err.Error(), filepath.Base(file)) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}
