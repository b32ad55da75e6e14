package ingest

import (
	"net/url"

	"frontdesk/internal/content/ingest/frontier"
	"frontdesk/internal/content/ingest/pageurl"
)

// agenda is what a crawl has still to ask for: addresses in a line, and ways to come to more, which
// are tried one after another for as long as nothing came of those before. It is not safe for
// concurrent use: the crawl's lock guards it.
type agenda struct {
	start    *url.URL // what is read lies below it
	front    *frontier.Frontier
	queue    []*visit
	underway int      // visits that have left the queue and are not settled
	stages   []func() // what to try next, should nothing come of what was tried so far
	first    []string // the links of the first page
	follow   bool     // links of pages are followed
	lists    int      // lists and feeds that were queued
	found    int      // addresses or items that lists and feeds led to
}

// within sets the bounds of what is queued: what lies below an address, and what the source says
// beside.
func (a *agenda) within(start *url.URL, w *Web) {
	a.front = frontier.New(frontier.Options{
		Start: start, Hosts: w.Hosts, Include: w.Include, Exclude: w.Exclude, Pages: w.Pages, Depth: w.Depth,
	})
}

// normal makes an address of what a page or a list holds, in the form by which it is known; nil for
// none.
func (a *agenda) normal(raw string, base *url.URL) *url.URL {
	u := pageurl.FromLink(raw, base)
	if u != nil && u.Scheme == "http" && a.start.Scheme == "https" && u.Host == a.start.Host {
		u.Scheme = "https" // a list or a page that is older than the site's certificate
	}
	return u
}

// offerLinks queues what links lead to.
func (a *agenda) offerLinks(links []string, depth int) {
	for _, link := range links {
		if u := a.normal(link, a.start); u != nil && a.front.Offer(u, depth, false) == frontier.Admitted {
			a.queue = append(a.queue, &visit{role: pageRole, address: u, at: u, depth: depth})
		}
	}
}

// offerLists queues lists and feeds; guessed says that nobody said that they are there.
func (a *agenda) offerLists(addresses []string, base *url.URL, depth int, guessed bool) {
	for _, address := range addresses {
		u := pageurl.FromLink(address, base)
		if u != nil && a.lists < maxLists && depth <= deepestList && !a.front.MarkSeen(u) {
			a.lists++
			a.queue = append(a.queue,
				&visit{role: listRole, address: u, at: u, depth: depth, listed: true, guessed: guessed})
		}
	}
}

// offerPage queues a page that a list names, with the list's word for when it changed.
func (a *agenda) offerPage(address, changed string, base *url.URL) frontier.Verdict {
	u := a.normal(address, base)
	if u == nil {
		return frontier.Outside
	}
	verdict := a.front.Offer(u, 0, true)
	if verdict == frontier.Admitted {
		a.found++
		a.queue = append(a.queue, &visit{role: pageRole, address: u, at: u, listed: true, changed: changed})
	}
	return verdict
}

// offerAgain puts a visit at the head of the line once more, whatever is remembered of its address.
func (a *agenda) offerAgain(v *visit) {
	again := &visit{
		role: v.role, address: v.address, at: v.address, depth: v.depth, listed: v.listed, looks: v.looks, fresh: true,
	}
	a.queue = append([]*visit{again}, a.queue...)
}

// followLinks begins to follow links, with those of the first page.
func (a *agenda) followLinks() {
	a.follow = true
	a.offerLinks(a.first, 1)
}

// pop takes the first visit out of the line, which must not be empty.
func (a *agenda) pop() *visit {
	v := a.queue[0]
	a.queue[0], a.queue = nil, a.queue[1:]
	a.underway++
	return v
}

// tryNext begins the next stage. There is none where something was found, or all were tried.
func (a *agenda) tryNext() bool {
	if a.found > 0 || len(a.stages) == 0 {
		return false
	}
	stage := a.stages[0]
	a.stages = a.stages[1:]
	stage()
	return true
}
