package asked

import (
	"slices"
	"strings"
	"sync"

	"frontdesk/internal/ask"
	"frontdesk/internal/content/released"
	"frontdesk/internal/content/search/analysis"
	"frontdesk/internal/operator/console/questions"
)

// chips are what was read from a question, each by itself.
func chips(u ask.Understanding) (all []string) {
	for _, c := range u.Corrected {
		all = append(all, c.From+" → "+c.To)
	}
	for _, f := range u.Filters {
		all = append(all, f.Text)
	}
	if u.Sort != nil {
		all = append(all, u.Sort.Text)
	}
	return all
}

// lookedFor is what of a question items were searched for by words, with what stands for words that
// were read as others.
func lookedFor(u ask.Understanding, text string) string {
	if u.Text == "" {
		return text
	}
	read := chips(u)
	parts := slices.DeleteFunc(strings.Split(u.Text, "; "), func(part string) bool {
		return slices.Contains(read, part)
	})
	return strings.Join(parts, " ")
}

var analyzer = sync.OnceValue(analysis.NewAnalyzer)

// whyFound says in which fields of a result the words stand that were looked for, each in the first
// that has it, and which stand in none that is shown.
func whyFound(looked string, r released.Result) (found []questions.Match, missing []string) {
	fields := []struct{ name, text string }{
		{questions.InName, r.Name()}, {questions.InDescription, r.Description()}, {questions.InText, r.Passage()},
	}
	terms, in := make([]map[string]bool, len(fields)), make([][]string, len(fields))
	for i, field := range fields {
		terms[i] = map[string]bool{}
		for w := range analyzer().Words(field.text, r.Language()) {
			terms[i][w.Term] = true
		}
	}
	words := analyzer().Language(r.Language())
	analysis.Scan(looked, func(start, end int, k analysis.Kind) bool {
		word := looked[start:end]
		token := words.Lookup(word, k)
		if token.Stop || len(token.Forms) == 0 {
			return true
		}
		at := slices.IndexFunc(terms, func(of map[string]bool) bool {
			return slices.ContainsFunc(token.Forms, func(f analysis.Form) bool { return of[f.Term] }) ||
				slices.ContainsFunc(token.Same, func(same string) bool { return of[same] })
		})
		switch {
		case at < 0 && !slices.Contains(missing, word):
			missing = append(missing, word)
		case at >= 0 && !slices.Contains(in[at], word):
			in[at] = append(in[at], word)
		}
		return true
	})
	for i, field := range fields {
		if len(in[i]) > 0 {
			found = append(found, questions.Match{Field: field.name, Words: in[i]})
		}
	}
	return found, missing
}
