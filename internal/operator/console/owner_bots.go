package console

import (
	"cmp"
	"context"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/licensing/delivery/botstats"
	"frontdesk/internal/operator/console/frame"
	"frontdesk/internal/operator/console/plot"
)

// botsBody is whom the edges saw.
type botsBody struct {
	Sites    []Site
	Site     string
	Agent    string
	Outcome  string
	Day      string
	Find     string
	Any      bool
	Plot     *sightings
	Outcomes []outcomeRow
	Paths    []pathRow
	More     bool // there are more paths than are shown

	all  []pathRow
	over *frame.Range
}

// sightings is how often agents were seen day by day, as stacked bars.
type sightings struct {
	plot.Bars
	Agents []seenAgent
	All    seenAgent
}

// seenAgent is an agent, with what came of its requests in all days.
type seenAgent struct {
	Name, Class    string
	Seen           int
	Text, Open, No int       // got a licensed text, something open, nothing
	Last           time.Time // the last day on which it was seen
	On             map[time.Time]int
}

// outcomeRow counts what came of requests.
type outcomeRow struct {
	Name string
	N    int
}

// outcomes are what edges say came of a request, what it got first.
var outcomes = strings.Fields("delivered open refused blocked expired foreign invalid limited")

// gotNothing says whether a request of an outcome got nothing.
func gotNothing(outcome string) bool { return outcome != "delivered" && outcome != "open" }

// pathRow is where an agent was seen.
type pathRow struct {
	botstats.Path
	No bool
}

// pathsShown is how many places are shown, and pathsRead how many a file has: a day can have
// thousands of them.
const (
	pathsShown = 100
	pathsRead  = 10_000
)

// bots shows whom the edges saw: by agent and day, what came of it, and where it was.
func (o *owner) bots(ctx context.Context, r *http.Request, v *frame.Visit) (string, any, error) {
	q, over := r.URL.Query(), frame.ReadRange(r, o.Now())
	body := botsBody{Sites: o.config.Sales.Sites, Site: q.Get("site"), Agent: q.Get("agent"), Outcome: q.Get("outcome"),
		over: over}
	if body.Site == "" && len(body.Sites) > 0 {
		body.Site = body.Sites[0].ID
	}
	want := botstats.Filter{Site: body.Site, Agent: body.Agent, Outcome: body.Outcome, Since: over.Since,
		Until: over.Last().AddDate(0, 0, 1)}
	all, err := o.config.Sales.Traffic.Days(ctx, want)
	if err != nil {
		return "", nil, err
	}
	if day, err := time.Parse(time.DateOnly, q.Get("day")); err == nil {
		body.Day, want.Since, want.Until = q.Get("day"), day, day.AddDate(0, 0, 1)
	}
	body.Find = q.Get("q")
	body.Any = body.Agent+body.Outcome+body.Day+body.Find != ""
	if body.Plot = newSightings(all, over).say(v); body.Plot != nil {
		body.Plot.Leads, body.Plot.Also = o.Base(r)+"sales/bots", body.keep("agent", "outcome")
	}
	body.Outcomes = outcomeRows(all, want)
	paths, err := o.config.Sales.Traffic.Paths(ctx, want, pathsRead)
	if err != nil {
		return "", nil, err
	}
	of := mapped(paths, func(p botstats.Path) pathRow { return pathRow{p, gotNothing(p.Outcome)} })
	body.all, _ = frame.Sift(r, o.Now(), of, nil, func(p pathRow) []any {
		return append(p.cells(), v.Term("bots.is", p.Outcome))
	})
	body.Paths, body.More = body.all[:min(len(body.all), pathsShown)], len(body.all) > pathsShown
	return v.Say("sales.bots"), body, nil
}

// keep is those of the filters that an address keeps which sets another, as a query; the site is
// always among them.
func (b botsBody) keep(names ...string) template.URL {
	q := url.Values{}
	for name, value := range map[string]string{"agent": b.Agent, "outcome": b.Outcome, "day": b.Day} {
		if value != "" && slices.Contains(names, name) {
			q.Set(name, value)
		}
	}
	if len(b.Sites) > 1 {
		q.Set("site", b.Site)
	}
	if b.over != nil {
		q.Set("days", strconv.Itoa(b.over.Days))
	}
	return template.URL(q.Encode())
}

// With is the address of the page with one filter set and the others as they are.
func (b botsBody) With(name, value string) string {
	q, err := url.ParseQuery(string(b.keep("agent", "outcome", "day")))
	if err != nil {
		q = url.Values{}
	}
	q.Set(name, value)
	return "sales/bots?" + q.Encode()
}

// newSightings draws what was seen; nil when nothing was.
func newSightings(all []botstats.Day, in *frame.Range) *sightings {
	if len(all) == 0 {
		return nil
	}
	p := &sightings{Bars: plot.NewBars(in.Last(), in.Days), All: seenAgent{On: map[time.Time]int{}}}
	at := map[string]int{}
	for _, h := range all {
		i, known := at[h.Agent]
		if !known {
			i = len(p.Agents)
			at[h.Agent] = i
			p.Agents = append(p.Agents, seenAgent{Name: h.Agent, On: map[time.Time]int{}})
		}
		p.Agents[i].add(h)
		p.All.add(h)
	}
	slices.SortStableFunc(p.Agents, func(a, b seenAgent) int {
		return cmp.Or(b.Seen-a.Seen, cmp.Compare(a.Name, b.Name))
	})
	for i := range p.Agents {
		p.Agents[i].Class = "p" + strconv.Itoa(min(i, plot.MostColours))
	}
	for _, n := range p.All.On {
		p.Max = max(p.Max, n)
	}
	for i := range p.Days {
		day := &p.Days[i]
		day.Given = p.All.On[day.Day]
		amounts := make([]plot.Amount, plot.MostColours+1)
		for n, a := range p.Agents {
			part := &amounts[min(n, plot.MostColours)]
			part.Class, part.N = a.Class, part.N+a.On[day.Day]
		}
		day.Stack(p.Max, amounts...)
	}
	return p
}

// say sets the words of the drawing, where there is one.
func (p *sightings) say(v *frame.Visit) *sightings {
	if p == nil {
		return nil
	}
	p.Name = v.Say("bots.plot")
	p.Says = v.Say("bots.plot_says", v.Count("bots.requests", p.All.Seen), v.Count("bots.agents", len(p.Agents)),
		p.All.No, p.Max)
	for i := range p.Days {
		day := &p.Days[i]
		day.Says = v.Say("sales.plot_day", v.Day(day.Day), v.Count("bots.requests", day.Given))
	}
	return p
}

// add counts what was seen in.
func (a *seenAgent) add(h botstats.Day) {
	n := int(h.Count)
	a.Seen += n
	switch {
	case gotNothing(h.Outcome):
		a.No += n
	case h.Outcome == "open":
		a.Open += n
	default:
		a.Text += n
	}
	a.On[h.Day] += n
	if h.Day.After(a.Last) {
		a.Last = h.Day
	}
}

// outcomeRows count what came of the requests of a time, in the order of outcomes, those that are
// not known last.
func outcomeRows(all []botstats.Day, of botstats.Filter) (rows []outcomeRow) {
	count := map[string]*outcomeRow{}
	for _, h := range all {
		if h.Day.Before(of.Since) || !h.Day.Before(of.Until) {
			continue
		}
		row := count[h.Outcome]
		if row == nil {
			row = &outcomeRow{Name: h.Outcome}
			count[h.Outcome] = row
		}
		row.N += int(h.Count)
	}
	for _, row := range count {
		rows = append(rows, *row)
	}
	place := func(name string) int {
		if at := slices.Index(outcomes, name); at >= 0 {
			return at
		}
		return len(outcomes)
	}
	slices.SortFunc(rows, func(a, b outcomeRow) int {
		return cmp.Or(place(a.Name)-place(b.Name), cmp.Compare(a.Name, b.Name))
	})
	return rows
}
