package console

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"frontdesk/internal/intake/vault"
	"frontdesk/internal/operator/console/frame"
	"frontdesk/internal/operator/console/plot"
)

// funnel is what became of what was submitted, as stacked bars: each submission stands on the day
// on which it came, as far as it got.
type funnel struct {
	plot.Bars
	Rows  []funnelRow
	Total funnelRow
	Keys  []funnelKey // the parts that there are any of
	came  map[time.Time]vault.DayCount
}

// funnelRow counts what came from one platform to one intake.
type funnelRow struct {
	Intake, Platform    string // the intake's name; a platform that did not say its name is empty
	Submitted, Offered  int    // Offered are all that were, whatever became of the offer
	Bound, Expired      int
	Declined, Erased    int
	Waiting, Unanswered int
}

// add counts a tally in.
func (r *funnelRow) add(t vault.DayCount) {
	r.Submitted += t.Waiting + t.Unanswered + t.Declined + t.Open + t.Bound + t.Expired + t.Erased
	r.Offered += t.Open + t.Bound + t.Expired
	r.Bound += t.Bound
	r.Expired += t.Expired
	r.Declined += t.Declined
	r.Erased += t.Erased
	r.Waiting += t.Waiting
	r.Unanswered += t.Unanswered
}

// funnelKey says what a colour stands for.
type funnelKey struct {
	Class string
	N     int
}

// funnelParts are the parts of a bar from its bottom on: how far a submission got, the farthest
// first.
var funnelParts = []struct {
	class string
	n     func(vault.DayCount) int
}{
	{"f-bound", func(t vault.DayCount) int { return t.Bound }},
	{"f-open", func(t vault.DayCount) int { return t.Open }},
	{"f-waiting", func(t vault.DayCount) int { return t.Waiting }},
	{"f-expired", func(t vault.DayCount) int { return t.Expired }},
	{"f-declined", func(t vault.DayCount) int { return t.Declined }},
	{"f-lapsed", func(t vault.DayCount) int { return t.Unanswered }},
	{"f-erased", func(t vault.DayCount) int { return t.Erased }},
}

// newFunnel draws those tallies that are of an intake and a platform, empty for all; nil when there
// is nothing to be drawn. name gives an intake's name.
func newFunnel(tallies []vault.DayCount, now time.Time, of vault.Filter, name func(string) string) *funnel {
	f := &funnel{Bars: plot.NewBars(now, plot.Days), came: map[time.Time]vault.DayCount{}}
	days, rows := f.came, map[[2]string]*funnelRow{}
	all := vault.DayCount{}
	for _, t := range tallies {
		if of.Intake != "" && t.Intake != of.Intake || of.Platform != "" && t.Platform != of.Platform {
			continue
		}
		from := [2]string{t.Intake, t.Platform}
		if rows[from] == nil {
			rows[from] = &funnelRow{Intake: name(t.Intake), Platform: t.Platform}
		}
		rows[from].add(t)
		f.Total.add(t)
		days[t.Day] = sum(days[t.Day], t)
		all = sum(all, t)
	}
	if f.Total.Submitted == 0 {
		return nil
	}
	for _, row := range rows {
		f.Rows = append(f.Rows, *row)
	}
	slices.SortFunc(f.Rows, func(a, b funnelRow) int {
		return cmp.Or(b.Submitted-a.Submitted, cmp.Compare(a.Intake, b.Intake), cmp.Compare(a.Platform, b.Platform))
	})
	for _, part := range funnelParts {
		if n := part.n(all); n > 0 {
			f.Keys = append(f.Keys, funnelKey{part.class, n})
		}
	}
	f.draw(days)
	return f
}

// sum adds up the counts of two tallies.
func sum(a, b vault.DayCount) vault.DayCount {
	return vault.DayCount{
		Waiting: a.Waiting + b.Waiting, Unanswered: a.Unanswered + b.Unanswered, Declined: a.Declined + b.Declined,
		Open: a.Open + b.Open, Bound: a.Bound + b.Bound, Expired: a.Expired + b.Expired, Erased: a.Erased + b.Erased,
	}
}

// draw draws the bars.
func (f *funnel) draw(days map[time.Time]vault.DayCount) {
	for i := range f.Days {
		var row funnelRow
		row.add(days[f.Days[i].Day])
		f.Days[i].Given = row.Submitted
		f.Max = max(f.Max, row.Submitted)
	}
	for i := range f.Days {
		day := &f.Days[i]
		t := days[day.Day]
		var parts []plot.Amount
		for _, part := range funnelParts {
			n := part.n(t)
			parts = append(parts, plot.Amount{Class: part.class, N: n})
		}
		day.Stack(f.Max, parts...)
	}
}

// say sets the words of the drawing, where there is one.
func (f *funnel) say(v *frame.Visit) *funnel {
	if f == nil {
		return nil
	}
	f.Name = v.Say("inbox.plot")
	f.Says = v.Say("inbox.plot_says", f.Total.Submitted, f.Total.Offered, f.Total.Bound, f.Total.Expired, f.Max)
	for i := range f.Days {
		day := &f.Days[i]
		day.Says = v.Say("inbox.plot_day", v.Day(day.Day), day.Given)
		for _, part := range funnelParts {
			if n := part.n(f.came[day.Day]); n > 0 {
				day.Says += ", " + strconv.Itoa(n) + " " + v.Say("inbox.part_"+part.class)
			}
		}
	}
	return f
}
