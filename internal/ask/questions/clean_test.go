package questions

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestCleanCutsOutWhatTellsOfAPerson(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{"where is my order", "where is my order"},
		{"  where\n is\tmy \u200border ", "where is my order"},
		{"write to anna@example.com, please", "write to [mail] please"},
		{"write to anna @ example.com please", "write to [mail] please"},
		{"mailto:anna%40example.com", "[mail]"},
		{"anna＠example.com", "[mail]"},
		{"https://anna:secret@example.com/a?b", "[link]"},
		{"is https://example.com/a?token=abc#x there", "is https://example.com/a there"},
		{"call +43 660 123 45 67 now", "call +[number] now"},
		{"call (0660) 12-34-56", "call ([number]"},
		{"order 123456", "order [number]"},
		{"order 12345", "order 12345"},
		{"order AB12CD34EF56X", "order [number]"},
		{"order ١٢٣٤٥٦", "order [number]"},
		{"IBAN AT61 1904 3002 3457 3201", "IBAN AT[number]"},
		{"between 10 and 20 euros for 4 people in 2027", "between 10 and 20 euros for 4 people in 2027"},
		{"", ""},
	} {
		if got := Clean(c.text); got != c.want {
			t.Errorf("Clean(%q) = %q, want %q", c.text, got, c.want)
		}
	}
}

func TestCleanCutsOutNames(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, name, want string }{
		{"Is anything there for Renée Müller-Weiß?", "renee muller-weiss",
			"Is anything there for [name] [name]-[name]?"},
		{"anna's order", "Anna", "[name]'s order"},
		{"order of ANNA.", "Anna", "order of [name]."},
		{"what does anna.gruber have", "anna.gruber@example.com", "what does [name].[name] have"},
		{"la carte de Li", "Li", "la carte de [name]"},
		{"la carte de Maria", "Maria de la Cruz", "la carte de [name]"},
		{"田中さんの予約", "田中", "[name]さんの予約"},
		{"nothing of it", "", "nothing of it"},
	} {
		if got := Clean(c.text, c.name); got != c.want {
			t.Errorf("Clean(%q, %q) = %q, want %q", c.text, c.name, got, c.want)
		}
	}
}

func FuzzClean(f *testing.F) {
	f.Add("call +43 660 123 45 67 now", "Anna")
	f.Add(strings.Repeat("1 ", 5000), strings.Repeat("é", 300))
	f.Fuzz(func(t *testing.T, text, name string) {
		got := Clean(text, name)
		if n := utf8.RuneCountInString(got); n > maxText || !utf8.ValidString(got) {
			t.Errorf("%d runes, valid %v", n, utf8.ValidString(got))
		}
		if hasAddress(got) {
			t.Errorf("Clean(%q) = %q has an address", text, got)
		}
		if again := Clean(got); countDigits(again) < countDigits(got) && utf8.RuneCountInString(got) < maxText {
			t.Errorf("%q has a number yet: %q", got, again)
		}
	})
}

// hasAddress says whether a word has an @ beside something else.
func hasAddress(text string) bool {
	for word := range strings.FieldsSeq(text) {
		if strings.ContainsAny(word, "@＠") && utf8.RuneCountInString(word) > 1 {
			return true
		}
	}
	return false
}
