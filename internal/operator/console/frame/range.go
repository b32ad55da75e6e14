package frame

import (
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// spans are how many days a page can be about, and usualSpan how many where nobody says.
var spans = []int{7, 30, 90}

const usualSpan = 30

// Range is the days that a page is about, up to now, as its address says: ?days=30.
type Range struct {
	Days         int
	Since, Until time.Time
	Choices      []Span
	Compare      string    // the address of the page with the comparison, or without; empty for none
	Compared     *Compared // with as many days before; nil for no comparison
}

// Compared are how many rows a list has in a range, and in the one before.
type Compared struct {
	Now, Before int
	Bounded     bool    // there are more than are counted
	Part        float64 // by how much it changed, as a part of those before
}

// AnyRange reads the days of the request for a list that has no end: all of them where the request
// says none, and one alone with day=2027-01-31.
func AnyRange(r *http.Request, now time.Time) *Range {
	out := ReadRange(r, now)
	if out.Until.Equal(now) {
		out.Until = time.Time{}
	}
	all := Span{0, Link(r, "", map[string]string{"days": "", "until": "", "day": "", "compare": ""}), false}
	if day, err := time.Parse(time.DateOnly, r.URL.Query().Get("day")); err == nil {
		out.Days, out.Since, out.Until = 1, day, day.AddDate(0, 0, 1)
	} else if r.URL.Query().Get("days") == "" {
		out.Days, out.Since, all.Here = 0, time.Time{}, true
	}
	for i := range out.Choices {
		out.Choices[i].Here = out.Choices[i].Days == out.Days
	}
	out.Choices = append(out.Choices, all)
	return out
}

// Span is a number of days that can be chosen.
type Span struct {
	Days  int
	Query string // of the address of the page with it
	Here  bool
}

// ReadRange reads the days of a request, 30 of them where it says none that can be chosen. With
// until=2027-01-31 the days end on that one.
func ReadRange(r *http.Request, now time.Time) *Range {
	out := &Range{Days: usualSpan, Until: now}
	asked := r.URL.Query()
	if days, err := strconv.Atoi(asked.Get("days")); err == nil {
		for _, span := range spans {
			if span == days {
				out.Days = days
			}
		}
	}
	last := now.UTC().Truncate(24 * time.Hour)
	if day, err := time.Parse(time.DateOnly, asked.Get("until")); err == nil && day.Before(last) {
		last, out.Until = day, day.AddDate(0, 0, 1)
	}
	out.Since = last.AddDate(0, 0, 1-out.Days)
	for _, span := range spans {
		query := url.Values{}
		maps.Copy(query, asked)
		for _, of := range append(places, "day") { // of a list of other days
			query.Del(of)
		}
		query.Set("days", strconv.Itoa(span))
		out.Choices = append(out.Choices, Span{span, "?" + query.Encode(), span == out.Days})
	}
	return out
}

// Last is the last of the days, by UTC.
func (r *Range) Last() time.Time { return r.Since.AddDate(0, 0, r.Days-1) }

// has says whether a time is of the days.
func (r *Range) has(t time.Time) bool {
	return !t.Before(r.Since) && (r.Until.IsZero() || t.Before(r.Until))
}

// Day is the one day that was asked for, as an address has it; empty for none.
func (r *Range) Day() string {
	if r.Days != 1 {
		return ""
	}
	return r.Since.Format(time.DateOnly)
}

// Before is when the days began that this range is compared with: as many, right before it.
func (r *Range) Before() time.Time { return r.Since.AddDate(0, 0, -r.Days) }
