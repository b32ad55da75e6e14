// Package plot draws figures day by day as stacked bars, for the owner's pages.
package plot

import (
	"html/template"
	"slices"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/excerpts/grants"
)

const (
	Days        = 30 // how many days are plotted
	MostColours = 5  // how many platforms have a colour of their own
)

// FirstDay is the first day of the plot, by UTC.
func FirstDay(now time.Time) time.Time {
	return now.UTC().Truncate(24*time.Hour).AddDate(0, 0, 1-Days)
}

// Bars are stacked bars, one for each day.
type Bars struct {
	Name, Says string // what is drawn, and what it shows, for who does not see it
	Days       []plotDay
	Max        int          // the figure of the day with the most
	Top        string       // Max as it is written, where that is no plain number
	Leads      string       // to where a day leads, as the beginning of an address; empty for the page itself
	Also       template.URL // what else stands in the query of that address
	First      time.Time
	Last       time.Time
}

// NewBars are the days to be plotted, without figures: so many that end with one.
func NewBars(last time.Time, days int) Bars {
	b := Bars{Last: last.UTC().Truncate(24 * time.Hour)}
	b.First = b.Last.AddDate(0, 0, 1-days)
	for i := range days {
		b.Days = append(b.Days, plotDay{Day: b.First.AddDate(0, 0, i), X: strconv.Itoa(100 * i)})
	}
	return b
}

// Wide is the width of the plot, in hundredths of that of a day.
func (b *Bars) Wide() int { return 100 * len(b.Days) }

// plotDay is one bar, from the bottom to the top.
type plotDay struct {
	Day   time.Time
	X     string // its left edge, in hundredths of the width of a day
	Parts []plotPart
	Given int
	Not   int // refused
	Says  string
}

// Amount is what a part of a bar stands for.
type Amount struct {
	Class string
	N     int
}

// Stack puts the parts of a bar on top of each other, in a plot whose height stands for most.
func (d *plotDay) Stack(most int, amounts ...Amount) {
	if most == 0 {
		return
	}
	height := func(n int) int { return 1000 * n / most }
	below := 0
	for _, a := range amounts {
		if a.N == 0 {
			continue
		}
		top := height(below + a.N)
		d.Parts = append(d.Parts, plotPart{a.Class, strconv.Itoa(1000 - top), strconv.Itoa(top - height(below))})
		below += a.N
	}
}

// Platforms is what platforms asked for day by day. Whoever shows them sets the words.
type Platforms struct {
	Bars
	Platforms []plotted
	Given     int
	Refused   int
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

// OfPlatforms draws tallies; nil when there is nothing to be drawn.
func OfPlatforms(tallies []grants.DayCount, now time.Time) *Platforms {
	if len(tallies) == 0 {
		return nil
	}
	p := &Platforms{Bars: NewBars(now, Days)}
	p.gather(tallies)
	for i := range p.Days {
		day := &p.Days[i]
		for _, of := range p.Platforms {
			day.Given += of.GivenOn[day.Day]
			day.Not += of.NotOn[day.Day]
		}
		p.Max = max(p.Max, day.Given+day.Not)
	}
	for i := range p.Days {
		p.draw(&p.Days[i])
	}
	return p
}

// gather sums up by platform, those with the most answers first.
func (p *Platforms) gather(tallies []grants.DayCount) {
	at := map[string]int{}
	for _, t := range tallies {
		i, seen := at[t.Platform]
		if !seen {
			i = len(p.Platforms)
			at[t.Platform] = i
			p.Platforms = append(p.Platforms,
				plotted{Name: t.Platform, GivenOn: map[time.Time]int{}, NotOn: map[time.Time]int{}})
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
		p.Platforms[i].Class = "p" + strconv.Itoa(min(i, MostColours))
	}
}

// draw draws a bar.
func (p *Platforms) draw(day *plotDay) {
	var parts []Amount
	var rest int
	for i, of := range p.Platforms {
		if i >= MostColours {
			rest += of.GivenOn[day.Day]
			continue
		}
		parts = append(parts, Amount{of.Class, of.GivenOn[day.Day]})
	}
	day.Stack(p.Max, append(parts, Amount{"p" + strconv.Itoa(MostColours), rest}, Amount{"not", day.Not})...)
}

// Some are the days on which something happened, the newest first, for the table.
func (b *Bars) Some() (days []plotDay) {
	for _, day := range slices.Backward(b.Days) {
		if day.Given+day.Not > 0 {
			days = append(days, day)
		}
	}
	return days
}

// Most is the figure of the day with the most, as it is written.
func (b *Bars) Most() string {
	if b.Top != "" {
		return b.Top
	}
	return strconv.Itoa(b.Max)
}
