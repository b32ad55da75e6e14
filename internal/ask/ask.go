// Package ask answers questions about the items of the sites: with a list, a summary, a report, a
// question back, or the promise of an answer to come. What it tells of an item is what
// content/released lets out.
//
// Enter at Service.Ask in ask.go, which names the stages in their order:
//
//	check       question.go    the question within its bounds
//	tune        tuned.go       package tuning reads words as the owner said
//	recall      recall.go      the conversation before it, and what is remembered
//	understand  understand.go  package query reads its words into conditions; follow.go goes on
//	                           with earlier questions, subjects.go finds the items that it names
//	heed        tuned.go       what the owner has come first for the question
//	choose      choose.go      weighs what may answer: what is said of the owner
//	                           (practicalroute.go, package owner), a detail of one item (thing.go,
//	                           packages details and facts), or the items that are found; what
//	                           follows is for these
//	askBack     elicit.go      package elicitation decides whether something has to be known first
//	promise     promise.go     promises the answer to what takes long; work.go works on it
//	report      report.go      counts all that matches
//	answer      answer.go      finds and scores items that may leave (content/index), puts them
//	                           into order (model.go), and renders them as they are read
//	                           (content/released)
//	conclude    recall.go      the conversation after it
//	keep        keep.go        package questions keeps for the owner what was asked, and what
//	                           became of it
//
// What the stages hand on is an askState. Sentences about items are made in summary.go, in thing.go
// about one, and in compare.go about several side by side. Beside questions there are the list of
// all items (list.go) and feeds of them (package feed).
//
// It knows nothing of NLWeb, which ask/nlweb reads and writes, nor of prices, licences or the
// ledger.
package ask

import (
	"context"
	"strings"

	"frontdesk/internal/ask/elicitation"
	"frontdesk/internal/ask/extremes"
	"frontdesk/internal/ask/i18n"
	"frontdesk/internal/ask/query"
	"frontdesk/internal/ask/session"
	"frontdesk/internal/content/index"
	"frontdesk/internal/content/released"
	"frontdesk/internal/content/search"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/llm"
	"frontdesk/internal/policy"
)

// Reply is what became of a question: what was understood, and an answer, a question back or a
// promise, unless there is an error beside it.
type Reply struct {
	Understood  Understanding
	Answer      *Answer
	Elicitation *elicitation.Elicitation
	Promise     *Promise
	Report      *Report // beside the answer, or instead of one
	// Closest are the nearest items where nothing is an answer, the best first: at most maxClosest.
	// Question.Closest makes them the answer.
	Closest []released.Result
	Unread  string // which sources could not be read again, though Question.Fresh asked for it; empty for none
	// AnswerID names the answer for Keeper.Followed of ask/questions; empty where nothing is
	// counted.
	AnswerID string
	// Session is the conversation after the question, for the caller to come back with; nil if the
	// question had none.
	Session *Session

	tab *llm.BudgetedClient
}

// askState is one question on its way through the stages of Ask.
type askState struct {
	Question
	caller
	asked      index.Question   // checked, and in the library's terms
	understood query.Understood // what is wanted
	telling    string           // the sentence that answers a comparison or a question for a detail; empty for none
	named      string           // the question with the names of what it points at; empty where it points at nothing
	unread     string           // what could not be read again
	// talk is the conversation, its turns being those before this question. What a stage changes in
	// it goes along with the reply.
	talk    session.Conversation
	earlier []session.Turn    // the questions before this one that may matter to it, oldest first
	before  *thread           // what they came to; nil for none
	wish    *extremes.Wish    // what it wants to know of all that was wanted before it; nil for nothing
	types   []string          // the types that the question names beside its words
	skip    int               // items that were given already
	only    []found           // the items that were pointed at; nil for none
	among   *search.Selection // those that are asked about; nil for all
	remarks []remarked        // what is known beside the question
	ignored []Ignored         // what of its contexts has no effect
	askedBack
	tuned tuned // what the owner said for it
}

// askedBack is what a question has of answers to questions that were asked back.
type askedBack struct {
	worded   string   // the question's own words, without those of answers
	answered []string // the questions asked back that this one answers
	settled  bool     // one of the answers was that anything will do
}

// caller is who asks, and what that may cost.
type caller struct {
	party policy.Party
	tab   *llm.BudgetedClient // what the answer takes of a model; nil without one
}

// Ask answers a question, asks back, or promises an answer. It returns fail.Invalid for a value
// that is not served, fail.TooLong for a text beyond MaxText, fail.Unavailable before the content
// is loaded, what Deps.Admit says and fail.NoResults when nothing fits that may be shown; a
// question that was understood has a reply then, too, which says how, and names the session.
func (s *Service) Ask(ctx context.Context, q Question) (*Reply, error) {
	if err := s.deps.Corpus.Ready(); err != nil {
		return nil, err
	}
	q.Session = s.carried(q.Session)
	in := &askState{Question: q, caller: caller{released.PartyOf(ctx), s.deps.LLM.WithBudget()}}
	s.tune(in)
	var err error
	if in.asked, err = s.check(in.Question); err != nil {
		return nil, err
	}
	if told := progressOf(ctx); told == nil || !told.resumed {
		if err := s.deps.Admit(ctx, in.asked.Sites); err != nil {
			return nil, err
		}
	}
	s.recall(ctx, in)
	s.applyAnswers(in)
	in.applySpelling()
	var reply *Reply
	if err = s.understand(ctx, in); err == nil {
		reply, err = s.reply(ctx, in)
	}
	if reply == nil {
		reply = &Reply{}
	}
	reply.tab = in.tab
	s.conclude(ctx, in, reply)
	s.keepQuestion(ctx, in, reply, err)
	return reply, err
}

// reply settles what becomes of a question that is understood.
func (s *Service) reply(ctx context.Context, in *askState) (*Reply, error) {
	var told *Answer
	var err error
	mended := len(in.tuned.leading.first) > 0
	if !mended {
		if told, err = s.choose(ctx, in); told == nil && err == nil {
			told, err = s.tellOtherwise(ctx, in)
		}
	}
	if err != nil {
		return nil, err
	}
	if told == nil && !mended && in.Report == NoReport {
		if back := s.askBack(ctx, in); back != nil {
			return &Reply{Elicitation: back, Understood: in.explain()}, nil
		}
	}
	if promise, err := s.promise(ctx, in); promise != nil || err != nil {
		return &Reply{Promise: promise, Understood: in.explain()}, err
	}
	if err := s.prepare(ctx, in); err != nil {
		return nil, err
	}
	var report *Report
	if in.Report != NoReport {
		var err error
		if report, err = s.report(ctx, in); err != nil || in.Report == ReportAlone {
			return &Reply{Report: report, Understood: in.explain(), Unread: in.unread}, err
		}
	}
	if told != nil {
		return &Reply{Answer: told, Understood: in.explain(), Unread: in.unread}, nil
	}
	a, err := s.answer(ctx, in)
	reply := &Reply{Answer: a, Report: report, Understood: in.explain(), Unread: in.unread}
	if a == nil {
		return reply, err
	}
	reply.Understood.Relaxed = in.explainRelaxed(a.relaxed)
	if a.closest && !in.Closest {
		reply.Answer, reply.Closest, err = nil, a.nearest(), in.noResults()
	}
	return reply, err
}

// maxClosest is how many items are told where nothing is an answer.
const maxClosest = 5

// nearest are the first of an answer's items, which are ready.
func (a *Answer) nearest() (items []released.Result) {
	for i, c := range a.ready[:min(len(a.ready), maxClosest)] {
		if c != nil {
			items = append(items, c.Result(a.parts[0][i].hit()))
		}
	}
	return items
}

// answer finds what fits, and makes the first of it ready.
func (s *Service) answer(ctx context.Context, in *askState) (*Answer, error) {
	in.asked.Near = s.vectors.Point(ctx, in.tab, in.asked.Text)
	// A second round helps when the items found were swept from the store since the view was made.
	for range 2 {
		a := s.lookFor(in)
		if err := a.tellTrial(ctx); err != nil {
			return nil, err
		}
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
		if err := s.deps.Corpus.Refresh(ctx); err != nil {
			return nil, err
		}
	}
	return nil, fail.New(fail.Unavailable, "the content is changing faster than it can be read; try again")
}

// noResults says that nothing fits, and what to try.
func (in *askState) noResults() error {
	say, q := in.explainer(), &in.asked
	text := say.Say(i18n.None)
	switch {
	case len(q.Types) > 0:
		text = say.Say(i18n.NoneOfType, strings.Join(say.Kinds(q.Types), say.Say(i18n.Then)))
	case len(q.Sites) > 0:
		text = say.Say(i18n.NoneOnSite, strings.Join(q.Sites, say.Say(i18n.Then)))
	}
	return fail.New(fail.NoResults, "%s", text)
}
