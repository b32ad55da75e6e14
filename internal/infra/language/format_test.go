package language

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestTablesAreReadLineByLine(t *testing.T) {
	t.Parallel()
	var lines []Line
	source := "# a comment\n\nfirst: a; b\n[section]\n  key two = c | d |\n[]\nlast: =e"
	if err := Read("xx.txt", source, ":=", func(line Line) error { lines = append(lines, line); return nil }); err !=
		nil {
		t.Fatal(err)
	}
	want := []Line{{"", "first", ':', "a; b"}, {"section", "key two", '=', "c | d |"}, {"", "last", ':', "=e"}}
	if !slices.Equal(lines, want) {
		t.Errorf("%+v", lines)
	}
	if got := lines[1].Phrases("|"); !slices.Equal(got, []string{"c", "d"}) {
		t.Errorf("%q", got)
	}
}

func TestMistakesNameTheirLine(t *testing.T) {
	t.Parallel()
	refuse := func(Line) error { return errors.New("unknown key") }
	for source, want := range map[string]string{
		"\n\nno key":    `xx.txt:3: "no key" has no key before one of "="`,
		"# said\na = b": "xx.txt:2: unknown key",
	} {
		if err := Read("xx.txt", source, "=", refuse); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", source, err)
		}
	}
}
