package console

import (
	"html/template"
	"slices"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/excerpt"
)

const (
	plotDays = 30 // how many days are plotted
	plotMost = 5  // how many platforms have a colour of their own
)

// firstDay is the first day of the plot, by UTC.
func firstDay(now time.Time) time.Time {
	return now.UTC().Truncate(24*time.Hour).AddDate(0, 0, 1-plotDays)
}

// plot is what platforms asked for day by day, as stacked bars.
type plot struct {
	Days      []plotDay
	Max       int // requests of the day with the most
	Platforms []plotted
	Given     int
	Refused   int
	First     time.Time
	Last      time.Time
}

// plotDay is one bar, from the bottom to the top.
type plotDay struct {
	Day   time.Time
	X     string // its left edge, in hundredths of the width of a day
	Parts []plotPart
	Given int
	Not   int // refused
	Says  string
}

// plotPart is a part of a bar; y and height are in thousandths of the plot's height.
type plotPart struct{ Class, Y, Height string }

// plotted is a platform, with what it did in all days.
type plotted struct {
	Name           string
	Class          string
	Given          int
	Refused        int
	Cited          int
	Last           time.Time // the last day on which it did anything
	GivenOn, NotOn map[time.Time]int
}

// newPlot draws tallies; nil when there is nothing to be drawn.
func newPlot(tallies []excerpt.Tally, now time.Time) *plot {
	if len(tallies) == 0 {
		return nil
	}
	p := &plot{First: firstDay(now), Last: now.UTC().Truncate(24 * time.Hour)}
	p.gather(tallies)
	for i := range plotDays {
		day := plotDay{Day: p.First.AddDate(0, 0, i), X: strconv.Itoa(100 * i)}
		for _, of := range p.Platforms {
			day.Given += of.GivenOn[day.Day]
			day.Not += of.NotOn[day.Day]
		}
		p.Max = max(p.Max, day.Given+day.Not)
		p.Days = append(p.Days, day)
	}
	for i := range p.Days {
		p.stack(&p.Days[i])
	}
	return p
}

// gather sums up by platform, those with the most answers first.
func (p *plot) gather(tallies []excerpt.Tally) {
	at := map[string]int{}
	for _, t := range tallies {
		i, seen := at[t.Platform]
		if !seen {
			i = len(p.Platforms)
			at[t.Platform] = i
			p.Platforms = append(p.Platforms, plotted{Name: t.Platform, GivenOn: map[time.Time]int{}, NotOn: map[time.Time]int{}})
		}
		of := &p.Platforms[i]
		of.Given, of.Cited, of.Last = of.Given+t.Given, of.Cited+t.Cited, t.Day
		of.GivenOn[t.Day] += t.Given
		for _, n := range t.Refused {
			of.Refused += n
			of.NotOn[t.Day] += n
		}
		p.Given += t.Given
	}
	slices.SortStableFunc(p.Platforms, func(a, b plotted) int {
		if a.Given != b.Given {
			return b.Given - a.Given
		}
		return strings.Compare(a.Name, b.Name)
	})
	for i := range p.Platforms {
		p.Refused += p.Platforms[i].Refused
		p.Platforms[i].Class = "p" + strconv.Itoa(min(i, plotMost))
	}
}

// stack puts the parts of a bar on top of each other.
func (p *plot) stack(day *plotDay) {
	if p.Max == 0 {
		return
	}
	below := 0
	add := func(class string, n int) {
		if n == 0 {
			return
		}
		height := func(n int) int { return 1000 * n / p.Max }
		top := height(below + n)
		day.Parts = append(day.Parts, plotPart{class, strconv.Itoa(1000 - top), strconv.Itoa(top - height(below))})
		below += n
	}
	var rest int
	for i, of := range p.Platforms {
		if i >= plotMost {
			rest += of.GivenOn[day.Day]
			continue
		}
		add(of.Class, of.GivenOn[day.Day])
	}
	add("p"+strconv.Itoa(plotMost), rest)
	add("not", day.Not)
	day.Says = day.Day.Format("2 January 2006") + ": " + strconv.Itoa(day.Given) + " answered, " + strconv.Itoa(day.Not) + " denied"
}

// Some are the days on which something happened, the newest first, for the table.
func (p *plot) Some() (days []plotDay) {
	for _, day := range slices.Backward(p.Days) {
		if day.Given+day.Not > 0 {
			days = append(days, day)
		}
	}
	return days
}

// ownerTemplate reads the owner's pages.
func ownerTemplate() *template.Template {
	return template.Must(template.New("owner.html").Funcs(template.FuncMap{
		"day":    func(t time.Time) string { return t.UTC().Format("2 Jan 2006") },
		"iso":    func(t time.Time) string { return t.UTC().Format(time.DateOnly) },
		"moment": func(t time.Time) string { return t.UTC().Format("2 Jan 2006, 15:04:05") },
		"exact":  func(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) },
		"words":  func(reason string) string { return strings.ReplaceAll(reason, "_", " ") },
		"add":    func(a, b int64) int64 { return a + b },
	}).ParseFS(embedded, "owner.html"))
}
