package document

import "testing"

func TestExcerptIsTheLineAtThePlace(t *testing.T) {
	t.Parallel()
	const text = "first line\n  second: a b c\nthird"
	for at, want := range map[int]string{
		-1: "first line", 0: "first line", 5: "first line", 10: "first line", 20: "second: a b c", 28: "third",
		100: "third",
	} {
		if got := excerpt(text, at); got != want {
			t.Errorf("at %d: %q, want %q", at, got, want)
		}
	}
	if got := excerpt("{\"a\": [1\n\n  ", 12); got != `{"a": [1` {
		t.Errorf("behind the text: %q", got)
	}
	if got := excerptOfLine(text, 2); got != "second: a b c" {
		t.Errorf("the second line: %q", got)
	}
	if got := excerpt("\n\n ", 3); got != "" {
		t.Errorf("of nothing: %q", got)
	}
}
