package ingest

import (
	"context"
	"net/url"
	"strings"

	"frontdesk/internal/content/ingest/frontier"
	"frontdesk/internal/content/ingest/pageurl"
)

// This file reads only those pages of a source that are named (Web.Only), as they are after the
// site said that they changed.

// some says whether a run looks at named pages only.
func (c *crawl) some() bool { return c.Only != nil }

// prepareSome queues the named pages that lie within the source's bounds. No others are asked for,
// but for one that cannot exist, to know such a page by its look.
func (c *crawl) prepareSome(ctx context.Context) error {
	c.began = c.now()
	c.report.Kind = "pages"
	c.within(c.start, &c.Web)
	for _, path := range c.Only {
		u := pageurl.FromLink(path, c.start)
		if u == nil || u.Host != c.start.Host || !c.front.InBounds(u) || c.front.MarkSeen(u) ||
			len(c.queue) >= c.Pages {
			continue
		}
		known, err := c.knownAs(ctx, u)
		if err != nil {
			return err
		}
		c.front.MarkSeen(known)
		c.queue = append(c.queue, &visit{role: pageRole, address: known, at: known})
	}
	if len(c.queue) > 0 {
		c.probe(ctx)
	}
	return ctx.Err()
}

// knownAs is an address in the form in which it is remembered, which may be that to which the site
// sent visitors on: with or without www, by http or https.
func (c *crawl) knownAs(ctx context.Context, u *url.URL) (*url.URL, error) {
	host := strings.TrimPrefix(u.Host, "www.")
	for _, one := range []url.URL{{Scheme: u.Scheme, Host: u.Host}, {Scheme: "https", Host: "www." + host},
		{Scheme: "https", Host: host}, {Scheme: "http", Host: "www." + host}, {Scheme: "http", Host: host}} {
		other := *u
		other.Scheme, other.Host = one.Scheme, one.Host
		switch _, known, err := c.run.PageState(ctx, other.String()); {
		case err != nil:
			return nil, err
		case known:
			return &other, nil
		}
	}
	return u, nil
}

// applySubsetVisit notes what is to leave of what a named page held. One that gives no answer, or
// lets nobody in, stays as it is: the next run of the whole source decides.
func (c *crawl) applySubsetVisit(ctx context.Context, v *visit) error {
	switch v.outcome {
	case failed, closed, same:
		if v.known == nil {
			return nil
		}
		_, err := c.run.KeepItems(ctx, v.known.Items...)
		return err
	case wasRead, hidden, repeated, useless, gone, disallowed:
	}
	if v.known != nil {
		c.leave = append(c.leave, v.known.Items...)
	}
	m := &recollection{Reader: c.reader, Seen: c.now()}
	if v.response != nil && v.outcome != gone {
		m = c.learned(v)
		if v.known != nil {
			m.Look = v.known.Look
		}
	}
	return c.note(ctx, v.address.String(), m)
}

// Covers says whether a path of the source's host is within what the source reads.
func (w *Web) Covers(path string) bool {
	start := pageurl.FromLink(w.URL, nil)
	if start == nil {
		return false
	}
	u := pageurl.FromLink(path, start)
	return u != nil && u.Host == start.Host &&
		frontier.New(frontier.Options{Start: start, Hosts: w.Hosts, Include: w.Include, Exclude: w.Exclude}).InBounds(u)
}
