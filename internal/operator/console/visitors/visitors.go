// Package visitors are the pages of the owner's console on which agents come: a list, and a page
// for each agent. What they show and do are operations of package operator.
package visitors

import (
	"cmp"
	"context"
	"embed"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	came "frontdesk/internal/identity/visitors"

	"frontdesk/internal/identity"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/operator"
	"frontdesk/internal/operator/console/frame"
)

//go:embed visitors.html
var embedded embed.FS

//go:embed words.txt
var words string

// Config is where the pages learn what they show.
type Config struct {
	Operator *operator.Operator
	// Uncounted says that nobody is counted, since nothing is kept of what is asked.
	Uncounted bool
	// Found are the paths, below the front desk's, by which agents find it.
	Found []string
}

// Pages are the pages of this package.
func Pages(config Config) func(*frame.Frame) frame.Pages {
	return func(f *frame.Frame) frame.Pages {
		p := &pages{f, config}
		return frame.Pages{
			Templates: embedded, Words: words,
			Finders: []frame.Finder{{Path: "visitors", All: "visitors?days=90&q=", Find: p.find}},
			Rows: append(f.List("visitors", "visitors", p.read), []frame.Page{
				{Pattern: "GET visitors/{agent}", Right: identity.See, Serve: p.one},
				{Pattern: "POST visitors/{agent}/treat", Right: identity.Operate, Serve: f.Act(p.treat)},
				{Pattern: "POST visitors", Right: identity.Operate, Serve: f.Act(p.add)},
			}...),
		}
	}
}

type pages struct {
	*frame.Frame
	config Config
}

// List is what the page with all visitors shows.
type List struct {
	Search    string
	Days      int
	Rows      []Row
	None      bool // no agent is among the rows
	Uncounted bool
	Found     []string
	Choices   []Choice

	over  *frame.Range
	count func(ctx context.Context, since, until time.Time) (int, error)
}

// Row is a visitor of a list.
type Row struct {
	came.Told
	Href  string // of its page, below the console's
	Trend Trend
}

// Trend is how visits changed against the days before.
type Trend struct {
	Known bool // there were any before
	Down  bool
	Part  float64 // by how much, as a part of those before
}

func trendOf(now, before int64) Trend {
	part := float64(now-before) / float64(max(before, 1))
	return Trend{Known: before > 0, Down: part < 0, Part: part}
}

// Came is the day of the last visit, at noon, when it is the same day nearly everywhere; zero for
// none.
func (r Row) Came() time.Time {
	day, err := time.Parse(time.DateOnly, r.Last)
	if err != nil {
		return time.Time{}
	}
	return day.Add(12 * time.Hour)
}

func rowOf(v came.Told) Row {
	return Row{Told: v, Href: pathOf(v.Agent), Trend: trendOf(v.Visits(), v.Before)}
}

// pathOf is the page of an agent.
func pathOf(agent string) string { return "visitors/" + url.PathEscape(agent) }

// asking is what the address of a list says.
func asking(r *http.Request, days *frame.Range) operator.ListVisitors {
	return operator.ListVisitors{
		Search: r.URL.Query().Get("q"), VisitorRange: rangeOf(days),
	}
}

func rangeOf(days *frame.Range) operator.VisitorRange {
	return operator.VisitorRange{Range: strconv.Itoa(days.Days) + "d"}
}

// patience is how long a page may take to be read.
const patience = 10 * time.Second

// read reads the list.
func (p *pages) read(ctx context.Context, r *http.Request, v *frame.Visit) (string, any, error) {
	days := frame.ReadRange(r, p.Now())
	in := asking(r, days)
	all, err := in.Do(ctx, p.config.Operator)
	if err != nil {
		return "", nil, err
	}
	body := List{Search: in.Search, Days: days.Days, None: true, Uncounted: p.config.Uncounted, Found: p.config.Found,
		Choices: choices(came.Told{}), over: days}
	for _, one := range all.Visitors {
		body.Rows = append(body.Rows, rowOf(one))
		body.None = body.None && (one.Kind == came.KindPeople || one.Kind == came.KindOthers)
	}
	body.count = func(ctx context.Context, since, until time.Time) (visits int, err error) {
		filter := came.Filter{Since: since, Until: until, Search: in.Search}
		all, err := p.config.Operator.Visitors.Store.List(ctx, filter)
		for _, one := range all {
			visits += int(one.All())
		}
		return visits, err
	}
	return v.Say("visitors.title"), body, nil
}

// Table is the list as a file.
func (l List) Table() frame.Table {
	columns := "agent name operator kind known_by asked read paid denied visits_before last_day treatment " +
		"requests_a_minute"
	t := frame.TableOf(columns, l.Rows, func(v Row) []any {
		return []any{
			v.Agent, v.Name, v.Operator, v.Kind, v.Known, v.Asked, v.Read, v.Paid, v.Denied, v.Before, v.Last,
			v.Treatment, v.Rate,
		}
	}).Goes("", l.over)
	t.Whole, t.Finds = l.count, true
	return t
}

// find finds agents by what their names, or the names and origins of their operators, have in them.
func (p *pages) find(ctx context.Context, text string) (all []frame.Found, err error) {
	if u, err := url.Parse(text); err == nil && u.Host != "" {
		text = u.Hostname()
	}
	in := operator.ListVisitors{VisitorRange: operator.VisitorRange{Range: "90d"}}
	list, err := in.Do(ctx, p.config.Operator)
	for _, v := range list.Visitors {
		_, origin, _ := strings.Cut(v.Origin, "://")
		known := strings.ToLower(strings.Join([]string{v.Agent, v.Name, v.Operator, origin}, "\n"))
		if v.Kind == came.KindPeople || v.Kind == came.KindOthers || !strings.Contains(known, strings.ToLower(text)) {
			continue
		}
		all = append(all, frame.Found{
			Text: cmp.Or(v.Name, v.Agent), Note: v.Operator, Path: pathOf(v.Agent),
			Exact: slices.Contains(strings.Split(known, "\n"), strings.ToLower(text)),
		})
		if len(all) > frame.MaxFound {
			break
		}
	}
	return all, err
}

// One is what the page of an agent shows.
type One struct {
	Row
	Bars     []Bar
	Most     int64
	Channels []came.ToldChannel
	// Operators is the page of its operator, whose treatment holds for it; empty where it is the
	// agent's own.
	Operators string
	Fixed     bool // it cannot be treated
	Choices   []Choice
}

// Width is that of the plot, in hundredths of that of a day.
func (o One) Width() int { return 100 * len(o.Bars) }

// Choice is a treatment that can be chosen.
type Choice struct {
	Name string // also the end of its keys in the words
	Here bool
	Rate int // that stands in the field beside it; 0 for no field
}

// Bar is a day in the plot, in hundredths of its width and thousandths of its height.
type Bar struct {
	Day time.Time
	X   int
	came.ToldDay
	Parts []Part
}

// Part is a part of a bar.
type Part struct {
	Class string
	Y, H  int64
}

// usualRate is the rate that stands in the field where there is none yet.
const usualRate = 60

func choices(v came.Told) (all []Choice) {
	for _, action := range came.Actions {
		one := Choice{Name: string(action), Here: string(action) == cmp.Or(v.Treatment, string(came.Allow))}
		if action == came.Limit {
			one.Rate = cmp.Or(v.Rate, usualRate)
		}
		all = append(all, one)
	}
	return all
}

func (p *pages) one(w http.ResponseWriter, r *http.Request, v *frame.Visit) error {
	ctx, cancel := context.WithTimeout(r.Context(), patience)
	defer cancel()
	days := frame.ReadRange(r, p.Now())
	in := operator.ShowVisitor{
		VisitorName: operator.VisitorName{Agent: r.PathValue("agent")}, VisitorRange: rangeOf(days),
	}
	d, err := in.Do(ctx, p.config.Operator)
	if err != nil {
		return err
	}
	body := One{Row: rowOf(d.Told), Channels: d.Channels, Choices: choices(d.Told)}
	_, err = p.config.Operator.Visitors.Store.Subject(d.Agent)
	body.Fixed = err != nil
	if d.TreatedAs != "" && d.TreatedAs != d.Agent {
		body.Operators = pathOf(d.TreatedAs)
	}
	body.Bars, body.Most = bars(days, d.Days)
	title := d.Name
	if d.Kind == came.KindPeople || d.Kind == came.KindOthers {
		title = v.Say("visitors.kind_" + d.Kind)
	}
	sheet := v.Sheet(title, "visitor", body)
	sheet.Range = days
	p.Show(w, r, http.StatusOK, sheet)
	return nil
}

// bars draw the days of a range.
func bars(in *frame.Range, days []came.ToldDay) (all []Bar, most int64) {
	const full = 1000
	by := map[string]came.ToldDay{}
	for _, d := range days {
		by[d.Day] = d
		most = max(most, d.Asked+d.Read+d.Paid+d.Denied)
	}
	for i := range in.Days {
		day := in.Since.AddDate(0, 0, i)
		b := Bar{Day: day, X: 100 * i, ToldDay: by[day.Format(time.DateOnly)]}
		below := int64(0)
		for _, part := range []struct {
			class string
			n     int64
		}{{"p0", b.Asked}, {"p2", b.Read}, {"p1", b.Paid}, {"not", b.Denied}} {
			if part.n == 0 {
				continue
			}
			top := full * (below + part.n) / most
			b.Parts = append(b.Parts, Part{part.class, full - top, top - full*below/most})
			below += part.n
		}
		all = append(all, b)
	}
	return all, most
}

func (p *pages) treat(r *http.Request, v *frame.Visit) (did, to string, err error) {
	return p.treated(r, v, r.PathValue("agent"))
}

// add treats an agent that has not come yet.
func (p *pages) add(r *http.Request, v *frame.Visit) (did, to string, err error) {
	return p.treated(r, v, r.PostForm.Get("agent"))
}

func (p *pages) treated(r *http.Request, v *frame.Visit, agent string) (did, to string, err error) {
	in := operator.TreatVisitor{
		VisitorName: operator.VisitorName{Agent: agent}, Treatment: r.PostForm.Get("treatment"),
	}
	if in.Treatment == string(came.Limit) {
		if in.Rate, err = strconv.Atoi(r.PostForm.Get("rate")); err != nil {
			return "", "", frame.Fail(fail.Invalid, "visitors.fault_rate")
		}
	}
	out, err := in.Do(operator.WithActor(r.Context(), v.Actor()), p.config.Operator)
	if err != nil {
		return "", "", err
	}
	return "treated " + out.Agent + ": " + out.Treatment, pathOf(out.Agent), nil
}
