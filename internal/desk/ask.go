package desk

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"frontdesk/internal/ask/i18n"
	"frontdesk/internal/ask/query"
	"frontdesk/internal/ask/session"
	"frontdesk/internal/content"
	"frontdesk/internal/content/index"
	"frontdesk/internal/content/released"
	"frontdesk/internal/content/search"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/llm"
	"frontdesk/internal/policy"
)

// The bounds of a question.
const (
	DefaultLimit = 10
	MaxLimit     = search.MaxLimit
	MaxText      = 4000 // characters
	maxNames     = 32   // sites or types that one question may name
)

// chunk is how many results are loaded at a time, so that the first ones can leave early.
const chunk = 32

// Question is a question to the desk.
type Question struct {
	Text string
	// Sites are names, hosts or ids of sites; none, or one that is "all", means all.
	Sites []string
	// Types are schema.org types; an item of a subtype is one too.
	Types []string
	// Limit is how many results are wanted, 1 to MaxLimit; 0 is DefaultLimit.
	Limit int
	// Most, where it is not 0, is how many results there are at most, whatever Limit and the question's words say.
	Most int
	// Numbered says that Limit is what was asked for: a number among the words ("three recipes") does not count then.
	Numbered bool
	// MinScore replaces the configured score below which an item is no answer; 0 to 100.
	MinScore *float64

	// Attributes are the further attributes of the question, each a JSON value, by name.
	Attributes map[string]jsontext.Value
	// Context is what was said before, and what is known beside the question.
	Context Context
	// Party is the verified id of who asks, empty for a stranger.
	Party string
	// Session is the conversation that the question is part of; nil for a client that cannot carry one.
	Session *Session
	// Remember says whether the question may be remembered here for those to come; nil says nothing of it.
	Remember *bool
	// Person is for whom the party says it asks, by any name: what is remembered for one is not for another.
	Person string
	// Languages are the languages that the answer is wanted in, as BCP 47 tags, the best first.
	Languages []string
	// Report asks for a report on all that matches, and ReportOnly for no items beside it.
	Report, ReportOnly bool
	// Fresh asks for the sources to be read again first, where Desk.CanReread says that this can be asked.
	Fresh bool
	// Record gives the request, as part of a conversation, in the form in which Keeper.Answer can take it up again; nil when
	// nothing can be promised.
	Record func(*Session) ([]byte, error)
	// Summarize says that the answer is waited for together with its summary.
	Summarize bool
	// AnswersOnly says that whoever asks understands nothing but answers: nothing is asked back or promised.
	AnswersOnly bool
	// NoQuestions says that nothing is to be asked back.
	NoQuestions bool
}

// Context is what a question comes with (NLWeb 0.55 §3.2).
type Context struct {
	Previous []string // earlier questions, oldest first
	Texts    []string // the broader context, in prose
	Memory   []string // what is known about the person
	// Others are the attributes of contexts of other types, and Origins where each stands in the request, as JSON pointer.
	Others  []map[string]jsontext.Value
	Origins []string
}

// Reply is what became of a question: what was understood, and an answer, a question back or a promise, unless there is an
// error beside it.
type Reply struct {
	Understood  Understanding
	Answer      *Answer
	Elicitation *Elicitation
	Promise     *Promise
	Report      *Report // beside the answer, or instead of one
	Unread      string  // which sources could not be read again, though Question.Fresh asked for it; empty for none
	// Session is the conversation after the question, for the caller to come back with; nil if the question had none.
	Session *Session

	tab *llm.Tab
}

// inquiry is one question on its way through the stages of Ask.
type inquiry struct {
	Question
	asked      index.Question   // checked, and in the library's terms
	understood query.Understood // what is wanted
	telling    string           // the sentence that answers a comparison or a question for a detail; empty for none
	unread     string           // what could not be read again
	// talk is the conversation, its turns being those before this question. What a stage changes in it goes along with
	// the reply.
	talk     session.Conversation
	earlier  []session.Turn // the questions before this one that may matter to it, oldest first
	types    []string       // the types that the question names beside its words
	skip     int            // items that were given already
	only     []found        // the items that were pointed at; nil for none
	remarks  []remarked     // what is known beside the question
	ignored  []Unheeded     // what of its contexts has no effect
	worded   string         // the question's own words, without those of answers
	answered []string       // the questions asked back that this one answers
	settled  bool           // one of the answers was that anything will do
	tab      *llm.Tab       // what the answer takes of a model; nil without one
}

// Answer is what the desk decided to release for a question. The items are rendered as they are read. While a client
// takes its time, an Answer waits in memory, so it holds little: see found.
type Answer struct {
	desk   *Desk
	view   *released.View
	asked  index.Question
	parts  [][]found        // of chunk hits each
	given  int              // how many hits of the question stand before parts
	beyond int              // how many hits come after parts, to be found again when it is their turn
	ready  []*released.Card // of the first part; nil once it is forgotten
	terms  []search.Term

	tab               *llm.Tab     // what it takes of a model; nil without one
	wording, language string       // of the question, for a model
	telling           string       // what a summary begins with; see inquiry
	speaker           i18n.Speaker // says what a summary says itself
	sure              int          // how many hits, from the first on, meet every condition without a doubt

	relaxed []index.Relaxed // conditions that gave way
	// corrected are misspelt words that were taken for others.
	corrected []search.Correction
}

// found is a hit that may leave, in as few bytes as will do.
type found struct {
	listing *index.Listing
	score   float32 // one decimal of it is shown
	passage uint32
}

func (f found) hit() index.Hit {
	return index.Hit{Listing: f.listing, Score: float64(f.score), Passage: int(f.passage)}
}

// Ask answers a question, asks back, or promises an answer. It returns fail.Invalid for a value that is not served,
// fail.TooLong for a text beyond MaxText, fail.Unavailable before the content is loaded, what Config.Admit says and
// fail.NoResults when nothing fits that may be shown; a question that was understood has a reply then, too, which says
// how, and names the session.
func (d *Desk) Ask(ctx context.Context, q Question) (*Reply, error) {
	if err := d.Ready(); err != nil {
		return nil, err
	}
	in := &inquiry{Question: q, tab: d.config.Model.Tab()}
	var err error
	if in.asked, err = d.check(q); err != nil {
		return nil, err
	}
	if told := progressOf(ctx); told == nil || !told.resumed {
		if err := d.admit(ctx, in.asked.Sites); err != nil {
			return nil, err
		}
	}
	d.recall(ctx, in)
	d.heedAnswers(in)
	in.heedSpelling()
	var reply *Reply
	if err = d.understand(ctx, in); err == nil {
		reply, err = d.reply(ctx, in)
	}
	if reply == nil {
		reply = &Reply{}
	}
	reply.tab = in.tab
	d.conclude(ctx, in, reply)
	return reply, err
}

// reply settles what becomes of a question that is understood.
func (d *Desk) reply(ctx context.Context, in *inquiry) (*Reply, error) {
	if back := d.askBack(ctx, in); back != nil && !in.Report {
		return &Reply{Elicitation: back, Understood: in.tell()}, nil
	}
	if promise, err := d.promise(ctx, in); promise != nil || err != nil {
		return &Reply{Promise: promise, Understood: in.tell()}, err
	}
	if err := d.prepare(ctx, in); err != nil {
		return nil, err
	}
	var report *Report
	if in.Report {
		var err error
		if report, err = d.report(ctx, in); err != nil || in.ReportOnly {
			return &Reply{Report: report, Understood: in.tell(), Unread: in.unread}, err
		}
	}
	a, err := d.answer(ctx, in)
	understood := in.tell()
	if a != nil {
		understood.Relaxed = in.tellRelaxed(a.relaxed)
	}
	return &Reply{Answer: a, Report: report, Understood: understood, Unread: in.unread}, err
}

// answer finds what fits, and makes the first of it ready.
func (d *Desk) answer(ctx context.Context, in *inquiry) (*Answer, error) {
	d.point(ctx, in)
	// A second round helps when the items found were swept from the store since the view was made.
	for range 2 {
		a := d.lookFor(in)
		if a.Len() <= in.skip {
			return nil, in.noMore()
		}
		whole, err := a.preload(ctx)
		if err != nil {
			return nil, err
		}
		if whole {
			a.improve(ctx, in)
			for _, c := range a.corrected {
				in.understood.Corrections = append(in.understood.Corrections, query.Correction(c))
			}
			a.cut(in.skip)
			return a, nil
		}
		if err := d.Refresh(ctx); err != nil {
			return nil, err
		}
	}
	return nil, fail.New(fail.Unavailable, "the content is changing faster than it can be read; try again")
}

// admit asks whether the sites may be asked once more.
func (d *Desk) admit(ctx context.Context, sites []string) error {
	if d.config.Admit == nil {
		return nil
	}
	return d.config.Admit(ctx, sites)
}

// noResults says that nothing fits, and what to try.
func (in *inquiry) noResults() error {
	say, q := i18n.For(in.Languages...), &in.asked
	text := say.Say(i18n.None)
	switch {
	case len(q.Types) > 0:
		text = say.Say(i18n.NoneOfType, strings.Join(say.Kinds(q.Types), say.Say(i18n.Then)))
	case len(q.Sites) > 0:
		text = say.Say(i18n.NoneOnSite, strings.Join(q.Sites, say.Say(i18n.Then)))
	}
	return fail.New(fail.NoResults, "%s", text)
}

// check checks a question's values and brings them to the library's terms.
func (d *Desk) check(q Question) (index.Question, error) {
	asked := index.Question{Text: q.Text, Limit: q.Limit, MinScore: d.config.MinScore, Prefer: i18n.Tags(q.Languages...), AsSpelled: d.config.AsSpelled, OwnWords: d.config.OwnWords}
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
	asked.Sites, err = d.corpus.Sites().Resolve(q.Sites)
	return asked, err
}

// atMost is a number of results within the question's bounds.
func (q *Question) atMost(limit int) int {
	if q.Most > 0 {
		limit = min(limit, q.Most)
	}
	return min(limit, MaxLimit)
}

// find selects the items that may leave.
func (d *Desk) find(q index.Question) *Answer {
	g := d.corpus.Current()
	q.Within = g.Permit
	q.Near = d.near(g, q.Near)
	a := &Answer{desk: d, view: g, asked: q}
	a.terms = a.lookUp(q.Limit)
	return a
}

// lookUp asks the view, and fills parts with the hits from given on, at most so many.
func (a *Answer) lookUp(most int) []search.Term {
	asked := a.view.Index.Find(a.asked)
	allowed := slices.DeleteFunc(asked.Hits, func(hit index.Hit) bool {
		return !released.Decide(a.view.Terms, hit.Listing).Allows(released.Search)
	})
	allowed = allowed[a.given:]
	a.parts, a.beyond = nil, max(0, len(allowed)-most)
	for hits := range slices.Chunk(allowed[:len(allowed)-a.beyond], chunk) {
		part := make([]found, len(hits))
		for i, hit := range hits {
			part[i] = found{hit.Listing, float32(hit.Score), uint32(hit.Passage)}
		}
		a.parts = append(a.parts, part)
	}
	a.sure = slices.IndexFunc(allowed, func(hit index.Hit) bool { return hit.Doubt })
	a.relaxed = asked.Relaxed
	a.corrected = asked.Corrections
	return asked.Terms
}

// preload makes the first part ready and says whether all of it could be loaded.
func (a *Answer) preload(ctx context.Context) (whole bool, err error) {
	a.ready, err = a.render(ctx, a.parts[0])
	if err != nil {
		return false, err
	}
	return !slices.Contains(a.ready, nil), nil
}

// Len is how many items are still to come, at most: one that is swept from the store meanwhile falls out.
func (a *Answer) Len() int {
	n := a.beyond
	for _, part := range a.parts {
		n += len(part)
	}
	return n
}
