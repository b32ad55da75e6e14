package ingest

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"frontdesk/internal/content/ingest/frontier"
)

// This file ends visits, and at last the crawl: what an answer means for what was known, what is
// remembered of it for the next run, and where it leads.

// applyVisit deals with what a visit turned out to be, behind the workers.
func (c *crawl) applyVisit(ctx context.Context, v *visit) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer c.changed.Broadcast()
	if v.role == postRole {
		return c.recordPost(ctx, v)
	}
	c.underway--
	if v.outcome == same {
		whole, err := c.keep(ctx, v)
		if err != nil {
			return err
		}
		if !whole { // what it held was never published: once more, whatever is remembered
			c.offerAgain(v)
			return nil
		}
	}
	c.settled[v.address.String()] = true
	c.count(v)
	if c.some() {
		return c.applySubsetVisit(ctx, v)
	}
	if err := c.remember(ctx, v); err != nil {
		return err
	}
	c.goOn(v)
	if v.role == listRole && !v.list {
		c.found += len(v.items)
		if v.outcome == failed && v.known != nil {
			c.found += len(v.known.Items)
		}
	}
	return nil
}

// learns says whether the look of what is at an address tells where a crawl need not go on.
func (c *crawl) learns(v *visit) bool { return c.follow && v.looks && v.role != startRole }

// keep lets what an address held before stay; whole says that all of it is there.
func (c *crawl) keep(ctx context.Context, v *visit) (whole bool, err error) {
	if c.run == nil || v.known == nil {
		return false, nil
	}
	missing, err := c.run.KeepItems(ctx, v.known.Items...)
	v.items = v.known.Items
	if missing == 0 && v.known.Look != nil && c.learns(v) {
		c.front.LearnPage(v.address, *v.known.Look)
	}
	return missing == 0, err
}

// count notes the outcome, and when nothing is left to hope for.
func (c *crawl) count(v *visit) {
	r := &c.report
	if v.guessed && v.outcome != wasRead {
		r.Asked--
		return
	}
	for at, n := range map[outcome]*int{same: &r.Unchanged, failed: &r.Failed, gone: &r.Gone, closed: &r.Closed,
		disallowed: &r.Disallowed,
		hidden:     &r.Hidden, repeated: &r.Repeated, useless: &r.Useless} {
		if at == v.outcome {
			*n++
		}
	}
	var named []string
	if v.known != nil {
		named = v.known.Licences
	}
	if v.outcome != same && v.outcome != failed && v.outcome != closed && !slices.Equal(named, v.licences) {
		r.Licences++
	}
	if c.misses.count(v.outcome) && r.Cut == "" {
		r.Cut = fmt.Sprintf("the site gave no answer %d times in a row; run again later", c.row)
		c.queue = nil
	}
	switch unknown := v.known == nil || len(v.known.Items) == 0; {
	case v.known != nil && !v.known.Failing.IsZero() && c.now().Sub(v.known.Failing) >= givenUpAfter:
	case v.role == listRole && unknown && (v.outcome == failed || v.outcome == useless),
		c.follow && v.outcome == failed && (v.known == nil || !v.known.Failing.IsZero()):
		c.lost = true
	}
}

// givenUpAfter is how long an address that never gave an answer keeps what was not seen from
// leaving.
const givenUpAfter = 3 * 24 * time.Hour

// remember keeps what the next run needs to know of the address.
func (c *crawl) remember(ctx context.Context, v *visit) error {
	if c.run == nil || v.list {
		return nil
	}
	m := v.known
	leads := c.follow || v.role == listRole
	if leads && m == nil && (v.outcome == failed || v.outcome == useless && v.response == nil) {
		m = &recollection{Failing: c.now()}
	}
	if v.response == nil && v.outcome != failed && v.outcome != same && (m == nil || m.Failing.IsZero()) {
		return nil
	}
	switch v.outcome {
	case wasRead, hidden, repeated, useless:
		if v.response != nil {
			m = c.learned(v)
		}
	case failed, same:
		if m == nil {
			return nil
		}
		if v.outcome == same && v.response != nil {
			m.Listed, m.Seen = v.changed, c.now()
		}
		if err := c.retain(ctx, m); err != nil {
			return err
		}
	case closed:
		c.closed = append(c.closed, v.address.String())
		return nil
	default:
		return nil
	}
	if v.feed && v.outcome == wasRead && !c.Complete && c.report.Kind == "feed" {
		if err := c.keepTail(ctx, v, m); err != nil {
			return err
		}
	}
	if len(m.Items) > maxItems {
		m = &recollection{Many: true}
	}
	return c.note(ctx, v.address.String(), m)
}

// learned is what is to be remembered of an address that was read.
func (c *crawl) learned(v *visit) *recollection {
	m := &recollection{
		Reader: c.reader, ETag: v.response.Header.Get("ETag"), Modified: v.response.Header.Get("Last-Modified"),
		Digest: v.digest, Items: v.items,
		Listed: v.changed, Seen: c.now(), Licences: v.licences,
	}
	if v.role == startRole && (c.report.Kind == "feed" || c.report.Kind == "data") {
		m.Kind = c.report.Kind
	}
	if len(m.ETag) > 1000 || len(m.Modified) > 100 {
		m.ETag, m.Modified = "", ""
	}
	if v.cut { // it is read again, whatever is said of it
		m.Reader = ""
	}
	m.Links = v.links()
	if v.sight != nil && c.learns(v) {
		m.Look = &v.sight.Page
	}
	return m
}

// keepTail lets entries stay that have moved out at the end of a feed: those that came after the
// last that is still in it. One that is missing before that was taken out.
func (c *crawl) keepTail(ctx context.Context, v *visit, m *recollection) error {
	if v.known == nil {
		return nil
	}
	here := map[string]bool{}
	for _, address := range v.items {
		here[address] = true
	}
	before := v.known.Items
	last := len(before) - 1
	for last >= 0 && !here[before[last]] {
		last--
	}
	tail := before[last+1:]
	_, err := c.run.KeepItems(ctx, tail...)
	m.Items = append(append([]string{}, v.items...), tail...)
	m.Items = m.Items[:min(len(m.Items), maxItems)]
	return err
}

// goOn follows what the page leads to: the links that were found, or those of before where it was
// not read.
func (c *crawl) goOn(v *visit) {
	links := v.links()
	if v.sight == nil && (v.outcome == same || v.outcome == failed) && v.known != nil {
		links = v.known.Links
	}
	if v.role == startRole {
		c.first = links
	}
	if c.follow {
		c.offerLinks(links, v.depth+1)
	}
}

// wanted says whether items are taken of a page, and what it is if not.
func (c *crawl) wanted(v *visit) bool {
	if v.sight == nil {
		return true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	s := v.sight
	if v.looks && v.role != startRole {
		again := c.repeats(v.address, &s.Page)
		stale := c.learns(v) && c.front.LearnPage(v.address, s.Page)
		switch {
		case c.isMissing(&s.Page):
			v.outcome = gone
			s.Links = nil
		case again && stale, s.Redirects:
			v.outcome = repeated
		}
	}
	if s.NoIndex {
		v.outcome = hidden
	}
	return v.outcome == wasRead
}

// end keeps, when all is seen that there was to see, what could not be seen. partial says that
// nothing may be removed, since it is not known which addresses things came from.
func (c *crawl) end(ctx context.Context) (partial bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := &c.report
	if c.press != nil {
		return c.press.torn, c.endPosts(ctx)
	}
	r.Endless = c.front.Count(frontier.Trap)
	r.Beyond = c.front.Count(frontier.Full) + c.front.Count(frontier.Deep)
	r.Note = c.warning(r.Asked)
	r.Cut = cmp.Or(r.Cut, c.cut(r.Asked))
	switch {
	case c.some():
		return false, c.dropLeft(ctx)
	case c.run == nil || r.Cut == "":
		return c.partial, nil
	}
	var closed []string
	if c.refused(r.Asked) {
		closed = c.closed
	}
	known, err := c.retainUnseen(ctx, closed)
	return known == 0 || c.partial, err
}
