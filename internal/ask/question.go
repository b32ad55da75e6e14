package ask

import (
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"frontdesk/internal/ask/i18n"
	"frontdesk/internal/ask/query"
	"frontdesk/internal/content"
	"frontdesk/internal/content/index"
	"frontdesk/internal/content/search"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/policy"
)

// The bounds of a question.
const (
	DefaultLimit = 10
	MaxLimit     = search.MaxLimit
	MaxText      = 4000 // characters
	maxNames     = 32   // sites or types that one question may name
)

// Question is a question to a Service.
type Question struct {
	Text string
	// Sites are names, hosts or ids of sites; none, or one that is "all", means all.
	Sites []string
	// Types are schema.org types; an item of a subtype is one too.
	Types []string
	// Limit is how many results are wanted, 1 to MaxLimit; 0 is DefaultLimit.
	Limit int
	// Most, where it is not 0, is how many results there are at most, whatever Limit and the
	// question's words say.
	Most int
	// Numbered says that Limit is what was asked for: a number among the words ("three recipes")
	// does not count then.
	Numbered bool
	// MinScore replaces the configured score below which an item is no answer; 0 to 100.
	MinScore *float64

	// Attributes are the further attributes of the question, each a JSON value, by name.
	Attributes map[string]jsontext.Value
	// Context is what was said before, and what is known beside the question.
	Context Context
	// Party is the verified id of who asks, empty for a stranger.
	Party string
	// Session is the conversation that the question is part of; nil for a client that cannot carry
	// one.
	Session *Session
	Remembering
	// Languages are the languages that the answer is wanted in, as BCP 47 tags, the best first.
	Languages []string
	// Report says whether the answer tells of all that matches, too.
	Report Reporting
	// Fresh asks for the sources to be read again first, where Service.CanReread says that this can
	// be asked.
	Fresh bool
	// Closest takes the nearest items for the answer where nothing is one.
	Closest bool
	// Record gives the request, as part of a conversation, in the form in which Keeper.Answer can
	// take it up again; nil when nothing can be promised.
	Record func(*Session) ([]byte, error)
	// Summarize says that the answer is waited for together with its summary.
	Summarize bool
	// AnswersOnly says that whoever asks understands nothing but answers: nothing is asked back or
	// promised.
	AnswersOnly bool
	// NoQuestions says that nothing is to be asked back.
	NoQuestions bool
}

// Remembering says whether what is asked is kept here for questions to come, and for whom.
type Remembering struct {
	Remember *bool // nil says nothing of it
	// Person is for whom the party says it asks, by any name: what is remembered for one is not for
	// another.
	Person string
	// Names are all names and addresses of that person, which are kept nowhere.
	Names []string
}

// Reporting says whether an answer tells of all that matches.
type Reporting uint8

// A question is answered without a report, with a report beside its items, or with a report instead
// of them.
const (
	NoReport Reporting = iota
	ReportBeside
	ReportAlone
)

// Context is what a question comes with (NLWeb 0.55 §3.2).
type Context struct {
	// Explained are the languages in which it is told how the question was read and why nothing is
	// found, where somebody else reads that than who asked; nil for Question.Languages.
	Explained []string
	Previous  []string // earlier questions, oldest first
	Texts     []string // the broader context, in prose
	Memory    []string // what is known about the person
	// Others are the attributes of contexts of other types, and Origins where each stands in the
	// request, as JSON pointer.
	Others  []map[string]jsontext.Value
	Origins []string
}

// Session is a conversation as its caller carries it (NLWeb 0.55 §3.4). It is no authority for
// anything.
type Session struct {
	Conversation string // its id, of the caller's choice or of ours
	State        string // sealed; empty for none
}

// check checks a question's values and brings them to the library's terms.
func (s *Service) check(q Question) (index.Question, error) {
	asked := index.Question{Text: q.Text, Limit: q.Limit, MinScore: s.deps.Reading.MinScore,
		Prefer: i18n.Tags(q.Languages...), AsSpelled: s.deps.Reading.AsSpelled, OwnWords: s.deps.Reading.OwnWords}
	if n := utf8.RuneCountInString(q.Text); n > MaxText {
		return asked, fail.New(fail.TooLong, "the question has %d characters; at most %d are read", n, MaxText)
	}
	if asked.Limit == 0 {
		asked.Limit = DefaultLimit
	}
	if asked.Limit < 1 || asked.Limit > MaxLimit {
		return asked, fail.New(fail.Malformed, "limit is %d; it must be between 1 and %d", q.Limit, MaxLimit)
	}
	asked.Limit = q.atMost(asked.Limit)
	if q.MinScore != nil {
		asked.MinScore = *q.MinScore
	}
	if !(asked.MinScore >= 0 && asked.MinScore <= 100) {
		return asked, fail.New(fail.Malformed, "min_score is %g; it must be between 0 and 100", asked.MinScore)
	}
	if len(q.Types) > maxNames || len(q.Sites) > maxNames {
		return asked, fail.New(fail.Malformed, "at most %d sites and %d types can be named", maxNames, maxNames)
	}
	for _, name := range q.Types {
		if query.Indifferent(name) {
			continue
		}
		name = policy.BareType(fail.Clip(name))
		if canonical, ok := content.KnownType(name); ok {
			name = canonical
		}
		asked.Types = append(asked.Types, name)
	}
	var err error
	asked.Sites, err = s.deps.Corpus.Sites().Resolve(q.Sites)
	return asked, err
}

// atMost is a number of results within the question's bounds.
func (q *Question) atMost(limit int) int {
	if q.Most > 0 {
		limit = min(limit, q.Most)
	}
	return min(limit, MaxLimit)
}
