package owner

import (
	"slices"
	"strings"
	"unicode/utf8"

	"frontdesk/internal/ask/facts"
	"frontdesk/internal/ask/practical"
	"frontdesk/internal/ask/quote"
	"frontdesk/internal/content"
	"frontdesk/internal/content/vector/words"
	"frontdesk/internal/infra/language"
)

// rate says how well a sentence answers.
func (s *search) rate(page, n int) float64 {
	one := &s.Directory.pages[page].sentences[n]
	score := bySentence*s.pages[page].in[int32(n)] - 0.02*float64(n)
	fit := byIntent * practical.Fit(s.Asked.Weights, one.weights())
	if !s.foreign(page) { // where words tell more
		fit /= 2
	}
	score += fit + byMeaning*words.Cosine(s.means, one.meaning())
	switch {
	case asks(one.text):
		score -= byName
	case strings.Count(one.text, " ") < fewWords && len(one.values()) == 0 && !language.IsJoined(one.text):
		// "Hire it." means about anything on hiring
		score -= byName / 2
	}
	for _, kind := range one.values() {
		switch {
		case kind == "money" && s.Asked.Has("how-much"), kind == "span" && s.Asked.Has("how-long"):
			score += byValue
		case slices.Contains(s.intent.Values, kind):
			score += byValue / 3
		}
	}
	for _, name := range s.Asked.Names {
		if telling(name) && slices.Contains(one.names(), name) {
			score += byName
		}
	}
	score += s.rateGroups(one)
	if s.Asked.Holiday != "" && slices.Contains(one.names(), s.Asked.Holiday) {
		score += byDay
	}
	return score + s.rateCountry(one)
}

// tellsCountry says whether a page says something of the country that is asked for: it names it,
// what it belongs to, or which ones there are.
func (s *search) tellsCountry(i int) bool {
	return len(s.Asked.Countries) == 0 || slices.ContainsFunc(s.Directory.pages[i].sentences, func(one sentence) bool {
		return len(one.countries()) > 0 ||
			slices.ContainsFunc(one.names(), func(name string) bool { return name == "elsewhere" || name == "europe" })
	})
}

// telling says whether a name of [words] is one by which a sentence is told from others: people,
// animals, days.
func telling(name string) bool {
	switch name {
	case "child", "student", "senior", "adult", "family", "group", "disabled", "dog", "free", "monday", "tuesday",
		"wednesday", "thursday",
		"friday", "saturday", "sunday":
		return true
	}
	return false
}

// grouping says whether a name of [words] is one of people that an answer may be for.
func grouping(name string) bool {
	switch name {
	case "child", "student", "senior", "family", "group", "disabled":
		return true
	}
	return false
}

// rateGroups says how well a sentence is on the people that are asked for: where none are, on what
// holds for anybody.
func (s *search) rateGroups(one *sentence) (score float64) {
	const weight = byName / 2.5
	if slices.Contains(one.names(), "adult") && !slices.ContainsFunc(s.Asked.Names, grouping) {
		return weight
	}
	for _, name := range one.names() {
		if grouping(name) && !slices.Contains(s.Asked.Names, name) {
			score -= weight
		}
	}
	return score
}

// onCountry says whether a sentence is on the country that is asked for, by its name or as one of
// others.
func (s *search) onCountry(one sentence) bool {
	european := facts.European(s.Asked.Countries[0])
	return slices.Contains(one.countries(), s.Asked.Countries[0]) ||
		slices.ContainsFunc(one.names(), func(name string) bool {
			return name == "elsewhere" || european && name == "europe"
		})
}

// rateCountry says how well a sentence is on the country that is asked for.
func (s *search) rateCountry(one *sentence) float64 {
	if len(s.Asked.Countries) == 0 {
		return 0
	}
	country := s.Asked.Countries[0]
	switch european := facts.European(country); {
	case slices.Contains(one.countries(), country):
		return byCountry
	case european && slices.Contains(one.names(), "europe"):
		return byCountry / 2
	case !european && slices.Contains(one.names(), "elsewhere"):
		return byCountry / 2
	case slices.Contains(one.names(), "elsewhere"):
		return byCountry / 4
	case len(one.countries()) > 0 && s.namesCountry:
		return -byCountry / 3
	case len(one.countries()) > 0: // those that there are
		return byCountry / 4
	}
	return 0
}

// quote is the sentence that answers, with those around it that answer about as well; of an
// answered question as much of the answer as is short.
func (s *search) quote(page, n int) string {
	p := &s.Directory.pages[page]
	texts := make([]string, len(p.sentences))
	for i := range p.sentences {
		texts[i] = p.sentences[i].text
	}
	whole := content.IsA(p.Type, "Question")
	even := func(i int) bool {
		placed := len(s.Asked.Countries) == 0 || len(p.sentences[i].countries()) > 0
		return whole || placed && s.rate(page, n)-s.rate(page, i) < even
	}
	return quote.Passage(texts, n, even, func(i int) float64 { return s.rate(page, i) })
}

// asks says whether a sentence is a question.
func asks(text string) bool {
	last, _ := utf8.DecodeLastRuneInString(text)
	return last == '?' || last == '？'
}
