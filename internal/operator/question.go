package operator

import (
	"context"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/ask/questions"
	"frontdesk/internal/infra/fail"
)

const (
	questionsPath = "/admin/questions"
	questionPath  = "/admin/questions/{id}"
)

// What people and agents ask.
var questionOperations = []Operation{
	Define[ListQuestions]("questions", "GET", questionsPath, "List what people and agents ask"),
	Define[ShowQuestion]("question", "GET", questionPath, "Read what is kept of a question"),
	Define[ForgetQuestion]("forgetQuestion", "DELETE", questionPath, "Remove all that is kept of a question"),
	Define[IgnoreQuestion]("ignoreQuestion", "PUT", questionPath+"/ignored", "Take a question out of the lists"),
	Define[HeedQuestion]("heedQuestion", "DELETE", questionPath+"/ignored",
		"Put an ignored question back into the lists"),
}

// keeping refuses operations where questions are not kept.
func (o *Operator) keeping() error {
	if o.Questions == nil {
		return fail.New(fail.Invalid, "questions are not kept here; the key questions of the configuration says so")
	}
	return nil
}

// Question is a question.
type Question struct {
	ID       questions.ID `json:"id" column:"1:ID"`
	Text     string       `json:"text,omitempty" column:"2:QUESTION"` // none where it is hidden
	Hidden   bool         `json:"hidden,omitempty"`                   // one address alone asked it
	Variants []string     `json:"variants,omitempty"`
	Language string       `json:"language,omitempty"` // of its answer
	Outcome  string       `json:"outcome" column:"4:OUTCOME"`
	Times    int64        `json:"times" column:"3:TIMES"` // in the range
	Before   int64        `json:"times_before"`           // in the range before
	People   int64        `json:"people"`
	Agents   int64        `json:"agents"`
	Clicks   int64        `json:"clicks" column:"5:CLICKS"`
	Score    float64      `json:"score,omitempty"` // of the best item, 0 to 100
	URL      string       `json:"url,omitempty" column:"7:BEST ANSWER"`
	Name     string       `json:"name,omitempty"`
	First    Instant      `json:"first"`
	Last     Instant      `json:"last" column:"6:LAST"`
	Ignored  bool         `json:"ignored,omitempty"`
}

func showQuestion(q questions.Question) Question {
	return Question{
		ID: q.ID, Text: q.Text, Hidden: q.Hidden, Variants: q.Variants, Language: q.Language, Times: q.Times,
		Outcome: q.Outcome.String(), Before: q.Before, People: q.People, Agents: q.Agents, Clicks: q.Clicks,
		Score: q.Score, URL: q.URL, Name: q.Name,
		First: Instant{q.First}, Last: Instant{q.Last}, Ignored: !q.Ignored.IsZero(),
	}
}

// ListQuestions lists questions, those that were asked most often first.
type ListQuestions struct {
	View   string `json:"-" query:"view" help:"Which: found_nothing, weak, asked_back, no_click or ignored; without it, all."`
	Range  string `json:"-" query:"range" help:"Of the last days: 7d, 30d, 90d or all that is kept; without it, 30d."`
	Who    string `json:"-" query:"who" help:"Asked by people or by agents; without it, by anybody."`
	Search string `json:"-" query:"q" help:"Words that the question has in it."`
	After  string `json:"-" query:"after" help:"The next of the list before, to go on behind it."`
	Limit  int    `json:"-" query:"limit" most:"1000" usual:"100" default:"100" help:"How many at most, up to 1000."`
	Printed
}

// QuestionList is a part of the questions.
type QuestionList struct {
	Questions []Question `json:"questions"`
	Next      string     `json:"next,omitempty"` // where the list goes on; none at its end
}

// Empty is what the command says where there are none.
func (ListQuestions) Empty() string { return "Nothing of this kind was asked." }

// Note says on the command line that the list goes on.
func (l QuestionList) Note() []string {
	if l.Next == "" {
		return nil
	}
	return []string{"There are more: add --after " + l.Next}
}

// Filter is what the operation is told as the store has it.
func (in ListQuestions) Filter() questions.Filter {
	return questions.Filter{
		View: questions.View(in.View), Range: questions.Range(in.Range), Who: questions.Who(in.Who), Search: in.Search,
		After: in.After, Limit: in.Limit,
	}
}

func (in ListQuestions) Do(ctx context.Context, o *Operator) (list QuestionList, err error) {
	if err := o.keeping(); err != nil {
		return list, err
	}
	all, next, err := o.Questions.List(ctx, in.Filter())
	return QuestionList{each(all, showQuestion), next}, err
}

// QuestionID names a question.
type QuestionID struct {
	ID string `json:"-" path:"id" arg:"" name:"id" help:"The question's id, as the list has it."`
}

// of reads the id.
func (in QuestionID) of(o *Operator) (id questions.ID, err error) {
	if err := o.keeping(); err != nil {
		return 0, err
	}
	if id.UnmarshalText([]byte(in.ID)) != nil {
		return 0, fail.New(fail.NotFound, "this question is not kept, or not any more")
	}
	return id, nil
}

// ShowQuestion tells of a question.
type ShowQuestion struct{ QuestionID }

// QuestionDetails are what is kept of a question.
type QuestionDetails struct {
	Question
	Days     []QuestionDay       `json:"days"`
	Askers   []QuestionAsker     `json:"askers"`
	Synonyms []questions.Synonym `json:"synonyms,omitempty"` // suggested, where nothing was found
}

// QuestionDay is how often it was asked on a day.
type QuestionDay struct {
	Day     string `json:"day"`
	People  int64  `json:"people"`
	Agents  int64  `json:"agents"`
	Nothing int64  `json:"found_nothing"`
	Clicks  int64  `json:"clicks"`
}

// QuestionAsker is by whom it was asked.
type QuestionAsker struct {
	Protocol string `json:"protocol"`
	Kind     string `json:"kind"`
	Agent    string `json:"agent,omitempty"`
	Times    int64  `json:"times"`
	Nothing  int64  `json:"found_nothing"`
}

func (in ShowQuestion) Do(ctx context.Context, o *Operator) (out QuestionDetails, err error) {
	id, err := in.of(o)
	if err != nil {
		return out, err
	}
	d, err := o.Questions.Get(ctx, id)
	if err == nil {
		out.Synonyms, err = o.Questions.Synonyms(ctx, d.Question)
	}
	out.Question, out.Days = showQuestion(d.Question), each(d.Days, func(d questions.Day) QuestionDay {
		return QuestionDay{d.Day.Format(time.DateOnly), d.People, d.Agents, d.Of[questions.Nothing], d.Clicks}
	})
	out.Askers = each(d.Askers, func(a questions.Asker) QuestionAsker { return QuestionAsker(a) })
	return out, err
}

// ForgetQuestion removes all that is kept of a question.
type ForgetQuestion struct{ QuestionID }

func (in ForgetQuestion) Do(ctx context.Context, o *Operator) (Removed, error) {
	id, err := in.of(o)
	if err != nil {
		return Removed{}, err
	}
	return Removed{in.ID}, o.Questions.Forget(ctx, id)
}

// Say tells what stays.
func (in ForgetQuestion) Say(Removed) string {
	return "The question " + in.ID + " is removed; it stays in the numbers of all questions."
}

// IgnoreQuestion takes a question out of the lists.
type IgnoreQuestion struct{ QuestionID }

// Bodiless says that a request has nothing to say.
func (IgnoreQuestion) Bodiless() {}

func (in IgnoreQuestion) Do(ctx context.Context, o *Operator) (Question, error) {
	return in.set(ctx, o, true)
}

// Say tells where it is now.
func (in IgnoreQuestion) Say(q Question) string { return "The question " + quoted(q) + " is ignored." }

// HeedQuestion puts a question back into the lists.
type HeedQuestion struct{ QuestionID }

func (in HeedQuestion) Do(ctx context.Context, o *Operator) (Question, error) {
	return in.set(ctx, o, false)
}

// Say tells where it is now.
func (in HeedQuestion) Say(q Question) string {
	return "The question " + quoted(q) + " is in the lists again."
}

func (in QuestionID) set(ctx context.Context, o *Operator, ignored bool) (out Question, err error) {
	id, err := in.of(o)
	if err != nil {
		return out, err
	}
	if err := o.Questions.Ignore(ctx, id, ignored); err != nil {
		return out, err
	}
	d, err := o.Questions.Get(ctx, id)
	return showQuestion(d.Question), err
}

// quoted is a question in a sentence.
func quoted(q Question) string {
	if q.Text == "" {
		return q.ID.String()
	}
	return strconv.Quote(strings.TrimSpace(q.Text))
}
