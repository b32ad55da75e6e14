package console

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/operator/console/frame"
)

// listed is what the address of a list's page asks for.
type listed struct {
	Find, Site, Buyer string // what is looked for, and by what the list is filtered
	Day               string // the one day that is shown; empty for more
	Sites             []Site
	Any, Filtered     bool   // something is looked for, or filtered by; Filtered is the latter alone
	Later             bool   // this is not the first page
	First             string // the address of the first page
	Next              string // of the next; empty for none

	over         *frame.Range
	since, until time.Time // of over
	place        string    // behind which the page begins
	asked        url.Values
	goes         func(place string) string // the address of the page behind a place
	now          time.Time
}

// choose reads what the address of a page asks for. What the page always has is no filter.
func (o *owner) choose(r *http.Request, page string, always ...string) listed {
	q, over := r.URL.Query(), frame.AnyRange(r, o.Now())
	l := listed{
		Day: over.Day(), Sites: o.config.siteList(), First: frame.Link(r, page, nil), Later: q.Get("before") != "",
		over: over, since: over.Since, until: over.Until, place: q.Get("before"), asked: q, now: o.Now(),
		goes: func(place string) string { return frame.Link(r, page, map[string]string{"before": place}) },
	}
	l.Find, l.Site, l.Buyer = l.Asked("q"), l.Asked("site"), l.Asked("buyer")
	for name := range q {
		if l.Asked(name) != "" && !slices.Contains(append(always, "before", "compare", "until"), name) {
			l.Any, l.Filtered = true, l.Filtered || name != "q"
		}
	}
	return l
}

// Asked is a parameter of the address.
func (l listed) Asked(name string) string { return strings.TrimSpace(l.asked.Get(name)) }

// perPage is how many rows a part of a page has that is no list of its own.
const perPage = 50

// filled gives the rows of a page, and sets where the list goes on.
func filled[R any](ctx context.Context, r *http.Request, l *listed, parts frame.Parts[R]) ([]R, error) {
	rows, next, err := parts.Fill(ctx, r, l.now, l.place)
	if next != "" {
		l.Next = l.goes(next)
	}
	return rows, err
}

// cut gives up to so many of some rows, and the place of the last where there are more.
func cut[R any](all []R, limit int, place func(R) string) (rows []R, next string) {
	if len(all) <= limit {
		return all, ""
	}
	return all[:limit], place(all[limit-1])
}

// behind gives the rows of a list that is read whole in parts: those behind a place.
func behind[R any](all []R, place func(R) string) func(context.Context, string, int) ([]R, string, error) {
	return func(_ context.Context, from string, limit int) ([]R, string, error) {
		if at := slices.IndexFunc(all, func(r R) bool { return place(r) == from }); from != "" {
			all = all[at+1:]
		}
		rows, next := cut(all, limit, place)
		return rows, next, nil
	}
}

// mapped gives rows of each of some things.
func mapped[T, R any](all []T, row func(T) R) (rows []R) {
	for _, one := range all {
		rows = append(rows, row(one))
	}
	return rows
}
