package owner

import (
	"slices"
	"strings"

	"frontdesk/internal/ask/practical"
	"frontdesk/internal/content"
	"frontdesk/internal/content/facets"
)

// term is a word of the question as it is looked up.
type term struct {
	weight  float64
	subject bool // it is none by which the intent is asked for
}

// wording is the words of the question that say what is asked of, as a language has them, with the
// sum of their weights and that of the subject's.
type wording struct {
	terms          map[string]term
	whole, subject float64
}

// terms is the question's wording in a language. Words of the question before count half.
func (s *search) terms(language string) (map[string]term, float64, float64) {
	made, known := s.worded[language]
	if !known {
		made.terms, made.whole, made.subject = s.read(language)
		if s.worded == nil {
			s.worded = map[string]wording{}
		}
		s.worded[language] = made
	}
	return made.terms, made.whole, made.subject
}

func (s *search) read(language string) (terms map[string]term, whole, subject float64) {
	terms = map[string]term{}
	for i, text := range []string{s.Asked.Rest, s.Before} {
		for word := range analyzer().Words(text, language) {
			folded := facets.Fold(text[word.Start:word.End])
			if s.Asked.Common(folded) || folded == "" {
				continue
			}
			weight := s.weight(len(s.postings[language+" "+word.Term]))
			if i > 0 {
				weight /= 2
			}
			if old, known := terms[word.Term]; !known || weight > old.weight {
				terms[word.Term] = term{weight,
					!s.Asked.Usual(folded) && !slices.ContainsFunc(practical.NamesOf(folded), dated)}
			}
		}
	}
	for _, t := range terms {
		whole += t.weight
		if t.subject {
			subject += t.weight
		}
	}
	return terms, whole, subject
}

// dated says whether a name of [words] is read as more than words: a day, a country, how something
// is asked.
func dated(name string) bool {
	switch name {
	case "place", "yes", "no", "child", "student", "senior", "adult", "family", "group", "disabled", "dog", "free",
		"unit-time", "percent", "onward",
		"elsewhere", "europe":
		return false
	}
	return true
}

// strange is the share of the question that a page says nothing of: words that are in none of its
// sentences, and are not those by which anybody asks practical questions.
func (s *search) strange(i int) float64 {
	language := s.Directory.pages[i].Language
	if s.Asked.Language == "ja" { // whose words cannot be told apart
		return 0
	}
	terms, whole, _ := s.terms(language)
	missing := 0.0
	for field := range strings.FieldsSeq(s.Asked.Rest) {
		if folded := facets.Fold(field); s.Asked.IsPractical(folded) ||
			slices.ContainsFunc(practical.NamesOf(folded), told) {
			continue
		}
		for word := range analyzer().Words(field, language) {
			t := terms[word.Term]
			if t.subject && !slices.ContainsFunc(s.postings[language+" "+word.Term],
				func(at posting) bool { return int(at.page) == i }) {
				missing += t.weight
			}
		}
	}
	return missing / max(whole, 0.01)
}

// told says whether a name of [words] is one of people or animals, which a page may call otherwise.
func told(name string) bool {
	return name == "place" || telling(name)
}

// narrow is the share of a question's name that the question here does not ask, nor anybody who
// asks for the same: a place to leave the pram is none to park.
func (s *search) narrow(i int) float64 {
	p := &s.Directory.pages[i]
	if !content.IsA(p.Type, "Question") || s.foreign(i) || s.Asked.Language == "ja" {
		return 0
	}
	terms, _, _ := s.terms(p.Language)
	missing, whole := 0.0, 0.01
	for word := range analyzer().Words(p.Name, p.Language) {
		folded := facets.Fold(p.Name[word.Start:word.End])
		if s.Asked.Common(folded) {
			continue
		}
		weight := s.weight(len(s.postings[p.Language+" "+word.Term]))
		whole += weight
		if _, asked := terms[word.Term]; !asked && !s.Asked.Usual(folded) &&
			!slices.ContainsFunc(practical.NamesOf(folded), s.Asked.Has) {
			missing += weight
		}
	}
	return missing / whole
}

// foreign says whether a page is in another language than the question.
func (s *search) foreign(i int) bool {
	return base(s.Asked.Language) != base(s.Directory.pages[i].Language)
}

// base is a language without its region.
func base(tag string) string {
	tag, _, _ = strings.Cut(strings.ToLower(tag), "-")
	return tag
}
