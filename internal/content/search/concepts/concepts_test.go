package concepts

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"frontdesk/internal/infra/language"
)

func TestTablesKeepTheirFormat(t *testing.T) {
	t.Parallel()
	read, err := readTables()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range read {
		for column, words := range c.words {
			if len(words) == 0 && column > 0 && len(c.words[1]) > 0 {
				t.Errorf("%s: no word in %s", c.words[0][0], Tags[column])
			}
			for i, word := range words {
				if slices.Contains(words[:i], word) {
					t.Errorf("%s: %s is there twice", c.words[0][0], word)
				}
				if strings.ContainsAny(word, "<[]#;") {
					t.Errorf("%s: %q has signs of the format in it", c.words[0][0], word)
				}
			}
		}
	}
}

// A word may mean several things, as pan and bread, but not a thing and what it is a kind of, where
// it would find too much or too little, nor more than a few.
func TestWordsHaveFewMeanings(t *testing.T) {
	t.Parallel()
	const most = 4
	for _, tag := range Tags {
		l := In(tag)
		for word, ids := range l.meanings {
			var names []string
			for _, id := range ids {
				names = append(names, all()[id].words[0][0])
			}
			if len(ids) > most {
				t.Errorf("%s: %s means %s", tag, word, strings.Join(names, "; "))
			}
		}
	}
}

// Japanese words are looked for as pairs of characters. A short one in Kana that stands in words
// for other things is looked for only where it is the usual one.
func TestShortWordsInKanaStandInNoOthers(t *testing.T) {
	t.Parallel()
	const column = len(Tags) - 1
	for i, c := range all() {
		for _, word := range c.words[column][min(1, len(c.words[column])):] {
			if r := []rune(word); len(r) > 2 || !kana(r[0]) || !kana(r[len(r)-1]) {
				continue
			}
			for j, other := range all() {
				if i == j || related(ID(i), ID(j)) {
					continue
				}
				for _, longer := range other.words[column] {
					_, after, found := strings.Cut(longer, word)
					if next, _ := utf8.DecodeRuneInString(after); found && kana(next) {
						t.Errorf("%s: %s stands in %s: write ~%s", c.words[0][0], word, longer, word)
					}
				}
			}
		}
	}
}

func kana(r rune) bool { return unicode.In(r, unicode.Hiragana, unicode.Katakana) || r == 'ー' }

// related says whether one of two concepts is a kind of the other.
func related(a, b ID) bool {
	return slices.Contains(below(all(), []ID{a}), b) || slices.Contains(below(all(), []ID{b}), a)
}

func TestATableThatBreaksTheFormatIsRefused(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"pan|Pfanne":                   "2 columns",
		"|a|b|c|d|e|f":                 "no English word",
		"pan\na\npan|||||":             "6 columns",
		"pan < dish":                   `no concept "dish"`,
		"a < b\nb < a":                 "is a kind of itself",
		"[pan]\npan":                   "is a kind of itself",
		"a|b|c|d|e|f|g\na|b|c|d|e|f|g": "is there twice",
	} {
		r := reader{byName: map[string]ID{}}
		err := language.Read("test.txt", text, "", r.line)
		if err == nil {
			err = r.link()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, not %q", text, err, want)
		}
	}
}

func TestWordsThatBelongTogether(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ from, asked, to, finds string }{
		{"de", "Teekanne", "en", "teapot"},
		{"en", "crockery", "en", "mug*"},
		{"en", "crockery", "ja", "マグカップ*"},
		{"it", "calzature", "it", "scarponi*"},
		{"fr", "maillot de bain", "it", "costume intero"},
		{"ja", "水筒", "de", "Trinkflasche"},
		{"es", "té verde", "en", "green tea"},
		{"en", "penne", "en", "!pasta"}, // only downwards
		{"de", "Nachtisch", "de", "Apfelstrudel*"},
		{"en", "main course", "it", "risotto*"},
		{"fr", "dessert", "de", "Rote Grütze*"},
		{"es", "entrante", "en", "bruschetta*"},
		{"en", "almond", "de", "Marzipan*"},
		{"it", "falla di sicurezza", "en", "vulnerability"},
		{"en", "telly", "de", "Fernseher"},
		{"en", "nails done", "fr", "vernis semi-permanent"},
		{"de", "Sprachkurs", "de", "Spanisch A1*"},
		{"de", "Sprachkurs", "en", "!Spanish*"}, // which a page says of its people, too
		{"de", "Kochkurs", "de", "thailändisch kochen"},
		{"de", "Färbekurs", "es", "tintes naturales"},
	} {
		phrase, l := c.asked, In(c.from)
		if c.from != "ja" {
			phrase = strings.Join(Terms(analyzer().Language(c.from), c.asked), " ")
		}
		var found []string
		for _, p := range Phrases(l.Meanings(phrase), c.to) {
			text := p.Text
			if p.Kind {
				text += "*"
			}
			found = append(found, text)
		}
		want, not := strings.CutPrefix(c.finds, "!")
		if slices.Contains(found, want) == not {
			t.Errorf("%s in %s finds in %s: %s", c.asked, c.from, c.to, fmt.Sprint(found))
		}
	}
}
