// Package home is the first page of the owner's console: whether all is well, and what to do next.
package home

import (
	"context"
	"embed"
	"fmt"
	"net/http"
	"slices"
	"time"

	"frontdesk/internal/ask/questions"
	"frontdesk/internal/identity"
	"frontdesk/internal/identity/keyring"
	"frontdesk/internal/identity/visitors"
	"frontdesk/internal/intake"
	"frontdesk/internal/licensing/accounts"
	"frontdesk/internal/operator"
	"frontdesk/internal/operator/console/frame"
	"frontdesk/internal/operator/settings"
)

//go:embed home.html
var embedded embed.FS

//go:embed words.txt
var words string

// Config is where the page learns what it shows. What is nil is not shown.
type Config struct {
	// What troubles are told of: sources of content, keys, when the certificate ends, why the
	// changed configuration was refused, and what intakes have to be done.
	Sources     func(context.Context) ([]Source, error)
	Keys        func(context.Context, keyring.Filter) ([]keyring.Key, error)
	Certificate func() time.Time
	Refused     func() *string
	Tasks       func(context.Context) (intake.Tasks, error)
	// Questions are those that are kept, and Visitors who came, which is there where those are.
	Questions *questions.Store
	Visitors  *visitors.Store
	// Accounts are those of buyers, where something is sold.
	Accounts *accounts.Reader
	// Items counts what can be found.
	Items func() int
	// Waiting counts requests that wait for a person.
	Waiting func(context.Context) (int, error)
	// Unnamed is the key that has no value yet of the site's name and contact; empty for none.
	Unnamed func() string
	// Decided says that the owner has said what agents may use, and Public that the front desk has
	// an address on the web, by https.
	Decided, Public bool
	// Operator has the settings: those that cannot be used are troubles, and the list of first
	// steps can be hidden there.
	Operator *operator.Operator
}

// Pages are the pages of this package.
func Pages(config Config) func(*frame.Frame) frame.Pages {
	return func(f *frame.Frame) frame.Pages {
		h := &home{f, config}
		return frame.Pages{
			Templates: embedded, Words: words,
			Rows: []frame.Page{
				{Pattern: "GET {$}", Right: identity.See, Serve: h.show},
				{Pattern: "POST steps", Right: identity.Own, Serve: f.Act(h.hideSteps)},
			},
		}
	}
}

type home struct {
	*frame.Frame
	config Config
}

// show draws the page. Receipts were the first page before, and links to them stay.
func (h *home) show(w http.ResponseWriter, r *http.Request, v *frame.Visit) error {
	for _, old := range []string{"kind", "platform", "day", "before"} {
		if r.URL.Query().Has(old) {
			return frame.Moved("receipts")(w, r, v)
		}
	}
	ctx, cancel := context.WithTimeout(r.Context(), patience)
	defer cancel()
	in := frame.ReadRange(r, h.Now())
	body, err := h.read(ctx, in, v)
	if err != nil {
		return err
	}
	s := v.Sheet(v.Say("home.title"), "home", body)
	if body.Asked != nil {
		s.Range = in
	}
	s.Actions = []frame.Action{{Text: v.Say("frame.ask_page"), Href: s.FrontOf(h.Base(r)), Out: true}}
	h.Show(w, r, http.StatusOK, s)
	return nil
}

// hideSteps has the list of first steps not be shown any more.
func (h *home) hideSteps(r *http.Request, v *frame.Visit) (did, to string, err error) {
	_, err = operator.MarkSteps{Hidden: true}.Do(operator.WithActor(r.Context(), v.Actor()), h.config.Operator)
	return "hid the first steps", "", err
}

// patience is how long the page may take to be read.
const patience = 10 * time.Second

// Body is what the page shows.
type Body struct {
	Troubles []Trouble
	Asked    *Asked  // nil where no questions are kept
	Earned   *Earned // nil where nothing is sold
	Items    int
	Waiting  int
	Steps    []Step // to be done; empty where all are
	Done     int    // of Steps
}

// Earned is what was earned in the days that were chosen, in the currency in which the most moved.
type Earned struct {
	Amount, Currency string
	Known            bool    // something was earned in the days before
	Change           float64 // by how much more, as a part of that
}

// Asked is what was asked in the days that were chosen.
type Asked struct {
	Times, Before    int64
	Nothing          int64
	Share, ShareThen float64 // of questions of which nothing was found
	ByAgents         float64
	Agents           int
	Days             []Bar
	Most             int64
	Empty            []questions.Question // found nothing, the most often asked first
	Top              []visitors.Visitor   // agents, those that came most often first
}

// Change is by how much more was asked than in the days before, as a part of that.
func (a Asked) Change() float64 { return float64(a.Times-a.Before) / float64(max(a.Before, 1)) }

// Width is that of the plot, in hundredths of that of a day.
func (a Asked) Width() int { return 100 * len(a.Days) }

// Bar is a day in the plot, in hundredths of its width and thousandths of its height.
type Bar struct {
	Day                                   time.Time
	People, Agents                        int64
	X, PeopleY, PeopleH, AgentsY, AgentsH int
}

// Step is a line of the list of first steps.
type Step struct {
	Text string
	Done bool
	Page string // where it is done, below the console's path; empty for the page itself
}

// shown is how many rows the lists of the page have.
const shown = 5

func (h *home) read(ctx context.Context, in *frame.Range, v *frame.Visit) (body Body, err error) {
	if body.Troubles, err = h.troubles(ctx, v.Say); err != nil {
		return body, err
	}
	if h.config.Items != nil {
		body.Items = h.config.Items()
	}
	if h.config.Waiting != nil {
		if body.Waiting, err = h.config.Waiting(ctx); err != nil {
			return body, err
		}
	}
	if h.config.Questions != nil {
		if body.Asked, err = h.asked(ctx, in); err != nil {
			return body, err
		}
	}
	if h.config.Accounts != nil {
		if body.Earned, err = h.earned(ctx, in); err != nil {
			return body, err
		}
	}
	var hidden, backedUp time.Time
	if o := h.config.Operator; o != nil {
		if hidden, err = o.Settings.Marked(ctx, settings.StepsHidden); err != nil {
			return body, err
		}
		if backedUp, err = o.Settings.Marked(ctx, settings.BackedUp); err != nil {
			return body, err
		}
	}
	if hidden.IsZero() {
		body.Steps, body.Done = h.steps(body, v, !backedUp.IsZero())
	}
	return body, nil
}

// steps are the first steps, of which only those stand here that can be told to be done.
func (h *home) steps(body Body, v *frame.Visit, backedUp bool) (all []Step, done int) {
	unnamed := ""
	if h.config.Unnamed != nil {
		unnamed = h.config.Unnamed()
	}
	all = []Step{{Text: v.Say("home.step_content"), Done: body.Items > 0, Page: h.where("content")}}
	if body.Asked != nil {
		all = append(all, Step{Text: v.Say("home.step_ask"), Done: body.Asked.Times+body.Asked.Before > 0})
	}
	all = append(all,
		Step{Text: v.Say("home.step_name"), Done: unnamed == "", Page: h.at("settings", "#"+unnamed)},
		Step{Text: v.Say("home.step_terms"), Done: h.config.Decided, Page: h.where("terms")},
		Step{Text: v.Say("home.step_public"), Done: h.config.Public, Page: h.at("settings", "#url")},
		Step{Text: v.Say("home.step_backup"), Done: backedUp, Page: h.at("settings", "/backup")},
	)
	for _, one := range all {
		if one.Done {
			done++
		}
	}
	if done == len(all) {
		return nil, done
	}
	return all, done
}

// where is a page's path, where there is the page.
func (h *home) where(page string) string {
	if h.Has(page) {
		return page
	}
	return ""
}

// at is a place of a page, where there is the page.
func (h *home) at(page, place string) string {
	if h.Has(page) {
		return page + place
	}
	return ""
}

// rangeOf is the range of lists that fits the days of a page best.
func rangeOf(days int) questions.Range {
	switch {
	case days <= 7:
		return questions.LastWeek
	case days <= 30:
		return questions.LastMonth
	}
	return questions.AllKept
}

// asked reads what was asked in a range, and in the one before.
func (h *home) asked(ctx context.Context, in *frame.Range) (*Asked, error) {
	now, err := h.config.Questions.Totals(ctx, in.Since, in.Until)
	if err != nil {
		return nil, err
	}
	then, err := h.config.Questions.Totals(ctx, in.Before(), in.Since)
	if err != nil {
		return nil, err
	}
	a := &Asked{}
	var byAgents, nothingThen int64
	by := map[time.Time]questions.Day{}
	for _, d := range now.Days {
		a.Times += d.People + d.Agents
		byAgents += d.Agents
		a.Nothing += d.Of[questions.Nothing]
		a.Most = max(a.Most, d.People+d.Agents)
		by[d.Day] = d
	}
	for _, d := range then.Days {
		a.Before += d.People + d.Agents
		nothingThen += d.Of[questions.Nothing]
	}
	a.Share, a.ShareThen = part(a.Nothing, a.Times), part(nothingThen, a.Before)
	a.ByAgents = part(byAgents, a.Times)
	a.Days = bars(in, by, a.Most)
	came, err := h.config.Visitors.List(ctx, visitors.Filter{Since: in.Since, Until: in.Until})
	if err != nil {
		return nil, err
	}
	a.Top = agents(came)
	a.Agents = len(a.Top)
	a.Top = a.Top[:min(len(a.Top), shown)]
	a.Empty, _, err = h.config.Questions.List(ctx,
		questions.Filter{View: questions.ViewNothing, Range: rangeOf(in.Days), Limit: shown})
	if err != nil {
		return nil, fmt.Errorf("list what found nothing: %w", err)
	}
	return a, nil
}

// earned sums up what was earned in a range, and compares it with the one before.
func (h *home) earned(ctx context.Context, in *frame.Range) (*Earned, error) {
	now, err := h.config.Accounts.Revenue(ctx, "", in.Since, time.Time{}, 1)
	if err != nil || len(now) == 0 {
		return &Earned{Amount: "0"}, err
	}
	before, err := h.config.Accounts.Revenue(ctx, "", in.Before(), in.Since, 1)
	e := &Earned{Amount: frame.Amount(now[0].All.Amount, now[0].Currency), Currency: now[0].Currency}
	for _, one := range before {
		if one.Currency == e.Currency && one.All.Amount > 0 {
			e.Known, e.Change = true, part(now[0].All.Amount-one.All.Amount, one.All.Amount)
		}
	}
	return e, err
}

// part is how much of a sum something is.
func part(of, sum int64) float64 { return float64(of) / float64(max(sum, 1)) }

// agents are the visitors that are no people and have a name, those with the most visits first.
func agents(all []visitors.Visitor) []visitors.Visitor {
	return slices.DeleteFunc(all, func(v visitors.Visitor) bool {
		return v.Kind == visitors.KindPeople || v.Kind == visitors.KindOthers
	})
}

// bars are the days of a range, with agents below people.
func bars(in *frame.Range, by map[time.Time]questions.Day, most int64) (all []Bar) {
	const full = 1000
	for i := range in.Days {
		day := in.Since.AddDate(0, 0, i)
		d := by[day]
		b := Bar{Day: day, People: d.People, Agents: d.Agents, X: 100 * i}
		b.AgentsH, b.PeopleH = int(full*d.Agents/max(most, 1)), int(full*d.People/max(most, 1))
		b.AgentsY = full - b.AgentsH
		b.PeopleY = b.AgentsY - b.PeopleH
		all = append(all, b)
	}
	return all
}
