// Package questions are the pages of the owner's console on what people and agents ask: a list, and
// a page for each question. What they show and do are operations of package operator.
package questions

import (
	"cmp"
	"context"
	"embed"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/ask/query"
	asked "frontdesk/internal/ask/questions"
	"frontdesk/internal/identity"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/operator"
	"frontdesk/internal/operator/console/frame"
)

//go:embed questions.html
var embedded embed.FS

//go:embed words.txt
var words string

// Config is where the pages learn what they show.
type Config struct {
	Operator *operator.Operator
	// Try asks a question as some parties would, without counting or keeping it. It tells how the
	// question was understood in the language of the reader.
	Try func(ctx context.Context, text, reader string) ([]Trial, error)
}

// Trial is what one party would be answered.
type Trial struct {
	As         string // stranger, known or verified: the end of a key in the words
	Understood string
	Chips      []string // what was read from it, each by itself
	Message    string   // why nothing is found; empty where something is
	Failed     error    // why there is no answer
	Back       string   // what is asked back; empty for nothing
	Items      []Item
}

// Item is a result.
type Item struct {
	Name, URL string
	Score     float64
	Licensed  bool // no more than a notice is shown
	Found     []Match
	Missing   []string // words that were looked for and stand in nothing that is shown
}

// Match is the words that were found in a field of an item.
type Match struct {
	Field string // InName, InDescription or InText: the end of a key in the words
	Words []string
}

// The fields of an item.
const (
	InName        = "name"
	InDescription = "description"
	InText        = "text"
)

// Pages are the pages of this package.
func Pages(config Config) func(*frame.Frame) frame.Pages {
	return func(f *frame.Frame) frame.Pages {
		p := &pages{f, config}
		return frame.Pages{
			Templates: embedded, Words: words,
			Finders: []frame.Finder{{Path: "questions", All: "questions?days=90&q=", Find: p.find}},
			Rows: append(f.List("questions", "questions", p.read), []frame.Page{
				{Pattern: "GET questions/{id}", Right: identity.See, Serve: p.one},
				{Pattern: "POST questions/{id}/ignore", Right: identity.Tune, Serve: f.Act(p.ignore)},
				{Pattern: "POST questions/{id}/heed", Right: identity.Tune, Serve: f.Act(p.heed)},
				{Pattern: "POST questions/{id}/forget", Right: identity.Tune, Serve: f.Act(p.forget)},
			}...),
		}
	}
}

type pages struct {
	*frame.Frame
	config Config
}

// perPage is how many questions a page has.
const perPage = 50

// asking is what the address of a list says.
func asking(r *http.Request, days *frame.Range) operator.ListQuestions {
	q := r.URL.Query()
	return operator.ListQuestions{
		View: q.Get("view"), Who: q.Get("who"), Search: q.Get("q"), After: q.Get("after"),
		Range: strconv.Itoa(days.Days) + "d", Limit: perPage,
	}
}

// List is what the page with all questions shows.
type List struct {
	Views  []Choice
	Whos   []Choice
	Search string
	Hidden []Field // of the form that searches
	Rows   []Row
	Next   string // where the list goes on; empty for nowhere
	Later  bool   // it is not its beginning
	Any    bool   // something is chosen

	days  *frame.Range
	count func(ctx context.Context, since, until time.Time) (int, error)
}

// Choice leads to a part of the list.
type Choice struct {
	Text, Href string
	Here       bool
	Times      string // how often it was asked; empty where that is not known
}

// Field is a field of a form that is not seen.
type Field struct{ Name, Value string }

// Row is a question of a list.
type Row struct {
	operator.Question
	Times, Before, People, Agents, Clicks int
	Weak                                  bool
}

func rowOf(q operator.Question) Row {
	return Row{
		Question: q, Times: int(q.Times), Before: int(q.Before), People: int(q.People), Agents: int(q.Agents),
		Clicks: int(q.Clicks), Weak: q.Outcome == asked.Weak.String(),
	}
}

// read reads a part of the list.
func (p *pages) read(ctx context.Context, r *http.Request, v *frame.Visit) (string, any, error) {
	days := frame.ReadRange(r, p.Now())
	in := asking(r, days)
	in.Limit = frame.PerPage(ctx, perPage, asked.MaxRows)
	all, err := in.Do(ctx, p.config.Operator)
	if err != nil {
		return "", nil, err
	}
	totals, err := p.config.Operator.Questions.Totals(ctx, days.Since, days.Until)
	if err != nil {
		return "", nil, err
	}
	body := List{Search: in.Search, Later: in.After != "", Any: in.View+in.Who+in.Search != "", days: days}
	body.Views, body.Whos = choices(r, in, totals.Days, v)
	body.count = func(ctx context.Context, since, until time.Time) (int, error) {
		known, _, _ := counts(nil)
		if _, ok := known[asked.View(in.View)]; !ok || in.Search != "" || in.View != "" && in.Who != "" {
			n, err := p.config.Operator.Questions.Count(ctx, in.Filter(), since, until)
			return int(n), err
		}
		of, err := p.config.Operator.Questions.Totals(ctx, since, until)
		times, people, agents := counts(of.Days)
		switch {
		case asked.Who(in.Who) == asked.People:
			return int(people), err
		case asked.Who(in.Who) == asked.Agents:
			return int(agents), err
		}
		return int(times[asked.View(in.View)]), err
	}
	for _, q := range all.Questions {
		body.Rows = append(body.Rows, rowOf(q))
	}
	if all.Next != "" {
		body.Next = frame.Link(r, "questions", map[string]string{"after": all.Next})
	}
	for _, name := range []string{"view", "who", "days"} {
		if value := r.URL.Query().Get(name); value != "" {
			body.Hidden = append(body.Hidden, Field{name, value})
		}
	}
	return v.Say("questions.title"), body, nil
}

// Table is the list as a file.
func (l List) Table() frame.Table {
	columns := "id question times times_before people agents outcome score best_answer clicks language first last"
	t := frame.TableOf(columns, l.Rows, func(q Row) []any {
		return []any{
			q.ID, q.Text, q.Times, q.Before, q.People, q.Agents, q.Outcome, strconv.FormatFloat(q.Score, 'f', 1, 64),
			q.URL, q.Clicks, q.Language, q.First.Time, q.Last.Time,
		}
	}).Goes(l.Next, l.days)
	t.Whole, t.Finds = l.count, true
	return t
}

// find finds questions by their id, or by words that they have in them. One whose text is not shown
// is found by its id alone.
func (p *pages) find(ctx context.Context, text string) ([]frame.Found, error) {
	normal := query.Normal(text)
	if normal == "" { // every question has nothing in it
		return nil, nil
	}
	in := operator.ListQuestions{Search: text, Range: "all", Limit: frame.MaxFound + 1}
	listed, err := in.Do(ctx, p.config.Operator)
	if err != nil {
		return nil, err
	}
	var all []frame.Found
	for _, q := range listed.Questions {
		all = append(all, frame.Found{
			Text: q.Text, Path: "questions/" + q.ID.String(), Exact: query.Normal(q.Text) == normal,
		})
	}
	d, err := (operator.ShowQuestion{QuestionID: operator.QuestionID{ID: text}}).Do(ctx, p.config.Operator)
	switch {
	case err == nil:
		all = append(all, frame.Found{Text: cmp.Or(d.Text, text), Path: "questions/" + text, Exact: true})
	case fail.From(err).Code != fail.NotFound:
		return nil, err
	}
	return all, nil
}

// patience is how long a page may take to be read.
const patience = 10 * time.Second

// counts are how often something was asked: in those parts of the list of which the sums tell.
func counts(days []asked.Day) (times map[asked.View]int64, people, agents int64) {
	times = map[asked.View]int64{asked.ViewNothing: 0, asked.ViewWeak: 0, asked.ViewAskedBack: 0}
	for _, d := range days {
		people, agents = people+d.People, agents+d.Agents
		times[asked.ViewNothing] += d.Of[asked.Nothing]
		times[asked.ViewWeak] += d.Of[asked.Weak]
		times[asked.ViewAskedBack] += d.Of[asked.AskedBack]
	}
	times[asked.ViewAll] = people + agents
	return times, people, agents
}

// choices are the parts of the list, with how often each was asked where the sums tell.
func choices(r *http.Request, in operator.ListQuestions, days []asked.Day, v *frame.Visit) (views, whos []Choice) {
	times, people, agents := counts(days)
	for _, view := range asked.Views {
		one := Choice{Text: v.Say("questions.view_" + cmp.Or(string(view), "all")), Here: in.View == string(view),
			Href: frame.Link(r, "questions", map[string]string{"view": string(view)})}
		if n, ok := times[view]; ok {
			one.Times = strconv.FormatInt(n, 10)
		}
		views = append(views, one)
	}
	for _, who := range []struct {
		name asked.Who
		n    int64
	}{{"", people + agents}, {asked.People, people}, {asked.Agents, agents}} {
		whos = append(whos, Choice{Text: v.Say("questions.who_" + cmp.Or(string(who.name), "all")),
			Here:  in.Who == string(who.name),
			Href:  frame.Link(r, "questions", map[string]string{"who": string(who.name)}),
			Times: strconv.FormatInt(who.n, 10)})
	}
	return views, whos
}

// One is what the page of a question shows.
type One struct {
	Row
	Bars   []Bar
	Most   int
	Askers []Asker
	Trials []Tried
	Same   []Same
}

// Same is a synonym that is suggested, with the form that adds it, below the console's path.
type Same struct {
	asked.Synonym
	Page string
}

// Tried is a trial with its heading.
type Tried struct {
	Trial
	Title string
	Why   template.HTML // there is no answer
}

// Bar is a day of the trend.
type Bar struct {
	Day                 time.Time
	People, Agents      int
	X, PeopleY, PeopleH int
	AgentsY, AgentsH    int
}

// Asker is who asked.
type Asker struct {
	operator.QuestionAsker
	Times, Nothing int
}

func (p *pages) one(w http.ResponseWriter, r *http.Request, v *frame.Visit) error {
	ctx, cancel := context.WithTimeout(r.Context(), patience)
	defer cancel()
	d, err := (operator.ShowQuestion{QuestionID: operator.QuestionID{ID: r.PathValue("id")}}).Do(ctx, p.config.Operator)
	if err != nil {
		return err
	}
	body := One{Row: rowOf(d.Question)}
	body.Bars, body.Most = p.trend(d.Days)
	for _, a := range d.Askers {
		body.Askers = append(body.Askers, Asker{a, int(a.Times), int(a.Nothing)})
	}
	for _, one := range d.Synonyms {
		fix := url.Values{"kind": {"synonym"}, "question": {d.ID.String()}, "words": {one.Words}, "means": {one.Means}}
		body.Same = append(body.Same, Same{one, "tuning?" + fix.Encode()})
	}
	title := v.Say("questions.hidden")
	if !d.Hidden {
		title = v.Say("questions.quoted", d.Text)
		trials, err := p.config.Try(ctx, d.Text, v.Language())
		if err != nil {
			return err
		}
		for _, one := range trials {
			tried := Tried{Trial: one, Title: v.Say("questions.as_" + one.As)}
			if one.Failed != nil {
				tried.Why = v.Why(one.Failed)
			}
			body.Trials = append(body.Trials, tried)
		}
	}
	p.Show(w, r, http.StatusOK, v.Sheet(title, "question", body))
	return nil
}

// trendDays is how many days the trend has.
const trendDays = 30

// trend draws the last days, of a height of 100.
func (p *pages) trend(days []operator.QuestionDay) (bars []Bar, most int) {
	begin := p.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, 1-trendDays)
	for i := range trendDays {
		bar := Bar{Day: begin.AddDate(0, 0, i), X: 10 * i}
		name := bar.Day.Format(time.DateOnly)
		if at := slices.IndexFunc(days, func(d operator.QuestionDay) bool { return d.Day == name }); at >= 0 {
			bar.People, bar.Agents = int(days[at].People), int(days[at].Agents)
		}
		most = max(most, bar.People+bar.Agents)
		bars = append(bars, bar)
	}
	for i := range bars {
		b := &bars[i]
		b.PeopleH, b.AgentsH = 100*b.People/max(most, 1), 100*b.Agents/max(most, 1)
		b.PeopleY, b.AgentsY = 100-b.PeopleH, 100-b.PeopleH-b.AgentsH
	}
	return bars, most
}

// id is the question that a form is about.
func id(r *http.Request) operator.QuestionID { return operator.QuestionID{ID: r.PathValue("id")} }

// back is the list from which a form was sent.
func back(r *http.Request) string {
	if from, ok := strings.CutPrefix(r.PostForm.Get("back"), "questions?"); ok {
		if q, err := url.ParseQuery(from); err == nil {
			return "questions?" + q.Encode()
		}
	}
	return "questions"
}

func (p *pages) ignore(r *http.Request, _ *frame.Visit) (did, to string, err error) {
	_, err = (operator.IgnoreQuestion{QuestionID: id(r)}).Do(r.Context(), p.config.Operator)
	return "ignored the question " + id(r).ID, back(r), err
}

func (p *pages) heed(r *http.Request, _ *frame.Visit) (did, to string, err error) {
	_, err = (operator.HeedQuestion{QuestionID: id(r)}).Do(r.Context(), p.config.Operator)
	return "heeded the question " + id(r).ID, "questions/" + id(r).ID, err
}

func (p *pages) forget(r *http.Request, _ *frame.Visit) (did, to string, err error) {
	if r.PostForm.Get("sure") == "" {
		return "", "", frame.Fail(fail.Invalid, "questions.fault_sure")
	}
	_, err = (operator.ForgetQuestion{QuestionID: id(r)}).Do(r.Context(), p.config.Operator)
	return "removed the question " + id(r).ID, "questions", err
}
