package language

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// reading are the packages, beside this one, that read questions and items and word answers.
var reading = []string{
	"ask", "ask/details", "ask/elicitation", "ask/extremes", "ask/facts", "ask/i18n", "ask/owner", "ask/practical",
	"ask/query", "ask/refusals",
	"content/facets", "content/index", "content/search/concepts", "content/taxonomy",
}

// letters are what code may name that is no word: why, by the literal.
var letters = map[string]string{
	"ß": "folded to ss", "æ": "folded to ae", "Æ": "folded to ae", "œ": "folded to oe", "Œ": "folded to oe",
	"ø": "folded to o", "Ø": "folded to o",
	"ı": "folded to i", "º": "an ordinal in many languages", "µ": "a unit", "zł": "the sign of a currency",
	"Kč": "the sign of a currency", "ー": "a mark of length",
	`^[°º] ?C\b`: "the sign of degrees, which many keyboards have as an ordinal",
	"comment":    "a property of schema.org",
	"per ":       "a key of the tables of extremes",
}

func TestCodeNamesNoPhrase(t *testing.T) {
	t.Parallel()
	common := map[string]string{} // common words of other languages than English, with their language
	english := map[string]bool{}
	for list := range tables()[0].Each("function") {
		for _, word := range list.Phrases {
			english[word] = true
		}
	}
	for _, table := range tables()[1:] {
		for list := range table.Each("function") {
			for _, word := range list.Phrases {
				if len(word) > 2 && !english[word] {
					common[word] = table.Tag
				}
			}
		}
	}
	for _, folder := range reading {
		files, err := filepath.Glob("../../" + folder + "/*.go")
		if err != nil || len(files) == 0 {
			t.Fatalf("%s has no code: %v", folder, err)
		}
		for _, file := range files {
			if !strings.HasSuffix(file, "_test.go") {
				for at, literal := range literalsOf(t, file) {
					if word := phraseIn(literal, common); word != "" {
						t.Errorf("%s: %q has %q, which belongs into the tables of languages (docs/languages.md)", at,
							literal, word)
					}
				}
			}
		}
	}
}

// literalsOf are the texts and characters in a file of code, by where they stand.
func literalsOf(t *testing.T, file string) map[string]string {
	files := token.NewFileSet()
	code, err := parser.ParseFile(files, file, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	literals := map[string]string{}
	ast.Inspect(code, func(n ast.Node) bool {
		if _, imports := n.(*ast.ImportSpec); imports {
			return false
		}
		if literal, ok := n.(*ast.BasicLit); ok && (literal.Kind == token.STRING || literal.Kind == token.CHAR) {
			literals[files.Position(literal.Pos()).String()], err = strconv.Unquote(literal.Value)
		}
		return err == nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return literals
}

// phraseIn is the word of a natural language in a literal: one with letters that no identifier has,
// or a common one of another language than English, in which code and errors are written.
func phraseIn(literal string, common map[string]string) string {
	if _, explained := letters[literal]; explained {
		return ""
	}
	foreign := strings.IndexFunc(literal, func(r rune) bool { return r > unicode.MaxASCII && unicode.IsLetter(r) })
	if foreign >= 0 {
		return literal[foreign:]
	}
	for word := range strings.FieldsFuncSeq(literal, func(r rune) bool { return strings.ContainsRune(",;|", r) }) {
		if word = strings.TrimSpace(word); common[word] != "" {
			return word
		}
	}
	return ""
}
