// Package quote chooses the sentence of an item that answers a question.
//
// Enter at New, and ask the Question that it gives for the Best sentences of each item. A sentence
// is chosen by evidence: the words of the question that it has, how much it means what the question
// does, whether it has a value of the kind that is asked for, and where it stands. The weights of
// the evidence stand in weights.txt, a line "evidence weight"; the command test/fit fits them by
// logistic regression on the everyday questions of many sites.
//
// It has no I/O, and knows nothing of how items were found.
package quote

import (
	"context"
	"embed"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"frontdesk/internal/ask/details"
	"frontdesk/internal/content/facets"
	"frontdesk/internal/content/index"
	"frontdesk/internal/content/search"
	"frontdesk/internal/content/vector/words"
	"frontdesk/internal/infra/language"
)

//go:embed weights.txt
var files embed.FS

const (
	maxSentences = 40  // of an item among which is chosen
	maxRunes     = 240 // of a sentence that is quoted
	maxPassage   = 300 // of one with those around it
)

// Evidence names the evidence for a sentence, in the order of the values of a Sentence.
var Evidence = []string{"words", "alike", "titled", "value", "early", "before"}

var weights = sync.OnceValue(func() []float64 {
	w := make([]float64, len(Evidence))
	for _, columns := range language.Records(files, "weights.txt") {
		if i := slices.Index(Evidence, columns[0]); i >= 0 {
			w[i], _ = strconv.ParseFloat(columns[1], 64)
		}
	}
	return w
})

// Question is a question of which answering sentences are chosen. It may be used from many
// goroutines.
type Question struct {
	terms   []search.Term
	whole   float64      // the weight of all terms
	kind    string       // of the value that is asked for; see [details.Has]
	meaning words.Vector // of its text; nil where it has none
}

// New is a question by its text and by what became of its words when they were looked for.
func New(text string, terms []search.Term) *Question {
	q := &Question{terms: terms}
	for _, t := range terms {
		if t.Use != search.Stop {
			q.whole += t.Weight
		}
	}
	if asked, ok := details.Read(text); ok && asked.Kind != "open" {
		q.kind = asked.Kind
	}
	q.meaning, _ = words.Builtin().Embed(text)
	return q
}

// Item is what is quoted: what was released of it and nothing else.
type Item struct{ Name, Language, Text string }

// Sentence is a sentence of an item, with the evidence that it answers, each about from -1 to 1.
type Sentence struct {
	Text   string
	Values []float64
}

// Sentences are those of an item among which is chosen, each with its evidence.
func (q *Question) Sentences(item Item) (all []Sentence) {
	named := index.Covered(q.terms, item.Name, item.Language)
	before := 0.0
	for _, text := range Split(item.Text) {
		i := len(all)
		if i == maxSentences {
			break
		}
		if slices.ContainsFunc(all, func(s Sentence) bool { return s.Text == text }) { // a description told once more
			continue
		}
		has := q.share(index.Covered(q.terms, text, item.Language), named)
		one := Sentence{text,
			[]float64{has, q.alike(text), q.alike(item.Name + " " + text), 0, -math.Log1p(float64(i)), before}}
		if q.kind != "" && details.Has(text, q.kind) {
			one.Values[3] = 1
		}
		all, before = append(all, one), has
	}
	answering := slices.DeleteFunc(slices.Clone(all), func(s Sentence) bool { return asks(s.Text) })
	if len(answering) == 0 {
		return all
	}
	return answering
}

// asks says whether a sentence asks, and so answers nothing.
func asks(text string) bool { return strings.HasSuffix(text, "?") || strings.HasSuffix(text, "？") }

// share is the share of the question's weight that stands in a sentence and not in the name of its
// item.
func (q *Question) share(in, named []bool) (share float64) {
	for i, t := range q.terms {
		if in[i] && !named[i] && t.Use != search.Stop {
			share += t.Weight / q.whole
		}
	}
	return share
}

// alike is how much a text means what the question does.
func (q *Question) alike(text string) float64 {
	meaning, _ := words.Builtin().Embed(text)
	return words.Cosine(q.meaning, meaning)
}

// close is how much less may speak for a sentence that is told beside the best.
const close = 2.5

// Best is the sentence of an item that answers best; empty where its text has none, or says no more
// than its name. With more, those around it that answer about as well are told, too.
func (q *Question) Best(ctx context.Context, item Item, more bool) string {
	all := q.Sentences(item)
	if trial, ok := ctx.Value(trialKey{}).(*Trial); ok && trial.Sentences == nil {
		trial.Sentences = all
	}
	texts, scores := make([]string, len(all)), make([]float64, len(all))
	best := -1
	for i, one := range all {
		texts[i], scores[i] = one.Text, Score(weights(), one.Values)
		if best < 0 || scores[i] > scores[best] {
			best = i
		}
	}
	switch {
	case best < 0 || strings.EqualFold(strings.Trim(all[best].Text, " .!?"), strings.Trim(item.Name, " .!?")):
		return ""
	case more:
		return Passage(texts, best, func(i int) bool { return scores[best]-scores[i] < close },
			func(i int) float64 { return scores[i] })
	}
	return Shorten(all[best].Text)
}

// Passage is the sentence of a text that answers best, with those around it that answer about as
// well, the better first, as far as all of it has at most 300 runes.
func Passage(sentences []string, best int, even func(i int) bool, score func(i int) float64) string {
	from, to := best, best+1
	left := maxPassage - utf8.RuneCountInString(sentences[best])
	fits := func(i int) bool {
		return i >= 0 && i < len(sentences) && even(i) && utf8.RuneCountInString(sentences[i]) < left
	}
	for {
		next := to
		if before := fits(from - 1); before && (!fits(to) || score(from-1) > score(to)) {
			next = from - 1
		} else if !fits(to) {
			break
		}
		left -= 1 + utf8.RuneCountInString(sentences[next])
		from, to = min(from, next), max(to, next+1)
	}
	if to-from == 1 {
		return Shorten(sentences[best])
	}
	return strings.Join(strings.Fields(strings.Join(sentences[from:to], " ")), " ")
}

// Score is how much evidence speaks for a sentence by some weights.
func Score(weights, values []float64) (score float64) {
	for i, value := range values {
		score += weights[i] * value
	}
	return score
}

// Counts says whether a sentence has a figure right before a word of a question that the name of
// its item lacks: "576 tiles", "carries 90 kilos".
func Counts(sentence, language string, terms []search.Term, named []bool) bool {
	figure := false
	for word := range strings.FieldsSeq(sentence) {
		if figure {
			for i, has := range index.Covered(terms, word, language) {
				if has && !named[i] && terms[i].Use != search.Stop {
					return true
				}
			}
		}
		_, spelled := facets.NumberWord(facets.Fold(word))
		figure = spelled || word[0] >= '0' && word[0] <= '9'
	}
	return false
}

// Split cuts a text at sentence ends and line breaks.
func Split(text string) []string {
	var out []string
	start := 0
	for end := range index.SentenceEnds(text) {
		if s := strings.TrimSpace(text[start:end]); s != "" {
			out = append(out, s)
		}
		start = end
	}
	return out
}

// Shorten puts a sentence on one line of at most 240 runes.
func Shorten(sentence string) string {
	return shorten(strings.Join(strings.Fields(sentence), " "), maxRunes)
}

// shorten cuts a text at a word's end so that it has at most limit runes, and marks the cut.
func shorten(text string, limit int) string {
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	runes := []rune(text)[:limit]
	cut := limit
	for i := limit - 1; i > limit/2; i-- {
		if unicode.IsSpace(runes[i]) {
			cut = i
			break
		}
	}
	return strings.TrimRight(string(runes[:cut]), " ,;:.-–—\n") + "…"
}

// Trial is told among which sentences of the first item was chosen, so that weights can be fitted.
type Trial struct{ Sentences []Sentence }

type trialKey struct{}

// Try has the questions that are asked in a context tell a trial what was chosen among.
func Try(ctx context.Context, t *Trial) context.Context { return context.WithValue(ctx, trialKey{}, t) }
