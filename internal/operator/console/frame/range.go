package frame

import (
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// spans are how many days a page can be about.
var spans = []int{7, 30, 90}

// Range is the days that a page is about, up to now, as its address says: ?days=30.
type Range struct {
	Days         int
	Since, Until time.Time
	Choices      []Span
}

// Span is a number of days that can be chosen.
type Span struct {
	Days  int
	Query string // of the address of the page with it
	Here  bool
}

// ReadRange reads the days of a request, 30 of them where it says none that can be chosen.
func ReadRange(r *http.Request, now time.Time) *Range {
	out := &Range{Days: 30, Until: now}
	asked := r.URL.Query()
	if days, err := strconv.Atoi(asked.Get("days")); err == nil {
		for _, span := range spans {
			if span == days {
				out.Days = days
			}
		}
	}
	today := now.UTC().Truncate(24 * time.Hour)
	out.Since = today.AddDate(0, 0, 1-out.Days)
	for _, span := range spans {
		query := url.Values{}
		maps.Copy(query, asked)
		query.Del("before") // it turned pages of other days
		query.Set("days", strconv.Itoa(span))
		out.Choices = append(out.Choices, Span{span, "?" + query.Encode(), span == out.Days})
	}
	return out
}

// Before is when the days began that this range is compared with: as many, right before it.
func (r *Range) Before() time.Time { return r.Since.AddDate(0, 0, -r.Days) }
