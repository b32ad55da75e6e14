package agent

import (
	"bytes"
	"strings"
	"testing"

	"frontdesk/internal/cli/command"
)

// TestWhatASearchFoundIsNamed: a person can only ask for what a refusal names, which may come from
// anybody.
func TestWhatASearchFoundIsNamed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		details map[string]any
		want    string
		hint    bool
	}{
		"found": {
			map[string]any{"found": []any{map[string]any{"uri": "https://a.example/lamp", "title": "A \x1b[31mlamp"}}},
			"https://a.example/lamp was found: A ", true,
		},
		"nothing": {map[string]any{"found": []any{}}, "", false},
		"none":    {nil, "", false},
		"strange": {map[string]any{"found": []any{"x", map[string]any{"uri": 5}}}, "", true},
	} {
		var out, hint bytes.Buffer
		showFound(&command.Environment{Stdout: &out, Stderr: &hint}, c.details)
		if !strings.Contains(out.String(), c.want) || c.want == "" && out.Len() > 0 ||
			strings.Contains(out.String(), "\x1b") || (hint.Len() > 0) != c.hint {
			t.Errorf("%s: %q, %q", name, out.String(), hint.String())
		}
	}
}
