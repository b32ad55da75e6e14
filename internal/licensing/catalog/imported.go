package catalog

import (
	"slices"
	"strconv"
	"strings"

	"frontdesk/internal/content"
	"frontdesk/internal/policy/imported"
)

// Value is one metadata value with its source (RAMP v1, Ingestion).
type Value struct {
	// title, words, tokens, authors, modified, content_id, content_type, source_type
	Name   string          `json:"name"`
	Value  string          `json:"value"`
	Source imported.Source `json:"source"`
	Place  string          `json:"place,omitempty"` // an address, or the source of content, or who pushed it
}

// rank orders the sources of content by what counts first.
func (c *Catalog) rank(e *Entry) int {
	if c.config.Kind == nil || e.IsPushed() {
		return 0
	}
	return slices.Index(imported.Sources, c.config.Kind(e.Site, e.Source))
}

// applyImported adds to what is at an address what is told of it elsewhere: each value is that of
// the first source that has one, in the order of stated.Sources. What else a site has at the
// address, from sources that count later, gives what is missing.
func (c *Catalog) applyImported(found []Entry, canonical string) []Entry {
	for i := range found {
		e := &found[i]
		e.kind = imported.Pushed
		if !e.IsPushed() && c.config.Kind != nil {
			e.kind = c.config.Kind(e.Site, e.Source)
		}
	}
	for i := range found {
		e := &found[i]
		for k := range found {
			if k != i && found[k].Site == e.Site && !found[k].IsPushed() {
				e.others = append(e.others, found[k])
			}
		}
		if c.config.Imported != nil {
			e.imported = c.config.Imported(e.Site, canonical)
		}
	}
	for i := range found {
		found[i].complete()
	}
	return found
}

// complete fills an entry in with the values that count.
func (e *Entry) complete() {
	if len(e.imported)+len(e.others) == 0 {
		return
	}
	own := *e
	e.own = &own
	for i := range e.imported {
		if a := &e.imported[i]; a.Stated != nil && a.Source != imported.Sitemap {
			first(&e.tokens, a.Stated.Tokens)
		}
	}
	e.Description = Description{}
	for _, one := range e.valueSources() {
		said := one.says()
		if one.entry != nil && one.entry != e.own {
			said.Words = 0 // of another text
		}
		e.fill(&said)
	}
	e.clean()
}

// valueSource is something that tells of an address: a list, or an entry of a source.
type valueSource struct {
	imported *imported.Address
	entry    *Entry
}

// says is what it says of what is at the address.
func (t valueSource) says() Description {
	if t.entry != nil {
		return t.entry.Description
	}
	d := Description{Title: t.imported.Title, Modified: t.imported.ModifiedAt()}
	if s := t.imported.Stated; s != nil && t.imported.Source != imported.Sitemap {
		d.Words, d.Authors = s.Words, s.Authors
	}
	return d
}

// valueSources are all that tell of the address, the one whose values count first at the head (RAMP
// v1, Ingestion).
func (e *Entry) valueSources() (all []valueSource) {
	own := e
	if e.own != nil {
		own = e.own
	}
	for _, source := range imported.Sources {
		for i := range e.imported {
			if e.imported[i].Source == source {
				all = append(all, valueSource{imported: &e.imported[i]})
			}
		}
		if own.kind == source {
			all = append(all, valueSource{entry: own})
		}
		for i := range e.others {
			if e.others[i].kind == source {
				all = append(all, valueSource{entry: &e.others[i]})
			}
		}
	}
	return all
}

// listed makes an entry of an address of which a tenant's sitemaps tell, and nothing else: what is
// there its outlet delivers. The caller holds mu.
func (c *Catalog) listed(canonical string) []Entry {
	if c.config.ImportedHost == nil || c.config.Imported == nil {
		return nil
	}
	site, ok := c.config.ImportedHost(hostOf(canonical))
	if !ok {
		return nil
	}
	told := c.config.Imported(site, canonical)
	if len(told) == 0 {
		return nil
	}
	e := Entry{
		Ref: content.Ref{Site: site, Source: PushedSource, ID: pushedID(site, canonical, "stated").String()},
		URL: URIOf(canonical), Mutability: Dynamic, kind: told[0].Source, imported: told,
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
	tellers := e.valueSources()
	add := func(name, value string, has func(a *imported.Address) string, other func(o *Entry) string) {
		if value == "" {
			return
		}
		v := Value{Name: name, Value: value, Source: e.kind, Place: own}
		for _, one := range tellers {
			if one.imported != nil && has(one.imported) == value {
				v.Source, v.Place = one.imported.Source, one.imported.Place
				break
			}
			if one.entry != nil && other != nil && other(one.entry) == value {
				if v.Source, v.Place = one.entry.kind, one.entry.Source; one.entry.IsPushed() {
					v.Place = own
				}
				break
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
	member := func(get func(a *imported.Address) string) func(a *imported.Address) string {
		return func(a *imported.Address) string {
			if a.Stated == nil {
				return ""
			}
			return get(a)
		}
	}
	add("title", e.Title, func(a *imported.Address) string { return a.Title }, func(o *Entry) string { return o.Title })
	add("words", number(e.Words), member(func(a *imported.Address) string { return number(a.Stated.Words) }), nil)
	add("tokens", number(e.Tokens()), member(func(a *imported.Address) string { return number(a.Stated.Tokens) }), nil)
	add("authors", strings.Join(e.Authors, ", "),
		member(func(a *imported.Address) string { return strings.Join(a.Stated.Authors, ", ") }),
		func(o *Entry) string { return strings.Join(o.Authors, ", ") })
	if !e.Modified.IsZero() {
		const day = "2006-01-02T15:04:05Z"
		add("modified", e.Modified.UTC().Format(day),
			func(a *imported.Address) string { return a.ModifiedAt().Format(day) }, func(o *Entry) string {
				return o.Modified.UTC().Format(day)
			})
	}
	for _, one := range []struct {
		name string
		get  func(a *imported.Address) string
	}{
		{"content_id", func(a *imported.Address) string { return a.Stated.ContentID }},
		{"content_type", func(a *imported.Address) string { return a.Stated.ContentType }},
		{"source_type", func(a *imported.Address) string { return a.Stated.SourceType }},
	} {
		for i := range e.imported {
			if value := member(one.get)(&e.imported[i]); value != "" {
				add(one.name, value, member(one.get), nil)
				break
			}
		}
	}
	return all
}
