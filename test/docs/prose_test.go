package docs

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"frontdesk/internal/testkit/process"
)

// The rules of pages for readers.
const (
	tooLong   = "words"   // a page has at most maxWords
	noExample = "example" // something to copy or look at stands in the first screen
	longCell  = "cell"    // a table's cell has at most maxCell words, on reference pages maxReferenceCell
	badWord   = "word"    // the words of banned have better ones
	noNext    = "next"    // the last line says where to go on
)

const (
	maxWords         = 1200
	firstScreen      = 14 // lines
	maxCell          = 25
	maxReferenceCell = 40
)

// forOthers are pages that no reader of the documentation has to read: those for contributors, and
// the map.
var forOthers = []string{"decisions.md", "performance.md", "testing.md", "README.md"}

// reference are pages in which things are looked up.
var reference = []string{
	"nlweb.md", "nlweb-answers.md", "nlweb-divergences.md", "ledger.md", "glossary.md", "ramp-http.md",
	"ramp-divergences.md", "ramp-divergences-sales.md", "ramp-divergences-others.md", "configuration.md",
}

// looksUp tells whether a page is one of these, or lies in their folder.
func looksUp(name string) bool {
	return slices.Contains(reference, name) || strings.HasPrefix(name, "reference/")
}

// quoted are pages that repeat what the program says in its help, in openapi.json and beside its
// metrics, whose words are held elsewhere.
var quoted = regexp.MustCompile(`^reference/(commands|http|metrics)`)

// banned are words that readers have to read twice, or that are nobody's but ours.
var banned = regexp.MustCompile(`(?i)\b(` + strings.Join([]string{
	"in the words of", "where nothing else is said", "what is unclear", "left the house", "the house", "is told of",
	"are told of", "by which", "of which", "to whom", "befell", "what befalls", "took what", "whoever", "stays inside",
	"tongues?", "shelf", "wares", "purse",
}, "|") + `)\b`)

var (
	codeBlock = regexp.MustCompile("(?ms)^```.*?^```")
	cellMarks = regexp.MustCompile("\\]\\([^)]*\\)|[`*|\\[]")
)

// proseFaults are the rules that a page breaks, each with a sentence.
func proseFaults(name, text string) map[string]string {
	faults := map[string]string{}
	prose := codeBlock.ReplaceAllString(text, "")
	if n := len(strings.Fields(prose)); n > maxWords {
		faults[tooLong] = fmt.Sprintf(
			"has %d words beside its code, and %d are the most: split it by what its readers want", n, maxWords)
	}
	lines := strings.Split(text, "\n")
	start := strings.Join(lines[:min(firstScreen, len(lines))], "\n")
	if !strings.Contains(start, "```") && !strings.Contains(start, "\n| ") && !strings.Contains(start, "For example") {
		faults[noExample] = "begins without an example"
	}
	most := maxCell
	if looksUp(name) {
		most = maxReferenceCell
	}
	for line := range strings.Lines(prose) {
		if !strings.HasPrefix(line, "|") {
			continue
		}
		for cell := range strings.SplitSeq(strings.ReplaceAll(line, `\|`, ""), "|") {
			if n := len(strings.Fields(cellMarks.ReplaceAllString(cell, ""))); n > most {
				faults[longCell] = fmt.Sprintf("has a cell of %d words, and %d are the most: %.60s", n, most, cell)
			}
		}
	}
	if word := banned.FindString(prose); word != "" && !quoted.MatchString(name) {
		faults[badWord] = fmt.Sprintf("has %q, which has to be read twice: see how sentences are written", word)
	}
	if !strings.Contains(text, "\nNext: ") {
		faults[noNext] = "does not end with where to go on: Next: [page](page.md)"
	}
	return faults
}

// TestPagesCanBeRead holds the pages to the rules of how they are written.
func TestPagesCanBeRead(t *testing.T) {
	t.Parallel()
	root, err := process.Root()
	if err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil || len(names) < 50 {
		t.Fatalf("%d pages, %v", len(names), err)
	}
	generated, err := filepath.Glob(filepath.Join(root, "docs", "reference", "*.md"))
	if err != nil || len(generated) < 50 {
		t.Fatalf("%d pages of reference, %v", len(generated), err)
	}
	for _, file := range slices.Concat(names, generated) {
		name, err := filepath.Rel(filepath.Join(root, "docs"), file)
		if err != nil {
			t.Fatal(err)
		}
		if slices.Contains(forOthers, name) {
			continue
		}
		for rule, fault := range proseFaults(name, read(t, file)) {
			t.Errorf("docs/%s %s (rule %s)", name, fault, rule)
		}
	}
}

// TestAPageThatCannotBeReadIsFound gives the rules a page that breaks each.
func TestAPageThatCannotBeReadIsFound(t *testing.T) {
	t.Parallel()
	page := "# Terms\n\n" + strings.Repeat("The thing of which it is said. \n", 400) + "\n| a |\n| --- |\n|" +
		strings.Repeat(" word", 30) + " |\n"
	faults := proseFaults("terms.md", page)
	for _, rule := range []string{tooLong, noExample, longCell, badWord, noNext} {
		if faults[rule] == "" {
			t.Errorf("rule %s finds nothing: %v", rule, faults)
		}
	}
	if faults := proseFaults("ledger.md", "# A\n\n```\nx\n```\n\n| a |\n| --- |\n|"+strings.Repeat(" word", 30)+
		" |\n\nNext: [b](b.md)\n"); len(faults) > 0 {
		t.Errorf("a page of reference: %v", faults)
	}
}
