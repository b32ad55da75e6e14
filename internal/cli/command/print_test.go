package command

import (
	"strings"
	"testing"
)

func TestTextsOfOthersCannotCommandTheTerminal(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"a\x1b[2Jb": "a [2Jb", "a\r\nb\tc": "a b c", "\u009b31m": "31m", "a\u202eb": "a b", "\xff": "",
		"Äpfel & 苹果": "Äpfel & 苹果",
	} {
		if got := Clean(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

func TestTextsAreCutAndWrappedAtBlanks(t *testing.T) {
	t.Parallel()
	if got := Shorten("one two three", 9); got != "one two …" {
		t.Errorf("%q", got)
	}
	if got := Shorten("one", 9); got != "one" {
		t.Errorf("%q", got)
	}
	for line := range strings.Lines(Wrap(strings.Repeat("word ", 100), "    ")) {
		if len(strings.TrimSuffix(line, "\n")) > lineWidth || !strings.HasPrefix(line, "    word") {
			t.Errorf("%q", line)
		}
	}
	listed := strings.Split(Wrap(strings.Repeat("word ", 40), "    - "), "\n")
	if len(listed) != 3 || !strings.HasPrefix(listed[0], "    - word") || !strings.HasPrefix(listed[1], "      word") {
		t.Errorf("a list is broken as %q", listed)
	}
}
