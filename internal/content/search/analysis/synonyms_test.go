package analysis

import (
	"strings"
	"testing"
)

// mostForms is how many forms of a word a question looks up.
const mostForms = 6

func TestSynonymsAreSingleWordsThatHaveAWordBeside(t *testing.T) {
	t.Parallel()
	for tag, lists := range synonyms {
		language := NewAnalyzer().Language(tag)
		seen := map[string]bool{}
		for line := range strings.Lines(lists) {
			group := strings.Fields(line)
			if len(group) == 1 {
				t.Errorf("%s: %q stands alone", tag, group)
			}
			for _, word := range group {
				if analysed := language.analyse(word, Compound); word != strings.ToLower(word) ||
					len(group) > mostForms || analysed[len(analysed)-1].Part != 0 {
					t.Errorf("%s: %q is no single word in lower case, or its group is too large", tag, word)
				}
				if language.stops[Fold(word)] {
					t.Errorf("%s: %q is a function word", tag, word)
				}
				if seen[word] {
					t.Errorf("%s: %q is in two groups", tag, word)
				}
				seen[word] = true
			}
		}
	}
}
