// Package tuning keeps what an owner says to mend answers, and finds what of it is for a question:
// words that mean others, items that are pinned to a question, answers that were written for one,
// and questions that are no problem.
//
// The package owns its tables and a version that grows with each change, so that every node notices
// it. It knows no items and no terms: package ask puts the entries into answers, and never past the
// terms. Enter by [New]; [Store.Rules] is what is in force.
package tuning

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"frontdesk/internal/ask/query"
	"frontdesk/internal/content/facets"
	"frontdesk/internal/infra/fail"
)

// The kinds of entries.
const (
	Synonym = "synonym" // words are read as others
	Pin     = "pin"     // items come first for a question
	Answer  = "answer"  // a text comes first for a question
	Ignore  = "ignore"  // a question is not counted as a problem
)

// Kinds are the kinds, in the order in which they are listed.
var Kinds = []string{Synonym, Pin, Answer, Ignore}

// The bounds of entries.
const (
	MaxEntries  = 2000
	MaxWords    = 10 // phrases of a synonym
	maxPhrase   = 80 // characters of one, and
	maxTokens   = 6  // words
	MaxItems    = 3  // that are pinned
	maxQuestion = 300
	MaxText     = 2000 // characters of an answer
	maxAddress  = 2048 // bytes
)

// Entry is one thing that an owner says.
type Entry struct {
	ID   string
	Kind string
	// Words are what visitors say for Means. With Both, each stands for every other.
	Words []string
	Means string
	Both  bool
	// Language is a BCP 47 tag of the language whose questions alone a synonym is for; empty for
	// all.
	Language string
	// Question is what a pin, an answer or an ignored question is about. It is for all questions
	// with the same normal form (query.Normal).
	Question string
	Items    []string // addresses of items, for a pin
	Text     string   // of an answer
	Link     string   // where an answer comes from
	// Until is when it ends; zero for never.
	Until time.Time
	Off   bool
	By    string // who changed it last: the id of a key; empty for the command line

	Created, Changed time.Time // UTC
	Uses             int64     // in the last UseDays days; told alone
}

// On says whether an entry is in force.
func (e *Entry) On(now time.Time) bool { return !e.Off && (e.Until.IsZero() || now.Before(e.Until)) }

// About is what an entry is about, in a few words.
func (e *Entry) About() string {
	if e.Kind != Synonym {
		return e.Question
	}
	arrow := " → "
	if e.Both {
		arrow = " ↔ "
	}
	return strings.Join(e.Words, ", ") + arrow + e.Means
}

// Check says what is wrong with an entry, and brings its texts into their form.
func (e *Entry) Check() error {
	if e.ID != "" && !isID(e.ID) {
		return fail.New(fail.Invalid, "id: %.80q is no id; use up to 40 lower-case letters, digits and dashes", e.ID)
	}
	for _, text := range []*string{&e.Means, &e.Question, &e.Link, &e.Language} {
		*text = strings.Join(strings.Fields(strings.ToValidUTF8(*text, "")), " ")
	}
	e.Text = strings.TrimSpace(strings.ToValidUTF8(e.Text, ""))
	check, known := checks[e.Kind]
	if !known {
		return fail.New(fail.Invalid, "kind: %.40q is none; it is one of %s", e.Kind, strings.Join(Kinds, ", "))
	}
	if e.Kind != Synonym && (len(e.Words) > 0 || e.Means != "" || e.Both || e.Language != "") {
		return fail.New(fail.Invalid, "words, means, both and language are of a %s; leave them out", Synonym)
	}
	if e.Kind != Pin && len(e.Items) > 0 {
		return fail.New(fail.Invalid, "items are of a %s; leave them out", Pin)
	}
	if e.Kind != Answer && (e.Text != "" || e.Link != "") {
		return fail.New(fail.Invalid, "text and link are of an %s; leave them out", Answer)
	}
	return check(e)
}

// checks are those of each kind.
var checks = map[string]func(*Entry) error{
	Synonym: (*Entry).checkSynonym,
	Pin:     (*Entry).checkPin,
	Answer:  (*Entry).checkAnswer,
	Ignore:  (*Entry).checkQuestion,
}

func (e *Entry) checkSynonym() error {
	if e.Question != "" {
		return fail.New(fail.Invalid, "question: a %s is for every question; leave it out", Synonym)
	}
	if e.Language != "" && facets.LanguageNamed(e.Language) == 0 {
		return fail.New(fail.Invalid, "language: %.40q is none that questions are read in; leave it out for all",
			e.Language)
	}
	var words []string
	seen := map[string]bool{}
	for _, phrase := range e.Words {
		phrase = strings.Join(strings.Fields(strings.ToValidUTF8(phrase, "")), " ")
		if phrase == "" || seen[key(phrase)] {
			continue
		}
		if err := checkPhrase("words", phrase); err != nil {
			return err
		}
		seen[key(phrase)] = true
		words = append(words, phrase)
	}
	e.Words = words
	if len(words) == 0 || len(words) > MaxWords {
		return fail.New(fail.Invalid, "words: give 1 to %d that visitors say; there are %d", MaxWords, len(words))
	}
	if err := checkPhrase("means", e.Means); err != nil {
		return err
	}
	if seen[key(e.Means)] {
		return fail.New(fail.Invalid, "means: %.80q is among the words already; say what else they mean", e.Means)
	}
	return nil
}

func checkPhrase(field, phrase string) error {
	switch n := len(spans(phrase)); {
	case n == 0:
		return fail.New(fail.Invalid, "%s: %.80q has no word", field, phrase)
	case n > maxTokens || utf8.RuneCountInString(phrase) > maxPhrase:
		return fail.New(fail.Invalid,
			"%s: %.80q is longer than %d words or %d characters; a whole question is mended by a %s "+
				"or an %s", field, phrase, maxTokens, maxPhrase, Pin, Answer)
	}
	return nil
}

func (e *Entry) checkQuestion() error {
	if query.Normal(e.Question) == "" {
		return fail.New(fail.Invalid, "question: write the question that it is for")
	}
	if utf8.RuneCountInString(e.Question) > maxQuestion {
		return fail.New(fail.Invalid, "question: it has more than %d characters", maxQuestion)
	}
	return nil
}

func (e *Entry) checkPin() error {
	if err := e.checkQuestion(); err != nil {
		return err
	}
	var items []string
	for _, item := range e.Items {
		item = strings.TrimSpace(item)
		if item == "" || slices.Contains(items, item) {
			continue
		}
		if err := checkAddress("items", item); err != nil {
			return err
		}
		items = append(items, item)
	}
	e.Items = items
	if len(items) == 0 || len(items) > MaxItems {
		return fail.New(fail.Invalid, "items: give the addresses of 1 to %d items; there are %d", MaxItems, len(items))
	}
	return nil
}

func (e *Entry) checkAnswer() error {
	if err := e.checkQuestion(); err != nil {
		return err
	}
	if n := utf8.RuneCountInString(e.Text); n == 0 || n > MaxText {
		return fail.New(fail.Invalid, "text: write the answer in 1 to %d characters; there are %d", MaxText, n)
	}
	return checkAddress("link", e.Link)
}

func checkAddress(field, address string) error {
	at, err := url.Parse(address)
	if err != nil || at.Scheme != "https" && at.Scheme != "http" || at.Host == "" || at.User != nil ||
		len(address) > maxAddress {
		return fail.New(fail.Invalid,
			"%s: %.100q is no address of a page; write it like https://www.example.com/returns",
			field, address)
	}
	return nil
}

// reserved are ids that name operations beside the entries.
var reserved = []string{"export", "import", "preview"}

func isID(s string) bool {
	for i, r := range s {
		if !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || i > 0 && r == '-') {
			return false
		}
	}
	return s != "" && len(s) <= 40 && !slices.Contains(reserved, s)
}

// clashes says that another entry says something for the same words or question.
func (e *Entry) clashes(other *Entry) error {
	if e.Kind != other.Kind || e.ID == other.ID {
		return nil
	}
	if e.Kind != Synonym {
		if query.Normal(e.Question) != query.Normal(other.Question) {
			return nil
		}
		return fail.New(fail.Invalid, "question: there is the %s %s for this question; change that", e.Kind, other.ID)
	}
	if e.Language != "" && other.Language != "" && !strings.EqualFold(e.Language, other.Language) {
		return nil
	}
	theirs := other.said()
	for _, phrase := range e.said() {
		if slices.Contains(theirs, phrase) {
			return fail.New(fail.Invalid, "words: %.80q stands in the synonym %s; change that", phrase, other.ID)
		}
	}
	return nil
}

// said are the keys of the phrases that are read as others.
func (e *Entry) said() (keys []string) {
	for _, phrase := range e.phrases() {
		keys = append(keys, key(phrase))
	}
	return keys
}

// phrases are the phrases that are read as others.
func (e *Entry) phrases() []string {
	if e.Both {
		return append(slices.Clone(e.Words), e.Means)
	}
	return e.Words
}

// Same says whether two entries say the same.
func (e *Entry) Same(other *Entry) bool {
	return fmt.Sprintf("%q", e.told()) == fmt.Sprintf("%q", other.told())
}

func (e *Entry) told() []any {
	return []any{e.Kind, e.Words, e.Means, e.Both, e.Language, e.Question, e.Items, e.Text, e.Link,
		e.Until.UTC().Format(time.RFC3339), e.Off}
}
