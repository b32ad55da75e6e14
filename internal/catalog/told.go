package catalog

import (
	"slices"
	"strconv"
	"strings"

	"frontdesk/internal/content"
	"frontdesk/internal/stated"
)

// Value is one value of what is told of an address, with where it is from (RAMP v1, Ingestion).
type Value struct {
	Name   string        `json:"name"` // title, words, tokens, authors, modified, content_id, content_type, source_type
	Value  string        `json:"value"`
	Source stated.Source `json:"source"`
	Place  string        `json:"place,omitempty"` // an address, or the source of content, or who pushed it
}

// rank orders the sources of content by what counts first.
func (c *Catalog) rank(e *Entry) int {
	if c.config.Kind == nil || e.IsPushed() {
		return 0
	}
	return slices.Index(stated.Sources, c.config.Kind(e.Site, e.Source))
}

// tell adds to what is at an address what is told of it elsewhere: each value is that of the first source that has one, in the order of
// stated.Sources. What else a site has at the address, from sources that count later, gives what is missing.
func (c *Catalog) tell(found []Entry, canonical string) []Entry {
	for i := range found {
		e := &found[i]
		e.kind = stated.Pushed
		if !e.IsPushed() && c.config.Kind != nil {
			e.kind = c.config.Kind(e.Site, e.Source)
		}
		for k := range found {
			if k != i && found[k].Site == e.Site && !found[k].IsPushed() {
				e.others = append(e.others, found[k])
			}
		}
		if c.config.Told != nil {
			e.told = c.config.Told(e.Site, canonical)
		}
	}
	for i := range found {
		found[i].complete()
	}
	return found
}

// complete fills an entry in with the values that count.
func (e *Entry) complete() {
	for i := range e.told {
		a := &e.told[i]
		if a.Source == stated.Sitemap || a.Stated == nil {
			continue
		}
		if a.Stated.Tokens > 0 && e.tokens == 0 {
			e.tokens = a.Stated.Tokens
		}
		if a.Stated.Words > 0 && !e.toldBefore(i, func(s *stated.Address) bool { return s.Stated != nil && s.Stated.Words > 0 }) {
			e.Words = a.Stated.Words
		}
		if len(a.Stated.Authors) > 0 && !e.toldBefore(i, func(s *stated.Address) bool { return s.Stated != nil && len(s.Stated.Authors) > 0 }) {
			e.Authors = a.Stated.Authors
		}
	}
	titled := false
	for i := range e.told {
		if t := e.told[i].Title; t != "" && !titled && (e.Title == "" || e.IsPushed()) { // what is pushed counts last
			e.Title, titled = t, true
		}
		if at := e.told[i].ModifiedAt(); !at.IsZero() && (i == 0 || e.Modified.IsZero()) {
			e.Modified = at
		}
	}
	for i := range e.others {
		o := &e.others[i]
		first(&e.Title, o.Title)
		first(&e.Publisher, o.Publisher)
		first(&e.Language, o.Language)
		if len(e.Authors) == 0 {
			e.Authors = o.Authors
		}
		if e.Modified.IsZero() {
			e.Modified = o.Modified
		}
		if e.Published.IsZero() {
			e.Published = o.Published
		}
	}
}

func (e *Entry) toldBefore(at int, has func(*stated.Address) bool) bool {
	for i := range at {
		if has(&e.told[i]) {
			return true
		}
	}
	return false
}

// listed makes an entry of an address of which a tenant's sitemaps tell, and nothing else: what is there its outlet delivers. The caller holds mu.
func (c *Catalog) listed(canonical string) []Entry {
	if c.config.Teller == nil || c.config.Told == nil {
		return nil
	}
	site, ok := c.config.Teller(hostOf(canonical))
	if !ok {
		return nil
	}
	told := c.config.Told(site, canonical)
	if len(told) == 0 {
		return nil
	}
	e := Entry{
		Ref: content.Ref{Site: site, Source: PushedSource, ID: pushedID(site, canonical, "stated").String()},
		URL: "https://" + canonical, Mutability: Dynamic, kind: told[0].Source, told: told,
	}
	e.Address, e.Pushed.At, e.AsOf = e.URL, canonical, told[0].ModifiedAt()
	e.factor = factorOf(c.config.Factors, "")
	e.complete()
	return []Entry{e}
}

// Values are the values of an entry that Find gave, each with where it is from.
func (e *Entry) Values() (all []Value) {
	own := e.Source
	if e.IsPushed() {
		own = e.Pushed.Author
	}
	add := func(name, value string, has func(a *stated.Address) string, other func(o *Entry) string) {
		if value == "" {
			return
		}
		v := Value{Name: name, Value: value, Source: e.kind, Place: own}
		for i := len(e.others) - 1; i >= 0 && other != nil; i-- {
			if o := &e.others[i]; other(o) == value {
				v.Source, v.Place = o.kind, o.Source
			}
		}
		for i := len(e.told) - 1; i >= 0; i-- {
			if a := &e.told[i]; has(a) == value {
				v.Source, v.Place = a.Source, a.Place
			}
		}
		all = append(all, v)
	}
	number := func(n int) string {
		if n == 0 {
			return ""
		}
		return strconv.Itoa(n)
	}
	member := func(get func(a *stated.Address) string) func(a *stated.Address) string {
		return func(a *stated.Address) string {
			if a.Stated == nil {
				return ""
			}
			return get(a)
		}
	}
	add("title", e.Title, func(a *stated.Address) string { return a.Title }, func(o *Entry) string { return o.Title })
	add("words", number(e.Words), member(func(a *stated.Address) string { return number(a.Stated.Words) }), nil)
	add("tokens", number(e.Tokens()), member(func(a *stated.Address) string { return number(a.Stated.Tokens) }), nil)
	add("authors", strings.Join(e.Authors, ", "), member(func(a *stated.Address) string { return strings.Join(a.Stated.Authors, ", ") }), func(o *Entry) string { return strings.Join(o.Authors, ", ") })
	if !e.Modified.IsZero() {
		const day = "2006-01-02T15:04:05Z"
		add("modified", e.Modified.UTC().Format(day), func(a *stated.Address) string { return a.ModifiedAt().Format(day) }, func(o *Entry) string { return o.Modified.UTC().Format(day) })
	}
	for _, one := range []struct {
		name string
		get  func(a *stated.Address) string
	}{
		{"content_id", func(a *stated.Address) string { return a.Stated.ContentID }},
		{"content_type", func(a *stated.Address) string { return a.Stated.ContentType }},
		{"source_type", func(a *stated.Address) string { return a.Stated.SourceType }},
	} {
		for i := range e.told {
			if value := member(one.get)(&e.told[i]); value != "" {
				add(one.name, value, member(one.get), nil)
				break
			}
		}
	}
	return all
}
